/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing operands of any type and region, lane by lane: the path
 * every instruction can take. Integers travel as 64-bit values, floats of all
 * widths as float. */
#ifndef XK_SIM_OPERAND_H
#define XK_SIM_OPERAND_H

#include "sim/kernel.h"

/* Lanes of e that execute now: active or NoMask, and predicated true. Bit 0 is
 * the instruction's own lane 0. */
uint32_t xk_sim_mask(const struct xk_sim_thread *t,
                     const struct xk_sim_inst *e);
/* The predicate's value per lane, whether or not the lane is active. */
uint32_t xk_sim_pred(const struct xk_sim_thread *t,
                     const struct xk_sim_inst *e);
/* Both flag registers as one number: f1:f0. */
static inline uint64_t xk_sim_flags(const struct xk_sim_thread *t)
{
    return xk_rf_u64(t, XK_RF_FLAG);
}
/* Replaces the flag bits of the lanes in mask. */
void xk_sim_set_flags(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      uint32_t mask, uint32_t bits);

/* Both return false after a finding (an address register outside the file).
 * Source modifiers are applied. */
bool xk_sim_fetch_int(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      const struct xk_sim_opnd *o, union xk_sim_lanes *v);
bool xk_sim_fetch_float(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        const struct xk_sim_opnd *o, union xk_sim_lanes *v);
/* Writes the lanes in mask; v in the instruction's execution class. */
void xk_sim_store_int(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      uint32_t mask, const union xk_sim_lanes *v);
void xk_sim_store_float(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        uint32_t mask, const union xk_sim_lanes *v);
/* Writes the low bits of v[] as they are, whatever the destination's type. */
void xk_sim_store_raw(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      uint32_t mask, const union xk_sim_lanes *v);

static inline bool xk_sim_type_is_float(unsigned type)
{
    return type == XK_RT_F || type == XK_RT_HF || type == XK_RT_BF ||
           type == XK_RT_VF;
}
/* v as a value of an integer type: wrapped to its width. */
int64_t xk_sim_wrap(unsigned type, int64_t v);
int64_t xk_sim_clamp(unsigned type, int64_t v);

/* round: as cr0[5:4]. */
uint16_t xk_sim_half_from_float(float f, unsigned round);
float xk_sim_half_to_float(uint16_t h);
uint16_t xk_sim_bf16_from_float(float f, unsigned round);

#endif
