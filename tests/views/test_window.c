/* SPDX-License-Identifier: Apache-2.0 */
/* Windows: neighbouring pixels and neighbouring filter taps read the same if
 * both are along one dim and its stride is the taps' distance, else never. */
#include <check.h>
#include <string.h>

#include "images.h"
#include "tests/tap.h"
#include "views/window.h"

static xk_ctx *c;

static void setup(void)
{
    c = xk_ctx_create(NULL);
}

static void teardown(void)
{
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

/* Of M's dims with several places the second from inside; -1: images, or none.
 * *rows: places inside it. */
static int second_dim(const struct image *g, int64_t *rows)
{
    int found = 0;
    *rows = 1;
    if (g->inside && g->n > 1) {
        *rows = g->n;
        found++;
    }
    for (int a = 3; a-- > 0;) {
        if (g->o[a] == 1)
            continue;
        if (found++)
            return a;
        *rows = g->o[a];
    }
    return -1;
}

static int last_tap(const struct image *g)
{
    for (int a = 3; a-- > 0;)
        if (g->k[a] > 1)
            return a;
    return -1;
}

START_TEST(random_images)
{
    unsigned seed = 7000u + (unsigned)_i, found = 0;
    for (unsigned i = 0; i < 200; i++) {
        struct image g = image_random(&seed);
        struct xk_contraction con;
        struct xk_window w;
        int64_t rows;
        g.d[2] = i % 2 ? g.s[2] : g.d[2];
        const int m = second_dim(&g, &rows), k = last_tap(&g);
        const bool want = m >= 0 && m == k && g.s[m] == g.d[m];
        image_contraction(c, &g, &con);
        ck_assert_msg(xk_window_of(&con, &w) == want, "seed %d, %u", 7000 + _i,
                      i);
        if (want)
            ck_assert_msg(w.rows == rows && w.places == g.o[m] &&
                              w.taps == g.k[m],
                          "seed %d, %u", 7000 + _i, i);
        found += want;
        xk_ctx_clear(c);
    }
    ck_assert_uint_gt(found, 4);
}
END_TEST

/* By hand: what a 3 x 3 of 16 images is, and that dilation and stride must
 * agree. */
START_TEST(by_hand)
{
    struct image g = {16,        {1, 7, 9}, {1, 7, 9}, {1, 3, 3}, {1, 1, 1},
                      {1, 1, 1}, {0, 1, 1}, false,     true};
    struct xk_contraction con;
    struct xk_window w;
    image_contraction(c, &g, &con);
    ck_assert(xk_window_of(&con, &w));
    ck_assert(w.rows == 16 && w.places == 9 && w.taps == 3);
    g.d[2] = 2;
    image_contraction(c, &g, &con);
    ck_assert(!xk_window_of(&con, &w));
    g.d[2] = 1;
    g.inside = false; /* then pixels of a row are M's innermost dim */
    image_contraction(c, &g, &con);
    ck_assert(!xk_window_of(&con, &w));
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("window");
    TCase *const t = tcase_create("window");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, random_images, 0, 10);
    tcase_add_test(t, by_hand);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
