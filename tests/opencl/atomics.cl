/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic operations whose results do not depend on the order. Old values are
 * only used where every order gives the same sum. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

// @ atomic_i32 io:int:10!:zero in:int:1:-1000..1000
kernel void atomic_i32(global int *t, global const int *a)
{
    const int x = a[get_global_id(0)];
    atomic_add(&t[0], x);
    atomic_sub(&t[1], x);
    atomic_inc(&t[2]);
    atomic_dec(&t[3]);
    atomic_min(&t[4], x);
    atomic_max(&t[5], x);
    atomic_and(&t[6], x);
    atomic_or(&t[7], x);
    atomic_xor(&t[8], x);
    atomic_add(&t[9], atomic_xchg(&t[9], 0));
}

// @ atomic_u32 io:uint:4!:zero in:uint:1
kernel void atomic_u32(global uint *t, global const uint *a)
{
    const uint x = a[get_global_id(0)];
    atomic_min(&t[0], x);
    atomic_max(&t[1], x);
    atomic_or(&t[2], x & 0xf0f0);
    atomic_add(&t[3], x);
}

// @ atomic_returns io:int:8!:zero io:int:1!:zero in:int:1
kernel void atomic_returns(global int *t, global int *total,
                           global const int *a)
{
    const int k = a[get_global_id(0)] & 7;
    const int old = atomic_add(&t[k], 1);
    atomic_add(total, old);
}

// @ atomic_each io:int:12:zero in:int:1
kernel void atomic_each(global int *t, global const int *a)
{
    const int i = get_global_id(0), x = a[i];
    global int *const p = t + 12 * i;
    p[11] = atomic_add(&p[0], x) + atomic_sub(&p[1], x) +
            atomic_xchg(&p[2], x) + atomic_inc(&p[3]) + atomic_dec(&p[4]) +
            atomic_min(&p[5], x) + atomic_max(&p[6], x) +
            atomic_and(&p[7], x) + atomic_or(&p[8], x) +
            atomic_xor(&p[9], x) + atomic_cmpxchg(&p[10], 0, x);
}

// @ atomic_exchange_float io:float:1:zero out:float:1 in:float:1
kernel void atomic_exchange_float(global float *t, global float *out,
                                  global const float *a)
{
    const int i = get_global_id(0);
    out[i] = atomic_xchg(&t[i], a[i]) + 1.0f;
}

// @ atomic_float_add io:float:1!:zero in:int:1:-100..100
kernel void atomic_float_add(global float *t, global const int *a)
{
    volatile global uint *const p = (volatile global uint *)t;
    const float x = a[get_global_id(0)];
    uint seen = *p, old;
    do {
        old = seen;
        seen = atomic_cmpxchg(p, old, as_uint(as_float(old) + x));
    } while (seen != old);
}

// @ atomic_local out:int:1 in:int:1
kernel void atomic_local(global int *out, global const int *a)
{
    local int t[32];
    const int l = get_local_id(0), x = a[get_global_id(0)];
    t[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&t[0], x);
    atomic_sub(&t[1], x);
    atomic_min(&t[2], x);
    atomic_max(&t[3], x);
    atomic_and(&t[4], x);
    atomic_or(&t[5], x);
    atomic_xor(&t[6], x);
    atomic_inc(&t[7]);
    atomic_dec(&t[8]);
    atomic_max((local uint *)&t[9], (uint)x);
    atomic_min((local uint *)&t[10], (uint)x);
    atomic_add(&t[11], atomic_cmpxchg(&t[12 + (l & 15)], 0, 0));
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l];
}

// @ atomic_i64 io:long:8!:zero in:long:1 needs=int64_atomics
kernel void atomic_i64(global long *t, global const long *a)
{
    const long x = a[get_global_id(0)];
    atom_add(&t[0], x);
    atom_sub(&t[1], x);
    atom_inc(&t[2]);
    atom_dec(&t[3]);
    atom_min(&t[4], x);
    atom_max(&t[5], x);
    atom_xor(&t[6], x);
    atom_or(&t[7], x);
}

// @ atomic_u64 io:ulong:3!:zero io:ulong:2:zero in:ulong:1 needs=int64_atomics
kernel void atomic_u64(global ulong *t, global ulong *own,
                       global const ulong *a)
{
    const int i = get_global_id(0);
    const ulong x = a[i];
    atom_max(&t[0], x);
    atom_min(&t[1], x);
    atom_and(&t[2], x);
    own[2 * i + 1] = atom_cmpxchg(&own[2 * i], 0ul, x) + 2;
}

// @ atomic_c11 io:int:6!:zero in:int:1
kernel void atomic_c11(global int *t, global const int *a)
{
    volatile global atomic_int *const p = (volatile global atomic_int *)t;
    const int x = a[get_global_id(0)];
    atomic_fetch_add_explicit(&p[0], x, memory_order_relaxed,
                              memory_scope_device);
    atomic_fetch_max_explicit(&p[1], x, memory_order_acq_rel,
                              memory_scope_device);
    atomic_fetch_or_explicit(&p[2], x, memory_order_release,
                             memory_scope_work_group);
    atomic_fetch_xor(&p[3], x);
    atomic_fetch_sub(&p[4], x);
    int expected = 0;
    while (!atomic_compare_exchange_weak(&p[5], &expected, expected + x))
        ;
}

// @ atomic_load_store io:int:2:zero in:int:1
kernel void atomic_load_store(global int *t, global const int *a)
{
    const int i = get_global_id(0);
    volatile global atomic_int *const p = (volatile global atomic_int *)t;
    atomic_store(&p[2 * i], a[i]);
    atomic_store_explicit(&p[2 * i + 1],
                          atomic_load_explicit(&p[2 * i], memory_order_acquire,
                                               memory_scope_device) + 1,
                          memory_order_release, memory_scope_device);
}

// @ atomic_divergent io:int:4!:zero in:int:1
kernel void atomic_divergent(global int *t, global const int *a)
{
    const int x = a[get_global_id(0)];
    if (x & 1)
        atomic_add(&t[0], x & 0xff);
    else if (x & 2)
        atomic_inc(&t[1]);
    for (int k = 0; k < (x & 3); k++)
        atomic_add(&t[2 + (k & 1)], k);
}
