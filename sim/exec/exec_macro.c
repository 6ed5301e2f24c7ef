/* SPDX-License-Identifier: Apache-2.0 */
/* The macros madm, math.invm and math.rsqtm, from which compilers build
 * correctly rounded division and square root. Their operands may have more bits
 * than the type, in the stores mme0..7: a register holds a number m, and the
 * store holds an exponent and the bits below m's last one. How many of these
 * bits the hardware has is not public. Without any, the sequences miss the
 * square root of numbers just below a power of 4. Results to .nomme are
 * ordinary numbers, rounded once, in the thread's mode. */
#include <math.h>

#include "isa/format.h"
#include "sim/exec/select.h"
#include "sim/core/sim_operand.h"

__extension__ typedef unsigned __int128 u128;

struct format {
    unsigned bits;   /* of the significand */
    int least, most; /* exponents of ulp(smallest), of the largest number */
};

static const struct format f32 = {24, -149, 127}, f64 = {53, -1074, 1023};

static const struct format *format_of(const struct xk_sim_inst *e)
{
    return e->is_double ? &f64 : &f32;
}

/* man * 2^exp; man is 0 or has its top bit at TOP. */
#define TOP 120
#define LOW 8 /* bits in the low part of a store */
struct big {
    bool neg;
    u128 man;
    int exp;
};

static struct big normal_big(bool neg, u128 man, int exp)
{
    if (!man)
        return (struct big){neg, 0, 0};
    const uint64_t hi = (uint64_t)(man >> 64);
    const int top =
        hi ? 127 - __builtin_clzll(hi) : 63 - __builtin_clzll((uint64_t)man);
    const int up = TOP - top;
    return (struct big){neg, up >= 0 ? man << up : man >> -up | (man & 1),
                        exp - up};
}

/* d is finite. */
static struct big big_of(double d, struct xk_sim_mme x, const struct format *f)
{
    int e;
    const int bits = (int)f->bits;
    const uint64_t man = (uint64_t)ldexp(frexp(fabs(d), &e), bits);
    return normal_big(signbit(d), man << LOW | (man ? x.low : 0),
                      e - bits - LOW + x.exp);
}

static struct big product(struct big a, struct big b)
{
    const int low = TOP - 52 - LOW; /* a significand's last bit */
    return normal_big(a.neg != b.neg, (a.man >> low) * (b.man >> low),
                      a.exp + b.exp + 2 * low);
}

/* What is shifted out leaves a trace in the last bit. */
static u128 shift_down(u128 v, int n)
{
    if (n > 127)
        return v != 0;
    return n ? v >> n | ((v & (((u128)1 << n) - 1)) != 0) : v;
}

static struct big sum_of_bigs(struct big a, struct big b, unsigned round)
{
    if (!b.man && !a.man)
        return (struct big){a.neg == b.neg ? a.neg : round == 2, 0, 0};
    if (!a.man || (b.man && a.exp < b.exp)) {
        const struct big c = a;
        a = b;
        b = c;
    }
    const u128 low = b.man ? shift_down(b.man, a.exp - b.exp) : 0;
    if (a.neg == b.neg)
        return normal_big(a.neg, a.man + low, a.exp);
    if (a.man == low)
        return (struct big){round == 2, 0, 0};
    return a.man > low ? normal_big(a.neg, a.man - low, a.exp)
                       : normal_big(b.neg, low - a.man, a.exp);
}

/* Cuts man to its bits from `drop` on. */
static u128 cut_bits(struct big b, int drop, unsigned round)
{
    if (drop > 127)
        drop = 127;
    const u128 rest = b.man & (((u128)1 << drop) - 1);
    const u128 half = (u128)1 << (drop - 1), kept = b.man >> drop;
    const bool up = round == 0   ? rest > half || (rest == half && (kept & 1))
                    : round == 1 ? rest && !b.neg
                    : round == 2 ? rest && b.neg
                                 : false;
    return kept + up;
}

struct extended {
    double m;
    struct xk_sim_mme x;
};

static double largest(const struct format *f)
{
    return f->bits == 24 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
}

/* Rounds to an ordinary number. */
static double round_bounded(struct big b, const struct format *f,
                            unsigned round)
{
    int drop = TOP + 1 - (int)f->bits;
    if (!b.man)
        return b.neg ? -0.0 : 0.0;
    if (b.exp + drop < f->least)
        drop = f->least - b.exp;
    const uint64_t man = (uint64_t)cut_bits(b, drop, round);
    int top;
    (void)frexp((double)man, &top);
    double d;
    if (man && top - 1 + b.exp + drop > f->most) {
        const bool inf = round == 0 || round == (b.neg ? 2 : 1);
        d = inf ? (double)INFINITY : largest(f);
    } else {
        d = ldexp((double)man, b.exp + drop);
    }
    return b.neg ? -d : d;
}

/* Rounds to the precision of register and store only. */
static struct extended round_free(struct big b, const struct format *f,
                                  unsigned round)
{
    struct extended r = {b.neg ? -0.0 : 0.0, {0, 0}};
    int drop = TOP + 1 - (int)f->bits - LOW;
    u128 man = cut_bits(b, drop, round);
    if (!man)
        return r;
    if (man >> (f->bits + LOW)) { /* carried into the next power of 2 */
        man >>= 1;
        drop++;
    }
    const int e = b.exp + drop + LOW + (int)f->bits - 1; /* of the top bit */
    const bool fits = e <= f->most && e >= f->least + (int)f->bits - 1;
    r.x.exp = fits ? 0 : (int16_t)e;
    r.x.low = (uint8_t)man;
    r.m = ldexp((double)(uint64_t)(man >> LOW),
                (fits ? e : 0) - (int)f->bits + 1);
    r.m = b.neg ? -r.m : r.m;
    return r;
}

static bool is_no_number(double d)
{
    return d == 0 || isinf(d) || isnan(d);
}

/* 1 / d or 1 / sqrt(d) for an ordinary d, to the precision of the type. */
static struct big seed(double d, const struct format *f, bool root)
{
    int e;
    double m = frexp(d, &e); /* [0.5, 1) */
    if (root && (e & 1)) {
        m /= 2;
        e++;
    }
    const double y = root ? 1 / sqrt(m) : 1 / m;
    const struct xk_sim_mme x = {(int16_t)(root ? -e / 2 : -e), 0};
    return big_of(f->bits == 24 ? (double)(float)y : y, x, f);
}

/* The sources of one lane. */
struct lane {
    double v[3];
    struct xk_sim_mme x[3];
};

static struct lane get_lane(const struct xk_sim_thread *t,
                            const struct xk_sim_inst *e,
                            const struct xk_sim_sources *s, unsigned l)
{
    struct lane x = {{0}, {{0, 0}}};
    for (unsigned k = 0; k < e->n_srcs; k++) {
        x.v[k] = e->is_double ? s->v[k].d[l] : (double)s->v[k].f[l];
        if (e->src[k].mme < XK_SIM_NOMME)
            x.x[k] = t->mme[e->src[k].mme][l];
    }
    return x;
}

static void put_lane(const struct xk_sim_inst *e, union xk_sim_lanes *r,
                     unsigned l, double d)
{
    if (e->is_double)
        r->d[l] = d;
    else
        r->f[l] = (float)d;
}

/* A number that needs no rounding any more, or one to be rounded. */
static void put_big(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                    union xk_sim_lanes *r, unsigned l, struct big b)
{
    if (e->dst.mme == XK_SIM_NOMME) {
        put_lane(e, r, l, round_bounded(b, format_of(e), t->round));
        return;
    }
    const struct extended x = round_free(b, format_of(e), t->round);
    put_lane(e, r, l, x.m);
    t->mme[e->dst.mme][l] = x.x;
}

static void put_special(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        union xk_sim_lanes *r, unsigned l, double d)
{
    put_lane(e, r, l, d);
    if (e->dst.mme < XK_SIM_NOMME)
        t->mme[e->dst.mme][l] = (struct xk_sim_mme){0, 0};
}

static bool finite3(const struct lane *x)
{
    return isfinite(x->v[0]) && isfinite(x->v[1]) && isfinite(x->v[2]);
}

static void exec_madm(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const struct format *const f = format_of(e);
    struct xk_sim_sources s;
    union xk_sim_lanes r;
    const uint32_t mask = xk_sim_mask(t, e);
    if (!mask || !xk_sim_fetch(t, e, &s))
        return;
    for (unsigned l = 0; l < e->exec; l++) {
        const struct lane x = get_lane(t, e, &s, l);
        if (!(mask >> l & 1))
            continue;
        if (finite3(&x))
            put_big(t, e, &r, l,
                    sum_of_bigs(product(big_of(x.v[1], x.x[1], f),
                                        big_of(x.v[2], x.x[2], f)),
                                big_of(x.v[0], x.x[0], f), t->round));
        else
            put_special(t, e, &r, l, fma(x.v[1], x.v[2], x.v[0]));
    }
    xk_sim_finish(t, e, mask, &r, 0);
}

/* Where the result is known at once, the flag says so and the destination has
 * it. Elsewhere the destination has the reciprocal that the sequence starts
 * from. */
static void exec_seed(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_sources s;
    union xk_sim_lanes r;
    uint32_t out = 0;
    const bool root = e->in.math_fn == XK_MATH_RSQTM;
    const uint32_t mask = xk_sim_mask(t, e);
    if (!mask || !xk_sim_fetch(t, e, &s))
        return;
    for (unsigned l = 0; l < e->exec; l++) {
        const struct lane x = get_lane(t, e, &s, l);
        const double a = x.v[0], b = x.v[1];
        const bool known = is_no_number(a) || (root ? a < 0 : is_no_number(b));
        if (!(mask >> l & 1))
            continue;
        out |= (uint32_t)known << l;
        if (known)
            put_special(t, e, &r, l, root ? sqrt(a) : a / b);
        else
            put_big(t, e, &r, l, seed(root ? a : b, format_of(e), root));
    }
    xk_sim_set_flags(t, e, mask, out);
    xk_sim_finish(t, e, mask, &r, 0);
}

xk_sim_fn *xk_sim_select_macro(const struct xk_sim_inst *e)
{
    if (!xk_math_is_macro(&e->in) || !(e->is_float || e->is_double))
        return NULL;
    return e->in.op == XK_OPC_MADM ? exec_madm : exec_seed;
}
