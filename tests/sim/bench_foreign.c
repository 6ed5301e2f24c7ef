/* SPDX-License-Identifier: Apache-2.0 */
/* How fast the simulator runs kernels that another compiler made:
 *   bench_foreign bench_foreign.cl
 * Three SIMD16 kernels for xehpg by ocloc, unchecked and with every check.
 * Rates are per processor time of this process; unchecked and checked runs are
 * taken in turns, and of each the least of several rounds counts. "sum" tells
 * whether two builds computed the same. With a kernel's name behind the file
 * only that one runs, unchecked or with the checks that follow: for profilers.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/runtime/ocl.h"
#include "xekern/simulate.h"
#include "xekern/xekern.h"

#define ROUNDS 7
#define N 128 /* rows and columns of each buffer */
#define N_BUFFERS 3

struct bench {
    xk_device *device;
    xk_module *module;
    xk_buffer *buffer[N_BUFFERS];
};

struct cost {
    double cpu_s;
    uint64_t instructions;
};

static _Noreturn void stop(const char *what, const struct xk_error *err)
{
    fprintf(stderr, "bench_foreign: %s: %s\n", what, err->message);
    exit(1);
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Floats between -4 and 4, which as integers are all different. */
static void fill(struct bench *b, struct xk_error *err)
{
    static float values[N * N];
    uint32_t x = 12345;
    for (unsigned k = 0; k < N_BUFFERS; k++) {
        for (unsigned i = 0; i < N * N; i++) {
            x = x * 1664525u + 1013904223u;
            values[i] = (float)(int32_t)x / 536870912.0f;
        }
        if (xk_buffer_create(b->device, sizeof values, &b->buffer[k], err) !=
                XK_OK ||
            xk_buffer_write(b->buffer[k], 0, values, sizeof values, err) !=
                XK_OK)
            stop("buffer", err);
    }
}

static void bench_init(struct bench *b, const char *cl_path)
{
    struct xk_error err = {.status = XK_OK};
    size_t file_b;
    uint8_t *const file = ocl_compile(cl_path, "dg2", 0, &file_b);
    if (!file)
        exit(1);
    if (xk_device_create("sim", "xehpg", 1, &b->device, &err) != XK_OK)
        stop("device", &err);
    if (xk_module_create(b->device, file, file_b, &b->module, &err) != XK_OK)
        stop(cl_path, &err);
    free(file);
    fill(b, &err);
}

static void bench_fini(struct bench *b)
{
    for (unsigned k = 0; k < N_BUFFERS; k++)
        xk_buffer_unref(b->buffer[k]);
    xk_module_unref(b->module);
    xk_device_unref(b->device);
}

static struct cost run(const struct bench *b, const char *kernel,
                       const char *checks)
{
    static const uint32_t groups[3] = {N / 16, N / 16, 1},
                          local[3] = {16, 16, 1};
    static const int32_t n = N;
    const struct xk_simulate_opts look = {.checks = checks};
    struct xk_launch_arg args[N_BUFFERS + 1] = {{0}};
    struct xk_launch_stats stats;
    struct xk_error err = {.status = XK_OK};
    for (unsigned k = 0; k < N_BUFFERS; k++)
        args[k].buffer = b->buffer[k];
    args[N_BUFFERS] = (struct xk_launch_arg){.value = &n, .size_b = sizeof n};
    if (xk_simulate_configure(b->device, &look, &err) != XK_OK)
        stop(checks, &err);
    struct cost c = {.cpu_s = -cpu_seconds()};
    if (xk_launch(b->module,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                           kernel, groups, local, N_BUFFERS + 1,
                                           args},
                  &stats, &err) != XK_OK)
        stop(kernel, &err);
    c.cpu_s += cpu_seconds();
    c.instructions = stats.instructions;
    return c;
}

static void take_least(struct cost *least, struct cost c)
{
    if (!least->instructions || c.cpu_s < least->cpu_s)
        *least = c;
}

/* FNV-1a of what the kernel wrote. */
static uint32_t result_sum(const struct bench *b)
{
    static uint8_t bytes[N * N * 4];
    struct xk_error err = {.status = XK_OK};
    uint32_t h = 2166136261u;
    if (xk_buffer_read(b->buffer[N_BUFFERS - 1], 0, bytes, sizeof bytes,
                       &err) != XK_OK)
        stop("read", &err);
    for (size_t i = 0; i < sizeof bytes; i++)
        h = (h ^ bytes[i]) * 16777619u;
    return h;
}

/* False if the checks cost more than four times the time. */
static bool report(const struct bench *b, const char *kernel)
{
    struct cost plain = {0}, checked = {0};
    for (unsigned r = 0; r < ROUNDS; r++) {
        take_least(&plain, run(b, kernel, "none"));
        take_least(&checked, run(b, kernel, "all"));
    }
    const double rate = (double)plain.instructions * 1e-6 / plain.cpu_s;
    const double slower = checked.cpu_s / plain.cpu_s;
    printf("  %-14s %10llu %10.2f %10.2f %8.2f  %-6s %08x\n", kernel,
           (unsigned long long)plain.instructions, rate, rate / slower, slower,
           slower <= 4 ? "met" : "MISSED", result_sum(b));
    fflush(stdout);
    return slower <= 4;
}

int main(int argc, char **argv)
{
    static const char *const kernels[] = {"tiled_gemm", "stencil_hash",
                                          "softmax_rows"};
    struct bench b = {0};
    bool met = true;
    if (argc < 2 || argc > 4) {
        fputs("bench_foreign FILE.cl [KERNEL [CHECKS]]\n", stderr);
        return 2;
    }
    if (!ocl_available())
        return 77;
    bench_init(&b, argv[1]);
    if (argc > 2) {
        for (unsigned r = 0; r < ROUNDS; r++)
            run(&b, argv[2], argc > 3 ? argv[3] : "none");
        bench_fini(&b);
        return 0;
    }
    printf("  %-14s %10s %10s %10s %8s  %-6s %s\n", "kernel", "executed",
           "M inst/s", "all checks", "slower", "<= 4", "sum");
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++)
        met &= report(&b, kernels[k]);
    bench_fini(&b);
    return met ? 0 : 1;
}
