/* SPDX-License-Identifier: Apache-2.0 */
/* How operands come, and with how many messages; masks and registers are as
 * they must be. What the messages are is pass expand's (tests/passes). */
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"
#include "plan_lab.h"
#include "tests/set_schedule.h"
#include "views/formula.h"
#include "tests/arena_fixture.h"

static struct xk_nest con;

/* The contraction of a problem of f32 with a weights tag. */
static void problem(const char *text, const char *wei_tag)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    plan_lab_contraction(c, text, &d, "acdb", wei_tag, &con);
}

static struct xk_schedule schedule(unsigned m, unsigned n, unsigned k,
                                   unsigned slots_a, unsigned slots_b)
{
    const struct xk_schedule s = {.simd = 16,
                                  .m_thr = (uint16_t)m,
                                  .n_thr = (uint16_t)n,
                                  .n_sub = (uint16_t)n,
                                  .k_step = (uint16_t)k,
                                  .tg_m = 4,
                                  .tg_n = 1,
                                  .slots_a = (uint8_t)slots_a,
                                  .slots_b = (uint8_t)slots_b,
                                  .grf_count = 128};
    return s;
}

/* The plan of con. */
static struct xk_plan plan_of(const struct xk_schedule *s)
{
    struct xk_plan p;
    ck_assert_msg(xk_plan_make(c, plan_lab_xehpg(), &con, s, &p) == XK_OK, "%s",
                  c->error.message);
    return p;
}

static const struct {
    const char *text, *wei;
    unsigned m, n, k;
    int b_access;
    unsigned a_loads, b_loads; /* of a full step */
} covers[] = {
    {"mb1ic64ih8oc64oh8kh1", "Acdb32a", 16, 32, 4, XK_ACCESS_BLOCK, 1, 2},
    {"mb1ic64ih8oc64oh8kh1", "Acdb32a", 16, 16, 4, XK_ACCESS_BLOCK, 1, 4},
    {"mb1ic64ih8oc64oh8kh1", "Acdb16a", 16, 32, 1, XK_ACCESS_SCATTERED, 1, 2},
    {"mb1ic64ih8oc64oh8kh1", "acdb", 16, 32, 2, XK_ACCESS_SCATTERED, 1, 2},
    {"mb1ic3ih9oc20oh9kh3ph1", "Acdb16a", 32, 16, 3, XK_ACCESS_BLOCK, 2, 2},
    {"mb1ic17ih9oc20oh9kh3ph1", "Acdb16a", 16, 16, 4, XK_ACCESS_BLOCK, 1, 1},
    {"mb2ic7ih9oc20oh9kh3ph1", "acdb", 16, 16, 4, XK_ACCESS_SCATTERED, 1, 1},
};

/* Segments follow each other to K's end, and steps of the first have so many
 * messages: as few as the kind of message and where elements lie together
 * allow. */
static void check_loads(const struct xk_plan *p, unsigned a, unsigned b)
{
    int64_t k = 0;
    for (unsigned i = 0; i < p->n_segments; i++) {
        ck_assert_int_eq(p->seg[i].k_first, k);
        k += (int64_t)p->seg[i].trip * p->seg[i].k_len;
    }
    ck_assert_int_eq(k, xk_plan_k_inner(p)->extent);
    ck_assert_uint_eq(p->seg[0].a.n, a);
    ck_assert_uint_eq(p->seg[0].b.n, b);
}

START_TEST(tiles_of_mad_come_in_few_messages)
{
    problem(covers[_i].text, covers[_i].wei);
    struct xk_schedule s =
        schedule(covers[_i].m, covers[_i].n, covers[_i].k, 1, 1);
    const struct xk_plan p = plan_of(&s);
    ck_assert_int_eq(p.b.access, covers[_i].b_access);
    ck_assert_int_eq(p.a.access, XK_ACCESS_SCATTERED);
    check_loads(&p, covers[_i].a_loads, covers[_i].b_loads);
}
END_TEST

static const struct {
    const char *text;
    uint32_t src, wei, dst;
    const char *src_tag, *wei_tag;
    int a_access, b_access;
    unsigned a_loads, b_loads;
} systolic[] = {
    {"mb1ic64ih8oc64oh8kh1", XK_F16, XK_F16, XK_F16, "acdb", "AcdB32a16b",
     XK_ACCESS_SCATTERED, XK_ACCESS_BLOCK, 2, 1},
    {"mb1ic64ih8oc64oh8kh1", XK_U8, XK_S8, XK_U8, "acdb", "AcdB32a32b",
     XK_ACCESS_SCATTERED, XK_ACCESS_BLOCK, 2, 1},
    {"mb1ic70ih8oc64oh8kh1", XK_F16, XK_F16, XK_F32, "aBcd16b", "acdb",
     XK_ACCESS_SCATTERED, XK_ACCESS_ROWS, 2, 8},
    {"mb1ic3ih9oc20oh9kh3ph1", XK_F16, XK_F16, XK_F16, "acdb", "AcdB16a16b",
     XK_ACCESS_ELEMENTS, XK_ACCESS_BLOCK, 6, 1},
    {"mb1ic34ih9oc20oh9kh3ph1", XK_F16, XK_F16, XK_F16, "acdb", "abcd",
     XK_ACCESS_SCATTERED, XK_ACCESS_ELEMENTS, 2, 8},
    {"mb1ic40ih9oc20oh9kh3ph1", XK_U8, XK_S8, XK_S32, "abcd", "cdba",
     XK_ACCESS_ELEMENTS, XK_ACCESS_ELEMENTS, 64, 16},
    {"mb1ic64ih9oc64oh9kh3ph1", XK_U8, XK_S8, XK_S32, "acdb", "AcdB32a16b",
     XK_ACCESS_SCATTERED, XK_ACCESS_ELEMENTS, 2, 16},
    {"mb1ic5ih9oc20oh9kh3ph1", XK_U8, XK_S8, XK_S8, "acdb", "acdb",
     XK_ACCESS_ELEMENTS, XK_ACCESS_ELEMENTS, 10, 8},
};

START_TEST(tiles_of_dpas_come_in_few_messages)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    d.src_type = systolic[_i].src;
    d.wei_type = systolic[_i].wei;
    d.dst_type = systolic[_i].dst;
    plan_lab_contraction(c, systolic[_i].text, &d, systolic[_i].src_tag,
                         systolic[_i].wei_tag, &con);
    struct xk_schedule s =
        schedule(16, 16, d.src_type == XK_F16 ? 16 : 32, 1, 1);
    s.fma = XK_FMA_DPAS;
    s.simd = 8;
    s.n_sub = 8;
    s.grf_count = 256;
    const struct xk_plan p = plan_of(&s);
    ck_assert_int_eq(p.a.access, systolic[_i].a_access);
    ck_assert_int_eq(p.b.access, systolic[_i].b_access);
    check_loads(&p, systolic[_i].a_loads, systolic[_i].b_loads);
}
END_TEST

/* With taps outside: an element of each tap a message, but for the channels
 * that are not there, whose places stay zero; or all of a tap. */
static const struct {
    const char *text, *src_tag;
    unsigned used;
    int access;
} loose[] = {
    {"mb3ic3ih15oc32oh8kh7sh2ph3", "acdb", 3, XK_ACCESS_ELEMENTS},
    {"mb3ic2ih15oc32oh8kh7sh2ph3", "acdb", 2, XK_ACCESS_ELEMENTS},
    {"mb3ic1ih15oc32oh8kh7sh2ph3", "abcd", 1, XK_ACCESS_ELEMENTS},
    {"mb3ic4ih15oc32oh8kh7sh2ph3", "acdb", 4, XK_ACCESS_SCATTERED},
    {"mb3ic3ih15oc32oh8kh7sh2ph3", "aBcd4b", 4, XK_ACCESS_SCATTERED},
};

START_TEST(packed_taps_outside_load_what_is_there)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    d.src_type = d.wei_type = d.dst_type = XK_F16;
    plan_lab_contraction(c, loose[_i].text, &d, loose[_i].src_tag,
                         "AcDB32a4d4b", &con);
    struct xk_schedule s = schedule(16, 32, 16, 1, 1);
    s.fma = XK_FMA_DPAS;
    s.simd = 8;
    s.n_sub = 32;
    s.grf_count = 256;
    s.surfaces = true;
    s.k_walk = (struct xk_k_walk)XK_WALK_FEW;
    ck_assert_int_eq(xk_nest_pack(c, &con, s.k_step), XK_OK);
    const struct xk_plan p = plan_of(&s);
    const bool whole = loose[_i].used == 4;
    ck_assert_int_eq(p.a.access, loose[_i].access);
    ck_assert_int_eq(p.b.access, XK_ACCESS_BLOCK);
    ck_assert_uint_eq(p.a.zero_once, !whole);
    ck_assert_uint_eq(p.seg[0].a.n, 2 * 4 * (whole ? 1 : loose[_i].used));
    ck_assert_uint_eq(p.seg[0].a.zeroes, false);
}
END_TEST

static const struct {
    const char *text, *src_tag, *wei_tag;
    unsigned simd, n, k;
    int a_access, b_access;
    unsigned a_loads, b_loads;
} dots[] = {
    {"mb1ic64ih8oc64oh8kh1", "acdb", "AcdB32a4b", 16, 32, 16,
     XK_ACCESS_SCATTERED, XK_ACCESS_BLOCK, 1, 2},
    {"mb1ic64ih8oc64oh8kh1", "aBcd16b", "AcdB16a4b", 16, 16, 12,
     XK_ACCESS_SCATTERED, XK_ACCESS_BLOCK, 3, 2},
    {"mb1ic64ih8oc64oh8kh1", "acdb", "AcdB16a4b", 8, 32, 16,
     XK_ACCESS_SCATTERED, XK_ACCESS_SCATTERED, 2, 16},
    {"mb1ic3ih9oc20oh9kh3ph1", "acdb", "AcdB16a4b", 16, 16, 4,
     XK_ACCESS_ELEMENTS, XK_ACCESS_BLOCK, 3, 1},
    {"mb1ic70ih9oc20oh9kh3ph1", "acdb", "AcdB16a4b", 16, 16, 16,
     XK_ACCESS_ELEMENTS, XK_ACCESS_BLOCK, 16, 1},
    {"mb1ic70ih9oc20oh9kh3ph1", "aBcd32b", "acdb", 16, 16, 16,
     XK_ACCESS_SCATTERED, XK_ACCESS_ELEMENTS, 1, 16},
    {"mb1ic40ih9oc20oh9kh3ph1", "acdb", "acdb", 8, 16, 16, XK_ACCESS_SCATTERED,
     XK_ACCESS_SCATTERED, 2, 2},
    {"mb1ic7ih9oc20oh9kh3ph1", "abcd", "cdba", 8, 8, 8, XK_ACCESS_ELEMENTS,
     XK_ACCESS_ELEMENTS, 14, 7},
    {"mb1ic7ih9oc20oh9kh3ph1", "acdb", "Acdb16a", 16, 16, 4, XK_ACCESS_ELEMENTS,
     XK_ACCESS_ELEMENTS, 4, 4},
};

START_TEST(tiles_of_dp4a_come_in_few_messages)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    d.src_type = XK_U8;
    d.wei_type = XK_S8;
    plan_lab_contraction(c, dots[_i].text, &d, dots[_i].src_tag,
                         dots[_i].wei_tag, &con);
    struct xk_schedule s = schedule(16, dots[_i].n, dots[_i].k, 1, 1);
    s.fma = XK_FMA_DP4A;
    s.simd = (uint16_t)dots[_i].simd;
    s.grf_count = 256;
    const struct xk_plan p = plan_of(&s);
    ck_assert_int_eq(p.a.access, dots[_i].a_access);
    ck_assert_int_eq(p.b.access, dots[_i].b_access);
    ck_assert_uint_eq(p.fma_per_step,
                      16 * dots[_i].k / 4 * (dots[_i].n / dots[_i].simd));
    check_loads(&p, dots[_i].a_loads, dots[_i].b_loads);
}
END_TEST

/* Kinds of messages that a layout cannot do, with NULL those that it can. */
static const struct {
    const char *why, *text, *src_tag, *wei_tag, *change;
    uint32_t type;
} kinds[] = {
    {"store=packed: columns of C are not eight consecutive dwords",
     "mb1ic64ih8oc60oh8kh1", "acdb", "acdb", "store=packed", XK_F16},
    {NULL, "mb1ic64ih8oc64oh8kh1", "acdb", "acdb", "store=packed", XK_F16},
    {NULL, "mb1ic64ih8oc60oh8kh1", "acdb", "acdb", "store=columns", XK_F16},
    {"store=scattered: ", "mb1ic64ih8oc64oh8kh1", "acdb", "acdb",
     "store=scattered", XK_F16},
    {"store=block: N is not a multiple of the lanes", "mb1ic64ih8oc60oh8kh1",
     "acdb", "acdb", "store=block", XK_F32},
    {NULL, "mb1ic64ih8oc64oh8kh1", "acdb", "acdb", "store=block", XK_F32},
    {NULL, "mb1ic64ih8oc64oh8kh1", "acdb", "acdb", "store=scattered", XK_F32},
};

START_TEST(a_kind_of_message_that_cannot_be_is_refused)
{
    struct xk_plan p;
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    const bool f32 = kinds[_i].type == XK_F32;
    struct xk_schedule s = schedule(16, 32, f32 ? 4 : 16, 1, 1);
    d.src_type = d.wei_type = d.dst_type = kinds[_i].type;
    plan_lab_contraction(c, kinds[_i].text, &d, kinds[_i].src_tag,
                         kinds[_i].wei_tag, &con);
    if (!f32)
        ck_assert_int_eq(
            test_set_schedule(c, "fma=dpas simd=8 nsub=16 grf=256", &s), XK_OK);
    ck_assert_int_eq(test_set_schedule(c, kinds[_i].change, &s), XK_OK);
    const enum xk_status st = xk_plan_make(c, plan_lab_xehpg(), &con, &s, &p);
    ck_assert_msg(st == (kinds[_i].why ? XK_ENOFIT : XK_OK), "%d: %s", st,
                  c->error.message);
    if (kinds[_i].why)
        ck_assert_msg(strstr(c->error.message, kinds[_i].why) ==
                          c->error.message + strlen("plan: "),
                      "%s", c->error.message);
    xk_ctx_clear(c);
}
END_TEST

/* What does not fit, by the field that asks for it. */
static const struct {
    const char *why, *text, *src_tag, *change;
} flat[] = {
    {"walk=:po: K is no multiple of a step", "mb1ic40ih8oc64kh3ph1", "acdb",
     "slices=2"},
    {"walk=:po: K is no multiple of a step", "mb1ic40ih8oc64kh3ph1", "acdb",
     "slm=3 tg=1x2"},
    {"walk=:po: rows of A are no dwords of K", "mb1ic41ih8oc64kh3ph1", "acdb",
     ""},
    {"walk=:po: rows of A are no dwords of K", "mb1ic64ih8oc64kh3ph1", "abcd",
     ""},
    {"walk=:po: A's steps of K are not evenly spaced", "mb1ic64ih8oc64kh3ph1",
     "aBcd32b", ""},
    {"walk=:po: too many addresses", "mb1ic64ih8oc64kh9ph4", "acdb", "m=32"},
    {"walk=:po: too many copies of the loop's body", "mb1ic64ih8oc64kh3ph1",
     "acdb", "unroll=200"},
    {"slices=4: sums of 131072 bytes are larger than SLM",
     "mb1ic64ih16oc256kh1", "acdb", "tg=8x2 n=32 nsub=32 m=32 slices=4"},
};

START_TEST(what_does_not_fit_names_a_field_and_its_value)
{
    static struct xk_plan p;
    char change[96], want[96];
    snprintf(change, sizeof(change), "fma=dpas m=16 n=32 nsub=32 %s",
             flat[_i].change);
    snprintf(want, sizeof(want), "plan: %s", flat[_i].why);
    ck_assert_int_eq(
        plan_lab_flat(c, flat[_i].text, flat[_i].src_tag, change, &con, &p),
        XK_ENOFIT);
    ck_assert_str_eq(c->error.message, want);
    xk_ctx_clear(c);
}
END_TEST

/* Steps of 16 channels, of which there are 40 in most, and nine filter taps. */
static const struct {
    const char *text, *src_tag, *change;
    unsigned trip, rest, rest_e; /* whole steps, short ones and their places */
} walks[] = {
    {"mb1ic64ih8oc64kh3ph1", "acdb", "", 4 * 9, 0, 0},
    {"mb1ic64ih8oc64kh3ph1", "acdb", "slices=2", 2 * 9, 0, 0},
    {"mb1ic40ih8oc64kh3ph1", "acdb", "", 2 * 9, 9, 8},
    {"mb1ic40ih8oc64kh3ph1", "acdb", "walk=o:p", 2, 1, 8},
    {"mb1ic8ih8oc64kh3ph1", "acdb", "", 0, 9, 8},
    /* Memory is padded to 48. */
    {"mb1ic40ih8oc64kh3ph1", "aBcd16b", "", 3 * 9, 0, 0},
    {"mb1ic40ih8oc64kh3ph1", "aBcd16b", "walk=o:p", 2, 1, 8},
};

START_TEST(short_steps_stand_behind_whole_ones)
{
    static struct xk_plan p;
    char change[96];
    snprintf(change, sizeof(change), "fma=dpas m=16 n=32 nsub=32 %s",
             walks[_i].change);
    ck_assert_msg(plan_lab_flat(c, walks[_i].text, walks[_i].src_tag, change,
                                &con, &p) == XK_OK,
                  "%s", c->error.message);
    ck_assert_uint_eq(p.walk.trip, walks[_i].trip);
    ck_assert_uint_eq(p.walk.rest, walks[_i].rest);
    ck_assert_uint_eq(p.walk.rest_e, walks[_i].rest_e);
}
END_TEST

/* Where K is a part of a dim, others lie behind its end, and no zeros: its last
 * steps are short, though memory goes on. */
START_TEST(what_lies_behind_k_is_no_padding)
{
    static const struct {
        const char *formula;
        unsigned trip, rest;
    } of[] = {
        {"A: f16[3,64,40]; B: f16[3,32,40] aBC32b16c; "
         "C[m,n] += A[t,m,k] * B[t,n,k]",
         2 * 3, 3},
        {"A: f16[3,64,40] abC16c; B: f16[3,32,40] aBC32b16c; "
         "C[m,n] += A[t,m,k] * B[t,n,k]",
         3 * 3, 0},
        {"A: f16[3,64,100]; B: f16[3,32,100] aBC32b16c; t = 3; k = 40; "
         "C[m,n] += A[t,m,k] * B[t,n,k]",
         2 * 3, 3},
    };
    static struct xk_contraction made;
    static struct xk_plan p;
    for (unsigned i = 0; i < XK_COUNTOF(of); i++) {
        struct xk_schedule s = schedule(16, 32, 16, 2, 2);
        ck_assert_int_eq(xk_formula_parse(c, &arena, of[i].formula, &made),
                         XK_OK);
        ck_assert_int_eq(xk_nest_make(c, &made, &con), XK_OK);
        ck_assert_int_eq(test_set_schedule(c,
                                           "fma=dpas simd=8 nsub=32 walk=:po "
                                           "slm=0 addr=surface grf=256",
                                           &s),
                         XK_OK);
        ck_assert_msg(xk_plan_make(c, plan_lab_xehpg(), &con, &s, &p) == XK_OK,
                      "%s: %s", of[i].formula, c->error.message);
        ck_assert_uint_eq(p.walk.trip, of[i].trip);
        ck_assert_uint_eq(p.walk.rest, of[i].rest);
    }
}
END_TEST

/* 65 tiles of M by 3 of N, in groups of 4 x 1. */
START_TEST(the_grid_runs_along_n_or_m)
{
    struct xk_schedule s = schedule(16, 16, 4, 1, 1);
    problem("mb13ic8ih8iw10oc48kh1kw1", "Acdb16a");
    struct xk_plan p = plan_of(&s);
    ck_assert(p.groups[0] == 3 && p.groups[1] == 17 && p.groups[2] == 1);
    s.m_first = true;
    p = plan_of(&s);
    ck_assert(p.groups[0] == 17 && p.groups[1] == 3 && p.groups[2] == 1);
    ck_assert_uint_eq(xk_plan_groups_n(&p), 3);
    ck_assert_uint_eq(xk_plan_groups_m(&p), 17);
}
END_TEST

START_TEST(ragged_rows_are_masked_or_clamped)
{
    struct xk_plan p;
    const struct xk_schedule s = schedule(16, 16, 4, 1, 1);
    problem("mb1ic8ih7oc20oh7kh1", "Acdb16a"); /* M = 49, N = 20 */
    p = plan_of(&s);
    ck_assert(p.a.row_masked && p.epi.m_masked && p.epi.n_masked);
    ck_assert(p.b.clamp_rows && !p.b.row_masked);
    ck_assert_int_eq(p.b.rows_padded, 32);
    ck_assert_uint_eq(p.groups[0], 2); /* ceil(20 / 16) */
    ck_assert_uint_eq(p.groups[1], 1); /* ceil(49 / 64) */
    problem("mb1ic8ih7oc20oh7kh1", "acdb");
    p = plan_of(&s);
    ck_assert(p.b.row_masked && !p.b.clamp_rows);
    problem("mb1ic8ih8oc16oh8kh1", "acdb"); /* M = 64, N = 16: nothing */
    p = plan_of(&s);
    ck_assert(!p.a.row_masked && !p.b.row_masked && !p.epi.n_masked);
}
END_TEST

START_TEST(rows_of_dense_c_are_one_index)
{
    struct xk_plan p;
    const struct xk_schedule s = schedule(16, 16, 4, 1, 1);
    problem("mb3ic8ih7oc20oh7kh1", "Acdb16a");
    p = plan_of(&s);
    ck_assert(p.epi.merged);
    ck_assert_int_eq(p.epi.row_stride_b, 20 * 4);
}
END_TEST

START_TEST(too_many_registers_do_not_fit)
{
    struct xk_plan p;
    struct xk_schedule s = schedule(16, 32, 4, 2, 2);
    problem("mb1ic64ih8oc64oh8kh1", "Acdb32a");
    s.grf_count = 64;
    ck_assert_int_eq(xk_plan_make(c, plan_lab_xehpg(), &con, &s, &p),
                     XK_ENOFIT);
    ck_assert_ptr_nonnull(strstr(c->error.message, "of 64"));
    xk_ctx_clear(c);
}
END_TEST

START_TEST(the_text_names_every_decision)
{
    struct xk_plan p;
    struct xk_str t;
    const struct xk_schedule s = schedule(16, 16, 4, 2, 1);
    problem("mb1ic17ih7oc20oh7kh3ph1", "Acdb16a");
    p = plan_of(&s);
    xk_str_init(&t, &c->alloc);
    xk_plan_print(&p, &t);
    static const char *const want[] = {"A: src", "B: wei",
                                       "segment 1: 1 steps of 1 from k = 16",
                                       "epilogue", "registers: loop"};
    for (unsigned i = 0; i < XK_COUNTOF(want); i++)
        ck_assert_msg(strstr(xk_str_get(&t), want[i]), "no '%s' in\n%s",
                      want[i], xk_str_get(&t));
    xk_str_fini(&t);
}
END_TEST

/* A dpas of xehpc has 16 lanes and registers of 64 bytes, and sums 32 bytes of
 * K in 8 rows as that of xehpg does (isa.md 7). So a register of C is a column
 * of 16 rows, and a gather of A has 16 lanes. */
START_TEST(sizes_of_a_dpas_are_the_platforms)
{
    static const struct plan_lab_case of = {
        "mb1ic32ih8oc32oh8kh1",
        "fma=dpas simd=16 m=32 n=32 nsub=32 k=16 tg=1x1 slices=1 walk=o:p "
        "slots=1,1 slm=0 addr=surface grf=128",
        XK_F16,
        XK_F16,
        XK_F16,
        "ABcd32a16b",
        .on = "xehpc"};
    static struct xk_plan p;
    plan_lab_case(c, &of, &p);
    for (int64_t m = 0; m < 32; m++)
        for (int64_t n = 0; n < 32; n++) {
            const int64_t at[2] = {m, n};
            ck_assert_int_eq(xk_layout_offset_e(&p.acc, at),
                             (n / 8 * 16 + m / 16 * 8 + n % 8) * 16 + m % 16);
        }
    ck_assert_uint_eq(xk_plan_held_grf(&p, XK_BUFFER_C), 32 * 2);
    ck_assert_uint_eq(p.fma_per_step, 2 * 4);
    ck_assert_uint_eq(p.seg[0].a.n, 2);
    ck_assert_uint_eq(p.seg[0].a.lanes, 16);
    ck_assert_uint_eq(p.epi.parts, 2 * (32 / p.epi.cols));
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("plan");
    TCase *const t = tcase_create("plan");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, tiles_of_mad_come_in_few_messages, 0,
                        XK_COUNTOF(covers));
    tcase_add_loop_test(t, packed_taps_outside_load_what_is_there, 0,
                        XK_COUNTOF(loose));
    tcase_add_loop_test(t, tiles_of_dpas_come_in_few_messages, 0,
                        XK_COUNTOF(systolic));
    tcase_add_loop_test(t, tiles_of_dp4a_come_in_few_messages, 0,
                        XK_COUNTOF(dots));
    tcase_add_loop_test(t, short_steps_stand_behind_whole_ones, 0,
                        XK_COUNTOF(walks));
    tcase_add_test(t, what_lies_behind_k_is_no_padding);
    tcase_add_loop_test(t, what_does_not_fit_names_a_field_and_its_value, 0,
                        XK_COUNTOF(flat));
    tcase_add_loop_test(t, a_kind_of_message_that_cannot_be_is_refused, 0,
                        XK_COUNTOF(kinds));
    tcase_add_test(t, the_grid_runs_along_n_or_m);
    tcase_add_test(t, ragged_rows_are_masked_or_clamped);
    tcase_add_test(t, rows_of_dense_c_are_one_index);
    tcase_add_test(t, too_many_registers_do_not_fit);
    tcase_add_test(t, sizes_of_a_dpas_are_the_platforms);
    tcase_add_test(t, the_text_names_every_decision);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
