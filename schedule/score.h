/* SPDX-License-Identifier: Apache-2.0 */
/* Inside scores: a candidate's part that is the same in every group; work.c
 * counts what a thread does, traffic.c bytes on their way. */
#ifndef XK_SCHEDULE_SCORE_H
#define XK_SCHEDULE_SCORE_H

#include "base/integer.h"
#include "schedule/schedule.h"

#define XK_LINE_B 64 /* of L1 */

/* What one thread does in one step; through SLM, from barrier to barrier. */
struct xk_score_work {
    int64_t fma_cyc, issue;       /* cycles of multipliers; instructions */
    int64_t port_cyc;             /* of the core's data port: lines, SLM */
    int64_t port_around;          /* the same around the loop */
    int64_t around;               /* instructions before and after the loop */
    int64_t first_pct, later_pct; /* cycles of one in hundredths, see xk_perf */
    int64_t epilogue;             /* cycles of the epilogue's steps */
    /* What nobody else fills: of the launch, of each round of groups behind the
     * first. */
    int64_t once_cyc, round_cyc;
    int64_t sends;     /* messages, for which it waits */
    int64_t order_cyc; /* to put operands in order, in front of multiplies */
    int64_t alone_cyc; /* what it waits for besides */
};

/* Bytes of A that a step brings for a row: as multiplied, and in whole lines if
 * what is over is lost before it is used; room: of L1 for these. */
struct xk_score_lines {
    int64_t row_b, line_b, room_b;
};

/* What of a schedule's score its group leaves alone; through SLM it is of that
 * group. */
struct xk_score_tile {
    const struct xk_perf *perf;
    const struct xk_shape *seen; /* as the schedule sees it; the caller's */
    struct xk_score_work work;
    struct xk_score_lines a;
    int64_t cores;               /* of the machine */
    int64_t steps;               /* of a thread */
    int64_t cold_a;              /* cycles more of a load of A */
    int64_t read_cyc, store_cyc; /* of memory */
    int64_t extra_1k;            /* thousandths for many instructions */
};

/* Groups of a core, and what they are to each of its EUs. */
struct xk_score_load {
    int64_t along_n; /* groups of the launch */
    int64_t n, most; /* groups in all, at a time */
    int64_t per_eu;  /* threads of an EU in all */
    int64_t at_once; /* of them at a time */
};

/* The score in two parts, for tiles that are tried in many groups. seen: s as
 * the schedule sees it, which the tile keeps. */
void xk_score_tile_set(const struct xk_platform *p, const struct xk_shape *s,
                       const struct xk_shape *seen, const struct xk_schedule *c,
                       struct xk_score_tile *out);
/* c is that tile but for its slots, its parts of B and its registers, and not
 * through SLM. */
void xk_score_tile_slots(const struct xk_schedule *c, struct xk_score_tile *t);
/* In no group is the score less. */
int64_t xk_score_tile_least(const struct xk_score_tile *t,
                            const struct xk_schedule *c);
/* Nor is it in as many slices of K or more, if these are valid. */
int64_t xk_score_sliced_least(const struct xk_score_tile *t,
                              const struct xk_schedule *c);
/* c is the tile in a group. A score above `most` may come out too low, but
 * above `most`. */
int64_t xk_score_group(const struct xk_platform *p,
                       const struct xk_score_tile *t,
                       const struct xk_schedule *c, int64_t most);

/* work.c */

struct xk_score_work xk_score_work_of(const struct xk_platform *p,
                                      const struct xk_perf *f,
                                      const struct xk_shape *s,
                                      const struct xk_schedule *c);

/* traffic.c */

/* Lines of A, of which places of K outside of A's intervals meet none. */
int64_t xk_score_inside(const struct xk_shape *s, int64_t lines);
/* Lines that a dword of each row of A lies in. */
int64_t xk_score_row_lines(const struct xk_shape *s,
                           const struct xk_schedule *c);
/* Cycles of the data port: C goes out; sums of slices go in and out of SLM. */
int64_t xk_score_port_around(const struct xk_perf *f, const struct xk_shape *s,
                             const struct xk_schedule *c);
struct xk_score_lines xk_score_lines_a(const struct xk_perf *f,
                                       const struct xk_shape *s,
                                       const struct xk_schedule *c);
/* Cycles of a step of all groups of a core on the way from L2. */
int64_t xk_score_l2_cyc(const struct xk_score_tile *t,
                        const struct xk_schedule *c,
                        const struct xk_score_load *l);
/* Cycles that memory needs for A and B once; for C. */
int64_t xk_score_read_cyc(const struct xk_perf *f, const struct xk_shape *s,
                          const struct xk_schedule *c);
int64_t xk_score_store_cyc(const struct xk_perf *f, const struct xk_shape *s,
                           const struct xk_schedule *c);

#endif
