/* SPDX-License-Identifier: Apache-2.0 */
/* Side table from a node's serial to a pointer: what a pass knows about nodes
 * lives here, never in the nodes. Small tables need no allocation. */
#ifndef XK_IR_MEMO_H
#define XK_IR_MEMO_H

#include <stdbool.h>

#include "base/ctx.h"

struct xk_memo_slot {
    uint32_t serial; /* 0: empty */
    const void *value;
};

#define XK_MEMO_INLINE 32

struct xk_memo {
    xk_ctx *c;
    struct xk_memo_slot *slot;
    uint32_t n, cap; /* cap is a power of two */
    struct xk_memo_slot first[XK_MEMO_INLINE];
};

/* m must not move afterwards. */
void xk_memo_init(struct xk_memo *m, xk_ctx *c);
void xk_memo_fini(struct xk_memo *m);
/* Empties the table and keeps its memory. */
void xk_memo_clear(struct xk_memo *m);
/* False if the serial is not in the table. value may be NULL. */
bool xk_memo_get(const struct xk_memo *m, uint32_t serial, const void **value);
/* Adds or replaces. False on out of memory. */
bool xk_memo_set(struct xk_memo *m, uint32_t serial, const void *value);

#endif
