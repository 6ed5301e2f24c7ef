/* SPDX-License-Identifier: Apache-2.0 */
/* Send messages between record and descriptor. Layout: isa.md 6.3, 6.5-6.7.
 * xehpg: the load/store cache unit, barrier and end of thread. */
#include "isa/message.h"

#include "base/alloc.h"
#include "isa/format.h"

/* Descriptor of an LSC message: first bit and width of each field. */
#define DESC_OP 0, 6
#define DESC_ADDR 7, 2
#define DESC_DATA 9, 3
#define DESC_VEC 12, 3
#define DESC_CMASK 12, 4
#define DESC_TRANSPOSE 15, 1
#define DESC_CACHE 17, 3
#define DESC_RLEN 20, 5
#define DESC_MLEN 25, 4
#define DESC_ADDR_TYPE 29, 2
#define DESC_SCOPE 9, 3
#define DESC_FLUSH 12, 3

#define OP_LOAD 0x00
#define OP_LOAD_CMASK 0x02
#define OP_STORE 0x04
#define OP_STORE_CMASK 0x06
#define OP_ATOMIC_FIRST 0x08
#define OP_ATOMIC_LAST 0x1a
#define OP_FENCE 0x1f

#define DESC_BARRIER 0x02000004u
#define DESC_EOT 0x02000010u
#define DESC_FENCE 0x0210011fu

static uint32_t bits(unsigned first, unsigned count, uint32_t v)
{
    return (v & ((1u << count) - 1)) << first;
}

static uint32_t field(uint32_t desc, unsigned first, unsigned count)
{
    return desc >> first & ((1u << count) - 1);
}

static const uint8_t vec_sizes[8] = {1, 2, 3, 4, 8, 16, 32, 64};

/* Elements in memory and in a register, by code. d8, d16 are only for
 * 2D messages and d16u32h has no user here. */
static const struct {
    uint8_t code, data_b, reg_b;
} data_sizes[] = {{2, 4, 4}, {3, 8, 8}, {4, 1, 4}, {5, 2, 4}};

/* Operands of the atomics 0x08 .. 0x1a. */
static const uint8_t atomic_n_srcs[OP_ATOMIC_LAST - OP_ATOMIC_FIRST + 1] = {
    0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 1, 1, 1,
};

static int vec_code(unsigned n)
{
    for (unsigned k = 0; k < XK_COUNTOF(vec_sizes); k++) {
        if (vec_sizes[k] == n)
            return (int)k;
    }
    return -1;
}

static int data_code(const struct xk_msg *m)
{
    for (unsigned k = 0; k < XK_COUNTOF(data_sizes); k++) {
        if (data_sizes[k].data_b == m->data_b &&
            data_sizes[k].reg_b == m->reg_b)
            return data_sizes[k].code;
    }
    return -1;
}

static unsigned grfs(const struct xk_platform *p, unsigned n_b)
{
    return (n_b + p->grf_b - 1) / p->grf_b;
}

static bool is_cmask(const struct xk_msg *m)
{
    return m->kind == XK_MSG_LSC_LOAD_CMASK ||
           m->kind == XK_MSG_LSC_STORE_CMASK;
}

static unsigned components(const struct xk_msg *m)
{
    return is_cmask(m) ? (unsigned)__builtin_popcount(m->cmask) : m->vec;
}

/* GRFs of one data operand: a plane per component, or packed. */
static unsigned data_grf(const struct xk_platform *p, const struct xk_msg *m)
{
    if (m->transpose)
        return grfs(p, m->vec * m->data_b);
    return components(m) * grfs(p, m->exec * m->reg_b);
}

static bool known_lsc_sfid(unsigned sfid)
{
    return sfid == XK_SFID_UGM || sfid == XK_SFID_UGML || sfid == XK_SFID_SLM;
}

static enum xk_status check_shape(const struct xk_msg *m, struct xk_error *err)
{
    if (m->transpose && (m->exec != 1 || m->data_b < 4 || is_cmask(m) ||
                         m->kind == XK_MSG_LSC_ATOMIC))
        return xk_isa_fail(err, XK_EINVAL,
                           "lsc: transposed with exec size %u "
                           "and %u-byte data: need 1 and 4 or 8 in a plain "
                           "load or store",
                           m->exec, m->data_b);
    if (!m->transpose && !is_cmask(m) && m->vec > 8)
        return xk_isa_fail(err, XK_EINVAL,
                           "lsc: vector of %u without "
                           "transpose, at most 8",
                           m->vec);
    if (is_cmask(m) && (m->cmask == 0 || m->cmask > 15 ||
                        m->vec != components(m) || m->data_b != 4))
        return xk_isa_fail(err, XK_EINVAL,
                           "lsc: component mask 0x%x, vector "
                           "of %u, data %u bytes",
                           m->cmask, m->vec, m->data_b);
    if (!is_cmask(m) && m->cmask)
        return xk_isa_fail(err, XK_EINVAL,
                           "lsc: component mask 0x%x in a "
                           "message without one",
                           m->cmask);
    if (m->kind == XK_MSG_LSC_ATOMIC && m->vec != 1)
        return xk_isa_fail(err, XK_EINVAL, "lsc: atomic vector of %u", m->vec);
    return XK_OK;
}

static enum xk_status check_lsc(const struct xk_msg *m, struct xk_error *err)
{
    if (!known_lsc_sfid(m->sfid))
        return xk_isa_fail(err, XK_EINVAL, "lsc: shared function %u", m->sfid);
    if (m->addr_b != 4 && m->addr_b != 8)
        return xk_isa_fail(err, XK_EUNSUPPORTED, "lsc: %u-byte addresses",
                           m->addr_b);
    if (m->sfid == XK_SFID_SLM && (m->addr_b != 4 || m->addr_type))
        return xk_isa_fail(err, XK_EINVAL,
                           "lsc: slm with %u-byte addresses of "
                           "type %u, need 4 and flat",
                           m->addr_b, m->addr_type);
    if (m->addr_type > XK_LSC_BTI || (m->bti && m->addr_type != XK_LSC_BTI))
        return xk_isa_fail(err, XK_EINVAL, "lsc: address type %u, bti %u",
                           m->addr_type, m->bti);
    if (xk_isa_log2(m->exec) < 0 || m->exec > 16)
        return xk_isa_fail(err, XK_EUNSUPPORTED,
                           "lsc: exec size %u, need 1 to "
                           "16",
                           m->exec);
    if (data_code(m) < 0 || vec_code(m->vec) < 0 || m->cache > 7)
        return xk_isa_fail(err, XK_EINVAL,
                           "lsc: data %u bytes in memory, %u "
                           "in registers, vector %u, cache code %u",
                           m->data_b, m->reg_b, m->vec, m->cache);
    return check_shape(m, err);
}

static bool is_prefetch(const struct xk_inst *i)
{
    return i->dst.file == XK_FILE_ARF && i->dst.arf == XK_ARF_NULL;
}

/* Operation and lengths by kind. */
static enum xk_status lsc_lengths(const struct xk_platform *p, struct xk_msg *m,
                                  const struct xk_inst *i, struct xk_error *err)
{
    const unsigned data = data_grf(p, m);
    unsigned src1 = 0, dst = 0;

    switch (m->kind) {
    case XK_MSG_LSC_LOAD:
    case XK_MSG_LSC_LOAD_CMASK:
        m->lsc_op = m->kind == XK_MSG_LSC_LOAD ? OP_LOAD : OP_LOAD_CMASK;
        dst = is_prefetch(i) ? 0 : data;
        break;
    case XK_MSG_LSC_STORE:
    case XK_MSG_LSC_STORE_CMASK:
        m->lsc_op = m->kind == XK_MSG_LSC_STORE ? OP_STORE : OP_STORE_CMASK;
        src1 = data;
        break;
    default:
        if (m->lsc_op < OP_ATOMIC_FIRST || m->lsc_op > OP_ATOMIC_LAST)
            return xk_isa_fail(err, XK_EINVAL, "lsc: 0x%x is no atomic",
                               m->lsc_op);
        src1 = data * atomic_n_srcs[m->lsc_op - OP_ATOMIC_FIRST];
        dst = m->returns ? data : 0;
        break;
    }
    m->src0_grf = (uint8_t)(m->transpose ? 1 : grfs(p, m->exec * m->addr_b));
    if (dst > 31 || src1 > 31)
        return xk_isa_fail(err, XK_EINVAL,
                           "lsc: %u registers of data, at most "
                           "31",
                           dst > src1 ? dst : src1);
    m->src1_grf = (uint8_t)src1;
    m->dst_grf = (uint8_t)dst;
    return XK_OK;
}

static void set_send(struct xk_inst *i, const struct xk_msg *m, uint32_t desc)
{
    struct xk_send_info *s = &i->send;

    s->sfid = m->sfid;
    s->desc = desc;
    s->desc_reg = false;
    s->exdesc_reg = s->exbso = false;
    s->src1_len = m->src1_grf;
    s->exdesc = m->src1_grf * 64u;
    s->eot = m->kind == XK_MSG_EOT;
}

static enum xk_status build_lsc(const struct xk_platform *p, struct xk_msg *m,
                                struct xk_inst *i, struct xk_error *err)
{
    enum xk_status st = check_lsc(m, err);
    uint32_t desc;

    if (st == XK_OK)
        st = lsc_lengths(p, m, i, err);
    if (st < 0)
        return st;
    desc = bits(DESC_OP, m->lsc_op) | bits(DESC_ADDR, m->addr_b == 8 ? 3 : 2) |
           bits(DESC_DATA, (uint32_t)data_code(m)) |
           bits(DESC_CACHE, m->cache) | bits(DESC_RLEN, m->dst_grf) |
           bits(DESC_MLEN, m->src0_grf) | bits(DESC_ADDR_TYPE, m->addr_type);
    if (is_cmask(m))
        desc |= bits(DESC_CMASK, m->cmask);
    else
        desc |= bits(DESC_VEC, (uint32_t)vec_code(m->vec)) |
                bits(DESC_TRANSPOSE, m->transpose);
    set_send(i, m, desc);
    if (m->addr_type == XK_LSC_BTI) {
        i->send.exdesc |= (uint32_t)m->bti << 24;
    } else if (m->addr_type != XK_LSC_FLAT) {
        i->send.exdesc_reg = i->send.exbso = true;
        i->send.exdesc = 0;
    }
    return XK_OK;
}

static enum xk_status build_fence(struct xk_msg *m, struct xk_inst *i,
                                  struct xk_error *err)
{
    const bool slm = m->sfid == XK_SFID_SLM;

    if (!known_lsc_sfid(m->sfid) || m->fence_scope > 6 || m->fence_flush > 6 ||
        (slm && (m->fence_scope || m->fence_flush)))
        return xk_isa_fail(err, XK_EINVAL,
                           "fence: shared function %u, scope "
                           "%u, flush %u",
                           m->sfid, m->fence_scope, m->fence_flush);
    m->lsc_op = OP_FENCE;
    m->dst_grf = m->src0_grf = 1;
    m->src1_grf = 0;
    set_send(i, m,
             DESC_FENCE | bits(DESC_SCOPE, m->fence_scope) |
                 bits(DESC_FLUSH, m->fence_flush));
    return XK_OK;
}

enum xk_status xk_msg_build(const struct xk_platform *p, struct xk_msg *m,
                            struct xk_inst *i, struct xk_error *err)
{
    if (p->id != XK_PLATFORM_XEHPG)
        return xk_isa_fail(err, XK_EUNSUPPORTED,
                           "platform %s: messages are not implemented",
                           p->name);
    switch (m->kind) {
    case XK_MSG_LSC_LOAD:
    case XK_MSG_LSC_STORE:
    case XK_MSG_LSC_LOAD_CMASK:
    case XK_MSG_LSC_STORE_CMASK:
    case XK_MSG_LSC_ATOMIC:
        return build_lsc(p, m, i, err);
    case XK_MSG_LSC_FENCE:
        return build_fence(m, i, err);
    case XK_MSG_BARRIER:
    case XK_MSG_EOT:
        m->sfid = XK_SFID_GTWY;
        m->src0_grf = 1;
        m->src1_grf = m->dst_grf = 0;
        set_send(i, m, m->kind == XK_MSG_EOT ? DESC_EOT : DESC_BARRIER);
        return XK_OK;
    default:
        return xk_isa_fail(err, XK_EINVAL, "message kind %u", m->kind);
    }
}

static uint8_t lsc_kind(unsigned op)
{
    switch (op) {
    case OP_LOAD:
        return XK_MSG_LSC_LOAD;
    case OP_LOAD_CMASK:
        return XK_MSG_LSC_LOAD_CMASK;
    case OP_STORE:
        return XK_MSG_LSC_STORE;
    case OP_STORE_CMASK:
        return XK_MSG_LSC_STORE_CMASK;
    default:
        return op >= OP_ATOMIC_FIRST && op <= OP_ATOMIC_LAST ? XK_MSG_LSC_ATOMIC
                                                             : XK_MSG_UNKNOWN;
    }
}

static void decode_sizes(uint32_t desc, struct xk_msg *m)
{
    const unsigned code = field(desc, DESC_DATA);

    for (unsigned k = 0; k < XK_COUNTOF(data_sizes); k++) {
        if (data_sizes[k].code == code) {
            m->data_b = data_sizes[k].data_b;
            m->reg_b = data_sizes[k].reg_b;
        }
    }
    m->addr_b = (uint8_t)(1u << field(desc, DESC_ADDR));
    if (is_cmask(m)) {
        m->cmask = (uint8_t)field(desc, DESC_CMASK);
        m->vec = (uint8_t)components(m);
    } else {
        m->vec = vec_sizes[field(desc, DESC_VEC)];
        m->transpose = field(desc, DESC_TRANSPOSE);
    }
}

static void decode_lsc(const struct xk_inst *i, struct xk_msg *m)
{
    const struct xk_send_info *s = &i->send;

    m->lsc_op = (uint8_t)field(s->desc, DESC_OP);
    if (m->lsc_op == OP_FENCE) {
        m->kind = XK_MSG_LSC_FENCE;
        m->fence_scope = (uint8_t)field(s->desc, DESC_SCOPE);
        m->fence_flush = (uint8_t)field(s->desc, DESC_FLUSH);
        return;
    }
    m->kind = lsc_kind(m->lsc_op);
    if (m->kind == XK_MSG_UNKNOWN)
        return;
    decode_sizes(s->desc, m);
    if (!m->data_b || m->addr_b < 4) {
        m->kind = XK_MSG_UNKNOWN;
        return;
    }
    m->cache = (uint8_t)field(s->desc, DESC_CACHE);
    m->addr_type = (uint8_t)field(s->desc, DESC_ADDR_TYPE);
    if (m->addr_type == XK_LSC_BTI && !s->exdesc_reg)
        m->bti = (uint8_t)(s->exdesc >> 24);
    m->returns = m->kind == XK_MSG_LSC_ATOMIC && m->dst_grf;
}

void xk_msg_decode(const struct xk_platform *p, const struct xk_inst *i,
                   struct xk_msg *m)
{
    const struct xk_send_info *s = &i->send;

    *m = (struct xk_msg){.sfid = s->sfid, .exec = i->exec};
    m->src1_grf = s->src1_len;
    if (s->desc_reg)
        return;
    m->dst_grf = (uint8_t)field(s->desc, DESC_RLEN);
    m->src0_grf = (uint8_t)field(s->desc, DESC_MLEN);
    if (p->id != XK_PLATFORM_XEHPG)
        return;
    if (known_lsc_sfid(s->sfid) && !s->eot)
        decode_lsc(i, m);
    else if (s->sfid == XK_SFID_GTWY && s->desc == DESC_EOT && s->eot)
        m->kind = XK_MSG_EOT;
    else if (s->sfid == XK_SFID_GTWY && s->desc == DESC_BARRIER && !s->eot)
        m->kind = XK_MSG_BARRIER;
}
