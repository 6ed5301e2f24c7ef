/* SPDX-License-Identifier: Apache-2.0 */
/* The text of post-ops, both ways. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conv/post_ops.h"
#include "tests/conv/suites.h"
#include "views/epi_kind.h"

static enum xk_status parse(const char *text, struct xk_post_op *ops,
                            uint32_t *n)
{
    xk_ctx_clear(test_ctx);
    return xk_conv_parse_post_ops(test_ctx, text, ops, n);
}

/* What benchdnn writes, and the text that is printed for it. */
static const struct {
    const char *text, *printed;
} words[] = {
    {"", ""},
    {"relu", "relu"},
    {"RELU:0", "relu"},
    {"eltwise_relu:0.5:0:0.75", "relu:0.5"},
    {"relu:0.5:3", "relu:0.5"}, /* relu has no beta */
    {"linear:0.5:1.5:2.0", "linear:0.5:1.5"},
    {"linear:2", "linear:2"},
    {"linear:0:2", "linear:0:2"},
    {"clip:-1e+3:1e+20", "clip:-1e03:1e20"},
    {"sum", "sum"},
    {"sum:1", "sum"},
    {"sum:0.1", "sum:0.1"},
    {"sum:1.5:0:u8", "sum:1.5:0:u8"},
    {"sum:1:-3", "sum:1:-3"},
    {"sum+relu+sum:2", "sum+relu+sum:2"},
    {"sum:0", ""}, /* adds nothing */
    {"relu+sum:0:3:u8+abs", "relu+abs"},
    {"add:f32", "add:f32"},
    {"add:f32:common", "add:f32"},
    {"add:u8:per_tensor", "add:u8:per_tensor"},
    {"binary_mul:f16:per_dim_0", "mul:f16:1"},
    {"add:s8:per_oc", "add:s8:per_oc"},
    {"add:s8:per_dim_1", "add:s8:per_oc"},
    {"add:f32:per_dim_01", "add:f32:3"},
    {"add:f32:15:abcd", "add:f32:15:abcd"},
    {"sub:s32:0:axb", "sub:s32:common:axb"},
    {"max:bf16:4:any", "max:bf16:4"},
    {"prelu", "prelu"},
    {"prelu:per_oc", "prelu:per_oc"},
    {"eltwise_relu_use_dst_for_bwd:0.25", "relu_dst:0.25"},
    {"relu:0.5+sum:1.5:0:u8+add:f32+add:u8:per_tensor+mul:f32:per_dim_0",
     "relu:0.5+sum:1.5:0:u8+add:f32+add:u8:per_tensor+mul:f32:1"},
};

START_TEST(benchdnns_words_are_read_and_printed)
{
    struct xk_post_op ops[XK_MAX_POST_OPS];
    struct xk_str s;
    uint32_t n;
    ck_assert_msg(parse(words[_i].text, ops, &n) == XK_OK, "%s: %s",
                  words[_i].text, test_ctx->error.message);
    xk_str_init(&s, NULL);
    xk_conv_print_post_ops(ops, n, &s);
    ck_assert_str_eq(xk_str_get(&s), words[_i].printed);
    xk_str_fini(&s);
}
END_TEST

static const struct {
    const char *text;
    enum xk_status status;
    const char *why;
} wrong[] = {
    {"relux", XK_EINVAL, "relux: is none of relu, sum, linear"},
    {"relu:", XK_EINVAL, "not a number:"},
    {"relu: 1", XK_EINVAL, "not a number:"},
    {"sum:0:x", XK_EINVAL, "no zero point: x"},
    {"relu:inf", XK_EINVAL, "not a number: inf"},
    {"relu:0:0:0:0", XK_EINVAL, "too much behind it: :0"},
    {"relu+", XK_EINVAL, "attr-post-ops=: is none of"},
    {"+relu", XK_EINVAL, "attr-post-ops=: is none of"},
    {"sum:1:0.5", XK_EINVAL, "no zero point: 0.5"},
    {"sum:1:3000000000", XK_EINVAL, "no zero point: 3000000000"},
    {"sum:1:0:f33", XK_EINVAL, "not a data type: f33"},
    {"sum:1:0:f32:", XK_EINVAL, "too much behind it"},
    {"add", XK_EINVAL, "no type of the right-hand side"},
    {"add:relu", XK_EINVAL, "not a data type: relu"},
    {"add:f32:per_day", XK_EINVAL, "not a mask: per_day"},
    {"add:f32:-1", XK_EINVAL, "not a mask: -1"},
    {"add:f32:1:axb:1x2", XK_EUNSUPPORTED, "strides of a right-hand side"},
    {"add:f32:1:abcdefghijklmnopqrstuvwxyzabcdefgh", XK_EINVAL, "too long"},
    {"prelu:per_oc:axb", XK_EINVAL, "too much behind it"},
    {"select:f32", XK_EUNSUPPORTED, "select:f32: is not implemented"},
    {"binary_select:s8", XK_EUNSUPPORTED, "select:s8: is not implemented"},
    {"dw:k3s1p1", XK_EUNSUPPORTED, "dw:k3s1p1: is not implemented"},
};

START_TEST(other_texts_are_refused_with_the_word)
{
    struct xk_post_op ops[XK_MAX_POST_OPS];
    uint32_t n;
    ck_assert_int_eq(parse(wrong[_i].text, ops, &n), wrong[_i].status);
    ck_assert_msg(strstr(test_ctx->error.message, wrong[_i].why) != NULL,
                  "%s: %s", wrong[_i].text, test_ctx->error.message);
}
END_TEST

START_TEST(thirty_two_at_most)
{
    struct xk_post_op ops[XK_MAX_POST_OPS];
    char text[33 * 5] = "relu";
    uint32_t n;
    for (unsigned i = 1; i < 32; i++)
        strcat(text, "+relu");
    ck_assert_int_eq(parse(text, ops, &n), XK_OK);
    ck_assert_uint_eq(n, 32);
    memmove(text, text + 5, strlen(text + 5) + 1);
    strcat(text, "+abs+abs");
    ck_assert_int_eq(parse(text, ops, &n), XK_EUNSUPPORTED);
}
END_TEST

static float draw_number(unsigned *seed)
{
    union {
        uint32_t bits;
        float f;
    } u;
    do
        u.bits = (uint32_t)rand_r(seed) << 16 ^ (uint32_t)rand_r(seed);
    while (!isfinite(u.f) || u.f == 0);
    return rand_r(seed) % 2 ? u.f : (float)(rand_r(seed) % 200 - 100) / 10;
}

/* A post-op with every field that its kind has at random. */
static struct xk_post_op draw(unsigned *seed)
{
    static const char *const tags[] = {"", "axb", "abx", "aBcd16b"};
    static const uint32_t masks[] = {0, 1, 2, 3, 4, 8, 12, 15, 31, UINT32_MAX};
    struct xk_post_op op = {.kind = 1 + (uint32_t)rand_r(seed) %
                                            (XK_N_EPI_KINDS - 1)};
    const struct xk_post_op_row *const r = xk_post_op_row(op.kind);
    const bool binary = r->syntax == XK_SYNTAX_BINARY;
    const bool sum = r->syntax == XK_SYNTAX_SUM;
    if (r->n_numbers)
        op.alpha = rand_r(seed) % 3 ? draw_number(seed) : (float)sum;
    if (r->n_numbers > 1 && rand_r(seed) % 3)
        op.beta = draw_number(seed);
    if (sum && op.alpha == 0)
        op.alpha = 1;
    if (sum && rand_r(seed) % 2)
        op.zero_point = rand_r(seed) % 512 - 256;
    if (binary || (sum && rand_r(seed) % 2))
        op.type = 1 + (uint32_t)rand_r(seed) % 6;
    if (binary || r->syntax == XK_SYNTAX_PRELU)
        op.mask = masks[(unsigned)rand_r(seed) % XK_COUNTOF(masks)];
    if (binary)
        strcpy(op.tag, tags[(unsigned)rand_r(seed) % XK_COUNTOF(tags)]);
    return op;
}

static bool same(const struct xk_post_op *a, const struct xk_post_op *b)
{
    return a->kind == b->kind && a->alpha == b->alpha && a->beta == b->beta &&
           a->zero_point == b->zero_point && a->type == b->type &&
           a->mask == b->mask && !strcmp(a->tag, b->tag);
}

START_TEST(what_is_printed_is_read_back)
{
    unsigned seed = 5 + (unsigned)_i;
    for (unsigned i = 0; i < 500; i++) {
        struct xk_post_op ops[XK_MAX_POST_OPS], back[XK_MAX_POST_OPS];
        const uint32_t n = (uint32_t)rand_r(&seed) % (XK_MAX_POST_OPS + 1);
        struct xk_str s;
        uint32_t n_back;
        for (uint32_t j = 0; j < n; j++)
            ops[j] = draw(&seed);
        xk_str_init(&s, NULL);
        xk_conv_print_post_ops(ops, n, &s);
        ck_assert_msg(parse(xk_str_get(&s), back, &n_back) == XK_OK, "%s: %s",
                      xk_str_get(&s), test_ctx->error.message);
        ck_assert_uint_eq(n_back, n);
        for (uint32_t j = 0; j < n; j++)
            ck_assert_msg(same(&ops[j], &back[j]), "%u of %s", j,
                          xk_str_get(&s));
        xk_str_fini(&s);
    }
}
END_TEST

Suite *suite_post_ops(void)
{
    Suite *const s = suite_create("post_ops");
    TCase *const t = tcase_create("text");
    tcase_add_checked_fixture(t, test_setup, test_teardown);
    tcase_add_loop_test(t, benchdnns_words_are_read_and_printed, 0,
                        XK_COUNTOF(words));
    tcase_add_loop_test(t, other_texts_are_refused_with_the_word, 0,
                        XK_COUNTOF(wrong));
    tcase_add_test(t, thirty_two_at_most);
    tcase_add_loop_test(t, what_is_printed_is_read_back, 0, 10);
    suite_add_tcase(s, t);
    return s;
}
