/* SPDX-License-Identifier: Apache-2.0 */
/* Send headers: SEND(&mem[0], off, &grf[r], mask) becomes SENDH with the
 * addresses in registers, address = cast(u64, mem) + cast(u64, off).
 *
 * Inside a loop, off is split into terms that vary with the innermost loop and
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
#include "isa/isa.h"
#include "passes/walk.h"

/* Addresses that a loop keeps: so many bases, so many headers of a kind, and so
 * many registers of headers of a kind. Further messages compute the address
 * anew, and reuse a header whose message has taken it. */
enum { MAX_TERMS = 24, MAX_BASES = 4, MAX_RING = 4, MAX_RING_GRF = 8 };
enum { MAX_RINGS = 4 };

struct term {
    const xk_expr *e;
    int64_t coef;
    bool scalar; /* the same for all lanes */
    bool varies; /* with the innermost loop */
};

struct sum {
    unsigned n;
    struct term term[MAX_TERMS];
    int64_t constant; /* bytes; belongs to neither part */
    bool overflow;
};

/* A part of a sum: what differs by lane and what does not; NULL: nothing. */
struct part {
    const xk_expr *vec, *scalar;
};

/* What goes before a loop, in order: a let, an allocation or a store. */
struct item {
    struct item *next;
    enum xk_op op;
    const xk_expr *var, *value; /* STORE: the address is in var */
};

/* A base that messages of a loop can share. */
struct base {
    struct base *next;
    const xk_expr *mem, *vec, *scalar, *mask; /* what it was made from */
    int64_t constant;
    const xk_expr *var; /* address type; scalar if vec is NULL */
};

/* Headers of one kind that the messages of a loop take in turn. */
struct ring {
    enum xk_dtype dt;
    unsigned lanes, n, next;
    const xk_expr *header[MAX_RING];
};

struct loop {
    struct loop *outer;
    const xk_expr *var;
    unsigned level; /* 1: outermost */
    unsigned n_ifs; /* around the place, inside the loop */
    int64_t first;  /* value of var in the first iteration */
    bool first_known;
    struct item *items, **tail;
    struct base *bases;
    unsigned n_bases, n_rings;
    struct ring ring[MAX_RINGS];
};

/* The message that is being rewritten. */
struct message {
    const struct xk_send *send;
    const xk_expr *mem, *off, *reg, *mask;
    enum xk_dtype dt; /* of an address */
    unsigned lanes;
};

struct pass {
    xk_ctx *c;
    const struct xk_pass_env *env;
    xk_facts *facts;
    struct xk_arena arena;
    struct xk_levels levels; /* by the place where a variable is bound */
    struct xk_memo lets;     /* variable: value of its LET */
    struct loop *loop;       /* innermost */
};

static const xk_expr *rewrite(void *user, const xk_expr *s);

static const xk_expr *let_value(const struct pass *p, const xk_expr *var)
{
    const void *v;
    return xk_memo_get(&p->lets, xk_serial(var), &v) ? v : NULL;
}

/* Splitting an offset. */

static void add_term(struct pass *p, struct sum *s, const xk_expr *e,
                     int64_t coef, bool scalar)
{
    for (unsigned i = 0; i < s->n; i++) {
        if (s->term[i].e == e && s->term[i].scalar == scalar) {
            s->term[i].coef += coef;
            return;
        }
    }
    if (s->n == MAX_TERMS) {
        s->overflow = true;
        return;
    }
    s->term[s->n++] = (struct term){
        e, coef, scalar, xk_levels_of(&p->levels, e) == p->loop->level};
}

static void split(struct pass *p, struct sum *s, const xk_expr *e, int64_t coef,
                  bool scalar);

static void split_mul(struct pass *p, struct sum *s, const xk_expr *e,
                      int64_t coef, bool scalar)
{
    int64_t v;
    if (xk_is_const(xk_kid(e, 1), &v))
        split(p, s, xk_kid(e, 0), coef * v, scalar);
    else if (xk_is_const(xk_kid(e, 0), &v))
        split(p, s, xk_kid(e, 1), coef * v, scalar);
    else
        add_term(p, s, e, coef, scalar);
}

/* ramp(b, d) = b + ramp(0, d). */
static void split_ramp(struct pass *p, struct sum *s, const xk_expr *e,
                       int64_t coef)
{
    const xk_expr *const zero = xk_s32(p->c, 0);
    const xk_expr *const r =
        xk_ramp(p->c, zero, xk_kid(e, 1), xk_type_of(e).lanes);
    split(p, s, xk_kid(e, 0), coef, true);
    if (r)
        add_term(p, s, r, coef, false);
}

/* A let inside the loop is looked through: outside it does not exist. */
static void split_var(struct pass *p, struct sum *s, const xk_expr *e,
                      int64_t coef, bool scalar)
{
    const xk_expr *const v =
        xk_levels_of(&p->levels, e) == p->loop->level ? let_value(p, e) : NULL;
    if (v)
        split(p, s, v, coef, scalar);
    else
        add_term(p, s, e, coef, scalar);
}

/* s += coef * e. */
static void split(struct pass *p, struct sum *s, const xk_expr *e, int64_t coef,
                  bool scalar)
{
    int64_t v;
    if (coef > INT32_MAX || coef < INT32_MIN)
        s->overflow = true;
    if (s->overflow)
        return;
    if (xk_is_const(e, &v)) {
        s->constant += coef * v;
        return;
    }
    switch (xk_op(e)) {
    case XK_OP_ADD:
    case XK_OP_SUB:
        split(p, s, xk_kid(e, 0), coef, scalar);
        split(p, s, xk_kid(e, 1), xk_op(e) == XK_OP_SUB ? -coef : coef, scalar);
        return;
    case XK_OP_NEG:
        split(p, s, xk_kid(e, 0), -coef, scalar);
        return;
    case XK_OP_MUL:
        split_mul(p, s, e, coef, scalar);
        return;
    case XK_OP_BCAST:
        split(p, s, xk_kid(e, 0), coef, true);
        return;
    case XK_OP_RAMP:
        split_ramp(p, s, e, coef);
        return;
    case XK_OP_VAR:
        split_var(p, s, e, coef, scalar);
        return;
    default:
        add_term(p, s, e, coef, scalar);
        return;
    }
}

/* acc + coef * e; acc may be NULL. */
static const xk_expr *plus(xk_ctx *c, const xk_expr *acc, const xk_expr *e,
                           int64_t coef)
{
    const bool minus = acc && coef < 0;
    const int64_t k = minus ? -coef : coef;
    if (k != 1)
        e = xk_bin_imm(c, XK_OP_MUL, e, k);
    if (!acc)
        return e;
    return minus ? xk_sub(c, acc, e) : xk_add(c, acc, e);
}

/* The terms of s that vary, or those that do not. */
static struct part part_of(xk_ctx *c, const struct sum *s, bool varies)
{
    struct part r = {NULL, NULL};
    for (unsigned i = 0; i < s->n; i++) {
        const struct term *const t = &s->term[i];
        const xk_expr **const to = t->scalar ? &r.scalar : &r.vec;
        if (t->varies == varies && t->coef)
            *to = plus(c, *to, t->e, t->coef);
    }
    return r;
}

static void add_constant(xk_ctx *c, struct part *part, int64_t v)
{
    if (!part->scalar && (v || !part->vec))
        part->scalar = xk_s32(c, v);
    else if (v)
        part->scalar =
            plus(c, part->scalar, xk_s32(c, v < 0 ? -v : v), v < 0 ? -1 : 1);
}

/* Addresses. */

/* start + cast(part), where start is a scalar or has the message's lanes. */
static const xk_expr *advance(xk_ctx *c, enum xk_dtype dt, const xk_expr *start,
                              const struct part *part)
{
    const xk_expr *off = part->scalar;
    if (part->vec)
        off = off ? xk_add(c, part->vec, off) : part->vec;
    return xk_add(c, start, xk_cast(c, dt, off));
}

static const xk_expr *to_lanes(xk_ctx *c, const xk_expr *e, unsigned lanes)
{
    return e && xk_type_of(e).lanes != lanes ? xk_bcast(c, e, lanes) : e;
}

static const xk_expr *whole_address(struct pass *p, const struct message *m)
{
    const bool uniform = xk_op(m->off) == XK_OP_BCAST;
    const struct part part = {uniform ? NULL : m->off,
                              uniform ? xk_kid(m->off, 0) : NULL};
    return to_lanes(
        p->c, advance(p->c, m->dt, xk_cast(p->c, m->dt, m->mem), &part),
        m->lanes);
}

/* Placing things before the loop. */

static void push_item(struct pass *p, enum xk_op op, const xk_expr *var,
                      const xk_expr *value)
{
    struct item *const it = xk_arena_alloc(&p->arena, sizeof(*it));
    if (!it)
        return;
    it->op = op;
    it->var = var;
    it->value = value;
    *p->loop->tail = it;
    p->loop->tail = &it->next;
}

static struct xk_alloc_info header_info(const struct pass *p,
                                        const struct message *m)
{
    const unsigned grf_b = p->env->platform->grf_b;
    const unsigned n_b = m->lanes * xk_dtype_b(m->dt);
    const struct xk_alloc_info info = {.size_b =
                                           (n_b + grf_b - 1) / grf_b * grf_b,
                                       .align_b = (uint16_t)grf_b};
    return info;
}

static const xk_stmt *place_item(struct pass *p, const struct item *it,
                                 const xk_stmt *rest)
{
    const xk_stmt *two[2];
    switch (it->op) {
    case XK_OP_LET:
        return xk_let(p->c, it->var, it->value, rest);
    case XK_OP_ALLOC: /* value is the message's header: its type says how big */
    {
        const struct message m = {.dt = (enum xk_dtype)xk_type_of(it->value).dt,
                                  .lanes = xk_type_of(it->value).lanes};
        return xk_alloc_stmt(p->c, it->var, header_info(p, &m), rest);
    }
    default:
        two[0] = xk_store(p->c, it->var, it->value);
        two[1] = rest;
        return two[0] && rest ? xk_seq(p->c, two, 2) : NULL;
    }
}

static const xk_stmt *place_items(struct pass *p, const struct item *it,
                                  const xk_stmt *loop)
{
    if (!it)
        return loop;
    return place_item(p, it, place_items(p, it->next, loop));
}

/* Messages. */

static const xk_expr *header_ptr(xk_ctx *c, const xk_expr *header)
{
    return xk_ptr(c, header, xk_s32(c, 0));
}

static const xk_stmt *send_with(struct pass *p, const struct message *m,
                                const xk_expr *header)
{
    const struct xk_func f = {.kind = XK_FUNC_SENDH, .u.send = *m->send};
    const xk_expr *const args[] = {header_ptr(p->c, header), m->reg, m->mask};
    return args[0] ? xk_call(p->c, &f, args, 3) : NULL;
}

/* The store of the header, then the message. */
static const xk_stmt *fill_and_send(struct pass *p, const struct message *m,
                                    const xk_expr *header,
                                    const xk_expr *address)
{
    const xk_stmt *const two[] = {
        xk_store(p->c, header_ptr(p->c, header), address),
        send_with(p, m, header)};
    return xk_seq(p->c, two, 2);
}

/* Whether the mask has one value for all iterations of the innermost loop. */
static bool mask_is_fixed(struct pass *p, const xk_expr *mask)
{
    const xk_expr *const v =
        xk_op(mask) == XK_OP_VAR ? let_value(p, mask) : NULL;
    return xk_levels_of(&p->levels, v ? v : mask) < p->loop->level;
}

/* Whether the varying part is 0 in the loop's first iteration once `*start` is
 * subtracted. */
static bool value_at_start(struct pass *p, const struct sum *s, int64_t *start)
{
    const struct loop *const l = p->loop;
    const xk_expr *const first = xk_s32(p->c, l->first);
    *start = 0;
    for (unsigned i = 0; i < s->n; i++) {
        const struct term *const t = &s->term[i];
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

static bool is_non_negative(struct pass *p, const struct part *part)
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
static const struct base *find_base(struct pass *p, const struct message *m,
                                    const struct part *inv, int64_t constant)
{
    struct loop *const l = p->loop;
    for (struct base *b = l->bases; b; b = b->next) {
        if (b->mem == m->mem && b->vec == inv->vec &&
            b->scalar == inv->scalar && b->mask == m->mask &&
            b->constant <= constant)
            return b;
    }
    if (l->n_bases == MAX_BASES)
        return NULL;
    struct base *const b = xk_arena_alloc(&p->arena, sizeof(*b));
    if (!b)
        return NULL;
    *b = (struct base){l->bases, m->mem,   inv->vec, inv->scalar,
                       m->mask,  constant, NULL};
    struct part start = *inv;
    add_constant(p->c, &start, constant);
    const xk_expr *const value =
        advance(p->c, m->dt, xk_cast(p->c, m->dt, m->mem), &start);
    b->var = value ? xk_var(p->c, xk_type_of(value), "base") : NULL;
    if (!b->var)
        return NULL;
    l->bases = b;
    l->n_bases++;
    push_item(p, XK_OP_LET, b->var, value);
    return b;
}

/* The address as base + varying part; NULL if that is not allowed. */
static const xk_expr *split_address(struct pass *p, const struct message *m,
                                    const struct sum *s)
{
    int64_t start;
    if (!p->loop->first_known || p->loop->n_ifs || !mask_is_fixed(p, m->mask) ||
        !value_at_start(p, s, &start))
        return NULL;
    const struct part inv = part_of(p->c, s, false);
    struct part var = part_of(p->c, s, true);
    const int64_t constant = s->constant + start;
    struct part checked = var;
    add_constant(p->c, &checked, -start);
    if (!is_non_negative(p, &checked))
        return NULL;
    const struct base *const b = find_base(p, m, &inv, constant);
    if (!b)
        return NULL;
    add_constant(p->c, &var, s->constant - b->constant);
    return to_lanes(p->c, advance(p->c, m->dt, b->var, &var), m->lanes);
}

static bool varies(const struct sum *s)
{
    bool any = s->overflow;
    for (unsigned i = 0; i < s->n; i++)
        any = any || (s->term[i].varies && s->term[i].coef);
    return any;
}

static struct ring *ring_of(struct loop *l, const struct message *m)
{
    for (unsigned i = 0; i < l->n_rings; i++)
        if (l->ring[i].dt == m->dt && l->ring[i].lanes == m->lanes)
            return &l->ring[i];
    if (l->n_rings == MAX_RINGS)
        return NULL;
    struct ring *const r = &l->ring[l->n_rings++];
    r->dt = m->dt;
    r->lanes = m->lanes;
    return r;
}

/* The header for a message whose address changes in the loop: a new one in
 * front of the loop, or the one that was filled longest ago. */
static const xk_expr *take_header(struct pass *p, const struct message *m,
                                  const xk_expr *fresh, const xk_expr *address)
{
    const unsigned grf = header_info(p, m).size_b / p->env->platform->grf_b;
    const unsigned most =
        grf * MAX_RING > MAX_RING_GRF ? MAX_RING_GRF / grf : MAX_RING;
    struct ring *const r = ring_of(p->loop, m);
    if (r && r->n && r->n >= most) {
        r->next = (r->next + 1) % r->n;
        return r->header[r->next];
    }
    push_item(p, XK_OP_ALLOC, fresh, address);
    if (r) {
        r->next = r->n;
        r->header[r->n++] = fresh;
    }
    return fresh;
}

static const xk_stmt *send_in_loop(struct pass *p, const struct message *m,
                                   const xk_expr *header)
{
    struct sum s = {0};
    const xk_expr *address = NULL;
    split(p, &s, m->off, 1, m->lanes == 1);
    if (!varies(&s)) {
        struct part inv = part_of(p->c, &s, false);
        add_constant(p->c, &inv, s.constant);
        address = to_lanes(
            p->c, advance(p->c, m->dt, xk_cast(p->c, m->dt, m->mem), &inv),
            m->lanes);
        if (!address)
            return NULL;
        push_item(p, XK_OP_ALLOC, header, address);
        push_item(p, XK_OP_STORE, header_ptr(p->c, header), address);
        return send_with(p, m, header);
    }
    if (!s.overflow)
        address = split_address(p, m, &s);
    if (!address)
        address = whole_address(p, m);
    if (!address)
        return NULL;
    return fill_and_send(p, m, take_header(p, m, header, address), address);
}

static const xk_stmt *send_alone(struct pass *p, const struct message *m,
                                 const xk_expr *header)
{
    const xk_expr *const address = whole_address(p, m);
    return xk_alloc_stmt(p->c, header, header_info(p, m),
                         fill_and_send(p, m, header, address));
}

static const xk_stmt *rewrite_send(struct pass *p, const xk_stmt *s)
{
    const struct xk_send *const send = &xk_func_of(s)->u.send;
    struct message m = {.send = send,
                        .mem = xk_kid(xk_kid(s, 0), 0),
                        .off = xk_kid(s, 1),
                        .reg = xk_kid(s, 2),
                        .mask = xk_kid(s, 3),
                        .dt = send->addr == XK_SEND_A64 ? XK_DT_U64 : XK_DT_U32,
                        .lanes = send->block ? 1 : send->lanes};
    if (send->addr == XK_SEND_SURFACE) {
        xk_fail(p->c, XK_EUNSUPPORTED, "header: message through a surface");
        return NULL;
    }
    if (!xk_is_const(xk_kid(xk_kid(s, 0), 1), NULL) ||
        xk_imm_value(xk_kid(xk_kid(s, 0), 1)))
        m.off = xk_add(p->c, m.off, xk_kid(xk_kid(s, 0), 1));
    m.off = to_lanes(p->c, m.off, m.lanes);
    m.mask = to_lanes(p->c, m.mask, m.lanes);
    const xk_expr *const header = xk_var(p->c, xk_type_ptr(XK_SPACE_GRF), "h");
    if (!m.off || !m.mask || !header)
        return NULL;
    return p->loop ? send_in_loop(p, &m, header) : send_alone(p, &m, header);
}

/* Loops. */

static void enter(struct pass *p, struct loop *l, const xk_stmt *s)
{
    int64_t first = 0, hi;
    const bool pipe = xk_op(s) == XK_OP_PIPE;
    const bool known = pipe || xk_is_const(xk_kid(s, 1), &first);
    *l = (struct loop){.outer = p->loop,
                       .var = xk_kid(s, 0),
                       .level = p->loop ? p->loop->level + 1 : 1,
                       .first = first,
                       .first_known = known};
    l->tail = &l->items;
    xk_levels_set(&p->levels, l->var, l->level);
    if (known && xk_is_const(xk_kid(s, pipe ? 1 : 2), &hi) && hi > first)
        xk_facts_set(p->facts, l->var, first, hi - 1, 1, 0);
    p->loop = l;
}

static const xk_stmt *rewrite_loop(struct pass *p, const xk_stmt *s)
{
    struct loop l;
    const unsigned last = xk_n_kids(s) - 1;
    const xk_expr *kids[4];
    enter(p, &l, s);
    for (unsigned i = 0; i < last; i++)
        kids[i] = xk_kid(s, i);
    kids[last] = rewrite(p, xk_kid(s, last));
    p->loop = l.outer;
    if (!kids[last])
        return NULL;
    return place_items(p, l.items, xk_with_kids(p->c, s, kids, last + 1));
}

static const xk_expr *rewrite(void *user, const xk_expr *s)
{
    struct pass *const p = user;
    const unsigned level = p->loop ? p->loop->level : 0;
    const xk_stmt *out;
    if (xk_is_expr(s))
        return s;
    switch (xk_op(s)) {
    case XK_OP_LET:
    case XK_OP_LOAD:
        xk_levels_set(&p->levels, xk_kid(s, 0), level);
        if (xk_op(s) == XK_OP_LET &&
            !xk_memo_set(&p->lets, xk_serial(xk_kid(s, 0)), xk_kid(s, 1)))
            return NULL;
        return xk_pass_map_kids(p->c, s, rewrite, p);
    case XK_OP_FOR:
    case XK_OP_PIPE:
        return rewrite_loop(p, s);
    case XK_OP_IF:
        if (p->loop)
            p->loop->n_ifs++;
        out = xk_pass_map_kids(p->c, s, rewrite, p);
        if (p->loop)
            p->loop->n_ifs--;
        return out;
    case XK_OP_CALL:
        return xk_func_of(s)->kind == XK_FUNC_SEND ? rewrite_send(p, s) : s;
    default:
        return xk_pass_map_kids(p->c, s, rewrite, p);
    }
}

enum xk_status xk_pass_header(xk_ctx *c, struct xk_kernel *k,
                              const struct xk_pass_env *env)
{
    struct pass p = {.c = c, .env = env};
    p.facts = xk_pass_facts(c, k);
    if (!p.facts)
        return XK_ENOMEM;
    xk_arena_init(&p.arena, c);
    xk_levels_init(&p.levels, c);
    xk_memo_init(&p.lets, c);
    const xk_stmt *const body = rewrite(&p, k->body);
    xk_memo_fini(&p.lets);
    xk_levels_fini(&p.levels);
    xk_arena_fini(&p.arena);
    xk_facts_unref(p.facts);
    if (!body || xk_ctx_status(c) < 0)
        return xk_ctx_status(c) < 0 ? xk_ctx_status(c) : XK_ENOMEM;
    k->body = body;
    return XK_OK;
}
