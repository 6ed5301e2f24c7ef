/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a virtual device's client process, by virtual address. All
 * engines of the process share it, whatever physical number each engine gives
 * to a page (virtual-device.md 3.5). Neighbouring pages are neighbours in host
 * memory, so the simulator runs on it directly.
 *
 * The client's own memory lies at the same addresses below 2^47. The store
 * keeps what both sides held when they last exchanged a page. So it tells a
 * page that the client's CPU has changed from a page that only the device has
 * changed.
 *
 * Pages are added and never removed. Any thread may call. The content of pages
 * is not locked, as on hardware. */
#ifndef XK_VGPU_VA_STORE_H
#define XK_VGPU_VA_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ctx.h"
#include "sim/sim.h"

/* A 48-bit address as kernels see it: the bits above bit 47 repeat it. */
static inline uint64_t xk_gpu_canonical(uint64_t va)
{
    return (uint64_t)((int64_t)(va << 16) >> 16);
}

/* The client's own addresses lie below this one. */
#define XK_VA_CLIENT_END (UINT64_C(1) << 47)

typedef struct xk_va_store xk_va_store;

/* max_b limits the pages and all else that is stored for the client. NULL: out
 * of memory. */
XK_GIVE xk_va_store *xk_va_store_create(uint64_t max_b);
void xk_va_store_destroy(xk_va_store *s);

/* Maps the page of va, filled with zeros. A page that is already mapped is no
 * error. XK_ENOMEM names the limit. */
enum xk_status xk_va_store_map(xk_va_store *s, xk_ctx *c, uint64_t va);
/* Counts other memory that a client makes the server hold. */
enum xk_status xk_va_store_charge(xk_va_store *s, xk_ctx *c, uint64_t n_b);
void xk_va_store_release(xk_va_store *s, uint64_t n_b);

/* The host memory of va. *part_b, 1 to n_b, is how many bytes lie there; they
 * never cross a page. NULL: not mapped. */
uint8_t *xk_va_store_at(const xk_va_store *s, uint64_t va, uint64_t n_b,
                        uint64_t *part_b);

/* Writes an engine's bytes: as many of src as lie in the page of va, *part_b.
 * False: not mapped. */
bool xk_va_store_write(xk_va_store *s, uint64_t va, const uint8_t *src,
                       uint64_t n_b, uint64_t *part_b);
/* True if the client or an engine's command has written the page of va. A
 * driver maps a page by one message and sends its content by a later one; in
 * between, another engine finds zeros that nobody has written. */
bool xk_va_store_written(const xk_va_store *s, uint64_t va);

/* Writes the client's bytes: as many of src as lie in the page of va, *part_b.
 * Bytes that the client sends again unchanged do not replace what an engine has
 * written there since. False: not mapped. */
bool xk_va_store_upload(xk_va_store *s, uint64_t va, const uint8_t *src,
                        uint64_t n_b, uint64_t *part_b);
/* The client's own memory. */
struct xk_va_client {
    /* Reads n_b bytes at va. False: not all of them can be read. */
    bool (*read)(void *user, uint64_t va, void *dst, size_t n_b);
    /* Called before a changed page is taken. True: it has waited for an answer
     * that the client may not have stored yet, and the page must be read again.
     * May be NULL. */
    bool (*settle)(void *user, uint64_t va);
    /* The first address from va on that can be read. Called where read has said
     * false, so that pages which the client has unmapped are not tried one by
     * one. May be NULL. */
    uint64_t (*next)(void *user, uint64_t va);
    void *user;
};
/* Prepares n_b bytes at va, within one page below 2^47, to be sent over the
 * client's own. They are written to `page` at their place in it; then both
 * sides hold the same. If these bytes are all that the client knows of the
 * page, its CPU's changes there are taken first, except where the device has
 * written too. client NULL: its memory cannot be read. False: not mapped. */
bool xk_va_store_download(xk_va_store *s, const struct xk_va_client *client,
                          uint64_t va, uint64_t n_b, uint8_t page[4096]);
/* Takes what the client's CPU has changed below 2^47 since the last
 * exchange. */
void xk_va_store_refresh(xk_va_store *s, const struct xk_va_client *client);
/* The same for the one page of va. */
void xk_va_store_refresh_page(xk_va_store *s, const struct xk_va_client *client,
                              uint64_t va);

/* All that is mapped, by address, as kernels see it (bit 47 repeated above). */
enum xk_status xk_va_store_regions(xk_va_store *s, xk_ctx *c,
                                   struct xk_sim_region **out, unsigned *n);

#endif
