/* SPDX-License-Identifier: Apache-2.0 */
/* Work for bench_foreign.c, as a compiler writes it. */

#define TILE 16

/* c = a * b, square matrices of n, tiles through local memory. */
__attribute__((intel_reqd_sub_group_size(16)))
__attribute__((reqd_work_group_size(TILE, TILE, 1))) kernel void
tiled_gemm(global const float *a, global const float *b, global float *c,
           int n)
{
    local float left[TILE][TILE], right[TILE][TILE];
    const int x = get_local_id(0), y = get_local_id(1);
    const int col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        left[y][x] = a[row * n + k + x];
        right[y][x] = b[(k + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TILE; i++)
            sum = fma(left[y][i], right[i][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}

/* A five-point stencil of words, mixed into a hash: shifts, rotations, narrow
 * types, 64-bit addresses. */
__attribute__((intel_reqd_sub_group_size(16)))
__attribute__((reqd_work_group_size(TILE, TILE, 1))) kernel void
stencil_hash(global const uint *a, global const uint *b, global uint *c, int n)
{
    const int x = get_global_id(0), y = get_global_id(1);
    global const uchar *const bytes = (global const uchar *)b;
    uint h = 2166136261u;
    for (int k = 0; k < n / 8; k++) {
        const int at = ((y + k) & (n - 1)) * n;
        const uint v = a[at + x] + a[at + ((x + 1) & (n - 1))] +
                       a[at + ((x - 1) & (n - 1))];
        const ushort w = (ushort)(v >> 7) + bytes[(at + x) & 1023];
        h = rotate(h ^ v, 13u) * 16777619u + w;
        h ^= h >> 15;
        h += mul_hi(h, 0x85ebca6bu) ^ popcount(v);
    }
    c[y * n + x] = h;
}

/* Softmax of rows, one work item a row, with branches that part the lanes. */
__attribute__((intel_reqd_sub_group_size(16)))
__attribute__((reqd_work_group_size(TILE, TILE, 1))) kernel void
softmax_rows(global const float *a, global const float *b, global float *c,
             int n)
{
    const int id = get_global_id(1) * get_global_size(0) + get_global_id(0);
    const int first = (id * 37) & (n * n - 1);
    float most = -1e30f, sum = 0, other = 0;
    for (int k = 0; k < n / 4; k++) {
        const float v = a[(first + k * 16) & (n * n - 1)];
        if (v > most) {
            sum = sum * native_exp(most - v) + 1;
            most = v;
        } else if ((id + k) & 3) {
            sum += native_exp(v - most);
        } else {
            other += b[(id + k) & (n * n - 1)] * (float)(short)k;
        }
    }
    c[id] = most + native_log(sum) + other / (1 + fabs(other));
}
