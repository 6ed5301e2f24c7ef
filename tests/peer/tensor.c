/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "peer.h"

size_t peer_md_offset(const dnnl_memory_desc_t *md, const dnnl_dim_t *at)
{
    const dnnl_blocking_desc_t *const b = &md->format_desc.blocking;
    dnnl_dims_t rest;
    memcpy(rest, at, sizeof rest);
    size_t offset = (size_t)md->offset0, inner = 1;
    for (int k = b->inner_nblks - 1; k >= 0; k--) {
        const dnnl_dim_t size = b->inner_blks[k];
        dnnl_dim_t *const r = &rest[b->inner_idxs[k]];
        offset += (size_t)(*r % size) * inner;
        *r /= size;
        inner *= (size_t)size;
    }
    for (int k = 0; k < md->ndims; k++)
        offset += (size_t)(rest[k] * b->strides[k]);
    return offset;
}

bool peer_next(const dnnl_memory_desc_t *md, const dnnl_dim_t *limit,
               dnnl_dim_t *at)
{
    for (int k = md->ndims - 1; k >= 0; k--) {
        if (++at[k] < limit[k])
            return true;
        at[k] = 0;
    }
    return false;
}

static float float_of_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static uint32_t bits_of_float(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static float half_to_float(uint16_t h)
{
    const int exponent = h >> 10 & 31, mantissa = h & 1023;
    const float sign = h & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 31)
        return mantissa ? NAN : sign * INFINITY;
    if (!exponent)
        return sign * ldexpf((float)mantissa, -24);
    return sign * ldexpf((float)(mantissa + 1024), exponent - 25);
}

/* Half to even, through the unit in the last place of the value. */
static uint16_t float_to_half(float f)
{
    const uint16_t sign = (uint16_t)(bits_of_float(f) >> 16 & 0x8000);
    const float a = fabsf(f);
    if (isnan(f))
        return 0x7e00;
    if (a >= 65520.0f)
        return (uint16_t)(sign | 0x7c00);
    int e;
    frexpf(a, &e);
    const int ulp = a < 0x1p-14f ? -24 : e - 11;
    const float steps = rintf(ldexpf(a, -ulp));
    if (ulp == -24)
        return (uint16_t)(sign | (uint16_t)steps);
    return (uint16_t)(sign | ((uint32_t)(e + 14) * 1024 +
                              (uint32_t)(steps - 1024.0f)));
}

static uint16_t float_to_bf16(float f)
{
    const uint32_t u = bits_of_float(f);
    if (isnan(f))
        return 0x7fc0;
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

float peer_load(dnnl_data_type_t t, const void *base, size_t k)
{
    switch (t) {
    case dnnl_f16:
        return half_to_float(((const uint16_t *)base)[k]);
    case dnnl_bf16:
        return float_of_bits((uint32_t)((const uint16_t *)base)[k] << 16);
    case dnnl_s32:
        return (float)((const int32_t *)base)[k];
    case dnnl_s8:
        return ((const int8_t *)base)[k];
    case dnnl_u8:
        return ((const uint8_t *)base)[k];
    default:
        return ((const float *)base)[k];
    }
}

static float saturate(float v, float low, float high)
{
    return isnan(v) ? 0.0f : rintf(fminf(fmaxf(v, low), high));
}

void peer_store(dnnl_data_type_t t, void *base, size_t k, float v)
{
    switch (t) {
    case dnnl_f16:
        ((uint16_t *)base)[k] = float_to_half(v);
        break;
    case dnnl_bf16:
        ((uint16_t *)base)[k] = float_to_bf16(v);
        break;
    case dnnl_s32:
        ((int32_t *)base)[k] = (int32_t)saturate(v, -0x1p31f, 0x1.fffffep30f);
        break;
    case dnnl_s8:
        ((int8_t *)base)[k] = (int8_t)saturate(v, -128, 127);
        break;
    case dnnl_u8:
        ((uint8_t *)base)[k] = (uint8_t)saturate(v, 0, 255);
        break;
    default:
        ((float *)base)[k] = v;
    }
}

float peer_round(dnnl_data_type_t t, float v)
{
    float space;
    peer_store(t, &space, 0, v);
    return peer_load(t, &space, 0);
}

static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static bool is_positive(const struct peer_case *c, int arg)
{
    if (c->op == PEER_ELTWISE && arg != DNNL_ARG_DIFF_DST)
        return c->alg == dnnl_eltwise_log || c->alg == dnnl_eltwise_sqrt ||
               c->alg == dnnl_eltwise_sqrt_use_dst_for_bwd ||
               c->alg == dnnl_eltwise_pow ||
               c->alg == dnnl_eltwise_exp_use_dst_for_bwd ||
               c->alg == dnnl_eltwise_logistic_use_dst_for_bwd;
    return false;
}

/* Functions get quarters, everything else small whole numbers, so that sums
 * and products are exact. Divisors are powers of two, variances of four; what
 * is normalised has mean 0, as benchdnn's nearly has. */
float peer_value(const struct peer_case *c, int arg, dnnl_data_type_t t,
                 size_t k)
{
    const uint32_t r = mixed((uint32_t)k * 97u + (uint32_t)arg * 7919u + 1u);
    const bool is_sum = c->op == PEER_CONV || c->op == PEER_DECONV ||
                        c->op == PEER_MATMUL || c->op == PEER_IP;
    if (c->op == PEER_REDUCTION && c->alg == dnnl_reduction_mul)
        return r % 16 == 0 ? 2.0f : r % 3 ? 1.0f : t == dnnl_u8 ? 1.0f : -1.0f;
    if (c->op == PEER_BINARY && c->alg == dnnl_binary_div &&
        arg == DNNL_ARG_SRC_1)
        return (float)(1 << r % 4);
    if (arg == DNNL_ARG_VARIANCE)
        return (float)(1 << 2 * (r % 3));
    if ((c->op == PEER_BNORM || c->op == PEER_LNORM) && arg == DNNL_ARG_SRC)
        return (float)((k & 1 ? -1 : 1) * (1 << mixed((uint32_t)(k / 2)) % 4));
    if (is_positive(c, arg))
        return (float)(r % 32 + 1) * (t == dnnl_s8 || t == dnnl_u8 ? 1 : 0.25f);
    if (t == dnnl_u8)
        return (float)(r % (is_sum ? 5 : 60));
    if (t == dnnl_s8 || t == dnnl_s32)
        return is_sum ? (float)(r % 7) - 3 : (float)(r % 60) - 30;
    if (is_sum)
        return (float)(r % 5) - 2;
    return ((float)(r % 65) - 32) * 0.25f;
}

const char *peer_type_name(dnnl_data_type_t t)
{
    static const char *const name[] = {"undef", "f16", "bf16", "f32",
                                       "s32",   "s8",  "u8"};
    return (unsigned)t < 7 ? name[t] : "?";
}
