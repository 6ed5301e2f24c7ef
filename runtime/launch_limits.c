/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/launch_limits.h"

#include <inttypes.h>
#include <string.h>

#include "base/launch_list.h"
#include "container/zebin_read.h"

_Static_assert(XK_SURFACE_MAX_B < XK_DISPATCH_SURFACE_B, "a surface's size");

static uint64_t bit(int32_t arg)
{
    return arg >= 0 && arg < 64 ? UINT64_C(1) << arg : 0;
}

/* Compilers list a surface even for an argument that is used only by its
 * address. */
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

static uint64_t slm_args(const struct xk_zkernel *k)
{
    uint64_t args = 0;
    for (uint32_t i = 0; i < k->n_args; i++)
        if (k->args[i].kind == XK_ZARG_POINTER && k->args[i].slm)
            args |= bit(k->args[i].arg_index);
    return args;
}

static enum xk_status add_limits(const struct xk_alloc *a,
                                 const struct xk_zkernel *k,
                                 struct xk_launch_limits **list,
                                 struct xk_error *err)
{
    struct xk_launch_limits *const l = a->realloc(a->user, NULL, sizeof *l);
    if (!l)
        return xk_runtime_fail(err, XK_ENOMEM, "module: out of memory");
    *l = (struct xk_launch_limits){.next = *list,
                                   .asked = {.grf_count = k->grf_count,
                                             .barriers = k->barriers,
                                             .slm_b = k->slm_b,
                                             .inline_b = k->inline_b,
                                             .walk_order = k->walk_order},
                                   .simd = k->simd,
                                   .surface_args = surface_args(k),
                                   .slm_args = slm_args(k)};
    memcpy(l->kernel, k->name, sizeof l->kernel);
    *list = l;
    return XK_OK;
}

enum xk_status xk_launch_limits_read(const struct xk_alloc *a,
                                     const void *zebin, size_t size_b,
                                     struct xk_launch_limits **out,
                                     struct xk_launch_list **launches,
                                     struct xk_error *err)
{
    struct xk_zebin z;
    enum xk_status s = XK_OK;
    *out = NULL;
    *launches = NULL;
    xk_ctx *const c = xk_ctx_create(a);
    if (!c)
        return xk_runtime_fail(err, XK_ENOMEM, "module: out of memory");
    if (xk_zebin_read(c, zebin, size_b, &z) == XK_OK) {
        for (uint32_t i = 0; i < z.n_kernels && s >= 0; i++)
            s = add_limits(a, &z.kernels[i], out, err);
        if (s >= 0 && z.launches) {
            *launches = xk_launch_list_copy(a, z.launches);
            if (!*launches)
                s = xk_runtime_fail(err, XK_ENOMEM, "module: out of memory");
        }
        xk_zebin_fini(c, &z);
    }
    xk_ctx_destroy(c);
    if (s < 0) {
        xk_launch_limits_free(a, *out);
        *out = NULL;
    }
    return s;
}

void xk_launch_limits_free(const struct xk_alloc *a, struct xk_launch_limits *l)
{
    while (l) {
        struct xk_launch_limits *const next = l->next;
        a->realloc(a->user, l, 0);
        l = next;
    }
}

/* UINT32_MAX stands for a value above every limit. */
static uint32_t clamp_u32(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static uint32_t group_threads(const struct xk_launch_limits *l,
                              const struct xk_launch_desc *a)
{
    const uint64_t row = ((uint64_t)a->local[0] + l->simd - 1) / l->simd;
    return clamp_u32((uint64_t)clamp_u32(row * a->local[1]) * a->local[2]);
}

static uint32_t items(const struct xk_launch_desc *a)
{
    const uint64_t plane = (uint64_t)a->local[0] * a->local[1];
    return clamp_u32((uint64_t)clamp_u32(plane) * a->local[2]);
}

/* The kernel's demands, with those of its arguments added. */
static uint32_t slm_b(const struct xk_launch_limits *l,
                      const struct xk_launch_desc *a)
{
    uint64_t n_b = l->asked.slm_b;
    for (unsigned i = 0; i < a->n_args && i < 64; i++)
        if (l->slm_args >> i & 1)
            n_b += a->args[i].size_b;
    return clamp_u32(n_b);
}

static enum xk_status check_surfaces(const struct xk_launch_limits *l,
                                     const struct xk_launch_desc *a,
                                     struct xk_error *err)
{
    for (unsigned i = 0; i < a->n_args && i < 64; i++)
        if (l->surface_args >> i & 1 && a->args[i].buffer &&
            a->args[i].buffer->size_b > XK_SURFACE_MAX_B)
            return xk_runtime_fail(err, XK_EUNSUPPORTED,
                                   "kernel '%.100s': argument %u is a surface, "
                                   "of at most %" PRIu64 " bytes; its buffer "
                                   "has %" PRIu64,
                                   a->name, i, XK_SURFACE_MAX_B,
                                   a->args[i].buffer->size_b);
    return XK_OK;
}

enum xk_status xk_launch_limits_check(const struct xk_launch_limits *l,
                                      const struct xk_platform *p,
                                      const struct xk_launch_desc *a,
                                      struct xk_error *err)
{
    while (l && strcmp(l->kernel, a->name))
        l = l->next;
    if (!l || !l->simd) /* no such kernel, or one that cannot be launched */
        return XK_OK;
    struct xk_dispatch asked = l->asked;
    asked.threads = group_threads(l, a);
    asked.slm_b = slm_b(l, a);
    asked.items = items(a);
    asked.simd = l->simd;
    XK_TRY(xk_dispatch_check(p, XK_PRODUCT_ANY, &asked, err));
    return check_surfaces(l, a, err);
}
