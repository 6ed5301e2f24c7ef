/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer: a file with kernels up to and including a launch of each. Byte 0
 * says what the rest is: a whole file of whatever container, or the .ze_info of
 * an otherwise sound zebin. A launch ends with OK or with a sentence. */
#include <stdlib.h>
#include <string.h>

#include "container/kernel_file.h"
#include "tests/container/make_zebin.h"
#include "xekern/simulate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b);

#define MAX_ARGS 16
#define BUFFER_B 256
#define INST_LIMIT 400

static void demand(int yes)
{
    if (!yes)
        abort();
}

struct given {
    struct xk_launch_arg arg[MAX_ARGS];
    xk_buffer *buffer;
    unsigned n;
};

/* As the file says it takes them; what it says twice is given once. */
static void give_args(const struct xk_zkernel *k, xk_device *d, struct given *g)
{
    static const uint8_t value[256] = {3};
    struct xk_error err = {.message = ""};
    *g = (struct given){.n = 0};
    demand(xk_buffer_create(d, BUFFER_B, &g->buffer, &err) == XK_OK);
    for (unsigned n = 0; n < MAX_ARGS; n++)
        g->arg[n] = (struct xk_launch_arg){.buffer = g->buffer};
    for (uint32_t n = 0; n < k->n_args; n++) {
        const struct xk_zarg *const z = &k->args[n];
        if (z->arg_index < 0 || z->arg_index >= MAX_ARGS)
            continue;
        struct xk_launch_arg *const a = &g->arg[z->arg_index];
        if ((unsigned)z->arg_index >= g->n)
            g->n = (unsigned)z->arg_index + 1;
        if (z->slm)
            *a = (struct xk_launch_arg){.size_b = 64};
        else if (z->kind == XK_ZARG_VALUE && z->size_b <= sizeof value)
            *a = (struct xk_launch_arg){.value = value, .size_b = z->size_b};
    }
}

static void launch(xk_device *d, xk_module *m, const struct xk_zkernel *k)
{
    static const uint32_t groups[3] = {2, 1, 1}, local[3] = {8, 2, 1};
    struct xk_error err = {.message = ""};
    struct xk_launch_stats stats;
    struct given g;
    give_args(k, d, &g);
    const enum xk_status st =
        xk_launch(m,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                           k->name, groups, local, g.n, g.arg},
                  &stats, &err);
    demand(st == XK_OK || err.message[0]);
    xk_buffer_unref(g.buffer);
}

static void launch_all(const uint8_t *file, size_t n_b)
{
    static const struct xk_simulate_opts plain = {.inst_limit = INST_LIMIT};
    static const struct xk_simulate_opts all = {.inst_limit = INST_LIMIT,
                                                .checks = "all"};
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_kernel_file f;
    struct xk_error err = {.message = ""};
    xk_device *d = NULL;
    xk_module *m = NULL;
    if (xk_kernel_file_open(c, file, n_b, NULL, &f) < 0) {
        xk_ctx_destroy(c);
        return;
    }
    demand(xk_device_create("sim", f.platform->name, 1, &d, &err) == XK_OK);
    demand(xk_simulate_configure(d, n_b & 1 ? &all : &plain, &err) == XK_OK);
    if (xk_module_create(d, file, n_b, &m, &err) == XK_OK) {
        for (uint32_t k = 0; k < f.z.n_kernels && k < 4; k++)
            launch(d, m, &f.z.kernels[k]);
        xk_module_unref(m);
    } else {
        demand(err.message[0] != 0);
    }
    xk_device_unref(d);
    xk_kernel_file_fini(c, &f);
    xk_ctx_destroy(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b)
{
    static const uint32_t families[3] = {1270, 29, 1271};
    if (!n_b)
        return 0;
    const uint8_t kind = data[0];
    if (!(kind & 3)) {
        launch_all(data + 1, n_b - 1);
        return 0;
    }
    char *const info = malloc(n_b);
    memcpy(info, data + 1, n_b - 1);
    info[n_b - 1] = 0;
    const struct zebin_parts parts = {.ze_info = info,
                                      .family = families[kind % 3]};
    size_t file_b;
    uint8_t *const file = make_zebin(&parts, &file_b);
    launch_all(file, file_b);
    free(file);
    free(info);
    return 0;
}
