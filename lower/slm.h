/* SPDX-License-Identifier: Apache-2.0 */
/* The loop with A in shared local memory: what slm_loop.c and slm_headers.c
 * share. Headers, n at a time, a step before their first use:
 *
 *   from    memory; [tap][unit], a lane a row and depth of the unit
 *   to      SLM, where a unit is stored; [unit]
 *   out_of  SLM, a tile that is read; [tile]
 *   from_b  memory, B; [message]
 *
 * `to` and `out_of` serve all buffers and depths: an exclusive or leads from
 * each place to the next. With four places the bit of the buffer is another
 * every other step: `turn` has it, for stores and for reads. */
#ifndef XK_LOWER_SLM_H
#define XK_LOWER_SLM_H

#include "lower/headers.h"

enum {
    XK_SLM_LANES = XK_HEADER_LANES, /* rows of a tile */
    XK_SLM_TILE_B = 256             /* 8 rows, a dpas depth */
};

struct xk_slm_loop {
    struct xk_lowering *l;
    const struct xk_plan_slm *s;
    struct xk_stages loop;
    const xk_expr *i;                  /* time step */
    const xk_expr *staged;             /* units on their way to SLM */
    const xk_expr *from, *to, *out_of, *from_b; /* headers */
    const xk_expr *turn; /* u32: of stores; of reads. NULL: not needed */
};

/* Tiles of A that a thread reads. */
static inline unsigned xk_slm_tiles(const struct xk_slm_loop *g)
{
    return g->l->p->s.m_thr / XK_SLM_LANES;
}
/* Bits of headers in front of the first store, and of the first read of a depth:
 * those of the place before. */
uint32_t xk_slm_store_flip(const struct xk_slm_loop *g);
uint32_t xk_slm_read_flip(const struct xk_slm_loop *g, unsigned depth);

/* Bytes that B's headers move by in front of a depth of step i; u32. */
const xk_expr *xk_slm_b_move(const struct xk_slm_loop *g, unsigned depth);
/* at (u32), plus slice_b for each slice of K in front of this thread's. */
const xk_expr *xk_slm_of_slice(const struct xk_slm_loop *g, const xk_expr *at,
                               int64_t slice_b);
/* Allocates and fills all headers; those of B alone. */
void xk_slm_prepare(struct xk_slm_loop *g);
void xk_slm_prepare_b(struct xk_slm_loop *g);
/* Moves B's headers by `by` (u32), then loads into the slot of step `count`. */
void xk_slm_load_b(struct xk_slm_loop *g, struct xk_block_writer *w,
                   const xk_expr *by, const xk_expr *count);

#endif
