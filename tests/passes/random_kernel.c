/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/passes/random_kernel.h"

#include <stdio.h>
#include <string.h>

enum {
    LANES = 16,
    MAX_VARS = 400,
    MAX_POOL = 64,
    GRF_BUFFER_B = 1024, /* of each register buffer */
    WINDOW_E = 1024,     /* elements that an invariant offset may reach */
};

enum kind { INT, BOOL, RAW, FLOAT }; /* RAW: any 32 bits */

struct known {
    const xk_expr *e;
    enum kind kind;
    unsigned lanes;
    int64_t mag; /* bound of the absolute value */
};

struct gen {
    xk_ctx *c;
    uint64_t rng;
    struct known var[MAX_VARS];
    unsigned n_vars;
    struct known pool[MAX_POOL];  /* earlier expressions */
    unsigned pool_vars[MAX_POOL]; /* n_vars when made */
    unsigned n_pool;
    const xk_expr *global[3];
    const xk_expr *ints, *floats, *acc, *iout; /* register buffers */
    const xk_expr *loop_var;                   /* of the innermost loop */
    int64_t loop_lo;
    unsigned depth;
    unsigned budget;
};

uint64_t xk_random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * 0x2545f4914f6cdd1du >> 11;
}

static unsigned rnd(struct gen *g, unsigned n)
{
    return (unsigned)(xk_random_next(&g->rng) % n);
}

static void push(struct gen *g, const xk_expr *e, enum kind kind, int64_t mag)
{
    if (e && g->n_vars < MAX_VARS)
        g->var[g->n_vars++] = (struct known){e, kind, xk_type_of(e).lanes, mag};
}

/* Back to n variables: expressions made since are out of scope. */
static void pop(struct gen *g, unsigned n)
{
    g->n_vars = n;
    while (g->n_pool && g->pool_vars[g->n_pool - 1] > n)
        g->n_pool--;
}

static void remember(struct gen *g, const xk_expr *e, enum kind kind,
                     int64_t mag)
{
    if (!e || g->n_pool == MAX_POOL)
        return;
    g->pool_vars[g->n_pool] = g->n_vars;
    g->pool[g->n_pool++] = (struct known){e, kind, xk_type_of(e).lanes, mag};
}

static const xk_expr *fill(struct gen *g, const xk_expr *e, unsigned lanes)
{
    return e && xk_type_of(e).lanes < lanes ? xk_bcast(g->c, e, lanes) : e;
}

static const xk_expr *s32(struct gen *g, int64_t v, unsigned lanes)
{
    return fill(g, xk_s32(g->c, v), lanes);
}

static const xk_expr *pick(struct gen *g, const struct known *list, unsigned n,
                           enum kind kind, unsigned lanes, int64_t mag)
{
    for (unsigned tries = 0; n && tries < 6; tries++) {
        const struct known *const k = &list[rnd(g, n)];
        if (k->kind == kind && k->mag <= mag &&
            (k->lanes == 1 || k->lanes == lanes))
            return fill(g, k->e, lanes);
    }
    return NULL;
}

static const xk_expr *gen_int(struct gen *g, unsigned lanes, int64_t mag,
                              unsigned depth);

static const xk_expr *leaf(struct gen *g, unsigned lanes, int64_t mag)
{
    const xk_expr *e = pick(g, g->var, g->n_vars, INT, lanes, mag);
    const int64_t most = mag < 40 ? mag : 40;
    return e ? e
             : s32(g, (int64_t)rnd(g, (unsigned)(2 * most + 1)) - most, lanes);
}

static const xk_expr *gen_bool(struct gen *g, unsigned lanes, unsigned depth)
{
    static const enum xk_op ops[] = {XK_OP_EQ, XK_OP_NE, XK_OP_LT,
                                     XK_OP_LE, XK_OP_GT, XK_OP_GE};
    xk_ctx *const c = g->c;
    const xk_expr *e =
        rnd(g, 4) ? NULL : pick(g, g->var, g->n_vars, BOOL, lanes, 1);
    if (e)
        return e;
    if (depth && rnd(g, 3) == 0) {
        const xk_expr *const a = gen_bool(g, lanes, depth - 1);
        switch (rnd(g, 3)) {
        case 0:
            return xk_un(c, XK_OP_NOT, a);
        case 1:
            return xk_or(c, a, gen_bool(g, lanes, depth - 1));
        default:
            return xk_and(c, a, gen_bool(g, lanes, depth - 1));
        }
    }
    const xk_expr *const a = gen_int(g, lanes, 4000, depth ? depth - 1 : 0);
    return xk_bin(c, ops[rnd(g, 6)], a, leaf(g, lanes, 1000));
}

/* Operators that make lanes; lanes > 1. */
static const xk_expr *gen_vector(struct gen *g, unsigned lanes, int64_t mag,
                                 unsigned depth)
{
    uint16_t index[LANES];
    switch (rnd(g, 3)) {
    case 0:
        return xk_ramp(g->c, gen_int(g, 1, mag / 2, depth),
                       xk_s32(g->c, rnd(g, (unsigned)(mag / 2 / lanes))),
                       lanes);
    case 1:
        for (unsigned i = 0; i < lanes; i++)
            index[i] = (uint16_t)rnd(g, lanes);
        return xk_shuffle(g->c, gen_int(g, lanes, mag, depth), index, lanes);
    default:
        return xk_bcast(g->c, gen_int(g, 1, mag, depth), lanes);
    }
}

static const xk_expr *gen_op(struct gen *g, unsigned lanes, int64_t mag,
                             unsigned depth)
{
    xk_ctx *const c = g->c;
    const xk_expr *e;
    const unsigned k = 1 + rnd(g, 12);
    switch (rnd(g, 12)) {
    case 0:
    case 1:
    case 2:
        e = gen_int(g, lanes, mag / 2, depth);
        return xk_add(c, e, gen_int(g, lanes, mag / 2, depth));
    case 3:
        e = gen_int(g, lanes, mag / 2, depth);
        return xk_sub(c, e, gen_int(g, lanes, mag / 2, depth));
    case 4:
    case 5:
        return xk_bin_imm(c, XK_OP_MUL, gen_int(g, lanes, mag / k, depth), k);
    case 6:
        return xk_bin_imm(c, XK_OP_DIV, gen_int(g, lanes, mag, depth), k);
    case 7:
        e = pick(g, g->var, g->n_vars, RAW, lanes, INT64_MAX);
        return xk_bin_imm(c, XK_OP_MOD,
                          e ? e : gen_int(g, lanes, 1 << 20, depth), k);
    case 8:
        e = gen_int(g, lanes, mag, depth);
        return xk_bin(c, rnd(g, 2) ? XK_OP_MIN : XK_OP_MAX, e,
                      gen_int(g, lanes, mag, depth));
    case 9:
        e = gen_bool(g, lanes, 1);
        return xk_select(c, e, gen_int(g, lanes, mag, depth),
                         leaf(g, lanes, mag));
    case 10:
        return xk_un(c, XK_OP_NEG, gen_int(g, lanes, mag, depth));
    default:
        return lanes > 1 && mag > 200 ? gen_vector(g, lanes, mag, depth)
                                      : leaf(g, lanes, mag);
    }
}

/* s32 with |value| <= mag in all lanes; mag >= 16. */
static const xk_expr *gen_int(struct gen *g, unsigned lanes, int64_t mag,
                              unsigned depth)
{
    const xk_expr *e = NULL;
    if (rnd(g, 4) == 0)
        e = pick(g, g->pool, g->n_pool, INT, lanes, mag);
    if (e)
        return e;
    if (depth == 0 || mag < 64 || rnd(g, 6) == 0)
        return leaf(g, lanes, mag);
    e = gen_op(g, lanes, mag, depth - 1);
    remember(g, e, INT, mag);
    return e;
}

static const xk_expr *grf(struct gen *g, const xk_expr *buf, unsigned size_b)
{
    const unsigned slots = (GRF_BUFFER_B - size_b) / 64 + 1;
    return xk_ptr(g->c, buf, xk_s32(g->c, 64 * (int64_t)rnd(g, slots)));
}

/* A message's offset in elements: inv + loop variable * k + at. */
struct offset {
    const xk_expr *inv, *move; /* move: NULL outside of loops */
    int64_t k, at;
    unsigned lanes;
};

static struct offset gen_offset(struct gen *g, unsigned lanes)
{
    struct offset o = {.lanes = lanes, .at = rnd(g, 64)};
    o.inv = gen_int(g, lanes, 2 * WINDOW_E, 3);
    if (g->loop_var && rnd(g, 4)) {
        o.k = (int64_t)rnd(g, 80) - 16;
        o.move =
            fill(g, xk_bin_imm(g->c, XK_OP_MUL, g->loop_var, 4 * o.k), lanes);
    }
    return o;
}

/* In bytes, in some association. */
static const xk_expr *bytes(struct gen *g, const struct offset *o)
{
    xk_ctx *const c = g->c;
    const xk_expr *const base = xk_bin_imm(c, XK_OP_MUL, o->inv, 4);
    const xk_expr *const at = s32(g, 4 * o->at, o->lanes);
    if (!o->move)
        return xk_add(c, base, at);
    switch (rnd(g, 3)) {
    case 0:
        return xk_add(c, xk_add(c, base, o->move), at);
    case 1:
        return xk_add(c, o->move, xk_add(c, base, at));
    default:
        return xk_add(c, base, xk_add(c, o->move, at));
    }
}

static const xk_expr *between(struct gen *g, const xk_expr *e, int64_t lo,
                              int64_t hi)
{
    return xk_and(g->c, xk_bin_imm(g->c, XK_OP_GE, e, lo),
                  xk_bin_imm(g->c, XK_OP_LT, e, hi));
}

/* Keeps the offset inside the buffer: a condition on its invariant part that
 * is enough in every iteration, or one on the whole. */
static const xk_expr *guard(struct gen *g, const struct offset *o)
{
    if (o->k >= 0 && rnd(g, 2))
        return between(g, o->inv, -(g->loop_lo * o->k + o->at), WINDOW_E);
    const xk_expr *whole = xk_bin_imm(g->c, XK_OP_ADD, o->inv, o->at);
    if (o->move)
        whole = xk_add(g->c, whole, xk_bin_imm(g->c, XK_OP_DIV, o->move, 4));
    return between(g, whole, 0, WINDOW_E);
}

static const xk_stmt *message(struct gen *g, const struct xk_send *m,
                              const struct offset *o, const xk_expr *mask,
                              bool ints)
{
    xk_ctx *const c = g->c;
    const bool store = m->op == XK_SEND_STORE;
    const xk_expr *const mem = store ? g->global[2] : g->global[!ints];
    const xk_expr *const reg =
        store ? (ints ? g->iout : g->acc) : (ints ? g->ints : g->floats);
    const struct xk_func f = {.kind = XK_FUNC_SEND, .u.send = *m};
    const xk_expr *const args[] = {
        xk_ptr(c, mem, xk_s32(c, rnd(g, 8) ? 0 : 64)), bytes(g, o),
        grf(g, reg, 4u * m->vec * m->lanes), mask};
    for (unsigned i = 0; i < 4; i++) {
        if (!args[i])
            return NULL;
    }
    return xk_call(c, &f, args, 4);
}

/* Which of the three pointers `message` takes. */
static uint8_t pointer_of(enum xk_send_op op, bool ints)
{
    return op == XK_SEND_STORE || op == XK_SEND_ATOMIC_ADD ? 2 : !ints;
}

static const xk_stmt *gen_send(struct gen *g, enum xk_send_op op)
{
    xk_ctx *const c = g->c;
    const bool block = rnd(g, 3) == 0, ints = rnd(g, 2);
    const unsigned lanes = block ? 1 : LANES;
    const bool surface = rnd(g, 2);
    const struct xk_send m = {.op = (uint8_t)op,
                              .space = XK_SPACE_GLOBAL,
                              .addr = surface ? XK_SEND_SURFACE : XK_SEND_A64,
                              .surface = surface ? pointer_of(op, ints) : 0,
                              .data_b = 4,
                              .vec = (uint8_t)(block ? 16 : 1u << rnd(g, 3)),
                              .lanes = (uint8_t)lanes,
                              .block = block,
                              .zero = op == XK_SEND_LOAD && surface && !block &&
                                      rnd(g, 2)};
    const struct offset o = gen_offset(g, lanes);
    const xk_expr *mask = guard(g, &o);
    if (block && rnd(g, 2))
        return xk_if(c, mask,
                     message(g, &m, &o, xk_imm(c, XK_DT_BOOL, 1), ints), NULL);
    if (rnd(g, 4) == 0)
        mask = xk_and(c, mask, gen_bool(g, lanes, 1));
    return message(g, &m, &o, mask, ints);
}

/* Several messages that differ by a constant, as loads of a tile do, with one
 * mask or one each. */
static const xk_stmt *gen_tile(struct gen *g)
{
    const struct xk_send m = {.op = XK_SEND_LOAD,
                              .space = XK_SPACE_GLOBAL,
                              .addr = rnd(g, 2) ? XK_SEND_SURFACE : XK_SEND_A64,
                              .data_b = 4,
                              .vec = 1,
                              .lanes = LANES};
    struct offset o = gen_offset(g, LANES);
    const int64_t far = rnd(g, 2) ? 1 : 200;
    const bool own = rnd(g, 2);
    const xk_expr *mask = guard(g, &o);
    const xk_stmt *s[4];
    for (unsigned i = 0; i < 4; i++) {
        s[i] = message(g, &m, &o, mask, true);
        o.at += far;
        if (own)
            mask = guard(g, &o);
    }
    return xk_seq(g->c, s, 4);
}

static const xk_stmt *gen_mad(struct gen *g)
{
    static const struct xk_func f = {
        .kind = XK_FUNC_MAD,
        .u.mad = {XK_DT_F32, XK_DT_F32, XK_DT_F32, XK_DT_F32, LANES, 1, 1, 0}};
    const xk_expr *const acc = grf(g, g->acc, 64);
    const xk_expr *const args[] = {acc, acc, grf(g, g->floats, 64),
                                   grf(g, g->floats, 64)};
    return acc && args[2] && args[3] ? xk_call(g->c, &f, args, 4) : NULL;
}

/* load x, y, z; acc = z + x * y, in some order, or a maximum. */
static const xk_stmt *gen_float(struct gen *g)
{
    xk_ctx *const c = g->c;
    const struct xk_type t = xk_type_vec(XK_DT_F32, LANES);
    const xk_expr *const x = xk_var(c, t, "x"), *const y = xk_var(c, t, "y"),
                         *const z = xk_var(c, t, "z");
    const xk_expr *const to = grf(g, g->acc, 64);
    const xk_expr *const p = xk_mul(c, x, y);
    const xk_expr *v = rnd(g, 2) ? xk_add(c, z, p) : xk_add(c, p, z);
    if (rnd(g, 3) == 0)
        v = xk_max(c, v, fill(g, xk_fimm(c, XK_DT_F32, 0), LANES));
    return xk_load(
        c, x, grf(g, g->floats, 64),
        xk_load(c, y, grf(g, g->floats, 64),
                xk_load(c, z, grf(g, g->acc, 64), xk_store(c, to, v))));
}

static const xk_stmt *gen_store(struct gen *g)
{
    return xk_store(g->c, grf(g, g->iout, 64), gen_int(g, LANES, 1 << 20, 4));
}

static const xk_stmt *gen_block(struct gen *g, unsigned n);

static const xk_stmt *gen_let(struct gen *g, unsigned rest)
{
    const bool is_bool = rnd(g, 4) == 0;
    const unsigned lanes = rnd(g, 2) ? LANES : 1, mark = g->n_vars;
    const int64_t mag = 1 << (6 + rnd(g, 8));
    const xk_expr *const v =
        is_bool ? gen_bool(g, lanes, 2) : gen_int(g, lanes, mag, 1 + rnd(g, 4));
    if (!v)
        return NULL;
    const xk_expr *const var = xk_var(g->c, xk_type_of(v), is_bool ? "p" : "t");
    push(g, var, is_bool ? BOOL : INT, is_bool ? 1 : mag);
    const xk_stmt *const body = gen_block(g, rest);
    pop(g, mark);
    return xk_let(g->c, var, v, body);
}

static const xk_stmt *gen_load(struct gen *g, unsigned rest)
{
    const unsigned mark = g->n_vars;
    const xk_expr *const var =
        xk_var(g->c, xk_type_vec(XK_DT_S32, LANES), "raw");
    push(g, var, RAW, INT64_MAX);
    const xk_stmt *const body = gen_block(g, rest);
    pop(g, mark);
    return xk_load(g->c, var, grf(g, g->ints, 64), body);
}

static const xk_expr *enter_loop(struct gen *g, int64_t lo, int64_t last)
{
    const xk_expr *const var = xk_var(g->c, xk_type_vec(XK_DT_S32, 1), "i");
    push(g, var, INT, last);
    g->loop_var = var;
    g->loop_lo = lo;
    g->depth++;
    return var;
}

static const xk_stmt *gen_for(struct gen *g)
{
    xk_ctx *const c = g->c;
    const unsigned mark = g->n_vars, lo = rnd(g, 3), step = 1 + rnd(g, 2);
    const unsigned trips = 1 + rnd(g, 4);
    const xk_expr *const outer = g->loop_var;
    const int64_t outer_lo = g->loop_lo;
    const xk_expr *const var = enter_loop(g, lo, lo + trips * step);
    const xk_stmt *const body = gen_block(g, 2 + rnd(g, 5));
    g->depth--;
    g->loop_var = outer;
    g->loop_lo = outer_lo;
    pop(g, mark);
    return xk_for(c, var, xk_s32(c, lo), xk_s32(c, lo + trips * step),
                  (int32_t)step, body);
}

static const xk_stmt *gen_pipe(struct gen *g)
{
    xk_ctx *const c = g->c;
    const unsigned mark = g->n_vars, trips = 1 + rnd(g, 5);
    const xk_expr *const outer = g->loop_var;
    const int64_t outer_lo = g->loop_lo;
    const xk_expr *const var = enter_loop(g, 0, trips);
    const struct xk_pipe_info info = {2, 3};
    const xk_stmt *st[3];
    for (unsigned i = 0; i < 3; i++) {
        const unsigned inner = g->n_vars;
        st[i] = xk_stage(c, i, gen_block(g, 1 + rnd(g, 4)));
        pop(g, inner);
    }
    g->depth--;
    g->loop_var = outer;
    g->loop_lo = outer_lo;
    pop(g, mark);
    return xk_pipe(c, var, xk_s32(c, trips), info, xk_seq(c, st, 3));
}

static const xk_stmt *gen_if(struct gen *g)
{
    const unsigned mark = g->n_vars;
    const xk_expr *const cond = gen_bool(g, 1, 1);
    const xk_stmt *const yes = gen_block(g, 1 + rnd(g, 3));
    pop(g, mark);
    const xk_stmt *const no = rnd(g, 2) ? gen_block(g, 1 + rnd(g, 3)) : NULL;
    pop(g, mark);
    return cond ? xk_if(g->c, cond, yes, no) : NULL;
}

static const xk_stmt *gen_simple(struct gen *g)
{
    switch (rnd(g, g->depth < 3 ? 9 : 6)) {
    case 0:
        return gen_store(g);
    case 1:
        return gen_send(g, XK_SEND_LOAD);
    case 2:
        return gen_send(g, XK_SEND_STORE);
    case 3:
        return gen_tile(g);
    case 4:
        return gen_mad(g);
    case 5:
        return gen_float(g);
    case 6:
        return gen_for(g);
    case 7:
        return gen_pipe(g);
    default:
        return gen_if(g);
    }
}

/* About n statements. */
static const xk_stmt *gen_block(struct gen *g, unsigned n)
{
    const xk_stmt *two[2];
    if (n == 0 || g->budget == 0)
        return xk_seq(g->c, NULL, 0);
    g->budget--;
    switch (rnd(g, 6)) {
    case 0:
    case 1:
        return gen_let(g, n - 1);
    case 2:
        return gen_load(g, n - 1);
    default:
        two[0] = gen_simple(g);
        two[1] = gen_block(g, n - 1);
        return xk_seq(g->c, two, 2);
    }
}

/* Zeroes a register buffer, or stores it to dst at a fixed place. */
static const xk_stmt *whole_buffer(struct gen *g, const xk_expr *buf,
                                   int64_t dst_b)
{
    xk_ctx *const c = g->c;
    const xk_stmt *s[GRF_BUFFER_B / 64];
    const struct xk_func f = {.kind = XK_FUNC_SEND,
                              .u.send = {.op = XK_SEND_STORE,
                                         .space = XK_SPACE_GLOBAL,
                                         .addr = XK_SEND_A64,
                                         .data_b = 4,
                                         .vec = 16,
                                         .lanes = 1,
                                         .block = true}};
    for (unsigned i = 0; i < GRF_BUFFER_B / 64; i++) {
        const xk_expr *const reg = xk_ptr(c, buf, xk_s32(c, 64 * (int64_t)i));
        const xk_expr *const args[] = {xk_ptr(c, g->global[2], xk_s32(c, 0)),
                                       xk_s32(c, dst_b + 64 * (int64_t)i), reg,
                                       xk_imm(c, XK_DT_BOOL, 1)};
        s[i] = dst_b < 0 ? xk_store(c, reg, s32(g, 0, LANES))
                         : xk_call(c, &f, args, 4);
    }
    return xk_seq(c, s, GRF_BUFFER_B / 64);
}

static const xk_stmt *with_buffers(struct gen *g, const xk_stmt *body)
{
    const xk_expr *const bufs[] = {g->ints, g->floats, g->acc, g->iout};
    const struct xk_alloc_info info = {GRF_BUFFER_B, 32, 0};
    const xk_stmt *all[4 + 3];
    for (unsigned i = 0; i < 4; i++)
        all[i] = whole_buffer(g, bufs[i], -1);
    all[4] = body;
    all[5] = whole_buffer(g, g->acc, XK_RANDOM_BUFFER_B - 2 * GRF_BUFFER_B);
    all[6] = whole_buffer(g, g->iout, XK_RANDOM_BUFFER_B - GRF_BUFFER_B);
    body = xk_seq(g->c, all, 7);
    for (unsigned i = 0; i < 4; i++)
        body = xk_alloc_stmt(g->c, bufs[i], info, body);
    return body;
}

static void params(struct gen *g, struct xk_kernel *k)
{
    static const struct {
        const char *name;
        enum xk_param_kind kind;
        int64_t extent;
    } rows[] = {{"isrc", XK_PARAM_GLOBAL, 0}, {"isrc_at", XK_PARAM_SURFACE, 0},
                {"fsrc", XK_PARAM_GLOBAL, 0}, {"fsrc_at", XK_PARAM_SURFACE, 0},
                {"dst", XK_PARAM_GLOBAL, 0},  {"dst_at", XK_PARAM_SURFACE, 0},
                {"n", XK_PARAM_VALUE, 100},   {"gx", XK_PARAM_GROUP_X, 8},
                {"gy", XK_PARAM_GROUP_Y, 8},  {"tid", XK_PARAM_THREAD, 4}};
    unsigned n_ptrs = 0;
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        const bool ptr = rows[i].kind == XK_PARAM_GLOBAL;
        const bool at = rows[i].kind == XK_PARAM_SURFACE;
        const xk_expr *const v =
            xk_var(g->c,
                   ptr ? xk_type_ptr(XK_SPACE_GLOBAL)
                       : xk_type_vec(at ? XK_DT_U32 : XK_DT_S32, 1),
                   rows[i].name);
        k->params[i].kind = (uint8_t)rows[i].kind;
        k->params[i].var = v;
        k->extent[i] = rows[i].extent;
        if (ptr)
            g->global[n_ptrs++] = v;
        else if (!at)
            push(g, v, INT, rows[i].extent);
    }
    k->n_params = XK_COUNTOF(rows);
}

void xk_random_kernel(xk_ctx *c, uint64_t seed, unsigned size,
                      struct xk_kernel *k)
{
    struct gen g = {.c = c, .rng = seed * 2 + 1, .budget = 4 * size};
    const struct xk_type grf_type = xk_type_ptr(XK_SPACE_GRF);
    memset(k, 0, sizeof(*k));
    snprintf(k->name, sizeof(k->name), "random_%llu", (unsigned long long)seed);
    k->simd = LANES;
    for (unsigned i = 0; i < 8; i++)
        xk_random_next(&g.rng);
    params(&g, k);
    g.ints = xk_var(c, grf_type, "ints");
    g.floats = xk_var(c, grf_type, "floats");
    g.acc = xk_var(c, grf_type, "acc");
    g.iout = xk_var(c, grf_type, "iout");
    k->body = with_buffers(&g, gen_block(&g, size));
}
