/* SPDX-License-Identifier: Apache-2.0 */
/* The scoreboard pass: sets the swsb of a list of instructions so that no
 * read or write overtakes what it depends on, over all paths. It works on any
 * instruction list with resolved registers, also on decoded code. */
#ifndef XK_CODEGEN_SCOREBOARD_H
#define XK_CODEGEN_SCOREBOARD_H

#include "base/ctx.h"
#include "isa/isa.h"

/* Instructions in order; branch jip_b/uip_b are, before layout, indices of the
 * target instruction in the list. The pass may insert sync instructions: the
 * result is a new array (xk_free by the caller), with the branch targets
 * renumbered. */
enum xk_status xk_scoreboard(xk_ctx *c, const struct xk_platform *p,
                             const struct xk_inst *in, unsigned n,
                             struct xk_inst **out, unsigned *n_out);

/* Turns decoded code, with branch targets in bytes, into what xk_scoreboard
 * wants: without the annotations, Atomic marks and syncs that a compiler's pass
 * added, with targets as indices, and with nothing compacted. The result is the
 * caller's to xk_free. */
enum xk_status xk_scoreboard_strip(xk_ctx *c, const struct xk_inst *in,
                                   unsigned n, struct xk_inst **out,
                                   unsigned *n_out);

/* Marks Atomic chains of dpas in such a list; xk_scoreboard treats each as one
 * instruction, as far as no branch leads into its middle. */
void xk_scoreboard_chain(const struct xk_platform *p, struct xk_inst *in,
                         unsigned n);

#endif
