/* SPDX-License-Identifier: Apache-2.0 */
/* Vector types, loads and stores of every width, swizzles, unaligned access. */
// @variant far: -cl-intel-greater-than-4GB-buffer-required
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define COPY(name, T)                                                          \
    kernel void name(global T *out, global const T *a)                         \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        out[i] = a[i ^ 1];                                                     \
    }
// @ copy_u8 out:uchar:1 in:uchar:1
// @ copy_u8x2 out:uchar2:1 in:uchar2:1
// @ copy_u8x4 out:uchar4:1 in:uchar4:1
// @ copy_u8x8 out:uchar8:1 in:uchar8:1
// @ copy_u8x16 out:uchar16:1 in:uchar16:1
// @ copy_i16 out:short:1 in:short:1
// @ copy_i16x2 out:short2:1 in:short2:1
// @ copy_i16x4 out:short4:1 in:short4:1
// @ copy_i16x8 out:short8:1 in:short8:1
// @ copy_i32 out:int:1 in:int:1
// @ copy_i32x2 out:int2:1 in:int2:1
// @ copy_i32x3 out:int3:1 in:int3:1
// @ copy_i32x4 out:int4:1 in:int4:1
// @ copy_i32x8 out:int8:1 in:int8:1
// @ copy_i32x16 out:int16:1 in:int16:1
// @ copy_i64 out:long:1 in:long:1
// @ copy_i64x2 out:long2:1 in:long2:1
// @ copy_i64x4 out:long4:1 in:long4:1
// @ copy_i64x8 out:long8:1 in:long8:1
// @ copy_f16x4 out:half4:1 in:half4:1 needs=half
COPY(copy_u8, uchar)
COPY(copy_u8x2, uchar2)
COPY(copy_u8x4, uchar4)
COPY(copy_u8x8, uchar8)
COPY(copy_u8x16, uchar16)
COPY(copy_i16, short)
COPY(copy_i16x2, short2)
COPY(copy_i16x4, short4)
COPY(copy_i16x8, short8)
COPY(copy_i32, int)
COPY(copy_i32x2, int2)
COPY(copy_i32x3, int3)
COPY(copy_i32x4, int4)
COPY(copy_i32x8, int8)
COPY(copy_i32x16, int16)
COPY(copy_i64, long)
COPY(copy_i64x2, long2)
COPY(copy_i64x4, long4)
COPY(copy_i64x8, long8)
#ifdef cl_khr_fp16
COPY(copy_f16x4, half4)
#endif

// @ swizzles out:int4:3 in:int4:1
kernel void swizzles(global int4 *out, global const int4 *a)
{
    const int i = get_global_id(0);
    const int4 v = a[i];
    out[3 * i + 0] = v.wxzy;
    out[3 * i + 1] = (int4)(v.hi, v.even);
    int4 w = v.xxyy;
    w.zw = v.ww + v.xy;
    out[3 * i + 2] = w;
}

// @ vector_arith out:int4:2 in:int4:1:-1000..1000 in:short4:1
kernel void vector_arith(global int4 *out, global const int4 *a,
                         global const short4 *b)
{
    const int i = get_global_id(0);
    const int4 v = convert_int4(b[i]);
    out[2 * i + 0] = a[i] * v + (a[i] > v);
    out[2 * i + 1] = select(a[i], v, v < a[i].wwww) - min(a[i], v);
}

// @ vload_unaligned out:int:3 in:int:5 in:char:4
kernel void vload_unaligned(global int *out, global const int *a,
                            global const char *b)
{
    const int i = get_global_id(0);
    const int3 v = vload3(i, a);
    const char4 w = vload4(0, b + 3 * i + 1);
    vstore3(v.zxy + convert_int3(w.xyz), i, out);
}

// @ strided out:float:1 in:float:7
kernel void strided(global float *out, global const float *a)
{
    const int i = get_global_id(0);
    out[i] = a[7 * i] + a[7 * i + 3] - a[7 * i + 6];
}

// @ scattered out:int:1 in:int:1 in:uint:1:0..127
kernel void scattered(global int *out, global const int *a,
                      global const uint *k)
{
    const int i = get_global_id(0);
    out[i] = a[k[i]] + a[k[k[i]]];
}

// @ shuffled_vector out:uchar16:1 in:uchar16:1 in:uchar16:1
kernel void shuffled_vector(global uchar16 *out, global const uchar16 *a,
                            global const uchar16 *mask)
{
    const int i = get_global_id(0);
    out[i] = shuffle(a[i], mask[i]);
}

// @ structures out:int:2 in:int:3
struct xyz {
    int x;
    short y;
    uchar z, w;
    float f;
};
kernel void structures(global int *out, global const struct xyz *a)
{
    const int i = get_global_id(0);
    const struct xyz v = a[i];
    out[2 * i + 0] = v.x + v.y * v.z;
    out[2 * i + 1] = as_int(v.f) ^ v.w;
}

// @ many_buffers out:int:1 in:int:1 in:int:1 in:int:1 in:int:1 in:int:1 in:int:1
//   in:int:1 in:int:1 val:int:3 val:float:2 val:long:77 val:char:5
kernel void many_buffers(global int *out, global const int *a,
                         global const int *b, global const int *c,
                         global const int *d, global const int *e,
                         global const int *f, global const int *g,
                         global const int *h, int s, float t, long u, char v)
{
    const int i = get_global_id(0);
    out[i] = (a[i] ^ b[i] ^ c[i] ^ d[i]) + (e[i] & f[i]) - (g[i] | h[i]) +
             s + (int)t + (int)u + v;
}

// @ volumes out:int:1 in:int:1 local=4,4,2 global=8,8,8
kernel void volumes(global int *out, global const int *a)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int i = (z * 8 + y) * 8 + x;
    out[i] = a[(x * 8 + z) * 8 + y] + (int)get_local_linear_id() * 1000 +
             (int)get_global_linear_id();
}

// @ offsets out:int:1 in:int:1
kernel void offsets(global int *out, global const int *a)
{
    const int i = get_global_id(0) - get_global_offset(0);
    out[i] = a[i] + get_work_dim() + get_num_groups(0) * 10 +
             get_enqueued_local_size(0) * 100;
}
