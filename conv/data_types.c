/* SPDX-License-Identifier: Apache-2.0 */
/* The public data types, a row each. */
#include "conv/tensors.h"

#include <string.h>

static const struct {
    const char *name;
    enum xk_dtype dtype; /* UNDEF: no kernel has it */
    bool is_int;
} types[XK_N_DATA_TYPES] = {
    [XK_F32] = {"f32", XK_DT_F32, false},
    [XK_F16] = {"f16", XK_DT_F16, false},
    [XK_BF16] = {"bf16", XK_DT_BF16, false},
    [XK_S32] = {"s32", XK_DT_S32, true},
    [XK_S8] = {"s8", XK_DT_S8, true},
    [XK_U8] = {"u8", XK_DT_U8, true},
    [XK_F64] = {"f64", XK_DT_F64, false},
    [XK_F8_E5M2] = {"f8_e5m2", XK_DT_UNDEF, false},
    [XK_F8_E4M3] = {"f8_e4m3", XK_DT_UNDEF, false},
    [XK_F4_E2M1] = {"f4_e2m1", XK_DT_UNDEF, false},
    [XK_F4_E3M0] = {"f4_e3m0", XK_DT_UNDEF, false},
    [XK_S4] = {"s4", XK_DT_UNDEF, true},
    [XK_U4] = {"u4", XK_DT_UNDEF, true},
    [XK_E8M0] = {"e8m0", XK_DT_UNDEF, false},
    [XK_BOOLEAN] = {"boolean", XK_DT_UNDEF, false},
};

const char *xk_conv_type_name(uint32_t data_type)
{
    return data_type < XK_N_DATA_TYPES ? types[data_type].name : NULL;
}

enum xk_dtype xk_conv_dtype(uint32_t data_type)
{
    return data_type < XK_N_DATA_TYPES ? types[data_type].dtype : XK_DT_UNDEF;
}

bool xk_conv_type_is_int(uint32_t data_type)
{
    return data_type < XK_N_DATA_TYPES && types[data_type].is_int;
}

uint32_t xk_conv_type_named(const char *name, size_t n)
{
    for (uint32_t t = XK_F32; t < XK_N_DATA_TYPES; t++)
        if (strlen(types[t].name) == n && !memcmp(types[t].name, name, n))
            return t;
    return 0;
}
