/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a virtual device: physical pages of 4 KiB in two kinds, made
 * when they are first written, and the two translations onto them: the global
 * table and the four-level tables of a context (virtual-device.md 2.4). */
#ifndef XK_VGPU_GPU_MEMORY_H
#define XK_VGPU_GPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ctx.h"
#include "vgpu/va_store.h"

#define XK_GPU_PAGE_B 4096u
#define XK_GPU_VA_BITS 48

enum xk_gpu_bank { XK_GPU_SYSTEM, XK_GPU_LOCAL, XK_N_GPU_BANKS };

typedef struct xk_gpu_memory xk_gpu_memory;

/* A physical address. */
struct xk_gpu_phys {
    uint64_t address;
    uint8_t bank; /* enum xk_gpu_bank */
};

/* max_b: pages beyond that many bytes are refused (XK_ENOMEM), so that a lying
 * client cannot take the host's memory. */
XK_GIVE enum xk_status xk_gpu_memory_create(xk_ctx *c, uint64_t max_b,
                                            xk_gpu_memory **out);
void xk_gpu_memory_destroy(xk_gpu_memory *m);

/* Any alignment and length; pages that nobody wrote read as zero. */
enum xk_status xk_gpu_phys_write(xk_gpu_memory *m, struct xk_gpu_phys at,
                                 const void *src, uint64_t n_b);
bool xk_gpu_phys_exists(const xk_gpu_memory *m, struct xk_gpu_phys at);
void xk_gpu_phys_read(const xk_gpu_memory *m, struct xk_gpu_phys at, void *dst,
                      uint64_t n_b);

/* Entry `index` of the global table. */
enum xk_status xk_gpu_ggtt_set(xk_gpu_memory *m, uint64_t index,
                               uint64_t entry);
bool xk_gpu_ggtt_translate(const xk_gpu_memory *m, uint64_t address,
                           struct xk_gpu_phys *out);

/* A context's address space: the root of its tables. Addresses are cut to 48
 * bits. */
struct xk_gpu_space {
    xk_gpu_memory *m;
    struct xk_gpu_phys root;
    xk_va_store *store; /* not NULL: what is mapped, in place of tables */
};
/* False: the page is not mapped. */
bool xk_gpu_translate(const struct xk_gpu_space *s, uint64_t va,
                      struct xk_gpu_phys *out);
/* False, with the first address that is not mapped in *bad (may be NULL), and
 * nothing or a part transferred. */
bool xk_gpu_read(const struct xk_gpu_space *s, uint64_t va, void *dst,
                 uint64_t n_b, uint64_t *bad);
bool xk_gpu_write(const struct xk_gpu_space *s, uint64_t va, const void *src,
                  uint64_t n_b, uint64_t *bad);

/* All mapped pages, in the order of their addresses; fn returns false to stop.
 * False: stopped because the tables are no tree but refer to each other. */
typedef bool (*xk_gpu_page_fn)(void *user, uint64_t va, struct xk_gpu_phys at);
bool xk_gpu_each_page(const struct xk_gpu_space *s, xk_gpu_page_fn fn,
                      void *user);

#endif
