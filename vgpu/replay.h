/* SPDX-License-Identifier: Apache-2.0 */
/* Executes what Intel's driver wrote down in AUB capture mode: register and
 * memory writes build the device's memory, a write to an engine's submit
 * register runs its command streamer, and each compute walker runs on the
 * simulator, with the driver's own page tables, state and payload. */
#ifndef XK_VGPU_REPLAY_H
#define XK_VGPU_REPLAY_H

#include "isa/isa.h"
#include "vgpu/gpu_memory.h"
#include "xekern/simulate.h"

/* A walker that was executed. */
struct xk_replay_launch {
    uint64_t start_va; /* of its first instruction */
    uint32_t groups[3], local[3], n_threads, simd;
    struct xk_launch_stats stats;
};

struct xk_replay_config {
    const struct xk_platform *platform; /* NULL: the capture says */
    unsigned n_host_threads;            /* 0 = all cores */
    uint64_t max_memory_b;              /* of the captured device; 0 = 16 GiB */
    uint64_t max_commands;              /* of a submission; 0 = 10 million */
    uint64_t max_threads; /* EU threads of a launch; 0: any number */
    const struct xk_simulate_opts *look; /* at each walker; NULL: not at all */
    /* Before and after each walker; may be NULL. */
    void (*begins)(void *user, const struct xk_replay_launch *l);
    void (*launched)(void *user, const struct xk_replay_launch *l);
    void *user;
};

typedef struct xk_replay xk_replay;

/* A device on which nothing has happened yet. *config is copied. */
XK_GIVE enum xk_status xk_replay_create(xk_ctx *c,
                                        const struct xk_replay_config *config,
                                        xk_replay **out);
void xk_replay_destroy(xk_replay *r);

/* Executes the next bytes of a capture. They may end inside a packet, whose
 * rest then comes with the next call. An error names the packet, the command or
 * the instruction. Earlier effects remain. After an error each call fails with
 * the same error. */
enum xk_status xk_replay_feed(xk_replay *r, const void *bytes, size_t n_b);
/* XK_EPARSE if the capture ends inside a packet. */
enum xk_status xk_replay_end(xk_replay *r);

/* NULL before the capture has named its device. */
const struct xk_platform *xk_replay_platform(const xk_replay *r);

/* n_b bytes at a virtual address of the context that submitted last. XK_EFAULT:
 * not mapped. */
enum xk_status xk_replay_read(const xk_replay *r, uint64_t va, void *dst,
                              uint64_t n_b);

#endif
