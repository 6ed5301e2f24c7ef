/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/program.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/launch_list.h"

struct xk_program {
    atomic_uint refs;
    struct xk_alloc alloc;
    struct xk_conv_info info;
    struct xk_launch_list *list; /* a block of its own */
    uint64_t create_ns, peak_b;
    struct xk_launch_info *launch; /* these three lie behind the struct */
    char *schedules;               /* a text a launch, each ended */
    unsigned char *zebin;
};

static size_t align8(size_t n)
{
    return (n + 7) / 8 * 8;
}

unsigned xk_program_kernel_of(const struct xk_program_parts *p, unsigned launch)
{
    const unsigned repeated = p->n_kernels - p->n_behind;
    const unsigned behind = p->list->n_launches - p->n_behind;
    return launch < behind ? launch % repeated : repeated + (launch - behind);
}

static void fill_launch(const xk_program *p, uint32_t i, const char *schedule,
                        const struct xk_program_parts *s)
{
    const unsigned number = xk_program_kernel_of(s, i);
    const struct xk_made_kernel *const k = &s->kernel[number];
    const struct xk_launch_step *const step = &p->list->launches[i];
    struct xk_launch_info *const l = &p->launch[i];
    l->kernel = step->kernel;
    l->schedule = schedule;
    l->zebin = p->zebin;
    l->zebin_b = s->zebin->len;
    l->code = p->zebin + s->placed[number].code_at_b;
    l->code_b = k->code.len;
    l->simd = k->abi.simd;
    l->grf_count = k->abi.grf_count;
    l->slm_b = k->abi.slm_b;
    l->barriers = k->abi.barriers;
    l->threads_per_group = k->threads;
    l->static_instructions = k->stats.instructions;
    l->static_fma = k->stats.fma;
    l->peak_grf = k->stats.peak_grf;
    l->n_args = step->n_args;
    l->args = step->args;
    memcpy(l->groups, step->groups, sizeof(l->groups));
    memcpy(l->local, step->local, sizeof(l->local));
}

static void fill_program(xk_program *p, const struct xk_program_parts *s)
{
    char *at = p->schedules;
    if (s->zebin->len)
        memcpy(p->zebin, s->zebin->s, s->zebin->len);
    for (uint32_t i = 0; i < p->list->n_launches; i++) {
        const struct xk_str *const text =
            &s->kernel[xk_program_kernel_of(s, i)].schedule;
        memcpy(at, xk_str_get(text), text->len + 1);
        fill_launch(p, i, at, s);
        at += text->len + 1;
    }
}

xk_program *xk_program_make(const struct xk_program_parts *s)
{
    const uint32_t n = s->list->n_launches;
    const size_t launches_b = n * sizeof(struct xk_launch_info);
    size_t texts_b = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct xk_str *const text =
            &s->kernel[xk_program_kernel_of(s, i)].schedule;
        texts_b += text->len + 1;
        if (text->failed)
            return NULL;
    }
    const size_t n_b =
        align8(sizeof(xk_program)) + launches_b + s->zebin->len + texts_b;
    xk_program *const p = s->alloc->realloc(s->alloc->user, NULL, n_b);
    struct xk_launch_list *const list =
        p ? xk_launch_list_copy(s->alloc, s->list) : NULL;
    if (!list) {
        if (p)
            s->alloc->realloc(s->alloc->user, p, 0);
        return NULL;
    }
    memset(p, 0, n_b);
    atomic_init(&p->refs, 1);
    p->alloc = *s->alloc;
    p->info = *s->info;
    p->list = list;
    p->launch = (struct xk_launch_info *)(void *)((char *)p +
                                                  align8(sizeof(xk_program)));
    p->zebin = (unsigned char *)p->launch + launches_b;
    p->schedules = (char *)p->zebin + s->zebin->len;
    fill_program(p, s);
    return p;
}

void xk_program_set_cost(xk_program *p, uint64_t ns, uint64_t peak_b)
{
    p->create_ns = ns;
    p->peak_b = peak_b;
}

xk_program *xk_program_ref(xk_program *p)
{
    if (p)
        atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
    return p;
}

void xk_program_unref(xk_program *p)
{
    if (!p || atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) != 1)
        return;
    p->alloc.realloc(p->alloc.user, p->list, 0);
    p->alloc.realloc(p->alloc.user, p, 0);
}

uint32_t xk_program_n_launches(const xk_program *p)
{
    return p ? p->list->n_launches : 0;
}

const struct xk_launch_info *xk_program_launch(const xk_program *p, uint32_t i)
{
    return i < xk_program_n_launches(p) ? &p->launch[i] : NULL;
}

const struct xk_launch_list *xk_program_launches(const xk_program *p)
{
    return p ? p->list : NULL;
}

const struct xk_conv_info *xk_program_info(const xk_program *p)
{
    return p ? &p->info : NULL;
}

uint64_t xk_program_create_ns(const xk_program *p)
{
    return p ? p->create_ns : 0;
}

uint64_t xk_program_peak_b(const xk_program *p)
{
    return p ? p->peak_b : 0;
}
