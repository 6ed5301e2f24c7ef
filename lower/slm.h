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
    XK_SLM_LANES = XK_HEADER_LANES, /* rows of a tile of dpas */
};

struct xk_slm_loop {
    struct xk_lowering *l;
    const struct xk_plan_slm *s;
    struct xk_stages loop;
    const xk_expr *i;                  /* time step */
    const xk_expr *staged;             /* units on their way to SLM */
    const xk_expr *packed; /* one whose elements came one by one; */
    const xk_expr *next_k; /* and headers of its gathers but the first */
    const xk_expr *from, *to, *out_of; /* headers */
    const xk_expr *from_b;
    const xk_expr *turn; /* u32: of stores; of reads. NULL: not needed */
};

/* Tiles of A that a thread reads. */
static inline unsigned xk_slm_tiles(const struct xk_slm_loop *g)
{
    return g->l->p->s.m_thr / g->s->lanes;
}
/* Headers of a gather of A; a thread has as many gathers as units. */
static inline unsigned xk_slm_gather_headers(const struct xk_slm_loop *g)
{
    if (g->s->raw_b) /* two elements of K */
        return 2;
    return xk_plan_slm_unit(g->s) * g->s->lanes / XK_HEADER_LANES;
}
/* Bits of headers in front of the first store, and of the first read of a depth:
 * those of the place before. */
uint32_t xk_slm_store_flip(const struct xk_slm_loop *g);
uint32_t xk_slm_read_flip(const struct xk_slm_loop *g, unsigned depth);

/* Bytes of B from the last depth and tap of a step of the inner K to the next
 * step's first. */
int64_t xk_slm_b_next_step(const struct xk_plan_slm *s);
/* Bytes that B's headers move by in front of a depth of step i; u32. */
const xk_expr *xk_slm_b_move(const struct xk_slm_loop *g, unsigned depth);
/* Offset (u32) of B's first step of K in its surface, a move before it. */
const xk_expr *xk_slm_start_b(const struct xk_slm_loop *g);
/* Allocates and fills all headers; those of B alone. */
void xk_slm_prepare(struct xk_slm_loop *g);
void xk_slm_prepare_b(struct xk_slm_loop *g);
/* slm_pack.c: gathers unit b element by element, its headers at `from`; packs it
 * into g->packed. */
void xk_slm_gather_elements(struct xk_slm_loop *g, struct xk_block_writer *w,
                            unsigned b, const xk_expr *from);
void xk_slm_pack(struct xk_slm_loop *g, struct xk_block_writer *w, unsigned b);
/* Changes n headers of buf; by NULL or 0: not at all. */
void xk_slm_move(struct xk_slm_loop *g, struct xk_block_writer *w,
                 const xk_expr *buf, unsigned n, enum xk_op op,
                 const xk_expr *by);
/* Moves B's headers by `by` (u32), then loads into the slot of step `count`. */
void xk_slm_load_b(struct xk_slm_loop *g, struct xk_block_writer *w,
                   const xk_expr *by, const xk_expr *count);

#endif
