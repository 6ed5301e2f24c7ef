/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the load/store cache that this compiler does not use by itself on
 * dg2, and the 2D blocks of pvc, in kernels that can be run: each work-item or
 * subgroup moves its own piece. */
// @platforms dg2 pvc
#define SUBGROUP __attribute__((intel_reqd_sub_group_size(16)))

#define LOAD(name, T, message)                                                 \
    SUBGROUP kernel void name(global T *out, global const T *a)                \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        global const T *const p = a + i;                                       \
        T r;                                                                   \
        __asm__ volatile("lsc_load.ugm" message : "=rw"(r) : "rw"(p));         \
        out[i] = r;                                                            \
    }
// @ lsc_load_d32 out:uint:1 in:uint:1 needs=vendor
// @ lsc_load_d32x2 out:uint2:1 in:uint2:1 needs=vendor
// @ lsc_load_d32x4 out:uint4:1 in:uint4:1 needs=vendor
// @ lsc_load_d64 out:ulong:1 in:ulong:1 needs=vendor
// @ lsc_load_cached out:uint:1 in:uint:1 needs=vendor
LOAD(lsc_load_d32, uint, " (M1, 16) %0:d32 flat[%1]:a64")
LOAD(lsc_load_d32x2, uint2, " (M1, 16) %0:d32x2 flat[%1]:a64")
LOAD(lsc_load_d32x4, uint4, " (M1, 16) %0:d32x4 flat[%1]:a64")
LOAD(lsc_load_d64, ulong, " (M1, 16) %0:d64 flat[%1]:a64")
LOAD(lsc_load_cached, uint, ".ca.ca (M1, 16) %0:d32 flat[%1]:a64")

// @ lsc_prefetch out:uint:1 in:uint:1 needs=vendor
SUBGROUP kernel void lsc_prefetch(global uint *out, global const uint *a)
{
    const int i = get_global_id(0);
    global const uint *const p = a + i;
    __asm__ volatile("lsc_load.ugm.ca.ca (M1, 16) V0:d32 flat[%0]:a64"
                     :
                     : "rw"(p));
    out[i] = a[i] + 1;
}

#define NARROW(name, T, size)                                                  \
    SUBGROUP kernel void name(global uint *out, global const T *a)             \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        global const T *const p = a + i;                                       \
        uint r;                                                                \
        __asm__ volatile("lsc_load.ugm (M1, 16) %0:" size " flat[%1]:a64"      \
                         : "=rw"(r)                                            \
                         : "rw"(p));                                           \
        out[i] = r & (T)~0;                                                    \
    }
// @ lsc_load_d8 out:uint:1 in:uchar:1 needs=vendor
// @ lsc_load_d16 out:uint:1 in:ushort:1 needs=vendor
NARROW(lsc_load_d8, uchar, "d8c32")
NARROW(lsc_load_d16, ushort, "d16c32")

#define STORE(name, T, V, size)                                                \
    SUBGROUP kernel void name(global T *out, global const T *a)                \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        global T *const p = out + i;                                           \
        const V v = a[i];                                                      \
        __asm__ volatile("lsc_store.ugm (M1, 16) flat[%0]:a64 %1:" size        \
                         :                                                     \
                         : "rw"(p), "rw"(v));                                  \
    }
// @ lsc_store_d8 out:uchar:1 in:uchar:1 needs=vendor
// @ lsc_store_d16 out:ushort:1 in:ushort:1 needs=vendor
// @ lsc_store_d32x4 out:uint4:1 in:uint4:1 needs=vendor
// @ lsc_store_d64 out:ulong:1 in:ulong:1 needs=vendor
STORE(lsc_store_d8, uchar, uint, "d8c32")
STORE(lsc_store_d16, ushort, uint, "d16c32")
STORE(lsc_store_d32x4, uint4, uint4, "d32x4")
STORE(lsc_store_d64, ulong, ulong, "d64")

/* Each work-item has a dword of its own; old values go out as well. */
#define ATOMIC(name, T, op)                                                    \
    SUBGROUP kernel void name(global T *mine, global T *out,                   \
                              global const T *a)                               \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        global T *const p = mine + i;                                          \
        const T v = a[i];                                                      \
        T r;                                                                   \
        __asm__ volatile("lsc_atomic_" op ".ugm (M1, 16) %0:d32 flat[%1]:a64 " \
                         "%2 V0"                                               \
                         : "=rw"(r)                                            \
                         : "rw"(p), "rw"(v));                                  \
        out[i] = r;                                                            \
    }
// @ lsc_atomic_add io:uint:1 out:uint:1 in:uint:1 needs=vendor
// @ lsc_atomic_sub io:uint:1 out:uint:1 in:uint:1 needs=vendor
// @ lsc_atomic_smin io:int:1 out:int:1 in:int:1 needs=vendor
// @ lsc_atomic_smax io:int:1 out:int:1 in:int:1 needs=vendor
// @ lsc_atomic_umin io:uint:1 out:uint:1 in:uint:1 needs=vendor
// @ lsc_atomic_umax io:uint:1 out:uint:1 in:uint:1 needs=vendor
// @ lsc_atomic_and io:uint:1 out:uint:1 in:uint:1 needs=vendor
// @ lsc_atomic_or io:uint:1 out:uint:1 in:uint:1 needs=vendor
// @ lsc_atomic_xor io:uint:1 out:uint:1 in:uint:1 needs=vendor
// @ lsc_atomic_fadd io:float:1 out:float:1 in:float:1 needs=vendor
// @ lsc_atomic_fmin io:float:1 out:float:1 in:float:1 needs=vendor
// @ lsc_atomic_fmax io:float:1 out:float:1 in:float:1 needs=vendor
ATOMIC(lsc_atomic_add, uint, "iadd")
ATOMIC(lsc_atomic_sub, uint, "isub")
ATOMIC(lsc_atomic_smin, int, "smin")
ATOMIC(lsc_atomic_smax, int, "smax")
ATOMIC(lsc_atomic_umin, uint, "umin")
ATOMIC(lsc_atomic_umax, uint, "umax")
ATOMIC(lsc_atomic_and, uint, "and")
ATOMIC(lsc_atomic_or, uint, "or")
ATOMIC(lsc_atomic_xor, uint, "xor")
ATOMIC(lsc_atomic_fadd, float, "fadd")
ATOMIC(lsc_atomic_fmin, float, "fmin")
ATOMIC(lsc_atomic_fmax, float, "fmax")

#ifdef XK_PVC
/* A surface of 16 rows of 128 bytes; each subgroup has a block of 32 bytes by 8
 * rows. */
#define BLOCK()                                                                \
    const int sg = get_group_id(0) * 2 + get_sub_group_id();                   \
    const int y = sub_group_broadcast(sg / 4 * 8, 0)
#define SHAPE "[%1,127,15,127,%2,%3]"
#define BLOCK2D(name, T, V, width, load, store)                                \
    SUBGROUP kernel void name(global T *out, global const T *a)                \
    {                                                                          \
        BLOCK();                                                               \
        const int x = sub_group_broadcast(sg % 4 * width, 0);                  \
        V v;                                                                   \
        __asm__ volatile("lsc_load_block2d.ugm (M1, 1) %0:" load " flat" SHAPE \
                         : "=rw"(v)                                            \
                         : "rw.u"(a), "rw.u"(x), "rw.u"(y));                   \
        __asm__ volatile("lsc_store_block2d.ugm (M1, 1) flat" SHAPE " %0:"     \
                         store                                                 \
                         :                                                     \
                         : "rw"(v), "rw.u"(out), "rw.u"(x), "rw.u"(y));        \
    }
// @ block2d_d8 out:uchar:16 in:uchar:16 needs=vendor platforms=pvc
// @ block2d_d16 out:ushort:8 in:ushort:8 needs=vendor platforms=pvc
// @ block2d_d32 out:uint:4 in:uint:4 needs=vendor platforms=pvc
BLOCK2D(block2d_d8, uchar, uchar16, 32, "d8.32x8nn", "d8.32x8nn")
BLOCK2D(block2d_d16, ushort, ushort8, 16, "d16.16x8nn", "d16.16x8nn")
BLOCK2D(block2d_d32, uint, uint4, 8, "d32.8x8nn", "d32.8x8nn")
// @ block2d_vnni out:uint:4 in:ushort:8 needs=vendor platforms=pvc
SUBGROUP kernel void block2d_vnni(global uint *out, global const ushort *a)
{
    BLOCK();
    const int x = sub_group_broadcast(sg % 4 * 16, 0);
    uint4 v;
    __asm__ volatile("lsc_load_block2d.ugm (M1, 1) %0:d16.16x8nt flat" SHAPE
                     : "=rw"(v)
                     : "rw.u"(a), "rw.u"(x), "rw.u"(y));
    vstore4(v, get_global_id(0), out);
}
// @ block2d_transposed out:uint:4 in:uint:4 needs=vendor platforms=pvc
SUBGROUP kernel void block2d_transposed(global uint *out, global const uint *a)
{
    BLOCK();
    const int x = sub_group_broadcast(sg % 4 * 8, 0);
    uint4 v;
    __asm__ volatile("lsc_load_block2d.ugm (M1, 1) %0:d32.8x8tn flat" SHAPE
                     : "=rw"(v)
                     : "rw.u"(a), "rw.u"(x), "rw.u"(y));
    vstore4(v, get_global_id(0), out);
}
#endif
