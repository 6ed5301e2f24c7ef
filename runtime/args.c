/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/args.h"

#include <string.h>

#define SLM_ALIGN_B 64

struct marshal {
    const struct xk_zkernel *k;
    const struct xk_launch_desc *a;
    const struct xk_args_places *places;
    uint8_t *out;
    uint32_t slm_b;
    unsigned n_bindless; /* seen so far */
    struct xk_error *err;
};

static void put_arg_value(struct marshal *m, const struct xk_zarg *z,
                          const void *p, uint32_t n_b)
{
    memcpy(m->out + z->offset_b, p, n_b < z->size_b ? n_b : z->size_b);
}

static void put_triple(struct marshal *m, const struct xk_zarg *z,
                       const uint32_t *a, const uint32_t *b)
{
    uint32_t v[3];
    for (unsigned d = 0; d < 3; d++)
        v[d] = a[d] * (b ? b[d] : 1);
    if (z->source_b <
        sizeof v) /* the older container splits values into pieces */
        put_arg_value(m, z, (const uint8_t *)v + z->source_b,
                      (uint32_t)sizeof(v) - z->source_b);
}

/* A local pointer's value is its offset in SLM; the launch gives only its
 * size. */
static enum xk_status put_slm(struct marshal *m, const struct xk_zarg *z,
                              const struct xk_launch_arg *arg)
{
    const uint64_t at = m->slm_b;
    if (arg->buffer || arg->value)
        return xk_runtime_fail(m->err, XK_EINVAL,
                               "kernel '%.100s': argument "
                               "%d is local memory: give only its size",
                               m->k->name, z->arg_index);
    if (arg->size_b > (1u << 20))
        return xk_runtime_fail(m->err, XK_EINVAL,
                               "kernel '%.100s': argument "
                               "%d: %u bytes of local memory",
                               m->k->name, z->arg_index, arg->size_b);
    put_arg_value(m, z, &at, sizeof(at));
    m->slm_b += (arg->size_b + SLM_ALIGN_B - 1) / SLM_ALIGN_B * SLM_ALIGN_B;
    return XK_OK;
}

static enum xk_status put_pointer(struct marshal *m, const struct xk_zarg *z,
                                  const struct xk_launch_arg *arg)
{
    if (!arg->buffer)
        return xk_runtime_fail(m->err, XK_EINVAL,
                               "kernel '%.100s': argument "
                               "%d is a pointer, but has no buffer",
                               m->k->name, z->arg_index);
    uint64_t v = m->places->va_of(arg->buffer);
    if (z->mode == XK_ZMODE_BINDLESS)
        v = XK_SIM_STATE_OFFSET_B(m->k->n_bindings + m->n_bindless++);
    put_arg_value(m, z, &v, sizeof(v)); /* nothing if only stateful: size_b 0 */
    return XK_OK;
}

static enum xk_status put_value(struct marshal *m, const struct xk_zarg *z,
                                const struct xk_launch_arg *arg)
{
    const uint64_t need_b = (uint64_t)z->source_b + z->size_b;
    if (arg->buffer || !arg->value || arg->size_b < need_b ||
        (!z->source_b && arg->size_b > z->size_b && arg->size_b <= 8))
        return xk_runtime_fail(m->err, XK_EINVAL,
                               "kernel '%.100s': argument "
                               "%d is a value of %u bytes, %s %u was given",
                               m->k->name, z->arg_index, z->size_b,
                               arg->buffer ? "a buffer," : "a value of",
                               arg->size_b);
    put_arg_value(m, z, (const uint8_t *)arg->value + z->source_b, z->size_b);
    return XK_OK;
}

static enum xk_status put_explicit(struct marshal *m, const struct xk_zarg *z)
{
    if (z->arg_index < 0 || (unsigned)z->arg_index >= m->a->n_args)
        return xk_runtime_fail(m->err, XK_EINVAL,
                               "kernel '%.100s' wants "
                               "argument %d, %u were given",
                               m->k->name, z->arg_index, m->a->n_args);
    const struct xk_launch_arg *arg = &m->a->args[z->arg_index];
    if (z->kind == XK_ZARG_VALUE)
        return put_value(m, z, arg);
    return z->slm ? put_slm(m, z, arg) : put_pointer(m, z, arg);
}

static void put_dimensions(struct marshal *m, const struct xk_zarg *z)
{
    uint32_t n = 3;
    while (n > 1 && m->a->groups[n - 1] * m->a->local[n - 1] == 1)
        n--;
    put_arg_value(m, z, &n, sizeof n);
}

static enum xk_status put_address(struct marshal *m, const struct xk_zarg *z)
{
    const uint64_t va = z->kind == XK_ZARG_PRIVATE_BASE ? XK_SIM_PRIVATE_VA
                        : z->kind == XK_ZARG_CONST_BASE
                            ? m->places->data_va[XK_ZSECTION_CONST]
                            : m->places->data_va[XK_ZSECTION_GLOBAL];
    put_arg_value(m, z, &va, sizeof va);
    return XK_OK;
}

static enum xk_status put_arg(struct marshal *m, const struct xk_zarg *z)
{
    const uint32_t *groups = m->a->groups, *local = m->a->local;
    switch ((enum xk_zarg_kind)z->kind) {
    case XK_ZARG_POINTER:
    case XK_ZARG_VALUE:
        return put_explicit(m, z);
    case XK_ZARG_LOCAL_SIZE:
    case XK_ZARG_ENQUEUED_LOCAL_SIZE:
        put_triple(m, z, local, NULL);
        return XK_OK;
    case XK_ZARG_GROUP_COUNT:
        put_triple(m, z, groups, NULL);
        return XK_OK;
    case XK_ZARG_GLOBAL_SIZE:
        put_triple(m, z, groups, local);
        return XK_OK;
    case XK_ZARG_WORK_DIMENSIONS:
        put_dimensions(m, z);
        return XK_OK;
    case XK_ZARG_PRIVATE_BASE:
    case XK_ZARG_CONST_BASE:
    case XK_ZARG_GLOBAL_BASE:
        return put_address(m, z);
    case XK_ZARG_REFUSED:
        return xk_runtime_fail(m->err, XK_EUNSUPPORTED,
                               "kernel '%.100s': an argument of type %s is "
                               "not supported",
                               m->k->name, z->type);
    case XK_ZARG_BUFFER_OFFSET:
    case XK_ZARG_GLOBAL_ID_OFFSET:
    case XK_ZARG_OTHER:
        return XK_OK; /* zero */
    }
    return XK_OK;
}

enum xk_status xk_args_marshal(const struct xk_zkernel *k,
                               const struct xk_launch_desc *a,
                               const struct xk_args_places *places,
                               uint8_t *out, uint32_t *slm_b,
                               struct xk_error *err)
{
    struct marshal m = {.k = k,
                        .a = a,
                        .places = places,
                        .out = out,
                        .slm_b = k->slm_b,
                        .err = err};
    if (a->n_args < xk_zkernel_n_args(k))
        return xk_runtime_fail(err, XK_EINVAL,
                               "kernel '%.100s' wants %u "
                               "arguments, %u were given",
                               k->name, xk_zkernel_n_args(k), a->n_args);
    memset(out, 0, k->cross_thread_b);
    for (uint32_t i = 0; i < k->n_args; i++)
        XK_TRY(put_arg(&m, &k->args[i]));
    *slm_b = m.slm_b;
    return XK_OK;
}

static bool is_bindless(const struct xk_zarg *z)
{
    return z->kind == XK_ZARG_POINTER && z->mode == XK_ZMODE_BINDLESS &&
           z->arg_index >= 0;
}

unsigned xk_args_n_bound(const struct xk_zkernel *k)
{
    unsigned n = k->n_bindings;
    for (uint32_t i = 0; i < k->n_args; i++)
        n += is_bindless(&k->args[i]);
    return n;
}

/* The surface of a binding's argument; an empty one if the argument is
 * missing. */
static struct xk_sim_bound surface_of(const struct xk_launch_desc *a,
                                      const struct xk_args_places *places,
                                      uint32_t bti, int32_t arg)
{
    struct xk_sim_bound b = {.bti = bti};
    if (arg >= 0 && (unsigned)arg < a->n_args && a->args[arg].buffer) {
        b.va = places->va_of(a->args[arg].buffer);
        b.size_b = a->args[arg].buffer->size_b;
    } else if (arg == -2 || arg == -3) {
        b.va = places->data_va[-2 - arg];
        b.size_b = places->data_b[-2 - arg];
    }
    return b;
}

void xk_args_bind(const struct xk_zkernel *k, const struct xk_launch_desc *a,
                  const struct xk_args_places *places, struct xk_sim_bound *out)
{
    for (uint32_t i = 0; i < k->n_bindings; i++)
        *out++ =
            surface_of(a, places, k->bindings[i].bti, k->bindings[i].arg_index);
    for (uint32_t i = 0; i < k->n_args; i++)
        if (is_bindless(&k->args[i]))
            *out++ = surface_of(a, places, UINT32_MAX, k->args[i].arg_index);
}
