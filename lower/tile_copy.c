/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/tile_copy.h"

#include <string.h>

/* Tiles along a role. */
static int64_t tiles_along(const struct xk_tiling *t, enum xk_role role)
{
    const int d = xk_tile_dim(&t->tile[0], role);
    const int64_t size = t->tile[0].layout.dim[d];
    return (xk_walk_extent(t, role) + size - 1) / size;
}

static void add_tile_call(struct xk_block_writer *w, enum xk_tile_op op,
                          const char *view, const xk_expr *const *args)
{
    struct xk_func f = {.kind = XK_FUNC_TILE, .u.tile = {.op = (uint8_t)op}};
    strcpy(f.u.tile.view, view);
    strcpy(f.u.tile.tile[0], "t");
    xk_block_call(w, &f, args, 4);
}

/* The thread's tile: k counts fastest, b the rest. */
static void copy_tile(struct xk_flat *f, const struct xk_tiling *t,
                      struct xk_block_writer *w)
{
    xk_ctx *const c = f->c;
    const int64_t along_n = tiles_along(t, XK_ROLE_N),
                  along_k = tiles_along(t, XK_ROLE_K);
    const struct xk_layout *const l = &t->tile[0].layout;
    const xk_expr *const k = xk_bin_imm(c, XK_OP_MOD, f->thread, along_k);
    const xk_expr *const n = xk_bin_imm(
        c, XK_OP_MOD, xk_bin_imm(c, XK_OP_DIV, f->thread, along_k), along_n);
    const xk_expr *const buf =
        xk_block_alloc(w, "t", (uint32_t)xk_tile_size_b(&t->tile[0]), 0);
    const xk_expr *const args[] = {
        xk_ptr(c, buf, xk_s32(c, 0)),
        xk_block_let(w, "b",
                     xk_bin_imm(c, XK_OP_DIV, f->thread, along_k * along_n)),
        xk_block_let(w, "n0", xk_bin_imm(c, XK_OP_MUL, n, l->dim[1])),
        xk_block_let(w, "k0", xk_bin_imm(c, XK_OP_MUL, k, l->dim[2]))};
    add_tile_call(w, XK_TILE_LOAD, "A", args);
    add_tile_call(w, XK_TILE_STORE, "B", args);
}

enum xk_status xk_lower_tile_copy(xk_ctx *c, const struct xk_tile_copy *t,
                                  const char *name, bool surfaces,
                                  struct xk_flat_nest *out)
{
    const char *const names[] = {t->from, t->to};
    const int64_t threads = tiles_along(t->tiling, XK_ROLE_N) *
                            tiles_along(t->tiling, XK_ROLE_K) *
                            xk_walk_extent(t->tiling, XK_ROLE_BATCH);
    struct xk_flat f = {.c = c,
                        .out = out,
                        .surfaces = surfaces,
                        .n = threads * XK_FLAT_SIMD,
                        .vectors = 1};
    struct xk_block_writer w;
    const xk_expr *mem[2];
    XK_TRY(xk_flat_begin(&f, name, 2, names, mem));
    xk_block_init(&w, c, f.facts);
    copy_tile(&f, t->tiling, &w);
    const xk_stmt *const body = xk_block_end(&w);
    xk_block_add(&f.w, xk_tiling_stmt(c, t->tiling, mem, body));
    return xk_flat_end(&f);
}
