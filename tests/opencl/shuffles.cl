/* SPDX-License-Identifier: Apache-2.0 */
/* cl_intel_subgroups: values of other channels, and the short and char
 * variants. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define SHUFFLE(name, T)                                                       \
    kernel void name(global T *out, global const T *a, global const uint *k)   \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        out[3 * i + 0] = intel_sub_group_shuffle(a[i], k[i] & 7);              \
        out[3 * i + 1] = intel_sub_group_shuffle_xor(a[i], 3u);                \
        out[3 * i + 2] = intel_sub_group_shuffle(a[i], 6u);                    \
    }
// @ shuffle_i32 out:int:3 in:int:1 in:uint:1 needs=subgroups,vendor width=1
// @ shuffle_f32 out:float:3 in:float:1 in:uint:1 needs=subgroups,vendor width=1
// @ shuffle_i64 out:long:3 in:long:1 in:uint:1 needs=subgroups,vendor width=1
// @ shuffle_u16 out:ushort:3 in:ushort:1 in:uint:1 needs=subgroups,vendor width=1
// @ shuffle_u8 out:uchar:3 in:uchar:1 in:uint:1 needs=subgroups,vendor width=1
// @ shuffle_f16 out:half:3 in:half:1 in:uint:1 needs=subgroups,vendor,half
//   width=1
// @ shuffle_i32x4 out:int4:3 in:int4:1 in:uint:1 needs=subgroups,vendor width=1
SHUFFLE(shuffle_i32, int)
SHUFFLE(shuffle_f32, float)
SHUFFLE(shuffle_i64, long)
SHUFFLE(shuffle_u16, ushort)
SHUFFLE(shuffle_u8, uchar)
SHUFFLE(shuffle_f16, half)
SHUFFLE(shuffle_i32x4, int4)

// @ shuffle_up_down out:int:4 in:int:1 in:int:1 needs=subgroups,vendor width=1
kernel void shuffle_up_down(global int *out, global const int *a,
                            global const int *b)
{
    const int i = get_global_id(0);
    out[4 * i + 0] = intel_sub_group_shuffle_down(a[i], b[i], 1u);
    out[4 * i + 1] = intel_sub_group_shuffle_up(a[i], b[i], 1u);
    out[4 * i + 2] = intel_sub_group_shuffle_down(a[i], b[i], 5u);
    out[4 * i + 3] = intel_sub_group_shuffle_up(a[i], b[i], 3u);
}

// @ shuffle_butterfly out:float:1 in:float:1:-8..8 needs=subgroups,vendor
//   width=1 ulp=64
kernel void shuffle_butterfly(global float *out, global const float *a)
{
    const int i = get_global_id(0);
    float v = a[i];
    for (uint d = 1; d < get_sub_group_size(); d *= 2)
        v += intel_sub_group_shuffle_xor(v, d);
    out[i] = v;
}

// @ shuffle_matmul out:float:8 in:float:8:-4..4 in:float:8:-4..4
//   needs=subgroups,vendor width=1 ulp=64
kernel void shuffle_matmul(global float *out, global const float *a,
                           global const float *b)
{
    const int i = get_global_id(0);
    for (int r = 0; r < 8; r++) {
        float s = 0;
        for (int k = 0; k < 8; k++)
            s = fma(intel_sub_group_shuffle(a[8 * i + r], (uint)k),
                    b[8 * i + k], s);
        out[8 * i + r] = s;
    }
}
