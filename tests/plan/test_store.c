/* SPDX-License-Identifier: Apache-2.0 */
/* How many columns of a row a message stores with M in the lanes, and that
 * every dword of C goes to its place once: what LSC does with a message's
 * registers is worked out here (component v of all lanes, then the next;
 * isa.md 6.3). */
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "plan_lab.h"
#include "tests/tap.h"

static xk_ctx *c;

static void setup(void)
{
    c = xk_ctx_create(NULL);
    ck_assert_ptr_nonnull(c);
}

static void teardown(void)
{
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

#define F16 XK_F16, XK_F16, XK_F16, "ABcd32a16b"
#define U8 XK_U8, XK_S8, XK_U8, "ABcd32a32b"
#define F32 XK_F32, XK_F32, XK_F32, "Acdb16a"
#define MAD "fma=mad simd=16 tg=1x1 slots=1,1 slm=0 grf=256 m=4 k=1 "
#define M16 "fma=dpas simd=8 tg=1x1 slots=1,1 slm=0 grf=256 m=16 "
#define N16 M16 "n=16 nsub=16 "
#define N32 M16 "n=32 nsub=32 "
#define N64 M16 "n=64 nsub=64 "

static const struct {
    struct plan_lab_case of;
    unsigned cols, wide;
    bool in_side; /* columns are put in order in the sum's f32 instead */
} cases[] = {
    /* 32 bytes, a lane's part of eight registers, are 16 columns of f16, 32 of
       u8 */
    {{"mb1ic32ih4oc64oh4kh1", N32 "k=16", F16, 0, false}, 16, 0, false},
    {{"mb1ic32ih4oc64oh4kh1", N64 "k=16", F16, 0, false}, 16, 0, false},
    {{"mb1ic32ih4oc64oh4kh1", N64 "k=32", U8, 0, false}, 32, 2, false},
    {{"mb1ic32ih4oc64oh4kh1", N16 "k=16", F16, 0, false}, 16, 0, false},
    {{"mb1ic32ih4oc64oh4kh1", N32 "k=32", U8, 0, false}, 32, 2, false},
    {{"mb1ic32ih4oc64oh4kh1", N32 "k=16", F16, 0, true}, 16, 0, true},
    {{"mb1ic32ih4oc64oh4kh1", N64 "k=32", U8, 0, true}, 32, 0, true},
    /* slices: of 64 columns a thread ends with 16 */
    {{"mb1ic128ih4oc64oh4kh1", N64 "k=16 walk=:po slices=4", F16, 0, false},
     16,
     0,
     false},
    /* columns that exist or not in groups of 16, of 8 */
    {{"mb1ic32ih4oc48oh4kh1", N32 "k=16", F16, 0, false}, 16, 0, false},
    {{"mb1ic32ih4oc40oh4kh1", N32 "k=16", F16, 0, false}, 8, 0, false},
    {{"mb1ic32ih4oc48oh4kh1", N32 "k=32", U8, 0, false}, 16, 2, false},
    /* rows that are no whole dwords: column by column */
    {{"mb1ic32ih4oc33oh4kh1", N32 "k=16", F16, 0, false}, 1, 0, false},
    /* f32 is what C is; registers for fewer */
    {{"mb1ic32ih4oc64oh4kh1", N32 "k=16", XK_F16, XK_F16, XK_F32, "ABcd32a16b",
      0, false},
     8,
     0,
     false},
    {{"mb1ic32ih4oc64oh4kh1", N32 "k=16 nsub=8", F16, 128, true}, 8, 0, true},
    {{"mb1ic32ih4oc64oh4kh1", N32 "k=16 nsub=8", F16, 109, true}, 8, 0, true},
    {{"mb1ic32ih4oc64oh4kh1", N32 "k=16 nsub=8", F16, 109, false},
     16,
     0,
     false},
};

START_TEST(a_message_stores_as_much_of_a_row_as_it_can)
{
    static struct xk_plan p;
    plan_lab_case(c, &cases[_i].of, &p);
    ck_assert_uint_eq(p.epi.cols, cases[_i].cols);
    ck_assert_uint_eq(p.epi.wide, cases[_i].wide);
    ck_assert_int_eq(p.epi.wide_in_side, cases[_i].in_side);
}
END_TEST

/* A block message has 1, 2, 3, 4, 8, 16, 32 or 64 dwords (isa.md 6.3). */
START_TEST(with_n_in_the_lanes_rows_go_out_in_blocks_that_there_are)
{
    static const struct {
        struct plan_lab_case of;
        unsigned cols;
    } rows[] = {
        {{"mb1ic16ih4oc128oh4kh1", MAD "n=32 nsub=32", F32, 0, true}, 32},
        {{"mb1ic16ih4oc144oh4kh1", MAD "n=48 nsub=48", F32, 0, true}, 16},
        {{"mb1ic16ih4oc128oh4kh1", MAD "n=128 nsub=128", F32, 0, true}, 64},
        {{"mb1ic16ih4oc80oh4kh1", MAD "n=32 nsub=32", F32, 0, true}, 16},
    };
    static struct xk_plan p;
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        plan_lab_case(c, &rows[i].of, &p);
        ck_assert_int_eq(p.epi.store, XK_STORE_BLOCK);
        ck_assert_uint_eq(p.epi.cols, rows[i].cols);
        ck_assert_uint_eq(p.epi.n_sides, 1); /* what C held */
        ck_assert_int_eq(p.epi.side[0].store, XK_STORE_BLOCK);
        ck_assert_uint_eq(p.epi.side[0].cols, rows[i].cols);
    }
}
END_TEST

/* Stores what a message of a part's registers stores; returns the dwords of
 * which row and place agree with the element that the plan puts there. */
static unsigned store_part(const struct xk_plan *p, unsigned m, unsigned n,
                           unsigned dword_cols, uint8_t *seen)
{
    const struct xk_plan_epilogue *const e = &p->epi;
    const unsigned dwords = e->cols / dword_cols;
    unsigned good = 0;
    for (unsigned v = 0; v < dwords; v++)
        for (unsigned lane = 0; lane < 8; lane++) {
            const unsigned row = m + lane, col = n + v * dword_cols;
            good += xk_plan_packed_b(p, v) + lane * 4 == 4 * (v * 8 + lane);
            ck_assert_uint_lt(col, e->n);
            seen[row * e->n + col]++;
        }
    return good;
}

START_TEST(every_dword_of_c_is_stored_once)
{
    static struct xk_plan p;
    plan_lab_case(c, &cases[_i].of, &p);
    const struct xk_plan_epilogue *const e = &p.epi;
    const unsigned per =
        e->store == XK_STORE_PACKED ? 4 / xk_dtype_b(e->dst) : 1;
    const unsigned cols = xk_plan_part_columns(&p), across = e->n / cols;
    uint8_t *const seen = calloc((size_t)e->m * e->n, 1);
    unsigned good = 0;
    ck_assert_ptr_nonnull(seen);
    ck_assert_uint_eq(e->parts * 8u * cols, (unsigned)e->m * e->n);
    for (unsigned i = 0; i < e->parts; i++)
        for (unsigned n = 0; n < cols; n += e->cols)
            good += store_part(&p, i / across * 8, i % across * cols + n, per,
                               seen);
    ck_assert_uint_eq(good, (unsigned)e->m * e->n / per);
    for (unsigned i = 0; i < (unsigned)e->m * e->n; i++)
        ck_assert_uint_eq(seen[i], i % e->n % per == 0);
    free(seen);
}
END_TEST

/* No message goes beyond the columns of memory, in part. */
START_TEST(a_message_is_inside_or_outside)
{
    static struct xk_plan p;
    plan_lab_case(c, &cases[_i].of, &p);
    ck_assert_int_eq(p.epi.n_extent % p.epi.cols, 0);
    ck_assert_int_eq(p.s.n_thr % p.epi.cols, 0);
    ck_assert_uint_le(p.grf.epilogue, p.grf.limit);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("plan_store");
    TCase *const t = tcase_create("store");
    const int n = XK_COUNTOF(cases);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, with_n_in_the_lanes_rows_go_out_in_blocks_that_there_are);
    tcase_add_loop_test(t, a_message_stores_as_much_of_a_row_as_it_can, 0, n);
    tcase_add_loop_test(t, every_dword_of_c_is_stored_once, 0, n);
    tcase_add_loop_test(t, a_message_is_inside_or_outside, 0, n);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
