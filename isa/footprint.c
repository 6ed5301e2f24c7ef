/* SPDX-License-Identifier: Apache-2.0 */
/* What an instruction touches: register bytes of each operand, the accumulator,
 * the pipe. Where the record cannot tell, the answer covers too much. */
#include "isa/format.h"

#define ALL_GRFS 256
#define MAX_RLEN_GRF 31
#define MAX_MLEN_GRF 15

static struct xk_footprint whole_grfs(const struct xk_platform *p,
                                      const struct xk_operand *o,
                                      unsigned n_grf)
{
    struct xk_footprint f = {0, 0};

    if (o->file == XK_FILE_GRF && n_grf) {
        f.first_b = (uint32_t)o->reg * p->grf_b;
        f.end_b = f.first_b + n_grf * p->grf_b;
    }
    return f;
}

/* Lengths that only a register knows: at most up to the end of the file. */
static struct xk_footprint longest(const struct xk_platform *p,
                                   const struct xk_operand *o, unsigned n_grf)
{
    const unsigned left = o->reg < ALL_GRFS ? ALL_GRFS - o->reg : 0;

    return whole_grfs(p, o, n_grf < left ? n_grf : left);
}

static struct xk_footprint send_operand(const struct xk_platform *p,
                                        const struct xk_inst *i, int operand)
{
    const struct xk_send_info *s = &i->send;

    if (operand < 0)
        return s->desc_reg ? longest(p, &i->dst, MAX_RLEN_GRF)
                           : whole_grfs(p, &i->dst, s->desc >> 20 & 31);
    if (operand == 0)
        return s->desc_reg ? longest(p, &i->src[0], MAX_MLEN_GRF)
                           : whole_grfs(p, &i->src[0], s->desc >> 25 & 15);
    if (operand == 1)
        return s->exdesc_reg && !s->exbso
                   ? longest(p, &i->src[1], MAX_RLEN_GRF)
                   : whole_grfs(p, &i->src[1], s->src1_len);
    return (struct xk_footprint){0, 0};
}

/* Bits of one element of a dpas source. */
static unsigned precision_bits(enum xk_reg_type t)
{
    switch (t) {
    case XK_RT_U4:
    case XK_RT_S4:
        return 4;
    case XK_RT_U2:
    case XK_RT_S2:
        return 2;
    default:
        return 8 * xk_reg_type_b(t);
    }
}

/* Products per channel and depth step: a dword of the wider operand, two bytes'
 * worth more when both are below a byte. */
unsigned xk_dpas_ops_per_channel(const struct xk_inst *i)
{
    const unsigned a = precision_bits(i->src[1].type);
    const unsigned b = precision_bits(i->src[2].type);
    const unsigned bits = a > b ? a : b;

    return bits < 8 ? 8 : bits ? 32 / bits : 1;
}

static struct xk_footprint dpas_operand(const struct xk_platform *p,
                                        const struct xk_inst *i, int operand)
{
    const struct xk_operand *o = operand < 0 ? &i->dst : &i->src[operand];
    const unsigned k_e = i->sdepth * xk_dpas_ops_per_channel(i);
    const unsigned rows =
        i->op == XK_OPC_DPASW ? (i->rcount + 1u) / 2 : i->rcount;
    struct xk_footprint f = {0, 0};

    if (o->file != XK_FILE_GRF)
        return f;
    f.first_b = (uint32_t)o->reg * p->grf_b + o->sub_b;
    if (operand < 1)
        f.end_b = f.first_b + i->rcount * i->exec * xk_reg_type_b(o->type);
    else if (operand == 1)
        f.end_b = f.first_b + k_e * i->exec * precision_bits(o->type) / 8;
    else
        f.end_b = f.first_b + rows * k_e * precision_bits(o->type) / 8;
    return f;
}

/* Elements from the first to past the last one a region touches. */
static uint32_t region_span_e(const struct xk_inst *i,
                              const struct xk_operand *o, bool is_dst,
                              bool three_src)
{
    const uint32_t exec = i->exec;
    uint32_t width = o->rgn.width, rows;

    if (is_dst || (three_src && o == &i->src[2]))
        return (exec - 1) * o->rgn.hs + 1;
    if (three_src)
        width = o->rgn.vs == 0 && o->rgn.hs          ? exec
                : o->rgn.hs && o->rgn.vs > o->rgn.hs ? o->rgn.vs / o->rgn.hs
                                                     : 1;
    if (width == 0 || width > exec)
        width = width ? exec : 1;
    rows = exec / width;
    return (rows - 1) * o->rgn.vs + (width - 1) * o->rgn.hs + 1;
}

static struct xk_footprint alu_operand(const struct xk_platform *p,
                                       const struct xk_inst *i, int operand)
{
    const struct xk_operand *o = operand < 0 ? &i->dst : &i->src[operand];
    const bool three_src = xk_opcode_is_ternary(i->op);
    struct xk_footprint f = {0, 0};

    if (o->file != XK_FILE_GRF || !i->exec)
        return f;
    if (o->indirect) {
        f.end_b = ALL_GRFS * p->grf_b;
        return f;
    }
    f.first_b = (uint32_t)o->reg * p->grf_b;
    if (xk_math_is_macro(i)) {
        f.end_b = f.first_b + i->exec * xk_reg_type_b(o->type);
        return f;
    }
    f.first_b += o->sub_b;
    f.end_b = f.first_b + region_span_e(i, o, operand < 0, three_src) *
                              xk_reg_type_b(o->type);
    return f;
}

/* A call leaves address and mask, ret and brc read two. */
static bool two_dwords(const struct xk_inst *i, int operand)
{
    return operand < 0 || i->op == XK_OPC_RET || i->op == XK_OPC_BRC;
}

struct xk_footprint xk_inst_footprint(const struct xk_platform *p,
                                      const struct xk_inst *i, int operand)
{
    const struct xk_footprint none = {0, 0};
    struct xk_footprint f;

    if (operand < -1 || operand > 2)
        return none;
    switch (xk_opcode_format(i->op)) {
    case XK_FMT_SEND:
        return send_operand(p, i, operand);
    case XK_FMT_DPAS:
        return dpas_operand(p, i, operand);
    case XK_FMT_BASIC:
    case XK_FMT_TERNARY:
        return alu_operand(p, i, operand);
    case XK_FMT_BRANCH: /* two dwords: targets, or return address and mask */
        f = whole_grfs(p, operand < 0 ? &i->dst : &i->src[operand], 1);
        if (f.end_b) {
            f.first_b += operand < 0 ? i->dst.sub_b : i->src[operand].sub_b;
            f.end_b = f.first_b + (two_dwords(i, operand) ? 8 : 4);
        }
        return f;
    case XK_FMT_NULLARY:
    case XK_FMT_SYNC:
    case XK_FMT_HEADER:
    case XK_FMT_COMPACT2:
    case XK_FMT_COMPACT3:
    case XK_N_FORMATS:
        break;
    }
    return none;
}

static bool is_acc_operand(const struct xk_operand *o)
{
    return o->file == XK_FILE_ARF &&
           (o->arf == XK_ARF_ACC || o->arf == XK_ARF_MME);
}

unsigned xk_inst_acc_use(const struct xk_inst *i)
{
    unsigned use = (i->acc_wr_en || is_acc_operand(&i->dst)) ? 2 : 0;

    for (unsigned k = 0; k < 3; k++)
        use |= is_acc_operand(&i->src[k]);
    switch (i->op) {
    case XK_OPC_MAC: /* adds to the accumulator */
    case XK_OPC_MACL:
        use |= 1;
        break;
    case XK_OPC_MACH: /* reads the low product, leaves the full one */
        use |= 3;
        break;
    case XK_OPC_ADDC: /* carry, borrow */
    case XK_OPC_SUBB:
        use |= 2;
        break;
    default:
        break;
    }
    if (xk_math_is_macro(i))
        use |= 3;
    return use;
}

/* The bytes that an explicit accumulator operand spans, from its register
 * on. */
static struct xk_footprint acc_operand(const struct xk_platform *p,
                                       const struct xk_inst *i, int operand)
{
    const struct xk_operand *o = operand < 0 ? &i->dst : &i->src[operand];
    const bool three_src = xk_opcode_is_ternary(i->op);
    struct xk_footprint f = {0, 0};

    if (!is_acc_operand(o) || !i->exec)
        return f;
    f.first_b = (uint32_t)o->reg * p->grf_b + o->sub_b;
    f.end_b = f.first_b + region_span_e(i, o, operand < 0, three_src) *
                              xk_reg_type_b(o->type);
    return f;
}

uint32_t xk_inst_acc_first_b(const struct xk_inst *i)
{
    return i->dst.indirect ? 0 : i->dst.sub_b;
}

uint32_t xk_inst_acc_step_b(const struct xk_inst *i)
{
    const uint32_t e_b = xk_reg_type_b(i->dst.type);
    const uint32_t step_b = (i->dst.rgn.hs ? i->dst.rgn.hs : 1u) * e_b;

    return step_b < 2 ? 2 : step_b;
}

/* The bytes that go through acc0 without being named: the channels of the
 * destination. They are at least a pair of registers, because acc1 is the half
 * of the later channels. */
static struct xk_footprint implicit_acc(const struct xk_platform *p,
                                        const struct xk_inst *i)
{
    const uint32_t step_b = xk_inst_acc_step_b(i);
    const uint32_t all_b =
        xk_inst_acc_first_b(i) + i->exec * (step_b < 4 ? 4 : step_b);
    const uint32_t pair_b = 2u * p->grf_b;

    return (struct xk_footprint){0, all_b > pair_b ? all_b : pair_b};
}

static struct xk_footprint covering(struct xk_footprint a,
                                    struct xk_footprint b)
{
    if (!a.end_b || !b.end_b)
        return a.end_b ? a : b;
    return (struct xk_footprint){a.first_b < b.first_b ? a.first_b : b.first_b,
                                 a.end_b > b.end_b ? a.end_b : b.end_b};
}

struct xk_footprint xk_inst_acc_footprint(const struct xk_platform *p,
                                          const struct xk_inst *i, bool write)
{
    const unsigned explicit_wr = is_acc_operand(&i->dst);
    unsigned use = xk_inst_acc_use(i);
    struct xk_footprint f = {0, 0};

    if (!(use & (write ? 2 : 1)))
        return f;
    if (xk_math_is_macro(i)) /* mme0..7 are acc2..9 */
        return (struct xk_footprint){0, (uint32_t)p->n_acc * p->grf_b};
    if (write) {
        f = acc_operand(p, i, -1);
        if (!explicit_wr || i->acc_wr_en || i->op == XK_OPC_MACH)
            f = covering(f, implicit_acc(p, i));
        return f;
    }
    for (int k = 0; k < 3; k++)
        f = covering(f, acc_operand(p, i, k));
    if (i->op == XK_OPC_MAC || i->op == XK_OPC_MACL || i->op == XK_OPC_MACH)
        f = covering(f, implicit_acc(p, i));
    return f;
}

#define FLAG_HALVES 8

/* Flag bits first..end-1 of f<reg>.<sub>, as a set of 16-bit halves. */
static unsigned flag_halves(unsigned half, unsigned first, unsigned end)
{
    const unsigned from = half + first / 16, to = half + (end + 15) / 16;

    if (from >= FLAG_HALVES)
        return 0;
    return ((1u << (to < FLAG_HALVES ? to : FLAG_HALVES)) - 1) &
           ~((1u << from) - 1);
}

/* Horizontal forms look past the instruction's own channels: at the group, at
 * the whole register, or, vertically, at the other register too. */
static unsigned pred_halves(const struct xk_inst *i)
{
    const unsigned half = i->flag_reg * 2u + i->flag_sub;
    const unsigned own = flag_halves(half, i->chan_off, i->chan_off + i->exec);

    if (i->pred == XK_PRED_NORMAL)
        return own;
    if (i->pred == XK_PRED_ANYV || i->pred == XK_PRED_ALLV)
        return own | own << 2;
    return own | flag_halves(i->flag_reg * 2u, 0, 32);
}

static unsigned explicit_halves(const struct xk_inst *i,
                                const struct xk_operand *o, bool is_dst)
{
    unsigned span_b;

    if (o->file != XK_FILE_ARF || o->arf != XK_ARF_F)
        return 0;
    span_b = region_span_e(i, o, is_dst, xk_opcode_is_ternary(i->op)) *
             xk_reg_type_b(o->type);
    return flag_halves(o->reg * 2u, 8u * o->sub_b, 8u * (o->sub_b + span_b));
}

unsigned xk_inst_flag_use(const struct xk_inst *i, bool write)
{
    const bool selects = i->op == XK_OPC_SEL || i->op == XK_OPC_CSEL;
    unsigned set = 0;

    if (write) {
        if (i->cond != XK_COND_NONE && !selects)
            set = flag_halves(i->flag_reg * 2u + i->flag_sub, i->chan_off,
                              i->chan_off + i->exec);
        return set | explicit_halves(i, &i->dst, true);
    }
    if (i->pred != XK_PRED_NONE)
        set = pred_halves(i);
    for (unsigned k = 0; k < 3; k++)
        set |= explicit_halves(i, &i->src[k], false);
    return set & ((1u << FLAG_HALVES) - 1);
}

/* Which pipes a platform has. */
struct pipe_row {
    bool one;         /* a single in-order pipe */
    bool math;        /* math is in order, in a pipe of its own */
    bool df_dst_only; /* the long pipe takes what has a df destination; else
                        whatever has a 64-bit operand */
};

static const struct pipe_row pipe_rows[] = {
    [XK_PLATFORM_NONE] = {.one = true},
    [XK_PLATFORM_XELP] = {.one = true},
    [XK_PLATFORM_XEHPG] = {.one = false},
    [XK_PLATFORM_XEHPC] = {.math = true, .df_dst_only = true},
};

static enum xk_pipe alu_pipe(const struct pipe_row *row,
                             const struct xk_inst *i)
{
    const enum xk_reg_type t = i->dst.type;
    bool wide = xk_reg_type_b(t) == 8;

    for (unsigned k = 0; k < xk_inst_n_srcs(i) && k < 3; k++)
        wide |= xk_reg_type_b(i->src[k].type) == 8;
    if (row->df_dst_only)
        wide = t == XK_RT_DF;
    if (wide)
        return XK_PIPE_LONG;
    return xk_is_float_type(t) ? XK_PIPE_FLOAT : XK_PIPE_INT;
}

enum xk_pipe xk_type_pipe(const struct xk_platform *p, enum xk_reg_type t)
{
    const struct pipe_row *row = &pipe_rows[p->id];

    if (row->one)
        return XK_PIPE_ALL;
    if (row->df_dst_only ? t == XK_RT_DF : xk_reg_type_b(t) == 8)
        return XK_PIPE_LONG;
    return xk_is_float_type(t) ? XK_PIPE_FLOAT : XK_PIPE_INT;
}

enum xk_pipe xk_inst_pipe(const struct xk_platform *p, const struct xk_inst *i)
{
    const struct pipe_row *row = &pipe_rows[p->id];

    switch (xk_opcode_format(i->op)) {
    case XK_FMT_SEND:
        return XK_PIPE_SEND;
    case XK_FMT_DPAS:
        return XK_PIPE_DPAS;
    case XK_FMT_BRANCH:
        return row->one ? XK_PIPE_ALL : XK_PIPE_INT;
    case XK_FMT_BASIC:
    case XK_FMT_TERNARY:
        if (i->op == XK_OPC_MATH)
            return XK_PIPE_MATH;
        return row->one ? XK_PIPE_ALL : alu_pipe(row, i);
    case XK_FMT_NULLARY:
    case XK_FMT_SYNC:
    case XK_FMT_HEADER:
    case XK_FMT_COMPACT2:
    case XK_FMT_COMPACT3:
    case XK_N_FORMATS:
        break;
    }
    return XK_PIPE_NONE;
}

unsigned xk_pipe_order(enum xk_pipe pipe)
{
    switch (pipe) {
    case XK_PIPE_INT:
        return 1;
    case XK_PIPE_LONG:
        return 2;
    case XK_PIPE_MATH:
        return 3;
    default:
        return 0;
    }
}

bool xk_inst_is_out_of_order(const struct xk_platform *p,
                             const struct xk_inst *i)
{
    const enum xk_pipe pipe = xk_inst_pipe(p, i);

    return pipe == XK_PIPE_SEND || pipe == XK_PIPE_DPAS ||
           (pipe == XK_PIPE_MATH && !pipe_rows[p->id].math);
}

/* Elements from the first to channel c's. Three-source regions <vs;hs> have no
 * width: a row is what vs covers. */
static uint32_t source_elements(const struct xk_inst *i, int k, unsigned c)
{
    const struct xk_region *const r = &i->src[k].rgn;
    unsigned w = r->width ? r->width : 1;

    if (xk_opcode_is_ternary(i->op)) {
        if (k == 2)
            return c * r->hs;
        w = r->hs && r->vs > r->hs ? r->vs / r->hs : 1;
    }
    return c / w * r->vs + c % w * r->hs;
}

uint32_t xk_inst_element_b(const struct xk_platform *p, const struct xk_inst *i,
                           int operand, unsigned c)
{
    const struct xk_operand *const o = operand < 0 ? &i->dst : &i->src[operand];
    const uint32_t n = operand < 0 ? c * (o->rgn.hs ? o->rgn.hs : 1u)
                                   : source_elements(i, operand, c);
    return o->reg * p->grf_b + o->sub_b + n * xk_reg_type_b(o->type);
}
