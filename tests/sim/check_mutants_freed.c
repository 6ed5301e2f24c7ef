/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/check_mutants_freed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "tests/runtime/ocl.h"
#include "xekern/simulate.h"

#define N 8         /* buffers behind pointers */
#define N_ITEMS 256 /* each of which uses one of them */

static unsigned n_freed, n_found;
static char first[700];

struct lab {
    xk_device *d;
    xk_module *m;
    xk_buffer *data, *table, *behind[N];
};

static void hear(void *user, const struct xk_simulate_finding *f)
{
    (void)user;
    n_found++;
    n_freed += !strcmp(f->check, "mem") && strstr(f->why, "was freed");
    if (!first[0])
        snprintf(first, sizeof first, "%s", f->line);
}

static xk_buffer *buffer(xk_device *d, uint64_t n_b)
{
    struct xk_error err;
    xk_buffer *b = NULL;
    uint8_t *const zero = calloc(1, n_b);
    if (!zero || xk_buffer_create(d, n_b, &b, &err) != XK_OK ||
        xk_buffer_write(b, 0, zero, n_b, &err) != XK_OK)
        abort();
    free(zero);
    return b;
}

static void launch(const struct lab *x, const char *kernel, xk_buffer *a,
                   xk_buffer *b, unsigned n_args)
{
    static const int32_t n = N;
    struct xk_launch_arg arg[3 + N] = {
        {.buffer = a}, {.buffer = b}, {.value = &n, .size_b = sizeof n}};
    for (unsigned k = 0; k < N; k++) /* a stale pointer leads nowhere */
        arg[3 + k].buffer = x->behind[k] ? x->behind[k] : a;
    const uint32_t groups[] = {N_ITEMS / 64, 1, 1}, local[] = {64, 1, 1};
    struct xk_error err = {.message = ""};
    n_freed = n_found = 0;
    first[0] = 0;
    if (xk_launch(x->m,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                           kernel, groups, local, n_args, arg},
                  NULL, &err) != XK_OK &&
        !n_found) {
        n_found++;
        snprintf(first, sizeof first, "%s", err.message);
    }
}

/* Sizes differ, so that buffers lie anywhere. */
static void make_buffers(struct lab *x)
{
    uint64_t va[N_ITEMS], table[N];
    struct xk_error err;
    x->data = buffer(x->d, 8 * N_ITEMS);
    x->table = buffer(x->d, sizeof table);
    for (unsigned k = 0; k < N; k++) {
        x->behind[k] = buffer(x->d, 4 * N_ITEMS / N + 1000 * k);
        launch(x, "address", x->data, x->behind[k], 2);
        if (xk_buffer_read(x->data, 0, va, sizeof va, &err) != XK_OK)
            abort();
        table[k] = va[0];
    }
    if (xk_buffer_write(x->table, 0, table, sizeof table, &err) != XK_OK)
        abort();
}

static void drop_buffers(struct lab *x)
{
    xk_buffer_unref(x->data);
    xk_buffer_unref(x->table);
    for (unsigned k = 0; k < N; k++)
        xk_buffer_unref(x->behind[k]);
}

static void one(struct lab *x, const char *kernel, unsigned k,
                struct freed_score *score)
{
    make_buffers(x);
    launch(x, kernel, x->data, x->table, 3 + N);
    score->clean++;
    score->alarms += n_found != 0;
    if (n_found)
        printf("# false alarm: %s: %s\n", kernel, first);
    xk_buffer_unref(x->behind[k]);
    x->behind[k] = NULL;
    launch(x, kernel, x->data, x->table, 3 + N);
    score->made++;
    score->found += n_freed != 0;
    if (!n_freed)
        printf("# missed: %s, buffer %u freed; found: %s\n", kernel, k, first);
    drop_buffers(x);
}

static void one_width(const char *cl_path, const char *platform,
                      const char *device, unsigned simd,
                      struct freed_score *score)
{
    const struct xk_simulate_opts look = {.checks = "mem,race,init,sync",
                                          .found = hear};
    struct xk_error err = {.message = ""};
    struct lab x = {.d = NULL};
    size_t n_b;
    uint8_t *const file = ocl_compile(cl_path, device, simd, &n_b);
    if (file && xk_device_create("sim", platform, 1, &x.d, &err) == XK_OK &&
        xk_simulate_configure(x.d, &look, &err) == XK_OK &&
        xk_module_create(x.d, file, n_b, &x.m, &err) == XK_OK) {
        for (unsigned k = 0; k < N; k++) {
            one(&x, "load_through", k, score);
            one(&x, "store_through", k, score);
        }
    } else {
        printf("# %s: %s\n", cl_path, file ? err.message : "not compiled");
        score->alarms++;
    }
    xk_module_unref(x.m);
    xk_device_unref(x.d);
    free(file);
}

void freed_buffers(const char *cl_path, const struct xk_platform *p,
                   struct freed_score *score)
{
    static const struct {
        const char *platform, *device;
        unsigned simd[2];
    } rows[] = {{"xelp", "tgllp", {8, 16}},
                {"xehpg", "dg2", {8, 16}},
                {"xehpc", "pvc", {16, 32}}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned k = 0; k < 2 && !strcmp(rows[i].platform, p->name); k++)
            one_width(cl_path, rows[i].platform, rows[i].device,
                      rows[i].simd[k], score);
}
