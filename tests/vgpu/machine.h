/* SPDX-License-Identifier: Apache-2.0 */
/* A small device for the tests of vgpu/: memory with page tables as Intel's
 * driver lays them out (virtual-device.md 2), one engine, one context, and a
 * batch that is filled dword by dword. */
#ifndef XK_TESTS_VGPU_MACHINE_H
#define XK_TESTS_VGPU_MACHINE_H

#include "vgpu/command_stream.h"

#define MACHINE_LRCA 0x6000u
#define MACHINE_BASE 0x2000u /* registers of the engine */
#define MACHINE_BATCH UINT64_C(0x7f0000100000)
#define MACHINE_DATA UINT64_C(0x7f0000200000) /* MACHINE_DATA_PAGES pages */
#define MACHINE_DATA_PAGES 8
#define MACHINE_BATCH_PAGES 4
#define MACHINE_BATCH_DWORDS (MACHINE_BATCH_PAGES * 1024)
#define MACHINE_RING_B 0x1000u

struct machine {
    xk_ctx *c;
    xk_gpu_memory *m;
    xk_command_stream *s;
    struct xk_gpu_space space;
    uint64_t next_page; /* physical, not yet given away */
    uint32_t tail;      /* of the ring, bytes */
    uint64_t clock;
    /* The walkers that were met. */
    struct xk_gpu_walker walker;
    unsigned n_walkers;
    enum xk_status walker_status; /* that they shall return */
};

/* max_commands of a submission; 0: 100. */
void machine_open(struct machine *g, uint64_t max_commands);
void machine_close(struct machine *g);

/* Maps the page of va to a new physical one of the bank; tables as needed. */
void machine_map(struct machine *g, uint64_t va, enum xk_gpu_bank bank);
/* Writes one 8-byte entry of the linear tables of va; level 0 is the leaf. */
void machine_set_entry(struct machine *g, uint64_t va, int level,
                       uint64_t entry);

/* Writes the dwords at the batch's start, ends them with MI_BATCH_BUFFER_END,
 * and runs them from the ring. */
enum xk_status machine_run(struct machine *g, const uint32_t *dw, unsigned n);
/* The same dwords, placed but not run; no end is added. */
void machine_place(struct machine *g, uint64_t va, const uint32_t *dw,
                   unsigned n);
/* Runs what lies at va. */
enum xk_status machine_submit(struct machine *g, uint64_t va);

uint32_t machine_read32(struct machine *g, uint64_t va);
uint64_t machine_read64(struct machine *g, uint64_t va);
void machine_write64(struct machine *g, uint64_t va, uint64_t v);

#endif
