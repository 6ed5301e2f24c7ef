/* SPDX-License-Identifier: Apache-2.0 */
/* tile.dot as dp4a over neighbouring places of both tiles: as many lanes as lie
 * in the same order in both. */
#include "passes/expand.h"

#include "isa/isa.h"

enum { S, B };

/* Element (n, k) of an operand's part, in its tile. */
static int64_t dot_element(const struct xk_tile_part *p, int64_t n, int64_t k)
{
    int64_t at[XK_N_ROLES];
    const int dn = xk_tile_dim(p->tile, XK_ROLE_N);
    const int dk = xk_tile_dim(p->tile, XK_ROLE_K);
    for (unsigned d = 0; d < p->tile->layout.n_dims; d++)
        at[d] = p->first[d];
    at[dn] += n;
    at[dk] += k;
    return xk_layout_offset_e(&p->tile->layout, at);
}

/* Whether place i of the sums, counted along k and then n, is dword i from the
 * first on, in both tiles: the order of registers that hold a row each. */
static bool lie_as_dwords(const struct xk_tile_part *p, unsigned n, unsigned k)
{
    const int64_t s0 = dot_element(&p[S], 0, 0), b0 = dot_element(&p[B], 0, 0);
    for (unsigned i = 0; i < n * k; i++) {
        const int64_t b = dot_element(&p[B], i / k, 4 * (i % k));
        if (dot_element(&p[S], i / k, i % k) != s0 + i || b != b0 + 4 * i ||
            dot_element(&p[B], i / k, 4 * (i % k) + 3) != b + 3)
            return false;
    }
    return true;
}

void xk_expand_dot(struct xk_expand *x, const xk_stmt *s)
{
    const struct xk_tile_call *const f = &xk_func_of(s)->u.tile;
    const unsigned lanes = 2 * xk_platform_dwords(x->platform);
    const char *const bad = xk_tile_call_bad(x->t, f, xk_n_kids(s));
    struct xk_tile_part p[2];
    if (bad) {
        xk_fail(x->c, XK_EINVAL, "expand: %s", bad);
        return;
    }
    xk_tile_part_of(x->t, f, S, &p[S]);
    xk_tile_part_of(x->t, f, B, &p[B]);
    const enum xk_dtype dt = p[B].tile->layout.dt;
    const unsigned n = p[S].n[xk_tile_dim(p[S].tile, XK_ROLE_N)];
    const unsigned k = p[S].n[xk_tile_dim(p[S].tile, XK_ROLE_K)];
    if ((dt != XK_DT_S8 && dt != XK_DT_U8) ||
        p[S].tile->layout.dt != XK_DT_S32 || n * k % lanes ||
        !lie_as_dwords(p, n, k)) {
        xk_fail(x->c, XK_EINVAL,
                "expand: tile.dot: tiles %s and %s are not s32 and bytes in "
                "the same order, %u sums at a time",
                p[S].tile->name, p[B].tile->name, lanes);
        return;
    }
    const uint8_t b = dt == XK_DT_S8 ? XK_DT_S32 : XK_DT_U32;
    const struct xk_func dp4a = {
        .kind = XK_FUNC_DP4A,
        .u.mad = {XK_DT_S32, XK_DT_S32, b, XK_DT_U32, (uint8_t)lanes, 1, 1, 0}};
    const int64_t s0 = dot_element(&p[S], 0, 0), b0 = dot_element(&p[B], 0, 0);
    for (unsigned i = 0; i < n * k; i += lanes) {
        const xk_expr *const sum = xk_expand_at(x, xk_kid(s, S), 4 * (s0 + i));
        const xk_expr *const args[] = {
            sum, sum, xk_expand_at(x, xk_kid(s, B), b0 + 4 * i), xk_kid(s, 2)};
        if (sum && args[2])
            xk_block_call(&x->w, &dp4a, args, 4);
    }
}
