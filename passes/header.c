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
#include "isa/isa.h"
#include "passes/walk.h"

/* Addresses that a loop keeps: so many bases, so many headers of a kind, and so
 * many registers of headers of a kind. Further messages compute the address
 * anew, and reuse a header whose message has taken it. */
enum { MAX_TERMS = 24, MAX_BASES = 4, MAX_RING = 4, MAX_RING_GRF = 8 };
enum { MAX_RINGS = 4 };
/* Headers that are advanced: so many in a loop, in a buffer at most so many that
 * move together. */
enum { MAX_MOVING = 24, MAX_TOGETHER = 8 };

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
    unsigned size_b;            /* ALLOC */
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

/* Headers that move by the same number of bytes, one behind the other in one
 * buffer, so that an instruction moves 16 lanes of them. A scalar address takes
 * 8 lanes, of which the message reads one. */
struct mover {
    struct mover *next;
    const xk_expr *buf; /* pointer variable */
    int64_t step_b;
    unsigned n, lanes; /* headers; lanes of all */
    struct {
        const xk_expr *start; /* one step before the first iteration */
        unsigned lane;        /* where it is in the buffer */
    } header[MAX_TOGETHER];
};

struct loop {
    struct loop *outer;
    const xk_expr *var;
    unsigned level; /* 1: outermost */
    unsigned n_ifs; /* around the place, inside the loop */
    int64_t first;  /* value of var in the first iteration */
    int64_t step;   /* of var */
    bool first_known;
    struct item *items, **tail;
    struct base *bases;
    unsigned n_bases, n_rings, n_moving;
    struct ring ring[MAX_RINGS];
    struct mover *movers; /* of the stage, or of the loop's body */
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
    const struct xk_kernel *k;
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

/* What offsets are added to: the pointer, or where it is in its surface. */
static const xk_expr *origin_of(struct pass *p, const struct message *m)
{
    if (m->send->addr != XK_SEND_SURFACE)
        return xk_cast(p->c, m->dt, m->mem);
    for (unsigned i = 0; i + 1 < p->k->n_params; i++)
        if (p->k->params[i].var == m->mem &&
            p->k->params[i + 1].kind == XK_PARAM_SURFACE)
            return p->k->params[i + 1].var;
    xk_fail(p->c, XK_EINVAL, "header: a message through a surface, of which "
                             "no parameter says where the buffer begins");
    return NULL;
}

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
        p->c, advance(p->c, m->dt, origin_of(p, m), &part),
        m->lanes);
}

/* Placing things before the loop. */

static struct item *push_item(struct pass *p, enum xk_op op,
                              const xk_expr *var, const xk_expr *value)
{
    struct item *const it = xk_arena_alloc(&p->arena, sizeof(*it));
    if (!it)
        return NULL;
    it->op = op;
    it->var = var;
    it->value = value;
    *p->loop->tail = it;
    p->loop->tail = &it->next;
    return it;
}

static void push_alloc(struct pass *p, const xk_expr *var, unsigned size_b)
{
    struct item *const it = push_item(p, XK_OP_ALLOC, var, NULL);
    if (it)
        it->size_b = size_b;
}

static struct xk_alloc_info registers(const struct pass *p, unsigned n_b)
{
    const unsigned grf_b = p->env->platform->grf_b;
    const struct xk_alloc_info info = {.size_b =
                                           (n_b + grf_b - 1) / grf_b * grf_b,
                                       .align_b = (uint16_t)grf_b};
    return info;
}

static struct xk_alloc_info header_info(const struct pass *p,
                                        const struct message *m)
{
    return registers(p, m->lanes * xk_dtype_b(m->dt));
}

static const xk_stmt *place_item(struct pass *p, const struct item *it,
                                 const xk_stmt *rest)
{
    const xk_stmt *two[2];
    switch (it->op) {
    case XK_OP_LET:
        return xk_let(p->c, it->var, it->value, rest);
    case XK_OP_ALLOC:
        return xk_alloc_stmt(p->c, it->var, registers(p, it->size_b), rest);
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

/* With the header at a place in registers. */
static const xk_stmt *send_at(struct pass *p, const struct message *m,
                              const xk_expr *place)
{
    const struct xk_func f = {.kind = XK_FUNC_SENDH, .u.send = *m->send};
    const xk_expr *const args[] = {place, m->reg, m->mask};
    return args[0] ? xk_call(p->c, &f, args, 3) : NULL;
}

static const xk_stmt *send_with(struct pass *p, const struct message *m,
                                const xk_expr *header)
{
    return send_at(p, m, header_ptr(p->c, header));
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
        advance(p->c, m->dt, origin_of(p, m), &start);
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
                                  const xk_expr *fresh)
{
    const unsigned grf = header_info(p, m).size_b / p->env->platform->grf_b;
    const unsigned most =
        grf * MAX_RING > MAX_RING_GRF ? MAX_RING_GRF / grf : MAX_RING;
    struct ring *const r = ring_of(p->loop, m);
    if (r && r->n && r->n >= most) {
        r->next = (r->next + 1) % r->n;
        return r->header[r->next];
    }
    push_alloc(p, fresh, header_info(p, m).size_b);
    if (r) {
        r->next = r->n;
        r->header[r->n++] = fresh;
    }
    return fresh;
}

/* Headers that move. */

/* Bytes per iteration if the offset grows by a constant; the loop counts from a
 * known number on. Whatever the other lanes hold, 32 bits wrap as they should:
 * no range has to be proven. */
static bool moves_evenly(const struct pass *p, const struct message *m,
                         const struct sum *s, int64_t *step_b)
{
    const struct loop *const l = p->loop;
    *step_b = 0;
    if (xk_dtype_b(m->dt) != 4 || !l->first_known || l->n_ifs || !l->step ||
        m->lanes > 16)
        return false;
    for (unsigned i = 0; i < s->n; i++) {
        const struct term *const t = &s->term[i];
        if (!t->varies || !t->coef)
            continue;
        if (t->e != l->var)
            return false;
        *step_b += t->coef * l->step;
    }
    return *step_b >= INT16_MIN && *step_b <= INT32_MAX;
}

/* The buffer for one more header of this step. */
static struct mover *mover_for(struct pass *p, int64_t step_b)
{
    struct loop *const l = p->loop;
    for (struct mover *v = l->movers; v; v = v->next)
        if (v->step_b == step_b && v->n < MAX_TOGETHER)
            return v;
    struct mover *const v = xk_arena_alloc(&p->arena, sizeof(*v));
    if (!v)
        return NULL;
    *v = (struct mover){.next = l->movers, .step_b = step_b};
    v->buf = xk_var(p->c, xk_type_ptr(XK_SPACE_GRF), "h");
    if (!v->buf)
        return NULL;
    l->movers = v;
    return v;
}

/* The address one step before the first iteration. */
static const xk_expr *start_of(struct pass *p, const struct message *m,
                               const struct sum *s, int64_t step_b,
                               unsigned lanes)
{
    struct part inv = part_of(p->c, s, false);
    int64_t constant = s->constant - step_b;
    for (unsigned i = 0; i < s->n; i++)
        if (s->term[i].varies)
            constant += s->term[i].coef * p->loop->first;
    const xk_expr *start = origin_of(p, m);
    const xk_expr *const off =
        xk_imm(p->c, m->dt, (int64_t)(uint32_t)constant);
    if (inv.scalar)
        start = xk_add(p->c, start, xk_cast(p->c, m->dt, inv.scalar));
    start = xk_add(p->c, start, off);
    if (inv.vec)
        start = xk_add(p->c, to_lanes(p->c, start, lanes),
                       xk_cast(p->c, m->dt, to_lanes(p->c, inv.vec, lanes)));
    return to_lanes(p->c, start, lanes);
}

/* The message with a header that moves, or NULL without an error: it cannot. */
static const xk_stmt *move_send(struct pass *p, const struct message *m,
                                const struct sum *s)
{
    int64_t step_b;
    const unsigned lanes = m->lanes > 8 ? 16 : 8;
    if (!moves_evenly(p, m, s, &step_b) || p->loop->n_moving == MAX_MOVING)
        return NULL;
    struct mover *const v = mover_for(p, step_b);
    const xk_expr *const start =
        v ? start_of(p, m, s, step_b, lanes) : NULL;
    if (!start)
        return NULL;
    const unsigned at = v->lanes;
    p->loop->n_moving++;
    v->header[v->n].start = start;
    v->header[v->n++].lane = at;
    v->lanes += lanes;
    return send_at(p, m, xk_ptr(p->c, v->buf, xk_s32(p->c, at * 4)));
}

/* &buf[at_b], `lanes` lanes, += step. */
static const xk_stmt *add_step(struct pass *p, const struct mover *v,
                               unsigned at_b, unsigned lanes)
{
    const xk_expr *const ptr = xk_ptr(p->c, v->buf, xk_s32(p->c, at_b));
    const struct xk_type t = xk_type_vec(XK_DT_U32, lanes);
    const xk_expr *const now = xk_var(p->c, t, "at");
    if (!ptr || !now)
        return NULL;
    const xk_expr *const step = xk_bcast(
        p->c, xk_imm(p->c, XK_DT_U32, (int64_t)(uint32_t)v->step_b), lanes);
    const xk_stmt *const set =
        xk_store(p->c, ptr, xk_add(p->c, now, step));
    return xk_load(p->c, now, ptr, set);
}

/* Fills a buffer before the loop; its advance before `rest`. */
static const xk_stmt *place_mover(struct pass *p, const struct mover *v,
                                  const xk_stmt *rest)
{
    const xk_stmt *st[MAX_TOGETHER + 1];
    unsigned n = 0;
    push_alloc(p, v->buf, v->lanes * 4);
    for (unsigned i = 0; i < v->n; i++)
        push_item(p, XK_OP_STORE,
                  xk_ptr(p->c, v->buf, xk_s32(p->c, v->header[i].lane * 4)),
                  v->header[i].start);
    for (unsigned at = 0; at < v->lanes; at += 16)
        st[n++] = add_step(p, v, at * 4, v->lanes - at < 16 ? 8 : 16);
    st[n++] = rest;
    for (unsigned i = 0; i < n; i++)
        if (!st[i])
            return NULL;
    return xk_seq(p->c, st, n);
}

static const xk_stmt *place_movers(struct pass *p, const xk_stmt *body)
{
    while (body && p->loop && p->loop->movers) {
        const struct mover *const v = p->loop->movers;
        p->loop->movers = v->next;
        body = place_mover(p, v, body);
    }
    return body;
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
            p->c, advance(p->c, m->dt, origin_of(p, m), &inv),
            m->lanes);
        if (!address)
            return NULL;
        push_alloc(p, header, header_info(p, m).size_b);
        push_item(p, XK_OP_STORE, header_ptr(p->c, header), address);
        return send_with(p, m, header);
    }
    const xk_stmt *const moved = s.overflow ? NULL : move_send(p, m, &s);
    if (moved || xk_ctx_status(p->c) < 0)
        return moved;
    if (!s.overflow)
        address = split_address(p, m, &s);
    if (!address)
        address = whole_address(p, m);
    if (!address)
        return NULL;
    return fill_and_send(p, m, take_header(p, m, header), address);
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
                       .step = pipe ? 1 : xk_for_step(s),
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
    kids[last] = place_movers(p, rewrite(p, xk_kid(s, last)));
    p->loop = l.outer;
    if (!kids[last])
        return NULL;
    return place_items(p, l.items, xk_with_kids(p->c, s, kids, last + 1));
}

static const xk_expr *rewrite(void *user, const xk_expr *s)
{
    struct pass *const p = user;
    const unsigned level = p->loop ? p->loop->level : 0;
    const xk_stmt *out, *kid;
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
    case XK_OP_STAGE:
        kid = place_movers(p, rewrite(p, xk_kid(s, 0)));
        return kid ? xk_with_kids(p->c, s, &kid, 1) : NULL;
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
    struct pass p = {.c = c, .k = k, .env = env};
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
