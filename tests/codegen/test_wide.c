/* SPDX-License-Identifier: Apache-2.0 */
/* 64-bit integers against the reference interpreter, and offsets beyond 4 GiB
 * that the passes widen, on the simulator. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "binary/zebin.h"
#include "harness.h"
#include "passes/passes.h"
#include "xekern/device.h"
#include "suites.h"

enum { LANES = 16, GROUPS = 64, COUNT = LANES * GROUPS };

static const char kernel[] =
    "kernel t simd 16 (a: ptr.global, b: ptr.global, o: ptr.global, s: s32, "
    "w: u64, g: group_x < 64, t: thread < 1) {\n"
    "let off: s32x16 = ramp.16(g * 128, 8)\n"
    "alloc ra: grf[128]\nalloc rb: grf[128]\nalloc ro: grf[128]\n"
    "send.load.global.a64.d64x1.s16(&a[0], off, &ra[0], bcast.16(true))\n"
    "send.load.global.a64.d64x1.s16(&b[0], off, &rb[0], bcast.16(true))\n"
    "load x: %sx16 = &ra[0]\nload y: %sx16 = &rb[0]\n"
    "load i: s32x16 = &ra[0]\nload j: s32x16 = &rb[0]\n"
    "store &ro[0] = %s\n"
    "send.store.global.a64.d64x1.s16(&o[0], off, &ro[0], bcast.16(true))\n}\n";

static const uint64_t edges[] = {
    0,
    1,
    2,
    3,
    0xffff,
    0x10000,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xfffffffe,
    0xffffffff,
    0x100000000,
    0x100000001,
    0x1ffffffff,
    0x123456789abcdef0,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xffffffff00000000,
    0xffffffff80000000,
    0xfffffffffffffffe,
    0xffffffffffffffff,
};

/* keep: bits, the rest copies of the sign. */
static void fill(uint64_t *x, uint64_t seed, unsigned keep)
{
    for (unsigned i = 0; i < COUNT; i++) {
        const uint64_t r = cg_random(&seed) >> cg_random(&seed) % 64;
        x[i] = cg_random(&seed) & 1
                   ? edges[cg_random(&seed) % XK_COUNTOF(edges)]
                   : r;
        x[i] = (uint64_t)((int64_t)(x[i] << (64 - keep)) >> (64 - keep));
    }
}

static void run(const char *type, const char *expr, unsigned keep)
{
    static uint64_t x[COUNT], y[COUNT], out[COUNT];
    char text[2000];
    fill(x, 21, keep);
    fill(y, 22, keep);
    memset(out, 0, sizeof out);
    snprintf(text, sizeof text, kernel, type, type, expr);
    const struct cg_case k = {
        .text = text,
        .groups = {GROUPS, 1, 1},
        .n_threads = 1,
        .buffer = {{x, sizeof x}, {y, sizeof y}, {out, sizeof out}},
        .value = -77,
        .wide = 0x123456789abcdef1};
    cg_run(&k);
}

static const char *const u64_exprs[] = {
    "x + y",
    "x - y",
    "x * y",
    "x & y",
    "x | y",
    "x ^ y",
    "x - bcast.16(w)",
    "bcast.16(w) - x",
    "x * bcast.16(w)",
    "bcast.16(w * w)",
    "x * bcast.16(3:u64)",
    "x * bcast.16(1000000007:u64)",
    "x * bcast.16(4294967297:u64)",
    "x << bcast.16(1:u64)",
    "x << bcast.16(31:u64)",
    "x << bcast.16(32:u64)",
    "x << bcast.16(45:u64)",
    "x >> bcast.16(1:u64)",
    "x >> bcast.16(31:u64)",
    "x >> bcast.16(32:u64)",
    "x >> bcast.16(63:u64)",
    "cast.u64(cast.u32(x)) * cast.u64(cast.u32(y))",
    "cast.u64(cast.u32(x)) - cast.u64(cast.u32(y))",
    "x + bcast.16(5:u64) - cast.u64(cast.u32(y))",
    /* constants, known while code is emitted */
    "bcast.16(3:u64 << 40:u64)",
    "bcast.16(1099511627781:u64 >> 40:u64)",
    "bcast.16(1:u64 << 63:u64 >> 40:u64)",
    "bcast.16((1:u64 << 63:u64) / 3:u64)",
    "bcast.16((1:u64 << 63:u64) % 3:u64)",
    "bcast.16(min(1:u64 << 63:u64, 5:u64))",
    "bcast.16(max(1:u64 << 63:u64, 5:u64))",
    "bcast.16(cast.u64(1:u64 << 63:u64 > 5:u64))",
    "bcast.16(cast.u64(1:u64 << 63:u64 <= 5:u64))",
    "bcast.16(cast.u64((1:u32 - 2:u32) % 3:u32))",
};

START_TEST(u64_expressions_give_the_interpreters_bits)
{
    run("u64", u64_exprs[_i], 64);
}
END_TEST

/* The numbers are so small that nothing leaves s64. */
static const struct {
    const char *expr;
    unsigned keep;
} s64_exprs[] = {
    {"x + y", 62},
    {"x - y", 62},
    {"x * y", 31},
    {"x * bcast.16(-1000003:s64)", 40},
    {"x * bcast.16(cast.s64(s))", 40},
    {"cast.s64(i) * cast.s64(j)", 64},
    {"cast.s64(i) - cast.s64(j)", 64},
    {"cast.s64(i) * bcast.16(65536:s64) + bcast.16(cast.s64(s))", 64},
    {"x + cast.s64(ramp.16(0:u32, 268435456:u32))", 62},
    {"x >> bcast.16(1:s64)", 64},
    {"x >> bcast.16(40:s64)", 64},
    {"cast.s64(cast.s32(x) ^ cast.s32(y >> bcast.16(7:s64)))", 64},
    {"bcast.16(-5:s64 << 40:s64)", 64},
    {"bcast.16(-1099511627776:s64 >> 37:s64)", 64},
};

START_TEST(s64_expressions_give_the_interpreters_bits)
{
    run("s64", s64_exprs[_i].expr, s64_exprs[_i].keep);
}
END_TEST

/* Each group writes numbers to places of their own in 4200 MiB; s32 offsets
 * that leave s32, in front of a loop and in it. The simulator fills all that
 * memory: not in make check. */
#define MIB_PLACES 4200
static const char far_kernel[] =
    "kernel t simd 16 (a: ptr.global, g: group_x < 700) {\n"
    "alloc r: grf[64] align 32\n"
    "store &r[0] = bcast.16(g * 6)\n"
    "send.store.global.a64.d32x1.s16(&a[0], ramp.16(g * 6291456, 4), &r[0], "
    "bcast.16(true))\n"
    "for i in 1..6 step 1 {\nlet n: s32 = g * 6 + i\n"
    "store &r[0] = bcast.16(n)\n"
    "send.store.global.a64.d32x1.s16(&a[0], ramp.16(n * 1048576, 4), &r[0], "
    "bcast.16(true))\n}\n}\n";

static void make_far_code(xk_ctx *c, const char *text, struct xk_abi *abi,
                          struct xk_str *zebin)
{
    struct xk_kernel k;
    struct xk_str code;
    struct xk_code_stats stats;
    const struct xk_platform *const p = xk_platform_find("xehpg");
    const struct xk_pass_env env = {p, 32, 0};
    xk_str_init(&code, NULL);
    *abi = (struct xk_abi){.name = "t",
                           .platform = XK_PLATFORM_XEHPG,
                           .simd = 16,
                           .grf_count = 128,
                           .inline_b = 32,
                           .local = {16, 1, 1},
                           .n_args = 1};
    abi->args[0] = (struct xk_abi_arg){.name = "a",
                                       .kind = XK_ABI_ARG_GLOBAL_PTR,
                                       .written = true,
                                       .size_b = 8};
    c->verify = true;
    if (xk_kernel_parse(c, text, &k) < 0 ||
        xk_passes_run(c, &k, &env, NULL, NULL) < 0 ||
        xk_codegen(c, p, &k, abi, &(struct xk_code_out){&code, NULL, &stats}) <
            0 ||
        xk_zebin_write_kernel(c, abi, code.s, (uint32_t)code.len, zebin) < 0)
        ck_abort_msg("%s", c->error.message);
    xk_str_fini(&code);
}

static void check_far_places(xk_buffer *b)
{
    struct xk_error err = {0};
    for (int32_t i = 0; i < MIB_PLACES; i++) {
        int32_t got[16];
        ck_assert_int_eq(
            xk_buffer_read(b, (uint64_t)i << 20, got, sizeof got, &err), XK_OK);
        for (unsigned l = 0; l < 16; l++)
            ck_assert_int_eq(got[l], i);
    }
}

START_TEST(offsets_beyond_4_gib_are_widened)
{
    struct xk_abi abi;
    struct xk_str zebin;
    struct xk_error err = {0};
    xk_device *d = NULL;
    xk_module *m = NULL;
    xk_buffer *b = NULL;
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_str_init(&zebin, NULL);
    make_far_code(c, far_kernel, &abi, &zebin);
    const uint32_t groups[3] = {700, 1, 1};
    if (xk_device_create("sim", "xehpg", 1, &d, &err) < 0 ||
        xk_module_create(d, zebin.s, zebin.len, &m, &err) < 0 ||
        xk_buffer_create(d, (size_t)MIB_PLACES << 20, &b, &err) < 0)
        ck_abort_msg("%s", err.message);
    const struct xk_launch_arg arg = {.buffer = b};
    if (xk_launch(m,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc), "t",
                                           groups, abi.local, 1, &arg},
                  NULL, &err) < 0)
        ck_abort_msg("%s", err.message);
    check_far_places(b);
    xk_buffer_unref(b);
    xk_module_unref(m);
    xk_device_unref(d);
    xk_str_fini(&zebin);
    xk_ctx_destroy(c);
}
END_TEST

TCase *cg_wide_tests(void)
{
    TCase *const t = tcase_create("wide");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, u64_expressions_give_the_interpreters_bits, 0,
                        (int)XK_COUNTOF(u64_exprs));
    tcase_add_loop_test(t, s64_expressions_give_the_interpreters_bits, 0,
                        (int)XK_COUNTOF(s64_exprs));
    return t;
}

TCase *cg_far_tests(void)
{
    TCase *const t = tcase_create("far");
    tcase_set_timeout(t, 600);
    tcase_set_tags(t, "far");
    tcase_add_test(t, offsets_beyond_4_gib_are_widened);
    return t;
}
