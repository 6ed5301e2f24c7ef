/* SPDX-License-Identifier: Apache-2.0 */
/* Send headers: SEND(&mem[0], off, &grf[r], mask) becomes SENDH with the
 * addresses in registers, address = cast(u64, mem) + cast(u64, off).
 *
 * or, through a surface, address = the pointer's place in it + cast(u32, off).
 *
 * Addresses of 32 bits that grow by a constant in each iteration of the
 * innermost loop are not computed there: a header of their own is filled before
 * the loop and advanced in it (move_*). Else, inside a loop, off is split into
 * terms that vary with the innermost loop and
 * terms that do not:
 * - nothing varies: the header is filled once, before the loop;
 * - the varying part may be taken apart (below): base = cast(mem) +
 *   cast(invariant) is bound before the loop, header = base + cast(varying) in
 *   it, and messages that differ by a constant share the base;
 * - else everything is computed where the message is.
 *
 * Taking apart must not create a negative s32, because cast(u64, x) of a
 * negative x may be done without sign extension. The varying part is proven to
 * be >= 0 by its range. For the invariant part the argument is: the first
 * message with this base runs in the loop's first iteration (it stands under no
 * IF), with the varying part equal to 0 there and with the mask it always has
 * (the mask does not depend on the loop). So for a lane that is ever enabled
 * the invariant part alone is an offset that this message really accesses, and
 * such an offset is >= 0. Lanes that are never enabled may compute garbage. */
#include "passes/header.h"

static const xk_expr *rewrite_headers(void *user, const xk_expr *s);

const xk_stmt *xk_hd_fill_and_send(struct xk_hd_pass *p,
                                   const struct xk_hd_message *m,
                                   const xk_expr *header,
                                   const xk_expr *address)
{
    const xk_stmt *const two[] = {
        xk_store(p->c, xk_hd_header_ptr(p->c, header), address),
        xk_hd_send_with(p, m, header)};
    return xk_seq(p->c, two, 2);
}

/* Whether the mask has one value for all iterations of the innermost loop. */
static bool mask_is_fixed(struct xk_hd_pass *p, const xk_expr *mask)
{
    const xk_expr *const v =
        xk_op(mask) == XK_OP_VAR ? xk_hd_let_value(p, mask) : NULL;
    return xk_levels_of(&p->levels, v ? v : mask) < p->loop->level;
}

/* Whether the varying part is 0 in the loop's first iteration once `*start` is
 * subtracted. */
static bool value_at_start(struct xk_hd_pass *p, const struct xk_hd_sum *s,
                           int64_t *start)
{
    const struct xk_hd_loop *const l = p->loop;
    const xk_expr *const first = xk_s32(p->c, l->first);
    *start = 0;
    for (unsigned i = 0; i < s->n; i++) {
        const struct xk_hd_term *const t = &s->term[i];
        int64_t v = l->first;
        if (!t->varies)
            continue;
        if (t->e != l->var) {
            const xk_expr *const e = xk_simplify(
                p->c, xk_substitute(p->c, t->e, 1, &l->var, &first), p->facts);
            if (!xk_is_const(e, &v))
                return false;
        }
        *start += t->coef * v;
    }
    return true;
}

static bool is_non_negative(struct xk_hd_pass *p, const struct xk_hd_part *part)
{
    int64_t lo, hi;
    const xk_expr *const e[] = {part->vec, part->scalar};
    for (unsigned i = 0; i < 2; i++) {
        if (e[i] && (!xk_facts_range(p->facts, e[i], &lo, &hi) || lo < 0))
            return false;
    }
    return true;
}

/* A base for these invariant terms, at most `constant` away from them. */
static const struct xk_hd_base *find_base(struct xk_hd_pass *p,
                                          const struct xk_hd_message *m,
                                          const struct xk_hd_part *inv,
                                          int64_t constant)
{
    struct xk_hd_loop *const l = p->loop;
    for (struct xk_hd_base *b = l->bases; b; b = b->next) {
        if (b->mem == m->mem && b->vec == inv->vec &&
            b->scalar == inv->scalar && b->mask == m->mask &&
            b->constant <= constant)
            return b;
    }
    if (l->n_bases == XK_HD_MAX_BASES)
        return NULL;
    struct xk_hd_base *const b = xk_arena_alloc(&p->arena, sizeof(*b));
    if (!b)
        return NULL;
    *b = (struct xk_hd_base){l->bases, m->mem,   inv->vec, inv->scalar,
                             m->mask,  constant, NULL};
    struct xk_hd_part start = *inv;
    xk_hd_add_constant(p->c, &start, constant);
    const xk_expr *const value =
        xk_hd_advance(p->c, m->dt, xk_hd_origin(p, m), &start);
    b->var = value ? xk_var(p->c, xk_type_of(value), "base") : NULL;
    if (!b->var)
        return NULL;
    l->bases = b;
    l->n_bases++;
    xk_hd_push_item(p, XK_OP_LET, b->var, value);
    return b;
}

/* The address as base + varying part; NULL if that is not allowed. */
static const xk_expr *split_address(struct xk_hd_pass *p,
                                    const struct xk_hd_message *m,
                                    const struct xk_hd_sum *s)
{
    int64_t start;
    if (!p->loop->first_known || p->loop->n_ifs || !mask_is_fixed(p, m->mask) ||
        !value_at_start(p, s, &start))
        return NULL;
    const struct xk_hd_part inv = xk_hd_part_of(p->c, s, false);
    struct xk_hd_part var = xk_hd_part_of(p->c, s, true);
    const int64_t constant = s->constant + start;
    struct xk_hd_part checked = var;
    xk_hd_add_constant(p->c, &checked, -start);
    if (!is_non_negative(p, &checked))
        return NULL;
    const struct xk_hd_base *const b = find_base(p, m, &inv, constant);
    if (!b)
        return NULL;
    xk_hd_add_constant(p->c, &var, s->constant - b->constant);
    return xk_hd_to_lanes(p->c, xk_hd_advance(p->c, m->dt, b->var, &var),
                          m->lanes);
}

static bool varies(const struct xk_hd_sum *s)
{
    bool any = s->overflow;
    for (unsigned i = 0; i < s->n; i++)
        any = any || (s->term[i].varies && s->term[i].coef);
    return any;
}

static struct xk_hd_ring *header_ring(struct xk_hd_loop *l,
                                      const struct xk_hd_message *m)
{
    for (unsigned i = 0; i < l->n_rings; i++)
        if (l->ring[i].dt == m->dt && l->ring[i].lanes == m->lanes)
            return &l->ring[i];
    if (l->n_rings == XK_HD_MAX_RINGS)
        return NULL;
    struct xk_hd_ring *const r = &l->ring[l->n_rings++];
    r->dt = m->dt;
    r->lanes = m->lanes;
    return r;
}

/* A new one, or the one that was filled longest ago. */
const xk_expr *xk_hd_take_header(struct xk_hd_pass *p,
                                 const struct xk_hd_message *m,
                                 const xk_expr *fresh)
{
    const unsigned grf =
        xk_hd_header_info(p, m).size_b / p->env->platform->grf_b;
    unsigned most = grf * XK_HD_MAX_RING > XK_HD_MAX_RING_GRF
                        ? XK_HD_MAX_RING_GRF / grf
                        : XK_HD_MAX_RING;
    if (p->env->tight)
        most = 1;
    struct xk_hd_ring *const r = header_ring(p->loop, m);
    if (r && r->n && r->n >= most) {
        r->next = (r->next + 1) % r->n;
        return r->header[r->next];
    }
    xk_hd_push_alloc(p, fresh, xk_hd_header_info(p, m).size_b);
    if (r) {
        r->next = r->n;
        r->header[r->n++] = fresh;
    }
    return fresh;
}

static const xk_stmt *send_in_loop(struct xk_hd_pass *p,
                                   const struct xk_hd_message *m,
                                   const xk_expr *header)
{
    struct xk_hd_sum s = {0};
    const xk_expr *address = NULL;
    xk_hd_split(p, &s, m->off, 1, m->lanes == 1);
    if (!varies(&s)) {
        struct xk_hd_part inv = xk_hd_part_of(p->c, &s, false);
        xk_hd_add_constant(p->c, &inv, s.constant);
        address = xk_hd_to_lanes(
            p->c, xk_hd_advance(p->c, m->dt, xk_hd_origin(p, m), &inv),
            m->lanes);
        if (!address)
            return NULL;
        xk_hd_push_alloc(p, header, xk_hd_header_info(p, m).size_b);
        xk_hd_push_item(p, XK_OP_STORE, xk_hd_header_ptr(p->c, header),
                        address);
        return xk_hd_send_with(p, m, header);
    }
    const xk_stmt *moved =
        s.overflow || p->env->tight ? NULL : xk_hd_move_send(p, m, &s);
    if (!moved && !p->env->tight && xk_ctx_status(p->c) >= 0)
        moved = xk_hd_round_send(p, m);
    if (moved || xk_ctx_status(p->c) < 0)
        return moved;
    if (!s.overflow)
        address = split_address(p, m, &s);
    if (!address)
        address = xk_hd_whole_address(p, m);
    if (!address)
        return NULL;
    return xk_hd_fill_and_send(p, m, xk_hd_take_header(p, m, header), address);
}

static const xk_stmt *send_alone(struct xk_hd_pass *p,
                                 const struct xk_hd_message *m,
                                 const xk_expr *header)
{
    const xk_expr *const address = xk_hd_whole_address(p, m);
    return xk_alloc_stmt(p->c, header, xk_hd_header_info(p, m),
                         xk_hd_fill_and_send(p, m, header, address));
}

static const xk_stmt *rewrite_header_send(struct xk_hd_pass *p,
                                          const xk_stmt *s)
{
    const struct xk_send *const send = &xk_func_of(s)->u.send;
    struct xk_hd_message m = {.send = send,
                              .mem = xk_kid(xk_kid(s, 0), 0),
                              .off = xk_kid(s, 1),
                              .reg = xk_kid(s, 2),
                              .mask = xk_kid(s, 3),
                              .dt = send->addr == XK_SEND_A64 ? XK_DT_U64
                                                              : XK_DT_U32,
                              .lanes = send->block ? 1 : send->lanes};
    if (!xk_is_const(xk_kid(xk_kid(s, 0), 1), NULL) ||
        xk_imm_value(xk_kid(xk_kid(s, 0), 1)))
        m.off = xk_add(p->c, m.off, xk_kid(xk_kid(s, 0), 1));
    m.off = xk_hd_to_lanes(p->c, m.off, m.lanes);
    m.mask = xk_hd_to_lanes(p->c, m.mask, m.lanes);
    const xk_expr *const header = xk_var(p->c, xk_type_ptr(XK_SPACE_GRF), "h");
    if (!m.off || !m.mask || !header)
        return NULL;
    return p->loop ? send_in_loop(p, &m, header) : send_alone(p, &m, header);
}

/* Loops. */

static void enter_header_loop(struct xk_hd_pass *p, struct xk_hd_loop *l,
                              const xk_stmt *s)
{
    int64_t first = 0, hi;
    const bool pipe = xk_op(s) == XK_OP_PIPE;
    const bool known = pipe || xk_is_const(xk_kid(s, 1), &first);
    *l = (struct xk_hd_loop){.outer = p->loop,
                             .var = xk_kid(s, 0),
                             .level = p->loop ? p->loop->level + 1 : 1,
                             .first = first,
                             .step = pipe ? 1 : xk_for_step(s),
                             .copies = pipe ? xk_pipe_info_of(s).slots : 1,
                             .every = 1,
                             .first_known = known};
    l->tail = &l->items;
    xk_levels_set(&p->levels, l->var, l->level);
    if (known && xk_is_const(xk_kid(s, pipe ? 1 : 2), &hi) && hi > first)
        xk_facts_set(p->facts, l->var, first, hi - 1, 1, 0);
    p->loop = l;
}

static const xk_stmt *rewrite_header_loop(struct xk_hd_pass *p,
                                          const xk_stmt *s)
{
    struct xk_hd_loop l;
    const unsigned last = xk_n_kids(s) - 1;
    const xk_expr *kids[4];
    enter_header_loop(p, &l, s);
    for (unsigned i = 0; i < last; i++)
        kids[i] = xk_kid(s, i);
    kids[last] = xk_hd_place_movers(p, rewrite_headers(p, xk_kid(s, last)));
    xk_hd_fill_places(p);
    p->loop = l.outer;
    if (l.outer && l.outer->inner_grf < l.moving_grf + l.inner_grf)
        l.outer->inner_grf = l.moving_grf + l.inner_grf;
    if (!kids[last])
        return NULL;
    return xk_hd_place_items(p, l.items, xk_with_kids(p->c, s, kids, last + 1));
}

/* A buffer in SLM is a place from here on: its allocation goes. */
static const xk_stmt *rewrite_slm(struct xk_hd_pass *p, const xk_stmt *s)
{
    const struct xk_alloc_info info = xk_alloc_info_of(s);
    const uint32_t outer = p->slm_b, at = xk_slm_place(outer, info);
    const xk_expr *const place = xk_imm(p->c, XK_DT_U32, at);
    if (!place || !xk_memo_set(&p->slm, xk_serial(xk_kid(s, 0)), place))
        return NULL;
    p->slm_b = at + info.size_b;
    const xk_stmt *const body = rewrite_headers(p, xk_kid(s, 1));
    p->slm_b = outer;
    return body;
}

/* n of `var % n == 0`, where a pipe's copies know that; else 0. */
static unsigned regular_branch(const struct xk_hd_loop *l, const xk_stmt *s)
{
    if (!l || l->n_ifs || l->every != 1 || !xk_pass_is_empty(xk_kid(s, 2)))
        return 0;
    const int64_t n = xk_pass_every(xk_kid(s, 0), l->var, 1);
    return n > 1 && l->copies % n == 0 ? (unsigned)n : 0;
}

/* Headers of what is reached in every n-th iteration move there. */
static const xk_stmt *rewrite_branch(struct xk_hd_pass *p, const xk_stmt *s)
{
    struct xk_hd_loop *const l = p->loop;
    const unsigned every = regular_branch(l, s);
    if (every) {
        struct xk_hd_mover *const outer = l->movers;
        l->movers = NULL;
        l->every = every;
        const xk_stmt *const in =
            xk_hd_place_movers(p, rewrite_headers(p, xk_kid(s, 1)));
        l->every = 1;
        l->movers = outer;
        return in ? xk_if(p->c, xk_kid(s, 0), in, NULL) : NULL;
    }
    if (l)
        l->n_ifs++;
    const xk_stmt *const out = xk_pass_map_kids(p->c, s, rewrite_headers, p);
    if (l)
        l->n_ifs--;
    return out;
}

static const xk_expr *rewrite_headers(void *user, const xk_expr *s)
{
    struct xk_hd_pass *const p = user;
    const unsigned level = p->loop ? p->loop->level : 0;
    const xk_stmt *kid;
    if (!xk_has(s, XK_HAS_SEND))
        return s;
    switch (xk_op(s)) {
    case XK_OP_LET:
    case XK_OP_LOAD:
        xk_levels_set(&p->levels, xk_kid(s, 0), level);
        if (xk_op(s) == XK_OP_LET &&
            !xk_memo_set(&p->lets, xk_serial(xk_kid(s, 0)), xk_kid(s, 1)))
            return NULL;
        return xk_pass_map_kids(p->c, s, rewrite_headers, p);
    case XK_OP_ALLOC:
        return xk_type_of(xk_kid(s, 0)).space == XK_SPACE_SLM
                   ? rewrite_slm(p, s)
                   : xk_pass_map_kids(p->c, s, rewrite_headers, p);
    case XK_OP_FOR:
    case XK_OP_PIPE:
        return rewrite_header_loop(p, s);
    case XK_OP_STAGE:
        p->loop->stage = xk_stage_of(s);
        kid = xk_hd_place_movers(p, rewrite_headers(p, xk_kid(s, 0)));
        return kid ? xk_with_kids(p->c, s, &kid, 1) : NULL;
    case XK_OP_IF:
        return rewrite_branch(p, s);
    case XK_OP_CALL:
        return xk_func_of(s)->kind == XK_FUNC_SEND ? rewrite_header_send(p, s)
                                                   : s;
    default:
        return xk_pass_map_kids(p->c, s, rewrite_headers, p);
    }
}

enum xk_status xk_pass_header(xk_ctx *c, struct xk_kernel *k,
                              const struct xk_pass_env *env)
{
    struct xk_hd_pass p = {.c = c, .k = k, .env = env};
    p.facts = xk_pass_facts(c, k);
    if (!p.facts)
        return XK_ENOMEM;
    xk_arena_init(&p.arena, c);
    xk_levels_init(&p.levels, c);
    xk_memo_init(&p.lets, c);
    xk_memo_init(&p.slm, c);
    const xk_stmt *const body = rewrite_headers(&p, k->body);
    xk_memo_fini(&p.slm);
    xk_memo_fini(&p.lets);
    xk_levels_fini(&p.levels);
    xk_arena_fini(&p.arena);
    xk_facts_unref(p.facts);
    return xk_pass_end(c, k, body);
}
