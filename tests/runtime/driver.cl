/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver must provide: constants and variables of the module, local
 * memory by argument, private memory, sizes, ids in three dimensions. */
constant int table[8] = {3, 10, 200, 3000, -4, 50, -600, 7};
global int counter[4] = {1000, 2000, 3000, 4000};

kernel void local_and_constants(global int *out, global const int *a, int k,
                                local int *l)
{
    const int i = get_global_id(0), n = get_local_size(0);
    l[get_local_id(0)] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = l[n - 1 - get_local_id(0)] * k + table[a[i] & 7];
}

kernel void private_array(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    int v[64];
    for (int k = 0; k < 64; k++)
        v[k] = a[i] * k + table[k & 7];
    out[i] = v[a[i] & 63] - v[a[i] >> 6 & 63];
}

kernel void ids(global int *out)
{
    const int x = get_global_id(0), y = get_global_id(1),
              z = get_global_id(2);
    const int nx = get_global_size(0), ny = get_global_size(1);
    out[(z * ny + y) * nx + x] =
        get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2) +
        1000 * get_group_id(0) + 10000 * get_num_groups(1) +
        100000 * get_work_dim();
}

kernel void variables(global int *out)
{
    const int i = get_global_id(0);
    if (i < 4)
        counter[i] += i;
    out[i] = counter[i & 3];
}

kernel void talks(global int *out)
{
    out[get_global_id(0)] = 1;
    printf("%d\n", (int)get_global_id(0));
}
