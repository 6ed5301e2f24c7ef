/* SPDX-License-Identifier: Apache-2.0 */
/* The same families of integer operations for all eight integer types. */
#define ARITH(name, T)                                                         \
    kernel void name(global T *out, global const T *a, global const T *b)      \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        const T x = a[i], y = b[i];                                            \
        out[6 * i + 0] = (T)(x + y);                                           \
        out[6 * i + 1] = (T)(x - y);                                           \
        out[6 * i + 2] = (T)(x * y);                                           \
        out[6 * i + 3] = (T)(x * y + x);                                       \
        out[6 * i + 4] = (T)(0 - x);                                           \
        out[6 * i + 5] = (T)(x * (T)93 - (T)7);                                \
    }
// @ arith_i8 out:char:6 in:char:1:-11..11 in:char:1:-11..11
// @ arith_u8 out:uchar:6 in:uchar:1 in:uchar:1
// @ arith_i16 out:short:6 in:short:1:-180..180 in:short:1:-180..180
// @ arith_u16 out:ushort:6 in:ushort:1:0..32767 in:ushort:1
// @ arith_i32 out:int:6 in:int:1:-40000..40000 in:int:1:-40000..40000
// @ arith_u32 out:uint:6 in:uint:1 in:uint:1
// @ arith_i64 out:long:6 in:long:1:-2000000000..2000000000
//   in:long:1:-2000000000..2000000000
// @ arith_u64 out:ulong:6 in:ulong:1 in:ulong:1
ARITH(arith_i8, char)
ARITH(arith_u8, uchar)
ARITH(arith_i16, short)
ARITH(arith_u16, ushort)
ARITH(arith_i32, int)
ARITH(arith_u32, uint)
ARITH(arith_i64, long)
ARITH(arith_u64, ulong)

#define SATURATE(name, T)                                                      \
    kernel void name(global T *out, global const T *a, global const T *b)      \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        const T x = a[i], y = b[i];                                            \
        out[8 * i + 0] = add_sat(x, y);                                        \
        out[8 * i + 1] = sub_sat(x, y);                                        \
        out[8 * i + 2] = hadd(x, y);                                           \
        out[8 * i + 3] = rhadd(x, y);                                          \
        out[8 * i + 4] = mul_hi(x, y);                                         \
        out[8 * i + 5] = (T)abs_diff(x, y);                                    \
        out[8 * i + 6] = (T)abs(x);                                            \
        out[8 * i + 7] = clamp(x, (T)3, (T)100);                               \
    }
// @ saturate_i8 out:char:8 in:char:1 in:char:1
// @ saturate_u8 out:uchar:8 in:uchar:1 in:uchar:1
// @ saturate_i16 out:short:8 in:short:1 in:short:1
// @ saturate_u16 out:ushort:8 in:ushort:1 in:ushort:1
// @ saturate_i32 out:int:8 in:int:1 in:int:1
// @ saturate_u32 out:uint:8 in:uint:1 in:uint:1
// @ saturate_i64 out:long:8 in:long:1 in:long:1
// @ saturate_u64 out:ulong:8 in:ulong:1 in:ulong:1
SATURATE(saturate_i8, char)
SATURATE(saturate_u8, uchar)
SATURATE(saturate_i16, short)
SATURATE(saturate_u16, ushort)
SATURATE(saturate_i32, int)
SATURATE(saturate_u32, uint)
SATURATE(saturate_i64, long)
SATURATE(saturate_u64, ulong)

#define LOGIC(name, T)                                                         \
    kernel void name(global T *out, global const T *a, global const T *b)      \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        const T x = a[i], y = b[i];                                            \
        out[8 * i + 0] = x & y;                                                \
        out[8 * i + 1] = x | y;                                                \
        out[8 * i + 2] = x ^ y;                                                \
        out[8 * i + 3] = (T)~x;                                                \
        out[8 * i + 4] = (T)(x & ~y);                                          \
        out[8 * i + 5] = (T)((x & y) | (~x & (T)85));                          \
        out[8 * i + 6] = (T)~(x ^ y ^ (T)90);                                  \
        out[8 * i + 7] = (T)((x | y) & (T)51);                                 \
    }
// @ logic_i8 out:char:8 in:char:1 in:char:1
// @ logic_u8 out:uchar:8 in:uchar:1 in:uchar:1
// @ logic_i16 out:short:8 in:short:1 in:short:1
// @ logic_u16 out:ushort:8 in:ushort:1 in:ushort:1
// @ logic_i32 out:int:8 in:int:1 in:int:1
// @ logic_u32 out:uint:8 in:uint:1 in:uint:1
// @ logic_i64 out:long:8 in:long:1 in:long:1
// @ logic_u64 out:ulong:8 in:ulong:1 in:ulong:1
LOGIC(logic_i8, char)
LOGIC(logic_u8, uchar)
LOGIC(logic_i16, short)
LOGIC(logic_u16, ushort)
LOGIC(logic_i32, int)
LOGIC(logic_u32, uint)
LOGIC(logic_i64, long)
LOGIC(logic_u64, ulong)

/* Shift counts are taken modulo the width. */
#define SHIFT(name, T, W)                                                      \
    kernel void name(global T *out, global const T *a, global const T *b)      \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        const T x = a[i], y = b[i] & (T)((W) - 1);                             \
        out[6 * i + 0] = (T)(x << y);                                          \
        out[6 * i + 1] = (T)(x >> y);                                          \
        out[6 * i + 2] = rotate(x, y);                                         \
        out[6 * i + 3] = rotate(x, (T)((W) - 3));                              \
        out[6 * i + 4] = (T)popcount(x);                                       \
        out[6 * i + 5] = (T)clz(x);                                            \
    }
// @ shift_i8 out:char:6 in:char:1:0..127 in:char:1
// @ shift_u8 out:uchar:6 in:uchar:1 in:uchar:1
// @ shift_i16 out:short:6 in:short:1:0..32767 in:short:1
// @ shift_u16 out:ushort:6 in:ushort:1 in:ushort:1
// @ shift_i32 out:int:6 in:int:1 in:int:1
// @ shift_u32 out:uint:6 in:uint:1 in:uint:1
// @ shift_i64 out:long:6 in:long:1 in:long:1
// @ shift_u64 out:ulong:6 in:ulong:1 in:ulong:1
SHIFT(shift_i8, char, 8)
SHIFT(shift_u8, uchar, 8)
SHIFT(shift_i16, short, 16)
SHIFT(shift_u16, ushort, 16)
SHIFT(shift_i32, int, 32)
SHIFT(shift_u32, uint, 32)
SHIFT(shift_i64, long, 64)
SHIFT(shift_u64, ulong, 64)

#define COMPARE(name, T)                                                       \
    kernel void name(global int *out, global const T *a, global const T *b)    \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        const T x = a[i], y = b[i];                                            \
        out[i] = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 |      \
                 (x == y) << 4 | (x != y) << 5 | (max(x, y) == x) << 6 |       \
                 (min(x, y) == x) << 7 | ((x & y) != 0) << 8;                  \
    }
// @ compare_i8 out:int:1 in:char:1 in:char:1
// @ compare_u8 out:int:1 in:uchar:1 in:uchar:1
// @ compare_i16 out:int:1 in:short:1 in:short:1
// @ compare_u16 out:int:1 in:ushort:1 in:ushort:1
// @ compare_i64 out:int:1 in:long:1:-3..3 in:long:1:-3..3
// @ compare_u64 out:int:1 in:ulong:1 in:ulong:1
COMPARE(compare_i8, char)
COMPARE(compare_u8, uchar)
COMPARE(compare_i16, short)
COMPARE(compare_u16, ushort)
COMPARE(compare_i64, long)
COMPARE(compare_u64, ulong)

#define DIVIDE(name, T)                                                        \
    kernel void name(global T *out, global const T *a, global const T *b)      \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        out[4 * i + 0] = a[i] / b[i];                                          \
        out[4 * i + 1] = a[i] % b[i];                                          \
        out[4 * i + 2] = a[i] / (T)11;                                         \
        out[4 * i + 3] = a[i] % (T)100;                                        \
    }
// @ divide_i8 out:char:4 in:char:1 in:char:1:1..100
// @ divide_u8 out:uchar:4 in:uchar:1 in:uchar:1:1..255
// @ divide_i16 out:short:4 in:short:1 in:short:1:1..3000
// @ divide_u16 out:ushort:4 in:ushort:1 in:ushort:1:1..65535
// @ divide_i64 out:long:4 in:long:1 in:long:1:1..100000000000
// @ divide_u64 out:ulong:4 in:ulong:1 in:ulong:1:1..5000
DIVIDE(divide_i8, char)
DIVIDE(divide_u8, uchar)
DIVIDE(divide_i16, short)
DIVIDE(divide_u16, ushort)
DIVIDE(divide_i64, long)
DIVIDE(divide_u64, ulong)
