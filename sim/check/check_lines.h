/* SPDX-License-Identifier: Apache-2.0 */
/* What the checkers know of memory: a record for each line of 64 bytes that a
 * unit of work touches. It is kept for the whole line at first, then by dwords,
 * then by bytes. */
#ifndef XK_SIM_CHECK_LINES_H
#define XK_SIM_CHECK_LINES_H

#include "sim/check/check_state.h"

#define XK_CHECK_LINE_B 64

/* The line with this key; it is made at its first use. NULL: out of memory. */
struct xk_check_line *xk_check_line_find(struct xk_sim_check_work *w,
                                         uint64_t key);
/* The line of an address; NULL: out of memory. */
static inline struct xk_check_line *
xk_check_line_at(struct xk_sim_check_work *w, uint8_t space, uint64_t addr)
{
    const struct xk_check_lines *const m = &w->lines;
    const uint64_t key =
        (addr / XK_CHECK_LINE_B | (uint64_t)(space == XK_CS_SLM) << 63) + 1;
    return m->last && m->last->key == key ? m->last
                                          : xk_check_line_find(w, key);
}

/* Gives the line the cells that an access needs; false: out of memory. */
bool xk_check_line_prepare(struct xk_sim_check_work *w, struct xk_check_line *l,
                           bool bytes, bool atomic);

#endif
