/* SPDX-License-Identifier: Apache-2.0 */
/* The EU functional simulator: runs a kernel's bytes over thread groups. It
 * shares only isa/ with the generator. Results and findings do not depend on
 * the number of host threads (except what a kernel leaves to chance by float
 * atomics). A finding (XK_EFAULT) names kernel, instruction, byte offset,
 * group, thread, and the address where one is involved. */
#ifndef XK_SIM_SIM_H
#define XK_SIM_SIM_H

#include "base/alloc.h"
#include "container/zebin_read.h"
#include "isa/isa.h"
#include "xekern/device.h"

typedef struct xk_sim_kernel xk_sim_kernel;

/* One piece of device memory: [va, va + size_b) is backed by host[]. */
struct xk_sim_region {
    uint64_t va, size_b;
    uint8_t *host;
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

struct xk_sim_launch {
    const xk_sim_kernel *kernel;
    uint32_t groups[3], local[3]; /* thread groups; work items per group */
    const uint8_t *cross_thread;  /* cross_thread_b bytes of arguments */
    uint32_t cross_thread_b;
    /* What the kernel may touch; regions must not overlap. The array is sorted
     * by va during the call. */
    struct xk_sim_region *regions;
    unsigned n_regions;
    uint32_t slm_b;        /* bytes of shared local memory per group */
    unsigned n_threads;    /* host threads, 0 = all cores */
    uint64_t inst_limit;   /* per EU thread, 0 = 2^32 */
    bool memory_local_ids; /* local ids through memory and the prologue, as a
                              driver does when the hardware cannot make them */
};

/* Runs the launch to its end. stats may be NULL. */
enum xk_status xk_sim_launch(const struct xk_sim_launch *l,
                             struct xk_launch_stats *stats,
                             struct xk_error *err);

#endif
