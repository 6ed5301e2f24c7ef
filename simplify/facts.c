/* SPDX-License-Identifier: Apache-2.0 */
/* The table of known variables. Everything asked is remembered by serial; a
 * new fact about a variable that was already asked about clears that. */
#include "simplify/range.h"

#include <string.h>

#include "simplify/rules.h"

void xk_facts_init(struct xk_facts *f, xk_ctx *c)
{
    memset(f, 0, sizeof(*f));
    f->c = c;
    f->slot = f->first;
    f->cap = XK_INFO_INLINE;
    xk_memo_init(&f->simple, c);
}

static void unref_simple(struct xk_facts *f)
{
    while (f->n_held)
        xk_expr_unref(f->c, f->held[--f->n_held]);
}

void xk_facts_forget_simple(struct xk_facts *f)
{
    unref_simple(f);
    xk_memo_clear(&f->simple);
}

void xk_facts_fini(struct xk_facts *f)
{
    if (f->slot != f->first)
        xk_free(f->c, f->slot);
    unref_simple(f);
    xk_memo_fini(&f->simple);
    xk_free(f->c, f->held);
    xk_free(f->c, f->var);
    xk_free(f->c, f->hits);
    xk_free(f->c, f->off);
}

xk_facts *xk_facts_create(xk_ctx *c)
{
    xk_facts *const f = xk_malloc(c, sizeof(*f));
    if (f)
        xk_facts_init(f, c);
    return f;
}

void xk_facts_unref(xk_facts *f)
{
    if (!f)
        return;
    xk_facts_fini(f);
    xk_free(f->c, f);
}

struct xk_info_slot *xk_facts_slot(const struct xk_facts *f, uint32_t serial)
{
    uint32_t i = serial * 2654435761u;
    for (i ^= i >> 15;; i++) {
        struct xk_info_slot *const s = &f->slot[i & (f->cap - 1)];
        if (s->serial == serial || !s->serial)
            return s;
    }
}

static void put_fact(struct xk_facts *f, struct xk_info_slot fact)
{
    struct xk_info_slot *const s = xk_facts_slot(f, fact.serial);
    f->n += !s->serial;
    *s = fact;
}

/* Forgets what was derived; says again what was told. */
static void clear_facts(struct xk_facts *f)
{
    memset(f->slot, 0, f->cap * sizeof(*f->slot));
    f->n = 0;
    xk_facts_forget_simple(f);
    for (uint32_t i = 0; i < f->n_vars; i++)
        put_fact(f, f->var[i]);
}

static bool grow_facts(struct xk_facts *f)
{
    struct xk_info_slot *const old = f->slot;
    const uint32_t old_cap = f->cap;
    struct xk_info_slot *const slot =
        xk_calloc(f->c, old_cap * 4, sizeof(*slot));
    if (!slot)
        return false;
    f->slot = slot;
    f->cap = old_cap * 4;
    for (uint32_t i = 0; i < old_cap; i++) {
        if (old[i].serial)
            *xk_facts_slot(f, old[i].serial) = old[i];
    }
    if (old != f->first)
        xk_free(f->c, old);
    return true;
}

void xk_facts_remember(struct xk_facts *f, uint32_t serial, struct xk_info info)
{
    const struct xk_info_slot s = {.serial = serial, .info = info};
    if (f->n * 2 < f->cap || grow_facts(f))
        put_fact(f, s);
}

const xk_expr *xk_facts_simple(const struct xk_facts *f, const xk_expr *e)
{
    const void *simple;
    return xk_memo_get(&f->simple, xk_serial(e), &simple) ? simple : NULL;
}

bool xk_facts_set_simple(struct xk_facts *f, const xk_expr *e,
                         const xk_expr *simple)
{
    if (!xk_memo_set(&f->simple, xk_serial(simple), simple))
        return false;
    if (e == simple)
        return true;
    if (!xk_grow(f->c, &f->held, f->n_held, &f->cap_held, sizeof(*f->held)) ||
        !xk_memo_set(&f->simple, xk_serial(e), simple))
        return false;
    f->held[f->n_held++] = xk_expr_ref(f->c, simple);
    return true;
}

static bool reserve_slots(struct xk_facts *f)
{
    if (!xk_grow(f->c, &f->var, f->n_vars, &f->vars_cap, sizeof(*f->var)))
        return false;
    /* Twice the told facts must fit, so that clear() always has room. */
    return (f->n_vars + 1) * 4 < f->cap || grow_facts(f);
}

static struct xk_info_slot *told(const struct xk_facts *f, uint32_t serial)
{
    for (uint32_t i = f->n_vars; i-- > 0;) {
        if (f->var[i].serial == serial)
            return &f->var[i];
    }
    return NULL;
}

static bool same_info(struct xk_info a, struct xk_info b)
{
    return a.lo == b.lo && a.hi == b.hi && a.mod == b.mod && a.rem == b.rem;
}

enum xk_status xk_facts_set(xk_facts *f, const xk_expr *var, int64_t lo,
                            int64_t hi, int64_t mod, int64_t rem)
{
    if (!f)
        return XK_EINVAL;
    if (!var || xk_op(var) != XK_OP_VAR || lo > hi || mod < 0)
        return xk_fail(
            f->c, XK_EINVAL, "facts: range %lld..%lld, mod %lld of %s",
            (long long)lo, (long long)hi, (long long)mod,
            var && xk_op(var) == XK_OP_VAR ? xk_var_name(var) : "no variable");
    struct xk_info info = {lo, hi, mod, rem};
    if (mod == 0)
        info = xk_info_const(rem);
    else if (lo == hi)
        info = xk_info_const(lo);
    else
        info.rem = xk_floor_mod(rem, mod);
    const struct xk_info_slot fact = {.serial = xk_serial(var), .info = info};
    const struct xk_info_slot *const known = xk_facts_slot(f, fact.serial);
    const bool asked = known->serial != 0;
    /* Bound again as before: what was derived still holds. */
    const bool same = asked && same_info(known->info, info);
    struct xk_info_slot *const old = asked ? told(f, fact.serial) : NULL;
    if (!old && !reserve_slots(f))
        return XK_ENOMEM;
    if (old)
        *old = fact;
    else
        f->var[f->n_vars++] = fact;
    if (asked && !same)
        clear_facts(f);
    xk_facts_remember(f, fact.serial, info);
    return XK_OK;
}

void xk_facts_forget(struct xk_facts *f, const xk_expr *var)
{
    struct xk_info_slot *const old = told(f, xk_serial(var));
    if (old)
        *old = f->var[--f->n_vars];
}

enum xk_status xk_facts_set_kernel(xk_facts *f, const struct xk_kernel *k)
{
    for (unsigned i = 0; i < k->n_params; i++) {
        if (k->extent[i] > 0)
            XK_TRY(
                xk_facts_set(f, k->params[i].var, 0, k->extent[i] - 1, 1, 0));
    }
    return XK_OK;
}
