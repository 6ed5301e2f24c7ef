/* SPDX-License-Identifier: Apache-2.0 */
/* Text of tilings and of the functions that work on tiles. Internal to ir/. */
#ifndef XK_IR_TILES_TEXT_H
#define XK_IR_TILES_TEXT_H

#include "ir/tiles.h"

/* "index mb 16, oh 56", "walk m = mb oh ow, n = oc". */
void xk_tiling_print_index(const struct xk_tiling *t, struct xk_str *out);
void xk_tiling_print_walks(const struct xk_tiling *t, struct xk_str *out);
/* What stands behind the pointer: "f16[256,128] ab [i, p]". */
void xk_tiling_print_view(const struct xk_tiling *t, unsigned view,
                          struct xk_str *out);
/* "tile a = f16 [m4 k8 m8 k2]". */
void xk_tiling_print_tile(const struct xk_tile_decl *d, struct xk_str *out);

/* What stands behind "tile": ".mul.dpas.c.a.b[m 0+8]". */
void xk_tile_call_print(const struct xk_tile_call *f, struct xk_str *out);
/* Reads s up to end, without the dot in front and without the parts in
 * brackets. NULL, or what is wrong (static). */
const char *xk_tile_call_parse(const char *s, const char *end,
                               struct xk_tile_call *f);

#endif
