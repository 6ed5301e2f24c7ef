/* SPDX-License-Identifier: Apache-2.0 */
/* tile.mul as the multiplies of its family. Each family says how its operands
 * lie in registers; a tile that lies otherwise is refused. */
#include "isa/isa.h"
#include "passes/expand.h"

enum { C, A, B };

struct product {
    struct xk_expand *x;
    const struct xk_tile_call *f;
    struct xk_tile_part part[3];
    const xk_expr *ptr[3];
};

static const uint8_t roles[3][2] = {
    {XK_ROLE_M, XK_ROLE_N}, {XK_ROLE_M, XK_ROLE_K}, {XK_ROLE_N, XK_ROLE_K}};

/* Element (i, j) of an operand's part, by its two roles, in its tile. */
static int64_t tile_element(const struct product *p, unsigned operand,
                            int64_t i, int64_t j)
{
    const struct xk_tile_part *const t = &p->part[operand];
    const int64_t of[2] = {i, j};
    int64_t at[XK_N_ROLES];
    for (unsigned d = 0; d < t->tile->layout.n_dims; d++)
        at[d] = t->first[d];
    for (unsigned r = 0; r < 2; r++) {
        const int d = xk_tile_dim(t->tile, (enum xk_role)roles[operand][r]);
        at[d] = t->first[d] + of[r];
    }
    return xk_layout_offset_e(&t->tile->layout, at);
}

static unsigned extent(const struct product *p, unsigned operand, unsigned r)
{
    const struct xk_tile_part *const t = &p->part[operand];
    return t->n[xk_tile_dim(t->tile, (enum xk_role)roles[operand][r])];
}

static enum xk_dtype type_of(const struct product *p, unsigned operand)
{
    return p->part[operand].tile->layout.dt;
}

static const xk_expr *reg(const struct product *p, unsigned operand, int64_t i,
                          int64_t j)
{
    const int64_t off_b =
        tile_element(p, operand, i, j) * xk_dtype_b(type_of(p, operand));
    return xk_expand_at(p->x, p->ptr[operand], off_b);
}

static void refuse_tile(const struct product *p, unsigned operand,
                        const char *how)
{
    xk_fail(p->x->c, XK_EINVAL, "expand: tile %s does not lie %s",
            p->part[operand].tile->name, how);
}

/* Whether n elements from (i, j) on along one of the roles are `stride` apart.
 */
static bool steps(const struct product *p, unsigned operand, unsigned r,
                  unsigned n, int64_t stride)
{
    const int64_t first = tile_element(p, operand, 0, 0);
    for (unsigned i = 1; i < n; i++)
        if (tile_element(p, operand, r ? 0 : i, r ? i : 0) !=
            first + i * stride)
            return false;
    return extent(p, operand, r) % n == 0;
}

static void call_multiply(const struct product *p, const struct xk_func *f,
                          int64_t m, int64_t n, int64_t k)
{
    const xk_expr *const acc = reg(p, C, m, n);
    const bool dpas = f->kind == XK_FUNC_DPAS;
    const xk_expr *const a = reg(p, A, m, k), *const b = reg(p, B, n, k);
    const xk_expr *const args[] = {acc, acc, dpas ? a : b, dpas ? b : a};
    if (acc && a && b)
        xk_block_call(&p->x->w, f, args, 4);
}

/* Which of a depth's elements place k of A is: A's dwords are registers apart,
 * in any order. -1: it lies elsewhere. */
static int64_t depth_element(const struct product *p, int64_t k, unsigned lanes,
                             unsigned per_dw, unsigned deep)
{
    const int64_t off = tile_element(p, A, 0, k) - tile_element(p, A, 0, 0);
    const int64_t reg_e = lanes * per_dw;
    const int64_t slot = off / reg_e * per_dw + off % reg_e;
    return off < 0 || off % reg_e >= per_dw || slot >= deep ? -1 : slot;
}

/* Whether A and B have the depth's places of K in one order; if not, or if A
 * has none, it is refused. */
static bool has_k_order(const struct product *p, unsigned lanes,
                        unsigned per_dw, unsigned deep)
{
    bool a = extent(p, A, 1) % deep == 0, b = true;
    for (unsigned k = 0; a && k < deep; k++) {
        const int64_t slot = depth_element(p, k, lanes, per_dw, deep);
        a = slot >= 0;
        b &= tile_element(p, B, 0, k) == tile_element(p, B, 0, 0) + slot;
    }
    if (!a)
        refuse_tile(p, A, "as src1 of dpas: [k8 m8 k2] of 16 bits");
    else if (!b)
        refuse_tile(p, B, "as src2 of dpas: [n8 k16] of 16 bits, k as in src1");
    return a && b;
}

/* M in the lanes: a's dwords of k a register, b's rows of a depth of k, c's
 * columns. */
static void expand_dpas(const struct product *p)
{
    const unsigned elem_b = xk_dtype_b(type_of(p, A));
    const unsigned per_dw = elem_b > 2 ? 1 : 4 / elem_b;
    const unsigned lanes = p->x->platform->dpas_exec;
    const unsigned rows = p->x->platform->dpas_rows;
    const unsigned depth = p->x->platform->dpas_depth_b / 4;
    const bool wide = p->f->family == XK_FAMILY_DPASW;
    const unsigned deep = depth * per_dw, own = rows / (wide ? 2 : 1);
    const struct xk_func f = {.kind = XK_FUNC_DPAS,
                              .u.dpas = {.dst = (uint8_t)type_of(p, C),
                                         .src0 = (uint8_t)type_of(p, C),
                                         .src1 = (uint8_t)type_of(p, A),
                                         .src2 = (uint8_t)type_of(p, B),
                                         .exec = (uint8_t)lanes,
                                         .sdepth = (uint8_t)depth,
                                         .rcount = (uint8_t)rows,
                                         .wide = wide}};
    if (elem_b > 2 || xk_dtype_b(type_of(p, B)) != elem_b) {
        refuse_tile(p, A, "in types of dpas");
        return;
    }
    if (!steps(p, A, 0, lanes, per_dw)) {
        refuse_tile(p, A, "as src1 of dpas: [k8 m8 k2] of 16 bits");
        return;
    }
    if (!steps(p, B, 0, own, deep)) {
        refuse_tile(p, B, "as src2 of dpas: [n8 k16] of 16 bits");
        return;
    }
    if (!has_k_order(p, lanes, per_dw, deep))
        return;
    const unsigned columns = extent(p, C, 1);
    if (!steps(p, C, 0, lanes, 1) || !steps(p, C, 1, own, lanes) ||
        columns % rows ||
        (wide && tile_element(p, C, 0, columns / 2) !=
                     tile_element(p, C, 0, 0) + own * lanes)) {
        refuse_tile(p, C,
                    "as the sum of dpas: [n8 m8], or of dpasw, [n2 n4 m8]");
        return;
    }
    for (unsigned k = 0; k < extent(p, A, 1); k += deep)
        for (unsigned m = 0; m < extent(p, C, 0); m += lanes)
            for (unsigned n = 0; n < columns; n += rows)
                call_multiply(p, &f, m, n / rows * own, k);
}

/* N in the lanes; dp4a: of dwords of four elements along k. */
static void expand_lanes(const struct product *p)
{
    const bool dots = p->f->family == XK_FAMILY_DP4A;
    const unsigned simd = p->x->kernel->simd, deep = dots ? 4 : 1;
    const uint8_t acc = (uint8_t)type_of(p, C);
    const uint8_t a = type_of(p, A) == XK_DT_S8 ? XK_DT_S32 : XK_DT_U32;
    const uint8_t b = type_of(p, B) == XK_DT_S8 ? XK_DT_S32 : XK_DT_U32;
    const struct xk_func f = {
        .kind = dots ? XK_FUNC_DP4A : XK_FUNC_MAD,
        .u.mad = {acc, acc, dots ? b : (uint8_t)type_of(p, B),
                  dots ? a : (uint8_t)type_of(p, A), (uint8_t)simd, 1, 1, 0}};
    if (dots &&
        (xk_dtype_b(type_of(p, A)) != 1 || xk_dtype_b(type_of(p, B)) != 1)) {
        refuse_tile(p, A, "in types of dp4a");
        return;
    }
    if (!steps(p, C, 1, simd, 1)) {
        refuse_tile(p, C, "with n in the lanes");
        return;
    }
    if (!steps(p, B, 0, simd, deep) || !steps(p, B, 1, deep, 1)) {
        refuse_tile(p, B, "with n in the lanes");
        return;
    }
    if (!steps(p, A, 1, deep, 1)) {
        refuse_tile(p, A, "in dwords of k");
        return;
    }
    for (unsigned k = 0; k < extent(p, A, 1); k += deep)
        for (unsigned m = 0; m < extent(p, C, 0); m++)
            for (unsigned n = 0; n < extent(p, C, 1); n += simd)
                call_multiply(p, &f, m, n, k);
}

void xk_expand_mul(struct xk_expand *x, const xk_stmt *s)
{
    struct product p = {.x = x, .f = &xk_func_of(s)->u.tile};
    const char *const bad = xk_tile_call_bad(x->t, p.f, xk_n_kids(s));
    if (bad) {
        xk_fail(x->c, XK_EINVAL, "expand: %s", bad);
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        xk_tile_part_of(x->t, p.f, i, &p.part[i]);
        p.ptr[i] = xk_kid(s, i);
    }
    if (p.f->family == XK_FAMILY_DPAS || p.f->family == XK_FAMILY_DPASW)
        expand_dpas(&p);
    else
        expand_lanes(&p);
}
