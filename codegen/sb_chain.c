/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic chains of dpas. The systolic array keeps the operand that all of them
 * have in common. A chain waits before its first dpas and sets a token at its
 * last. Our chains are the simplest of those that the vendor's compiler makes,
 * too: full repeat count, one src1 register for all, and no dpas that reads
 * what an earlier one writes. */
#include "codegen/sb.h"
#include "isa/format.h"
#include "codegen/scoreboard.h"

#define ROWS 8
#define DEPTH 8
#define MAX_CHAIN 16

static bool overlap(struct xk_footprint a, struct xk_footprint b)
{
    return a.first_b < b.end_b && b.first_b < a.end_b;
}

static bool same_footprint(struct xk_footprint a, struct xk_footprint b)
{
    return a.first_b == b.first_b && a.end_b == b.end_b;
}

static bool is_full(const struct xk_inst *i)
{
    return xk_inst_is_dpas(i) && i->rcount == ROWS && i->sdepth == DEPTH;
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

/* Registers of an instruction: what it writes, and reads. */
struct regs {
    struct xk_footprint dst, src[3];
};

static struct regs regs_of(const struct xk_platform *p, const struct xk_inst *i)
{
    struct regs r;
    r.dst = xk_inst_footprint(p, i, -1);
    for (int k = 0; k < 3; k++)
        r.src[k] = xk_inst_footprint(p, i, k);
    return r;
}

/* The destination may be exactly the accumulator operand; otherwise it meets no
 * source. */
static bool is_sound(const struct regs *r)
{
    return (!overlap(r->dst, r->src[0]) || same_footprint(r->dst, r->src[0])) &&
           !overlap(r->dst, r->src[1]) && !overlap(r->dst, r->src[2]);
}

static bool reads(const struct regs *r, struct xk_footprint d)
{
    return overlap(d, r->src[0]) || overlap(d, r->src[1]) ||
           overlap(d, r->src[2]);
}

/* Can x follow the chain of n? */
static bool can_follow(const struct xk_inst *first, const struct regs *chain,
                       unsigned n, const struct xk_inst *x,
                       const struct regs *r)
{
    if (!same_form(first, x) || !is_sound(r) ||
        !same_footprint(chain->src[1], r->src[1]))
        return false;
    for (unsigned k = 0; k < n; k++)
        if (reads(r, chain[k].dst))
            return false;
    return true;
}

/* Instructions of the chain that begins with in[0]; 1: it is none. */
static unsigned chain_at(const struct xk_platform *p, const struct xk_inst *in,
                         unsigned n)
{
    struct regs chain[MAX_CHAIN];
    unsigned len = 1;
    if (!is_full(in))
        return 1;
    chain[0] = regs_of(p, in);
    if (!is_sound(chain))
        return 1;
    for (; len < n && len < MAX_CHAIN && is_full(&in[len]); len++) {
        chain[len] = regs_of(p, &in[len]);
        if (!can_follow(in, chain, len, &in[len], &chain[len]))
            break;
    }
    return len;
}

void xk_scoreboard_chain(const struct xk_platform *p, struct xk_inst *in,
                         unsigned n)
{
    for (unsigned first = 0; first < n;) {
        const unsigned len = chain_at(p, &in[first], n - first);
        for (unsigned k = 0; k < len; k++)
            in[first + k].atomic = k + 1 < len;
        first += len;
    }
}
