/* SPDX-License-Identifier: Apache-2.0 */
#include "opencl_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/runtime/ocl.h"
#include "xekern/simulate.h"

static const struct {
    const char *name;
    unsigned simd; /* 0: the compiler's choice */
} devices[OPENCL_DEVICES] = {{"acm-g10", 0}, {"dg2", 0}, {"acm-g10", 8}};
static const char *const files[] = {"arith", "memory", "flow", "floats"};

static xk_device *dev;
xk_module *opencl_module[OPENCL_DEVICES][N_FILES];
uint8_t *opencl_memory_zebin[OPENCL_DEVICES];
size_t opencl_memory_b[OPENCL_DEVICES];

static uint32_t seed = 12345;
uint32_t opencl_rnd(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 16 | seed << 16;
}

/* Numbers of all magnitudes and the corners. */
int32_t opencl_any_int(unsigned i)
{
    static const int32_t corner[] = {
        0,          1,  -1, 2, -2, 7, INT32_MAX, INT32_MIN, INT32_MIN + 1,
        0x55555555, 641};
    if (i % 3 == 0)
        return corner[opencl_rnd() % (sizeof(corner) / sizeof(corner[0]))];
    return (int32_t)opencl_rnd() >> (opencl_rnd() & 31);
}

float opencl_any_float(unsigned i)
{
    static const float corner[] = {0.0f, -0.0f,  1.0f,     -1.5f,     0.5f,
                                   2.5f, 1e-40f, INFINITY, -INFINITY, NAN,
                                   3e9f, -3e9f,  65504.0f, 65520.0f,  1e-7f};
    if (i % 3 == 0)
        return corner[opencl_rnd() % (sizeof(corner) / sizeof(corner[0]))];
    return (float)((int32_t)opencl_rnd() >> (opencl_rnd() & 31)) / 128.0f;
}

xk_buffer *opencl_buffer(const void *data, size_t n_b)
{
    xk_buffer *b;
    struct xk_error err;
    ck_assert_msg(xk_buffer_create(dev, n_b, &b, &err) == XK_OK, "%s",
                  err.message);
    if (data)
        ck_assert_int_eq(xk_buffer_write(b, 0, data, n_b, &err), XK_OK);
    return b;
}

static struct xk_launch_arg begin(const struct opencl_arg *a)
{
    if (a->bare)
        return (struct xk_launch_arg){.value = a->from, .size_b = a->n_b};
    return (struct xk_launch_arg){.buffer = opencl_buffer(a->from, a->n_b)};
}

static void end(const struct opencl_arg *a, xk_buffer *b)
{
    struct xk_error err;
    if (a->to)
        ck_assert_int_eq(xk_buffer_read(b, 0, a->to, a->n_b, &err), XK_OK);
    xk_buffer_unref(b);
}

void opencl_run(xk_module *m, const char *name, const uint32_t groups[3],
                const uint32_t local[3], unsigned n,
                const struct opencl_arg *args)
{
    struct xk_launch_arg a[OPENCL_MAX_ARGS];
    struct xk_error err = {.message = ""};
    ck_assert_uint_le(n, OPENCL_MAX_ARGS);
    for (unsigned i = 0; i < n; i++)
        a[i] = begin(&args[i]);
    ck_assert_msg(
        xk_launch(m,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc), name,
                                           groups, local, n, a},
                  NULL, &err) == XK_OK,
        "%s: %s", name, err.message);
    for (unsigned i = 0; i < n; i++)
        end(&args[i], a[i].buffer);
}

void opencl_run_line(xk_module *m, const char *name, uint32_t items,
                     uint32_t local, unsigned n, const struct opencl_arg *args)
{
    const uint32_t groups[3] = {items / local, 1, 1}, l[3] = {local, 1, 1};
    ck_assert_uint_eq(items % local, 0);
    opencl_run(m, name, groups, l, n, args);
}

size_t opencl_diff_at;
unsigned long long opencl_diff_got, opencl_diff_want;
int opencl_same(const void *got, const void *want, size_t n_b, size_t each_b)
{
    const uint8_t *g = got, *w = want;
    for (opencl_diff_at = 0; opencl_diff_at < n_b / each_b; opencl_diff_at++) {
        opencl_diff_got = opencl_diff_want = 0;
        memcpy(&opencl_diff_got, g + opencl_diff_at * each_b, each_b);
        memcpy(&opencl_diff_want, w + opencl_diff_at * each_b, each_b);
        if (opencl_diff_got != opencl_diff_want)
            return 0;
    }
    return 1;
}

/* As opencl_same(), but all NaNs are alike, and zero may have either sign. */
int opencl_same_float(const float *g, const float *w, size_t n)
{
    for (opencl_diff_at = 0; opencl_diff_at < n; opencl_diff_at++) {
        if (g[opencl_diff_at] == w[opencl_diff_at] ||
            (isnan(g[opencl_diff_at]) && isnan(w[opencl_diff_at])))
            continue;
        opencl_diff_got = opencl_diff_want = 0;
        memcpy(&opencl_diff_got, &g[opencl_diff_at], 4);
        memcpy(&opencl_diff_want, &w[opencl_diff_at], 4);
        return 0;
    }
    return 1;
}

bool opencl_load(void)
{
    struct xk_error err = {.message = ""};
    const struct xk_simulate_opts look = {.checks = "mem,race,init,sync"};
    if (xk_device_create("sim", "xehpg", 2, &dev, &err) != XK_OK ||
        xk_simulate_configure(dev, &look, &err) != XK_OK) {
        printf("# %s\n", err.message);
        return false;
    }
    for (unsigned d = 0; d < OPENCL_DEVICES; d++)
        for (unsigned f = 0; f < N_FILES; f++) {
            char path[500];
            size_t n_b;
            snprintf(path, sizeof(path), "%s/%s.cl", XK_OPENCL_DIR, files[f]);
            uint8_t *zebin =
                ocl_compile(path, devices[d].name, devices[d].simd, &n_b);
            const bool ok =
                zebin && xk_module_create(dev, zebin, n_b, &opencl_module[d][f],
                                          &err) == XK_OK;
            if (f == MEMORY) {
                opencl_memory_zebin[d] = zebin;
                opencl_memory_b[d] = n_b;
            } else {
                free(zebin);
            }
            if (!ok) {
                printf("# %s for %s: %s\n", path, devices[d].name, err.message);
                return false;
            }
        }
    return true;
}

void opencl_unload(void)
{
    for (unsigned d = 0; d < OPENCL_DEVICES; d++) {
        free(opencl_memory_zebin[d]);
        for (unsigned f = 0; f < N_FILES; f++)
            xk_module_unref(opencl_module[d][f]);
    }
    xk_device_unref(dev);
}
