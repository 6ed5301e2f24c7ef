/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of values while code is emitted: constants and ranges. A loop
 * variable is a constant in each expanded copy, or is known modulo the number
 * of slots. Short divisions and multiplications follow from this. */
#include "base/integer.h"
#include "codegen/cg.h"
#include "ir/fold.h"

#define MAX_FOLD_WORK 1000 /* nodes visited for one question */

struct xk_cg_var *xk_cg_lookup(struct xk_cg *g, const xk_expr *var)
{
    uint32_t at;
    if (xk_cg_map_get(&g->var_at, xk_var_id(var) + 1, &at) &&
        g->var[at].bind != XK_CG_UNBOUND)
        return &g->var[at];
    xk_fail(g->c, XK_EINTERNAL, "codegen: variable %s is not bound",
            xk_var_name(var));
    return NULL;
}

static struct xk_cg_range range_of_type(enum xk_dtype dt)
{
    switch (dt) {
    case XK_DT_BOOL:
        return (struct xk_cg_range){0, 1};
    case XK_DT_U8:
        return (struct xk_cg_range){0, UINT8_MAX};
    case XK_DT_S8:
        return (struct xk_cg_range){INT8_MIN, INT8_MAX};
    case XK_DT_U16:
        return (struct xk_cg_range){0, UINT16_MAX};
    case XK_DT_S16:
        return (struct xk_cg_range){INT16_MIN, INT16_MAX};
    case XK_DT_U32:
        return (struct xk_cg_range){0, UINT32_MAX};
    case XK_DT_S32:
        return (struct xk_cg_range){INT32_MIN, INT32_MAX};
    default:
        return (struct xk_cg_range){INT64_MIN, INT64_MAX};
    }
}

/* The variable's record, made at first use, unbound. NULL on failure. */
struct xk_cg_var *xk_cg_bind(struct xk_cg *g, const xk_expr *var)
{
    uint32_t at;
    if (!xk_cg_map_get(&g->var_at, xk_var_id(var) + 1, &at)) {
        at = g->n_vars;
        if (!xk_grow(g->c, &g->var, at, &g->cap_vars, sizeof *g->var) ||
            !xk_cg_map_put(g->c, &g->var_at, xk_var_id(var) + 1, at))
            return NULL;
        g->n_vars++;
    }
    g->var[at] = (struct xk_cg_var){.mod = 1,
                                    .range = range_of_type(xk_type_of(var).dt)};
    return &g->var[at];
}

/* Whether a sum of this type is the sum of its operands, modulo m. A sum that
 * wraps loses a multiple of 2^bits. */
static bool keeps_residue(enum xk_dtype dt, int64_t m)
{
    return dt == XK_DT_S32 || dt == XK_DT_S64 || (m & (m - 1)) == 0;
}

static bool residue(struct xk_cg *g, const xk_expr *e, int64_t m, int64_t *r);

/* The same of e, a quotient or a rest: a number that is r modulo m * d is
 * r / d modulo m after a division by d. */
static bool residue_divided(struct xk_cg *g, const xk_expr *e, int64_t m,
                            int64_t *r)
{
    const xk_expr *const by = xk_kid(e, 1);
    const int64_t d = xk_op(by) == XK_OP_IMM ? xk_imm_value(by) : 0;
    int64_t all;
    if (xk_op(e) == XK_OP_MOD)
        return d > 0 && d % m == 0 && residue(g, xk_kid(e, 0), m, r);
    if (d <= 0 || __builtin_mul_overflow(m, d, &all) ||
        !residue(g, xk_kid(e, 0), all, r))
        return false;
    *r /= d;
    return true;
}

/* e modulo m, as far as it is known. */
static bool residue(struct xk_cg *g, const xk_expr *e, int64_t m, int64_t *r)
{
    int64_t a, k[2];
    if (g->fold_work++ > MAX_FOLD_WORK)
        return false;
    if (xk_op(e) == XK_OP_IMM)
        a = xk_imm_value(e);
    else if (xk_op(e) == XK_OP_VAR) {
        const struct xk_cg_var *const v = xk_cg_lookup(g, e);
        if (!v || v->bind != XK_CG_VALUE)
            return false;
        if (v->val.kind == XK_CG_IMM)
            a = v->val.imm;
        else if (v->mod > 1 && v->mod % m == 0)
            a = v->res;
        else
            return false;
    } else if (xk_op(e) == XK_OP_ADD || xk_op(e) == XK_OP_SUB ||
               xk_op(e) == XK_OP_MUL) {
        if (!keeps_residue((enum xk_dtype)xk_type_of(e).dt, m) ||
            !residue(g, xk_kid(e, 0), m, &k[0]) ||
            !residue(g, xk_kid(e, 1), m, &k[1]) ||
            !xk_fold(xk_op(e), XK_DT_S64, k, &a))
            return false;
    } else if (xk_op(e) == XK_OP_DIV || xk_op(e) == XK_OP_MOD) {
        return residue_divided(g, e, m, r);
    } else
        return false;
    *r = xk_floor_mod(a, m);
    return true;
}

static bool const_var(struct xk_cg *g, const xk_expr *e, int64_t *v)
{
    const struct xk_cg_var *const var = xk_cg_lookup(g, e);
    if (!var || var->bind != XK_CG_VALUE || var->val.kind != XK_CG_IMM ||
        xk_dtype_is_float(var->val.dt))
        return false;
    *v = var->val.imm;
    return true;
}

static bool fold_const(struct xk_cg *g, const xk_expr *e, int64_t *v);

/* One of the two conditions may decide. */
static bool fold_logic(struct xk_cg *g, const xk_expr *e, int64_t *v)
{
    const bool decides = xk_op(e) == XK_OP_OR;
    bool both = true;
    for (unsigned i = 0; i < 2; i++) {
        const bool known = fold_const(g, xk_kid(e, i), v);
        if (known && (*v != 0) == decides)
            return true;
        both &= known;
    }
    *v = !decides;
    return both;
}

static bool fold_const(struct xk_cg *g, const xk_expr *e, int64_t *v)
{
    int64_t k[3];
    const struct xk_type t = xk_type_of(e);
    if (xk_dtype_is_float(t.dt) || g->fold_work++ > MAX_FOLD_WORK)
        return false;
    switch (xk_op(e)) {
    case XK_OP_IMM:
        *v = xk_imm_value(e);
        return true;
    case XK_OP_VAR:
        return t.space == XK_SPACE_NONE && const_var(g, e, v);
    case XK_OP_BCAST:
        return fold_const(g, xk_kid(e, 0), v);
    case XK_OP_CAST:
        if (xk_dtype_is_float(xk_type_of(xk_kid(e, 0)).dt) ||
            !fold_const(g, xk_kid(e, 0), &k[0]))
            return false;
        *v = xk_imm_wrap(t.dt, k[0]);
        return true;
    case XK_OP_MOD:
        if (t.dt != XK_DT_U64 && fold_const(g, xk_kid(e, 1), &k[1]) &&
            k[1] > 0 && residue(g, xk_kid(e, 0), k[1], v))
            return true;
        break;
    case XK_OP_AND:
    case XK_OP_OR:
        if (t.dt == XK_DT_BOOL)
            return fold_logic(g, e, v);
        break;
    case XK_OP_SELECT:
        return fold_const(g, xk_kid(e, 0), &k[0]) &&
               fold_const(g, xk_kid(e, k[0] ? 1 : 2), v);
    default:
        break;
    }
    const unsigned n = xk_n_kids(e);
    if (n != 2 && n != 3)
        return false;
    for (unsigned i = 0; i < n; i++)
        if (!fold_const(g, xk_kid(e, i), &k[i]))
            return false;
    return xk_fold(xk_op(e), (enum xk_dtype)xk_type_of(xk_kid(e, 0)).dt, k, v);
}

/* The value of e, if it is constant here and found with bounded effort: offsets
 * are small trees. */
bool xk_cg_const(struct xk_cg *g, const xk_expr *e, int64_t *v)
{
    g->fold_work = 0;
    return fold_const(g, e, v);
}

static int64_t min4(int64_t a, int64_t b, int64_t c, int64_t d)
{
    return xk_smaller(xk_smaller(a, b), xk_smaller(c, d));
}

/* The product of two numbers of 32 bits. A product that int64_t does not hold
 * becomes as large as int64_t can be: it fits no type of theirs. */
static int64_t times_32(int64_t a, int64_t b)
{
    int64_t v;
    if (!__builtin_mul_overflow(a, b, &v))
        return v;
    return (a < 0) != (b < 0) ? -INT64_MAX : INT64_MAX;
}

static struct xk_cg_range mul_range(struct xk_cg_range a, struct xk_cg_range b)
{
    const int64_t p = times_32(a.lo, b.lo), q = times_32(a.lo, b.hi);
    const int64_t r = times_32(a.hi, b.lo), s = times_32(a.hi, b.hi);
    return (struct xk_cg_range){min4(p, q, r, s), -min4(-p, -q, -r, -s)};
}

/* Operands lie within 33 bits, so nothing but a product overflows int64. */
static struct xk_cg_range range2(enum xk_op op, struct xk_cg_range a,
                                 struct xk_cg_range b, struct xk_cg_range full)
{
    switch (op) {
    case XK_OP_ADD:
        return (struct xk_cg_range){a.lo + b.lo, a.hi + b.hi};
    case XK_OP_SUB:
        return (struct xk_cg_range){a.lo - b.hi, a.hi - b.lo};
    case XK_OP_MUL:
        return mul_range(a, b);
    case XK_OP_MIN:
        return (struct xk_cg_range){a.lo < b.lo ? a.lo : b.lo,
                                    a.hi < b.hi ? a.hi : b.hi};
    case XK_OP_MAX:
        return (struct xk_cg_range){a.lo > b.lo ? a.lo : b.lo,
                                    a.hi > b.hi ? a.hi : b.hi};
    case XK_OP_DIV:
        return b.lo == b.hi && b.lo > 0
                   ? (struct xk_cg_range){xk_floor_div(a.lo, b.lo),
                                          xk_floor_div(a.hi, b.lo)}
                   : full;
    case XK_OP_MOD:
        if (b.lo != b.hi || b.lo <= 0)
            return full;
        return a.lo >= 0 && a.hi < b.lo ? a : (struct xk_cg_range){0, b.lo - 1};
    case XK_OP_AND:
        if (a.lo >= 0 && (b.lo < 0 || a.hi < b.hi))
            return (struct xk_cg_range){0, a.hi};
        return b.lo >= 0 ? (struct xk_cg_range){0, b.hi} : full;
    case XK_OP_SHR:
        return b.lo == b.hi && b.lo >= 0 && b.lo < 32
                   ? (struct xk_cg_range){a.lo >> b.lo, a.hi >> b.lo}
                   : full;
    case XK_OP_SHL:
        return b.lo == b.hi && b.lo >= 0 && b.lo < 30
                   ? (struct xk_cg_range){a.lo * (1 << b.lo),
                                          a.hi * (1 << b.lo)}
                   : full;
    default:
        return full;
    }
}

static struct xk_cg_range range_node(struct xk_cg *g, const xk_expr *e,
                                     struct xk_cg_range full)
{
    struct xk_cg_range a, b;
    const struct xk_cg_var *v;
    switch (xk_op(e)) {
    case XK_OP_IMM:
        return (struct xk_cg_range){xk_imm_value(e), xk_imm_value(e)};
    case XK_OP_VAR:
        v = xk_cg_lookup(g, e);
        return v ? v->range : full;
    case XK_OP_BCAST:
    case XK_OP_SHUFFLE:
    case XK_OP_CAST:
        if (xk_dtype_is_float(xk_type_of(xk_kid(e, 0)).dt))
            return full;
        return xk_cg_range_of(g, xk_kid(e, 0));
    case XK_OP_RAMP:
        a = xk_cg_range_of(g, xk_kid(e, 0));
        b = xk_cg_range_of(g, xk_kid(e, 1));
        b = mul_range(b, (struct xk_cg_range){0, xk_type_of(e).lanes - 1});
        return range2(XK_OP_ADD, a, b, full);
    case XK_OP_SELECT:
        a = xk_cg_range_of(g, xk_kid(e, 1));
        b = xk_cg_range_of(g, xk_kid(e, 2));
        return (struct xk_cg_range){a.lo < b.lo ? a.lo : b.lo,
                                    a.hi > b.hi ? a.hi : b.hi};
    case XK_OP_ADD3:
    case XK_OP_MAD:
        a = xk_cg_range_of(g, xk_kid(e, 1));
        b = xk_cg_range_of(g, xk_kid(e, 2));
        a = range2(xk_op(e) == XK_OP_MAD ? XK_OP_MUL : XK_OP_ADD, a, b, full);
        b = xk_cg_range_of(g, xk_kid(e, 0));
        return a.lo < -((int64_t)1 << 40) || a.hi > (int64_t)1 << 40
                   ? full
                   : range2(XK_OP_ADD, a, b, full);
    default:
        if (xk_n_kids(e) != 2)
            return full;
        a = xk_cg_range_of(g, xk_kid(e, 0));
        b = xk_cg_range_of(g, xk_kid(e, 1));
        return range2(xk_op(e), a, b, full);
    }
}

/* The range of an integer of up to 32 bits; wider ones, bool and float have
 * none. A value that might not fit its type may have wrapped, so nothing is
 * known of it. */
struct xk_cg_range xk_cg_range_of(struct xk_cg *g, const xk_expr *e)
{
    const struct xk_type t = xk_type_of(e);
    const struct xk_cg_range full = range_of_type(t.dt);
    uint32_t at;
    if (!xk_dtype_is_int(t.dt) || xk_dtype_b(t.dt) > 4)
        return (struct xk_cg_range){INT32_MIN, UINT32_MAX};
    if (xk_cg_map_get(&g->range_at, xk_serial(e), &at))
        return g->range[at];
    struct xk_cg_range r = range_node(g, e, full);
    if (r.lo < full.lo || r.hi > full.hi)
        r = full;
    if (xk_grow(g->c, &g->range, g->n_ranges, &g->cap_ranges,
                sizeof *g->range) &&
        xk_cg_map_put(g->c, &g->range_at, xk_serial(e), g->n_ranges))
        g->range[g->n_ranges++] = r;
    return r;
}
