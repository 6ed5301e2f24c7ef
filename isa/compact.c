/* SPDX-License-Identifier: Apache-2.0 */
/* The 64-bit form, expanded: three or five table rows and the register numbers
 * together are the native instruction. Rows: isa/compact.def (xehpg). */
#include "isa/format.h"

#include "base/alloc.h"

struct row {
    uint64_t lo, hi;
};

enum table {
    CONTROL,
    DATATYPE,
    SUBREG,
    SRC0,
    SRC1,
    CONTROL3,
    SOURCE3,
    SUBREG3,
    N_TABLES
};

static const struct row rows[N_TABLES][32] = {
#define XK_COMPACT(table, index, lo, hi) [table][index] = {lo, hi},
#include "isa/compact.def"
#undef XK_COMPACT
};

struct expansion {
    const struct xk_isa_tables *t;
    uint64_t compact, n[2];
};

/* All fields used here are one run of bits. */
static struct xk_field_part run(const struct expansion *x, unsigned id)
{
    return x->t->field[id].part[0];
}

static uint64_t mask(struct xk_field_part p)
{
    return ((UINT64_C(1) << p.count) - 1) << (p.first & 63);
}

/* A field of the compact form. */
static uint64_t get(const struct expansion *x, unsigned id)
{
    const struct xk_field_part p = run(x, id);

    return (x->compact & mask(p)) >> p.first;
}

/* Fields of the native form. */
static uint64_t native(const struct expansion *x, unsigned id)
{
    const struct xk_field_part p = run(x, id);

    return (x->n[p.first >> 6] & mask(p)) >> (p.first & 63);
}

static void set(struct expansion *x, unsigned id, uint64_t v)
{
    const struct xk_field_part p = run(x, id);

    x->n[p.first >> 6] &= ~mask(p);
    x->n[p.first >> 6] |= v << (p.first & 63);
}

static void add_row(struct expansion *x, enum table table, uint64_t index)
{
    x->n[0] |= rows[table][index].lo;
    x->n[1] |= rows[table][index].hi;
}

/* A source that is not there, or an immediate's unused fields: the tables give
 * them bits all the same. */
static void clear_src(struct expansion *x, unsigned k, bool type)
{
    const struct xk_src_fields *const f = &xk_basic_src[k];
    const uint8_t ids[] = {f->reg, f->sub,  f->file, f->hs, f->width,
                           f->vs,  f->mode, f->abs,  f->neg};

    for (unsigned j = 0; j < XK_COUNTOF(ids); j++)
        set(x, ids[j], 0);
    if (type)
        set(x, f->type, 0);
}

/* Twelve bits of immediate, widened as the type wants. */
static enum xk_status set_imm(struct expansion *x, unsigned k,
                              struct xk_error *err)
{
    const uint64_t type = native(x, xk_basic_src[k].type);
    const uint8_t *const codes = x->t->imm_code;
    const uint32_t v = (uint32_t)get(x, XK_FLD_C_IMM);
    const uint32_t wide = (v ^ 0x800) - 0x800; /* sign extended */
    uint32_t imm;

    if (type == codes[XK_RT_F])
        imm = v << 20;
    else if (type == codes[XK_RT_D])
        imm = wide;
    else if (type == codes[XK_RT_W])
        imm = (wide & 0xffff) | wide << 16;
    else if (type == codes[XK_RT_UW])
        imm = v | v << 16;
    else if (type == codes[XK_RT_UD] || type == codes[XK_RT_V])
        imm = v;
    else
        return xk_isa_fail(err, XK_EPARSE, "compact: immediate of type code %u",
                           (unsigned)type);
    clear_src(x, k, false);
    set(x, XK_FLD_B_IMM_LO, imm);
    return XK_OK;
}

static enum xk_status expand_basic(struct expansion *x, enum xk_opcode op,
                                   struct xk_error *err)
{
    unsigned n_srcs = xk_opcode_n_srcs(op);

    add_row(x, CONTROL, get(x, XK_FLD_C_CONTROL));
    add_row(x, DATATYPE, get(x, XK_FLD_C_DATATYPE));
    add_row(x, SUBREG, get(x, XK_FLD_C_SUBREG));
    add_row(x, SRC0, get(x, XK_FLD_C_SRC0));
    set(x, XK_FLD_B_SRC0_REG, get(x, XK_FLD_C_SRC0_REG));
    if (op == XK_OPC_MATH)
        n_srcs = xk_math_n_srcs((unsigned)native(x, XK_FLD_B_COND));
    if (n_srcs < 2) {
        set(x, XK_FLD_B_SRC1_IMM, 0);
        clear_src(x, 1, true);
        return native(x, XK_FLD_B_SRC0_IMM) ? set_imm(x, 0, err) : XK_OK;
    }
    if (native(x, XK_FLD_B_SRC1_IMM))
        return set_imm(x, 1, err);
    add_row(x, SRC1, get(x, XK_FLD_C_SRC1));
    set(x, XK_FLD_B_SRC1_REG, get(x, XK_FLD_C_SRC1_REG));
    return XK_OK;
}

static void expand_ternary(struct expansion *x)
{
    add_row(x, CONTROL3, get(x, XK_FLD_C_CONTROL));
    add_row(x, SOURCE3, get(x, XK_FLD_C_SOURCE));
    add_row(x, SUBREG3, get(x, XK_FLD_C_SUBREG));
    set(x, XK_FLD_T_SRC0_REG, get(x, XK_FLD_C_SRC0_REG));
    set(x, XK_FLD_T_SRC1_REG, get(x, XK_FLD_C_SRC1_REG));
    set(x, XK_FLD_T_SRC2_REG, get(x, XK_FLD_C_SRC2_REG));
}

enum xk_status xk_isa_expand(const struct xk_isa_tables *t, uint64_t compact,
                             uint64_t out[2], struct xk_error *err)
{
    struct expansion x = {.t = t, .compact = compact};
    const uint64_t code = get(&x, XK_FLD_OPCODE);
    const unsigned op = t->op_of_code[code];
    const enum xk_format format =
        op ? xk_opcode_format(op - 1) : XK_FMT_NULLARY;
    enum xk_status st = XK_OK;

    set(&x, XK_FLD_OPCODE, code);
    set(&x, XK_FLD_SWSB, get(&x, XK_FLD_SWSB));
    if (format == XK_FMT_BASIC || format == XK_FMT_SYNC)
        st = expand_basic(&x, op - 1, err);
    else if (format == XK_FMT_TERNARY || format == XK_FMT_DPAS)
        expand_ternary(&x);
    else
        st = xk_isa_fail(err, XK_EPARSE, "opcode 0x%02x has no compact form",
                         (unsigned)code);
    set(&x, XK_FLD_DEBUG, get(&x, XK_FLD_C_DEBUG));
    set(&x, XK_FLD_B_DST_REG, get(&x, XK_FLD_C_DST_REG));
    out[0] = x.n[0];
    out[1] = x.n[1];
    return st;
}
