/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/split_sum.h"

#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "gen/contraction_launches.h"
#include "gen/empty_classes.h"
#include "gen/gen.h"
#include "lower/flat_nest.h"
#include "plan/plan.h"
#include "views/access.h"

enum {
    MOST_PARTS = 64,
    FINISH_ROWS =
        8,        /* of a thread that adds parts up: as few as there can be */
    WORTH_PCT = 3 /* less than that saved, and the sum stays whole */
};

/* The parts of C, and of the totals that the contraction may have. */
#define PART "part"
#define PART_TOTALS "totals"

static int64_t part_elements(const struct xk_layout *l, unsigned of)
{
    const int64_t n = xk_layout_size_b(l) / xk_dtype_b(l->dt);
    const int64_t align_e = of ? XK_PART_ALIGN_B / 4 : 1;
    return (n + align_e - 1) / align_e * align_e;
}

/* a's memory parts times, in the accumulators' type, with the index of parts as
 * the dim in front. False: there is no room for it, or it is too large. */
static bool add_part_dim(const struct xk_contraction *p, struct xk_access *a,
                         unsigned index, int64_t parts, unsigned of)
{
    struct xk_layout *const l = &a->layout;
    const int64_t part_e = part_elements(l, of);
    if (l->n_dims == XK_LAYOUT_MAX_DIMS || a->n_coord == XK_MAX_COORD ||
        l->n_blocks == XK_LAYOUT_MAX_BLOCKS || l->offset_e ||
        part_e > XK_FLAT_MAX_B / 4 / parts / (of ? of : 1))
        return false;
    memmove(&l->dim[1], l->dim, l->n_dims * sizeof(l->dim[0]));
    memmove(&l->padded[1], l->padded, l->n_dims * sizeof(l->padded[0]));
    memmove(&l->block[1], l->block, l->n_blocks * sizeof(l->block[0]));
    memmove(&a->at[1], a->at, a->n_coord * sizeof(a->at[0]));
    for (unsigned i = 1; i <= l->n_blocks; i++)
        l->block[i].dim++;
    l->dt = p->acc_dt;
    l->dim[0] = l->padded[0] = parts;
    l->block[0] = (struct xk_block){.size = parts, .stride = part_e};
    l->n_dims++;
    l->n_blocks++;
    a->n_coord++;
    a->at[0] = (struct xk_coord){.hi = parts};
    a->at[0].coef[index] = 1;
    strcpy(a->name, a == &p->c ? PART : PART_TOTALS);
    return true;
}

/* p with K index i in so many parts. Where their index is one of N it is the
 * outermost, so that neighbouring columns are so in memory. */
static bool split_index(const struct xk_contraction *p, unsigned i,
                        int64_t parts, unsigned of, struct xk_contraction *out)
{
    char name[sizeof(p->index[i].name)];
    memcpy(name, p->index[i].name, sizeof(name));
    xk_contraction_copy(out, p);
    out->n_epi = 0;
    if (!out->totals) /* which are the only input */
        out->n_inputs = 0;
    if (out->n_index == XK_MAX_INDEX)
        return false;
    xk_contraction_split(out, i, p->index[i].extent / parts, PART, name);
    if (!add_part_dim(out, &out->c, i, parts, of) ||
        (out->totals && !add_part_dim(out, &out->input[0], i, parts, of)))
        return false;
    out->index[i].role =
        (uint8_t)xk_role_of(xk_access_uses(&out->a) >> i & 1,
                            xk_access_uses(&out->b) >> i & 1, true);
    if (out->index[i].role == XK_ROLE_N)
        xk_contraction_move(out, i, 0);
    return true;
}

/* How often a thread that adds parts up waits for memory: for as many parts as
 * a reduction asks for together, which is little beside sums by weights. Behind
 * a contraction for each of its rows, and for each part of it if they are too
 * many to be asked for together. */
static int64_t finish_waits(const struct xk_contraction *p, int64_t parts,
                            bool memory)
{
    if (xk_split_sum_reduces(p))
        return memory ? xk_ceil_div(parts, XK_REDUCE_SLOTS) : 0;
    return FINISH_ROWS * (parts + p->n_inputs > XK_PLAN_MAX_AHEAD ? parts : 1);
}

/* Cycles of the launch that adds parts up, and of that for totals: it reads
 * them once, and nothing comes ahead of its use. Where zeros are written first,
 * into all parts instead of C, what they are more. */
static int64_t sum_cyc(const struct xk_perf *f, const struct xk_contraction *p,
                       int64_t parts, bool memory)
{
    const int64_t launch = memory ? f->launch_alone : f->launch;
    const int64_t out_b = xk_layout_size_b(&p->c.layout);
    const int64_t all_b = parts * out_b / xk_dtype_b(p->c.layout.dt) * 4;
    const int64_t totals =
        p->totals
            ? launch + (parts + 1) * xk_layout_size_b(&p->input[0].layout) /
                           f->memory_b_cyc
            : 0;
    const bool zeros = xk_split_sum_reduces(p) && !xk_contraction_pads(p);
    const int64_t zeros_b = zeros ? all_b - out_b : 0;
    return launch + totals + (all_b + out_b + zeros_b) / f->memory_b_cyc +
           finish_waits(p, parts, memory) * f->late_cyc;
}

/* What is tried, and the best of it so far. */
struct search {
    xk_ctx *c;
    const struct xk_platform *platform;
    const struct xk_contraction *p;
    struct xk_split_ask ask;
    struct xk_split_sum *best;
    struct xk_contraction *one; /* room for a split */
    int64_t score, most;        /* of the best; a split must be below `most` */
};

/* Its cycles; INT64_MAX if there is no schedule for it. */
static enum xk_status score_of(const struct search *s,
                               const struct xk_contraction *p, int64_t *out)
{
    const enum xk_status status =
        xk_contraction_problem_score(s->c, s->platform, p, out);
    if (status == XK_OK || status == XK_ENOMEM)
        return status;
    xk_ctx_clear(s->c);
    *out = INT64_MAX;
    return XK_OK;
}

/* Less than that, second launch included, and a sum of so many cycles is split.
 */
static int64_t worth_cyc(int64_t whole)
{
    return whole / 100 * (100 - WORTH_PCT);
}

/* Cycles of a launch in which memory gives and takes so many bytes. */
static int64_t read_and_take_cyc(const struct xk_perf *f, int64_t read_b,
                                 int64_t taken_b)
{
    return f->launch + (read_b + taken_b) / f->memory_b_cyc;
}

bool xk_split_sum_may_pay(const struct xk_platform *platform, int64_t read_b,
                          int64_t c_e, int64_t whole)
{
    const struct xk_perf *const f = xk_perf_get(platform->id);
    const int64_t both_b = 2 * 4 * c_e;
    return read_and_take_cyc(f, read_b, both_b) + f->launch_alone +
               f->late_cyc + both_b / f->memory_b_cyc <
           worth_cyc(whole);
}

/* Bytes of all parts. */
static int64_t parts_b(const struct xk_contraction *p, int64_t parts)
{
    return parts * xk_layout_size_b(&p->c.layout) / xk_dtype_b(p->c.layout.dt) *
           4;
}

/* Cycles in which memory gives A and B once and takes all parts. */
static int64_t parts_least(const struct xk_perf *f,
                           const struct xk_contraction *p, int64_t parts)
{
    return read_and_take_cyc(
        f, xk_layout_size_b(&p->a.layout) + xk_layout_size_b(&p->b.layout),
        parts_b(p, parts));
}

/* Cycles of the launch of parts whose own score is known. That counts the
 * stores of one part, in the type of A. All groups are there at once, or nearly
 * so, and store at the end, beside which nobody multiplies. */
static int64_t parts_cyc(const struct xk_perf *f,
                         const struct xk_contraction *p, int64_t parts,
                         int64_t score)
{
    const int64_t counted_b = parts_b(p, 1) / 4 * xk_dtype_b(p->a.layout.dt);
    return xk_larger(parts_least(f, p, parts),
                     score + (parts_b(p, parts) - counted_b) / f->memory_b_cyc);
}

static enum xk_status try_split(struct search *s, unsigned i, int64_t parts)
{
    const struct xk_perf *const f = xk_perf_get(s->platform->id);
    const bool memory = s->ask.memory;
    const int64_t sum = sum_cyc(f, s->p, parts, memory);
    const int64_t most = xk_smaller(s->score, s->most) - sum;
    const int64_t least = memory ? parts_least(f, s->p, parts) : 0;
    int64_t score;
    if (least >= most || !split_index(s->p, i, parts, s->ask.of, s->one))
        return XK_OK;
    XK_TRY(score_of(s, s->one, &score));
    if (score >= most) /* which may be none at all */
        return XK_OK;
    if (memory)
        score = parts_cyc(f, s->p, parts, score);
    if (score >= most)
        return XK_OK;
    s->score = score + sum;
    s->best->parts = (uint32_t)parts;
    xk_contraction_copy(&s->best->of, s->one);
    return XK_OK;
}

/* Parts that the second launch has room for. */
static int64_t parts_limit(const struct xk_contraction *p)
{
    const int inputs = XK_MAX_INPUTS - p->n_inputs, ops = XK_MAX_EPI - p->n_epi;
    if (xk_split_sum_reduces(p))
        return MOST_PARTS;
    return inputs < ops ? inputs : ops;
}

static enum xk_status try_index(struct search *s, unsigned i)
{
    const int64_t extent = s->p->index[i].extent, most = parts_limit(s->p);
    for (int64_t parts = 2; parts <= most && parts <= extent; parts++)
        if (extent % parts == 0 && (!s->ask.given || s->ask.given == parts))
            XK_TRY(try_split(s, i, parts));
    return XK_OK;
}

static enum xk_status try_all(struct search *s)
{
    const struct xk_contraction *const p = s->p;
    s->score = s->most = INT64_MAX;
    if (!s->ask.given) {
        s->score = s->ask.whole;
        if (!s->score)
            XK_TRY(score_of(s, p, &s->score));
        s->most = worth_cyc(s->score);
    }
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].role == XK_ROLE_K)
            XK_TRY(try_index(s, i));
    return XK_OK;
}

bool xk_split_sum_reduces(const struct xk_contraction *p)
{
    return p->acc_dt == XK_DT_F32 && !p->n_epi;
}

/* Why a sum is never split; NULL: it may be. */
static const char *why_whole(const struct xk_contraction *p)
{
    if (xk_contraction_wants_s32(p))
        return "there are sums of zero points";
    if (p->n_class_dims)
        return "there are several classes";
    if (!xk_split_sum_reduces(p) && xk_contraction_extent(p, XK_ROLE_BATCH) > 1)
        return "there are several groups";
    return NULL;
}

/* Cycles that are saved if parts add to C by atomic operations. Zeros in C
 * cost as much as a launch that adds parts up and has none. The parts do not go
 * to memory and back; each of their elements takes a cycle of its core's way
 * to L2. */
static int64_t saved_cyc(const struct xk_perf *f,
                         const struct xk_contraction *p, int64_t parts)
{
    const int64_t out_b = xk_layout_size_b(&p->c.layout);
    const int64_t part_e = out_b / xk_dtype_b(p->c.layout.dt);
    return 2 * parts * part_e * 4 / f->memory_b_cyc -
           parts * part_e / xk_perf_cores(f);
}

/* The parts become C if that is worth it: nothing is stored but sums of f32,
 * and their loops are mad's. With dpas nothing was gained where this promised
 * 3 % (docs/measurements.md). */
static void choose_adds(const struct search *s, struct xk_split_sum *out)
{
    const struct xk_contraction *const p = s->p;
    if (out->parts == 1 || s->ask.ordered || !xk_split_sum_reduces(p) ||
        p->c.layout.dt != XK_DT_F32 || p->a.layout.dt != XK_DT_F32)
        return;
    out->adds = saved_cyc(xk_perf_get(s->platform->id), p, out->parts) >=
                s->score / 100 * WORTH_PCT;
    if (out->adds)
        out->of.c.layout.block[0].stride = 0;
}

static enum xk_status check_given(xk_ctx *c, unsigned given,
                                  const char *refused, unsigned parts)
{
    if (given < 2 || parts > 1)
        return XK_OK;
    return xk_fail(c, XK_EINVAL, "XK_SCHEDULE: splits=%u: %s", given,
                   refused ? refused
                           : "no index of K is so many parts that a valid "
                             "schedule adds up");
}

/* Whether C is so large that its tiles give the machine all the threads that it
 * has with the larger register file, if accumulators are half of that. */
static bool fills_machine(const struct xk_platform *f,
                          const struct xk_contraction *p)
{
    const int64_t threads =
        (int64_t)xk_perf_get(f->id)->n_eu * f->threads_per_eu / 2;
    const int64_t acc_e = 128 * f->grf_b / 4; /* of 256 registers */
    const int64_t lanes = f->grf_b / 4, n = xk_contraction_extent(p, XK_ROLE_N);
    return xk_contraction_extent(p, XK_ROLE_M) *
               (xk_ceil_div(n, lanes) * lanes) *
               xk_contraction_extent(p, XK_ROLE_BATCH) >=
           threads * acc_e;
}

/* Whether the score is asked if nobody says how many parts there are. With mad
 * the timing model had 21 of 28 sums slower in parts that the score called
 * faster (docs/measurements.md). */
static bool may_choose(const struct xk_platform *f,
                       const struct xk_contraction *p, struct xk_split_ask ask)
{
    return !ask.memory ||
           (xk_dtype_b(p->a.layout.dt) < 4 && !fills_machine(f, p));
}

enum xk_status xk_split_sum_choose(xk_ctx *c,
                                   const struct xk_platform *platform,
                                   const struct xk_contraction *p,
                                   struct xk_split_ask ask,
                                   struct xk_split_sum *out)
{
    struct search s = {
        .c = c, .platform = platform, .p = p, .ask = ask, .best = out};
    const char *const refused = why_whole(p);
    out->parts = 1;
    out->adds = false;
    out->score = INT64_MAX;
    out->part_e = part_elements(&p->c.layout, ask.of);
    if (ask.given == 1 || (!ask.given && !may_choose(platform, p, ask)))
        return XK_OK;
    if (!refused) {
        s.one = xk_malloc(c, sizeof(*s.one));
        const enum xk_status status = s.one ? try_all(&s) : XK_ENOMEM;
        xk_free(c, s.one);
        XK_TRY(status);
        choose_adds(&s, out);
        out->score = s.score;
    }
    return check_given(c, ask.given, refused, out->parts);
}

enum xk_status xk_split_sum_given(xk_ctx *c, unsigned *splits)
{
    struct xk_schedule_fixed fixed;
    *splits = 0;
    XK_TRY(xk_given_schedule_parse(c, &fixed));
    if (!xk_schedule_names(&fixed, "splits"))
        return XK_OK;
    *splits = fixed.to.splits;
    return *splits ? XK_OK
                   : xk_fail(c, XK_EINVAL,
                             "XK_SCHEDULE: splits=0, need 1 to %d", UINT8_MAX);
}

/* The parts, which are added in their order in front of all else. */
static void insert_parts(const struct xk_contraction *p,
                         const struct xk_split_sum *s,
                         struct xk_contraction *out)
{
    memmove(&out->epi[s->parts], out->epi, p->n_epi * sizeof(out->epi[0]));
    for (unsigned i = 0; i < s->parts; i++) {
        out->epi[i] = (struct xk_epi_op){.kind = XK_EPI_ADD,
                                         .input = out->n_inputs,
                                         .in_acc = p->acc_dt == XK_DT_S32};
        struct xk_access *const a = xk_contraction_add_input(out);
        a->layout = s->of.c.layout;
        a->n_coord = s->of.c.n_coord;
        a->at[0] = (struct xk_coord){.base = i, .hi = s->parts};
        memcpy(&a->at[1], p->c.at, p->c.n_coord * sizeof(a->at[0]));
        snprintf(a->name, sizeof(a->name), "part%u", i);
    }
    out->n_epi = (uint8_t)(p->n_epi + s->parts);
}

/* Few rows, so that many threads wait at once; N in the lanes where it may be.
 */
static const char *finish_schedule(const struct xk_contraction *p)
{
    _Static_assert(FINISH_ROWS == 8, "m");
    return p->acc_dt == XK_DT_S32 ? "fma=dp4a simd=8 m=8 walk=o:p"
                                  : "simd=8 m=8 walk=o:p";
}

enum xk_status xk_split_sum_finish(xk_ctx *c,
                                   const struct xk_platform *platform,
                                   const struct xk_contraction *p,
                                   const struct xk_split_sum *s,
                                   struct xk_contraction_problem *out)
{
    struct xk_schedule_fixed fixed = {0};
    struct xk_contraction *const con = &out->nest.of;
    memset(out, 0, sizeof(*out));
    xk_contraction_copy(con, p);
    xk_contraction_empty_operands(p, con);
    insert_parts(p, s, con);
    XK_TRY(xk_contraction_check(c, con));
    XK_TRY(xk_contraction_prepare(c, con));
    XK_TRY(xk_schedule_parse(c, finish_schedule(con), &fixed));
    return xk_contraction_problem_empty(c, platform, &fixed,
                                        "adds its parts up", out);
}
