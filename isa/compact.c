/* SPDX-License-Identifier: Apache-2.0 */
/* The 64-bit form, both ways: three to five table rows and the register numbers
 * together are the native instruction. An instruction that does not fit the
 * rows, or has a bit without a place in the form, has no 64-bit form:
 * compacting never loses a bit. */
#include "isa/compact.h"

#include "base/alloc.h"

/* A compact word and what it stands for, one being made from the other. */
struct expansion {
    const struct xk_isa_tables *t;
    const struct xk_compact_kind *kind;
    bool ambiguous; /* other compact words may stand for the same */
    uint64_t compact, n[2];
    uint64_t said[2]; /* native bits that the indices and fields cover */
};

static uint64_t mask(unsigned count)
{
    return (UINT64_C(1) << count) - 1;
}

/* A field of the compact form: one or two runs of bits. */
static uint32_t get_compact(const struct expansion *x, unsigned id)
{
    const struct xk_field *const f = &x->t->field[id];
    const struct xk_field_part p = f->part[0], q = f->part[1];
    uint64_t v = x->compact >> p.first & mask(p.count);

    if (f->n_parts > 1)
        v |= (x->compact >> q.first & mask(q.count)) << p.count;
    return (uint32_t)v;
}

static void put_native(struct expansion *x, unsigned id, uint64_t v)
{
    const struct xk_field *const f = &x->t->field[id];
    const struct xk_field_part p = f->part[0], q = f->part[1];

    x->compact |= (v & mask(p.count)) << p.first;
    if (f->n_parts > 1)
        x->compact |= (v >> p.count & mask(q.count)) << q.first;
}

/* Fields of the native form; all that are used here are one run of bits. */
static uint32_t native(const struct expansion *x, unsigned id)
{
    const struct xk_field_part p = x->t->field[id].part[0];

    return (uint32_t)(x->n[p.first >> 6] >> (p.first & 63) & mask(p.count));
}

static void set_native(struct expansion *x, unsigned id, uint64_t v)
{
    const struct xk_field_part p = x->t->field[id].part[0];

    x->n[p.first >> 6] |= v << (p.first & 63);
}

static uint32_t rep16(uint32_t v)
{
    return (v & 0xffff) | v << 16;
}

/* Twelve bits of immediate as the native form has them. */
static uint32_t widen_imm(enum xk_compact_imm how, uint32_t v)
{
    const uint32_t wide = (v ^ 0x800) - 0x800; /* sign extended */

    switch (how) {
    case XK_COMPACT_IMM_NONE:
    case XK_COMPACT_IMM_Z:
        return v;
    case XK_COMPACT_IMM_S:
        return wide;
    case XK_COMPACT_IMM_ZZ:
        return rep16(v);
    case XK_COMPACT_IMM_SS:
        return rep16(wide);
    case XK_COMPACT_IMM_H:
        return v << 20;
    case XK_COMPACT_IMM_HH:
        return rep16(v << 4);
    }
    return v;
}

/* The twelve bits of an immediate that widen() may make it from. */
static uint32_t narrow(enum xk_compact_imm how, uint32_t imm)
{
    if (how == XK_COMPACT_IMM_H)
        return imm >> 20;
    return (how == XK_COMPACT_IMM_HH ? imm >> 4 : imm) & 0xfff;
}

static enum xk_compact_imm imm_rule(const struct expansion *x)
{
    const unsigned type = x->t->type_of_imm[native(x, x->kind->type) & 15];

    return type ? xk_compact_imms[type - 1] : XK_COMPACT_IMM_NONE;
}

static const struct xk_compact_bits *
compact_row(const struct expansion *x, const struct xk_compact_lookup *l)
{
    return &x->t->compact->row[l->table][get_compact(x, l->index)];
}

/* Whether a source is an immediate, if `bits` are bits 63:0 of the native
 * form. */
static bool has_imm(const struct expansion *x, uint64_t bits)
{
    return x->kind->imm_form &&
           bits >> x->t->field[x->kind->flag].part[0].first & 1;
}

static enum xk_status expand_imm(struct expansion *x, struct xk_error *err)
{
    const enum xk_compact_imm how = imm_rule(x);

    if (how == XK_COMPACT_IMM_NONE)
        return xk_isa_fail(err, XK_EPARSE,
                           "compact: no immediate of type code %u",
                           native(x, x->kind->type));
    set_native(x, XK_FLD_B_IMM_LO,
               widen_imm(how, get_compact(x, XK_FLD_C_IMM)));
    return XK_OK;
}

/* The native bits of x->compact. */
static enum xk_status expand(struct expansion *x, struct xk_error *err)
{
    const struct xk_compact_form *f = &x->t->compact->form[x->kind->form];
    const bool imm =
        has_imm(x, compact_row(x, &f->lookup[XK_COMPACT_TYPE_LOOKUP])->lo);
    const struct xk_compact_bits *const unread =
        imm ? &x->kind->unread_imm : &x->kind->unread;
    uint64_t lo = 0, hi = 0;
    enum xk_status st = XK_OK;

    if (imm)
        f = &x->t->compact->form[x->kind->imm_form];
    for (unsigned k = 0; k < XK_COUNTOF(f->lookup) && f->lookup[k].index; k++) {
        const struct xk_compact_lookup *const l = &f->lookup[k];
        const struct xk_compact_bits *const r = compact_row(x, l);

        lo |= r->lo & l->care.lo;
        hi |= r->hi & l->care.hi;
    }
    x->n[0] = lo;
    x->n[1] = hi;
    if (imm && x->kind->imm_form != x->kind->form)
        st = expand_imm(x, err);
    for (unsigned k = 0; k < XK_COUNTOF(f->reg) && f->reg[k].compact; k++)
        set_native(x, f->reg[k].native, get_compact(x, f->reg[k].compact));
    x->ambiguous = imm || (x->n[0] & unread->lo) | (x->n[1] & unread->hi);
    x->n[0] &= ~unread->lo;
    x->n[1] &= ~unread->hi;
    set_native(x, XK_FLD_OPCODE, get_compact(x, XK_FLD_OPCODE));
    set_native(x, XK_FLD_SWSB, get_compact(x, XK_FLD_SWSB));
    set_native(x, XK_FLD_DEBUG, get_compact(x, XK_FLD_C_DEBUG));
    return st;
}

/* The index whose row fits, the first one as assemblers choose it. */
static bool find_index(struct expansion *x, const struct xk_compact_lookup *l)
{
    const struct xk_compact_bits *const rows = x->t->compact->row[l->table];
    const uint64_t lo = x->n[0] & l->care.lo, hi = x->n[1] & l->care.hi;
    const unsigned n = 1U << x->t->field[l->index].n_bits;

    for (unsigned k = 0; k < n; k++) {
        if (!(((rows[k].lo & l->care.lo) ^ lo) |
              ((rows[k].hi & l->care.hi) ^ hi))) {
            put_native(x, l->index, k);
            x->said[0] |= l->care.lo;
            x->said[1] |= l->care.hi;
            return true;
        }
    }
    return false;
}

static void say(struct expansion *x, unsigned id)
{
    const struct xk_field_part p = x->t->field[id].part[0];

    x->said[p.first >> 6] |= mask(p.count) << (p.first & 63);
}

/* A native field that the form has, too. */
static void copy_field(struct expansion *x, unsigned to, unsigned id)
{
    put_native(x, to, native(x, id));
    say(x, id);
}

static bool compact_imm(struct expansion *x)
{
    const enum xk_compact_imm how = imm_rule(x);
    const uint32_t imm = native(x, XK_FLD_B_IMM_LO), v = narrow(how, imm);

    if (how == XK_COMPACT_IMM_NONE || widen_imm(how, v) != imm)
        return false;
    put_native(x, XK_FLD_C_IMM, v);
    say(x, XK_FLD_B_IMM_LO);
    return true;
}

/* Sets x->compact from the native bits; false where a row or a place is
 * missing. */
static bool compact(struct expansion *x)
{
    const bool imm = has_imm(x, x->n[0]);
    const struct xk_compact_form *const f =
        &x->t->compact->form[imm ? x->kind->imm_form : x->kind->form];
    const struct xk_compact_bits *const unread =
        imm ? &x->kind->unread_imm : &x->kind->unread;

    x->compact = x->said[0] = x->said[1] = 0;
    for (unsigned k = 0; k < XK_COUNTOF(f->lookup) && f->lookup[k].index; k++) {
        if (!find_index(x, &f->lookup[k]))
            return false;
    }
    if (imm && x->kind->imm_form != x->kind->form && !compact_imm(x))
        return false;
    for (unsigned k = 0; k < XK_COUNTOF(f->reg) && f->reg[k].compact; k++)
        copy_field(x, f->reg[k].compact, f->reg[k].native);
    copy_field(x, XK_FLD_OPCODE, XK_FLD_OPCODE);
    copy_field(x, XK_FLD_SWSB, XK_FLD_SWSB);
    copy_field(x, XK_FLD_C_DEBUG, XK_FLD_DEBUG);
    put_native(x, XK_FLD_COMPACT, 1);
    return !(x->n[0] & (~x->said[0] | unread->lo)) &&
           !(x->n[1] & (~x->said[1] | unread->hi));
}

/* Does x->compact stand for the native bits? */
static bool stands_for(const struct expansion *x)
{
    struct expansion back = *x;

    return get_compact(x, XK_FLD_COMPACT) && expand(&back, NULL) == XK_OK &&
           back.n[0] == x->n[0] && back.n[1] == x->n[1];
}

enum xk_status xk_isa_expand(const struct xk_isa_tables *t, uint64_t word,
                             uint64_t out[2], uint64_t *as,
                             struct xk_error *err)
{
    struct expansion x = {.t = t, .compact = word};
    const unsigned code = get_compact(&x, XK_FLD_OPCODE),
                   op = t->op_of_code[code];
    const unsigned kind = op ? t->compact->kind_of[op - 1] : 0;
    enum xk_status st;

    if (!kind)
        return xk_isa_fail(err, XK_EPARSE, "opcode 0x%02x has no compact form",
                           code);
    x.kind = &t->compact->kind[kind];
    st = expand(&x, err);
    out[0] = x.n[0];
    out[1] = x.n[1];
    if (st == XK_OK && x.ambiguous)
        *as = compact(&x) && x.compact == word ? 0 : word;
    return st;
}

/* Prepares for compact(), if the opcode can be compacted at all and encodes. */
static bool begin_expansion(struct expansion *x, const struct xk_platform *p,
                            const struct xk_inst *i)
{
    struct xk_inst plain = *i;
    uint8_t bytes[XK_INST_B];

    x->t = xk_isa_tables_get(p, NULL);
    if (!x->t || i->op >= XK_N_OPCODES || !x->t->compact->kind_of[i->op])
        return false;
    x->kind = &x->t->compact->kind[x->t->compact->kind_of[i->op]];
    plain.compacted = false;
    if (xk_inst_encode(p, &plain, bytes, NULL) != XK_OK)
        return false;
    for (unsigned k = 0; k < XK_INST_B; k++)
        x->n[k >> 3] |= (uint64_t)bytes[k] << 8 * (k & 7);
    return true;
}

static void store_compact(const struct expansion *x, uint8_t out[XK_INST_B / 2])
{
    for (unsigned k = 0; k < XK_INST_B / 2; k++)
        out[k] = (uint8_t)(x->compact >> 8 * k);
}

bool xk_inst_compact(const struct xk_platform *p, const struct xk_inst *i,
                     uint8_t out[XK_INST_B / 2])
{
    struct expansion x = {0};

    if (!begin_expansion(&x, p, i) || !compact(&x))
        return false;
    store_compact(&x, out);
    return true;
}

enum xk_status xk_inst_encode_as_marked(const struct xk_platform *p,
                                        const struct xk_inst *i,
                                        uint8_t out[XK_INST_B], size_t *used_b,
                                        struct xk_error *err)
{
    struct expansion x = {0};
    struct xk_inst plain = *i;
    enum xk_status st;

    *used_b = xk_inst_size_b(i);
    if (i->compacted && begin_expansion(&x, p, i)) {
        x.compact = i->compact_as;
        if (stands_for(&x) || compact(&x)) {
            store_compact(&x, out);
            return XK_OK;
        }
    }
    plain.compacted = false;
    st = xk_inst_encode(p, &plain, out, err);
    if (st != XK_OK || !i->compacted)
        return st;
    return xk_isa_fail(err, XK_EINVAL, "%s: has no compacted form",
                       xk_opcode_name(i->op));
}
