/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/padding.h"

#include <stdio.h>
#include <string.h>

#include "views/access.h"

int xk_padding_dim(const struct xk_contraction *p)
{
    for (unsigned d = 0; d < p->c.layout.n_dims; d++) {
        bool column = p->c.layout.padded[d] == p->c.layout.dim[d];
        for (unsigned i = 0; i < p->n_index; i++)
            column |= p->index[i].role == XK_ROLE_N &&
                      xk_access_dim_of(&p->c, i) == (int)d;
        if (!column)
            return (int)d;
    }
    return -1;
}

/* C over its padding along dim d, in which N counts. Nothing is summed, so A
 * and B are never read: A moves as C does along M, B is one element. */
static void make_contraction(const struct xk_contraction *p, unsigned d,
                             struct xk_contraction *out)
{
    const struct xk_layout *const l = &p->c.layout;
    xk_contraction_clear(out);
    out->acc_dt = p->acc_dt;
    out->a = p->a;
    out->b = p->b;
    out->c = p->c;
    out->c.n_coord = out->b.n_coord = 0;
    for (unsigned i = 0; i < l->n_dims; i++) {
        char name[8];
        snprintf(name, sizeof(name), "%c%u", i == d ? 'n' : 'm', i % 10);
        const int64_t extent = i == d ? l->padded[i] - l->dim[i] : l->dim[i];
        const unsigned at = xk_contraction_add(out, name, extent,
                                               i == d ? XK_ROLE_N : XK_ROLE_M);
        xk_access_add(&out->c, (int)at, l->padded[i]);
        out->c.layout.dim[i] = l->padded[i];
    }
    out->c.at[d].base = l->dim[d];
    out->a.n_coord = out->c.n_coord;
    memcpy(out->a.at, out->c.at, sizeof(out->a.at));
    memset(out->a.at[d].coef, 0, sizeof(out->a.at[d].coef));
    out->a.layout = out->c.layout;
    out->a.layout.dt = p->a.layout.dt;
    for (unsigned i = 0; i < out->b.layout.n_dims; i++)
        xk_access_add(&out->b, -1, out->b.layout.dim[i]);
    xk_contraction_add(out, "k", 1, XK_ROLE_K);
}

enum xk_status xk_padding_problem_make(xk_ctx *c,
                                       const struct xk_platform *platform,
                                       const struct xk_contraction *p,
                                       struct xk_contraction_problem *out)
{
    struct xk_contraction *const pad = &out->nest.of;
    const int d = xk_padding_dim(p);
    if (d < 0)
        return xk_fail(c, XK_EINVAL, "%s: no padding to clear", p->c.name);
    make_contraction(p, (unsigned)d, pad);
    XK_TRY(xk_contraction_check(c, pad));
    return xk_contraction_problem_empty(c, platform, NULL, "clears its padding",
                                        out);
}
