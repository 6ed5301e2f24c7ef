/* SPDX-License-Identifier: Apache-2.0 */
/* Whole translations: addresses across 4 GiB, the vendor's assembler, answers
 * to what does not fit, determinism, failing allocations. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "suites.h"

/* Everything at once; also the sample for the assembler. */
static const char sample[] =
    "kernel sample simd 16 (src: ptr.global, dst: ptr.global, n: s32, "
    "gx: group_x < 50, tid: thread < 4) {\n"
    "let p: s32x16 = ramp.16(gx * 64 + tid * 16, 1)\n"
    "let y: s32x16 = p / bcast.16(30)\nlet x: s32x16 = p % bcast.16(30)\n"
    "let m: boolx16 = (y < bcast.16(20)) & (x >= bcast.16(1))\n"
    "alloc a: grf[512]\nalloc b: grf[128]\nalloc acc: grf[64]\n"
    "store &acc[0] = bcast.16(0.0)\n"
    "for k in 0..n { pipe i in 0..5 slots 2 stages 2 {\n"
    "stage 0 {\n"
    "send.load.global.a64.d32x4.s16(&src[0], y * bcast.16(480) + x * "
    "bcast.16(16) + bcast.16(i * 16), &a[(i % 2) * 256], m)\n"
    "send.load.global.a64.d32x16.block(&src[0], k * 64 + i * 64, "
    "&b[(i % 2) * 64], true)\n}\n"
    "stage 1 {\n"
    "mad.f32.s16.b110(&acc[0], &acc[0], &a[(i % 2) * 256 + 64], &b[(i % 2) * "
    "64 + 8])\n"
    "mad.f32.s16.b110(&acc[0], &acc[0], &a[(i % 2) * 256 + 192], &b[(i % 2) * "
    "64 + 60])\n} } }\n"
    "if (gx > 3) { load v: f32x16 = &acc[0]\n"
    "store &acc[0] = max(v, bcast.16(0.0)) }\n"
    "send.store.global.a64.d32x1.s16(&dst[0], p * bcast.16(4), &acc[0], m)\n"
    "}\n";

/* Addresses are stored as data. */
static const char addresses[] =
    "kernel t simd 16 (dst: ptr.global, base: u64, tid: thread < 2) {\n"
    "let o: s32x16 = ramp.16(tid * 16, 4)\n"
    "alloc h: grf[128]\nalloc s: grf[128]\n"
    "store &h[0] = bcast.16(base) + cast.u64(o)\n"
    "send.store.global.a64.d64x1.s16(&dst[0], ramp.16(tid * 128, 8), &h[0], "
    "bcast.16(true))\n"
    /* in place, by a scalar, by a constant, by a vector */
    "load h0: u64x16 = &h[0]\nstore &h[0] = h0 + bcast.16(cast.u64(tid + 60))\n"
    "load h1: u64x16 = &h[0]\nstore &h[0] = h1 + bcast.16(40:u64)\n"
    "load h2: u64x16 = &h[0]\nstore &h[0] = h2 + cast.u64(o)\n"
    "send.store.global.a64.d64x1.s16(&dst[0], ramp.16(tid * 128 + 256, 8), "
    "&h[0], bcast.16(true))\n"
    /* scalars */
    "let b1: u64 = base + cast.u64(tid * 100)\n"
    "store &s[0] = b1 + cast.u64(tid + 28)\nstore &s[8] = b1\n"
    "load s0: u64 = &s[0]\nstore &s[0] = s0 + 4294967296:u64\n"
    "store &s[16] = s0 + b1\nstore &s[24] = cast.u64(tid)\n"
    "store &s[32] = b1 + 0:u64\nstore &s[40] = base + 100:u64\n"
    "store &s[48] = 81985529216486895:u64\nstore &s[56] = base\n"
    "send.store.global.a64.d32x16.block(&dst[0], tid * 64 + 512, &s[0], "
    "true)\n}\n";

START_TEST(addresses_carry_across_4_gib)
{
    static const uint64_t bases[] = {0,
                                     0xffffffffu,
                                     0xffffffc0u,
                                     0x1ffffff80u,
                                     0x7fffffffffe0u,
                                     0xffff80000000u};
    uint64_t out[128] = {0};
    const struct cg_case k = {.text = addresses,
                              .groups = {1, 1, 1},
                              .n_threads = 2,
                              .buffer = {{out, sizeof out}},
                              .wide = bases[_i]};
    cg_run(&k);
    ck_assert_uint_eq(out[15], bases[_i] + 60);
    ck_assert_uint_eq(out[16], bases[_i] + 16);
    ck_assert_uint_eq(out[64 + 3], 0);
    ck_assert_uint_eq(out[64 + 8], bases[_i] + 100 + 29 + (UINT64_C(1) << 32));
}
END_TEST

static void write_file(const char *path, const void *p, size_t n_b)
{
    FILE *const f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(p, 1, n_b, f), n_b);
    fclose(f);
}

/* Bytes of a file, at most n_b. */
static size_t read_file(const char *path, void *p, size_t n_b)
{
    FILE *const f = fopen(path, "rb");
    const size_t n = f ? fread(p, 1, n_b, f) : 0;
    if (f)
        fclose(f);
    return n;
}

START_TEST(the_vendors_assembler_gives_the_same_bytes)
{
    char dir[] = "/tmp/xk_codegen_XXXXXX", cmd[400], path[100];
    static uint8_t again[1 << 16];
    struct cg_code code;
    xk_ctx *const c = xk_ctx_create(NULL);
    if (system("command -v iga64 >/dev/null") != 0)
        return;
    if (cg_generate(c, _i ? addresses : sample, 0, &code) < 0)
        ck_abort_msg("%s", c->error.message);
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/k.krn", dir);
    write_file(path, code.code.s, code.code.len);
    snprintf(cmd, sizeof cmd,
             "cd %s && iga64 -p=12p71 -d k.krn -o k.asm 2>k.err && "
             "iga64 -p=12p71 -a k.asm -o k2.krn 2>>k.err && ! test -s k.err",
             dir);
    ck_assert_int_eq(system(cmd), 0);
    snprintf(path, sizeof path, "%s/k2.krn", dir);
    ck_assert_uint_eq(read_file(path, again, sizeof again), code.code.len);
    ck_assert_int_eq(memcmp(again, code.code.s, code.code.len), 0);
    snprintf(cmd, sizeof cmd, "rm -r %s", dir);
    ck_assert_int_eq(system(cmd), 0);
    cg_code_fini(&code);
    xk_ctx_destroy(c);
}
END_TEST

/* In a context where other things came first the bytes are the same. */
START_TEST(the_same_kernel_gives_the_same_bytes)
{
    struct cg_code a, b;
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_ctx *const d = xk_ctx_create(NULL);
    for (int i = 0; i < 500; i++)
        xk_var(d, xk_type_vec(XK_DT_S32, 1), "other");
    ck_assert_int_eq(cg_generate(c, sample, 0, &a), XK_OK);
    ck_assert_int_eq(cg_generate(d, addresses, 0, &b), XK_OK);
    cg_code_fini(&b);
    ck_assert_int_eq(cg_generate(d, sample, 0, &b), XK_OK);
    ck_assert_uint_eq(a.code.len, b.code.len);
    ck_assert_int_eq(memcmp(a.code.s, b.code.s, a.code.len), 0);
    cg_code_fini(&a);
    cg_code_fini(&b);
    xk_ctx_destroy(c);
    xk_ctx_destroy(d);
}
END_TEST

START_TEST(the_figures_are_those_of_the_code)
{
    struct cg_code k;
    unsigned n[3] = {0};
    xk_ctx *const c = xk_ctx_create(NULL);
    ck_assert_int_eq(cg_generate(c, sample, 0, &k), XK_OK);
    ck_assert_uint_eq(k.stats.instructions, k.code.len / 16);
    for (size_t i = 0; i < k.code.len; i += 16) {
        const uint8_t op = (uint8_t)k.code.s[i] & 0x7f;
        n[0] += op == 0x01;                                       /* sync */
        n[1] += op == 0x31;                                       /* send */
        n[2] += op == 0x5b && (k.code.s[i + 4] & 0xf0) >> 4 != 0; /* mad */
    }
    ck_assert_uint_eq(k.stats.syncs, n[0]);
    ck_assert_uint_eq(k.stats.sends, n[1]);
    ck_assert_uint_eq(k.stats.fma, 2 * 3); /* two copies, one in the drain */
    ck_assert_uint_le(k.stats.fma, n[2]);
    cg_code_fini(&k);
    xk_ctx_destroy(c);
}
END_TEST

static enum xk_status raw(const char *text, unsigned grf, char *message)
{
    struct xk_kernel k;
    struct xk_code_stats s;
    struct xk_str code;
    const struct xk_abi abi = {.platform = XK_PLATFORM_XEHPG,
                               .simd = 16,
                               .grf_count = (uint16_t)grf,
                               .inline_b = 32,
                               .n_args = 1,
                               .args = {{.name = "s", .size_b = 8}}};
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_str_init(&code, NULL);
    if (xk_kernel_parse(c, text, &k) < 0)
        ck_abort_msg("%s", c->error.message);
    const enum xk_status st =
        xk_codegen(c, xk_platform_get(XK_PLATFORM_XEHPG), &k, &abi,
                   &(struct xk_code_out){&code, NULL, &s});
    snprintf(message, 500, "%s", c->error.message);
    xk_str_fini(&code);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
    return st;
}

START_TEST(what_cannot_be_done_is_said)
{
    static const struct {
        const char *body;
        unsigned grf;
        enum xk_status st;
        const char *says;
    } bad[] = {
        {"alloc a: grf[3000]\nalloc b: grf[1100]\nstore &a[0] = bcast.16(1)\n"
         "store &b[0] = bcast.16(1)\nload x: s32x16 = &a[0]\n"
         "load y: s32x16 = &b[64]\nstore &a[64] = x + y",
         128, XK_ENOFIT, "of 128 registers"},
        {"alloc a: grf[8000]\nstore &a[0] = bcast.16(1)", 128, XK_ENOFIT,
         "buffer a"},
        {"alloc a: grf[3000]\nalloc b: grf[1100]\nstore &a[0] = bcast.16(1)\n"
         "store &b[0] = bcast.16(1)\nload x: s32x16 = &a[0]\n"
         "load y: s32x16 = &b[64]\nstore &a[64] = x + y",
         256, XK_OK, ""},
        {"alloc a: grf[64]\nstore &a[32] = bcast.16(1)", 128, XK_EINVAL,
         "buffer a"},
        {"alloc a: grf[64]\nfor i in 0..2 { store &a[i * 32] = bcast.8(1) }",
         128, XK_EUNSUPPORTED, "offset into a"},
        {"alloc a: grf[64]\nstore &a[0] = bcast.16(1)", 100, XK_EINVAL, "100"},
        {"alloc a: grf[64]\nalloc b: grf[64]\nfor i in 0..2 {\nsendh.load."
         "global.a64.d32x1.s16(&a[0], &b[16], bcast.16(true)) }",
         128, XK_EINVAL, "a"},
        {"alloc h: grf[64]\nalloc a: grf[128]\nstore &h[0] = ramp.16(0, 4)\n"
         "sendh.atomic_add.global.a32.d32x2.s16(&h[0], &a[0], bcast.16(true))",
         128, XK_EUNSUPPORTED, "atomic_add is of one f32 a lane"},
        {"alloc h: grf[64]\nalloc a: grf[64]\nstore &h[0] = ramp.16(0, 4)\n"
         "sendh.atomic_add.slm.a32.d32x1.s16(&h[0], &a[0], bcast.16(true))",
         128, XK_EUNSUPPORTED, "in global memory"},
        /* Eight dwords of 16 lanes are 16 registers, and a message has 8. */
        {"alloc h: grf[64]\nalloc a: grf[512]\nstore &h[0] = ramp.16(0, 32)\n"
         "sendh.load.slm.a32.d32x8.s16(&h[0], &a[0], bcast.16(true))",
         128, XK_EINVAL,
         "16 registers of data, 16 lanes by 8 of 4 bytes: at most 8"},
    };
    char text[1000], message[500];
    snprintf(text, sizeof text, "kernel k simd 16 (t: thread) {\n%s\n}\n",
             bad[_i].body);
    ck_assert_int_eq(raw(text, bad[_i].grf, message), bad[_i].st);
    if (!strstr(message, bad[_i].says))
        ck_abort_msg("'%s' does not say '%s'", message, bad[_i].says);
}
END_TEST

START_TEST(a_send_without_header_is_our_bug)
{
    char message[500];
    ck_assert_int_eq(
        raw("kernel k simd 16 (t: thread, s: ptr.global) {\nalloc a: grf[64]\n"
            "send.load.global.a64.d32x1.s16(&s[0], ramp.16(0, 4), &a[0], "
            "bcast.16(true))\n}\n",
            128, message),
        XK_EINTERNAL);
    ck_assert_ptr_nonnull(strstr(message, "header"));
}
END_TEST

START_TEST(an_argument_the_abi_does_not_have_is_named)
{
    char message[500];
    ck_assert_int_eq(
        raw("kernel k simd 16 (q: ptr.global) {\n}\n", 128, message),
        XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(message, "argument q"));
}
END_TEST

/* Shared nodes are translated once, not once for each way to them: 2^60 here.
 */
START_TEST(shared_expressions_cost_nothing_extra)
{
    struct xk_kernel k;
    struct xk_code_stats s;
    struct xk_str code;
    const struct xk_abi abi = {.platform = XK_PLATFORM_XEHPG,
                               .simd = 16,
                               .grf_count = 128,
                               .inline_b = 32};
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_str_init(&code, NULL);
    ck_assert_int_eq(xk_kernel_parse(c, "kernel k simd 16 (t: thread) {}", &k),
                     XK_OK);
    const xk_expr *const o = xk_var(c, xk_type_ptr(XK_SPACE_GRF), "o");
    const xk_expr *x =
        xk_bin_imm(c, XK_OP_XOR, _i ? k.params[0].var : xk_s32(c, 5), 3);
    for (int i = 0; i < 60; i++)
        x = xk_bin_imm(c, XK_OP_XOR, xk_mul(c, x, x), i);
    k.body = xk_alloc_stmt(c, o, (struct xk_alloc_info){.size_b = 32},
                           xk_store(c, xk_ptr(c, o, xk_s32(c, 0)), x));
    const struct xk_code_out to = {&code, NULL, &s};
    ck_assert_int_eq(
        xk_codegen(c, xk_platform_get(XK_PLATFORM_XEHPG), &k, &abi, &to),
        XK_OK);
    ck_assert_uint_lt(s.instructions, 400);
    xk_str_fini(&code);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}
END_TEST

/* An allocator that fails its n-th request and counts what is held. */
struct failing {
    long left;
    long held;
};

static void *failing_realloc(void *user, void *p, size_t n_b)
{
    struct failing *const f = user;
    if (n_b == 0) {
        f->held -= p != NULL;
        free(p);
        return NULL;
    }
    if (f->left-- == 0)
        return NULL;
    f->held += p == NULL;
    return realloc(p, n_b);
}

START_TEST(a_failing_allocation_leaks_nothing)
{
    long n = 0;
    for (bool done = false; !done; n++) {
        struct failing f = {.left = n};
        const struct xk_alloc a = {failing_realloc, &f};
        struct cg_code code;
        xk_ctx *const c = xk_ctx_create(&a);
        if (!c) {
            ck_assert_int_eq(f.held, 0);
            continue;
        }
        const enum xk_status st = cg_generate(c, sample, 0, &code);
        done = st == XK_OK;
        if (!done)
            ck_assert_int_eq(st, XK_ENOMEM);
        cg_code_fini(&code);
        ck_assert_uint_eq(xk_ctx_destroy(c), 0);
        ck_assert_int_eq(f.held, 0);
    }
    ck_assert_int_gt(n, 20);
}
END_TEST

/* A machine without flags: the validator says so before the encoder does. */
START_TEST(an_illegal_program_is_judged_before_it_leaves)
{
    struct xk_platform p = *xk_platform_get(XK_PLATFORM_XEHPG);
    xk_ctx *const c = xk_ctx_create(NULL);
    struct cg_code code;

    p.n_flag_regs = 0;
    ck_assert_int_eq(cg_generate_on(c, &p, sample, 128, &code), XK_EINTERNAL);
    ck_assert_ptr_nonnull(strstr(c->error.message, "violations"));
    ck_assert_ptr_nonnull(strstr(c->error.message, "breaks flag_range"));
    cg_code_fini(&code);
    xk_ctx_destroy(c);
}
END_TEST

TCase *cg_whole_tests(void)
{
    TCase *const t = tcase_create("whole");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, addresses_carry_across_4_gib, 0, 6);
    tcase_add_loop_test(t, the_vendors_assembler_gives_the_same_bytes, 0, 2);
    tcase_add_test(t, the_same_kernel_gives_the_same_bytes);
    tcase_add_test(t, the_figures_are_those_of_the_code);
    tcase_add_loop_test(t, what_cannot_be_done_is_said, 0, 7);
    tcase_add_test(t, a_send_without_header_is_our_bug);
    tcase_add_test(t, an_illegal_program_is_judged_before_it_leaves);
    tcase_add_test(t, an_argument_the_abi_does_not_have_is_named);
    tcase_add_loop_test(t, shared_expressions_cost_nothing_extra, 0, 2);
    tcase_add_test(t, a_failing_allocation_leaks_nothing);
    return t;
}
