/* SPDX-License-Identifier: Apache-2.0 */
/* Prints SMT-LIB2 text that proves the rule table: for each rule and width one
 * block with (echo "name mode") and (check-sat), where unsat means proven.
 *
 *   rules_smt            the table
 *   rules_smt --mutate   the table with one mistake a rule; must not be proven
 *
 * Modes: int (integers, for nowrap rules), s32 u32 s64 u64 (bit vectors, for
 * the others), s8 u8 (bit vectors, where a division is in the rule; wider ones
 * do not finish). Lanes: a ramp is base + lane * stride for any lane. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/simplify/rule_text.h"

struct mode {
    const char *name;
    unsigned bits; /* 0: integers */
    bool is_signed;
};

struct out {
    const struct mode *m;
    const struct rule_text *r;
    unsigned extra_bits; /* guards are computed in wider vectors */
};

static void put(const struct out *o, const xk_expr *e);

static void number(const struct out *o, int64_t v)
{
    const unsigned bits = o->m->bits + o->extra_bits;
    if (!o->m->bits)
        printf(v < 0 ? "(- %lld)" : "%lld", (long long)(v < 0 ? -v : v));
    else if (v < 0)
        printf("(bvneg (_ bv%lld %u))", (long long)-v, bits);
    else
        printf("(_ bv%lld %u)", (long long)v, bits);
}

static void variable(const struct out *o, const xk_expr *e)
{
    const char *const name = xk_var_name(e);
    if (e == o->r->vars[RULE_BITS]) {
        number(o, o->m->bits ? o->m->bits : 32);
        return;
    }
    if (xk_type_of(e).dt == XK_DT_BOOL || !o->extra_bits)
        printf("%s", name);
    else
        printf("((_ %s_extend %u) %s)", o->m->is_signed ? "sign" : "zero",
               o->extra_bits, name);
}

/* Names of the operations in text; "s"/"u" forms by signedness. */
static const char *op_name(const struct out *o, enum xk_op op, bool is_bool)
{
    const bool s = o->m->is_signed, bv = o->m->bits != 0;
    switch (op) {
    case XK_OP_ADD:
        return bv ? "bvadd" : "+";
    case XK_OP_SUB:
        return bv ? "bvsub" : "-";
    case XK_OP_MUL:
        return bv ? "bvmul" : "*";
    case XK_OP_DIV:
        return "floordiv";
    case XK_OP_MOD:
        return "floormod";
    case XK_OP_SHL:
        return "bvshl";
    case XK_OP_SHR:
        return s ? "bvashr" : "bvlshr";
    case XK_OP_AND:
        return is_bool ? "and" : "bvand";
    case XK_OP_OR:
        return is_bool ? "or" : "bvor";
    case XK_OP_XOR:
        return is_bool ? "xor" : "bvxor";
    case XK_OP_EQ:
        return "=";
    case XK_OP_NE:
        return "distinct";
    case XK_OP_LT:
        return !bv ? "<" : s ? "bvslt" : "bvult";
    case XK_OP_LE:
        return !bv ? "<=" : s ? "bvsle" : "bvule";
    case XK_OP_GT:
        return !bv ? ">" : s ? "bvsgt" : "bvugt";
    case XK_OP_GE:
        return !bv ? ">=" : s ? "bvsge" : "bvuge";
    case XK_OP_NEG:
        return bv ? "bvneg" : "-";
    case XK_OP_NOT:
        return is_bool ? "not" : "bvnot";
    case XK_OP_SELECT:
        return "ite";
    default:
        abort();
    }
}

static void put_min(const struct out *o, const xk_expr *e)
{
    const enum xk_op less = xk_op(e) == XK_OP_MIN ? XK_OP_LE : XK_OP_GE;
    printf("(let ((a ");
    put(o, xk_kid(e, 0));
    printf(") (b ");
    put(o, xk_kid(e, 1));
    printf(")) (ite (%s a b) a b))", op_name(o, less, false));
}

/* a op1 (b op2 c), or with lane for c. */
static void put_mad(const struct out *o, const xk_expr *e, bool ramp)
{
    const bool add3 = xk_op(e) == XK_OP_ADD3;
    printf("(%s ", op_name(o, XK_OP_ADD, false));
    put(o, xk_kid(e, 0));
    printf(" (%s ", op_name(o, add3 ? XK_OP_ADD : XK_OP_MUL, false));
    put(o, xk_kid(e, 1));
    printf(" ");
    if (ramp)
        printf("lane");
    else
        put(o, xk_kid(e, 2));
    printf("))");
}

static void put(const struct out *o, const xk_expr *e)
{
    const bool is_bool = xk_type_of(e).dt == XK_DT_BOOL;
    switch (xk_op(e)) {
    case XK_OP_VAR:
        variable(o, e);
        return;
    case XK_OP_IMM:
        if (is_bool)
            printf(xk_imm_value(e) ? "true" : "false");
        else
            number(o, xk_imm_value(e));
        return;
    case XK_OP_BCAST:
        put(o, xk_kid(e, 0));
        return;
    case XK_OP_MIN:
    case XK_OP_MAX:
        put_min(o, e);
        return;
    case XK_OP_MAD:
    case XK_OP_ADD3:
    case XK_OP_RAMP:
        put_mad(o, e, xk_op(e) == XK_OP_RAMP);
        return;
    default:
        printf("(%s", op_name(o, xk_op(e), is_bool));
        for (unsigned i = 0; i < xk_n_kids(e); i++) {
            printf(" ");
            put(o, xk_kid(e, i));
        }
        printf(")");
    }
}

/* v % d == 0 with a variable v. */
static bool is_divides(const xk_expr *e)
{
    int64_t v = 0;
    return xk_op(e) == XK_OP_EQ && xk_op(xk_kid(e, 0)) == XK_OP_MOD &&
           xk_op(xk_kid(xk_kid(e, 0), 0)) == XK_OP_VAR &&
           xk_is_const(xk_kid(e, 1), &v) && v == 0;
}

/* The divisor that a guard gives variable v, over the integers: v is defined
 * as divisor * witness instead of being declared. */
static const xk_expr *divisor_of(const struct rule_text *r,
                                 const struct mode *m, const xk_expr *v)
{
    for (unsigned i = 0; i < r->n_clauses && !m->bits; i++) {
        const xk_expr *const e = r->clause[i];
        if (is_divides(e) && xk_kid(xk_kid(e, 0), 0) == v)
            return xk_kid(xk_kid(e, 0), 1);
    }
    return NULL;
}

static void put_guard(struct out *o, const xk_expr *e)
{
    if (!o->m->bits && is_divides(e))
        return; /* by definition of the variable */
    /* Clauses are about integers: wide enough not to wrap; but a division is
     * exact at any width. */
    o->extra_bits = o->m->bits && !is_divides(e) ? 4 : 0;
    printf("(assert ");
    put(o, e);
    printf(")\n");
    o->extra_bits = 0;
}

static void define_division(const struct mode *m)
{
    const unsigned n = m->bits;
    if (!n) {
        puts("(define-fun floordiv ((a Int) (b Int)) Int (ite (= b 0) 0 "
             "(ite (> b 0) (div a b) (div (- a) (- b)))))");
        puts("(define-fun floormod ((a Int) (b Int)) Int (ite (= b 0) 0 "
             "(- a (* b (floordiv a b)))))");
        return;
    }
    printf("(define-fun floordiv ((a (_ BitVec %u)) (b (_ BitVec %u))) "
           "(_ BitVec %u) (ite (= b (_ bv0 %u)) (_ bv0 %u) ",
           n, n, n, n, n);
    if (m->is_signed)
        printf("(ite (and (distinct (bvsrem a b) (_ bv0 %u)) (xor (bvslt a "
               "(_ bv0 %u)) (bvslt b (_ bv0 %u)))) (bvsub (bvsdiv a b) "
               "(_ bv1 %u)) (bvsdiv a b))))\n",
               n, n, n, n);
    else
        printf("(bvudiv a b)))\n");
    printf("(define-fun floormod ((a (_ BitVec %u)) (b (_ BitVec %u))) "
           "(_ BitVec %u) (ite (= b (_ bv0 %u)) (_ bv0 %u) (%s a b)))\n",
           n, n, n, n, n, m->is_signed ? "bvsmod" : "bvurem");
}

static void define_variables(const struct rule_text *r, const struct mode *m)
{
    char sort[40] = "Int";
    struct out o = {.m = m, .r = r};
    if (m->bits)
        snprintf(sort, sizeof(sort), "(_ BitVec %u)", m->bits);
    for (unsigned i = 0; i < RULE_BITS; i++) {
        const xk_expr *const v = r->vars[i];
        if (!xk_depends_on(r->left, v))
            continue;
        const char *const name = rule_var_names[i];
        if (divisor_of(r, m, v))
            printf("(declare-const %s_of Int)\n", name);
        else
            printf("(declare-const %s %s)\n", name,
                   xk_type_of(v).dt == XK_DT_BOOL ? "Bool" : sort);
    }
    for (unsigned i = 0; i < RULE_BITS; i++) {
        const xk_expr *const d = divisor_of(r, m, r->vars[i]);
        if (!d)
            continue;
        printf("(define-fun %s () Int (* %s_of ", rule_var_names[i],
               rule_var_names[i]);
        put(&o, d);
        printf("))\n");
    }
    if (xk_type_of(r->left).lanes > 1)
        printf("(declare-const lane %s)\n", sort);
}

/* Instances of the rule add_mul_div, which is proven in the same run, that the
 * solver does not find: (t * c1 + rest) / c1 = t + rest / c1. */
static const struct lemma {
    const char *rule, *t, *rest;
} lemmas[] = {
    {"add_mul_mod", "(* x c0_of)", "y"},
    {"sub_mul_mod", "(- (* x c0_of))", "y"},
    {"add_self_mod", "c0_of", "x"},
    {"mod_mod", "(- (* c0_of (floordiv x c0)))", "x"},
};

static void put_lemma(const struct rule_text *r, const struct mode *m)
{
    for (unsigned i = 0; i < XK_COUNTOF(lemmas) && !m->bits; i++) {
        const struct lemma *const l = &lemmas[i];
        if (!strcmp(l->rule, r->name))
            printf("(assert (= (div (+ (* %s c1) %s) c1) (+ %s (div %s "
                   "c1))))\n",
                   l->t, l->rest, l->t, l->rest);
    }
}

/* The whole proof, or with `part` (an assertion) one case of it. */
static void prove_part(const struct rule_text *r, const struct mode *m,
                       const char *part_name, const char *part)
{
    struct out o = {.m = m, .r = r};
    printf("(push)\n(echo \"%s %s%s\")\n", r->name, m->name, part_name);
    define_division(m);
    define_variables(r, m);
    for (unsigned i = 0; i < r->n_clauses; i++)
        put_guard(&o, r->clause[i]);
    put_lemma(r, m);
    printf("%s(assert (not (= ", part);
    put(&o, r->left);
    printf(" ");
    put(&o, r->right);
    printf(")))\n(check-sat)\n(pop)\n");
}

static bool has_op(const xk_expr *e, enum xk_op op)
{
    if (xk_op(e) == op)
        return true;
    for (unsigned i = 0; i < xk_n_kids(e); i++) {
        if (has_op(xk_kid(e, i), op))
            return true;
    }
    return false;
}

/* Shifts by c0 in 64 bits: one case for each count, and one that says there
 * are no others. */
static void prove_shift_cases(const struct rule_text *r, const struct mode *m)
{
    char name[40], part[120];
    for (unsigned n = 0; n < m->bits; n++) {
        snprintf(name, sizeof(name), " c0=%u", n);
        snprintf(part, sizeof(part), "(assert (= c0 (_ bv%u %u)))\n", n,
                 m->bits);
        prove_part(r, m, name, part);
    }
    snprintf(part, sizeof(part), "(assert (bvuge c0 (_ bv%u %u)))\n", m->bits,
             m->bits);
    prove_part(r, m, " c0 beyond", part);
}

static void prove(const struct rule_text *r, const struct mode *m)
{
    const bool shifts =
        has_op(r->left, XK_OP_SHL) || has_op(r->left, XK_OP_SHR);
    if (shifts && m->bits == 64 && xk_depends_on(r->left, r->vars[9]))
        prove_shift_cases(r, m);
    else
        prove_part(r, m, "", "");
}

static bool has_division(const xk_expr *e)
{
    return has_op(e, XK_OP_DIV) || has_op(e, XK_OP_MOD);
}

static bool has_number(const struct rule_text *r, const xk_expr *e)
{
    if (xk_op(e) == XK_OP_VAR)
        return xk_type_of(e).dt != XK_DT_BOOL;
    for (unsigned i = 0; i < xk_n_kids(e); i++) {
        if (has_number(r, xk_kid(e, i)))
            return true;
    }
    return false;
}

static void prove_all_modes(const struct rule_text *r)
{
    static const struct mode modes[] = {{"int", 0, true},   {"s32", 32, true},
                                        {"u32", 32, false}, {"s64", 64, true},
                                        {"u64", 64, false}, {"s8", 8, true},
                                        {"u8", 8, false}};
    bool division = has_division(r->left) || has_division(r->right);
    for (unsigned i = 0; i < r->n_clauses; i++)
        division = division || has_division(r->clause[i]);
    if (r->nowrap || !has_number(r, r->left)) {
        prove(r, &modes[0]);
        return;
    }
    for (unsigned i = 1; i < XK_COUNTOF(modes); i++) {
        if (division == (modes[i].bits == 8))
            prove(r, &modes[i]);
    }
    /* Beyond 8 bits: over the integers, where the rule makes sense. */
    if (division)
        prove(r, &modes[0]);
}

/* The replacement made wrong: a number is one too large, a bool inverted. */
static void mutate(xk_ctx *c, struct rule_text *r)
{
    if (xk_type_of(r->right).dt == XK_DT_BOOL)
        r->right = xk_un(c, XK_OP_NOT, r->right);
    else
        r->right = xk_add(c, r->right, xk_s32(c, 1));
}

int main(int argc, char **argv)
{
    const bool wrong = argc > 1 && !strcmp(argv[1], "--mutate");
    puts("(set-option :timeout 20000)");
    for (unsigned i = 0; i < xk_rule_count(); i++) {
        struct rule_text r;
        if (!xk_rule_row(i)->pattern)
            continue;
        xk_ctx *const c = xk_ctx_create(NULL);
        if (!c || !rule_text_read(c, xk_rule_row(i), &r)) {
            fprintf(stderr, "%s: %s\n", xk_rule_name(i),
                    c ? c->error.message : "out of memory");
            return EXIT_FAILURE;
        }
        if (wrong)
            mutate(c, &r);
        prove_all_modes(&r);
        xk_ctx_destroy(c);
    }
    return EXIT_SUCCESS;
}
