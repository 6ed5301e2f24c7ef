/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, buffers, modules and launches behind one small interface. For now
 * the embedded simulator ("sim"); Level Zero and OpenCL follow. */
#ifndef XK_XEKERN_DEVICE_H
#define XK_XEKERN_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "xekern/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct xk_device xk_device;
typedef struct xk_buffer xk_buffer;
typedef struct xk_module xk_module;

/* engine: "sim"; "ze" and "ocl" answer XK_EABSENT with the reason. platform:
 * "xehpg". n_threads: host threads for the simulator, 0 = all cores. */
XK_API XK_GIVE enum xk_status xk_device_create(const char *engine,
                                               const char *platform,
                                               unsigned n_threads,
                                               xk_device **out,
                                               struct xk_error *err);
XK_API void xk_device_unref(xk_device *d);

/* Uninitialised device memory. The virtual address of the simulator's buffers
 * is chosen so that neighbouring buffers never touch and so that some buffers
 * straddle a 4 GiB boundary. Fill is unspecified. */
XK_API XK_GIVE enum xk_status xk_buffer_create(xk_device *d, uint64_t size_b,
                                               xk_buffer **out,
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

/* What one launch executed; instruction counts are per thread-instruction (one
 * instruction of one hardware thread), whatever its exec size. */
struct xk_launch_stats {
    uint64_t instructions;
    uint64_t fma;   /* mad, mac, dp4a, dpas, dpasw with float or dot type */
    uint64_t sends;
    uint64_t syncs; /* sync.* instructions */
    uint64_t groups, threads;
    uint64_t time_ns; /* host time spent simulating */
};

/* Runs kernel `name` over groups[] thread groups of local[] work items and
 * waits. XK_EFAULT: the kernel did something illegal, the message names the
 * instruction, its offset, and the address. stats may be NULL. */
XK_API enum xk_status xk_launch(xk_module *m, const char *name,
                                const uint32_t groups[3],
                                const uint32_t local[3], unsigned n_args,
                                const struct xk_launch_arg *args,
                                struct xk_launch_stats *stats,
                                struct xk_error *err);

#ifdef __cplusplus
}
#endif
#endif
