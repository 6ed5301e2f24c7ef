/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/make_launches.h"

#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "base/launch_list.h"
#include "gen/program.h"

/* Work (base/budget.h) on a program's kernels before their last resorts, about
 * 9 ms on the machine of docs/measurements.md, and what is left of it for each
 * that comes later: a small tile's. */
#define MOST_WORK 48000
#define LATER_WORK 3000

/* While a program is made: for each launch its kernel and its place. */
struct maker {
    struct xk_gen *g;
    const struct xk_launches *l;
    struct xk_made_kernel *kernel;
    struct xk_zebin_kernel *placed;
    struct xk_launch_step *step;
    struct xk_launch_arg_info *arg; /* of all launches */
    struct xk_scratch_info scratch[XK_MAX_SCRATCH];
    struct xk_launch_list list;
    struct xk_str zebin;
};

static enum xk_status make_flat(struct xk_gen *g, struct xk_flat_nest *n,
                                bool surfaces, struct xk_made_kernel *out)
{
    const struct xk_kernel_job job = {
        .ir = &n->kernel,
        .written = "dst",
        .threads = n->threads,
        .groups = {n->groups[0], n->groups[1], n->groups[2]},
        .grf_count = 128,
        .surfaces = surfaces};
    return xk_kernel_make(g, &job, out);
}

/* Kernels of classes in the contractions of launches from number `first` on. */
static uint32_t count_contracted(const struct xk_launches *l, unsigned first)
{
    uint32_t n = 0;
    for (unsigned i = first; i < l->n; i++)
        if (l->at[i].kind == XK_LAUNCH_CONTRACT)
            n += 1 + l->at[i].u.contract.n_more;
    return n;
}

/* What a contraction's launch may take: what the program has left but for what
 * later ones need, or its share of that if it is more, or a small tile's. */
static uint32_t work_of_launch(const struct maker *m, unsigned i)
{
    const uint32_t own = 1 + m->l->at[i].u.contract.n_more;
    const uint32_t later = count_contracted(m->l, i + 1);
    const uint32_t done = xk_budget_spent(m->g->c);
    const uint32_t left = done < MOST_WORK ? MOST_WORK - done : 0;
    const uint32_t share = left / (own + later) * own;
    const uint32_t kept = later * LATER_WORK;
    uint32_t work = own * LATER_WORK;
    work = work < share ? share : work;
    return left > kept && work < left - kept ? left - kept : work;
}

static enum xk_status make_launch_kernel(struct maker *m, unsigned i)
{
    struct xk_gen *const g = m->g;
    const struct xk_launch *const l = &m->l->at[i];
    const bool surfaces = !m->l->addresses;
    struct xk_flat_nest nest;
    switch ((enum xk_launch_kind)l->kind) {
    case XK_LAUNCH_CONTRACT:
        g->work = work_of_launch(m, i);
        return xk_contract_make(g, &l->u.contract, l->name, &m->kernel[i]);
    case XK_LAUNCH_FILL:
        XK_TRY(xk_lower_fill(g->c, &l->u.fill, l->name, surfaces, &nest));
        return make_flat(g, &nest, surfaces, &m->kernel[i]);
    case XK_LAUNCH_REDUCE:
        XK_TRY(xk_lower_reduce(g->c, &l->u.reduce, l->name, surfaces, &nest));
        return make_flat(g, &nest, surfaces, &m->kernel[i]);
    case XK_LAUNCH_SUMS:
        XK_TRY(xk_lower_sums(g->c, &l->u.sums, l->name, surfaces, &nest));
        return make_flat(g, &nest, surfaces, &m->kernel[i]);
    case XK_LAUNCH_COPY:
        XK_TRY(xk_lower_copy(g->c, l->u.copy, l->name, surfaces, &nest));
        return make_flat(g, &nest, surfaces, &m->kernel[i]);
    case XK_LAUNCH_IR:
        return xk_kernel_make(g, &l->u.ir, &m->kernel[i]);
    }
    return xk_fail(g->c, XK_EINVAL, "launch %u: kind %u", i, l->kind);
}

static const struct xk_bind *find_bind(const struct xk_launch *l,
                                       const char *name)
{
    for (unsigned i = 0; i < l->n_binds; i++)
        if (strcmp(l->bind[i].name, name) == 0)
            return &l->bind[i];
    return NULL;
}

static bool nest_bind(const struct xk_nest *n, const char *name,
                      struct xk_bind *out)
{
    const struct xk_operand_view *v[3 + XK_MAX_INPUTS] = {&n->a, &n->b, &n->c};
    for (unsigned i = 0; i < n->n_inputs; i++)
        v[3 + i] = &n->input[i];
    for (unsigned i = 0; i < 3u + n->n_inputs; i++)
        if (strcmp(v[i]->name, name) == 0) {
            *out = (struct xk_bind){.binding = v[i]->by_value ? XK_BIND_VALUE
                                                              : XK_BIND_TENSOR,
                                    .number = v[i]->arg};
            return true;
        }
    return false;
}

/* A tensor that is copied is its copy. */
static void bind_copy(const struct maker *m, const struct xk_launch *l,
                      struct xk_bind *b)
{
    if (!m->l->copy_of || l->kind == XK_LAUNCH_COPY ||
        b->binding != XK_BIND_TENSOR || m->l->copy_of[b->number] < 0)
        return;
    b->binding = XK_BIND_SCRATCH;
    b->number = (uint8_t)m->l->copy_of[b->number];
}

/* What argument `a` of a launch's kernel takes. */
static enum xk_status bind_arg(struct maker *m, unsigned i,
                               const struct xk_abi_arg *a,
                               struct xk_launch_arg_info *out)
{
    const struct xk_launch *const l = &m->l->at[i];
    const struct xk_bind *const row = find_bind(l, a->name);
    struct xk_bind b;
    if (row)
        b = *row;
    else if (l->kind != XK_LAUNCH_CONTRACT ||
             !nest_bind(l->u.contract.nest, a->name, &b))
        return xk_fail(m->g->c, XK_EINVAL,
                       "launch %u, %s: nothing says what argument %s takes", i,
                       l->name, a->name);
    bind_copy(m, l, &b);
    memset(out, 0, sizeof(*out));
    memcpy(out->name, a->name, sizeof(out->name));
    out->tensor = b.binding == XK_BIND_TENSOR ? b.number : UINT32_MAX;
    out->binding = b.binding;
    out->number = b.binding == XK_BIND_CONSTANT ? 0 : b.number;
    out->size_b = a->kind == XK_ABI_ARG_VALUE ? a->size_b : 0;
    out->bits = b.binding == XK_BIND_CONSTANT ? b.bits : 0;
    return XK_OK;
}

/* Rows for arguments that the kernel does not have hide a mistake. */
static enum xk_status check_binds(struct maker *m, unsigned i)
{
    const struct xk_launch *const l = &m->l->at[i];
    const struct xk_abi *const abi = &m->kernel[i].abi;
    for (unsigned k = 0; k < l->n_binds; k++) {
        bool found = false;
        for (uint32_t a = 0; a < abi->n_args; a++)
            found |= strcmp(l->bind[k].name, abi->args[a].name) == 0;
        if (!found)
            return xk_fail(m->g->c, XK_EINVAL,
                           "launch %u, %s: it has no argument %.31s", i,
                           l->name, l->bind[k].name);
    }
    return XK_OK;
}

static enum xk_status add_launch(struct maker *m, unsigned i)
{
    const struct xk_made_kernel *const k = &m->kernel[i];
    struct xk_launch_step *const s = &m->step[i];
    struct xk_launch_arg_info *const args =
        m->arg + (size_t)i * XK_ABI_MAX_ARGS;
    memcpy(s->kernel, k->abi.name, sizeof(s->kernel));
    memcpy(s->groups, k->groups, sizeof(s->groups));
    memcpy(s->local, k->abi.local, sizeof(s->local));
    s->n_args = k->abi.n_args;
    s->args = args;
    for (uint32_t a = 0; a < s->n_args; a++)
        XK_TRY(bind_arg(m, i, &k->abi.args[a], &args[a]));
    m->placed[i] = (struct xk_zebin_kernel){
        .abi = &k->abi, .code = k->code.s, .code_b = (uint32_t)k->code.len};
    return check_binds(m, i);
}

void xk_launches_scratch(const struct xk_launches *l,
                         struct xk_scratch_info *each,
                         struct xk_launch_list *out)
{
    const uint64_t align_b = XK_PART_ALIGN_B;
    uint64_t end_b = 0;
    for (unsigned i = 0; i < l->n_scratch; i++) {
        each[i].offset_b = (end_b + align_b - 1) / align_b * align_b;
        each[i].size_b = (uint64_t)l->scratch_b[i];
        end_b = each[i].offset_b + each[i].size_b;
    }
    out->n_scratch = l->n_scratch;
    out->scratch = each;
    out->scratch_b = end_b;
    out->scratch_align_b = l->n_scratch ? XK_PART_ALIGN_B : 0;
}

static enum xk_status write_zebin(struct maker *m)
{
    const struct xk_zebin_contents z = {
        .n_kernels = m->l->n, .kernels = m->placed, .launches = &m->list};
    XK_TRY(xk_zebin_write(m->g->c, &z, &m->zebin));
    if (m->zebin.failed)
        return xk_fail(m->g->c, XK_ENOMEM, "out of memory writing the zebin");
    xk_trace_put(&m->g->trace, XK_STAGE_ZEBIN, m->zebin.s, m->zebin.len);
    return XK_OK;
}

/* 1 where nothing is said. */
static unsigned count_parts(const struct xk_launches *l)
{
    return l->n_parts > 1 ? l->n_parts : 1;
}

/* Launches of the whole program. */
static unsigned count_launches(const struct xk_launches *l)
{
    return (l->n - l->n_behind) * count_parts(l) + l->n_behind;
}

/* Where the argument of part i begins. */
static uint64_t part_begin_b(const struct xk_launches *l, unsigned i,
                             const struct xk_launch_arg_info *a)
{
    if (a->binding == XK_BIND_TENSOR)
        return l->part_at_b(l->of_parts, i, a->number);
    if (a->binding == XK_BIND_SCRATCH)
        return i * (uint64_t)l->scratch_part_b[a->number];
    return a->bits;
}

/* The launches of the other parts are those of the first, further on, and
 * stand in front of those behind all parts. */
static void repeat_launches(struct maker *m)
{
    const unsigned n = m->l->n - m->l->n_behind;
    const unsigned last = n * count_parts(m->l);
    if (count_parts(m->l) == 1)
        return;
    memmove(&m->step[last], &m->step[n], m->l->n_behind * sizeof(*m->step));
    for (unsigned i = n; i < last; i++) {
        /* Those of launches behind stay where they are. */
        struct xk_launch_arg_info *const args =
            m->arg + (size_t)(i + m->l->n_behind) * XK_ABI_MAX_ARGS;
        m->step[i] = m->step[i % n];
        memcpy(args, m->step[i].args, m->step[i].n_args * sizeof(*args));
        m->step[i].args = args;
        for (uint32_t a = 0; a < m->step[i].n_args; a++)
            args[a].bits = part_begin_b(m->l, i / n, &args[a]);
    }
}

static enum xk_status make_all(struct maker *m)
{
    struct xk_error err;
    m->list.n_args = m->l->n_args;
    m->list.args = m->l->args;
    m->list.n_launches = count_launches(m->l);
    m->list.launches = m->step;
    xk_launches_scratch(m->l, m->scratch, &m->list);
    m->g->long_e = 0;
    for (unsigned i = 0; i < m->l->n; i++) {
        xk_trace_set_launch(&m->g->trace, i);
        XK_TRY(make_launch_kernel(m, i));
        XK_TRY(add_launch(m, i));
    }
    xk_trace_set_launch(&m->g->trace, 0);
    repeat_launches(m);
    if (!m->l->n) /* nothing to do: there is no file */
        return XK_OK;
    if (xk_launch_list_check(&m->list, &err) < 0)
        return xk_fail(m->g->c, err.status, "%s", err.message);
    return write_zebin(m);
}

static enum xk_status make_program(struct maker *m,
                                   const struct xk_conv_info *info,
                                   const struct xk_alloc *heap,
                                   xk_program **out)
{
    struct xk_conv_info *const full = xk_malloc(m->g->c, sizeof(*full));
    if (!full)
        return XK_ENOMEM;
    *full = *info;
    full->n_launches = m->list.n_launches;
    full->scratch_b = m->list.scratch_b;
    full->scratch_align_b = m->list.scratch_align_b;
    const struct xk_program_parts parts = {.info = full,
                                           .list = &m->list,
                                           .n_kernels = m->l->n,
                                           .n_behind = m->l->n_behind,
                                           .kernel = m->kernel,
                                           .placed = m->placed,
                                           .zebin = &m->zebin,
                                           .alloc = heap};
    *out = xk_program_make(&parts);
    xk_free(m->g->c, full);
    return *out ? XK_OK
                : xk_fail(m->g->c, XK_ENOMEM,
                          "out of memory making the program");
}

static enum xk_status begin_launches(struct maker *m)
{
    xk_ctx *const c = m->g->c;
    const unsigned n = m->l->n, all = count_launches(m->l);
    if (all > XK_MAX_LAUNCHES || m->l->n_scratch > XK_MAX_SCRATCH)
        return xk_fail(c, XK_EINVAL,
                       "program: %u launches, %u scratch buffers, need at most "
                       "%d and %d",
                       all, m->l->n_scratch, XK_MAX_LAUNCHES, XK_MAX_SCRATCH);
    if (!n)
        return XK_OK;
    m->kernel = xk_calloc(c, n, sizeof(*m->kernel));
    m->placed = xk_calloc(c, n, sizeof(*m->placed));
    m->step = xk_calloc(c, all, sizeof(*m->step));
    m->arg = xk_calloc(c, (size_t)all * XK_ABI_MAX_ARGS, sizeof(*m->arg));
    for (unsigned i = 0; m->kernel && i < n; i++)
        xk_made_kernel_init(&m->kernel[i], &c->alloc);
    return xk_ctx_status(c);
}

enum xk_status xk_launches_make(struct xk_gen *g, const struct xk_launches *l,
                                const struct xk_conv_info *info,
                                const struct xk_alloc *heap, xk_program **out)
{
    struct maker m = {.g = g, .l = l};
    *out = NULL;
    xk_str_init(&m.zebin, &g->c->alloc);
    enum xk_status s = begin_launches(&m);
    if (s == XK_OK)
        s = make_all(&m);
    if (s == XK_OK)
        s = make_program(&m, info, heap, out);
    for (unsigned i = 0; m.kernel && i < l->n; i++)
        xk_made_kernel_fini(&m.kernel[i]);
    xk_free(g->c, m.kernel);
    xk_free(g->c, m.placed);
    xk_free(g->c, m.step);
    xk_free(g->c, m.arg);
    xk_str_fini(&m.zebin);
    return s;
}
