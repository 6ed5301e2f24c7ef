/* SPDX-License-Identifier: Apache-2.0 */
/* Math functions: native_ ones are single instructions, half_ and precise ones
 * sequences. ulp is OpenCL's bound for the precise ones. */

// @ native_one out:float:8 in:float:1:0.1..10 ulp=8192
kernel void native_one(global float *out, global const float *a)
{
    const int i = get_global_id(0);
    const float x = a[i];
    out[8 * i + 0] = native_recip(x);
    out[8 * i + 1] = native_log2(x);
    out[8 * i + 2] = native_exp2(x);
    out[8 * i + 3] = native_sqrt(x);
    out[8 * i + 4] = native_rsqrt(x);
    out[8 * i + 5] = native_sin(x);
    out[8 * i + 6] = native_cos(x);
    out[8 * i + 7] = native_divide(x, 3.0f);
}

// @ native_two out:float:5 in:float:1:0.1..10 in:float:1:0.1..3 ulp=8192
kernel void native_two(global float *out, global const float *a,
                       global const float *b)
{
    const int i = get_global_id(0);
    out[5 * i + 0] = native_powr(a[i], b[i]);
    out[5 * i + 1] = native_exp(b[i]);
    out[5 * i + 2] = native_log(a[i]);
    out[5 * i + 3] = native_tan(b[i]);
    out[5 * i + 4] = native_exp10(b[i]) + native_log10(a[i]);
}

// @ half_functions out:float:6 in:float:1:0.1..10 ulp=8192
kernel void half_functions(global float *out, global const float *a)
{
    const int i = get_global_id(0);
    out[6 * i + 0] = half_exp(a[i]);
    out[6 * i + 1] = half_log(a[i]);
    out[6 * i + 2] = half_rsqrt(a[i]);
    out[6 * i + 3] = half_sin(a[i]);
    out[6 * i + 4] = half_recip(a[i]);
    out[6 * i + 5] = half_powr(a[i], 1.5f);
}

// @ precise_sqrt out:float:3 in:float:1:0.01..1000 ulp=3
kernel void precise_sqrt(global float *out, global const float *a)
{
    const int i = get_global_id(0);
    out[3 * i + 0] = sqrt(a[i]);
    out[3 * i + 1] = rsqrt(a[i]);
    out[3 * i + 2] = cbrt(a[i]);
}

// @ precise_divide out:float:2 in:float:1 in:float:1:0.5..100 ulp=3
kernel void precise_divide(global float *out, global const float *a,
                           global const float *b)
{
    const int i = get_global_id(0);
    out[2 * i + 0] = a[i] / b[i];
    out[2 * i + 1] = 1.0f / b[i];
}

// @ precise_exp out:float:4 in:float:1:-10..10 ulp=4
kernel void precise_exp(global float *out, global const float *a)
{
    const int i = get_global_id(0);
    out[4 * i + 0] = exp(a[i]);
    out[4 * i + 1] = exp2(a[i]);
    out[4 * i + 2] = exp10(a[i]);
    out[4 * i + 3] = expm1(a[i]);
}

// @ precise_log out:float:4 in:float:1:0.01..100 ulp=4
kernel void precise_log(global float *out, global const float *a)
{
    const int i = get_global_id(0);
    out[4 * i + 0] = log(a[i]);
    out[4 * i + 1] = log2(a[i]);
    out[4 * i + 2] = log10(a[i]);
    out[4 * i + 3] = log1p(a[i]);
}

// @ precise_trig out:float:3 in:float:1:-20..20 ulp=5
kernel void precise_trig(global float *out, global const float *a)
{
    const int i = get_global_id(0);
    out[3 * i + 0] = sin(a[i]);
    out[3 * i + 1] = cos(a[i]);
    out[3 * i + 2] = tan(a[i]);
}

// @ inverse_trig out:float:4 in:float:1:-0.99..0.99 in:float:1:0.5..3 ulp=6
kernel void inverse_trig(global float *out, global const float *a,
                         global const float *b)
{
    const int i = get_global_id(0);
    out[4 * i + 0] = asin(a[i]);
    out[4 * i + 1] = acos(a[i]);
    out[4 * i + 2] = atan(a[i]);
    out[4 * i + 3] = atan2(a[i], b[i]);
}

// @ hyperbolic out:float:3 in:float:1:-4..4 ulp=5
kernel void hyperbolic(global float *out, global const float *a)
{
    const int i = get_global_id(0);
    out[3 * i + 0] = sinh(a[i]);
    out[3 * i + 1] = cosh(a[i]);
    out[3 * i + 2] = tanh(a[i]);
}

// @ powers out:float:3 in:float:1:0.1..8 in:int:1:-5..5 ulp=16
kernel void powers(global float *out, global const float *a,
                   global const int *b)
{
    const int i = get_global_id(0);
    out[3 * i + 0] = pow(a[i], 2.5f);
    out[3 * i + 1] = pown(a[i], b[i]);
    out[3 * i + 2] = rootn(a[i], 3);
}

// @ remainders out:float:3 in:float:1:-100..100 in:float:1:0.5..10
kernel void remainders(global float *out, global const float *a,
                       global const float *b)
{
    const int i = get_global_id(0);
    float whole;
    out[3 * i + 0] = fmod(a[i], b[i]);
    out[3 * i + 1] = remainder(a[i], b[i]);
    out[3 * i + 2] = modf(a[i], &whole) + whole;
}

// @ gamma_functions out:float:2 in:float:1:0.5..5 ulp=16
kernel void gamma_functions(global float *out, global const float *a)
{
    const int i = get_global_id(0);
    out[2 * i + 0] = erf(a[i]);
    out[2 * i + 1] = hypot(a[i], 3.0f);
}

// @ next_values out:float:2 out:int:1 in:float:1 in:float:1
kernel void next_values(global float *out, global int *e,
                        global const float *a, global const float *b)
{
    const int i = get_global_id(0);
    out[2 * i + 0] = nextafter(a[i], b[i]);
    out[2 * i + 1] = fdim(a[i], b[i]) + maxmag(a[i], b[i]);
    e[i] = ilogb(b[i]);
}
