/* SPDX-License-Identifier: Apache-2.0 */
/* What an engine (simulator, Level Zero, OpenCL) provides behind
 * xekern/device.h. Its objects begin with the structs here; device.c counts
 * references and calls destroy when the last one goes. */
#ifndef XK_RUNTIME_ENGINE_H
#define XK_RUNTIME_ENGINE_H

#include <stdatomic.h>

#include "base/ctx.h"
#include "sim/sim.h"
#include "xekern/device.h"

struct xk_launch_args { /* the arguments of xk_launch */
    const char *name;
    const uint32_t *groups, *local; /* [3] */
    unsigned n_args;
    const struct xk_launch_arg *args;
};

struct xk_engine {
    const char *name;
    enum xk_status (*device_create)(const struct xk_alloc *alloc,
                                    const struct xk_platform *p,
                                    unsigned n_threads, xk_device **out,
                                    struct xk_error *err);
    void (*device_destroy)(xk_device *d);
    enum xk_status (*buffer_create)(xk_device *d, uint64_t size_b,
                                    xk_buffer **out, struct xk_error *err);
    void (*buffer_destroy)(xk_buffer *b);
    /* The range was checked. */
    enum xk_status (*buffer_write)(xk_buffer *b, uint64_t offset_b,
                                   const void *src, uint64_t size_b,
                                   struct xk_error *err);
    enum xk_status (*buffer_read)(const xk_buffer *b, uint64_t offset_b,
                                  void *dst, uint64_t size_b,
                                  struct xk_error *err);
    enum xk_status (*module_create)(xk_device *d, const void *zebin,
                                    size_t size_b, xk_module **out,
                                    struct xk_error *err);
    void (*module_destroy)(xk_module *m);
    enum xk_status (*launch)(xk_module *m, const struct xk_launch_args *a,
                             struct xk_launch_stats *stats,
                             struct xk_error *err);
};

struct xk_device {
    atomic_uint refs;
    const struct xk_engine *engine;
    struct xk_alloc alloc;
};

struct xk_buffer {
    atomic_uint refs;
    xk_device *device; /* a reference */
    uint64_t size_b;
};

struct xk_module {
    atomic_uint refs;
    xk_device *device; /* a reference */
};

extern const struct xk_engine xk_engine_sim;

/* Sets *err and returns the status. */
enum xk_status xk_runtime_fail(struct xk_error *err, enum xk_status status,
                               const char *fmt, ...) XK_PRINTF(3, 4);

#endif
