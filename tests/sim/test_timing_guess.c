/* SPDX-License-Identifier: Apache-2.0 */
/* Each hypothesis of the timing model (sim/timing/timing_hypothesis.def) has a
 * kernel here whose time moves by what the hypothesis says, calculated by hand,
 * and a sibling that differs in just that and does not move. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sim/timing/timing_hypothesis.h"
#include "tests/tap.h"
#include "tests/sim/timing_lab.h"

/* Lane numbers times N in r12 and r13 (offsets in SLM); the address of memory
 * and N times the lane in r14 to r17 (64 bits each). */
#define LANES(n)                                                               \
    "mov (8|M0) r10.0<1>:uw 0x76543210:v\n"                                    \
    "add (8|M0) r10.8<1>:uw r10.0<1;1,0>:uw 8:uw {I@1}\n"                      \
    "mul (16|M0) r12.0<1>:ud r10.0<1;1,0>:uw " n ":uw {I@1}\n"                 \
    "add (16|M0) r18.0<1>:ud r12.0<1;1,0>:ud r1.0<0;1,0>:ud {I@1}\n"           \
    "mov (16|M0) r14.0<2>:ud r18.0<1;1,0>:ud {I@1}\n"                          \
    "mov (16|M0) r14.1<2>:ud r1.1<0;1,0>:ud {I@1}\n"                           \
    "sync.nop null {I@1}\n"
/* r3: the address of memory, as a block's. */
#define BLOCK "(W) mov (2|M0) r3.0<1>:ud r1.0<1;1,0>:ud\nsync.nop null {I@1}\n"
#define SLM_X1 "send.slm (16|M0) r20 r12 null:0 0x0 0x04200500 {$1}\n"
#define SLM_X4 "send.slm (16|M0) r20 r12 null:0 0x0 0x04803500 {$1}\n"
#define SLM_STORE "send.slm (16|M0) null r12 r20:2 0x0 0x04000504 {$2}\n"
#define UGM_X1 "send.ugm (16|M0) r20 r14 null:0 0x0 0x08200580 {$1}\n"
#define UGM_BLOCK "(W) send.ugm (1|M0) r20 r3 null:0 0x0 0x0280F580 {$1}\n"
#define UGM_LINE "(W) send.ugm (1|M0) r20 r3 null:0 0x0 0x0220D580 {$1}\n"
/* The same, past L1 (uc.ca). */
#define UGM_PAST(token)                                                        \
    "(W) send.ugm (1|M0) r20 r3 null:0 0x0 0x0224D580 {" token "}\n"
#define FOUR_PAST UGM_PAST("$1") UGM_PAST("$2") UGM_PAST("$3") UGM_PAST("$4")
#define DPAS(n) "(W) dpas.8x8 (8|M0) r40:f null:f r" n ":hf r70.0:hf\n"
#define XVES 16.0 /* of a core: a slope is of all its threads */
/* The same on xehpc, whose registers have 64 bytes; 32 lanes of offsets. */
#define XC_LANES_32                                                            \
    LANES("16")                                                                \
    "add (16|M0) r13.0<1>:ud r12.0<1;1,0>:ud 256:ud {I@1}\n"                   \
    "sync.nop null {I@1}\n"
#define XC_SLM_X1 "send.slm (16|M0) r20 r12 null:0 0x0 0x02100500 {$1}\n"
#define XC_SLM_X4 "send.slm (16|M0) r20 r12 null:0 0x0 0x02403500 {$1}\n"
#define XC_SLM_32 "send.slm (32|M0) r20 r12 null:0 0x0 0x04803500 {$1}\n"
#define XC_UGM_X1 "send.ugm (16|M0) r20 r14 null:0 0x0 0x04100580 {$1}\n"
#define XC_DPAS(n) "(W) dpas.8x8 (16|M0) r40:f null:f r" n ":hf r100.0:hf\n"
#define DPAS_IN(n)                                                             \
    "(W) dpas.8x8 (8|M0) r40:f null:f r" n ":hf r70.0:hf {Atomic}\n"
#define DPAS_LAST                                                              \
    "(W) dpas.8x8 (8|M0) r50:f null:f r60:hf r70.0:hf {$1}\n"                  \
    "sync.nop null {$1.dst}\n"
#define ADD "add (8|M0) r20.0<1>:f r30.0<1;1,0>:f 1.0:f\n"
#define ADD_8 ADD ADD ADD ADD ADD ADD ADD ADD
#define ADD_32 ADD_8 ADD_8 ADD_8 ADD_8

struct probe {
    const char *head, *line;
    unsigned threads;     /* of the group; 0: all of a core */
    const char *platform; /* NULL: xehpg */
};

static const char *platform_of(const struct probe *p)
{
    return p->platform ? p->platform : "xehpg";
}

static const struct timing_job *job_of(const struct probe *p, const char *text,
                                       struct timing_job *j)
{
    static uint8_t memory[1 << 16];
    *j = (struct timing_job){
        .platform = platform_of(p),
        .text = text,
        .slm_b = 16384,
        .memory = memory,
        .memory_b = sizeof memory,
        .threads = p->threads ? p->threads : timing_slots(platform_of(p))};
    return j;
}

static struct timing_answer run(const struct probe *p, unsigned n,
                                const struct xk_timing_product *m)
{
    char *const body = timing_repeat(p->line, n, 0, 0, 1);
    char *const text = malloc(strlen(p->head) + strlen(body) + 1);
    struct timing_job j;
    strcpy(text, p->head);
    strcat(text, body);
    job_of(p, text, &j);
    j.product = m;
    j.fetches = m->fetch != XK_TM_FREE;
    const struct timing_answer a = timing_run(&j);
    free(body);
    free(text);
    return a;
}

/* Cycles that one more line costs a thread of the core. */
static double slope(const struct probe *p, const struct xk_timing_product *m)
{
    const double more = (double)run(p, 96, m).cycles,
                 less = (double)run(p, 32, m).cycles;
    return (more - less) / 64 / (p->threads ? 1 : timing_slots(platform_of(p)));
}

/* The platform's machine with nothing but these words, and code always there.
 */
static struct xk_timing_product machine_of(enum xk_platform_id platform,
                                           const char *words)
{
    struct xk_timing_spec spec;
    struct xk_error err = {.message = ""};
    char text[200];
    snprintf(text, sizeof text, ":fetch=free%s%s", *words ? "," : "", words);
    ck_assert_msg(xk_timing_spec_parse(text, platform, &spec, &err) == XK_OK,
                  "%s", err.message);
    ck_assert(!spec.all);
    return spec.m;
}

static struct xk_timing_product machine(const char *words)
{
    return machine_of(XK_PLATFORM_XEHPG, words);
}

/* By hand: 16 lanes of d32x4 are 256 bytes, two cycles of a port of 128; lanes
 * 4 bytes apart are in 8 banks' words of 8 bytes once, lanes 16 bytes apart in
 * 32; 16 lanes 64 bytes apart are 16 lines. A line past L1 takes 64 bytes of
 * 0.9 x the link; four messages of a line take the port four cycles. On xehpc
 * a port has 256 bytes, and four lines are looked up; 32 lanes of d32x4 are 512
 * bytes, once in each bank; a dpas of 8 rows takes 8 cycles. */
static const struct {
    const char *words;
    struct probe moves;
    double before, after;
    struct probe sibling;
    double both;
} guesses[] = {
    {"gather=component",
     {LANES("16"), SLM_X4, 0},
     2,
     4,
     {LANES("4"), SLM_X1, 0},
     1},
    {"gather=component",
     {LANES("16"), SLM_X4, 0},
     2,
     4,
     {BLOCK, UGM_BLOCK, 0},
     2},
    {"slm=component",
     {LANES("16"), SLM_X4, 0},
     2,
     4,
     {LANES("4"), SLM_X1, 0},
     1},
    {"lines=1", {LANES("64"), UGM_X1, 0}, 8, 16, {LANES("4"), UGM_X1, 0}, 1},
    {"lines=4", {LANES("64"), UGM_X1, 0}, 8, 4, {LANES("4"), SLM_X1, 0}, 1},
    {"port=64", {BLOCK, UGM_BLOCK, 0}, 2, 4, {BLOCK, UGM_LINE, 0}, 1},
    {"port=256", {LANES("16"), SLM_X4, 0}, 2, 1, {LANES("4"), SLM_X1, 0}, 1},
    {"writes=beside",
     {LANES("4"), SLM_X1 SLM_STORE, 0},
     2,
     1,
     {LANES("4"), SLM_X1 SLM_X1, 0},
     2},
    {"l2=32",
     {BLOCK, FOUR_PAST, 0},
     4 * 64 / 57.6,
     4 * 64 / 28.8,
     {BLOCK, UGM_LINE, 0},
     1},
    {"l2=128",
     {BLOCK, FOUR_PAST, 0},
     4 * 64 / 57.6,
     4,
     {BLOCK, UGM_LINE, 0},
     1},
    {"reload=2",
     {"", DPAS("60") DPAS("80"), 1},
     32,
     36,
     {"", DPAS("60") DPAS("60"), 1},
     32},
    /* 32 adds of other threads beside the 32 cycles of two dpas; with a chain
     * only behind its second */
    {"chain=issue",
     {"", DPAS_IN("60") DPAS("60") ADD_32, 0},
     32 / XVES,
     (16 + 32) / XVES,
     {"", DPAS("60") DPAS("60") ADD_32, 0},
     32 / XVES},
    {"lines=8",
     {LANES("64"), XC_UGM_X1, 0, "xehpc"},
     4,
     2,
     {LANES("4"), XC_UGM_X1, 0, "xehpc"},
     1},
    {"port=128",
     {LANES("16"), XC_SLM_X4, 0, "xehpc"},
     1,
     2,
     {LANES("4"), XC_SLM_X1, 0, "xehpc"},
     1},
    {"port=512",
     {XC_LANES_32, XC_SLM_32, 0, "xehpc"},
     2,
     1,
     {LANES("4"), XC_SLM_X1, 0, "xehpc"},
     1},
    {"reload=2",
     {"", XC_DPAS("60") XC_DPAS("80"), 1, "xehpc"},
     16,
     18,
     {"", XC_DPAS("60") XC_DPAS("60"), 1, "xehpc"},
     16},
};

START_TEST(a_value_moves_its_kernel_and_not_the_sibling)
{
    const enum xk_platform_id platform =
        guesses[_i].moves.platform ? XK_PLATFORM_XEHPC : XK_PLATFORM_XEHPG;
    const struct xk_timing_product nominal = machine_of(platform, ""),
                                   other =
                                       machine_of(platform, guesses[_i].words);
    const double before = slope(&guesses[_i].moves, &nominal),
                 after = slope(&guesses[_i].moves, &other),
                 still = slope(&guesses[_i].sibling, &nominal),
                 still_other = slope(&guesses[_i].sibling, &other);
    ck_assert_msg(before > 0.97 * guesses[_i].before &&
                      before < 1.03 * guesses[_i].before,
                  "nominal: %.2f cycles", before);
    ck_assert_msg(after > 0.97 * guesses[_i].after &&
                      after < 1.03 * guesses[_i].after,
                  "%s: %.2f cycles", guesses[_i].words, after);
    ck_assert_msg(still > 0.97 * guesses[_i].both &&
                      still < 1.03 * guesses[_i].both,
                  "sibling: %.2f cycles", still);
    ck_assert_msg(still == still_other, "sibling: %.2f and %.2f cycles", still,
                  still_other);
}
END_TEST

/* Those whose kernels are below. */
static const char *const others[] = {
    "tlb=64",   "dispatch=block", "fetch=free",    "fetch=line", "start=16",
    "start=35", "xmx-clock=high", "xmx-clock=low", "chain=port"};

static const char *const machines[] = {"a770", "max1550"};

START_TEST(every_value_has_a_kernel)
{
    const struct xk_timing_product *const m =
        xk_timing_product_find(machines[_i]);
    struct xk_tm_value v;
    for (unsigned k = 0; xk_tm_value_at(m, k, &v); k++) {
        char words[60];
        bool found = v.nominal;
        snprintf(words, sizeof words, "%s=%s", v.name, v.word);
        for (unsigned i = 0; i < XK_COUNTOF(guesses); i++)
            found |= strcmp(guesses[i].words, words) == 0;
        for (unsigned i = 0; i < XK_COUNTOF(others); i++)
            found |= strcmp(others[i], words) == 0;
        ck_assert_msg(found, "%s has none", words);
    }
}
END_TEST

/* ---- what is no slope of one line ---- */

#define CHASE(step)                                                            \
    "(W) add (1|M0) r3.0<1>:ud r3.0<0;1,0>:ud " step ":ud {$1.dst}\n"          \
    "sync.nop null {I@1}\n" UGM_LINE "sync.nop null {$1.dst}\n"

/* A load a page takes 100 cycles more, one in the page before not. */
START_TEST(a_page_that_is_not_known_costs_a_miss)
{
    const struct xk_timing_product nominal = machine(""),
                                   other = machine("tlb=64");
    static const char *const steps[] = {CHASE("0x10000"), CHASE("64")};
    uint8_t *const memory = calloc(1, 1 << 22);
    double more[2];
    for (unsigned k = 0; k < 2; k++) {
        char *const body = timing_repeat(steps[k], 50, 0, 0, 1);
        char *const text = malloc(sizeof BLOCK + strlen(body));
        sprintf(text, "%s%s", BLOCK, body);
        struct timing_job j = {.platform = "xehpg",
                               .text = text,
                               .memory = memory,
                               .memory_b = 1 << 22,
                               .product = &other};
        more[k] = (double)timing_run(&j).cycles;
        j.product = &nominal;
        more[k] -= (double)timing_run(&j).cycles;
        free(body);
        free(text);
    }
    ck_assert_msg(more[0] == 50 * 100, "%.0f cycles more", more[0]);
    ck_assert_msg(more[1] == 100, "%.0f cycles more", more[1]);
    free(memory);
}
END_TEST

/* 32 groups of 2 cores' worth each read a line of their own, or one for each
 * two neighbours: the latter are fetched once a core if neighbours are there.
 */
START_TEST(neighbours_share_lines_where_they_share_a_core)
{
    static const char *const shift[] = {"7", "6"};
    uint8_t *const memory = calloc(1, 1 << 16);
    double lines[2][2];
    for (unsigned k = 0; k < 4; k++) {
        const struct xk_timing_product m =
            machine(k & 1 ? "dispatch=block" : "");
        char text[600];
        snprintf(text, sizeof text,
                 BLOCK
                 "(W) shr (1|M0) r2.0<1>:ud r0.1<0;1,0>:ud %u:ud\n"
                 "(W) shl (1|M0) r2.0<1>:ud r2.0<0;1,0>:ud %s:ud {I@1}\n"
                 "(W) add (1|M0) r3.0<1>:ud r3.0<0;1,0>:ud r2.0<0;1,0>:ud "
                 "{I@1}\nsync.nop null {I@1}\n" UGM_LINE
                 "sync.nop null {$1.dst}\n",
                 k < 2 ? 1 : 0, shift[k / 2]);
        const struct timing_job j = {.platform = "xehpg",
                                     .text = text,
                                     .groups = 64,
                                     .memory = memory,
                                     .memory_b = 1 << 16,
                                     .product = &m};
        lines[k / 2][k & 1] = (double)timing_run(&j).traffic.l2_lines;
    }
    ck_assert_msg(lines[0][0] == 2 && lines[0][1] == 1, "%.0f, %.0f lines",
                  lines[0][0], lines[0][1]);
    ck_assert_msg(lines[1][0] == 2 && lines[1][1] == 2, "%.0f, %.0f lines",
                  lines[1][0], lines[1][1]);
    free(memory);
}
END_TEST

/* 128 KiB of adds, of 16 bytes each, are more than 96; four of them are a line
 * that comes 200 cycles after it is needed and a cycle of the link. 1000 adds
 * are there after the first time, which a loop shows. */
START_TEST(code_beyond_the_cache_is_fetched)
{
    const struct probe straight = {"", ADD, 1};
    const struct xk_timing_product nominal = machine("fetch=free"),
                                   line = machine("fetch=line"),
                                   ahead = machine("fetch=ahead");
    const double free_cyc = (double)run(&straight, 8192, &nominal).cycles;
    const double by_line =
        (double)run(&straight, 8192, &line).cycles - free_cyc;
    const double by_ahead =
        (double)run(&straight, 8192, &ahead).cycles - free_cyc;
    /* the adds of a line take 4 cycles of the 201 */
    ck_assert_msg(by_line > 2048 * 195.0 && by_line < 2048 * 202.0,
                  "%.0f cycles", by_line);
    /* eight lines and the one that is needed come together: nine lines of 36
     * cycles take 201 and the 4 of the first, as it is when they are asked */
    ck_assert_msg(by_ahead > 2048 / 9.0 * 165 && by_ahead < 2048 / 9.0 * 173,
                  "%.0f cycles", by_ahead);
}
END_TEST

#define LOOP                                                                   \
    "(W) mov (1|M0) r5.0<1>:d %u:d\nL0:\n%s"                                   \
    "(W) add (1|M0) r5.0<1>:d r5.0<0;1,0>:d -1:d {I@1}\n"                      \
    "(W) cmp (1|M0) (gt)f0.0 null<1>:d r5.0<0;1,0>:d 0:d {I@1}\n"              \
    "(W&f0.0) jmpi L0 {A@1}\n"

START_TEST(a_loop_that_fits_is_fetched_once)
{
    double more[2];
    char *const body = timing_repeat(ADD, 100, 0, 0, 1);
    char *const text = malloc(strlen(body) + sizeof LOOP + 20);
    for (unsigned k = 0; k < 2; k++) {
        const struct xk_timing_product nominal = machine("fetch=free"),
                                       line = machine("fetch=line");
        sprintf(text, LOOP, k ? 40 : 2, body);
        struct timing_job j = {
            .platform = "xehpg", .text = text, .product = &line};
        j.fetches = true;
        more[k] = (double)timing_run(&j).cycles;
        j.product = &nominal;
        more[k] -= (double)timing_run(&j).cycles;
    }
    ck_assert_msg(more[0] > 20 * 201, "%.0f cycles", more[0]);
    ck_assert_msg(more[0] == more[1], "%.0f and %.0f cycles", more[0], more[1]);
    free(body);
    free(text);
}
END_TEST

/* The last of 128 threads (64 pairs) begins 63 gaps later, one alone at the
 * same time but for its own. */
START_TEST(threads_start_one_after_the_other)
{
    static const struct {
        const char *words;
        double gap; /* more than nominal */
    } each[] = {{"start=16", 15}, {"start=35", 34}};
    const struct probe all = {"", ADD, 0}, one = {"", ADD, 1};
    const struct xk_timing_product nominal = machine("");
    for (unsigned k = 0; k < XK_COUNTOF(each); k++) {
        const struct xk_timing_product other = machine(each[k].words);
        const double many = (double)run(&all, 1, &other).cycles -
                            (double)run(&all, 1, &nominal).cycles;
        const double single = (double)run(&one, 1, &other).cycles -
                              (double)run(&one, 1, &nominal).cycles;
        ck_assert_msg(many == 64 * each[k].gap, "%.0f cycles", many);
        ck_assert_msg(single == each[k].gap, "%.0f cycles", single);
    }
}
END_TEST

/* Threads wait for the second of two dpas with the same src1. Who is older and
 * ready again takes the array between those of another one, whose src1 it has
 * to take anew; not within a chain: 16 cycles each, and 2 for the first. */
START_TEST(a_chain_is_not_parted)
{
    const struct probe chain = {"", DPAS_IN("60") DPAS_LAST, 0},
                       two = {"", DPAS("60") DPAS_LAST, 0};
    const struct xk_timing_product nominal = machine("reload=2"),
                                   port = machine("reload=2,chain=port");
    const double parted = slope(&chain, &nominal), whole = slope(&chain, &port),
                 still = slope(&two, &nominal);
    ck_assert_msg(whole > 33.9 / XVES && whole < 34.2 / XVES, "%.2f cycles",
                  whole);
    ck_assert_msg(parted > 35 / XVES, "%.2f cycles", parted);
    ck_assert_double_eq(still, parted);
    ck_assert_double_eq(slope(&two, &port), still);
}
END_TEST

/* Only the clock of what uses the systolic array is another. */
START_TEST(the_systolic_array_lowers_the_clock)
{
    static const struct {
        const char *words;
        double part;
    } each[] = {{"xmx-clock=middle", 0.74},
                {"xmx-clock=low", 0.64},
                {"xmx-clock=high", 0.87}};
    const struct probe xmx = {"", DPAS("60"), 1}, mad = {"", ADD, 1};
    const struct xk_timing_product nominal = machine("");
    const struct timing_answer still = run(&mad, 64, &nominal);
    const uint64_t cycles = run(&xmx, 64, &nominal).cycles;
    for (unsigned k = 0; k < XK_COUNTOF(each); k++) {
        const struct xk_timing_product m = machine(each[k].words);
        const struct timing_answer a = run(&xmx, 64, &m), b = run(&mad, 64, &m);
        ck_assert_uint_eq(a.cycles, cycles);
        ck_assert_double_eq_tol(a.time_us,
                                (double)cycles / (2400 * each[k].part), 1e-9);
        ck_assert_double_eq_tol(b.time_us, (double)b.cycles / 2400, 1e-9);
        ck_assert_double_eq(b.time_us, still.time_us);
    }
}
END_TEST

/* ---- the table ---- */

START_TEST(every_machine_has_one_nominal_value_of_a_hypothesis)
{
    for (unsigned p = 0; xk_timing_product_at(p); p++) {
        const struct xk_timing_product *const m = xk_timing_product_at(p);
        unsigned values[XK_TM_HYPOTHESES] = {0},
                 nominal[XK_TM_HYPOTHESES] = {0};
        struct xk_tm_value v;
        unsigned n = 0;
        for (; xk_tm_value_at(m, n, &v); n++) {
            values[v.of]++;
            nominal[v.of] += v.nominal;
            ck_assert(v.nominal == xk_tm_value_is(m, &v));
            ck_assert_msg(strstr(v.why, "for: ") || strstr(v.why, "against: "),
                          "%s=%s: %s", v.name, v.word, v.why);
        }
        ck_assert_uint_le(n, XK_TIMING_ALTERNATIVES);
        for (unsigned h = 0; h < XK_TM_HYPOTHESES; h++)
            ck_assert_msg(nominal[h] == (values[h] > 0) && values[h] != 1,
                          "%s: %s has %u values, %u nominal", m->name,
                          xk_tm_hypothesis_name(h), values[h], nominal[h]);
    }
}
END_TEST

static const struct {
    const char *text, *says;
} wrong[] = {
    {"a770:gater=1", "'gater=1' is no hypothesis; there are gather, slm"},
    {"a770:gather", "gather=: a770 has message, component"},
    {"a770:gather=", "gather=: a770 has message, component"},
    {"a770:port=65", "port=65: a770 has 64, 128, 256"},
    {"a770:port=64,", "'' is no hypothesis"},
    {"a770:", "'' is no hypothesis"},
    {"a770:all=1", "'all=1' is no hypothesis"},
    {"a771", "'a771' is no machine"},
    {"max1550", "no machine of the kernel's platform"},
};

START_TEST(an_unknown_word_is_refused_by_name)
{
    struct xk_timing_spec spec;
    struct xk_error err = {.message = ""};
    ck_assert_int_eq(
        xk_timing_spec_parse(wrong[_i].text, XK_PLATFORM_XEHPG, &spec, &err),
        XK_EINVAL);
    ck_assert_msg(strstr(err.message, wrong[_i].says), "%s", err.message);
}
END_TEST

START_TEST(words_are_taken_together)
{
    struct xk_timing_spec spec;
    struct xk_error err = {.message = ""};
    ck_assert_int_eq(xk_timing_spec_parse(":gather=component,port=64,all",
                                          XK_PLATFORM_XEHPG, &spec, &err),
                     XK_OK);
    ck_assert(spec.all);
    ck_assert_str_eq(spec.m.name, "a770");
    ck_assert_uint_eq(spec.m.gather_comp, 1);
    ck_assert_uint_eq(spec.m.port_b, 64);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("timing_guess");
    TCase *const t = tcase_create("timing_guess");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_value_moves_its_kernel_and_not_the_sibling, 0,
                        XK_COUNTOF(guesses));
    tcase_add_loop_test(t, every_value_has_a_kernel, 0, XK_COUNTOF(machines));
    tcase_add_test(t, a_page_that_is_not_known_costs_a_miss);
    tcase_add_test(t, neighbours_share_lines_where_they_share_a_core);
    tcase_add_test(t, code_beyond_the_cache_is_fetched);
    tcase_add_test(t, a_loop_that_fits_is_fetched_once);
    tcase_add_test(t, threads_start_one_after_the_other);
    tcase_add_test(t, a_chain_is_not_parted);
    tcase_add_test(t, the_systolic_array_lowers_the_clock);
    tcase_add_test(t, every_machine_has_one_nominal_value_of_a_hypothesis);
    tcase_add_loop_test(t, an_unknown_word_is_refused_by_name, 0,
                        XK_COUNTOF(wrong));
    tcase_add_test(t, words_are_taken_together);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
