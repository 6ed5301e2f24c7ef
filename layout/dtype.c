/* SPDX-License-Identifier: Apache-2.0 */
/* Element types: one row each. */
#include "layout/dtype.h"

#include <stddef.h>
#include <string.h>

enum { IS_INT = 1, IS_FLOAT = 2, IS_SIGNED = 4 };

static const struct {
    const char *name;
    uint8_t size_b, kind;
} types[XK_N_DTYPES] = {
    [XK_DT_UNDEF] = {"undef", 0, 0},
    [XK_DT_BOOL] = {"bool", 0, 0},
    [XK_DT_U8] = {"u8", 1, IS_INT},
    [XK_DT_S8] = {"s8", 1, IS_INT | IS_SIGNED},
    [XK_DT_U16] = {"u16", 2, IS_INT},
    [XK_DT_S16] = {"s16", 2, IS_INT | IS_SIGNED},
    [XK_DT_U32] = {"u32", 4, IS_INT},
    [XK_DT_S32] = {"s32", 4, IS_INT | IS_SIGNED},
    [XK_DT_U64] = {"u64", 8, IS_INT},
    [XK_DT_S64] = {"s64", 8, IS_INT | IS_SIGNED},
    [XK_DT_BF16] = {"bf16", 2, IS_FLOAT | IS_SIGNED},
    [XK_DT_F16] = {"f16", 2, IS_FLOAT | IS_SIGNED},
    [XK_DT_F32] = {"f32", 4, IS_FLOAT | IS_SIGNED},
    [XK_DT_F64] = {"f64", 8, IS_FLOAT | IS_SIGNED},
};

/* A number from outside the enum counts as UNDEF. */
static unsigned row(enum xk_dtype t)
{
    return (unsigned)t < XK_N_DTYPES ? (unsigned)t : XK_DT_UNDEF;
}

const char *xk_dtype_name(enum xk_dtype t)
{
    return types[row(t)].name;
}

enum xk_dtype xk_dtype_find(const char *name, uint32_t n)
{
    for (unsigned i = XK_DT_UNDEF + 1; i < XK_N_DTYPES; i++) {
        if (strlen(types[i].name) == n && memcmp(types[i].name, name, n) == 0)
            return (enum xk_dtype)i;
    }
    return XK_DT_UNDEF;
}

unsigned xk_dtype_b(enum xk_dtype t)
{
    return types[row(t)].size_b;
}

bool xk_dtype_is_float(enum xk_dtype t)
{
    return types[row(t)].kind & IS_FLOAT;
}

bool xk_dtype_is_int(enum xk_dtype t)
{
    return types[row(t)].kind & IS_INT;
}

bool xk_dtype_is_signed(enum xk_dtype t)
{
    return types[row(t)].kind & IS_SIGNED;
}
