/* SPDX-License-Identifier: Apache-2.0 */
/* Level Zero on a virtual device: of a server in this process, or, under
 * "xk vgpu", of that. Not under ASan: the driver opens libraries with
 * RTLD_DEEPBIND. A call that fails fails the test. */
#ifndef XK_TESTS_DRIVER_L0_HOST_H
#define XK_TESTS_DRIVER_L0_HOST_H

#include <check.h>
#include <level_zero/ze_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "xekern/virtual_device.h"

/* A call that must succeed; its text and its code are the message. */
#define L0(call)                                                               \
    do {                                                                       \
        const ze_result_t r_ = (call);                                         \
        if (r_ != ZE_RESULT_SUCCESS)                                           \
            l0_failed("%s: 0x%x", #call, r_);                                  \
    } while (0)
/* Ends the test, outside of tests the program. */
void l0_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct l0 {
    const char *platform;            /* "xehpg" */
    xk_virtual_device *device_model; /* NULL: the server is elsewhere */
    unsigned n_launches, n_said;     /* executed, complaints: of device_model */
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    uint32_t compute, copy;    /* queue groups */
    bool has_copy;             /* a group that only copies */
    void *ocloc;               /* the library of the compiler */
    bool testing;              /* a test is running */
    ze_module_handle_t module; /* of kernels[], from SPIR-V */
};

/* The OpenCL C of the kernels that the tests launch. */
extern const char l0_kernels[];

/* NULL, or why there is no driver (the test is skipped). */
const char *l0_open(struct l0 *z, const char *platform);
void l0_close(struct l0 *z);

/* l0_kernels for the device; format is "-spv_only" or "--format zebin", to be
 * freed. */
void *l0_compile(struct l0 *z, bool spirv, size_t *n_b);
ze_module_handle_t l0_module(struct l0 *z, bool spirv, const char *options);

enum l0_memory { L0_DEVICE, L0_HOST, L0_SHARED };
void *l0_alloc(struct l0 *z, enum l0_memory kind, size_t n_b);
void l0_free(struct l0 *z, void *p);

/* Commands, regular or immediate. A regular list is closed, executed and reset
 * by l0_finish; both are done when it returns. */
struct l0_list {
    struct l0 *z;
    bool immediate;
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
};
void l0_begin(struct l0_list *l, struct l0 *z, bool immediate, uint32_t group);
void l0_finish(struct l0_list *l);
/* Executes a regular list and does not wait. */
void l0_submit(struct l0_list *l, ze_fence_handle_t fence);
void l0_wait(struct l0_list *l);
void l0_reset(struct l0_list *l);
void l0_end(struct l0_list *l);

/* A kernel with its arguments; local is 0: the group's size is set later. */
struct l0_arg {
    const void *value;
    size_t n_b;
};
#define L0_POINTER(p)                                                          \
    {                                                                          \
        &(p), sizeof(void *)                                                   \
    }
#define L0_VALUE(v)                                                            \
    {                                                                          \
        &(v), sizeof(v)                                                        \
    }
ze_kernel_handle_t l0_kernel(ze_module_handle_t m, const char *name,
                             uint32_t local, unsigned n_args,
                             const struct l0_arg *args);
/* Appends groups x 1 x 1 of it. */
void l0_launch(struct l0_list *l, ze_kernel_handle_t k, uint32_t groups,
               ze_event_handle_t signal, unsigned n_waits,
               ze_event_handle_t *waits);

struct l0_events {
    ze_event_pool_handle_t pool;
    ze_event_handle_t event[8];
    unsigned n;
};
void l0_events_make(struct l0_events *e, struct l0 *z, unsigned n,
                    bool timestamps);
void l0_events_drop(struct l0_events *e);

/* The suites; each file's tests use the one device. */
extern struct l0 l0_here;
TCase *l0_memory_tests(void);
TCase *l0_copy_tests(void);
TCase *l0_event_tests(void);
TCase *l0_kernel_tests(void);
TCase *l0_program_tests(void);
TCase *l0_queue_tests(void);
TCase *l0_large_tests(void);
/* What a second process does: 0 or 1. */
int l0_queue_child(void);

#endif
