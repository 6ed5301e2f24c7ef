/* SPDX-License-Identifier: Apache-2.0 */
/* Load/store cache messages: ugm and slm. */
#include "sim/sim_message.h"

/* Which memory the addresses of *m mean; false for surfaces. Binding table 253
 * and 255 are stateless. */
static bool window_of(const struct xk_msg *m, enum xk_sim_window *w)
{
    if (m->sfid == XK_SFID_SLM)
        *w = XK_WIN_SLM;
    else if (m->addr_type == XK_LSC_FLAT)
        *w = XK_WIN_FLAT;
    else if (m->addr_type == XK_LSC_BTI && (m->bti == 255 || m->bti == 253))
        *w = m->addr_b == 8 ? XK_WIN_FLAT : XK_WIN_HEAP;
    else
        return false;
    return true;
}

static bool window(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                   enum xk_sim_window *w)
{
    if (window_of(&e->msg, w))
        return true;
    xk_sim_fault(t, e,
                 "surfaces are not supported yet (binding table index "
                 "%u, address type %u)",
                 e->msg.bti, e->msg.addr_type);
    return false;
}

static uint16_t plane_b(const struct xk_sim_thread *t,
                        const struct xk_sim_inst *e, unsigned reg_b)
{
    const unsigned n_b = e->exec * reg_b, grf_b = t->kernel->grf_b;
    return (uint16_t)((n_b + grf_b - 1) / grf_b * grf_b);
}

/* Words may lie anywhere: compilers use that. */
static void run_gather(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       bool store, unsigned vec, unsigned cmask)
{
    enum xk_sim_window w;
    const struct xk_msg *m = &e->msg;
    if (!window(t, e, &w))
        return;
    xk_sim_gather_run(
        t, e,
        &(struct xk_sim_gather){.window = w,
                                .addr_b = m->addr_b,
                                .data_b = m->data_b,
                                .reg_b = m->reg_b,
                                .align_b = m->data_b < 4 ? 1 : m->data_b,
                                .vec = (uint8_t)vec,
                                .cmask = (uint8_t)cmask,
                                .store = store,
                                .plane_b = plane_b(t, e, m->reg_b)});
}

static void run_block(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      bool store)
{
    enum xk_sim_window w;
    const struct xk_msg *m = &e->msg;
    if (!window(t, e, &w))
        return;
    if (e->exec != 1) {
        xk_sim_fault(t, e, "a transposed message needs exec size 1, not %u",
                     e->exec);
        return;
    }
    if (!xk_sim_payload(t, e, &e->src[0], m->addr_b, m->src0_grf,
                        "the address payload") ||
        !xk_sim_mask(t, e))
        return;
    xk_sim_block_run(t, e, w, xk_sim_lane_addr(t, e, m->addr_b, 0),
                     (uint32_t)m->vec * m->data_b, m->data_b, store);
}

static void exec_load(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    if (e->msg.transpose)
        run_block(t, e, false);
    else
        run_gather(t, e, false, e->msg.vec, (1u << (e->msg.vec & 15)) - 1);
}

static void exec_store(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    if (e->msg.transpose)
        run_block(t, e, true);
    else
        run_gather(t, e, true, e->msg.vec, (1u << (e->msg.vec & 15)) - 1);
}

static void exec_load_cmask(struct xk_sim_thread *t,
                            const struct xk_sim_inst *e)
{
    run_gather(t, e, false, 4, e->msg.cmask);
}

static void exec_store_cmask(struct xk_sim_thread *t,
                             const struct xk_sim_inst *e)
{
    run_gather(t, e, true, 4, e->msg.cmask);
}

/* clang-format off */
static const uint8_t atom_of[32] = {
    [0x08] = XK_ATOM_INC,  [0x09] = XK_ATOM_DEC,  [0x0a] = XK_ATOM_LOAD,
    [0x0b] = XK_ATOM_STORE, [0x0c] = XK_ATOM_ADD, [0x0d] = XK_ATOM_SUB,
    [0x0e] = XK_ATOM_SMIN, [0x0f] = XK_ATOM_SMAX, [0x10] = XK_ATOM_UMIN,
    [0x11] = XK_ATOM_UMAX, [0x12] = XK_ATOM_CAS,  [0x13] = XK_ATOM_FADD,
    [0x14] = XK_ATOM_FSUB, [0x15] = XK_ATOM_FMIN, [0x16] = XK_ATOM_FMAX,
    [0x17] = XK_ATOM_FCAS, [0x18] = XK_ATOM_AND,  [0x19] = XK_ATOM_OR,
    [0x1a] = XK_ATOM_XOR,
};
/* clang-format on */

static void exec_atomic(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    enum xk_sim_window w;
    const struct xk_msg *m = &e->msg;
    if (!window(t, e, &w))
        return;
    xk_sim_atomic_run(t, e,
                      &(struct xk_sim_atomic){
                          .window = w,
                          .addr_b = m->addr_b,
                          .data_b = m->data_b,
                          .reg_b = m->reg_b,
                          .op = atom_of[m->lsc_op & 31],
                          .plane_b = plane_b(t, e, m->reg_b),
                          .returns = e->dst.kind == XK_SO_REG && m->dst_grf});
}

/* clang-format off */
xk_sim_fn *xk_sim_select_lsc(const struct xk_sim_inst *e)
{
    switch ((enum xk_msg_kind)e->msg.kind) {
    case XK_MSG_LSC_LOAD: return exec_load;
    case XK_MSG_LSC_STORE: return exec_store;
    case XK_MSG_LSC_LOAD_CMASK: return exec_load_cmask;
    case XK_MSG_LSC_STORE_CMASK: return exec_store_cmask;
    case XK_MSG_LSC_ATOMIC: return exec_atomic;
    default: return NULL;
    }
}
/* clang-format on */
