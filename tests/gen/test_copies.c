/* SPDX-License-Identifier: Apache-2.0 */
/* Copies: every code of each narrow format, numbers to each of them, blocked
 * and strided layouts. Expected values follow from the formats' definition
 * here: a table of all numbers of a format, and the nearest of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "launches_lab.h"
#include "tests/tap.h"

/* A float of so many bits; its codes up to `last` are numbers, in order. */
static const struct small {
    enum xk_format format;
    unsigned exponent, mantissa, bits;
    int bias, last;
    bool infinite; /* the next code is infinity, others are NaNs */
    double beyond; /* from here on numbers are too large, or above it */
} smalls[] = {
    {XK_FORMAT_F8_E5M2, 5, 2, 8, 15, 0x7b, true, 61440},
    {XK_FORMAT_F8_E4M3, 4, 3, 8, 7, 0x7e, false, 464},
    {XK_FORMAT_F4_E2M1, 2, 1, 4, 1, 7, false, INFINITY},
};

static double number_of(const struct small *s, unsigned code)
{
    const unsigned e = code >> s->mantissa & ((1u << s->exponent) - 1);
    const unsigned m = code & ((1u << s->mantissa) - 1);
    const unsigned magnitude = code & ((1u << (s->bits - 1)) - 1);
    double v =
        e ? ldexp((1u << s->mantissa) + m, (int)e - s->bias - (int)s->mantissa)
          : ldexp(m, 1 - s->bias - (int)s->mantissa);
    if ((int)magnitude > s->last)
        v = s->infinite && (int)magnitude == s->last + 1 ? (double)INFINITY
                                                         : (double)NAN;
    return code >> (s->bits - 1) ? -v : v;
}

/* The code of the nearest number, of two the even one. */
static unsigned nearest(const struct small *s, double x)
{
    const unsigned sign = signbit(x) ? 1u << (s->bits - 1) : 0;
    const double a = fabs(x);
    unsigned best = 0;
    if (s->bits == 4 && !(a < 6)) /* saturates, NaNs too */
        return sign | 7;
    if (isnan(x) || (!s->infinite && a > s->beyond))
        return s->infinite ? 0x7e | sign : (unsigned)s->last + 1 + sign;
    if (s->infinite && a >= s->beyond)
        return sign | (unsigned)(s->last + 1);
    for (unsigned c = 1; (int)c <= s->last; c++) {
        const double old = fabs(a - number_of(s, best)),
                     now = fabs(a - number_of(s, c));
        if (now < old || (now == old && c % 2 == 0))
            best = c;
    }
    return sign | best;
}

static void copy(const struct xk_copy *x, const void *src, size_t src_b,
                 void *dst, size_t dst_b)
{
    const struct xk_bind bind[] = {{"src", XK_BIND_TENSOR, 0, 0},
                                   {"dst", XK_BIND_TENSOR, 1, 0}};
    const struct xk_launch l = {.kind = XK_LAUNCH_COPY,
                                .name = "copy",
                                .u.copy = x,
                                .n_binds = 2,
                                .bind = bind};
    const struct xk_program_arg_info a[] = {
        {.name = "src", .number = 0, .size_b = src_b},
        {.name = "dst", .number = 1, .size_b = dst_b, .written = 1}};
    for (int k = 0; k < 2; k++) {
        const struct xk_launches all = {
            .n_args = 2, .args = a, .n = 1, .at = &l, .addresses = k};
        const struct lab_arg arg[] = {{(void *)(uintptr_t)src, src_b},
                                      {dst, dst_b}};
        xk_program *const p = lab_must_make(&all);
        lab_run(p, arg);
        xk_program_unref(p);
    }
}

static struct xk_copied line(enum xk_format f, int64_t n)
{
    struct xk_copied t = {.format = f};
    t.layout.dt = XK_DT_U8;
    t.layout.n_dims = 1;
    t.layout.dim[0] = n;
    ck_assert(!xk_layout_make_dense(&t.layout));
    return t;
}

static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b);
}

/* All codes become f32. */
START_TEST(each_code_is_its_number)
{
    const struct small *const s = &smalls[_i];
    const unsigned n = 1u << s->bits;
    uint8_t codes[256];
    float got[256];
    for (unsigned i = 0; i < n; i++)
        if (s->bits == 8)
            codes[i] = (uint8_t)i;
        else
            codes[i / 2] = (uint8_t)(i % 2 ? codes[i / 2] | i << 4 : i);
    const struct xk_copy x = {line(s->format, n), line(XK_FORMAT_F32, n),
                              false};
    copy(&x, codes, n * s->bits / 8, got, n * sizeof(*got));
    for (unsigned i = 0; i < n; i++)
        ck_assert_msg(same((double)got[i], number_of(s, i)),
                      "code %u is %a, not %a", i, (double)got[i],
                      number_of(s, i));
}
END_TEST

enum { MOST = 4096 };

/* Each number, each tie of two, what is beside a tie, and special values. */
static unsigned fill_numbers(const struct small *s, float *x)
{
    static const float special[] = {INFINITY, NAN,      3e38f, 1e-45f, 0x1p-17f,
                                    465,      463.99f,  61439, 61440,  1e30f,
                                    0x1p-10f, 0x1p-11f, 5,     7,      0.25f};
    unsigned n = 0;
    for (unsigned c = 0; (int)c <= s->last; c++) {
        const float a = (float)number_of(s, c);
        const float up = (float)number_of(s, (int)c < s->last ? c + 1 : c);
        const float tie = (a + up) / 2;
        x[n++] = a;
        x[n++] = tie;
        x[n++] = nextafterf(tie, 0);
        x[n++] = nextafterf(tie, INFINITY);
    }
    for (unsigned i = 0; i < XK_COUNTOF(special); i++)
        x[n++] = special[i];
    for (unsigned i = 0; i < n; i++)
        x[n + i] = -x[i];
    return 2 * n;
}

START_TEST(numbers_become_the_nearest_code)
{
    const struct small *const s = &smalls[_i];
    static float x[MOST];
    static uint8_t got[MOST];
    const unsigned n = fill_numbers(s, x);
    const struct xk_copy c = {line(XK_FORMAT_F32, n), line(s->format, n),
                              false};
    copy(&c, x, n * sizeof(*x), got, (n * s->bits + 7) / 8);
    for (unsigned i = 0; i < n; i++) {
        const unsigned code =
            s->bits == 8 ? got[i] : got[i / 2] >> i % 2 * 4 & 15;
        const unsigned want = nearest(s, (double)x[i]);
        const bool nan = isnan(number_of(s, want)) && isnan(number_of(s, code));
        ck_assert_msg(nan || code == want, "%a is code %#x, not %#x",
                      (double)x[i], code, want);
    }
}
END_TEST

START_TEST(integers_of_four_bits_are_copied)
{
    uint8_t codes[8], back[8];
    int8_t got[16];
    for (unsigned i = 0; i < 8; i++)
        codes[i] = (uint8_t)(2 * i | (2 * i + 1) << 4);
    const struct xk_copy s4 = {line(XK_FORMAT_S4, 16), line(XK_FORMAT_S8, 16),
                               false};
    const struct xk_copy u4 = {line(XK_FORMAT_U4, 16), line(XK_FORMAT_U8, 16),
                               false};
    copy(&s4, codes, 8, got, 16);
    for (int i = 0; i < 16; i++)
        ck_assert_int_eq(got[i], i < 8 ? i : i - 16);
    copy(&u4, codes, 8, got, 16);
    for (int i = 0; i < 16; i++)
        ck_assert_int_eq(got[i], i);
    const struct xk_copy to = {line(XK_FORMAT_S8, 16), line(XK_FORMAT_U4, 16),
                               false};
    copy(&to, got, 16, back, 8);
    ck_assert_mem_eq(codes, back, 8);
}
END_TEST

/* Two's powers, of which one is below f32's normal numbers. */
START_TEST(exponents_are_powers_of_two)
{
    static uint8_t codes[256];
    static float got[256];
    for (int i = 0; i < 256; i++)
        codes[i] = (uint8_t)i;
    const struct xk_copy x = {line(XK_FORMAT_E8M0, 256),
                              line(XK_FORMAT_F32, 256), false};
    copy(&x, codes, 256, got, sizeof(got));
    for (int i = 0; i < 255; i++)
        ck_assert_double_eq((double)got[i], ldexp(1, i - 127));
    ck_assert(isnan(got[255]));
}
END_TEST

static const struct {
    int64_t dim[4];
    const char *from, *to;
    int64_t stride[4]; /* of `to` instead of a tag; 0: none */
} boxes[] = {
    {{2, 5, 3, 4}, "abcd", "acdb", {0}},
    {{2, 5, 3, 4}, "acdb", "aBcd4b", {0}},
    {{3, 20, 2, 5}, "aBcd8b", "Bcda16b", {0}},
    {{17, 9, 1, 1}, "ABcd16b8a", "abcd", {0}},
    {{2, 5, 3, 4}, "abcd", NULL, {100, 17, 5, 1}},
    {{3, 4, 5, 6}, "acdb", NULL, {1, 700, 100, 16}},
};

static void make_box(unsigned i, bool to, enum xk_format f, struct xk_copied *t)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const char *const tag = to ? boxes[i].to : boxes[i].from;
    t->format = f;
    ck_assert_int_eq(
        xk_layout_from_tag(c, "box",
                           (struct xk_tensor_dims){XK_DT_U8, 4, boxes[i].dim},
                           tag ? tag : "abcd", &t->layout),
        XK_OK);
    for (unsigned d = 0; !tag && d < 4; d++)
        t->layout.block[d].stride = boxes[i].stride[d];
    xk_ctx_destroy(c);
}

/* Elements arrive, padding is zero, gaps stay. */
START_TEST(boxes_change_their_layout)
{
    static uint16_t src[8192], dst[8192], want[8192];
    const int64_t *const n = boxes[_i].dim;
    struct xk_copy x = {.stochastic = false};
    int64_t at[4];
    make_box((unsigned)_i, false, XK_FORMAT_F16, &x.src);
    make_box((unsigned)_i, true, XK_FORMAT_F16, &x.dst);
    const size_t src_b = (size_t)xk_copied_size_b(&x.src),
                 dst_b = (size_t)xk_copied_size_b(&x.dst);
    ck_assert(src_b <= sizeof(src) && dst_b <= sizeof(dst));
    for (unsigned i = 0; i < XK_COUNTOF(src); i++) {
        src[i] = (uint16_t)(0x4000 + i);
        dst[i] = 0x7777;
        want[i] = boxes[_i].to ? 0 : 0x7777;
    }
    for (at[0] = 0; at[0] < n[0]; at[0]++)
        for (at[1] = 0; at[1] < n[1]; at[1]++)
            for (at[2] = 0; at[2] < n[2]; at[2]++)
                for (at[3] = 0; at[3] < n[3]; at[3]++)
                    want[xk_layout_offset_e(&x.dst.layout, at)] =
                        src[xk_layout_offset_e(&x.src.layout, at)];
    copy(&x, src, src_b, dst, dst_b);
    ck_assert_mem_eq(dst, want, dst_b);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("copies");
    TCase *const t = tcase_create("copies");
    tcase_add_loop_test(t, each_code_is_its_number, 0, XK_COUNTOF(smalls));
    tcase_add_loop_test(t, numbers_become_the_nearest_code, 0,
                        XK_COUNTOF(smalls));
    tcase_add_test(t, integers_of_four_bits_are_copied);
    tcase_add_test(t, exponents_are_powers_of_two);
    tcase_add_loop_test(t, boxes_change_their_layout, 0, XK_COUNTOF(boxes));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
