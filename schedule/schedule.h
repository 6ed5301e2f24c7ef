/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules: every decision about tiles, threads and buffering, before any
 * message is planned. Candidates obey named rules and come best first. */
#ifndef XK_SCHEDULE_SCHEDULE_H
#define XK_SCHEDULE_SCHEDULE_H

#include "base/ctx.h"
#include "base/str.h"
#include "isa/isa.h"
#include "layout/dtype.h"
#include "views/group_lanes.h"

/* dpasw: a fused pair shares B, of which each thread holds half. dp4a: as mad,
 * of dwords of four 8-bit elements along K. lanes: mad with the columns of all
 * groups of a batch in the lanes (views/group_lanes.h). */
enum xk_fma_kind {
    XK_FMA_MAD,
    XK_FMA_DPAS,
    XK_FMA_DPASW,
    XK_FMA_DP4A,
    XK_FMA_LANES
};

/* What lies in shared local memory, if anything does. */
enum xk_slm_of { XK_SLM_OF_A, XK_SLM_OF_B, XK_SLM_OF_AB };

/* How operands come into registers and C goes out; auto: what is best of what
 * the layout can do. Behind auto these are enum xk_plan_access and enum
 * xk_plan_store (plan/plan.h). */
enum xk_load_kind {
    XK_LOAD_AUTO,
    XK_LOAD_BLOCK,
    XK_LOAD_SCATTERED,
    XK_LOAD_ROWS,
    XK_LOAD_ELEMENTS,
    XK_LOAD_LINES
};
enum xk_store_kind {
    XK_PUT_AUTO,
    XK_PUT_BLOCK,
    XK_PUT_SCATTERED,
    XK_PUT_PACKED,
    XK_PUT_COLUMNS
};

/* Of the systolic array, with M in the lanes; the others have N there. */
static inline bool xk_fma_is_systolic(uint8_t fma)
{
    return fma == XK_FMA_DPAS || fma == XK_FMA_DPASW;
}

/* Extents the scores need; elements. k_inner is the innermost K index, k_outer
 * the product of the others. */
struct xk_shape {
    int64_t m, n, k_inner, k_outer;
    unsigned elem_b; /* bytes of an element of A and B */
    bool plain_a;    /* A's layout is given, and not in blocks of one dpas depth */
    bool plain_b;    /* B's is given, and not in blocks: no block loads */
    bool lines_b;    /* B's is any, or has rows' dwords side by side, for load_a=lines */
    bool loose_a;    /* elements of A's K do not lie side by side */
    bool eights;     /* eight rows of M share a pixel: they meet padding together */
    bool sixteens;   /* so do sixteen */
    bool images;     /* eight rows of M are neighbours in A's memory: a whole
                        number of pixels' images; where the layout is the library's
                        choice, if it has them so */
    int64_t stride;  /* pixels between neighbours along M; 0 as 1 */
    /* Pixels of the padded image: for 1024 rows of M; from a row's first filter
     * tap to its last. 0: not known, so no candidate wants them. */
    int64_t pixels_1k, reach;
    /* Rows of M that share a pixel, pixels of an image's row, and filter taps along
     * it, if these move A as far as pixels do; taps 0: they do not. */
    struct {
        int64_t rows, places, taps;
    } window;
    /* Rows of M that share a place along its outermost index, if that moves taps
     * beside the tensor, else 0; of 1024 places and taps those that do. */
    int64_t edge_rows, edge_1k;
    /* Filter taps of a line, the innermost of k_outer, that may lie inside K with
     * its few channels; 0: they may not. Elements of a tap that A has in memory. */
    int64_t line_taps, used_e;
    /* Whether rows of C follow each other evenly, so many bytes apart; false as
     * long as a layout is open. */
    bool even_c;
    int64_t row_b;
    bool filled;   /* B leaves its intervals, or what A or B is outside is not 0:
                      masked registers are filled before the loads */
    unsigned epilogue; /* instructions of its steps for 16 elements of C, about */
    int64_t batch; /* places of the batch indices, each a grid of its own; 0 as 1 */
    /* For fma=lanes, if the batch can be in the lanes; n 0: it cannot. */
    struct xk_lanes_shape {
        int64_t n;            /* columns of all groups */
        int64_t outer_m;      /* rows of M but for the last two indices */
        int64_t outer_k;      /* taps but for theirs */
        int64_t group_k;      /* elements of A of a place and a column */
        int64_t tile_columns; /* places of a tile along the last M index */
        int64_t k;            /* all of K */
        struct xk_lanes_axis axis[2]; /* the last two M indices */
    } lanes;
};
/* Adds what fma=lanes wants. */
void xk_shape_add_lanes(struct xk_shape *s, const struct xk_group_lanes *l);
/* Rows of such a tile: m_thr is that times tile_columns. */
static inline unsigned xk_lanes_rows(const struct xk_lanes_shape *s,
                                     unsigned m_thr)
{
    return m_thr / (unsigned)s->tile_columns;
}
static inline int64_t xk_shape_batch(const struct xk_shape *s)
{
    return s->batch ? s->batch : 1;
}
/* Of a contraction whose rows are in the order of their indices, or which
 * xk_row_order_apply has ordered. An open layout is what the search would like. */
struct xk_shape xk_shape_of(const struct xk_contraction *p);

/* Filter taps beside the tensor are not multiplied: where they are so for all rows of
 * a fused pair; or for each eight rows of both its threads. */
enum xk_skip { XK_SKIP_NONE, XK_SKIP_PAIR, XK_SKIP_ROWS };

#define XK_MAX_WIDTHS 8 /* SIMD widths in a tile side */

struct xk_schedule {
    uint8_t fma;              /* enum xk_fma_kind */
    uint16_t simd;            /* lanes of a thread */
    uint16_t m_thr, n_thr;    /* C tile of a thread, elements */
    uint16_t n_sub;           /* columns whose B is in registers at once */
    uint16_t k_step;          /* elements of the innermost K per step */
    uint16_t tg_m, tg_n;      /* threads of a group along M and N */
    uint8_t slots_a, slots_b; /* register buffers; 2, 3: loaded so many steps less
                                 one ahead */
    bool taps_inner; /* all of K is one loop, filter taps innermost, each with
                        addresses of its own; so is all that goes through SLM. Else
                        a loop for each outer K index */
    uint8_t slices; /* parts of K, a thread of the group each; they add up
                       through SLM and each ends with its part of the tile of C.
                       Not valid, but taken as 1: 0 */
    uint8_t slm;   /* buffers in shared local memory; 0: not used */
    uint8_t slm_of; /* enum xk_slm_of; without buffers it says nothing */
    uint8_t depth; /* dpas depths from barrier to barrier; without SLM it says
                      nothing */
    bool footprint; /* what is in SLM is the group's pixels with their halo, once
                       for all filter taps; else the rows of each tap */
    uint16_t spread; /* groups along M that share its rows evenly, in blocks of 8
                        a thread: some have m_thr rows a thread, the others 8
                        fewer; 0: as few groups as hold M, all but the last full */
    bool pack; /* few channels: a dpas depth has XK_PACK_FEW of each of several
                  neighbouring filter taps (xk_nest_pack); else those of one */
    uint8_t skip; /* enum xk_skip: what meets nothing but padding is not multiplied */
    bool window; /* filter taps along the innermost dim share A's registers: they hold
                    the pixels that a thread's rows meet at all of these taps, and
                    each is loaded once */
    bool prefetch; /* behind the loop a group asks for the rows of A of the one that
                      comes in its place, if any does */
    bool surfaces; /* buffers are reached by 32-bit offsets through surfaces,
                      else by 64-bit addresses */
    uint16_t grf_count; /* 128, 256 */
    bool m_first;   /* neighbouring groups of the grid are so along M, else N */
    uint8_t unroll; /* copies of the loop's body, at least: a multiple of those
                       that taps and buffers need; 0: just these */
    uint8_t load_a, load_b; /* enum xk_load_kind */
    uint8_t store;          /* enum xk_store_kind */
    int64_t score;      /* predicted cycles; less is better */
};

static inline int64_t xk_ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static inline unsigned xk_schedule_slices(const struct xk_schedule *c)
{
    return c->slices ? c->slices : 1;
}

/* The shape as the schedule sees K: some filter taps may be inside. */
struct xk_shape xk_schedule_shape(const struct xk_shape *s,
                                  const struct xk_schedule *c);

#define XK_PACK_COLUMNS 16 /* of a tile, at least: weights' layouts have no fewer */

/* Messages of A that bring eight rows' dpas depth: one, or one for each tap. */
static inline unsigned xk_schedule_gathers(const struct xk_schedule *c)
{
    return c->pack ? c->k_step / XK_PACK_FEW : 1;
}

/* All of K is one loop, straight to registers. */
static inline bool xk_schedule_is_flat(const struct xk_schedule *c)
{
    return c->taps_inner && !c->slm;
}

/* Steps that a load of A brings. In whole lines two: then a buffer holds both. */
static inline unsigned xk_schedule_steps_a(const struct xk_schedule *c)
{
    return c->load_a == XK_LOAD_LINES ? 2 : 1;
}

/* Steps that A's loads straight to registers are ahead in a loop over all of K. They
 * go over what was just multiplied, by lines behind the second step. */
static inline unsigned xk_schedule_ahead_a(const struct xk_schedule *c)
{
    return c->slots_a * xk_schedule_steps_a(c) -
           (c->load_a == XK_LOAD_LINES ? 1u : 0u);
}

/* dpas depths of a step. */
static inline int64_t xk_schedule_depth(const struct xk_schedule *c)
{
    return c->slm ? c->depth : 1;
}

/* Groups along M for so many rows, along N for so many columns. */
static inline int64_t xk_schedule_groups_m(const struct xk_schedule *c,
                                           int64_t rows)
{
    return c->spread ? c->spread
                     : xk_ceil_div(rows, (int64_t)c->m_thr * c->tg_m);
}

static inline int64_t xk_schedule_groups_n(const struct xk_schedule *c,
                                           int64_t columns)
{
    return xk_ceil_div(columns, (int64_t)c->n_thr * c->tg_n);
}

/* How M's rows are spread over groups: in so many equal parts, all of M, or each line
 * of pixels whose filter taps share registers. Of a part's groups `full` have threads
 * with m_thr rows: its first ones, or of lines, from line to line one earlier, so that
 * neighbouring cores have as much. */
struct xk_spread {
    int64_t parts, groups, full;
};
/* False: some groups would not be full and some not, or a line is no whole groups. */
bool xk_schedule_spread(const struct xk_shape *s, const struct xk_schedule *c,
                        struct xk_spread *out);

/* Rows of a thread whose pixels are neighbours, so that a filter tap's rows are
 * those of the tap before, further in by `shift` eights. */
struct xk_neighbours {
    uint8_t shift;
    bool alternate; /* eights of rows alternate between the threads of a fused pair:
                       more pixels each */
};
/* Of `rows` rows of M a pixel, `places` pixels before the next row of the image.
 * False: a thread's rows are not whole pixels side by side. */
bool xk_schedule_neighbours(const struct xk_schedule *c, int64_t rows,
                            int64_t places, struct xk_neighbours *out);
/* Those of the shape's window: whether its filter taps can share registers. */
bool xk_schedule_window(const struct xk_shape *s, const struct xk_schedule *c,
                        struct xk_neighbours *out);

/* Bytes that so many items' places of a filter tap take in registers (plan.h,
 * struct xk_plan_flat): vectors of dwords, of 16 where there are so many. */
#define XK_MAX_ADDRESS_GRF 40 /* of all taps' headers, or places */
#define XK_MAX_EIGHTS 8 /* of rows */
#define XK_MAX_PLACES 32 /* of packed taps */
static inline unsigned xk_schedule_places_b(unsigned items)
{
    const unsigned n = items > 4 ? (items + 7) / 8 * 8 : 4;
    return 4 * (n > 8 && n % 16 ? n + 8 : n);
}

/* Headers of items that share a pixel: they take turns. */
static inline unsigned xk_schedule_headers(unsigned items)
{
    return items < 8 ? items : 8;
}

#define XK_MAX_COPIES 18 /* of a loop's body, in depths, and taps of a footprint */
#define XK_MAX_PACKED 36 /* steps with packed taps, all of them straight code */
static inline unsigned xk_schedule_most_copies(const struct xk_schedule *c)
{
    return c->pack ? XK_MAX_PACKED : XK_MAX_COPIES;
}
/* Copies of the loop's body, so that each knows its tap and its buffers. taps: of
 * loops over all of K. The fields obey their rule. */
unsigned xk_schedule_copies(const struct xk_schedule *c, int64_t taps);

/* A named validity rule: NULL, or why the candidate breaks it. */
struct xk_schedule_rule {
    const char *name;
    bool (*ok)(const struct xk_platform *p, const struct xk_shape *s,
               const struct xk_schedule *c);
    const char *why;
    bool of_group; /* the group decides: its threads, over how many groups rows are
                      spread; else they are all the same to it, but for whether rows
                      are spread */
};
extern const struct xk_schedule_rule xk_schedule_rules[];
extern const unsigned xk_n_schedule_rules;
/* The first rule that c breaks, NULL if none. */
const struct xk_schedule_rule *xk_schedule_check(const struct xk_platform *p,
                                                 const struct xk_shape *s,
                                                 const struct xk_schedule *c);
/* The same in two parts, for tiles that are tried in many groups; of the shape as the
 * schedule sees it. */
const struct xk_schedule_rule *
xk_schedule_check_tile(const struct xk_platform *p, const struct xk_shape *seen,
                       const struct xk_schedule *c);
const struct xk_schedule_rule *
xk_schedule_check_group(const struct xk_platform *p, const struct xk_shape *seen,
                        const struct xk_schedule *c);

/* Whether it breaks none of these, in half the time. */
bool xk_schedule_tile_ok(const struct xk_platform *p, const struct xk_shape *seen,
                         const struct xk_schedule *c);
bool xk_schedule_group_ok(const struct xk_platform *p, const struct xk_shape *seen,
                          const struct xk_schedule *c);
/* Whether it obeys the rule of registers alone. */
bool xk_schedule_fits(const struct xk_platform *p, const struct xk_shape *seen,
                      const struct xk_schedule *c);

/* What fits whatever the layouts are, with and without surfaces: the smallest
 * tile in the larger register file, a step at a time. It is slow. */
struct xk_schedule xk_schedule_last_resort(const struct xk_shape *s);

#define XK_MAX_CANDIDATES 64 /* 12 of each family, 3 of lanes, the last resort */
/* Fills out[] with valid candidates, best first, and behind them the last
 * resort; returns how many. Depends on nothing but its arguments. broken (may
 * be NULL): if there are none, of the rules that refused one the last in their
 * order. */
unsigned xk_schedule_candidates(const struct xk_platform *p,
                                const struct xk_shape *s,
                                struct xk_schedule out[XK_MAX_CANDIDATES],
                                const struct xk_schedule_rule **broken);
/* Registers of the multiply's buffers, in GRFs (the plan knows the rest). */
unsigned xk_schedule_buffer_grf(const struct xk_platform *p,
                                const struct xk_schedule *c);

/* "fma=mad simd=16 m=16 n=32 nsub=32 k=4 tg=2x4 slices=1 taps=outer slots=2,1 slm=0
 * of=a depth=1 footprint=0 spread=0 skip=0 window=0 prefetch=0 pack=0 addr=surface grf=128
 * order=n unroll=0 load_a=auto load_b=auto store=auto", the score apart. */
void xk_schedule_print(const struct xk_schedule *c, struct xk_str *out);
/* Sets the fields that the text names, in any order, and leaves the others, but
 * for what they decide. Buffers: slm has taps inside, and one register buffer of A if it
 * is named; a64 has taps outside and no slm; there two register buffers are most; n has
 * nsub with it. Then, of what is not named: where slm is named or taps are outside K is
 * whole; with other buffers, depths or operands in SLM than it can have there is no
 * footprint; rows are not spread if fma, m, tg, taps, footprint or addr are named; A does
 * not come by lines if fma, m, n, k, slices, taps, slots, slm, addr or grf are; taps are
 * packed only with dpas, without SLM, through surfaces, with 16 columns and more; taps are
 * not skipped through SLM, with one buffer of A or taps outside, by rows only with dpasw;
 * they share no registers then, nor with two buffers of A or if what rows depend on is
 * named; asked to, they have one buffer; nothing is prefetched through SLM, with taps
 * outside or groups along M first.
 * XK_EPARSE names the word. Whether the result is valid, xk_schedule_check
 * says. */
enum xk_status xk_schedule_parse(xk_ctx *c, const char *text,
                                 struct xk_schedule *io);
/* Most groups that a core holds at a time. */
int64_t xk_schedule_resident(const struct xk_platform *p,
                             const struct xk_shape *s,
                             const struct xk_schedule *c);
/* Of so many groups along N and M: how many further in the grid's order the group is
 * that comes in a group's place when it has ended, if it reads other rows of A: as
 * many as the machine holds. 0: there is none. */
int64_t xk_schedule_groups_ahead(const struct xk_platform *p,
                                 const struct xk_shape *s,
                                 const struct xk_schedule *c, int64_t groups_n,
                                 int64_t groups_m);
/* The score of a schedule that obeys the rules. */
int64_t xk_schedule_score(const struct xk_platform *p, const struct xk_shape *s,
                          const struct xk_schedule *c);

/* Machine facts a score uses; one row a platform. */
struct xk_perf {
    enum xk_platform_id id;
    uint16_t n_eu; /* of the product the scores aim at */
    uint8_t eu_per_core;
    uint8_t mad_lanes;             /* f32 lanes of mad per EU and clock */
    uint8_t dpas_row;              /* cycles of one repeat of dpas */
    /* Cycles of a load; what they are more for A that is in memory, at all its
     * filter taps together, and for B while the first threads bring it. */
    uint16_t latency, cold_a, cold_b;
    uint16_t slm_latency, barrier; /* cycles: a load; fence, signal, wait */
    uint16_t barrier_thread;       /* cycles of it for each thread of the group */
    /* Cycles that a thread waits in a step that is loaded ahead; with dpas, for
     * each message more; for the rows of A's only buffer, and for a part of B's;
     * of the shorter of both, in hundredths. */
    uint16_t exposed, exposed_dpas, send_cyc;
    uint16_t rows_cyc, late_cyc, both_pct;
    /* Cycles from a thread's dispatch to its loop's pace, with dpas; what each
     * further round of groups costs. */
    uint16_t launch, launch_dpas;
    uint16_t round, round_dpas;
    /* Cycles of slices that wait for each other, a halving; with dpas, at the first
     * round of groups and at each further one. */
    uint16_t exchange, exchange_dpas, exchange_later;
    uint16_t refill; /* cycles between loops, where each outer K index is one */
    /* Cycles of an instruction outside the loop in hundredths: of the first
     * threads, which are all there at the same time, and of later ones. */
    uint16_t first_pct, later_pct;
    uint16_t memory_b_cyc; /* bytes a cycle, all cores */
    /* Hundredths that the shorter time adds to the longer where both are equal:
     * memory's and the core's, of mad always and if there is but one round, of
     * dpas; the data port's and the multipliers', of mad and of dpas; L2's and
     * those of both, of dpas. */
    uint16_t overlap_pct, single_pct, overlap_dpas_pct;
    uint16_t port_pct, port_dpas_pct, l2_pct;
    /* Hundredths: of a thread's time what the last one of an EU leaves idle; of
     * an EU's thread's share of C what is stored when all have multiplied, of mad
     * and of dpas. */
    uint16_t tail_pct, bare_pct, bare_dpas_pct;
    uint16_t straight_1k; /* thousandths added where the loop has not most of the work */
    uint16_t group_1k; /* for each doubling along N of a group with whole lines of A */
    uint8_t lines_cyc; /* lines that a core's L1 looks up in a cycle */
    uint16_t slm_b_cyc, l2_b_cyc; /* bytes a core and cycle */
    uint32_t slm_core_b, l1_b;    /* of a core */
    /* Bytes of B that each thread that reads it keeps in L1 for the others. */
    uint32_t kept_b;
    const char *source;
};
const struct xk_perf *xk_perf_get(enum xk_platform_id id);

static inline int64_t xk_perf_cores(const struct xk_perf *f)
{
    return f->n_eu / f->eu_per_core;
}

#endif
