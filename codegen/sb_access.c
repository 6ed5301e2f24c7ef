/* SPDX-License-Identifier: Apache-2.0 */
/* Which resources an instruction reads and writes, from isa/'s footprints. */
#include "codegen/sb.h"
#include "isa/format.h"
#include "isa/message.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static void add_read(struct xk_sb_access *a, struct xk_sb_span s)
{
    if (s.first < s.end && a->n_rd < COUNT(a->rd))
        a->rd[a->n_rd++] = s;
}

static void add_write(struct xk_sb_access *a, struct xk_sb_span s)
{
    if (s.first < s.end && a->n_wr < COUNT(a->wr))
        a->wr[a->n_wr++] = s;
}

/* The resource of an architecture register operand; flags and accumulators
 * come from isa/, implicit uses with them. */
static struct xk_sb_span arf_span(const struct xk_operand *o)
{
    switch ((enum xk_arf)o->arf) {
    case XK_ARF_NULL:
    case XK_ARF_ACC:
    case XK_ARF_MME:
    case XK_ARF_F:
        return (struct xk_sb_span){0};
    case XK_ARF_A:
        return (struct xk_sb_span){XK_SB_A0, XK_SB_A0 + 1, 0};
    default:
        return (struct xk_sb_span){XK_SB_STATE, XK_SB_STATE + 1, 0};
    }
}

/* 0: all of a GRF, or more than one. */
static uint16_t dword_bits(struct xk_footprint f, unsigned grf_b)
{
    const unsigned lo = f.first_b % grf_b / 4;
    const unsigned hi = lo + (f.end_b - f.first_b + f.first_b % 4 + 3) / 4;
    if (f.end_b <= f.first_b || hi > grf_b / 4 || hi - lo == grf_b / 4)
        return 0;
    return (uint16_t)(((1u << (hi - lo)) - 1) << lo);
}

static struct xk_sb_span span_of(const struct xk_platform *p,
                                 const struct xk_inst *i, int operand)
{
    const struct xk_operand *const o = operand < 0 ? &i->dst : &i->src[operand];
    if (o->file == XK_FILE_ARF)
        return arf_span(o);
    const struct xk_footprint f = xk_inst_footprint(p, i, operand);
    const uint32_t end = (f.end_b + p->grf_b - 1) / p->grf_b;
    return (struct xk_sb_span){(uint16_t)(f.first_b / p->grf_b),
                               (uint16_t)(end < XK_SB_FLAG ? end : XK_SB_FLAG),
                               dword_bits(f, p->grf_b)};
}

static struct xk_sb_span acc_span(const struct xk_platform *p,
                                  struct xk_footprint f)
{
    const uint32_t end = (f.end_b + p->grf_b - 1) / p->grf_b;
    const uint32_t max = XK_SB_A0 - XK_SB_ACC;
    return (struct xk_sb_span){(uint16_t)(XK_SB_ACC + f.first_b / p->grf_b),
                               (uint16_t)(XK_SB_ACC + (end < max ? end : max)),
                               0};
}

static bool any_flags(const struct xk_inst *i)
{
    bool any = i->pred || i->cond || i->dst.file == XK_FILE_ARF;
    for (unsigned k = 0; k < 3; k++)
        any |= i->src[k].file == XK_FILE_ARF;
    return any;
}

/* A set of flag halves as runs. */
static void add_halves(unsigned set, struct xk_sb_access *a,
                       void (*add)(struct xk_sb_access *, struct xk_sb_span))
{
    while (set) {
        const unsigned first = (unsigned)__builtin_ctz(set);
        const unsigned run = (unsigned)__builtin_ctz(~(set >> first));
        add(a, (struct xk_sb_span){(uint16_t)(XK_SB_FLAG + first),
                                   (uint16_t)(XK_SB_FLAG + first + run), 0});
        set &= ~(((1u << run) - 1) << first);
    }
}

static void flag_use(const struct xk_inst *i, struct xk_sb_access *a)
{
    if (!any_flags(i))
        return;
    add_halves(xk_inst_flag_use(i, false), a, add_read);
    add_halves(xk_inst_flag_use(i, true), a, add_write);
}

static void acc_use(const struct xk_platform *p, const struct xk_inst *i,
                    struct xk_sb_access *a)
{
    if (!xk_inst_acc_use(i))
        return;
    const struct xk_sb_span rd =
        acc_span(p, xk_inst_acc_footprint(p, i, false));
    const struct xk_sb_span wr = acc_span(p, xk_inst_acc_footprint(p, i, true));
    add_read(a, rd);
    add_write(a, wr);
}

static uint8_t sb_pipe_of(const struct xk_sb_caps *caps, enum xk_pipe pipe)
{
    if (pipe == XK_PIPE_NONE) /* nop, sync */
        return XK_SB_NOWHERE;
    if (pipe == XK_PIPE_ALL) /* there is one */
        return 0;
    for (unsigned k = 0; k < caps->n_pipes; k++)
        if (caps->name[k] == pipe)
            return (uint8_t)k;
    return XK_SB_OOO;
}

unsigned xk_sb_pipe_of_sources(const struct xk_platform *p,
                               const struct xk_inst *i)
{
    const struct xk_sb_caps *const caps = xk_sb_caps_get(p);
    unsigned pipe = XK_SB_NOWHERE;
    if (caps->n_pipes == 1)
        return 0;
    for (unsigned k = 0; k < 3; k++) {
        const struct xk_operand *const o = &i->src[k];
        if (o->file != XK_FILE_GRF &&
            (o->file != XK_FILE_ARF || o->arf == XK_ARF_NULL))
            continue;
        const unsigned of = sb_pipe_of(caps, xk_type_pipe(p, o->type));
        if (pipe != XK_SB_NOWHERE && pipe != of)
            return XK_SB_NOWHERE;
        pipe = of;
    }
    return pipe;
}

static void slm_use(const struct xk_inst *i, struct xk_sb_access *a)
{
    if (a->kind != XK_SB_SEND || !xk_send_is_slm(&i->send))
        return;
    const bool fence = i->send.sfid == XK_SFID_SLM && !i->send.desc_reg &&
                       (i->send.desc & 0x3f) == 0x1f;
    const bool null = i->dst.file != XK_FILE_GRF;
    a->slm_load = !null && !fence;
    a->slm_order = null || fence;
}

static uint8_t sb_kind_of(enum xk_pipe pipe)
{
    switch (pipe) {
    case XK_PIPE_MATH:
        return XK_SB_MATH;
    case XK_PIPE_DPAS:
        return XK_SB_DPAS;
    case XK_PIPE_SEND:
        return XK_SB_SEND;
    default:
        return XK_SB_ALU;
    }
}

static void note_operands(const struct xk_platform *p, const struct xk_inst *i,
                          bool merges, struct xk_sb_access *a)
{
    const struct xk_sb_span d = span_of(p, i, -1);
    bool a0 = i->dst.indirect || i->send.desc_reg || i->send.exdesc_reg;
    add_write(a, d);
    if (merges && xk_reg_type_b(i->dst.type) == 1 && a->kind != XK_SB_SEND)
        add_read(a, d);
    for (int k = 0; k < 3; k++) {
        const struct xk_sb_span s = span_of(p, i, k);
        add_read(a, s);
        a0 |= i->src[k].indirect;
    }
    if (a0)
        add_read(a, (struct xk_sb_span){XK_SB_A0, XK_SB_A0 + 1, 0});
}

void xk_sb_access_of(const struct xk_platform *p, const struct xk_inst *i,
                     struct xk_sb_access *a)
{
    const struct xk_sb_caps *const caps = xk_sb_caps_get(p);
    const enum xk_pipe pipe = xk_inst_pipe(p, i);
    a->token = -1;
    a->kind = sb_kind_of(pipe);
    a->pipe = sb_pipe_of(caps, pipe);
    a->slm_load = a->slm_order = a->follows = false;
    a->n_rd = a->n_wr = 0;
    if (a->pipe == XK_SB_NOWHERE)
        return;
    if (xk_inst_is_branch(i)) {
        a->pipe = XK_SB_NOWHERE;
        a->kind = XK_SB_BRANCH;
    }
    note_operands(p, i, caps->bytes_merge, a);
    flag_use(i, a);
    acc_use(p, i, a);
    slm_use(i, a);
    add_read(a, (struct xk_sb_span){XK_SB_STATE, XK_SB_STATE + 1, 0});
}
