/* SPDX-License-Identifier: Apache-2.0 */
/* Integer and logic operations, lane by lane on exact 64-bit values. */
#include "sim/exec/select.h"
#include "sim/core/kernel.h"

#define LANES for (unsigned l = 0; l < e->exec; l++)
#define A a->i[l]
#define B b->i[l]
#define C c->i[l]
#define LANE_FN(name, expr)                                                    \
    static void name(const struct xk_sim_inst *e, union xk_sim_lanes *r,       \
                     const union xk_sim_lanes *a, const union xk_sim_lanes *b, \
                     const union xk_sim_lanes *c)                              \
    {                                                                          \
        (void)b;                                                               \
        (void)c;                                                               \
        LANES r->i[l] = (int64_t)(expr);                                       \
    }

/* Shift counts are taken modulo the width of the operation. */
static inline unsigned shift_mask(const struct xk_sim_inst *e)
{
    return e->dst.size_b == 8 || e->src[0].size_b == 8 ? 63 : 31;
}

static inline uint32_t reverse_bits(uint32_t v)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (v >> i & 1) << (31 - i);
    return r;
}

/* The distance of the leading bit from the top. For signed values it is that of
 * the first bit that differs from the sign. All ones if there is none. */
static inline int64_t first_high(const struct xk_sim_inst *e, int64_t v)
{
    uint32_t x = (uint32_t)v;
    if (e->src[0].type == XK_RT_D && v < 0)
        x = ~x;
    return x ? __builtin_clz(x) : -1;
}

/* Puts b's lowest bits where the mask begins. */
static inline int64_t insert_bits(int64_t mask, int64_t b, int64_t into)
{
    const uint32_t m = (uint32_t)mask;
    const uint32_t x = m ? (uint32_t)b << __builtin_ctz(m) : 0;
    return (int64_t)((x & m) | ((uint32_t)into & ~m));
}

static inline int64_t rotate64(uint64_t v, int64_t n, bool left)
{
    const unsigned k = (unsigned)(left ? n : -n) & 63;
    return (int64_t)(k ? v << k | v >> (64 - k) : v);
}

/* As wide as the source. */
static inline int64_t rotate(const struct xk_sim_inst *e, int64_t v, int64_t n,
                             bool left)
{
    if (e->src[0].size_b == 8)
        return rotate64((uint64_t)v, n, left);
    const unsigned w = e->src[0].size_b == 2 ? 16 : 32;
    const unsigned k = (unsigned)(left ? n : -n) & (w - 1);
    const uint64_t x = (uint64_t)v & ((1ull << w) - 1);
    return (int64_t)((x << k | x >> (w - k)) & ((1ull << w) - 1));
}

static inline int64_t logic3(unsigned table, uint64_t x, uint64_t y, uint64_t z)
{
    uint64_t r = 0;
    for (unsigned k = 0; k < 8; k++)
        if (table >> k & 1)
            r |= (k & 1 ? x : ~x) & (k & 2 ? y : ~y) & (k & 4 ? z : ~z);
    return (int64_t)r;
}

static inline int64_t dot4(const struct xk_sim_inst *e, int64_t x, int64_t y)
{
    int64_t sum = 0;
    for (unsigned k = 0; k < 4; k++) {
        const uint8_t p = (uint8_t)(x >> 8 * k), q = (uint8_t)(y >> 8 * k);
        const int u = e->src[1].type == XK_RT_D ? (int8_t)p : (int)p;
        const int v = e->src[2].type == XK_RT_D ? (int8_t)q : (int)q;
        sum += u * v;
    }
    return sum;
}

static inline int64_t extract(const struct xk_sim_inst *e, int64_t width,
                              int64_t at, int64_t v)
{
    const unsigned w = (unsigned)width & 31, o = (unsigned)at & 31;
    if (!w)
        return 0;
    const bool top = w + o > 32; /* the field reaches beyond bit 31 */
    const uint32_t up = top ? (uint32_t)v : (uint32_t)v << (32 - w - o);
    const unsigned down = top ? o : 32 - w;
    if (e->src[2].type == XK_RT_D)
        return (int32_t)up >> down;
    return up >> down;
}

/* Division by zero gives all ones for unsigned numbers, and the extreme for
 * signed ones. */
static inline int64_t divide_lane(const struct xk_sim_inst *e, int64_t x,
                                  int64_t y, bool rem)
{
    if (!y)
        return e->dst.type != XK_RT_D ? -1 : x < 0 ? INT32_MIN : INT32_MAX;
    return rem ? x % y : x / y;
}

/* clang-format off */
#define U(x) ((uint64_t)(x))
LANE_FN(op_mov, A)
LANE_FN(op_add, U(A) + U(B))
LANE_FN(op_mul, U(A) * U(B))
LANE_FN(op_avg, (A >> 1) + (B >> 1) + ((A | B) & 1))
LANE_FN(op_add3, U(A) + U(B) + U(C))
LANE_FN(op_mad, U(A) + U(B) * U(C))
LANE_FN(op_and, A & B)
LANE_FN(op_or, A | B)
LANE_FN(op_xor, A ^ B)
LANE_FN(op_not, ~A)
LANE_FN(op_shl, U(A) << (B & shift_mask(e)))
LANE_FN(op_shr, (e->src[0].size_b == 8 ? U(A) : U(A) & UINT32_MAX) >>
                    (B & shift_mask(e)))
LANE_FN(op_asr, e->src[0].type == XK_RT_UQ ? U(A) >> (B & 63)
                                           : U(A >> (B & shift_mask(e))))
LANE_FN(op_rol, rotate(e, A, B, true))
LANE_FN(op_ror, rotate(e, A, B, false))
LANE_FN(op_bfn, logic3(e->in.bfn, U(A), U(B), U(C)))
LANE_FN(op_dp4a, A + dot4(e, B, C))
LANE_FN(op_lzd, (uint32_t)A ? __builtin_clz((uint32_t)A) : 32)
LANE_FN(op_fbh, first_high(e, A))
LANE_FN(op_fbl, (uint32_t)A ? __builtin_ctz((uint32_t)A) : -1)
LANE_FN(op_cbit, __builtin_popcountll(U(A)))
LANE_FN(op_bfrev, reverse_bits((uint32_t)A))
LANE_FN(op_bfe, extract(e, A, B, C))
LANE_FN(op_bfi1, ((1ull << (A & 31)) - 1) << (B & 31))
LANE_FN(op_bfi2, insert_bits(A, B, C))
LANE_FN(op_iqot, divide_lane(e, A, B, false))
LANE_FN(op_irem, divide_lane(e, A, B, true))
/* clang-format on */

/* clang-format off */
xk_sim_lane_fn *xk_sim_lane_int(const struct xk_inst *i)
{
    switch ((enum xk_opcode)i->op) {
    case XK_OPC_MOV: return op_mov;
    case XK_OPC_ADD: return op_add;
    case XK_OPC_MUL: return op_mul;
    case XK_OPC_AVG: return op_avg;
    case XK_OPC_ADD3: return op_add3;
    case XK_OPC_MAD: return op_mad;
    case XK_OPC_AND: return op_and;
    case XK_OPC_OR: return op_or;
    case XK_OPC_XOR: return op_xor;
    case XK_OPC_NOT: return op_not;
    case XK_OPC_SHL: return op_shl;
    case XK_OPC_SHR: return op_shr;
    case XK_OPC_ASR: return op_asr;
    case XK_OPC_ROL: return op_rol;
    case XK_OPC_ROR: return op_ror;
    case XK_OPC_BFN: return op_bfn;
    case XK_OPC_DP4A: return op_dp4a;
    case XK_OPC_LZD: return op_lzd;
    case XK_OPC_FBH: return op_fbh;
    case XK_OPC_FBL: return op_fbl;
    case XK_OPC_CBIT: return op_cbit;
    case XK_OPC_BFREV: return op_bfrev;
    case XK_OPC_BFE: return op_bfe;
    case XK_OPC_BFI1: return op_bfi1;
    case XK_OPC_BFI2: return op_bfi2;
    case XK_OPC_MATH:
        return i->math_fn == XK_MATH_IQOT   ? op_iqot
               : i->math_fn == XK_MATH_IREM ? op_irem
                                            : NULL;
    default: return NULL;
    }
}
/* clang-format on */
