/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of access: bytes, words, vectors, local memory, atomics. */
// @ reduce out:int:1 in:int:1:-1000..1000 local:int:1 val:int:n
kernel void reduce(global int *out, global const int *in, local int *s, int n)
{
    const int l = get_local_id(0);
    int sum = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        sum += in[i];
    s[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = get_local_size(0) / 2; d > 0; d /= 2) {
        if (l < d)
            s[l] += s[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = s[0];
}

// @ transpose out:int:1 in:int:1 local=16,16 global=64,32
kernel void transpose(global int *out, global const int *in)
{
    local int tile[16][17];
    const int x = get_local_id(0), y = get_local_id(1);
    const int w = get_global_size(0), h = get_global_size(1);
    tile[y][x] = in[get_global_id(1) * w + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(get_group_id(0) * 16 + y) * h + get_group_id(1) * 16 + x] =
        tile[x][y];
}

// @ bytes out:uchar:1 out:short:1 in:char:2
kernel void bytes(global uchar *b, global short *w, global const char *c)
{
    const int i = get_global_id(0);
    const int v = c[i] * 3 - c[i + 1];
    b[i] = (uchar)v;
    w[i] = (short)(v * 100 + b[i]);
}

// @ vectors out:float4:1 in:float4:1 in:ulong:1:0..127
kernel void vectors(global float4 *out, global const float4 *in,
                    global const ulong *offset)
{
    const int i = get_global_id(0);
    const float4 v = in[offset[i]];
    out[i] = v.wzyx * 2.0f + v;
}

// @ atomics io:int:1!:zero out:int:1 io:int:6!:zero in:int:1:-1000..1000
//   needs=unordered
kernel void atomics(global int *sum, global int *slot, global int *stat,
                    global const int *v)
{
    const int i = get_global_id(0);
    slot[i] = atomic_add(&sum[0], 1);
    atomic_max(&stat[0], v[i]);
    atomic_min(&stat[1], v[i]);
    atomic_or((volatile global int *)&stat[2], 1 << (v[i] & 31));
    atomic_xor((volatile global int *)&stat[3], v[i]);
    atomic_sub(&stat[4], v[i]);
    int old = stat[5], seen;
    while ((seen = atomic_cmpxchg(&stat[5], old, old + v[i])) != old)
        old = seen;
}

// @ local_atomics out:int:1 in:int:1
kernel void local_atomics(global int *out, global const int *v)
{
    local int bin[8];
    const int l = get_local_id(0);
    if (l < 8)
        bin[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bin[v[get_global_id(0)] & 7]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8)
        out[get_group_id(0) * 8 + l] = bin[l];
}

// @ blocks out:uint:4 in:uint:4 needs=subgroups,vendor
#ifdef cl_intel_subgroups
__attribute__((intel_reqd_sub_group_size(16)))
kernel void blocks(global uint *out, global uint *in)
{
    const int first = (get_group_id(0) * get_num_sub_groups() +
                       get_sub_group_id()) * 64;
    const uint4 v = intel_sub_group_block_read4(in + first);
    intel_sub_group_block_write4(out + first, v * 3 + get_sub_group_local_id());
}
#endif

// @ ids out:int:1 local=4,2,2 global=8,8,4
kernel void ids(global int *out)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    out[i] = get_local_id(0) + 100 * get_local_id(1) + 10000 * get_local_id(2) +
             1000000 * (get_group_id(0) + 4 * get_group_id(1) +
                        16 * get_group_id(2)) + get_num_groups(1);
}
