/* SPDX-License-Identifier: Apache-2.0 */
/* Bank wishes. Two registers of one bank and one bundle cannot be read
 * together, so src1 and src2 of an instruction should not lie like that. Where
 * the allocation is free to choose, it asks how many such pairs a place would
 * make. */
#ifndef XK_CODEGEN_BANKS_H
#define XK_CODEGEN_BANKS_H

#include "codegen/cg.h"
#include "codegen/costs.h"

#define XK_BANKS_MAX_PERIOD 64

/* Register r of this tile is read beside register r_other of the other one. */
struct xk_bank_pair {
    uint32_t other, next; /* next: in this tile's list, plus 1 */
    uint16_t sub_b, other_sub_b;
};

struct xk_banks {
    const struct xk_cg_costs *costs; /* NULL: there are no wishes */
    unsigned period;                 /* registers after which places repeat */
    struct xk_bank_pair *pair;
    uint32_t n_pairs, cap_pairs;
    uint32_t *first; /* per tile: its list, 0: empty */
    /* For the tile asked for: the number of pairs that meet if it begins at a
     * register of this residue. */
    uint16_t meets[XK_BANKS_MAX_PERIOD];
};

/* Collects what g's instructions read together. */
enum xk_status xk_banks_init(struct xk_banks *b, const struct xk_cg *g);
void xk_banks_fini(struct xk_banks *b, const struct xk_cg *g);
/* Fills meets[] for a tile, from the places of the others. False: it has no
 * wishes, and any place is as good. */
bool xk_banks_ask(struct xk_banks *b, const struct xk_cg *g, uint32_t tile);

#endif
