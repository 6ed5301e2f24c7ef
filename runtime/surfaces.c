/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/surfaces.h"

#include <inttypes.h>
#include <string.h>

#include "container/zebin_read.h"

static uint64_t bit(int32_t arg)
{
    return arg >= 0 && arg < 64 ? UINT64_C(1) << arg : 0;
}

/* Compilers list a surface also for what they only use by its address. */
static uint64_t surface_args(const struct xk_zkernel *k)
{
    uint64_t args = 0;
    for (uint32_t i = 0; i < k->n_bindings; i++)
        args |= bit(k->bindings[i].arg_index);
    for (uint32_t i = 0; i < k->n_args; i++)
        if (k->args[i].kind == XK_ZARG_POINTER && k->args[i].size_b == 8 &&
            k->args[i].mode == XK_ZMODE_STATELESS)
            args &= ~bit(k->args[i].arg_index);
    return args;
}

static enum xk_status add(const struct xk_alloc *a, const struct xk_zkernel *k,
                          struct xk_surfaces **list, struct xk_error *err)
{
    const uint64_t args = surface_args(k);
    if (!args)
        return XK_OK;
    struct xk_surfaces *const s = a->realloc(a->user, NULL, sizeof *s);
    if (!s)
        return xk_runtime_fail(err, XK_ENOMEM, "module: out of memory");
    s->next = *list;
    s->args = args;
    memcpy(s->kernel, k->name, sizeof s->kernel);
    *list = s;
    return XK_OK;
}

enum xk_status xk_surfaces_read(const struct xk_alloc *a, const void *zebin,
                                size_t size_b, struct xk_surfaces **out,
                                struct xk_error *err)
{
    struct xk_zebin z;
    enum xk_status s = XK_OK;
    *out = NULL;
    xk_ctx *const c = xk_ctx_create(a);
    if (!c)
        return xk_runtime_fail(err, XK_ENOMEM, "module: out of memory");
    if (xk_zebin_read(c, zebin, size_b, &z) == XK_OK) {
        for (uint32_t i = 0; i < z.n_kernels && s >= 0; i++)
            s = add(a, &z.kernels[i], out, err);
        xk_zebin_fini(c, &z);
    }
    xk_ctx_destroy(c);
    if (s < 0) {
        xk_surfaces_free(a, *out);
        *out = NULL;
    }
    return s;
}

void xk_surfaces_free(const struct xk_alloc *a, struct xk_surfaces *s)
{
    while (s) {
        struct xk_surfaces *const next = s->next;
        a->realloc(a->user, s, 0);
        s = next;
    }
}

enum xk_status xk_surfaces_check(const struct xk_surfaces *s,
                                 const struct xk_launch_args *a,
                                 struct xk_error *err)
{
    while (s && strcmp(s->kernel, a->name))
        s = s->next;
    for (unsigned i = 0; s && i < a->n_args && i < 64; i++)
        if (s->args >> i & 1 && a->args[i].buffer &&
            a->args[i].buffer->size_b > XK_SURFACE_MAX_B)
            return xk_runtime_fail(err, XK_EUNSUPPORTED,
                                   "kernel '%.100s': argument %u is a surface, "
                                   "of at most %" PRIu64 " bytes; its buffer "
                                   "has %" PRIu64,
                                   a->name, i, XK_SURFACE_MAX_B,
                                   a->args[i].buffer->size_b);
    return XK_OK;
}
