/* SPDX-License-Identifier: Apache-2.0 */
/* Messages spelled out, as iga64 -Xprint-ldst does:
 *   load.ugm.d32x4.a64.ca.ca (16|M0) r10:8 bti[3][r20:4]
 *   store.slm.d32.a32 (16|M0) [r20:2] r10:2
 *   atomic_iadd.ugm.d32.a64 (16|M0) r1:2 [r20:4] r10:2
 * Only loads, stores and atomics of the LSC ports have such a text; fences,
 * barriers and the old data ports stay sends. Lengths are in GRFs; one that is
 * in a register is left out. */
#include "isa/inst_print.h"

#include "isa/message.h"

#define EXDESC_LENGTH 0x7c0u
/* past the immediate surface offsets that iga64 reads */
#define SURFACE_END (1u << 26)

static bool is_2d(const struct xk_msg *m)
{
    return m->op == XK_MOP_LOAD_BLOCK2D || m->op == XK_MOP_STORE_BLOCK2D;
}

static void print_data_type(struct xk_line *l, const struct xk_msg *m)
{
    xk_put_s(l, ".d");
    xk_put_u(l, m->data_b * 8u);
    if (m->reg_b != m->data_b) {
        xk_put_c(l, 'u');
        xk_put_u(l, m->reg_b * 8u);
        if (m->data_high)
            xk_put_c(l, 'h');
    }
}

static void print_vector(struct xk_line *l, const struct xk_msg *m)
{
    if (m->cmask) {
        xk_put_c(l, '.');
        for (unsigned k = 0; k < 4; k++) {
            if (m->cmask >> k & 1)
                xk_put_c(l, "xyzw"[k]);
        }
        return;
    }
    if (!is_2d(m) && (m->vec > 1 || m->transpose)) {
        xk_put_c(l, 'x');
        xk_put_u(l, m->vec);
    }
    if (m->transpose)
        xk_put_c(l, 't');
    if (m->vnni)
        xk_put_c(l, 'v');
}

static void print_controls(struct xk_line *l, const struct xk_msg *m)
{
    xk_put_c(l, '.');
    xk_put_s(l, xk_msg_sfid_name(m->sfid));
    print_data_type(l, m);
    print_vector(l, m);
    xk_put_s(l, ".a");
    xk_put_u(l, m->addr_b * 8u);
    if (m->l1 != XK_CACHE_DEFAULT || m->l3 != XK_CACHE_DEFAULT) {
        xk_put_c(l, '.');
        xk_put_s(l, xk_msg_cache_name((enum xk_msg_cache)m->l1));
        xk_put_c(l, '.');
        xk_put_s(l, xk_msg_cache_name((enum xk_msg_cache)m->l3));
    }
}

static void print_payload(struct xk_line *l, const struct xk_operand *o,
                          unsigned n_grf, bool known)
{
    xk_print_reg(l, o);
    if (known) {
        xk_put_c(l, ':');
        xk_put_u(l, n_grf);
    }
}

/* "bti[3]", "ss[a0.2]"; nothing for flat addresses. */
static void print_surface(struct xk_line *l, const struct xk_msg *m)
{
    static const char *const names[] = {
        [XK_LSC_BSS] = "bss[", [XK_LSC_SS] = "ss[", [XK_LSC_BTI] = "bti["};

    if (m->addr_type == XK_LSC_FLAT)
        return;
    xk_put_s(l, names[m->addr_type & 3]);
    if (m->surf_reg) {
        xk_put_s(l, "a0.");
        xk_put_u(l, m->surf_sub);
    } else if (m->addr_type == XK_LSC_BTI) {
        xk_put_u(l, m->bti);
    } else {
        xk_put_x(l, m->surf_off, 1);
    }
    xk_put_c(l, ']');
}

static void print_address(struct xk_line *l, const struct xk_inst *i,
                          const struct xk_msg *m)
{
    xk_put_c(l, ' ');
    print_surface(l, m);
    xk_put_c(l, '[');
    print_payload(l, &i->src[0], m->src0_grf, true);
    xk_put_c(l, ']');
}

static bool is_spelled(const struct xk_msg *m)
{
    const enum xk_msg_class c = xk_msg_op_class((enum xk_msg_op)m->op);

    if (m->sfid != XK_SFID_UGM && m->sfid != XK_SFID_UGML &&
        m->sfid != XK_SFID_SLM && m->sfid != XK_SFID_TGM)
        return false;
    return (c == XK_MCLASS_LOAD && m->op != XK_MOP_LOAD_STATUS) ||
           c == XK_MCLASS_STORE || c == XK_MCLASS_ATOMIC;
}

/* Messages that iga64 prints but refuses to read, or reads as something else:
 * vectors of widened elements, which lose their shape, and what no hardware
 * does. */
static bool is_unreadable(const struct xk_inst *i, const struct xk_msg *m,
                          enum xk_msg_class c)
{
    const bool vector = m->vec > 1 || m->transpose || m->vnni;

    if ((m->sfid == XK_SFID_SLM && m->addr_type != XK_LSC_FLAT) ||
        (m->surf_imm && m->surf_off >= SURFACE_END))
        return true;
    if (c == XK_MCLASS_ATOMIC &&
        (vector || (m->l1 != XK_CACHE_DEFAULT && m->l1 != XK_CACHE_UC)))
        return true;
    if (vector && !m->cmask && m->reg_b != m->data_b)
        return true;
    return m->transpose && !is_2d(m) && i->exec != 1;
}

/* Whether the text can be read back to the same bits. It does not show the
 * operand that a load or a store lacks, nor bits without a meaning. Lengths are
 * in the text, so they may be any. What compilers do is spelled out as iga64
 * does it, even if the text loses something: the cache control of an SLM
 * access. */
static bool says_all(const struct xk_platform *p, const struct xk_inst *i,
                     const struct xk_msg *m, enum xk_msg_class c)
{
    const uint32_t exdesc = m->addr_type == XK_LSC_FLAT ? 0
                            : m->addr_type == XK_LSC_BTI
                                ? (uint32_t)m->bti << 24
                                : m->surf_off;

    if (c == XK_MCLASS_LOAD &&
        (!xk_operand_is_null(&i->src[1]) || i->send.src1_len))
        return false;
    if (c == XK_MCLASS_STORE && (!xk_operand_is_null(&i->dst) || m->dst_grf))
        return false;
    if (i->send.exdesc_reg) {
        /* a flat address needs no register, but long payloads {ExBSO}; iga64
         * spells that out and then refuses to read it, which is no harm */
        if (m->addr_type == XK_LSC_FLAT && !i->send.exbso)
            return false;
    } else if ((i->send.exdesc & ~EXDESC_LENGTH) != exdesc) {
        return false;
    }
    return !xk_msg_reserved_bits(p, i) && !is_unreadable(i, m, c);
}

bool xk_print_message(struct xk_line *l, const struct xk_platform *p,
                      const struct xk_inst *i)
{
    enum xk_msg_class c;
    struct xk_msg m;

    if (i->send.desc_reg)
        return false;
    xk_msg_decode(p, i, &m);
    c = xk_msg_op_class((enum xk_msg_op)m.op);
    if (!is_spelled(&m) || !says_all(p, i, &m, c))
        return false;
    xk_put_s(l, xk_msg_op_name((enum xk_msg_op)m.op));
    print_controls(l, &m);
    xk_print_exec(l, i);
    if (c != XK_MCLASS_STORE) {
        xk_put_c(l, ' ');
        print_payload(l, &i->dst, m.dst_grf, true);
    }
    print_address(l, i, &m);
    if (c != XK_MCLASS_LOAD) {
        xk_put_c(l, ' ');
        print_payload(l, &i->src[1], m.src1_grf, !m.unknown_src1);
    }
    return true;
}
