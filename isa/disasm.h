/* SPDX-License-Identifier: Apache-2.0 */
/* A whole program as text, with labels, as iga64 -d writes it. */
#ifndef XK_ISA_DISASM_H
#define XK_ISA_DISASM_H

#include "base/ctx.h"
#include "isa/isa.h"

struct xk_disasm_opts {
    bool ldst;    /* messages spelled out */
    bool offsets; /* a comment with the byte offset before each line */
    bool numeric; /* branch targets as byte offsets, no labels */
    bool bfn_numbers;
};

/* Appends a line for each instruction, and lines with labels, to *out. Bytes
 * that do not decode become a comment line with the reason, and reading goes on
 * behind them; the result counts them. The text assembles back to the same
 * bytes. A lack of memory is the context's error. */
unsigned xk_disassemble_code(xk_ctx *c, const struct xk_platform *p,
                             const uint8_t *code, size_t code_b,
                             const struct xk_disasm_opts *o,
                             struct xk_str *out);

#endif
