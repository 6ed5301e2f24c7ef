/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a client process of the virtual device, by virtual address: all
 * its engines share it, whatever physical numbers each gives to a page
 * (virtual-device.md 3.5). Neighbouring pages are neighbours in host memory, so
 * that the simulator runs on it as it is.
 *
 * The client's own memory lies at the same addresses below 2^47. A page's hash
 * says what both sides held when they last exchanged it, so that a page that
 * the client's CPU has changed since is told from one that only the device has.
 *
 * Pages come and are never taken away. Any thread may call; content of pages is
 * not locked, as on hardware. */
#ifndef XK_VGPU_VA_STORE_H
#define XK_VGPU_VA_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ctx.h"
#include "sim/sim.h"

/* As kernels see addresses of 48 bits: bit 47 is repeated above. */
static inline uint64_t xk_gpu_canonical(uint64_t va)
{
    return (uint64_t)((int64_t)(va << 16) >> 16);
}

/* Below are the client's own addresses. */
#define XK_VA_CLIENT_END (UINT64_C(1) << 47)

typedef struct xk_va_store xk_va_store;

/* max_b: of its pages, and of what else is noted for it. NULL: out of memory.
 */
XK_GIVE xk_va_store *xk_va_store_create(uint64_t max_b);
void xk_va_store_destroy(xk_va_store *s);

/* Maps the page of va, zero at first; mapped already is fine. XK_ENOMEM with
 * the limit in the message. */
enum xk_status xk_va_store_map(xk_va_store *s, xk_ctx *c, uint64_t va);
/* Counts memory that a client makes the server hold besides. */
enum xk_status xk_va_store_charge(xk_va_store *s, xk_ctx *c, uint64_t n_b);
void xk_va_store_release(xk_va_store *s, uint64_t n_b);

/* The memory at va, of which at least one byte and at most n_b are there:
 * *part_b, which does not cross a page. NULL: not mapped. */
uint8_t *xk_va_store_at(const xk_va_store *s, uint64_t va, uint64_t n_b,
                        uint64_t *part_b);

/* The client writes: as much of src as lies in the page of va, *part_b bytes.
 * What it sends again without having changed it does not replace what an engine
 * has made of it since. False: not mapped. */
bool xk_va_store_upload(xk_va_store *s, uint64_t va, const uint8_t *src,
                        uint64_t n_b, uint64_t *part_b);
/* The client's own memory. */
struct xk_va_client {
    /* Reads n_b bytes at va; false if it cannot all. */
    bool (*read)(void *user, uint64_t va, void *dst, size_t n_b);
    /* Before a changed page is taken: true if it waited for an answer that the
     * client may not have taken yet, and the page must be read again. May be
     * NULL. */
    bool (*settle)(void *user, uint64_t va);
    void *user;
};
/* The client will be given n_b bytes from va on, of one page below 2^47, over
 * its own: they are put at their place in `page`, and both sides hold the same.
 * If that is all that the client knows of the page, what its CPU has written
 * there since is taken first, unless the device has written it, too. client
 * NULL: it cannot be read. False: not mapped. */
bool xk_va_store_download(xk_va_store *s, const struct xk_va_client *client,
                          uint64_t va, uint64_t n_b, uint8_t page[4096]);
/* Takes over what the client's CPU has changed below 2^47 since the last
 * exchange, except what was uploaded since the last call. */
void xk_va_store_refresh(xk_va_store *s, const struct xk_va_client *client);
/* The same for the one page of va. */
void xk_va_store_refresh_page(xk_va_store *s, const struct xk_va_client *client,
                              uint64_t va);

/* All that is mapped, by address, as kernels see it (bit 47 repeated above). */
enum xk_status xk_va_store_regions(xk_va_store *s, xk_ctx *c,
                                   struct xk_sim_region **out, unsigned *n);

#endif
