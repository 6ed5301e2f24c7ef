/* SPDX-License-Identifier: Apache-2.0 */
/* Per-channel control flow. A channel that leaves the common path sleeps until
 * the thread reaches the instruction it waits for (pcip); join, endif, while,
 * else and the targets of jumps wake it. If nobody is left awake the thread
 * jumps to JIP, the nearest place where somebody may wake. */
#include "sim/exec/select.h"
#include "sim/core/sim_operand.h"

static bool bad_target(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       uint32_t target)
{
    if (target < t->kernel->n)
        return false;
    xk_sim_fault(t, e, "branch target is no instruction");
    return true;
}

static void put_to_sleep(struct xk_sim_thread *t, uint32_t channels,
                         uint32_t until)
{
    for (uint32_t c = channels; c; c &= c - 1)
        t->pcip[__builtin_ctz(c)] = until;
    t->waiting |= channels;
    t->active &= ~channels;
}

/* A channel that broke out of a loop and waits at its while does not run the
 * loop. */
static void pass_while(struct xk_sim_thread *t, uint32_t at)
{
    if (t->kernel->inst[at].in.op != XK_OPC_WHILE)
        return;
    for (unsigned ch = 0; ch < XK_SIM_LANES; ch++)
        if (t->left >> ch & t->waiting >> ch & 1 && t->pcip[ch] == at)
            t->pcip[ch] = at + 1;
}

static void wake_channels(struct xk_sim_thread *t, uint32_t at)
{
    uint32_t up = 0;
    if (!t->waiting)
        return; /* nobody is out of a loop either: they would wait */
    if (t->left)
        pass_while(t, at);
    for (uint32_t c = t->waiting; c; c &= c - 1)
        if (t->pcip[__builtin_ctz(c)] == at)
            up |= c & -c;
    t->waiting &= ~up;
    t->left &= ~up;
    t->active |= up;
}

static uint32_t here(const struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    return (uint32_t)(e - t->kernel->inst);
}

static void jump_to(struct xk_sim_thread *t, uint32_t target)
{
    t->ip = target;
    wake_channels(t, target);
}

/* The channels for which the branch is executed and that do not take it. */
static uint32_t leavers(const struct xk_sim_thread *t,
                        const struct xk_sim_inst *e, uint32_t go)
{
    return t->active & e->lanes << e->chan_off & ~go;
}

#define SINGLE_PROGRAM_FLOW 4u /* cr0.0 */

/* The channels of the whole thread that take the branch. No source says which
 * of them decides in single program flow, so all must agree there. */
static uint32_t takers(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const uint32_t go = xk_sim_pred(t, e) << e->chan_off & t->active;
    if (go && xk_rf_u32(t, XK_RF_CR) & SINGLE_PROGRAM_FLOW && leavers(t, e, go))
        xk_sim_fault(t, e,
                     "not modelled: single program flow (cr0.0 bit 2) where "
                     "channels 0x%x take the branch and 0x%x do not",
                     go, leavers(t, e, go));
    return go;
}

/* JIP (n = 0) or UIP (1): the target that the instruction has, or one from a
 * register, which is relative to the instruction except for calla. */
static uint32_t branch_target(const struct xk_sim_thread *t,
                              const struct xk_sim_inst *e, unsigned n)
{
    if (e->src[0].kind != XK_SO_REG)
        return n ? e->uip : e->jip;
    const int32_t off = (int32_t)xk_rf_u32(t, e->src[0].off_b + 4 * n);
    const int64_t base = e->in.op == XK_OPC_CALLA ? 0 : e->pc_b;
    return xk_sim_kernel_at(t->kernel, base + off);
}

static void exec_jmpi(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const uint32_t to = branch_target(t, e, 0);
    if ((xk_sim_pred(t, e) & 1) && !bad_target(t, e, to))
        jump_to(t, to);
}

/* Jumps if any channel goes; the others wait behind it. */
static void exec_brd(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const uint32_t go = takers(t, e), to = branch_target(t, e, 0);
    if (!go) {
        wake_channels(t, t->ip);
    } else if (!bad_target(t, e, to)) {
        put_to_sleep(t, leavers(t, e, go), here(t, e) + 1);
        jump_to(t, to);
    }
}

/* The channels that go wait at UIP; the thread jumps if none is left. */
static void exec_brc(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const uint32_t jip = branch_target(t, e, 0), uip = branch_target(t, e, 1);
    if (bad_target(t, e, jip) || bad_target(t, e, uip))
        return;
    put_to_sleep(t, takers(t, e), uip);
    if (!t->active)
        jump_to(t, jip);
    else
        wake_channels(t, t->ip);
}

/* No source says what a branch without the mask does to channels that are off.
 * If all are on, or if none waits and all agree, it does what one with the mask
 * does. Vendors emit it for conditions of the whole thread. */
static bool needs_unmasked(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const uint32_t go = xk_sim_pred(t, e);
    if (!e->no_mask || !(e->lanes << e->chan_off & ~t->active) ||
        (!t->waiting && (!go || go == e->lanes)))
        return false;
    xk_sim_fault(t, e,
                 "not modelled: no mask of %s where channels 0x%x take the "
                 "branch and 0x%x wait elsewhere",
                 xk_opcode_name(e->in.op), go, t->waiting);
    return true;
}

static void exec_goto(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const uint32_t go = takers(t, e);
    if (bad_target(t, e, e->jip) || bad_target(t, e, e->uip) ||
        needs_unmasked(t, e))
        return;
    if (e->in.branch_ctrl) { /* backward: the takers run first */
        if (go) {
            put_to_sleep(t, leavers(t, e, go), here(t, e) + 1);
            jump_to(t, e->uip);
        } else {
            wake_channels(t, t->ip);
        }
        return;
    }
    put_to_sleep(t, go, e->uip);
    if (!t->active)
        jump_to(t, e->jip);
    else
        wake_channels(t, t->ip);
}

static void exec_join(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    wake_channels(t, here(t, e));
    if (t->active && needs_unmasked(t, e))
        return;
    if (!t->active && !bad_target(t, e, e->jip))
        jump_to(t, e->jip);
}

static void exec_if(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    if (bad_target(t, e, e->jip) || needs_unmasked(t, e))
        return;
    put_to_sleep(t, leavers(t, e, takers(t, e)), e->jip);
    if (!t->active)
        jump_to(t, e->jip);
}

/* The channels that ran the if side wait for the endif; the others wait right
 * here. */
static void exec_else(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    if (bad_target(t, e, e->jip) || bad_target(t, e, e->uip))
        return;
    if (t->active && needs_unmasked(t, e))
        return;
    put_to_sleep(t, t->active, e->uip);
    wake_channels(t, t->ip);
    if (!t->active)
        jump_to(t, e->jip);
}

/* Channels that broke out wait at the while itself or right behind it. */
static void exec_while(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const uint32_t me = here(t, e);
    wake_channels(t, me);
    if (needs_unmasked(t, e))
        return;
    const uint32_t go = takers(t, e);
    if (go) {
        if (bad_target(t, e, e->jip))
            return;
        put_to_sleep(t, leavers(t, e, go), me + 1);
        jump_to(t, e->jip);
        return;
    }
    wake_channels(t, me + 1);
}

static void exec_break(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const uint32_t go = takers(t, e);
    if (bad_target(t, e, e->jip) || bad_target(t, e, e->uip))
        return;
    put_to_sleep(t, go, e->uip);
    if (e->in.op == XK_OPC_BREAK)
        t->left |= go;
    if (!t->active)
        jump_to(t, e->jip);
}

/* Halted channels come back at the halt instruction they wait at. */
static void exec_halt(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    if (bad_target(t, e, e->jip) || bad_target(t, e, e->uip))
        return;
    wake_channels(t, here(t, e));
    if (e->uip == t->ip)
        return; /* the last one: nothing left to skip */
    put_to_sleep(t, takers(t, e), e->uip);
    if (!t->active)
        jump_to(t, e->jip);
}

/* The destination receives the return address (bytes) and the channels that
 * came here; those that do not call wait for them. */
static void exec_call(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const uint32_t go = takers(t, e), to = branch_target(t, e, 0);
    if (!go || bad_target(t, e, to))
        return;
    if (e->dst.kind == XK_SO_REG) {
        xk_rf_set_u32(t, e->dst.off_b, t->kernel->inst[t->ip].pc_b);
        xk_rf_set_u32(t, e->dst.off_b + 4, t->active);
    }
    put_to_sleep(t, leavers(t, e, go), t->ip);
    jump_to(t, to);
}

static void exec_ret(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const uint32_t go = takers(t, e);
    const uint32_t back =
        e->src[0].kind == XK_SO_REG
            ? xk_sim_kernel_at(t->kernel, xk_rf_u32(t, e->src[0].off_b))
            : UINT32_MAX;
    if (!go || bad_target(t, e, back))
        return;
    put_to_sleep(t, go, back);
    if (!t->active)
        jump_to(t, back);
}

static void exec_sync(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    if (e->in.sync_fn != XK_SYNC_BAR)
        return; /* the scoreboard checker belongs here (a later issue) */
    if (!xk_sim_barrier_wait(t, e)) {
        t->ip = here(t, e); /* comes again, and counts then */
        t->count[XK_STAT_SYNC]--;
        t->budget++;
        t->state = XK_SIM_BARRIER;
    }
}

/* clang-format off */
xk_sim_fn *xk_sim_select_flow(const struct xk_sim_inst *e)
{
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_SYNC: return exec_sync;
    case XK_OPC_JMPI: return exec_jmpi;
    case XK_OPC_GOTO: return exec_goto;
    case XK_OPC_JOIN: case XK_OPC_ENDIF: return exec_join;
    case XK_OPC_IF: return exec_if;
    case XK_OPC_ELSE: return exec_else;
    case XK_OPC_WHILE: return exec_while;
    case XK_OPC_BREAK: case XK_OPC_CONT: return exec_break;
    case XK_OPC_HALT: return exec_halt;
    case XK_OPC_BRD: return exec_brd;
    case XK_OPC_BRC: return exec_brc;
    case XK_OPC_CALL: case XK_OPC_CALLA: return exec_call;
    case XK_OPC_RET: return exec_ret;
    default: return NULL;
    }
}
/* clang-format on */
