/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles that threads of a group share come through SLM: each thread loads a
 * part of what all of them need and stores it there; when all have, each reads
 * its own tile. Whose tiles overlap follows from the positions: what the
 * thread's number adds to one of them. */
#include <stdio.h>
#include <string.h>

#include "passes/nest_pass.h"

#define MAX_STAGED 2
#define MAX_BODY 256 /* statements of a loop's body */

/* A buffer that is loaded so. Rows are the positions that threads share. */
struct staged {
    char name[16];
    const xk_expr *var;         /* once its allocation was found */
    const xk_expr *slm, *share; /* what the group stores; a thread's part */
    const xk_stmt *load;
    const xk_stmt *from_memory, *store, *read; /* what takes its place */
    uint32_t slm_b, share_b;
    struct xk_tile_decl part; /* how a thread's part lies */
};

struct stage {
    xk_ctx *c;
    const struct xk_kernel *k;
    xk_facts *facts;
    struct xk_pass_lets lets;
    const xk_expr *thread; /* the parameter */
    int64_t threads;
    unsigned n, under; /* under: branches, loops without constant bounds */
    struct staged staged[MAX_STAGED];
    struct xk_tiling *t; /* as it becomes */
};

static bool refuse_stage(struct stage *p, const struct staged *b,
                         const char *why)
{
    xk_fail(p->c, XK_EUNSUPPORTED, "stage: %s: %s", b->name, why);
    return false;
}

/* What makes up the rows of a tile that a group has. */
struct rows {
    unsigned dim;         /* of the tile */
    const xk_expr *first; /* the group's */
    const xk_expr *own;   /* from there to the thread's */
    int64_t unit, all;    /* rows that move together; of the group */
    int64_t each, in_slm; /* of a thread's part; those there is room for */
};

static bool is_other_variable(const xk_expr *e, const xk_expr *thread)
{
    if (xk_op(e) == XK_OP_VAR)
        return e != thread;
    for (unsigned i = 0; i < xk_n_kids(e); i++)
        if (is_other_variable(xk_kid(e, i), thread))
            return true;
    return false;
}

static bool is_rows(const struct xk_tile_decl *d, unsigned dim)
{
    return d->role[dim] == XK_ROLE_M || d->role[dim] == XK_ROLE_N;
}

/* The only dim along which threads have other positions, and both parts of it.
 */
static bool find_rows(struct stage *p, const struct staged *b,
                      const struct xk_tile_decl *d, struct rows *r)
{
    xk_ctx *const c = p->c;
    unsigned shared = 0;
    for (unsigned i = 0; i < d->layout.n_dims; i++) {
        const xk_expr *const at = xk_kid(b->load, 1 + i);
        const xk_expr *const whole =
            xk_pass_seen(c, &p->lets, at, p->thread, p->thread);
        const xk_expr *const first =
            xk_pass_seen(c, &p->lets, at, p->thread, xk_s32(c, 0));
        if (!whole || !first)
            return false;
        const xk_expr *const own =
            xk_simplify(c, xk_sub(c, whole, first), p->facts);
        int64_t none = 1;
        const bool alike = own && xk_is_const(own, &none) && !none;
        if (alike && (shared || r->own || !is_rows(d, i)))
            continue; /* all have the same; rows, if there are no others */
        if (!own || is_other_variable(own, p->thread))
            return refuse_stage(p, b,
                                "what a thread adds to a position is not "
                                "the same in all groups and steps");
        r->dim = i;
        r->first = xk_simplify(c, first, p->facts);
        r->own = own;
        shared += !alike;
    }
    if (shared > 1 || !r->own || !is_rows(d, r->dim))
        return refuse_stage(p, b,
                            "threads share no rows: their tiles differ "
                            "in m or in n, and in nothing else");
    return true;
}

/* Which rows the group has, and how many of them each thread brings. */
static bool divide_rows(struct stage *p, const struct staged *b,
                        const struct xk_tile_decl *d, struct rows *r)
{
    int64_t lo = 0, hi = 0, mod = 0, rem = 0;
    r->unit = xk_tile_rows_of_unit(d, r->dim);
    if (!xk_facts_range(p->facts, r->own, &lo, &hi) || lo < 0)
        return refuse_stage(p, b, "a thread's rows have no known place");
    xk_facts_divisibility(p->facts, r->own, &mod, &rem);
    r->all = hi + d->layout.dim[r->dim];
    if (mod % r->unit || rem % r->unit || r->all % r->unit)
        return refuse_stage(p, b, "threads begin within a block of the tile");
    const struct xk_tile_share share =
        xk_tile_share_of(r->all, r->unit, p->threads);
    r->each = share.each;
    r->in_slm = share.room;
    if (r->in_slm > UINT16_MAX)
        return refuse_stage(p, b, "a group has too many rows");
    return true;
}

/* A tile on its way through SLM: units, and elements of one, as they lie. */
static struct xk_tile_decl as_units(const struct xk_tile_decl *d,
                                    const struct rows *r, int64_t n)
{
    const int64_t unit_e = xk_tile_unit_e(d, r->dim, r->unit);
    struct xk_tile_decl to = {
        .role = {d->role[r->dim], XK_ROLE_K},
        .layout = {.dt = d->layout.dt,
                   .n_dims = 2,
                   .n_blocks = 2,
                   .dim = {n / r->unit, unit_e},
                   .padded = {n / r->unit, unit_e},
                   .block = {{0, n / r->unit, unit_e}, {1, unit_e, 1}}}};
    strcpy(to.name, d->name);
    return to;
}

/* What SLM holds, and a tile that goes there or comes from there. */
static const xk_stmt *in_slm(struct stage *p, const struct staged *b,
                             const struct xk_tile_decl *all,
                             const struct xk_tile_decl *tile,
                             const xk_stmt *call)
{
    struct xk_tiling t = {.n_index = 2, .n_views = 1, .n_tiles = 1};
    static const char names[2][2] = {"u", "e"};
    struct xk_access *const a = &t.view[0].access;
    strcpy(t.view[0].name, "S");
    a->layout = all->layout;
    a->n_coord = 2;
    t.tile[0] = *tile;
    for (unsigned i = 0; i < 2; i++) {
        strcpy(t.index[i].name, names[i]);
        t.index[i].extent = a->at[i].hi = all->layout.dim[i];
        t.index[i].role = all->role[i];
        t.walk[all->role[i]] =
            (struct xk_digits){1, {{.index = (uint8_t)i, .div = 1}}};
        a->at[i].coef[i] = 1;
    }
    return xk_tiling_stmt(p->c, &t, &b->slm, call);
}

/* A tile between registers and a unit of SLM. */
static const xk_stmt *slm_call(struct stage *p, enum xk_tile_op op,
                               const struct xk_tile_decl *tile,
                               const xk_expr *reg, const xk_expr *row)
{
    struct xk_func f = {.kind = XK_FUNC_TILE, .u.tile = {.op = (uint8_t)op}};
    const xk_expr *const zero = xk_s32(p->c, 0);
    const xk_expr *const args[] = {xk_ptr(p->c, reg, zero),
                                   xk_simplify(p->c, row, p->facts), zero};
    strcpy(f.u.tile.view, "S");
    strcpy(f.u.tile.tile[0], tile->name);
    return args[0] && args[1] ? xk_call(p->c, &f, args, 3) : NULL;
}

/* The load of a thread's part, from memory. */
static const xk_stmt *load_share(struct stage *p, const struct staged *b,
                                 const struct rows *r)
{
    xk_ctx *const c = p->c;
    struct xk_func f = *xk_func_of(b->load);
    const xk_expr *kid[8];
    const xk_expr *at = xk_bin_imm(c, XK_OP_MUL, p->thread, r->each);
    if (r->in_slm > r->all) /* who has none left loads the last ones, too */
        at = xk_bin_imm(c, XK_OP_MIN, at, r->all - r->each);
    for (unsigned i = 0; i < xk_n_kids(b->load); i++)
        kid[i] = xk_kid(b->load, i);
    kid[0] = xk_ptr(c, b->share, xk_s32(c, 0));
    kid[1 + r->dim] = xk_simplify(c, xk_add(c, r->first, at), p->facts);
    strcpy(f.u.tile.tile[0], b->part.name);
    return kid[0] && kid[1 + r->dim] ? xk_call(c, &f, kid, xk_n_kids(b->load))
                                     : NULL;
}

/* What takes the load's place. */
static bool replace_load(struct stage *p, struct staged *b)
{
    const struct xk_tile_call *const f = xk_tile_call_of(b->load);
    const int number = xk_tiling_tile(p->t, f->tile[0]);
    struct rows r = {0};
    if (number < 0 || f->n_parts || xk_n_kids(b->load) > 8 ||
        strlen(f->tile[0]) + 2 > XK_TILE_NAME || p->t->n_tiles == XK_MAX_TILES)
        return refuse_stage(p, b,
                            "its load is split already, its tile's name "
                            "has three characters, or there are too many "
                            "tiles");
    const struct xk_tile_decl *const tile = &p->t->tile[number];
    if (!find_rows(p, b, tile, &r) || !divide_rows(p, b, tile, &r))
        return false;
    b->part = xk_tile_with_rows(tile, r.dim, r.unit, r.each);
    strcat(b->part.name, "u");
    const struct xk_tile_decl all = as_units(tile, &r, r.in_slm),
                              own = as_units(tile, &r, tile->layout.dim[r.dim]),
                              part = as_units(&b->part, &r, r.each);
    p->t->tile[p->t->n_tiles++] = b->part;
    b->slm_b = (uint32_t)xk_tile_size_b(&all);
    b->share_b = (uint32_t)xk_tile_size_b(&part);
    b->from_memory = load_share(p, b, &r);
    b->store = in_slm(
        p, b, &all, &part,
        slm_call(p, XK_TILE_STORE, &part, b->share,
                 xk_bin_imm(p->c, XK_OP_MUL, p->thread, r.each / r.unit)));
    b->read = in_slm(p, b, &all, &own,
                     slm_call(p, XK_TILE_LOAD, &own, b->var,
                              xk_bin_imm(p->c, XK_OP_DIV, r.own, r.unit)));
    return b->from_memory && b->store && b->read;
}

static const xk_stmt *sync_call(struct stage *p, enum xk_func_kind kind)
{
    struct xk_func f = {.kind = (uint8_t)kind};
    if (kind == XK_FUNC_FENCE)
        f.u.space = XK_SPACE_SLM;
    return xk_call(p->c, &f, NULL, 0);
}

static struct staged *loaded_by(struct stage *p, const xk_stmt *s)
{
    const struct xk_tile_call *const f = xk_tile_call_of(s);
    for (unsigned i = 0; f && f->op == XK_TILE_LOAD && i < p->n; i++)
        if (p->staged[i].var && p->staged[i].var == xk_kid(xk_kid(s, 0), 0))
            return &p->staged[i];
    return NULL;
}

/* Load, store, meet, read; what the body had beside; meet: nobody stores before
 * all have read. */
static const xk_stmt *stage_body(struct stage *p, const xk_stmt *body)
{
    const xk_stmt *out[MAX_BODY + 3 * MAX_STAGED + 5];
    const unsigned count = xk_n_kids(body);
    unsigned n = 0;
    for (unsigned i = 0; i < p->n; i++)
        out[n++] = p->staged[i].from_memory;
    for (unsigned i = 0; i < p->n; i++)
        out[n++] = p->staged[i].store;
    out[n++] = sync_call(p, XK_FUNC_FENCE);
    out[n++] = sync_call(p, XK_FUNC_BARRIER_SIGNAL);
    out[n++] = sync_call(p, XK_FUNC_BARRIER_WAIT);
    for (unsigned i = 0; i < p->n; i++)
        out[n++] = p->staged[i].read;
    for (unsigned i = 0; i < count; i++)
        if (!loaded_by(p, xk_kid(body, i)))
            out[n++] = xk_kid(body, i);
    out[n++] = sync_call(p, XK_FUNC_BARRIER_SIGNAL);
    out[n++] = sync_call(p, XK_FUNC_BARRIER_WAIT);
    return xk_seq(p->c, out, n);
}

/* Whether the body is loads, and behind them what uses them: then all that
 * comes through SLM may stand in front. */
static bool body_may(struct stage *p, const xk_stmt *body)
{
    bool uses = false;
    if (xk_op(body) != XK_OP_SEQ || xk_n_kids(body) > MAX_BODY)
        return false;
    for (unsigned i = 0; i < xk_n_kids(body); i++) {
        const xk_stmt *const s = xk_kid(body, i);
        const struct xk_tile_call *const f = xk_tile_call_of(s);
        struct staged *const b = loaded_by(p, s);
        if (!f || xk_tile_call_writes(f) || (b && (uses || b->load)))
            return false;
        if (b)
            b->load = s;
        uses |= f->op != XK_TILE_LOAD;
    }
    return true;
}

static bool loads_any(struct stage *p, const xk_stmt *body)
{
    for (unsigned i = 0; xk_op(body) == XK_OP_SEQ && i < xk_n_kids(body); i++)
        if (loaded_by(p, xk_kid(body, i)))
            return true;
    return false;
}

static const xk_stmt *stage_loop(struct stage *p, const xk_stmt *s)
{
    const xk_expr *kid[] = {xk_kid(s, 0), xk_kid(s, 1), xk_kid(s, 2), NULL};
    struct staged *const first = &p->staged[0];
    if (p->under) {
        refuse_stage(p, first,
                     "not all threads of a group come to its loop: a "
                     "branch stands around it, or a loop without "
                     "constant bounds");
        return NULL;
    }
    if (!body_may(p, xk_kid(s, 3))) {
        refuse_stage(p, first,
                     "the loop has something else than one load of "
                     "it, other loads, and what uses them");
        return NULL;
    }
    for (unsigned i = 0; i < p->n; i++) {
        struct staged *const b = &p->staged[i];
        if (!b->load) {
            refuse_stage(p, b, "no loop loads it, or not the other's");
            return NULL;
        }
        if (!replace_load(p, b))
            return NULL;
    }
    kid[3] = stage_body(p, xk_kid(s, 3));
    return kid[3] ? xk_with_kids(p->c, s, kid, 4) : NULL;
}

static const xk_expr *stage_in(void *user, const xk_expr *s);

/* The buffer's registers, with SLM and those of the thread's part. */
static const xk_stmt *stage_alloc(struct stage *p, struct staged *b,
                                  const xk_stmt *s)
{
    xk_ctx *const c = p->c;
    char name[20];
    if (b->slm) {
        refuse_stage(p, b, "there are two of it");
        return NULL;
    }
    snprintf(name, sizeof(name), "%s_s", b->name);
    b->slm = xk_var(c, xk_type_ptr(XK_SPACE_SLM), name);
    snprintf(name, sizeof(name), "%s_u", b->name);
    b->share = xk_var(c, xk_type_ptr(XK_SPACE_GRF), name);
    b->var = xk_kid(s, 0);
    const xk_stmt *body = stage_in(p, xk_kid(s, 1));
    b->var = NULL;
    if (!body || !b->load)
        return body ? s : NULL;
    const uint16_t align_b = xk_alloc_info_of(s).align_b;
    body = xk_alloc_stmt(
        c, b->share,
        (struct xk_alloc_info){.size_b = b->share_b, .align_b = align_b}, body);
    body = xk_alloc_stmt(c, b->slm, (struct xk_alloc_info){.size_b = b->slm_b},
                         body);
    return xk_alloc_stmt(c, xk_kid(s, 0), xk_alloc_info_of(s), body);
}

static const xk_stmt *stage_tiling(struct stage *p, const xk_stmt *s)
{
    struct xk_tiling *const outer = p->t;
    struct xk_tiling t = *xk_tiling_of(s);
    const xk_expr *mem[XK_MAX_VIEWS];
    p->t = &t;
    const xk_stmt *const body = stage_in(p, xk_tiling_body(s));
    p->t = outer;
    for (unsigned i = 0; i < t.n_views; i++)
        mem[i] = xk_tiling_mem(s, i);
    return body ? xk_tiling_stmt(p->c, &t, mem, body) : NULL;
}

static const xk_expr *stage_in(void *user, const xk_expr *s)
{
    struct stage *const p = user;
    if (xk_is_expr(s) || !xk_has(s, XK_HAS_TILES))
        return s;
    if (xk_op(s) == XK_OP_TILING)
        return stage_tiling(p, s);
    for (unsigned i = 0; xk_op(s) == XK_OP_ALLOC && i < p->n; i++)
        if (!strcmp(p->staged[i].name, xk_var_name(xk_kid(s, 0))))
            return stage_alloc(p, &p->staged[i], s);
    if (xk_op(s) == XK_OP_FOR && p->t && loads_any(p, xk_kid(s, 3)))
        return stage_loop(p, s);
    const bool ways =
        xk_op(s) == XK_OP_IF ||
        (xk_op(s) == XK_OP_FOR &&
         !(xk_is_const(xk_kid(s, 1), NULL) && xk_is_const(xk_kid(s, 2), NULL)));
    p->under += ways;
    const xk_expr *const r = xk_pass_map_kids(p->c, s, stage_in, p);
    p->under -= ways;
    return r;
}

static enum xk_status read_stage(struct stage *p, const char *args)
{
    struct xk_pass_arg a;
    for (args = args ? args : ""; xk_pass_next_arg(&args, 0, &a);) {
        if (a.bad || a.has_value || p->n == MAX_STAGED)
            return xk_fail(p->c, XK_EPARSE,
                           "stage: '%s' is no name of one of at most %d "
                           "buffers",
                           a.name, MAX_STAGED);
        memcpy(p->staged[p->n++].name, a.name, sizeof(a.name));
    }
    return p->n ? XK_OK : xk_fail(p->c, XK_EPARSE, "stage: no buffer is named");
}

static const xk_stmt *stage_kernel(struct stage *p)
{
    for (unsigned i = 0; i < p->k->n_params; i++)
        if (p->k->params[i].kind == XK_PARAM_THREAD && p->k->extent[i] > 0) {
            p->thread = p->k->params[i].var;
            p->threads = p->k->extent[i];
        }
    if (!p->thread) {
        refuse_stage(p, &p->staged[0], "a group has one thread");
        return NULL;
    }
    const xk_stmt *const body = stage_in(p, p->k->body);
    for (unsigned i = 0; body && i < p->n; i++)
        if (!p->staged[i].load) {
            refuse_stage(p, &p->staged[i], "no loop loads it");
            return NULL;
        }
    return body;
}

enum xk_status xk_pass_stage(xk_ctx *c, struct xk_kernel *k,
                             const struct xk_pass_env *env)
{
    struct stage p = {.c = c, .k = k};
    const xk_stmt *body = NULL;
    XK_TRY(read_stage(&p, env->args));
    p.facts = xk_pass_facts(c, k);
    if (!p.facts)
        return XK_ENOMEM;
    xk_pass_lets_init(&p.lets, c, k->body);
    if (xk_facts_learn(p.facts, k->body) == XK_OK)
        body = stage_kernel(&p);
    xk_pass_lets_fini(&p.lets);
    xk_facts_unref(p.facts);
    return xk_pass_end(c, k, body);
}
