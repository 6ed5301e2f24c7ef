/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on their way: lines of the data port, what L1 does not keep and comes
 * from L2, what memory needs. */
#include "schedule/score.h"

/* Elements of K in a block: those of a dpas depth where the schedule chooses
 * the layout. */
static int64_t k_block_of(const struct xk_shape *s, const struct xk_schedule *c)
{
    const bool blocks = xk_fma_family_of(c->fma)->dpas &&
                        (!c->slm || s->together) && !s->plain_a;
    return blocks ? c->k_step : 1;
}

/* Cycles of the data port for stores of C: mad's go out dword by dword,
 * into half as many lines if blocks of its K are whole ones; dpas's by
 * 32 bytes of a row, of which the port looks up each. */
enum { STORE_B = 32 };

static int64_t port_store(const struct xk_perf *f, const struct xk_shape *s,
                          const struct xk_schedule *c)
{
    const int64_t slices = xk_schedule_slices(c);
    const int64_t tile_b = (int64_t)c->m_thr * c->n_thr * 4;
    const bool blocks = k_block_of(s, c) > 1;
    if (!xk_fma_family_of(c->fma)->dpas)
        return (blocks ? tile_b : 2 * tile_b) / slices / f->slm_b_cyc;
    const int64_t row_b = c->n_thr * (int64_t)s->elem_b / slices;
    const int64_t lines = blocks ? c->m_thr * row_b / XK_LINE_B
                                 : c->m_thr * xk_ceil_div(row_b, STORE_B);
    return lines / f->lines_cyc;
}

int64_t xk_score_port_around(const struct xk_perf *f, const struct xk_shape *s,
                             const struct xk_schedule *c)
{
    const int64_t tile_b = (int64_t)c->m_thr * c->n_thr * 4;
    const int64_t slices = xk_schedule_slices(c);
    const int64_t sums = 2 * (slices - 1) * tile_b / slices / f->slm_b_cyc;
    return port_store(f, s, c) + sums + 5;
}

/* Lines that a dword of each row of A lies in: few where positions have few
 * elements. */
int64_t xk_score_row_lines(const struct xk_shape *s,
                           const struct xk_schedule *c)
{
    const int64_t few = xk_smaller(s->k_inner * s->elem_b, XK_LINE_B);
    const int64_t pitch = few < 4 ? 4 : few;
    const int64_t bytes = c->m_thr * pitch * xk_larger(s->stride, 1);
    return xk_smaller(xk_ceil_div(bytes, XK_LINE_B), c->m_thr);
}

/* Lines of A, of which places of K outside of A's intervals meet none: as if it
 * were padded to its own size. */
int64_t xk_score_inside(const struct xk_shape *s, int64_t lines)
{
    if (s->k_outer == 1 || s->positions_1k < 1024 || s->positions_1k >= 2048)
        return lines;
    return lines * 3072 / (2048 + s->positions_1k);
}

/* Bytes of L1 that positions with K in plain order can be in at one K: lines
 * that lie a power of two apart share few of its sets. */
static int64_t l1_bytes(const struct xk_perf *f, const struct xk_shape *s)
{
    int64_t lines =
        s->k_inner * s->elem_b * xk_larger(s->stride, 1) / XK_LINE_B;
    int64_t bytes = f->l1_b;
    for (; lines > 0 && lines % 2 == 0 && bytes > XK_LINE_B; lines /= 2)
        bytes /= 2;
    return bytes;
}

/* From few to many as what is used in turn outgrows what there is: soon all of
 * it is lost before it is used again. */
static int64_t outgrown(int64_t few, int64_t many, int64_t held, int64_t room)
{
    const int64_t over =
        xk_smaller(xk_larger(4 * held / 3 - room, 0), room / 2);
    return few + (many - few) * over / (room / 2);
}

/* Positions that so many tiles' rows read at all outer places of K: `most`, or
 * those of a run for each tile. */
static int64_t positions_of(const struct xk_shape *s, int64_t rows,
                            int64_t tiles, int64_t most)
{
    return xk_smaller(rows * s->positions_1k / 1024 + tiles * s->reach, most);
}

/* Rows of A that differ, of all outer places of K together: at most those of a
 * run of positions of each place, of which a window's places add one each. */
static int64_t rows_once(const struct xk_shape *s, const struct xk_schedule *c,
                         int64_t rows, int64_t tiles)
{
    const int64_t once = positions_of(s, rows, tiles, rows * s->k_outer);
    if (s->window.places < 2 || !xk_fma_family_of(c->fma)->dpas)
        return once;
    const int64_t more = tiles * (s->window.places - 1) * s->window.rows;
    return xk_smaller(once, (rows + more) * (s->k_outer / s->window.places));
}

/* All that rows read of packed places is brought once, and shared by the steps.
 */
static int64_t position_bytes(const struct xk_shape *s,
                              const struct xk_schedule *c, int64_t rows,
                              int64_t tiles)
{
    const int64_t most = rows * s->k_outer * xk_schedule_gathers(c);
    return positions_of(s, rows, tiles, most) * XK_PACK_FEW * s->elem_b /
           s->k_outer;
}

struct xk_score_lines xk_score_lines_a(const struct xk_perf *f,
                                       const struct xk_shape *s,
                                       const struct xk_schedule *c)
{
    const int64_t row_b = c->k_step * (int64_t)s->elem_b;
    /* mad's short steps use a line up before it is lost. */
    const bool plain = (s->plain_a && xk_fma_family_of(c->fma)->dpas) ||
                       (c->slm && !s->together);
    /* Slices of half a line read it at the same time. */
    const int64_t slice_b = s->k_inner * s->elem_b / xk_schedule_slices(c);
    /* Slices are at other K, in other sets. */
    return (struct xk_score_lines){
        row_b, plain ? xk_larger(row_b, xk_smaller(XK_LINE_B, slice_b)) : row_b,
        (plain ? l1_bytes(f, s) : f->l1_b) / xk_schedule_slices(c)};
}

/* Bytes of A that a step brings from L2 for so many different tiles of a core's
 * groups. Outer places of K read nearly the same positions, and what has K in
 * plain order has two steps in a line: as far as L1 holds them until then. */
static int64_t l2_bytes_a(const struct xk_score_tile *t,
                          const struct xk_schedule *c, int64_t tiles)
{
    const struct xk_shape *const s = t->seen;
    const struct xk_score_lines l = t->a;
    const int64_t rows = (int64_t)c->m_thr * c->tg_m * tiles;
    if (xk_schedule_packs(c))
        return position_bytes(s, c, rows, tiles);
    if (s->k_outer == 1 || !s->positions_1k)
        return outgrown(rows * l.row_b, rows * l.line_b, rows * l.line_b,
                        l.room_b);
    const int64_t all = rows_once(s, c, rows, tiles);
    /* Halves of a line follow each other behind all steps but those that share
     * rows, of which none needs the line again. */
    const int64_t brought =
        outgrown(all * l.row_b, all * l.line_b, all * l.line_b, l.room_b);
    const int64_t once = xk_score_inside(s, brought) / s->k_outer;
    if (c->holds)
        return once;
    const int64_t met = xk_score_inside(s, rows * l.line_b);
    return outgrown(once, xk_larger(once, met), met, l.room_b);
}

/* Times that a step brings a tile of B for so many readers of a core (a pair of
 * dpasw's is one), of all_b bytes of B that the core meets. After a round of
 * groups readers have drifted apart, and what one has brought is lost before
 * the next one comes: the more, the longer B is, and the fewer they are. In
 * 1024ths. */
static int64_t brought_b_1k(const struct xk_perf *f,
                            const struct xk_schedule *c,
                            const struct xk_score_load *l, int64_t all_b,
                            int64_t readers)
{
    const int64_t mates =
        xk_larger(c->tg_m / xk_fma_family_of(c->fma)->sharers_b, 1);
    if (!xk_schedule_is_flat(c) || !xk_fma_family_of(c->fma)->dpas ||
        l->n <= l->most)
        return 1024;
    const int64_t lost = 1024 * all_b / (all_b + readers * f->kept_b);
    const int64_t first = 1024 * l->most / l->n;
    /* Those of a group stay together half of the time. */
    const int64_t others = 2 * (readers - 1) - (readers - readers / mates);
    return 1024 + others * lost / 2 * (1024 - first * first / 1024) / 1024;
}

/* Bytes that a step of n groups of a core brings from L2: their tiles of A and
 * B, once. Groups are handed out in turn along N, so that a core's groups meet
 * few tiles of B where those along N divide the cores. */
static int64_t l2_bytes(const struct xk_score_tile *t,
                        const struct xk_schedule *c,
                        const struct xk_score_load *l)
{
    const struct xk_shape *const s = t->seen;
    const int64_t n = xk_smaller(l->n, l->most), cores = t->cores;
    const int64_t b = (int64_t)c->n_thr * c->tg_n * t->a.row_b;
    int64_t same = 1; /* largest power of two that divides both */
    while (same < cores && !(l->along_n & same))
        same *= 2;
    /* Each place of the batch that they meet has tiles of its own. */
    const int64_t place = l->along_n * xk_schedule_groups_m(c, s->m);
    const int64_t met =
        xk_smaller(xk_shape_batch(s), xk_ceil_div(n * cores, place));
    const int64_t tiles_b = xk_smaller(n, l->along_n / same * met);
    const int64_t tiles_a = xk_smaller(n, xk_ceil_div(n * cores, l->along_n));
    const int64_t readers = xk_larger(
        n * c->tg_m / xk_fma_family_of(c->fma)->sharers_b / tiles_b, 1);
    const int64_t a = l2_bytes_a(t, c, tiles_a);
    const int64_t all_b = tiles_b * b * s->k_outer * s->k_inner / c->k_step;
    const int64_t step_b =
        tiles_b * b * brought_b_1k(t->perf, c, l, all_b, readers) / 1024;
    return (a + step_b) * xk_schedule_slices(c);
}

int64_t xk_score_l2_cyc(const struct xk_score_tile *t,
                        const struct xk_schedule *c,
                        const struct xk_score_load *l)
{
    return l2_bytes(t, c, l) * l->n / xk_smaller(l->n, l->most) /
           t->perf->l2_b_cyc;
}

/* Cycles that memory needs for A and B once, in whole blocks. */
int64_t xk_score_read_cyc(const struct xk_perf *f, const struct xk_shape *s,
                          const struct xk_schedule *c)
{
    const int64_t unit = k_block_of(s, c);
    const int64_t k = s->k_inner <= XK_PACK_FEW
                          ? XK_PACK_FEW
                          : xk_ceil_div(s->k_inner, unit) * unit;
    /* Rows of A that the filter meets; beside each in a line one that it does
     * not, if rows are half a line. */
    int64_t rows = s->positions_1k ? s->m * s->positions_1k / 1024 : s->m;
    if (unit > 1 && s->stride > 1 && s->k_outer == 1)
        rows *= 2;
    const int64_t elements = rows * k + s->n * k * s->k_outer;
    return elements * s->elem_b / f->memory_b_cyc;
}

/* For C. */
int64_t xk_score_store_cyc(const struct xk_perf *f, const struct xk_shape *s,
                           const struct xk_schedule *c)
{
    const int64_t unit = k_block_of(s, c);
    return s->m * xk_ceil_div(s->n, unit) * unit * s->elem_b / f->memory_b_cyc;
}
