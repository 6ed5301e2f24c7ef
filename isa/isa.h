/* SPDX-License-Identifier: Apache-2.0 */
/* Platforms as tables; encode, decode, print, parse and judge instructions.
 * Nothing here allocates or logs: errors come back as a status and a sentence
 * in *err. All functions are pure and may be called from any thread. */
#ifndef XK_ISA_ISA_H
#define XK_ISA_ISA_H

#include <stddef.h>

#include "base/str.h"
#include "isa/inst.h"
#include "xekern/status.h"

struct xk_platform {
    enum xk_platform_id id;
    const char *name;       /* "xehpg" */
    const char *iga_name;   /* "12p71" */
    uint8_t grf_b;          /* bytes in a GRF */
    uint8_t threads_per_eu; /* at 128 GRFs */
    uint8_t n_flag_regs, n_acc, n_sbid;
    uint8_t chan_off_unit; /* 4, or 8 from xehpc */
    bool has_int64, has_fp64, has_dpasw, fused_eu;
    bool has_acc_wr_en; /* {AccWrEn}; mach without it is macl */
    bool has_add3;
    bool ternary_anywhere; /* three sources write any dword; else 8 B aligned */
    bool has_sampler;      /* without, the compiler drops what reads images */
    uint8_t dpas_exec;     /* lanes: 8, 16, 0: no systolic unit */
    uint8_t dpas_rows;     /* largest repeat count */
    uint8_t dpas_depth_b;  /* of each lane and row that one sums */
    uint8_t line_b;        /* of a cache line */
    uint8_t message_lanes; /* most of a scattered message */
    uint8_t lane_dwords;   /* most that a lane of one has */
    uint16_t product_family; /* zebin note: 1270 for DG2 */
    uint16_t gfx_core;       /* both containers: 3079 for Xe-HPG */
    uint16_t inline_data_b;
    uint32_t slm_max_b;  /* per group */
    uint16_t kernel_grf; /* most registers of a thread; 0: what its mode has.
                            Tests limit it */
};

/* Lanes of a dword each that a register has. An instruction takes two
 * registers of each operand at most. */
static inline unsigned xk_platform_dwords(const struct xk_platform *p)
{
    return p->grf_b / 4u;
}

/* Registers that a thread may use in a mode of so many. */
static inline unsigned xk_platform_grf(const struct xk_platform *p,
                                       unsigned grf_count)
{
    const bool limited = p->kernel_grf && p->kernel_grf < grf_count;
    return limited ? p->kernel_grf : grf_count;
}

const struct xk_platform *xk_platform_get(enum xk_platform_id id);
/* NULL if the name is unknown. */
const struct xk_platform *xk_platform_find(const char *name);
/* For messages: "xelp, xehpg" in out, of out_b bytes. */
void xk_platform_names(char *out, size_t out_b);

const char *xk_opcode_name(enum xk_opcode op);
unsigned xk_opcode_n_srcs(enum xk_opcode op);
/* Bytes of one element; 0 for sub-byte types. */
unsigned xk_reg_type_b(enum xk_reg_type t);
/* Floating-point types of any width, the packed vector of immediates included.
 */
static inline bool xk_is_float_type(enum xk_reg_type t)
{
    const uint32_t set = 1u << XK_RT_HF | 1u << XK_RT_BF | 1u << XK_RT_F |
                         1u << XK_RT_DF | 1u << XK_RT_TF32 | 1u << XK_RT_VF |
                         1u << XK_RT_BF8 | 1u << XK_RT_HF8;
    return (unsigned)t < XK_N_REG_TYPES && set >> t & 1;
}
static inline bool xk_is_byte_type(enum xk_reg_type t)
{
    return t == XK_RT_UB || t == XK_RT_B;
}
const char *xk_reg_type_name(enum xk_reg_type t); /* "ud" */

#define XK_INST_B 16
/* Bytes of the form that it is marked to have. */
static inline uint32_t xk_inst_size_b(const struct xk_inst *i)
{
    return i->compacted ? XK_INST_B / 2 : XK_INST_B;
}

/* Writes 16 bytes, the native form. Refuses every value that does not fit its
 * field, options and modifiers that the opcode has not, and records marked as
 * compacted: clear the mark to write them. */
enum xk_status xk_inst_encode(const struct xk_platform *p,
                              const struct xk_inst *i, uint8_t out[XK_INST_B],
                              struct xk_error *err);
/* Reads one instruction at in[0..n_b); *used_b is 16, or 8 for the compacted
 * form, also when it is refused, so that a reader can skip it; 0 if in[] is too
 * short. Unknown or reserved bits are XK_EPARSE with the field's name. */
enum xk_status xk_inst_decode(const struct xk_platform *p, const uint8_t *in,
                              size_t n_b, struct xk_inst *i, size_t *used_b,
                              struct xk_error *err);
/* The 64-bit form of *i, if it has one: true and 8 bytes in out. *i may be
 * marked as compacted or not. What is written decodes to *i again. */
bool xk_inst_compact(const struct xk_platform *p, const struct xk_inst *i,
                     uint8_t out[XK_INST_B / 2]);
/* Writes the form that i->compacted asks for: *used_b is 16 or 8. A record
 * marked as compacted that has no 64-bit form is XK_EINVAL. */
enum xk_status xk_inst_encode_as_marked(const struct xk_platform *p,
                                        const struct xk_inst *i,
                                        uint8_t out[XK_INST_B], size_t *used_b,
                                        struct xk_error *err);
/* One line (no newline) in the syntax of iga64, the same tokens it prints, with
 * single spaces; bfn functions as numbers (iga64 -Xno-print-bfnexprs), branch
 * targets as byte offsets (iga64 -n), a negative second one in parentheses. */
void xk_inst_print(const struct xk_platform *p, const struct xk_inst *i,
                   struct xk_str *out);

/* How an instruction is written. All zero is what iga64 prints by default,
 * apart from white space and comments. */
struct xk_print_opts {
    bool ldst;         /* messages spelled out: iga64 -Xprint-ldst */
    bool bfn_numbers;  /* iga64 -Xno-print-bfnexprs */
    bool plain_second; /* negative second branch offsets in parentheses */
    /* Text of a branch target, given its byte offset in the program; NULL:
     * byte offsets relative to the branch (iga64 -n). */
    void (*target)(void *user, int64_t offset_b, struct xk_str *out);
    void *target_user;
    int64_t at_b; /* offset of this instruction, for target */
};
void xk_inst_print_as(const struct xk_platform *p, const struct xk_inst *i,
                      const struct xk_print_opts *o, struct xk_str *out);

/* What the instruction touches, for scoreboard, validator and simulator: bytes
 * in the GRF file, the first, and one past the last; 0,0 if none. For a send
 * these are the payload and response lengths from the descriptor. */
struct xk_footprint {
    uint32_t first_b, end_b;
};
/* operand -1 is dst, 0..2 are the sources (for a send: src0, src1). What is not
 * known is covered: an indirect operand touches the whole file of 256
 * registers, and a register descriptor means the longest payload. */
struct xk_footprint xk_inst_footprint(const struct xk_platform *p,
                                      const struct xk_inst *i, int operand);
/* Products of a dpas per channel and depth step: a dword of the wider operand,
 * two bytes' worth more when both are below a byte. */
unsigned xk_dpas_ops_per_channel(const struct xk_inst *i);
/* Where channel c's element of a direct GRF operand begins, in bytes of the GRF
 * file; not of sends, dpas and macros, which have no regions. */
uint32_t xk_inst_element_b(const struct xk_platform *p, const struct xk_inst *i,
                           int operand, unsigned c);
/* Implicit accumulator use (mach, addc, AccWrEn ...): bit 0 reads acc0, bit 1
 * writes it. Explicit acc operands are included. */
unsigned xk_inst_acc_use(const struct xk_inst *i);
/* Where lane 0 of the unnamed accumulator is, from acc0 on, and the bytes from
 * lane to lane. Both follow the destination's sub-register and stride. */
uint32_t xk_inst_acc_first_b(const struct xk_inst *i);
uint32_t xk_inst_acc_step_b(const struct xk_inst *i);
/* The same in bytes of the accumulator file (acc1 begins at the GRF size):
 * what is read, or written, explicitly and implicitly. */
struct xk_footprint xk_inst_acc_footprint(const struct xk_platform *p,
                                          const struct xk_inst *i, bool write);
/* The 16-bit flag halves that it reads (predicate, operands) or writes
 * (condition, destination): bit 0 f0.0, bit 1 f0.1, bit 2 f1.0 ... All flags
 * that the any and all forms combine are covered. */
unsigned xk_inst_flag_use(const struct xk_inst *i, bool write);
/* The pipe that executes it: FLOAT, INT, LONG, MATH, SEND or DPAS; ALL on xelp,
 * which has one in-order pipe; NONE for sync and nop. The destination's type
 * decides, even that of a null destination. Branches count as INT. */
enum xk_pipe xk_inst_pipe(const struct xk_platform *p, const struct xk_inst *i);
/* The in-order pipe for data of a type, NONE where it has none of its own. */
enum xk_pipe xk_type_pipe(const struct xk_platform *p, enum xk_reg_type t);
/* The place of an in-order pipe among those that a distance counts: 0 FLOAT,
 * and the only one of xelp; 1 INT, 2 LONG, 3 MATH. Instructions that complete
 * out of order have none: xk_inst_is_out_of_order. */
#define XK_PIPE_ORDERS 4
unsigned xk_pipe_order(enum xk_pipe pipe);
/* Whether it completes out of order and so is tracked by SBID: messages, dpas,
 * and math where it is no in-order pipe (up to xehpg). */
bool xk_inst_is_out_of_order(const struct xk_platform *p,
                             const struct xk_inst *i);

/* One broken rule. */
struct xk_isa_violation {
    const char *rule;   /* "SEND_NO_OVERLAP" */
    const char *why;    /* what the manual demands */
    const char *source; /* where that is written */
};
/* All violations, at most max of them; returns how many there are. */
unsigned xk_inst_validate(const struct xk_platform *p, const struct xk_inst *i,
                          struct xk_isa_violation *out, unsigned max);
/* Gets one violation at the instruction inst[at]; *v lives as long as the
 * library. */
typedef void xk_violation_fn(void *user, unsigned at,
                             const struct xk_isa_violation *v);
/* All violations of a program: of each instruction, and of rules about several
 * (branch targets, Atomic chains, its end). Offsets are those of the form as
 * written: compacted instructions count 8 bytes. report may be NULL. Returns
 * how many there are. */
unsigned xk_program_validate(const struct xk_platform *p,
                             const struct xk_inst *inst, unsigned n,
                             xk_violation_fn *report, void *user);

#endif
