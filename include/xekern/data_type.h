/* SPDX-License-Identifier: Apache-2.0 */
/* Types of tensor elements, and limits of every tensor. */
#ifndef XK_DATA_TYPE_H
#define XK_DATA_TYPE_H

/* All types that oneDNN has. xk_conv_query() says which of them a kernel can be
 * generated for, and for which tensors. */
enum xk_data_type {
    XK_TYPE_DEFAULT = 0, /* f32; dst: the type of src */
    XK_F32 = 1,
    XK_F16 = 2,
    XK_BF16 = 3,
    XK_S32 = 4,
    XK_S8 = 5,
    XK_U8 = 6,
    XK_F64 = 7,
    XK_F8_E5M2 = 8, /* 1 sign, 5 exponent and 2 mantissa bits; has infinities */
    XK_F8_E4M3 = 9, /* no infinities, one NaN; OCP's, not AMD's */
    XK_F4_E2M1 = 10, /* two elements a byte, the even one in the low bits */
    XK_F4_E3M0 = 11,
    XK_S4 = 12, /* two elements a byte */
    XK_U4 = 13,
    XK_E8M0 = 14, /* a power of two: only scales have it */
    XK_BOOLEAN = 15,
    XK_N_DATA_TYPES
};

#define XK_TAG_MAX 32  /* characters of a layout's tag, with the 0 */
#define XK_MAX_NDIMS 6 /* of a tensor: weights with groups and depth */

#endif
