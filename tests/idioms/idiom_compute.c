/* SPDX-License-Identifier: Apache-2.0 */
/* Single instructions: dpas, branches, the scoreboard's words, what computes.
 */
#include "isa/format.h"
#include "tests/idioms/idioms.h"

static void tell_dpas(const struct kernel *k, unsigned at, struct lines *l)
{
    const struct xk_inst *const i = &k->inst[at];
    const struct xk_operand *const s = i->src;

    xk_str_printf(&l->text, "%s.%ux%u(%u) %s <- %s %s %s, adds to %s",
                  xk_opcode_name(i->op), i->sdepth, i->rcount, i->exec,
                  xk_reg_type_name(i->dst.type), xk_reg_type_name(s[0].type),
                  xk_reg_type_name(s[1].type), xk_reg_type_name(s[2].type),
                  s[0].file != XK_FILE_GRF ? "null"
                  : s[0].reg == i->dst.reg ? "its destination"
                                           : "another");
    say(l, "dpas");
    put_mask(i, &l->text);
    xk_str_puts(&l->text, xk_opcode_name(i->op));
    say(l, "dpas");
    xk_str_printf(&l->text, "%s%s%s", xk_opcode_name(i->op),
                  i->atomic ? " Atomic" : "",
                  at && xk_inst_is_dpas(&k->inst[at - 1])
                      ? k->inst[at - 1].atomic ? " behind an Atomic one"
                                               : " behind another one"
                      : "");
    put_swsb(i, &l->text);
    say(l, "dpas");
}

static void tell_branch(const struct kernel *k, unsigned at, struct lines *l)
{
    const struct xk_inst *const i = &k->inst[at];

    put_mask(i, &l->text);
    xk_str_printf(&l->text, "%s(%u)%s%s", xk_opcode_name(i->op), i->exec,
                  i->jip_b < 0 ? " back" : "", i->branch_ctrl ? " {b}" : "");
    say(l, "branch");
}

static const char *pipe_of(const struct kernel *k, const struct xk_inst *i)
{
    static const char *const names[] = {
        [XK_PIPE_NONE] = "none",  [XK_PIPE_ALL] = "alu",
        [XK_PIPE_FLOAT] = "alu",  [XK_PIPE_INT] = "alu",
        [XK_PIPE_LONG] = "alu",   [XK_PIPE_MATH] = "math",
        [XK_PIPE_SCALAR] = "alu", [XK_PIPE_SEND] = "send",
        [XK_PIPE_DPAS] = "dpas",
    };

    if (i->op == XK_OPC_SYNC)
        return xk_sync_name(i->sync_fn);
    if (xk_inst_is_branch(i))
        return xk_opcode_name(i->op);
    return names[xk_inst_pipe(k->p, i)];
}

static void tell_swsb(const struct kernel *k, unsigned at, struct lines *l)
{
    const struct xk_inst *const i = &k->inst[at];

    if (!i->swsb.dist && !i->swsb.mode)
        return;
    xk_str_printf(&l->text, "%s%s", i->op == XK_OPC_SYNC ? "sync." : "",
                  pipe_of(k, i));
    put_swsb(i, &l->text);
    say(l, "scoreboard");
}

static void tell_alu(const struct kernel *k, unsigned at, struct lines *l)
{
    const struct xk_inst *const i = &k->inst[at];

    xk_str_printf(&l->text, "%s %s%s%s", xk_opcode_name(i->op),
                  i->dst.file == XK_FILE_NONE ? "-"
                                              : xk_reg_type_name(i->dst.type),
                  i->sat ? " sat" : "", i->cond ? " cond" : "");
    for (unsigned s = 0; s < 3; s++)
        if (i->src[s].file != XK_FILE_NONE)
            xk_str_printf(&l->text, " %s%s", xk_reg_type_name(i->src[s].type),
                          i->src[s].file == XK_FILE_IMM ? "(imm)" : "");
    say(l, "arithmetic");
}

void tell_instructions(const struct kernel *k, struct lines *l)
{
    for (unsigned n = 0; n < k->n; n++) {
        const struct xk_inst *const i = &k->inst[n];
        tell_swsb(k, n, l);
        if (xk_inst_is_dpas(i))
            tell_dpas(k, n, l);
        else if (xk_inst_is_branch(i))
            tell_branch(k, n, l);
        else if (i->op == XK_OPC_SYNC) {
            put_mask(i, &l->text);
            xk_str_printf(&l->text, "sync.%s(%u)%s", xk_sync_name(i->sync_fn),
                          i->exec, i->src[0].file == XK_FILE_IMM ? " imm" : "");
            say(l, "sync");
        } else if (!xk_inst_is_send(i))
            tell_alu(k, n, l);
    }
}
