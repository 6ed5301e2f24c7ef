/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a loop over K that read the same rows of an operand but few: one
 * load brings what several of them need, and each multiply reads it some rows
 * further on. Which rows these are follows from the walks and the view: a step
 * of the K index that changes moves the tensor's coordinates as far as some
 * steps of an M index do. Rows beside the tensor are 0 in the copy, so that no
 * step has a mask of its own. */
#include <string.h>

#include "passes/nest_pass.h"
#include "views/access.h"

struct hold {
    xk_ctx *c;
    xk_facts *facts;
    const struct xk_tiling *t;
    char name[16];
    unsigned steps;     /* that a copy serves */
    const xk_expr *var; /* of the buffer, once its allocation was found */
    uint32_t size_b;    /* of what it holds; 0: no loop loads it yet */
};

static bool refuse_hold(struct hold *h, const char *why)
{
    xk_fail(h->c, XK_EUNSUPPORTED, "hold: %s: %s", h->name, why);
    return false;
}

/* How the rows of neighbouring steps lie. */
struct line {
    const xk_stmt *load, *loop;
    const struct xk_tile_decl *tile;
    int view, m_dim, k_dim; /* of the tile */
    unsigned m, k;          /* indices that move the coordinates alike */
    int64_t turns;          /* of m's steps that one of k's is */
    int64_t rows;           /* positions of m that a step of k moves */
    int64_t all;            /* positions until the index further out moves */
    int64_t more;           /* rows of the copy beside the tile's */
    int64_t shift_b;        /* registers that a step moves on */
    struct xk_tile_decl copy;
};

static bool is_all_of_index(const struct xk_tiling *t, const struct xk_digit *d)
{
    return d->div == 1 && xk_digit_extent(t, d) == t->index[d->index].extent;
}

/* K's index that a loop's step moves by one, all of whose places are the steps
 * of a copy. */
static bool find_k(struct hold *h, struct line *x)
{
    const struct xk_digits *const w = &h->t->walk[XK_ROLE_K];
    const int64_t step = xk_for_step(x->loop);
    int64_t inner = 1;
    unsigned i = w->n;
    while (i && inner < step)
        inner *= xk_digit_extent(h->t, &w->at[--i]);
    while (i && xk_digit_extent(h->t, &w->at[i - 1]) == 1)
        i--;
    if (inner != step || x->tile->layout.dim[x->k_dim] != step || !i ||
        !is_all_of_index(h->t, &w->at[i - 1]) ||
        xk_digit_extent(h->t, &w->at[i - 1]) != h->steps)
        return refuse_hold(h, "the steps that share rows are all places of the "
                              "index that each step of K moves by one");
    x->k = w->at[i - 1].index;
    return true;
}

static bool find_m(struct hold *h, struct line *x)
{
    const struct xk_digits *const w = &h->t->walk[XK_ROLE_M];
    int64_t inner = 1;
    for (unsigned i = w->n; i-- > 0;) {
        const struct xk_digit *const d = &w->at[i];
        const int64_t extent = xk_digit_extent(h->t, d);
        x->turns =
            xk_access_steps_alike(&h->t->view[x->view].access, d->index, x->k);
        if (x->turns && extent > 1 && is_all_of_index(h->t, d)) {
            x->m = d->index;
            x->rows = inner * (x->turns < 0 ? -x->turns : x->turns);
            x->all = inner * extent;
            x->more = (h->steps - 1) * x->rows;
            return true;
        }
        inner *= extent;
    }
    return refuse_hold(h, "a step of K moves the view's coordinates as no "
                          "whole steps of a row index do");
}

/* Whether the expression is a multiple of n, and not negative. */
static bool is_multiple(struct hold *h, const xk_expr *e, int64_t n)
{
    int64_t lo, hi, mod = 0, rem = 0;
    xk_facts_divisibility(h->facts, e, &mod, &rem);
    return mod % n == 0 && rem % n == 0 &&
           xk_facts_range(h->facts, e, &lo, &hi) && lo >= 0;
}

/* The tile's rows lie within one round of the index that moves them; steps
 * begin with the first that shares. */
static bool are_rows_within(struct hold *h, const struct line *x)
{
    const xk_expr *const var = xk_kid(x->loop, 0);
    const xk_expr *const m = xk_kid(x->load, 1 + x->m_dim);
    const xk_expr *const k = xk_simplify(
        h->c, xk_sub(h->c, xk_kid(x->load, 1 + x->k_dim), var), h->facts);
    const int64_t steps = xk_for_step(x->loop) * h->steps;
    int64_t lo, hi;
    if (!xk_is_const(xk_kid(x->loop, 1), &lo) ||
        !xk_is_const(xk_kid(x->loop, 2), &hi) || lo % steps || hi % steps ||
        !k || xk_depends_on(k, var) || !is_multiple(h, k, steps))
        return refuse_hold(h, "the loop does not begin or end with the steps "
                              "that share rows");
    const int64_t n = x->tile->layout.dim[x->m_dim];
    if (xk_type_of(m).lanes > 1 || xk_depends_on(m, var) || x->all % n ||
        !is_multiple(h, m, n))
        return refuse_hold(h, "a tile's rows do not divide those of a line");
    return true;
}

static bool make_copy(struct hold *h, struct line *x)
{
    const struct xk_layout *const l = &x->tile->layout;
    const unsigned dim = (unsigned)x->m_dim;
    const int64_t unit = xk_tile_rows_of_unit(x->tile, dim);
    const int64_t rows = l->dim[dim] + x->more;
    if (x->rows % unit || x->rows > l->dim[dim] || rows > UINT16_MAX)
        return refuse_hold(h, "rows that a step moves are no whole blocks of "
                              "the tile, or more than it has");
    x->copy = xk_tile_with_rows(x->tile, dim, unit, rows);
    x->shift_b =
        x->rows / unit * xk_tile_unit_e(x->tile, dim, unit) * xk_dtype_b(l->dt);
    h->size_b = (uint32_t)xk_tile_size_b(&x->copy);
    return true;
}

/* A tiling of the load's own: the M index has the places beside it, the K index
 * is at its first one. */
static const xk_stmt *in_copy(struct hold *h, const struct line *x,
                              const xk_expr *mem, const xk_stmt *call)
{
    struct xk_tiling t = *h->t;
    const int64_t far = (h->steps - 1) * x->turns;
    t.n_views = t.n_tiles = 1;
    t.view[0] = h->t->view[x->view];
    t.tile[0] = x->copy;
    t.index[x->k].extent = 1;
    t.index[x->m].extent += far < 0 ? -far : far;
    for (unsigned i = 0; i < t.view[0].access.n_coord; i++)
        if (far < 0)
            t.view[0].access.at[i].base +=
                far * t.view[0].access.at[i].coef[x->m];
    for (unsigned r = 0; r < XK_N_ROLES; r++)
        for (unsigned i = 0; i < t.walk[r].n; i++)
            if (t.walk[r].at[i].index == x->k || t.walk[r].at[i].index == x->m)
                t.walk[r].at[i].mod = 0;
    return xk_tiling_stmt(h->c, &t, &mem, call);
}

/* Which of a copy's steps the loop is in: its bounds are multiples of these. */
static const xk_expr *turn_of(struct hold *h, const struct line *x)
{
    const xk_expr *const step =
        xk_bin_imm(h->c, XK_OP_DIV, xk_kid(x->loop, 0), xk_for_step(x->loop));
    return xk_bin_imm(h->c, XK_OP_MOD, step, h->steps);
}

/* The load of all rows, behind a branch that the first step takes. */
static const xk_stmt *load_copy(struct hold *h, const struct line *x,
                                const xk_expr *mem)
{
    xk_ctx *const c = h->c;
    const xk_expr *kid[8];
    const int64_t step = xk_for_step(x->loop), line = x->all + x->more;
    for (unsigned i = 0; i < xk_n_kids(x->load); i++)
        kid[i] = xk_kid(x->load, i);
    const xk_expr *const m = kid[1 + x->m_dim], *const k = kid[1 + x->k_dim];
    const xk_expr *const outer = xk_bin_imm(c, XK_OP_DIV, m, x->all);
    kid[1 + x->m_dim] =
        xk_simplify(c,
                    xk_add(c, xk_bin_imm(c, XK_OP_MUL, outer, line),
                           xk_bin_imm(c, XK_OP_MOD, m, x->all)),
                    h->facts);
    kid[1 + x->k_dim] = xk_simplify(
        c,
        xk_bin_imm(c, XK_OP_MUL, xk_bin_imm(c, XK_OP_DIV, k, step * h->steps),
                   step),
        h->facts);
    const xk_expr *const first = xk_bin_imm(c, XK_OP_EQ, turn_of(h, x), 0);
    if (!kid[1 + x->m_dim] || !kid[1 + x->k_dim] || !first)
        return NULL;
    const xk_stmt *const call =
        xk_with_kids(c, x->load, kid, xk_n_kids(x->load));
    return xk_if(c, first, in_copy(h, x, mem, call), NULL);
}

static bool is_buffer(const struct hold *h, const xk_expr *ptr)
{
    return h->var && xk_op(ptr) == XK_OP_PTR && xk_kid(ptr, 0) == h->var;
}

static bool uses_buffer(const struct hold *h, const xk_stmt *s)
{
    for (unsigned i = 0; i < xk_n_kids(s); i++)
        if (is_buffer(h, xk_kid(s, i)))
            return true;
    return false;
}

static bool loads_buffer(const struct hold *h, const xk_stmt *s)
{
    const struct xk_tile_call *const f = xk_tile_call_of(s);
    return f && f->op == XK_TILE_LOAD && is_buffer(h, xk_kid(s, 0));
}

/* A multiply at the rows of its step. */
static const xk_stmt *at_step(struct hold *h, const struct line *x,
                              const xk_stmt *s)
{
    xk_ctx *const c = h->c;
    const struct xk_tile_call *const f = xk_tile_call_of(s);
    const xk_expr *kid[3];
    if (!f || f->op != XK_TILE_MUL || !is_buffer(h, xk_kid(s, 1)) ||
        is_buffer(h, xk_kid(s, 2)) || strcmp(f->tile[1], x->tile->name)) {
        refuse_hold(h, "something else than multiplies of its tile reads it");
        return NULL;
    }
    for (unsigned i = 0; i < 3; i++)
        kid[i] = xk_kid(s, i);
    const xk_expr *turn = turn_of(h, x);
    if (x->turns < 0)
        turn = xk_sub(c, xk_s32(c, (int32_t)h->steps - 1), turn);
    const xk_expr *const off = xk_bin_imm(c, XK_OP_MUL, turn, x->shift_b);
    kid[1] = xk_ptr(
        c, h->var, xk_simplify(c, xk_add(c, xk_kid(kid[1], 1), off), h->facts));
    return kid[1] ? xk_with_kids(c, s, kid, 3) : NULL;
}

static bool has_shared_rows(struct hold *h, struct line *x)
{
    const struct xk_tile_call *const f = xk_tile_call_of(x->load);
    const int tile = xk_tiling_tile(h->t, f->tile[0]);
    x->view = xk_tiling_view(h->t, f->view);
    if (tile < 0 || x->view < 0 || f->n_parts || xk_n_kids(x->load) > 8)
        return refuse_hold(h, "its load is split already");
    x->tile = &h->t->tile[tile];
    x->m_dim = xk_tile_dim(x->tile, XK_ROLE_M);
    x->k_dim = xk_tile_dim(x->tile, XK_ROLE_K);
    if (x->m_dim < 0 || x->k_dim < 0)
        return refuse_hold(h, "it has no rows, or nothing of K");
    return find_k(h, x) && find_m(h, x) && are_rows_within(h, x) &&
           make_copy(h, x);
}

static const xk_stmt *hold_loop(struct hold *h, const xk_stmt *tiling,
                                const xk_stmt *loop)
{
    const xk_stmt *const body = xk_kid(loop, 3), *out[256];
    const unsigned n = xk_n_kids(body);
    struct line x = {.loop = loop};
    for (unsigned i = 0; i < n; i++) {
        if (!loads_buffer(h, xk_kid(body, i)))
            continue;
        if (x.load || h->size_b) {
            refuse_hold(h, "it is loaded twice");
            return NULL;
        }
        x.load = xk_kid(body, i);
    }
    if (n > XK_COUNTOF(out) || !has_shared_rows(h, &x))
        return NULL;
    const xk_expr *const mem = xk_tiling_mem(tiling, (unsigned)x.view);
    for (unsigned i = 0; i < n; i++) {
        const xk_stmt *const s = xk_kid(body, i);
        if (s == x.load)
            out[i] = load_copy(h, &x, mem);
        else if (xk_op(s) == XK_OP_CALL)
            out[i] = uses_buffer(h, s) ? at_step(h, &x, s) : s;
        else
            out[i] = NULL;
        if (xk_op(s) != XK_OP_CALL)
            refuse_hold(h, "the loop has more in it than calls");
        if (!out[i])
            return NULL;
    }
    const xk_expr *kid[] = {xk_kid(loop, 0), xk_kid(loop, 1), xk_kid(loop, 2),
                            xk_seq(h->c, out, n)};
    return xk_with_kids(h->c, loop, kid, 4);
}

/* The innermost tiling around goes with the statement. */
struct hold_in {
    struct hold *h;
    const xk_stmt *tiling;
};

static bool loop_loads(const struct hold *h, const xk_stmt *body)
{
    for (unsigned i = 0; xk_op(body) == XK_OP_SEQ && i < xk_n_kids(body); i++)
        if (loads_buffer(h, xk_kid(body, i)))
            return true;
    return false;
}

static const xk_expr *hold_in(void *user, const xk_expr *s);

static const xk_stmt *hold_alloc(struct hold_in *in, const xk_stmt *s)
{
    struct hold *const h = in->h;
    struct xk_alloc_info info = xk_alloc_info_of(s);
    h->var = xk_kid(s, 0);
    const xk_stmt *const body = hold_in(in, xk_kid(s, 1));
    h->var = NULL;
    if (h->size_b)
        info.size_b = h->size_b;
    return body ? xk_alloc_stmt(h->c, xk_kid(s, 0), info, body) : NULL;
}

static const xk_expr *hold_in(void *user, const xk_expr *s)
{
    struct hold_in *const in = user;
    struct hold *const h = in->h;
    if (xk_is_expr(s) || !xk_has(s, XK_HAS_TILES))
        return s;
    if (xk_op(s) == XK_OP_TILING) {
        const struct xk_tiling *const outer = h->t;
        struct hold_in inner = {h, s};
        h->t = xk_tiling_of(s);
        const xk_expr *const r = xk_pass_map_kids(h->c, s, hold_in, &inner);
        h->t = outer;
        return r;
    }
    if (xk_op(s) == XK_OP_ALLOC && !strcmp(h->name, xk_var_name(xk_kid(s, 0))))
        return hold_alloc(in, s);
    if (xk_op(s) == XK_OP_FOR && h->t && loop_loads(h, xk_kid(s, 3)))
        return hold_loop(h, in->tiling, s);
    if (xk_op(s) == XK_OP_CALL && uses_buffer(h, s)) {
        refuse_hold(h, "something beside its loop uses it");
        return NULL;
    }
    return xk_pass_map_kids(h->c, s, hold_in, in);
}

enum xk_status xk_pass_hold(xk_ctx *c, struct xk_kernel *k,
                            const struct xk_pass_env *env)
{
    struct hold h = {.c = c};
    struct hold_in in = {&h, NULL};
    struct xk_pass_arg a = {.name = ""}, more;
    const char *args = env->args ? env->args : "";
    if (!xk_pass_next_arg(&args, 0, &a) || a.bad || a.value < 2 ||
        xk_pass_next_arg(&args, 0, &more))
        return xk_fail(c, XK_EPARSE,
                       "hold: needs a buffer and how many steps it serves, "
                       "such as ra=3");
    memcpy(h.name, a.name, sizeof(h.name));
    h.steps = a.value;
    h.facts = xk_pass_facts(c, k);
    if (!h.facts)
        return XK_ENOMEM;
    const xk_stmt *body = NULL;
    if (xk_facts_learn(h.facts, k->body) == XK_OK)
        body = hold_in(&in, k->body);
    xk_facts_unref(h.facts);
    if (body && !h.size_b)
        return xk_fail(c, XK_EINVAL,
                       "hold: no loop loads a buffer that is called %s",
                       h.name);
    return xk_pass_end(c, k, body);
}
