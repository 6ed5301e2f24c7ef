/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from a message's record: the registers of its operands, and the
 * memory that its addresses mean. Also, which combinations no machine has. */
#include "isa/format.h"
#include "isa/message_table.h"

#define MAX_RLEN 31
#define MAX_MLEN 15

static unsigned grfs(const struct xk_platform *p, unsigned n_b)
{
    return (n_b + p->grf_b - 1) / p->grf_b;
}

static bool has_cmask(const struct xk_msg *m)
{
    return m->op == XK_MOP_LOAD_QUAD || m->op == XK_MOP_STORE_QUAD ||
           m->op == XK_MOP_STORE_UNCOMPRESSED_QUAD;
}

/* Registers of the data of all lanes, a plane a component. */
static unsigned lane_grf(const struct xk_platform *p, const struct xk_msg *m)
{
    return m->vec * grfs(p, m->exec * m->reg_b);
}

static enum xk_status check_lsc_vector(const struct xk_platform *p,
                                       const struct xk_msg *m,
                                       struct xk_error *err)
{
    const bool atomic = xk_msg_op_class(m->op) == XK_MCLASS_ATOMIC;

    if (m->transpose && (m->exec != 1 || m->data_b < 4 || atomic))
        return xk_isa_fail(err, XK_EINVAL,
                           "lsc: transposed with exec size %u and %u-byte "
                           "data: need 1 and 4 or 8 in a plain load or store",
                           m->exec, m->data_b);
    if (!m->transpose && !has_cmask(m) && m->vec > 8)
        return xk_isa_fail(err, XK_EINVAL,
                           "lsc: vector of %u without transpose, at most 8",
                           m->vec);
    if (!m->transpose && lane_grf(p, m) > xk_msg_machine(p)->gather_grf)
        return xk_isa_fail(err, XK_EINVAL,
                           "lsc: %u registers of data, %u lanes by %u of %u "
                           "bytes: at most %u",
                           lane_grf(p, m), m->exec, m->vec, m->reg_b,
                           xk_msg_machine(p)->gather_grf);
    if (has_cmask(m) && m->data_b != 4)
        return xk_isa_fail(err, XK_EINVAL,
                           "lsc: component mask 0x%x, data %u bytes: need 4",
                           m->cmask, m->data_b);
    if (atomic && m->l1 != XK_CACHE_DEFAULT && m->l1 != XK_CACHE_UC)
        return xk_isa_fail(err, XK_EINVAL,
                           "lsc: atomic with L1 cache control %s (code %u), "
                           "need df or uc",
                           xk_msg_cache_name(m->l1), m->cache);
    if (atomic && m->vec != 1)
        return xk_isa_fail(err, XK_EINVAL, "lsc: atomic vector of %u", m->vec);
    if (m->reg_b < 4)
        return xk_isa_fail(err, XK_EINVAL,
                           "lsc: data %u bytes in memory, %u in registers, "
                           "which only 2D blocks have",
                           m->data_b, m->reg_b);
    return XK_OK;
}

static enum xk_status check_lsc(const struct xk_platform *p,
                                const struct xk_msg *m, struct xk_error *err)
{
    const bool flat = m->addr_type == XK_LSC_FLAT;
    const struct xk_msg_machine *const mc = xk_msg_machine(p);
    const unsigned widest =
        m->sfid == XK_SFID_TGM ? mc->tgm_simd : mc->lsc_simd;

    if (m->addr_b == 2 && m->sfid != XK_SFID_SLM && flat)
        return xk_isa_fail(err, XK_EUNSUPPORTED,
                           "lsc: %u-byte addresses need slm or a surface",
                           m->addr_b);
    if (m->sfid == XK_SFID_SLM && (m->addr_b > 4 || !flat))
        return xk_isa_fail(err, XK_EINVAL,
                           "lsc: slm with %u-byte addresses of type %u, need "
                           "2 or 4 and flat",
                           m->addr_b, m->addr_type);
    if (m->sfid == XK_SFID_TGM && flat)
        return xk_isa_fail(err, XK_EINVAL, "lsc: tgm with address type %u",
                           m->addr_type);
    if (!m->exec || m->exec & (m->exec - 1) || m->exec > widest)
        return xk_isa_fail(err, XK_EUNSUPPORTED,
                           "lsc: exec size %u, need 1 to %u", m->exec, widest);
    return check_lsc_vector(p, m, err);
}

static enum xk_status check_block2d(const struct xk_msg *m,
                                    struct xk_error *err)
{
    if (m->addr_type != XK_LSC_FLAT || m->exec != 1)
        return xk_isa_fail(err, XK_EINVAL,
                           "2d block: address type %u, exec size %u: need "
                           "flat and 1",
                           m->addr_type, m->exec);
    if (m->data_b != m->reg_b)
        return xk_isa_fail(err, XK_EINVAL,
                           "2d block: data %u bytes in memory, %u in registers",
                           m->data_b, m->reg_b);
    if ((m->transpose && m->data_b < 4) || (m->vnni && m->data_b > 2) ||
        (m->transpose && m->op == XK_MOP_STORE_BLOCK2D))
        return xk_isa_fail(err, XK_EINVAL,
                           "2d block: transpose %u, vnni %u with %u-byte data",
                           m->transpose, m->vnni, m->data_b);
    return XK_OK;
}

static enum xk_status check_fence(const struct xk_msg *m, struct xk_error *err)
{
    const bool slm = m->sfid == XK_SFID_SLM;

    if (m->fence_scope > 6 || m->fence_flush > 6 ||
        (slm && (m->fence_scope || m->fence_flush)))
        return xk_isa_fail(err, XK_EINVAL,
                           "fence: shared function %u, scope %u, flush %u",
                           m->sfid, m->fence_scope, m->fence_flush);
    return XK_OK;
}

static enum xk_status check_hdc(const struct xk_msg *m, struct xk_error *err)
{
    if (m->addr_b == 8 && m->bti != XK_BTI_STATELESS &&
        m->bti != XK_BTI_STATELESS_NC)
        return xk_isa_fail(err, XK_EINVAL,
                           "message: 64-bit addresses with bti %u, need 253 "
                           "or 255",
                           m->bti);
    if (m->op == XK_MOP_FENCE && m->bti && m->bti != XK_BTI_SLM)
        return xk_isa_fail(err, XK_EINVAL, "fence: bti %u, need 0 or 254",
                           m->bti);
    if (m->op == XK_MOP_FENCE && m->flush_l3 && m->flush_l1)
        return xk_isa_fail(err, XK_EINVAL,
                           "fence: flush of L1 %u beside L3 0x%x, which "
                           "implies it",
                           m->flush_l1, m->flush_l3);
    return XK_OK;
}

/* Compression state: pages by address, sectors and state by surface. */
static enum xk_status check_state(const struct xk_msg *m, struct xk_error *err)
{
    const bool flat = m->addr_type == XK_LSC_FLAT;
    const bool pages = m->op == XK_MOP_CCS && m->sub % 2 == 0;

    if ((m->op == XK_MOP_READ_STATE && flat) ||
        (pages && (!flat || m->addr_b != 8)))
        return xk_isa_fail(err, XK_EINVAL,
                           "lsc: %s with address type %u, %u-byte addresses",
                           xk_msg_op_name(m->op), m->addr_type, m->addr_b);
    return XK_OK;
}

enum xk_status xk_msg_check_shape(const struct xk_platform *p,
                                  const struct xk_msg *m, struct xk_error *err)
{
    switch ((enum xk_msg_shape)xk_msg_row(m->kind)->shape) {
    case XK_SHAPE_LSC:
    case XK_SHAPE_STATUS:
        return check_lsc(p, m, err);
    case XK_SHAPE_BLOCK2D:
        return check_block2d(m, err);
    case XK_SHAPE_FENCE:
        return check_fence(m, err);
    case XK_SHAPE_BLOCK:
    case XK_SHAPE_GATHER:
    case XK_SHAPE_HDC_FENCE:
        return check_hdc(m, err);
    case XK_SHAPE_STATE:
    case XK_SHAPE_GIVEN:
        return check_state(m, err);
    case XK_SHAPE_GATEWAY:
        break;
    }
    return XK_OK;
}

/* GRFs of one data operand: a plane per component, or packed. */
static unsigned data_grf(const struct xk_platform *p, const struct xk_msg *m)
{
    if (m->transpose)
        return grfs(p, m->vec * m->data_b);
    return m->vec * grfs(p, m->simd * m->reg_b);
}

static enum xk_status set_lengths(struct xk_msg *m, unsigned dst, unsigned src0,
                                  unsigned src1, struct xk_error *err)
{
    if (dst > MAX_RLEN || src1 > MAX_RLEN || !src0 || src0 > MAX_MLEN)
        return xk_isa_fail(err, XK_EINVAL,
                           "message: %u registers of data, %u of addresses: "
                           "at most %u and 1 to %u",
                           dst > src1 ? dst : src1, src0, MAX_RLEN, MAX_MLEN);
    m->dst_grf = (uint8_t)dst;
    m->src0_grf = (uint8_t)src0;
    m->src1_grf = m->unknown_src1 ? 0 : (uint8_t)src1;
    return XK_OK;
}

/* Data by class: loads answer, stores send, atomics do what they need. */
static enum xk_status by_class(const struct xk_platform *p, struct xk_msg *m,
                               unsigned src0, bool prefetch,
                               struct xk_error *err)
{
    const unsigned data = data_grf(p, m);

    switch (xk_msg_op_class(m->op)) {
    case XK_MCLASS_LOAD:
        return set_lengths(m, prefetch ? 0 : data, src0, 0, err);
    case XK_MCLASS_STORE:
        return set_lengths(m, 0, src0, data, err);
    default:
        return set_lengths(m, m->returns ? data : 0, src0,
                           data * xk_msg_atomic_n_srcs(m->op), err);
    }
}

/* The caller's, but that what returns nothing has no response. */
static enum xk_status given_lengths(struct xk_msg *m, struct xk_error *err)
{
    const enum xk_msg_class c = xk_msg_op_class(m->op);
    const bool answers =
        c != XK_MCLASS_STORE && (c != XK_MCLASS_ATOMIC || m->returns);
    return set_lengths(m, answers ? m->dst_grf : 0, m->src0_grf, m->src1_grf,
                       err);
}

/* A strided message has a base and a pitch in its first register; ocloc sends
 * it as many as a gather has. */
static unsigned lsc_address_grf(const struct xk_platform *p,
                                const struct xk_msg *m)
{
    const unsigned gather = grfs(p, m->exec * m->addr_b);
    if (m->transpose || (xk_msg_is_strided(m) && m->src0_grf != gather))
        return 1;
    return gather;
}

enum xk_status xk_msg_lengths(const struct xk_platform *p, struct xk_msg *m,
                              bool null_dst, struct xk_error *err)
{
    switch ((enum xk_msg_shape)xk_msg_row(m->kind)->shape) {
    case XK_SHAPE_LSC:
        if (m->sfid == XK_SFID_TGM) /* coordinates: the caller's */
            return given_lengths(m, err);
        return by_class(p, m, lsc_address_grf(p, m), null_dst, err);
    case XK_SHAPE_BLOCK:
        return by_class(p, m, 1, false, err);
    case XK_SHAPE_GATHER:
        return by_class(p, m, m->header + grfs(p, m->simd * m->addr_b), false,
                        err);
    case XK_SHAPE_FENCE:
        return set_lengths(m, 1, 1, 0, err);
    case XK_SHAPE_HDC_FENCE:
        return set_lengths(m, m->commit, 1, 0, err);
    case XK_SHAPE_STATE:
        return set_lengths(m, grfs(p, 64), 1, 0, err);
    case XK_SHAPE_STATUS:
        return set_lengths(m, 1, grfs(p, m->exec * m->addr_b), 0, err);
    case XK_SHAPE_GATEWAY:
        return set_lengths(m, 0, 1, 0, err);
    case XK_SHAPE_BLOCK2D:
        return set_lengths(m, null_dst ? 0 : m->dst_grf, 1, m->src1_grf, err);
    case XK_SHAPE_GIVEN:
        break;
    }
    return given_lengths(m, err);
}

static enum xk_msg_space lsc_space(const struct xk_msg *m)
{
    if (m->sfid == XK_SFID_SLM)
        return XK_MSPACE_SLM;
    if (m->addr_type == XK_LSC_FLAT)
        return XK_MSPACE_FLAT;
    if (m->addr_type == XK_LSC_BTI && !m->surf_reg &&
        (m->bti == XK_BTI_STATELESS || m->bti == XK_BTI_STATELESS_NC))
        return m->addr_b == 8 ? XK_MSPACE_FLAT : XK_MSPACE_STATELESS;
    return XK_MSPACE_SURFACE;
}

static enum xk_msg_space hdc_space(const struct xk_msg *m)
{
    if (m->kind == XK_MSG_DC0_SCRATCH_LOAD ||
        m->kind == XK_MSG_DC0_SCRATCH_STORE)
        return XK_MSPACE_SCRATCH;
    if (m->addr_b == 8)
        return XK_MSPACE_FLAT;
    if (m->bti == XK_BTI_SLM)
        return XK_MSPACE_SLM;
    return m->bti == XK_BTI_STATELESS || m->bti == XK_BTI_STATELESS_NC
               ? XK_MSPACE_STATELESS
               : XK_MSPACE_SURFACE;
}

void xk_msg_derive(const struct xk_platform *p, struct xk_msg *m)
{
    const struct xk_msg_row *const r = xk_msg_row(m->kind);
    enum xk_msg_cache l1, l3;

    if (r->shape == XK_SHAPE_BLOCK)
        m->transpose = true;
    if (xk_msg_is_lsc(m->sfid))
        m->simd = m->exec;
    if (m->data_b)
        m->space =
            (uint8_t)(xk_msg_is_lsc(m->sfid) ? lsc_space(m) : hdc_space(m));
    if (r->shape != XK_SHAPE_BLOCK2D)
        m->mem_b = (uint16_t)(m->vec * m->data_b);
    if (xk_msg_is_lsc(m->sfid) && m->data_b && m->sfid != XK_SFID_SLM &&
        xk_msg_cache_of(p, m->op, m->cache, &l1, &l3)) {
        m->l1 = (uint8_t)l1;
        m->l3 = (uint8_t)l3;
    }
}
