/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing operands of any type and region, lane by lane: the path
 * every instruction can take. Integers travel as 64-bit values, floats of up to
 * 32 bits as float, df as double. */
#ifndef XK_SIM_SIM_OPERAND_H
#define XK_SIM_SIM_OPERAND_H

#include "sim/core/kernel.h"

/* The lanes of e that execute now: active or NoMask, and with a true predicate.
 * Bit 0 is the instruction's own lane 0. */
uint32_t xk_sim_mask(const struct xk_sim_thread *t,
                     const struct xk_sim_inst *e);
/* The predicate's value per lane, whether or not the lane is active. */
uint32_t xk_sim_pred(const struct xk_sim_thread *t,
                     const struct xk_sim_inst *e);
/* 32 bits of the flag file from `bit` on; the file has room behind its end. */
static inline uint32_t xk_sim_flags(const struct xk_sim_thread *t, unsigned bit)
{
    return (uint32_t)(xk_rf_u64(t, XK_RF_FLAG + bit / 8) >> bit % 8);
}
/* Replaces the flag bits of the lanes in mask. */
static inline void xk_sim_set_flags(struct xk_sim_thread *t,
                                    const struct xk_sim_inst *e, uint32_t mask,
                                    uint32_t bits)
{
    const uint32_t at = XK_RF_FLAG + e->flag_bit / 8u;
    const unsigned shift = e->flag_bit % 8u;
    uint64_t f = xk_rf_u64(t, at);
    f &= ~((uint64_t)mask << shift);
    f |= (uint64_t)(bits & mask) << shift;
    memcpy(t->rf + at, &f, 8);
}

/* One past the last byte of a direct operand's region, from its first. */
static inline uint32_t xk_sim_extent_b(const struct xk_sim_opnd *o,
                                       unsigned exec)
{
    const unsigned last = exec - 1, w_mask = (1u << o->log_w) - 1;
    return (last >> o->log_w) * o->vs_b +
           (last < w_mask ? last : w_mask) * o->hs_b + o->size_b;
}
/* Both return false after a finding (an address register outside the file).
 * Source modifiers are applied. */
bool xk_sim_fetch_int(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      const struct xk_sim_opnd *o, union xk_sim_lanes *v);
bool xk_sim_fetch_float(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        const struct xk_sim_opnd *o, union xk_sim_lanes *v);
bool xk_sim_fetch_double(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         const struct xk_sim_opnd *o, union xk_sim_lanes *v);
/* Writes the lanes in mask; v in the instruction's execution class. */
void xk_sim_store_int(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      uint32_t mask, const union xk_sim_lanes *v);
void xk_sim_store_float(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        uint32_t mask, const union xk_sim_lanes *v);
void xk_sim_store_double(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         uint32_t mask, const union xk_sim_lanes *v);
/* Writes the low bits of v[] as they are, whatever the destination's type. */
void xk_sim_store_raw(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      uint32_t mask, const union xk_sim_lanes *v);

struct xk_sim_sources {
    union xk_sim_lanes v[3];
};

/* All sources in the instruction's class; false after a finding. */
bool xk_sim_fetch(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  struct xk_sim_sources *s);

/* What xk_sim_finish does beyond saturating and storing. */
enum { XK_SIM_FLAGS = 1, XK_SIM_ACC = 2 };

void xk_sim_finish(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                   uint32_t mask, union xk_sim_lanes *r, unsigned what);

/* Up to 32 bits wide. */
static inline bool xk_sim_type_is_float(unsigned type)
{
    return type == XK_RT_F || type == XK_RT_HF || type == XK_RT_BF ||
           type == XK_RT_VF || type == XK_RT_TF32 || type == XK_RT_BF8;
}
/* v as a value of an integer type: wrapped to its width. */
int64_t xk_sim_wrap(unsigned type, int64_t v);
int64_t xk_sim_clamp(unsigned type, int64_t v);

#define XK_SIM_NAN 0x7fc00000 /* the NaN that dpas makes */

/* round: as cr0[5:4]. */
uint16_t xk_sim_half_from_float(float f, unsigned round);
uint16_t xk_sim_bf16_from_float(float f, unsigned round);
uint32_t xk_sim_tf32_from_float(float f, unsigned round);
uint8_t xk_sim_bf8_from_half(uint16_t h, unsigned round);
/* srnd: the low bits of random are added below the last bit that stays. */
uint16_t xk_sim_half_stochastic(float f, uint32_t random);
uint8_t xk_sim_bf8_stochastic(uint16_t h, uint32_t random);
/* Cuts the fraction; out of range clamps, NaN is 0. */
int64_t xk_sim_int_from_double(unsigned type, double d);
/* x + y * z of halves; rounding the result to half rounds once. */
float xk_sim_mad_half(float x, float y, float z);

/* Exact. By exponent arithmetic without branches, so that loops vectorise. */
static inline float xk_sim_half_to_float(uint16_t h)
{
    const uint32_t mag = (uint32_t)(h & 0x7fff) << 13;
    uint32_t b;
    float f;
    memcpy(&f, &mag, 4);
    f *= 0x1p112f; /* from half's exponent bias to float's */
    memcpy(&b, &f, 4);
    b |= (h & 0x7c00) == 0x7c00 ? 0x7f800000u : 0;
    b |= (uint32_t)(h & 0x8000) << 16;
    memcpy(&f, &b, 4);
    return f;
}

/* The lanes whose operands count; the predicate of sel only chooses between
 * operands. */
uint32_t xk_sim_operand_lanes(const struct xk_sim_thread *t,
                              const struct xk_sim_inst *e);

#endif
