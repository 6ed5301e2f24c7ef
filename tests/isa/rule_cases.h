/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of tests/isa/rule_cases.def as records. */
#ifndef XK_TESTS_ISA_RULE_CASES_H
#define XK_TESTS_ISA_RULE_CASES_H

#include "isa/isa.h"

struct rule_case {
    const char *rule;
    enum xk_platform_id platform;
    const char *good, *bad, *patch;
};

struct program_case {
    const char *rule;
    enum xk_platform_id platform;
    const char *good, *bad;
};

const struct rule_case *rule_cases(unsigned *n);
const struct program_case *program_cases(unsigned *n);
/* The record of one line; NULL, with the reason in err, if it does not parse.
 */
bool rule_case_parse(const struct xk_platform *p, const char *text,
                     struct xk_inst *i, struct xk_error *err);
/* The instruction that breaks the rule. */
bool rule_case_bad(const struct rule_case *c, struct xk_inst *i,
                   struct xk_error *err);
/* All lines; how many, 0 on failure. */
unsigned program_case_parse(const struct xk_platform *p, const char *text,
                            struct xk_inst *inst, unsigned max,
                            struct xk_error *err);

#endif
