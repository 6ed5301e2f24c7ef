/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of dpas that share an operand: the compiler marks them Atomic. */
// @platforms dg2 pvc
#ifdef XK_PVC
#define W 16
#define TEXT_W "16"
typedef int4 rows; /* 8 rows of 32 bytes in 64-byte registers */
#else
#define W 8
#define TEXT_W "8"
typedef int8 rows;
#endif
#define DPAS(op, acc, wei, act)                                                \
    op ".s8.s8.8.8 (M1," TEXT_W ") %" acc ".0 %" acc ".0 %" wei ".0 %" act     \
       "(0,0)\n"
#define FOUR(op, wei)                                                          \
    DPAS(op, "0", wei, "6") DPAS(op, "1", wei, "7") DPAS(op, "2", wei, "8")    \
    DPAS(op, "3", wei, "9")
#define CHAINS(name, op)                                                       \
    __attribute__((intel_reqd_sub_group_size(W))) kernel void name(            \
        global int8 *out, global const int8 *c, global const int8 *b,          \
        global const rows *a)                                                  \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        int8 d0 = c[i], d1 = c[i + 1], d2 = c[i + 2], d3 = c[i + 3];           \
        int8 w0 = b[i];                                                        \
        const int8 w1 = b[i + 4];                                              \
        const rows x0 = a[i], x1 = a[i + 1], x2 = a[i + 2], x3 = a[i + 3];     \
        for (int k = 0; k < 4; k++) {                                          \
            __asm__ volatile("{\n" FOUR(op, "4") FOUR(op, "5") "}\n"           \
                             : "+rw"(d0), "+rw"(d1), "+rw"(d2), "+rw"(d3)      \
                             : "rw"(w0), "rw"(w1), "rw"(x0), "rw"(x1),         \
                               "rw"(x2), "rw"(x3));                            \
            w0 = b[i + k + 5];                                                 \
        }                                                                      \
        out[4 * i] = d0;                                                       \
        out[4 * i + 1] = d1;                                                   \
        out[4 * i + 2] = d2;                                                   \
        out[4 * i + 3] = d3;                                                   \
    }
// @ dpas_chains out:int8:4 in:int8:16 in:int8:16 in:int8:16 needs=vendor
CHAINS(dpas_chains, "dpas")
