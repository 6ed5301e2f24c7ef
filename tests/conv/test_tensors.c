/* SPDX-License-Identifier: Apache-2.0 */
/* The public description of the tensors: offsets computed from its blocks as
 * xekern.h says, compared with the formats' formulas. */
#include <string.h>

#include "tests/conv/conv_nest.h"
#include "tests/conv/suites.h"

static const char *const any[3] = {"acdb", "Acdb32a", "acdb"};

static struct xk_conv_info tensors(const char *problem, const char *wei_tag,
                                   uint32_t prop)
{
    struct xk_conv_desc d = test_parse(problem), full;
    struct xk_conv_info info = {.size = sizeof(info)};
    strcpy(d.wei_tag, wei_tag);
    d.prop = prop;
    ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
    ck_assert_int_eq(test_conv_tensors(test_ctx, &full, any, &info), XK_OK);
    return info;
}

static int64_t offset_e(const struct xk_tensor_info *t, const int64_t *i)
{
    int64_t off = 0;
    for (uint32_t k = 0; k < t->n_blocks; k++) {
        const struct xk_layout_block *const b = &t->blocks[k];
        off += i[b->dim] / b->div % b->size * b->stride;
    }
    return off;
}

START_TEST(tensors_are_described)
{
    const struct xk_conv_info info =
        tensors("mb2ic3ih4iw5oc40oh6ow7kh3kw2ph2pw2", "any", XK_FWD_B);
    const struct xk_tensor_info *const t = info.tensor;
    ck_assert_uint_eq(info.n_launches, 1);
    ck_assert_uint_eq(info.scratch_b, 0);
    ck_assert_str_eq(t[XK_ARG_SRC].tag, "acdb");
    ck_assert_uint_eq(t[XK_ARG_SRC].size_b, 2 * 3 * 4 * 5 * 4);
    ck_assert_uint_eq(t[XK_ARG_SRC].type, XK_F32);
    ck_assert_uint_eq(t[XK_ARG_SRC].ndims, 4);
    ck_assert_str_eq(t[XK_ARG_WEI].tag, "Acdb32a");
    ck_assert_int_eq(t[XK_ARG_WEI].dims[0], 40);
    ck_assert_int_eq(t[XK_ARG_WEI].padded_dims[0], 64);
    ck_assert_int_eq(t[XK_ARG_WEI].padded_dims[1], 3);
    ck_assert_uint_eq(t[XK_ARG_WEI].size_b, 64 * 3 * 3 * 2 * 4);
    ck_assert_str_eq(t[XK_ARG_DST].tag, "acdb");
    ck_assert_uint_eq(t[XK_ARG_DST].size_b, 2 * 40 * 6 * 7 * 4);
    ck_assert_str_eq(t[XK_ARG_BIA].tag, "a");
    ck_assert_uint_eq(t[XK_ARG_BIA].ndims, 1);
    ck_assert_int_eq(t[XK_ARG_BIA].dims[0], 40);
    ck_assert_uint_eq(t[XK_ARG_BIA].size_b, 160);
}
END_TEST

START_TEST(no_bias_tensor_without_bias)
{
    const struct xk_conv_info info = tensors("ic3ih4oc8kh3", "", XK_FWD_D);
    ck_assert_uint_eq(info.tensor[XK_ARG_BIA].ndims, 0);
    ck_assert_uint_eq(info.tensor[XK_ARG_BIA].size_b, 0);
}
END_TEST

/* Dims that a mask has are dst's, the others 1. */
START_TEST(right_hand_sides_have_the_dims_of_their_masks)
{
    const int64_t dst[] = {2, 40, 6, 7};
    struct xk_conv_desc d = test_parse("mb2ic3ih4iw5oc40oh6ow7kh3kw2ph2pw2");
    d.n_post_ops = 18;
    d.post_ops[0].kind = XK_POST_RELU;
    d.post_ops[1] = (struct xk_post_op){
        .kind = XK_POST_ADD, .mask = 15, .tag = "aBcd16b", .type = XK_F16};
    for (uint32_t m = 0; m < 16; m++)
        d.post_ops[2 + m] = (struct xk_post_op){
            .kind = XK_POST_MUL, .type = XK_S8, .mask = m, .tag = "abcd"};
    struct xk_conv_desc full;
    struct xk_conv_info info = {.size = sizeof(info)};
    ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
    ck_assert_int_eq(test_conv_tensors(test_ctx, &full, any, &info), XK_OK);
    ck_assert_uint_eq(info.rhs[0].ndims, 0);
    ck_assert_uint_eq(info.rhs[1].type, XK_F16);
    ck_assert_int_eq(info.rhs[1].padded_dims[1], 48);
    ck_assert_uint_eq(info.rhs[1].size_b, 2 * 48 * 6 * 7 * 2);
    for (uint32_t m = 0; m < 16; m++) {
        const struct xk_tensor_info *const t = &info.rhs[2 + m];
        uint64_t n = 1;
        ck_assert_uint_eq(t->ndims, 4);
        for (unsigned i = 0; i < 4; i++) {
            const int64_t want = m >> i & 1 ? dst[i] : 1;
            ck_assert_int_eq(t->dims[i], want);
            n *= (uint64_t)want;
        }
        ck_assert_uint_eq(t->size_b, n);
        ck_assert_int_eq(offset_e(t, (int64_t[4]){m & 1, m >> 1 & 1, m >> 2 & 1,
                                                  m >> 3 & 1}),
                         (((m & 1) * t->dims[1] + (m >> 1 & 1)) * t->dims[2] +
                          (m >> 2 & 1)) *
                                 t->dims[3] +
                             (m >> 3 & 1));
    }
}
END_TEST

/* One value or one of each output channel, of those in device memory. */
START_TEST(scales_and_zero_points_have_values)
{
    struct xk_conv_desc d = test_parse("g1mb2ic3ih4oc40kh3ph1"), full;
    struct xk_conv_info info = {.size = sizeof(info)};
    d.attr.scale[XK_ARG_SRC] = (struct xk_quant){.source = XK_QUANT_DEVICE};
    d.attr.scale[XK_ARG_WEI] =
        (struct xk_quant){.source = XK_QUANT_DEVICE, .mask = 3, .type = XK_F16};
    d.attr.scale[XK_ARG_DST] = (struct xk_quant){.source = XK_QUANT_HOST};
    d.attr.zero_point[XK_ARG_DST] =
        (struct xk_quant){.source = XK_QUANT_DEVICE, .mask = 2, .type = XK_S8};
    ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
    ck_assert_int_eq(test_conv_tensors(test_ctx, &full, any, &info), XK_OK);
    ck_assert_uint_eq(info.scale[XK_ARG_SRC].size_b, 4);
    ck_assert_uint_eq(info.scale[XK_ARG_WEI].size_b, 80);
    ck_assert_uint_eq(info.scale[XK_ARG_WEI].type, XK_F16);
    ck_assert_uint_eq(info.scale[XK_ARG_DST].ndims, 0);
    ck_assert_uint_eq(info.zero_point[XK_ARG_SRC].ndims, 0);
    ck_assert_uint_eq(info.zero_point[XK_ARG_DST].ndims, 1);
    ck_assert_int_eq(info.zero_point[XK_ARG_DST].dims[0], 40);
    ck_assert_uint_eq(info.zero_point[XK_ARG_DST].size_b, 40);
}
END_TEST

/* Where its tag is left open: as dst lies. */
START_TEST(whole_right_hand_sides_lie_as_dst)
{
    struct xk_conv_desc d = test_parse("mb2ic3ih4oc40kh3ph1"), full;
    struct xk_conv_info info = {.size = sizeof(info)};
    strcpy(d.dst_tag, "aBx16b");
    d.n_post_ops = 2;
    d.post_ops[0] =
        (struct xk_post_op){.kind = XK_POST_ADD, .mask = UINT32_MAX};
    d.post_ops[1] = (struct xk_post_op){.kind = XK_POST_ADD, .mask = 3};
    ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
    ck_assert_int_eq(test_conv_tensors(test_ctx, &full, any, &info), XK_OK);
    ck_assert_str_eq(info.rhs[0].tag, "aBcd16b");
    ck_assert_str_eq(info.rhs[1].tag, "acdb");
}
END_TEST

START_TEST(offsets_from_blocks_are_the_formats)
{
    enum { O = 40, I = 3, KH = 3, KW = 2, H = 4, W = 5 };
    const struct xk_conv_info info =
        tensors("mb2ic3ih4iw5oc40oh6ow7kh3kw2ph2pw2", "Acdb16a", XK_FWD_B);
    int64_t i[4];
    for (i[0] = 0; i[0] < O; i[0]++)
        for (i[1] = 0; i[1] < I; i[1]++)
            for (i[2] = 0; i[2] < KH; i[2]++)
                for (i[3] = 0; i[3] < KW; i[3]++)
                    ck_assert_int_eq(
                        offset_e(&info.tensor[XK_ARG_WEI], i),
                        (((i[0] / 16 * KH + i[2]) * KW + i[3]) * I + i[1]) *
                                16 +
                            i[0] % 16);
    for (i[0] = 0; i[0] < 2; i[0]++)
        for (i[1] = 0; i[1] < I; i[1]++)
            for (i[2] = 0; i[2] < H; i[2]++)
                for (i[3] = 0; i[3] < W; i[3]++)
                    ck_assert_int_eq(offset_e(&info.tensor[XK_ARG_SRC], i),
                                     ((i[0] * H + i[2]) * W + i[3]) * I + i[1]);
}
END_TEST

/* Elements of the blocked and plain formats, padding included, by formula. */
static int64_t aBcd16b(const int64_t *i, const int64_t *d)
{
    const int64_t blocks = (d[1] + 15) / 16;
    return (((i[0] * blocks + i[1] / 16) * d[2] + i[2]) * d[3] + i[3]) * 16 +
           i[1] % 16;
}

static int64_t aBcd32b(const int64_t *i, const int64_t *d)
{
    const int64_t blocks = (d[1] + 31) / 32;
    return (((i[0] * blocks + i[1] / 32) * d[2] + i[2]) * d[3] + i[3]) * 32 +
           i[1] % 32;
}

static int64_t abcd(const int64_t *i, const int64_t *d)
{
    return ((i[0] * d[1] + i[1]) * d[2] + i[2]) * d[3] + i[3];
}

static int64_t cdba(const int64_t *i, const int64_t *d)
{
    return ((i[2] * d[3] + i[3]) * d[1] + i[1]) * d[0] + i[0];
}

static int64_t AcdB8a32b(const int64_t *i, const int64_t *d)
{
    const int64_t blocks = (d[1] + 31) / 32;
    return (((i[0] / 8 * d[2] + i[2]) * d[3] + i[3]) * blocks + i[1] / 32) *
               256 +
           i[0] % 8 * 32 + i[1] % 32;
}

static int64_t AcdB32a16b(const int64_t *i, const int64_t *d)
{
    const int64_t blocks = (d[1] + 15) / 16;
    return (((i[0] / 32 * d[2] + i[2]) * d[3] + i[3]) * blocks + i[1] / 16) *
               512 +
           i[0] % 32 * 16 + i[1] % 16;
}

static int64_t Bcda16b(const int64_t *i, const int64_t *d)
{
    return (((i[1] / 16 * d[2] + i[2]) * d[3] + i[3]) * d[0] + i[0]) * 16 +
           i[1] % 16;
}

static int64_t Bcda32b(const int64_t *i, const int64_t *d)
{
    return (((i[1] / 32 * d[2] + i[2]) * d[3] + i[3]) * d[0] + i[0]) * 32 +
           i[1] % 32;
}

static int64_t ABcd64a16b(const int64_t *i, const int64_t *d)
{
    const int64_t blocks = (d[1] + 15) / 16;
    return (((i[0] / 64 * blocks + i[1] / 16) * d[2] + i[2]) * d[3] + i[3]) *
               1024 +
           i[0] % 64 * 16 + i[1] % 16;
}

/* mb2 ic35 ih4 iw5 oc40 oh6 ow7 kh3 kw2. */
static const struct {
    enum xk_conv_arg arg;
    const char *tag, *canonical;
    int64_t padded[2], size_e; /* of the first two dims */
    int64_t (*offset)(const int64_t *i, const int64_t *dims);
} formats[] = {
    {XK_ARG_SRC, "aBcd16b", "aBcd16b", {2, 48}, 2 * 48 * 4 * 5, aBcd16b},
    {XK_ARG_SRC, "aBx32b", "aBcd32b", {2, 64}, 2 * 64 * 4 * 5, aBcd32b},
    {XK_ARG_SRC, "Bcda16b", "Bcda16b", {2, 48}, 2 * 48 * 4 * 5, Bcda16b},
    {XK_ARG_SRC, "Bxa32b", "Bcda32b", {2, 64}, 2 * 64 * 4 * 5, Bcda32b},
    {XK_ARG_DST, "Bcda16b", "Bcda16b", {2, 48}, 2 * 48 * 6 * 7, Bcda16b},
    {XK_ARG_DST, "Bcda32b", "Bcda32b", {2, 64}, 2 * 64 * 6 * 7, Bcda32b},
    {XK_ARG_SRC, "nchw", "abcd", {2, 35}, 2 * 35 * 4 * 5, abcd},
    {XK_ARG_DST, "aBcd16b", "aBcd16b", {2, 48}, 2 * 48 * 6 * 7, aBcd16b},
    {XK_ARG_DST, "aBcd32b", "aBcd32b", {2, 64}, 2 * 64 * 6 * 7, aBcd32b},
    {XK_ARG_DST, "abx", "abcd", {2, 40}, 2 * 40 * 6 * 7, abcd},
    {XK_ARG_WEI, "oihw", "abcd", {40, 35}, 40 * 35 * 3 * 2, abcd},
    {XK_ARG_WEI, "hwio", "cdba", {40, 35}, 40 * 35 * 3 * 2, cdba},
    {XK_ARG_WEI, "AcdB8a32b", "AcdB8a32b", {40, 64}, 40 * 64 * 6, AcdB8a32b},
    {XK_ARG_WEI, "AcdB32a16b", "AcdB32a16b", {64, 48}, 64 * 48 * 6, AcdB32a16b},
    {XK_ARG_WEI, "ABcd64a16b", "ABcd64a16b", {64, 48}, 64 * 48 * 6, ABcd64a16b},
};

static const struct {
    uint32_t src, wei, dst;
    unsigned size_b[XK_N_CONV_ARGS]; /* of an element */
} types[] = {
    {XK_F32, XK_F32, XK_F32, {4, 4, 4, 4}},
    {XK_F16, XK_F16, XK_F16, {2, 2, 4, 2}},
    {XK_F16, XK_F16, XK_F32, {2, 2, 4, 4}},
    {XK_U8, XK_S8, XK_U8, {1, 1, 4, 1}},
    {XK_U8, XK_S8, XK_S32, {1, 1, 4, 4}},
};

static struct xk_conv_info typed_tensors(unsigned row, unsigned type,
                                         bool by_any)
{
    struct xk_conv_desc d = test_parse("mb2ic35ih4iw5oc40oh6ow7kh3kw2ph2pw2"),
                        full;
    struct xk_conv_info info = {.size = sizeof(info)};
    const char *tags[3] = {"acdb", "acdb", "acdb"};
    const enum xk_conv_arg arg = formats[row].arg;
    const unsigned place = arg == XK_ARG_DST ? 2 : arg;
    char *const given[3] = {d.src_tag, d.wei_tag, d.dst_tag};
    d.src_type = types[type].src;
    d.wei_type = types[type].wei;
    d.dst_type = types[type].dst;
    tags[place] = formats[row].tag;
    strcpy(given[place], by_any ? "any" : formats[row].tag);
    ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
    ck_assert_int_eq(test_conv_tensors(test_ctx, &full, tags, &info), XK_OK);
    ck_assert_uint_eq(info.tensor[XK_ARG_SRC].type, types[type].src);
    ck_assert_uint_eq(info.tensor[XK_ARG_WEI].type, types[type].wei);
    ck_assert_uint_eq(info.tensor[XK_ARG_DST].type, types[type].dst);
    ck_assert_uint_eq(info.tensor[XK_ARG_BIA].type, XK_F32);
    ck_assert_uint_eq(info.tensor[XK_ARG_BIA].size_b, 160);
    return info;
}

START_TEST(every_format_and_type_is_described)
{
    for (unsigned k = 0; k < XK_COUNTOF(types) * 2; k++) {
        const struct xk_conv_info info =
            typed_tensors((unsigned)_i, k / 2, k % 2);
        const enum xk_conv_arg arg = formats[_i].arg;
        const struct xk_tensor_info *const t = &info.tensor[arg];
        ck_assert_str_eq(t->tag, formats[_i].canonical);
        ck_assert_int_eq(t->padded_dims[0], formats[_i].padded[0]);
        ck_assert_int_eq(t->padded_dims[1], formats[_i].padded[1]);
        ck_assert_int_eq(t->padded_dims[2], t->dims[2]);
        ck_assert_int_eq(t->padded_dims[3], t->dims[3]);
        ck_assert_uint_eq(t->size_b, (uint64_t)formats[_i].size_e *
                                         types[k / 2].size_b[arg]);
        int64_t i[4];
        for (i[0] = 0; i[0] < t->padded_dims[0]; i[0]++)
            for (i[1] = 0; i[1] < t->padded_dims[1]; i[1]++)
                for (i[2] = 0; i[2] < t->dims[2]; i[2]++)
                    for (i[3] = 0; i[3] < t->dims[3]; i[3]++)
                        ck_assert_int_eq(offset_e(t, i),
                                         formats[_i].offset(i, t->dims));
    }
}
END_TEST

START_TEST(given_tags_win_over_any)
{
    const struct xk_conv_info info = tensors("ic3ih4oc8kh3", "ohwi", XK_FWD_D);
    ck_assert_str_eq(info.tensor[XK_ARG_WEI].tag, "acdb");
}
END_TEST

START_TEST(short_info_is_refused)
{
    struct xk_conv_desc d = test_parse("ic3ih4oc8kh3"), full;
    struct xk_conv_info info = {.size = 8};
    ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
    ck_assert_int_eq(test_conv_tensors(test_ctx, &full, any, &info), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "info.size=8"));
}
END_TEST

static void *no_heap(void *user, void *p, size_t n_b)
{
    (void)p;
    if (n_b)
        ++*(unsigned *)user;
    return NULL;
}

/* Query's part of the work needs no heap at all: nothing to fail, no IR. */
START_TEST(check_and_tensors_do_not_allocate)
{
    unsigned n_calls = 0;
    const struct xk_alloc saved = test_ctx->alloc;
    struct xk_conv_desc d = test_parse("ic3ih4oc8kh3"), full;
    struct xk_conv_info info = {.size = sizeof(info)};
    test_ctx->alloc = (struct xk_alloc){no_heap, &n_calls};
    const enum xk_status checked = xk_conv_check(test_ctx, &d, &full);
    const enum xk_status st = test_conv_tensors(test_ctx, &full, any, &info);
    test_ctx->alloc = saved;
    ck_assert_int_eq(checked, XK_OK);
    ck_assert_int_eq(st, XK_OK);
    ck_assert_uint_eq(n_calls, 0);
}
END_TEST

Suite *suite_tensors(void)
{
    Suite *const s = suite_create("conv/tensors");
    TCase *const t = tcase_create("tensors");
    tcase_add_checked_fixture(t, test_setup, test_teardown);
    tcase_add_test(t, tensors_are_described);
    tcase_add_test(t, no_bias_tensor_without_bias);
    tcase_add_test(t, right_hand_sides_have_the_dims_of_their_masks);
    tcase_add_test(t, whole_right_hand_sides_lie_as_dst);
    tcase_add_test(t, scales_and_zero_points_have_values);
    tcase_add_test(t, offsets_from_blocks_are_the_formats);
    tcase_add_loop_test(t, every_format_and_type_is_described, 0,
                        XK_COUNTOF(formats));
    tcase_add_test(t, given_tags_win_over_any);
    tcase_add_test(t, short_info_is_refused);
    tcase_add_test(t, check_and_tensors_do_not_allocate);
    suite_add_tcase(s, t);
    return s;
}
