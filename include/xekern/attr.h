/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes: what else a convolution does besides multiplying and adding.
 * With every field 0 it does nothing else. What the generator cannot do yet is
 * refused by xk_conv_query() with XK_EUNSUPPORTED, the field and its value.
 *
 * In real numbers, oc and ic being the channels of the element:
 *
 *   x   = sum over taps inside of src:
 *             (src - zero_point[SRC]) * scale[SRC] *
 *             (wei - zero_point[WEI]) * scale[WEI]
 *   y   = post-ops applied to x + bia, in their order
 *   dst = y / scale[DST] + zero_point[DST], converted to dst's type
 *
 * Padding of src counts as 0 after the zero point has been subtracted. */
#ifndef XK_ATTR_H
#define XK_ATTR_H

#include <stdint.h>

#include "xekern/data_type.h"

/* A convolution's tensors, and the order of a kernel's arguments. The
 * right-hand side of post-op i is argument XK_ARG_RHS + i, the scale of tensor
 * a XK_ARG_SCALE + a, its zero point XK_ARG_ZERO_POINT + a: a buffer, or where
 * the host gives it a value, f32 of a scale and s32 of a zero point. */
enum xk_conv_arg {
    XK_ARG_SRC,
    XK_ARG_WEI,
    XK_ARG_BIA,
    XK_ARG_DST,
    XK_N_CONV_ARGS,
    XK_ARG_RHS = 16,
    XK_ARG_SCALE = 48,
    XK_ARG_ZERO_POINT = 52,
    XK_N_PROGRAM_ARGS = 56
};

/* Where the values of a scale or a zero point come from. None is known when
 * the program is created. */
enum xk_quant_source {
    XK_QUANT_NONE = 0,   /* there is none */
    XK_QUANT_DEVICE = 1, /* device memory, read by the kernel */
    XK_QUANT_HOST = 2,   /* one value that the host gives with each launch */
    /* Scales of dst alone: the kernel computes and writes them, one of type
     * e8m0 for 32 elements, or as its group says. */
    XK_QUANT_MX = 3,
    XK_QUANT_DYNAMIC = 4,
};

/* Scales or zero points of one tensor. The array is dense; of a dim that the
 * mask leaves out it has one value, of the others one an element or, with a
 * group, one for so many elements. */
struct xk_quant {
    uint32_t source;   /* enum xk_quant_source */
    uint32_t mask;     /* bit d: values along dim d. 0: one value for all.
                          Output channels: src, dst 2; wei 1, grouped 3 */
    uint32_t type;     /* enum xk_data_type; default f32, zero points s32 */
    uint32_t n_groups; /* 0, or 2: the group of each of the last two dims that
                          the mask has */
    int64_t group[2];  /* elements that share a value */
};

/* Lower precision that f32 inputs may be multiplied in. It is a permission. */
enum xk_math_mode {
    XK_MATH_STRICT = 0,
    XK_MATH_BF16 = 1,
    XK_MATH_F16 = 2,
    XK_MATH_TF32 = 3,
    XK_MATH_ANY = 4,
};

/* The accumulator. STRICT is f32, s32 for integers, f64 for f64. RELAXED and
 * ANY permit less; a type demands it. */
enum xk_acc_mode {
    XK_ACC_STRICT = 0,
    XK_ACC_RELAXED = 1,
    XK_ACC_ANY = 2,
    XK_ACC_F32 = 3,
    XK_ACC_S32 = 4,
    XK_ACC_F16 = 5,
};

/* The conversion to dst's type. The environment's is to nearest, ties to even.
 * The stochastic one takes a seed with each launch. */
enum xk_rounding_mode { XK_ROUND_ENVIRONMENT = 0, XK_ROUND_STOCHASTIC = 1 };

/* Elements of the result become 0 by chance, the others grow. Probability, seed
 * and offset come with each launch. */
struct xk_dropout {
    uint32_t source;           /* enum xk_quant_source: NONE, DEVICE or HOST */
    uint32_t has_offset;       /* 1: the random numbers begin at an offset */
    char mask_tag[XK_TAG_MAX]; /* what was kept, u8 of dst's dims; "undef": it
                                  is not written */
};

/* Later versions append fields here. */
struct xk_attr {
    struct xk_quant scale[XK_N_CONV_ARGS], zero_point[XK_N_CONV_ARGS];
    uint32_t math_mode;     /* enum xk_math_mode */
    uint32_t math_integers; /* 1: the permission is for integers, too */
    uint32_t acc_mode;      /* enum xk_acc_mode */
    uint32_t deterministic; /* 1: the same bits each time; they always are */
    uint32_t rounding[XK_N_CONV_ARGS]; /* enum xk_rounding_mode */
    struct xk_dropout dropout;
};

#endif
