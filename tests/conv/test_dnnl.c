/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's own answers: which sizes fit together, for random geometries, and
 * where the elements of the formats lie. */
#include <dnnl.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conv/conv_nest.h"
#include "tests/conv/suites.h"

static int64_t pick(unsigned *seed, int64_t lo, int64_t hi)
{
    return lo + rand_r(seed) % (hi - lo + 1);
}

static int64_t behind(int64_t i, int64_t o, int64_t k, int64_t s, int64_t d,
                      int64_t p)
{
    return (o - 1) * s + (k - 1) * (d + 1) + 1 - i - p;
}

static bool dnnl_accepts(const struct xk_conv_desc *f)
{
    const dnnl_dims_t src = {f->mb, f->ic, f->id, f->ih, f->iw};
    const dnnl_dims_t wei = {f->oc, f->ic, f->kd, f->kh, f->kw};
    const dnnl_dims_t dst = {f->mb, f->oc, f->od, f->oh, f->ow};
    const dnnl_dims_t s = {f->sd, f->sh, f->sw}, d = {f->dd, f->dh, f->dw};
    const dnnl_dims_t pl = {f->pd, f->ph, f->pw};
    const dnnl_dims_t pr = {behind(f->id, f->od, f->kd, f->sd, f->dd, f->pd),
                            behind(f->ih, f->oh, f->kh, f->sh, f->dh, f->ph),
                            behind(f->iw, f->ow, f->kw, f->sw, f->dw, f->pw)};
    dnnl_memory_desc_t md[3];
    dnnl_convolution_desc_t cd;
    const dnnl_format_tag_t any = dnnl_format_tag_any;
    dnnl_memory_desc_init_by_tag(&md[0], 5, src, dnnl_f32, any);
    dnnl_memory_desc_init_by_tag(&md[1], 5, wei, dnnl_f32, any);
    dnnl_memory_desc_init_by_tag(&md[2], 5, dst, dnnl_f32, any);
    return dnnl_dilated_convolution_forward_desc_init(
               &cd, dnnl_forward_inference, dnnl_convolution_direct, &md[0],
               &md[1], NULL, &md[2], s, d, pl, pr) == dnnl_success;
}

/* Depth as random as the rest, though more often what fits. */
static void random_depth(unsigned *seed, struct xk_conv_desc *f)
{
    f->id = pick(seed, 1, 6);
    f->kd = pick(seed, 1, 3);
    f->sd = pick(seed, 1, 3);
    f->dd = pick(seed, 0, 1);
    f->pd = pick(seed, 0, 4);
    f->od = pick(seed, 1, 14);
}

/* A depth of 1 all through says the same to oneDNN as no depth. */
START_TEST(sizes_fit_together_where_onednn_says_so)
{
    unsigned seed = 11, n_ok = 0, n_bad = 0;
    for (unsigned i = 0; i < 20000; i++) {
        struct xk_conv_desc f = XK_CONV_DESC_INIT, full;
        f.ic = f.oc = 1;
        f.ih = pick(&seed, 1, 12);
        f.iw = pick(&seed, 1, 12);
        f.kh = pick(&seed, 1, 5);
        f.kw = pick(&seed, 1, 5);
        f.sh = pick(&seed, 1, 4);
        f.sw = pick(&seed, 1, 4);
        f.dh = pick(&seed, 0, 2);
        f.dw = pick(&seed, 0, 2);
        f.ph = pick(&seed, 0, 6);
        f.pw = pick(&seed, 0, 6);
        f.oh = pick(&seed, 1, 14);
        f.ow = pick(&seed, 1, 14);
        if (_i)
            random_depth(&seed, &f);
        xk_ctx_clear(test_ctx);
        const enum xk_status st = xk_conv_check(test_ctx, &f, &full);
        const bool want = dnnl_accepts(&f);
        ck_assert_msg(st == (want ? XK_OK : XK_EINVAL), "%u: %s", i,
                      test_ctx->error.message);
        n_ok += want;
        n_bad += !want;
    }
    ck_assert_uint_gt(n_ok, 1000);
    ck_assert_uint_gt(n_bad, 1000);
}
END_TEST

static const struct format {
    enum xk_conv_arg arg;
    const char *tag;
    dnnl_format_tag_t dnnl;
} formats[] = {
    {XK_ARG_SRC, "nhwc", dnnl_nhwc},
    {XK_ARG_SRC, "axb", dnnl_acdb},
    {XK_ARG_SRC, "nchw", dnnl_nchw},
    {XK_ARG_SRC, "abx", dnnl_abcd},
    {XK_ARG_DST, "aBcd16b", dnnl_aBcd16b},
    {XK_ARG_SRC, "aBcd32b", dnnl_aBcd32b},
    {XK_ARG_DST, "nchw", dnnl_nchw},
    {XK_ARG_DST, "aBcd32b", dnnl_nChw32c},
    {XK_ARG_WEI, "ohwi", dnnl_ohwi},
    {XK_ARG_WEI, "oihw", dnnl_oihw},
    {XK_ARG_WEI, "hwio", dnnl_hwio},
    {XK_ARG_WEI, "Acdb16a", dnnl_Acdb16a},
    {XK_ARG_WEI, "Acdb32a", dnnl_Acdb32a},
};
static const struct format formats_3d[] = {
    {XK_ARG_SRC, "ndhwc", dnnl_ndhwc},
    {XK_ARG_DST, "axb", dnnl_acdeb},
    {XK_ARG_SRC, "ncdhw", dnnl_ncdhw},
    {XK_ARG_DST, "abx", dnnl_abcde},
    {XK_ARG_SRC, "aBcde16b", dnnl_aBcde16b},
    {XK_ARG_DST, "aBx32b", dnnl_aBcde32b},
    {XK_ARG_WEI, "odhwi", dnnl_odhwi},
    {XK_ARG_WEI, "oidhw", dnnl_oidhw},
    {XK_ARG_WEI, "dhwio", dnnl_dhwio},
    {XK_ARG_WEI, "axb", dnnl_acdeb},
    {XK_ARG_WEI, "xba", dnnl_cdeba},
    {XK_ARG_WEI, "Acdeb16a", dnnl_Acdeb16a},
    {XK_ARG_WEI, "Acdeb32a", dnnl_Acdeb32a},
};

/* Strides of the outer blocks, inner blocks, padding and size. */
static void compare_desc(const struct xk_tensor_info *t,
                         const dnnl_memory_desc_t *md)
{
    const dnnl_blocking_desc_t *const b = &md->format_desc.blocking;
    ck_assert_uint_eq(t->size_b, dnnl_memory_desc_get_size(md));
    const unsigned n = (unsigned)md->ndims;
    ck_assert_uint_eq(t->ndims, n);
    ck_assert_uint_eq(t->n_blocks, n + (unsigned)b->inner_nblks);
    for (unsigned i = 0; i < n; i++) {
        const struct xk_layout_block *const block = &t->blocks[i];
        ck_assert_int_eq(t->dims[i], md->dims[i]);
        ck_assert_int_eq(t->padded_dims[i], md->padded_dims[i]);
        ck_assert_int_eq(block->stride, b->strides[block->dim]);
    }
    for (int i = 0; i < b->inner_nblks; i++) {
        const struct xk_layout_block *const inner = &t->blocks[n + (unsigned)i];
        ck_assert_uint_eq(inner->dim, (uint32_t)b->inner_idxs[i]);
        ck_assert_int_eq(inner->size, b->inner_blks[i]);
    }
}

/* One format in every type against oneDNN's; the other tensors are `dense`. */
static void check_format(const struct format *f, const char *problem,
                         const char *dense, int n_dims,
                         const dnnl_dims_t dims[XK_N_CONV_ARGS])
{
    static const struct {
        uint32_t src, wei, dst;
        dnnl_data_type_t dnnl[XK_N_CONV_ARGS];
    } types[] = {
        {XK_F32, XK_F32, XK_F32, {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_f32}},
        {XK_F16, XK_F16, XK_F16, {dnnl_f16, dnnl_f16, dnnl_f32, dnnl_f16}},
        {XK_U8, XK_S8, XK_S32, {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_s32}},
        {XK_U8, XK_S8, XK_S8, {dnnl_u8, dnnl_s8, dnnl_f32, dnnl_s8}},
    };
    const enum xk_conv_arg arg = f->arg;
    const char *tags[3] = {dense, dense, dense};
    tags[arg == XK_ARG_DST ? 2 : arg] = f->tag;
    for (unsigned i = 0; i < XK_COUNTOF(types); i++) {
        struct xk_conv_desc d = test_parse(problem), full;
        struct xk_conv_info info = {.size = sizeof(info)};
        dnnl_memory_desc_t md;
        d.src_type = types[i].src;
        d.wei_type = types[i].wei;
        d.dst_type = types[i].dst;
        ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
        ck_assert_int_eq(test_conv_tensors(test_ctx, &full, tags, &info),
                         XK_OK);
        ck_assert_int_eq(dnnl_memory_desc_init_by_tag(&md, n_dims, dims[arg],
                                                      types[i].dnnl[arg],
                                                      f->dnnl),
                         dnnl_success);
        compare_desc(&info.tensor[arg], &md);
    }
}

START_TEST(formats_are_where_onednn_has_them)
{
    static const dnnl_dims_t dims[XK_N_CONV_ARGS] = {
        [XK_ARG_SRC] = {2, 35, 4, 5},
        [XK_ARG_WEI] = {40, 35, 3, 2},
        [XK_ARG_DST] = {2, 40, 6, 7}};
    check_format(&formats[_i], "mb2ic35ih4iw5oc40oh6ow7kh3kw2ph2pw2", "acdb", 4,
                 dims);
}
END_TEST

START_TEST(formats_with_depth_are_where_onednn_has_them)
{
    static const dnnl_dims_t dims[XK_N_CONV_ARGS] = {
        [XK_ARG_SRC] = {2, 35, 6, 4, 5},
        [XK_ARG_WEI] = {40, 35, 2, 3, 2},
        [XK_ARG_DST] = {2, 40, 7, 6, 7}};
    check_format(&formats_3d[_i],
                 "mb2ic35id6ih4iw5oc40od7oh6ow7kd2kh3kw2pd1ph2pw2", "acdeb", 5,
                 dims);
}
END_TEST

/* Formats without a name in oneDNN: its name for the order of the outer blocks,
 * and the blocks inside, in the order of the dims except the last one's. */
static const struct unnamed {
    enum xk_conv_arg arg;
    const char *tag;
    int n_dims;
    dnnl_format_tag_t outer;
    int64_t inner[2]; /* of dims a and b; 1: none */
    int64_t taps;     /* of the last dim, between those; 0: none */
} unnamed[] = {
    {XK_ARG_SRC, "Bcda4b", 4, dnnl_bcda, {1, 4}},
    {XK_ARG_SRC, "Bcda16b", 4, dnnl_bcda, {1, 16}},
    {XK_ARG_SRC, "Bcda32b", 4, dnnl_bcda, {1, 32}},
    {XK_ARG_DST, "Bcda4b", 4, dnnl_bcda, {1, 4}},
    {XK_ARG_DST, "Bcda16b", 4, dnnl_bcda, {1, 16}},
    {XK_ARG_DST, "Bcda32b", 4, dnnl_bcda, {1, 32}},
    {XK_ARG_WEI, "ABcd64a16b", 4, dnnl_abcd, {64, 16}},
    {XK_ARG_WEI, "ABcd64a32b", 4, dnnl_abcd, {64, 32}},
    {XK_ARG_WEI, "AcDB16a4d4b", 4, dnnl_acdb, {16, 4}, 4},
    {XK_ARG_WEI, "AcDB32a4d4b", 4, dnnl_acdb, {32, 4}, 4},
    {XK_ARG_WEI, "AcDB64a4d4b", 4, dnnl_acdb, {64, 4}, 4},
    {XK_ARG_WEI, "AcDB16a8d4b", 4, dnnl_acdb, {16, 4}, 8},
    {XK_ARG_WEI, "AcDB32a8d4b", 4, dnnl_acdb, {32, 4}, 8},
    {XK_ARG_WEI, "AcDB64a8d4b", 4, dnnl_acdb, {64, 4}, 8},
    {XK_ARG_SRC, "Bcdea4b", 5, dnnl_bcdea, {1, 4}},
    {XK_ARG_SRC, "Bcdea16b", 5, dnnl_bcdea, {1, 16}},
    {XK_ARG_DST, "Bcdea32b", 5, dnnl_bcdea, {1, 32}},
    {XK_ARG_WEI, "ABcde64a16b", 5, dnnl_abcde, {64, 16}},
    {XK_ARG_WEI, "ABcde64a32b", 5, dnnl_abcde, {64, 32}},
    {XK_ARG_WEI, "AcdEB32a4e4b", 5, dnnl_acdeb, {32, 4}, 4},
    {XK_ARG_WEI, "AcdEB64a8e4b", 5, dnnl_acdeb, {64, 4}, 8},
};

/* Elements of dim i in the blocks inside. */
static int64_t inner_of(const struct unnamed *f, int i)
{
    if (i < 2)
        return f->inner[i];
    return i + 1 == f->n_dims && f->taps ? f->taps : 1;
}

/* oneDNN's description: that of the outer blocks, with blocks put inside. */
static void describe(const struct unnamed *f, const dnnl_dims_t dims,
                     dnnl_memory_desc_t *md)
{
    const int order[] = {0, f->n_dims - 1, 1}; /* of those inside */
    dnnl_dims_t outer;
    int64_t size = 1;
    for (int i = 0; i < f->n_dims; i++) {
        outer[i] = (dims[i] + inner_of(f, i) - 1) / inner_of(f, i);
        size *= inner_of(f, i);
    }
    ck_assert_int_eq(
        dnnl_memory_desc_init_by_tag(md, f->n_dims, outer, dnnl_f32, f->outer),
        dnnl_success);
    dnnl_blocking_desc_t *const b = &md->format_desc.blocking;
    for (int i = 0; i < f->n_dims; i++) {
        md->dims[i] = dims[i];
        md->padded_dims[i] = outer[i] * inner_of(f, i);
        b->strides[i] *= size;
    }
    for (int i = 0; i < 3; i++) {
        if (inner_of(f, order[i]) == 1)
            continue;
        b->inner_idxs[b->inner_nblks] = order[i];
        b->inner_blks[b->inner_nblks++] = inner_of(f, order[i]);
    }
}

/* A plain tensor of its elements' numbers, from 1 on, put into the format. */
static void reorder_numbers(const dnnl_memory_desc_t *md, int n, float *plain,
                            float *out)
{
    const dnnl_format_tag_t tag = md->ndims == 5 ? dnnl_abcde : dnnl_abcd;
    dnnl_memory_desc_t from;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_t a, b;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t prim;
    for (int i = 0; i < n; i++)
        plain[i] = (float)(i + 1);
    int bad =
        dnnl_memory_desc_init_by_tag(&from, md->ndims, md->dims, dnnl_f32, tag);
    bad = bad || dnnl_engine_create(&engine, dnnl_cpu, 0);
    ck_assert_int_eq(bad, 0);
    bad = dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) ||
          dnnl_memory_create(&a, &from, engine, plain) ||
          dnnl_memory_create(&b, md, engine, out) ||
          dnnl_reorder_primitive_desc_create(&pd, &from, engine, md, engine,
                                             NULL) ||
          dnnl_primitive_create(&prim, pd);
    ck_assert_int_eq(bad, 0);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, a}, {DNNL_ARG_TO, b}};
    bad = dnnl_primitive_execute(prim, stream, 2, args) ||
          dnnl_stream_wait(stream);
    ck_assert_int_eq(bad, 0);
    dnnl_primitive_destroy(prim);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_destroy(a);
    dnnl_memory_destroy(b);
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
}

/* Each element is where oneDNN has put it, zeros are in all padding. */
static void compare_elements(const struct xk_tensor_info *t, const float *at)
{
    const int64_t size = (int64_t)t->size_b / 4;
    int64_t number = 0, i[5] = {0}, zeros = 0;
    unsigned d = 0;
    do {
        int64_t off = 0;
        for (uint32_t k = 0; k < t->n_blocks; k++) {
            const struct xk_layout_block *const b = &t->blocks[k];
            off += i[b->dim] / b->div % b->size * b->stride;
        }
        ck_assert(off < size && at[off] == (float)++number);
        for (d = t->ndims; d-- > 0 && ++i[d] == t->dims[d];)
            i[d] = 0;
    } while (d != UINT32_MAX);
    for (int64_t k = 0; k < size; k++)
        zeros += at[k] == 0;
    ck_assert_int_eq(number + zeros, size);
}

START_TEST(formats_without_a_name_are_as_onednn_reorders_them)
{
    static const dnnl_dims_t dims[2][XK_N_CONV_ARGS] = {
        {[XK_ARG_SRC] = {3, 35, 4, 5},
         [XK_ARG_WEI] = {70, 35, 3, 2},
         [XK_ARG_DST] = {3, 70, 6, 7}},
        {[XK_ARG_SRC] = {3, 35, 6, 4, 5},
         [XK_ARG_WEI] = {70, 35, 2, 3, 2},
         [XK_ARG_DST] = {3, 70, 7, 6, 7}}};
    const struct unnamed *const f = &unnamed[_i];
    const bool depth = f->n_dims == 5;
    const char *const dense = depth ? "acdeb" : "acdb";
    const char *tags[3] = {dense, dense, dense};
    struct xk_conv_desc full;
    const struct xk_conv_desc d =
        test_parse(depth ? "mb3ic35id6ih4iw5oc70od7oh6ow7kd2kh3kw2pd1ph2pw2"
                         : "mb3ic35ih4iw5oc70oh6ow7kh3kw2ph2pw2");
    struct xk_conv_info info = {.size = sizeof(info)};
    const struct xk_tensor_info *const t = &info.tensor[f->arg];
    dnnl_memory_desc_t md;
    int n = 1;
    tags[f->arg == XK_ARG_DST ? 2 : f->arg] = f->tag;
    ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
    ck_assert_int_eq(test_conv_tensors(test_ctx, &full, tags, &info), XK_OK);
    describe(f, dims[depth][f->arg], &md);
    compare_desc(t, &md);
    for (int i = 0; i < f->n_dims; i++)
        n *= (int)dims[depth][f->arg][i];
    float *const plain = malloc(4 * (size_t)n), *const out = malloc(t->size_b);
    ck_assert(plain && out);
    memset(out, 0xff, t->size_b);
    reorder_numbers(&md, n, plain, out);
    compare_elements(t, out);
    free(plain);
    free(out);
}
END_TEST

Suite *suite_dnnl(void)
{
    Suite *const s = suite_create("conv/dnnl");
    TCase *const t = tcase_create("dnnl");
    tcase_add_checked_fixture(t, test_setup, test_teardown);
    tcase_add_loop_test(t, sizes_fit_together_where_onednn_says_so, 0, 2);
    tcase_add_loop_test(t, formats_are_where_onednn_has_them, 0,
                        XK_COUNTOF(formats));
    tcase_add_loop_test(t, formats_with_depth_are_where_onednn_has_them, 0,
                        XK_COUNTOF(formats_3d));
    tcase_add_loop_test(t, formats_without_a_name_are_as_onednn_reorders_them,
                        0, XK_COUNTOF(unnamed));
    suite_add_tcase(s, t);
    return s;
}
