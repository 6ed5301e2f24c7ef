/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of the hazard checker in words. */
#include <stdio.h>

#include "sim/hazard/hazard_check.h"

void xk_hz_name(const struct xk_platform *p, uint32_t unit, char *out,
                size_t out_b)
{
    const uint32_t flag = xk_hz_file_at(p, XK_HZ_FLAG);
    const uint32_t acc = xk_hz_file_at(p, XK_HZ_ACC);
    const uint32_t a0 = xk_hz_file_at(p, XK_HZ_A0);
    if (unit < flag)
        snprintf(out, out_b, "r%u.%u:ub", unit / p->grf_b, unit % p->grf_b);
    else if (unit < acc)
        snprintf(out, out_b, "f%u.%u", (unit - flag) / 32,
                 (unit - flag) / 16 % 2);
    else if (unit < acc + (uint32_t)p->n_acc * p->grf_b)
        snprintf(out, out_b, "acc%u", (unit - acc) / p->grf_b);
    else if (unit < a0)
        snprintf(out, out_b, "mme%u", (unit - acc) / p->grf_b - p->n_acc);
    else if (unit < xk_hz_file_at(p, XK_HZ_STATE))
        snprintf(out, out_b, "a0.%u", (unit - a0) / 2);
    else
        snprintf(out, out_b, "cr0, sr0 or the like");
}

/* The annotation that would do. */
static void remedy(const struct xk_hz_table *t, const struct xk_hz_finding *f,
                   char *out, size_t out_b)
{
    static const char letters[XK_HZ_PIPES] = {'F', 'I', 'L', 'M'};
    const struct xk_hz_inst *const e = &t->inst[f->first];
    if (e->unit != XK_HZ_IN_ORDER && e->token < 0)
        snprintf(out, out_b, "an SBID, which the other one has not");
    else if (e->unit != XK_HZ_IN_ORDER)
        snprintf(out, out_b, "$%d.%s", e->token,
                 f->kind == XK_HZ_WAR ? "src" : "dst");
    else if (f->distance > 7)
        snprintf(out, out_b, "a distance of at most 7 that names its pipe");
    else if (t->one_pipe)
        snprintf(out, out_b, "@%u or less", f->distance);
    else
        snprintf(out, out_b, "%c@%u or less", letters[e->pipe], f->distance);
}

void xk_hz_explain(const struct xk_hz_table *t, const struct xk_hz_finding *f,
                   char *out, size_t out_b)
{
    static const char *const what[] = {
        [XK_HZ_RAW] = "reads what the other one may not have written yet",
        [XK_HZ_WAW] = "may be overwritten by what the other one writes later",
        [XK_HZ_WAR] = "may overwrite what the other one has yet to read",
        [XK_HZ_SLM] =
            "may change local memory before the other one has read it",
    };
    char needs[64];
    remedy(t, f, needs, sizeof needs);
    snprintf(out, out_b, "%s: no wait covers it, %s would", what[f->kind],
             needs);
}
