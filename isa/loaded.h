/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to isa/ and codegen/: which registers hold what messages have
 * loaded, on every path through a program. */
#ifndef XK_ISA_LOADED_H
#define XK_ISA_LOADED_H

#include "isa/isa.h"

/* The instruction that is offset_b bytes from inst[from]; n: none that is
 * there. */
unsigned xk_inst_at(const struct xk_inst *inst, unsigned n, unsigned from,
                    int32_t offset_b);
#define XK_LOADED_TARGETS 512 /* with more all is mixed */

/* What is known at the targets of branches. It is large, so that callers that
 * have an allocator take it from there. */
struct xk_loaded_room {
    unsigned at[XK_LOADED_TARGETS]; /* instruction, ascending */
    struct xk_loaded {
        /* Registers that may be mixed if a flag (one of four halves) has a
         * value. */
        uint64_t may[4][2][4];
        bool reached;
    } known[XK_LOADED_TARGETS];
};

/* Sets mixed[at] of each dpas: whether a register of its src1 may hold
 * something that no message loaded, or nothing. Then an instruction that is no
 * message may have written it last, or a message that left lanes alone. Offsets
 * of branches are in bytes. The flag of a jmpi has the same value at the next
 * one, unless it was written. Nothing need be set in *room. */
void xk_find_mixed_src1(const struct xk_platform *p, const struct xk_inst *inst,
                        unsigned n, bool *mixed, struct xk_loaded_room *room);

#endif
