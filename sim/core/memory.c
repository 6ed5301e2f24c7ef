/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/core/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int by_va(const void *a, const void *b)
{
    const struct xk_sim_region *x = a, *y = b;
    return (x->va > y->va) - (x->va < y->va);
}

static enum xk_status fail_region(struct xk_error *err, const char *what,
                                  const struct xk_sim_region *r)
{
    err->status = XK_EINVAL;
    snprintf(err->message, sizeof(err->message),
             "sim: region [0x%" PRIx64 ", +0x%" PRIx64 ") %s", r->va, r->size_b,
             what);
    return XK_EINVAL;
}

enum xk_status xk_sim_space_init(struct xk_sim_space *s,
                                 struct xk_sim_region *region, unsigned n,
                                 struct xk_error *err)
{
    if (n)
        qsort(region, n, sizeof(*region), by_va);
    for (unsigned i = 0; i < n; i++) {
        if (region[i].va + region[i].size_b < region[i].va)
            return fail_region(err, "wraps around", &region[i]);
        if (i && region[i - 1].va + region[i - 1].size_b > region[i].va)
            return fail_region(err, "overlaps the one before it", &region[i]);
    }
    *s = (struct xk_sim_space){.region = region, .n = n};
    return XK_OK;
}

/* How many regions begin at or below va. */
static unsigned count_below(const struct xk_sim_space *s, uint64_t va)
{
    unsigned lo = 0, hi = s->n;
    while (lo < hi) {
        const unsigned mid = lo + (hi - lo) / 2;
        if (s->region[mid].va <= va)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

const struct xk_sim_region *xk_sim_space_find(const struct xk_sim_space *s,
                                              uint64_t va, uint64_t n_b)
{
    const unsigned k = count_below(s, va);
    if (!k)
        return NULL;
    const struct xk_sim_region *r = &s->region[k - 1];
    const uint64_t off_b = va - r->va;
    return off_b < r->size_b && r->size_b - off_b >= n_b &&
                   r->kind != XK_SIM_FREED
               ? r
               : NULL;
}

void xk_sim_space_explain(const struct xk_sim_space *s, uint64_t va,
                          uint64_t n_b, char *out, size_t out_b)
{
    const unsigned k = count_below(s, va);
    const struct xk_sim_region *lo = k ? &s->region[k - 1] : NULL;
    const struct xk_sim_region *hi = k < s->n ? &s->region[k] : NULL;
    const uint64_t past = lo ? va - (lo->va + lo->size_b) : UINT64_MAX;
    const uint64_t before = hi ? hi->va - va : UINT64_MAX;

    if (lo && lo->kind == XK_SIM_FREED && va - lo->va < lo->size_b)
        snprintf(out, out_b,
                 "%" PRIu64 " bytes at 0x%" PRIx64 " are in the buffer "
                 "[0x%" PRIx64 ", 0x%" PRIx64 "), which was freed",
                 n_b, va, lo->va, lo->va + lo->size_b);
    else if (lo && va - lo->va < lo->size_b)
        snprintf(out, out_b,
                 "%" PRIu64 " bytes at 0x%" PRIx64 " cross the end of the "
                 "buffer [0x%" PRIx64 ", 0x%" PRIx64 ")",
                 n_b, va, lo->va, lo->va + lo->size_b);
    else if (lo && past <= before)
        snprintf(out, out_b,
                 "%" PRIu64 " bytes at 0x%" PRIx64 " are %" PRIu64 " bytes "
                 "past the end of the buffer [0x%" PRIx64 ", 0x%" PRIx64 ")",
                 n_b, va, past, lo->va, lo->va + lo->size_b);
    else if (hi)
        snprintf(out, out_b,
                 "%" PRIu64 " bytes at 0x%" PRIx64 " are %" PRIu64 " bytes "
                 "before the buffer [0x%" PRIx64 ", 0x%" PRIx64 ")",
                 n_b, va, before, hi->va, hi->va + hi->size_b);
    else
        snprintf(out, out_b,
                 "%" PRIu64 " bytes at 0x%" PRIx64 ", but no buffer is bound",
                 n_b, va);
}
