/* SPDX-License-Identifier: Apache-2.0 */
/* The general form of an ALU instruction: fetch, compute, flags, store; and the
 * instructions that do not fit it (compare, select, accumulator). */
#include <math.h>

#include "sim/sim_operand.h"

/* clang-format off */
static bool cond_int(unsigned cond, int64_t a, int64_t b)
{
    switch (cond) {
    case XK_COND_EQ: return a == b;
    case XK_COND_NE: return a != b;
    case XK_COND_GT: return a > b;
    case XK_COND_GE: return a >= b;
    case XK_COND_LT: return a < b;
    case XK_COND_LE: return a <= b;
    default: return false;
    }
}
/* clang-format on */

/* clang-format off */
static bool cond_float(unsigned cond, float a, float b)
{
    switch (cond) {
    case XK_COND_EQ: return a == b;
    case XK_COND_NE: return a != b;
    case XK_COND_GT: return a > b;
    case XK_COND_GE: return a >= b;
    case XK_COND_LT: return a < b;
    case XK_COND_LE: return a <= b;
    case XK_COND_UN: return isnan(a) || isnan(b);
    default: return false;
    }
}
/* clang-format on */

/* Flags of an integer result: its value after wrapping, against zero; overflow
 * if wrapping changed it. */
static void flags_int(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      uint32_t mask, const union xk_sim_lanes *r)
{
    uint32_t bits = 0;
    for (unsigned l = 0; l < e->exec; l++) {
        const int64_t w = xk_sim_wrap(e->dst.type, r->i[l]);
        const bool on = e->in.cond == XK_COND_OV ? w != r->i[l]
                                                 : cond_int(e->in.cond, w, 0);
        bits |= (uint32_t)on << l;
    }
    xk_sim_set_flags(t, e, mask, bits);
}

static void flags_float(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        uint32_t mask, const union xk_sim_lanes *r)
{
    uint32_t bits = 0;
    for (unsigned l = 0; l < e->exec; l++) {
        const bool on = e->in.cond == XK_COND_OV
                            ? isinf(r->f[l])
                            : cond_float(e->in.cond, r->f[l], 0.0f);
        bits |= (uint32_t)on << l;
    }
    xk_sim_set_flags(t, e, mask, bits);
}

/* AccWrEn: the result also lands in acc0, whatever the channel offset. */
static void also_acc(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                     uint32_t mask, const union xk_sim_lanes *r)
{
    struct xk_sim_inst to_acc = *e;
    to_acc.dst = (struct xk_sim_opnd){
        .kind = XK_SO_REG,
        .type = e->dst.type,
        .size_b = e->dst.size_b,
        .special = XK_SS_ACC,
        .vs_b = e->dst.size_b,
        .off_b = XK_RF_ACC,
    };
    if (e->is_float)
        xk_sim_store_float(t, &to_acc, mask, r);
    else
        xk_sim_store_int(t, &to_acc, mask, r);
}

static void finish_int(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       uint32_t mask, union xk_sim_lanes *r)
{
    if (e->in.sat)
        for (unsigned l = 0; l < e->exec; l++)
            r->i[l] = xk_sim_clamp(e->dst.type, r->i[l]);
    if (e->in.cond)
        flags_int(t, e, mask, r);
    xk_sim_store_int(t, e, mask, r);
    if (e->in.acc_wr_en)
        also_acc(t, e, mask, r);
}

static void finish_float(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         uint32_t mask, union xk_sim_lanes *r)
{
    if (e->in.sat && xk_sim_type_is_float(e->dst.type))
        for (unsigned l = 0; l < e->exec; l++)
            r->f[l] = r->f[l] > 0.0f ? fminf(r->f[l], 1.0f) : 0.0f;
    if (e->in.cond)
        flags_float(t, e, mask, r);
    xk_sim_store_float(t, e, mask, r);
    if (e->in.acc_wr_en)
        also_acc(t, e, mask, r);
}

struct sources {
    union xk_sim_lanes v[3];
};

static bool fetch(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  struct sources *s)
{
    for (unsigned k = 0; k < e->n_srcs; k++)
        if (e->is_float ? !xk_sim_fetch_float(t, e, &e->src[k], &s->v[k])
                        : !xk_sim_fetch_int(t, e, &e->src[k], &s->v[k]))
            return false;
    return true;
}

static void exec_alu(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct sources s;
    union xk_sim_lanes r;
    const uint32_t mask = xk_sim_mask(t, e);
    if (!mask || !fetch(t, e, &s))
        return;
    e->lane(e, &r, &s.v[0], &s.v[1], &s.v[2]);
    if (e->is_float)
        finish_float(t, e, mask, &r);
    else
        finish_int(t, e, mask, &r);
}

/* Same type, no modifiers: bits travel untouched (NaNs, denormals). */
static void exec_mov_raw(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    union xk_sim_lanes v;
    const uint32_t mask = xk_sim_mask(t, e);
    if (mask && xk_sim_fetch_int(t, e, &e->src[0], &v))
        xk_sim_store_raw(t, e, mask, &v);
}

static uint32_t compare(const struct xk_sim_inst *e, const struct sources *s)
{
    uint32_t bits = 0;
    for (unsigned l = 0; l < e->exec; l++) {
        const bool on = e->is_float
                            ? cond_float(e->in.cond, s->v[0].f[l], s->v[1].f[l])
                            : cond_int(e->in.cond, s->v[0].i[l], s->v[1].i[l]);
        bits |= (uint32_t)on << l;
    }
    return bits;
}

static void exec_cmp(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct sources s;
    union xk_sim_lanes r;
    const uint32_t mask = xk_sim_mask(t, e);
    if (!mask || !fetch(t, e, &s))
        return;
    uint32_t bits = compare(e, &s);
    for (unsigned l = 0; l < e->exec; l++) {
        if (e->in.op == XK_OPC_CMPN && e->is_float && isnan(s.v[1].f[l]))
            bits |= 1u << l;
        r.i[l] = bits >> l & 1 ? -1 : 0;
    }
    xk_sim_set_flags(t, e, mask, bits);
    xk_sim_store_raw(t, e, mask, &r);
}

/* Which lanes take src0: by predicate, or as min and max, where a number wins
 * over a NaN. */
static uint32_t choose(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const struct sources *s)
{
    if (!e->in.cond)
        return xk_sim_pred(t, e);
    uint32_t bits = compare(e, s);
    for (unsigned l = 0; e->is_float && l < e->exec; l++)
        if (isnan(s->v[1].f[l]))
            bits |= 1u << l;
    return bits;
}

static void exec_sel(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct sources s;
    const uint32_t mask =
        (e->no_mask ? UINT32_MAX : t->active >> e->chan_off) & e->lanes;
    if (!mask || !fetch(t, e, &s))
        return;
    const uint32_t first = choose(t, e, &s);
    struct xk_sim_inst plain = *e; /* its cond writes no flag */
    plain.in.cond = XK_COND_NONE;
    for (unsigned l = 0; l < e->exec; l++)
        if (!(first >> l & 1)) {
            if (e->is_float)
                s.v[0].f[l] = s.v[1].f[l];
            else
                s.v[0].i[l] = s.v[1].i[l];
        }
    if (e->is_float)
        finish_float(t, &plain, mask, &s.v[0]);
    else
        finish_int(t, &plain, mask, &s.v[0]);
}

static void exec_csel(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct sources s;
    const uint32_t mask = xk_sim_mask(t, e);
    if (!mask || !fetch(t, e, &s))
        return;
    struct xk_sim_inst plain = *e;
    plain.in.cond = XK_COND_NONE;
    for (unsigned l = 0; l < e->exec; l++) {
        if (e->is_float) {
            if (!cond_float(e->in.cond, s.v[2].f[l], 0.0f))
                s.v[0].f[l] = s.v[1].f[l];
        } else if (!cond_int(e->in.cond, s.v[2].i[l], 0)) {
            s.v[0].i[l] = s.v[1].i[l];
        }
    }
    if (e->is_float)
        finish_float(t, &plain, mask, &s.v[0]);
    else
        finish_int(t, &plain, mask, &s.v[0]);
}

static int64_t acc_get(const struct xk_sim_thread *t, unsigned lane)
{
    return (int64_t)((uint64_t)(uint32_t)t->acc_hi[lane] << 32 |
                     xk_rf_u32(t, XK_RF_ACC + 4 * lane));
}

static void acc_set(struct xk_sim_thread *t, unsigned lane, int64_t v)
{
    xk_rf_set_u32(t, XK_RF_ACC + 4 * lane, (uint32_t)v);
    t->acc_hi[lane] = (int32_t)(v >> 32);
}

/* Carry or borrow goes to the accumulator as 0 or 1. */
static void exec_addc(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct sources s;
    const uint32_t mask = xk_sim_mask(t, e);
    if (!mask || !fetch(t, e, &s))
        return;
    struct xk_sim_inst plain = *e;
    plain.in.acc_wr_en = false;
    for (unsigned l = 0; l < e->exec; l++) {
        const uint64_t x = (uint32_t)s.v[0].i[l], y = (uint32_t)s.v[1].i[l];
        const uint64_t r = e->in.op == XK_OPC_ADDC ? x + y : x - y;
        s.v[0].i[l] = (int64_t)(r & UINT32_MAX);
        if (mask >> l & 1)
            acc_set(t, l, (int64_t)(r >> 32 & 1));
    }
    finish_int(t, &plain, mask, &s.v[0]);
}

/* The accumulator holds src0 * src1[15:0]; this adds the high part of src1.
 * With AccWrEn the destination gets bits 63:32 and the accumulator the whole
 * product, without it the destination gets bits 31:0 (macl). */
static void exec_mach(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct sources s;
    const uint32_t mask = xk_sim_mask(t, e);
    if (!mask || !fetch(t, e, &s))
        return;
    struct xk_sim_inst plain = *e;
    plain.in.acc_wr_en = false;
    for (unsigned l = 0; l < e->exec; l++) {
        const int64_t hi = s.v[1].i[l] & ~(int64_t)0xffff;
        const uint64_t p =
            (uint64_t)acc_get(t, l) + (uint64_t)s.v[0].i[l] * (uint64_t)hi;
        if (e->in.acc_wr_en && (mask >> l & 1))
            acc_set(t, l, (int64_t)p);
        s.v[0].i[l] = e->in.acc_wr_en ? (int64_t)p >> 32 : (int64_t)(int32_t)p;
    }
    finish_int(t, &plain, mask, &s.v[0]);
}

static void exec_mac(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct sources s;
    const uint32_t mask = xk_sim_mask(t, e);
    if (!mask || !fetch(t, e, &s))
        return;
    for (unsigned l = 0; l < e->exec; l++) {
        if (e->is_float) {
            float acc;
            memcpy(&acc, t->rf + XK_RF_ACC + 4 * l, 4);
            s.v[0].f[l] = fmaf(s.v[0].f[l], s.v[1].f[l], acc);
        } else {
            s.v[0].i[l] = acc_get(t, l) + s.v[0].i[l] * s.v[1].i[l];
        }
    }
    if (e->is_float)
        finish_float(t, e, mask, &s.v[0]);
    else
        finish_int(t, e, mask, &s.v[0]);
}

static void exec_nothing(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    (void)t;
    (void)e;
}

void xk_sim_exec_unsupported(struct xk_sim_thread *t,
                             const struct xk_sim_inst *e)
{
    xk_sim_fault(t, e,
                 "the simulator does not know this instruction or its "
                 "operand types");
}

void xk_sim_exec_undecodable(struct xk_sim_thread *t,
                             const struct xk_sim_inst *e)
{
    struct xk_error why = {.status = XK_OK};
    struct xk_inst i;
    size_t used_b;
    xk_inst_decode(t->kernel->platform, t->kernel->code + e->pc_b,
                   t->kernel->code_b - e->pc_b, &i, &used_b, &why);
    xk_sim_fault(t, NULL, "bytes at offset 0x%x are no instruction: %.200s",
                 e->pc_b, why.message);
}

static bool raw_mov(const struct xk_sim_inst *e)
{
    const struct xk_sim_opnd *s = &e->src[0];
    return s->type == e->dst.type && !s->neg && !s->abs && !e->in.sat &&
           !e->in.cond && !e->in.acc_wr_en;
}

static xk_sim_fn *select_alu(struct xk_sim_inst *e)
{
    e->lane = e->is_float ? xk_sim_lane_float(&e->in) : xk_sim_lane_int(&e->in);
    return e->lane ? exec_alu : NULL;
}

/* clang-format off */
void xk_sim_select(const struct xk_sim_kernel *k, struct xk_sim_inst *e)
{
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_NOP: e->fn = exec_nothing; break;
    case XK_OPC_CMP: case XK_OPC_CMPN: e->fn = exec_cmp; break;
    case XK_OPC_SEL: e->fn = exec_sel; break;
    case XK_OPC_CSEL: e->fn = exec_csel; break;
    case XK_OPC_ADDC: case XK_OPC_SUBB: e->fn = exec_addc; break;
    case XK_OPC_MACH: e->fn = exec_mach; break;
    case XK_OPC_MAC:
        if (e->dst.type != XK_RT_HF) /* else acc has 2-byte elements */
            e->fn = exec_mac;
        break;
    case XK_OPC_DPAS: e->fn = xk_sim_select_dpas(k, e); break;
    case XK_OPC_SEND: case XK_OPC_SENDC: e->fn = xk_sim_select_send(e); break;
    case XK_OPC_MOV:
        e->fn = raw_mov(e) ? exec_mov_raw : select_alu(e);
        break;
    default:
        e->fn = xk_sim_select_flow(e);
        if (!e->fn)
            e->fn = select_alu(e);
    }
    if (!e->fn)
        e->fn = xk_sim_exec_unsupported;
}
/* clang-format on */
