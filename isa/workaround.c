/* SPDX-License-Identifier: Apache-2.0 */
/* The table of workarounds: which apply to a device, which a program lacks. */
#include "isa/workaround.h"

#include "base/alloc.h"
#include "isa/loaded.h"
#include "isa/validate.h"
#include "isa/workaround_rule.h"

#define BIT(s) (1u << XK_STEP_##s)
enum {
    EACH = (1 << XK_N_STEPPINGS) - 1,
    BEFORE_B0 = BIT(A0) | BIT(A1),
    FROM_C0 = BIT(C0) | BIT(C1),
    FROM_B0 = BIT(B0) | BIT(B1) | FROM_C0,
    BEFORE_C0 = EACH & ~FROM_C0,
};

#define xk_wa_lacks_none NULL
#define NOWHERE ON(TGL, 0) /* none of our products */
#define SET(...)                                                               \
    {                                                                          \
        __VA_ARGS__                                                            \
    }
#define ON(product, s) [XK_##product] = (uint8_t)(s)
#define XELP                                                                   \
    ON(TGL, EACH), ON(RKL, EACH), ON(ADL_S, EACH), ON(ADL_P, EACH),            \
        ON(ADL_N, EACH), ON(RPL, EACH), ON(DG1, EACH)
#define DG2 ON(DG2_G10, EACH), ON(DG2_G11, EACH), ON(DG2_G12, EACH)
#define PVC ON(PVC_XL, EACH), ON(PVC_XT, EACH)

static const struct xk_workaround table[] = {
#define XK_WORKAROUND(name_, id_, where, handling_, by_, rule_, trigger,       \
                      action_, source_)                                        \
    [XK_WA_##name_] = {.name = #name_,                                         \
                       .id = id_,                                              \
                       .by = by_,                                              \
                       .action = action_,                                      \
                       .text = {"wa_" #name_, trigger, source_},               \
                       .steps = where,                                         \
                       .handling = XK_WA_##handling_,                          \
                       .lacks = xk_wa_lacks_##rule_},
#include "isa/workaround.def"
#undef XK_WORKAROUND
};

const struct xk_workaround *xk_workaround_get(enum xk_wa id)
{
    return (unsigned)id < XK_N_WORKAROUNDS ? &table[id] : NULL;
}

static unsigned sold(enum xk_product product)
{
    switch (product) {
    case XK_DG2_G10:
    case XK_PVC_XT:
        return FROM_C0;
    case XK_DG2_G11:
        return FROM_B0;
    case XK_PVC_XL:
        return 0;
    default:
        return EACH;
    }
}

enum xk_stepping xk_wa_open_stepping(enum xk_product product)
{
    return sold(product) ? XK_STEP_SOLD : XK_STEP_ANY;
}

bool xk_wa_was_sold(enum xk_product product, enum xk_stepping stepping)
{
    return sold(product) >> stepping & 1;
}

static unsigned wanted_steppings(const struct xk_wa_device *d,
                                 enum xk_product product)
{
    if (d->stepping == XK_STEP_SOLD)
        return sold(product);
    return d->stepping == XK_STEP_ANY ? (unsigned)EACH : 1u << d->stepping;
}

bool xk_wa_applies(enum xk_wa id, const struct xk_wa_device *d)
{
    for (unsigned k = 0; k < XK_N_PRODUCTS; k++) {
        if (d->product != XK_PRODUCT_ANY && k != d->product)
            continue;
        if (xk_product_platform(k) == d->platform &&
            table[id].steps[k] & wanted_steppings(d, k))
            return true;
    }
    return false;
}

bool xk_wa_always_applies(enum xk_wa id, const struct xk_wa_device *d)
{
    bool some = false;

    for (unsigned k = 0; k < XK_N_PRODUCTS; k++) {
        if ((d->product != XK_PRODUCT_ANY && k != d->product) ||
            xk_product_platform(k) != d->platform)
            continue;
        if (wanted_steppings(d, k) & ~(unsigned)table[id].steps[k])
            return false;
        some = true;
    }
    return some;
}

void xk_wa_find_targets(const struct xk_wa_program *g, bool *target)
{
    for (unsigned k = 0; k < 2 * g->n; k++) {
        const unsigned to = xk_wa_target(g, k / 2, k % 2);
        if (to < g->n)
            target[to] = true;
    }
}

unsigned xk_wa_validate(const struct xk_wa_program *g, xk_violation_fn *report,
                        void *user)
{
    struct xk_wa_program known = *g;
    struct xk_loaded_room room;
    bool target[XK_WA_MOST_SEEN + 1] = {false}, mixed[XK_WA_MOST_SEEN];
    unsigned n = 0;

    known.may_suppress = xk_wa_may_suppress(g);
    if (g->n <= XK_WA_MOST_SEEN) {
        xk_wa_find_targets(g, target);
        known.target = target;
        xk_find_mixed_src1(g->p, g->inst, g->n, mixed, &room);
        known.mixed = mixed;
    }
    for (unsigned r = 0; r < XK_N_WORKAROUNDS; r++) {
        if (!table[r].lacks || !xk_wa_applies(r, &g->device))
            continue;
        for (unsigned at = 0; at < g->n; at++) {
            if (!table[r].lacks(&known, at))
                continue;
            n++;
            if (report)
                report(user, at, &table[r].text);
        }
    }
    return n;
}
