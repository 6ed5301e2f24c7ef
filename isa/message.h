/* SPDX-License-Identifier: Apache-2.0 */
/* Send messages as named records: built into and decoded from a send's
 * descriptors. xehpg: LSC load/store/fence and the gateway; more rows follow.
 */
#ifndef XK_ISA_MESSAGE_H
#define XK_ISA_MESSAGE_H

#include "isa/isa.h"

enum xk_msg_kind {
    XK_MSG_UNKNOWN,
    XK_MSG_LSC_LOAD,
    XK_MSG_LSC_STORE,
    XK_MSG_LSC_LOAD_CMASK,
    XK_MSG_LSC_STORE_CMASK,
    XK_MSG_LSC_ATOMIC,
    XK_MSG_LSC_FENCE,
    XK_MSG_BARRIER,
    XK_MSG_EOT,
};

enum xk_lsc_addr_type { XK_LSC_FLAT, XK_LSC_BSS, XK_LSC_SS, XK_LSC_BTI };

struct xk_msg {
    uint8_t kind;       /* enum xk_msg_kind */
    uint8_t sfid;       /* enum xk_sfid */
    uint8_t lsc_op;     /* raw opcode, desc[5:0] */
    uint8_t addr_type;  /* enum xk_lsc_addr_type */
    uint8_t addr_b;     /* 2, 4, 8 bytes per address */
    uint8_t data_b;     /* bytes in memory per element: 1, 2, 4, 8 */
    uint8_t reg_b;      /* bytes in the register per element (d8u32: 4) */
    uint8_t vec;        /* elements per address: 1, 2, 3, 4, 8, ... 64 */
    uint8_t cmask;      /* cmask ops: enabled components */
    bool transpose;     /* block: exec 1, elements contiguous in registers */
    uint8_t cache;      /* raw cache control code */
    uint8_t bti;
    uint8_t exec;       /* channels the lengths are computed for */
    uint8_t fence_scope, fence_flush;
    bool returns;       /* atomics: old value wanted */
    /* Filled by decode, computed by build, in GRFs. */
    uint8_t dst_grf, src0_grf, src1_grf;
};

/* Sets sfid, desc, exdesc, src1_len and eot of i->send from *m and the lengths
 * in *m. A load whose i->dst is the null register is a prefetch (dst_grf 0);
 * bss and ss take their surface from a0.<i->send.exdesc_sub>. Does not touch
 * i->exec, which must agree with m->exec. Refuses combinations the hardware
 * has not. */
enum xk_status xk_msg_build(const struct xk_platform *p, struct xk_msg *m,
                            struct xk_inst *i, struct xk_error *err);
/* The record of a send with immediate descriptors; kind UNKNOWN if it is none
 * of ours (then only the lengths are set). */
void xk_msg_decode(const struct xk_platform *p, const struct xk_inst *i,
                   struct xk_msg *m);

#endif
