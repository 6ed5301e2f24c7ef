/* SPDX-License-Identifier: Apache-2.0 */
/* Element types: one row each. */
#include "layout/dtype.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    uint8_t size_b;
    bool is_signed;
} types[XK_N_DTYPES] = {
    [XK_DT_UNDEF] = {"undef", 0, false}, [XK_DT_BOOL] = {"bool", 0, false},
    [XK_DT_U8] = {"u8", 1, false},       [XK_DT_S8] = {"s8", 1, true},
    [XK_DT_U16] = {"u16", 2, false},     [XK_DT_S16] = {"s16", 2, true},
    [XK_DT_U32] = {"u32", 4, false},     [XK_DT_S32] = {"s32", 4, true},
    [XK_DT_U64] = {"u64", 8, false},     [XK_DT_S64] = {"s64", 8, true},
    [XK_DT_BF16] = {"bf16", 2, true},    [XK_DT_F16] = {"f16", 2, true},
    [XK_DT_F32] = {"f32", 4, true},      [XK_DT_F64] = {"f64", 8, true},
};

/* A number from outside the enum counts as UNDEF. */
static unsigned dtype_row(enum xk_dtype t)
{
    return (unsigned)t < XK_N_DTYPES ? (unsigned)t : XK_DT_UNDEF;
}

const char *xk_dtype_name(enum xk_dtype t)
{
    return types[dtype_row(t)].name;
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
    return types[dtype_row(t)].size_b;
}

bool xk_dtype_is_signed(enum xk_dtype t)
{
    return types[dtype_row(t)].is_signed;
}
