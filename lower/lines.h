/* SPDX-License-Identifier: Apache-2.0 */
/* A by lines (load_a=lines): a message brings two steps of eight rows, 64 bytes of
 * each. */
#ifndef XK_LOWER_LINES_H
#define XK_LOWER_LINES_H

#include "lower/state.h"

static inline bool xk_lower_by_lines(const struct xk_lowering *l)
{
    return l->p->a.access == XK_ACCESS_LINES;
}
/* Before the loop: the header at at_b of buf has eight rows' places, with `two` 16
 * rows'. Makes it that of an item, or of two, whose upper lanes are the same rows'
 * second step. */
void xk_lower_line_header(struct xk_lowering *l, const xk_expr *buf,
                          uint32_t at_b, bool two);
/* u32 x 16: bytes from a pixel to each lane's part of its rows, row_b apart. */
const xk_expr *xk_lower_line_rows(struct xk_lowering *l, int64_t row_b);
/* Whether step i is the first of a load's. */
const xk_expr *xk_lower_line_begins(struct xk_lowering *l, const xk_expr *i);

#endif
