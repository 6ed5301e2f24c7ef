/* SPDX-License-Identifier: Apache-2.0 */
/* The timing model on kernels whose time is known: peak rates and latencies are
 * numbers of Intel's documents and compiler, written here once more. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/timing/timing_record.h"
#include "tests/sim/timing_lab.h"

#define LINES 1024

/* ---- peaks: cycles of one XVE for an instruction, with all threads busy ----
 */

static const struct {
    const char *platform, *line;
    unsigned first, step, modulo;
    double cycles; /* an instruction on an XVE */
} peaks[] = {
    /* isa.md 13.2: multiply-adds an XVE does in a cycle */
    {"xelp", "mad (8|M0) r%u.0<1>:f r2.0<1;0>:f r4.0<1;0>:f r7.0<1>:f\n", 20, 1,
     64, 8 / 8.0},
    {"xelp", "mad (16|M0) r%u.0<1>:f r2.0<1;0>:f r4.0<1;0>:f r8.0<1>:f\n", 20,
     2, 64, 16 / 8.0},
    {"xehpg", "mad (16|M0) r%u.0<1>:f r2.0<0;0>:f r4.0<1;0>:f r8.0<1>:f\n", 20,
     2, 64, 16 / 8.0},
    {"xehpg", "mad (16|M0) r%u.0<1>:f acc0.0<1;0>:f r4.0<1;0>:f r8.0<1>:f\n",
     20, 2, 64, 16 / 8.0},
    /* clpeak#99: 9.7 to 10.4 of 19.7 TFLOPS, f16 19.5 of 39.3 */
    {"xehpg", "mad (16|M0) r%u.0<1>:f r2.0<1;0>:f r4.0<1;0>:f r8.0<1>:f\n", 20,
     2, 64, 2 * 16 / 8.0},
    {"xehpg", "mad (16|M0) r%u.0<1>:hf r2.0<1;0>:hf r4.0<1;0>:hf r8.0<1>:hf\n",
     20, 1, 64, 2 * 16 / 16.0},
    /* clpeak#99, float: 13.0, half of its mads so; clpeak#202: 0.496 */
    {"xehpg", "mad (16|M0) r%u.0<1>:f r4.0<1;0>:f acc0.0<1;0>:f r4.0<1>:f\n",
     20, 2, 64, 2 * 16 / 8.0},
    {"xehpg", "mad (16|M0) r%u.0<1>:f r2.0<1;0>:f r4.0<1;0>:f r4.0<1>:f\n", 20,
     2, 64, 2 * 16 / 8.0},
    {"xehpc", "mad (16|M0) r%u.0<1>:f r2.0<1;0>:f r4.0<1;0>:f r7.0<1>:f\n", 20,
     1, 64, 16 / 16.0},
    {"xehpc", "mad (32|M0) r%u.0<1>:f r2.0<1;0>:f r4.0<1;0>:f r7.0<1>:f\n", 20,
     2, 64, 32 / 16.0},
    {"xelp", "mad (16|M0) r%u.0<1>:hf r2.0<1;0>:hf r4.0<1;0>:hf r7.0<1>:hf\n",
     20, 1, 64, 16 / 16.0},
    {"xehpg", "mad (16|M0) r%u.0<1>:hf r2.0<0;0>:hf r4.0<1;0>:hf r8.0<1>:hf\n",
     20, 1, 64, 16 / 16.0},
    {"xehpc", "mad (32|M0) r%u.0<1>:hf r2.0<1;0>:hf r4.0<1;0>:hf r7.0<1>:hf\n",
     20, 1, 64, 32 / 32.0},
    {"xelp", "dp4a (8|M0) r%u.0<1>:d r2.0<1;0>:d r4.0<1;0>:d r7.0<1>:d\n", 20,
     1, 64, 8 * 4 / 32.0},
    {"xehpg", "dp4a (8|M0) r%u.0<1>:d r2.0<1;0>:d r4.0<1;0>:d r8.0<1>:d\n", 20,
     1, 64, 8 * 4 / 32.0},
    {"xehpc", "dp4a (16|M0) r%u.0<1>:d r2.0<1;0>:d r4.0<1;0>:d r7.0<1>:d\n", 20,
     1, 64, 16 * 4 / 64.0},
    /* isa.md 13.2: a dpas of 8x8 keeps XMX busy 16 cycles, 8 on xehpc */
    {"xehpg", "(W) dpas.8x8 (8|M0) r%u:f r%u:f r2:hf r10.0:hf\n", 20, 8, 64,
     16},
    {"xehpg", "(W) dpas.8x8 (8|M0) r%u:d r%u:d r2:b r10.0:b\n", 20, 8, 64, 16},
    {"xehpg", "(W) dpas.8x4 (8|M0) r%u:f r%u:f r2:hf r10.0:hf\n", 20, 8, 64, 8},
    {"xehpg", "(W) dpas.8x1 (8|M0) r%u:f r%u:f r2:hf r10.0:hf\n", 20, 8, 64, 2},
    {"xehpc", "(W) dpas.8x8 (16|M0) r%u:f r%u:f r2:hf r10.0:hf\n", 20, 8, 64,
     8},
    {"xehpc", "(W) dpas.8x8 (16|M0) r%u:d r%u:d r2:b r10.0:b\n", 20, 8, 64, 8},
    {"xehpc", "(W) dpas.8x2 (16|M0) r%u:f r%u:f r2:hf r10.0:hf\n", 20, 8, 64,
     2},
    /* guide: math is 2-wide on xelp; vISA: 4 times f32 */
    {"xelp", "math.inv (8|M0) r%u.0<1>:f r2.0<1;1,0>:f\n", 20, 1, 64, 4},
    {"xehpg", "math.inv (8|M0) r%u.0<1>:f r2.0<1;1,0>:f\n", 20, 1, 64, 4},
    {"xehpc", "math.inv (16|M0) r%u.0<1>:f r2.0<1;1,0>:f\n", 20, 1, 64, 4},
};

START_TEST(with_all_threads_busy_every_pipe_reaches_its_peak_within_2_percent)
{
    const double want = peaks[_i].cycles;
    char *const text = timing_repeat(peaks[_i].line, LINES, peaks[_i].first,
                                     peaks[_i].step, peaks[_i].modulo);
    const struct timing_job j = {.platform = peaks[_i].platform,
                                 .text = text,
                                 .threads = timing_slots(peaks[_i].platform)};
    const struct timing_answer a = timing_run(&j);
    const struct xk_timing_product *const m =
        xk_timing_product_of(xk_platform_find(j.platform)->id);
    const double got = (double)a.cycles / ((double)m->threads * LINES);
    ck_assert_msg(got > want * 0.999 && got < want * 1.02,
                  "%s %s: %.3f cycles, not %.3f", j.platform, peaks[_i].line,
                  got, want);
    free(text);
}
END_TEST

/* ---- latencies: one thread, each instruction waits for the one before ---- */

static const struct {
    const char *platform, *line;
    double cycles;
} chains[] = {
    /* vISA LatencyTable.h: FPU 10, one more for a second pass, math 17 */
    {"xelp", "add (8|M0) r20.0<1>:f r20.0<1;1,0>:f 1.0:f {@1}\n", 10},
    {"xehpg", "add (8|M0) r20.0<1>:f r20.0<1;1,0>:f 1.0:f {F@1}\n", 10},
    {"xehpg", "add (16|M0) r20.0<1>:f r20.0<1;1,0>:f 1.0:f {F@1}\n", 11},
    {"xehpg", "add (32|M0) r20.0<1>:f r20.0<1;1,0>:f 1.0:f {F@1}\n", 13},
    {"xehpc", "add (16|M0) r20.0<1>:f r20.0<1;1,0>:f 1.0:f {F@1}\n", 10},
    {"xehpc", "add (32|M0) r20.0<1>:f r20.0<1;1,0>:f 1.0:f {F@1}\n", 11},
    {"xehpg", "add (8|M0) r20.0<1>:d r20.0<1;1,0>:d 1:d {I@1}\n", 10},
    {"xehpg",
     "math.inv (8|M0) r20.0<1>:f r20.0<1;1,0>:f {$1}\nsync.nop null {$1.dst}\n",
     17},
    {"xehpg",
     "math.inv (16|M0) r20.0<1>:f r20.0<1;1,0>:f {$1}\nsync.nop null "
     "{$1.dst}\n",
     21},
    {"xehpc", "math.inv (16|M0) r20.0<1>:f r20.0<1;1,0>:f {M@1}\n", 17},
    /* flags and address registers: 16 */
    {"xehpg",
     "cmp (8|M0) (lt)f0.0 null<1>:d r20.0<1;1,0>:d 1:d\n"
     "(f0.0) jmpi next\nnext:\n",
     0 /* only that it runs */},
    /* dpas: 21, 22, 32 by repeat count; 21 and one a row on xehpc */
    {"xehpg",
     "(W) dpas.8x1 (8|M0) r20:f r20:f r2:hf r10.0:hf {$1}\n"
     "sync.nop null {$1.dst}\n",
     21},
    {"xehpg",
     "(W) dpas.8x8 (8|M0) r20:f r20:f r2:hf r10.0:hf {$1}\n"
     "sync.nop null {$1.dst}\n",
     32},
    {"xehpc",
     "(W) dpas.8x8 (16|M0) r20:f r20:f r2:hf r10.0:hf {$1}\n"
     "sync.nop null {$1.dst}\n",
     28},
};

static double chain_cycles(const char *platform, const char *line, unsigned n)
{
    char *const text = timing_repeat(line, n, 0, 0, 1);
    const struct timing_job j = {.platform = platform, .text = text};
    const struct timing_answer a = timing_run(&j);
    free(text);
    return (double)a.cycles;
}

/* The slope: what begins and ends a thread does not count. A sync.nop that
 * waits has its own cycle. */
START_TEST(a_chain_of_dependent_instructions_takes_their_latency)
{
    const char *const line = chains[_i].line;
    if (!chains[_i].cycles)
        return;
    const double n = 100;
    const double got = (chain_cycles(chains[_i].platform, line, 200) -
                        chain_cycles(chains[_i].platform, line, 100)) /
                       n;
    const double own = strstr(line, "sync") ? 1 : 0;
    ck_assert_msg(got == chains[_i].cycles + own,
                  "%s %s: %.2f cycles, not %.2f", chains[_i].platform, line,
                  got, chains[_i].cycles + own);
}
END_TEST

START_TEST(without_annotations_nothing_waits)
{
    const char *const line = "add (16|M0) r20.0<1>:f r20.0<1;1,0>:f 1.0:f\n";
    const double got =
        (chain_cycles("xehpg", line, 200) - chain_cycles("xehpg", line, 100)) /
        100;
    ck_assert_msg(got == 2, "%.2f cycles", got);
}
END_TEST

/* ---- distances ---- */

static const struct {
    const char *line;
    double cycles; /* of all of the lines, on xehpg, one thread */
} distances[] = {
    /* the float result is there 10 cycles after its issue, int issues beside */
    {"add (8|M0) r20.0<1>:f r20.0<1;1,0>:f 1.0:f\n"
     "add (8|M0) r30.0<1>:d r30.0<1;1,0>:d 1:d {F@1}\n",
     10 + 1},
    {"add (8|M0) r20.0<1>:f r20.0<1;1,0>:f 1.0:f\n"
     "add (8|M0) r30.0<1>:d r30.0<1;1,0>:d 1:d {I@1}\n",
     10 + 1 - 1},
    /* two float instructions later only 8 are left */
    {"add (8|M0) r20.0<1>:f r20.0<1;1,0>:f 1.0:f\n"
     "add (8|M0) r21.0<1>:f r21.0<1;1,0>:f 1.0:f\n"
     "add (8|M0) r30.0<1>:d r30.0<1;1,0>:d 1:d {F@2}\n",
     10 + 1},
    {"add (8|M0) r20.0<1>:f r20.0<1;1,0>:f 1.0:f\n"
     "add (8|M0) r30.0<1>:d r30.0<1;1,0>:d 1:d {A@1}\n",
     10 + 1},
    {"add (8|M0) r20.0<1>:f r20.0<1;1,0>:f 1.0:f\n"
     "sync.nop null {F@1}\n",
     10 + 1},
};

START_TEST(a_distance_waits_for_that_instruction_of_that_pipe)
{
    const char *const line = distances[_i].line;
    const double got =
        (chain_cycles("xehpg", line, 200) - chain_cycles("xehpg", line, 100)) /
        100;
    ck_assert_msg(got == distances[_i].cycles, "%s%.2f cycles, not %.2f", line,
                  got, distances[_i].cycles);
}
END_TEST

/* ---- dual issue ---- */

START_TEST(float_int_and_systolic_work_side_by_side)
{
    char *const f = timing_repeat(
        "mad (16|M0) r%u.0<1>:f r2.0<1;0>:f r4.0<1;0>:f r8.0<1>:f\n", 512, 20,
        2, 32);
    char *const both = timing_repeat(
        "mad (16|M0) r%u.0<1>:f r2.0<1;0>:f r4.0<1;0>:f r8.0<1>:f\n"
        "add (16|M0) r60.0<1>:d r62.0<1;1,0>:d 1:d\n",
        512, 20, 2, 32);
    struct timing_job j = {
        .platform = "xehpg", .text = f, .threads = timing_slots("xehpg")};
    const double one = (double)timing_run(&j).cycles;
    j.text = both;
    const double two = (double)timing_run(&j).cycles;
    ck_assert_msg(two < 1.02 * one, "%.0f and %.0f cycles", one, two);
    j.platform = "xelp"; /* one ALU */
    j.threads = timing_slots("xelp");
    j.text = f;
    const double lp = (double)timing_run(&j).cycles;
    j.text = both;
    const double lp_two = (double)timing_run(&j).cycles;
    ck_assert_msg(lp_two > 1.96 * lp, "%.0f and %.0f cycles", lp, lp_two);
    free(f);
    free(both);
}
END_TEST

/* Each thread begins an instruction a cycle, so the oldest ones, as many as the
 * width, fill it; the last ones may be fewer. */
START_TEST(no_more_instructions_begin_in_a_cycle_than_the_width)
{
    static const char *const line =
        "add (8|M0) r%u.0<1>:f r2.0<1;1,0>:f 1.0:f\n"
        "add (8|M0) r60.0<1>:d r62.0<1;1,0>:d 1:d\n"
        "sync.nop null\n";
    char *const text = timing_repeat(line, 300, 20, 1, 32);
    struct xk_timing_product m = *xk_timing_product_find("a770");
    const struct timing_job j = {.platform = "xehpg",
                                 .text = text,
                                 .threads = timing_slots("xehpg"),
                                 .product = &m};
    for (m.issue_width = 1; m.issue_width <= 3; m.issue_width++) {
        const double got = (double)timing_run(&j).cycles / (300.0 * m.threads);
        const uint32_t turns = (m.threads + m.issue_width - 1) / m.issue_width;
        const double want = 3.0 * turns / m.threads;
        ck_assert_msg(got >= want && got < 1.05 * want,
                      "%.2f cycles a round with width %u", got, m.issue_width);
    }
    free(text);
}
END_TEST

/* ---- who issues first ---- */

/* An XVE, or a pair: threads start at once, an add takes a cycle. */
static const struct {
    const char *product, *platform, *lanes;
    uint32_t threads; /* of a group: those that share a stream */
} xves[] = {{"max1550", "xehpc", "16|M0", 1}, {"a770", "xehpg", "8|M0", 2}};

static struct xk_timing_product one_xve(int which)
{
    struct xk_timing_product m = *xk_timing_product_find(xves[which].product);
    m.cores = 1;
    m.xves = xves[which].threads;
    m.lat_launch = m.launch_cyc = 0;
    return m;
}

#define ADDS 100 /* of each half of a thread */
#define STALL 50 /* between its halves, from when the port is free */

/* A thread is two runs of ADDS adds; the second waits for the first. Four of
 * them, all ready at 0, would each fill the port. A thread ends 2 cycles after
 * its last add. By hand, n adds and stalls of S:
 * in turn        an add of each every 4 cycles, the first halves' last ones
 *                from 4 n - 4 on, so the second halves begin one after the
 *                other from 4 n + S - 3; again each every 4 cycles
 * oldest         each thread's stall is filled by the next one, which then
 *                has to wait: 2 n a thread, and the last one's stall
 * longest ready  as in turn, but two of the second halves get an add ahead
 *                while not all have begun: they end 2 cycles earlier
 * after stall    four first halves, then four second ones; nothing is lost */
static const struct {
    enum xk_tm_arbitration who;
    uint64_t end[4];
} orders[] = {
#define ALL (8 * ADDS + STALL)
    {XK_TM_IN_TURN, {ALL - 5, ALL - 4, ALL - 3, ALL - 2}},
    {XK_TM_OLDEST,
     {2 * ADDS + STALL + 1, 4 * ADDS + STALL + 1, 6 * ADDS + STALL + 1,
      8 * ADDS + STALL + 1}},
    {XK_TM_LONGEST_READY, {ALL - 7, ALL - 6, ALL - 3, ALL - 2}},
    {XK_TM_AFTER_STALL,
     {5 * ADDS + 1, 6 * ADDS + 1, 7 * ADDS + 1, 8 * ADDS + 1}},
#undef ALL
};

static char *adds(const char *lanes, unsigned n, const char *before)
{
    char line[80];
    snprintf(line, sizeof line, "add (%s) r%%u.0<1>:f r2.0<1;1,0>:f 1.0:f%s\n",
             lanes, before);
    return timing_repeat(line, n, 20, 1, 64);
}

static void check_ends(const struct timing_answer *a, const uint64_t *end,
                       unsigned n, const char *what)
{
    for (unsigned k = 0; k < n; k++)
        ck_assert_msg(a->end[k] == end[k], "%s: end %u at %llu instead of %llu",
                      what, k, (unsigned long long)a->end[k],
                      (unsigned long long)end[k]);
}

START_TEST(threads_issue_in_the_order_of_the_arbitration)
{
    for (int x = 0; x < (int)XK_COUNTOF(xves); x++) {
        struct xk_timing_product m = one_xve(x);
        char *const n = adds(xves[x].lanes, ADDS, "");
        char *const wait = adds(xves[x].lanes, 1, " {F@1}");
        char *const rest = adds(xves[x].lanes, ADDS - 1, "");
        char *const text = malloc(2 * strlen(n) + strlen(wait) + 1);
        sprintf(text, "%s%s%s", n, wait, rest);
        m.lat_alu = STALL + 1; /* from issue */
        m.arbitration = orders[_i].who;
        const struct timing_job j = {.platform = xves[x].platform,
                                     .text = text,
                                     .threads = xves[x].threads,
                                     .groups = 4,
                                     .product = &m};
        const struct timing_answer a = timing_run(&j);
        check_ends(&a, orders[_i].end, 4, xves[x].product);
        free(n);
        free(wait);
        free(rest);
        free(text);
    }
}
END_TEST

/* Two threads fit; the third, a short one, starts in the first one's slot, and
 * still has to stand back. The two instructions before the adds of the first
 * are all that is not hidden. */
START_TEST(a_thread_in_a_freed_slot_is_the_youngest)
{
    enum { LONG = 2 * ADDS };
    const uint64_t end[] = {LONG + 3, 2 * LONG + 3, 2 * LONG + ADDS + 3};
    for (int x = 0; x < (int)XK_COUNTOF(xves); x++) {
        struct xk_timing_product m = one_xve(x);
        char *const n = adds(xves[x].lanes, ADDS, "");
        char *const text = malloc(2 * strlen(n) + 200);
        sprintf(text,
                "(W) cmp (1|M0) (eq)f0.0 null<1>:ud r0.1<0;1,0>:ud 2:ud\n"
                "(W&f0.0) jmpi short\n%sshort:\n%s",
                n, n);
        m.threads = 2;
        m.lat_branch = 1;
        m.arbitration = XK_TM_OLDEST;
        const struct timing_job j = {.platform = xves[x].platform,
                                     .text = text,
                                     .threads = xves[x].threads,
                                     .groups = 3,
                                     .product = &m};
        const struct timing_answer a = timing_run(&j);
        check_ends(&a, end, 3, xves[x].product);
        free(n);
        free(text);
    }
}
END_TEST

/* i915 leaves DG2 and xelp at age based; Intel's driver sets xehpc. */
START_TEST(machines_arbitrate_as_their_drivers_leave_them)
{
    ck_assert(xk_timing_product_find("a770")->arbitration == XK_TM_OLDEST);
    ck_assert(xk_timing_product_find("iris-xe")->arbitration == XK_TM_OLDEST);
    ck_assert(xk_timing_product_find("max1550")->arbitration ==
              XK_TM_AFTER_STALL);
}
END_TEST

/* ---- banks of registers ---- */

/* Intel's compiler, get_bank and get_bundle of visa/GraphColor.h: banks change
 * with each register; bundles have 4 registers, on xehpc 2, and come again
 * after 16 of them. */
static const struct {
    const char *platform, *src2; /* beside r4 */
    double cycles;               /* a pass */
} bank_pairs[] = {
    {"xelp", "r5", 1},   {"xelp", "r6", 2},   {"xelp", "r8", 1},
    {"xelp", "r68", 2},  {"xelp", "r69", 1},  {"xehpc", "r5", 1},
    {"xehpc", "r6", 1},  {"xehpc", "r36", 2}, {"xehpc", "r37", 1},
    {"xehpc", "r68", 2},
};

START_TEST(a_conflict_of_register_banks_costs_a_cycle_a_pass)
{
    char line[100];
    const char *const platform = bank_pairs[_i].platform;
    snprintf(line, sizeof line,
             "mad (%s) r%%u.0<1>:f r2.0<1;0>:f r4.0<1;0>:f %s.0<1>:f\n",
             strcmp(platform, "xehpc") ? "8|M0" : "16|M0", bank_pairs[_i].src2);
    char *const text = timing_repeat(line, 512, 80, 1, 32);
    const struct timing_job j = {
        .platform = platform, .text = text, .threads = timing_slots(platform)};
    const struct xk_timing_product *const m =
        xk_timing_product_of(xk_platform_find(platform)->id);
    const double got = (double)timing_run(&j).cycles / (512.0 * m->threads);
    ck_assert_msg(
        got >= bank_pairs[_i].cycles && got < 1.1 * bank_pairs[_i].cycles,
        "%s, r4 and %s: %.2f cycles", platform, bank_pairs[_i].src2, got);
    free(text);
}
END_TEST

/* ---- shared local memory ---- */

#define SLM_LANES                                                              \
    "mov (8|M0) r10.0<1>:uw 0x76543210:v\n"                                    \
    "add (8|M0) r10.8<1>:uw r10.0<1;1,0>:uw 8:uw {I@1}\n"                      \
    "mul (16|M0) r12.0<1>:ud r10.0<1;1,0>:uw %u:uw {I@1}\n"                    \
    "sync.nop null {I@1}\n"

/* Cycles that a message of 16 dwords keeps the data port, threads enough. */
static double slm_cycles(unsigned stride_b, unsigned n)
{
    char head[400];
    char *const body = timing_repeat(
        "send.slm (16|M0) r20 r12 null:0 0x0 0x04200500 {$1}\n", n, 0, 0, 1);
    char *const text = malloc(sizeof head + strlen(body));
    snprintf(head, sizeof head, SLM_LANES, stride_b);
    strcpy(text, head);
    strcat(text, body);
    const struct timing_job j = {.platform = "xehpg",
                                 .text = text,
                                 .slm_b = 16384,
                                 .threads = timing_slots("xehpg")};
    const struct timing_answer a = timing_run(&j);
    free(body);
    free(text);
    return (double)a.cycles;
}

START_TEST(a_conflict_of_local_memory_banks_costs_by_its_degree)
{
    /* 32 banks of 8 bytes: 16 lanes meet in so many words of one bank */
    static const struct {
        unsigned stride_b, degree;
    } cases[] = {{0, 1},  {4, 1},  {8, 1},   {16, 1},
                 {32, 2}, {64, 4}, {128, 8}, {256, 16}};
    for (size_t k = 0; k < XK_COUNTOF(cases); k++) {
        const double got = (slm_cycles(cases[k].stride_b, 48) -
                            slm_cycles(cases[k].stride_b, 16)) /
                           (32.0 * timing_slots("xehpg"));
        ck_assert_msg(got > 0.97 * cases[k].degree &&
                          got < 1.03 * cases[k].degree,
                      "stride %u: %.2f cycles, not %u", cases[k].stride_b, got,
                      cases[k].degree);
    }
}
END_TEST

START_TEST(a_load_from_local_memory_takes_its_latency)
{
    char head[400];
    snprintf(head, sizeof head, SLM_LANES, 4);
    double cycles[2];
    for (unsigned k = 0; k < 2; k++) {
        char *const body = timing_repeat(
            "send.slm (16|M0) r20 r12 null:0 0x0 0x04200500 {$1}\n"
            "sync.nop null {$1.dst}\n",
            100 + 100 * k, 0, 0, 1);
        char *const text = malloc(sizeof head + strlen(body));
        strcpy(text, head);
        strcat(text, body);
        const struct timing_job j = {
            .platform = "xehpg", .text = text, .slm_b = 16384};
        cycles[k] = (double)timing_run(&j).cycles;
        free(body);
        free(text);
    }
    /* vISA SLM16 28; second registers of address and answer, sync.nop */
    const double got = (cycles[1] - cycles[0]) / 100;
    ck_assert_msg(got == 28 + 3, "%.2f cycles", got);
}
END_TEST

/* ---- barriers ---- */

#define SIGNAL_AND_WAIT                                                        \
    "(W) mov (8|M0) r5.0<1>:ud 0:ud {A@1}\n"                                   \
    "(W) mov (1|M0) r5.2<1>:ud 0x%02x%02x0000:ud {I@1}\n"                      \
    "(W) send.gtwy (1|M0) null r5 null:0 0x0 0x02000004 {A@1}\n"

static double barrier_cycles(unsigned threads, unsigned n, const char *between)
{
    char round[600], line[2000];
    snprintf(round, sizeof round, SIGNAL_AND_WAIT, threads, threads);
    snprintf(line, sizeof line, "%s%ssync.bar null\n", round, between);
    char *const text = timing_repeat(line, n, 0, 0, 1);
    const struct timing_job j = {
        .platform = "xehpg", .text = text, .threads = threads, .barriers = 1};
    const struct timing_answer a = timing_run(&j);
    free(text);
    return (double)a.cycles;
}

START_TEST(a_barrier_costs_its_latency_unless_work_hides_it)
{
    char *const work = timing_repeat(
        "add (8|M0) r%u.0<1>:f r2.0<1;1,0>:f 1.0:f\n", 20, 20, 1, 20);
    const double bare =
        (barrier_cycles(8, 60, "") - barrier_cycles(8, 20, "")) / 40;
    const double hidden =
        (barrier_cycles(8, 60, work) - barrier_cycles(8, 20, work)) / 40;
    /* two movs at 10 cycles, the payload at 9, vISA BARRIER 30 */
    ck_assert_msg(bare >= 10 + 10 + 9 + 30 && bare < 80, "%.1f cycles", bare);
    /* 20 adds of 8 fused pairs' worth fit into it */
    ck_assert_msg(hidden < bare + 25, "%.1f cycles, bare %.1f", hidden, bare);
    free(work);
}
END_TEST

/* ---- overlap ---- */

#define LOAD "send.slm (16|M0) r20 r12 null:0 0x0 0x04200500 {$1}\n"
#define WAIT "sync.nop null {$1.dst}\n"
#define WORK                                                                   \
    "(W) dpas.8x8 (8|M0) r40:f r40:f r60:hf r70.0:hf {$2}\n"                   \
    "(W) dpas.8x8 (8|M0) r48:f r48:f r60:hf r70.0:hf {$3}\n"

START_TEST(a_lost_overlap_costs)
{
    char head[400];
    double cycles[2];
    snprintf(head, sizeof head, SLM_LANES, 4);
    for (unsigned k = 0; k < 2; k++) {
        char *const body =
            timing_repeat(k ? LOAD WAIT WORK : LOAD WORK WAIT, 100, 0, 0, 1);
        char *const text = malloc(sizeof head + strlen(body));
        strcpy(text, head);
        strcat(text, body);
        const struct timing_job j = {
            .platform = "xehpg", .text = text, .slm_b = 16384};
        cycles[k] = (double)timing_run(&j).cycles;
        free(body);
        free(text);
    }
    ck_assert_msg(cycles[1] > 1.3 * cycles[0], "%.0f and %.0f cycles",
                  cycles[0], cycles[1]);
}
END_TEST

/* ---- memory ---- */

/* Address of the thread's bytes in r3, 1 << shift of them. */
#define WHERE                                                                  \
    "(W) and (1|M0) r2.0<1>:ud r0.2<0;1,0>:ud 0xFF:ud\n"                       \
    "(W) shl (1|M0) r2.1<1>:ud r0.1<0;1,0>:ud %u:ud\n"                         \
    "(W) shl (1|M0) r2.0<1>:ud r2.0<0;1,0>:ud %u:ud {I@2}\n"                   \
    "(W) add (1|M0) r2.0<1>:ud r2.0<0;1,0>:ud r2.1<0;1,0>:ud {I@1}\n"          \
    "(W) mov (1|M0) r3.1<1>:ud r1.1<0;1,0>:ud\n"                               \
    "(W) add (1|M0) r3.0<1>:ud r1.0<0;1,0>:ud r2.0<0;1,0>:ud {I@2}\n"
#define ADDRESS                                                                \
    "(W) add (1|M0) r%u.0<1>:ud r3.0<0;1,0>:ud %u:ud {I@1}\n"                  \
    "(W) mov (1|M0) r%u.1<1>:ud r3.1<0;1,0>:ud\n"
#define LOAD_FROM                                                              \
    "(W) send.ugm (1|M0) r%u r%u null:0 0x0 0x0280F580 {A@1,$%u}\n"
#define COPY ADDRESS LOAD_FROM
#define ADD "add (8|M0) r%u.0<1>:ud r%u.0<1;1,0>:ud 1:ud {$%u.dst}\n"
#define STORE                                                                  \
    "(W) add (1|M0) r%u.0<1>:ud r%u.0<0;1,0>:ud 0x%x:ud {$%u.dst}\n"           \
    "(W) send.ugm (1|M0) null r%u r%u:8 0x0 0x0200F584 {A@1,$%u}\n"

/* What each thread does to its 1 KiB. */
enum move { COPYING, ADDING, WRITING };

#define TEXT_B 4000

/* The addresses of a thread's loads and stores; with loads these too. */
static int put_loads(enum move what, char *text, int n)
{
    for (unsigned k = 0; k < 4; k++) {
        n += snprintf(text + n, TEXT_B - (size_t)n, ADDRESS, 10 + k, 256 * k,
                      10 + k);
        if (what != WRITING)
            n += snprintf(text + n, TEXT_B - (size_t)n, LOAD_FROM, 20 + 8 * k,
                          10 + k, k);
    }
    return n;
}

/* Its stores, `to` bytes behind the loads. */
static int put_stores(enum move what, unsigned to, char *text, int n)
{
    for (unsigned k = 0; k < 4; k++) {
        if (what == ADDING)
            n += snprintf(text + n, TEXT_B - (size_t)n, ADD, 20 + 8 * k,
                          20 + 8 * k, k);
        n += snprintf(text + n, TEXT_B - (size_t)n, STORE, 10 + k, 10 + k, to,
                      k, 10 + k, 20 + 8 * k, k);
    }
    return n;
}

/* Groups of 64 threads, as many as n_b has 64 KiB; they store `to` bytes
 * behind what they load. */
static struct timing_answer move(enum move what, uint64_t n_b, uint64_t to,
                                 uint8_t *memory,
                                 const struct xk_timing_product *m)
{
    char text[TEXT_B];
    int n = snprintf(text, sizeof text, WHERE, 16, 10);
    n = put_loads(what, text, n);
    put_stores(what, (unsigned)to, text, n);
    const struct timing_job j = {.platform = "xehpg",
                                 .text = text,
                                 .threads = 64,
                                 .groups = (uint32_t)(n_b / 65536),
                                 .memory = memory,
                                 .memory_b = n_b + to,
                                 .product = m};
    return timing_run(&j);
}

/* Each of 64 threads of a group copies 1 KiB to half the memory on. */
static struct timing_answer copy(uint64_t memory_b, uint8_t *memory,
                                 const struct xk_timing_product *m)
{
    return move(COPYING, memory_b / 2, memory_b / 2, memory, m);
}

/* clpeak on an A770: 398 to 421 GB/s (isa.md 13.4, krrishnarraj/clpeak#99). */
START_TEST(a_large_copy_is_as_fast_as_memory)
{
    const uint64_t n_b = UINT64_C(64) << 20;
    uint8_t *const memory = calloc(1, n_b);
    for (uint64_t k = 0; k < n_b / 2; k += 4096)
        memory[k] = (uint8_t)(k >> 12 | 1);
    const struct timing_answer a = copy(n_b, memory, NULL);
    const double rate = (double)n_b / a.time_us / 1e3; /* GB/s */
    ck_assert_msg(rate > 0.85 * 398 && rate < 1.15 * 421, "%.0f GB/s", rate);
    for (uint64_t k = 0; k < n_b / 2; k += 4096)
        ck_assert_uint_eq(memory[k + n_b / 2], memory[k]);
    free(memory);
}
END_TEST

/* What was loaded and is written leaves L2 once more than it came. */
START_TEST(
    adding_in_place_takes_as_long_as_copying_and_twice_as_long_as_writing)
{
    enum { LINE_B = 64 };
    const uint64_t n_b = UINT64_C(32) << 20; /* twice the L2 of an A770 */
    uint8_t *const memory = calloc(2, n_b);
    const struct timing_answer copied = copy(2 * n_b, memory, NULL);
    const struct timing_answer written = move(WRITING, n_b, 0, memory, NULL);
    memset(memory, 0, n_b);
    const struct timing_answer added = move(ADDING, n_b, 0, memory, NULL);
    ck_assert_msg(added.time_us > 0.9 * copied.time_us &&
                      added.time_us < 1.1 * copied.time_us,
                  "%.1f us, a copy %.1f", added.time_us, copied.time_us);
    ck_assert_msg(added.time_us > 1.8 * written.time_us &&
                      added.time_us < 2.2 * written.time_us,
                  "%.1f us, a write %.1f", added.time_us, written.time_us);
    ck_assert_uint_eq(added.traffic.memory_lines, copied.traffic.memory_lines);
    ck_assert_uint_eq(added.traffic.memory_lines,
                      2 * written.traffic.memory_lines);
    for (uint64_t k = 0; k < n_b; k += 4096)
        ck_assert_uint_eq(memory[k], 1);
    free(memory);
}
END_TEST

/* Lines that one thread's four blocks of 256 bytes cost memory, in a machine
 * whose L2 has l2_b. */
static uint64_t lines_of(const char *text, uint32_t l2_b)
{
    uint8_t memory[8192] = {0};
    struct xk_timing_product m = *xk_timing_product_find("a770");
    m.l2_b = l2_b;
    const struct timing_job j = {.platform = "xehpg",
                                 .text = text,
                                 .memory = memory,
                                 .memory_b = sizeof memory,
                                 .product = &m};
    return timing_run(&j).traffic.memory_lines;
}

/* A line pays for itself when it becomes dirty: once, however often it is
 * written, until L2 has given it to memory. */
START_TEST(a_line_pays_for_being_written_once_while_l2_has_it)
{
    enum { LINES_MOVED = 16, ALL_B = 1 << 20, ONE_B = LINES_MOVED * 64 };
    char text[TEXT_B];
    int n = snprintf(text, sizeof text, WHERE, 16, 10);
    n = put_loads(WRITING, text, n);
    const int begin = n;
    n = put_stores(WRITING, 0, text, n);
    put_stores(WRITING, 0, text, n);
    ck_assert_uint_eq(lines_of(text, ALL_B), LINES_MOVED);
    n = put_loads(COPYING, text, begin);
    n = put_stores(COPYING, 0, text, n);
    put_stores(COPYING, 0, text, n);
    ck_assert_uint_eq(lines_of(text, ALL_B), 2 * LINES_MOVED);
    /* written, driven out by others, loaded and written again */
    n = put_stores(WRITING, 0, text, begin);
    for (unsigned k = 0; k < 4; k++)
        n += snprintf(text + n, sizeof text - (size_t)n, COPY, 14 + k,
                      4096 + 256 * k, 14 + k, 20 + 8 * k, 14 + k, k);
    n = put_loads(COPYING, text, n);
    put_stores(COPYING, 0, text, n);
    ck_assert_uint_eq(lines_of(text, ONE_B), 4 * LINES_MOVED);
}
END_TEST

START_TEST(half_the_bandwidth_takes_a_large_copy_twice_as_long)
{
    const uint64_t n_b = UINT64_C(32) << 20;
    uint8_t *const memory = calloc(1, n_b);
    struct xk_timing_product m = *xk_timing_product_find("a770");
    const double one = copy(n_b, memory, &m).time_us;
    m.memory_mbps /= 2;
    const double two = copy(n_b, memory, &m).time_us;
    ck_assert_msg(two > 1.8 * one && two < 2.05 * one, "%.1f and %.1f us", one,
                  two);
    free(memory);
}
END_TEST

/* Every group reads the same 64 KiB: memory is asked once, not 32 times. */
START_TEST(what_all_cores_read_is_fetched_once)
{
    char text[4000];
    uint8_t *const memory = calloc(1, 65536);
    int n = snprintf(text, sizeof text,
                     "(W) mov (1|M0) r0.1<1>:ud 0:ud\n" WHERE, 16, 10);
    for (unsigned k = 0; k < 4; k++)
        n += snprintf(text + n, sizeof text - (size_t)n, COPY, 10 + k, 256 * k,
                      10 + k, 20 + 8 * k, 10 + k, k);
    const struct timing_job j = {.platform = "xehpg",
                                 .text = text,
                                 .threads = 64,
                                 .groups = 64,
                                 .memory = memory,
                                 .memory_b = 65536};
    const struct timing_answer a = timing_run(&j);
    /* of 1024 lines a core of 32 fetches about 32 */
    ck_assert_msg(a.traffic.memory_lines > 8 && a.traffic.memory_lines < 80,
                  "%llu lines", (unsigned long long)a.traffic.memory_lines);
    ck_assert_uint_eq(a.traffic.port_lines, 2 * 1024);
    ck_assert_uint_eq(a.traffic.l2_lines, 1024);
    free(memory);
}
END_TEST

/* A fence is over when the thread's own stores are. */
START_TEST(a_fence_waits_for_stores)
{
    uint8_t *const memory = calloc(1, 65536);
    double cycles[2];
    for (unsigned k = 0; k < 2; k++) {
        char text[3000];
        int n = snprintf(text, sizeof text, WHERE, 16, 10);
        n += snprintf(text + n, sizeof text - (size_t)n, COPY, 10, 0, 10, 20,
                      10, 0);
        n += snprintf(text + n, sizeof text - (size_t)n, STORE, 10, 10, 0, 0,
                      10, 20, 1);
        snprintf(text + n, sizeof text - (size_t)n,
                 "%s(W) send.ugm (8|M0) r60 r0 null:0 0x0 0x0210011F {$5}\n"
                 "sync.nop null {$5.dst}\n",
                 k ? "" : "sync.allwr\n");
        const struct timing_job j = {.platform = "xehpg",
                                     .text = text,
                                     .memory = memory,
                                     .memory_b = 65536};
        const struct timing_answer a = timing_run(&j);
        cycles[k] = (double)a.cycles;
        /* vISA LSC_UNTYPED_FENCE 35, and the store on its way to L2: 200 */
        ck_assert_msg(a.at[XK_TM_AT_FENCE] > 150 && a.at[XK_TM_AT_FENCE] < 300,
                      "%llu cycles", (unsigned long long)a.at[XK_TM_AT_FENCE]);
    }
    ck_assert(cycles[0] >= cycles[1]);
    char text[3000];
    int n = snprintf(text, sizeof text, WHERE, 16, 10);
    n +=
        snprintf(text + n, sizeof text - (size_t)n, COPY, 10, 0, 10, 20, 10, 0);
    n += snprintf(text + n, sizeof text - (size_t)n, STORE, 10, 10, 0, 0, 10,
                  20, 1);
    snprintf(text + n, sizeof text - (size_t)n,
             "(W) send.slm (8|M0) r60 r0 null:0 0x0 0x0210011F {$5}\n"
             "sync.nop null {$5.dst}\n");
    const struct timing_job j = {.platform = "xehpg",
                                 .text = text,
                                 .slm_b = 1024,
                                 .memory = memory,
                                 .memory_b = 65536};
    /* one of shared local memory does not ask for them: vISA SLM_FENCE 23 */
    ck_assert_uint_lt(timing_run(&j).at[XK_TM_AT_FENCE], 50);
    free(memory);
}
END_TEST

/* ---- the launch ---- */

/* Waited for or not: its registers are no other thread's before. */
START_TEST(a_thread_ends_when_its_last_answer_has_come)
{
    uint64_t cycles[2];
    for (unsigned k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 SLM_LANES "send.slm (16|M0) r20 r12 null:0 0x0 0x04200500 "
                           "{$1}\n%s",
                 128, k ? "sync.nop null {$1.dst}\n" : "");
        const struct timing_job j = {
            .platform = "xehpg", .text = text, .slm_b = 16384, .threads = 64};
        cycles[k] = timing_run(&j).cycles;
    }
    ck_assert_msg(cycles[0] + 2 >= cycles[1] && cycles[0] <= cycles[1],
                  "%llu cycles, %llu with a wait",
                  (unsigned long long)cycles[0], (unsigned long long)cycles[1]);
}
END_TEST

/* Where Intel's driver flushes the caches behind a launch, memory's rate holds
 * for what was written last too. */
START_TEST(a_launch_ends_when_what_it_wrote_is_in_memory)
{
    enum { MEMORY_B = 131072, LINE_B = 64 };
    uint8_t *const memory = calloc(1, MEMORY_B);
    struct xk_timing_product m = *xk_timing_product_find("a770");
    m.memory_mbps /= 100;
    const struct timing_answer flushed = copy(MEMORY_B, memory, &m);
    m.flush_end = 0;
    const struct timing_answer left = copy(MEMORY_B, memory, &m);
    const double least = (double)flushed.traffic.memory_lines * LINE_B /
                         (m.memory_mbps * (m.memory_percent / 100.0)) *
                         m.clock_mhz; /* of one core, all of memory */
    ck_assert_uint_eq(flushed.traffic.memory_lines, MEMORY_B / LINE_B);
    ck_assert_msg((double)flushed.cycles >= least, "%llu cycles, not %.0f",
                  (unsigned long long)flushed.cycles, least);
    ck_assert_uint_lt(left.cycles, flushed.cycles);
    free(memory);
}
END_TEST

/* Elsewhere L2 may keep what fits. The rest has gone to memory, although no
 * thread waits for it. */
START_TEST(what_l2_cannot_keep_is_written_within_the_launch)
{
    struct xk_timing_product m = *xk_timing_product_find("a770");
    const uint64_t n_b = 2 * (uint64_t)m.l2_b;
    uint8_t *const memory = calloc(1, n_b);
    m.flush_end = 0;
    const double least = (double)(n_b - m.l2_b) /
                         (m.memory_mbps * (m.memory_percent / 100.0)); /* us */
    const struct timing_answer all = move(WRITING, n_b, 0, memory, &m);
    ck_assert_msg(all.time_us > 0.99 * least && all.time_us < 1.2 * least,
                  "%.1f us, memory alone %.1f", all.time_us, least);
    const struct timing_answer half = move(WRITING, n_b / 2, 0, memory, &m);
    ck_assert_msg(half.time_us < 0.8 * least, "%.1f us, memory alone %.1f",
                  half.time_us, least);
    free(memory);
}
END_TEST

START_TEST(every_cycle_of_every_unit_has_one_cause)
{
    char *const text = timing_repeat(
        "add (16|M0) r%u.0<1>:f r2.0<1;1,0>:f 1.0:f {A@2}\n", 200, 20, 2, 40);
    for (unsigned threads = 1; threads <= 64; threads *= 4) {
        const struct timing_job j = {.platform = "xehpg",
                                     .text = text,
                                     .threads = threads,
                                     .groups = 70};
        const struct timing_answer a = timing_run(&j);
        uint64_t sum = 0;
        for (unsigned c = 0; c < XK_TM_CAUSES; c++)
            sum += a.at[c];
        ck_assert_uint_eq(sum, a.cycles * a.units);
        ck_assert_uint_eq(a.instructions, 201ull * threads * 3);
    }
    free(text);
}
END_TEST

START_TEST(more_waves_take_more_time_and_sampling_guesses_it)
{
    char *const text = timing_repeat(
        "add (16|M0) r%u.0<1>:f r2.0<1;1,0>:f 1.0:f {A@2}\n", 300, 20, 2, 40);
    struct timing_job j = {.platform = "xehpg",
                           .text = text,
                           .threads = 64,
                           .groups = 32 * 40,
                           .waves = UINT32_MAX};
    const double all = timing_run(&j).all_cycles;
    j.waves = 4;
    const double some = timing_run(&j).all_cycles;
    j.groups /= 2;
    const double half = timing_run(&j).all_cycles;
    ck_assert_msg(some > 0.97 * all && some < 1.03 * all, "%.0f and %.0f", all,
                  some);
    ck_assert_msg(half > 0.45 * all && half < 0.55 * all, "%.0f and %.0f", all,
                  half);
    free(text);
}
END_TEST

START_TEST(a_group_that_fits_on_no_core_is_refused)
{
    struct xk_timing_record r;
    struct xk_error err = {.message = ""};
    const struct xk_sim_kernel k = {
        .platform = xk_platform_find("xehpg"), .grf_count = 256, .n = 1};
    const struct xk_sim_dispatch d = {.n_threads = 128};
    const struct xk_sim_run run = {.d = &d, .kernel = &k, .n_groups = 1};
    xk_timing_record_init(&r, xk_timing_product_find("a770"), NULL);
    ck_assert_int_eq(xk_timing_record_begin(&r, &run, &err), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.message, "does not fit"));
    xk_timing_record_fini(&r);
    xk_timing_record_init(&r, xk_timing_product_find("max1550"), NULL);
    ck_assert_int_eq(xk_timing_record_begin(&r, &run, &err), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.message, "another platform"));
    xk_timing_record_fini(&r);
}
END_TEST

struct failing {
    unsigned left;
    bool failed;
};

static void *fail_later(void *user, void *p, size_t n_b)
{
    struct failing *const f = user;
    if (!n_b) {
        free(p);
        return NULL;
    }
    if (f->left-- == 0) {
        f->left = 0;
        f->failed = true;
        return NULL;
    }
    return realloc(p, n_b);
}

START_TEST(any_allocation_may_fail)
{
    uint8_t *const memory = calloc(1, 1 << 20);
    unsigned n = 0;
    for (struct failing f = {.failed = true}; f.failed; n++) {
        const struct xk_alloc alloc = {fail_later, &f};
        char text[3000];
        int at = snprintf(text, sizeof text, WHERE, 16, 10);
        snprintf(text + at, sizeof text - (size_t)at, COPY, 10, 0, 10, 20, 10,
                 0);
        const struct timing_job j = {.platform = "xehpg",
                                     .text = text,
                                     .threads = 64,
                                     .groups = 4,
                                     .memory = memory,
                                     .memory_b = 1 << 20,
                                     .alloc = &alloc};
        f = (struct failing){.left = n};
        const struct timing_answer a = timing_run(&j);
        ck_assert(f.failed || a.status == XK_OK);
        ck_assert(a.status == XK_OK || a.status == XK_ENOMEM);
    }
    ck_assert_uint_gt(n, 10);
    free(memory);
}
END_TEST

START_TEST(every_parameter_says_where_it_is_from)
{
    struct xk_timing_parameter v;
    for (unsigned p = 0; xk_timing_product_at(p); p++)
        for (unsigned k = 0;
             xk_timing_parameter_at(xk_timing_product_at(p), k, &v); k++) {
            static const char *const known[] = {
                "vISA",   "RA",       "NEO",      "i915",
                "guide",  "spec",     "assumed",  "fitted",
                "oneDNN", "counters", "measured", "hypothesis"};
            unsigned hits = 0;
            for (size_t s = 0; s < XK_COUNTOF(known); s++)
                hits += !strncmp(v.source, known[s], strlen(known[s]));
            ck_assert_msg(hits == 1, "%s: '%s'", v.name, v.source);
        }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("timing");
    TCase *const t = tcase_create("timing");
    SRunner *const r = srunner_create(s);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(
        t, with_all_threads_busy_every_pipe_reaches_its_peak_within_2_percent,
        0, XK_COUNTOF(peaks));
    tcase_add_loop_test(t,
                        a_chain_of_dependent_instructions_takes_their_latency,
                        0, XK_COUNTOF(chains));
    tcase_add_test(t, without_annotations_nothing_waits);
    tcase_add_loop_test(t, a_distance_waits_for_that_instruction_of_that_pipe,
                        0, XK_COUNTOF(distances));
    tcase_add_test(t, float_int_and_systolic_work_side_by_side);
    tcase_add_test(t, no_more_instructions_begin_in_a_cycle_than_the_width);
    tcase_add_loop_test(t, threads_issue_in_the_order_of_the_arbitration, 0,
                        (int)XK_COUNTOF(orders));
    tcase_add_test(t, a_thread_in_a_freed_slot_is_the_youngest);
    tcase_add_test(t, machines_arbitrate_as_their_drivers_leave_them);
    tcase_add_loop_test(t, a_conflict_of_register_banks_costs_a_cycle_a_pass, 0,
                        (int)XK_COUNTOF(bank_pairs));
    tcase_add_test(t, a_conflict_of_local_memory_banks_costs_by_its_degree);
    tcase_add_test(t, a_load_from_local_memory_takes_its_latency);
    tcase_add_test(t, a_barrier_costs_its_latency_unless_work_hides_it);
    tcase_add_test(t, a_lost_overlap_costs);
    tcase_add_test(t, a_large_copy_is_as_fast_as_memory);
    tcase_add_test(t, what_l2_cannot_keep_is_written_within_the_launch);
    tcase_add_test(
        t,
        adding_in_place_takes_as_long_as_copying_and_twice_as_long_as_writing);
    tcase_add_test(t, a_line_pays_for_being_written_once_while_l2_has_it);
    tcase_add_test(t, half_the_bandwidth_takes_a_large_copy_twice_as_long);
    tcase_add_test(t, what_all_cores_read_is_fetched_once);
    tcase_add_test(t, a_fence_waits_for_stores);
    tcase_add_test(t, every_cycle_of_every_unit_has_one_cause);
    tcase_add_test(t, more_waves_take_more_time_and_sampling_guesses_it);
    tcase_add_test(t, a_group_that_fits_on_no_core_is_refused);
    tcase_add_test(t, any_allocation_may_fail);
    tcase_add_test(t, a_thread_ends_when_its_last_answer_has_come);
    tcase_add_test(t, a_launch_ends_when_what_it_wrote_is_in_memory);
    tcase_add_test(t, every_parameter_says_where_it_is_from);
    suite_add_tcase(s, t);
    srunner_set_tap(r, "-");
    srunner_run_all(r, CK_SILENT);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
