/* SPDX-License-Identifier: Apache-2.0 */
/* Overflow is oneDNN's (src/common/float8.cpp, float4.cpp), which is the
 * conversion without saturation of the OCP text "8-bit Floating Point
 * Specification (OFP8)", 1.0, table 3: from 61440 on f8_e5m2 is infinite; above
 * 464 f8_e4m3 is a NaN. f4_e2m1 has neither infinities nor NaNs; OCP's
 * "Microscaling Formats (MX)", 1.0, section 6.3 has it saturate. */
#include "lower/number.h"

static const xk_expr *u32(const struct xk_number_room *r, int64_t v)
{
    return xk_bcast(r->w->c, xk_imm(r->w->c, XK_DT_U32, v), r->lanes);
}

static const xk_expr *f32(const struct xk_number_room *r, double v)
{
    return xk_bcast(r->w->c, xk_fimm(r->w->c, XK_DT_F32, v), r->lanes);
}

static const xk_expr *as_f32(const struct xk_number_room *r, const xk_expr *u)
{
    return xk_bits(r->w->c, XK_DT_F32, u);
}

/* The vector in the room's registers, seen as elements of one type, a dword
 * each, becomes one of another. */
static const xk_expr *convert_room(const struct xk_number_room *r,
                                   enum xk_dtype from, enum xk_dtype to,
                                   const xk_expr *x, enum xk_dtype result)
{
    xk_ctx *const c = r->w->c;
    const xk_expr *const at = xk_ptr(c, r->buf, xk_s32(c, 0));
    const struct xk_func f = {
        .kind = XK_FUNC_REORDER,
        .u.reorder = {.dst = (uint8_t)to,
                      .src = (uint8_t)from,
                      .n_dims = 1,
                      .extent = {(uint16_t)r->lanes},
                      .dst_stride = {(uint16_t)(4 / xk_dtype_b(to))},
                      .src_stride = {(uint16_t)(4 / xk_dtype_b(from))}}};
    const xk_expr *const args[] = {at, at};
    xk_block_add(r->w, xk_store(c, at, x));
    xk_block_call(r->w, &f, args, 2);
    return xk_block_load(r->w, "y", xk_type_vec(result, r->lanes), at);
}

/* A small float: where its sign is, how many bits its mantissa has, and its
 * exponent's bias. */
struct small_float {
    uint8_t sign_bit, mantissa, bias;
};
static const struct small_float e5m2 = {7, 2, 15}, e4m3 = {7, 3, 7},
                                e2m1 = {3, 1, 1};

/* Below the smallest normal number codes count steps of it. */
static const xk_expr *small_value(struct xk_number_room *r,
                                  const struct small_float *s,
                                  const xk_expr *bits, const xk_expr **code)
{
    xk_ctx *const c = r->w->c;
    const int64_t ones = (INT64_C(1) << s->sign_bit) - 1;
    const unsigned shift = 23u - s->mantissa;
    const double step =
        1.0 / (double)(INT64_C(1) << (s->bias - 1 + s->mantissa));
    const xk_expr *const m =
        xk_number_let(r, "code", xk_number_op(r, XK_OP_AND, bits, ones));
    const xk_expr *const normal = xk_number_op(
        r, XK_OP_ADD, xk_number_op(r, XK_OP_MUL, m, INT64_C(1) << shift),
        (INT64_C(127) - s->bias) << 23);
    const xk_expr *const steps =
        xk_cast(c, XK_DT_F32, xk_bits(c, XK_DT_S32, m));
    const xk_expr *const below = xk_mul(c, steps, f32(r, step));
    *code = m;
    return xk_select(c, xk_number_op(r, XK_OP_LT, m, INT64_C(1) << s->mantissa),
                     below, as_f32(r, normal));
}

static const xk_expr *with_sign(struct xk_number_room *r, const xk_expr *x,
                                const xk_expr *bits, unsigned sign_bit)
{
    xk_ctx *const c = r->w->c;
    const xk_expr *const sign = xk_number_op(
        r, XK_OP_MUL, xk_number_op(r, XK_OP_AND, bits, INT64_C(1) << sign_bit),
        INT64_C(1) << (31 - sign_bit));
    return as_f32(r, xk_or(c, xk_bits(c, XK_DT_U32, x), sign));
}

static const xk_expr *decode_float(struct xk_number_room *r,
                                   const struct small_float *s,
                                   const xk_expr *bits)
{
    const xk_expr *code;
    const xk_expr *const x = small_value(r, s, bits, &code);
    return with_sign(r, x, bits, s->sign_bit);
}

/* The same for codes whose only special one is a NaN. */
static const xk_expr *decode_e4m3(struct xk_number_room *r, const xk_expr *bits)
{
    xk_ctx *const c = r->w->c;
    const xk_expr *code;
    const xk_expr *const x = small_value(r, &e4m3, bits, &code);
    const xk_expr *const nan = as_f32(r, u32(r, 0x7fc00000));
    return with_sign(
        r, xk_select(c, xk_number_op(r, XK_OP_EQ, code, 0x7f), nan, x), bits,
        7);
}

/* Half floats with less mantissa: their upper byte. */
static const xk_expr *e5m2_value(struct xk_number_room *r, const xk_expr *bits)
{
    return convert_room(r, XK_DT_F16, XK_DT_F32,
                        xk_number_op(r, XK_OP_MUL, bits, 256), XK_DT_F32);
}

static const xk_expr *decode_e8m0(struct xk_number_room *r, const xk_expr *bits)
{
    xk_ctx *const c = r->w->c;
    const xk_expr *const usual = xk_number_op(r, XK_OP_MUL, bits, 1 << 23);
    const xk_expr *const low = xk_select(c, xk_number_op(r, XK_OP_EQ, bits, 0),
                                         u32(r, 0x00400000), usual);
    return as_f32(r, xk_select(c, xk_number_op(r, XK_OP_EQ, bits, 255),
                               u32(r, 0x7fc00000), low));
}

/* Two's complement of four bits. */
static const xk_expr *decode_s4(struct xk_number_room *r, const xk_expr *bits)
{
    xk_ctx *const c = r->w->c;
    const xk_expr *const s = xk_bits(c, XK_DT_S32, bits);
    return xk_cast(c, XK_DT_F32,
                   xk_sub(c, xk_number_op(r, XK_OP_AND, s, 7),
                          xk_number_op(r, XK_OP_AND, s, 8)));
}

const xk_expr *xk_number_decode(struct xk_number_room *r, enum xk_format f,
                                const xk_expr *bits)
{
    switch (f) {
    case XK_FORMAT_F32:
        return as_f32(r, bits);
    case XK_FORMAT_BF16:
        return as_f32(r, xk_number_op(r, XK_OP_MUL, bits, 65536));
    case XK_FORMAT_F8_E5M2:
        return e5m2_value(r, bits);
    case XK_FORMAT_F8_E4M3:
        return decode_e4m3(r, bits);
    case XK_FORMAT_F4_E2M1:
        return decode_float(r, &e2m1, bits);
    case XK_FORMAT_S4:
        return decode_s4(r, bits);
    case XK_FORMAT_U4:
        return xk_cast(r->w->c, XK_DT_F32, xk_bits(r->w->c, XK_DT_S32, bits));
    case XK_FORMAT_E8M0:
        return decode_e8m0(r, bits);
    default:
        return convert_room(r, xk_format_dtype(f), XK_DT_F32, bits, XK_DT_F32);
    }
}

/* Magnitudes: from the smallest normal number on the mantissa's lower bits are
 * rounded away, which may carry into the exponent; below it steps are counted.
 * most: the code that stands for all that is too large. */
static const xk_expr *small_code(struct xk_number_room *r,
                                 const struct small_float *s, const xk_expr *m,
                                 int64_t most)
{
    xk_ctx *const c = r->w->c;
    const unsigned drop = 23u - s->mantissa;
    const double steps = (double)(INT64_C(1) << (s->bias - 1 + s->mantissa));
    const int64_t rebias = (INT64_C(127) - s->bias) << 23;
    const int64_t normal = rebias + (INT64_C(1) << 23);
    const xk_expr *const t = xk_number_let(
        r, "t",
        xk_number_op(r, XK_OP_SUB, xk_number_op(r, XK_OP_MAX, m, normal),
                     rebias));
    const xk_expr *const odd =
        xk_number_op(r, XK_OP_AND, xk_number_op(r, XK_OP_SHR, t, drop), 1);
    const xk_expr *const rounded = xk_add(
        c, xk_number_op(r, XK_OP_ADD, t, (INT64_C(1) << (drop - 1)) - 1), odd);
    const xk_expr *const code = xk_number_op(
        r, XK_OP_MIN, xk_number_op(r, XK_OP_SHR, rounded, drop), most);
    /* Larger ones would leave s32. */
    const xk_expr *const small =
        as_f32(r, xk_number_op(r, XK_OP_MIN, m, normal));
    const xk_expr *const count =
        xk_un(c, XK_OP_RINT, xk_mul(c, small, f32(r, steps)));
    const xk_expr *const below =
        xk_bits(c, XK_DT_U32, xk_cast(c, XK_DT_S32, count));
    return xk_select(c, xk_number_op(r, XK_OP_LT, m, normal), below, code);
}

static const xk_expr *encode_float(struct xk_number_room *r,
                                   const struct small_float *s,
                                   const xk_expr *x, int64_t most, int64_t nan)
{
    xk_ctx *const c = r->w->c;
    const xk_expr *const bits =
        xk_number_let(r, "bits", xk_bits(c, XK_DT_U32, x));
    const xk_expr *const m =
        xk_number_let(r, "m", xk_number_op(r, XK_OP_AND, bits, 0x7fffffff));
    const xk_expr *const code =
        xk_select(c, xk_number_op(r, XK_OP_GT, m, 0x7f800000), u32(r, nan),
                  small_code(r, s, m, most));
    const xk_expr *const sign = xk_number_op(
        r, XK_OP_AND, xk_number_op(r, XK_OP_SHR, bits, 31u - s->sign_bit),
        INT64_C(1) << s->sign_bit);
    return xk_or(c, code, sign);
}

/* Through s32, whose saturation keeps what the clamp needs. */
static const xk_expr *encode_nibble(struct xk_number_room *r, const xk_expr *x,
                                    int64_t least, int64_t most)
{
    xk_ctx *const c = r->w->c;
    const xk_expr *const s =
        convert_room(r, XK_DT_F32, XK_DT_S32, x, XK_DT_S32);
    const xk_expr *const in =
        xk_number_op(r, XK_OP_MIN, xk_number_op(r, XK_OP_MAX, s, least), most);
    return xk_number_op(r, XK_OP_AND, xk_bits(c, XK_DT_U32, in), 15);
}

const xk_expr *xk_number_encode(struct xk_number_room *r, enum xk_format f,
                                const xk_expr *x)
{
    const enum xk_dtype dt = xk_format_dtype(f);
    const unsigned bits = xk_format_bits(f);
    switch (f) {
    case XK_FORMAT_F32:
        return xk_bits(r->w->c, XK_DT_U32, x);
    case XK_FORMAT_F8_E5M2:
        return encode_float(r, &e5m2, x, 0x7c, 0x7e);
    case XK_FORMAT_F8_E4M3:
        return encode_float(r, &e4m3, x, 0x7f, 0x7f);
    case XK_FORMAT_F4_E2M1:
        return encode_float(r, &e2m1, x, 7, 7);
    case XK_FORMAT_S4:
        return encode_nibble(r, x, -8, 7);
    case XK_FORMAT_U4:
        return encode_nibble(r, x, 0, 15);
    default:
        x = convert_room(r, XK_DT_F32, dt, x, XK_DT_U32);
        return bits == 32
                   ? x
                   : xk_number_op(r, XK_OP_AND, x, (INT64_C(1) << bits) - 1);
    }
}
