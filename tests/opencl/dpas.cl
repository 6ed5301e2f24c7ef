/* SPDX-License-Identifier: Apache-2.0 */
/* dpas and dpasw through inline vISA: every pair of types, every repeat count.
 * One subgroup multiplies [8][K] by [K][W]; W is the instruction's width. Row k
 * of a subgroup's 8 rows in memory is one register, a lane's dword at a time.
 * dpasw halves the first factor: the other thread of a fused pair has the rest,
 * so a group is one pair. */
// @platforms dg2 pvc
#ifdef XK_PVC
#define W 16
#define TEXT_W "16"
typedef int4 rows; /* 8 rows of 32 bytes in 64-byte registers */
#define N_ROWS 4
#else
#define W 8
#define TEXT_W "8"
typedef int8 rows;
#define N_ROWS 8
#endif
#define SUBGROUP __attribute__((intel_reqd_sub_group_size(W)))

#define PLACE()                                                                \
    const int lane = get_sub_group_local_id();                                 \
    const int sg = get_group_id(0) * (get_local_size(0) / W) +                 \
                   get_sub_group_id()
#define READ(T, v, from, n)                                                    \
    T v;                                                                       \
    for (int k = 0; k < (n); k++)                                              \
        ((private int *)&v)[k] = (from)[(sg * (n) + k) * W + lane];
#define MULTIPLY(T, op, w, a, n, place)                                        \
    {                                                                          \
        T d = acc;                                                             \
        __asm__ volatile(op "." w "." a ".8." n " (M1," TEXT_W                 \
                         ") %0.0 %0.0 %1.0 %2(0,0)"                            \
                         : "+rw"(d)                                            \
                         : "rw"(wei), "rw"(act));                              \
        for (int k = 0; k < 8; k++)                                            \
            out[((sg * N_OUT + (place)) * 8 + k) * W + lane] =                 \
                ((private int *)&d)[k];                                        \
    }
#define OPERANDS(T)                                                            \
    PLACE();                                                                   \
    READ(T, acc, c, 8) READ(int8, wei, b, 8) READ(rows, act, a, N_ROWS)

/* One weight type against the six activation types. */
#define N_OUT 6
#define SIX(name, op, w)                                                       \
    SUBGROUP kernel void name(global int *out, global const int *c,            \
                              global const int *b, global const int *a)        \
    {                                                                          \
        OPERANDS(int8)                                                         \
        MULTIPLY(int8, op, w, "s8", "8", 0)                                    \
        MULTIPLY(int8, op, w, "u8", "8", 1)                                    \
        MULTIPLY(int8, op, w, "s4", "8", 2)                                    \
        MULTIPLY(int8, op, w, "u4", "8", 3)                                    \
        MULTIPLY(int8, op, w, "s2", "8", 4)                                    \
        MULTIPLY(int8, op, w, "u2", "8", 5)                                    \
    }
// @ dpas_s8 out:int:48 in:int:8 in:int:8 in:int:8 needs=vendor local=16
// @ dpas_u8 out:int:48 in:int:8 in:int:8 in:int:8 needs=vendor local=16
// @ dpas_s4 out:int:48 in:int:8 in:int:8 in:int:8 needs=vendor local=16
// @ dpas_u4 out:int:48 in:int:8 in:int:8 in:int:8 needs=vendor local=16
// @ dpas_s2 out:int:48 in:int:8 in:int:8 in:int:8 needs=vendor local=16
// @ dpas_u2 out:int:48 in:int:8 in:int:8 in:int:8 needs=vendor local=16
SIX(dpas_s8, "dpas", "s8")
SIX(dpas_u8, "dpas", "u8")
SIX(dpas_s4, "dpas", "s4")
SIX(dpas_u4, "dpas", "u4")
SIX(dpas_s2, "dpas", "s2")
SIX(dpas_u2, "dpas", "u2")

/* One pair of types at the eight repeat counts; rows behind the count keep
 * the accumulator's values. */
#define COUNTS(name, T, op, w, a_)                                             \
    SUBGROUP kernel void name(global int *out, global const int *c,            \
                              global const int *b, global const int *a)        \
    {                                                                          \
        OPERANDS(T)                                                            \
        MULTIPLY(T, op, w, a_, "1", 0)                                         \
        MULTIPLY(T, op, w, a_, "2", 1)                                         \
        MULTIPLY(T, op, w, a_, "3", 2)                                         \
        MULTIPLY(T, op, w, a_, "4", 3)                                         \
        MULTIPLY(T, op, w, a_, "5", 4)                                         \
        MULTIPLY(T, op, w, a_, "6", 5)                                         \
        MULTIPLY(T, op, w, a_, "7", 6)                                         \
        MULTIPLY(T, op, w, a_, "8", 7)                                         \
    }
#undef N_OUT
#define N_OUT 8
// @ dpas_counts_s8 out:int:64 in:int:8 in:int:8 in:int:8 needs=vendor local=16
// @ dpas_counts_u4 out:int:64 in:int:8 in:int:8 in:int:8 needs=vendor local=16
// @ dpas_counts_hf out:float:64 in:float:8:-4..4 in:half:16:-4..4
//   in:half:16:-4..4 needs=vendor,half local=16 ulp=64
// @ dpas_counts_bf out:float:64 in:float:8:-4..4 in:bfloat:16:-4..4
//   in:bfloat:16:-4..4 needs=vendor local=16 ulp=64
COUNTS(dpas_counts_s8, int8, "dpas", "s8", "s8")
COUNTS(dpas_counts_u4, int8, "dpas", "u4", "u8")
COUNTS(dpas_counts_hf, float8, "dpas", "hf", "hf")
COUNTS(dpas_counts_bf, float8, "dpas", "bf", "bf")

#ifdef XK_DG2
#undef N_OUT
#define N_OUT 6
// @ dpasw_s8 out:int:48 in:int:8 in:int:8 in:int:8 needs=vendor local=16
//   platforms=dg2
// @ dpasw_u8 out:int:48 in:int:8 in:int:8 in:int:8 needs=vendor local=16
//   platforms=dg2
// @ dpasw_s4 out:int:48 in:int:8 in:int:8 in:int:8 needs=vendor local=16
//   platforms=dg2
// @ dpasw_u4 out:int:48 in:int:8 in:int:8 in:int:8 needs=vendor local=16
//   platforms=dg2
// @ dpasw_s2 out:int:48 in:int:8 in:int:8 in:int:8 needs=vendor local=16
//   platforms=dg2
// @ dpasw_u2 out:int:48 in:int:8 in:int:8 in:int:8 needs=vendor local=16
//   platforms=dg2
SIX(dpasw_s8, "dpasw", "s8")
SIX(dpasw_u8, "dpasw", "u8")
SIX(dpasw_s4, "dpasw", "s4")
SIX(dpasw_u4, "dpasw", "u4")
SIX(dpasw_s2, "dpasw", "s2")
SIX(dpasw_u2, "dpasw", "u2")
#undef N_OUT
#define N_OUT 8
// @ dpasw_counts_s8 out:int:64 in:int:8 in:int:8 in:int:8 needs=vendor local=16
//   platforms=dg2
// @ dpasw_counts_hf out:float:64 in:float:8:-4..4 in:half:16:-4..4
//   in:half:16:-4..4 needs=vendor,half local=16 ulp=64 platforms=dg2
// @ dpasw_counts_bf out:float:64 in:float:8:-4..4 in:bfloat:16:-4..4
//   in:bfloat:16:-4..4 needs=vendor local=16 ulp=64 platforms=dg2
COUNTS(dpasw_counts_s8, int8, "dpasw", "s8", "s8")
COUNTS(dpasw_counts_hf, float8, "dpasw", "hf", "hf")
COUNTS(dpasw_counts_bf, float8, "dpasw", "bf", "bf")
#endif

#ifdef XK_PVC
// @ dpas_counts_tf32 out:float:64 in:float:8:-4..4 in:float:8:-4..4
//   in:float:8:-4..4 needs=vendor local=16 ulp=64 platforms=pvc
COUNTS(dpas_counts_tf32, float8, "dpas", "tf32", "tf32")
#endif

/* Results and accumulators of the other types; never run. */
#define OTHER(name, lines)                                                     \
    SUBGROUP kernel void name(global int *out, global const int *c,            \
                              global const int *b, global const int *a)        \
    {                                                                          \
        OPERANDS(int8)                                                         \
        __asm__ volatile(                                                      \
            "{\n.decl XK_ud v_type=G type=ud num_elts=64 alias=<%0,0>\n"       \
            ".decl XK_d v_type=G type=d num_elts=64 alias=<%0,0>\n"            \
            ".decl XK_f v_type=G type=f num_elts=64 alias=<%0,0>\n"            \
            ".decl XK_hf v_type=G type=hf num_elts=128 alias=<%0,0>\n"         \
            ".decl XK_bf v_type=G type=bf num_elts=128 alias=<%0,0>\n" lines   \
            "}\n"                                                              \
            : "+rw"(acc)                                                       \
            : "rw"(wei), "rw"(act));                                           \
        out[sg * W + lane] = acc.s0;                                           \
    }
#define LINE(op, w, a, n, d, s)                                                \
    op "." w "." a ".8." n " (M1," TEXT_W ") XK_" d ".0 " s                    \
       " %1.0 %2(0,0)\n"
#define ZERO "V0.0"
// @ dpas_others out:int:1 in:int:8 in:int:8 in:int:8 needs=vendor,visa local=16
OTHER(dpas_others, LINE("dpas", "u8", "u8", "8", "ud", "XK_ud.0")
      LINE("dpas", "u4", "u2", "4", "ud", "XK_ud.0")
      LINE("dpas", "u8", "u4", "3", "d", "XK_ud.0")
      LINE("dpas", "u2", "u8", "2", "d", "XK_d.0")
      LINE("dpas", "s8", "u8", "8", "d", ZERO)
      LINE("dpas", "hf", "hf", "8", "f", ZERO)
      LINE("dpas", "bf", "bf", "5", "f", ZERO)
#ifdef XK_DG2
      LINE("dpasw", "u8", "u8", "8", "ud", "XK_ud.0")
      LINE("dpasw", "u4", "u2", "4", "ud", "XK_ud.0")
      LINE("dpasw", "u8", "u8", "8", "d", "XK_ud.0")
      LINE("dpasw", "s8", "u8", "8", "d", ZERO)
#endif
#ifdef XK_PVC
      LINE("dpas", "hf", "hf", "8", "hf", "XK_hf.0")
      LINE("dpas", "bf", "bf", "8", "bf", "XK_bf.0")
      LINE("dpas", "hf", "hf", "8", "f", "XK_hf.0")
      LINE("dpas", "bf", "bf", "8", "f", "XK_bf.0")
      LINE("dpas", "hf", "hf", "8", "hf", "XK_f.0")
      LINE("dpas", "bf", "bf", "8", "bf", "XK_f.0")
#endif
)
