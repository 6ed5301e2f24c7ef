/* SPDX-License-Identifier: Apache-2.0 */
/* Debian's Intel driver takes the kernel of every problem of a shape list:
 * module, kernel, arguments, launch. argv[1] is the list. */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/driver/ze.h"
#include "xekern/xekern.h"

#define LINES_MAX 300

static struct ze_driver z;
static char lines[LINES_MAX][256];
static int n_lines;

/* What the whole list is tried with. */
static const struct {
    uint32_t src, wei, dst, prop;
    const char *tag;
} variants[] = {
    {XK_F32, XK_F32, XK_F32, XK_FWD_D, "any"},
    {XK_F32, XK_F32, XK_F32, XK_FWD_B, "any"},
    {XK_F16, XK_F16, XK_F16, XK_FWD_B, "any"},
    {XK_F16, XK_F16, XK_F32, XK_FWD_D, "axb"},
    {XK_F16, XK_F16, XK_F16, XK_FWD_D, "abx"},
    {XK_U8, XK_S8, XK_U8, XK_FWD_B, "any"},
    {XK_U8, XK_S8, XK_S32, XK_FWD_D, "axb"},
    {XK_U8, XK_S8, XK_S8, XK_FWD_D, "abx"},
};
enum { N_VARIANTS = sizeof(variants) / sizeof(variants[0]) };

/* List entry i at mb=1, one variant after the other; relu with bias. */
static xk_program *make_program(int i)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_error err = {0};
    xk_program *p = NULL;
    const int v = i / n_lines;
    const bool bias = variants[v].prop == XK_FWD_B;
    i %= n_lines;
    d.prop = variants[v].prop;
    d.src_type = variants[v].src;
    d.wei_type = variants[v].wei;
    d.dst_type = variants[v].dst;
    strcpy(d.src_tag, variants[v].tag);
    strcpy(d.dst_tag, variants[v].tag);
    d.n_post_ops = bias;
    d.post_ops[0].kind = bias ? XK_POST_RELU : 0;
    ck_assert_msg(xk_conv_desc_parse(lines[i], &d, NULL, 0, &err) == XK_OK,
                  "%s: %s", lines[i], err.message);
    d.mb = 1;
    ck_assert_msg(xk_conv_create(&d, NULL, &p, &err) == XK_OK, "%s: %s",
                  lines[i], err.message);
    return p;
}

static struct ze_job job_of(const xk_program *p, uint32_t launch)
{
    const struct xk_launch_info *const l = xk_program_launch(p, launch);
    const struct xk_conv_info *const info = xk_program_info(p);
    struct ze_job job = {.zebin = l->zebin,
                         .zebin_b = l->zebin_b,
                         .kernel = l->kernel,
                         .n_args = l->n_args};
    memcpy(job.groups, l->groups, sizeof job.groups);
    memcpy(job.local, l->local, sizeof job.local);
    for (uint32_t i = 0; i < l->n_args; i++)
        job.size_b[i] =
            l->args[i].binding == XK_BIND_SCRATCH
                ? xk_program_launches(p)->scratch[l->args[i].number].size_b
                : info->tensor[l->args[i].tensor].size_b;
    return job;
}

START_TEST(driver_takes_module_kernel_arguments_and_launch)
{
    xk_program *const p = make_program(_i);
    for (uint32_t i = 0; i < xk_program_n_launches(p); i++) {
        const struct ze_job job = job_of(p, i);
        ze_result_t result;
        const char *const failed = ze_run(&z, &job, &result);
        ck_assert_msg(!failed, "%s: 0x%x from %s", lines[_i % n_lines],
                      (unsigned)result, failed);
    }
    xk_program_unref(p);
}
END_TEST

START_TEST(driver_refuses_a_truncated_zebin)
{
    xk_program *const p = make_program(0);
    struct ze_job job = job_of(p, 0);
    job.zebin_b /= 2;
    ze_result_t result;
    const char *const failed = ze_run(&z, &job, &result);
    ck_assert_msg(failed && !strncmp(failed, "zeModuleCreate", 14),
                  "half a zebin was accepted by zeModuleCreate");
    xk_program_unref(p);
}
END_TEST

START_TEST(driver_refuses_a_kernel_name_that_is_not_there)
{
    xk_program *const p = make_program(0);
    struct ze_job job = job_of(p, 0);
    job.kernel = "no_such_kernel";
    ze_result_t result;
    const char *const failed = ze_run(&z, &job, &result);
    ck_assert_msg(failed && !strncmp(failed, "zeKernelCreate", 14),
                  "a wrong kernel name was accepted");
    xk_program_unref(p);
}
END_TEST

static Suite *suite(void)
{
    Suite *const s = suite_create("driver");
    TCase *const t = tcase_create("aub");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, driver_takes_module_kernel_arguments_and_launch, 0,
                        N_VARIANTS * n_lines);
    tcase_add_test(t, driver_refuses_a_truncated_zebin);
    tcase_add_test(t, driver_refuses_a_kernel_name_that_is_not_there);
    suite_add_tcase(s, t);
    return s;
}

/* What the generator has: no groups. */
static bool is_supported(const char *line)
{
    return !strncmp(line, "g1m", 3);
}

static bool read_list(const char *path)
{
    FILE *const f = path ? fopen(path, "r") : NULL;
    while (f && n_lines < LINES_MAX &&
           fgets(lines[n_lines], sizeof lines[0], f)) {
        lines[n_lines][strcspn(lines[n_lines], " \r\n")] = 0;
        n_lines += is_supported(lines[n_lines]);
    }
    if (f)
        fclose(f);
    return n_lines > 0;
}

int main(int argc, char **argv)
{
    if (!read_list(argc > 1 ? argv[1] : NULL)) {
        fputs("usage: test_driver LIST\n", stderr);
        return 2;
    }
    const char *const absent = ze_open(&z);
    if (absent) {
        printf("1..0 # SKIP %s\n", absent);
        return 0;
    }
    SRunner *const r = srunner_create(suite());
    srunner_set_fork_status(r, CK_NOFORK);
    srunner_set_tap(r, "-");
    srunner_run_all(r, CK_SILENT);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    ze_close(&z);
    return failed ? 1 : 0;
}
