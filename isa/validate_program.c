/* SPDX-License-Identifier: Apache-2.0 */
/* The validator over a list of instructions: each one's rules, and those about
 * more than one. Nothing is allocated: targets are found by walking. */
#include "isa/validate.h"

#include "base/alloc.h"

#define MAX_BROKEN 256 /* more than there are rules */

struct program {
    const struct xk_platform *p;
    const struct xk_inst *inst;
    unsigned n, n_broken;
    xk_violation_fn *report;
    void *user;
};

static void broken(struct program *g, unsigned at, enum xk_program_rule r)
{
    const struct xk_isa_rule *const rule = xk_isa_program_rule(r);

    if (!(rule->platforms >> g->p->id & 1))
        return;
    g->n_broken++;
    if (g->report)
        g->report(g->user, at, &rule->text);
}

static void check_one(struct program *g, unsigned at)
{
    struct xk_isa_violation v[MAX_BROKEN];
    const unsigned n = xk_inst_validate(g->p, &g->inst[at], v, XK_COUNTOF(v));

    g->n_broken += n;
    for (unsigned k = 0; g->report && k < n && k < XK_COUNTOF(v); k++)
        g->report(g->user, at, &v[k]);
}

/* The instruction off_b from `at`, or NULL. */
static const struct xk_inst *target_inst(const struct program *g, unsigned at,
                                         int64_t off_b)
{
    while (off_b > 0 && at < g->n)
        off_b -= (int)xk_inst_size_b(&g->inst[at++]);
    while (off_b < 0 && at > 0)
        off_b += (int)xk_inst_size_b(&g->inst[--at]);
    return off_b == 0 && at < g->n ? &g->inst[at] : NULL;
}

/* Its targets are offsets in the instruction. */
static bool has_offsets(const struct xk_inst *i)
{
    return xk_inst_is_branch(i) && !(xk_branch_shape(i->op) & XK_BR_NO_IMM) &&
           i->op != XK_OPC_CALLA && /* an address */
           i->src[0].file != XK_FILE_GRF && i->src[0].file != XK_FILE_ARF;
}

static bool is_op(const struct xk_inst *i, enum xk_opcode op)
{
    return !i || i->op == op; /* no target is another rule's business */
}

static void check_branch(struct program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const bool two = xk_branch_shape(i->op) & XK_BR_UIP;
    const struct xk_inst *jip, *uip;

    if (!has_offsets(i))
        return;
    jip = target_inst(g, at, i->jip_b);
    uip = two ? target_inst(g, at, i->uip_b) : jip;
    if (!jip || !uip)
        broken(g, at, XK_PROG_prog_target);
    if (i->op == XK_OPC_GOTO && !i->branch_ctrl && !is_op(uip, XK_OPC_JOIN))
        broken(g, at, XK_PROG_prog_join);
    if ((i->op == XK_OPC_IF || i->op == XK_OPC_ELSE) &&
        !is_op(uip, XK_OPC_ENDIF))
        broken(g, at, XK_PROG_prog_endif);
    if ((i->op == XK_OPC_BREAK || i->op == XK_OPC_CONT) &&
        !is_op(uip, XK_OPC_WHILE))
        broken(g, at, XK_PROG_prog_while);
}

static void check_atomic(struct program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const struct xk_inst *const next = at + 1 < g->n ? i + 1 : NULL;

    if (!i->atomic || !xk_inst_is_dpas(i))
        return;
    if (!next || next->op != i->op || next->exec != i->exec) {
        broken(g, at, XK_PROG_prog_atomic);
        return;
    }
    if (i->swsb.mode == XK_SBID_SET || next->swsb.dist ||
        next->swsb.mode == XK_SBID_DST || next->swsb.mode == XK_SBID_SRC)
        broken(g, at, XK_PROG_prog_atomic_dep);
}

static bool writes_acc0(const struct xk_inst *i)
{
    return (xk_is_acc(&i->dst) && i->dst.reg < 2) || i->acc_wr_en ||
           i->op == XK_OPC_MACH || i->op == XK_OPC_ADDC || i->op == XK_OPC_SUBB;
}

/* The last instruction before `at` in a straight line that leaves something in
 * the first accumulators. */
static const struct xk_inst *acc_writer(const struct program *g, unsigned at)
{
    while (at > 0) {
        const struct xk_inst *const i = &g->inst[--at];

        if (xk_inst_is_branch(i) && i->op != XK_OPC_JOIN)
            return NULL;
        if (writes_acc0(i))
            return i;
    }
    return NULL;
}

static void check_mach(struct program *g, unsigned at)
{
    const struct xk_inst *const i = &g->inst[at];
    const struct xk_inst *w;

    if (i->op != XK_OPC_MACH && i->op != XK_OPC_MACL)
        return;
    w = acc_writer(g, at);
    if (!w || (w->op != XK_OPC_MUL && w->op != XK_OPC_MACH))
        broken(g, at, XK_PROG_prog_mach);
}

/* What pads a program behind its end. */
static bool is_padding(const struct xk_inst *i)
{
    return i->op == XK_OPC_ILLEGAL || i->op == XK_OPC_NOP ||
           i->op == XK_OPC_SYNC;
}

static bool ends_program(const struct xk_inst *i)
{
    return i->send.eot || i->op == XK_OPC_RET ||
           (!i->pred && (i->op == XK_OPC_JMPI || i->op == XK_OPC_GOTO));
}

static void check_end(struct program *g)
{
    unsigned n = g->n;

    while (n > 0 && is_padding(&g->inst[n - 1]))
        n--;
    if (n == 0 || !ends_program(&g->inst[n - 1]))
        broken(g, n ? n - 1 : 0, XK_PROG_prog_end);
}

unsigned xk_program_validate(const struct xk_platform *p,
                             const struct xk_inst *inst, unsigned n,
                             xk_violation_fn *report, void *user)
{
    struct program g = {p, inst, n, 0, report, user};

    for (unsigned at = 0; at < n; at++) {
        check_one(&g, at);
        check_branch(&g, at);
        check_atomic(&g, at);
        check_mach(&g, at);
    }
    check_end(&g);
    return g.n_broken;
}
