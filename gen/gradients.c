/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/gradients.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conv/tensors.h"
#include "conv/zero_sums.h"
#include "gen/conv_launches.h"
#include "gen/split_sum.h"
#include "gen/sum_launches.h"
#include "isa/workaround.h"
#include "lower/flat_nest.h"
#include "plan/plan.h"
#include "views/access.h"

static enum xk_status contraction(xk_ctx *c, struct xk_problem *p,
                                  const struct xk_conv_info *info,
                                  struct xk_contraction *out)
{
    const struct xk_conv_desc *const f = &p->desc;
    const uint32_t made = xk_conv_desc_roles(f).c;
    if (made == XK_ARG_WEI)
        return xk_conv_backward_weights(c, f, info, out);
    return xk_conv_makes_moved(&p->desc)
               ? xk_conv_backward_data(c, &p->arena, f, info, p->tiled, out)
               : xk_conv_contraction(c, f, info, out);
}

/* Predicted cycles, with an index of residues in these dims. */
static enum xk_status score_tiled(xk_ctx *c, struct xk_problem *p,
                                  unsigned tiled, int64_t *out)
{
    struct xk_contraction *const con = xk_arena_alloc(&p->arena, sizeof(*con));
    if (!con)
        return xk_ctx_status(c);
    p->tiled = tiled;
    XK_TRY(contraction(c, p, NULL, con));
    XK_TRY(xk_contraction_check(c, con));
    return xk_contraction_launches_score(c, &p->arena, p->platform, con, out);
}

/* Whether residues may be an index in these dims, and it is worth to ask for
 * the score: there are not too many launches, and no more than twice the
 * products of classes where these are few enough. */
static bool asks_tiled(const struct xk_problem *p, unsigned tiled)
{
    const double of_classes = xk_conv_tiled_products(&p->desc, 0);
    const double all = xk_conv_tiled_products(&p->desc, tiled);
    const bool few = xk_conv_tiled_launches(&p->desc, 0) <= XK_MAX_LAUNCHES;
    return xk_conv_tiled_launches(&p->desc, tiled) <= XK_MAX_LAUNCHES &&
           (!tiled || (all <= INT32_MAX && (!few || all <= 2 * of_classes)));
}

/* Adds a way that is worth to ask for and is not there yet. */
static void list_tiled(const struct xk_problem *p, unsigned tiled,
                       unsigned *ways, unsigned *n)
{
    for (unsigned i = 0; i < *n; i++)
        if (ways[i] == tiled)
            return;
    if (asks_tiled(p, tiled))
        ways[(*n)++] = tiled;
}

/* The way with the fewest predicted cycles, the first of equals. */
static enum xk_status compare_tiled(xk_ctx *c, struct xk_problem *p,
                                    const unsigned *ways, unsigned n,
                                    unsigned *best)
{
    int64_t least = INT64_MAX;
    for (unsigned i = 0; i < n; i++) {
        int64_t score;
        XK_TRY(score_tiled(c, p, ways[i], &score));
        if (score < least) {
            least = score;
            *best = ways[i];
        }
    }
    return XK_OK;
}

/* The dims whose residues are an index: none, those of filters that are whole
 * strides wide, or all that may, whatever takes least time. */
static enum xk_status choose_tiled(xk_ctx *c, struct xk_problem *p)
{
    const struct xk_conv_tiled may = xk_conv_may_tile(&p->desc);
    unsigned ways[3], n = 0, best;
    list_tiled(p, may.even, ways, &n);
    list_tiled(p, 0, ways, &n);
    list_tiled(p, may.all, ways, &n);
    best = n ? ways[0] : may.last;
    if (n > 1 && xk_conv_makes_moved(&p->desc) &&
        compare_tiled(c, p, ways, n, &best) == XK_ENOMEM)
        return XK_ENOMEM;
    p->tiled = best;
    xk_ctx_clear(c); /* the launches meet what it is, and say so */
    return XK_OK;
}

/* Products of a class: its K times its places of C. */
static double products(const struct xk_contraction *p)
{
    return (double)xk_contraction_extent(p, XK_ROLE_M) *
           (double)xk_contraction_extent(p, XK_ROLE_N) *
           (double)xk_contraction_extent(p, XK_ROLE_K);
}

/* The class with the most products, the first of several, into *out. */
static void largest_class(const struct xk_contraction *p,
                          struct xk_contraction *out)
{
    const uint64_t n = xk_contraction_classes(p);
    uint32_t r[XK_MAX_CLASS_DIMS] = {0}, best[XK_MAX_CLASS_DIMS] = {0};
    double most = -1;
    for (uint64_t i = 0; i < n && i < XK_MAX_LAUNCHES; i++) {
        xk_contraction_class_at(p, i, r);
        if (xk_contraction_class(p, r, out) && products(out) > most) {
            most = products(out);
            memcpy(best, r, sizeof(best));
        }
    }
    xk_contraction_class(p, best, out);
}

/* Layouts that the best schedule of the largest class likes. */
static enum xk_status choose_layouts(xk_ctx *c, struct xk_problem *p,
                                     struct xk_any_layouts *out)
{
    struct xk_contraction *const all =
        xk_arena_alloc(&p->arena, 2 * sizeof(*all));
    struct xk_shape s;
    if (!all)
        return xk_ctx_status(c);
    XK_TRY(contraction(c, p, NULL, &all[0]));
    XK_TRY(xk_contraction_check(c, &all[0]));
    largest_class(&all[0], &all[1]);
    XK_TRY(xk_shape_of(c, &all[1], &s));
    XK_TRY(
        xk_candidates_of(c, p->platform, &s, p->candidate, &p->n_candidates));
    return xk_plan_any_layouts(c, &all[1], &p->candidate[0], &s, out);
}

/* Layouts where nothing is said. */
static enum xk_status set_dense(xk_ctx *c, struct xk_problem *p)
{
    static const struct xk_layout *const none[3];
    xk_conv_close_tensors(&p->desc);
    return xk_conv_tensors(c, &p->desc, none, &p->info);
}

/* Whatever stands against a schedule here, the launches meet and say, too. */
static enum xk_status set_gradient_layouts(xk_ctx *c, struct xk_problem *p)
{
    struct xk_any_layouts any;
    const struct xk_conv_roles of = xk_conv_desc_roles(&p->desc);
    const struct xk_layout *by_arg[XK_N_CONV_ARGS] = {0};
    by_arg[of.a] = &any.a;
    by_arg[of.b] = &any.b;
    by_arg[of.c] = &any.c;
    const struct xk_layout *const best[3] = {
        by_arg[XK_ARG_SRC], by_arg[XK_ARG_WEI], by_arg[XK_ARG_DST]};
    p->info.size = sizeof(p->info);
    if (p->desc.g > 1)
        return set_dense(c, p);
    const enum xk_status status = choose_layouts(c, p, &any);
    if (status == XK_ENOMEM)
        return status;
    if (status == XK_OK &&
        xk_conv_tensors(c, &p->desc, best, &p->info) == XK_OK)
        return XK_OK;
    xk_ctx_clear(c);
    return set_dense(c, p);
}

struct xk_launch *xk_gradients_next(xk_ctx *c, struct xk_problem *p)
{
    if (p->n_launches < XK_MAX_LAUNCHES)
        return &p->launch[p->n_launches++];
    xk_fail(c, XK_EUNSUPPORTED, "prop=%s: more than %d launches",
            xk_conv_prop_name(p->desc.prop), XK_MAX_LAUNCHES);
    return NULL;
}

static const struct xk_bind *bind(struct xk_problem *p, const char *name,
                                  enum xk_binding to, unsigned number)
{
    struct xk_bind *const b = xk_arena_alloc(&p->arena, sizeof(*b));
    if (b) {
        *b =
            (struct xk_bind){.binding = (uint8_t)to, .number = (uint8_t)number};
        snprintf(b->name, sizeof(b->name), "%s", name);
    }
    return b;
}

/* Memory of an operand that is zeroed. */
struct zeroed {
    const char *name;
    int64_t size_b;
};

/* A launch that zeroes it, so that its padding is zero, say; too much of it is
 * refused here, as the fill's kernel would. */
static enum xk_status add_clear(xk_ctx *c, struct xk_problem *p,
                                const struct zeroed *z, enum xk_binding to,
                                unsigned number)
{
    if (z->size_b > XK_FLAT_MAX_B)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "%s: %" PRId64 " bytes are zeroed first, which is "
                       "done for at most %" PRId64,
                       z->name, z->size_b, XK_FLAT_MAX_B);
    struct xk_launch *const l = xk_gradients_next(c, p);
    if (!l)
        return xk_ctx_status(c);
    *l = (struct xk_launch){.kind = XK_LAUNCH_FILL,
                            .u.fill = {.size_b = z->size_b},
                            .n_binds = 1,
                            .bind = bind(p, "dst", to, number)};
    snprintf(l->name, sizeof(l->name), "xk_%s_clear%u", z->name, number);
    return xk_ctx_status(c);
}

/* What arguments of a launch take. */
struct rows {
    unsigned n;
    const struct xk_bind *bind;
};

/* A launch for each class; arguments are the caller's tensors, or what rows
 * say. s: con is its parts; NULL: it is no part. */
static enum xk_status add_classes(xk_ctx *c, struct xk_problem *p,
                                  const struct xk_contraction *con,
                                  const struct rows *rows,
                                  const struct xk_split_sum *s, bool addresses)
{
    struct xk_contraction_launches made;
    XK_TRY(xk_contraction_launches_make(c, &p->arena, p->platform, con,
                                        addresses, &made));
    for (unsigned i = 0; i < made.n; i++) {
        struct xk_contraction_problem *const one = made.problem[i];
        struct xk_launch *const l = xk_gradients_next(c, p);
        if (!l)
            return xk_ctx_status(c);
        for (unsigned k = 0; k < one->n_candidates; k++)
            one->candidate[k].splits = (uint8_t)(s ? s->parts : 1);
        one->nest.adds = s && s->adds;
        *l = made.launch[i];
        l->n_binds = rows->n;
        l->bind = rows->bind;
    }
    return XK_OK;
}

/* Sums in the scratch buffer `number`, all of it, one part behind the other. */
struct parts {
    const struct xk_access *whole; /* what they are added up to */
    unsigned number;
    int64_t part_e; /* elements from a part to the next */
};

static enum xk_status add_reduction(xk_ctx *c, struct xk_problem *p,
                                    struct parts of)
{
    const struct xk_layout *const to = &of.whole->layout;
    struct xk_bind *const sum = xk_arena_alloc(&p->arena, 2 * sizeof(*sum));
    const struct xk_bind *const part =
        bind(p, "part", XK_BIND_SCRATCH, of.number);
    const struct xk_bind *const dst =
        bind(p, "dst", XK_BIND_TENSOR, of.whole->arg);
    struct xk_launch *const l = xk_gradients_next(c, p);
    XK_TRY(xk_ctx_status(c));
    sum[0] = *part;
    sum[1] = *dst;
    *l = (struct xk_launch){
        .kind = XK_LAUNCH_REDUCE,
        .u.reduce = {.n = xk_layout_size_b(to) / xk_dtype_b(to->dt),
                     .stride_e = of.part_e,
                     .parts =
                         (uint32_t)(p->scratch_b[of.number] / (4 * of.part_e)),
                     .dst = to->dt},
        .n_binds = 2,
        .bind = sum};
    snprintf(l->name, sizeof(l->name), "xk_%s", of.whole->name);
    return XK_OK;
}

/* What C held is an operand: its padding holds zeros already. */
static bool reads_old(const struct xk_contraction *con)
{
    for (unsigned i = 0; i < con->n_epi; i++)
        if (xk_epi_reads_old(&con->epi[i]))
            return true;
    return false;
}

/* Zeroes C where launches leave its padding unwritten. */
static enum xk_status clear_padding(xk_ctx *c, struct xk_problem *p,
                                    const struct xk_contraction *con)
{
    const struct zeroed z = {con->c.name, xk_layout_size_b(&con->c.layout)};
    return xk_contraction_pads(con) || reads_old(con)
               ? XK_OK
               : add_clear(c, p, &z, XK_BIND_TENSOR, con->c.arg);
}

static enum xk_status add_finish(xk_ctx *c, struct xk_problem *p,
                                 const struct xk_contraction *whole,
                                 const struct xk_split_sum *s, unsigned number,
                                 bool addresses)
{
    struct xk_contraction_problem *const made =
        xk_arena_alloc(&p->arena, sizeof(*made));
    struct xk_bind *const binds =
        xk_arena_alloc(&p->arena, s->parts * sizeof(*binds));
    XK_TRY(xk_ctx_status(c));
    XK_TRY(clear_padding(c, p, whole));
    XK_TRY(xk_split_sum_finish(c, p->platform, whole, s, made));
    if (addresses)
        XK_TRY(xk_contraction_problem_use_addresses(c, p->platform, made));
    struct xk_launch *const l = xk_gradients_next(c, p);
    if (!l)
        return xk_ctx_status(c);
    *l = (struct xk_launch){.kind = XK_LAUNCH_CONTRACT,
                            .u.contract = {.nest = &made->nest,
                                           .candidate = made->candidate,
                                           .n_candidates = made->n_candidates},
                            .n_binds = s->parts,
                            .bind = binds};
    for (unsigned i = 0; i < s->parts; i++) {
        binds[i] = (struct xk_bind){.binding = XK_BIND_SCRATCH,
                                    .number = (uint8_t)number};
        snprintf(binds[i].name, sizeof(binds[i].name), "%s%u", s->of.c.name, i);
    }
    snprintf(l->name, sizeof(l->name), "xk_%s", whole->c.name);
    return XK_OK;
}

/* Zeros, to which the parts add. */
static enum xk_status add_atomics(xk_ctx *c, struct xk_problem *p,
                                  const struct xk_contraction *whole,
                                  const struct xk_split_sum *s, bool addresses)
{
    const struct zeroed z = {whole->c.name, xk_layout_size_b(&whole->c.layout)};
    const struct rows rows = {
        1, bind(p, s->of.c.name, XK_BIND_TENSOR, whole->c.arg)};
    XK_TRY(xk_ctx_status(c));
    XK_TRY(add_clear(c, p, &z, XK_BIND_TENSOR, whole->c.arg));
    XK_TRY(add_classes(c, p, &s->of, &rows, s, addresses));
    struct xk_launch *const l = &p->launch[p->n_launches - 1];
    snprintf(l->name, sizeof(l->name), "xk_%s", whole->c.name);
    return XK_OK;
}

/* Scratch memory of parts, what an argument takes of it into *out, and zeros
 * where its padding would be added and is left unwritten. */
static enum xk_status add_part_scratch(xk_ctx *c, struct xk_problem *p,
                                       const struct xk_access *part, bool clear,
                                       struct xk_bind *out)
{
    const unsigned number = p->n_scratch++;
    const struct zeroed z = {part->name, xk_layout_size_b(&part->layout)};
    *out =
        (struct xk_bind){.binding = XK_BIND_SCRATCH, .number = (uint8_t)number};
    snprintf(out->name, sizeof(out->name), "%s", part->name);
    p->scratch_b[number] = z.size_b;
    return clear ? add_clear(c, p, &z, XK_BIND_SCRATCH, number) : XK_OK;
}

/* The sum in parts, which go to scratch, and what adds them up. */
static enum xk_status add_split(xk_ctx *c, struct xk_problem *p,
                                const struct xk_contraction *whole,
                                const struct xk_split_sum *s, bool addresses)
{
    if (s->adds)
        return add_atomics(c, p, whole, s, addresses);
    const struct xk_contraction *const of = &s->of;
    const bool reduces = xk_split_sum_reduces(whole);
    struct xk_bind *const binds = xk_arena_alloc(&p->arena, 2 * sizeof(*binds));
    const struct rows rows = {1 + of->totals, binds};
    XK_TRY(xk_ctx_status(c));
    XK_TRY(add_part_scratch(c, p, &of->c, reduces && !xk_contraction_pads(of),
                            &binds[0]));
    if (of->totals)
        XK_TRY(add_part_scratch(c, p, &of->input[0], false, &binds[1]));
    XK_TRY(add_classes(c, p, of, &rows, s, addresses));
    struct xk_launch *const l = &p->launch[p->n_launches - 1];
    snprintf(l->name, sizeof(l->name), "xk_%s_part", whole->c.name);
    if (!reduces)
        return add_finish(c, p, whole, s, binds[0].number, addresses);
    XK_TRY(add_reduction(
        c, p, (struct parts){&whole->c, binds[0].number, s->part_e}));
    const int64_t totals_e =
        of->totals ? xk_layout_size_b(&whole->input[0].layout) / 4 : 0;
    return of->totals ? add_reduction(c, p,
                                      (struct parts){&whole->input[0],
                                                     binds[1].number, totals_e})
                      : XK_OK;
}

/* A contraction of one class has none. */
static enum xk_status take_only_class(xk_ctx *c, struct xk_problem *p,
                                      struct xk_contraction *con)
{
    static const uint32_t first[XK_MAX_CLASS_DIMS];
    if (!con->n_class_dims || xk_contraction_classes(con) > 1)
        return XK_OK;
    struct xk_contraction *const one = xk_arena_alloc(&p->arena, sizeof(*one));
    if (!one)
        return xk_ctx_status(c);
    if (xk_contraction_class(con, first, one) &&
        !xk_access_misses(one, &one->c))
        xk_contraction_copy(con, one);
    return XK_OK;
}

static bool is_by_weights(const struct xk_contraction *con)
{
    return con->c.arg == XK_ARG_WEI || con->c.arg == XK_ARG_BIA;
}

/* Atomic operations add parts up in any order, and are LSC's. */
static bool ordered(const struct xk_problem *p,
                    const struct xk_contraction *con)
{
    return p->desc.attr.deterministic || !is_by_weights(con) ||
           xk_wa_always_applies(XK_WA_ugm_backup, &p->device);
}

/* given: splits=N, of the schedule that is given, or 0. */
static enum xk_status choose_parts(xk_ctx *c, struct xk_problem *p,
                                   struct xk_contraction *con, unsigned given,
                                   struct xk_split_sum **out)
{
    *out = xk_arena_alloc(&p->arena, sizeof(**out));
    if (!*out)
        return xk_ctx_status(c);
    XK_TRY(xk_contraction_check(c, con));
    XK_TRY(take_only_class(c, p, con));
    return xk_split_sum_choose(
        c, p->platform, con,
        (struct xk_split_ask){.given = given,
                              .ordered = ordered(p, con),
                              .memory = !is_by_weights(con)},
        *out);
}

static enum xk_status add_part(xk_ctx *c, struct xk_problem *p,
                               struct xk_contraction *con,
                               const struct xk_sum_binds *sums,
                               const struct xk_split_sum *s, bool addresses)
{
    if (s->parts > 1)
        return add_split(c, p, con, s, addresses);
    XK_TRY(clear_padding(c, p, con));
    return add_classes(c, p, con, &(struct rows){sums->n, sums->bind}, NULL,
                       addresses);
}

/* Whether the loop of the weights' gradient has all that the bias's is a sum
 * of, and adds up in the bias's type. */
static bool may_share_loop(const struct xk_contraction *con,
                           const struct xk_contraction *bias)
{
    return con->b.arg == bias->b.arg && con->acc_dt == XK_DT_F32 &&
           bias->c.layout.dt == XK_DT_F32 &&
           bias->c.layout.padded[0] == bias->c.layout.dim[0];
}

/* Predicted cycles of con with its parts; INT64_MAX: no schedule is valid. */
static enum xk_status score_parts(xk_ctx *c, const struct xk_problem *p,
                                  const struct xk_contraction *con,
                                  struct xk_split_sum *s)
{
    enum xk_status status;
    const struct xk_split_ask ask = {
        .given = s->parts, .ordered = true, .memory = true};
    if (s->parts > 1)
        status = xk_split_sum_choose(c, p->platform, con, ask, s);
    else
        status = xk_contraction_problem_score(c, p->platform, con, &s->score);
    if (status == XK_OK || status == XK_ENOMEM)
        return status;
    xk_ctx_clear(c);
    s->score = INT64_MAX;
    return XK_OK;
}

/* The bias's gradient comes out of the weights' loop, con->totals, in as many
 * parts, if that is predicted to take no longer than launches of its own. */
static enum xk_status share_loop(xk_ctx *c, struct xk_problem *p,
                                 struct xk_contraction *con,
                                 struct xk_split_sum *s,
                                 const struct xk_contraction *bias,
                                 const struct xk_split_sum *of_bias)
{
    struct xk_contraction *const both =
        xk_arena_alloc(&p->arena, sizeof(*both));
    struct xk_split_sum *const shared =
        xk_arena_alloc(&p->arena, sizeof(*shared));
    XK_TRY(xk_ctx_status(c));
    xk_contraction_copy(both, con);
    xk_conv_share_bias(bias, both);
    XK_TRY(xk_contraction_check(c, both));
    XK_TRY(score_parts(c, p, con, s));
    shared->parts = s->parts;
    XK_TRY(score_parts(c, p, both, shared));
    if (shared->score == INT64_MAX || shared->score - of_bias->score > s->score)
        return XK_OK;
    xk_contraction_copy(con, both);
    if (s->parts > 1)
        *s = *shared;
    return XK_OK;
}

/* Gradients of weights and bias. */
static enum xk_status add_with_bias(xk_ctx *c, struct xk_problem *p,
                                    struct xk_contraction *con,
                                    struct xk_split_sum *s, bool addresses)
{
    static const struct xk_sum_binds none;
    struct xk_contraction *const bias =
        xk_arena_alloc(&p->arena, sizeof(*bias));
    struct xk_split_sum *of_bias;
    if (!bias)
        return xk_ctx_status(c);
    XK_TRY(xk_conv_backward_bias(c, &p->desc, &p->info, bias));
    XK_TRY(choose_parts(c, p, bias, 0, &of_bias));
    if (!s->adds && may_share_loop(con, bias))
        XK_TRY(share_loop(c, p, con, s, bias, of_bias));
    XK_TRY(add_part(c, p, con, &none, s, addresses));
    return con->totals ? XK_OK
                       : add_part(c, p, bias, &none, of_bias, addresses);
}

/* One of the tensors that are sums over parts of the problem: what the launches
 * of a part add up, and the scratch buffer with the sums of all parts. */
struct sum_of_parts {
    struct xk_contraction whole;
    struct xk_split_sum split;
    unsigned number;
};

/* The launches of a part, which leave its sums in scratch. */
static enum xk_status add_one_part(xk_ctx *c, struct xk_problem *p,
                                   unsigned given, bool addresses,
                                   struct sum_of_parts *x)
{
    const unsigned n = p->ways.parts.n, number = p->n_scratch++;
    struct xk_split_sum *const s = &x->split;
    const struct xk_split_ask ask = {.given = given, .ordered = true, .of = n};
    XK_TRY(xk_contraction_check(c, &x->whole));
    XK_TRY(take_only_class(c, p, &x->whole));
    XK_TRY(xk_split_sum_choose(c, p->platform, &x->whole, ask, s));
    if (s->parts == 1) {
        xk_contraction_copy(&s->of, &x->whole);
        s->of.c.layout.dt = s->of.acc_dt;
        strcpy(s->of.c.name, "part");
    }
    const int64_t one_b = s->parts * s->part_e * 4;
    if (one_b > XK_FLAT_MAX_B / n)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "%s: sums of %u parts of %" PRId64
                       " bytes are above %" PRId64,
                       x->whole.c.name, n, one_b, XK_FLAT_MAX_B);
    x->number = number;
    p->scratch_b[number] = n * one_b;
    p->scratch_part_b[number] = one_b;
    const struct rows rows = {1, bind(p, "part", XK_BIND_SCRATCH, number)};
    XK_TRY(xk_ctx_status(c));
    if (!xk_contraction_pads(&s->of))
        XK_TRY(add_clear(c, p, &(struct zeroed){"part", one_b}, XK_BIND_SCRATCH,
                         number));
    XK_TRY(add_classes(c, p, &s->of, &rows, s, addresses));
    snprintf(p->launch[p->n_launches - 1].name, sizeof(p->launch->name),
             "xk_%s_part", x->whole.c.name);
    return XK_OK;
}

/* Gradients of weights and of the bias where tensors are too large for one
 * kernel (conv/parts.h): behind the launches of all parts, those that add their
 * sums up in the order of the parts. */
static enum xk_status add_sums_of_parts(xk_ctx *c, struct xk_problem *p,
                                        unsigned given, bool addresses)
{
    const unsigned n = p->desc.prop == XK_BWD_WB ? 2 : 1;
    struct sum_of_parts *const x = xk_arena_alloc(&p->arena, n * sizeof(*x));
    if (!x)
        return xk_ctx_status(c);
    XK_TRY(contraction(c, p, &p->info, &x[0].whole));
    if (n > 1)
        XK_TRY(xk_conv_backward_bias(c, &p->desc, &p->info, &x[1].whole));
    for (unsigned i = 0; i < n; i++)
        XK_TRY(add_one_part(c, p, i ? 0 : given, addresses, &x[i]));
    for (unsigned i = 0; i < n; i++)
        XK_TRY(add_reduction(
            c, p,
            (struct parts){&x[i].whole.c, x[i].number, x[i].split.part_e}));
    p->n_behind = n;
    return XK_OK;
}

static enum xk_status add_parts(xk_ctx *c, struct xk_problem *p, bool addresses)
{
    static const struct xk_sum_binds none;
    struct xk_sum_binds *const sums = xk_arena_alloc(&p->arena, sizeof(*sums));
    struct xk_contraction *const con = xk_arena_alloc(&p->arena, sizeof(*con));
    struct xk_split_sum *s;
    unsigned given;
    XK_TRY(xk_ctx_status(c));
    *sums = none;
    XK_TRY(xk_split_sum_given(c, &given));
    if (p->ways.parts.n > 1 && xk_conv_desc_roles(&p->desc).c == XK_ARG_WEI)
        return add_sums_of_parts(c, p, given, addresses);
    XK_TRY(contraction(c, p, &p->info, con));
    if (p->split)
        return add_split(c, p, con, p->split, addresses);
    if (xk_conv_has_sums(&p->desc))
        XK_TRY(xk_sum_launches_add(c, p, sums));
    XK_TRY(choose_parts(c, p, con, given, &s));
    return p->desc.prop == XK_BWD_WB ? add_with_bias(c, p, con, s, addresses)
                                     : add_part(c, p, con, sums, s, addresses);
}

/* Appends the copies from number `first` on. */
static enum xk_status append(xk_ctx *c, struct xk_problem *p, unsigned first)
{
    for (unsigned i = first; i < p->copies->n; i++) {
        struct xk_launch *const l = xk_gradients_next(c, p);
        if (!l)
            return xk_ctx_status(c);
        *l = p->copies->at[i];
    }
    return XK_OK;
}

/* Around the launches: copies of what they do not take as it is. */
static enum xk_status add_all(xk_ctx *c, struct xk_problem *p, bool addresses)
{
    p->copies = NULL;
    if (!p->ways.n)
        return add_parts(c, p, addresses);
    p->copies = xk_arena_alloc(&p->arena, sizeof(*p->copies));
    if (!p->copies)
        return xk_ctx_status(c);
    XK_TRY(xk_conv_launches_copy(c, p, p->copies));
    XK_TRY(append(c, p, 0));
    p->n_scratch = p->copies->n_scratch;
    memcpy(p->scratch_b, p->copies->scratch_b, sizeof(p->scratch_b));
    XK_TRY(add_parts(c, p, addresses));
    const unsigned first = p->copies->n;
    XK_TRY(xk_conv_launches_store(c, p, p->copies));
    return append(c, p, first);
}

/* The launches, for layouts that are chosen. */
static enum xk_status make_chosen(xk_ctx *c, struct xk_problem *p,
                                  bool addresses)
{
    struct xk_scratch_info each[XK_MAX_SCRATCH];
    struct xk_launch_list list = {0};
    p->n_launches = p->n_scratch = p->n_behind = 0;
    memset(p->scratch_part_b, 0, sizeof(p->scratch_part_b));
    p->launch = xk_arena_alloc(&p->arena, XK_MAX_LAUNCHES * sizeof(*p->launch));
    if (!p->launch)
        return xk_ctx_status(c);
    XK_TRY(add_all(c, p, addresses));
    const struct xk_launches all = {.n_scratch = p->n_scratch,
                                    .scratch_b = p->scratch_b};
    xk_launches_scratch(&all, each, &list);
    p->info.n_launches = p->n_launches;
    p->info.scratch_b = list.scratch_b;
    p->info.scratch_align_b = list.scratch_align_b;
    return XK_OK;
}

enum xk_status xk_gradients_make(xk_ctx *c, struct xk_problem *p,
                                 bool addresses)
{
    if (p->split)
        return make_chosen(c, p, addresses);
    if (!addresses) /* which are asked for later, of the same launches */
        XK_TRY(choose_tiled(c, p));
    XK_TRY(set_gradient_layouts(c, p));
    return make_chosen(c, p, addresses);
}

/* Whether the score is asked: of one group, because several have ways of their
 * own, and where the whole sum is of no packed places, which parts have not. */
static bool may_be_split(const struct xk_problem *p)
{
    const struct xk_tensor_info *const t = p->info.tensor;
    const int64_t read_b =
        (int64_t)(t[XK_ARG_SRC].size_b + t[XK_ARG_WEI].size_b);
    const int64_t c_e =
        p->desc.mb * p->desc.oc * p->desc.od * p->desc.oh * p->desc.ow;
    return p->desc.g == 1 && !p->ways.empty && !xk_conv_has_sums(&p->desc) &&
           xk_dtype_b(xk_conv_dtype(p->desc.src_type)) < 4 &&
           !xk_schedule_packs(&p->candidate[0]) &&
           xk_split_sum_may_pay(p->platform, read_b, c_e,
                                p->candidate[0].score);
}

static enum xk_status split_forward(xk_ctx *c, struct xk_problem *p,
                                    struct xk_split_ask ask)
{
    struct xk_contraction *const con = xk_arena_alloc(&p->arena, sizeof(*con));
    struct xk_split_sum *const s = xk_arena_alloc(&p->arena, sizeof(*s));
    XK_TRY(xk_ctx_status(c));
    XK_TRY(contraction(c, p, &p->info, con));
    XK_TRY(xk_contraction_check(c, con));
    XK_TRY(xk_split_sum_choose(c, p->platform, con, ask, s));
    if (s->parts < 2)
        return XK_OK;
    p->split = s;
    return make_chosen(c, p, false);
}

enum xk_status xk_gradients_split_forward(xk_ctx *c, struct xk_problem *p)
{
    struct xk_split_ask ask = {
        .ordered = true, .memory = true, .whole = p->candidate[0].score};
    XK_TRY(xk_split_sum_given(c, &ask.given));
    if (ask.given == 1 || (!ask.given && !may_be_split(p)))
        return XK_OK;
    struct xk_conv_info *const whole =
        xk_arena_alloc(&p->arena, sizeof(*whole));
    if (!whole)
        return xk_ctx_status(c);
    memcpy(whole, &p->info, sizeof(*whole));
    const enum xk_status status = split_forward(c, p, ask);
    if (ask.given || status == XK_OK || status == XK_ENOMEM)
        return status;
    xk_ctx_clear(c); /* nobody asked: one launch does it */
    p->split = NULL;
    p->n_launches = p->n_scratch = 0;
    memcpy(&p->info, whole, sizeof(*whole));
    return XK_OK;
}

/* The caller's tensor, whatever kernels see. */
static enum xk_status clear_whole(xk_ctx *c, struct xk_problem *p,
                                  const struct xk_access *a)
{
    const struct zeroed z = {a->name, (int64_t)p->user.tensor[a->arg].size_b};
    return add_clear(c, p, &z, XK_BIND_TENSOR, a->arg);
}

enum xk_status xk_gradients_clear(xk_ctx *c, struct xk_problem *p)
{
    struct xk_contraction *const con = xk_arena_alloc(&p->arena, sizeof(*con));
    if (!con)
        return xk_ctx_status(c);
    p->copies = NULL;
    XK_TRY(contraction(c, p, &p->info, con));
    XK_TRY(clear_whole(c, p, &con->c));
    if (p->desc.prop != XK_BWD_WB)
        return XK_OK;
    XK_TRY(xk_conv_backward_bias(c, &p->desc, &p->info, con));
    return clear_whole(c, p, &con->c);
}
