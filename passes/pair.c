/* SPDX-License-Identifier: Apache-2.0 */
/* dpas becomes dpasw: the two threads of a fused pair multiply the same rows of
 * B, so each loads half of them. Fused are threads 2 u and 2 u + 1 of a group.
 */
#include <string.h>

#include "isa/isa.h"
#include "passes/nest_pass.h"

struct pair {
    xk_ctx *c;
    const struct xk_platform *platform;
    const struct xk_kernel *k;
    xk_facts *facts;
    const xk_expr *thread; /* the parameter */
    struct xk_pass_lets lets;
    struct xk_tiling t;    /* as it becomes */
    int a, b, c_tile;      /* tiles of the multiply */
    const xk_expr *buffer; /* of B */
    unsigned n_tilings;
    bool has_mul, under_if, other_use;
};

static enum xk_status refuse_pair(struct pair *p, const char *why)
{
    return xk_fail(p->c, XK_EUNSUPPORTED, "pair: %s", why);
}

/* Whether both threads of every pair have the same value. */
static bool is_shared(struct pair *p, const xk_expr *e)
{
    xk_ctx *const c = p->c;
    const xk_expr *const u = xk_var(c, xk_type_vec(XK_DT_S32, 1), "pair");
    const xk_expr *value[2];
    if (!u)
        return false;
    xk_facts_set(p->facts, u, 0, INT16_MAX, 1, 0);
    for (unsigned i = 0; i < 2; i++) {
        const xk_expr *const as =
            xk_bin_imm(c, XK_OP_ADD, xk_bin_imm(c, XK_OP_MUL, u, 2), i);
        const xk_expr *const r = xk_pass_seen(c, &p->lets, e, p->thread, as);
        value[i] = r ? xk_simplify(c, r, p->facts) : NULL;
    }
    return value[0] && value[0] == value[1];
}

/* First look: the multiply's tiles, what stands under a branch. */
static bool look_for_product(const xk_expr *s, void *user)
{
    struct pair *const p = user;
    if (xk_is_expr(s))
        return false;
    if (xk_op(s) == XK_OP_TILING) {
        p->t = *xk_tiling_of(s);
        p->n_tilings++;
    }
    if (xk_has(s, XK_HAS_TILES))
        p->under_if |=
            xk_op(s) == XK_OP_IF ||
            (xk_op(s) == XK_OP_FOR && !(xk_is_const(xk_kid(s, 1), NULL) &&
                                        xk_is_const(xk_kid(s, 2), NULL)));
    const struct xk_tile_call *const f = xk_tile_call_of(s);
    if (f && f->op == XK_TILE_MUL && f->family == XK_FAMILY_DPAS) {
        p->has_mul = true;
        p->c_tile = xk_tiling_tile(&p->t, f->tile[0]);
        p->a = xk_tiling_tile(&p->t, f->tile[1]);
        p->b = xk_tiling_tile(&p->t, f->tile[2]);
        p->buffer = xk_kid(xk_kid(s, 2), 0);
    }
    return true;
}

/* Positions of N that the whole tile of B has. */
static int64_t tile_columns(const struct pair *p)
{
    const struct xk_tile_decl *const c = &p->t.tile[p->c_tile];
    return c->layout.dim[xk_tile_dim(c, XK_ROLE_N)];
}

/* B's tile with half of its rows; C's with eight columns of a dpasw that are
 * four of each half. */
static enum xk_status halve_tiles(struct pair *p)
{
    struct xk_tile_decl *const b = &p->t.tile[p->b];
    struct xk_tile_decl *const c = &p->t.tile[p->c_tile];
    const int64_t lanes = p->platform->dpas_exec, rows = p->platform->dpas_rows;
    const int64_t n = tile_columns(p);
    const int dn = xk_tile_dim(c, XK_ROLE_N), dm = xk_tile_dim(c, XK_ROLE_M);
    const int bn = xk_tile_dim(b, XK_ROLE_N);
    if (n % (2 * rows) || dm < 0 || bn < 0 || b->layout.dim[bn] != n)
        return refuse_pair(
            p, "a tile of C has a whole number of 16 columns, and B's "
               "has them all");
    const int64_t m = c->layout.dim[dm];
    const struct xk_block blocks[] = {{(uint8_t)dn, 2, rows / 2 * lanes},
                                      {(uint8_t)dn, n / rows, m * rows},
                                      {(uint8_t)dm, m / lanes, rows * lanes},
                                      {(uint8_t)dn, rows / 2, lanes},
                                      {(uint8_t)dm, lanes, 1}};
    memcpy(c->layout.block, blocks, sizeof(blocks));
    c->layout.n_blocks = XK_COUNTOF(blocks);
    for (unsigned i = 0; i < b->layout.n_blocks; i++)
        if (b->layout.block[i].dim == bn) { /* the outermost of N */
            if (b->layout.block[i].size % 2 ||
                b->layout.block[i].size * b->layout.block[i].stride !=
                    xk_tile_size_b(b) / xk_dtype_b(b->layout.dt))
                return refuse_pair(p, "B's rows are not outermost in its tile");
            b->layout.block[i].size /= 2;
            break;
        }
    b->layout.dim[bn] = b->layout.padded[bn] = n / 2;
    return XK_OK;
}

/* The load of this thread's half. */
static const xk_stmt *halve_load(struct pair *p, const xk_stmt *s)
{
    const xk_expr *kid[8];
    const struct xk_tile_decl *const b = &p->t.tile[p->b];
    const unsigned at = 1u + (unsigned)xk_tile_dim(b, XK_ROLE_N);
    if (xk_func_of(s)->u.tile.n_parts || xk_n_kids(s) > XK_COUNTOF(kid)) {
        refuse_pair(p, "B's load is split already");
        return NULL;
    }
    for (unsigned i = 0; i < xk_n_kids(s); i++)
        kid[i] = xk_kid(s, i);
    if (!is_shared(p, kid[at])) {
        refuse_pair(p, "the threads of a pair load other rows of B");
        return NULL;
    }
    const xk_expr *const half =
        xk_bin_imm(p->c, XK_OP_MUL, xk_bin_imm(p->c, XK_OP_MOD, p->thread, 2),
                   tile_columns(p) / 2);
    kid[at] = xk_add(p->c, kid[at], half);
    return xk_with_kids(p->c, s, kid, xk_n_kids(s));
}

static const xk_stmt *widen_product(struct pair *p, const xk_stmt *s)
{
    struct xk_func f = *xk_func_of(s);
    const xk_expr *const args[] = {xk_kid(s, 0), xk_kid(s, 1), xk_kid(s, 2)};
    f.u.tile.family = XK_FAMILY_DPASW;
    return xk_call(p->c, &f, args, 3);
}

static const xk_expr *rewrite_pair(void *user, const xk_expr *s)
{
    struct pair *const p = user;
    if (xk_is_expr(s) || !xk_has(s, XK_HAS_TILES))
        return s;
    const struct xk_tile_call *const f = xk_tile_call_of(s);
    if (xk_op(s) == XK_OP_TILING) {
        const xk_expr *mem[XK_MAX_VIEWS];
        for (unsigned i = 0; i < p->t.n_views; i++)
            mem[i] = xk_tiling_mem(s, i);
        return xk_tiling_stmt(p->c, &p->t, mem,
                              rewrite_pair(p, xk_tiling_body(s)));
    }
    if (xk_op(s) == XK_OP_ALLOC && xk_kid(s, 0) == p->buffer) {
        struct xk_alloc_info half = xk_alloc_info_of(s);
        half.size_b /= 2;
        return xk_alloc_stmt(p->c, p->buffer, half,
                             rewrite_pair(p, xk_kid(s, 1)));
    }
    if (f && f->op == XK_TILE_MUL && f->family == XK_FAMILY_DPAS)
        return widen_product(p, s);
    if (f && f->op == XK_TILE_LOAD && !strcmp(f->tile[0], p->t.tile[p->b].name))
        return halve_load(p, s);
    return xk_pass_map_kids(p->c, s, rewrite_pair, p);
}

/* What names B's tile or its buffer and is neither its load nor its multiply.
 */
static bool look_for_other_use(const xk_expr *s, void *user)
{
    struct pair *const p = user;
    if (xk_is_expr(s))
        return false;
    const struct xk_tile_call *const f = xk_tile_call_of(s);
    const bool load = f && f->op == XK_TILE_LOAD;
    const bool mul = f && f->op == XK_TILE_MUL && f->family == XK_FAMILY_DPAS;
    if (f && !load && !mul)
        p->other_use |= !strcmp(f->tile[0], p->t.tile[p->b].name);
    if (load || mul ||
        (xk_op(s) != XK_OP_STORE && xk_op(s) != XK_OP_LOAD &&
         xk_op(s) != XK_OP_CALL))
        return true;
    for (unsigned i = 0; i < xk_n_kids(s); i++)
        p->other_use |=
            xk_is_expr(xk_kid(s, i)) && xk_depends_on(xk_kid(s, i), p->buffer);
    return true;
}

static enum xk_status check_pair(struct pair *p, const struct xk_pass_env *env)
{
    for (unsigned i = 0; i < p->k->n_params; i++)
        if (p->k->params[i].kind == XK_PARAM_THREAD && p->k->extent[i] > 0 &&
            p->k->extent[i] % 2 == 0)
            p->thread = p->k->params[i].var;
    if (!env->platform->has_dpasw)
        return refuse_pair(p, "the platform has no dpasw");
    if (!p->thread)
        return refuse_pair(p, "a group has an even number of threads");
    if (p->under_if)
        return refuse_pair(p,
                           "a branch stands around the nest, or a loop without "
                           "constant bounds");
    if (p->n_tilings > 1)
        return refuse_pair(p, "there is more than one tiling");
    if (!p->has_mul || p->a < 0 || p->b < 0 || p->c_tile < 0)
        return refuse_pair(p, "there is no tile.mul.dpas");
    xk_visit(p->k->body, look_for_other_use, NULL, p);
    if (p->other_use)
        return refuse_pair(p, "B's tile or buffer has another use than loads "
                              "and the multiply");
    return halve_tiles(p);
}

enum xk_status xk_pass_pair(xk_ctx *c, struct xk_kernel *k,
                            const struct xk_pass_env *env)
{
    struct pair p = {.c = c, .platform = env->platform, .k = k};
    const xk_stmt *body = NULL;
    p.facts = xk_pass_facts(c, k);
    if (!p.facts)
        return XK_ENOMEM;
    xk_pass_lets_init(&p.lets, c, k->body);
    xk_visit(k->body, look_for_product, NULL, &p);
    if (check_pair(&p, env) == XK_OK)
        body = rewrite_pair(&p, k->body);
    xk_pass_lets_fini(&p.lets);
    xk_facts_unref(p.facts);
    return xk_pass_end(c, k, body);
}
