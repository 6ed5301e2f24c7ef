/* SPDX-License-Identifier: Apache-2.0 */
/* Only here does anything go round. */
#include "gen/contract.h"

#include <stddef.h>
#include <string.h>

#include "base/budget.h"
#include "gen/class_kernel.h"
#include "gen/gen.h"
#include "lower/lower.h"
#include "passes/passes.h"
#include "plan/plan.h"

/* What became of a candidate: its plan did not fit, or its code did not. */
enum outcome { NOT_TRIED, NO_PLAN, NO_CODE };

/* Codes that may not fit on one way down the ladder: each costs as much as a
 * kernel, a plan that does not fit next to nothing. */
#define MOST_LOST 2

/* More code than this is no kernel: a smaller tile has less of it. */
#define MOST_CODE_B (64u << 10)

#define LEAST_WORK 2000 /* of small kernels */

/* While it goes round. */
struct ladder {
    struct xk_gen *g;
    const struct xk_contract *k;
    const char *name;
    struct xk_made_kernel *out;
    bool is_packed;  /* there is `packed` */
    bool tight;      /* second time down: few headers, and nothing is hoisted */
    unsigned n_lost; /* codes that did not fit, this time */
    unsigned long_e; /* elements of the smallest tile whose code was too long */
    uint32_t long_work; /* that it would have taken */
    uint32_t work_begin;
    enum outcome outcome[XK_MAX_CANDIDATES];
    /* What each try makes: */
    struct xk_nest packed; /* [outer][inner] innermost of K */
    struct xk_lanes_nest lanes;
    struct xk_plan plan;
    struct xk_kernel kernel;
    /* Where classes share a launch: */
    struct xk_plan class_plan[XK_MAX_CLASSES_JOINED - 1];
    struct xk_class_kernel class_kernel[XK_MAX_CLASSES_JOINED];
};

static void dump_head(struct ladder *l)
{
    struct xk_gen *const g = l->g;
    const struct xk_contract *const k = l->k;
    if (xk_trace_wants(&g->trace, XK_STAGE_VIEWS)) {
        xk_nest_print(xk_schedule_packs(&k->candidate[0]) && l->is_packed
                          ? &l->packed
                          : k->nest,
                      &g->text);
        xk_gen_put_text(g, XK_STAGE_VIEWS);
    }
    if (!xk_trace_wants(&g->trace, XK_STAGE_SCHEDULE))
        return;
    for (unsigned i = 0; i < k->n_candidates; i++) {
        const struct xk_schedule *const s = &k->candidate[i];
        xk_schedule_print(s, &g->text);
        xk_str_printf(&g->text, " score=%lld\n", (long long)s->score);
    }
    xk_gen_put_text(g, XK_STAGE_SCHEDULE);
}

/* What the plan of a kernel asks of a launch. */
static struct xk_kernel_job job_of(struct ladder *l, const struct xk_plan *p,
                                   struct xk_kernel *ir)
{
    struct xk_kernel_job job = {
        .ir = ir,
        .written = l->k->nest->c.name,
        .beside =
            p->totals.any ? l->k->nest->input[p->totals.input].name : NULL,
        .threads = (uint32_t)p->s.tg_m * p->s.tg_n * p->s.slices,
        .groups = {p->groups[0], p->groups[1], p->groups[2]},
        .slm_b = xk_slm_size(ir),
        .grf_count = p->s.grf_count,
        .has_dpas = xk_fma_family_of(p->s.fma)->dpas,
        .surfaces = p->s.surfaces,
        .tight = l->tight,
        .header_grf = p->grf.headers};
    if (p->slices.slm_b > job.slm_b)
        job.slm_b = p->slices.slm_b;
    if (!l->tight)
        job.spare_grf = p->grf.spare;
    return job;
}

/* The nest that a candidate sees. */
static enum xk_status nest_with_lanes(struct ladder *l,
                                      const struct xk_schedule *s)
{
    const struct xk_contract *const k = l->k;
    struct xk_shape shape = {.n = 0};
    if (!k->whole)
        return xk_fail(l->g->c, XK_EINTERNAL, "contract: fma=lanes of what?");
    xk_shape_add_lanes(&shape, k->lanes);
    const struct xk_lanes_size size = xk_schedule_lanes_size(&shape, s);
    XK_TRY(xk_lanes_nest_make(l->g->c, k->whole, k->lanes, &size, &l->lanes));
    l->lanes.nest.adds = k->nest->adds;
    return XK_OK;
}

/* The plans of further classes. */
static enum xk_status plan_classes(struct ladder *l,
                                   const struct xk_schedule *s)
{
    const struct xk_schedule without_loop = xk_schedule_without_loop(s);
    for (unsigned i = 0; i < l->k->n_more; i++) {
        const struct xk_nest *const nest = l->k->more[i];
        XK_TRY(xk_plan_make(l->g->c, l->g->platform, nest,
                            nest->empty ? &without_loop : s,
                            &l->class_plan[i]));
    }
    return XK_OK;
}

static enum xk_status plan_candidate(struct ladder *l, unsigned i)
{
    const struct xk_schedule *const s = &l->k->candidate[i];
    if (s->fma == XK_FMA_LANES) {
        XK_TRY(nest_with_lanes(l, s));
        return xk_plan_make(l->g->c, l->g->platform, &l->lanes.nest, s,
                            &l->plan);
    }
    if (xk_schedule_packs(s) && !l->is_packed)
        return xk_fail(l->g->c, XK_ENOFIT,
                       "plan: walk=o:xp: these layouts are not packed");
    XK_TRY(xk_plan_make(l->g->c, l->g->platform,
                        xk_schedule_packs(s) ? &l->packed : l->k->nest, s,
                        &l->plan));
    return plan_classes(l, s);
}

/* The nest as lower/ wrote it, then behind the plan's calls. */
static enum xk_status call_passes(struct ladder *l, const struct xk_plan *plan,
                                  struct xk_kernel *ir)
{
    struct xk_gen *const g = l->g;
    const struct xk_pass_env env = {.platform = g->platform};
    struct xk_str calls;
    if (!plan->n_buffers)
        return XK_OK;
    if (xk_trace_wants(&g->trace, XK_STAGE_NEST)) {
        xk_kernel_print(ir, &g->text);
        xk_gen_put_text(g, XK_STAGE_NEST);
    }
    xk_str_init(&calls, &g->c->alloc);
    xk_plan_print_calls(plan, &calls);
    const enum xk_status st =
        calls.failed
            ? XK_ENOMEM
            : xk_passes_call(g->c, ir, &env, xk_str_get(&calls), NULL, NULL);
    xk_str_fini(&calls);
    return st;
}

/* The IR that a plan stands for. */
static enum xk_status make_ir(struct ladder *l, const struct xk_plan *plan,
                              struct xk_kernel *ir)
{
    struct xk_gen *const g = l->g;
    if (xk_trace_wants(&g->trace, XK_STAGE_PLAN)) {
        xk_plan_print(plan, &g->text);
        xk_gen_put_text(g, XK_STAGE_PLAN);
    }
    XK_TRY(xk_lower(g->c, plan, l->name, ir));
    return call_passes(l, plan, ir);
}

/* Classes of the launch: of all its codes. */
static unsigned count_joined(const struct xk_contract *k)
{
    return k->n_more + (k->same.n ? k->same.n : 1);
}

/* The kernel of class i behind all passes. *job: what it asks of a launch. */
static enum xk_status make_class(struct ladder *l, unsigned i,
                                 struct xk_kernel_job *job)
{
    struct xk_class_kernel *const k = &l->class_kernel[i];
    const struct xk_same_classes *const same = &l->k->same;
    const struct xk_plan *const plan = i ? &l->class_plan[i - 1] : &l->plan;
    XK_TRY(make_ir(l, plan, &k->ir));
    *job = job_of(l, plan, &k->ir);
    memcpy(k->groups, job->groups, sizeof(k->groups));
    k->n = i == l->k->n_more ? same->n : 0;
    k->number = same->number;
    if (k->n)
        k->groups[2] /= same->all;
    XK_TRY(xk_class_kernel_place(l->g->c, k, i, count_joined(l->k)));
    return xk_kernel_run_passes(l->g, job);
}

/* One kernel of all classes. */
static enum xk_status make_joined(struct ladder *l)
{
    struct xk_kernel_job all, one;
    XK_TRY(make_class(l, 0, &all));
    for (unsigned i = 1; i <= l->k->n_more; i++) {
        XK_TRY(make_class(l, i, &one));
        if (one.slm_b > all.slm_b)
            all.slm_b = one.slm_b;
    }
    XK_TRY(xk_class_kernels_join(l->g->c, l->class_kernel, l->k->n_more + 1,
                                 all.groups));
    return xk_kernel_encode(l->g, &all, l->out);
}

static enum xk_status make_kernel(struct ladder *l)
{
    if (count_joined(l->k) > 1)
        return make_joined(l);
    XK_TRY(make_ir(l, &l->plan, &l->kernel));
    const struct xk_kernel_job job = job_of(l, &l->plan, &l->kernel);
    return xk_kernel_make(l->g, &job, l->out);
}

/* What candidate i may take, with all classes of its launch; 0: any. */
static uint32_t work_for(const struct ladder *l, unsigned i)
{
    /* Behind a first candidate that is lost there is time for another. */
    const uint32_t most = l->g->work, first = most / 6 * 5;
    const uint32_t done = xk_budget_spent(l->g->c) - l->work_begin;
    const uint32_t left = done < most ? most - done : 1;
    if (i + 1 == l->k->n_candidates || xk_given_schedule())
        return 0;
    return left < first ? left : first;
}

static unsigned tile_elements(const struct xk_schedule *s)
{
    return (unsigned)s->m_thr * s->n_thr;
}

/* The kernel, if its code is not too long, nor the way to it. Either has a
 * length to learn from, and is not counted among the lost ones. */
static enum xk_status make_short_kernel(struct ladder *l, uint32_t most)
{
    const uint32_t begin = xk_budget_spent(l->g->c);
    xk_budget_limit(l->g->c, most, MOST_CODE_B / XK_INST_B);
    const enum xk_status st = make_kernel(l);
    const size_t code_b = l->out->code.len;
    const bool over = st == XK_ENOFIT && xk_budget_is_over(l->g->c);
    const uint32_t took = xk_budget_spent(l->g->c) - begin;
    /* Code that was too long was nearly all there; work in front of it is half
     * as much again as the limit that it was to go beyond. */
    const uint32_t least =
        over && xk_budget_is_short(l->g->c) ? most + most / 2 : 0;
    xk_budget_limit(l->g->c, 0, 0);
    l->n_lost += st != XK_OK && !over;
    if (!over && (st != XK_OK || code_b <= MOST_CODE_B))
        return st;
    l->long_e = tile_elements(&l->plan.s);
    l->long_work = took > least ? took : least;
    if (over)
        return st;
    return xk_fail(l->g->c, XK_ENOFIT,
                   "code: %zu bytes for a tile of %u elements are more than %u",
                   code_b, l->long_e, MOST_CODE_B);
}

static enum xk_status try_candidate(struct ladder *l, unsigned i)
{
    xk_ctx *const c = l->g->c;
    const xk_scope scope = xk_scope_begin(c);
    enum xk_status status;
    xk_str_clear(&l->out->code);
    xk_str_clear(&l->g->text);
    status = plan_candidate(l, i);
    l->outcome[i] = status == XK_OK ? NO_CODE : NO_PLAN;
    if (status == XK_OK)
        status = make_short_kernel(l, work_for(l, i));
    /* A kernel that was made is the last: its nodes go with the context. */
    if (status != XK_OK)
        xk_scope_end(c, scope, NULL);
    return status;
}

/* Keeps the reason of the last candidate. It is the caller's mistake if the
 * caller gave the schedule. */
static enum xk_status none_fits(struct ladder *l)
{
    xk_ctx *const c = l->g->c;
    const struct xk_error last = c->error;
    const char *const given = xk_given_schedule();
    xk_ctx_clear(c);
    if (given)
        return xk_fail(
            c, XK_EINVAL,
            "XK_SCHEDULE: no candidate fits, of %u the last: %s; given "
            "'%s'",
            l->k->n_candidates, last.message, given);
    return xk_fail(c, XK_ENOFIT, "no candidate fits, of %u the last: %s",
                   l->k->n_candidates, last.message);
}

/* Candidates from the first one up to the end. */
struct rungs {
    unsigned first, end;
};

/* A tile that is a quarter smaller costs nearly as much: a third has to be
 * missing, and what is left has to be enough for the smaller one's part of what
 * the longer one would have taken. What a tile of another family took says
 * nothing of the last resort's. */
static bool has_long_code(const struct ladder *l, unsigned i)
{
    const uint64_t e = tile_elements(&l->k->candidate[i]);
    const uint64_t most = work_for(l, i);
    return l->long_e && i + 1 < l->k->n_candidates &&
           (3 * e > 2 * l->long_e ||
            (most && e * l->long_work > most * l->long_e));
}

/* No kernel takes so little that something is left to try. */
static bool is_spent(const struct ladder *l, unsigned i)
{
    const uint32_t most = work_for(l, i);
    return most && most < LEAST_WORK;
}

/* Whether two candidates need the same registers in the loop: they differ in
 * the grid alone, in who shares K, or in what is asked for ahead. */
static bool is_same_tile(const struct xk_schedule *a,
                         const struct xk_schedule *b)
{
    struct xk_schedule x = *a;
    x.tg_m = b->tg_m;
    x.tg_n = b->tg_n;
    x.slices = b->slices;
    x.prefetch = b->prefetch;
    x.m_first = b->m_first;
    return xk_schedule_same(&x, b);
}

/* Whether the code of such a candidate needed too many. */
static bool has_lost_tile(const struct ladder *l, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (l->outcome[k] == NO_CODE &&
            is_same_tile(&l->k->candidate[k], &l->k->candidate[i]))
            return true;
    return false;
}

static enum xk_status try_each(struct ladder *l, struct rungs r)
{
    enum xk_status status = XK_ENOFIT;
    l->n_lost = 0;
    for (unsigned i = r.first;
         i < r.end && status == XK_ENOFIT && l->n_lost < MOST_LOST; i++) {
        if (l->outcome[i] == NO_PLAN || has_long_code(l, i) || is_spent(l, i) ||
            (!l->tight && has_lost_tile(l, i)))
            continue;
        xk_ctx_clear(l->g->c);
        status = try_candidate(l, i);
        if (status == XK_ENOFIT)
            xk_trace_line(&l->g->trace, "xekern: # candidate %u of %u%s: %s",
                          i + 1, l->k->n_candidates, l->tight ? ", tight" : "",
                          l->g->c->error.message);
    }
    return status;
}

/* The next candidate when one does not fit. When too many codes were lost, or
 * after the last candidate, those again whose code needed more registers than
 * the plan had counted, and what was not tried, tight: which headers pay is
 * seen only while registers are allocated. */
static enum xk_status climb(struct ladder *l, struct rungs r)
{
    l->tight = false;
    enum xk_status status = try_each(l, r);
    if (status == XK_ENOFIT) {
        l->tight = true;
        status = try_each(l, r);
    }
    return status;
}

/* The last candidate is the last resort: it is slow, so it comes behind all
 * others' second time. */
static enum xk_status try_all_candidates(struct ladder *l)
{
    const unsigned n = l->k->n_candidates;
    enum xk_status status = climb(l, (struct rungs){0, n - 1});
    if (status == XK_ENOFIT)
        status = climb(l, (struct rungs){n - 1, n});
    return status == XK_ENOFIT ? none_fits(l) : status;
}

/* For candidates with packed places, if the layouts are right. */
static enum xk_status pack(struct ladder *l)
{
    const struct xk_schedule *wanted = NULL;
    for (unsigned i = 0; i < l->k->n_candidates && !wanted; i++)
        if (xk_schedule_packs(&l->k->candidate[i]))
            wanted = &l->k->candidate[i];
    if (!wanted)
        return XK_OK;
    l->packed = *l->k->nest;
    const enum xk_status status =
        xk_nest_pack(l->g->c, &l->packed, wanted->k_step);
    l->is_packed = status == XK_OK;
    if (status != XK_ENOFIT)
        return status;
    xk_ctx_clear(l->g->c);
    return XK_OK;
}

enum xk_status xk_contract_make(struct xk_gen *g, const struct xk_contract *k,
                                const char *name, struct xk_made_kernel *out)
{
    if (!k->n_candidates)
        return xk_fail(g->c, XK_EINTERNAL, "contract: %s has no candidate",
                       name);
    struct ladder *const l = xk_realloc(g->c, NULL, sizeof(*l));
    if (!l)
        return XK_ENOMEM;
    memset(l, 0, offsetof(struct ladder, packed));
    l->g = g;
    l->k = k;
    l->name = name;
    l->out = out;
    l->long_e = g->long_e;
    l->long_work = g->long_work;
    l->work_begin = xk_budget_spent(g->c);
    enum xk_status status = pack(l);
    if (status == XK_OK) {
        dump_head(l);
        status = try_all_candidates(l);
    }
    g->long_e = l->long_e;
    g->long_work = l->long_work;
    if (status == XK_OK)
        xk_schedule_print(&l->plan.s, &out->schedule);
    xk_free(g->c, l);
    return status;
}
