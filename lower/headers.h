/* SPDX-License-Identifier: Apache-2.0 */
/* Headers that are registers of the kernel (u32 offsets or SLM addresses, a
 * lane each), and their messages. */
#ifndef XK_LOWER_HEADERS_H
#define XK_LOWER_HEADERS_H

#include "lower/state.h"

/* Bytes of a header: a register of u32. */
static inline uint32_t xk_lower_header_b(const struct xk_lowering *l)
{
    return l->p->platform->grf_b;
}

/* v modulo 2^32. */
const xk_expr *xk_lower_u32(const struct xk_lowering *l, int64_t v);
/* A message to or from reg whose header is at `head`; all lanes. */
void xk_lower_sendh(struct xk_lowering *l, struct xk_block_writer *w,
                    const struct xk_send *send, const xk_expr *head,
                    const xk_expr *reg);

#endif
