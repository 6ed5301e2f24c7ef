/* SPDX-License-Identifier: Apache-2.0 */
/* Headers that are a scalar and what lanes add to it, for the header pass: a
 * fourth or an eighth of the registers that whole headers of a round's
 * iterations take. */
#include "passes/header.h"

/* The places of this stage that move so, with room for one more. */
static struct xk_hd_places *places_for(struct xk_hd_pass *p, int64_t step_b,
                                       unsigned round)
{
    struct xk_hd_loop *const l = p->loop;
    for (struct xk_hd_places *s = l->places; s; s = s->next)
        if (s->stage == l->stage && s->step_b == step_b && s->round == round &&
            s->every == l->every && s->n < XK_HD_MAX_PLACES)
            return s;
    struct xk_hd_places *const s = xk_arena_alloc(&p->arena, sizeof(*s));
    if (!s)
        return NULL;
    *s = (struct xk_hd_places){
        .next = l->places,
        .step_b = step_b,
        .stage = l->stage,
        .round = round,
        .every = l->every,
        .buf = xk_var(p->c, xk_type_ptr(XK_SPACE_GRF), "places")};
    if (!s->buf)
        return NULL;
    l->places = s;
    return s;
}

/* The variable of what lanes add; that of another place if it is the same. */
static const xk_expr *lanes_var(struct xk_hd_pass *p, const xk_expr *lanes)
{
    for (const struct xk_hd_places *x = p->loop->places; x; x = x->next)
        for (unsigned i = 0; i < x->n; i++)
            if (x->place[i].lanes == lanes)
                return x->place[i].vec;
    const xk_expr *const value = xk_cast(p->c, XK_DT_U32, lanes);
    const xk_expr *const var =
        value ? xk_var(p->c, xk_type_of(value), "lanes") : NULL;
    return var && xk_hd_push_item(p, XK_OP_LET, var, value) ? var : NULL;
}

/* Registers that one more place takes; the first one of a buffer also what says
 * how far they have moved, the loop's first one also what lanes add, and
 * headers. */
static unsigned more_grf(const struct xk_hd_pass *p,
                         const struct xk_hd_places *s, unsigned lanes)
{
    const unsigned all = xk_hd_grf_of(p, (s->n + 1) * s->round + 1);
    if (s->n)
        return all - xk_hd_grf_of(p, s->n * s->round + 1);
    return s->next ? all : all + (1 + XK_HD_MAX_RING) * xk_hd_grf_of(p, lanes);
}

static const xk_expr *u32_var(struct xk_hd_pass *p, const char *name)
{
    return xk_var(p->c, xk_type_vec(XK_DT_U32, 1), name);
}

/* Before a round's first iteration all move. */
static const xk_stmt *move_places(struct xk_hd_pass *p,
                                  const struct xk_hd_places *s)
{
    const xk_expr *const ptr = xk_ptr(p->c, s->buf, xk_s32(p->c, 0));
    const xk_expr *const now = u32_var(p, "moved");
    const xk_expr *const turn = xk_hd_turn(p, s->round);
    const xk_expr *const step =
        xk_imm(p->c, XK_DT_U32, (int64_t)(uint32_t)s->step_b);
    if (!ptr || !now || !turn || !step)
        return NULL;
    return xk_if(
        p->c, xk_bin_imm(p->c, XK_OP_EQ, turn, 0),
        xk_load(p->c, now, ptr, xk_store(p->c, ptr, xk_add(p->c, now, step))),
        NULL);
}

/* The message at its place of this iteration. */
static const xk_stmt *send_at_place(struct xk_hd_pass *p,
                                    const struct xk_hd_message *m,
                                    const struct xk_hd_places *s, unsigned i)
{
    xk_ctx *const c = p->c;
    const xk_expr *const turn = xk_hd_turn(p, s->round);
    const xk_expr *const off = xk_bin_imm(
        c, XK_OP_ADD, xk_bin_imm(c, XK_OP_MUL, turn, 4), 4 + 4 * i * s->round);
    const xk_expr *const at = u32_var(p, "at"), *const moved =
                                                    u32_var(p, "moved");
    const xk_expr *const fresh = xk_var(c, xk_type_ptr(XK_SPACE_GRF), "h");
    if (!off || !at || !moved || !fresh)
        return NULL;
    const xk_expr *const header = xk_hd_take_header(p, m, fresh);
    const xk_expr *const place = xk_add(c, xk_hd_to_lanes(c, at, m->lanes),
                                        xk_hd_to_lanes(c, moved, m->lanes));
    const xk_stmt *const send =
        xk_hd_fill_and_send(p, m, header, xk_add(c, place, s->place[i].vec));
    return xk_load(c, at, xk_ptr(c, s->buf, off),
                   xk_load(c, moved, xk_ptr(c, s->buf, xk_s32(c, 0)), send));
}

const xk_stmt *xk_hd_place_send(struct xk_hd_pass *p,
                                const struct xk_hd_message *m,
                                const xk_expr **start, const xk_expr *lanes,
                                int64_t step_b, unsigned round)
{
    struct xk_hd_places *const s = places_for(p, step_b, round);
    const xk_stmt *two[2];
    if (!s || !xk_hd_reserve(p, more_grf(p, s, m->lanes)))
        return NULL;
    const unsigned i = s->n;
    const xk_expr *const vec = lanes_var(p, lanes);
    s->place[i].start = start;
    s->place[i].lanes = lanes;
    s->place[i].vec = vec;
    s->n++;
    two[0] = i ? NULL : move_places(p, s);
    two[1] = vec ? send_at_place(p, m, s, i) : NULL;
    if (i || !two[0] || !two[1])
        return two[1];
    return xk_seq(p->c, two, 2);
}

void xk_hd_fill_places(struct xk_hd_pass *p)
{
    for (const struct xk_hd_places *s = p->loop->places; s; s = s->next) {
        const int64_t before = (uint32_t)-s->step_b;
        if (!s->n)
            continue;
        xk_hd_push_alloc(p, s->buf, 4 * (s->n * s->round + 1));
        xk_hd_push_item(p, XK_OP_STORE, xk_ptr(p->c, s->buf, xk_s32(p->c, 0)),
                        xk_imm(p->c, XK_DT_U32, before));
        for (unsigned k = 0; k < s->n * s->round; k++)
            xk_hd_push_item(p, XK_OP_STORE,
                            xk_ptr(p->c, s->buf, xk_s32(p->c, 4 + 4 * (int)k)),
                            s->place[k / s->round].start[k % s->round]);
    }
}
