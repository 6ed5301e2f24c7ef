/* SPDX-License-Identifier: Apache-2.0 */
/* Which resources an instruction reads and writes, from isa/'s footprints. */
#include "codegen/sb.h"

#define FLAG_LANES 16

static void add(struct xk_sb_span *list, uint8_t *n, unsigned max,
                unsigned first, unsigned end)
{
    if (first < end && *n < max)
        list[(*n)++] = (struct xk_sb_span){(uint16_t)first, (uint16_t)end};
}

static void add_read(struct xk_sb_access *a, unsigned first, unsigned end)
{
    add(a->rd, &a->n_rd, sizeof a->rd / sizeof a->rd[0], first, end);
}

static void add_write(struct xk_sb_access *a, unsigned first, unsigned end)
{
    add(a->wr, &a->n_wr, sizeof a->wr / sizeof a->wr[0], first, end);
}

/* The resource of an architecture register operand; accumulators are the
 * business of xk_inst_acc_use. */
static struct xk_sb_span arf_span(const struct xk_operand *o)
{
    const unsigned half = XK_SB_FLAG + o->reg * 2u;
    switch ((enum xk_arf)o->arf) {
    case XK_ARF_NULL:
    case XK_ARF_ACC:
    case XK_ARF_MME:
        return (struct xk_sb_span){0, 0};
    case XK_ARF_F:
        if (xk_reg_type_b(o->type) == 2)
            return (struct xk_sb_span){(uint16_t)(half + o->sub_b / 2),
                                       (uint16_t)(half + o->sub_b / 2 + 1)};
        return (struct xk_sb_span){(uint16_t)half, (uint16_t)(half + 2)};
    case XK_ARF_A:
        return (struct xk_sb_span){XK_SB_A0, XK_SB_A0 + 1};
    default:
        return (struct xk_sb_span){XK_SB_STATE, XK_SB_STATE + 1};
    }
}

static struct xk_sb_span span_of(const struct xk_platform *p,
                                 const struct xk_inst *i, int operand)
{
    const struct xk_operand *const o = operand < 0 ? &i->dst : &i->src[operand];
    if (o->file == XK_FILE_ARF)
        return arf_span(o);
    const struct xk_footprint f = xk_inst_footprint(p, i, operand);
    return (struct xk_sb_span){(uint16_t)(f.first_b / p->grf_b),
                               (uint16_t)((f.end_b + p->grf_b - 1) / p->grf_b)};
}

static void flag_use(const struct xk_inst *i, struct xk_sb_access *a)
{
    const unsigned first = XK_SB_FLAG + i->flag_reg * 2u + i->flag_sub;
    const unsigned n = (i->chan_off + i->exec + FLAG_LANES - 1u) / FLAG_LANES;
    const bool selects = i->op == XK_OPC_SEL || i->op == XK_OPC_CSEL;
    if (i->pred != XK_PRED_NONE)
        add_read(a, first, first + n);
    if (i->cond != XK_COND_NONE && !selects && i->op != XK_OPC_MATH)
        add_write(a, first, first + n);
}

static uint8_t pipe_of(const struct xk_platform *p, const struct xk_inst *i)
{
    switch (xk_inst_pipe(p, i)) {
    case XK_PIPE_FLOAT:
        return XK_SB_F;
    case XK_PIPE_LONG:
        return XK_SB_L;
    case XK_PIPE_INT:
        return XK_SB_I;
    case XK_PIPE_MATH:
    case XK_PIPE_SEND:
    case XK_PIPE_DPAS:
        return XK_SB_OOO;
    default:
        return XK_SB_NOWHERE;
    }
}

static bool is_branch(const struct xk_inst *i)
{
    return i->op >= XK_OPC_JMPI && i->op <= XK_OPC_JOIN;
}

void xk_sb_access_of(const struct xk_platform *p, const struct xk_inst *i,
                     struct xk_sb_access *a)
{
    *a = (struct xk_sb_access){.token = -1, .pipe = pipe_of(p, i)};
    if (a->pipe == XK_SB_NOWHERE)
        return;
    /* Branches leave no distance behind: whether the hardware counts them is
     * not known, and too small a distance is safe. */
    if (is_branch(i))
        a->pipe = XK_SB_NOWHERE;
    const struct xk_sb_span d = span_of(p, i, -1);
    add_write(a, d.first, d.end);
    for (int k = 0; k < 3; k++) {
        const struct xk_sb_span s = span_of(p, i, k);
        add_read(a, s.first, s.end);
        if (i->src[k].indirect)
            add_read(a, XK_SB_A0, XK_SB_A0 + 1);
    }
    flag_use(i, a);
    const unsigned acc = xk_inst_acc_use(i);
    if (acc & 1)
        add_read(a, XK_SB_ACC, XK_SB_ACC + 1);
    if (acc & 2)
        add_write(a, XK_SB_ACC, XK_SB_ACC + 1);
    if (i->send.desc_reg || i->send.exdesc_reg)
        add_read(a, XK_SB_A0, XK_SB_A0 + 1);
    add_read(a, XK_SB_STATE, XK_SB_STATE + 1);
}
