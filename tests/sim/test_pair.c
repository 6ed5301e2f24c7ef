/* SPDX-License-Identifier: Apache-2.0 */
/* Fused pairs: small kernels of two threads, each as it is right on the machine
 * and with one thing wrong. What is expected follows from the description of
 * the fault in IGC's visa/SWWA.cpp (the first kernel is its example), not from
 * the checker. */
#include <string.h>

#include "tests/sim/check_lab.h"
#include "tests/tap.h"

/* f0.0 is on in all channels of thread 1, in none of thread 0. */
#define SIDE                                                                   \
    "cmp (8|M0) (ne)f0.0 null<1>:ud r2.0<0;1,0>:ud 0:ud\n"                     \
    "sync.nop null {A@1}\n"
/* Thread 0 leaves the first path as the last one of its pair; then thread 1
 * goes on with `walked` alone. */
#define NESTED(walked)                                                         \
    SIDE "(W) mov (8|M0) r20.0<1>:ud 1:ud\n"                                   \
         "(f0.0) goto (8|M0) B1 B1\n"                                          \
         "(W) mov (1|M0) r20.0<1>:ud 3:ud\n"                                   \
         "goto (8|M0) B1 B3\n"                                                 \
         "B1:\njoin (8|M0) B3\n" walked "B3:\njoin (8|M0) B4\nB4:\n"
/* The same without a second leaving. */
#define FIRST(walked)                                                          \
    SIDE "(~f0.0) goto (8|M0) B1 B1\n" walked "B1:\njoin (8|M0) B4\nB4:\n"
/* The two sides of an if; both are a first parting. */
#define IF_ELSE(then, other)                                                   \
    SIDE "(f0.0) if (8|M0) B1 B2\n" then "else (8|M0) B2 B2\nB1:\n" other      \
         "B2:\nendif (8|M0) B3\nB3:\n"

#define CLOBBER "(W) mov (1|M0) r20.0<1>:ud 7:ud\n"
/* What a compiler makes of it, its flag saved and restored. */
#define GUARDED(inst)                                                          \
    "(W) mov (1|M0) r90.0<1>:uw f0.1<0;1,0>:uw\n"                              \
    "(W) mov (1|M0) f0.1<1>:uw 0:uw\n"                                         \
    "cmp (8|M0) (eq)f0.1 null<1>:uw r0.0<0;1,0>:uw r0.0<0;1,0>:uw\n"           \
    "(W&f0.1.any8h) " inst "(W) mov (1|M0) f0.1<1>:uw r90.0<0;1,0>:uw\n"
#define FLAG_LEFT                                                              \
    "(W) mov (1|M0) f0.1<1>:uw 0:uw\n"                                         \
    "cmp (8|M0) (eq)f0.1 null<1>:uw r0.0<0;1,0>:uw r0.0<0;1,0>:uw\n"           \
    "(W&f0.1.any8h) mov (1|M0) r91.0<1>:ud 7:ud\n"
#define SET_F01 "(W) mov (1|M0) f0.1<1>:uw 0x55:uw\n"
#define USE_F01 "(f0.1) mov (8|M0) r20.0<1>:ud 9:ud\n"
#define STORE_LP "(W) send.dc1 (8|M0) null r3 r20 0x40 0x020D42FF {$3}\n"
#define STORE_HPG "(W) send.ugm (1|M0) null r3 r20:1 0x0 0x0200C584 {$3}\n"
#define SIGNAL "(W) send.gtwy (1|M0) null r5 null:0 0x0 0x02000004 {$4}\n"
#define SIGNAL_HPG                                                             \
    "(W) mov (8|M0) r5.0<1>:ud 0:ud\n"                                         \
    "(W) mov (1|M0) r5.2<1>:ud 0x02020000:ud\n" SIGNAL
#define DPASW "dpasw.8x8 (8|M0) r40:f null:f r50:hf r60:hf {$5}\n"
#define NONE NULL
#define LP "xelp"
#define HPG "xehpg"
#define STRICT true

/* says: what one of the findings has in it; NONE: there must be none. */
static const struct row {
    const char *name, *platform, *text, *says;
    bool strict;
} rows[] = {
    /* clang-format off */
    {"a register that the other thread needs", LP, NESTED(CLOBBER), "NoMask instruction did"},
    {"the fault is xelp's", HPG, NESTED(CLOBBER), NONE},
    {"guarded", LP, NESTED(GUARDED("mov (1|M0) r20.0<1>:ud 7:ud\n")), NONE},
    {"a register that nobody needs", LP, NESTED("(W) mov (1|M0) r30.0<1>:ud 7:ud\n"), NONE},
    {"overwritten before it is read", LP, NESTED(CLOBBER) "(W) mov (8|M0) r20.0<1>:ud 2:ud\n", NONE},
    {"overwritten in other channels only", LP, NESTED(CLOBBER) "(W) mov (4|M4) r20.4<1>:ud 2:ud\n", "NoMask instruction did"},
    {"through arithmetic", LP, NESTED("(W) mov (1|M0) r30.0<1>:ud 7:ud\n") "(W) add (8|M0) r31.0<1>:ud r30.0<0;1,0>:ud 1:ud\n(W) mov (8|M0) r20.0<1>:ud r31.0<1;1,0>:ud\n", "NoMask instruction did"},
    {"through arithmetic that forgets it", LP, NESTED("(W) mov (1|M0) r30.0<1>:ud 7:ud\n") "(W) and (8|M0) r31.0<1>:ud r30.0<0;1,0>:ud 0:ud\n(W) mov (8|M0) r20.0<1>:ud r31.0<1;1,0>:ud\n", NONE},
    {"the same value", LP, NESTED("(W) mov (1|M0) r20.0<1>:ud 3:ud\n"), NONE},
    {"a flag", LP, SET_F01 NESTED(FLAG_LEFT) USE_F01, "NoMask instruction did"},
    {"a flag that is restored", LP, SET_F01 NESTED(GUARDED("mov (1|M0) r91.0<1>:ud 7:ud\n")) USE_F01, NONE},
    {"an accumulator", LP, "(W) mov (8|M0) acc0.0<1>:f 2.0:f\n" NESTED("(W) mov (8|M0) acc0.0<1>:f 5.0:f\n") "(W) mov (8|M0) r20.0<1>:f acc0.0<1;1,0>:f\n", "NoMask instruction did"},
    {"an address register", LP, "(W) mov (1|M0) a0.0<1>:uw 0x60:uw\n" NESTED("(W) mov (1|M0) a0.0<1>:uw 0x40:uw\n") "(W) mov (1|M0) r20.0<1>:ud r[a0.0]<0;1,0>:ud\n", "NoMask instruction did"},
    {"the predicate of a branch", LP, SET_F01 NESTED(FLAG_LEFT) "(f0.1) goto (8|M0) B5 B5\nB5:\njoin (8|M0) B6\nB6:\n", "NoMask instruction did"},
    {"a store", LP, NESTED(STORE_LP), "without a mask"},
    {"a store, guarded", LP, NESTED(GUARDED("send.dc1 (8|M0) null r3 r20 0x40 0x020D42FF {$3}\n")), NONE},
    {"a store where the mask is right", HPG, NESTED(STORE_HPG), NONE},
    {"a load over a register", LP, NESTED("(W) send.dc1 (8|M0) r20 r3 null 0x0 0x021D02FF {$3}\n"), "NoMask instruction did"},
    {"only channels that are on", LP, NESTED("mov (8|M0) r20.0<1>:ud 7:ud\n"), NONE},

    {"the first parting keeps the mask", LP, FIRST(CLOBBER), NONE},
    {"the sides of an if keep the mask", LP, IF_ELSE(CLOBBER, CLOBBER), NONE},
    {"a loop that one leaves first keeps the mask", LP, "(W) mov (8|M0) r30.0<1>:d r2.0<0;1,0>:d\nL:\n(W) add (8|M0) r31.0<1>:d r31.0<1;1,0>:d 1:w\nadd (8|M0) (ge)f0.0 r30.0<1>:d r30.0<1;1,0>:d -1:w\n(f0.0) while (8|M0) L\n(W) mov (8|M0) r20.0<1>:d r31.0<1;1,0>:d\n", NONE},
    {"a mask that went wrong stays so", LP, NESTED("(W) mov (1|M0) r30.0<1>:ud 1:ud\n(W) cmp (8|M0) (ne)f1.0 null<1>:ud r2.0<0;1,0>:ud 9:ud\n(f1.0) goto (8|M0) B2 B2\nB2:\njoin (8|M0) B3\n" CLOBBER), "NoMask instruction did"},

    {"a jmpi", LP, SIDE "(W&f0.0) jmpi (1|M0) J\nmov (8|M0) r30.0<1>:ud 7:ud\nJ:\n", "one way only"},
    {"a jmpi on xehpg", HPG, SIDE "(W&f0.0) jmpi (1|M0) J\nmov (8|M0) r30.0<1>:ud 7:ud\nJ:\n", "one way only"},
    {"a jmpi for both", HPG, "cmp (8|M0) (ne)f0.0 null<1>:ud r0.0<0;1,0>:uw 0:ud\n(W&f0.0) jmpi (1|M0) J\nmov (8|M0) r30.0<1>:ud 7:ud\nJ:\n", NONE},
    {"a call of one thread", HPG, SIDE "(f0.0) call (8|M0) r80.0 F\ngoto (8|M0) E E\nF:\nmov (8|M0) r30.0<1>:ud 7:ud\nret (8|M0) r80.0\nE:\njoin (8|M0) E2\nE2:\n", "one way only"},
    {"a call of both", HPG, "call (8|M0) r80.0 F\ngoto (8|M0) E E\nF:\nmov (8|M0) r30.0<1>:ud 7:ud\nret (8|M0) r80.0\nE:\njoin (8|M0) E2\nE2:\n", NONE},
    {"dpasw of one thread", HPG, FIRST(DPASW), "elsewhere"},
    {"dpasw of each", HPG, IF_ELSE(DPASW, DPASW), "elsewhere"},
    {"dpasw of both", HPG, SIDE DPASW, NONE},
    {"a barrier on each path", HPG, IF_ELSE(SIGNAL_HPG "sync.bar null\n", SIGNAL_HPG "sync.bar null\n"), "stands still"},
    {"a barrier of both", HPG, SIGNAL_HPG FIRST("mov (8|M0) r30.0<1>:ud 7:ud\n") "sync.bar null\n", NONE},

    {"strict: the first parting", LP, FIRST("mov (8|M0) r30.0<1>:ud 7:ud\n"), "pair parts", STRICT},
    {"strict: NoMask on the other side", HPG, FIRST(CLOBBER), "NoMask instruction did", STRICT},
    {"strict: a store on the other side", HPG, FIRST(STORE_HPG), "without a mask", STRICT},
    {"strict: no parting", HPG, "cmp (8|M0) (ne)f0.0 null<1>:ud r0.0<0;1,0>:uw 0:ud\n(f0.0) goto (8|M0) B1 B1\n" CLOBBER "B1:\njoin (8|M0) B2\nB2:\n", NONE, STRICT},
    /* clang-format on */
};

START_TEST(a_row_is_judged_rightly)
{
    const struct row *const row = &rows[_i];
    struct check_lab x = {
        .platform = row->platform,
        .text = row->text,
        .n_threads = 2,
        .barriers = 1,
        .check = {.on = XK_CHECK_SYNC, .hazard_strict = row->strict}};
    const enum xk_status s = check_lab_run(&x);
    bool said = false;
    for (unsigned i = 0; i < x.n; i++)
        said |= row->says && strstr(x.f[i].line, row->says) != NULL &&
                x.f[i].check == XK_CHECK_SYNC;
    if (row->says)
        ck_assert_msg(said && s == XK_EFAULT, "%s: '%s' is not said: %s",
                      row->name, row->says, x.err.message);
    else
        ck_assert_msg(s == XK_OK && !x.n, "%s: %s", row->name, x.err.message);
}
END_TEST

/* Pairs in step give what threads on their own give. */
START_TEST(results_are_the_same)
{
    const struct row *const row = &rows[_i];
    struct check_lab x = {.platform = row->platform,
                          .text = row->text,
                          .n_threads = 2,
                          .barriers = 1};
    struct check_lab y = x;
    if (row->says)
        return;
    y.check.on = XK_CHECK_SYNC;
    ck_assert_msg(check_lab_run(&x) == XK_OK, "%s", x.err.message);
    ck_assert_msg(check_lab_run(&y) == XK_OK, "%s", y.err.message);
    ck_assert_mem_eq(x.out, y.out, sizeof x.out);
}
END_TEST

int main(void)
{
    const int n = (int)(sizeof rows / sizeof rows[0]);
    Suite *const s = suite_create("pair");
    TCase *const t = tcase_create("pair");
    tcase_add_loop_test(t, a_row_is_judged_rightly, 0, n);
    tcase_add_loop_test(t, results_are_the_same, 0, n);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
