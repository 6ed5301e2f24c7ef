/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "container/zebin_read.h"
#include "tests/container/make_zebin.h"
#include "tests/tap.h"

static xk_ctx *c;
static struct xk_zebin z;
static uint8_t *file;
static size_t n_b;

static void open_ctx(void)
{
    c = xk_ctx_create(NULL);
}

static void close_ctx(void)
{
    free(file);
    file = NULL;
    xk_ctx_destroy(c);
}

static enum xk_status read_parts(struct zebin_parts p)
{
    free(file);
    file = make_zebin(&p, &n_b);
    xk_ctx_clear(c);
    return xk_zebin_read(c, file, n_b, &z);
}

START_TEST(every_field_arrives)
{
    ck_assert_int_eq(read_parts((struct zebin_parts){0}), XK_OK);
    ck_assert_uint_eq(z.product_family, 1270);
    ck_assert_uint_eq(z.n_kernels, 1);
    const struct xk_zkernel *k = &z.kernels[0];
    ck_assert_str_eq(k->name, "k");
    ck_assert_uint_eq(k->code_b, 32);
    ck_assert(memcmp(k->code, make_zebin_code, 32) == 0);
    ck_assert_uint_eq(k->simd, 16);
    ck_assert_uint_eq(k->grf_count, 128);
    ck_assert_uint_eq(k->slm_b, 2048);
    ck_assert_uint_eq(k->barriers, 1);
    ck_assert_uint_eq(k->inline_b, 32);
    ck_assert_uint_eq(k->local_id_b, 96);
    ck_assert_uint_eq(k->cross_thread_b, 64); /* 52, rounded up */
    ck_assert_uint_eq(k->skip_per_thread_b, 0);
    ck_assert(k->has_dpas);
    xk_zebin_fini(c, &z);
}
END_TEST

/* A relocation to what the file does not define has no address to write. */
START_TEST(an_undefined_symbol_is_refused_by_name)
{
    struct zebin_parts p = {.symbol = "far_away"};
    ck_assert_int_eq(read_parts(p), XK_EUNSUPPORTED);
    ck_assert_msg(strstr(c->error.message, "symbol 1, 'far_away', is not "
                                           "defined in the file"),
                  "%s", c->error.message);
    p.defined_in = 0xfff1; /* SHN_ABS: a number */
    ck_assert_int_eq(read_parts(p), XK_OK);
    ck_assert_uint_eq(z.kernels[0].n_relocs, 1);
    ck_assert_uint_eq(z.kernels[0].relocs[0].offset_b, 8);
    ck_assert_int_eq(z.kernels[0].relocs[0].section, XK_ZSECTION_NONE);
    xk_zebin_fini(c, &z);
}
END_TEST

#define REQUIRED(list)                                                         \
    "version: '1.0'\nkernels:\n  - name: k\n    execution_env:\n"              \
    "      grf_count: 128\n      simd_size: 16\n"                              \
    "      required_work_group_size: " list "\n...\n"

START_TEST(required_work_group_sizes_have_three_numbers)
{
    static const char *const bad[] = {
        REQUIRED("[16, 2]"),      REQUIRED("[16, 0, 1]"),
        REQUIRED("[16, x, 1]"),   REQUIRED("[16, -1, 1]"),
        REQUIRED("[1, 1, 1, 1]"), REQUIRED("16")};
    struct zebin_parts p = {.ze_info = REQUIRED("[16, 2, 1]")};
    ck_assert_int_eq(read_parts(p), XK_OK);
    ck_assert_uint_eq(z.kernels[0].required[0], 16);
    ck_assert_uint_eq(z.kernels[0].required[1], 2);
    ck_assert_uint_eq(z.kernels[0].required[2], 1);
    xk_zebin_fini(c, &z);
    for (size_t i = 0; i < XK_COUNTOF(bad); i++) {
        p.ze_info = bad[i];
        ck_assert_msg(read_parts(p) == XK_EPARSE, "%s", bad[i]);
        ck_assert(strstr(c->error.message, "required_work_group_size"));
    }
}
END_TEST

START_TEST(arguments_keep_their_order_and_kind)
{
    static const struct xk_zarg want[] = {
        {XK_ZARG_POINTER, 0, 0, 8, false, 0},
        {XK_ZARG_VALUE, 1, 8, 4, false, 0},
        {XK_ZARG_POINTER, 2, 16, 8, true, 0},
        {XK_ZARG_LOCAL_SIZE, -1, 24, 12, false, 0},
        {XK_ZARG_GROUP_COUNT, -1, 36, 12, false, 0},
        {XK_ZARG_OTHER, -1, 48, 4, false, 0},
    };
    ck_assert_int_eq(read_parts((struct zebin_parts){0}), XK_OK);
    ck_assert_uint_eq(z.kernels[0].n_args, XK_COUNTOF(want));
    for (size_t i = 0; i < XK_COUNTOF(want); i++) {
        const struct xk_zarg *a = &z.kernels[0].args[i];
        ck_assert_uint_eq(a->kind, want[i].kind);
        ck_assert_int_eq(a->arg_index, want[i].arg_index);
        ck_assert_uint_eq(a->offset_b, want[i].offset_b);
        ck_assert_uint_eq(a->size_b, want[i].size_b);
        ck_assert(a->slm == want[i].slm);
    }
    xk_zebin_fini(c, &z);
}
END_TEST

#define ENV(simd, grf)                                                         \
    "version: '1.0'\nkernels:\n  - name: k\n    execution_env:\n"              \
    "      simd_size: " simd "\n      grf_count: " grf "\n"
#define ARG(keys) ENV("16", "128") "    payload_arguments:\n      - " keys "\n"

static const struct {
    const char *info, *kernel;
    enum xk_status status;
    const char *word;
} bad[] = {
    {"version: '2.0'\nkernels: []\n", NULL, XK_EUNSUPPORTED, "'2.0'"},
    {"kernels: []\n", NULL, XK_EPARSE, "missing"},
    {"version: '1.0'\nkernels: []\n", NULL, XK_EPARSE, "no kernels"},
    {"version: '1.0'\nkernels:\n  - {}\n", NULL, XK_EPARSE, "no name"},
    {"version: '1.0'\nkernels:\n  - name: k\n", NULL, XK_EPARSE,
     "no execution_env"},
    {"a: [\n", NULL, XK_EPARSE, "line"},
    {"- 1\n", NULL, XK_EPARSE, "no mapping"},
    {"", NULL, XK_EPARSE, "no mapping"},
    {ENV("x", "128"), NULL, XK_EPARSE, "simd_size is 'x'"},
    {ENV("-16", "128"), NULL, XK_EPARSE, "simd_size is '-16'"},
    {ENV("16", "4294967296"), NULL, XK_EPARSE, "grf_count is '4294967296'"},
    {ENV("[1]", "128"), NULL, XK_EPARSE, "simd_size"},
    {ENV("0", "128"), NULL, XK_EPARSE, "simd_size is 0"},
    {ENV("16", "128"), "other", XK_EPARSE, "no section .text.k"},
    {ARG("offset: 0"), NULL, XK_EPARSE, "no arg_type"},
    {ARG("arg_type: arg_byvalue\n        offset: 4294967295\n"
         "        size: 8"),
     NULL, XK_EPARSE, "offset 4294967295"},
    {ENV("16", "128") "    per_thread_payload_arguments:\n"
                      "      - arg_type: local_id\n        size: 12\n",
     NULL, XK_EUNSUPPORTED, "12 bytes, not registers"},
};

START_TEST(wrong_descriptions_are_explained)
{
    ck_assert_int_eq(read_parts((struct zebin_parts){.ze_info = bad[_i].info,
                                                     .kernel = bad[_i].kernel}),
                     bad[_i].status);
    ck_assert_msg(strstr(c->error.message, bad[_i].word) != NULL,
                  "'%s' is not in '%s'", bad[_i].word, c->error.message);
    ck_assert_ptr_null(z.kernels);
}
END_TEST

/* In a buffer of exactly that length, so that ASan sees every overrun. */
static enum xk_status read_copy(const uint8_t *p, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);
    memcpy(copy, p, len);
    xk_ctx_clear(c);
    const enum xk_status s = xk_zebin_read(c, copy, len, &z);
    xk_zebin_fini(c, &z);
    free(copy);
    return s;
}

START_TEST(every_truncation_is_refused)
{
    ck_assert_int_eq(read_parts((struct zebin_parts){0}), XK_OK);
    xk_zebin_fini(c, &z);
    const size_t last = 4; /* the end mark "...": YAML can do without */
    for (size_t len = 0; len + last < n_b; len++) {
        const enum xk_status s = read_copy(file, len);
        ck_assert_msg(s == XK_EPARSE, "%zu bytes: %s", len, xk_status_str(s));
        ck_assert(c->error.message[0] != 0);
    }
}
END_TEST

START_TEST(no_byte_value_crashes_the_reader)
{
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff,
                                     ':',  '&',  '*',  '{',  '\n'};
    ck_assert_int_eq(read_parts((struct zebin_parts){0}), XK_OK);
    xk_zebin_fini(c, &z);
    for (size_t at = 0; at < n_b; at++)
        for (size_t v = 0; v < sizeof(values); v++) {
            const uint8_t was = file[at];
            file[at] = values[v];
            const enum xk_status s = read_copy(file, n_b);
            ck_assert(s <= 0 && s >= XK_EINTERNAL);
            file[at] = was;
        }
}
END_TEST

/* YAML lets a node refer to its own ancestor. */
START_TEST(self_reference_ends)
{
    const enum xk_status s = read_parts((struct zebin_parts){
        .ze_info = "version: '1.0'\nkernels: &a\n  - *a\n"});
    ck_assert_int_eq(s, XK_EPARSE);
}
END_TEST

struct failing {
    unsigned left;
};

static void *failing_realloc(void *user, void *p, size_t size_b)
{
    struct failing *f = user;
    if (size_b && f->left-- == 0) {
        f->left = 0;
        return NULL;
    }
    if (size_b)
        return realloc(p, size_b);
    free(p);
    return NULL;
}

START_TEST(every_failing_allocation_is_survived)
{
    ck_assert_int_eq(read_parts((struct zebin_parts){0}), XK_OK);
    xk_zebin_fini(c, &z);
    unsigned n = 0;
    enum xk_status s = XK_ENOMEM;
    for (; s == XK_ENOMEM && n < 100; n++) {
        struct failing f = {n};
        const struct xk_alloc a = {failing_realloc, &f};
        xk_ctx *d = xk_ctx_create(&a);
        if (!d)
            continue;
        s = xk_zebin_read(d, file, n_b, &z);
        xk_zebin_fini(d, &z);
        xk_ctx_destroy(d);
    }
    ck_assert_int_eq(s, XK_OK);
    ck_assert_uint_gt(n, 2);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("container");
    TCase *t = tcase_create("zebin");
    tcase_add_checked_fixture(t, open_ctx, close_ctx);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, every_field_arrives);
    tcase_add_test(t, an_undefined_symbol_is_refused_by_name);
    tcase_add_test(t, required_work_group_sizes_have_three_numbers);
    tcase_add_test(t, arguments_keep_their_order_and_kind);
    tcase_add_loop_test(t, wrong_descriptions_are_explained, 0,
                        XK_COUNTOF(bad));
    tcase_add_test(t, every_truncation_is_refused);
    tcase_add_test(t, no_byte_value_crashes_the_reader);
    tcase_add_test(t, self_reference_ends);
    tcase_add_test(t, every_failing_allocation_is_survived);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
