/* SPDX-License-Identifier: Apache-2.0 */
/* Stretches of a kernel. Most instructions touch registers only. They have
 * nothing to tell the checkers once all that they read and write is defined.
 * This is asked for a whole stretch at once, and is not asked again until
 * something becomes undefined. */
#include "sim/exec/select.h"
#include "sim/check/check_state.h"
#include "sim/core/sim_operand.h"

#define DEF_W (XK_CHECK_IMAGE_W + 2)

static bool is_flag(const struct xk_sim_opnd *o)
{
    return o->kind == XK_SO_REG && o->off_b >= XK_RF_FLAG &&
           o->off_b < XK_RF_A0;
}

/* -- Needs -- */

static void need_bits(uint64_t *def, uint32_t at, uint32_t n)
{
    for (uint32_t k = at; k < at + n && k / 64 < DEF_W; k++)
        def[k / 64] |= UINT64_C(1) << k % 64;
}

static void need_operand(uint64_t *def, const struct xk_sim_opnd *o,
                         unsigned exec)
{
    const unsigned w_mask = (1u << o->log_w) - 1;
    if (o->kind != XK_SO_REG)
        return;
    for (unsigned l = 0; l < exec; l++) {
        const uint32_t at =
            o->off_b + (l >> o->log_w) * o->vs_b + (l & w_mask) * o->hs_b;
        if (is_flag(o))
            need_bits(def, 64 * XK_CHECK_IMAGE_W + 8 * (at - XK_RF_FLAG),
                      8u * o->size_b);
        else
            need_bits(def, at, o->size_b);
    }
}

static void need_all(uint64_t *def, const struct xk_sim_inst *e,
                     const struct xk_check_inst *p)
{
    const uint32_t flag = 64 * XK_CHECK_IMAGE_W + e->flag_bit;
    if (p->kind == XK_CK_NONE)
        return;
    if (p->kind == XK_CK_DPAS) {
        for (unsigned k = 0; k < 3; k++)
            need_bits(def, p->src[k].at_b, p->src[k].n_b);
        need_bits(def, p->dst.at_b, p->dst.n_b);
    } else {
        for (unsigned k = 0; k < e->n_srcs; k++)
            need_operand(def, &e->src[k], e->exec);
        need_operand(def, &e->dst, e->exec);
    }
    need_bits(def, p->acc_in.at_b, p->acc_in.n_b);
    need_bits(def, p->acc_out.at_b, p->acc_out.n_b);
    need_bits(def, flag, xk_sim_pred_bits(e));
    if (xk_check_sets_flags(e))
        need_bits(def, flag, e->exec);
}

static uint32_t waits_of(const struct xk_sim_inst *e)
{
    const struct xk_swsb *const s = &e->in.swsb;
    if (e->in.op == XK_OPC_SYNC && e->in.sync_fn == XK_SYNC_ALLWR)
        return UINT32_MAX;
    return s->mode == XK_SBID_DST || s->mode == XK_SBID_SET
               ? 1u << s->sbid % XK_CHECK_SBIDS
               : 0;
}

/* -- Stretches -- */

/* Marks where a branch leads. */
static void mark_targets(const struct xk_sim_check_run *c, uint8_t *target)
{
    const struct xk_sim_kernel *const k = c->run->kernel;
    for (uint32_t i = 0; i < k->n; i++) {
        const struct xk_sim_inst *const e = &k->inst[i];
        if (c->inst[i].kind != XK_CK_BRANCH)
            continue;
        if (e->jip < k->n)
            target[e->jip] = 1;
        if (e->uip < k->n)
            target[e->uip] = 1;
    }
}

static bool add_needs(struct xk_sim_check_run *c, struct xk_check_stretch *s,
                      const uint64_t *def, uint32_t *n, uint32_t *room)
{
    s->need = *n;
    for (uint32_t w = 0; w < DEF_W; w++) {
        if (!def[w])
            continue;
        if (*n == *room) {
            const uint32_t more = 2 * *room + 256;
            struct xk_check_need *const p =
                c->alloc.realloc(c->alloc.user, c->need, more * sizeof *p);
            if (!p)
                return false;
            c->need = p;
            *room = more;
        }
        c->need[(*n)++] = (struct xk_check_need){w, def[w]};
    }
    s->n_needs = *n - s->need;
    return true;
}

static bool add_stretches(struct xk_sim_check_run *c, const uint8_t *target)
{
    const struct xk_sim_kernel *const k = c->run->kernel;
    uint32_t n_needs = 0, room = 0;
    for (uint32_t i = 0; i + 1 < k->n;) {
        uint64_t def[DEF_W] = {0};
        struct xk_check_stretch s = {.begin = i, .end = i};
        for (; s.end + 1 < k->n && (s.end == i || !target[s.end]) &&
               k->inst[s.end].row;
             s.end++) {
            const struct xk_sim_inst *const e = &k->inst[s.end];
            need_all(def, e, &c->inst[s.end]);
            s.waits |= waits_of(e);
            c->inst[s.end].stretch = c->n_stretches;
        }
        i = s.end > i ? s.end : i + 1;
        if (s.end == s.begin)
            continue;
        if (!add_needs(c, &s, def, &n_needs, &room))
            return false;
        c->stretch[c->n_stretches++] = s;
    }
    return true;
}

bool xk_check_stretches(struct xk_sim_check_run *c)
{
    const struct xk_alloc *const a = &c->alloc;
    const uint32_t n = c->run->kernel->n;
    uint8_t *const target = a->realloc(a->user, NULL, n + 1);
    c->stretch = a->realloc(a->user, NULL, (n + 1) * sizeof *c->stretch);
    bool good = target && c->stretch;
    if (good) {
        memset(target, 0, n + 1);
        for (uint32_t i = 0; i < n; i++)
            c->inst[i].stretch = XK_CHECK_ALONE;
        mark_targets(c, target);
        good = add_stretches(c, target);
    }
    a->realloc(a->user, target, 0);
    return good;
}

/* -- In front of execution -- */

static bool needs_met(struct xk_sim_check_thread *c,
                      const struct xk_check_stretch *s)
{
    const struct xk_sim_check_run *const r = c->work->run;
    uint64_t *const good = &c->good_age[s - r->stretch];
    uint64_t missing = 0;
    if (*good == c->age)
        return true;
    for (uint32_t i = s->need; i < s->need + s->n_needs; i++)
        missing |= ~c->def[r->need[i].word] & r->need[i].bits;
    if (missing)
        return false;
    *good = c->age;
    return true;
}

/* Messages that the next n instructions wait for. */
static void tell_waits(struct xk_sim_check_thread *c,
                       const struct xk_sim_inst *e, uint32_t n)
{
    for (const struct xk_sim_inst *const end = e + n; e < end; e++)
        if (waits_of(e))
            xk_check_sync_before(c, e, e->lanes);
}

bool xk_check_is_quiet(struct xk_sim_check_thread *c,
                       const struct xk_check_stretch *s, uint32_t n)
{
    const struct xk_sim_thread *const t = c->thread;
    if (s->waits & (c->loading | c->fencing) && xk_check_on(c, XK_CHECK_SYNC))
        tell_waits(c, &t->kernel->inst[t->ip], n);
    return !xk_check_on(c, XK_CHECK_INIT) || needs_met(c, s);
}
