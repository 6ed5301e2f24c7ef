/* SPDX-License-Identifier: Apache-2.0 */
/* The data ports from before LSC (dc0, dc1). Compilers for this platform still
 * use them for the payload, some atomics and, on some devices, everything.
 * Fields: reference/isa.md 6.2. */
#include "sim/sim_message.h"

static unsigned type_of(const struct xk_sim_inst *e)
{
    return e->in.send.desc >> 14 & 31;
}

static unsigned bti_of(const struct xk_sim_inst *e)
{
    return e->in.send.desc & 255;
}

static unsigned bits(const struct xk_sim_inst *e, unsigned lo, unsigned n)
{
    return e->in.send.desc >> lo & ((1u << n) - 1);
}

/* Window of a 32-bit address by binding table index. */
static bool window(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                   enum xk_sim_window *w)
{
    switch (bti_of(e)) {
    case 0xfe:
        *w = XK_WIN_SLM;
        return true;
    case 0xfd:
    case 0xff:
        *w = XK_WIN_HEAP;
        return true;
    default:
        xk_sim_fault(t, e,
                     "surfaces are not supported yet (binding table "
                     "index %u)",
                     bti_of(e));
        return false;
    }
}

static uint16_t plane_b(const struct xk_sim_inst *e, unsigned reg_b)
{
    return (uint16_t)((e->exec > 8 ? 16 : 8) * reg_b);
}

/* Header dword 2 is the offset: in bytes for the unmasked read (type 1), in
 * 16-byte units for the others. */
static void exec_block(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    static const uint8_t owords[8] = {1, 1, 2, 4, 8, 16, 0, 0};
    enum xk_sim_window w;
    const unsigned type = type_of(e);
    if (!window(t, e, &w) || !xk_sim_payload(t, e, &e->src[0], t->kernel->grf_b,
                                             e->msg.src0_grf, "the header"))
        return;
    const uint32_t off = xk_rf_u32(t, e->src[0].off_b + 8);
    const uint64_t addr = type == 1 ? off : (uint64_t)off * 16;
    xk_sim_block_run(t, e, w, addr, 16u * owords[bits(e, 8, 3)],
                     type == 1 ? 4 : 16, type == 8);
}

static void exec_block_a64(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    static const uint8_t owords[8] = {1, 1, 2, 4, 8, 16, 0, 0};
    if (!xk_sim_payload(t, e, &e->src[0], t->kernel->grf_b, e->msg.src0_grf,
                        "the header"))
        return;
    const unsigned unit_b = bits(e, 11, 2) == 3 ? 32 : 16;
    xk_sim_block_run(t, e, XK_WIN_FLAT, xk_rf_u64(t, e->src[0].off_b),
                     unit_b * owords[bits(e, 8, 3)], 4, type_of(e) == 0x15);
}

static void gather(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                   struct xk_sim_gather g)
{
    enum xk_sim_window w = XK_WIN_FLAT;
    if (g.addr_b == 4 && !window(t, e, &w))
        return;
    g.window = (uint8_t)w;
    g.plane_b = plane_b(e, g.reg_b);
    xk_sim_gather_run(t, e, &g);
}

static void exec_untyped(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const unsigned type = type_of(e);
    gather(t, e,
           (struct xk_sim_gather){.addr_b = type & 0x10 ? 8 : 4,
                                  .data_b = 4,
                                  .reg_b = 4,
                                  .align_b = 4,
                                  .vec = 4,
                                  .cmask = (uint8_t)(~bits(e, 8, 4) & 15),
                                  .store = (type & 0xf) == 9});
}

static void exec_bytes(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const uint8_t size_b = (uint8_t)(1u << bits(e, 10, 2));
    gather(t, e,
           (struct xk_sim_gather){.addr_b = 4,
                                  .data_b = size_b,
                                  .reg_b = 4,
                                  .align_b = 1,
                                  .vec = 1,
                                  .cmask = 1,
                                  .store = type_of(e) == 0xc});
}

static void exec_dwords(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    gather(t, e,
           (struct xk_sim_gather){.addr_b = 4,
                                  .data_b = 4,
                                  .reg_b = 4,
                                  .align_b = 4,
                                  .vec = 1,
                                  .cmask = 1,
                                  .store = type_of(e) == 0xb});
}

static void exec_scattered_a64(struct xk_sim_thread *t,
                               const struct xk_sim_inst *e)
{
    const unsigned kind = bits(e, 8, 2), n = 1u << bits(e, 10, 2);
    const unsigned data_b = kind == 0 ? n : kind == 1 ? 4 : 8;
    const unsigned vec = kind == 0 ? 1 : n;
    gather(t, e,
           (struct xk_sim_gather){.addr_b = 8,
                                  .data_b = (uint8_t)data_b,
                                  .reg_b = kind == 2 ? 8 : 4,
                                  .align_b = kind == 0 ? 1 : (uint8_t)data_b,
                                  .vec = (uint8_t)vec,
                                  .cmask = (uint8_t)((1u << vec) - 1),
                                  .store = type_of(e) == 0x1a});
}

static void run_atomic(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       unsigned op, unsigned addr_b, unsigned data_b)
{
    enum xk_sim_window w = XK_WIN_FLAT;
    if (addr_b == 4 && !window(t, e, &w))
        return;
    const unsigned reg_b = data_b < 4 ? 4 : data_b;
    xk_sim_atomic_run(t, e,
                      &(struct xk_sim_atomic){.window = (uint8_t)w,
                                              .addr_b = (uint8_t)addr_b,
                                              .data_b = (uint8_t)data_b,
                                              .op = (uint8_t)op,
                                              .reg_b = (uint8_t)reg_b,
                                              .plane_b = plane_b(e, reg_b),
                                              .returns = bits(e, 13, 1)});
}

static void exec_atomic_int(struct xk_sim_thread *t,
                            const struct xk_sim_inst *e)
{
    static const uint8_t op[16] = {
        XK_ATOM_CAS,   XK_ATOM_AND,    XK_ATOM_OR,   XK_ATOM_XOR,
        XK_ATOM_STORE, XK_ATOM_INC,    XK_ATOM_DEC,  XK_ATOM_ADD,
        XK_ATOM_SUB,   XK_ATOM_REVSUB, XK_ATOM_SMAX, XK_ATOM_SMIN,
        XK_ATOM_UMAX,  XK_ATOM_UMIN,   XK_ATOM_CAS,  XK_ATOM_PREDEC};
    const bool a64 = type_of(e) == 0x12;
    run_atomic(t, e, op[bits(e, 8, 4)], a64 ? 8 : 4,
               a64 && bits(e, 12, 1) ? 8 : 4);
}

static void exec_atomic_float(struct xk_sim_thread *t,
                              const struct xk_sim_inst *e)
{
    static const uint8_t op[8] = {XK_N_ATOMS,   XK_ATOM_FMAX, XK_ATOM_FMIN,
                                  XK_ATOM_FCAS, XK_ATOM_FADD, XK_N_ATOMS,
                                  XK_N_ATOMS,   XK_N_ATOMS};
    const unsigned k = op[bits(e, 8, 3)];
    if (k == XK_N_ATOMS)
        xk_sim_fault(t, e, "unknown float atomic %u", bits(e, 8, 3));
    else
        run_atomic(t, e, k, type_of(e) == 0x1d ? 8 : 4, 4);
}

static void exec_old_fence(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    (void)t;
    (void)e;
}

/* clang-format off */
static xk_sim_fn *select_dc0(unsigned type)
{
    switch (type) {
    case 0: case 1: case 8: return exec_block;
    case 3: case 0xb: return exec_dwords;
    case 4: case 0xc: return exec_bytes;
    case 7: return exec_old_fence;
    default: return NULL;
    }
}
/* clang-format on */

/* clang-format off */
static xk_sim_fn *select_dc1(unsigned type)
{
    switch (type) {
    case 0x01: case 0x09: case 0x11: case 0x19: return exec_untyped;
    case 0x10: case 0x1a: return exec_scattered_a64;
    case 0x14: case 0x15: return exec_block_a64;
    case 0x02: case 0x12: return exec_atomic_int;
    case 0x1b: case 0x1d: return exec_atomic_float;
    default: return NULL;
    }
}
/* clang-format on */

xk_sim_fn *xk_sim_select_hdc(const struct xk_sim_inst *e)
{
    if (e->in.send.sfid == XK_SFID_DC0)
        return select_dc0(type_of(e));
    if (e->in.send.sfid == XK_SFID_DC1)
        return select_dc1(type_of(e));
    return NULL;
}
