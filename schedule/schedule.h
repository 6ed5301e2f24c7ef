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
 * of dwords of four 8-bit elements along K. lanes: mad, with four elements a
 * step dp4a, with the columns of all groups of a batch in the lanes
 * (views/group_lanes.h). */
enum xk_fma_kind {
    XK_FMA_MAD,
    XK_FMA_DPAS,
    XK_FMA_DPASW,
    XK_FMA_DP4A,
    XK_FMA_LANES
};

/* A digit of K: what its letter means is in field.def. */
enum xk_k_digit {
    XK_K_END, /* there is none further on */
    XK_K_OUTER,
    XK_K_FEW,
    XK_K_LAST,
    XK_N_K_DIGITS
};
#define XK_K_LETTERS " oxp" /* of each */

/* The order in which K is walked: digits from the outside, of which the first
 * ones are loops of their own; one loop goes over the places of the others.
 * Without digits it is not valid, but taken as XK_WALK_EACH then. */
struct xk_k_walk {
    uint8_t loops;
    uint8_t digit[XK_N_K_DIGITS - 1]; /* enum xk_k_digit */
};
/* o:p, a loop for each place of the outer indices. */
#define XK_WALK_EACH                                                           \
    {                                                                          \
        1,                                                                     \
        {                                                                      \
            XK_K_OUTER, XK_K_LAST                                              \
        }                                                                      \
    }
/* :po, one loop, in which the outer indices are innermost. */
#define XK_WALK_INSIDE                                                         \
    {                                                                          \
        0,                                                                     \
        {                                                                      \
            XK_K_LAST, XK_K_OUTER                                              \
        }                                                                      \
    }
/* :op, one loop over all places, whose steps may cross those of o. */
#define XK_WALK_ALL                                                            \
    {                                                                          \
        0,                                                                     \
        {                                                                      \
            XK_K_OUTER, XK_K_LAST                                              \
        }                                                                      \
    }
/* o:xp, a step has several places of x. */
#define XK_WALK_FEW                                                            \
    {                                                                          \
        1,                                                                     \
        {                                                                      \
            XK_K_OUTER, XK_K_FEW, XK_K_LAST                                    \
        }                                                                      \
    }

/* How C goes out; auto: what is best of what the layout can do. Behind auto
 * these are enum xk_plan_store (plan/plan.h). */
enum xk_store_kind {
    XK_PUT_AUTO,
    XK_PUT_BLOCK,
    XK_PUT_SCATTERED,
    XK_PUT_PACKED,
    XK_PUT_COLUMNS
};

/* What all schedules have in common that multiply in one of these ways. */
struct xk_fma_family {
    bool lanes_m; /* M lies in the lanes and N along registers, else the other
                     way round */
    bool dpas;    /* the systolic unit multiplies, a dpas depth of K a step */
    uint8_t sharers_b; /* threads that load B once for all of them */
};

static inline const struct xk_fma_family *xk_fma_family_of(uint8_t fma)
{
    static const struct xk_fma_family rows[] = {
        [XK_FMA_MAD] = {false, false, 1},
        [XK_FMA_DPAS] = {true, true, 1},
        [XK_FMA_DPASW] = {true, true, 2},
        [XK_FMA_DP4A] = {false, false, 1},
        [XK_FMA_LANES] = {false, false, 1}};
    return &rows[fma];
}

/* Extents the scores need; elements. k_inner is the innermost K index, k_outer
 * the product of the others. */
struct xk_shape {
    int64_t m, n, k_inner, k_outer;
    unsigned elem_b; /* bytes of an element of A and B */
    bool plain_a; /* A's layout is given, and not in blocks of one dpas depth */
    bool plain_b; /* B's is given, and not in blocks: no block loads */
    int64_t rows_b; /* rows of N that B's memory has, padding included, where
                       its layout is given and they are one dim; else 0 */
    bool loose_a;   /* elements of A's K do not lie side by side */
    /* Where K's neighbours do not lie side by side, but rows do: so many rows
     * of M in A that meet conditions together, of N in B; else 0. */
    int64_t runs_a, runs_b;
    int64_t even_a; /* places of the last K index that lie evenly in A and meet
                       conditions together: all of them, or 1 */
    bool loose_b;   /* elements of B's K do not lie side by side */
    bool leaves_a, leaves_b; /* the operand leaves its intervals */
    bool eights;   /* eight rows of M share a position: they leave A's intervals
                      together */
    bool together; /* eight rows of M are neighbours in A's memory: a whole
                    number of positions' rows; where the layout is the library's
                    choice, if it has them so */
    /* A position is a place of A's coordinates without the innermost K index,
     * and an outer place one of the outer K indices. */
    int64_t stride; /* positions between neighbours along M; 0 as 1 */
    /* Positions, also outside of A's intervals: for 1024 rows of M; from a
     * row's first outer place to its last. 0: not known, so no candidate wants
     * them. */
    int64_t positions_1k, reach;
    /* Rows of M that share a position, and places of the innermost outer K
     * index, if they move A as far as neighbours along M do; places 0: they do
     * not. */
    struct {
        int64_t rows, places;
    } window;
    /* Where a step of the innermost outer K index moves A as some rows of M do:
     * so many rows; its steps; rows of a line, in which this holds. steps 0: it
     * does not. */
    struct {
        int64_t rows, steps, line;
    } shared;
    /* Places of the innermost outer K index, that may lie inside K with its few
     * elements; 0: they may not. Elements of such a place that A has in memory.
     */
    int64_t line_places, used_e;
    /* Whether rows of C follow each other evenly, so many bytes apart; false as
     * long as a layout is open. */
    bool even_c;
    int64_t row_b;
    bool filled; /* B leaves its intervals, or what A or B is outside is not 0:
                    masked registers are filled before the loads */
    /* Instructions for 16 elements of C, about: of the epilogue's steps; of the
     * masks where C leaves its intervals, or the addresses of columns where
     * there are several N indices, each of the `moves` times that C is stored,
     * or that a step reads beside it. Those of the epilogue that loops (struct
     * xk_epi_run) would take off. */
    unsigned epilogue, scatter, moves, looped;
    bool sums;   /* of B's columns over K are made, too */
    bool totals; /* such sums are stored */
    int64_t
        batch; /* places of the batch indices, each a grid of its own; 0 as 1 */
    int64_t
        classes; /* that share the launch, each with as much to do; 0 as 1 */
    /* For fma=lanes, if the batch can be in the lanes; n 0: it cannot. */
    struct xk_lanes_shape {
        int64_t n;            /* columns of all groups */
        int64_t outer_m;      /* rows of M but for the last two indices */
        int64_t outer_k;      /* outer places but for theirs */
        int64_t group_n;      /* columns of a group */
        int64_t group_k;      /* elements of A of a place and a column */
        int64_t tile_columns; /* places of a tile along the last M index */
        int64_t k_columns;    /* places of a step along its K */
        int64_t parts;        /* places of the batch's other indices */
        int64_t k;            /* all of K */
        bool exact;           /* sums have to be s32 */
        struct xk_lanes_axis axis[2]; /* the last two M indices */
    } lanes;
};
struct xk_schedule;
/* Adds what fma=lanes wants. */
void xk_shape_add_lanes(struct xk_shape *s, const struct xk_group_lanes *l);
/* Rows of such a tile: m_thr is that times tile_columns. */
static inline unsigned xk_lanes_rows(const struct xk_lanes_shape *s,
                                     unsigned m_thr)
{
    return m_thr / (unsigned)s->tile_columns;
}
/* Tile and steps of such a schedule; the steps' rows are k_step / k_columns. */
struct xk_lanes_size xk_schedule_lanes_size(const struct xk_shape *s,
                                            const struct xk_schedule *c);
/* Vectors of B that a thread has of them: of dots (views/group_lanes.h)
 * where c has four elements of K a step. */
int64_t xk_lanes_b_vectors(const struct xk_lanes_shape *s,
                           const struct xk_schedule *c);
static inline int64_t xk_shape_batch(const struct xk_shape *s)
{
    return s->batch ? s->batch : 1;
}
static inline int64_t xk_shape_classes(const struct xk_shape *s)
{
    return s->classes ? s->classes : 1;
}
/* The contraction's rows are in the order of their indices, or in the one that
 * xk_row_order_apply gave them. An open layout is what the search would like.
 */
enum xk_status xk_shape_of(xk_ctx *c, const struct xk_contraction *p,
                           struct xk_shape *out);

#define XK_MAX_WIDTHS 8 /* SIMD widths in a tile side */

/* Its fields are the rows of field.def. slices and splits are not valid as 0,
 * but taken as 1 then. splits is no part of the search: who makes the launches
 * divides K first, and the search sees a part. */
struct xk_schedule {
#define XK_WORDS(name, type, member, words, meaning) type member;
#define XK_NUMBER(name, type, member, drawn, meaning) type member;
#define XK_PAIR(name, between, type, first, second, drawn, meaning)            \
    type first, second;
#define XK_DIGITS(name, type, member, drawn, meaning) type member;
#include "schedule/field.def"
#undef XK_DIGITS
#undef XK_WORDS
#undef XK_NUMBER
#undef XK_PAIR
    int64_t score; /* predicted cycles; less is better */
};

/* A field as a row: where its one or two numbers, or its digits, are (size 0:
 * no second one), in bytes. */
struct xk_field_place {
    uint8_t size, at;
};
struct xk_schedule_field {
    const char *name;
    const char
        *words; /* of values 0, 1, ..., with blanks between; NULL: numbers */
    const char *drawn; /* what random tests draw, likewise */
    const char *meaning;
    char between; /* its two numbers; 0: one */
    bool digits;  /* it is a list of digits of K */
    struct xk_field_place place[2];
};
extern const struct xk_schedule_field xk_schedule_fields[];
extern const unsigned xk_n_schedule_fields;

/* What a caller says of a schedule: the fields of `to` whose bit in `named` is
 * set, by their place in the table. All zero: nothing. */
struct xk_schedule_fixed {
    uint64_t named;
    struct xk_schedule to;
};
/* Sets the fields that the text names, in any order: "m=16 tg=2x2". XK_EPARSE
 * names the word, and what the field takes. */
enum xk_status xk_schedule_parse(xk_ctx *c, const char *text,
                                 struct xk_schedule_fixed *io);
/* Whether a field is among those that are fixed. */
bool xk_schedule_names(const struct xk_schedule_fixed *fixed,
                       const char *field);
/* Gives io what is fixed, and leaves its other fields. */
void xk_schedule_fix(const struct xk_schedule_fixed *fixed,
                     struct xk_schedule *io);
/* Whether all fields are equal, the score apart. */
bool xk_schedule_same(const struct xk_schedule *a, const struct xk_schedule *b);
/* All fields as text that parses back: "fma=mad simd=16 m=16 ...". */
void xk_schedule_print(const struct xk_schedule *c, struct xk_str *out);
/* Those of the fields whose bit is set: bit i is xk_schedule_fields[i]. */
void xk_schedule_print_fields(const struct xk_schedule *c, uint64_t fields,
                              const char *between, struct xk_str *out);

static inline int64_t xk_ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Whether a step has several places of an outer K index, packed. */
static inline bool xk_schedule_packs(const struct xk_schedule *c)
{
    return c->k_walk.digit[1] == XK_K_FEW;
}

/* Steps of all of K, a place of the batch's other indices. */
static inline int64_t xk_lanes_steps(const struct xk_lanes_shape *s,
                                     const struct xk_schedule *c)
{
    return s->outer_k * s->axis[0].k_places * s->axis[1].k_places / c->k_step;
}

static inline unsigned xk_schedule_slices(const struct xk_schedule *c)
{
    return c->slices ? c->slices : 1;
}

/* The shape as the schedule sees K: some outer places may be inside. */
struct xk_shape xk_schedule_shape(const struct xk_shape *s,
                                  const struct xk_schedule *c);

#define XK_PACK_COLUMNS                                                        \
    16 /* of a tile, at least: weights' layouts have no fewer */

/* Messages of A that bring eight rows' dpas depth: one, or one for each place.
 */
static inline unsigned xk_schedule_gathers(const struct xk_schedule *c)
{
    return xk_schedule_packs(c) ? c->k_step / XK_PACK_FEW : 1;
}

/* All of K is one loop, whose innermost digits are the outer K indices. */
static inline bool xk_schedule_is_one_loop(const struct xk_schedule *c)
{
    return c->k_walk.digit[0] == XK_K_LAST;
}

/* The same, straight to registers. */
static inline bool xk_schedule_is_flat(const struct xk_schedule *c)
{
    return xk_schedule_is_one_loop(c) && !c->slm;
}

/* Steps of the last K index in its loop. Where it is outermost in one loop, a
 * short last one is as good as the others. */
static inline int64_t xk_schedule_last_steps(const struct xk_shape *s,
                                             const struct xk_schedule *c)
{
    const int64_t more = xk_schedule_is_one_loop(c) ? c->k_step - 1 : 0;
    return (s->k_inner + more) / c->k_step;
}

/* One loop goes over the places of all K indices, and takes them apart. */
static inline bool xk_schedule_is_walk(const struct xk_schedule *c)
{
    return c->k_walk.digit[0] == XK_K_OUTER && !c->k_walk.loops;
}

/* The last K index is a loop at each place of the others. */
static inline bool xk_schedule_is_each(const struct xk_schedule *c)
{
    return !xk_schedule_is_one_loop(c) && !xk_schedule_is_walk(c);
}

/* Rows of A's register buffer beside a tile's, which further steps of K need.
 */
static inline unsigned xk_schedule_more_rows(const struct xk_shape *s,
                                             const struct xk_schedule *c)
{
    return c->holds > 1 ? (c->holds - 1u) * (unsigned)s->shared.rows : 0;
}

/* Steps of K that one load of A's rows serves. */
static inline unsigned xk_schedule_served(const struct xk_schedule *c)
{
    return c->holds > 1 ? c->holds : 1;
}

/* Whether an operand of dpas comes as memory has it, row beside row, and is put
 * in order in registers (plan/turned.c). */
bool xk_schedule_turns_a(const struct xk_shape *s, const struct xk_schedule *c);
bool xk_schedule_turns_b(const struct xk_shape *s, const struct xk_schedule *c);
/* Whether four slices have both parts of a dpasw pair's half of such a B side
 * by side, in one order: who keeps the second one exchanges them behind the
 * loop.
 */
bool xk_schedule_swaps_parts(const struct xk_platform *p,
                             const struct xk_shape *s,
                             const struct xk_schedule *c);
/* Places of K of such an A that a message brings: several where their rows are
 * less than its lanes have, eight bytes each. */
unsigned xk_schedule_places_together(const struct xk_platform *p,
                                     const struct xk_shape *s,
                                     const struct xk_schedule *c);
/* A's rows that are in order at a time then: where there are many, sixteen take
 * turns in one tile. */
static inline unsigned xk_schedule_rows_in_order(const struct xk_schedule *c)
{
    enum { MOST = 16 };
    return c->m_thr % MOST ? c->m_thr : MOST;
}

/* Groups along M for so many rows, along N for so many columns. */
static inline int64_t xk_schedule_groups_m(const struct xk_schedule *c,
                                           int64_t rows)
{
    return xk_ceil_div(rows, (int64_t)c->m_thr * c->tg_m);
}

static inline int64_t xk_schedule_groups_n(const struct xk_schedule *c,
                                           int64_t columns)
{
    return xk_ceil_div(columns, (int64_t)c->n_thr * c->tg_n);
}

/* Bytes that so many items' positions at an outer place take in registers
 * (plan.h, struct xk_plan_flat): vectors of dwords, of 16 where there are so
 * many. */
#define XK_MAX_ADDRESS_GRF 40 /* of all headers, or positions */
#define XK_MAX_EIGHTS 8       /* of rows */
static inline unsigned xk_schedule_places_b(unsigned items)
{
    const unsigned n = items > 4 ? (items + 7) / 8 * 8 : 4;
    return 4 * (n > 8 && n % 16 ? n + 8 : n);
}

/* Headers of items that share a position: they take turns. */
static inline unsigned xk_schedule_headers(unsigned items)
{
    return items < 8 ? items : 8;
}

#define XK_MAX_COPIES 18 /* of a loop's body, in depths */
/* Copies of the loop's body, so that each knows its place and its buffers.
 * places: outer ones, of loops over all of K. The fields obey their rule. */
unsigned xk_schedule_copies(const struct xk_schedule *c, int64_t places);

/* A named validity rule: NULL, or why the candidate breaks it. */
struct xk_schedule_rule {
    const char *name;
    bool (*ok)(const struct xk_platform *p, const struct xk_shape *s,
               const struct xk_schedule *c);
    const char *why;
    bool of_group; /* the group decides; else it is the same in every one */
};
extern const struct xk_schedule_rule xk_schedule_rules[];
extern const unsigned xk_n_schedule_rules;
/* The first rule that c breaks, NULL if none. */
const struct xk_schedule_rule *xk_schedule_check(const struct xk_platform *p,
                                                 const struct xk_shape *s,
                                                 const struct xk_schedule *c);
/* The same in two parts, for tiles that are tried in many groups; of the shape
 * as the schedule sees it. */
const struct xk_schedule_rule *
xk_schedule_check_tile(const struct xk_platform *p, const struct xk_shape *seen,
                       const struct xk_schedule *c);
const struct xk_schedule_rule *
xk_schedule_check_group(const struct xk_platform *p,
                        const struct xk_shape *seen,
                        const struct xk_schedule *c);

/* Whether it breaks none of these, in half the time. */
bool xk_schedule_tile_ok(const struct xk_platform *p,
                         const struct xk_shape *seen,
                         const struct xk_schedule *c);
bool xk_schedule_group_ok(const struct xk_platform *p,
                          const struct xk_shape *seen,
                          const struct xk_schedule *c);
/* Whether it obeys the rule of registers alone. */
bool xk_schedule_fits(const struct xk_platform *p, const struct xk_shape *seen,
                      const struct xk_schedule *c);

/* Instructions of a tile's epilogue; longer ones are 32 kB and more of code. */
#define XK_MOST_EPILOGUE 2048
/* Whether a tile's epilogue is code of no more than milliseconds to generate,
 * with so many instructions of `scatter` each time. Runs of functions need not
 * be in it once a vector: where they are too long for that, they are loops. */
bool xk_schedule_is_short(const struct xk_shape *s, const struct xk_schedule *c,
                          unsigned scatter);
/* Whether they are. */
bool xk_schedule_has_loops(const struct xk_shape *s,
                           const struct xk_schedule *c);
#define XK_MOST_SCATTER 30 /* of any layout, and masks */

/* What fits whatever the layouts are, with and without surfaces: a small tile
 * in the larger register file, a step at a time; the smallest one where the
 * epilogue is long. It is slow. */
struct xk_schedule xk_schedule_last_resort(const struct xk_shape *s);

/* What is left of it where nothing is summed: the same tiles and threads, and
 * no loop. It has no slices. */
struct xk_schedule xk_schedule_without_loop(const struct xk_schedule *c);

#define XK_MAX_CANDIDATES                                                      \
    64 /* 12 of each family, 3 of lanes, the last resort */
/* Fills out[] with valid candidates, best first, and behind them the last
 * resort; returns how many. All have what is fixed (NULL: nothing is), and of
 * all others what the search would give them. Depends on nothing but its
 * arguments. broken (may be NULL): if there are none, of the rules that refused
 * one the last in their order. */
unsigned xk_schedule_candidates(const struct xk_platform *p,
                                const struct xk_shape *s,
                                const struct xk_schedule_fixed *fixed,
                                struct xk_schedule out[XK_MAX_CANDIDATES],
                                const struct xk_schedule_rule **broken);
/* The same of s, whose sums of B's columns are made inside, with nothing fixed.
 * *least is the least score with plain, which has no sums, of these candidates
 * and of tiles that only plain has: that of other tiles of plain is hardly
 * less. out[] has room for both kinds. */
unsigned xk_schedule_with_sums(const struct xk_platform *p,
                               const struct xk_shape *s,
                               const struct xk_shape *plain,
                               struct xk_schedule out[2 * XK_MAX_CANDIDATES],
                               int64_t *least);
/* What such a search sees of a shape if nothing is fixed: all shapes with the
 * same *out, compared as bytes, have the same candidates. */
void xk_shape_searched(const struct xk_shape *s, struct xk_shape *out);
/* Most groups that a core holds at a time. */
int64_t xk_schedule_resident(const struct xk_platform *p,
                             const struct xk_schedule *c);
/* With so many groups along N and M: how many further in the grid's order the
 * group is that comes in a group's place when it has ended, if it reads other
 * rows of A: as many as the machine holds. 0: there is none. */
int64_t xk_schedule_groups_ahead(const struct xk_platform *p,
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
    uint8_t mad_lanes; /* f32 lanes of mad per EU and clock */
    uint8_t dpas_row;  /* cycles of one repeat of dpas */
    /* Cycles of a load; what they are more for A that is in memory, at all its
     * outer places together, and for B while the first threads bring it. */
    uint16_t latency, cold_a, cold_b;
    uint16_t slm_latency, barrier; /* cycles: a load; fence, signal, wait */
    uint16_t barrier_thread; /* cycles of it for each thread of the group */
    /* Cycles that a thread waits in a step that is loaded ahead; with dpas, for
     * each message more; for the rows of A's only buffer, and for a part of
     * B's; of the shorter of both, in hundredths. */
    uint16_t exposed, exposed_dpas, send_cyc;
    uint16_t rows_cyc, late_cyc, both_pct;
    /* Cycles from a thread's dispatch to its loop's pace, with dpas; what each
     * further round of groups costs. */
    uint16_t launch, launch_dpas;
    /* Cycles of a small launch in front of another, which waits for it. */
    uint16_t launch_alone;
    uint16_t round, round_dpas;
    /* Cycles of slices that wait for each other, a halving; with dpas, at the
     * first round of groups and at each further one. */
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
     * an EU's thread's share of C what is stored when all have multiplied, of
     * mad and of dpas. */
    uint16_t tail_pct, bare_pct, bare_dpas_pct;
    uint16_t straight_1k; /* thousandths added where the loop has not most of
                             the work */
    uint8_t lines_cyc;    /* lines that a core's L1 looks up in a cycle */
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
