/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to the encoder: an instruction on its way to 128 bits. Every value
 * goes through xk_enc_put, which refuses what its field cannot hold; the first
 * refusal sticks. */
#ifndef XK_ISA_ENCODE_H
#define XK_ISA_ENCODE_H

#include "isa/format.h"

struct xk_enc {
    const struct xk_isa_tables *t;
    const struct xk_platform *p;
    const struct xk_inst *i;
    uint64_t w[2];
    bool macro; /* operands name an extended accumulator */
    enum xk_status status;
    struct xk_error *err;
};

#define XK_ENC_REFUSE(e, code, ...)                                            \
    do {                                                                       \
        if ((e)->status == XK_OK)                                              \
            (e)->status = xk_isa_fail((e)->err, code, __VA_ARGS__);            \
    } while (0)

static inline const char *xk_enc_op_name(const struct xk_enc *e)
{
    return xk_opcode_name(e->i->op);
}

/* Says why v does not fit the field. */
void xk_enc_refuse_value(struct xk_enc *e, unsigned id, uint64_t v);

static inline void xk_enc_put(struct xk_enc *e, unsigned id, uint64_t v)
{
    const struct xk_field *f;

    if (v == 0)
        return; /* the words start as zero, and most fields are */
    f = &e->t->field[id];
    if (v >> f->unit >> f->n_bits || v & ((1u << f->unit) - 1)) {
        xk_enc_refuse_value(e, id, v);
        return;
    }
    v >>= f->unit;
    if (f->n_parts == 1) {
        e->w[f->part[0].first >> 6] |= v << (f->part[0].first & 63);
        return;
    }
    for (unsigned k = 0; k < f->n_parts; k++) {
        const unsigned first = f->part[k].first, count = f->part[k].count;

        e->w[first >> 6] |= (v & ((UINT64_C(1) << count) - 1)) << (first & 63);
        v >>= count;
    }
}

/* Horizontal strides 0, 1, 2, 4. */
void xk_enc_put_hs(struct xk_enc *e, unsigned id, unsigned hs);
/* The code of the operand's type among codes; what: for the message. */
unsigned xk_enc_type_code(struct xk_enc *e, const struct xk_operand *o,
                          const uint8_t *codes, const char *what);
/* File bit, register number and byte offset of a direct register operand, with
 * their fields. */
void xk_enc_put_reg(struct xk_enc *e, const struct xk_operand *o, unsigned file,
                    unsigned reg, unsigned sub);
void xk_enc_put_indirect(struct xk_enc *e, const struct xk_operand *o,
                         unsigned mode, unsigned off, unsigned a0);
/* Options that a form has no bits for must be off: nothing is dropped
 * silently. */
void xk_enc_refuse_options(struct xk_enc *e, bool sat, bool acc_wr_en,
                           bool atomic, bool cond, bool ctrl);
/* What has no execution size in its text has only one. */
void xk_enc_need_scalar(struct xk_enc *e);

/* isa/encode_alu.c: the forms that compute, and sync. */
void xk_enc_basic(struct xk_enc *e);
void xk_enc_sync(struct xk_enc *e);
void xk_enc_ternary(struct xk_enc *e);
void xk_enc_dpas(struct xk_enc *e);

#endif
