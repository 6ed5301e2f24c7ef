/* SPDX-License-Identifier: Apache-2.0 */
/* How fast the simulator is, next to what it is meant to reach:
 *   bench_rates shapes/resnet_50.txt
 * The generator's kernels of a list of convolutions, in f16 and f32. Rates on
 * one core are per processor time of this process, so that a busy host counts
 * little. Where the kernel lets hardware counters be read, the user-mode
 * instructions that one core retires are printed as well: they are the same
 * from run to run. Elsewhere scripts/sim_cost.py counts them with valgrind.
 * Also, everything that a ratio compares is measured in turns, and of each the
 * least of several rounds is taken. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "xekern/simulate.h"
#include "xekern/xekern.h"

#define MOST_JOBS 32
#define ROUNDS 3

/* A convolution on a device, ready to be launched. */
struct job {
    xk_program *program;
    xk_module *module;
    xk_buffer *buffer[XK_N_CONV_ARGS];
};

/* A list of convolutions on a device. */
struct set {
    xk_device *device;
    struct job job[MOST_JOBS];
    unsigned n;
};

/* What a round of launches took. */
struct cost {
    double cpu_s, wall_s;
    uint64_t instructions, groups;
    uint64_t retired; /* user-mode instructions of the host; 0: not counted */
};

static int n_missed;
static int counter = -1; /* of this process and the threads that it starts */

/* False: the kernel or the machine has no counter for us. */
static bool open_counter(void)
{
    struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE,
                                .size = sizeof a,
                                .config = PERF_COUNT_HW_INSTRUCTIONS,
                                .inherit = 1,
                                .exclude_kernel = 1,
                                .exclude_hv = 1};
    counter = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
    return counter >= 0;
}

static uint64_t retired(void)
{
    uint64_t n = 0;
    return counter >= 0 && read(counter, &n, sizeof n) == sizeof n ? n : 0;
}

static _Noreturn void stop(const char *what, const struct xk_error *err)
{
    fprintf(stderr, "bench_rates: %s: %s\n", what, err->message);
    exit(1);
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Small numbers, so that sums neither overflow nor vanish. */
static void fill(uint8_t *p, const struct xk_tensor_info *t)
{
    static const uint16_t half[4] = {0x3c00, 0xbc00, 0x4000, 0x3800};
    static const float single[4] = {1, -1, 2, 0.5f};
    const size_t size = t->type == XK_F32 ? 4 : 2;
    uint32_t x = 12345;
    for (uint64_t at = 0; at + size <= t->size_b; at += size) {
        x = x * 1664525u + 1013904223u;
        memcpy(p + at,
               t->type == XK_F32 ? (const void *)&single[x >> 30]
                                 : (const void *)&half[x >> 30],
               size);
    }
}

static void bind(xk_device *d, struct job *j, struct xk_error *err)
{
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        const struct xk_tensor_info *const t =
            &xk_program_info(j->program)->tensor[i];
        if (!t->ndims)
            continue;
        uint8_t *const bytes = calloc(1, t->size_b);
        if (!bytes)
            exit(1);
        fill(bytes, t);
        if (xk_buffer_create(d, t->size_b, &j->buffer[i], err) != XK_OK ||
            xk_buffer_write(j->buffer[i], 0, bytes, t->size_b, err) != XK_OK)
            stop("buffer", err);
        free(bytes);
    }
}

static void add_job(struct set *s, const char *text, uint32_t type, int64_t mb)
{
    struct xk_conv_desc desc = XK_CONV_DESC_INIT;
    struct xk_error err = {.status = XK_OK};
    struct job *const j = &s->job[s->n++];
    char name[128] = "";
    desc.prop = XK_FWD_B;
    desc.src_type = desc.wei_type = desc.dst_type = type;
    strcpy(desc.src_tag, "any");
    strcpy(desc.wei_tag, "any");
    strcpy(desc.dst_tag, "any");
    if (xk_conv_desc_parse(text, &desc, name, sizeof name, &err) != XK_OK)
        stop(text, &err);
    desc.mb = mb;
    if (xk_conv_create(&desc, NULL, &j->program, &err) != XK_OK)
        stop(text, &err);
    const struct xk_launch_info *const l = xk_program_launch(j->program, 0);
    if (xk_module_create(s->device, l->zebin, l->zebin_b, &j->module, &err) !=
        XK_OK)
        stop(text, &err);
    bind(s->device, j, &err);
}

static void set_init(struct set *s, const char *file, uint32_t type, int64_t mb,
                     unsigned n_threads)
{
    struct xk_error err = {.status = XK_OK};
    char line[256];
    FILE *const f = fopen(file, "r");
    *s = (struct set){.n = 0};
    if (xk_device_create("sim", "xehpg", n_threads, &s->device, &err) != XK_OK)
        stop("device", &err);
    if (!f) {
        fprintf(stderr, "bench_rates: cannot open %s\n", file);
        exit(1);
    }
    while (fgets(line, sizeof line, f) && s->n < MOST_JOBS) {
        line[strcspn(line, "\n")] = 0;
        if (*line && *line != '#')
            add_job(s, line, type, mb);
    }
    fclose(f);
}

static void set_fini(struct set *s)
{
    for (unsigned k = 0; k < s->n; k++) {
        for (unsigned i = 0; i < XK_N_CONV_ARGS; i++)
            xk_buffer_unref(s->job[k].buffer[i]);
        xk_module_unref(s->job[k].module);
        xk_program_unref(s->job[k].program);
    }
    xk_device_unref(s->device);
}

static void launch(const struct job *j, struct cost *sum)
{
    const struct xk_launch_info *const l = xk_program_launch(j->program, 0);
    struct xk_launch_arg args[XK_MAX_LAUNCH_ARGS] = {{0}};
    struct xk_launch_stats stats;
    struct xk_error err = {.status = XK_OK};
    for (unsigned i = 0; i < l->n_args; i++)
        args[i].buffer = j->buffer[l->args[i].tensor];
    if (xk_launch(j->module,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                           l->kernel, l->groups, l->local,
                                           l->n_args, args},
                  &stats, &err) != XK_OK)
        stop(l->kernel, &err);
    sum->instructions += stats.instructions;
    sum->groups += stats.groups;
}

/* All launches of *s once, or those of at least least_groups groups. */
static struct cost run(const struct set *s, const char *checks,
                       uint64_t least_groups)
{
    const struct xk_simulate_opts look = {.checks = checks};
    struct xk_error err = {.status = XK_OK};
    struct cost c = {0};
    if (xk_simulate_configure(s->device, &look, &err) != XK_OK)
        stop(checks, &err);
    c.retired = -retired();
    c.cpu_s = -seconds(CLOCK_PROCESS_CPUTIME_ID);
    c.wall_s = -seconds(CLOCK_MONOTONIC);
    for (unsigned k = 0; k < s->n; k++) {
        const uint32_t *const g =
            xk_program_launch(s->job[k].program, 0)->groups;
        if ((uint64_t)g[0] * g[1] * g[2] >= least_groups)
            launch(&s->job[k], &c);
    }
    c.wall_s += seconds(CLOCK_MONOTONIC);
    c.cpu_s += seconds(CLOCK_PROCESS_CPUTIME_ID);
    c.retired += retired();
    return c;
}

static void take_least(struct cost *least, struct cost c)
{
    if (!least->instructions)
        *least = c;
    least->cpu_s = c.cpu_s < least->cpu_s ? c.cpu_s : least->cpu_s;
    least->wall_s = c.wall_s < least->wall_s ? c.wall_s : least->wall_s;
    least->retired = c.retired < least->retired ? c.retired : least->retired;
}

static void row(const char *what, const char *fmt, double value,
                const char *goal, bool met)
{
    char number[32];
    snprintf(number, sizeof number, fmt, value);
    printf("  %-44s %12s   %-12s %s\n", what, number, goal,
           !*goal ? ""
           : met  ? "met"
                  : "MISSED");
    n_missed += *goal && !met;
    fflush(stdout);
}

/* One core: with no checks, with all, and with each alone. */
static void one_core(const char *type, const struct set *s)
{
    static const char *const checks[] = {"none", "all",  "mem",   "race",
                                         "init", "sync", "hazard"};
    struct cost least[sizeof checks / sizeof checks[0]] = {{0}};
    char what[64];
    for (unsigned r = 0; r < ROUNDS; r++)
        for (unsigned k = 0; k < sizeof checks / sizeof checks[0]; k++)
            take_least(&least[k], run(s, checks[k], 0));
    const double plain = (double)least[0].instructions * 1e-6 / least[0].cpu_s;
    snprintf(what, sizeof what, "%s, unchecked, M instructions/s", type);
    row(what, "%.1f", plain, ">= 20", plain >= 20);
    for (unsigned k = 0; k < 2 && counter >= 0; k++) {
        snprintf(what, sizeof what, "%s, checks '%s', M host instructions",
                 type, checks[k]);
        row(what, "%.1f", (double)least[k].retired * 1e-6, "", true);
    }
    for (unsigned k = 1; k < sizeof checks / sizeof checks[0]; k++) {
        const double part = least[0].cpu_s / least[k].cpu_s;
        snprintf(what, sizeof what, "%s, checks '%s', of that rate", type,
                 checks[k]);
        row(what, "%.3f", part, k == 1 ? ">= 0.25" : "", part >= 0.25);
    }
}

static void two_threads(const char *type, const struct set *one,
                        const struct set *two)
{
    struct cost least[2] = {{0}};
    char what[64];
    for (unsigned r = 0; r < ROUNDS; r++) {
        take_least(&least[0], run(one, "none", 64));
        take_least(&least[1], run(two, "none", 64));
    }
    const double gain = least[0].wall_s / least[1].wall_s;
    snprintf(what, sizeof what, "%s, >= 64 groups: 2 threads against 1", type);
    row(what, "%.2f", gain, ">= 1.8", gain >= 1.8);
}

static void whole_list(const char *type, const struct set *two, double goal_s)
{
    struct cost least = {0};
    char what[64], goal[16];
    for (unsigned r = 0; r < ROUNDS; r++)
        take_least(&least, run(two, "none", 0));
    snprintf(what, sizeof what, "%s, %u problems, 2 threads, s", type, two->n);
    snprintf(goal, sizeof goal, "< %.0f", goal_s);
    row(what, "%.2f", least.wall_s, goal, least.wall_s < goal_s);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        uint32_t type;
        double goal_s;
    } types[] = {{"f16", XK_F16, 3}, {"f32", XK_F32, 10}};
    if (argc != 2) {
        fputs("bench_rates FILE-OF-PROBLEMS\n", stderr);
        return 2;
    }
    printf("  %-44s %12s   %-12s\n", "mb=1, least of 3 rounds", "measured",
           "goal");
    if (!open_counter())
        printf("  no host instructions: perf_event_open: %s; "
               "scripts/sim_cost.py counts them\n",
               strerror(errno));
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        struct set one, two;
        set_init(&one, argv[1], types[k].type, 1, 1);
        set_init(&two, argv[1], types[k].type, 1, 2);
        one_core(types[k].name, &one);
        two_threads(types[k].name, &one, &two);
        whole_list(types[k].name, &two, types[k].goal_s);
        set_fini(&one);
        set_fini(&two);
    }
    return n_missed ? 1 : 0;
}
