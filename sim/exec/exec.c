/* SPDX-License-Identifier: Apache-2.0 */
/* The general form of an ALU instruction: fetch, compute, flags, store; and the
 * instructions that do not fit it (compare, select). */
#include <math.h>

#include "sim/exec/select.h"
#include "sim/message/sim_message.h"
#include "sim/core/sim_operand.h"

/* -1, 0, 1; an unsigned qword with its top bit set lies above all others. */
static int order_int(int64_t a, bool a_uq, int64_t b, bool b_uq)
{
    const bool a_top = a_uq && a < 0, b_top = b_uq && b < 0;
    if (a_top != b_top)
        return a_top ? 1 : -1;
    return a < b ? -1 : a > b;
}

/* clang-format off */
static bool cond_order(unsigned cond, int order)
{
    switch (cond) {
    case XK_COND_EQ: return order == 0;
    case XK_COND_NE: return order != 0;
    case XK_COND_GT: return order > 0;
    case XK_COND_GE: return order >= 0;
    case XK_COND_LT: return order < 0;
    case XK_COND_LE: return order <= 0;
    default: return false;
    }
}

static bool cond_real(unsigned cond, double a, double b)
{
    switch (cond) {
    case XK_COND_EQ: return a == b;
    case XK_COND_NE: return a != b;
    case XK_COND_GT: return a > b;
    case XK_COND_GE: return a >= b;
    case XK_COND_LT: return a < b;
    case XK_COND_LE: return a <= b;
    case XK_COND_OV: return isinf(a);
    case XK_COND_UN: return isnan(a) || isnan(b);
    default: return false;
    }
}
/* clang-format on */

static double real_lane(const struct xk_sim_inst *e,
                        const union xk_sim_lanes *v, unsigned l)
{
    return e->is_double ? v->d[l] : (double)v->f[l];
}

static bool is_real(const struct xk_sim_inst *e)
{
    return e->is_float || e->is_double;
}

static bool is_uq(const struct xk_sim_opnd *o)
{
    return o->type == XK_RT_UQ;
}

/* Flags of an integer result: its value after wrapping, against zero; overflow
 * if wrapping changed it. */
static bool result_int(const struct xk_sim_inst *e, int64_t v)
{
    const int64_t w = e->in.sat ? v : xk_sim_wrap(e->dst.type, v);
    if (e->in.cond == XK_COND_OV)
        return xk_sim_wrap(e->dst.type, v) != v;
    return cond_order(e->in.cond, order_int(w, is_uq(&e->dst), 0, false));
}

/* Flags see the result before it saturates. */
static void set_result_flags(struct xk_sim_thread *t,
                             const struct xk_sim_inst *e, uint32_t mask,
                             const union xk_sim_lanes *r)
{
    uint32_t bits = 0;
    for (unsigned l = 0; l < e->exec; l++) {
        const bool on = is_real(e)
                            ? cond_real(e->in.cond, real_lane(e, r, l), 0.0)
                            : result_int(e, r->i[l]);
        bits |= (uint32_t)on << l;
    }
    xk_sim_set_flags(t, e, mask, bits);
}

/* A NaN saturates to 0. */
static void saturate(const struct xk_sim_inst *e, union xk_sim_lanes *r)
{
    const bool unit =
        xk_sim_type_is_float(e->dst.type) || e->dst.type == XK_RT_DF;
    if (!is_real(e) && !unit)
        for (unsigned l = 0; l < e->exec; l++)
            r->i[l] = xk_sim_clamp(e->dst.type, r->i[l]);
    else if (!is_real(e))
        for (unsigned l = 0; l < e->exec; l++)
            r->i[l] = r->i[l] > 0;
    else if (e->is_double && unit)
        for (unsigned l = 0; l < e->exec; l++)
            r->d[l] = r->d[l] > 0.0 ? fmin(r->d[l], 1.0) : 0.0;
    else if (unit)
        for (unsigned l = 0; l < e->exec; l++)
            r->f[l] = r->f[l] > 0.0f ? fminf(r->f[l], 1.0f) : 0.0f;
}

static void store_lanes(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        uint32_t mask, const union xk_sim_lanes *r)
{
    if (e->is_double)
        xk_sim_store_double(t, e, mask, r);
    else if (e->is_float)
        xk_sim_store_float(t, e, mask, r);
    else
        xk_sim_store_int(t, e, mask, r);
}

/* AccWrEn: the result also lands in acc0, at the destination's sub-register and
 * with its stride, whatever the channel offset. */
static void also_acc(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                     uint32_t mask, const union xk_sim_lanes *r)
{
    struct xk_sim_inst to_acc = *e;
    to_acc.dst = (struct xk_sim_opnd){
        .kind = XK_SO_REG,
        .type = e->dst.type,
        .size_b = e->dst.size_b,
        .special = XK_SS_ACC,
        .vs_b = (uint16_t)xk_inst_acc_step_b(&e->in),
        .off_b = XK_RF_ACC + xk_inst_acc_first_b(&e->in),
    };
    store_lanes(t, &to_acc, mask, r);
}

void xk_sim_finish(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                   uint32_t mask, union xk_sim_lanes *r, unsigned what)
{
    if (e->in.cond && (what & XK_SIM_FLAGS))
        set_result_flags(t, e, mask, r);
    if (e->in.sat)
        saturate(e, r);
    store_lanes(t, e, mask, r);
    if (e->in.acc_wr_en && (what & XK_SIM_ACC))
        also_acc(t, e, mask, r);
}

bool xk_sim_fetch(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  struct xk_sim_sources *s)
{
    for (unsigned k = 0; k < e->n_srcs; k++)
        if (e->is_double  ? !xk_sim_fetch_double(t, e, &e->src[k], &s->v[k])
            : e->is_float ? !xk_sim_fetch_float(t, e, &e->src[k], &s->v[k])
                          : !xk_sim_fetch_int(t, e, &e->src[k], &s->v[k]))
            return false;
    return true;
}

static void exec_alu(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_sources s;
    union xk_sim_lanes r;
    const uint32_t mask = xk_sim_mask(t, e);
    if (!mask || !xk_sim_fetch(t, e, &s))
        return;
    e->lane(e, &r, &s.v[0], &s.v[1], &s.v[2]);
    xk_sim_finish(t, e, mask, &r, XK_SIM_FLAGS | XK_SIM_ACC);
}

/* Same type, no modifiers: bits travel untouched (NaNs, denormals). */
static void exec_mov_raw(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    union xk_sim_lanes v;
    const uint32_t mask = xk_sim_mask(t, e);
    if (mask && xk_sim_fetch_int(t, e, &e->src[0], &v))
        xk_sim_store_raw(t, e, mask, &v);
}

static uint32_t compare_lanes(const struct xk_sim_inst *e,
                              const struct xk_sim_sources *s)
{
    uint32_t bits = 0;
    for (unsigned l = 0; l < e->exec; l++) {
        const bool on =
            is_real(e) ? cond_real(e->in.cond, real_lane(e, &s->v[0], l),
                                   real_lane(e, &s->v[1], l))
                       : cond_order(e->in.cond,
                                    order_int(s->v[0].i[l], is_uq(&e->src[0]),
                                              s->v[1].i[l], is_uq(&e->src[1])));
        bits |= (uint32_t)on << l;
    }
    return bits;
}

static uint32_t nans_in_src1(const struct xk_sim_inst *e,
                             const struct xk_sim_sources *s)
{
    uint32_t bits = 0;
    for (unsigned l = 0; is_real(e) && l < e->exec; l++)
        bits |= (uint32_t)(isnan(real_lane(e, &s->v[1], l)) != 0) << l;
    return bits;
}

static void exec_cmp(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_sources s;
    union xk_sim_lanes r;
    const uint32_t mask = xk_sim_mask(t, e);
    if (!mask || !xk_sim_fetch(t, e, &s))
        return;
    uint32_t bits = compare_lanes(e, &s);
    if (e->in.op == XK_OPC_CMPN)
        bits |= nans_in_src1(e, &s);
    for (unsigned l = 0; l < e->exec; l++)
        r.i[l] = bits >> l & 1 ? -1 : 0;
    xk_sim_set_flags(t, e, mask, bits);
    xk_sim_store_raw(t, e, mask, &r);
}

/* The lanes that take src0: by predicate, or as min and max, where a number
 * wins over a NaN. */
static uint32_t select_lanes(struct xk_sim_thread *t,
                             const struct xk_sim_inst *e,
                             const struct xk_sim_sources *s)
{
    return e->in.cond ? compare_lanes(e, s) | nans_in_src1(e, s)
                      : xk_sim_pred(t, e);
}

static void take_src1(const struct xk_sim_inst *e, struct xk_sim_sources *s,
                      uint32_t lanes)
{
    for (unsigned l = 0; l < e->exec; l++) {
        if (!(lanes >> l & 1))
            continue;
        if (e->is_float)
            s->v[0].f[l] = s->v[1].f[l];
        else
            s->v[0].i[l] = s->v[1].i[l];
    }
}

/* Its condition writes no flag. */
static void exec_sel(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_sources s;
    const uint32_t mask =
        (e->no_mask ? UINT32_MAX : t->active >> e->chan_off) & e->lanes;
    if (!mask || !xk_sim_fetch(t, e, &s))
        return;
    take_src1(e, &s, ~select_lanes(t, e, &s));
    xk_sim_finish(t, e, mask, &s.v[0], XK_SIM_ACC);
}

static void exec_csel(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_sources s;
    uint32_t first = 0;
    const uint32_t mask = xk_sim_mask(t, e);
    if (!mask || !xk_sim_fetch(t, e, &s))
        return;
    for (unsigned l = 0; l < e->exec; l++) {
        const bool on =
            is_real(e) ? cond_real(e->in.cond, real_lane(e, &s.v[2], l), 0.0)
                       : cond_order(e->in.cond,
                                    order_int(s.v[2].i[l], false, 0, false));
        first |= (uint32_t)on << l;
    }
    take_src1(e, &s, ~first);
    xk_sim_finish(t, e, mask, &s.v[0], XK_SIM_ACC);
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

static bool is_raw_mov(const struct xk_sim_inst *e)
{
    const struct xk_sim_opnd *s = &e->src[0];
    return s->type == e->dst.type && !s->neg && !s->abs && !e->in.sat &&
           !e->in.cond && !e->in.acc_wr_en;
}

static xk_sim_fn *select_alu(struct xk_sim_inst *e)
{
    e->lane = e->is_double  ? xk_sim_lane_double(&e->in)
              : e->is_float ? xk_sim_lane_float(&e->in)
                            : xk_sim_lane_int(&e->in);
    return e->lane ? exec_alu : NULL;
}

/* The special forms, then the general one. */
static xk_sim_fn *select_any(struct xk_sim_inst *e)
{
    xk_sim_fn *(*const forms[])(const struct xk_sim_inst *) = {
        xk_sim_select_flow, xk_sim_select_macro, xk_sim_select_acc,
        xk_sim_select_move, xk_sim_select_wide};
    for (unsigned k = 0; k < XK_COUNTOF(forms); k++) {
        xk_sim_fn *const fn = forms[k](e);
        if (fn)
            return fn;
    }
    return select_alu(e);
}

/* clang-format off */
void xk_sim_select(const struct xk_sim_kernel *k, struct xk_sim_inst *e)
{
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_NOP: e->fn = exec_nothing; break;
    case XK_OPC_CMP: case XK_OPC_CMPN: e->fn = exec_cmp; break;
    case XK_OPC_SEL: e->fn = exec_sel; break;
    case XK_OPC_CSEL: e->fn = exec_csel; break;
    case XK_OPC_DPAS: case XK_OPC_DPASW: e->fn = xk_sim_select_dpas(k, e); break;
    case XK_OPC_SEND: case XK_OPC_SENDC: e->fn = xk_sim_select_send(e); break;
    case XK_OPC_MOV:
        e->fn = is_raw_mov(e) ? exec_mov_raw : select_any(e);
        break;
    default:
        e->fn = select_any(e);
    }
    if (!e->fn)
        e->fn = xk_sim_exec_unsupported;
}
/* clang-format on */
