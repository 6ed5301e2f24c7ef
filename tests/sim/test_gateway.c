/* SPDX-License-Identifier: Apache-2.0 */
/* Named barriers with producers and consumers, on instructions that iga64
 * assembles: two threads write shared local memory and produce, two consume and
 * read it. */
#include <stdio.h>
#include <string.h>

#include "tests/runtime/ocl.h"
#include "tests/sim/asm.h"
#include "tests/tap.h"

#define WHO                                                                    \
    "(W) and (1|M0) r2.0<1>:ud r0.2<0;1,0>:ud 0xFF:ud\n"                       \
    "(W) shl (1|M0) r3.0<1>:ud r2.0<0;1,0>:ud 0x2:ud\n"                        \
    "(W) mov (8|M0) r5.0<1>:ud 0x0:ud\n"                                       \
    "(W) cmp (1|M0) (lt)f0.0 null<1>:ud r2.0<0;1,0>:ud 0x2:ud\n"               \
    "(W&f0.0) jmpi (1|M0) produce\n"
#define CONSUME(dw2, wait)                                                     \
    "(W) mov (1|M0) r5.2<1>:ud " dw2 ":ud\n"                                   \
    "(W) send.gtwy (1|M0) null r5 null:0 0x0 0x02000004\n" wait                \
    "(W) add (1|M0) r3.0<1>:d r3.0<0;1,0>:d -8:w\n"                            \
    "(W) send.slm (1|M0) r4 r3 null:0 0x0 0x02108500\n"                        \
    "(W) mov (1|M0) r6.1<1>:ud r1.1<0;1,0>:ud\n"                               \
    "(W) add (1|M0) r6.0<1>:d r1.0<0;1,0>:d r3.0<0;1,0>:d\n"                   \
    "(W) send.ugm (1|M0) null r6 r4:1 0x0 0x02008584\n" ASM_EOT
#define PRODUCE(dw2)                                                           \
    "produce:\n"                                                               \
    "(W) add (1|M0) r4.0<1>:ud r2.0<0;1,0>:ud 0x64:ud\n"                       \
    "(W) send.slm (1|M0) null r3 r4:1 0x0 0x02008504\n"                        \
    "(W) mov (1|M0) r5.2<1>:ud " dw2 ":ud\n"                                   \
    "(W) send.gtwy (1|M0) null r5 null:0 0x0 0x02000004\n" ASM_EOT

/* id 1 of 2 producers and 2 consumers: type 1 produces, type 2 consumes */
static const char good[] =
    WHO CONSUME("0x02028001", "sync.bar null\n") PRODUCE("0x02024001");
static const char other_counts[] =
    WHO CONSUME("0x02018001", "sync.bar null\n") PRODUCE("0x02024001");
static const char no_wait[] =
    WHO CONSUME("0x02028001", "") PRODUCE("0x02024001");
static const char undeclared[] =
    WHO CONSUME("0x02028003", "sync.bar null\n") PRODUCE("0x02024003");
static const char starved[] =
    WHO CONSUME("0x02038001", "sync.bar null\n") PRODUCE("0x02034001");

static uint32_t out[ASM_OUT_B / 4];
static struct asm_run r;

static enum xk_status go(const char *text)
{
    memset(out, 0, sizeof out);
    r = (struct asm_run){.text = text,
                         .platform = "xehpc",
                         .threads = 4,
                         .slm_b = 64,
                         .barriers = 2,
                         .out = (uint8_t *)out};
    return asm_run(&r);
}

START_TEST(consumers_see_what_producers_wrote)
{
    ck_assert_msg(go(good) == XK_OK, "%s", r.err.message);
    ck_assert_uint_eq(out[0], 100);
    ck_assert_uint_eq(out[1], 101);
}
END_TEST

START_TEST(no_thread_must_wait)
{
    ck_assert_msg(go(no_wait) == XK_OK, "%s", r.err.message);
}
END_TEST

static const struct {
    const char *text, *says;
} bad[] = {{other_counts, "an earlier one"},
           {undeclared, "declares 2"},
           {starved, "waits for a barrier that only 2 of 3"}};

START_TEST(misuse_is_found)
{
    ck_assert_int_eq(go(bad[_i].text), XK_EFAULT);
    ck_assert_msg(strstr(r.err.message, bad[_i].says) != NULL,
                  "'%s' is not in '%s'", bad[_i].says, r.err.message);
}
END_TEST

int main(void)
{
    if (!ocl_available())
        return 77;
    Suite *s = suite_create("gateway");
    TCase *t = tcase_create("gateway");
    tcase_add_test(t, consumers_see_what_producers_wrote);
    tcase_add_test(t, no_thread_must_wait);
    tcase_add_loop_test(t, misuse_is_found, 0,
                        (int)(sizeof bad / sizeof bad[0]));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
