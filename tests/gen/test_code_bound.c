/* SPDX-License-Identifier: Apache-2.0 */
/* Code is bounded: chains of 32 post-ops, of one kind, of pairs in turn, and of
 * any, behind each type of convolution and into each type of result, never make
 * a kernel of more than 64 KB. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/tap.h"
#include "xekern/post_op.h"
#include "xekern/xekern.h"

enum { LONGEST = 32, CODE_B = 64 << 10, N_CHAINS = 6, N_SEEDS = 8 };

static const char *const functions[] = {
    "relu:0.5", "clip:-20:100", "hardswish:0.25:0.5",
    "round",    "exp",          "tanh",
    "logistic", "elu:1",        "soft_relu:1",
    "swish:1",  "mish",         "gelu_tanh",
    "gelu_erf", "pow:2:2.5",    "sqrt",
    "log",      "linear:0.5:1"};
static const char *const readers[] = {"add", "mul", "sub", "div", "min", "max",
                                      "ge",  "gt",  "le",  "lt",  "eq",  "ne"};
static const char *const rhs_types[] = {"f32",     "f16", "bf16",    "s32",
                                        "s8",      "u8",  "f8_e5m2", "f8_e4m3",
                                        "f4_e2m1", "s4",  "u4"};
static const char *const masks[] = {"common", "per_oc", "per_dim_01",
                                    "per_tensor"};
/* Types of src and weights, then every type of dst. */
static const uint32_t inputs[][2] = {{XK_F32, XK_F32},         {XK_F16, XK_F16},
                                     {XK_BF16, XK_BF16},       {XK_U8, XK_S8},
                                     {XK_F8_E5M2, XK_F8_E4M3}, {XK_U8, XK_S4}};
static const uint32_t results[] = {XK_F32,     XK_F16,     XK_BF16,
                                   XK_S32,     XK_S8,      XK_U8,
                                   XK_F8_E5M2, XK_F8_E4M3, XK_F4_E2M1};
static const char *const problems[] = {
    "mb1ic64ih14oc64kh3ph1",   "mb16ic256ih14oc64kh1ph0",
    "mb2ic3ih30oc48kh7sh2ph3", "g32mb2ic32ih14oc32kh3ph1",
    "g4mb4ic64ih14oc64kh3ph1", "mb2ic17ih9oc19kh3ph1",
    "mb1ic32id8oc32kd3pd1"};
static const char *const tags[] = {"any", "axb", "abx", "bax"};

static unsigned less_than(unsigned *seed, unsigned n)
{
    return (unsigned)rand_r(seed) % n;
}

#define ANY_OF(seed, list) (list)[less_than(seed, XK_COUNTOF(list))]

static void function(unsigned *seed, char *out, size_t size)
{
    snprintf(out, size, "%s", ANY_OF(seed, functions));
}

/* One with a right-hand side, or the old destination. */
static void reader(unsigned *seed, char *out, size_t size)
{
    switch (less_than(seed, 8)) {
    case 0:
        snprintf(out, size, "sum:0.5");
        return;
    case 1:
        snprintf(out, size, "prelu:per_oc");
        return;
    default:
        snprintf(out, size, "%s:%s:%s", ANY_OF(seed, readers),
                 ANY_OF(seed, rhs_types), ANY_OF(seed, masks));
    }
}

/* kind: 0, 1 one function or reader again and again; 2 both in turn; 3 any
 * functions; 4 any readers; 5 any of all. */
static void long_chain(unsigned *seed, unsigned kind, char *out, size_t size)
{
    char a[64], b[64];
    function(seed, a, sizeof a);
    reader(seed, b, sizeof b);
    *out = 0;
    for (unsigned i = 0; i < LONGEST; i++) {
        const bool reads = kind == 5
                               ? less_than(seed, 2)
                               : kind == 1 || kind == 4 || (kind == 2 && i % 2);
        if (kind > 2)
            (reads ? reader : function)(seed, reads ? b : a, sizeof a);
        const size_t n = strlen(out);
        snprintf(out + n, size - n, "%s%s", i ? "+" : "", reads ? b : a);
    }
}

static void any_convolution(unsigned *seed, struct xk_conv_desc *d)
{
    const uint32_t *const in = ANY_OF(seed, inputs);
    struct xk_conv_desc start = XK_CONV_DESC_INIT;
    struct xk_error err = {0};
    *d = start;
    ck_assert_msg(
        xk_conv_desc_parse(ANY_OF(seed, problems), d, NULL, 0, &err) == XK_OK,
        "%s", err.message);
    d->prop = XK_FWD_B;
    d->src_type = in[0];
    d->wei_type = in[1];
    d->bia_type = XK_F32;
    d->dst_type = ANY_OF(seed, results);
    snprintf(d->src_tag, sizeof d->src_tag, "%s", ANY_OF(seed, tags));
    snprintf(d->dst_tag, sizeof d->dst_tag, "%s", ANY_OF(seed, tags));
}

/* True: a program was made. */
static bool check_code(const struct xk_conv_desc *d, const char *text)
{
    struct xk_error err = {0};
    xk_program *p;
    const enum xk_status st = xk_conv_create(d, NULL, &p, &err);
    if (st == XK_EUNSUPPORTED)
        return false;
    ck_assert_msg(st == XK_OK, "%s: %s", text, err.message);
    for (uint32_t i = 0; i < xk_program_n_launches(p); i++) {
        const struct xk_launch_info *const l = xk_program_launch(p, i);
        ck_assert_msg(l->code_b <= CODE_B, "%s %s: %s: launch %u: %lu bytes",
                      text, d->src_tag, d->dst_tag, i,
                      (unsigned long)l->code_b);
    }
    xk_program_unref(p);
    return true;
}

START_TEST(no_kernel_has_more_than_64_kb)
{
    unsigned seed = (unsigned)_i + 1, made = 0;
    const char *const more = getenv("XK_CODE_BOUND_CHAINS");
    const unsigned n = more ? (unsigned)atoi(more) : N_CHAINS;
    for (unsigned i = 0; i < n; i++) {
        struct xk_conv_desc d;
        struct xk_error err = {0};
        char text[LONGEST * 40];
        any_convolution(&seed, &d);
        long_chain(&seed, i % 6, text, sizeof text);
        if (i % 3 == 2)
            d.attr.scale[XK_ARG_WEI] = (struct xk_quant){
                .source = XK_QUANT_DEVICE, .mask = d.g > 1 ? 3 : 1};
        ck_assert_msg(
            xk_post_ops_parse(text, d.post_ops, &d.n_post_ops, &err) == XK_OK,
            "%s: %s", text, err.message);
        made += check_code(&d, text);
    }
    ck_assert_uint_ge(made, n * 3 / 4);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("code_bound");
    TCase *const t = tcase_create("chains");
    tcase_set_timeout(t, 600);
    tcase_add_loop_test(t, no_kernel_has_more_than_64_kb, 0, N_SEEDS);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
