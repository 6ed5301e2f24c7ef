/* SPDX-License-Identifier: Apache-2.0 */
/* Launches a whole program as its file says. */
#include <inttypes.h>
#include <string.h>

#include "base/launch_list.h"
#include "runtime/engine.h"

/* One run: the list and what is given for it. */
struct run {
    xk_module *m;
    const struct xk_launch_list *l;
    unsigned n_args;
    const struct xk_launch_arg *args;
    xk_buffer *const *given;            /* scratch of the caller, or NULL */
    xk_buffer *scratch[XK_MAX_SCRATCH]; /* its own, where nothing is given */
    struct xk_launch_stats stats;
};

const struct xk_launch_list *xk_module_launches(const xk_module *m)
{
    return m ? m->launches : NULL;
}

/* What the caller gives for one of the program's arguments. */
static enum xk_status check_arg(const struct run *r,
                                const struct xk_program_arg_info *p,
                                struct xk_error *err)
{
    const struct xk_launch_arg *const a =
        p->number < r->n_args ? &r->args[p->number] : NULL;
    const bool buffer = p->type == XK_VALUE_NONE;
    if (!a || (buffer ? !a->buffer : a->buffer || !a->value))
        return xk_runtime_fail(err, XK_EINVAL,
                               "run: argument %" PRIu32 ", '%s', is a %s; %s "
                               "was given",
                               p->number, p->name, xk_value_type_word(p->type),
                               a && a->buffer  ? "a buffer"
                               : a && a->value ? "a value"
                                               : "nothing");
    const uint64_t size_b = buffer ? a->buffer->size_b : a->size_b;
    if (buffer ? size_b < p->size_b : size_b != p->size_b)
        return xk_runtime_fail(err, XK_EINVAL,
                               "run: argument %" PRIu32 ", '%s', has %" PRIu64
                               " bytes, need %s%" PRIu64,
                               p->number, p->name, size_b,
                               buffer ? "at least " : "", p->size_b);
    return XK_OK;
}

static enum xk_status check_args(const struct run *r, struct xk_error *err)
{
    for (uint32_t i = 0; i < r->l->n_args; i++)
        XK_TRY(check_arg(r, &r->l->args[i], err));
    for (unsigned i = 0; i < r->n_args; i++)
        if ((r->args[i].buffer || r->args[i].value) &&
            !xk_launch_list_arg(r->l, i))
            return xk_runtime_fail(err, XK_EINVAL,
                                   "run: argument %u is given, but the program "
                                   "has none of this number",
                                   i);
    return XK_OK;
}

/* The caller's scratch buffers, or new ones. */
static enum xk_status find_scratch(struct run *r, struct xk_error *err)
{
    for (uint32_t i = 0; i < r->l->n_scratch; i++) {
        const uint64_t need_b = r->l->scratch[i].size_b;
        if (!r->given) {
            XK_TRY(xk_buffer_create(r->m->device, need_b, &r->scratch[i], err));
            continue;
        }
        const uint64_t has_b = r->given[i] ? r->given[i]->size_b : 0;
        if (has_b < need_b)
            return xk_runtime_fail(err, XK_EINVAL,
                                   "run: scratch %" PRIu32 " has %" PRIu64
                                   " bytes, need %" PRIu64,
                                   i, has_b, need_b);
    }
    return XK_OK;
}

static struct xk_launch_arg bound(const struct run *r,
                                  const struct xk_launch_arg_info *a)
{
    xk_buffer *const *const scratch = r->given ? r->given : r->scratch;
    switch ((enum xk_binding)a->binding) {
    case XK_BIND_SCRATCH:
        return (struct xk_launch_arg){.buffer = scratch[a->number]};
    case XK_BIND_CONSTANT:
        return (struct xk_launch_arg){.value = &a->bits, .size_b = a->size_b};
    case XK_BIND_TENSOR:
    case XK_BIND_VALUE:
        break;
    }
    return r->args[a->number];
}

static void add_stats(struct xk_launch_stats *to,
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

static enum xk_status launch(struct run *r, const struct xk_launch_step *s,
                             struct xk_error *err)
{
    struct xk_launch_arg args[XK_MAX_LAUNCH_ARGS] = {{0}};
    struct xk_launch_stats stats = {0};
    for (uint32_t i = 0; i < s->n_args; i++)
        args[i] = bound(r, &s->args[i]);
    const enum xk_status st = xk_launch(r->m, s->kernel, s->groups, s->local,
                                        s->n_args, args, &stats, err);
    add_stats(&r->stats, &stats);
    return st;
}

enum xk_status xk_module_run(xk_module *m, unsigned n_args,
                             const struct xk_launch_arg *args,
                             xk_buffer *const *scratch,
                             struct xk_launch_stats *stats,
                             struct xk_error *err)
{
    struct xk_error local;
    struct run r = {.m = m, .n_args = n_args, .args = args, .given = scratch};
    err = err ? err : &local;
    if (!m || (n_args && !args))
        return xk_runtime_fail(err, XK_EINVAL, "run: %s is NULL",
                               m ? "args" : "module");
    r.l = m->launches;
    if (!r.l)
        return xk_runtime_fail(err, XK_EINVAL,
                               "run: the module's file does not say how its "
                               "kernels are launched");
    enum xk_status s = check_args(&r, err);
    if (s >= 0)
        s = find_scratch(&r, err);
    for (uint32_t i = 0; s >= 0 && i < r.l->n_launches; i++)
        s = launch(&r, &r.l->launches[i], err);
    for (uint32_t i = 0; i < XK_MAX_SCRATCH; i++)
        xk_buffer_unref(r.scratch[i]);
    if (stats)
        *stats = r.stats;
    return s;
}
