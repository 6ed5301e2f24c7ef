/* SPDX-License-Identifier: Apache-2.0 */
/* Appending instructions over register tiles. Every instruction is NoMask: the
 * kernels have no divergent control flow, masks are predicates. Vector
 * operations are cut into pieces that obey the region rules: no operand spans
 * more than two GRFs, or more than one if it does not start at one. */
#include "codegen/cg.h"

bool xk_cg_ok(const struct xk_cg *g)
{
    return xk_ctx_status(g->c) == XK_OK;
}

uint32_t xk_cg_tile_new(struct xk_cg *g, uint32_t size_b, uint32_t align_b)
{
    if (g->n_tiles > UINT16_MAX || size_b > UINT16_MAX) {
        xk_fail(g->c, XK_ENOFIT, "codegen: tile %u of %u bytes is too much",
                g->n_tiles, size_b);
        return 0;
    }
    if (!xk_grow(g->c, &g->tile, g->n_tiles, &g->cap_tiles, sizeof *g->tile))
        return 0;
    g->tile[g->n_tiles] = (struct xk_cg_tile){.size_b = size_b,
                                              .align_b = (uint16_t)align_b,
                                              .loop = g->cur_loop,
                                              .first = UINT32_MAX,
                                              .last = 0,
                                              .at_b = -1};
    return g->n_tiles++;
}

uint32_t xk_cg_label_new(struct xk_cg *g)
{
    if (!xk_grow(g->c, &g->label, g->n_labels, &g->cap_labels,
                 sizeof *g->label))
        return 0;
    g->label[g->n_labels] = 0;
    return g->n_labels++;
}

void xk_cg_label_here(struct xk_cg *g, uint32_t label)
{
    if (label < g->n_labels)
        g->label[label] = g->n_inst;
}

void xk_cg_loop_begin(struct xk_cg *g)
{
    if (!xk_grow(g->c, &g->loop, g->n_loops, &g->cap_loops, sizeof *g->loop))
        return;
    g->loop[g->n_loops] = (struct xk_cg_loop){g->cur_loop, g->n_inst, 0};
    g->cur_loop = g->n_loops++;
}

/* After the back edge was emitted. */
void xk_cg_loop_end(struct xk_cg *g)
{
    if (!xk_cg_ok(g) || g->n_inst == 0)
        return;
    g->loop[g->cur_loop].last = g->n_inst - 1;
    g->cur_loop = g->loop[g->cur_loop].parent;
}

struct xk_inst *xk_cg_emit(struct xk_cg *g, enum xk_opcode op, unsigned exec)
{
    struct xk_inst *i = &g->spare;
    if (xk_grow(g->c, &g->inst, g->n_inst, &g->cap_inst, sizeof *g->inst))
        i = &g->inst[g->n_inst++];
    *i = (struct xk_inst){
        .op = (uint16_t)op, .exec = (uint8_t)exec, .no_mask = true};
    return i;
}

void xk_cg_jump(struct xk_cg *g, uint32_t label, const struct xk_cg_val *cond,
                bool if_true)
{
    struct xk_inst *const i = xk_cg_emit(g, XK_OPC_JMPI, 1);
    i->jip_b = (int32_t)label;
    if (cond) {
        xk_cg_predicate(i, cond);
        i->pred_inv ^= !if_true;
    }
}

enum xk_reg_type xk_cg_rt(enum xk_dtype dt)
{
    switch (dt) {
    case XK_DT_U8:
        return XK_RT_UB;
    case XK_DT_S8:
        return XK_RT_B;
    case XK_DT_BOOL:
    case XK_DT_U16:
        return XK_RT_UW;
    case XK_DT_S16:
        return XK_RT_W;
    case XK_DT_U32:
        return XK_RT_UD;
    case XK_DT_S32:
        return XK_RT_D;
    case XK_DT_U64:
        return XK_RT_UQ;
    case XK_DT_S64:
        return XK_RT_Q;
    case XK_DT_BF16:
        return XK_RT_BF;
    case XK_DT_F16:
        return XK_RT_HF;
    case XK_DT_F32:
        return XK_RT_F;
    case XK_DT_F64:
        return XK_RT_DF;
    case XK_DT_UNDEF:
    case XK_N_DTYPES:
        break;
    }
    return XK_RT_UD;
}

struct xk_cg_val xk_cg_imm(enum xk_dtype dt, int64_t v)
{
    return (struct xk_cg_val){.kind = XK_CG_IMM, .dt = (uint8_t)dt, .imm = v};
}

struct xk_cg_val xk_cg_reg(enum xk_dtype dt, uint32_t tile, uint32_t sub_b,
                           unsigned stride)
{
    return (struct xk_cg_val){.kind = XK_CG_REG,
                              .dt = (uint8_t)dt,
                              .stride = (uint8_t)stride,
                              .tile = tile,
                              .sub_b = sub_b};
}

struct xk_cg_val xk_cg_temp(struct xk_cg *g, enum xk_dtype dt, unsigned lanes)
{
    const uint32_t need_b = lanes * xk_dtype_b(dt);
    /* float vectors at the start of a GRF: xk_cg_align compares places */
    const bool whole = lanes > 1 && xk_dtype_is_float(dt);
    uint32_t align_b = whole ? g->p->grf_b : 4;
    while (align_b < need_b && align_b < g->p->grf_b)
        align_b *= 2;
    const uint32_t size_b = (need_b + align_b - 1) / align_b * align_b;
    return xk_cg_reg(dt, xk_cg_tile_new(g, size_b, align_b), 0, lanes > 1);
}

static struct xk_operand reg_opnd(const struct xk_cg_val *v, unsigned lane)
{
    const unsigned size_b = xk_dtype_b(v->dt);
    return (struct xk_operand){
        .file = XK_FILE_TILE,
        .type = (uint8_t)xk_cg_rt(v->dt),
        .reg = (uint16_t)v->tile,
        .sub_b = (uint16_t)(v->sub_b + lane * v->stride * size_b)};
}

struct xk_operand xk_cg_dst(const struct xk_cg_val *v, unsigned first)
{
    struct xk_operand o = reg_opnd(v, first);
    o.rgn.hs = v->stride ? v->stride : 1;
    return o;
}

/* An immediate: bytes have none, so they become words. */
static struct xk_operand imm_opnd(const struct xk_cg_val *v)
{
    struct xk_operand o = {.file = XK_FILE_IMM,
                           .type = (uint8_t)xk_cg_rt(v->dt)};
    if (v->dt == XK_DT_U8)
        o.type = XK_RT_UW;
    if (v->dt == XK_DT_S8)
        o.type = XK_RT_W;
    const unsigned size_b = xk_reg_type_b(o.type);
    o.imm = size_b == 2   ? (uint16_t)v->imm
            : size_b == 4 ? (uint32_t)v->imm
                          : (uint64_t)v->imm;
    return o;
}

struct xk_operand xk_cg_src(const struct xk_cg_val *v, unsigned first,
                            unsigned n)
{
    if (v->kind == XK_CG_IMM)
        return imm_opnd(v);
    struct xk_operand o = reg_opnd(v, first);
    o.rgn.width = 1;
    if (n > 1 && v->stride)
        o.rgn.vs = v->stride;
    return o;
}

/* A source of a three-source instruction: src2 has a horizontal stride only,
 * and no vertical one is 2: two lanes of a row are. */
struct xk_operand xk_cg_src3(const struct xk_cg_val *v, unsigned first,
                             unsigned n, unsigned slot)
{
    if (v->kind == XK_CG_IMM)
        return imm_opnd(v);
    struct xk_operand o = reg_opnd(v, first);
    if (n > 1 && (slot == 2 || v->stride == 2))
        o.rgn.hs = v->stride;
    if (n > 1 && slot < 2)
        o.rgn.vs = v->stride == 2 ? 4 : v->stride;
    return o;
}

struct xk_operand xk_cg_null(enum xk_reg_type t)
{
    return (struct xk_operand){.file = XK_FILE_ARF,
                               .arf = XK_ARF_NULL,
                               .type = (uint8_t)t,
                               .rgn = {.hs = 1}};
}

struct xk_operand xk_cg_flag_opnd(unsigned flag, bool src)
{
    struct xk_operand o = {.file = XK_FILE_ARF,
                           .arf = XK_ARF_F,
                           .type = XK_RT_UW,
                           .reg = (uint16_t)(flag / 2),
                           .sub_b = (uint16_t)(flag % 2 * 2)};
    if (src)
        o.rgn.width = 1;
    else
        o.rgn.hs = 1;
    return o;
}

/* bf counts as f here: such a mov fills at most one register of f (rule
 * bf_exec). */
static bool piece_fits(const struct xk_cg *g, const struct xk_cg_val *v,
                       unsigned first, unsigned n)
{
    const unsigned grf_b = g->p->grf_b;
    if (v->dt == XK_DT_BF16 && n > grf_b / 4)
        return false;
    if (v->kind != XK_CG_REG || v->stride == 0)
        return true;
    const unsigned e_b = xk_dtype_b(v->dt);
    const unsigned off_b = (v->sub_b + first * v->stride * e_b) % grf_b;
    const unsigned span_b = ((n - 1) * v->stride + 1) * e_b;
    if (off_b < v->stride * e_b) /* lane 0 is in the first slot of a GRF */
        return off_b + span_b <= 2 * grf_b;
    return off_b + span_b <= grf_b;
}

/* bf beside f: a register of f at most, and from its beginning, or one lane
 * (isa/rules.def, bf_exec and bf_src_region). */
static unsigned bf16_piece(const struct xk_cg *g, unsigned first,
                           unsigned lanes)
{
    const unsigned most = g->p->grf_b / 4;
    if (first % most)
        return 1;
    return lanes < most ? lanes : most;
}

unsigned xk_cg_piece(const struct xk_cg *g, const struct xk_cg_val *const *v,
                     unsigned n, unsigned first, unsigned left)
{
    unsigned lanes = 16;
    while (lanes > left)
        lanes /= 2;
    for (unsigned i = 0; i < n; i++) {
        if (v[i]->dt == XK_DT_BF16)
            lanes = bf16_piece(g, first, lanes);
        while (lanes > 1 && !piece_fits(g, v[i], first, lanes))
            lanes /= 2;
    }
    return lanes;
}

bool xk_cg_clash(const struct xk_cg_val *dst, const struct xk_cg_val *src,
                 unsigned lanes)
{
    if (src->kind != XK_CG_REG || dst->kind != XK_CG_REG ||
        src->tile != dst->tile)
        return false;
    const unsigned d_b = xk_dtype_b(dst->dt);
    const unsigned s_b = src->zext ? 4 : xk_dtype_b(src->dt);
    if (src->sub_b == dst->sub_b && d_b == s_b && src->stride == dst->stride)
        return false;
    const unsigned d_end = dst->sub_b + ((lanes - 1) * dst->stride + 1) * d_b;
    const unsigned s_end = src->sub_b + ((lanes - 1) * src->stride + 1) * s_b;
    return src->sub_b < d_end && dst->sub_b < s_end;
}

void xk_cg_op1(struct xk_cg *g, enum xk_opcode op, const struct xk_cg_val *d,
               const struct xk_cg_val *a, unsigned lanes)
{
    const struct xk_cg_val *const all[] = {d, a};
    for (unsigned at = 0, n; at < lanes; at += n) {
        n = xk_cg_piece(g, all, 2, at, lanes - at);
        struct xk_inst *const i = xk_cg_emit(g, op, n);
        i->dst = xk_cg_dst(d, at);
        i->src[0] = xk_cg_src(a, at, n);
    }
}

void xk_cg_op2(struct xk_cg *g, enum xk_opcode op, const struct xk_cg_val *d,
               const struct xk_cg_val *a, const struct xk_cg_val *b,
               unsigned lanes)
{
    const struct xk_cg_val *const all[] = {d, a, b};
    for (unsigned at = 0, n; at < lanes; at += n) {
        n = xk_cg_piece(g, all, 3, at, lanes - at);
        struct xk_inst *const i = xk_cg_emit(g, op, n);
        i->dst = xk_cg_dst(d, at);
        i->src[0] = xk_cg_src(a, at, n);
        i->src[1] = xk_cg_src(b, at, n);
    }
}

void xk_cg_op3(struct xk_cg *g, enum xk_opcode op, const struct xk_cg_val *d,
               const struct xk_cg_val *const s[3], unsigned lanes)
{
    const struct xk_cg_val *const all[] = {d, s[0], s[1], s[2]};
    for (unsigned at = 0, n; at < lanes; at += n) {
        n = xk_cg_piece(g, all, 4, at, lanes - at);
        struct xk_inst *const i = xk_cg_emit(g, op, n);
        i->dst = xk_cg_dst(d, at);
        for (unsigned k = 0; k < 3; k++)
            i->src[k] = xk_cg_src3(s[k], at, n, k);
    }
}

/* Packed halves and words are spread out first where the float rules want each
 * lane at its destination's place. */
static void mov_to_float(struct xk_cg *g, const struct xk_cg_val *d,
                         const struct xk_cg_val *a, unsigned lanes)
{
    const unsigned ratio = xk_dtype_b(d->dt) / xk_dtype_b(a->dt);
    if (ratio < 2 || lanes == 1 || a->stride != 1 ||
        !xk_dtype_is_float(a->dt)) {
        xk_cg_op1(g, XK_OPC_MOV, d, a, lanes);
        return;
    }
    struct xk_cg_val wide = xk_cg_temp(g, d->dt, lanes);
    wide.dt = XK_DT_U16;
    wide.stride = (uint8_t)ratio;
    struct xk_cg_val raw = *a;
    raw.dt = XK_DT_U16;
    xk_cg_op1(g, XK_OPC_MOV, &wide, &raw, lanes);
    wide.dt = a->dt;
    xk_cg_op1(g, XK_OPC_MOV, d, &wide, lanes);
}

/* To a narrower type: convert at the wide stride, then pack. */
static void mov_narrow(struct xk_cg *g, const struct xk_cg_val *d,
                       const struct xk_cg_val *a, unsigned lanes)
{
    const unsigned ratio = xk_dtype_b(a->dt) / xk_dtype_b(d->dt);
    const bool ints = xk_dtype_is_int(a->dt) && xk_dtype_is_int(d->dt);
    struct xk_cg_val wide;
    if (ints) {
        wide = *a;
        wide.dt = d->dt;
        wide.stride = (uint8_t)(a->stride * ratio);
    } else {
        wide = xk_cg_temp(g, a->dt, lanes);
        wide.dt = d->dt;
        wide.stride = lanes > 1 ? (uint8_t)ratio : 0;
        xk_cg_op1(g, XK_OPC_MOV, &wide, a, lanes);
    }
    struct xk_cg_val to = *d;
    if (xk_dtype_is_float(d->dt))
        to.dt = wide.dt = XK_DT_U16;
    xk_cg_op1(g, XK_OPC_MOV, &to, &wide, lanes);
}

void xk_cg_mov(struct xk_cg *g, const struct xk_cg_val *d,
               const struct xk_cg_val *a, unsigned lanes)
{
    if (d->dt == XK_DT_U64 || d->dt == XK_DT_S64) {
        xk_cg_mov_u64(g, d, a, lanes);
    } else if (a->kind == XK_CG_REG && d->dt == a->dt &&
               xk_dtype_b(d->dt) == 4) {
        struct xk_cg_val di = *d, ai = *a; /* raw: no float region rules */
        di.dt = ai.dt = XK_DT_U32;
        xk_cg_op1(g, XK_OPC_MOV, &di, &ai, lanes);
    } else if (a->kind == XK_CG_REG && xk_dtype_b(a->dt) > xk_dtype_b(d->dt)) {
        mov_narrow(g, d, a, lanes);
    } else if (xk_dtype_is_float(d->dt) && a->kind == XK_CG_REG) {
        mov_to_float(g, d, a, lanes);
    } else {
        xk_cg_op1(g, XK_OPC_MOV, d, a, lanes);
    }
}
