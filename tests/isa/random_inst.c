/* SPDX-License-Identifier: Apache-2.0 */
/* Draws from the option and type tables of isa/traits.def, so that what comes
 * out is legal as far as the assembler looks: operand forms, types, options. */
#include "tests/isa/random_inst.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/format.h"
#include "isa/traits.h"

uint64_t rng_bits(struct rng *r)
{
    r->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t v = r->state;

    v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
    return v ^ v >> 31;
}

unsigned rng_below(struct rng *r, unsigned n)
{
    return (unsigned)(rng_bits(r) >> 16) % n;
}

uint64_t rng_seed(void)
{
    const char *const s = getenv("XK_TEST_SEED");

    return s ? strtoull(s, NULL, 0) : 20260101;
}

static bool one_in(struct rng *r, unsigned n)
{
    return rng_below(r, n) == 0;
}

static enum xk_reg_type type_from(struct rng *r, uint32_t set)
{
    unsigned t;

    do
        t = rng_below(r, XK_N_REG_TYPES);
    while (!xk_in_set(set, t));
    return t;
}

/* A type row of op; the float class can be asked for. */
static const struct xk_type_row *type_row(struct rng *r, enum xk_opcode op)
{
    unsigned n;
    const struct xk_type_row *const rows = xk_type_rows(&n);
    const struct xk_type_row *pick = NULL;
    unsigned seen = 0;

    for (unsigned k = 0; k < n; k++) {
        if (rows[k].op == op && one_in(r, ++seen))
            pick = &rows[k];
    }
    return pick;
}

static void random_grf(struct rng *r, struct xk_operand *o)
{
    const unsigned b = xk_reg_type_b(o->type) ? xk_reg_type_b(o->type) : 1;

    o->file = XK_FILE_GRF;
    o->reg = (uint16_t)rng_below(r, 256);
    o->sub_b = (uint16_t)(rng_below(r, 32 / b) * b);
}

static void random_acc(struct rng *r, struct xk_operand *o)
{
    o->file = XK_FILE_ARF;
    o->arf = XK_ARF_ACC;
    o->reg = (uint16_t)rng_below(r, 8);
}

static void random_arf(struct rng *r, struct xk_operand *o)
{
    static const uint8_t files[] = {XK_ARF_NULL, XK_ARF_A,  XK_ARF_ACC,
                                    XK_ARF_F,    XK_ARF_CR, XK_ARF_SR,
                                    XK_ARF_TM,   XK_ARF_CE};

    random_acc(r, o);
    o->arf = files[rng_below(r, XK_COUNTOF(files))];
    o->reg = (uint16_t)rng_below(r, xk_arf_rows[o->arf].n);
    if (o->arf == XK_ARF_A || o->arf == XK_ARF_F || o->arf == XK_ARF_CR)
        o->sub_b = (uint16_t)(rng_below(r, 2) * xk_reg_type_b(o->type));
}

static void random_indirect(struct rng *r, struct xk_operand *o)
{
    o->file = XK_FILE_GRF;
    o->indirect = true;
    o->a0_sub = (uint8_t)rng_below(r, 16);
    o->a0_off_b = (int16_t)((int)rng_below(r, 1024) - 512);
}

static uint8_t stride(struct rng *r, bool zero)
{
    static const uint8_t v[] = {0, 1, 2, 4};

    return zero ? v[rng_below(r, 4)] : v[1 + rng_below(r, 3)];
}

static void random_operand(struct rng *r, struct xk_operand *o)
{
    switch (rng_below(r, 8)) {
    case 0:
        random_arf(r, o);
        break;
    case 1:
        random_indirect(r, o);
        break;
    default:
        random_grf(r, o);
        break;
    }
}

static void random_imm(struct rng *r, struct xk_operand *o)
{
    const unsigned b = xk_reg_type_b(o->type);

    o->file = XK_FILE_IMM;
    o->imm = rng_bits(r);
    if (one_in(r, 2))
        o->imm >>= rng_below(r, 64); /* small numbers, too */
    if (b < 8)
        o->imm &= (UINT64_C(1) << 8 * b) - 1;
}

static void random_swsb(struct rng *r, struct xk_inst *i)
{
    static const uint8_t pipes[] = {XK_PIPE_NONE, XK_PIPE_ALL, XK_PIPE_FLOAT,
                                    XK_PIPE_INT, XK_PIPE_LONG};
    const bool send = xk_opcode_format(i->op) == XK_FMT_SEND;
    const bool sets =
        send || i->op == XK_OPC_MATH || xk_opcode_format(i->op) == XK_FMT_DPAS;
    struct xk_swsb *const s = &i->swsb;
    const unsigned form = rng_below(r, 4);

    if (form & 1) {
        s->dist = (uint8_t)(1 + rng_below(r, 7));
        s->pipe = pipes[rng_below(r, XK_COUNTOF(pipes))];
    }
    if (form & 2) {
        s->sbid = (uint8_t)rng_below(r, 16);
        s->mode = sets ? XK_SBID_SET : (uint8_t)(XK_SBID_DST + rng_below(r, 2));
    }
    if (form == 3) {
        s->pipe = send ? XK_PIPE_ALL : XK_PIPE_NONE;
        s->mode = sets ? XK_SBID_SET : XK_SBID_DST;
    }
}

static void random_header(struct rng *r, struct xk_inst *i)
{
    const unsigned t = xk_opcode_traits(xk_platform_get(XK_PLATFORM_XEHPG), i->op);

    i->exec = (uint8_t)(1u << rng_below(r, 6));
    if (i->exec < 32)
        i->chan_off = (uint8_t)(4 * rng_below(r, (32u - i->exec) / 4 + 1));
    i->no_mask = one_in(r, 2);
    i->debug = one_in(r, 16);
    if (t & XK_TRAIT_PRED && one_in(r, 2)) {
        i->pred = (uint8_t)(1 + rng_below(r, XK_PRED_ALL32H));
        i->pred_inv = one_in(r, 2);
    }
    random_swsb(r, i);
}

static void random_options(struct rng *r, struct xk_inst *i)
{
    const unsigned t = xk_opcode_traits(xk_platform_get(XK_PLATFORM_XEHPG), i->op);

    i->sat = t & XK_TRAIT_SAT && one_in(r, 4);
    i->atomic = one_in(r, 8);
    i->acc_wr_en = one_in(r, 8);
    if (t & XK_TRAIT_COND && one_in(r, 2))
        i->cond = (uint8_t)(1 + rng_below(r, 6));
}

static void random_flag(struct rng *r, struct xk_inst *i)
{
    if (i->pred || i->cond) {
        i->flag_reg = (uint8_t)rng_below(r, 2);
        i->flag_sub = (uint8_t)rng_below(r, 2);
    }
}

static void random_mods(struct rng *r, struct xk_inst *i, struct xk_operand *o)
{
    if (xk_opcode_traits(xk_platform_get(XK_PLATFORM_XEHPG), i->op) & XK_TRAIT_SRCMOD && o->file != XK_FILE_IMM) {
        o->neg = one_in(r, 4);
        o->abs = one_in(r, 4);
    }
}

static void random_basic_region(struct rng *r, struct xk_operand *o)
{
    o->rgn.width = (uint8_t)(1u << rng_below(r, 5));
    o->rgn.hs = stride(r, true);
    o->rgn.vs = (uint8_t)(one_in(r, 4) ? 0 : 1u << rng_below(r, 6));
    if (o->indirect && one_in(r, 2))
        o->rgn.vs = XK_VS_VXH;
}

static void random_basic_src(struct rng *r, struct xk_inst *i, unsigned k,
                             uint32_t set)
{
    static const uint8_t vectors[] = {XK_RT_V, XK_RT_UV, XK_RT_VF};
    struct xk_operand *const o = &i->src[k];
    const unsigned n = xk_inst_n_srcs(i);

    o->type = type_from(r, set);
    if (k == n - 1 && i->op != XK_OPC_MOVI && i->op != XK_OPC_MATH &&
        one_in(r, 4) && xk_reg_type_b(o->type) > 1 && o->type != XK_RT_BF &&
        (xk_reg_type_b(o->type) < 8 || (i->op == XK_OPC_MOV && !i->cond))) {
        if (i->op == XK_OPC_MOV && one_in(r, 4))
            o->type = vectors[rng_below(r, 3)];
        random_imm(r, o);
        return;
    }
    random_operand(r, o);
    if (i->op == XK_OPC_MOVI) {
        memset(o, 0, sizeof(*o));
        o->type = i->dst.type;
        random_indirect(r, o);
    }
    random_basic_region(r, o);
    random_mods(r, i, o);
}

/* The macros name an extended accumulator and have fixed regions. */
static void macro_operand(struct rng *r, struct xk_operand *o,
                          struct xk_region rgn)
{
    memset(o, 0, sizeof(*o));
    o->type = XK_RT_F;
    o->file = XK_FILE_GRF;
    o->reg = (uint16_t)rng_below(r, 256);
    o->sub_b = (uint16_t)rng_below(r, 9);
    o->rgn = rgn;
}

static void random_math(struct rng *r, struct xk_inst *i)
{
    static const uint8_t fns[] = {
        XK_MATH_INV, XK_MATH_LOG, XK_MATH_EXP,  XK_MATH_SQT,   XK_MATH_RSQT,
        XK_MATH_SIN, XK_MATH_COS, XK_MATH_INVM, XK_MATH_RSQTM,
    };
    i->math_fn = fns[rng_below(r, XK_COUNTOF(fns))];
    if (xk_math_is_macro(i))
        i->cond = XK_COND_EO;
}

static void random_basic(struct rng *r, struct xk_inst *i)
{
    const struct xk_type_row *const row = type_row(r, i->op);
    struct xk_region rgn = {1, 1, 0};
    unsigned n;

    random_options(r, i);
    if (i->op == XK_OPC_MATH)
        random_math(r, i);
    if (i->exec == 1)
        rgn.vs = 0; /* as the assembler writes it */
    i->dst.type = type_from(r, row->dst);
    random_operand(r, &i->dst);
    i->dst.rgn.hs = stride(r, false);
    n = xk_inst_n_srcs(i);
    for (unsigned k = 0; k < n; k++)
        random_basic_src(r, i, k, row->src);
    if (xk_math_is_macro(i)) {
        macro_operand(r, &i->dst, (struct xk_region){0, 0, 1});
        for (unsigned k = 0; k < n; k++)
            macro_operand(r, &i->src[k], rgn);
    }
}

static void random_ternary_src(struct rng *r, struct xk_inst *i, unsigned k,
                               uint32_t set)
{
    static const uint8_t vs[] = {0, 1, 4, 8};
    struct xk_operand *const o = &i->src[k];

    o->type = type_from(r, set);
    if (k != 1 && one_in(r, 4) && xk_reg_type_b(o->type) == 2 &&
        o->type != XK_RT_BF) {
        random_imm(r, o);
        return;
    }
    if (one_in(r, 4))
        random_acc(r, o);
    else
        random_grf(r, o);
    if (k < 2)
        o->rgn.vs = vs[rng_below(r, 4)];
    o->rgn.hs = stride(r, true);
    random_mods(r, i, o);
}

static void random_ternary(struct rng *r, struct xk_inst *i)
{
    static const uint8_t bfn_cond[] = {XK_COND_NONE, XK_COND_EQ, XK_COND_GT,
                                       XK_COND_LT};
    const struct xk_type_row *const row = type_row(r, i->op);

    random_options(r, i);
    i->dst.type = type_from(r, row->dst);
    random_grf(r, &i->dst);
    i->dst.rgn.hs = (uint8_t)(1 + rng_below(r, 2));
    for (unsigned k = 0; k < 3; k++)
        random_ternary_src(r, i, k, row->src);
    if (i->op == XK_OPC_BFN) {
        i->bfn = (uint8_t)rng_below(r, 256);
        i->cond = bfn_cond[rng_below(r, 4)];
    } else if (i->op == XK_OPC_MADM) {
        macro_operand(r, &i->dst, (struct xk_region){0, 0, 1});
        macro_operand(r, &i->src[0], (struct xk_region){4, 0, 1});
        macro_operand(r, &i->src[1], (struct xk_region){4, 0, 1});
        macro_operand(r, &i->src[2], (struct xk_region){0, 0, 1});
        i->cond = XK_COND_NONE;
    }
}

static void random_dpas(struct rng *r, struct xk_inst *i)
{
    static const uint8_t ints[] = {XK_RT_UB, XK_RT_B,  XK_RT_U4,
                                   XK_RT_S4, XK_RT_U2, XK_RT_S2};
    const unsigned kind = rng_below(r, 3);

    i->sdepth = 8;
    i->rcount = (uint8_t)(1 + rng_below(r, 8));
    i->atomic = one_in(r, 4);
    for (int k = -1; k < 3; k++) {
        struct xk_operand *const o = k < 0 ? &i->dst : &i->src[k];

        if (kind == 0)
            o->type = k < 1 ? (one_in(r, 2) ? XK_RT_D : XK_RT_UD)
                            : ints[rng_below(r, 6)];
        else
            o->type = k < 1 ? XK_RT_F : kind == 1 ? XK_RT_HF : XK_RT_BF;
        random_grf(r, o);
        if (k < 2)
            o->sub_b = 0;
        else
            o->sub_b &= 30;
    }
    if (one_in(r, 4)) {
        i->src[0].file = XK_FILE_ARF;
        i->src[0].arf = XK_ARF_NULL;
        i->src[0].reg = 0;
    }
}

static void random_payload(struct rng *r, struct xk_operand *o)
{
    o->type = XK_RT_UD;
    o->file = one_in(r, 4) ? XK_FILE_ARF : XK_FILE_GRF;
    if (o->file == XK_FILE_GRF)
        o->reg = (uint16_t)rng_below(r, 256);
}

static void random_send(struct rng *r, struct xk_inst *i)
{
    static const uint8_t sfids[] = {0, 1,  2,  3,  4,  5,  6, 7,
                                    9, 10, 11, 12, 13, 14, 15};
    struct xk_send_info *const s = &i->send;

    i->atomic = one_in(r, 8);
    s->sfid = sfids[rng_below(r, XK_COUNTOF(sfids))];
    s->eot = one_in(r, 8);
    s->fused_serialize = one_in(r, 8);
    s->desc_reg = one_in(r, 4);
    s->exdesc_reg = one_in(r, 4);
    if (!s->desc_reg)
        s->desc = (uint32_t)rng_bits(r);
    if (s->exdesc_reg) {
        s->exbso = one_in(r, 2);
        s->exdesc_sub = (uint8_t)rng_below(r, 8);
    }
    if (!s->exdesc_reg || s->exbso)
        s->src1_len = (uint8_t)rng_below(r, 32);
    if (!s->exdesc_reg)
        s->exdesc = ((uint32_t)rng_bits(r) & 0xfffff800u) | s->src1_len * 64u;
    random_payload(r, &i->dst);
    random_payload(r, &i->src[0]);
    random_payload(r, &i->src[1]);
    if (i->src[1].reg + s->src1_len > 256 ||
        (i->src[1].file == XK_FILE_ARF && (!s->exdesc_reg || s->exbso))) {
        s->src1_len = 0;
        s->exdesc &= ~0x7c0u;
    }
}

static void random_branch(struct rng *r, struct xk_inst *i)
{
    const unsigned shape = xk_branch_shape(i->op);

    i->branch_ctrl = shape & XK_BR_CTRL && one_in(r, 2);
    if (shape & XK_BR_DST) {
        i->dst.type = XK_RT_UD;
        random_grf(r, &i->dst);
    }
    if (shape & XK_BR_SCALAR) {
        i->exec = 1;
        i->chan_off = 0;
        i->no_mask = true;
    }
    if (shape & XK_BR_NO_IMM || (shape & XK_BR_REG && one_in(r, 3))) {
        i->src[0].type = XK_RT_D;
        random_grf(r, &i->src[0]);
        return;
    }
    i->jip_b = (int32_t)(rng_below(r, 1 << 20) - (1 << 19)) * 16;
    if (shape & XK_BR_UIP)
        i->uip_b = (int32_t)(rng_below(r, 1 << 20) - (1 << 19)) * 16;
}

static void random_sync(struct rng *r, struct xk_inst *i)
{
    static const uint8_t fns[] = {XK_SYNC_NOP, XK_SYNC_ALLRD, XK_SYNC_ALLWR,
                                  XK_SYNC_BAR, XK_SYNC_HOST};

    i->exec = 1;
    i->chan_off = 0;
    i->sync_fn = fns[rng_below(r, XK_COUNTOF(fns))];
    i->src[0].file = XK_FILE_ARF;
    if ((i->sync_fn == XK_SYNC_ALLRD || i->sync_fn == XK_SYNC_ALLWR) &&
        one_in(r, 2)) {
        i->src[0].file = XK_FILE_IMM;
        i->src[0].type = XK_RT_UD;
        i->src[0].imm = (uint32_t)rng_bits(r);
    }
}

static void random_nullary(struct rng *r, struct xk_inst *i)
{
    memset(i, 0, sizeof(*i));
    i->op = XK_OPC_NOP;
    i->exec = 1;
    random_swsb(r, i);
}

void random_inst(struct rng *r, enum xk_opcode op, struct xk_inst *i)
{
    memset(i, 0, sizeof(*i));
    i->op = (uint16_t)op;
    random_header(r, i);
    switch (xk_opcode_format(op)) {
    case XK_FMT_BASIC:
        random_basic(r, i);
        break;
    case XK_FMT_TERNARY:
        random_ternary(r, i);
        break;
    case XK_FMT_DPAS:
        random_dpas(r, i);
        break;
    case XK_FMT_SEND:
        random_send(r, i);
        break;
    case XK_FMT_BRANCH:
        random_branch(r, i);
        break;
    case XK_FMT_SYNC:
        random_sync(r, i);
        break;
    case XK_FMT_NULLARY:
    case XK_FMT_HEADER:
    case XK_FMT_COMPACT2:
    case XK_FMT_COMPACT3:
    case XK_N_FORMATS:
        random_nullary(r, i);
        break;
    }
    random_flag(r, i);
}

void random_targets(struct rng *r, struct xk_inst *i, unsigned at, unsigned n)
{
    const unsigned shape = xk_branch_shape(i->op);
    const int base = i->op == XK_OPC_CALLA ? 0 : (int)at;

    if (xk_opcode_format(i->op) != XK_FMT_BRANCH ||
        i->src[0].file != XK_FILE_NONE)
        return;
    i->jip_b = ((int)rng_below(r, n) - base) * 16;
    if (shape & XK_BR_UIP)
        i->uip_b = ((int)rng_below(r, n) - base) * 16;
}

enum xk_opcode random_opcode(struct rng *r)
{
    const struct xk_isa_tables *const t =
        xk_isa_tables_get(xk_platform_get(XK_PLATFORM_XEHPG), NULL);
    unsigned op;

    do
        op = rng_below(r, XK_N_OPCODES);
    while (t->op_code[op] == XK_NO_CODE || op == XK_OPC_ILLEGAL);
    return op;
}
