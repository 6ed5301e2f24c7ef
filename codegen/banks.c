/* SPDX-License-Identifier: Apache-2.0 */
#include "codegen/banks.h"
#include "isa/format.h"

#include <string.h>

static bool share_bank(const struct xk_cg_costs *c, unsigned a, unsigned b)
{
    return a / c->bank_grf % 2 == b / c->bank_grf % 2 &&
           a / c->bundle_grf % c->bundles == b / c->bundle_grf % c->bundles;
}

static bool add_bank_pair(struct xk_banks *b, const struct xk_cg *g,
                          uint32_t tile, struct xk_bank_pair p)
{
    if (!xk_grow(g->c, &b->pair, b->n_pairs, &b->cap_pairs, sizeof *b->pair))
        return false;
    p.next = b->first[tile];
    b->pair[b->n_pairs] = p;
    b->first[tile] = ++b->n_pairs;
    return true;
}

/* The registers that an operand goes through while its instruction passes. */
static unsigned grfs_a_pass(const struct xk_cg *g, const struct xk_inst *i,
                            const struct xk_operand *o)
{
    const bool vector = o->rgn.vs || o->rgn.hs;
    const unsigned stride = o->rgn.vs > o->rgn.hs ? o->rgn.vs : o->rgn.hs;
    const unsigned size_b = xk_reg_type_b((enum xk_reg_type)o->type);
    if (!vector)
        return 1;
    return (i->exec * stride * size_b + g->p->grf_b - 1) / g->p->grf_b;
}

static bool add_bank_pairs(struct xk_banks *b, const struct xk_cg *g,
                           const struct xk_inst *i)
{
    const struct xk_operand *const x = &i->src[1], *const y = &i->src[2];
    if (x->file != XK_FILE_TILE || y->file != XK_FILE_TILE || x->reg == y->reg)
        return true;
    const unsigned n_x = grfs_a_pass(g, i, x), n_y = grfs_a_pass(g, i, y);
    bool good = true;
    for (unsigned k = 0; k < (n_x > n_y ? n_x : n_y) && good; k++) {
        const unsigned at_x = x->sub_b + (k < n_x ? k : 0) * g->p->grf_b;
        const unsigned at_y = y->sub_b + (k < n_y ? k : 0) * g->p->grf_b;
        good =
            add_bank_pair(
                b, g, x->reg,
                (struct xk_bank_pair){.other = y->reg,
                                      .sub_b = (uint16_t)at_x,
                                      .other_sub_b = (uint16_t)at_y}) &&
            add_bank_pair(b, g, y->reg,
                          (struct xk_bank_pair){.other = x->reg,
                                                .sub_b = (uint16_t)at_y,
                                                .other_sub_b = (uint16_t)at_x});
    }
    return good;
}

/* dpas reads through its own path, messages have no second read. */
static bool reads_three(const struct xk_inst *i)
{
    return !xk_inst_is_dpas(i) && !xk_inst_is_send(i) &&
           xk_opcode_n_srcs((enum xk_opcode)i->op) == 3;
}

enum xk_status xk_banks_init(struct xk_banks *b, const struct xk_cg *g)
{
    *b = (struct xk_banks){.costs = xk_cg_costs_get(g->p)};
    if (b->costs && !b->costs->bank_grf)
        b->costs = NULL;
    if (!b->costs)
        return XK_OK;
    b->period = (unsigned)b->costs->bundle_grf * b->costs->bundles;
    b->first = xk_calloc(g->c, g->n_tiles, sizeof *b->first);
    if (!b->first)
        return XK_ENOMEM;
    for (uint32_t i = 0; i < g->n_inst; i++)
        if (reads_three(&g->inst[i]) && !add_bank_pairs(b, g, &g->inst[i]))
            return XK_ENOMEM;
    return XK_OK;
}

void xk_banks_fini(struct xk_banks *b, const struct xk_cg *g)
{
    xk_free(g->c, b->pair);
    xk_free(g->c, b->first);
}

bool xk_banks_ask(struct xk_banks *b, const struct xk_cg *g, uint32_t tile)
{
    const unsigned grf_b = g->p->grf_b;
    if (!b->costs || !b->first[tile])
        return false;
    memset(b->meets, 0, sizeof b->meets);
    for (uint32_t k = b->first[tile]; k; k = b->pair[k - 1].next) {
        const struct xk_bank_pair *const p = &b->pair[k - 1];
        const struct xk_cg_tile *const t = &g->tile[p->other];
        if (t->at_b < 0)
            continue;
        const unsigned other = ((unsigned)t->at_b + p->other_sub_b) / grf_b;
        for (unsigned r = 0; r < b->period; r++)
            if (b->meets[r] < UINT16_MAX)
                b->meets[r] +=
                    share_bank(b->costs, r + p->sub_b / grf_b, other);
    }
    return true;
}
