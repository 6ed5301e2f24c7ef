/* SPDX-License-Identifier: Apache-2.0 */
/* Byte dot products. dp4a has no OpenCL C spelling in this compiler: one kernel
 * writes it out, the others force it (inline vISA). */

// @ dot_written out:int:1 in:char4:1 in:char4:1
kernel void dot_written(global int *out, global const char4 *a,
                        global const char4 *b)
{
    const int i = get_global_id(0);
    out[i] = a[i].x * b[i].x + a[i].y * b[i].y + a[i].z * b[i].z +
             a[i].w * b[i].w;
}

// @ dot_u8_written out:uint:1 in:uchar4:1 in:uchar4:1 in:uint:1:0..1000000
kernel void dot_u8_written(global uint *out, global const uchar4 *a,
                           global const uchar4 *b, global const uint *c)
{
    const int i = get_global_id(0);
    uint s = c[i];
    s += (uint)a[i].x * b[i].x;
    s += (uint)a[i].y * b[i].y;
    s += (uint)a[i].z * b[i].z;
    s += (uint)a[i].w * b[i].w;
    out[i] = s;
}

#ifdef cl_intel_subgroups
#ifndef XK_SIMD
#define XK_SIMD 16
#endif
#define TEXT(x) #x
#define TEXT_(x) TEXT(x)
#define LANES(n) "(M1," TEXT(n) ")"

/* The compiler's own names of integers are all signed. */
#define NAME(v, t, of)                                                         \
    ".decl " v " v_type=G type=" t " num_elts=" TEXT_(XK_SIMD) " alias=<" of   \
    ",0>\n"
#define DP4A(name, D, S1, S2, d, s1, s2, sat)                                  \
    kernel void name(global D *out, global const D *c, global const S1 *a,     \
                     global const S2 *b)                                       \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        const S1 x = a[i];                                                     \
        const S2 y = b[i];                                                     \
        const D z = c[i];                                                      \
        D r;                                                                   \
        __asm__("{\n" NAME("XKd", d, "%0") NAME("XKc", d, "%1")                \
                NAME("XKa", s1, "%2") NAME("XKb", s2, "%3")                    \
                "dp4a" sat " " LANES(XK_SIMD) " XKd(0,0)<1> XKc(0,0)<1;1,0> "  \
                "XKa(0,0)<1;1,0> XKb(0,0)<1;1,0>\n}\n"                         \
                : "=rw"(r) : "rw"(z), "rw"(x), "rw"(y));                       \
        out[i] = r;                                                            \
    }
// @ dp4a_ss out:int:1 in:int:1 in:int:1 in:int:1 needs=dp4a,vendor
// @ dp4a_su out:int:1 in:int:1 in:int:1 in:uint:1 needs=dp4a,vendor
// @ dp4a_us out:int:1 in:int:1 in:uint:1 in:int:1 needs=dp4a,vendor
// @ dp4a_uu out:uint:1 in:uint:1 in:uint:1 in:uint:1 needs=dp4a,vendor
// @ dp4a_sat_ss out:int:1 in:int:1 in:int:1 in:int:1 needs=dp4a,vendor
// @ dp4a_sat_uu out:uint:1 in:uint:1 in:uint:1 in:uint:1 needs=dp4a,vendor
DP4A(dp4a_ss, int, int, int, "d", "d", "d", "")
DP4A(dp4a_su, int, int, uint, "d", "d", "ud", "")
DP4A(dp4a_us, int, uint, int, "d", "ud", "d", "")
DP4A(dp4a_uu, uint, uint, uint, "ud", "ud", "ud", "")
DP4A(dp4a_sat_ss, int, int, int, "d", "d", "d", ".sat")
DP4A(dp4a_sat_uu, uint, uint, uint, "ud", "ud", "ud", ".sat")
#endif
