/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/isa/rule_cases.h"

#include <string.h>

#include "base/alloc.h"
#include "isa/asm.h"
#include "tests/isa/inst_field.h"

static const struct rule_case cases[] = {
#define XK_CASE(rule, platform, good, bad, patch)                              \
    {#rule, XK_PLATFORM_##platform, good, bad, patch},
#define XK_PROGRAM_CASE(rule, platform, good, bad)
#include "tests/isa/rule_cases.def"
#undef XK_CASE
#undef XK_PROGRAM_CASE
};

static const struct program_case programs[] = {
#define XK_CASE(rule, platform, good, bad, patch)
#define XK_PROGRAM_CASE(rule, platform, good, bad)                             \
    {#rule, XK_PLATFORM_##platform, good, bad},
#define MOV8 "mov (8|M0) r1.0<1>:f r2.0<1;1,0>:f\n"
#define END "send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}\n"
#define DPAS8 "dpas.8x8 (8|M0) r10:f r10:f r20:hf r30.0:hf"
#include "tests/isa/rule_cases.def"
#undef XK_CASE
#undef XK_PROGRAM_CASE
#undef MOV8
#undef END
#undef DPAS8
};

const struct rule_case *rule_cases(unsigned *n)
{
    *n = XK_COUNTOF(cases);
    return cases;
}

const struct program_case *program_cases(unsigned *n)
{
    *n = XK_COUNTOF(programs);
    return programs;
}

bool rule_case_parse(const struct xk_platform *p, const char *text,
                     struct xk_inst *i, struct xk_error *err)
{
    memset(i, 0, sizeof(*i));
    return xk_inst_parse(p, text, strlen(text), i, err) == XK_OK;
}

bool rule_case_bad(const struct rule_case *c, struct xk_inst *i,
                   struct xk_error *err)
{
    const struct xk_platform *const p = xk_platform_get(c->platform);

    return rule_case_parse(p, *c->bad ? c->bad : c->good, i, err) &&
           inst_patch(i, c->patch);
}

unsigned program_case_parse(const struct xk_platform *p, const char *text,
                            struct xk_inst *inst, unsigned max,
                            struct xk_error *err)
{
    unsigned n = 0;

    while (*text && n < max) {
        const size_t n_b = strcspn(text, "\n");

        memset(&inst[n], 0, sizeof(inst[n]));
        if (xk_inst_parse(p, text, n_b, &inst[n], err) < 0)
            return 0;
        n++;
        text += n_b + (text[n_b] == '\n');
    }
    return n;
}
