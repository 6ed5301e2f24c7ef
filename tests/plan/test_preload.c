/* SPDX-License-Identifier: Apache-2.0 */
/* How many parts of a sum are under way at once, by size and by registers. */
#include <stdio.h>
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

#define MAD "fma=mad simd=16 k=4 grf=128 tg=1x1 slots=1,1 slm=0 "
#define DPAS "fma=dpas simd=8 tg=1x1 slots=1,1 slm=0 grf=256 "

/* A thread has asked for 256 bytes, or for two parts. */
static const struct {
    struct plan_lab_case of;
    unsigned parts, part_b, ahead;
} cases[] = {
    /* rows of 32 f32, 128 bytes; of 16 */
    {{"mb1ic16ih4oc32oh4kh1", MAD "m=16 n=32 nsub=32", XK_F32, XK_F32, XK_F32,
      "Acdb32a", 0, true},
     16,
     128,
     2},
    {{"mb1ic16ih4oc16oh4kh1", MAD "m=16 n=16 nsub=16", XK_F32, XK_F32, XK_F32,
      "Acdb16a", 0, true},
     16,
     64,
     4},
    /* 16 columns of f16, 256 bytes; squares of f32; 32 columns of u8 */
    {{"mb1ic16ih4oc32oh4kh1", DPAS "m=16 n=32 nsub=32 k=16", XK_F16, XK_F16,
      XK_F16, "ABcd32a16b", 0, true},
     4,
     256,
     2},
    {{"mb1ic16ih4oc32oh4kh1", DPAS "m=16 n=32 nsub=32 k=16", XK_F16, XK_F16,
      XK_F32, "ABcd32a16b", 0, true},
     8,
     256,
     2},
    {{"mb1ic32ih4oc32oh4kh1", DPAS "m=16 n=32 nsub=32 k=32", XK_U8, XK_S8,
      XK_U8, "ABcd32a32b", 0, true},
     2,
     256,
     2},
    /* a single one; columns one by one, an element a dword */
    {{"mb1ic16ih4oc8oh4kh1", DPAS "m=8 n=8 nsub=8 k=16", XK_F16, XK_F16, XK_F16,
      "ABcd32a16b", 0, true},
     1,
     128,
     1},
    {{"mb1ic16ih4oc20oh4kh1", DPAS "m=16 n=32 nsub=8 k=16", XK_F16, XK_F16,
      XK_F16, "ABcd32a16b", 0, true},
     8,
     256,
     2},
    /* the same without registers for a second; without a sum */
    {{"mb1ic16ih4oc20oh4kh1", DPAS "m=16 n=32 nsub=8 k=16", XK_F16, XK_F16,
      XK_F16, "ABcd32a16b", 117, true},
     8,
     256,
     1},
    {{"mb1ic16ih4oc32oh4kh1", DPAS "m=16 n=32 nsub=32 k=16", XK_F16, XK_F16,
      XK_F16, "ABcd32a16b", 0, false},
     4,
     256,
     0},
};

START_TEST(parts_of_a_sum_are_under_way)
{
    static struct xk_plan p;
    plan_lab_case(c, &cases[_i].of, &p);
    ck_assert_uint_eq(p.epi.parts, cases[_i].parts);
    ck_assert_uint_eq(p.epi.part_b, cases[_i].part_b);
    ck_assert_uint_eq(p.epi.ahead, cases[_i].ahead);
    /* They are counted, and fit. */
    ck_assert_uint_le(p.grf.epilogue, p.grf.limit);
    ck_assert_uint_ge(p.grf.epilogue, xk_plan_held_grf(&p, XK_BUFFER_C) +
                                          p.epi.ahead * cases[_i].part_b / 32);
}
END_TEST

START_TEST(the_text_says_how_many)
{
    static struct xk_plan p;
    char line[64] = "of the sum each loaded where it is used";
    struct xk_str t;
    plan_lab_case(c, &cases[_i].of, &p);
    if (cases[_i].ahead != 1)
        snprintf(line, sizeof(line),
                 cases[_i].ahead ? "of the sum %u under way"
                                 : "parts of 256 bytes",
                 cases[_i].ahead);
    xk_str_init(&t, &c->alloc);
    xk_plan_print(&p, &t);
    ck_assert_msg(strstr(xk_str_get(&t), line), "no '%s' in\n%s", line,
                  xk_str_get(&t));
    ck_assert_int_eq(strstr(xk_str_get(&t), "of the sum") != NULL,
                     cases[_i].of.sum);
    xk_str_fini(&t);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("plan_preload");
    TCase *const t = tcase_create("preload");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, parts_of_a_sum_are_under_way, 0, XK_COUNTOF(cases));
    tcase_add_loop_test(t, the_text_says_how_many, 0, XK_COUNTOF(cases));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
