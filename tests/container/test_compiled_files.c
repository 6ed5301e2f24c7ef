/* SPDX-License-Identifier: Apache-2.0 */
/* The two container readers against each other, on what ocloc writes: for each
 * platform the same kernels with the same code and resources come out of both
 * formats. Skipped (77) where ocloc is absent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "container/kernel_file.h"
#include "tests/tap.h"

static char dir[] = "/tmp/xk_files_XXXXXX";

static void *read_file(const char *path, size_t *n_b)
{
    FILE *const f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s", path);
    uint8_t *const bytes = malloc(1 << 22);
    *n_b = fread(bytes, 1, 1 << 22, f);
    fclose(f);
    return bytes;
}

static const struct {
    const char *device, *platform;
} targets[] = {{"tgllp", "xelp"}, {"acm-g10", "xehpg"}, {"pvc", "xehpc"}};

static void *compile(unsigned k, const char *options, size_t *n_b)
{
    char command[1000], path[200];
    snprintf(command, sizeof command,
             "ocloc compile -file %s -device %s %s -output k -out_dir %s "
             "-output_no_suffix >%s/log 2>&1",
             XK_TEST_CL, targets[k].device, options, dir, dir);
    ck_assert_msg(system(command) == 0, "%s", command);
    snprintf(path, sizeof path, "%s/k", dir);
    return read_file(path, n_b);
}

static void same_kernel(const struct xk_zkernel *a, const struct xk_zkernel *b)
{
    ck_assert_str_eq(a->name, b->name);
    ck_assert_uint_eq(a->simd, b->simd);
    ck_assert_uint_eq(a->grf_count, b->grf_count);
    ck_assert_uint_eq(a->barriers, b->barriers);
    ck_assert_uint_eq(a->slm_b, b->slm_b);
    ck_assert(a->has_dpas == b->has_dpas);
    ck_assert_uint_gt(a->code_b, 0);
    ck_assert_uint_gt(b->code_b, 0);
    /* the formats pass arguments at other offsets, so code may differ; both
     * begin with whole instructions and end the thread */
    ck_assert_uint_eq(a->code_b % 8, 0);
    ck_assert_uint_eq(b->code_b % 8, 0);
}

START_TEST(both_formats_hold_the_same_kernels)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_kernel_file a, b;
    size_t a_b, b_b;
    void *const old = compile(_i, "", &a_b);
    void *const zebin = compile(_i, "--format zebin", &b_b);
    ck_assert_msg(xk_kernel_file_open(c, old, a_b, NULL, &a) == XK_OK, "%s",
                  c->error.message);
    ck_assert_msg(xk_kernel_file_open(c, zebin, b_b, NULL, &b) == XK_OK, "%s",
                  c->error.message);
    ck_assert_int_eq(a.kind, XK_CONTAINER_PATCH_TOKENS);
    ck_assert_int_eq(b.kind, XK_CONTAINER_ZEBIN);
    ck_assert_str_eq(a.platform->name, targets[_i].platform);
    ck_assert_str_eq(b.platform->name, targets[_i].platform);
    ck_assert_uint_ge(a.z.n_kernels, 5);
    ck_assert_uint_eq(a.z.n_kernels, b.z.n_kernels);
    for (uint32_t k = 0; k < a.z.n_kernels; k++)
        same_kernel(&a.z.kernels[k], &b.z.kernels[k]);
    xk_kernel_file_fini(c, &a);
    xk_kernel_file_fini(c, &b);
    xk_ctx_destroy(c);
    free(old);
    free(zebin);
}
END_TEST

static void remove_files(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    if (system(command) != 0)
        fprintf(stderr, "%s is left\n", dir);
}

int main(void)
{
    if (system("ocloc query IGC_REVISION >/dev/null 2>&1") == 32512) {
        puts("SKIPPED: ocloc (package intel-opencl-icd) is not installed");
        return 77;
    }
    if (!mkdtemp(dir))
        return EXIT_FAILURE;
    Suite *s = suite_create("compiled_files");
    TCase *t = tcase_create("formats");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, both_formats_hold_the_same_kernels, 0,
                        XK_COUNTOF(targets));
    suite_add_tcase(s, t);
    const int code = xk_tap_run(s);
    remove_files();
    return code;
}
