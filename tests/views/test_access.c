/* SPDX-License-Identifier: Apache-2.0 */
/* What is answered about accesses, against a walk through all places. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "any_contraction.h"
#include "tests/tap.h"
#include "views/access.h"
#include "views/row_order.h"
#include "views/split_dims.h"

static xk_ctx *c;

static void setup(void)
{
    c = xk_ctx_create(NULL);
}

static void teardown(void)
{
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

/* A coordinate's value, the classes aside. */
static int64_t value_of(const struct xk_contraction *p,
                        const struct xk_coord *x, const int64_t *at)
{
    int64_t v = x->base;
    for (unsigned i = 0; i < p->n_index; i++)
        v += x->coef[i] * at[i];
    return v;
}

/* The element, conditions aside: blocks take part in it by floor division, and
 * the outermost that has more than one place goes on beyond the dim. */
static int64_t element_of(const struct xk_contraction *p,
                          const struct xk_access *a, const int64_t *at)
{
    const struct xk_layout *const l = &a->layout;
    int64_t sum = 0, inside[XK_LAYOUT_MAX_DIMS] = {1, 1, 1, 1, 1, 1};
    for (unsigned n = l->n_blocks; n-- > 0;) {
        const unsigned d = l->block[n].dim;
        if (l->block[n].size == 1)
            continue;
        const int64_t v = value_of(p, &a->at[d], at);
        int64_t q = v / inside[d] - (v % inside[d] < 0);
        inside[d] *= l->block[n].size;
        if (inside[d] < l->padded[d]) /* the outermost goes on */
            q = (q % l->block[n].size + l->block[n].size) % l->block[n].size;
        sum += q * l->block[n].stride;
    }
    return sum;
}

/* Whether each step inside each run moves by as much. */
static bool holds(const struct xk_contraction *p, const struct xk_access *a,
                  unsigned i, int64_t stride_e, int64_t run)
{
    int64_t at[XK_MAX_INDEX] = {0};
    do {
        if (at[i] + 1 >= p->index[i].extent || (at[i] + 1) % run == 0)
            continue;
        const int64_t here = element_of(p, a, at);
        at[i]++;
        const int64_t next = element_of(p, a, at);
        at[i]--;
        if (next - here != stride_e)
            return false;
    } while (any_next(p, at));
    return true;
}

START_TEST(strides_hold)
{
    unsigned seed = 300u + (unsigned)_i, long_runs = 0, none = 0;
    for (unsigned n = 0; n < 60; n++) {
        struct xk_contraction p;
        any_contraction(c, &seed, false, &p);
        const struct xk_access *const all[] = {&p.a, &p.b, &p.c};
        for (unsigned k = 0; k < 3; k++)
            for (unsigned i = 0; i < p.n_index; i++) {
                int64_t stride_b, run;
                if (p.index[i].extent == 1)
                    continue;
                if (!xk_access_stride_b(&p, all[k], i, &stride_b, &run)) {
                    none++;
                    continue;
                }
                ck_assert_int_gt(run, 1);
                ck_assert_msg(holds(&p, all[k], i, stride_b / 4, run),
                              "seed %d, %u: %s along %s: %lld, run %lld",
                              300 + _i, n, all[k]->name, p.index[i].name,
                              (long long)stride_b, (long long)run);
                long_runs += run >= p.index[i].extent;
            }
    }
    ck_assert_uint_gt(long_runs, 100);
    ck_assert_uint_gt(none, 0);
}
END_TEST

/* Ranges are reached and not passed; what never leaves has no mask, and what
 * has one leaves somewhere. */
START_TEST(ranges_and_masks)
{
    unsigned seed = 500u + (unsigned)_i, masked = 0;
    for (unsigned n = 0; n < 60; n++) {
        struct xk_contraction p;
        any_contraction(c, &seed, false, &p);
        for (unsigned d = 0; d < p.a.n_coord; d++) {
            const struct xk_coord *const x = &p.a.at[d];
            int64_t at[XK_MAX_INDEX] = {0}, lo = INT64_MAX, hi = INT64_MIN;
            struct xk_range r;
            do {
                const int64_t v = value_of(&p, x, at);
                lo = v < lo ? v : lo;
                hi = v > hi ? v : hi;
            } while (any_next(&p, at));
            ck_assert(xk_coord_range(&p, x, &r));
            ck_assert(r.lo == lo && r.hi == hi);
            ck_assert(xk_coord_leaves(&p, x) == (lo < x->lo || hi >= x->hi));
            masked += xk_coord_leaves(&p, x);
        }
        int64_t at[XK_MAX_INDEX] = {0}, element;
        bool out = false, leaves = false, misses = false;
        for (unsigned d = 0; d < p.a.n_coord; d++) {
            struct xk_range r;
            leaves |= xk_coord_leaves(&p, &p.a.at[d]);
            ck_assert(xk_coord_range(&p, &p.a.at[d], &r));
            misses |= r.hi < p.a.at[d].lo || r.lo >= p.a.at[d].hi;
        }
        ck_assert(xk_access_leaves(&p, &p.a) == leaves);
        ck_assert(xk_access_misses(&p, &p.a) == misses);
        do
            out |= !xk_access_element(&p, &p.a, at, &element);
        while (any_next(&p, at));
        ck_assert(!out || leaves);
    }
    ck_assert_uint_gt(masked, 20);
}
END_TEST

/* Dims that are split mean the same elements. */
static unsigned split_access(const struct xk_contraction *p,
                             const struct xk_access *a)
{
    struct xk_access s = *a;
    int64_t at[XK_MAX_INDEX] = {0}, was = 0, is = 0;
    xk_access_split_dims(p, &s);
    ck_assert_int_eq(xk_layout_size_b(&s.layout), xk_layout_size_b(&a->layout));
    do {
        const bool in = xk_access_element(p, a, at, &was);
        ck_assert(xk_access_element(p, &s, at, &is) == in);
        ck_assert(!in || was == is);
    } while (any_next(p, at));
    return s.layout.n_dims - a->layout.n_dims;
}

START_TEST(split_dims)
{
    unsigned seed = 1500u + (unsigned)_i, split = 0;
    for (unsigned n = 0; n < 60; n++) {
        struct xk_contraction p;
        any_contraction(c, &seed, false, &p);
        split += split_access(&p, &p.a) + split_access(&p, &p.b) +
                 split_access(&p, &p.c);
    }
    ck_assert_uint_gt(split, 4);
}
END_TEST

/* The element that an access means is that of a layout's own arithmetic. */
START_TEST(elements)
{
    unsigned seed = 900u + (unsigned)_i;
    for (unsigned n = 0; n < 30; n++) {
        struct xk_contraction p;
        any_contraction(c, &seed, false, &p);
        int64_t at[XK_MAX_INDEX] = {0}, got;
        do
            if (xk_access_element(&p, &p.b, at, &got))
                ck_assert_int_eq(got, element_of(&p, &p.b, at));
        while (any_next(&p, at));
    }
}
END_TEST

START_TEST(pairs_outside)
{
    unsigned seed = 700u + (unsigned)_i;
    for (unsigned n = 0; n < 400; n++) {
        struct xk_slide s = {.places = 1 + any_below(&seed, 30),
                             .k_places = 1 + any_below(&seed, 20)};
        int64_t count = 0;
        s.m_step = any_below(&seed, 9) - 4;
        s.m_step += s.m_step == 0;
        s.k_step = any_below(&seed, 9) - 4;
        s.k_step += s.k_step == 0;
        s.start = any_below(&seed, 60) - 30;
        s.lo = any_below(&seed, 9) - 4;
        s.hi = s.lo + 1 + any_below(&seed, 70);
        for (int64_t m = 0; m < s.places; m++)
            for (int64_t k = 0; k < s.k_places; k++) {
                const int64_t v = m * s.m_step + k * s.k_step + s.start;
                count += v < s.lo || v >= s.hi;
            }
        ck_assert_msg(xk_slide_outside(&s) == count,
                      "seed %d, %u: %lld, not %lld", 700 + _i, n,
                      (long long)xk_slide_outside(&s), (long long)count);
    }
}
END_TEST

/* A sum over everything, of hashes of the elements that each term touches: it
 * stays what it is when indices are split or moved. */
static uint64_t sum_of(const struct xk_contraction *p)
{
    const struct xk_access *const all[] = {&p->a, &p->b, &p->c};
    int64_t at[XK_MAX_INDEX] = {0};
    uint64_t sum = 0;
    do {
        uint64_t h = 1;
        for (unsigned k = 0; k < 3; k++) {
            int64_t e = -1;
            if (!xk_access_element(p, all[k], at, &e))
                e = -1;
            h = h * 6364136223846793005u + (uint64_t)(e + 2);
        }
        sum += h * h;
    } while (any_next(p, at));
    return sum;
}

START_TEST(split_and_move)
{
    unsigned seed = 1100u + (unsigned)_i, split = 0;
    for (unsigned n = 0; n < 60; n++) {
        struct xk_contraction p;
        any_contraction(c, &seed, false, &p);
        const uint64_t want = sum_of(&p);
        const unsigned i = (unsigned)any_below(&seed, p.n_index);
        for (int64_t by = 2; by <= p.index[i].extent; by++)
            if (p.index[i].extent % by == 0 && any_below(&seed, 2)) {
                xk_contraction_split(&p, i, by, "outer", "inner");
                split++;
                break;
            }
        ck_assert(sum_of(&p) == want);
        xk_contraction_move(&p, (unsigned)any_below(&seed, p.n_index),
                            (unsigned)any_below(&seed, p.n_index));
        ck_assert(sum_of(&p) == want);
        ck_assert_int_eq(xk_contraction_check(c, &p), XK_OK);
    }
    ck_assert_uint_gt(split, 5);
}
END_TEST

/* Classes: constants and extents of K of that class alone. */
START_TEST(classes)
{
    unsigned seed = 1300u + (unsigned)_i, several = 0;
    for (unsigned n = 0; n < 60; n++) {
        struct xk_contraction p, q;
        any_contraction(c, &seed, true, &p);
        uint32_t r[XK_MAX_CLASS_DIMS] = {0};
        bool terms = true;
        for (unsigned d = 0; d < p.n_class_dims; d++) {
            r[d] = (uint32_t)any_below(&seed, (int)p.class_dim[d].n);
            terms = terms && p.class_dim[d].k_extent[r[d]];
            several += p.class_dim[d].n > 1;
        }
        ck_assert(xk_contraction_class(&p, r, &q) == terms);
        ck_assert_uint_eq(q.n_class_dims, 0);
        for (unsigned d = 0; d < p.n_class_dims; d++) {
            const int64_t want = p.class_dim[d].k_extent[r[d]];
            ck_assert_int_eq(q.index[p.class_dim[d].k].extent, want ? want : 1);
        }
        for (unsigned d = 0; d < p.a.n_coord; d++) {
            const struct xk_coord *const x = &p.a.at[d];
            const int64_t more =
                x->class_base ? x->class_base[r[x->class_dim]] : 0;
            ck_assert_int_eq(q.a.at[d].base, x->base + more);
            struct xk_range all, one;
            ck_assert(xk_coord_range(&p, x, &all));
            ck_assert(xk_coord_range(&q, &q.a.at[d], &one));
            ck_assert(all.lo <= one.lo && one.hi <= all.hi);
        }
    }
    ck_assert_uint_gt(several, 5);
}
END_TEST

/* What a check must refuse, each a change of a good one. */
START_TEST(refusals)
{
    unsigned seed = 5;
    struct xk_contraction good, p;
    do
        any_contraction(c, &seed, false, &good);
    while (xk_contraction_last(&good, XK_ROLE_M) < 0 ||
           good.index[xk_contraction_last(&good, XK_ROLE_M)].extent < 2);
    const int m = xk_contraction_last(&good, XK_ROLE_M);
    p = good;
    p.index[m].extent = 0;
    ck_assert_int_eq(xk_contraction_check(c, &p), XK_EINVAL);
    p = good;
    p.index[m].role = XK_ROLE_N;
    ck_assert_int_eq(xk_contraction_check(c, &p), XK_EINVAL);
    p = good;
    strcpy(p.index[m].name, "2x");
    ck_assert_int_eq(xk_contraction_check(c, &p), XK_EINVAL);
    p = good;
    p.a.at[0].hi = p.a.layout.dim[0] + 1;
    ck_assert_int_eq(xk_contraction_check(c, &p), XK_EINVAL);
    p = good;
    p.a.at[0].base = INT32_MAX;
    p.a.at[0].coef[m] = 1;
    ck_assert_int_eq(xk_contraction_check(c, &p), XK_EUNSUPPORTED);
    p = good; /* C is written twice by neighbours of m */
    for (unsigned d = 0; d < p.c.n_coord; d++)
        for (unsigned i = 0; p.c.at[d].coef[m] && i < p.n_index; i++)
            if ((int)i != m && p.index[i].role != XK_ROLE_K)
                p.c.at[d].coef[i] = p.c.at[d].coef[m];
    uint32_t others = 0;
    for (unsigned i = 0; i < p.n_index; i++)
        others += (int)i != m && p.index[i].role != XK_ROLE_K &&
                  p.index[i].extent > 1;
    if (others)
        ck_assert_int_eq(xk_contraction_check(c, &p), XK_EUNSUPPORTED);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("access");
    TCase *const t = tcase_create("access");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, strides_hold, 0, 20);
    tcase_add_loop_test(t, ranges_and_masks, 0, 20);
    tcase_add_loop_test(t, split_dims, 0, 10);
    tcase_add_loop_test(t, elements, 0, 10);
    tcase_add_loop_test(t, pairs_outside, 0, 10);
    tcase_add_loop_test(t, split_and_move, 0, 20);
    tcase_add_loop_test(t, classes, 0, 10);
    tcase_add_test(t, refusals);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
