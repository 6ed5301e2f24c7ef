/* SPDX-License-Identifier: Apache-2.0 */
/* A forward analysis. What is known at a point is kept apart for each flag's
 * value. So a load that a jmpi skips does not matter for a dpas that a jmpi on
 * the same flag skips as well. */
#include "isa/loaded.h"

#include <string.h>

#include "isa/format.h"

#define N_GRF 256
#define WORDS (N_GRF / 64)
#define N_FLAGS 4 /* halves that are told apart, of xehpg all */
#define N_TARGETS XK_LOADED_TARGETS

_Static_assert(sizeof(((struct xk_loaded *)0)->may) ==
                   N_FLAGS * 2 * WORDS * sizeof(uint64_t),
               "bits for all registers and flags");

struct walk {
    const struct xk_platform *p;
    const struct xk_inst *inst;
    unsigned n, n_targets;
    struct xk_loaded_room *room;
    bool changed;
};

unsigned xk_inst_at(const struct xk_inst *inst, unsigned n, unsigned from,
                    int32_t offset_b)
{
    unsigned at = from;

    for (; offset_b > 0 && at < n; at++)
        offset_b -= (int64_t)xk_inst_size_b(&inst[at]);
    for (; offset_b < 0 && at > 0; at--)
        offset_b += (int64_t)xk_inst_size_b(&inst[at - 1]);
    return offset_b == 0 ? at : n;
}

/* The flag half that decides a jmpi of one lane; N_FLAGS: something else
 * decides. */
static unsigned guard_of(const struct xk_inst *i)
{
    const unsigned half = i->flag_reg * 2u + i->flag_sub;

    return i->op == XK_OPC_JMPI && i->pred == XK_PRED_NORMAL && half < N_FLAGS
               ? half
               : N_FLAGS;
}

/* Whatever the flags are. */
static void in_any_case(const struct xk_loaded *k, uint64_t *out)
{
    for (unsigned w = 0; w < WORDS; w++) {
        out[w] = UINT64_MAX;
        for (unsigned f = 0; f < N_FLAGS; f++)
            out[w] &= k->may[f][0][w] | k->may[f][1][w];
    }
}

/* From here on the flag has the value. */
static void assume(struct xk_loaded *k, unsigned flag, bool value)
{
    uint64_t all[WORDS];

    if (flag == N_FLAGS)
        return;
    memset(k->may[flag][!value], 0, sizeof k->may[flag][!value]);
    in_any_case(k, all);
    for (unsigned f = 0; f < N_FLAGS; f++)
        for (unsigned w = 0; w < WORDS; w++) {
            k->may[f][0][w] &= all[w];
            k->may[f][1][w] &= all[w];
        }
}

/* The flags of the set are written: nothing is known of them. */
static void forget_flags(struct xk_loaded *k, unsigned flags)
{
    uint64_t all[WORDS];

    if (!flags)
        return;
    in_any_case(k, all);
    for (unsigned f = 0; f < N_FLAGS; f++)
        if (flags >> f & 1) {
            memcpy(k->may[f][0], all, sizeof all);
            memcpy(k->may[f][1], all, sizeof all);
        }
}

static void mark_loaded(struct xk_loaded *k, unsigned r, bool mixed)
{
    const uint64_t bit = 1ull << r % 64;

    for (unsigned f = 0; f < N_FLAGS; f++)
        for (unsigned v = 0; v < 2; v++)
            k->may[f][v][r / 64] = mixed ? k->may[f][v][r / 64] | bit
                                         : k->may[f][v][r / 64] & ~bit;
}

/* A message brings whole registers, unless it leaves lanes alone. */
static void execute_known(const struct walk *w, const struct xk_inst *i,
                          struct xk_loaded *k)
{
    const uint32_t grf_b = w->p->grf_b;
    const struct xk_footprint d = xk_inst_footprint(w->p, i, -1);

    for (uint32_t r = d.first_b / grf_b; r * grf_b < d.end_b && r < N_GRF;
         r++) {
        const bool whole = d.first_b <= r * grf_b && d.end_b >= (r + 1) * grf_b;
        if (!xk_inst_is_send(i))
            mark_loaded(k, r, true);
        else if (whole && !i->pred)
            mark_loaded(k, r, false);
    }
    forget_flags(k, xk_inst_flag_use(i, true));
}

static unsigned find_target(const struct walk *w, unsigned at)
{
    for (unsigned t = 0; t < w->n_targets; t++)
        if (w->room->at[t] == at)
            return t;
    return N_TARGETS;
}

static void join_known(struct walk *w, unsigned target,
                       const struct xk_loaded *k)
{
    struct xk_loaded *const to = &w->room->known[target];
    const uint64_t *const from = &k->may[0][0][0];
    uint64_t *const into = &to->may[0][0][0];

    w->changed |= !to->reached;
    to->reached = true;
    for (unsigned i = 0; i < sizeof to->may / sizeof *into; i++) {
        w->changed |= (from[i] & ~into[i]) != 0;
        into[i] |= from[i];
    }
}

static void jump_known(struct walk *w, unsigned at, int32_t offset_b,
                       const struct xk_loaded *k)
{
    const unsigned to = xk_inst_at(w->inst, w->n, at, offset_b);
    struct xk_loaded taken = *k;

    if (to >= w->n)
        return;
    assume(&taken, guard_of(&w->inst[at]), !w->inst[at].pred_inv);
    join_known(w, find_target(w, to), &taken);
}

static void branch(struct walk *w, unsigned at, struct xk_loaded *k)
{
    const struct xk_inst *const i = &w->inst[at];

    jump_known(w, at, i->jip_b, k);
    if (i->uip_b)
        jump_known(w, at, i->uip_b, k);
    assume(k, guard_of(i), i->pred_inv);
    k->reached = i->op != XK_OPC_JMPI || i->pred;
}

static bool reads_mixed(const struct walk *w, unsigned at,
                        const struct xk_loaded *k)
{
    const uint32_t grf_b = w->p->grf_b;
    const struct xk_footprint s = xk_inst_footprint(w->p, &w->inst[at], 1);
    uint64_t all[WORDS];

    in_any_case(k, all);
    for (uint32_t r = s.first_b / grf_b; r * grf_b < s.end_b && r < N_GRF; r++)
        if (all[r / 64] >> r % 64 & 1)
            return true;
    return false;
}

/* Once over the program, with what is known at its targets so far. */
static void walk_once(struct walk *w, bool *mixed)
{
    struct xk_loaded k = {.reached = true};
    unsigned target = 0;

    memset(k.may, 0xff, sizeof k.may);
    for (unsigned at = 0; at < w->n; at++) {
        const struct xk_inst *const i = &w->inst[at];
        if (target < w->n_targets && w->room->at[target] == at) {
            if (k.reached)
                join_known(w, target, &k);
            k = w->room->known[target++];
        }
        if (!k.reached)
            continue;
        if (xk_inst_is_dpas(i) && reads_mixed(w, at, &k))
            mixed[at] = true;
        if (xk_inst_is_branch(i))
            branch(w, at, &k);
        else
            execute_known(w, i, &k);
    }
}

static void add_target(bool *is_target, const struct walk *w, unsigned at,
                       int32_t offset_b)
{
    const unsigned to = xk_inst_at(w->inst, w->n, at, offset_b);
    if (to < w->n)
        is_target[to] = true;
}

/* mixed serves as a list of the targets first. False: too many. */
static bool find_targets(struct walk *w, bool *mixed)
{
    for (unsigned at = 0; at < w->n; at++)
        if (xk_inst_is_branch(&w->inst[at])) {
            add_target(mixed, w, at, w->inst[at].jip_b);
            if (w->inst[at].uip_b)
                add_target(mixed, w, at, w->inst[at].uip_b);
        }
    for (unsigned at = 0; at < w->n; at++) {
        if (mixed[at] && w->n_targets == N_TARGETS)
            return false;
        if (mixed[at])
            w->room->at[w->n_targets++] = at;
        mixed[at] = false;
    }
    return true;
}

void xk_find_mixed_src1(const struct xk_platform *p, const struct xk_inst *inst,
                        unsigned n, bool *mixed, struct xk_loaded_room *room)
{
    struct walk w = {
        .p = p, .inst = inst, .n = n, .room = room, .changed = true};

    memset(mixed, 0, n * sizeof *mixed);
    if (!find_targets(&w, mixed)) {
        memset(mixed, 1, n * sizeof *mixed);
        return;
    }
    memset(room->known, 0, w.n_targets * sizeof room->known[0]);
    while (w.changed) {
        w.changed = false;
        walk_once(&w, mixed);
    }
}
