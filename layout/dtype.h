/* SPDX-License-Identifier: Apache-2.0 */
/* Element types of tensors, IR values and register tiles. */
#ifndef XK_LAYOUT_DTYPE_H
#define XK_LAYOUT_DTYPE_H

#include <stdbool.h>
#include <stdint.h>

enum xk_dtype {
    XK_DT_UNDEF,
    XK_DT_BOOL, /* one flag bit a lane; IR only */
    XK_DT_U8,
    XK_DT_S8,
    XK_DT_U16,
    XK_DT_S16,
    XK_DT_U32,
    XK_DT_S32,
    XK_DT_U64,
    XK_DT_S64,
    XK_DT_BF16,
    XK_DT_F16,
    XK_DT_F32,
    XK_DT_F64,
    XK_N_DTYPES
};

const char *xk_dtype_name(enum xk_dtype t); /* "f32"; benchdnn's spelling */
/* XK_DT_UNDEF if the name (n characters) is unknown. */
enum xk_dtype xk_dtype_find(const char *name, uint32_t n);
unsigned xk_dtype_b(enum xk_dtype t);     /* bytes of one element, 0 for BOOL */
bool xk_dtype_is_signed(enum xk_dtype t); /* floats are */

/* Asked of every node again and again, hence here; by the order of the enum. */
static inline bool xk_dtype_is_int(enum xk_dtype t) /* BOOL is not */
{
    return t >= XK_DT_U8 && t <= XK_DT_S64;
}
static inline bool xk_dtype_is_dword(enum xk_dtype t) /* integers of one */
{
    return t == XK_DT_U32 || t == XK_DT_S32;
}
static inline bool xk_dtype_is_float(enum xk_dtype t)
{
    return t >= XK_DT_BF16 && t <= XK_DT_F64;
}

#endif
