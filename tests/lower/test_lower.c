/* SPDX-License-Identifier: Apache-2.0 */
/* Lowered kernels, run by the tests' own IR interpreter, against a convolution
 * written as nine loops; before and after the passes. Small integers make
 * every sum exact. */
#include <stdio.h>
#include <string.h>

#include "conv/conv.h"
#include "lower/lower.h"
#include "passes/passes.h"
#include "tests/ir_interp.h"
#include "tests/conv/conv_nest.h"
#include "tests/tap.h"

static xk_ctx *c;
static struct xk_conv_desc desc;
static struct xk_conv_info info;
static struct xk_nest con;
static struct xk_plan plan;
static struct xk_kernel kernel;
static float *src, *wei, *bia, *dst;

static void setup(void)
{
    c = xk_ctx_create(NULL);
    ck_assert_ptr_nonnull(c);
}

static void teardown(void)
{
    float **const all[] = {&src, &wei, &bia, &dst};
    for (unsigned i = 0; i < XK_COUNTOF(all); i++) {
        free(*all[i]);
        *all[i] = NULL;
    }
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

/* Element of a tensor through the public block description; i: a b d h w. */
static size_t at(const struct xk_tensor_info *t, const int64_t i[5])
{
    const bool with_d = t->ndims == 5;
    const int64_t index[5] = {i[0], i[1], i[with_d ? 2 : 3], i[with_d ? 3 : 4],
                              i[4]};
    int64_t off = 0;
    for (unsigned n = 0; n < t->n_blocks; n++) {
        const struct xk_layout_block *const x = &t->blocks[n];
        off += index[x->dim] / x->div % x->size * x->stride;
    }
    return (size_t)off;
}

static float small(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)((int)(*seed >> 24 & 7) - 3);
}

/* Extents a b d h w; 1 where the tensor has no such dim. */
static void extents(const struct xk_tensor_info *t, int64_t n[5])
{
    for (unsigned i = 0; i < 5; i++)
        n[i] = 1;
    for (unsigned i = 0; i < t->ndims; i++)
        n[t->ndims == 4 && i > 1 ? i + 1 : i] = t->dims[i];
}

/* The next index in row-major order; false behind the last. */
static bool next(int64_t i[5], const int64_t n[5])
{
    for (unsigned d = 5; d-- > 0;) {
        if (++i[d] < n[d])
            return true;
        i[d] = 0;
    }
    return false;
}

static void fill(const struct xk_tensor_info *t, float **p, uint32_t seed)
{
    int64_t i[5] = {0}, n[5];
    *p = calloc(1, t->size_b);
    ck_assert_ptr_nonnull(*p);
    extents(t, n);
    do {
        (*p)[at(t, i)] = small(&seed);
    } while (next(i, n));
}

static void problem(const char *text, const char *wei_tag,
                    const struct xk_schedule *s)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    d.n_post_ops = 1;
    d.post_ops[0].kind = XK_POST_RELU;
    info.size = sizeof(info);
    ck_assert_int_eq(xk_conv_parse(c, text, &d, NULL, 0), XK_OK);
    xk_conv_check(c, &d, &desc);
    const char *const act = xk_conv_is_3d(&desc) ? "acdeb" : "acdb";
    const char *const any[3] = {act, wei_tag, act};
    test_conv_tensors(c, &desc, any, &info);
    test_conv_nest(c, &desc, &info, &con);
    xk_plan_make(c, xk_platform_get(XK_PLATFORM_XEHPG), &con, s, &plan);
    ck_assert_msg(xk_ctx_status(c) == XK_OK, "%s", c->error.message);
    fill(&info.tensor[XK_ARG_SRC], &src, 1);
    fill(&info.tensor[XK_ARG_WEI], &wei, 2);
    fill(&info.tensor[XK_ARG_BIA], &bia, 3);
    fill(&info.tensor[XK_ARG_DST], &dst, 4);
}

/* One tap of one output element, k: kd kh kw; 0 beside the image. */
static double tap(const int64_t o[5], int64_t kd, int64_t kh, int64_t kw)
{
    const struct xk_conv_desc *const d = &desc;
    int64_t s[5] = {o[0], 0, o[2] * d->sd + kd * (d->dd + 1) - d->pd,
                    o[3] * d->sh + kh * (d->dh + 1) - d->ph,
                    o[4] * d->sw + kw * (d->dw + 1) - d->pw};
    int64_t w[5] = {o[1], 0, kd, kh, kw};
    double sum = 0;
    if (s[2] < 0 || s[2] >= d->id || s[3] < 0 || s[3] >= d->ih || s[4] < 0 ||
        s[4] >= d->iw)
        return 0;
    for (; s[1] < d->ic; s[1]++, w[1]++)
        sum += (double)src[at(&info.tensor[XK_ARG_SRC], s)] *
               (double)wei[at(&info.tensor[XK_ARG_WEI], w)];
    return sum;
}

static double want(const int64_t o[5])
{
    double sum = (double)bia[o[1]];
    for (int64_t kd = 0; kd < desc.kd; kd++)
        for (int64_t kh = 0; kh < desc.kh; kh++)
            for (int64_t kw = 0; kw < desc.kw; kw++)
                sum += tap(o, kd, kh, kw);
    return sum < 0 ? 0 : sum;
}

static unsigned wrong_elements(void)
{
    unsigned wrong = 0;
    int64_t i[5] = {0}, n[5];
    extents(&info.tensor[XK_ARG_DST], n);
    do {
        wrong += (double)dst[at(&info.tensor[XK_ARG_DST], i)] != want(i);
    } while (next(i, n));
    return wrong;
}

/* All threads of all groups; the first fault stops. */
static enum xk_status run(char *message, size_t message_size)
{
    struct xk_interp_args a = {.grf_b = 32};
    struct xk_interp_report r;
    float *const tensors[] = {src, wei, bia, dst};
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(kernel.params[i].kind, XK_PARAM_GLOBAL);
        a.buffer[i].data = tensors[i];
        a.buffer[i].size_b = info.tensor[i].size_b;
    }
    for (uint32_t y = 0; y < plan.groups[1]; y++)
        for (uint32_t x = 0; x < plan.groups[0]; x++)
            for (int t = 0; t < plan.s.tg_m * plan.s.tg_n; t++) {
                a.group[0] = (int32_t)x;
                a.group[1] = (int32_t)y;
                a.thread = t;
                if (xk_interp_run(c, &kernel, &a, &r) != XK_OK) {
                    snprintf(message, message_size, "%s", r.message);
                    return XK_EFAULT;
                }
            }
    return XK_OK;
}

static void lower(void)
{
    ck_assert_msg(xk_lower(c, &plan, "k", &kernel) == XK_OK, "%s",
                  c->error.message);
    ck_assert_msg(xk_kernel_verify(c, &kernel, NULL, NULL) == XK_OK, "%s",
                  c->error.message);
}

static const struct {
    const char *text, *wei;
    struct xk_schedule s;
} cases[] = {
#define S(m, n, k, tm, tn, sa, sb)                                             \
    {                                                                          \
        .simd = 16, .m_thr = m, .n_thr = n, .n_sub = n, .k_step = k,           \
        .tg_m = tm, .tg_n = tn, .slots_a = sa, .slots_b = sb, .grf_count = 128 \
    }
    {"mb1ic8ih4oc32oh4kh1", "Acdb32a", S(16, 32, 4, 1, 1, 2, 1)},
    {"mb1ic9ih5oc20oh5kh3ph1", "Acdb16a", S(16, 16, 4, 2, 2, 2, 2)},
    {"mb2ic3ih7oc5oh4kh3sh2ph1", "acdb", S(16, 16, 3, 1, 1, 1, 1)},
    {"mb2ic6ih5iw3oc17oh6ow4kh2kw3ph1pw2dh1", "Acdb16a",
     S(16, 16, 2, 1, 2, 2, 1)},
    {"mb1ic10ih3oc33oh3kh3ph1", "acdb", S(32, 16, 2, 4, 1, 1, 1)},
    {"mb1ic5ih2oc48oh4kh2ph2", "Acdb16a", S(16, 16, 1, 1, 4, 2, 2)},
    /* M is ow alone: its mask was once proven away by its own range. */
    {"mb1ic2ih13iw9oc26oh1ow6kh5kw2ph0pw0dh2dw2", "Acdb16a",
     S(16, 16, 2, 1, 1, 1, 1)},
    {"mb1ic8ih6oc48oh6kh1", "Acdb32a", S(16, 32, 4, 1, 2, 1, 1)},
    /* three K loops around the innermost, and depth of padding */
    {"mb2ic5id4ih3iw5oc20od4oh3ow5kd3kh3kw2pd1ph1pw0", "Acdeb16a",
     S(16, 16, 4, 1, 2, 2, 1)},
    {"mb1ic4id5ih4iw3oc9od2oh4ow3kd2kh1kw3sd2dd1pd0ph0pw1", "acdeb",
     S(16, 16, 2, 2, 1, 1, 1)},
};

START_TEST(lowered_kernels_convolve)
{
    char message[256] = "";
    problem(cases[_i].text, cases[_i].wei, &cases[_i].s);
    lower();
    ck_assert_msg(run(message, sizeof(message)) == XK_OK, "%s", message);
    ck_assert_uint_eq(wrong_elements(), 0);
}
END_TEST

START_TEST(passes_keep_the_result)
{
    char message[256] = "";
    problem(cases[_i].text, cases[_i].wei, &cases[_i].s);
    lower();
    const struct xk_pass_env env = {plan.platform, 12};
    ck_assert_msg(xk_passes_run(c, &kernel, &env, NULL, NULL) == XK_OK, "%s",
                  c->error.message);
    ck_assert_msg(run(message, sizeof(message)) == XK_OK, "%s", message);
    ck_assert_uint_eq(wrong_elements(), 0);
}
END_TEST

/* A problem whose padding is another must be noticed. */
START_TEST(a_wrong_coordinate_is_noticed)
{
    char message[256] = "";
    problem(cases[1].text, cases[1].wei, &cases[1].s);
    ck_assert(con.walked.a.at[2].base < 0);
    con.walked.a.at[2].base++;
    lower();
    ck_assert(run(message, sizeof(message)) != XK_OK || wrong_elements() > 0);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("lower");
    TCase *const t = tcase_create("lower");
    tcase_set_timeout(t, 300);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, lowered_kernels_convolve, 0, XK_COUNTOF(cases));
    tcase_add_loop_test(t, passes_keep_the_result, 0, XK_COUNTOF(cases));
    tcase_add_test(t, a_wrong_coordinate_is_noticed);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
