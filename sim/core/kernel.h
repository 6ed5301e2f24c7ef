/* SPDX-License-Identifier: Apache-2.0 */
/* A decoded kernel: one record per instruction with everything that can be
 * known before execution: operand offsets, strides, immediates, targets. */
#ifndef XK_SIM_KERNEL_H
#define XK_SIM_KERNEL_H

#include "isa/message.h"
#include "sim/core/thread.h"

enum xk_sim_opnd_kind {
    XK_SO_NONE, /* absent, or null as a destination */
    XK_SO_REG,  /* bytes in the register image */
    XK_SO_IMM,
    XK_SO_INDIRECT, /* one address register, then the region */
    XK_SO_VXH,      /* one address register per row */
};

/* Operands whose value is computed when they are read, or that act when they
 * are written. */
enum xk_sim_special {
    XK_SS_NONE,
    XK_SS_CE,
    XK_SS_SR,
    XK_SS_CR,
    XK_SS_IP,
    XK_SS_TM,
    XK_SS_ACC
};

#define XK_SIM_NOMME 8

struct xk_sim_opnd {
    uint8_t kind;    /* enum xk_sim_opnd_kind */
    uint8_t type;    /* enum xk_reg_type */
    uint8_t size_b;  /* of an element */
    uint8_t special; /* enum xk_sim_special */
    uint8_t log_w;   /* lanes per row, log2 */
    bool neg, abs, packed, scalar;
    uint8_t mme; /* of a macro's operand: 0..7, else XK_SIM_NOMME */
    uint16_t vs_b, hs_b;
    int32_t a0_off_b;
    uint32_t off_b; /* of lane 0 in the image; indirect: of the address */
    uint64_t bits;  /* immediate: bits as stored in the instruction */
    int64_t ival;   /* immediate as integer */
    float fval;     /* immediate as float */
};

/* The values of an instruction's lanes, in its execution class. */
union xk_sim_lanes {
    int64_t i[XK_SIM_LANES];
    float f[XK_SIM_LANES];
    double d[XK_SIM_LANES];
};

typedef void xk_sim_fn(struct xk_sim_thread *t, const struct xk_sim_inst *e);
/* One lane of an extended math function. */
typedef float xk_sim_math_fn(float x, float y);
/* r = op(a, b, c), lane by lane, for e->exec lanes; cannot fail. */
typedef void xk_sim_lane_fn(const struct xk_sim_inst *e, union xk_sim_lanes *r,
                            const union xk_sim_lanes *a,
                            const union xk_sim_lanes *b,
                            const union xk_sim_lanes *c);

struct xk_sim_inst {
    xk_sim_fn *fn;
    xk_sim_lane_fn *lane;
    union {
        xk_sim_fn *inner;     /* what fn wraps, if it does */
        xk_sim_math_fn *math; /* of one lane, on the fast path */
    };
    uint32_t lanes; /* (1 << exec) - 1 */
    uint8_t exec, chan_off, n_srcs, stat;
    uint8_t flag_bit; /* of channel 0 of this instruction, in the flag file */
    /* The class in which a lane is computed: float, double, else integer. */
    bool is_float, is_double;
    bool no_mask, pred, logic;
    bool high;         /* mach: bits 63:32 */
    uint8_t cond;      /* fast path: in.cond */
    uint32_t jip, uip; /* instruction indices */
    uint32_t pc_b;
    /* Instructions from here on that neither jump, wait, fault, touch memory
     * nor end the thread; those of them that multiply and add, or synchronise.
     */
    uint32_t row, row_fma, row_sync;
    uint32_t acc_b; /* fast path: first byte of the implicit accumulator */
    struct xk_sim_opnd dst, src[3];
    union {
        /* 32-bit fast path: source value = (bits & and_) ^ xor_ */
        struct {
            uint32_t and_[3], xor_[3];
        };
        /* dpasw: src2 in the register file, bytes of the whole of it */
        struct {
            uint32_t pair_off_b, pair_src2_b;
        };
    };
    struct xk_inst in;
    struct xk_msg msg;
};

struct xk_sim_kernel {
    struct xk_alloc alloc;
    const struct xk_platform *platform;
    char name[256];
    uint32_t grf_b; /* bytes in a register */
    uint32_t simd, grf_count, slm_b, barriers, inline_b, local_id_b, skip_b;
    bool idless; /* as in struct xk_zkernel */
    uint32_t scratch_b, cross_thread_b;
    uint32_t start, start_skip; /* entry points, instruction indices */
    uint32_t n;                 /* records, the last one is a guard */
    bool threads_apart; /* no barrier, fence or atomic: threads never meet */
    struct xk_sim_inst *inst;
    void *noted; /* what an observer keeps of the code; who sets it, frees it */
    uint8_t *code;
    size_t code_b;
};

/* Reports what is wrong with a kernel or its launch, with the value. Returns
 * the status. */
enum xk_status xk_sim_refuse(struct xk_error *err, enum xk_status status,
                             const char *name, const char *what,
                             uint64_t value);

/* Index of the instruction that begins at an offset of the code; UINT32_MAX if
 * none does. */
uint32_t xk_sim_kernel_at(const struct xk_sim_kernel *k, int64_t pc_b);

#endif
