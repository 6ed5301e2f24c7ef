/* SPDX-License-Identifier: Apache-2.0 */
/* Headers that are advanced in a loop, for the header pass: strength reduction
 * of addresses. */
#include "passes/header.h"

/* Headers that move. */

static const xk_expr *below_cast(const xk_expr *e)
{
    return xk_op(e) == XK_OP_CAST ? xk_kid(e, 0) : e;
}

/* Bytes per iteration if the offset grows by a constant; the loop counts from a
 * known number on. Whatever the other lanes hold, 32 bits wrap as they should:
 * no range has to be proven. */
bool xk_hd_moves_evenly(const struct xk_hd_pass *p,
                        const struct xk_hd_message *m,
                        const struct xk_hd_sum *s, const xk_expr *var,
                        int64_t *step_b)
{
    const struct xk_hd_loop *const l = p->loop;
    *step_b = 0;
    if (xk_dtype_b(m->dt) != 4 || !l->first_known || l->n_ifs || !l->step ||
        m->lanes > 2 * xk_platform_dwords(p->env->platform))
        return false;
    for (unsigned i = 0; i < s->n; i++) {
        const struct xk_hd_term *const t = &s->term[i];
        if (!t->varies || !t->coef)
            continue;
        if (below_cast(t->e) != var)
            return false;
        *step_b += t->coef * l->step;
    }
    return *step_b >= INT16_MIN && *step_b <= INT32_MAX;
}

/* The buffer for one more header of this step. */
struct xk_hd_mover *xk_hd_mover_for(struct xk_hd_pass *p, int64_t step_b,
                                    unsigned round)
{
    struct xk_hd_loop *const l = p->loop;
    for (struct xk_hd_mover *v = l->movers; v; v = v->next)
        if (v->step_b == step_b && v->round == round &&
            v->n < XK_HD_MAX_TOGETHER)
            return v;
    struct xk_hd_mover *const v = xk_arena_alloc(&p->arena, sizeof(*v));
    if (!v)
        return NULL;
    *v = (struct xk_hd_mover){
        .next = l->movers, .step_b = step_b, .round = round};
    v->buf = xk_var(p->c, xk_type_ptr(XK_SPACE_GRF), "h");
    v->round_b = xk_var(p->c, xk_type_vec(XK_DT_S32, 1), "round");
    if (!v->buf || !v->round_b)
        return NULL;
    l->movers = v;
    return v;
}

/* The address one step before the first iteration. */
const xk_expr *xk_hd_address_before(struct xk_hd_pass *p,
                                    const struct xk_hd_message *m,
                                    const struct xk_hd_sum *s, int64_t step_b,
                                    unsigned lanes)
{
    struct xk_hd_part inv = xk_hd_part_of(p->c, s, false);
    int64_t constant = s->constant - step_b;
    for (unsigned i = 0; i < s->n; i++)
        if (s->term[i].varies)
            constant += s->term[i].coef * p->loop->first;
    const xk_expr *start = xk_hd_origin(p, m);
    const xk_expr *const off = xk_imm(p->c, m->dt, (int64_t)(uint32_t)constant);
    if (inv.scalar)
        start = xk_add(p->c, start, xk_cast(p->c, m->dt, inv.scalar));
    start = xk_add(p->c, start, off);
    if (inv.vec)
        start =
            xk_add(p->c, xk_hd_to_lanes(p->c, start, lanes),
                   xk_cast(p->c, m->dt, xk_hd_to_lanes(p->c, inv.vec, lanes)));
    return xk_hd_to_lanes(p->c, start, lanes);
}

unsigned xk_hd_whole_lanes(const struct xk_hd_pass *p, unsigned lanes)
{
    const unsigned one = xk_platform_dwords(p->env->platform);
    return lanes > one ? 2 * one : one;
}

unsigned xk_hd_grf_of(const struct xk_hd_pass *p, unsigned dwords)
{
    const unsigned grf_b = p->env->platform->grf_b;
    return (4 * dwords + grf_b - 1) / grf_b;
}

bool xk_hd_reserve(struct xk_hd_pass *p, unsigned grf)
{
    const struct xk_pass_env *const env = p->env;
    unsigned sum = p->loop->inner_grf + grf;
    for (const struct xk_hd_loop *l = p->loop; l; l = l->outer)
        sum += l->moving_grf;
    if (p->loop->n_moving == XK_HD_MAX_MOVING ||
        (env->header_grf && sum > env->header_grf + env->spare_grf))
        return false;
    p->loop->n_moving++;
    p->loop->moving_grf += grf;
    if (env->moving_grf && *env->moving_grf < sum)
        *env->moving_grf = sum;
    return true;
}

/* The message with a header that moves, or NULL without an error: it cannot. */
const xk_stmt *xk_hd_move_send(struct xk_hd_pass *p,
                               const struct xk_hd_message *m,
                               const struct xk_hd_sum *s)
{
    int64_t step_b;
    const unsigned lanes = xk_hd_whole_lanes(p, m->lanes);
    if (!xk_hd_moves_evenly(p, m, s, p->loop->var, &step_b) ||
        !xk_hd_reserve(p, xk_hd_grf_of(p, lanes)))
        return NULL;
    struct xk_hd_mover *const v = xk_hd_mover_for(p, step_b, 1);
    const xk_expr **const start =
        v ? xk_arena_alloc(&p->arena, sizeof(*start)) : NULL;
    if (!start)
        return NULL;
    *start = xk_hd_address_before(p, m, s, step_b, lanes);
    if (!*start)
        return NULL;
    return xk_hd_send_moved(p, m, v, start, lanes);
}

const xk_stmt *xk_hd_send_moved(struct xk_hd_pass *p,
                                const struct xk_hd_message *m,
                                struct xk_hd_mover *v, const xk_expr **start,
                                unsigned lanes)
{
    const unsigned at = v->lanes;
    v->header[v->n].start = start;
    v->header[v->n++].lane = at;
    v->lanes += lanes;
    return xk_hd_send_at(p, m, xk_hd_mover_ptr(p, v, at));
}

const xk_expr *xk_hd_mover_ptr(struct xk_hd_pass *p,
                               const struct xk_hd_mover *v, unsigned at)
{
    const xk_expr *off = xk_s32(p->c, at * 4);
    if (v->round > 1) {
        const xk_expr *const turn = xk_hd_turn(p, v->round);
        off = xk_add(p->c, xk_mul(p->c, turn, v->round_b), off);
    }
    return xk_ptr(p->c, v->buf, off);
}

/* Header `at`, `lanes` lanes, += step. */
static const xk_stmt *add_step(struct xk_hd_pass *p,
                               const struct xk_hd_mover *v, unsigned at,
                               unsigned lanes)
{
    const xk_expr *const ptr = xk_hd_mover_ptr(p, v, at);
    const struct xk_type t = xk_type_vec(XK_DT_U32, lanes);
    const xk_expr *const now = xk_var(p->c, t, "at");
    if (!ptr || !now)
        return NULL;
    const xk_expr *const step = xk_bcast(
        p->c, xk_imm(p->c, XK_DT_U32, (int64_t)(uint32_t)v->step_b), lanes);
    const xk_stmt *const set = xk_store(p->c, ptr, xk_add(p->c, now, step));
    return xk_load(p->c, now, ptr, set);
}

/* Fills a buffer before the loop; its advance before `rest`. */
static const xk_stmt *place_mover(struct xk_hd_pass *p,
                                  const struct xk_hd_mover *v,
                                  const xk_stmt *rest)
{
    const unsigned two = 2 * xk_platform_dwords(p->env->platform);
    const xk_stmt *st[XK_HD_MAX_TOGETHER + 1];
    unsigned n = 0;
    xk_hd_push_alloc(p, v->buf, v->round * v->lanes * 4);
    for (unsigned k = 0; k < v->round * v->n; k++) {
        const unsigned i = k % v->n, turn = k / v->n;
        const unsigned at = turn * v->lanes + v->header[i].lane;
        xk_hd_push_item(p, XK_OP_STORE,
                        xk_ptr(p->c, v->buf, xk_s32(p->c, at * 4)),
                        v->header[i].start[turn]);
    }
    for (unsigned at = 0; at < v->lanes; at += two)
        st[n++] = add_step(p, v, at, v->lanes - at < two ? two / 2 : two);
    st[n++] = rest;
    for (unsigned i = 0; i < n; i++)
        if (!st[i])
            return NULL;
    const xk_stmt *const all = xk_seq(p->c, st, n);
    const xk_expr *const round_b = xk_s32(p->c, v->lanes * 4);
    return v->round == 1 ? all
                         : xk_substitute(p->c, all, 1, &v->round_b, &round_b);
}

const xk_stmt *xk_hd_place_movers(struct xk_hd_pass *p, const xk_stmt *body)
{
    while (body && p->loop && p->loop->movers) {
        const struct xk_hd_mover *const v = p->loop->movers;
        p->loop->movers = v->next;
        body = place_mover(p, v, body);
    }
    return body;
}
