/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of xekern/formulas.h. */
#include <stdio.h>
#include <string.h>

#include "gen/creation.h"
#include "gen/formula_list.h"
#include "gen/gen.h"
#include "views/formula.h"

/* One create call. */
struct create {
    struct xk_creation base;
    struct xk_formula_list list;
};

static enum xk_status generate_formulas(struct xk_creation *base,
                                        const void *what, xk_program **out)
{
    static const struct xk_conv_info none = {.size = sizeof(none)};
    struct create *const g = (struct create *)base;
    const bool addresses = xk_creation_has(base, XK_CREATE_A64);
    XK_TRY(xk_formula_list_make(base->gen.c, what, addresses, &g->list));
    struct xk_launches all = xk_formula_list_launches(&g->list);
    all.addresses = addresses;
    base->gen.platform = xk_platform_get(
        (enum xk_platform_id)((const struct xk_formulas *)what)->platform);
    base->gen.device = g->list.device;
    xk_creation_name(base, all.at[all.n - 1].name);
    return xk_launches_make(&base->gen, &all, &none, base->heap, out);
}

/* A line a formula, with its first launch; it can be pasted into a shell. */
static void tell_formulas(struct xk_creation *base, const xk_program *p,
                          uint64_t ns)
{
    struct create *const g = (struct create *)base;
    char device[XK_PRODUCT_WORD_B];
    xk_product_word(&g->list.device, device);
    for (unsigned i = 0, n = 0; i < g->list.n; n += g->list.made[i++].n) {
        n += g->list.cleared[i];
        const struct xk_launch_info *const l = xk_program_launch(p, n);
        xk_str_clear(&base->gen.text);
        xk_formula_print(&g->list.said[i], &base->gen.text);
        xk_trace_line(&base->gen.trace,
                      "xk gen --platform=%s%s%s --formula='%s' # %s, %u "
                      "instructions, %u registers, %.3f ms",
                      base->gen.platform->name, *device ? " --device=" : "",
                      device, xk_str_get(&base->gen.text), l->schedule,
                      l->static_instructions, l->peak_grf, (double)ns * 1e-6);
    }
}

static void drop_list(struct xk_creation *base)
{
    xk_formula_list_fini(&((struct create *)base)->list);
}

enum xk_status xk_formulas_create(const struct xk_formulas *f,
                                  const struct xk_create_options *o,
                                  xk_program **out, struct xk_error *err)
{
    static const struct xk_creation_kind kind = {.state_b =
                                                     sizeof(struct create),
                                                 .generate = generate_formulas,
                                                 .tell = tell_formulas,
                                                 .fini = drop_list};
    return xk_creation_run(&kind, f, o, out, err);
}

static void fill_info(const struct xk_formula_list *l,
                      struct xk_formulas_info *out)
{
    const struct xk_launches all = xk_formula_list_launches(l);
    struct xk_scratch_info each[XK_MAX_SCRATCH];
    struct xk_launch_list scratch = {0};
    xk_launches_scratch(&all, each, &scratch);
    out->n_launches = l->n_launches;
    out->scratch_b = scratch.scratch_b;
    out->scratch_align_b = scratch.scratch_align_b;
    out->n_args = l->n_args;
    memcpy(out->args, l->arg, l->n_args * sizeof(*l->arg));
}

static enum xk_status query(xk_ctx *c, const struct xk_formulas *f,
                            struct xk_formulas_info *info)
{
    struct xk_formula_list l;
    if (!info || info->size != sizeof(*info))
        return xk_fail(c, XK_EINVAL,
                       "info: NULL, or size is not that of struct "
                       "xk_formulas_info");
    const enum xk_status s = xk_formula_list_make(c, f, false, &l);
    if (s == XK_OK) {
        *info = (struct xk_formulas_info){.size = sizeof(*info)};
        fill_info(&l, info);
    }
    xk_formula_list_fini(&l);
    return s;
}

enum xk_status xk_formulas_query(const struct xk_formulas *f,
                                 struct xk_formulas_info *info,
                                 struct xk_error *err)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    if (c)
        query(c, f, info);
    return xk_gen_finish(c, err);
}

static enum xk_status complete_formulas(xk_ctx *c, const char *text, char *out,
                                        size_t out_size, size_t *n)
{
    struct xk_formula_list l;
    struct xk_str s;
    const struct xk_formulas f = {.size = sizeof(f),
                                  .platform = XK_PLATFORM_XEHPG,
                                  .n = 1,
                                  .text = &text};
    if (!n || (out_size && !out))
        return xk_fail(c, XK_EINVAL, "formula: %s is NULL", n ? "out" : "n");
    xk_str_init(&s, &c->alloc);
    if (xk_formula_list_make(c, &f, false, &l) == XK_OK) {
        xk_formula_print(&l.said[0], &s);
        *n = s.len;
        if (out_size)
            snprintf(out, out_size, "%s", xk_str_get(&s));
        if (s.failed)
            xk_fail(c, XK_ENOMEM, "formula: out of memory");
    }
    xk_formula_list_fini(&l);
    xk_str_fini(&s);
    return xk_ctx_status(c);
}

enum xk_status xk_formula_complete(const char *text, char *out, size_t out_size,
                                   size_t *n, struct xk_error *err)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    if (c)
        complete_formulas(c, text, out, out_size, n);
    return xk_gen_finish(c, err);
}
