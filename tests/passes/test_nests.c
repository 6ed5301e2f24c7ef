/* SPDX-License-Identifier: Apache-2.0 */
/* Random nests: what the interpreter makes of tile functions by their
 * definition is what it makes of the messages and multiplies that took their
 * place, behind the passes over nests, and behind all passes. XK_SEED sets the
 * first seed, XK_COUNT how many. */
#include <stdio.h>

#include "isa/isa.h"
#include "passes/passes.h"
#include "tests/passes/nest_memory.h"
#include "tests/passes/random_kernel.h"
#include "tests/tap.h"

static void broken(uint64_t seed, const struct xk_random_nest *g,
                   const char *what, const char *why)
{
    ck_abort_msg("seed %llu, %s: %s\nxk opt --passes='%s%s'\n%s",
                 (unsigned long long)seed, what, why, g->passes, "expand",
                 g->text);
}

static void execute(xk_ctx *c, const struct xk_kernel *k,
                    const struct xk_random_nest *g, uint64_t seed,
                    const char *what, struct xk_nest_memory *m)
{
    struct xk_interp_report r;
    if (!xk_nest_interpret(c, k, g, seed, m, &r))
        broken(seed, g, what, r.message);
}

static void check_same(const struct xk_nest_memory *a,
                       const struct xk_nest_memory *b,
                       const struct xk_random_nest *g, uint64_t seed,
                       const char *what)
{
    char why[80];
    for (unsigned i = 0; i < XK_NEST_BUFFER_B / 4; i++) {
        if (a->dst[i] == b->dst[i])
            continue;
        snprintf(why, sizeof(why), "dst[%u] is 0x%x instead of 0x%x", i,
                 (unsigned)b->dst[i], (unsigned)a->dst[i]);
        broken(seed, g, what, why);
    }
}

static void call(xk_ctx *c, struct xk_kernel *k, const struct xk_pass_env *env,
                 const char *passes, const struct xk_random_nest *g,
                 uint64_t seed)
{
    if (xk_passes_call(c, k, env, passes, NULL, NULL) < 0 ||
        xk_kernel_verify(c, k, NULL, NULL) < 0)
        broken(seed, g, passes, c->error.message);
}

static void check_nest(uint64_t seed)
{
    static struct xk_nest_memory before, after;
    static struct xk_random_nest g;
    const struct xk_pass_env env = {.platform = xk_platform_find("xehpg"),
                                    .spare_grf = 32};
    struct xk_kernel k;
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_random_nest(seed, &g);
    if (xk_kernel_parse(c, g.text, &k) < 0 || xk_kernel_check(c, &k) < 0)
        broken(seed, &g, "the text", c->error.message);
    execute(c, &k, &g, seed, "the text", &before);
    call(c, &k, &env, g.passes, &g, seed);
    execute(c, &k, &g, seed, "passes over nests", &after);
    check_same(&before, &after, &g, seed, "passes over nests");
    call(c, &k, &env, "expand", &g, seed);
    execute(c, &k, &g, seed, "expand", &after);
    check_same(&before, &after, &g, seed, "expand");
    if (xk_passes_run(c, &k, &env, NULL, NULL) < 0)
        broken(seed, &g, "all passes", c->error.message);
    execute(c, &k, &g, seed, "all passes", &after);
    check_same(&before, &after, &g, seed, "all passes");
    xk_ctx_destroy(c);
}

START_TEST(random_nests_keep_their_meaning)
{
    xk_nest_each(150, check_nest);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("nests");
    TCase *const t = tcase_create("nests");
    tcase_set_timeout(t, 600);
    tcase_add_test(t, random_nests_keep_their_meaning);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
