/* SPDX-License-Identifier: Apache-2.0 */
/* From a descriptor to a program: the problem becomes a list of launches, and
 * that a program. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "conv/conv.h"
#include "conv/post_ops.h"
#include "gen/gen.h"
#include "gen/heap.h"
#include "gen/make_launches.h"
#include "gen/program.h"

/* One create call. */
struct create {
    struct xk_gen gen;
    struct xk_problem problem;
    struct xk_nest con;
    struct xk_program_arg_info arg[XK_N_CONV_ARGS + XK_MAX_POST_OPS];
};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static unsigned add_arg(struct create *g, unsigned n, const char *name,
                        uint32_t number, const struct xk_tensor_info *t)
{
    struct xk_program_arg_info *const a = &g->arg[n];
    if (!t->ndims)
        return n;
    snprintf(a->name, sizeof(a->name), "%s", name);
    a->number = number;
    a->size_b = t->size_b;
    a->written = number == XK_ARG_DST;
    return n + 1;
}

/* The tensors that there are. */
static unsigned set_args(struct create *g)
{
    static const char *const names[XK_N_CONV_ARGS] = {"src", "wei", "bia",
                                                      "dst"};
    const struct xk_conv_info *const info = &g->problem.info;
    unsigned n = 0;
    for (uint32_t i = 0; i < XK_N_CONV_ARGS; i++)
        n = add_arg(g, n, names[i], i, &info->tensor[i]);
    for (uint32_t i = 0; i < g->problem.desc.n_post_ops; i++) {
        char name[16];
        snprintf(name, sizeof(name), "rhs%u", i);
        n = add_arg(g, n, name, XK_ARG_RHS + i, &info->rhs[i]);
    }
    return n;
}

static enum xk_status prepare(struct create *g, const struct xk_conv_desc *d,
                              const struct xk_create_options *o)
{
    struct xk_gen *const gen = &g->gen;
    XK_TRY(xk_problem_make(gen->c, d, &g->problem));
    if (o && o->flags & XK_CREATE_A64)
        XK_TRY(xk_problem_use_addresses(gen->c, &g->problem));
    gen->platform = g->problem.platform;
    xk_conv_print(&g->problem.desc, &gen->text);
    xk_trace_init(&gen->trace, o, xk_str_get(&gen->text));
    gen->c->verify = gen->trace.verify;
    xk_str_clear(&gen->text);
    struct xk_contraction con;
    XK_TRY(
        xk_conv_contraction(gen->c, &g->problem.desc, &g->problem.info, &con));
    return xk_nest_make(gen->c, &con, &g->con);
}

static enum xk_status generate(struct create *g, const struct xk_conv_desc *d,
                               const struct xk_create_options *o,
                               const struct xk_alloc *heap, xk_program **out)
{
    XK_TRY(prepare(g, d, o));
    const struct xk_launch launch = {
        .kind = XK_LAUNCH_CONTRACT,
        .name = "xk_conv",
        .u.contract = {.nest = &g->con,
                       .candidate = g->problem.candidate,
                       .n_candidates = g->problem.n_candidates}};
    const struct xk_launches all = {.n_args = set_args(g),
                                    .args = g->arg,
                                    .n = 1,
                                    .at = &launch,
                                    .addresses = o && o->flags & XK_CREATE_A64};
    return xk_launches_make(&g->gen, &all, &g->problem.info, heap, out);
}

/* " --attr-oscale=common:2 --attr-post-ops=sum:0.5+relu", or "". */
static void print_attr(const struct xk_conv_desc *d, struct xk_str *out)
{
    if (d->scale != 0) {
        xk_str_printf(out, " --attr-oscale=common:");
        xk_conv_print_number(d->scale, out);
    }
    if (d->n_post_ops) {
        xk_str_printf(out, " --attr-post-ops=");
        xk_conv_print_post_ops(d->post_ops, d->n_post_ops, out);
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
    const struct xk_launch_info *const l = xk_program_launch(p, 0);
    struct xk_str *const text = &g->gen.text;
    if (!g->gen.trace.verbose)
        return;
    xk_str_clear(text);
    print_attr(d, text);
    xk_str_printf(text, " ");
    xk_conv_print(d, text);
    xk_trace_line(&g->gen.trace,
                  "xkbench --platform=%s --dir=%s --dt=%s:%s:%s --stag=%s "
                  "--wtag=%s --dtag=%s"
                  "%s # %s, %u instructions, %u registers, %.3f ms",
                  g->problem.platform->name, dirs[d->prop & 3],
                  types[d->src_type], types[d->wei_type], types[d->dst_type],
                  f->tensor[XK_ARG_SRC].tag, f->tensor[XK_ARG_WEI].tag,
                  f->tensor[XK_ARG_DST].tag, xk_str_get(text), l->schedule,
                  l->static_instructions, l->peak_grf, (double)ns * 1e-6);
}

static void fini(struct create *g, struct xk_error *err)
{
    xk_str_fini(&g->gen.text);
    if (err)
        *err = g->gen.c->error;
    xk_ctx_destroy(g->gen.c);
}

/* Everything with the counted heap; *out is made on success. */
static enum xk_status run(struct create *g, const struct xk_conv_desc *d,
                          const struct xk_create_options *o,
                          struct xk_counted_heap *heap, uint64_t start_ns,
                          xk_program **out)
{
    xk_program *p;
    XK_TRY(generate(g, d, o, &heap->below, &p));
    const struct xk_error *const dump = &g->gen.trace.error;
    if (dump->status) {
        xk_program_unref(p);
        return xk_fail(g->gen.c, dump->status, "%s", dump->message);
    }
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
    g->gen.c = xk_ctx_create(&alloc);
    if (!g->gen.c) {
        alloc.realloc(alloc.user, g, 0);
        return refuse(err, XK_ENOMEM, "out of memory");
    }
    xk_str_init(&g->gen.text, &alloc);
    enum xk_status status = run(g, d, o, &heap, start_ns, out);
    if (status == XK_OK && !*out)
        status = XK_EINTERNAL;
    fini(g, err);
    alloc.realloc(alloc.user, g, 0);
    return status;
}
