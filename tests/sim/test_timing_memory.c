/* SPDX-License-Identifier: Apache-2.0 */
/* The timing model's memory beside the core: requests under way, and what
 * shared local memory leaves of L1. Numbers are calculated by hand. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/timing_lab.h"
#include "tests/tap.h"

#define BASE "(W) mov (2|M0) r3.0<1>:ud r1.0<1;1,0>:ud\nsync.nop null {I@1}\n"
#define LINE_B 64
#define BLOCK_B 256
/* A load of a line with one of 16 tokens, 64 bytes behind the one before. */
#define NEXT_LINE                                                              \
    "(W) add (1|M0) r3.0<1>:ud r3.0<0;1,0>:ud 64:ud\nsync.nop null {I@1}\n"    \
    "(W) send.ugm (1|M0) r20 r3 null:0 0x0 0x0220D580 {$%u}\n"
/* The same of four lines, which goes through L1. */
#define NEXT_BLOCK(answer)                                                     \
    "(W) send.ugm (1|M0) r20 r3 null:0 0x0 0x02" answer "0F580 {$1}\n"         \
    "(W) add (1|M0) r3.0<1>:ud r3.0<0;1,0>:ud 256:ud {$1.dst}\n"               \
    "sync.nop null {I@1}\n"

static struct timing_answer run(const struct timing_job *j, const char *middle,
                                char *first, char *second)
{
    struct timing_job job = *j;
    char *const text = malloc(2 * sizeof BASE + strlen(first) + strlen(middle) +
                              strlen(second) + 1);
    sprintf(text, "%s%s%s%s", BASE, first, middle, second);
    job.text = text;
    const struct timing_answer a = timing_run(&job);
    free(text);
    free(first);
    free(second);
    return a;
}

/* Cycles that a thread's lines take, one more. */
static double cycles_a_line(const struct xk_timing_product *m)
{
    uint8_t *const memory = calloc(1, 1 << 16);
    const struct timing_job j = {.platform = "xehpg",
                                 .memory = memory,
                                 .memory_b = 1 << 16,
                                 .product = m};
    const double more =
        (double)run(&j, "", timing_repeat(NEXT_LINE, 512, 0, 1, 16),
                    calloc(1, 1))
            .cycles;
    const double less =
        (double)run(&j, "", timing_repeat(NEXT_LINE, 256, 0, 1, 16),
                    calloc(1, 1))
            .cycles;
    free(memory);
    return (more - less) / 256;
}

/* The only core at work has all entries. Each is taken for the 200 cycles
 * between L2 and memory, and until memory has served the line, at 57.6 bytes a
 * cycle. With entries for all 16 tokens the loads' own latency of 400 is what
 * counts. */
START_TEST(entries_of_the_queue_limit_requests_under_way)
{
    static const struct {
        unsigned entries; /* 0: no limit */
        double cycles;
    } each[] = {{2, 201.1 / 2}, {4, 201.1 / 4}, {1, 201.1}};
    struct xk_timing_product m = *xk_timing_product_find("a770");
    m.fetch = 0;
    const double nominal = cycles_a_line(&m);
    m.miss_b = 0;
    ck_assert_msg(nominal > 400 / 16.0 && nominal < 430 / 16.0,
                  "nominal: %.2f cycles a line", nominal);
    ck_assert_double_eq(nominal, cycles_a_line(&m));
    for (unsigned k = 0; k < sizeof each / sizeof each[0]; k++) {
        m.miss_b = each[k].entries * LINE_B;
        const double got = cycles_a_line(&m);
        ck_assert_msg(got > 0.99 * each[k].cycles &&
                          got < 1.01 * each[k].cycles,
                      "%u entries: %.2f cycles a line", each[k].entries, got);
    }
}
END_TEST

/* A group that fills the core reads so many KiB twice. What fits in what local
 * memory leaves of L1 comes from L2 once. The least recently used line of a set
 * goes, so with 4 KiB more 64 sets have 17 lines for 16 ways, and each of these
 * comes twice. A group's local memory is a power of two, on xehpc 24, 48, 96 or
 * 128 KiB, too; the driver reserves 0, 16, 32, 64, 96 or 128 KiB. */
static const struct {
    const char *machine;
    uint32_t slm_b, kib, twice;
} carved[] = {
    {"a770", 0, 192, 0},           {"a770", 0, 196, 64 * 17},
    {"a770", 1024, 176, 0},        {"a770", 1024, 180, 64 * 17},
    {"a770", 16384, 176, 0},       {"a770", 16385, 160, 0},
    {"a770", 16385, 164, 64 * 17}, {"a770", 40960, 128, 0},
    {"a770", 40960, 132, 64 * 17}, {"max1550", 0, 512, 0},
    {"max1550", 40960, 448, 0},    {"max1550", 40960, 452, 64 * 17},
    {"max1550", 98304, 416, 0},    {"max1550", 98304, 420, 64 * 17},
};

START_TEST(l1_is_what_local_memory_leaves)
{
    const struct xk_timing_product *const found =
        xk_timing_product_find(carved[_i].machine);
    struct xk_timing_product m = *found;
    const bool xehpc = m.platform == XK_PLATFORM_XEHPC;
    const char *const platform = xehpc ? "xehpc" : "xehpg";
    const char *const block = xehpc ? NEXT_BLOCK("4") : NEXT_BLOCK("8");
    const uint32_t blocks = carved[_i].kib * 1024 / BLOCK_B;
    uint8_t *const memory = calloc(1, 1 << 20);
    m.fetch = 0;
    const struct timing_job j = {.platform = platform,
                                 .memory = memory,
                                 .memory_b = 1 << 20,
                                 .slm_b = carved[_i].slm_b,
                                 .threads = timing_slots(platform),
                                 .product = &m};
    const struct timing_answer a =
        run(&j, BASE, timing_repeat(block, blocks, 0, 0, 1),
            timing_repeat(block, blocks, 0, 0, 1));
    ck_assert_msg(a.traffic.l2_lines == blocks * 4u + carved[_i].twice,
                  "%.0f lines", (double)a.traffic.l2_lines);
    free(memory);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("timing_memory");
    TCase *const t = tcase_create("timing_memory");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, entries_of_the_queue_limit_requests_under_way);
    tcase_add_loop_test(t, l1_is_what_local_memory_leaves, 0,
                        sizeof carved / sizeof carved[0]);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
