/* SPDX-License-Identifier: Apache-2.0 */
/* What an engine (simulator, Level Zero, OpenCL) provides to xekern/device.h.
 * An engine's objects begin with the structs defined here. device.c counts
 * references and calls destroy when the last one goes. */
#ifndef XK_RUNTIME_ENGINE_H
#define XK_RUNTIME_ENGINE_H

#include <stdatomic.h>

#include "base/ctx.h"
#include "sim/sim.h"
#include "xekern/device.h"

struct xk_engine {
    const char *name;
    /* *n > 0, or XK_EABSENT. */
    enum xk_status (*device_count)(uint32_t *n, struct xk_error *err);
    /* index < device_count. *info is zero except for its size. */
    enum xk_status (*device_query)(uint32_t index, struct xk_device_info *info,
                                   struct xk_error *err);
    /* p is never NULL. device.c fills the device's info. */
    enum xk_status (*device_create)(const struct xk_alloc *alloc,
                                    uint32_t index, const struct xk_platform *p,
                                    unsigned n_threads, xk_device **out,
                                    struct xk_error *err);
    void (*device_destroy)(xk_device *d);
    enum xk_status (*buffer_create)(xk_device *d, uint64_t size_b,
                                    xk_buffer **out, struct xk_error *err);
    /* The part [at_b, at_b + size_b) of a buffer which is no part itself. The
     * range has been checked. */
    enum xk_status (*buffer_part)(xk_buffer *whole, uint64_t at_b,
                                  uint64_t size_b, xk_buffer **out,
                                  struct xk_error *err);
    void (*buffer_destroy)(xk_buffer *b); /* or a part, before its whole */
    /* The range has been checked. */
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
    /* *run belongs to the engine. launch_wait comes before launch_end, which
     * frees it. */
    enum xk_status (*launch_start)(xk_module *m, const struct xk_launch_desc *a,
                                   void **run, struct xk_error *err);
    enum xk_status (*launch_wait)(xk_module *m, void *run,
                                  struct xk_launch_stats *stats,
                                  struct xk_error *err);
    void (*launch_end)(xk_module *m, void *run);
};

struct xk_device {
    atomic_uint refs;
    const struct xk_engine *engine;
    struct xk_alloc alloc;
    struct xk_device_info info;
};

struct xk_buffer {
    atomic_uint refs;
    xk_device *device; /* a reference */
    uint64_t size_b;
    xk_buffer *whole; /* a reference to the whole; NULL: this is no part */
    uint64_t at_b;    /* offset of the part in its whole */
};

struct xk_launch_limits;

struct xk_module {
    atomic_uint refs;
    xk_device *device; /* a reference */
    struct xk_launch_limits *limits;
    struct xk_launch_list *launches; /* NULL: the file does not say */
};

extern const struct xk_engine xk_engine_sim, xk_engine_ze, xk_engine_ocl;

/* As xk_alloc.realloc: n_b 0 frees. */
static inline void *xk_runtime_mem(const struct xk_alloc *a, void *p,
                                   size_t n_b)
{
    return a->realloc(a->user, p, n_b);
}

static inline void xk_runtime_ref(atomic_uint *refs)
{
    atomic_fetch_add_explicit(refs, 1, memory_order_relaxed);
}

/* True if it was the last reference. */
static inline bool xk_runtime_unref(atomic_uint *refs)
{
    return atomic_fetch_sub_explicit(refs, 1, memory_order_acq_rel) == 1;
}

/* Provides an error record if the caller passes none. */
#define XK_RUNTIME_OR_LOCAL(err)                                               \
    struct xk_error local_err_;                                                \
    if (!(err))                                                                \
    (err) = &local_err_

/* Appends a launch: to wait for the first launch, or to give it back, then does
 * the same with the next one. The first one owns the reference to the next. */
void xk_pending_chain(xk_pending *first, XK_TAKE xk_pending *next);
void xk_launch_stats_add(struct xk_launch_stats *to,
                         const struct xk_launch_stats *s);

/* Sets *err and returns the status. */
enum xk_status xk_runtime_fail(struct xk_error *err, enum xk_status status,
                               const char *fmt, ...) XK_PRINTF(3, 4);

#endif
