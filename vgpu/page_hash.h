/* SPDX-License-Identifier: Apache-2.0 */
/* Tells whether a page has changed. A client that makes two pages with one hash
 * deceives only itself. */
#ifndef XK_VGPU_PAGE_HASH_H
#define XK_VGPU_PAGE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t xk_page_hash(const uint8_t *p, size_t n_b);

#endif
