/* SPDX-License-Identifier: Apache-2.0 */
/* Finds bytes of registers that nobody wrote. Compilers move whole registers
 * although some lanes mean nothing. So being undefined travels through moves
 * and arithmetic, lane by lane. It is a finding only where it matters: in an
 * address, a descriptor, the predicate of a message or a branch, and in what is
 * stored to memory that others can see. */
#include <stdio.h>

#include "sim/check/check_state.h"
#include "sim/core/sim_operand.h"

uint64_t xk_check_get_bits(const struct xk_sim_check_thread *c, uint32_t at_b,
                           uint32_t n_b)
{
    const uint64_t *const w = c->def + at_b / 64;
    const unsigned sh = at_b % 64;
    const uint64_t v = sh ? w[0] >> sh | w[1] << (64 - sh) : w[0];
    return v & xk_check_low_bits(n_b);
}

void xk_check_put_bits(struct xk_sim_check_thread *c, uint32_t at_b,
                       uint32_t n_b, uint64_t bits)
{
    uint64_t *const w = c->def + at_b / 64;
    const unsigned sh = at_b % 64;
    const uint64_t all = xk_check_low_bits(n_b);
    bits &= all;
    c->age += bits != all; /* perhaps nothing changes */
    w[0] = (w[0] & ~(all << sh)) | bits << sh;
    if (sh && sh + n_b > 64)
        w[1] = (w[1] & ~(all >> (64 - sh))) | bits >> (64 - sh);
}

void xk_check_put(struct xk_sim_check_thread *c, uint32_t at_b, uint32_t n_b,
                  bool defined)
{
    uint32_t b = 0;
    if (defined && at_b % 64 == 0)
        for (; b + 64 <= n_b; b += 64)
            c->def[(at_b + b) / 64] = UINT64_MAX;
    for (; b < n_b; b += 64)
        xk_check_put_bits(c, at_b + b, n_b - b < 64 ? n_b - b : 64,
                          defined ? UINT64_MAX : 0);
}

bool xk_check_row_defined(const struct xk_sim_check_thread *c, uint32_t at_b,
                          uint32_t n_b)
{
    uint32_t b = 0;
    uint64_t all = UINT64_MAX;
    if (at_b % 64 == 0)
        for (; b + 64 <= n_b; b += 64)
            all &= c->def[(at_b + b) / 64];
    if (all != UINT64_MAX)
        return false;
    for (; b < n_b; b += 64) {
        const uint32_t m_b = n_b - b < 64 ? n_b - b : 64;
        if (xk_check_get_bits(c, at_b + b, m_b) != xk_check_low_bits(m_b))
            return false;
    }
    return true;
}

/* Defines the payload, and what always has a value. */
void xk_check_init_start(struct xk_sim_check_thread *c)
{
    const struct xk_sim_thread *const t = c->thread;
    const struct xk_sim_dispatch *const d = t->group->run->d;
    const uint32_t grf_b = t->kernel->grf_b;
    uint32_t n_b = grf_b;
    if (d->emit_ids)
        n_b += 3 * xk_sim_id_channel_b(grf_b, d->simd);
    n_b += d->thread_data ? d->thread_data_b : 0;
    n_b += d->cross_data ? d->cross_data_b : 0;
    memset(c->def, 0, sizeof c->def);
    c->age++;
    xk_check_put(c, 0, (n_b + grf_b - 1) / grf_b * grf_b, true);
    xk_check_put(c, XK_RF_ZERO, XK_SIM_SPAN_B, true);
    xk_check_put(c, XK_RF_CE, XK_RF_END_B - XK_RF_CE, true);
}

static const char *arf_name(uint32_t at_b, uint32_t *first_b)
{
    static const struct {
        uint32_t at_b;
        const char *name;
    } files[] = {{XK_RF_MISC, "sp"}, {XK_RF_CE, "ce"},     {XK_RF_A0, "a"},
                 {XK_RF_FLAG, "f"},  {XK_RF_ZERO, "null"}, {XK_RF_ACC, "acc"},
                 {XK_RF_GRF, "r"}};
    size_t i = 0;
    while (files[i].at_b > at_b)
        i++;
    *first_b = files[i].at_b;
    return files[i].name;
}

void xk_check_undefined(struct xk_sim_check_thread *c,
                        const struct xk_sim_inst *e, uint32_t at_b,
                        const char *role, unsigned lane)
{
    struct xk_sim_thread *const t = c->thread;
    struct xk_sim_place place = {.n_b = 0};
    uint32_t first_b;
    const char *const name = arf_name(at_b, &first_b);
    const uint32_t each_b = first_b == XK_RF_A0     ? 32
                            : first_b == XK_RF_FLAG ? 4
                                                    : t->kernel->grf_b;
    const uint32_t unit_b =
        first_b == XK_RF_A0 || first_b == XK_RF_FLAG ? 2 : 1;
    snprintf(place.what, sizeof place.what, "%s%u.%u", name,
             (at_b - first_b) / each_b, (at_b - first_b) % each_b / unit_b);
    xk_sim_check_report(t, e,
                        &(struct xk_check_about){XK_CHECK_INIT, NULL, &place},
                        "lane %u: %s comes from what nobody wrote (%s%s)", lane,
                        role, place.what, unit_b == 1 ? " in bytes" : "");
}

/* -- Flags -- */

static uint64_t flag_bits(const struct xk_sim_check_thread *c, unsigned bit)
{
    const unsigned w = bit / 64 & 1, sh = bit % 64;
    const uint64_t *const def = c->def + XK_CHECK_IMAGE_W;
    const uint64_t v = def[w] >> sh;
    return sh && !w ? v | def[1] << (64 - sh) : v;
}

static void put_flags(struct xk_sim_check_thread *c, unsigned bit,
                      uint32_t lanes, uint32_t defined)
{
    uint64_t *const def = c->def + XK_CHECK_IMAGE_W;
    const unsigned w = bit / 64 & 1, sh = bit % 64;
    if (lanes & ~defined)
        c->age++;
    def[w] &= ~((uint64_t)lanes << sh);
    def[w] |= (uint64_t)(defined & lanes) << sh;
    if (sh > 32 && !w) {
        def[1] &= ~((uint64_t)lanes >> (64 - sh));
        def[1] |= (uint64_t)(defined & lanes) >> (64 - sh);
    }
}

/* The lanes whose whole group of w lanes is defined. */
static uint32_t whole_groups(uint32_t ok, unsigned w)
{
    uint32_t out = 0;
    const uint32_t ones = w == 32 ? UINT32_MAX : (1u << w) - 1;
    for (unsigned first = 0; first < XK_SIM_LANES; first += w)
        if ((ok >> first & ones) == ones)
            out |= ones << first;
    return out;
}

uint32_t xk_check_pred_ok(const struct xk_sim_check_thread *c,
                          const struct xk_sim_inst *e, uint32_t lanes)
{
    const uint32_t ok = (uint32_t)flag_bits(c, e->flag_bit);
    const unsigned pred = e->in.pred;
    switch (pred) {
    case XK_PRED_NONE:
    case XK_PRED_ANYV:
    case XK_PRED_ALLV:
        return lanes;
    case XK_PRED_NORMAL:
        return ok & lanes;
    case XK_PRED_ANY:
    case XK_PRED_ALL:
        return (ok & e->lanes) == e->lanes ? lanes : 0;
    default:
        return whole_groups(ok, 2u << (pred - XK_PRED_ANY2H) / 2) & lanes;
    }
}

/* -- Lane by lane -- */

static uint32_t exec_lanes(const struct xk_sim_thread *t,
                           const struct xk_sim_inst *e)
{
    return (e->no_mask ? UINT32_MAX : t->active >> e->chan_off) & e->lanes;
}

/* Offsets of every lane's element; false where an address register is
 * undefined. */
static bool check_offsets(struct xk_sim_check_thread *c,
                          const struct xk_sim_inst *e,
                          const struct xk_sim_opnd *o, uint32_t *off)
{
    const struct xk_sim_thread *const t = c->thread;
    const unsigned w_mask = (1u << o->log_w) - 1;
    const uint32_t on =
        o->kind == XK_SO_REG ? UINT32_MAX : xk_sim_operand_lanes(t, e);
    for (unsigned l = 0; l < e->exec; l++) {
        const unsigned row = l >> o->log_w;
        off[l] = row * o->vs_b + (l & w_mask) * o->hs_b;
        if (o->kind == XK_SO_REG) {
            off[l] += o->off_b;
            continue;
        }
        if (!(on >> l & 1)) { /* its address is not looked at */
            off[l] = 0;
            continue;
        }
        const uint32_t at = o->off_b + (o->kind == XK_SO_VXH ? 2 * row : 0);
        uint16_t base;
        if (!xk_check_defined(c, at, 2)) {
            xk_check_undefined(c, e, at, "the register's address", l);
            return false;
        }
        memcpy(&base, t->rf + at, 2);
        if (o->kind == XK_SO_VXH)
            off[l] = (l & w_mask) * o->hs_b;
        off[l] = (off[l] + base + (uint32_t)o->a0_off_b) % XK_RF_ACC;
    }
    return true;
}

/* A flag register counts as defined where any bit of the element is defined,
 * because compilers move flag registers of which they use only some bits. */
static bool element_ok(const struct xk_sim_check_thread *c, uint32_t off_b,
                       unsigned size_b)
{
    if (xk_check_is_flag(off_b))
        return flag_bits(c, 8 * (off_b - XK_RF_FLAG)) &
               xk_check_low_bits(8 * size_b);
    return xk_check_defined(c, off_b, size_b);
}

static uint32_t operand_ok(struct xk_sim_check_thread *c,
                           const struct xk_sim_inst *e,
                           const struct xk_sim_opnd *o)
{
    uint32_t off[XK_SIM_LANES], ok = 0;
    if (o->kind == XK_SO_NONE || o->kind == XK_SO_IMM)
        return UINT32_MAX;
    if (!check_offsets(c, e, o, off))
        return UINT32_MAX;
    for (unsigned l = 0; l < e->exec; l++)
        ok |= (uint32_t)element_ok(c, off[l], o->size_b) << l;
    return ok;
}

/* The lanes whose part of the unnamed accumulator is defined. */
static uint32_t acc_ok(const struct xk_sim_check_thread *c,
                       const struct xk_sim_inst *e,
                       const struct xk_check_inst *p)
{
    uint32_t ok = UINT32_MAX;
    for (unsigned l = 0; p->acc_in.n_b && l < e->exec; l++)
        if (!xk_check_defined(c, p->acc_in.at_b + l * p->acc_step_b,
                              p->acc_lane_b))
            ok &= ~(1u << l);
    return ok;
}

static void put_acc(struct xk_sim_check_thread *c, const struct xk_sim_inst *e,
                    const struct xk_check_inst *p, uint32_t lanes, uint32_t ok)
{
    if (!p->acc_out.n_b)
        return;
    for (uint32_t k = lanes & e->lanes; k; k &= k - 1) {
        const unsigned l = (unsigned)__builtin_ctz(k);
        xk_check_put(c, p->acc_out.at_b + l * p->acc_step_b, p->acc_lane_b,
                     ok >> l & 1);
    }
}

/* Bits of the result that a constant decides, whatever the other operand is. */
static uint32_t decided_bits(const struct xk_sim_inst *e)
{
    const struct xk_sim_opnd *const k = &e->src[1];
    if (k->kind != XK_SO_IMM || k->type > XK_RT_Q)
        return 0;
    return e->in.op == XK_OPC_OR    ? (uint32_t)k->ival
           : e->in.op == XK_OPC_AND ? ~(uint32_t)k->ival
                                    : 0;
}

static void put_lanes(struct xk_sim_check_thread *c,
                      const struct xk_sim_inst *e, uint32_t lanes, uint32_t ok)
{
    const struct xk_sim_opnd *const o = &e->dst;
    uint32_t off[XK_SIM_LANES];
    if (o->kind == XK_SO_NONE || !check_offsets(c, e, o, off))
        return;
    for (uint32_t m = lanes; m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        const bool good = ok >> l & 1;
        if (xk_check_is_flag(off[l]))
            put_flags(c, 8 * (off[l] - XK_RF_FLAG),
                      (uint32_t)xk_check_low_bits(8u * o->size_b),
                      good ? UINT32_MAX : decided_bits(e));
        else
            xk_check_put(c, off[l], o->size_b, good);
    }
}

/* The bytes of each lane as they are. */
static void copy_lanes(struct xk_sim_check_thread *c,
                       const struct xk_sim_inst *e, uint32_t lanes)
{
    uint32_t from[XK_SIM_LANES], to[XK_SIM_LANES];
    uint64_t bits[XK_SIM_LANES];
    const unsigned size_b = e->dst.size_b;
    if (!check_offsets(c, e, &e->src[0], from) ||
        !check_offsets(c, e, &e->dst, to))
        return;
    for (unsigned l = 0; l < e->exec; l++)
        bits[l] = xk_check_get_bits(c, from[l], size_b);
    for (uint32_t m = lanes; m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        xk_check_put_bits(c, to[l], size_b, bits[l]);
    }
}

static bool is_copy(const struct xk_sim_inst *e)
{
    const struct xk_sim_opnd *const s = &e->src[0], *const d = &e->dst;
    return e->in.op == XK_OPC_MOV && s->type == d->type && !s->neg && !s->abs &&
           s->kind != XK_SO_IMM && d->kind != XK_SO_NONE &&
           !xk_check_is_flag(s->off_b) && !xk_check_is_flag(d->off_b);
}

/* x ^ x is zero, whatever x is. An integer equals itself: compilers compare one
 * with itself to make a flag of the channels that execute. */
static bool ignores_values(const struct xk_sim_inst *e)
{
    const struct xk_sim_opnd *const a = &e->src[0], *const b = &e->src[1];
    const bool same =
        a->kind == XK_SO_REG && b->kind == XK_SO_REG && a->off_b == b->off_b &&
        a->type == b->type && a->neg == b->neg && a->abs == b->abs &&
        a->log_w == b->log_w && a->vs_b == b->vs_b && a->hs_b == b->hs_b;
    return same && (e->in.op == XK_OPC_XOR ||
                    (e->in.op == XK_OPC_CMP && a->type <= XK_RT_Q));
}

/* x & constant: bytes in which the constant is zero do not count. Loads of
 * bytes and words leave the upper part of a dword undefined, and code masks
 * it. */
static bool is_masking(const struct xk_sim_inst *e)
{
    const struct xk_sim_opnd *const x = &e->src[0], *const m = &e->src[1];
    return e->in.op == XK_OPC_AND && x->kind == XK_SO_REG &&
           !xk_check_is_flag(x->off_b) && m->kind == XK_SO_IMM &&
           m->type <= XK_RT_Q;
}

static uint32_t masked_ok(struct xk_sim_check_thread *c,
                          const struct xk_sim_inst *e)
{
    const struct xk_sim_opnd *const x = &e->src[0];
    uint32_t off[XK_SIM_LANES], ok = 0;
    uint64_t mask = (uint64_t)e->src[1].ival, need = 0;
    if (!check_offsets(c, e, x, off))
        return UINT32_MAX;
    for (unsigned b = 0; b < x->size_b; b++, mask >>= 8)
        need |= (uint64_t)((mask & 0xff) != 0) << b;
    for (unsigned l = 0; l < e->exec; l++)
        ok |= (uint32_t) !(need & ~xk_check_get_bits(c, off[l], x->size_b))
              << l;
    return ok;
}

/* Lanes whose result is defined. */
static uint32_t result_ok(struct xk_sim_check_thread *c,
                          const struct xk_sim_inst *e,
                          const struct xk_check_inst *p, uint32_t pred_ok)
{
    uint32_t ok[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    for (unsigned n = 0; n < e->n_srcs; n++)
        ok[n] = operand_ok(c, e, &e->src[n]);
    if (is_masking(e))
        ok[0] = masked_ok(c, e);
    if (e->in.op == XK_OPC_SEL && !e->in.cond && e->pred) {
        const uint32_t first = xk_sim_pred(c->thread, e);
        return ((first & ok[0]) | (~first & ok[1])) & (pred_ok | ~e->lanes);
    }
    return ok[0] & ok[1] & ok[2] & acc_ok(c, e, p);
}

static void by_lanes(struct xk_sim_check_thread *c, const struct xk_sim_inst *e,
                     const struct xk_check_inst *p, uint32_t mask)
{
    const uint32_t exec = exec_lanes(c->thread, e);
    const uint32_t pred_ok = xk_check_pred_ok(c, e, exec);
    const bool sel = e->in.op == XK_OPC_SEL;
    const uint32_t lanes = sel ? exec : mask | (exec & ~pred_ok);
    if (!lanes)
        return;
    if (is_copy(e) && pred_ok == exec) {
        copy_lanes(c, e, lanes);
    } else {
        uint32_t ok = result_ok(c, e, p, pred_ok);
        if (!sel)
            ok &= pred_ok | ~exec;
        if (ignores_values(e))
            ok = UINT32_MAX;
        put_lanes(c, e, lanes, ok);
        if (xk_check_sets_flags(e))
            put_flags(c, e->flag_bit, lanes, ok);
        put_acc(c, e, p, lanes, ok);
        return;
    }
    if (xk_check_sets_flags(e))
        put_flags(c, e->flag_bit, lanes, operand_ok(c, e, &e->src[0]));
}

static bool all_defined(const struct xk_sim_check_thread *c,
                        const struct xk_check_inst *p)
{
    for (unsigned n = 0; n < 3; n++)
        if (!xk_check_defined(c, p->src[n].at_b, p->src[n].n_b))
            return false;
    return xk_check_defined(c, p->acc_in.at_b, p->acc_in.n_b);
}

static void by_ranges(struct xk_sim_check_thread *c,
                      const struct xk_sim_inst *e,
                      const struct xk_check_inst *p, uint32_t mask)
{
    const uint32_t exec = exec_lanes(c->thread, e);
    if (!all_defined(c, p) ||
        (e->pred && xk_check_pred_ok(c, e, exec) != exec)) {
        by_lanes(c, e, p, mask);
        return;
    }
    const uint32_t lanes = e->in.op == XK_OPC_SEL ? exec : mask;
    if (p->dst.n_b && !xk_check_defined(c, p->dst.at_b, p->dst.n_b)) {
        if (lanes == e->lanes && p->dst.n_b <= 64)
            xk_check_put_bits(c, p->dst.at_b, p->dst.n_b,
                              xk_check_get_bits(c, p->dst.at_b, p->dst.n_b) |
                                  p->dst_bits);
        else
            put_lanes(c, e, lanes, UINT32_MAX);
    }
    if (xk_check_sets_flags(e))
        put_flags(c, e->flag_bit, lanes, UINT32_MAX);
    put_acc(c, e, p, lanes, UINT32_MAX);
}

static void by_branch(struct xk_sim_check_thread *c,
                      const struct xk_sim_inst *e)
{
    uint32_t exec = exec_lanes(c->thread, e);
    if (e->in.op == XK_OPC_JMPI)
        exec = 1;
    if (e->dst.kind == XK_SO_REG)
        xk_check_put(c, e->dst.off_b, 8, true); /* call */
    if (!e->pred)
        return;
    const uint32_t bad = exec & ~xk_check_pred_ok(c, e, exec);
    if (bad)
        xk_check_undefined(c, e, XK_RF_FLAG + e->flag_bit / 16 * 2u,
                           "the branch's predicate",
                           (unsigned)__builtin_ctz(bad));
}

void xk_check_init_before(struct xk_sim_check_thread *c,
                          const struct xk_sim_inst *e, uint32_t mask)
{
    const struct xk_check_inst *const p =
        &c->work->run->inst[e - c->thread->kernel->inst];
    switch ((enum xk_check_kind)p->kind) {
    case XK_CK_NONE:
        break;
    case XK_CK_RANGES:
        by_ranges(c, e, p, mask);
        break;
    case XK_CK_LANES:
        by_lanes(c, e, p, mask);
        break;
    case XK_CK_DPAS:
        xk_check_dpas(c, e, p, mask);
        break;
    case XK_CK_BRANCH:
        by_branch(c, e);
        break;
    case XK_CK_SEND:
        xk_check_send_before(c, e, mask);
        break;
    }
}

void xk_check_need_defined(struct xk_sim_check_thread *c,
                           const struct xk_sim_inst *e, uint32_t at_b,
                           uint32_t n_b, const char *role, unsigned lane)
{
    for (uint32_t b = at_b; b < at_b + n_b; b++)
        if (!xk_check_defined(c, b, 1)) {
            xk_check_undefined(c, e, b, role, lane);
            return;
        }
}
