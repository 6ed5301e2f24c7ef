/* SPDX-License-Identifier: Apache-2.0 */
/* The members of struct xk_inst by name, for tests that break an instruction
 * in one place: "exec", "swsb.dist", "src1.rgn.hs" ... */
#ifndef XK_TESTS_ISA_INST_FIELD_H
#define XK_TESTS_ISA_INST_FIELD_H

#include "isa/isa.h"

struct inst_field {
    const char *name;
    uint16_t at_b; /* in the record */
    uint8_t n_b;
    bool is_bool; /* holds 0 or 1 only */
};

const struct inst_field *inst_fields(unsigned *n);
/* Low bytes of v; larger values are cut. */
void inst_field_set(struct xk_inst *i, const struct inst_field *f, uint64_t v);
uint64_t inst_field_get(const struct xk_inst *i, const struct inst_field *f);
/* Applies "name=value,name=value"; false at an unknown name. */
bool inst_patch(struct xk_inst *i, const char *patch);

#endif
