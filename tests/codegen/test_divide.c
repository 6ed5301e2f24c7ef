/* SPDX-License-Identifier: Apache-2.0 */
/* Division by divisors known at run time: the simulator against C. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "suites.h"

enum { N_RANDOM = 100000, LANES = 16 };

static const char pairs[] =
    "kernel t simd 16 (a: ptr.global, b: ptr.global, o: ptr.global, "
    "p: ptr.global, s: s32, g: group_x < %u, t: thread < 1) {\n"
    "let off: s32x16 = ramp.16(g * 64, 4)\n"
    "alloc ra: grf[64]\nalloc rb: grf[64]\nalloc ro: grf[64]\n"
    "alloc rp: grf[64]\n"
    "send.load.global.a64.d32x1.s16(&a[0], off, &ra[0], bcast.16(true))\n"
    "send.load.global.a64.d32x1.s16(&b[0], off, &rb[0], bcast.16(true))\n"
    "load x: %sx16 = &ra[0]\nload y: %sx16 = &rb[0]\n"
    "store &ro[0] = %s\nstore &rp[0] = %s\n"
    "send.store.global.a64.d32x1.s16(&o[0], off, &ro[0], bcast.16(true))\n"
    "send.store.global.a64.d32x1.s16(&p[0], off, &rp[0], bcast.16(true))\n}\n";

static const uint32_t edges[] = {
    0,
    1,
    2,
    3,
    5,
    7,
    10,
    16,
    127,
    255,
    256,
    641,
    32767,
    32768,
    32769,
    65535,
    65536,
    65537,
    99991,
    1u << 20,
    (1u << 24) - 1,
    1u << 24,
    (1u << 24) + 1,
    0x3fffffff,
    0x40000000,
    0x55555555,
    0x7ffffffe,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xaaaaaaab,
    0xc0000000,
    0xffff0000,
    0xfffeffff,
    0xffff7fff,
    0xffff8000,
    0xffff8001,
    0xfffffff0,
    0xfffffff6,
    0xfffffff9,
    0xfffffffd,
    0xfffffffe,
    0xffffffff,
};

/* Numbers of one launch: n / d = q, n %% d = m, all as 32 bits. */
struct numbers {
    uint32_t count, *n, *d, *q, *m;
};

static void numbers_init(struct numbers *x, uint32_t count)
{
    x->count = (count + LANES - 1) / LANES * LANES;
    x->n = calloc(x->count, 4);
    x->d = calloc(x->count, 4);
    x->q = calloc(x->count, 4);
    x->m = calloc(x->count, 4);
    ck_assert(x->n && x->d && x->q && x->m);
}

static void numbers_fini(struct numbers *x)
{
    free(x->n);
    free(x->d);
    free(x->q);
    free(x->m);
}

/* A number of any size and either sign. */
static uint32_t any_number(uint64_t *state)
{
    const uint32_t x = cg_random32(state) >> cg_random32(state) % 32;
    return cg_random32(state) & 1 ? x : 0u - x;
}

static void set_pair(struct numbers *x, uint32_t at, uint32_t n, uint32_t d,
                     bool is_signed)
{
    if (is_signed && n == 0x80000000 && d == UINT32_MAX)
        n++; /* the quotient is no s32: undefined */
    x->n[at] = n;
    x->d[at] = d;
}

static void fill_edges(struct numbers *x, bool is_signed)
{
    numbers_init(x, XK_COUNTOF(edges) * XK_COUNTOF(edges));
    for (uint32_t i = 0; i < XK_COUNTOF(edges) * XK_COUNTOF(edges); i++)
        set_pair(x, i, edges[i / XK_COUNTOF(edges)],
                 edges[i % XK_COUNTOF(edges)], is_signed);
}

/* Every third next to a multiple of the divisor, where an estimate that is a
 * little wrong shows. */
static void fill_random(struct numbers *x, bool is_signed)
{
    uint64_t seed = is_signed ? 11 : 12;
    numbers_init(x, N_RANDOM);
    for (uint32_t i = 0; i < x->count; i++) {
        const uint32_t d = any_number(&seed);
        uint32_t n = any_number(&seed);
        if (i % 3 == 0)
            n = (d ? n / d * d : n) + cg_random32(&seed) % 3 - 1;
        set_pair(x, i, n, d, is_signed);
    }
}

/* As docs/ir.md defines them. */
static uint32_t expect(uint32_t n, uint32_t d, bool is_signed, uint32_t *m)
{
    int64_t a = n, b = d;
    if (is_signed) {
        a = (int32_t)n;
        b = (int32_t)d;
    }
    if (b == 0) {
        *m = 0;
        return 0;
    }
    int64_t q = a / b;
    if (q * b != a && (a < 0) != (b < 0))
        q--;
    *m = (uint32_t)(a - q * b);
    return (uint32_t)q;
}

static void check(const struct numbers *x, bool is_signed)
{
    for (uint32_t i = 0; i < x->count; i++) {
        uint32_t m;
        const uint32_t q = expect(x->n[i], x->d[i], is_signed, &m);
        if (x->q[i] != q || x->m[i] != m)
            ck_abort_msg("0x%x / 0x%x: 0x%x and 0x%x, not 0x%x and 0x%x",
                         x->n[i], x->d[i], x->q[i], x->m[i], q, m);
    }
}

static void run(const struct numbers *x, bool is_signed, const char *q,
                const char *m, int32_t s)
{
    char text[2000];
    const char *const type = is_signed ? "s32" : "u32";
    const uint32_t groups = x->count / LANES;
    struct cg_code code;
    snprintf(text, sizeof text, pairs, groups, type, type, q, m);
    const struct cg_case k = {.text = text,
                              .groups = {groups, 1, 1},
                              .n_threads = 1,
                              .buffer = {{x->n, x->count * 4},
                                         {x->d, x->count * 4},
                                         {x->q, x->count * 4},
                                         {x->m, x->count * 4}},
                              .value = s};
    xk_ctx *const c = xk_ctx_create(NULL);
    if (cg_generate(c, text, 0, &code) < 0)
        ck_abort_msg("%s\n%s", c->error.message, text);
    cg_run_code(&k, &code);
    cg_code_fini(&code);
    xk_ctx_destroy(c);
    check(x, is_signed);
}

START_TEST(edges_by_edges_are_divided_exactly)
{
    struct numbers x;
    fill_edges(&x, _i);
    run(&x, _i, "x / y", "x % y", 0);
    numbers_fini(&x);
}
END_TEST

START_TEST(random_numbers_are_divided_exactly)
{
    struct numbers x;
    fill_random(&x, _i);
    run(&x, _i, "x / y", "x % y", 0);
    numbers_fini(&x);
}
END_TEST

/* One divisor for all lanes: its part is computed once, as scalars. */
START_TEST(a_scalar_divisor_serves_all_lanes)
{
    static const char *const text[2][2] = {
        {"x / bcast.16(cast.u32(s))", "x % bcast.16(cast.u32(s))"},
        {"x / bcast.16(s)", "x % bcast.16(s)"}};
    const bool is_signed = _i % 2;
    const uint32_t d = edges[_i / 2];
    struct numbers x;
    numbers_init(&x, XK_COUNTOF(edges));
    for (uint32_t i = 0; i < x.count; i++)
        set_pair(&x, i, edges[i % XK_COUNTOF(edges)], d, is_signed);
    run(&x, is_signed, text[is_signed][0], text[is_signed][1], (int32_t)d);
    numbers_fini(&x);
}
END_TEST

/* Both scalar: the group's number by s, and s by it. */
START_TEST(scalars_are_divided_exactly)
{
    const uint32_t s = edges[_i / 2];
    const bool by_s = _i % 2;
    struct numbers x;
    numbers_init(&x, 40 * LANES);
    for (uint32_t i = 0; i < x.count; i++) {
        x.n[i] = by_s ? i / LANES : s;
        x.d[i] = by_s ? s : i / LANES;
    }
    run(&x, true, by_s ? "bcast.16(g / s)" : "bcast.16(s / g)",
        by_s ? "bcast.16(g % s)" : "bcast.16(s % g)", (int32_t)s);
    numbers_fini(&x);
}
END_TEST

/* What the ranges of the operands save, and constants that are not positive:
 * the divisor is (y & d_and) | d_or. */
static const struct {
    const char *q, *m;
    uint32_t n_and, d_and, d_or;
} known[] = {
    {"(x & bcast.16(2147483647)) / (y & bcast.16(2147483647))",
     "(x & bcast.16(2147483647)) % (y & bcast.16(2147483647))", INT32_MAX,
     INT32_MAX, 0},
    {"x / max(y & bcast.16(2147483647), bcast.16(1))",
     "x % max(y & bcast.16(2147483647), bcast.16(1))", UINT32_MAX, INT32_MAX,
     1},
    {"x / (y & bcast.16(65535))", "x % (y & bcast.16(65535))", UINT32_MAX,
     UINT16_MAX, 0},
    {"x / bcast.16(-3)", "x % bcast.16(-3)", UINT32_MAX, 0, 0xfffffffd},
    {"x / bcast.16(-2147483648)", "x % bcast.16(-2147483648)", UINT32_MAX, 0,
     0x80000000},
    {"x / bcast.16(0)", "x % bcast.16(0)", UINT32_MAX, 0, 0},
    {"bcast.16(-100) / y", "bcast.16(-100) % y", 0, UINT32_MAX, 0},
};

START_TEST(known_ranges_keep_divisions_exact)
{
    struct numbers x;
    fill_edges(&x, true);
    for (uint32_t i = 0; i < x.count; i++) {
        x.n[i] = known[_i].n_and ? x.n[i] & known[_i].n_and : 0u - 100;
        x.d[i] = (x.d[i] & known[_i].d_and) | known[_i].d_or;
    }
    run(&x, true, known[_i].q, known[_i].m, 0);
    numbers_fini(&x);
}
END_TEST

/* divide.c's steps with a reciprocal that is wrong by `ulp` units: hardware's
 * has no exact definition, and the simulator's is a good one. */
static uint32_t estimated(uint32_t n, uint32_t d, int ulp)
{
    float s = 1.0f / (float)d;
    for (; ulp; ulp += ulp < 0 ? 1 : -1)
        s = nextafterf(s, ulp < 0 ? 0.0f : 2.0f);
    s *= 1 - 0x1p-18f;
    const uint32_t q1 = (uint32_t)((float)n * s);
    const uint32_t r1 = n - q1 * d;
    const uint32_t q2 = (uint32_t)((float)r1 * s);
    ck_assert_uint_le(q2, INT16_MAX + 1);
    const uint32_t r2 = r1 - q2 * d;
    return q1 + q2 + (r2 >= d);
}

START_TEST(a_poor_reciprocal_is_good_enough)
{
    struct numbers x;
    fill_random(&x, false);
    for (uint32_t i = 0; i < x.count; i++)
        for (int ulp = -8; ulp <= 8 && x.d[i]; ulp += 4)
            ck_assert_uint_eq(estimated(x.n[i], x.d[i], ulp), x.n[i] / x.d[i]);
    numbers_fini(&x);
}
END_TEST

TCase *cg_divide_tests(void)
{
    TCase *const t = tcase_create("division");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, edges_by_edges_are_divided_exactly, 0, 2);
    tcase_add_loop_test(t, random_numbers_are_divided_exactly, 0, 2);
    tcase_add_loop_test(t, a_scalar_divisor_serves_all_lanes, 0,
                        2 * (int)XK_COUNTOF(edges));
    tcase_add_loop_test(t, scalars_are_divided_exactly, 0,
                        2 * (int)XK_COUNTOF(edges));
    tcase_add_loop_test(t, known_ranges_keep_divisions_exact, 0,
                        (int)XK_COUNTOF(known));
    tcase_add_test(t, a_poor_reciprocal_is_good_enough);
    return t;
}
