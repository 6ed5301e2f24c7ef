/* SPDX-License-Identifier: Apache-2.0 */
/* The score of a schedule: predicted cycles of the launch. A core works on as
 * many groups at a time as registers and SLM allow, the oldest first, and takes
 * as long as what is busiest (multipliers, issue, the data port, the way from
 * L2), and what the last threads wait for. How long that is is fitted to the
 * timing model of sim/. Integers, so that every compiler picks the same
 * candidate. */
#include "schedule/schedule.h"

#define LINE_B 64 /* of L1 */

static int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Of a group. */
static int64_t threads(const struct xk_schedule *c)
{
    return (int64_t)c->tg_m * c->tg_n * xk_schedule_slices(c);
}

/* Units of 8 pixels of the group's footprint that a thread loads for all taps.
 */
static int64_t units(const struct xk_shape *s, const struct xk_schedule *c)
{
    const int64_t rows = (int64_t)c->m_thr * c->tg_m;
    const int64_t pixels = rows * s->pixels_1k / 1024 + s->reach + 1;
    return xk_ceil_div(pixels, 8 * c->tg_m * c->tg_n);
}

/* What one thread does in one step; through SLM, from barrier to barrier. */
struct work {
    int64_t fma_cyc, issue;       /* cycles of multipliers; instructions */
    int64_t port_cyc;             /* of the core's data port: lines, SLM */
    int64_t tile_cyc;             /* the same for each 8 rows of a thread */
    int64_t port_around;          /* the same around the loop */
    int64_t around;               /* instructions before and after the loop */
    int64_t first_pct, later_pct; /* cycles of one in hundredths, see xk_perf */
    /* What nobody else fills: of the launch, of each round of groups behind the
     * first. */
    int64_t once_cyc, round_cyc;
    int64_t alone_cyc; /* what a thread waits for */
};

/* Addresses move two registers an instruction; waits come with the sends. */
static int64_t issue_of(int64_t fma, int64_t sends, int64_t headers)
{
    return fma + sends + xk_ceil_div(headers, 2) + sends / 4 + 2;
}

/* Through SLM: it, fence and barrier, whose wait follows its signal at once
 * with fewer than three buffers; each part of B that is not loaded ahead. */
static int64_t waits_slm(const struct xk_perf *f, const struct xk_schedule *c,
                         int64_t parts, int64_t cold)
{
    const int64_t barriers = c->slm == 3 ? 1 : c->slm == 2 ? 2 : 3;
    const int64_t depth = xk_schedule_depth(c);
    const int64_t barrier = f->barrier + f->barrier_thread * threads(c);
    const int64_t b = c->slots_b > 1 ? 0 : f->late_cyc * parts * depth;
    return depth * f->slm_latency + barrier * barriers + b + cold / 4;
}

/* What is left of a load's time when its buffer's turn comes: with two buffers
 * after a step of the thread's own, with three after two. */
static int64_t left(int64_t late, unsigned slots, int64_t step)
{
    return max(late - (slots - 1) * step, 0);
}

/* What a thread waits for in a step of so many cycles of its own. Loads come
 * ahead if there is room; else rows follow each other, and parts of B wait. cold:
 * what loads take longer than from caches. */
static int64_t waits(const struct xk_perf *f, const struct xk_schedule *c,
                     int64_t fma_cyc, int64_t sends, int64_t cold)
{
    const int64_t parts = c->n_thr / c->n_sub;
    if (c->slm)
        return waits_slm(f, c, parts, cold);
    const int64_t base = xk_fma_is_systolic(c->fma)
                             ? f->exposed_dpas + f->send_cyc * sends
                             : f->exposed;
    const int64_t late = f->latency + cold;
    const bool lines = c->load_a == XK_LOAD_LINES; /* each row's after its moves */
    const unsigned ahead = c->window ? 2 : xk_schedule_ahead_a(c) + lines;
    const int64_t a = c->slots_a > 1 || lines || c->window
                          ? left(late, ahead, fma_cyc)
                          : f->rows_cyc + cold;
    const int64_t b = c->slots_b > 1 ? left(late, c->slots_b, fma_cyc)
                                     : f->late_cyc * parts;
    return base + max(a, b) + min(a, b) * f->both_pct / 100;
}

/* Instructions of the slices' sums: an add for each two registers of what is given
 * away, half of what there is, and messages and headers. */
static int64_t exchange(const struct xk_schedule *c, int64_t rows)
{
    int64_t sum = 0;
    for (unsigned n = xk_schedule_slices(c); n > 1; n /= 2, rows /= 2)
        sum += rows * 3 / 8 + 15;
    return sum;
}

/* Instructions before and after the loop: coordinates and addresses; C is
 * converted and stored. */
static int64_t around(const struct xk_shape *s, const struct xk_schedule *c)
{
    const int64_t rows = (int64_t)c->m_thr * c->n_thr / 8;
    int64_t taps = 10;
    if (c->footprint)
        taps = 40 * units(s, c) + 2 * c->m_thr;
    else if (c->slm)
        taps = 12 * s->k_outer * (c->m_thr / 8 / c->tg_n);
    else if (c->taps_inner)
        taps = 4 * s->k_outer * (c->m_thr / 16);
    return 120 + taps + rows * 2 / xk_schedule_slices(c) +
           exchange(c, rows);
}

/* Channels of a block: those of a dpas depth where the schedule chooses the
 * layout. */
static int64_t block_of(const struct xk_shape *s, const struct xk_schedule *c)
{
    const bool blocks =
        xk_fma_is_systolic(c->fma) && (!c->slm || s->images) && !s->plain_a;
    return blocks ? c->k_step : 1;
}

/* Of the data port's cycles those that stores of C take: mad's go out dword by dword,
 * into half as many lines if blocks of its channels are whole ones; dpas's by whole
 * lines, or a thread's part of each row's. */
static int64_t port_store(const struct xk_perf *f, const struct xk_shape *s,
                          const struct xk_schedule *c)
{
    const int64_t slices = xk_schedule_slices(c);
    const int64_t tile_b = (int64_t)c->m_thr * c->n_thr * 4;
    const bool blocks = block_of(s, c) > 1;
    if (!xk_fma_is_systolic(c->fma))
        return (blocks ? tile_b : 2 * tile_b) / slices / f->slm_b_cyc;
    const int64_t row_b = c->n_thr * (int64_t)s->elem_b / slices;
    const int64_t lines = blocks ? c->m_thr * row_b / LINE_B
                                 : c->m_thr * xk_ceil_div(row_b, LINE_B);
    return lines / f->lines_cyc;
}

/* Of the data port: C goes out; sums of slices go in and out of SLM. */
static int64_t port_around(const struct xk_perf *f, const struct xk_shape *s,
                           const struct xk_schedule *c)
{
    const int64_t tile_b = (int64_t)c->m_thr * c->n_thr * 4;
    const int64_t slices = xk_schedule_slices(c);
    const int64_t sums = 2 * (slices - 1) * tile_b / slices / f->slm_b_cyc;
    return port_store(f, s, c) + sums + 5;
}

static void set_around(const struct xk_perf *f, const struct xk_shape *s,
                       const struct xk_schedule *c, struct work *w)
{
    const bool mad = !xk_fma_is_systolic(c->fma);
    w->around = around(s, c);
    w->port_around = port_around(f, s, c);
    w->first_pct = mad ? 100 : f->first_pct;
    w->later_pct = mad ? 100 : f->later_pct;
    w->once_cyc = mad ? f->launch : f->launch_dpas;
    w->round_cyc = mad ? f->round : f->round_dpas;
    for (unsigned n = xk_schedule_slices(c); n > 1; n /= 2) {
        w->once_cyc += mad ? f->exchange : f->exchange_dpas;
        w->round_cyc += mad ? 0 : f->exchange_later;
    }
}

/* Lines that a dword of each row of A lies in: few where pixels have few
 * channels. */
static int64_t row_lines(const struct xk_shape *s, const struct xk_schedule *c)
{
    const int64_t few = min(s->k_inner * s->elem_b, LINE_B);
    const int64_t pitch = few < 4 ? 4 : few;
    const int64_t bytes = c->m_thr * pitch * max(s->stride, 1);
    return min(xk_ceil_div(bytes, LINE_B), c->m_thr);
}

/* mad and dp4a, which takes four elements at once. */
static struct work mad_work(const struct xk_perf *f, const struct xk_shape *s,
                            const struct xk_schedule *c, int64_t cold)
{
    const int64_t deep = c->k_step / (c->fma == XK_FMA_DP4A ? 4 : 1);
    const int64_t mads = (int64_t)c->m_thr * deep * (c->n_thr / c->simd);
    const int64_t gathers = c->m_thr / c->simd;
    const int64_t blocks = xk_ceil_div(c->n_thr * deep, 64);
    struct work w = {0};
    w.fma_cyc = mads * c->simd / f->mad_lanes;
    w.issue = issue_of(mads, gathers + blocks, 2 * gathers + blocks);
    w.port_cyc = xk_ceil_div(row_lines(s, c) + blocks * 4, f->lines_cyc);
    if (s->loose_a && c->fma == XK_FMA_DP4A) { /* element by element */
        w.port_cyc += gathers * c->k_step;
        w.issue += gathers * c->k_step * 5 / 2;
    }
    w.alone_cyc = waits(f, c, w.fma_cyc, gathers + blocks, cold);
    set_around(f, s, c, &w);
    return w;
}

/* Lines of A, of which filter taps beyond the image's edge meet none: as if it
 * were padded to its own size. */
static int64_t inside(const struct xk_shape *s, int64_t lines)
{
    if (s->k_outer == 1 || s->pixels_1k < 1024 || s->pixels_1k >= 2048)
        return lines;
    return lines * 3072 / (2048 + s->pixels_1k);
}

/* Blocks of B that a thread loads for a dpas depth. */
static int64_t blocks_b(const struct xk_schedule *c)
{
    return xk_ceil_div(c->n_thr, c->fma == XK_FMA_DPASW ? 16 : 8);
}

/* Of so many loads of 8 rows of A a step those that bring something: taps that share
 * registers load what the last of them has more. In 16ths. */
static int64_t brought_16(const struct xk_shape *s, const struct xk_schedule *c,
                          int64_t gathers)
{
    struct xk_neighbours n;
    if (!c->window || !xk_schedule_window(s, c, &n))
        return 16 * gathers;
    return 16 * (gathers + (s->window.taps - 1) * n.shift) / s->window.taps;
}

static struct work dpas_work(const struct xk_perf *f, const struct xk_shape *s,
                             const struct xk_schedule *c, int64_t cold)
{
    const int64_t dpas =
        (int64_t)c->m_thr / 8 * (c->n_thr / 8) * xk_schedule_depth(c);
    const int64_t blocks = blocks_b(c) * xk_schedule_depth(c);
    /* Two depths are gathered at a time: whole lines. */
    const bool ordered = c->load_a == XK_LOAD_LINES;
    const int64_t tiles =
        c->m_thr / 8 * xk_schedule_depth(c) * xk_schedule_gathers(c);
    const int64_t all = xk_ceil_div(
        tiles, c->slm ? c->tg_n * (xk_schedule_depth(c) > 1 ? 2 : 1)
                      : xk_schedule_steps_a(c));
    const int64_t brought = brought_16(s, c, all);
    const int64_t gathers = xk_ceil_div(brought, 16);
    const int64_t gather_b = xk_schedule_depth(c) > 1 ? 512 : 256;
    struct work w = {0};
    /* A step of a row is half a line, unless channels are blocked by it. */
    const int64_t per_gather =
        c->pack                                                 ? 1
        : (c->slm && !s->images) || s->plain_a || s->stride > 1 ? 8
                                                                : 4;
    /* A message without a gap takes as long if it brings nothing. */
    const int64_t lines_a = ordered ? tiles * 4 : brought * per_gather / 16;
    const bool gaps = per_gather > 4 || c->pack;
    int64_t lines = (gaps ? inside(s, lines_a) : lines_a) + blocks * 4;
    int64_t sends = gathers + blocks;
    int64_t moves = gathers + blocks;
    w.fma_cyc = dpas * 8 * f->dpas_row;
    if (c->slm) { /* write a share, read one's rows; fence and barrier */
        sends += gathers + tiles + 2;
        moves += gathers + tiles;
        w.port_cyc = gathers * gather_b / f->slm_b_cyc;
        w.tile_cyc = xk_schedule_depth(c) * 256 / f->slm_b_cyc;
    }
    w.issue = issue_of(dpas, sends, moves);
    if (ordered)
        w.issue += 8 * tiles;
    if (s->loose_a) { /* a message for one or two elements; they are packed */
        const int64_t n = (c->slm ? gathers : tiles) * c->k_step;
        lines += (c->slm ? n / 2 : n) * f->lines_cyc;
        w.issue += c->slm ? 2 * n : n * 5 / 2;
    }
    w.port_cyc += xk_ceil_div(lines, f->lines_cyc);
    w.alone_cyc = waits(f, c, w.fma_cyc, sends, cold);
    if (ordered)
        w.alone_cyc += f->order_cyc * tiles;
    set_around(f, s, c, &w);
    return w;
}

/* A step is a filter tap: its share of the units, its rows from SLM. */
static struct work footprint_work(const struct xk_perf *f,
                                  const struct xk_shape *s,
                                  const struct xk_schedule *c)
{
    const int64_t per_gather = s->plain_a ? 8 : 4, tiles = c->m_thr / 8;
    const int64_t dpas = tiles * (c->n_thr / 8), n = units(s, c);
    const int64_t blocks = blocks_b(c);
    const int64_t port = n * (per_gather / f->lines_cyc + 256 / f->slm_b_cyc);
    const int64_t sends = tiles + blocks + xk_ceil_div(2 * n + 3, s->k_outer);
    struct work w = {0};
    w.fma_cyc = dpas * 8 * f->dpas_row * 7 / 6 + 6;
    w.port_cyc = tiles * 256 / f->slm_b_cyc + blocks * 4 / f->lines_cyc +
                 xk_ceil_div(port, s->k_outer);
    w.issue = issue_of(dpas, sends, sends);
    w.alone_cyc = 2 * f->slm_latency + f->barrier / s->k_outer;
    set_around(f, s, c, &w);
    return w;
}

/* Bytes of L1 that pixels with K in plain order can be in at one K: lines that
 * lie a power of two apart share few of its sets. */
static int64_t l1_bytes(const struct xk_perf *f, const struct xk_shape *s)
{
    int64_t lines = s->k_inner * s->elem_b * max(s->stride, 1) / LINE_B;
    int64_t bytes = f->l1_b;
    for (; lines > 0 && lines % 2 == 0 && bytes > LINE_B; lines /= 2)
        bytes /= 2;
    return bytes;
}

/* From few to many as what is used in turn outgrows what there is: soon all of
 * it is lost before it is used again. */
static int64_t outgrown(int64_t few, int64_t many, int64_t held, int64_t room)
{
    const int64_t over = min(max(4 * held / 3 - room, 0), room / 2);
    return few + (many - few) * over / (room / 2);
}

/* Pixels that so many tiles' rows read at all filter taps: `most`, or those of a run
 * for each tile. */
static int64_t pixels_of(const struct xk_shape *s, int64_t rows, int64_t tiles,
                         int64_t most)
{
    return min(rows * s->pixels_1k / 1024 + tiles * s->reach, most);
}

/* Rows of A that differ, of all filter taps together: at most those of a run of pixels
 * of each outer tap, of which a window's taps add one each. */
static int64_t rows_once(const struct xk_shape *s, const struct xk_schedule *c,
                         int64_t rows, int64_t tiles)
{
    const int64_t once = pixels_of(s, rows, tiles, rows * s->k_outer);
    if (s->window.taps < 2 || !xk_fma_is_systolic(c->fma))
        return once;
    const int64_t more = tiles * (s->window.taps - 1) * s->window.rows;
    return min(once, (rows + more) * (s->k_outer / s->window.taps));
}

/* Of packed taps all that rows read is brought once, and shared by the steps. */
static int64_t pixel_bytes(const struct xk_shape *s, const struct xk_schedule *c,
                           int64_t rows, int64_t tiles)
{
    const int64_t most = rows * s->k_outer * xk_schedule_gathers(c);
    return pixels_of(s, rows, tiles, most) * XK_PACK_FEW * s->elem_b / s->k_outer;
}

/* Bytes of A that a step brings from L2 for so many different tiles of a core's
 * groups. Filter taps read nearly the same pixels, and what has K in plain
 * order has two steps in a line: as far as L1 holds them until then. */
static int64_t l2_bytes_a(const struct xk_perf *f, const struct xk_shape *s,
                          const struct xk_schedule *c, int64_t tiles)
{
    const int64_t rows = (int64_t)c->m_thr * c->tg_m * tiles;
    if (c->pack)
        return pixel_bytes(s, c, rows, tiles);
    const int64_t row_b = c->k_step * (int64_t)s->elem_b * xk_schedule_depth(c);
    /* mad's short steps use a line up before it is lost. */
    const bool plain = c->load_a != XK_LOAD_LINES &&
                       ((s->plain_a && xk_fma_is_systolic(c->fma)) ||
                        (c->slm && !s->images));
    /* Slices of half a line read it at the same time. */
    const int64_t slice_b = s->k_inner * s->elem_b / xk_schedule_slices(c);
    const int64_t line_b = plain ? max(row_b, min(LINE_B, slice_b)) : row_b;
    /* Slices are at other K, in other sets. */
    const int64_t room =
        (plain ? l1_bytes(f, s) : f->l1_b) / xk_schedule_slices(c);
    if (s->k_outer == 1 || !s->pixels_1k)
        return outgrown(rows * row_b, rows * line_b, rows * line_b, room);
    const int64_t all = rows_once(s, c, rows, tiles);
    /* Halves of a line follow each other behind a window's taps, else behind all. */
    const int64_t held = c->window ? all * s->window.taps / s->k_outer : all;
    const int64_t brought =
        outgrown(all * row_b, all * line_b, held * line_b, room);
    const int64_t once = inside(s, brought) / s->k_outer;
    const int64_t met = inside(s, rows * line_b);
    return c->window ? once : outgrown(once, max(once, met), met, room);
}

/* Groups of a core, and what they are to each of its EUs. */
struct load {
    int64_t n, most; /* groups in all, at a time */
    int64_t per_eu;  /* threads of an EU in all */
    int64_t at_once; /* of them at a time */
    int64_t steps;   /* of a thread */
    int64_t blocks;  /* of 8 rows, of one thread of each group */
};

/* Threads that load B once for all of them. */
static int64_t alike(const struct xk_schedule *c)
{
    return c->fma == XK_FMA_DPASW ? 2 : 1;
}

/* Times that a step brings a tile of B for so many readers of a core (a pair of
 * dpasw's is one), of all_b bytes of B that the core meets. After a round of groups
 * readers have drifted apart, and what one has brought is lost before the next one
 * comes: the more, the longer B is, and the fewer they are. In 1024ths. */
static int64_t brought_b_1k(const struct xk_perf *f, const struct xk_schedule *c,
                            const struct load *l, int64_t all_b, int64_t readers)
{
    const int64_t mates = max(c->tg_m / alike(c), 1);
    if (!xk_schedule_is_flat(c) || !xk_fma_is_systolic(c->fma) || l->n <= l->most)
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
static int64_t l2_bytes(const struct xk_perf *f, const struct xk_shape *s,
                        const struct xk_schedule *c, const struct load *l)
{
    const int64_t n = min(l->n, l->most);
    const int64_t row_b = c->k_step * (int64_t)s->elem_b * xk_schedule_depth(c);
    const int64_t b = (int64_t)c->n_thr * c->tg_n * row_b;
    const int64_t along_n = xk_schedule_groups_n(c, s->n);
    const int64_t cores = xk_perf_cores(f);
    int64_t same = 1; /* largest power of two that divides both */
    while (same < cores && along_n % (2 * same) == 0)
        same *= 2;
    const int64_t tiles_b = min(n, along_n / same);
    const int64_t tiles_a = min(n, xk_ceil_div(n * cores, along_n));
    const int64_t readers = max(n * c->tg_m / alike(c) / tiles_b, 1);
    const int64_t a = c->footprint ? tiles_a * units(s, c) * c->tg_m * c->tg_n *
                                         256 / s->k_outer
                                   : l2_bytes_a(f, s, c, tiles_a);
    const int64_t all_b = tiles_b * b * s->k_outer * s->k_inner / c->k_step;
    const int64_t step_b = tiles_b * b * brought_b_1k(f, c, l, all_b, readers) / 1024;
    return (a + step_b) * xk_schedule_slices(c);
}

int64_t xk_schedule_resident(const struct xk_platform *p,
                             const struct xk_shape *s,
                             const struct xk_schedule *c)
{
    const struct xk_perf *const f = xk_perf_get(p->id);
    const int64_t tg = threads(c);
    const int64_t per_eu = p->threads_per_eu / (c->grf_count > 128 ? 2 : 1);
    const int64_t places = c->slm > 2 ? 4 : c->slm;
    int64_t slm_b = c->tg_m * c->m_thr * 32 * xk_schedule_depth(c);
    if (c->footprint)
        slm_b = units(s, c) * c->tg_m * c->tg_n * 256;
    slm_b *= places * xk_schedule_slices(c);
    if (c->slices > 1) /* half a tile each */
        slm_b = max(slm_b, tg * c->m_thr * c->n_thr * 2);
    int64_t n = max(per_eu * f->eu_per_core / tg, 1);
    if (slm_b && f->slm_core_b / slm_b < n)
        n = max(f->slm_core_b / slm_b, 1);
    return n;
}

int64_t xk_schedule_groups_ahead(const struct xk_platform *p,
                                 const struct xk_shape *s,
                                 const struct xk_schedule *c, int64_t groups_n,
                                 int64_t groups_m)
{
    const int64_t held =
        xk_schedule_resident(p, s, c) * xk_perf_cores(xk_perf_get(p->id));
    return held < groups_n || held >= groups_n * groups_m ? 0 : held;
}

/* Of a loop's multiplies in 1024 those that are skipped: at an edge half a
 * pair's rows meet others; by eights of rows at all edges, of which those along
 * M's other dimension are as long. */
static int64_t skipped_1k(const struct xk_shape *s, const struct xk_schedule *c)
{
    const int64_t half =
        c->fma == XK_FMA_DPASW ? c->m_thr : c->m_thr / 2;
    if (c->skip == XK_SKIP_ROWS)
        return 2 * s->edge_1k - s->edge_1k * s->edge_1k / 1024;
    if (!c->skip || s->edge_rows <= half)
        return 0;
    return s->edge_1k * (s->edge_rows - half) / s->edge_rows;
}

/* Cycles that memory needs for A and B once, in whole blocks. */
static int64_t read_cyc(const struct xk_perf *f, const struct xk_shape *s,
                        const struct xk_schedule *c)
{
    const int64_t unit = block_of(s, c);
    const int64_t k = s->k_inner <= XK_PACK_FEW
                          ? XK_PACK_FEW
                          : xk_ceil_div(s->k_inner, unit) * unit;
    /* Rows of A that the filter meets; beside each in a line one that it does
     * not, if rows are half a line. */
    int64_t rows = s->pixels_1k ? s->m * s->pixels_1k / 1024 : s->m;
    if (unit > 1 && s->stride > 1 && s->k_outer == 1)
        rows *= 2;
    const int64_t elements = rows * k + s->n * k * s->k_outer;
    return elements * s->elem_b / f->memory_b_cyc;
}

/* For C. */
static int64_t store_cyc(const struct xk_perf *f, const struct xk_shape *s,
                         const struct xk_schedule *c)
{
    const int64_t unit = block_of(s, c);
    return s->m * xk_ceil_div(s->n, unit) * unit * s->elem_b / f->memory_b_cyc;
}

/* Blocks of a core's groups that are beyond M, where such rows are skipped: of a
 * thread, in the groups along N that come last, if every core has one of these. */
static int64_t missing_blocks(const struct xk_shape *s, const struct xk_schedule *c,
                              int64_t n, int64_t cores)
{
    const int64_t group = (int64_t)c->m_thr * c->tg_m;
    const int64_t full = s->m / group * xk_schedule_groups_n(c, s->n);
    const int64_t beyond = (group - s->m % group) % group;
    return (n - min(n, xk_ceil_div(full, cores))) * (beyond / (8 * c->tg_m));
}

static struct load load_of(const struct xk_perf *f, const struct xk_platform *p,
                           const struct xk_shape *s,
                           const struct xk_schedule *c)
{
    const int64_t groups_n = xk_schedule_groups_n(c, s->n);
    const int64_t groups = xk_schedule_groups_m(c, s->m) * groups_n;
    const int64_t cores = xk_perf_cores(f), tiles = c->m_thr / 8;
    struct load l = {.n = xk_ceil_div(groups, cores),
                     .most = xk_schedule_resident(p, s, c)};
    l.per_eu = xk_ceil_div(l.n * threads(c), f->eu_per_core);
    l.at_once = xk_ceil_div(min(l.n, l.most) * threads(c), f->eu_per_core);
    l.steps = s->k_outer *
              xk_ceil_div(s->k_inner, c->k_step * xk_schedule_depth(c)) /
              xk_schedule_slices(c);
    l.blocks = l.n * tiles;
    if (c->skip == XK_SKIP_ROWS && !c->spread)
        l.blocks -= missing_blocks(s, c, l.n, cores);
    if (c->spread) {
        struct xk_spread spread;
        xk_schedule_spread(s, c, &spread);
        const int64_t full = spread.full * spread.parts * groups_n;
        l.blocks = l.n * (tiles - 1) + min(l.n, xk_ceil_div(full, cores));
    }
    return l;
}

/* Of two that want the same time: the longer, and the more of the shorter the
 * nearer both are. */
static int64_t beside(int64_t a, int64_t b, int64_t pct)
{
    const int64_t less = min(a, b), more = max(a, b);
    const int64_t near = more ? 1024 * less / more : 0;
    return more + less * near / 1024 * near / 1024 * pct / 100;
}

/* What the youngest threads of an EU leave idle, a step, if they have fewer rows: each
 * has a slower pace, and nobody older is left to fill it. Of one round. */
static int64_t few_rows_tail(const struct xk_schedule *c, const struct work *w,
                             const struct load *l)
{
    const int64_t tiles = c->m_thr / 8;
    const int64_t full = l->blocks - l->n * (tiles - 1);
    const int64_t few = l->at_once - xk_ceil_div(l->at_once * full, l->n);
    const int64_t fma = w->fma_cyc * (tiles - 1) / tiles;
    const int64_t rate = 1024 * few * fma / (fma + w->alone_cyc);
    return few && rate < 1024 ? few * fma * (1024 - rate) / rate : 0;
}

/* Of 1024 cycles those in which all threads of an EU wait: nobody multiplies. */
static int64_t idle_1k(const struct work *w, const struct load *l)
{
    const int64_t share = 1024 * w->alone_cyc / (w->fma_cyc + w->alone_cyc);
    int64_t idle = share;
    for (int64_t i = 1; i < l->at_once; i++)
        idle = idle * share / 1024;
    return idle;
}

/* Cycles of a step of all groups of a core on the way from L2. */
static int64_t l2_cyc(const struct xk_perf *f, const struct xk_shape *s,
                      const struct xk_schedule *c, const struct load *l)
{
    return l2_bytes(f, s, c, l) * l->n / min(l->n, l->most) / f->l2_b_cyc;
}

/* Cycles of a core's loops. The oldest thread of an EU has its own pace, which
 * younger ones fill; the youngest has the EU to itself at the end. */
static int64_t loops_cyc(const struct xk_perf *f, const struct xk_shape *s,
                         const struct xk_schedule *c, const struct work *w,
                         const struct load *l)
{
    const int64_t tiles = c->m_thr / 8, tg = threads(c);
    const int64_t done = 1024 - skipped_1k(s, c);
    const int64_t busy =
        l->per_eu * w->fma_cyc * l->blocks / (l->n * tiles) * done / 1024;
    const int64_t pace = w->fma_cyc + w->alone_cyc;
    /* What the last thread leaves idle; if it has not been alone all the time.
     */
    int64_t tail = w->fma_cyc * w->alone_cyc / pace * (l->at_once - 1) /
                   l->at_once * f->tail_pct / 100;
    if (c->spread && l->n <= l->most)
        tail = max(tail, few_rows_tail(c, w, l));
    const int64_t xmx = max(busy, l->per_eu * w->issue);
    const int64_t eu = xmx * 1024 / (1024 - idle_1k(w, l)) + tail;
    const int64_t port = l->n * tg * w->port_cyc + w->tile_cyc * l->blocks * tg;
    const int64_t port_around = l->n * tg * w->port_around;
    const int64_t fill = c->taps_inner ? 0 : s->k_outer * f->refill;
    const bool mad = !xk_fma_is_systolic(c->fma);
    const int64_t core = beside(l->steps * eu, l->steps * port + port_around,
                                mad ? f->port_pct : f->port_dpas_pct);
    return beside(core, l->steps * l2_cyc(f, s, c, l), mad ? 0 : f->l2_pct) +
           fill;
}

/* What rounds behind the first cost; dpas's overlap, so parts of one count. */
static int64_t rounds_cyc(const struct xk_schedule *c, const struct work *w,
                          const struct load *l)
{
    if (!xk_fma_is_systolic(c->fma))
        return (xk_ceil_div(l->n, l->most) - 1) * w->round_cyc;
    return max(l->n - l->most, 0) * w->round_cyc / l->most;
}

/* Cycles of a core. What is in memory is so at the first filter tap, or for the
 * first threads. */
static int64_t core_cyc(const struct xk_perf *f, const struct xk_shape *s,
                        const struct xk_schedule *c, const struct load *l)
{
    const int64_t cold =
        f->cold_a / s->k_outer + f->cold_b * l->at_once / l->per_eu;
    struct work w = c->footprint ? footprint_work(f, s, c)
                    : xk_fma_is_systolic(c->fma) ? dpas_work(f, s, c, cold)
                                                 : mad_work(f, s, c, cold);
    /* Two threads do not cover loads that are one step ahead. */
    if (c->load_a == XK_LOAD_LINES && l->at_once < 3)
        w.alone_cyc += f->latency;
    /* A third stage is filled and drained, by nobody else's work. */
    const int64_t fill = c->slm == 3 ? 6 * f->latency : 0;
    const int64_t later = w.later_pct * (l->per_eu - l->at_once);
    return loops_cyc(f, s, c, &w, l) +
           w.around * (w.first_pct * l->at_once + later) / 100 + w.once_cyc +
           rounds_cyc(c, &w, l) + fill;
}

/* Steps that fill or drain a loop: as many as its loads are ahead. */
static int64_t outside(const struct xk_schedule *c)
{
    if (xk_schedule_is_flat(c))
        return max(c->slots_a, c->slots_b);
    return c->slm > 2 ? 2 : 1;
}

/* Whether the loop has four fifths of the steps, where K is long enough for one
 * that has: those that fill and drain it are straight code. Filter taps have a
 * copy of the body each, which is a loop if it comes round. */
static bool loops(const struct xk_shape *s, const struct xk_schedule *c)
{
    const int64_t taps = c->taps_inner ? s->k_outer : 1;
    const int64_t inner = s->k_inner / (c->k_step * xk_schedule_depth(c));
    const int64_t all =
        c->footprint ? inner : taps * inner / xk_schedule_slices(c);
    const int64_t copies = c->slm ? 1 : xk_schedule_copies(c, taps);
    if (s->k_outer * (s->k_inner / c->k_step) < 5)
        return true;
    if (taps > 1 && !c->slm)
        return all >= 2 * copies;
    return 5 * ((all - outside(c)) / copies * copies) >= 4 * all;
}

/* Thousandths for what is many instructions: straight code, which the timing model
 * fetches for nothing, and moves, eight for each eight rows, which make it longer
 * still. */
static int64_t instructions_1k(const struct xk_perf *f, const struct xk_shape *s,
                               const struct xk_schedule *c)
{
    const bool straight =
        xk_fma_is_systolic(c->fma) && !c->pack && !loops(s, c);
    if (c->load_a != XK_LOAD_LINES)
        return straight ? f->straight_1k : 0;
    return f->moves_1k * 64 / c->n_thr + (straight ? 3 * f->straight_1k : 0);
}

int64_t xk_schedule_score(const struct xk_platform *p, const struct xk_shape *s,
                          const struct xk_schedule *c)
{
    const struct xk_perf *const f = xk_perf_get(p->id);
    const struct xk_shape seen = xk_schedule_shape(s, c);
    const struct load l = load_of(f, p, &seen, c);
    const int64_t core = core_cyc(f, &seen, c, &l);
    const int64_t store = store_cyc(f, s, c);
    const bool mad = !xk_fma_is_systolic(c->fma);
    /* Those of the youngest threads, which nobody multiplies beside. */
    const int64_t bare =
        store * (mad ? f->bare_pct : f->bare_dpas_pct) / 100 / l.per_eu;
    const int64_t memory = read_cyc(f, s, c) + max(store - bare, 0);
    const int64_t pct =
        mad ? f->overlap_pct + f->single_pct * l.most / max(l.n, l.most)
            : f->overlap_dpas_pct;
    const int64_t cyc = beside(core, memory, pct) + bare;
    return cyc + cyc * instructions_1k(f, s, c) / 1000;
}
