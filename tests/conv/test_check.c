/* SPDX-License-Identifier: Apache-2.0 */
/* Validation: what is refused, with which status, naming which field. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conv/conv_nest.h"
#include "tests/conv/suites.h"

static struct xk_conv_desc good_desc(void)
{
    struct xk_conv_desc d = test_parse("mb2ic16ih8iw9oc24oh8ow9kh3kw3ph1pw1");
    d.ndims = 0; /* as the sizes say, which the tests set */
    return d;
}

static enum xk_status check(const struct xk_conv_desc *d)
{
    struct xk_conv_desc full;
    xk_ctx_clear(test_ctx);
    return xk_conv_check(test_ctx, d, &full);
}

/* Check, then the tensors with these layouts for "any". */
static enum xk_status check_with(const struct xk_conv_desc *d,
                                 const char *const any[3])
{
    struct xk_conv_desc full;
    struct xk_conv_info info = {.size = sizeof(info)};
    xk_ctx_clear(test_ctx);
    const enum xk_status st = xk_conv_check(test_ctx, d, &full);
    return st == XK_OK ? test_conv_tensors(test_ctx, &full, any, &info) : st;
}

START_TEST(good_descriptor_gets_explicit_defaults)
{
    const struct xk_conv_desc d = good_desc();
    struct xk_conv_desc full;
    ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
    ck_assert_uint_eq(full.size, sizeof(full));
    ck_assert_uint_eq(full.prop, XK_FWD_B);
    ck_assert_uint_eq(full.src_type, XK_F32);
    ck_assert_uint_eq(full.wei_type, XK_F32);
    ck_assert_uint_eq(full.dst_type, XK_F32);
    ck_assert_uint_eq(full.bia_type, XK_F32);
    ck_assert_str_eq(full.wei_tag, "");
    ck_assert_int_eq(full.kw, 3);
}
END_TEST

START_TEST(a_bias_is_where_its_type_or_the_direction_says_so)
{
    static const uint32_t props[] = {XK_FWD_D, XK_FWD_I, XK_FWD_B};
    for (unsigned i = 0; i < 6; i++) {
        struct xk_conv_desc d = good_desc(), full;
        d.prop = props[i / 2];
        d.bia_type = i % 2 ? XK_F32 : XK_TYPE_DEFAULT;
        ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
        ck_assert_uint_eq(full.bia_type,
                          i % 2 || i == 4 ? XK_F32 : XK_TYPE_DEFAULT);
    }
}
END_TEST

START_TEST(output_size_0_is_deduced)
{
    struct xk_conv_desc d = good_desc(), full;
    d.oh = d.ow = 0;
    d.ph = 2;
    ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
    ck_assert_int_eq(full.oh, 10); /* 8 + 4 - 3 + 1 */
    ck_assert_int_eq(full.ow, 9);
}
END_TEST

/* o i k s d p: the padding behind is (o-1)*s + (k-1)*(d+1)+1 - i - p. */
static const struct {
    int64_t i, o, k, s, d, p;
    const char *message; /* NULL: accepted */
} windows[] = {
    {8, 8, 3, 1, 0, 1, NULL},    /* symmetric */
    {8, 9, 3, 1, 0, 1, NULL},    /* 2 behind, 1 in front */
    {8, 7, 3, 1, 0, 1, NULL},    /* none behind */
    {8, 11, 3, 1, 0, 1, NULL},   /* 4 behind: not smaller than the kernel */
    {8, 14, 3, 1, 0, 4, NULL},   /* 4 on both sides */
    {9, 4, 3, 2, 0, 0, NULL},    /* exact */
    {10, 4, 3, 2, 0, 0, NULL},   /* -1 behind: the last row is not read */
    {10, 3, 3, 2, 0, 0, "oh=3"}, /* -3 behind: room for a fourth */
    {8, 5, 3, 1, 0, 0, "oh=5"},  /* -1 behind with stride 1 */
    {8, 6, 3, 1, 0, 1, "oh=6"},
    {56, 28, 1, 2, 0, 0, NULL}, /* ResNet-50 downsampling: -1 behind */
    {5, 1, 9, 1, 0, 2, NULL},   /* 2 behind */
    {5, 1, 3, 1, 7, 6, NULL},   /* extent 17, 6 behind */
    {5, 0, 6, 1, 0, 0, "kh=6"},
    {5, 0, 3, 1, 2, 0, "kh=3"}, /* extent 7 */
    {5, 0, 3, 1, 1, 0, NULL},   /* extent 5: one output */
    {1, 1, 1, 2147483647, 0, 0, NULL},
    {5, 2147483647, 1, 2147483647, 0, 0, "oh=2147483647"},
    {5, 2, 2147483647, 2147483647, 2147483647, 2147483647, "oh=2"},
    {5, 0, 2147483647, 1, 2147483647, 2147483647, "kh=2147483647"},
    {2147483647, 0, 1, 1, 0, 2147483647, "oh="},
};

START_TEST(window_is_checked)
{
    struct xk_conv_desc d = good_desc();
    d.ih = windows[_i].i;
    d.oh = windows[_i].o;
    d.kh = windows[_i].k;
    d.sh = windows[_i].s;
    d.dh = windows[_i].d;
    d.ph = windows[_i].p;
    const enum xk_status st = check(&d);
    const char *const want = windows[_i].message;
    ck_assert_msg(st == (want ? XK_EINVAL : XK_OK), "%d: %s", _i,
                  test_ctx->error.message);
    if (want)
        ck_assert_msg(strstr(test_ctx->error.message, want) != NULL, "%s",
                      test_ctx->error.message);
}
END_TEST

/* The same rows along depth; the message names its fields. */
START_TEST(window_of_depth_is_checked)
{
    struct xk_conv_desc d = good_desc();
    d.id = windows[_i].i;
    d.od = windows[_i].o;
    d.kd = windows[_i].k;
    d.sd = windows[_i].s;
    d.dd = windows[_i].d;
    d.pd = windows[_i].p;
    const enum xk_status st = check(&d);
    char want[32] = "";
    if (windows[_i].message) {
        strcpy(want, windows[_i].message);
        want[1] = 'd';
    }
    ck_assert_msg(st == (want[0] ? XK_EINVAL : XK_OK), "%d: %s", _i,
                  test_ctx->error.message);
    ck_assert_msg(!want[0] || strstr(test_ctx->error.message, want), "%s",
                  test_ctx->error.message);
}
END_TEST

/* One field set to one value. */
#define BAD(field, value, status, text)                                        \
    do {                                                                       \
        struct xk_conv_desc d = good_desc();                                   \
        d.field = value;                                                       \
        const enum xk_status st = check(&d);                                   \
        ck_assert_msg(st == status, "%s: %d", #field, st);                     \
        ck_assert_msg(strstr(test_ctx->error.message, text) != NULL, "%s: %s", \
                      #field, test_ctx->error.message);                        \
    } while (0)

START_TEST(sizes_must_be_positive_and_below_2_31)
{
    const int64_t big = (int64_t)1 << 31;
#define SIZE(f)                                                                \
    do {                                                                       \
        BAD(f, 0, XK_EINVAL, #f "=0 must be positive");                        \
        BAD(f, -1, XK_EINVAL, #f "=-1 must be positive");                      \
        BAD(f, INT64_MIN, XK_EINVAL, #f "=-9223372036854775808");              \
        BAD(f, big, XK_EINVAL, #f "=2147483648 is above");                     \
        BAD(f, INT64_MAX, XK_EINVAL, #f "=9223372036854775807 is above");      \
    } while (0)
#define NATURAL(f)                                                             \
    do {                                                                       \
        BAD(f, -1, XK_EINVAL, #f "=-1 must not be negative");                  \
        BAD(f, big, XK_EINVAL, #f "=2147483648 is above");                     \
        BAD(f, INT64_MAX, XK_EINVAL, #f "=9223372036854775807 is above");      \
    } while (0)
    SIZE(g);
    NATURAL(mb);
    SIZE(ic);
    SIZE(oc);
    SIZE(id);
    SIZE(ih);
    SIZE(iw);
    SIZE(kd);
    SIZE(kh);
    SIZE(kw);
    SIZE(sd);
    SIZE(sh);
    SIZE(sw);
    NATURAL(od);
    NATURAL(oh);
    NATURAL(ow);
    NATURAL(dd);
    NATURAL(dh);
    NATURAL(dw);
    NATURAL(pd);
    NATURAL(ph);
    NATURAL(pw);
}
END_TEST

START_TEST(unknown_numbers_are_invalid)
{
    BAD(platform, 0, XK_EINVAL, "platform=0");
    BAD(platform, 4, XK_EINVAL, "platform=4");
    BAD(prop, 7, XK_EINVAL, "prop=7");
    BAD(src_type, 16, XK_EINVAL, "src_type=16");
    BAD(wei_type, 99, XK_EINVAL, "wei_type=99");
    BAD(dst_type, UINT32_MAX, XK_EINVAL, "dst_type=4294967295");
    BAD(bia_type, 17, XK_EINVAL, "bia_type=17");
    BAD(n_post_ops, 33, XK_EINVAL, "n_post_ops=33");
    BAD(n_post_ops, 1, XK_EINVAL, "post_ops[0].kind=0");
    BAD(scale, NAN, XK_EINVAL, "scale=");
    BAD(scale, INFINITY, XK_EINVAL, "scale=inf");
    BAD(scale, -INFINITY, XK_EINVAL, "scale=-inf");
    BAD(g, 3, XK_EINVAL, "ic=16 is not a multiple of g=3");
    BAD(g, 16, XK_EINVAL, "oc=24 is not a multiple of g=16");
}
END_TEST

START_TEST(what_contradicts_itself_is_invalid)
{
    BAD(alg, 5, XK_EINVAL, "alg=5");
    BAD(grouped, 2, XK_EINVAL, "grouped=2");
    BAD(ndims, 2, XK_EINVAL, "ndims=2");
    BAD(ndims, 6, XK_EINVAL, "ndims=6");
    BAD(ndims, 3, XK_EINVAL, "ndims=3: ih=");
    BAD(attr.math_mode, 5, XK_EINVAL, "math_mode=5");
    BAD(attr.math_integers, 2, XK_EINVAL, "math_integers=2");
    BAD(attr.acc_mode, 6, XK_EINVAL, "acc_mode=6");
    BAD(attr.deterministic, 2, XK_EINVAL, "deterministic=2");
    BAD(attr.dropout.source, XK_QUANT_MX, XK_EINVAL, "dropout.source=3");
    BAD(attr.dropout.has_offset, 2, XK_EINVAL, "dropout.has_offset=2");
    BAD(attr.rounding[XK_ARG_DST], 2, XK_EINVAL, "rounding[dst]=2");
    BAD(attr.rounding[XK_ARG_SRC], 1, XK_EINVAL, "rounding[src]=stochastic");
    BAD(attr.scale[XK_ARG_SRC].source, 5, XK_EINVAL, "scale[src].source=5");
    BAD(attr.scale[XK_ARG_BIA].source, 1, XK_EINVAL, "scale[bia].source=dev");
    BAD(attr.scale[XK_ARG_WEI].source, 3, XK_EINVAL, "scale[wei].source=mx");
    BAD(attr.zero_point[XK_ARG_DST].source, 4, XK_EINVAL,
        "zero_point[dst].source=dynamic");
}
END_TEST

START_TEST(what_is_not_implemented_says_so)
{
    BAD(mb, 0, XK_EUNSUPPORTED, "mb=0: no kernel takes");
    BAD(alg, XK_ALG_WINO, XK_EUNSUPPORTED, "computed directly with --alg=auto");
    BAD(alg, XK_ALG_DECONV_WINO, XK_EUNSUPPORTED, "alg=deconvolution_wino");
    BAD(src_type, XK_F64, XK_EUNSUPPORTED, "src_type=f64: xehpg has no");
    BAD(dst_type, XK_F64, XK_EUNSUPPORTED, "dst_type=f64: xehpg has no");
    BAD(src_type, XK_F8_E4M3, XK_EUNSUPPORTED, "src_type=f8_e4m3");
    BAD(dst_type, XK_F4_E2M1, XK_EUNSUPPORTED, "dst_type=f4_e2m1");
    BAD(wei_type, XK_U4, XK_EUNSUPPORTED, "wei_type=u4");
    BAD(attr.dropout.source, 1, XK_EUNSUPPORTED, "dropout.source=device");
    BAD(attr.acc_mode, XK_ACC_F16, XK_EUNSUPPORTED, "acc_mode=f16");
    BAD(platform, XK_PLATFORM_XELP, XK_EUNSUPPORTED, "platform=xelp");
    BAD(platform, XK_PLATFORM_XEHPC, XK_EUNSUPPORTED, "platform=xehpc");
    BAD(src_type, XK_F16, XK_EUNSUPPORTED, "src_type=f16");
    BAD(wei_type, XK_BF16, XK_EUNSUPPORTED, "wei_type=bf16");
    BAD(dst_type, XK_S4, XK_EUNSUPPORTED, "dst_type=s4");
    BAD(bia_type, XK_S4, XK_EUNSUPPORTED, "bia_type=s4");
}
END_TEST

/* A gradient's types are those of what it multiplies, and it is a sum alone. */
START_TEST(gradients_have_types_of_their_own_and_no_attributes)
{
    static const struct {
        uint32_t prop, src, wei, dst;
        const char *why; /* NULL: it is one */
    } rows[] = {
        {XK_BWD_D, XK_F32, XK_F16, XK_F16, NULL},
        {XK_BWD_D, XK_U8, XK_S8, XK_S8, NULL},
        {XK_BWD_D, XK_F16, XK_F16, XK_F32,
         "wei_type=f16 is not implemented "
         "with dst_type=f32"},
        {XK_BWD_W, XK_F16, XK_F32, XK_F16, NULL},
        {XK_BWD_WB, XK_BF16, XK_BF16, XK_BF16, NULL},
        {XK_BWD_W, XK_F32, XK_F32, XK_F16,
         "dst_type=f16 is not implemented "
         "with src_type=f32"},
        {XK_BWD_W, XK_F32, XK_F64, XK_F32, "wei_type=f64: xehpg has no"},
    };
    for (size_t i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_conv_desc d = good_desc();
        d.prop = rows[i].prop;
        d.src_type = rows[i].src;
        d.wei_type = rows[i].wei;
        d.dst_type = rows[i].dst;
        d.bia_type = XK_TYPE_DEFAULT;
        ck_assert_int_eq(check(&d), rows[i].why ? XK_EUNSUPPORTED : XK_OK);
        if (rows[i].why)
            ck_assert_msg(strstr(test_ctx->error.message, rows[i].why) != NULL,
                          "%s", test_ctx->error.message);
    }
}
END_TEST

/* dst is what the window moves over: o = (i - 1) * s + (k - 1) * (d + 1) + 1
 * - 2 * p, and padding behind is (i - 1) * s + (k - 1) * (d + 1) + 1 - o - p.
 */
static const struct {
    int64_t i, o, k, s, d, p, want; /* want: the size of dst */
    const char *message;            /* NULL: accepted */
} spreads[] = {
    {5, 0, 3, 1, 0, 1, 5, NULL},
    {4, 0, 3, 2, 0, 1, 7, NULL},
    {4, 8, 3, 2, 0, 1, 8, NULL}, /* none behind */
    {4, 9, 3, 2, 0, 1, 9, NULL}, /* -1 behind: a row that no tap reaches */
    {4, 10, 3, 2, 0, 1, 0, "ih=4 does not fit oh=10"},
    {4, 0, 3, 2, 1, 2, 7, NULL},   /* extent 5 */
    {2, 0, 3, 1, 0, 2, 0, "kh=3"}, /* 4 - 4: nothing is left */
    {2147483647, 0, 3, 2, 0, 0, 0, "oh=4294967295"},
};

START_TEST(a_deconvolution_has_its_sizes_the_other_way_round)
{
    struct xk_conv_desc d = good_desc(), full;
    d.alg = XK_ALG_DECONV_DIRECT;
    d.ih = spreads[_i].i;
    d.oh = spreads[_i].o;
    d.kh = spreads[_i].k;
    d.sh = spreads[_i].s;
    d.dh = spreads[_i].d;
    d.ph = spreads[_i].p;
    d.ow = 0;
    const char *const message = spreads[_i].message;
    ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full),
                     message ? XK_EINVAL : XK_OK);
    if (message)
        ck_assert_msg(strstr(test_ctx->error.message, message) != NULL, "%s",
                      test_ctx->error.message);
    else
        ck_assert_int_eq(full.oh, spreads[_i].want);
}
END_TEST

START_TEST(roles_are_those_of_the_direction)
{
    static const struct {
        uint32_t alg, prop, a, b, c;
    } rows[] = {
        {XK_ALG_DIRECT, XK_PROP_DEFAULT, XK_ARG_SRC, XK_ARG_WEI, XK_ARG_DST},
        {XK_ALG_DIRECT, XK_BWD_D, XK_ARG_DST, XK_ARG_WEI, XK_ARG_SRC},
        {XK_ALG_DIRECT, XK_BWD_WB, XK_ARG_SRC, XK_ARG_DST, XK_ARG_WEI},
        {XK_ALG_DECONV_DIRECT, XK_FWD_I, XK_ARG_SRC, XK_ARG_WEI, XK_ARG_DST},
        {XK_ALG_DECONV_DIRECT, XK_BWD_D, XK_ARG_DST, XK_ARG_WEI, XK_ARG_SRC},
        {XK_ALG_DECONV_DIRECT, XK_BWD_W, XK_ARG_DST, XK_ARG_SRC, XK_ARG_WEI},
    };
    for (size_t i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_conv_desc d = XK_CONV_DESC_INIT;
        d.alg = rows[i].alg;
        d.prop = rows[i].prop;
        const struct xk_conv_roles r = xk_conv_desc_roles(&d);
        ck_assert(r.a == rows[i].a && r.b == rows[i].b && r.c == rows[i].c);
    }
}
END_TEST

/* Forward has an epilogue, and zero points where integers are added up. */
START_TEST(deconvolutions_take_attributes_forward)
{
    struct xk_conv_desc d = good_desc();
    d.alg = XK_ALG_DECONV_DIRECT;
    d.oh = d.ow = 0;
    d.src_type = XK_U8;
    d.wei_type = XK_S8;
    d.scale = 2;
    d.n_post_ops = 1;
    d.post_ops[0].kind = XK_POST_RELU;
    d.attr.scale[XK_ARG_WEI].source = XK_QUANT_DEVICE;
    d.attr.zero_point[XK_ARG_DST].source = XK_QUANT_HOST;
    ck_assert_msg(check(&d) == XK_OK, "%s", test_ctx->error.message);
    d.attr.zero_point[XK_ARG_SRC].source = XK_QUANT_HOST;
    d.attr.zero_point[XK_ARG_WEI].source = XK_QUANT_DEVICE;
    ck_assert_msg(check(&d) == XK_OK, "%s", test_ctx->error.message);
    d.src_type = d.dst_type = XK_F16;
    d.wei_type = XK_F16;
    ck_assert_int_eq(check(&d), XK_EUNSUPPORTED);
    ck_assert_ptr_nonnull(
        strstr(test_ctx->error.message, "zero_point[src].source=host"));
}
END_TEST

START_TEST(gradients_refuse_attributes)
{
    struct xk_conv_desc d = good_desc();
    d.prop = XK_BWD_D;
    d.scale = 2;
    ck_assert_int_eq(check(&d), XK_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "scale=2"));
    d.scale = 0;
    d.n_post_ops = 1;
    d.post_ops[0].kind = XK_POST_RELU;
    ck_assert_int_eq(check(&d), XK_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "n_post_ops=1"));
    d.n_post_ops = 0;
    d.attr.scale[XK_ARG_WEI].source = XK_QUANT_DEVICE;
    ck_assert_int_eq(check(&d), XK_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "scale[wei]"));
}
END_TEST

/* Depth 1 all through is 2D, with or without an output size to be deduced;
 * anything else is 3D and has an output size. */
START_TEST(depth_is_what_the_sizes_say)
{
    static const struct {
        int64_t id, kd, sd, dd, pd, od, od_full;
        bool is_3d;
    } rows[] = {
        {1, 1, 1, 0, 0, 1, 1, false}, {1, 1, 1, 0, 0, 0, 1, false},
        {8, 3, 1, 0, 1, 0, 8, true},  {8, 3, 2, 0, 1, 0, 4, true},
        {9, 3, 2, 1, 0, 0, 3, true},  {1, 1, 2, 0, 0, 0, 1, true},
        {1, 1, 1, 3, 0, 0, 1, true},  {1, 1, 1, 0, 1, 0, 3, true},
        {1, 1, 1, 0, 0, 2, 2, true},  {3, 3, 1, 0, 0, 0, 1, true},
    };
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_conv_desc d = good_desc(), full;
        d.id = rows[i].id;
        d.kd = rows[i].kd;
        d.sd = rows[i].sd;
        d.dd = rows[i].dd;
        d.pd = rows[i].pd;
        d.od = rows[i].od;
        ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
        ck_assert_int_eq(full.od, rows[i].od_full);
        ck_assert(xk_conv_is_3d(&full) == rows[i].is_3d);
    }
}
END_TEST

static const struct {
    enum xk_data_type src, wei, dst;
} type_rows[] = {
    {XK_F32, XK_F32, XK_F32},    {XK_F32, XK_F32, XK_S8},
    {XK_F16, XK_F16, XK_F16},    {XK_F16, XK_F16, XK_F32},
    {XK_BF16, XK_BF16, XK_BF16}, {XK_U8, XK_S8, XK_U8},
    {XK_U8, XK_S8, XK_S32},      {XK_U8, XK_U8, XK_F16},
    {XK_S8, XK_S8, XK_F32},      {XK_S8, XK_U8, XK_BF16},
};

/* What there are kernels for: floats of one type, bytes of any two; every dst
 * and bias. */
static bool types_exist(uint32_t src, uint32_t wei)
{
    const bool bytes = src == XK_S8 || src == XK_U8;
    if (bytes)
        return wei == XK_S8 || wei == XK_U8;
    return src == wei && src != XK_S32;
}

START_TEST(types_that_go_together)
{
    struct xk_conv_desc d = good_desc();
    unsigned n_ok = 0;
    for (unsigned i = 0; i < 6 * 6 * 6 * 6; i++) {
        d.src_type = 1 + i % 6;
        d.wei_type = 1 + i / 6 % 6;
        d.dst_type = 1 + i / 36 % 6;
        d.bia_type = 1 + i / 216;
        const bool want = types_exist(d.src_type, d.wei_type);
        ck_assert_msg(check(&d) == (want ? XK_OK : XK_EUNSUPPORTED),
                      "%u %u %u %u: %s", d.src_type, d.wei_type, d.dst_type,
                      d.bia_type, test_ctx->error.message);
        n_ok += want;
    }
    ck_assert_uint_eq(n_ok, 7 * 6 * 6);
}
END_TEST

START_TEST(unsupported_type_is_named)
{
    static const struct {
        uint32_t src, wei, dst, bia;
        const char *message;
    } rows[] = {
        {XK_F8_E5M2, XK_F8_E5M2, 0, 0, "src_type=f8_e5m2"},
        {XK_S32, XK_F32, XK_F32, 0, "src_type=s32"},
        {XK_F32, XK_F16, 0, 0,
         "wei_type=f16 is not implemented with "
         "src_type=f32, only f32"},
        {XK_F16, XK_S8, 0, 0,
         "wei_type=s8 is not implemented with "
         "src_type=f16, only f16"},
        {XK_U8, 0, 0, 0,
         "wei_type=f32 is not implemented with "
         "src_type=u8, only s8, u8"},
        {XK_S8, XK_F16, 0, 0, "wei_type=f16"},
        {XK_F32, XK_F32, XK_F8_E4M3, 0,
         "dst_type=f8_e4m3 is not implemented, only f32, f16"},
        {XK_U8, XK_S8, XK_S4, 0, "dst_type=s4"},
        {XK_F16, XK_F16, 0, XK_F64, "bia_type=f64 is not implemented, only"},
        {XK_U8, XK_S8, 0, XK_F8_E5M2, "bia_type=f8_e5m2"},
    };
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_conv_desc d = good_desc();
        d.src_type = rows[i].src;
        d.wei_type = rows[i].wei;
        d.dst_type = rows[i].dst;
        d.bia_type = rows[i].bia;
        ck_assert_int_eq(check(&d), XK_EUNSUPPORTED);
        ck_assert_msg(strstr(test_ctx->error.message, rows[i].message) != NULL,
                      "%u: %s", i, test_ctx->error.message);
    }
}
END_TEST

START_TEST(dst_has_the_type_of_src_by_default)
{
    static const struct {
        enum xk_data_type src, wei, dst;
    } rows[] = {{XK_TYPE_DEFAULT, XK_TYPE_DEFAULT, XK_F32},
                {XK_F32, XK_F32, XK_F32},
                {XK_F16, XK_F16, XK_F16},
                {XK_BF16, XK_BF16, XK_BF16},
                {XK_U8, XK_S8, XK_U8}};
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_conv_desc d = good_desc(), full;
        d.src_type = rows[i].src;
        d.wei_type = rows[i].wei;
        ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
        ck_assert_uint_eq(full.dst_type, rows[i].dst);
        ck_assert_uint_eq(full.bia_type, XK_F32);
        d.prop = XK_FWD_D;
        ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
        ck_assert_uint_eq(full.bia_type, XK_TYPE_DEFAULT);
    }
}
END_TEST

START_TEST(sums_anywhere)
{
    struct xk_conv_desc d = good_desc(), full;
    d.n_post_ops = XK_MAX_POST_OPS;
    for (unsigned i = 0; i < XK_MAX_POST_OPS; i++)
        d.post_ops[i].kind = XK_POST_RELU;
    for (unsigned i = 0; i < XK_MAX_POST_OPS; i++) {
        d.post_ops[i].kind = XK_POST_SUM;
        d.post_ops[i].alpha = -2.5f;
        ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
        ck_assert(full.post_ops[i].alpha == -2.5f);
        d.post_ops[i].alpha = i % 2 ? 0.0f : -0.0f;
        ck_assert_int_eq(xk_conv_check(test_ctx, &d, &full), XK_OK);
        ck_assert(full.post_ops[i].alpha == 1.0f);
        d.post_ops[i].alpha = INFINITY;
        ck_assert_int_eq(check(&d), XK_EINVAL);
        ck_assert_ptr_nonnull(strstr(test_ctx->error.message, ".alpha=inf"));
        d.post_ops[i].alpha = 0;
        d.post_ops[i].kind = XK_POST_RELU;
        xk_ctx_clear(test_ctx);
    }
    for (unsigned i = 0; i < XK_MAX_POST_OPS; i += 3)
        d.post_ops[i].kind = XK_POST_SUM;
    ck_assert_int_eq(check(&d), XK_OK);
}
END_TEST

static const struct {
    struct xk_post_op op;
    enum xk_status status;
    const char *why;
} right_hand_sides[] = {
    {{.kind = XK_POST_ADD, .mask = 15}, XK_OK, ""},
    {{.kind = XK_POST_ADD, .mask = UINT32_MAX}, XK_OK, ""},
    {{.kind = XK_POST_ADD, .mask = 16},
     XK_EINVAL,
     "post_ops[1].mask=16: dst has 4 dims"},
    {{.kind = XK_POST_PRELU, .mask = 31},
     XK_EINVAL,
     "post_ops[1].mask=31: dst has 4 dims"},
    {{.kind = XK_POST_MUL, .type = XK_BF16, .mask = 2}, XK_OK, ""},
    {{.kind = XK_POST_MUL, .type = XK_F64, .mask = 2},
     XK_EUNSUPPORTED,
     "post_ops[1].type=f64 is not implemented, only f32"},
    {{.kind = XK_POST_MUL, .type = XK_F8_E4M3, .mask = 2},
     XK_EUNSUPPORTED,
     "post_ops[1].type=f8_e4m3 is not implemented, only"},
    {{.kind = XK_POST_SUB, .mask = 15, .tag = "aBcd16b"}, XK_OK, ""},
    {{.kind = XK_POST_SUB, .mask = 15, .tag = "axb"}, XK_OK, ""},
    {{.kind = XK_POST_SUB, .mask = 15, .tag = "abc"},
     XK_EINVAL,
     "post_ops[1].tag"},
    {{.kind = XK_POST_SUB, .mask = 15, .tag = "abcx?"},
     XK_EINVAL,
     "post_ops[1].tag"},
};

START_TEST(right_hand_sides_are_checked)
{
    struct xk_conv_desc d = good_desc();
    d.n_post_ops = 2;
    d.post_ops[0].kind = XK_POST_RELU;
    d.post_ops[1] = right_hand_sides[_i].op;
    ck_assert_int_eq(check(&d), right_hand_sides[_i].status);
    if (*right_hand_sides[_i].why)
        ck_assert_msg(strstr(test_ctx->error.message, right_hand_sides[_i].why),
                      "%s", test_ctx->error.message);
}
END_TEST

START_TEST(right_hand_side_without_end_of_its_tag_is_refused)
{
    struct xk_conv_desc d = good_desc();
    d.n_post_ops = 1;
    d.post_ops[0].kind = XK_POST_ADD;
    memset(d.post_ops[0].tag, 'a', sizeof(d.post_ops[0].tag));
    ck_assert_int_eq(check(&d), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "does not end"));
}
END_TEST

START_TEST(post_ops_have_finite_numbers_that_mean_something)
{
    static const struct {
        struct xk_post_op op;
        enum xk_status status;
        const char *why;
    } rows[] = {
        {{XK_POST_RELU, 0.5f}, XK_OK, ""},
        {{XK_POST_RELU, -0.0f}, XK_OK, ""},
        {{XK_POST_RELU, NAN}, XK_EINVAL, "post_ops[3].alpha="},
        {{XK_POST_RELU, 0, 1}, XK_EINVAL, "post_ops[3].beta=1"},
        {{XK_POST_CLIP, 2, 1}, XK_EINVAL, "post_ops[3]: clip with alpha=2"},
        {{XK_POST_CLIP, 1, INFINITY}, XK_EINVAL, "post_ops[3].beta=inf"},
        {{XK_POST_CLIP, 1, 1}, XK_OK, ""},
        {{XK_POST_RELU_DST, -1}, XK_EINVAL, "alpha is not negative"},
        {{XK_POST_ABS, 1}, XK_EINVAL, "post_ops[3].alpha=1"},
        {{XK_POST_RELU, 0, 0, 1}, XK_EINVAL, "post_ops[3].zero_point=1"},
        {{XK_POST_RELU, 0, 0, 0, XK_F32}, XK_EINVAL, "post_ops[3].type=1"},
        {{XK_POST_RELU, 0, 0, 0, 0, 2}, XK_EINVAL, "post_ops[3].mask=2"},
        {{XK_POST_SUM, 1, 0, 0, 0, 0, "a"}, XK_EINVAL, "post_ops[3].tag=a"},
        {{XK_POST_SUM, 1, 0, 0, 99}, XK_EINVAL, "post_ops[3].type=99"},
        {{0}, XK_EINVAL, "post_ops[3].kind=0"},
        {{9999}, XK_EINVAL, "post_ops[3].kind=9999"},
    };
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_conv_desc d = good_desc();
        d.n_post_ops = XK_MAX_POST_OPS;
        for (unsigned j = 0; j < XK_MAX_POST_OPS; j++)
            d.post_ops[j].kind = XK_POST_RELU;
        d.post_ops[3] = rows[i].op;
        ck_assert_int_eq(check(&d), rows[i].status);
        ck_assert_msg(strstr(test_ctx->error.message, rows[i].why) != NULL,
                      "%s", test_ctx->error.message);
    }
}
END_TEST

static const struct {
    const char *tag;
    enum xk_status src, wei;
} tag_rows[] = {
    {"", XK_OK, XK_OK},
    {"any", XK_OK, XK_OK},
    {"nhwc", XK_OK, XK_OK},
    {"ohwi", XK_OK, XK_OK},
    {"axb", XK_OK, XK_OK},
    {"acdb", XK_OK, XK_OK},
    {"Acdb16a", XK_EUNSUPPORTED, XK_OK},
    {"Acdb32a", XK_EUNSUPPORTED, XK_OK},
    {"nchw", XK_OK, XK_OK},
    {"oihw", XK_OK, XK_OK},
    {"abx", XK_OK, XK_OK},
    {"abcd", XK_OK, XK_OK},
    {"hwio", XK_EUNSUPPORTED, XK_OK},
    {"cdba", XK_EUNSUPPORTED, XK_OK},
    {"xba", XK_EUNSUPPORTED, XK_OK},
    {"aBcd16b", XK_OK, XK_EUNSUPPORTED},
    {"aBcd32b", XK_OK, XK_EUNSUPPORTED},
    {"aBx32b", XK_OK, XK_EUNSUPPORTED},
    {"aBcd4b", XK_OK, XK_EUNSUPPORTED},
    {"AcdB8a16b", XK_EUNSUPPORTED, XK_OK},
    {"AcdB8a32b", XK_EUNSUPPORTED, XK_OK},
    {"AcdB16a16b", XK_EUNSUPPORTED, XK_OK},
    {"AcdB16a32b", XK_EUNSUPPORTED, XK_OK},
    {"AcdB32a16b", XK_EUNSUPPORTED, XK_OK},
    {"AcdB32a32b", XK_EUNSUPPORTED, XK_OK},
    {"AcdB8a4b", XK_EUNSUPPORTED, XK_OK},
    {"AcdB16a4b", XK_EUNSUPPORTED, XK_OK},
    {"AcdB32a4b", XK_EUNSUPPORTED, XK_OK},
    {"AcdB16a4b4a", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"Acdb8a", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"Acdb64a", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"AcdB4a16b", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"AcdB8a8b", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"AcdB16b8a", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"ABcd8a16b", XK_EUNSUPPORTED, XK_OK},
    {"ABcd32a32b", XK_EUNSUPPORTED, XK_OK},
    {"ABcd64a16b", XK_EUNSUPPORTED, XK_OK},
    {"ABcd64a32b", XK_EUNSUPPORTED, XK_OK},
    {"ABcd16b8a2b", XK_EUNSUPPORTED, XK_OK},
    {"ABcd8a16b8a4b", XK_EUNSUPPORTED, XK_OK},
    {"ABcd3a16b8a4b", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"ABcd16b8a", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"AcDB16a4d4b", XK_EUNSUPPORTED, XK_OK},
    {"AcDB32a4d4b", XK_EUNSUPPORTED, XK_OK},
    {"AcDB64a4d4b", XK_EUNSUPPORTED, XK_OK},
    {"AcDB16a8d4b", XK_EUNSUPPORTED, XK_OK},
    {"AcDB32a8d4b", XK_EUNSUPPORTED, XK_OK},
    {"AcDB64a8d4b", XK_EUNSUPPORTED, XK_OK},
    {"AcDB8a4d4b", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"AcDB32a4d8b", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"ABcd64a4b", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"AcdB64a16b", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"Bcda4b", XK_OK, XK_EUNSUPPORTED},
    {"Bcda16b", XK_OK, XK_EUNSUPPORTED},
    {"Bcda32b", XK_OK, XK_EUNSUPPORTED},
    {"Bxa16b", XK_OK, XK_EUNSUPPORTED},
    {"Bcda8b", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"bcda", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"Bacd16b", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"Bcda16b4a", XK_EINVAL, XK_EINVAL},
    {"AcdB16b16a2b", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"aBcd8b", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"aBcd16b2b", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"bacd", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"AcdB8a", XK_EINVAL, XK_EINVAL},
    {"nhcw", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"nhcx", XK_EINVAL, XK_EINVAL},
    {"ab", XK_EINVAL, XK_EINVAL},
    {"abcde", XK_EINVAL, XK_EINVAL},
    {"%s%n", XK_EINVAL, XK_EINVAL},
};

START_TEST(tags_are_known_supported_or_refused)
{
    for (unsigned i = 0; i < XK_COUNTOF(tag_rows); i++) {
        struct xk_conv_desc d = good_desc();
        strcpy(d.src_tag, tag_rows[i].tag);
        ck_assert_msg(check(&d) == tag_rows[i].src, "src %s", tag_rows[i].tag);
        if (tag_rows[i].src != XK_OK) {
            ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "src_tag"));
            ck_assert_ptr_nonnull(
                strstr(test_ctx->error.message, tag_rows[i].tag));
        }
        d = good_desc();
        strcpy(d.dst_tag, tag_rows[i].tag);
        ck_assert_msg(check(&d) == tag_rows[i].src, "dst %s", tag_rows[i].tag);
        d = good_desc();
        strcpy(d.wei_tag, tag_rows[i].tag);
        ck_assert_msg(check(&d) == tag_rows[i].wei, "wei %s", tag_rows[i].tag);
        if (tag_rows[i].wei != XK_OK)
            ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "wei_tag"));
    }
}
END_TEST

static const struct {
    const char *tag;
    enum xk_status src, wei;
} tag_rows_3d[] = {
    {"", XK_OK, XK_OK},
    {"any", XK_OK, XK_OK},
    {"ndhwc", XK_OK, XK_OK},
    {"odhwi", XK_OK, XK_OK},
    {"axb", XK_OK, XK_OK},
    {"acdeb", XK_OK, XK_OK},
    {"ncdhw", XK_OK, XK_OK},
    {"oidhw", XK_OK, XK_OK},
    {"abx", XK_OK, XK_OK},
    {"abcde", XK_OK, XK_OK},
    {"dhwio", XK_EUNSUPPORTED, XK_OK},
    {"cdeba", XK_EUNSUPPORTED, XK_OK},
    {"xba", XK_EUNSUPPORTED, XK_OK},
    {"aBcde16b", XK_OK, XK_EUNSUPPORTED},
    {"aBcde32b", XK_OK, XK_EUNSUPPORTED},
    {"aBx32b", XK_OK, XK_EUNSUPPORTED},
    {"Acdeb16a", XK_EUNSUPPORTED, XK_OK},
    {"Acdeb32a", XK_EUNSUPPORTED, XK_OK},
    {"AcdeB8a16b", XK_EUNSUPPORTED, XK_OK},
    {"AcdeB8a32b", XK_EUNSUPPORTED, XK_OK},
    {"AcdeB16a16b", XK_EUNSUPPORTED, XK_OK},
    {"AcdeB16a32b", XK_EUNSUPPORTED, XK_OK},
    {"AcdeB32a16b", XK_EUNSUPPORTED, XK_OK},
    {"AcdeB32a32b", XK_EUNSUPPORTED, XK_OK},
    {"AcdeB32a4b", XK_EUNSUPPORTED, XK_OK},
    {"ABcde64a16b", XK_EUNSUPPORTED, XK_OK},
    {"ABcde64a32b", XK_EUNSUPPORTED, XK_OK},
    {"Bcdea4b", XK_OK, XK_EUNSUPPORTED},
    {"Bcdea16b", XK_OK, XK_EUNSUPPORTED},
    {"Bcdea32b", XK_OK, XK_EUNSUPPORTED},
    {"Bcdea8b", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"Bcda16b", XK_EINVAL, XK_EINVAL}, /* of four dims */
    {"Acdeb64a", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"aBcde8b", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"acdbe", XK_EUNSUPPORTED, XK_EUNSUPPORTED},
    {"nhwc", XK_EINVAL, XK_EINVAL}, /* of four dims */
    {"acdb", XK_EINVAL, XK_EINVAL},
    {"aBcd16b", XK_EINVAL, XK_EINVAL},
};

START_TEST(tags_of_5_dims_are_known_supported_or_refused)
{
    const struct xk_conv_desc good =
        test_parse("mb2ic16id5ih8iw9oc24kd3kh3kw2");
    for (unsigned i = 0; i < XK_COUNTOF(tag_rows_3d); i++) {
        const char *const tag = tag_rows_3d[i].tag;
        struct xk_conv_desc d = good;
        strcpy(d.src_tag, tag);
        ck_assert_msg(check(&d) == tag_rows_3d[i].src, "src %s", tag);
        if (tag_rows_3d[i].src == XK_EUNSUPPORTED)
            ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "ndhwc"));
        d = good;
        strcpy(d.dst_tag, tag);
        ck_assert_msg(check(&d) == tag_rows_3d[i].src, "dst %s", tag);
        d = good;
        strcpy(d.wei_tag, tag);
        ck_assert_msg(check(&d) == tag_rows_3d[i].wei, "wei %s", tag);
        if (tag_rows_3d[i].wei == XK_EUNSUPPORTED)
            ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "dhwio"));
    }
}
END_TEST

START_TEST(tags_of_src_and_dst_are_independent_for_every_type)
{
    static const char *const act[] = {"nhwc", "nchw", "aBcd16b", "aBcd32b",
                                      "any"};
    static const char *const wei[] = {"ohwi",    "oihw",      "hwio",
                                      "Acdb16a", "AcdB8a32b", "any"};
    static const char *const any[3] = {"aBcd32b", "AcdB32a32b", "aBcd16b"};
    for (unsigned i = 0; i < XK_COUNTOF(type_rows) * 5 * 6 * 5; i++) {
        struct xk_conv_desc d = good_desc();
        d.src_type = type_rows[i / 150].src;
        d.wei_type = type_rows[i / 150].wei;
        d.dst_type = type_rows[i / 150].dst;
        strcpy(d.src_tag, act[i % 5]);
        strcpy(d.dst_tag, act[i / 5 % 5]);
        strcpy(d.wei_tag, wei[i / 25 % 6]);
        ck_assert_msg(check_with(&d, any) == XK_OK, "%u: %s", i,
                      test_ctx->error.message);
    }
}
END_TEST

START_TEST(tag_without_end_is_refused)
{
    struct xk_conv_desc d = good_desc();
    memset(d.dst_tag, 'a', sizeof(d.dst_tag));
    ck_assert_int_eq(check(&d), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "dst_tag"));
}
END_TEST

START_TEST(tensors_above_2_gib_are_not_implemented)
{
    static const struct {
        const char *problem, *message;
        enum xk_status st;
    } rows[] = {
        /* exactly 2^31 bytes, and a row less */
        {"mb1ic512ih1024iw1024oc1kh1kw1", "src is 2147483648", XK_EUNSUPPORTED},
        {"mb1ic512ih1023iw1024oc1kh1kw1", NULL, XK_OK},
        {"mb1ic1ih1024iw1024oc512kh1kw1", "dst is 2147483648", XK_EUNSUPPORTED},
        {"mb1ic2147483647ih1oc1kh1", "src is", XK_EUNSUPPORTED},
        /* oc is padded to 32: 17 * 2^25 * 4 is above, 2^29 * 32 too */
        {"mb1ic16777216ih1oc1kh1", "wei is 2147483648", XK_EUNSUPPORTED},
        {"mb1ic16777215ih1oc1kh1", NULL, XK_OK},
        {"mb2147483647ic2147483647ih2147483647oc2147483647kh1", "src",
         XK_EINVAL}, /* overflows 2^62 bytes */
        {"mb65536ic65536ih1oc65536kh1", "src is", XK_EUNSUPPORTED},
        /* the image is small, the offsets into its padding are not */
        {"mb1ic1ih1iw4oc1oh1ow4kh2147483647kw1ph1073741823pw0", "wei is",
         XK_EUNSUPPORTED},
        {"mb1ic1ih3iw1000oc1oh1ow1000kh2kw1dh1000000ph500000pw0",
         "src with its padding", XK_EUNSUPPORTED},
        {"mb1ic1ih3iw1000oc1oh1ow1000kh1kw1sh2000000sw1ph1000000pw0",
         "src with its padding", XK_EUNSUPPORTED},
        {"mb1ic1ih3iw1000oc1oh1ow1000kh2kw1dh500000ph250000pw0", NULL, XK_OK},
        /* with depth: the same limits */
        {"mb1ic512id16ih64iw1024oc1kd1kh1kw1", "src is 2147483648",
         XK_EUNSUPPORTED},
        {"mb1ic512id16ih63iw1024oc1kd1kh1kw1", NULL, XK_OK},
        {"mb1ic1id16ih64iw1024oc512kd1kh1kw1", "dst is 2147483648",
         XK_EUNSUPPORTED},
        {"mb1ic1id3ih1iw1000oc1od1oh1ow1000kd2kh1kw1dd1000000pd500000pw0",
         "src with its padding (pd=500000", XK_EUNSUPPORTED},
        {"mb1ic1id3ih1iw1000oc1od1oh1ow1000kd1kh1kw1sd2000000pd1000000",
         "src with its padding", XK_EUNSUPPORTED},
        {"mb1ic1id3ih1iw1000oc1od1oh1ow1000kd2kh1kw1dd500000pd250000pw0", NULL,
         XK_OK},
        /* each dim alone fits, their sum does not: 4000 B a row, 4000000 B a
         * slice; 300 slices and 300000 rows are 2.4 * 10^9 */
        {"mb1ic1id1ih1000iw1000oc1od1oh1ow1000kd2kh2kw1dd299pd150dh299999"
         "ph150000pw0",
         "src with its padding", XK_EUNSUPPORTED},
    };
    static const char *const any_2d[3] = {"acdb", "Acdb32a", "acdb"};
    static const char *const any_3d[3] = {"acdeb", "Acdeb32a", "acdeb"};
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        const struct xk_conv_desc d = test_parse(rows[i].problem);
        const char *const *const any = xk_conv_is_3d(&d) ? any_3d : any_2d;
        ck_assert_msg(check_with(&d, any) == rows[i].st, "%s: %s",
                      rows[i].problem, test_ctx->error.message);
        if (rows[i].message)
            ck_assert_msg(strstr(test_ctx->error.message, rows[i].message) !=
                              NULL,
                          "%s", test_ctx->error.message);
        xk_ctx_clear(test_ctx);
    }
}
END_TEST

START_TEST(the_limit_is_in_bytes_of_the_type_and_layout)
{
    static const struct {
        const char *problem, *tag, *message; /* tag of src */
        uint32_t src, wei, dst;
    } rows[] = {
        /* 2^30 elements, and a row less */
        {"mb1ic1024ih1024oc1kh1", "nhwc", "src is 2147483648", XK_F16, XK_F16,
         XK_F16},
        {"mb1ic1024ih1023iw1024oc1kh1kw1", "nhwc", NULL, XK_F16, XK_F16,
         XK_F16},
        {"mb1ic1024ih1024oc1kh1", "nchw", NULL, XK_U8, XK_S8, XK_U8},
        {"mb1ic2048ih1024oc1kh1", "nchw", "src is 2147483648", XK_U8, XK_S8,
         XK_U8},
        {"mb1ic1ih1024oc512kh1", "nhwc", "dst is 2147483648", XK_U8, XK_S8,
         XK_S32},
        {"mb1ic1ih1024oc512kh1", "nhwc", NULL, XK_U8, XK_S8, XK_S8},
        /* 33 channels are 48 or 64 */
        {"mb1ic33ih8192iw8191oc1oh1ow1kh1kw1sh8192sw8191ph0pw0", "aBcd32b",
         "src is 4294443008 bytes (tag aBcd32b)", XK_U8, XK_S8, XK_U8},
        {"mb1ic33ih8192iw5461oc1oh1ow1kh1kw1sh8192sw5461ph0pw0", "aBcd16b",
         NULL, XK_U8, XK_S8, XK_U8},
        {"mb1ic33ih8192iw5462oc1oh1ow1kh1kw1sh8192sw5462ph0pw0", "aBcd16b",
         "src is 2147745792", XK_U8, XK_S8, XK_U8},
        /* rows of 1000 * 64 B * 33554 behind the image are 2^31 - 27648 */
        {"mb1ic64ih1iw1000oc1oh33554ow1kh1kw1ph16777pw0sw1000", "nhwc", NULL,
         XK_U8, XK_S8, XK_U8},
        {"mb1ic64ih1iw1000oc1oh33555ow1kh1kw1ph16777pw0sw1000", "nhwc",
         "src with its padding", XK_U8, XK_S8, XK_U8},
        /* the second image starts a row of 64000 B later */
        {"mb2ic64ih1iw1000oc1oh33554ow1kh1kw1ph16777pw0sw1000", "nhwc",
         "src with its padding", XK_U8, XK_S8, XK_U8},
        {"mb1ic64ih1iw1000oc1oh33555ow1kh1kw1ph16777pw0sw1000", "nchw", NULL,
         XK_U8, XK_S8, XK_U8},
        {"mb1ic64ih1iw1000oc1oh33555ow1kh1kw1ph16777pw0sw1000", "aBcd32b", NULL,
         XK_U8, XK_S8, XK_U8},
        {"mb1ic64ih1iw1000oc1oh33555ow1kh1kw1ph16777pw0sw1000", "aBcd32b",
         "src with its padding", XK_F16, XK_F16, XK_F16},
        {"mb1ic64ih1iw1000oc1oh33555ow1kh1kw1ph16777pw0sw1000", "any",
         "src with its padding", XK_F16, XK_F16, XK_F16},
    };
    static const char *const any[3] = {"aBcd32b", "acdb", "acdb"};
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_conv_desc d = test_parse(rows[i].problem);
        d.src_type = rows[i].src;
        d.wei_type = rows[i].wei;
        d.dst_type = rows[i].dst;
        strcpy(d.src_tag, rows[i].tag);
        const char *const want = rows[i].message;
        ck_assert_msg(check_with(&d, any) == (want ? XK_EUNSUPPORTED : XK_OK),
                      "%u: %s", i, test_ctx->error.message);
        if (want)
            ck_assert_msg(strstr(test_ctx->error.message, want) != NULL,
                          "%u: %s", i, test_ctx->error.message);
        xk_ctx_clear(test_ctx);
    }
}
END_TEST

START_TEST(size_field_follows_the_abi_rule)
{
    struct {
        struct xk_conv_desc d;
        unsigned char tail[16];
    } newer;
    memset(&newer, 0, sizeof(newer));
    newer.d = good_desc();
    newer.d.size = sizeof(newer);
    ck_assert_int_eq(check(&newer.d), XK_OK);
    newer.tail[15] = 1;
    ck_assert_int_eq(check(&newer.d), XK_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "desc.size="));
    newer.d.size = 0;
    ck_assert_int_eq(check(&newer.d), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "desc.size=0"));
    newer.d.size = UINT32_MAX;
    ck_assert_int_eq(check(&newer.d), XK_EINVAL);
    ck_assert_int_eq(check(NULL), XK_EINVAL);
}
END_TEST

START_TEST(shorter_descriptor_is_extended_with_zeros)
{
    const struct xk_conv_desc d = good_desc();
    const size_t size = offsetof(struct xk_conv_desc, src_tag);
    /* on the heap, so that a read behind it is seen by the sanitizer */
    struct xk_conv_desc *const old = malloc(size);
    memcpy(old, &d, size);
    memcpy(old, &(uint32_t){(uint32_t)size}, sizeof(uint32_t));
    ck_assert_int_eq(check(old), XK_OK);
    struct xk_conv_desc full;
    ck_assert_int_eq(xk_conv_check(test_ctx, old, &full), XK_OK);
    ck_assert(full.scale == 0);
    memcpy(old, &(uint32_t){12}, sizeof(uint32_t));
    ck_assert_int_eq(check(old), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(test_ctx->error.message, "g=0"));
    free(old);
}
END_TEST

/* A caller that was compiled with the first version: eight post-ops of a kind
 * and a number, then the scale. */
START_TEST(descriptor_of_the_first_version_is_understood)
{
    struct first {
        unsigned char same[offsetof(struct xk_conv_desc, post_ops)];
        struct {
            uint32_t kind;
            float alpha;
        } post_ops[8];
        float scale;
    } *const old = malloc(sizeof(struct first));
    struct xk_conv_desc d = good_desc(), full;
    d.size = 376;
    d.n_post_ops = 8;
    ck_assert_uint_eq(sizeof(struct first), 372); /* 376 with its padding */
    memcpy(old->same, &d, sizeof(old->same));
    for (unsigned i = 0; i < 8; i++) {
        old->post_ops[i].kind = i == 5 ? 2 : 1;
        old->post_ops[i].alpha = i == 5 ? 3 : 0;
    }
    old->scale = 0.25f;
    memcpy(old, &(uint32_t){372}, sizeof(uint32_t));
    ck_assert_int_eq(
        xk_conv_check(test_ctx, (const struct xk_conv_desc *)old, &full),
        XK_OK);
    ck_assert_uint_eq(full.n_post_ops, 8);
    for (unsigned i = 0; i < 8; i++) {
        ck_assert_uint_eq(full.post_ops[i].kind,
                          i == 5 ? XK_POST_SUM : XK_POST_RELU);
        ck_assert(full.post_ops[i].alpha == (i == 5 ? 3.0f : 0.0f));
    }
    ck_assert(full.scale == 0.25f);
    d.n_post_ops = 9;
    memcpy(old->same, &d, sizeof(old->same));
    memcpy(old, &(uint32_t){372}, sizeof(uint32_t));
    ck_assert_int_eq(check((const struct xk_conv_desc *)old), XK_EINVAL);
    free(old);
}
END_TEST

/* No field value crashes or overflows (UBSan watches), and what is refused has
 * a sentence. */
START_TEST(random_descriptors_get_an_answer)
{
    static const int64_t values[] = {
        0,  1,         2,        3,         7,
        16, 1 << 15,   1 << 30,  INT32_MAX, (int64_t)1 << 31,
        -1, INT64_MAX, INT64_MIN};
    unsigned seed = 3, n_ok = 0;
    for (unsigned i = 0; i < 100000; i++) {
        struct xk_conv_desc d = good_desc();
        int64_t *const fields[] = {&d.g,  &d.mb, &d.ic, &d.oc, &d.id, &d.ih,
                                   &d.iw, &d.od, &d.oh, &d.ow, &d.kd, &d.kh,
                                   &d.kw, &d.sd, &d.sh, &d.sw, &d.dd, &d.dh,
                                   &d.dw, &d.pd, &d.ph, &d.pw};
        for (unsigned j = 0; j < 3; j++)
            *fields[(unsigned)rand_r(&seed) % XK_COUNTOF(fields)] =
                values[(unsigned)rand_r(&seed) % XK_COUNTOF(values)];
        const enum xk_status st = check(&d);
        ck_assert(st == XK_OK || st == XK_EINVAL || st == XK_EUNSUPPORTED);
        ck_assert(st == XK_OK || strlen(test_ctx->error.message) > 5);
        n_ok += st == XK_OK;
    }
    ck_assert_uint_gt(n_ok, 100);
}
END_TEST

Suite *suite_check(void)
{
    Suite *const s = suite_create("conv/check");
    TCase *const t = tcase_create("check");
    tcase_add_checked_fixture(t, test_setup, test_teardown);
    tcase_add_test(t, good_descriptor_gets_explicit_defaults);
    tcase_add_test(t, a_bias_is_where_its_type_or_the_direction_says_so);
    tcase_add_test(t, output_size_0_is_deduced);
    tcase_add_loop_test(t, window_is_checked, 0, XK_COUNTOF(windows));
    tcase_add_loop_test(t, window_of_depth_is_checked, 0, XK_COUNTOF(windows));
    tcase_add_test(t, depth_is_what_the_sizes_say);
    tcase_add_test(t, tags_of_5_dims_are_known_supported_or_refused);
    tcase_add_test(t, sizes_must_be_positive_and_below_2_31);
    tcase_add_test(t, unknown_numbers_are_invalid);
    tcase_add_test(t, what_contradicts_itself_is_invalid);
    tcase_add_test(t, what_is_not_implemented_says_so);
    tcase_add_test(t, gradients_have_types_of_their_own_and_no_attributes);
    tcase_add_test(t, gradients_refuse_attributes);
    tcase_add_loop_test(t, a_deconvolution_has_its_sizes_the_other_way_round, 0,
                        XK_COUNTOF(spreads));
    tcase_add_test(t, roles_are_those_of_the_direction);
    tcase_add_test(t, deconvolutions_take_attributes_forward);
    tcase_add_test(t, types_that_go_together);
    tcase_add_test(t, unsupported_type_is_named);
    tcase_add_test(t, dst_has_the_type_of_src_by_default);
    tcase_add_test(t, sums_anywhere);
    tcase_add_loop_test(t, right_hand_sides_are_checked, 0,
                        XK_COUNTOF(right_hand_sides));
    tcase_add_test(t, right_hand_side_without_end_of_its_tag_is_refused);
    tcase_add_test(t, post_ops_have_finite_numbers_that_mean_something);
    tcase_add_test(t, tags_are_known_supported_or_refused);
    tcase_add_test(t, tags_of_src_and_dst_are_independent_for_every_type);
    tcase_add_test(t, tag_without_end_is_refused);
    tcase_add_test(t, tensors_above_2_gib_are_not_implemented);
    tcase_add_test(t, the_limit_is_in_bytes_of_the_type_and_layout);
    tcase_add_test(t, size_field_follows_the_abi_rule);
    tcase_add_test(t, shorter_descriptor_is_extended_with_zeros);
    tcase_add_test(t, descriptor_of_the_first_version_is_understood);
    tcase_add_test(t, random_descriptors_get_an_answer);
    suite_add_tcase(s, t);
    return s;
}
