/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts for "any": those that are said of a schedule, and of every candidate
 * some that there are kernels for. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "conv/tensors.h"
#include "tests/plan/plan_lab.h"
#include "tests/tap.h"
#include "tests/set_schedule.h"

static xk_ctx *c;

static void setup(void)
{
    c = xk_ctx_create(NULL);
    ck_assert_ptr_nonnull(c);
}

static void teardown(void)
{
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

/* The problem with all layouts open. */
struct open {
    struct xk_conv_desc full;
    struct xk_contraction con;
    struct xk_shape shape;
};

static void open_problem(const char *text, uint32_t src, uint32_t wei,
                         uint32_t dst, struct open *out)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    d.prop = XK_FWD_D;
    d.src_type = src;
    d.wei_type = wei;
    d.dst_type = dst;
    ck_assert_int_eq(xk_conv_parse(c, text, &d, NULL, 0), XK_OK);
    ck_assert_msg(xk_conv_check(c, &d, &out->full) == XK_OK, "%s: %s", text,
                  c->error.message);
    ck_assert_int_eq(xk_conv_contraction(c, &out->full, NULL, &out->con),
                     XK_OK);
    ck_assert_int_eq(xk_shape_of(c, &out->con, &out->shape), XK_OK);
}

#define IMAGES "mb16ic64ih14oc64oh14kh3ph1"
#define FEW "mb16ic3ih14oc64oh14kh3ph1"
#define DEEP "mb1ic64id8ih8iw8oc64od8oh8ow8kd3kh3kw3pd1ph1pw1"
#define F16 XK_F16, XK_F16, XK_F16
#define BYTES XK_U8, XK_S8, XK_S32
static const struct {
    const char *problem;
    uint32_t src, wei, dst;
    const char *schedule, *tags[3];
} rows[] = {
    /* N in the lanes: channels innermost, columns of the tile in blocks. */
    {IMAGES,
     XK_F32,
     XK_F32,
     XK_F32,
     "fma=mad simd=16 m=16 n=32 k=1 grf=128",
     {"acdb", "Acdb32a", "acdb"}},
    {IMAGES,
     BYTES,
     "fma=dp4a simd=16 m=16 n=16 k=4 grf=128",
     {"acdb", "AcdB16a4b", "acdb"}},
    /* M in the lanes: blocks of one dpas depth; images inside a pixel where
     * eight of them are, taps around a step or inside the loop. */
    {IMAGES,
     F16,
     "fma=dpas simd=8 m=16 n=32 k=16 tg=2x2 walk=o:p",
     {"Bcda16b", "AcdB32a16b", "Bcda16b"}},
    {"mb1ic64ih14oc64oh14kh3ph1",
     F16,
     "fma=dpas simd=8 m=16 n=32 k=16 tg=2x2 walk=o:p",
     {"aBcd16b", "AcdB32a16b", "aBcd16b"}},
    {IMAGES,
     BYTES,
     "fma=dpas simd=8 m=16 n=32 k=32 tg=2x2 walk=:po",
     {"Bcda32b", "ABcd32a32b", "Bcda32b"}},
    {IMAGES,
     F16,
     "fma=dpas simd=8 m=16 n=64 k=16 tg=2x2 walk=o:p grf=256",
     {"Bcda16b", "AcdB32a16b", "Bcda16b"}},
    {DEEP,
     F16,
     "fma=dpas simd=8 m=16 n=16 k=16 tg=2x2 walk=o:p",
     {"aBcde16b", "AcdeB16a16b", "aBcde16b"}},
    /* Through SLM whole steps go: channels innermost. */
    {"mb1ic64ih14oc64oh14kh3ph1",
     F16,
     "fma=dpas simd=8 m=16 n=32 k=16 tg=2x2 slots=1,2 slm=3 walk=:po",
     {"acdb", "ABcd32a16b", "acdb"}},
    /* Few channels are padded to no more, whatever K's step is. */
    {FEW,
     F16,
     "fma=dpas simd=8 m=16 n=32 k=16 tg=2x2 walk=o:p",
     {"Bcda4b", "AcdB32a16b", "Bcda16b"}},
    {FEW,
     F16,
     "fma=dpasw simd=8 m=16 n=32 k=16 tg=2x2 walk=o:xp",
     {"Bcda4b", "AcDB32a4d4b", "Bcda16b"}},
    {FEW,
     BYTES,
     "fma=dpasw simd=8 m=16 n=16 k=32 tg=2x2 walk=o:xp",
     {"Bcda4b", "AcDB16a8d4b", "Bcda32b"}},
    {"mb16ic64ih14oc2oh14kh3ph1",
     F16,
     "fma=dpas simd=8 m=8 n=8 k=16 tg=2x1 walk=o:p",
     {"Bcda16b", "AcdB8a16b", "Bcda4b"}},
};

START_TEST(a_schedule_says_its_layouts)
{
    struct open o;
    struct xk_any_layouts any;
    open_problem(rows[_i].problem, rows[_i].src, rows[_i].wei, rows[_i].dst,
                 &o);
    struct xk_schedule s = {.slices = 1,
                            .slots_a = 1,
                            .slots_b = 1,
                            .tg_m = 1,
                            .tg_n = 1,
                            .surfaces = true,
                            .grf_count = 256};
    ck_assert_msg(test_set_schedule(c, rows[_i].schedule, &s) == XK_OK, "%s",
                  c->error.message);
    ck_assert_int_eq(xk_plan_any_layouts(c, &o.con, &s, &o.shape, &any), XK_OK);
    const struct xk_layout *const got[3] = {&any.a, &any.b, &any.c};
    for (unsigned i = 0; i < 3; i++) {
        char tag[XK_LAYOUT_TAG_MAX];
        xk_layout_tag(got[i], tag, sizeof(tag));
        ck_assert_str_eq(tag, rows[_i].tags[i]);
    }
}
END_TEST

static const char *const problems[] = {IMAGES,
                                       FEW,
                                       DEEP,
                                       "mb1ic64ih14oc64oh14kh3ph1",
                                       "mb8ic1ih9oc3oh7kh3sh1ph0",
                                       "mb32ic96ih7oc160oh7kh1",
                                       "mb2ic40ih17oc24oh9kh5sh2ph2dh1"};
static const uint32_t types[][3] = {
    {XK_F32, XK_F32, XK_F32}, {F16}, {BYTES}, {XK_S8, XK_S8, XK_F32}};

START_TEST(every_candidate_gets_layouts_with_kernels)
{
    struct open o;
    struct xk_schedule x[XK_MAX_CANDIDATES];
    const uint32_t *const t = types[_i % XK_COUNTOF(types)];
    open_problem(problems[_i / XK_COUNTOF(types)], t[0], t[1], t[2], &o);
    const unsigned n =
        xk_schedule_candidates(plan_lab_xehpg(), &o.shape, NULL, x, NULL);
    ck_assert_uint_gt(n, 1);
    for (unsigned i = 0; i < n; i++) {
        struct xk_any_layouts any;
        struct xk_conv_info info = {.size = sizeof(info)};
        ck_assert_int_eq(xk_plan_any_layouts(c, &o.con, &x[i], &o.shape, &any),
                         XK_OK);
        const struct xk_layout *const best[3] = {&any.a, &any.b, &any.c};
        const struct xk_layout *const plain[3] = {&any.plain_a, &any.b,
                                                  &any.plain_c};
        ck_assert_msg(xk_conv_tensors(c, &o.full, best, &info) == XK_OK, "%s",
                      c->error.message);
        ck_assert_int_eq(xk_conv_tensors(c, &o.full, plain, &info), XK_OK);
        ck_assert_str_eq(info.tensor[XK_ARG_SRC].tag,
                         xk_conv_dense_tag(&o.full, XK_ARG_WEI));
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("any_layouts");
    TCase *const t = tcase_create("any_layouts");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_schedule_says_its_layouts, 0, XK_COUNTOF(rows));
    tcase_add_loop_test(t, every_candidate_gets_layouts_with_kernels, 0,
                        XK_COUNTOF(problems) * XK_COUNTOF(types));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
