/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions: between all integer types with and without saturation, between
 * integers and floats in all four rounding modes, as_type. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define OUTPUTS                                                                \
    global char *c, global uchar *uc, global short *s, global ushort *us,      \
        global int *d, global uint *ud, global long *q, global ulong *uq

#define TRUNCATE(name, T)                                                      \
    kernel void name(OUTPUTS, global const T *a)                               \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        const T x = a[i];                                                      \
        c[i] = convert_char(x), uc[i] = convert_uchar(x);                      \
        s[i] = convert_short(x), us[i] = convert_ushort(x);                    \
        d[i] = convert_int(x), ud[i] = convert_uint(x);                        \
        q[i] = convert_long(x), uq[i] = convert_ulong(x);                      \
    }
#define SATURATE(name, T)                                                      \
    kernel void name(OUTPUTS, global const T *a)                               \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        const T x = a[i];                                                      \
        c[i] = convert_char_sat(x), uc[i] = convert_uchar_sat(x);              \
        s[i] = convert_short_sat(x), us[i] = convert_ushort_sat(x);            \
        d[i] = convert_int_sat(x), ud[i] = convert_uint_sat(x);                \
        q[i] = convert_long_sat(x), uq[i] = convert_ulong_sat(x);              \
    }
// @ truncate_i8 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:char:1
// @ truncate_u8 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:uchar:1
// @ truncate_i16 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:short:1
// @ truncate_u16 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:ushort:1
// @ truncate_i32 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:int:1
// @ truncate_u32 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:uint:1
// @ truncate_i64 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:long:1
// @ truncate_u64 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:ulong:1
// @ truncate_f32 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:float:1:0..127
// @ truncate_f16 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:half:1:0..127 needs=half
TRUNCATE(truncate_i8, char)
TRUNCATE(truncate_u8, uchar)
TRUNCATE(truncate_i16, short)
TRUNCATE(truncate_u16, ushort)
TRUNCATE(truncate_i32, int)
TRUNCATE(truncate_u32, uint)
TRUNCATE(truncate_i64, long)
TRUNCATE(truncate_u64, ulong)
TRUNCATE(truncate_f32, float)
#ifdef cl_khr_fp16
TRUNCATE(truncate_f16, half)
#endif
// @ saturate_from_i8 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:char:1
// @ saturate_from_u8 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:uchar:1
// @ saturate_from_i16 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:short:1
// @ saturate_from_u16 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:ushort:1
// @ saturate_from_i32 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:int:1
// @ saturate_from_u32 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:uint:1
// @ saturate_from_i64 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:long:1
// @ saturate_from_u64 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:ulong:1
// @ saturate_from_f32 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:float:1:-1e6..1e6
// @ saturate_from_f16 out:char:1 out:uchar:1 out:short:1 out:ushort:1 out:int:1
//   out:uint:1 out:long:1 out:ulong:1 in:half:1:-60000..60000 needs=half
SATURATE(saturate_from_i8, char)
SATURATE(saturate_from_u8, uchar)
SATURATE(saturate_from_i16, short)
SATURATE(saturate_from_u16, ushort)
SATURATE(saturate_from_i32, int)
SATURATE(saturate_from_u32, uint)
SATURATE(saturate_from_i64, long)
SATURATE(saturate_from_u64, ulong)
SATURATE(saturate_from_f32, float)
#ifdef cl_khr_fp16
SATURATE(saturate_from_f16, half)
#endif

// @ round_to_ints out:int:8 in:float:1:-100000..100000
kernel void round_to_ints(global int *out, global const float *a)
{
    const int i = get_global_id(0);
    out[8 * i + 0] = convert_int_rte(a[i]);
    out[8 * i + 1] = convert_int_rtz(a[i]);
    out[8 * i + 2] = convert_int_rtp(a[i]);
    out[8 * i + 3] = convert_int_rtn(a[i]);
    out[8 * i + 4] = convert_short_sat_rte(a[i]);
    out[8 * i + 5] = convert_uchar_sat_rtp(a[i]);
    out[8 * i + 6] = (int)convert_uint_sat_rtn(a[i]);
    out[8 * i + 7] = convert_char_sat_rtz(a[i]);
}

#define ROUND_TO(name, D, S, to)                                               \
    kernel void name(global D *out, global const S *a)                         \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        out[4 * i + 0] = to##_rte(a[i]);                                       \
        out[4 * i + 1] = to##_rtz(a[i]);                                       \
        out[4 * i + 2] = to##_rtp(a[i]);                                       \
        out[4 * i + 3] = to##_rtn(a[i]);                                       \
    }
// @ float_of_i32 out:float:4 in:int:1
// @ float_of_u32 out:float:4 in:uint:1
// @ float_of_i64 out:float:4 in:long:1
// @ float_of_u64 out:float:4 in:ulong:1
// @ float_of_i16 out:float:4 in:short:1
// @ float_of_u8 out:float:4 in:uchar:1
// @ half_of_f32 out:half:4 in:float:1:-70000..70000 needs=half
// @ half_of_i32 out:half:4 in:int:1:-60000..60000 needs=half
// @ half_of_u16 out:half:4 in:ushort:1:0..60000 needs=half
// @ float_of_f16 out:float:4 in:half:1 needs=half
ROUND_TO(float_of_i32, float, int, convert_float)
ROUND_TO(float_of_u32, float, uint, convert_float)
ROUND_TO(float_of_i64, float, long, convert_float)
ROUND_TO(float_of_u64, float, ulong, convert_float)
ROUND_TO(float_of_i16, float, short, convert_float)
ROUND_TO(float_of_u8, float, uchar, convert_float)
#ifdef cl_khr_fp16
ROUND_TO(half_of_f32, half, float, convert_half)
ROUND_TO(half_of_i32, half, int, convert_half)
ROUND_TO(half_of_u16, half, ushort, convert_half)
ROUND_TO(float_of_f16, float, half, convert_float)
#endif

// @ reinterpret out:uint:4 in:float:1 in:int:1
kernel void reinterpret(global uint *out, global const float *a,
                        global const int *b)
{
    const int i = get_global_id(0);
    out[4 * i + 0] = as_uint(a[i]) ^ 0x80000000u;
    out[4 * i + 1] = as_uint(as_float(b[i] & 0x3fffffff) * 2.0f);
    out[4 * i + 2] = as_uint(as_ushort2(b[i]).yx);
    out[4 * i + 3] = as_uint(as_uchar4(b[i]).wzyx);
}

// @ vector_converts out:uchar4:1 out:short4:1 out:float4:1 in:int4:1 in:float4:1
kernel void vector_converts(global uchar4 *u, global short4 *s,
                            global float4 *f, global const int4 *a,
                            global const float4 *b)
{
    const int i = get_global_id(0);
    u[i] = convert_uchar4_sat(a[i]);
    s[i] = convert_short4_sat_rte(b[i]);
    f[i] = convert_float4(a[i]) + convert_float4(u[i]);
}
