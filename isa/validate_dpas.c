/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about the systolic instructions. */
#include "isa/validate.h"

#include "base/alloc.h"

#define DEPTH 8
#define MAX_REPEAT 8

bool xk_broken_dpas_exec(const struct xk_rule_view *v)
{
    return v->i->exec != v->p->dpas_exec;
}

bool xk_broken_dpas_depth(const struct xk_rule_view *v)
{
    return v->i->sdepth != DEPTH;
}

bool xk_broken_dpas_repeat(const struct xk_rule_view *v)
{
    return v->i->rcount < 1 || v->i->rcount > MAX_REPEAT;
}

bool xk_broken_dpas_file(const struct xk_rule_view *v)
{
    const struct xk_inst *const i = v->i;

    return i->dst.file != XK_FILE_GRF || i->src[1].file != XK_FILE_GRF ||
           i->src[2].file != XK_FILE_GRF ||
           (i->src[0].file != XK_FILE_GRF && !xk_is_null(&i->src[0]));
}

bool xk_broken_dpas_src1_align(const struct xk_rule_view *v)
{
    return v->i->src[1].sub_b;
}

/* Rows of 8 words fill half a register, rows of dwords a whole one. */
static bool row_aligned(const struct xk_rule_view *v,
                        const struct xk_operand *o)
{
    const unsigned row_b = v->p->dpas_exec * xk_reg_type_b(o->type);

    return o->file != XK_FILE_GRF || (row_b && o->sub_b % row_b == 0);
}

bool xk_broken_dpas_row_align(const struct xk_rule_view *v)
{
    return !row_aligned(v, &v->i->dst) || !row_aligned(v, &v->i->src[0]);
}

/* Bytes of one row of src2: what one repetition reads. */
static unsigned src2_row_b(const struct xk_rule_view *v)
{
    struct xk_inst one = *v->i;
    struct xk_footprint f;

    one.rcount = 1;
    f = xk_inst_footprint(v->p, &one, 2);
    return f.end_b - f.first_b;
}

bool xk_broken_dpas_src2_align(const struct xk_rule_view *v)
{
    unsigned row_b;

    if (v->i->src[2].sub_b == 0)
        return false;
    row_b = src2_row_b(v);
    return row_b && v->i->src[2].sub_b % row_b;
}

bool xk_broken_dpas_overlap(const struct xk_rule_view *v)
{
    const struct xk_footprint d = v->fp[0], c = v->fp[1];

    if (xk_footprints_meet(d, c) && d.first_b != c.first_b)
        return true;
    return xk_footprints_meet(d, v->fp[2]) || xk_footprints_meet(d, v->fp[3]);
}

/* The null accumulator has no say. */
static bool has_src0(const struct xk_rule_view *v)
{
    return !xk_is_null(&v->i->src[0]);
}

bool xk_broken_dpas_acc_f(const struct xk_rule_view *v)
{
    const enum xk_reg_type d = v->i->dst.type, c = v->i->src[0].type;

    return (xk_is_float_type(d) && d != XK_RT_F) ||
           (has_src0(v) && xk_is_float_type(c) && c != XK_RT_F);
}

bool xk_broken_dpas_pair(const struct xk_rule_view *v)
{
    const enum xk_reg_type a = v->i->src[1].type, b = v->i->src[2].type;

    if (xk_is_float_type(a) || xk_is_float_type(b))
        return a != b || a == XK_RT_F;
    return xk_reg_type_b(a) > 1 || xk_reg_type_b(b) > 1;
}

bool xk_broken_dpas_sign(const struct xk_rule_view *v)
{
    const struct xk_operand *const s = v->i->src;

    return v->i->dst.type == XK_RT_UD &&
           ((has_src0(v) && xk_is_signed_int(s[0].type)) ||
            xk_is_signed_int(s[1].type) || xk_is_signed_int(s[2].type));
}
