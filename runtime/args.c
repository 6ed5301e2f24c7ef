/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/args.h"

#include <string.h>

#define SLM_ALIGN_B 64

struct marshal {
    const struct xk_zkernel *k;
    const struct xk_launch_args *a;
    uint64_t (*va_of)(const xk_buffer *b);
    uint8_t *out;
    uint32_t slm_b;
    struct xk_error *err;
};

static void put(struct marshal *m, const struct xk_zarg *z, const void *p,
                uint32_t n_b)
{
    memcpy(m->out + z->offset_b, p, n_b < z->size_b ? n_b : z->size_b);
}

static void put_triple(struct marshal *m, const struct xk_zarg *z,
                       const uint32_t *a, const uint32_t *b)
{
    uint32_t v[3];
    for (unsigned d = 0; d < 3; d++)
        v[d] = a[d] * (b ? b[d] : 1);
    put(m, z, v, sizeof(v));
}

/* A local pointer is an offset; the argument only gives a size. */
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
    put(m, z, &at, sizeof(at));
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
    const uint64_t va = m->va_of(arg->buffer);
    put(m, z, &va, sizeof(va)); /* nothing if only stateful: size_b 0 */
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
    put(m, z, (const uint8_t *)arg->value + z->source_b, z->size_b);
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
    case XK_ZARG_GLOBAL_ID_OFFSET:
    case XK_ZARG_OTHER:
        return XK_OK; /* zero */
    }
    return XK_OK;
}

static unsigned n_wanted(const struct xk_zkernel *k)
{
    int32_t last = -1;
    for (uint32_t i = 0; i < k->n_args; i++)
        if (k->args[i].arg_index > last)
            last = k->args[i].arg_index;
    return (unsigned)(last + 1);
}

enum xk_status xk_args_marshal(const struct xk_zkernel *k,
                               const struct xk_launch_args *a,
                               uint64_t (*va_of)(const xk_buffer *b),
                               uint8_t *out, uint32_t *slm_b,
                               struct xk_error *err)
{
    struct marshal m = {.k = k,
                        .a = a,
                        .va_of = va_of,
                        .out = out,
                        .slm_b = k->slm_b,
                        .err = err};
    if (a->n_args < n_wanted(k))
        return xk_runtime_fail(err, XK_EINVAL,
                               "kernel '%.100s' wants %u "
                               "arguments, %u were given",
                               k->name, n_wanted(k), a->n_args);
    memset(out, 0, k->cross_thread_b);
    for (uint32_t i = 0; i < k->n_args; i++)
        XK_TRY(put_arg(&m, &k->args[i]));
    *slm_b = m.slm_b;
    return XK_OK;
}
