/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for arithmetic of PVC alone: regions and types of its older steppings.
 */
#include "isa/workaround_rule.h"

#define XL_LOW_HALF_B 32 /* of a register of 64 bytes */

static bool is_of_words(const struct xk_operand *o)
{
    return o->type == XK_RT_W || o->type == XK_RT_UW;
}

static bool is_strided(const struct xk_operand *o)
{
    return o->file == XK_FILE_GRF && o->rgn.vs != XK_VS_VXH;
}

static bool is_for_all_lanes(const struct xk_operand *o)
{
    return is_strided(o) && o->rgn.vs == 0 && o->rgn.hs == 0;
}

/* Elements from lane to lane in the first row. */
static unsigned lane_stride(const struct xk_operand *o)
{
    return o->rgn.width <= 1 && o->rgn.hs == 0 ? o->rgn.vs : o->rgn.hs;
}

static bool has_lanes_of_regions(const struct xk_inst *i)
{
    return i->op != XK_OPC_SYNC && !xk_inst_is_send(i) && !xk_inst_is_dpas(i) &&
           !xk_inst_is_branch(i);
}

/* Several lanes of integers below 64 bits, which go through the crossbar of
 * bytes and words. */
static bool takes_crossbar(const struct xk_inst *i)
{
    bool wide = xk_is_float_type(i->dst.type) || xk_reg_type_b(i->dst.type) > 4;

    for (unsigned k = 0; k < xk_opcode_n_srcs(i->op); k++)
        wide |= xk_is_float_type(i->src[k].type) ||
                xk_reg_type_b(i->src[k].type) > 4;
    return has_lanes_of_regions(i) && !wide && i->exec > 1 &&
           !xk_is_null(&i->dst);
}

bool xk_wa_lacks_math_hf_scalar(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    bool broadcast = false;

    for (unsigned k = 0; k < 2; k++)
        broadcast |=
            i->src[k].type == XK_RT_HF &&
            (is_for_all_lanes(&i->src[k]) || i->src[k].file == XK_FILE_IMM);
    return i->op == XK_OPC_MATH && i->exec > 1 && broadcast;
}

/* Another instruction between a mul into the accumulator and its mach, or
 * macl; syncs may stand there. What has no mul at all breaks prog_mach. */
bool xk_wa_lacks_mul_pair(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    unsigned k = at;

    if (i->op != XK_OPC_MACH && i->op != XK_OPC_MACL)
        return false;
    while (k > 0 && g->inst[k - 1].op == XK_OPC_SYNC)
        k--;
    return k == 0 || g->inst[k - 1].op != XK_OPC_MUL ||
           !xk_is_acc(&g->inst[k - 1].dst) ||
           g->inst[k - 1].chan_off != i->chan_off;
}

/* A scalar that is narrower than the 64-bit operands beside it, or two
 * registers of 64-bit results from narrower sources alone. */
bool xk_wa_lacks_q_scalar(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const struct xk_footprint d = xk_inst_footprint(g->p, i, -1);
    const bool crosses = i->dst.file == XK_FILE_GRF && d.end_b &&
                         d.first_b / g->p->grf_b != (d.end_b - 1) / g->p->grf_b;
    bool scalar = false, source = false;

    if (!has_lanes_of_regions(i))
        return false;
    for (unsigned k = 0; k < xk_opcode_n_srcs(i->op); k++) {
        source |= xk_wa_is_q(&i->src[k]);
        scalar |= !xk_wa_is_q(&i->src[k]) && is_for_all_lanes(&i->src[k]);
    }
    return ((xk_wa_is_q(&i->dst) || source) && scalar && i->exec > 1) ||
           (xk_wa_is_q(&i->dst) && crosses && !source);
}

bool xk_wa_lacks_word_src1(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const struct xk_operand *const o = &i->src[1];

    return takes_crossbar(i) && xk_opcode_n_srcs(i->op) > 1 &&
           xk_is_byte_type(i->dst.type) && i->dst.rgn.hs == 2 &&
           is_of_words(o) && is_strided(o) && lane_stride(o) == 2;
}

/* Every fourth byte to every second one, or such; only aligned forms are legal
 * anywhere. */
static bool packs_bytes(const struct xk_operand *dst,
                        const struct xk_operand *o)
{
    const struct xk_region r = o->rgn;

    if (!xk_is_byte_type(o->type) || !is_strided(o))
        return false;
    if (dst->rgn.hs == 1 && r.width == 2)
        return (r.hs == 2 && r.vs == 4) || (r.hs == 4 && r.vs == 8);
    return (dst->rgn.hs == 1 || dst->rgn.hs == 2) && lane_stride(o) == 4;
}

bool xk_wa_lacks_xl_bytes(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    bool any = false;

    for (unsigned k = 0; k < 2 && k < xk_opcode_n_srcs(i->op); k++)
        any |= packs_bytes(&i->dst, &i->src[k]);
    return takes_crossbar(i) && xk_is_byte_type(i->dst.type) &&
           i->dst.sub_b >= XL_LOW_HALF_B && any;
}

static bool is_side_by_side(const struct xk_operand *o)
{
    return lane_stride(o) == 1 &&
           (o->rgn.width <= 1 || o->rgn.vs == o->rgn.width);
}

/* Two sources of bytes or words, the first of which is not packed; or a whole
 * register of dwords. */
bool xk_wa_lacks_xl_odd_bytes(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const struct xk_operand *const a = &i->src[0], *const b = &i->src[1];
    const bool short_sources = xk_opcode_n_srcs(i->op) > 1 && is_strided(a) &&
                               !is_side_by_side(a) &&
                               (xk_is_byte_type(a->type) || is_of_words(a)) &&
                               (xk_is_byte_type(b->type) || is_of_words(b));

    return takes_crossbar(i) && xk_is_byte_type(i->dst.type) &&
           i->dst.sub_b % 2 &&
           ((short_sources && i->dst.rgn.hs > 1) ||
            (i->dst.rgn.hs >= 4 && i->exec == 32));
}

bool xk_wa_lacks_xl_sat_bytes(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    return takes_crossbar(i) && i->op == XK_OPC_MOV && i->sat &&
           xk_is_byte_type(i->dst.type) && xk_is_byte_type(i->src[0].type) &&
           i->src[0].file == XK_FILE_GRF;
}

/* One lane as well, which sel_word_align leaves out. */
bool xk_wa_lacks_xt_sel_words(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const bool dwords =
        xk_is_dword_int(i->src[0].type) || xk_is_dword_int(i->src[1].type);

    return i->op == XK_OPC_SEL && is_of_words(&i->dst) && dwords &&
           i->dst.file == XK_FILE_GRF && !i->dst.indirect && i->dst.sub_b % 8;
}

bool xk_wa_lacks_xt_odd_src1(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const struct xk_operand *const o = &i->src[1];

    return has_lanes_of_regions(i) && xk_opcode_n_srcs(i->op) > 1 &&
           xk_is_byte_type(i->dst.type) && !xk_is_null(&i->dst) &&
           i->dst.rgn.hs > 2 && is_of_words(o) && o->file == XK_FILE_GRF &&
           o->sub_b / 2 % 2;
}

bool xk_wa_lacks_xt_hf_int(const struct xk_wa_program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    return i->op == XK_OPC_MOV && i->src[0].type == XK_RT_HF &&
           (i->dst.type == XK_RT_D || i->dst.type == XK_RT_W);
}
