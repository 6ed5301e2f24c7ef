/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled at test time by ocloc for dg2: instructions as a compiler emits
 * them (arithmetic, divergence, SLM, atomics, 64-bit emulation, fp math). */
__kernel void vadd(__global const float *a, __global const float *b,
                   __global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i] * native_sin(a[i]);
}

__kernel void reduce(__global const float *a, __global float *b, int n,
                     __local float *l)
{
    int i = get_global_id(0), j = get_local_id(1);
    float s = 0;
    l[j] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++) {
        s += l[k] * a[k * n + i];
        if (s > 3)
            break;
        if (s < -1)
            continue;
        s = mad(s, s, l[j]);
    }
    b[i] = s;
}

__kernel void integers(__global int *a, __global uint *b, __global long *c,
                       __global uchar *d, int n)
{
    int i = get_global_id(0);
    a[i] = a[i] / n;
    b[i] = b[i] % n ^ popcount(b[i]) ^ clz(b[i]) ^ rotate(b[i], 7u);
    c[i] = c[i] * n + (c[i] >> 3) - mul_hi(c[i], (long)n);
    d[i] = d[i] + (uchar)n;
    atomic_add(a + n, 3);
    atomic_cmpxchg(a, 3, 4);
    switch (n) {
    case 1:
        a[3] = 1;
        break;
    case 7:
        a[9] = n;
        break;
    default:
        a[10] = 3;
    }
}

__kernel void floats(__global float4 *a, __global float *b)
{
    int i = get_global_id(0);
    a[i] = sqrt(a[i]) * exp(a[i].x) + pow(a[i], a[i].wzyx);
    b[i] = fmod(b[i], 3.f) / b[i + 1];
    if (isnan(b[i]))
        b[i] = floor(b[i]) + rint(b[i]) + trunc(b[i]);
}

__kernel void subgroup(__global uint *a)
{
    uint x = a[get_global_id(0)];
    a[get_global_id(0)] = sub_group_reduce_add(x) + sub_group_broadcast(x, 3);
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define KERNEL(name, T, expr)                                                  \
    __kernel void name(__global T *a, __global T *b, __global T *c, int m)     \
    {                                                                          \
        int i = get_global_id(0);                                              \
        T x = a[i], y = b[i], z = c[i];                                        \
        c[i] = (T)(expr);                                                      \
    }

KERNEL(half_math, half, x / y - sqrt(z) + (x > y ? z : fmax(x, y)))
KERNEL(half_int, half, round(x) + rint(y) + (half)(int)z)
KERNEL(char_ops, char, (x << (y & 7)) | (x * y + add_sat(x, y) - abs(z)))
KERNEL(uchar_sat, uchar, mad_sat(x, y, z) ^ sub_sat(x, y))
KERNEL(short_ops, short, x / y + mul_hi(x, y) - (x > y ? z : max(x, y)))
KERNEL(int_ops, int, x / y - z % y + mul_hi(x, y) + mad24(x, y, z))
KERNEL(long_ops, long, x * y + (z >> 3) + rotate(x, y) - (x > y ? z : y))
KERNEL(float_conv, float,
       (float)(int)x + (float)(uint)y + convert_float((uchar)z))
KERNEL(float_special, float, isnan(x) ? y : isinf(z) ? x : nextafter(x, y))

__kernel void half_vectors(__global half8 *a, __global float8 *f)
{
    int i = get_global_id(0);
    f[i] = convert_float8(a[i]) * convert_float8(a[i + 1]);
    a[i] = convert_half8(f[i]);
}

__kernel void conversions(__global uchar *a, __global char *b,
                          __global half *h, __global float *f,
                          __global int *d)
{
    int i = get_global_id(0);
    a[i] = convert_uchar_sat(f[i]);
    b[i] = convert_char_sat_rte(f[i + 1]);
    h[i] = convert_half(d[i]);
    d[i] = convert_int_rtz(h[i + 1]);
    vstore_half(f[i + 3], i, h + 100);
    f[i + 7] = vload_half(i, h + 200);
}

__kernel void private_array(__global int *a, int n)
{
    int t[40], i = get_global_id(0), s = 0;
    for (int k = 0; k < 40; k++)
        t[k] = a[k * n];
    t[a[i] & 31] += 5;
    for (int k = 0; k < 40; k++)
        s += t[(k * n) % 40] * k;
    a[i] = s;
}

__kernel __attribute__((intel_reqd_sub_group_size(16))) void
shuffles(__global int *a, __global ushort *u)
{
    int i = get_global_id(0);
    a[i] = intel_sub_group_shuffle(a[i], a[i + 1] & 15) +
           intel_sub_group_shuffle_down(a[i], a[i + 1], 2);
    u[i] = intel_sub_group_shuffle(u[i], u[i + 1] & 15);
    intel_sub_group_block_write((__global uint *)a, a[i]);
}

__kernel void atomics(__global int *a, volatile __global float *f,
                      __local int *l)
{
    int i = get_global_id(0);
    atomic_inc(a);
    a[5] = atomic_max(a + 1, i);
    atomic_xchg(f, 2.f);
    atomic_and(l + 2, i);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    a[i + 9] = l[i];
}

__kernel __attribute__((intel_reqd_sub_group_size(8))) void
systolic(__global int8 *A, __global int8 *B, __global float8 *C,
         __global int8 *D)
{
    int i = get_global_id(0);
    int8 a = A[i], b = B[i], d = D[i], e;
    float8 c = C[i], r;
    __asm__ volatile("dpas.hf.hf.8.8 (M1, 8) %0.0 %3.0 %2.0 %1(0,0)"
                     : "=rw"(r)
                     : "rw"(a), "rw"(b), "rw"(c));
    C[i] = r;
    __asm__ volatile("dpas.s8.u8.8.8 (M1, 8) %0.0 %3.0 %2.0 %1(0,0)"
                     : "=rw"(e)
                     : "rw"(a), "rw"(b), "rw"(d));
    D[i] = e;
}
