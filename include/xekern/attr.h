/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes: what else a convolution does besides multiplying and adding.
 * With every field 0 it does nothing else. (A device changes no result.) What
 * the generator cannot do yet is refused by xk_conv_query() with
 * XK_EUNSUPPORTED, the field and its value.
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

/* A convolution's tensors, in the order of a kernel's arguments. Argument
 * XK_ARG_RHS + i is the right-hand side of post-op i. Argument XK_ARG_SCALE + a
 * is the scale of tensor a, and XK_ARG_ZERO_POINT + a its zero point. Each is a
 * buffer. If the host gives the value, a scale is an f32 and a zero point an
 * s32 instead. */
enum xk_conv_arg {
    XK_ARG_SRC,
    XK_ARG_WEI,
    XK_ARG_BIA,
    XK_ARG_DST,
    XK_N_CONV_ARGS,
    XK_ARG_RHS = 16,
    XK_ARG_SCALE = 48,
    XK_ARG_ZERO_POINT = 52,
    XK_ARG_SEED = 56, /* of stochastic rounding: an s32 of the host */
    XK_N_PROGRAM_ARGS = 57
};

/* Where the values of a scale or a zero point come from. No value is known when
 * the program is created. */
enum xk_quant_source {
    XK_QUANT_NONE = 0,   /* there is none */
    XK_QUANT_DEVICE = 1, /* device memory, read by the kernel */
    XK_QUANT_HOST = 2,   /* one value that the host gives with each launch */
    /* Only for scales of dst: the kernel computes and writes them, one of type
     * e8m0 for 32 elements or for a group. */
    XK_QUANT_MX = 3,
    XK_QUANT_DYNAMIC = 4,
};

/* Scales or zero points of one tensor, as a dense array. Without a source the
 * other fields are 0. Along a dim outside
 * the mask the array has one value. Along a dim of the mask it has one value
 * for each element or, with a group, for so many elements. */
struct xk_quant {
    uint32_t source;   /* enum xk_quant_source */
    uint32_t mask;     /* bit d: values along dim d. 0: one value for all.
                          Output channels: src, dst 2; wei 1, grouped 3 */
    uint32_t type;     /* enum xk_data_type; default f32, zero points s32. A
                          value of the host's has the default in any case */
    uint32_t n_groups; /* 0, or 2: the group of each of the last two dims that
                          the mask has */
    int64_t group[2];  /* elements that share a value */
};

/* Lower precision in which f32 inputs may be multiplied. It is a permission,
 * not a demand. */
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

/* The rounding of the conversion to dst's type. ENVIRONMENT is to nearest, ties
 * to even. STOCHASTIC is up or down, by random numbers that follow from a seed,
 * which each launch takes, and from an element's number in the order of the
 * dims: docs/problems.md. It is for f16, bf16, f8_e5m2 and f8_e4m3; f32 has
 * nothing to round. */
enum xk_rounding_mode { XK_ROUND_ENVIRONMENT = 0, XK_ROUND_STOCHASTIC = 1 };

/* Elements of the result become 0 at random; the others are scaled up. The
 * probability, seed and offset come with each launch. */
struct xk_dropout {
    uint32_t source;           /* enum xk_quant_source: NONE, DEVICE or HOST */
    uint32_t has_offset;       /* 1: the random numbers begin at an offset */
    char mask_tag[XK_TAG_MAX]; /* which elements were kept, u8 with dst's dims;
                                  "undef": not written */
};

/* Later versions append fields of the descriptor here. */
struct xk_attr {
    struct xk_quant scale[XK_N_CONV_ARGS], zero_point[XK_N_CONV_ARGS];
    uint32_t math_mode;     /* enum xk_math_mode */
    uint32_t math_integers; /* 1: the permission is for integers, too */
    uint32_t acc_mode;      /* enum xk_acc_mode */
    uint32_t deterministic; /* 1: the same bits each time; 0: a gradient of
                               weights or bias may be added up in any order */
    uint32_t rounding[XK_N_CONV_ARGS]; /* enum xk_rounding_mode */
    struct xk_dropout dropout;
    /* The device that the kernels are for, as ocloc spells it: a product of the
     * platform ("dg2-g10": all its steppings that were sold), or one stepping
     * of it ("dg2-g10-c0"). "": every stepping of the platform but DG2-G10's A0
     * and A1, which no card has and which have to be named. xk_device_words()
     * lists the words. */
    char device[XK_TAG_MAX];
};

#endif
