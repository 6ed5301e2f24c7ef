/* SPDX-License-Identifier: Apache-2.0 */
/* Single precision beyond floats.cl. Contraction is off where the result is
 * compared exactly. */
#pragma OPENCL FP_CONTRACT OFF

// @ f32_modifiers out:float:8 in:float:1 in:float:1
kernel void f32_modifiers(global float *out, global const float *a,
                          global const float *b)
{
    const int i = get_global_id(0);
    const float x = a[i], y = b[i];
    out[8 * i + 0] = -x + y;
    out[8 * i + 1] = fabs(x) * -fabs(y);
    out[8 * i + 2] = fma(-x, y, fabs(x));
    out[8 * i + 3] = fma(x, -y, -x);
    out[8 * i + 4] = clamp(x * y, 0.0f, 1.0f);
    out[8 * i + 5] = copysign(x, y);
    out[8 * i + 6] = fma(x, 3.25f, y);
    out[8 * i + 7] = clamp(fma(x, y, 0.5f), 0.0f, 1.0f);
}

// @ f32_rounding out:float:6 in:float:1
kernel void f32_rounding(global float *out, global const float *a)
{
    const int i = get_global_id(0);
    out[6 * i + 0] = floor(a[i] * 0.25f);
    out[6 * i + 1] = ceil(a[i] * 0.25f);
    out[6 * i + 2] = trunc(a[i] * 0.25f);
    out[6 * i + 3] = rint(a[i] * 0.25f);
    out[6 * i + 4] = round(a[i] * 0.25f);
    out[6 * i + 5] = a[i] - floor(a[i]);
}

// @ f32_select out:float:4 in:float:1 in:float:1
kernel void f32_select(global float *out, global const float *a,
                       global const float *b)
{
    const int i = get_global_id(0);
    const float x = a[i], y = b[i];
    out[4 * i + 0] = x > 0.0f ? x : y;
    out[4 * i + 1] = select(x, y, (int)(x < y));
    out[4 * i + 2] = fmin(fmax(x, -1.0f), 1.0f);
    out[4 * i + 3] = step(x, y) + sign(x);
}

// @ f32_classes out:int:1 in:uint:1
kernel void f32_classes(global int *out, global const uint *a)
{
    const int i = get_global_id(0);
    const float x = as_float(a[i]);
    out[i] = isnan(x) | isinf(x) << 1 | isfinite(x) << 2 | isnormal(x) << 3 |
             signbit(x) << 4 | isless(x, 1.0f) << 5 |
             islessgreater(x, 2.0f) << 6;
}

// @ f32_polynomial out:float:1 in:float:1:-2..2
kernel void f32_polynomial(global float *out, global const float *a)
{
    const int i = get_global_id(0);
    float x = a[i], y = 0.001f;
    for (int k = 0; k < 8; k++)
        y = fma(y, x, 0.5f + k);
    out[i] = y;
}

// @ f32_dot4 out:float:1 in:float4:1 in:float4:1 ulp=16
kernel void f32_dot4(global float *out, global const float4 *a,
                     global const float4 *b)
{
    const int i = get_global_id(0);
    out[i] = dot(a[i], b[i]) + length(a[i].xy);
}

// @ f32_mad out:float:2 in:float:1 in:float:1 in:float:1 ulp=2
kernel void f32_mad(global float *out, global const float *a,
                    global const float *b, global const float *c)
{
    const int i = get_global_id(0);
    out[2 * i + 0] = mad(a[i], b[i], c[i]);
    out[2 * i + 1] = mad(-a[i], c[i], 7.0f);
}

// @ f32_mix out:float:2 in:float:1 in:float:1 ulp=16
kernel void f32_mix(global float *out, global const float *a,
                    global const float *b)
{
    const int i = get_global_id(0);
    out[2 * i + 0] = mix(a[i], b[i], 0.25f);
    out[2 * i + 1] = smoothstep(-10.0f, 10.0f, a[i]);
}

// @ f32_denormals out:float:3 in:uint:1:0..8388607
kernel void f32_denormals(global float *out, global const uint *a)
{
    const int i = get_global_id(0);
    const float x = as_float(a[i]);
    out[3 * i + 0] = x * 2.0f;
    out[3 * i + 1] = x + x;
    out[3 * i + 2] = fma(x, 4.0f, x);
}

// @ f32_bits out:int:3 in:float:1:0.001..1000
kernel void f32_bits(global int *out, global const float *a)
{
    const int i = get_global_id(0);
    int e;
    const float m = frexp(a[i], &e);
    out[3 * i + 0] = e;
    out[3 * i + 1] = as_int(m);
    out[3 * i + 2] = as_int(ldexp(a[i], e & 7)) + ilogb(a[i]);
}
