/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of isa/message.def as data, for the files message_*.c only. */
#ifndef XK_ISA_MESSAGE_TABLE_H
#define XK_ISA_MESSAGE_TABLE_H

#include "isa/message.h"

/* Fields of a descriptor. */
enum xk_msg_field {
    XK_MF_END,
#define XK_MSG_FIELD(id, text) XK_MF_##id,
#include "isa/message_field.def"
#undef XK_MSG_FIELD
    XK_N_MSG_FIELDS
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
    uint8_t gather_grf;
};

const struct xk_msg_row *xk_msg_row(unsigned kind); /* NULL: UNKNOWN, beyond */
/* The kind whose row matches, or XK_MSG_UNKNOWN. */
unsigned xk_msg_find(const struct xk_platform *p, const struct xk_send_info *s);
const struct xk_msg_slot *xk_msg_slots(unsigned layout); /* up to XK_MF_END */
const char *xk_msg_field_name(unsigned field);           /* "cache control" */
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

/* Which part of an immediate descriptor a bit belongs to: enum xk_msg_field, or
 * one of these. */
enum xk_msg_part {
    XK_MSG_PART_OPERATION = XK_N_MSG_FIELDS, /* what chooses the row */
    XK_MSG_PART_RLEN,
    XK_MSG_PART_MLEN,
    XK_MSG_PART_RESERVED,
    XK_N_MSG_PARTS
};
/* XK_MSG_PART_RESERVED also where nothing is known of the message. */
unsigned xk_msg_part_at(const struct xk_platform *p, const struct xk_inst *i,
                        unsigned bit);

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
