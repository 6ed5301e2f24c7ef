/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled at test time by ocloc into both containers. */
__kernel void add(__global const float *a, __global float *b, int n)
{
    int i = get_global_id(0);
    if (i < n)
        b[i] += a[i];
}

__kernel void reverse(__global uint *a, __local uint *l)
{
    uint i = get_local_id(0), n = get_local_size(0);
    l[i] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = l[n - 1 - i];
}

__kernel void tile(__global float4 *a, float4 v, short s)
{
    __local float4 l[16];
    uint i = get_local_id(0) & 15;
    l[i] = a[get_global_id(1)] * v;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(1)] = l[15 - i] + (float)s;
}

__kernel void count(__global int *a, long bias)
{
    atomic_add(a + (get_group_id(0) & 3), (int)(bias + get_num_groups(0)));
}

__kernel void spread(__global char *a, __constant char *b, ulong n)
{
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        a[i] = b[i & 255] + (char)get_global_offset(0);
}
