/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about dpas, sends and branches. */
#include "isa/validate.h"

#include "isa/message.h"

#define EOT_FIRST_GRF 112
#define EOT_END_GRF 128

bool xk_broken_dpas_exec(const struct xk_rule_view *v)
{
    return v->i->exec != v->p->dpas_exec;
}

bool xk_broken_dpas_depth(const struct xk_rule_view *v)
{
    return v->i->sdepth != 8 || v->i->rcount < 1 || v->i->rcount > 8;
}

bool xk_broken_dpas_file(const struct xk_rule_view *v)
{
    const struct xk_inst *const i = v->i;

    return i->dst.file != XK_FILE_GRF || i->src[1].file != XK_FILE_GRF ||
           i->src[2].file != XK_FILE_GRF ||
           (i->src[0].file != XK_FILE_GRF && !xk_is_null(&i->src[0]));
}

/* Rows of 8 words fill half a register, rows of dwords a whole one. */
static bool row_aligned(const struct xk_rule_view *v,
                        const struct xk_operand *o)
{
    const unsigned row_b = v->p->dpas_exec * xk_reg_type_b(o->type);

    return o->file != XK_FILE_GRF || (row_b && o->sub_b % row_b == 0);
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

bool xk_broken_dpas_align(const struct xk_rule_view *v)
{
    const struct xk_inst *const i = v->i;
    const unsigned row_b = src2_row_b(v);

    return !row_aligned(v, &i->dst) || !row_aligned(v, &i->src[0]) ||
           i->src[1].sub_b || (row_b && i->src[2].sub_b % row_b);
}

static bool overlap(struct xk_footprint a, struct xk_footprint b)
{
    return a.first_b < b.end_b && b.first_b < a.end_b;
}

bool xk_broken_dpas_overlap(const struct xk_rule_view *v)
{
    const struct xk_footprint d = xk_inst_footprint(v->p, v->i, -1);
    const struct xk_footprint c = xk_inst_footprint(v->p, v->i, 0);

    if (overlap(d, c) && d.first_b != c.first_b)
        return true;
    return overlap(d, xk_inst_footprint(v->p, v->i, 1)) ||
           overlap(d, xk_inst_footprint(v->p, v->i, 2));
}

bool xk_broken_dpas_acc_type(const struct xk_rule_view *v)
{
    const struct xk_operand *const d = &v->i->dst, *const c = &v->i->src[0];

    return xk_is_float_type(d->type) != xk_is_float_type(c->type) ||
           xk_reg_type_b(d->type) != xk_reg_type_b(c->type);
}

bool xk_broken_dpas_pair(const struct xk_rule_view *v)
{
    const struct xk_operand *const a = &v->i->src[1], *const b = &v->i->src[2];

    if (xk_is_float_type(a->type) || xk_is_float_type(b->type))
        return a->type != b->type || xk_reg_type_b(a->type) != 2;
    return xk_reg_type_b(a->type) > 1 || xk_reg_type_b(b->type) > 1;
}

static unsigned mlen_grf(const struct xk_inst *i)
{
    return i->send.desc >> 25 & 15;
}

static unsigned rlen_grf(const struct xk_inst *i)
{
    return i->send.desc >> 20 & 31;
}

bool xk_broken_send_src0(const struct xk_rule_view *v)
{
    return v->i->src[0].file != XK_FILE_GRF ||
           (!v->i->send.desc_reg && mlen_grf(v->i) == 0);
}

bool xk_broken_send_src1_len(const struct xk_rule_view *v)
{
    const struct xk_send_info *const s = &v->i->send;

    if (s->exdesc_reg && !s->exbso)
        return false; /* the length is in a0 */
    return xk_is_null(&v->i->src[1]) != (s->src1_len == 0);
}

bool xk_broken_send_rlen(const struct xk_rule_view *v)
{
    return !v->i->send.desc_reg && v->null_dst != (rlen_grf(v->i) == 0);
}

/* Builds the message again from its record and compares the lengths. */
bool xk_broken_send_lengths(const struct xk_rule_view *v)
{
    struct xk_inst again = *v->i;
    struct xk_msg m;

    xk_msg_decode(v->p, v->i, &m);
    if (m.kind == XK_MSG_UNKNOWN)
        return false;
    const unsigned dst = m.dst_grf, src0 = m.src0_grf, src1 = m.src1_grf;

    again.dst.file = XK_FILE_GRF; /* no prefetch: the full response */
    if (xk_msg_build(v->p, &m, &again, NULL) < 0)
        return true;
    return (dst && dst != m.dst_grf) || src0 != m.src0_grf ||
           (src1 != m.src1_grf &&
            !(v->i->send.exdesc_reg && !v->i->send.exbso));
}

static bool outside_eot(const struct xk_rule_view *v, int operand)
{
    const struct xk_footprint f = xk_inst_footprint(v->p, v->i, operand);

    return f.end_b && (f.first_b < EOT_FIRST_GRF * v->p->grf_b ||
                       f.end_b > EOT_END_GRF * v->p->grf_b);
}

bool xk_broken_eot_high(const struct xk_rule_view *v)
{
    return v->i->send.eot && (outside_eot(v, 0) || outside_eot(v, 1));
}

bool xk_broken_eot_response(const struct xk_rule_view *v)
{
    return v->i->send.eot && !v->null_dst;
}

bool xk_broken_eot_sfid(const struct xk_rule_view *v)
{
    return v->i->send.eot && v->i->send.sfid != XK_SFID_GTWY;
}

bool xk_broken_branch_align(const struct xk_rule_view *v)
{
    return v->i->jip_b % 8 || v->i->uip_b % 8;
}

bool xk_broken_jmpi_scalar(const struct xk_rule_view *v)
{
    return v->i->op == XK_OPC_JMPI && (v->i->exec != 1 || !v->i->no_mask);
}
