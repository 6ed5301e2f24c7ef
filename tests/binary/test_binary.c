/* SPDX-License-Identifier: Apache-2.0 */
/* The zebin writer: read back by ocloc and readelf where they are installed,
 * the same bytes each time, refusals, and every allocation failing once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "binary/zebin.h"
#include "isa/isa.h"
#include "tests/tap.h"

static xk_ctx *c;
static struct xk_str out;

static void setup(void)
{
    c = xk_ctx_create(NULL);
    ck_assert_ptr_nonnull(c);
    xk_str_init(&out, NULL);
}

static void teardown(void)
{
    xk_str_fini(&out);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

static struct xk_abi plain_abi(void)
{
    struct xk_abi a = {.name = "conv_fwd",
                       .platform = XK_PLATFORM_XEHPG,
                       .simd = 16,
                       .grf_count = 128,
                       .inline_b = 32,
                       .n_args = 3};

    a.args[0] = (struct xk_abi_arg){"src", XK_ABI_ARG_GLOBAL_PTR, false, 0, 8};
    a.args[1] = (struct xk_abi_arg){"dst", XK_ABI_ARG_GLOBAL_PTR, true, 8, 8};
    a.args[2] = (struct xk_abi_arg){"n", XK_ABI_ARG_VALUE, false, 16, 4};
    return a;
}

static struct xk_abi full_abi(void)
{
    struct xk_abi a = plain_abi();

    a.simd = 8;
    a.grf_count = 256;
    a.barriers = 1;
    a.slm_b = 65536;
    a.scratch_b = 4096;
    a.has_dpas = true;
    a.uses_local_ids = true;
    a.local[0] = 64;
    return a;
}

/* mov (8|M0) r112.0<1>:ud r0.0<1;1,0>:ud; send {EOT}: bytes by iga64 */
static const uint8_t code[32] = {
    0x61, 0x00, 0x03, 0x00, 0x20, 0x02, 0x05, 0x70, 0x04, 0x00, 0x10,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x31, 0x00, 0x03, 0x80, 0x04, 0x00,
    0x00, 0x00, 0x0c, 0x70, 0x20, 0x30, 0x00, 0x00, 0x00, 0x00,
};

static void write_ok(const struct xk_abi *a)
{
    ck_assert_msg(xk_zebin_write_kernel(c, a, code, sizeof(code), &out) ==
                      XK_OK,
                  "%s", c->error.message);
}

static uint64_t load(size_t at, unsigned n_b)
{
    uint64_t v = 0;

    ck_assert_uint_le(at + n_b, out.len);
    for (unsigned k = 0; k < n_b; k++)
        v |= (uint64_t)(uint8_t)out.s[at + k] << 8 * k;
    return v;
}

static bool installed(const char *program)
{
    char cmd[100];

    snprintf(cmd, sizeof(cmd), "command -v %s > /dev/null", program);
    return system(cmd) == 0;
}

/* Runs a program on the file just written; its output in *text. */
static int run_on_file(const char *fmt, char *text, size_t cap)
{
    char path[] = "/tmp/xk_zebin_XXXXXX", cmd[300];
    const int fd = mkstemp(path);
    FILE *f = fdopen(fd, "wb");
    size_t n;
    int rc;

    ck_assert_uint_eq(fwrite(out.s, 1, out.len, f), out.len);
    fclose(f);
    snprintf(cmd, sizeof(cmd), fmt, path);
    f = popen(cmd, "r");
    n = fread(text, 1, cap - 1, f);
    text[n] = 0;
    rc = pclose(f);
    remove(path);
    return rc;
}

START_TEST(the_driver_tool_calls_it_valid)
{
    const struct xk_abi a = _i ? full_abi() : plain_abi();
    char text[4000];

    write_ok(&a);
    ck_assert_int_eq(
        run_on_file("ocloc validate -file %s 2>&1", text, sizeof(text)), 0);
    ck_assert_msg(strstr(text, "Binary is VALID") != NULL, "%s", text);
    ck_assert_ptr_null(strstr(text, "potential problems"));
    ck_assert_ptr_nonnull(strstr(text, "Kernel #0 named conv_fwd"));
    ck_assert_ptr_nonnull(strstr(text, "Cross-thread data size 32"));
    ck_assert_ptr_nonnull(strstr(text, _i ? "Per-thread data size 96"
                                          : "Per-thread data size 0"));
}
END_TEST

START_TEST(readelf_reads_it_without_a_warning)
{
    const struct xk_abi a = plain_abi();
    char text[8000];

    write_ok(&a);
    ck_assert_int_eq(
        run_on_file("readelf -W -h -S -n %s 2>&1", text, sizeof(text)), 0);
    ck_assert_msg(!strstr(text, "arning") && !strstr(text, "rror"), "%s", text);
    ck_assert_ptr_nonnull(strstr(text, "Intel Graphics Technology"));
    ck_assert_ptr_nonnull(strstr(text, ".text.conv_fwd"));
    ck_assert_ptr_nonnull(strstr(text, ".ze_info"));
    ck_assert_ptr_nonnull(strstr(text, "IntelGT"));
    ck_assert_ptr_nonnull(strstr(text, "f6 04 00 00")); /* 1270 */
}
END_TEST

START_TEST(same_inputs_give_the_same_bytes)
{
    const struct xk_abi a = full_abi();
    struct xk_str again;

    write_ok(&a);
    xk_str_init(&again, NULL);
    ck_assert_int_eq(xk_zebin_write_kernel(c, &a, code, sizeof(code), &again),
                     XK_OK);
    ck_assert_uint_eq(again.len, out.len);
    ck_assert_mem_eq(again.s, out.s, out.len);
    xk_str_fini(&again);
}
END_TEST

/* NEO e37c60bf, getPaddingForISAAllocation. */
static const struct {
    enum xk_platform_id platform;
    uint16_t inline_b;
    uint32_t padding_b;
} padded[] = {{XK_PLATFORM_XELP, 0, 512},
              {XK_PLATFORM_XEHPG, 32, 512},
              {XK_PLATFORM_XEHPC, 32, 3584}};

START_TEST(code_is_padded_with_zeros)
{
    struct xk_abi a = plain_abi();
    const size_t headers = 40; /* e_shoff */
    size_t text, at, size_b;

    a.platform = padded[_i].platform;
    a.inline_b = padded[_i].inline_b;
    write_ok(&a);
    text = load(headers, 8) + 64;
    at = load(text + 24, 8);
    size_b = load(text + 32, 8);
    ck_assert_uint_ge(size_b, sizeof(code) + padded[_i].padding_b);
    ck_assert_uint_lt(size_b, sizeof(code) + padded[_i].padding_b + 64);
    ck_assert_uint_eq(size_b % 64, 0);
    ck_assert_uint_eq(at % 64, 0);
    ck_assert_mem_eq(out.s + at, code, sizeof(code));
    for (size_t k = sizeof(code); k < size_b; k++)
        ck_assert_int_eq(out.s[at + k], 0);
}
END_TEST

/* The text of .ze_info, to the end of the file. */
static const char *info(void)
{
    const char *s = memmem(out.s, out.len, "---\n", 4);

    ck_assert_ptr_nonnull(s);
    return s;
}

START_TEST(metadata_has_what_the_record_has)
{
    struct xk_abi a = plain_abi();

    write_ok(&a);
    ck_assert_ptr_nonnull(strstr(info(), "version: '1.0'\n"));
    ck_assert_ptr_nonnull(strstr(info(), "simd_size: 16\n"));
    ck_assert_ptr_null(strstr(info(), "slm_size"));
    ck_assert_ptr_null(strstr(info(), "barrier_count"));
    ck_assert_ptr_null(strstr(info(), "has_dpas"));
    ck_assert_ptr_null(strstr(info(), "local_id"));
    ck_assert_ptr_null(strstr(info(), "required_work_group_size"));
    xk_str_clear(&out);
    a = full_abi();
    write_ok(&a);
    ck_assert_ptr_nonnull(strstr(info(), "grf_count: 256\n"));
    ck_assert_ptr_nonnull(strstr(info(), "slm_size: 65536\n"));
    ck_assert_ptr_nonnull(strstr(info(), "barrier_count: 1\n"));
    ck_assert_ptr_nonnull(strstr(info(), "has_dpas: true\n"));
    ck_assert_ptr_nonnull(strstr(info(), "- 64\n        - 1\n        - 1\n"));
    ck_assert_ptr_nonnull(strstr(info(), "arg_type: local_id\n"));
    ck_assert_ptr_nonnull(strstr(info(), "type: scratch\n"));
}
END_TEST

static void long_name(struct xk_abi *a)
{
    memset(a->name, 'a', sizeof(a->name));
}
static void bad_name(struct xk_abi *a)
{
    strcpy(a->name, "a: b");
}
static void empty_name(struct xk_abi *a)
{
    a->name[0] = 0;
}
static void bad_platform(struct xk_abi *a)
{
    a->platform = XK_PLATFORM_NONE;
}
static void bad_simd(struct xk_abi *a)
{
    a->simd = 4;
}
static void bad_grf(struct xk_abi *a)
{
    a->grf_count = 100;
}
static void much_slm(struct xk_abi *a)
{
    a->slm_b = 65537;
}
static void many_args(struct xk_abi *a)
{
    a->n_args = 65;
}
static void overlapping(struct xk_abi *a)
{
    a->args[1].offset_b = 0;
}
static void misaligned(struct xk_abi *a)
{
    a->args[1].offset_b = 12;
}
static void bad_inline(struct xk_abi *a)
{
    a->inline_b = 16;
}

static void two_barriers(struct xk_abi *a)
{
    a->barriers = 2;
}
static void many_threads(struct xk_abi *a)
{
    a->local[0] = 16 * 129;
    a->local[1] = a->local[2] = 1;
}
static void many_wide_threads(struct xk_abi *a)
{
    many_threads(a);
    a->local[0] = 16 * 65;
    a->grf_count = 256;
}
static void many_wide_items(struct xk_abi *a)
{
    many_threads(a);
    a->local[0] = 16 * 33;
    a->grf_count = 256;
}
static void no_wide_threads(struct xk_abi *a)
{
    a->platform = XK_PLATFORM_XELP;
    a->inline_b = 0;
    a->grf_count = 256;
}

static const struct {
    void (*spoil)(struct xk_abi *a);
    const char *says;
} refused[] = {
    {long_name, "identifier"},
    {bad_name, "identifier"},
    {empty_name, "identifier"},
    {bad_platform, "platform 0"},
    {bad_simd, "simd 4"},
    {bad_grf, "100 registers"},
    {much_slm, "65537"},
    {many_args, "65 arguments"},
    {overlapping, "overlap"},
    {misaligned, "offset 12"},
    {bad_inline, "16 inline"},
    {two_barriers, "barriers=2"},
    {many_threads, "=129"},
    {many_wide_threads, "=65"},
    {many_wide_items, "work items of a group=528"},
    {no_wide_threads, "grf_count=256"},
};

START_TEST(a_wrong_record_is_refused)
{
    struct xk_abi a = plain_abi();

    refused[_i].spoil(&a);
    ck_assert_int_lt(xk_zebin_write_kernel(c, &a, code, sizeof(code), &out), 0);
    ck_assert_msg(strstr(c->error.message, refused[_i].says) != NULL, "%s",
                  c->error.message);
    ck_assert_uint_eq(out.len, 0);
}
END_TEST

START_TEST(a_wrong_code_size_is_refused)
{
    const struct xk_abi a = plain_abi();

    ck_assert_int_eq(xk_zebin_write_kernel(c, &a, code, 0, &out), XK_EINVAL);
    xk_ctx_clear(c);
    ck_assert_int_eq(xk_zebin_write_kernel(c, &a, code, 17, &out), XK_EINVAL);
    xk_ctx_clear(c);
    xk_str_puts(&out, "something");
    ck_assert_int_eq(xk_zebin_write_kernel(c, &a, code, 16, &out), XK_EINVAL);
}
END_TEST

/* The file has one note for its device. */
START_TEST(kernels_for_two_devices_are_refused)
{
    const struct xk_abi any = plain_abi();
    struct xk_abi one = plain_abi();
    struct xk_zebin_kernel k[] = {
        {.abi = &any, .code = code, .code_b = sizeof code},
        {.abi = &one, .code = code, .code_b = sizeof code}};
    const struct xk_zebin_contents z = {.n_kernels = 2, .kernels = k};

    strcpy(one.name, "other");
    ck_assert(xk_product_find(xk_platform_get(one.platform), "dg2-g11-b1",
                              &one.device));
    ck_assert_int_eq(xk_zebin_write(c, &z, &out), XK_EINVAL);
    ck_assert_str_eq(c->error.message, "zebin: other is for another device");
}
END_TEST

/* Note 6, an IP version, stands in the file of a named device alone: a driver
 * takes such a file for no other one. */
START_TEST(an_ip_version_is_of_a_named_device)
{
    static const char ip_note[] = "\x08\0\0\0\x04\0\0\0\x06\0\0\0IntelGT";
    struct xk_abi a = plain_abi(); /* its device has no platform */

    ck_assert_int_eq(xk_zebin_write_kernel(c, &a, code, sizeof code, &out),
                     XK_OK);
    ck_assert_ptr_null(
        memmem(xk_str_get(&out), out.len, ip_note, sizeof ip_note));
    xk_str_clear(&out);
    ck_assert(
        xk_product_find(xk_platform_get(a.platform), "dg2-g10-c0", &a.device));
    ck_assert_int_eq(xk_zebin_write_kernel(c, &a, code, sizeof code, &out),
                     XK_OK);
    ck_assert_ptr_nonnull(
        memmem(xk_str_get(&out), out.len, ip_note, sizeof ip_note));
}
END_TEST

struct failing {
    unsigned left;
    bool failed;
};

static void *failing_realloc(void *user, void *ptr, size_t n_b)
{
    struct failing *const f = user;

    if (n_b && f->left-- == 0) {
        f->failed = true;
        f->left = 0;
        return NULL;
    }
    return xk_alloc_default.realloc(xk_alloc_default.user, ptr, n_b);
}

START_TEST(each_failing_allocation_is_reported)
{
    const struct xk_abi a = full_abi();
    bool failed = true;

    for (unsigned n = 0; failed; n++) {
        struct failing f = {.left = n};
        const struct xk_alloc alloc = {failing_realloc, &f};
        xk_ctx *const ctx = xk_ctx_create(&alloc);
        struct xk_str s;
        enum xk_status st;

        failed = f.failed;
        if (!ctx)
            continue;
        xk_str_init(&s, &alloc);
        st = xk_zebin_write_kernel(ctx, &a, code, sizeof(code), &s);
        failed |= f.failed;
        ck_assert_int_eq(st, failed ? XK_ENOMEM : XK_OK);
        xk_str_fini(&s);
        xk_ctx_destroy(ctx);
        ck_assert_uint_lt(n, 100);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *const s = suite_create("binary");
    TCase *const t = tcase_create("zebin");

    tcase_add_checked_fixture(t, setup, teardown);
    if (installed("ocloc"))
        tcase_add_loop_test(t, the_driver_tool_calls_it_valid, 0, 2);
    if (installed("readelf"))
        tcase_add_test(t, readelf_reads_it_without_a_warning);
    tcase_add_test(t, same_inputs_give_the_same_bytes);
    tcase_add_loop_test(t, code_is_padded_with_zeros, 0, 3);
    tcase_add_test(t, metadata_has_what_the_record_has);
    tcase_add_loop_test(t, a_wrong_record_is_refused, 0, XK_COUNTOF(refused));
    tcase_add_test(t, a_wrong_code_size_is_refused);
    tcase_add_test(t, kernels_for_two_devices_are_refused);
    tcase_add_test(t, an_ip_version_is_of_a_named_device);
    tcase_add_test(t, each_failing_allocation_is_reported);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return xk_tap_run(suite());
}
