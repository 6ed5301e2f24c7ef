/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of K that have their own part first: the exchange is played on sets. A
 * register of slice s begins with one element of C, multiplied over K's part s,
 * as plan.h says where columns and rows lie; each halving merges what one slice
 * keeps with what the other gives. In the end every element of C must be in
 * exactly one slice, where the plan says, with all parts of K. */
#include "tests/tap.h"

#include <stdio.h>
#include <string.h>

#include "plan/plan.h"
#include "plan_lab.h"
#include "tests/set_schedule.h"

enum { MAX_SLICES = 8, MAX_ELEMENTS = 32 * 32 };

struct sum {
    unsigned m, n; /* of the tile */
    unsigned of;   /* slices that are in it, a bit each */
};

static xk_ctx *c;
static struct xk_nest con;
static struct xk_plan p;
static struct sum reg[MAX_SLICES][MAX_ELEMENTS];

static void setup(void)
{
    c = xk_ctx_create(NULL);
    ck_assert_ptr_nonnull(c);
}

static void teardown(void)
{
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

static void make_plan(const char *text, uint8_t dt, const char *wei)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_schedule s = {0};
    d.src_type = d.wei_type = d.dst_type = dt;
    snprintf(d.src_tag, sizeof(d.src_tag), "acdb");
    snprintf(d.dst_tag, sizeof(d.dst_tag), "axb");
    plan_lab_contraction(c, "mb1ic128ih16oc192oh16kh1", &d, "acdb", wei, &con);
    ck_assert_int_eq(test_set_schedule(c,
                                       "grf=256 addr=surface walk=:po slm=0 "
                                       "slots=1,1 tg=2x2",
                                       &s),
                     XK_OK);
    ck_assert_int_eq(test_set_schedule(c, text, &s), XK_OK);
    ck_assert_msg(xk_plan_make(c, plan_lab_xehpg(), &con, &s, &p) == XK_OK,
                  "%s: %s", text, c->error.message);
}

/* Column of the tile that slice s has at column n of its registers. */
static unsigned column_at(unsigned n, unsigned s)
{
    const bool wide = p.s.fma == XK_FMA_DPASW;
    const unsigned half = wide ? n / (p.s.n_thr / 2u) : 0;
    const unsigned q = wide ? n % (p.s.n_thr / 2u) : n;
    const unsigned rows = xk_plan_place_rows(&p), place = q / rows;
    if (p.slices.by_rows)
        return n;
    if (p.slices.by_halves)
        return ((2 * place + half) ^ s) * p.epi.n + q % rows;
    return (place ^ s) * p.epi.n + half * p.epi.n / 2u + q % rows;
}

static unsigned row_at(unsigned m, unsigned s)
{
    return p.slices.by_rows ? m ^ (s * p.epi.m) : m;
}

static void fill(unsigned s)
{
    for (unsigned m = 0; m < p.s.m_thr; m++)
        for (unsigned n = 0; n < p.s.n_thr; n++) {
            const int64_t at[2] = {m, n};
            const int64_t e = xk_layout_offset_e(&p.acc, at);
            ck_assert_int_lt(e, MAX_ELEMENTS);
            reg[s][e] = (struct sum){row_at(m, s), column_at(n, s), 1u << s};
        }
}

/* Slices s < t: each takes the other's second half; what is kept of the last
 * halves of dpasw alternates, 32 elements each. */
static void exchange(unsigned s, unsigned t, unsigned left)
{
    const bool runs = p.slices.by_halves && t - s == 1;
    for (unsigned q = 0; q < left / 2; q++) {
        const unsigned keep = runs ? q / 32 * 64 + q % 32 : q;
        const unsigned give = keep + (runs ? 32 : left / 2);
        struct sum *const both[2][2] = {{&reg[s][keep], &reg[t][give]},
                                        {&reg[t][keep], &reg[s][give]}};
        for (unsigned i = 0; i < 2; i++) {
            ck_assert_uint_eq(both[i][0]->m, both[i][1]->m);
            ck_assert_uint_eq(both[i][0]->n, both[i][1]->n);
            ck_assert_uint_eq(both[i][0]->of & both[i][1]->of, 0);
        }
        reg[s][keep].of |= reg[t][give].of;
        reg[t][keep].of |= reg[s][give].of;
    }
}

static void play(void)
{
    unsigned left = p.acc_b / 4;
    for (unsigned s = 0; s < p.slices.n; s++)
        fill(s);
    for (unsigned bit = p.slices.n / 2u; bit; bit /= 2, left /= 2)
        for (unsigned s = 0; s < p.slices.n; s++)
            if (!(s & bit))
                exchange(s, s | bit, left);
}

static void check_parts(void)
{
    unsigned hits[64][64] = {{0}};
    for (unsigned s = 0; s < p.slices.n; s++)
        for (unsigned m = 0; m < p.epi.m; m++)
            for (unsigned n = 0; n < p.epi.n; n++) {
                const int64_t at[2] = {m, n};
                const struct sum *const x =
                    &reg[s][xk_layout_offset_e(&p.part, at)];
                const unsigned by_m = p.slices.by_rows ? s * p.epi.m : 0;
                const unsigned by_n = p.slices.by_rows ? 0 : s * p.epi.n;
                ck_assert_uint_eq(x->m, m + by_m);
                ck_assert_uint_eq(x->n, n + by_n);
                ck_assert_uint_eq(x->of, (1u << p.slices.n) - 1);
                hits[x->m][x->n]++;
            }
    for (unsigned m = 0; m < p.s.m_thr; m++)
        for (unsigned n = 0; n < p.s.n_thr; n++)
            ck_assert_uint_eq(hits[m][n], 1);
}

#define W "fma=dpasw simd=8 k=16 "
#define D "fma=dpas simd=8 k=16 "
#define M "fma=mad simd=16 k=4 "
static const struct {
    const char *text;
    uint8_t dt;
    const char *wei;
    bool by_halves;
} cases[] = {
    {W "m=32 n=32 nsub=32 slices=2", XK_F16, "ABcd32a16b", false},
    {W "m=24 n=32 nsub=32 slices=2", XK_F16, "ABcd32a16b", false},
    {W "m=24 n=32 nsub=32 slices=4", XK_F16, "ABcd32a16b", true},
    {W "m=16 n=64 nsub=64 slices=2", XK_F16, "ABcd64a16b", false},
    {W "m=16 n=64 nsub=64 slices=4", XK_F16, "ABcd64a16b", false},
    {W "m=16 n=64 nsub=64 slices=8", XK_F16, "ABcd64a16b", true},
    {W "m=24 n=16 nsub=16 slices=2", XK_F16, "ABcd16a16b", true},
    {D "m=16 n=32 nsub=32 slices=2", XK_F16, "ABcd32a16b", false},
    {D "m=16 n=32 nsub=32 slices=4", XK_F16, "ABcd32a16b", false},
    {D "m=8 n=64 nsub=64 slices=8", XK_F16, "ABcd64a16b", false},
    {M "m=16 n=32 nsub=32 slices=2", XK_F32, "Acdb32a", false},
    {M "m=16 n=32 nsub=32 slices=8", XK_F32, "Acdb32a", false},
    {M "m=32 n=16 nsub=16 slices=4", XK_F32, "Acdb16a", false},
};

START_TEST(each_part_is_in_one_slice)
{
    make_plan(cases[_i].text, cases[_i].dt, cases[_i].wei);
    ck_assert_int_eq(p.slices.by_halves, cases[_i].by_halves);
    play();
    check_parts();
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("slices");
    TCase *const t = tcase_create("slices");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, each_part_is_in_one_slice, 0, XK_COUNTOF(cases));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
