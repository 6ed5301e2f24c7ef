/* SPDX-License-Identifier: Apache-2.0 */
/* Footprints against plain enumeration: two rows and taps have the same pixel
 * number exactly if they stand for the same place of the padded tensor, and
 * what a group spans is what its rows and taps span. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "views/halo.h"

static xk_ctx *c;

static void setup(void)
{
    c = xk_ctx_create(NULL);
}

static void teardown(void)
{
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

/* Images of two dims: outputs, taps, stride, distance of taps, padding. */
struct image {
    int64_t n, o[2], k[2], s[2], d[2], p[2];
};

static void contraction(const struct image *g, struct xk_contraction *con)
{
    static const char *const places[] = {"oh", "ow"}, *const taps[] = {"kh",
                                                                       "kw"};
    const int64_t dims[4] = {g->n, 16, 50, 50};
    int o[2], k[2];
    memset(con, 0, sizeof(*con));
    ck_assert_int_eq(xk_layout_from_tag(
                         c, "src", (struct xk_tensor_dims){XK_DT_F16, 4, dims},
                         "acdb", &con->a.layout),
                     XK_OK);
    const int n = (int)xk_contraction_add(con, "n", g->n, XK_ROLE_M);
    for (unsigned i = 0; i < 2; i++)
        o[i] = (int)xk_contraction_add(con, places[i], g->o[i], XK_ROLE_M);
    for (unsigned i = 0; i < 2; i++)
        k[i] = (int)xk_contraction_add(con, taps[i], g->k[i], XK_ROLE_K);
    const int ch = (int)xk_contraction_add(con, "c", 16, XK_ROLE_K);
    xk_access_add(&con->a, n, g->n);
    xk_access_add(&con->a, ch, 16);
    for (unsigned i = 0; i < 2; i++) {
        struct xk_coord *const x = xk_access_add(&con->a, o[i], 50);
        x->coef[o[i]] = g->s[i];
        x->coef[k[i]] = g->d[i];
        x->base = -g->p[i];
    }
}

static struct image random_image(unsigned *seed)
{
    struct image g = {.n = 1 + rand_r(seed) % 3};
    for (unsigned i = 0; i < 2; i++) {
        g.o[i] = 1 + rand_r(seed) % 7;
        g.k[i] = 1 + rand_r(seed) % 3;
        g.s[i] = 1 + rand_r(seed) % 3;
        g.d[i] = g.s[i] > 1 ? 1 : 1 + rand_r(seed) % 3;
        g.p[i] = rand_r(seed) % 3;
    }
    return g;
}

/* Place of a row and tap: image, line and column of the tensor. */
struct place {
    int64_t n, y, x, number;
};

static struct place place_of(const struct image *g,
                             const struct xk_contraction *con,
                             const struct xk_halo *f, int64_t m, int64_t tap)
{
    const int64_t oh = m / g->o[1] % g->o[0], ow = m % g->o[1];
    const int64_t kh = tap / g->k[1], kw = tap % g->k[1];
    return (struct place){m / g->o[1] / g->o[0],
                          oh * g->s[0] + kh * g->d[0] - g->p[0],
                          ow * g->s[1] + kw * g->d[1] - g->p[1],
                          xk_halo_pixel(con, f, m) + xk_halo_tap(con, f, tap)};
}

static int64_t rows_of(const struct image *g)
{
    return g->n * g->o[0] * g->o[1];
}

START_TEST(test_numbers)
{
    unsigned seed = 77 + (unsigned)_i;
    const struct image g = random_image(&seed);
    struct xk_contraction con;
    struct xk_halo f;
    contraction(&g, &con);
    ck_assert(xk_halo_of(&con, &f));
    const int64_t taps = g.k[0] * g.k[1], n = rows_of(&g) * taps;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) {
            const struct place a = place_of(&g, &con, &f, i / taps, i % taps);
            const struct place b = place_of(&g, &con, &f, j / taps, j % taps);
            const bool same = a.n == b.n && a.y == b.y && a.x == b.x;
            ck_assert_msg(same == (a.number == b.number), "seed %d: %lld %lld",
                          77 + _i, (long long)i, (long long)j);
        }
}
END_TEST

START_TEST(test_span)
{
    unsigned seed = 177 + (unsigned)_i;
    const struct image g = random_image(&seed);
    const int64_t rows = 1 + rand_r(&seed) % 20;
    struct xk_contraction con;
    struct xk_halo f;
    contraction(&g, &con);
    ck_assert(xk_halo_of(&con, &f));
    const int64_t taps = g.k[0] * g.k[1];
    int64_t most = 0;
    for (int64_t m = 0; m < rows_of(&g); m += rows) {
        int64_t lo = INT64_MAX, hi = 0;
        for (int64_t r = 0; r < rows * taps; r++) {
            const int64_t at =
                place_of(&g, &con, &f, m + r / taps, r % taps).number;
            lo = at < lo ? at : lo;
            hi = at > hi ? at : hi;
        }
        most = hi - lo + 1 > most ? hi - lo + 1 : most;
    }
    ck_assert_int_eq(xk_halo_pixels(&con, &f, rows), most);
}
END_TEST

/* Neighbours of a stride of 2 are told apart by a bit, whatever the row is. */
START_TEST(test_columns)
{
    unsigned seed = 977 + (unsigned)_i;
    struct image g = random_image(&seed);
    struct xk_contraction con;
    struct xk_halo f;
    g.s[1] = 1 + rand_r(&seed) % 8;
    g.d[1] = 1;
    contraction(&g, &con);
    ck_assert(xk_halo_of(&con, &f));
    const int64_t columns = f.columns, by = g.k[1] > 1 ? g.s[1] : 1;
    ck_assert_int_eq(by % columns, 0);
    ck_assert_int_eq(by / columns % 2, 1);
    for (int64_t m = 0; m < rows_of(&g) + 20; m++)
        ck_assert_int_eq(xk_halo_pixel(&con, &f, m) % columns, 0);
    for (int64_t tap = 0; tap < g.k[0] * g.k[1]; tap++)
        ck_assert_int_eq(xk_halo_tap(&con, &f, tap) % columns,
                         tap % g.k[1] % columns);
}
END_TEST

/* Rows beyond M go on along the outermost index of more than one, as lower/
 * unpacks them: a last group reads them too. */
START_TEST(test_beyond)
{
    unsigned seed = 577 + (unsigned)_i;
    struct image g = random_image(&seed);
    struct xk_contraction con;
    struct xk_halo f;
    g.n = 1;
    g.o[0]++;
    contraction(&g, &con);
    ck_assert(xk_halo_of(&con, &f));
    const int64_t down = g.k[0] > 1 ? g.s[0] : 1, by = g.k[1] > 1 ? g.s[1] : 1;
    const int64_t used = (g.o[1] - 1) * by + (g.k[1] - 1) * g.d[1] + 1;
    const int64_t wide = by % 2 ? used : (used + 1) / 2 * 2; /* by: 1, 2, 3 */
    for (int64_t m = 0; m < rows_of(&g) + 20; m++)
        ck_assert_int_eq(xk_halo_pixel(&con, &f, m),
                         m / g.o[1] * down * wide + m % g.o[1] * by);
}
END_TEST

START_TEST(test_refused)
{
    struct xk_contraction con;
    struct xk_halo f;
    const struct image strided = {1, {3, 3}, {3, 3}, {2, 1}, {2, 1}, {0, 0}};
    contraction(&strided, &con);
    ck_assert(!xk_halo_of(&con, &f)); /* neither step is 1 */
    const struct image good = {1, {3, 3}, {3, 3}, {1, 1}, {1, 1}, {0, 0}};
    contraction(&good, &con);
    ck_assert(xk_halo_of(&con, &f));
    /* Two coordinates move with oh. */
    con.a.at[3] = con.a.at[2];
    ck_assert(!xk_halo_of(&con, &f));
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("halo");
    TCase *const t = tcase_create("halo");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, test_numbers, 0, 60);
    tcase_add_loop_test(t, test_span, 0, 300);
    tcase_add_loop_test(t, test_columns, 0, 60);
    tcase_add_loop_test(t, test_beyond, 0, 50);
    tcase_add_test(t, test_refused);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
