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
    struct xk_run_opts o;
    xk_buffer *scratch[XK_MAX_SCRATCH]; /* references */
};

const struct xk_launch_list *xk_module_launches(const xk_module *m)
{
    return m ? m->launches : NULL;
}

/* What the caller gives for an argument of the program. */
static enum xk_status check_arg(const struct run *r,
                                const struct xk_program_arg_info *p,
                                struct xk_error *err)
{
    const struct xk_launch_arg *const a =
        p->number < r->o.n_args ? &r->o.args[p->number] : NULL;
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
    for (unsigned i = 0; i < r->o.n_args; i++)
        if ((r->o.args[i].buffer || r->o.args[i].value) &&
            !xk_launch_list_arg(r->l, i))
            return xk_runtime_fail(err, XK_EINVAL,
                                   "run: argument %u is given, but the program "
                                   "has none of this number",
                                   i);
    return XK_OK;
}

static enum xk_status check_block(const struct run *r, struct xk_error *err)
{
    const xk_buffer *const b = r->o.scratch;
    const uint64_t at_b = r->o.scratch_at_b, need_b = r->l->scratch_b;
    const uint32_t align_b = r->l->scratch_align_b;
    if (!b)
        return at_b ? xk_runtime_fail(err, XK_EINVAL,
                                      "run: scratch_at_b is %" PRIu64
                                      ", but there is no scratch buffer",
                                      at_b)
                    : XK_OK;
    if (b->device != r->m->device)
        return xk_runtime_fail(err, XK_EINVAL,
                               "run: scratch is a buffer of another device");
    if (align_b && at_b % align_b)
        return xk_runtime_fail(err, XK_EINVAL,
                               "run: scratch begins at byte %" PRIu64
                               ", need a multiple of %" PRIu32,
                               at_b, align_b);
    if (at_b > b->size_b || need_b > b->size_b - at_b)
        return xk_runtime_fail(err, XK_EINVAL,
                               "run: scratch has %" PRIu64
                               " bytes from byte %" PRIu64 " on, need %" PRIu64,
                               at_b > b->size_b ? 0 : b->size_b - at_b, at_b,
                               need_b);
    return XK_OK;
}

/* Scratch buffers: parts of the caller's block, or new buffers. */
static enum xk_status make_scratch_buffer(struct run *r, struct xk_error *err)
{
    XK_TRY(check_block(r, err));
    for (uint32_t i = 0; i < r->l->n_scratch; i++) {
        const struct xk_scratch_info *const s = &r->l->scratch[i];
        if (r->o.scratch)
            XK_TRY(xk_buffer_part(r->o.scratch, r->o.scratch_at_b + s->offset_b,
                                  s->size_b, &r->scratch[i], err));
        else
            XK_TRY(
                xk_buffer_create(r->m->device, s->size_b, &r->scratch[i], err));
    }
    return XK_OK;
}

static struct xk_launch_arg bound(const struct run *r,
                                  const struct xk_launch_arg_info *a)
{
    switch ((enum xk_binding)a->binding) {
    case XK_BIND_SCRATCH:
        return (struct xk_launch_arg){.buffer = r->scratch[a->number]};
    case XK_BIND_CONSTANT:
        return (struct xk_launch_arg){.value = &a->bits, .size_b = a->size_b};
    case XK_BIND_TENSOR:
    case XK_BIND_VALUE:
        break;
    }
    return r->o.args[a->number];
}

/* The argument's buffer from a byte on; *part is a reference. */
static enum xk_status buffer_rest(struct xk_launch_arg *a, uint64_t at_b,
                                  xk_buffer **part, struct xk_error *err)
{
    XK_TRY(
        xk_buffer_part(a->buffer, at_b, a->buffer->size_b - at_b, part, err));
    a->buffer = *part;
    return XK_OK;
}

static enum xk_status start_program(const struct run *r,
                                    const struct xk_launch_step *s,
                                    xk_pending **out, struct xk_error *err)
{
    struct xk_launch_arg args[XK_MAX_LAUNCH_ARGS] = {{0}};
    xk_buffer *part[XK_MAX_LAUNCH_ARGS] = {NULL};
    enum xk_status st = XK_OK;
    for (uint32_t i = 0; i < s->n_args && st >= 0; i++) {
        args[i] = bound(r, &s->args[i]);
        if (args[i].buffer && s->args[i].bits)
            st = buffer_rest(&args[i], s->args[i].bits, &part[i], err);
    }
    if (st >= 0)
        st = xk_launch_start(
            r->m,
            &(struct xk_launch_desc){sizeof(struct xk_launch_desc), s->kernel,
                                     s->groups, s->local, s->n_args, args},
            out, err);
    for (uint32_t i = 0; i < s->n_args; i++)
        xk_buffer_unref(part[i]);
    return st;
}

static enum xk_status read_opts(struct run *r, xk_module *m,
                                const struct xk_run_opts *o,
                                struct xk_error *err)
{
    if (!m || !o || (o->n_args && !o->args))
        return xk_runtime_fail(err, XK_EINVAL, "run: %s is NULL",
                               !m   ? "module"
                               : !o ? "options"
                                    : "args");
    if (o->size != sizeof(*o))
        return xk_runtime_fail(err, XK_EINVAL,
                               "run: size is %" PRIu32 ", not that of struct "
                               "xk_run_opts",
                               o->size);
    *r = (struct run){.m = m, .l = m->launches, .o = *o};
    return r->l ? XK_OK
                : xk_runtime_fail(err, XK_EINVAL,
                                  "run: the module's file does not say how its "
                                  "kernels are launched");
}

/* Checks the caller's arguments and makes the scratch buffers. free_scratch()
 * follows. */
static enum xk_status begin_program(struct run *r, struct xk_error *err)
{
    XK_TRY(check_args(r, err));
    return make_scratch_buffer(r, err);
}

/* Drops the run's references; launches that are not finished have their own. */
static void free_scratch(struct run *r)
{
    for (uint32_t i = 0; i < XK_MAX_SCRATCH; i++)
        xk_buffer_unref(r->scratch[i]);
}

static enum xk_status launch_step(const struct run *r,
                                  const struct xk_launch_step *step,
                                  struct xk_launch_stats *sum,
                                  struct xk_error *err)
{
    struct xk_launch_stats stats = {0};
    xk_pending *p = NULL;
    enum xk_status s = start_program(r, step, &p, err);
    if (s >= 0)
        s = xk_pending_wait(p, &stats, err);
    xk_pending_unref(p);
    xk_launch_stats_add(sum, &stats);
    if (r->o.launched)
        r->o.launched(r->o.user, step, &stats, s < 0 ? err : NULL);
    return s;
}

enum xk_status xk_module_run(xk_module *m, const struct xk_run_opts *o,
                             struct xk_launch_stats *stats,
                             struct xk_error *err)
{
    struct xk_launch_stats sum = {0};
    struct run r;
    XK_RUNTIME_OR_LOCAL(err);
    XK_TRY(read_opts(&r, m, o, err));
    enum xk_status s = begin_program(&r, err);
    for (uint32_t i = 0; s >= 0 && i < r.l->n_launches; i++)
        s = launch_step(&r, &r.l->launches[i], &sum, err);
    free_scratch(&r);
    if (stats)
        *stats = sum;
    return s;
}

enum xk_status xk_module_start(xk_module *m, const struct xk_run_opts *o,
                               xk_pending **out, struct xk_error *err)
{
    xk_pending *first = NULL;
    struct run r;
    XK_RUNTIME_OR_LOCAL(err);
    if (!out)
        return xk_runtime_fail(err, XK_EINVAL, "run: out is NULL");
    *out = NULL;
    XK_TRY(read_opts(&r, m, o, err));
    if (o->launched)
        return xk_runtime_fail(err, XK_EINVAL,
                               "run: launched is for xk_module_run alone");
    enum xk_status s = begin_program(&r, err);
    for (uint32_t i = 0; s >= 0 && i < r.l->n_launches; i++) {
        xk_pending *p = NULL;
        s = start_program(&r, &r.l->launches[i], &p, err);
        if (p && first)
            xk_pending_chain(first, p);
        else if (p)
            first = p;
    }
    free_scratch(&r);
    if (s < 0)
        xk_pending_unref(first);
    else
        *out = first;
    return s;
}
