/* SPDX-License-Identifier: Apache-2.0 */
/* One problem in one mode: query, device, create, data, launch, compare. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/problem/conv_words.h"
#include "tools/problem/words.h"
#include "tools/xkbench/work.h"
#include "xekern/simulate.h"

#define PERF_CREATES 20
#define PERF_QUERIES 100
#define PERF_RUNS 20 /* of a device that is not simulated here */
#define PERF_RUNS_NS 500000000u

static uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void add_time(struct xk_bench_time *t, uint64_t ns)
{
    t->min_ns = !t->n || ns < t->min_ns ? ns : t->min_ns;
    t->max_ns = ns > t->max_ns ? ns : t->max_ns;
    t->total_ns += ns;
    t->n++;
}

bool xk_bench_end(struct xk_bench_work *w, enum xk_bench_state state,
                  const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(w->r->reason, sizeof w->r->reason, format, args);
    va_end(args);
    w->r->state = state;
    return false;
}

/* An option reaches the library as the variable that its messages name. */
static void name_schedule(struct xk_bench_work *w)
{
    static const char variable[] = "XK_SCHEDULE:", option[] = "schedule:";
    const struct xk_error told = w->err;
    if (*w->p->schedule &&
        !strncmp(told.message, variable, sizeof variable - 1))
        snprintf(w->err.message, sizeof w->err.message, "%s%s", option,
                 told.message + sizeof variable - 1);
}

bool xk_bench_end_status(struct xk_bench_work *w, enum xk_status st)
{
    enum xk_bench_state state = XK_FAILED;
    if (st == XK_EUNSUPPORTED)
        state = XK_UNIMPLEMENTED;
    else if (st == XK_EINVAL || st == XK_EPARSE)
        state = XK_INVALID_ARGUMENTS;
    else if (st == XK_EABSENT)
        state = XK_SKIPPED;
    name_schedule(w);
    xk_conv_name_options(&w->err);
    const char *const text = w->err.message;
    if (state == XK_FAILED)
        return xk_bench_end(w, state, "%s: %s", xk_status_str(st), text);
    return xk_bench_end(w, state, "%s", *text ? text : xk_status_str(st));
}

static uint64_t axis_taps(int64_t in, int64_t out, int64_t k, int64_t stride,
                          int64_t dilation, int64_t pad)
{
    uint64_t n = 0;
    for (int64_t o = 0; o < out; o++)
        for (int64_t i = 0; i < k; i++) {
            const int64_t at = o * stride - pad + i * (dilation + 1);
            n += at >= 0 && at < in;
        }
    return n;
}

uint64_t xk_bench_ops(const struct xk_conv_desc *d)
{
    const int64_t size[2][3] = {{d->id, d->ih, d->iw}, {d->od, d->oh, d->ow}};
    const bool back = xk_bench_is_deconv(d);
    const int64_t *const in = size[back], *const out = size[!back];
    const uint64_t taps = axis_taps(in[0], out[0], d->kd, d->sd, d->dd, d->pd) *
                          axis_taps(in[1], out[1], d->kh, d->sh, d->dh, d->ph) *
                          axis_taps(in[2], out[2], d->kw, d->sw, d->dw, d->pw);
    return 2 * taps * (uint64_t)d->mb * (uint64_t)d->oc *
           (uint64_t)(d->ic / (d->g > 0 ? d->g : 1));
}

bool xk_bench_is_simulated(const struct xk_bench_work *w)
{
    return !strcmp(w->p->engine, "sim");
}

bool xk_bench_time_only(const struct xk_bench_work *w)
{
    return w->p->mode == 'P' && w->p->time_only && xk_bench_is_simulated(w);
}

static bool ask_query(struct xk_bench_work *w)
{
    const int n =
        w->p->mode == 'P' && !xk_bench_time_only(w) ? PERF_QUERIES : 1;
    for (int i = 0; i < n; i++) {
        w->r->info.size = sizeof w->r->info;
        const uint64_t start = clock_ns();
        const enum xk_status st =
            xk_conv_query(&w->p->desc, &w->r->info, &w->err);
        add_time(&w->r->query, clock_ns() - start);
        if (st < 0)
            return xk_bench_end_status(w, st);
    }
    return true;
}

/* "xmx 0.55 load 0.21 | waves 2.1 port 0.40 l2 0.62 memory 0.12" */
static void note_shares(struct xk_bench_result *r, const struct xk_timing *t)
{
    char *at = r->shares, *const end = r->shares + sizeof r->shares;
    for (uint32_t i = 0; i < t->n_shares && at < end; i++)
        if (t->share[i].share >= 0.01)
            at += snprintf(at, (size_t)(end - at), "%s %.2f ",
                           t->share[i].cause, t->share[i].share);
    if (at < end)
        snprintf(at, (size_t)(end - at),
                 "| waves %.2f port %.2f l2 %.2f memory %.2f", t->waves,
                 t->port_busy, t->l2_busy, t->dram_busy);
}

/* "gather=component:61.20 port=64:70.33", of the launches so far. */
static void note_hypotheses(struct xk_bench_result *r,
                            const struct xk_timing *t)
{
    size_t at = 0;
    *r->hypotheses = 0;
    for (uint32_t k = 0; k < t->n_alternatives && at < sizeof r->hypotheses;
         k++) {
        r->hypothesis_us[k] += t->alternative[k].time_us;
        at += (size_t)snprintf(r->hypotheses + at, sizeof r->hypotheses - at,
                               "%s%s=%s:%.4f", k ? " " : "",
                               t->alternative[k].hypothesis,
                               t->alternative[k].value, r->hypothesis_us[k]);
    }
}

/* The least and the greatest time of all launches under one value, which is the
 * same for all of them; the latter's name. */
static void note_interval(struct xk_bench_result *r, const struct xk_timing *t)
{
    r->best_us = r->worst_us = r->predicted_us;
    snprintf(r->worst, sizeof r->worst, "%s",
             t->n_alternatives ? "nominal" : "");
    for (uint32_t k = 0; k < t->n_alternatives; k++) {
        const double us = r->hypothesis_us[k];
        if (us < r->best_us)
            r->best_us = us;
        if (us <= r->worst_us)
            continue;
        r->worst_us = us;
        snprintf(r->worst, sizeof r->worst, "%s=%s",
                 t->alternative[k].hypothesis, t->alternative[k].value);
    }
}

static void timed(void *user, const struct xk_timing *t)
{
    struct xk_bench_result *const r = user;
    if (t->error)
        return;
    r->predicted_us += t->time_us;
    note_hypotheses(r, t);
    note_interval(r, t);
    r->predicted_cycles += t->cycles;
    r->touched_b += t->memory_b;
    note_shares(r, t);
    if (t->peak_fmas > r->peak_fmas)
        r->peak_fmas = t->peak_fmas;
    if (t->memory_us > 0)
        r->memory_rate = t->memory_b / t->memory_us * 1e6;
}

/* The library reads the schedule from the environment. */
static void choose_schedule(const struct xk_bench *b,
                            const struct xk_bench_work *w)
{
    const char *const own = w->p->schedule;
    if (*own)
        setenv("XK_SCHEDULE", own, 1);
    else if (b->env_schedule)
        setenv("XK_SCHEDULE", b->env_schedule, 1);
    else
        unsetenv("XK_SCHEDULE");
}

/* In the mode that compares results the simulator also checks the kernel. In a
 * mode that measures it predicts the time. */
static bool look_closer(struct xk_bench *b, struct xk_bench_work *w)
{
    const struct xk_simulate_opts look = {
        .checks = w->p->mode == 'C' ? "all" : NULL,
        .timing = w->p->mode == 'P' ? w->p->timing : NULL,
        .timed = timed,
        .timing_only = xk_bench_time_only(w),
        .timing_bound = xk_bench_time_only(w) && w->p->bound,
        .timing_waves = xk_bench_time_only(w) ? w->p->waves : 0,
        .inst = xk_bench_time_only(w) ? NULL : xk_bench_note_inst,
        .user = w->r};
    if (!xk_bench_is_simulated(w))
        return true;
    const enum xk_status st = xk_simulate_configure(b->device, &look, &w->err);
    return st < 0 ? xk_bench_end_status(w, st) : true;
}

/* The device says what it is. */
static bool take_platform(struct xk_bench_work *w)
{
    struct xk_device_info info = {.size = sizeof info};
    enum xk_status st = xk_device_get_info(w->device, &info, &w->err);
    if (st >= 0)
        st = xk_word_platform("engine", info.platform, &w->p->desc.platform,
                              &w->err);
    return st < 0 ? xk_bench_end_status(w, st) : true;
}

/* The device of the last problem serves again if it is the same. */
static bool open_device(struct xk_bench *b, struct xk_bench_work *w)
{
    const bool own = w->p->own_platform && !xk_bench_is_simulated(w);
    const uint32_t platform = own ? 0 : w->p->desc.platform;
    if (!b->device || b->device_platform != platform ||
        strcmp(b->device_engine, w->p->engine)) {
        xk_device_unref(b->device);
        b->device = NULL;
        const enum xk_status st = xk_device_create(
            w->p->engine, own ? NULL : xk_platform_word(platform), 0,
            &b->device, &w->err);
        if (st < 0)
            return xk_bench_end_status(w, st);
        strcpy(b->device_engine, w->p->engine);
        b->device_platform = platform;
    }
    w->device = b->device;
    return (!own || take_platform(w)) && look_closer(b, w);
}

#define FNV_START UINT64_C(0xcbf29ce484222325)

/* FNV-1a, 64 bits */
static uint64_t fnv1a(uint64_t h, const uint8_t *bytes, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* Adds a launch's schedule; a fill or a reduction has none. What does not fit
 * is "...". */
static void add_schedule(struct xk_bench_result *r, const char *schedule)
{
    static const char more[] = "; ...";
    const size_t room = sizeof r->schedule - sizeof more;
    const size_t used = strlen(r->schedule);
    if (!schedule[0] || strstr(r->schedule, schedule) || used >= room)
        return;
    const char *const between = used ? "; " : "";
    if (used + strlen(between) + strlen(schedule) < room)
        sprintf(r->schedule + used, "%s%s", between, schedule);
    else
        strcpy(r->schedule + used, more);
}

static bool create(struct xk_bench_work *w)
{
    const int n =
        w->p->mode == 'P' && !xk_bench_time_only(w) ? PERF_CREATES : 1;
    for (int i = 0; i < n; i++) {
        xk_program_unref(w->program);
        w->program = NULL;
        const uint64_t start = clock_ns();
        const enum xk_status st =
            xk_conv_create(&w->p->desc, NULL, &w->program, &w->err);
        add_time(&w->r->create, clock_ns() - start);
        if (st < 0)
            return xk_bench_end_status(w, st);
    }
    w->r->peak_b = xk_program_peak_b(w->program);
    uint64_t code_hash = FNV_START;
    for (uint32_t i = 0; i < xk_program_n_launches(w->program); i++) {
        const struct xk_launch_info *const l = xk_program_launch(w->program, i);
        w->r->code_b += l->code_b;
        code_hash = fnv1a(code_hash, l->code, l->code_b);
        w->r->static_instructions += l->static_instructions;
        w->r->static_fma += l->static_fma;
        add_schedule(w->r, l->schedule);
        if (l->peak_grf > w->r->peak_grf)
            w->r->peak_grf = l->peak_grf;
        w->r->threads_per_group = l->threads_per_group;
        w->r->groups += l->groups[0] * l->groups[1] * l->groups[2];
    }
    snprintf(w->r->code_hash, sizeof w->r->code_hash, "%016" PRIx64, code_hash);
    return true;
}

/* What one of the program's launches did. */
static void add_launch_figures(void *user, const struct xk_launch_step *step,
                               const struct xk_launch_stats *stats,
                               const struct xk_error *why)
{
    struct xk_bench_work *const w = user;
    const struct xk_launch_list *const l = xk_program_launches(w->program);
    if (why)
        return;
    for (uint32_t i = 0; i < l->n_launches; i++)
        if (!strcmp(l->launches[i].kernel, step->kernel))
            xk_bench_add_loop(w->r, xk_program_launch(w->program, i));
    w->r->stats.instructions += stats->instructions;
    w->r->stats.fma += stats->fma;
    w->r->stats.sends += stats->sends;
    w->r->stats.syncs += stats->syncs;
    w->r->stats.groups += stats->groups;
    w->r->stats.threads += stats->threads;
    w->r->stats.time_ns += stats->time_ns;
    w->r->stats.device_ns += stats->device_ns;
}

/* A scale, zero point or seed that the host gives. */
static void give_value(struct xk_bench_work *w, uint32_t number,
                       struct xk_launch_arg *out)
{
    const bool zero = number >= XK_ARG_ZERO_POINT;
    if (number == XK_ARG_SEED)
        out->value = &w->p->seed;
    else
        out->value =
            zero ? (const void *)&w->p->zero_point[number - XK_ARG_ZERO_POINT]
                 : (const void *)&w->p->scale[number - XK_ARG_SCALE];
    out->size_b = 4;
}

static enum xk_status launch_program(struct xk_bench_work *w)
{
    const struct xk_launch_info *const first = xk_program_launch(w->program, 0);
    const struct xk_launch_list *const l = xk_program_launches(w->program);
    if (!first) /* empty tensors: nothing to do */
        return XK_OK;
    struct xk_launch_arg args[XK_MAX_LAUNCH_ARGS] = {{0}};
    const struct xk_run_opts o = {.size = sizeof o,
                                  .n_args = XK_MAX_LAUNCH_ARGS,
                                  .args = args,
                                  .launched = add_launch_figures,
                                  .user = w};
    xk_module *module = NULL;
    for (uint32_t i = 0; i < l->n_args; i++) {
        const uint32_t number = l->args[i].number;
        if (l->args[i].type != XK_VALUE_NONE)
            give_value(w, number, &args[number]);
        else if (number < XK_BENCH_OPERANDS)
            args[number].buffer = w->op[number].buffer;
    }
    enum xk_status st = xk_module_create(w->device, first->zebin,
                                         first->zebin_b, &module, &w->err);
    if (st >= 0)
        st = xk_module_run(module, &o, NULL, &w->err);
    xk_module_unref(module);
    return st;
}

/* *ns: what it took by the clock that counts. */
static bool launch_once(struct xk_bench_work *w, uint64_t *ns)
{
    const uint64_t start = clock_ns(), before = w->r->stats.device_ns;
    const enum xk_status st = launch_program(w);
    if (st < 0)
        return xk_bench_end_status(w, st);
    *ns = xk_bench_is_simulated(w) ? clock_ns() - start
                                   : w->r->stats.device_ns - before;
    return true;
}

/* Several times where that measures something; the first run then only warms
 * the device up. */
static bool launch_all(struct xk_bench_work *w)
{
    const bool several = w->p->mode == 'P' && !xk_bench_is_simulated(w);
    const uint64_t start = clock_ns();
    uint64_t ns;
    if (!launch_once(w, &ns))
        return false;
    if (!several || clock_ns() - start > PERF_RUNS_NS)
        add_time(&w->r->run, ns);
    const unsigned runs = w->p->fix_times ? w->p->fix_times : PERF_RUNS;
    const uint64_t most_ns = w->p->fix_times ? UINT64_MAX
                             : w->p->max_ns  ? w->p->max_ns
                                             : PERF_RUNS_NS;
    for (unsigned i = 0; several && i < runs && clock_ns() - start < most_ns;
         i++) {
        if (!launch_once(w, &ns))
            return false;
        add_time(&w->r->run, ns);
    }
    return true;
}

static void hash(struct xk_bench_work *w)
{
    w->r->hash = FNV_START;
    for (int i = 0; i < XK_N_CONV_ARGS; i++)
        if (w->op[i].written)
            w->r->hash = fnv1a(w->r->hash, w->op[i].image, w->op[i].size_b);
    w->r->hashed = true;
}

/* The bytes of all that is written, as a hash. */
static uint64_t result_hash(struct xk_bench_work *w)
{
    hash(w);
    w->r->hashed = w->p->hash;
    return w->r->hash;
}

/* Mode B: a second run leaves the same bytes. */
static bool repeat(struct xk_bench_work *w)
{
    const uint64_t first = result_hash(w);
    xk_bench_fill_operands(w, 1);
    if (!xk_bench_upload(w) || !launch_all(w) || !xk_bench_download(w))
        return false;
    return result_hash(w) == first
               ? true
               : xk_bench_end(w, XK_FAILED,
                              "dst: a second run leaves other bytes");
}

static bool run_problem(struct xk_bench_work *w)
{
    const bool check = w->p->mode == 'C';
    if (!xk_bench_memory_suffices(w))
        return false;
    for (int i = 0; i < XK_BENCH_OPERANDS; i++)
        if (!xk_bench_make_operand(w, i))
            return false;
    w->ranges = xk_bench_choose_ranges(&w->p->desc);
    xk_bench_allow_zero_points(w->p, &w->ranges);
    if (check && !xk_bench_expect(w))
        return false;
    if (!check && !xk_bench_time_only(w))
        xk_bench_fill_operands(w, 1);
    if ((!xk_bench_time_only(w) && !xk_bench_upload(w)) || !launch_all(w))
        return false;
    const bool twice = w->p->mode == 'B';
    if ((check || twice || w->p->hash) && !xk_bench_download(w))
        return false;
    if (twice && !repeat(w))
        return false;
    if (w->p->hash)
        hash(w);
    if (check && (!xk_bench_compare(w) || !xk_bench_check_outside(w)))
        return false;
    w->r->state = check || twice ? XK_PASSED : XK_EXECUTED;
    return true;
}

static void release_work(struct xk_bench_work *w)
{
    for (int i = 0; i < XK_BENCH_OPERANDS; i++) {
        xk_bench_map_fini(&w->op[i].map);
        free(w->op[i].plain);
        free(w->op[i].image);
        free(w->op[i].ones);
        free(w->op[i].expected);
        free(w->op[i].got);
        xk_buffer_unref(w->op[i].buffer);
    }
    free(w->r->counts.at);
    w->r->counts = (struct xk_bench_counts){0};
    xk_program_unref(w->program);
}

static void stages(struct xk_bench *b, struct xk_bench_work *w)
{
    if (w->p->status < 0) {
        w->err = w->p->err;
        xk_bench_end_status(w, w->p->status);
        return;
    }
    w->r->state = XK_LISTED;
    if (w->p->mode == 'L')
        return;
    choose_schedule(b, w);
    if (!open_device(b, w) || !ask_query(w) || !create(w))
        return;
    w->r->state = XK_INITIALIZED;
    if (w->p->mode != 'I')
        run_problem(w);
}

static void end_without_run(struct xk_bench_result *r,
                            enum xk_bench_state state, const char *why)
{
    *r = (struct xk_bench_result){.state = state};
    snprintf(r->reason, sizeof r->reason, "%s", why);
}

void xk_bench_skip(struct xk_bench_result *r, const char *why)
{
    end_without_run(r, XK_SKIPPED, why);
}

void xk_bench_invalid(struct xk_bench_result *r, const char *why)
{
    end_without_run(r, XK_INVALID_ARGUMENTS, why);
}

void xk_bench_run(struct xk_bench *b, struct xk_bench_problem *p,
                  struct xk_bench_result *r)
{
    struct xk_bench_work w = {.p = p, .r = r};
    *r = (struct xk_bench_result){0};
    const uint64_t start = clock_ns();
    stages(b, &w);
    release_work(&w);
    r->wall_ns = clock_ns() - start;
}
