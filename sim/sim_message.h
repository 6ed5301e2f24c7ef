/* SPDX-License-Identifier: Apache-2.0 */
/* What the send handlers share: windows onto memory, register payloads. */
#ifndef XK_SIM_SIM_MESSAGE_H
#define XK_SIM_SIM_MESSAGE_H

#include "sim/sim_operand.h"

enum xk_sim_window {
    XK_WIN_FLAT, /* virtual addresses */
    XK_WIN_HEAP, /* 32-bit offsets from the general state base */
    XK_WIN_SLM,
};

/* The host's view of n_b bytes at addr, or NULL after a finding: outside, or
 * not a multiple of align_b. lane is for the message. */
uint8_t *xk_sim_access(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       enum xk_sim_window w, uint64_t addr, uint32_t n_b,
                       uint32_t align_b, unsigned lane);

/* True if the payload [off_b, off_b + n_b) lies in n_grf registers beginning at
 * o; else a finding that names `what`. */
bool xk_sim_payload(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                    const struct xk_sim_opnd *o, uint32_t n_b, uint32_t n_grf,
                    const char *what);

/* A gather or scatter, whatever its encoding. Register layout: component v,
 * lane l at v * plane_b + l * reg_b. */
struct xk_sim_gather {
    uint8_t window; /* enum xk_sim_window */
    uint8_t addr_b, data_b, reg_b;
    uint8_t align_b; /* of addresses */
    uint8_t vec;     /* components in memory, data_b apart */
    uint8_t cmask;   /* components that move */
    bool store;
    uint16_t plane_b;
};
void xk_sim_gather_run(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const struct xk_sim_gather *g);

/* n_b contiguous bytes between memory and registers. */
void xk_sim_block_run(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      enum xk_sim_window w, uint64_t addr, uint32_t n_b,
                      uint32_t align_b, bool store);

enum xk_sim_atom {
    XK_ATOM_LOAD,
    XK_ATOM_STORE,
    XK_ATOM_INC,
    XK_ATOM_DEC,
    XK_ATOM_ADD,
    XK_ATOM_SUB,
    XK_ATOM_REVSUB,
    XK_ATOM_SMIN,
    XK_ATOM_SMAX,
    XK_ATOM_UMIN,
    XK_ATOM_UMAX,
    XK_ATOM_CAS,
    XK_ATOM_AND,
    XK_ATOM_OR,
    XK_ATOM_XOR,
    XK_ATOM_PREDEC,
    XK_ATOM_FADD,
    XK_ATOM_FSUB,
    XK_ATOM_FMIN,
    XK_ATOM_FMAX,
    XK_ATOM_FCAS,
    XK_N_ATOMS
};

struct xk_sim_atomic {
    uint8_t window, addr_b, data_b;
    uint8_t op; /* enum xk_sim_atom */
    uint8_t reg_b;
    uint16_t plane_b; /* between operands of compare and exchange */
    bool returns;
};
void xk_sim_atomic_run(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const struct xk_sim_atomic *a);

/* By e->msg. */
xk_sim_fn *xk_sim_select_lsc(const struct xk_sim_inst *e);
/* The data ports before LSC, which compilers still use on this platform. */
xk_sim_fn *xk_sim_select_hdc(const struct xk_sim_inst *e);

/* Address of a lane, from the address payload. */
static inline uint64_t xk_sim_lane_addr(const struct xk_sim_thread *t,
                                        const struct xk_sim_inst *e,
                                        unsigned addr_b, unsigned lane)
{
    uint64_t a = 0;
    memcpy(&a, t->rf + e->src[0].off_b + lane * addr_b, addr_b);
    return a;
}

#endif
