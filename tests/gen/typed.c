/* SPDX-License-Identifier: Apache-2.0 */
#include "typed.h"

#include "base/half.h"

void typed_put(enum xk_dtype t, void *data, int64_t e, double v)
{
    switch (t) {
    case XK_DT_F32:
        ((float *)data)[e] = (float)v;
        break;
    case XK_DT_F16:
        ((uint16_t *)data)[e] = xk_half_from_float((float)v);
        break;
    case XK_DT_BF16:
        ((uint16_t *)data)[e] = xk_bf16_from_float((float)v);
        break;
    case XK_DT_S32:
        ((int32_t *)data)[e] = (int32_t)v;
        break;
    default:
        ((uint8_t *)data)[e] = (uint8_t)(int)v;
        break;
    }
}

double typed_get(enum xk_dtype t, const void *data, int64_t e)
{
    switch (t) {
    case XK_DT_F32:
        return (double)((const float *)data)[e];
    case XK_DT_F16:
        return (double)xk_half_to_float(((const uint16_t *)data)[e]);
    case XK_DT_BF16:
        return (double)xk_bf16_to_float(((const uint16_t *)data)[e]);
    case XK_DT_S32:
        return ((const int32_t *)data)[e];
    case XK_DT_S8:
        return ((const int8_t *)data)[e];
    default:
        return ((const uint8_t *)data)[e];
    }
}

double typed_as(enum xk_dtype t, double v)
{
    if (t == XK_DT_F16)
        return (double)xk_half_to_float(xk_half_from_float((float)v));
    if (t == XK_DT_BF16)
        return (double)xk_bf16_to_float(xk_bf16_from_float((float)v));
    if (t == XK_DT_U8)
        return v < 0 ? 0 : v > 255 ? 255 : v;
    if (t == XK_DT_S8)
        return v < -128 ? -128 : v > 127 ? 127 : v;
    return v;
}
