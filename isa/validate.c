/* SPDX-License-Identifier: Apache-2.0 */
/* The validator: walks the rules of isa/rules.def over a decoded instruction
 * and reports every broken one. A predicate assumes nothing about the others.
 */
#include "isa/validate.h"

#include "base/alloc.h"
#include "isa/message.h"

enum { B = 1, T = 2, D = 4, S = 8, J = 16, Y = 32, N = 64 };

static const uint8_t format_bit[XK_N_FORMATS] = {
    [XK_FMT_BASIC] = B,   [XK_FMT_TERNARY] = T, [XK_FMT_DPAS] = D,
    [XK_FMT_SEND] = S,    [XK_FMT_BRANCH] = J,  [XK_FMT_SYNC] = Y,
    [XK_FMT_NULLARY] = N,
};

static const struct {
    bool (*broken)(const struct xk_rule_view *v);
    uint8_t formats;
    struct xk_isa_violation text;
} rules[] = {
#define XK_ISA_RULE(id, formats, source, why)                                  \
    {xk_broken_##id, formats, {#id, why, source}},
#include "isa/rules.def"
#undef XK_ISA_RULE
};

unsigned xk_isa_n_rules(void)
{
    return XK_COUNTOF(rules);
}

const char *xk_isa_rule_name(unsigned k)
{
    return k < XK_COUNTOF(rules) ? rules[k].text.rule : NULL;
}

unsigned xk_inst_validate(const struct xk_platform *p, const struct xk_inst *i,
                          struct xk_isa_violation *out, unsigned max)
{
    const struct xk_rule_view v = {
        .p = p,
        .i = i,
        .format = xk_opcode_format(i->op),
        .n_srcs = xk_inst_n_srcs(i),
        .null_dst = xk_is_null(&i->dst),
    };
    unsigned n = 0;

    for (unsigned k = 0; k < XK_COUNTOF(rules); k++) {
        if (!(rules[k].formats & format_bit[v.format]) || !rules[k].broken(&v))
            continue;
        if (n < max)
            out[n] = rules[k].text;
        n++;
    }
    return n;
}
