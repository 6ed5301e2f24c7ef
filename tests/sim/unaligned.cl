/* SPDX-License-Identifier: Apache-2.0 */
/* Elements at addresses that OpenCL C allows and that are no multiple of the
 * size that the compiler moves at once. Each item's elements go out in the
 * order of the items. */

// vstore2 and vload2 only need an element's alignment.
kernel void local_ushort2(global const ushort *in, global ushort *out)
{
    local ushort s[65];
    const int i = get_local_id(0);
    vstore2((ushort2)(in[2 * i], in[2 * i + 1]), i, s + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int k = 31 - i;
    const ushort2 v = vload2(k, s + 1);
    out[2 * k] = v.x;
    out[2 * k + 1] = v.y;
}

kernel void local_uchar4(global const uchar *in, global uchar *out)
{
    local uchar s[131];
    const int i = get_local_id(0);
    vstore4(vload4(i, in), i, s + 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore4(vload4(31 - i, s + 3), 31 - i, out);
}

struct __attribute__((packed)) odd {
    uchar first;
    ulong value;
};

kernel void local_packed(global const ulong *in, global ulong *out)
{
    local struct odd s[32];
    const int i = get_local_id(0);
    s[i].value = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[31 - i] = s[31 - i].value;
}

// The first element stays where it is.
kernel void global_ushort2(global const ushort *in, global ushort *out)
{
    const int i = get_local_id(0);
    if (i == 0)
        out[0] = in[0];
    vstore2(vload2(i, in + 1), i, out + 1);
}

kernel void global_packed(global const struct odd *in, global struct odd *out)
{
    const int i = get_local_id(0);
    out[i].first = in[i].first;
    out[i].value = in[i].value;
}

// Its items have no ids, but xelp's payload has a register for them.
kernel void global_idless(global const uchar *in, global uchar *out)
{
    for (int k = 0; k < 32; k++)
        out[k] = in[k];
}
