/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/philox.h"

enum { ROUNDS = 10 };

/* A format: digits with the first one, bits of the largest number and of the
 * smallest normal one in f32. */
static const struct random_row {
    uint8_t digits;
    uint32_t largest, least;
} rows[XK_N_FORMATS] = {
    [XK_FORMAT_F16] = {11, 0x477fe000, 0x38800000},
    [XK_FORMAT_BF16] = {8, 0x7f7f0000, 0x00800000},
    [XK_FORMAT_F8_E5M2] = {3, 0x47600000, 0x38800000},
    [XK_FORMAT_F8_E4M3] = {4, 0x43e00000, 0x3c800000},
};

/* The upper half of a * k, from products of 16 bits. */
static const xk_expr *high_half(struct xk_number_room *r, const xk_expr *a,
                                uint32_t k)
{
    xk_ctx *const c = r->w->c;
    const xk_expr *const al =
        xk_number_let(r, "al", xk_number_op(r, XK_OP_AND, a, 0xffff));
    const xk_expr *const ah =
        xk_number_let(r, "ah", xk_number_op(r, XK_OP_SHR, a, 16));
    const xk_expr *const lh =
        xk_number_let(r, "lh", xk_number_op(r, XK_OP_MUL, al, k >> 16));
    const xk_expr *const hl =
        xk_number_let(r, "hl", xk_number_op(r, XK_OP_MUL, ah, k & 0xffff));
    const xk_expr *const ll = xk_number_op(
        r, XK_OP_SHR, xk_number_op(r, XK_OP_MUL, al, k & 0xffff), 16);
    const xk_expr *const middle =
        xk_add(c, xk_add(c, ll, xk_number_op(r, XK_OP_AND, lh, 0xffff)),
               xk_number_op(r, XK_OP_AND, hl, 0xffff));
    const xk_expr *const upper =
        xk_add(c, xk_number_op(r, XK_OP_MUL, ah, k >> 16),
               xk_number_op(r, XK_OP_SHR, lh, 16));
    return xk_add(c, xk_add(c, upper, xk_number_op(r, XK_OP_SHR, hl, 16)),
                  xk_number_op(r, XK_OP_SHR, middle, 16));
}

/* The third number of the block that `number` is in; the others are not used.
 */
static const xk_expr *philox_number(struct xk_number_room *r,
                                    const xk_expr *number, const xk_expr *seed)
{
    xk_ctx *const c = r->w->c;
    static const uint32_t k[2] = {0xd2511f53, 0xcd9e8d57};
    static const uint32_t weyl[2] = {0x9e3779b9, 0xbb67ae85};
    const xk_expr *const x = xk_number_let(
        r, "x", xk_number_op(r, XK_OP_AND, number, UINT32_C(0xfffffffc)));
    const xk_expr *at[4] = {x, xk_number_op(r, XK_OP_ADD, x, 1), x,
                            xk_number_op(r, XK_OP_ADD, x, 3)};
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const xk_expr *key[2], *hi[2], *lo[2];
        for (unsigned j = 0; j < 2; j++) {
            key[j] = xk_bcast(c,
                              xk_number_op(r, XK_OP_ADD, seed,
                                           (int64_t)(uint32_t)(i * weyl[j])),
                              r->lanes);
            hi[j] = high_half(r, at[2 * j], k[j]);
            lo[j] = xk_number_let(r, "lo",
                                  xk_number_op(r, XK_OP_MUL, at[2 * j], k[j]));
        }
        at[0] =
            xk_number_let(r, "c0", xk_xor(c, xk_xor(c, hi[1], at[1]), key[0]));
        at[2] =
            xk_number_let(r, "c2", xk_xor(c, xk_xor(c, hi[0], at[3]), key[1]));
        at[1] = lo[1];
        at[3] = lo[0];
    }
    return at[2];
}

/* Random bits below the digits: a byte for formats of two bytes, else a word.
 */
static const xk_expr *noise(struct xk_number_room *r, enum xk_format f,
                            const xk_expr *number, const xk_expr *seed)
{
    xk_ctx *const c = r->w->c;
    const unsigned log2 =
        xk_format_bits(f) == 16 ? 2 : 1; /* parts of a number */
    const unsigned part_bits = 32u >> log2;
    const int64_t below = (INT64_C(1) << (24 - rows[f].digits)) - 1;
    const xk_expr *const x =
        philox_number(r, xk_number_op(r, XK_OP_SHR, number, log2), seed);
    const xk_expr *const part =
        xk_number_op(r, XK_OP_AND, number, (1 << log2) - 1);
    const xk_expr *const shifted =
        xk_bin(c, XK_OP_SHR, x, xk_number_op(r, XK_OP_MUL, part, part_bits));
    return xk_number_op(r, XK_OP_AND, shifted,
                        below & ((INT64_C(1) << part_bits) - 1));
}

const xk_expr *xk_round_at_random(struct xk_number_room *r, enum xk_format f,
                                  const xk_expr *x, const xk_expr *number,
                                  const xk_expr *seed)
{
    xk_ctx *const c = r->w->c;
    const uint32_t stays = UINT32_MAX << (24 - rows[f].digits);
    const xk_expr *const bits =
        xk_number_let(r, "bits", xk_bits(c, XK_DT_U32, x));
    const xk_expr *const useed = xk_bits(c, XK_DT_U32, seed);
    const xk_expr *const sum =
        xk_add(c, bits,
               noise(r, f, xk_number_let(r, "number", number),
                     xk_number_let(r, "key", useed)));
    const xk_expr *const m = xk_number_let(
        r, "m", xk_number_op(r, XK_OP_AND, sum, stays & 0x7fffffff));
    const xk_expr *const most = xk_number_op(r, XK_OP_MIN, m, rows[f].largest);
    const xk_expr *const zero = xk_bcast(c, xk_imm(c, XK_DT_U32, 0), r->lanes);
    const xk_expr *const in =
        xk_select(c, xk_number_op(r, XK_OP_LT, m, rows[f].least), zero, most);
    const xk_expr *const sign =
        xk_number_op(r, XK_OP_AND, bits, UINT32_C(0x80000000));
    const xk_expr *const nan = xk_number_op(
        r, XK_OP_GT, xk_number_op(r, XK_OP_AND, bits, 0x7fffffff), 0x7f800000);
    return xk_bits(c, XK_DT_F32, xk_select(c, nan, bits, xk_or(c, in, sign)));
}
