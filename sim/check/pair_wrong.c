/* SPDX-License-Identifier: Apache-2.0 */
/* The wrong bytes in the registers of a thread that executed what it should not
 * have. Only the bytes are kept in which the machine differs from the
 * simulator. An instruction that touches one of them is executed twice, as it
 * should be and as the machine would, and the results are compared. */
#include <stdio.h>

#include "isa/format.h"
#include "sim/check/check_state.h"
#include "sim/hazard/hazard_check.h"
#include "sim/check/pair.h"
#include "sim/message/message_shown.h"
#include "sim/core/sim_operand.h"

static bool is_wrong(const struct xk_pair_wrong *w, uint32_t at_b)
{
    return w->bits[at_b / 64] >> at_b % 64 & 1;
}

void xk_pair_right(struct xk_pair_wrong *w, uint32_t at_b, uint32_t n_b)
{
    for (uint32_t b = at_b; b < at_b + n_b && b < XK_PAIR_LOOKED_B; b++)
        if (is_wrong(w, b)) {
            w->bits[b / 64] &= ~(UINT64_C(1) << b % 64);
            w->n--;
        }
}

static void set_wrong(struct xk_pair_wrong *w, uint32_t at_b, uint8_t is,
                      uint32_t by)
{
    if (!is_wrong(w, at_b))
        w->n++;
    if (!is_wrong(w, at_b) || w->is[at_b] != is)
        w->by[at_b / XK_PAIR_PLACE_B] = by;
    w->bits[at_b / 64] |= UINT64_C(1) << at_b % 64;
    w->is[at_b] = is;
}

/* ---- the twin ---- */

/* The thread as the machine has it; no observer looks at it. */
static struct xk_sim_thread *make_twin(struct xk_pair_wrong *w,
                                       const struct xk_sim_thread *t)
{
    struct xk_sim_thread *const x = &w->twin;
    *x = *t;
    xk_sim_mute(x);
    x->err = &w->err;
    for (uint32_t b = 0; w->n && b < XK_PAIR_LOOKED_B; b++) {
        if (!w->bits[b / 64])
            b |= 63;
        else if (is_wrong(w, b))
            x->rf[b] = w->is[b];
    }
    return x;
}

/* Notes that bytes which differ now are wrong; new differences are due to
 * `by`. */
static void note_wrong(struct xk_pair_wrong *w, const struct xk_sim_thread *t,
                       uint32_t by)
{
    for (uint32_t b = 0; b < XK_PAIR_LOOKED_B; b += 64) {
        if (!w->bits[b / 64] && !memcmp(t->rf + b, w->twin.rf + b, 64))
            continue;
        for (uint32_t k = b; k < b + 64 && k < XK_PAIR_LOOKED_B; k++)
            if (t->rf[k] != w->twin.rf[k])
                set_wrong(w, k, w->twin.rf[k], by);
            else
                xk_pair_right(w, k, 1);
    }
}

static void execute_again(struct xk_sim_thread *x, const struct xk_sim_inst *e)
{
    x->ip = (uint32_t)(e - x->kernel->inst) + 1;
    xk_sim_thread_cr_written(x);
    e->fn(x, e);
}

/* ---- findings ---- */

static void name_byte(const struct xk_sim_thread *t, uint32_t at_b, char *out,
                      size_t out_b)
{
    const uint32_t grf_b = t->kernel->grf_b;
    if (at_b < XK_RF_ACC)
        snprintf(out, out_b, "r%u.%u:ub", at_b / grf_b, at_b % grf_b);
    else if (at_b < XK_RF_FLAG)
        snprintf(out, out_b, "acc%u", (at_b - XK_RF_ACC) / grf_b);
    else if (at_b < XK_RF_A0)
        snprintf(out, out_b, "f%u.%u", (at_b - XK_RF_FLAG) / 4,
                 (at_b - XK_RF_FLAG) / 2 % 2);
    else
        snprintf(out, out_b, "a0.%u", (at_b - XK_RF_A0) / 2);
}

/* The wrong byte at_b matters at e. Reports it; there is one finding for all
 * wrong bytes. */
static void seen(struct xk_pair *p, unsigned who, const struct xk_sim_inst *e,
                 uint32_t at_b)
{
    struct xk_pair_wrong *const w = p->wrong[who];
    struct xk_sim_thread *const t = p->t[who];
    const struct xk_sim_who other = {.unit = xk_check_of(t)->work->unit,
                                     .thread = p->t[!who]->index,
                                     .inst = w->by[at_b / XK_PAIR_PLACE_B]};
    struct xk_sim_place place = {.n_b = 0};
    name_byte(t, at_b, place.what, sizeof place.what);
    xk_sim_check_report(t, e,
                        &(struct xk_check_about){XK_CHECK_SYNC, &other, &place},
                        "depends on what a NoMask instruction did that ran "
                        "for this thread, too, while only the other one of "
                        "its fused pair was there");
    memset(w->bits, 0, sizeof w->bits);
    w->n = 0;
}

/* ---- instructions that run where they should not ---- */

static bool acts_outside(const struct xk_sim_inst *e)
{
    if (e->in.op == XK_OPC_DPASW)
        return true;
    if (!xk_inst_is_send(&e->in) || e->in.send.eot)
        return false;
    switch (xk_msg_op_class(e->msg.op)) {
    case XK_MCLASS_STORE:
    case XK_MCLASS_ATOMIC:
    case XK_MCLASS_BARRIER:
        return true;
    default:
        return false;
    }
}

/* Nobody knows what a load brings. */
static void forget_loaded(struct xk_sim_thread *x, const struct xk_sim_inst *e)
{
    const uint32_t n_b =
        (e->msg.dst_grf == 31 ? 32u : e->msg.dst_grf) * x->kernel->grf_b;
    if (e->dst.kind != XK_SO_REG)
        return;
    for (uint32_t b = 0; b < n_b && e->dst.off_b + b < XK_RF_ACC; b++)
        x->rf[e->dst.off_b + b] ^= 0xff;
}

static bool has_wrong_list(struct xk_pair *p, unsigned who)
{
    const struct xk_alloc *const a = &p->all->alloc;
    if (p->wrong[who])
        return true;
    p->wrong[who] = a->realloc(a->user, NULL, sizeof *p->wrong[who]);
    if (!p->wrong[who]) {
        p->loose = true;
        return false;
    }
    p->wrong[who]->n = 0;
    memset(p->wrong[who]->bits, 0, sizeof p->wrong[who]->bits);
    return true;
}

void xk_pair_stray(struct xk_pair *p, unsigned who, const struct xk_sim_inst *e)
{
    struct xk_sim_thread *const t = p->t[who];
    const struct xk_sim_who other = {.unit = xk_check_of(t)->work->unit,
                                     .thread = p->t[!who]->index,
                                     .inst = p->parted};
    if (!has_wrong_list(p, who))
        return;
    struct xk_sim_thread *const x = make_twin(p->wrong[who], t);
    x->active = 0;
    if (!xk_sim_mask(x, e))
        return;
    if (acts_outside(e)) {
        xk_sim_check_report(
            t, e, &(struct xk_check_about){XK_CHECK_SYNC, &other, NULL},
            "runs without a mask for this thread, too, which "
            "has left for another path than the other one of "
            "its fused pair");
        return;
    }
    if (xk_inst_is_send(&e->in))
        forget_loaded(x, e);
    else
        execute_again(x, e);
    note_wrong(p->wrong[who], t, (uint32_t)(e - t->kernel->inst));
}

/* ---- instructions that run where they should ---- */

/* Bytes of the image that hold the units of an access. */
static uint32_t find_access(const struct xk_pair_wrong *w,
                            const struct xk_sim_thread *t,
                            const struct xk_hz_access *a)
{
    const struct xk_platform *const p = t->kernel->platform;
    const uint32_t at = a->first - xk_hz_file_at(p, (enum xk_hz_file)a->file);
    const uint32_t n = a->end - a->first;
    switch ((enum xk_hz_file)a->file) {
    case XK_HZ_GRF:
        return xk_sim_bits_find(w->bits, XK_RF_GRF + at, n);
    case XK_HZ_FLAG:
        return xk_sim_bits_find(w->bits, XK_RF_FLAG + at / 8,
                                (at % 8 + n + 7) / 8);
    case XK_HZ_ACC:
        return xk_sim_bits_find(w->bits, XK_RF_ACC + at, n);
    case XK_HZ_A0:
        return xk_sim_bits_find(w->bits, XK_RF_A0 + at, n);
    case XK_HZ_STATE:
        break;
    }
    return UINT32_MAX;
}

/* A wrong byte that e reads (first n_rd accesses) or may write. */
static uint32_t find_touched(const struct xk_pair_wrong *w,
                             const struct xk_sim_thread *t,
                             const struct xk_sim_inst *e, bool written)
{
    const struct xk_hz_table *const h = xk_hz_table_of(t->kernel);
    const struct xk_hz_inst *const i = &h->inst[e - t->kernel->inst];
    const struct xk_hz_access *a = &h->access[i->access];
    uint32_t at = UINT32_MAX;
    for (unsigned n = i->n_rd + (written ? i->n_wr : 0); n && at == UINT32_MAX;
         n--, a++)
        at = find_access(w, t, a);
    return at;
}

/* Whether the machine would take other channels, another way of a scalar jump,
 * or another target. */
static bool goes_wrong(const struct xk_sim_inst *e,
                       const struct xk_sim_thread *t,
                       const struct xk_sim_thread *x)
{
    const uint32_t on =
        e->in.op == XK_OPC_JMPI ? 1u : (t->active >> e->chan_off) & e->lanes;
    if (e->pred && (xk_sim_pred(t, e) ^ xk_sim_pred(x, e)) & on)
        return true;
    return e->src[0].kind == XK_SO_REG && e->src[0].off_b < XK_RF_CE - 8 &&
           memcmp(t->rf + e->src[0].off_b, x->rf + e->src[0].off_b, 4);
}

static bool sends_wrong(const struct xk_pair_wrong *w,
                        const struct xk_sim_inst *e,
                        const struct xk_sim_thread *t,
                        const struct xk_sim_thread *x, uint32_t *at_b)
{
    const uint32_t mask = xk_sim_mask(t, e);
    const uint32_t shown =
        mask ? xk_sim_msg_shown(w->bits, t, e, mask, false) : UINT32_MAX;
    if (shown != UINT32_MAX)
        *at_b = shown;
    return shown != UINT32_MAX || mask != xk_sim_mask(x, e);
}

void xk_pair_careful(struct xk_pair *p, unsigned who)
{
    struct xk_pair_wrong *const w = p->wrong[who];
    struct xk_sim_thread *const t = p->t[who];
    const struct xk_sim_inst *const e = &t->kernel->inst[t->ip];
    uint32_t at_b = find_touched(w, t, e, true);
    if (at_b == UINT32_MAX) {
        xk_sim_thread_step(t, 1);
        return;
    }
    const struct xk_sim_thread *const x = make_twin(w, t);
    const uint32_t mask = xk_sim_mask(t, e);
    const uint32_t by = w->by[at_b / XK_PAIR_PLACE_B];
    if (xk_inst_is_branch(&e->in) || xk_inst_is_send(&e->in)) {
        if (xk_inst_is_branch(&e->in) ? goes_wrong(e, t, x)
                                      : sends_wrong(w, e, t, x, &at_b))
            seen(p, who, e, at_b);
        else if (xk_inst_is_send(&e->in))
            xk_pair_loaded(w, t, e, mask);
        xk_sim_thread_step(t, 1);
        return;
    }
    if (e->in.op == XK_OPC_DPASW) {
        if (find_touched(w, t, e, false) != UINT32_MAX)
            seen(p, who, e, at_b);
        xk_sim_thread_step(t, 1);
        return;
    }
    execute_again(&w->twin, e);
    xk_sim_thread_step(t, 1);
    note_wrong(w, t, by);
}
