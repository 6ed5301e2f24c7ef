/* SPDX-License-Identifier: Apache-2.0 */
/* The validator: walks the rules of isa/rules.def over a decoded instruction
 * and reports every broken one. A predicate assumes nothing about the others;
 * the table says where it could apply at all. */
#include "isa/validate.h"

#include "base/alloc.h"
#include "isa/platform_set.h"

enum {
    B = 1 << XK_FMT_BASIC,
    T = 1 << XK_FMT_TERNARY,
    D = 1 << XK_FMT_DPAS,
    S = 1 << XK_FMT_SEND,
    J = 1 << XK_FMT_BRANCH,
    Y = 1 << XK_FMT_SYNC,
    N = 1 << XK_FMT_NULLARY,
};

enum {
    PRED = XK_HAS_PRED,
    COND = XK_HAS_COND,
    SAT = XK_HAS_SAT,
    MODS = XK_HAS_MODS,
    IMM = XK_HAS_IMM,
    IND = XK_HAS_IND,
    ACC = XK_HAS_ACC,
    ARF = XK_HAS_ARF,
    FLOAT = XK_HAS_FLOAT,
    HF = XK_HAS_HF,
    BF = XK_HAS_BF,
    BYTE = XK_HAS_BYTE,
    QW = XK_HAS_QW,
    GRF_DST = XK_HAS_GRF_DST,
    LANES = XK_HAS_LANES,
    SWSB = XK_HAS_SWSB,
    MACRO = XK_HAS_MACRO,
    EOT = XK_HAS_EOT,
    MUL = XK_IS_MUL,
    MAD = XK_IS_MAD,
    MAC = XK_IS_MAC,
    LOGIC = XK_IS_LOGIC,
    CMP = XK_IS_CMP,
    SEL = XK_IS_SEL,
    MATH = XK_IS_MATH,
    MOV = XK_IS_MOV,
    MOVI = XK_IS_MOVI,
    CARRY = XK_IS_CARRY,
    SHIFT = XK_IS_SHIFT,
    DP4A = XK_IS_DP4A,
};

#define MAN XK_PROOF_MANUAL
#define IGA XK_PROOF_IGA

static const struct xk_isa_rule rules[] = {
#define XK_ISA_RULE(id, formats, on, needs, proof, source, why)                \
    {{#id, why, source}, xk_broken_##id, needs, formats, on, proof},
#define XK_PROGRAM_RULE(id, on, source, why)
#include "isa/rules.def"
#undef XK_ISA_RULE
#undef XK_PROGRAM_RULE
#define XK_ISA_RULE(id, formats, on, needs, proof, source, why)
#define XK_PROGRAM_RULE(id, on, source, why)                                   \
    {{#id, why, source}, NULL, 0, 0, on, MAN},
#include "isa/rules.def"
#undef XK_ISA_RULE
#undef XK_PROGRAM_RULE
};

#define N_INST_RULES (XK_COUNTOF(rules) - XK_N_PROGRAM_RULES)

/* Kept beside the rules, so that most rules are passed over at a glance: a
 * format or platform that is `out`, or a need that is missing. */
static const struct {
    uint32_t needs;
    uint32_t out; /* formats and, from bit 16 on, platforms it is not for */
} gates[N_INST_RULES] = {
#define XK_ISA_RULE(id, formats, on, needs, proof, source, why)                \
    {needs, (0xffffu & ~(formats)) | (0xffffu & ~(on)) << 16},
#define XK_PROGRAM_RULE(id, on, source, why)
#include "isa/rules.def"
#undef XK_ISA_RULE
#undef XK_PROGRAM_RULE
};

static const uint32_t op_is[XK_N_OPCODES] = {
    [XK_OPC_MUL] = MUL,   [XK_OPC_MAD] = MAD,    [XK_OPC_MAC] = MAC,
    [XK_OPC_MACH] = MAC,  [XK_OPC_MACL] = MAC,   [XK_OPC_NOT] = LOGIC,
    [XK_OPC_AND] = LOGIC, [XK_OPC_OR] = LOGIC,   [XK_OPC_XOR] = LOGIC,
    [XK_OPC_CMP] = CMP,   [XK_OPC_CMPN] = CMP,   [XK_OPC_SEL] = SEL,
    [XK_OPC_CSEL] = SEL,  [XK_OPC_MATH] = MATH,  [XK_OPC_MOV] = MOV,
    [XK_OPC_MOVI] = MOVI, [XK_OPC_ADDC] = CARRY, [XK_OPC_SUBB] = CARRY,
    [XK_OPC_SHR] = SHIFT, [XK_OPC_SHL] = SHIFT,  [XK_OPC_ASR] = SHIFT,
    [XK_OPC_ROR] = SHIFT, [XK_OPC_ROL] = SHIFT,  [XK_OPC_DP4A] = DP4A,
};

static const uint32_t type_has[XK_N_REG_TYPES] = {
    [XK_RT_UB] = BYTE,  [XK_RT_B] = BYTE,        [XK_RT_UQ] = QW,
    [XK_RT_Q] = QW,     [XK_RT_HF] = HF | FLOAT, [XK_RT_BF] = BF | FLOAT,
    [XK_RT_F] = FLOAT,  [XK_RT_DF] = FLOAT | QW, [XK_RT_TF32] = FLOAT,
    [XK_RT_VF] = FLOAT, [XK_RT_BF8] = FLOAT,     [XK_RT_HF8] = FLOAT,
};

const struct xk_isa_rule *xk_isa_rules(unsigned *n)
{
    *n = XK_COUNTOF(rules);
    return rules;
}

const struct xk_isa_rule *xk_isa_program_rule(enum xk_program_rule r)
{
    return &rules[N_INST_RULES + r];
}

static uint32_t operand_has(const struct xk_operand *o)
{
    const uint32_t type = o->type < XK_N_REG_TYPES ? type_has[o->type] : 0;

    switch (o->file) {
    case XK_FILE_IMM: /* its value is converted before */
        return IMM | (type & ~(uint32_t)FLOAT);
    case XK_FILE_ARF:
        if (o->arf == XK_ARF_ACC)
            return ACC | type;
        return o->arf == XK_ARF_NULL || o->arf == XK_ARF_MME ? type
                                                             : ARF | type;
    default:
        return o->indirect ? IND | type : type;
    }
}

static uint32_t inst_has(const struct xk_rule_view *v)
{
    const struct xk_inst *const i = v->i;
    uint32_t has = i->op < XK_N_OPCODES ? op_is[i->op] : 0;

    has |= (i->pred ? PRED : 0) | (i->cond ? COND : 0) | (i->sat ? SAT : 0) |
           (i->exec > 1 ? LANES : 0) | (i->send.eot ? EOT : 0);
    if (i->swsb.dist || i->swsb.mode || i->swsb.no_acc_sb)
        has |= SWSB;
    if (xk_math_is_macro(i))
        has |= MACRO;
    if (i->dst.file != XK_FILE_NONE)
        has |=
            operand_has(&i->dst) | (i->dst.file == XK_FILE_GRF ? GRF_DST : 0);
    XK_EACH_SRC(v, o)
    has |= operand_has(o) | (o->neg || o->abs ? MODS : 0);
    return has;
}

static void set_view(struct xk_rule_view *v, const struct xk_platform *p,
                     const struct xk_inst *i)
{
    v->p = p;
    v->i = i;
    v->t = xk_isa_tables_get(p, NULL);
    v->format = xk_opcode_format(i->op);
    v->n_srcs = xk_inst_n_srcs(i);
    v->traits = xk_opcode_traits(p, i->op);
    v->null_dst = xk_is_null(&i->dst);
    v->has = inst_has(v);
    for (int k = 0; k < 4; k++)
        v->fp[k] = (k ? i->src[k - 1].file : i->dst.file) == XK_FILE_GRF
                       ? xk_inst_footprint(p, i, k - 1)
                       : (struct xk_footprint){0, 0};
}

unsigned xk_inst_validate(const struct xk_platform *p, const struct xk_inst *i,
                          struct xk_isa_violation *out, unsigned max)
{
    struct xk_rule_view v;
    unsigned n = 0;

    set_view(&v, p, i);
    const uint32_t is = 1u << v.format | 1u << (16 + p->id), has = v.has;
    for (unsigned k = 0; k < N_INST_RULES; k++) {
        const struct xk_isa_rule *const r = &rules[k];

        if ((gates[k].out & is) | (gates[k].needs & ~has) || !r->broken(&v))
            continue;
        if (n < max)
            out[n] = r->text;
        n++;
    }
    return n;
}

bool xk_footprints_meet(struct xk_footprint a, struct xk_footprint b)
{
    return a.first_b < b.end_b && b.first_b < a.end_b;
}
