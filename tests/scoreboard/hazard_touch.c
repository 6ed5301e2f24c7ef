/* SPDX-License-Identifier: Apache-2.0 */
#include "isa/format.h"
#include "tests/scoreboard/hazard_touch.h"

#include <string.h>

static void put(const struct xk_platform *p, struct hz_set *s, uint32_t lo,
                uint32_t n)
{
    struct hz_piece *const last = s->n ? &s->piece[s->n - 1] : NULL;
    if (!n)
        return;
    if (last && lo <= last->hi && lo + n >= last->lo) {
        last->lo = lo < last->lo ? lo : last->lo;
        last->hi = lo + n > last->hi ? lo + n : last->hi;
    } else if (s->n < HZ_MAX_PIECES) {
        s->piece[s->n++] = (struct hz_piece){lo, lo + n};
    } else { /* one hull is still right, only wider */
        last->lo = lo < last->lo ? lo : last->lo;
        last->hi = lo + n > last->hi ? lo + n : last->hi;
    }
    for (uint32_t g = lo / p->grf_b; g <= (lo + n - 1) / p->grf_b; g++) {
        const bool other = lo >= HZ_FLAG;
        s->mask[other ? 4 : g / 64 & 3] |= 1ull << (other ? 0 : g % 64);
    }
}

static unsigned bits_of(unsigned type)
{
    switch (type) {
    case XK_RT_U2:
    case XK_RT_S2:
        return 2;
    case XK_RT_U4:
    case XK_RT_S4:
        return 4;
    case XK_RT_UB:
    case XK_RT_B:
    case XK_RT_BF8:
    case XK_RT_HF8:
        return 8;
    case XK_RT_UW:
    case XK_RT_W:
    case XK_RT_HF:
    case XK_RT_BF:
        return 16;
    case XK_RT_UQ:
    case XK_RT_Q:
    case XK_RT_DF:
        return 64;
    default:
        return 32;
    }
}

/* Offset in bytes of channel c's element within a region. */
static uint32_t element(const struct xk_inst *i, int k, unsigned c)
{
    const struct xk_operand *const o = k < 0 ? &i->dst : &i->src[k];
    const unsigned b = bits_of(o->type) / 8;
    unsigned w = o->rgn.width;
    if (k < 0 || (xk_opcode_is_ternary((enum xk_opcode)i->op) && k == 2))
        return c * o->rgn.hs * b;
    if (xk_opcode_is_ternary(
            (enum xk_opcode)
                i->op)) { /* <vs;hs>: the width follows from the two */
        w = o->rgn.hs ? o->rgn.vs / o->rgn.hs : 1;
        if (!o->rgn.vs && o->rgn.hs)
            w = i->exec;
    }
    if (!w)
        w = 1;
    return ((c / w) * o->rgn.vs + (c % w) * o->rgn.hs) * b;
}

static void region(const struct xk_platform *p, const struct xk_inst *i, int k,
                   uint32_t base, struct hz_set *s)
{
    const struct xk_operand *const o = k < 0 ? &i->dst : &i->src[k];
    for (unsigned c = 0; c < i->exec; c++)
        put(p, s, base + element(i, k, c), bits_of(o->type) / 8);
}

/* The two bits a channel that a macro hands on, .mme0..7; 8 is .nomme:
 * registers behind the accumulators. */
static void mme(const struct xk_platform *p, const struct xk_operand *o,
                struct hz_set *s)
{
    if (o->sub_b < 8)
        put(p, s, HZ_ACC + (p->n_acc + o->sub_b) * p->grf_b, p->grf_b);
}

static void arf(const struct xk_platform *p, const struct xk_inst *i, int k,
                struct hz_set *s)
{
    const struct xk_operand *const o = k < 0 ? &i->dst : &i->src[k];
    struct hz_set bytes = {0};
    switch ((enum xk_arf)o->arf) {
    case XK_ARF_NULL:
        break;
    case XK_ARF_F:
        region(p, i, k, o->reg * 4u + o->sub_b, &bytes);
        for (unsigned n = 0; n < bytes.n; n++)
            put(p, s, HZ_FLAG + bytes.piece[n].lo * 8,
                (bytes.piece[n].hi - bytes.piece[n].lo) * 8);
        break;
    case XK_ARF_ACC:
        if (xk_math_is_macro(i)) {
            put(p, s, HZ_ACC + o->reg * p->grf_b,
                i->exec * bits_of(o->type) / 8u);
            mme(p, o, s);
            break;
        }
        region(p, i, k, HZ_ACC + o->reg * p->grf_b + o->sub_b, s);
        break;
    case XK_ARF_MME: /* macros know theirs by number */
        break;
    case XK_ARF_A:
        region(p, i, k, HZ_A0 + o->reg * 32u + o->sub_b, s);
        break;
    default:
        put(p, s, HZ_STATE, 1);
        break;
    }
}

static void alu_operand(const struct xk_platform *p, const struct xk_inst *i,
                        int k, struct hz_touch *t)
{
    const struct xk_operand *const o = k < 0 ? &i->dst : &i->src[k];
    struct hz_set *const s = k < 0 ? &t->wr : &t->rd;
    if (o->file == XK_FILE_ARF) {
        arf(p, i, k, s);
    } else if (o->file == XK_FILE_GRF && o->indirect) {
        s->indirect = true;
        put(p, &t->rd, HZ_A0 + o->a0_sub * 2u,
            o->rgn.vs == XK_VS_VXH && k >= 0
                ? 2u * (o->rgn.width ? i->exec / o->rgn.width : i->exec)
                : 2u);
    } else if (o->file == XK_FILE_GRF && xk_math_is_macro(i)) {
        put(p, s, o->reg * p->grf_b, i->exec * bits_of(o->type) / 8u);
        mme(p, o, s);
    } else if (o->file == XK_FILE_GRF) {
        region(p, i, k, o->reg * p->grf_b + o->sub_b, s);
    }
}

static void grfs(const struct xk_platform *p, const struct xk_operand *o,
                 unsigned n, struct hz_set *s)
{
    if (o->file == XK_FILE_GRF) {
        const unsigned end = o->reg + n < 256 ? o->reg + n : 256;
        put(p, s, o->reg * p->grf_b, (end - o->reg) * p->grf_b);
    }
}

/* Message lengths: response [24:20], payload [28:25] of the descriptor. */
static void message(const struct xk_platform *p, const struct xk_inst *i,
                    struct hz_touch *t)
{
    const struct xk_send_info *const m = &i->send;
    grfs(p, &i->dst, m->desc_reg ? 31 : m->desc >> 20 & 31, &t->wr);
    grfs(p, &i->src[0], m->desc_reg ? 15 : m->desc >> 25 & 15, &t->rd);
    grfs(p, &i->src[1], m->exdesc_reg && !m->exbso ? 31 : m->src1_len, &t->rd);
    if (m->desc_reg)
        put(p, &t->rd, HZ_A0, 4);
    if (m->exdesc_reg)
        put(p, &t->rd, HZ_A0 + m->exdesc_sub * 4u, 4);
}

/* dst and src0: a row of exec elements a repeat; src1: a dword a channel and
 * depth step, of the narrower kind where src2's elements are wider; src2: what
 * one row multiplies, a row a repeat (dpasw: half of them are the partner's).
 */
static void systolic(const struct xk_platform *p, const struct xk_inst *i,
                     struct hz_touch *t)
{
    unsigned b1 = bits_of(i->src[1].type), b2 = bits_of(i->src[2].type);
    const unsigned widest = b1 > b2 ? b1 : b2;
    const unsigned per_dword = 32 / (widest < 4 ? 4 : widest);
    const unsigned k = i->sdepth * (per_dword > 8 ? 8 : per_dword);
    const unsigned rows =
        i->op == XK_OPC_DPASW ? (i->rcount + 1) / 2 : i->rcount;
    for (int o = -1; o < 1; o++) {
        const struct xk_operand *const r = o < 0 ? &i->dst : &i->src[0];
        if (r->file == XK_FILE_GRF)
            put(p, o < 0 ? &t->wr : &t->rd, r->reg * p->grf_b + r->sub_b,
                i->rcount * i->exec * bits_of(r->type) / 8u);
    }
    put(p, &t->rd, i->src[1].reg * p->grf_b + i->src[1].sub_b,
        k * i->exec * b1 / 8);
    put(p, &t->rd, i->src[2].reg * p->grf_b + i->src[2].sub_b,
        rows * k * b2 / 8);
}

static void flags(const struct xk_platform *p, const struct xk_inst *i,
                  struct hz_touch *t)
{
    const uint32_t f = HZ_FLAG + i->flag_reg * 32u;
    const uint32_t own = f + i->flag_sub * 16u + i->chan_off;
    if (i->cond && i->op != XK_OPC_SEL && i->op != XK_OPC_CSEL)
        put(p, &t->wr, own, i->exec);
    if (i->pred == XK_PRED_NORMAL)
        put(p, &t->rd, own, i->exec);
    else if (i->pred) /* any and all: the whole register at most */
        put(p, &t->rd, f, 32);
    if (i->pred == XK_PRED_ANYV || i->pred == XK_PRED_ALLV)
        put(p, &t->rd, own + 32, i->exec);
}

static void implicit(const struct xk_platform *p, const struct xk_inst *i,
                     struct hz_touch *t)
{
    const unsigned n_b = 2u * p->grf_b; /* acc0 and acc1 */
    const bool mach = i->op == XK_OPC_MACH, macl = i->op == XK_OPC_MACL;
    if (mach || macl || i->op == XK_OPC_MAC)
        put(p, &t->rd, HZ_ACC, n_b);
    if (mach || i->op == XK_OPC_ADDC || i->op == XK_OPC_SUBB || i->acc_wr_en)
        put(p, &t->wr, HZ_ACC, n_b);
}

/* isa.md 5.2: float, int and long pipes from xehpg; on xehpc long is what
 * writes df, and math has a pipe; xelp has one. */
static uint8_t pipe_of(const struct xk_platform *p, const struct xk_inst *i)
{
    bool wide = bits_of(i->dst.type) == 64;
    if (p->id == XK_PLATFORM_XELP)
        return 0;
    if (i->op == XK_OPC_MATH)
        return 3;
    for (int k = 0; k < 3 && p->id == XK_PLATFORM_XEHPG; k++)
        wide |= i->src[k].file != XK_FILE_NONE && i->src[k].type <= XK_RT_DF &&
                bits_of(i->src[k].type) == 64;
    if (p->id == XK_PLATFORM_XEHPC)
        wide = i->dst.type == XK_RT_DF;
    if (wide)
        return 2;
    return i->dst.type == XK_RT_F || i->dst.type == XK_RT_HF ||
                   i->dst.type == XK_RT_BF || i->dst.type == XK_RT_TF32 ||
                   i->dst.type == XK_RT_BF8 || i->dst.type == XK_RT_HF8
               ? 0
               : 1;
}

static void branch(const struct xk_platform *p, const struct xk_inst *i,
                   struct hz_touch *t)
{
    t->unit = HZ_INORDER;
    t->pipe = p->id == XK_PLATFORM_XELP ? 0 : 1;
    t->is_branch = true;
    flags(p, i, t);
    if (i->dst.file == XK_FILE_GRF) /* address and mask */
        put(p, &t->wr, i->dst.reg * p->grf_b + i->dst.sub_b, 8);
    if (i->src[0].file == XK_FILE_GRF)
        put(p, &t->rd, i->src[0].reg * p->grf_b + i->src[0].sub_b,
            i->op == XK_OPC_RET || i->op == XK_OPC_BRC ? 8 : 4);
}

void hz_touch_of(const struct xk_platform *p, const struct xk_inst *i,
                 struct hz_touch *t)
{
    memset(t, 0, sizeof *t);
    switch ((enum xk_opcode)i->op) {
    case XK_OPC_SYNC:
    case XK_OPC_NOP:
    case XK_OPC_ILLEGAL:
        return;
    case XK_OPC_SEND:
    case XK_OPC_SENDC:
        t->unit = HZ_SEND;
        message(p, i, t);
        flags(p, i, t);
        break;
    case XK_OPC_DPAS:
    case XK_OPC_DPASW:
        t->unit = HZ_DPAS;
        systolic(p, i, t);
        flags(p, i, t);
        break;
    default:
        if (xk_inst_is_branch(i)) {
            branch(p, i, t);
            return;
        }
        t->unit = i->op == XK_OPC_MATH && p->id != XK_PLATFORM_XEHPC
                      ? HZ_MATH
                      : HZ_INORDER;
        t->pipe = pipe_of(p, i);
        t->bytes = bits_of(i->dst.type) == 8;
        for (int k = -1; k < 3; k++)
            alu_operand(p, i, k, t);
        flags(p, i, t);
        implicit(p, i, t);
        break;
    }
    put(p, &t->rd, HZ_STATE, 1); /* rounding modes and the like */
}

bool hz_meet(const struct hz_set *a, const struct hz_set *b)
{
    uint64_t any = 0;
    for (unsigned k = 0; k < 5; k++)
        any |= a->mask[k] & b->mask[k];
    if (!any)
        return false;
    for (unsigned m = 0; m < a->n; m++)
        for (unsigned n = 0; n < b->n; n++)
            if (a->piece[m].lo < b->piece[n].hi &&
                b->piece[n].lo < a->piece[m].hi)
                return true;
    return false;
}

bool hz_meet_in(const struct hz_set *a, const struct hz_set *b, uint32_t lo,
                uint32_t hi)
{
    for (unsigned m = 0; m < a->n; m++)
        for (unsigned n = 0; n < b->n; n++) {
            const struct hz_piece x = a->piece[m], y = b->piece[n];
            const uint32_t from = x.lo > y.lo ? x.lo : y.lo;
            const uint32_t to = x.hi < y.hi ? x.hi : y.hi;
            if (from < to && from < hi && to > lo)
                return true;
        }
    return false;
}
