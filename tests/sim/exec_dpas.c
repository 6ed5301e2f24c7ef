/* SPDX-License-Identifier: Apache-2.0 */
/* dpas and dpasw against a plain triple loop, for every pair of types and every
 * repeat count. Integers and small numbers in floats must be exact; of other
 * floats only a bound is known, since the order of the sums is not public:
 * each of at most 17 additions may be off by 2^-23 of the sum of magnitudes. */
#include "sim/exec/select.h"
#include "tests/sim/exec_tests.h"

#include <math.h>
#include <string.h>

#include "tests/sim/exact.h"
#include "tests/sim/lab.h"

struct elem {
    const char *name;
    unsigned bits;
    bool is_signed;
    const struct exact_format *format; /* NULL: integer */
};

static const struct elem elems[] = {
    {"ub", 8, false, NULL},          {"b", 8, true, NULL},
    {"u4", 4, false, NULL},          {"s4", 4, true, NULL},
    {"u2", 2, false, NULL},          {"s2", 2, true, NULL},
    {"hf", 16, true, &exact_hf},     {"bf", 16, true, &exact_bf},
    {"tf32", 32, true, &exact_tf32},
};

static const struct elem sums[] = {
    {"d", 32, true, NULL},       {"ud", 32, false, NULL},
    {"f", 32, true, &exact_f},   {"hf", 16, true, &exact_hf},
    {"bf", 16, true, &exact_bf},
};

struct form {
    const char *op;
    unsigned rows, cols;
    const struct elem *d, *c, *b, *a; /* c may be NULL */
};

static uint32_t seed = 5;

static uint32_t rnd(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 16;
}

/* `bits` bits at a position of the register file. */
static uint32_t bits_at(const uint8_t *rf, uint32_t at_bit, unsigned bits)
{
    uint64_t v;
    memcpy(&v, rf + at_bit / 8, 8);
    return (uint32_t)(v >> at_bit % 8 & ((UINT64_C(1) << bits) - 1));
}

static double value(uint32_t v, const struct elem *e)
{
    if (e->format == &exact_tf32)
        return exact_value(v >> 13, *e->format);
    if (e->format)
        return exact_value(v, *e->format);
    return e->is_signed && v >> (e->bits - 1)
               ? (double)v - ldexp(1, (int)e->bits)
               : (double)v;
}

static unsigned steps(const struct form *f)
{
    const unsigned w = f->a->bits > f->b->bits ? f->a->bits : f->b->bits;
    return 8 * (w == 32 ? 1 : w == 16 ? 2 : w == 8 ? 4 : 8);
}

enum { DST = 20, SRC0 = 40, SRC1 = 60, SRC2 = 80 };

/* What a product is of: a thread's registers, and src2, which may have been put
 * together from two threads. */
struct factors {
    const uint8_t *rf;
    uint32_t grf_b;
    const uint8_t *src2;
};

/* The product's row m and column n; *size is the sum of magnitudes. */
static double cell(const struct form *f, const struct factors *x, unsigned m,
                   unsigned n, double *size)
{
    const unsigned depth = steps(f);
    const uint8_t *const rf = x->rf;
    const uint32_t grf_b = x->grf_b;
    double sum = 0;
    if (f->c)
        sum = value(bits_at(rf,
                            (SRC0 * grf_b) * 8 + (m * f->cols + n) * f->c->bits,
                            f->c->bits),
                    f->c);
    *size = fabs(sum);
    for (unsigned k = 0; k < depth; k++) {
        const unsigned p = k * f->b->bits;
        const uint32_t column =
            (SRC1 * grf_b + (p / 32 * f->cols + n) * 4) * 8 + p % 32;
        const double b = value(bits_at(rf, column, f->b->bits), f->b);
        const double a = value(
            bits_at(x->src2, (m * depth + k) * f->a->bits, f->a->bits), f->a);
        sum += a * b;
        *size += fabs(a * b);
    }
    return sum;
}

static double wrapped(double v, const struct form *f)
{
    const double lo = f->d->is_signed ? -0x1p31 : 0;
    return v - floor((v - lo) / 0x1p32) * 0x1p32;
}

static void check_cell(const struct form *f, double want, double size,
                       uint32_t bits, bool exact)
{
    const double got = value(bits, f->d);
    double bound = 0;
    if (!f->d->format)
        want = wrapped(want, f);
    else if (!exact)
        bound = size * 0x1p-23 * 17 +
                fabs(want) * ldexp(1, -f->d->format->bits) +
                ldexp(1, f->d->format->least - f->d->format->fraction);
    if (!(fabs(got - want) <= bound))
        ck_abort_msg("%s rows %u %s %s %s %s: %g, not %g", f->op, f->rows,
                     f->d->name, f->c ? f->c->name : "null", f->b->name,
                     f->a->name, got, want);
}

static void text_of(const struct form *f, char *out, size_t out_b)
{
    char c[20] = "null";
    if (f->c)
        snprintf(c, sizeof(c), "r%u", SRC0);
    snprintf(out, out_b, "%s.8x%u (%u|M0) r%u:%s %s:%s r%u:%s r%u.0:%s\n",
             f->op, f->rows, f->cols, DST, f->d->name, c,
             f->c ? f->c->name : f->d->name, SRC1, f->b->name, SRC2,
             f->a->name);
}

/* Small whole numbers, so that all sums are exact; or any of moderate size. */
static void fill(uint8_t *p, unsigned n_b, const struct elem *e, bool small)
{
    for (unsigned at = 0; at < n_b; at += 4) {
        uint32_t v = rnd() << 16 | rnd();
        if (e && e->format && small) {
            v = 0;
            for (unsigned k = 0; k < 32; k += e->bits) {
                const uint32_t w =
                    exact_bits((double)(rnd() % 9) - 4, *e->format, 0);
                v |= e->bits == 32 && e->format == &exact_tf32 ? w << 13
                                                               : w << k;
            }
        } else if (e && e->format && e->bits == 32) {
            v = (v & 0x83ffffffu) | 0x3c000000u;
        } else if (e && e->format) {
            v = (v & 0x8fff8fffu) | 0x30003000u;
        }
        memcpy(p + at, &v, 4);
    }
}

static void start(struct lab *x, const struct form *f, unsigned threads,
                  bool small)
{
    const uint32_t grf_b = x->k->grf_b;
    lab_start(x, threads, 0x4c0);
    for (unsigned i = 0; i < threads; i++) {
        uint8_t *const rf = x->t[i].rf;
        fill(rf + SRC0 * grf_b, 8 * grf_b, f->c, small);
        fill(rf + SRC1 * grf_b, 8 * grf_b, f->b, small);
        fill(rf + SRC2 * grf_b, 8 * grf_b, f->a, small);
    }
}

/* isa.md 7: the first half of the registers, rounded up, is the even one's. */
static void join_src2(const struct lab *x, const struct form *f, uint8_t *out)
{
    const uint32_t grf_b = x->k->grf_b, at = SRC2 * grf_b;
    const uint32_t n_b = f->rows * steps(f) * f->a->bits / 8;
    const uint32_t n_grf = (n_b + grf_b - 1) / grf_b;
    const uint32_t first_b = (n_grf + 1) / 2 * grf_b;
    memcpy(out, x->t[0].rf + at, 8 * grf_b);
    if (x->group.n_threads == 2)
        memcpy(out + first_b, x->t[1].rf + at, 8 * grf_b - first_b);
}

static void run_form(struct lab *x, const struct form *f, unsigned threads,
                     bool small)
{
    static uint8_t before[2][XK_RF_END_B], src2[8 * 64 + 8];
    start(x, f, threads, small);
    join_src2(x, f, src2);
    for (unsigned i = 0; i < threads; i++)
        memcpy(before[i], x->t[i].rf, XK_RF_END_B);
    lab_run_ok(x);
    for (unsigned i = 0; i < threads; i++)
        for (unsigned m = 0; m < f->rows; m++)
            for (unsigned n = 0; n < f->cols; n++) {
                double size;
                const struct factors of = {before[i], x->k->grf_b, src2};
                const double want = cell(f, &of, m, n, &size);
                check_cell(f, want, size,
                           bits_at(x->t[i].rf,
                                   DST * x->k->grf_b * 8 +
                                       (m * f->cols + n) * f->d->bits,
                                   f->d->bits),
                           small);
            }
}

static bool fits(const char *platform, const struct form *f)
{
    const bool hpc = !strcmp(platform, "xehpc");
    if (!f->d->format)
        return !f->a->format && !f->b->format && (!f->c || !f->c->format);
    if (f->a != f->b || !f->a->format || (f->c && !f->c->format))
        return false;
    if (f->a->bits == 32 && !hpc)
        return false;
    const bool narrow = f->d->bits == 16 || (f->c && f->c->bits == 16);
    if (!narrow)
        return true;
    return hpc && (f->d->bits == 32 || f->d->format == f->a->format) &&
           (!f->c || f->c->bits == 32 || f->c->format == f->a->format);
}

static unsigned run_all_of(const char *platform, struct form f)
{
    char text[200];
    const unsigned threads = strcmp(f.op, "dpasw") ? 1 : 2;
    if (!fits(platform, &f))
        return 0;
    for (f.rows = 1; f.rows <= 8; f.rows++) {
        text_of(&f, text, sizeof(text));
        struct lab *x = lab_open(platform, text);
        for (unsigned k = 0; k < 3; k++) {
            run_form(x, &f, threads, true);
            run_form(x, &f, threads, false);
        }
        lab_close(x);
    }
    return 1;
}

static unsigned run_platform(const char *platform, const char *op,
                             unsigned cols)
{
    unsigned n = 0;
    for (unsigned d = 0; d < XK_COUNTOF(sums); d++)
        for (unsigned c = 0; c <= XK_COUNTOF(sums); c++)
            for (unsigned b = 0; b < XK_COUNTOF(elems); b++)
                for (unsigned a = 0; a < XK_COUNTOF(elems); a++)
                    n += run_all_of(
                        platform,
                        (struct form){op, 0, cols, &sums[d],
                                      c < XK_COUNTOF(sums) ? &sums[c] : NULL,
                                      &elems[b], &elems[a]});
    return n;
}

START_TEST(dpas_is_a_triple_loop)
{
    /* 36 pairs of integers with 2 sums and 2 addends or none; floats: 2
     * pairs with f, 3 with f and all mixes of f and their own type. */
    ck_assert_uint_eq(run_platform("xehpg", "dpas", 8), 36 * 6 + 2 * 2);
    ck_assert_uint_eq(run_platform("xehpc", "dpas", 16), 36 * 6 + 2 * 6 + 2);
}
END_TEST

START_TEST(dpasw_shares_src2_between_a_pair)
{
    ck_assert_uint_eq(run_platform("xehpg", "dpasw", 8), 36 * 6 + 2 * 2);
}
END_TEST

/* All that only column n reads. */
static void spoil_column(uint8_t *rf, uint32_t grf_b, const struct form *f,
                         unsigned n)
{
    for (unsigned k = 0; k < 8; k++)
        memset(rf + (SRC1 + k) * grf_b + 4 * n, 0xff, 4);
    for (unsigned m = 0; f->c && m < f->rows; m++)
        memset(rf + SRC0 * grf_b + (m * f->cols + n) * f->c->bits / 8, 0xff,
               f->c->bits / 8);
}

static void check_masked(struct lab *x, const struct form *f, unsigned threads)
{
    static uint8_t before[2][XK_RF_END_B], src2[8 * 64 + 8];
    const unsigned sum_b = f->d->bits / 8;
    start(x, f, threads, true);
    join_src2(x, f, src2);
    for (unsigned i = 0; i < threads; i++) {
        x->t[i].active = rnd() & 0xffff;
        for (unsigned n = 0; n < f->cols; n++)
            if (!(x->t[i].active >> n & 1))
                spoil_column(x->t[i].rf, x->k->grf_b, f, n);
        memcpy(before[i], x->t[i].rf, XK_RF_END_B);
    }
    lab_run_ok(x);
    for (unsigned i = 0; i < threads; i++)
        for (unsigned m = 0; m < f->rows; m++)
            for (unsigned n = 0; n < f->cols; n++) {
                const uint32_t at_b =
                    DST * x->k->grf_b + (m * f->cols + n) * sum_b;
                const struct factors of = {before[i], x->k->grf_b, src2};
                double size;
                if (x->t[i].active >> n & 1)
                    check_cell(f, cell(f, &of, m, n, &size), 0,
                               bits_at(x->t[i].rf, 8 * at_b, f->d->bits), true);
                else
                    ck_assert_msg(
                        !memcmp(x->t[i].rf + at_b, before[i] + at_b, sum_b),
                        "%s %s: column %u is off, and written", f->op,
                        f->b->name, n);
            }
}

START_TEST(columns_that_are_off_may_hold_anything)
{
    static const struct {
        const char *platform, *op;
        unsigned cols, threads;
    } places[] = {{"xehpg", "dpas", 8, 1},
                  {"xehpg", "dpasw", 8, 2},
                  {"xehpc", "dpas", 16, 1}};
    static const struct {
        unsigned sum, elem;
    } types[] = {{2, 6}, {2, 7}, {0, 1}, {1, 2}, {0, 5}};
    for (unsigned k = 0; k < XK_COUNTOF(places); k++)
        for (unsigned t = 0; t < XK_COUNTOF(types); t++)
            for (unsigned with_c = 0; with_c < 2; with_c++) {
                const struct elem *const e = &elems[types[t].elem];
                const struct elem *const d = &sums[types[t].sum];
                const struct form f = {places[k].op,
                                       8,
                                       places[k].cols,
                                       d,
                                       with_c ? d : NULL,
                                       e,
                                       e};
                char text[200];
                text_of(&f, text, sizeof text);
                struct lab *const x = lab_open(places[k].platform, text);
                for (unsigned n = 0; n < 4; n++)
                    check_masked(x, &f, places[k].threads);
                lab_close(x);
            }
}
END_TEST

/* What the selector chose for this host, what it would choose for any other
 * one, and the general form, bit for bit. */
static void check_ways(const struct form *f)
{
    char text[200];
    static uint8_t before[XK_RF_END_B], want[XK_RF_END_B];
    text_of(f, text, sizeof(text));
    struct lab *x = lab_open("xehpc", text);
    const struct xk_sim_inst *const e = &x->k->inst[0];
    struct xk_sim_thread *const t = &x->t[0];
    xk_sim_fn *const ways[3] = {xk_sim_exec_dpas, e->fn,
                                xk_sim_select_dpas_any(e)};
    start(x, f, 1, false);
    memcpy(before, t->rf, XK_RF_END_B);
    for (unsigned k = 0; k < 3; k++) {
        memcpy(t->rf, before, XK_RF_END_B);
        xk_sim_thread_cr_written(t);
        ways[k](t, e);
        if (!k)
            memcpy(want, t->rf, XK_RF_END_B);
        ck_assert_msg(!memcmp(t->rf, want, XK_RF_END_B), "way %u: %s", k, text);
    }
    exec_round(0);
    lab_close(x);
}

START_TEST(direct_forms_agree_with_the_general_one)
{
    static const struct {
        unsigned sum, b, a;
    } pairs[] = {{2, 6, 6}, {2, 7, 7}, {2, 8, 8}, {0, 0, 1},
                 {0, 1, 1}, {0, 1, 0}, {1, 0, 0}};
    for (unsigned k = 0; k < XK_COUNTOF(pairs); k++)
        for (unsigned rows = 1; rows <= 8; rows++) {
            struct form f = {"dpas",
                             rows,
                             16,
                             &sums[pairs[k].sum],
                             NULL,
                             &elems[pairs[k].b],
                             &elems[pairs[k].a]};
            check_ways(&f);
            f.c = f.d;
            for (unsigned n = 0; n < 20; n++)
                check_ways(&f);
        }
}
END_TEST

START_TEST(a_lonely_dpasw_is_a_finding)
{
    struct lab *x =
        lab_open("xehpg", "dpasw.8x8 (8|M0) r20:d r40:d r60:b r80.0:b\n"
                          "dpasw.8x8 (8|M0) r20:d r40:d r60:b r80.0:b\n");
    lab_start(x, 1, 0);
    ck_assert(!lab_run(x));
    ck_assert_msg(strstr(x->err.message, "not one of a pair") != NULL, "%s",
                  x->err.message);
    lab_start(x, 2, 0);
    x->t[1].ip = 1; /* one instruction ahead */
    ck_assert(!lab_run(x));
    ck_assert_msg(strstr(x->err.message, "is at the dpasw at offset 0x") !=
                      NULL,
                  "%s", x->err.message);
    lab_start(x, 2, 0);
    x->t[1].state = XK_SIM_DONE;
    ck_assert(!lab_run(x));
    ck_assert_msg(strstr(x->err.message, "has ended") != NULL, "%s",
                  x->err.message);
    lab_close(x);
}
END_TEST

void exec_dpas_tests(Suite *s)
{
    TCase *t = tcase_create("dpas");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, dpas_is_a_triple_loop);
    tcase_add_test(t, dpasw_shares_src2_between_a_pair);
    tcase_add_test(t, columns_that_are_off_may_hold_anything);
    tcase_add_test(t, direct_forms_agree_with_the_general_one);
    tcase_add_test(t, a_lonely_dpasw_is_a_finding);
    suite_add_tcase(s, t);
}
