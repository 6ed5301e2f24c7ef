/* SPDX-License-Identifier: Apache-2.0 */
/* What query and create both know before any code: layouts, and candidates that
 * obey every rule with them. The last candidate always fits, so that what is
 * accepted here can be made. */
#include <stdlib.h>
#include <string.h>

#include "conv/conv.h"
#include "conv/tensors.h"
#include "gen/contraction_problem.h"
#include "gen/conv_launches.h"
#include "gen/empty.h"
#include "gen/gradients.h"
#include "gen/make_launches.h"
#include "gen/padding.h"
#include "gen/searches.h"
#include "gen/join_parts.h"
#include "gen/target.h"
#include "plan/plan.h"
#include "views/pack_groups.h"

/* The given fields without which there is a candidate, or with which
 * alone there is none. */
static uint64_t guilty_fields(const struct xk_platform *platform,
                              const struct xk_shape *s,
                              const struct xk_schedule_fixed *fixed, bool alone,
                              struct xk_schedule *room)
{
    uint64_t guilty = 0;
    for (uint64_t left = fixed->named; left; left &= left - 1) {
        const uint64_t field = left & -left;
        struct xk_schedule_fixed few = *fixed;
        few.named = alone ? field : few.named & ~field;
        if (alone ^ !!xk_schedule_candidates(platform, s, &few, room, NULL))
            guilty |= field;
    }
    return guilty;
}

/* Names the fields of which one must go, else those that cannot be given even
 * alone, else all. room: for candidates. */
static enum xk_status
refuse_given(xk_ctx *c, const struct xk_platform *platform,
             const struct xk_shape *s, const struct xk_schedule_fixed *fixed,
             const struct xk_schedule_rule *broken, struct xk_schedule *room)
{
    struct xk_str given;
    uint64_t guilty = guilty_fields(platform, s, fixed, false, room);
    const bool one = guilty != 0;
    if (!one)
        guilty = guilty_fields(platform, s, fixed, true, room);
    xk_str_init(&given, &c->alloc);
    xk_schedule_print_fields(&fixed->to, guilty ? guilty : fixed->named,
                             one ? " or " : " and ", &given);
    const enum xk_status st =
        xk_fail(c, XK_EINVAL, "XK_SCHEDULE: %s: breaks the rule %s: %s",
                xk_str_get(&given), broken ? broken->name : "",
                broken ? broken->why : "");
    xk_str_fini(&given);
    return st;
}

const char *xk_given_schedule(void)
{
    const char *const text = secure_getenv("XK_SCHEDULE");
    return text && text[strspn(text, " +")] ? text : NULL;
}

enum xk_status xk_given_failed(xk_ctx *c, const char *variable,
                               enum xk_status status)
{
    const struct xk_error why = c->error;
    const char *const behind = strchr(why.message, ':');
    xk_ctx_clear(c);
    return xk_fail(c, status, "%s%s", variable, behind ? behind : ": is wrong");
}

enum xk_status xk_given_schedule_parse(xk_ctx *c, struct xk_schedule_fixed *out)
{
    const char *const text = xk_given_schedule();
    *out = (struct xk_schedule_fixed){0};
    const enum xk_status st = text ? xk_schedule_parse(c, text, out) : XK_OK;
    return st < 0 ? xk_given_failed(c, "XK_SCHEDULE", st) : XK_OK;
}

enum xk_status xk_candidates_of(xk_ctx *c, const struct xk_platform *platform,
                                const struct xk_shape *s,
                                struct xk_schedule *candidate, unsigned *n)
{
    struct xk_schedule_fixed fixed;
    const struct xk_schedule_rule *broken = NULL;
    XK_TRY(xk_given_schedule_parse(c, &fixed));
    if (fixed.named)
        *n = xk_schedule_candidates(platform, s, &fixed, candidate, &broken);
    else
        XK_TRY(xk_searches_ask(c, platform, s, candidate, n, &broken));
    if (*n)
        return XK_OK;
    if (fixed.named)
        return refuse_given(c, platform, s, &fixed, broken, candidate);
    return xk_fail(c, XK_EUNSUPPORTED,
                   "schedule: no candidate is valid; the best one breaks the "
                   "rule %s: %s",
                   broken ? broken->name : "", broken ? broken->why : "");
}

static enum xk_status pack_form(xk_ctx *c, const struct xk_problem *p,
                                bool closed, struct xk_problem_form *f)
{
    if (closed)
        XK_TRY(xk_pack_tiling(c, &f->con, &f->lanes, p->pack, &p->packed,
                              &f->copy));
    xk_pack_groups(&f->con, &f->lanes, p->pack);
    if (closed)
        f->con.b.layout = p->packed;
    f->has_lanes = false;
    return XK_OK;
}

/* Over the layouts in info; NULL: as far as the descriptor says them. */
static enum xk_status make_form(xk_ctx *c, const struct xk_problem *p,
                                const struct xk_conv_info *info,
                                struct xk_problem_form *out)
{
    out->has_lanes = false;
    XK_TRY(xk_conv_contraction(c, &p->desc, info, &out->con));
    if (p->sums_inside)
        XK_TRY(xk_conv_sum_inside(c, &p->desc, &out->con));
    XK_TRY(xk_contraction_check(c, &out->con));
    if (xk_contraction_extent(&out->con, XK_ROLE_BATCH) == 1)
        return XK_OK;
    out->has_lanes = xk_group_lanes_of(&out->con, &out->lanes);
    if (p->pack > 1)
        XK_TRY(pack_form(c, p, info != NULL, out));
    else if (out->has_lanes)
        xk_contraction_copy(&out->whole, &out->con);
    return xk_contraction_prepare(c, &out->con);
}

/* With its shape. */
static enum xk_status shape_of(xk_ctx *c, const struct xk_problem *p,
                               const struct xk_conv_info *info,
                               struct xk_problem_form *form,
                               struct xk_shape *out)
{
    XK_TRY(make_form(c, p, info, form));
    return xk_contraction_shape(c, &form->con,
                                form->has_lanes ? &form->lanes : NULL, out);
}

static enum xk_status none_valid(xk_ctx *c, enum xk_status status,
                                 const char *when,
                                 const struct xk_schedule_rule *broken)
{
    return xk_fail(c, status, "%s: %s the rule %s: %s",
                   status == XK_EINVAL ? "XK_SCHEDULE" : "schedule", when,
                   broken ? broken->name : "", broken ? broken->why : "");
}

/* The layout of packed weights. False: it has padding, which nobody writes. */
static bool set_packed(struct xk_problem *p, const struct xk_layout *l)
{
    p->packed = *l;
    for (unsigned d = 0; d < l->n_dims; d++)
        if (l->padded[d] != l->dim[d])
            return false;
    return xk_layout_size_b(l) <= INT32_MAX;
}

/* Layouts that suit the first candidate; those without padding where that of
 * blocks makes a tensor too large. */
static enum xk_status set_layouts(xk_ctx *c, const struct xk_contraction *con,
                                  const struct xk_shape *s,
                                  struct xk_problem *p)
{
    struct xk_any_layouts any;
    XK_TRY(xk_plan_any_layouts(c, con, &p->candidate[0], s, &any));
    if (p->pack > 1 && !set_packed(p, &any.b))
        return xk_fail(c, XK_ENOFIT, "plan: packed weights have padding");
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

/* Groups that fill a systolic array and a tile together. */
static int64_t pack_of(const struct xk_problem_form *f)
{
    enum { STEP_B = 32, MOST = 32 };
    const unsigned elem_b =
        f->has_lanes ? xk_dtype_b(f->whole.a.layout.dt) : STEP_B;
    if (elem_b > 2)
        return 1;
    return xk_pack_of_groups(&f->whole, &f->lanes, STEP_B / elem_b, MOST);
}

/* Candidates for the layouts that the descriptor gives, and then all layouts.
 */
static enum xk_status choose(xk_ctx *c, struct xk_problem *p, bool may_pack)
{
    struct xk_problem_form *const form = &p->form;
    struct xk_shape s;
    p->pack = 1;
    XK_TRY(shape_of(c, p, NULL, form, &s));
    p->pack = may_pack ? pack_of(form) : 1;
    if (p->pack > 1) {
        xk_conv_close_weights(&p->desc);
        XK_TRY(shape_of(c, p, NULL, form, &s));
    }
    XK_TRY(
        xk_candidates_of(c, p->platform, &s, p->candidate, &p->n_candidates));
    return set_layouts(c, &form->con, &s, p);
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

/* Their number and their scratch memory, as create makes them. */
static void set_launches(struct xk_problem *p)
{
    const int64_t packed_b = xk_layout_size_b(&p->packed);
    const struct xk_launches l = {.n_scratch = p->pack > 1,
                                  .scratch_b = &packed_b};
    struct xk_scratch_info each[1];
    struct xk_launch_list list = {0};
    xk_launches_scratch(&l, each, &list);
    p->info.n_launches = 1u + p->pads + (p->pack > 1);
    p->info.scratch_b = list.scratch_b;
    p->info.scratch_align_b = list.scratch_align_b;
}

/* With the layouts that were chosen. *broken: as of xk_candidates_keep. */
static enum xk_status keep_valid(xk_ctx *c, struct xk_problem *p, bool surfaces,
                                 const struct xk_schedule_rule **broken)
{
    struct xk_shape s;
    XK_TRY(shape_of(c, p, &p->info, &p->form, &s));
    *broken = xk_candidates_keep(p->platform, &s, surfaces, p->candidate,
                                 &p->n_candidates);
    /* A copy of dst needs no padding. */
    const bool copied = p->ways.n && p->ways.at[XK_ARG_DST].copied;
    p->pads = p->desc.g > 1 && !copied && xk_padding_dim(&p->form.con) >= 0;
    set_launches(p);
    return XK_OK;
}

/* Launches of sums in front of the convolution. */
static enum xk_status count_sums(xk_ctx *c, const struct xk_problem *p,
                                 int64_t *n)
{
    struct xk_conv_sums *const s = xk_malloc(c, sizeof(*s));
    const enum xk_status st =
        s ? xk_conv_sums_make(c, &p->desc, &p->info, s) : XK_ENOMEM;
    *n = s ? s->n : 0;
    xk_free(c, s);
    return st;
}

/* What the search sees where the kernel makes the sums of weights, and finds;
 * plain: what it would see with launches of them. */
struct inside {
    struct xk_problem_form form, plain_form;
    struct xk_shape shape, plain;
    struct xk_schedule candidate[2 * XK_MAX_CANDIDATES];
    unsigned n;    /* 0: the kernel cannot make them */
    int64_t least; /* score with launches, but for these; see
                      xk_schedule_with_sums */
};

static enum xk_status search_inside(xk_ctx *c, struct xk_problem *p,
                                    struct inside *in)
{
    p->pack = 1;
    p->sums_inside = true;
    enum xk_status st = shape_of(c, p, NULL, &in->form, &in->shape);
    p->sums_inside = false;
    XK_TRY(st);
    if (xk_given_schedule()) {
        in->least = 0;
        return xk_candidates_of(c, p->platform, &in->shape, in->candidate,
                                &in->n);
    }
    XK_TRY(shape_of(c, p, NULL, &in->plain_form, &in->plain));
    in->n = xk_schedule_with_sums(p->platform, &in->shape, &in->plain,
                                  in->candidate, &in->least);
    return XK_OK;
}

/* *out NULL: the kernel does not make the sums of weights. */
static enum xk_status begin_inside(xk_ctx *c, struct xk_problem *p,
                                   struct inside **out)
{
    *out = NULL;
    if (!xk_conv_may_sum_inside(&p->desc))
        return XK_OK;
    *out = xk_malloc(c, sizeof(**out));
    if (!*out)
        return XK_ENOMEM;
    (*out)->n = 0;
    (*out)->least = 0;
    const enum xk_status st = search_inside(c, p, *out);
    if (st == XK_ENOMEM)
        return st;
    if (st != XK_OK)
        (*out)->n = 0;
    xk_ctx_clear(c);
    return XK_OK;
}

/* Sums are made inside if launches of their own, with a kernel of that score,
 * are predicted to take longer, and no tensor is too large with the layouts for
 * that; if one is, nothing is chosen. */
static enum xk_status try_inside(xk_ctx *c, struct xk_problem *p,
                                 const struct inside *in, int64_t score,
                                 int64_t launches)
{
    const int64_t each = xk_perf_get(p->platform->id)->launch_alone;
    if (!in->n || in->candidate[0].score >= score + launches * each)
        return XK_OK;
    memcpy(p->candidate, in->candidate, in->n * sizeof(in->candidate[0]));
    p->n_candidates = in->n;
    p->sums_inside = true;
    const enum xk_status st = set_layouts(c, &in->form.con, &in->shape, p);
    if (st == XK_OK || st == XK_ENOMEM)
        return st;
    xk_ctx_clear(c);
    p->sums_inside = false;
    p->n_candidates = 0;
    return XK_OK;
}

/* With launches for sums. */
static enum xk_status choose_plain(xk_ctx *c, struct xk_problem *p)
{
    const struct xk_conv_desc asked = p->desc;
    /* Packing has no other launches beside it. */
    const bool alone = !xk_conv_has_sums(&p->desc) && !p->ways.n;
    enum xk_status status = choose(c, p, alone);
    if (status == XK_ENOFIT) {
        xk_ctx_clear(c);
        p->desc = asked;
        status = choose(c, p, false);
    }
    /* Blocks of weights may have made them too large. */
    if (status == XK_EUNSUPPORTED && xk_conv_close_weights(&p->desc)) {
        xk_ctx_clear(c);
        status = choose(c, p, false);
    }
    return status;
}

/* The sums of weights are the kernel's where that is predicted to take less
 * than launches of their own. Where that is clear beforehand, what these would
 * need is not searched. */
static enum xk_status choose_sums(xk_ctx *c, struct xk_problem *p,
                                  const struct inside *in)
{
    int64_t launches;
    XK_TRY(try_inside(c, p, in, in->least, 1));
    if (p->sums_inside)
        return XK_OK;
    XK_TRY(choose_plain(c, p));
    XK_TRY(count_sums(c, p, &launches));
    XK_TRY(try_inside(c, p, in, p->candidate[0].score, launches));
    return p->n_candidates ? XK_OK : choose_plain(c, p);
}

/* A forward convolution: one launch. */
static enum xk_status make_forward(xk_ctx *c, struct xk_problem *p)
{
    const struct xk_schedule_rule *broken = NULL;
    struct inside *in;
    xk_conv_close_groups(&p->desc);
    enum xk_status status = begin_inside(c, p, &in);
    if (status == XK_OK)
        status = in ? choose_sums(c, p, in) : choose_plain(c, p);
    xk_free(c, in);
    XK_TRY(status);
    XK_TRY(keep_valid(c, p, true, &broken));
    XK_TRY(xk_conv_launches_count(c, p));
    return p->n_candidates
               ? xk_gradients_split_forward(c, p)
               : none_valid(c,
                            xk_given_schedule() ? XK_EINVAL : XK_EUNSUPPORTED,
                            "with these layouts each candidate breaks", broken);
}

enum xk_status xk_problem_make(xk_ctx *c, const struct xk_conv_desc *d,
                               struct xk_problem *out)
{
    memset(out, 0, offsetof(struct xk_problem, form));
    xk_arena_init(&out->arena, c);
    XK_TRY(xk_conv_admit(c, d, &out->desc, &out->ways));
    /* xk_conv_admit admits only platforms that have a row. */
    out->platform = xk_platform_get((enum xk_platform_id)out->desc.platform);
    XK_TRY(xk_target_of(c, out->desc.platform, out->desc.attr.device,
                        &out->device));
    XK_TRY(xk_conv_is_one_kernel(&out->desc)
               ? make_forward(c, out)
               : xk_gradients_make(c, out, false));
    out->user = out->info;
    XK_TRY(xk_conv_describe_ways(c, &out->ways, &out->user));
    if (out->ways.parts.n > 1)
        XK_TRY(xk_problem_join_parts(c, out));
    return out->ways.empty ? xk_problem_empty(c, out) : XK_OK;
}

void xk_problem_fini(struct xk_problem *p)
{
    if (p->arena.c)
        xk_arena_fini(&p->arena);
}

enum xk_status xk_problem_use_addresses(xk_ctx *c, struct xk_problem *p)
{
    const struct xk_schedule_rule *broken = NULL;
    if (p->ways.empty)
        return XK_OK;
    if (p->n_launches)
        return xk_gradients_make(c, p, true);
    XK_TRY(keep_valid(c, p, false, &broken));
    return p->n_candidates ? XK_OK
                           : none_valid(c, XK_EINVAL,
                                        "with XK_CREATE_A64 it breaks", broken);
}
