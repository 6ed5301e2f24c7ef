/* SPDX-License-Identifier: Apache-2.0 */
/* How memory holds a number: the types that registers have, too, and narrower
 * ones that are converted on the way. */
#ifndef XK_LAYOUT_NUMBER_FORMAT_H
#define XK_LAYOUT_NUMBER_FORMAT_H

#include "layout/dtype.h"

enum xk_format {
    XK_FORMAT_F32,
    XK_FORMAT_F16,
    XK_FORMAT_BF16,
    XK_FORMAT_S32,
    XK_FORMAT_S8,
    XK_FORMAT_U8,
    /* OCP's 8-bit floats: 1 sign, 5 and 2 bits, with infinities; and 4 and 3,
     * without, whose only NaN is 0x7f. */
    XK_FORMAT_F8_E5M2,
    XK_FORMAT_F8_E4M3,
    /* Two elements a byte, the even one in the low bits. */
    XK_FORMAT_F4_E2M1, /* 0, 0.5, 1, 1.5, 2, 3, 4, 6 and a sign */
    XK_FORMAT_S4,
    XK_FORMAT_U4,
    XK_FORMAT_E8M0, /* 2^(code - 127), 255 is a NaN; is only read */
    XK_N_FORMATS
};

/* Bits of an element: 4, 8, 16 or 32. */
static inline unsigned xk_format_bits(enum xk_format f)
{
    switch (f) {
    case XK_FORMAT_F32:
    case XK_FORMAT_S32:
        return 32;
    case XK_FORMAT_F16:
    case XK_FORMAT_BF16:
        return 16;
    case XK_FORMAT_F4_E2M1:
    case XK_FORMAT_S4:
    case XK_FORMAT_U4:
        return 4;
    default:
        return 8;
    }
}
/* The type of registers that is the same; XK_DT_UNDEF: there is none. */
static inline enum xk_dtype xk_format_dtype(enum xk_format f)
{
    static const enum xk_dtype same[XK_N_FORMATS] = {
        [XK_FORMAT_F32] = XK_DT_F32,   [XK_FORMAT_F16] = XK_DT_F16,
        [XK_FORMAT_BF16] = XK_DT_BF16, [XK_FORMAT_S32] = XK_DT_S32,
        [XK_FORMAT_S8] = XK_DT_S8,     [XK_FORMAT_U8] = XK_DT_U8};
    return same[f];
}

#endif
