/* SPDX-License-Identifier: Apache-2.0 */
/* Subgroup functions. Results depend on the subgroup's width, which is the SIMD
 * width of the compilation: a reference asks for it. */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// @ sg_ids out:int:6 needs=subgroups width=1
kernel void sg_ids(global int *out)
{
    const int i = get_global_id(0);
    out[6 * i + 0] = get_sub_group_local_id();
    out[6 * i + 1] = get_sub_group_id();
    out[6 * i + 2] = get_sub_group_size();
    out[6 * i + 3] = get_max_sub_group_size();
    out[6 * i + 4] = get_num_sub_groups();
    out[6 * i + 5] = get_enqueued_num_sub_groups();
}

// @ sg_reduce out:int:6 in:int:1:-1000..1000 needs=subgroups width=1
kernel void sg_reduce(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    out[6 * i + 0] = sub_group_reduce_add(a[i]);
    out[6 * i + 1] = sub_group_reduce_min(a[i]);
    out[6 * i + 2] = sub_group_reduce_max(a[i]);
    out[6 * i + 3] = (int)sub_group_reduce_max((uint)a[i]);
    out[6 * i + 4] = sub_group_any(a[i] > 900);
    out[6 * i + 5] = sub_group_all(a[i] > -900);
}

// @ sg_scan out:int:4 in:int:1:-1000..1000 needs=subgroups width=1
kernel void sg_scan(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    out[4 * i + 0] = sub_group_scan_inclusive_add(a[i]);
    out[4 * i + 1] = sub_group_scan_exclusive_add(a[i]);
    out[4 * i + 2] = sub_group_scan_inclusive_min(a[i]);
    out[4 * i + 3] = sub_group_scan_exclusive_max(a[i]);
}

// @ sg_broadcast out:int:2 out:float:1 in:int:1 in:float:1 needs=subgroups
//   width=1
kernel void sg_broadcast(global int *out, global float *f,
                         global const int *a, global const float *b)
{
    const int i = get_global_id(0);
    out[2 * i + 0] = sub_group_broadcast(a[i], 3);
    out[2 * i + 1] = sub_group_broadcast(a[i], get_sub_group_size() - 1);
    f[i] = sub_group_broadcast(b[i], 0);
}

// @ sg_float out:float:4 in:float:1:-8..8 needs=subgroups width=1 ulp=64
kernel void sg_float(global float *out, global const float *a)
{
    const int i = get_global_id(0);
    out[4 * i + 0] = sub_group_reduce_add(a[i]);
    out[4 * i + 1] = sub_group_scan_inclusive_add(a[i]);
    out[4 * i + 2] = sub_group_reduce_min(a[i]);
    out[4 * i + 3] = sub_group_scan_exclusive_max(a[i]);
}

// @ sg_half out:half:2 in:half:1:-8..8 needs=subgroups,half width=1 ulp=64
#ifdef cl_khr_fp16
kernel void sg_half(global half *out, global const half *a)
{
    const int i = get_global_id(0);
    out[2 * i + 0] = sub_group_reduce_max(a[i]);
    out[2 * i + 1] = sub_group_broadcast(a[i], 5);
}
#endif

// @ sg_long out:long:3 in:long:1 needs=subgroups width=1
kernel void sg_long(global long *out, global const long *a)
{
    const int i = get_global_id(0);
    out[3 * i + 0] = sub_group_reduce_add(a[i]);
    out[3 * i + 1] = sub_group_reduce_min(a[i]);
    out[3 * i + 2] = sub_group_scan_inclusive_max(a[i]);
}

// @ sg_divergent io:int:2 in:int:1 needs=subgroups width=1
kernel void sg_divergent(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    const int s = sub_group_reduce_add(a[i] & 0xff);
    if (sub_group_any(a[i] < -2000000000)) {
        out[2 * i] = s;
    } else if (a[i] & 1) {
        out[2 * i] = -s;
        out[2 * i + 1] = s >> 1;
    }
}
