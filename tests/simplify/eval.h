/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates integer and bool expressions by the definitions of docs/ir.md, one
 * lane at a time. Written apart from simplify/: it shares no arithmetic. */
#ifndef XK_TESTS_EVAL_H
#define XK_TESTS_EVAL_H

#include "ir/expr.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

struct env {
    unsigned n;
    const xk_expr *const *vars;
    const wide *values; /* of scalars; vectors: lane l has values[i] + l * 3 */
    /* The type that s32 stands for; UNDEF: expressions are what they say. */
    enum xk_dtype number;
    /* s32 and s64 results need not fit: they are integers. */
    bool unbounded;
    bool undefined; /* out: overflow of s32 or s64, or a bad shift count */
};

wide eval(struct env *env, const xk_expr *e, unsigned lane);
/* v as the type holds it. */
wide eval_wrap(enum xk_dtype dt, wide v);
bool eval_nowrap(enum xk_dtype dt);
unsigned eval_bits(enum xk_dtype dt);

#endif
