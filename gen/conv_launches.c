/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/conv_launches.h"

#include <stdio.h>
#include <string.h>

static void bind(struct xk_conv_launches *l, unsigned launch, const char *name,
                 uint8_t binding, unsigned number)
{
    struct xk_launch *const x = &l->at[launch];
    struct xk_bind *const b = &l->bind[launch][x->n_binds++];
    *b = (struct xk_bind){.binding = binding, .number = (uint8_t)number};
    snprintf(b->name, sizeof(b->name), "%s", name);
    x->bind = l->bind[launch];
}

/* A tensor or a value of the caller; nothing where there is no such operand. */
static void bind_access(struct xk_conv_launches *l, unsigned launch,
                        const struct xk_access *a)
{
    if (a->name[0])
        bind(l, launch, a->name, a->by_value ? XK_BIND_VALUE : XK_BIND_TENSOR,
             a->arg);
}

static void add_sum(struct xk_conv_launches *l, unsigned i)
{
    const struct xk_conv_sum *const s = &l->sums.at[i];
    struct xk_launch *const x = &l->at[l->n++];
    *x = (struct xk_launch){
        .kind = XK_LAUNCH_SUMS,
        .u.sums = {.con = &s->con, .less = s->less.name[0] ? &s->less : NULL}};
    snprintf(x->name, sizeof(x->name), "%s", s->name);
    if (s->a_from < 0)
        bind_access(l, i, &s->con.a);
    else
        bind(l, i, s->con.a.name, XK_BIND_SCRATCH, (unsigned)s->a_from);
    bind_access(l, i, &s->con.b);
    bind_access(l, i, &s->less);
    bind(l, i, s->con.c.name, XK_BIND_SCRATCH, i);
    l->scratch_b[l->n_scratch++] = s->size_b;
}

enum xk_status xk_conv_launches_make(xk_ctx *c, const struct xk_problem *p,
                                     struct xk_conv_launches *out)
{
    static const char *const inputs[] = {"sum_wei", "sum_src"};
    out->n = out->n_scratch = 0;
    XK_TRY(xk_conv_sums_make(c, &p->desc, &p->info, &out->sums));
    for (unsigned i = 0; i < out->sums.n; i++)
        add_sum(out, i);
    const unsigned last = out->main = out->n++;
    out->at[last] =
        (struct xk_launch){.kind = XK_LAUNCH_CONTRACT,
                           .name = "xk_conv",
                           .u.contract = {.candidate = p->candidate,
                                          .n_candidates = p->n_candidates}};
    for (unsigned i = 0; i < 2; i++) {
        const int from = xk_conv_sums_find(&out->sums, inputs[i]);
        if (from >= 0)
            bind(out, last, inputs[i], XK_BIND_SCRATCH, (unsigned)from);
    }
    return XK_OK;
}

enum xk_status xk_conv_launches_count(xk_ctx *c, struct xk_problem *p)
{
    struct xk_conv_launches l;
    struct xk_scratch_info each[XK_MAX_SCRATCH];
    struct xk_launch_list list;
    if (!xk_conv_has_sums(&p->desc))
        return XK_OK;
    XK_TRY(xk_conv_launches_make(c, p, &l));
    const struct xk_launches all = {.n_scratch = l.n_scratch,
                                    .scratch_b = l.scratch_b};
    xk_launches_scratch(&all, each, &list);
    p->info.n_launches += l.n - 1;
    p->info.scratch_b = list.scratch_b;
    p->info.scratch_align_b = list.scratch_align_b;
    return XK_OK;
}
