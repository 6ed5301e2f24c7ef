/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in bytes that need not be aligned, in the host's order, which is
 * little endian like the device's and the files'. */
#ifndef XK_BASE_BYTES_H
#define XK_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t xk_get_u32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t xk_get_u64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Dword number k. */
static inline uint32_t xk_get_dword(const uint8_t *p, size_t k)
{
    return xk_get_u32(p + 4 * k);
}

static inline void xk_put_u32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
}

#endif
