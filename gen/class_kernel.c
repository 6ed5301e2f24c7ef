/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/class_kernel.h"

#include <string.h>

static int find_kind(const struct xk_kernel *k, enum xk_param_kind kind)
{
    for (unsigned i = 0; i < k->n_params; i++)
        if (k->params[i].kind == kind)
            return (int)i;
    return -1;
}

/* The same parameter of another kernel: pointers, surfaces and values go by
 * name. */
static int find_like(const struct xk_kernel *k, const struct xk_param *p)
{
    for (unsigned i = 0; i < k->n_params; i++) {
        const struct xk_param *const x = &k->params[i];
        const bool is_id =
            x->kind >= XK_PARAM_GROUP_X && x->kind <= XK_PARAM_THREAD;
        if (x->kind == p->kind &&
            (is_id || strcmp(xk_var_name(x->var), xk_var_name(p->var)) == 0))
            return (int)i;
    }
    return -1;
}

/* What the kernel calls its place along z, where that of all classes is z. */
static const xk_expr *place_in_class(xk_ctx *c, const struct xk_class_kernel *k,
                                     unsigned first, const xk_expr *z)
{
    const int64_t each = k->groups[2];
    if (!k->n)
        return xk_bin_imm(c, XK_OP_MOD, z, each);
    const int64_t before = (int64_t)k->number[0] - first;
    const xk_expr *place =
        before ? xk_bin_imm(c, XK_OP_ADD, z, before * each) : z;
    for (unsigned i = 1; i < k->n; i++) {
        const int64_t left_out = k->number[i] - k->number[i - 1] - 1;
        const xk_expr *const begin = xk_s32(c, each * (first + i));
        if (left_out)
            place = xk_add(c, place,
                           xk_select(c, xk_lt(c, z, begin), xk_s32(c, 0),
                                     xk_s32(c, left_out * each)));
    }
    return place;
}

enum xk_status xk_class_kernel_place(xk_ctx *c, struct xk_class_kernel *k,
                                     unsigned first, unsigned all)
{
    const int z = find_kind(&k->ir, XK_PARAM_GROUP_Z);
    if (z < 0)
        return XK_OK;
    const xk_expr *const old = k->ir.params[z].var;
    const xk_expr *const var = xk_var(c, xk_type_of(old), xk_var_name(old));
    const xk_expr *const place = var ? place_in_class(c, k, first, var) : NULL;
    if (!place)
        return xk_ctx_status(c);
    k->ir.params[z].var = var;
    k->ir.extent[z] = (int64_t)k->groups[2] * all;
    k->ir.body = xk_substitute(c, k->ir.body, 1, &old, &place);
    return k->ir.body ? XK_OK : xk_ctx_status(c);
}

/* The body of a class, over the parameters of the joined kernel. */
static const xk_stmt *body_of(xk_ctx *c, const struct xk_kernel *joined,
                              const struct xk_class_kernel *k)
{
    const xk_expr *var[XK_KERNEL_MAX_PARAMS], *to[XK_KERNEL_MAX_PARAMS];
    const struct xk_kernel *const from = &k->ir;
    for (unsigned i = 0; i < from->n_params; i++) {
        const int at = find_like(joined, &from->params[i]);
        if (at < 0) {
            xk_fail(c, XK_EINTERNAL,
                    "class kernels: %s has no parameter %s, which a class has",
                    joined->name, xk_var_name(from->params[i].var));
            return NULL;
        }
        var[i] = from->params[i].var;
        to[i] = joined->params[at].var;
    }
    return xk_substitute(c, from->body, from->n_params, var, to);
}

/* Nothing is done beyond the groups that the class has along x and y. */
static const xk_stmt *keep_inside(xk_ctx *c, const struct xk_kernel *joined,
                                  const struct xk_class_kernel *k,
                                  const uint32_t groups[3], const xk_stmt *body)
{
    static const enum xk_param_kind kind[] = {XK_PARAM_GROUP_X,
                                              XK_PARAM_GROUP_Y};
    for (unsigned d = 0; d < 2; d++) {
        if (k->groups[d] == groups[d])
            continue;
        const int at = find_kind(joined, kind[d]);
        if (at < 0) {
            xk_fail(c, XK_EINTERNAL, "class kernels: %s has no group ids",
                    joined->name);
            return NULL;
        }
        const xk_expr *const last = xk_s32(c, k->groups[d]);
        body = xk_if(c, xk_lt(c, joined->params[at].var, last), body, NULL);
    }
    return body;
}

static unsigned count_classes(const struct xk_class_kernel *k)
{
    return k->n ? k->n : 1;
}

/* The largest of all along x and y, one class's along z, and the ranges of the
 * ids in them. */
static enum xk_status join_groups(xk_ctx *c, struct xk_class_kernel *of,
                                  unsigned n, uint32_t groups[3])
{
    struct xk_kernel *const k = &of[0].ir;
    memcpy(groups, of[0].groups, sizeof(of[0].groups));
    for (unsigned i = 1; i < n; i++) {
        if (of[i].groups[2] != groups[2])
            return xk_fail(c, XK_EINTERNAL,
                           "class kernels: %u groups along z, and %u",
                           groups[2], of[i].groups[2]);
        for (unsigned d = 0; d < 2; d++)
            if (of[i].groups[d] > groups[d])
                groups[d] = of[i].groups[d];
    }
    for (unsigned d = 0; d < 2; d++) {
        const int at = find_kind(k, d ? XK_PARAM_GROUP_Y : XK_PARAM_GROUP_X);
        if (at >= 0)
            k->extent[at] = groups[d];
    }
    return XK_OK;
}

enum xk_status xk_class_kernels_join(xk_ctx *c, struct xk_class_kernel *of,
                                     unsigned n, uint32_t groups[3])
{
    struct xk_kernel *const k = &of[0].ir;
    XK_TRY(join_groups(c, of, n, groups));
    const uint32_t each = groups[2];
    unsigned all_classes = 0;
    for (unsigned i = 0; i < n; i++)
        all_classes += count_classes(&of[i]);
    const int at = find_kind(k, XK_PARAM_GROUP_Z);
    const xk_expr *const z =
        at >= 0 ? k->params[at].var
                : xk_kernel_add_param(
                      k, xk_var(c, xk_type_vec(XK_DT_S32, 1), "tg_z"),
                      XK_PARAM_GROUP_Z, (int64_t)each * all_classes);
    const xk_stmt *all = NULL;
    unsigned end = all_classes;
    for (unsigned i = n; z && i-- > 0;) {
        const xk_stmt *const own =
            keep_inside(c, k, &of[i], groups, body_of(c, k, &of[i]));
        all = i + 1 == n
                  ? own
                  : xk_if(c, xk_lt(c, z, xk_s32(c, each * end)), own, all);
        end -= count_classes(&of[i]);
        if (!all)
            break;
    }
    if (!all)
        return xk_ctx_status(c)
                   ? xk_ctx_status(c)
                   : xk_fail(c, XK_EINTERNAL, "class kernels: %s", k->name);
    k->body = all;
    groups[2] = each * all_classes;
    return XK_OK;
}
