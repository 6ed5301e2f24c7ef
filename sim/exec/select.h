/* SPDX-License-Identifier: Apache-2.0 */
/* The function that executes an instruction: it is chosen once, when a kernel
 * is made. */
#ifndef XK_SIM_SELECT_H
#define XK_SIM_SELECT_H

#include "sim/core/kernel.h"

/* Chooses fn and lane for a decoded instruction. */
void xk_sim_select(const struct xk_sim_kernel *k, struct xk_sim_inst *e);
/* A 32-bit fast path if the instruction has such a form, else NULL. */
xk_sim_fn *xk_sim_select_fast(const struct xk_sim_kernel *k,
                              struct xk_sim_inst *e);
xk_sim_fn *xk_sim_select_fast_avx2(struct xk_sim_inst *e);
xk_sim_fn *xk_sim_select_fast_any(struct xk_sim_inst *e);
/* AVX2, FMA and F16C, which the files named so are compiled for. */
bool xk_sim_host_has_avx2(void);
xk_sim_fn *xk_sim_select_flow(const struct xk_sim_inst *e);
xk_sim_lane_fn *xk_sim_lane_int(const struct xk_inst *i);
xk_sim_lane_fn *xk_sim_lane_float(const struct xk_inst *i);
xk_sim_math_fn *xk_sim_math_of(const struct xk_inst *i);
unsigned xk_sim_math_n_srcs(const struct xk_inst *i);
xk_sim_lane_fn *xk_sim_lane_double(const struct xk_inst *i);
/* NULL where the general form of an ALU instruction serves. */
xk_sim_fn *xk_sim_select_move(const struct xk_sim_inst *e);
xk_sim_fn *xk_sim_select_wide(const struct xk_sim_inst *e);
xk_sim_fn *xk_sim_select_acc(const struct xk_sim_inst *e);
xk_sim_fn *xk_sim_select_macro(const struct xk_sim_inst *e);
/* dpas: the general form takes whatever select accepted. The direct forms, for
 * any host and for AVX2, want sources of one kind and no saturation. */
xk_sim_fn *xk_sim_select_dpas(const struct xk_sim_kernel *k,
                              struct xk_sim_inst *e);
xk_sim_fn *xk_sim_select_dpas_any(const struct xk_sim_inst *e);
xk_sim_fn *xk_sim_select_dpas_avx2(const struct xk_sim_inst *e);
xk_sim_fn xk_sim_exec_dpas;
/* dpasw: fn does one thread's part. src2_b: bytes of src2 of the pair. */
xk_sim_fn *xk_sim_select_dpasw(struct xk_sim_inst *e, xk_sim_fn *fn,
                               uint32_t src2_b);
/* One thread's part once more, with the registers of now. */
void xk_sim_dpasw_again(struct xk_sim_thread *t,
                        const struct xk_sim_thread *other,
                        const struct xk_sim_inst *e);
/* Bytes that come from the even thread: whole registers. */
uint32_t xk_sim_dpasw_first_b(const struct xk_sim_kernel *k, uint32_t src2_b);
/* How many flag bits from flag_bit on the predicate depends on. */
unsigned xk_sim_pred_bits(const struct xk_sim_inst *e);
/* Sets `row` of a kernel whose instructions are all prepared. */
void xk_sim_find_rows(struct xk_sim_kernel *k);
xk_sim_fn xk_sim_exec_undecodable;
xk_sim_fn xk_sim_exec_unsupported;

#endif
