/* SPDX-License-Identifier: Apache-2.0 */
/* Integer instructions against exact 128-bit arithmetic and bit loops: result,
 * saturation, flags, overflow, on every platform. */
#include "tests/sim/exec_tests.h"

#include <string.h>

#include "tests/sim/lab.h"

__extension__ typedef __int128 i128;

struct type {
    const char *name;
    unsigned size_b;
    bool is_signed;
};

static const struct type ud = {"ud", 4, false}, sd = {"d", 4, true},
                         uw = {"uw", 2, false}, sw = {"w", 2, true},
                         uq = {"uq", 8, false}, sq = {"q", 8, true};

static uint64_t seed = 88172645463325252u;

static uint64_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Corners are as likely as the rest. */
static uint64_t operand(void)
{
    switch (rnd() % 4) {
    case 0:
        return rnd() % 5 - 2;
    case 1:
        return (UINT64_C(1) << rnd() % 64) - rnd() % 2;
    case 2:
        return UINT64_C(0x8000000080008000) + rnd() % 3 - 1;
    default:
        return rnd();
    }
}

static i128 value(const void *p, const struct type *t)
{
    uint64_t v = 0;
    memcpy(&v, p, t->size_b);
    const unsigned up = 64 - 8 * t->size_b;
    return t->is_signed ? (i128)((int64_t)(v << up) >> up) : (i128)v;
}

static i128 most(const struct type *t)
{
    return ((i128)1 << (8 * t->size_b - t->is_signed)) - 1;
}

static i128 least(const struct type *t)
{
    return t->is_signed ? -most(t) - 1 : 0;
}

static i128 wrap(i128 v, const struct type *t)
{
    return value(&v, t);
}

static i128 clamp(i128 v, const struct type *t)
{
    return v < least(t) ? least(t) : v > most(t) ? most(t) : v;
}

/* References, of exact values and the width of the operation. */
typedef i128 reference(i128 a, i128 b, i128 c, unsigned bits);

#define REF(name, expr)                                                        \
    static i128 name(i128 a, i128 b, i128 c, unsigned bits)                    \
    {                                                                          \
        (void)b, (void)c, (void)bits;                                          \
        return expr;                                                           \
    }

static bool bit(i128 v, unsigned k)
{
    return v >> k & 1;
}

static i128 build(unsigned bits, i128 a, i128 b, i128 c,
                  bool (*f)(i128, i128, i128, unsigned))
{
    i128 r = 0;
    for (unsigned k = 0; k < bits; k++)
        r |= (i128)f(a, b, c, k) << k;
    return r;
}

static bool bfn_bit(i128 a, i128 b, i128 c, unsigned k)
{
    return 0x6a >> (bit(a, k) + 2 * bit(b, k) + 4 * bit(c, k)) & 1;
}

static bool reversed(i128 a, i128 b, i128 c, unsigned k)
{
    (void)b, (void)c;
    return bit(a, 31 - k);
}

/* bfi2 moves b to the mask's lowest bit: the compiler makes bfi1 and bfi2 of
 * vISA's bfi, and no shift (BFI.md; tests/opencl's types_fields). */
static bool merged(i128 a, i128 b, i128 c, unsigned k)
{
    unsigned low = 0;
    while (low < k && !bit(a, low))
        low++;
    return bit(a, k) ? bit(b, k - low) : bit(c, k);
}

static i128 rotated(i128 a, i128 n, unsigned bits)
{
    i128 r = 0;
    for (unsigned k = 0; k < bits; k++)
        r |= (i128)bit(a, k) << (unsigned)((k + (uint64_t)n) % bits);
    return r;
}

static i128 ones(i128 a)
{
    unsigned n = 0;
    for (unsigned k = 0; k < 32; k++)
        n += bit(a, k);
    return n;
}

/* From the top, or the bottom, the first bit that is `on`. */
static i128 first(i128 a, bool on, bool top, i128 none)
{
    for (unsigned k = 0; k < 32; k++)
        if (bit(a, top ? 31 - k : k) == on)
            return k;
    return none;
}

static i128 field(i128 width, i128 at, i128 v, bool is_signed)
{
    const unsigned w = (unsigned)width & 31, o = (unsigned)at & 31;
    i128 r = 0;
    for (unsigned k = 0; k < w && k + o < 32; k++)
        r |= (i128)bit(v, k + o) << k;
    const unsigned n = w + o > 32 ? 32 - o : w;
    return is_signed && w && bit(r, n - 1) ? r - ((i128)1 << n) : r;
}

static i128 dot4(i128 a, i128 b, i128 c)
{
    for (unsigned k = 0; k < 4; k++)
        a += (int8_t)(b >> 8 * k) * (int8_t)(c >> 8 * k);
    return a;
}

REF(r_mov, a)
REF(r_add, a + b)
REF(r_mul, a *b)
REF(r_avg, (a + b + 1) >> 1)
REF(r_add3, a + b + c)
REF(r_mad, a + b * c)
REF(r_and, a &b)
REF(r_or, a | b)
REF(r_xor, a ^ b)
REF(r_not, ~a)
REF(r_shl, a *((i128)1 << (unsigned)(b & (bits - 1))))
REF(r_shr, a >> (unsigned)(b & (bits - 1)))
REF(r_rol, rotated(a, b &(bits - 1), bits))
REF(r_ror, rotated(a, bits - (b & (bits - 1)), bits))
REF(r_lzd, first(a, true, true, 32))
REF(r_fbh, first(a, true, true, 0xffffffff))
REF(r_fbh_d, first(a, a >= 0, true, 0xffffffff))
REF(r_fbl, first(a, true, false, 0xffffffff))
REF(r_cbit, ones(a))
REF(r_bfrev, build(32, a, b, c, reversed))
REF(r_bfn, build(32, a, b, c, bfn_bit))
REF(r_bfi2, build(32, a, b, c, merged))
REF(r_bfi1, (((i128)1 << (unsigned)(a & 31)) - 1) << (unsigned)(b & 31))
REF(r_bfe, field(a, b, c, false))
REF(r_bfe_d, field(a, b, c, true))
REF(r_dp4a, dot4(a, b, c))
REF(r_min, a < b ? a : b)
REF(r_max, a > b ? a : b)

enum on { ALL = 7, DG = 6, HPC = 4 }; /* bit k: platform k */

static const struct op {
    const char *text; /* behind the predicate: mnemonic */
    reference *ref;
    const struct type *d, *a, *b, *c;
    unsigned on;
    bool may_sat, may_cond;
    unsigned bits; /* of shifts */
} ops[] = {
    {"add", r_add, &sd, &sd, &sd, NULL, ALL, true, true, 32},
    {"add", r_add, &ud, &ud, &sd, NULL, ALL, true, true, 32},
    {"add", r_add, &sw, &sw, &sw, NULL, ALL, true, true, 32},
    {"add", r_add, &uw, &ud, &uw, NULL, ALL, true, true, 32},
    {"mul", r_mul, &sd, &sd, &sw, NULL, ALL, false, false, 32},
    {"mul", r_mul, &ud, &ud, &uw, NULL, ALL, false, false, 32},
    {"mul", r_mul, &sd, &sw, &sw, NULL, ALL, true, true, 32},
    {"avg", r_avg, &sd, &sd, &sd, NULL, ALL, true, true, 32},
    {"avg", r_avg, &uw, &uw, &uw, NULL, ALL, true, true, 32},
    {"and", r_and, &ud, &ud, &ud, NULL, ALL, false, true, 32},
    {"or", r_or, &ud, &ud, &ud, NULL, ALL, false, true, 32},
    {"xor", r_xor, &sd, &sd, &sd, NULL, ALL, false, true, 32},
    {"not", r_not, &sd, &sd, NULL, NULL, ALL, false, true, 32},
    {"shl", r_shl, &ud, &ud, &ud, NULL, ALL, true, true, 32},
    {"shl", r_shl, &sd, &sd, &uw, NULL, ALL, true, false, 32},
    {"shr", r_shr, &ud, &ud, &ud, NULL, ALL, false, true, 32},
    {"asr", r_shr, &sd, &sd, &ud, NULL, ALL, false, true, 32},
    {"rol", r_rol, &ud, &ud, &ud, NULL, ALL, false, true, 32},
    {"ror", r_ror, &ud, &ud, &ud, NULL, ALL, false, true, 32},
    {"rol", r_rol, &uw, &uw, &uw, NULL, ALL, false, true, 16},
    {"lzd", r_lzd, &ud, &ud, NULL, NULL, ALL, false, true, 32},
    {"fbh", r_fbh, &ud, &ud, NULL, NULL, ALL, false, false, 32},
    {"fbh", r_fbh_d, &ud, &sd, NULL, NULL, ALL, false, false, 32},
    {"fbl", r_fbl, &ud, &ud, NULL, NULL, ALL, false, false, 32},
    {"cbit", r_cbit, &ud, &ud, NULL, NULL, ALL, false, false, 32},
    {"bfrev", r_bfrev, &ud, &ud, NULL, NULL, ALL, false, false, 32},
    {"bfi1", r_bfi1, &ud, &ud, &ud, NULL, ALL, false, false, 32},
    {"bfi2", r_bfi2, &ud, &ud, &ud, &ud, ALL, false, false, 32},
    {"bfe", r_bfe, &ud, &ud, &ud, &ud, ALL, false, false, 32},
    {"bfe", r_bfe_d, &sd, &sd, &sd, &sd, ALL, false, false, 32},
    {"bfn.0x6A", r_bfn, &ud, &ud, &ud, &ud, DG, false, true, 32},
    {"add3", r_add3, &sd, &sd, &sd, &sd, DG, true, true, 32},
    {"add3", r_add3, &uw, &uw, &uw, &uw, DG, true, true, 32},
    {"mad", r_mad, &sd, &sd, &sd, &sw, ALL, false, false, 32},
    {"mad", r_mad, &sd, &sd, &sw, &sw, ALL, true, true, 32},
    {"dp4a", r_dp4a, &sd, &sd, &sd, &sd, ALL, true, true, 32},
    {"mov", r_mov, &sw, &sd, NULL, NULL, ALL, true, true, 32},
    {"mov", r_mov, &uw, &sd, NULL, NULL, ALL, true, true, 32},
    {"mov", r_mov, &ud, &sd, NULL, NULL, ALL, true, false, 32},
    {"sel.ge", r_max, &sd, &sd, &sd, NULL, ALL, false, false, 32},
    {"sel.l", r_min, &ud, &ud, &ud, NULL, ALL, false, false, 32},
    {"add", r_add, &sq, &sq, &sq, NULL, HPC, true, true, 64},
    {"add", r_add, &uq, &uq, &uq, NULL, HPC, true, true, 64},
    {"add", r_add, &sq, &sd, &sq, NULL, HPC, true, true, 64},
    {"shl", r_shl, &uq, &uq, &ud, NULL, HPC, true, false, 64},
    {"shr", r_shr, &uq, &uq, &ud, NULL, HPC, false, true, 64},
    {"asr", r_shr, &sq, &sq, &ud, NULL, HPC, false, true, 64},
    {"mov", r_mov, &sd, &sq, NULL, NULL, HPC, true, false, 64},
    {"mov", r_mov, &ud, &uq, NULL, NULL, HPC, true, false, 64},
    {"mov", r_mov, &uq, &sq, NULL, NULL, HPC, true, false, 64},
    {"sel.ge", r_max, &uq, &uq, &uq, NULL, HPC, false, false, 64},
    {"sel.l", r_min, &sq, &sq, &sq, NULL, HPC, false, false, 64},
};

#define BFN_CONDS 0x2bu /* none, eq, gt, lt: all that it can encode */
static const char *const conds[] = {"",   "eq", "ne", "gt",
                                    "ge", "lt", "le", "ov"};

static bool holds(unsigned cond, i128 v, bool over)
{
    switch (cond) {
    case 1:
        return v == 0;
    case 2:
        return v != 0;
    case 3:
        return v > 0;
    case 4:
        return v >= 0;
    case 5:
        return v < 0;
    case 6:
        return v <= 0;
    default:
        return over;
    }
}

/* Lanes lie 8 bytes apart, whatever their type. */
static void text_of(const struct op *o, bool sat, unsigned cond, char *out,
                    size_t out_b)
{
    const struct type *const src[3] = {o->a, o->b, o->c};
    const bool sel = !strncmp(o->text, "sel", 3);
    const char *const as = sel ? o->text[4] == 'g' ? "ge" : "lt" : conds[cond];
    char name[20];
    snprintf(name, sizeof(name), "%s", o->text);
    if (sel)
        name[3] = 0;
    int n =
        snprintf(out, out_b, "%s (8|M0) %s%s%s%s%sr20.0<%u>:%s", name,
                 *as ? "(" : "", as, *as ? ")" : "", *as ? "f0.0 " : "",
                 sat ? "(sat)" : "", o->c ? 1 : 8 / o->d->size_b, o->d->name);
    for (unsigned k = 0; k < 3 && src[k]; k++) {
        const unsigned hs = o->c ? 1 : 8 / src[k]->size_b;
        n += snprintf(out + n, out_b - (size_t)n,
                      !o->c   ? " r%u.0<%u;1,0>:%s"
                      : k < 2 ? " r%u.0<%u;0>:%s"
                              : " r%u.0<%u>:%s",
                      30 + 10 * k, hs, src[k]->name);
    }
    snprintf(out + n, out_b - (size_t)n, "\n");
}

static void check_lane(const struct op *o, struct lab *x, unsigned l,
                       const char *text, bool sat, unsigned cond)
{
    const struct type *const src[3] = {o->a, o->b, o->c};
    i128 v[3] = {0};
    for (unsigned k = 0; k < 3 && src[k]; k++) {
        const unsigned step = o->c ? src[k]->size_b : 8;
        v[k] = value(lab_reg(x, 30 + 10 * k) + l * step, src[k]);
    }
    const i128 exact = o->ref(v[0], v[1], v[2], o->bits);
    const i128 want = sat ? clamp(exact, o->d) : wrap(exact, o->d);
    const bool over = exact != wrap(exact, o->d);
    const i128 got =
        value(lab_reg(x, 20) + l * (o->c ? o->d->size_b : 8u), o->d);
    if (got != want)
        ck_abort_msg("%slane %u: 0x%llx 0x%llx 0x%llx give 0x%llx, not 0x%llx",
                     text, l, (unsigned long long)v[0],
                     (unsigned long long)v[1], (unsigned long long)v[2],
                     (unsigned long long)got, (unsigned long long)want);
    const bool flag = xk_rf_u32(&x->t[0], XK_RF_FLAG) >> l & 1;
    if (cond && flag != holds(cond, sat ? exact : want, over))
        ck_abort_msg("%slane %u: 0x%llx 0x%llx: flag is %d", text, l,
                     (unsigned long long)v[0], (unsigned long long)v[1], flag);
}

static void check_op(const char *platform, const struct op *o, bool sat,
                     unsigned cond)
{
    char text[200];
    text_of(o, sat, cond, text, sizeof(text));
    struct lab *x = lab_open(platform, text);
    for (unsigned n = 0; n < 200; n++) {
        lab_start(x, 1, 0);
        for (unsigned l = 0; l < 24; l++) {
            const uint64_t v = operand();
            memcpy(lab_reg(x, 30 + 10 * (l / 8)) + l % 8 * 8, &v, 8);
        }
        lab_run_ok(x);
        for (unsigned l = 0; l < 8; l++)
            check_lane(o, x, l, text, sat, cond);
    }
    lab_close(x);
}

START_TEST(integers_are_exact)
{
    const struct op *const o = &ops[_i];
    for (unsigned p = 0; lab_platforms[p]; p++)
        for (unsigned sat = 0; o->on >> p & 1 && sat <= o->may_sat; sat++)
            for (unsigned cond = 0; cond < (o->may_cond ? 8 : 1); cond++)
                if (o->ref != r_bfn || (1u << cond & BFN_CONDS))
                    check_op(lab_platforms[p], o, sat, cond);
}
END_TEST

/* mul into the accumulator, then the high and the low half. */
START_TEST(products_have_64_bits)
{
    static const char *const text[3] = {
        "mul (8|M0) acc0.0<1>:%s r30.0<1;1,0>:%s r40.0<2;1,0>:uw\n"
        "mach (8|M0) r20.0<1>:%s r30.0<1;1,0>:%s r40.0<1;1,0>:%s\n"
        "mul (8|M0) acc0.0<1>:%s r30.0<1;1,0>:%s r40.0<2;1,0>:uw\n"
        "mach (8|M0) r22.0<1>:%s r30.0<1;1,0>:%s r40.0<1;1,0>:%s {AccWrEn}\n",
        NULL,
        "mul (8|M0) acc0.0<1>:%s r30.0<1;1,0>:%s r40.0<2;1,0>:uw\n"
        "macl (8|M0) r20.0<1>:%s r30.0<1;1,0>:%s r40.0<1;1,0>:%s\n"
        "mul (8|M0) acc0.0<1>:%s r30.0<1;1,0>:%s r40.0<2;1,0>:uw\n"
        "mach (8|M0) r22.0<1>:%s r30.0<1;1,0>:%s r40.0<1;1,0>:%s\n"};
    for (unsigned p = 0; lab_platforms[p]; p++)
        for (unsigned k = 0; k < 2; k++) {
            const struct type *const t = k ? &sd : &ud;
            const char *const s = t->name;
            char full[600];
            snprintf(full, sizeof(full), text[p == 2 ? 2 : 0], s, s, s, s, s, s,
                     s, s, s, s);
            struct lab *x = lab_open(lab_platforms[p], full);
            for (unsigned n = 0; n < 2000; n++) {
                lab_start(x, 1, 0);
                uint32_t a[8], b[8];
                for (unsigned l = 0; l < 8; l++) {
                    a[l] = (uint32_t)operand();
                    b[l] = (uint32_t)operand();
                }
                memcpy(lab_reg(x, 30), a, 32);
                memcpy(lab_reg(x, 40), b, 32);
                lab_run_ok(x);
                for (unsigned l = 0; l < 8; l++) {
                    const i128 want = value(&a[l], t) * value(&b[l], t);
                    ck_assert(value(lab_reg(x, 20) + 4 * l, t) ==
                              wrap(want, t));
                    ck_assert(value(lab_reg(x, 22) + 4 * l, t) ==
                              wrap(want >> 32, t));
                }
            }
            lab_close(x);
        }
}
END_TEST

static uint32_t dword(struct lab *x, unsigned reg, unsigned n)
{
    uint32_t v;
    memcpy(&v, lab_reg(x, reg) + 4 * n, 4);
    return v;
}

/* The accumulator that is not named lies under the destination: oneDNN's
 * emulation.hpp, emul32High and emul, names acc0 at the destination's offset
 * and stride, and IGC's HWConformity.cpp, fixAcc, keeps the offsets equal. What
 * lies at acc0.0 must not matter. */
START_TEST(the_accumulator_lies_under_the_destination)
{
    static const char text[] =
        "mov (16|M0) acc0.0<1>:ud 0x5A5A5A5A:ud\n"
        "mul (1|M0) acc0.6<1>:ud r30.1<0;1,0>:ud r40.2<0;1,0>:uw\n"
        "mach (1|M0) r34.6<1>:ud r30.1<0;1,0>:ud r40.1<0;1,0>:ud%s\n"
        "mul (4|M0) acc0.1<2>:ud r30.0<1;1,0>:ud r40.0<2;1,0>:uw\n"
        "mach (4|M0) r36.1<2>:ud r30.0<1;1,0>:ud r40.0<1;1,0>:ud%s\n"
        "mov (4|M0) r37.0<1>:ud acc0.1<2;1,0>:ud\n"
        "addc (1|M0) r38.5<1>:ud r30.2<0;1,0>:ud r40.2<0;1,0>:ud%s\n"
        "mov (1|M0) r38.6<1>:ud acc0.5<0;1,0>:ud\n"
        "subb (2|M0) r39.3<2>:ud r30.2<1;1,0>:ud r40.2<1;1,0>:ud%s\n"
        "mov (2|M0) r39.0<1>:ud acc0.3<2;1,0>:ud\n"
        "mov (1|M0) acc0.4<1>:f 10.0:f\n"
        "mac (1|M0) r42.4<1>:f r41.0<0;1,0>:f r41.1<0;1,0>:f\n"
        "%s";
    const uint32_t a[4] = {0xdeadbeef, 0x89abcdef, 0xfffffff0, 7};
    const uint32_t b[4] = {0x12345678, 0xfedcba98, 0x20, 9};
    const float f[2] = {3, 5};
    for (unsigned p = 0; lab_platforms[p]; p++) {
        char full[1400];
        const char *const en = p == 2 ? "" : " {AccWrEn}";
        snprintf(full, sizeof(full), text, en, en, en, en,
                 p == 2 ? ""
                        : "add (1|M0) r43.7<1>:ud r30.3<0;1,0>:ud "
                          "r40.3<0;1,0>:ud {AccWrEn}\n"
                          "mov (1|M0) r43.0<1>:ud acc0.7<0;1,0>:ud\n");
        struct lab *x = lab_open(lab_platforms[p], full);
        lab_start(x, 1, 0);
        memcpy(lab_reg(x, 30), a, sizeof(a));
        memcpy(lab_reg(x, 40), b, sizeof(b));
        memcpy(lab_reg(x, 41), f, sizeof(f));
        lab_run_ok(x);
        ck_assert_uint_eq(dword(x, 34, 6), (uint64_t)a[1] * b[1] >> 32);
        for (unsigned l = 0; l < 4; l++) {
            const uint64_t product = (uint64_t)a[l] * b[l];
            ck_assert_uint_eq(dword(x, 36, 1 + 2 * l), product >> 32);
            ck_assert_uint_eq(dword(x, 37, l), (uint32_t)product);
        }
        ck_assert_uint_eq(dword(x, 38, 6), 1); /* carries */
        ck_assert_uint_eq(dword(x, 39, 0), 0); /* borrows: 7 - 9 */
        ck_assert_uint_eq(dword(x, 39, 1), 1);
        ck_assert_uint_eq(dword(x, 42, 4), 0x41c80000); /* 25.0 */
        if (p != 2)
            ck_assert_uint_eq(dword(x, 43, 0), 16);
        lab_close(x);
    }
}
END_TEST

/* Registers of lanes that are off may lie beyond the file: a row from r127 on,
 * and an address for each lane. */
START_TEST(lanes_that_are_off_may_point_anywhere)
{
    static const char *const text =
        "(W) mov (1|M0) a0.0<1>:uw %u:uw\n"
        "(W) mov (1|M0) f0.0<1>:uw 0xff:uw\n"
        "(f0.0) mov (16|M0) r20.0<1>:d r[a0.0]<1;1,0>:d\n"
        "(f0.0) mov (16|M0) r[a0.0]<1>:d 7:w\n"
        "(W) mov (8|M0) a0.8<1>:uw 0xfff0:uw\n"
        "(W) mov (8|M0) a0.0<1>:uw 64:uw\n"
        "(f0.0) mov (16|M0) r24.0<1>:d r[a0.0]<1,0>:d\n";
    for (unsigned p = 0; lab_platforms[p]; p++) {
        char full[600];
        const unsigned grf_b = p == 2 ? 64 : 32;
        snprintf(full, sizeof full, text, 128 * grf_b - 32);
        struct lab *const x = lab_open(lab_platforms[p], full);
        lab_start(x, 1, 0);
        for (uint32_t l = 0; l < 8; l++) {
            xk_rf_set_u32(x->t, 128 * grf_b - 32 + 4 * l, 100 + l);
            xk_rf_set_u32(x->t, 64, 77);
            xk_rf_set_u32(x->t, 20 * grf_b + 32 + 4 * l, 5);
        }
        lab_run_ok(x);
        for (uint32_t l = 0; l < 8; l++) {
            ck_assert_uint_eq(xk_rf_u32(x->t, 20 * grf_b + 4 * l), 100 + l);
            ck_assert_uint_eq(xk_rf_u32(x->t, 20 * grf_b + 32 + 4 * l), 5);
            ck_assert_uint_eq(xk_rf_u32(x->t, 128 * grf_b - 32 + 4 * l), 7);
            ck_assert_uint_eq(xk_rf_u32(x->t, 24 * grf_b + 4 * l), 77);
        }
        lab_close(x);
    }
}
END_TEST

/* Lanes 0 to 7 have good addresses; behind them, where no lane is on, or a flag
 * leaves it out, are addresses outside of all registers. */
static void garbage(const char *platform, const char *text, uint32_t active,
                    bool good)
{
    struct lab *x = lab_open(platform, text);
    lab_start(x, 1, 0);
    x->t[0].active = active;
    xk_rf_set_u32(&x->t[0], XK_RF_FLAG, 0xff);
    for (uint32_t l = 0; l < 16; l++) {
        const uint16_t a =
            (uint16_t)(l < 8 ? 30 * x->k->grf_b + 4 * l : 0xfff0);
        const uint32_t v = 100 + l;
        memcpy(x->t[0].rf + XK_RF_A0 + 2 * l, &a, 2);
        memcpy(lab_reg(x, 30) + 4 * l, &v, 4);
    }
    ck_assert_msg(lab_run(x) == good, "%s: %s", text, x->err.message);
    for (uint32_t l = 0; good && l < 16; l++)
        ck_assert_uint_eq(dword(x, 33, l), l < 8 ? 100 + l : 0);
    lab_close(x);
}

START_TEST(addresses_of_lanes_that_are_off_do_not_matter)
{
    static const char from[] = "mov (16|M0) r33.0<1>:d r[a0.0]<1,0>:d\n",
                      flag[] = "(f0.0) mov (16|M0) r33.0<1>:d r[a0.0]<1,0>:d\n",
                      add[] =
                          "(f0.0) add (16|M0) r33.0<1>:d r[a0.0]<1,0>:d 0:w\n";
    for (unsigned p = 0; lab_platforms[p]; p++) {
        garbage(lab_platforms[p], from, 0xff, true);
        garbage(lab_platforms[p], flag, 0xffff, true);
        garbage(lab_platforms[p], add, 0xffff, true);
        garbage(lab_platforms[p], from, 0x1ff, false);
    }
}
END_TEST

/* A sum of products of words that no 16 bits hold, saturated at its end. */
START_TEST(the_word_accumulator_is_wider_than_a_word)
{
    struct lab *x =
        lab_open("xehpg", "mul (16|M0) acc0.0<1>:w r30.0<1;1,0>:w 100:w\n"
                          "mac (16|M0) r20.0<1>:d r30.0<1;1,0>:w -90:w\n");
    lab_close(x);
    x = lab_open("xehpg", "mul (8|M0) acc0.0<1>:d r30.0<2;1,0>:w 100:w\n"
                          "mac (8|M0) (sat)r20.0<2>:w r30.0<2;1,0>:w -90:w\n");
    lab_close(x);
    x = lab_open("xehpg",
                 "mul (16|M0) acc0.0<1>:w r30.0<1;1,0>:w 100:w\n"
                 "mac (16|M0) acc0.0<1>:w r30.0<1;1,0>:w 100:w\n"
                 "mac (16|M0) (sat)r20.0<1>:w r30.0<1;1,0>:w -199:w\n");
    for (int v = -32768; v < 32768; v += 16) {
        lab_start(x, 1, 0);
        for (int l = 0; l < 16; l++) {
            const int16_t w = (int16_t)(v + l);
            memcpy(lab_reg(x, 30) + 2 * l, &w, 2);
        }
        lab_run_ok(x);
        ck_assert_int_eq(memcmp(lab_reg(x, 20), lab_reg(x, 30), 32), 0);
    }
    lab_close(x);
}
END_TEST

/* Neither a product of dwords nor its sum fits 64 bits: the low 32 are exact,
 * and nothing overflows on the host (UBSan). */
START_TEST(a_sum_of_products_of_dwords_wraps)
{
    for (unsigned p = 0; lab_platforms[p]; p++)
        for (unsigned k = 0; k < 2; k++) {
            const struct type *const t = k ? &sd : &ud;
            const char *const s = t->name;
            char text[200];
            snprintf(text, sizeof(text),
                     "mov (8|M0) acc0.0<1>:%s r50.0<1;1,0>:%s\n"
                     "mac (8|M0) r20.0<1>:%s r30.0<1;1,0>:%s r40.0<1;1,0>:%s\n",
                     s, s, s, s, s);
            struct lab *x = lab_open(lab_platforms[p], text);
            for (unsigned n = 0; n < 500; n++) {
                lab_start(x, 1, 0);
                uint32_t a[8], b[8], c[8];
                for (unsigned l = 0; l < 8; l++) {
                    a[l] = (uint32_t)operand();
                    b[l] = (uint32_t)operand();
                    c[l] = (uint32_t)operand();
                }
                memcpy(lab_reg(x, 30), a, 32);
                memcpy(lab_reg(x, 40), b, 32);
                memcpy(lab_reg(x, 50), c, 32);
                lab_run_ok(x);
                for (unsigned l = 0; l < 8; l++)
                    ck_assert(value(lab_reg(x, 20) + 4 * l, t) ==
                              wrap(value(&a[l], t) * value(&b[l], t) +
                                       value(&c[l], t),
                                   t));
            }
            lab_close(x);
        }
}
END_TEST

START_TEST(compares_of_unsigned_and_signed_qwords)
{
    static const char *const names[] = {"eq", "ne", "gt", "ge", "lt", "le"};
    for (unsigned c = 0; c < 6; c++)
        for (unsigned k = 0; k < 4; k++) {
            const struct type *const a = k & 1 ? &sq : &uq;
            const struct type *const b = k & 2 ? &sq : &uq;
            char text[200];
            snprintf(text, sizeof(text),
                     "cmp (8|M0) (%s)f1.0 null<1>:q r30.0<1;1,0>:%s "
                     "r40.0<1;1,0>:%s\n",
                     names[c], a->name, b->name);
            struct lab *x = lab_open("xehpc", text);
            for (unsigned n = 0; n < 500; n++) {
                uint64_t u[8], v[8];
                lab_start(x, 1, 0);
                for (unsigned l = 0; l < 8; l++) {
                    u[l] = operand();
                    v[l] = rnd() % 3 ? operand() : u[l];
                }
                memcpy(lab_reg(x, 30), u, 64);
                memcpy(lab_reg(x, 40), v, 64);
                lab_run_ok(x);
                for (unsigned l = 0; l < 8; l++) {
                    const i128 d = value(&u[l], a) - value(&v[l], b);
                    const bool got =
                        xk_rf_u32(&x->t[0], XK_RF_FLAG + 4) >> l & 1;
                    ck_assert(got == holds(c + 1, d, false));
                }
            }
            lab_close(x);
        }
}
END_TEST

START_TEST(movi_takes_places_inside_one_register)
{
    for (unsigned p = 0; lab_platforms[p]; p++) {
        struct lab *x = lab_open(
            lab_platforms[p],
            "(W) mov (8|M0) a0.0<1>:uw r12.0<1;1,0>:uw\n"
            "movi (8|M0) r20.0<1>:ud r[a0.0,32]<8;8,1>:ud null<1;1,0>:ud\n");
        const uint16_t grf_b = (uint16_t)x->k->grf_b;
        lab_start(x, 1, 0);
        for (uint32_t l = 0; l < 8; l++) {
            /* the others' register numbers do not count */
            const uint16_t a =
                (uint16_t)(30 * grf_b - 32 + (7 - l) * 4 + (l ? grf_b * l : 0));
            const uint32_t v = 100 + l;
            memcpy(lab_reg(x, 12) + 2 * l, &a, 2);
            memcpy(lab_reg(x, 30) + 4 * l, &v, 4);
        }
        lab_run_ok(x);
        for (uint32_t l = 0; l < 8; l++)
            ck_assert_uint_eq(xk_rf_u32(&x->t[0], 20 * grf_b + 4 * l), 107 - l);
        lab_close(x);
    }
}
END_TEST

START_TEST(indirect_destinations_and_flags_of_xehpc)
{
    struct lab *x =
        lab_open("xehpc", "(W) mov (1|M0) a0.3<1>:uw 0x504:uw\n" /* r20.1 */
                          "cmp (16|M0) (gt)f3.0 null<1>:d r30.0<1;1,0>:d 5:w\n"
                          "(f3.0) mov (16|M0) r[a0.3,-4]<1>:d r30.0<1;1,0>:d\n"
                          "(W&f3.0.any) mov (1|M0) r22.0<1>:d 1:w\n"
                          "(W&f3.0.all) mov (1|M0) r23.0<1>:d 1:w\n"
                          "(f3.0.any) mov (16|M0) r24.0<1>:d 7:w\n"
                          "(~f3.0.all) mov (16|M0) r25.0<1>:d 9:w\n");
    lab_start(x, 1, 0);
    for (uint32_t l = 0; l < 16; l++)
        memcpy(lab_reg(x, 30) + 4 * l, &l, 4);
    lab_run_ok(x);
    ck_assert_uint_eq(xk_rf_u32(&x->t[0], XK_RF_FLAG + 12), 0xffc0);
    for (uint32_t l = 0; l < 16; l++) {
        ck_assert_uint_eq(xk_rf_u32(&x->t[0], 20 * 64 + 4 * l), l > 5 ? l : 0);
        ck_assert_uint_eq(xk_rf_u32(&x->t[0], 24 * 64 + 4 * l), 7);
        ck_assert_uint_eq(xk_rf_u32(&x->t[0], 25 * 64 + 4 * l), 9);
    }
    ck_assert_uint_eq(xk_rf_u32(&x->t[0], 22 * 64), 0); /* only channel 0 */
    ck_assert_uint_eq(xk_rf_u32(&x->t[0], 23 * 64), 0);
    lab_close(x);
}
END_TEST

void exec_arith_tests(Suite *s)
{
    TCase *t = tcase_create("integers");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, integers_are_exact, 0, XK_COUNTOF(ops));
    tcase_add_test(t, products_have_64_bits);
    tcase_add_test(t, addresses_of_lanes_that_are_off_do_not_matter);
    tcase_add_test(t, the_accumulator_lies_under_the_destination);
    tcase_add_test(t, lanes_that_are_off_may_point_anywhere);
    tcase_add_test(t, the_word_accumulator_is_wider_than_a_word);
    tcase_add_test(t, a_sum_of_products_of_dwords_wraps);
    tcase_add_test(t, compares_of_unsigned_and_signed_qwords);
    tcase_add_test(t, movi_takes_places_inside_one_register);
    tcase_add_test(t, indirect_destinations_and_flags_of_xehpc);
    suite_add_tcase(s, t);
}
