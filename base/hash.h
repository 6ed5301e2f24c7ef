/* SPDX-License-Identifier: Apache-2.0 */
/* Small integer hashing for the node pool and side tables. */
#ifndef XK_BASE_HASH_H
#define XK_BASE_HASH_H

#include <stdint.h>

static inline uint64_t xk_hash_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 32);
}

#endif
