/* SPDX-License-Identifier: Apache-2.0 */
/* A through SLM: what of the loop is worked out, and each reason against it.
 * The plan is asked directly, so that schedules come which the rules refuse. */
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"
#include "plan_lab.h"
#include "tests/tap.h"

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
    xk_ctx_clear(c);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

/* The contraction of an f16 problem with these layouts. */
static void problem(const char *text, const char *src, const char *wei)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    d.src_type = d.wei_type = XK_F16;
    plan_lab_contraction(c, text, &d, src, wei, &con);
}

static enum xk_status make(const char *change)
{
    struct xk_schedule s = {0};
    ck_assert_int_eq(
        xk_schedule_parse(c, "fma=dpas simd=8 m=16 n=32 nsub=32 k=16 tg=4x2 "
                             "slots=1,1 slm=3 depth=1 addr=surface grf=256", &s),
        XK_OK);
    ck_assert_int_eq(xk_schedule_parse(c, change, &s), XK_OK);
    return xk_plan_make(c, xk_platform_get(XK_PLATFORM_XEHPG), &con, &s, &p);
}

/* NHWC: a row of K is 2 * ic bytes. Weights in blocks of 32 x 16. */
#define SRC "acdb"
#define WEI "ABcd32a16b"

static const struct {
    const char *why, *text, *src, *wei, *change;
} refused[] = {
    /* Elements of K apart are packed on their way in, evenly spaced ones. */
    {NULL, "mb1ic64ih8oc64kh3ph1", "abcd", WEI, ""},
    {"A's elements come one by one", "mb1ic64ih8oc64kh3ph1", "abcd", WEI,
     "depth=2"},
    {"A's elements come one by one", "mb1ic64ih8oc64kh3ph1", "abcd", WEI,
     "slm=2 footprint=1"},
    {"A's elements come one by one", "mb1ic64ih8oc64kh3ph1", "aBcd4b", WEI, ""},
    {"K is no multiple of a step", "mb1ic63ih8oc64kh3ph1", SRC, WEI, ""},
    {"B is not loaded in blocks", "mb1ic64ih8oc64kh3ph1", SRC, "acdb", ""},
    {"K is no multiple of a step", "mb1ic24ih8oc64kh3ph1", SRC, WEI, ""},
    {"A's steps of K are not evenly spaced", "mb1ic64ih8oc64kh3ph1", "aBcd32b",
     WEI, ""},
    /* Fewer than 268435455 bytes: four steps of so many pixels of 32. */
    {"K spans too many bytes", "mb1ic64ih2048iw1024oc32kh1kw1", "aBcd16b", WEI, ""},
    {NULL, "mb1ic64ih2048iw1023oc32kh1kw1", "aBcd16b", WEI, ""},
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=1x4"}, /* 2 tiles, 4 threads */
    {"too many filter taps", "mb1ic64ih8oc64kh5ph2", SRC, WEI, ""},
    {"K is no multiple of a step", "mb1ic80ih8oc64kh3ph1", SRC, WEI,
     "depth=2"},
    /* Each tap has a body; two buffers of B make it two, depths are in it. */
    {NULL, "mb1ic64ih9iw4oc64kh3kw3ph2", SRC, WEI, "slots=1,2"},
    {NULL, "mb1ic64ih9iw4oc64kh3kw3ph2", SRC, WEI, "slots=1,2 depth=2"},
    {"too many copies of the loop's body", "mb1ic64ih9iw9oc64kh5kw3ph2", SRC,
     WEI, "slots=1,2"},
    {"too many copies of the loop's body", "mb1ic64ih9iw9oc64kh3kw3ph2", SRC,
     WEI, "depth=4"},
    {"too many copies of the loop's body", "mb1ic64ih9iw4oc64kh3kw3ph2", SRC,
     WEI, "unroll=19"},
    {NULL, "mb1ic64ih9iw4oc64kh3kw3ph2", SRC, WEI, "unroll=18"},
    {"A's elements come one by one", "mb1ic64ih8oc64kh3ph1", SRC, WEI,
     "depth=2 load_a=elements"},
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "load_a=elements"},
    /* 8 tiles in 4 depths, two of them a unit, for 8 threads and for 32. */
    {NULL, "mb1ic64ih8oc64kh1", SRC, WEI, "depth=4"},
    {NULL, "mb1ic64ih8oc64kh1", SRC, WEI, "tg=4x8 depth=4"},
    /* 4 places of 8 threads * 2 tiles * 256 bytes, or of 32; three times
     * as many take 32 tiles' place each, then 64's: more than 64 KiB. */
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=32x2"},
    {"its buffers are larger than SLM", "mb1ic64ih8oc64kh3ph1", SRC, WEI,
     "tg=48x2"},
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=48x2 slm=2"},
    {"its buffers are larger than SLM", "mb1ic64ih8oc64kh3ph1", SRC, WEI,
     "tg=64x2"},
    /* Each slice has its own. */
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=48x2 slm=2 slices=1"},
    {"its buffers are larger than SLM", "mb1ic64ih8oc64kh3ph1", SRC, WEI,
     "tg=24x2 slices=4"},
    {NULL, "mb1ic64ih8oc64kh3ph1", SRC, WEI, "tg=64x2 slm=0"},
};

START_TEST(each_reason_is_said)
{
    problem(refused[_i].text, refused[_i].src, refused[_i].wei);
    const enum xk_status st = make(refused[_i].change);
    ck_assert_msg(st == (refused[_i].why ? XK_ENOFIT : XK_OK), "%d: %s", st,
                  c->error.message);
    if (!refused[_i].why)
        return;
    char want[100];
    snprintf(want, sizeof(want), "plan: slm=%u: %s", p.s.slm, refused[_i].why);
    ck_assert_str_eq(c->error.message, want);
}
END_TEST

/* Worked out by hand from the head of lower/slm_loop.c. */
static const struct {
    const char *text, *wei, *change;
    unsigned blocks, per_thread, taps, copies, trip;
    int64_t step_b, b_depth_b, b_tap_b; /* 0: there is but one */
} loops[] = {
    /* blocks = 4 * 16 / 8; copies = 9; trip = 9 * 64 / 16; a tile of B has 32
     * rows of 32 bytes: taps inside of K, or outside. */
    {"mb1ic64ih8oc64kh3ph1", WEI, "", 8, 1, 9, 9, 36, 32, 9216, 1024},
    {"mb1ic64ih8oc64kh3ph1", "AcdB32a16b", "", 8, 1, 9, 9, 36, 32, 1024, 4096},
    {"mb1ic64ih8oc64kh3ph1", WEI, "slots=1,2", 8, 1, 9, 18, 36, 32, 9216, 1024},
    {"mb1ic64ih8oc64kh3ph1", WEI, "m=32 slm=2", 16, 2, 9, 9, 36, 32, 9216,
     1024},
    {"mb1ic64ih8oc64kh3ph1", WEI, "slm=1", 8, 1, 9, 9, 36, 32, 9216, 1024},
    /* Two depths: half the steps, twice as long; B's slots need no copy. */
    {"mb1ic64ih8oc64kh3ph1", WEI, "depth=2 slots=1,2", 8, 1, 9, 9, 18, 64, 9216,
     1024},
    {"mb1ic64ih8oc64kh1", WEI, "depth=4 slots=1,2", 8, 2, 1, 1, 1, 128, 1024,
     0},
    /* Two slices have half the steps each. */
    {"mb1ic64ih8oc64kh3ph1", WEI, "slices=2", 8, 1, 9, 9, 18, 32, 9216, 1024},
    {"mb1ic64ih8oc64kh1", WEI, "depth=2 slices=2", 8, 1, 1, 1, 1, 64,
     1024, 0},
    /* One tap: both orders of the weights are the same. */
    {"mb1ic64ih8oc64kh1", WEI, "", 8, 1, 1, 1, 4, 32, 1024, 0},
    {"mb1ic64ih8oc64kh1", "AcdB32a16b", "", 8, 1, 1, 1, 4, 32, 1024, 0},
    /* One step: nothing comes after it. */
    {"mb1ic16ih8iw5oc64kh2kw1", WEI, "tg=8x2", 16, 1, 2, 2, 2, 32, 0, 1024},
    {"mb1ic16ih8iw5oc64kh2kw1", "AcdB32a16b", "tg=8x2", 16, 1, 2, 2, 2, 32, 0,
     1024},
};

START_TEST(the_loop_is_worked_out)
{
    problem(loops[_i].text, SRC, loops[_i].wei);
    ck_assert_msg(make(loops[_i].change) == XK_OK, "%s", c->error.message);
    ck_assert_uint_eq(p.slm.blocks, loops[_i].blocks);
    ck_assert_uint_eq(p.slm.per_thread, loops[_i].per_thread);
    ck_assert_uint_eq(p.slm.taps, loops[_i].taps);
    ck_assert_uint_eq(p.slm.copies, loops[_i].copies);
    ck_assert_uint_eq(p.slm.trip, loops[_i].trip);
    ck_assert_uint_eq(p.slm.buffers, p.s.slm);
    ck_assert_uint_eq(p.slm.slot_b, loops[_i].blocks * 256 * p.s.depth);
    ck_assert_int_eq(p.slm.step_b, loops[_i].step_b);
    ck_assert_int_eq(p.slm.b_depth_b, loops[_i].b_depth_b);
    ck_assert_int_eq(p.slm.b_tap_b, loops[_i].b_tap_b);
}
END_TEST

#define FOOT "slm=2 footprint=1 "
/* 64 rows of 16 x 32 tiles and 8 threads, unless said otherwise. Counted by hand:
 * number of the last row's pixel less that of the first, and of the last tap's
 * pixel, and one; 8 of them are a unit of 256 bytes. */
static const struct {
    const char *text, *change;
    unsigned pixels, per_thread, staged, copies, trip;
} halos[] = {
    /* 10 x 10 with its padding: all of it. 77 and 22. */
    {"mb1ic64ih8oc64kh3ph1", FOOT, 100, 2, 2, 1, 4},
    /* Half of it: 4 lines and 2, 37 and 22. */
    {"mb1ic64ih8oc64kh3ph1", FOOT "tg=2x2", 60, 2, 2, 1, 4},
    /* Bodies end with the buffer of B that they began with. */
    {"mb1ic64ih8oc64kh3ph1", FOOT "slots=1,2", 100, 2, 2, 2, 4},
    {"mb1ic64ih8oc64kh3ph1", FOOT "slots=1,3", 100, 2, 2, 1, 4},
    {"mb1ic64ih8oc64kh3ph1", FOOT "tg=2x2 slices=2", 60, 2, 2, 1, 2},
    {"mb1ic64ih8oc64kh3ph1", FOOT "tg=2x1 slices=4", 60, 4, 4, 1, 1},
    /* Images of 5 x 5 with their padding, 9 rows each: row 32 is pixel 82, row
     * 63, beyond M, pixel 175; 12 for the last tap. */
    {"mb5ic32ih3oc64kh3ph1", FOOT "tg=2x2", 106, 4, 4, 1, 2},
    /* Lines of 12 pixels; row 15 is pixel 6 * 12 + 9; 26 for the last tap. */
    {"mb1ic64ih15iw12oc64kh3kw3sh2sw3ph1pw1", FOOT "tg=1x2", 108, 7, 7, 1, 4},
    /* Lines of 8, images of 5: row 16 is pixel 44, row 31 is 105; 10. */
    {"mb2ic64ih7iw8oc64kh2kw2sh3sw1dh0dw1", FOOT "tg=1x2", 72, 5, 5, 1, 4},
    {"mb2ic64iw16oc64kw3pw1", FOOT "tg=1x2", 18, 2, 2, 1, 4},
    /* Registers: 32 of C, 16 of A, 48 of B, 10 headers, 14 others leave 8. */
    {"mb1ic32ih9iw8oc32oh8ow8kh2kw1",
     FOOT "n=16 nsub=16 tg=2x1 grf=128 slots=1,3", 40, 3, 1, 3, 2},
    {"mb1ic32ih9iw8oc32oh8ow8kh2kw1",
     FOOT "n=16 nsub=16 tg=2x1 grf=128 slots=1,2", 40, 3, 3, 1, 2},
    /* 32 rows and two lines; 16 threads: 64 KiB in two places. */
    {"mb1ic32ih100iw496oc64oh98ow496kh3kw1", FOOT "tg=2x8", 1024, 8, 8, 1, 2},
};

START_TEST(the_footprint_is_counted)
{
    problem(halos[_i].text, SRC, WEI);
    ck_assert_msg(make(halos[_i].change) == XK_OK, "%s", c->error.message);
    const unsigned threads = p.s.tg_m * p.s.tg_n;
    ck_assert_uint_eq(p.slm.foot.pixels, halos[_i].pixels);
    ck_assert_uint_eq(p.slm.per_thread, halos[_i].per_thread);
    ck_assert_uint_eq(p.slm.foot.staged, halos[_i].staged);
    ck_assert_uint_eq(p.slm.copies, halos[_i].copies);
    ck_assert_uint_eq(p.slm.trip, halos[_i].trip);
    ck_assert_uint_eq(p.slm.slot_b, halos[_i].per_thread * threads * 256);
    ck_assert_uint_eq(p.slm.all_b, 2 * p.slm.slot_b);
}
END_TEST

/* Lines of eight rows, so far apart. */
static const char *const strides[] = {
    "mb1ic64ih8iw10oc64oh8ow8kh1kw3sw1ph0pw0", "mb1ic64ih8iw17oc64oh8ow8kh1kw3sw2ph0pw0",
    "mb1ic64ih8iw24oc64oh8ow8kh1kw3sw3ph0pw0", "mb1ic64ih8iw31oc64oh8ow8kh1kw3sw4ph0pw0",
    "mb1ic64ih8iw45oc64oh8ow8kh1kw3sw6ph0pw0", "mb1ic64ih8iw59oc64oh8ow8kh1kw3sw8ph0pw0",
};

static int64_t place_of(int64_t pixel)
{
    return xk_plan_footprint_place(&p.slm.foot, pixel);
}

/* 8 pixels, `by` apart: each has 32 bytes of SLM's 8 times 8 banks. */
static void check_banks(int64_t pixel, int64_t by)
{
    unsigned met = 0;
    for (unsigned i = 0; i < 8; i++)
        met |= 1u << place_of(pixel + i * by) % 8;
    ck_assert_msg(met == 0xff, "pixel %d, %d apart: %02x", (int)pixel, (int)by, met);
}

START_TEST(neighbours_meet_all_banks)
{
    problem(strides[_i], SRC, WEI);
    ck_assert_msg(make(FOOT "tg=1x2") == XK_OK, "%s", c->error.message);
    const struct xk_plan_footprint *const f = &p.slm.foot;
    for (int64_t m = 0; m < 16; m += 8)
        for (int64_t tap = 0; tap < 3; tap++)
            check_banks(xk_halo_pixel(&p.con->walked, &f->f, m) +
                            xk_halo_tap(&p.con->walked, &f->f, tap),
                        xk_halo_pixel(&p.con->walked, &f->f, 1));
    for (int64_t unit = 0; 8 * unit + 8 <= f->pixels; unit++)
        check_banks(8 * unit, 1);
}
END_TEST

/* Each in a place of its own, all in one buffer. */
START_TEST(pixels_have_places)
{
    problem(strides[_i], SRC, WEI);
    ck_assert_msg(make(FOOT "tg=1x2") == XK_OK, "%s", c->error.message);
    for (int64_t i = 0; i < p.slm.foot.pixels; i++) {
        ck_assert_int_lt(place_of(i) * 32, p.slm.slot_b);
        for (int64_t j = 0; j < i; j++)
            ck_assert_int_ne(place_of(i), place_of(j));
    }
}
END_TEST

/* Images of 3 lines with 3 rows 4 pixels apart and a tap beside each: 10 pixels, or 12
 * in 4 columns. Row 63 of 64 begins the image with number 7. Columns of 66 places, 32
 * bytes each, twice in each slice: 8 times 8448 bytes are more than 64 KiB, 8 times 7
 * units for each of 4 threads are not. */
static const struct {
    const char *change;
    unsigned columns, pixels;
} room[] = {
    {FOOT "m=32 tg=2x2 slices=2", 4, 7 * 36 + 2},
    {FOOT "m=32 tg=2x2 slices=4", 1, 7 * 30 + 2},
};

START_TEST(columns_need_room)
{
    problem("mb2ic128ih13iw13oc32kh1kw2sh5sw4", SRC, WEI);
    ck_assert_msg(make(room[_i].change) == XK_OK, "%s", c->error.message);
    ck_assert_int_eq(p.slm.foot.f.columns, room[_i].columns);
    ck_assert_uint_eq(p.slm.foot.pixels, room[_i].pixels);
}
END_TEST

/* 49 rows are 7 blocks of 8, 4 of 16 and 2 of 32: with tiles of 16 rows a group
 * has two or one of them a thread. */
static const struct {
    const char *change;
    unsigned groups, full; /* along M; 0: all are */
} spread[] = {
    {"tg=1x2", 4, 0},          {"tg=1x2 spread=5", 5, 2},
    {"tg=1x2 spread=6", 6, 1}, {"tg=2x2 spread=3", 3, 1},
    {"tg=2x2 spread=3 slm=0 taps=inner", 3, 1},
};

START_TEST(rows_are_spread)
{
    problem("mb1ic64ih7oc64kh1", SRC, WEI);
    ck_assert_msg(make(spread[_i].change) == XK_OK, "%s", c->error.message);
    ck_assert_uint_eq(p.groups[1], spread[_i].groups);
    ck_assert_uint_eq(p.full_groups, spread[_i].full);
    ck_assert(p.a.row_masked && p.epi.m_masked);
    struct xk_str s;
    char want[80];
    xk_str_init(&s, NULL);
    xk_plan_print(&p, &s);
    snprintf(want, sizeof(want), "16 in the first %u groups along M, 8 in the",
             spread[_i].full);
    ck_assert_int_eq(strstr(xk_str_get(&s), want) != NULL, spread[_i].full > 0);
    xk_str_fini(&s);
}
END_TEST

static const struct {
    const char *why, *text, *wei, *change;
} no_halo[] = {
    {"footprint=1: filter taps are no constant number of pixels apart",
     "mb1ic32ih9iw9oc64kh3kw1sh2sw1dh1", WEI, FOOT},
    /* 64 rows and two lines of pixels, 32 bytes each; SLM has 64 KiB. */
    {"footprint=1: 2064 pixels are larger than SLM",
     "mb1ic32ih66iw1000oc64oh64ow1000kh3kw1", WEI, FOOT},
    {"slm=2: its buffers are larger than SLM",
     "mb1ic32ih100iw992oc64oh98ow992kh3kw1", WEI, FOOT},
    /* 1040 pixels are 9 units for each of 16 threads, twice; 1024 are 8, but
     * there are two slices. */
    {"slm=2: its buffers are larger than SLM",
     "mb1ic32ih66iw504oc64oh64ow504kh3kw1", WEI, FOOT "tg=2x8"},
    {"slm=2: its buffers are larger than SLM",
     "mb1ic32ih100iw496oc64oh98ow496kh3kw1", WEI, FOOT "tg=2x8 slices=2"},
    {"slm=2: too many filter taps", "mb1ic64ih8oc64kh5ph2", WEI, FOOT},
    {"slm=2: too many copies of the loop's body",
     "mb1ic64ih9iw9oc64kh5kw3ph2", WEI, FOOT "slots=1,2"},
    {"slm=2: B is not loaded in blocks", "mb1ic64ih8oc64kh3ph1", "acdb",
     FOOT},
};

START_TEST(each_reason_against_a_footprint_is_said)
{
    problem(no_halo[_i].text, SRC, no_halo[_i].wei);
    ck_assert_int_eq(make(no_halo[_i].change), XK_ENOFIT);
    ck_assert_msg(strstr(c->error.message, no_halo[_i].why), "%s",
                  c->error.message);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("slm");
    TCase *const t = tcase_create("slm");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, each_reason_is_said, 0, XK_COUNTOF(refused));
    tcase_add_loop_test(t, the_loop_is_worked_out, 0, XK_COUNTOF(loops));
    tcase_add_loop_test(t, the_footprint_is_counted, 0, XK_COUNTOF(halos));
    tcase_add_loop_test(t, neighbours_meet_all_banks, 0, XK_COUNTOF(strides));
    tcase_add_loop_test(t, pixels_have_places, 0, XK_COUNTOF(strides));
    tcase_add_loop_test(t, columns_need_room, 0, XK_COUNTOF(room));
    tcase_add_loop_test(t, rows_are_spread, 0, XK_COUNTOF(spread));
    tcase_add_loop_test(t, each_reason_against_a_footprint_is_said, 0,
                        XK_COUNTOF(no_halo));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
