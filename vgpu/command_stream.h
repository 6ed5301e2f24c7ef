/* SPDX-License-Identifier: Apache-2.0 */
/* A command streamer: executes a ring and its batches in order, for one engine
 * of a virtual device (virtual-device.md 2.2 and 4). Compute walkers go to a
 * callback; all other commands that change memory are executed here. */
#ifndef XK_VGPU_COMMAND_STREAM_H
#define XK_VGPU_COMMAND_STREAM_H

#include "vgpu/gpu_memory.h"

/* Heaps, as the state commands set them. */
struct xk_gpu_bases {
    uint64_t general, surface, bindless_surface, dynamic, instruction;
    uint64_t indirect;     /* of data that is preloaded */
    uint64_t binding_pool; /* 0: binding tables are relative to `surface` */
};

/* A COMPUTE_WALKER with the state that is set when it is executed. */
struct xk_gpu_walker {
    struct xk_gpu_bases base;
    uint32_t groups[3]; /* how many */
    uint32_t first_group[3];
    uint32_t local[3];  /* work items, where the hardware makes ids */
    uint32_t n_threads; /* per group */
    uint32_t last_mask; /* dispatch mask of a group's last thread */
    uint8_t simd;       /* 8, 16, 32 */
    uint8_t walk_order; /* of generated ids: 0 xyz .. 5 zyx */
    bool emit_ids[3], generate_ids, emit_inline;
    uint8_t inline_data[32];
    uint32_t indirect_b, indirect_n_b; /* from the general base; length */
    uint64_t start_va;                 /* first instruction */
    uint32_t binding_table_b;          /* from the binding pool */
    uint32_t sampler_b, n_samplers;
    uint32_t slm_b, n_barriers;
    uint32_t scratch_field; /* r0.5[31:10], from CFE_STATE */
    uint16_t grf_count;     /* 128, 256 */
    /* Up to xelp the hardware loads indirect data into registers. In memory
     * cross_data_b bytes come first, then thread_data_b for each thread. */
    bool preloads;
    uint32_t cross_data_b, thread_data_b;
    uint32_t scratch_slot_b; /* bytes of one thread at scratch_field; 0: none */
};

struct xk_command_stream;

struct xk_command_ops {
    /* Runs the walker to its end; an error ends the batch. */
    enum xk_status (*walker)(void *user, const struct xk_gpu_walker *w);
    /* The device's clock, in ticks. */
    uint64_t (*timestamp)(void *user);
    void *user;
    /* Called before a semaphore tests va: takes what the client's CPU has
     * written there. NULL: nobody else writes. */
    void (*look)(void *user, uint64_t va);
    /* Called when a semaphore's condition does not hold; va is the address that
     * it tests. True: test it again. False: it can never hold. NULL: it never
     * can. */
    bool (*wait)(void *user, uint64_t va);
    /* Reports a command, or a field of one, that is not modelled; the sentence
     * names it. The command is skipped. NULL: such a command is an error. */
    void (*finds)(void *user, const char *sentence);
};

typedef struct xk_command_stream xk_command_stream;

/* large_slm selects the table for the walker's SLM size code, see
 * xk_gpu_slm_bytes. */
struct xk_command_config {
    uint32_t mmio_base;    /* 0x2000 render, 0x1a000 compute, 0x22000 copy */
    bool large_slm;        /* sizes above 64 KiB: xehpc */
    uint64_t max_commands; /* per submission; more is an endless batch */
    struct xk_command_ops ops;
    xk_va_store *store; /* memory by virtual address; NULL: by page tables */
};
XK_GIVE enum xk_status
xk_command_stream_create(xk_ctx *c, const struct xk_command_config *config,
                         xk_command_stream **out);
void xk_command_stream_destroy(xk_command_stream *s);

/* One submission: the ring of the context image at `lrca` (an address of the
 * global table), from where the last submission of that context ended to its
 * tail. Errors name the command, its address and the field. */
enum xk_status xk_command_stream_submit(xk_command_stream *s, xk_gpu_memory *m,
                                        uint32_t lrca);

/* A register, as MI_LOAD_REGISTER_IMM and the driver's register writes see it;
 * absolute offset. */
enum xk_status xk_command_stream_set_register(xk_command_stream *s,
                                              uint32_t offset, uint32_t value);
uint32_t xk_command_stream_register(const xk_command_stream *s,
                                    uint32_t offset);

#endif
