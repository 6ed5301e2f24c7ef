/* SPDX-License-Identifier: Apache-2.0 */
/* Every rule of the validator: an instruction that keeps all, and one that
 * breaks it and nothing else (tests/isa/rule_cases.def). */
#include <string.h>

#include "base/alloc.h"
#include "isa/validate.h"
#include "tests/isa/inst_field.h"
#include "tests/isa/random_inst.h"
#include "tests/isa/rule_cases.h"
#include "tests/isa/tests.h"

#define MAX_BROKEN 256

static void expect_rules(const struct xk_platform *p, const struct xk_inst *i,
                         const char *rule)
{
    struct xk_isa_violation v[MAX_BROKEN];
    const unsigned n = xk_inst_validate(p, i, v, XK_COUNTOF(v));
    struct xk_str s;

    xk_str_init(&s, NULL);
    xk_inst_print(p, i, &s);
    xk_str_puts(&s, " breaks");
    for (unsigned k = 0; k < n && k < XK_COUNTOF(v); k++)
        xk_str_printf(&s, " %s", v[k].rule);
    ck_assert_msg(n == (rule ? 1u : 0u) && (!rule || !strcmp(v[0].rule, rule)),
                  "%s: %s, expected %s", p->name, xk_str_get(&s),
                  rule ? rule : "none");
    xk_str_fini(&s);
}

START_TEST(a_rule_is_kept_or_broken_alone)
{
    unsigned n;
    const struct rule_case *const c = &rule_cases(&n)[_i];
    const struct xk_platform *const p = xk_platform_get(c->platform);
    struct xk_error err = {0};
    struct xk_inst i;

    ck_assert_msg(rule_case_parse(p, c->good, &i, &err), "%s: %s: %s", c->rule,
                  c->good, err.message);
    expect_rules(p, &i, NULL);
    ck_assert_msg(rule_case_bad(c, &i, &err), "%s: %s: %s", c->rule, c->bad,
                  err.message);
    expect_rules(p, &i, c->rule);
}
END_TEST

struct heard {
    unsigned n;
    const char *rule;
};

static void hear(void *user, unsigned at, const struct xk_isa_violation *v)
{
    struct heard *const h = user;

    (void)at;
    h->n++;
    h->rule = v->rule;
}

static void expect_program(const struct program_case *c, const char *text,
                           const char *rule)
{
    const struct xk_platform *const p = xk_platform_get(c->platform);
    struct xk_error err = {0};
    struct xk_inst inst[8];
    struct heard h = {0, NULL};
    const unsigned n =
        program_case_parse(p, text, inst, XK_COUNTOF(inst), &err);
    const unsigned broken = xk_program_validate(p, inst, n, hear, &h);

    ck_assert_msg(n > 0, "%s: %s", c->rule, err.message);
    ck_assert_uint_eq(broken, h.n);
    ck_assert_msg(h.n == (rule ? 1u : 0u) && (!rule || !strcmp(h.rule, rule)),
                  "%s: %u broken, the last %s in\n%s", c->rule, h.n,
                  h.rule ? h.rule : "none", text);
}

START_TEST(a_program_rule_is_kept_or_broken_alone)
{
    unsigned n;
    const struct program_case *const c = &program_cases(&n)[_i];

    expect_program(c, c->good, NULL);
    expect_program(c, c->bad, c->rule);
}
END_TEST

static bool has_case(const char *rule, bool program)
{
    unsigned n_one, n_prog;
    const struct rule_case *const one = rule_cases(&n_one);
    const struct program_case *const prog = program_cases(&n_prog);
    bool found = false;

    for (unsigned k = 0; k < n_one && !program; k++)
        found |= !strcmp(one[k].rule, rule);
    for (unsigned k = 0; k < n_prog && program; k++)
        found |= !strcmp(prog[k].rule, rule);
    return found;
}

START_TEST(every_rule_has_a_case_a_source_and_a_reason)
{
    unsigned n;
    const struct xk_isa_rule *const rules = xk_isa_rules(&n);

    ck_assert_uint_ge(n, 100);
    for (unsigned k = 0; k < n; k++) {
        const struct xk_isa_violation *const t = &rules[k].text;

        ck_assert_msg(has_case(t->rule, !rules[k].broken), "no case for %s",
                      t->rule);
        ck_assert_uint_gt(strlen(t->why), 10);
        ck_assert_uint_gt(strlen(t->source), 3);
        ck_assert_uint_ne(rules[k].platforms, 0);
        for (unsigned j = 0; j < k; j++)
            ck_assert_str_ne(rules[j].text.rule, t->rule);
    }
}
END_TEST

START_TEST(violations_past_the_room_are_counted)
{
    const struct xk_platform *const p = xk_platform_get(XK_PLATFORM_XEHPG);
    struct xk_isa_violation v[1];
    struct xk_inst i;
    struct xk_error err = {0};

    ck_assert(rule_case_parse(
        p, "add (8|M0) r1.0<1>:f r2.0<1;1,0>:f r3.0<1;1,0>:f", &i, &err));
    i.exec = 6;
    i.dst.sub_b = 2;
    i.dst.rgn.hs = 0;
    i.flag_reg = 2;
    ck_assert_uint_eq(xk_inst_validate(p, &i, NULL, 0),
                      xk_inst_validate(p, &i, v, 1));
    ck_assert_uint_gt(xk_inst_validate(p, &i, v, 1), 3);
    ck_assert_str_eq(v[0].rule, "exec_size");
}
END_TEST

/* Every member is any number, small ones more often. */
static void fill(struct rng *r, struct xk_inst *i)
{
    unsigned n;
    const struct inst_field *const f = inst_fields(&n);

    memset(i, 0, sizeof(*i));
    for (unsigned k = 0; k < n; k++)
        inst_field_set(i, &f[k],
                       rng_below(r, 4) ? rng_below(r, 40) : rng_bits(r));
}

START_TEST(any_record_can_be_judged)
{
    struct rng r = {rng_seed()};
    struct xk_inst inst[16];

    for (unsigned k = 0; k < 4000; k++) {
        for (unsigned j = 0; j < XK_COUNTOF(inst); j++)
            fill(&r, &inst[j]);
        for (unsigned id = XK_PLATFORM_XELP; id <= XK_PLATFORM_XEHPC; id++)
            ck_assert_uint_gt(xk_program_validate(xk_platform_get(id), inst,
                                                  XK_COUNTOF(inst), NULL, NULL),
                              0);
    }
}
END_TEST

TCase *isa_rules_case(void)
{
    TCase *const t = tcase_create("rules");
    unsigned n;

    rule_cases(&n);
    tcase_add_loop_test(t, a_rule_is_kept_or_broken_alone, 0, (int)n);
    program_cases(&n);
    tcase_add_loop_test(t, a_program_rule_is_kept_or_broken_alone, 0, (int)n);
    tcase_add_test(t, every_rule_has_a_case_a_source_and_a_reason);
    tcase_add_test(t, violations_past_the_room_are_counted);
    tcase_add_test(t, any_record_can_be_judged);
    return t;
}
