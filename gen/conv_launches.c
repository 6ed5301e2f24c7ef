/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/conv_launches.h"

#include <stdio.h>
#include <string.h>

#include "conv/quants.h"
#include "conv/tensors.h"

/* A row for the launch that was begun last. */
static void add_bind(struct xk_conv_launches *l, const char *name,
                     uint8_t binding, unsigned number)
{
    struct xk_launch *const x = &l->at[l->n - 1];
    struct xk_bind *const b = &l->bind[l->n_binds++];
    *b = (struct xk_bind){.binding = binding, .number = (uint8_t)number};
    snprintf(b->name, sizeof(b->name), "%s", name);
    if (!x->n_binds++)
        x->bind = b;
}

/* A tensor of the caller, or a value; nothing where there is no such operand.
 */
static void bind_access(struct xk_conv_launches *l, const struct xk_access *a)
{
    if (a->name[0] && a->by_value)
        add_bind(l, a->name, XK_BIND_VALUE, a->arg);
    else if (a->name[0])
        add_bind(l, a->name, XK_BIND_TENSOR, a->arg);
}

static struct xk_launch *begin_launch(struct xk_conv_launches *l, uint8_t kind,
                                      const char *name)
{
    struct xk_launch *const x = &l->at[l->n++];
    memset(x, 0, sizeof(*x));
    x->kind = kind;
    snprintf(x->name, sizeof(x->name), "%s", name);
    return x;
}

static unsigned add_scratch(struct xk_conv_launches *l, int64_t size_b)
{
    l->scratch_b[l->n_scratch] = size_b;
    return l->n_scratch++;
}

/* An argument's tensor as kernels see it. */
static const struct xk_tensor_info *seen_tensor(const struct xk_problem *p,
                                                unsigned i)
{
    const struct xk_conv_info *const f = &p->info;
    return i < XK_ARG_RHS          ? &f->tensor[i]
           : i < XK_ARG_SCALE      ? &f->rhs[i - XK_ARG_RHS]
           : i < XK_ARG_ZERO_POINT ? &f->scale[i - XK_ARG_SCALE]
                                   : &f->zero_point[i - XK_ARG_ZERO_POINT];
}

static enum xk_status copied_of(xk_ctx *c, const struct xk_tensor_info *t,
                                struct xk_copied *out)
{
    out->format = xk_conv_format(t->type);
    return xk_conv_seen_layout(c, t, &out->layout);
}

/* Between the caller's tensor and its copy: to the copy, or back. */
static enum xk_status set_copy(xk_ctx *c, const struct xk_problem *p,
                               unsigned number, bool back, struct xk_copy *out)
{
    const struct xk_conv_way *const w = &p->ways.at[number];
    const bool old = w->read_as && !back;
    struct xk_copied *const own = back ? &out->dst : &out->src;
    struct xk_copied *const copy = back ? &out->src : &out->dst;
    XK_TRY(copied_of(c, seen_tensor(p, number), copy));
    own->layout = w->layout;
    own->format = xk_conv_format(old ? w->read_as : w->type);
    out->stochastic = back && p->ways.stochastic;
    return XK_OK;
}

static void copy_name(unsigned number, bool back, char out[32])
{
    if (number < XK_N_CONV_ARGS)
        snprintf(out, 32, "xk_%s_%s", back ? "store" : "copy",
                 xk_conv_arg_name(number));
    else
        snprintf(out, 32, "xk_copy_%u", number);
}

static enum xk_status add_copy(xk_ctx *c, const struct xk_problem *p,
                               unsigned number, bool back,
                               struct xk_conv_launches *l)
{
    char name[32];
    copy_name(number, back, name);
    struct xk_launch *const x = begin_launch(l, XK_LAUNCH_COPY, name);
    struct xk_copy *const copy = &l->copy[l->n - 1];
    XK_TRY(set_copy(c, p, number, back, copy));
    x->u.copy = copy;
    add_bind(l, back ? "dst" : "src", XK_BIND_TENSOR, number);
    add_bind(l, back ? "src" : "dst", XK_BIND_SCRATCH,
             (unsigned)l->copy_of[number]);
    if (copy->stochastic)
        add_bind(l, "seed", XK_BIND_VALUE, XK_ARG_SEED);
    return XK_OK;
}

enum xk_status xk_conv_launches_copy(xk_ctx *c, const struct xk_problem *p,
                                     struct xk_conv_launches *l)
{
    l->n = l->n_scratch = l->n_binds = 0;
    for (unsigned i = 0; i < XK_N_PROGRAM_ARGS; i++) {
        l->copy_of[i] = -1;
        if (!p->ways.n || !p->ways.at[i].copied)
            continue;
        if (l->n_scratch == XK_MAX_SCRATCH - XK_CONV_MAX_SUMS)
            return xk_fail(c, XK_EUNSUPPORTED,
                           "more than %d tensors whose layout or type no "
                           "kernel takes are not implemented",
                           XK_MAX_SCRATCH - XK_CONV_MAX_SUMS);
        l->copy_of[i] = (int)add_scratch(l, (int64_t)seen_tensor(p, i)->size_b);
        if (i >= XK_N_CONV_ARGS || p->ways.at[i].read_as ||
            !xk_conv_writes(&p->desc, (enum xk_conv_arg)i))
            XK_TRY(add_copy(c, p, i, false, l));
    }
    return XK_OK;
}

static void add_sum(struct xk_conv_launches *l, unsigned i)
{
    const struct xk_conv_sum *const s = &l->sums.at[i];
    struct xk_launch *const x = begin_launch(l, XK_LAUNCH_SUMS, s->name);
    x->u.sums = (struct xk_sums){.con = &s->con,
                                 .along_k = s->along_k,
                                 .less = s->less.name[0] ? &s->less : NULL};
    l->sum_at[i] = add_scratch(l, s->size_b);
    if (s->a_from < 0)
        bind_access(l, &s->con.a);
    else
        add_bind(l, s->con.a.name, XK_BIND_SCRATCH, l->sum_at[s->a_from]);
    bind_access(l, &s->con.b);
    bind_access(l, &s->less);
    add_bind(l, s->con.c.name, XK_BIND_SCRATCH, l->sum_at[i]);
}

/* The convolution's arguments that are neither the caller's nor copies. */
static void bind_main(struct xk_conv_launches *l)
{
    static const char *const inputs[] = {xk_conv_input_wei, xk_conv_input_src};
    for (unsigned i = 0; i < 2; i++) {
        const int from = xk_conv_sums_find(&l->sums, inputs[i]);
        if (from >= 0)
            add_bind(l, inputs[i], XK_BIND_SCRATCH, l->sum_at[from]);
    }
}

enum xk_status xk_conv_launches_store(xk_ctx *c, const struct xk_problem *p,
                                      struct xk_conv_launches *l)
{
    const uint32_t made = xk_conv_desc_roles(&p->desc).c;
    return l->copy_of[made] >= 0 ? add_copy(c, p, made, true, l) : XK_OK;
}

enum xk_status xk_conv_launches_make(xk_ctx *c, const struct xk_problem *p,
                                     struct xk_conv_launches *out)
{
    XK_TRY(xk_conv_launches_copy(c, p, out));
    out->sums.n = 0;
    out->sums.of_wei = out->sums.of_src = -1;
    if (!p->sums_inside)
        XK_TRY(xk_conv_sums_make(c, &p->desc, &p->info, &out->sums));
    for (unsigned i = 0; i < out->sums.n; i++)
        add_sum(out, i);
    out->main = out->n;
    begin_launch(out, XK_LAUNCH_CONTRACT, "xk_conv")->u.contract =
        (struct xk_contract){.candidate = p->candidate,
                             .n_candidates = p->n_candidates};
    bind_main(out);
    return xk_conv_launches_store(c, p, out);
}

enum xk_status xk_conv_launches_count(xk_ctx *c, struct xk_problem *p)
{
    struct xk_scratch_info each[XK_MAX_SCRATCH];
    struct xk_launch_list list;
    if (!xk_conv_has_sums(&p->desc) && !p->ways.n)
        return XK_OK;
    struct xk_conv_launches *const l = xk_malloc(c, sizeof(*l));
    if (!l)
        return xk_ctx_status(c);
    const enum xk_status status = xk_conv_launches_make(c, p, l);
    if (status == XK_OK) {
        const struct xk_launches all = {.n_scratch = l->n_scratch,
                                        .scratch_b = l->scratch_b};
        xk_launches_scratch(&all, each, &list);
        p->info.n_launches += l->n - 1;
        p->info.scratch_b = list.scratch_b;
        p->info.scratch_align_b = list.scratch_align_b;
    }
    xk_free(c, l);
    return status;
}
