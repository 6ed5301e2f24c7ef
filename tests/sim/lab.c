/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/lab.h"

#include <check.h>
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm.h"

const char *const lab_platforms[] = {"xelp", "xehpg", "xehpc", NULL};

struct lab *lab_open_code(const char *platform, const uint8_t *code,
                          size_t code_b)
{
    const struct xk_zkernel z = {.name = "lab",
                                 .simd = 16,
                                 .grf_count = 128,
                                 .code = code,
                                 .code_b = code_b};
    struct lab *const x = calloc(1, sizeof(*x));
    ck_assert(x);
    ck_assert_msg(xk_sim_kernel_create(NULL, xk_platform_find(platform), &z,
                                       &x->k, &x->err) == XK_OK,
                  "%s", x->err.message);
    return x;
}

struct lab *lab_open(const char *platform, const char *text)
{
    const struct xk_platform *const p = xk_platform_find(platform);
    const struct xk_asm_source source = {text, strlen(text), "lab"};
    xk_ctx *const c = xk_ctx_create(NULL);
    uint8_t *code = NULL;
    size_t code_b = 0;
    ck_assert(p && c);
    ck_assert_msg(xk_assemble_text(c, p, &source, false, &code, &code_b) >= 0,
                  "%s: %s\n%s", platform, c->error.message, text);
    struct lab *const x = lab_open_code(platform, code, code_b);
    xk_free(c, code);
    xk_ctx_destroy(c);
    return x;
}

void lab_close(struct lab *x)
{
    xk_sim_kernel_destroy(x->k);
    free(x);
}

void lab_start(struct lab *x, unsigned n, uint32_t cr0)
{
    memset(x->t, 0, n * sizeof(x->t[0]));
    memset(&x->err, 0, sizeof(x->err));
    x->group = (struct xk_sim_group){.thread = x->t, .n_threads = n};
    for (unsigned i = 0; i < n; i++) {
        struct xk_sim_thread *const t = &x->t[i];
        t->kernel = x->k;
        t->group = &x->group;
        t->index = i;
        t->active = t->dispatch = 0xffff;
        t->budget = 100000;
        t->err = &x->err;
        xk_rf_set_u32(t, XK_RF_CR, cr0);
    }
}

static bool is_over(const struct lab *x, const struct xk_sim_thread *t)
{
    return t->ip + 1 >= x->k->n;
}

/* As far as the thread can go; false if that is nowhere. */
static bool advance(struct lab *x, struct xk_sim_thread *t)
{
    bool moved = false;
    xk_sim_thread_cr_written(t);
    while (t->state == XK_SIM_RUN && !is_over(x, t) && t->budget) {
        t->budget--;
        const struct xk_sim_inst *const e = &x->k->inst[t->ip++];
        e->fn(t, e);
        moved = true;
    }
    if (is_over(x, t) && t->state == XK_SIM_RUN)
        t->state = XK_SIM_DONE;
    fesetround(FE_TONEAREST);
    return moved;
}

bool lab_run(struct lab *x)
{
    bool moved = true;
    while (moved && !x->err.status) {
        moved = false;
        for (unsigned i = 0; i < x->group.n_threads; i++)
            moved |= advance(x, &x->t[i]);
    }
    bool done = !x->err.status;
    for (unsigned i = 0; i < x->group.n_threads; i++)
        done &= x->t[i].state == XK_SIM_DONE;
    return done;
}

void lab_run_ok(struct lab *x)
{
    ck_assert_msg(lab_run(x), "%s",
                  x->err.status ? x->err.message : "it does not end");
}

uint8_t *lab_reg(struct lab *x, unsigned reg)
{
    return x->t[0].rf + reg * x->k->grf_b;
}
