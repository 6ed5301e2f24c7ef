/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of every format as vectors in registers. Bits are in the low part of
 * a dword a lane. */
#ifndef XK_LOWER_NUMBER_H
#define XK_LOWER_NUMBER_H

#include "layout/number_format.h"
#include "simplify/writer.h"

/* Registers that conversions use: a vector of dwords. */
struct xk_number_room {
    struct xk_block_writer *w;
    const xk_expr *buf; /* 4 * lanes bytes */
    unsigned lanes;
};

/* An operation on a number, and a name for what it gives. */
static inline const xk_expr *xk_number_op(const struct xk_number_room *r,
                                          enum xk_op o, const xk_expr *a,
                                          int64_t b)
{
    return xk_bin_imm(r->w->c, o, a, b);
}
static inline const xk_expr *xk_number_let(const struct xk_number_room *r,
                                           const char *name, const xk_expr *e)
{
    return xk_block_let(r->w, name, e);
}

/* The value as f32. bits: u32 a lane, zero above the format's bits. Every value
 * of the formats below 32 bits is one of f32; s32 is rounded to nearest even. A
 * NaN stays one. */
const xk_expr *xk_number_decode(struct xk_number_room *r, enum xk_format f,
                                const xk_expr *bits);
/* The nearest number of the format, ties to even, as u32 a lane; what is above
 * its bits is 0. Integers saturate, a NaN is anything there. Floats become
 * infinite beyond the largest number and half a step; f8_e4m3 becomes a NaN
 * there, f4_e2m1 its largest number, as a NaN does. Not E8M0. */
const xk_expr *xk_number_encode(struct xk_number_room *r, enum xk_format f,
                                const xk_expr *x);

#endif
