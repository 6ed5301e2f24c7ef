/* SPDX-License-Identifier: Apache-2.0 */
/* Which units an instruction reads and writes, operand by operand. The hulls of
 * registers come from isa/. Gaps between the elements of a region, flag bits
 * and a0 are worked out here. */
#include <string.h>

#include "isa/format.h"
#include "sim/hazard/hazard_table.h"

struct list {
    const struct xk_platform *p;
    struct xk_hz_access *out;
    unsigned n;
};

uint32_t xk_hz_file_at(const struct xk_platform *p, enum xk_hz_file f)
{
    const uint32_t flag = XK_HZ_GRFS * (uint32_t)p->grf_b;
    const uint32_t acc = flag + XK_HZ_FLAG_UNITS;
    const uint32_t a0 = acc + (p->n_acc + XK_HZ_MMES) * (uint32_t)p->grf_b;
    switch (f) {
    case XK_HZ_GRF:
        return 0;
    case XK_HZ_FLAG:
        return flag;
    case XK_HZ_ACC:
        return acc;
    case XK_HZ_A0:
        return a0;
    case XK_HZ_STATE:
        break;
    }
    return a0 + p->grf_b;
}

/* Adds units first to end of a file, as far as the file goes; NULL: none. */
static struct xk_hz_access *add_access(struct list *l, enum xk_hz_file f,
                                       int operand, uint32_t first,
                                       uint32_t end)
{
    const uint32_t at = xk_hz_file_at(l->p, f);
    const uint32_t grf_b = l->p->grf_b;
    const uint32_t last = f == XK_HZ_STATE
                              ? at + grf_b
                              : xk_hz_file_at(l->p, (enum xk_hz_file)(f + 1));
    struct xk_hz_access *const a = &l->out[l->n];
    if (first >= end || at + first >= last || l->n == XK_HZ_MAX_ACCESSES)
        return NULL;
    *a = (struct xk_hz_access){
        .first = at + first,
        .end = at + end < last ? at + end : last,
        .file = (uint8_t)f,
        .operand = (int8_t)operand,
    };
    a->place = (uint16_t)(a->first / grf_b);
    a->n_places = (uint16_t)((a->end - 1) / grf_b - a->place + 1);
    l->n++;
    return a;
}

static const struct xk_operand *operand_at(const struct xk_inst *i, int k)
{
    return k < 0 ? &i->dst : &i->src[k];
}

/* Elements in a row of a region. */
static unsigned row_width(const struct xk_inst *i, int k)
{
    const struct xk_region *const r = &operand_at(i, k)->rgn;
    unsigned w = r->width;
    if (k < 0 || (xk_opcode_is_ternary((enum xk_opcode)i->op) && k == 2))
        w = i->exec;
    else if (xk_opcode_is_ternary((enum xk_opcode)i->op))
        w = !r->hs ? 1 : !r->vs ? i->exec : r->vs / r->hs;
    return !w ? 1 : w > i->exec ? i->exec : w;
}

/* Notes where the elements are if they leave gaps; unit_b: units in a byte. */
static void set_gaps(const struct xk_inst *i, int k, struct xk_hz_access *a,
                     unsigned unit_b)
{
    const struct xk_operand *const o = operand_at(i, k);
    const unsigned size = xk_reg_type_b((enum xk_reg_type)o->type) * unit_b;
    const unsigned w = row_width(i, k), hs = o->rgn.hs, vs = o->rgn.vs;
    const bool in_rows = w > 1 && hs > 1;
    const bool between = i->exec > w && vs > (hs ? w : 1);
    if (!(in_rows || between) || !size || xk_math_is_macro(i))
        return;
    a->n = i->exec;
    a->width = (uint8_t)w;
    a->size = (uint8_t)size;
    a->step = (uint16_t)(hs * size);
    a->row = (uint16_t)(vs * size);
}

/* Whether an operand is a region: not a payload, a matrix or a target. */
static bool has_region(const struct xk_inst *i)
{
    return !xk_inst_is_send(i) && i->op != XK_OPC_DPAS &&
           i->op != XK_OPC_DPASW && !xk_inst_is_branch(i);
}

static void add_grf(struct list *l, const struct xk_inst *i, int k)
{
    const struct xk_footprint f = xk_inst_footprint(l->p, i, k);
    struct xk_hz_access *const a =
        add_access(l, XK_HZ_GRF, k, f.first_b, f.end_b);
    if (!a)
        return;
    if (has_region(i))
        a->dynamic = operand_at(i, k)->indirect;
    else if (xk_inst_is_send(i))
        a->dynamic =
            k < 1 ? i->send.desc_reg : i->send.exdesc_reg && !i->send.exbso;
    if (has_region(i) && !a->dynamic)
        set_gaps(i, k, a, 1);
}

/* Hull of an operand in a register of another file, from its byte offset. */
static uint32_t span_b(const struct xk_inst *i, int k)
{
    const struct xk_operand *const o = operand_at(i, k);
    const unsigned w = row_width(i, k);
    const unsigned hs = o->rgn.hs, vs = o->rgn.vs;
    const unsigned rows = i->exec / w ? i->exec / w : 1;
    return ((rows - 1) * vs + (w - 1) * hs + 1) *
           xk_reg_type_b((enum xk_reg_type)o->type);
}

static void add_arf(struct list *l, const struct xk_inst *i, int k)
{
    const struct xk_operand *const o = operand_at(i, k);
    const uint32_t n_b = span_b(i, k);
    struct xk_hz_access *a = NULL;
    switch ((enum xk_arf)o->arf) {
    case XK_ARF_NULL:
    case XK_ARF_ACC: /* with what is implied, in add_acc */
    case XK_ARF_MME:
        return;
    case XK_ARF_F:
        a = add_access(l, XK_HZ_FLAG, k, o->reg * 32u + o->sub_b * 8u,
                       o->reg * 32u + (o->sub_b + n_b) * 8u);
        if (a)
            set_gaps(i, k, a, 8);
        return;
    case XK_ARF_A:
        a = add_access(l, XK_HZ_A0, k, o->reg * 32u + o->sub_b,
                       o->reg * 32u + o->sub_b + n_b);
        if (a)
            set_gaps(i, k, a, 1);
        return;
    default:
        add_access(l, XK_HZ_STATE, k, 0, 1);
        return;
    }
}

/* Adds the exponents that a macro's operand hands on. mme0..7 are registers of
 * their own (IGA numbers them from 8 on since Xe), and IGC uses acc2 beside
 * mme0. */
static void add_mme(struct list *l, const struct xk_inst *i, int k)
{
    const struct xk_operand *const o = operand_at(i, k);
    const uint32_t grf_b = l->p->grf_b;
    const uint32_t n_b = i->exec * xk_reg_type_b((enum xk_reg_type)o->type);
    if (o->file == XK_FILE_ARF && o->arf == XK_ARF_ACC)
        add_access(l, XK_HZ_ACC, k, o->reg * grf_b, o->reg * grf_b + n_b);
    if (o->sub_b < 8 && (o->file == XK_FILE_GRF || o->file == XK_FILE_ARF))
        add_access(l, XK_HZ_ACC, 3, (l->p->n_acc + o->sub_b) * grf_b,
                   (l->p->n_acc + o->sub_b + 1u) * grf_b);
}

static void add_acc(struct list *l, const struct xk_inst *i, bool write)
{
    const struct xk_footprint f = xk_inst_acc_footprint(l->p, i, write);
    if (!xk_math_is_macro(i)) {
        add_access(l, XK_HZ_ACC, 3, f.first_b, f.end_b);
        return;
    }
    for (int k = write ? -1 : 0; k < (write ? 0 : 3); k++)
        add_mme(l, i, k);
}

/* Adds the address registers from which the operands and descriptors are
 * made. */
static void add_addresses(struct list *l, const struct xk_inst *i)
{
    if (xk_inst_is_send(i)) {
        if (i->send.desc_reg)
            add_access(l, XK_HZ_A0, 3, 0, 4);
        if (i->send.exdesc_reg)
            add_access(l, XK_HZ_A0, 3, i->send.exdesc_sub * 4u,
                       i->send.exdesc_sub * 4u + 4u);
        return;
    }
    for (int k = -1; k < 3; k++) {
        const struct xk_operand *const o = operand_at(i, k);
        unsigned n = 1;
        if (o->file != XK_FILE_GRF || !o->indirect)
            continue;
        if (k >= 0 && o->rgn.vs == XK_VS_VXH)
            n = i->exec / (o->rgn.width ? o->rgn.width : 1u);
        add_access(l, XK_HZ_A0, 3, o->a0_sub * 2u, o->a0_sub * 2u + 2u * n);
    }
}

static void add_predicate(struct list *l, const struct xk_inst *i)
{
    const uint32_t reg = i->flag_reg * 32u;
    const uint32_t own = reg + i->flag_sub * 16u + i->chan_off;
    if (i->pred == XK_PRED_NONE)
        return;
    if (i->pred == XK_PRED_NORMAL) {
        add_access(l, XK_HZ_FLAG, 3, own, own + i->exec);
        return;
    }
    /* any and all look at a whole register, vertically at its neighbour too */
    add_access(l, XK_HZ_FLAG, 3, reg, reg + 32);
    if (i->pred == XK_PRED_ANYV || i->pred == XK_PRED_ALLV)
        add_access(l, XK_HZ_FLAG, 3, own + 32, own + 32 + i->exec);
}

unsigned xk_hz_reads(const struct xk_platform *p, const struct xk_inst *i,
                     struct xk_hz_access *out)
{
    struct list l = {.p = p, .out = out};
    for (int k = 0; k < 3; k++) {
        if (i->src[k].file == XK_FILE_GRF)
            add_grf(&l, i, k);
        else if (i->src[k].file == XK_FILE_ARF)
            add_arf(&l, i, k);
    }
    add_addresses(&l, i);
    add_predicate(&l, i);
    add_acc(&l, i, false);
    return l.n;
}

unsigned xk_hz_writes(const struct xk_platform *p, const struct xk_inst *i,
                      struct xk_hz_access *out)
{
    struct list l = {.p = p, .out = out};
    const uint32_t own = i->flag_reg * 32u + i->flag_sub * 16u + i->chan_off;
    if (i->dst.file == XK_FILE_GRF)
        add_grf(&l, i, -1);
    else if (i->dst.file == XK_FILE_ARF)
        add_arf(&l, i, -1);
    if (i->cond != XK_COND_NONE && i->op != XK_OPC_SEL && i->op != XK_OPC_CSEL)
        add_access(&l, XK_HZ_FLAG, 3, own, own + i->exec);
    add_acc(&l, i, true);
    return l.n;
}

static uint32_t element(const struct xk_hz_access *a, unsigned k)
{
    return a->first + k / a->width * a->row + k % a->width * a->step;
}

static bool has_unit_in(const struct xk_hz_access *a, uint32_t first,
                        uint32_t end)
{
    if (a->first >= end || first >= a->end)
        return false;
    if (!a->n)
        return true;
    for (unsigned k = 0; k < a->n; k++) {
        const uint32_t at = element(a, k);
        if (at < end && first < at + a->size)
            return true;
    }
    return false;
}

bool xk_hz_meet(const struct xk_hz_access *a, const struct xk_hz_access *b)
{
    if (a->first >= b->end || b->first >= a->end)
        return false;
    if (!a->n)
        return has_unit_in(b, a->first, a->end);
    if (!b->n)
        return has_unit_in(a, b->first, b->end);
    for (unsigned k = 0; k < b->n; k++) {
        const uint32_t at = element(b, k);
        if (has_unit_in(a, at, at + b->size))
            return true;
    }
    return false;
}
