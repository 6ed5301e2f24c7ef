/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/gradients.h"

#include <string.h>

#include "conv/tensors.h"
#include "plan/plan.h"
#include "views/access.h"

static enum xk_status contraction(xk_ctx *c, struct xk_problem *p,
                                  const struct xk_conv_info *info,
                                  struct xk_contraction *out)
{
    if (p->desc.prop == XK_BWD_D)
        return xk_conv_backward_data(c, &p->arena, &p->desc, info, out);
    return xk_conv_backward_weights(c, &p->desc, info, out);
}

/* Products of a class: its K times its places of C. */
static double products(const struct xk_contraction *p)
{
    return (double)xk_contraction_extent(p, XK_ROLE_M) *
           (double)xk_contraction_extent(p, XK_ROLE_N) *
           (double)xk_contraction_extent(p, XK_ROLE_K);
}

/* The class with the most products; the first of several. */
static void largest_class(const struct xk_contraction *p,
                          struct xk_contraction *out)
{
    const uint64_t n = xk_contraction_classes(p);
    double most = -1;
    for (uint64_t i = 0; i < n && i < XK_MAX_LAUNCHES; i++) {
        struct xk_contraction one;
        uint32_t r[XK_MAX_CLASS_DIMS];
        xk_contraction_class_at(p, i, r);
        if (xk_contraction_class(p, r, &one) && products(&one) > most) {
            most = products(&one);
            xk_contraction_copy(out, &one);
        }
    }
    if (most < 0) {
        uint32_t r[XK_MAX_CLASS_DIMS] = {0};
        xk_contraction_class(p, r, out);
    }
}

/* Layouts that the best schedule of by data's largest class likes. */
static enum xk_status choose_by_data(xk_ctx *c, struct xk_problem *p,
                                     struct xk_any_layouts *out)
{
    const struct xk_schedule_rule *broken = NULL;
    struct xk_contraction all, one;
    XK_TRY(contraction(c, p, NULL, &all));
    XK_TRY(xk_contraction_check(c, &all));
    largest_class(&all, &one);
    const struct xk_shape s = xk_shape_of(&one);
    p->n_candidates =
        xk_schedule_candidates(p->platform, &s, p->candidate, &broken);
    if (!p->n_candidates)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "schedule: no candidate is valid; the best one breaks "
                       "the rule %s: %s",
                       broken ? broken->name : "", broken ? broken->why : "");
    return xk_plan_any_layouts(c, &one, &p->candidate[0], &s, out);
}

/* Channels innermost where nothing is said. */
static enum xk_status set_dense(xk_ctx *c, struct xk_problem *p)
{
    static const struct xk_layout *const none[3];
    xk_conv_close_tensors(&p->desc);
    return xk_conv_tensors(c, &p->desc, none, &p->info);
}

static enum xk_status set_layouts(xk_ctx *c, struct xk_problem *p)
{
    struct xk_any_layouts any;
    const struct xk_layout *const best[3] = {&any.c, &any.b, &any.a};
    p->info.size = sizeof(p->info);
    if (p->desc.prop != XK_BWD_D || p->desc.g > 1)
        return set_dense(c, p);
    const enum xk_status status = choose_by_data(c, p, &any);
    if (status == XK_OK &&
        xk_conv_tensors(c, &p->desc, best, &p->info) == XK_OK)
        return XK_OK;
    xk_ctx_clear(c);
    return set_dense(c, p);
}

/* Zeroes the memory of C, so that its padding is zero. */
static enum xk_status add_clear(xk_ctx *c, struct xk_problem *p,
                                const struct xk_access *a)
{
    struct xk_bind *const bind = xk_arena_alloc(&p->arena, sizeof(*bind));
    if (!bind)
        return xk_ctx_status(c);
    *bind = (struct xk_bind){
        .name = "dst", .binding = XK_BIND_TENSOR, .number = a->arg};
    p->clear = xk_arena_alloc(&p->arena, sizeof(*p->clear));
    if (!p->clear)
        return xk_ctx_status(c);
    *p->clear =
        (struct xk_launch){.kind = XK_LAUNCH_FILL,
                           .name = "xk_clear",
                           .u.fill = {.size_b = xk_layout_size_b(&a->layout)},
                           .n_binds = 1,
                           .bind = bind};
    p->info.n_launches++;
    return XK_OK;
}

static enum xk_status add_part(xk_ctx *c, struct xk_problem *p,
                               const struct xk_contraction *con)
{
    struct xk_contraction_launches *const to = &p->gradient[p->n_gradients];
    XK_TRY(xk_contraction_check(c, con));
    XK_TRY(xk_contraction_launches_make(c, &p->arena, p->platform, con, false,
                                        to));
    p->n_gradients++;
    p->info.n_launches += to->n;
    return p->info.n_launches <= XK_MAX_LAUNCHES
               ? XK_OK
               : xk_fail(c, XK_EUNSUPPORTED,
                         "prop=%s: %u launches, a program has at most %d",
                         xk_conv_prop_name(p->desc.prop), p->info.n_launches,
                         XK_MAX_LAUNCHES);
}

enum xk_status xk_gradients_make(xk_ctx *c, struct xk_problem *p)
{
    struct xk_contraction con;
    XK_TRY(set_layouts(c, p));
    p->info.n_launches = 0;
    XK_TRY(contraction(c, p, &p->info, &con));
    if (!xk_contraction_pads(&con))
        XK_TRY(add_clear(c, p, &con.c));
    XK_TRY(add_part(c, p, &con));
    if (p->desc.prop != XK_BWD_WB)
        return XK_OK;
    XK_TRY(xk_conv_backward_bias(c, &p->desc, &p->info, &con));
    return add_part(c, p, &con);
}
