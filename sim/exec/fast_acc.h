/* SPDX-License-Identifier: Apache-2.0 */
/* Direct paths of integers that go through the accumulator: the halves of a
 * product, carries. Part of sim/exec/fast_body.h, which includes it. A dword of
 * the accumulator has the bits above it in acc_hi, a dword for each two bytes.
 */

ALWAYS uint8_t *acc_hi_at(struct xk_sim_thread *t, uint32_t acc_b)
{
    return (uint8_t *)&t->acc_hi[acc_b / 2];
}

/* To the active lanes. */
ALWAYS void put_acc(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                    uint32_t acc_b, unsigned n, const uint32_t *restrict lo,
                    const uint32_t *restrict hi)
{
    uint32_t mask = active_lanes(t, e);
    uint8_t *const low = t->rf + XK_RF_ACC + acc_b;
    uint8_t *const high = acc_hi_at(t, acc_b);
    if (mask == e->lanes) {
        memcpy(low, lo, 4 * n);
        store_pairs(high, false, n, hi);
        return;
    }
    for (; mask; mask &= mask - 1) {
        const unsigned l = (unsigned)__builtin_ctz(mask);
        memcpy(low + 4 * l, &lo[l], 4);
        memcpy(high + 8 * l, &hi[l], 4);
    }
}

ALWAYS bool is_signed(const struct xk_sim_opnd *o)
{
    return o->type == XK_RT_D || o->type == XK_RT_W || o->type == XK_RT_B;
}

/* Bits 63:32 of a product: of the unsigned numbers, less what a negative one
 * counts too much. */
ALWAYS void high_half(const struct xk_sim_inst *e, unsigned n,
                      uint32_t *restrict hi, const uint32_t *a,
                      const uint32_t *b)
{
    const uint32_t sa = is_signed(&e->src[0]) ? UINT32_MAX : 0;
    const uint32_t sb = is_signed(&e->src[1]) ? UINT32_MAX : 0;
    LANES hi[l] = (uint32_t)((uint64_t)a[l] * b[l] >> 32);
    LANES hi[l] -= ((uint32_t)((int32_t)a[l] >> 31) & b[l] & sa) +
                   ((uint32_t)((int32_t)b[l] >> 31) & a[l] & sb);
}

/* mul to the accumulator: all 64 bits of the product. */
ALWAYS void a_mul(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  unsigned n)
{
    uint32_t a[XK_SIM_LANES], b[XK_SIM_LANES], lo[XK_SIM_LANES];
    uint32_t hi[XK_SIM_LANES];
    load(t, e, 0, n, a);
    load(t, e, 1, n, b);
    LANES lo[l] = a[l] * b[l];
    high_half(e, n, hi, a, b);
    put_acc(t, e, e->dst.off_b - XK_RF_ACC, n, lo, hi);
}

/* The low half: acc + a * (b without its low word). */
ALWAYS void a_macl(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                   unsigned n)
{
    uint32_t a[XK_SIM_LANES], b[XK_SIM_LANES], r[XK_SIM_LANES];
    const uint32_t mask = active_lanes(t, e);
    load(t, e, 0, n, a);
    load(t, e, 1, n, b);
    load_packed(t->rf + XK_RF_ACC + e->acc_b, n, r);
    LANES r[l] += a[l] * (b[l] & 0xffff0000u);
    store(t, e, mask, n, r);
}

/* The high half; the accumulator takes all of it. */
ALWAYS void a_mach(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                   unsigned n)
{
    uint32_t a[XK_SIM_LANES], b[XK_SIM_LANES], lo[XK_SIM_LANES];
    uint32_t hi[XK_SIM_LANES], acc[XK_SIM_LANES], acc_hi[XK_SIM_LANES];
    const uint32_t mask = active_lanes(t, e);
    load(t, e, 0, n, a);
    load(t, e, 1, n, b);
    load_packed(t->rf + XK_RF_ACC + e->acc_b, n, acc);
    load_pairs(acc_hi_at(t, e->acc_b), false, n, acc_hi);
    LANES b[l] &= 0xffff0000u;
    LANES lo[l] = a[l] * b[l] + acc[l];
    high_half(e, n, hi, a, b);
    LANES hi[l] += acc_hi[l] + (lo[l] < acc[l]);
    put_acc(t, e, e->acc_b, n, lo, hi);
    store(t, e, mask, n, hi);
}

/* Carry or borrow to the accumulator. */
ALWAYS void carry(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  unsigned n, bool add)
{
    static const uint32_t none[XK_SIM_LANES];
    uint32_t a[XK_SIM_LANES], b[XK_SIM_LANES], r[XK_SIM_LANES];
    uint32_t out[XK_SIM_LANES];
    const uint32_t mask = active_lanes(t, e);
    load(t, e, 0, n, a);
    load(t, e, 1, n, b);
    LANES r[l] = add ? a[l] + b[l] : a[l] - b[l];
    LANES out[l] = add ? r[l] < a[l] : a[l] < b[l];
    put_acc(t, e, e->acc_b, n, out, none);
    store(t, e, mask, n, r);
}

ALWAYS void a_addc(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                   unsigned n)
{
    carry(t, e, n, true);
}

ALWAYS void a_subb(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                   unsigned n)
{
    carry(t, e, n, false);
}

VARIANTS(a_mul)
VARIANTS(a_macl)
VARIANTS(a_mach)
VARIANTS(a_addc)
VARIANTS(a_subb)

/* clang-format off */
static xk_sim_fn *select_acc(const struct xk_sim_inst *e)
{
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_MUL: return PICK(a_mul);
    case XK_OPC_MACH: return e->high ? PICK(a_mach) : PICK(a_macl);
    case XK_OPC_MACL: return PICK(a_macl);
    case XK_OPC_ADDC: return PICK(a_addc);
    case XK_OPC_SUBB: return PICK(a_subb);
    default: return NULL;
    }
}
/* clang-format on */
