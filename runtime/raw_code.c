/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/raw_code.h"
#include "base/integer.h"

#include <stdio.h>

#define ARG_MAX_B 4096
#define ARGS_MAX 256
#define CROSS_ALIGN_B 32 /* drivers round arguments up to this */

/* Places the arguments one behind the other, each at a multiple of its size. */
static enum xk_status place_args(xk_ctx *c,
                                 const struct xk_simulate_code *facts,
                                 struct xk_zkernel *k)
{
    uint32_t at_b = 0;
    k->n_args = facts->n_args;
    k->args = xk_calloc(c, facts->n_args + 1u, sizeof *k->args);
    if (!k->args)
        return XK_ENOMEM;
    for (uint32_t i = 0; i < facts->n_args; i++) {
        const bool slm = !facts->arg_b[i];
        const uint32_t size_b = slm ? 4 : facts->arg_b[i];
        if (size_b > ARG_MAX_B)
            return xk_fail(c, XK_EINVAL, "argument %u: %u bytes, at most %u", i,
                           size_b, ARG_MAX_B);
        at_b = xk_round_up(at_b, size_b > 8 ? 8 : size_b);
        k->args[i] =
            (struct xk_zarg){.kind = slm ? XK_ZARG_POINTER : XK_ZARG_VALUE,
                             .arg_index = (int32_t)i,
                             .offset_b = at_b,
                             .size_b = size_b,
                             .slm = slm,
                             .mode = slm ? XK_ZMODE_SLM : XK_ZMODE_STATELESS};
        if (facts->pointers && facts->pointers[i])
            k->args[i].kind = XK_ZARG_POINTER;
        at_b += size_b;
    }
    k->cross_thread_b = xk_round_up(at_b, CROSS_ALIGN_B);
    return XK_OK;
}

static enum xk_status check_facts(xk_ctx *c, const struct xk_simulate_code *f)
{
    if (f->simd && f->simd != 1 && f->simd != 8 && f->simd != 16 &&
        f->simd != 32)
        return xk_fail(c, XK_EINVAL, "code: simd is %u", f->simd);
    if (f->grf_count && f->grf_count != 128 && f->grf_count != 256)
        return xk_fail(c, XK_EINVAL, "code: grf_count is %u", f->grf_count);
    if (f->n_args > ARGS_MAX)
        return xk_fail(c, XK_EINVAL, "code: %u arguments, at most %u",
                       f->n_args, ARGS_MAX);
    return XK_OK;
}

enum xk_status xk_raw_code_read(xk_ctx *c, const void *code, size_t code_b,
                                const struct xk_simulate_code *facts,
                                struct xk_zebin *out)
{
    struct xk_zkernel *const k = xk_calloc(c, 1, sizeof *k);
    *out = (struct xk_zebin){.n_kernels = 1, .kernels = k};
    if (!k)
        return XK_ENOMEM;
    snprintf(k->name, sizeof k->name, "code");
    k->code = code;
    k->code_b = code_b;
    k->simd = facts->simd ? facts->simd : 16;
    k->grf_count = facts->grf_count ? facts->grf_count : 128;
    k->slm_b = facts->slm_b;
    k->barriers = facts->barriers;
    k->scratch_b = facts->scratch_b;
    k->inline_b = facts->inline_b;
    k->n_local_ids = facts->local_ids ? 3 : 0;
    XK_TRY(check_facts(c, facts));
    return place_args(c, facts, k);
}
