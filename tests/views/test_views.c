/* SPDX-License-Identifier: Apache-2.0 */
/* Views against the integer model: random tensors and chains of transforms,
 * every index of the box. Cases by hand for what the models' users rely on. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/views/eval.h"
#include "tests/views/model.h"
#include "views/nest.h"

#define N_RANDOM 400
#define MAX_POINTS 3000

static xk_ctx *c;

static void setup(void)
{
    c = xk_ctx_create(NULL);
}

static void teardown(void)
{
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

/* Variables for an index of the view, with the box as facts. */
struct box {
    unsigned n;
    const xk_expr *var[XK_VIEW_MAX_DIMS];
    int64_t lo[XK_VIEW_MAX_DIMS], hi[XK_VIEW_MAX_DIMS];
    xk_facts *facts;
};

static void box_init(struct box *b, const struct xk_view *v, unsigned *seed)
{
    b->n = v->n_dims;
    b->facts = xk_facts_create(c);
    for (unsigned i = 0; i < b->n; i++) {
        b->lo[i] = 0;
        b->hi[i] = v->dim[i].extent - 1;
        if (seed) { /* a tile of it */
            b->lo[i] = rand_r(seed) % v->dim[i].extent;
            b->hi[i] = b->lo[i] + rand_r(seed) % (b->hi[i] - b->lo[i] + 1);
        }
        b->var[i] = xk_var(c, xk_type_vec(XK_DT_S32, 1), "i");
        xk_facts_set(b->facts, b->var[i], b->lo[i], b->hi[i], 1, 0);
    }
    ck_assert_int_eq(xk_ctx_status(c), XK_OK);
}

static bool in_box(const struct box *b, const int64_t *index)
{
    for (unsigned i = 0; i < b->n; i++) {
        if (index[i] < b->lo[i] || index[i] > b->hi[i])
            return false;
    }
    return true;
}

static void compare_all(const struct model *m, const struct xk_view *v,
                        const struct box *b, const xk_expr *off,
                        const xk_expr *mask)
{
    int64_t index[XK_VIEW_MAX_DIMS] = {0};
    const struct eval_env env = {b->n, 0, b->var, index};
    ck_assert_ptr_nonnull(off);
    ck_assert_ptr_nonnull(mask);
    do {
        int64_t want = 0;
        if (!in_box(b, index))
            continue;
        const bool exists = model_at(m, index, &want);
        ck_assert_int_eq(eval(mask, &env), exists);
        if (exists)
            ck_assert_int_eq(eval(off, &env), want * xk_dtype_b(v->layout.dt));
    } while (model_next(m, index));
}

/* The whole box, or a random tile of it, where more masks are provable. */
static void random_case(unsigned seed, bool tile)
{
    struct model m;
    struct xk_view v;
    struct box b;
    const xk_scope s = xk_scope_begin(c);
    if (model_random(c, &seed, &m, &v, MAX_POINTS)) {
        box_init(&b, &v, tile ? &seed : NULL);
        compare_all(&m, &v, &b, xk_view_offset_b(c, &v, b.var, b.facts),
                    xk_view_mask(c, &v, b.var, b.facts));
        xk_facts_unref(b.facts);
    }
    xk_scope_end(c, s, NULL);
}

START_TEST(offsets_and_masks_are_the_models)
{
    for (unsigned i = 0; i < N_RANDOM; i++)
        random_case(1000 + i, false);
}
END_TEST

START_TEST(masks_are_never_wrongly_proven_away)
{
    for (unsigned i = 0; i < N_RANDOM; i++)
        random_case(5000 + i, true);
}
END_TEST

START_TEST(without_facts_the_answer_is_the_same)
{
    for (unsigned i = 0; i < N_RANDOM / 4; i++) {
        unsigned seed = 9000 + i;
        struct model m;
        struct xk_view v;
        struct box b;
        const xk_scope s = xk_scope_begin(c);
        if (model_random(c, &seed, &m, &v, MAX_POINTS)) {
            box_init(&b, &v, NULL);
            compare_all(&m, &v, &b, xk_view_offset_b(c, &v, b.var, NULL),
                        xk_view_mask(c, &v, b.var, NULL));
            xk_facts_unref(b.facts);
        }
        xk_scope_end(c, s, NULL);
    }
}
END_TEST

/* One dim gets 8 lanes starting at a constant, the others are scalars. */
static void vector_case(unsigned seed)
{
    struct model m;
    struct xk_view v;
    struct box b;
    if (!model_random(c, &seed, &m, &v, MAX_POINTS))
        return;
    const unsigned d = (unsigned)rand_r(&seed) % m.n_dims;
    const unsigned lanes = 8;
    const xk_expr *index[XK_VIEW_MAX_DIMS];
    box_init(&b, &v, NULL);
    memcpy(index, b.var, sizeof(index));
    index[d] = xk_ramp(c, xk_s32(c, 0), xk_s32(c, 1), lanes);
    const xk_expr *const off = xk_view_offset_b(c, &v, index, b.facts);
    const xk_expr *const mask = xk_view_mask(c, &v, index, b.facts);
    int64_t at[XK_VIEW_MAX_DIMS] = {0};
    struct eval_env env = {b.n, 0, b.var, at};
    ck_assert(off && mask);
    do {
        int64_t want = 0;
        if (at[d] >= lanes)
            continue;
        env.lane = (unsigned)at[d];
        const bool exists = model_at(&m, at, &want);
        ck_assert_int_eq(eval(mask, &env), exists);
        if (exists)
            ck_assert_int_eq(eval(off, &env), want * xk_dtype_b(v.layout.dt));
    } while (model_next(&m, at));
    xk_facts_unref(b.facts);
}

START_TEST(a_vector_index_gives_one_answer_a_lane)
{
    for (unsigned i = 0; i < N_RANDOM / 2; i++) {
        const xk_scope s = xk_scope_begin(c);
        vector_case(20000 + i);
        xk_scope_end(c, s, NULL);
    }
}
END_TEST

/* Every step inside an aligned run moves by the stride, masked or not. */
static unsigned check_stride(const struct model *m, const struct xk_view *v,
                             unsigned d)
{
    const xk_expr *vars[XK_VIEW_MAX_DIMS];
    int64_t at[XK_VIEW_MAX_DIMS] = {0}, next[XK_VIEW_MAX_DIMS];
    int64_t stride_b = -1, run = -1;
    for (unsigned i = 0; i < v->n_dims; i++)
        vars[i] = v->dim[i].var;
    if (!xk_view_stride_b(c, v, v->dim[d].name, &stride_b, &run))
        return 0;
    ck_assert_int_ge(run, 1);
    const xk_expr *const off = xk_view_offset_b(c, v, vars, NULL);
    const struct eval_env env = {v->n_dims, 0, vars, at};
    const struct eval_env env_next = {v->n_dims, 0, vars, next};
    do {
        memcpy(next, at, sizeof(next));
        next[d]++;
        if (next[d] % run == 0 || next[d] >= v->dim[d].extent)
            continue;
        ck_assert_int_eq(eval(off, &env_next) - eval(off, &env), stride_b);
    } while (model_next(m, at));
    return 1;
}

START_TEST(strides_hold_inside_their_runs)
{
    unsigned n_known = 0;
    for (unsigned i = 0; i < N_RANDOM; i++) {
        unsigned seed = 40000 + i;
        struct model m;
        struct xk_view v;
        const xk_scope s = xk_scope_begin(c);
        if (model_random(c, &seed, &m, &v, MAX_POINTS)) {
            for (unsigned d = 0; d < m.n_dims; d++)
                n_known += check_stride(&m, &v, d);
        }
        xk_scope_end(c, s, NULL);
    }
    ck_assert_uint_gt(n_known, N_RANDOM);
}
END_TEST

/* nhwc source of a 3x3 convolution over 10 x 12, 4 images, 20 channels. */
static void conv_src(struct xk_view *v, int64_t pad, int64_t oh)
{
    static const char *const names[] = {"mb", "ic", "ih", "iw"};
    const int64_t dims[] = {4, 20, 10, 12};
    struct xk_layout l;
    const struct xk_embed h[] = {{"oh", oh, 1}, {"kh", 3, 1}};
    const struct xk_embed w[] = {{"ow", 10, 1}, {"kw", 3, 1}};
    xk_layout_from_tag(c, "src", (struct xk_tensor_dims){XK_DT_F32, 4, dims},
                       "nhwc", &l);
    xk_view_init(c, v, &l, names);
    xk_view_embed(c, v, "ih", 2, h, -pad);
    xk_view_embed(c, v, "iw", 2, w, 0);
    ck_assert_int_eq(xk_ctx_status(c), XK_OK);
}

START_TEST(masks_exist_only_where_the_tensor_can_be_left)
{
    struct xk_view v;
    conv_src(&v, 0, 8); /* ih 0..9 */
    ck_assert_uint_eq(v.n_masks, 0);
    conv_src(&v, 1, 9); /* ih -1..9 */
    ck_assert_uint_eq(v.n_masks, 1);
    conv_src(&v, 1, 10); /* ih -1..10 */
    ck_assert_uint_eq(v.n_masks, 2);
    conv_src(&v, 0, 9); /* ih 0..10 */
    ck_assert_uint_eq(v.n_masks, 1);
}
END_TEST

START_TEST(only_dims_that_are_a_tensor_s_own_pass_through)
{
    struct xk_view v;
    conv_src(&v, 1, 9);
    ck_assert_int_eq(xk_view_tensor_dim(&v, "mb"), 0);
    ck_assert_int_eq(xk_view_tensor_dim(&v, "ic"), 1);
    ck_assert_int_eq(xk_view_tensor_dim(&v, "oh"), -1); /* a part of ih */
    ck_assert_int_eq(xk_view_tensor_dim(&v, "kw"), -1);
    ck_assert_int_eq(xk_view_tensor_dim(&v, "none"), -1);
}
END_TEST

START_TEST(facts_prove_masks_away)
{
    struct xk_view v;
    struct box b;
    int64_t one = 0;
    conv_src(&v, 1, 10);
    const int oh = xk_view_find(&v, "oh");
    box_init(&b, &v, NULL);
    ck_assert(!xk_is_const(xk_view_mask(c, &v, b.var, b.facts), &one));
    xk_facts_set(b.facts, b.var[oh], 1, 8, 1, 0); /* ih 0..9 */
    ck_assert(xk_is_const(xk_view_mask(c, &v, b.var, b.facts), &one));
    ck_assert_int_eq(one, 1);
    xk_facts_set(b.facts, b.var[oh], 1, 9, 1, 0); /* ih 0..10 */
    ck_assert(!xk_is_const(xk_view_mask(c, &v, b.var, b.facts), &one));
    xk_facts_unref(b.facts);
}
END_TEST

START_TEST(a_slice_inside_a_pad_drops_its_masks)
{
    static const char *const names[] = {"w"};
    const int64_t dims[] = {9};
    struct xk_layout l;
    struct xk_view v;
    xk_layout_from_tag(c, "t", (struct xk_tensor_dims){XK_DT_F32, 1, dims}, "a",
                       &l);
    xk_view_init(c, &v, &l, names);
    xk_view_pad(c, &v, "w", 2, 3);
    ck_assert_uint_eq(v.n_masks, 2);
    ck_assert_int_eq(v.dim[0].extent, 14);
    xk_view_slice(c, &v, "w", 2, 9);
    ck_assert_uint_eq(v.n_masks, 0);
}
END_TEST

START_TEST(strides_of_a_convolution)
{
    struct xk_view v;
    static const struct {
        const char *dim;
        int64_t stride_b, run;
    } rows[] = {{"ic", 4, 20},       {"ow", 80, 10}, {"kw", 80, 3},
                {"oh", 12 * 80, 10}, {"kh", 960, 3}, {"mb", 9600, 4}};
    conv_src(&v, 1, 10);
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        int64_t stride_b = 0, run = 0;
        ck_assert(xk_view_stride_b(c, &v, rows[i].dim, &stride_b, &run));
        ck_assert_int_eq(stride_b, rows[i].stride_b);
        ck_assert_int_eq(run, rows[i].run);
    }
    ck_assert(!xk_view_stride_b(c, &v, "zz", &(int64_t){0}, &(int64_t){0}));
}
END_TEST

START_TEST(strides_of_blocked_weights_count_the_padding)
{
    static const char *const names[] = {"oc", "ic", "kh", "kw"};
    static const struct {
        int64_t oc, run;
    } rows[] = {{64, 32}, {40, 32}, {32, 32}, {16, 32}, {1, 32}};
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        const int64_t dims[] = {rows[i].oc, 5, 3, 3};
        int64_t stride_b = 0, run = 0;
        struct xk_layout l;
        struct xk_view v;
        xk_layout_from_tag(c, "wei",
                           (struct xk_tensor_dims){XK_DT_F32, 4, dims},
                           "Acdb32a", &l);
        xk_view_init(c, &v, &l, names);
        ck_assert(xk_view_stride_b(c, &v, "oc", &stride_b, &run));
        ck_assert_int_eq(stride_b, 4);
        ck_assert_int_eq(run, rows[i].run);
        ck_assert(xk_view_stride_b(c, &v, "ic", &stride_b, &run));
        ck_assert_int_eq(stride_b, 128);
    }
}
END_TEST

/* 3x3 over 64 channels, 10 x 12; what neighbours are apart, bytes. */
START_TEST(strides_follow_type_and_layout)
{
    static const char *const names[] = {"mb", "ic", "ih", "iw"};
    static const struct {
        enum xk_dtype dt;
        const char *tag, *dim;
        int64_t stride_b, run;
    } rows[] = {
        {XK_DT_F16, "nhwc", "ic", 2, 64},
        {XK_DT_F16, "nhwc", "ow", 128, 10},
        {XK_DT_U8, "nhwc", "oh", 768, 10},
        {XK_DT_F16, "nchw", "ow", 2, 10},
        {XK_DT_U8, "nchw", "ow", 1, 10},
        {XK_DT_U8, "nchw", "ic", 120, 64},
        {XK_DT_F16, "nchw", "oh", 24, 10},
        {XK_DT_F16, "aBcd16b", "ic", 2, 16},
        {XK_DT_F16, "aBcd16b", "ow", 32, 10},
        {XK_DT_U8, "aBcd32b", "ic", 1, 32},
        {XK_DT_U8, "aBcd32b", "oh", 384, 10},
        {XK_DT_U8, "aBcd32b", "mb", 7680, 4},
    };
    const struct xk_embed h[] = {{"oh", 10, 1}, {"kh", 3, 1}};
    const struct xk_embed w[] = {{"ow", 10, 1}, {"kw", 3, 1}};
    const int64_t dims[] = {4, 64, 10, 12};
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        int64_t stride_b = -1, run = -1;
        struct xk_layout l;
        struct xk_view v;
        xk_layout_from_tag(c, "src",
                           (struct xk_tensor_dims){rows[i].dt, 4, dims},
                           rows[i].tag, &l);
        xk_view_init(c, &v, &l, names);
        xk_view_embed(c, &v, "ih", 2, h, -1);
        xk_view_embed(c, &v, "iw", 2, w, 0);
        ck_assert_int_eq(xk_ctx_status(c), XK_OK);
        ck_assert(xk_view_stride_b(c, &v, rows[i].dim, &stride_b, &run));
        ck_assert_int_eq(stride_b, rows[i].stride_b);
        ck_assert_int_eq(run, rows[i].run);
    }
}
END_TEST

/* [oc 40][ic 4][kh 3][kw 7] in f16, and [tap 4][ic 4] as one dim k of it: a run
 * goes on through what one block follows the other. */
START_TEST(strides_go_on_from_one_merged_dim_to_the_next)
{
    static const char *const names[] = {"oc", "ic", "kh", "kw"};
    static const char *const inner[] = {"tap", "ic"};
    static const struct xk_embed parts[] = {{"kw", 2, 0}, {"tap", 4, 0}};
    static const struct {
        const char *tag;
        int64_t stride_b, run; /* 0: none */
    } rows[] = {
        {"AcDB32a4d4b", 2, 16},
        {"AcDB32a8d4b", 2, 16},
        {"AcDB32a2d4b", 2, 8},
        {"AcDb32a4d", 2 * 4 * 32, 4}, /* the tap is further in */
        {"ABcd32a4b", 2, 4},
        {"acdb", 2, 16},
        {"abcd", 2 * 21, 4},
        {"AcdB16a2b", 2, 2},
        {"AcDB4d16a4b", 2, 4},
    };
    const int64_t dims[] = {40, 4, 3, 7};
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        int64_t stride_b = 0, run = 0;
        struct xk_layout l;
        struct xk_view v;
        xk_layout_from_tag(c, "wei",
                           (struct xk_tensor_dims){XK_DT_F16, 4, dims},
                           rows[i].tag, &l);
        xk_view_init(c, &v, &l, names);
        xk_view_unmerge(c, &v, "kw", 2, parts);
        xk_view_merge(c, &v, 2, inner, "k");
        ck_assert_int_eq(xk_ctx_status(c), XK_OK);
        ck_assert(xk_view_stride_b(c, &v, "k", &stride_b, &run));
        ck_assert_msg(stride_b == rows[i].stride_b && run == rows[i].run,
                      "%s: %lld bytes in runs of %lld", rows[i].tag,
                      (long long)stride_b, (long long)run);
    }
}
END_TEST

/* Lanes along a dim whose condition is proven leave no lanes in the mask. */
START_TEST(a_proven_vector_mask_is_a_scalar)
{
    struct xk_view v;
    struct box b;
    const xk_expr *index[XK_VIEW_MAX_DIMS];
    conv_src(&v, 1, 10);
    const int oh = xk_view_find(&v, "oh"), ow = xk_view_find(&v, "ow");
    box_init(&b, &v, NULL);
    memcpy(index, b.var, sizeof(index));
    index[ow] = xk_ramp(c, xk_s32(c, 0), xk_s32(c, 1), 8);
    ck_assert_uint_eq(xk_type_of(xk_view_mask(c, &v, index, b.facts)).lanes, 1);
    xk_facts_set(b.facts, b.var[oh], 1, 8, 1, 0);
    index[oh] = xk_ramp(c, xk_s32(c, 1), xk_s32(c, 1), 8); /* 1..8: inside */
    ck_assert_ptr_eq(xk_view_mask(c, &v, index, b.facts),
                     xk_imm(c, XK_DT_BOOL, 1));
    index[oh] = xk_ramp(c, xk_s32(c, 2), xk_s32(c, 1), 8); /* 9 + kh - 1 */
    ck_assert_uint_eq(xk_type_of(xk_view_mask(c, &v, index, b.facts)).lanes, 8);
    xk_facts_unref(b.facts);
}
END_TEST

/* a: 16, b: 4, rows of 4 a: a step over a multiple of 4 is 13 elements. */
static void row_view(struct xk_view *v)
{
    static const char *const names[] = {"a", "b"};
    const int64_t dims[] = {16, 4};
    struct xk_layout l;
    xk_layout_from_tag(c, "t", (struct xk_tensor_dims){XK_DT_F32, 2, dims},
                       "Ab4a", &l);
    xk_view_init(c, v, &l, names);
}

START_TEST(no_stride_across_blocks)
{
    struct xk_view v;
    int64_t stride_b, run;
    const struct xk_embed down[] = {{"r", 5, -1}};
    row_view(&v);
    xk_view_embed(c, &v, "a", 1, down, 4); /* 4, 3, 2, 1, 0 */
    ck_assert(!xk_view_stride_b(c, &v, "r", &stride_b, &run));
    row_view(&v);
    xk_view_slice(c, &v, "a", 1, 8); /* 1, 2, 3, 4 */
    ck_assert(!xk_view_stride_b(c, &v, "a", &stride_b, &run));
    row_view(&v);
    xk_view_slice(c, &v, "a", 4, 8);
    ck_assert(xk_view_stride_b(c, &v, "a", &stride_b, &run));
    ck_assert_int_eq(stride_b, 4);
    ck_assert_int_eq(run, 4);
    const struct xk_embed fours[] = {{"v", 10, 4}};
    const char *const both[] = {"a", "b"};
    row_view(&v);
    xk_view_merge(c, &v, 2, both, "m");
    xk_view_embed(c, &v, "m", 1, fours, 5); /* a = v + 1, b = 1 */
    ck_assert(!xk_view_stride_b(c, &v, "v", &stride_b, &run));
    ck_assert_int_eq(xk_ctx_status(c), XK_OK);
}
END_TEST

START_TEST(broadcast_does_not_move)
{
    static const char *const names[] = {"oc"};
    const int64_t dims[] = {24};
    int64_t stride_b = -1, run = 0;
    struct xk_layout l;
    struct xk_view v;
    xk_layout_from_tag(c, "bia", (struct xk_tensor_dims){XK_DT_F32, 1, dims},
                       "a", &l);
    xk_view_init(c, &v, &l, names);
    xk_view_broadcast(c, &v, "ow", 7);
    ck_assert(xk_view_stride_b(c, &v, "ow", &stride_b, &run));
    ck_assert_int_eq(stride_b, 0);
    ck_assert_int_eq(run, 7);
}
END_TEST

START_TEST(bad_transforms_are_refused)
{
    struct xk_view v;
    const struct xk_embed same[] = {{"a", 2, 1}, {"a", 2, 1}};
    const struct xk_embed small[] = {{"a", 2, 0}, {"b", 4, 0}};
    const struct xk_embed huge[] = {{"a", INT32_MAX, INT32_MAX}};
    const struct xk_embed zero[] = {{"a", 0, 1}};
    const struct xk_embed wide[] = {{"abcdefgh", 1, 1}};
    const struct xk_embed taken[] = {{"mb", 9, 1}};
    const char *const twice[] = {"ic", "ic"};
    const char *const gone[] = {"ic", "ih"};
#define REFUSED(call, text)                                                    \
    do {                                                                       \
        xk_ctx_clear(c);                                                       \
        conv_src(&v, 1, 10);                                                   \
        ck_assert_int_lt(call, 0);                                             \
        ck_assert_msg(strstr(c->error.message, text) != NULL, "%s",            \
                      c->error.message);                                       \
    } while (0)
    REFUSED(xk_view_pad(c, &v, "zz", 1, 1), "\"zz\"");
    REFUSED(xk_view_pad(c, &v, "ic", -30, 1), "must be positive");
    REFUSED(xk_view_pad(c, &v, "ic", INT64_MIN, 1), "exceeds 2^31-1");
    REFUSED(xk_view_pad(c, &v, "ic", INT32_MAX, INT32_MAX), "above 2^31-1");
    REFUSED(xk_view_slice(c, &v, "ic", INT64_MAX, 1), "exceeds 2^31-1");
    REFUSED(xk_view_slice(c, &v, "ic", 0, 0), "must be positive");
    REFUSED(xk_view_embed(c, &v, "ic", 2, same, 0), "used twice");
    REFUSED(xk_view_embed(c, &v, "ic", 1, huge, 0), "exceeds 2^31-1");
    REFUSED(xk_view_embed(c, &v, "ic", 1, zero, 0), "a=0");
    REFUSED(xk_view_embed(c, &v, "ic", 1, wide, 0), "longer than 7");
    REFUSED(xk_view_embed(c, &v, "ic", 1, taken, 0), "mb=9 was ");
    REFUSED(xk_view_unmerge(c, &v, "ic", 1, taken), "used twice");
    REFUSED(xk_view_embed(c, &v, "ic", 0, same, 0), "0 dims");
    REFUSED(xk_view_unmerge(c, &v, "ic", 2, small), "less than its extent 20");
    REFUSED(xk_view_merge(c, &v, 2, twice, "m"), "merged twice");
    REFUSED(xk_view_merge(c, &v, 2, gone, "m"), "\"ih\"");
    REFUSED(xk_view_merge(c, &v, 0, twice, "m"), "0 dims");
    REFUSED(xk_view_broadcast(c, &v, "kw", 2), "used twice");
}
END_TEST

START_TEST(too_many_dims_are_refused)
{
    struct xk_view v;
    conv_src(&v, 1, 10); /* 6 dims */
    for (char name[] = "p"; v.n_dims < XK_VIEW_MAX_DIMS; name[0]++)
        ck_assert_int_eq(xk_view_broadcast(c, &v, name, 2), XK_OK);
    ck_assert_int_eq(xk_view_broadcast(c, &v, "z", 2), XK_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(c->error.message, "13 dims"));
}
END_TEST

START_TEST(a_tensor_beyond_s32_has_no_offsets)
{
    static const char *const names[] = {"a", "b"};
    const int64_t dims[] = {1 << 15, 1 << 14};
    const xk_expr *index[2];
    struct xk_layout l;
    struct xk_view v;
    xk_layout_from_tag(c, "t", (struct xk_tensor_dims){XK_DT_F32, 2, dims},
                       "ab", &l); /* 2^31 bytes */
    xk_view_init(c, &v, &l, names);
    index[0] = index[1] = xk_s32(c, 0);
    ck_assert_ptr_null(xk_view_offset_b(c, &v, index, NULL));
    ck_assert_int_eq(xk_ctx_status(c), XK_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(c->error.message, "2147483648 bytes"));
}
END_TEST

START_TEST(view_prints)
{
    struct xk_view v;
    struct xk_str s;
    conv_src(&v, 1, 10);
    xk_str_init(&s, NULL);
    xk_view_print(&v, "src", &s);
    ck_assert_str_eq(
        xk_str_get(&s),
        "view src (mb:4, ic:20, oh:10, kh:3, ow:10, kw:3)\n"
        "  layout f32[4, 20, 10, 12] acdb: 4a*2400 10c*240 12d*20 20b*1, "
        "38400 B\n"
        "  a = mb\n  b = ic\n  c = oh + kh - 1\n  d = ow + kw\n"
        "  mask oh + kh - 1 >= 0\n  mask oh + kh - 1 < 10\n");
    xk_str_fini(&s);
}
END_TEST

/* Fails the n-th allocation from now on. */
struct failing {
    unsigned left;
};

static void *fail_realloc(void *user, void *p, size_t n_b)
{
    struct failing *const f = user;
    if (n_b && f->left-- == 0) {
        f->left = 0; /* and all that follow */
        return NULL;
    }
    return xk_alloc_default.realloc(NULL, p, n_b);
}

static enum xk_status exercise(xk_ctx *ctx)
{
    static const char *const names[] = {"mb", "ic", "ih", "iw"};
    static const char *const m[] = {"mb", "oh", "w"};
    const struct xk_embed h[] = {{"oh", 10, 1}, {"kh", 3, 1}};
    const int64_t dims[] = {4, 20, 10, 12};
    const xk_expr *index[XK_VIEW_MAX_DIMS];
    struct xk_layout l;
    struct xk_view v;
    XK_TRY(xk_layout_from_tag(
        ctx, "t", (struct xk_tensor_dims){XK_DT_F32, 4, dims}, "nhwc", &l));
    XK_TRY(xk_view_init(ctx, &v, &l, names));
    XK_TRY(xk_view_embed(ctx, &v, "ih", 2, h, -1));
    XK_TRY(xk_view_pad(ctx, &v, "iw", 1, 1));
    XK_TRY(xk_view_slice(ctx, &v, "iw", 0, 12));
    XK_TRY(xk_view_unmerge(
        ctx, &v, "iw", 2, (const struct xk_embed[]){{"w", 3, 0}, {"u", 4, 0}}));
    XK_TRY(xk_view_merge(ctx, &v, 3, m, "m"));
    for (unsigned i = 0; i < v.n_dims; i++)
        index[i] = v.dim[i].var;
    if (!xk_view_offset_b(ctx, &v, index, NULL) ||
        !xk_view_mask(ctx, &v, index, NULL))
        return xk_ctx_status(ctx);
    return XK_OK;
}

START_TEST(any_allocation_may_fail)
{
    for (unsigned n = 0;; n++) {
        struct failing f = {n};
        const struct xk_alloc alloc = {fail_realloc, &f};
        xk_ctx *const ctx = xk_ctx_create(&alloc);
        if (!ctx)
            continue;
        const enum xk_status st = exercise(ctx);
        ck_assert_msg(st == XK_OK || st == XK_ENOMEM, "%u: %d %s", n, st,
                      ctx->error.message);
        ck_assert_uint_eq(xk_ctx_destroy(ctx), 0);
        if (st == XK_OK) {
            ck_assert_uint_gt(n, 10);
            break;
        }
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("views");
    TCase *const t = tcase_create("views");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, offsets_and_masks_are_the_models);
    tcase_add_test(t, masks_are_never_wrongly_proven_away);
    tcase_add_test(t, without_facts_the_answer_is_the_same);
    tcase_add_test(t, a_vector_index_gives_one_answer_a_lane);
    tcase_add_test(t, strides_hold_inside_their_runs);
    tcase_add_test(t, masks_exist_only_where_the_tensor_can_be_left);
    tcase_add_test(t, only_dims_that_are_a_tensor_s_own_pass_through);
    tcase_add_test(t, facts_prove_masks_away);
    tcase_add_test(t, a_slice_inside_a_pad_drops_its_masks);
    tcase_add_test(t, strides_of_a_convolution);
    tcase_add_test(t, strides_of_blocked_weights_count_the_padding);
    tcase_add_test(t, strides_go_on_from_one_merged_dim_to_the_next);
    tcase_add_test(t, strides_follow_type_and_layout);
    tcase_add_test(t, a_proven_vector_mask_is_a_scalar);
    tcase_add_test(t, no_stride_across_blocks);
    tcase_add_test(t, broadcast_does_not_move);
    tcase_add_test(t, bad_transforms_are_refused);
    tcase_add_test(t, too_many_dims_are_refused);
    tcase_add_test(t, a_tensor_beyond_s32_has_no_offsets);
    tcase_add_test(t, view_prints);
    tcase_add_test(t, any_allocation_may_fail);
    suite_add_tcase(s, t);
    SRunner *const r = srunner_create(s);
    srunner_set_tap(r, "-");
    srunner_run_all(r, CK_SILENT);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
