/* SPDX-License-Identifier: Apache-2.0 */
/* The adversary, resource by resource: a few instructions with the annotation
 * that isa.md 5.3 asks for give the same results whatever the latencies are;
 * without it some seed shows another result, and the static rules object. What
 * is expected is worked out by hand from that section, row by row. */
#include <string.h>

#include "tests/sim/check_lab.h"
#include "tests/tap.h"

#define N_SEEDS 24
#define LP "xelp"
#define HPG "xehpg"
#define STRICT true
#define WAIT "sync.nop null {A@1}\n"
#define SIDE "cmp (8|M0) (ne)f0.0 null<1>:ud r2.0<0;1,0>:ud 0:ud\n" WAIT
#define SET(r, v) "(W) mov (8|M0) " r ".0<1>:ud " v ":ud\n"
#define OUT(r) "(W) mov (8|M0) r20.0<1>:ud " r ".0<1;1,0>:ud\n"
/* r4: the address behind what the thread stores at its end */
#define NEXT                                                                   \
    "(W) mov (8|M0) r4.0<1>:ud r3.0<1;1,0>:ud\n" WAIT                          \
    "(W) add (1|M0) r4.0<1>:ud r4.0<0;1,0>:ud 32:uw\n" WAIT

#define FLAG(how)                                                              \
    "cmp (8|M0) (eq)f0.0 null<1>:ud r5.0<1;1,0>:ud r5.0<1;1,0>:ud\n"           \
    "(f0.0) mov (8|M0) r20.0<1>:ud 9:ud " how "\n"
#define PREDICATE(how)                                                         \
    "(W) mov (1|M0) f0.0<1>:uw 0xff:uw\n" WAIT                                 \
    "(f0.0) mov (8|M0) r20.0<1>:f 9.0:f\n"                                     \
    "(W) mov (1|M0) f0.0<1>:uw 0:uw " how "\n"
#define ACC(how)                                                               \
    "(W) mov (8|M0) acc0.0<1>:f 2.0:f\n"                                       \
    "(W) mov (8|M0) r20.0<1>:f acc0.0<1;1,0>:f " how "\n"
#define ACC_READ(how)                                                          \
    "(W) mov (8|M0) acc0.0<1>:f 2.0:f\n" WAIT                                  \
    "(W) mov (8|M0) r20.0<1>:f acc0.0<1;1,0>:f\n"                              \
    "(W) mov (8|M0) acc0.0<1>:d 7:d " how "\n"
#define A0(how)                                                                \
    "(W) mov (1|M0) a0.0<1>:uw 0x60:uw\n"                                      \
    "(W) mov (1|M0) r20.0<1>:ud r[a0.0]<0;1,0>:ud " how "\n"
#define A0_READ(how)                                                           \
    "(W) mov (1|M0) a0.0<1>:uw 0x60:uw\n" WAIT                                 \
    "(W) mov (1|M0) r20.0<1>:f r[a0.0]<0;1,0>:f\n"                             \
    "(W) mov (1|M0) a0.0<1>:uw 0:uw " how "\n"
#define ONES                                                                   \
    SET("r50", "0x3c003c00")                                                   \
    SET("r51", "0x3c003c00")                                                   \
    SET("r52", "0x3c003c00")                                                   \
    SET("r53", "0x3c003c00")                                                   \
    SET("r54", "0x3c003c00")                                                   \
    SET("r55", "0x3c003c00")                                                   \
    SET("r56", "0x3c003c00")                                                   \
    SET("r57", "0x3c003c00")                                                   \
    SET("r60", "0x3c003c00")                                                   \
    SET("r61", "0x3c003c00")                                                   \
    SET("r62", "0x3c003c00")                                                   \
    SET("r63", "0x3c003c00")                                                   \
    SET("r64", "0x3c003c00")                                                   \
    SET("r65", "0x3c003c00")                                                   \
    SET("r66", "0x3c003c00")                                                   \
    SET("r67", "0x3c003c00")
/* Row 4 of the result is the first that comes from the odd thread's src2; only
 * that thread overwrites it. */
#define DPASW(how)                                                             \
    SIDE ONES WAIT "dpasw.8x8 (8|M0) r40:f null:f r50:hf r60:hf {$5}\n"        \
                   "(f0.0) mov (8|M0) r60.0<1>:ud 0:ud " how "\n" WAIT         \
                   "sync.nop null {$5.dst}\n" OUT("r44")
#define DPAS(how)                                                              \
    ONES WAIT "dpas.8x8 (8|M0) r40:f null:f r50:hf r60:hf {$5}\n"              \
              "(W) mov (8|M0) r60.0<1>:ud 0:ud " how "\n" WAIT                 \
              "sync.nop null {$5.dst}\n" OUT("r40")
#define STORE(how)                                                             \
    NEXT SET("r21", "5") WAIT                                                  \
        "(W) send.ugm (1|M0) null r4 r21:1 0x0 0x0200C584 {$1}\n"              \
        "(W) mov (8|M0) r21.0<1>:ud 7:ud " how "\n" WAIT
#define STORE_LP(how)                                                          \
    NEXT SET("r21", "5") WAIT                                                  \
        "(W) send.dc1 (8|M0) null r4 r21 0x40 0x020D42FF {$1}\n"               \
        "(W) mov (8|M0) r21.0<1>:ud 7:ud " how "\n" WAIT
#define LOAD_ADDRESS(how)                                                      \
    NEXT SET("r21", "5") WAIT                                                  \
        "(W) send.ugm (1|M0) null r4 r21:1 0x0 0x0200C584 {$1}\n"              \
        "sync.nop null {$1.dst}\n"                                             \
        "(W) send.ugm (1|M0) r22 r4 null:0 0x0 0x0210C580 {$2}\n"              \
        "(W) mov (8|M0) r4.0<1>:ud r3.0<1;1,0>:ud " how "\n" WAIT              \
        "sync.nop null {$2.dst}\n" OUT("r22")
/* r22: address 0 of SLM, or 0 there; then overwritten there. */
#define SLM_LOAD(how)                                                          \
    SET("r22", "0")                                                            \
    SET("r21", "5")                                                            \
    SET("r23", "9")                                                            \
    WAIT "(W) send.slm (1|M0) null r22 r21:1 0x0 0x02008504 {$1}\n"            \
         "sync.nop null {$1.dst}\n"                                            \
         "(W) send.slm (1|M0) r24 r22 null:0 0x0 0x02108500 {$2}\n" how        \
         "(W) send.slm (1|M0) null r22 r23:1 0x0 0x02008504 {$3}\n"            \
         "sync.nop null {$2.dst}\n"                                            \
         "(W) mov (1|M0) r20.0<1>:ud r24.0<0;1,0>:ud\n"
/* The store goes to the element behind; or its one lane is off. */
#define SLM_BESIDE                                                             \
    SET("r22", "0")                                                            \
    SET("r25", "4")                                                            \
    SET("r21", "5")                                                            \
    WAIT "(W) send.slm (1|M0) null r22 r21:1 0x0 0x02008504 {$1}\n"            \
         "sync.nop null {$1.dst}\n"                                            \
         "(W) send.slm (1|M0) r24 r22 null:0 0x0 0x02108500 {$2}\n"            \
         "(W) send.slm (1|M0) null r25 r21:1 0x0 0x02008504 {$3}\n"            \
         "sync.nop null {$2.dst}\n"                                            \
         "(W) mov (1|M0) r20.0<1>:ud r24.0<0;1,0>:ud\n"
#define SLM_LANE_OFF                                                           \
    SET("r22", "0")                                                            \
    SET("r21", "5")                                                            \
    "(W) mov (1|M0) f0.0<1>:uw 0:uw\n" WAIT                                    \
    "(W) send.slm (1|M0) null r22 r21:1 0x0 0x02008504 {$1}\n"                 \
    "sync.nop null {$1.dst}\n"                                                 \
    "(W) send.slm (1|M0) r24 r22 null:0 0x0 0x02108500 {$2}\n"                 \
    "(f0.0) send.slm (8|M0) null r22 r21:1 0x0 0x02000504 {$3}\n"              \
    "sync.nop null {$2.dst}\n"                                                 \
    "(W) mov (1|M0) r20.0<1>:ud r24.0<0;1,0>:ud\n"
#define GLOBAL_LOAD                                                            \
    NEXT SET("r21", "5") SET("r23", "9") WAIT                                  \
        "(W) send.ugm (1|M0) null r4 r21:1 0x0 0x0200C584 {$1}\n"              \
        "sync.nop null {$1.dst}\n"                                             \
        "(W) send.ugm (1|M0) r22 r4 null:0 0x0 0x0210C580 {$2}\n"              \
        "(W) send.ugm (1|M0) null r4 r23:1 0x0 0x0200C584 {$3}\n"              \
        "sync.nop null {$2.dst}\n" OUT("r22")
/* Without a reader between them, results of one pipe just come in order. */
#define DEAD_FLAG                                                              \
    "cmp (8|M0) (eq)f0.0 null<1>:ud r5.0<1;1,0>:ud r5.0<1;1,0>:ud\n"           \
    "cmp (8|M0) (ne)f0.0 null<1>:ud r5.0<1;1,0>:ud r5.0<1;1,0>:ud\n"           \
    "(f0.0) mov (8|M0) r20.0<1>:ud 9:ud {I@1}\n"

static const struct row {
    const char *name, *platform, *text;
    unsigned n_threads;
    bool harmful, strict;
} rows[] = {
    {"flag", HPG, FLAG(""), 1, true, STRICT},
    {"flag, waits", HPG, FLAG("{I@1}"), 1, false, STRICT},
    {"flag, by the vendor's rules", HPG, FLAG(""), 1, false},
    {"flag, one pipe", LP, FLAG(""), 1, false, STRICT},
    {"flag twice", HPG, DEAD_FLAG, 1, false, STRICT},
    {"predicate overwritten", HPG, PREDICATE(""), 1, true, STRICT},
    {"predicate overwritten, waits", HPG, PREDICATE("{F@1}"), 1, false, STRICT},
    {"accumulator", HPG, ACC(""), 1, true, STRICT},
    {"accumulator, waits", HPG, ACC("{F@1}"), 1, false, STRICT},
    {"accumulator, by the vendor's rules", HPG, ACC(""), 1, false},
    {"accumulator overwritten", HPG, ACC_READ(""), 1, true, STRICT},
    {"accumulator overwritten, waits", HPG, ACC_READ("{F@1}"), 1, false,
     STRICT},
    {"a0", HPG, A0(""), 1, true, STRICT},
    {"a0, waits", HPG, A0("{I@1}"), 1, false, STRICT},
    {"a0, by the vendor's rules", HPG, A0(""), 1, false},
    {"a0 overwritten", HPG, A0_READ(""), 1, true, STRICT},
    {"a0 overwritten, waits", HPG, A0_READ("{F@1}"), 1, false, STRICT},
    {"the partner's part of dpasw", HPG, DPASW(""), 2, true},
    {"the partner's part of dpasw, waits", HPG, DPASW("{$5.src}"), 2, false},
    {"dpas", HPG, DPAS(""), 1, true},
    {"dpas, waits", HPG, DPAS("{$5.src}"), 1, false},
    {"payload of a store", HPG, STORE(""), 1, true},
    {"payload of a store, waits", HPG, STORE("{$1.src}"), 1, false},
    {"payload of a store on xelp", LP, STORE_LP(""), 1, true},
    {"payload of a store on xelp, waits", LP, STORE_LP("{$1.src}"), 1, false},
    {"address of a load", HPG, LOAD_ADDRESS(""), 1, true},
    {"address of a load, waits", HPG, LOAD_ADDRESS("{$2.src}"), 1, false},
    {"memory that a load reads", HPG, SLM_LOAD(""), 1, true},
    {"memory that a load reads, waits", HPG,
     SLM_LOAD("sync.nop null {$2.dst}\n"), 1, false},
    {"memory beside what a load reads", HPG, SLM_BESIDE, 1, false},
    {"memory that a lane that is off would write", HPG, SLM_LANE_OFF, 1, false},
    {"messages in order", HPG, GLOBAL_LOAD, 1, false},
};

static struct check_lab lab_of(const struct row *r)
{
    return (struct check_lab){.platform = r->platform,
                              .text = r->text,
                              .n_threads = r->n_threads,
                              .slm_b = 64,
                              .check = {.hazard_strict = r->strict}};
}

START_TEST(results_depend_on_latencies_if_a_wait_is_missing)
{
    const struct row *const r = &rows[_i];
    struct check_lab plain = lab_of(r);
    unsigned n = 0, of_even = 0;
    ck_assert_msg(check_lab_run(&plain) == XK_OK, "%s", plain.err.message);
    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        struct check_lab x = lab_of(r);
        x.check.on = XK_CHECK_HAZARD;
        x.check.hazard_seed = seed;
        ck_assert_msg(check_lab_run(&x) == XK_OK, "%s", x.err.message);
        n += memcmp(x.out, plain.out, sizeof x.out) != 0;
        of_even += memcmp(x.out[0], plain.out[0], sizeof x.out[0]) != 0;
    }
    ck_assert_msg((n > 0) == r->harmful, "%s: %u of %u seeds differ", r->name,
                  n, N_SEEDS);
    if (r->harmful && r->n_threads == 2)
        ck_assert_msg(of_even > 0, "%s: the other thread does not see it",
                      r->name);
}
END_TEST

START_TEST(the_static_rules_agree)
{
    const struct row *const r = &rows[_i];
    struct check_lab x = lab_of(r);
    x.check.on = XK_CHECK_HAZARD;
    ck_assert_msg((check_lab_run(&x) == XK_EFAULT) == r->harmful, "%s: '%s'",
                  r->name, x.err.message);
}
END_TEST

int main(void)
{
    const int n = (int)(sizeof rows / sizeof rows[0]);
    Suite *const s = suite_create("late");
    TCase *const t = tcase_create("late");
    tcase_add_loop_test(t, results_depend_on_latencies_if_a_wait_is_missing, 0,
                        n);
    tcase_add_loop_test(t, the_static_rules_agree, 0, n);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
