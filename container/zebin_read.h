/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a zebin: ELF sections and .ze_info (libyaml). Shares no code with the
 * writer. Truncated, lying or hostile files give a status and a sentence. */
#ifndef XK_CONTAINER_ZEBIN_READ_H
#define XK_CONTAINER_ZEBIN_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ctx.h"

enum xk_zarg_kind {
    XK_ZARG_POINTER,
    XK_ZARG_VALUE,
    XK_ZARG_LOCAL_SIZE,
    XK_ZARG_GROUP_COUNT,
    XK_ZARG_GLOBAL_ID_OFFSET,
    XK_ZARG_ENQUEUED_LOCAL_SIZE,
    XK_ZARG_GLOBAL_SIZE,
    XK_ZARG_OTHER
};

struct xk_zarg {
    uint8_t kind;      /* enum xk_zarg_kind */
    int32_t arg_index; /* -1: implicit */
    uint32_t offset_b, size_b;
    bool slm;          /* addrmode slm */
    uint32_t source_b; /* values in pieces: offset in the caller's value */
};

struct xk_zkernel {
    char name[256];
    const uint8_t *code; /* into the file given to xk_zebin_read */
    size_t code_b;
    uint32_t simd, grf_count, slm_b, barriers, inline_b, scratch_b;
    uint32_t skip_per_thread_b; /* offset_to_skip_per_thread_data_load */
    uint32_t cross_thread_b;    /* max(offset + size), rounded up to 32 */
    uint32_t local_id_b;        /* per thread, 0: no local ids */
    uint32_t n_local_ids;       /* dimensions of them, where it is told */
    bool has_dpas;
    uint32_t n_args;
    struct xk_zarg *args;
};

struct xk_zebin {
    uint32_t product_family; /* from the note or e_machine; 0 unknown */
    uint32_t n_kernels;
    struct xk_zkernel *kernels;
};

/* file must outlive *out. On failure *out holds nothing. */
enum xk_status xk_zebin_read(xk_ctx *c, const void *file, size_t n_b,
                             struct xk_zebin *out);
void xk_zebin_fini(xk_ctx *c, struct xk_zebin *z);

#endif
