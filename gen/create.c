/* SPDX-License-Identifier: Apache-2.0 */
/* From a descriptor to a program: tries candidates, best first, until a plan
 * and its registers fit. Only here does anything go round. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "binary/zebin.h"
#include "codegen/codegen.h"
#include "conv/conv.h"
#include "gen/gen.h"
#include "gen/heap.h"
#include "gen/program.h"
#include "gen/trace.h"
#include "lower/lower.h"
#include "passes/passes.h"

/* One create call. */
struct create {
    xk_ctx *c;
    struct xk_trace trace;
    struct xk_problem problem;
    struct xk_nest con, packed; /* [tap][channel] innermost of K */
    bool is_packed;             /* there is the latter */
    struct xk_plan plan;
    struct xk_kernel kernel;
    struct xk_abi abi;
    struct xk_str code, zebin, text;
    struct xk_code_stats stats;
    bool tight;                      /* second time down the ladder */
    bool planned[XK_MAX_CANDIDATES]; /* its plan fitted, its code did not */
};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void put_text(struct create *g, enum xk_stage_id s)
{
    xk_trace_put(&g->trace, s, xk_str_get(&g->text), g->text.len);
    xk_str_clear(&g->text);
}

static void dump_head(struct create *g)
{
    struct xk_trace *const t = &g->trace;
    if (xk_trace_wants(t, XK_STAGE_VIEWS)) {
        xk_nest_print(g->problem.candidate[0].pack && g->is_packed ? &g->packed
                                                                   : &g->con,
                      &g->text);
        put_text(g, XK_STAGE_VIEWS);
    }
    if (!xk_trace_wants(t, XK_STAGE_SCHEDULE))
        return;
    for (unsigned i = 0; i < g->problem.n_candidates; i++) {
        const struct xk_schedule *const s = &g->problem.candidate[i];
        xk_schedule_print(s, &g->text);
        xk_str_printf(&g->text, " score=%lld\n", (long long)s->score);
    }
    put_text(g, XK_STAGE_SCHEDULE);
}

static void trace_pass(void *user, const char *pass, const struct xk_kernel *k)
{
    struct create *const g = user;
    xk_str_printf(&g->text, "; after %s\n", pass);
    xk_kernel_print(k, &g->text);
}

static enum xk_status make_ir(struct create *g)
{
    const struct xk_plan_grf *const grf = &g->plan.grf;
    struct xk_pass_env env = {.platform = g->problem.platform,
                              .tight = g->tight};
    struct xk_trace *const t = &g->trace;
    const char *const passes = secure_getenv("XK_PASSES");
    if (passes)
        XK_TRY(xk_passes_parse(g->c, passes, &env.off));
    g->c->code_off = (uint8_t)((env.off & XK_PASSES_ORDER ? XK_CODE_ORDER : 0) |
                               (env.off & XK_PASSES_BANKS ? XK_CODE_BANKS : 0));
    XK_TRY(xk_lower(g->c, &g->plan, g->abi.name, &g->kernel));
    if (xk_trace_wants(t, XK_STAGE_IR)) {
        xk_kernel_print(&g->kernel, &g->text);
        put_text(g, XK_STAGE_IR);
    }
    const bool traced = xk_trace_wants(t, XK_STAGE_PASSES);
    if (grf->loop < grf->limit)
        env.spare_grf = (unsigned)(grf->limit - grf->loop);
    XK_TRY(
        xk_passes_run(g->c, &g->kernel, &env, traced ? trace_pass : NULL, g));
    if (traced)
        put_text(g, XK_STAGE_PASSES);
    return XK_OK;
}

/* Cross-thread data: the pointers, or their places in surfaces, one after the
 * other. */
static enum xk_status make_abi(struct create *g)
{
    const struct xk_kernel *const k = &g->kernel;
    struct xk_abi *const a = &g->abi;
    const bool surfaces = g->plan.s.surfaces;
    unsigned end_b = 0;
    a->platform = g->problem.platform->id;
    a->simd = g->plan.s.simd;
    a->grf_count = g->plan.s.grf_count;
    a->has_dpas = xk_fma_is_systolic(g->plan.s.fma);
    a->slm_b = g->plan.slm.all_b * g->plan.s.slices;
    if (g->plan.slices.slm_b > a->slm_b)
        a->slm_b = g->plan.slices.slm_b;
    a->barriers = a->slm_b != 0;
    a->local[0] =
        (uint32_t)g->plan.s.tg_m * g->plan.s.tg_n * g->plan.s.slices * a->simd;
    a->local[1] = a->local[2] = 1;
    for (unsigned i = 0; i < k->n_params; i++) {
        if (k->params[i].kind != XK_PARAM_GLOBAL)
            continue;
        struct xk_abi_arg *const x = &a->args[a->n_args];
        const char *const name = xk_var_name(k->params[i].var);
        snprintf(x->name, sizeof(x->name), "%s", name);
        x->kind = surfaces ? XK_ABI_ARG_SURFACE : XK_ABI_ARG_GLOBAL_PTR;
        x->written = strcmp(name, g->con.c.name) == 0;
        x->size_b = surfaces ? 4 : 8;
        x->offset_b = (uint16_t)(x->size_b * a->n_args);
        a->n_args++;
        end_b += x->size_b;
    }
    const unsigned inline_b = g->problem.platform->inline_data_b;
    if (end_b > inline_b)
        return xk_fail(g->c, XK_EUNSUPPORTED,
                       "abi: %u pointers do not fit %u inline bytes", a->n_args,
                       inline_b);
    a->inline_b = (uint16_t)inline_b;
    return XK_OK;
}

static enum xk_status make_code(struct create *g)
{
    const bool text = xk_trace_wants(&g->trace, XK_STAGE_ASM);
    XK_TRY(make_abi(g));
    XK_TRY(xk_codegen(g->c, g->problem.platform, &g->kernel, &g->abi, &g->code,
                      text ? &g->text : NULL, &g->stats));
    if (text)
        put_text(g, XK_STAGE_ASM);
    if (xk_trace_wants(&g->trace, XK_STAGE_ORDER)) {
        xk_str_printf(&g->text,
                      "%u of %u blocks reordered, estimated cycles of issue "
                      "of each block once: %u, %u in the order of the IR\n",
                      g->stats.reordered, g->stats.blocks, g->stats.order_cyc,
                      g->stats.source_cyc);
        put_text(g, XK_STAGE_ORDER);
    }
    XK_TRY(xk_zebin_write(g->c, &g->abi, g->code.s, (uint32_t)g->code.len,
                          &g->zebin));
    if (g->code.failed || g->zebin.failed)
        return xk_fail(g->c, XK_ENOMEM, "out of memory writing the kernel");
    xk_trace_put(&g->trace, XK_STAGE_ZEBIN, g->zebin.s, g->zebin.len);
    return XK_OK;
}

static void reset(struct create *g)
{
    memset(&g->abi, 0, sizeof(g->abi));
    snprintf(g->abi.name, sizeof(g->abi.name), "xk_conv");
    xk_str_clear(&g->code);
    xk_str_clear(&g->zebin);
    xk_str_clear(&g->text);
}

/* The contraction that a candidate sees. */
static enum xk_status plan_candidate(struct create *g, unsigned i)
{
    const struct xk_schedule *const s = &g->problem.candidate[i];
    if (s->pack && !g->is_packed)
        return xk_fail(g->c, XK_ENOFIT,
                       "plan: taps of these layouts are not packed");
    return xk_plan_make(g->c, g->problem.platform,
                        s->pack ? &g->packed : &g->con, s, &g->plan);
}

static enum xk_status try_candidate(struct create *g, unsigned i)
{
    const struct xk_scope scope = xk_scope_begin(g->c);
    enum xk_status status;
    reset(g);
    status = plan_candidate(g, i);
    g->planned[i] = status == XK_OK;
    if (status == XK_OK && xk_trace_wants(&g->trace, XK_STAGE_PLAN)) {
        xk_plan_print(&g->plan, &g->text);
        put_text(g, XK_STAGE_PLAN);
    }
    if (status == XK_OK)
        status = make_ir(g);
    if (status == XK_OK)
        status = make_code(g);
    /* A kernel that was made is the last: its nodes go with the context. */
    if (status != XK_OK)
        xk_scope_end(g->c, scope, NULL);
    return status;
}

/* Keeps the reason of the last candidate. */
static enum xk_status none_fits(struct create *g)
{
    const struct xk_error last = g->c->error;
    xk_ctx_clear(g->c);
    return xk_fail(g->c, XK_ENOFIT, "no candidate fits, of %u the last: %s",
                   g->problem.n_candidates, last.message);
}

static enum xk_status try_each(struct create *g)
{
    enum xk_status status = XK_ENOFIT;
    for (unsigned i = 0; i < g->problem.n_candidates && status == XK_ENOFIT;
         i++) {
        if (g->tight && !g->planned[i])
            continue;
        xk_ctx_clear(g->c);
        status = try_candidate(g, i);
        if (status == XK_ENOFIT)
            xk_trace_line(&g->trace, "xekern: # candidate %u of %u%s: %s",
                          i + 1, g->problem.n_candidates,
                          g->tight ? ", tight" : "", g->c->error.message);
    }
    return status;
}

/* The ladder: the next candidate when one does not fit; after the last one
 * those again, with fewer headers, whose code needed more registers than the
 * plan had counted: which headers pay is seen only while registers are
 * allocated. */
static enum xk_status try_all(struct create *g)
{
    enum xk_status status = try_each(g);
    if (status == XK_ENOFIT) {
        g->tight = true;
        status = try_each(g);
    }
    return status == XK_ENOFIT ? none_fits(g) : status;
}

/* For candidates with packed taps, if the layouts are right. */
static enum xk_status pack(struct create *g)
{
    const struct xk_schedule *wanted = NULL;
    for (unsigned i = 0; i < g->problem.n_candidates && !wanted; i++)
        if (g->problem.candidate[i].pack)
            wanted = &g->problem.candidate[i];
    if (!wanted)
        return XK_OK;
    g->packed = g->con;
    const enum xk_status status =
        xk_nest_pack(g->c, &g->packed, wanted->k_step);
    g->is_packed = status == XK_OK;
    if (status != XK_ENOFIT)
        return status;
    xk_ctx_clear(g->c);
    return XK_OK;
}

static enum xk_status generate(struct create *g, const struct xk_conv_desc *d,
                               const struct xk_create_options *o)
{
    XK_TRY(xk_problem_make(g->c, d, &g->problem));
    if (o && o->flags & XK_CREATE_A64)
        XK_TRY(xk_problem_use_addresses(g->c, &g->problem));
    xk_conv_print(&g->problem.desc, &g->text);
    xk_trace_init(&g->trace, o, xk_str_get(&g->text));
    g->c->verify = g->trace.verify;
    xk_str_clear(&g->text);
    struct xk_contraction con;
    XK_TRY(xk_conv_contraction(g->c, &g->problem.desc, &g->problem.info, &con));
    XK_TRY(xk_nest_make(g->c, &con, &g->con));
    XK_TRY(pack(g));
    dump_head(g);
    return try_all(g);
}

static const struct xk_operand_view *operand_named(const struct create *g,
                                                   const char *name)
{
    const struct xk_nest *const con = &g->con;
    const struct xk_operand_view *const v[] = {&con->a, &con->b, &con->c};
    for (unsigned i = 0; i < XK_COUNTOF(v); i++)
        if (strcmp(v[i]->name, name) == 0)
            return v[i];
    for (unsigned i = 0; i < con->n_inputs; i++)
        if (strcmp(con->input[i].name, name) == 0)
            return &con->input[i];
    return NULL;
}

static xk_program *make_program(struct create *g, const struct xk_alloc *heap)
{
    struct xk_program_parts parts = {.info = &g->problem.info,
                                     .plan = &g->plan,
                                     .abi = &g->abi,
                                     .code = &g->code,
                                     .zebin = &g->zebin,
                                     .stats = g->stats,
                                     .alloc = heap};
    for (unsigned i = 0; i < g->abi.n_args; i++) {
        const struct xk_operand_view *const v =
            operand_named(g, g->abi.args[i].name);
        parts.arg_tensor[i] = v ? v->arg : 0;
    }
    xk_program *const p = xk_program_make(&parts);
    if (!p)
        xk_fail(g->c, XK_ENOMEM, "out of memory making the program");
    return p;
}

/* " --attr-oscale=common:2 --attr-post-ops=sum:0.5+relu", or "". */
static void print_attr(const struct xk_conv_desc *d, struct xk_str *out)
{
    if (d->scale != 0)
        xk_str_printf(out, " --attr-oscale=common:%.9g", (double)d->scale);
    for (uint32_t i = 0; i < d->n_post_ops; i++) {
        const struct xk_post_op *const op = &d->post_ops[i];
        xk_str_printf(out, "%s", i ? "+" : " --attr-post-ops=");
        if (op->kind == XK_POST_SUM)
            xk_str_printf(out, "sum:%.9g", (double)op->alpha);
        else
            xk_str_printf(out, "relu");
    }
}

/* The line can be pasted into a shell: '#' begins the explanation. */
static void verbose_line(struct create *g, const xk_program *p, uint64_t ns)
{
    static const char *const dirs[] = {"", "FWD_D", "FWD_B", "FWD_I"};
    static const char *const types[] = {"",    "f32", "f16", "bf16",
                                        "s32", "s8",  "u8"};
    const struct xk_conv_desc *const d = &g->problem.desc;
    const struct xk_conv_info *const f = &g->problem.info;
    if (!g->trace.verbose)
        return;
    xk_str_clear(&g->text);
    print_attr(d, &g->text);
    xk_str_printf(&g->text, " ");
    xk_conv_print(d, &g->text);
    xk_trace_line(&g->trace,
                  "xkbench --platform=%s --dir=%s --dt=%s:%s:%s --stag=%s "
                  "--wtag=%s --dtag=%s"
                  "%s # %s, %u instructions, %u registers, %.3f ms",
                  g->problem.platform->name, dirs[d->prop & 3],
                  types[d->src_type], types[d->wei_type], types[d->dst_type],
                  f->tensor[XK_ARG_SRC].tag, f->tensor[XK_ARG_WEI].tag,
                  f->tensor[XK_ARG_DST].tag, xk_str_get(&g->text),
                  xk_program_launch(p, 0)->schedule, g->stats.instructions,
                  g->stats.peak_grf, (double)ns * 1e-6);
}

static void fini(struct create *g, struct xk_error *err)
{
    xk_str_fini(&g->code);
    xk_str_fini(&g->zebin);
    xk_str_fini(&g->text);
    if (err)
        *err = g->c->error;
    xk_ctx_destroy(g->c);
}

/* Everything with the counted heap; *out is made on success. */
static enum xk_status run(struct create *g, const struct xk_conv_desc *d,
                          const struct xk_create_options *o,
                          struct xk_counted_heap *heap, uint64_t start_ns,
                          xk_program **out)
{
    XK_TRY(generate(g, d, o));
    const struct xk_error *const dump = &g->trace.error;
    if (dump->status)
        return xk_fail(g->c, dump->status, "%s", dump->message);
    xk_program *const p = make_program(g, &heap->below);
    if (!p)
        return xk_ctx_status(g->c);
    const uint64_t ns = now_ns() - start_ns;
    xk_program_set_cost(p, ns, heap->peak_b);
    verbose_line(g, p, ns);
    *out = p;
    return XK_OK;
}

static enum xk_status refuse(struct xk_error *err, enum xk_status status,
                             const char *why)
{
    if (err) {
        err->status = status;
        snprintf(err->message, sizeof(err->message), "%s", why);
    }
    return status;
}

static enum xk_status check_options(const struct xk_create_options *o,
                                    struct xk_error *err)
{
    char why[80];
    if (o && o->size != sizeof(*o))
        return refuse(err, XK_EINVAL,
                      "options: size is not that of "
                      "struct xk_create_options");
    if (!o || !(o->flags & ~(uint32_t)XK_CREATE_A64))
        return XK_OK;
    snprintf(why, sizeof(why),
             "options: flags=0x%x has bits other than XK_CREATE_A64",
             (unsigned)o->flags);
    return refuse(err, XK_EINVAL, why);
}

enum xk_status xk_conv_create(const struct xk_conv_desc *d,
                              const struct xk_create_options *o,
                              xk_program **out, struct xk_error *err)
{
    const uint64_t start_ns = now_ns();
    struct xk_counted_heap heap;
    if (!out)
        return refuse(err, XK_EINVAL, "out is NULL");
    *out = NULL;
    XK_TRY(check_options(o, err));
    xk_counted_heap_init(&heap, o ? o->heap : NULL);
    const struct xk_alloc alloc = xk_counted_alloc(&heap);
    struct create *const g = alloc.realloc(alloc.user, NULL, sizeof(*g));
    if (!g)
        return refuse(err, XK_ENOMEM, "out of memory");
    memset(g, 0, sizeof(*g));
    g->c = xk_ctx_create(&alloc);
    if (!g->c) {
        alloc.realloc(alloc.user, g, 0);
        return refuse(err, XK_ENOMEM, "out of memory");
    }
    xk_str_init(&g->code, &alloc);
    xk_str_init(&g->zebin, &alloc);
    xk_str_init(&g->text, &alloc);
    enum xk_status status = run(g, d, o, &heap, start_ns, out);
    if (status == XK_OK && !*out)
        status = XK_EINTERNAL;
    fini(g, err);
    alloc.realloc(alloc.user, g, 0);
    return status;
}
