/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of the IR's integers on constants, as docs/ir.md says it. */
#ifndef XK_IR_FOLD_H
#define XK_IR_FOLD_H

#include "base/integer.h"
#include "ir/expr.h"

/* Value of op on constants of type dt. False if undefined: s32 or s64 overflow,
 * a shift count outside the type, or op is none of the integer operators. */
bool xk_fold(enum xk_op op, enum xk_dtype dt, const int64_t *k, int64_t *out);

unsigned xk_dtype_bits(enum xk_dtype dt);
/* s32 and s64: arithmetic that must not wrap (docs/ir.md). */
bool xk_dtype_nowrap(enum xk_dtype dt);

/* The op' with which b op' a is a op b; an op that is no compare stays. */
enum xk_op xk_compare_swapped(enum xk_op op);

#endif
