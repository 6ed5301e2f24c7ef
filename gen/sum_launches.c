/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/sum_launches.h"

#include <stdio.h>

#include "conv/class_sums.h"

/* Rows of a launch while it is written. */
struct rows {
    struct xk_bind *at;
    unsigned n;
};

static void add_row(struct rows *r, const char *name, enum xk_binding to,
                    unsigned number)
{
    struct xk_bind *const b = &r->at[r->n++];
    *b = (struct xk_bind){.binding = (uint8_t)to, .number = (uint8_t)number};
    snprintf(b->name, sizeof(b->name), "%s", name);
}

/* A tensor or a value of the caller; without a name there is none. */
static void add_caller_row(struct rows *r, const struct xk_access *a)
{
    if (a->name[0])
        add_row(r, a->name, a->by_value ? XK_BIND_VALUE : XK_BIND_TENSOR,
                a->arg);
}

/* from: the scratch buffer that is A; -1: it is the caller's tensor. */
static enum xk_status put_sum(xk_ctx *c, struct xk_problem *p,
                              const struct xk_conv_sum *s, int from,
                              unsigned to)
{
    struct xk_launch *const l = xk_gradients_next(c, p);
    struct rows r = {xk_arena_alloc(&p->arena, 4 * sizeof(*r.at)), 0};
    if (!l || !r.at)
        return xk_ctx_status(c);
    if (from < 0)
        add_caller_row(&r, &s->con.a);
    else
        add_row(&r, s->con.a.name, XK_BIND_SCRATCH, (unsigned)from);
    add_caller_row(&r, &s->con.b);
    add_caller_row(&r, &s->less);
    add_row(&r, s->con.c.name, XK_BIND_SCRATCH, to);
    *l = (struct xk_launch){
        .kind = XK_LAUNCH_SUMS,
        .u.sums = {.con = &s->con,
                   .along_k = s->along_k,
                   .less = s->less.name[0] ? &s->less : NULL},
        .n_binds = r.n,
        .bind = r.at};
    snprintf(l->name, sizeof(l->name), "%s", s->name);
    return XK_OK;
}

static enum xk_status add_fill(xk_ctx *c, struct xk_problem *p, int64_t size_b,
                               unsigned to)
{
    struct xk_launch *const l = xk_gradients_next(c, p);
    struct rows r = {xk_arena_alloc(&p->arena, sizeof(*r.at)), 0};
    if (!l || !r.at)
        return xk_ctx_status(c);
    add_row(&r, "dst", XK_BIND_SCRATCH, to);
    *l = (struct xk_launch){.kind = XK_LAUNCH_FILL,
                            .u.fill = {.size_b = size_b},
                            .n_binds = r.n,
                            .bind = r.at};
    snprintf(l->name, sizeof(l->name), "xk_sum_clear%u", to);
    return XK_OK;
}

/* What all classes share, then each class, which the input takes. */
static enum xk_status add_sums(xk_ctx *c, struct xk_problem *p,
                               const struct xk_conv_sum *of, bool of_src,
                               struct xk_sum_binds *out)
{
    const unsigned from = p->n_scratch++, to = p->n_scratch++;
    struct xk_conv_class_sums k;
    XK_TRY(xk_conv_class_sums_make(c, &p->arena, &p->desc, of, of_src, &k));
    p->scratch_b[from] = of->size_b;
    p->scratch_b[to] = k.size_b;
    XK_TRY(put_sum(c, p, of, -1, from));
    if (!k.whole)
        XK_TRY(add_fill(c, p, k.size_b, to));
    for (unsigned i = 0; i < k.n; i++)
        XK_TRY(put_sum(c, p, k.at[i], (int)from, to));
    struct rows r = {out->bind, out->n};
    add_row(&r, of_src ? xk_conv_input_src : xk_conv_input_wei, XK_BIND_SCRATCH,
            to);
    out->n = r.n;
    return XK_OK;
}

enum xk_status xk_sum_launches_add(xk_ctx *c, struct xk_problem *p,
                                   struct xk_sum_binds *out)
{
    struct xk_conv_sums *const s = xk_arena_alloc(&p->arena, sizeof(*s));
    out->n = 0;
    if (!s)
        return xk_ctx_status(c);
    XK_TRY(xk_conv_sums_begin(c, &p->desc, &p->info, s));
    if (s->of_wei >= 0)
        XK_TRY(add_sums(c, p, &s->at[s->of_wei], false, out));
    if (s->of_src >= 0)
        XK_TRY(add_sums(c, p, &s->at[s->of_src], true, out));
    return XK_OK;
}
