/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/ir_interp_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"

__attribute__((format(printf, 2, 3))) void xk_interp_fault(struct interp *s,
                                                           const char *fmt, ...)
{
    va_list ap;
    if (s->fault)
        return;
    s->fault = true;
    va_start(ap, fmt);
    vsnprintf(s->report->message, sizeof(s->report->message), fmt, ap);
    va_end(ap);
}

/* Memory. */

static bool inside(struct interp *s, const struct place *p, int64_t n_b,
                   const char *what)
{
    if (s->fault || !p->region)
        return false;
    if (p->off_b >= 0 && n_b <= p->region->size_b &&
        p->off_b <= p->region->size_b - n_b)
        return true;
    xk_interp_fault(
        s, "%s: bytes [%" PRId64 ", %" PRId64 ") of %s, which has %" PRId64,
        what, p->off_b, p->off_b + n_b, p->region->name, p->region->size_b);
    return false;
}

static bool read_bytes(struct interp *s, const struct place *p, void *out,
                       int64_t n_b, const char *what)
{
    memset(out, 0, (size_t)n_b);
    if (!inside(s, p, n_b, what))
        return false;
    const struct region *const r = p->region;
    for (int64_t i = 0; r->written && !s->args->uninit_ok && i < n_b; i++) {
        if (r->written[p->off_b + i])
            continue;
        xk_interp_fault(s, "%s: byte %" PRId64 " of %s was never written", what,
                        p->off_b + i, r->name);
        return false;
    }
    memcpy(out, r->data + p->off_b, (size_t)n_b);
    return true;
}

static void write_bytes(struct interp *s, const struct place *p, const void *in,
                        int64_t n_b, const char *what)
{
    if (!inside(s, p, n_b, what))
        return;
    memcpy(p->region->data + p->off_b, in, (size_t)n_b);
    if (p->region->written)
        memset(p->region->written + p->off_b, 1, (size_t)n_b);
}

static int64_t sign_extend(uint64_t bits, enum xk_dtype dt)
{
    return xk_imm_wrap(dt, (int64_t)bits);
}

static union lane decode(enum xk_dtype dt, const uint8_t *in)
{
    union lane v = {0};
    uint64_t bits = 0;
    float f;
    memcpy(&bits, in, xk_dtype_b(dt));
    switch (dt) {
    case XK_DT_F64:
        memcpy(&v.f, &bits, 8);
        return v;
    case XK_DT_F32:
        memcpy(&f, in, 4);
        v.f = (double)f;
        return v;
    case XK_DT_F16:
        v.f = (double)xk_half_to_float((uint16_t)bits);
        return v;
    case XK_DT_BF16:
        v.f = (double)xk_bf16_to_float((uint16_t)bits);
        return v;
    default:
        v.i = sign_extend(bits, dt);
        return v;
    }
}

static void encode(enum xk_dtype dt, union lane v, uint8_t *out)
{
    const float f = xk_dtype_is_float(dt) ? (float)v.f : 0;
    uint16_t h;
    switch (dt) {
    case XK_DT_F64:
        memcpy(out, &v.f, 8);
        return;
    case XK_DT_F32:
        memcpy(out, &f, 4);
        return;
    case XK_DT_F16:
        h = xk_half_from_float(f);
        memcpy(out, &h, 2);
        return;
    case XK_DT_BF16:
        h = xk_bf16_from_float(f);
        memcpy(out, &h, 2);
        return;
    default:
        memcpy(out, &v.i, xk_dtype_b(dt));
        return;
    }
}

/* Rounds to what the type holds. */
union lane xk_interp_fit(enum xk_dtype dt, union lane v)
{
    if (!xk_dtype_is_float(dt))
        v.i = xk_imm_wrap(dt, v.i);
    else if (dt == XK_DT_F32)
        v.f = (double)(float)v.f;
    else if (dt == XK_DT_F16)
        v.f = (double)xk_half_to_float(xk_half_from_float((float)v.f));
    else if (dt == XK_DT_BF16)
        v.f = (double)xk_bf16_to_float(xk_bf16_from_float((float)v.f));
    return v;
}

union lane xk_interp_read_lane(struct interp *s, struct place p, int64_t index,
                               enum xk_dtype dt, const char *what)
{
    uint8_t bytes[8];
    p.off_b += index * xk_dtype_b(dt);
    read_bytes(s, &p, bytes, xk_dtype_b(dt), what);
    return decode(dt, bytes);
}

void xk_interp_write_lane(struct interp *s, struct place p, int64_t index,
                          enum xk_dtype dt, union lane v, const char *what)
{
    uint8_t bytes[8];
    encode(dt, v, bytes);
    p.off_b += index * xk_dtype_b(dt);
    write_bytes(s, &p, bytes, xk_dtype_b(dt), what);
}

/* Expressions. */

struct slot *xk_interp_slot_of(struct interp *s, const xk_expr *var)
{
    static struct slot none;
    const uint32_t id = xk_var_id(var);
    if (id < s->n_slots)
        return &s->slots[id];
    xk_interp_fault(s, "variable %s is unknown", xk_var_name(var));
    return &none;
}

struct place xk_interp_place_of(struct interp *s, const xk_expr *ptr)
{
    struct place p = {NULL, 0};
    struct value off;
    if (xk_op(ptr) == XK_OP_VAR) {
        p.region = xk_interp_slot_of(s, ptr)->region;
    } else if (xk_op(ptr) == XK_OP_PTR) {
        p.region = xk_interp_slot_of(s, xk_kid(ptr, 0))->region;
        xk_interp_eval(s, xk_kid(ptr, 1), &off);
        p.off_b = off.l[0].i;
    }
    if (!p.region)
        xk_interp_fault(s, "a pointer to a buffer that is not in scope");
    return p;
}

static void eval_var(struct interp *s, const xk_expr *e, struct value *out)
{
    const struct slot *const v = xk_interp_slot_of(s, e);
    if (!v->value) {
        xk_interp_fault(s, "variable %s has no value here", xk_var_name(e));
        memset(out->l, 0, sizeof(out->l));
        return;
    }
    memcpy(out->l, v->value->l, out->type.lanes * sizeof(out->l[0]));
}

static int64_t floor_div(int64_t a, int64_t b)
{
    const int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

/* DIV and MOD; u64 is divided as unsigned. */
static int64_t divide(struct interp *s, enum xk_op op, enum xk_dtype dt,
                      int64_t a, int64_t b)
{
    if (b == 0) {
        xk_interp_fault(s, "division by zero");
        return 0;
    }
    if (dt == XK_DT_U64) {
        const uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
        return (int64_t)(op == XK_OP_DIV ? ua / ub : ua % ub);
    }
    if (b == -1)
        return op == XK_OP_DIV ? (int64_t)(0 - (uint64_t)a) : 0;
    const int64_t q = floor_div(a, b);
    return op == XK_OP_DIV ? q : a - q * b;
}

static int compare_int(enum xk_dtype dt, int64_t a, int64_t b)
{
    if (dt == XK_DT_U64)
        return ((uint64_t)a > (uint64_t)b) - ((uint64_t)a < (uint64_t)b);
    return (a > b) - (a < b);
}

static bool compare(enum xk_op op, bool lt, bool eq, bool gt)
{
    switch (op) {
    case XK_OP_EQ:
        return eq;
    case XK_OP_NE:
        return !eq;
    case XK_OP_LT:
        return lt;
    case XK_OP_LE:
        return lt || eq;
    case XK_OP_GT:
        return gt;
    default:
        return gt || eq;
    }
}

static union lane bin_int(struct interp *s, enum xk_op op, enum xk_dtype dt,
                          int64_t a, int64_t b)
{
    const uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    const unsigned bits = dt == XK_DT_BOOL ? 1 : 8 * xk_dtype_b(dt);
    const int order = compare_int(dt, a, b);
    union lane r = {0};
    switch (op) {
    case XK_OP_ADD:
        r.i = (int64_t)(ua + ub);
        break;
    case XK_OP_SUB:
        r.i = (int64_t)(ua - ub);
        break;
    case XK_OP_MUL:
        r.i = (int64_t)(ua * ub);
        break;
    case XK_OP_DIV:
    case XK_OP_MOD:
        r.i = divide(s, op, dt, a, b);
        break;
    case XK_OP_SHL:
        r.i = (int64_t)(ua << (ub & (bits - 1)));
        break;
    case XK_OP_SHR:
        r.i = dt == XK_DT_U64 ? (int64_t)(ua >> (ub & 63))
                              : a >> (ub & (bits - 1));
        break;
    case XK_OP_AND:
        r.i = a & b;
        break;
    case XK_OP_OR:
        r.i = a | b;
        break;
    case XK_OP_XOR:
        r.i = a ^ b;
        break;
    case XK_OP_MIN:
        r.i = order <= 0 ? a : b;
        break;
    case XK_OP_MAX:
        r.i = order >= 0 ? a : b;
        break;
    default:
        r.i = compare(op, order<0, order == 0, order> 0);
        break;
    }
    return r;
}

static union lane bin_float(struct interp *s, enum xk_op op, double a, double b)
{
    union lane r = {0};
    switch (op) {
    case XK_OP_ADD:
        r.f = a + b;
        break;
    case XK_OP_SUB:
        r.f = a - b;
        break;
    case XK_OP_MUL:
        r.f = a * b;
        break;
    case XK_OP_DIV:
        r.f = a / b;
        break;
    case XK_OP_MIN:
        r.f = fmin(a, b);
        break;
    case XK_OP_MAX:
        r.f = fmax(a, b);
        break;
    case XK_OP_EQ:
    case XK_OP_NE:
    case XK_OP_LT:
    case XK_OP_LE:
    case XK_OP_GT:
    case XK_OP_GE:
        r.i = compare(op, a<b, a == b, a> b);
        break;
    default:
        xk_interp_fault(s, "operator %s on floats", xk_op_text(op));
        break;
    }
    return r;
}

static void eval_bin(struct interp *s, const xk_expr *e, struct value *out)
{
    const enum xk_dtype dt = (enum xk_dtype)xk_type_of(xk_kid(e, 0)).dt;
    const enum xk_dtype to = (enum xk_dtype)out->type.dt;
    const bool floats = xk_dtype_is_float(dt);
    struct value b;
    xk_interp_eval(s, xk_kid(e, 0), out);
    out->type = xk_type_of(e);
    xk_interp_eval(s, xk_kid(e, 1), &b);
    for (unsigned i = 0; i < out->type.lanes; i++) {
        const union lane r =
            floats ? bin_float(s, xk_op(e), out->l[i].f, b.l[i].f)
                   : bin_int(s, xk_op(e), dt, out->l[i].i, b.l[i].i);
        out->l[i] = xk_interp_fit(to, r);
    }
}

static union lane fused(enum xk_dtype dt, union lane a, union lane b,
                        union lane d)
{
    union lane r = {0};
    if (dt == XK_DT_F32)
        r.f = (double)fmaf((float)b.f, (float)d.f, (float)a.f);
    else if (xk_dtype_is_float(dt))
        r.f = fma(b.f, d.f, a.f);
    else
        r.i = (int64_t)((uint64_t)a.i + (uint64_t)b.i * (uint64_t)d.i);
    return xk_interp_fit(dt, r);
}

static union lane sum3(enum xk_dtype dt, union lane a, union lane b,
                       union lane d)
{
    union lane r = {0};
    if (xk_dtype_is_float(dt))
        r.f = a.f + b.f + d.f;
    else
        r.i = (int64_t)((uint64_t)a.i + (uint64_t)b.i + (uint64_t)d.i);
    return xk_interp_fit(dt, r);
}

static void eval_ternary(struct interp *s, const xk_expr *e, struct value *out)
{
    const enum xk_dtype dt = (enum xk_dtype)out->type.dt;
    struct value a, b, d;
    xk_interp_eval(s, xk_kid(e, 0), &a);
    xk_interp_eval(s, xk_kid(e, 1), &b);
    xk_interp_eval(s, xk_kid(e, 2), &d);
    for (unsigned i = 0; i < out->type.lanes; i++) {
        if (xk_op(e) == XK_OP_SELECT)
            out->l[i] = a.l[i].i ? b.l[i] : d.l[i];
        else if (xk_op(e) == XK_OP_MAD)
            out->l[i] = fused(dt, a.l[i], b.l[i], d.l[i]);
        else
            out->l[i] = sum3(dt, a.l[i], b.l[i], d.l[i]);
    }
}

union lane xk_interp_convert(const struct interp *s, enum xk_dtype to,
                             enum xk_dtype from, union lane v)
{
    const bool from_f = xk_dtype_is_float(from), to_f = xk_dtype_is_float(to);
    union lane r = {0};
    if (from_f && to_f)
        r.f = v.f;
    else if (to_f)
        r.f = from == XK_DT_U64 ? (double)(uint64_t)v.i : (double)v.i;
    else if (from_f)
        r.i = v.f >= 9.2e18    ? INT64_MAX
              : v.f <= -9.2e18 ? INT64_MIN
                               : (int64_t)v.f;
    else
        r.i = s->args->zero_extend && from == XK_DT_S32 && xk_dtype_b(to) == 8
                  ? (int64_t)(uint32_t)v.i
                  : v.i;
    return xk_interp_fit(to, r);
}

static void eval_cast(struct interp *s, const xk_expr *e, struct value *out)
{
    const xk_expr *const kid = xk_kid(e, 0);
    const struct xk_type from = xk_type_of(kid);
    const enum xk_dtype to = (enum xk_dtype)out->type.dt;
    if (from.space) {
        const struct place p = xk_interp_place_of(s, kid);
        out->l[0].i =
            (int64_t)((p.region ? p.region->address : 0) + (uint64_t)p.off_b);
        return;
    }
    struct value v;
    xk_interp_eval(s, kid, &v);
    for (unsigned i = 0; i < out->type.lanes; i++)
        out->l[i] = xk_interp_convert(s, to, (enum xk_dtype)from.dt, v.l[i]);
}

static double reciprocal(double x)
{
    return 1 / x;
}

static double (*const functions[XK_N_OPS])(double) = {[XK_OP_EXP2] = exp2,
                                                      [XK_OP_LOG2] = log2,
                                                      [XK_OP_INV] = reciprocal,
                                                      [XK_OP_SQRT] = sqrt,
                                                      [XK_OP_RINT] = rint};

static void eval_unary(struct interp *s, const xk_expr *e, struct value *out)
{
    const enum xk_dtype dt = (enum xk_dtype)out->type.dt;
    struct value v;
    xk_interp_eval(s, xk_kid(e, 0), &v);
    for (unsigned i = 0; i < out->type.lanes; i++) {
        union lane r = v.l[i];
        uint8_t bytes[8];
        encode((enum xk_dtype)v.type.dt, r, bytes);
        if (xk_op(e) == XK_OP_BITS)
            r = decode(dt, bytes);
        else if (functions[xk_op(e)])
            r.f = functions[xk_op(e)](r.f);
        else if (xk_op(e) == XK_OP_NOT)
            r.i = dt == XK_DT_BOOL ? !r.i : ~r.i;
        else if (xk_dtype_is_float(dt))
            r.f = -r.f;
        else
            r.i = (int64_t)(0 - (uint64_t)r.i);
        out->l[i] = xk_interp_fit(dt, r);
    }
}

/* Lanes made from other lanes: RAMP, BCAST, SHUFFLE. */
static void eval_lanes(struct interp *s, const xk_expr *e, struct value *out)
{
    const enum xk_dtype dt = (enum xk_dtype)out->type.dt;
    struct value a, stride = {0};
    xk_interp_eval(s, xk_kid(e, 0), &a);
    if (xk_op(e) == XK_OP_RAMP)
        xk_interp_eval(s, xk_kid(e, 1), &stride);
    for (unsigned i = 0; i < out->type.lanes; i++) {
        if (xk_op(e) == XK_OP_SHUFFLE) {
            out->l[i] = a.l[xk_shuffle_index(e, i)];
            continue;
        }
        out->l[i] = a.l[0];
        if (xk_op(e) == XK_OP_RAMP) {
            out->l[i].i =
                (int64_t)((uint64_t)a.l[0].i + i * (uint64_t)stride.l[0].i);
            out->l[i] = xk_interp_fit(dt, out->l[i]);
        }
    }
}

void xk_interp_eval(struct interp *s, const xk_expr *e, struct value *out)
{
    out->type = xk_type_of(e);
    if (out->type.lanes > XK_INTERP_MAX_LANES) {
        xk_interp_fault(s, "%u lanes are more than the interpreter's %d",
                        out->type.lanes, XK_INTERP_MAX_LANES);
        out->type.lanes = 1;
    }
    s->report->n_ops += xk_n_kids(e) != 0;
    switch (xk_op(e)) {
    case XK_OP_VAR:
        eval_var(s, e, out);
        return;
    case XK_OP_IMM:
        out->l[0].i = xk_imm_value(e);
        return;
    case XK_OP_FIMM:
        out->l[0].f = xk_fimm_value(e);
        return;
    case XK_OP_NEG:
    case XK_OP_NOT:
    case XK_OP_BITS:
        eval_unary(s, e, out);
        return;
    case XK_OP_SELECT:
    case XK_OP_MAD:
    case XK_OP_ADD3:
        eval_ternary(s, e, out);
        return;
    case XK_OP_CAST:
        eval_cast(s, e, out);
        return;
    case XK_OP_RAMP:
    case XK_OP_BCAST:
    case XK_OP_SHUFFLE:
        eval_lanes(s, e, out);
        return;
    case XK_OP_PTR:
        xk_interp_fault(s, "a pointer used as a value");
        return;
    default:
        (functions[xk_op(e)] ? eval_unary : eval_bin)(s, e, out);
        return;
    }
}

/* Messages. */

/* The place a 64-bit address points to. */
static struct place find_address(struct interp *s, uint64_t a)
{
    for (unsigned i = 0; i < s->n_params; i++) {
        struct region *const r = &s->global[i];
        if (r->data && a >= r->address - (1u << 30) &&
            a < r->address + (uint64_t)r->size_b + (1u << 30)) {
            const struct place p = {r, (int64_t)(a - r->address)};
            return p;
        }
    }
    xk_interp_fault(s, "address 0x%" PRIx64 " belongs to no buffer", a);
    const struct place none = {NULL, 0};
    return none;
}

/* Global pointer number n begins at SURFACE_AT in its surface, so that offsets
 * pass 2^31. */
#define SURFACE_AT 0x7fffff40u

static struct place in_surface(struct interp *s, unsigned n, uint32_t offset)
{
    struct place p = {NULL, (int32_t)(offset - SURFACE_AT)};
    for (unsigned i = 0; i < s->n_params; i++)
        if (s->global[i].name && n-- == 0)
            p.region = &s->global[i];
    if (!p.region)
        xk_interp_fault(s, "sendh: there is no such surface");
    return p;
}

static void atomic_add(struct interp *s, const struct place *mem,
                       const struct place *reg)
{
    union lane a = xk_interp_read_lane(s, *mem, 0, XK_DT_F32, "atomic_add");
    const union lane b =
        xk_interp_read_lane(s, *reg, 0, XK_DT_F32, "atomic_add");
    a.f = (double)((float)a.f + (float)b.f);
    xk_interp_write_lane(s, *mem, 0, XK_DT_F32, a, "atomic_add");
}

/* Bytes of an element in registers: a lane's has a dword at least. */
static unsigned in_register_b(const struct xk_send *m)
{
    return m->data_b < 4 && !m->block ? 4 : m->data_b;
}

/* Offsets from XK_OFF_NULL on are beyond every surface: loads give 0, stores
 * are dropped. As s32 they lie far below 0. */
static bool is_beyond(const struct xk_send *m, const struct place *mem)
{
    return m->addr == XK_SEND_SURFACE && mem->off_b < -(1 << 20) &&
           mem->off_b >= -(1 << 28);
}

static void move_element(struct interp *s, const struct xk_send *m,
                         const struct place *mem, const struct place *reg)
{
    uint8_t bytes[8] = {0};
    if (is_beyond(m, mem)) {
        if (m->op == XK_SEND_LOAD)
            write_bytes(s, reg, bytes, in_register_b(m), "send load");
        return;
    }
    switch ((enum xk_send_op)m->op) {
    case XK_SEND_LOAD:
        if (read_bytes(s, mem, bytes, m->data_b, "send load"))
            write_bytes(s, reg, bytes, in_register_b(m),
                        "send load, registers");
        s->report->load_b += m->data_b;
        return;
    case XK_SEND_STORE:
        if (read_bytes(s, reg, bytes, m->data_b, "send store, registers"))
            write_bytes(s, mem, bytes, m->data_b, "send store");
        s->report->store_b += m->data_b;
        return;
    case XK_SEND_ATOMIC_ADD:
        atomic_add(s, mem, reg);
        s->report->store_b += m->data_b;
        return;
    case XK_SEND_PREFETCH:
        return;
    }
}

/* All elements of one address; lane is its number. */
static void move_lane(struct interp *s, const struct xk_send *m,
                      struct place mem, struct place reg, unsigned lane)
{
    const unsigned row_b = m->lanes * in_register_b(m);
    const unsigned component_b =
        m->block ? m->data_b : (row_b + s->grf_b - 1) / s->grf_b * s->grf_b;
    reg.off_b += (int64_t)lane * in_register_b(m);
    for (unsigned v = 0; v < m->vec && !s->fault; v++) {
        move_element(s, m, &mem, &reg);
        mem.off_b += m->data_b;
        reg.off_b += component_b;
    }
}

/* What a load with `.z` writes for a lane that is off. */
static void zero_lane(struct interp *s, const struct xk_send *m,
                      struct place reg, unsigned lane)
{
    static const uint8_t none[8];
    const unsigned row_b = m->lanes * in_register_b(m);
    reg.off_b += (int64_t)lane * in_register_b(m);
    for (unsigned v = 0; v < m->vec && !s->fault; v++) {
        write_bytes(s, &reg, none, in_register_b(m), "send load");
        reg.off_b += (row_b + s->grf_b - 1) / s->grf_b * s->grf_b;
    }
}

static void run_send(struct interp *s, const xk_stmt *st, bool has_header)
{
    const struct xk_send *const m = &xk_func_of(st)->u.send;
    const struct place reg =
        xk_interp_place_of(s, xk_kid(st, has_header ? 1 : 2));
    const struct place mem = xk_interp_place_of(s, xk_kid(st, 0));
    const unsigned n = m->block ? 1 : m->lanes;
    struct value off, mask;
    if (!has_header)
        xk_interp_eval(s, xk_kid(st, 1), &off);
    xk_interp_eval(s, xk_kid(st, has_header ? 2 : 3), &mask);
    s->report->n_sends++;
    for (unsigned i = 0; i < n && !s->fault; i++) {
        const bool off_lane = !mask.l[mask.type.lanes == 1 ? 0 : i].i;
        struct place p = mem;
        if (off_lane && m->zero) {
            zero_lane(s, m, reg, i);
            continue;
        }
        if (off_lane)
            continue;
        if (!has_header)
            p.off_b += off.l[off.type.lanes == 1 ? 0 : i].i;
        else if (m->addr == XK_SEND_A64)
            p = find_address(
                s, (uint64_t)xk_interp_read_lane(s, mem, i, XK_DT_U64, "header")
                       .i);
        else if (m->addr == XK_SEND_SURFACE)
            p = in_surface(
                s, m->surface,
                (uint32_t)xk_interp_read_lane(s, mem, i, XK_DT_U32, "header")
                    .i);
        else
            xk_interp_fault(s, "sendh: A32 is not interpreted");
        move_lane(s, m, p, reg, i);
    }
}

/* Other calls. */

/* Where the destination and three sources of a mad or a dp4a are. */
static const struct xk_mad *begin_mad(struct interp *s, const xk_stmt *st,
                                      struct place p[4])
{
    const struct xk_mad *const m = &xk_func_of(st)->u.mad;
    for (unsigned i = 0; i < 4; i++)
        p[i] = xk_interp_place_of(s, xk_kid(st, i));
    s->report->n_mads++;
    if (m->lanes > XK_INTERP_MAX_LANES)
        xk_interp_fault(s, "mad or dp4a: %u lanes", m->lanes);
    return m;
}

static void run_mad(struct interp *s, const xk_stmt *st)
{
    struct place p[4];
    union lane r[XK_INTERP_MAX_LANES];
    const struct xk_mad *const m = begin_mad(s, st, p);
    for (unsigned i = 0; i < m->lanes && !s->fault; i++)
        r[i] = fused((enum xk_dtype)m->dst,
                     xk_interp_read_lane(s, p[1], i * m->stride0,
                                         (enum xk_dtype)m->src0, "mad"),
                     xk_interp_read_lane(s, p[2], i * m->stride1,
                                         (enum xk_dtype)m->src1, "mad"),
                     xk_interp_read_lane(s, p[3], i * m->stride2,
                                         (enum xk_dtype)m->src2, "mad"));
    for (unsigned i = 0; i < m->lanes && !s->fault; i++)
        xk_interp_write_lane(s, p[0], i, (enum xk_dtype)m->dst, r[i], "mad");
}

/* Byte `at` of a dword lane, signed as the dword's type is. */
static int64_t byte_of(union lane v, unsigned at, unsigned dt)
{
    const int64_t b = (v.i >> 8 * at) & 255;
    return dt == XK_DT_S32 && b > 127 ? b - 256 : b;
}

static void run_dp4a(struct interp *s, const xk_stmt *st)
{
    struct place p[4];
    union lane r[XK_INTERP_MAX_LANES];
    const struct xk_mad *const m = begin_mad(s, st, p);
    const uint8_t dt[4] = {m->dst, m->src0, m->src1, m->src2};
    const unsigned stride[4] = {1, m->stride0, m->stride1, m->stride2};
    for (unsigned i = 0; i < m->lanes && !s->fault; i++) {
        union lane v[4];
        for (unsigned k = 1; k < 4; k++)
            v[k] = xk_interp_read_lane(s, p[k], i * stride[k],
                                       (enum xk_dtype)dt[k], "dp4a");
        r[i] = v[1];
        for (unsigned b = 0; b < 4; b++)
            r[i].i += byte_of(v[2], b, dt[2]) * byte_of(v[3], b, dt[3]);
    }
    for (unsigned i = 0; i < m->lanes && !s->fault; i++)
        xk_interp_write_lane(s, p[0], i, (enum xk_dtype)m->dst,
                             xk_interp_fit((enum xk_dtype)m->dst, r[i]),
                             "dp4a");
}

/* Element dt at index of a packed operand, as a double. */
static double dpas_in(struct interp *s, const struct place *p, int64_t index,
                      enum xk_dtype dt)
{
    const union lane v = xk_interp_read_lane(s, *p, index, dt, "dpas");
    return xk_dtype_is_float(dt) ? v.f : (double)v.i;
}

/* dst[r][n] = src0[r][n] + sum over d, o of src1[d][n][o] * src2[r][d][o]; o
 * counts the elements in 32 bits. */
static void run_dpas(struct interp *s, const xk_stmt *st)
{
    const struct xk_dpas *const d = &xk_func_of(st)->u.dpas;
    const enum xk_dtype dst = (enum xk_dtype)d->dst;
    const unsigned ops = d->src1 ? 4 / xk_dtype_b((enum xk_dtype)d->src1) : 0;
    struct place p[4];
    for (unsigned i = 0; i < 4; i++)
        p[i] = xk_interp_place_of(s, xk_kid(st, i));
    if (d->wide)
        xk_interp_fault(s, "dpasw is not interpreted");
    for (unsigned r = 0; r < d->rcount; r++) {
        for (unsigned n = 0; n < d->exec && !s->fault; n++) {
            const int64_t at = (int64_t)r * d->exec + n;
            double sum = dpas_in(s, &p[1], at, (enum xk_dtype)d->src0);
            for (unsigned i = 0; i < d->sdepth * ops; i++) {
                const int64_t b =
                    ((int64_t)(i / ops) * d->exec + n) * ops + i % ops;
                const int64_t a = (int64_t)r * d->sdepth * ops + i;
                sum += dpas_in(s, &p[2], b, (enum xk_dtype)d->src1) *
                       dpas_in(s, &p[3], a, (enum xk_dtype)d->src2);
            }
            union lane v;
            if (xk_dtype_is_float(dst))
                v.f = sum;
            else
                v.i = (int64_t)sum;
            xk_interp_write_lane(s, p[0], at, dst, xk_interp_fit(dst, v),
                                 "dpas");
        }
    }
}

static void run_reorder(struct interp *s, const xk_stmt *st)
{
    const struct xk_reorder *const r = &xk_func_of(st)->u.reorder;
    const struct place dst = xk_interp_place_of(s, xk_kid(st, 0));
    const struct place src = xk_interp_place_of(s, xk_kid(st, 1));
    uint64_t total = 1;
    for (unsigned i = 0; i < r->n_dims; i++)
        total *= r->extent[i];
    for (uint64_t n = 0; n < total && !s->fault; n++) {
        uint64_t rest = n;
        int64_t d = 0, from = 0;
        for (unsigned i = r->n_dims; i-- > 0;) {
            const uint64_t at = rest % r->extent[i];
            rest /= r->extent[i];
            d += (int64_t)at * r->dst_stride[i];
            from += (int64_t)at * r->src_stride[i];
        }
        const union lane v =
            xk_interp_read_lane(s, src, from, (enum xk_dtype)r->src, "reorder");
        xk_interp_write_lane(s, dst, d, (enum xk_dtype)r->dst,
                             xk_interp_convert(s, (enum xk_dtype)r->dst,
                                               (enum xk_dtype)r->src, v),
                             "reorder");
    }
}

static void run_call(struct interp *s, const xk_stmt *st)
{
    switch ((enum xk_func_kind)xk_func_of(st)->kind) {
    case XK_FUNC_SEND:
        run_send(s, st, false);
        return;
    case XK_FUNC_SENDH:
        run_send(s, st, true);
        return;
    case XK_FUNC_MAD:
        run_mad(s, st);
        return;
    case XK_FUNC_DP4A:
        run_dp4a(s, st);
        return;
    case XK_FUNC_DPAS:
        run_dpas(s, st);
        return;
    case XK_FUNC_REORDER:
        run_reorder(s, st);
        return;
    case XK_FUNC_TILE:
        xk_interp_tile(s, st);
        return;
    case XK_FUNC_BARRIER_SIGNAL: /* one thread runs alone */
    case XK_FUNC_BARRIER_WAIT:
    case XK_FUNC_FENCE:
    case XK_N_FUNCS:
        return;
    }
}

/* Statements. */

/* Binds var to value while body runs. */
static void with_value(struct interp *s, const xk_expr *var,
                       struct value *value, const xk_stmt *body)
{
    struct slot *const slot = xk_interp_slot_of(s, var);
    const struct slot outer = *slot;
    slot->value = value;
    xk_interp_run_stmt(s, body);
    *slot = outer;
}

static void run_let(struct interp *s, const xk_stmt *st)
{
    struct value *const v = calloc(1, sizeof(*v));
    const struct xk_type t = xk_type_of(xk_kid(st, 0));
    if (!v)
        abort();
    if (xk_op(st) == XK_OP_LET) {
        xk_interp_eval(s, xk_kid(st, 1), v);
    } else {
        const struct place p = xk_interp_place_of(s, xk_kid(st, 1));
        v->type = t;
        for (unsigned i = 0; i < t.lanes && i < XK_INTERP_MAX_LANES; i++)
            v->l[i] = xk_interp_read_lane(s, p, i, (enum xk_dtype)t.dt, "load");
    }
    if (!s->fault)
        with_value(s, xk_kid(st, 0), v, xk_kid(st, 2));
    free(v);
}

static void run_store(struct interp *s, const xk_stmt *st)
{
    const struct place p = xk_interp_place_of(s, xk_kid(st, 0));
    struct value v;
    xk_interp_eval(s, xk_kid(st, 1), &v);
    for (unsigned i = 0; i < v.type.lanes && !s->fault; i++)
        xk_interp_write_lane(s, p, i, (enum xk_dtype)v.type.dt, v.l[i],
                             "store");
}

static void run_alloc(struct interp *s, const xk_stmt *st)
{
    const uint32_t size_b = xk_alloc_info_of(st).size_b;
    struct region r = {.name = xk_var_name(xk_kid(st, 0)),
                       .data = malloc(size_b),
                       .written = calloc(size_b, 1),
                       .size_b = size_b};
    if (!r.data || !r.written)
        abort();
    memset(r.data, 0xa5, size_b);
    struct slot *const slot = xk_interp_slot_of(s, xk_kid(st, 0));
    const struct slot outer = *slot;
    slot->region = &r;
    xk_interp_run_stmt(s, xk_kid(st, 1));
    *slot = outer;
    free(r.data);
    free(r.written);
}

static void run_for(struct interp *s, const xk_stmt *st)
{
    struct value lo, hi;
    xk_interp_eval(s, xk_kid(st, 1), &lo);
    xk_interp_eval(s, xk_kid(st, 2), &hi);
    const int64_t end = hi.l[0].i;
    while (lo.l[0].i < end && !s->fault) {
        with_value(s, xk_kid(st, 0), &lo, xk_kid(st, 3));
        lo.l[0].i += xk_for_step(st);
    }
}

static void run_pipe(struct interp *s, const xk_stmt *st)
{
    const xk_stmt *const body = xk_kid(st, 2);
    const int64_t trip = xk_imm_value(xk_kid(st, 1));
    const int64_t stages = xk_pipe_info_of(st).stages;
    struct value i = {.type = xk_type_of(xk_kid(st, 0))};
    for (int64_t t = 0; t < trip + stages - 1; t++) {
        for (unsigned n = 0; n < xk_n_kids(body) && !s->fault; n++) {
            const xk_stmt *const stage = xk_kid(body, n);
            i.l[0].i = t - xk_stage_of(stage);
            if (i.l[0].i >= 0 && i.l[0].i < trip)
                with_value(s, xk_kid(st, 0), &i, xk_kid(stage, 0));
        }
    }
}

static void run_if(struct interp *s, const xk_stmt *st)
{
    struct value v;
    xk_interp_eval(s, xk_kid(st, 0), &v);
    for (unsigned i = 1; i < v.type.lanes; i++) {
        if (!v.l[i].i != !v.l[0].i)
            xk_interp_fault(s, "if: the lanes of the condition differ");
    }
    if (!s->fault)
        xk_interp_run_stmt(s, xk_kid(st, v.l[0].i ? 1 : 2));
}

void xk_interp_run_stmt(struct interp *s, const xk_stmt *st)
{
    if (s->fault)
        return;
    s->report->n_stmts++;
    switch (xk_op(st)) {
    case XK_OP_SEQ:
        for (unsigned i = 0; i < xk_n_kids(st); i++)
            xk_interp_run_stmt(s, xk_kid(st, i));
        return;
    case XK_OP_LET:
    case XK_OP_LOAD:
        run_let(s, st);
        return;
    case XK_OP_STORE:
        run_store(s, st);
        return;
    case XK_OP_ALLOC:
        run_alloc(s, st);
        return;
    case XK_OP_FOR:
        run_for(s, st);
        return;
    case XK_OP_PIPE:
        run_pipe(s, st);
        return;
    case XK_OP_IF:
        run_if(s, st);
        return;
    case XK_OP_CALL:
        run_call(s, st);
        return;
    case XK_OP_TILING:
        xk_interp_tiling(s, st);
        return;
    default:
        xk_interp_fault(s, "%s is not a statement here", xk_op_text(xk_op(st)));
        return;
    }
}

/* Buffers lie far apart; the low halves of their addresses are close to the
 * top, so that a carry into the high half is the rule. */
static void bind_params(struct interp *s, const struct xk_kernel *k,
                        struct value *values)
{
    s->n_params = k->n_params;
    for (unsigned i = 0; i < k->n_params; i++) {
        const struct xk_param *const p = &k->params[i];
        struct slot *const slot = xk_interp_slot_of(s, p->var);
        struct region *const r = &s->global[i];
        values[i].type = xk_type_of(p->var);
        if (p->kind == XK_PARAM_GLOBAL) {
            r->name = xk_var_name(p->var);
            r->data = s->args->buffer[i].data;
            r->size_b = (int64_t)s->args->buffer[i].size_b;
            r->address = ((uint64_t)i + 1) << 40 | 0xffffff80u;
            slot->region = r;
            continue;
        }
        if (p->kind == XK_PARAM_VALUE)
            values[i].l[0].i = s->args->value[i];
        else if (p->kind == XK_PARAM_SURFACE)
            values[i].l[0].i = SURFACE_AT;
        else if (p->kind == XK_PARAM_THREAD)
            values[i].l[0].i = s->args->thread;
        else
            values[i].l[0].i = s->args->group[p->kind - XK_PARAM_GROUP_X];
        slot->value = &values[i];
    }
}

enum xk_status xk_interp_run(xk_ctx *c, const struct xk_kernel *k,
                             const struct xk_interp_args *args,
                             struct xk_interp_report *report)
{
    struct interp s = {.args = args, .report = report};
    memset(report, 0, sizeof(*report));
    s.n_slots = c->next_var_id;
    s.slots = calloc(s.n_slots + 1u, sizeof(*s.slots));
    struct value *const values = calloc(k->n_params + 1u, sizeof(*values));
    if (!s.slots || !values)
        abort();
    s.grf_b = args->grf_b ? args->grf_b : 32;
    bind_params(&s, k, values);
    xk_interp_run_stmt(&s, k->body);
    free(s.slots);
    free(values);
    return s.fault ? XK_EFAULT : XK_OK;
}
