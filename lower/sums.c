/* SPDX-License-Identifier: Apache-2.0 */
/* A thread has 16 elements of C, and goes over all of K. Its loads are AHEAD
 * steps in front of the products. Where four elements of A that follow each
 * other along the innermost K are a dword and have the same factor, a step is
 * four of them: dp4a with ones adds them up. Or a thread has one element of C
 * (along_k), and its lanes 16 such dwords in each step, which are added up at
 * the end. */
#include "lower/sums.h"

#include <inttypes.h>

#include "views/access.h"
#include "views/access_expr.h"

enum { AHEAD = 6, SLOTS = AHEAD + 1, SLOT_B = XK_FLAT_VECTOR_B };
enum { ALONG = 4 * XK_FLAT_SIMD }; /* places of K in a step of such lanes */

/* A tensor, or a value, while the nest is written. */
struct operand {
    const struct xk_access *a; /* NULL: there is none */
    const xk_expr *mem;        /* its pointer, or its value */
    const xk_expr *reg;        /* slots of registers */
    const xk_expr *wide;       /* a vector of dwords made of them */
};

struct nest {
    struct xk_flat f;
    const struct xk_contraction *p;
    struct operand a, b, less;
    const xk_expr *dst, *acc;
    bool along_k;                    /* lanes are places of K */
    const xk_expr *lane;             /* s32 x 16 */
    const xk_expr *ones;             /* dwords: NULL: element by element */
    const xk_expr *in;               /* bool x 16: there is such an element */
    const xk_expr *at[XK_MAX_INDEX]; /* s32, or s32 x 16 */
    int inner;                       /* the innermost K index; -1: none */
    bool b_in_k;                     /* B differs along K */
    int64_t terms;                   /* of a sum */
};

static bool is_input_type(enum xk_dtype t)
{
    return t == XK_DT_S32 || t == XK_DT_S8 || t == XK_DT_U8;
}

static bool has_b(const struct xk_contraction *p)
{
    return p->b.name[0] != 0;
}

static enum xk_status check_sums(xk_ctx *c, const struct xk_sums *s)
{
    const struct xk_contraction *const p = s->con;
    const struct xk_access *const in[] = {&p->a, has_b(p) ? &p->b : NULL,
                                          s->less};
    for (unsigned i = 0; i < 3; i++) {
        if (!in[i])
            continue;
        if (!is_input_type(in[i]->layout.dt))
            return xk_fail(c, XK_EINVAL,
                           "sums: %s is %s, which is no integer of theirs",
                           in[i]->name, xk_dtype_name(in[i]->layout.dt));
        if (xk_layout_size_b(&in[i]->layout) > XK_FLAT_MAX_B)
            return xk_fail(c, XK_EUNSUPPORTED,
                           "sums: %s has more than %" PRId64 " bytes",
                           in[i]->name, XK_FLAT_MAX_B);
    }
    if (p->c.layout.dt != XK_DT_S32 || p->n_epi || p->n_class_dims)
        return xk_fail(c, XK_EINVAL,
                       "sums: %s is %s, with %u operations and %u class dims",
                       p->c.name, xk_dtype_name(p->c.layout.dt), p->n_epi,
                       p->n_class_dims);
    if (xk_layout_size_b(&p->c.layout) > XK_FLAT_MAX_B)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "sums: %s has more than %" PRId64 " bytes", p->c.name,
                       XK_FLAT_MAX_B);
    return XK_OK;
}

static const xk_expr *sums_at(struct nest *n, const xk_expr *buf,
                              const xk_expr *slot_b)
{
    return xk_ptr(n->f.c, buf, slot_b ? slot_b : xk_s32(n->f.c, 0));
}

static void repeat_dword(struct nest *n, const xk_expr *buf, unsigned size_b,
                         int64_t dword)
{
    xk_ctx *const c = n->f.c;
    const xk_expr *const v =
        xk_bcast(c, xk_imm(c, XK_DT_U32, dword), XK_FLAT_SIMD);
    for (unsigned at_b = 0; at_b < size_b; at_b += XK_FLAT_VECTOR_B)
        xk_block_add(&n->f.w, xk_store(c, sums_at(n, buf, xk_s32(c, at_b)), v));
}

static const xk_expr *vector(struct nest *n, const xk_expr *e)
{
    return e && xk_type_of(e).lanes == 1 ? xk_bcast(n->f.c, e, XK_FLAT_SIMD)
                                         : e;
}

/* The lanes' elements of C, and their places of its indices. */
static void place_lanes(struct nest *n)
{
    xk_ctx *const c = n->f.c;
    const struct xk_layout *const l = &n->p->c.layout;
    const xk_expr *const e = xk_block_let(
        &n->f.w, "e", n->along_k ? n->f.thread : xk_flat_elements(&n->f, 0));
    const int64_t all = n->along_k ? n->f.n / XK_FLAT_SIMD : n->f.n;
    int64_t div = 1;
    n->in = xk_flat_mask(&n->f, 0);
    n->lane = xk_ramp(c, xk_s32(c, 0), xk_s32(c, 1), XK_FLAT_SIMD);
    for (unsigned i = 0; i < n->p->n_index; i++)
        n->at[i] = xk_s32(c, 0);
    for (unsigned d = l->n_dims; d-- > 0; div *= l->dim[d]) {
        const xk_expr *x = e;
        if (l->dim[d] == 1)
            continue;
        if (div > 1)
            x = xk_bin_imm(c, XK_OP_DIV, x, div);
        if (div * l->dim[d] < all)
            x = xk_bin_imm(c, XK_OP_MOD, x, l->dim[d]);
        for (unsigned i = 0; i < n->p->n_index; i++)
            if (n->p->c.at[d].coef[i])
                n->at[i] = xk_block_let(&n->f.w, n->p->index[i].name, x);
    }
}

/* A message for an operand's elements at the places of now. */
static void load_sum_operand(struct nest *n, struct xk_block_writer *w,
                             const struct operand *o, const xk_expr *slot_b,
                             unsigned size_b)
{
    const unsigned n_index = n->p->n_index;
    const xk_expr *const in =
        xk_access_mask(n->f.c, o->a, n_index, n->at, n->f.facts);
    const struct xk_flat_message m = {
        .op = XK_SEND_LOAD,
        .data_b = (uint8_t)size_b,
        .mem = o->mem,
        .off = vector(
            n, xk_access_offset_b(n->f.c, o->a, n_index, n->at, n->f.facts)),
        .reg = sums_at(n, o->reg, slot_b),
        .mask = xk_and(n->f.c, vector(n, in), n->in)};
    xk_flat_send(&n->f, w, &m);
}

/* What a message brought, as u32 that are congruent to the elements. Above a
 * byte that it loads a message leaves anything. */
static const xk_expr *loaded_operand(struct nest *n, struct xk_block_writer *w,
                                     const struct operand *o,
                                     const xk_expr *slot_b)
{
    const struct xk_type type = xk_type_vec(XK_DT_U32, XK_FLAT_SIMD);
    const enum xk_dtype dt = o->a->layout.dt;
    const xk_expr *at = sums_at(n, o->reg, slot_b);
    if (dt != XK_DT_S32) {
        const struct xk_func f = {.kind = XK_FUNC_REORDER,
                                  .u.reorder = {.dst = XK_DT_S32,
                                                .src = (uint8_t)dt,
                                                .n_dims = 1,
                                                .extent = {XK_FLAT_SIMD},
                                                .dst_stride = {1},
                                                .src_stride = {4}}};
        const xk_expr *const args[] = {sums_at(n, o->wide, NULL), at};
        xk_block_call(w, &f, args, 2);
        at = args[0];
    }
    return xk_block_load(w, o->a->name, type, at);
}

/* An operand that is the same for all of K. */
static const xk_expr *constant(struct nest *n, const struct operand *o)
{
    xk_ctx *const c = n->f.c;
    if (o->a->by_value)
        return xk_bcast(c, xk_bits(c, XK_DT_U32, o->mem), XK_FLAT_SIMD);
    load_sum_operand(n, &n->f.w, o, NULL, xk_dtype_b(o->a->layout.dt));
    return loaded_operand(n, &n->f.w, o, NULL);
}

static const xk_expr *step_slot(struct nest *n, const xk_expr *i)
{
    xk_ctx *const c = n->f.c;
    return xk_bin_imm(c, XK_OP_MUL, xk_bin_imm(c, XK_OP_MOD, i, SLOTS), SLOT_B);
}

static void set_inner(struct nest *n, const xk_expr *i)
{
    xk_ctx *const c = n->f.c;
    if (n->along_k)
        n->at[n->inner] = xk_ramp(c, xk_bin_imm(c, XK_OP_MUL, i, ALONG),
                                  xk_s32(c, 4), XK_FLAT_SIMD);
    else if (n->inner >= 0)
        n->at[n->inner] = n->ones ? xk_bin_imm(c, XK_OP_MUL, i, 4) : i;
}

static const xk_stmt *load_step(struct nest *n, const xk_expr *i)
{
    const unsigned a_b = n->ones ? 4 : xk_dtype_b(n->a.a->layout.dt);
    struct xk_block_writer w;
    xk_block_init(&w, n->f.c, n->f.facts);
    set_inner(n, i);
    load_sum_operand(n, &w, &n->a, step_slot(n, i), a_b);
    if (n->b_in_k)
        load_sum_operand(n, &w, &n->b, step_slot(n, i),
                         xk_dtype_b(n->b.a->layout.dt));
    return xk_block_end(&w);
}

/* acc += the sum of the bytes of a dword. */
static void add_dword(struct nest *n, struct xk_block_writer *w,
                      const xk_expr *slot_b)
{
    const bool sign = n->a.a->layout.dt == XK_DT_S8;
    const struct xk_func f = {.kind = XK_FUNC_DP4A,
                              .u.mad = {.dst = XK_DT_S32,
                                        .src0 = XK_DT_S32,
                                        .src1 = sign ? XK_DT_S32 : XK_DT_U32,
                                        .src2 = sign ? XK_DT_S32 : XK_DT_U32,
                                        .lanes = XK_FLAT_SIMD,
                                        .stride0 = 1,
                                        .stride1 = 1,
                                        .stride2 = 1}};
    const xk_expr *const args[] = {
        sums_at(n, n->acc, NULL), sums_at(n, n->acc, NULL),
        sums_at(n, n->a.reg, slot_b), sums_at(n, n->ones, NULL)};
    xk_block_call(w, &f, args, 4);
}

static void add_element(struct nest *n, struct xk_block_writer *w,
                        const xk_expr *slot_b, const xk_expr *less)
{
    xk_ctx *const c = n->f.c;
    const struct xk_type type = xk_type_vec(XK_DT_U32, XK_FLAT_SIMD);
    const xk_expr *const mask =
        xk_access_mask(c, n->a.a, n->p->n_index, n->at, n->f.facts);
    const xk_expr *x = loaded_operand(n, w, &n->a, slot_b);
    int64_t always = 0;
    if (less && n->b_in_k)
        x = xk_sub(c, x, less);
    if (n->b_in_k)
        x = xk_mul(c, x, loaded_operand(n, w, &n->b, slot_b));
    xk_is_const(mask, &always);
    if (!always)
        x = xk_select(c, vector(n, mask), x,
                      xk_bcast(c, xk_imm(c, XK_DT_U32, 0), XK_FLAT_SIMD));
    const xk_expr *const at = sums_at(n, n->acc, NULL);
    const xk_expr *const sum = xk_block_load(w, "sum", type, at);
    xk_block_add(w, xk_store(c, at, xk_add(c, sum, x)));
}

static const xk_stmt *add_term_step(struct nest *n, const xk_expr *i,
                                    const xk_expr *less)
{
    struct xk_block_writer w;
    xk_block_init(&w, n->f.c, n->f.facts);
    set_inner(n, i);
    if (n->ones)
        add_dword(n, &w, step_slot(n, i));
    else
        add_element(n, &w, step_slot(n, i), less);
    return xk_block_end(&w);
}

static const xk_expr *counter(struct nest *n, const char *name, int64_t extent)
{
    const xk_expr *const v = xk_var(n->f.c, xk_type_vec(XK_DT_S32, 1), name);
    if (v)
        xk_facts_set(n->f.facts, v, 0, extent - 1, 1, 0);
    return v;
}

static void add_terms(struct nest *n, const xk_expr *less)
{
    xk_ctx *const c = n->f.c;
    const struct xk_pipe_info info = {.slots = SLOTS, .stages = AHEAD + 1};
    unsigned loops = 0;
    for (unsigned k = 0; k < n->p->n_index; k++) {
        const struct xk_index *const x = &n->p->index[k];
        if (x->role != XK_ROLE_K || (int)k == n->inner || x->extent == 1)
            continue;
        n->at[k] = counter(n, x->name, x->extent);
        if (n->at[k])
            xk_block_for(&n->f.w, n->at[k], x->extent);
        loops += n->at[k] != NULL;
    }
    const int64_t extent = n->inner < 0 ? 1 : n->p->index[n->inner].extent;
    const int64_t trip = n->along_k ? extent / ALONG
                         : n->ones  ? extent / 4
                                    : extent;
    const xk_expr *const i = counter(n, "i", trip);
    const xk_stmt *const stage[] = {
        xk_stage(c, 0, load_step(n, i)),
        xk_stage(c, AHEAD, add_term_step(n, i, less))};
    xk_block_add(&n->f.w,
                 xk_pipe(c, i, xk_s32(c, trip), info, xk_seq(c, stage, 2)));
    while (loops--)
        xk_block_end_for(&n->f.w);
}

/* Bytes to the lanes' elements of C: they follow each other where it has no
 * gaps. */
static const xk_expr *c_offset_b(struct nest *n)
{
    const struct xk_access *const a = &n->p->c;
    if (!n->along_k && xk_layout_size_b(&a->layout) == 4 * n->f.n)
        return xk_bin_imm(n->f.c, XK_OP_MUL, xk_flat_elements(&n->f, 0), 4);
    return vector(
        n, xk_access_offset_b(n->f.c, a, n->p->n_index, n->at, n->f.facts));
}

/* The lanes' sums become that of the first lane, by halves. */
static void add_lanes(struct nest *n)
{
    xk_ctx *const c = n->f.c;
    for (unsigned half = XK_FLAT_SIMD / 2; half; half /= 2) {
        const struct xk_type type = xk_type_vec(XK_DT_U32, half);
        const xk_expr *const at = sums_at(n, n->acc, NULL);
        const xk_expr *const low = xk_block_load(&n->f.w, "low", type, at);
        const xk_expr *const high = xk_block_load(
            &n->f.w, "high", type, sums_at(n, n->acc, xk_s32(c, 4 * half)));
        xk_block_add(&n->f.w, xk_store(c, at, xk_add(c, low, high)));
    }
}

/* What is the same for all terms comes at the end. */
static void store_sums(struct nest *n, const xk_expr *less,
                       const xk_expr *factor)
{
    xk_ctx *const c = n->f.c;
    const xk_expr *const at = sums_at(n, n->acc, NULL);
    const xk_expr *in = n->in;
    if (n->along_k) {
        add_lanes(n);
        in = xk_and(c, in, xk_bin_imm(c, XK_OP_EQ, n->lane, 0));
    }
    const xk_expr *sum =
        xk_block_load(&n->f.w, "sum", xk_type_vec(XK_DT_U32, XK_FLAT_SIMD), at);
    if (less && !n->b_in_k)
        sum = xk_sub(c, sum, xk_bin_imm(c, XK_OP_MUL, less, n->terms));
    if (factor)
        sum = xk_mul(c, sum, factor);
    xk_block_add(&n->f.w, xk_store(c, at, sum));
    const struct xk_flat_message m = {.op = XK_SEND_STORE,
                                      .data_b = 4,
                                      .mem = n->dst,
                                      .off = c_offset_b(n),
                                      .reg = at,
                                      .mask = in};
    xk_flat_send(&n->f, &n->f.w, &m);
}

/* Whether A's elements along the innermost K are whole dwords of four. */
static bool sums_in_dwords(const struct nest *n)
{
    const struct xk_contraction *const p = n->p;
    int64_t stride_b, run;
    return n->inner >= 0 && !n->b_in_k && p->a.layout.dt != XK_DT_S32 &&
           !xk_access_leaves(p, &p->a) &&
           xk_access_stride_b(p, &p->a, (unsigned)n->inner, &stride_b, &run) &&
           stride_b == 1 && run % 4 == 0 && p->index[n->inner].extent % 4 == 0;
}

static void find_terms(struct nest *n)
{
    n->inner = -1;
    n->terms = 1;
    for (unsigned i = 0; i < n->p->n_index; i++) {
        const struct xk_index *const x = &n->p->index[i];
        if (x->role != XK_ROLE_K)
            continue;
        n->terms *= x->extent;
        n->inner = x->extent > 1 ? (int)i : n->inner;
        n->b_in_k |=
            has_b(n->p) && x->extent > 1 && xk_access_uses(&n->p->b) >> i & 1;
    }
}

/* Pointers first, then values. */
static enum xk_status begin_sums(struct nest *n, const struct xk_sums *s,
                                 const char *name)
{
    struct operand *const all[] = {&n->a, &n->b, &n->less};
    const char *names[4];
    const xk_expr *mem[4];
    unsigned count = 0, k = 0;
    n->a.a = &s->con->a;
    n->b.a = has_b(s->con) ? &s->con->b : NULL;
    n->less.a = s->less;
    for (unsigned i = 0; i < 3; i++)
        if (all[i]->a && !all[i]->a->by_value)
            names[count++] = all[i]->a->name;
    names[count++] = s->con->c.name;
    XK_TRY(xk_flat_begin(&n->f, name, count, names, mem));
    for (unsigned i = 0; i < 3; i++)
        if (all[i]->a)
            all[i]->mem = all[i]->a->by_value
                              ? xk_flat_value(&n->f, XK_DT_S32, all[i]->a->name)
                              : mem[k++];
    n->dst = mem[k];
    return XK_OK;
}

static void alloc_registers(struct nest *n)
{
    struct xk_block_writer *const w = &n->f.w;
    struct operand *const all[] = {&n->a, &n->b, &n->less};
    n->acc = xk_block_alloc(w, "acc", SLOT_B, 0);
    repeat_dword(n, n->acc, SLOT_B, 0);
    for (unsigned i = 0; i < 3; i++) {
        if (!all[i]->a || all[i]->a->by_value)
            continue;
        const bool slots = i == 0 || (i == 1 && n->b_in_k);
        all[i]->reg =
            xk_block_alloc(w, "in", slots ? SLOTS * SLOT_B : SLOT_B, 0);
        all[i]->wide = xk_block_alloc(w, "wide", SLOT_B, 0);
        /* lanes that no message fills */
        repeat_dword(n, all[i]->reg, slots ? SLOTS * SLOT_B : SLOT_B, 0);
    }
    if (sums_in_dwords(n)) {
        n->ones = xk_block_alloc(w, "ones", SLOT_B, 0);
        repeat_dword(n, n->ones, SLOT_B, 0x01010101);
    }
}

enum xk_status xk_lower_sums(xk_ctx *c, const struct xk_sums *s,
                             const char *name, bool surfaces,
                             struct xk_flat_nest *out)
{
    struct nest n = {
        .f = {.c = c, .out = out, .surfaces = surfaces, .n = 1, .vectors = 1},
        .p = s->con};
    XK_TRY(check_sums(c, s));
    for (unsigned d = 0; d < s->con->c.layout.n_dims; d++)
        n.f.n *= s->con->c.layout.dim[d];
    find_terms(&n);
    n.along_k = s->along_k;
    if (n.along_k &&
        (!sums_in_dwords(&n) || s->con->index[n.inner].extent % ALONG))
        return xk_fail(c, XK_EINVAL,
                       "sums: %s has no whole steps of %d places of K, four "
                       "in each dword",
                       s->con->a.name, ALONG);
    n.f.n *= n.along_k ? XK_FLAT_SIMD : 1;
    XK_TRY(begin_sums(&n, s, name));
    place_lanes(&n);
    alloc_registers(&n);
    const xk_expr *const less = n.less.a ? constant(&n, &n.less) : NULL;
    const xk_expr *const factor =
        n.b.a && !n.b_in_k ? constant(&n, &n.b) : NULL;
    add_terms(&n, less);
    store_sums(&n, less, factor);
    return xk_flat_end(&n.f);
}
