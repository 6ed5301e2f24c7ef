/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing with linear probing; nothing is ever deleted singly. */
#include "ir/memo.h"

#include <string.h>

void xk_memo_init(struct xk_memo *m, xk_ctx *c)
{
    m->c = c;
    m->slot = m->first;
    m->n = 0;
    m->cap = XK_MEMO_INLINE;
    memset(m->first, 0, sizeof(m->first));
}

void xk_memo_fini(struct xk_memo *m)
{
    if (m->slot != m->first)
        xk_free(m->c, m->slot);
    m->slot = m->first;
    m->cap = XK_MEMO_INLINE;
    m->n = 0;
}

void xk_memo_clear(struct xk_memo *m)
{
    memset(m->slot, 0, m->cap * sizeof(*m->slot));
    m->n = 0;
}

/* The slot that holds serial, or the empty one where it belongs. */
static struct xk_memo_slot *find_memo_slot(struct xk_memo_slot *slot,
                                           uint32_t cap, uint32_t serial)
{
    uint32_t i = serial * 2654435761u;
    for (i ^= i >> 15;; i++) {
        struct xk_memo_slot *const s = &slot[i & (cap - 1)];
        if (s->serial == serial || !s->serial)
            return s;
    }
}

bool xk_memo_get(const struct xk_memo *m, uint32_t serial, const void **value)
{
    const struct xk_memo_slot *const s =
        find_memo_slot(m->slot, m->cap, serial);
    if (!s->serial)
        return false;
    *value = s->value;
    return true;
}

static bool grow_memo(struct xk_memo *m)
{
    const uint32_t cap = m->cap * 4;
    struct xk_memo_slot *const slot = xk_calloc(m->c, cap, sizeof(*slot));
    if (!slot)
        return false;
    for (uint32_t i = 0; i < m->cap; i++) {
        if (m->slot[i].serial)
            *find_memo_slot(slot, cap, m->slot[i].serial) = m->slot[i];
    }
    if (m->slot != m->first)
        xk_free(m->c, m->slot);
    m->slot = slot;
    m->cap = cap;
    return true;
}

bool xk_memo_set(struct xk_memo *m, uint32_t serial, const void *value)
{
    if (m->n * 2 >= m->cap && !grow_memo(m))
        return false;
    struct xk_memo_slot *const s = find_memo_slot(m->slot, m->cap, serial);
    m->n += !s->serial;
    s->serial = serial;
    s->value = value;
    return true;
}
