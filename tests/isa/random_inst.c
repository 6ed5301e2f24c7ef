/* SPDX-License-Identifier: Apache-2.0 */
/* Draws from the option and type tables of isa/traits.def and from the field
 * and code tables of the platform, so that what comes out is legal as far as
 * the assembler looks: operand forms, types, options. Left out:
 * - what iga64 does not read back: immediates of bytes and bf, branch targets
 *   that are no instruction (see random_targets), subregisters in the middle of
 *   an element, options and modifiers that the opcode has not;
 * - what it prints and drops: regions of macro operands, conditions of madm;
 * - what is no part of the compute instruction set and has no record: the type
 *   nf, one-bit dpas operands, {CPS}; 64-bit types on 16-bit immediates. */
#include "tests/isa/random_inst.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/format.h"
#include "isa/traits.h"

/* One draw. */
struct draw {
    const struct xk_platform *p;
    const struct xk_isa_tables *t;
    struct rng *r;
    struct xk_inst *i;
};

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

static unsigned below(const struct draw *d, unsigned n)
{
    return rng_below(d->r, n);
}

static bool one_in(const struct draw *d, unsigned n)
{
    return rng_below(d->r, n) == 0;
}

/* One of the bits that are set. */
static unsigned bit_of(const struct draw *d, uint32_t set)
{
    unsigned t;

    do
        t = below(d, 32);
    while (!(set >> t & 1));
    return t;
}

static bool has_field(const struct draw *d, unsigned id)
{
    return d->t->field[id].n_bits != 0;
}

static unsigned traits(const struct draw *d)
{
    return xk_opcode_traits(d->p, d->i->op);
}

/* A type row of the opcode that holds on the platform. */
static const struct xk_type_row *type_row(const struct draw *d)
{
    const struct xk_type_row *pick = NULL;
    unsigned seen = 0;

    for (const struct xk_type_row *row = xk_opcode_type_rows(d->i->op);
         row->op == d->i->op; row++) {
        if (row->platforms >> d->p->id & 1 && one_in(d, ++seen))
            pick = row;
    }
    return pick;
}

/* A byte offset the field can hold, at an element of the operand's type. */
static uint16_t subregister(const struct draw *d, const struct xk_operand *o,
                            unsigned sub)
{
    const struct xk_field *const f = &d->t->field[sub];
    const unsigned b = xk_reg_type_b(o->type) ? xk_reg_type_b(o->type) : 1;
    const unsigned unit = b > 1u << f->unit ? b : 1u << f->unit;

    return (uint16_t)(below(d, d->p->grf_b / unit) * unit);
}

static void random_grf(const struct draw *d, struct xk_operand *o, unsigned sub)
{
    o->file = XK_FILE_GRF;
    o->reg = (uint16_t)below(d, 256);
    o->sub_b = subregister(d, o, sub);
}

static void random_acc(const struct draw *d, struct xk_operand *o)
{
    o->file = XK_FILE_ARF;
    o->arf = XK_ARF_ACC;
    o->reg = (uint16_t)below(d, d->t->n_arf[XK_ARF_ACC]);
}

static void random_arf(const struct draw *d, struct xk_operand *o)
{
    const unsigned b = xk_reg_type_b(o->type);

    o->file = XK_FILE_ARF;
    do
        o->arf = (uint8_t)below(d, XK_ARF_MME + 1);
    while (!d->t->n_arf[o->arf]);
    o->reg = (uint16_t)below(d, d->t->n_arf[o->arf]);
    if ((o->arf == XK_ARF_A || o->arf == XK_ARF_F || o->arf == XK_ARF_CR) &&
        b >= 2)
        o->sub_b = (uint16_t)(below(d, 2) * b);
}

/* Offset of an address register, in the units that the field has. */
static void random_indirect(const struct draw *d, struct xk_operand *o,
                            unsigned off)
{
    const struct xk_field *const f = &d->t->field[off];
    const int n = 1 << f->n_bits;

    o->file = XK_FILE_GRF;
    o->indirect = true;
    o->a0_sub = (uint8_t)below(d, 16);
    o->a0_off_b =
        (int16_t)(((int)below(d, (unsigned)n) - n / 2) * (1 << f->unit));
}

static uint8_t stride(const struct draw *d, bool zero)
{
    static const uint8_t v[] = {0, 1, 2, 4};

    return zero ? v[below(d, 4)] : v[1 + below(d, 3)];
}

static void random_operand(const struct draw *d, struct xk_operand *o,
                           unsigned sub, unsigned off)
{
    switch (below(d, 8)) {
    case 0:
        random_arf(d, o);
        break;
    case 1:
        if (d->i->op != XK_OPC_MATH || d->t->math_indirect) {
            random_indirect(d, o, off);
            break;
        }
        /* fall through */
    default:
        random_grf(d, o, sub);
        break;
    }
}

static void random_imm(const struct draw *d, struct xk_operand *o)
{
    const unsigned b = xk_reg_type_b(o->type);

    o->file = XK_FILE_IMM;
    o->imm = rng_bits(d->r);
    if (one_in(d, 2))
        o->imm >>= below(d, 64); /* small numbers, too */
    if (b < 8)
        o->imm &= (UINT64_C(1) << 8 * b) - 1;
}

static void random_swsb(const struct draw *d)
{
    const enum xk_swsb_class class = xk_swsb_class(d->i->op);
    struct xk_swsb *const s = &d->i->swsb;
    const struct xk_swsb_row *row;

    if (one_in(d, 4))
        return;
    do
        row = &d->t->swsb[below(d, d->t->n_swsb)];
    while (!(row->classes >> class & 1));
    xk_swsb_decode(d->t, class, row->first + below(d, row->n), s);
}

static void random_pred(const struct draw *d)
{
    do
        d->i->pred = (uint8_t)(1 + below(d, XK_PRED_ALL));
    while (d->t->pred_code[d->i->pred] == XK_NO_CODE);
    d->i->pred_inv = one_in(d, 2);
}

static void random_header(const struct draw *d)
{
    struct xk_inst *const i = d->i;
    const unsigned unit = d->p->chan_off_unit;

    i->exec = (uint8_t)(1u << below(d, 6));
    if (i->exec < 32)
        i->chan_off = (uint8_t)(unit * below(d, (32u - i->exec) / unit + 1));
    i->no_mask = one_in(d, 2);
    i->debug = one_in(d, 16);
    if (traits(d) & XK_TRAIT_PRED && one_in(d, 2))
        random_pred(d);
    random_swsb(d);
}

static void random_options(const struct draw *d)
{
    struct xk_inst *const i = d->i;
    const unsigned t = traits(d);

    i->sat = t & XK_TRAIT_SAT && one_in(d, 4);
    i->atomic = one_in(d, 8);
    i->acc_wr_en = has_field(d, XK_FLD_B_ACC_WR) && one_in(d, 8);
    if (t & XK_TRAIT_COND && one_in(d, 2))
        i->cond = (uint8_t)(1 + below(d, 6));
}

static void random_flag(const struct draw *d)
{
    struct xk_inst *const i = d->i;

    if (i->pred || i->cond) {
        i->flag_reg = (uint8_t)below(d, d->p->n_flag_regs);
        i->flag_sub = (uint8_t)below(d, 2);
    }
}

static void random_mods(const struct draw *d, struct xk_operand *o)
{
    if (traits(d) & XK_TRAIT_SRCMOD && o->file != XK_FILE_IMM) {
        o->neg = one_in(d, 4);
        o->abs = one_in(d, 4);
    }
}

static void random_basic_region(const struct draw *d, struct xk_operand *o)
{
    o->rgn.width = (uint8_t)(1u << below(d, 5));
    o->rgn.hs = stride(d, true);
    o->rgn.vs = (uint8_t)(one_in(d, 4) ? 0 : 1u << below(d, 6));
    if (o->indirect && one_in(d, 2))
        o->rgn.vs = XK_VS_VXH;
}

/* Whether the last source may be an immediate of its type. */
static bool may_be_imm(const struct draw *d, const struct xk_operand *o)
{
    const struct xk_inst *const i = d->i;
    const unsigned b = xk_reg_type_b(o->type);

    if (d->t->imm_code[o->type] == XK_NO_CODE)
        return false;
    return b < 8 || (xk_opcode_n_srcs(i->op) == 1 && !i->cond);
}

static void random_basic_src(const struct draw *d, unsigned k, uint32_t set)
{
    static const uint8_t vectors[] = {XK_RT_V, XK_RT_UV, XK_RT_VF};
    const struct xk_src_fields *const f = &xk_basic_src[k];
    struct xk_inst *const i = d->i;
    struct xk_operand *const o = &i->src[k];

    o->type = (uint8_t)bit_of(d, set);
    if (k == xk_inst_n_srcs(i) - 1 && may_be_imm(d, o) && one_in(d, 4)) {
        if (i->op == XK_OPC_MOV && one_in(d, 4))
            o->type = vectors[below(d, 3)];
        random_imm(d, o);
        return;
    }
    if (i->op == XK_OPC_MOVI && k == 0)
        random_indirect(d, o, f->a0_off);
    else
        random_operand(d, o, f->sub, f->a0_off);
    random_basic_region(d, o);
    random_mods(d, o);
}

/* The macros name an extended accumulator and have fixed regions. */
static void macro_operand(const struct draw *d, struct xk_operand *o,
                          enum xk_reg_type type, struct xk_region rgn)
{
    memset(o, 0, sizeof(*o));
    o->type = (uint8_t)type;
    o->file = XK_FILE_GRF;
    o->reg = (uint16_t)below(d, 256);
    o->sub_b = (uint16_t)below(d, 9);
    o->rgn = rgn;
}

static void random_math_macro(const struct draw *d, enum xk_reg_type type)
{
    struct xk_inst *const i = d->i;
    /* as the assembler writes it */
    const struct xk_region rgn = {i->exec == 1 ? 0 : 1, 1, 0};

    macro_operand(d, &i->dst, type, (struct xk_region){0, 0, 1});
    for (unsigned k = 0; k < xk_inst_n_srcs(i); k++)
        macro_operand(d, &i->src[k], type, rgn);
    i->cond = XK_COND_EO;
}

static void random_basic(const struct draw *d)
{
    struct xk_inst *const i = d->i;
    const struct xk_type_row *const row = type_row(d);

    random_options(d);
    i->dst.type = (uint8_t)bit_of(d, row->dst);
    if (i->op == XK_OPC_MATH)
        i->math_fn = (uint8_t)bit_of(d, d->t->math_fns);
    if (xk_math_is_macro(i)) {
        random_math_macro(d, i->dst.type);
        return;
    }
    random_operand(d, &i->dst, XK_FLD_B_DST_SUB, XK_FLD_B_DST_OFF);
    i->dst.rgn.hs = stride(d, false);
    for (unsigned k = 0; k < xk_inst_n_srcs(i); k++)
        random_basic_src(d, k, row->src);
}

static bool may_be_imm16(const struct draw *d, enum xk_reg_type t)
{
    return (xk_reg_type_b(t) == 2 && d->t->imm_code[t] != XK_NO_CODE) ||
           t == XK_RT_D || t == XK_RT_UD;
}

static void random_ternary_src(const struct draw *d, unsigned k, uint32_t set)
{
    static const uint8_t vs[] = {0, 1, 4, 8};
    struct xk_operand *const o = &d->i->src[k];

    o->type = (uint8_t)bit_of(d, set);
    if (k != 1 && one_in(d, 4) && may_be_imm16(d, o->type)) {
        random_imm(d, o);
        if (o->type == XK_RT_D)
            o->imm = (uint32_t)(int16_t)o->imm;
        else
            o->imm &= 0xffff;
        return;
    }
    if (one_in(d, 4))
        random_acc(d, o);
    else
        random_grf(d, o, xk_ternary_src[k].sub);
    if (k < 2)
        o->rgn.vs = vs[below(d, 4)];
    o->rgn.hs = stride(d, true);
    random_mods(d, o);
}

static void random_madm(const struct draw *d, enum xk_reg_type type)
{
    struct xk_inst *const i = d->i;

    macro_operand(d, &i->dst, type, (struct xk_region){0, 0, 1});
    macro_operand(d, &i->src[0], type, (struct xk_region){4, 0, 1});
    macro_operand(d, &i->src[1], type, (struct xk_region){4, 0, 1});
    macro_operand(d, &i->src[2], type, (struct xk_region){0, 0, 1});
    i->cond = XK_COND_NONE;
}

static void random_ternary(const struct draw *d)
{
    static const uint8_t bfn_cond[] = {XK_COND_NONE, XK_COND_EQ, XK_COND_GT,
                                       XK_COND_LT};
    struct xk_inst *const i = d->i;
    const struct xk_type_row *const row = type_row(d);

    random_options(d);
    i->dst.type = (uint8_t)bit_of(d, row->dst);
    if (i->op == XK_OPC_MADM) {
        random_madm(d, i->dst.type);
        return;
    }
    if (one_in(d, 8))
        random_acc(d, &i->dst);
    else
        random_grf(d, &i->dst, XK_FLD_T_DST_SUB);
    i->dst.rgn.hs = (uint8_t)(1 + below(d, 2));
    for (unsigned k = 0; k < 3; k++)
        random_ternary_src(d, k, row->src);
    if (i->op == XK_OPC_BFN) {
        i->bfn = (uint8_t)below(d, 256);
        i->cond = bfn_cond[below(d, 4)];
    }
}

/* Rows of dpas name accumulator and matrix types in one set. */
static void random_dpas_types(const struct draw *d)
{
    const struct xk_type_row *const row = type_row(d);
    const uint32_t wide = 1u << XK_RT_F | 1u << XK_RT_D | 1u << XK_RT_UD;
    struct xk_inst *const i = d->i;

    i->dst.type = (uint8_t)bit_of(d, row->dst);
    i->src[0].type = (uint8_t)bit_of(d, row->dst);
    i->src[1].type = (uint8_t)bit_of(d, row->src & ~wide);
    i->src[2].type = row->dst & 1u << XK_RT_F
                         ? i->src[1].type
                         : (uint8_t)bit_of(d, row->src & ~wide);
}

static void random_dpas(const struct draw *d)
{
    struct xk_inst *const i = d->i;

    i->sdepth = (uint8_t)(1u << bit_of(d, d->t->dpas_depths));
    i->rcount = (uint8_t)(1 + below(d, 8));
    i->atomic = one_in(d, 4);
    random_dpas_types(d);
    random_grf(d, &i->dst, XK_FLD_D_DST_SUB);
    random_grf(d, &i->src[0], XK_FLD_D_SRC0_SUB);
    random_grf(d, &i->src[1], XK_FLD_D_SRC1_SUB);
    random_grf(d, &i->src[2], XK_FLD_D_SRC2_SUB);
    if (one_in(d, 4)) {
        i->src[0].file = XK_FILE_ARF;
        i->src[0].arf = XK_ARF_NULL;
        i->src[0].reg = i->src[0].sub_b = 0;
    }
}

static void random_payload(const struct draw *d, struct xk_operand *o)
{
    o->type = XK_RT_UD;
    o->file = one_in(d, 4) ? XK_FILE_ARF : XK_FILE_GRF;
    if (o->file == XK_FILE_GRF)
        o->reg = (uint16_t)below(d, 256);
}

static void random_send_descs(const struct draw *d)
{
    struct xk_send_info *const s = &d->i->send;

    s->desc_reg = one_in(d, 4);
    s->exdesc_reg = one_in(d, 4);
    if (!s->desc_reg)
        s->desc = (uint32_t)rng_bits(d->r);
    if (s->exdesc_reg) {
        s->exbso = has_field(d, XK_FLD_S_EXBSO) && one_in(d, 2);
        s->exdesc_sub = (uint8_t)below(d, 8);
    }
    if (!s->exdesc_reg || s->exbso)
        s->src1_len = (uint8_t)below(d, 32);
    if (!s->exdesc_reg)
        s->exdesc =
            ((uint32_t)rng_bits(d->r) & 0xfffff800u) | s->src1_len * 64u;
}

static void random_send(const struct draw *d)
{
    struct xk_inst *const i = d->i;
    struct xk_send_info *const s = &i->send;

    i->atomic = one_in(d, 8);
    s->sfid = (uint8_t)bit_of(d, d->t->sfids);
    s->eot = one_in(d, 8);
    s->fused_serialize = has_field(d, XK_FLD_S_FUSION) && one_in(d, 8);
    random_send_descs(d);
    random_payload(d, &i->dst);
    random_payload(d, &i->src[0]);
    random_payload(d, &i->src[1]);
    if (i->src[1].reg + s->src1_len > 256 ||
        (i->src[1].file == XK_FILE_ARF && (!s->exdesc_reg || s->exbso))) {
        s->src1_len = 0;
        s->exdesc &= ~0x7c0u;
    }
}

static void random_branch(const struct draw *d)
{
    struct xk_inst *const i = d->i;
    const unsigned shape = xk_branch_shape(i->op);

    i->atomic = one_in(d, 8);
    i->branch_ctrl = shape & XK_BR_CTRL && one_in(d, 2);
    if (shape & XK_BR_DST) {
        i->dst.type = XK_RT_UD;
        random_grf(d, &i->dst, XK_FLD_J_DST_SUB);
        if (one_in(d, 8)) {
            i->dst.file = XK_FILE_ARF; /* null */
            i->dst.reg = i->dst.sub_b = 0;
        }
    }
    if (shape & XK_BR_SCALAR) {
        i->exec = 1;
        i->chan_off = 0;
        i->no_mask = true;
    }
    if (shape & XK_BR_NO_IMM || (shape & XK_BR_REG && one_in(d, 3))) {
        i->src[0].type = XK_RT_D;
        random_grf(d, &i->src[0], XK_FLD_J_SRC0_SUB);
        return;
    }
    i->jip_b = (int32_t)(below(d, 1 << 20) - (1 << 19)) * 16;
    if (shape & XK_BR_UIP)
        i->uip_b = (int32_t)(below(d, 1 << 20) - (1 << 19)) * 16;
}

static void random_sync(const struct draw *d)
{
    struct xk_inst *const i = d->i;
    struct xk_operand *const o = &i->src[0];

    i->exec = 1;
    i->chan_off = 0;
    i->atomic = one_in(d, 8);
    i->sync_fn = (uint8_t)bit_of(d, d->t->sync_fns);
    o->file = XK_FILE_ARF;
    if ((i->sync_fn == XK_SYNC_ALLRD || i->sync_fn == XK_SYNC_ALLWR ||
         (i->sync_fn == XK_SYNC_BAR && d->t->sync_bar_operand)) &&
        one_in(d, 2)) {
        o->file = XK_FILE_IMM;
        o->type = XK_RT_UD;
        o->imm = (uint32_t)rng_bits(d->r);
    } else if (i->sync_fn == XK_SYNC_BAR && d->t->sync_bar_operand &&
               one_in(d, 2)) {
        o->arf = XK_ARF_F;
        o->type = XK_RT_UD;
        o->reg = (uint16_t)below(d, d->t->n_arf[XK_ARF_F]);
    }
}

static void random_nullary(const struct draw *d)
{
    const uint16_t op = d->i->op;

    memset(d->i, 0, sizeof(*d->i));
    d->i->op = op;
    d->i->exec = 1;
    if (op != XK_OPC_ILLEGAL) /* all bits of it are zero */
        random_swsb(d);
}

void random_inst(const struct xk_platform *p, struct rng *r, enum xk_opcode op,
                 struct xk_inst *i)
{
    static void (*const of_format[XK_N_FORMATS])(const struct draw *) = {
        [XK_FMT_NULLARY] = random_nullary, [XK_FMT_SYNC] = random_sync,
        [XK_FMT_BASIC] = random_basic,     [XK_FMT_TERNARY] = random_ternary,
        [XK_FMT_DPAS] = random_dpas,       [XK_FMT_SEND] = random_send,
        [XK_FMT_BRANCH] = random_branch,
    };
    const struct draw d = {p, xk_isa_tables_get(p, NULL), r, i};

    memset(i, 0, sizeof(*i));
    i->op = (uint16_t)op;
    random_header(&d);
    of_format[xk_opcode_format(op)](&d);
    random_flag(&d);
}

void random_targets(struct rng *r, struct xk_inst *i, unsigned at, unsigned n)
{
    const unsigned shape = xk_branch_shape(i->op);
    const int base = i->op == XK_OPC_CALLA ? 0 : (int)at;

    if (!xk_inst_is_branch(i) || i->src[0].file != XK_FILE_NONE)
        return;
    i->jip_b = ((int)rng_below(r, n) - base) * 16;
    if (shape & XK_BR_UIP)
        i->uip_b = ((int)rng_below(r, n) - base) * 16;
}

enum xk_opcode random_opcode(const struct xk_platform *p, struct rng *r)
{
    const struct xk_isa_tables *const t = xk_isa_tables_get(p, NULL);
    unsigned op;

    do
        op = rng_below(r, XK_N_OPCODES);
    while (t->op_code[op] == XK_NO_CODE);
    return op;
}
