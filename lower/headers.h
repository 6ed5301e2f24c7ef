/* SPDX-License-Identifier: Apache-2.0 */
/* Headers that are registers of the kernel (u32 offsets or SLM addresses, a
 * lane each), and their messages. */
#ifndef XK_LOWER_HEADERS_H
#define XK_LOWER_HEADERS_H

#include "lower/state.h"

enum { XK_HEADER_B = 32 /* a header: 8 lanes of u32 */ };

/* v modulo 2^32. */
const xk_expr *xk_lower_u32(const struct xk_lowering *l, int64_t v);
/* A message to or from reg whose header is at `head`; all lanes. */
void xk_lower_sendh(struct xk_lowering *l, struct xk_block_writer *w,
                    const struct xk_send *send, const xk_expr *head,
                    const xk_expr *reg);

#endif
