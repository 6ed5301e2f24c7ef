/* SPDX-License-Identifier: Apache-2.0 */
/* The ABI record of one kernel: everything a launch needs to know. The prologue
 * (codegen) and .ze_info (binary/zebin.c) are both generated from it. */
#ifndef XK_BINARY_ABI_H
#define XK_BINARY_ABI_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/inst.h"
#include "isa/product.h"
#include "xekern/launches.h"

#define XK_ABI_MAX_ARGS XK_MAX_LAUNCH_ARGS

enum xk_abi_arg_kind {
    XK_ABI_ARG_GLOBAL_PTR, /* stateless: 8-byte virtual address */
    XK_ABI_ARG_VALUE,      /* by value, size_b bytes */
    XK_ABI_ARG_SURFACE,    /* a buffer in the binding table, at its number among
                          the kernel's surfaces; in the data its offset from
                          the surface's base, 4 bytes */
};

struct xk_abi_arg {
    char name[32];
    uint8_t kind;      /* enum xk_abi_arg_kind */
    bool written;      /* the kernel writes through it */
    uint16_t offset_b; /* in the cross-thread data */
    uint16_t size_b;   /* 8 for pointers, 4 for surfaces */
};

struct xk_abi {
    char name[64]; /* kernel name, a C identifier */
    enum xk_platform_id platform;
    struct xk_wa_device device; /* XK_PLATFORM_NONE: every stepping */
    uint16_t simd;              /* 8, 16, 32 */
    uint16_t grf_count;         /* 128 or 256 */
    uint16_t inline_b;          /* of the cross-thread data, in r1 */
    uint16_t barriers;          /* 0 or 1 */
    uint32_t slm_b, scratch_b;
    bool has_dpas;
    bool uses_local_ids; /* false: thread index from r0.2[7:0] */
    uint32_t local[3];   /* work items per group: threads * simd, 1, 1 */
    uint32_t n_args;
    struct xk_abi_arg args[XK_ABI_MAX_ARGS];
};

#endif
