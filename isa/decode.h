/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to the decoder: 128 bits on their way to an instruction. Every bit
 * that is read is ticked off, so that a bit that is set and was not read can be
 * refused. The first refusal sticks. */
#ifndef XK_ISA_DECODE_H
#define XK_ISA_DECODE_H

#include "isa/format.h"

struct xk_dec {
    const struct xk_isa_tables *t;
    const struct xk_platform *p;
    struct xk_inst *i;
    uint64_t w[2], seen[2];
    uint64_t read[(XK_N_FIELDS + 63) / 64]; /* by enum xk_field_id */
    enum xk_format format;
    bool macro; /* operands name an extended accumulator */
    enum xk_status status;
    struct xk_error *err;
};

#define XK_DEC_REFUSE(d, ...)                                                  \
    do {                                                                       \
        if ((d)->status == XK_OK)                                              \
            (d)->status = xk_isa_fail((d)->err, XK_EPARSE, __VA_ARGS__);       \
    } while (0)

static inline const char *xk_dec_op_name(const struct xk_dec *d)
{
    return xk_opcode_name(d->i->op);
}

/* The bits of one run, ticked off. */
static inline uint32_t xk_dec_get_run(struct xk_dec *d, struct xk_field_part r)
{
    const unsigned word = r.first >> 6, shift = r.first & 63;
    const uint64_t mask = (UINT64_C(1) << r.count) - 1;

    d->seen[word] |= mask << shift;
    return (uint32_t)(d->w[word] >> shift & mask);
}

/* A field of several runs. */
uint32_t xk_dec_get_runs(struct xk_dec *d, const struct xk_field *f);

static inline uint32_t xk_dec_get(struct xk_dec *d, unsigned id)
{
    const struct xk_field *f = &d->t->field[id];

    d->read[id >> 6] |= UINT64_C(1) << (id & 63);
    if (f->n_parts == 1) /* nearly always */
        return xk_dec_get_run(d, f->part[0]) << f->unit;
    return xk_dec_get_runs(d, f);
}

uint8_t xk_dec_get_hs(struct xk_dec *d, unsigned id);
/* The type of a code; types: xk_isa_tables.type_of_code or .type_of_imm, id:
 * the field, for the message. */
uint8_t xk_dec_type_of(struct xk_dec *d, const uint8_t *types, unsigned code,
                       unsigned id);
/* A register operand, given its fields. */
void xk_dec_get_reg(struct xk_dec *d, struct xk_operand *o, unsigned file,
                    unsigned reg, unsigned sub);
void xk_dec_get_indirect(struct xk_dec *d, struct xk_operand *o, unsigned off,
                         unsigned a0);
/* What has no execution size in its text has only one. */
void xk_dec_need_scalar(struct xk_dec *d);

/* isa/decode_alu.c: the forms that compute, and sync. */
void xk_dec_basic(struct xk_dec *d);
void xk_dec_sync(struct xk_dec *d);
void xk_dec_ternary(struct xk_dec *d);
void xk_dec_dpas(struct xk_dec *d);

#endif
