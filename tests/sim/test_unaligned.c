/* SPDX-License-Identifier: Apache-2.0 */
/* Which addresses messages take, by what Intel's compiler makes of pointers
 * that OpenCL C lets be aligned to less than a dword: xelp's old ports move
 * such data in byte messages, the load/store cache in dwords where they lie.
 * The results are OpenCL C's: unaligned.cl copies. */
#include <stdio.h>
#include <string.h>

#include "tests/runtime/ocl.h"
#include "tests/tap.h"
#include "xekern/simulate.h"

#define N_ITEMS 32u
#define MAX_B 288u

static const struct {
    const char *name;
    uint32_t n_b;
    /* What it moves them with, in the words of the platforms' messages; NULL:
     * anything. */
    const char *lsc, *old;
} kernels[] = {
    {"local_ushort2", 128, "slm.d32.a32", "dc0"},
    {"local_uchar4", 128, "slm.d32.a32", "dc0"},
    {"local_packed", 256, "slm.d32.a32", "dc0"},
    {"global_ushort2", 130, "ugm.d32.a", "dc0"},
    {"global_packed", 288, NULL, NULL},
    {"global_idless", 32, NULL, NULL},
};
static const struct {
    const char *name, *device;
    bool lsc;
} platforms[] = {{"xelp", "tgllp", false},
                 {"xehpg", "acm-g10", true},
                 {"xehpc", "pvc", true}};
static const char *const checks[] = {"none", "mem,race,init,sync"};
#define N_KERNELS (sizeof kernels / sizeof *kernels)
#define N_PLATFORMS (sizeof platforms / sizeof *platforms)

static struct heard {
    const char *wanted;
    unsigned n_wanted;
    char found[700];
} heard;

static void hear_inst(void *user, const struct xk_simulate_inst *inst)
{
    (void)user;
    heard.n_wanted += heard.wanted && strstr(inst->message, heard.wanted);
}

static void hear_finding(void *user, const struct xk_simulate_finding *f)
{
    (void)user;
    snprintf(heard.found, sizeof heard.found, "%s", f->line);
}

static xk_buffer *make_buffer(xk_device *d, const uint8_t *bytes, uint32_t n_b)
{
    struct xk_error err = {.message = ""};
    xk_buffer *b = NULL;
    ck_assert_msg(xk_buffer_create(d, n_b, &b, &err) == XK_OK &&
                      xk_buffer_write(b, 0, bytes, n_b, &err) == XK_OK,
                  "%s", err.message);
    return b;
}

static void run(xk_device *d, xk_module *m, const char *kernel, uint32_t n_b)
{
    static const uint32_t one[] = {1, 1, 1}, local[] = {N_ITEMS, 1, 1};
    struct xk_error err = {.message = ""};
    uint8_t in[MAX_B], out[MAX_B] = {0};
    for (unsigned k = 0; k < MAX_B; k++)
        in[k] = (uint8_t)(7 * k + 3 + (k >> 5));
    struct xk_launch_arg arg[2] = {{.buffer = make_buffer(d, in, n_b)},
                                   {.buffer = make_buffer(d, out, n_b)}};
    const enum xk_status s =
        xk_launch(m,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                           kernel, one, local, 2, arg},
                  NULL, &err);
    ck_assert_msg(s == XK_OK, "%s: %s; %s", kernel, err.message, heard.found);
    ck_assert_int_eq(xk_buffer_read(arg[1].buffer, 0, out, n_b, &err), XK_OK);
    for (unsigned k = 0; k < n_b; k++)
        ck_assert_msg(out[k] == in[k], "%s: byte %u is %u, not %u", kernel, k,
                      out[k], in[k]);
    xk_buffer_unref(arg[0].buffer);
    xk_buffer_unref(arg[1].buffer);
}

static void run_all(unsigned platform, xk_device *d, xk_module *m)
{
    struct xk_error err = {.message = ""};
    for (unsigned c = 0; c < 2; c++)
        for (unsigned k = 0; k < N_KERNELS; k++) {
            const struct xk_simulate_opts look = {
                .checks = checks[c], .found = hear_finding, .inst = hear_inst};
            heard = (struct heard){platforms[platform].lsc ? kernels[k].lsc
                                                           : kernels[k].old,
                                   0, ""};
            ck_assert_int_eq(xk_simulate_configure(d, &look, &err), XK_OK);
            run(d, m, kernels[k].name, kernels[k].n_b);
            ck_assert_msg(!heard.wanted || heard.n_wanted,
                          "%s: the compiler has made no %s", kernels[k].name,
                          heard.wanted);
        }
}

START_TEST(compiled_kernels_copy)
{
    struct xk_error err = {.message = ""};
    xk_device *d = NULL;
    xk_module *m = NULL;
    size_t n_b = 0;
    uint8_t *const file =
        ocl_compile(XK_UNALIGNED_CL, platforms[_i].device, 0, &n_b);
    ck_assert_msg(file, "not compiled for %s", platforms[_i].device);
    ck_assert_msg(xk_device_create("sim", platforms[_i].name, 1, &d, &err) ==
                          XK_OK &&
                      xk_module_create(d, file, n_b, &m, &err) == XK_OK,
                  "%s", err.message);
    run_all((unsigned)_i, d, m);
    xk_module_unref(m);
    xk_device_unref(d);
    free(file);
}
END_TEST

int main(void)
{
    if (!ocl_available()) {
        puts("1..0 # SKIP ocloc or iga64 is not installed");
        return 0;
    }
    Suite *const s = suite_create("unaligned");
    TCase *const t = tcase_create("unaligned");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, compiled_kernels_copy, 0, N_PLATFORMS);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
