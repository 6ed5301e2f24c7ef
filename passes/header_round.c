/* SPDX-License-Identifier: Apache-2.0 */
/* Headers that move from round to round, for the header pass. A pipe's body has
 * several copies; where the address of copy j is start_j + round * step, each
 * copy has a header of its own. So lanes beside the tensor at some places of K
 * cost nothing in the loop: their headers begin beyond any surface. */
#include "passes/header.h"

/* An expression as round t and copy j see it: lets of this loop are looked
 * through, and the loop's variable is t * copies + j. */
struct view {
    struct xk_hd_pass *p;
    const xk_expr *iteration;
};

static const xk_expr *as_round_sees(xk_ctx *c, const xk_expr *e, void *user)
{
    const struct view *const v = user;
    if (xk_op(e) != XK_OP_VAR)
        return e;
    if (e == v->p->loop->var)
        return v->iteration;
    const xk_expr *const value =
        xk_levels_of(&v->p->levels, e) == v->p->loop->level
            ? xk_hd_let_value(v->p, e)
            : NULL;
    return value ? xk_rewrite(c, value, as_round_sees, user) : e;
}

/* The offset of iteration j of round t, of those that reach the place. */
static const xk_expr *offset_in(struct xk_hd_pass *p, const xk_expr *off,
                                const xk_expr *t, unsigned round, unsigned j)
{
    const unsigned every = p->loop->every;
    const xk_expr *const first = xk_bin_imm(p->c, XK_OP_MUL, t, round * every);
    struct view v = {p, xk_bin_imm(p->c, XK_OP_ADD, first, j * every)};
    const xk_expr *const e = xk_rewrite(p->c, off, as_round_sees, &v);
    return e ? xk_simplify(p->c, e, p->facts) : NULL;
}

/* What is known of the addresses in a round of n iterations. */
struct rounds {
    unsigned n;
    const xk_expr **start;
    int64_t step_b;  /* from round to round */
    int64_t apart_b; /* from iteration to iteration, if that is a constant */
    bool alike;      /* they differ by constants */
    bool even;       /* by the same one everywhere, step_b included */
    /* What lanes add where that is the same in all iterations, and what is the
     * same for all lanes. */
    const xk_expr *lanes, **place;
};

/* Its scalar part. */
static const xk_expr *scalar_place(struct xk_hd_pass *p,
                                   const struct xk_hd_message *m,
                                   const struct xk_hd_sum *s)
{
    struct xk_hd_sum scalar = *s;
    scalar.n = 0;
    for (unsigned i = 0; i < s->n; i++)
        if (s->term[i].scalar)
            scalar.term[scalar.n++] = s->term[i];
    return xk_hd_address_before(p, m, &scalar, 0, 1);
}

/* The starts of all iterations of a round; false: one does not move evenly, or
 * not as the others. */
static bool starts_of(struct xk_hd_pass *p, const struct xk_hd_message *m,
                      const xk_expr *t, unsigned lanes, struct rounds *r)
{
    struct xk_hd_part first = {0};
    int64_t constant = 0;
    r->alike = r->even = true;
    for (unsigned j = 0; j < r->n; j++) {
        struct xk_hd_sum s = {0};
        int64_t step;
        const xk_expr *const off = offset_in(p, m->off, t, r->n, j);
        if (!off)
            return false;
        xk_hd_split(p, &s, off, 1, m->lanes == 1);
        if (s.overflow || !xk_hd_moves_evenly(p, m, &s, t, &step) ||
            (j && step != r->step_b))
            return false;
        r->step_b = step;
        const struct xk_hd_part part = xk_hd_part_of(p->c, &s, false);
        if (j == 0) {
            first = part;
            r->lanes = part.vec;
        }
        if (part.vec != first.vec)
            r->lanes = NULL;
        if (j == 1)
            r->apart_b = s.constant - constant;
        r->alike &= part.vec == first.vec && part.scalar == first.scalar;
        r->even &= !j || s.constant - constant == r->apart_b;
        constant = s.constant;
        r->start[j] = xk_hd_address_before(p, m, &s, step, lanes);
        r->place[j] = scalar_place(p, m, &s);
        if (!r->start[j] || !r->place[j])
            return false;
    }
    if (r->n == 1)
        r->apart_b = r->step_b;
    r->even &= r->alike && r->apart_b * r->n == r->step_b;
    return true;
}

/* A header that moves by apart_b each iteration: it stood a round before the
 * first one, and then has to stand one iteration before. */
static const xk_expr *start_even(struct xk_hd_pass *p, const struct rounds *r,
                                 unsigned lanes)
{
    const int64_t on_b = r->step_b - r->apart_b;
    const xk_expr *const by = xk_imm(p->c, XK_DT_U32, (int64_t)(uint32_t)on_b);
    return xk_simplify(
        p->c, xk_add(p->c, r->start[0], xk_hd_to_lanes(p->c, by, lanes)),
        p->facts);
}

static const xk_stmt *move_with(struct xk_hd_pass *p,
                                const struct xk_hd_message *m,
                                const xk_expr **start, int64_t step_b,
                                unsigned round, unsigned lanes)
{
    if (!xk_hd_reserve(p, xk_hd_grf_of(p, round * lanes)))
        return NULL;
    struct xk_hd_mover *const v = xk_hd_mover_for(p, step_b, round);
    return v ? xk_hd_send_moved(p, m, v, start, lanes) : NULL;
}

/* The shortest round of which the copies are a whole number. */
static bool find_round(struct xk_hd_pass *p, const struct xk_hd_message *m,
                       unsigned lanes, struct rounds *r)
{
    const unsigned every = p->loop->every, copies = p->loop->copies / every;
    const xk_expr *const t = xk_var(p->c, xk_type_vec(XK_DT_S32, 1), "round");
    r->start = xk_arena_alloc(&p->arena, copies * sizeof(*r->start));
    r->place = xk_arena_alloc(&p->arena, copies * sizeof(*r->place));
    if (!t || !r->start || !r->place)
        return false;
    xk_levels_set(&p->levels, t, p->loop->level);
    xk_facts_set(p->facts, t, 0, INT32_MAX / (int64_t)p->loop->copies / 2, 1,
                 0);
    for (r->n = every > 1 ? 1 : 2; r->n <= copies; r->n++)
        if (copies % r->n == 0 && starts_of(p, m, t, lanes, r))
            return true;
    return false;
}

const xk_stmt *xk_hd_round_send(struct xk_hd_pass *p,
                                const struct xk_hd_message *m)
{
    const unsigned lanes = xk_hd_whole_lanes(p, m->lanes);
    struct rounds r = {0};
    int64_t always;
    if (p->loop->copies < 2 || p->loop->copies > XK_HD_MAX_ROUND ||
        !(xk_is_const(m->mask, &always) && always) ||
        !find_round(p, m, lanes, &r))
        return NULL;
    if (!r.even && r.alike) /* it has one base, and shares it */
        return NULL;
    if (!r.even && r.lanes) {
        const xk_stmt *const s =
            xk_hd_place_send(p, m, r.place, r.lanes, r.step_b, r.n);
        if (s || xk_ctx_status(p->c) < 0)
            return s;
    }
    if (!r.even)
        return move_with(p, m, r.start, r.step_b, r.n, lanes);
    r.start[0] = start_even(p, &r, lanes);
    return r.start[0] ? move_with(p, m, r.start, r.apart_b, 1, lanes) : NULL;
}
