/* SPDX-License-Identifier: Apache-2.0 */
/* REORDER: a box of elements from one register layout to another. One dimension
 * becomes the lanes of moves, the rest is enumerated. Conversion rounds to
 * nearest even and saturates to the range of an integer destination.
 *
 * bf16 is the upper half of an f32, so a shift makes that of it. A mov from f32
 * makes it, whose source begins a register (isa/rules.def, bf_src_region).
 *
 * Float operands must keep each lane at the same place in its dword as the
 * other side (isa.md 8), so narrow elements are spread to dwords by raw moves
 * before a conversion, and packed by raw moves after it. */
#include "codegen/cg.h"

static bool is_region(unsigned stride)
{
    return stride == 1 || stride == 2 || stride == 4;
}

/* The longest dimension that one move can walk on both sides; -1: element by
 * element. */
static int lane_dim(const struct xk_reorder *r)
{
    int best = -1;
    for (int d = 0; d < r->n_dims; d++) {
        if (is_region(r->dst_stride[d]) && is_region(r->src_stride[d]) &&
            (best < 0 || r->extent[d] > r->extent[best]))
            best = d;
    }
    return best;
}

/* A dword a lane, seen as elements of type dt. */
static struct xk_cg_val dword_lanes(struct xk_cg *g, enum xk_dtype dt,
                                    unsigned lanes)
{
    struct xk_cg_val v = xk_cg_temp(g, XK_DT_U32, lanes);
    v.dt = dt;
    v.stride = lanes > 1 ? (uint8_t)(4 / xk_dtype_b(dt)) : 0;
    return v;
}

static enum xk_dtype raw_type(enum xk_dtype dt)
{
    return xk_dtype_b(dt) == 4   ? XK_DT_U32
           : xk_dtype_b(dt) == 2 ? XK_DT_U16
                                 : XK_DT_U8;
}

static void mov_raw(struct xk_cg *g, struct xk_cg_val d, struct xk_cg_val a,
                    unsigned lanes)
{
    d.dt = a.dt = raw_type((enum xk_dtype)d.dt);
    xk_cg_op1(g, XK_OPC_MOV, &d, &a, lanes);
}

/* d, an f32, = a, a bf16. */
static void shift_up(struct xk_cg *g, struct xk_cg_val d, struct xk_cg_val a,
                     unsigned lanes)
{
    const struct xk_cg_val n = xk_cg_imm(XK_DT_U32, 16);
    d.dt = XK_DT_U32;
    a.dt = XK_DT_U16;
    xk_cg_op2(g, XK_OPC_SHL, &d, &a, &n, lanes);
}

/* A source of four bytes a lane that stands for the elements of a. */
static struct xk_cg_val as_dwords(struct xk_cg *g, const struct xk_cg_val *a,
                                  unsigned lanes)
{
    const enum xk_dtype dt = (enum xk_dtype)a->dt;
    if (xk_dtype_b(dt) == 4)
        return *a;
    if (dt == XK_DT_BF16) {
        const struct xk_cg_val t = xk_cg_temp(g, XK_DT_F32, lanes);
        shift_up(g, t, *a, lanes);
        return t;
    }
    if (xk_dtype_is_int(dt)) {
        const struct xk_cg_val t = xk_cg_temp(g, XK_DT_S32, lanes);
        xk_cg_op1(g, XK_OPC_MOV, &t, a, lanes);
        return t;
    }
    const struct xk_cg_val t = dword_lanes(g, dt, lanes);
    mov_raw(g, t, *a, lanes);
    return t;
}

/* Moves a to d: a four-byte type, or a half in dwords; saturates to
 * integers. */
static void convert_wide(struct xk_cg *g, const struct xk_cg_val *d,
                         struct xk_cg_val a, unsigned lanes)
{
    const bool to_int = xk_dtype_is_int((enum xk_dtype)d->dt);
    if (to_int && xk_dtype_is_float((enum xk_dtype)a.dt)) {
        const struct xk_cg_val even = xk_cg_temp(g, XK_DT_F32, lanes);
        xk_cg_op1(g, XK_OPC_RNDE, &even, &a, lanes); /* mov would cut off */
        a = even;
    }
    const uint32_t mark = g->n_inst;
    xk_cg_op1(g, XK_OPC_MOV, d, &a, lanes);
    for (uint32_t i = mark; to_int && i < g->n_inst; i++)
        g->inst[i].sat = true;
}

/* Returns a, of four bytes a lane, if it begins a register, or else a copy that
 * does. */
static struct xk_cg_val from_register(struct xk_cg *g, struct xk_cg_val a,
                                      unsigned lanes)
{
    if (lanes == 1 || (a.stride == 1 && a.sub_b % g->p->grf_b == 0))
        return a;
    const struct xk_cg_val t = xk_cg_temp(g, (enum xk_dtype)a.dt, lanes);
    mov_raw(g, t, a, lanes);
    return t;
}

/* What a conversion to bf16 may read, of what as_dwords() gives. */
static struct xk_cg_val bf16_source(struct xk_cg *g, struct xk_cg_val a,
                                    unsigned lanes)
{
    if (xk_dtype_b((enum xk_dtype)a.dt) == 4)
        a = from_register(g, a, lanes);
    if (a.dt == XK_DT_F32)
        return a;
    const struct xk_cg_val t = xk_cg_temp(g, XK_DT_F32, lanes);
    convert_wide(g, &t, a, lanes);
    return t;
}

/* Whether each lane of d begins a dword, of bf16 the first one a register, so
 * that a conversion may write it. */
static bool starts_dwords(const struct xk_cg *g, const struct xk_cg_val *d,
                          unsigned lanes)
{
    if (d->dt == XK_DT_BF16 && d->sub_b % g->p->grf_b)
        return false;
    const unsigned b = xk_dtype_b((enum xk_dtype)d->dt);
    return b == 4 || (lanes > 1 && d->stride * b == 4 && d->sub_b % 4 == 0);
}

static void convert_lanes(struct xk_cg *g, const struct xk_cg_val *d,
                          const struct xk_cg_val *a, unsigned lanes)
{
    const enum xk_dtype to = (enum xk_dtype)d->dt;
    if (to == a->dt) {
        mov_raw(g, *d, *a, lanes);
        return;
    }
    if (a->dt == XK_DT_BF16 && to == XK_DT_F32) {
        shift_up(g, *d, *a, lanes);
        return;
    }
    struct xk_cg_val w = as_dwords(g, a, lanes);
    if (to == XK_DT_BF16)
        w = bf16_source(g, w, lanes);
    if (starts_dwords(g, d, lanes)) {
        convert_wide(g, d, w, lanes);
        return;
    }
    const struct xk_cg_val t = dword_lanes(g, to, lanes);
    convert_wide(g, &t, w, lanes);
    mov_raw(g, *d, t, lanes);
}

/* Words that come from two places to be halves of dwords: a dimension of two
 * beside one whose lanes are dwords. A mad puts both halves at once where two
 * moves would: low + high * 65536. -1: there is no such dimension. */
static int pair_dim(const struct xk_reorder *r, int lane)
{
    if (lane < 0 || r->dst != r->src || r->dst_stride[lane] != 2 ||
        r->extent[lane] < 2 || r->src_stride[lane] > 2 ||
        xk_dtype_b((enum xk_dtype)r->dst) != 2)
        return -1;
    int pair = -1;
    for (int d = 0; d < r->n_dims; d++) {
        if (d != lane && r->extent[d] == 2 && r->dst_stride[d] == 1)
            pair = d;
        else if (r->extent[d] > 1 && r->dst_stride[d] % 2)
            return -1; /* not to dwords */
    }
    return pair;
}

/* The moves that pairs save are more than the one that their factor takes. */
static bool pair_saves(const struct xk_reorder *r, int lane, int pair)
{
    for (int d = 0; d < r->n_dims; d++)
        if (d != lane && d != pair && r->extent[d] > 1)
            return true;
    return false;
}

static struct xk_cg_val pair_factor(struct xk_cg *g)
{
    const struct xk_cg_val f = xk_cg_temp(g, XK_DT_U32, 1);
    const struct xk_cg_val v = xk_cg_imm(XK_DT_U32, 65536);
    xk_cg_op1(g, XK_OPC_MOV, &f, &v, 1);
    return f;
}

/* Dwords from d on of words from a on, and of those so many bytes behind. */
static void pair_lanes(struct xk_cg *g, struct xk_cg_val d, struct xk_cg_val a,
                       unsigned high_b, const struct xk_cg_val *factor,
                       unsigned lanes)
{
    struct xk_cg_val high = a;
    d.dt = XK_DT_U32;
    d.stride = 1;
    a.dt = high.dt = XK_DT_U16;
    high.sub_b += high_b;
    const struct xk_cg_val *const s[] = {&a, factor, &high};
    xk_cg_op3(g, XK_OPC_MAD, &d, s, lanes);
}

static bool advance_index(const struct xk_reorder *r, int skip, int skip_too,
                          unsigned *at)
{
    for (int d = r->n_dims - 1; d >= 0; d--) {
        if (d == skip || d == skip_too)
            continue;
        if (++at[d] < r->extent[d])
            return true;
        at[d] = 0;
    }
    return false;
}

static enum xk_status check_reorder(struct xk_cg *g, const struct xk_reorder *r)
{
    if (xk_dtype_b((enum xk_dtype)r->dst) > 4 ||
        xk_dtype_b((enum xk_dtype)r->src) > 4)
        return xk_fail(g->c, XK_EUNSUPPORTED, "codegen: reorder of %s to %s",
                       xk_dtype_name((enum xk_dtype)r->src),
                       xk_dtype_name((enum xk_dtype)r->dst));
    if (r->n_dims > XK_REORDER_MAX_DIMS)
        return xk_fail(g->c, XK_EINVAL, "codegen: reorder of %u dimensions",
                       r->n_dims);
    return XK_OK;
}

enum xk_status xk_cg_reorder(struct xk_cg *g, const struct xk_reorder *r,
                             const struct xk_cg_val *dst,
                             const struct xk_cg_val *src)
{
    XK_TRY(check_reorder(g, r));
    const int lane = lane_dim(r);
    int pair = pair_dim(r, lane);
    struct xk_cg_val factor = {0};
    unsigned at[XK_REORDER_MAX_DIMS] = {0};
    if (pair >= 0 && (dst->sub_b % 4 || !pair_saves(r, lane, pair)))
        pair = -1;
    if (pair >= 0)
        factor = pair_factor(g);
    do {
        struct xk_cg_val d = *dst, s = *src;
        for (int i = 0; i < r->n_dims; i++) {
            d.sub_b += at[i] * r->dst_stride[i] * xk_dtype_b(d.dt);
            s.sub_b += at[i] * r->src_stride[i] * xk_dtype_b(s.dt);
        }
        const unsigned n = lane < 0 ? 1 : r->extent[lane];
        d.stride = n > 1 ? (uint8_t)r->dst_stride[lane] : 0;
        s.stride = n > 1 ? (uint8_t)r->src_stride[lane] : 0;
        if (pair >= 0)
            pair_lanes(g, d, s, 2u * r->src_stride[pair], &factor, n);
        else
            convert_lanes(g, &d, &s, n);
        XK_TRY(xk_ctx_status(g->c));
    } while (advance_index(r, lane, pair, at));
    return XK_OK;
}
