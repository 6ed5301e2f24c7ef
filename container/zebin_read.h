/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a zebin: ELF sections and .ze_info (libyaml). It shares no code with
 * the writer. Truncated, inconsistent or hostile files give a status and a
 * sentence. */
#ifndef XK_CONTAINER_ZEBIN_READ_H
#define XK_CONTAINER_ZEBIN_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ctx.h"
#include "xekern/launches.h"

enum xk_zarg_kind {
    XK_ZARG_POINTER,
    XK_ZARG_VALUE,
    XK_ZARG_LOCAL_SIZE,
    XK_ZARG_GROUP_COUNT,
    XK_ZARG_GLOBAL_ID_OFFSET,
    XK_ZARG_ENQUEUED_LOCAL_SIZE,
    XK_ZARG_GLOBAL_SIZE,
    XK_ZARG_WORK_DIMENSIONS,
    XK_ZARG_BUFFER_OFFSET, /* of a buffer from its surface's base */
    XK_ZARG_PRIVATE_BASE,  /* address of the threads' private memory */
    XK_ZARG_CONST_BASE,    /* address of the module's constants */
    XK_ZARG_GLOBAL_BASE,   /* address of the module's variables */
    XK_ZARG_REFUSED,       /* needs a driver's help: printf, assert, images */
    XK_ZARG_OTHER
};

/* How a kernel reaches a pointer's memory. */
enum xk_zmode {
    XK_ZMODE_STATELESS,
    XK_ZMODE_STATEFUL, /* binding table: nothing in the payload */
    XK_ZMODE_BINDLESS, /* the payload has the offset of its surface state */
    XK_ZMODE_SLM
};

struct xk_zarg {
    uint8_t kind;      /* enum xk_zarg_kind */
    int32_t arg_index; /* -1: implicit */
    uint32_t offset_b, size_b;
    bool slm;          /* mode XK_ZMODE_SLM */
    uint32_t source_b; /* of a value in pieces: offset in the caller's value */
    uint8_t mode;      /* enum xk_zmode */
    bool copy;         /* the address of a pointer that is also stateful */
    char type[24];     /* arg_type as in the file, cut; "": not given */
};

/* An entry of the binding table. */
struct xk_zbinding {
    uint32_t bti;
    int32_t arg_index; /* -1: none; -2: the constants; -3: the variables */
};

/* A place in the code into which an address is written. */
enum xk_zreloc_type {
    XK_ZRELOC_ADDR = 1,       /* 64 bits */
    XK_ZRELOC_ADDR_LOW = 2,   /* bits 31:0 */
    XK_ZRELOC_ADDR_HIGH = 3,  /* bits 63:32 */
    XK_ZRELOC_PER_THREAD = 4, /* 32 bits: per-thread data's offset, see below */
};
enum xk_zsection { XK_ZSECTION_CONST, XK_ZSECTION_GLOBAL, XK_ZSECTION_NONE };
struct xk_zreloc {
    uint32_t offset_b;
    uint8_t type;    /* enum xk_zreloc_type */
    uint8_t section; /* enum xk_zsection; NONE: value is the number itself */
    uint64_t value;  /* offset in the section */
};

struct xk_zkernel {
    char name[256];
    const uint8_t *code; /* into the file given to xk_zebin_read */
    size_t code_b;
    uint32_t simd, grf_count, slm_b, barriers, inline_b, scratch_b;
    uint32_t skip_per_thread_b; /* offset_to_skip_per_thread_data_load */
    uint32_t cross_thread_b;    /* max(offset + size), rounded up to 32 */
    uint32_t local_id_b;        /* per thread, 0: no local ids */
    uint32_t n_local_ids; /* how many dimensions they have, if the file says */
    bool idless; /* without local ids, and up to xelp a register of no meaning
                    stands in their place */
    bool has_dpas;
    uint32_t required[3]; /* required_work_group_size; 0: any */
    uint8_t walk_order; /* of local ids: 0 xyz 1 xzy 2 yxz 3 zxy 4 yzx 5 zyx */
    uint32_t private_b; /* bytes of private memory, per thread ... */
    bool private_is_lane; /* ... or per lane */
    uint32_t n_args;
    struct xk_zarg *args;
    uint32_t n_bindings;
    struct xk_zbinding *bindings;
    uint32_t n_relocs;
    struct xk_zreloc *relocs;
};

struct xk_zebin {
    uint32_t product_family; /* from the note or e_machine; 0 unknown */
    uint32_t revision;       /* from the note, if it names one only; 0: none */
    uint32_t ip_version;     /* of the only device that may run it; 0: none */
    uint32_t n_kernels;
    struct xk_zkernel *kernels;
    /* .data.const and .data.global, in the file; NULL: none. */
    const uint8_t *data[2];
    uint64_t data_b[2];
    /* How the kernels are launched; NULL: the file does not say. */
    struct xk_launch_list *launches;
};

/* file must outlive *out. On failure *out holds nothing. */
enum xk_status xk_zebin_read(xk_ctx *c, const void *file, size_t n_b,
                             struct xk_zebin *out);
/* The number of arguments that a launch gives: the largest arg_index + 1. */
uint32_t xk_zkernel_n_args(const struct xk_zkernel *k);
void xk_zebin_fini(xk_ctx *c, struct xk_zebin *z);

#endif
