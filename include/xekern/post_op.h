/* SPDX-License-Identifier: Apache-2.0 */
/* Post-ops: operations on each element of a result before it is stored, in
 * order. xekern.h includes this header. docs/post-ops.md has each kind's
 * arithmetic. */
#ifndef XK_XEKERN_POST_OP_H
#define XK_XEKERN_POST_OP_H

#include <stddef.h>
#include <stdint.h>

#include "xekern/data_type.h"
#include "xekern/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum xk_post_op_kind {
    XK_POST_RELU = 1,
    XK_POST_SUM,
    XK_POST_LINEAR,
    XK_POST_ABS,
    XK_POST_CLIP,
    XK_POST_CLIP_V2,
    XK_POST_HARDSIGMOID,
    XK_POST_HARDSWISH,
    XK_POST_SQUARE,
    XK_POST_RELU_DST,
    XK_POST_CLIP_V2_DST,
    XK_POST_ADD,
    XK_POST_MUL,
    XK_POST_SUB,
    XK_POST_MIN,
    XK_POST_MAX,
    XK_POST_GE,
    XK_POST_GT,
    XK_POST_LE,
    XK_POST_LT,
    XK_POST_EQ,
    XK_POST_NE,
    XK_POST_PRELU,
    XK_POST_DIV,
    XK_POST_ROUND,
    XK_POST_SQRT,
    XK_POST_LOG,
    XK_POST_EXP,
    XK_POST_LOGISTIC,
    XK_POST_TANH,
    XK_POST_ELU,
    XK_POST_SOFT_RELU,
    XK_POST_SWISH,
    XK_POST_MISH,
    XK_POST_GELU_TANH,
    XK_POST_GELU_ERF,
    XK_POST_POW,
    XK_POST_SQRT_DST,
    XK_POST_EXP_DST,
    XK_POST_LOGISTIC_DST,
    XK_POST_TANH_DST,
    XK_POST_ELU_DST,
};

#define XK_MAX_POST_OPS 32
/* Fields that a kind does not use are 0. */
struct xk_post_op {
    uint32_t kind;      /* enum xk_post_op_kind */
    float alpha, beta;  /* what the kind says; sum: alpha is what the old
                           destination is multiplied by, 0 stands for 1 */
    int32_t zero_point; /* sum: subtracted from the old destination first */
    uint32_t type; /* enum xk_data_type: of a binary kind's right-hand side,
                      DEFAULT: f32; of the old destination of a sum,
                      DEFAULT: that of dst */
    uint32_t mask; /* binary and prelu: bit i: the right-hand side has dim i of
                      dst, else it is the same along that; UINT32_MAX: all */
    char tag[XK_TAG_MAX]; /* its layout; "" or "any": where it is as large as
                             dst it lies as dst does, else channels innermost */
};

/* Reads benchdnn's words ("relu:0.5+sum:2+add:f32:per_oc", "" for none) into
 * ops[XK_MAX_POST_OPS] and their number into *n; a sum of factor 0 adds nothing
 * and is none of them. XK_EINVAL: the text is malformed. XK_EUNSUPPORTED:
 * benchdnn has it and xekern does not. */
XK_API enum xk_status xk_post_ops_parse(const char *text,
                                        struct xk_post_op *ops, uint32_t *n,
                                        struct xk_error *err);
/* Writes the shortest such text and returns its full length (as snprintf).
 * Parsing it gives the same post-ops. "" if ops is NULL. */
XK_API size_t xk_post_ops_print(const struct xk_post_op *ops, uint32_t n,
                                char *out, size_t out_size);

#ifdef __cplusplus
}
#endif
#endif
