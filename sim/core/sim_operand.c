/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/core/sim_operand.h"

#include <math.h>

#include "sim/core/known.h"
#include "base/half.h"

/* Spreads "any" or "all" over groups of w flag bits. */
static uint32_t fold_groups(uint32_t bits, unsigned w, bool all)
{
    uint32_t out = 0;
    const uint32_t ones = w == 32 ? UINT32_MAX : (1u << w) - 1;
    for (unsigned first = 0; first < XK_SIM_LANES; first += w) {
        const uint32_t g = (bits >> first) & ones;
        if (all ? g == ones : g != 0)
            out |= ones << first;
    }
    return out;
}

static uint32_t fold_flags(const struct xk_sim_thread *t, unsigned bit,
                           unsigned pred, uint32_t lanes)
{
    const uint64_t flags = xk_rf_u64(t, XK_RF_FLAG); /* f1:f0 */
    const uint32_t bits = xk_sim_flags(t, bit);
    switch (pred) {
    case XK_PRED_ANYV:
        return (uint32_t)((flags | flags >> 32) >> (bit & 31));
    case XK_PRED_ALLV:
        return (uint32_t)((flags & flags >> 32) >> (bit & 31));
    case XK_PRED_ANY:
        return bits & lanes ? UINT32_MAX : 0;
    case XK_PRED_ALL:
        return (bits & lanes) == lanes ? UINT32_MAX : 0;
    case XK_PRED_ANY2H:
    case XK_PRED_ALL2H:
    case XK_PRED_ANY4H:
    case XK_PRED_ALL4H:
    case XK_PRED_ANY8H:
    case XK_PRED_ALL8H:
    case XK_PRED_ANY16H:
    case XK_PRED_ALL16H:
    case XK_PRED_ANY32H:
    case XK_PRED_ALL32H: {
        const unsigned k = pred - XK_PRED_ANY2H;
        return fold_groups(bits, 2u << (k / 2), k & 1);
    }
    default:
        return bits;
    }
}

uint32_t xk_sim_pred(const struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    if (!e->pred)
        return e->lanes;
    const uint32_t p = fold_flags(t, e->flag_bit, e->in.pred, e->lanes);
    return (e->in.pred_inv ? ~p : p) & e->lanes;
}

uint32_t xk_sim_mask(const struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const uint32_t on = e->no_mask ? UINT32_MAX : t->active >> e->chan_off;
    return on & xk_sim_pred(t, e);
}

/* Registers whose content is only known when it is looked at. */
static void refresh_special(struct xk_sim_thread *t,
                            const struct xk_sim_inst *e, unsigned special)
{
    switch (special) {
    case XK_SS_CE:
        xk_rf_set_u32(t, XK_RF_CE, t->active);
        break;
    case XK_SS_SR:
        xk_rf_set_u32(t, XK_RF_SR + 8, t->dispatch);
        xk_rf_set_u32(t, XK_RF_SR + 12, t->dispatch);
        break;
    case XK_SS_IP:
        xk_rf_set_u32(t, XK_RF_IP, e->pc_b);
        break;
    case XK_SS_TM: { /* advances by instructions: the same in every run */
        const uint64_t now = t->count[XK_STAT_OTHER] + t->count[XK_STAT_FMA];
        memcpy(t->rf + XK_RF_TM, &now, 8);
        break;
    }
    default:
        break;
    }
}

uint32_t xk_sim_operand_lanes(const struct xk_sim_thread *t,
                              const struct xk_sim_inst *e)
{
    return e->in.op == XK_OPC_SEL
               ? e->no_mask ? UINT32_MAX : t->active >> e->chan_off
               : xk_sim_mask(t, e);
}

/* The address of a lane that is off may be anything. */
static bool indirect_offsets(struct xk_sim_thread *t,
                             const struct xk_sim_inst *e,
                             const struct xk_sim_opnd *o, uint32_t *off)
{
    const uint32_t on = xk_sim_operand_lanes(t, e);
    const unsigned w_mask = (1u << o->log_w) - 1;
    for (unsigned l = 0; l < e->exec; l++) {
        const unsigned row = l >> o->log_w;
        const unsigned a0 = o->kind == XK_SO_VXH ? row : 0;
        uint16_t base;
        memcpy(&base, t->rf + o->off_b + 2 * a0, 2);
        const int32_t b = (int32_t)base + o->a0_off_b +
                          (int32_t)((o->kind == XK_SO_VXH ? 0 : row) * o->vs_b +
                                    (l & w_mask) * o->hs_b);
        const bool outside =
            b < 0 ||
            b + o->size_b > (int32_t)(t->kernel->grf_count * t->kernel->grf_b);
        if (outside && on >> l & 1) {
            xk_sim_fault(t, e,
                         "lane %u: indirect register byte %d is outside "
                         "the %u registers",
                         l, b, t->kernel->grf_count);
            return false;
        }
        off[l] = outside ? 0 : (uint32_t)b;
    }
    return true;
}

/* Byte offset in the image of every lane's element. */
static bool lane_offsets(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         const struct xk_sim_opnd *o, uint32_t *off)
{
    if (o->kind != XK_SO_REG)
        return indirect_offsets(t, e, o, off);
    if (o->special)
        refresh_special(t, e, o->special);
    const uint32_t first = o->off_b, vs = o->vs_b, hs = o->hs_b;
    const unsigned log_w = o->log_w, w_mask = (1u << log_w) - 1;
    for (unsigned l = 0; l < e->exec; l++)
        off[l] = first + (l >> log_w) * vs + (l & w_mask) * hs;
    return true;
}

/* The parts of a vector immediate lie under the destination: words for V and
 * UV, dwords for VF. A wider element takes the part at its start. IGC relies on
 * that: "add (4|M0) r5.0<1>:ud r2.2<0;1,0>:uw 0xC080400:uv" adds 0, 4, 8,
 * 12. */
static unsigned part_number(const struct xk_sim_inst *e, unsigned l,
                            unsigned part_b)
{
    const unsigned step_b = e->dst.vs_b ? e->dst.vs_b : e->dst.hs_b;
    return step_b > part_b ? l * (step_b / part_b) : l;
}

static int64_t vector_nibble(const struct xk_sim_opnd *o, unsigned l)
{
    const unsigned v = (unsigned)(o->bits >> (4 * (l & 7))) & 15;
    return o->type == XK_RT_V ? (int64_t)(v ^ 8) - 8 : (int64_t)v;
}

/* Restricted float: sign, 3 bits of exponent with bias 3, 4 of fraction; zero
 * is a special case. */
static float vector_float(const struct xk_sim_opnd *o, unsigned l)
{
    const unsigned v = (unsigned)(o->bits >> (8 * (l & 3))) & 255;
    const uint32_t sign = (uint32_t)(v >> 7) << 31;
    const uint32_t bits = (v & 127) == 0
                              ? sign
                              : sign | ((((v >> 4) & 7) + 124) << 23) |
                                    ((uint32_t)(v & 15) << 19);
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static void immediate_int(const struct xk_sim_inst *e,
                          const struct xk_sim_opnd *o, int64_t *v)
{
    const bool vec = o->type == XK_RT_V || o->type == XK_RT_UV;
    for (unsigned l = 0; l < e->exec; l++)
        v[l] = vec ? vector_nibble(o, part_number(e, l, 2)) : o->ival;
}

#define LOAD_INT(T)                                                            \
    for (unsigned l = 0; l < n; l++) {                                         \
        T x_;                                                                  \
        memcpy(&x_, rf + off[l], sizeof(x_));                                  \
        v[l] = (int64_t)x_;                                                    \
    }                                                                          \
    break

/* clang-format off */
static void load_int(const uint8_t *rf, const uint32_t *off, unsigned n,
                     unsigned type, int64_t *v)
{
    switch (type) {
    case XK_RT_UB: case XK_RT_BF8: LOAD_INT(uint8_t);
    case XK_RT_B: LOAD_INT(int8_t);
    case XK_RT_UW: case XK_RT_HF: case XK_RT_BF: LOAD_INT(uint16_t);
    case XK_RT_W: LOAD_INT(int16_t);
    case XK_RT_UD: case XK_RT_F: case XK_RT_TF32: LOAD_INT(uint32_t);
    case XK_RT_D: LOAD_INT(int32_t);
    case XK_RT_UQ: case XK_RT_Q: case XK_RT_DF: LOAD_INT(int64_t);
    default: /* the decoder let no other type through */
        memset(v, 0, n * sizeof(*v));
    }
}
/* clang-format on */

static void modify_int(const struct xk_sim_inst *e, const struct xk_sim_opnd *o,
                       int64_t *v)
{
    for (unsigned l = 0; l < e->exec; l++) {
        if (e->logic) {
            v[l] = o->neg ? ~v[l] : v[l];
            continue;
        }
        if (o->abs && v[l] < 0)
            v[l] = (int64_t)(0 - (uint64_t)v[l]);
        if (o->neg)
            v[l] = (int64_t)(0 - (uint64_t)v[l]);
    }
}

bool xk_sim_fetch_int(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      const struct xk_sim_opnd *o, union xk_sim_lanes *v)
{
    uint32_t off[XK_SIM_LANES];
    if (o->kind == XK_SO_IMM) {
        immediate_int(e, o, v->i);
    } else {
        if (!lane_offsets(t, e, o, off))
            return false;
        load_int(t->rf, off, e->exec, o->type, v->i);
    }
    if (o->neg || o->abs)
        modify_int(e, o, v->i);
    return true;
}

static uint64_t double_bits(double d)
{
    uint64_t b;
    memcpy(&b, &d, 8);
    return b;
}

static float flush_denormal(float f)
{
    const uint32_t b = xk_float_bits(f);
    return b & 0x7f800000u ? f : xk_bits_float(b & 0x80000000u);
}

static double flush_double(double d)
{
    uint64_t b;
    memcpy(&b, &d, 8);
    if (b & UINT64_C(0x7ff0000000000000))
        return d;
    b &= UINT64_C(1) << 63;
    memcpy(&d, &b, 8);
    return d;
}

static float flush_half(float f)
{
    const uint32_t b = xk_float_bits(f);
    return (b & 0x7fffffffu) < 0x38800000u ? xk_bits_float(b & 0x80000000u) : f;
}

static bool load_float(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const struct xk_sim_opnd *o, float *v)
{
    uint32_t off[XK_SIM_LANES];
    if (!lane_offsets(t, e, o, off))
        return false;
    for (unsigned l = 0; l < e->exec; l++) {
        const uint8_t *p = t->rf + off[l];
        uint16_t h = 0;
        memcpy(&h, p, 2);
        if (o->type == XK_RT_HF)
            v[l] = xk_sim_half_to_float(h);
        else if (o->type == XK_RT_BF)
            v[l] = xk_bits_float((uint32_t)h << 16);
        else if (o->type == XK_RT_BF8)
            v[l] = xk_sim_half_to_float((uint16_t)(h << 8));
        else
            memcpy(&v[l], p, 4);
    }
    return true;
}

static void modify_float(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         const struct xk_sim_opnd *o, float *v)
{
    const uint32_t and_ = o->abs ? 0x7fffffffu : UINT32_MAX;
    const uint32_t xor_ = o->neg ? 0x80000000u : 0;
    for (unsigned l = 0; l < e->exec; l++)
        v[l] = xk_bits_float((xk_float_bits(v[l]) & and_) ^ xor_);
    if (o->type == XK_RT_HF ? t->ftz_half : t->ftz)
        for (unsigned l = 0; l < e->exec; l++)
            v[l] =
                o->type == XK_RT_HF ? flush_half(v[l]) : flush_denormal(v[l]);
}

static bool fetch_int_as_float(struct xk_sim_thread *t,
                               const struct xk_sim_inst *e,
                               const struct xk_sim_opnd *o,
                               union xk_sim_lanes *v)
{
    union xk_sim_lanes w;
    if (!xk_sim_fetch_int(t, e, o, &w))
        return false;
    for (unsigned l = 0; l < e->exec; l++)
        v->f[l] = (float)w.i[l];
    return true;
}

bool xk_sim_fetch_float(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        const struct xk_sim_opnd *o, union xk_sim_lanes *v)
{
    if (!xk_sim_type_is_float(o->type))
        return fetch_int_as_float(t, e, o, v);
    if (o->kind == XK_SO_IMM) {
        for (unsigned l = 0; l < e->exec; l++)
            v->f[l] = o->type == XK_RT_VF
                          ? vector_float(o, part_number(e, l, 4))
                          : o->fval;
    } else if (!load_float(t, e, o, v->f)) {
        return false;
    }
    modify_float(t, e, o, v->f);
    return true;
}

/* An absent source may have any type; it reads as zero. */
bool xk_sim_fetch_double(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         const struct xk_sim_opnd *o, union xk_sim_lanes *v)
{
    uint32_t off[XK_SIM_LANES];
    if (o->kind != XK_SO_IMM && !lane_offsets(t, e, o, off))
        return false;
    for (unsigned l = 0; l < e->exec; l++) {
        double d = 0;
        if (o->kind == XK_SO_IMM && o->type == XK_RT_DF)
            memcpy(&d, &o->bits, 8);
        else if (o->kind == XK_SO_IMM)
            d = (double)o->fval;
        else if (o->type == XK_RT_DF)
            memcpy(&d, t->rf + off[l], 8);
        if (t->ftz_double)
            d = flush_double(d);
        d = o->abs ? fabs(d) : d;
        v->d[l] = o->neg ? -d : d;
    }
    return true;
}

/* clang-format off */
int64_t xk_sim_wrap(unsigned type, int64_t v)
{
    switch (type) {
    case XK_RT_UB: return (uint8_t)v;
    case XK_RT_B: return (int8_t)v;
    case XK_RT_UW: case XK_RT_HF: case XK_RT_BF: return (uint16_t)v;
    case XK_RT_W: return (int16_t)v;
    case XK_RT_UD: case XK_RT_F: return (uint32_t)v;
    case XK_RT_D: return (int32_t)v;
    default: return v;
    }
}
/* clang-format on */

/* clang-format off */
static int64_t int_max(unsigned type)
{
    switch (type) {
    case XK_RT_UB: return UINT8_MAX;
    case XK_RT_B: return INT8_MAX;
    case XK_RT_UW: return UINT16_MAX;
    case XK_RT_W: return INT16_MAX;
    case XK_RT_UD: return UINT32_MAX;
    case XK_RT_D: return INT32_MAX;
    default: return INT64_MAX;
    }
}
/* clang-format on */

static int64_t int_min(unsigned type)
{
    switch (type) {
    case XK_RT_B:
    case XK_RT_W:
    case XK_RT_D:
    case XK_RT_Q:
        return -int_max(type) - 1;
    default:
        return 0;
    }
}

int64_t xk_sim_clamp(unsigned type, int64_t v)
{
    const int64_t lo = int_min(type), hi = int_max(type);
    return v < lo ? lo : v > hi ? hi : v;
}

static void write_lane(struct xk_sim_thread *t, uint32_t off, unsigned size_b,
                       uint64_t bits)
{
    memcpy(t->rf + off, &bits, size_b);
}

static bool dst_offsets(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        uint32_t *off)
{
    return e->dst.kind != XK_SO_NONE && lane_offsets(t, e, &e->dst, off);
}

/* The host's rounding mode is the thread's. */
static uint64_t int_bits(const struct xk_sim_thread *t,
                         const struct xk_sim_inst *e, double d)
{
    return (uint64_t)xk_sim_int_from_double(e->dst.type,
                                            t->round_int ? rint(d) : d);
}

/* clang-format off */
static uint64_t float_encode(const struct xk_sim_thread *t,
                             const struct xk_sim_inst *e, float f)
{
    switch (e->dst.type) {
    case XK_RT_F:
        return xk_float_bits(t->ftz ? flush_denormal(f) : f);
    case XK_RT_HF: {
        const uint16_t h = xk_sim_half_from_float(f, t->round);
        return t->ftz_half && !(h & 0x7c00) ? h & 0x8000 : h;
    }
    case XK_RT_BF: return xk_sim_bf16_from_float(f, t->round);
    case XK_RT_TF32: return xk_sim_tf32_from_float(f, t->round);
    case XK_RT_BF8:
        return xk_sim_bf8_from_half(xk_sim_half_from_float(f, 0), t->round);
    case XK_RT_DF: return double_bits((double)f);
    default: return int_bits(t, e, (double)f);
    }
}
/* clang-format on */

static uint64_t double_encode(const struct xk_sim_thread *t,
                              const struct xk_sim_inst *e, double d)
{
    if (e->dst.type == XK_RT_DF)
        return double_bits(t->ftz_double ? flush_double(d) : d);
    if (xk_sim_type_is_float(e->dst.type))
        return float_encode(t, e, (float)d);
    return int_bits(t, e, d);
}

/* The bits of a move's result. Arithmetic has no 64-bit integers and floats in
 * one instruction. */
static uint64_t int_encode(const struct xk_sim_thread *t,
                           const struct xk_sim_inst *e, int64_t v)
{
    const bool uq = e->src[0].type == XK_RT_UQ;
    if (e->dst.type == XK_RT_DF)
        return double_bits(uq ? (double)(uint64_t)v : (double)v);
    if (xk_sim_type_is_float(e->dst.type))
        return float_encode(t, e, uq ? (float)(uint64_t)v : (float)v);
    return (uint64_t)v;
}

/* The wide half of an integer accumulator write. */
static void store_acc_hi(struct xk_sim_thread *t, uint32_t off, unsigned size_b,
                         int64_t v)
{
    if (size_b < 8)
        t->acc_hi[((off - XK_RF_ACC) / 2) % XK_COUNTOF(t->acc_hi)] =
            (int32_t)(v >> 8 * size_b);
}

/* sr0.2 has the channels of the thread. nGEN sets all 16 in kernels of SIMD8.
 * Channels that wait go on waiting. */
static void dispatch_written(struct xk_sim_thread *t)
{
    t->dispatch = xk_rf_u32(t, XK_RF_SR + 8);
    t->active = t->dispatch & ~t->waiting;
}

static void state_written(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    if (e->dst.special == XK_SS_CR)
        xk_sim_control_written(t, e);
    else if (e->dst.special == XK_SS_SR)
        dispatch_written(t);
}

void xk_sim_store_int(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      uint32_t mask, const union xk_sim_lanes *v)
{
    uint32_t off[XK_SIM_LANES];
    if (!dst_offsets(t, e, off))
        return;
    for (unsigned l = 0; l < e->exec; l++) {
        if (!(mask >> l & 1))
            continue;
        write_lane(t, off[l], e->dst.size_b, int_encode(t, e, v->i[l]));
        if (e->dst.special == XK_SS_ACC)
            store_acc_hi(t, off[l], e->dst.size_b, v->i[l]);
    }
    state_written(t, e);
}

void xk_sim_store_float(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        uint32_t mask, const union xk_sim_lanes *v)
{
    uint32_t off[XK_SIM_LANES];
    if (!dst_offsets(t, e, off))
        return;
    for (unsigned l = 0; l < e->exec; l++)
        if (mask >> l & 1)
            write_lane(t, off[l], e->dst.size_b, float_encode(t, e, v->f[l]));
    state_written(t, e);
}

void xk_sim_store_double(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         uint32_t mask, const union xk_sim_lanes *v)
{
    uint32_t off[XK_SIM_LANES];
    if (!dst_offsets(t, e, off))
        return;
    for (unsigned l = 0; l < e->exec; l++)
        if (mask >> l & 1)
            write_lane(t, off[l], e->dst.size_b, double_encode(t, e, v->d[l]));
}

void xk_sim_store_raw(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      uint32_t mask, const union xk_sim_lanes *v)
{
    uint32_t off[XK_SIM_LANES];
    if (!dst_offsets(t, e, off))
        return;
    for (unsigned l = 0; l < e->exec; l++)
        if (mask >> l & 1)
            write_lane(t, off[l], e->dst.size_b, (uint64_t)v->i[l]);
    state_written(t, e);
}
