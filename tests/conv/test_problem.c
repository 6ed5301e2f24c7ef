/* SPDX-License-Identifier: Apache-2.0 */
/* Problem strings. Expected geometry is worked out by hand from benchdnn's
 * documentation of the convolution driver and its problem descriptor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conv/suites.h"

/* text, and what a canonical print of it must be */
static const struct {
    const char *in, *out;
} good[] = {
    /* defaults, square shapes, deduced output */
    {"ic3ih32oc16kh3",
     "mb2_ic3ih32iw32_oc16oh30ow30_kh3kw3_sh1sw1_ph0pw0_dh0dw0"},
    {"mb2ic3ih32oc16oh16kh3sh2ph1n\"my\"",
     "mb2_ic3ih32iw32_oc16oh16ow16_kh3kw3_sh2sw2_ph1pw1_dh0dw0"},
    /* underscores between entries are optional, order is free */
    {"kh3_oc16_ph1mb7_g1_ih32_ic3",
     "g1mb7_ic3ih32iw32_oc16oh32ow32_kh3kw3_sh1sw1_ph1pw1_dh0dw0"},
    /* padding from the output size: (55*1 - 56 + 3) / 2 = 1 */
    {"ic64ih56oc64oh56kh3",
     "mb2_ic64ih56iw56_oc64oh56ow56_kh3kw3_sh1sw1_ph1pw1_dh0dw0"},
    /* (111*2 - 224 + 7) / 2 = 2: benchdnn rounds down, the end gets 3 */
    {"ic3ih224oc64oh112kh7sh2",
     "mb2_ic3ih224iw224_oc64oh112ow112_kh7kw7_sh2sw2_ph2pw2_dh0dw0"},
    /* even kernel: (31 - 32 + 2) / 2 = 0 in front, 1 behind */
    {"ic1ih32oc1oh32kh2",
     "mb2_ic1ih32iw32_oc1oh32ow32_kh2kw2_sh1sw1_ph0pw0_dh0dw0"},
    /* 27*2 - 56 + 1 = -1: no padding */
    {"ic256ih56oc512oh28kh1sh2",
     "mb2_ic256ih56iw56_oc512oh28ow28_kh1kw1_sh2sw2_ph0pw0_dh0dw0"},
    /* dilation 1 means a gap of one: extent 5, 32 - 5 + 1 = 28 */
    {"ic3ih32oc16kh3dh1",
     "mb2_ic3ih32iw32_oc16oh28ow28_kh3kw3_sh1sw1_ph0pw0_dh1dw1"},
    /* extent (3-1)*3+1 = 7: (31 - 32 + 7) / 2 = 3 */
    {"ic3ih32oc16oh32kh3dh2",
     "mb2_ic3ih32iw32_oc16oh32ow32_kh3kw3_sh1sw1_ph3pw3_dh2dw2"},
    /* h and w of their own: (10+2-3)/2+1 = 5, (20+4-5)/3+1 = 7 */
    {"g1mb1ic4ih10iw20oc8kh3kw5sh2sw3ph1pw2",
     "g1mb1_ic4ih10iw20_oc8oh5ow7_kh3kw5_sh2sw3_ph1pw2_dh0dw0"},
    /* a w of its own takes defaults, not h's stride */
    {"ic4ih10iw20oc8kh3kw5sh2",
     "mb2_ic4ih10iw20_oc8oh4ow16_kh3kw5_sh2sw1_ph0pw0_dh0dw0"},
    /* 1D */
    {"g1mb1_ic32iw84350_oc32ow84349_kw2_sw1_pw0_dw0_n\"wavenet:conv1d_1\"",
     "g1mb1_ic32iw84350_oc32ow84349_kw2_sw1_pw0_dw0"},
    {"ic3iw9oc4kw3pw1sw2", "mb2_ic3iw9_oc4ow5_kw3_sw2_pw1_dw0"},
    /* 3D: cubic, and in full */
    {"ic3id8oc4kd3pd1",
     "mb2_ic3id8ih8iw8_oc4od8oh8ow8_kd3kh3kw3_sd1sh1sw1_pd1ph1pw1_"
     "dd0dh0dw0"},
    {"ic3id8ih9iw10oc4kd3kh2kw1",
     "mb2_ic3id8ih9iw10_oc4od6oh8ow10_kd3kh2kw1_sd1sh1sw1_pd0ph0pw0_"
     "dd0dh0dw0"},
    /* groups, leading zeros, repetition with the same value, names */
    {"g2ic4ih5oc6kh1", "g2mb2_ic4ih5iw5_oc6oh5ow5_kh1kw1_sh1sw1_ph0pw0_dh0dw0"},
    {"ic04ih5oc6kh1ic4", "mb2_ic4ih5iw5_oc6oh5ow5_kh1kw1_sh1sw1_ph0pw0_dh0dw0"},
    {"ic4ih5oc6kh1nab*4:c/_\"d",
     "mb2_ic4ih5iw5_oc6oh5ow5_kh1kw1_sh1sw1_ph0pw0_dh0dw0"},
    {"ic4ih5oc6kh1_n\"\"",
     "mb2_ic4ih5iw5_oc6oh5ow5_kh1kw1_sh1sw1_ph0pw0_dh0dw0"},
    /* w written out as it is deduced anyway, its sizes missing */
    {"ic4ih5oc6kh1sw1ph0pw0",
     "mb2_ic4ih5iw5_oc6oh5ow5_kh1kw1_sh1sw1_ph0pw0_dh0dw0"},
    /* the last value of a key counts; signs; an underscore at the end */
    {"ic3mb9ic4mb8_ih+5oc6kh1ph-0_",
     "mb8_ic4ih5iw5_oc6oh5ow5_kh1kw1_sh1sw1_ph0pw0_dh0dw0"},
    /* a dimension of which only zeros are given is not there: the shape is
     * square, and pw is ph */
    {"ic3oc3ih5kh3ph1pw0",
     "mb2_ic3ih5iw5_oc3oh5ow5_kh3kw3_sh1sw1_ph1pw1_dh0dw0"},
    {"ic3oc3id0ih5kh3sw1dh1dw0od0",
     "mb2_ic3ih5iw5_oc3oh1ow1_kh3kw3_sh1sw1_ph0pw0_dh1dw1"},
    /* (4 - 5 + 0) / 2 is 0: one place, whose last row is padding */
    {"ic3oc3ih4kh5sh2", "mb2_ic3ih4iw4_oc3oh1ow1_kh5kw5_sh2sw2_ph0pw0_dh0dw0"},
    /* a depth that does nothing, and groups of which there is one */
    {"g1ic3oc3id1ih5iw5kd1kh1kw1",
     "g1mb2_ic3id1ih5iw5_oc3od1oh5ow5_kd1kh1kw1_sd1sh1sw1_pd0ph0pw0_dd0dh0dw0"},
    {"mb0ic3oc3iw5kw1", "mb0_ic3iw5_oc3ow5_kw1_sw1_pw0_dw0"},
    {"ic2147483647ih5oc6kh1",
     "mb2_ic2147483647ih5iw5_oc6oh5ow5_kh1kw1_sh1sw1_ph0pw0_dh0dw0"},
};

static void print_desc(const struct xk_conv_desc *d, char *out, size_t size)
{
    struct xk_str s;
    xk_str_init(&s, NULL);
    xk_conv_print(d, &s);
    ck_assert_uint_lt(s.len, size);
    strcpy(out, xk_str_get(&s));
    xk_str_fini(&s);
}

START_TEST(problem_is_read_and_reprinted)
{
    char text[256];
    const struct xk_conv_desc d = test_parse(good[_i].in);
    print_desc(&d, text, sizeof(text));
    ck_assert_str_eq(text, good[_i].out);
    const struct xk_conv_desc again = test_parse(text);
    ck_assert_mem_eq(&again, &d, sizeof(d));
}
END_TEST

/* A deconvolution's output is what its window moves over. */
START_TEST(deconvolution_is_read_and_reprinted)
{
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"ic3ih5oc4kh3ph1",
         "mb2_ic3ih5iw5_oc4oh5ow5_kh3kw3_sh1sw1_ph1pw1_dh0dw0"},
        {"ic3ih4oc4kh3sh2",
         "mb2_ic3ih4iw4_oc4oh9ow9_kh3kw3_sh2sw2_ph0pw0_dh0dw0"},
        /* (3 * 2 + 3 - 7) / 2 */
        {"ic3ih4oc4oh7kh3sh2",
         "mb2_ic3ih4iw4_oc4oh7ow7_kh3kw3_sh2sw2_ph1pw1_dh0dw0"},
        /* (3 * 2 + 3 - 12) / 2, towards 0 */
        {"ic3ih4oc4oh12kh3sh2",
         "mb2_ic3ih4iw4_oc4oh12ow12_kh3kw3_sh2sw2_ph-1pw-1_dh0dw0"},
        {"g2ic4iw6oc2kw2sw3dw1pw2", "g2mb2_ic4iw6_oc2ow14_kw2_sw3_pw2_dw1"},
    };
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_conv_desc d = XK_CONV_DESC_INIT;
        char text[256];
        d.alg = XK_ALG_DECONV_DIRECT;
        ck_assert_int_eq(xk_conv_parse(test_ctx, rows[i].in, &d, NULL, 0),
                         XK_OK);
        print_desc(&d, text, sizeof(text));
        ck_assert_str_eq(text, rows[i].out);
    }
}
END_TEST

START_TEST(deconvolution_without_output_is_refused)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    d.alg = XK_ALG_DECONV_DIRECT;
    ck_assert_int_eq(xk_conv_parse(test_ctx, "ic3ih2oc4kh3ph2", &d, NULL, 0),
                     XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "around ih=2"));
}
END_TEST

START_TEST(name_is_what_is_between_the_quotes)
{
    static const struct {
        const char *text, *name;
    } rows[] = {
        {"ic4ih5oc6kh1n\"resnet_50:conv1*4\"", "resnet_50:conv1*4"},
        {"ic4ih5oc6kh1_nplain", "plain"},
        {"ic4ih5oc6kh1nic7", "ic7"}, /* a name ends the descriptor */
        {"ic4ih5oc6kh1n\"\"", ""},
        {"ic4ih5oc6kh1n", ""},
        {"ic4ih5oc6kh1n\"ab", "\"ab"},
        {"ic4ih5oc6kh1n\"ab\"c", "\"ab\"c"},
        {"ic4ih5oc6kh1n\"a b\"", "a b"},
        {"ic4ih5oc6kh1n\"", "\""},
        {"ic4ih5oc6kh1", ""},
    };
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_conv_desc d = XK_CONV_DESC_INIT;
        char name[18] = "junk";
        ck_assert_int_eq(
            xk_conv_parse(test_ctx, rows[i].text, &d, name, sizeof(name)),
            XK_OK);
        ck_assert_str_eq(name, rows[i].name);
        ck_assert_int_eq(d.ic, 4);
    }
}
END_TEST

START_TEST(other_fields_are_kept)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    d.prop = XK_FWD_I;
    d.src_type = XK_F16;
    d.n_post_ops = 1;
    strcpy(d.wei_tag, "ohwi");
    d.id = d.kd = 77; /* sizes are all set by the string */
    ck_assert_int_eq(xk_conv_parse(test_ctx, "ic4ih5oc6kh1", &d, NULL, 0),
                     XK_OK);
    ck_assert_uint_eq(d.prop, XK_FWD_I);
    ck_assert_uint_eq(d.src_type, XK_F16);
    ck_assert_uint_eq(d.n_post_ops, 1);
    ck_assert_str_eq(d.wei_tag, "ohwi");
    ck_assert_int_eq(d.id, 1);
    ck_assert_int_eq(d.kd, 1);
}
END_TEST

/* Each with two things its message must contain. */
static const struct {
    const char *text, *a, *b;
} bad[] = {
    {"", "ic", "missing"},
    {"ic3", "oc", "missing"},
    {"oc3ih4kh1", "ic", "missing"},
    {"ic3oc3", "iw", "missing"},
    {"ic3oc3ih5", "kh", "missing"},
    {"ic3oc3kh5", "ih", "missing"},
    {"ic3oc3iw5", "kw", "missing"},
    {"ic3oc3ih5kh3iw4", "kw", "missing"},
    {"ic3oc3ih5kh3sw2", "iw", "missing"},
    {"ic3oc3ih5kh3dw2", "iw", "missing"},
    {"ic3oc3ih5kh3pw2", "iw", "missing"},
    {"ic3oc3id5kd3ih5kh3", "iw", "missing"},
    {"ic3oc3id5kd3iw5kw3", "ih", "missing"},
    {"xy3", "position 1", "\"xy3\""},
    {"ic3zz4", "position 4", "\"zz4\""},
    {"ic3 oc3", "position 4", "unknown field"},
    {"ic3__oc3", "position 5", "unknown field"},
    {"_ic3", "position 1", "unknown field"},
    {"ic", "position 3", "ic="},
    {"icxoc3", "position 3", "a number must follow"},
    {"ic-3oc3", "position 3", "ic=-3"},
    {"ic0oc3ih4kh1", "ic=0", "positive"},
    {"g0ic3", "g=0", "positive"},
    {"ic+-3oc3", "position 3", "a number must follow"},
    {"ic-oc3", "position 3", "a number must follow"},
    {"ic3oc3ih5kh3id4", "kd", "missing"},
    {"ic3oc0", "oc=0", "positive"},
    {"ic3oc3ih0kh1", "ih=0", "positive"},
    {"ic3oc3ih3kh0", "kh=0", "positive"},
    {"ic3oc3ih3kh1sh0", "sh=0", "positive"},
    {"ic3oc3ih3kh1dh-1", "dh=-1", "negative"},
    {"ic2147483648", "ic=2147483648", "at most 2147483647"},
    {"ic99999999999999999999999999", "ic=999", "at most 2147483647"},
    {"ic3oc3ih4kh5", "kh=5", "ih=4"},
    {"ic3oc3ih4kh3dh1", "kh=3", "extent 5"},
    {"ic3oc3ih4kh7ph1", "kh=7", "padding 1"},
    {"ic3oc3ih4kh1n12345678901234567890", "name (n)", "too long"},
    {"IC3oc3", "position 1", "unknown field"},
};

START_TEST(bad_problem_is_refused)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    const struct xk_conv_desc before = d;
    char name[16];
    const char *const message = test_ctx->error.message;
    ck_assert_int_eq(
        xk_conv_parse(test_ctx, bad[_i].text, &d, name, sizeof(name)),
        XK_EINVAL);
    ck_assert_msg(strstr(message, bad[_i].a) && strstr(message, bad[_i].b),
                  "%s: %s", bad[_i].text, message);
    ck_assert_mem_eq(&d, &before, sizeof(d));
}
END_TEST

START_TEST(null_and_short_arguments_are_refused)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    ck_assert_int_eq(xk_conv_parse(test_ctx, NULL, &d, NULL, 0), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "problem is NULL"));
    xk_ctx_clear(test_ctx);
    ck_assert_int_eq(xk_conv_parse(test_ctx, "ic1", NULL, NULL, 0), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "desc is NULL"));
    xk_ctx_clear(test_ctx);
    d.size = 8;
    ck_assert_int_eq(xk_conv_parse(test_ctx, "ic1", &d, NULL, 0), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "desc.size=8"));
}
END_TEST

static void check_line(const char *line, const char *file)
{
    char text[256], want[256];
    const struct xk_conv_desc d = test_parse(line);
    const char *const name = strstr(line, "_n");
    print_desc(&d, text, sizeof(text));
    ck_assert_msg(name != NULL, "%s: %s", file, line);
    snprintf(want, sizeof(want), "%.*s", (int)(name - line), line);
    ck_assert_str_eq(text, want);
    const struct xk_conv_desc again = test_parse(text);
    ck_assert_mem_eq(&again, &d, sizeof(d));
}

START_TEST(shape_lists_come_back_as_they_were)
{
    static const char *const files[] = {
        "alexnet",          "deepbench_inference_device",
        "groups",           "inception_v3",
        "mobilenet_v1_dw",  "mobilenet_v1_pw",
        "mobilenet_v2",     "perf_basic",
        "resnet_50",        "resnet_50_v1_5",
        "stable_diffusion", "unet",
        "unet_3d",          "vgg_16",
        "vgg_19",           "vit",
        "wavenet_1d"};
    unsigned n = 0;
    for (unsigned i = 0; i < XK_COUNTOF(files); i++) {
        char path[512], line[512];
        const char *const root = getenv("XK_SOURCE_ROOT");
        snprintf(path, sizeof(path), "%s/shapes/%s.txt", root ? root : ".",
                 files[i]);
        FILE *const f = fopen(path, "r");
        ck_assert_msg(f != NULL, "%s", path);
        while (fgets(line, sizeof(line), f)) {
            line[strcspn(line, "\n")] = 0;
            if (line[0] == '#' || line[0] == 0)
                continue;
            check_line(line, files[i]);
            n++;
        }
        fclose(f);
    }
    ck_assert_uint_eq(n, 274); /* grep -cv "^#" over the lists */
}
END_TEST

/* A parser of hostile text: an answer for any, and what is accepted comes back
 * from its own print. */
START_TEST(mutated_problems_never_break_the_parser)
{
    static const char seedline[] =
        "g1mb2_ic3ih32iw31_oc16oh16ow15_kh3kw2_sh2sw2_ph1pw0_dh0dw0_n\"my\"";
    unsigned seed = 7, n_ok = 0;
    for (unsigned i = 0; i < 100000; i++) {
        char text[128], print[256];
        struct xk_conv_desc d = XK_CONV_DESC_INIT;
        strcpy(text, seedline);
        const unsigned n = 1 + (unsigned)rand_r(&seed) % 3;
        for (unsigned j = 0; j < n; j++) {
            const size_t at = (unsigned)rand_r(&seed) % strlen(text);
            if (rand_r(&seed) % 2)
                memmove(text + at, text + at + 1, strlen(text + at));
            else
                text[at] = (char)(1 + rand_r(&seed) % 255);
        }
        xk_ctx_clear(test_ctx);
        if (xk_conv_parse(test_ctx, text, &d, NULL, 0) != XK_OK) {
            ck_assert_int_eq(xk_ctx_status(test_ctx), XK_EINVAL);
            continue;
        }
        n_ok++;
        if (d.ph < 0 || d.pw < 0)
            continue; /* deduced; xk_conv_check refuses it */
        print_desc(&d, print, sizeof(print));
        const struct xk_conv_desc again = test_parse(print);
        ck_assert_mem_eq(&again, &d, sizeof(d));
    }
    ck_assert_uint_gt(n_ok, 1000);
}
END_TEST

Suite *suite_problem(void)
{
    Suite *const s = suite_create("conv/problem");
    TCase *const t = tcase_create("problem");
    tcase_add_checked_fixture(t, test_setup, test_teardown);
    tcase_add_loop_test(t, problem_is_read_and_reprinted, 0, XK_COUNTOF(good));
    tcase_add_test(t, name_is_what_is_between_the_quotes);
    tcase_add_test(t, deconvolution_is_read_and_reprinted);
    tcase_add_test(t, deconvolution_without_output_is_refused);
    tcase_add_test(t, other_fields_are_kept);
    tcase_add_loop_test(t, bad_problem_is_refused, 0, XK_COUNTOF(bad));
    tcase_add_test(t, null_and_short_arguments_are_refused);
    tcase_add_test(t, shape_lists_come_back_as_they_were);
    tcase_add_test(t, mutated_problems_never_break_the_parser);
    suite_add_tcase(s, t);
    return s;
}
