/* SPDX-License-Identifier: Apache-2.0 */
/* Branches beyond those of tests/sim/test_sim.c: what each channel has done is
 * compared with what a scalar program would do in it. */
#include "tests/sim/exec_tests.h"

#include <stdio.h>
#include <string.h>

#include "tests/sim/lab.h"

static uint32_t lane(struct lab *x, unsigned reg, unsigned l)
{
    return xk_rf_u32(&x->t[0], reg * x->k->grf_b + 4 * l);
}

static struct lab *run(const char *platform, const char *text)
{
    struct lab *x = lab_open(platform, text);
    lab_start(x, 1, 0);
    for (uint32_t l = 0; l < 16; l++)
        memcpy(lab_reg(x, 10) + 4 * l, &l, 4);
    lab_run_ok(x);
    return x;
}

/* brd backward: a loop of lane + 1 rounds. */
START_TEST(brd_jumps_if_anybody_goes)
{
    for (unsigned p = 0; lab_platforms[p]; p++) {
        struct lab *x =
            run(lab_platforms[p],
                "mov (16|M0) r14.0<1>:d r10.0<1;1,0>:d\n"
                "LOOP:\nadd (16|M0) r20.0<1>:d r20.0<1;1,0>:d 3:w\n"
                "add (16|M0) (ge)f1.0 r14.0<1>:d r14.0<1;1,0>:d -1:w\n"
                "(f1.0) brd (16|M0) LOOP\n"
                "add (16|M0) r22.0<1>:d r20.0<1;1,0>:d 100:w\n");
        for (uint32_t l = 0; l < 16; l++) {
            ck_assert_uint_eq(lane(x, 20, l), 3 * (l + 1));
            ck_assert_uint_eq(lane(x, 22, l), 3 * (l + 1) + 100);
        }
        lab_close(x);
    }
}
END_TEST

/* Branches of the whole thread: nGEN's, of a flag that a (W) cmp has set. */
START_TEST(unmasked_branches_that_all_agree_on)
{
    for (unsigned p = 0; lab_platforms[p]; p++)
        for (int all = 0; all < 2; all++) {
            char text[600];
            snprintf(text, sizeof text,
                     "(W) mov (1|M0) f0.0<1>:uw 0x%x:uw\n"
                     "(W&f0.0) if (16|M0) ELSE END\n"
                     "mov (16|M0) r20.0<1>:d 5:w\n"
                     "(W) else (16|M0) END END\n"
                     "ELSE:\nmov (16|M0) r20.0<1>:d 7:w\n"
                     "END:\n(W) endif (16|M0) OUT\n"
                     "OUT:\nmov (16|M0) r22.0<1>:d 0:w\n"
                     "(W) mov (1|M0) r14.0<1>:d 0:w\n"
                     "LOOP:\nadd (16|M0) r22.0<1>:d r22.0<1;1,0>:d 1:w\n"
                     "(W) add (1|M0) r14.0<1>:d r14.0<0;1,0>:d 1:w\n"
                     "(W) cmp (16|M0) (lt)f1.0 null<1>:d r14.0<0;1,0>:d 3:w\n"
                     "(W&f1.0%s) while (16|M0) LOOP\n",
                     all ? 0xffff : 0,
                     strcmp(lab_platforms[p], "xehpc") ? ".any16h" : ".any");
            struct lab *x = run(lab_platforms[p], text);
            for (uint32_t l = 0; l < 16; l++) {
                ck_assert_uint_eq(lane(x, 20, l), all ? 5 : 7);
                ck_assert_uint_eq(lane(x, 22, l), 3);
            }
            lab_close(x);
        }
}
END_TEST

/* A thread of fewer channels wakes all, as nGEN's gemm does in SIMD8. */
START_TEST(sr0_2_says_which_channels_there_are)
{
    for (unsigned p = 0; lab_platforms[p]; p++) {
        struct lab *x =
            run(lab_platforms[p], "mov (16|M0) r20.0<1>:d 1:w\n"
                                  "(W) mov (1|M0) sr0.2<1>:ud 0xf:uw\n"
                                  "mov (16|M0) r20.0<1>:d 2:w\n"
                                  "(W) mov (1|M0) sr0.2<1>:ud 0xffff:uw\n"
                                  "mov (16|M0) r22.0<1>:d 3:w\n");
        for (uint32_t l = 0; l < 16; l++) {
            ck_assert_uint_eq(lane(x, 20, l), l < 4 ? 2 : 1);
            ck_assert_uint_eq(lane(x, 22, l), 3);
        }
        lab_close(x);
    }
}
END_TEST

START_TEST(brc_waits_where_channels_meet)
{
    for (unsigned p = 0; lab_platforms[p]; p++) {
        struct lab *x =
            run(lab_platforms[p],
                "cmp (16|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:d 6:w\n"
                "(f0.0) brc (16|M0) MEET MEET\n"
                "mov (16|M0) r20.0<1>:d 11:w\n"
                "MEET:\njoin (16|M0) END\n"
                "END:\nadd (16|M0) r20.0<1>:d r20.0<1;1,0>:d 1:w\n"
                "cmp (16|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:d 16:w\n"
                "(f0.0) brc (16|M0) ALL ALL\n"
                "mov (16|M0) r20.0<1>:d 99:w\n"
                "ALL:\njoin (16|M0) OUT\nOUT:\nnop\n");
        for (uint32_t l = 0; l < 16; l++)
            ck_assert_uint_eq(lane(x, 20, l), l < 6 ? 1 : 12);
        lab_close(x);
    }
}
END_TEST

/* Offsets in registers: of jmpi and call from the instruction itself, of calla
 * from the start of the code. All instructions are 16 bytes long. */
START_TEST(targets_in_registers)
{
    for (unsigned p = 0; lab_platforms[p]; p++) {
        struct lab *x =
            run(lab_platforms[p],
                "(W) mov (1|M0) r2.0<1>:d 32:w\n"              /* 0 */
                "(W) mov (1|M0) r4.0<1>:d 160:w\n"             /* 16 */
                "(W) mov (1|M0) r6.0<1>:d 80:w\n"              /* 32 */
                "(W) jmpi (1|M0) r2.0\n"                       /* 48 */
                "mov (16|M0) r20.0<1>:d 99:w\n"                /* 64 */
                "call (16|M0) r30.0 r6.0\n"                    /* 80 */
                "calla (16|M0) r30.0 r4.0\n"                   /* 96 */
                "add (16|M0) r20.0<1>:d r20.0<1;1,0>:d 1:w\n"  /* 112 */
                "(W) mov (1|M0) r2.0<1>:d 64:w\n"              /* 128 */
                "(W) jmpi (1|M0) r2.0\n"                       /* 144 */
                "add (16|M0) r20.0<1>:d r20.0<1;1,0>:d 10:w\n" /* 160 */
                "ret (16|M0) r30.0\n"                          /* 176 */
                "mov (16|M0) r20.0<1>:d 77:w\n"                /* 192 */
                "nop\n");                                      /* 208 */
        for (uint32_t l = 0; l < 16; l++)
            ck_assert_uint_eq(lane(x, 20, l), 21);
        lab_close(x);
    }
}
END_TEST

/* Half of the channels calls, half of those calls on. */
START_TEST(calls_nest_in_some_channels)
{
    for (unsigned p = 0; lab_platforms[p]; p++) {
        struct lab *x =
            run(lab_platforms[p],
                "cmp (16|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:d 8:w\n"
                "cmp (16|M0) (lt)f1.0 null<1>:d r10.0<1;1,0>:d 4:w\n"
                "(f0.0) call (16|M0) r30.0 OUTER\n"
                "add (16|M0) r20.0<1>:d r20.0<1;1,0>:d 1:w\n"
                "jmpi (1|M0) END\n"
                "OUTER:\nadd (16|M0) r20.0<1>:d r20.0<1;1,0>:d 10:w\n"
                "(f1.0) call (16|M0) r32.0 INNER\n"
                "add (16|M0) r20.0<1>:d r20.0<1;1,0>:d 100:w\n"
                "ret (16|M0) r30.0\n"
                "INNER:\nadd (16|M0) r20.0<1>:d r20.0<1;1,0>:d 1000:w\n"
                "ret (16|M0) r32.0\n"
                "END:\nnop\n");
        for (uint32_t l = 0; l < 16; l++)
            ck_assert_uint_eq(lane(x, 20, l), l < 4 ? 1111 : l < 8 ? 111 : 1);
        lab_close(x);
    }
}
END_TEST

/* As ocloc writes it for tgllp: break's targets are the while itself, also when
 * the last channels leave together. */
START_TEST(channels_break_to_the_while)
{
    for (unsigned p = 0; lab_platforms[p]; p++) {
        struct lab *x =
            run(lab_platforms[p],
                "LOOP:\nshr (16|M0) r14.0<1>:ud r10.0<1;1,0>:ud 1:uw\n"
                "cmp (16|M0) (lt)f0.0 null<1>:ud r20.0<1;1,0>:ud "
                "r14.0<1;1,0>:ud\n"
                "(~f0.0) break (16|M0) LATCH LATCH\n"
                "add (16|M0) r20.0<1>:d r20.0<1;1,0>:d 1:w\n"
                "LATCH:\nwhile (16|M0) LOOP\n"
                "add (16|M0) r22.0<1>:d r20.0<1;1,0>:d 7:w\n");
        for (uint32_t l = 0; l < 16; l++)
            ck_assert_uint_eq(lane(x, 22, l), l / 2 + 7);
        lab_close(x);
    }
}
END_TEST

/* Channels halt one after the other out of a loop; all come back at its end. */
START_TEST(halted_channels_come_back_at_the_last_halt)
{
    for (unsigned p = 0; lab_platforms[p]; p++) {
        struct lab *x =
            run(lab_platforms[p],
                "LOOP:\nadd (16|M0) r20.0<1>:d r20.0<1;1,0>:d 1:w\n"
                "cmp (16|M0) (gt)f0.0 null<1>:d r20.0<1;1,0>:d r10.0<1;1,0>:d\n"
                "(f0.0) halt (16|M0) LATCH OUT\n"
                "add (16|M0) r22.0<1>:d r22.0<1;1,0>:d 2:w\n"
                "cmp (16|M0) (lt)f1.0 null<1>:d r20.0<1;1,0>:d 10:w\n"
                "LATCH:\n(f1.0) while (16|M0) LOOP\n"
                "mov (16|M0) r24.0<1>:d 5:w\n"
                "OUT:\nhalt (16|M0) NEXT NEXT\n"
                "NEXT:\nadd (16|M0) r26.0<1>:d r26.0<1;1,0>:d 1:w\n");
        for (uint32_t l = 0; l < 16; l++) {
            ck_assert_uint_eq(lane(x, 22, l), 2 * (l < 10 ? l : 10));
            ck_assert_uint_eq(lane(x, 24, l), l < 10 ? 0 : 5);
            ck_assert_uint_eq(lane(x, 26, l), 1);
        }
        lab_close(x);
    }
}
END_TEST

void exec_flow_tests(Suite *s)
{
    TCase *t = tcase_create("branches");
    tcase_add_test(t, brd_jumps_if_anybody_goes);
    tcase_add_test(t, unmasked_branches_that_all_agree_on);
    tcase_add_test(t, sr0_2_says_which_channels_there_are);
    tcase_add_test(t, brc_waits_where_channels_meet);
    tcase_add_test(t, targets_in_registers);
    tcase_add_test(t, calls_nest_in_some_channels);
    tcase_add_test(t, channels_break_to_the_while);
    tcase_add_test(t, halted_channels_come_back_at_the_last_halt);
    suite_add_tcase(s, t);
}
