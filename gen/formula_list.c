/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/formula_list.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "gen/target.h"
#include "views/access.h"
#include "views/formula.h"

/* The k-th operand of a formula: A, B, C, then right-hand sides; NULL behind
 * the last. */
static const struct xk_access *operand(const struct xk_contraction *p,
                                       unsigned k)
{
    const struct xk_access *const all[] = {&p->a, &p->b, &p->c};
    if (k < XK_COUNTOF(all))
        return all[k];
    k -= (unsigned)XK_COUNTOF(all);
    return k < p->n_inputs ? &p->input[k] : NULL;
}

static struct xk_formula_role *find_role(const struct xk_formula_list *l,
                                         const char *name)
{
    for (unsigned i = 0; i < l->n_tensors; i++)
        if (strcmp(l->tensor[i].access->name, name) == 0)
            return &l->tensor[i];
    return NULL;
}

static enum xk_status make_role_tensor(struct xk_formula_list *l,
                                       struct xk_formula_role *t, unsigned i)
{
    if (t->maker >= 0)
        return xk_fail(l->c, XK_EINVAL, "tensor %s: formula %d makes it, too",
                       t->access->name, t->maker + 1);
    if (t->first < i)
        return xk_fail(l->c, XK_EINVAL,
                       "tensor %s: formula %u reads it before it is made",
                       t->access->name, t->first + 1);
    t->maker = (int)i;
    return XK_OK;
}

static enum xk_status read_tensor(struct xk_formula_list *l,
                                  struct xk_formula_role *t, unsigned i)
{
    if (t->maker == (int)i)
        return xk_fail(l->c, XK_EINVAL,
                       "tensor %s: the formula that makes it reads it",
                       t->access->name);
    t->scratch = t->maker >= 0;
    return XK_OK;
}

/* The k-th operand of formula i takes its role. */
static enum xk_status take_operand_role(struct xk_formula_list *l, unsigned i,
                                        unsigned k)
{
    const struct xk_access *const a = operand(&l->said[i], k);
    struct xk_formula_role *t = find_role(l, a->name);
    if (!t) {
        t = &l->tensor[l->n_tensors++];
        *t = (struct xk_formula_role){.access = a, .first = i, .maker = -1};
    }
    if (!xk_layout_eq(&t->access->layout, &a->layout))
        return xk_fail(l->c, XK_EINVAL,
                       "tensor %s: its type, dims or layout are not those of "
                       "formula %u",
                       a->name, t->first + 1);
    return k == 2 ? make_role_tensor(l, t, i) : read_tensor(l, t, i);
}

static enum xk_status too_many(const struct xk_formula_list *l)
{
    return xk_fail(l->c, XK_EUNSUPPORTED,
                   "formulas: with those of classes, and that clear tensors, "
                   "there are more than %d launches",
                   XK_MAX_LAUNCHES);
}

static enum xk_status add_formula(struct xk_formula_list *l, unsigned i,
                                  const struct xk_formulas *f, bool addresses)
{
    struct xk_contraction *const p = &l->said[i];
    const struct xk_platform *const on =
        xk_platform_get((enum xk_platform_id)f->platform);
    if (!f->text[i])
        return xk_fail(l->c, XK_EINVAL, "the text is NULL");
    XK_TRY(xk_formula_parse(l->c, &l->arena, f->text[i], p));
    XK_TRY(xk_contraction_close(l->c, p));
    XK_TRY(xk_contraction_join_classes(l->c, p, XK_MAX_LAUNCHES));
    XK_TRY(xk_contraction_launches_make(l->c, &l->arena, on, p, addresses,
                                        &l->made[i]));
    l->n_launches += l->made[i].n;
    if (l->n_launches > XK_MAX_LAUNCHES)
        return too_many(l);
    for (unsigned k = 0; operand(&l->said[i], k); k++)
        XK_TRY(take_operand_role(l, i, k));
    return XK_OK;
}

/* Says which of several formulas it was. */
static enum xk_status in_formula(xk_ctx *c, unsigned i, enum xk_status status)
{
    const struct xk_error e = c->error;
    xk_ctx_clear(c);
    return xk_fail(c, status, "formula %u: %.470s", i + 1, e.message);
}

static void add_tensor_arg(struct xk_formula_list *l, struct xk_formula_role *t)
{
    struct xk_program_arg_info *const a = &l->arg[l->n_args];
    t->number = (uint8_t)l->n_args;
    snprintf(a->name, sizeof(a->name), "%s", t->access->name);
    a->number = l->n_args++;
    a->size_b = (uint64_t)xk_layout_size_b(&t->access->layout);
    a->written = t->maker >= 0;
}

/* A sum adds to what C held: that is the caller's to give. */
static enum xk_status check_accumulation(struct xk_formula_list *l)
{
    for (unsigned i = 0; i < l->n; i++) {
        const struct xk_contraction *const p = &l->said[i];
        const struct xk_formula_role *const t = find_role(l, p->c.name);
        for (unsigned k = 0; k < p->n_epi; k++)
            if (t->scratch && xk_epi_reads_old(&p->epi[k]))
                return xk_fail(l->c, XK_EINVAL,
                               "tensor %s: a sum reads what nobody has written",
                               p->c.name);
    }
    return XK_OK;
}

static enum xk_status number_tensors(struct xk_formula_list *l)
{
    for (unsigned i = 0; i < l->n_tensors; i++) {
        struct xk_formula_role *const t = &l->tensor[i];
        if ((t->scratch ? l->n_scratch == XK_MAX_SCRATCH
                        : l->n_args == XK_MAX_LAUNCH_ARGS))
            return xk_fail(l->c, XK_EUNSUPPORTED,
                           "tensor %s: there are more than %d %s",
                           t->access->name,
                           t->scratch ? XK_MAX_SCRATCH : XK_MAX_LAUNCH_ARGS,
                           t->scratch ? "tensors between formulas"
                                      : "tensors that the caller gives");
        if (!t->scratch) {
            add_tensor_arg(l, t);
            continue;
        }
        t->number = (uint8_t)l->n_scratch;
        l->scratch_b[l->n_scratch++] = xk_layout_size_b(&t->access->layout);
    }
    return XK_OK;
}

/* Binds the arguments of a formula's launches by name. */
static enum xk_status bind_launches(struct xk_formula_list *l, unsigned i)
{
    const struct xk_contraction *const p = &l->said[i];
    struct xk_contraction_launches *const to = &l->made[i];
    struct xk_bind *const bind =
        xk_arena_alloc(&l->arena, XK_FORMULA_OPERANDS * sizeof(*bind));
    unsigned n = 0;
    if (!bind)
        return XK_ENOMEM;
    for (; operand(p, n); n++) {
        const struct xk_formula_role *const t =
            find_role(l, operand(p, n)->name);
        struct xk_bind *const b = &bind[n];
        snprintf(b->name, sizeof(b->name), "%s", t->access->name);
        b->binding = t->scratch ? XK_BIND_SCRATCH : XK_BIND_TENSOR;
        b->number = t->number;
    }
    for (unsigned k = 0; k < to->n; k++) {
        to->launch[k].bind = bind;
        to->launch[k].n_binds = n;
    }
    return XK_OK;
}

/* Whether an index alone is all of C's dim d. */
static bool is_whole_dim(const struct xk_contraction *p, unsigned d)
{
    bool whole = p->c.layout.dim[d] == 1;
    for (unsigned i = 0; i < p->n_index; i++)
        whole |= xk_access_dim_of(&p->c, i) == (int)d &&
                 p->index[i].extent == p->c.layout.dim[d];
    return whole;
}

/* Whether the launches of a formula write every byte of C's memory. */
static bool writes_all(const struct xk_contraction *p)
{
    bool all = !p->n_class_dims && !xk_access_leaves(p, &p->c) &&
               xk_contraction_pads(p);
    for (unsigned d = 0; d < p->c.layout.n_dims; d++)
        all = all && is_whole_dim(p, d);
    return all;
}

/* What a later formula reads of a tensor and nobody writes is 0, padding too.
 */
static enum xk_status find_cleared(struct xk_formula_list *l)
{
    for (unsigned i = 0; i < l->n; i++) {
        const struct xk_contraction *const p = &l->said[i];
        l->cleared[i] = find_role(l, p->c.name)->scratch && !writes_all(p);
        l->n_launches += l->cleared[i];
    }
    return l->n_launches > XK_MAX_LAUNCHES ? too_many(l) : XK_OK;
}

static enum xk_status clear_launch(struct xk_formula_list *l, unsigned i,
                                   struct xk_launch *out)
{
    const struct xk_access *const a = &l->said[i].c;
    struct xk_bind *const bind = xk_arena_alloc(&l->arena, sizeof(*bind));
    if (!bind)
        return XK_ENOMEM;
    *bind = (struct xk_bind){.name = "dst",
                             .binding = XK_BIND_SCRATCH,
                             .number = find_role(l, a->name)->number};
    *out =
        (struct xk_launch){.kind = XK_LAUNCH_FILL,
                           .u.fill = {.size_b = xk_layout_size_b(&a->layout)},
                           .n_binds = 1,
                           .bind = bind};
    snprintf(out->name, sizeof(out->name), "xk_%s_clear", a->name);
    return XK_OK;
}

/* All launches in their order. */
static enum xk_status make_launches(struct xk_formula_list *l)
{
    unsigned n = 0;
    l->launch = xk_arena_alloc(&l->arena, l->n_launches * sizeof(*l->launch));
    XK_TRY(xk_ctx_status(l->c));
    for (unsigned i = 0; i < l->n; i++) {
        XK_TRY(bind_launches(l, i));
        if (l->cleared[i])
            XK_TRY(clear_launch(l, i, &l->launch[n++]));
        for (unsigned k = 0; k < l->made[i].n; k++)
            l->launch[n++] = l->made[i].launch[k];
    }
    return XK_OK;
}

/* A caller that was compiled before there was a device gives none. */
static enum xk_status check_formulas(xk_ctx *c, const struct xk_formulas *f,
                                     struct xk_wa_device *device)
{
    if (!f || (f->size != sizeof(*f) &&
               f->size != offsetof(struct xk_formulas, device)))
        return xk_fail(c, XK_EINVAL,
                       "formulas: NULL, or size is not that of struct "
                       "xk_formulas");
    if (!f->text)
        return xk_fail(c, XK_EINVAL, "formulas: text is NULL");
    if (!f->n || f->n > XK_MAX_LAUNCHES)
        return xk_fail(c, XK_EINVAL, "formulas: %u of them, need 1 to %d", f->n,
                       XK_MAX_LAUNCHES);
    XK_TRY(xk_target_of(c, f->platform,
                        f->size == sizeof(*f) ? f->device : NULL, device));
    if (f->platform != XK_PLATFORM_XEHPG)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "platform=%s is not implemented, only xehpg is",
                       xk_platform_get((enum xk_platform_id)f->platform)->name);
    return XK_OK;
}

static enum xk_status make(struct xk_formula_list *l,
                           const struct xk_formulas *f, bool addresses)
{
    XK_TRY(check_formulas(l->c, f, &l->device));
    const unsigned operands = f->n * XK_FORMULA_OPERANDS;
    l->said = xk_arena_alloc(&l->arena, f->n * sizeof(*l->said));
    l->made = xk_arena_alloc(&l->arena, f->n * sizeof(*l->made));
    l->cleared = xk_arena_alloc(&l->arena, f->n * sizeof(*l->cleared));
    l->tensor = xk_arena_alloc(&l->arena, operands * sizeof(*l->tensor));
    l->arg = xk_arena_alloc(&l->arena, XK_MAX_LAUNCH_ARGS * sizeof(*l->arg));
    XK_TRY(xk_ctx_status(l->c));
    for (; l->n < f->n; l->n++) {
        const enum xk_status s = add_formula(l, l->n, f, addresses);
        if (s < 0)
            return f->n > 1 ? in_formula(l->c, l->n, s) : s;
    }
    XK_TRY(check_accumulation(l));
    XK_TRY(number_tensors(l));
    XK_TRY(find_cleared(l));
    return make_launches(l);
}

enum xk_status xk_formula_list_make(xk_ctx *c, const struct xk_formulas *f,
                                    bool addresses, struct xk_formula_list *out)
{
    memset(out, 0, sizeof(*out));
    out->c = c;
    xk_arena_init(&out->arena, c);
    return make(out, f, addresses);
}

void xk_formula_list_fini(struct xk_formula_list *l)
{
    if (l->c)
        xk_arena_fini(&l->arena);
}

struct xk_launches xk_formula_list_launches(const struct xk_formula_list *l)
{
    return (struct xk_launches){.n_args = l->n_args,
                                .n_scratch = l->n_scratch,
                                .n = l->n_launches,
                                .args = l->arg,
                                .scratch_b = l->scratch_b,
                                .at = l->launch};
}
