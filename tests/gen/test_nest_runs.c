/* SPDX-License-Identifier: Apache-2.0 */
/* Random nests as kernels: what the simulator, with all checkers on, leaves in
 * memory is what the interpreter makes of the text by definition. XK_SEED sets
 * the first seed, XK_COUNT how many. */
#include <stdio.h>

#include "launches_lab.h"
#include "tests/passes/nest_memory.h"
#include "tests/passes/random_kernel.h"
#include "tests/tap.h"
#include "xekern/ir.h"

static unsigned long n_ran;

static void interpret(const struct xk_random_nest *g, uint64_t seed,
                      struct xk_nest_memory *m)
{
    struct xk_interp_report r;
    struct xk_kernel k;
    xk_ctx *const c = xk_ctx_create(NULL);
    ck_assert_msg(xk_kernel_parse(c, g->text, &k) == XK_OK, "%s",
                  c->error.message);
    ck_assert_msg(xk_nest_interpret(c, &k, g, seed, m, &r), "%s", r.message);
    xk_ctx_destroy(c);
}

/* False: the registers do not suffice. */
static bool simulate(const struct xk_random_nest *g, uint64_t seed,
                     struct xk_nest_memory *m)
{
    const struct xk_ir_source s = {.size = sizeof(s),
                                   .platform = XK_PLATFORM_XEHPG,
                                   .text = g->text,
                                   .passes = g->passes,
                                   .grf_count = 256,
                                   .spare_grf = 16};
    const struct lab_arg arg[] = {{m->src, sizeof(m->src)},
                                  {m->wei, sizeof(m->wei)},
                                  {m->dst, sizeof(m->dst)}};
    struct xk_error err;
    xk_program *p = NULL;
    const enum xk_status st = xk_ir_create(&s, NULL, &p, &err);
    if (st == XK_ENOFIT)
        return false;
    ck_assert_msg(st == XK_OK, "seed %llu: %s\n%s\n%s",
                  (unsigned long long)seed, err.message, g->passes, g->text);
    lab_run(p, arg);
    xk_program_unref(p);
    return true;
}

static void run_nest(uint64_t seed)
{
    static struct xk_nest_memory expected, m;
    static struct xk_random_nest g;
    xk_random_nest(seed, &g);
    xk_nest_fill(&g, seed, &m);
    interpret(&g, seed, &expected);
    if (!simulate(&g, seed, &m))
        return;
    n_ran++;
    for (unsigned i = 0; i < XK_NEST_BUFFER_B / 4; i++)
        ck_assert_msg(m.dst[i] == expected.dst[i],
                      "seed %llu: dst[%u] is 0x%x instead of 0x%x\n%s\n%s",
                      (unsigned long long)seed, i, (unsigned)m.dst[i],
                      (unsigned)expected.dst[i], g.passes, g.text);
}

START_TEST(nests_run)
{
    const unsigned long count = xk_nest_each(60, run_nest);
    printf("# %lu of %lu ran, the others want more registers\n", n_ran, count);
    ck_assert_uint_ge(n_ran * 10, count * 8);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("nest_runs");
    TCase *const t = tcase_create("nest_runs");
    tcase_set_timeout(t, 3600);
    tcase_add_test(t, nests_run);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
