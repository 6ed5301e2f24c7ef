/* SPDX-License-Identifier: Apache-2.0 */
/* Bit tricks. */

// @ bit_reverse out:uint:1 in:uint:1
kernel void bit_reverse(global uint *out, global const uint *a)
{
    const int i = get_global_id(0);
    uint v = a[i];
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
    out[i] = v >> 16 | v << 16;
}

// @ bit_counts out:uint:6 in:uint:1 in:ulong:1
kernel void bit_counts(global uint *out, global const uint *a,
                       global const ulong *b)
{
    const int i = get_global_id(0);
    out[6 * i + 0] = popcount(a[i]);
    out[6 * i + 1] = clz(a[i]);
    out[6 * i + 2] = ctz(a[i]);
    out[6 * i + 3] = (uint)popcount(b[i]);
    out[6 * i + 4] = (uint)clz(b[i]);
    out[6 * i + 5] = (uint)ctz(b[i]);
}

// @ bit_fields out:int:5 in:int:1
kernel void bit_fields(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    out[5 * i + 0] = (int)((uint)a[i] >> 7 & 0x3ff);
    out[5 * i + 1] = a[i] << 12 >> 20;
    out[5 * i + 2] = (a[i] & ~0xff00) | (a[i] << 8 & 0xff00);
    out[5 * i + 3] = a[i] << 24 >> 24;
    out[5 * i + 4] = (ushort)a[i] + (short)(a[i] >> 16);
}

// @ variable_fields out:uint:2 in:uint:1 in:uint:1
kernel void variable_fields(global uint *out, global const uint *a,
                            global const uint *b)
{
    const int i = get_global_id(0);
    const uint at = b[i] & 15, n = (b[i] >> 4 & 15) + 1;
    const uint mask = (1u << n) - 1;
    out[2 * i + 0] = a[i] >> at & mask;
    out[2 * i + 1] = (a[i] & ~(mask << at)) | (b[i] & mask) << at;
}

// @ rotates out:uint:4 out:ushort:1 in:uint:1 in:uint:1
kernel void rotates(global uint *out, global ushort *s, global const uint *a,
                    global const uint *b)
{
    const int i = get_global_id(0);
    out[4 * i + 0] = rotate(a[i], b[i]);
    out[4 * i + 1] = a[i] >> (b[i] & 31) | a[i] << (-b[i] & 31);
    out[4 * i + 2] = rotate(a[i], 13u) ^ rotate(a[i], 30u);
    out[4 * i + 3] = upsample((ushort)a[i], (ushort)b[i]);
    s[i] = rotate((ushort)a[i], (ushort)5);
}

// @ three_way_logic out:uint:6 in:uint:1 in:uint:1 in:uint:1
kernel void three_way_logic(global uint *out, global const uint *a,
                            global const uint *b, global const uint *c)
{
    const int i = get_global_id(0);
    const uint x = a[i], y = b[i], z = c[i];
    out[6 * i + 0] = (x & y) | (~x & z);
    out[6 * i + 1] = x ^ y ^ z;
    out[6 * i + 2] = (x & y) ^ (x & z) ^ (y & z);
    out[6 * i + 3] = (x | y) & ~z;
    out[6 * i + 4] = ~(x & y & z);
    out[6 * i + 5] = bitselect(x, y, z);
}

// @ parity out:uint:1 in:uint:1
kernel void parity(global uint *out, global const uint *a)
{
    const int i = get_global_id(0);
    uint v = a[i];
    v ^= v >> 16;
    v ^= v >> 8;
    v ^= v >> 4;
    out[i] = 0x6996u >> (v & 15) & 1;
}

// @ gray_code out:uint:2 in:uint:1
kernel void gray_code(global uint *out, global const uint *a)
{
    const int i = get_global_id(0);
    const uint g = a[i] ^ a[i] >> 1;
    uint v = g;
    for (uint d = 1; d < 32; d *= 2)
        v ^= v >> d;
    out[2 * i] = g;
    out[2 * i + 1] = v;
}

// @ crc32 out:uint:1 in:uchar:8
kernel void crc32(global uint *out, global const uchar *a)
{
    const int i = get_global_id(0);
    uint c = ~0u;
    for (int k = 0; k < 8; k++) {
        c ^= a[8 * i + k];
        for (int b = 0; b < 8; b++)
            c = c >> 1 ^ (0xedb88320u & -(c & 1));
    }
    out[i] = ~c;
}

// @ morton out:uint:1 out:ushort:2 in:uint:1
kernel void morton(global uint *out, global ushort *back, global const uint *a)
{
    const int i = get_global_id(0);
    ulong v = a[i];
    v = (v | v << 16) & 0x0000ffff0000ffffUL;
    v = (v | v << 8) & 0x00ff00ff00ff00ffUL;
    v = (v | v << 4) & 0x0f0f0f0f0f0f0f0fUL;
    v = (v | v << 2) & 0x3333333333333333UL;
    v = (v | v << 1) & 0x5555555555555555UL;
    out[i] = (uint)(v >> 32 ^ v);
    back[2 * i] = (ushort)v;
    back[2 * i + 1] = (ushort)(v >> 48);
}
