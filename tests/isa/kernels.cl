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
