/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of simplify/rules.def by itself: form, cost, value on random
 * inputs at every width, and that the matcher applies it. Proofs by an SMT
 * solver: prove.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ir/random_expr.h"
#include "tests/simplify/eval.h"
#include "tests/simplify/rule_text.h"
#include "tests/simplify/suites.h"

enum { N_RANDOM = 10000, MIN_VALID = 50 };

/* NULL for a rule in C. */
static xk_ctx *begin(unsigned i, struct rule_text *r)
{
    const struct xk_rule_row *const row = xk_rule_row(i);
    if (!row->pattern)
        return NULL;
    xk_ctx *const c = xk_ctx_create(NULL);
    ck_assert_msg(rule_text_read(c, row, r), "%s: %s", row->name,
                  c->error.message);
    return c;
}

START_TEST(there_are_rules_and_their_names_differ)
{
    unsigned n_text = 0;
    for (unsigned i = 0; i < xk_rule_count(); i++) {
        n_text += xk_rule_row(i)->pattern != NULL;
        for (unsigned j = 0; j < i; j++)
            ck_assert_str_ne(xk_rule_name(i), xk_rule_name(j));
    }
    ck_assert_uint_ge(n_text, 80);
    ck_assert_ptr_null(xk_rule_row(xk_rule_count()));
}
END_TEST

START_TEST(a_rule_keeps_the_type_and_binds_no_new_names)
{
    struct rule_text r;
    xk_ctx *const c = begin((unsigned)_i, &r);
    if (!c)
        return;
    ck_assert(xk_type_eq(xk_type_of(r.left), xk_type_of(r.right)));
    ck_assert_msg(xk_op(r.left) != XK_OP_VAR && !rule_is_number(&r, r.left),
                  "%s: pattern without an operator or variable", r.name);
    for (unsigned i = 0; i < RULE_BITS; i++) {
        const bool left = xk_depends_on(r.left, r.vars[i]);
        ck_assert_msg(left || !xk_depends_on(r.right, r.vars[i]),
                      "%s: %s is new on the right", r.name, rule_var_names[i]);
        for (unsigned k = 0; k < r.n_clauses; k++)
            ck_assert_msg(left || !xk_depends_on(r.clause[k], r.vars[i]),
                          "%s: %s is new in the guard", r.name,
                          rule_var_names[i]);
    }
    for (unsigned k = 0; k < r.n_clauses; k++)
        ck_assert_uint_eq(xk_type_of(r.clause[k]).dt, XK_DT_BOOL);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(a_rule_lowers_the_cost)
{
    struct rule_text r;
    xk_ctx *const c = begin((unsigned)_i, &r);
    if (!c)
        return;
    const unsigned l = rule_nodes(&r, r.left), g = rule_nodes(&r, r.right);
    ck_assert_msg(
        g < l || (g == l && rule_weight(&r, r.right) < rule_weight(&r, r.left)),
        "%s: %u nodes become %u", r.name, l, g);
    xk_ctx_destroy(c);
}
END_TEST

/* The pattern with variables renamed by first appearance and commuting
 * operands flipped as mask says. */
struct shape {
    char text[200];
    unsigned n_names;
    const xk_expr *names[RULE_N_VARS];
};

static void shape_name(struct shape *s, const xk_expr *e)
{
    unsigned i = 0;
    char out[16];
    while (i < s->n_names && s->names[i] != e)
        i++;
    if (i == s->n_names)
        s->names[s->n_names++] = e;
    /* Constants only match constants, bools only bools. */
    const char kind = xk_var_name(e)[0] == 'c' ? 'c' : 'v';
    snprintf(out, sizeof(out), "%c%u.%u", kind, i, xk_type_of(e).dt);
    strcat(s->text, out);
}

static void shape_of(struct shape *s, const xk_expr *e, unsigned *mask)
{
    char out[40];
    if (xk_op(e) == XK_OP_VAR) {
        shape_name(s, e);
        return;
    }
    if (xk_op(e) == XK_OP_IMM) {
        snprintf(out, sizeof(out), "%lld.%u", (long long)xk_imm_value(e),
                 xk_type_of(e).dt);
        strcat(s->text, out);
        return;
    }
    const bool commutes = xk_op_flags(xk_op(e)) & XK_EF_C;
    const bool flip = commutes && (*mask & 1);
    if (commutes)
        *mask >>= 1;
    strcat(s->text, xk_op_text(xk_op(e)));
    strcat(s->text, "(");
    for (unsigned i = 0; i < xk_n_kids(e); i++) {
        shape_of(s, xk_kid(e, flip ? xk_n_kids(e) - 1 - i : i), mask);
        strcat(s->text, ",");
    }
    strcat(s->text, ")");
}

/* The smallest text over all ways to flip. */
static void canonical(const xk_expr *e, char *out)
{
    out[0] = 0;
    for (unsigned m = 0; m < 64; m++) {
        struct shape s = {.n_names = 0};
        unsigned mask = m;
        shape_of(&s, e, &mask);
        if (!out[0] || strcmp(s.text, out) < 0)
            strcpy(out, s.text);
    }
}

START_TEST(no_two_rules_share_a_left_side)
{
    static char seen[400][200];
    unsigned n = 0;
    for (unsigned i = 0; i < xk_rule_count(); i++) {
        struct rule_text r;
        xk_ctx *const c = begin(i, &r);
        if (!c)
            continue;
        canonical(r.left, seen[n]);
        for (unsigned j = 0; j < n; j++)
            ck_assert_msg(strcmp(seen[n], seen[j]), "%s: %s is there twice",
                          r.name, seen[n]);
        n++;
        xk_ctx_destroy(c);
    }
}
END_TEST

static const enum xk_dtype int_types[] = {XK_DT_U8,  XK_DT_S8,  XK_DT_U16,
                                          XK_DT_S16, XK_DT_U32, XK_DT_S32,
                                          XK_DT_U64, XK_DT_S64};

static wide random_value(uint64_t *rng, enum xk_dtype dt)
{
    const int64_t bits = (int64_t)random_u64(rng);
    switch (random_below(rng, 6)) {
    case 0:
        return eval_wrap(dt, bits);
    case 1:
        return eval_wrap(dt, (bits & 255) - 128);
    case 2:
        return eval_wrap(dt, -(bits & 15));
    default:
        return eval_wrap(dt, bits & 15);
    }
}

static void randomize(const struct rule_text *r, uint64_t *rng,
                      enum xk_dtype dt, wide *values)
{
    for (unsigned i = 0; i < RULE_N_VARS; i++) {
        const bool is_bool =
            i >= RULE_N_NUMBERS && i < RULE_N_NUMBERS + RULE_N_BOOLS;
        values[i] = 0;
        if (r->used[i])
            values[i] = is_bool ? random_below(rng, 2) : random_value(rng, dt);
    }
    /* Guards ask for multiples and for equal operands often. */
    wide *const k = values + RULE_N_NUMBERS + RULE_N_BOOLS;
    const uint64_t luck = random_u64(rng);
    if (luck & 1)
        k[0] = eval_wrap(dt, k[1] * (wide)(luck >> 32 & 7));
    else if (luck & 2)
        k[1] = k[0];
    if ((luck >> 2 & 3) == 0)
        values[1] = values[0];
    if ((luck >> 4 & 3) == 0)
        values[0] = eval_wrap(dt, k[0] * (wide)(luck >> 40 & 7));
    values[RULE_BITS] = eval_bits(dt);
}

/* Guards speak of integers without bounds. */
static bool guard_holds(const struct rule_text *r, const wide *values)
{
    struct env env = {.n = RULE_N_VARS,
                      .vars = r->vars,
                      .values = values,
                      .number = XK_DT_S64,
                      .unbounded = true};
    for (unsigned i = 0; i < r->n_clauses; i++) {
        if (!eval(&env, r->clause[i], 0) || env.undefined)
            return false;
    }
    return true;
}

/* Whether all numbers that the rule computes fit the type; a rule whose
 * constants overflow is not applied. */
static bool numbers_fit(const struct rule_text *r, struct env env,
                        const xk_expr *e)
{
    if (rule_is_number(r, e)) {
        env.unbounded = false;
        eval(&env, e, 0);
        return !env.undefined;
    }
    for (unsigned i = 0; i < xk_n_kids(e); i++) {
        if (!numbers_fit(r, env, xk_kid(e, i)))
            return false;
    }
    return true;
}

/* How many inputs the rule was tried on. */
static unsigned try_type(const struct rule_text *r, enum xk_dtype dt,
                         uint64_t seed)
{
    wide values[RULE_N_VARS];
    uint64_t rng = seed;
    unsigned n_valid = 0;
    for (unsigned i = 0; i < N_RANDOM; i++) {
        randomize(r, &rng, dt, values);
        if (!guard_holds(r, values))
            continue;
        struct env env = {
            .n = RULE_N_VARS, .vars = r->vars, .values = values, .number = dt};
        const unsigned lane = random_below(&rng, 4);
        const wide left = eval(&env, r->left, lane);
        if (env.undefined ||
            (eval_nowrap(dt) && !numbers_fit(r, env, r->right)))
            continue;
        env.unbounded = true;
        const wide right = eval(&env, r->right, lane);
        /* Check writes a file at each ck_assert. */
        if (env.undefined || left != right)
            ck_abort_msg("%s at %s, seed %llu, input %u: %lld becomes %lld",
                         r->name, xk_dtype_name(dt), (unsigned long long)seed,
                         i, (long long)left, (long long)right);
        n_valid++;
    }
    return n_valid;
}

START_TEST(both_sides_agree_on_random_inputs_at_every_width)
{
    struct rule_text r;
    xk_ctx *const c = begin((unsigned)_i, &r);
    if (!c)
        return;
    for (unsigned t = 0; t < XK_COUNTOF(int_types); t++) {
        const enum xk_dtype dt = int_types[t];
        if (r.nowrap && !eval_nowrap(dt))
            continue;
        const unsigned n = try_type(&r, dt, 1000003u * (unsigned)_i + t + 1);
        /* Negative numbers in a guard: nothing for unsigned types. */
        ck_assert_msg(n >= MIN_VALID, "%s at %s: only %u inputs", r.name,
                      xk_dtype_name(dt), n);
    }
    xk_ctx_destroy(c);
}
END_TEST

/* Replaces variables by fresh ones of type dt (with numbers for constants), so
 * that the matcher sees what it sees in use. */
static const xk_expr *instance(xk_ctx *c, const struct rule_text *r,
                               enum xk_dtype dt, const wide *values,
                               xk_facts *f)
{
    const xk_expr *to[RULE_N_VARS];
    for (unsigned i = 0; i < RULE_N_VARS; i++) {
        const unsigned lanes = xk_type_of(r->vars[i]).lanes;
        const bool is_bool =
            i >= RULE_N_NUMBERS && i < RULE_N_NUMBERS + RULE_N_BOOLS;
        if (i >= RULE_N_NUMBERS + RULE_N_BOOLS) {
            to[i] = xk_imm(c, dt, (int64_t)values[i]);
            continue;
        }
        to[i] = xk_var(c, xk_type_vec(is_bool ? XK_DT_BOOL : dt, lanes),
                       rule_var_names[i]);
        /* Known exactly to ranges, which is what guards need. */
        if (!is_bool && r->n_clauses)
            xk_facts_set(f, to[i], (int64_t)values[i], (int64_t)values[i], 1,
                         0);
    }
    return xk_substitute(c, r->left, RULE_N_VARS, r->vars, to);
}

/* The other numbers of the pattern (0, 1, -1) keep their type: only s32. */
START_TEST(the_matcher_applies_the_rule)
{
    struct rule_text r;
    xk_ctx *const c = begin((unsigned)_i, &r);
    if (!c)
        return;
    uint64_t rng = 77 + (unsigned)_i;
    bool hit = false;
    for (unsigned k = 0; k < 20000 && !hit; k++) {
        wide values[RULE_N_VARS];
        randomize(&r, &rng, XK_DT_S32, values);
        struct env env = {.n = RULE_N_VARS,
                          .vars = r.vars,
                          .values = values,
                          .number = XK_DT_S32};
        eval(&env, r.left, 0);
        if (env.undefined || !guard_holds(&r, values))
            continue;
        const xk_scope s = xk_scope_begin(c);
        xk_facts *const f = xk_facts_create(c);
        xk_facts_count_hits(f);
        const xk_expr *const e = instance(c, &r, XK_DT_S32, values, f);
        xk_rules_apply_text(f, e);
        hit = xk_facts_hits(f, (unsigned)_i) > 0;
        xk_facts_rule_off(f, r.name);
        xk_rules_apply_text(f, e);
        ck_assert_uint_le(xk_facts_hits(f, (unsigned)_i), 1);
        xk_facts_unref(f);
        xk_scope_end(c, s, NULL);
    }
    ck_assert_msg(hit, "%s is never applied", r.name);
    ck_assert_int_eq(xk_ctx_status(c), XK_OK);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(an_unknown_rule_cannot_be_switched_off)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_facts *const f = xk_facts_create(c);
    ck_assert_int_eq(xk_facts_rule_off(f, "no_such_rule"), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(c->error.message, "no_such_rule"));
    xk_facts_unref(f);
    xk_ctx_destroy(c);
}
END_TEST

TCase *simplify_rule_cases(void)
{
    TCase *const t = tcase_create("rules");
    const int n = (int)xk_rule_count();
    tcase_set_timeout(t, 300);
    tcase_add_test(t, there_are_rules_and_their_names_differ);
    tcase_add_test(t, no_two_rules_share_a_left_side);
    tcase_add_loop_test(t, a_rule_keeps_the_type_and_binds_no_new_names, 0, n);
    tcase_add_loop_test(t, a_rule_lowers_the_cost, 0, n);
    tcase_add_loop_test(t, both_sides_agree_on_random_inputs_at_every_width, 0,
                        n);
    tcase_add_loop_test(t, the_matcher_applies_the_rule, 0, n);
    tcase_add_test(t, an_unknown_rule_cannot_be_switched_off);
    return t;
}
