/* SPDX-License-Identifier: Apache-2.0 */
/* Ways through programs for the tests of the hazard checker: what the program
 * counter may do, chosen at random, without executing anything. */
#ifndef XK_TESTS_SIM_HAZARD_WALK_H
#define XK_TESTS_SIM_HAZARD_WALK_H

#include "sim/hazard/hazard_check.h"
#include "tests/scoreboard/hazard.h"

struct walk {
    uint32_t *at;
    unsigned n, room;
};

/* Appends a way from the first instruction of g, at most room in all. */
void walk_make(const struct hz_program *g, uint64_t *seed, struct walk *w);

/* Whether the second instruction comes after the first one somewhere on the
 * way, uncovered and without excuse. */
bool walk_has_gap(const struct hz_program *g, const struct walk *w,
                  unsigned first, unsigned second, enum hz_kind k);

/* What the checker says along the way. */
struct walk_verdict {
    unsigned findings;
    struct xk_hz_finding first;
};
/* n records, whose jip_b and uip_b are indices, and the rules that hold. */
struct walk_code {
    const struct xk_platform *p;
    const struct xk_inst *in;
    unsigned n;
    bool strict;
};
bool walk_check(const struct walk_code *code, const struct walk *w,
                unsigned n_walks, struct walk_verdict *out);
/* Both instructions and the place, for a human. */
void walk_print(const struct xk_platform *p, const struct xk_inst *in,
                const struct xk_hz_finding *f);

#endif
