/* SPDX-License-Identifier: Apache-2.0 */
/* A context searches once for a shape, and what it keeps is what a search
 * finds. The search is counted by the linker's --wrap. */
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"
#include "gen/searches.h"
#include "tests/tap.h"
#include "wrapped_search.h"

static unsigned searched;

unsigned __wrap_xk_schedule_candidates(const struct xk_platform *p,
                                       const struct xk_shape *s,
                                       const struct xk_schedule_fixed *fixed,
                                       struct xk_schedule *out,
                                       const struct xk_schedule_rule **broken)
{
    searched++;
    return __real_xk_schedule_candidates(p, s, fixed, out, broken);
}

/* Asks about it, and compares with a search of its own. */
static void ask_about(xk_ctx *c, const struct xk_shape *s)
{
    const struct xk_platform *const p = xk_platform_get(XK_PLATFORM_XEHPG);
    const struct xk_schedule_rule *broken = NULL;
    struct xk_schedule got[XK_MAX_CANDIDATES], want[XK_MAX_CANDIDATES];
    unsigned n;
    ck_assert_int_eq(xk_searches_ask(c, p, s, got, &n, &broken), XK_OK);
    ck_assert_uint_eq(__real_xk_schedule_candidates(p, s, NULL, want, NULL), n);
    for (unsigned i = 0; i < n; i++) {
        ck_assert(xk_schedule_same(&got[i], &want[i]));
        ck_assert_int_eq(got[i].score, want[i].score);
    }
}

static struct xk_shape shape_at(unsigned i)
{
    struct xk_shape s;
    memset(&s, 0, sizeof(s));
    s.m = 3136 + 16 * i;
    s.n = s.k_inner = 64;
    s.k_outer = 9;
    s.elem_b = 2;
    return s;
}

START_TEST(a_shape_is_searched_once)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    searched = 0;
    for (unsigned i = 0; i < 40; i++) { /* more than are kept */
        const struct xk_shape s = shape_at(i), before = shape_at(i ? i - 1 : 0);
        ask_about(c, &s);
        ask_about(c, &before);
        ask_about(c, &s);
    }
    ck_assert_uint_eq(searched, 40);
    const struct xk_shape first = shape_at(0);
    ask_about(c, &first);
    ck_assert_uint_eq(searched, 41);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}
END_TEST

/* Rows of B's memory matter by what tiles leave of them. */
START_TEST(shapes_that_are_seen_alike_have_the_same_candidates)
{
    static const unsigned types_b[] = {1, 2, 4};
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_shape s = shape_at(0);
    s.elem_b = types_b[_i];
    searched = 0;
    for (s.rows_b = 0; s.rows_b < 512; s.rows_b += 8)
        ask_about(c, &s);
    ck_assert_uint_eq(searched, 8);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}
END_TEST

/* Gradients by data whose layouts are given but for the weights', which are
 * chosen by a search: the class with most terms, a class without any, and the
 * classes that share a launch are one search each. */
START_TEST(a_creation_asks_no_question_twice)
{
    static const struct {
        const char *problem;
        unsigned searches;
    } rows[] = {
        {"mb16ic256ih14oc512oh14kh1", 1},
        {"mb16ic256ih56oc128oh28kh1sh2", 3},
    };
    static struct xk_problem p;
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_error err;
    xk_ctx *const c = xk_ctx_create(NULL);
    d.prop = XK_BWD_D;
    d.src_type = d.wei_type = d.dst_type = XK_F16;
    strcpy(d.src_tag, "axb");
    strcpy(d.dst_tag, "axb");
    ck_assert_msg(xk_conv_desc_parse(rows[_i].problem, &d, NULL, 0, &err) ==
                      XK_OK,
                  "%s", err.message);
    searched = 0;
    ck_assert_msg(xk_problem_make(c, &d, &p) == XK_OK, "%s", c->error.message);
    xk_problem_fini(&p);
    ck_assert_uint_eq(searched, rows[_i].searches);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}
END_TEST

int main(void)
{
    unsetenv("XK_SCHEDULE");
    Suite *const s = suite_create("searches");
    TCase *const t = tcase_create("searches");
    tcase_add_test(t, a_shape_is_searched_once);
    tcase_add_loop_test(t, shapes_that_are_seen_alike_have_the_same_candidates,
                        0, 3);
    tcase_add_loop_test(t, a_creation_asks_no_question_twice, 0, 2);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
