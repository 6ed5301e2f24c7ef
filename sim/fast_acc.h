/* SPDX-License-Identifier: Apache-2.0 */
/* Direct paths of integers that go through the accumulator: the halves of a
 * product, carries. Part of sim/fast_body.h, which includes it. A dword of the
 * accumulator has the bits above it in acc_hi, a dword for each two bytes. */

ALWAYS int32_t *acc_hi_at(struct xk_sim_thread *t, uint32_t acc_b)
{
    return &t->acc_hi[acc_b / 2];
}

/* What dwords from acc_b on hold above their 32 bits, for the lanes in mask. */
ALWAYS void put_acc_hi(struct xk_sim_thread *t, uint32_t acc_b, uint32_t mask,
                       unsigned n, const uint32_t *restrict hi)
{
    int32_t *const to = acc_hi_at(t, acc_b);
    for (unsigned l = 0; l < n; l++)
        to[2 * l] = mask >> l & 1 ? (int32_t)hi[l] : to[2 * l];
}

ALWAYS void put_acc(struct xk_sim_thread *t, uint32_t acc_b, uint32_t mask,
                    unsigned n, const uint32_t *restrict lo)
{
    uint8_t *const to = t->rf + XK_RF_ACC + acc_b;
    if (mask == (n == 32 ? UINT32_MAX : (1u << n) - 1)) {
        memcpy(to, lo, 4 * n);
        return;
    }
    for (unsigned l = 0; l < n; l++)
        if (mask >> l & 1)
            memcpy(to + 4 * l, &lo[l], 4);
}

ALWAYS int64_t widen(uint32_t x, bool is_signed)
{
    return is_signed ? (int32_t)x : (int64_t)x;
}

ALWAYS bool is_signed(const struct xk_sim_opnd *o)
{
    return o->type == XK_RT_D || o->type == XK_RT_W || o->type == XK_RT_B;
}

/* mul to the accumulator: all 64 bits of the product. */
ALWAYS void a_mul(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  unsigned n)
{
    uint32_t a[XK_SIM_LANES], b[XK_SIM_LANES], lo[XK_SIM_LANES];
    uint32_t hi[XK_SIM_LANES];
    const bool sa = is_signed(&e->src[0]), sb = is_signed(&e->src[1]);
    const uint32_t mask = active_lanes(t, e);
    load(t, e, 0, n, a);
    load(t, e, 1, n, b);
    for (unsigned l = 0; l < n; l++) {
        const uint64_t p =
            (uint64_t)widen(a[l], sa) * (uint64_t)widen(b[l], sb);
        lo[l] = (uint32_t)p;
        hi[l] = (uint32_t)(p >> 32);
    }
    put_acc(t, e->dst.off_b - XK_RF_ACC, mask, n, lo);
    put_acc_hi(t, e->dst.off_b - XK_RF_ACC, mask, n, hi);
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
    uint32_t hi[XK_SIM_LANES];
    const bool sa = is_signed(&e->src[0]), sb = is_signed(&e->src[1]);
    const uint32_t mask = active_lanes(t, e);
    const int32_t *const acc_hi = acc_hi_at(t, e->acc_b);
    load(t, e, 0, n, a);
    load(t, e, 1, n, b);
    load_packed(t->rf + XK_RF_ACC + e->acc_b, n, lo);
    for (unsigned l = 0; l < n; l++) {
        const uint64_t acc = (uint64_t)(uint32_t)acc_hi[2 * l] << 32 | lo[l];
        const uint64_t p =
            acc + (uint64_t)widen(a[l], sa) *
                      ((uint64_t)widen(b[l], sb) & ~UINT64_C(0xffff));
        lo[l] = (uint32_t)p;
        hi[l] = (uint32_t)(p >> 32);
    }
    put_acc(t, e->acc_b, mask, n, lo);
    put_acc_hi(t, e->acc_b, mask, n, hi);
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
    put_acc(t, e->acc_b, mask, n, out);
    put_acc_hi(t, e->acc_b, mask, n, none);
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
