/* SPDX-License-Identifier: Apache-2.0 */
/* Headers that a loop keeps in registers (u32 offsets or SLM addresses, a lane
 * each), and the messages and synchronization that go with them. */
#ifndef XK_LOWER_HEADERS_H
#define XK_LOWER_HEADERS_H

#include "lower/state.h"

enum {
    XK_HEADER_LANES = 8,
    XK_HEADER_B = 32 /* a header: 8 lanes of u32 */
};

/* v modulo 2^32. */
const xk_expr *xk_lower_u32(const struct xk_lowering *l, int64_t v);
/* Fills the header at at_b of a buffer, before the loop; a scalar goes to all
 * of its lanes, a vector may be several headers. */
void xk_lower_set_header(struct xk_lowering *l, const xk_expr *buf,
                         uint32_t at_b, const xk_expr *value);
/* Where rows m read: at off where mask holds, and the row is inside M where it
 * may not be; else at `beside`, where a read gives zeros. */
const xk_expr *xk_lower_or_beside(struct xk_lowering *l, const xk_expr *m,
                                  const xk_expr *mask, const xk_expr *off,
                                  int64_t beside);
/* The same for a mask that says all. */
const xk_expr *xk_lower_select_beside(struct xk_lowering *l,
                                      const xk_expr *mask, const xk_expr *off,
                                      int64_t beside);

/* A message to or from reg whose header is at `head`; all lanes. */
void xk_lower_sendh(struct xk_lowering *l, struct xk_block_writer *w,
                    const struct xk_send *send, const xk_expr *head,
                    const xk_expr *reg);
/* A gather from A's surface: vec elements of data_b bytes a lane. */
struct xk_send xk_lower_gather_send(const struct xk_lowering *l,
                                    unsigned data_b, unsigned vec,
                                    unsigned lanes);
/* Of vec dwords a lane; with one lane, a block. */
struct xk_send xk_lower_slm_send(enum xk_send_op op, unsigned vec,
                                 unsigned lanes);
/* A fence of SLM, or half a barrier. */
void xk_lower_sync(struct xk_block_writer *w, enum xk_func_kind kind);
/* Nobody goes on before all are here; and their stores to SLM are seen. */
void xk_lower_barrier(struct xk_block_writer *w);
void xk_lower_meet(struct xk_block_writer *w);

#endif
