/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the passes. Each gets a scope of its own, so that what it made
 * and did not keep is freed when it ends. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/budget.h"
#include "passes/nest_pass.h"

/* Headers come before hoisting: they split an address at the innermost loop,
 * and hoisting then moves the invariant part further out. Before them offsets
 * get their last form and their type. Let clean-up comes again after everything
 * that binds or frees lets, or leaves empty statements. */
const struct xk_pass xk_passes[] = {
    {"expand", xk_pass_expand, "codegen knows no tiles"},
    {"simplify", xk_pass_simplify, NULL},
    {"let", xk_pass_let, NULL},
    {"strength", xk_pass_strength, NULL},
    {"overflow", xk_pass_overflow, NULL},
    {"header", xk_pass_header, "codegen writes no message without its header"},
    {"hoist", xk_pass_hoist, NULL},
    {"cse", xk_pass_cse, NULL},
    {"barrier", xk_pass_barrier, NULL},
    {"let", xk_pass_let, NULL},
    {"peephole", xk_pass_peephole, NULL},
};
const unsigned xk_n_passes = XK_COUNTOF(xk_passes);

static const struct xk_pass *find_in(const struct xk_pass *rows, unsigned n,
                                     const char *name)
{
    for (unsigned i = 0; i < n; i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

const struct xk_pass *xk_pass_find(const char *name)
{
    const struct xk_pass *const p = find_in(xk_passes, xk_n_passes, name);
    return p ? p : find_in(xk_nest_passes, xk_n_nest_passes, name);
}

void xk_pass_words(char *out, size_t out_b)
{
    out[0] = 0;
    for (unsigned i = 0; i < xk_n_passes + xk_n_nest_passes; i++) {
        const struct xk_pass *const p =
            i < xk_n_passes ? &xk_passes[i] : &xk_nest_passes[i - xk_n_passes];
        if (xk_pass_find(p->name) == p) /* a pass may have several rows */
            xk_text_add_word(out, out_b, p->name);
    }
}

/* The last steps, which are codegen's. */
static const struct {
    const char *name;
    uint32_t bit;
} steps[] = {{"order", XK_PASSES_ORDER}, {"banks", XK_PASSES_BANKS}};

static uint32_t rows_named(const char *name, size_t n)
{
    uint32_t rows = 0;
    for (unsigned i = 0; i < XK_COUNTOF(steps); i++)
        if (strlen(steps[i].name) == n && !memcmp(steps[i].name, name, n))
            rows = steps[i].bit;
    for (unsigned i = 0; i < xk_n_passes; i++)
        if (strlen(xk_passes[i].name) == n &&
            !memcmp(xk_passes[i].name, name, n))
            rows |= 1u << i;
    return rows;
}

/* "-simplify, -let, ...": what can be left out, each once. */
static void removable(char *out, size_t out_b)
{
    size_t n = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < xk_n_passes && n < out_b; i++)
        if (!xk_passes[i].needed &&
            xk_pass_find(xk_passes[i].name) == &xk_passes[i])
            n += (size_t)snprintf(out + n, out_b - n, "%s-%s", n ? ", " : "",
                                  xk_passes[i].name);
    for (unsigned i = 0; i < XK_COUNTOF(steps) && n < out_b; i++)
        n += (size_t)snprintf(out + n, out_b - n, ", -%s", steps[i].name);
}

static enum xk_status leave_out(xk_ctx *c, const char *word, size_t n,
                                uint32_t *off)
{
    const uint32_t rows = *word == '-' ? rows_named(word + 1, n - 1) : 0;
    char words[200];
    removable(words, sizeof(words));
    if (!rows)
        return xk_fail(c, XK_EPARSE, "passes: '%.*s' leaves out no pass: %s",
                       (int)n, word, words);
    for (unsigned i = 0; i < xk_n_passes; i++)
        if (rows & 1u << i && xk_passes[i].needed)
            return xk_fail(c, XK_EINVAL, "passes: '%.*s': %s", (int)n, word,
                           xk_passes[i].needed);
    *off |= rows;
    return XK_OK;
}

enum xk_status xk_passes_parse(xk_ctx *c, const char *text, uint32_t *off)
{
    static const char between[] = ", ";
    *off = 0;
    for (text += strspn(text, between); *text; text += strspn(text, between)) {
        const size_t n = strcspn(text, between);
        XK_TRY(leave_out(c, text, n, off));
        text += n;
    }
    return XK_OK;
}

#ifndef NDEBUG
/* Whether the pass comes from the overflow pass on. */
static bool is_late(const struct xk_pass *p)
{
    const struct xk_pass *const first = xk_pass_find("overflow");
    return p >= first && p < xk_passes + xk_n_passes;
}

/* Offsets are proven to fit from the overflow pass on. */
static enum xk_status verify_after(xk_ctx *c, const struct xk_kernel *k,
                                   const char *pass, bool proven)
{
    const enum xk_status st =
        proven ? xk_kernel_check(c, k) : xk_kernel_verify(c, k, NULL, NULL);
    if (st < 0)
        xk_log(c, "after %s the kernel is invalid: %s", pass, c->error.message);
    return st;
}
#endif

enum xk_status xk_pass_run_one(xk_ctx *c, struct xk_kernel *k,
                               const struct xk_pass_env *env,
                               const struct xk_pass *p, bool in_order)
{
    const xk_scope s = xk_scope_begin(c);
    enum xk_status st = p->run(c, k, env);
    if (st == XK_OK)
        st = xk_ctx_status(c);
#ifndef NDEBUG
    if (st == XK_OK)
        st = verify_after(c, k, p->name, in_order && is_late(p));
#endif
    (void)in_order;
    xk_scope_end(c, s, k->body);
    return st;
}

enum xk_status xk_passes_run(xk_ctx *c, struct xk_kernel *k,
                             const struct xk_pass_env *env, xk_pass_trace trace,
                             void *user)
{
    if (!k->body)
        return xk_fail(c, XK_EINVAL, "passes: kernel %s has no body", k->name);
#ifndef NDEBUG
    XK_TRY(verify_after(c, k, "lowering", false));
#endif
    struct xk_pass_env own = *env;
    unsigned moving_grf = 0;
    own.moving_grf = &moving_grf;
    for (unsigned i = 0; i < xk_n_passes; i++) {
        if (env->off & 1u << i)
            continue;
        XK_TRY(xk_pass_run_one(c, k, &own, &xk_passes[i], true));
        XK_TRY(xk_budget_check(c, 0));
        if (trace)
            trace(user, xk_passes[i].name, k);
    }
    return XK_OK;
}
