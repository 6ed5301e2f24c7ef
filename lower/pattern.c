/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/pattern.h"

#include <inttypes.h>

enum { VECTORS = 8 };

static enum xk_status refuse_fill(xk_ctx *c, const struct xk_fill *f)
{
    if (f->first_b < 0 || f->first_b % 4 || f->size_b <= 0)
        return xk_fail(c, XK_EINVAL,
                       "fill: %" PRId64 " bytes from byte %" PRId64 ": need "
                       "some, from a multiple of 4",
                       f->size_b, f->first_b);
    if (f->size_b > XK_FLAT_MAX_B - f->first_b)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "fill: %" PRId64 " bytes from byte %" PRId64
                       ": it ends beyond %" PRId64,
                       f->size_b, f->first_b, XK_FLAT_MAX_B);
    return XK_OK;
}

static const xk_expr *place_at(xk_ctx *c, const xk_expr *buf, int64_t at_b)
{
    return xk_ptr(c, buf, xk_s32(c, at_b));
}

/* Whole patterns. */
static void fill_dwords(struct xk_flat *n, const struct xk_fill *f,
                        const xk_expr *dst)
{
    xk_ctx *const c = n->c;
    const xk_expr *const buf =
        xk_block_alloc(&n->w, "pattern", XK_FLAT_VECTOR_B, 0);
    const xk_expr *const v = xk_imm(c, XK_DT_U32, (int64_t)f->pattern);
    xk_block_add(
        &n->w, xk_store(c, place_at(c, buf, 0), xk_bcast(c, v, XK_FLAT_SIMD)));
    for (unsigned i = 0; i < VECTORS; i++) {
        const xk_expr *const off = xk_bin_imm(
            c, XK_OP_ADD, xk_bin_imm(c, XK_OP_MUL, xk_flat_elements(n, i), 4),
            f->first_b);
        const struct xk_flat_message m = {.op = XK_SEND_STORE,
                                          .data_b = 4,
                                          .mem = dst,
                                          .off = off,
                                          .reg = place_at(c, buf, 0),
                                          .mask = xk_flat_mask(n, i)};
        xk_flat_send(n, &n->w, &m);
    }
}

/* The 1 to 3 bytes behind them, in the first lanes of the first thread. */
static void fill_rest(struct xk_flat *n, const struct xk_fill *f,
                      const xk_expr *dst)
{
    xk_ctx *const c = n->c;
    const int64_t rest = f->size_b % 4, at_b = f->first_b + f->size_b - rest;
    const xk_expr *const one = xk_s32(c, 1);
    if (!rest)
        return;
    const xk_expr *const buf =
        xk_block_alloc(&n->w, "rest", XK_FLAT_VECTOR_B, 0);
    const xk_expr *const zero = xk_imm(c, XK_DT_U32, 0);
    xk_block_add(&n->w, xk_store(c, place_at(c, buf, 0),
                                 xk_bcast(c, zero, XK_FLAT_SIMD)));
    for (int64_t i = 0; i < rest; i++)
        xk_block_add(&n->w,
                     xk_store(c, place_at(c, buf, 4 * i),
                              xk_imm(c, XK_DT_U32, f->pattern >> 8 * i & 255)));
    const xk_expr *const lane =
        xk_ramp(c, xk_bin_imm(c, XK_OP_MUL, n->thread, XK_FLAT_SIMD), one,
                XK_FLAT_SIMD);
    const struct xk_flat_message m = {
        .op = XK_SEND_STORE,
        .data_b = 1,
        .mem = dst,
        .off = xk_ramp(c, xk_s32(c, at_b), one, XK_FLAT_SIMD),
        .reg = place_at(c, buf, 0),
        .mask = xk_block_let(&n->w, "in_rest",
                             xk_bin_imm(c, XK_OP_LT, lane, rest))};
    xk_flat_send(n, &n->w, &m);
}

enum xk_status xk_lower_fill(xk_ctx *c, const struct xk_fill *f,
                             const char *name, bool surfaces,
                             struct xk_flat_nest *out)
{
    static const char *const names[] = {"dst"};
    const xk_expr *dst;
    XK_TRY(refuse_fill(c, f));
    struct xk_flat n = {.c = c,
                        .out = out,
                        .surfaces = surfaces,
                        .n = f->size_b / 4,
                        .vectors = VECTORS};
    const bool only_rest = n.n == 0;
    n.n += only_rest; /* a thread is needed for it */
    XK_TRY(xk_flat_begin(&n, name, 1, names, &dst));
    if (!only_rest)
        fill_dwords(&n, f, dst);
    fill_rest(&n, f, dst);
    return xk_flat_end(&n);
}
