/* SPDX-License-Identifier: Apache-2.0 */
/* Views: what they answer. Coordinates and masks are expressions over the view
 * dims' own variables; a question substitutes the caller's indices and lets
 * simplify/ work with the caller's facts. Indices outside a dim's extent are
 * the caller's business: nothing here masks them. */
#include "views/view.h"

#include <string.h>

#include "views/access_expr.h"

enum xk_status xk_view_init(xk_ctx *c, struct xk_view *v,
                            const struct xk_layout *l, const char *const *names)
{
    memset(v, 0, sizeof(*v));
    v->layout = *l;
    for (unsigned i = 0; i < l->n_dims; i++) {
        struct xk_view_dim *const d = &v->dim[i];
        const size_t n = strlen(names[i]);
        if (n == 0 || n >= sizeof(d->name) || xk_view_find(v, names[i]) >= 0)
            return xk_fail(c, XK_EINVAL,
                           "view: dim name \"%.20s\" is empty, too long or "
                           "used twice",
                           names[i]);
        if (l->dim[i] > INT32_MAX)
            return xk_fail(c, XK_EUNSUPPORTED,
                           "view: dim %s=%lld is above "
                           "2^31-1",
                           names[i], (long long)l->dim[i]);
        memcpy(d->name, names[i], n + 1);
        d->extent = l->dim[i];
        d->var = xk_var(c, xk_type_vec(XK_DT_S32, 1), d->name);
        v->coord[i] = d->var;
        v->n_dims++;
        if (!d->var)
            return xk_ctx_status(c);
    }
    return XK_OK;
}

int xk_view_find(const struct xk_view *v, const char *name)
{
    for (int i = 0; i < v->n_dims; i++) {
        if (strcmp(v->dim[i].name, name) == 0)
            return i;
    }
    return -1;
}

int xk_view_tensor_dim(const struct xk_view *v, const char *name)
{
    const int d = xk_view_find(v, name);
    int found = -1;
    for (unsigned t = 0; d >= 0 && t < v->layout.n_dims; t++) {
        if (!xk_depends_on(v->coord[t], v->dim[d].var))
            continue;
        if (found >= 0 || v->coord[t] != v->dim[d].var)
            return -1;
        found = (int)t;
    }
    return found;
}

static const xk_expr *at_index(xk_ctx *c, const struct xk_view *v,
                               const xk_expr *e, const xk_expr *const *index)
{
    const xk_expr *vars[XK_VIEW_MAX_DIMS];
    for (unsigned i = 0; i < v->n_dims; i++)
        vars[i] = v->dim[i].var;
    return xk_substitute(c, e, v->n_dims, vars, index);
}

/* Tensor coordinates at the indices; most are a view dim as it is. False on an
 * index of NULL and out of memory. */
static bool coords_at(xk_ctx *c, const struct xk_view *v,
                      const xk_expr *const *index, const xk_expr **coord)
{
    for (unsigned i = 0; i < v->layout.n_dims; i++) {
        coord[i] = NULL;
        for (unsigned d = 0; d < v->n_dims && !coord[i]; d++) {
            if (v->coord[i] == v->dim[d].var)
                coord[i] = index[d];
        }
        if (!coord[i])
            coord[i] = at_index(c, v, v->coord[i], index);
        if (!coord[i])
            return false;
    }
    return true;
}

const xk_expr *xk_view_offset_b(xk_ctx *c, const struct xk_view *v,
                                const xk_expr *const *index, xk_facts *f)
{
    if (xk_layout_size_b(&v->layout) > INT32_MAX) {
        xk_fail(c, XK_EUNSUPPORTED,
                "view: %lld bytes, offsets are s32: at most 2^31-1",
                (long long)xk_layout_size_b(&v->layout));
        return NULL;
    }
    const xk_expr *coord[XK_LAYOUT_MAX_DIMS];
    const xk_expr *const e = coords_at(c, v, index, coord)
                                 ? xk_layout_place_b(c, &v->layout, coord)
                                 : NULL;
    return e ? xk_simplify(c, e, f) : NULL;
}

/* All conditions go through one substitution and one simplification: they share
 * most of their nodes, and what is proven drops out there. */
const xk_expr *xk_view_mask(xk_ctx *c, const struct xk_view *v,
                            const xk_expr *const *index, xk_facts *f)
{
    int64_t known;
    if (v->n_masks == 0)
        return xk_imm(c, XK_DT_BOOL, 1);
    const xk_expr *all = v->mask[0];
    for (unsigned i = 1; i < v->n_masks; i++)
        all = xk_and(c, all, v->mask[i]);
    all = at_index(c, v, all, index);
    all = all ? xk_simplify(c, all, f) : NULL;
    if (all && xk_is_const(all, &known) && known)
        all = xk_imm(c, XK_DT_BOOL, 1); /* a scalar, as promised */
    return all;
}

static void print_lead_expr(const char *lead, const xk_expr *e,
                            struct xk_str *out)
{
    xk_str_puts(out, lead);
    if (e)
        xk_print(e, out);
    else
        xk_str_puts(out, "?");
    xk_str_putc(out, '\n');
}

void xk_view_print(const struct xk_view *v, const char *title,
                   struct xk_str *out)
{
    xk_str_printf(out, "view %s", title);
    for (unsigned i = 0; i < v->n_dims; i++)
        xk_str_printf(out, "%s%s:%lld", i ? ", " : " (", v->dim[i].name,
                      (long long)v->dim[i].extent);
    xk_str_puts(out, ")\n  layout ");
    xk_layout_print(&v->layout, out);
    xk_str_putc(out, '\n');
    for (unsigned i = 0; i < v->layout.n_dims; i++) {
        xk_str_printf(out, "  %c = ", 'a' + (int)i);
        print_lead_expr("", v->coord[i], out);
    }
    for (unsigned i = 0; i < v->n_masks; i++)
        print_lead_expr("  mask ", v->mask[i], out);
}
