/* SPDX-License-Identifier: Apache-2.0 */
/* Send messages between record and descriptor, by the rows of message.def.
 * Build decodes what it wrote and compares. So nothing in a record is silently
 * dropped, and a built message always decodes to its record. */
#include "isa/message.h"

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/format.h"
#include "isa/message_table.h"

#define DESC_RLEN 20, 5
#define DESC_MLEN 25, 4
#define SURF_OFF_MASK 0xfffff800u /* extended descriptor: bss, ss */

/* Fields of a record that a message may lack: if they are set, they must come
 * back. The derived ones may be left zero, and are then filled in. */
static const struct {
    uint8_t offset;
    bool derived;
    const char *name;
} inputs[] = {
#define IN(f)                                                                  \
    {                                                                          \
        offsetof(struct xk_msg, f), false, #f                                  \
    }
#define IN_OR_ZERO(f)                                                          \
    {                                                                          \
        offsetof(struct xk_msg, f), true, #f                                   \
    }
    IN_OR_ZERO(sfid),
    IN_OR_ZERO(lsc_op),
    IN_OR_ZERO(op),
    IN_OR_ZERO(addr_type),
    IN_OR_ZERO(addr_b),
    IN_OR_ZERO(data_b),
    IN_OR_ZERO(reg_b),
    IN_OR_ZERO(vec),
    IN(cmask),
    IN_OR_ZERO(transpose),
    IN(vnni),
    IN(data_high),
    IN_OR_ZERO(header),
    IN(last_use),
    IN(cache),
    IN(bti),
    IN(surf_imm),
    IN_OR_ZERO(surf_reg),
    IN_OR_ZERO(exbso),
    IN_OR_ZERO(simd),
    IN(slot_high),
    IN(fence_scope),
    IN(fence_flush),
    IN(commit),
    IN(flush_l1),
    IN(flush_l3),
    IN(sub),
    IN(active_only),
    IN(returns),
    IN(channel_dw),
    IN(fence_a64),
#undef IN
#undef IN_OR_ZERO
};

/* The surface, from the extended descriptor. */
static void decode_surface(const struct xk_send_info *s, struct xk_msg *m)
{
    m->surf_reg = s->exdesc_reg;
    m->exbso = s->exdesc_reg && s->exbso;
    m->unknown_src1 = s->exdesc_reg && !s->exbso;
    if (s->exdesc_reg) {
        m->surf_sub = s->exdesc_sub;
        return;
    }
    if (!xk_msg_is_lsc(m->sfid))
        return;
    if (m->addr_type == XK_LSC_BTI)
        m->bti = (uint8_t)(s->exdesc >> 24);
    m->surf_imm = m->addr_type == XK_LSC_BSS || m->addr_type == XK_LSC_SS;
    if (m->surf_imm)
        m->surf_off = s->exdesc & SURF_OFF_MASK;
}

static void lengths_only(const struct xk_inst *i, struct xk_msg *m)
{
    const struct xk_send_info *const s = &i->send;

    *m = (struct xk_msg){.sfid = s->sfid, .exec = i->exec};
    m->src1_grf = s->exdesc_reg && !s->exbso ? 0 : s->src1_len;
    if (s->desc_reg)
        return;
    m->dst_grf = (uint8_t)xk_msg_get(s->desc, DESC_RLEN);
    m->src0_grf = (uint8_t)xk_msg_get(s->desc, DESC_MLEN);
}

static enum xk_status get_fields(const struct xk_platform *p,
                                 const struct xk_msg_row *r, uint32_t desc,
                                 struct xk_msg *m, struct xk_error *err)
{
    for (const struct xk_msg_slot *f = xk_msg_slots(r->layout); f->field; f++) {
        if (!xk_msg_field_here(f->field, m))
            continue;
        if (f->field == XK_MF_BTI)
            m->addr_type = XK_LSC_BTI;
        if (!xk_msg_field_get(p, f->field, xk_msg_get(desc, f->first, f->width),
                              m, err))
            return XK_EPARSE;
    }
    return XK_OK;
}

/* XK_EPARSE: a value is reserved, and *m is not more than the lengths. */
static enum xk_status decode_message(const struct xk_platform *p,
                                     const struct xk_inst *i, struct xk_msg *m,
                                     struct xk_error *err)
{
    const struct xk_send_info *const s = &i->send;
    const unsigned kind = s->desc_reg ? XK_MSG_UNKNOWN : xk_msg_find(p, s);
    const struct xk_msg_row *const r = xk_msg_row(kind);

    lengths_only(i, m);
    if (s->desc_reg)
        return xk_isa_fail(err, XK_EPARSE, "message: descriptor in a0.0");
    if (!r)
        return xk_isa_fail(err, XK_EPARSE,
                           "message: descriptor 0x%08x of %s%s means nothing "
                           "on %s",
                           s->desc, xk_msg_sfid_name(s->sfid),
                           s->eot ? " with EOT" : "", p->name);
    m->kind = (uint8_t)kind;
    if (r->layout == XK_LAYOUT_OPAQUE)
        return XK_OK;
    m->op = r->op;
    m->addr_b = r->addr_b;
    m->data_b = r->data_b;
    m->reg_b = r->reg_b;
    if (xk_msg_is_lsc(m->sfid))
        m->lsc_op = (uint8_t)(s->desc & 0x3f);
    if (get_fields(p, r, s->desc, m, err) < 0) {
        lengths_only(i, m);
        return XK_EPARSE;
    }
    if (m->data_b && !m->vec && r->layout != XK_LAYOUT_MEDIA)
        m->vec = 1;
    decode_surface(s, m);
    if (r->op == XK_MOP_NONE && xk_msg_is_lsc(m->sfid))
        m->returns = m->dst_grf;
    xk_msg_derive(p, m);
    return XK_OK;
}

void xk_msg_decode(const struct xk_platform *p, const struct xk_inst *i,
                   struct xk_msg *m)
{
    decode_message(p, i, m, NULL);
}

/* The surface into i->send; FLAT and slm have none. */
static void put_surface_field(const struct xk_msg *m, struct xk_inst *i)
{
    struct xk_send_info *const s = &i->send;
    const bool stated = m->addr_type == XK_LSC_BSS || m->addr_type == XK_LSC_SS;

    s->exdesc_reg = m->surf_reg || (stated && !m->surf_imm);
    s->exbso = m->surf_reg ? m->exbso : s->exdesc_reg;
    s->src1_len = s->exdesc_reg && !s->exbso ? 0 : m->src1_grf;
    s->exdesc = s->exdesc_reg ? 0 : m->src1_grf * 64u;
    if (s->exdesc_reg)
        return;
    s->exdesc_sub = 0;
    if (xk_msg_is_lsc(m->sfid) && m->addr_type == XK_LSC_BTI)
        s->exdesc |= (uint32_t)m->bti << 24;
    if (stated)
        s->exdesc |= m->surf_off & SURF_OFF_MASK;
}

static enum xk_status put_fields(const struct xk_platform *p,
                                 const struct xk_msg *m, uint32_t *desc,
                                 struct xk_error *err)
{
    const struct xk_msg_row *const r = xk_msg_row(m->kind);
    uint32_t v;

    *desc = r->value;
    for (const struct xk_msg_slot *f = xk_msg_slots(r->layout); f->field; f++) {
        if (!xk_msg_field_here(f->field, m))
            continue;
        if (!xk_msg_field_put(p, f->field, m, &v, err))
            return XK_EINVAL;
        if (v >> f->width)
            return xk_isa_fail(err, XK_EINVAL,
                               "message: %s: %u in %u bits at %u of the "
                               "descriptor (address type %u, cache code %u, "
                               "scope %u, flush %u)",
                               xk_msg_kind_name(m->kind), v, f->width, f->first,
                               m->addr_type, m->cache, m->fence_scope,
                               m->fence_flush);
        *desc |= v << f->first;
    }
    return XK_OK;
}

static enum xk_status compare_inputs(const struct xk_msg *want,
                                     const struct xk_msg *got,
                                     struct xk_error *err)
{
    for (unsigned k = 0; k < XK_COUNTOF(inputs); k++) {
        const unsigned a = ((const uint8_t *)want)[inputs[k].offset];
        const unsigned b = ((const uint8_t *)got)[inputs[k].offset];

        if (a != b && !(inputs[k].derived && !a))
            return xk_isa_fail(err, XK_EINVAL,
                               "message: %s %u, but %s of %s has %u",
                               inputs[k].name, a, xk_msg_kind_name(want->kind),
                               xk_msg_sfid_name(got->sfid), b);
    }
    if (want->surf_off != got->surf_off || want->scratch_b != got->scratch_b)
        return xk_isa_fail(err, XK_EINVAL,
                           "message: surface offset 0x%x, scratch offset %u, "
                           "but %s has 0x%x and %u",
                           want->surf_off, want->scratch_b,
                           xk_msg_kind_name(want->kind), got->surf_off,
                           got->scratch_b);
    return XK_OK;
}

/* The row and the port of *m; the port is filled in where the row has only
 * one. */
static enum xk_status choose_row(const struct xk_platform *p, struct xk_msg *m,
                                 struct xk_error *err)
{
    const struct xk_msg_row *const r = xk_msg_row(m->kind);

    if (!r || r->layout == XK_LAYOUT_OPAQUE)
        return xk_isa_fail(err, XK_EINVAL, "message kind %u", m->kind);
    if (!(r->ports & (r->ports - 1)) && !m->sfid)
        m->sfid = (uint8_t)__builtin_ctz(r->ports);
    if (m->sfid > 15 || !(r->ports >> m->sfid & 1))
        return xk_isa_fail(
            err, XK_EINVAL, "message %s: shared function %u (%s)",
            xk_msg_kind_name(m->kind), m->sfid, xk_msg_sfid_name(m->sfid));
    if (!xk_msg_exists(p, m->kind, m->sfid))
        return xk_isa_fail(
            err, XK_EUNSUPPORTED, "message %s does not exist on %s through %s",
            xk_msg_kind_name(m->kind), p->name, xk_msg_sfid_name(m->sfid));
    return XK_OK;
}

enum xk_status xk_msg_build(const struct xk_platform *p, struct xk_msg *m,
                            struct xk_inst *i, struct xk_error *err)
{
    struct xk_inst made = *i;
    struct xk_msg full = *m, back;
    uint32_t desc = 0;
    enum xk_status st = choose_row(p, &full, err);

    if (st == XK_OK)
        st = put_fields(p, &full, &desc, err);
    if (st < 0)
        return st;
    made.exec = full.exec;
    made.send.sfid = full.sfid;
    made.send.desc_reg = false;
    made.send.eot = xk_msg_row(full.kind)->op == XK_MOP_EOT;
    made.send.desc = desc;
    put_surface_field(&full, &made);
    st = decode_message(p, &made, &back, err);
    if (st < 0)
        return st;
    if (back.kind != full.kind)
        return xk_isa_fail(err, XK_EINVAL, "message: %s would be read as %s",
                           xk_msg_kind_name(full.kind),
                           xk_msg_kind_name(back.kind));
    back.dst_grf = full.dst_grf;
    back.src0_grf = full.src0_grf;
    back.src1_grf = full.src1_grf;
    back.returns = full.returns;
    st = compare_inputs(&full, &back, err);
    if (st == XK_OK)
        st = xk_msg_check_shape(p, &back, err);
    if (st == XK_OK)
        st = xk_msg_lengths(p, &back, xk_operand_is_null(&i->dst), err);
    if (st < 0)
        return st;
    made.send.desc |= (uint32_t)back.dst_grf << 20 | (uint32_t)back.src0_grf
                                                         << 25;
    put_surface_field(&back, &made);
    i->send = made.send;
    *m = back;
    return XK_OK;
}

uint32_t xk_msg_reserved_bits(const struct xk_platform *p,
                              const struct xk_inst *i)
{
    const struct xk_msg_row *r;
    struct xk_msg m;
    uint32_t known, must = 0;

    if (decode_message(p, i, &m, NULL) < 0 || m.kind == XK_MSG_OTHER)
        return 0;
    r = xk_msg_row(m.kind);
    known = r->match | 0x1ff00000; /* with both lengths */
    for (const struct xk_msg_slot *f = xk_msg_slots(r->layout); f->field; f++) {
        if (!xk_msg_field_here(f->field, &m))
            continue;
        known |= ((1u << f->width) - 1) << f->first;
        if (f->field == XK_MF_ONE || f->field == XK_MF_HEADER_MUST)
            must |= 1u << f->first;
    }
    if (r->layout == XK_LAYOUT_LSC_ATOMIC)
        known |= 0x3f;
    return (i->send.desc & ~known) | (~i->send.desc & must);
}

unsigned xk_msg_part_at(const struct xk_platform *p, const struct xk_inst *i,
                        unsigned bit)
{
    const struct xk_msg_row *r;
    struct xk_msg m;

    if (bit >= 20 && bit < 29)
        return bit < 25 ? XK_MSG_PART_RLEN : XK_MSG_PART_MLEN;
    if (decode_message(p, i, &m, NULL) < 0 || m.kind == XK_MSG_OTHER)
        return XK_MSG_PART_RESERVED;
    r = xk_msg_row(m.kind);
    for (const struct xk_msg_slot *f = xk_msg_slots(r->layout); f->field; f++) {
        if (xk_msg_field_here(f->field, &m) && bit - f->first < f->width)
            return f->field;
    }
    return r->match >> bit & 1 ? XK_MSG_PART_OPERATION : XK_MSG_PART_RESERVED;
}

/* What build would make of the extended descriptor. */
static enum xk_status check_extended(const struct xk_send_info *a,
                                     const struct xk_send_info *b,
                                     const struct xk_msg *m,
                                     struct xk_error *err)
{
    const uint32_t other = a->exdesc ^ b->exdesc;

    if (!other)
        return XK_OK;
    return xk_isa_fail(err, XK_EPARSE,
                       "message: bit %u of extended descriptor 0x%08x is "
                       "reserved in %s",
                       (unsigned)__builtin_ctz(other), a->exdesc,
                       xk_msg_kind_name((enum xk_msg_kind)m->kind));
}

static enum xk_status check_same(const struct xk_inst *i,
                                 const struct xk_inst *again,
                                 const struct xk_msg *m, struct xk_error *err)
{
    const struct xk_send_info *const a = &i->send, *const b = &again->send;
    const struct xk_msg now = *m;

    if (xk_msg_get(a->desc, DESC_RLEN) != xk_msg_get(b->desc, DESC_RLEN) ||
        xk_msg_get(a->desc, DESC_MLEN) != xk_msg_get(b->desc, DESC_MLEN))
        return xk_isa_fail(err, XK_EPARSE,
                           "message: response of %u, payload of %u registers, "
                           "but %s needs %u and %u",
                           xk_msg_get(a->desc, DESC_RLEN),
                           xk_msg_get(a->desc, DESC_MLEN),
                           xk_msg_op_name(now.op), now.dst_grf, now.src0_grf);
    if (a->src1_len != b->src1_len)
        return xk_isa_fail(err, XK_EPARSE,
                           "message: second payload of %u registers, but %s "
                           "needs %u",
                           a->src1_len, xk_msg_op_name(now.op), now.src1_grf);
    if (a->desc != b->desc)
        return xk_isa_fail(err, XK_EPARSE,
                           "message: descriptor 0x%08x, but %s would be 0x%08x",
                           a->desc, xk_msg_op_name(now.op), b->desc);
    return check_extended(a, b, &now, err);
}

enum xk_status xk_msg_check(const struct xk_platform *p,
                            const struct xk_inst *i, struct xk_error *err)
{
    struct xk_inst again = *i;
    struct xk_msg m;
    enum xk_status st = decode_message(p, i, &m, err);

    if (st < 0)
        return XK_EPARSE;
    if (m.kind == XK_MSG_OTHER)
        return xk_isa_fail(err, XK_EPARSE,
                           "message: of %s only the lengths are read",
                           xk_msg_sfid_name(m.sfid));
    const uint32_t spare = xk_msg_reserved_bits(p, i);

    if (spare)
        return xk_isa_fail(err, XK_EPARSE,
                           "message: bit %u of descriptor 0x%08x is reserved "
                           "in %s",
                           (unsigned)__builtin_ctz(spare), i->send.desc,
                           xk_msg_kind_name(m.kind));
    if (xk_msg_build(p, &m, &again, err) < 0)
        return XK_EPARSE;
    return check_same(i, &again, &m, err);
}

enum xk_status xk_msg_check_padded(const struct xk_platform *p,
                                   const struct xk_inst *i,
                                   struct xk_error *err)
{
    const unsigned widest = xk_msg_machine(p)->lsc_simd;
    struct xk_inst wide = *i;
    struct xk_msg m;

    if (xk_msg_check(p, i, err) == XK_OK)
        return XK_OK;
    xk_msg_decode(p, i, &m);
    while (xk_msg_is_lsc(m.sfid) && !m.transpose && wide.exec < widest) {
        wide.exec = (uint8_t)(2 * wide.exec);
        if (m.vec > 1 && wide.exec * m.reg_b > p->grf_b)
            break;
        if (xk_msg_check(p, &wide, NULL) == XK_OK)
            return XK_OK;
    }
    return XK_EPARSE;
}
