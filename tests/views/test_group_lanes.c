/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a window in dwords of four, and the places of K that a tile's rows
 * have there: by hand, and for all small axes by what a product needs. */
#include <stdio.h>
#include <check.h>
#include <string.h>

#include "tests/tap.h"
#include "views/group_lanes.h"

/* Rows of blocks, and places of K of each pair of a block and a tile's row that
 * meet: "block/row:k,k,k,k". */
static const struct {
    int64_t k_places, step, apart, places;
    const char *rows, *pairs;
} by_hand[] = {
    {3, 1, 1, 2, "0 1 2 3", "0/0:0,1,2,- 0/1:-,0,1,2"},
    {3, 1, 1, 1, "0 1 2 -", "0/0:0,1,2,-"},
    {3, 2, 1, 2, "0 1 2 3 4 - - -", "0/0:0,1,2,- 0/1:-,-,0,1 1/1:2,-,-,-"},
    /* Rows 1 and 3 of a window with holes are not met. */
    {3, 1, 2, 1, "0 2 4 -", "0/0:0,1,2,-"},
    {1, 2, 1, 3, "0 2 4 -", "0/0:0,-,-,- 0/1:-,0,-,- 0/2:-,-,0,-"},
    {5, 1, 1, 1, "0 1 2 3 4 - - -", "0/0:0,1,2,3 1/0:4,-,-,-"},
};

static void put(char *text, const char *before, int64_t v)
{
    char number[24];
    snprintf(number, sizeof(number), v < 0 ? "%s-" : "%s%d", before, (int)v);
    strcat(text, number);
}

START_TEST(blocks_have_the_rows_that_are_met)
{
    const struct xk_lanes_axis y = {.places = 8,
                                    .k_places = by_hand[_i].k_places,
                                    .step = by_hand[_i].step,
                                    .apart = by_hand[_i].apart};
    struct xk_lanes_block b = xk_lanes_no_block();
    int64_t by[XK_LANES_DEEP], n = 0;
    char rows[200] = "", pairs[200] = "";
    for (unsigned number = 0; xk_lanes_next_block(&y, by_hand[_i].places, &b);
         number++) {
        for (unsigned i = 0; i < XK_LANES_DEEP; i++)
            put(rows, *rows ? " " : "", b.row[i]);
        for (int64_t p = 0; p < by_hand[_i].places; p++) {
            if (!xk_lanes_dots(&y, p, &b, by))
                continue;
            n++;
            put(pairs, *pairs ? " " : "", number);
            put(pairs, "/", p);
            for (unsigned i = 0; i < XK_LANES_DEEP; i++)
                put(pairs, i ? "," : ":", by[i]);
        }
    }
    ck_assert_str_eq(rows, by_hand[_i].rows);
    ck_assert_str_eq(pairs, by_hand[_i].pairs);
    ck_assert_int_eq(xk_lanes_n_dots(&y, by_hand[_i].places), n);
}
END_TEST

/* Every place of K of every row of the tile stands at exactly one byte, that of
 * the element which it multiplies. */
static void check_axis(const struct xk_lanes_axis *y, int64_t places)
{
    struct xk_lanes_block b = xk_lanes_no_block();
    int64_t by[XK_LANES_DEEP], seen = 0;
    while (xk_lanes_next_block(y, places, &b))
        for (int64_t p = 0; p < places; p++) {
            xk_lanes_dots(y, p, &b, by);
            for (unsigned i = 0; i < XK_LANES_DEEP; i++) {
                if (by[i] < 0)
                    continue;
                ck_assert_int_eq(b.row[i], p * y->step + by[i] * y->apart);
                seen++;
            }
        }
    ck_assert_int_eq(seen, places * y->k_places);
}

START_TEST(each_place_of_k_has_a_byte_of_its_own)
{
    struct xk_lanes_axis y = {.places = 8};
    for (y.k_places = 1; y.k_places <= 7; y.k_places++)
        for (y.step = 1; y.step <= 4; y.step++)
            for (y.apart = 1; y.apart <= 4; y.apart++)
                for (int64_t places = 1; places <= 4; places++)
                    check_axis(&y, places);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("group_lanes");
    TCase *const t = tcase_create("group_lanes");
    tcase_add_loop_test(t, blocks_have_the_rows_that_are_met, 0,
                        (int)XK_COUNTOF(by_hand));
    tcase_add_test(t, each_place_of_k_has_a_byte_of_its_own);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
