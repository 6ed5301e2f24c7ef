/* SPDX-License-Identifier: Apache-2.0 */
/* What xk vgpu tells of a run: the launches, and sums for each kernel. */
#include <stdlib.h>
#include <string.h>

#include "tools/problem/words.h"
#include "tools/xk/vgpu_verb.h"

/* All launches of one code under one name. */
struct xk_vgpu_sum {
    char *kernel;
    uint64_t code_hash;
    uint64_t launches;
    struct xk_launch_stats stats;
};

enum xk_status xk_vgpu_log_init(struct xk_vgpu_log *l,
                                const struct xk_vgpu_request *r, FILE *text,
                                struct xk_error *err)
{
    *l = (struct xk_vgpu_log){.platform = r->platform,
                              .text = r->json ? NULL : text,
                              .said = json_array()};
    return xk_run_report_init(&l->report, r->stats, r->json, text, err);
}

void xk_vgpu_log_fini(struct xk_vgpu_log *l)
{
    for (size_t k = 0; k < l->n_sums; k++)
        free(l->sum[k].kernel);
    free(l->sum);
    json_decref(l->said);
    xk_run_report_fini(&l->report);
    *l = (struct xk_vgpu_log){.sum = NULL};
}

/* NULL: no memory. */
static struct xk_vgpu_sum *
find_kernel_sum(struct xk_vgpu_log *l, const char *kernel, uint64_t code_hash)
{
    for (size_t k = 0; k < l->n_sums; k++)
        if (l->sum[k].code_hash == code_hash &&
            !strcmp(l->sum[k].kernel, kernel))
            return &l->sum[k];
    if (l->n_sums == l->n_sums_max) {
        const size_t more = l->n_sums_max ? 2 * l->n_sums_max : 16;
        struct xk_vgpu_sum *const grown = realloc(l->sum, more * sizeof *grown);
        if (!grown)
            return NULL;
        l->sum = grown;
        l->n_sums_max = more;
    }
    char *const name = strdup(kernel);
    if (!name)
        return NULL;
    l->sum[l->n_sums] =
        (struct xk_vgpu_sum){.kernel = name, .code_hash = code_hash};
    return &l->sum[l->n_sums++];
}

static void add_stats(struct xk_launch_stats *to,
                      const struct xk_launch_stats *s)
{
    to->instructions += s->instructions;
    to->fma += s->fma;
    to->sends += s->sends;
    to->syncs += s->syncs;
    to->groups += s->groups;
    to->threads += s->threads;
    to->time_ns += s->time_ns;
    to->device_ns += s->device_ns;
}

void xk_vgpu_log_launched(void *user, const struct xk_virtual_launch *launch)
{
    struct xk_vgpu_log *const l = user;
    struct xk_vgpu_sum *const sum =
        find_kernel_sum(l, launch->kernel, launch->code_hash);
    if (sum) {
        sum->launches++;
        add_stats(&sum->stats, &launch->stats);
    }
    if (!l->report.stats && !l->report.findings && !l->report.timing &&
        launch->status >= 0)
        return;
    const struct xk_run_launch told = {
        .kernel = launch->kernel,
        .platform = l->platform,
        .groups = launch->groups,
        .simd = launch->simd,
        .stats = &launch->stats,
        .error = launch->status < 0 ? xk_status_str(launch->status) : NULL};
    xk_run_report_launch(&l->report, &told);
}

void xk_vgpu_log_says(void *user, const char *sentence)
{
    struct xk_vgpu_log *const l = user;
    l->n_said++;
    json_array_append_new(l->said, json_string(sentence));
    fprintf(stderr, "xk vgpu: %s\n", sentence);
}

static json_t *json_of_sum(const struct xk_vgpu_sum *s)
{
    json_t *const stats = xk_run_json_of_stats(&s->stats);
    json_object_set_new(stats, "device_ns",
                        json_integer((json_int_t)s->stats.device_ns));
    char hash[17];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->code_hash);
    return json_pack("{s:s, s:s, s:I, s:o}", "kernel", s->kernel, "code", hash,
                     "launches", (json_int_t)s->launches, "stats", stats);
}

json_t *xk_vgpu_log_json(const struct xk_vgpu_log *l)
{
    json_t *const kernels = json_array();
    for (size_t k = 0; k < l->n_sums; k++)
        json_array_append_new(kernels, json_of_sum(&l->sum[k]));
    return json_pack("{s:s, s:o, s:O, s:O, s:I}", "platform", l->platform,
                     "kernels", kernels, "launches", l->report.root, "said",
                     l->said, "findings", (json_int_t)l->report.n_findings);
}

static int longest_first(const void *a, const void *b)
{
    const struct xk_launch_stats *const x =
        &((const struct xk_vgpu_sum *)a)->stats;
    const struct xk_launch_stats *const y =
        &((const struct xk_vgpu_sum *)b)->stats;
    if (x->instructions != y->instructions)
        return x->instructions < y->instructions ? 1 : -1;
    return strcmp(((const struct xk_vgpu_sum *)a)->kernel,
                  ((const struct xk_vgpu_sum *)b)->kernel);
}

static void print_line(FILE *out, const struct xk_vgpu_sum *s)
{
    fprintf(out, "%10llu %10llu %16llu %12.3f %12.3f  %s\n",
            (unsigned long long)s->launches,
            (unsigned long long)s->stats.groups,
            (unsigned long long)s->stats.instructions,
            (double)s->stats.device_ns * 1e-3, (double)s->stats.time_ns * 1e-6,
            s->kernel);
}

void xk_vgpu_log_print(const struct xk_vgpu_log *l, FILE *out)
{
    struct xk_vgpu_sum all = {.kernel = (char *)"all"};
    fprintf(out, "%10s %10s %16s %12s %12s  kernel\n", "launches", "groups",
            "instructions", "device us", "host ms");
    if (l->n_sums)
        qsort(l->sum, l->n_sums, sizeof *l->sum, longest_first);
    for (size_t k = 0; k < l->n_sums; k++) {
        print_line(out, &l->sum[k]);
        all.launches += l->sum[k].launches;
        add_stats(&all.stats, &l->sum[k].stats);
    }
    print_line(out, &all);
    if (l->report.n_findings)
        fprintf(out, "%u finding%s\n", l->report.n_findings,
                xk_tool_s(l->report.n_findings));
}
