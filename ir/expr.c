/* SPDX-License-Identifier: Apache-2.0 */
/* Expression builders. Each checks its operands' types, so a node that exists
 * is well typed; everything beyond one node is the verifier's business. */
#include "ir/expr.h"

#include <string.h>

#include "base/half.h"
#include "base/text.h"

static const struct op_row {
    const char *text;
    int8_t n_kids;
    uint8_t flags;
} op_rows[XK_N_OPS] = {
#define XK_EXPR(id, text, n_kids, flags) [XK_OP_##id] = {text, n_kids, flags},
#include "ir/expr.def"
#undef XK_EXPR
#define XK_STMT(id, text, n_kids) [XK_OP_##id] = {text, n_kids, 0},
#include "ir/stmt.def"
#undef XK_STMT
};

const char *xk_op_text(enum xk_op op)
{
    return (unsigned)op < XK_N_OPS ? op_rows[op].text : "?";
}

unsigned xk_op_flags(enum xk_op op)
{
    return (unsigned)op < XK_N_OPS ? op_rows[op].flags : 0;
}

int xk_op_n_kids(enum xk_op op)
{
    return (unsigned)op < XK_N_OPS ? op_rows[op].n_kids : 0;
}

static uint32_t type_text_of(struct xk_type t)
{
    return t.dt | (uint32_t)t.space << 8 | (uint32_t)t.lanes << 16;
}

static unsigned var_traits(struct xk_type t)
{
    if (t.space || xk_dtype_is_float((enum xk_dtype)t.dt))
        return 0;
    return t.dt == XK_DT_BOOL ? XK_HAS_COUNT | XK_HAS_FLAG : XK_HAS_COUNT;
}

unsigned xk_own_traits(enum xk_op op, struct xk_type t)
{
    switch (op) {
    case XK_OP_VAR:
        return var_traits(t);
    case XK_OP_IMM:
    case XK_OP_FIMM:
    case XK_OP_BCAST:
        return 0;
    case XK_OP_ADD:
    case XK_OP_SUB:
        return xk_dtype_is_float((enum xk_dtype)t.dt)
                   ? XK_HAS_MATH
                   : XK_HAS_MATH | XK_HAS_SUM;
    case XK_OP_MUL:
        return XK_HAS_MATH | XK_HAS_PRODUCT;
    default:
        return XK_HAS_MATH;
    }
}

static const xk_expr *make_expr(xk_ctx *c, enum xk_op op, struct xk_type t,
                                const xk_expr *const *kids, unsigned n)
{
    const struct xk_node_desc d = {.op = (uint8_t)op,
                                   .intern = true,
                                   .traits = xk_own_traits(op, t),
                                   .type = type_text_of(t),
                                   .n_kids = n,
                                   .kids = kids};
    return xk_pool_make(c, &d);
}

static const xk_expr *make_leaf(xk_ctx *c, enum xk_op op, struct xk_type t,
                                const void *payload, size_t n_b)
{
    const struct xk_node_desc d = {.op = (uint8_t)op,
                                   .intern = true,
                                   .traits = xk_own_traits(op, t),
                                   .type = type_text_of(t),
                                   .payload = payload,
                                   .payload_b = (uint16_t)n_b};
    return xk_pool_make(c, &d);
}

static const char *type_text(const xk_expr *e, char out[24])
{
    static const char *const spaces[] = {"?", "ptr.global", "ptr.slm",
                                         "ptr.grf"};
    const struct xk_type t = xk_type_of(e);
    if (t.space)
        return t.space < XK_COUNTOF(spaces) ? spaces[t.space] : "?";
    const char *const dt = xk_dtype_name((enum xk_dtype)t.dt);
    size_t n = strlen(dt);
    memcpy(out, dt, n);
    if (t.lanes != 1) {
        char digits[8];
        unsigned n_digits = 0, v = t.lanes;
        do {
            digits[n_digits++] = (char)('0' + v % 10);
            v /= 10;
        } while (v);
        out[n++] = 'x';
        while (n_digits)
            out[n++] = digits[--n_digits];
    }
    out[n] = 0;
    return out;
}

/* Records "op: what (types)" and returns NULL. */
static const xk_expr *bad_types(xk_ctx *c, enum xk_op op, const char *what,
                                const xk_expr *a, const xk_expr *b)
{
    char ta[24], tb[24];
    xk_fail(c, XK_EINVAL, "ir: %s: %s (operands %s%s%s)", xk_op_text(op), what,
            a ? type_text(a, ta) : "none", b ? ", " : "",
            b ? type_text(b, tb) : "");
    return NULL;
}

struct var_payload {
    uint32_t id;
    char name[44];
};

/* Names are identifiers, so that text parses back. */
static void clean_name(char *out, size_t cap, const char *name)
{
    size_t n = 0;
    if (!name || !*name)
        name = "v";
    if (xk_is_digit(*name))
        out[n++] = '_';
    for (; *name && n < cap - 2; name++)
        out[n++] = xk_is_name_char(*name) ? *name : '_';
    out[n] = 0;
    if (!strcmp(out, "true") || !strcmp(out, "false"))
        out[n] = '_';
}

const xk_expr *xk_var(xk_ctx *c, struct xk_type type, const char *name)
{
    struct var_payload p;
    if (!type.lanes || (!type.space && (!type.dt || type.dt >= XK_N_DTYPES)) ||
        (type.space && (type.dt || type.lanes != 1))) {
        xk_fail(c, XK_EINVAL, "ir: var %s: type %u.%u.%u is not a type",
                name ? name : "", type.dt, type.space, type.lanes);
        return NULL;
    }
    memset(&p, 0, sizeof(p));
    p.id = c->next_var_id++;
    clean_name(p.name, sizeof(p.name), name);
    const size_t n_b = offsetof(struct var_payload, name) + strlen(p.name) + 1;
    return make_leaf(c, XK_OP_VAR, type, &p, n_b);
}

int64_t xk_imm_wrap(enum xk_dtype dt, int64_t v)
{
    switch (dt) {
    case XK_DT_BOOL:
        return v != 0;
    case XK_DT_U8:
        return (uint8_t)v;
    case XK_DT_S8:
        return (int8_t)v;
    case XK_DT_U16:
        return (uint16_t)v;
    case XK_DT_S16:
        return (int16_t)v;
    case XK_DT_U32:
        return (uint32_t)v;
    case XK_DT_S32:
        return (int32_t)v;
    default:
        return v;
    }
}

const xk_expr *xk_imm(xk_ctx *c, enum xk_dtype dt, int64_t value)
{
    if (xk_dtype_is_float(dt))
        return xk_fimm(c, dt, (double)value);
    if (dt != XK_DT_BOOL && !xk_dtype_is_int(dt)) {
        xk_fail(c, XK_EINVAL, "ir: imm: %u is not an integer type", dt);
        return NULL;
    }
    const int64_t v = xk_imm_wrap(dt, value);
    return make_leaf(c, XK_OP_IMM, xk_type_vec(dt, 1), &v, sizeof(v));
}

double xk_fimm_round(enum xk_dtype dt, double v)
{
    if (dt == XK_DT_F32)
        return (float)v;
    if (dt == XK_DT_F16)
        return xk_half_to_float(xk_half_from_float((float)v));
    if (dt == XK_DT_BF16)
        return xk_bf16_to_float(xk_bf16_from_float((float)v));
    return v;
}

const xk_expr *xk_fimm(xk_ctx *c, enum xk_dtype dt, double value)
{
    if (!xk_dtype_is_float(dt)) {
        xk_fail(c, XK_EINVAL, "ir: fimm: %s is not a float type",
                xk_dtype_name(dt));
        return NULL;
    }
    value = xk_fimm_round(dt, value);
    return make_leaf(c, XK_OP_FIMM, xk_type_vec(dt, 1), &value, sizeof(value));
}

static const struct var_payload *var_payload(const xk_expr *e)
{
    XK_ASSERT(xk_op(e) == XK_OP_VAR);
    return xk_pool_payload(e);
}

const char *xk_var_name(const xk_expr *e)
{
    return var_payload(e)->name;
}

double xk_fimm_value(const xk_expr *e)
{
    XK_ASSERT(xk_op(e) == XK_OP_FIMM);
    return *(const double *)xk_pool_payload(e);
}

/* Which element types an operator takes. */
enum domain { D_NONE, D_NUMBER, D_INT, D_BITS, D_F32, D_ANY };

static enum domain domain_of(enum xk_op op)
{
    switch (op) {
    case XK_OP_ADD:
    case XK_OP_SUB:
    case XK_OP_MUL:
    case XK_OP_DIV:
    case XK_OP_MIN:
    case XK_OP_MAX:
    case XK_OP_NEG:
    case XK_OP_MAD:
    case XK_OP_ADD3:
    case XK_OP_LT:
    case XK_OP_LE:
    case XK_OP_GT:
    case XK_OP_GE:
        return D_NUMBER;
    case XK_OP_MOD:
    case XK_OP_SHL:
    case XK_OP_SHR:
        return D_INT;
    case XK_OP_AND:
    case XK_OP_OR:
    case XK_OP_XOR:
    case XK_OP_NOT:
        return D_BITS;
    case XK_OP_EXP2:
    case XK_OP_LOG2:
    case XK_OP_INV:
    case XK_OP_SQRT:
    case XK_OP_RINT:
        return D_F32;
    case XK_OP_EQ:
    case XK_OP_NE:
    case XK_OP_SELECT:
        return D_ANY;
    default:
        return D_NONE;
    }
}

static bool in_domain(enum domain d, struct xk_type t)
{
    const enum xk_dtype dt = (enum xk_dtype)t.dt;
    if (t.space || !dt)
        return false;
    switch (d) {
    case D_NONE:
        return false;
    case D_NUMBER:
        return dt != XK_DT_BOOL;
    case D_INT:
        return xk_dtype_is_int(dt);
    case D_BITS:
        return dt == XK_DT_BOOL || xk_dtype_is_int(dt);
    case D_F32:
        return dt == XK_DT_F32;
    case D_ANY:
        return true;
    }
    return false;
}

static const xk_expr *to_lanes(xk_ctx *c, const xk_expr *e, unsigned lanes)
{
    return e && xk_type_of(e).lanes == 1 ? xk_bcast(c, e, lanes) : e;
}

static unsigned max_lanes(const xk_expr *a, const xk_expr *b)
{
    const unsigned la = xk_type_of(a).lanes, lb = xk_type_of(b).lanes;
    return la > lb ? la : lb;
}

const xk_expr *xk_bin(xk_ctx *c, enum xk_op op, const xk_expr *a,
                      const xk_expr *b)
{
    if (!a || !b)
        return NULL;
    if (a->type != b->type) {
        const unsigned lanes = max_lanes(a, b);
        a = to_lanes(c, a, lanes);
        b = to_lanes(c, b, lanes);
        if (!a || !b)
            return NULL;
    }
    if (xk_op_n_kids(op) != 2 || domain_of(op) == D_NONE)
        return bad_types(c, op, "is not a binary operator", a, b);
    if (a->type != b->type)
        return bad_types(c, op, "operand types differ", a, b);
    struct xk_type t = xk_type_of(a);
    if (!in_domain(domain_of(op), t))
        return bad_types(c, op, "not for this type", a, b);
    if (xk_op_is_compare(op))
        t.dt = XK_DT_BOOL;
    const xk_expr *const kids[] = {a, b};
    return make_expr(c, op, t, kids, 2);
}

const xk_expr *xk_bin_imm(xk_ctx *c, enum xk_op op, const xk_expr *a, int64_t b)
{
    if (!a)
        return NULL;
    return xk_bin(c, op, a, xk_imm(c, (enum xk_dtype)xk_type_of(a).dt, b));
}

const xk_expr *xk_un(xk_ctx *c, enum xk_op op, const xk_expr *a)
{
    if (!a)
        return NULL;
    if (op != XK_OP_NEG && op != XK_OP_NOT && domain_of(op) != D_F32)
        return bad_types(c, op, "is not a unary operator", a, NULL);
    if (!in_domain(domain_of(op), xk_type_of(a)))
        return bad_types(c, op, "not for this type", a, NULL);
    return make_expr(c, op, xk_type_of(a), &a, 1);
}

const xk_expr *xk_ternary(xk_ctx *c, enum xk_op op, const xk_expr *a,
                          const xk_expr *b, const xk_expr *d)
{
    if (op == XK_OP_SELECT)
        return xk_select(c, a, b, d);
    if (!a || !b || !d)
        return NULL;
    if (op != XK_OP_MAD && op != XK_OP_ADD3)
        return bad_types(c, op, "is not a ternary operator", a, b);
    if (a->type != b->type || a->type != d->type) {
        const unsigned ab = max_lanes(a, b), ad = max_lanes(a, d);
        const unsigned lanes = ab > ad ? ab : ad;
        a = to_lanes(c, a, lanes);
        b = to_lanes(c, b, lanes);
        d = to_lanes(c, d, lanes);
        if (!a || !b || !d)
            return NULL;
    }
    if (a->type != b->type || a->type != d->type)
        return bad_types(c, op, "operand types differ", a,
                         a->type != b->type ? b : d);
    if (!in_domain(domain_of(op), xk_type_of(a)))
        return bad_types(c, op, "not for this type", a, NULL);
    const xk_expr *const kids[] = {a, b, d};
    return make_expr(c, op, xk_type_of(a), kids, 3);
}

const xk_expr *xk_select(xk_ctx *c, const xk_expr *cond, const xk_expr *t,
                         const xk_expr *f)
{
    if (!cond || !t || !f)
        return NULL;
    const unsigned ct = max_lanes(cond, t), cf = max_lanes(cond, f);
    const unsigned lanes = ct > cf ? ct : cf;
    cond = to_lanes(c, cond, lanes);
    t = to_lanes(c, t, lanes);
    f = to_lanes(c, f, lanes);
    if (!cond || !t || !f)
        return NULL;
    if (t->type != f->type || !in_domain(D_ANY, xk_type_of(t)))
        return bad_types(c, XK_OP_SELECT, "both values need one type", t, f);
    if (!xk_type_eq(xk_type_of(cond),
                    xk_type_vec(XK_DT_BOOL, xk_type_of(t).lanes)))
        return bad_types(c, XK_OP_SELECT, "condition must be bool", cond, t);
    const xk_expr *const kids[] = {cond, t, f};
    return make_expr(c, XK_OP_SELECT, xk_type_of(t), kids, 3);
}

/* Whether a buffer's address can be had as dt. Registers have none. */
static bool is_address(const xk_expr *a, enum xk_dtype dt)
{
    const unsigned space = xk_type_of(a).space;
    return xk_op(a) == XK_OP_VAR && space != XK_SPACE_GRF &&
           (dt == XK_DT_U64 || dt == XK_DT_U32);
}

const xk_expr *xk_cast(xk_ctx *c, enum xk_dtype dt, const xk_expr *a)
{
    if (!a)
        return NULL;
    if (dt == XK_DT_UNDEF || dt >= XK_N_DTYPES)
        return bad_types(c, XK_OP_CAST, "no such type", a, NULL);
    if (xk_type_of(a).space && !is_address(a, dt))
        return bad_types(c, XK_OP_CAST, "a pointer only becomes u64 or u32", a,
                         NULL);
    if (xk_type_of(a).dt == dt)
        return a;
    const struct xk_type t = xk_type_vec(dt, xk_type_of(a).lanes);
    return make_expr(c, XK_OP_CAST, t, &a, 1);
}

const xk_expr *xk_bits(xk_ctx *c, enum xk_dtype dt, const xk_expr *a)
{
    if (!a)
        return NULL;
    const struct xk_type t = xk_type_of(a);
    const unsigned size_b = xk_dtype_b((enum xk_dtype)t.dt);
    if (t.space || !size_b || xk_dtype_b(dt) != size_b)
        return bad_types(c, XK_OP_BITS, "needs a value of the same size", a,
                         NULL);
    if (t.dt == dt)
        return a;
    return make_expr(c, XK_OP_BITS, xk_type_vec(dt, t.lanes), &a, 1);
}

const xk_expr *xk_ramp(xk_ctx *c, const xk_expr *base, const xk_expr *stride,
                       unsigned lanes)
{
    if (!base || !stride)
        return NULL;
    const struct xk_type t = xk_type_of(base);
    if (lanes < 2 || lanes > UINT16_MAX)
        return bad_types(c, XK_OP_RAMP, "needs 2..65535 lanes", base, stride);
    if (base->type != stride->type || t.lanes != 1 || !in_domain(D_INT, t))
        return bad_types(c, XK_OP_RAMP, "needs two integer scalars of one type",
                         base, stride);
    const xk_expr *const kids[] = {base, stride};
    return make_expr(c, XK_OP_RAMP, xk_type_vec((enum xk_dtype)t.dt, lanes),
                     kids, 2);
}

const xk_expr *xk_bcast(xk_ctx *c, const xk_expr *a, unsigned lanes)
{
    if (!a)
        return NULL;
    const struct xk_type t = xk_type_of(a);
    if (t.space || t.lanes != 1 || !xk_is_expr(a))
        return bad_types(c, XK_OP_BCAST, "needs a scalar value", a, NULL);
    if (lanes < 1 || lanes > UINT16_MAX)
        return bad_types(c, XK_OP_BCAST, "needs 1..65535 lanes", a, NULL);
    if (lanes == 1)
        return a;
    return make_expr(c, XK_OP_BCAST, xk_type_vec((enum xk_dtype)t.dt, lanes),
                     &a, 1);
}

const xk_expr *xk_shuffle(xk_ctx *c, const xk_expr *a, const uint16_t *index,
                          unsigned n)
{
    if (!a)
        return NULL;
    const struct xk_type t = xk_type_of(a);
    if (t.space || !xk_is_expr(a))
        return bad_types(c, XK_OP_SHUFFLE, "needs a value", a, NULL);
    if (n < 1 || n > 1024)
        return bad_types(c, XK_OP_SHUFFLE, "needs 1..1024 lanes", a, NULL);
    for (unsigned i = 0; i < n; i++) {
        if (index[i] >= t.lanes)
            return bad_types(c, XK_OP_SHUFFLE, "lane index too large", a, NULL);
    }
    const struct xk_node_desc d = {
        .op = XK_OP_SHUFFLE,
        .intern = true,
        .traits = XK_HAS_MATH,
        .type = type_text_of(xk_type_vec((enum xk_dtype)t.dt, n)),
        .n_kids = 1,
        .kids = &a,
        .payload = index,
        .payload_b = (uint16_t)(n * sizeof(*index)),
    };
    return xk_pool_make(c, &d);
}

unsigned xk_shuffle_index(const xk_expr *e, unsigned lane)
{
    XK_ASSERT(xk_op(e) == XK_OP_SHUFFLE && lane < xk_type_of(e).lanes);
    return ((const uint16_t *)xk_pool_payload(e))[lane];
}

const xk_expr *xk_ptr(xk_ctx *c, const xk_expr *buf, const xk_expr *off)
{
    if (!buf || !off)
        return NULL;
    if (xk_op(buf) != XK_OP_VAR || !xk_type_of(buf).space)
        return bad_types(c, XK_OP_PTR, "needs a buffer variable", buf, off);
    if (!in_domain(D_INT, xk_type_of(off)) || xk_type_of(off).lanes != 1)
        return bad_types(c, XK_OP_PTR, "offset must be an integer scalar", buf,
                         off);
    const xk_expr *const kids[] = {buf, off};
    const struct xk_node_desc d = {
        .op = XK_OP_PTR,
        .intern = true,
        .opaque = true,
        .traits = xk_op(off) == XK_OP_IMM ? 0 : XK_HAS_INDEX,
        .type = type_text_of(xk_type_of(buf)),
        .n_kids = 2,
        .kids = kids,
    };
    return xk_pool_make(c, &d);
}

static int cmp_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static bool is_leaf_const(const xk_expr *e)
{
    if (xk_op(e) == XK_OP_BCAST)
        e = xk_kid(e, 0);
    return xk_op(e) == XK_OP_IMM || xk_op(e) == XK_OP_FIMM;
}

static int cmp_payload(const xk_expr *a, const xk_expr *b)
{
    if (xk_op(a) == XK_OP_VAR) {
        const int by_name = strcmp(xk_var_name(a), xk_var_name(b));
        return by_name ? by_name : cmp_i64(xk_var_id(a), xk_var_id(b));
    }
    if (xk_op(a) == XK_OP_IMM)
        return cmp_i64(xk_imm_value(a), xk_imm_value(b));
    if (a->payload_b != b->payload_b)
        return cmp_i64(a->payload_b, b->payload_b);
    return memcmp(xk_pool_payload(a), xk_pool_payload(b), a->payload_b);
}

int xk_expr_cmp(const xk_expr *a, const xk_expr *b)
{
    if (a == b)
        return 0;
    const int by_const = is_leaf_const(a) - is_leaf_const(b);
    if (by_const)
        return by_const;
    if (a->op != b->op)
        return cmp_i64(a->op, b->op);
    for (unsigned i = 0; i < a->n_kids && i < b->n_kids; i++) {
        const int by_kid = xk_expr_cmp(a->kid[i], b->kid[i]);
        if (by_kid)
            return by_kid;
    }
    if (a->n_kids != b->n_kids)
        return cmp_i64(a->n_kids, b->n_kids);
    const int by_payload = cmp_payload(a, b);
    return by_payload ? by_payload : cmp_i64(a->type, b->type);
}
