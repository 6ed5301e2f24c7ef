/* SPDX-License-Identifier: Apache-2.0 */
/* The fence of global memory in front of the end (row eot_ugm_fence): which
 * stores want it. Expected is what the vendor's compiler does
 * (PrologEpilog.cpp, insertFenceBeforeEOT): stores whose L1 policy is neither
 * write-back nor streaming. The descriptor is Mesa's (brw_workaround.cpp:
 * opcode 1F, scope tile, flush type 6, one register each way). Cache codes:
 * isa/message.def. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "harness.h"
#include "suites.h"

#define HEAD                                                                   \
    "kernel t simd 8 (src: ptr.global, dst: ptr.global, tid: thread < 1) {\n"  \
    "alloc x: grf[128]\nstore &x[0] = bcast.32(7:u32)\n"
#define LANES(part)                                                            \
    "send.store.global.a64.d32x1.s8" part                                      \
    "(&dst[0], ramp.8(0, 4), &x[0], bcast.8(true))\n"
#define BLOCK(part)                                                            \
    "send.store.global.a64.d32x8.block" part "(&dst[0], 64, &x[0], true)\n"
#define LOAD(part)                                                             \
    "send.load.global.a64.d32x1.s8" part                                       \
    "(&src[0], ramp.8(0, 4), &x[0], bcast.8(true))\n"
#define TAIL "}\n"
#define FENCE "0x0210651F"

static const struct {
    const char *name, *text;
    bool fence;
} rows[] = {
    {"a policy of our own, wb.wb", HEAD LANES("") TAIL, false},
    {"uc.uc", HEAD LANES(".c1") TAIL, true},
    {"uc.wb", HEAD LANES(".c2") TAIL, true},
    {"wt.uc", HEAD LANES(".c3") TAIL, true},
    {"wt.wb", HEAD LANES(".c4") TAIL, true},
    {"st.uc", HEAD LANES(".c5") TAIL, false},
    {"st.wb", HEAD LANES(".c6") TAIL, false},
    {"wb.wb", HEAD LANES(".c7") TAIL, false},
    {"a block, wb.wb", HEAD BLOCK("") TAIL, false},
    {"a block, uc.wb", HEAD BLOCK(".c2") TAIL, true},
    {"a late store in front of another", HEAD LANES(".c2") BLOCK("") TAIL,
     true},
    {"a late store behind another", HEAD LANES("") BLOCK(".c2") TAIL, true},
    {"a late store in a loop", HEAD "for k in 0..3 {\n" LANES(".c1") "}\n" TAIL,
     true},
    {"a load past the caches", HEAD LOAD(".c1") LANES("") TAIL, false},
    {"local memory alone",
     HEAD "alloc h: grf[32]\nstore &h[0] = ramp.8(0, 4)\n"
          "sendh.store.slm.a32.d32x1.s8(&h[0], &x[0], bcast.8(true))\n" TAIL,
     false},
    {"nothing is stored", HEAD TAIL, false},
};

static const unsigned modes[] = {128, 256}; /* registers */

/* The last place of a word in front of `end`; NULL: none. */
static const char *last_of(const char *text, const char *word, const char *end)
{
    const char *last = NULL;
    for (const char *at = text; (at = strstr(at, word)) && at < end; at++)
        last = at;
    return last;
}

/* Behind the last message to memory, and what it returns is read. */
static void check_fence(const char *name, const char *text)
{
    const char *const fence = strstr(text, FENCE);
    const char *const end = strstr(text, "{EOT");
    const char *line = fence;
    char read[64];
    unsigned reg = 0;

    ck_assert_msg(fence && end && fence < end && !strstr(fence + 1, FENCE),
                  "%s:\n%s", name, text);
    while (line > text && line[-1] != '\n')
        line--;
    ck_assert_msg(
        sscanf(line, "(W) send.ugm (1|M0) r%u r0 null:0 0x0 ", &reg) == 1,
        "%s:\n%s", name, text);
    ck_assert_msg(last_of(text, "send.ugm", end) < fence, "%s:\n%s", name,
                  text);
    snprintf(read, sizeof read, "mov (8|M0) null<1>:ud r%u.0<1;1,0>:ud {", reg);
    const char *const wait = last_of(text, read, end);
    ck_assert_msg(wait && wait > fence && strstr(wait, ".dst}") &&
                      strstr(wait, ".dst}") < strchr(wait, '\n'),
                  "%s:\n%s", name, text);
}

START_TEST(late_stores_have_a_fence)
{
    const unsigned mode = modes[(unsigned)_i / XK_COUNTOF(rows)];
    const unsigned r = (unsigned)_i % XK_COUNTOF(rows);
    struct cg_code k;
    xk_ctx *const c = xk_ctx_create(NULL);

    if (cg_generate(c, rows[r].text, mode, &k) < 0)
        ck_abort_msg("%s: %s", rows[r].name, c->error.message);
    const char *const text = xk_str_get(&k.text);
    if (rows[r].fence)
        check_fence(rows[r].name, text);
    else
        ck_assert_msg(!strstr(text, "0x0210"), "%s:\n%s", rows[r].name, text);
    cg_code_fini(&k);
    xk_ctx_destroy(c);
}
END_TEST

/* For PVC the vendor's fence has flush none; who makes kernels for it has to
 * see to that, and to the old ports' fence on xelp. */
START_TEST(other_platforms_have_no_kernels)
{
    static const enum xk_platform_id ids[] = {XK_PLATFORM_XELP,
                                              XK_PLATFORM_XEHPC};
    struct cg_code k;
    xk_ctx *const c = xk_ctx_create(NULL);

    ck_assert_int_eq(
        cg_generate_on(c, xk_platform_get(ids[_i]), rows[0].text, 0, &k),
        XK_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(c->error.message, "is not implemented"));
    xk_ctx_destroy(c);
}
END_TEST

TCase *cg_thread_end_tests(void)
{
    TCase *const t = tcase_create("thread_end");
    tcase_add_loop_test(t, late_stores_have_a_fence, 0,
                        XK_COUNTOF(rows) * XK_COUNTOF(modes));
    tcase_add_loop_test(t, other_platforms_have_no_kernels, 0, 2);
    return t;
}
