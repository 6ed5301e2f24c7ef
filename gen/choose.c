/* SPDX-License-Identifier: Apache-2.0 */
/* What query and create both know before any code: layouts, and candidates that
 * obey every rule with them. The last candidate always fits, so that what is
 * accepted here can be made. */
#include <stdlib.h>
#include <string.h>

#include "conv/conv.h"
#include "conv/tensors.h"
#include "gen/contraction_problem.h"
#include "gen/gradients.h"
#include "gen/padding.h"
#include "plan/plan.h"

enum xk_status xk_candidates_override(xk_ctx *c,
                                      const struct xk_platform *platform,
                                      const struct xk_shape *s,
                                      struct xk_schedule *candidate,
                                      unsigned *n)
{
    const char *const text = secure_getenv("XK_SCHEDULE");
    struct xk_schedule *const x = &candidate[0];
    struct xk_schedule large = *x;
    if (!text || !*text)
        return XK_OK;
    large.grf_count = 256;
    XK_TRY(xk_schedule_parse(c, text, x));
    XK_TRY(xk_schedule_parse(c, text, &large));
    const struct xk_schedule_rule *const broken =
        xk_schedule_check(platform, s, x);
    if (broken && xk_schedule_check(platform, s, &large))
        return xk_fail(c, XK_EINVAL,
                       "schedule: breaks the rule %s: %s; given '%s'",
                       broken->name, broken->why, text);
    if (broken)
        *x = large;
    x->score = xk_schedule_score(platform, s, x);
    *n = 1;
    return XK_OK;
}

enum xk_status xk_problem_contraction(xk_ctx *c, const struct xk_problem *p,
                                      const struct xk_conv_info *info,
                                      struct xk_contraction *out)
{
    XK_TRY(xk_conv_contraction(c, &p->desc, info, out));
    if (xk_contraction_extent(out, XK_ROLE_BATCH) == 1)
        return XK_OK;
    XK_TRY(xk_contraction_check(c, out));
    return xk_contraction_prepare(c, out);
}

/* With its shape. */
static enum xk_status shape_of(xk_ctx *c, const struct xk_problem *p,
                               const struct xk_conv_info *info,
                               struct xk_contraction *con, struct xk_shape *out)
{
    XK_TRY(xk_problem_contraction(c, p, info, con));
    XK_TRY(xk_contraction_check(c, con));
    *out = xk_shape_of(con);
    return XK_OK;
}

static enum xk_status none_valid(xk_ctx *c, enum xk_status status,
                                 const char *when,
                                 const struct xk_schedule_rule *broken)
{
    return xk_fail(c, status, "schedule: %s the rule %s: %s", when,
                   broken ? broken->name : "", broken ? broken->why : "");
}

/* Layouts that suit the first candidate; those without padding where that of
 * blocks makes a tensor too large. */
static enum xk_status set_layouts(xk_ctx *c, const struct xk_contraction *con,
                                  const struct xk_shape *s,
                                  struct xk_problem *p)
{
    struct xk_any_layouts any;
    XK_TRY(xk_plan_any_layouts(c, con, &p->candidate[0], s, &any));
    const struct xk_layout *const best[3] = {&any.a, &any.b, &any.c};
    const struct xk_layout *const plain[3] = {&any.plain_a, &any.b,
                                              &any.plain_c};
    p->info.size = sizeof(p->info);
    const enum xk_status status = xk_conv_tensors(c, &p->desc, best, &p->info);
    if (status != XK_EUNSUPPORTED || (xk_layout_eq(&any.a, &any.plain_a) &&
                                      xk_layout_eq(&any.c, &any.plain_c)))
        return status;
    xk_ctx_clear(c);
    return xk_conv_tensors(c, &p->desc, plain, &p->info);
}

/* Candidates for the layouts that the descriptor gives, and then all layouts.
 */
static enum xk_status choose(xk_ctx *c, struct xk_problem *p)
{
    const struct xk_schedule_rule *broken = NULL;
    struct xk_contraction con;
    struct xk_shape s;
    XK_TRY(shape_of(c, p, NULL, &con, &s));
    p->n_candidates =
        xk_schedule_candidates(p->platform, &s, p->candidate, &broken);
    if (!p->n_candidates)
        return none_valid(c, XK_EUNSUPPORTED,
                          "no candidate is valid; the best one breaks", broken);
    XK_TRY(xk_candidates_override(c, p->platform, &s, p->candidate,
                                  &p->n_candidates));
    return set_layouts(c, &con, &s, p);
}

const struct xk_schedule_rule *
xk_candidates_keep(const struct xk_platform *platform, const struct xk_shape *s,
                   bool surfaces, struct xk_schedule *candidate, unsigned *n)
{
    const struct xk_schedule_rule *broken = NULL;
    unsigned kept = 0;
    for (unsigned i = 0; i < *n; i++) {
        struct xk_schedule x = candidate[i];
        x.surfaces = x.surfaces && surfaces;
        broken = xk_schedule_check(platform, s, &x);
        if (!broken)
            candidate[kept++] = x;
    }
    *n = kept;
    return kept ? NULL : broken;
}

/* With the layouts that were chosen. *broken: as of xk_candidates_keep. */
static enum xk_status keep_valid(xk_ctx *c, struct xk_problem *p, bool surfaces,
                                 const struct xk_schedule_rule **broken)
{
    struct xk_contraction con;
    struct xk_shape s;
    XK_TRY(shape_of(c, p, &p->info, &con, &s));
    *broken = xk_candidates_keep(p->platform, &s, surfaces, p->candidate,
                                 &p->n_candidates);
    p->pads = p->desc.g > 1 && xk_padding_dim(&con) >= 0;
    p->info.n_launches = p->pads ? 2 : 1;
    return XK_OK;
}

/* A forward convolution: one launch. */
static enum xk_status make_forward(xk_ctx *c, struct xk_problem *p)
{
    const struct xk_schedule_rule *broken = NULL;
    xk_conv_close_groups(&p->desc);
    enum xk_status status = choose(c, p);
    /* Blocks of weights may have made them too large. */
    if (status == XK_EUNSUPPORTED && xk_conv_close_weights(&p->desc)) {
        xk_ctx_clear(c);
        status = choose(c, p);
    }
    XK_TRY(status);
    XK_TRY(keep_valid(c, p, true, &broken));
    return p->n_candidates
               ? XK_OK
               : none_valid(c, XK_EUNSUPPORTED,
                            "with these layouts each candidate breaks", broken);
}

enum xk_status xk_problem_make(xk_ctx *c, const struct xk_conv_desc *d,
                               struct xk_problem *out)
{
    memset(out, 0, sizeof(*out));
    xk_arena_init(&out->arena, c);
    XK_TRY(xk_conv_check(c, d, &out->desc));
    /* xk_conv_check admits only platforms that have a row. */
    out->platform = xk_platform_get((enum xk_platform_id)out->desc.platform);
    return xk_conv_is_gradient(&out->desc) ? xk_gradients_make(c, out, false)
                                           : make_forward(c, out);
}

void xk_problem_fini(struct xk_problem *p)
{
    if (p->arena.c)
        xk_arena_fini(&p->arena);
}

enum xk_status xk_problem_use_addresses(xk_ctx *c, struct xk_problem *p)
{
    const struct xk_schedule_rule *broken = NULL;
    if (p->n_launches)
        return xk_gradients_make(c, p, true);
    XK_TRY(keep_valid(c, p, false, &broken));
    return p->n_candidates ? XK_OK
                           : none_valid(c, XK_EINVAL,
                                        "with XK_CREATE_A64 it breaks", broken);
}
