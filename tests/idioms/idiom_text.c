/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions as text without registers, numbers and distances. */
#include "isa/format.h"
#include "isa/message_table.h"
#include "tests/idioms/idioms.h"

void say(struct lines *l, const char *situation)
{
    l->take(l->user, situation, xk_str_get(&l->text));
    xk_str_clear(&l->text);
}

void put_mask(const struct xk_inst *i, struct xk_str *out)
{
    if (i->no_mask)
        xk_str_puts(out, "W");
    if (i->pred != XK_PRED_NONE)
        xk_str_printf(out, "&%sp%s", i->pred_inv ? "~" : "",
                      i->pred == XK_PRED_NORMAL ? "" : ".anyall");
    if (i->no_mask || i->pred != XK_PRED_NONE)
        xk_str_putc(out, ' ');
}

void put_swsb(const struct xk_inst *i, struct xk_str *out)
{
    static const char *const pipes[] = {
        [XK_PIPE_NONE] = "@",    [XK_PIPE_ALL] = "A@",  [XK_PIPE_FLOAT] = "F@",
        [XK_PIPE_INT] = "I@",    [XK_PIPE_LONG] = "L@", [XK_PIPE_MATH] = "M@",
        [XK_PIPE_SCALAR] = "S@", [XK_PIPE_SEND] = "?@", [XK_PIPE_DPAS] = "?@",
    };
    static const char *const modes[] = {"", "$", "$.dst", "$.src"};

    if (!i->swsb.dist && !i->swsb.mode)
        return;
    xk_str_puts(out, " {");
    if (i->swsb.dist)
        xk_str_puts(out, pipes[i->swsb.pipe]);
    if (i->swsb.dist && i->swsb.mode)
        xk_str_putc(out, ',');
    xk_str_printf(out, "%s}", modes[i->swsb.mode]);
}

void put_operand(const struct xk_operand *o, struct xk_str *out)
{
    static const char *const arfs[] = {"null", "a0", "acc", "f",  "ce", "msg",
                                       "sp",   "sr", "cr",  "n",  "ip", "tdr",
                                       "tm",   "fc", "dbg", "mme"};

    if (o->file == XK_FILE_GRF)
        xk_str_puts(out, o->indirect ? "r[a0]" : "r");
    else if (o->file == XK_FILE_IMM)
        xk_str_puts(out, "imm");
    else if (o->file == XK_FILE_ARF)
        xk_str_puts(out, arfs[o->arf & 15]);
    xk_str_printf(out, ":%s", xk_reg_type_name(o->type));
}

static void put_opcode(const struct xk_inst *i, struct xk_str *out)
{
    xk_str_puts(out, xk_opcode_name(i->op));
    if (i->op == XK_OPC_SYNC)
        xk_str_printf(out, ".%s", xk_sync_name(i->sync_fn));
    else if (i->op == XK_OPC_MATH)
        xk_str_printf(out, ".%s", xk_math_name(i->math_fn));
    xk_str_printf(out, "(%u)", i->exec);
}

void put_shape(const struct kernel *k, unsigned at, struct xk_str *out)
{
    const struct xk_inst *const i = &k->inst[at];

    put_mask(i, out);
    if (xk_inst_is_send(i)) {
        put_form(k, at, out);
        return;
    }
    put_opcode(i, out);
    if (xk_inst_is_branch(i) || i->op == XK_OPC_SYNC)
        return;
    if (i->dst.file != XK_FILE_NONE) {
        xk_str_putc(out, ' ');
        put_operand(&i->dst, out);
        xk_str_puts(out, " <-");
    }
    for (unsigned s = 0; s < 3; s++) {
        if (i->src[s].file == XK_FILE_NONE)
            continue;
        xk_str_putc(out, ' ');
        put_operand(&i->src[s], out);
    }
}

static void put_data(const struct xk_msg *m, struct xk_str *out)
{
    if (!m->data_b)
        return;
    xk_str_printf(out, " d%u", m->data_b * 8);
    if (m->reg_b != m->data_b)
        xk_str_printf(out, "u%u%s", m->reg_b * 8, m->data_high ? "h" : "");
    if (m->cmask)
        xk_str_printf(out, " mask 0x%x", m->cmask);
    else if (m->vec > 1 || m->transpose)
        xk_str_printf(out, " x%u", m->vec);
    xk_str_puts(out, m->transpose ? " t" : "");
    xk_str_puts(out, m->vnni ? " vnni" : "");
}

static const char *space_of(const struct xk_msg *m)
{
    static const char *const lsc[] = {"flat", "bss", "ss", "bti"};

    if (m->sfid == XK_SFID_SLM)
        return lsc[m->addr_type & 3];
    switch ((enum xk_msg_space)m->space) {
    case XK_MSPACE_FLAT:
        return "flat";
    case XK_MSPACE_STATELESS:
        return "stateless";
    case XK_MSPACE_SLM:
        return "slm";
    case XK_MSPACE_SCRATCH:
        return "scratch";
    case XK_MSPACE_SURFACE:
        return xk_msg_is_lsc(m->sfid) ? lsc[m->addr_type & 3] : "bti";
    case XK_MSPACE_NONE:
        break;
    }
    return "-";
}

static void put_fence(const struct xk_msg *m, unsigned exec, struct xk_str *out)
{
    xk_str_printf(out, " %s %s cache %u%s SIMD%u",
                  xk_msg_fence_flush_name(m->fence_flush),
                  xk_msg_fence_scope_name(m->fence_scope), m->cache,
                  m->fence_a64 ? " a64" : "", exec);
}

void put_form(const struct kernel *k, unsigned at, struct xk_str *out)
{
    const struct xk_inst *const i = &k->inst[at];
    const struct xk_msg *const m = &k->msg[at];
    const enum xk_msg_class class = xk_msg_op_class(m->op);

    if (i->send.desc_reg || m->kind == XK_MSG_UNKNOWN ||
        m->kind == XK_MSG_OTHER) {
        xk_str_printf(out, "%s %s", i->send.desc_reg ? "computed" : "other",
                      xk_msg_sfid_name(i->send.sfid));
        return;
    }
    xk_str_printf(out, "%s %s", xk_msg_op_name(m->op),
                  xk_msg_sfid_name(m->sfid));
    if (class == XK_MCLASS_FENCE && xk_msg_is_lsc(m->sfid)) {
        put_fence(m, i->exec, out);
        return;
    }
    xk_str_printf(out, " %s", space_of(m));
    if (m->addr_b)
        xk_str_printf(out, " a%u", m->addr_b * 8);
    put_data(m, out);
    xk_str_printf(out, " SIMD%u", i->exec);
    if (m->simd && !xk_msg_is_lsc(m->sfid) && m->simd != i->exec)
        xk_str_printf(out, " as %u", m->simd);
    if (class == XK_MCLASS_LOAD || class == XK_MCLASS_STORE ||
        class == XK_MCLASS_ATOMIC)
        xk_str_printf(out, " %s.%s", xk_msg_cache_name(m->l1),
                      xk_msg_cache_name(m->l3));
    xk_str_puts(out, m->header ? " header" : "");
    if (class == XK_MCLASS_LOAD && !m->dst_grf)
        xk_str_puts(out, " prefetch");
}
