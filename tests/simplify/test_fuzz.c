/* SPDX-License-Identifier: Apache-2.0 */
/* The whole simplifier against the evaluator: random expressions over every op
 * and type, random facts, random inputs within the facts. Where the original
 * is defined, the result has the same value; ranges contain every value. */
#include <stdio.h>
#include <stdlib.h>

#include "simplify/simplify.h"
#include "tests/ir/random_expr.h"
#include "tests/simplify/eval.h"
#include "tests/simplify/suites.h"

enum { N_VARS = 14, N_INPUTS = 24, N_EXPRS = 6000 };

static const struct xk_type types[N_VARS] = {
    {XK_DT_S32, 0, 1},  {XK_DT_S32, 0, 1},  {XK_DT_S32, 0, 1},
    {XK_DT_S32, 0, 1},  {XK_DT_S64, 0, 1},  {XK_DT_U32, 0, 1},
    {XK_DT_U8, 0, 1},   {XK_DT_S8, 0, 1},   {XK_DT_U64, 0, 1},
    {XK_DT_S16, 0, 1},  {XK_DT_BOOL, 0, 1}, {XK_DT_BOOL, 0, 1},
    {XK_DT_BOOL, 0, 4}, {XK_DT_U16, 0, 1}};

struct fact {
    int64_t lo, hi, mod, rem;
};

static void random_fact(uint64_t *rng, const struct xk_type t, struct fact *f)
{
    const int64_t lo = (int64_t)random_below(rng, 40) - 10;
    f->mod = 1;
    f->rem = 0;
    f->lo = xk_dtype_is_signed((enum xk_dtype)t.dt) ? lo : lo & 15;
    f->hi = f->lo + (int64_t)random_below(rng, 60);
    if (random_below(rng, 3) == 0) {
        f->mod = 1 << random_below(rng, 4);
        f->rem = random_below(rng, 16) % f->mod;
        f->hi += f->mod;
    }
}

static wide random_input(uint64_t *rng, const struct fact *f, enum xk_dtype dt)
{
    if (!f->mod) {
        const int64_t bits = (int64_t)random_u64(rng);
        return eval_wrap(dt, random_below(rng, 2) ? bits : bits & 31);
    }
    /* The first value of the congruence at or above lo, and multiples. */
    int64_t first = f->lo;
    while (((first - f->rem) % f->mod + f->mod) % f->mod)
        first++;
    const int64_t n = (f->hi - first) / f->mod + 1;
    return first + (int64_t)random_below(rng, (unsigned)n) * f->mod;
}

struct run {
    xk_ctx *c;
    xk_facts *f;
    const xk_expr *vars[N_VARS];
    struct fact fact[N_VARS]; /* mod 0: nothing was said */
    const xk_expr *in, *out;
    uint64_t seed, rng;
    unsigned n_defined;
};

static void fail_with(const struct run *r, const char *what)
{
    struct xk_str s;
    xk_str_init(&s, NULL);
    xk_str_printf(&s, "seed %llu: %s: ", (unsigned long long)r->seed, what);
    xk_print(r->in, &s);
    xk_str_puts(&s, " gives ");
    if (r->out)
        xk_print(r->out, &s);
    ck_abort_msg("%s", xk_str_get(&s));
}

static void check_range(const struct run *r, wide value)
{
    int64_t lo, hi, mod, rem;
    if (xk_type_of(r->in).dt == XK_DT_U64 && value > INT64_MAX)
        return; /* unbounded there */
    if (xk_facts_range(r->f, r->in, &lo, &hi) && (value < lo || value > hi))
        fail_with(r, "value outside the range");
    xk_facts_divisibility(r->f, r->in, &mod, &rem);
    if (mod ? (value - rem) % mod != 0 : value != rem)
        fail_with(r, "value not of the congruence");
}

static void check_input(struct run *r)
{
    wide values[N_VARS];
    for (unsigned i = 0; i < N_VARS; i++)
        values[i] =
            random_input(&r->rng, &r->fact[i], (enum xk_dtype)types[i].dt);
    struct env env = {.n = N_VARS, .vars = r->vars, .values = values};
    for (unsigned lane = 0; lane < xk_type_of(r->in).lanes; lane++) {
        env.undefined = env.unbounded = false;
        const wide want = eval(&env, r->in, lane);
        if (env.undefined)
            continue;
        r->n_defined++;
        check_range(r, want);
        env.unbounded = true;
        const wide got = eval(&env, r->out, lane);
        if (env.undefined || got != want)
            fail_with(r, "another value");
    }
}

static void begin(struct run *r)
{
    r->c = xk_ctx_create(NULL);
    r->f = xk_facts_create(r->c);
    for (unsigned i = 0; i < N_VARS; i++) {
        const struct fact none = {0, 0, 0, 0};
        r->vars[i] = xk_var(r->c, types[i], "v");
        r->fact[i] = none;
        if (types[i].dt == XK_DT_BOOL || random_below(&r->rng, 3) == 0)
            continue;
        random_fact(&r->rng, types[i], &r->fact[i]);
        const struct fact *const a = &r->fact[i];
        xk_facts_set(r->f, r->vars[i], a->lo, a->hi, a->mod, a->rem);
    }
}

static unsigned fuzz_one(uint64_t seed)
{
    static const enum xk_dtype dts[] = {XK_DT_S32, XK_DT_BOOL, XK_DT_S32,
                                        XK_DT_S64, XK_DT_U8,   XK_DT_U32,
                                        XK_DT_S32, XK_DT_U64,  XK_DT_S16};
    struct run r = {.seed = seed, .rng = seed};
    random_u64(&r.rng);
    begin(&r);
    struct random_expr gen = {.c = r.c,
                              .rng = r.rng,
                              .vars = r.vars,
                              .n_vars = N_VARS,
                              .ints_only = true};
    const enum xk_dtype dt = dts[random_below(&r.rng, XK_COUNTOF(dts))];
    const unsigned lanes = random_below(&r.rng, 4) ? 1 : 4;
    r.in =
        random_expr(&gen, xk_type_vec(dt, lanes), 2 + random_below(&r.rng, 4));
    r.out = r.in ? xk_simplify(r.c, r.in, r.f) : NULL;
    if (!r.out || xk_ctx_status(r.c) != XK_OK)
        fail_with(&r, r.c->error.message);
    if (!xk_type_eq(xk_type_of(r.in), xk_type_of(r.out)))
        fail_with(&r, "another type");
    for (unsigned i = 0; i < N_INPUTS; i++)
        check_input(&r);
    xk_facts_unref(r.f);
    if (xk_ctx_destroy(r.c))
        ck_abort_msg("seed %llu: nodes are held", (unsigned long long)seed);
    return r.n_defined;
}

/* XK_FUZZ_SEED picks one seed, XK_FUZZ_N how many. */
START_TEST(simplified_expressions_have_the_same_value)
{
    const char *const one = getenv("XK_FUZZ_SEED"), *const n =
                                                        getenv("XK_FUZZ_N");
    const long count = n ? strtol(n, NULL, 10) : N_EXPRS;
    uint64_t n_defined = 0;
    if (one) {
        fuzz_one(strtoull(one, NULL, 10));
        return;
    }
    for (long i = 0; i < count; i++)
        n_defined += fuzz_one(0x9e3779b97f4a7c15u * (uint64_t)(i + 1) | 1);
    /* Half of all inputs must be defined, or this shows little. */
    ck_assert_uint_gt(n_defined, (uint64_t)count * N_INPUTS / 2);
}
END_TEST

TCase *simplify_fuzz_cases(void)
{
    TCase *const t = tcase_create("fuzz");
    tcase_set_timeout(t, 600);
    tcase_add_test(t, simplified_expressions_have_the_same_value);
    return t;
}
