/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to vgpu/: the streamer's state and its commands' handlers. */
#ifndef XK_VGPU_COMMAND_EXEC_H
#define XK_VGPU_COMMAND_EXEC_H

#include "base/state_field.h"
#include "vgpu/command_stream.h"

#define uthash_fatal(text) (void)0
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define XK_MAX_COMMAND_DWORDS 64
#define XK_MAX_RINGS 64

struct xk_gpu_register {
    uint32_t offset, value;
    UT_hash_handle hh;
};

struct xk_gpu_ring {
    uint32_t lrca, head;
};

struct xk_command_stream {
    xk_ctx *c;
    struct xk_command_config config;
    struct xk_gpu_space space; /* of the current submission */
    uint8_t tables_bank;       /* enum xk_gpu_bank of page tables */
    struct xk_gpu_register *reg;
    struct xk_gpu_ring ring[XK_MAX_RINGS];
    unsigned n_rings;
    uint64_t n_commands;
    /* What walkers meet. */
    struct xk_gpu_bases base;
    uint32_t compute_mode, scratch_field, scratch_slot_b;
    uint32_t descriptors_b; /* from the dynamic base */
};

struct xk_command {
    uint64_t at_va;
    unsigned n; /* dwords */
    uint32_t dw[XK_MAX_COMMAND_DWORDS];
};

struct xk_command_jump {
    enum { XK_JUMP_NONE, XK_JUMP_END, XK_JUMP_CHAIN, XK_JUMP_CALL } kind;
    uint64_t va;
};

/* Executes one command. A command that is not modelled is an error that names
 * it (XK_EUNSUPPORTED). If ops.finds is set, the command is reported there and
 * skipped instead. */
enum xk_status xk_command_exec(struct xk_command_stream *s,
                               const struct xk_command *cmd,
                               struct xk_command_jump *jump);

typedef enum xk_status xk_command_fn(struct xk_command_stream *s,
                                     const struct xk_command *cmd,
                                     struct xk_command_jump *jump);
xk_command_fn xk_cmd_ignore, xk_cmd_batch_end, xk_cmd_batch_start;
xk_command_fn xk_cmd_math, xk_cmd_semaphore, xk_cmd_store_imm, xk_cmd_load_imm;
xk_command_fn xk_cmd_store_reg, xk_cmd_load_mem, xk_cmd_load_reg, xk_cmd_flush;
xk_command_fn xk_cmd_atomic, xk_cmd_pipe_control, xk_cmd_bases;
xk_command_fn xk_cmd_compute_mode, xk_cmd_binding_pool, xk_cmd_front_end;
xk_command_fn xk_cmd_walker, xk_cmd_block_copy, xk_cmd_color_fill;
xk_command_fn xk_cmd_mem_copy, xk_cmd_mem_set;
xk_command_fn xk_cmd_l3_control, xk_cmd_predicate;
xk_command_fn xk_cmd_vfe, xk_cmd_descriptor_load, xk_cmd_media_walker;

/* XK_EUNSUPPORTED, with the command's address and the field's name and value,
 * if one is not 0. dw: the command's, or a descriptor's. */
enum xk_status xk_cmd_has_none(struct xk_command_stream *s,
                               const struct xk_command *cmd, const uint32_t *dw,
                               const struct xk_state_field *fields, size_t n);

/* Memory at a virtual address; ggtt: of the global table. */
enum xk_status xk_cmd_read(struct xk_command_stream *s,
                           const struct xk_command *cmd, uint64_t va, bool ggtt,
                           void *dst, uint64_t n_b);
enum xk_status xk_cmd_write(struct xk_command_stream *s,
                            const struct xk_command *cmd, uint64_t va,
                            bool ggtt, const void *src, uint64_t n_b);

/* Counts one more unit of work, a command or a row of a copy. XK_EFAULT: the
 * submission has reached its limit. */
enum xk_status xk_cmd_count(struct xk_command_stream *s);

/* A walker's SIMD size (dw4[31:30]) is one of three; name: what it is called.
 */
enum xk_status xk_cmd_has_simd(struct xk_command_stream *s,
                               const struct xk_command *cmd, const char *name);

/* False: the command depends on a predicate (dw0[8]), which is not set.
 * Programs put it into MI_PREDICATE_RESULT. */
bool xk_cmd_predicate_holds(const struct xk_command_stream *s,
                            const struct xk_command *cmd);

/* Turns a walker's ends into counts: groups[] holds ends before the call, and
 * afterwards the number of groups from first_group[] on. False: there is no
 * group. */
bool xk_cmd_count_groups(struct xk_gpu_walker *w);

/* Two dwords from k as an address of 48 bits. */
static inline uint64_t xk_cmd_address(const struct xk_command *cmd, unsigned k)
{
    return ((uint64_t)cmd->dw[k + 1] << 32 | cmd->dw[k]) & 0xffffffffffffull;
}

#endif
