/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of the older container against made-up files, whole and broken.
 * Files that a compiler wrote are read by test_compiled_files.c. */
#include <string.h>

#include "container/kernel_file.h"
#include "container/patch_tokens.h"
#include "tests/tap.h"

static xk_ctx *c;
static uint8_t file[1024];
static size_t n_b;

static void open_ctx(void)
{
    c = xk_ctx_create(NULL);
}

static void close_ctx(void)
{
    xk_ctx_destroy(c);
}

static void put(uint32_t v)
{
    memcpy(file + n_b, &v, 4);
    n_b += 4;
}

static void token(uint32_t number, unsigned n, const uint32_t *body)
{
    put(number);
    put(8 + 4 * n);
    for (unsigned k = 0; k < n; k++)
        put(body[k]);
}

/* Places that the broken files change: dwords of the file. */
enum { N_KERNELS = 4, NAME_B = 10, LIST_B = 11, HEAP_B = 12, CODE_B = 16 };
static size_t list_at, env_at, arg_at;

/* One kernel "k" of 16 bytes of code, SIMD16, 128 registers, a pointer in
 * argument 0 and a value in argument 1. */
static void make_file(void)
{
    static const uint32_t environment[34] = {[3] = 16, [5] = 1, [21] = 128};
    static const uint32_t payload[20] = {[1] = 1, [2] = 1, [12] = 48, [14] = 1};
    n_b = 0;
    memset(file, 0, sizeof file);
    const uint32_t head[] = {0x494e5443, 1081, 3079, 8, 1, 5, 0};
    for (unsigned k = 0; k < XK_COUNTOF(head); k++)
        put(head[k]);
    const size_t kernel = n_b;
    for (unsigned k = 0; k < 10; k++)
        put(0);
    memcpy(file + n_b, "k\0\0\0", 4);
    n_b += 4;
    for (unsigned k = 0; k < 8; k++)
        put(k < 4 ? 0x60 : 0);
    list_at = n_b;
    env_at = n_b + 8;
    token(23, 34, environment);
    token(22, 20, payload);
    token(30, 7, (const uint32_t[]){0, 0, 32, 8, 0, 0, 0});
    arg_at = n_b + 8;
    token(17, 9, (const uint32_t[]){1, 1, 40, 4, 0, 0, 0, 0, 0});
    token(17, 9, (const uint32_t[]){2, 0, 44, 4, 4, 0, 0, 0, 0});
    token(25, 1, (const uint32_t[]){64});
    token(15, 2, (const uint32_t[]){0, 2048});
    token(99, 1, (const uint32_t[]){7}); /* unknown ones are skipped */
    const uint32_t sizes[] = {4, (uint32_t)(n_b - list_at), 32, 0, 0, 0, 16};
    memcpy(file + kernel + 12, sizes, sizeof sizes);
}

START_TEST(every_field_arrives)
{
    struct xk_kernel_file f;
    make_file();
    ck_assert_int_eq(xk_kernel_file_open(c, file, n_b, NULL, &f), XK_OK);
    ck_assert_int_eq(f.kind, XK_CONTAINER_PATCH_TOKENS);
    ck_assert_str_eq(f.platform->name, "xehpg");
    ck_assert_uint_eq(f.z.revision, 5);
    const struct xk_zkernel *const k = &f.z.kernels[0];
    ck_assert_uint_eq(f.z.n_kernels, 1);
    ck_assert_str_eq(k->name, "k");
    ck_assert_uint_eq(k->code_b, 16);
    ck_assert_int_eq(k->code[0], 0x60);
    ck_assert_uint_eq(k->simd, 16);
    ck_assert_uint_eq(k->grf_count, 128);
    ck_assert_uint_eq(k->barriers, 1);
    ck_assert_uint_eq(k->slm_b, 2048);
    ck_assert_uint_eq(k->inline_b, 32);
    ck_assert_uint_eq(k->skip_per_thread_b, 48);
    ck_assert_uint_eq(k->n_local_ids, 2);
    ck_assert_uint_eq(k->cross_thread_b, 64);
    ck_assert_uint_eq(k->n_args, 3);
    ck_assert_int_eq(k->args[0].kind, XK_ZARG_POINTER);
    ck_assert_uint_eq(k->args[0].offset_b, 32);
    ck_assert_int_eq(k->args[1].kind, XK_ZARG_VALUE);
    ck_assert_int_eq(k->args[1].arg_index, 1);
    ck_assert_int_eq(k->args[2].kind, XK_ZARG_LOCAL_SIZE);
    ck_assert_int_eq(k->args[2].arg_index, -1);
    ck_assert_uint_eq(k->args[2].source_b, 4);
    xk_kernel_file_fini(c, &f);
}
END_TEST

/* In a buffer of exactly that length, so that ASan sees every overrun. */
static enum xk_status read_copy(size_t len)
{
    struct xk_kernel_file f;
    uint8_t *const copy = malloc(len ? len : 1);
    memcpy(copy, file, len);
    xk_ctx_clear(c);
    const enum xk_status s = xk_kernel_file_open(c, copy, len, NULL, &f);
    xk_kernel_file_fini(c, &f);
    free(copy);
    return s;
}

START_TEST(every_truncation_is_refused)
{
    make_file();
    for (size_t len = 0; len < n_b; len++) {
        const enum xk_status s = read_copy(len);
        ck_assert_msg(s < 0, "%zu bytes are accepted", len);
        ck_assert(c->error.message[0] != 0);
    }
    ck_assert_int_eq(read_copy(n_b), XK_OK);
}
END_TEST

START_TEST(no_byte_value_crashes_the_reader)
{
    static const uint8_t values[] = {0x00, 0x01, 0x08, 0x7f, 0x80, 0xff};
    make_file();
    for (size_t at = 0; at < n_b; at++)
        for (size_t v = 0; v < sizeof(values); v++) {
            const uint8_t was = file[at];
            file[at] = values[v];
            const enum xk_status s = read_copy(n_b);
            ck_assert(s <= 0 && s >= XK_EINTERNAL);
            file[at] = was;
        }
}
END_TEST

/* at: dword of the file, or of a token's body when base is given */
static const struct {
    const size_t *base;
    unsigned at;
    uint32_t value;
    const char *word;
} bad[] = {
    {NULL, N_KERNELS, 0, "0 kernels"},
    {NULL, N_KERNELS, 70000, "70000 kernels"},
    {NULL, N_KERNELS, 2, "a header of 40 bytes"},
    {NULL, NAME_B, 0, "no name"},
    {NULL, NAME_B, 0xffffffff, "a name of 4294967295 bytes"},
    {NULL, LIST_B, 0xfffffff0, "a patch list of 4294967280 bytes"},
    {NULL, HEAP_B, 0x7fffffff, "a kernel heap of 2147483647 bytes"},
    {NULL, CODE_B, 33, "33 bytes of code in a heap of 32"},
    {&list_at, 1, 4, "token 23 has 4 bytes"},
    {&list_at, 1, 100000, "token 23 has 100000 bytes"},
    {&env_at, 3, 0, "SIMD size is 0"},
    {&env_at, 21, 0, "register count is 0"},
    {&arg_at, 2, 100000, "argument 1 at offset 100000"},
    {&arg_at, 3, 0xfffffffe, "size 4294967294"},
    {&arg_at, 2, 62, "offset 62, size 4: beyond the 64 bytes"},
    {&arg_at, 22, 32, "size 8: beyond the 32 bytes"}, /* the stream's size */
    {&arg_at, 22, 0x40000000, "1073741824 bytes of arguments"},
};

START_TEST(wrong_values_are_explained)
{
    make_file();
    const size_t at = (bad[_i].base ? *bad[_i].base : 0) + 4 * bad[_i].at;
    memcpy(file + at, &bad[_i].value, 4);
    ck_assert_int_eq(read_copy(n_b), XK_EPARSE);
    ck_assert_msg(strstr(c->error.message, bad[_i].word) != NULL,
                  "'%s' is not in '%s'", bad[_i].word, c->error.message);
}
END_TEST

static const struct {
    const char *bytes;
    size_t n_b;
    const char *platform, *word;
} other[] = {
    {"", 0, "xehpg", "file: it is empty"},
    {"abcd", 4, NULL, "raw instructions need a platform"},
    {"abcd", 4, "vax", "platform: 'vax' is unknown"},
    {"!<arch>\nx", 9, NULL, "an archive"},
    {"\177ELFx", 5, NULL, "too few for an ELF"},
};

START_TEST(what_is_no_kernel_file_is_explained)
{
    struct xk_kernel_file f;
    ck_assert_int_lt(xk_kernel_file_open(c, other[_i].bytes, other[_i].n_b,
                                         other[_i].platform, &f),
                     0);
    ck_assert_msg(strstr(c->error.message, other[_i].word) != NULL,
                  "'%s' is not in '%s'", other[_i].word, c->error.message);
}
END_TEST

START_TEST(another_platform_is_refused)
{
    struct xk_kernel_file f;
    make_file();
    ck_assert_int_eq(xk_kernel_file_open(c, file, n_b, "xelp", &f), XK_EINVAL);
    ck_assert_str_eq(c->error.message,
                     "platform: the file is for xehpg, not for xelp");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("patch_tokens");
    TCase *t = tcase_create("reader");
    tcase_add_checked_fixture(t, open_ctx, close_ctx);
    tcase_add_test(t, every_field_arrives);
    tcase_add_test(t, every_truncation_is_refused);
    tcase_add_test(t, no_byte_value_crashes_the_reader);
    tcase_add_loop_test(t, wrong_values_are_explained, 0, XK_COUNTOF(bad));
    tcase_add_loop_test(t, what_is_no_kernel_file_is_explained, 0,
                        XK_COUNTOF(other));
    tcase_add_test(t, another_platform_is_refused);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
