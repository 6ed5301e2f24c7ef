/* SPDX-License-Identifier: Apache-2.0 */
/* One descriptor field between its bits and the record. get and put are each
 * other's inverse wherever both succeed; platform differences come from the
 * machine's row. */
#include "isa/message_table.h"

#include "base/alloc.h"
#include "isa/format.h"
#include "base/integer.h"

static const uint8_t vec_sizes[8] = {1, 2, 3, 4, 8, 16, 32, 64};
static const uint8_t oword_counts[6] = {1, 1, 2, 4, 8, 16};

/* LSC data sizes by code: bytes in memory and in a register. */
static const struct {
    uint8_t data_b, reg_b;
    bool high;
} data_sizes[] = {{1, 1, false}, {2, 2, false}, {4, 4, false}, {8, 8, false},
                  {1, 4, false}, {2, 4, false}, {2, 4, true}};

static bool bad_field(struct xk_error *err, const char *field, unsigned value)
{
    xk_isa_fail(err, XK_EINVAL, "message: %s %u", field, value);
    return false;
}

static bool get_data(uint32_t v, struct xk_msg *m, struct xk_error *err)
{
    if (v >= XK_COUNTOF(data_sizes))
        return bad_field(err, "data size code", v);
    m->data_b = data_sizes[v].data_b;
    m->reg_b = data_sizes[v].reg_b;
    m->data_high = data_sizes[v].high;
    return true;
}

static bool put_data_size(const struct xk_msg *m, uint32_t *v,
                          struct xk_error *err)
{
    for (unsigned k = 0; k < XK_COUNTOF(data_sizes); k++) {
        *v = k;
        if (data_sizes[k].data_b == m->data_b &&
            data_sizes[k].reg_b == m->reg_b &&
            data_sizes[k].high == m->data_high)
            return true;
    }
    xk_isa_fail(err, XK_EINVAL,
                "message: data %u bytes in memory, %u in registers%s",
                m->data_b, m->reg_b, m->data_high ? ", upper half" : "");
    return false;
}

/* The table of atomics that the field's code stands in. */
static unsigned atomic_family(unsigned field)
{
    return field == XK_MF_LSC_ATOMIC   ? XK_MSG_LSC
           : field == XK_MF_INT_ATOMIC ? XK_MSG_INT
                                       : XK_MSG_FLT;
}

static bool get_atomic(const struct xk_platform *p, unsigned family, uint32_t v,
                       struct xk_msg *m, struct xk_error *err)
{
    const struct xk_msg_atomic *const a = xk_msg_atomic_by_code(p, family, v);

    if (!a) {
        xk_isa_fail(err, XK_EINVAL, "message: 0x%x is no atomic on %s", v,
                    p->name);
        return false;
    }
    m->lsc_op = (uint8_t)v;
    m->op = a->op;
    if (a->data_b)
        m->data_b = m->reg_b = a->data_b;
    return true;
}

/* By the raw code, where it is set and names the operation; else by the
 * operation. */
static bool put_atomic(const struct xk_platform *p, unsigned family,
                       const struct xk_msg *m, uint32_t *v,
                       struct xk_error *err)
{
    const struct xk_msg_atomic *a = xk_msg_atomic_by_code(p, family, m->lsc_op);

    if (m->op && !(a && a->op == m->op)) {
        if (m->lsc_op) {
            xk_isa_fail(err, XK_EINVAL, "message: code 0x%x is not %s",
                        m->lsc_op, xk_msg_op_name(m->op));
            return false;
        }
        a = NULL;
    }
    if (m->op && !m->lsc_op)
        a = xk_msg_atomic_by_op(p, family, m->op, m->data_b);
    if (!a) {
        xk_isa_fail(err, XK_EINVAL, "message: 0x%x is no atomic on %s%s%s",
                    m->lsc_op, p->name, m->op ? ", nor " : "",
                    xk_msg_op_name(m->op));
        return false;
    }
    *v = a->code;
    return true;
}

static bool get_vec(uint32_t v, struct xk_msg *m)
{
    m->vec = vec_sizes[v];
    return true;
}

static bool put_vec(const struct xk_msg *m, uint32_t *v, struct xk_error *err)
{
    for (unsigned k = 0; k < XK_COUNTOF(vec_sizes); k++) {
        *v = k;
        if (vec_sizes[k] == m->vec)
            return true;
    }
    return bad_field(err, "vector", m->vec);
}

static bool get_owords(const struct xk_platform *p, uint32_t v,
                       struct xk_msg *m, struct xk_error *err)
{
    if (v >= XK_COUNTOF(oword_counts) ||
        oword_counts[v] > xk_msg_machine(p)->max_owords)
        return bad_field(err, "oword block size code", v);
    m->vec = oword_counts[v];
    m->data_high = v == 1;
    return true;
}

static bool put_owords(const struct xk_platform *p, const struct xk_msg *m,
                       uint32_t *v, struct xk_error *err)
{
    const int n = xk_log2_exact(m->vec);

    if (n < 0 || m->vec > xk_msg_machine(p)->max_owords ||
        (m->data_high && m->vec != 1))
        return bad_field(err, "owords in a block:", m->vec);
    *v = n ? (uint32_t)n + 1 : m->data_high;
    return true;
}

/* One-bit or two-bit SIMD modes: the width a value stands for, 0 reserved. */
static unsigned payload_simd(const struct xk_platform *p, unsigned field,
                             uint32_t v)
{
    const struct xk_msg_machine *const mc = xk_msg_machine(p);

    switch (field) {
    case XK_MF_SIMD16:
        return v ? 16 : 8;
    case XK_MF_SIMD16X:
        return !v ? mc->hdc_simd : mc->two ? 16 : 0;
    case XK_MF_SIMD8:
        return !v ? 16 : mc->two ? 8 : 0;
    default:
        return v == 1 ? 16 : v == 2 && mc->two ? 8 : 0;
    }
}

static bool get_simd(const struct xk_platform *p, unsigned field, uint32_t v,
                     struct xk_msg *m, struct xk_error *err)
{
    m->simd = (uint8_t)payload_simd(p, field, v);
    return m->simd || bad_field(err, "SIMD mode code", v);
}

/* A message without a width of its own takes the narrowest one that holds the
 * channels of the instruction. */
static bool put_simd(const struct xk_platform *p, unsigned field,
                     const struct xk_msg *m, uint32_t *v, struct xk_error *err)
{
    unsigned want = m->simd, best = 0;

    for (uint32_t k = 0; k < (field == XK_MF_SIMD3 ? 3u : 2u); k++) {
        const unsigned n = payload_simd(p, field, k);

        if (n && (want ? n == want : n >= m->exec && (!best || n < best))) {
            best = n;
            *v = k;
        }
    }
    if (best)
        return true;
    return bad_field(err, "SIMD width", want ? want : m->exec);
}

static bool get_slots(const struct xk_platform *p, unsigned field, uint32_t v,
                      struct xk_msg *m, struct xk_error *err)
{
    m->simd = xk_msg_machine(p)->hdc_simd;
    if (field == XK_MF_SLOTS3 && (v == 0 || v > 2))
        return bad_field(err, "slot group code", v);
    m->slot_high = field == XK_MF_SLOTS3 ? v == 2 : v;
    return true;
}

static bool get_log2(uint32_t v, unsigned max, uint8_t *to, const char *name,
                     struct xk_error *err)
{
    if (v > max)
        return bad_field(err, name, v);
    *to = (uint8_t)(1u << v);
    return true;
}

static bool put_log2(unsigned from, unsigned max, uint32_t *v, const char *name,
                     struct xk_error *err)
{
    const int n = xk_log2_exact(from);

    *v = (uint32_t)n;
    return (n >= 0 && n <= (int)max) || bad_field(err, name, from);
}

static bool get_cmask(uint32_t on, struct xk_msg *m, struct xk_error *err)
{
    m->cmask = (uint8_t)on;
    m->vec = (uint8_t)__builtin_popcount(on);
    return on || bad_field(err, "enabled components:", 0);
}

static bool put_cmask(const struct xk_msg *m, uint32_t *v, struct xk_error *err)
{
    const unsigned n = (unsigned)__builtin_popcount(m->cmask);

    if (m->cmask == 0 || m->cmask > 15 || (m->vec && m->vec != n)) {
        xk_isa_fail(err, XK_EINVAL,
                    "message: component mask 0x%x, vector of %u", m->cmask,
                    m->vec);
        return false;
    }
    *v = m->cmask;
    return true;
}

bool xk_msg_field_here(unsigned field, const struct xk_msg *m)
{
    if (field == XK_MF_FLUSH_L1 || field == XK_MF_FLUSH_L3)
        return m->bti != XK_BTI_SLM;
    return true;
}

static bool get_flag_field(unsigned field, uint32_t v, struct xk_msg *m)
{
    bool *const to = field == XK_MF_TRANSPOSE   ? &m->transpose
                     : field == XK_MF_VNNI      ? &m->vnni
                     : field == XK_MF_RETURNS   ? &m->returns
                     : field == XK_MF_LAST_USE  ? &m->last_use
                     : field == XK_MF_COMMIT    ? &m->commit
                     : field == XK_MF_CHANNELS  ? &m->channel_dw
                     : field == XK_MF_FENCE_A32 ? &m->fence_a64
                                                : &m->header;

    *to = field == XK_MF_FENCE_A32 ? !v : v;
    return true;
}

/* Plain numbers. */
static uint8_t *number_field(unsigned field, struct xk_msg *m)
{
    switch (field) {
    case XK_MF_ADDR_TYPE:
        return &m->addr_type;
    case XK_MF_CACHE:
    case XK_MF_FENCE_CACHE:
        return &m->cache;
    case XK_MF_SCOPE:
        return &m->fence_scope;
    case XK_MF_FLUSH:
        return &m->fence_flush;
    case XK_MF_SUB:
    case XK_MF_CCS:
        return &m->sub;
    case XK_MF_BTI:
        return &m->bti;
    case XK_MF_FLUSH_L1:
        return &m->flush_l1;
    case XK_MF_FLUSH_L3:
        return &m->flush_l3;
    default:
        return NULL;
    }
}

bool xk_msg_field_get(const struct xk_platform *p, unsigned field,
                      uint32_t bits, struct xk_msg *m, struct xk_error *err)
{
    uint8_t *const plain = number_field(field, m);

    if (plain) {
        *plain = (uint8_t)bits;
        return field != XK_MF_CCS || bits < 4 ||
               bad_field(err, "compression operation", bits);
    }
    switch (field) {
    case XK_MF_ADDR:
        m->addr_b = (uint8_t)(1u << bits);
        return bits || bad_field(err, "address size code", 0);
    case XK_MF_DATA:
        return get_data(bits, m, err);
    case XK_MF_VEC:
        return get_vec(bits, m);
    case XK_MF_CMASK_ON:
        return get_cmask(bits, m, err);
    case XK_MF_CMASK_OFF:
        return get_cmask(~bits & 15, m, err);
    case XK_MF_LSC_ATOMIC:
    case XK_MF_INT_ATOMIC:
    case XK_MF_FLOAT_ATOMIC:
        return get_atomic(p, atomic_family(field), bits, m, err);
    case XK_MF_OWORDS:
        return get_owords(p, bits, m, err);
    case XK_MF_HWORDS:
        return get_log2(bits, 3, &m->vec, "hword block size code", err);
    case XK_MF_A64_HWORDS:
        return get_log2(bits - 1, 3, &m->vec,
                        "hword block size code less 1:", err);
    case XK_MF_ELEMS:
        return get_log2(bits, 3, &m->vec, "elements code", err);
    case XK_MF_BYTES:
        m->vec = 1;
        return get_log2(bits, 2, &m->data_b, "byte size code", err);
    case XK_MF_SIMD16:
    case XK_MF_SIMD16X:
    case XK_MF_SIMD8:
    case XK_MF_SIMD3:
        return get_simd(p, field, bits, m, err);
    case XK_MF_SLOTS2:
    case XK_MF_SLOTS3:
        return get_slots(p, field, bits, m, err);
    case XK_MF_DATA64:
        m->data_b = m->reg_b = bits ? 8 : 4;
        m->simd = xk_msg_machine(p)->hdc_simd;
        return true;
    case XK_MF_ONE_WIDTH:
        m->simd = xk_msg_machine(p)->hdc_simd;
        return true;
    case XK_MF_ONE:
        return true; /* the reserved bits speak of it */
    case XK_MF_SCRATCH:
        m->scratch_b = bits * 32;
        return true;
    default:
        return get_flag_field(field, bits, m);
    }
}

static bool put_plain(unsigned field, const struct xk_msg *m, uint32_t *bits)
{
    struct xk_msg copy = *m;
    const uint8_t *const plain = number_field(field, &copy);

    if (plain)
        *bits = *plain;
    return plain;
}

static bool put_flag(unsigned field, const struct xk_msg *m, uint32_t *bits)
{
    *bits = field == XK_MF_TRANSPOSE   ? m->transpose
            : field == XK_MF_VNNI      ? m->vnni
            : field == XK_MF_RETURNS   ? m->returns
            : field == XK_MF_LAST_USE  ? m->last_use
            : field == XK_MF_COMMIT    ? m->commit
            : field == XK_MF_CHANNELS  ? m->channel_dw
            : field == XK_MF_FENCE_A32 ? !m->fence_a64
            : field == XK_MF_HEADER    ? m->header
                                       : 1; /* HEADER_MUST, ONE */
    return true;
}

bool xk_msg_field_put(const struct xk_platform *p, unsigned field,
                      const struct xk_msg *m, uint32_t *bits,
                      struct xk_error *err)
{
    if (put_plain(field, m, bits))
        return true;
    switch (field) {
    case XK_MF_ADDR:
        return put_log2(m->addr_b, 3, bits, "address bytes", err);
    case XK_MF_DATA:
        return put_data_size(m, bits, err);
    case XK_MF_VEC:
        return put_vec(m, bits, err);
    case XK_MF_CMASK_ON:
        return put_cmask(m, bits, err);
    case XK_MF_CMASK_OFF:
        if (!put_cmask(m, bits, err))
            return false;
        *bits ^= 15;
        return true;
    case XK_MF_LSC_ATOMIC:
    case XK_MF_INT_ATOMIC:
    case XK_MF_FLOAT_ATOMIC:
        return put_atomic(p, atomic_family(field), m, bits, err);
    case XK_MF_OWORDS:
        return put_owords(p, m, bits, err);
    case XK_MF_HWORDS:
        return put_log2(m->vec, 3, bits, "hwords in a block:", err);
    case XK_MF_A64_HWORDS:
        if (!put_log2(m->vec, 3, bits, "hwords in a block:", err))
            return false;
        ++*bits;
        return true;
    case XK_MF_ELEMS:
        return put_log2(m->vec, 3, bits, "vector of", err);
    case XK_MF_BYTES:
        return put_log2(m->data_b, 2, bits, "data bytes", err);
    case XK_MF_SIMD16:
    case XK_MF_SIMD16X:
    case XK_MF_SIMD8:
    case XK_MF_SIMD3:
        return put_simd(p, field, m, bits, err);
    case XK_MF_ONE_WIDTH:
        *bits = 0;
        return true;
    case XK_MF_SLOTS2:
        *bits = m->slot_high;
        return true;
    case XK_MF_SLOTS3:
        *bits = m->slot_high ? 2 : 1;
        return true;
    case XK_MF_DATA64:
        *bits = m->data_b == 8;
        return m->data_b == 4 || m->data_b == 8 ||
               bad_field(err, "data bytes", m->data_b);
    case XK_MF_SCRATCH:
        *bits = m->scratch_b / 32u;
        return m->scratch_b % 32 == 0 ||
               bad_field(err, "scratch offset", m->scratch_b);
    default:
        return put_flag(field, m, bits);
    }
}
