/* SPDX-License-Identifier: Apache-2.0 */
/* A loop that becomes a pipe: its buffers, and its statements in the order of a
 * step. Internal to passes/. */
#ifndef XK_PASSES_PIPE_LOOP_H
#define XK_PASSES_PIPE_LOOP_H

#include "passes/nest_pass.h"

#define XK_PIPED_BUFFERS 6
#define XK_PIPED_CALLS 256 /* statements of a loop's body */

struct xk_piped_buffer {
    char name[16];
    unsigned ahead, slots;
    const xk_expr *var; /* once its allocation was found */
    uint32_t size_b;    /* of one place */
    bool piped;
};

struct xk_piped_loop {
    xk_ctx *c;
    const struct xk_tiling *t;
    unsigned grf_b, n_buffers, copies, last; /* number of the last stage */
    unsigned depth;                          /* loops around */
    unsigned every; /* steps of the loop after which its loads are alike */
    bool more_slm;  /* the kernel uses SLM elsewhere, too */
    struct xk_piped_buffer buffer[XK_PIPED_BUFFERS];
    const struct xk_piped_buffer *slm; /* one that the loop stores to; NULL */
};

/* One statement of the body. */
struct xk_piped_part {
    const xk_stmt *s;
    struct xk_piped_buffer *loads; /* the buffer that it loads; NULL: none */
    unsigned stage;
    bool front; /* a load in front of all that is multiplied */
};

/* The buffer of a pointer's or a view's variable; NULL: it is not piped. */
struct xk_piped_buffer *xk_piped_find(struct xk_piped_loop *p,
                                      const xk_expr *var);
static inline bool xk_piped_is_slm(const struct xk_piped_buffer *b)
{
    return b->var && xk_type_of(b->var).space == XK_SPACE_SLM;
}

/* A statement that calls a tile function, maybe in a tiling of its own, or
 * behind a branch. */
struct xk_piped_call {
    const xk_stmt *call;
    const struct xk_tile_call *f; /* NULL: it is none */
    const xk_stmt *tiling;        /* of its own; NULL: the loop's */
    const xk_stmt *branch;        /* that it stands behind; NULL: none */
};
struct xk_piped_call xk_piped_call_of(const xk_stmt *s);
/* Steps of the loop after which a load that stands behind a branch comes again:
 * the branch is `loop variable / step % n == 0`. 1: it has none; 0: another
 * branch. */
unsigned xk_piped_every(const xk_stmt *loop, const struct xk_piped_call *x);

/* The body's statements in the order of a step. False: the context says why
 * they have none. */
bool xk_piped_order(struct xk_piped_loop *p, const xk_stmt *loop,
                    struct xk_piped_part out[XK_PIPED_CALLS], unsigned *n);

#endif
