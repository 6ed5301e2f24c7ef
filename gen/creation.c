/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/creation.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "gen/heap.h"
#include "gen/program.h"

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void xk_creation_name(struct xk_creation *c, const char *name)
{
    xk_trace_init(&c->gen.trace, c->options, name);
    c->gen.c->verify = c->gen.trace.verify;
}

/* Everything with the counted heap; *out is made on success. */
static enum xk_status run_creation(struct xk_creation *g,
                                   const struct xk_creation_kind *kind,
                                   const void *what,
                                   const struct xk_counted_heap *heap,
                                   uint64_t start_ns, xk_program **out)
{
    xk_program *p = NULL;
    XK_TRY(kind->generate(g, what, &p));
    const struct xk_error *const dump = &g->gen.trace.error;
    if (dump->status) {
        xk_program_unref(p);
        return xk_fail(g->gen.c, dump->status, "%s", dump->message);
    }
    const uint64_t ns = now_ns() - start_ns;
    xk_program_set_cost(p, ns, heap->peak_b);
    if (g->gen.trace.verbose)
        kind->tell(g, p, ns);
    *out = p;
    return XK_OK;
}

static enum xk_status refuse(struct xk_error *err, enum xk_status status,
                             const char *why)
{
    if (err) {
        err->status = status;
        snprintf(err->message, sizeof(err->message), "%s", why);
    }
    return status;
}

static enum xk_status check_options(const struct xk_create_options *o,
                                    struct xk_error *err)
{
    char why[80];
    if (o && o->size != sizeof(*o)) {
        snprintf(why, sizeof(why),
                 "options: size=%u is not that of struct xk_create_options",
                 o->size);
        return refuse(err, XK_EINVAL, why);
    }
    if (!o || !(o->flags & ~(uint32_t)XK_CREATE_A64))
        return XK_OK;
    snprintf(why, sizeof(why),
             "options: flags=0x%x has bits other than XK_CREATE_A64",
             (unsigned)o->flags);
    return refuse(err, XK_EINVAL, why);
}

/* The state, with a context; NULL: out of memory. */
static struct xk_creation *begin(const struct xk_creation_kind *kind,
                                 const struct xk_alloc *alloc)
{
    struct xk_creation *const g =
        alloc->realloc(alloc->user, NULL, kind->state_b);
    if (!g)
        return NULL;
    memset(g, 0, kind->zero_b ? kind->zero_b : kind->state_b);
    g->gen.c = xk_ctx_create(alloc);
    xk_str_init(&g->gen.text, alloc);
    if (g->gen.c)
        return g;
    alloc->realloc(alloc->user, g, 0);
    return NULL;
}

static void end(const struct xk_creation_kind *kind,
                const struct xk_alloc *alloc, struct xk_creation *g,
                struct xk_error *err)
{
    if (kind->fini)
        kind->fini(g);
    xk_str_fini(&g->gen.text);
    if (err)
        *err = g->gen.c->error;
    xk_ctx_destroy(g->gen.c);
    alloc->realloc(alloc->user, g, 0);
}

enum xk_status xk_creation_run(const struct xk_creation_kind *kind,
                               const void *what,
                               const struct xk_create_options *o,
                               xk_program **out, struct xk_error *err)
{
    const uint64_t start_ns = now_ns();
    struct xk_counted_heap heap;
    if (!out)
        return refuse(err, XK_EINVAL, "out is NULL");
    *out = NULL;
    XK_TRY(check_options(o, err));
    xk_counted_heap_init(&heap, o ? o->heap : NULL);
    const struct xk_alloc alloc = xk_counted_alloc(&heap);
    struct xk_creation *const g = begin(kind, &alloc);
    if (!g)
        return refuse(err, XK_ENOMEM, "out of memory");
    g->options = o;
    g->heap = &heap.below;
    enum xk_status status = run_creation(g, kind, what, &heap, start_ns, out);
    if (status == XK_OK && !*out)
        status = XK_EINTERNAL;
    end(kind, &alloc, g, err);
    return status;
}
