/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of xkbench that need no generator: words, data, layouts, reference,
 * templates. Expected values are worked out by hand. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tools/tcases.h"
#include "tools/problem/words.h"
#include "tools/xkbench/bench.h"

static const struct xk_conv_desc small = {
    .size = sizeof(struct xk_conv_desc),
    .platform = XK_PLATFORM_XEHPG,
    .prop = XK_FWD_B,
    .g = 1,
    .mb = 1,
    .ic = 1,
    .oc = 1,
    .id = 1,
    .ih = 3,
    .iw = 3,
    .od = 1,
    .oh = 3,
    .ow = 3,
    .kd = 1,
    .kh = 3,
    .kw = 3,
    .sd = 1,
    .sh = 1,
    .sw = 1,
    .ph = 1,
    .pw = 1,
};

static const struct {
    const char *word;
    int status;
    uint32_t src, wei, dst;
} dt_words[] = {
    {"f32", XK_OK, XK_F32, XK_F32, XK_F32},
    {"u8:s8:s32", XK_OK, XK_U8, XK_S8, XK_S32},
    {"bf16:bf16:f32", XK_OK, XK_BF16, XK_BF16, XK_F32},
    {"f16", XK_OK, XK_F16, XK_F16, XK_F16},
    {"u8s8", XK_OK, XK_U8, XK_S8, XK_U8},
    {"s8u8", XK_OK, XK_S8, XK_U8, XK_S8},
    {"u8u8", XK_OK, XK_U8, XK_U8, XK_U8},
    {"s8s8", XK_OK, XK_S8, XK_S8, XK_S8},
    {"u8s8:s8:u8", XK_EINVAL, 0, 0, 0},
    {"", XK_EINVAL, 0, 0, 0},
    {"f32:f32", XK_EINVAL, 0, 0, 0},
    {"f32:f32:f32:f32", XK_EINVAL, 0, 0, 0},
    {"f32:f31:f32", XK_EINVAL, 0, 0, 0},
    {"F32", XK_EINVAL, 0, 0, 0},
};

START_TEST(data_types_are_one_word_or_three)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_error err = {0};
    ck_assert_int_eq(xk_word_types(dt_words[_i].word, &d, &err),
                     dt_words[_i].status);
    if (dt_words[_i].status == XK_OK) {
        ck_assert_uint_eq(d.src_type, dt_words[_i].src);
        ck_assert_uint_eq(d.wei_type, dt_words[_i].wei);
        ck_assert_uint_eq(d.dst_type, dt_words[_i].dst);
    } else {
        ck_assert_ptr_nonnull(strstr(err.message, "dt="));
    }
}
END_TEST

static const struct {
    const char *word;
    int status;
    unsigned n;
} post_op_words[] = {
    {"", XK_OK, 0},
    {"relu", XK_OK, 1},
    {"relu:0+relu", XK_OK, 2},
    {"select:f32", XK_EUNSUPPORTED, 0},
    {"relu+sum:2", XK_OK, 2},
    {"sum", XK_OK, 1},
    {"sum:-0.5+relu", XK_OK, 2},
    {"sum:0", XK_OK, 0},
    {"sum:1:3", XK_OK, 1},
    {"sum:1:0:s8", XK_OK, 1},
    {"sum:", XK_EINVAL, 0},
    {"sum:x", XK_EINVAL, 0},
    {"sum:inf", XK_EINVAL, 0},
    {"relu:", XK_EINVAL, 0},
    {"relux", XK_EINVAL, 0},
    {"+", XK_EINVAL, 0},
    {"relu+relu+relu+relu+relu+relu+relu+relu+relu", XK_OK, 9},
};

static const struct {
    const char *word;
    int status;
    double scale;
} oscale_words[] = {
    {"", XK_OK, 0},
    {"common", XK_OK, 1},
    {"common:2.5", XK_OK, 2.5},
    {"common:-4e-1", XK_OK, -0.4},
    {"common:0", XK_EUNSUPPORTED, 0},
    {"common:2*", XK_EUNSUPPORTED, 0},
    {"per_oc:2", XK_EUNSUPPORTED, 0},
    {"common:", XK_EINVAL, 0},
    {"common:two", XK_EINVAL, 0},
    {"common:nan", XK_EINVAL, 0},
    {"commo:2", XK_EINVAL, 0},
    {"2", XK_EINVAL, 0},
};

START_TEST(output_scales_are_common_or_refused)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_error err = {0};
    ck_assert_int_eq(xk_word_oscale(oscale_words[_i].word, &d, &err),
                     oscale_words[_i].status);
    if (oscale_words[_i].status == XK_OK)
        ck_assert_float_eq(d.scale, (float)oscale_words[_i].scale);
    else
        ck_assert_ptr_nonnull(strstr(err.message, "attr-oscale="));
}
END_TEST

START_TEST(post_ops_are_joined_with_plus)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_error err = {0};
    ck_assert_int_eq(xk_word_post_ops(post_op_words[_i].word, &d, &err),
                     post_op_words[_i].status);
    ck_assert_uint_eq(d.n_post_ops, post_op_words[_i].n);
}
END_TEST

/* oneDNN's %ops% of ic64ih56oc64oh56 kh3ph1 mb2: 4 * 64 * 64 * 166^2. */
START_TEST(ops_leave_out_the_padding)
{
    struct xk_conv_desc d = small;
    d.mb = 2;
    d.ic = d.oc = 64;
    d.ih = d.iw = d.oh = d.ow = 56;
    ck_assert_uint_eq(xk_bench_ops(&d), 451477504u);
}
END_TEST

/* K terms of range^2 each, plus the bias, must not reach 2^24. */
START_TEST(ranges_keep_sums_exact)
{
    static const int64_t channels[] = {1,     3,       64,       2048,
                                       40000, 2000000, 20000000, 100000000};
    struct xk_conv_desc d = small;
    d.ic = channels[_i];
    const struct xk_bench_ranges r = xk_bench_choose_ranges(&d);
    const int64_t terms = (r.k_n + r.b_step - 1) / r.b_step;
    ck_assert_int_eq(r.k_n, channels[_i] * 9);
    ck_assert_int_ge(r.a, 1);
    ck_assert_int_ge(r.b, 1);
    ck_assert_int_le(terms * r.a * r.b + r.bia, 1 << 24);
    ck_assert(r.b_step == 1 || r.a == 1);
}
END_TEST

START_TEST(data_are_nonzero_integers_of_both_signs)
{
    enum { N = 1000 };
    float data[N];
    unsigned negative = 0, largest = 0;
    xk_bench_fill(data, N, 8, 9, 1, 1);
    for (int i = 0; i < N; i++) {
        ck_assert(data[i] == (float)(int)data[i] && data[i] != 0);
        ck_assert(data[i] >= -8 && data[i] <= 8);
        negative += data[i] < 0;
        largest += data[i] == 8 || data[i] == -8;
    }
    ck_assert(negative > N / 3 && negative < 2 * N / 3);
    ck_assert(largest > N / 16);
}
END_TEST

START_TEST(sparse_weights_sit_at_the_same_terms_of_each_sum)
{
    float data[18];
    xk_bench_fill(data, 18, 1, 9, 4, 1);
    for (int i = 0; i < 18; i++)
        ck_assert_int_eq(data[i] != 0, i % 9 % 4 == 0);
}
END_TEST

/* o i in blocks of 4 o, 3 o of 4 used: offset = o/4 * 8 + i * 4 + o%4. */
static const struct xk_tensor_info blocked = {
    .type = XK_F32,
    .ndims = 2,
    .dims = {3, 2},
    .padded_dims = {4, 2},
    .n_blocks = 3,
    .size_b = 32,
    .blocks = {{0, 1, 4, 8}, {1, 2, 1, 4}, {0, 4, 1, 1}},
};

START_TEST(blocked_layout_there_and_back)
{
    const uint32_t plain[6] = {1, 2, 3, 4, 5, 6};
    const uint32_t expected[8] = {1, 3, 5, 0, 2, 4, 6, 0};
    uint32_t image[8] = {0}, back[6] = {0};
    struct xk_bench_map m;
    ck_assert(xk_bench_map_init(&m, &blocked));
    xk_bench_scatter(&m, plain, image);
    ck_assert_mem_eq(image, expected, sizeof image);
    xk_bench_gather(&m, image, back);
    ck_assert_mem_eq(back, plain, sizeof plain);
    bool used[8] = {0};
    xk_bench_mark(&m, used);
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(used[i], i % 4 != 3);
    xk_bench_map_fini(&m);
}
END_TEST

START_TEST(layout_larger_than_its_tensor_is_refused)
{
    struct xk_tensor_info t = blocked;
    struct xk_bench_map m;
    t.size_b = 24; /* the last element stands at byte 24 */
    ck_assert(!xk_bench_map_init(&m, &t));
    xk_bench_map_fini(&m);
}
END_TEST

static const struct {
    const char *text, *out; /* NULL: refused */
} templates[] = {
    {"plain", "plain\n"},
    {"%name%,%dir%", "me,FWD_B\n"},
    {"%ops%", "98\n"}, /* 2 * 7 * 7 taps inside */
    {"%Kops%", "0.098\n"},
    {"%-ctime% %0ctime% %+ctime%", "1 2 3\n"}, /* ms */
    {"%-Kctime%", "0.001\n"},
    {"%xipf%/%sipf%", "1.5/4\n"},
    {"%code%%threads%", "64016\n"},
    {"100%", NULL},
    {"%%", NULL},
    {"%K-ops%", NULL},
    {"%Xops%", NULL},
};

START_TEST(templates_print_what_they_name)
{
    struct xk_bench_problem p = {.desc = small, .name = "me"};
    struct xk_bench_result r = {.create = {.min_ns = 1000000,
                                           .max_ns = 3000000,
                                           .total_ns = 6000000,
                                           .n = 3},
                                .stats = {.instructions = 300, .fma = 200},
                                .static_instructions = 40,
                                .static_fma = 10,
                                .code_b = 640,
                                .threads_per_group = 16};
    struct xk_error err = {0};
    const bool fine = xk_bench_template_check(templates[_i].text, &err) >= 0;
    ck_assert_int_eq(fine, templates[_i].out != NULL);
    if (!fine)
        return;
    char *text = NULL;
    size_t n = 0;
    FILE *const f = open_memstream(&text, &n);
    xk_bench_template_print(templates[_i].text, &p, &r, f);
    fclose(f);
    ck_assert_str_eq(text, templates[_i].out);
    free(text);
}
END_TEST

static const struct {
    enum xk_bench_state state[2];
    int code;
} exits[] = {
    {{XK_PASSED, XK_PASSED}, 0},
    {{XK_PASSED, XK_SKIPPED}, 0},
    {{XK_SKIPPED, XK_SKIPPED}, 77},
    {{XK_PASSED, XK_FAILED}, 1},
    {{XK_SKIPPED, XK_FAILED}, 1},
    {{XK_PASSED, XK_UNIMPLEMENTED}, 1},
    {{XK_PASSED, XK_MISTRUSTED}, 0},
    {{XK_LISTED, XK_LISTED}, 0},
    {{XK_SKIPPED, XK_INVALID_ARGUMENTS}, 1},
};

START_TEST(exit_code_is_the_worst_state)
{
    struct xk_bench b = {.n_tests = 2};
    b.count[exits[_i].state[0]]++;
    b.count[exits[_i].state[1]]++;
    ck_assert_int_eq(xk_bench_exit_code(&b), exits[_i].code);
}
END_TEST

static Suite *suite(void)
{
    Suite *const s = suite_create("tools");
    TCase *const t = tcase_create("xkbench");
    tcase_add_loop_test(t, data_types_are_one_word_or_three, 0,
                        XK_COUNTOF(dt_words));
    tcase_add_loop_test(t, post_ops_are_joined_with_plus, 0,
                        XK_COUNTOF(post_op_words));
    tcase_add_loop_test(t, output_scales_are_common_or_refused, 0,
                        XK_COUNTOF(oscale_words));
    tcase_add_test(t, ops_leave_out_the_padding);
    tcase_add_loop_test(t, ranges_keep_sums_exact, 0, 8);
    tcase_add_test(t, data_are_nonzero_integers_of_both_signs);
    tcase_add_test(t, sparse_weights_sit_at_the_same_terms_of_each_sum);
    tcase_add_test(t, blocked_layout_there_and_back);
    tcase_add_test(t, layout_larger_than_its_tensor_is_refused);
    tcase_add_loop_test(t, templates_print_what_they_name, 0,
                        XK_COUNTOF(templates));
    tcase_add_loop_test(t, exit_code_is_the_worst_state, 0, XK_COUNTOF(exits));
    suite_add_tcase(s, t);
    suite_add_tcase(s, xk_tcase_reference());
    suite_add_tcase(s, xk_tcase_types());
    return s;
}

int main(void)
{
    SRunner *const r = srunner_create(suite());
    srunner_set_fork_status(r, CK_NOFORK);
    srunner_set_tap(r, "-");
    srunner_run_all(r, CK_SILENT);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
