/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: their checks, and what they hold until they are finished. */
#include <inttypes.h>
#include <string.h>

#include "runtime/engine.h"
#include "runtime/launch_limits.h"

struct xk_pending {
    xk_pending *next;  /* the program's next launch; NULL: none */
    xk_module *module; /* a reference */
    void *run;         /* the engine's */
    bool waited;
    enum xk_status status;
    struct xk_error err;
    struct xk_launch_stats stats;
    unsigned n_buffers;
    xk_buffer *buffer[]; /* references */
};

static enum xk_status check_launch(const xk_module *m,
                                   const struct xk_launch_desc *a,
                                   struct xk_error *err)
{
    if (a && a->size != sizeof(*a))
        return xk_runtime_fail(err, XK_EINVAL,
                               "launch: size is %" PRIu32 ", need %zu", a->size,
                               sizeof(*a));
    if (!m || !a || !a->name || !a->groups || !a->local ||
        (a->n_args && !a->args))
        return xk_runtime_fail(err, XK_EINVAL, "launch: %s is NULL",
                               !m           ? "module"
                               : !a         ? "descriptor"
                               : !a->name   ? "name"
                               : !a->groups ? "groups"
                               : !a->local  ? "local"
                                            : "args");
    for (unsigned i = 0; i < 3; i++)
        if (!a->groups[i] || !a->local[i])
            return xk_runtime_fail(err, XK_EINVAL, "launch: %s is 0 in %c",
                                   a->groups[i] ? "local size" : "group count",
                                   "xyz"[i]);
    for (unsigned i = 0; i < a->n_args; i++)
        if (a->args[i].buffer && a->args[i].buffer->device != m->device)
            return xk_runtime_fail(err, XK_EINVAL,
                                   "launch: argument %u is a "
                                   "buffer of another device",
                                   i);
    return xk_launch_limits_check(
        m->limits, xk_platform_find(m->device->info.platform), a, err);
}

/* Frees *p and drops what it holds. */
static void pending_free(xk_pending *p)
{
    xk_module *const m = p->module;
    const struct xk_alloc a = m->device->alloc;
    for (unsigned i = 0; i < p->n_buffers; i++)
        xk_buffer_unref(p->buffer[i]);
    a.realloc(a.user, p, 0);
    xk_module_unref(m);
}

static xk_pending *pending_make(xk_module *m, const struct xk_launch_desc *a)
{
    const struct xk_alloc *const al = &m->device->alloc;
    const size_t n_b =
        sizeof(xk_pending) + (size_t)a->n_args * sizeof(xk_buffer *);
    xk_pending *const p = al->realloc(al->user, NULL, n_b);
    if (!p)
        return NULL;
    memset(p, 0, sizeof *p);
    p->module = m;
    xk_runtime_ref(&m->refs);
    for (unsigned i = 0; i < a->n_args; i++)
        if (a->args[i].buffer) {
            p->buffer[p->n_buffers++] = a->args[i].buffer;
            xk_runtime_ref(&a->args[i].buffer->refs);
        }
    return p;
}

enum xk_status xk_launch_start(xk_module *m, const struct xk_launch_desc *l,
                               xk_pending **out, struct xk_error *err)
{
    XK_RUNTIME_OR_LOCAL(err);
    if (!out)
        return xk_runtime_fail(err, XK_EINVAL, "launch: out is NULL");
    *out = NULL;
    XK_TRY(check_launch(m, l, err));
    xk_pending *const p = pending_make(m, l);
    if (!p)
        return xk_runtime_fail(err, XK_ENOMEM, "launch: out of memory");
    const enum xk_status s =
        m->device->engine->launch_start(m, l, &p->run, err);
    if (s < 0)
        pending_free(p);
    else
        *out = p;
    return s;
}

void xk_pending_chain(xk_pending *first, xk_pending *next)
{
    while (first->next)
        first = first->next;
    first->next = next;
}

void xk_launch_stats_add(struct xk_launch_stats *to,
                         const struct xk_launch_stats *s)
{
    to->instructions += s->instructions;
    to->fma += s->fma;
    to->sends += s->sends;
    to->syncs += s->syncs;
    to->groups += s->groups;
    to->threads += s->threads;
    to->time_ns += s->time_ns;
    to->device_ns += s->device_ns;
}

static void wait_once(xk_pending *p)
{
    if (!p->waited)
        p->status = p->module->device->engine->launch_wait(p->module, p->run,
                                                           &p->stats, &p->err);
    p->waited = true;
}

enum xk_status xk_pending_wait(xk_pending *p, struct xk_launch_stats *stats,
                               struct xk_error *err)
{
    struct xk_launch_stats sum = {0};
    enum xk_status s = XK_OK;
    XK_RUNTIME_OR_LOCAL(err);
    if (!p)
        return xk_runtime_fail(err, XK_EINVAL, "wait: launch is NULL");
    for (; p; p = p->next) {
        wait_once(p);
        xk_launch_stats_add(&sum, &p->stats);
        if (s < 0 || p->status >= 0)
            continue;
        s = p->status;
        *err = p->err;
    }
    if (stats)
        *stats = sum;
    return s;
}

void xk_pending_unref(xk_pending *p)
{
    while (p) {
        xk_pending *const next = p->next;
        wait_once(p);
        p->module->device->engine->launch_end(p->module, p->run);
        pending_free(p);
        p = next;
    }
}

enum xk_status xk_launch(xk_module *m, const struct xk_launch_desc *l,
                         struct xk_launch_stats *stats, struct xk_error *err)
{
    xk_pending *p;
    XK_TRY(xk_launch_start(m, l, &p, err));
    const enum xk_status s = xk_pending_wait(p, stats, err);
    xk_pending_unref(p);
    return s;
}
