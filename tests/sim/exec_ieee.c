/* SPDX-License-Identifier: Apache-2.0 */
/* Division and square root by the sequences of madm that Intel's compiler
 * emits: in every rounding mode, over the whole range of the type and its
 * denormals, they must be the host's. */
#include "tests/sim/exec_tests.h"

#include <math.h>
#include <string.h>

#include "tests/sim/lab.h"

#define ROUNDING "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud %u:uw\n"

/* r10 / r14; the last step rounds. df: as ocloc compiles it for pvc. */
static const char div_df[] =
    "math.invm (16|M0) (eo)f1.0 r22.mme0:df r10.nomme:df r14.nomme:df\n"
    "(f1.0) goto (16|M0) OUT OUT\n"
    "madm (16|M0) r24.mme1:df r34.nomme:df r10.nomme:df r22.mme0:df\n"
    "madm (16|M0) acc0.mme2:df r36.nomme:df -r14.nomme:df r22.mme0:df\n"
    "madm (16|M0) acc2.mme3:df r10.nomme:df -r14.nomme:df r24.mme1:df\n"
    "madm (16|M0) r30.mme4:df r22.mme0:df acc0.mme2:df r22.mme0:df\n"
    "madm (16|M0) r32.mme5:df r36.nomme:df -r14.nomme:df r30.mme4:df\n"
    "madm (16|M0) r22.mme6:df r22.mme0:df acc0.mme2:df r30.mme4:df\n"
    "madm (16|M0) r24.mme7:df r24.mme1:df acc2.mme3:df r30.mme4:df\n"
    "madm (16|M0) r30.mme0:df r30.mme4:df r22.mme6:df r32.mme5:df\n"
    "madm (16|M0) acc0.mme1:df r10.nomme:df -r14.nomme:df "
    "r24.mme7:df\n" ROUNDING
    "madm (16|M0) r22.nomme:df r24.mme7:df acc0.mme1:df r30.mme0:df\n"
    "OUT:\njoin (16|M0) END\nEND:\n"
    "mov (16|M0) r60.0<1>:df r22.0<1;1,0>:df\n";

static const char sqrt_df[] =
    "math.rsqtm (16|M0) (eo)f0.1 r22.mme0:df r10.nomme:df\n"
    "(f0.1) goto (16|M0) OUT OUT\n"
    "madm (16|M0) r57.mme1:df r34.nomme:df r38.nomme:df r22.mme0:df\n"
    "madm (16|M0) r50.mme2:df r34.nomme:df r10.nomme:df r22.mme0:df\n"
    "madm (16|M0) r52.mme3:df r38.nomme:df -r50.mme2:df r57.mme1:df\n"
    "madm (16|M0) acc0.mme5:df r36.nomme:df r40.nomme:df r52.mme3:df\n"
    "madm (16|M0) r22.mme6:df r34.nomme:df r52.mme3:df r50.mme2:df\n"
    "madm (16|M0) r52.mme7:df r34.nomme:df r52.mme3:df r57.mme1:df\n"
    "madm (16|M0) r22.mme6:df r50.mme2:df acc0.mme5:df r22.mme6:df\n"
    "madm (16|M0) r55.mme5:df r57.mme1:df acc0.mme5:df r52.mme7:df\n"
    "madm (16|M0) acc0.mme1:df r10.nomme:df -r22.mme6:df r22.mme6:df\n" ROUNDING
    "madm (16|M0) r22.nomme:df r22.mme6:df acc0.mme1:df r55.mme5:df\n"
    "OUT:\njoin (16|M0) END\nEND:\n"
    "mov (16|M0) r60.0<1>:df r22.0<1;1,0>:df\n";

/* f: the steps that IGC documents (VisaToG4/TranslateMath.cpp). */
static const char div_f[] =
    "math.invm (16|M0) (eo)f0.0 r22.mme0:f r10.nomme:f r14.nomme:f\n"
    "(f0.0) goto (16|M0) OUT OUT\n"
    "madm (16|M0) r24.mme1:f r34.nomme:f r10.nomme:f r22.mme0:f\n"
    "madm (16|M0) r26.mme2:f r36.nomme:f -r14.nomme:f r22.mme0:f\n"
    "madm (16|M0) r28.mme3:f r22.mme0:f r26.mme2:f r22.mme0:f\n"
    "madm (16|M0) r30.mme4:f r10.nomme:f -r14.nomme:f r24.mme1:f\n"
    "madm (16|M0) r24.mme5:f r24.mme1:f r30.mme4:f r28.mme3:f\n"
    "madm (16|M0) r32.mme6:f r10.nomme:f -r14.nomme:f r24.mme5:f\n" ROUNDING
    "madm (16|M0) r22.nomme:f r24.mme5:f r32.mme6:f r28.mme3:f\n"
    "OUT:\njoin (16|M0) END\nEND:\n"
    "mov (16|M0) r60.0<1>:f r22.0<1;1,0>:f\n";

static const char sqrt_f[] =
    "math.rsqtm (16|M0) (eo)f0.0 r22.mme0:f r10.nomme:f\n"
    "(f0.0) goto (16|M0) OUT OUT\n"
    "madm (16|M0) r24.mme1:f r34.nomme:f r38.nomme:f r22.mme0:f\n"
    "madm (16|M0) r26.mme2:f r34.nomme:f r10.nomme:f r22.mme0:f\n"
    "madm (16|M0) r28.mme3:f r38.nomme:f -r26.mme2:f r24.mme1:f\n"
    "madm (16|M0) r24.mme4:f r24.mme1:f r28.mme3:f r24.mme1:f\n"
    "madm (16|M0) r22.mme5:f r26.mme2:f r28.mme3:f r26.mme2:f\n"
    "madm (16|M0) r28.mme6:f r10.nomme:f -r22.mme5:f r22.mme5:f\n" ROUNDING
    "madm (16|M0) r22.nomme:f r22.mme5:f r24.mme4:f r28.mme6:f\n"
    "OUT:\njoin (16|M0) END\nEND:\n"
    "mov (16|M0) r60.0<1>:f r22.0<1;1,0>:f\n";

static uint64_t seed = 88172645463325252u;

static uint64_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Many of few bits, many special ones, all exponents. */
static uint64_t operand(unsigned size_b)
{
    const unsigned fraction = size_b == 8 ? 52 : 23;
    uint64_t v = size_b == 8 ? rnd() : rnd() >> 32;
    const uint64_t frac = (UINT64_C(1) << fraction) - 1;
    switch (rnd() % 16) {
    case 0:
        return v & ~(frac >> rnd() % fraction);
    case 1:
        return v | (frac >> rnd() % fraction);
    case 2: /* denormal */
        return v & (frac | UINT64_C(1) << (size_b * 8 - 1));
    case 3:
        v |= (size_b == 8 ? UINT64_C(0x7ff) : UINT64_C(0xff)) << fraction;
        return rnd() & 1 ? v & ~frac : v;
    case 4:
        return v & UINT64_C(1) << (size_b * 8 - 1);
    case 5: /* near the largest */
        return v | (size_b == 8 ? UINT64_C(0x7fe) : UINT64_C(0xfe)) << fraction;
    default:
        return v;
    }
}

static void host(uint64_t a, uint64_t b, unsigned size_b, bool root,
                 unsigned mode, void *out)
{
    volatile double x, y, d;
    volatile float u, v, f;
    memcpy((void *)&x, &a, 8);
    memcpy((void *)&y, &b, 8);
    memcpy((void *)&u, &a, 4);
    memcpy((void *)&v, &b, 4);
    exec_round(mode);
    if (size_b == 8)
        d = root ? sqrt(x) : x / y;
    else
        f = root ? sqrtf(u) : u / v;
    exec_round(0);
    if (size_b == 8)
        memcpy(out, (void *)&d, 8);
    else
        memcpy(out, (void *)&f, 4);
}

static void constants(struct lab *x, unsigned size_b)
{
    static const double v[4] = {0, 1, 0.5, 1.5};
    for (unsigned k = 0; k < 4; k++)
        for (unsigned l = 0; l < 16; l++) {
            const float f = (float)v[k];
            uint8_t *const p = lab_reg(x, 34 + 2 * k) + l * size_b;
            memcpy(p, size_b == 8 ? (const void *)&v[k] : &f, size_b);
        }
}

static void check(const char *platform, const char *text, unsigned size_b,
                  bool root, unsigned rounds)
{
    for (unsigned mode = 0; mode < 4; mode++) {
        char with_mode[2000];
        snprintf(with_mode, sizeof(with_mode), text, mode << 4);
        struct lab *x = lab_open(platform, with_mode);
        for (unsigned n = 0; n < rounds; n++) {
            uint64_t a[16], b[16];
            lab_start(x, 1, 0x4c0);
            constants(x, size_b);
            for (unsigned l = 0; l < 16; l++) {
                a[l] = operand(size_b);
                b[l] = operand(size_b);
                memcpy(lab_reg(x, 10) + l * size_b, &a[l], size_b);
                memcpy(lab_reg(x, 14) + l * size_b, &b[l], size_b);
            }
            lab_run_ok(x);
            for (unsigned l = 0; l < 16; l++) {
                uint64_t want = 0, got = 0;
                host(a[l], b[l], size_b, root, mode, &want);
                memcpy(&got, lab_reg(x, 60) + l * size_b, size_b);
                if (got != want && !exec_both_nan(&got, &want, size_b))
                    ck_abort_msg(
                        "%s 0x%llx 0x%llx mode %u: 0x%llx, not 0x%llx",
                        root ? "sqrt" : "div", (unsigned long long)a[l],
                        (unsigned long long)b[l], mode, (unsigned long long)got,
                        (unsigned long long)want);
            }
        }
        lab_close(x);
    }
}

START_TEST(double_division_is_ieee)
{
    check("xehpc", div_df, 8, false, 10000);
}
END_TEST

START_TEST(double_square_root_is_ieee)
{
    check("xehpc", sqrt_df, 8, true, 10000);
}
END_TEST

START_TEST(float_division_is_ieee)
{
    check("xehpc", div_f, 4, false, 10000);
    check("xehpg", div_f, 4, false, 1000);
}
END_TEST

START_TEST(float_square_root_is_ieee)
{
    check("xehpc", sqrt_f, 4, true, 10000);
    check("xehpg", sqrt_f, 4, true, 1000);
}
END_TEST

void exec_macro_tests(Suite *s)
{
    TCase *t = tcase_create("macros");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, double_division_is_ieee);
    tcase_add_test(t, double_square_root_is_ieee);
    tcase_add_test(t, float_division_is_ieee);
    tcase_add_test(t, float_square_root_is_ieee);
    suite_add_tcase(s, t);
}
