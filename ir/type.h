/* SPDX-License-Identifier: Apache-2.0 */
/* IR types: an element type and a lane count, or a pointer to a buffer. */
#ifndef XK_IR_TYPE_H
#define XK_IR_TYPE_H

#include "layout/dtype.h"

enum xk_space { XK_SPACE_NONE, XK_SPACE_GLOBAL, XK_SPACE_SLM, XK_SPACE_GRF };

struct xk_type {
    uint8_t dt;     /* enum xk_dtype; UNDEF for pointers */
    uint8_t space;  /* enum xk_space; NONE: a value */
    uint16_t lanes; /* 1: scalar */
};

static inline struct xk_type xk_type_vec(enum xk_dtype dt, unsigned lanes)
{
    const struct xk_type t = {(uint8_t)dt, XK_SPACE_NONE, (uint16_t)lanes};
    return t;
}

static inline struct xk_type xk_type_ptr(enum xk_space space)
{
    const struct xk_type t = {XK_DT_UNDEF, (uint8_t)space, 1};
    return t;
}

static inline bool xk_type_eq(struct xk_type a, struct xk_type b)
{
    return a.dt == b.dt && a.space == b.space && a.lanes == b.lanes;
}

#endif
