/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/timing/timing_report.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sim/timing/timing_hypothesis.h"

XK_API enum xk_status xk_timing_machine_at(uint32_t k,
                                           struct xk_timing_machine *out)
{
    const struct xk_timing_product *const m = xk_timing_product_at(k);
    if (!m)
        return XK_EINVAL;
    *out = (struct xk_timing_machine){
        .name = m->name,
        .text = m->text,
        .platform = xk_platform_get((enum xk_platform_id)m->platform)->name};
    return XK_OK;
}

static void to_public(const struct xk_tm_value *v,
                      struct xk_timing_hypothesis *out)
{
    *out = (struct xk_timing_hypothesis){.name = v->name,
                                         .word = v->word,
                                         .question =
                                             xk_tm_hypothesis_question(v->of),
                                         .why = v->why,
                                         .nominal = v->nominal};
}

XK_API enum xk_status xk_timing_hypothesis_at(const char *machine, uint32_t k,
                                              struct xk_timing_hypothesis *out)
{
    const struct xk_timing_product *const m = xk_timing_product_find(machine);
    struct xk_tm_value v;
    if (!m || !xk_tm_value_at(m, k, &v))
        return XK_EINVAL;
    to_public(&v, out);
    return XK_OK;
}

XK_API enum xk_status xk_timing_check(const char *text, const char *platform,
                                      struct xk_error *err)
{
    const struct xk_platform *const p =
        platform ? xk_platform_find(platform) : NULL;
    struct xk_timing_spec spec;
    struct xk_error ignored;
    return xk_timing_spec_parse(text, p ? p->id : XK_PLATFORM_NONE, &spec,
                                err ? err : &ignored);
}

/* ---- the loop ---- */

/* The kind of multiply-add that does most of them. */
static enum xk_tm_fma main_fma(const struct xk_timing_record *r,
                               const struct xk_tm_result *x)
{
    uint64_t n[XK_TM_FMAS] = {0};
    enum xk_tm_fma best = XK_TM_NO_FMA;
    for (uint32_t k = 0; k < r->kernel->n; k++)
        n[x->inst[k].fma] += x->line[k].executed * x->inst[k].macs;
    for (unsigned f = 1; f < XK_TM_FMAS; f++)
        if (n[f] > n[best])
            best = (enum xk_tm_fma)f;
    return best;
}

static uint64_t fmas_in(const struct xk_tm_result *x, enum xk_tm_fma f,
                        uint32_t from, uint32_t to)
{
    uint64_t n = 0;
    for (uint32_t k = from; k <= to; k++)
        n += x->inst[k].fma == f ? x->line[k].executed : 0;
    return n;
}

/* Innermost: the shortest of those that have enough. */
static bool pick_loop(const struct xk_timing_record *r,
                      const struct xk_tm_result *x, enum xk_tm_fma f,
                      uint32_t *from, uint32_t *to)
{
    const uint32_t n = r->kernel->n;
    const uint64_t all = n ? fmas_in(x, f, 0, n - 1) : 0;
    uint32_t best = UINT32_MAX;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t head = r->kernel->inst[k].jip;
        if (x->inst[k].kind != XK_TM_BRANCH || !x->line[k].executed ||
            head > k || k - head >= best ||
            5 * fmas_in(x, f, head, k) < 4 * all)
            continue;
        best = k - head;
        *from = head;
        *to = k;
    }
    return best != UINT32_MAX && all;
}

struct xk_timing_loop xk_timing_find_loop(const struct xk_timing_record *r,
                                          const struct xk_tm_result *x)
{
    struct xk_timing_loop l = {.whole = true};
    const enum xk_tm_fma f = main_fma(r, x);
    uint32_t from = 0, to = r->kernel->n > 1 ? r->kernel->n - 2 : 0;
    l.whole = f == XK_TM_NO_FMA || !pick_loop(r, x, f, &from, &to);
    while (l.whole && to && !x->line[to].executed)
        to--; /* what follows the code is not code */
    l.fmas = f == XK_TM_NO_FMA ? 0 : fmas_in(x, f, from, to);
    l.from_b = r->kernel->inst[from].pc_b;
    l.to_b = r->kernel->inst[to].pc_b;
    for (uint32_t k = from; k <= to; k++) {
        l.instructions += (double)x->line[k].executed;
        l.slm_b += (double)x->line[k].slm_b;
        l.global_b += (double)x->line[k].global_b;
        l.exposed_cyc += (double)x->line[k].exposed;
    }
    const double n = l.fmas ? (double)l.fmas : 1;
    l.instructions /= n;
    l.slm_b /= n;
    l.global_b /= n;
    l.exposed_cyc *= r->m->fused / n; /* a pair stands still together */
    return l;
}

/* ---- the launch ---- */

/* Cycles that a group takes, between the ends of two. */
static double slope(const struct xk_tm_result *x, uint32_t from, uint32_t to)
{
    return (double)(x->group_end[to] - x->group_end[from]) / (to - from);
}

/* The same by the instructions executed meanwhile. Where the oldest threads go
 * first, groups end in rounds of their own length and not in waves. It does not
 * serve for a time up to the last end, when less and less is under way. */
static double work_slope(const struct xk_timing_record *r,
                         const struct xk_tm_result *x, uint32_t from,
                         uint32_t to)
{
    const double each = (double)x->instructions / r->n_traced;
    return each * (double)(x->group_end[to] - x->group_end[from]) /
           (double)(x->group_work[to] - x->group_work[from]);
}

static double apart(double a, double b)
{
    return a > b ? a - b : b - a;
}

/* The cycles of a further group. They are the rate of the later half of the
 * time in which the first wave is over and the last one has not begun, because
 * memory's queues are still filling before. *error, relative: how far a single
 * wave of this time is from that rate at most. With fewer than three such waves
 * the first half counts too, because then nothing says that the queues have
 * filled. */
static double further(const struct xk_timing_record *r,
                      const struct xk_tm_result *x, double *error)
{
    const uint32_t n = r->resident, last = r->n_traced - 1;
    const uint32_t from = n - 1;
    double most = 0;
    *error = 1;
    if (last < from + 2 * n)
        return (double)x->group_end[last] / r->n_traced;
    const uint32_t to = last - n;
    const uint32_t mid = to - (to - from) / n / 2 * n;
    const double each = mid > from && mid < to ? work_slope(r, x, mid, to)
                                               : slope(x, from, last);
    for (uint32_t at = from; at + n <= last; at += n) {
        const double wave = apart(slope(x, at, at + n), each);
        most = wave > most ? wave : most;
    }
    if (to - from < 3 * n) {
        const double first = apart((double)x->group_end[from] / n, each);
        most = first > most ? first : most;
    }
    *error = most / each;
    return each;
}

static void report_time(const struct xk_timing_record *r,
                        const struct xk_timing_product *m,
                        const struct xk_tm_result *x, struct xk_timing *t)
{
    const double rest = (double)(r->n_mine - r->n_traced);
    double error;
    const double each = further(r, x, &error);
    const double all = (double)r->n_mine * m->cores;
    t->cycles = (double)x->cycles + rest * each;
    t->time_us = t->cycles / xk_timing_clock(r, m);
    t->sampled = rest > 0;
    if (t->sampled)
        t->sampling_error = error * each * rest / t->cycles;
    t->waves = (double)r->n_mine / r->resident;
    t->tail = 1 - (double)r->n_groups / all;
}

static void report_shape(const struct xk_timing_record *r,
                         const struct xk_timing_product *m, struct xk_timing *t)
{
    const uint32_t threads =
        r->kernel->grf_count > 128 ? m->threads / 2 : m->threads;
    const uint64_t busy = r->n_mine < r->resident ? r->n_mine : r->resident;
    t->product = m->name;
    t->kernel = r->kernel->name;
    t->clock_mhz = xk_timing_clock(r, m);
    t->driver_mhz = m->clock_mhz;
    t->groups = r->n_groups;
    t->groups_modelled = r->n_traced;
    t->cores = m->cores;
    t->cores_busy = r->cores;
    t->groups_resident = (uint32_t)busy;
    t->threads_resident = (uint32_t)busy * r->n_threads;
    t->occupancy = (double)busy * r->slots / (threads * (m->xves / m->fused));
}

static void set_limits(const struct xk_timing_record *r,
                       const struct xk_timing_product *m,
                       const struct xk_tm_result *x, struct xk_timing *t)
{
    const double mhz = xk_timing_clock(r, m);
    const double scale = (double)r->n_groups / r->n_traced;
    const double xves = (double)m->cores * m->xves;
    double macs = 0, best = 0, cycles = 0;
    for (uint32_t k = 0; k < r->kernel->n; k++) {
        if (!x->inst[k].macs || !x->line[k].executed)
            continue;
        const double n = (double)x->line[k].executed * x->inst[k].macs;
        const double peak = xk_tm_peak(m, &r->kernel->inst[k].in);
        macs += n;
        cycles += n / peak;
        if (n <= best)
            continue;
        best = n;
        t->peak_fmas = peak * xves * mhz * 1e6;
    }
    t->fma = xk_tm_fma_name(main_fma(r, x));
    t->fmas = (uint64_t)(macs * scale + 0.5);
    t->arithmetic_us = cycles * scale / xves / mhz;
    t->memory_b = (double)xk_timing_lines(r) * m->line_b *
                  ((double)r->n_groups / (double)r->n_seen);
    if (t->memory_b > (double)r->n_lines * m->line_b)
        t->memory_b = (double)r->n_lines * m->line_b;
    t->memory_us = t->memory_b / m->memory_mbps;
    const double limit =
        t->arithmetic_us > t->memory_us ? t->arithmetic_us : t->memory_us;
    t->efficiency = t->time_us > 0 ? limit / t->time_us : 0;
}

static void report_traffic(const struct xk_timing_record *r,
                           const struct xk_tm_result *x, struct xk_timing *t)
{
    const double cycles = x->cycles ? (double)x->cycles : 1;
    t->instructions = x->instructions;
    t->slm_b = x->traffic.slm_b;
    t->global_b = x->traffic.global_b;
    t->l2_b = x->traffic.l2_lines * r->m->line_b;
    t->dram_b = x->traffic.memory_lines * r->m->line_b;
    t->slm_conflict_cyc = x->traffic.conflict_cyc;
    t->port_busy = x->traffic.port_cyc / cycles;
    t->l2_busy = x->traffic.l2_cyc / cycles;
    t->dram_busy = x->traffic.memory_cyc / cycles;
}

/* ---- causes and instructions ---- */

static uint32_t make_shares(const struct xk_tm_result *x,
                            struct xk_timing_share *out)
{
    const double all = (double)x->cycles * (double)x->units;
    uint32_t n = 0;
    for (unsigned c = 0; c < XK_TM_CAUSES; c++)
        if (x->at[c])
            out[n++] = (struct xk_timing_share){
                xk_tm_cause_name((enum xk_tm_cause)c), (double)x->at[c] / all};
    return n;
}

static void set_inst(const struct xk_tm_line *l, struct xk_timing_inst *out)
{
    const double n = l->issued ? (double)l->issued : 1;
    uint64_t all = 0;
    unsigned most = 0;
    for (unsigned c = 0; c < XK_TM_CAUSES; c++) {
        all += l->waited[c];
        most = l->waited[c] > l->waited[most] ? c : most;
    }
    out->executed = l->executed;
    out->waited = (double)all / n;
    out->exposed = (double)l->exposed / n;
    out->cause = all ? xk_tm_cause_name((enum xk_tm_cause)most) : "";
}

/* Texts lie one behind the other in *texts, each with its NUL. */
static struct xk_timing_inst *make_insts(const struct xk_timing_record *r,
                                         const struct xk_tm_result *x,
                                         struct xk_str *texts, uint32_t *n)
{
    const struct xk_sim_kernel *const k = r->kernel;
    uint32_t last = k->n ? k->n - 1 : 0;
    while (last && !x->line[last - 1].executed)
        last--;
    struct xk_timing_inst *const out =
        r->alloc.realloc(r->alloc.user, NULL, (last + 1) * sizeof *out);
    *n = out ? last : 0;
    for (uint32_t i = 0; i < *n; i++) {
        out[i].offset_b = k->inst[i].pc_b;
        xk_inst_print(k->platform, &k->inst[i].in, texts);
        xk_str_printf(texts, "\n");
        set_inst(&x->line[i], &out[i]);
    }
    char *at = (char *)(uintptr_t)xk_str_get(texts);
    for (uint32_t i = 0; i < *n && at; i++) {
        char *const end = strchr(at, '\n');
        out[i].text = at;
        if (end)
            *end = '\0';
        at = end ? end + 1 : at + strlen(at);
    }
    return out;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- hypotheses ---- */

/* The names and values that are not nominal: "gather=component,port=64". */
static void set_values(const struct xk_timing_product *m, char *out,
                       size_t out_b)
{
    struct xk_tm_value v;
    size_t at = 0;
    *out = '\0';
    for (unsigned k = 0; xk_tm_value_at(m, k, &v) && at < out_b; k++)
        if (!v.nominal && xk_tm_value_is(m, &v))
            at += (size_t)snprintf(out + at, out_b - at, "%s%s=%s",
                                   at ? "," : "", v.name, v.word);
}

/* The record whose groups lie as on machine m. */
static const struct xk_timing_record *
record_for(const struct xk_timing_record *r, unsigned n,
           const struct xk_timing_product *m)
{
    for (unsigned k = 0; k < n; k++)
        if (r[k].m->dispatch == m->dispatch)
            return &r[k];
    return NULL;
}

static enum xk_status time_with(const struct xk_timing_record *r,
                                const struct xk_timing_product *m,
                                struct xk_timing_alternative *out,
                                struct xk_error *err)
{
    struct xk_timing t = {.fma = ""};
    struct xk_tm_result x;
    const enum xk_status s = xk_timing_core_run(r, m, &x, err);
    if (s == XK_OK) {
        report_time(r, m, &x, &t);
        out->time_us = t.time_us;
        out->cycles = t.cycles;
    }
    xk_tm_result_fini(r, &x);
    return s;
}

/* Each other value of each hypothesis, one at a time. */
static enum xk_status add_alternatives(const struct xk_timing_record *r,
                                       unsigned n, struct xk_timing *t,
                                       struct xk_timing_alternative *out,
                                       struct xk_error *err)
{
    struct xk_tm_value v;
    t->alternative = out;
    for (unsigned k = 0; xk_tm_value_at(r->m, k, &v); k++) {
        const struct xk_timing_product m = xk_tm_value_set(r->m, &v);
        const struct xk_timing_record *const with = record_for(r, n, &m);
        if (xk_tm_value_is(r->m, &v) || !with)
            continue;
        struct xk_timing_alternative *const a = &out[t->n_alternatives++];
        *a = (struct xk_timing_alternative){.hypothesis = v.name,
                                            .value = v.word};
        XK_TRY(time_with(with, &m, a, err));
        if (a->time_us < t->best_us)
            t->best_us = a->time_us;
        if (a->time_us > t->worst_us)
            t->worst_us = a->time_us;
    }
    return XK_OK;
}

/* What is reported of the launch, except for what needs memory of its own. */
static void set_figures(const struct xk_timing_record *r,
                        const struct xk_tm_result *x, struct xk_timing *t)
{
    report_time(r, r->m, x, t);
    set_limits(r, r->m, x, t);
    report_traffic(r, x, t);
    t->loop = xk_timing_find_loop(r, x);
    t->best_us = t->worst_us = t->time_us;
}

void xk_timing_tell(const struct xk_timing_record *r, unsigned n, bool all,
                    xk_timing_fn *fn, void *user)
{
    struct xk_timing t = {.fma = ""};
    struct xk_timing_share share[XK_TM_CAUSES];
    struct xk_timing_alternative alternatives[XK_TIMING_ALTERNATIVES];
    struct xk_tm_result x;
    struct xk_error err = {.message = ""};
    struct xk_timing_inst *inst = NULL;
    struct xk_str texts;
    char values[200];
    const double begin_s = now_s();
    xk_str_init(&texts, &r->alloc);
    report_shape(r, r->m, &t);
    set_values(r->m, values, sizeof values);
    t.values = values;
    enum xk_status s = xk_timing_core_run(r, r->m, &x, &err);
    if (s == XK_OK)
        set_figures(r, &x, &t);
    if (s == XK_OK && all)
        s = add_alternatives(r, n, &t, alternatives, &err);
    if (s != XK_OK) {
        t.error = err.message;
    } else {
        t.n_shares = make_shares(&x, share);
        t.share = share;
        t.inst = inst = make_insts(r, &x, &texts, &t.n_insts);
        t.model_s = now_s() - begin_s;
    }
    fn(user, &t);
    xk_tm_result_fini(r, &x);
    r->alloc.realloc(r->alloc.user, inst, 0);
    xk_str_fini(&texts);
}
