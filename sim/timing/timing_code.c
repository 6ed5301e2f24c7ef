/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/timing/timing_code.h"

#include <string.h>

#include "sim/timing/timing_held.h"

enum xk_status xk_tm_code_init(struct xk_tm_code *x,
                               const struct xk_timing_record *r,
                               const struct xk_timing_product *m)
{
    const struct xk_sim_kernel *const k = r->kernel;
    const uint32_t end_b = k->n ? k->inst[k->n - 1].pc_b : 0;
    *x = (struct xk_tm_code){.m = m, .alloc = r->alloc};
    x->n_lines = end_b / m->line_b + 1;
    x->n_held = m->icache_b / m->line_b;
    const size_t n_b = x->n_lines * sizeof *x->line;
    x->line = x->alloc.realloc(x->alloc.user, NULL, n_b);
    if (!x->line)
        return XK_ENOMEM;
    memset(x->line, 0, n_b);
    return XK_OK;
}

void xk_tm_code_fini(struct xk_tm_code *x)
{
    if (x->alloc.realloc)
        x->alloc.realloc(x->alloc.user, x->line, 0);
    x->line = NULL;
}

/* From L2, a line a transfer. */
static void fill_line(struct xk_tm_code *x, struct xk_tm_code_line *l,
                      double at)
{
    const double start = x->link > at ? x->link : at;
    x->link = start + (double)x->m->line_b / x->m->l2_core_b;
    l->ready = x->link + x->m->lat_l2;
    x->fills++;
    l->stamp = xk_tm_stamp(x->fills);
}

double xk_tm_code_fetch(struct xk_tm_code *x, uint32_t line, double at)
{
    const uint32_t ahead =
        x->m->fetch == XK_TM_AHEAD ? x->m->fetch_ahead_b / x->m->line_b : 0;
    const uint32_t n = x->n_lines - line;
    for (uint32_t k = 0; k <= ahead && k < n; k++)
        if (!xk_tm_holds(x->line[line + k].stamp, x->fills, x->n_held))
            fill_line(x, &x->line[line + k], at);
    x->line[line].stamp = xk_tm_stamp(x->fills);
    return x->line[line].ready > at ? x->line[line].ready : at;
}
