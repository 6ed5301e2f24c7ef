/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer of more than 4 GiB on every engine: copies and a kernel of Intel's
 * compiler reach what lies above 4 GiB, and nothing of it lands 4 GiB below.
 * Minutes: the driver moves all of it over a socket, page by page, around each
 * command. */
#include <string.h>
#include <unistd.h>

#include "tests/runtime/virtual.h"
#include "tests/tap.h"

#define SIZE_B ((UINT64_C(4) << 30) + (UINT64_C(8) << 20))
#define LOW_B ((UINT64_C(1) << 20) + 5)
#define HIGH_B ((UINT64_C(4) << 30) + LOW_B)
#define N 16
#define NEED_B (UINT64_C(12) << 30)

static const char *const engines[] = {"sim", "ze", "ocl"};
static uint8_t zebin[1 << 16];
static size_t zebin_b;
static struct xk_error err;

#define GOOD(call) ck_assert_msg((call) == XK_OK, "%s: %s", #call, err.message)

static bool compile(void)
{
    char dir[] = "/tmp/xk_large_XXXXXX", cmd[600];
    if (!mkdtemp(dir))
        return false;
    snprintf(cmd, sizeof cmd,
             "cd %s && ocloc compile -file %s -device acm-g10 --format zebin "
             "-options -cl-intel-greater-than-4GB-buffer-required -output k "
             "-out_dir %s -output_no_suffix >log 2>&1",
             dir, LARGE_CL, dir);
    bool good = system(cmd) == 0;
    snprintf(cmd, sizeof cmd, "%s/k", dir);
    FILE *const f = good ? fopen(cmd, "rb") : NULL;
    if (f) {
        zebin_b = fread(zebin, 1, sizeof zebin, f);
        fclose(f);
    }
    snprintf(cmd, sizeof cmd, "rm -r %s", dir);
    good = system(cmd) == 0 && f;
    return good;
}

START_TEST(what_lies_above_4_gib)
{
    static const uint32_t one[3] = {1, 1, 1}, local[3] = {N, 1, 1};
    uint8_t low[2 * N], high[2 * N];
    const uint64_t at = HIGH_B;
    const uint32_t v = 100;
    xk_device *d;
    xk_buffer *b;
    xk_module *m;
    GOOD(xk_device_create(engines[_i], "xehpg", 0, &d, &err));
    GOOD(xk_module_create(d, zebin, zebin_b, &m, &err));
    GOOD(xk_buffer_create(d, SIZE_B, &b, &err));
    memset(low, 7, sizeof low);
    memset(high, 9, sizeof high);
    GOOD(xk_buffer_write(b, LOW_B, low, sizeof low, &err));
    GOOD(xk_buffer_write(b, HIGH_B, high, sizeof high, &err));
    const struct xk_launch_arg args[] = {
        {.buffer = b}, {.value = &at, .size_b = 8}, {.value = &v, .size_b = 4}};
    GOOD(xk_launch(m,
                   &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                            "poke", one, local, 3, args},
                   NULL, &err));
    GOOD(xk_buffer_read(b, LOW_B, low, sizeof low, &err));
    GOOD(xk_buffer_read(b, HIGH_B, high, sizeof high, &err));
    for (int i = 0; i < 2 * N; i++) {
        ck_assert_int_eq(low[i], 7);
        ck_assert_int_eq(high[i], i < N ? (int)v + i : 9);
    }
    xk_buffer_unref(b);
    xk_module_unref(m);
    xk_device_unref(d);
}
END_TEST

static bool skip(const char *why)
{
    printf("1..0 # SKIP %s\n", why);
    return true;
}

static bool must_skip(void)
{
    uint32_t n;
    const uint64_t free_b =
        (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (free_b < NEED_B)
        return skip("less than 12 GiB of free memory");
    if (!compile())
        return skip("ocloc is not installed");
    if (!virtual_open("xehpg"))
        return true;
    return (xk_device_count("ze", &n, &err) < 0 ||
            xk_device_count("ocl", &n, &err) < 0) &&
           skip(err.message);
}

int main(void)
{
    if (must_skip())
        return 77;
    Suite *const s = suite_create("large");
    TCase *const t = tcase_create("large");
    tcase_set_timeout(t, 1500);
    tcase_add_loop_test(t, what_lies_above_4_gib, 0, 3);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
