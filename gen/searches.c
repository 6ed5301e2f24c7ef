/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/searches.h"

#include <string.h>

#define KEPT 8 /* the oldest goes */

struct search_made {
    const struct xk_platform *platform;
    struct xk_shape shape; /* as xk_shape_searched leaves it */
    unsigned n;
    struct xk_schedule candidate[XK_MAX_CANDIDATES];
};

struct xk_searches {
    unsigned n, oldest;
    struct search_made at[KEPT];
};

static enum xk_status begin_searches(xk_ctx *c)
{
    if (c->searches)
        return XK_OK;
    c->searches = xk_malloc(c, sizeof(*c->searches));
    if (!c->searches)
        return XK_ENOMEM;
    c->searches->n = c->searches->oldest = 0;
    return XK_OK;
}

static const struct search_made *find_search(const struct xk_searches *all,
                                             const struct xk_platform *platform,
                                             const struct xk_shape *s)
{
    for (unsigned i = 0; i < all->n; i++)
        if (all->at[i].platform == platform &&
            !memcmp(&all->at[i].shape, s, sizeof(*s)))
            return &all->at[i];
    return NULL;
}

/* Room for one more. */
static struct search_made *next_search(struct xk_searches *all)
{
    if (all->n < KEPT)
        return &all->at[all->n++];
    struct search_made *const x = &all->at[all->oldest];
    all->oldest = (all->oldest + 1) % KEPT;
    return x;
}

enum xk_status xk_searches_ask(xk_ctx *c, const struct xk_platform *platform,
                               const struct xk_shape *s,
                               struct xk_schedule *candidate, unsigned *n,
                               const struct xk_schedule_rule **broken)
{
    struct xk_shape seen;
    XK_TRY(begin_searches(c));
    xk_shape_searched(s, &seen);
    const struct search_made *const old =
        find_search(c->searches, platform, &seen);
    if (old) {
        *n = old->n;
        memcpy(candidate, old->candidate, *n * sizeof(*candidate));
        return XK_OK;
    }
    *n = xk_schedule_candidates(platform, s, NULL, candidate, broken);
    if (!*n)
        return XK_OK;
    struct search_made *const x = next_search(c->searches);
    x->platform = platform;
    memcpy(&x->shape, &seen, sizeof(seen));
    x->n = *n;
    memcpy(x->candidate, candidate, *n * sizeof(*candidate));
    return XK_OK;
}
