/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/check_lab.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "isa/asm.h"

#define OUT_VA UINT64_C(0x20000000)

/* How a platform stores one register, and ends. */
static const struct {
    const char *platform, *store, *end;
} forms[] = {
    {"xelp", "(W) send.dc1 (8|M0) null r3 r20 0x40 0x020D42FF {$14}\n",
     "(W) send.ts (8|M0) null r112 null 0x0 0x02000010 {EOT}\n"},
    {"xehpg", "(W) send.ugm (1|M0) null r3 r20:1 0x0 0x0200C584 {$14}\n",
     "(W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 {EOT}\n"},
};

static const char begin[] =
    "(W) and (1|M0) r2.0<1>:ud r0.2<0;1,0>:ud 0xFF:ud\n"
    "(W) mov (8|M0) r3.0<1>:ud 0:ud\n"
    "(W) mov (8|M0) r20.0<1>:ud 0:ud\n"
    "sync.nop null {A@1}\n"
    "(W) shl (1|M0) r3.0<1>:ud r2.0<0;1,0>:ud 5:uw\n"
    "sync.nop null {A@1}\n"
    "(W) add (1|M0) r3.0<1>:ud r3.0<0;1,0>:ud r1.0<0;1,0>:ud\n"
    "sync.nop null {A@1}\n";
static const char wait[] = "sync.allwr null\nsync.nop null {A@1}\n";
static const char copy[] = "(W) mov (8|M0) r112.0<1>:ud r0.0<1;1,0>:ud\n"
                           "sync.allwr null\nsync.nop null {A@1}\n";

static size_t form_of(const char *platform)
{
    size_t f = 0;
    while (f + 1 < sizeof forms / sizeof forms[0] &&
           strcmp(forms[f].platform, platform))
        f++;
    return f;
}

/* xelp has one pipe: @1 is what A@1 is elsewhere. */
static void append(char *all, size_t all_b, const char *platform,
                   const char *text)
{
    size_t n = strlen(all);
    const bool one_pipe = !strcmp(platform, "xelp");
    for (; *text && n + 1 < all_b; text++)
        if (!(one_pipe && text[0] == 'A' && text[1] == '@'))
            all[n++] = *text;
    all[n] = 0;
}

static void hear(void *user, const struct xk_sim_finding *f)
{
    struct check_lab *const x = user;
    if (x->n == CHECK_LAB_FINDINGS)
        return;
    x->f[x->n].check = f->check;
    xk_sim_finding_print(f, x->f[x->n].line, sizeof x->f[0].line);
    x->n++;
}

static xk_sim_kernel *assemble(struct check_lab *x)
{
    static char all[20000];
    const struct xk_platform *const p = xk_platform_find(x->platform);
    const size_t f = form_of(x->platform);
    const char *const parts[] = {begin,          x->text, wait,
                                 forms[f].store, copy,    forms[f].end};
    struct xk_zkernel z = {.name = "check_lab",
                           .simd = 8,
                           .grf_count = 128,
                           .barriers = x->barriers};
    uint8_t *code = NULL;
    xk_sim_kernel *k = NULL;
    xk_ctx *const c = xk_ctx_create(NULL);
    ck_assert(p && c);
    all[0] = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        append(all, sizeof all, x->platform, parts[i]);
    const struct xk_asm_source source = {all, strlen(all), "check_lab"};
    ck_assert_msg(xk_assemble_text(c, p, &source, false, &code, &z.code_b) >= 0,
                  "%s: %s", x->platform, c->error.message);
    z.code = code;
    ck_assert_msg(xk_sim_kernel_create(NULL, p, &z, &k, &x->err) == XK_OK, "%s",
                  x->err.message);
    xk_free(c, code);
    xk_ctx_destroy(c);
    return k;
}

enum xk_status check_lab_run(struct check_lab *x)
{
    uint32_t payload[8] = {(uint32_t)OUT_VA};
    struct xk_sim_region r = {OUT_VA, sizeof x->out, (uint8_t *)x->out,
                              XK_SIM_BUFFER};
    xk_sim_kernel *const k = assemble(x);
    struct xk_sim_dispatch d = {.kernel = k,
                                .groups = {1, 1, 1},
                                .simd = 8,
                                .n_threads = x->n_threads,
                                .last_mask = x->last_mask ? x->last_mask : 0xff,
                                .cross_data = (const uint8_t *)payload,
                                .cross_data_b = sizeof payload,
                                .slm_b = x->slm_b,
                                .n_barriers = x->barriers,
                                .regions = &r,
                                .n_regions = 1,
                                .n_host_threads = 1,
                                .inst_limit = 100000,
                                .check = x->check};
    xk_sim_dispatch_habits(&d);
    d.check.found = hear;
    d.check.user = x;
    x->n = 0;
    x->err.message[0] = 0;
    memset(x->out, 0, sizeof x->out);
    const enum xk_status s = xk_sim_dispatch(&d, NULL, &x->err);
    xk_sim_kernel_destroy(k);
    return s;
}
