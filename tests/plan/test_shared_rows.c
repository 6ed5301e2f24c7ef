/* SPDX-License-Identifier: Apache-2.0 */
/* Filter taps that share A's registers, played: every eight rows that are multiplied
 * are those of their step, loaded by then, and nobody loads over what is needed
 * still; and pixels are where the registers take them to be. */
#include "tests/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "plan_lab.h"

enum { EIGHT_B = 256, MAX_EIGHTS = 32 }; /* eight rows of 32 bytes */

static xk_ctx *c;
static struct xk_nest con;
static struct xk_plan p;

static void setup(void)
{
    c = xk_ctx_create(NULL);
    ck_assert_ptr_nonnull(c);
}

static void teardown(void)
{
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

/* Whether there is a plan; else why stands in the context's error. */
static bool make_plan(const char *problem, const char *src, const char *text)
{
    char all[128];
    snprintf(all, sizeof(all), "%s window=1", text);
    return plan_lab_flat(c, problem, src, all, &con, &p) == XK_OK;
}

/* ---- registers over time ---- */

/* Eight rows of A: step of K, tap along the outer dims, column of pixels, counted in
 * eights from the thread's first one's at the window's first tap. */
struct content {
    int64_t k, outer, column;
};

/* Step i of a slice, by the order that plan.h tells. */
static struct content step_at(int64_t i, int64_t *tap)
{
    const int64_t beside = p.a.slots, outer = p.flat.taps / beside;
    const int64_t halves = p.flat.halves, in = i % p.a.steps;
    i /= p.a.steps;
    *tap = i % beside;
    i /= beside;
    const int64_t half = i % halves;
    i /= halves;
    const int64_t k = i / outer * halves + half;
    return (struct content){k * p.a.steps + in, i % outer, 0};
}

/* What item `item` of step i brings, or is. */
static struct content rows_of(int64_t i, unsigned item)
{
    int64_t tap;
    struct content x = step_at(i, &tap);
    x.column = item + tap * p.flat.window;
    return x;
}

/* The register of item `item` at step i, in eights. */
static unsigned place_of(int64_t i, unsigned item)
{
    const int64_t slot_b = i / p.a.steps % p.a.slots * p.a.slot_b;
    const int64_t at_b = slot_b + i % p.a.steps * EIGHT_B +
                         p.seg[0].a.item[item].msg.reg_b;
    ck_assert_int_eq(at_b % EIGHT_B, 0);
    ck_assert_int_lt(at_b, xk_plan_slots_b(&p.a));
    return (unsigned)(at_b / EIGHT_B);
}

/* Whether item `item` is loaded for step i. */
static bool is_loaded(int64_t i, unsigned item)
{
    const bool last = i % p.a.slots == p.a.slots - 1;
    return i < p.flat.trip && (item < p.flat.window || last);
}

/* A turn of time t: rows of one step are multiplied, those of a later one loaded. */
static unsigned play_turn(struct content *held, int64_t t,
                          const struct xk_plan_turn *u, unsigned a)
{
    const int64_t now = t - p.flat.stage, later = t - p.a.stage;
    unsigned loads = 0;
    for (unsigned e = u->row / 8; now >= 0 && e < (u->row + u->rows) / 8u; e++) {
        const struct content want = rows_of(now, e);
        const struct content *const got = &held[place_of(now, e)];
        ck_assert_msg(got->k == want.k && got->outer == want.outer &&
                          got->column == want.column,
                      "step %lld, eight %u", (long long)now, e);
    }
    for (; a < u->a_end; a++)
        if (is_loaded(later, a)) {
            held[place_of(later, a)] = rows_of(later, a);
            loads++;
        }
    return loads;
}

/* Loads of eights in all. */
static unsigned play(void)
{
    struct content held[MAX_EIGHTS];
    unsigned loads = 0;
    memset(held, -1, sizeof held);
    for (int64_t t = 0; t < p.flat.trip + p.flat.stage; t++)
        for (unsigned u = 0, a = 0; u < p.flat.n_turns; u++) {
            loads += play_turn(held, t, &p.flat.turn[u], a);
            a = p.flat.turn[u].a_end;
        }
    return loads;
}

/* each: eights that a thread loads for a step of K and an outer tap. */
static const struct {
    const char *problem, *src, *schedule;
    unsigned shift, halves, each;
} rows[] = {
    /* 16 images, a pair's threads at the same pixels: 2 pixels and 2 more */
    {"mb16ic64ih14oc64oh14kh3ph1", "Bcda16b", "fma=dpasw m=16 n=64 nsub=64", 1, 1, 4},
    {"mb16ic64ih14oc64oh14kh3ph1", "axb", "fma=dpasw m=16 n=64 nsub=64", 1, 2, 4},
    /* 14 is no multiple of 4 pixels: 2 with all of their images */
    {"mb16ic64ih14oc64oh14kh3ph1", "Bcda16b", "fma=dpasw m=32 n=32 nsub=32", 2, 1, 8},
    {"mb16ic64ih16oc64oh16kh3ph1", "Bcda16b", "fma=dpasw m=32 n=32 nsub=32", 1, 1, 6},
    {"mb16ic64ih16oc64oh16kh3ph1", "axb", "fma=dpasw m=32 n=32 nsub=32", 1, 2, 6},
    {"mb16ic64ih16oc64oh16kh3ph1", "axb",
     "fma=dpasw m=32 n=32 nsub=32 skip=1 slots=1,3", 1, 2, 6},
    {"mb16ic96ih16oc64oh16kh3ph1", "axb",
     "fma=dpasw m=32 n=32 nsub=32 slices=2", 1, 1, 6}, /* 3 steps a slice */
    {"mb8ic64ih9oc64oh9kh3ph1", "Bcda16b", "fma=dpas m=24 n=32 nsub=32", 1, 1, 5},
    {"mb8ic64ih8iw8oc64oh8ow8kh1kw5ph0pw2", "Bcda16b", "fma=dpas m=32 n=16 nsub=16", 1, 1, 8},
    {"mb32ic64ih6oc64oh6kh3ph1", "Bcda16b", "fma=dpasw m=32 n=32 nsub=32 skip=1", 2, 1,
     8},
    {"mb16ic64ih14oc64oh14kh3ph1", "Bcda16b",
     "fma=dpasw m=16 n=64 nsub=64 spread=120", 1, 1, 4},
    /* lines of 4, 4, 3 and 3 pixels */
    {"mb16ic64ih14oc64oh14kh3ph1", "axb",
     "fma=dpasw m=32 n=32 nsub=32 skip=1 spread=56", 1, 2, 6},
};

START_TEST(registers_hold_what_is_multiplied)
{
    ck_assert_msg(make_plan(rows[_i].problem, rows[_i].src, rows[_i].schedule),
                  "%s", c->error.message);
    const unsigned per = p.flat.taps / p.a.slots;
    ck_assert_uint_eq(p.flat.window, rows[_i].shift);
    ck_assert_uint_eq(p.flat.halves, rows[_i].halves);
    ck_assert_uint_eq(play(), rows[_i].each * per * p.flat.trip / p.flat.taps);
}
END_TEST

/* ---- pixels ---- */

/* Whether a group's threads have all rows: of a line's groups in turn, which begin one
 * further in each line; of all groups the first ones. */
static bool is_full(uint32_t group)
{
    if (!p.full_groups)
        return true;
    const uint32_t line = p.parts > 1 ? group / p.part_groups : 0;
    return (group - line * p.part_groups + line) % p.part_groups < p.full_groups;
}

/* Rows of M in front of a group's. */
static int64_t rows_before(uint32_t group)
{
    int64_t sum = 0;
    for (uint32_t g = 0; g < group; g++)
        sum += (int64_t)p.s.tg_m * (p.s.m_thr - (is_full(g) ? 0 : 8));
    return sum;
}

/* M's row that is the first of eight `eight` of a thread. */
static int64_t row_of(uint32_t group, unsigned thread, unsigned eight)
{
    const int64_t mine = p.s.m_thr - (is_full(group) ? 0 : 8);
    const int64_t first = rows_before(group);
    if (p.flat.alternate)
        return first + thread / 2 * 2 * mine + thread % 2 * 8 + 16 * eight;
    return first + thread * mine + 8 * eight;
}

/* Where a thread has both eights, the first one's images and pixel are the other's
 * one tap further. mb: images before the next pixel of a line. */
static void check_thread(uint32_t group, unsigned thread, int64_t mb, int64_t ow)
{
    const unsigned n = p.s.m_thr / 8u - !is_full(group);
    for (unsigned e = p.flat.window; e < n; e++) {
        const int64_t row = row_of(group, thread, e);
        const int64_t other = row_of(group, thread, e - p.flat.window);
        if (row >= p.m_extent)
            return;
        ck_assert_int_eq(row % mb, other % mb);
        ck_assert_int_eq(row / mb, other / mb + 1);
        ck_assert_int_gt(row / mb % ow, 0); /* no image's row ends between them */
    }
}

/* Each eight rows of M are one thread's. */
static void check_all_rows(uint32_t groups)
{
    static unsigned hits[4096];
    memset(hits, 0, sizeof hits);
    for (uint32_t g = 0; g < groups; g++)
        for (unsigned t = 0; t < p.s.tg_m; t++)
            for (unsigned e = 0; e < p.s.m_thr / 8u - !is_full(g); e++)
                hits[row_of(g, t, e) / 8 % 4096]++;
    for (int64_t row = 0; row < p.m_extent; row += 8)
        ck_assert_uint_eq(hits[row / 8], 1);
}

/* A problem and a schedule; of spread ones the number of groups may not suit. */
static void draw(unsigned *seed, char *problem, char *text, int *mb, int *ow)
{
    static const int mbs[] = {8, 16, 16, 24, 32}, ms[] = {16, 16, 24, 32};
    const int oh = 1 + rand_r(seed) % 6, m = ms[rand_r(seed) % 4];
    const int tg = 2 << rand_r(seed) % 2, fma = rand_r(seed) % 2;
    *mb = mbs[rand_r(seed) % 5];
    *ow = 2 + rand_r(seed) % 14;
    const int all = *mb * oh * *ow, line = *ow * (*mb % 16 ? 8 : 16);
    const int lines = m > 16 ? all / line : 1;
    const int groups = lines * ((all / lines + m * tg - 1) / (m * tg));
    const int more = lines > 1 ? 0 : groups / 3;
    snprintf(problem, 96, "mb%dic32ih%diw%doc32oh%dow%dkh3kw3ph1pw1", *mb, oh, *ow, oh,
             *ow);
    snprintf(text, 96, "fma=%s m=%d n=32 nsub=32 tg=%dx1 spread=%d",
             fma ? "dpas" : "dpasw", m, tg, rand_r(seed) % 2 ? groups + more : 0);
}

START_TEST(neighbours_are_in_a_row)
{
    unsigned seed = 300u + (unsigned)_i, found = 0, in_lines = 0;
    for (unsigned i = 0; i < 300; i++) {
        char problem[96], text[96];
        int mb, ow;
        draw(&seed, problem, text, &mb, &ow);
        if (!make_plan(problem, "Bcda16b", text)) {
            xk_ctx_clear(c);
            continue;
        }
        for (uint32_t g = 0; g < p.groups[1]; g++)
            for (unsigned t = 0; t < p.s.tg_m; t++)
                check_thread(g, t, mb % 16 ? 8 : 16, ow);
        check_all_rows(p.groups[1]);
        found++;
        in_lines += p.parts > 1;
        xk_ctx_clear(c);
    }
    ck_assert_msg(found > 30 && in_lines > 2, "seed %d: %u, %u", 300 + _i, found,
                  in_lines);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("plan_shared_rows");
    TCase *const t = tcase_create("window");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, registers_hold_what_is_multiplied, 0, XK_COUNTOF(rows));
    tcase_add_loop_test(t, neighbours_are_in_a_row, 0, 4);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
