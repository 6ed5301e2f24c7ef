/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the sampler, whose record in isa/message.h is OTHER: what their
 * descriptor says. It is checked against the sentences that iga64 prints beside
 * them (tests/isa/test_message_sampler.c). */
#ifndef XK_ISA_MESSAGE_SAMPLER_H
#define XK_ISA_MESSAGE_SAMPLER_H

#include "isa/isa.h"

/* Their codes in the descriptor. */
enum xk_sampler_op {
    XK_SMP_SAMPLE = 0x00,
    XK_SMP_SAMPLE_L = 0x02, /* the level comes first */
    XK_SMP_SAMPLE_D = 0x04, /* gradients */
    XK_SMP_LD = 0x07,       /* whole coordinates, no sampler state */
    XK_SMP_RESINFO = 0x0a,
    XK_SMP_SAMPLE_LZ = 0x18, /* of level 0 */
    XK_SMP_LD_LZ = 0x1a,
    XK_SMP_FLUSH = 0x1f, /* forgets what its cache holds, and answers */
};
/* The descriptor with which IGC flushes before it reads an image that the
 * kernel wrote: a header, one register back (vISA, sampler cache flush). */
#define XK_SMP_FLUSH_DESC 0x021ff000u

struct xk_sampler_msg {
    uint8_t op;      /* enum xk_sampler_op, or another code */
    uint8_t simd;    /* 8, 16; 0: another mode */
    uint8_t bti;     /* binding table index, or XK_BTI_BINDLESS */
    uint8_t sampler; /* index of the sampler state */
    bool header;     /* src0 begins with a register: r0, and in its dword 2
                        [15:12] the channels that are not wanted */
    bool half;       /* results are 16 bits wide */
    bool other;      /* bits are set of which nothing is known */
    uint8_t dst_grf, src0_grf, src1_grf;
};

/* False: *i is no send to the sampler with an immediate descriptor. Otherwise
 * everything in *m is set. */
bool xk_sampler_decode(const struct xk_inst *i, struct xk_sampler_msg *m);
/* "sample_lz"; "" for a code without a name here. */
const char *xk_sampler_op_name(unsigned op);

#endif
