/* SPDX-License-Identifier: Apache-2.0 */
/* One problem in one mode: query, device, create, data, launch, compare. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/problem/words.h"
#include "tools/xkbench/bench.h"
#include "xekern/simulate.h"

#define GUARD_B 4096
#define SEEDS_MAX 16
#define PERF_CREATES 20
#define PERF_QUERIES 100
#define PERF_RUNS 20 /* of a device that is not simulated here */
#define PERF_RUNS_NS 500000000u

/* One tensor on the host and on the device. */
struct operand {
    bool present;
    struct xk_bench_map map;
    float *plain;
    unsigned char *image;
    uint32_t type;
    uint64_t size_b; /* of the tensor */
    uint64_t guard_b;
    xk_buffer *buffer;
};

struct work {
    struct xk_bench_problem *p;
    struct xk_bench_result *r;
    xk_device *device;
    xk_program *program;
    struct operand op[XK_N_CONV_ARGS];
    struct xk_bench_ranges ranges;
    float *expected; /* convolution and bias */
    uint32_t *got;   /* bits */
    struct xk_error err;
};

static uint64_t now_ns(void)
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

/* Ends the problem in a state with a reason; always false. */
static bool end(struct work *w, enum xk_bench_state state, const char *format,
                ...) XK_PRINTF(3, 4);
static bool end(struct work *w, enum xk_bench_state state, const char *format,
                ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(w->r->reason, sizeof w->r->reason, format, args);
    va_end(args);
    w->r->state = state;
    return false;
}

static bool end_status(struct work *w, enum xk_status st)
{
    enum xk_bench_state state = XK_FAILED;
    if (st == XK_EUNSUPPORTED)
        state = XK_UNIMPLEMENTED;
    else if (st == XK_EINVAL || st == XK_EPARSE)
        state = XK_INVALID_ARGUMENTS;
    else if (st == XK_EABSENT)
        state = XK_SKIPPED;
    const char *const text = w->err.message;
    if (state == XK_FAILED)
        return end(w, state, "%s: %s", xk_status_str(st), text);
    return end(w, state, "%s", *text ? text : xk_status_str(st));
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
    const uint64_t taps = axis_taps(d->id, d->od, d->kd, d->sd, d->dd, d->pd) *
                          axis_taps(d->ih, d->oh, d->kh, d->sh, d->dh, d->ph) *
                          axis_taps(d->iw, d->ow, d->kw, d->sw, d->dw, d->pw);
    return 2 * taps * (uint64_t)d->mb * (uint64_t)d->oc *
           (uint64_t)(d->ic / (d->g > 0 ? d->g : 1));
}

static bool is_simulated(const struct work *w)
{
    return !strcmp(w->p->engine, "sim");
}

/* Nothing is computed, and no host time is measured. */
static bool time_only(const struct work *w)
{
    return w->p->mode == 'P' && w->p->time_only && is_simulated(w);
}

static bool query(struct work *w)
{
    const int n = w->p->mode == 'P' && !time_only(w) ? PERF_QUERIES : 1;
    for (int i = 0; i < n; i++) {
        w->r->info.size = sizeof w->r->info;
        const uint64_t start = now_ns();
        const enum xk_status st =
            xk_conv_query(&w->p->desc, &w->r->info, &w->err);
        add_time(&w->r->query, now_ns() - start);
        if (st < 0)
            return end_status(w, st);
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

static void timed(void *user, const struct xk_timing *t)
{
    struct xk_bench_result *const r = user;
    if (t->error)
        return;
    r->predicted_us += t->time_us;
    r->predicted_cycles += t->cycles;
    r->touched_b += t->memory_b;
    note_shares(r, t);
    if (t->peak_fmas > r->peak_fmas)
        r->peak_fmas = t->peak_fmas;
    if (t->memory_us > 0)
        r->memory_rate = t->memory_b / t->memory_us * 1e6;
}

/* The library reads the schedule from the environment. */
static void choose_schedule(const struct xk_bench *b, const struct work *w)
{
    const char *const own = w->p->schedule;
    if (*own)
        setenv("XK_SCHEDULE", own, 1);
    else if (b->env_schedule)
        setenv("XK_SCHEDULE", b->env_schedule, 1);
    else
        unsetenv("XK_SCHEDULE");
}

/* Where results are compared the simulator judges the kernel too; where time
 * matters it predicts it. */
static bool look_closer(struct xk_bench *b, struct work *w)
{
    const struct xk_simulate_opts look = {
        .checks = w->p->mode == 'C' ? "all" : NULL,
        .timing = w->p->mode == 'P' ? "" : NULL,
        .timed = timed,
        .timing_only = time_only(w),
        .timing_bound = time_only(w) && w->p->bound,
        .timing_waves = time_only(w) ? w->p->waves : 0,
        .inst = time_only(w) ? NULL : xk_bench_note_inst,
        .user = w->r};
    if (!is_simulated(w))
        return true;
    const enum xk_status st = xk_simulate_configure(b->device, &look, &w->err);
    return st < 0 ? end_status(w, st) : true;
}

/* The device says what it is. */
static bool take_platform(struct work *w)
{
    struct xk_device_info info = {.size = sizeof info};
    enum xk_status st = xk_device_get_info(w->device, &info, &w->err);
    if (st >= 0)
        st = xk_word_platform(info.platform, &w->p->desc.platform, &w->err);
    return st < 0 ? end_status(w, st) : true;
}

/* The device of the last problem serves again if it is the same. */
static bool open_device(struct xk_bench *b, struct work *w)
{
    const bool own = w->p->own_arch && !is_simulated(w);
    const uint32_t platform = own ? 0 : w->p->desc.platform;
    if (!b->device || b->device_platform != platform ||
        strcmp(b->device_engine, w->p->engine)) {
        xk_device_unref(b->device);
        b->device = NULL;
        const enum xk_status st = xk_device_create(
            w->p->engine, own ? NULL : xk_platform_word(platform), 0,
            &b->device, &w->err);
        if (st < 0)
            return end_status(w, st);
        strcpy(b->device_engine, w->p->engine);
        b->device_platform = platform;
    }
    w->device = b->device;
    return (!own || take_platform(w)) && look_closer(b, w);
}

static bool create(struct work *w)
{
    const int n = w->p->mode == 'P' && !time_only(w) ? PERF_CREATES : 1;
    for (int i = 0; i < n; i++) {
        xk_program_unref(w->program);
        w->program = NULL;
        const uint64_t start = now_ns();
        const enum xk_status st =
            xk_conv_create(&w->p->desc, NULL, &w->program, &w->err);
        add_time(&w->r->create, now_ns() - start);
        if (st < 0)
            return end_status(w, st);
    }
    w->r->peak_b = xk_program_peak_b(w->program);
    for (uint32_t i = 0; i < xk_program_n_launches(w->program); i++) {
        const struct xk_launch_info *const l = xk_program_launch(w->program, i);
        w->r->code_b += l->code_b;
        w->r->static_instructions += l->static_instructions;
        w->r->static_fma += l->static_fma;
        snprintf(w->r->schedule, sizeof w->r->schedule, "%s", l->schedule);
        if (l->peak_grf > w->r->peak_grf)
            w->r->peak_grf = l->peak_grf;
        w->r->threads_per_group = l->threads_per_group;
        w->r->groups += l->groups[0] * l->groups[1] * l->groups[2];
    }
    return true;
}

/* Host and device each hold every tensor, the host also in plain form, the
 * reference in its own. */
static bool memory_suffices(struct work *w)
{
    uint64_t tensors_b = 0;
    for (int i = 0; i < XK_N_CONV_ARGS; i++) {
        const struct xk_tensor_info *const t = &w->r->info.tensor[i];
        const unsigned elem_b = xk_bench_type_b(t->type);
        tensors_b += elem_b ? t->size_b / elem_b * sizeof(float) : t->size_b;
    }
    const uint64_t have_b =
        (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (tensors_b < have_b / 5)
        return true;
    return end(w, XK_SKIPPED,
               "tensors of %" PRIu64 " MiB, %" PRIu64 " MiB of memory",
               tensors_b >> 20, have_b >> 20);
}

static bool make_buffer(struct work *w, struct operand *o)
{
    const enum xk_status st = xk_buffer_create(
        w->device, o->size_b + o->guard_b, &o->buffer, &w->err);
    return st < 0 ? end_status(w, st) : true;
}

static bool make_operand(struct work *w, int arg)
{
    const struct xk_tensor_info *const t = &w->r->info.tensor[arg];
    struct operand *const o = &w->op[arg];
    o->present = t->ndims;
    if (!o->present)
        return true;
    if (!xk_bench_type_b(t->type))
        return end(w, XK_SKIPPED, "xkbench has no data of type %s yet",
                   xk_type_word(t->type));
    o->type = t->type;
    o->size_b = t->size_b;
    o->guard_b = arg == XK_ARG_DST ? GUARD_B : 0;
    if (time_only(w))
        return make_buffer(w, o);
    if (!xk_bench_map_init(&o->map, t))
        return end(w, XK_FAILED,
                   "tensor %d: layout %s reaches outside "
                   "%" PRIu64 " bytes",
                   arg, t->tag, t->size_b);
    o->plain = malloc(o->map.n * sizeof *o->plain);
    o->image = calloc(1, o->size_b + o->guard_b);
    if (!o->plain || !o->image)
        return end(w, XK_SKIPPED, "no host memory for tensor %d", arg);
    return make_buffer(w, o);
}

/* What stands in byte i of a destination that nobody wrote to. */
static unsigned char unwritten_byte(uint32_t type, uint64_t i)
{
    const unsigned elem_b = xk_bench_type_b(type);
    return (unsigned char)(xk_bench_unwritten(type) >> i % elem_b * 8);
}

/* Source, weights and bias get data, and so does the destination that a sum
 * reads. */
static void fill(struct work *w, uint64_t seed)
{
    for (int i = 0; i < XK_N_CONV_ARGS; i++)
        if (w->op[i].present)
            xk_bench_fill_tensor(&w->p->desc, i, &w->ranges, w->op[i].plain,
                                 w->op[i].map.n, seed);
}

/* The memory image of an operand; a destination that no sum reads, and what is
 * behind it, get the pattern that shows what the kernel did not write. */
static bool make_image(struct work *w, int arg)
{
    struct operand *const o = &w->op[arg];
    const bool pattern = arg == XK_ARG_DST && !xk_bench_has_sum(&w->p->desc);
    for (uint64_t i = pattern ? 0 : o->size_b; i < o->size_b + o->guard_b; i++)
        o->image[i] = unwritten_byte(o->type, i);
    if (pattern)
        return true;
    uint32_t *const bits = malloc(o->map.n * sizeof *bits);
    if (!bits)
        return end(w, XK_SKIPPED, "no host memory for tensor %d", arg);
    for (uint64_t i = 0; i < o->map.n; i++)
        bits[i] = xk_bench_encode(o->type, (double)o->plain[i]);
    xk_bench_scatter(&o->map, bits, o->image);
    free(bits);
    return true;
}

static bool upload(struct work *w)
{
    for (int i = 0; i < XK_N_CONV_ARGS; i++) {
        struct operand *const o = &w->op[i];
        if (!o->present)
            continue;
        if (!make_image(w, i))
            return false;
        const enum xk_status st = xk_buffer_write(
            o->buffer, 0, o->image, o->size_b + o->guard_b, &w->err);
        if (st < 0)
            return end_status(w, st);
    }
    return true;
}

static bool launch(struct work *w, const struct xk_launch_info *l)
{
    struct xk_launch_arg args[XK_MAX_LAUNCH_ARGS] = {0};
    for (uint32_t i = 0; i < l->n_args; i++) {
        if (l->args[i].tensor >= XK_N_CONV_ARGS)
            return end(w, XK_FAILED, "launch %s: argument %s is no tensor",
                       l->kernel, l->args[i].name);
        args[i].buffer = w->op[l->args[i].tensor].buffer;
    }
    xk_module *module = NULL;
    struct xk_launch_stats stats = {0};
    enum xk_status st =
        xk_module_create(w->device, l->zebin, l->zebin_b, &module, &w->err);
    if (st >= 0)
        st = xk_launch(module, l->kernel, l->groups, l->local, l->n_args, args,
                       &stats, &w->err);
    xk_module_unref(module);
    if (st < 0)
        return end_status(w, st);
    xk_bench_add_loop(w->r, l);
    w->r->stats.instructions += stats.instructions;
    w->r->stats.fma += stats.fma;
    w->r->stats.sends += stats.sends;
    w->r->stats.syncs += stats.syncs;
    w->r->stats.groups += stats.groups;
    w->r->stats.threads += stats.threads;
    w->r->stats.time_ns += stats.time_ns;
    w->r->stats.device_ns += stats.device_ns;
    return true;
}

/* *ns: what it took by the clock that counts. */
static bool launch_once(struct work *w, uint64_t *ns)
{
    const uint64_t start = now_ns(), before = w->r->stats.device_ns;
    for (uint32_t i = 0; i < xk_program_n_launches(w->program); i++)
        if (!launch(w, xk_program_launch(w->program, i)))
            return false;
    *ns = is_simulated(w) ? now_ns() - start : w->r->stats.device_ns - before;
    return true;
}

/* Several times where that measures something; the first run then only warms
 * the device up. */
static bool launch_all(struct work *w)
{
    const bool several = w->p->mode == 'P' && !is_simulated(w);
    const uint64_t start = now_ns();
    uint64_t ns;
    if (!launch_once(w, &ns))
        return false;
    if (!several || now_ns() - start > PERF_RUNS_NS)
        add_time(&w->r->run, ns);
    for (unsigned i = 0;
         several && i < PERF_RUNS && now_ns() - start < PERF_RUNS_NS; i++) {
        if (!launch_once(w, &ns))
            return false;
        add_time(&w->r->run, ns);
    }
    return true;
}

static struct xk_bench_span wanted(const struct work *w, uint64_t i)
{
    return xk_bench_finish(&w->p->desc, (double)w->expected[i],
                           (double)w->op[XK_ARG_DST].plain[i]);
}

/* Enough non-zero results that equality proves something; a problem whose
 * outputs mostly lie in the padding has few without being wrong. */
static bool trusted(const struct work *w)
{
    const struct xk_conv_desc *const d = &w->p->desc;
    uint64_t non_zero = 0;
    for (uint64_t i = 0; i < w->op[XK_ARG_DST].map.n; i++)
        non_zero += wanted(w, i).hi != 0;
    const uint64_t taps = xk_bench_ops(d) / 2;
    const uint64_t k_n = (uint64_t)(d->ic * d->kd * d->kh * d->kw);
    const uint64_t live = k_n ? taps / k_n : 0; /* at least so many */
    return taps ? non_zero && non_zero >= live / 10 : true;
}

/* f16 with an f32 destination: some sum is one that f16 cannot hold. */
static bool shows_half_sums(const struct work *w)
{
    const struct xk_conv_desc *const d = &w->p->desc;
    if (d->src_type != XK_F16 || d->dst_type != XK_F32 || !xk_bench_ops(d))
        return true;
    for (uint64_t i = 0; i < w->op[XK_ARG_DST].map.n; i++)
        if (fabsf(w->expected[i]) > 2048 && fmodf(w->expected[i], 2) != 0)
            return true;
    return false;
}

/* f16 destination: it holds every result exactly, unless that is hopeless. */
static bool half_results_exact(const struct work *w)
{
    const struct xk_conv_desc *const d = &w->p->desc;
    if (d->dst_type != XK_F16 || !xk_bench_attributes_exact(d))
        return true;
    for (uint64_t i = 0; i < w->op[XK_ARG_DST].map.n; i++)
        if (!xk_bench_is_exact(d, (double)w->expected[i],
                               (double)w->op[XK_ARG_DST].plain[i]))
            return false;
    return true;
}

static bool make_expected(struct work *w, uint64_t seed)
{
    const struct operand *const bia = &w->op[XK_ARG_BIA];
    fill(w, seed);
    const enum xk_status st = xk_bench_reference(
        &w->p->desc, w->op[XK_ARG_SRC].plain, w->op[XK_ARG_WEI].plain,
        bia->present ? bia->plain : NULL, w->expected, &w->err);
    return st < 0 ? end_status(w, st) : true;
}

/* Data and its expected result; other data while that says too little. f16
 * results that cannot be made exact are compared after one rounding of the
 * exact value, which a kernel that sums in f32 also gives. */
static bool expect(struct work *w)
{
    w->expected = malloc(w->op[XK_ARG_DST].map.n * sizeof *w->expected);
    if (!w->expected)
        return end(w, XK_SKIPPED, "no host memory for the reference");
    for (uint64_t seed = 1; seed <= SEEDS_MAX; seed++) {
        if (!make_expected(w, seed))
            return false;
        if (!half_results_exact(w) && xk_bench_narrow_ranges(&w->ranges))
            continue;
        const bool last = seed == SEEDS_MAX;
        if (trusted(w) && (last || shows_half_sums(w)))
            return true;
    }
    return end(w, XK_MISTRUSTED, "nearly all expected values are zero");
}

static void describe_value(uint32_t type, uint32_t bits, char *out, size_t size)
{
    if (bits == xk_bench_unwritten(type) && xk_bench_type_b(type) > 1)
        snprintf(out, size, "nothing (not written)");
    else
        snprintf(out, size, "%.9g", xk_bench_decode(type, bits));
}

static bool matches(const struct work *w, uint64_t i)
{
    const double got = xk_bench_decode(w->op[XK_ARG_DST].type, w->got[i]);
    const struct xk_bench_span want = wanted(w, i);
    return got >= want.lo && got <= want.hi;
}

/* Equality of values; names the first element that differs. */
static bool compare(struct work *w)
{
    const struct operand *const o = &w->op[XK_ARG_DST];
    w->got = malloc(o->map.n * sizeof *w->got);
    if (!w->got)
        return end(w, XK_SKIPPED, "no host memory for the result");
    xk_bench_gather(&o->map, o->image, w->got);
    uint64_t bad = 0, first = 0;
    for (uint64_t i = 0; i < o->map.n; i++)
        if (!matches(w, i) && !bad++)
            first = i;
    if (!bad)
        return true;
    const struct xk_conv_desc *const d = &w->p->desc;
    const int64_t x = (int64_t)first % d->ow, row = (int64_t)first / d->ow;
    const int64_t y = row % d->oh, slice = row / d->oh;
    const int64_t z = slice % d->od, image = slice / d->od;
    char text[64], depth[32] = "";
    if (o->map.ndims == 5)
        snprintf(depth, sizeof depth, " d%" PRId64, z);
    describe_value(o->type, w->got[first], text, sizeof text);
    return end(w, XK_FAILED,
               "errors:%" PRIu64 " total:%" PRIu64 " first at n%" PRId64
               " c%" PRId64 "%s h%" PRId64 " w%" PRId64
               ": expected %.9g, got %s",
               bad, o->map.n, image / d->oc, image % d->oc, depth, y, x,
               wanted(w, first).lo, text);
}

/* True if the n bytes are all zero. */
static bool all_zero(const unsigned char *bytes, unsigned n)
{
    unsigned any = 0;
    while (n)
        any |= bytes[--n];
    return !any;
}

/* Elements of the destination's blocks that are no logical element are zero. */
static bool check_padding(struct work *w)
{
    const struct operand *const o = &w->op[XK_ARG_DST];
    const unsigned elem_b = o->map.elem_b;
    const uint64_t n = o->size_b / elem_b;
    if (n == o->map.n)
        return true;
    bool *const used = calloc(n, sizeof *used);
    if (!used)
        return end(w, XK_SKIPPED, "no host memory for the padding check");
    xk_bench_mark(&o->map, used);
    uint64_t bad = n;
    for (uint64_t i = 0; i < n && bad == n; i++)
        if (!used[i] && !all_zero(o->image + i * elem_b, elem_b))
            bad = i;
    free(used);
    return bad == n
               ? true
               : end(w, XK_FAILED, "dst padding is not zero: byte %" PRIu64,
                     bad * elem_b);
}

/* Behind the destination there is only what was there before. */
static bool check_outside(struct work *w)
{
    const struct operand *const o = &w->op[XK_ARG_DST];
    for (uint64_t i = o->size_b; i < o->size_b + o->guard_b; i++)
        if (o->image[i] != unwritten_byte(o->type, i))
            return end(w, XK_FAILED,
                       "wrote behind dst: byte %" PRIu64 " of %" PRIu64, i,
                       o->size_b);
    return check_padding(w);
}

static bool download(struct work *w)
{
    struct operand *const o = &w->op[XK_ARG_DST];
    const enum xk_status st =
        xk_buffer_read(o->buffer, 0, o->image, o->size_b + o->guard_b, &w->err);
    return st < 0 ? end_status(w, st) : true;
}

/* FNV-1a, 64 bits */
static void hash(struct work *w)
{
    const struct operand *const o = &w->op[XK_ARG_DST];
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (uint64_t i = 0; i < o->size_b; i++)
        h = (h ^ o->image[i]) * UINT64_C(0x100000001b3);
    w->r->hash = h;
    w->r->hashed = true;
}

static bool execute(struct work *w)
{
    const bool check = w->p->mode == 'C';
    if (!memory_suffices(w))
        return false;
    for (int i = 0; i < XK_N_CONV_ARGS; i++)
        if (!make_operand(w, i))
            return false;
    w->ranges = xk_bench_choose_ranges(&w->p->desc);
    if (check && !expect(w))
        return false;
    if (!check && !time_only(w))
        fill(w, 1);
    if ((!time_only(w) && !upload(w)) || !launch_all(w))
        return false;
    if ((check || w->p->hash) && !download(w))
        return false;
    if (w->p->hash)
        hash(w);
    if (check && (!compare(w) || !check_outside(w)))
        return false;
    w->r->state = check ? XK_PASSED : XK_EXECUTED;
    return true;
}

static void release(struct work *w)
{
    for (int i = 0; i < XK_N_CONV_ARGS; i++) {
        xk_bench_map_fini(&w->op[i].map);
        free(w->op[i].plain);
        free(w->op[i].image);
        xk_buffer_unref(w->op[i].buffer);
    }
    free(w->expected);
    free(w->got);
    free(w->r->counts.at);
    w->r->counts = (struct xk_bench_counts){0};
    xk_program_unref(w->program);
}

static void stages(struct xk_bench *b, struct work *w)
{
    if (w->p->status < 0) {
        w->err = w->p->err;
        end_status(w, w->p->status);
        return;
    }
    w->r->state = XK_LISTED;
    if (w->p->mode == 'L')
        return;
    choose_schedule(b, w);
    if (!open_device(b, w) || !query(w) || !create(w))
        return;
    w->r->state = XK_INITIALIZED;
    if (w->p->mode != 'I')
        execute(w);
}

void xk_bench_run(struct xk_bench *b, struct xk_bench_problem *p,
                  struct xk_bench_result *r)
{
    struct work w = {.p = p, .r = r};
    *r = (struct xk_bench_result){0};
    const uint64_t start = now_ns();
    stages(b, &w);
    release(&w);
    r->wall_ns = now_ns() - start;
}
