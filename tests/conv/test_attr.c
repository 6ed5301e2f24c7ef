/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes, and layouts as the user counts their dims. */
#include <stdio.h>
#include <string.h>

#include "conv/ways.h"
#include "tests/conv/suites.h"

static struct xk_conv_desc good_desc(void)
{
    return test_parse("mb1ic16ih8oc24kh3ph1");
}

static enum xk_status check(const struct xk_conv_desc *d)
{
    struct xk_conv_desc full;
    xk_ctx_clear(test_ctx);
    return xk_conv_check(test_ctx, d, &full);
}

/* A scale or zero point of src (arg 0), wei or dst, and what is said of it. */
static const struct {
    uint32_t arg;
    bool zero_point;
    struct xk_quant q;
    enum xk_status st;
    const char *message;
} quant_rows[] = {
    {0, 0, {1, 0, 0, 0, {0, 0}}, XK_OK, ""},
    {0, 0, {2, 0, XK_BF16, 0, {0, 0}}, XK_OK, ""},
    {1, 0, {1, 1, XK_BF16, 0, {0, 0}}, XK_OK, ""},
    {3, 0, {2, 0, XK_F16, 0, {0, 0}}, XK_OK, ""},
    {3, 0, {1, 2, XK_F16, 0, {0, 0}}, XK_OK, ""},
    {3, 1, {1, 2, XK_U8, 0, {0, 0}}, XK_OK, ""},
    {3, 1, {2, 0, XK_S32, 0, {0, 0}}, XK_OK, ""},
    {0,
     0,
     {1, 2, 0, 0, {0, 0}},
     XK_EUNSUPPORTED,
     "scale[src].source=device (mask 2, type f32) is not implemented"},
    {1, 0, {1, 3, 0, 0, {0, 0}}, XK_EUNSUPPORTED, "(mask 3, type f32)"},
    {1, 0, {1, 1, 0, 2, {1, 1}}, XK_EUNSUPPORTED, "groups of 1x1)"},
    {1, 0, {1, 1, XK_E8M0, 0, {0, 0}}, XK_EUNSUPPORTED, "(mask 1, type e8m0)"},
    {3, 0, {1, 4, 0, 0, {0, 0}}, XK_EUNSUPPORTED, "(mask 4, type f32)"},
    {3, 1, {1, 2, XK_S4, 0, {0, 0}}, XK_EUNSUPPORTED, "(mask 2, type s4)"},
    {1, 1, {1, 0, 0, 0, {0, 0}}, XK_OK, ""},
    {1, 1, {2, 0, XK_S8, 0, {0, 0}}, XK_OK, ""},
    {1,
     1,
     {1, 1, 0, 0, {0, 0}},
     XK_EUNSUPPORTED,
     "zero_point[wei].source=device (mask 1, type s32)"},
    {0, 1, {2, 0, XK_S32, 0, {0, 0}}, XK_OK, ""},
    {0, 1, {1, 2, XK_U8, 0, {0, 0}}, XK_OK, ""},
    {0, 1, {1, 2, 0, 0, {0, 0}}, XK_OK, ""},
    {3,
     0,
     {3, 15, XK_E8M0, 0, {0, 0}},
     XK_EUNSUPPORTED,
     "scale[dst].source=mx"},
    {0,
     1,
     {1, 4, 0, 0, {0, 0}},
     XK_EUNSUPPORTED,
     "zero_point[src].source=device (mask 4, type s32)"},
    {1,
     1,
     {1, 3, XK_U4, 2, {1, 32}},
     XK_EUNSUPPORTED,
     "(mask 3, type u4, groups of 1x32)"},
    {0, 0, {1, 16, 0, 0, {0, 0}}, XK_EINVAL, "scale[src].mask=16: src has 4"},
    {0, 0, {1, 0, 99, 0, {0, 0}}, XK_EINVAL, "scale[src].type=99"},
    {0,
     0,
     {1, 0, XK_S8, 0, {0, 0}},
     XK_EINVAL,
     "type=s8 is not one of a scale"},
    {0, 0, {1, 2, XK_F8_E5M2, 0, {0, 0}}, XK_EINVAL, "type=f8_e5m2"},
    {0, 0, {1, 0, XK_E8M0, 0, {0, 0}}, XK_EINVAL, "has no type e8m0"},
    {0,
     1,
     {1, 0, XK_F32, 0, {0, 0}},
     XK_EINVAL,
     "type=f32 is not one of a zero"},
    {0, 1, {1, 0, XK_S4, 0, {0, 0}}, XK_EINVAL, "has no type s4"},
    {3, 0, {2, 2, 0, 0, {0, 0}}, XK_EINVAL, "the host gives one value"},
    {1, 0, {1, 3, 0, 1, {1, 1}}, XK_EINVAL, "n_groups=1"},
    {1, 0, {1, 3, 0, 2, {0, 1}}, XK_EINVAL, "group[0]=0 must be positive"},
};

START_TEST(scales_and_zero_points_are_judged)
{
    struct xk_conv_desc d = good_desc();
    struct xk_quant *const q =
        quant_rows[_i].zero_point ? d.attr.zero_point : d.attr.scale;
    q[quant_rows[_i].arg] = quant_rows[_i].q;
    if (quant_rows[_i].zero_point) {
        d.src_type = XK_U8;
        d.wei_type = XK_S8;
    }
    ck_assert_int_eq(check(&d), quant_rows[_i].st);
    ck_assert_msg(strstr(test_ctx->error.message, quant_rows[_i].message) != 0,
                  "%s", test_ctx->error.message);
    /* A forgotten source is no empty one. */
    q[quant_rows[_i].arg].source = XK_QUANT_NONE;
    const struct xk_quant *const left = &q[quant_rows[_i].arg];
    const bool idle = left->mask || left->type || left->n_groups;
    ck_assert_int_eq(check(&d), idle ? XK_EINVAL : XK_OK);
    ck_assert(!idle ||
              strstr(test_ctx->error.message, "nothing with source=0"));
}
END_TEST

START_TEST(what_belongs_to_something_that_is_absent_is_refused)
{
    static const char *const messages[] = {
        "scale[wei].group[1]=4 means nothing with n_groups=0",
        "dropout.has_offset=1 means nothing with source=0",
        "dropout.mask_tag=axb means nothing with source=0",
        "dropout.mask_tag=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... does not end",
        "src_strides.stride[3]=1 means nothing with n_dims=0",
        "dst_strides.stride[0]=9 means nothing with n_dims=0"};
    for (unsigned i = 0; i < XK_COUNTOF(messages); i++) {
        struct xk_conv_desc d = good_desc();
        d.attr.scale[XK_ARG_WEI].source = i == 0 ? XK_QUANT_DEVICE : 0;
        d.attr.scale[XK_ARG_WEI].group[1] = i == 0 ? 4 : 0;
        d.attr.dropout.has_offset = i == 1;
        strcpy(d.attr.dropout.mask_tag, i == 2 ? "axb" : "");
        if (i == 3)
            memset(d.attr.dropout.mask_tag, 'x', XK_TAG_MAX);
        d.src_strides.stride[3] = i == 4;
        d.dst_strides.stride[0] = i == 5 ? 9 : 0;
        ck_assert_int_eq(check(&d), XK_EINVAL);
        ck_assert_msg(strstr(test_ctx->error.message, messages[i]) != NULL,
                      "%s", test_ctx->error.message);
    }
}
END_TEST

/* The types and the reason that a message names are the caller's, whatever
 * copies make of them. */
static const struct {
    const char *message;
    enum xk_prop prop;
    uint32_t src, wei, dst, acc_mode, n_groups;
    bool zero_point;
} refusals[] = {
    {"zero_point[src].source=device is not implemented with src_type=f8_e5m2 "
     "and wei_type=f8_e4m3, only with integers in both",
     XK_FWD_D, XK_F8_E5M2, XK_F8_E4M3, XK_F32, 0, 0, true},
    {"with src_type=s8 and wei_type=f16, only with integers", XK_FWD_D, XK_S8,
     XK_F16, XK_F32, 0, 0, true},
    {"acc_mode=f16 is not implemented with src_type=u4, only s32", XK_FWD_D,
     XK_U4, XK_S8, XK_F32, XK_ACC_F16, 0, false},
    {"scale[wei].source=device (mask 1, type f32, groups of 1x32)", XK_FWD_D,
     XK_U8, XK_S8, XK_F32, 0, 2, false},
    {"dst_type=e8m0 is not implemented, only f32, f16, bf16, s32, s8, u8, "
     "f8_e5m2, f8_e4m3, f4_e2m1",
     XK_FWD_D, XK_F16, XK_F16, XK_E8M0, 0, 0, false},
    {"wei_type=s32 is not implemented, only f32", XK_FWD_D, XK_F8_E5M2, XK_S32,
     XK_F32, 0, 0, false},
    {"bia_type=f8_e5m2 is not implemented, only f32, f16, bf16, s32, s8, u8",
     XK_BWD_WB, XK_F32, XK_F32, XK_F32, 0, 0, false},
};

START_TEST(refusals_name_what_the_caller_gave)
{
    struct xk_conv_desc d = good_desc(), full;
    struct xk_conv_ways ways;
    d.prop = refusals[_i].prop;
    d.src_type = refusals[_i].src, d.wei_type = refusals[_i].wei;
    d.dst_type = refusals[_i].dst;
    d.bia_type = d.prop == XK_BWD_WB ? XK_F8_E5M2 : XK_TYPE_DEFAULT;
    d.attr.acc_mode = refusals[_i].acc_mode;
    if (refusals[_i].zero_point)
        d.attr.zero_point[XK_ARG_SRC].source = XK_QUANT_DEVICE;
    if (refusals[_i].n_groups)
        d.attr.scale[XK_ARG_WEI] = (struct xk_quant){
            XK_QUANT_DEVICE, 1, 0, refusals[_i].n_groups, {1, 32}};
    xk_ctx_clear(test_ctx);
    ck_assert_int_eq(xk_conv_admit(test_ctx, &d, &full, &ways),
                     XK_EUNSUPPORTED);
    const char *const at = test_ctx->error.message;
    ck_assert_msg(strstr(at, refusals[_i].message) != NULL, "%s", at);
    ck_assert_msg(d.prop != XK_BWD_WB || !strstr(at, "u8, f8"), "%s", at);
}
END_TEST

/* Only integers are added up in s32, exactly. */
START_TEST(floats_have_no_zero_points)
{
    static const char *const names[] = {"src", "wei"};
    for (unsigned i = 0; i < 2; i++) {
        struct xk_conv_desc d = good_desc();
        char message[80];
        d.attr.zero_point[i].source = XK_QUANT_DEVICE;
        snprintf(message, sizeof(message), "zero_point[%s].source=device is",
                 names[i]);
        ck_assert_int_eq(check(&d), XK_EUNSUPPORTED);
        ck_assert_msg(strstr(test_ctx->error.message, message) != 0, "%s",
                      test_ctx->error.message);
    }
}
END_TEST

/* With f32 there is nothing to round. */
START_TEST(narrow_floats_are_rounded_at_random)
{
    static const struct {
        uint32_t type;
        enum xk_status st;
        uint32_t copies;
    } rows[] = {{XK_F32, XK_OK, 0},           {XK_F16, XK_OK, 1},
                {XK_BF16, XK_OK, 1},          {XK_F8_E5M2, XK_OK, 1},
                {XK_F8_E4M3, XK_OK, 1},       {XK_S8, XK_EUNSUPPORTED, 0},
                {XK_S32, XK_EUNSUPPORTED, 0}, {XK_F4_E2M1, XK_EUNSUPPORTED, 0}};
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_conv_desc d = good_desc(), full;
        struct xk_conv_ways ways;
        d.dst_type = rows[i].type;
        d.attr.rounding[XK_ARG_DST] = XK_ROUND_STOCHASTIC;
        xk_ctx_clear(test_ctx);
        ck_assert_int_eq(xk_conv_admit(test_ctx, &d, &full, &ways), rows[i].st);
        if (rows[i].st == XK_OK)
            ck_assert_uint_eq(ways.n, rows[i].copies);
    }
}
END_TEST

/* A gradient reads dst, so what is said of rounding it would be ignored. */
START_TEST(a_dst_that_is_read_is_not_rounded)
{
    static const uint32_t props[] = {XK_BWD_D, XK_BWD_W, XK_BWD_WB};
    for (unsigned i = 0; i < 2 * XK_COUNTOF(props); i++) {
        struct xk_conv_desc d = good_desc(), full;
        struct xk_conv_ways ways;
        char said[64];
        d.prop = props[i / 2];
        d.src_type = d.wei_type = XK_F16;
        d.dst_type = i % 2 ? XK_F16 : XK_F32;
        d.attr.rounding[XK_ARG_DST] = XK_ROUND_STOCHASTIC;
        snprintf(said, sizeof(said),
                 "rounding[dst]=stochastic: prop=%s does not write dst",
                 xk_conv_prop_name(d.prop));
        xk_ctx_clear(test_ctx);
        ck_assert_int_eq(xk_conv_admit(test_ctx, &d, &full, &ways), XK_EINVAL);
        ck_assert_str_eq(test_ctx->error.message, said);
    }
}
END_TEST

/* The type that two meet in holds all numbers of both. */
START_TEST(types_meet_in_one_that_holds_both)
{
    static const uint32_t rows[][3] = {
        {XK_F8_E5M2, XK_F8_E4M3, XK_F16}, {XK_F4_E2M1, XK_F4_E2M1, XK_F16},
        {XK_BF16, XK_F8_E4M3, XK_BF16},   {XK_F16, XK_BF16, XK_F32},
        {XK_F16, XK_S8, XK_F16},          {XK_S8, XK_BF16, XK_BF16},
        {XK_F32, XK_F8_E5M2, XK_F32},     {XK_U8, XK_F32, XK_F32}};
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        uint32_t src = rows[i][0], wei = rows[i][1];
        xk_conv_common_types(&src, &wei);
        ck_assert_uint_eq(src, rows[i][2]);
        ck_assert_uint_eq(wei, rows[i][2]);
    }
    uint32_t src = XK_U8, wei = XK_S4;
    xk_conv_common_types(&src, &wei);
    ck_assert(src == XK_U8 && wei == XK_S8);
}
END_TEST

/* Permissions for less than what is done anyway. */
START_TEST(modes_that_permit_are_accepted)
{
    struct xk_conv_desc d = good_desc();
    for (unsigned i = 0; i < 5 * 2 * 3 * 2; i++) {
        d.attr.math_mode = i % 5;
        d.attr.math_integers = i / 5 % 2;
        d.attr.acc_mode = i / 10 % 3;
        d.attr.deterministic = i / 30;
        ck_assert_int_eq(check(&d), XK_OK);
    }
    d.alg = XK_ALG_DIRECT;
    d.attr.acc_mode = XK_ACC_F32;
    ck_assert_int_eq(check(&d), XK_OK);
    d.src_type = XK_U8;
    d.wei_type = XK_S8;
    ck_assert_int_eq(check(&d), XK_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(test_ctx->error.message,
                                 "acc_mode=f32 is not implemented with "
                                 "src_type=u8, only s32"));
    d.attr.acc_mode = XK_ACC_S32;
    ck_assert_int_eq(check(&d), XK_OK);
}
END_TEST

/* A tag or strides in the user's dims, and the tag that kernels have; NULL: the
 * status and a part of the message. */
static const struct {
    const char *problem, *tag;
    enum xk_conv_arg arg;
    struct xk_strides strides;
    const char *ours;
    enum xk_status st;
    const char *message;
} layout_rows[] = {
    /* 1D: a height of 1 comes in */
    {"ic32iw9oc16kw3", "acb", XK_ARG_SRC, {0, {0}}, "acdb", 0, NULL},
    {"ic32iw9oc16kw3", "nwc", XK_ARG_DST, {0, {0}}, "acdb", 0, NULL},
    {"ic32iw9oc16kw3", "axb", XK_ARG_WEI, {0, {0}}, "acdb", 0, NULL},
    {"ic32iw9oc16kw3", "wio", XK_ARG_WEI, {0, {0}}, "cdba", 0, NULL},
    {"ic32iw9oc16kw3", "nCw16c", XK_ARG_SRC, {0, {0}}, "aBcd16b", 0, NULL},
    {"ic32iw9oc16kw3", "acdb", XK_ARG_SRC, {0, {0}}, NULL, XK_EINVAL, "acdb"},
    /* 3D whose depth does nothing */
    {"ic32id1ih9iw9oc16kd1kh3kw3", "ndhwc", XK_ARG_SRC, {0, {0}}, "acdb", 0, 0},
    {"ic32id1ih9iw9oc16kd1kh3kw3",
     "acdb",
     XK_ARG_SRC,
     {0, {0}},
     NULL,
     XK_EINVAL,
     "acdb"},
    {"ic32id4ih9iw9oc16kd1kh3kw3", "axb", XK_ARG_DST, {0, {0}}, "acdeb", 0, 0},
    /* one group in front of the weights */
    {"g1ic32ih9oc16kh3", "goihw", XK_ARG_WEI, {0, {0}}, "abcd", 0, NULL},
    {"g1ic32ih9oc16kh3", "abdec", XK_ARG_WEI, {0, {0}}, "acdb", 0, NULL},
    {"g1ic32iw9oc16kw3", "abcd", XK_ARG_WEI, {0, {0}}, "abcd", 0, NULL},
    {"g1ic32ih9oc16kh3",
     "gABcd8a16b",
     XK_ARG_WEI,
     {0, {0}},
     NULL,
     XK_EINVAL,
     "gABcd8a16b"},
    {"g1ic32ih9oc16kh3",
     "Abcde8a",
     XK_ARG_WEI,
     {0, {0}},
     NULL,
     XK_EUNSUPPORTED,
     "blocks of dim a"},
    {"g1ic32ih9oc16kh3", "acdb", XK_ARG_WEI, {0, {0}}, NULL, XK_EINVAL, "acdb"},
    {"g1ic32ih9oc16kh3", "acdb", XK_ARG_SRC, {0, {0}}, "acdb", 0, NULL},
    /* dims of extent 1 may stand anywhere */
    {"mb1ic32ih9oc16kh3", "bacd", XK_ARG_SRC, {0, {0}}, "abcd", 0, NULL},
    {"ic32ih9oc16kh1", "cadb", XK_ARG_WEI, {0, {0}}, "acdb", 0, NULL},
    {"mb2ic32ih9oc16kh3",
     "bacd",
     XK_ARG_SRC,
     {0, {0}},
     NULL,
     XK_EUNSUPPORTED,
     "src_tag=bacd: no kernel"},
    /* strides without gaps are a tag's */
    {"mb2ic32ih9oc16kh3",
     "",
     XK_ARG_SRC,
     {4, {2592, 1, 288, 32}},
     "acdb",
     0,
     0},
    {"mb2ic32ih9oc16kh3", "", XK_ARG_DST, {4, {784, 49, 7, 1}}, "abcd", 0, 0},
    {"mb1ic32ih9oc16kh1", "", XK_ARG_WEI, {4, {32, 1, 7, 7}}, "acdb", 0, NULL},
    {"g1ic32iw9oc16kw3", "", XK_ARG_WEI, {4, {9999, 96, 1, 32}}, "acdb", 0, 0},
    {"mb2ic32ih9oc16kh3",
     "",
     XK_ARG_SRC,
     {4, {5184, 1, 576, 64}},
     NULL,
     XK_EUNSUPPORTED,
     "src_strides: no kernel takes them as they are"},
    {"mb2ic32ih9oc16kh3",
     "",
     XK_ARG_SRC,
     {4, {2592, 1, 288, 16}},
     NULL,
     XK_EINVAL,
     "src_strides: stride 16 of dim d is below 32"},
    {"mb2ic32ih9oc16kh3",
     "",
     XK_ARG_SRC,
     {4, {2592, 0, 288, 32}},
     NULL,
     XK_EUNSUPPORTED,
     "src_strides: no kernel takes them as they are"},
    {"mb2ic32ih9oc16kh3",
     "",
     XK_ARG_SRC,
     {4, {2592, -1, 288, 32}},
     NULL,
     XK_EINVAL,
     "stride -1 of dim b is negative"},
    {"mb2ic32ih9oc16kh3",
     "",
     XK_ARG_DST,
     {3, {1, 1, 1}},
     NULL,
     XK_EINVAL,
     "dst_strides: 3 strides for 4 dims"},
    {"mb2ic32ih9oc16kh3",
     "axb",
     XK_ARG_WEI,
     {4, {1, 1, 1, 1}},
     NULL,
     XK_EINVAL,
     "wei_tag=axb: wei_strides are given, too"},
};

START_TEST(layouts_are_taken_in_the_users_dims)
{
    const char *const ours = layout_rows[_i].ours;
    struct xk_conv_desc d = test_parse(layout_rows[_i].problem), full;
    char *const tags[] = {d.src_tag, d.wei_tag, NULL, d.dst_tag};
    char *const full_tags[] = {full.src_tag, full.wei_tag, NULL, full.dst_tag};
    struct xk_strides *const strides[] = {&d.src_strides, &d.wei_strides, NULL,
                                          &d.dst_strides};
    strcpy(tags[layout_rows[_i].arg], layout_rows[_i].tag);
    *strides[layout_rows[_i].arg] = layout_rows[_i].strides;
    const enum xk_status st = xk_conv_check(test_ctx, &d, &full);
    ck_assert_msg(st == layout_rows[_i].st, "%s", test_ctx->error.message);
    if (ours)
        ck_assert_str_eq(full_tags[layout_rows[_i].arg], ours);
    else
        ck_assert_msg(
            strstr(test_ctx->error.message, layout_rows[_i].message) != 0, "%s",
            test_ctx->error.message);
}
END_TEST

Suite *suite_attr(void)
{
    Suite *const s = suite_create("conv/attr");
    TCase *const t = tcase_create("attr");
    tcase_add_checked_fixture(t, test_setup, test_teardown);
    tcase_add_test(t, floats_have_no_zero_points);
    tcase_add_test(t, what_belongs_to_something_that_is_absent_is_refused);
    tcase_add_loop_test(t, refusals_name_what_the_caller_gave, 0,
                        XK_COUNTOF(refusals));
    tcase_add_test(t, narrow_floats_are_rounded_at_random);
    tcase_add_test(t, a_dst_that_is_read_is_not_rounded);
    tcase_add_test(t, types_meet_in_one_that_holds_both);
    tcase_add_loop_test(t, scales_and_zero_points_are_judged, 0,
                        XK_COUNTOF(quant_rows));
    tcase_add_test(t, modes_that_permit_are_accepted);
    tcase_add_loop_test(t, layouts_are_taken_in_the_users_dims, 0,
                        XK_COUNTOF(layout_rows));
    suite_add_tcase(s, t);
    return s;
}
