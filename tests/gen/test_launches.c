/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of several launches: fills, contractions, kernels of the
 * test's own, scratch between them, more arguments than the payload's registers
 * hold, and lists that contradict themselves. Expected values are computed here
 * in plain loops. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "base/launch_list.h"
#include "conv/conv.h"
#include "gen/gen.h"
#include "launches_lab.h"
#include "many_program.h"
#include "tests/tap.h"
#include "xekern/device.h"

#define AROUND_B 256 /* in front of a region, and behind it */

static struct xk_program_arg_info tensor(uint32_t number, const char *name,
                                         uint64_t size_b, bool written)
{
    struct xk_program_arg_info a = {
        .number = number, .size_b = size_b, .written = written};
    snprintf(a.name, sizeof a.name, "%s", name);
    return a;
}

static struct xk_launches one(const struct xk_launch *l,
                              const struct xk_program_arg_info *args,
                              unsigned n_args)
{
    return (struct xk_launches){
        .n_args = n_args, .args = args, .n = 1, .at = l};
}

/* Fills. */
static const struct {
    int64_t first_b, size_b;
} regions[] = {{0, 4},    {0, 1},       {4, 3},       {0, 64},
               {8, 100},  {256, 4096},  {0, 4099},    {12, 65536},
               {0, 4094}, {64, 131072}, {1024, 12345}};

static void fill_region(int64_t first_b, int64_t size_b, bool addresses)
{
    const uint32_t pattern = 0x8d3c41f7;
    const size_t all_b = (size_t)(first_b + size_b) + AROUND_B;
    const struct xk_bind bind[] = {{"dst", XK_BIND_TENSOR, 2, 0}};
    const struct xk_launch l = {.kind = XK_LAUNCH_FILL,
                                .name = "fill",
                                .u.fill = {first_b, size_b, pattern},
                                .n_binds = 1,
                                .bind = bind};
    const struct xk_program_arg_info a = tensor(2, "dst", all_b, true);
    struct xk_launches all = one(&l, &a, 1);
    all.addresses = addresses;
    xk_program *const p = lab_must_make(&all);
    uint8_t *const data = malloc(all_b);
    const struct lab_arg arg[] = {{0}, {0}, {data, all_b}};
    memset(data, 0x55, all_b);
    lab_run(p, arg);
    for (size_t i = 0; i < all_b; i++) {
        const int64_t at = (int64_t)i - first_b;
        const unsigned want =
            at < 0 || at >= size_b ? 0x55 : pattern >> 8 * (at % 4) & 255;
        ck_assert_msg(data[i] == want, "byte %zu is 0x%x, not 0x%x", i, data[i],
                      want);
    }
    free(data);
    xk_program_unref(p);
}

START_TEST(a_region_is_filled_and_nothing_beside_it)
{
    fill_region(regions[_i].first_b, regions[_i].size_b, false);
    fill_region(regions[_i].first_b, regions[_i].size_b, true);
}
END_TEST

/* Sums of buffers and of values, of which most lie in memory. */
START_TEST(arguments_beyond_the_payload_are_loaded)
{
    static int32_t b[MANY_MOST + 1][MANY_E];
    const int n = _i < 2 ? MANY_FEW : MANY_MOST;
    struct lab_arg arg[MANY_ARGS_MAX];
    struct many_values v = many_values;
    float got;
    xk_program *const p = many_program(n, _i % 2);
    ck_assert_uint_eq(xk_program_launch(p, 0)->n_args,
                      (unsigned)n + MANY_OTHERS + 1);
    for (int i = 0; i <= n; i++) {
        for (int e = 0; e < MANY_E; e++)
            b[i][e] = many_element(i, e);
        arg[i] = (struct lab_arg){b[i], sizeof b[i]};
    }
    arg[n + MANY_X] = (struct lab_arg){&v.x, 4};
    arg[n + MANY_WIDE] = (struct lab_arg){&v.wide, 8};
    arg[n + MANY_Y] = (struct lab_arg){&v.y, 4};
    arg[n + MANY_Z] = (struct lab_arg){&v.z, 4};
    lab_run(p, arg);
    for (int e = 0; e < MANY_E; e++) {
        memcpy(&got, &b[n][e], 4);
        ck_assert_float_eq(got, many_expected(n, e));
    }
    xk_program_unref(p);
}
END_TEST

/* A contraction of f32 that adds to what its destination holds. */
#define CONV "mb1ic8ih5oc20oh5kh3ph1"
enum { IC = 8, OC = 20, SIZE = 5 };

struct conv {
    struct xk_problem problem;
    struct xk_nest nest;
};

static void make_conv(xk_ctx *c, struct conv *v)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_contraction con;
    d.prop = XK_FWD_D;
    strcpy(d.src_tag, "axb");
    strcpy(d.wei_tag, "ohwi");
    strcpy(d.dst_tag, "axb");
    d.post_ops[d.n_post_ops++] = (struct xk_post_op){XK_POST_SUM, 1};
    ck_assert_int_eq(xk_conv_parse(c, CONV, &d, NULL, 0), XK_OK);
    ck_assert_int_eq(xk_problem_make(c, &d, &v->problem), XK_OK);
    ck_assert_int_eq(
        xk_conv_contraction(c, &v->problem.desc, &v->problem.info, &con),
        XK_OK);
    ck_assert_int_eq(xk_nest_make(c, &con, &v->nest), XK_OK);
}

static float src[SIZE][SIZE][IC], wei[OC][3][3][IC];

static float conv_at(int y, int x, int oc)
{
    float sum = 0;
    for (int ky = 0; ky < 3; ky++)
        for (int kx = 0; kx < 3; kx++) {
            const int iy = y + ky - 1, ix = x + kx - 1;
            if (iy < 0 || iy >= SIZE || ix < 0 || ix >= SIZE)
                continue;
            for (int ic = 0; ic < IC; ic++)
                sum += src[iy][ix][ic] * wei[oc][ky][kx][ic];
        }
    return sum;
}

/* fill scratch 1; scratch 1 += conv; dst = scratch 1, in f16. Scratch 0 is only
 * there to be in front of it. */
START_TEST(scratch_is_filled_summed_onto_and_converted)
{
    enum { N = SIZE * SIZE * OC };
    static uint16_t dst[N];
    const float start = 2.5f;
    uint32_t pattern;
    struct conv v;
    xk_ctx *const c = xk_ctx_create(NULL);
    const int64_t scratch_b[] = {100, N * 4};
    make_conv(c, &v);
    memcpy(&pattern, &start, 4);
    const struct xk_bind to_fill[] = {{"dst", XK_BIND_SCRATCH, 1, 0}};
    const struct xk_bind to_sum[] = {{"part", XK_BIND_SCRATCH, 1, 0},
                                     {"dst", XK_BIND_TENSOR, XK_ARG_DST, 0}};
    const struct xk_launch l[] = {
        {XK_LAUNCH_FILL, "clear", .u.fill = {0, N * 4, pattern}, 1, to_fill},
        {XK_LAUNCH_CONTRACT, "conv",
         .u.contract = {.nest = &v.nest,
                        .candidate = v.problem.candidate,
                        .n_candidates = v.problem.n_candidates},
         1, to_fill},
        {XK_LAUNCH_REDUCE, "convert", .u.reduce = {N, N, 1, XK_DT_F16}, 2,
         to_sum}};
    const struct xk_program_arg_info a[] = {
        tensor(XK_ARG_SRC, "src", sizeof src, false),
        tensor(XK_ARG_WEI, "wei", sizeof wei, false),
        tensor(XK_ARG_DST, "dst", sizeof dst, true)};
    const struct xk_launches all = {.n_args = 3,
                                    .n_scratch = 2,
                                    .n = 3,
                                    .args = a,
                                    .scratch_b = scratch_b,
                                    .at = l};
    xk_program *const p = lab_must_make_in(c, &all);
    const struct xk_conv_info *const info = xk_program_info(p);
    const struct lab_arg arg[] = {
        {src, sizeof src}, {wei, sizeof wei}, {0}, {dst, sizeof dst}};
    for (int i = 0; i < SIZE * SIZE * IC; i++)
        (&src[0][0][0])[i] = (float)(i * 7 % 11 - 5);
    for (int i = 0; i < OC * 9 * IC; i++)
        (&wei[0][0][0][0])[i] = (float)(i * 5 % 7 - 3);
    ck_assert_uint_eq(info->n_launches, 3);
    ck_assert_uint_eq(info->scratch_b, 128 + N * 4);
    ck_assert_uint_eq(info->scratch_align_b, XK_PART_ALIGN_B);
    lab_run(p, arg);
    for (int i = 0; i < N; i++)
        ck_assert_float_eq(xk_half_to_float(dst[i]),
                           2.5f +
                               conv_at(i / OC / SIZE, i / OC % SIZE, i % OC));
    xk_program_unref(p);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}
END_TEST

/* The largest sizes: offsets of all lanes are proven to fit, or the kernel
 * would not be made. */
START_TEST(the_largest_sizes_have_kernels)
{
    const struct xk_bind bind[] = {{"dst", XK_BIND_TENSOR, 0, 0},
                                   {"part", XK_BIND_TENSOR, 1, 0}};
    const struct xk_program_arg_info a[] = {
        tensor(0, "dst", XK_FLAT_MAX_B, true),
        tensor(1, "part", XK_FLAT_MAX_B, false)};
    const int64_t n = XK_FLAT_MAX_B / 12;
    const struct xk_launch l[] = {
        {XK_LAUNCH_FILL, "whole", .u.fill = {0, XK_FLAT_MAX_B, 1}, 1, bind},
        {XK_LAUNCH_FILL, "end", .u.fill = {XK_FLAT_MAX_B - 8, 7, 1}, 1, bind},
        {XK_LAUNCH_REDUCE, "parts", .u.reduce = {n, n, 3, XK_DT_F32}, 2, bind},
        {XK_LAUNCH_REDUCE, "few",
         .u.reduce = {5, 5, XK_FLAT_MAX_B / 20, XK_DT_U8}, 2, bind}};
    struct xk_launches all = {.n_args = 2, .args = a, .n = 4, .at = l};
    all.addresses = _i;
    xk_program_unref(lab_must_make(&all));
}
END_TEST

/* Lists that are wrong, by one change to one that is right. */
struct list {
    struct xk_program_arg_info arg[2];
    struct xk_bind bind[3];
    struct xk_launch l[2];
    int64_t scratch_b[2];
    struct xk_launches all;
};

static void no_bind(struct list *x)
{
    x->l[1].n_binds = 1;
}
static void bad_argument(struct list *x)
{
    x->bind[1].number = 7;
}
static void bad_scratch(struct list *x)
{
    x->bind[0].number = 1;
}
static void unknown_name(struct list *x)
{
    x->l[1].n_binds = 3;
}
static void value_for_a_buffer(struct list *x)
{
    x->bind[1].binding = XK_BIND_VALUE;
}
static void two_names(struct list *x)
{
    strcpy(x->l[1].name, "first");
}
static void empty_fill(struct list *x)
{
    x->l[0].u.fill.size_b = 0;
}
static void odd_fill(struct list *x)
{
    x->l[0].u.fill.first_b = 2;
}
static void large_fill(struct list *x)
{
    x->l[0].u.fill.size_b = INT64_C(1) << 31;
}
static void many_parts(struct list *x)
{
    x->l[1].u.reduce.parts = UINT32_MAX;
}
static void no_parts(struct list *x)
{
    x->l[1].u.reduce.parts = 0;
}
static void overlapping_parts(struct list *x)
{
    x->l[1].u.reduce.stride_e = 3;
}
static void wide_sum(struct list *x)
{
    x->l[1].u.reduce.dst = XK_DT_F64;
}
static void no_scratch_b(struct list *x)
{
    x->scratch_b[0] = 0;
}
static void too_many_launches(struct list *x)
{
    x->all.n = XK_MAX_LAUNCHES + 1;
}
static void same_number(struct list *x)
{
    x->arg[1].number = x->arg[0].number;
}
static void unnamed(struct list *x)
{
    x->arg[0].name[0] = 0;
}
static void value_of_3_bytes(struct list *x)
{
    x->arg[1].type = XK_VALUE_F32;
    x->arg[1].size_b = 3;
}
static void unknown_kind(struct list *x)
{
    x->l[0].kind = 9;
}

static const struct {
    void (*spoil)(struct list *x);
    enum xk_status status;
    const char *says;
} wrong[] = {
    {no_bind, XK_EINVAL, "launch 1, second: nothing says what argument dst"},
    {bad_argument, XK_EINVAL, "argument 1 takes what the program does not"},
    {bad_scratch, XK_EINVAL, "launch 0, first: argument 0 takes what"},
    {unknown_name, XK_EINVAL, "launch 1, second: it has no argument other"},
    {value_for_a_buffer, XK_EINVAL, "argument 1 takes what the program does"},
    {two_names, XK_EINVAL, "two kernels first"},
    {empty_fill, XK_EINVAL, "fill: 0 bytes"},
    {odd_fill, XK_EINVAL, "from byte 2"},
    {large_fill, XK_EUNSUPPORTED, "fill: 2147483648 bytes"},
    {many_parts, XK_EUNSUPPORTED, "reduce: 4294967295 parts"},
    {no_parts, XK_EINVAL, "reduce: 0 parts"},
    {overlapping_parts, XK_EINVAL, "3 apart"},
    {wide_sum, XK_EUNSUPPORTED, "reduce: to f64"},
    {no_scratch_b, XK_EINVAL, "scratch 0: 0 bytes"},
    {too_many_launches, XK_EINVAL, "65 launches"},
    {same_number, XK_EINVAL, "numbers ascend"},
    {unnamed, XK_EINVAL, "argument 0 has no name"},
    {value_of_3_bytes, XK_EINVAL, "3 bytes"},
    {unknown_kind, XK_EINVAL, "launch 0: kind 9"},
};

static struct list right_list(void)
{
    return (struct list){
        .arg = {tensor(0, "in", 64, false), tensor(5, "out", 64, true)},
        .bind = {{"dst", XK_BIND_SCRATCH, 0, 0},
                 {"dst", XK_BIND_TENSOR, 5, 0},
                 {"part", XK_BIND_SCRATCH, 0, 0}},
        .l = {{XK_LAUNCH_FILL, "first", .u.fill = {0, 64, 0}, 1, NULL},
              {XK_LAUNCH_REDUCE, "second", .u.reduce = {16, 16, 1, XK_DT_F32},
               2, NULL}},
        .scratch_b = {64}};
}

static xk_program *make_list(struct list *x, struct xk_error *err)
{
    const unsigned n = x->all.n;
    x->l[0].bind = x->bind;
    /* the first n_binds of part, dst: no_bind leaves out dst */
    const struct xk_bind swapped[] = {
        x->bind[2], x->bind[1], {"other", XK_BIND_SCRATCH, 0, 0}};
    x->l[1].bind = swapped;
    x->all = (struct xk_launches){.n_args = 2,
                                  .n_scratch = 1,
                                  .n = n,
                                  .args = x->arg,
                                  .scratch_b = x->scratch_b,
                                  .at = x->l};
    return lab_make(&x->all, err);
}

START_TEST(a_list_that_contradicts_itself_is_refused)
{
    struct xk_error err;
    struct list x = right_list();
    x.all.n = 2;
    xk_program *p = make_list(&x, &err);
    ck_assert_msg(p != NULL, "%s",
                  err.message); /* or the change proves nothing */
    xk_program_unref(p);
    x = right_list();
    x.all.n = 2;
    wrong[_i].spoil(&x);
    p = make_list(&x, &err);
    ck_assert_ptr_null(p);
    ck_assert_int_eq(err.status, wrong[_i].status);
    ck_assert_msg(strstr(err.message, wrong[_i].says) != NULL,
                  "'%s' is not in '%s'", wrong[_i].says, err.message);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("launches");
    TCase *const t = tcase_create("launches");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_region_is_filled_and_nothing_beside_it, 0,
                        XK_COUNTOF(regions));
    tcase_add_loop_test(t, arguments_beyond_the_payload_are_loaded, 0, 4);
    tcase_add_test(t, scratch_is_filled_summed_onto_and_converted);
    tcase_add_loop_test(t, the_largest_sizes_have_kernels, 0, 2);
    tcase_add_loop_test(t, a_list_that_contradicts_itself_is_refused, 0,
                        XK_COUNTOF(wrong));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
