/* SPDX-License-Identifier: Apache-2.0 */
/* Sends: which handler, the gateway, the end of the thread, and the memory
 * operations that the encodings have in common. */
#include "sim/sim_message.h"

#include <inttypes.h>
#include <stdio.h>

static void explain(const struct xk_sim_thread *t, enum xk_sim_window w,
                    uint64_t addr, uint32_t n_b, char *out, size_t out_b)
{
    const struct xk_sim_group *g = t->group;
    if (w == XK_WIN_SLM)
        snprintf(out, out_b,
                 "%u bytes at 0x%" PRIx64 " of shared local "
                 "memory, which has %u bytes",
                 n_b, addr, g->slm_b);
    else
        xk_sim_space_explain(&g->run->space, addr, n_b, out, out_b);
}

/* Intel's compiler sets this bit in local pointers, so that none of them is
 * null; the memory is far smaller and ignores it. */
#define SLM_TAG UINT64_C(0x10000000)

uint8_t *xk_sim_access(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       enum xk_sim_window w, uint64_t addr, uint32_t n_b,
                       uint32_t align_b, unsigned lane)
{
    struct xk_sim_group *g = t->group;
    uint8_t *p = NULL;
    char why[200];

    if (addr & (align_b - 1)) {
        xk_sim_fault(t, e,
                     "lane %u: address 0x%" PRIx64 " is not a multiple "
                     "of %u bytes",
                     lane, addr, align_b);
        return NULL;
    }
    if (w == XK_WIN_HEAP)
        addr = g->run->d->general_va + (uint32_t)addr;
    if (w != XK_WIN_SLM)
        p = xk_sim_space_at(&g->run->space, &t->last, addr, n_b);
    else if ((addr & ~SLM_TAG) < g->slm_b &&
             g->slm_b - (addr & ~SLM_TAG) >= n_b)
        p = g->slm + (addr & ~SLM_TAG);
    if (!p) {
        explain(t, w, addr, n_b, why, sizeof(why));
        xk_sim_fault(t, e, "lane %u: %s", lane, why);
    }
    return p;
}

bool xk_sim_payload(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                    const struct xk_sim_opnd *o, uint32_t n_b, uint32_t n_grf,
                    const char *what)
{
    const uint32_t end_b = t->kernel->grf_count * t->kernel->grf_b;
    if (o->kind != XK_SO_REG) {
        xk_sim_fault(t, e, "%s is no register", what);
        return false;
    }
    if (n_b > n_grf * t->kernel->grf_b) {
        xk_sim_fault(t, e,
                     "%s needs %u bytes, but the message has %u "
                     "registers for it",
                     what, n_b, n_grf);
        return false;
    }
    if (o->off_b + n_grf * t->kernel->grf_b > end_b) {
        xk_sim_fault(t, e, "%s of %u registers ends beyond r%u", what, n_grf,
                     t->kernel->grf_count - 1);
        return false;
    }
    return true;
}

/* Bytes of n lanes, from the first to the end of the last. */
static uint32_t extent_b(const struct xk_sim_gather *g, unsigned lanes)
{
    unsigned comps = 0;
    for (unsigned v = 0; v < g->vec; v++)
        comps += g->cmask >> (v & 7) & 1 || g->vec > 8;
    return comps ? (comps - 1) * g->plane_b + lanes * g->reg_b : 0;
}

#define ALWAYS static inline __attribute__((always_inline))

/* The upper bytes of a narrow element are undefined in the register on this
 * platform: nobody may rely on them, so they are not zero here. */
#define UNDEFINED 0xa5

/* Sizes are constants wherever speed matters. */
ALWAYS void move_element(uint8_t *reg, uint8_t *mem, unsigned data_b,
                         unsigned reg_b, bool store)
{
    if (store) {
        memcpy(mem, reg, data_b);
        return;
    }
    if (reg_b != data_b)
        memset(reg, UNDEFINED, reg_b);
    memcpy(reg, mem, data_b);
}

/* One region is most often enough for all lanes: t->last is tried first. */
ALWAYS uint8_t *lane_memory(struct xk_sim_thread *t,
                            const struct xk_sim_inst *e,
                            const struct xk_sim_gather *g, uint64_t addr,
                            uint32_t n_b, unsigned lane)
{
    if (g->window == XK_WIN_FLAT && !(addr & (g->align_b - 1u))) {
        uint8_t *p =
            xk_sim_space_at(&t->group->run->space, &t->last, addr, n_b);
        if (p)
            return p;
    }
    return xk_sim_access(t, e, g->window, addr, n_b, g->align_b, lane);
}

/* All components of the lanes in mask; stops at a finding. */
ALWAYS void move_whole(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const struct xk_sim_gather *g, const uint64_t *addr,
                       uint32_t mask, uint32_t rf_b, unsigned data_b,
                       unsigned reg_b)
{
    const unsigned vec = g->vec;
    const bool store = g->store;
    for (; mask; mask &= mask - 1) {
        const unsigned l = (unsigned)__builtin_ctz(mask);
        uint8_t *mem = lane_memory(t, e, g, addr[l], vec * data_b, l);
        uint8_t *reg = t->rf + rf_b + l * reg_b;
        if (!mem)
            return;
        for (unsigned v = 0; v < vec; v++)
            move_element(reg + v * g->plane_b, mem + v * data_b, data_b, reg_b,
                         store);
    }
}

/* Some components only; those take consecutive planes. */
static void move_some(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      const struct xk_sim_gather *g, const uint64_t *addr,
                      uint32_t mask, uint32_t rf_b)
{
    for (; mask; mask &= mask - 1) {
        const unsigned l = (unsigned)__builtin_ctz(mask);
        uint8_t *reg = t->rf + rf_b + l * g->reg_b;
        for (unsigned v = 0; v < g->vec; v++) {
            if (!(g->cmask >> v & 1))
                continue;
            uint8_t *mem =
                lane_memory(t, e, g, addr[l] + v * g->data_b, g->data_b, l);
            if (!mem)
                return;
            move_element(reg, mem, g->data_b, g->reg_b, g->store);
            reg += g->plane_b;
        }
    }
}

static void move(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                 const struct xk_sim_gather *g, const uint64_t *addr,
                 uint32_t mask, uint32_t rf_b)
{
    if (g->vec <= 8 && g->cmask != (1u << g->vec) - 1)
        move_some(t, e, g, addr, mask, rf_b);
    else if (g->reg_b == 4 && g->data_b == 4)
        move_whole(t, e, g, addr, mask, rf_b, 4, 4);
    else if (g->reg_b == 4 && g->data_b == 2)
        move_whole(t, e, g, addr, mask, rf_b, 2, 4);
    else if (g->reg_b == 4 && g->data_b == 1)
        move_whole(t, e, g, addr, mask, rf_b, 1, 4);
    else if (g->reg_b == 8 && g->data_b == 8)
        move_whole(t, e, g, addr, mask, rf_b, 8, 8);
    else
        move_whole(t, e, g, addr, mask, rf_b, g->data_b, g->reg_b);
}

/* The addresses are taken first: the destination may overlap them. */
void xk_sim_gather_run(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const struct xk_sim_gather *g)
{
    uint64_t addr[XK_SIM_LANES];
    const uint32_t mask = xk_sim_mask(t, e);
    const struct xk_sim_opnd *data = g->store ? &e->src[1] : &e->dst;
    const uint32_t n_grf = g->store ? e->msg.src1_grf : e->msg.dst_grf;

    if (!g->store && data->kind == XK_SO_NONE)
        return; /* prefetch */
    if (!xk_sim_payload(t, e, &e->src[0], (uint32_t)e->exec * g->addr_b,
                        e->msg.src0_grf, "the address payload") ||
        !xk_sim_payload(t, e, data, extent_b(g, e->exec), n_grf,
                        g->store ? "the data payload" : "the destination"))
        return;
    if (g->addr_b == 8)
        memcpy(addr, t->rf + e->src[0].off_b, e->exec * sizeof(*addr));
    else
        for (unsigned l = 0; l < e->exec; l++)
            addr[l] = xk_sim_lane_addr(t, e, g->addr_b, l);
    move(t, e, g, addr, mask, data->off_b);
}

void xk_sim_block_run(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      enum xk_sim_window w, uint64_t addr, uint32_t n_b,
                      uint32_t align_b, bool store)
{
    const struct xk_sim_opnd *data = store ? &e->src[1] : &e->dst;
    const uint32_t n_grf = store ? e->msg.src1_grf : e->msg.dst_grf;
    if (!store && data->kind == XK_SO_NONE)
        return;
    if (!xk_sim_payload(t, e, data, n_b, n_grf,
                        store ? "the data payload" : "the destination"))
        return;
    uint8_t *mem = xk_sim_access(t, e, w, addr, n_b, align_b, 0);
    if (!mem)
        return;
    if (store)
        memcpy(mem, t->rf + data->off_b, n_b);
    else
        memcpy(t->rf + data->off_b, mem, n_b);
}

/* Bits 31:24 of dword 2 are the consumers, 23:16 the producers, 15:14 the kind,
 * 7:0 the barrier's number. Only the plain group barrier exists so far. */
static void exec_barrier(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_group *g = t->group;
    if (!xk_sim_payload(t, e, &e->src[0], t->kernel->grf_b, 1, "the payload"))
        return;
    const uint32_t w = xk_rf_u32(t, e->src[0].off_b + 8);
    const uint32_t producers = w >> 16 & 255, consumers = w >> 24;
    if (g->run->d->n_barriers == 0)
        xk_sim_fault(t, e, "barrier, but the kernel declares no barrier");
    else if ((w & 0xc0ff) != 0)
        xk_sim_fault(t, e,
                     "barrier payload 0x%x: only barrier 0 with "
                     "producer and consumer counts is known",
                     w);
    else if (producers != g->n_threads || consumers != g->n_threads)
        xk_sim_fault(t, e,
                     "barrier payload 0x%x: %u producers and %u "
                     "consumers, the group has %u threads",
                     w, producers, consumers, g->n_threads);
    else if (t->barrier_open)
        xk_sim_fault(t, e, "barrier signalled twice without a sync.bar");
    if (t->state == XK_SIM_FAULT)
        return;
    t->barrier_open = true;
    t->barrier_phase = g->barrier_phase;
    if (++g->arrived == g->n_threads) {
        g->arrived = 0;
        g->barrier_phase++;
    }
}

/* Everything is executed in order, so a fence has nothing to do; what it
 * returns is nothing to rely on. */
static void exec_fence(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    if (e->dst.kind == XK_SO_REG &&
        xk_sim_payload(t, e, &e->dst, 0, e->msg.dst_grf, "the destination"))
        memset(t->rf + e->dst.off_b, 0xa5,
               (size_t)e->msg.dst_grf * t->kernel->grf_b);
}

static void exec_eot(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    if (t->barrier_open)
        xk_sim_fault(t, e, "thread ends between barrier and sync.bar");
    else
        t->state = XK_SIM_DONE;
}

/* clang-format off */
static xk_sim_fn *handler(const struct xk_sim_inst *e)
{
    switch ((enum xk_msg_kind)e->msg.kind) {
    case XK_MSG_BARRIER: return exec_barrier;
    case XK_MSG_EOT:
    case XK_MSG_TS_EOT: return exec_eot;
    case XK_MSG_LSC_FENCE: return exec_fence;
    default: break;
    }
    switch (e->in.send.sfid) {
    case XK_SFID_DC0:
    case XK_SFID_DC1: return xk_sim_select_hdc(e);
    default: return xk_sim_select_lsc(e);
    }
}
/* clang-format on */

static void exec_unknown(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    xk_sim_fault(t, e,
                 "unknown or unsupported message, descriptor 0x%x, "
                 "extended 0x%x",
                 e->in.send.desc, e->in.send.exdesc);
}

/* Descriptors from address registers are only known now. */
static void exec_dynamic(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_inst fixed = *e;
    struct xk_send_info *s = &fixed.in.send;
    if (s->desc_reg)
        s->desc = xk_rf_u32(t, XK_RF_A0);
    if (s->exdesc_reg)
        s->exdesc = xk_rf_u32(t, XK_RF_A0 + 2u * s->exdesc_sub);
    s->desc_reg = s->exdesc_reg = false;
    xk_msg_decode(t->kernel->platform, &fixed.in, &fixed.msg);
    xk_sim_fn *fn = handler(&fixed);
    (fn ? fn : exec_unknown)(t, &fixed);
}

xk_sim_fn *xk_sim_select_send(const struct xk_sim_inst *e)
{
    if (e->in.send.desc_reg || e->in.send.exdesc_reg)
        return exec_dynamic;
    xk_sim_fn *fn = handler(e);
    return fn ? fn : exec_unknown;
}
