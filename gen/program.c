/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/program.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct xk_program {
    atomic_uint refs;
    struct xk_alloc alloc;
    struct xk_conv_info info;
    struct xk_launch_info launch;
    uint64_t create_ns, peak_b;
    char kernel[64], schedule[256];
    _Alignas(64) unsigned char bytes[]; /* zebin, then code */
};

static void fill_launch(xk_program *p, const struct xk_program_parts *s)
{
    struct xk_launch_info *const l = &p->launch;
    snprintf(p->kernel, sizeof(p->kernel), "%s", s->abi->name);
    memcpy(p->bytes, s->zebin->s, s->zebin->len);
    memcpy(p->bytes + s->zebin->len, s->code->s, s->code->len);
    l->kernel = p->kernel;
    l->schedule = p->schedule;
    l->zebin = p->bytes;
    l->zebin_b = s->zebin->len;
    l->code = p->bytes + s->zebin->len;
    l->code_b = s->code->len;
    l->simd = s->abi->simd;
    l->grf_count = s->abi->grf_count;
    l->slm_b = s->abi->slm_b;
    l->barriers = s->abi->barriers;
    l->threads_per_group =
        (uint32_t)s->plan->s.tg_m * s->plan->s.tg_n * s->plan->s.slices;
    l->static_instructions = s->stats.instructions;
    l->static_fma = s->stats.fma;
    l->peak_grf = s->stats.peak_grf;
    l->n_args = s->abi->n_args;
    for (unsigned i = 0; i < 3; i++) {
        l->groups[i] = s->plan->groups[i];
        l->local[i] = s->abi->local[i];
    }
    for (unsigned i = 0; i < l->n_args; i++) {
        snprintf(l->args[i].name, sizeof(l->args[i].name), "%s",
                 s->abi->args[i].name);
        l->args[i].tensor = s->arg_tensor[i];
    }
}

xk_program *xk_program_make(const struct xk_program_parts *s)
{
    const size_t n_b = sizeof(xk_program) + s->zebin->len + s->code->len;
    struct xk_str text;
    xk_program *const p = s->alloc->realloc(s->alloc->user, NULL, n_b);
    if (!p)
        return NULL;
    memset(p, 0, sizeof(*p));
    atomic_init(&p->refs, 1);
    p->alloc = *s->alloc;
    p->info = *s->info;
    fill_launch(p, s);
    xk_str_init(&text, s->alloc);
    xk_schedule_print(&s->plan->s, &text);
    snprintf(p->schedule, sizeof(p->schedule), "%s", xk_str_get(&text));
    const bool failed = text.failed;
    xk_str_fini(&text);
    if (failed) {
        xk_program_unref(p);
        return NULL;
    }
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
    if (p && atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) == 1)
        p->alloc.realloc(p->alloc.user, p, 0);
}

uint32_t xk_program_n_launches(const xk_program *p)
{
    return p ? 1 : 0;
}

const struct xk_launch_info *xk_program_launch(const xk_program *p, uint32_t i)
{
    return p && i == 0 ? &p->launch : NULL;
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
