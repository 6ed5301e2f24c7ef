/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients are the adjoints of forward, whatever the formulas are: for any
 * src, wei and g in the place of dst,
 *     <g, fwd(src, wei)> = <bwd_d(g, wei), src> = <bwd_w(src, g), wei>,
 * and <g, bias> = <bwd_b(g), bias>. Small integers, so all of it is exact. A
 * deconvolution's directions are adjoints, too, and forward it is the gradient
 * of a convolution. Programs are created from descriptors and run on the
 * simulator with its checkers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conv/tensors.h"
#include "launches_lab.h"
#include "tests/tap.h"
#include "typed.h"

enum { MOST = 1 << 16 }; /* elements of a tensor */

/* The type of what is multiplied and of what comes out; 8-bit by weights is no
 * direction of training, but must be the adjoint all the same. */
static const struct types {
    uint32_t in, out;
} types[] = {
    {XK_F32, XK_F32}, {XK_F16, XK_F32}, {XK_BF16, XK_F32}, {XK_S8, XK_S32}};
/* Without padding, so that a dot product is one over memory. */
static const char *const tags[] = {"axb", "abx"};

static uint64_t data[XK_N_CONV_ARGS][MOST / 2], made[XK_N_CONV_ARGS][MOST / 2];

static int64_t below(unsigned *seed, int64_t n)
{
    return rand_r(seed) / 7 % n;
}

/* The fields of a spatial dim. */
struct axis {
    int64_t *i, *k, *s, *d, *p, *o;
};

static void draw_axis(unsigned *seed, int64_t most, struct axis x)
{
    *x.i = 1 + below(seed, most);
    *x.k = 1 + below(seed, 4);
    *x.s = 1 + below(seed, 4);
    *x.d = below(seed, 3);
    *x.p = below(seed, 4);
    *x.o = 1 + below(seed, most);
}

static void draw(unsigned *seed, struct xk_conv_desc *d)
{
    const struct axis axes[] = {
        {&d->iw, &d->kw, &d->sw, &d->dw, &d->pw, &d->ow},
        {&d->ih, &d->kh, &d->sh, &d->dh, &d->ph, &d->oh},
        {&d->id, &d->kd, &d->sd, &d->dd, &d->pd, &d->od}};
    const int64_t n = 1 + below(seed, 3);
    *d = (struct xk_conv_desc)XK_CONV_DESC_INIT;
    d->mb = 1 + below(seed, 3);
    d->g = below(seed, 2) ? 1 : 1 + below(seed, 8);
    d->ic = d->g * (1 + below(seed, d->g > 1 ? 5 : 24));
    d->oc = d->g * (1 + below(seed, d->g > 1 ? 5 : 24));
    for (int64_t i = 0; i < n; i++)
        draw_axis(seed, 9 - 3 * i, axes[i]);
    strcpy(d->src_tag, tags[below(seed, 2)]);
    strcpy(d->wei_tag, tags[below(seed, 2)]);
    strcpy(d->dst_tag, tags[below(seed, 2)]);
}

/* The direction with its types; what it writes has the type `out`. */
static void set_prop(struct xk_conv_desc *d, uint32_t prop,
                     const struct types *t)
{
    d->prop = prop;
    const uint32_t c = xk_conv_desc_roles(d).c;
    d->src_type = c == XK_ARG_SRC ? t->out : t->in;
    d->wei_type = c == XK_ARG_WEI ? t->out : t->in;
    d->dst_type = c == XK_ARG_DST ? t->out : t->in;
    d->bia_type = prop == XK_BWD_WB ? t->out : XK_TYPE_DEFAULT;
}

static size_t elements(const struct xk_conv_info *info, unsigned arg)
{
    size_t n = 1;
    for (uint32_t i = 0; i < info->tensor[arg].ndims; i++)
        n *= (size_t)info->tensor[arg].dims[i];
    return n;
}

static void fill(unsigned *seed, const struct xk_conv_info *info, unsigned arg,
                 uint32_t type)
{
    ck_assert_uint_le(elements(info, arg), MOST);
    for (size_t i = 0; i < elements(info, arg); i++)
        typed_put(xk_conv_dtype(type), data[arg], (int64_t)i,
                  (double)(below(seed, 5) - 2));
}

/* Runs a direction, with 64-bit addresses for every other seed; what it writes
 * lies in made[] then. */
static void run(const struct xk_conv_desc *d, unsigned seed,
                struct xk_conv_info *info)
{
    static const struct xk_create_options far = {.size = sizeof(far),
                                                 .flags = XK_CREATE_A64};
    struct lab_arg args[XK_N_CONV_ARGS];
    struct xk_error err = {0};
    xk_program *p = NULL;
    info->size = sizeof(*info);
    ck_assert_msg(xk_conv_query(d, info, &err) == XK_OK, "seed %u: %s", seed,
                  err.message);
    ck_assert_msg(xk_conv_create(d, seed % 2 ? &far : NULL, &p, &err) == XK_OK,
                  "seed %u: %s", seed, err.message);
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        const bool writes = xk_conv_writes(d, (enum xk_conv_arg)i);
        args[i] = (struct lab_arg){writes ? made[i] : data[i],
                                   (size_t)info->tensor[i].size_b};
        if (writes)
            memset(made[i], 0xa5, args[i].size_b);
    }
    ck_assert_uint_eq(info->n_launches, xk_program_n_launches(p));
    lab_run(p, args);
    xk_program_unref(p);
}

/* <data, made> of one argument. */
static double dot(const struct xk_conv_info *info, unsigned arg,
                  const struct types *t)
{
    double sum = 0;
    for (size_t i = 0; i < elements(info, arg); i++)
        sum += typed_get(xk_conv_dtype(t->in), data[arg], (int64_t)i) *
               typed_get(xk_conv_dtype(t->out), made[arg], (int64_t)i);
    return sum;
}

/* The sum of g over all but channels, by the gradient of the bias: <g, 1>. */
static void check_bias(const struct xk_conv_info *info, const struct types *t,
                       unsigned seed)
{
    double want = 0, got = 0;
    for (size_t i = 0; i < elements(info, XK_ARG_DST); i++)
        want += typed_get(xk_conv_dtype(t->in), data[XK_ARG_DST], (int64_t)i);
    for (size_t i = 0; i < elements(info, XK_ARG_BIA); i++)
        got += typed_get(xk_conv_dtype(t->out), made[XK_ARG_BIA], (int64_t)i);
    ck_assert_msg(want == got, "seed %u: bias: %g, not %g", seed, got, want);
}

static unsigned strided, grouped, empty;

/* All directions of a descriptor; returns the launches of BWD_WB. */
static unsigned check(struct xk_conv_desc *d, const struct types *t,
                      unsigned seed)
{
    const unsigned first = seed;
    struct xk_conv_info info = {.size = sizeof(info)};
    set_prop(d, XK_FWD_D, t);
    ck_assert_int_eq(xk_conv_query(d, &info, NULL), XK_OK);
    fill(&seed, &info, XK_ARG_SRC, t->in);
    fill(&seed, &info, XK_ARG_WEI, t->in);
    fill(&seed, &info, XK_ARG_DST, t->in);
    run(d, first, &info);
    const double forward = dot(&info, XK_ARG_DST, t);
    set_prop(d, XK_BWD_D, t);
    run(d, first, &info);
    const double by_data = dot(&info, XK_ARG_SRC, t);
    set_prop(d, XK_BWD_WB, t);
    run(d, first, &info);
    const double by_weights = dot(&info, XK_ARG_WEI, t);
    empty += forward == 0;
    ck_assert_msg(forward == by_data && forward == by_weights,
                  "seed %u: forward %g, by data %g, by weights %g", first,
                  forward, by_data, by_weights);
    check_bias(&info, t, first);
    return info.n_launches;
}

/* A problem that forward takes; its types. */
static const struct types *any_problem(unsigned *seed, uint32_t alg,
                                       struct xk_conv_desc *d)
{
    const struct types *const t = &types[below(seed, XK_COUNTOF(types))];
    struct xk_conv_info info = {.size = sizeof(info)};
    do {
        draw(seed, d);
        d->alg = alg;
        set_prop(d, XK_FWD_D, t);
    } while (xk_conv_query(d, &info, NULL) != XK_OK);
    strided += d->sw > 1;
    grouped += d->g > 1;
    return t;
}

static void one(unsigned seed)
{
    struct xk_conv_desc d;
    const struct types *const t = any_problem(&seed, XK_ALG_DIRECT, &d);
    check(&d, t, seed);
}

static void exchange(int64_t *a, int64_t *b)
{
    const int64_t old = *a;
    *a = *b;
    *b = old;
}

/* The convolution whose gradient of src the deconvolution is: its dst is the
 * deconvolution's src, and its weights have their channels exchanged. */
static struct xk_conv_desc convolution_of(const struct xk_conv_desc *d,
                                          const struct types *t)
{
    struct xk_conv_desc v = *d;
    v.alg = XK_ALG_DIRECT;
    set_prop(&v, XK_BWD_D, t);
    exchange(&v.ic, &v.oc);
    exchange(&v.id, &v.od);
    exchange(&v.ih, &v.oh);
    exchange(&v.iw, &v.ow);
    strcpy(v.src_tag, d->dst_tag);
    strcpy(v.dst_tag, d->src_tag);
    strcpy(v.wei_tag, d->g > 1 ? "acbx" : "bax");
    return v;
}

/* All identities of a deconvolution; and its dst is bytewise the gradient of
 * that convolution's src, of which it takes the arguments. */
static void one_deconvolution(unsigned seed)
{
    struct xk_conv_desc d;
    struct xk_conv_info info = {.size = sizeof(info)};
    const struct types *const t = any_problem(&seed, XK_ALG_DECONV_DIRECT, &d);
    strcpy(d.wei_tag, "abx");
    check(&d, t, seed);
    set_prop(&d, XK_FWD_D, t);
    run(&d, seed, &info);
    const size_t size_b = (size_t)info.tensor[XK_ARG_DST].size_b;
    const struct xk_conv_desc v = convolution_of(&d, t);
    memcpy(data[XK_ARG_DST], data[XK_ARG_SRC], sizeof(data[0]));
    run(&v, seed, &info);
    ck_assert_uint_eq(info.tensor[XK_ARG_SRC].size_b, size_b);
    ck_assert_msg(!memcmp(made[XK_ARG_SRC], made[XK_ARG_DST], size_b),
                  "seed %u: other bytes than the convolution's gradient", seed);
}

/* Few results of long sums: each of the two sums is split, so that there are
 * four launches. */
START_TEST(long_sums_are_split)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    ck_assert_int_eq(
        xk_conv_desc_parse("mb2ic8ih40oc8oh40kh3ph1", &d, NULL, 0, NULL),
        XK_OK);
    strcpy(d.src_tag, "axb");
    strcpy(d.dst_tag, "axb");
    strcpy(d.wei_tag, tags[_i / 3]);
    const struct types *const t = &types[_i % 3];
    const unsigned n = check(&d, t, 90u + (unsigned)_i);
    /* Parts, which the bias may share, and what adds up each. */
    ck_assert_uint_ge(n, 3);
}
END_TEST

enum { EACH = 4 };

START_TEST(gradients_are_adjoints)
{
    for (unsigned i = 0; i < EACH; i++)
        one(700u + (unsigned)_i * EACH + i);
}
END_TEST

/* Both operands of a gradient by weights have channels side by side, and K is
 * images and places: rows come as memory has them and are put in order. */
static const struct {
    const char *problem;
    unsigned types; /* row of types[] */
} turned[] = {
    {"mb16ic32ih6oc32oh6kh3ph1", 1},   {"mb32ic16ih7oc64oh4kh3sh2ph1", 2},
    {"mb16ic32iw9oc64ow5kw3dw1", 1},   {"mb16ic64ih5oc32oh5kh1", 2},
    {"mb32ic32ih4oc32oh4kh3ph1", 3},   {"mb8ic32ih6oc64oh6kh3ph1", 1},
    {"mb4ic64ih8oc32oh4kh3sh2ph1", 2}, {"mb2ic32iw16oc32ow16kw1", 1},
    {"mb1ic64ih9oc64oh9kh3ph1", 1},    {"mb3ic32ih8oc64oh8kh3ph1", 2},
};

static void note_turned(void *user, const char *stage, const void *text,
                        size_t n_b)
{
    unsigned *const n = user;
    if (strcmp(stage, "plan"))
        return;
    *n += memmem(text, n_b, "A: src, turned", 14) != NULL;
    *n += memmem(text, n_b, "B: dst, turned", 14) != NULL;
}

START_TEST(rows_beside_each_other_are_put_in_order)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    unsigned n = 0;
    struct xk_create_options o = {
        .size = sizeof(o), .dump = note_turned, .dump_user = &n};
    xk_program *p = NULL;
    ck_assert_int_eq(xk_conv_desc_parse(turned[_i].problem, &d, NULL, 0, NULL),
                     XK_OK);
    strcpy(d.src_tag, "axb");
    strcpy(d.dst_tag, "axb");
    strcpy(d.wei_tag, "abx");
    check(&d, &types[turned[_i].types], 40u + (unsigned)_i);
    ck_assert_int_eq(xk_conv_create(&d, &o, &p, NULL), XK_OK);
    ck_assert_uint_ge(n, 2);
    xk_program_unref(p);
}
END_TEST

/* Layouts that are left open follow a schedule that is given: a row of B in
 * memory has as many columns as a tile. */
START_TEST(open_layouts_follow_the_schedule)
{
    static const struct {
        const char *text;
        int64_t columns;
    } row[] = {{"n=16", 16}, {"n=32", 32}};
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_conv_info info = {.size = sizeof(info)};
    ck_assert_int_eq(
        xk_conv_desc_parse("mb2ic64ih14oc96oh14kh1", &d, NULL, 0, NULL), XK_OK);
    set_prop(&d, XK_BWD_D, &types[0]);
    setenv("XK_SCHEDULE", row[_i].text, 1);
    const enum xk_status status = xk_conv_query(&d, &info, NULL);
    unsetenv("XK_SCHEDULE");
    ck_assert_int_eq(status, XK_OK);
    const struct xk_tensor_info *const wei = &info.tensor[XK_ARG_WEI];
    const struct xk_layout_block *const last = &wei->blocks[wei->n_blocks - 1];
    ck_assert_uint_eq(last->dim, 1);
    ck_assert_int_eq(last->size, row[_i].columns);
}
END_TEST

START_TEST(directions_of_deconvolutions_are_adjoints)
{
    for (unsigned i = 0; i < EACH; i++)
        one_deconvolution(1700u + (unsigned)_i * EACH + i);
}
END_TEST

/* What the problems above were meant to have. */
START_TEST(there_were_strides_groups_and_products)
{
    ck_assert_uint_gt(strided, 24);
    ck_assert_uint_gt(grouped, 8);
    ck_assert_uint_lt(empty, 40);
}
END_TEST

/* A seed of one's own. */
START_TEST(one_seed)
{
    const char *const text = getenv("XK_TEST_SEED");
    if (text)
        one((unsigned)strtoul(text, NULL, 10));
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("adjoint");
    TCase *const t = tcase_create("adjoint");
    tcase_add_loop_test(t, gradients_are_adjoints, 0, 10);
    tcase_add_loop_test(t, directions_of_deconvolutions_are_adjoints, 0, 6);
    tcase_add_test(t, there_were_strides_groups_and_products);
    tcase_add_test(t, one_seed);
    tcase_add_loop_test(t, long_sums_are_split, 0, 6);
    tcase_add_loop_test(t, rows_beside_each_other_are_put_in_order, 0,
                        XK_COUNTOF(turned));
    tcase_add_loop_test(t, open_layouts_follow_the_schedule, 0, 2);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
