/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers in memory, for buffers that are freed too early. The last parameters
 * only say which buffers the pointers lead to. */
#define BUFFERS                                                                \
    global int *b0, global int *b1, global int *b2, global int *b3,            \
        global int *b4, global int *b5, global int *b6, global int *b7

kernel void address(global ulong *out, global int *a)
{
    out[get_global_id(0)] = (ulong)a;
}

kernel void load_through(global int *out, global const ulong *p, int n,
                         BUFFERS)
{
    const int i = get_global_id(0);
    out[i] = *((global const int *)p[i % n] + i / n);
}

kernel void store_through(global const int *in, global const ulong *p, int n,
                         BUFFERS)
{
    const int i = get_global_id(0);
    *((global int *)p[i % n] + i / n) = in[i];
}
