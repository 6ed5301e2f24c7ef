/* SPDX-License-Identifier: Apache-2.0 */
/* Send messages as named records: built into and decoded from a send's
 * descriptors by the rows of isa/message.def. Nothing here allocates but
 * through a caller's xk_str; all functions are pure. */
#ifndef XK_ISA_MESSAGE_H
#define XK_ISA_MESSAGE_H

#include "isa/isa.h"

/* One per table row: a message of a shared function, LSC_, DC0_, DC1_, DCRO_
 * (the old data ports) and GTWY_. OTHER: a shared function of which only the
 * lengths are read (sampler, urb, render target ...). UNKNOWN: none of ours,
 * reserved, not on this platform, or a descriptor in a0.0. */
enum xk_msg_kind {
    XK_MSG_UNKNOWN,
#define XK_MSG_ROW(id, ...) XK_MSG_##id,
#include "isa/message.def"
#undef XK_MSG_ROW
    XK_N_MSG_KINDS
};

/* What it does, whatever port and encoding. */
enum xk_msg_op {
    XK_MOP_NONE,
#define XK_MSG_OP(id, ...) XK_MOP_##id,
#include "isa/message.def"
#undef XK_MSG_OP
    XK_N_MSG_OPS
};

enum xk_msg_class {
    XK_MCLASS_OTHER, /* state, compression control, monitors */
    XK_MCLASS_LOAD,
    XK_MCLASS_STORE,
    XK_MCLASS_ATOMIC,
    XK_MCLASS_FENCE,
    XK_MCLASS_BARRIER,
    XK_MCLASS_EOT,
};

/* desc[30:29] of LSC; the old ports have BTI (and FLAT for scratch). */
enum xk_lsc_addr_type { XK_LSC_FLAT, XK_LSC_BSS, XK_LSC_SS, XK_LSC_BTI };

/* What the addresses are relative to, from sfid, addr_type, addr_b and bti. */
enum xk_msg_space {
    XK_MSPACE_NONE,      /* no addresses */
    XK_MSPACE_FLAT,      /* 64-bit virtual addresses (a32: the low 4 GB) */
    XK_MSPACE_STATELESS, /* offsets from the general state base: BTI 0xfd, 0xff
                           with 32-bit addresses */
    XK_MSPACE_SLM,       /* offsets in the group's shared local memory */
    XK_MSPACE_SCRATCH,   /* offsets in the thread's scratch space */
    XK_MSPACE_SURFACE,   /* offsets in the surface of bti, or of surf_* */
};

/* Cache policies, as the assembler abbreviates them. */
enum xk_msg_cache {
    XK_CACHE_DEFAULT, /* df: as the surface or page says */
    XK_CACHE_UC,      /* uncached */
    XK_CACHE_CA,      /* cached */
    XK_CACHE_WB,      /* write back */
    XK_CACHE_WT,      /* write through */
    XK_CACHE_ST,      /* streaming */
    XK_CACHE_RI,      /* read invalidate: last use */
    XK_CACHE_INVALID, /* the code means nothing in this message */
};

#define XK_BTI_BINDLESS 0xfc
#define XK_BTI_STATELESS_NC 0xfd /* non-coherent */
#define XK_BTI_SLM 0xfe
#define XK_BTI_STATELESS 0xff /* coherent */

/* Offsets through a surface from here on mean nothing: reads give zero, writes
 * are dropped, and no checker minds. A lane that takes no part is sent there
 * instead of being masked, and may move on with the others for less than 256
 * MiB. No surface may be larger than this, so hardware finds these offsets
 * outside of every surface. */
#define XK_OFF_NULL UINT32_C(0xf0000000)

/* [in]: what a builder sets. [out]: set by decode and by build. Neutral values
 * are zero. A field that the message does not have must be zero. */
struct xk_msg {
    uint32_t surf_off;  /* [in] bss, ss with an immediate surface state offset:
                           bytes, with surf_imm */
    uint32_t scratch_b; /* [in] scratch: byte offset, a multiple of 32 */
    uint16_t mem_b;     /* [out] bytes of memory per channel (transposed and
                           block: of the message); 0 not known (2D block) */
    uint8_t kind;       /* [in] enum xk_msg_kind */
    uint8_t sfid;       /* [in] enum xk_sfid; set by build where a kind has
                           one only */
    uint8_t lsc_op;     /* raw operation code. LSC: desc[5:0], [in] for atomics
                           unless op is set, [out] else. DC1 atomics: [in] as
                           well, the code in desc[11:8] */
    uint8_t op;         /* [out] enum xk_msg_op; atomics: [in] unless lsc_op */
    uint8_t addr_type;  /* [in] enum xk_lsc_addr_type */
    uint8_t space;      /* [out] enum xk_msg_space */
    uint8_t addr_b;     /* [in] 2, 4, 8 bytes per address; [out] of old ports */
    uint8_t data_b;     /* [in] bytes in memory per element: 1, 2, 4, 8; oword
                           and hword blocks [out] 16, 32 */
    uint8_t reg_b;      /* [in] bytes in the register per element (d8u32: 4) */
    uint8_t vec;        /* [in] elements per address: 1, 2, 3, 4, 8, ... 64;
                           with cmask the number of enabled components */
    uint8_t cmask;      /* [in] cmask, untyped, typed: ENABLED components */
    bool transpose;     /* [in] LSC block: exec 1, elements contiguous in
                           registers. 2D block: transposed. [out] true for
                           oword and hword blocks */
    bool vnni;          /* [in] 2D block load: rows interleaved to dwords */
    bool data_high;     /* [in] d16u32h: upper half; oword block of 1: the high
                           half of the register */
    bool header;        /* [in] a header register precedes the addresses; [out]
                           where it is demanded */
    bool last_use;      /* [in] old ports: invalidate after read (desc[13]) */
    uint8_t cache;      /* [in] raw cache control code */
    uint8_t l1, l3;     /* [out] enum xk_msg_cache of `cache`; slm: default */
    uint8_t bti;        /* [in] BTI: index; old ports: desc[7:0] */
    bool surf_imm;      /* [in] bss, ss: surf_off instead of a register */
    bool surf_reg;      /* [in] bti: index in a0; [out] bss, ss: offset in a0 */
    uint8_t surf_sub;   /* [out] N of a0.N, in i->send.exdesc_sub */
    uint8_t exec;       /* [in] channels the lengths are computed for */
    uint8_t simd;       /* SIMD width of the payload: old ports [in] 8, 16 (0:
                           from exec); LSC [out] exec */
    bool slot_high;     /* [in] typed: the upper slot group */
    uint8_t fence_scope, fence_flush; /* [in] LSC: codes, names below */
    bool commit;                      /* [in] old fence: wait for completion */
    uint8_t flush_l1, flush_l3;       /* [in] old fence: bits 8; 12:9 */
    uint8_t sub;       /* [in] ccs operation; media block: line stride bits */
    bool active_only;  /* [in] barrier from xe2: desc[11] */
    bool returns;      /* [in] atomics: old value wanted */
    bool unknown_src1; /* [out] src1_grf is in a0, not here */
    /* In GRFs. Filled by decode, computed by build; of 2D blocks, typed and
     * special messages, whose lengths follow from elsewhere, [in]. */
    uint8_t dst_grf, src0_grf, src1_grf;
    bool exbso;      /* [in] with surf_reg: src1 length beside a0, not in it;
                        [out] bss, ss without surf_imm */
    bool channel_dw; /* [in] scratch: a channel masks a dword, not an oword */
    bool fence_a64; /* [in] LSC fence: bit 8 is clear, as IGC writes it; it says
                       nothing (workarounds.md 2) */
    uint8_t reserved; /* zero */
};

/* Sets sfid, desc, exdesc, src1_len and eot of i->send from *m, and the lengths
 * and [out] fields in *m. A load whose i->dst is the null register is a
 * prefetch (dst_grf 0). bss and ss take their surface from
 * a0.<i->send.exdesc_sub>. It does not touch i->exec, which must agree with
 * m->exec. What the platform lacks is refused with XK_EINVAL or
 * XK_EUNSUPPORTED, and with the field and value in *err. */
enum xk_status xk_msg_build(const struct xk_platform *p, struct xk_msg *m,
                            struct xk_inst *i, struct xk_error *err);
/* The record of a send. Its kind is UNKNOWN or OTHER if it is none of ours;
 * then only sfid, exec and the lengths are set. Never fails. */
void xk_msg_decode(const struct xk_platform *p, const struct xk_inst *i,
                   struct xk_msg *m);
/* OK if the record of *i is complete: building it again gives the same
 * descriptors. Else XK_EPARSE and a sentence with the first bits, value or
 * length that is reserved, refused or unlike what the operation needs. */
enum xk_status xk_msg_check(const struct xk_platform *p,
                            const struct xk_inst *i, struct xk_error *err);
/* The same, but the payloads of an LSC message may be as long as those of more
 * channels, if each component of its data begins in the same register then:
 * compilers pad a few channels to 8 or 16. */
enum xk_status xk_msg_check_padded(const struct xk_platform *p,
                                   const struct xk_inst *i,
                                   struct xk_error *err);
/* The bits of desc (immediate) that are set although no field of the message
 * covers them, or that are clear and must be set; 0 for UNKNOWN and OTHER. */
uint32_t xk_msg_reserved_bits(const struct xk_platform *p,
                              const struct xk_inst *i);

/* "load.ugm.d32x4.a64.ca.ca flat" ...: the message in words, stable; grammar in
 * message_print.c. An unknown message: "unknown.dc0 desc 0x...". */
void xk_msg_print(const struct xk_platform *p, const struct xk_msg *m,
                  struct xk_str *out);

const char *xk_msg_kind_name(enum xk_msg_kind k); /* "LSC_LOAD" */
/* The assembler's mnemonic, "load_quad", "atomic_iadd"; "" for NONE. */
const char *xk_msg_op_name(enum xk_msg_op op);
enum xk_msg_op xk_msg_op_find(const char *name); /* XK_MOP_NONE */
enum xk_msg_class xk_msg_op_class(enum xk_msg_op op);
static inline bool xk_msg_is_block2d(const struct xk_msg *m)
{
    return m->op == XK_MOP_LOAD_BLOCK2D || m->op == XK_MOP_STORE_BLOCK2D;
}
/* One address, elements that follow each other; not 2D. */
static inline bool xk_msg_is_block(const struct xk_msg *m)
{
    return m->transpose && !xk_msg_is_block2d(m);
}
static inline bool xk_msg_is_strided(const struct xk_msg *m)
{
    return m->op == XK_MOP_LOAD_STRIDED || m->op == XK_MOP_STORE_STRIDED;
}
unsigned xk_msg_atomic_n_srcs(enum xk_msg_op op); /* data operands, 0..2 */
const char *xk_msg_sfid_name(unsigned sfid);      /* "ugm"; "?" */
/* Whether a send accesses SLM: by its own shared function, or by surface 254 of
 * the old data ports. */
static inline bool xk_send_is_slm(const struct xk_send_info *s)
{
    const bool hdc = s->sfid == XK_SFID_DC0 || s->sfid == XK_SFID_DC1;
    return s->sfid == XK_SFID_SLM ||
           (hdc && !s->desc_reg && (s->desc & 0xff) == XK_BTI_SLM);
}
/* The shared functions of the LSC. */
static inline bool xk_sfid_is_lsc(unsigned sfid)
{
    return sfid == XK_SFID_UGM || sfid == XK_SFID_UGML || sfid == XK_SFID_SLM ||
           sfid == XK_SFID_TGM;
}
const char *xk_msg_cache_name(enum xk_msg_cache c); /* "uc" */
const char *xk_msg_fence_scope_name(unsigned code); /* "group"; "?" */
const char *xk_msg_fence_flush_name(unsigned code); /* "evict"; "?" */
/* Which policies a code means in a load, or in a store or atomic. */
bool xk_msg_cache_of(const struct xk_platform *p, enum xk_msg_op op,
                     unsigned code, enum xk_msg_cache *l1,
                     enum xk_msg_cache *l3);
/* The code, or -1 if this platform has no such pair for the operation. */
int xk_msg_cache_code(const struct xk_platform *p, enum xk_msg_op op,
                      enum xk_msg_cache l1, enum xk_msg_cache l3);
/* Whether the platform has the message at all. */
bool xk_msg_exists(const struct xk_platform *p, enum xk_msg_kind k,
                   unsigned sfid);

/* Dword 2 of a barrier's payload, whose other dwords are zero. The barrier of
 * the whole group is id 0 of type BOTH, with as many producers as consumers:
 * all threads. xelp has that one only: its id is in r0.2[30:24], producers 0
 * means all threads, and consumers must be equal. */
enum xk_barrier_type {
    XK_BARRIER_BOTH,
    XK_BARRIER_PRODUCE,
    XK_BARRIER_CONSUME
};
struct xk_barrier {
    uint8_t id;
    uint8_t type;                 /* enum xk_barrier_type: this thread's part */
    uint8_t producers, consumers; /* threads */
};
/* XK_EINVAL with field and value if the platform has no such barrier. */
enum xk_status xk_barrier_pack(const struct xk_platform *p,
                               const struct xk_barrier *b, uint32_t *dw2,
                               struct xk_error *err);
/* XK_EPARSE if reserved bits are set. */
enum xk_status xk_barrier_unpack(const struct xk_platform *p, uint32_t dw2,
                                 struct xk_barrier *b, struct xk_error *err);

/* The header of a 2D block message: the 8 dwords of its address register. */
struct xk_block2d {
    uint64_t base;            /* bytes */
    uint32_t width_b, height; /* of the surface: bytes, rows; 1 .. 2^24 */
    uint32_t pitch_b;         /* bytes from row to row */
    int32_t x, y;             /* of the block: elements, rows */
    uint8_t block_w, block_h; /* elements, rows: 1 .. 64, 1 .. 32 */
    uint8_t n_blocks;         /* side by side: 1, 2, 4 */
};
/* XK_EINVAL with field and value if a value does not fit its bits. */
enum xk_status xk_block2d_pack(const struct xk_block2d *h, uint32_t dw[8],
                               struct xk_error *err);
/* XK_EPARSE if reserved bits of dw[7] are set. */
enum xk_status xk_block2d_unpack(const uint32_t dw[8], struct xk_block2d *h,
                                 struct xk_error *err);
/* GRFs of the data of one 2D block message; 0 if the shape is not allowed for
 * m (width, rows, blocks, vnni, transpose). Responses of more than 31 are
 * encoded as 31. */
unsigned xk_block2d_grfs(const struct xk_platform *p, const struct xk_msg *m,
                         const struct xk_block2d *h);

#endif
