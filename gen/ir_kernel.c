/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of xekern/ir.h: a kernel's text becomes a launch. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "gen/creation.h"
#include "gen/make_launches.h"
#include "gen/target.h"
#include "ir/tiles.h"
#include "passes/passes.h"
#include "xekern/ir.h"

/* One create call. */
struct create {
    struct xk_creation base;
    struct xk_kernel kernel;
    struct xk_program_arg_info arg[XK_MAX_LAUNCH_ARGS];
    struct xk_bind bind[XK_MAX_BINDS];
    unsigned n_args;
};

/* A caller that was compiled before there was a device gives none. */
static enum xk_status check_ir_source(xk_ctx *c, const struct xk_ir_source *s,
                                      struct xk_wa_device *device)
{
    if (!s || (s->size != sizeof(*s) &&
               s->size != offsetof(struct xk_ir_source, device)))
        return xk_fail(c, XK_EINVAL,
                       "ir: NULL, or size is not that of struct xk_ir_source");
    if (!s->text)
        return xk_fail(c, XK_EINVAL, "ir: text is NULL");
    XK_TRY(xk_target_of(c, s->platform,
                        s->size == sizeof(*s) ? s->device : NULL, device));
    if (s->grf_count && s->grf_count != 128 && s->grf_count != 256)
        return xk_fail(c, XK_EINVAL, "grf_count=%u, needs 128 or 256",
                       s->grf_count);
    return XK_OK;
}

/* The kernel's text behind the passes that are named. */
static enum xk_status rewrite_ir(xk_ctx *c, const struct xk_ir_source *s,
                                 struct xk_kernel *k,
                                 struct xk_wa_device *device)
{
    XK_TRY(check_ir_source(c, s, device));
    const struct xk_pass_env env = {
        .platform = xk_platform_get((enum xk_platform_id)s->platform),
        .spare_grf = s->spare_grf};
    XK_TRY(xk_kernel_parse(c, s->text, k));
    XK_TRY(xk_kernel_check(c, k));
    return xk_passes_call(c, k, &env, s->passes ? s->passes : "", NULL, NULL);
}

/* What a look at the body gathers. */
struct seen {
    struct create *g;
    bool has_dpas;
};

static void mark_written(struct create *g, const xk_expr *mem)
{
    for (unsigned i = 0; i < g->n_args; i++)
        if (!strcmp(g->arg[i].name, xk_var_name(mem)))
            g->arg[i].written = 1;
}

/* Bytes that a pointer's views reach. */
static void measure_views(struct create *g, const xk_stmt *s)
{
    const struct xk_tiling *const t = xk_tiling_of(s);
    for (unsigned v = 0; v < t->n_views; v++)
        for (unsigned i = 0; i < g->n_args; i++) {
            const uint64_t size_b =
                (uint64_t)xk_layout_size_b(&t->view[v].access.layout);
            if (!strcmp(g->arg[i].name, xk_var_name(xk_tiling_mem(s, v))) &&
                g->arg[i].size_b < size_b)
                g->arg[i].size_b = size_b;
        }
}

static void look_at_call(struct seen *x, const xk_stmt *s)
{
    const struct xk_func *const f = xk_func_of(s);
    x->has_dpas |= f->kind == XK_FUNC_DPAS;
    if (f->kind == XK_FUNC_SEND && f->u.send.op != XK_SEND_LOAD &&
        f->u.send.op != XK_SEND_PREFETCH && f->u.send.space == XK_SPACE_GLOBAL)
        mark_written(x->g, xk_kid(xk_kid(s, 0), 0));
    if (f->kind == XK_FUNC_TILE && f->u.tile.op == XK_TILE_MUL)
        x->has_dpas |= f->u.tile.family == XK_FAMILY_DPAS ||
                       f->u.tile.family == XK_FAMILY_DPASW;
}

/* Views that are stored to; the calls that name them are below the tiling. */
struct stored {
    struct create *g;
    const xk_stmt *tiling;
};

static bool look_for_stores(const xk_expr *e, void *user)
{
    const struct stored *const x = user;
    if (xk_is_expr(e))
        return false;
    if (xk_op(e) == XK_OP_CALL && xk_func_of(e)->kind == XK_FUNC_TILE &&
        xk_tile_call_writes(&xk_func_of(e)->u.tile)) {
        const int v =
            xk_tiling_view(xk_tiling_of(x->tiling), xk_func_of(e)->u.tile.view);
        if (v >= 0)
            mark_written(x->g, xk_tiling_mem(x->tiling, (unsigned)v));
    }
    return true;
}

static bool look_at_ir(const xk_expr *e, void *user)
{
    struct seen *const x = user;
    if (xk_is_expr(e))
        return false;
    if (xk_op(e) == XK_OP_CALL)
        look_at_call(x, e);
    if (xk_op(e) == XK_OP_TILING) {
        struct stored s = {x->g, e};
        measure_views(x->g, e);
        xk_visit(xk_tiling_body(e), look_for_stores, NULL, &s);
    }
    return true;
}

static enum xk_value_type value_type(struct xk_type t)
{
    switch ((enum xk_dtype)t.dt) {
    case XK_DT_F32:
        return XK_VALUE_F32;
    case XK_DT_S32:
        return XK_VALUE_S32;
    case XK_DT_S64:
        return XK_VALUE_S64;
    default:
        return XK_VALUE_NONE;
    }
}

/* A parameter as an argument of the program. */
static enum xk_status add_parameter_arg(struct create *g,
                                        const struct xk_param *p)
{
    const struct xk_type t = xk_type_of(p->var);
    const bool value = p->kind == XK_PARAM_VALUE;
    if (g->n_args == XK_MAX_LAUNCH_ARGS)
        return xk_fail(g->base.gen.c, XK_EUNSUPPORTED,
                       "ir: more than %d arguments", XK_MAX_LAUNCH_ARGS);
    struct xk_program_arg_info *const a = &g->arg[g->n_args];
    struct xk_bind *const b = &g->bind[g->n_args];
    *a = (struct xk_program_arg_info){
        .number = g->n_args, .type = value ? value_type(t) : XK_VALUE_NONE};
    a->size_b = value ? xk_dtype_b((enum xk_dtype)t.dt) : 1;
    *b = (struct xk_bind){.binding = value ? XK_BIND_VALUE : XK_BIND_TENSOR,
                          .number = (uint8_t)g->n_args};
    if (value && a->type == XK_VALUE_NONE)
        return xk_fail(g->base.gen.c, XK_EUNSUPPORTED,
                       "ir: value %s is %s, needs f32, s32 or s64",
                       xk_var_name(p->var), xk_dtype_name((enum xk_dtype)t.dt));
    snprintf(a->name, sizeof(a->name), "%s", xk_var_name(p->var));
    snprintf(b->name, sizeof(b->name), "%s", xk_var_name(p->var));
    g->n_args++;
    return XK_OK;
}

/* How many there are of a kind of id; 1 without such a parameter. */
static enum xk_status count_ids(struct create *g, enum xk_param_kind kind,
                                uint32_t *out)
{
    const struct xk_kernel *const k = &g->kernel;
    *out = 1;
    for (unsigned i = 0; i < k->n_params; i++) {
        if (k->params[i].kind != kind)
            continue;
        if (k->extent[i] < 1 || k->extent[i] > INT32_MAX)
            return xk_fail(g->base.gen.c, XK_EINVAL,
                           "ir: parameter %s needs its extent, such as < 8",
                           xk_var_name(k->params[i].var));
        *out = (uint32_t)k->extent[i];
    }
    return XK_OK;
}

/* Arguments, groups, threads. */
static enum xk_status make_job(struct create *g, const struct xk_ir_source *s,
                               struct xk_kernel_job *job)
{
    struct xk_kernel *const k = &g->kernel;
    unsigned surfaces = 0, pointers = 0;
    *job = (struct xk_kernel_job){
        .ir = k,
        .grf_count = (uint16_t)(s->grf_count ? s->grf_count : 128),
        .spare_grf = s->spare_grf};
    for (unsigned i = 0; i < k->n_params; i++) {
        const unsigned kind = k->params[i].kind;
        surfaces += kind == XK_PARAM_SURFACE;
        pointers += kind == XK_PARAM_GLOBAL;
        if (kind == XK_PARAM_GLOBAL || kind == XK_PARAM_VALUE)
            XK_TRY(add_parameter_arg(g, &k->params[i]));
    }
    if (surfaces && surfaces != pointers)
        return xk_fail(g->base.gen.c, XK_EINVAL,
                       "ir: %u of %u pointers have a surface parameter behind "
                       "them, needs all or none",
                       surfaces, pointers);
    job->surfaces = surfaces != 0;
    for (unsigned d = 0; d < 3; d++)
        XK_TRY(count_ids(g, (enum xk_param_kind)(XK_PARAM_GROUP_X + d),
                         &job->groups[d]));
    return count_ids(g, XK_PARAM_THREAD, &job->threads);
}

static enum xk_status generate_from_ir(struct xk_creation *base,
                                       const void *what, xk_program **out)
{
    static const struct xk_conv_info none = {.size = sizeof(none)};
    struct create *const g = (struct create *)base;
    struct xk_launch l = {.kind = XK_LAUNCH_IR};
    struct seen x = {.g = g};
    base->gen.platform = xk_platform_get(
        (enum xk_platform_id)((const struct xk_ir_source *)what)->platform);
    XK_TRY(rewrite_ir(base->gen.c, what, &g->kernel, &base->gen.device));
    XK_TRY(make_job(g, what, &l.u.ir));
    xk_visit(g->kernel.body, look_at_ir, NULL, &x);
    l.u.ir.slm_b = xk_slm_size(&g->kernel);
    l.u.ir.has_dpas = x.has_dpas;
    if (l.u.ir.surfaces && xk_creation_has(base, XK_CREATE_A64))
        return xk_fail(base->gen.c, XK_EINVAL,
                       "options: flags has XK_CREATE_A64, but the text has "
                       "surfaces");
    l.n_binds = g->n_args;
    l.bind = g->bind;
    memcpy(l.name, g->kernel.name, sizeof(l.name));
    xk_creation_name(base, l.name);
    const struct xk_launches all = {.n_args = g->n_args,
                                    .n = 1,
                                    .args = g->arg,
                                    .at = &l,
                                    .addresses = !l.u.ir.surfaces};
    return xk_launches_make(&base->gen, &all, &none, base->heap, out);
}

static void tell_of_ir(struct xk_creation *base, const xk_program *p,
                       uint64_t ns)
{
    const struct xk_launch_info *const l = xk_program_launch(p, 0);
    xk_trace_line(&base->gen.trace,
                  "xk gen --from # %s, %u instructions, %u registers, %.3f ms",
                  l->kernel, l->static_instructions, l->peak_grf,
                  (double)ns * 1e-6);
}

enum xk_status xk_ir_create(const struct xk_ir_source *s,
                            const struct xk_create_options *o, xk_program **out,
                            struct xk_error *err)
{
    static const struct xk_creation_kind kind = {.state_b =
                                                     sizeof(struct create),
                                                 .generate = generate_from_ir,
                                                 .tell = tell_of_ir};
    return xk_creation_run(&kind, s, o, out, err);
}

enum xk_status xk_ir_rewrite(const struct xk_ir_source *s, xk_write_fn write,
                             void *user, struct xk_error *err)
{
    static const struct xk_error no_memory = {XK_ENOMEM, "out of memory"};
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_kernel k;
    struct xk_str text;
    struct xk_wa_device device;
    if (c && rewrite_ir(c, s, &k, &device) == XK_OK &&
        xk_kernel_check(c, &k) == XK_OK) {
        xk_str_init(&text, &c->alloc);
        xk_kernel_print(&k, &text);
        if (text.failed)
            xk_fail(c, XK_ENOMEM, "out of memory");
        else
            write(user, xk_str_get(&text), text.len);
        xk_str_fini(&text);
    }
    const enum xk_status st = c ? xk_ctx_status(c) : XK_ENOMEM;
    if (err)
        *err = c ? c->error : no_memory;
    xk_ctx_destroy(c);
    return st;
}
