/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic chains of dpas: the systolic array keeps the operand that all have in
 * common, and the chain waits before its first and sets a token at its last.
 * Ours are the simplest that the vendor's compiler makes, too: full repeat
 * count, one src1 register for all, nothing that an earlier one writes. */
#include "codegen/sb.h"
#include "codegen/scoreboard.h"

#define ROWS 8
#define DEPTH 8
#define MAX_CHAIN 16

static bool overlap(struct xk_footprint a, struct xk_footprint b)
{
    return a.first_b < b.end_b && b.first_b < a.end_b;
}

static bool same(struct xk_footprint a, struct xk_footprint b)
{
    return a.first_b == b.first_b && a.end_b == b.end_b;
}

static bool is_full(const struct xk_inst *i)
{
    return (i->op == XK_OPC_DPAS || i->op == XK_OPC_DPASW) &&
           i->rcount == ROWS && i->sdepth == DEPTH;
}

static bool same_form(const struct xk_inst *a, const struct xk_inst *b)
{
    for (unsigned k = 0; k < 3; k++)
        if (a->src[k].type != b->src[k].type)
            return false;
    return a->op == b->op && a->exec == b->exec && a->chan_off == b->chan_off &&
           a->no_mask == b->no_mask && a->pred == b->pred &&
           a->pred_inv == b->pred_inv && a->flag_reg == b->flag_reg &&
           a->flag_sub == b->flag_sub && a->dst.type == b->dst.type;
}

/* The destination may be the accumulator operand, whole; else it meets no
 * source. */
static bool is_sound(const struct xk_platform *p, const struct xk_inst *i)
{
    const struct xk_footprint d = xk_inst_footprint(p, i, -1);
    const struct xk_footprint c = xk_inst_footprint(p, i, 0);
    return (!overlap(d, c) || same(d, c)) &&
           !overlap(d, xk_inst_footprint(p, i, 1)) &&
           !overlap(d, xk_inst_footprint(p, i, 2));
}

static bool reads(const struct xk_platform *p, const struct xk_inst *i,
                  struct xk_footprint d)
{
    for (int k = 0; k < 3; k++)
        if (overlap(d, xk_inst_footprint(p, i, k)))
            return true;
    return false;
}

/* Can in[n] follow the chain in[0..n)? */
static bool goes_on(const struct xk_platform *p, const struct xk_inst *in,
                    unsigned n)
{
    const struct xk_inst *const x = &in[n];
    if (!is_full(x) || !same_form(in, x) || !is_sound(p, x) ||
        !same(xk_inst_footprint(p, in, 1), xk_inst_footprint(p, x, 1)))
        return false;
    for (unsigned k = 0; k < n; k++)
        if (reads(p, x, xk_inst_footprint(p, &in[k], -1)))
            return false;
    return true;
}

void xk_scoreboard_chain(const struct xk_platform *p, struct xk_inst *in,
                         unsigned n)
{
    for (unsigned first = 0; first < n;) {
        unsigned len = 1;
        in[first].atomic = false;
        if (is_full(&in[first]) && is_sound(p, &in[first]))
            while (first + len < n && len < MAX_CHAIN &&
                   goes_on(p, &in[first], len))
                len++;
        for (unsigned k = 0; k < len; k++)
            in[first + k].atomic = k + 1 < len;
        first += len;
    }
}
