/* SPDX-License-Identifier: Apache-2.0 */
/* sim/core/known.def: every field has a row, and what a row calls unknown stops
 * the thread with its name. Fields of instructions and descriptors are flipped
 * in compiled kernels by tests/corpus/flip_bits.c. */
#include <stdio.h>
#include <string.h>

#include "isa/format.h"
#include "isa/message_table.h"
#include "sim/core/known.h"
#include "tests/sim/lab.h"
#include "tests/tap.h"

START_TEST(every_field_of_an_instruction_has_a_row)
{
    for (unsigned id = 0; id < XK_N_FIELDS; id++) {
        const struct xk_known_row *const r = xk_known_field(id);
        ck_assert_msg(r->verdict, "'%s' has none", xk_field_rows[id].text);
        ck_assert_msg(r->verdict == XK_KNOWN_ACTS || *r->note,
                      "'%s' does not say why", xk_field_rows[id].text);
    }
}
END_TEST

START_TEST(every_field_of_a_descriptor_has_a_row)
{
    for (unsigned f = XK_MF_END + 1; f < XK_N_MSG_FIELDS; f++) {
        const struct xk_known_row *const r = xk_known_message_field(f);
        ck_assert_msg(r->verdict, "'%s' has none", xk_msg_field_name(f));
        ck_assert_msg(r->verdict == XK_KNOWN_ACTS || *r->note,
                      "'%s' does not say why", xk_msg_field_name(f));
    }
}
END_TEST

/* Ends the test unless the text stops with `words`, or, if they are NULL, runs
 * to its end. */
static void expect(const char *platform, const char *text, const char *words)
{
    struct lab *const x = lab_open(platform, text);
    lab_start(x, 1, 0x4c0);
    const bool done = lab_run(x);
    if (words)
        ck_assert_msg(!done && strstr(x->err.message, "not modelled") &&
                          strstr(x->err.message, words),
                      "%s, %s: '%s' is not '%s'", platform, text,
                      x->err.message, words);
    else
        ck_assert_msg(done, "%s, %s: %s", platform, text, x->err.message);
    lab_close(x);
}

/* Bits that have a meaning: workarounds.md 3.8. */
START_TEST(bits_of_cr0_are_known_or_stop)
{
    const uint32_t known = 0x4u | 0x8u | 0x30u | 0xc0u | 0x400u | 0x1000u;
    for (unsigned p = 0; lab_platforms[p]; p++)
        for (unsigned bit = 0; bit < 32; bit++) {
            char text[120];
            snprintf(text, sizeof text,
                     "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x%x:ud {A@1}\n"
                     "nop\n",
                     1u << bit);
            if (p == 0) /* xelp has one in-order pipe */
                memcpy(strstr(text, "{A@1}"), "{@1} ", 5);
            expect(lab_platforms[p], text,
                   known >> bit & 1 ? NULL : "cr0.0 has 0x");
        }
}
END_TEST

static const struct {
    const char *text, *words;
} unknown[] = {
    {"(W) mov (1|M0) cr0.1<1>:ud 0x1:ud\n", "cr0.1 (exceptions)"},
    {"(W) mov (1|M0) r10.0<1>:ud cr0.2<0;1,0>:ud\n", "cr0.2 (application's"},
    {"(W) mov (1|M0) r10.0<1>:ud sr0.1<0;1,0>:ud\n", "sr0.1 (sticky"},
    {"(W) mov (1|M0) sr0.0<1>:ud 0x1:ud\n", "writing the register sr0.0"},
    {"(W) mov (1|M0) sr0.3<1>:ud 0x1:ud\n", "sr0.3 (vector mask)"},
    /* by extent: the first dword alone would do */
    {"(W) mov (2|M0) r10.0<1>:ud sr0.0<1;1,0>:ud\n", "sr0.1 (sticky"},
    {"(W) mov (1|M0) r10.0<1>:q sr0.0<0;1,0>:q\n", "sr0.1 (sticky"},
    {"(W) mov (2|M0) r10.0<1>:uw sr0.0<1;1,0>:uw\n", NULL},
    {"(W) mov (1|M0) r10.0<1>:uw sr0.1<0;1,0>:uw\n", NULL},
    {"(W) mov (2|M0) r10.0<1>:uw sr0.1<1;1,0>:uw\n", "sr0.1 (sticky"},
    {"(W) mov (2|M0) r10.0<1>:ud sr0.0<2;1,0>:ud\n", NULL},
    {"(W) mov (2|M0) r10.0<1>:ud cr0.0<1;1,0>:ud\n", "cr0.1 (exceptions)"},
    {"(W) mov (2|M0) cr0.0<1>:ud 0x0:ud\n", "cr0.1 (exceptions)"},
    {"(W) mov (1|M0) sr0.2<1>:ud 0xff:ud\n", NULL},
    {"(W) mov (2|M0) sr0.2<1>:ud 0xff:ud\n", "sr0.3 (vector mask)"},
    {"(W) mov (1|M0) ce0.0<1>:ud 0x1:ud\n", "writing the register ce"},
    {"(W) mov (1|M0) tm0.0<1>:ud 0x1:ud\n", "writing the register tm"},
    {"(W) mov (1|M0) tm0.4<1>:ud 0x400:uw\n", "writing the register tm"},
    {"(W) mov (1|M0) tm0.4<1>:ud 0x1:uw\n", "writing the register tm"},
    /* IGC's intel_eu_thread_pause, and loops of 64-bit atomics in local memory
     */
    {"(W) mov (1|M0) tm0.4<1>:ud 0x3e0:uw\nnop\n", NULL},
    {"(W) mov (1|M0) r10.0<1>:ud dbg0.0<0;1,0>:ud\n",
     "reading the register dbg"},
    {"(W) mov (1|M0) r10.0<1>:ud n0.0<0;1,0>:ud\n", "reading the register n"},
    {"(W) mov (1|M0) tdr0.0<1>:uw 0x0:uw\n", "writing the register tdr"},
    {"mov (16|M0) r10.0<1>:ud r12.0<1;1,0>:ud {Breakpoint}\n", "breakpoint"},
};

START_TEST(what_is_unknown_stops_with_its_name)
{
    for (unsigned p = 0; lab_platforms[p]; p++)
        expect(lab_platforms[p], unknown[_i].text, unknown[_i].words);
}
END_TEST

/* The accumulator after a comparison, and sync.host, on xehpg. */
START_TEST(options_unknown_with_an_opcode_stop)
{
    expect("xehpg",
           "cmp (8|M0) (eq)f0.0 r10.0<1>:d r12.0<1;1,0>:d 0:w {AccWrEn}\n",
           "accwren of cmp");
    expect("xehpg",
           "(W) mov (1|M0) f0.0<1>:uw 0xff:uw\n"
           "(W) mov (1|M0) sr0.2<1>:ud 0x7fff:uw\n"
           "(W&f0.0) if (16|M0) END END\nEND:\nendif (16|M0) OUT\nOUT:\nnop\n",
           "no mask of if where channels 0xff");
    expect("xehpg", "sync.host null\n", "sync.host");
    expect("xelp", "(W) mov (1|M0) sp.0<1>:ud 0x0:ud\n",
           "writing the register sp");
}
END_TEST

/* Three bits of the descriptor are no field of a gather: 6, 16 and 31. */
START_TEST(reserved_bits_of_descriptors_stop)
{
    static const struct {
        const char *desc, *words;
    } rows[] = {{"0x04200540", "bit 6 of"},
                {"0x04210500", "bit 16 of"},
                {"0x84200500", "bit 31 of"}};
    for (unsigned k = 0; k < XK_COUNTOF(rows); k++) {
        char text[160];
        snprintf(text, sizeof text,
                 "send.slm (16|M0) r20 r10 null:0 0x0 %s {$1}\nnop\n",
                 rows[k].desc);
        expect("xehpg", text, rows[k].words);
        snprintf(text, sizeof text,
                 "(W) mov (1|M0) a0.0<1>:ud %s:ud\n"
                 "send.slm (16|M0) r20 r10 null:0 0x0 a0.0 {$1}\nnop\n",
                 rows[k].desc);
        expect("xehpg", text, rows[k].words);
    }
}
END_TEST

/* A base and a pitch are one register, or lie in the first of those that a
 * gather has; a store answers nothing. */
START_TEST(lengths_of_strided_messages_stop)
{
    expect("xehpg",
           "send.slm (16|M0) null r10 r20:2 0x0 0x02100505 {$1}\nnop\n",
           "response of 1");
    expect("xehpg",
           "send.slm (16|M0) null r10 r20:2 0x0 0x06000505 {$1}\nnop\n",
           "payload of 3");
    expect("xehpg",
           "send.slm (16|M0) r20 r10 null:0 0x0 0x02300501 {$1}\nnop\n",
           "response of 3");
}
END_TEST

/* In single program flow channels go together or not at all. */
START_TEST(single_program_flow_needs_one_mind)
{
    static const char *const part =
        "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4:ud\n"
        "(W) mov (1|M0) f0.0<1>:uw 0x%s:uw\n"
        "(f0.0) if (16|M0) ELSE ELSE\nmov (16|M0) r20.0<1>:d 1:w\n"
        "ELSE:\nendif (16|M0) END\nEND:\nnop\n";
    static const struct {
        const char *flag, *words;
    } rows[] = {{"ffff", NULL}, {"0", NULL}, {"00ff", "channels 0xff take"}};
    for (unsigned p = 0; lab_platforms[p]; p++)
        for (unsigned k = 0; k < XK_COUNTOF(rows); k++) {
            char text[400];
            snprintf(text, sizeof text, part, rows[k].flag);
            expect(lab_platforms[p], text, rows[k].words);
        }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("known");
    TCase *t = tcase_create("known");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, every_field_of_an_instruction_has_a_row);
    tcase_add_test(t, every_field_of_a_descriptor_has_a_row);
    tcase_add_test(t, bits_of_cr0_are_known_or_stop);
    tcase_add_loop_test(t, what_is_unknown_stops_with_its_name, 0,
                        XK_COUNTOF(unknown));
    tcase_add_test(t, options_unknown_with_an_opcode_stop);
    tcase_add_test(t, reserved_bits_of_descriptors_stop);
    tcase_add_test(t, lengths_of_strided_messages_stop);
    tcase_add_test(t, single_program_flow_needs_one_mind);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
