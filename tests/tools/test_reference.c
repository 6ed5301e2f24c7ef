/* SPDX-License-Identifier: Apache-2.0 */
/* The two references of xkbench's mode C: oneDNN's CPU library and the loop
 * over every product. Both give what is worked out by hand, and the same for
 * random problems. */
#include <stdlib.h>

#include "tests/tools/tcases.h"
#include "tools/xkbench/bench.h"

static const struct xk_conv_desc one_channel = {
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

static enum xk_status (*const reference[])(const struct xk_conv_desc *d,
                                           float *const tensor[XK_N_CONV_ARGS],
                                           struct xk_error *err) = {
    xk_bench_own_reference, xk_bench_library_reference};

/* Built without libdnnl there is one reference. */
#ifdef XK_HAVE_DNNL
static bool is_absent(enum xk_status st)
{
    ck_assert_int_eq(st, XK_OK);
    return false;
}
#else
static bool is_absent(enum xk_status st)
{
    return st == XK_EABSENT;
}
#endif

/* All-ones 3x3 over 1..9 with padding 1, bias 100. */
START_TEST(reference_of_a_hand_computed_image)
{
    float src[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const float expected[9] = {112, 121, 116, 127, 145, 133, 124, 139, 128};
    float wei[9], dst[9], bias = 100;
    float *const tensor[] = {src, wei, &bias, dst};
    struct xk_conv_desc d = one_channel;
    struct xk_error err = {0};
    for (int i = 0; i < 9; i++)
        wei[i] = 1;
    if (is_absent(reference[_i](&d, tensor, &err)))
        return;
    for (int i = 0; i < 9; i++)
        ck_assert_float_eq(dst[i], expected[i]);
}
END_TEST

/* One row of 3, kernel 2 taps dilated by 1, stride 2, two columns of padding
 * in front, o = 3: taps at -2,0 | 0,2 | 2,4. */
START_TEST(reference_with_dilation_stride_and_one_sided_padding)
{
    float src[3] = {1, 10, 100}, wei[2] = {2, 3}, dst[3];
    float *const tensor[] = {src, wei, NULL, dst};
    struct xk_conv_desc d = one_channel;
    struct xk_error err = {0};
    d.ih = d.oh = d.kh = 1;
    d.ph = 0;
    d.kw = 2, d.dw = 1, d.sw = 2, d.pw = 2;
    if (is_absent(reference[_i](&d, tensor, &err)))
        return;
    ck_assert_float_eq(dst[0], 3);
    ck_assert_float_eq(dst[1], 302);
    ck_assert_float_eq(dst[2], 200);
}
END_TEST

/* The same row backward, g = 1, 10, 100 in the place of dst: src at 0 is met
 * by tap 1 of g0 and tap 0 of g1, at 2 by tap 1 of g1 and tap 0 of g2. */
START_TEST(reference_of_hand_computed_gradients)
{
    float src[3] = {5, 6, 7}, wei[2] = {2, 3}, dst[3] = {1, 10, 100}, bia;
    float *const tensor[] = {src, wei, &bia, dst};
    struct xk_conv_desc d = one_channel;
    struct xk_error err = {0};
    d.ih = d.oh = d.kh = 1;
    d.ph = 0;
    d.kw = 2, d.dw = 1, d.sw = 2, d.pw = 2;
    d.prop = XK_BWD_WB;
    if (is_absent(reference[_i](&d, tensor, &err)))
        return;
    ck_assert_float_eq(wei[0], 10 * 5 + 100 * 7);
    ck_assert_float_eq(wei[1], 1 * 5 + 10 * 7);
    ck_assert_float_eq(bia, 111);
    wei[0] = 2, wei[1] = 3;
    d.prop = XK_BWD_D;
    ck_assert_int_eq(reference[_i](&d, tensor, &err), XK_OK);
    ck_assert_float_eq(src[0], 1 * 3 + 10 * 2);
    ck_assert_float_eq(src[1], 0);
    ck_assert_float_eq(src[2], 10 * 3 + 100 * 2);
}
END_TEST

/* Outputs that see only padding hold the bias. */
START_TEST(reference_where_nothing_is_reached)
{
    float src[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, wei[9] = {1};
    float bias = -7, dst[9] = {0};
    float *const tensor[] = {src, wei, &bias, dst};
    struct xk_conv_desc d = one_channel;
    struct xk_error err = {0};
    d.ph = 9; /* the last tap of the last row reads row -5 */
    if (is_absent(reference[_i](&d, tensor, &err)))
        return;
    for (int i = 0; i < 9; i++)
        ck_assert_float_eq(dst[i], -7);
}
END_TEST

#ifdef XK_HAVE_DNNL

static int64_t any_of(unsigned *seed, int64_t lo, int64_t hi)
{
    return lo + rand_r(seed) % (hi - lo + 1);
}

/* Any sizes: padding behind may be negative, and a tap may meet nothing. */
static void random_axis(unsigned *seed, int64_t *const size[6])
{
    *size[0] = any_of(seed, 1, 6);
    *size[1] = any_of(seed, 1, 6);
    *size[2] = any_of(seed, 1, 3);
    *size[3] = any_of(seed, 1, 3);
    *size[4] = any_of(seed, 0, 2);
    *size[5] = any_of(seed, 0, 4);
}

static struct xk_conv_desc random_problem(unsigned *seed)
{
    struct xk_conv_desc d = one_channel;
    const uint32_t props[] = {XK_FWD_D, XK_BWD_D, XK_BWD_W, XK_BWD_WB};
    int64_t *const deep[] = {&d.id, &d.od, &d.kd, &d.sd, &d.dd, &d.pd};
    int64_t *const high[] = {&d.ih, &d.oh, &d.kh, &d.sh, &d.dh, &d.ph};
    int64_t *const wide[] = {&d.iw, &d.ow, &d.kw, &d.sw, &d.dw, &d.pw};
    d.alg = any_of(seed, 0, 1) ? XK_ALG_DECONV_DIRECT : XK_ALG_DIRECT;
    d.prop = props[any_of(seed, 0, 3)];
    d.g = any_of(seed, 1, 3);
    d.mb = any_of(seed, 1, 3);
    d.ic = d.g * any_of(seed, 1, 4);
    d.oc = d.g * any_of(seed, 1, 4);
    if (any_of(seed, 0, 2) == 0)
        random_axis(seed, deep);
    random_axis(seed, high);
    random_axis(seed, wide);
    return d;
}

static int64_t elements_of(const struct xk_conv_desc *d, int arg)
{
    const int64_t n[] = {d->mb * d->ic * d->id * d->ih * d->iw,
                         d->oc * d->ic / d->g * d->kd * d->kh * d->kw, d->oc,
                         d->mb * d->oc * d->od * d->oh * d->ow};
    return n[arg];
}

/* The tensors by each reference; small integers, so that sums are exact.
 */
struct both {
    float *tensor[2][XK_N_CONV_ARGS];
};

static void fill_both(struct both *b, const struct xk_conv_desc *d,
                      unsigned *seed)
{
    for (int arg = 0; arg < XK_N_CONV_ARGS; arg++) {
        const int64_t n = elements_of(d, arg);
        for (int k = 0; k < 2; k++)
            b->tensor[k][arg] = malloc((size_t)n * sizeof(float));
        for (int64_t i = 0; i < n; i++)
            b->tensor[0][arg][i] = b->tensor[1][arg][i] =
                (float)any_of(seed, -9, 9);
    }
}

static void compare_both(struct both *b, const struct xk_conv_desc *d,
                         unsigned number)
{
    for (int arg = 0; arg < XK_N_CONV_ARGS; arg++) {
        for (int64_t i = 0; i < elements_of(d, arg); i++)
            ck_assert_msg(
                b->tensor[0][arg][i] == b->tensor[1][arg][i],
                "problem %u, prop %u, alg %u, tensor %d, element %ld: "
                "ours %g, oneDNN's %g",
                number, d->prop, d->alg, arg, (long)i,
                (double)b->tensor[0][arg][i], (double)b->tensor[1][arg][i]);
        free(b->tensor[0][arg]);
        free(b->tensor[1][arg]);
    }
}

START_TEST(our_reference_is_onednns_for_random_problems)
{
    unsigned seed = 29;
    for (unsigned i = 0; i < 1500; i++) {
        const struct xk_conv_desc d = random_problem(&seed);
        struct xk_error err = {0};
        struct both b;
        fill_both(&b, &d, &seed);
        ck_assert_int_eq(reference[0](&d, b.tensor[0], &err), XK_OK);
        ck_assert_msg(reference[1](&d, b.tensor[1], &err) == XK_OK, "%u: %s", i,
                      err.message);
        compare_both(&b, &d, i);
    }
}
END_TEST

#endif

TCase *xk_tcase_reference(void)
{
    TCase *const t = tcase_create("reference");
    tcase_add_loop_test(t, reference_of_a_hand_computed_image, 0, 2);
    tcase_add_loop_test(t, reference_with_dilation_stride_and_one_sided_padding,
                        0, 2);
    tcase_add_loop_test(t, reference_of_hand_computed_gradients, 0, 2);
    tcase_add_loop_test(t, reference_where_nothing_is_reached, 0, 2);
#ifdef XK_HAVE_DNNL
    tcase_add_test(t, our_reference_is_onednns_for_random_problems);
#endif
    return t;
}
