/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as textbooks have them; everyday.c knows their answers. */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

/* Sums of a group's items before and with each one, by steps of 1, 2, 4 ...;
 * whole has each group's sum. */
kernel void scan(global uint *a, global uint *whole, uint n, local uint *l)
{
    const uint i = get_global_id(0), me = get_local_id(0);
    l[me] = i < n ? a[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < get_local_size(0); step *= 2) {
        const uint more = me >= step ? l[me - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        l[me] += more;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n)
        a[i] = l[me];
    if (me + 1 == get_local_size(0))
        whole[get_group_id(0)] = l[me];
}

kernel void add_before(global uint *a, global const uint *whole, uint n)
{
    const uint i = get_global_id(0), g = get_group_id(0);
    if (i < n && g > 0)
        a[i] += whole[g - 1];
}

kernel void histogram(global const uchar *a, global uint *bins, uint n,
                      local uint *l)
{
    for (uint b = get_local_id(0); b < 256; b += get_local_size(0))
        l[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(l + a[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = get_local_id(0); b < 256; b += get_local_size(0))
        if (l[b])
            atomic_add(bins + b, l[b]);
}

kernel void transpose(global const uint *a, global uint *out, uint nx, uint ny)
{
    local uint l[16][17];
    const uint lx = get_local_id(0), ly = get_local_id(1);
    const uint gx = get_group_id(0) * 16, gy = get_group_id(1) * 16;
    if (gx + lx < nx && gy + ly < ny)
        l[ly][lx] = a[(gy + ly) * nx + gx + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (gy + lx < ny && gx + ly < nx)
        out[(gx + ly) * ny + gy + lx] = l[lx][ly];
}

/* One item of each group changes what the lock protects, with plain loads and
 * stores. */
kernel void count_locked(volatile global uint *lock, volatile global uint *n)
{
    if (get_local_id(0) == 0) {
        while (atomic_cmpxchg(lock, 0, 1))
            ;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        n[0] += 1;
        n[1] += n[0];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_xchg(lock, 0);
    }
}

/* out: sum, least, most of all, and how many items the sub-groups had. */
kernel void reduce(global const int *a, global int *out)
{
    const int x = a[get_global_id(0)];
    const int sum = sub_group_reduce_add(x);
    const int least = sub_group_reduce_min(x), most = sub_group_reduce_max(x);
    if (get_sub_group_local_id() == 0) {
        atomic_add(out, sum);
        atomic_min(out + 1, least);
        atomic_max(out + 2, most);
        atomic_add(out + 3, (int)get_sub_group_size());
    }
}

/* Two elements an item, all in local memory. */
kernel void bitonic_sort(global uint *a, local uint *l)
{
    const uint n = 2 * get_local_size(0), me = get_local_id(0);
    const uint at = get_group_id(0) * n;
    l[me] = a[at + me];
    l[me + n / 2] = a[at + me + n / 2];
    for (uint size = 2; size <= n; size *= 2)
        for (uint half_e = size / 2; half_e > 0; half_e /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint i = 2 * me - (me & (half_e - 1)), k = i + half_e;
            const uint x = l[i], y = l[k];
            if ((x > y) == !(i & size)) {
                l[i] = y;
                l[k] = x;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    a[at + me] = l[me];
    a[at + me + n / 2] = l[me + n / 2];
}

/* Solutions of N queens that begin with the queens of rows 0 and 1 where the
 * item says: a stack in private memory. */
kernel void queens(global uint *found, int n)
{
    int column[16];
    const int first = get_global_id(0) % n, second = get_global_id(0) / n;
    uint count = 0;
    int row = 2;
    if (abs(first - second) < 2)
        return;
    column[0] = first;
    column[1] = second;
    column[2] = -1;
    while (row > 1) {
        bool free = false;
        while (!free && ++column[row] < n) {
            free = true;
            for (int k = 0; k < row; k++) {
                const int d = column[row] - column[k];
                free = free && d && d != row - k && d != k - row;
            }
        }
        if (!free) {
            row--;
        } else if (row == n - 1) {
            count++;
        } else {
            row++;
            column[row] = -1;
        }
    }
    atomic_add(found, count);
}

/* The CRC of Ethernet and zip of the text's first bytes, as many as the item's
 * number says. */
kernel void crc32(global const uchar *text, global uint *crc)
{
    uint c = 0xffffffff;
    for (uint i = 0; i < get_global_id(0); i++) {
        c ^= text[i];
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
    }
    crc[get_global_id(0)] = ~c;
}

/* (2 + the item's number) to the power p - 1, modulo p. */
kernel void fermat(global ulong *out, ulong p)
{
    ulong x = 2 + get_global_id(0), y = 1;
    for (ulong e = p - 1; e; e /= 2) {
        if (e % 2)
            y = y * x % p;
        x = x * x % p;
    }
    out[get_global_id(0)] = y;
}

#ifdef __IMAGE_SUPPORT__
/* The sum of nine neighbours, at the edge of the nearest ones, of four parts. */
kernel void box(read_only image2d_t from, write_only image2d_t to)
{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE |
                        CLK_FILTER_NEAREST;
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    uint4 sum = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += read_imageui(from, s, at + (int2)(x, y));
    write_imageui(to, at, sum);
}
#endif
