/* SPDX-License-Identifier: Apache-2.0 */
/* The one instruction record: codegen fills it, the encoder writes it, the
 * decoder reads it back, the validator judges it, the printer shows it and the
 * simulator executes it. Bit positions are not here but in isa/format.def. */
#ifndef XK_ISA_INST_H
#define XK_ISA_INST_H

#include <stdbool.h>
#include <stdint.h>

#include "xekern/platform.h"

/* Hardware operand types; the encoder maps them per format. */
enum xk_reg_type {
    XK_RT_UB,
    XK_RT_B,
    XK_RT_UW,
    XK_RT_W,
    XK_RT_UD,
    XK_RT_D,
    XK_RT_UQ,
    XK_RT_Q,
    XK_RT_HF,
    XK_RT_BF,
    XK_RT_F,
    XK_RT_DF,
    XK_RT_TF32,
    XK_RT_V,
    XK_RT_UV,
    XK_RT_VF, /* packed vector immediates */
    XK_RT_U4,
    XK_RT_S4,
    XK_RT_U2,
    XK_RT_S2, /* dpas sub-byte */
    XK_RT_BF8,
    XK_RT_HF8,
    XK_N_REG_TYPES
};

enum xk_reg_file {
    XK_FILE_NONE, /* operand absent */
    XK_FILE_GRF,
    XK_FILE_ARF,
    XK_FILE_IMM,
    XK_FILE_TILE, /* virtual register tile: only inside codegen/, the encoder
                     and the validator refuse it */
};

enum xk_arf {
    XK_ARF_NULL,
    XK_ARF_A,
    XK_ARF_ACC,
    XK_ARF_F,
    XK_ARF_CE,
    XK_ARF_MSG,
    XK_ARF_SP,
    XK_ARF_SR,
    XK_ARF_CR,
    XK_ARF_N,
    XK_ARF_IP,
    XK_ARF_TDR,
    XK_ARF_TM,
    XK_ARF_FC,
    XK_ARF_DBG,
    XK_ARF_MME,
};

/* <vs;width,hs> in elements; a destination uses hs only. Three-source operands
 * have vs and hs (src2 hs only) and width 0. */
#define XK_VS_VXH 0xff /* Vx1 or VxH indirect */
struct xk_region {
    uint8_t vs, width, hs;
};

struct xk_operand {
    uint8_t file;   /* enum xk_reg_file */
    uint8_t type;   /* enum xk_reg_type */
    uint8_t arf;    /* enum xk_arf, when file is ARF */
    bool neg, abs;  /* source modifiers (neg is "not" on logic ops) */
    bool indirect;  /* r[a0.N, imm] */
    uint16_t reg;   /* GRF number, ARF index (acc2 -> 2), or tile id */
    uint16_t sub_b; /* byte offset from the start of `reg`; below the GRF
                       size except in tiles, where it may be any offset;
                       madm, math.invm, math.rsqtm: .mme0..7, 8 .nomme */
    struct xk_region rgn;
    uint8_t a0_sub;   /* indirect: address subregister, in words */
    int16_t a0_off_b; /* indirect: signed immediate, bytes */
    uint64_t imm;     /* bits of an immediate, zero-extended */
};

static inline bool xk_operand_is_null(const struct xk_operand *o)
{
    return o->file == XK_FILE_ARF && o->arf == XK_ARF_NULL;
}

enum xk_cond {
    XK_COND_NONE,
    XK_COND_EQ,
    XK_COND_NE,
    XK_COND_GT,
    XK_COND_GE,
    XK_COND_LT,
    XK_COND_LE,
    XK_COND_OV = 8,
    XK_COND_UN = 9,
    XK_COND_EO = 15,
};

enum xk_pred {
    XK_PRED_NONE,
    XK_PRED_NORMAL,
    XK_PRED_ANYV,
    XK_PRED_ALLV,
    XK_PRED_ANY2H,
    XK_PRED_ALL2H,
    XK_PRED_ANY4H,
    XK_PRED_ALL4H,
    XK_PRED_ANY8H,
    XK_PRED_ALL8H,
    XK_PRED_ANY16H,
    XK_PRED_ALL16H,
    XK_PRED_ANY32H,
    XK_PRED_ALL32H,
    XK_PRED_ANY,
    XK_PRED_ALL, /* xehpc and later */
};

/* In-order pipe a distance refers to; NONE means the instruction's own. */
enum xk_pipe {
    XK_PIPE_NONE,
    XK_PIPE_ALL,
    XK_PIPE_FLOAT,
    XK_PIPE_INT,
    XK_PIPE_LONG,
    XK_PIPE_MATH,
    XK_PIPE_SCALAR,
    XK_PIPE_SEND,
    XK_PIPE_DPAS, /* out of order: tracked by SBID */
};

enum xk_sbid_mode { XK_SBID_NONE, XK_SBID_SET, XK_SBID_DST, XK_SBID_SRC };

struct xk_swsb {
    uint8_t pipe; /* enum xk_pipe of the distance */
    uint8_t dist; /* 0 none, 1..7 */
    uint8_t mode; /* enum xk_sbid_mode */
    uint8_t sbid;
    bool no_acc_sb; /* {NoAccSBSet}, xehpc */
};

/* Shared functions, with their encoding. */
enum xk_sfid {
    XK_SFID_NULL = 0,
    XK_SFID_UGML = 1,
    XK_SFID_SMPL = 2,
    XK_SFID_GTWY = 3,
    XK_SFID_DC2 = 4,
    XK_SFID_RC = 5,
    XK_SFID_URB = 6,
    XK_SFID_TS = 7,
    XK_SFID_VME = 8,
    XK_SFID_DCRO = 9,
    XK_SFID_DC0 = 10,
    XK_SFID_PIXI = 11,
    XK_SFID_DC1 = 12,
    XK_SFID_TGM = 13,
    XK_SFID_SLM = 14,
    XK_SFID_UGM = 15,
};

enum xk_sync_fn {
    XK_SYNC_NOP = 0,
    XK_SYNC_ALLRD = 2,
    XK_SYNC_ALLWR = 3,
    XK_SYNC_FLUSH = 12,
    XK_SYNC_FENCE = 13,
    XK_SYNC_BAR = 14,
    XK_SYNC_HOST = 15,
};

enum xk_math_fn {
    XK_MATH_INV = 1,
    XK_MATH_LOG = 2,
    XK_MATH_EXP = 3,
    XK_MATH_SQT = 4,
    XK_MATH_RSQT = 5,
    XK_MATH_SIN = 6,
    XK_MATH_COS = 7,
    XK_MATH_FDIV = 9,
    XK_MATH_POW = 10,
    XK_MATH_IDIV = 11,
    XK_MATH_IQOT = 12,
    XK_MATH_IREM = 13,
    XK_MATH_INVM = 14,
    XK_MATH_RSQTM = 15,
};

struct xk_send_info {
    uint8_t sfid; /* enum xk_sfid */
    bool eot;
    bool desc_reg;   /* descriptor in a0.0 */
    bool exdesc_reg; /* extended descriptor in a0.<exdesc_sub> */
    bool exbso;      /* {ExBSO}: src1 length from the instruction */
    bool fused_serialize;
    uint8_t exdesc_sub; /* N of a0.N as the assembler counts: dwords, 0..7 */
    uint8_t src1_len;   /* GRFs; also inside exdesc when it is immediate */
    uint32_t desc;
    uint32_t exdesc;
};

enum xk_opcode {
#define XK_OPCODE(id, ...) XK_OPC_##id,
#include "isa/opcode.def"
#undef XK_OPCODE
    XK_N_OPCODES
};

struct xk_inst {
    uint16_t op;                /* enum xk_opcode */
    uint8_t exec;               /* exec size: 1, 2, 4, 8, 16, 32 channels */
    uint8_t chan_off;           /* first channel: multiple of 4 (8 on xehpc) */
    uint8_t pred;               /* enum xk_pred */
    bool pred_inv;              /* without pred: ignored, and nGEN emits it */
    uint8_t flag_reg, flag_sub; /* f<reg>.<sub>: for pred and cond */
    uint8_t cond;               /* enum xk_cond */
    bool sat, no_mask, atomic, acc_wr_en, branch_ctrl, debug, compacted;
    struct xk_swsb swsb;
    uint8_t math_fn, sync_fn;
    uint8_t bfn;            /* truth table, bit s0 + 2*s1 + 4*s2 */
    uint8_t sdepth, rcount; /* dpas: 8, 1..8 */
    int32_t jip_b, uip_b;   /* branch offsets from this instruction, bytes; in
                               codegen before layout: label ids */
    struct xk_send_info send;
    struct xk_operand dst, src[3];
    uint64_t compact_as; /* decoded from a 64-bit form that is not the one our
                            encoder chooses: that form, to be written again as
                            long as it says what the rest says; else 0 */
};

#endif
