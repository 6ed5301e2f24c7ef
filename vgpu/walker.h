/* SPDX-License-Identifier: Apache-2.0 */
/* A compute walker of the command streamer onto the simulator: mapped pages
 * become the simulator's regions, the walker its dispatch. */
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

/* Copies the space's pages, runs, and writes changed pages back. */
enum xk_status xk_walker_run(xk_ctx *c, const struct xk_walker_config *config,
                             const struct xk_gpu_space *space,
                             const struct xk_gpu_walker *w,
                             struct xk_launch_stats *stats);

#endif
