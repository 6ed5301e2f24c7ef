/* SPDX-License-Identifier: Apache-2.0 */
/* Text to instructions, in the syntax that iga64 reads and writes (default and
 * -Xprint-ldst), labels and comments included. */
#ifndef XK_ISA_ASM_H
#define XK_ISA_ASM_H

#include "base/ctx.h"
#include "isa/isa.h"

/* One instruction without a label; the text need not end in NUL. Branch targets
 * are byte offsets and are not checked. On failure err begins with
 * "LINE:COLUMN: " and names word, field and range. */
enum xk_status xk_inst_parse(const struct xk_platform *p, const char *text,
                             size_t n_b, struct xk_inst *out,
                             struct xk_error *err);

/* A program's text, which need not end in NUL. */
struct xk_asm_source {
    const char *text;
    size_t n_b;
    const char *file; /* for messages, "FILE:LINE:COLUMN: ..."; may be NULL */
};

/* A whole program to machine code; branch targets are labels or byte offsets
 * to the start of an instruction or the end (docs/asm.md). compact uses the
 * 64-bit form wherever there is one, unless the text says {NoCompact}; without
 * it only {Compacted} does. *code is the caller's (xk_free). All values are
 * checked: nothing is encoded that the tables do not allow. */
enum xk_status xk_assemble_text(xk_ctx *c, const struct xk_platform *p,
                                const struct xk_asm_source *source,
                                bool compact, uint8_t **code, size_t *code_b);

#endif
