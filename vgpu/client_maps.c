/* SPDX-License-Identifier: Apache-2.0 */
#include "vgpu/client_maps.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool add_range(struct xk_client_maps *m, uint64_t first, uint64_t end)
{
    if (m->n && m->range[m->n - 1].end == first) {
        m->range[m->n - 1].end = end;
        return true;
    }
    if (m->n == m->cap) {
        const size_t cap = m->cap ? 2 * m->cap : 256;
        struct xk_client_range *const more =
            realloc(m->range, cap * sizeof *more);
        if (!more)
            return false;
        m->range = more;
        m->cap = cap;
    }
    m->range[m->n++] = (struct xk_client_range){first, end};
    return true;
}

void xk_client_maps_init(struct xk_client_maps *m, int pid)
{
    char path[32], may_read;
    uint64_t first, end;
    *m = (struct xk_client_maps){NULL, 0, 0};
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *const f = fopen(path, "r");
    if (!f)
        return;
    bool good = true;
    while (good && fscanf(f, "%" SCNx64 "-%" SCNx64 " %c%*[^\n]", &first, &end,
                          &may_read) == 3)
        good = may_read != 'r' || add_range(m, first, end);
    if (!good || ferror(f))
        xk_client_maps_fini(m);
    fclose(f);
}

void xk_client_maps_fini(struct xk_client_maps *m)
{
    free(m->range);
    *m = (struct xk_client_maps){NULL, 0, 0};
}

uint64_t xk_client_maps_next(const struct xk_client_maps *m, uint64_t va)
{
    size_t lo = 0, hi = m->n; /* of the first range that ends behind va */
    if (!m->range)
        return va;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (m->range[mid].end <= va)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == m->n)
        return UINT64_MAX;
    return m->range[lo].first > va ? m->range[lo].first : va;
}
