/* SPDX-License-Identifier: Apache-2.0 */
/* Local memory (SLM) of every element size, barriers and fences. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define REVERSE(name, T)                                                       \
    kernel void name(global T *out, global const T *a)                         \
    {                                                                          \
        local T s[32];                                                         \
        const int l = get_local_id(0);                                         \
        s[l] = a[get_global_id(0)];                                            \
        barrier(CLK_LOCAL_MEM_FENCE);                                          \
        out[get_global_id(0)] = s[31 - l];                                     \
    }
// @ reverse_i8 out:char:1 in:char:1
// @ reverse_u16 out:ushort:1 in:ushort:1
// @ reverse_i32 out:int:1 in:int:1
// @ reverse_i64 out:long:1 in:long:1
// @ reverse_f16 out:half:1 in:half:1 needs=half
// @ reverse_u8x4 out:uchar4:1 in:uchar4:1
// @ reverse_i32x2 out:int2:1 in:int2:1
// @ reverse_f32x4 out:float4:1 in:float4:1
// @ reverse_i32x8 out:int8:1 in:int8:1
REVERSE(reverse_i8, char)
REVERSE(reverse_u16, ushort)
REVERSE(reverse_i32, int)
REVERSE(reverse_i64, long)
#ifdef cl_khr_fp16
REVERSE(reverse_f16, half)
#endif
REVERSE(reverse_u8x4, uchar4)
REVERSE(reverse_i32x2, int2)
REVERSE(reverse_f32x4, float4)
REVERSE(reverse_i32x8, int8)

// @ slm_argument out:int:1 in:int:1 local:int:2
kernel void slm_argument(global int *out, global const int *a, local int *s)
{
    const int l = get_local_id(0), w = get_local_size(0);
    s[l] = a[get_global_id(0)];
    s[w + l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[(l + 5) % w] + s[w + (l * 7) % w];
}

// @ slm_scan out:int:1 in:int:1:-100..100
kernel void slm_scan(global int *out, global const int *a)
{
    local int s[2][32];
    const int l = get_local_id(0);
    int from = 0;
    s[0][l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 32; d *= 2) {
        s[1 - from][l] = s[from][l] + (l >= d ? s[from][l - d] : 0);
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = s[from][l];
}

// @ slm_histogram out:int:2 in:uchar:1
kernel void slm_histogram(global int *out, global const uchar *a)
{
    local int bin[64];
    const int l = get_local_id(0);
    bin[l] = bin[l + 32] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bin[a[get_global_id(0)] & 63], 1 + l);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int first = get_group_id(0) * 64;
    out[first + l] = bin[l];
    out[first + l + 32] = bin[l + 32];
}

// @ slm_bytes out:uchar:1 in:uchar:1
kernel void slm_bytes(global uchar *out, global const uchar *a)
{
    local uchar s[128];
    const int l = get_local_id(0);
    for (int k = 0; k < 4; k++)
        s[4 * l + k] = (uchar)(a[get_global_id(0)] + k);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[l] ^ s[l + 32] ^ s[l + 64] ^ s[l + 96];
}

// @ slm_matmul out:float:1 in:float:1:-4..4 in:float:1:-4..4 ulp=32
//   local=8,8 global=16,16
kernel void slm_matmul(global float *c, global const float *a,
                       global const float *b)
{
    local float sa[8][8], sb[8][8];
    const int x = get_local_id(0), y = get_local_id(1);
    const int col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int t = 0; t < 16; t += 8) {
        sa[y][x] = a[row * 16 + t + x];
        sb[y][x] = b[(t + y) * 16 + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++)
            sum = fma(sa[y][k], sb[k][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * 16 + col] = sum;
}

// @ slm_two_arrays out:int:1 in:short:1 in:int:1
kernel void slm_two_arrays(global int *out, global const short *a,
                           global const int *b)
{
    local short s[32];
    local int t[33];
    const int l = get_local_id(0);
    s[l] = a[get_global_id(0)];
    t[l + 1] = b[get_global_id(0)];
    if (l == 0)
        t[0] = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[l ^ 1] + t[l] - t[l + 1];
}

// @ barrier_global out:int:1 io:int:1 in:int:1
kernel void barrier_global(global int *out, global int *scratch,
                           global const int *a)
{
    const int i = get_global_id(0), l = get_local_id(0);
    scratch[i] = a[i] + l;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = scratch[i - l + (l + 1) % 32];
}

// @ barrier_both out:int:1 io:int:1 in:int:1
kernel void barrier_both(global int *out, global int *scratch,
                         global const int *a)
{
    local int s[32];
    const int i = get_global_id(0), l = get_local_id(0);
    s[l] = a[i];
    scratch[i] = ~a[i];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[i] = s[31 - l] + scratch[i - l + (l ^ 3)];
}

// @ barrier_loop out:int:1 in:int:1:0..9 val:int:6
kernel void barrier_loop(global int *out, global const int *a, int rounds)
{
    local int s[32];
    const int l = get_local_id(0);
    s[l] = a[get_global_id(0)];
    for (int k = 0; k < rounds; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const int v = s[(l + k) & 31] * 2 + s[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        s[l] = v % 1000;
    }
    out[get_global_id(0)] = s[l];
}

// @ split_barrier out:int:1 in:int:1
kernel void split_barrier(global int *out, global const int *a)
{
    local int s[32];
    const int l = get_local_id(0);
    s[l] = a[get_global_id(0)];
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    out[get_global_id(0)] = s[l ^ 17];
}

// @ fences io:int:1:zero out:int:1 in:int:1
kernel void fences(global int *scratch, global int *out, global const int *a)
{
    local int s[32];
    const int i = get_global_id(0), l = get_local_id(0);
    scratch[i] = a[i];
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    scratch[i] += 1;
    read_mem_fence(CLK_GLOBAL_MEM_FENCE);
    s[l] = scratch[i];
    mem_fence(CLK_LOCAL_MEM_FENCE);
    s[l] *= 2;
    write_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[i] = s[l] + scratch[i];
}

// @ scoped_fences io:int:1:zero out:int:1 in:int:1
kernel void scoped_fences(global int *scratch, global int *out,
                          global const int *a)
{
    const int i = get_global_id(0);
    scratch[i] = a[i];
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel,
                           memory_scope_work_group);
    scratch[i] += 3;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release,
                           memory_scope_device);
    scratch[i] ^= 5;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst,
                           memory_scope_all_svm_devices);
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire,
                           memory_scope_work_group);
    out[i] = scratch[i];
}

// @ group_functions out:int:5 in:int:1:-100..100
kernel void group_functions(global int *out, global const int *a)
{
    const int i = get_global_id(0), x = a[i];
    out[5 * i + 0] = work_group_reduce_add(x);
    out[5 * i + 1] = work_group_scan_inclusive_max(x);
    out[5 * i + 2] = work_group_scan_exclusive_add(x);
    out[5 * i + 3] = work_group_broadcast(x, 7);
    out[5 * i + 4] = work_group_any(x == 42) + 2 * work_group_all(x > -101);
}

// @ async_copy out:int:1 in:int:1
kernel void async_copy(global int *out, global const int *a)
{
    local int s[32];
    const size_t first = get_group_id(0) * 32;
    event_t e = async_work_group_copy(s, a + first, 32, 0);
    wait_group_events(1, &e);
    s[get_local_id(0)] += 1000;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + first, s, 32, 0);
    wait_group_events(1, &e);
}
