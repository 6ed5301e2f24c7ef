/* SPDX-License-Identifier: Apache-2.0 */
/* A contraction as text:
 *
 *   I: f16[16,64,56,56] acdb; W: f16[64,64,3,3]; O: f16;
 *   O[n,o,h,w] += I[n,c,h+r-1,w+s-1] * W[o,c,r,s]
 *
 * Declarations, each ended by ";" or a line's end, then one statement.
 *   NAME: TYPE [DIMS] [TAG] [fill N]   a tensor. Without dims they are as large
 *       as the statement reaches; without a tag it is dense, the last dim
 *       innermost; "any" leaves the layout open.
 *   NAME = N                           an index's extent
 *   NAME = {N, N, ...}@D               its extent in each class of class dim D
 * The first factor is A, the second B. Coordinates are sums of INT, INDEX,
 * INT*INDEX and, where classes differ, {N, N, ...}@D. "in LO..HI" behind one
 * narrows where elements are, HI outside; behind "|" stand conditions alone:
 *   B[c, p | p - q in 0..1].
 * Behind the statement stand the operations on C, each behind an arrow, in the
 * words of views/post_op.def; what a binary one reads is an access:
 *   C[m,n] += A[m,k] * B[k,n] -> add S[n] -> relu:0.1 -> sum:0.5
 * Indices stand in the order of their declarations, then of their first use.
 *
 * An extent that is not given follows: from a dim whose coordinate is the index
 * alone, else it is the largest with which a coordinate stays inside its dim.
 * Roles follow from where an index stands (contraction.h). */
#ifndef XK_VIEWS_FORMULA_H
#define XK_VIEWS_FORMULA_H

#include "base/arena.h"
#include "base/str.h"
#include "views/contraction.h"

/* XK_EPARSE: the text, with the position. XK_EINVAL: what does not fit
 * together, or an extent that does not follow. XK_EUNSUPPORTED as
 * xk_contraction_check. A, B and C are arguments 0, 1 and 2, right-hand sides
 * those from 3 on. Tables of classes live in the arena. */
enum xk_status xk_formula_parse(xk_ctx *c, struct xk_arena *arena,
                                const char *text, struct xk_contraction *out);
/* The same with every extent, dim and tag: parsing gives an equal contraction.
 */
void xk_formula_print(const struct xk_contraction *p, struct xk_str *out);

#endif
