/* SPDX-License-Identifier: Apache-2.0 */
/* Each lint rule of isa/workaround.def: a program that lacks the action and one
 * that does not. Values are those of the vendors' sources named there. */
#include "isa/workaround.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/isa/rule_cases.h"
#include "tests/isa/tests.h"

#define EOT(r, swsb)                                                           \
    "send.gtwy (8|M0) null " r " null:0 0x0 0x02000010 {EOT," swsb "}\n"
#define STORE "(W) send.ugm (1|M0) null r57 r72:4 0x3000000 0x6200E504 {$0}\n"
#define FENCE(desc) "(W) send.ugm (1|M0) r6 r0 null:0 0x0 " desc " {$1}\n"
#define WAIT "(W) sync.nop null {$1.dst}\n"
#define CSELS                                                                  \
    "(W) csel (4|M0) (eq)f0.0 r1.0<1>:w r1.0<1;1>:w r1.0<1;1>:w r1.0<1>:w\n"   \
    "(W) csel (4|M0) (eq)f0.0 r1.4<1>:f r1.4<1;1>:f r1.4<1;1>:f r1.4<1>:f\n"

static const struct {
    enum xk_wa row;
    unsigned grf_count;
    const char *good, *bad;
} cases[] = {
    {XK_WA_eot_ugm_fence, 128,
     STORE FENCE("0x0210651F") WAIT EOT("r127", "A@1"),
     STORE EOT("r127", "A@1")},
    {XK_WA_eot_ugm_fence, 128,
     STORE FENCE("0x0210641F") WAIT EOT("r127", "A@1"),
     STORE FENCE("0x0210651F") EOT("r127", "A@1")},
    {XK_WA_eot_ugm_fence, 128, FENCE("0x0210651F") WAIT EOT("r127", "A@1"),
     FENCE("0x0210651F") WAIT STORE EOT("r127", "A@1")},
    {XK_WA_eot_distance, 128, EOT("r127", "A@1"), EOT("r127", "A@2")},
    {XK_WA_eot_file_end, 256, EOT("r240", "A@1"), EOT("r112", "A@1")},
    {XK_WA_eot_file_end, 128, EOT("r112", "A@1"), EOT("r240", "A@1")},
    {XK_WA_fence_flush, 128, FENCE("0x0210651F"), FENCE("0x0210051F")},
    {XK_WA_first_no_mask, 128, "(W) mov (8|M0) r2.0<1>:ud 0x0:ud\n",
     "mov (8|M0) r2.0<1>:ud 0x0:ud\n"},
    {XK_WA_eot_csel, 256, CSELS EOT("r250", "A@1"), EOT("r250", "A@1")},
    {XK_WA_state_distance, 128,
     "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw {A@1}\n"
     "(W) mov (8|M0) r2.0<1>:ud 0x0:ud {I@1}\n",
     "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw {A@1}\n"
     "(W) mov (8|M0) r2.0<1>:ud 0x0:ud\n"},
};

struct heard {
    const char *rule;
    bool any;
};

static void hear(void *user, unsigned at, const struct xk_isa_violation *v)
{
    struct heard *const h = user;

    (void)at;
    h->any |= !strcmp(v->rule, h->rule);
}

static bool lacks(unsigned c, const char *text)
{
    struct xk_inst inst[8];
    struct xk_error err = {0};
    struct heard h = {xk_workaround_get(cases[c].row)->text.rule, false};
    struct xk_wa_program g = {
        .device = {XK_PLATFORM_XEHPG, XK_PRODUCT_ANY, XK_STEP_ANY},
        .p = xk_platform_get(XK_PLATFORM_XEHPG),
        .inst = inst,
        .grf_count = cases[c].grf_count};

    g.n = program_case_parse(g.p, text, inst, XK_COUNTOF(inst), &err);
    ck_assert_msg(g.n > 0, "%s: %s", text, err.message);
    xk_wa_validate(&g, hear, &h);
    return h.any;
}

START_TEST(a_lack_is_found)
{
    ck_assert_msg(!lacks(_i, cases[_i].good), "%s", cases[_i].good);
    ck_assert_msg(lacks(_i, cases[_i].bad), "%s", cases[_i].bad);
}
END_TEST

/* Ranges of the vendor's tables: an upper stepping is fixed. */
START_TEST(steppings)
{
    const enum xk_platform_id hpg = XK_PLATFORM_XEHPG;
    const enum xk_platform_id hpc = XK_PLATFORM_XEHPC;
    struct xk_wa_device d = {hpg, XK_DG2_G10, XK_STEP_A1};

    ck_assert(!xk_wa_applies(XK_WA_eot_ugm_fence, &d));
    d.stepping = XK_STEP_B0;
    ck_assert(xk_wa_applies(XK_WA_eot_ugm_fence, &d));
    d = (struct xk_wa_device){hpc, XK_PVC_XT, XK_STEP_C0};
    ck_assert(!xk_wa_applies(XK_WA_eot_ugm_fence, &d));
    d = (struct xk_wa_device){hpc, XK_PRODUCT_ANY, XK_STEP_ANY};
    ck_assert(xk_wa_applies(XK_WA_eot_ugm_fence, &d));
    d = (struct xk_wa_device){XK_PLATFORM_XELP, XK_PRODUCT_ANY, XK_STEP_ANY};
    ck_assert(!xk_wa_applies(XK_WA_eot_ugm_fence, &d));
}
END_TEST

/* What is never emitted has a rule that proves it. */
START_TEST(rows_are_whole)
{
    for (unsigned k = 0; k < XK_N_WORKAROUNDS; k++) {
        const struct xk_workaround *const w = xk_workaround_get(k);

        ck_assert_msg(w->name && w->id[0] && w->by[0] && w->action[0] &&
                          w->text.why[0] && w->text.source[0],
                      "row %u", k);
        ck_assert_msg(w->handling != XK_WA_NEVER || w->lacks, "%s", w->name);
    }
}
END_TEST

TCase *isa_workaround_case(void)
{
    TCase *const t = tcase_create("workarounds");

    tcase_add_loop_test(t, a_lack_is_found, 0, XK_COUNTOF(cases));
    tcase_add_test(t, steppings);
    tcase_add_test(t, rows_are_whole);
    return t;
}
