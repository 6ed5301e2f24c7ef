/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on the elements of C: the rows of post_op.def, as plain data.
 * Nothing here knows what C is the result of. */
#ifndef XK_VIEWS_EPI_KIND_H
#define XK_VIEWS_EPI_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows count from 1. */
enum xk_epi_kind {
    XK_EPI_NO_OP,
#define XK_POST_OP(id, ...) XK_EPI_##id,
#define XK_POST_FORM(...)
#include "views/post_op.def"
#undef XK_POST_OP
#undef XK_POST_FORM
    XK_N_EPI_KINDS
};

/* One step on C in f32; or on the accumulators, before they become f32. */
struct xk_epi_op {
    uint8_t kind;  /* enum xk_epi_kind */
    uint8_t input; /* where it reads rhs: index of the right-hand side */
    float alpha, beta, zero;
    uint8_t old_dt; /* enum xk_dtype, as large as C's: old is what C held, read
                       as this; 0: C's */
    bool in_acc;  /* of s32 accumulators: ADD or SUB of an s32 right-hand side,
                     modulo 2^32. No step in f32 stands before it */
    bool times_b; /* in_acc: of the right-hand side, one s32, times the sum over
                     K of B's elements in C's columns */
};

/* What may follow a name, and so what a kind reads besides x. */
enum xk_post_syntax {
    XK_SYNTAX_ELTWISE, /* nothing */
    XK_SYNTAX_SUM,     /* old: what C held */
    XK_SYNTAX_BINARY,  /* rhs */
    XK_SYNTAX_PRELU,   /* rhs */
};

struct xk_post_op_row {
    const char *name, *aliases, *why, *meaning; /* post_op.def */
    uint8_t syntax;                             /* enum xk_post_syntax */
    uint8_t n_numbers;                          /* of alpha, beta */
    bool (*is_within)(float alpha, float beta); /* the limit */
};

/* NULL: there is no such kind. */
const struct xk_post_op_row *xk_post_op_row(unsigned kind);
/* The kind that a word of n characters names, in letters of any size: its name,
 * an alias, or the name behind "eltwise_" or "binary_"; 0: none. */
unsigned xk_post_op_named(const char *word, size_t n);

/* A run: neighbours that are functions, steps on f32 that read nothing besides
 * x, or neighbours that are not. Functions together of at least XK_EPI_LONG_RUN
 * instructions for a vector may be done by a loop over vectors. */
#define XK_EPI_LONG_RUN 16
struct xk_epi_run {
    unsigned first, end; /* steps first .. end - 1 */
    unsigned cost;       /* their instructions for a vector, about */
    bool loops;          /* long, and of functions */
};
/* The run of n steps behind *r, which begins as zeros; false: there is none. */
bool xk_epi_next_run(const struct xk_epi_op *op, unsigned n,
                     struct xk_epi_run *r);

static inline bool xk_post_op_reads_old(unsigned kind)
{
    const struct xk_post_op_row *const r = xk_post_op_row(kind);
    return r && r->syntax == XK_SYNTAX_SUM;
}
static inline bool xk_post_op_reads_rhs(unsigned kind)
{
    const struct xk_post_op_row *const r = xk_post_op_row(kind);
    return r && (r->syntax == XK_SYNTAX_BINARY || r->syntax == XK_SYNTAX_PRELU);
}
static inline bool xk_epi_reads_old(const struct xk_epi_op *op)
{
    return xk_post_op_reads_old(op->kind);
}
static inline bool xk_epi_reads_rhs(const struct xk_epi_op *op)
{
    return xk_post_op_reads_rhs(op->kind);
}

#endif
