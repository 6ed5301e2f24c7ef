/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing with linear probing; at most half full. Clearing only moves
 * the stamp on. */
#include "codegen/map.h"

static struct xk_cg_map_slot *find_cg_slot(const struct xk_cg_map *m,
                                           uint32_t key)
{
    uint32_t i = (key * 0x9e3779b1u) & (m->cap - 1);
    while (m->slot[i].stamp == m->stamp && m->slot[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return &m->slot[i];
}

void xk_cg_map_fini(xk_ctx *c, struct xk_cg_map *m)
{
    xk_free(c, m->slot);
    *m = (struct xk_cg_map){0};
}

void xk_cg_map_clear(struct xk_cg_map *m)
{
    m->n = 0;
    m->stamp++;
}

bool xk_cg_map_get(const struct xk_cg_map *m, uint32_t key, uint32_t *value)
{
    if (m->n == 0)
        return false;
    const struct xk_cg_map_slot *const s = find_cg_slot(m, key);
    if (s->stamp != m->stamp)
        return false;
    *value = s->value;
    return true;
}

static bool rehash(xk_ctx *c, struct xk_cg_map *m)
{
    struct xk_cg_map bigger = {.cap = m->cap ? 2 * m->cap : 64, .stamp = 1};
    bigger.slot = xk_calloc(c, bigger.cap, sizeof *bigger.slot);
    if (!bigger.slot)
        return false;
    for (uint32_t i = 0; i < m->cap; i++)
        if (m->slot[i].stamp == m->stamp) {
            struct xk_cg_map_slot *const s =
                find_cg_slot(&bigger, m->slot[i].key);
            *s = m->slot[i];
            s->stamp = bigger.stamp;
            bigger.n++;
        }
    xk_free(c, m->slot);
    *m = bigger;
    return true;
}

bool xk_cg_map_put(xk_ctx *c, struct xk_cg_map *m, uint32_t key, uint32_t value)
{
    if (m->stamp == 0)
        m->stamp = 1;
    if (2 * (m->n + 1) > m->cap && !rehash(c, m))
        return false;
    struct xk_cg_map_slot *const s = find_cg_slot(m, key);
    if (s->stamp != m->stamp)
        m->n++;
    *s = (struct xk_cg_map_slot){key, value, m->stamp};
    return true;
}
