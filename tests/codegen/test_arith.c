/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions on edge values, against the reference interpreter. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/cg.h"
#include "harness.h"
#include "suites.h"

/* x and y: sixteen numbers a thread; the result is stored as 32 bits. */
static const char ints[] =
    "kernel t simd 16 (a: ptr.global, b: ptr.global, o: ptr.global, s: s32, "
    "g: group_x < %u, t: thread < 2) {\n"
    "let lin: s32 = g * 2 + t\n"
    "let off: s32x16 = ramp.16(lin * 64, 4)\n"
    "alloc ra: grf[64]\nalloc rb: grf[64]\nalloc ro: grf[64]\n"
    "send.load.global.a64.d32x1.s16(&a[0], off, &ra[0], bcast.16(true))\n"
    "send.load.global.a64.d32x1.s16(&b[0], off, &rb[0], bcast.16(true))\n"
    "load x: %s = &ra[0]\nload y: %s = &rb[0]\n"
    "store &ro[0] = %s\n"
    "send.store.global.a64.d32x1.s16(&o[0], off, &ro[0], bcast.16(true))\n}\n";

#define GROUPS 4
#define COUNT (GROUPS * 2 * 16)

static const int32_t edges[] = {
    0,          1,           -1,
    2,          -2,          3,
    7,          -7,          15,
    16,         255,         256,
    32767,      32768,       -32768,
    -32769,     65535,       65536,
    65537,      -65536,      99999,
    1000003,    0x7fff0000,  0x7ffffffe,
    INT32_MAX,  INT32_MIN,   INT32_MIN + 1,
    0x12345678, -0x12345678, 46341,
    10,         -10,
};

static void fill_ints(int32_t *x, uint64_t seed)
{
    for (unsigned i = 0; i < COUNT; i++)
        x[i] = cg_random32(&seed) & 1
                   ? edges[cg_random32(&seed) % XK_COUNTOF(edges)]
                   : (int32_t)cg_random32(&seed);
}

static void run_ints(const char *type, const char *expr, const int32_t *x,
                     const int32_t *y)
{
    char text[2000];
    int32_t out[COUNT] = {0};
    snprintf(text, sizeof text, ints, GROUPS, type, type, expr);
    const struct cg_case k = {.text = text,
                              .groups = {GROUPS, 1, 1},
                              .n_threads = 2,
                              .buffer = {{(void *)x, COUNT * 4},
                                         {(void *)y, COUNT * 4},
                                         {out, sizeof out}},
                              .value = 77};
    cg_run(&k);
}

static const char *const int_exprs[] = {
    "x + y",
    "x - y",
    "x * y",
    "x & y",
    "x | y",
    "x ^ y",
    "neg(x)",
    "not(x)",
    "min(x, y)",
    "max(x, y)",
    "x + bcast.16(100000)",
    "bcast.16(5) - x",
    "x - bcast.16(7)",
    "x * bcast.16(3)",
    "x * bcast.16(-3)",
    "x * bcast.16(65535)",
    "x * bcast.16(65536)",
    "x * bcast.16(1000003)",
    "x * bcast.16(-1000003)",
    "x << bcast.16(3)",
    "x >> bcast.16(5)",
    "x * (y & bcast.16(65535))",
    "(x & bcast.16(1023)) * y",
    "select(x < y, x, y)",
    "select(x == y, bcast.16(1), y)",
    "select((x <= y) & (x > bcast.16(0)), bcast.16(1), bcast.16(2))",
    "select((x <= y) | (x > bcast.16(0)), x, bcast.16(2))",
    "select((x <= y) ^ not(x >= bcast.16(9)), x, bcast.16(2))",
    "select(not((x != y) & (y > x)) & (x > bcast.16(s)), x, y)",
    "mad(x, y, bcast.16(-5))",
    "mad(x, y, bcast.16(100000))",
    "mad(bcast.16(7), x, y)",
    "add3(x, y, bcast.16(3))",
    "add3(x, y, x)",
    "add3(x, bcast.16(s), bcast.16(100000))",
    "x + bcast.16(s * 3 + 1)",
    "bcast.16((s + 5) * 3 - s) + x",
    "ramp.16(s, 3) + x",
    "ramp.16(0, 5) * x",
    /* a stride that no word holds was refused: columns of nchw f32 */
    "ramp.16(s, 50176) + x",
    "ramp.16(0, -100000) + x",
    "cast.s32(cast.u16(x)) + y",
    "cast.s32(cast.s16(x)) - y",
    "cast.s32(cast.u8(x)) + cast.s32(cast.s8(y))",
    "x % bcast.16(64)",
    "x / bcast.16(64)",
    "x / bcast.16(1)",
    "x % bcast.16(1)",
    "(x / bcast.16(7)) * bcast.16(10) + x % bcast.16(7)",
    "x + bcast.16(s / 7) + bcast.16((0 - s) / 5)",
    "bcast.16((s * s) % 100) ^ y",
    "bcast.16(min(s, 5) * max(s, 900)) + x",
    "shuffle[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0](x) + y",
    "bcast.16(shuffle[5](x)) + y",
    "shuffle[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7](x) * y",
};

START_TEST(integer_expressions_give_the_interpreters_bits)
{
    int32_t x[COUNT], y[COUNT];
    fill_ints(x, 1);
    fill_ints(y, 2);
    run_ints("s32x16", int_exprs[_i], x, y);
}
END_TEST

static const char *const unsigned_exprs[] = {
    "x / bcast.16(7:u32)",
    "x % bcast.16(7:u32)",
    "x / bcast.16(641:u32)",
    "x >> bcast.16(7:u32)",
    "max(x, y)",
    "select(x < y, x, y)",
    "x / bcast.16(3000000000:u32)",
    "x % bcast.16(65537:u32)",
    "x / max(y, bcast.16(1:u32))",
    "x % max(y, bcast.16(1:u32))",
    "cast.u32(cast.u16(x) / (cast.u16(y) | bcast.16(1:u16)))",
    "cast.u32(cast.s16(x) % (cast.s16(y) | bcast.16(1:s16)))",
    /* no product of ranges fits 64 bits */
    "(x * y) / bcast.16(7:u32)",
    "mad(x, x * y, y) % bcast.16(7:u32)",
};

START_TEST(unsigned_expressions_give_the_interpreters_bits)
{
    int32_t x[COUNT], y[COUNT];
    fill_ints(x, 3);
    fill_ints(y, 4);
    run_ints("u32x16", unsigned_exprs[_i], x, y);
}
END_TEST

static const char *const float_exprs[] = {
    "x + y",
    "x - y",
    "x * y",
    "max(x, y)",
    "min(x, bcast.16(1.5))",
    "neg(x)",
    "max(x, bcast.16(0.0))",
    "mad(x, y, y)",
    "select(x > y, x, bcast.16(3.0))",
    "bcast.16(2.0) - x",
    "x - bcast.16(2.0)",
    "x * bcast.16(0.25)",
    /* comparisons of comparisons: more than there are flags */
    "select(select(select(select(select(select(x > y, y, x) <= "
    "bcast.16(30.0), x, bcast.16(1.5)) < y, x, y) != x, y, x) >= "
    "bcast.16(-50.0), x + y, y) > x, x, y)",
    "cast.f32(cast.s32(x))",
    "cast.f32(cast.f16(x))",
    "cast.f32(cast.f16(x) + cast.f16(y))",
};

START_TEST(float_expressions_give_the_interpreters_bits)
{
    float x[COUNT], y[COUNT];
    uint64_t seed = 5;
    for (unsigned i = 0; i < COUNT; i++) {
        x[i] = (float)((int)(cg_random32(&seed) % 4001) - 2000) / 8;
        y[i] = (float)((int)(cg_random32(&seed) % 4001) - 2000) / 16;
    }
    run_ints("f32x16", float_exprs[_i], (const int32_t *)x, (const int32_t *)y);
}
END_TEST

static const int32_t big_divisors[] = {
    255,     256,     257,        641,        1000,      32767,
    32768,   32769,   65535,      65536,      65537,     99991,
    1000003, 1 << 24, 0x55555555, 0x7ffffffe, INT32_MAX, (1 << 30) + 1,
};

/* Numerators around multiples of d, and the ends. */
static void fill_numerators(int32_t *x, int32_t d)
{
    uint64_t seed = (uint64_t)d;
    for (unsigned i = 0; i < COUNT; i++) {
        const int32_t k = (int32_t)(cg_random32(&seed) % (INT32_MAX / d + 1u));
        const int64_t v = (int64_t)k * d + (int64_t)(i % 3) - 1;
        x[i] = (int32_t)(v > INT32_MAX ? INT32_MAX : v);
        if (i % 8 == 7)
            x[i] = INT32_MAX - (int32_t)(i / 8);
    }
    memcpy(x, edges, sizeof edges);
}

START_TEST(division_by_constants_is_floor_division)
{
    const int32_t d = _i < 200 ? _i + 1 : big_divisors[_i - 200];
    int32_t x[COUNT];
    char expr[300];
    fill_numerators(x, d);
    snprintf(expr, sizeof expr,
             "(x / bcast.16(%d)) ^ (x %% bcast.16(%d)) ^ "
             "((x & bcast.16(2147483647)) / bcast.16(%d)) ^ "
             "((x & bcast.16(8191)) %% bcast.16(%d))",
             d, d, d, d);
    run_ints("s32x16", expr, x, x);
}
END_TEST

__extension__ typedef unsigned __int128 wide;

/* The proof obligation of muldiv.c, checked with 128-bit products. */
START_TEST(magic_multipliers_are_exact)
{
    uint64_t seed = 9;
    for (unsigned i = 0; i < 20000; i++) {
        const unsigned bits = 1 + cg_random32(&seed) % 31;
        const uint64_t d = 2 + cg_random32(&seed) % ((1u << bits) - 1 + 1u);
        const uint64_t hi = i % 2 ? INT32_MAX : cg_random32(&seed) >> 12;
        struct xk_cg_magic k;
        if (!xk_cg_magic_find(d, hi, 32, 32, &k)) {
            ck_abort_msg("no multiplier for %llu", (unsigned long long)d);
        }
        ck_assert_uint_lt(k.m, UINT64_C(1) << 32);
        for (unsigned j = 0; j < 50; j++) {
            uint64_t x = cg_random32(&seed) % (hi + 1);
            if (j < 4)
                x = hi - (j < hi ? j : 0);
            else if (j < 20 && x >= d)
                x = x / d * d - j % 2;
            const uint64_t q = (uint64_t)(((wide)x * k.m) >> k.s);
            ck_assert_uint_eq(q, x / d);
        }
    }
}
END_TEST

START_TEST(unsupported_divisions_say_so)
{
    char text[400];
    struct cg_code code;
    xk_ctx *const c = xk_ctx_create(NULL);
    snprintf(text, sizeof text,
             "kernel k simd 16 (s: s32, t: thread) {\nalloc o: grf[32]\n"
             "store &o[0] = cast.u64(s) / cast.u64(t)\n}\n");
    ck_assert_int_eq(cg_generate(c, text, 0, &code), XK_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(c->error.message, "/ on u64"));
    cg_code_fini(&code);
    xk_ctx_destroy(c);
}
END_TEST

TCase *cg_arith_tests(void)
{
    TCase *const t = tcase_create("arithmetic");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, integer_expressions_give_the_interpreters_bits, 0,
                        (int)XK_COUNTOF(int_exprs));
    tcase_add_loop_test(t, unsigned_expressions_give_the_interpreters_bits, 0,
                        (int)XK_COUNTOF(unsigned_exprs));
    tcase_add_loop_test(t, float_expressions_give_the_interpreters_bits, 0,
                        (int)XK_COUNTOF(float_exprs));
    tcase_add_loop_test(t, division_by_constants_is_floor_division, 0,
                        200 + (int)XK_COUNTOF(big_divisors));
    tcase_add_test(t, magic_multipliers_are_exact);
    tcase_add_test(t, unsupported_divisions_say_so);
    return t;
}
