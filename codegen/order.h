/* SPDX-License-Identifier: Apache-2.0 */
/* The order of instructions inside basic blocks: work is put where the source
 * order would stand still. This works on any list with resolved registers and
 * with branch targets as indices, before the scoreboard pass. */
#ifndef XK_CODEGEN_ORDER_H
#define XK_CODEGEN_ORDER_H

#include "codegen/sb.h"

struct xk_order_stats {
    uint32_t blocks, changed;
    uint32_t before_cyc, after_cyc; /* estimates, all blocks once */
};

/* Changes the order of in[0..n). Branches, barriers, fences, state registers
 * and the thread's end stay where they are and nothing passes them; messages
 * keep their order, and Atomic chains (xk_scoreboard_chain) stay together. A
 * block whose estimate would not become better stays as it is. access[i]
 * is that of in[i], before and after. stats may be NULL. A platform without a
 * row of costs is left alone. */
enum xk_status xk_order(xk_ctx *c, const struct xk_platform *p,
                        struct xk_inst *in, struct xk_sb_access *access,
                        unsigned n, struct xk_order_stats *stats);

#endif
