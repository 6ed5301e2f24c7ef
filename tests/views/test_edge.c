/* SPDX-License-Identifier: Apache-2.0 */
/* Edges against plain enumeration: for every row of M and every filter tap the
 * edge's numbers say whether the coordinate that they move is inside the
 * tensor, and there is an edge exactly if one is not. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "images.h"
#include "tests/tap.h"
#include "views/edge.h"

static xk_ctx *c;

static void setup(void)
{
    c = xk_ctx_create(NULL);
}

static void teardown(void)
{
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

/* The dim that moves slowest along M: the first with more than one place. -1:
 * images do, or nothing. */
static int slowest(const struct image *g)
{
    if (!g->inside && g->n > 1)
        return -1;
    for (int a = 0; a < 3; a++)
        if (g->o[a] > 1)
            return a;
    return -1;
}

/* Row m's place along dim a, by the order of loops. */
static int64_t place(const struct image *g, int a, int64_t m)
{
    int64_t at[3];
    m = g->inside ? m / g->n : m;
    for (int i = 3; i-- > 0; m /= g->o[i])
        at[i] = m % g->o[i];
    return at[a];
}

static int64_t rows_of(const struct image *g)
{
    return g->n * g->o[0] * g->o[1] * g->o[2];
}

static bool is_inside(const struct image *g, int a, int64_t o, int64_t k)
{
    const int64_t at = o * g->s[a] + k * g->d[a] - g->p[a];
    return at >= 0 && at < g->i[a];
}

/* Taps in the other order, as a gradient by data has them. */
static void mirror(const struct image *g, struct xk_contraction *con)
{
    for (int a = 0; a < 3; a++) {
        const int k = xk_contraction_find(con, image_tap_names[a]);
        for (unsigned d = 0; k >= 0 && d < con->a.n_coord; d++) {
            con->a.at[d].base += con->a.at[d].coef[k] * (g->k[a] - 1);
            con->a.at[d].coef[k] *= -1;
        }
    }
}

/* Every row and tap, by the edge's own numbers. */
static void compare(const struct image *g, const struct xk_contraction *con,
                    const struct xk_edge *e, int a, bool mirrored)
{
    ck_assert_str_eq(con->index[e->m].name, image_out_names[a]);
    ck_assert_str_eq(con->index[e->k].name, image_tap_names[a]);
    ck_assert_int_ge(e->m_step, 1);
    ck_assert_int_eq(e->k_step, mirrored ? -g->d[a] : g->d[a]);
    for (int64_t m = 0; m < rows_of(g); m++)
        for (int64_t k = 0; k < g->k[a]; k++) {
            const int64_t at =
                m / e->rows * e->m_step + k * e->k_step + e->start;
            const int64_t tap = mirrored ? g->k[a] - 1 - k : k;
            ck_assert_int_eq(at, place(g, a, m) * g->s[a] + tap * g->d[a] -
                                     g->p[a]);
            ck_assert_int_eq(at >= 0 && at < e->extent,
                             is_inside(g, a, place(g, a, m), tap));
        }
}

static bool has_edge(const struct image *g, int a)
{
    for (int64_t o = 0; o < g->o[a]; o++)
        for (int64_t k = 0; k < g->k[a]; k++)
            if (!is_inside(g, a, o, k))
                return true;
    return false;
}

START_TEST(test_rows_and_taps)
{
    unsigned seed = 4000u + (unsigned)_i, found = 0, none = 0;
    for (unsigned i = 0; i < 100; i++) {
        const struct image g = image_random(&seed);
        const int a = slowest(&g);
        struct xk_contraction con;
        struct xk_edge e;
        image_contraction(c, &g, &con);
        if (i % 2)
            mirror(&g, &con);
        const bool got = xk_edge_of(&con, &e);
        const bool want = a >= 0 && has_edge(&g, a);
        ck_assert_msg(got == want, "seed %d, %u: %d %d", 4000 + _i, i, got,
                      want);
        if (got)
            compare(&g, &con, &e, a, i % 2);
        found += got;
        none += !got;
        xk_ctx_clear(c);
    }
    ck_assert_uint_gt(found, 20);
    ck_assert_uint_gt(none, 20);
}
END_TEST

/* By hand; a row in three lines. */
/* clang-format off */
static const struct {
    const char *what;
    struct image g;
    bool edge;
    struct xk_edge want; /* m, k as places in the contraction */
} rows[] = {
    {"images inside", {8, {1, 7, 7}, {1, 7, 7}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1},
                       {0, 1, 1}, false, true},
     true, {0, 4, 1, 1, -1, 7, 56}},
    {"one image", {1, {1, 9, 7}, {1, 5, 7}, {1, 3, 3}, {1, 2, 1}, {1, 1, 1},
                   {0, 1, 1}, false, false},
     true, {1, 4, 2, 1, -1, 9, 7}},
    {"one line of one image", {1, {1, 3, 7}, {1, 1, 7}, {1, 3, 3}, {1, 1, 1},
                               {1, 1, 2}, {0, 0, 2}, false, false},
     true, {2, 5, 1, 2, -2, 7, 1}},
    {"a volume", {4, {6, 5, 7}, {6, 5, 7}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1},
                  {1, 1, 1}, true, true},
     true, {0, 5, 1, 1, -1, 6, 140}},
    {"only behind", {1, {1, 8, 8}, {1, 8, 8}, {1, 2, 2}, {1, 1, 1}, {1, 1, 1},
                     {0, 0, 0}, false, false},
     true, {1, 4, 1, 1, 0, 8, 8}},
    {"images outside", {2, {1, 7, 7}, {1, 7, 7}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1},
                        {0, 1, 1}, false, false},
     false, {0}},
    {"no padding", {8, {1, 7, 7}, {1, 5, 5}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1},
                    {0, 0, 0}, false, true},
     false, {0}},
    {"padding only along lines", {8, {1, 7, 7}, {1, 5, 7}, {1, 3, 3}, {1, 1, 1},
                                  {1, 1, 1}, {0, 0, 1}, false, true},
     false, {0}},
    {"one row", {1, {1, 1, 1}, {1, 1, 1}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1},
                 {0, 1, 1}, false, false},
     false, {0}},
    {"only images", {8, {1, 1, 1}, {1, 1, 1}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1},
                     {0, 1, 1}, false, true},
     false, {0}},
};
/* clang-format on */

START_TEST(test_by_hand)
{
    struct xk_contraction con;
    struct xk_edge e;
    const struct xk_edge *const w = &rows[_i].want;
    image_contraction(c, &rows[_i].g, &con);
    ck_assert_msg(xk_edge_of(&con, &e) == rows[_i].edge, "%s", rows[_i].what);
    if (!rows[_i].edge)
        return;
    ck_assert_msg(e.m == w->m && e.k == w->k && e.m_step == w->m_step &&
                      e.k_step == w->k_step && e.start == w->start &&
                      e.extent == w->extent && e.rows == w->rows,
                  "%s: %u %u %lld %lld %lld %lld %lld", rows[_i].what, e.m, e.k,
                  (long long)e.m_step, (long long)e.k_step, (long long)e.start,
                  (long long)e.extent, (long long)e.rows);
}
END_TEST

/* What is not a sum of one index of M and one of K. */
START_TEST(test_refused)
{
    struct xk_contraction con;
    struct xk_edge e;
    image_contraction(c, &rows[0].g, &con);
    ck_assert(xk_edge_of(&con, &e));
    /* Mirrored: it goes down along oh. */
    const struct xk_coord good = con.a.at[2];
    const int oh = xk_contraction_find(&con, "oh");
    con.a.at[2].coef[oh] = -good.coef[oh];
    ck_assert(!xk_edge_of(&con, &e));
    /* Two indices of K. */
    con.a.at[2] = good;
    con.a.at[2].coef[xk_contraction_find(&con, "kw")] = 1;
    ck_assert(!xk_edge_of(&con, &e));
    con.a.at[2] = good;
    ck_assert(xk_edge_of(&con, &e));
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("edge");
    TCase *const t = tcase_create("edge");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, test_rows_and_taps, 0, 30);
    tcase_add_loop_test(t, test_by_hand, 0, XK_COUNTOF(rows));
    tcase_add_test(t, test_refused);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
