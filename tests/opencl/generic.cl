/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers whose address space is known only at run time. */

// @ generic_load out:int:1 in:int:1
kernel void generic_load(global int *out, global int *a)
{
    local int s[32];
    const int i = get_global_id(0), l = get_local_id(0);
    s[l] = a[i] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *const p = a[i] & 1 ? (int *)&a[i] : (int *)&s[31 - l];
    out[i] = *p;
}

// @ generic_store io:int:1:zero in:int:1
kernel void generic_store(global int *out, global const int *a)
{
    local int s[32];
    const int i = get_global_id(0), l = get_local_id(0);
    s[l] = 0;
    int *const p = a[i] & 2 ? (int *)&out[i] : (int *)&s[l];
    *p = a[i];
    out[i] += s[l] * 2;
}

// @ generic_private out:int:1 in:int:1
kernel void generic_private(global int *out, global int *a)
{
    const int i = get_global_id(0);
    int own[4] = {a[i], 2, 3, 4};
    int *p = own + (a[i] & 3);
    if (a[i] & 8)
        p = a + i;
    out[i] = *p * 3;
}

// @ generic_bytes out:uchar:1 in:uchar:2
kernel void generic_bytes(global uchar *out, global uchar *a)
{
    local uchar s[32];
    const int i = get_global_id(0), l = get_local_id(0);
    s[l] = (uchar)~a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uchar *const p = l & 1 ? (uchar *)s : (uchar *)(a + i);
    out[i] = p[l & 1 ? l - 1 : 0];
}

// @ generic_atomic io:int:1!:zero out:int:1 in:int:1
kernel void generic_atomic(global int *t, global int *out, global const int *a)
{
    local int s;
    const int l = get_local_id(0);
    if (l == 0)
        s = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    volatile atomic_int *const p = l & 1 ? (volatile atomic_int *)t
                                         : (volatile atomic_int *)&s;
    atomic_fetch_add(p, a[get_global_id(0)] & 0xff);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s;
}
