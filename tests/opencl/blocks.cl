/* SPDX-License-Identifier: Apache-2.0 */
/* cl_intel_subgroups block reads and writes of every size, global and, where
 * the extension has them, local. Each subgroup copies its own piece. */
// @variant far: -cl-intel-greater-than-4GB-buffer-required
#define FIRST(n)                                                               \
    ((get_group_id(0) * get_local_size(0) +                                    \
      get_sub_group_id() * get_sub_group_size()) * (n))

#define BLOCK(name, T, S, f, n)                                                \
    kernel void name(global S *out, global S *in)                              \
    {                                                                          \
        const T v = intel_sub_group_block_read##f(in + FIRST(n));              \
        intel_sub_group_block_write##f(out + FIRST(n), v + (S)1);              \
    }
// @ block_u32x1 out:uint:1 in:uint:1 needs=subgroups,vendor
// @ block_u32x2 out:uint:2 in:uint:2 needs=subgroups,vendor
// @ block_u32x4 out:uint:4 in:uint:4 needs=subgroups,vendor
// @ block_u32x8 out:uint:8 in:uint:8 needs=subgroups,vendor
// @ block_u16x1 out:ushort:1 in:ushort:1 needs=subgroups,vendor
// @ block_u16x2 out:ushort:2 in:ushort:2 needs=subgroups,vendor
// @ block_u16x4 out:ushort:4 in:ushort:4 needs=subgroups,vendor
// @ block_u16x8 out:ushort:8 in:ushort:8 needs=subgroups,vendor
// @ block_u8x1 out:uchar:1 in:uchar:1 needs=subgroups,vendor
// @ block_u8x2 out:uchar:2 in:uchar:2 needs=subgroups,vendor
// @ block_u8x4 out:uchar:4 in:uchar:4 needs=subgroups,vendor
// @ block_u8x8 out:uchar:8 in:uchar:8 needs=subgroups,vendor
// @ block_u8x16 out:uchar:16 in:uchar:16 needs=subgroups,vendor
// @ block_u64x1 out:ulong:1 in:ulong:1 needs=subgroups,vendor
// @ block_u64x2 out:ulong:2 in:ulong:2 needs=subgroups,vendor
// @ block_u64x4 out:ulong:4 in:ulong:4 needs=subgroups,vendor
// @ block_u64x8 out:ulong:8 in:ulong:8 needs=subgroups,vendor
BLOCK(block_u32x1, uint, uint, , 1)
BLOCK(block_u32x2, uint2, uint, 2, 2)
BLOCK(block_u32x4, uint4, uint, 4, 4)
BLOCK(block_u32x8, uint8, uint, 8, 8)
BLOCK(block_u16x1, ushort, ushort, _us, 1)
BLOCK(block_u16x2, ushort2, ushort, _us2, 2)
BLOCK(block_u16x4, ushort4, ushort, _us4, 4)
BLOCK(block_u16x8, ushort8, ushort, _us8, 8)
BLOCK(block_u8x1, uchar, uchar, _uc, 1)
BLOCK(block_u8x2, uchar2, uchar, _uc2, 2)
BLOCK(block_u8x4, uchar4, uchar, _uc4, 4)
BLOCK(block_u8x8, uchar8, uchar, _uc8, 8)
BLOCK(block_u8x16, uchar16, uchar, _uc16, 16)
BLOCK(block_u64x1, ulong, ulong, _ul, 1)
BLOCK(block_u64x2, ulong2, ulong, _ul2, 2)
BLOCK(block_u64x4, ulong4, ulong, _ul4, 4)
BLOCK(block_u64x8, ulong8, ulong, _ul8, 8)

/* The extension's local forms are hidden in this version; their builtins are
 * not. */
uint4 __builtin_IB_simd_block_read_4_local(const local uint *p);
void __builtin_IB_simd_block_write_4_local(local uint *p, uint4 v);

// @ block_local out:uint:4 in:uint:4 needs=subgroups,vendor width=1
kernel void block_local(global uint *out, global const uint *in)
{
    local uint s[32 * 4] __attribute__((aligned(16)));
    const int l = get_local_id(0), g = get_group_id(0) * 128;
    for (int k = 0; k < 4; k++)
        s[l + 32 * k] = in[g + l + 32 * k];
    barrier(CLK_LOCAL_MEM_FENCE);
    local uint *const mine =
        s + get_sub_group_id() * get_sub_group_size() * 4;
    const uint4 v = __builtin_IB_simd_block_read_4_local(mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    __builtin_IB_simd_block_write_4_local(mine, v.wzyx);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; k++)
        out[g + l + 32 * k] = s[l + 32 * k];
}

// @ block_unaligned out:uint:1 in:uint:2 needs=subgroups,vendor width=1
kernel void block_unaligned(global uint *out, global uint *in)
{
    const uint v = intel_sub_group_block_read(in + FIRST(1) + 1);
    const uint2 w = intel_sub_group_block_read2(in + FIRST(1) + 3);
    intel_sub_group_block_write(out + FIRST(1), v ^ w.x ^ w.y);
}

// @ block_in_loop out:uint:1 in:uint:8 needs=subgroups,vendor width=1
kernel void block_in_loop(global uint *out, global uint *in)
{
    uint s = 0;
    for (int k = 0; k < 8; k++)
        s = s * 3 + intel_sub_group_block_read(in + FIRST(8) +
                                               k * get_sub_group_size());
    intel_sub_group_block_write(out + FIRST(1), s);
}
