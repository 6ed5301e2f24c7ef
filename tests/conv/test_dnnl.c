/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's own answers: which sizes fit together, for random geometries, and
 * where the elements of the formats lie. */
#include <dnnl.h>
#include <stdlib.h>

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
        ck_assert_int_eq(xk_conv_tensors(test_ctx, &full, tags, &info), XK_OK);
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
    suite_add_tcase(s, t);
    return s;
}
