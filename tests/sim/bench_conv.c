/* SPDX-License-Identifier: Apache-2.0 */
/* How fast the simulator runs convolutions:
 *   bench_conv <src> <wei> <dst> <mb> <host threads> <tag> problem...
 * with numbers of enum xk_data_type; a problem may be a file of shapes/. Per
 * problem: instructions, wall and processor time of the launch, and a sum over
 * the destination's bytes, which must not depend on the simulator's speed. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/ctx.h"
#include "xekern/device.h"
#include "xekern/xekern.h"

struct totals {
    double wall_s, cpu_s;
    uint64_t instructions, fma;
};

static struct totals all;
static struct xk_conv_desc base = XK_CONV_DESC_INIT;
static int64_t mb;
static unsigned n_threads;

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Small numbers of the type, so that sums neither overflow nor vanish. */
static void fill(uint8_t *p, const struct xk_tensor_info *t)
{
    static const uint16_t half[8] = {0,      0x3c00, 0xbc00, 0x4000,
                                     0xc000, 0x3800, 0xb800, 0};
    static const float single[8] = {0, 1, -1, 2, -2, 0.5f, -0.5f, 0};
    uint32_t x = 12345;
    for (uint64_t at = 0; at < t->size_b;) {
        x = x * 1664525u + 1013904223u;
        const uint32_t k = x >> 27 & 7;
        const int32_t s = (int32_t)k - 3;
        if (t->type == XK_F32)
            memcpy(p + at, &single[k], 4);
        else if (t->type == XK_F16)
            memcpy(p + at, &half[k], 2);
        else if (t->type == XK_S32)
            memcpy(p + at, &s, 4);
        else
            p[at] = (uint8_t)(t->type == XK_U8 ? k : (uint32_t)s);
        at += t->type == XK_F16                        ? 2
              : t->type == XK_F32 || t->type == XK_S32 ? 4
                                                       : 1;
    }
}

static uint32_t sum_of(const uint8_t *p, uint64_t n_b)
{
    uint32_t h = 2166136261u;
    for (uint64_t i = 0; i < n_b; i++)
        h = (h ^ p[i]) * 16777619u;
    return h;
}

static void report(const char *name, const struct xk_launch_stats *s,
                   double cpu_s, uint32_t sum)
{
    const double wall_s = (double)s->time_ns * 1e-9;
    all.wall_s += wall_s;
    all.cpu_s += cpu_s;
    all.instructions += s->instructions;
    all.fma += s->fma;
    printf("%8.3f s wall %8.3f s cpu %7.1f M inst %7.1f M fma %6.1f M inst/s"
           " sum %08x %s\n",
           wall_s, cpu_s, (double)s->instructions * 1e-6, (double)s->fma * 1e-6,
           (double)s->instructions * 1e-6 / cpu_s, sum, name);
    fflush(stdout);
}

/* False with a message. */
static bool bound(xk_device *d, const xk_program *p, uint8_t **mem,
                  xk_buffer **buf, struct xk_error *err)
{
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        const struct xk_tensor_info *t = &xk_program_info(p)->tensor[i];
        if (!t->ndims)
            continue;
        mem[i] = malloc(t->size_b);
        if (!mem[i] || xk_buffer_create(d, t->size_b, &buf[i], err) != XK_OK)
            return false;
        fill(mem[i], t);
        if (xk_buffer_write(buf[i], 0, mem[i], t->size_b, err) != XK_OK)
            return false;
    }
    return true;
}

static enum xk_status launch(xk_device *d, const xk_program *p, uint8_t **mem,
                             xk_buffer **buf, const char *name,
                             struct xk_error *err)
{
    const struct xk_launch_info *l = xk_program_launch(p, 0);
    const uint64_t dst_b = xk_program_info(p)->tensor[XK_ARG_DST].size_b;
    struct xk_launch_arg args[XK_MAX_LAUNCH_ARGS] = {{0}};
    struct xk_launch_stats stats;
    xk_module *m;
    for (unsigned i = 0; i < l->n_args; i++)
        args[i].buffer = buf[l->args[i].tensor];
    XK_TRY(xk_module_create(d, l->zebin, l->zebin_b, &m, err));
    const double begin_s = seconds(CLOCK_PROCESS_CPUTIME_ID);
    const enum xk_status s = xk_launch(
        m,
        &(struct xk_launch_desc){sizeof(struct xk_launch_desc), l->kernel,
                                 l->groups, l->local, l->n_args, args},
        &stats, err);
    const double cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - begin_s;
    xk_module_unref(m);
    if (s < 0)
        return s;
    XK_TRY(xk_buffer_read(buf[XK_ARG_DST], 0, mem[XK_ARG_DST], dst_b, err));
    report(name, &stats, cpu_s, sum_of(mem[XK_ARG_DST], dst_b));
    return XK_OK;
}

static void problem(const char *text)
{
    struct xk_conv_desc desc = base;
    struct xk_error err = {.status = XK_OK};
    xk_program *p = NULL;
    xk_device *d = NULL;
    uint8_t *mem[XK_N_CONV_ARGS] = {0};
    xk_buffer *buf[XK_N_CONV_ARGS] = {0};
    char name[128] = "";
    enum xk_status s =
        xk_conv_desc_parse(text, &desc, name, sizeof(name), &err);
    if (mb)
        desc.mb = mb;
    if (s == XK_OK)
        s = xk_conv_create(&desc, NULL, &p, &err);
    if (s == XK_OK)
        s = xk_device_create("sim", "xehpg", n_threads, &d, &err);
    if (s == XK_OK)
        s = bound(d, p, mem, buf, &err)
                ? launch(d, p, mem, buf, *name ? name : text, &err)
                : XK_ENOMEM;
    if (s < 0)
        printf("%s: %s\n", text, err.message);
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        xk_buffer_unref(buf[i]);
        free(mem[i]);
    }
    xk_device_unref(d);
    xk_program_unref(p);
}

static void problems(const char *text)
{
    char line[256];
    FILE *f = fopen(text, "r");
    if (!f) {
        problem(text);
        return;
    }
    while (fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = 0;
        if (*line && *line != '#')
            problem(line);
    }
    fclose(f);
}

int main(int argc, char **argv)
{
    if (argc < 8) {
        fputs("bench_conv <src> <wei> <dst> <mb> <threads> <tag> problem...\n",
              stderr);
        return 2;
    }
    base.prop = XK_FWD_B;
    base.src_type = (uint32_t)atoi(argv[1]);
    base.wei_type = (uint32_t)atoi(argv[2]);
    base.dst_type = (uint32_t)atoi(argv[3]);
    mb = atoi(argv[4]);
    n_threads = (unsigned)atoi(argv[5]);
    snprintf(base.src_tag, sizeof(base.src_tag), "%s", argv[6]);
    snprintf(base.wei_tag, sizeof(base.wei_tag), "any");
    snprintf(base.dst_tag, sizeof(base.dst_tag), "%s", argv[6]);
    for (int i = 7; i < argc; i++)
        problems(argv[i]);
    printf("%8.3f s wall %8.3f s cpu %7.1f M inst %7.1f M fma %6.1f M inst/s "
           "total\n",
           all.wall_s, all.cpu_s, (double)all.instructions * 1e-6,
           (double)all.fma * 1e-6, (double)all.instructions * 1e-6 / all.cpu_s);
    return 0;
}
