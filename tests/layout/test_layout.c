/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts against tables worked out by hand and against oneDNN's definition of
 * blocked formats, evaluated element by element. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "layout/layout.h"

static xk_ctx *c;

static void setup(void)
{
    c = xk_ctx_create(NULL);
}

static void teardown(void)
{
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

START_TEST(types_have_benchdnn_names_and_sizes)
{
    static const struct {
        enum xk_dtype dt;
        const char *name;
        unsigned size_b;
        bool f, i, s;
    } rows[] = {
        {XK_DT_U8, "u8", 1, 0, 1, 0},     {XK_DT_S8, "s8", 1, 0, 1, 1},
        {XK_DT_U16, "u16", 2, 0, 1, 0},   {XK_DT_S16, "s16", 2, 0, 1, 1},
        {XK_DT_U32, "u32", 4, 0, 1, 0},   {XK_DT_S32, "s32", 4, 0, 1, 1},
        {XK_DT_U64, "u64", 8, 0, 1, 0},   {XK_DT_S64, "s64", 8, 0, 1, 1},
        {XK_DT_BF16, "bf16", 2, 1, 0, 1}, {XK_DT_F16, "f16", 2, 1, 0, 1},
        {XK_DT_F32, "f32", 4, 1, 0, 1},   {XK_DT_F64, "f64", 8, 1, 0, 1},
        {XK_DT_BOOL, "bool", 0, 0, 0, 0},
    };
    ck_assert_uint_eq(XK_COUNTOF(rows), XK_N_DTYPES - 1);
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        const char *const n = rows[i].name;
        ck_assert_str_eq(xk_dtype_name(rows[i].dt), n);
        ck_assert_int_eq(xk_dtype_find(n, (uint32_t)strlen(n)), rows[i].dt);
        ck_assert_uint_eq(xk_dtype_b(rows[i].dt), rows[i].size_b);
        ck_assert_int_eq(xk_dtype_is_float(rows[i].dt), rows[i].f);
        ck_assert_int_eq(xk_dtype_is_int(rows[i].dt), rows[i].i);
        ck_assert_int_eq(xk_dtype_is_signed(rows[i].dt), rows[i].s);
    }
    ck_assert_int_eq(xk_dtype_find("f33", 3), XK_DT_UNDEF);
    ck_assert_int_eq(xk_dtype_find("f32", 2), XK_DT_UNDEF);
    ck_assert_int_eq(xk_dtype_find("undef", 5), XK_DT_UNDEF);
    ck_assert_str_eq(xk_dtype_name((enum xk_dtype)99), "undef");
}
END_TEST

/* dims 2 x 20 x 3 x 5; strides by hand. */
static const struct {
    const char *tag, *canonical, *text;
    int64_t size_b;
} tags[] = {
    {"abcd", "abcd", "f32[2, 20, 3, 5] abcd: 2a*300 20b*15 3c*5 5d*1, 2400 B",
     2400},
    {"nchw", "abcd", "f32[2, 20, 3, 5] abcd: 2a*300 20b*15 3c*5 5d*1, 2400 B",
     2400},
    {"oihw", "abcd", "f32[2, 20, 3, 5] abcd: 2a*300 20b*15 3c*5 5d*1, 2400 B",
     2400},
    {"abx", "abcd", "f32[2, 20, 3, 5] abcd: 2a*300 20b*15 3c*5 5d*1, 2400 B",
     2400},
    {"axb", "acdb", "f32[2, 20, 3, 5] acdb: 2a*300 3c*100 5d*20 20b*1, 2400 B",
     2400},
    {"nhwc", "acdb", "f32[2, 20, 3, 5] acdb: 2a*300 3c*100 5d*20 20b*1, 2400 B",
     2400},
    {"ohwi", "acdb", "f32[2, 20, 3, 5] acdb: 2a*300 3c*100 5d*20 20b*1, 2400 B",
     2400},
    {"hwio", "cdba", "f32[2, 20, 3, 5] cdba: 3c*200 5d*40 20b*2 2a*1, 2400 B",
     2400},
    {"xba", "cdba", "f32[2, 20, 3, 5] cdba: 3c*200 5d*40 20b*2 2a*1, 2400 B",
     2400},
    {"nChw16c", "aBcd16b",
     "f32[2, 20(32), 3, 5] aBcd16b: 2a*480 2b*240 3c*80 5d*16 16b*1, 3840 B",
     3840},
    {"ABx16b2a8b", "ABcd16b2a8b",
     "f32[2, 20(128), 3, 5] ABcd16b2a8b: 1a*3840 1b*3840 3c*1280 5d*256 "
     "16b*16 2a*8 8b*1, 15360 B",
     15360},
    {"aBcd1b", "aBcd1b",
     "f32[2, 20, 3, 5] aBcd1b: 2a*300 20b*15 3c*5 5d*1 1b*1, 2400 B", 2400},
    {"aBcd16b", "aBcd16b",
     "f32[2, 20(32), 3, 5] aBcd16b: 2a*480 2b*240 3c*80 5d*16 16b*1, 3840 B",
     3840},
    {"aBx16b", "aBcd16b",
     "f32[2, 20(32), 3, 5] aBcd16b: 2a*480 2b*240 3c*80 5d*16 16b*1, 3840 B",
     3840},
    {"Acdb32a", "Acdb32a",
     "f32[2(32), 20, 3, 5] Acdb32a: 1a*9600 3c*3200 5d*640 20b*32 32a*1, "
     "38400 B",
     38400},
    {"aBcd32b", "aBcd32b",
     "f32[2, 20(32), 3, 5] aBcd32b: 2a*480 1b*480 3c*160 5d*32 32b*1, 3840 B",
     3840},
    {"AcdB8a16b", "AcdB8a16b",
     "f32[2(8), 20(32), 3, 5] AcdB8a16b: 1a*3840 3c*1280 5d*256 2b*128 8a*16 "
     "16b*1, 15360 B",
     15360},
    {"AcdB16a32b", "AcdB16a32b",
     "f32[2(16), 20(32), 3, 5] AcdB16a32b: 1a*7680 3c*2560 5d*512 1b*512 "
     "16a*32 32b*1, 30720 B",
     30720},
    {"ABcd8b16a2b", "ABcd8b16a2b",
     "f32[2(16), 20(32), 3, 5] ABcd8b16a2b: 1a*7680 2b*3840 3c*1280 5d*256 "
     "8b*32 16a*2 2b*1, 30720 B",
     30720},
};

START_TEST(tag_gives_blocks)
{
    const int64_t dims[] = {2, 20, 3, 5};
    struct xk_layout l;
    struct xk_str s;
    char tag[32];
    ck_assert_int_eq(xk_layout_from_tag(
                         c, "src", (struct xk_tensor_dims){XK_DT_F32, 4, dims},
                         tags[_i].tag, &l),
                     XK_OK);
    xk_layout_tag(&l, tag, sizeof(tag));
    ck_assert_str_eq(tag, tags[_i].canonical);
    ck_assert_int_eq(xk_layout_size_b(&l), tags[_i].size_b);
    xk_str_init(&s, NULL);
    xk_layout_print(&l, &s);
    ck_assert_str_eq(xk_str_get(&s), tags[_i].text);
    xk_str_fini(&s);
}
END_TEST

START_TEST(names_are_of_their_number_of_dims)
{
    static const struct {
        const char *name, *tag;
        unsigned n;
    } rows[] = {
        {"ndhwc", "acdeb", 5},
        {"ncdhw", "abcde", 5},
        {"odhwi", "acdeb", 5},
        {"oidhw", "abcde", 5},
        {"dhwio", "cdeba", 5},
        {"axb", "acdeb", 5},
        {"abx", "abcde", 5},
        {"xba", "cdeba", 5},
        {"aBx32b", "aBcde32b", 5},
        {"AcdeB8a16b", "AcdeB8a16b", 5},
        {"nhwc", NULL, 5},
        {"hwio", NULL, 5},
        {"ndhwc", NULL, 4},
        {"dhwio", NULL, 4},
        /* 1D: what is not there counts no dim */
        {"nwc", "acb", 3},
        {"ncw", "abc", 3},
        {"wio", "cba", 3},
        {"nCw16c", "aBc16b", 3},
        {"axb", "acb", 3},
        {"ABx16a16b", "ABc16a16b", 3},
        {"tnc", "abc", 3},
        {"ntc", "bac", 3},
        /* groups in front of weights */
        {"goihw", "abcde", 5},
        {"hwigo", "decab", 5},
        {"gOIhw4o4i", "aBCde4b4c", 5},
        {"abcx", "abcde", 5},
        {"abxc", "abdec", 5},
        {"axcb", "adecb", 5},
        {"goidhw", "abcdef", 6},
        {"abxc", "abdefc", 6},
        /* letters of dims that are not there are left out with their blocks */
        {"aBcxd16b", "aBc16b", 3},
        {"ndchw", "acbde", 5},
    };
    const int64_t dims[] = {2, 20, 3, 5, 7, 2};
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_layout l;
        char tag[32];
        xk_ctx_clear(c);
        const enum xk_status st = xk_layout_from_tag(
            c, "t", (struct xk_tensor_dims){XK_DT_F32, rows[i].n, dims},
            rows[i].name, &l);
        ck_assert_int_eq(st, rows[i].tag ? XK_OK : XK_EINVAL);
        if (!rows[i].tag)
            continue;
        xk_layout_tag(&l, tag, sizeof(tag));
        ck_assert_str_eq(tag, rows[i].tag);
    }
}
END_TEST

/* Independent of the block list: the formula of the format. */
START_TEST(offsets_follow_the_formats)
{
    enum { O = 37, I = 5, H = 3, W = 2 };
    const int64_t dims[] = {O, I, H, W};
    struct xk_layout plain, blocked, mixed;
    int64_t i[4];
    xk_layout_from_tag(c, "t", (struct xk_tensor_dims){XK_DT_F32, 4, dims},
                       "acdb", &plain);
    xk_layout_from_tag(c, "t", (struct xk_tensor_dims){XK_DT_F32, 4, dims},
                       "Acdb16a", &blocked);
    xk_layout_from_tag(c, "t", (struct xk_tensor_dims){XK_DT_U8, 4, dims},
                       "ABcd4a8b2a", &mixed);
    ck_assert_int_eq(xk_ctx_status(c), XK_OK);
    for (i[0] = 0; i[0] < O; i[0]++)
        for (i[1] = 0; i[1] < I; i[1]++)
            for (i[2] = 0; i[2] < H; i[2]++)
                for (i[3] = 0; i[3] < W; i[3]++) {
                    const int64_t o = i[0], ic = i[1], h = i[2], w = i[3];
                    ck_assert_int_eq(xk_layout_offset_e(&plain, i),
                                     ((o * H + h) * W + w) * I + ic);
                    ck_assert_int_eq(
                        xk_layout_offset_e(&blocked, i),
                        (((o / 16 * H + h) * W + w) * I + ic) * 16 + o % 16);
                    ck_assert_int_eq(xk_layout_offset_e(&mixed, i),
                                     (((o / 8 * 1 + ic / 8) * H + h) * W + w) *
                                             64 +
                                         o % 8 / 2 * 16 + ic % 8 * 2 + o % 2);
                }
}
END_TEST

START_TEST(size_counts_the_bytes_of_the_type)
{
    static const struct {
        enum xk_dtype dt;
        const char *tag;
        int64_t size_b;
    } rows[] = {
        {XK_DT_F16, "acdb", 1200},       {XK_DT_U8, "acdb", 600},
        {XK_DT_S8, "cdba", 600},         {XK_DT_S32, "abcd", 2400},
        {XK_DT_F16, "aBcd16b", 1920},    {XK_DT_U8, "aBcd32b", 960},
        {XK_DT_F16, "AcdB8a16b", 7680},  {XK_DT_S8, "AcdB8a32b", 3840},
        {XK_DT_S8, "AcdB32a32b", 15360},
    };
    const int64_t dims[] = {2, 20, 3, 5};
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_layout l;
        xk_layout_from_tag(c, "t", (struct xk_tensor_dims){rows[i].dt, 4, dims},
                           rows[i].tag, &l);
        ck_assert_int_eq(xk_ctx_status(c), XK_OK);
        ck_assert_int_eq(xk_layout_size_b(&l), rows[i].size_b);
    }
}
END_TEST

START_TEST(offset_0_is_counted)
{
    const int64_t dims[] = {3}, i[] = {2};
    struct xk_layout l;
    char tag[8];
    xk_layout_from_tag(c, "t", (struct xk_tensor_dims){XK_DT_F16, 1, dims}, "x",
                       &l);
    l.offset_e = 5;
    ck_assert_int_eq(xk_layout_offset_e(&l, i), 7);
    ck_assert_int_eq(xk_layout_size_b(&l), 16);
    xk_layout_tag(&l, tag, sizeof(tag));
    ck_assert_str_eq(tag, "");
}
END_TEST

START_TEST(tag_needs_dense_strides_and_room)
{
    const int64_t dims[] = {4, 6};
    struct xk_layout l;
    char tag[16];
    xk_layout_from_tag(c, "t", (struct xk_tensor_dims){XK_DT_F32, 2, dims},
                       "ab", &l);
    xk_layout_tag(&l, tag, 3);
    ck_assert_str_eq(tag, "ab");
    xk_layout_tag(&l, tag, 2);
    ck_assert_str_eq(tag, "");
    l.block[0].stride = 8; /* rows padded to 8 */
    xk_layout_tag(&l, tag, sizeof(tag));
    ck_assert_str_eq(tag, "");
}
END_TEST

START_TEST(equality_looks_at_every_field)
{
    const int64_t dims[] = {4, 6};
    struct xk_layout a, b;
    xk_layout_from_tag(c, "t", (struct xk_tensor_dims){XK_DT_F32, 2, dims},
                       "Ab2a", &a);
    b = a;
    ck_assert(xk_layout_eq(&a, &b));
#define DIFFERS(field, v)                                                      \
    do {                                                                       \
        b = a;                                                                 \
        b.field = v;                                                           \
        ck_assert_msg(!xk_layout_eq(&a, &b), #field);                          \
    } while (0)
    DIFFERS(dt, XK_DT_S32);
    DIFFERS(n_dims, 1);
    DIFFERS(n_blocks, 2);
    DIFFERS(dim[1], 5);
    DIFFERS(padded[0], 8);
    DIFFERS(offset_e, 1);
    DIFFERS(block[2].dim, 1);
    DIFFERS(block[1].size, 7);
    DIFFERS(block[0].stride, 13);
}
END_TEST

static const struct {
    const char *tag, *message;
    unsigned n;
} bad_tags[] = {
    {"any", "must be resolved", 4},
    {"", "does not name every dim", 4},
    {"abc", "does not name every dim", 4},
    {"abce", "unknown letter", 4},
    {"abcd", "unknown letter", 3},
    {"abcc", "names a dim twice", 4},
    {"aaxb", "names a dim twice", 4},
    {"axbx", "unknown letter", 4},
    {"aBcd", "capitals and inner blocks", 4},
    {"abcd16b", "capitals and inner blocks", 4},
    {"aBcd16a", "capitals and inner blocks", 4},
    {"aBcd16", "inner block without a dim", 4},
    {"aBcd16B", "inner block without a dim", 4},
    {"aBcd16e", "inner block without a dim", 4},
    {"aBcd0b", "inner block of size 0", 4},
    {"xb", "does not name every dim", 4},
    {"axc", "does not name every dim", 4},
    {"aBcdb", "names a dim twice", 4},
    {"aBcd99999999999999999999b", "too large", 4},
    {"aBcd1048576b1048576b1048576b1048576b", "overflow", 4},
    {"aBcd2b2b2b2b2b2b2b2b2b2b2b2b2b", "too many inner blocks", 4},
    {"ab cd", "unknown letter", 4},
    {"\xc3\xa4"
     "bcd",
     "unknown letter", 4},
    {"nhwc", "unknown letter", 3},
    {"NHWC", "capitals and inner blocks", 4},
    {"nhwo", "unknown letter", 4},
    {"hwc", "unknown letter", 3},
    {"nchwnchwnchwnchwnchwnchwnchwnchwnchwnchwnchwnchwnchwnchwnchw", "too long",
     4},
    {"@bcd", "unknown letter", 4},
};

/* Which groups memory has, and that elements stay where they are. */
static const struct {
    const char *tag;
    int64_t dim[3]; /* of dims a, b, c */
    int64_t size;   /* of b's groups */
    bool splits;
} groups[] = {
    {"abc", {2, 12, 3}, 4, true},       {"acb", {2, 12, 3}, 6, true},
    {"abc", {2, 12, 3}, 5, false},      {"aBc4b", {2, 16, 3}, 4, true},
    {"aBc4b", {2, 16, 3}, 2, true},     {"aBc4b", {2, 16, 3}, 8, true},
    {"aBc8b", {2, 24, 3}, 12, false},   {"aBc8b", {2, 12, 3}, 4, true},
    {"aBc8b", {2, 12, 3}, 6, false},    {"aBc8b", {2, 12, 3}, 12, false},
    {"BAc2b4a2b", {8, 16, 1}, 8, true}, {"BAc2b4a2b", {8, 16, 1}, 2, true},
    {"BAc2b4a2b", {8, 16, 1}, 1, true}, {"BAc2b4a2b", {8, 16, 1}, 16, true},
};

START_TEST(a_dim_of_groups_is_two)
{
    struct xk_layout l, s;
    ck_assert_int_eq(xk_layout_from_tag(
                         c, "t",
                         (struct xk_tensor_dims){XK_DT_F32, 3, groups[_i].dim},
                         groups[_i].tag, &l),
                     XK_OK);
    ck_assert_int_eq(xk_layout_split(&l, 1, groups[_i].size, &s),
                     groups[_i].splits);
    if (!groups[_i].splits)
        return;
    ck_assert_uint_eq(s.n_dims, 4);
    ck_assert_int_eq(s.dim[1] * s.dim[2], l.dim[1]);
    ck_assert_int_eq(xk_layout_size_b(&s), xk_layout_size_b(&l));
    for (int64_t i = 0; i < l.dim[0] * l.dim[1] * l.dim[2]; i++) {
        const int64_t a = i / l.dim[2] / l.dim[1], e = i % l.dim[2];
        const int64_t b = i / l.dim[2] % l.dim[1], n = groups[_i].size;
        const int64_t at[] = {a, b, e}, split[] = {a, b / n, b % n, e};
        ck_assert_int_eq(xk_layout_offset_e(&s, split),
                         xk_layout_offset_e(&l, at));
    }
}
END_TEST

START_TEST(bad_tag_is_refused)
{
    const int64_t dims[] = {2, 20, 3, 5};
    struct xk_layout l;
    ck_assert_int_eq(xk_layout_from_tag(c, "the_tensor",
                                        (struct xk_tensor_dims){
                                            XK_DT_F32, bad_tags[_i].n, dims},
                                        bad_tags[_i].tag, &l),
                     XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(c->error.message, "the_tensor"));
    ck_assert_msg(strstr(c->error.message, bad_tags[_i].message) != NULL, "%s",
                  c->error.message);
}
END_TEST

START_TEST(bad_sizes_are_refused)
{
    static const struct {
        int64_t dims[2];
        enum xk_dtype dt;
        unsigned n;
        const char *message;
    } rows[] = {
        {{0, 1}, XK_DT_F32, 2, "dim a is 0"},
        {{1, -7}, XK_DT_F32, 2, "dim b is -7"},
        {{INT64_MAX, 1}, XK_DT_F32, 2, "2^62"},
        {{INT64_MAX, INT64_MAX}, XK_DT_U8, 2, "2^62"},
        {{(int64_t)1 << 31, ((int64_t)1 << 31) + 1}, XK_DT_U8, 2, "2^62"},
        {{1, 1}, XK_DT_F32, 7, "7 dims"},
        {{1, 1}, XK_DT_F32, 0, "0 dims"},
        {{1, 1}, XK_DT_BOOL, 2, "bool"},
        {{1, 1}, XK_DT_UNDEF, 2, "undef"},
    };
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_layout l;
        xk_ctx_clear(c);
        ck_assert_int_eq(
            xk_layout_from_tag(
                c, "t",
                (struct xk_tensor_dims){rows[i].dt, rows[i].n, rows[i].dims},
                "ab", &l),
            XK_EINVAL);
        ck_assert_msg(strstr(c->error.message, rows[i].message) != NULL, "%s",
                      c->error.message);
    }
}
END_TEST

START_TEST(largest_size_is_accepted)
{
    const int64_t dims[] = {(int64_t)1 << 31, (int64_t)1 << 31};
    struct xk_layout l;
    ck_assert_int_eq(
        xk_layout_from_tag(c, "t", (struct xk_tensor_dims){XK_DT_U8, 2, dims},
                           "ab", &l),
        XK_OK);
    ck_assert_int_eq(xk_layout_size_b(&l), (int64_t)1 << 62);
}
END_TEST

/* Any text: an answer, and an accepted tag is reproduced by its own print. */
START_TEST(random_text_never_breaks_the_parser)
{
    static const char letters[] = "abcdABCDx01234567889 e_";
    const int64_t dims[] = {2, 20, 3, 5};
    unsigned n_ok = 0, seed = 1;
    for (unsigned i = 0; i < 200000; i++) {
        char text[12], tag[32];
        struct xk_layout l, again;
        const unsigned n = (unsigned)rand_r(&seed) % 9;
        for (unsigned j = 0; j < n; j++)
            text[j] = letters[(unsigned)rand_r(&seed) % (sizeof(letters) - 1)];
        text[n] = 0;
        xk_ctx_clear(c);
        if (xk_layout_from_tag(c, "t",
                               (struct xk_tensor_dims){XK_DT_F32, 4, dims},
                               text, &l) != XK_OK)
            continue;
        n_ok++;
        xk_layout_tag(&l, tag, sizeof(tag));
        ck_assert_int_eq(
            xk_layout_from_tag(c, "t",
                               (struct xk_tensor_dims){XK_DT_F32, 4, dims}, tag,
                               &again),
            XK_OK);
        ck_assert(xk_layout_eq(&l, &again));
    }
    ck_assert_uint_gt(n_ok, 100);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("layout");
    TCase *const t = tcase_create("layout");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, types_have_benchdnn_names_and_sizes);
    tcase_add_loop_test(t, tag_gives_blocks, 0, XK_COUNTOF(tags));
    tcase_add_test(t, names_are_of_their_number_of_dims);
    tcase_add_test(t, offsets_follow_the_formats);
    tcase_add_test(t, size_counts_the_bytes_of_the_type);
    tcase_add_test(t, offset_0_is_counted);
    tcase_add_test(t, tag_needs_dense_strides_and_room);
    tcase_add_test(t, equality_looks_at_every_field);
    tcase_add_loop_test(t, a_dim_of_groups_is_two, 0, XK_COUNTOF(groups));
    tcase_add_loop_test(t, bad_tag_is_refused, 0, XK_COUNTOF(bad_tags));
    tcase_add_test(t, bad_sizes_are_refused);
    tcase_add_test(t, largest_size_is_accepted);
    tcase_add_test(t, random_text_never_breaks_the_parser);
    suite_add_tcase(s, t);
    SRunner *const r = srunner_create(s);
    srunner_set_tap(r, "-");
    srunner_run_all(r, CK_SILENT);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
