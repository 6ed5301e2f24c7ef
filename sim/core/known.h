/* SPDX-License-Identifier: Apache-2.0 */
/* Which bits of instructions, control registers and descriptors have an effect
 * in the simulator, which have none, and at which it stops: sim/core/known.def
 * as data. */
#ifndef XK_SIM_KNOWN_H
#define XK_SIM_KNOWN_H

#include "sim/core/kernel.h"

enum xk_known {
    XK_KNOWN_NOT_LISTED, /* a row of known.def is missing */
    XK_KNOWN_ACTS,
    XK_KNOWN_NO_EFFECT,
    XK_KNOWN_UNKNOWN
};

struct xk_known_row {
    uint8_t verdict; /* enum xk_known */
    const char *note;
};

/* By enum xk_field_id of isa/format.def; of enum xk_msg_field. */
const struct xk_known_row *xk_known_field(unsigned field);
const struct xk_known_row *xk_known_message_field(unsigned field);
/* The same with an opcode, for which it may be another one. */
enum xk_known xk_known_field_of(enum xk_opcode op, unsigned field);
/* The test that alone shows that a field acts, or NULL. */
const char *xk_known_shown_by(enum xk_opcode op, unsigned field);

/* Whether *e has something that the simulator does not model; then why[] has
 * words for a sentence. A message is judged here only if its descriptor is an
 * immediate. */
bool xk_sim_not_known(const struct xk_sim_kernel *k,
                      const struct xk_sim_inst *e, char *why, size_t why_b);
/* The same of a message's descriptor, once it is known. */
bool xk_sim_message_not_known(const struct xk_platform *p,
                              const struct xk_inst *i, char *why, size_t why_b);
/* Stops the thread if a control register has a bit that is not known. */
void xk_sim_control_written(struct xk_sim_thread *t,
                            const struct xk_sim_inst *e);
/* Ends the thread with what xk_sim_not_known() says. */
xk_sim_fn xk_sim_exec_not_known;

#endif
