/* SPDX-License-Identifier: Apache-2.0 */
/* What the user sees: a line a problem, progress on a terminal's stderr, the
 * closing line, and the exit code. */
#include <inttypes.h>
#include <string.h>

#include "tools/xkbench/bench.h"

static const char *const state_names[XK_N_STATES] = {
    "LISTED",   "SKIPPED", "INVALID_ARGUMENTS", "UNIMPLEMENTED", "INITIALIZED",
    "EXECUTED", "PASSED",  "MISTRUSTED",        "FAILED",
};

const char *xk_bench_state_name(enum xk_bench_state s)
{
    return state_names[s];
}

void xk_bench_progress(struct xk_bench *b, const struct xk_bench_problem *p)
{
    if (b->progress)
        fprintf(stderr, "\r\033[K%" PRIu64 ": %.70s", b->n_tests, p->text);
}

static void print_template(struct xk_bench *b, const struct xk_bench_problem *p,
                           const struct xk_bench_result *r)
{
    const char *const text = xk_bench_template_text(b->perf_template);
    if (!b->template_shown)
        printf("Output template: %s\n", text);
    b->template_shown = true;
    xk_bench_template_print(text, p, r, stdout);
}

/* Mode P always prints it, C, R and I what was asked for. */
static bool has_template(const struct xk_bench *b,
                         const struct xk_bench_problem *p,
                         const struct xk_bench_result *r)
{
    if (r->state != XK_EXECUTED && r->state != XK_PASSED &&
        r->state != XK_INITIALIZED)
        return false;
    return p->mode == 'P' || strcmp(b->perf_template, "def") != 0;
}

void xk_bench_report(struct xk_bench *b, const struct xk_bench_problem *p,
                     const struct xk_bench_result *r)
{
    if (b->progress)
        fputs("\r\033[K", stderr);
    fflush(stderr);
    if (p->mode != 'P' || r->state != XK_EXECUTED) {
        printf("%" PRIu64 ":%s", b->n_tests, state_names[r->state]);
        if (r->reason[0])
            printf(" (%s)", r->reason);
        else if (r->state != XK_LISTED)
            printf(" (%" PRIu64 " ms)", r->wall_ns / 1000000);
        if (r->hashed)
            printf(" hash:%016" PRIx64, r->hash);
        printf(" __REPRO: %s\n", p->repro);
    }
    if (has_template(b, p, r))
        print_template(b, p, r);
    b->n_tests++;
    b->count[r->state]++;
}

void xk_bench_close(const struct xk_bench *b)
{
    const uint64_t *const n = b->count;
    printf("tests:%" PRIu64 " passed:%" PRIu64 " skipped:%" PRIu64
           " mistrusted:%" PRIu64 " unimplemented:%" PRIu64
           " invalid_arguments:%" PRIu64 " failed:%" PRIu64 " listed:%" PRIu64
           "\n",
           b->n_tests, n[XK_PASSED] + n[XK_EXECUTED] + n[XK_INITIALIZED],
           n[XK_SKIPPED], n[XK_MISTRUSTED], n[XK_UNIMPLEMENTED],
           n[XK_INVALID_ARGUMENTS], n[XK_FAILED], n[XK_LISTED]);
}

int xk_bench_exit_code(const struct xk_bench *b)
{
    const uint64_t *const n = b->count;
    if (n[XK_FAILED] || n[XK_UNIMPLEMENTED] || n[XK_INVALID_ARGUMENTS])
        return 1;
    return n[XK_SKIPPED] == b->n_tests ? 77 : 0; /* also with none */
}
