/* SPDX-License-Identifier: Apache-2.0 */
/* Double precision, which of the three platforms only pvc has. */
// @platforms pvc
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

// @ f64_basic out:double:6 in:double:1 in:double:1 needs=fp64
kernel void f64_basic(global double *out, global const double *a,
                      global const double *b)
{
    const int i = get_global_id(0);
    out[6 * i + 0] = a[i] + b[i];
    out[6 * i + 1] = a[i] - fabs(b[i]);
    out[6 * i + 2] = a[i] * b[i];
    out[6 * i + 3] = fma(a[i], b[i], -a[i]);
    out[6 * i + 4] = -a[i] * 3.0;
    out[6 * i + 5] = clamp(a[i], -1.0, 1.0);
}

// @ f64_divide out:double:3 in:double:1 in:double:1:1..1000 needs=fp64
kernel void f64_divide(global double *out, global const double *a,
                       global const double *b)
{
    const int i = get_global_id(0);
    out[3 * i + 0] = a[i] / b[i];
    out[3 * i + 1] = sqrt(b[i]);
    out[3 * i + 2] = 1.0 / b[i];
}

// @ f64_compare out:int:1 out:double:2 in:double:1 in:double:1 needs=fp64
kernel void f64_compare(global int *flags, global double *out,
                        global const double *a, global const double *b)
{
    const int i = get_global_id(0);
    const double x = a[i], y = b[i];
    flags[i] = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x == y) << 3 |
               (x != y) << 4 | isnan(x) << 5;
    out[2 * i + 0] = fmin(x, y);
    out[2 * i + 1] = x > 0 ? x : y;
}

// @ f64_rounding out:double:5 in:double:1 needs=fp64
kernel void f64_rounding(global double *out, global const double *a)
{
    const int i = get_global_id(0);
    out[5 * i + 0] = floor(a[i]);
    out[5 * i + 1] = ceil(a[i]);
    out[5 * i + 2] = trunc(a[i]);
    out[5 * i + 3] = rint(a[i]);
    out[5 * i + 4] = round(a[i]);
}

// @ f64_to_others out:int:1 out:uint:1 out:long:1 out:ulong:1 out:float:1
//   out:half:1 out:short:1 out:char:1 in:double:1:0..100 needs=fp64,half
#ifdef cl_khr_fp16
kernel void f64_to_others(global int *d, global uint *ud, global long *q,
                          global ulong *uq, global float *f, global half *h,
                          global short *s, global char *c,
                          global const double *a)
{
    const int i = get_global_id(0);
    d[i] = a[i], ud[i] = a[i], q[i] = a[i], uq[i] = a[i];
    f[i] = a[i], h[i] = convert_half(a[i]), s[i] = a[i], c[i] = a[i];
}
#endif

// @ f64_of_others out:double:8 in:int:1 in:uint:1 in:long:1 in:ulong:1
//   in:float:1 in:half:1 in:ushort:1 in:char:1 needs=fp64,half
#ifdef cl_khr_fp16
kernel void f64_of_others(global double *out, global const int *d,
                          global const uint *ud, global const long *q,
                          global const ulong *uq, global const float *f,
                          global const half *h, global const ushort *us,
                          global const char *c)
{
    const int i = get_global_id(0);
    out[8 * i + 0] = d[i];
    out[8 * i + 1] = ud[i];
    out[8 * i + 2] = q[i];
    out[8 * i + 3] = uq[i];
    out[8 * i + 4] = f[i];
    out[8 * i + 5] = h[i];
    out[8 * i + 6] = us[i];
    out[8 * i + 7] = c[i];
}
#endif

// @ f64_saturate out:int:1 out:ulong:1 out:uchar:1 in:double:1:-1e12..1e12
//   needs=fp64
kernel void f64_saturate(global int *d, global ulong *uq, global uchar *uc,
                         global const double *a)
{
    const int i = get_global_id(0);
    d[i] = convert_int_sat_rte(a[i]);
    uq[i] = convert_ulong_sat(a[i]);
    uc[i] = convert_uchar_sat_rtn(a[i]);
}

// @ f64_series out:double:1 in:double:1:-1..1 needs=fp64
kernel void f64_series(global double *out, global const double *a)
{
    const int i = get_global_id(0);
    double t = 1, s = 1;
    for (int k = 1; k < 12; k++) {
        t = t * a[i] * (1.0 / k);
        s += t;
    }
    out[i] = s;
}

// @ f64_transcendental out:double:4 in:double:1:0.1..10 needs=fp64 ulp=4
kernel void f64_transcendental(global double *out, global const double *a)
{
    const int i = get_global_id(0);
    out[4 * i + 0] = exp(a[i]);
    out[4 * i + 1] = log(a[i]);
    out[4 * i + 2] = sin(a[i]);
    out[4 * i + 3] = rsqrt(a[i]);
}

// @ f64_bits out:ulong:2 in:double:1 in:ulong:1 needs=fp64
kernel void f64_bits(global ulong *out, global const double *a,
                     global const ulong *b)
{
    const int i = get_global_id(0);
    out[2 * i + 0] = as_ulong(a[i]) >> 52;
    out[2 * i + 1] = as_ulong(as_double(b[i] >> 2) * 2.0);
}

// @ f64_sum out:double:1 in:double:1 needs=fp64
kernel void f64_sum(global double *out, global const double *a)
{
    local double s[32];
    const int l = get_local_id(0);
    s[l] = a[get_global_id(0)];
    for (int d = 16; d > 0; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d)
            s[l] += s[l + d];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[0] + l;
}
