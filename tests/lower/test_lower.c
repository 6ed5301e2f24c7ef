/* SPDX-License-Identifier: Apache-2.0 */
/* Lowered kernels, run by the tests' own IR interpreter, against a convolution
 * written as seven loops; before and after the passes. Small integers make
 * every sum exact. */
#include <stdio.h>
#include <string.h>

#include "conv/conv.h"
#include "lower/lower.h"
#include "passes/passes.h"
#include "tests/ir_interp.h"
#include "tests/tap.h"

static xk_ctx *c;
static struct xk_conv_desc desc;
static struct xk_conv_info info;
static struct xk_contraction con;
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

/* Element of a tensor through the public block description. */
static size_t at(const struct xk_tensor_info *t, int64_t a, int64_t b,
                 int64_t h, int64_t w)
{
    const int64_t index[4] = {a, b, h, w};
    int64_t off = 0;
    for (unsigned i = 0; i < t->n_blocks; i++) {
        const struct xk_layout_block *const x = &t->blocks[i];
        off += index[x->dim] / x->div % x->size * x->stride;
    }
    return (size_t)off;
}

static float small(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)((int)(*seed >> 24 & 7) - 3);
}

static void fill(const struct xk_tensor_info *t, float **p, uint32_t seed)
{
    *p = calloc(1, t->size_b);
    ck_assert_ptr_nonnull(*p);
    for (int64_t a = 0; a < t->dims[0]; a++)
        for (int64_t b = 0; b < (t->ndims > 1 ? t->dims[1] : 1); b++)
            for (int64_t h = 0; h < (t->ndims > 1 ? t->dims[2] : 1); h++)
                for (int64_t w = 0; w < (t->ndims > 1 ? t->dims[3] : 1); w++)
                    (*p)[at(t, a, b, h, w)] = small(&seed);
}

static void problem(const char *text, const char *wei_tag,
                    const struct xk_schedule *s)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    const char *const any[3] = {"acdb", wei_tag, "acdb"};
    d.n_post_ops = 1;
    d.post_ops[0].kind = XK_POST_RELU;
    info.size = sizeof(info);
    ck_assert_int_eq(xk_conv_parse(c, text, &d, NULL, 0), XK_OK);
    xk_conv_check(c, &d, &desc);
    xk_conv_tensors(c, &desc, any, &info);
    xk_conv_contraction(c, &desc, &info, &con);
    xk_plan_make(c, xk_platform_get(XK_PLATFORM_XEHPG), &con, s, &plan);
    ck_assert_msg(xk_ctx_status(c) == XK_OK, "%s", c->error.message);
    fill(&info.tensor[XK_ARG_SRC], &src, 1);
    fill(&info.tensor[XK_ARG_WEI], &wei, 2);
    fill(&info.tensor[XK_ARG_BIA], &bia, 3);
    fill(&info.tensor[XK_ARG_DST], &dst, 4);
}

static double want(int64_t n, int64_t oc, int64_t oh, int64_t ow)
{
    const struct xk_conv_desc *const d = &desc;
    double sum = (double)bia[oc];
    for (int64_t kh = 0; kh < d->kh; kh++)
        for (int64_t kw = 0; kw < d->kw; kw++) {
            const int64_t ih = oh * d->sh + kh * (d->dh + 1) - d->ph;
            const int64_t iw = ow * d->sw + kw * (d->dw + 1) - d->pw;
            if (ih < 0 || ih >= d->ih || iw < 0 || iw >= d->iw)
                continue;
            for (int64_t ic = 0; ic < d->ic; ic++)
                sum += (double)src[at(&info.tensor[XK_ARG_SRC], n, ic, ih, iw)] *
                       (double)wei[at(&info.tensor[XK_ARG_WEI], oc, ic, kh, kw)];
        }
    return sum < 0 ? 0 : sum;
}

static unsigned wrong_elements(void)
{
    unsigned wrong = 0;
    for (int64_t n = 0; n < desc.mb; n++)
        for (int64_t oc = 0; oc < desc.oc; oc++)
            for (int64_t oh = 0; oh < desc.oh; oh++)
                for (int64_t ow = 0; ow < desc.ow; ow++) {
                    const double v = (double)dst[at(&info.tensor[XK_ARG_DST],
                                                    n, oc, oh, ow)];
                    wrong += v != want(n, oc, oh, ow);
                }
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
    {.simd = 16, .m_thr = m, .n_thr = n, .n_sub = n, .k_step = k, .tg_m = tm, .tg_n = tn,  \
     .slots_a = sa, .slots_b = sb, .grf_count = 128}
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

/* A padded problem without the view's masks must be noticed. */
START_TEST(a_dropped_mask_is_noticed)
{
    char message[256] = "";
    problem(cases[1].text, cases[1].wei, &cases[1].s);
    ck_assert_uint_gt(con.a.view.n_masks, 0);
    con.a.view.n_masks = 0;
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
    tcase_add_test(t, a_dropped_mask_is_noticed);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
