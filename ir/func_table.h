/* SPDX-License-Identifier: Apache-2.0 */
/* Names, arities and text of functions; all read from func.def. */
#ifndef XK_IR_FUNC_TABLE_H
#define XK_IR_FUNC_TABLE_H

#include "base/str.h"
#include "ir/func.h"

const char *xk_func_text(enum xk_func_kind kind);
int xk_func_n_args(enum xk_func_kind kind);     /* -1: any number */
const char *xk_space_name(enum xk_space space); /* "global" */

/* The function with its payload, as "send.load.global.a64.d32x4.s16". Grammar:
 * docs/ir.md. */
void xk_func_print(const struct xk_func *f, struct xk_str *out);
/* Reads the n characters that xk_func_print wrote, without REORDER's list in
 * brackets. NULL, or what is wrong with the text (static). */
const char *xk_func_parse(const char *s, size_t n, struct xk_func *f);

#endif
