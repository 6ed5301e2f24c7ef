/* SPDX-License-Identifier: Apache-2.0 */
/* The EU's functional simulator: it runs a kernel's bytes over thread groups.
 * It shares only isa/ with the generator. Results and findings do not depend on
 * the number of host threads, except for what a kernel leaves to chance by
 * float atomics. A finding (XK_EFAULT) names kernel, instruction, byte offset,
 * group, thread, and the address if there is one. */
#ifndef XK_SIM_SIM_H
#define XK_SIM_SIM_H

#include "base/alloc.h"
#include "container/zebin_read.h"
#include "isa/isa.h"
#include "sim/check.h"
#include "xekern/device.h"

typedef struct xk_sim_kernel xk_sim_kernel;
struct xk_sim_watch; /* sim/watch.h */

/* What a piece of device memory is for. */
enum xk_sim_region_kind {
    XK_SIM_BUFFER,  /* data of the kernel */
    XK_SIM_STATE,   /* arguments, surface states, binding tables: driver's */
    XK_SIM_SCRATCH, /* private memory of threads */
    XK_SIM_FREED    /* was a buffer: host may be NULL, every use is a finding */
};

/* The number of instructions that an EU thread may execute where nobody gives
 * one: a quarter of a second on hardware, some ten seconds here. */
#define XK_SIM_INST_LIMIT (UINT64_C(1) << 28)

/* One piece of device memory: [va, va + size_b) is backed by host[]. */
struct xk_sim_region {
    uint64_t va, size_b;
    uint8_t *host;
    uint8_t kind; /* enum xk_sim_region_kind */
};

/* Decodes the code once. *zk may go away afterwards; zk->code may be any native
 * code. An instruction that does not decode is a finding only when it is
 * executed. NULL alloc means xk_alloc_default. */
XK_GIVE enum xk_status xk_sim_kernel_create(const struct xk_alloc *alloc,
                                            const struct xk_platform *p,
                                            const struct xk_zkernel *zk,
                                            xk_sim_kernel **out,
                                            struct xk_error *err);
void xk_sim_kernel_destroy(xk_sim_kernel *k);
/* How many instructions were decoded, and how many bytes they are. */
unsigned xk_sim_kernel_insts(const xk_sim_kernel *k);

/* What the hardware gets: a walker and the state that it meets. It knows
 * nothing of containers or arguments. xk_sim_launch, a captured launch and the
 * virtual device all end here. */
struct xk_sim_dispatch {
    const xk_sim_kernel *kernel;
    uint32_t start_b;        /* offset of the first instruction in the code */
    uint32_t groups[3];      /* how many in each dimension */
    uint32_t first_group[3]; /* the number of the first group: a driver walks
                                the remainders of a grid by themselves */
    uint32_t simd;           /* lanes of a thread's dispatch mask: 8, 16, 32 */
    uint32_t n_threads;      /* per group */
    uint32_t last_mask;      /* dispatch mask of the last thread of a group */
    /* Payload behind r0, in this order, each in whole registers. */
    bool emit_ids; /* x, y, z of the lanes, 16 bits each, made by the
                      hardware: local[] in walk_order */
    uint32_t local[3];
    uint8_t walk_order; /* 0 xyz 1 xzy 2 yxz 3 zxy 4 yzx 5 zyx, fastest first */
    const uint8_t *thread_data; /* per thread, thread_data_b apart; or NULL */
    uint32_t thread_data_b;     /* multiple of the register size */
    const uint8_t *cross_data;  /* the same for all threads: inline data, or
                                   what xelp preloads; or NULL */
    uint32_t cross_data_b;
    /* Addresses that r0 and messages use. */
    uint32_t indirect_b;     /* r0.0: from general_va, multiple of 64 */
    uint32_t scratch_field;  /* r0.5[31:10] */
    uint32_t scratch_slot_b; /* bytes a thread, 0: none */
    bool scratch_surface; /* r0.5[31:10] >> 4 is the offset of a surface state
                             of type scratch; else r0.5[31:10] is the thread's
                             own space, from general_va */
    uint32_t
        sr0_holes; /* bits of sr0.0 that are no part of a thread's number */
    uint32_t
        n_slots; /* how many threads at once the machine has numbers for;
                    scratch and private memory are sized by it; 0: any number */
    uint64_t general_va, surface_va, bindless_va;
    uint64_t dynamic_va; /* 0: no samplers */
    uint32_t sampler_b;  /* of the first sampler's state, from dynamic_va; a
                            multiple of 32, in r0.3 */
    uint64_t binding_table_va; /* 0: none */
    uint32_t slm_b, n_barriers;
    /* What the kernel may touch; regions must not overlap. The array is sorted
     * by va during the call. */
    struct xk_sim_region *regions;
    unsigned n_regions;
    unsigned n_host_threads;          /* 0 = all cores */
    uint64_t inst_limit;              /* per EU thread, 0: XK_SIM_INST_LIMIT */
    const struct xk_sim_watch *watch; /* NULL: nobody looks */
    struct xk_sim_checks check;
};

/* The number of the group that a dispatch starts as the index-th: x fastest, or
 * in the order of check.group_seed. */
void xk_sim_group_id(const struct xk_sim_dispatch *d, uint64_t index,
                     uint32_t id[3]);
/* Sets what the platform of d->kernel decides and not the walker:
 * scratch_surface, sr0_holes, n_slots. */
void xk_sim_dispatch_habits(struct xk_sim_dispatch *d);

/* Runs the dispatch to its end. stats may be NULL. */
enum xk_status xk_sim_dispatch(const struct xk_sim_dispatch *d,
                               struct xk_launch_stats *stats,
                               struct xk_error *err);

/* Where xk_sim_launch puts what arguments must point to: private memory, and
 * the states of the surfaces, whose places are offsets from the base of
 * bindless surface states. */
#define XK_SIM_PRIVATE_VA UINT64_C(0x800300000000)
#define XK_SIM_STATE_OFFSET_B(k) (128u + 64u * (k))

/* A buffer that a kernel reaches through a surface. */
struct xk_sim_bound {
    uint32_t bti; /* in the binding table; UINT32_MAX: in none */
    uint64_t va, size_b;
};

/* A kernel of a container with marshalled arguments: the driver's part is done
 * here (heap, payload, start address), then it is dispatched. */
struct xk_sim_launch {
    const xk_sim_kernel *kernel;
    uint32_t groups[3], local[3]; /* thread groups; work items per group */
    uint32_t first_group[3];      /* the number of the first */
    const uint8_t *cross_thread;  /* cross_thread_b bytes of arguments */
    uint32_t cross_thread_b;
    /* What the kernel may touch; regions must not overlap. The array is sorted
     * by va during the call. */
    struct xk_sim_region *regions;
    unsigned n_regions;
    const struct xk_sim_bound *bound;
    unsigned n_bound;
    uint8_t walk_order;    /* of local ids, as in xk_sim_dispatch */
    uint32_t private_b;    /* per thread, at XK_SIM_PRIVATE_VA; 0: none */
    uint32_t slm_b;        /* bytes of shared local memory per group */
    unsigned n_threads;    /* host threads, 0 = all cores */
    uint64_t inst_limit;   /* per EU thread, 0: XK_SIM_INST_LIMIT */
    bool memory_local_ids; /* local ids through memory and the prologue, as a
                              driver does when the hardware cannot make them */
    const struct xk_sim_watch *watch; /* NULL: nobody looks */
    struct xk_sim_checks check;
};

/* Bytes that the ids of one dimension take in a thread's payload. */
uint32_t xk_sim_id_bytes(const struct xk_platform *p, uint32_t simd);

/* Runs the launch to its end. stats may be NULL. */
enum xk_status xk_sim_launch(const struct xk_sim_launch *l,
                             struct xk_launch_stats *stats,
                             struct xk_error *err);

#endif
