/* SPDX-License-Identifier: Apache-2.0 */
/* Assembler text to records and back, for the tests of the ordering. */
#ifndef XK_TESTS_CODEGEN_ORDER_TEXT_H
#define XK_TESTS_CODEGEN_ORDER_TEXT_H

#include "codegen/order.h"

#define OT_MAX 512

struct ot_list {
    const struct xk_platform *p;
    struct xk_inst in[OT_MAX];
    unsigned n;
};

/* Branch targets become indices. Ends the test if the text is refused. */
void ot_parse(const char *platform, const char *text, struct ot_list *out);
/* Chains and order as codegen/ does it. */
struct xk_order_stats ot_order(struct ot_list *l);
/* Annotated; what the simulator's text wants, the last one a nop. The caller's
 * to free. */
char *ot_annotated(const struct ot_list *l, struct ot_list *out);

#endif
