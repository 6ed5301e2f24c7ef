/* SPDX-License-Identifier: Apache-2.0 */
/* One walk over the kernel in program order, before anything is emitted. It
 * finds the number of the statement that uses each variable last, and, for each
 * LOAD, the number of the next statement that writes to its buffer. It also
 * finds whether there are ramps and barriers at all. A use in a loop outside of
 * which the variable is bound counts as never ending. */
#include "codegen/cg.h"

#define FOREVER (UINT32_MAX - 1)

struct pending {             /* a LOAD that no write has followed yet */
    uint32_t serial, before; /* the one before it of its buffer, 0: none */
};

struct walk {
    struct xk_cg *g;
    struct xk_cg_map depth; /* variable id + 1 -> loops around its binding, if
                               there are any */
    struct xk_cg_map
        last_load;        /* variable id + 1 of a buffer -> its last one */
    struct pending *load; /* from 1 on */
    uint32_t n_loads, cap_loads;
    uint32_t now, n_loops;
    bool ok;
};

static bool note_use(const xk_expr *e, void *user)
{
    struct walk *const w = user;
    uint32_t depth = 0;
    w->g->has_ramp |= xk_op(e) == XK_OP_RAMP;
    if (xk_op(e) != XK_OP_VAR)
        return true;
    if (w->n_loops)
        xk_cg_map_get(&w->depth, xk_var_id(e) + 1, &depth);
    const uint32_t at = depth < w->n_loops ? FOREVER : w->now;
    uint32_t last = 0;
    xk_cg_map_get(&w->g->last_use, xk_var_id(e) + 1, &last);
    if (at + 1 > last)
        w->ok &=
            xk_cg_map_put(w->g->c, &w->g->last_use, xk_var_id(e) + 1, at + 1);
    return true;
}

/* Whether e is at most so many levels above its leaves. */
static bool is_low(const xk_expr *e, unsigned levels)
{
    bool low = levels || !xk_n_kids(e);
    for (unsigned i = 0; low && i < xk_n_kids(e); i++)
        low = is_low(xk_kid(e, i), levels - 1);
    return low;
}

/* A low expression has few nodes, however many of them are the same. */
static void uses_in(struct walk *w, const xk_expr *e)
{
    enum { LOW = 3 };
    if (is_low(e, LOW))
        xk_visit(e, note_use, NULL, w);
    else
        w->ok &= xk_walk(w->g->c, e, note_use, w) == XK_OK;
}

static const xk_expr *buffer_of(const xk_expr *ptr)
{
    return xk_op(ptr) == XK_OP_PTR ? xk_kid(ptr, 0) : ptr;
}

static void written(struct walk *w, const xk_expr *ptr)
{
    const xk_expr *const buf = buffer_of(ptr);
    uint32_t at = 0;
    if (xk_op(buf) != XK_OP_VAR ||
        !xk_cg_map_get(&w->last_load, xk_var_id(buf) + 1, &at) || !at)
        return;
    for (; at; at = w->load[at].before)
        w->ok &= xk_cg_map_put(w->g->c, &w->g->first_write, w->load[at].serial,
                               w->now + 1);
    w->ok &= xk_cg_map_put(w->g->c, &w->last_load, xk_var_id(buf) + 1, 0);
}

static void bind_depth(struct walk *w, const xk_expr *var)
{
    if (w->n_loops)
        w->ok &=
            xk_cg_map_put(w->g->c, &w->depth, xk_var_id(var) + 1, w->n_loops);
}

static void loaded(struct walk *w, const xk_stmt *s)
{
    const uint32_t buf = xk_var_id(buffer_of(xk_kid(s, 1))) + 1;
    uint32_t before = 0;
    if (!xk_grow(w->g->c, &w->load, w->n_loads + 1, &w->cap_loads,
                 sizeof *w->load)) {
        w->ok = false;
        return;
    }
    xk_cg_map_get(&w->last_load, buf, &before);
    w->load[++w->n_loads] = (struct pending){xk_serial(s), before};
    w->ok &= xk_cg_map_put(w->g->c, &w->last_load, buf, w->n_loads);
}

static void walk_uses(struct walk *w, const xk_stmt *s)
{
    w->now++;
    switch (xk_op(s)) {
    case XK_OP_SEQ:
        for (unsigned i = 0; i < xk_n_kids(s); i++)
            walk_uses(w, xk_kid(s, i));
        break;
    case XK_OP_LET:
    case XK_OP_LOAD:
        uses_in(w, xk_kid(s, 1));
        bind_depth(w, xk_kid(s, 0));
        if (xk_op(s) == XK_OP_LOAD)
            loaded(w, s);
        walk_uses(w, xk_kid(s, 2));
        break;
    case XK_OP_STORE:
        uses_in(w, xk_kid(s, 1));
        written(w, xk_kid(s, 0));
        break;
    case XK_OP_ALLOC:
    case XK_OP_STAGE:
        walk_uses(w, xk_kid(s, xk_n_kids(s) - 1));
        break;
    case XK_OP_FOR:
    case XK_OP_PIPE:
        for (unsigned i = 1; i + 1 < xk_n_kids(s); i++)
            uses_in(w, xk_kid(s, i));
        w->n_loops++;
        bind_depth(w, xk_kid(s, 0));
        walk_uses(w, xk_kid(s, xk_n_kids(s) - 1));
        w->n_loops--;
        break;
    case XK_OP_IF:
        uses_in(w, xk_kid(s, 0));
        walk_uses(w, xk_kid(s, 1));
        walk_uses(w, xk_kid(s, 2));
        break;
    case XK_OP_CALL:
        w->g->has_barrier |= xk_func_of(s)->kind == XK_FUNC_BARRIER_SIGNAL;
        for (unsigned i = 0; i < xk_n_kids(s); i++) {
            if (xk_type_of(xk_kid(s, i)).space == XK_SPACE_GRF)
                written(w, xk_kid(s, i)); /* its offset is constant */
            else
                uses_in(w, xk_kid(s, i));
        }
        break;
    default:
        break;
    }
}

enum xk_status xk_cg_find_uses(struct xk_cg *g)
{
    struct walk w = {.g = g, .ok = true};
    walk_uses(&w, g->k->body);
    xk_cg_map_fini(g->c, &w.depth);
    xk_cg_map_fini(g->c, &w.last_load);
    xk_free(g->c, w.load);
    return w.ok ? xk_ctx_status(g->c) : XK_ENOMEM;
}

/* A store that reads the variable and writes the buffer reads first. */
bool xk_cg_may_alias(const struct xk_cg *g, const xk_stmt *load)
{
    uint32_t last = 0, write = 0;
    xk_cg_map_get(&g->last_use, xk_var_id(xk_kid(load, 0)) + 1, &last);
    return !xk_cg_map_get(&g->first_write, xk_serial(load), &write) ||
           last <= write;
}
