/* SPDX-License-Identifier: Apache-2.0 */
/* Classes that share a launch: how kernels are joined, as text, and which
 * gradients become how many launches; and that a launch has a schedule. */
#include <string.h>

#include "gen/class_kernel.h"
#include "gen/contract.h"
#include "plan/plan.h"
#include "tests/tap.h"
#include "xekern/xekern.h"

static const struct join_case {
    const char *text[3];
    uint32_t groups[3][3];
    const char *joined;
    uint32_t all[3];
    struct {
        unsigned n;
        uint8_t number[4];
    } last; /* n 0: the last kernel is one class's */
} join_cases[] = {
    /* No class has a place along z. */
    {{"kernel k simd 8 (n: s32, tg_x: group_x < 4) {\n"
      "    if (n < tg_x) {\n        barrier_signal()\n    }\n}\n",
      "kernel k simd 8 (n: s32, tg_x: group_x < 4) {\n"
      "    barrier_wait()\n}\n"},
     {{4, 1, 1}, {4, 1, 1}},
     "kernel k simd 8 (n: s32, tg_x: group_x < 4, tg_z: group_z < 2) {\n"
     "    if (tg_z < 1) {\n"
     "        if (n < tg_x) {\n            barrier_signal()\n        }\n"
     "    } else {\n        barrier_wait()\n    }\n}\n",
     {4, 1, 2}},
    /* The second has fewer groups along x, the third more along y. */
    {{"kernel k simd 8 (n: s32, tg_x: group_x < 4, tg_y: group_y < 2) {\n"
      "    if (n < tg_x) {\n        barrier_signal()\n    }\n}\n",
      "kernel k simd 8 (n: s32, tg_x: group_x < 3, tg_y: group_y < 3) {\n"
      "    if (n < tg_x + tg_y) {\n        barrier_wait()\n    }\n}\n",
      "kernel k simd 8 (n: s32, tg_x: group_x < 4, tg_y: group_y < 3) {\n"
      "    barrier_wait()\n}\n"},
     {{4, 2, 1}, {3, 3, 1}, {4, 3, 1}},
     "kernel k simd 8 (n: s32, tg_x: group_x < 4, tg_y: group_y < 3, tg_z: "
     "group_z < 3) {\n"
     "    if (tg_z < 1) {\n"
     "        if (tg_y < 2) {\n"
     "            if (n < tg_x) {\n                barrier_signal()\n"
     "            }\n        }\n"
     "    } else {\n"
     "        if (tg_z < 2) {\n"
     "            if (tg_x < 3) {\n"
     "                if (n < tg_x + tg_y) {\n"
     "                    barrier_wait()\n"
     "                }\n            }\n"
     "        } else {\n            barrier_wait()\n        }\n    }\n}\n",
     {4, 3, 3}},
    /* A class has three places along z of its own. */
    {{"kernel k simd 8 (n: s32, tg_z: group_z < 3) {\n"
      "    if (n < tg_z) {\n        barrier_signal()\n    }\n}\n",
      "kernel k simd 8 (n: s32, tg_z: group_z < 3) {\n"
      "    if (tg_z < n) {\n        barrier_wait()\n    }\n}\n"},
     {{1, 1, 3}, {1, 1, 3}},
     "kernel k simd 8 (n: s32, tg_z: group_z < 6) {\n"
     "    if (tg_z < 3) {\n"
     "        if (n < tg_z % 3) {\n            barrier_signal()\n        }\n"
     "    } else {\n"
     "        if (tg_z % 3 < n) {\n            barrier_wait()\n        }\n"
     "    }\n}\n",
     {1, 1, 6}},
    /* The second kernel is that of classes 1 to 3. */
    {{"kernel k simd 8 (n: s32, tg_x: group_x < 4) {\n"
      "    barrier_signal()\n}\n",
      "kernel k simd 8 (n: s32, tg_x: group_x < 4, tg_z: group_z < 4) {\n"
      "    if (n < tg_z) {\n        barrier_wait()\n    }\n}\n"},
     {{4, 1, 1}, {4, 1, 1}},
     "kernel k simd 8 (n: s32, tg_x: group_x < 4, tg_z: group_z < 4) {\n"
     "    if (tg_z < 1) {\n        barrier_signal()\n"
     "    } else {\n"
     "        if (n < tg_z) {\n            barrier_wait()\n        }\n"
     "    }\n}\n",
     {4, 1, 4},
     {3, {1, 2, 3}}},
    /* The third is that of classes 1, 3 and 5, with two places each. */
    {{"kernel k simd 8 (n: s32, tg_z: group_z < 2) {\n"
      "    if (n < tg_z) {\n        barrier_signal()\n    }\n}\n",
      "kernel k simd 8 (n: s32, tg_z: group_z < 2) {\n"
      "    if (tg_z < n) {\n        barrier_signal()\n    }\n}\n",
      "kernel k simd 8 (n: s32, tg_z: group_z < 12) {\n"
      "    if (n < tg_z) {\n        barrier_wait()\n    }\n}\n"},
     {{1, 1, 2}, {1, 1, 2}, {1, 1, 2}},
     "kernel k simd 8 (n: s32, tg_z: group_z < 10) {\n"
     "    if (tg_z < 2) {\n"
     "        if (n < tg_z % 2) {\n            barrier_signal()\n        }\n"
     "    } else {\n"
     "        if (tg_z < 4) {\n"
     "            if (tg_z % 2 < n) {\n                barrier_signal()\n"
     "            }\n"
     "        } else {\n"
     "            if (n < tg_z + -2 + select(tg_z < 6, 0, 2) + select(tg_z < "
     "8, "
     "0, 2)) {\n"
     "                barrier_wait()\n            }\n        }\n    }\n}\n",
     {1, 1, 10},
     {3, {1, 3, 5}}},
    /* All classes have one code. */
    {{"kernel k simd 8 (n: s32, tg_z: group_z < 8) {\n"
      "    if (n < tg_z) {\n        barrier_wait()\n    }\n}\n"},
     {{1, 1, 1}},
     "kernel k simd 8 (n: s32, tg_z: group_z < 4) {\n"
     "    if (n < tg_z + 4) {\n        barrier_wait()\n    }\n}\n",
     {1, 1, 4},
     {4, {4, 5, 6, 7}}},
};

static unsigned read_classes(xk_ctx *c, const struct join_case *x,
                             struct xk_class_kernel *of)
{
    unsigned n = 0;
    while (n < XK_COUNTOF(x->text) && x->text[n])
        n++;
    const unsigned all = n + x->last.n - !!x->last.n;
    for (unsigned i = 0; i < n; i++) {
        ck_assert_msg(xk_kernel_parse(c, x->text[i], &of[i].ir) == XK_OK, "%s",
                      c->error.message);
        memcpy(of[i].groups, x->groups[i], sizeof(of[i].groups));
        of[i].n = i + 1 == n ? x->last.n : 0;
        of[i].number = x->last.number;
        ck_assert_int_eq(xk_class_kernel_place(c, &of[i], i, all), XK_OK);
    }
    return n;
}

START_TEST(kernels_are_joined)
{
    const struct join_case *const x = &join_cases[_i];
    static struct xk_class_kernel of[3];
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_str text;
    uint32_t groups[3];
    const unsigned n = read_classes(c, x, of);
    xk_str_init(&text, &c->alloc);
    ck_assert_int_eq(xk_class_kernels_join(c, of, n, groups), XK_OK);
    xk_kernel_print(&of[0].ir, &text);
    ck_assert_str_eq(xk_str_get(&text), x->joined);
    for (unsigned d = 0; d < 3; d++)
        ck_assert_uint_eq(groups[d], x->all[d]);
    ck_assert_int_eq(xk_kernel_verify(c, &of[0].ir, NULL, NULL), XK_OK);
    xk_str_fini(&text);
    xk_ctx_destroy(c);
}
END_TEST

static const struct join_case bad_classes[] = {
    {{"kernel k simd 8 (n: s32, tg_z: group_z < 3) {\n    barrier_wait()\n}\n",
      "kernel k simd 8 (n: s32, tg_z: group_z < 2) {\n    barrier_wait()\n}\n"},
     {{1, 1, 3}, {1, 1, 2}},
     "3 groups along z, and 2",
     {0}},
    {{"kernel k simd 8 (n: s32, tg_x: group_x < 3) {\n    barrier_wait()\n}\n",
      "kernel k simd 8 (m: s32, tg_x: group_x < 3) {\n    barrier_wait()\n}\n"},
     {{3, 1, 1}, {3, 1, 1}},
     "k has no parameter m",
     {0}},
};

START_TEST(other_kernels_are_not)
{
    const struct join_case *const x = &bad_classes[_i];
    static struct xk_class_kernel of[3];
    xk_ctx *const c = xk_ctx_create(NULL);
    uint32_t groups[3];
    const unsigned n = read_classes(c, x, of);
    ck_assert_int_eq(xk_class_kernels_join(c, of, n, groups), XK_EINTERNAL);
    ck_assert_ptr_nonnull(strstr(c->error.message, x->joined));
    xk_ctx_destroy(c);
}
END_TEST

static const struct {
    const char *text;
    unsigned launches, type; /* 0: f16 */
} gradients[] = {
    {"mb16ic128ih56oc128oh28kh3sh2ph1", 1},
    {"mb16ic128ih56oc128oh28kh3sh2ph2dh1", 1}, /* three have no terms */
    {"mb16ic128ih56oc128oh27kh3sh2ph2dh2", 1},
    {"mb16ic512ih28oc1024oh14kh1sh2", 1},
    {"mb16g4ic128ih56oc128oh28kh3sh2ph1", 1},
    {"mb16ic256ih28oc256oh14kh3sh2ph1", 4, XK_F32}, /* mad's code is long */
    /* Eight classes, of which four share a launch. */
    {"mb4ic64id16ih16iw16oc64od8oh8ow8kd3kh3kw3sd2sh2sw2pd1ph1pw1", 2},
};

START_TEST(classes_share_a_launch)
{
    static const char *const tags[] = {"axb", "any"};
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_conv_info info = {.size = sizeof(info)};
    struct xk_error err;
    d.prop = XK_BWD_D;
    d.src_type = d.wei_type = d.dst_type =
        gradients[_i].type ? gradients[_i].type : XK_F16;
    ck_assert_int_eq(xk_conv_desc_parse(gradients[_i].text, &d, NULL, 0, NULL),
                     XK_OK);
    for (unsigned t = 0; t < XK_COUNTOF(tags); t++) {
        strcpy(d.src_tag, tags[t]);
        strcpy(d.dst_tag, tags[t]);
        ck_assert_msg(xk_conv_query(&d, &info, &err) == XK_OK, "%s",
                      err.message);
        ck_assert_uint_eq(info.n_launches, gradients[_i].launches);
    }
}
END_TEST

enum xk_status __real_xk_plan_make(xk_ctx *c, const struct xk_platform *p,
                                   const struct xk_nest *con,
                                   const struct xk_schedule *s,
                                   struct xk_plan *out);
enum xk_status __wrap_xk_plan_make(xk_ctx *c, const struct xk_platform *p,
                                   const struct xk_nest *con,
                                   const struct xk_schedule *s,
                                   struct xk_plan *out);

static unsigned n_plans[2]; /* with terms, without */

enum xk_status __wrap_xk_plan_make(xk_ctx *c, const struct xk_platform *p,
                                   const struct xk_nest *con,
                                   const struct xk_schedule *s,
                                   struct xk_plan *out)
{
    n_plans[con->empty]++;
    return __real_xk_plan_make(c, p, con, s, out);
}

/* Codes of a launch whose schedule is given: with terms, without. */
static const struct {
    const char *text;
    unsigned codes[2];
} codes[] = {
    {"mb2ic64ih8oc64oh4kh1sh2ph0", {1, 1}},
    {"mb2ic64ih7oc64oh4kh1sh2ph0", {1, 1}},
    {"mb2g4ic64ih8oc64oh4kh1sh2ph0", {1, 1}},
    /* Every other row has taps. */
    {"mb2ic64ih8iw8oc64oh4ow4kh3kw1sh2sw2ph1pw0", {2, 1}},
    /* Seven are empty; four of these are a launch of their own. */
    {"mb1ic16id8ih8iw8_oc16od4oh4ow4_kd1kh1kw1_sd2sh2sw2_pd0ph0pw0", {1, 2}},
};

START_TEST(classes_without_terms_have_one_code)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_error err;
    xk_program *p = NULL;
    d.prop = XK_BWD_D;
    d.src_type = d.wei_type = d.dst_type = XK_F16;
    ck_assert_int_eq(xk_conv_desc_parse(codes[_i].text, &d, NULL, 0, NULL),
                     XK_OK);
    strcpy(d.src_tag, "axb");
    strcpy(d.dst_tag, "axb");
    memset(n_plans, 0, sizeof(n_plans));
    ck_assert_msg(xk_conv_create(&d, NULL, &p, &err) == XK_OK, "%s",
                  err.message);
    ck_assert_uint_eq(n_plans[0], codes[_i].codes[0]);
    ck_assert_uint_eq(n_plans[1], codes[_i].codes[1]);
    xk_program_unref(p);
}
END_TEST

/* Nobody takes what is behind an empty list. */
START_TEST(a_launch_without_candidates_is_an_error)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_gen g = {.c = c};
    const struct xk_contract none = {0};
    struct xk_made_kernel made = {0};
    ck_assert_int_eq(xk_contract_make(&g, &none, "xk_k", &made), XK_EINTERNAL);
    ck_assert_str_eq(c->error.message, "contract: xk_k has no candidate");
    xk_ctx_destroy(c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("class_kernel");
    TCase *const t = tcase_create("class_kernel");
    tcase_add_loop_test(t, kernels_are_joined, 0, (int)XK_COUNTOF(join_cases));
    tcase_add_loop_test(t, other_kernels_are_not, 0,
                        (int)XK_COUNTOF(bad_classes));
    tcase_add_loop_test(t, classes_share_a_launch, 0,
                        (int)XK_COUNTOF(gradients));
    tcase_add_loop_test(t, classes_without_terms_have_one_code, 0,
                        (int)XK_COUNTOF(codes));
    tcase_add_test(t, a_launch_without_candidates_is_an_error);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
