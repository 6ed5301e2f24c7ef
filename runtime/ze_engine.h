/* SPDX-License-Identifier: Apache-2.0 */
/* The engine "ze". It opens Level Zero's loader when a device is asked for. The
 * types are those of the packaged headers, which only declare; no function is
 * linked. */
#ifndef XK_RUNTIME_ZE_ENGINE_H
#define XK_RUNTIME_ZE_ENGINE_H

#include <pthread.h>

#include <level_zero/ze_api.h>

#include "runtime/engine.h"

/* clang-format off */
#define XK_ZE_CALLS(X)                                                         \
    X(zeInit) X(zeDriverGet) X(zeDriverGetProperties) X(zeDeviceGet)           \
    X(zeDeviceGetProperties) X(zeDeviceGetMemoryProperties)                    \
    X(zeDeviceGetCommandQueueGroupProperties) X(zeContextCreate)               \
    X(zeContextDestroy) X(zeCommandListCreateImmediate)                        \
    X(zeCommandListDestroy) X(zeCommandListAppendBarrier)                      \
    X(zeCommandListAppendMemoryCopy) X(zeCommandListAppendLaunchKernel)        \
    X(zeEventPoolCreate) X(zeEventPoolDestroy) X(zeEventCreate)                \
    X(zeEventDestroy) X(zeEventHostReset) X(zeEventHostSynchronize)            \
    X(zeEventQueryKernelTimestamp) X(zeMemAllocDevice) X(zeMemFree)            \
    X(zeModuleCreate) X(zeModuleDestroy) X(zeModuleBuildLogGetString)          \
    X(zeModuleBuildLogDestroy) X(zeKernelCreate) X(zeKernelDestroy)            \
    X(zeKernelGetProperties) X(zeKernelSetGroupSize)                           \
    X(zeKernelSetArgumentValue)
/* clang-format on */

/* The library's functions. The library stays loaded, since a driver's own
 * threads may still run when the last device goes. */
struct xk_ze_calls {
#define X(name) __typeof__(&name) name;
    XK_ZE_CALLS(X)
#undef X
    /* Functions of later specifications; NULL: not there. */
    ze_result_t (*zeDriverGetLastErrorDescription)(ze_driver_handle_t driver,
                                                   const char **text);
};

/* An event that says when something began and ended. Each has a pool of its
 * own, because a virtual device's driver copies a whole pool between host and
 * device even for one event. */
struct xk_ze_mark {
    struct xk_ze_mark *next;
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    bool busy;
};

struct xk_ze_device {
    struct xk_device base;
    struct xk_ze_calls ze;
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    /* Guards all fields below, the arguments of kernels, and each call that
     * makes the driver talk to the device. A virtual device behind a socket
     * takes only one caller at a time. */
    pthread_mutex_t lock;
    ze_command_list_handle_t list; /* immediate, and in order by barriers */
    struct xk_ze_mark *marks;
    uint64_t max_buffer_b; /* larger buffers need a flag */
    double tick_ns;        /* of the kernel's clock */
    uint64_t tick_mask;    /* the bits that are valid */
};

/* Sets *err to a text such as "ze: zeInit: ZE_RESULT_ERROR_UNINITIALIZED
 * (0x78000001), words". what (may be NULL) is put behind the function's
 * name. */
enum xk_status xk_ze_fail(const struct xk_ze_calls *ze,
                          ze_driver_handle_t driver, const char *function,
                          const char *what, ze_result_t result,
                          struct xk_error *err);

#define XK_ZE_TRY(d, err, function, ...)                                       \
    do {                                                                       \
        const ze_result_t result_ = (d)->ze.function(__VA_ARGS__);             \
        if (result_ != ZE_RESULT_SUCCESS)                                      \
            return xk_ze_fail(&(d)->ze, (d)->driver, #function, NULL, result_, \
                              err);                                            \
    } while (0)

/* An Intel GPU of some driver. */
struct xk_ze_found {
    struct xk_ze_calls ze;
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    uint32_t n; /* how many there are */
};
/* The device with that index; XK_EABSENT says what is missing. */
enum xk_status xk_ze_find(uint32_t index, struct xk_ze_found *out,
                          struct xk_error *err);
enum xk_status xk_ze_device_count(uint32_t *n, struct xk_error *err);
enum xk_status xk_ze_device_query(uint32_t index, struct xk_device_info *info,
                                  struct xk_error *err);

/* Appends a barrier behind all earlier work and returns a mark for the next.
 * The caller holds the lock. A mark is given back by setting busy to false. */
enum xk_status xk_ze_begin(struct xk_ze_device *d, struct xk_ze_mark **out,
                           struct xk_error *err);
/* Waits for the mark's event. The caller does not hold the lock. *ticks (may be
 * NULL) becomes the duration. */
enum xk_status xk_ze_wait(struct xk_ze_device *d, const struct xk_ze_mark *m,
                          uint64_t *ticks, struct xk_error *err);
void xk_ze_end(struct xk_ze_device *d, struct xk_ze_mark *m);

/* ze_memory.c, ze_module.c: rows of the engine. */
enum xk_status xk_ze_buffer_create(xk_device *d, uint64_t size_b,
                                   xk_buffer **out, struct xk_error *err);
enum xk_status xk_ze_buffer_part(xk_buffer *whole, uint64_t at_b,
                                 uint64_t size_b, xk_buffer **out,
                                 struct xk_error *err);
void xk_ze_buffer_destroy(xk_buffer *b);
enum xk_status xk_ze_buffer_write(xk_buffer *b, uint64_t offset_b,
                                  const void *src, uint64_t size_b,
                                  struct xk_error *err);
enum xk_status xk_ze_buffer_read(const xk_buffer *b, uint64_t offset_b,
                                 void *dst, uint64_t size_b,
                                 struct xk_error *err);
/* The buffer's address on the device. */
void *xk_ze_buffer_at(const xk_buffer *b);
enum xk_status xk_ze_module_create(xk_device *d, const void *zebin,
                                   size_t size_b, xk_module **out,
                                   struct xk_error *err);
void xk_ze_module_destroy(xk_module *m);
enum xk_status xk_ze_launch_start(xk_module *m, const struct xk_launch_desc *a,
                                  void **run, struct xk_error *err);
enum xk_status xk_ze_launch_wait(xk_module *m, void *run,
                                 struct xk_launch_stats *stats,
                                 struct xk_error *err);
void xk_ze_launch_end(xk_module *m, void *run);

#endif
