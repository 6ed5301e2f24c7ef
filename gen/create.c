/* SPDX-License-Identifier: Apache-2.0 */
/* From a descriptor to a program: the problem becomes a list of launches, and
 * that a program. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "conv/conv.h"
#include "conv/option_text.h"
#include "conv/parts.h"
#include "conv/quants.h"
#include "conv/tensors.h"
#include "gen/creation.h"
#include "gen/conv_launches.h"
#include "gen/padding.h"
#include "lower/tile_copy.h"

/* One create call. */
struct create {
    struct xk_creation base;
    const struct xk_conv_desc *asked; /* the caller's */
    struct xk_program_arg_info
        arg[XK_N_CONV_ARGS + XK_MAX_POST_OPS + XK_N_CONV_QUANTS + 1];
    struct xk_problem problem;
    /* Large, and not zero at first, as the problem's form: */
    struct xk_nest con;
    struct xk_contraction_problem padding;    /* if the problem pads */
    struct xk_flat_nest copy;                 /* if it packs */
    struct xk_conv_launches launches;         /* of others */
    struct xk_launch launch[XK_MAX_LAUNCHES]; /* all of them */
};

static unsigned add_arg(struct create *g, unsigned n, const char *name,
                        uint32_t number, const struct xk_tensor_info *t)
{
    struct xk_program_arg_info *const a = &g->arg[n];
    if (!t->ndims || !t->size_b)
        return n;
    snprintf(a->name, sizeof(a->name), "%s", name);
    a->number = number;
    a->size_b = t->size_b;
    a->written = number < XK_N_CONV_ARGS &&
                 xk_conv_writes(&g->problem.desc, (enum xk_conv_arg)number);
    return n + 1;
}

static unsigned add_quant(struct create *g, unsigned n, enum xk_conv_quant q)
{
    const struct xk_conv_info *const info = &g->problem.user;
    struct xk_conv_quant_row row;
    xk_conv_quant_row(&g->problem.desc, q, &row);
    if (row.of->source != XK_QUANT_HOST)
        return add_arg(g, n, row.name, row.number,
                       row.is_zero_point ? &info->zero_point[row.arg]
                                         : &info->scale[row.arg]);
    struct xk_program_arg_info *const a = &g->arg[n];
    snprintf(a->name, sizeof(a->name), "%s", row.name);
    a->number = row.number;
    a->type = row.is_zero_point ? XK_VALUE_S32 : XK_VALUE_F32;
    a->size_b = 4;
    return n + 1;
}

/* The tensors and values that there are. */
static unsigned set_args(struct create *g)
{
    const struct xk_conv_info *const info = &g->problem.user;
    unsigned n = 0;
    for (uint32_t i = 0; i < XK_N_CONV_ARGS; i++)
        n = add_arg(g, n, xk_conv_arg_name(i), i, &info->tensor[i]);
    for (uint32_t i = 0; i < g->problem.desc.n_post_ops; i++) {
        char name[16];
        snprintf(name, sizeof(name), "rhs%u", i);
        n = add_arg(g, n, name, XK_ARG_RHS + i, &info->rhs[i]);
    }
    for (unsigned q = 0; q < XK_N_CONV_QUANTS; q++)
        n = add_quant(g, n, (enum xk_conv_quant)q);
    if (g->problem.ways.stochastic && g->problem.ways.n)
        g->arg[n++] = (struct xk_program_arg_info){.name = "seed",
                                                   .number = XK_ARG_SEED,
                                                   .type = XK_VALUE_S32,
                                                   .size_b = 4};
    return n;
}

/* Parts of large tensors begin inside the caller's buffers. */
static bool takes_addresses(const struct create *g)
{
    return xk_creation_has(&g->base, XK_CREATE_A64) ||
           g->problem.ways.parts.n > 1;
}

static enum xk_status make_padding(struct create *g,
                                   const struct xk_contraction *con)
{
    struct xk_gen *const gen = &g->base.gen;
    XK_TRY(xk_padding_problem_make(gen->c, gen->platform, con, &g->padding));
    return takes_addresses(g) ? xk_contraction_problem_use_addresses(
                                    gen->c, gen->platform, &g->padding)
                              : XK_OK;
}

static enum xk_status prepare_conv(struct create *g,
                                   const struct xk_conv_desc *d)
{
    struct xk_gen *const gen = &g->base.gen;
    XK_TRY(xk_problem_make(gen->c, d, &g->problem));
    if (takes_addresses(g))
        XK_TRY(xk_problem_use_addresses(gen->c, &g->problem));
    gen->platform = g->problem.platform;
    gen->device = g->problem.device;
    xk_conv_print(&g->problem.desc, &gen->text);
    xk_creation_name(&g->base, xk_str_get(&gen->text));
    xk_str_clear(&gen->text);
    return XK_OK;
}

/* Weights whose groups are packed go to scratch memory. */
static const struct xk_bind pack_binds[] = {
    {.name = "packed", .binding = XK_BIND_SCRATCH},
    {.name = "wei", .binding = XK_BIND_TENSOR, .number = XK_ARG_WEI}};

static enum xk_status pack_launch(struct create *g, struct xk_launch *out)
{
    const bool surfaces = !takes_addresses(g);
    const struct xk_tile_copy copy = {&g->problem.form.copy, "wei", "packed"};
    XK_TRY(xk_lower_tile_copy(g->base.gen.c, &copy, "xk_pack", surfaces,
                              &g->copy));
    *out = (struct xk_launch){.kind = XK_LAUNCH_IR,
                              .name = "xk_pack",
                              .u.ir = {.ir = &g->copy.kernel,
                                       .written = "packed",
                                       .threads = g->copy.threads,
                                       .groups = {g->copy.groups[0], 1, 1},
                                       .grf_count = 128,
                                       .surfaces = surfaces},
                              .n_binds = 2,
                              .bind = pack_binds};
    return XK_OK;
}

static struct xk_launch padding_launch(const struct create *g)
{
    return (struct xk_launch){
        .kind = XK_LAUNCH_CONTRACT,
        .name = "xk_padding",
        .u.contract = {.nest = &g->padding.nest,
                       .candidate = g->padding.candidate,
                       .n_candidates = g->padding.n_candidates}};
}

/* Forward: those of conv_launches.h, whose nest is made only here, and perhaps
 * one in front that packs weights, which has no others beside it, and one
 * behind that clears padding. */
static enum xk_status forward_launches(struct create *g, struct xk_launch *out,
                                       unsigned *n)
{
    xk_ctx *const c = g->base.gen.c;
    const bool packs = g->problem.pack > 1;
    struct xk_conv_launches *const l = &g->launches;
    XK_TRY(xk_conv_launches_make(c, &g->problem, l));
    *n = 0;
    if (packs)
        XK_TRY(pack_launch(g, &out[(*n)++]));
    if (g->problem.pads)
        XK_TRY(make_padding(g, &g->problem.form.con));
    XK_TRY(xk_nest_make(c, &g->problem.form.con, &g->con));
    struct xk_launch *const main = &l->at[l->main];
    const bool lanes = g->problem.form.has_lanes;
    main->u.contract.nest = &g->con;
    main->u.contract.whole = lanes ? &g->problem.form.whole : NULL;
    main->u.contract.lanes = lanes ? &g->problem.form.lanes : NULL;
    if (packs) {
        main->n_binds = 1;
        main->bind = pack_binds;
    }
    for (unsigned i = 0; i < l->n; i++)
        out[(*n)++] = l->at[i];
    if (g->problem.pads)
        out[(*n)++] = padding_launch(g);
    return XK_OK;
}

/* All launches in their order; *n of them, at most XK_MAX_LAUNCHES. */
static enum xk_status set_all_launches(struct create *g, struct xk_launch *all,
                                       unsigned *n)
{
    const struct xk_problem *const p = &g->problem;
    g->launches.n = 0;
    for (*n = 0; *n < p->n_launches; ++*n)
        all[*n] = p->launch[*n];
    return *n || p->ways.empty ? XK_OK : forward_launches(g, all, n);
}

static uint64_t part_at_b(const void *of_parts, unsigned i, unsigned number)
{
    const struct xk_problem *const p = of_parts;
    return xk_conv_part_at_b(&p->ways.parts, i, &p->part_b[number]);
}

static enum xk_status generate_conv(struct xk_creation *base, const void *what,
                                    xk_program **out)
{
    struct create *const g = (struct create *)base;
    unsigned n;
    g->asked = what;
    XK_TRY(prepare_conv(g, what));
    XK_TRY(set_all_launches(g, g->launch, &n));
    const int64_t packed_b = xk_layout_size_b(&g->problem.packed);
    const bool packs = g->problem.pack > 1;
    const struct xk_conv_launches *const l = &g->launches;
    const struct xk_problem *const p = &g->problem;
    const struct xk_launches all = {.n_args = set_args(g),
                                    .n_scratch = packs  ? 1
                                                 : l->n ? l->n_scratch
                                                        : p->n_scratch,
                                    .scratch_b = packs  ? &packed_b
                                                 : l->n ? l->scratch_b
                                                        : p->scratch_b,
                                    .args = g->arg,
                                    .n = n,
                                    .at = g->launch,
                                    .copy_of = p->copies ? p->copies->copy_of
                                               : l->n    ? l->copy_of
                                                         : NULL,
                                    .n_parts = p->ways.parts.n,
                                    .n_behind = p->n_behind,
                                    .scratch_part_b = p->scratch_part_b,
                                    .part_at_b = part_at_b,
                                    .of_parts = p,
                                    .addresses = takes_addresses(g)};
    return xk_launches_make(&base->gen, &all, &g->problem.user, base->heap,
                            out);
}

static void drop_problem(struct xk_creation *base)
{
    xk_problem_fini(&((struct create *)base)->problem);
}

/* The line can be pasted into a shell: '#' begins the explanation. */
static void tell_conv(struct xk_creation *base, const xk_program *p,
                      uint64_t ns)
{
    struct create *const g = (struct create *)base;
    static const struct xk_launch_info none = {.schedule = "nothing to do"};
    const uint32_t n = xk_program_n_launches(p);
    const struct xk_launch_info *const l =
        n ? xk_program_launch(p, n - 1) : &none;
    struct xk_conv_desc asked;
    struct xk_str *const text = &base->gen.text;
    xk_str_clear(text);
    if (xk_conv_read(base->gen.c, g->asked, &asked) == XK_OK)
        xk_conv_print_options(&asked, &g->problem.user, text);
    xk_trace_line(&base->gen.trace,
                  "xkbench%s%s # %s, %u instructions, %u registers, %u units "
                  "of work, %.3f ms",
                  xk_conv_is_deconv(&g->problem.desc) ? " --deconv" : "",
                  xk_str_get(text), l->schedule, l->static_instructions,
                  l->peak_grf, xk_budget_spent(base->gen.c), (double)ns * 1e-6);
}

enum xk_status xk_conv_create(const struct xk_conv_desc *d,
                              const struct xk_create_options *o,
                              xk_program **out, struct xk_error *err)
{
    static const struct xk_creation_kind kind = {
        .state_b = sizeof(struct create),
        .zero_b = offsetof(struct create, problem.form),
        .generate = generate_conv,
        .tell = tell_conv,
        .fini = drop_problem};
    return xk_creation_run(&kind, d, o, out, err);
}
