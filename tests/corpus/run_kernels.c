/* SPDX-License-Identifier: Apache-2.0 */
/* Launches kernels through the library's device interface, as run_kernels.py
 * asks on standard input, see launch_job.h.
 * Answers `ok N`, N lines of findings, the buffers as a line of hexadecimal
 * each, or `bad STATUS MESSAGE`. Devices and the last module are kept. At the
 * end comes what coverage_print says of the instructions executed, and `end
 * COUNT`, how many they were. usage: run_kernels [CHECKS [SEED]], as in
 * xekern/simulate.h. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/corpus/launch_job.h"
#include "xekern/simulate.h"

#define MOST_FINDINGS 5

static struct {
    char path[512];
    xk_device *d;
    xk_module *m;
} last;

/* What was executed, and what the last launch was blamed for. */
static struct coverage *seen;
static unsigned long long executed;
static const struct xk_platform *platform_now;
static char code_path[512];
static struct corpus_file code;
static char findings[MOST_FINDINGS][1000];
static unsigned n_findings;
static const char *checks = "none";
static uint64_t seed;

static void count(void *user, const struct xk_simulate_inst *i)
{
    struct xk_inst in;
    struct xk_error err;
    size_t used_b;
    (void)user;
    executed += i->executed;
    if (i->executed && i->offset_b < code.n_b &&
        xk_inst_decode(platform_now, code.data + i->offset_b,
                       code.n_b - i->offset_b, &in, &used_b, &err) == XK_OK)
        coverage_take(seen, platform_now, &in);
}

static void hear(void *user, const struct xk_simulate_finding *f)
{
    (void)user;
    if (n_findings < MOST_FINDINGS)
        snprintf(findings[n_findings++], sizeof findings[0], "%s: %s", f->check,
                 f->line);
}

static xk_device *device_of(const char *platform, struct xk_error *err)
{
    const struct xk_simulate_opts look = {.checks = checks,
                                          .hazard_seed = seed,
                                          .most_findings = MOST_FINDINGS,
                                          .found = hear,
                                          .inst = count};
    xk_device *const d = job_device(platform, err);
    return d && xk_simulate_configure(d, &look, err) == XK_OK ? d : NULL;
}

static xk_module *module_of(xk_device *d, const char *path,
                            struct xk_error *err)
{
    struct corpus_file file;
    if (last.m && last.d == d && strcmp(last.path, path) == 0)
        return last.m;
    xk_module_unref(last.m);
    last.m = NULL;
    if (!job_read_file(path, &file)) {
        snprintf(err->message, sizeof err->message, "cannot read the file");
        return NULL;
    }
    xk_module_create(d, file.data, file.n_b, &last.m, err);
    free(file.data);
    last.d = d;
    snprintf(last.path, sizeof last.path, "%s", path);
    return last.m;
}

static void read_code(const char *path)
{
    if (strcmp(code_path, path) == 0)
        return;
    free(code.data);
    if (!job_read_file(path, &code))
        code.n_b = 0;
    snprintf(code_path, sizeof code_path, "%s", path);
}

static void show_buffer(const struct job *j, unsigned k)
{
    struct xk_error err;
    uint8_t *const p = malloc(j->size_b[k]);
    if (!p || xk_buffer_read(j->arg[k].buffer, 0, p, j->size_b[k], &err) < 0)
        printf("?");
    for (uint64_t i = 0; p && i < j->size_b[k]; i++)
        printf("%02x", p[i]);
    printf("\n");
    free(p);
}

static void answer(const struct job *j, enum xk_status s,
                   const struct xk_error *err)
{
    const bool done = s == XK_OK || (s == XK_EFAULT && n_findings);
    if (!done)
        printf("bad %d %s\n", s, err->message);
    else
        printf("ok %u\n", n_findings);
    for (unsigned k = 0; done && k < n_findings; k++)
        printf("%s\n", findings[k]);
    for (unsigned k = 0; done && k < j->n; k++)
        if (j->arg[k].buffer)
            show_buffer(j, k);
    fflush(stdout);
}

static void run_job(struct job *j)
{
    struct xk_error err = {.message = ""};
    platform_now = xk_platform_find(j->platform);
    n_findings = 0;
    read_code(j->code);
    xk_device *const d = device_of(j->platform, &err);
    xk_module *const m = d ? module_of(d, j->path, &err) : NULL;
    enum xk_status s = m ? XK_OK : XK_EINVAL;
    for (unsigned k = 0; s == XK_OK && k < j->n; k++)
        s = job_make_buffer(j, k, d, NULL, &err);
    if (s == XK_OK)
        s = xk_launch(m,
                      &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                               j->kernel, j->groups, j->local,
                                               j->n, j->arg},
                      NULL, &err);
    answer(j, s, &err);
}

int main(int argc, char **argv)
{
    static struct job j;
    seen = coverage_create();
    if (argc > 1)
        checks = argv[1];
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10);
    while (job_read(&j, stdin))
        run_job(&j);
    coverage_print(seen);
    printf("end %llu\n", executed);
    job_fini(&j);
    free(code.data);
    coverage_destroy(seen);
    xk_module_unref(last.m);
    return 0;
}
