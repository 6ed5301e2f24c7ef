/* SPDX-License-Identifier: Apache-2.0 */
/* Integer arithmetic of the IR on constants (docs/ir.md). Floats are not
 * folded: the hardware's rounding and denormal modes are the kernel's. */
#include "ir/fold.h"

unsigned xk_dtype_bits(enum xk_dtype dt)
{
    return dt == XK_DT_BOOL ? 1 : xk_dtype_b(dt) * 8;
}

bool xk_dtype_nowrap(enum xk_dtype dt)
{
    return dt == XK_DT_S32 || dt == XK_DT_S64;
}

static bool fold_shift(enum xk_op op, enum xk_dtype dt, int64_t a, int64_t n,
                       int64_t *out)
{
    if (n < 0 || n >= xk_dtype_bits(dt))
        return false;
    if (op == XK_OP_SHL) {
        if (!xk_dtype_nowrap(dt)) {
            *out = (int64_t)((uint64_t)a << n);
            return true;
        }
        return n < 63 && !__builtin_mul_overflow(a, (int64_t)1 << n, out);
    }
    *out = xk_dtype_is_signed(dt) ? a >> n : (int64_t)((uint64_t)a >> n);
    return true;
}

static bool fold_compare(enum xk_op op, enum xk_dtype dt, int64_t a, int64_t b,
                         int64_t *out)
{
    const bool less =
        xk_dtype_is_signed(dt) ? a < b : (uint64_t)a < (uint64_t)b;
    switch (op) {
    case XK_OP_EQ:
        *out = a == b;
        return true;
    case XK_OP_NE:
        *out = a != b;
        return true;
    case XK_OP_LT:
        *out = less;
        return true;
    case XK_OP_LE:
        *out = less || a == b;
        return true;
    case XK_OP_GT:
        *out = !less && a != b;
        return true;
    case XK_OP_GE:
        *out = !less;
        return true;
    case XK_OP_MIN:
        *out = less ? a : b;
        return true;
    case XK_OP_MAX:
        *out = less ? b : a;
        return true;
    default:
        return false;
    }
}

static bool fold_add_mul(enum xk_op op, int64_t a, int64_t b, bool checked,
                         int64_t *out)
{
    bool overflow;
    if (op == XK_OP_ADD)
        overflow = __builtin_add_overflow(a, b, out);
    else if (op == XK_OP_SUB)
        overflow = __builtin_sub_overflow(a, b, out);
    else
        overflow = __builtin_mul_overflow(a, b, out);
    return !overflow || !checked;
}

static bool fold_div(enum xk_op op, enum xk_dtype dt, int64_t a, int64_t b,
                     int64_t *out)
{
    if (dt == XK_DT_U64 && b) {
        *out = (int64_t)(op == XK_OP_DIV ? (uint64_t)a / (uint64_t)b
                                         : (uint64_t)a % (uint64_t)b);
        return true;
    }
    if (a == INT64_MIN && b == -1)
        return false;
    *out = op == XK_OP_DIV ? xk_floor_div(a, b) : xk_floor_mod(a, b);
    return true;
}

/* The value before it is brought into the type. */
static bool fold_wide(enum xk_op op, enum xk_dtype dt, const int64_t *k,
                      int64_t *out)
{
    const bool checked = xk_dtype_nowrap(dt);
    int64_t t;
    switch (op) {
    case XK_OP_ADD:
    case XK_OP_SUB:
    case XK_OP_MUL:
        return fold_add_mul(op, k[0], k[1], checked, out);
    case XK_OP_DIV:
    case XK_OP_MOD:
        return fold_div(op, dt, k[0], k[1], out);
    case XK_OP_SHL:
    case XK_OP_SHR:
        return fold_shift(op, dt, k[0], k[1], out);
    case XK_OP_AND:
        *out = k[0] & k[1];
        return true;
    case XK_OP_OR:
        *out = k[0] | k[1];
        return true;
    case XK_OP_XOR:
        *out = k[0] ^ k[1];
        return true;
    case XK_OP_NOT:
        *out = dt == XK_DT_BOOL ? !k[0] : ~k[0];
        return true;
    case XK_OP_NEG:
        return fold_add_mul(XK_OP_SUB, 0, k[0], checked, out);
    case XK_OP_SELECT:
        *out = k[0] ? k[1] : k[2];
        return true;
    case XK_OP_MAD:
        return fold_add_mul(XK_OP_MUL, k[1], k[2], checked, &t) &&
               fold_add_mul(XK_OP_ADD, k[0], t, checked, out);
    case XK_OP_ADD3:
        return fold_add_mul(XK_OP_ADD, k[0], k[1], checked, &t) &&
               fold_add_mul(XK_OP_ADD, t, k[2], checked, out);
    default:
        return fold_compare(op, dt, k[0], k[1], out);
    }
}

bool xk_fold(enum xk_op op, enum xk_dtype dt, const int64_t *k, int64_t *out)
{
    int64_t v = 0;
    if (!fold_wide(op, dt, k, &v))
        return false;
    if (op >= XK_OP_EQ && op <= XK_OP_GE)
        dt = XK_DT_BOOL;
    *out = xk_imm_wrap(dt, v);
    return !xk_dtype_nowrap(dt) || *out == v;
}

enum xk_op xk_compare_swapped(enum xk_op op)
{
    switch (op) {
    case XK_OP_LT:
        return XK_OP_GT;
    case XK_OP_LE:
        return XK_OP_GE;
    case XK_OP_GT:
        return XK_OP_LT;
    case XK_OP_GE:
        return XK_OP_LE;
    default:
        return op;
    }
}
