/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in front of a dpas because of buffers of sources: where it has
 * to, by the rules of the vendor's compiler (SWWA.cpp,
 * insertDummyMovForHWRSWADPAS; SWSB_G4IR.cpp, needWA), and the results are
 * those of the interpreter. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "harness.h"
#include "isa/workaround.h"
#include "suites.h"

#define BYTES 4096
#define HEAD                                                                   \
    "kernel t simd 8 (src: ptr.global, dst: ptr.global, tid: thread < 1) {\n"  \
    "alloc a: grf[256]\nalloc b: grf[512]\nalloc acc: grf[512]\n"              \
    "store &acc[0] = bcast.64(0.0)\nstore &acc[256] = bcast.64(0.0)\n"         \
    "send.load.global.a64.d32x64.block(&src[0], 0, &b[0], true)\n"             \
    "send.load.global.a64.d32x64.block(&src[0], 256, &b[256], true)\n"
#define LOAD_A(mask)                                                           \
    "send.load.global.a64.d32x8.s8(&src[0], ramp.8(512, 32), &a[0], " mask ")" \
    "\n"
#define FIRST "dpas.f32_f32_f16_f16.e8.d8.r8(&acc[0], &acc[0], &a[0], &b[0])\n"
#define SECOND                                                                 \
    "dpas.f32_f32_f16_f16.e8.d8.r8(&acc[256], &acc[256], &a[0], &b[256])\n"
#define TAIL                                                                   \
    "send.store.global.a64.d32x8.s8(&dst[0], ramp.8(0, 32), &acc[0], "         \
    "bcast.8(true))\n"                                                         \
    "send.store.global.a64.d32x8.s8(&dst[0], ramp.8(256, 32), &acc[256], "     \
    "bcast.8(true))\n}\n"
#define TRUE "bcast.8(true)"
#define SOME "ramp.8(0, 1) < bcast.8(5)"
/* Half a register of a: f16 1.0 in each place. */
#define PUT "store &a[32] = bcast.8(0x3c003c00:u32)\n"

static const struct {
    const char *name, *text;
    unsigned movs, dummies, dpas;
} rows[] = {
    {"all of src1 is loaded", HEAD LOAD_A(TRUE) FIRST SECOND TAIL, 0, 0, 2},
    {"a register of src1 is computed", HEAD LOAD_A(TRUE) PUT FIRST SECOND TAIL,
     0, 1, 3},
    {"one that is loaded again behind that",
     HEAD PUT LOAD_A(TRUE) FIRST SECOND TAIL, 0, 0, 2},
    {"lanes that a load leaves alone",
     HEAD "store &a[0] = bcast.64(0x3c003c00:u32)\n" LOAD_A(SOME)
         FIRST SECOND TAIL,
     1, 1, 3},
    {"a predicated load behind them",
     HEAD LOAD_A(TRUE) FIRST SECOND
     "alloc x: grf[32]\nstore &x[0] = bcast.8(0.0)\n"
     "send.load.global.a64.d32x1.s8(&src[0], ramp.8(0, 4), &x[0], " SOME ")\n"
     "send.store.global.a64.d32x1.s8(&dst[0], ramp.8(512, 4), &x[0], " TRUE
     ")\n" TAIL,
     1, 1, 3},
    {"a chain in a loop, once a round",
     HEAD LOAD_A(TRUE) PUT "for k in 0..3 {\n" FIRST SECOND "}\n" TAIL, 0, 1,
     3},
};

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        n++;
    return n;
}

/* "mov (8|M0) rN.0<1>:ud rN.0<1;1,0>:ud" */
static unsigned count_movs(const char *text)
{
    unsigned n = 0, to, from;
    for (const char *at = text; (at = strstr(at, "mov (8|M0) r")); at++)
        n += sscanf(at, "mov (8|M0) r%u.0<1>:ud r%u.0<1;1,0>:ud", &to, &from) ==
                 2 &&
             to == from;
    return n;
}

START_TEST(they_stand_where_they_have_to)
{
    struct cg_code k;
    xk_ctx *const c = xk_ctx_create(NULL);
    if (cg_generate(c, rows[_i].text, 0, &k) < 0)
        ck_abort_msg("%s", c->error.message);
    const char *const text = xk_str_get(&k.text);
    ck_assert_msg(count(text, "dpas.8x8") == rows[_i].dpas &&
                      count(text, ":f null:f") == rows[_i].dummies &&
                      count_movs(text) == rows[_i].movs,
                  "%s:\n%s", rows[_i].name, text);
    cg_code_fini(&k);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(they_leave_the_results_alone)
{
    uint16_t *const in = malloc(BYTES);
    uint32_t *const out = calloc(1, BYTES);
    for (unsigned i = 0; i < BYTES / 2; i++) /* 1.0 to 1.9, exact in sums */
        in[i] = (uint16_t)(0x3c00 + (i * 40503u >> 7 & 15) * 0x40);
    const struct cg_case k = {.text = rows[_i].text,
                              .groups = {1, 1, 1},
                              .n_threads = 1,
                              .buffer = {{in, BYTES}, {out, BYTES}}};
    cg_run(&k);
    ck_assert_uint_ne(out[0], 0);
    free(in);
    free(out);
}
END_TEST

/* The dummy is of the chain's form, begins it, and nobody reads what it writes.
 */
START_TEST(a_dummy_is_alone_with_what_it_writes)
{
    struct cg_code k;
    char reg[16];
    xk_ctx *const c = xk_ctx_create(NULL);
    unsigned dst, src1, src2;
    ck_assert_int_eq(cg_generate(c, rows[1].text, 0, &k), XK_OK);
    const char *const text = xk_str_get(&k.text);
    const char *const dummy = strstr(text, "dpas.8x8");
    ck_assert_int_eq(sscanf(dummy,
                            "dpas.8x8 (8|M0) r%u:f null:f r%u:hf r%u.0:hf",
                            &dst, &src1, &src2),
                     3);
    ck_assert_uint_eq(src1, src2);
    ck_assert_ptr_nonnull(strstr(dummy, "{Atomic"));
    ck_assert(strstr(dummy, "{Atomic") < strchr(dummy, '\n'));
    for (unsigned r = dst; r < dst + 8; r++) {
        snprintf(reg, sizeof reg, "r%u:", r);
        ck_assert_uint_eq(count(dummy, reg), r == dst);
        snprintf(reg, sizeof reg, " r%u ", r); /* of messages */
        ck_assert_uint_eq(count(dummy, reg), 0);
    }
    cg_code_fini(&k);
    xk_ctx_destroy(c);
}
END_TEST

/* xk_wa_may_suppress looks at the whole program; asked for each dpas, it was
 * most of a creation. The linker puts this in front of it. */
bool __real_xk_wa_may_suppress(const struct xk_wa_program *g);
bool __wrap_xk_wa_may_suppress(const struct xk_wa_program *g);
static unsigned asked;

bool __wrap_xk_wa_may_suppress(const struct xk_wa_program *g)
{
    asked++;
    return __real_xk_wa_may_suppress(g);
}

/* How often it is asked for a kernel of 2 n dpas and a predicated load behind
 * them. */
static unsigned times_asked(unsigned n)
{
    struct xk_str text;
    struct cg_code k;
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_str_init(&text, NULL);
    xk_str_puts(&text, HEAD LOAD_A(SOME));
    for (unsigned i = 0; i < n; i++)
        xk_str_puts(&text, FIRST SECOND);
    xk_str_puts(&text, LOAD_A(SOME) TAIL);
    asked = 0;
    if (cg_generate(c, xk_str_get(&text), 0, &k) < 0)
        ck_abort_msg("%s", c->error.message);
    ck_assert_uint_ge(count(xk_str_get(&k.text), "dpas.8x8"), 2 * n);
    cg_code_fini(&k);
    xk_str_fini(&text);
    xk_ctx_destroy(c);
    return asked;
}

START_TEST(a_program_is_searched_for_suppression_once)
{
    ck_assert_uint_eq(times_asked(2), 1);
    ck_assert_uint_eq(times_asked(100), 1);
}
END_TEST

TCase *cg_dpas_guard_tests(void)
{
    TCase *const t = tcase_create("dpas_guard");
    tcase_add_loop_test(t, they_stand_where_they_have_to, 0, XK_COUNTOF(rows));
    tcase_add_loop_test(t, they_leave_the_results_alone, 0, XK_COUNTOF(rows));
    tcase_add_test(t, a_dummy_is_alone_with_what_it_writes);
    tcase_add_test(t, a_program_is_searched_for_suppression_once);
    return t;
}
