/* SPDX-License-Identifier: Apache-2.0 */
/* mov between number formats: all halves, bfloats and 8-bit floats, and samples
 * of the wider ones, in every rounding mode, against exact.h. */
#include "tests/sim/exec_tests.h"

#include <math.h>
#include <string.h>

#include "tests/sim/exact.h"
#include "tests/sim/lab.h"

#define KEEP 0x4c0u /* denormals */

static uint32_t seed = 1;

static uint32_t rnd(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 16;
}

static double float_of(uint32_t b)
{
    float f;
    memcpy(&f, &b, 4);
    return (double)f;
}

static bool same(uint32_t got, uint32_t want, bool nan, struct exact_format f)
{
    if (!nan)
        return got == want;
    return isnan(exact_value(got, f));
}

/* 16-bit sources, 16 lanes at a time, to dwords in r20 and on. */
static void all_of_16_bits(struct lab *x, struct exact_format from,
                           struct exact_format to, unsigned to_b)
{
    for (unsigned mode = 0; mode < 4; mode++)
        for (uint32_t h = 0; h < 65536; h += 16) {
            lab_start(x, 1, KEEP | mode << 4);
            for (uint32_t l = 0; l < 16; l++) {
                const uint16_t v = (uint16_t)(h + l);
                memcpy(lab_reg(x, 10) + 2 * l, &v, 2);
            }
            lab_run_ok(x);
            for (uint32_t l = 0; l < 16; l++) {
                const double v = exact_value(h + l, from);
                uint32_t got = 0;
                memcpy(&got, lab_reg(x, 20) + to_b * l, to_b);
                const uint32_t want = isnan(v) ? 0 : exact_bits(v, to, mode);
                if (!same(got, want, isnan(v), to))
                    ck_abort_msg("0x%x in mode %u is 0x%x, not 0x%x", h + l,
                                 mode, got, want);
            }
        }
}

START_TEST(every_half_becomes_a_float)
{
    for (unsigned p = 0; lab_platforms[p]; p++) {
        struct lab *x = lab_open(lab_platforms[p],
                                 "mov (16|M0) r20.0<1>:f r10.0<1;1,0>:hf\n");
        all_of_16_bits(x, exact_hf, exact_f, 4);
        lab_close(x);
    }
}
END_TEST

START_TEST(every_bfloat_becomes_a_float)
{
    for (unsigned p = 1; lab_platforms[p]; p++) {
        struct lab *x = lab_open(lab_platforms[p],
                                 "mov (16|M0) r20.0<1>:f r10.0<1;1,0>:bf\n");
        all_of_16_bits(x, exact_bf, exact_f, 4);
        lab_close(x);
    }
}
END_TEST

START_TEST(every_half_becomes_an_8_bit_float_and_back)
{
    struct lab *x =
        lab_open("xehpc", "mov (16|M0) r20.0<1>:bf8 r10.0<1;1,0>:hf\n");
    all_of_16_bits(x, exact_hf, exact_bf8, 1);
    lab_close(x);
    x = lab_open("xehpc", "mov (16|M0) r20.0<1>:hf r10.0<1;1,0>:bf8\n");
    for (uint32_t h = 0; h < 256; h += 16) {
        lab_start(x, 1, KEEP);
        for (uint32_t l = 0; l < 16; l++)
            lab_reg(x, 10)[l] = (uint8_t)(h + l);
        lab_run_ok(x);
        for (uint32_t l = 0; l < 16; l++) {
            uint16_t got;
            memcpy(&got, lab_reg(x, 20) + 2 * l, 2);
            const double v = exact_value(h + l, exact_bf8);
            ck_assert(isnan(v) ? isnan(exact_value(got, exact_hf))
                               : got == exact_bits(v, exact_hf, 0));
        }
    }
    lab_close(x);
}
END_TEST

/* Floats around every half: it, its neighbours, the middle to the next one and
 * the middle's neighbours; so every boundary is met from both sides. */
static uint32_t near_half(uint32_t h, unsigned k)
{
    static const int32_t steps[8] = {0,      1,      -1, 0x1000,
                                     0x0fff, 0x1001, 7,  0x800};
    const float f = (float)exact_value(h, exact_hf);
    uint32_t b;
    memcpy(&b, &f, 4);
    return b + (uint32_t)steps[k];
}

static void floats_to(struct lab *x, struct exact_format to, unsigned to_b,
                      unsigned shift, uint32_t (*source)(uint32_t, unsigned))
{
    for (unsigned mode = 0; mode < 4; mode++)
        for (uint32_t h = 0; h < 65536; h += 2) {
            uint32_t in[16];
            lab_start(x, 1, KEEP | mode << 4);
            for (uint32_t l = 0; l < 16; l++)
                in[l] = source(h + l / 8, l % 8);
            memcpy(lab_reg(x, 10), in, sizeof(in));
            lab_run_ok(x);
            for (uint32_t l = 0; l < 16; l++) {
                const double v = float_of(in[l]);
                uint32_t got = 0;
                memcpy(&got, lab_reg(x, 20) + to_b * l, to_b);
                const uint32_t want =
                    isnan(v) ? 0 : exact_bits(v, to, mode) << shift;
                if (isnan(v) ? !isnan(exact_value(got >> shift, to))
                             : got != want)
                    ck_abort_msg("float 0x%x in mode %u is 0x%x, not 0x%x",
                                 in[l], mode, got, want);
            }
        }
}

START_TEST(floats_round_to_halves)
{
    for (unsigned p = 0; lab_platforms[p]; p++) {
        struct lab *x = lab_open(lab_platforms[p],
                                 "mov (16|M0) r20.0<1>:hf r10.0<1;1,0>:f\n");
        floats_to(x, exact_hf, 2, 0, near_half);
        lab_close(x);
    }
}
END_TEST

static uint32_t near_upper_half(uint32_t h, unsigned k)
{
    static const uint32_t low[8] = {0,      1,      0x7fff, 0x8000,
                                    0x8001, 0xffff, 0x1000, 0xf000};
    return h << 16 | low[k];
}

START_TEST(floats_round_to_bfloats_and_tf32)
{
    for (unsigned p = 1; lab_platforms[p]; p++) {
        struct lab *x = lab_open(lab_platforms[p],
                                 "mov (16|M0) r20.0<1>:bf r10.0<1;1,0>:f\n");
        floats_to(x, exact_bf, 2, 0, near_upper_half);
        lab_close(x);
    }
    struct lab *x =
        lab_open("xehpc", "mov (16|M0) r20.0<1>:tf32 r10.0<1;1,0>:f\n");
    floats_to(x, exact_tf32, 4, 13, near_upper_half);
    floats_to(x, exact_tf32, 4, 13, near_half);
    lab_close(x);
}
END_TEST

/* f to integers: towards zero, or, with cr0.0 bit 12, as its bits 5:4 say (IGC,
 * CISABuilder.hpp RMEncoding; oneDNN's kernels write 0x1480); clamped, NaN is
 * 0.
 */
static const struct {
    const char *type;
    unsigned size_b;
    double least, most;
} ints[] = {
    {"d", 4, -2147483648.0, 2147483647.0},
    {"ud", 4, 0, 4294967295.0},
    {"w", 2, -32768, 32767},
    {"uw", 2, 0, 65535},
    {"b", 1, -128, 127},
    {"ub", 1, 0, 255},
};

#define ROUND_INTEGERS 0x1000u /* cr0.0 */

/* mode: cr0.0 bits 5:4, or 4: towards zero */
static int64_t want_int(double v, unsigned k, unsigned mode)
{
    exec_round(mode & 3);
    const volatile double whole = mode < 4 ? rint(v) : trunc(v);
    exec_round(0);
    const double c = isnan(v)            ? 0
                     : v < ints[k].least ? ints[k].least
                     : v > ints[k].most  ? ints[k].most
                                         : whole;
    return (int64_t)c;
}

START_TEST(floats_become_integers)
{
    for (unsigned p = 0; lab_platforms[p]; p++)
        for (unsigned k = 0; k < XK_COUNTOF(ints); k++) {
            char text[100];
            snprintf(text, sizeof(text),
                     "mov (8|M0) r20.0<%u>:%s "
                     "r10.0<1;1,0>:f\n",
                     4 / ints[k].size_b, ints[k].type);
            struct lab *x = lab_open(lab_platforms[p], text);
            for (unsigned n = 0; n < 20000; n++) {
                uint32_t in[8];
                const bool round = n >> 2 & 1;
                lab_start(x, 1,
                          KEEP | (n & 3) << 4 | (round ? ROUND_INTEGERS : 0));
                for (unsigned l = 0; l < 8; l++) {
                    in[l] = (rnd() & 0x80ffu) << 16 | rnd() | 0x3f000000u;
                    in[l] += (n >> 3) % 9 << 23;
                    if (l & 1) /* halves lie in the middle */
                        in[l] &= 0xfff00000u;
                }
                if (n < 4)
                    in[n] = 0x7f800001u << (n & 1) | n << 31;
                memcpy(lab_reg(x, 10), in, sizeof(in));
                lab_run_ok(x);
                for (unsigned l = 0; l < 8; l++) {
                    const int64_t want =
                        want_int(float_of(in[l]), k, round ? n & 3 : 4);
                    if (memcmp(lab_reg(x, 20) + 4 * l, &want, ints[k].size_b))
                        ck_abort_msg("0x%x is not %lld as %s", in[l],
                                     (long long)want, ints[k].type);
                }
            }
            lab_close(x);
        }
}
END_TEST

static void put_real(uint8_t *p, double v, const char *type)
{
    const float f = (float)v;
    const uint16_t h = (uint16_t)exact_bits(v, exact_hf, 0);
    if (type[0] == 'd')
        memcpy(p, &v, 8);
    else if (type[0] == 'h')
        memcpy(p, &h, 2);
    else
        memcpy(p, &f, 4);
}

/* Numbers that every format of the three holds, in and out of range. */
static void check_whole(struct lab *x, const char *from, unsigned from_b,
                        unsigned k, uint32_t cr0)
{
    static const double in[16] = {2.5,   3.5,   -2.5,  -0.5,  0.5,   1.25,
                                  0.0,   1.75,  -1.75, 126.5, -0.25, -127.5,
                                  254.5, 255.5, 300.0, -300.0};
    const unsigned mode = cr0 >> 12 & 1 ? cr0 >> 4 & 3 : 3;
    lab_start(x, 1, cr0);
    for (unsigned l = 0; l < 8; l++)
        put_real(lab_reg(x, 10) + from_b * l, in[l], from);
    for (unsigned l = 8; l < 16; l++)
        put_real(lab_reg(x, 12) + from_b * (l - 8), in[l], from);
    lab_run_ok(x);
    for (unsigned l = 0; l < 16; l++) {
        const int64_t want = want_int(exact_whole(in[l], mode), k, 4);
        if (memcmp(lab_reg(x, l < 8 ? 20 : 22) + 4 * (l & 7), &want,
                   ints[k].size_b))
            ck_abort_msg("%g with cr0 0x%x is not %lld: %s to %s", in[l], cr0,
                         (long long)want, from, ints[k].type);
    }
}

/* cr0.0[12]: 0 cuts whatever 5:4 say, 1 rounds as they say (intel-graphics-
 * compiler CISABuilder.hpp RMEncoding, oneDNN's prologues with 0x1480). */
START_TEST(bit_12_says_how_floats_become_integers)
{
    static const char *const from[] = {"f", "hf", "df"};
    for (unsigned p = 0; lab_platforms[p]; p++)
        for (unsigned k = 0; k < 3 * XK_COUNTOF(ints); k++) {
            char text[200];
            const unsigned i = k / 3, step = 4 / ints[i].size_b;
            const unsigned from_b = k % 3 == 2 ? 8 : k % 3 == 1 ? 2 : 4;
            if (k % 3 == 2 && strcmp(lab_platforms[p], "xehpc") != 0)
                continue;
            snprintf(text, sizeof(text),
                     "mov (8|M0) %sr20.0<%u>:%s r10.0<1;1,0>:%s\n"
                     "mov (8|M0) %sr22.0<%u>:%s r12.0<1;1,0>:%s\n",
                     step > 1 ? "(sat)" : "", step, ints[i].type, from[k % 3],
                     step > 1 ? "(sat)" : "", step, ints[i].type, from[k % 3]);
            struct lab *x = lab_open(lab_platforms[p], text);
            for (unsigned n = 0; n < 8; n++)
                check_whole(x, from[k % 3], from_b, i,
                            KEEP | (n & 3) << 4 | n >> 2 << 12);
            lab_close(x);
        }
}
END_TEST

/* 64-bit integers, df and f, on the platform that has them; the host rounds,
 * in the four modes. */
static void qwords(const char *text, void (*want)(uint64_t, void *),
                   unsigned to_b)
{
    struct lab *x = lab_open("xehpc", text);
    for (unsigned n = 0; n < 40000; n++) {
        uint64_t in[8];
        lab_start(x, 1, KEEP | (n & 3) << 4);
        for (unsigned l = 0; l < 8; l++) {
            in[l] = (uint64_t)rnd() << 48 | (uint64_t)rnd() << 32 |
                    rnd() << 16 | rnd();
            in[l] >>= (n & 16) ? rnd() % 60 : 0;
        }
        memcpy(lab_reg(x, 10), in, sizeof(in));
        lab_run_ok(x);
        for (unsigned l = 0; l < 8; l++) {
            uint64_t w = 0, got = 0;
            exec_round(n & 3);
            want(in[l], &w);
            exec_round(0);
            memcpy(&got, lab_reg(x, 20) + to_b * l, to_b);
            if (got != w && !exec_both_nan(&got, &w, to_b))
                ck_abort_msg("%s0x%llx mode %u is 0x%llx, not 0x%llx", text,
                             (unsigned long long)in[l], n & 3,
                             (unsigned long long)got, (unsigned long long)w);
        }
    }
    lab_close(x);
}

#define WANT(name, from, to, expr)                                             \
    static void name(uint64_t bits, void *out)                                 \
    {                                                                          \
        volatile from v;                                                       \
        from copy;                                                             \
        memcpy(&copy, &bits, sizeof(copy));                                    \
        v = copy;                                                              \
        volatile to r = (to)(expr);                                            \
        const to w = r;                                                        \
        memcpy(out, &w, sizeof(w));                                            \
    }

WANT(df_to_f, double, float, v)
WANT(q_to_df, int64_t, double, v)
WANT(uq_to_df, uint64_t, double, v)
WANT(q_to_f, int64_t, float, v)
WANT(uq_to_f, uint64_t, float, v)
WANT(q_to_d, int64_t, int32_t, v)

START_TEST(qwords_and_doubles_convert)
{
    qwords("mov (8|M0) r20.0<2>:f r10.0<1;1,0>:df\n"
           "mov (8|M0) r20.0<1>:f r20.0<2;1,0>:f\n",
           df_to_f, 4);
    qwords("mov (8|M0) r20.0<1>:df r10.0<1;1,0>:q\n", q_to_df, 8);
    qwords("mov (8|M0) r20.0<1>:df r10.0<1;1,0>:uq\n", uq_to_df, 8);
    qwords("mov (8|M0) r20.0<1>:f r10.0<1;1,0>:q\n", q_to_f, 4);
    qwords("mov (8|M0) r20.0<1>:f r10.0<1;1,0>:uq\n", uq_to_f, 4);
    qwords("mov (8|M0) r20.0<1>:d r10.0<1;1,0>:q\n", q_to_d, 4);
}
END_TEST

/* srnd adds the random bits below what stays, then cuts; over all of them the
 * average is the source. */
START_TEST(srnd_rounds_by_chance)
{
    static const uint32_t in[] = {0x3f800800, 0xbf801000, 0x40491fff,
                                  0x3f803001, 0x477fe000};
    struct lab *x = lab_open(
        "xehpc", "srnd (16|M0) r20.0<1>:hf r10.0<1;1,0>:f r12.0<1;1,0>:f\n");
    for (unsigned k = 0; k < XK_COUNTOF(in); k++) {
        double sum = 0;
        for (uint32_t r = 0; r < 8192; r += 16) {
            uint32_t lanes[16], chance[16];
            lab_start(x, 1, 0);
            for (uint32_t l = 0; l < 16; l++) {
                lanes[l] = in[k];
                chance[l] = (r + l) | (r * 77u) << 13;
            }
            memcpy(lab_reg(x, 10), lanes, sizeof(lanes));
            memcpy(lab_reg(x, 12), chance, sizeof(chance));
            lab_run_ok(x);
            for (uint32_t l = 0; l < 16; l++) {
                uint16_t h;
                memcpy(&h, lab_reg(x, 20) + 2 * l, 2);
                sum += exact_value(h, exact_hf);
            }
        }
        ck_assert_double_eq(sum / 8192, float_of(in[k]));
    }
    lab_close(x);
}
END_TEST

void exec_convert_tests(Suite *s)
{
    TCase *t = tcase_create("conversions");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, every_half_becomes_a_float);
    tcase_add_test(t, every_bfloat_becomes_a_float);
    tcase_add_test(t, every_half_becomes_an_8_bit_float_and_back);
    tcase_add_test(t, floats_round_to_halves);
    tcase_add_test(t, floats_round_to_bfloats_and_tf32);
    tcase_add_test(t, floats_become_integers);
    tcase_add_test(t, bit_12_says_how_floats_become_integers);
    tcase_add_test(t, qwords_and_doubles_convert);
    tcase_add_test(t, srnd_rounds_by_chance);
    suite_add_tcase(s, t);
}
