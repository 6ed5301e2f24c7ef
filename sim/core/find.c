/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a kernel and a dispatch by all rooms. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/core/kernel.h"

uint32_t xk_sim_kernel_at(const struct xk_sim_kernel *k, int64_t pc_b)
{
    uint32_t lo = 0, hi = k->n;
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (k->inst[mid].pc_b < pc_b)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < k->n && k->inst[lo].pc_b == pc_b ? lo : UINT32_MAX;
}

enum xk_status xk_sim_refuse(struct xk_error *err, enum xk_status status,
                             const char *name, const char *what, uint64_t value)
{
    err->status = status;
    snprintf(err->message, sizeof(err->message),
             "sim: kernel '%.100s': %s (%llu)", name, what,
             (unsigned long long)value);
    return status;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A number below n for each index below n, none twice: steps that have no
 * divisor in common with n, from somewhere on. */
static uint64_t permuted(uint64_t seed, uint64_t index, uint64_t n)
{
    const uint64_t drawn = seed * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t step = (drawn >> 32) % n;
    if (!seed || n < 2 || n > UINT32_MAX)
        return index;
    while (gcd(step, n) != 1)
        step = (step + 1) % n;
    return (index * step + drawn % n) % n;
}

void xk_sim_group_id(const struct xk_sim_dispatch *d, uint64_t place,
                     uint32_t id[3])
{
    const uint32_t *const n = d->groups, *const first = d->first_group;
    const uint64_t index =
        permuted(d->check.group_seed, place, (uint64_t)n[0] * n[1] * n[2]);
    id[0] = first[0] + (uint32_t)(index % n[0]);
    id[1] = first[1] + (uint32_t)(index / n[0] % n[1]);
    id[2] = first[2] + (uint32_t)(index / n[0] / n[1]);
}
