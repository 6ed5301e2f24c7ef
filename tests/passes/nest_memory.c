/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/passes/nest_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void xk_nest_fill(const struct xk_random_nest *g, uint64_t seed,
                  struct xk_nest_memory *m)
{
    uint64_t rng = seed + 99;
    memset(m, 0, sizeof(*m));
    xk_random_nest_fill(g, &rng, m->src);
    xk_random_nest_fill(g, &rng, m->wei);
    for (unsigned i = 0; i < XK_NEST_BUFFER_B / 4; i++)
        m->dst[i] = (int32_t)i;
}

bool xk_nest_interpret(xk_ctx *c, const struct xk_kernel *k,
                       const struct xk_random_nest *g, uint64_t seed,
                       struct xk_nest_memory *m, struct xk_interp_report *r)
{
    static struct xk_interp_args a;
    const unsigned step = seed % 2 ? 2 : 1; /* surfaces stand between */
    xk_nest_fill(g, seed, m);
    memset(&a, 0, sizeof(a));
    a.buffer[0].data = m->src;
    a.buffer[step].data = m->wei;
    a.buffer[2 * step].data = m->dst;
    for (unsigned i = 0; i < 3; i++)
        a.buffer[i * step].size_b = XK_NEST_BUFFER_B;
    for (a.group[0] = 0; a.group[0] < g->groups; a.group[0]++)
        for (a.thread = 0; a.thread < g->threads; a.thread++)
            if (xk_interp_run(c, k, &a, r) < 0)
                return false;
    return true;
}

static unsigned long number(const char *name, unsigned long otherwise)
{
    const char *const s = getenv(name);
    return s ? strtoul(s, NULL, 10) : otherwise;
}

unsigned long xk_nest_each(unsigned long count, void (*check)(uint64_t seed))
{
    const unsigned long first = number("XK_SEED", 1);
    count = number("XK_COUNT", count);
    printf("# XK_SEED=%lu XK_COUNT=%lu\n", first, count);
    for (unsigned long i = 0; i < count; i++)
        check(first + i);
    return count;
}
