/* SPDX-License-Identifier: Apache-2.0 */
/* All pairs of instructions of which the second must not overtake the first,
 * over all paths of a program, and whether its annotations see to that. Knows
 * nothing of the scoreboard pass.
 *
 * For each first instruction the search walks every path from it. A place of
 * the program together with the number of instructions that its pipe was given
 * since says everything about a path, so walking such states once is walking
 * all paths, loops as often as it takes. */
#ifndef XK_TESTS_HAZARD_H
#define XK_TESTS_HAZARD_H

#include "isa/isa.h"
#include "tests/scoreboard/hazard_touch.h"

/* What may excuse a pair without a wait: guarantees of the hardware that the
 * vendor's compiler relies on. Sources in hazard_excuse.c. */
enum hz_excuse {
    HZ_EX_MESSAGE_PREDICATE,
    HZ_EX_ARF_IN_ORDER,
    HZ_EX_TIMEOUT,
    HZ_EX_SAME_FUNCTION_WAR,
    HZ_EX_LAYOUT_ORDER,
    HZ_EX_LANES,
    HZ_EX_POINTS_TO,
    HZ_EX_MACRO,
    HZ_EX_A0,
    HZ_EX_HWORDS,
    HZ_EX_CHAIN,
    HZ_EX_BYTE_FLOAT,
    HZ_EX_FLAG_ORDER,
    HZ_EX_SLM_UNUSED,
    HZ_N_EXCUSES
};
const char *hz_excuse_name(enum hz_excuse e);
const char *hz_excuse_source(enum hz_excuse e);

struct hz_inst {
    struct xk_inst i;
    struct hz_touch t;
    int jip, uip;    /* indices, -1: none */
    int token;       /* that says when it is complete, -1: none */
    bool after_call; /* what a return may come back to */
};

struct hz_program {
    const struct xk_platform *p;
    struct hz_inst *inst;
    unsigned n;
    bool is_ours; /* no excuses but the hardware's own rules */
};

/* A pair: the first instruction, the second, what is between them. */
/* SLM: a load from shared local memory is back before a message that writes
 * there or fences it (a fault of xehpg and xehpc, isa.md 5.3). */
enum hz_kind { HZ_RAW, HZ_WAW, HZ_WAR, HZ_SLM, HZ_N_KINDS };

struct hz_result {
    uint64_t pairs[HZ_N_KINDS];
    uint64_t excused[HZ_N_EXCUSES];
    uint64_t gaps;
    unsigned first, second; /* of the first gap */
    enum hz_kind kind;
    void (*on_gap)(const struct hz_program *, unsigned first, unsigned second,
                   enum hz_kind); /* may be NULL */
};

/* Takes over the records, targets as indices in jip_b and uip_b. */
bool hz_program_make(struct hz_program *g, const struct xk_platform *p,
                     const struct xk_inst *in, unsigned n);
void hz_program_free(struct hz_program *g);
/* Adds to *r. */
void hz_enumerate(const struct hz_program *g, struct hz_result *r);

/* For the parts of the enumerator. */
struct hz_pair {
    const struct hz_program *g;
    unsigned a, b, count; /* count: given to a's pipe since, a included */
    enum hz_kind kind;
    bool unknown;  /* only through an indirect operand */
    bool back;     /* on the path a jump was taken */
    bool by_lanes; /* channels can go that way, not only the program counter */
};
/* HZ_N_EXCUSES: none. */
enum hz_excuse hz_excuse_of(const struct hz_pair *q);
bool hz_is_slm(const struct xk_inst *i);
/* Whether waiting as w does is waiting for the token's instruction. */
bool hz_covers_token(const struct hz_inst *w, int token, bool only_read);
/* Successors of instruction at; lanes: where channels may go, else where the
 * program counter may go. Returns how many. */
unsigned hz_successors(const struct hz_program *g, unsigned at, bool lanes,
                       unsigned out[4]);

#endif
