/* SPDX-License-Identifier: Apache-2.0 */
/* Executes what Intel's driver wrote down in AUB capture mode: register and
 * memory writes build the device's memory, a write to an engine's submit
 * register runs its command streamer, and each compute walker runs on the
 * simulator, with the driver's own page tables, state and payload. */
#ifndef XK_VGPU_REPLAY_H
#define XK_VGPU_REPLAY_H

#include "isa/isa.h"
#include "vgpu/gpu_memory.h"
#include "xekern/device.h"

/* A walker that was executed. */
struct xk_replay_launch {
    uint64_t start_va; /* of its first instruction */
    uint32_t groups[3], n_threads, simd;
    struct xk_launch_stats stats;
};

struct xk_replay_config {
    const struct xk_platform *platform;
    unsigned n_host_threads; /* 0 = all cores */
    uint64_t inst_limit;     /* per EU thread, 0 = default */
    uint64_t max_memory_b;   /* of the captured device; 0 = 16 GiB */
    /* After each walker; may be NULL. */
    void (*launched)(void *user, const struct xk_replay_launch *l);
    void *user;
};

typedef struct xk_replay xk_replay;

/* Reads the whole capture and executes it. Errors name the packet, the command
 * or the instruction. *out holds the memory as it is after the last packet
 * (also on failure, when it is not NULL). */
enum xk_status xk_replay_run(xk_ctx *c, const struct xk_replay_config *config,
                             const void *file, size_t n_b,
                             XK_GIVE xk_replay **out);
void xk_replay_destroy(xk_replay *r);

/* n_b bytes at a virtual address, in the address space of the context that
 * submitted last. XK_EFAULT: not mapped. */
enum xk_status xk_replay_read(const xk_replay *r, uint64_t va, void *dst,
                              uint64_t n_b);

#endif
