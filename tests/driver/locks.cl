/* SPDX-License-Identifier: Apache-2.0 */
/* What locks of atomics protect, and what they do not; locks.py has what the check for
 * races says of each. Groups of 64 items, several threads; n[0] counts them. */

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

static void lock(volatile global uint *l)
{
    while (atomic_cmpxchg(l, 0, 1))
        ;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}

static void unlock(volatile global uint *l)
{
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg(l, 0);
}

/* One item of each group. */
kernel void right(volatile global uint *l, volatile global uint *n)
{
    if (get_local_id(0) == 0) {
        lock(l);
        n[0] += 1;
        unlock(l);
    }
}

kernel void right_xchg(volatile global uint *l, volatile global uint *n)
{
    if (get_local_id(0) == 0) {
        while (atomic_xchg(l, 1))
            ;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        n[0] += 1;
        unlock(l);
    }
}

/* One item locks, all of its group work, an element each. */
kernel void right_group(volatile global uint *l, volatile global uint *n)
{
    if (get_local_id(0) == 0)
        lock(l);
    barrier(CLK_GLOBAL_MEM_FENCE);
    n[get_local_id(0)] += 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        unlock(l);
}

/* An item of each of a group's threads. */
kernel void right_threads(volatile global uint *l, volatile global uint *n)
{
    if (get_local_id(0) % 32 == 0) {
        lock(l);
        n[0] += 1;
        unlock(l);
    }
}

/* IGC makes a lock for local memory of these, on xehpg; an element for each group. */
kernel void right_atomics(volatile global uint *l, volatile global uint *n)
{
    local ulong sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(&sum, 1ul);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        n[get_group_id(0)] = (uint)sum;
}

kernel void no_lock(volatile global uint *l, volatile global uint *n)
{
    if (get_local_id(0) == 0)
        n[0] += 1;
}

kernel void too_late(volatile global uint *l, volatile global uint *n)
{
    if (get_local_id(0) == 0) {
        lock(l);
        unlock(l);
        n[0] += 1;
    }
}

/* The last group does not lock. */
kernel void sometimes(volatile global uint *l, volatile global uint *n)
{
    if (get_local_id(0) == 0) {
        const bool locks = get_group_id(0) + 1 < get_num_groups(0);
        if (locks)
            lock(l);
        n[0] += 1;
        if (locks)
            unlock(l);
    }
}

kernel void two_locks(volatile global uint *l, volatile global uint *n)
{
    if (get_local_id(0) == 0) {
        lock(l + get_group_id(0) % 2);
        n[0] += 1;
        unlock(l + get_group_id(0) % 2);
    }
}

/* Another item does not wait for the one that locks. */
kernel void no_barrier(volatile global uint *l, volatile global uint *n)
{
    if (get_local_id(0) == 0)
        lock(l);
    if (get_local_id(0) == 63)
        n[0] += 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        unlock(l);
}

/* Behind the barrier the items of a group meet. */
kernel void in_the_group(volatile global uint *l, volatile global uint *n)
{
    if (get_local_id(0) == 0)
        lock(l);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) % 32 == 0)
        n[0] += 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        unlock(l);
}
