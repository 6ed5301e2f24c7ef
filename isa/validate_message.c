/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about sends: payloads, lengths, descriptors, the end of a thread. */
#include "isa/validate.h"

#include "isa/message.h"

#define EOT_GRFS 16
#define LSC_TRANSPOSE (1u << 15)

static unsigned mlen_grf(const struct xk_inst *i)
{
    return i->send.desc >> 25 & 15;
}

static unsigned rlen_grf(const struct xk_inst *i)
{
    return i->send.desc >> 20 & 31;
}

static bool grf_or_null(const struct xk_operand *o)
{
    return (o->file == XK_FILE_GRF && !o->indirect) || xk_is_null(o);
}

bool xk_broken_send_src0(const struct xk_rule_view *v)
{
    return v->i->src[0].file != XK_FILE_GRF;
}

bool xk_broken_send_mlen(const struct xk_rule_view *v)
{
    return !v->i->send.desc_reg && mlen_grf(v->i) == 0;
}

bool xk_broken_send_src1_file(const struct xk_rule_view *v)
{
    return !grf_or_null(&v->i->src[1]);
}

bool xk_broken_send_dst_file(const struct xk_rule_view *v)
{
    return !grf_or_null(&v->i->dst);
}

bool xk_broken_send_sub(const struct xk_rule_view *v)
{
    const struct xk_inst *const i = v->i;

    return (i->dst.file == XK_FILE_GRF && i->dst.sub_b) ||
           (i->src[0].file == XK_FILE_GRF && i->src[0].sub_b) ||
           (i->src[1].file == XK_FILE_GRF && i->src[1].sub_b);
}

/* The length of src1 is in a0. */
static bool unknown_src1_len(const struct xk_rule_view *v)
{
    return v->i->send.exdesc_reg && !v->i->send.exbso;
}

bool xk_broken_send_src1_len(const struct xk_rule_view *v)
{
    return !unknown_src1_len(v) && v->i->src[1].file != XK_FILE_IMM &&
           xk_is_null(&v->i->src[1]) != (v->i->send.src1_len == 0);
}

bool xk_broken_send_exdesc_len(const struct xk_rule_view *v)
{
    const struct xk_send_info *const s = &v->i->send;

    return !s->exdesc_reg && (s->exdesc >> 6 & 31) != s->src1_len;
}

bool xk_broken_send_rlen(const struct xk_rule_view *v)
{
    return !v->i->send.desc_reg && v->null_dst != (rlen_grf(v->i) == 0);
}

bool xk_broken_send_src_overlap(const struct xk_rule_view *v)
{
    return !v->i->send.desc_reg && !unknown_src1_len(v) &&
           xk_footprints_meet(v->fp[1], v->fp[2]);
}

bool xk_broken_send_sfid(const struct xk_rule_view *v)
{
    return v->t &&
           (v->i->send.sfid > 15 || !(v->t->sfids >> v->i->send.sfid & 1));
}

bool xk_broken_send_exbso(const struct xk_rule_view *v)
{
    return v->i->send.exbso;
}

static bool is_lsc(const struct xk_inst *i)
{
    return !i->send.desc_reg && xk_sfid_is_lsc(i->send.sfid);
}

/* desc[5:0]: 0, 1 load, 4, 5 store, plain and strided; 3, 7 2D blocks. */
bool xk_broken_lsc_transpose(const struct xk_rule_view *v)
{
    const unsigned op = v->i->send.desc & 63;

    return is_lsc(v->i) && v->i->send.desc & LSC_TRANSPOSE &&
           (op == 0 || op == 1 || op == 4 || op == 5);
}

bool xk_broken_block2d_exec(const struct xk_rule_view *v)
{
    const unsigned op = v->i->send.desc & 63;

    return is_lsc(v->i) && v->i->send.sfid != XK_SFID_SLM &&
           (op == 3 || op == 7);
}

/* Rules that say more about a message than that it is none. */
static bool plainly_broken(const struct xk_rule_view *v)
{
    const bool lanes = v->i->exec > 1;

    return xk_broken_send_mlen(v) || xk_broken_send_src1_len(v) ||
           xk_broken_send_exdesc_len(v) || xk_broken_send_rlen(v) ||
           xk_broken_send_sfid(v) || v->i->send.eot ||
           (lanes && xk_broken_lsc_transpose(v)) ||
           (lanes && xk_broken_block2d_exec(v));
}

bool xk_broken_send_message(const struct xk_rule_view *v)
{
    return !plainly_broken(v) && xk_msg_check(v->p, v->i, NULL) < 0;
}

static bool is_within_end(const struct xk_rule_view *v,
                          const struct xk_footprint f, unsigned end_grf)
{
    return f.first_b >= (end_grf - EOT_GRFS) * v->p->grf_b &&
           f.end_b <= end_grf * v->p->grf_b;
}

/* The file has 128 registers or 256, as the thread was started. */
static bool outside_eot(const struct xk_rule_view *v,
                        const struct xk_footprint f)
{
    return f.end_b && !is_within_end(v, f, 128) && !is_within_end(v, f, 256);
}

bool xk_broken_eot_high(const struct xk_rule_view *v)
{
    return outside_eot(v, v->fp[1]) || outside_eot(v, v->fp[2]);
}

bool xk_broken_eot_response(const struct xk_rule_view *v)
{
    return !v->null_dst;
}

bool xk_broken_eot_spawner(const struct xk_rule_view *v)
{
    return v->i->send.sfid != XK_SFID_TS && !xk_broken_send_sfid(v);
}

bool xk_broken_eot_gateway(const struct xk_rule_view *v)
{
    return v->i->send.sfid != XK_SFID_GTWY && !xk_broken_send_sfid(v);
}
