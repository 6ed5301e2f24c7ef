/* SPDX-License-Identifier: Apache-2.0 */
/* What both families ask of a view. */
#include "plan/operand.h"

/* Rows of memory along a view dim that passes a tensor dim through, the
 * layout's padding included; 0 if it does not. */
static int64_t rows_padded(const struct xk_view *v, const char *row)
{
    const int t = row ? xk_view_tensor_dim(v, row) : -1;
    return t < 0 ? 0 : v->layout.padded[t];
}

/* Tensor dim whose neighbours are consecutive along a view dim: that which it
 * passes through, or of several merged ones the innermost; -1: none. */
static int consecutive_dim(const struct xk_view *v, const char *name)
{
    const struct xk_block *const b = &v->layout.block[v->layout.n_blocks - 1];
    const int t = xk_view_tensor_dim(v, name), d = xk_view_find(v, name);
    const bool merged = t < 0 && d >= 0 && b->stride == 1 &&
                        xk_depends_on(v->coord[b->dim], v->dim[d].var);
    return merged ? b->dim : t;
}

/* Whether the tensor dim's place is whole dwords where each run of the view dim
 * begins, whatever the others are. */
static bool starts_on_dwords(xk_ctx *c, const struct xk_view *v, int t, int dim,
                             int64_t run)
{
    const struct xk_view_dim *const d = &v->dim[dim];
    const int64_t per_dw = 4 / xk_dtype_b(v->layout.dt);
    if (v->coord[t] == d->var || per_dw < 2)
        return true;
    const bool several = run > 0 && run < d->extent;
    const xk_expr *const at =
        several ? xk_bin_imm(c, XK_OP_MUL,
                             xk_var(c, xk_type_vec(XK_DT_S32, 1), "run"), run)
                : xk_s32(c, 0);
    const xk_expr *const first = xk_substitute(c, v->coord[t], 1, &d->var, &at);
    const xk_expr *const in = xk_bin_imm(c, XK_OP_MOD, first, per_dw);
    return xk_prove(c, xk_bin_imm(c, XK_OP_EQ, in, 0), NULL);
}

/* Whether every block stride but that of the consecutive index is whole dwords:
 * then so is the offset of every row, whatever its coordinates. A single row
 * must end with a whole one. run: of the consecutive index. */
static bool dword_rows(xk_ctx *c, const struct xk_view *v,
                       const char *consecutive, int64_t run)
{
    const int k = consecutive_dim(v, consecutive);
    const unsigned elem_b = xk_dtype_b(v->layout.dt);
    if (k < 0 || v->layout.padded[k] * elem_b % 4 ||
        !starts_on_dwords(c, v, k, xk_view_find(v, consecutive), run))
        return false;
    for (unsigned i = 0; i < v->layout.n_blocks; i++) {
        const struct xk_block *const b = &v->layout.block[i];
        if (b->size == 1 || ((int)b->dim == k && b->stride == 1))
            continue;
        if (b->stride * elem_b % 4)
            return false;
    }
    return v->layout.offset_e * elem_b % 4 == 0;
}

struct xk_tile_strides xk_tile_strides_of(xk_ctx *c, const struct xk_plan *p,
                                          const struct xk_view *v,
                                          const char *row)
{
    struct xk_tile_strides s = {0};
    if (row && !xk_view_stride_b(c, v, row, &s.row_b, &s.row_run))
        s.row_b = s.row_run = 0;
    if (!xk_view_stride_b(c, v, xk_plan_k_inner(p)->name, &s.k_b, &s.k_run))
        s.k_b = s.k_run = 0;
    s.rows_padded = rows_padded(v, row);
    /* C has no K: its columns are what is consecutive. */
    const char *const k = xk_plan_k_inner(p)->name;
    const bool has_k = xk_view_find(v, k) >= 0;
    s.dwords = dword_rows(c, v, has_k ? k : row, has_k ? s.k_run : s.row_run);
    return s;
}

struct xk_plan_loads xk_plan_gathers(const struct xk_operand_job *j,
                                     unsigned each, unsigned lanes)
{
    enum { BASES = 4 }; /* that the header pass keeps, at most */
    const unsigned blocks = j->rows / lanes;
    struct xk_plan_loads l = xk_plan_loads_of(blocks * each, lanes);
    l.bases = (uint8_t)(blocks < BASES ? blocks : BASES);
    return l;
}

unsigned xk_plan_block_vec(unsigned left)
{
    unsigned vec = 64;
    while (vec > left)
        vec /= 2;
    return vec;
}

unsigned xk_plan_block_messages(unsigned dwords, unsigned chunk)
{
    unsigned n = 0;
    for (unsigned at = 0; at < dwords; n++)
        at += xk_plan_block_vec(chunk - at % chunk);
    return n;
}
