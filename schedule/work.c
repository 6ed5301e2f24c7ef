/* SPDX-License-Identifier: Apache-2.0 */
/* What one thread does in a step: multiplies, instructions, messages, its share
 * of the data port; and around its loop. It is what only the tile decides of a
 * score, or through SLM a group and its tile. */
#include "schedule/score.h"

/* Addresses move two registers an instruction; waits come with the sends. */
static int64_t issue_of(int64_t fma, int64_t sends, int64_t headers)
{
    return fma + sends + xk_ceil_div(headers, 2) + sends / 4 + 2;
}

/* Instructions of the slices' sums: an add for each two registers of what is
 * given away, half of what there is, and messages and headers. */
static int64_t exchange_work(const struct xk_schedule *c, int64_t rows)
{
    int64_t sum = 0;
    for (unsigned n = xk_schedule_slices(c); n > 1; n /= 2, rows /= 2)
        sum += rows * 3 / 8 + 15;
    return sum;
}

/* Instructions before and after the loop: coordinates and addresses; C is
 * converted and stored. */
static int64_t around(const struct xk_platform *p, const struct xk_shape *s,
                      const struct xk_schedule *c)
{
    const int64_t rows = (int64_t)c->m_thr * c->n_thr / xk_platform_dwords(p);
    int64_t addresses = 10;
    if (c->slm)
        addresses = 12 * s->k_outer * (c->m_thr / c->simd / c->tg_n);
    else if (xk_schedule_is_one_loop(c))
        addresses = 4 * s->k_outer * (c->m_thr / (2 * xk_platform_dwords(p)));
    if (s->sums) /* two bytes of each column: zeroed, added up, multiplied */
        addresses += 20 + c->n_thr / 2 + rows;
    if (xk_schedule_swaps_parts(p, s, c)) /* two registers of each half */
        addresses += rows / 2;
    return 120 + addresses + rows * 2 / xk_schedule_slices(c) +
           exchange_work(c, rows);
}

/* Cycles of the float pipe for the steps on C, of which each slice has its
 * part. */
static int64_t epilogue_cyc(const struct xk_perf *f, const struct xk_shape *s,
                            const struct xk_schedule *c)
{
    const int64_t elements =
        (int64_t)c->m_thr * c->n_thr / xk_schedule_slices(c);
    return elements * s->epilogue / f->mad_lanes;
}

static void set_around(const struct xk_platform *p, const struct xk_perf *f,
                       const struct xk_shape *s, const struct xk_schedule *c,
                       struct xk_score_work *w)
{
    const bool mad = !xk_fma_family_of(c->fma)->dpas;
    w->around = around(p, s, c);
    w->epilogue = epilogue_cyc(f, s, c);
    w->port_around = xk_score_port_around(f, s, c);
    w->first_pct = mad ? 100 : f->first_pct;
    w->later_pct = mad ? 100 : f->later_pct;
    w->once_cyc = mad ? f->launch : f->launch_dpas;
    w->round_cyc = mad ? f->round : f->round_dpas;
    for (unsigned n = xk_schedule_slices(c); n > 1; n /= 2) {
        w->once_cyc += mad ? f->exchange : f->exchange_dpas;
        w->round_cyc += mad ? 0 : f->exchange_later;
    }
}

/* mad and dp4a, which takes four elements at once. */
static struct xk_score_work mad_work(const struct xk_perf *f,
                                     const struct xk_shape *s,
                                     const struct xk_schedule *c)
{
    const int64_t deep = c->k_step / (c->fma == XK_FMA_DP4A ? 4 : 1);
    const int64_t rows = c->m_thr + s->totals; /* which are a row of ones */
    const int64_t mads = rows * deep * (c->n_thr / c->simd);
    const int64_t gathers = c->m_thr / c->simd;
    const int64_t blocks = xk_ceil_div(c->n_thr * deep, 64);
    struct xk_score_work w = {0};
    w.fma_cyc = mads * c->simd / f->mad_lanes;
    w.issue = issue_of(mads, gathers + blocks, 2 * gathers + blocks);
    w.port_cyc =
        xk_ceil_div(xk_score_row_lines(s, c) + blocks * 4, f->lines_cyc);
    if (s->loose_a && c->fma == XK_FMA_DP4A) { /* element by element */
        w.port_cyc += gathers * c->k_step;
        w.issue += gathers * c->k_step * 5 / 2;
    }
    w.sends = gathers + blocks;
    return w;
}

/* Blocks of B that a thread loads for a dpas depth. */
static int64_t blocks_b(const struct xk_platform *p,
                        const struct xk_schedule *c)
{
    return xk_ceil_div(c->n_thr,
                       p->dpas_rows * xk_fma_family_of(c->fma)->sharers_b);
}

/* Messages, lines and moves of an operand in a step. */
struct bring {
    int64_t sends, lines, issue;
};

/* Instructions that put so many dwords in order, as many as lanes at a time:
 * two elements of a dword at once where they come in registers apart, by a
 * factor that is a move before (codegen/reorder.c). */
static int64_t order_issue(const struct xk_shape *s,
                           const struct xk_schedule *c, int64_t dwords,
                           bool apart)
{
    const int64_t each = 4 / s->elem_b;
    return dwords / c->simd * (apart && each == 2 ? 1 : each);
}

/* A as a message for one place of K or several, each of which takes a cycle; a
 * dpas's rows are moved at a time. Blocks that leave the tensor are zeros
 * before. */
static struct bring turned_a(const struct xk_platform *p,
                             const struct xk_perf *f, const struct xk_shape *s,
                             const struct xk_schedule *c)
{
    const int64_t row_b = c->m_thr * (int64_t)s->elem_b, k = c->k_step;
    const int64_t lines = k * xk_ceil_div(row_b, XK_LINE_B);
    const int64_t sends = k / xk_schedule_places_together(p, s, c);
    return (struct bring){sends, xk_larger(lines, sends * f->lines_cyc),
                          order_issue(s, c, k * row_b / 4, true) +
                              (s->leaves_a && sends == k ? lines : 0)};
}

/* Rows of B that a thread has of its own. */
static int64_t rows_b(const struct xk_schedule *c)
{
    return c->n_thr / xk_fma_family_of(c->fma)->sharers_b;
}

/* B a lane a place of K, so much of rows at a time as a lane has. */
static struct bring turned_b(const struct xk_platform *p,
                             const struct xk_shape *s,
                             const struct xk_schedule *c)
{
    const int64_t row_b = rows_b(c) * s->elem_b, k = c->k_step;
    const int64_t parts = xk_ceil_div(row_b, 4 * p->lane_dwords);
    return (struct bring){
        k / c->simd * parts, k * parts,
        order_issue(s, c, k * row_b / 4, xk_schedule_turns_a(s, c))};
}

/* B an element a lane, places of K of a row in the lanes: a line, or each its
 * own. */
static struct bring elements_b(const struct xk_platform *p,
                               const struct xk_shape *s,
                               const struct xk_schedule *c)
{
    const int64_t messages =
        rows_b(c) * xk_ceil_div(c->k_step, p->message_lanes);
    const int64_t lines = s->loose_b ? rows_b(c) * c->k_step : messages;
    return (struct bring){messages, lines, 2 * messages};
}

/* Instructions of a walk over all of K: where a step is; where it crosses
 * another index's places, of each of its places in A, and of B's lanes. */
static int64_t walk_issue(const struct xk_shape *s, const struct xk_schedule *c)
{
    enum { STEP = 8, PLACE = 6, LANES = 24, MASK = 4 };
    const int64_t parts = c->m_thr / c->simd, k = c->k_step;
    if (!xk_schedule_is_walk(c))
        return 0;
    if (s->k_inner % k == 0)
        return STEP + (s->leaves_a ? MASK * parts : 0);
    const int64_t places = k % s->k_inner ? k : k / s->k_inner;
    return xk_schedule_turns_a(s, c) ? PLACE * places + LANES
                                     : LANES * (parts + 1);
}

/* Loads of a dpas's rows of A in a step: a thread's part of those of a group;
 * rounded up, those of steps that share rows. */
static int64_t gathers_of(const struct xk_shape *s, const struct xk_schedule *c,
                          int64_t tiles)
{
    if (c->slm)
        return xk_ceil_div(tiles, c->tg_n);
    return xk_ceil_div(tiles + xk_schedule_more_rows(s, c) / c->simd,
                       xk_schedule_served(c));
}

/* Lines of a step's share of so many loads, where several steps share rows. */
static int64_t lines_of(const struct xk_shape *s, const struct xk_schedule *c,
                        int64_t lines)
{
    const int64_t all = c->m_thr + xk_schedule_more_rows(s, c);
    return c->holds ? lines / gathers_of(s, c, c->m_thr / c->simd) * all /
                          c->simd / xk_schedule_served(c)
                    : lines;
}

static struct xk_score_work dpas_work(const struct xk_platform *p,
                                      const struct xk_perf *f,
                                      const struct xk_shape *s,
                                      const struct xk_schedule *c)
{
    const int64_t squares = c->m_thr / c->simd + s->totals; /* of ones */
    const int64_t dpas = squares * (c->n_thr / p->dpas_rows);
    const int64_t blocks = blocks_b(p, c);
    const int64_t block_lines = p->dpas_rows * p->dpas_depth_b / XK_LINE_B;
    const int64_t gather_b = c->simd * p->dpas_depth_b;
    const int64_t tiles = c->m_thr / c->simd * xk_schedule_gathers(c);
    const int64_t gathers = gathers_of(s, c, tiles);
    struct xk_score_work w = {0};
    /* A step of a row is half a line, unless K is blocked by it. */
    const int64_t per_gather =
        xk_schedule_packs(c) ? 1
        : (c->slm && !s->together) || s->plain_a || s->stride > 1
            ? c->simd
            : gather_b / XK_LINE_B;
    /* A message without a gap takes as long if it brings nothing. */
    const int64_t lines_a = lines_of(s, c, gathers * per_gather);
    const bool gaps = per_gather > gather_b / XK_LINE_B || xk_schedule_packs(c);
    int64_t lines =
        (gaps ? xk_score_inside(s, lines_a) : lines_a) + blocks * block_lines;
    int64_t sends = gathers + blocks;
    int64_t moves = gathers + blocks;
    w.fma_cyc = dpas * p->dpas_rows * f->dpas_row;
    if (c->slm) { /* write a share, read one's rows; fence and barrier */
        sends += gathers + tiles + 2;
        moves += gathers + tiles;
        w.port_cyc = gathers * gather_b / f->slm_b_cyc;
        w.port_cyc += c->m_thr / c->simd * (gather_b / f->slm_b_cyc);
    }
    w.issue = issue_of(dpas, sends, moves) + walk_issue(s, c);
    if (s->sums) /* a dp4a of 16 lanes takes two cycles */
        w.issue += rows_b(c);
    if (!c->slm && (s->loose_b || s->leaves_b || xk_schedule_turns_b(s, c))) {
        const struct bring b =
            xk_schedule_turns_b(s, c) ? turned_b(p, s, c) : elements_b(p, s, c);
        w.issue += b.issue + b.sends - blocks;
        w.order_cyc += xk_schedule_turns_b(s, c) ? b.issue : 0;
        lines += b.lines - blocks * block_lines;
        sends += b.sends - blocks;
    }
    if (xk_schedule_turns_a(s, c)) {
        /* A dummy stands in front of each chain of a src1 that was put in
         * order (isa/workaround.def, rs_dpas_fused). */
        w.fma_cyc += c->m_thr / c->simd * p->dpas_rows * f->dpas_row;
        const struct bring a = turned_a(p, f, s, c);
        w.issue += a.issue + a.sends * 3 / 2 - gathers;
        w.order_cyc += a.issue;
        lines += a.lines - lines_a;
        sends += a.sends - gathers;
    } else if (s->loose_a) { /* a message for one or two elements; they are
                                packed */
        const int64_t n = tiles * c->k_step;
        lines += n * f->lines_cyc;
        w.issue += n * 5 / 2;
    }
    w.port_cyc += xk_ceil_div(lines, f->lines_cyc);
    w.sends = sends;
    return w;
}

struct xk_score_work xk_score_work_of(const struct xk_platform *p,
                                      const struct xk_perf *f,
                                      const struct xk_shape *s,
                                      const struct xk_schedule *c)
{
    struct xk_score_work w = xk_fma_family_of(c->fma)->dpas
                                 ? dpas_work(p, f, s, c)
                                 : mad_work(f, s, c);
    set_around(p, f, s, c, &w);
    return w;
}
