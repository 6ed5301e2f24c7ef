/* SPDX-License-Identifier: Apache-2.0 */
/* A program leaves the same bytes whatever the order in which its groups start
 * and however late results come: ten runs, each in an order of its own and with
 * latencies of its own. Data are fractions, so the order of every sum shows.
 * Where it need not, parts may add to a gradient by atomic operations: then
 * runs differ, each by no more than another order may. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conv/tensors.h"
#include "launches_lab.h"
#include "tests/element.h"
#include "tests/tap.h"
#include "typed.h"

enum { MOST = 1 << 18, RUNS = 10 }; /* elements of a tensor */

static uint64_t data[XK_N_CONV_ARGS][MOST / 2], first[XK_N_CONV_ARGS][MOST / 2];

static const struct {
    const char *text;
    uint32_t alg, prop, type;
    unsigned launches;    /* at least */
    const char *schedule; /* XK_SCHEDULE; NULL: none */
} rows[] = {
    /* Parts of both gradients, and what adds up each; f16 has two loops. */
    {"mb2ic8ih40oc8kh3ph1", XK_ALG_DIRECT, XK_BWD_WB, XK_F32, 3},
    {"mb2ic8ih40oc8kh3ph1", XK_ALG_DIRECT, XK_BWD_WB, XK_F16, 4},
    {"mb2ic8ih40oc8kh3ph1", XK_ALG_DECONV_DIRECT, XK_BWD_WB, XK_F32, 4},
    {"mb2ic8ih40oc8kh3ph1", XK_ALG_DECONV_DIRECT, XK_BWD_WB, XK_BF16, 4},
    {"mb1ic20ih9oc40kh3sh3dh1ph2", XK_ALG_DECONV_DIRECT, XK_FWD_B, XK_F32, 1},
    {"mb1ic20ih9oc40kh3sh3dh1ph2", XK_ALG_DIRECT, XK_BWD_D, XK_BF16, 1},
    {"mb1ic128ih7oc16kh3ph1", XK_ALG_DECONV_DIRECT, XK_BWD_D, XK_F16, 1},
    {"mb1ic512ih7oc16kh3ph1", XK_ALG_DIRECT, XK_FWD_B, XK_F16, 2, "splits=4"},
    {"mb1ic16ih7oc256kh3ph1", XK_ALG_DIRECT, XK_BWD_D, XK_F32, 2, "splits=4"},
    /* Classes of a stride that shares a divisor with the dilation. */
    {"mb1ic20ih9oc40kh3sh4dh1ph2", XK_ALG_DECONV_DIRECT, XK_FWD_B, XK_F32, 4},
    {"mb1ic20ih9oc40kh3sh4dh1ph2", XK_ALG_DIRECT, XK_BWD_D, XK_BF16, 4},
};

static struct xk_conv_desc desc_of(int row)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    unsetenv("XK_SCHEDULE");
    if (rows[row].schedule)
        setenv("XK_SCHEDULE", rows[row].schedule, 1);
    d.alg = rows[row].alg;
    d.prop = rows[row].prop;
    d.src_type = d.wei_type = d.dst_type = rows[row].type;
    ck_assert_int_eq(xk_conv_desc_parse(rows[row].text, &d, NULL, 0, NULL),
                     XK_OK);
    d.attr.deterministic = 1;
    return d;
}

/* Fractions of many digits and of many magnitudes; zeros in padding. */
static void fill(const struct xk_conv_info *info, unsigned arg)
{
    const struct xk_tensor_info *const t = &info->tensor[arg];
    unsigned seed = 77 + arg;
    int64_t n = 1;
    memset(data[arg], 0, sizeof(data[arg]));
    ck_assert_uint_le(t->size_b, sizeof(data[arg]));
    for (uint32_t d = 0; d < t->ndims; d++)
        n *= t->dims[d];
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i, at[XK_MAX_NDIMS];
        for (uint32_t d = t->ndims; d-- > 0; rest /= t->dims[d])
            at[d] = rest % t->dims[d];
        const double v = (double)(rand_r(&seed) % 2001 - 1000) / 977;
        typed_put(xk_conv_dtype(t->type), data[arg], element_at(t, at),
                  rand_r(&seed) % 8 ? v : v * 300);
    }
}

/* One run; what it writes held rubbish. */
static void run(const xk_program *p, const struct xk_conv_desc *d,
                const struct xk_simulate_opts *look)
{
    const struct xk_conv_info *const info = xk_program_info(p);
    struct lab_arg args[XK_N_CONV_ARGS];
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        args[i] = (struct lab_arg){data[i], (size_t)info->tensor[i].size_b};
        if (xk_conv_writes(d, (enum xk_conv_arg)i))
            memset(data[i], 0xa5, sizeof(data[i]));
    }
    lab_run_seen(p, args, look);
}

START_TEST(ten_runs_leave_the_same_bytes)
{
    const struct xk_conv_desc d = desc_of(_i);
    const struct xk_simulate_opts all = {.checks = "all"};
    struct xk_error err = {0};
    xk_program *p;
    ck_assert_msg(xk_conv_create(&d, NULL, &p, &err) == XK_OK, "%s",
                  err.message);
    ck_assert_uint_ge(xk_program_n_launches(p), rows[_i].launches);
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++)
        if (xk_program_info(p)->tensor[i].ndims)
            fill(xk_program_info(p), i);
    run(p, &d, &all);
    memcpy(first, data, sizeof(first));
    for (unsigned k = 1; k <= RUNS; k++) {
        const struct xk_simulate_opts late = {
            .checks = "hazard", .hazard_seed = k, .group_seed = k * 7919u};
        run(p, &d, &late);
        ck_assert_msg(!memcmp(first, data, sizeof(first)),
                      "%s: other bytes with seed %u", rows[_i].text, k);
    }
    xk_program_unref(p);
}
END_TEST

/* A gradient as the definition has it; its terms' magnitudes are summed, too.
 */
struct exact {
    double sum, magnitudes;
};

static double value(const struct xk_conv_info *info, unsigned arg,
                    const int64_t *at)
{
    const struct xk_tensor_info *const t = &info->tensor[arg];
    return ((const float *)data[arg])[element_at(t, at)];
}

static void add_term(struct exact *x, double v)
{
    x->sum += v;
    x->magnitudes += fabs(v);
}

/* By weights of 3x3 with one place of padding; wei: channels of dst and src,
 * tap. */
static struct exact exact_at(const struct xk_conv_desc *d,
                             const struct xk_conv_info *info,
                             const int64_t *wei)
{
    struct exact x = {0};
    for (int64_t n = 0; n < d->mb; n++)
        for (int64_t h = 0; h < d->oh; h++)
            for (int64_t w = 0; w < d->ow; w++) {
                const int64_t ih = h + wei[2] - 1, iw = w + wei[3] - 1;
                const int64_t src[] = {n, wei[1], ih, iw},
                              dst[] = {n, wei[0], h, w};
                if (ih < 0 || ih >= d->ih || iw < 0 || iw >= d->iw)
                    continue;
                add_term(&x, value(info, XK_ARG_SRC, src) *
                                 value(info, XK_ARG_DST, dst));
            }
    return x;
}

static struct exact exact_bias(const struct xk_conv_desc *d,
                               const struct xk_conv_info *info, int64_t oc)
{
    struct exact x = {0};
    for (int64_t i = 0; i < d->mb * d->oh * d->ow; i++) {
        const int64_t dst[] = {i / (d->oh * d->ow), oc, i / d->ow % d->oh,
                               i % d->ow};
        add_term(&x, value(info, XK_ARG_DST, dst));
    }
    return x;
}

/* Each term is rounded once in a product and at most once in each sum that it
 * is in, whatever the order. */
static void expect_one(const struct xk_conv_desc *d, double got,
                       struct exact want)
{
    const double terms = (double)d->mb * d->oh * d->ow;
    ck_assert_msg(fabs(got - want.sum) <=
                      (terms + 1) * ldexp(1, -24) * want.magnitudes,
                  "%g, exactly %g", got, want.sum);
}

static void expect_near(const struct xk_conv_desc *d,
                        const struct xk_conv_info *info)
{
    const int64_t ic = d->ic / d->g, oc = d->oc / d->g;
    for (int64_t i = 0; i < d->oc * ic * 9; i += 7) {
        const int64_t to = i / 9 / ic, from = i / 9 % ic;
        const int64_t at[] = {to / oc, to % oc, from, i % 9 / 3, i % 3};
        const int64_t of[] = {to, to / oc * ic + from, at[3], at[4]};
        expect_one(d, value(info, XK_ARG_WEI, d->g > 1 ? at : at + 1),
                   exact_at(d, info, of));
    }
    for (int64_t i = 0; d->prop == XK_BWD_WB && i < d->oc; i++)
        expect_one(d, value(info, XK_ARG_BIA, &i), exact_bias(d, info, i));
}

static const struct {
    const char *text;
    uint32_t prop;
    unsigned launches;
} added[] = {
    {"mb4ic16ih28oc32kh3ph1", XK_BWD_W, 2},
    /* Groups, and a bias, whose parts are ordered. */
    {"g2mb4ic64ih7oc64kh3ph1", XK_BWD_WB, 4},
};

static xk_program *adding(struct xk_conv_desc *d, int row, bool deterministic)
{
    struct xk_error err = {0};
    xk_program *p;
    *d = (struct xk_conv_desc)XK_CONV_DESC_INIT;
    d->prop = added[row].prop;
    d->src_type = d->wei_type = d->dst_type = XK_F32;
    d->attr.deterministic = deterministic;
    unsetenv("XK_SCHEDULE");
    ck_assert_int_eq(xk_conv_desc_parse(added[row].text, d, NULL, 0, NULL),
                     XK_OK);
    ck_assert_msg(xk_conv_create(d, NULL, &p, &err) == XK_OK, "%s",
                  err.message);
    return p;
}

START_TEST(atomic_sums_differ_within_the_bound_of_another_order)
{
    struct xk_conv_desc d;
    xk_program *const p = adding(&d, _i, false);
    const struct xk_conv_info *const info = xk_program_info(p);
    const struct xk_simulate_opts all = {.checks = "all"};
    bool differs = false;
    ck_assert_uint_eq(xk_program_n_launches(p), added[_i].launches);
    ck_assert_str_eq(xk_program_launch(p, 1)->kernel, "xk_wei");
    ck_assert_int_eq(info->scratch_b == 0, d.prop == XK_BWD_W);
    fill(info, XK_ARG_SRC);
    fill(info, XK_ARG_DST);
    run(p, &d, &all);
    expect_near(&d, info);
    memcpy(first, data, sizeof(first));
    for (unsigned k = 1; k <= RUNS / 2; k++) {
        const struct xk_simulate_opts late = {
            .checks = "hazard", .hazard_seed = k, .group_seed = k * 7919u};
        run(p, &d, &late);
        expect_near(&d, info);
        differs = differs || memcmp(first[XK_ARG_WEI], data[XK_ARG_WEI],
                                    sizeof(first[XK_ARG_WEI])) != 0;
        ck_assert(!memcmp(first[XK_ARG_BIA], data[XK_ARG_BIA],
                          sizeof(first[XK_ARG_BIA])));
    }
    ck_assert_msg(differs, "no order shows");
    xk_program_unref(p);
}
END_TEST

START_TEST(deterministic_parts_are_in_scratch)
{
    struct xk_conv_desc d;
    xk_program *const p = adding(&d, _i, true);
    ck_assert_uint_gt(xk_program_info(p)->scratch_b, 0);
    xk_program_unref(p);
}
END_TEST

/* The groups of a trace in the order in which they start. */
struct order {
    char text[4096]; /* "0,0,0;1,0,0;" */
};

static void note(void *user, const char *text, size_t n)
{
    struct order *const o = user;
    const size_t have = strlen(o->text);
    const char *const colon = memchr(text, ':', n);
    char group[32];
    if (!colon || text[0] == ' ' || colon - text > 24)
        return;
    snprintf(group, sizeof(group), "%.*s;", (int)(colon - text), text);
    if (!strstr(o->text, group) && have + strlen(group) < sizeof(o->text))
        strcat(o->text, group);
}

static void order_of(const xk_program *p, const struct xk_conv_desc *d,
                     uint64_t seed, struct order *o)
{
    const struct xk_simulate_opts look = {
        .group_seed = seed, .trace = note, .trace_user = o};
    o->text[0] = 0;
    run(p, d, &look);
}

/* All of the groups, in an order that the seed draws and repeats. */
START_TEST(a_seed_is_an_order_of_groups)
{
    struct order plain, some[2];
    struct xk_conv_desc d = desc_of(7);
    struct xk_error err = {0};
    xk_program *p;
    d.ih = d.iw = d.oh = d.ow = 20;
    ck_assert_int_eq(xk_conv_create(&d, NULL, &p, &err), XK_OK);
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++)
        fill(xk_program_info(p), i);
    order_of(p, &d, 0, &plain);
    ck_assert_ptr_eq(strstr(plain.text, "0,0,0;"), plain.text);
    for (unsigned k = 1; k <= 5; k++) {
        order_of(p, &d, k, &some[0]);
        order_of(p, &d, k, &some[1]);
        ck_assert_str_eq(some[0].text, some[1].text);
        ck_assert_uint_eq(strlen(some[0].text), strlen(plain.text));
        ck_assert_str_ne(some[0].text, plain.text);
    }
    xk_program_unref(p);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("deterministic");
    TCase *const t = tcase_create("deterministic");
    tcase_add_loop_test(t, ten_runs_leave_the_same_bytes, 0, XK_COUNTOF(rows));
    tcase_add_loop_test(t, atomic_sums_differ_within_the_bound_of_another_order,
                        0, XK_COUNTOF(added));
    tcase_add_loop_test(t, deterministic_parts_are_in_scratch, 0,
                        XK_COUNTOF(added));
    tcase_add_test(t, a_seed_is_an_order_of_groups);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
