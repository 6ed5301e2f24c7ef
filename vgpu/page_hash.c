/* SPDX-License-Identifier: Apache-2.0 */
/* It is taken of every page at every doorbell: a multiplication takes in 16
 * bytes, and four chains of them overlap. */
#include "vgpu/page_hash.h"

#include <string.h>

#define CHAINS 4

__extension__ typedef unsigned __int128 u128;

/* Any numbers that no data has: a factor of zero would forget the other. */
static const uint64_t key[CHAINS] = {
    UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xc2b2ae3d27d4eb4f),
    UINT64_C(0x165667b19e3779f9), UINT64_C(0xd6e8feb86659fd93)};

/* All bits of both count: the low half of a product forgets high bits, the high
 * half low ones. */
static uint64_t fold(uint64_t a, uint64_t b)
{
    const u128 m = (u128)a * b;
    return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static void take(uint64_t h[CHAINS], const uint64_t v[2 * CHAINS])
{
    for (unsigned k = 0; k < CHAINS; k++)
        h[k] = fold(h[k] ^ v[k], key[k] ^ v[CHAINS + k]);
}

uint64_t xk_page_hash(const uint8_t *p, size_t n_b)
{
    uint64_t h[CHAINS] = {~key[3] ^ n_b, ~key[2], ~key[1], ~key[0]};
    uint64_t v[2 * CHAINS];
    for (; n_b >= sizeof v; n_b -= sizeof v, p += sizeof v) {
        memcpy(v, p, sizeof v);
        take(h, v);
    }
    memset(v, 0, sizeof v);
    memcpy(v, p, n_b);
    take(h, v);
    return fold(fold(h[0] ^ key[0], h[1] ^ key[1]) ^ key[2],
                fold(h[2] ^ key[2], h[3] ^ key[3]) ^ key[3]);
}
