/* SPDX-License-Identifier: Apache-2.0 */
/* Half precision arithmetic. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

// @ f16_basic out:half:6 in:half:1:-30..30 in:half:1:-30..30 needs=half
kernel void f16_basic(global half *out, global const half *a,
                      global const half *b)
{
    const int i = get_global_id(0);
    out[6 * i + 0] = a[i] + b[i];
    out[6 * i + 1] = a[i] - b[i];
    out[6 * i + 2] = a[i] * b[i];
    out[6 * i + 3] = fma(a[i], b[i], a[i]);
    out[6 * i + 4] = fma(-a[i], b[i], (half)1.5h);
    out[6 * i + 5] = -fabs(a[i]) * 0.5h;
}

// @ f16_select out:half:4 out:int:1 in:half:1 in:half:1 needs=half
kernel void f16_select(global half *out, global int *flags,
                       global const half *a, global const half *b)
{
    const int i = get_global_id(0);
    const half x = a[i], y = b[i];
    out[4 * i + 0] = fmin(x, y);
    out[4 * i + 1] = fmax(x, y);
    out[4 * i + 2] = x < y ? x : (half)2;
    out[4 * i + 3] = clamp(x, (half)0, (half)1);
    flags[i] = (x < y) | (x == y) << 1 | (x >= y) << 2 | isnan(x) << 3;
}

// @ f16_rounding out:half:5 in:half:1 needs=half
kernel void f16_rounding(global half *out, global const half *a)
{
    const int i = get_global_id(0);
    out[5 * i + 0] = floor(a[i]);
    out[5 * i + 1] = ceil(a[i]);
    out[5 * i + 2] = trunc(a[i]);
    out[5 * i + 3] = rint(a[i]);
    out[5 * i + 4] = round(a[i]);
}

// @ f16_mixed out:float:3 in:half:1 in:float:1 needs=half
kernel void f16_mixed(global float *out, global const half *a,
                      global const float *b)
{
    const int i = get_global_id(0);
    out[3 * i + 0] = (float)a[i] + b[i];
    out[3 * i + 1] = (float)a[i] * (float)a[i];
    out[3 * i + 2] = fma((float)a[i], b[i], (float)a[i]);
}

// @ f16_math out:half:6 in:half:1:0.125..8 needs=half ulp=4
kernel void f16_math(global half *out, global const half *a)
{
    const int i = get_global_id(0);
    out[6 * i + 0] = sqrt(a[i]);
    out[6 * i + 1] = native_recip((float)a[i]);
    out[6 * i + 2] = exp2(a[i]);
    out[6 * i + 3] = log2(a[i]);
    out[6 * i + 4] = sin(a[i]);
    out[6 * i + 5] = rsqrt(a[i]);
}

// @ f16_vectors out:half8:1 in:half8:1:-30..30 in:half8:1:-30..30 needs=half
kernel void f16_vectors(global half8 *out, global const half8 *a,
                        global const half8 *b)
{
    const int i = get_global_id(0);
    out[i] = a[i] * b[i] + a[i].s76543210;
}

// @ f16_storage out:half:4 in:half:4 in:float:4
kernel void f16_storage(global half *out, global const half *a,
                        global const float *b)
{
    const int i = get_global_id(0);
    const float4 v = vload_half4(i, a) + vload4(i, b);
    vstore_half4_rtz(v, i, out);
}

// @ f16_integers out:half:4 in:char:1 in:ushort:1 in:int:1:-2000..2000
//   needs=half
kernel void f16_integers(global half *out, global const char *a,
                         global const ushort *b, global const int *c)
{
    const int i = get_global_id(0);
    out[4 * i + 0] = a[i];
    out[4 * i + 1] = (half)(b[i] & 0xfff);
    out[4 * i + 2] = c[i];
    out[4 * i + 3] = (half)((long)c[i] + a[i]);
}

// @ f16_divide out:half:2 in:half:1 in:half:1:1..100 needs=half ulp=2
kernel void f16_divide(global half *out, global const half *a,
                       global const half *b)
{
    const int i = get_global_id(0);
    out[2 * i + 0] = a[i] / b[i];
    out[2 * i + 1] = (half)1 / b[i];
}
