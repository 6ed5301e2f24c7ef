/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver's part of a launch provides (constants, variables, local and
 * private memory, ids, sizes), for kernels that Intel's compiler made for each
 * platform, in both containers. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "xekern/device.h"

#define N 96
#define LOCAL 24

static const struct {
    const char *device, *platform, *format;
} builds[] = {{"tgllp", "xelp", ""}, {"tgllp", "xelp", "--format zebin"},
              {"dg2", "xehpg", ""},  {"dg2", "xehpg", "--format zebin"},
              {"pvc", "xehpc", ""},  {"pvc", "xehpc", "--format zebin"}};
enum { N_BUILDS = 6 };

static const int table[8] = {3, 10, 200, 3000, -4, 50, -600, 7};
static xk_device *dev;
static xk_module *mod;
static xk_buffer *out, *in;
static int32_t got[N], a[N];
static struct xk_error err;

static bool compile(unsigned k, const char *dir)
{
    char cmd[600];
    snprintf(
        cmd, sizeof cmd,
        "cd %s && ocloc compile -file %s -device %s %s -options "
        "'-cl-std=CL2.0' -output k -out_dir %s -output_no_suffix >log 2>&1",
        dir, DRIVER_CL, builds[k].device, builds[k].format, dir);
    return system(cmd) == 0;
}

/* Compiled once a build. */
static uint8_t file[N_BUILDS][1 << 17];
static size_t file_b[N_BUILDS];

static void read_build(unsigned k)
{
    char dir[] = "/tmp/xk_driver_XXXXXX", path[64], cmd[64];
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_msg(compile(k, dir), "ocloc refuses, see %s/log", dir);
    snprintf(path, sizeof path, "%s/k", dir);
    FILE *const f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    file_b[k] = fread(file[k], 1, sizeof file[k], f);
    fclose(f);
    snprintf(cmd, sizeof cmd, "rm -r %s", dir);
    ck_assert_int_eq(system(cmd), 0);
}

static void load(unsigned k)
{
    if (!file_b[k])
        read_build(k);
    ck_assert_msg(xk_device_create("sim", builds[k].platform, 0, &dev, &err) ==
                      XK_OK,
                  "%s", err.message);
    ck_assert_msg(xk_module_create(dev, file[k], file_b[k], &mod, &err) ==
                      XK_OK,
                  "%s", err.message);
    ck_assert_int_eq(xk_buffer_create(dev, sizeof got, &out, &err), XK_OK);
    ck_assert_int_eq(xk_buffer_create(dev, sizeof a, &in, &err), XK_OK);
    for (int i = 0; i < N; i++)
        a[i] = (i * 2654435 + 77) ^ i << 9;
    xk_buffer_write(in, 0, a, sizeof a, &err);
}

static void unload(void)
{
    xk_buffer_unref(in);
    xk_buffer_unref(out);
    xk_module_unref(mod);
    xk_device_unref(dev);
}

static void launch(const char *name, const uint32_t local[3], unsigned n,
                   const struct xk_launch_arg *args)
{
    uint32_t groups[3] = {N / (local[0] * local[1] * local[2]), 1, 1};
    if (local[1] > 1) {
        groups[0] /= 2;
        groups[1] = 2;
    }
    ck_assert_msg(
        xk_launch(mod,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc), name,
                                           groups, local, n, args},
                  NULL, &err) == XK_OK,
        "%s: %s", name, err.message);
    xk_buffer_read(out, 0, got, sizeof got, &err);
}

static const uint32_t line[3] = {LOCAL, 1, 1};

START_TEST(local_memory_and_constants)
{
    load((unsigned)_i);
    const int32_t k = 7;
    const struct xk_launch_arg args[] = {{.buffer = out},
                                         {.buffer = in},
                                         {.value = &k, .size_b = 4},
                                         {.size_b = LOCAL * 4}};
    launch("local_and_constants", line, 4, args);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(got[i],
                         a[i / LOCAL * LOCAL + LOCAL - 1 - i % LOCAL] * 7 +
                             table[a[i] & 7]);
    unload();
}
END_TEST

START_TEST(private_memory)
{
    load((unsigned)_i);
    const struct xk_launch_arg args[] = {{.buffer = out}, {.buffer = in}};
    launch("private_array", line, 2, args);
    for (int i = 0; i < N; i++) {
        const int x = a[i] & 63, y = a[i] >> 6 & 63;
        ck_assert_int_eq(got[i], (int32_t)((uint32_t)a[i] * (uint32_t)(x - y)) +
                                     table[x & 7] - table[y & 7]);
    }
    unload();
}
END_TEST

START_TEST(ids_and_sizes)
{
    static const uint32_t box[3] = {4, 3, 2}; /* groups 2, 2, 1 */
    load((unsigned)_i);
    const struct xk_launch_arg args[] = {{.buffer = out}};
    launch("ids", box, 1, args);
    for (int i = 0; i < N; i++) {
        const int x = i % 8, y = i / 8 % 6, z = i / 48;
        ck_assert_int_eq(got[i], x % 4 + 10 * (y % 3) + 100 * z +
                                     1000 * (x / 4) + 20000 + 300000);
    }
    unload();
}
END_TEST

/* Twice: what the first launch left is still there. */
START_TEST(variables_of_the_module)
{
    load((unsigned)_i);
    const struct xk_launch_arg args[] = {{.buffer = out}};
    launch("variables", line, 1, args);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(got[i], 1000 * (i + 1) + i);
    launch("variables", line, 1, args);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(got[i], 1000 * (i + 1) + 2 * i);
    unload();
}
END_TEST

START_TEST(printf_is_refused)
{
    static const uint32_t one[3] = {1, 1, 1};
    load((unsigned)_i);
    const struct xk_launch_arg args[] = {{.buffer = out}};
    ck_assert_int_eq(
        xk_launch(mod,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                           "talks", one, line, 1, args},
                  NULL, &err),
        XK_EUNSUPPORTED);
    ck_assert_msg(strstr(err.message, "printf") != NULL, "%s", err.message);
    unload();
}
END_TEST

int main(void)
{
    if (system("command -v ocloc >/dev/null 2>&1") != 0) {
        printf("1..0 # SKIP ocloc is not installed\n");
        return 77;
    }
    Suite *s = suite_create("driver");
    TCase *t = tcase_create("driver");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, local_memory_and_constants, 0, N_BUILDS);
    tcase_add_loop_test(t, private_memory, 0, N_BUILDS);
    tcase_add_loop_test(t, ids_and_sizes, 0, N_BUILDS);
    tcase_add_loop_test(t, variables_of_the_module, 0, N_BUILDS);
    tcase_add_loop_test(t, printf_is_refused, 0, N_BUILDS);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
