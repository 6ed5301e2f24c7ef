/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of isa/message.def as data, for the files message_*.c only. */
#ifndef XK_ISA_MESSAGE_TABLE_H
#define XK_ISA_MESSAGE_TABLE_H

#include "isa/message.h"

/* Fields of a descriptor; what each means is in message_field.c. */
enum xk_msg_field {
    XK_MF_END,
    XK_MF_ADDR, /* log2 of address bytes */
    XK_MF_ADDR_TYPE,
    XK_MF_DATA,      /* LSC data size */
    XK_MF_VEC,       /* LSC vector size */
    XK_MF_CMASK_ON,  /* 1: component enabled */
    XK_MF_CMASK_OFF, /* 1: component disabled */
    XK_MF_TRANSPOSE,
    XK_MF_VNNI,
    XK_MF_CACHE, /* without meaning in slm, but compilers set it there */
    XK_MF_FENCE_CACHE,
    XK_MF_SCOPE,
    XK_MF_FLUSH,
    XK_MF_LSC_ATOMIC,
    XK_MF_INT_ATOMIC,
    XK_MF_FLOAT_ATOMIC,
    XK_MF_SUB,
    XK_MF_CCS, /* page clear, sector clear, and uncompress: 0 to 3 */
    XK_MF_BTI,
    XK_MF_OWORDS,    /* 1 low, 1 high, 2, 4, 8, 16 */
    XK_MF_HWORDS,    /* log2 of the number */
    XK_MF_HWORDS1,   /* 1 + log2 of the number */
    XK_MF_ELEMS,     /* log2 of the vector */
    XK_MF_BYTES,     /* log2 of bytes in memory: 1, 2, 4 */
    XK_MF_SIMD16,    /* 0: 8 channels, 1: 16 */
    XK_MF_SIMD16X,   /* the same, widths per platform */
    XK_MF_SIMD8,     /* 1: 8 channels, 0: 16, widths per platform */
    XK_MF_SIMD3,     /* 1: 16 channels, 2: 8 */
    XK_MF_ONE_WIDTH, /* no bits: the platform's one width */
    XK_MF_SLOTS2,    /* 1: upper slot group */
    XK_MF_SLOTS3,    /* 1: lower, 2: upper slot group */
    XK_MF_DATA64,    /* 1: 8-byte data, 0: 4 */
    XK_MF_RETURNS,
    XK_MF_HEADER,      /* may be there */
    XK_MF_HEADER_MUST, /* must be there */
    XK_MF_ONE,         /* always 1 */
    XK_MF_LAST_USE,
    XK_MF_COMMIT,
    XK_MF_FLUSH_L1,
    XK_MF_FLUSH_L3,
    XK_MF_SCRATCH,  /* offset in units of 32 bytes */
    XK_MF_CHANNELS, /* 1: a channel masks a dword, 0: an oword */
};

enum xk_msg_shape {
    XK_SHAPE_GIVEN, /* lengths are the caller's */
    XK_SHAPE_LSC,
    XK_SHAPE_BLOCK,     /* header; packed data */
    XK_SHAPE_GATHER,    /* addresses; planes of data */
    XK_SHAPE_BLOCK2D,   /* header; the block shape is in it */
    XK_SHAPE_FENCE,     /* one register each way */
    XK_SHAPE_HDC_FENCE, /* answers only with commit */
    XK_SHAPE_STATE,     /* 64 bytes of surface state come back */
    XK_SHAPE_STATUS,    /* a bit per channel comes back */
    XK_SHAPE_GATEWAY,   /* one register, no answer */
};

enum xk_msg_layout {
#define XK_MSG_LAYOUT(id, ...) XK_LAYOUT_##id,
#include "isa/message.def"
#undef XK_MSG_LAYOUT
    XK_N_MSG_LAYOUTS
};

struct xk_msg_slot {
    uint8_t field, first, width;
};
#define XK_MSG_MAX_SLOTS 8

struct xk_msg_row {
    const char *name;
    uint32_t match, value;
    uint16_t ports;    /* bit per shared function */
    uint8_t platforms; /* bit per enum xk_platform_id */
    uint8_t layout, op, shape;
    uint8_t addr_b, data_b, reg_b;
};

enum xk_msg_family { XK_MSG_LSC, XK_MSG_INT, XK_MSG_FLT };
struct xk_msg_atomic {
    uint8_t family, code, op;
    uint8_t data_b; /* 0: the message's */
    uint8_t platforms;
};

struct xk_msg_machine {
    uint8_t lsc_simd, tgm_simd;
    bool ugml;
    uint8_t hdc_simd;
    bool two;
    uint8_t max_owords;
    bool counts; /* barrier payload: producers and consumers */
    uint8_t n_barriers;
};

const struct xk_msg_row *xk_msg_row(unsigned kind); /* NULL: UNKNOWN, beyond */
/* The kind whose row matches, or XK_MSG_UNKNOWN. */
unsigned xk_msg_find(const struct xk_platform *p, const struct xk_send_info *s);
const struct xk_msg_slot *xk_msg_slots(unsigned layout); /* up to XK_MF_END */
const struct xk_msg_machine *xk_msg_machine(const struct xk_platform *p);
bool xk_msg_is_lsc(unsigned sfid);
/* NULL if there is none of that code on the platform. */
const struct xk_msg_atomic *xk_msg_atomic_by_code(const struct xk_platform *p,
                                                  unsigned family,
                                                  unsigned code);
/* data_b 0: any. */
const struct xk_msg_atomic *xk_msg_atomic_by_op(const struct xk_platform *p,
                                                unsigned family, unsigned op,
                                                unsigned data_b);

static inline uint32_t xk_msg_get(uint32_t v, unsigned first, unsigned width)
{
    return v >> first & ((1u << width) - 1);
}

/* message_field.c: one field between record and its bits. False with a
 * sentence in *err if the value is reserved, or cannot be encoded. */
bool xk_msg_field_get(const struct xk_platform *p, unsigned field,
                      uint32_t bits, struct xk_msg *m, struct xk_error *err);
bool xk_msg_field_put(const struct xk_platform *p, unsigned field,
                      const struct xk_msg *m, uint32_t *bits,
                      struct xk_error *err);
/* False where the bits of the field are reserved for this message. */
bool xk_msg_field_here(unsigned field, const struct xk_msg *m);

/* message_shape.c: what the hardware has not, and lengths from the record. */
enum xk_status xk_msg_check_shape(const struct xk_platform *p,
                                  const struct xk_msg *m, struct xk_error *err);
/* Sets the three lengths (shapes that know them) and mem_b. */
enum xk_status xk_msg_lengths(const struct xk_platform *p, struct xk_msg *m,
                              bool null_dst, struct xk_error *err);
void xk_msg_derive(const struct xk_platform *p, struct xk_msg *m);

#endif
