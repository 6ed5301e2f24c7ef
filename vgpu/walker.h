/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a compute walker of the command streamer on the simulator. Mapped pages
 * become the simulator's regions, and the walker becomes its dispatch. */
#ifndef XK_VGPU_WALKER_H
#define XK_VGPU_WALKER_H

#include "sim/watch.h"
#include "vgpu/command_stream.h"

struct xk_walker_config {
    const struct xk_platform *platform;
    unsigned n_host_threads;
    uint64_t max_threads;                /* of the launch; 0: any number */
    const struct xk_simulate_opts *look; /* NULL: at nothing */
};

/* Size of a kernel's code, from its first instruction to its last. Code behind
 * the end of a thread to which no branch jumps is not part of it. The result is
 * n_b if branches through registers leave it open. */
size_t xk_walker_code_bytes(const struct xk_platform *p, const uint8_t *code,
                            size_t n_b);
/* A kernel's code, and its name for messages. */
struct xk_walker_code {
    const char *name;
    const uint8_t *code;
    size_t n_b;
};
/* The kernel of a walker, decoded. */
XK_GIVE enum xk_status xk_walker_kernel(xk_ctx *c, const struct xk_platform *p,
                                        const struct xk_gpu_walker *w,
                                        const struct xk_walker_code *code,
                                        xk_sim_kernel **out);
/* The memory that a walker's threads reach, sorted by va. */
struct xk_walker_memory {
    struct xk_sim_region *region;
    unsigned n_regions;
};
enum xk_status xk_walker_dispatch(xk_ctx *c,
                                  const struct xk_walker_config *config,
                                  const struct xk_gpu_walker *w,
                                  const xk_sim_kernel *kernel,
                                  const struct xk_walker_memory *memory,
                                  struct xk_launch_stats *stats);

/* Copies the space's pages, runs, and writes changed pages back. */
enum xk_status xk_walker_run(xk_ctx *c, const struct xk_walker_config *config,
                             const struct xk_gpu_space *space,
                             const struct xk_gpu_walker *w,
                             struct xk_launch_stats *stats);

#endif
