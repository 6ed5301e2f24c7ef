/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/timing_lab.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm.h"
#include "sim/watch.h"

static const struct {
    const char *platform, *end;
} ends[] = {
    {"xelp", "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}\n"},
    {"xehpg", "(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}\n"},
    {"xehpc", "(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}\n"},
};

static char *whole_text(const struct timing_job *j)
{
    const char *end = NULL;
    for (size_t k = 0; k < XK_COUNTOF(ends); k++)
        if (!strcmp(ends[k].platform, j->platform))
            end = ends[k].end;
    ck_assert(end != NULL);
    char *const all = malloc(strlen(j->text) + strlen(end) + 1);
    ck_assert(all != NULL);
    strcpy(all, j->text);
    return strcat(all, end);
}

static xk_sim_kernel *make_kernel(const struct timing_job *j)
{
    const struct xk_platform *const p = xk_platform_find(j->platform);
    struct xk_zkernel z = {.name = "timing",
                           .simd = j->simd ? j->simd : 16,
                           .grf_count = j->grf ? j->grf : 128,
                           .slm_b = j->slm_b,
                           .barriers = j->barriers};
    struct xk_error err = {.message = ""};
    char *const text = whole_text(j);
    const struct xk_asm_source source = {text, strlen(text), "timing"};
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_sim_kernel *k;
    uint8_t *code = NULL;
    ck_assert(p && c);
    ck_assert_msg(xk_assemble_text(c, p, &source, false, &code, &z.code_b) >= 0,
                  "%s: %s", j->platform, c->error.message);
    z.code = code;
    ck_assert_msg(xk_sim_kernel_create(NULL, p, &z, &k, &err) == XK_OK, "%s",
                  err.message);
    xk_free(c, code);
    xk_ctx_destroy(c);
    free(text);
    return k;
}

static void take(void *user, const struct xk_timing *t)
{
    struct timing_answer *const a = user;
    if (t->error && strstr(t->error, "out of memory"))
        a->status = XK_ENOMEM;
    ck_assert_msg(!t->error || a->status == XK_ENOMEM, "%s", t->error);
    a->all_cycles = t->cycles;
    a->efficiency = t->efficiency;
    a->time_us = t->time_us;
    a->model_s = t->model_s;
    a->sampling_error = t->sampling_error;
    a->loop = t->loop;
}

static void look(const struct xk_timing_record *r, struct timing_answer *a)
{
    struct xk_error err = {.message = ""};
    struct xk_tm_result x;
    a->status = xk_timing_core_run(r, r->m, &x, &err);
    ck_assert_msg(a->status == XK_OK || a->status == XK_ENOMEM, "%s",
                  err.message);
    a->cycles = x.cycles;
    a->units = x.units;
    a->instructions = x.instructions;
    a->traffic = x.traffic;
    memcpy(a->at, x.at, sizeof a->at);
    for (uint32_t k = 0; x.group_end && k < r->n_traced && k < TIMING_ENDS; k++)
        a->end[k] = x.group_end[k];
    xk_tm_result_fini(r, &x);
    if (a->status == XK_OK)
        xk_timing_tell(r, 1, false, take, a);
}

struct timing_answer timing_run(const struct timing_job *j)
{
    struct timing_answer a = {0};
    struct xk_error err = {.message = ""};
    xk_sim_kernel *const k = make_kernel(j);
    const struct xk_simulate_opts none = {.checks = NULL};
    const uint64_t args[8] = {TIMING_MEMORY_VA, j->memory_b};
    struct xk_sim_region region = {TIMING_MEMORY_VA, j->memory_b, j->memory, 0};
    struct xk_sim_timing x = {.n = 1};
    struct xk_timing_record *const r = &x.record[0];
    struct xk_timing_product *const m = &x.on[0];
    const struct xk_sim_watch w = {.opts = &none,
                                   .timing = j->plain ? NULL : &x};
    struct xk_sim_dispatch d = {.kernel = k,
                                .groups = {j->groups ? j->groups : 1, 1, 1},
                                .simd = j->simd ? j->simd : 16,
                                .n_threads = j->threads ? j->threads : 1,
                                .cross_data = (const uint8_t *)args,
                                .cross_data_b =
                                    xk_platform_find(j->platform)->grf_b,
                                .slm_b = j->slm_b,
                                .n_barriers = j->barriers,
                                .regions = &region,
                                .n_regions = j->memory != NULL,
                                .n_host_threads = 1,
                                .watch = &w};
    d.last_mask = d.simd == 32 ? UINT32_MAX : (1u << d.simd) - 1;
    xk_sim_dispatch_habits(&d);
    *m = j->product ? *j->product
                    : *xk_timing_product_of(xk_platform_find(j->platform)->id);
    if (!j->fetches)
        m->fetch = XK_TM_FREE;
    xk_timing_record_init(r, m, j->alloc);
    r->waves_wanted = j->waves;
    a.status = xk_sim_dispatch(&d, NULL, &err);
    ck_assert_msg(a.status == XK_OK || (j->alloc && a.status == XK_ENOMEM),
                  "%s", err.message);
    if (!j->plain && a.status == XK_OK)
        look(r, &a);
    ck_assert(a.status == XK_OK || j->alloc);
    xk_timing_record_fini(r);
    xk_sim_kernel_destroy(k);
    return a;
}

char *timing_repeat(const char *line, unsigned n, unsigned first, unsigned step,
                    unsigned modulo)
{
    char *text = NULL;
    size_t text_b = 0;
    FILE *const f = open_memstream(&text, &text_b);
    ck_assert(f != NULL);
    for (unsigned k = 0; k < n; k++) {
        const unsigned r = first + step * k % modulo;
        for (const char *s = line; *s; s++)
            if (s[0] == '%' && s[1] == 'u') {
                fprintf(f, "%u", r);
                s++;
            } else {
                fputc(*s, f);
            }
    }
    fclose(f);
    return text;
}

uint32_t timing_slots(const char *platform)
{
    const struct xk_timing_product *const m =
        xk_timing_product_of(xk_platform_find(platform)->id);
    return m->xves * m->threads;
}
