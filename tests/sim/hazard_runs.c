/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the generator, executed: nothing to be found by the strict rules,
 * the same results whatever the latencies are; and each of their annotations
 * taken away or weakened in turn is found if the enumerator of tests/scoreboard
 * calls it harmful and the executed way passes there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/hazard_change.h"
#include "tests/sim/hazard_conv.h"
#include "tests/sim/hazard_tests.h"
#include "tests/sim/hazard_walk.h"

#define MAX_INST 4096
#define MAX_WAY 20000
#define N_SEEDS 4
#define TRY_EACH 8 /* harmful mutants: with late results, too */

static const struct conv convs[] = {
    {"mb1ic16ih8oc16oh8kh3ph1", XK_F32, XK_F32, XK_F32},
    {"mb1ic32ih8oc32oh8kh1", XK_F16, XK_F16, XK_F16},
    {"mb1ic32ih8oc32oh8kh3ph1", XK_F16, XK_F16, XK_F16},
    {"mb1ic32ih8oc32oh8kh1", XK_U8, XK_S8, XK_U8},
};

static void print_found(void *user, const struct xk_simulate_finding *f)
{
    unsigned *const n = user;
    if (!(*n)++)
        printf("# %s\n", f->line);
}

static void count_found(void *user, const struct xk_simulate_finding *f)
{
    unsigned *const n = user;
    *n += !strcmp(f->check, "hazard");
}

START_TEST(clean_kernels_have_no_finding)
{
    unsigned n = 0;
    const struct xk_simulate_opts o = {.checks = "hazard",
                                       .hazard_strict = true,
                                       .found = print_found,
                                       .user = &n};
    struct conv_lab x;
    conv_open(&x, &convs[_i]);
    ck_assert_msg(conv_run(&x, &o, NULL) == XK_OK, "%s", x.err.message);
    ck_assert_uint_eq(n, 0);
    conv_close(&x);
}
END_TEST

START_TEST(results_do_not_depend_on_latencies)
{
    uint32_t plain = 0, sum = 0;
    struct conv_lab x;
    conv_open(&x, &convs[_i]);
    ck_assert_msg(conv_run(&x, NULL, &plain) == XK_OK, "%s", x.err.message);
    for (unsigned seed = 1; seed <= 2 * N_SEEDS; seed++) {
        const struct xk_simulate_opts o = {.checks = "hazard",
                                           .hazard_seed = seed,
                                           .hazard_strict = seed > N_SEEDS};
        ck_assert_msg(conv_run(&x, &o, &sum) == XK_OK, "%s", x.err.message);
        ck_assert_msg(sum == plain, "seed %u", seed);
    }
    conv_close(&x);
}
END_TEST

/* ---- mutants ---- */

static struct program {
    struct xk_inst in[MAX_INST];
    uint32_t pc[MAX_INST];
    unsigned n;
    uint32_t at[MAX_WAY];
    struct walk way; /* of the first thread */
} prog;

static struct gap {
    unsigned first, second;
    enum hz_kind kind;
} gaps[1024];
static unsigned n_gaps;

static void note_gap(const struct hz_program *g, unsigned first,
                     unsigned second, enum hz_kind k)
{
    (void)g;
    if (n_gaps < sizeof gaps / sizeof gaps[0])
        gaps[n_gaps++] = (struct gap){first, second, k};
}

static unsigned index_at(int64_t pc)
{
    for (unsigned k = 0; k < prog.n; k++)
        if (prog.pc[k] == pc)
            return k;
    return prog.n;
}

static void decode(const struct conv_lab *x)
{
    const struct xk_platform *const p = xk_platform_get(XK_PLATFORM_XEHPG);
    struct xk_error err;
    size_t used = 0;
    prog.n = 0;
    for (size_t at = 0; at < x->code_b && prog.n < MAX_INST; at += used) {
        prog.pc[prog.n] = (uint32_t)at;
        if (xk_inst_decode(p, x->code + at, x->code_b - at, &prog.in[prog.n],
                           &used, &err) != XK_OK)
            break;
        prog.n++;
    }
    while (prog.n && prog.in[prog.n - 1].op == XK_OPC_ILLEGAL)
        prog.n--;
    for (unsigned k = 0; k < prog.n; k++) {
        struct xk_inst *const i = &prog.in[k];
        i->jip_b = (int)index_at((int64_t)prog.pc[k] + i->jip_b);
        i->uip_b = (int)index_at((int64_t)prog.pc[k] + i->uip_b);
    }
}

/* A line of the trace: "0,0,0:0 0x0040 [...] text". */
static void note_way(void *user, const char *text, size_t n_b)
{
    const char *const pc = memchr(text, ' ', n_b);
    (void)user;
    if (pc && prog.way.n < MAX_WAY)
        prog.at[prog.way.n++] = index_at(strtol(pc, NULL, 16));
}

/* Is a gap of the mutant on the way that was gone? */
static bool is_due(bool *harmful)
{
    struct hz_program g = {.is_ours = true};
    struct hz_result r = {.on_gap = note_gap};
    bool due = false;
    n_gaps = 0;
    if (!hz_program_make(&g, xk_platform_get(XK_PLATFORM_XEHPG), prog.in,
                         prog.n))
        abort();
    hz_enumerate(&g, &r);
    for (unsigned k = 0; k < n_gaps && !due; k++)
        due = walk_has_gap(&g, &prog.way, gaps[k].first, gaps[k].second,
                           gaps[k].kind);
    *harmful = r.gaps;
    hz_program_free(&g);
    return due;
}

struct score {
    unsigned mutants, harmful, due, found, extra, tried, late;
    uint32_t plain;
};

/* Does any of a few latencies change the result? */
static bool is_late(struct conv_lab *x, uint32_t plain)
{
    uint32_t sum = plain;
    for (unsigned seed = 1; seed <= N_SEEDS && sum == plain; seed++) {
        const struct xk_simulate_opts o = {.inst_limit = MAX_WAY,
                                           .checks = "hazard",
                                           .hazard_seed = seed,
                                           .hazard_strict = true};
        if (conv_run(x, &o, &sum) != XK_OK)
            return true;
    }
    return sum != plain;
}

/* Instruction k as it is in prog.in; false: it has no code. */
static bool encode(unsigned k, uint8_t out[XK_INST_B])
{
    const struct xk_platform *const p = xk_platform_get(XK_PLATFORM_XEHPG);
    struct xk_error err;
    struct xk_inst i = prog.in[k];
    i.jip_b = i.uip_b = 0; /* sync, send, ALU: those that are changed */
    return xk_inst_encode(p, &i, out, &err) == XK_OK;
}

/* Runs the kernel with the bytes of instruction k changed; late may be NULL. */
static bool run_mutant(struct conv_lab *x, unsigned k, const uint8_t *bytes,
                       struct score *t, bool *late)
{
    unsigned n = 0;
    const struct xk_simulate_opts o = {.inst_limit = MAX_WAY,
                                       .checks = "hazard",
                                       .hazard_strict = true,
                                       .found = count_found,
                                       .user = &n};
    uint8_t keep[XK_INST_B];
    memcpy(keep, x->code + prog.pc[k], sizeof keep);
    memcpy(x->code + prog.pc[k], bytes, sizeof keep);
    conv_run(x, &o, NULL);
    if (late)
        *late = is_late(x, t->plain);
    memcpy(x->code + prog.pc[k], keep, sizeof keep);
    return n > 0;
}

static void one_mutant(struct conv_lab *x, unsigned k, struct score *t)
{
    bool harmful = false, late = false;
    uint8_t bytes[XK_INST_B];
    if (!encode(k, bytes))
        return;
    const bool due = is_due(&harmful);
    const bool tries = due && t->due % TRY_EACH == 0;
    const bool found = run_mutant(x, k, bytes, t, tries ? &late : NULL);
    t->mutants++;
    t->tried += tries;
    t->harmful += harmful;
    t->due += due;
    t->found += due && found;
    t->extra += found && !harmful;
    t->late += late;
    if (due && !found)
        printf("# missed: instruction %u changed, %u to %u\n", k, gaps[0].first,
               gaps[0].second);
}

static void mutate(struct conv_lab *x, struct score *t)
{
    for (unsigned k = 0; k < prog.n; k++) {
        const struct xk_inst keep = prog.in[k];
        for (unsigned how = 0; how < N_CHANGES; how++) {
            if (prog.pc[k + 1] - prog.pc[k] == XK_INST_B &&
                hazard_change(&prog.in[k], how))
                one_mutant(x, k, t);
            prog.in[k] = keep;
        }
    }
}

START_TEST(harmful_mutants_are_found)
{
    const struct xk_simulate_opts o = {.trace = note_way, .trace_one = true};
    struct score t = {0};
    struct conv_lab x;
    conv_open(&x, &convs[_i]);
    decode(&x);
    prog.way = (struct walk){.at = prog.at, .room = MAX_WAY};
    ck_assert_msg(conv_run(&x, &o, &t.plain) == XK_OK, "%s", x.err.message);
    ck_assert_uint_gt(prog.way.n, 0);
    mutate(&x, &t);
    printf("# %s, type %u: %u instructions, %u annotations taken away or "
           "weakened, %u harmful, %u of them on the way: %u found; %u beyond "
           "the enumerator; of %u harmful ones %u change the result within "
           "%u seeds\n",
           convs[_i].text, convs[_i].src, prog.n, t.mutants, t.harmful, t.due,
           t.found, t.extra, t.tried, t.late, N_SEEDS);
    printf("# score: executed_annotation hazard %u %u %u %u\n", t.mutants,
           t.due, t.found, t.extra);
    ck_assert_uint_gt(t.due, 30);
    ck_assert_uint_eq(t.found, t.due);
    conv_close(&x);
}
END_TEST

TCase *hazard_runs(void)
{
    const int n = (int)(sizeof convs / sizeof convs[0]);
    TCase *const t = tcase_create("runs");
    tcase_add_loop_test(t, clean_kernels_have_no_finding, 0, n);
    tcase_add_loop_test(t, results_do_not_depend_on_latencies, 0, n);
    tcase_add_loop_test(t, harmful_mutants_are_found, 0, n);
    return t;
}
