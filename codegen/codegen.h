/* SPDX-License-Identifier: Apache-2.0 */
/* IR to machine code: visitor over IR -> instructions over virtual register
 * tiles -> allocation -> scoreboard -> bytes. */
#ifndef XK_CODEGEN_CODEGEN_H
#define XK_CODEGEN_CODEGEN_H

#include "binary/abi.h"
#include "ir/stmt.h"
#include "isa/isa.h"

/* What can be left out: bits of xk_ctx.code_off. */
enum {
    XK_CODE_ORDER = 1, /* instructions stay in the order of the IR */
    XK_CODE_BANKS = 2, /* registers are chosen without regard to banks */
};

struct xk_code_stats {
    uint32_t instructions; /* static, with sync and nop */
    uint32_t fma;          /* mad, dp4a, dpas of the main computation */
    uint32_t sends, syncs;
    uint16_t peak_grf; /* most registers live at one moment */
    /* blocks, those with another order, and what issuing all of them once is
     * estimated to take in the IR's order and in the chosen one */
    uint32_t blocks, reordered, source_cyc, order_cyc;
};

/* What code generation gives. */
struct xk_code_out {
    struct xk_str *code; /* the instructions' bytes are appended */
    struct xk_str *text; /* NULL, or a line for each instruction is appended, in
                            the vendor's syntax */
    struct xk_code_stats *stats; /* may be NULL */
};

/* The kernel's arguments are matched with abi->args by name. XK_ENOFIT if
 * abi->grf_count registers do not suffice; the sentence says which phase needs
 * how many. */
enum xk_status xk_codegen(xk_ctx *c, const struct xk_platform *p,
                          const struct xk_kernel *k, const struct xk_abi *abi,
                          const struct xk_code_out *out);

#endif
