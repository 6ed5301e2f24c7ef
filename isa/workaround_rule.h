/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules of isa/workaround.def share: the functions xk_wa_lacks_RULE of
 * workaround_end.c, _send.c, _dpas.c, _alu.c, _rs.c and
 * _pvc.c. */
#ifndef XK_ISA_WORKAROUND_RULE_H
#define XK_ISA_WORKAROUND_RULE_H

#include "isa/format.h"
#include "isa/loaded.h"
#include "isa/message.h"
#include "isa/validate.h"
#include "isa/workaround.h"

/* Instructions; of a longer program the worst is said: its target and mixed are
 * NULL. */
#define XK_WA_MOST_SEEN 16384

/* Older instructions of an in-order pipe are done (workarounds.md 3.9). */
#define XK_WA_PIPE_WINDOW 11

/* Codes of LSC fences. */
#define XK_WA_SCOPE_LOCAL 1
#define XK_WA_SCOPE_TILE 2

/* Whether instruction `at` triggers the workaround and lacks its action. */
#define XK_WORKAROUND(name, id, where, handling, by, rule, ...)                \
    bool xk_wa_lacks_##rule(const struct xk_wa_program *g, unsigned at);
#include "isa/workaround.def"
#undef XK_WORKAROUND

/* A message of the old data ports. */
static inline bool xk_wa_is_hdc(const struct xk_inst *i)
{
    return i->send.sfid == XK_SFID_DC0 || i->send.sfid == XK_SFID_DC1 ||
           i->send.sfid == XK_SFID_DC2;
}

/* 64-bit integers. */
static inline bool xk_wa_is_q(const struct xk_operand *o)
{
    return xk_reg_type_b(o->type) == 8 && !xk_is_float_type(o->type);
}

static inline bool xk_wa_is_eot(const struct xk_wa_program *g, unsigned at)
{
    return xk_inst_is_send(&g->inst[at]) && g->inst[at].send.eot;
}

/* A load that leaves lanes alone. */
static inline bool xk_wa_is_predicated_load(const struct xk_inst *i)
{
    return xk_inst_is_send(i) && i->pred && !xk_is_null(&i->dst);
}

/* Where lanes of one thread may go different ways: the vendor's
 * isRSWADivergentInst, without what has no predicate, for which its compiler
 * does nothing either (a while of algorithms.cl in tests/opencl). */
static inline bool xk_wa_parts_lanes(const struct xk_inst *i)
{
    return i->pred && (i->op == XK_OPC_GOTO || i->op == XK_OPC_WHILE ||
                       i->op == XK_OPC_IF || i->op == XK_OPC_BREAK);
}

/* For the last instruction of each pipe. */
static inline bool xk_wa_waits_for_all(const struct xk_wa_program *g,
                                       const struct xk_inst *i)
{
    const bool one_pipe = g->p->id == XK_PLATFORM_XELP;
    return i->swsb.dist == 1 &&
           i->swsb.pipe == (one_pipe ? XK_PIPE_NONE : XK_PIPE_ALL);
}

/* The instruction that a branch goes to: JIP (0), or UIP (1) where lanes may
 * wait; n: none that is known. */
unsigned xk_wa_target(const struct xk_wa_program *g, unsigned from,
                      unsigned number);
/* Whether the branch at `from` goes to `to`. */
bool xk_wa_jumps_to(const struct xk_wa_program *g, unsigned from, unsigned to);
bool xk_wa_begins_block(const struct xk_wa_program *g, unsigned at);

/* It, or one of the syncs right before it, which stand for its annotation. */
static inline bool xk_wa_is_behind_all(const struct xk_wa_program *g,
                                       unsigned at)
{
    bool waits = xk_wa_waits_for_all(g, &g->inst[at]);
    if (!g->target)
        return waits;
    for (; !waits && !xk_wa_begins_block(g, at) &&
           g->inst[at - 1].op == XK_OPC_SYNC;
         at--)
        waits = xk_wa_waits_for_all(g, &g->inst[at - 1]);
    return waits;
}

/* What an instruction is to a search back from another one. waited: the tokens
 * that are waited for on the way between them, and at the other one. */
enum xk_wa_step { XK_WA_PASSES, XK_WA_STOPS, XK_WA_FOUND };
typedef enum xk_wa_step xk_wa_step_fn(const struct xk_wa_program *g,
                                      unsigned at, uint32_t waited,
                                      unsigned what);
/* Whether a way to `at` has an instruction that is FOUND with none behind it at
 * which the search STOPS. *begins: a way goes back to the program's first
 * instruction; undefined if something is found. */
bool xk_wa_finds_before(const struct xk_wa_program *g, unsigned at,
                        xk_wa_step_fn *step, unsigned what, bool *begins);

/* Between if and endif. */
bool xk_wa_is_guarded(const struct xk_wa_program *g, unsigned at);

/* The tokens whose responses it waits for. A new user of a token waits as
 * well. */
uint32_t xk_wa_tokens_waited(const struct xk_inst *i);
/* Whether one of the instructions behind `from`, up to `at`, waits for its
 * token's response, if it has a token. */
bool xk_wa_token_is_waited(const struct xk_wa_program *g, unsigned from,
                           unsigned at);
/* Whether one of the instructions behind `from`, up to `at`, waits for it by a
 * distance. */
bool xk_wa_distance_reaches(const struct xk_wa_program *g, unsigned from,
                            unsigned at);

/* Whether an instruction before `at` in its block, of those that count, writes
 * into the bytes and nothing up to `at` waits for it. What has no token of its
 * own, inside a chain, is left out. */
typedef bool xk_wa_writer_fn(const struct xk_platform *p,
                             const struct xk_inst *i);
bool xk_wa_meets_open_write(const struct xk_wa_program *g, unsigned at,
                            struct xk_footprint regs, xk_wa_writer_fn *counts);

#endif
