/* SPDX-License-Identifier: Apache-2.0 */
/* Floats, halves and conversions; only operations that OpenCL or the device
 * rounds correctly, so that the reference can be exact. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// @ basics out:float:10 in:float:1 in:float:1
kernel void basics(global float *out, global const float *a,
                   global const float *b)
{
    const int i = get_global_id(0);
    out[10 * i + 0] = a[i] + b[i];
    out[10 * i + 1] = a[i] * b[i];
    out[10 * i + 2] = fma(a[i], b[i], -a[i]);
    out[10 * i + 3] = fmin(a[i], b[i]);
    out[10 * i + 4] = fmax(a[i], b[i]);
    out[10 * i + 5] = floor(a[i]);
    out[10 * i + 6] = ceil(a[i]);
    out[10 * i + 7] = rint(a[i]);
    out[10 * i + 8] = trunc(a[i]);
    out[10 * i + 9] = fabs(a[i]) - b[i];
}

// @ compares out:int:1 in:float:1 in:float:1
kernel void compares(global int *out, global const float *a,
                     global const float *b)
{
    const int i = get_global_id(0);
    out[i] = (a[i] < b[i]) | (a[i] <= b[i]) << 1 | (a[i] > b[i]) << 2 |
             (a[i] >= b[i]) << 3 | (a[i] == b[i]) << 4 | (a[i] != b[i]) << 5 |
             isnan(a[i]) << 6 | isinf(a[i]) << 7 |
             isunordered(a[i], b[i]) << 8;
}

// @ converts out:int:6 out:float:4 in:float:1 in:int:1
kernel void converts(global int *out, global float *fout, global const float *a,
                     global const int *b)
{
    const int i = get_global_id(0);
    out[6 * i + 0] = convert_int_sat(a[i]);
    out[6 * i + 1] = (int)convert_uint_sat(a[i]);
    out[6 * i + 2] = convert_char_sat(a[i]);
    out[6 * i + 3] = convert_ushort_sat(b[i]);
    out[6 * i + 4] = convert_int_rte(clamp(a[i], -1e6f, 1e6f));
    out[6 * i + 5] = convert_uchar_sat(b[i]);
    fout[4 * i + 0] = convert_float(b[i]);
    fout[4 * i + 1] = convert_float((uint)b[i]);
    fout[4 * i + 2] = convert_float((char)b[i]);
    fout[4 * i + 3] = convert_float_rtz(b[i]);
}

// @ halves out:half:5 out:float:1 in:float:1 in:half:1 in:half:1 needs=half
#ifdef cl_khr_fp16
kernel void halves(global half *out, global float *fout, global const float *a,
                   global const half *h, global const half *g)
{
    const int i = get_global_id(0);
    out[5 * i + 0] = convert_half(a[i]);
    out[5 * i + 1] = h[i] + g[i];
    out[5 * i + 2] = h[i] * g[i];
    out[5 * i + 3] = fma(h[i], g[i], h[i]);
    out[5 * i + 4] = fmax(h[i], g[i]);
    fout[i] = convert_float(h[i]) * 3.0f;
}
#endif

// @ roots out:float:4 in:float:1 in:float:1:1..100 ulp=4
kernel void roots(global float *out, global const float *a,
                  global const float *b)
{
    const int i = get_global_id(0);
    out[4 * i + 0] = native_sqrt(fabs(a[i]));
    out[4 * i + 1] = native_recip(b[i]);
    out[4 * i + 2] = native_exp2(a[i] * 0.001f);
    out[4 * i + 3] = a[i] / b[i];
}
