/* SPDX-License-Identifier: Apache-2.0 */
/* A zero point of src that the kernel takes away itself: the step is refused
 * wherever no kernel could make its sums. */
#include <string.h>

#include "conv/ways.h"
#include "tests/conv/conv_nest.h"
#include "tests/conv/suites.h"

/* u8 and s8, with one s32 for src in memory, as a contraction. */
static struct xk_contraction make_sums(void)
{
    static const char *const tags[3] = {"acdb", "Acdb16a", "acdb"};
    struct xk_conv_desc d = test_parse("mb1ic16ih8oc24kh1"), full;
    struct xk_conv_info info = {.size = sizeof info};
    struct xk_contraction p;
    d.src_type = XK_U8;
    d.wei_type = XK_S8;
    d.dst_type = XK_S32;
    d.prop = XK_FWD_D;
    d.attr.zero_point[XK_ARG_SRC].source = XK_QUANT_DEVICE;
    ck_assert_msg(xk_conv_check(test_ctx, &d, &full) == XK_OK, "%s",
                  test_ctx->error.message);
    ck_assert(xk_conv_may_sum_inside(&full));
    ck_assert_int_eq(test_conv_tensors(test_ctx, &full, tags, &info), XK_OK);
    ck_assert_int_eq(xk_conv_contraction(test_ctx, &full, &info, &p), XK_OK);
    ck_assert_int_eq(xk_conv_sum_inside(test_ctx, &full, &p), XK_OK);
    ck_assert(p.epi[0].times_b && p.epi[0].in_acc);
    return p;
}

static void is_not_acc(struct xk_contraction *p)
{
    p->epi[0].in_acc = false;
}
static void adds(struct xk_contraction *p)
{
    p->epi[0].kind = XK_EPI_ADD;
}
static void differs_by_column(struct xk_contraction *p)
{
    struct xk_access *const a = &p->input[p->epi[0].input];
    a->layout.dim[0] = p->index[0].extent;
    a->at[0].coef[0] = 1;
    a->at[0].hi = p->index[0].extent;
}
static void has_wide_b(struct xk_contraction *p)
{
    p->b.layout.dt = XK_DT_F16;
}
static void reads_floats(struct xk_contraction *p)
{
    p->input[p->epi[0].input].layout.dt = XK_DT_F32;
}
static void sums_floats(struct xk_contraction *p)
{
    p->acc_dt = XK_DT_F32;
}
static void stands_behind_floats(struct xk_contraction *p)
{
    p->epi[1] = p->epi[0];
    p->epi[0].in_acc = p->epi[0].times_b = false;
    p->n_epi = 2;
}

static const struct {
    const char *name;
    void (*change)(struct xk_contraction *p);
    const char *message;
} rows[] = {
    {"not on the accumulators", is_not_acc, "one number times sums over"},
    {"an addition", adds, "one number times sums over"},
    {"a number for each place", differs_by_column, "one number times sums"},
    {"B of two bytes", has_wide_b, "sums over a B of bytes"},
    {"a number in f32", reads_floats, "only what is an s32"},
    {"accumulators in f32", sums_floats, "only what is an s32"},
    {"behind a step in f32", stands_behind_floats, "before all else"},
};

START_TEST(sums_of_b_are_refused)
{
    struct xk_contraction p = make_sums();
    ck_assert_msg(xk_contraction_check(test_ctx, &p) == XK_OK, "%s",
                  test_ctx->error.message);
    rows[_i].change(&p);
    ck_assert_msg(xk_contraction_check(test_ctx, &p) == XK_EINVAL, "%s",
                  rows[_i].name);
    ck_assert_msg(strstr(test_ctx->error.message, rows[_i].message) != NULL,
                  "%s: %s", rows[_i].name, test_ctx->error.message);
}
END_TEST

/* Each problem whose sums no kernel makes, and one of which it does. */
static const struct {
    const char *problem;
    uint32_t wei_zero, mask, type;
    bool may;
} forms[] = {
    {"mb1ic16ih8oc24kh1", 0, 0, XK_S32, true},
    {"mb1ic16ih8oc24kh3", 0, 0, XK_S32, true},
    {"mb1ic16ih8oc24kh3ph1", 0, 0, XK_S32, false}, /* it meets padding */
    {"mb1ic16ih8oc24kh1", 1, 0, XK_S32, false},    /* a sum over A, too */
    {"mb1ic16ih8oc24kh1", 0, 2, XK_S32, false},    /* one for each ic */
    {"mb1ic16ih8oc24kh1", 0, 0, XK_U8, false},     /* no dword in memory */
};

START_TEST(who_may_sum_inside)
{
    struct xk_conv_desc d = test_parse(forms[_i].problem), full;
    d.src_type = XK_U8;
    d.wei_type = XK_S8;
    d.dst_type = XK_S32;
    d.prop = XK_FWD_D;
    struct xk_quant *const z = d.attr.zero_point;
    z[XK_ARG_SRC] = (struct xk_quant){
        XK_QUANT_DEVICE, forms[_i].mask, forms[_i].type, 0, {0, 0}};
    if (forms[_i].wei_zero)
        z[XK_ARG_WEI].source = XK_QUANT_DEVICE;
    ck_assert_msg(xk_conv_check(test_ctx, &d, &full) == XK_OK, "%s",
                  test_ctx->error.message);
    ck_assert_int_eq(xk_conv_may_sum_inside(&full), forms[_i].may);
}
END_TEST

Suite *suite_sums_inside(void)
{
    Suite *const s = suite_create("sums_inside");
    TCase *const t = tcase_create("sums_inside");
    tcase_add_checked_fixture(t, test_setup, test_teardown);
    tcase_add_loop_test(t, sums_of_b_are_refused, 0, XK_COUNTOF(rows));
    tcase_add_loop_test(t, who_may_sum_inside, 0, XK_COUNTOF(forms));
    suite_add_tcase(s, t);
    return s;
}
