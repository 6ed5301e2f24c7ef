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
    const dnnl_dims_t src = {f->mb, f->ic, f->ih, f->iw};
    const dnnl_dims_t wei = {f->oc, f->ic, f->kh, f->kw};
    const dnnl_dims_t dst = {f->mb, f->oc, f->oh, f->ow};
    const dnnl_dims_t s = {f->sh, f->sw}, d = {f->dh, f->dw};
    const dnnl_dims_t pl = {f->ph, f->pw};
    const dnnl_dims_t pr = {behind(f->ih, f->oh, f->kh, f->sh, f->dh, f->ph),
                            behind(f->iw, f->ow, f->kw, f->sw, f->dw, f->pw)};
    dnnl_memory_desc_t md[3];
    dnnl_convolution_desc_t cd;
    const dnnl_format_tag_t any = dnnl_format_tag_any;
    dnnl_memory_desc_init_by_tag(&md[0], 4, src, dnnl_f32, any);
    dnnl_memory_desc_init_by_tag(&md[1], 4, wei, dnnl_f32, any);
    dnnl_memory_desc_init_by_tag(&md[2], 4, dst, dnnl_f32, any);
    return dnnl_dilated_convolution_forward_desc_init(
               &cd, dnnl_forward_inference, dnnl_convolution_direct, &md[0],
               &md[1], NULL, &md[2], s, d, pl, pr) == dnnl_success;
}

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

static const struct {
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

/* Strides of the outer blocks, inner blocks, padding and size. */
static void compare_desc(const struct xk_tensor_info *t,
                         const dnnl_memory_desc_t *md)
{
    const dnnl_blocking_desc_t *const b = &md->format_desc.blocking;
    ck_assert_uint_eq(t->size_b, dnnl_memory_desc_get_size(md));
    ck_assert_uint_eq(t->n_blocks, 4 + (unsigned)b->inner_nblks);
    for (unsigned i = 0; i < 4; i++) {
        const struct xk_layout_block *const block = &t->blocks[i];
        ck_assert_int_eq(t->dims[i], md->dims[i]);
        ck_assert_int_eq(t->padded_dims[i], md->padded_dims[i]);
        ck_assert_int_eq(block->stride, b->strides[block->dim]);
    }
    for (int i = 0; i < b->inner_nblks; i++) {
        ck_assert_uint_eq(t->blocks[4 + i].dim, (uint32_t)b->inner_idxs[i]);
        ck_assert_int_eq(t->blocks[4 + i].size, b->inner_blks[i]);
    }
}

START_TEST(formats_are_where_onednn_has_them)
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
    const enum xk_conv_arg arg = formats[_i].arg;
    const char *tags[3] = {"acdb", "acdb", "acdb"};
    tags[arg == XK_ARG_DST ? 2 : arg] = formats[_i].tag;
    for (unsigned i = 0; i < XK_COUNTOF(types); i++) {
        struct xk_conv_desc d = test_parse(
                                "mb2ic35ih4iw5oc40oh6ow7kh3kw2ph2pw2"),
                            full;
        struct xk_conv_info info = {.size = sizeof(info)};
        dnnl_memory_desc_t md;
        d.src_type = types[i].src;
        d.wei_type = types[i].wei;
        d.dst_type = types[i].dst;
        ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
        ck_assert_int_eq(xk_conv_tensors(test_ctx, &full, tags, &info), XK_OK);
        const dnnl_dims_t dims[XK_N_CONV_ARGS] = {[XK_ARG_SRC] = {2, 35, 4, 5},
                                                  [XK_ARG_WEI] = {40, 35, 3, 2},
                                                  [XK_ARG_DST] = {2, 40, 6, 7}};
        ck_assert_int_eq(dnnl_memory_desc_init_by_tag(&md, 4, dims[arg],
                                                      types[i].dnnl[arg],
                                                      formats[_i].dnnl),
                         dnnl_success);
        compare_desc(&info.tensor[arg], &md);
    }
}
END_TEST

Suite *suite_dnnl(void)
{
    Suite *const s = suite_create("conv/dnnl");
    TCase *const t = tcase_create("dnnl");
    tcase_add_checked_fixture(t, test_setup, test_teardown);
    tcase_add_test(t, sizes_fit_together_where_onednn_says_so);
    tcase_add_loop_test(t, formats_are_where_onednn_has_them, 0,
                        XK_COUNTOF(formats));
    suite_add_tcase(s, t);
    return s;
}
