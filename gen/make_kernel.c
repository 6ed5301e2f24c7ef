/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/make_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"
#include "passes/passes.h"

void xk_gen_put_text(struct xk_gen *g, enum xk_stage_id s)
{
    xk_trace_put(&g->trace, s, xk_str_get(&g->text), g->text.len);
    xk_str_clear(&g->text);
}

void xk_made_kernel_init(struct xk_made_kernel *k, const struct xk_alloc *a)
{
    memset(k, 0, sizeof(*k));
    xk_str_init(&k->code, a);
    xk_str_init(&k->schedule, a);
}

void xk_made_kernel_fini(struct xk_made_kernel *k)
{
    xk_str_fini(&k->code);
    xk_str_fini(&k->schedule);
}

static void trace_pass(void *user, const char *pass, const struct xk_kernel *k)
{
    struct xk_gen *const g = user;
    xk_str_printf(&g->text, "; after %s\n", pass);
    xk_kernel_print(k, &g->text);
}

enum xk_status xk_kernel_run_passes(struct xk_gen *g,
                                    const struct xk_kernel_job *job)
{
    struct xk_pass_env env = {.platform = g->platform,
                              .tight = job->tight,
                              .spare_grf = job->spare_grf,
                              .header_grf = job->header_grf};
    struct xk_trace *const t = &g->trace;
    const char *const passes = secure_getenv("XK_PASSES");
    const enum xk_status st =
        passes ? xk_passes_parse(g->c, passes, &env.off) : XK_OK;
    if (st < 0)
        return xk_given_failed(g->c, "XK_PASSES", st);
    g->c->code_off = (uint8_t)((env.off & XK_PASSES_ORDER ? XK_CODE_ORDER : 0) |
                               (env.off & XK_PASSES_BANKS ? XK_CODE_BANKS : 0));
    if (xk_trace_wants(t, XK_STAGE_IR)) {
        xk_kernel_print(job->ir, &g->text);
        xk_gen_put_text(g, XK_STAGE_IR);
    }
    const bool traced = xk_trace_wants(t, XK_STAGE_PASSES);
    XK_TRY(xk_passes_run(g->c, job->ir, &env, traced ? trace_pass : NULL, g));
    if (traced)
        xk_gen_put_text(g, XK_STAGE_PASSES);
    return XK_OK;
}

/* Whether a parameter is an argument, with its kind and its bytes. */
static bool argument(const struct xk_kernel_job *job, const struct xk_param *p,
                     struct xk_abi_arg *out)
{
    *out = (struct xk_abi_arg){.kind = XK_ABI_ARG_VALUE};
    if (p->kind == XK_PARAM_VALUE) {
        out->size_b = (uint16_t)xk_dtype_b(xk_type_of(p->var).dt);
        return true;
    }
    out->kind = job->surfaces ? XK_ABI_ARG_SURFACE : XK_ABI_ARG_GLOBAL_PTR;
    out->size_b = job->surfaces ? 4 : 8;
    return p->kind == XK_PARAM_GLOBAL;
}

static enum xk_status
add_args(struct xk_gen *g, const struct xk_kernel_job *job, struct xk_abi *a)
{
    const struct xk_kernel *const k = job->ir;
    unsigned end_b = 0;
    for (unsigned i = 0; i < k->n_params; i++) {
        const char *const name = xk_var_name(k->params[i].var);
        struct xk_abi_arg x;
        if (!argument(job, &k->params[i], &x))
            continue;
        if (a->n_args == XK_ABI_MAX_ARGS)
            return xk_fail(g->c, XK_EUNSUPPORTED,
                           "abi: kernel %s: more than %d arguments", a->name,
                           XK_ABI_MAX_ARGS);
        snprintf(x.name, sizeof(x.name), "%s", name);
        x.written = x.kind != XK_ABI_ARG_VALUE &&
                    (!job->written || strcmp(name, job->written) == 0 ||
                     (job->beside && strcmp(name, job->beside) == 0));
        x.offset_b = (uint16_t)((end_b + x.size_b - 1u) / x.size_b * x.size_b);
        end_b = (unsigned)x.offset_b + x.size_b;
        a->args[a->n_args++] = x;
    }
    return XK_OK;
}

static enum xk_status
make_abi(struct xk_gen *g, const struct xk_kernel_job *job, struct xk_abi *a)
{
    memset(a, 0, sizeof(*a));
    snprintf(a->name, sizeof(a->name), "%s", job->ir->name);
    a->platform = g->platform->id;
    a->device = g->device;
    a->simd = (uint16_t)job->ir->simd;
    a->grf_count = job->grf_count;
    a->has_dpas = job->has_dpas;
    a->slm_b = job->slm_b;
    a->barriers = a->slm_b != 0;
    a->local[0] = job->threads * a->simd;
    a->local[1] = a->local[2] = 1;
    a->inline_b = g->platform->inline_data_b;
    return add_args(g, job, a);
}

static enum xk_status make_code(struct xk_gen *g, const struct xk_kernel *ir,
                                struct xk_made_kernel *out)
{
    const bool text = xk_trace_wants(&g->trace, XK_STAGE_ASM);
    const struct xk_code_out to = {&out->code, text ? &g->text : NULL,
                                   &out->stats};
    XK_TRY(xk_codegen(g->c, g->platform, ir, &out->abi, &to));
    if (text)
        xk_gen_put_text(g, XK_STAGE_ASM);
    if (xk_trace_wants(&g->trace, XK_STAGE_ORDER)) {
        xk_str_printf(&g->text,
                      "%u of %u blocks reordered, estimated cycles of issue "
                      "of each block once: %u, %u in the order of the IR\n",
                      out->stats.reordered, out->stats.blocks,
                      out->stats.order_cyc, out->stats.source_cyc);
        xk_gen_put_text(g, XK_STAGE_ORDER);
    }
    return out->code.failed
               ? xk_fail(g->c, XK_ENOMEM, "out of memory writing the kernel")
               : XK_OK;
}

enum xk_status xk_kernel_encode(struct xk_gen *g,
                                const struct xk_kernel_job *job,
                                struct xk_made_kernel *out)
{
    memcpy(out->groups, job->groups, sizeof(out->groups));
    out->threads = job->threads;
    XK_TRY(make_abi(g, job, &out->abi));
    return make_code(g, job->ir, out);
}

enum xk_status xk_kernel_make(struct xk_gen *g, const struct xk_kernel_job *job,
                              struct xk_made_kernel *out)
{
    XK_TRY(xk_kernel_run_passes(g, job));
    return xk_kernel_encode(g, job, out);
}
