/* SPDX-License-Identifier: Apache-2.0 */
/* One loop over the parts; loads are AHEAD parts in front of the sums. */
#include "lower/reduce.h"

#include <inttypes.h>

enum { VECTORS = 4, SLOTS = XK_REDUCE_SLOTS, AHEAD = SLOTS - 1 };
enum { SLOT_B = VECTORS * XK_FLAT_VECTOR_B };

static enum xk_status refuse_parts(xk_ctx *c, const struct xk_reduce *r)
{
    if (r->n <= 0 || r->stride_e < r->n || !r->parts)
        return xk_fail(c, XK_EINVAL,
                       "reduce: %" PRIu32 " parts of %" PRId64
                       " elements, %" PRId64 " apart",
                       r->parts, r->n, r->stride_e);
    if (r->stride_e > XK_FLAT_MAX_B / 4 / r->parts)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "reduce: %" PRIu32 " parts of %" PRId64
                       " elements have more than %" PRId64 " bytes",
                       r->parts, r->stride_e, XK_FLAT_MAX_B);
    if (r->dst != XK_DT_F32 && r->dst != XK_DT_F16 && r->dst != XK_DT_BF16 &&
        r->dst != XK_DT_S32 && r->dst != XK_DT_S8 && r->dst != XK_DT_U8)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "reduce: to %s, need f32, f16, bf16, s32, s8 or u8",
                       xk_dtype_name(r->dst));
    return XK_OK;
}

/* What its parts share. */
struct nest {
    struct xk_flat f;
    const struct xk_reduce *r;
    const xk_expr *part, *dst; /* memory */
    const xk_expr *acc, *in;   /* registers */
    const xk_expr *mask[VECTORS];
    const xk_expr *i; /* s32: the part */
};

static const xk_expr *slot_place(struct nest *n, const xk_expr *buf,
                                 const xk_expr *slot_b, int64_t at_b)
{
    const xk_expr *off = xk_s32(n->f.c, at_b);
    if (slot_b)
        off = xk_add(n->f.c, slot_b, off);
    return xk_ptr(n->f.c, buf, off);
}

static void zero(struct nest *n, const xk_expr *buf, unsigned size_b)
{
    xk_ctx *const c = n->f.c;
    const xk_expr *const v =
        xk_bcast(c, xk_fimm(c, XK_DT_F32, 0), XK_FLAT_SIMD);
    for (unsigned at = 0; at < size_b; at += XK_FLAT_VECTOR_B)
        xk_block_add(&n->f.w, xk_store(c, slot_place(n, buf, NULL, at), v));
}

static const xk_expr *slot_of(struct nest *n)
{
    xk_ctx *const c = n->f.c;
    return xk_bin_imm(c, XK_OP_MUL, xk_bin_imm(c, XK_OP_MOD, n->i, SLOTS),
                      SLOT_B);
}

static const xk_stmt *load_summand(struct nest *n)
{
    xk_ctx *const c = n->f.c;
    const xk_expr *const row_b =
        xk_bin_imm(c, XK_OP_MUL, n->i, 4 * n->r->stride_e);
    struct xk_block_writer w;
    xk_block_init(&w, c, n->f.facts);
    for (unsigned v = 0; v < VECTORS; v++) {
        const xk_expr *const at =
            xk_bin_imm(c, XK_OP_MUL, xk_flat_elements(&n->f, v), 4);
        const struct xk_flat_message m = {
            .op = XK_SEND_LOAD,
            .data_b = 4,
            .mem = n->part,
            .off = xk_add(c, at, row_b),
            .reg = slot_place(n, n->in, slot_of(n), v * XK_FLAT_VECTOR_B),
            .mask = n->mask[v]};
        xk_flat_send(&n->f, &w, &m);
    }
    return xk_block_end(&w);
}

static const xk_stmt *add_loaded_part(struct nest *n)
{
    xk_ctx *const c = n->f.c;
    const struct xk_type type = xk_type_vec(XK_DT_F32, XK_FLAT_SIMD);
    struct xk_block_writer w;
    xk_block_init(&w, c, n->f.facts);
    for (unsigned v = 0; v < VECTORS; v++) {
        const unsigned at_b = v * XK_FLAT_VECTOR_B;
        const xk_expr *const x = xk_block_load(
            &w, "x", type, slot_place(n, n->in, slot_of(n), at_b));
        const xk_expr *const sum =
            xk_block_load(&w, "sum", type, slot_place(n, n->acc, NULL, at_b));
        xk_block_add(&w, xk_store(c, slot_place(n, n->acc, NULL, at_b),
                                  xk_add(c, sum, x)));
    }
    return xk_block_end(&w);
}

static void add_all_parts(struct nest *n)
{
    xk_ctx *const c = n->f.c;
    const struct xk_pipe_info info = {.slots = SLOTS, .stages = AHEAD + 1};
    n->i = xk_var(c, xk_type_vec(XK_DT_S32, 1), "i");
    if (n->i)
        xk_facts_set(n->f.facts, n->i, 0, (int64_t)n->r->parts - 1, 1, 0);
    const xk_stmt *const stage[] = {xk_stage(c, 0, load_summand(n)),
                                    xk_stage(c, AHEAD, add_loaded_part(n))};
    xk_block_add(&n->f.w, xk_pipe(c, n->i, xk_s32(c, n->r->parts), info,
                                  xk_seq(c, stage, 2)));
}

/* The sums of vector v as memory has them, a dword a lane. */
static const xk_expr *converted(struct nest *n, unsigned v)
{
    const xk_expr *const from =
        slot_place(n, n->acc, NULL, (int64_t)v * XK_FLAT_VECTOR_B);
    const unsigned dst_b = xk_dtype_b(n->r->dst);
    if (n->r->dst == XK_DT_F32)
        return from;
    const xk_expr *const out =
        xk_block_alloc(&n->f.w, "out", XK_FLAT_VECTOR_B, 0);
    zero(n, out, XK_FLAT_VECTOR_B);
    const struct xk_func f = {
        .kind = XK_FUNC_REORDER,
        .u.reorder = {.dst = (uint8_t)n->r->dst,
                      .src = XK_DT_F32,
                      .n_dims = 1,
                      .extent = {XK_FLAT_SIMD},
                      .dst_stride = {(uint16_t)(4 / dst_b)},
                      .src_stride = {1}}};
    const xk_expr *const args[] = {slot_place(n, out, NULL, 0), from};
    xk_block_call(&n->f.w, &f, args, 2);
    return args[0];
}

static void store_all(struct nest *n)
{
    const unsigned dst_b = xk_dtype_b(n->r->dst);
    for (unsigned v = 0; v < VECTORS; v++) {
        const struct xk_flat_message m = {
            .op = XK_SEND_STORE,
            .data_b = (uint8_t)dst_b,
            .mem = n->dst,
            .off = xk_bin_imm(n->f.c, XK_OP_MUL, xk_flat_elements(&n->f, v),
                              dst_b),
            .reg = converted(n, v),
            .mask = n->mask[v]};
        xk_flat_send(&n->f, &n->f.w, &m);
    }
}

enum xk_status xk_lower_reduce(xk_ctx *c, const struct xk_reduce *r,
                               const char *name, bool surfaces,
                               struct xk_flat_nest *out)
{
    static const char *const names[] = {"part", "dst"};
    const xk_expr *mem[2];
    struct nest n = {.f = {.c = c,
                           .out = out,
                           .surfaces = surfaces,
                           .n = r->n,
                           .vectors = VECTORS},
                     .r = r};
    XK_TRY(refuse_parts(c, r));
    XK_TRY(xk_flat_begin(&n.f, name, 2, names, mem));
    n.part = mem[0];
    n.dst = mem[1];
    for (unsigned v = 0; v < VECTORS; v++)
        n.mask[v] = xk_flat_mask(&n.f, v);
    n.acc = xk_block_alloc(&n.f.w, "acc", SLOT_B, 0);
    n.in = xk_block_alloc(&n.f.w, "in", SLOTS * SLOT_B, 0);
    zero(&n, n.acc, SLOT_B);
    if (n.f.masked) /* loads leave masked lanes as they are */
        zero(&n, n.in, SLOTS * SLOT_B);
    add_all_parts(&n);
    store_all(&n);
    return xk_flat_end(&n.f);
}
