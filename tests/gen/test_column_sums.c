/* SPDX-License-Identifier: Apache-2.0 */
/* A zero point of src whose sums of weights the kernel makes: every bit of s32,
 * against plain C modulo 2^32, with weights that carry partial sums as far as
 * they go, for every number of bytes that a partial sum may have. */
#include <stdlib.h>
#include <string.h>

#include "tests/element.h"
#include "tests/gen/launches_lab.h"
#include "tests/tap.h"

struct sum_case {
    const char *schedule;
    int k, n, m; /* 1x1: channels, and places */
    bool is_unsigned, by_value;
    int32_t zero;
};

/* Weights: the least, the greatest, any. */
enum { LEAST, GREATEST, ANY, N_WEIGHTS };

static const struct sum_case sum_cases[] = {
    {"fma=dpas", 32, 8, 8, false, true, 3},
    {"fma=dpas m=16 n=32", 256, 40, 21, false, false, -94446},
    {"fma=dpasw m=16 n=32", 256, 64, 21, false, true, INT32_MIN},
    {"fma=dpasw m=8 n=16", 2048, 48, 9, false, false, 94446},
    {"fma=dpas", 2080, 16, 8, false, true, 7},
    {"fma=dpasw", 2048, 32, 16, true, true, -7},
    {"fma=dpas", 2080, 16, 8, true, false, 128},
    {"fma=dpas m=8 n=8", 557056, 8, 8, false, true, 3},
    {"fma=dpas m=16 n=32 nsub=8 slots=1,1", 128, 32, 16, false, true, 100},
    {"fma=dpasw m=16 n=32 slices=2 walk=:po", 256, 64, 16, false, true, 5},
    {"fma=dpas m=16 n=32 slices=4 walk=:po", 512, 64, 16, true, true, 5},
    {"fma=dpasw m=16 n=16 slm=2 walk=:po tg=2x2", 128, 64, 64, false, true, 9},
    {"fma=dpasw m=16 n=64 walk=:po slots=1,1", 256, 128, 21, false, true, 9},
    {"fma=dpas m=8 n=48 nsub=48 walk=o:p", 64, 48, 16, false, true, 11},
    {"fma=dpasw walk=o:p slots=2,2", 256, 64, 21, false, false, 255},
    {"fma=dpas walk=:op", 256, 64, 21, false, false, 255},
};

static uint32_t seed;

static int draw(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)(seed >> 24);
}

static void fill_weights(const struct sum_case *x, int kind, uint8_t *wei)
{
    const int least = x->is_unsigned ? 0 : 0x80;
    const int greatest = x->is_unsigned ? 0xff : 0x7f;
    for (int i = 0; i < x->k * x->n; i++)
        wei[i] = (uint8_t)(kind == LEAST      ? least
                           : kind == GREATEST ? greatest
                                              : draw());
}

static int weight(const struct sum_case *x, const uint8_t *wei, int n, int k)
{
    const uint8_t v = wei[n * x->k + k];
    return x->is_unsigned ? v : (int8_t)v;
}

static void check_result(const struct sum_case *x, const uint8_t *src,
                         const uint8_t *wei, const int32_t *dst)
{
    for (int n = 0; n < x->n; n++) {
        uint32_t sum = 0;
        for (int k = 0; k < x->k; k++)
            sum += (uint32_t)weight(x, wei, n, k);
        for (int m = 0; m < x->m; m++) {
            uint32_t want = 0u - sum * (uint32_t)x->zero;
            for (int k = 0; k < x->k; k++)
                want += (uint32_t)(src[m * x->k + k] * weight(x, wei, n, k));
            ck_assert_msg((uint32_t)dst[m * x->n + n] == want,
                          "%s: row %d, column %d is %d, not %d", x->schedule, m,
                          n, dst[m * x->n + n], (int32_t)want);
        }
    }
}

static xk_program *make(const struct sum_case *x)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_error err;
    xk_program *p;
    d.prop = XK_FWD_D;
    d.src_type = XK_U8;
    d.wei_type = x->is_unsigned ? XK_U8 : XK_S8;
    d.dst_type = XK_S32;
    d.mb = 1;
    d.ic = x->k;
    d.oc = x->n;
    d.iw = x->m;
    d.ih = d.kh = d.kw = 1;
    strcpy(d.src_tag, "axb");
    strcpy(d.wei_tag, strstr(x->schedule, "walk=:po") ? "any" : "oihw");
    strcpy(d.dst_tag, "axb");
    d.attr.zero_point[XK_ARG_SRC].source =
        x->by_value ? XK_QUANT_HOST : XK_QUANT_DEVICE;
    d.attr.zero_point[XK_ARG_SRC].type = XK_S32;
    setenv("XK_SCHEDULE", x->schedule, 1);
    const enum xk_status st = xk_conv_create(&d, NULL, &p, &err);
    unsetenv("XK_SCHEDULE");
    ck_assert_msg(st == XK_OK, "%s: %s", x->schedule, err.message);
    return p;
}

/* The weights as the program wants them. */
static void lay_out(const struct sum_case *x, const struct xk_tensor_info *t,
                    const uint8_t *wei, uint8_t *out)
{
    memset(out, 0, t->size_b);
    for (int i = 0; i < x->n * x->k; i++) {
        const int64_t at[XK_MAX_NDIMS] = {i / x->k, i % x->k};
        out[element_at(t, at)] = wei[i];
    }
}

START_TEST(the_kernel_makes_the_sums)
{
    struct sum_case x = sum_cases[_i / N_WEIGHTS];
    const size_t src_b = (size_t)(x.m * x.k), wei_b = (size_t)(x.n * x.k);
    const size_t dst_b = (size_t)(x.m * x.n) * 4;
    uint8_t *const src = malloc(src_b), *const wei = malloc(wei_b);
    int32_t *const dst = malloc(dst_b);
    xk_program *const p = make(&x);
    const struct xk_tensor_info *const t =
        &xk_program_info(p)->tensor[XK_ARG_WEI];
    uint8_t *const laid = malloc(t->size_b);
    seed = (uint32_t)_i;
    for (size_t i = 0; i < src_b; i++)
        src[i] = (uint8_t)draw();
    fill_weights(&x, _i % N_WEIGHTS, wei);
    lay_out(&x, t, wei, laid);
    const struct lab_arg arg[XK_N_PROGRAM_ARGS] = {
        [XK_ARG_SRC] = {src, src_b},
        [XK_ARG_WEI] = {laid, t->size_b},
        [XK_ARG_DST] = {dst, dst_b},
        [XK_ARG_ZERO_POINT + XK_ARG_SRC] = {&x.zero, 4}};
    /* With so long a K a launch of its own is predicted to take less. */
    if (x.k < 1 << 19)
        ck_assert_uint_eq(xk_program_info(p)->n_launches, 1);
    lab_run(p, arg);
    check_result(&x, src, wei, dst);
    xk_program_unref(p);
    free(src);
    free(wei);
    free(laid);
    free(dst);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("column_sums");
    TCase *const t = tcase_create("column_sums");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, the_kernel_makes_the_sums, 0,
                        N_WEIGHTS * (int)XK_COUNTOF(sum_cases));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
