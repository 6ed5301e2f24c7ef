/* SPDX-License-Identifier: Apache-2.0 */
/* Random nests as kernels: what the simulator, with all checkers on, leaves in
 * memory is what the interpreter makes of the text by definition. XK_SEED sets
 * the first seed, XK_COUNT how many. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launches_lab.h"
#include "tests/ir_interp.h"
#include "tests/passes/random_kernel.h"
#include "tests/passes/random_nest.h"
#include "tests/tap.h"
#include "xekern/ir.h"

struct memory {
    uint8_t src[XK_NEST_BUFFER_B], wei[XK_NEST_BUFFER_B], dst[XK_NEST_BUFFER_B];
};

static unsigned long number(const char *name, unsigned long otherwise)
{
    const char *const s = getenv(name);
    return s ? strtoul(s, NULL, 10) : otherwise;
}

static void interpret(const struct xk_random_nest *g, uint64_t seed,
                      struct memory *m)
{
    static struct xk_interp_args a;
    struct xk_interp_report r;
    struct xk_kernel k;
    xk_ctx *const c = xk_ctx_create(NULL);
    const unsigned step = seed % 2 ? 2 : 1; /* surfaces stand between */
    memset(&a, 0, sizeof(a));
    a.buffer[0].data = m->src;
    a.buffer[step].data = m->wei;
    a.buffer[2 * step].data = m->dst;
    for (unsigned i = 0; i < 3; i++)
        a.buffer[i * step].size_b = XK_NEST_BUFFER_B;
    ck_assert_msg(xk_kernel_parse(c, g->text, &k) == XK_OK, "%s",
                  c->error.message);
    for (a.group[0] = 0; a.group[0] < g->groups; a.group[0]++)
        for (a.thread = 0; a.thread < g->threads; a.thread++)
            ck_assert_msg(xk_interp_run(c, &k, &a, &r) == XK_OK, "%s",
                          r.message);
    xk_ctx_destroy(c);
}

/* False: the registers do not suffice. */
static bool simulate(const struct xk_random_nest *g, uint64_t seed,
                     struct memory *m)
{
    const struct xk_ir_source s = {.size = sizeof(s),
                                   .platform = XK_XEHPG,
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

/* Small integers of the type, and dst's old content. */
static void fill(const struct xk_random_nest *g, uint64_t seed,
                 struct memory *m)
{
    uint64_t rng = seed + 99;
    memset(m, 0, sizeof(*m));
    xk_random_nest_fill(g, &rng, m->src);
    xk_random_nest_fill(g, &rng, m->wei);
    for (unsigned i = 0; i < XK_NEST_BUFFER_B; i++)
        m->dst[i] = (uint8_t)i;
}

START_TEST(nests_run)
{
    static struct memory expected, m;
    static struct xk_random_nest g;
    const unsigned long first = number("XK_SEED", 1);
    const unsigned long count = number("XK_COUNT", 60);
    unsigned long ran = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        xk_random_nest(seed, &g);
        fill(&g, seed, &expected);
        m = expected;
        interpret(&g, seed, &expected);
        if (!simulate(&g, seed, &m))
            continue;
        ran++;
        for (unsigned i = 0; i < XK_NEST_BUFFER_B; i++)
            ck_assert_msg(m.dst[i] == expected.dst[i],
                          "seed %llu: byte %u of dst is 0x%x instead of 0x%x\n"
                          "%s\n%s",
                          (unsigned long long)seed, i, m.dst[i],
                          expected.dst[i], g.passes, g.text);
    }
    printf("# %lu of %lu ran, the others want more registers\n", ran, count);
    ck_assert_uint_ge(ran * 10, count * 8);
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
