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

void xk_sim_group_id(const struct xk_sim_dispatch *d, uint64_t index,
                     uint32_t id[3])
{
    const uint32_t *const n = d->groups, *const first = d->first_group;
    id[0] = first[0] + (uint32_t)(index % n[0]);
    id[1] = first[1] + (uint32_t)(index / n[0] % n[1]);
    id[2] = first[2] + (uint32_t)(index / n[0] / n[1]);
}
