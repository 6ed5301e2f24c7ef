/* SPDX-License-Identifier: Apache-2.0 */
/* What verbs that take IR text share. */
#ifndef XK_TOOLS_XK_IR_WORDS_H
#define XK_TOOLS_XK_IR_WORDS_H

#include "xekern/ir.h"

/* A whole file as text, to be freed; NULL says why in *err. Bytes of 0 are no
 * text. "-" is standard input. */
char *xk_ir_read_text(const char *path, struct xk_error *err);
/* Puts the text's path in front of the error, if st is one. */
void xk_ir_failed_in(const char *path, enum xk_status st, struct xk_error *err);
/* A number of registers, at most `most`. */
enum xk_status xk_ir_word_registers(const char *option, const char *value,
                                    uint32_t most, uint32_t *out,
                                    struct xk_error *err);

#endif
