/* SPDX-License-Identifier: Apache-2.0 */
/* Groups that wait for one another. */

// All groups meet, `rounds` times: each looks at what its neighbour has left in
// the round before.
kernel void meet(global uint *out, global uint *count, uint rounds)
{
    const uint n = get_num_groups(0), me = get_group_id(0);
    for (uint r = 1; r <= rounds; r++) {
        if (get_local_id(0) == 0) {
            out[r * n + me] = out[(r - 1) * n + (me + 1) % n] + me;
            atomic_inc(count);
            while (atomic_or(count, 0) < r * n)
                ;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

// Waits for one group more than there is.
kernel void in_vain(global uint *out, global uint *count, uint rounds)
{
    if (get_local_id(0) == 0) {
        atomic_inc(count);
        while (atomic_or(count, 0) <= get_num_groups(0))
            ;
    }
    out[get_local_id(0)] = rounds;
}

// The last group stores where nothing is, and comes nowhere. The others wait
// for it.
kernel void left_alone(global uint *out, global uint *count, uint rounds)
{
    if (get_local_id(0) == 0) {
        if (get_group_id(0) == get_num_groups(0) - 1)
            out[1u << 20] = rounds;
        atomic_inc(count);
        while (atomic_or(count, 0) < get_num_groups(0))
            ;
    }
    out[get_local_id(0)] = rounds;
}

// The first group works longer than the others, and they wait for it.
kernel void long_first(global uint *out, global uint *count, uint rounds)
{
    if (get_local_id(0) == 0) {
        if (get_group_id(0) == 0) {
            uint x = rounds;
            for (uint k = 0; k < 20000000; k++)
                x = x * 1664525u + 1013904223u;
            out[0] = x;
            atomic_inc(count);
        }
        while (!atomic_or(count, 0))
            ;
        out[get_group_id(0)] = out[0];
    }
}

// The first group waits until the last one has worked for a while, and then
// works for a while itself.
kernel void last_first(global uint *out, global uint *count, uint rounds)
{
    const uint me = get_group_id(0);
    if (get_local_id(0) == 0) {
        uint x = rounds;
        while (me == 0 && !atomic_or(count, 0))
            ;
        for (uint k = 0; k < 1000000; k++)
            x = x * 1664525u + 1013904223u;
        if (me == get_num_groups(0) - 1)
            atomic_inc(count);
        out[me] = x;
    }
}

// All groups meet as Intel's compiler lets them (global_barrier): one count for
// all calls, which a group may change again before another one has seen its 0.
kernel void meet_in_time(global uint *out, global int *count, uint rounds)
{
    const uint n = get_num_groups(0), me = get_group_id(0);
    for (uint r = 1; r <= rounds; r++) {
        if (get_local_id(0) == 0) {
            out[r * n + me] = out[(r - 1) * n + (me + 1) % n] + me;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            if (me == 0)
                atomic_sub(count, (int)n - 1);
            else
                atomic_inc(count);
            while (atomic_or(count, 0))
                ;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
