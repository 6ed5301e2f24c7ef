/* SPDX-License-Identifier: Apache-2.0 */
/* The contraction: running it, element by element, through the views' offsets
 * and masks must give what the convolution's textbook loops give. */
#include <stdlib.h>
#include <string.h>

#include "conv/post_ops.h"
#include "tests/conv/conv_nest.h"
#include "tests/conv/suites.h"
#include "tests/views/eval.h"

static const char *const any[3] = {"acdb", "Acdb16a", "acdb"};
static const char *const any_3d[3] = {"acdeb", "Acdeb16a", "acdeb"};

struct conv {
    struct xk_conv_desc full;
    struct xk_conv_info info;
    struct xk_nest con;
};

static struct conv make_conv_of(const struct xk_conv_desc *d)
{
    struct conv v = {.info.size = sizeof(v.info)};
    xk_conv_check(test_ctx, d, &v.full);
    test_conv_tensors(test_ctx, &v.full, xk_conv_is_3d(&v.full) ? any_3d : any,
                      &v.info);
    test_conv_nest(test_ctx, &v.full, &v.info, &v.con);
    ck_assert_msg(xk_ctx_status(test_ctx) == XK_OK, "%s",
                  test_ctx->error.message);
    return v;
}

static struct conv make_conv(const char *problem, uint32_t prop)
{
    struct xk_conv_desc d = test_parse(problem);
    d.prop = prop;
    d.n_post_ops = 1;
    d.post_ops[0].kind = XK_POST_RELU;
    return make_conv_of(&d);
}

/* One operand at an index of the contraction. */
struct access {
    const xk_expr *off, *mask;
    const xk_expr *vars[XK_VIEW_MAX_DIMS];
    unsigned from[XK_VIEW_MAX_DIMS]; /* contraction index of each view dim */
    unsigned n;
};

static struct access make_access(const struct xk_nest *con,
                                 const struct xk_view *v)
{
    struct access a = {.n = v->n_dims};
    xk_facts *const f = xk_facts_create(test_ctx);
    for (unsigned i = 0; i < v->n_dims; i++) {
        for (unsigned j = 0; j < con->n_index; j++) {
            if (strcmp(con->index[j].name, v->dim[i].name) == 0)
                a.from[i] = j;
        }
        ck_assert_str_eq(con->index[a.from[i]].name, v->dim[i].name);
        ck_assert_int_eq(con->index[a.from[i]].extent, v->dim[i].extent);
        a.vars[i] = xk_var(test_ctx, xk_type_vec(XK_DT_S32, 1), "x");
        xk_facts_set(f, a.vars[i], 0, v->dim[i].extent - 1, 1, 0);
    }
    a.off = xk_view_offset_b(test_ctx, v, a.vars, f);
    a.mask = xk_view_mask(test_ctx, v, a.vars, f);
    ck_assert(a.off && a.mask);
    xk_facts_unref(f);
    return a;
}

/* Offset in bytes, -1 where masked. */
static int64_t at_b(const struct access *a, const int64_t *index)
{
    int64_t values[XK_VIEW_MAX_DIMS];
    const struct eval_env env = {a->n, 0, a->vars, values};
    for (unsigned i = 0; i < a->n; i++)
        values[i] = index[a->from[i]];
    return eval(a->mask, &env) ? eval(a->off, &env) : -1;
}

/* The same in elements of f32. */
static int64_t at(const struct access *a, const int64_t *index)
{
    const int64_t off_b = at_b(a, index);
    return off_b < 0 ? -1 : off_b / 4;
}

/* Where src, wei and dst are by the formats n[d]hwc and O[d]hwi16o. */
static void check_point(const struct xk_conv_desc *f, const struct access *a,
                        const int64_t *x)
{
    const bool d = xk_conv_is_3d(f); /* mb od oh ow oc kd kh kw ic */
    const int64_t mb = x[0], od = d ? x[1] : 0, kd = d ? x[5] : 0;
    const int64_t oh = x[d ? 2 : 1], ow = x[d ? 3 : 2], oc = x[d ? 4 : 3];
    const int64_t kh = x[d ? 6 : 4], kw = x[d ? 7 : 5], ic = x[d ? 8 : 6];
    const int64_t id = od * f->sd - f->pd + kd * (f->dd + 1);
    const int64_t ih = oh * f->sh - f->ph + kh * (f->dh + 1);
    const int64_t iw = ow * f->sw - f->pw + kw * (f->dw + 1);
    const bool inside =
        id >= 0 && id < f->id && ih >= 0 && ih < f->ih && iw >= 0 && iw < f->iw;
    const int64_t row = (mb * f->id + id) * f->ih + ih;
    const int64_t src = inside ? (row * f->iw + iw) * f->ic + ic : -1;
    const int64_t taps = (oc / 16 * f->kd + kd) * f->kh + kh;
    const int64_t wei = ((taps * f->kw + kw) * f->ic + ic) * 16 + oc % 16;
    ck_assert_int_eq(at(&a[0], x), src);
    ck_assert_int_eq(at(&a[1], x), wei);
    ck_assert_int_eq(at(&a[2], x),
                     (((mb * f->od + od) * f->oh + oh) * f->ow + ow) * f->oc +
                         oc);
    ck_assert_int_eq(at(&a[3], x), oc);
}

static bool next(const struct xk_nest *con, int64_t *x)
{
    for (unsigned i = con->n_index; i-- > 0;) {
        if (++x[i] < con->index[i].extent)
            return true;
        x[i] = 0;
    }
    return false;
}

static const char *const problems[] = {
    "mb2ic3ih5iw6oc4kh3kw2sh2sw1ph1pw1",
    "mb1ic2ih4oc20oh4kh3ph1",
    "mb1ic2ih4oc2kh3ph4",          /* padding not smaller than the kernel */
    "mb2ic1ih7iw5oc1kh2kw3dh2dw1", /* dilation */
    "mb1ic1ih6oc1oh5kh3ph0",       /* one row behind */
    "mb1ic1ih9oc3oh3kh1sh4ph0",
    "mb1ic1ih10oc3oh4kh3sh2ph0", /* the last row is not read */
    "mb3ic5ih1oc17kh1",
    "mb1ic3iw9oc4kw3pw1sw2",
    "mb2ic2id4ih3iw5oc3kd3kh2kw2sd2sh1sw2pd1ph1pw0",
    "mb1ic3id3oc18kd2pd1",
    "mb2ic1id7ih1iw3oc2od3oh2ow3kd2kh1kw2dd2dh0dw0pd0ph0pw1sd2",
    "mb1ic1id1ih2iw2oc1od3oh2ow2kd3kh1kw1pd2ph0pw0", /* mostly padding */
};

START_TEST(views_are_the_convolution)
{
    const struct conv v = make_conv(problems[_i], XK_FWD_B);
    const struct access a[] = {make_access(&v.con, &v.con.a.view),
                               make_access(&v.con, &v.con.b.view),
                               make_access(&v.con, &v.con.c.view),
                               make_access(&v.con, &v.con.input[0].view)};
    int64_t x[XK_VIEW_MAX_DIMS] = {0};
    ck_assert_uint_eq(v.con.n_index, xk_conv_is_3d(&v.full) ? 9 : 7);
    do {
        check_point(&v.full, a, x);
    } while (next(&v.con, x));
}
END_TEST

/* Bytes of an element by its layout, which tests/layout knows. */
static int64_t by_layout(const struct xk_view *v, int64_t a, int64_t b,
                         int64_t h, int64_t w)
{
    const int64_t i[] = {a, b, h, w};
    return xk_layout_offset_e(&v->layout, i) * xk_dtype_b(v->layout.dt);
}

static const struct {
    const char *src, *wei, *dst;
    uint32_t src_type, wei_type, dst_type;
} layouts[] = {
    {"nchw", "oihw", "nchw", XK_F32, XK_F32, XK_F32},
    {"nchw", "hwio", "nhwc", XK_F16, XK_F16, XK_F16},
    {"nhwc", "AcdB8a16b", "nchw", XK_F16, XK_F16, XK_F32},
    {"aBcd16b", "AcdB32a16b", "aBcd16b", XK_F16, XK_F16, XK_F16},
    {"aBcd32b", "AcdB8a32b", "aBcd16b", XK_U8, XK_S8, XK_S8},
    {"nhwc", "AcdB16a32b", "aBcd32b", XK_U8, XK_S8, XK_S32},
    {"aBcd32b", "ohwi", "nhwc", XK_U8, XK_S8, XK_U8},
    {"Bcda16b", "ABcd64a16b", "Bcda16b", XK_F16, XK_F16, XK_F16},
    {"Bcda32b", "ABcd64a32b", "nhwc", XK_U8, XK_S8, XK_S8},
    {"nhwc", "ohwi", "Bcda16b", XK_F16, XK_F16, XK_F32},
    {"nchw", "ABcd32a16b", "Bcda4b", XK_F16, XK_F16, XK_F16},
    {"Bcda4b", "AcdB16a4b", "nchw", XK_U8, XK_S8, XK_U8},
};

/* Where an index is, whatever the order of M. */
static int64_t at_index(const struct xk_nest *con, const int64_t *x,
                        const char *name)
{
    for (unsigned i = 0; i < con->n_index; i++) {
        if (strcmp(con->index[i].name, name) == 0)
            return x[i];
    }
    ck_abort_msg("no index %s", name);
    return 0;
}

/* The image, also where M has them in blocks. */
static int64_t image_of(const struct xk_nest *con, const int64_t *x)
{
    for (unsigned i = 0; i < con->n_index; i++)
        if (strcmp(con->index[i].name, "mbi") == 0)
            return at_index(con, x, "mbo") * con->index[i].extent + x[i];
    return at_index(con, x, "mb");
}

static void follow(const char *problem, unsigned row)
{
    struct xk_conv_desc d = test_parse(problem);
    d.src_type = layouts[row].src_type;
    d.wei_type = layouts[row].wei_type;
    d.dst_type = layouts[row].dst_type;
    strcpy(d.src_tag, layouts[row].src);
    strcpy(d.wei_tag, layouts[row].wei);
    strcpy(d.dst_tag, layouts[row].dst);
    const struct conv v = make_conv_of(&d);
    const struct xk_nest *const con = &v.con;
    const struct access src = make_access(con, &con->a.view);
    const struct access wei = make_access(con, &con->b.view);
    const struct access dst = make_access(con, &con->c.view);
    int64_t x[XK_VIEW_MAX_DIMS] = {0};
    do {
        const int64_t mb = image_of(con, x), oc = at_index(con, x, "oc");
        const int64_t oh = at_index(con, x, "oh"), ow = at_index(con, x, "ow");
        const int64_t kh = at_index(con, x, "kh"), kw = at_index(con, x, "kw");
        const int64_t ic = at_index(con, x, "ic");
        const int64_t ih = oh * 2 - 1 + kh, iw = ow - 1 + kw;
        const bool inside = ih >= 0 && ih < 4 && iw >= 0 && iw < 5;
        ck_assert_int_eq(at_b(&src, x),
                         inside ? by_layout(&con->a.view, mb, ic, ih, iw) : -1);
        ck_assert_int_eq(at_b(&wei, x),
                         by_layout(&con->b.view, oc, ic, kh, kw));
        ck_assert_int_eq(at_b(&dst, x),
                         by_layout(&con->c.view, mb, oc, oh, ow));
    } while (next(con, x));
}

START_TEST(views_follow_layouts_and_types)
{
    follow("mb2ic18ih4iw5oc17oh3kh3kw2sh2sw1ph1pw1", (unsigned)_i);
    /* Inside the pixels, and with padding, in blocks of 8 before the next
     * pixel. */
    follow("mb24ic3ih4iw5oc2oh3kh3kw2sh2sw1ph1pw1", (unsigned)_i);
}
END_TEST

/* Layouts of packed taps, T of a line; kw is less than two groups of them. */
static const struct {
    const char *problem, *src, *wei;
    uint32_t src_type, wei_type;
    int64_t taps;
} packed[] = {
    {"mb2ic3ih4iw9oc17oh3kh2kw7sh2sw1ph1pw3", "Bcda4b", "AcDB32a4d4b", XK_F16,
     XK_F16, 4},
    {"mb2ic1ih4iw9oc17oh3kh2kw5sh2sw2dh0dw1ph1pw3", "Bcda4b", "AcDB16a4d4b",
     XK_F16, XK_F16, 4},
    {"mb3ic4ih3iw5oc33oh3kh1kw7sh1sw1ph0pw1", "Bcda4b", "AcDB64a8d4b", XK_U8,
     XK_S8, 8},
    {"mb3ic2ih3iw5oc33oh3kh3kw2sh1sw1ph1pw1", "aBcd4b", "AcDB16a8d4b", XK_U8,
     XK_S8, 8},
    {"mb2ic3ih4iw9oc17oh3kh2kw7sh2sw1ph1pw3", "nhwc", "AcDB32a4d4b", XK_F16,
     XK_F16, 4},
    {"mb2ic1ih4iw9oc17oh3kh2kw7sh2sw1ph1pw3", "nchw", "AcDB32a8d4b", XK_U8,
     XK_S8, 8},
};

/* Group kw, k = 4 * tap + channel. Behind the last tap src is masked, and wei
 * is in its padding; so is a channel behind the last one, of both, or src is
 * masked where it has no padding. */
START_TEST(packed_taps_are_those_of_the_filter)
{
    struct xk_conv_desc d = test_parse(packed[_i].problem);
    d.src_type = d.dst_type = packed[_i].src_type;
    d.wei_type = packed[_i].wei_type;
    strcpy(d.src_tag, packed[_i].src);
    strcpy(d.wei_tag, packed[_i].wei);
    struct conv v = make_conv_of(&d);
    struct xk_nest *const con = &v.con;
    const struct xk_conv_desc *const f = &v.full;
    const int64_t taps = packed[_i].taps;
    ck_assert_int_eq(xk_nest_pack(test_ctx, con, 4 * taps), XK_OK);
    ck_assert_uint_eq(con->place_e, 4);
    ck_assert_int_eq(con->used_e, con->a.view.layout.padded[1]);
    const struct access src = make_access(con, &con->a.view);
    const struct access wei = make_access(con, &con->b.view);
    int64_t x[XK_VIEW_MAX_DIMS] = {0}, n_taps = 0;
    do {
        const int64_t k = at_index(con, x, "ic"), kh = at_index(con, x, "kh");
        const int64_t kw = at_index(con, x, "kw") * taps + k / 4, ic = k % 4;
        const int64_t ih = at_index(con, x, "oh") * f->sh - f->ph + kh;
        const int64_t iw =
            at_index(con, x, "ow") * f->sw - f->pw + kw * (f->dw + 1);
        const bool inside = kw < f->kw && ih >= 0 && ih < f->ih && iw >= 0 &&
                            iw < f->iw && ic < con->used_e;
        ck_assert_int_eq(
            at_b(&src, x),
            inside ? by_layout(&con->a.view, at_index(con, x, "mb"), ic, ih, iw)
                   : -1);
        if (kw < f->kw)
            ck_assert_int_eq(
                at_b(&wei, x),
                by_layout(&con->b.view, at_index(con, x, "oc"), ic, kh, kw));
        n_taps += k % 4 == 0;
    } while (next(con, x));
    ck_assert_int_eq(n_taps % taps, 0);
}
END_TEST

START_TEST(unpadded_channels_are_not_packed)
{
    static const struct {
        const char *src, *wei;
    } rows[] = {{"aBcd16b", "AcDB32a4d4b"},
                {"Bcda4b", "ohwi"},
                {"nhwc", "ohwi"},
                {"Bcda16b", "AcDB32a4d4b"}};
    struct xk_conv_desc d = test_parse("mb8ic3ih9oc32kh5ph2");
    d.src_type = d.wei_type = d.dst_type = XK_F16;
    strcpy(d.src_tag, rows[_i].src);
    strcpy(d.wei_tag, rows[_i].wei);
    struct conv v = make_conv_of(&d);
    ck_assert_int_eq(xk_nest_pack(test_ctx, &v.con, 16), XK_ENOFIT);
    xk_ctx_clear(test_ctx);
}
END_TEST

START_TEST(indices_have_their_roles)
{
    static const struct {
        const char *name;
        int64_t extent;
        enum xk_role role;
    } rows[] = {{"mb", 2, XK_ROLE_M}, {"oh", 3, XK_ROLE_M},
                {"ow", 7, XK_ROLE_M}, {"oc", 4, XK_ROLE_N},
                {"kh", 3, XK_ROLE_K}, {"kw", 2, XK_ROLE_K},
                {"ic", 3, XK_ROLE_K}};
    const struct conv v = make_conv(problems[0], XK_FWD_B);
    ck_assert_uint_eq(v.con.n_index, XK_COUNTOF(rows));
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        ck_assert_str_eq(v.con.index[i].name, rows[i].name);
        ck_assert_int_eq(v.con.index[i].extent, rows[i].extent);
        ck_assert_int_eq(v.con.index[i].role, rows[i].role);
    }
}
END_TEST

START_TEST(indices_of_depth_are_outermost_of_their_kind)
{
    static const struct {
        const char *name;
        int64_t extent;
        enum xk_role role;
    } rows[] = {
        {"mb", 2, XK_ROLE_M}, {"od", 4, XK_ROLE_M}, {"oh", 3, XK_ROLE_M},
        {"ow", 7, XK_ROLE_M}, {"oc", 6, XK_ROLE_N}, {"kd", 3, XK_ROLE_K},
        {"kh", 2, XK_ROLE_K}, {"kw", 1, XK_ROLE_K}, {"ic", 5, XK_ROLE_K}};
    const struct conv v =
        make_conv("mb2ic5id8ih4iw7oc6kd3kh2kw1sd2pd1", XK_FWD_B);
    ck_assert_uint_eq(v.con.n_index, XK_COUNTOF(rows));
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        ck_assert_str_eq(v.con.index[i].name, rows[i].name);
        ck_assert_int_eq(v.con.index[i].extent, rows[i].extent);
        ck_assert_int_eq(v.con.index[i].role, rows[i].role);
    }
}
END_TEST

/* Images inside the pixels of src are M's innermost index, so that rows which
 * follow each other are neighbours in memory; likewise where channels are
 * innermost and eight images of a pixel meet padding together. dst's layout
 * decides nothing. */
static const struct {
    const char *problem, *src, *dst, *order;
} orders[] = {
    {"mb3ic18ih5oc17kh3ph1", "Bcda16b", "nhwc", "oh ow mb oc kh kw ic "},
    {"mb3ic18ih5oc17kh3ph1", "Bcda4b", "Bcda16b", "oh ow mb oc kh kw ic "},
    {"mb1ic18ih5oc17kh3ph1", "Bcda32b", "nchw", "oh ow mb oc kh kw ic "},
    {"mb3ic18ih5oc17kh3ph1", "nhwc", "Bcda16b", "mb oh ow oc kh kw ic "},
    {"mb3ic18ih5oc17kh3ph1", "nchw", "Bcda32b", "mb oh ow oc kh kw ic "},
    {"mb3ic18ih5oc17kh3ph1", "aBcd16b", "nhwc", "mb oh ow oc kh kw ic "},
    {"mb8ic32ih5oc17kh3ph1", "nhwc", "nchw", "oh ow mb oc kh kw ic "},
    {"mb8ic18ih5oc17kh3ph1", "nhwc", "nchw", "oh ow mb oc kh kw ic "},
    {"mb8ic17ih5oc17kh3ph1", "nhwc", "nchw",
     "mb oh ow oc kh kw ic "}, /* no whole dwords */
    {"mb8ic14ih5oc17kh3ph1", "nhwc", "nchw",
     "mb oh ow oc kh kw ic "}, /* less than a step */
    {"mb8ic3ih5oc17kh3ph1", "nhwc", "nhwc", "mb oh ow oc kh kw ic "},
    {"mb12ic18ih5oc17kh3ph1", "nhwc", "nhwc", "mb oh ow oc kh kw ic "},
    {"mb8ic18ih5oc17kh3", "nhwc", "Bcda16b", "mb oh ow oc kh kw ic "},
    {"mb8ic32ih5iw6oc17kh3kw3ph0pw1", "nhwc", "Bcda16b",
     "mb oh ow oc kh kw ic "}, /* no line is beside */
    {"mb8ic32ih1iw6oc17kh1kw3ph0pw1", "nhwc", "Bcda16b",
     "oh ow mb oc kh kw ic "},
    {"mb8ic18ih5oc17kh3ph1", "nchw", "Bcda16b", "mb oh ow oc kh kw ic "},
    {"mb8ic18ih5oc17kh3ph1", "aBcd16b", "nhwc", "mb oh ow oc kh kw ic "},
    {"mb16ic32id4ih5iw6oc17kd3kh2kw1pd1", "ndhwc", "ndhwc",
     "od oh ow mb oc kd kh kw ic "},
    {"mb3ic18id4ih5iw6oc17kd3kh2kw1", "Bcdea16b", "ndhwc",
     "od oh ow mb oc kd kh kw ic "},
    {"mb3ic18id4ih5iw6oc17kd3kh2kw1", "Bcdea32b", "Bcdea4b",
     "od oh ow mb oc kd kh kw ic "},
    {"mb3ic18id4ih5iw6oc17kd3kh2kw1", "aBcde16b", "Bcdea16b",
     "mb od oh ow oc kd kh kw ic "},
    /* In blocks where taps of a line read what neighbours do. */
    {"mb16ic18ih5oc17kh3ph1", "Bcda16b", "nhwc", "oh mbo ow mbi oc kh kw ic "},
    {"mb32ic18ih5oc17kh3ph1", "Bcda16b", "nhwc", "oh mbo ow mbi oc kh kw ic "},
    {"mb24ic32ih5oc17kh3ph1", "nhwc", "nchw", "oh mbo ow mbi oc kh kw ic "},
    {"mb12ic18ih5oc17kh3ph1", "Bcda16b", "nhwc", "oh ow mb oc kh kw ic "},
    {"mb32ic18ih5oc17kh3ph1", "nchw", "nchw", "mb oh ow oc kh kw ic "},
    {"mb32ic18ih5oc17kh1", "Bcda16b", "nhwc", "oh ow mb oc kh kw ic "},
    {"mb32ic18ih5iw9oc17kh3kw3sw2ph1pw1", "Bcda16b", "nhwc",
     "oh ow mb oc kh kw ic "},
    {"mb32ic18ih5iw9oc17kh3kw3sw2dw1ph1pw2", "Bcda16b", "nhwc",
     "oh mbo ow mbi oc kh kw ic "},
};

START_TEST(images_are_innermost_of_m_where_rows_gain_by_it)
{
    for (unsigned i = 0; i < XK_COUNTOF(orders); i++) {
        struct xk_conv_desc d = test_parse(orders[i].problem);
        char order[64] = "";
        d.src_type = d.wei_type = d.dst_type = XK_F16;
        strcpy(d.src_tag, orders[i].src);
        strcpy(d.dst_tag, orders[i].dst);
        const struct conv v = make_conv_of(&d);
        for (unsigned k = 0; k < v.con.n_index; k++)
            strcat(strcat(order, v.con.index[k].name), " ");
        ck_assert_str_eq(order, orders[i].order);
        /* Rows of a pixel: one block of channels apart. */
        int64_t stride_b = 0, run = 0;
        if (strncmp(orders[i].src, "Bc", 2) != 0 || v.full.mb == 1)
            continue;
        const char *const images = strstr(order, "mbi") ? "mbi" : "mb";
        ck_assert(
            xk_view_stride_b(test_ctx, &v.con.a.view, images, &stride_b, &run));
        ck_assert_int_eq(stride_b,
                         2 * atoi(strpbrk(orders[i].src, "0123456789")));
        ck_assert_int_ge(run, 3);
    }
}
END_TEST

START_TEST(epilogue_is_bias_then_relu)
{
    const struct conv b = make_conv(problems[0], XK_FWD_B);
    ck_assert_uint_eq(b.con.n_inputs, 1);
    ck_assert_str_eq(b.con.input[0].name, "bia");
    ck_assert_uint_eq(b.con.input[0].arg, XK_ARG_BIA);
    ck_assert_uint_eq(b.con.n_epi, 2);
    ck_assert_uint_eq(b.con.epi[0].kind, XK_EPI_ADD);
    ck_assert_uint_eq(b.con.epi[0].input, 0);
    ck_assert_uint_eq(b.con.epi[1].kind, XK_EPI_RELU);
    const struct conv d = make_conv(problems[0], XK_FWD_D);
    ck_assert_uint_eq(d.con.n_inputs, 0);
    ck_assert_uint_eq(d.con.n_epi, 1);
    ck_assert_uint_eq(d.con.epi[0].kind, XK_EPI_RELU);
    ck_assert_uint_eq(d.con.a.arg, XK_ARG_SRC);
    ck_assert_uint_eq(d.con.b.arg, XK_ARG_WEI);
    ck_assert_uint_eq(d.con.c.arg, XK_ARG_DST);
    ck_assert_int_eq(d.con.acc_dt, XK_DT_F32);
}
END_TEST

START_TEST(scale_stands_between_bias_and_post_ops)
{
    static const struct {
        uint32_t prop;
        float scale;
        const char *post_ops;
        unsigned n_epi;
        struct xk_epi_op epi[5];
    } rows[] = {
        {XK_FWD_D, 0, "", 0, {{0}}},
        {XK_FWD_D, -0.0f, "", 0, {{0}}},
        {XK_FWD_B, 0.5f, "", 2, {{XK_EPI_ADD}, {XK_EPI_LINEAR, 0, 0.5f}}},
        {XK_FWD_D, -2, "sum", 2, {{XK_EPI_LINEAR, 0, -2}, {XK_EPI_SUM, 0, 1}}},
        {XK_FWD_B,
         3,
         "relu:0.125+sum:0.25:-3+clip:-1:2",
         5,
         {{XK_EPI_ADD},
          {XK_EPI_LINEAR, 0, 3},
          {XK_EPI_RELU, 0, 0.125f},
          {XK_EPI_SUM, 0, 0.25f, 0, -3},
          {XK_EPI_CLIP, 0, -1, 2}}},
    };
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_conv_desc d = test_parse(problems[0]);
        d.prop = rows[i].prop;
        d.src_type = d.wei_type = XK_S8; /* for the zero point */
        d.scale = rows[i].scale;
        ck_assert_int_eq(xk_conv_parse_post_ops(test_ctx, rows[i].post_ops,
                                                d.post_ops, &d.n_post_ops),
                         XK_OK);
        const struct conv v = make_conv_of(&d);
        ck_assert_uint_eq(v.con.n_epi, rows[i].n_epi);
        for (unsigned j = 0; j < v.con.n_epi; j++) {
            ck_assert_uint_eq(v.con.epi[j].kind, rows[i].epi[j].kind);
            ck_assert_uint_eq(v.con.epi[j].input, 0);
            ck_assert(v.con.epi[j].alpha == rows[i].epi[j].alpha);
            ck_assert(v.con.epi[j].beta == rows[i].epi[j].beta);
            ck_assert(v.con.epi[j].zero == rows[i].epi[j].zero);
        }
    }
}
END_TEST

/* Scales of src and weights, bias, post-ops, scale and zero point of dst. */
START_TEST(scales_stand_around_bias_and_post_ops)
{
    static const struct {
        uint8_t kind, arg;
    } want[] = {{XK_EPI_MUL, XK_ARG_SCALE + XK_ARG_SRC},
                {XK_EPI_MUL, XK_ARG_SCALE + XK_ARG_WEI},
                {XK_EPI_ADD, XK_ARG_BIA},
                {XK_EPI_RELU, 0},
                {XK_EPI_MUL, XK_ARG_SCALE + XK_ARG_DST},
                {XK_EPI_ADD, XK_ARG_ZERO_POINT + XK_ARG_DST}};
    struct xk_conv_desc d = test_parse(problems[0]);
    struct xk_quant *const scale = d.attr.scale;
    d.n_post_ops = 1;
    d.post_ops[0].kind = XK_POST_RELU;
    scale[XK_ARG_SRC].source = scale[XK_ARG_DST].source = XK_QUANT_HOST;
    scale[XK_ARG_WEI] = (struct xk_quant){.source = XK_QUANT_DEVICE, .mask = 1};
    d.attr.zero_point[XK_ARG_DST].source = XK_QUANT_DEVICE;
    const struct conv v = make_conv_of(&d);
    ck_assert_uint_eq(v.con.n_epi, XK_COUNTOF(want));
    for (unsigned i = 0; i < XK_COUNTOF(want); i++) {
        const struct xk_epi_op *const op = &v.con.epi[i];
        ck_assert_uint_eq(op->kind, want[i].kind);
        if (!xk_epi_reads_rhs(op))
            continue;
        const struct xk_operand_view *const a = &v.con.input[op->input];
        ck_assert_uint_eq(a->arg, want[i].arg);
        ck_assert(a->inverse == (want[i].arg == XK_ARG_SCALE + XK_ARG_DST));
        ck_assert(a->by_value == (want[i].arg == XK_ARG_SCALE + XK_ARG_SRC ||
                                  want[i].arg == XK_ARG_SCALE + XK_ARG_DST));
    }
}
END_TEST

START_TEST(the_longest_epilogue_fits)
{
    struct xk_conv_desc d = test_parse(problems[0]);
    d.scale = 2;
    d.attr.scale[XK_ARG_SRC].source = d.attr.scale[XK_ARG_WEI].source =
        d.attr.scale[XK_ARG_DST].source = d.attr.zero_point[XK_ARG_DST].source =
            d.attr.zero_point[XK_ARG_SRC].source =
                d.attr.zero_point[XK_ARG_WEI].source = XK_QUANT_DEVICE;
    d.src_type = XK_U8;
    d.wei_type = XK_S8;
    d.n_post_ops = XK_MAX_POST_OPS;
    for (unsigned i = 0; i < XK_MAX_POST_OPS; i++)
        d.post_ops[i].kind = i == 4 ? XK_POST_SUM : XK_POST_MUL;
    const struct conv v = make_conv_of(&d);
    ck_assert_uint_eq(v.con.n_epi, XK_MAX_EPI);
    ck_assert_uint_eq(v.con.n_inputs, XK_MAX_INPUTS - 1); /* none of the sum */
    ck_assert_uint_eq(v.con.epi[10].kind, XK_EPI_SUM);
    ck_assert_uint_eq(v.con.epi[37].kind, XK_EPI_MUL);
    ck_assert_uint_eq(v.con.epi[37].input, 35);
    ck_assert_uint_eq(v.con.input[35].arg, XK_ARG_RHS + 31);
}
END_TEST

START_TEST(accumulator_and_operands_have_their_types)
{
    static const struct {
        uint32_t src, wei, dst;
        enum xk_dtype a, b, c, acc;
    } rows[] = {
        {XK_F32, XK_F32, XK_F32, XK_DT_F32, XK_DT_F32, XK_DT_F32, XK_DT_F32},
        {XK_F16, XK_F16, XK_F16, XK_DT_F16, XK_DT_F16, XK_DT_F16, XK_DT_F32},
        {XK_F16, XK_F16, XK_F32, XK_DT_F16, XK_DT_F16, XK_DT_F32, XK_DT_F32},
        {XK_U8, XK_S8, XK_F32, XK_DT_U8, XK_DT_S8, XK_DT_F32, XK_DT_S32},
        {XK_U8, XK_S8, XK_S8, XK_DT_U8, XK_DT_S8, XK_DT_S8, XK_DT_S32},
    };
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_conv_desc d = test_parse(problems[0]);
        d.src_type = rows[i].src;
        d.wei_type = rows[i].wei;
        d.dst_type = rows[i].dst;
        const struct conv v = make_conv_of(&d);
        ck_assert_int_eq(v.con.a.view.layout.dt, rows[i].a);
        ck_assert_int_eq(v.con.b.view.layout.dt, rows[i].b);
        ck_assert_int_eq(v.con.c.view.layout.dt, rows[i].c);
        ck_assert_int_eq(v.con.acc_dt, rows[i].acc);
        ck_assert_int_eq(v.con.input[0].view.layout.dt, XK_DT_F32);
    }
}
END_TEST

START_TEST(scale_and_sum_print)
{
    struct xk_conv_desc d = test_parse(problems[0]);
    struct xk_str s;
    d.prop = XK_FWD_D;
    d.src_type = XK_U8;
    d.wei_type = XK_S8;
    d.scale = 0.125f;
    d.n_post_ops = 1;
    d.post_ops[0] = (struct xk_post_op){.kind = XK_POST_SUM, .alpha = 2};
    const struct conv v = make_conv_of(&d);
    xk_str_init(&s, NULL);
    xk_nest_print(&v.con, &s);
    ck_assert_ptr_nonnull(
        strstr(xk_str_get(&s), "contraction, accumulated in s32\n"));
    ck_assert_ptr_nonnull(strstr(xk_str_get(&s), "epilogue 0: linear 0.125 0\n"
                                                 "epilogue 1: sum 2\n"));
    xk_str_fini(&s);
}
END_TEST

START_TEST(masks_only_where_padding_is_read)
{
    static const struct {
        const char *problem;
        unsigned n_masks;
    } rows[] = {
        {"ic64ih56oc64kh1", 0}, /* 1x1 */
        {"ic64ih56oc64kh1sh2", 0},
        {"ic3ih224oc64kh7sh2", 0}, /* valid */
        {"ic64ih56oc64kh3ph1", 4},
        {"ic64ih56iw9oc64kh3kw3ph1", 2}, /* only h */
        {"ic8ih32oc8oh32kh2", 2},        /* only behind */
        /* ResNet-50 conv1: rows -3..226 of 224, padding behind 2 */
        {"ic3ih224oc64oh112kh7sh2ph3", 4},
        {"ic8id8oc8kd3", 0}, /* as 3D U-Net */
        {"ic8id8ih8iw8oc8kd3kh3kw3pd1ph0pw0", 2},
        {"ic8id8oc8kd3pd1", 6},
    };
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        const struct conv v = make_conv(rows[i].problem, XK_FWD_D);
        ck_assert_msg(v.con.a.view.n_masks == rows[i].n_masks, "%s: %u",
                      rows[i].problem, v.con.a.view.n_masks);
        ck_assert_uint_eq(v.con.b.view.n_masks, 0);
        ck_assert_uint_eq(v.con.c.view.n_masks, 0);
    }
}
END_TEST

START_TEST(contraction_prints)
{
    const struct conv v = make_conv("mb1ic3ih4oc8kh3ph1", XK_FWD_B);
    struct xk_str s;
    xk_str_init(&s, NULL);
    xk_nest_print(&v.con, &s);
    ck_assert_str_eq(
        xk_str_get(&s),
        "contraction, accumulated in f32\n"
        "index mb: 1, M\nindex oh: 4, M\nindex ow: 4, M\nindex oc: 8, N\n"
        "index kh: 3, K\nindex kw: 3, K\nindex ic: 3, K\n"
        "A: argument 0, view src (mb:1, ic:3, oh:4, kh:3, ow:4, kw:3)\n"
        "  layout f32[1, 3, 4, 4] acdb: 1a*48 4c*12 4d*3 3b*1, 192 B\n"
        "  a = mb\n  b = ic\n  c = oh + kh - 1\n  d = ow + kw - 1\n"
        "  mask oh + kh - 1 >= 0\n  mask oh + kh - 1 < 4\n"
        "  mask ow + kw - 1 >= 0\n  mask ow + kw - 1 < 4\n"
        "B: argument 1, view wei (oc:8, ic:3, kh:3, kw:3)\n"
        "  layout f32[8(16), 3, 3, 3] Acdb16a: 1a*432 3c*144 3d*48 3b*16 "
        "16a*1, 1728 B\n"
        "  a = oc\n  b = ic\n  c = kh\n  d = kw\n"
        "C: argument 3, view dst (mb:1, oc:8, oh:4, ow:4)\n"
        "  layout f32[1, 8, 4, 4] acdb: 1a*128 4c*32 4d*8 8b*1, 512 B\n"
        "  a = mb\n  b = oc\n  c = oh\n  d = ow\n"
        "input: argument 2, view bia (oc:8)\n"
        "  layout f32[8] a: 8a*1, 32 B\n"
        "  a = oc\n"
        "epilogue 0: add bia\nepilogue 1: relu 0\n");
    xk_str_fini(&s);
}
END_TEST

struct failing {
    unsigned left;
};

static void *fail_realloc(void *user, void *p, size_t n_b)
{
    struct failing *const f = user;
    if (n_b && f->left == 0)
        return NULL;
    f->left -= n_b != 0;
    return xk_alloc_default.realloc(NULL, p, n_b);
}

static enum xk_status exercise(xk_ctx *c)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT, full;
    struct xk_conv_info info = {.size = sizeof(info)};
    struct xk_nest con;
    XK_TRY(xk_conv_parse(c, "ic3ih4oc8kh3ph1", &d, NULL, 0));
    XK_TRY(xk_conv_check(c, &d, &full));
    XK_TRY(test_conv_tensors(c, &full, any, &info));
    return test_conv_nest(c, &full, &info, &con);
}

START_TEST(any_allocation_may_fail)
{
    for (unsigned n = 0;; n++) {
        struct failing f = {n};
        const struct xk_alloc alloc = {fail_realloc, &f};
        xk_ctx *const c = xk_ctx_create(&alloc);
        const enum xk_status st = c ? exercise(c) : XK_ENOMEM;
        ck_assert(st == XK_OK || st == XK_ENOMEM);
        ck_assert_uint_eq(xk_ctx_destroy(c), 0);
        if (st == XK_OK) {
            ck_assert_uint_ge(n, 5);
            break;
        }
    }
}
END_TEST

Suite *suite_forward(void)
{
    Suite *const s = suite_create("conv/forward");
    TCase *const t = tcase_create("contraction");
    tcase_add_checked_fixture(t, test_setup, test_teardown);
    tcase_add_loop_test(t, views_are_the_convolution, 0, XK_COUNTOF(problems));
    tcase_add_loop_test(t, views_follow_layouts_and_types, 0,
                        XK_COUNTOF(layouts));
    tcase_add_loop_test(t, packed_taps_are_those_of_the_filter, 0,
                        XK_COUNTOF(packed));
    tcase_add_loop_test(t, unpadded_channels_are_not_packed, 0, 4);
    tcase_add_test(t, indices_have_their_roles);
    tcase_add_test(t, indices_of_depth_are_outermost_of_their_kind);
    tcase_add_test(t, images_are_innermost_of_m_where_rows_gain_by_it);
    tcase_add_test(t, epilogue_is_bias_then_relu);
    tcase_add_test(t, scale_stands_between_bias_and_post_ops);
    tcase_add_test(t, scales_stand_around_bias_and_post_ops);
    tcase_add_test(t, the_longest_epilogue_fits);
    tcase_add_test(t, accumulator_and_operands_have_their_types);
    tcase_add_test(t, scale_and_sum_print);
    tcase_add_test(t, masks_only_where_padding_is_read);
    tcase_add_test(t, contraction_prints);
    tcase_add_test(t, any_allocation_may_fail);
    suite_add_tcase(s, t);
    return s;
}
