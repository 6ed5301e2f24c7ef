/* SPDX-License-Identifier: Apache-2.0 */
/* The finished program: one block of memory with everything in it. */
#ifndef XK_GEN_PROGRAM_H
#define XK_GEN_PROGRAM_H

#include "base/ctx.h"
#include "binary/abi.h"
#include "codegen/codegen.h"
#include "plan/plan.h"
#include "xekern/xekern.h"

/* What create gathered; all borrowed. */
struct xk_program_parts {
    const struct xk_conv_info *info;
    const struct xk_plan *plan;
    const struct xk_abi *abi;
    const struct xk_str *code, *zebin;
    struct xk_code_stats stats;
    uint32_t arg_tensor[XK_ABI_MAX_ARGS]; /* enum xk_conv_arg per argument */
    const struct xk_alloc *alloc;         /* the caller's heap */
};

/* NULL on out of memory. */
xk_program *xk_program_make(const struct xk_program_parts *p);
void xk_program_set_cost(xk_program *p, uint64_t ns, uint64_t peak_b);

#endif
