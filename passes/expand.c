/* SPDX-License-Identifier: Apache-2.0 */
/* Tile functions become messages, moves and multiplies; the tiling goes. */
#include "passes/expand.h"

#include <string.h>

#include "base/integer.h"
#include "base/budget.h"

/* All of a tile that begins at &buf[0] of it: its registers, whole or in the
 * runs of its part. */
static void expand_zero(struct xk_expand *x, const xk_stmt *call)
{
    struct xk_tile_move m = {.f = &xk_func_of(call)->u.tile};
    int64_t at[XK_N_ROLES] = {0};
    if (!xk_tile_part_of(x->t, m.f, 0, &m.part)) {
        xk_fail(x->c, XK_EINVAL, "expand: tile.zero: no such tile");
        return;
    }
    m.buf = xk_kid(xk_kid(call, 0), 0);
    m.buf_off = xk_kid(xk_kid(call, 0), 1);
    if (m.f->n_parts) {
        xk_fail(x->c, XK_EUNSUPPORTED,
                "expand: tile.zero of a part is not implemented");
        return;
    }
    xk_expand_fill(x, xk_expand_reg(x, &m, at),
                   (unsigned)xk_tile_size_b(m.part.tile), 0);
}

/* Code is as deep as it is long, and a tile is stored at the end of a long
 * epilogue: what few of the levels need has a frame of its own. */
#define OWN_FRAME static __attribute__((noinline))

OWN_FRAME const xk_stmt *expand_call(struct xk_expand *x, const xk_stmt *s)
{
    if (xk_budget_check(x->c, 0) < 0)
        return NULL;
    xk_block_init(&x->w, x->c, x->facts);
    switch ((enum xk_tile_op)xk_func_of(s)->u.tile.op) {
    case XK_TILE_ZERO:
        expand_zero(x, s);
        break;
    case XK_TILE_LOAD:
    case XK_TILE_STORE:
    case XK_TILE_ADD:
        xk_expand_move(x, s);
        break;
    case XK_TILE_MUL:
        xk_expand_mul(x, s);
        break;
    case XK_TILE_COPY:
        xk_expand_copy(x, s);
        break;
    case XK_TILE_DOT:
        xk_expand_dot(x, s);
        break;
    case XK_N_TILE_OPS:
        break;
    }
    const xk_stmt *const r = xk_block_end(&x->w);
    return xk_ctx_status(x->c) == XK_OK ? r : NULL;
}

static const xk_expr *expand_stmt(void *user, const xk_expr *s);

/* The level of variables that positions hardly have, or too deep ones: nothing
 * that has them is bound. A long epilogue has thousands of loads. */
enum { LATE = UINT8_MAX };

/* What is known of a variable that stands for a value: the value's range, and
 * that it is below its extent, if it has one. A value that never is stands
 * where all is masked: of that one the extent alone is said, as a range without
 * a value would follow from both. */
static void learn_bound(struct xk_expand *x, const xk_expr *var,
                        const xk_expr *value, int64_t extent)
{
    int64_t lo, hi, mod, rem;
    const bool known = xk_facts_range(x->facts, value, &lo, &hi);
    if (!known && !extent)
        return;
    xk_facts_divisibility(x->facts, value, &mod, &rem);
    if (extent) {
        lo = known ? xk_larger(lo, 0) : 0;
        hi = known ? xk_smaller(hi, extent - 1) : extent - 1;
        if (lo > hi || (mod && lo + xk_floor_mod(rem - lo, mod) > hi)) {
            lo = 0;
            hi = extent - 1;
            mod = 1;
        }
    }
    xk_facts_set(x->facts, var, lo, hi, mod ? mod : 1, mod ? rem : 0);
}

const xk_expr *xk_expand_bind(struct xk_expand *x, const char *name,
                              const xk_expr *value, int64_t extent)
{
    const xk_expr *const v = xk_simplify(x->c, value, x->facts);
    if (!v || xk_pass_is_trivial(v))
        return v;
    const unsigned of_v = xk_levels_of(&x->levels, v);
    if (of_v == LATE)
        return v;
    struct xk_expand_level *const l =
        &x->level[of_v > x->first_level ? of_v : x->first_level];
    for (uint32_t i = 0; i < l->n; i++)
        if (l->bound[i].value == v && l->bound[i].extent == extent)
            return l->bound[i].var;
    const xk_expr *const var = xk_var(x->c, xk_type_of(v), name);
    if (!var || !xk_grow(x->c, &l->bound, l->n, &l->cap, sizeof(*l->bound)))
        return NULL;
    l->bound[l->n].value = v;
    l->bound[l->n].extent = extent;
    l->bound[l->n].divisions = -1;
    l->bound[l->n++].var = var;
    xk_levels_set(&x->levels, var, (unsigned)(l - x->level));
    learn_bound(x, var, v, extent);
    return var;
}

/* A block in which var comes into scope (NULL: the kernel), with what is bound
 * there in front of it. */
static const xk_stmt *expand_block(struct xk_expand *x, const xk_expr *var,
                                   const xk_stmt *body)
{
    const uint32_t depth = x->n_levels;
    if (!xk_grow(x->c, &x->level, depth, &x->cap_levels, sizeof(*x->level)))
        return NULL;
    memset(&x->level[depth], 0, sizeof(x->level[depth]));
    x->n_levels++;
    if (var)
        xk_levels_set(&x->levels, var, depth < LATE ? depth : LATE);
    const xk_stmt *r = expand_stmt(x, body);
    struct xk_expand_level *const l = &x->level[depth];
    for (uint32_t i = l->n; i-- > 0;)
        r = xk_let(x->c, l->bound[i].var, l->bound[i].value, r);
    xk_free(x->c, l->bound);
    x->n_levels = depth;
    x->n_blocks++;
    return r;
}

static void set_tiling(struct xk_expand *x, const xk_stmt *s)
{
    x->tiling = s;
    x->t = xk_tiling_of(s);
    xk_walk_indices(x->t, &x->indices);
    x->n_blocks++;
}

OWN_FRAME const xk_stmt *expand_tiling(struct xk_expand *x, const xk_stmt *s)
{
    const xk_stmt *const outer = x->tiling;
    set_tiling(x, s);
    const bool outermost = !outer && x->n_levels < LATE;
    if (outermost)
        x->first_level = x->n_levels;
    const xk_stmt *const body = outermost
                                    ? expand_block(x, NULL, xk_tiling_body(s))
                                    : expand_stmt(x, xk_tiling_body(s));
    x->tiling = outer;
    if (outer)
        set_tiling(x, outer);
    return body;
}

/* Each stage is a block of the pipe's variable. */
OWN_FRAME const xk_stmt *expand_pipe(struct xk_expand *x, const xk_stmt *s)
{
    const xk_stmt *const body = xk_kid(s, 2);
    const xk_stmt *stage[256];
    const unsigned n = xk_n_kids(body);
    if (n > XK_COUNTOF(stage)) {
        xk_fail(x->c, XK_EUNSUPPORTED, "expand: a pipe of %u stages", n);
        return NULL;
    }
    for (unsigned i = 0; i < n; i++) {
        const xk_stmt *const in = xk_kid(body, i);
        stage[i] = xk_stage(x->c, xk_stage_of(in),
                            expand_block(x, xk_kid(s, 0), xk_kid(in, 0)));
    }
    return xk_pipe(x->c, xk_kid(s, 0), xk_kid(s, 1), xk_pipe_info_of(s),
                   xk_seq(x->c, stage, n));
}

/* Whether what a variable makes is bound where the variable is. */
static bool has_level(const struct xk_expand *x, const xk_stmt *binder)
{
    return xk_op(binder) != XK_OP_LOAD && x->n_levels < LATE &&
           xk_type_of(xk_kid(binder, 0)).dt == XK_DT_S32;
}

/* A statement that binds a variable for its last kid, a block. */
OWN_FRAME const xk_stmt *expand_binder(struct xk_expand *x, const xk_stmt *s)
{
    const xk_expr *kid[4];
    const unsigned n = xk_n_kids(s);
    for (unsigned i = 0; i + 1 < n; i++)
        kid[i] = xk_kid(s, i);
    kid[n - 1] = expand_block(x, kid[0], xk_kid(s, n - 1));
    return kid[n - 1] ? xk_with_kids(x->c, s, kid, n) : NULL;
}

static const xk_expr *expand_stmt(void *user, const xk_expr *s)
{
    struct xk_expand *const x = user;
    if (xk_is_expr(s) || !xk_has(s, XK_HAS_TILES))
        return s;
    switch (xk_op(s)) {
    case XK_OP_TILING:
        return expand_tiling(x, s);
    case XK_OP_CALL:
        return expand_call(x, s);
    case XK_OP_PIPE:
        return expand_pipe(x, s);
    case XK_OP_LET:
    case XK_OP_LOAD:
    case XK_OP_FOR:
        if (has_level(x, s))
            return expand_binder(x, s);
        xk_levels_set(&x->levels, xk_kid(s, 0), LATE);
        break;
    default:
        break;
    }
    return xk_pass_map_kids(x->c, s, expand_stmt, x);
}

enum xk_status xk_pass_expand(xk_ctx *c, struct xk_kernel *k,
                              const struct xk_pass_env *env)
{
    const xk_stmt *body = NULL;
    if (!xk_has(k->body, XK_HAS_TILES))
        return XK_OK;
    struct xk_expand *const x = xk_calloc(c, 1, sizeof(*x));
    if (!x)
        return XK_ENOMEM;
    x->c = c;
    x->platform = env->platform;
    x->kernel = k;
    x->facts = xk_pass_facts(c, k);
    xk_levels_init(&x->levels, c);
    if (x->facts && xk_facts_learn(x->facts, k->body) == XK_OK)
        body = expand_block(x, NULL, k->body);
    xk_levels_fini(&x->levels);
    xk_free(c, x->level);
    xk_facts_unref(x->facts);
    xk_free(c, x);
    return xk_pass_end(c, k, body);
}
