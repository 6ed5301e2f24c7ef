/* SPDX-License-Identifier: Apache-2.0 */
/* What tile functions refer to: index variables, the order in which the indices
 * of a role are walked, views of memory, and layouts of tiles in registers or
 * SLM. A TILING statement declares them for its body. Plain data, no
 * expressions; docs/ir.md has the text form. */
#ifndef XK_IR_TILING_H
#define XK_IR_TILING_H

#include "ir/stmt.h"
#include "layout/coord.h"

#define XK_TILE_NAME                                                           \
    4 /* bytes of a view's or a tile's name, its end included */
#define XK_MAX_VIEWS 8
#define XK_MAX_TILES 12
#define XK_MAX_DIGITS (XK_MAX_INDEX + 1)

/* Roles in the order of arguments and of brackets: a letter each. */
#define XK_N_ROLES 4
extern const char xk_role_letter[XK_N_ROLES]; /* by enum xk_role: m n k b */
/* b, m, n, k: the order of a tile function's positions. */
extern const uint8_t xk_role_order[XK_N_ROLES];

/* index / div % mod: part of an index; mod 0: all the rest. */
struct xk_digit {
    uint8_t index;
    int64_t div, mod;
};

/* The order of a role's places, outermost digit first: a position is a number
 * in [0, product of the digits' extents), the last digit its fastest. */
struct xk_digits {
    uint8_t n;
    struct xk_digit at[XK_MAX_DIGITS];
};

/* A tensor in memory. Element (i, j, ...) of the indices is where the access's
 * coordinates say, if each of them is in its interval and each index below its
 * extent; elsewhere a load gives fill and a store is dropped. */
struct xk_view_decl {
    char name[XK_TILE_NAME];
    struct xk_access access; /* its name and arg mean nothing */
};

/* How a tile lies in registers or SLM. Dim d of the layout counts positions of
 * role[d], in the order b, m, n, k. */
struct xk_tile_decl {
    char name[XK_TILE_NAME];
    uint8_t role[XK_N_ROLES];
    struct xk_layout layout;
};

struct xk_tiling {
    uint8_t n_index, n_views, n_tiles;
    struct xk_index index[XK_MAX_INDEX];
    struct xk_digits walk[XK_N_ROLES]; /* by enum xk_role */
    struct xk_view_decl view[XK_MAX_VIEWS];
    struct xk_tile_decl tile[XK_MAX_TILES];
};

/* mem[i]: the pointer variable of view i. The tiling is copied. XK_EINVAL: what
 * xk_tiling_check says. */
const xk_stmt *xk_tiling_stmt(xk_ctx *c, const struct xk_tiling *t,
                              const xk_expr *const *mem, const xk_stmt *body);
const struct xk_tiling *xk_tiling_of(const xk_stmt *s);
const xk_expr *xk_tiling_mem(const xk_stmt *s, unsigned view);
const xk_stmt *xk_tiling_body(const xk_stmt *s);

/* Names are unique; each index has one role, whose walk has all of its digits
 * once; intervals lie in their dims; tiles are dense enough to hold their
 * elements in places of their own. XK_EINVAL names what breaks that. */
enum xk_status xk_tiling_check(xk_ctx *c, const struct xk_tiling *t);

/* Number of the view or tile; -1: there is none. */
int xk_tiling_view(const struct xk_tiling *t, const char *name);
int xk_tiling_tile(const struct xk_tiling *t, const char *name);
int xk_tiling_index(const struct xk_tiling *t, const char *name);

/* Values that a digit has. */
int64_t xk_digit_extent(const struct xk_tiling *t, const struct xk_digit *d);
/* Positions of a role; 1 without an index. */
int64_t xk_walk_extent(const struct xk_tiling *t, enum xk_role role);
/* Position to indices: at[i] of the role's indices. Beyond the last position
 * the outermost digit moves on. */
void xk_walk_place(const struct xk_tiling *t, enum xk_role role,
                   int64_t position, int64_t *at);
/* How the threads of a group divide rows of a tile that all of them need, in
 * whole units: a thread brings `each` of them, as few as do so that no part is
 * beyond the last row; there are places for `room` rows, since threads that
 * have none left bring the last ones, too. */
struct xk_tile_share {
    int64_t each, room;
};
struct xk_tile_share xk_tile_share_of(int64_t rows, int64_t unit,
                                      int64_t threads);
/* Dim of a tile that counts a role; -1: none. */
int xk_tile_dim(const struct xk_tile_decl *d, enum xk_role role);

/* What a statement calls, if it is a tile function; else NULL. */
static inline const struct xk_tile_call *xk_tile_call_of(const xk_stmt *s)
{
    return xk_op(s) == XK_OP_CALL && xk_func_of(s)->kind == XK_FUNC_TILE
               ? &xk_func_of(s)->u.tile
               : NULL;
}

/* Tiles that an operation names, which are its first arguments. */
static inline unsigned xk_tile_call_tiles(const struct xk_tile_call *f)
{
    return f->op == XK_TILE_MUL                            ? 3
           : f->op == XK_TILE_COPY || f->op == XK_TILE_DOT ? 2
                                                           : 1;
}

/* Whether a call moves a tile between registers and a view; it writes the view.
 */
static inline bool xk_tile_call_moves(const struct xk_tile_call *f)
{
    return f->op == XK_TILE_LOAD || f->op == XK_TILE_STORE ||
           f->op == XK_TILE_ADD;
}
static inline bool xk_tile_call_writes(const struct xk_tile_call *f)
{
    return f->op == XK_TILE_STORE || f->op == XK_TILE_ADD;
}

/* Bytes of a tile. */
static inline int64_t xk_tile_size_b(const struct xk_tile_decl *d)
{
    return xk_layout_size_b(&d->layout);
}

/* The function's tile, its part and its view; what a call's names mean. */
struct xk_tile_part {
    const struct xk_tile_decl *tile;
    uint16_t first[XK_N_ROLES], n[XK_N_ROLES]; /* by dim of the tile */
};
/* Operand `operand` of a tile function (0 is the first tile): the part of it
 * that the call means. A tile with as many positions as the part is meant
 * whole. False: there is no such tile, or the part is beyond it.
 */
bool xk_tile_part_of(const struct xk_tiling *t, const struct xk_tile_call *f,
                     unsigned operand, struct xk_tile_part *out);
/* NULL, or why the call cannot be under this tiling (static text). */
const char *xk_tile_call_bad(const struct xk_tiling *t,
                             const struct xk_tile_call *f, unsigned n_args);

#endif
