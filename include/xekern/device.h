/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, buffers, modules and launches behind one small interface. It has
 * three engines: the embedded simulator ("sim"), Level Zero ("ze") and OpenCL
 * ("ocl"). The last two load the system's library when they are asked for. If
 * there is no library or no Intel GPU, the answer is XK_EABSENT with the
 * reason. A driver's error comes with its function's name and its own text.
 *
 * Copies and launches of one device take effect in the order of the calls.
 * Every function may be called from several threads at once. */
#ifndef XK_XEKERN_DEVICE_H
#define XK_XEKERN_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "xekern/launches.h"
#include "xekern/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct xk_device xk_device;
typedef struct xk_buffer xk_buffer;
typedef struct xk_module xk_module;
typedef struct xk_pending xk_pending;

/* A device as its driver describes it. A field is "" or 0 if it is not known or
 * has no meaning for the engine. */
struct xk_device_info {
    uint32_t size;      /* sizeof(struct xk_device_info), set by the caller */
    uint32_t device_id; /* PCI */
    char name[128], driver[64];
    char platform[16]; /* "xehpg"; "": no platform of the library */
    uint32_t n_units;  /* execution units */
    uint32_t threads_per_unit;
    uint64_t memory_b;
    uint64_t max_buffer_b; /* larger ones are asked for as the driver wants */
};

/* The name of engine k, in a fixed order; NULL behind the last one. Engines
 * that this build lacks are listed too. */
XK_API const char *xk_device_engine_at(uint32_t k);
/* The number of an engine's devices; never 0. */
XK_API enum xk_status xk_device_count(const char *engine, uint32_t *n,
                                      struct xk_error *err);
/* engine: "ze" is the first device, "ze:1" the second, ... */
XK_API enum xk_status xk_device_query(const char *engine,
                                      struct xk_device_info *info,
                                      struct xk_error *err);

/* engine: as above. platform, such as "xehpg": sim simulates it; NULL takes the
 * device's own platform. A platform that is not the device's is XK_EINVAL. A
 * device that the library does not know is taken to be of that platform. The
 * simulator uses n_threads host threads, 0 = all cores. */
XK_API XK_GIVE enum xk_status
xk_device_create(const char *engine, const char *platform, unsigned n_threads,
                 xk_device **out, struct xk_error *err);
XK_API void xk_device_unref(xk_device *d);
XK_API enum xk_status xk_device_get_info(const xk_device *d,
                                         struct xk_device_info *info,
                                         struct xk_error *err);

/* Device memory with unspecified content; it may have more than 4 GiB. The
 * simulator chooses virtual addresses so that neighbouring buffers never touch
 * and some buffers straddle a 4 GiB boundary. */
XK_API XK_GIVE enum xk_status xk_buffer_create(xk_device *d, uint64_t size_b,
                                               xk_buffer **out,
                                               struct xk_error *err);
/* Bytes [offset_b, offset_b + size_b) of b, as a buffer of its own that holds a
 * reference to b. XK_EINVAL: the offset is no multiple of XK_PART_ALIGN_B, or
 * the part is empty or not inside b. */
XK_API XK_GIVE enum xk_status xk_buffer_part(xk_buffer *b, uint64_t offset_b,
                                             uint64_t size_b, xk_buffer **out,
                                             struct xk_error *err);
XK_API void xk_buffer_unref(xk_buffer *b);
XK_API enum xk_status xk_buffer_write(xk_buffer *b, uint64_t offset_b,
                                      const void *src, uint64_t size_b,
                                      struct xk_error *err);
XK_API enum xk_status xk_buffer_read(const xk_buffer *b, uint64_t offset_b,
                                     void *dst, uint64_t size_b,
                                     struct xk_error *err);

/* A zebin; the bytes are copied. */
XK_API XK_GIVE enum xk_status xk_module_create(xk_device *d, const void *zebin,
                                               size_t size_b, xk_module **out,
                                               struct xk_error *err);
XK_API void xk_module_unref(xk_module *m);

/* One kernel argument, in the order of arg_index: a buffer or size_b bytes. */
struct xk_launch_arg {
    xk_buffer *buffer; /* NULL: by value */
    const void *value;
    uint32_t size_b;
};

/* A launch of kernel `name` over groups[3] thread groups of local[3] work
 * items. Start from {.size = sizeof(struct xk_launch_desc)}. */
struct xk_launch_desc {
    uint32_t size;
    const char *name;
    const uint32_t *groups, *local;
    uint32_t n_args;
    const struct xk_launch_arg *args; /* in the kernel's order */
};

/* What one launch executed. An instruction counts once for each hardware thread
 * that executes it, whatever its exec size. The counts are 0 if a driver
 * launched the kernel. */
struct xk_launch_stats {
    uint64_t instructions;
    uint64_t fma; /* mad, mac, dp4a, dpas, dpasw with float or dot type */
    uint64_t sends;
    uint64_t syncs; /* sync.* instructions */
    uint64_t groups, threads;
    uint64_t time_ns;   /* host time: simulating, or from start to known end */
    uint64_t device_ns; /* between the driver's own timestamps; sim: 0 */
};

/* Runs a launch and waits. XK_EFAULT: the kernel did something illegal; the
 * message names the instruction, its offset and the address. stats may be
 * NULL. */
XK_API enum xk_status xk_launch(xk_module *m, const struct xk_launch_desc *l,
                                struct xk_launch_stats *stats,
                                struct xk_error *err);

/* Starts a launch without waiting; sim runs it before it returns. The launch
 * holds the module and the buffers until the wait. Values are copied. */
XK_API XK_GIVE enum xk_status xk_launch_start(xk_module *m,
                                              const struct xk_launch_desc *l,
                                              xk_pending **out,
                                              struct xk_error *err);
/* Waits until the launch has run, or all launches of a program. A second wait
 * gives the same answer. Only one thread at a time may wait. */
XK_API enum xk_status xk_pending_wait(xk_pending *p,
                                      struct xk_launch_stats *stats,
                                      struct xk_error *err);
/* Frees the launch; waits first if nobody has waited. */
XK_API void xk_pending_unref(xk_pending *p);

/* How the module's kernels are launched; NULL: its file does not say. The list
 * lives as long as the module. */
XK_API const struct xk_launch_list *xk_module_launches(const xk_module *m);
/* The inputs of a run of the module's program. Start from {.size =
 * sizeof(struct xk_run_opts)}. */
struct xk_run_opts {
    uint32_t size;
    /* args[k] is the program's argument with number k. Entries without an
     * argument must be zero. */
    uint32_t n_args;
    const struct xk_launch_arg *args;
    /* The block with all scratch buffers: xk_launch_list.scratch_b bytes from
     * byte scratch_at_b of this buffer, a multiple of scratch_align_b. Runs
     * that may overlap need blocks of their own. NULL: each scratch buffer is
     * allocated apart, and freed at the end. */
    xk_buffer *scratch;
    uint64_t scratch_at_b;
    /* Called by xk_module_run after each launch, in their order. why is NULL if
     * the launch succeeded. May be NULL. */
    void (*launched)(void *user, const struct xk_launch_step *step,
                     const struct xk_launch_stats *stats,
                     const struct xk_error *why);
    void *user;
};

/* Runs all launches of the module's program in their order and waits. XK_EINVAL
 * names an argument that is missing, too small or unknown, or an error of the
 * scratch block; then nothing was launched. stats (may be NULL) becomes the sum
 * over the launches. */
XK_API enum xk_status xk_module_run(xk_module *m, const struct xk_run_opts *o,
                                    struct xk_launch_stats *stats,
                                    struct xk_error *err);
/* Starts all launches without waiting, for xk_pending_wait and
 * xk_pending_unref. If a launch cannot be started, those before it have run
 * when this returns. */
XK_API XK_GIVE enum xk_status xk_module_start(xk_module *m,
                                              const struct xk_run_opts *o,
                                              xk_pending **out,
                                              struct xk_error *err);

#ifdef __cplusplus
}
#endif
#endif
