/* SPDX-License-Identifier: Apache-2.0 */
/* The payload of a barrier signal. Layouts: reference/isa.md 6.5. */
#include "isa/format.h"
#include "isa/message_table.h"

#define COUNTED_KNOWN 0xffffc0ffu
#define PLAIN_KNOWN 0x7f00ff00u
#define COUNT_VALID 0x80u

static enum xk_status check_counts(const struct xk_platform *p,
                                   const struct xk_barrier *b,
                                   struct xk_error *err)
{
    const struct xk_msg_machine *const mc = xk_msg_machine(p);
    const bool counted = mc->counts;

    if (b->id >= mc->n_barriers)
        return xk_isa_fail(err, XK_EINVAL, "barrier: id %u, %s has 0 to %u",
                           b->id, p->name, mc->n_barriers - 1u);
    if (b->type > XK_BARRIER_CONSUME || (!counted && b->type))
        return xk_isa_fail(err, XK_EINVAL, "barrier: type %u on %s", b->type,
                           p->name);
    if (counted ? !b->producers || !b->consumers
                : b->producers > 127 || b->consumers != b->producers)
        return xk_isa_fail(err, XK_EINVAL,
                           "barrier: %u producers, %u consumers on %s",
                           b->producers, b->consumers, p->name);
    return XK_OK;
}

enum xk_status xk_barrier_pack(const struct xk_platform *p,
                               const struct xk_barrier *b, uint32_t *dw2,
                               struct xk_error *err)
{
    const enum xk_status st = check_counts(p, b, err);

    if (st < 0)
        return st;
    if (xk_msg_machine(p)->counts)
        *dw2 = b->id | (uint32_t)b->type << 14 | (uint32_t)b->producers << 16 |
               (uint32_t)b->consumers << 24;
    else
        *dw2 = (uint32_t)b->id << 24 |
               (b->producers ? (b->producers | COUNT_VALID) << 8 : 0);
    return XK_OK;
}

enum xk_status xk_barrier_unpack(const struct xk_platform *p, uint32_t dw2,
                                 struct xk_barrier *b, struct xk_error *err)
{
    const bool counted = xk_msg_machine(p)->counts;
    const unsigned count = dw2 >> 8 & 0xff;

    if (dw2 & ~(counted ? COUNTED_KNOWN : PLAIN_KNOWN) ||
        (!counted && count && !(count & COUNT_VALID)))
        return xk_isa_fail(err, XK_EPARSE,
                           "barrier: reserved bits of dword 2, 0x%08x, on %s",
                           dw2, p->name);
    *b = (struct xk_barrier){.id = (uint8_t)(counted ? dw2 : dw2 >> 24)};
    if (counted) {
        b->type = dw2 >> 14 & 3;
        b->producers = (uint8_t)(dw2 >> 16);
        b->consumers = (uint8_t)(dw2 >> 24);
    } else {
        b->producers = b->consumers = count & 0x7f;
    }
    return check_counts(p, b, err) < 0 ? XK_EPARSE : XK_OK;
}
