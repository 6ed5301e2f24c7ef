/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction in flight: what it read, what it will write, and executing it
 * again. */
#include <string.h>

#include "sim/core/observer.h"
#include "sim/exec/select.h"
#include "sim/hazard/hazard_late.h"
#include "sim/message/message_shown.h"

static const struct xk_hz_table *table_of(const struct xk_hz_late *l)
{
    return xk_hz_table_of(l->t->kernel);
}

bool xk_hz_op_is_late(const struct xk_hz_late *l, const struct xk_hz_inst *e,
                      unsigned file)
{
    if (file == XK_HZ_GRF)
        return true;
    if (file == XK_HZ_STATE)
        return false;
    return e->unit != XK_HZ_IN_ORDER || (l->strict && !table_of(l)->one_pipe);
}

/* ---- pieces ---- */

/* Bytes of the register image that an access is; n_b 0: none. */
static struct xk_hz_piece piece_of(const struct xk_hz_late *l,
                                   const struct xk_hz_inst *e,
                                   const struct xk_hz_access *a, uint32_t mask)
{
    const struct xk_hz_table *const h = table_of(l);
    struct xk_hz_range r = {a->first, a->end};
    struct xk_hz_piece p = {.file = a->file};
    if (a->file == XK_HZ_STATE ||
        (a->dynamic &&
         !xk_hz_range_now(h, e, a, mask, l->t->rf + XK_RF_A0, &r)))
        return p;
    const uint32_t at =
        r.first - xk_hz_file_at(h->platform, (enum xk_hz_file)a->file);
    p.n_b = r.end - r.first;
    switch ((enum xk_hz_file)a->file) {
    case XK_HZ_FLAG: /* units are bits */
        p.at_b = XK_RF_FLAG + at / 8;
        p.n_b = (at % 8 + p.n_b + 7) / 8;
        break;
    case XK_HZ_ACC:
        p.at_b = XK_RF_ACC + at;
        p.n_b = at + p.n_b > XK_SIM_SPAN_B ? 0 : p.n_b;
        break;
    case XK_HZ_A0:
        p.at_b = XK_RF_A0 + at;
        break;
    case XK_HZ_GRF:
    case XK_HZ_STATE:
        p.at_b = XK_RF_GRF + at;
        break;
    }
    return p;
}

static bool add_source(struct xk_hz_late_op *op, struct xk_hz_piece p,
                       const struct xk_sim_thread *of)
{
    uint32_t at = 0;
    if (op->n_src)
        at = op->src[op->n_src - 1].copy_b + op->src[op->n_src - 1].n_b;
    if (!p.n_b || op->n_src == XK_HZ_LATE_SRCS ||
        at + p.n_b > sizeof op->src_copy)
        return false;
    p.copy_b = at;
    memcpy(op->src_copy + at, of->rf + p.at_b, p.n_b);
    op->src[op->n_src++] = p;
    return true;
}

/* Sources that are read after the issue. */
static bool is_read_late(const struct xk_hz_late *l, const struct xk_hz_inst *e,
                         unsigned file)
{
    switch ((enum xk_hz_file)file) {
    case XK_HZ_GRF:
    case XK_HZ_ACC:
        return true;
    case XK_HZ_FLAG:
        return e->unit == XK_HZ_IN_ORDER;
    case XK_HZ_A0:
        return e->unit == XK_HZ_IN_ORDER && l->strict;
    case XK_HZ_STATE:
        break;
    }
    return false;
}

static void copy_sources(const struct xk_hz_late *l, const struct xk_hz_inst *e,
                         struct xk_hz_late_op *op)
{
    const struct xk_hz_access *const a = &table_of(l)->access[e->access];
    op->n_src = 0;
    for (unsigned k = 0; k < e->n_rd; k++) {
        if (a[k].file == XK_HZ_STATE)
            op->repeats = false;
        if (is_read_late(l, e, a[k].file))
            add_source(op, piece_of(l, e, &a[k], op->mask), l->t);
    }
}

static void note_results(const struct xk_hz_late *l, const struct xk_hz_inst *e,
                         struct xk_hz_late_op *op)
{
    const struct xk_hz_access *const a =
        &table_of(l)->access[e->access + e->n_rd];
    uint32_t at = 0;
    op->n_dst = 0;
    for (unsigned k = 0; k < e->n_wr; k++) {
        struct xk_hz_piece p = piece_of(l, e, &a[k], op->mask);
        if (a[k].file == XK_HZ_STATE)
            op->repeats = false;
        if (!p.n_b || !xk_hz_op_is_late(l, e, a[k].file))
            continue;
        if (op->n_dst == XK_HZ_LATE_DSTS || at + p.n_b > sizeof op->was) {
            op->repeats = false;
            continue;
        }
        p.copy_b = at;
        memcpy(op->was + at, l->t->rf + p.at_b, p.n_b);
        at += p.n_b;
        op->dst[op->n_dst++] = p;
    }
}

static bool has_file(const struct xk_hz_access *a, unsigned n, unsigned file)
{
    for (unsigned k = 0; k < n; k++)
        if (a[k].file == file)
            return true;
    return false;
}

/* Whether executing it again would add to the accumulator again. */
static bool adds_to_accumulator(const struct xk_hz_late *l,
                                const struct xk_hz_inst *e)
{
    const struct xk_hz_access *const a = &table_of(l)->access[e->access];
    return e->is_macro || (has_file(a, e->n_rd, XK_HZ_ACC) &&
                           has_file(a + e->n_rd, e->n_wr, XK_HZ_ACC));
}

void xk_hz_op_begin(struct xk_hz_late *l, struct xk_hz_late_op *op, uint32_t at,
                    uint32_t mask)
{
    const struct xk_hz_inst *const e = &table_of(l)->inst[at];
    const struct xk_msg *const m = &l->t->kernel->inst[at].msg;
    const enum xk_msg_class k =
        e->unit == XK_HZ_SEND ? xk_msg_op_class(m->op) : XK_MCLASS_OTHER;
    op->inst = at;
    op->mask = mask;
    op->active = l->t->active;
    op->order = l->now;
    op->number = l->issued[e->pipe];
    op->repeats = !adds_to_accumulator(l, e);
    op->loads = k == XK_MCLASS_LOAD && !e->in->send.desc_reg;
    op->acts = k == XK_MCLASS_STORE || k == XK_MCLASS_ATOMIC;
    op->mate = NULL;
    memcpy(op->flags, l->t->rf + XK_RF_FLAG, sizeof op->flags);
    memcpy(op->a0, l->t->rf + XK_RF_A0, sizeof op->a0);
    note_results(l, e, op);
    copy_sources(l, e, op);
}

static void add_partner_s(struct xk_hz_late *l, struct xk_hz_late_op *op)
{
    const struct xk_sim_thread *const o = &l->t->group->thread[l->t->index ^ 1];
    const struct xk_sim_inst *const e = &l->t->kernel->inst[op->inst];
    const uint32_t first_b = xk_sim_dpasw_first_b(l->t->kernel, e->pair_src2_b);
    const uint32_t rest_b =
        e->pair_src2_b > first_b ? e->pair_src2_b - first_b : 0;
    const struct xk_hz_piece p = {.at_b = e->pair_off_b,
                                  .n_b = o->index & 1 ? rest_b : first_b,
                                  .file = XK_HZ_GRF,
                                  .partner_s = true};
    if (!add_source(op, p, o))
        op->repeats &= !p.n_b;
}

void xk_hz_op_share(struct xk_hz_late *l, struct xk_hz_late_op *op,
                    struct xk_hz_late *other, struct xk_hz_late_op *its)
{
    add_partner_s(l, op);
    add_partner_s(other, its);
}

static void take_results(struct xk_sim_thread *t, struct xk_hz_late_op *op)
{
    for (unsigned k = 0; k < op->n_dst; k++) {
        const struct xk_hz_piece *const p = &op->dst[k];
        memcpy(op->will + p->copy_b, t->rf + p->at_b, p->n_b);
        memcpy(t->rf + p->at_b, op->was + p->copy_b, p->n_b);
    }
}

void xk_hz_op_hide(struct xk_hz_late *l, struct xk_hz_late_op *op)
{
    take_results(l->t, op);
}

bool xk_hz_op_meet(const struct xk_hz_late_op *a, const struct xk_hz_late_op *b)
{
    for (unsigned k = 0; k < a->n_dst; k++)
        for (unsigned m = 0; m < b->n_dst; m++)
            if (a->dst[k].at_b < b->dst[m].at_b + b->dst[m].n_b &&
                b->dst[m].at_b < a->dst[k].at_b + a->dst[k].n_b)
                return true;
    return false;
}

/* ---- again ---- */

static struct xk_sim_thread *partner_of(const struct xk_sim_thread *t)
{
    return &t->group->thread[t->index ^ 1];
}

static const uint8_t *source_now(const struct xk_hz_late *l,
                                 const struct xk_hz_piece *p)
{
    return (p->partner_s ? partner_of(l->t) : l->t)->rf + p->at_b;
}

static bool sources_changed(const struct xk_hz_late *l,
                            const struct xk_hz_late_op *op)
{
    for (unsigned k = 0; k < op->n_src; k++)
        if (memcmp(source_now(l, &op->src[k]), op->src_copy + op->src[k].copy_b,
                   op->src[k].n_b))
            return true;
    return false;
}

/* Whether the message, which acts on memory, shows it. Other channels' elements
 * do not matter. */
static bool change_matters(const struct xk_hz_late *l,
                           const struct xk_hz_late_op *op)
{
    uint64_t bits[XK_SIM_SHOWN_WORDS] = {0};
    const struct xk_sim_inst *const e = &l->t->kernel->inst[op->inst];
    if (!op->acts || e->in.send.desc_reg)
        return true;
    for (unsigned k = 0; k < op->n_src; k++)
        for (uint32_t b = 0; b < op->src[k].n_b; b++) {
            const uint32_t at = op->src[k].at_b + b;
            if (l->t->rf[at] != op->src_copy[op->src[k].copy_b + b])
                bits[at / 64] |= UINT64_C(1) << at % 64;
        }
    return xk_sim_msg_shown(bits, l->t, e, op->mask, true) != UINT32_MAX;
}

/* What an instruction may change besides its results. */
struct rest {
    uint8_t arf[XK_RF_CE - XK_RF_ACC];
    int32_t acc_hi[XK_SIM_SPAN_B / 2];
    struct xk_sim_hearing heard;
    uint32_t ip, active;
};

static void set_aside(struct xk_sim_thread *t, struct rest *r)
{
    memcpy(r->arf, t->rf + XK_RF_ACC, sizeof r->arf);
    memcpy(r->acc_hi, t->acc_hi, sizeof r->acc_hi);
    r->heard = xk_sim_mute(t);
    r->ip = t->ip;
    r->active = t->active;
}

static void put_back(struct xk_sim_thread *t, const struct rest *r)
{
    memcpy(t->rf + XK_RF_ACC, r->arf, sizeof r->arf);
    memcpy(t->acc_hi, r->acc_hi, sizeof r->acc_hi);
    xk_sim_unmute(t, r->heard);
    t->ip = r->ip;
    t->active = r->active;
}

/* Executes it with the registers of now, and with flags and a0 of now or of its
 * issue. The checkers have seen it already. */
static void repeat_op(struct xk_hz_late *l, struct xk_hz_late_op *op)
{
    struct xk_sim_thread *const t = l->t;
    const struct xk_sim_inst *const e = &t->kernel->inst[op->inst];
    const struct xk_hz_inst *const i = xk_hz_late_inst(l, op);
    struct rest r;
    set_aside(t, &r);
    for (unsigned k = 0; k < op->n_dst; k++)
        memcpy(op->was + op->dst[k].copy_b, t->rf + op->dst[k].at_b,
               op->dst[k].n_b);
    if (!is_read_late(l, i, XK_HZ_FLAG))
        memcpy(t->rf + XK_RF_FLAG, op->flags, sizeof op->flags);
    if (!is_read_late(l, i, XK_HZ_A0))
        memcpy(t->rf + XK_RF_A0, op->a0, sizeof op->a0);
    t->active = op->active;
    if (e->in.op == XK_OPC_DPASW)
        xk_sim_dpasw_again(t, partner_of(t), e);
    else
        e->fn(t, e);
    take_results(t, op);
    put_back(t, &r);
}

void xk_hz_op_read(struct xk_hz_late *l, struct xk_hz_late_op *op)
{
    struct xk_hz_late_op *const mate =
        op->mate && op->mate->order == op->mate_order ? op->mate : NULL;
    if (op->reads && op->repeats && sources_changed(l, op) &&
        change_matters(l, op)) {
        repeat_op(l, op);
        for (unsigned k = 0; k < op->n_src; k++)
            memcpy(op->src_copy + op->src[k].copy_b, source_now(l, &op->src[k]),
                   op->src[k].n_b);
    }
    op->reads = false;
    if (mate && mate->reads)
        xk_hz_op_read(op->mate_late, mate);
}

/* Executes it with the payload that was read, wherever its registers are by
 * now. */
void xk_hz_op_load(struct xk_hz_late *l, struct xk_hz_late_op *op)
{
    struct xk_sim_thread *const t = l->t;
    uint8_t now[XK_HZ_LATE_SRC_B];
    if (!op->loads)
        return;
    op->loads = false;
    if (!op->repeats)
        return;
    for (unsigned k = 0; k < op->n_src; k++) {
        const struct xk_hz_piece *const p = &op->src[k];
        memcpy(now + p->copy_b, t->rf + p->at_b, p->n_b);
        memcpy(t->rf + p->at_b, op->src_copy + p->copy_b, p->n_b);
    }
    repeat_op(l, op);
    for (unsigned k = op->n_src; k--;)
        memcpy(t->rf + op->src[k].at_b, now + op->src[k].copy_b,
               op->src[k].n_b);
}

/* Flags bit by bit: neighbours in a byte are others'. */
void xk_hz_op_write(struct xk_hz_late *l, struct xk_hz_late_op *op)
{
    for (unsigned k = 0; op->writes && k < op->n_dst; k++) {
        const struct xk_hz_piece *const p = &op->dst[k];
        uint8_t *const rf = l->t->rf + p->at_b;
        const uint8_t *const was = op->was + p->copy_b;
        const uint8_t *const will = op->will + p->copy_b;
        for (uint32_t b = 0; b < p->n_b; b++) {
            const uint8_t bits = p->file == XK_HZ_FLAG
                                     ? (uint8_t)(was[b] ^ will[b])
                                 : was[b] != will[b] ? 0xff
                                                     : 0;
            rf[b] = (uint8_t)((rf[b] & ~bits) | (will[b] & bits));
        }
    }
    op->writes = false;
}
