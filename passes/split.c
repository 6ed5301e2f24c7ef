/* SPDX-License-Identifier: Apache-2.0 */
/* Tile functions become several that each take a part of a role's positions. */
#include "passes/nest_pass.h"

struct split {
    xk_ctx *c;
    const struct xk_tiling *t;
    unsigned n[XK_N_ROLES]; /* positions of a part; 0: the role stays whole */
    unsigned most[XK_N_ROLES]; /* positions of a call that was met */
};

const xk_stmt *xk_tile_call_part(xk_ctx *c, const xk_stmt *call,
                                 enum xk_role role, unsigned first, unsigned n)
{
    struct xk_func f = *xk_func_of(call);
    struct xk_tile_call *const t = &f.u.tile;
    const xk_expr *args[8];
    unsigned i = 0;
    while (i < t->n_parts && t->part[i].role != role)
        i++;
    if (i == XK_TILE_MAX_PARTS || xk_n_kids(call) > 8) {
        xk_fail(c, XK_EUNSUPPORTED, "split: a call with more than %d parts",
                XK_TILE_MAX_PARTS);
        return NULL;
    }
    if (i == t->n_parts)
        t->n_parts++;
    t->part[i].role = (uint8_t)role;
    t->part[i].first = (uint16_t)first;
    t->part[i].n = (uint16_t)n;
    for (unsigned a = 0; a < xk_n_kids(call); a++)
        args[a] = xk_kid(call, a);
    return xk_call(c, &f, args, xk_n_kids(call));
}

/* First and number of a role's positions that a call takes; false: none of its
 * tiles has the role. */
static bool range_of(const struct split *s, const xk_stmt *call,
                     enum xk_role role, unsigned *first, unsigned *n)
{
    const struct xk_tile_call *const f = &xk_func_of(call)->u.tile;
    for (unsigned i = 0; i < xk_tile_call_tiles(f); i++) {
        struct xk_tile_part p;
        if (!xk_tile_part_of(s->t, f, i, &p))
            continue;
        const int d = xk_tile_dim(p.tile, role);
        if (d < 0)
            continue;
        *first = p.first[d];
        *n = p.n[d];
        return true;
    }
    return false;
}

static bool has_vector(const xk_stmt *call)
{
    for (unsigned i = 0; i < xk_n_kids(call); i++)
        if (xk_type_of(xk_kid(call, i)).lanes > 1)
            return true;
    return false;
}

/* The parts of a call along one role and those behind it. */
static const xk_stmt *split_call(struct split *s, const xk_stmt *call,
                                 unsigned role)
{
    const xk_stmt *part[64];
    unsigned first, n, count = 0;
    if (!call || role == XK_N_ROLES)
        return call;
    const unsigned step = s->n[role];
    if (!step || !range_of(s, call, (enum xk_role)role, &first, &n))
        return split_call(s, call, role + 1);
    if (n > s->most[role])
        s->most[role] = n;
    if (n <= step)
        return split_call(s, call, role + 1);
    if (has_vector(call)) {
        xk_fail(s->c, XK_EUNSUPPORTED,
                "split: a call with a position for each row stays whole");
        return NULL;
    }
    if ((n + step - 1) / step > XK_COUNTOF(part)) {
        xk_fail(s->c, XK_EUNSUPPORTED, "split: %c=%u makes more than %zu parts",
                xk_role_letter[role], step, XK_COUNTOF(part));
        return NULL;
    }
    for (unsigned at = 0; at < n; at += step) {
        const unsigned size = n - at < step ? n - at : step;
        part[count++] = split_call(
            s,
            xk_tile_call_part(s->c, call, (enum xk_role)role, first + at, size),
            role + 1);
    }
    return xk_seq(s->c, part, count);
}

static const xk_expr *split(void *user, const xk_expr *e)
{
    struct split *const s = user;
    if (xk_is_expr(e))
        return e;
    if (xk_op(e) == XK_OP_TILING) {
        const struct xk_tiling *const outer = s->t;
        s->t = xk_tiling_of(e);
        const xk_expr *const r = xk_pass_map_kids(s->c, e, split, s);
        s->t = outer;
        return r;
    }
    if (xk_op(e) != XK_OP_CALL)
        return xk_pass_map_kids(s->c, e, split, s);
    const struct xk_func *const f = xk_func_of(e);
    const bool tile = f->kind == XK_FUNC_TILE && f->u.tile.op != XK_TILE_ZERO;
    return tile && s->t ? split_call(s, e, 0) : e;
}

static enum xk_status read_split(xk_ctx *c, const char *args, struct split *s)
{
    struct xk_pass_arg a;
    for (args = args ? args : ""; xk_pass_next_arg(&args, 0, &a);) {
        unsigned role = 0;
        while (role < XK_N_ROLES &&
               (a.name[0] != xk_role_letter[role] || a.name[1]))
            role++;
        if (a.bad || role == XK_N_ROLES || !a.value)
            return xk_fail(c, XK_EPARSE,
                           "split: '%s' is no role with a size, such as m=8",
                           a.name);
        s->n[role] = a.value;
    }
    return XK_OK;
}

enum xk_status xk_pass_split(xk_ctx *c, struct xk_kernel *k,
                             const struct xk_pass_env *env)
{
    struct split s = {.c = c};
    XK_TRY(read_split(c, env->args, &s));
    XK_TRY(xk_pass_end(c, k, split(&s, k->body)));
    for (unsigned r = 0; r < XK_N_ROLES; r++)
        if (s.n[r] > s.most[r])
            return xk_fail(c, XK_EINVAL,
                           "split: %c=%u is more than the %u positions that a "
                           "tile function has",
                           xk_role_letter[r], s.n[r], s.most[r]);
    return XK_OK;
}
