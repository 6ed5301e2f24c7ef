/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows query tells the search to be images in eights, and which places
 * share filter taps, beside a count one by one; and the tags of "any" that go
 * with it. The function that is told is replaced by the linker's --wrap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"
#include "tests/tap.h"
#include "wrapped_search.h"

static struct xk_shape told;

unsigned __wrap_xk_schedule_candidates(const struct xk_platform *p,
                                       const struct xk_shape *s,
                                       const struct xk_schedule_fixed *fixed,
                                       struct xk_schedule *out,
                                       const struct xk_schedule_rule **broken)
{
    told = *s;
    return __real_xk_schedule_candidates(p, s, fixed, out, broken);
}

/* The shape of a descriptor; the problem's tags go into *info. */
static struct xk_shape shape_of(const struct xk_conv_desc *d,
                                struct xk_conv_info *info)
{
    static struct xk_problem p;
    xk_ctx *const c = xk_ctx_create(NULL);
    ck_assert_msg(xk_problem_make(c, d, &p) == XK_OK, "%s", c->error.message);
    *info = p.info;
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
    return told;
}

/* One dim: pixels, places, taps, stride, distance of taps, padding. */
struct dim {
    int64_t i, o, k, s, d, p;
};

static bool is_inside(const struct dim *x, int64_t o, int64_t k)
{
    const int64_t at = o * x->s + k * x->d - x->p;
    return at >= 0 && at < x->i;
}

/* M's indices in the order of its loops: -1 stands for the images. */
static void order_of(bool images, int order[4])
{
    for (int i = 0; i < 4; i++)
        order[i] = images ? (i == 3 ? -1 : i) : i - 1;
}

static int64_t extent_of(const struct dim x[3], int64_t mb, int index)
{
    return index < 0 ? mb : x[index].o;
}

/* Whether, with images innermost, taps along M's outermost index of more than
 * one place are beside the tensor. */
static bool has_edge(const struct dim x[3], int64_t mb)
{
    int order[4], at = 0;
    order_of(true, order);
    while (at < 4 && extent_of(x, mb, order[at]) == 1)
        at++;
    if (at == 4 || order[at] < 0)
        return false;
    const struct dim *const out = &x[order[at]];
    for (int64_t o = 0; o < out->o; o++)
        for (int64_t k = 0; k < out->k; k++)
            if (!is_inside(out, o, k))
                return true;
    return false;
}

static unsigned below(uint64_t *rng, unsigned n)
{
    *rng = *rng * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*rng >> 40) % n;
}

/* A dim that oneDNN would take, 1 more often than others. */
static struct dim random_dim(uint64_t *rng)
{
    struct dim x = {1, 1, 1, 1, 1, 0};
    x.i = below(rng, 4) ? 1 + below(rng, 9) : 1;
    x.k = below(rng, 4) ? 1 + below(rng, 5) : 1;
    x.s = 1 + below(rng, 3);
    x.d = 1 + below(rng, 3);
    x.p = below(rng, 2) ? below(rng, 5) : 0;
    /* Places without padding behind, and with some. */
    const int64_t last = x.i + x.p - (x.k - 1) * x.d - 1;
    x.o = (last < 0 ? 1 : last / x.s + 1) + below(rng, 3);
    return x;
}

/* Where images lie: the library's choice, in a pixel, around channels that are
 * innermost, or elsewhere. */
enum place { ANY, INSIDE, AROUND, OUTSIDE };
static const struct {
    const char *tag;
    enum place place;
    bool volume;
} tags[] = {
    {"any", ANY, false},         {"axb", AROUND, false},
    {"abx", OUTSIDE, false},     {"Bcda16b", INSIDE, false},
    {"aBcd16b", OUTSIDE, false}, {"Bcda32b", INSIDE, false},
    {"any", ANY, true},          {"axb", AROUND, true},
    {"Bcdea16b", INSIDE, true},  {"aBcde16b", OUTSIDE, true},
    {"any", ANY, false},         {"Bcda4b", INSIDE, false},
};

/* Whether M's innermost index is the image: where it is in memory, and where
 * eights of them meet padding together and nothing is lost. */
static bool is_by_images(enum place place, const struct dim x[3], int64_t mb)
{
    return place == INSIDE ||
           (mb % 8 == 0 &&
            (place == ANY || (place == AROUND && has_edge(x, mb))));
}

static struct xk_conv_desc describe(const struct dim x[3], int64_t mb,
                                    const char *tag)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    d.mb = mb;
    d.ic = d.oc = 32;
    d.src_type = d.wei_type = d.dst_type = XK_F16;
    d.id = x[0].i, d.ih = x[1].i, d.iw = x[2].i;
    d.od = x[0].o, d.oh = x[1].o, d.ow = x[2].o;
    d.kd = x[0].k, d.kh = x[1].k, d.kw = x[2].k;
    d.sd = x[0].s, d.sh = x[1].s, d.sw = x[2].s;
    d.dd = x[0].d - 1, d.dh = x[1].d - 1, d.dw = x[2].d - 1;
    d.pd = x[0].p, d.ph = x[1].p, d.pw = x[2].p;
    snprintf(d.src_tag, sizeof(d.src_tag), "%s", tag);
    return d;
}

START_TEST(rows_share_places)
{
    static const unsigned mbs[] = {1, 1, 2, 5, 8, 16, 24, 8};
    uint64_t rng = 90u + (unsigned)_i;
    unsigned n_images = 0, n_windows = 0;
    for (unsigned i = 0; i < 300; i++) {
        const unsigned row = below(&rng, XK_COUNTOF(tags));
        const int64_t mb = mbs[below(&rng, XK_COUNTOF(mbs))];
        const struct dim none = {1, 1, 1, 1, 1, 0};
        const struct dim x[3] = {tags[row].volume ? random_dim(&rng) : none,
                                 random_dim(&rng), random_dim(&rng)};
        struct xk_conv_desc d = describe(x, mb, tags[row].tag);
        struct xk_conv_info info;
        if (tags[row].volume && d.id == 1 && d.od == 1 && d.kd == 1)
            continue; /* it has no depth */
        const struct xk_shape s = shape_of(&d, &info);
        const bool by = is_by_images(tags[row].place, x, mb);
        const bool images = mb % 8 == 0 && tags[row].place <= INSIDE;
        ck_assert_msg(s.together == images, "%d: %u", _i, i);
        ck_assert_msg(s.eights == (by && mb % 8 == 0), "%d: %u", _i, i);
        const bool slides =
            s.eights && x[2].o > 1 && x[2].k > 1 && x[2].s == x[2].d;
        ck_assert_msg(s.window.places == (slides ? x[2].k : 0) &&
                          (!slides || s.window.rows == 8),
                      "%d: %u", _i, i);
        n_images += images;
        n_windows += slides;
    }
    ck_assert_uint_gt(n_images, 30);
    ck_assert_uint_gt(n_windows, 5);
}
END_TEST

static const struct {
    const char *problem;
    uint32_t src, wei;
    const char *src_tag; /* given */
    const char *any_src, *any_wei, *any_dst;
} rows[] = {
    {"mb16ic64ih56oc64kh3ph1", XK_F16, XK_F16, "", "Bcda16b", NULL, "Bcda16b"},
    {"mb8ic64ih56oc64kh3ph1", XK_U8, XK_S8, "", "Bcda32b", NULL, "Bcda32b"},
    {"mb12ic64ih56oc64kh3ph1", XK_F16, XK_F16, "", "aBcd16b", NULL, "aBcd16b"},
    {"mb1ic64ih56oc64kh3ph1", XK_F16, XK_F16, "", "aBcd16b", NULL, "aBcd16b"},
    {"mb16ic64ih56oc64kh3ph1", XK_F16, XK_F16, "axb", "acdb", NULL, NULL},
    {"mb16ic64ih56oc64kh3", XK_F16, XK_F16, "axb", "acdb", NULL, NULL},
    {"mb16ic64ih56oc64kh3ph1", XK_F16, XK_F16, "abx", "abcd", NULL, NULL},
    {"mb16ic64ih56oc64kh3ph1", XK_F16, XK_F16, "Bcda16b", "Bcda16b", NULL,
     "Bcda16b"},
    {"mb16ic64id8ih8iw8oc64kd3kh3kw3pd1ph1pw1", XK_F16, XK_F16, "", "Bcdea16b",
     NULL, "Bcdea16b"},
    {"mb16ic3ih56oc64kh3ph1", XK_F16, XK_F16, "", "Bcda4b", NULL, "Bcda16b"},
    {"mb16ic3ih56oc32kh7ph3", XK_F16, XK_F16, "", "Bcda4b", NULL, "Bcda16b"},
    /* C's columns are padded to 32. */
    {"mb8ic4id9ih9iw9oc16kd2kh3kw5pd0ph1pw2", XK_U8, XK_S8, "Bcdea4b",
     "Bcdea4b", "AcdEB32a8e4b", "Bcdea32b"},
    /* Up to nine places in one loop, more in loops of their own. */
    {"mb16ic3ih56oc64kh7kw1ph3pw0iw56", XK_F16, XK_F16, "", "Bcda4b",
     "ABcd32a16b", NULL},
    {"mb16ic3ih56oc64kh11kw1ph5pw0iw56", XK_F16, XK_F16, "", "Bcda4b",
     "AcdB32a16b", NULL},
    {"mb16ic64ih56oc64kh3ph1", XK_F32, XK_F32, "", "acdb", "Acdb32a", "acdb"},
    /* Few channels of C. */
    {"mb16ic64ih56oc3kh3ph1", XK_F16, XK_F16, "", "Bcda16b", NULL, "Bcda4b"},
    {"mb1ic64ih56oc4kh3ph1", XK_U8, XK_S8, "", "aBcd32b", NULL, "aBcd4b"},
    {"mb1ic64ih56oc5kh3ph1", XK_F16, XK_F16, "", "aBcd16b", NULL, "aBcd16b"},
    {"mb16ic64ih56oc3kh3ph1", XK_F32, XK_F32, "", "acdb", NULL, "acdb"},
    /* All of M's places are images. */
    {"mb64ic64ih1oc64kh3ph1", XK_F16, XK_F16, "", "Bcda16b", NULL, "Bcda16b"},
    /* The last line of outputs is beside at kh = 2 alone. */
    {"mb8ic64ih6iw7oc64oh6ow7kh3kw3sh1sw1ph0pw1", XK_F16, XK_F16, "", "Bcda16b",
     NULL, "Bcda16b"},
};

START_TEST(any_has_images_inside_in_eights)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_conv_info info;
    struct xk_error err;
    ck_assert_msg(xk_conv_desc_parse(rows[_i].problem, &d, NULL, 0, &err) ==
                      XK_OK,
                  "%s", err.message);
    d.src_type = rows[_i].src;
    d.wei_type = rows[_i].wei;
    d.dst_type = rows[_i].src;
    strcpy(d.src_tag, rows[_i].src_tag);
    shape_of(&d, &info);
    const char *const want[] = {rows[_i].any_src, rows[_i].any_wei,
                                rows[_i].any_dst};
    const unsigned arg[] = {XK_ARG_SRC, XK_ARG_WEI, XK_ARG_DST};
    for (unsigned i = 0; i < 3; i++)
        if (want[i])
            ck_assert_str_eq(info.tensor[arg[i]].tag, want[i]);
}
END_TEST

/* By hand: a sum or a mad is one instruction for 16 elements; what a step reads
 * that differs from row to row, a message and a conversion more. */
static const struct {
    const char *post_ops;
    bool bias;
    unsigned instructions;
} steps[] = {{"", false, 0},
             {"", true, 1},
             {"add:f32:per_oc", false, 1},
             {"add:f32:per_tensor", false, 3},
             {"sum:2", false, 3},
             {"mul:f16:per_oc+add:s8:per_tensor", true, 5}};

START_TEST(what_all_rows_share_is_loaded_once)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_conv_info info;
    struct xk_error err;
    ck_assert_msg(
        xk_conv_desc_parse("mb16ic64ih14oc64kh1", &d, NULL, 0, &err) == XK_OK,
        "%s", err.message);
    d.src_type = d.wei_type = d.dst_type = XK_F16;
    d.prop = steps[_i].bias ? XK_FWD_B : XK_FWD_D;
    ck_assert_msg(xk_post_ops_parse(steps[_i].post_ops, d.post_ops,
                                    &d.n_post_ops, &err) == XK_OK,
                  "%s", err.message);
    const struct xk_shape s = shape_of(&d, &info);
    ck_assert_uint_eq(s.epilogue, steps[_i].instructions);
}
END_TEST

int main(void)
{
    setenv("XK_SCHEDULE", "splits=1", 1); /* the shape told last is whole */
    Suite *const s = suite_create("shape");
    TCase *const t = tcase_create("shape");
    tcase_add_loop_test(t, rows_share_places, 0, 10);
    tcase_add_loop_test(t, any_has_images_inside_in_eights, 0,
                        XK_COUNTOF(rows));
    tcase_add_loop_test(t, what_all_rows_share_is_loaded_once, 0,
                        XK_COUNTOF(steps));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
