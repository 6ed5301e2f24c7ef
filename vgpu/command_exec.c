/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands: which bits name one, and what runs it. */
#include "vgpu/command_exec.h"

/* The bits that name a command (virtual-device.md 4): dw0[31:23] for MI,
 * dw0[31:22] for the blitter, dw0[31:16] for the rest. */
#define MI(op) 0xff800000u, (uint32_t)(op) << 23
#define BLIT(op) 0xffc00000u, 2u << 29 | (uint32_t)(op) << 22
#define GFX(sub, op, fn)                                                       \
    0xffff0000u, 3u << 29 | (uint32_t)(sub) << 27 | (uint32_t)(op) << 24 |     \
                     (uint32_t)(fn) << 16
/* dw0[23:18] says which of CFE_STATE and COMPUTE_WALKER it is. */
#define GFX2(sub, op, fn)                                                      \
    0xfffc0000u, 3u << 29 | (uint32_t)(sub) << 27 | (uint32_t)(op) << 24 |     \
                     (uint32_t)(fn) << 18

/* One bit is the sub-opcode; the bits below it are flags. */
#define L3_CONTROL 0xff800000u, 0x7d800000u

/* All commands that the driver's sources have a structure for (22.43: gen12lp,
 * xe_hpg_core, xe_hpc_core). */
static const struct row {
    uint32_t mask, value;
    uint8_t dwords; /* that the handler reads */
    const char *name;
    xk_command_fn *fn; /* NULL: not modelled, and nothing emits it */
} rows[] = {
    {MI(0x00), 1, "MI_NOOP", xk_cmd_ignore},
    {MI(0x01), 1, "MI_SET_PREDICATE", xk_cmd_predicate},
    {MI(0x02), 1, "MI_USER_INTERRUPT", xk_cmd_ignore},
    {MI(0x05), 1, "MI_ARB_CHECK", xk_cmd_ignore},
    {MI(0x08), 1, "MI_ARB_ON_OFF", xk_cmd_ignore},
    {MI(0x09), 1, "MI_MEM_FENCE", xk_cmd_ignore},
    {MI(0x0a), 1, "MI_BATCH_BUFFER_END", xk_cmd_batch_end},
    {MI(0x1a), 1, "MI_MATH", xk_cmd_math},
    {MI(0x1c), 4, "MI_SEMAPHORE_WAIT", xk_cmd_semaphore},
    {MI(0x20), 4, "MI_STORE_DATA_IMM", xk_cmd_store_imm},
    {MI(0x22), 1, "MI_LOAD_REGISTER_IMM", xk_cmd_load_imm},
    {MI(0x24), 4, "MI_STORE_REGISTER_MEM", xk_cmd_store_reg},
    {MI(0x26), 5, "MI_FLUSH_DW", xk_cmd_flush},
    {MI(0x28), 1, "MI_REPORT_PERF_COUNT", NULL},
    {MI(0x29), 4, "MI_LOAD_REGISTER_MEM", xk_cmd_load_mem},
    {MI(0x2a), 3, "MI_LOAD_REGISTER_REG", xk_cmd_load_reg},
    {MI(0x2f), 3, "MI_ATOMIC", xk_cmd_atomic},
    {MI(0x31), 3, "MI_BATCH_BUFFER_START", xk_cmd_batch_start},
    {MI(0x36), 1, "MI_CONDITIONAL_BATCH_BUFFER_END", NULL},
    {GFX(3, 2, 0), 6, "PIPE_CONTROL", xk_cmd_pipe_control},
    {GFX(1, 1, 4), 1, "PIPELINE_SELECT", xk_cmd_ignore},
    {GFX(0, 1, 1), 22, "STATE_BASE_ADDRESS", xk_cmd_bases},
    {GFX(0, 1, 2), 1, "STATE_SIP", xk_cmd_ignore},
    {GFX(0, 0, 3), 1, "STATE_PREFETCH", xk_cmd_ignore}, /* of code */
    {GFX(0, 1, 4), 1, "GPGPU_CSR_BASE_ADDRESS", xk_cmd_ignore},
    {GFX(0, 1, 5), 2, "STATE_COMPUTE_MODE", xk_cmd_compute_mode},
    {GFX(0, 1, 6), 1, "3DSTATE_BTD", xk_cmd_ignore},
    {GFX(0, 1, 9), 1, "STATE_SYSTEM_MEM_FENCE_ADDRESS", xk_cmd_ignore},
    {GFX(3, 1, 0x19), 4, "3DSTATE_BINDING_TABLE_POOL_ALLOC",
     xk_cmd_binding_pool},
    {L3_CONTROL, 1, "L3_CONTROL", xk_cmd_l3_control},
    {GFX(2, 0, 0), 9, "MEDIA_VFE_STATE", xk_cmd_vfe},
    {GFX(2, 0, 2), 4, "MEDIA_INTERFACE_DESCRIPTOR_LOAD",
     xk_cmd_descriptor_load},
    {GFX(2, 0, 4), 1, "MEDIA_STATE_FLUSH", xk_cmd_ignore},
    {GFX(2, 1, 5), 15, "GPGPU_WALKER", xk_cmd_media_walker},
    {GFX2(2, 2, 0), 6, "CFE_STATE", xk_cmd_front_end},
    {GFX2(2, 2, 2), 39, "COMPUTE_WALKER", xk_cmd_walker},
    {BLIT(0x41), 12, "XY_BLOCK_COPY_BLT", xk_cmd_block_copy},
    {BLIT(0x44), 8, "XY_FAST_COLOR_BLT", xk_cmd_color_fill},
    {BLIT(0x53), 1, "XY_SRC_COPY_BLT", NULL},
    {BLIT(0x5a), 9, "MEM_COPY", xk_cmd_mem_copy},
    {BLIT(0x5b), 7, "MEM_SET", xk_cmd_mem_set},
};

static enum xk_status exec(struct xk_command_stream *s,
                           const struct xk_command *cmd,
                           struct xk_command_jump *jump)
{
    for (size_t k = 0; k < XK_COUNTOF(rows); k++) {
        if ((cmd->dw[0] & rows[k].mask) != rows[k].value)
            continue;
        if (cmd->n < rows[k].dwords)
            return xk_fail(s->c, XK_EFAULT,
                           "vgpu: %s at 0x%llx has %u dwords, not %u",
                           rows[k].name, (unsigned long long)cmd->at_va, cmd->n,
                           rows[k].dwords);
        if (rows[k].fn)
            return rows[k].fn(s, cmd, jump);
        return xk_fail(s->c, XK_EUNSUPPORTED,
                       "vgpu: %s at 0x%llx is not modelled", rows[k].name,
                       (unsigned long long)cmd->at_va);
    }
    return xk_fail(s->c, XK_EUNSUPPORTED,
                   "vgpu: command 0x%08x at 0x%llx is unknown", cmd->dw[0],
                   (unsigned long long)cmd->at_va);
}

/* The command types whose length is known: MI, blitter, the rest. */
static bool can_skip(const struct xk_command *cmd)
{
    const unsigned type = cmd->dw[0] >> 29;
    return type == 0 || type == 2 || type == 3;
}

enum xk_status xk_command_exec(struct xk_command_stream *s,
                               const struct xk_command *cmd,
                               struct xk_command_jump *jump)
{
    const struct xk_command_ops *const o = &s->config.ops;
    const enum xk_status st = exec(s, cmd, jump);
    if (st != XK_EUNSUPPORTED || !o->finds || !can_skip(cmd))
        return st;
    o->finds(o->user, s->c->error.message);
    xk_ctx_clear(s->c);
    return XK_OK;
}

enum xk_status xk_cmd_has_none(struct xk_command_stream *s,
                               const struct xk_command *cmd, const uint32_t *dw,
                               const struct xk_state_field *fields, size_t n)
{
    uint32_t v;
    const struct xk_state_field *const f =
        xk_state_field_set(dw, fields, n, &v);
    return f ? xk_fail(s->c, XK_EUNSUPPORTED,
                       "vgpu: %s 0x%x of the command at 0x%llx is not "
                       "modelled",
                       f->what, v, (unsigned long long)cmd->at_va)
             : XK_OK;
}

enum xk_status xk_cmd_has_simd(struct xk_command_stream *s,
                               const struct xk_command *cmd, const char *name)
{
    if (cmd->dw[4] >> 30 != 3)
        return XK_OK;
    return xk_fail(s->c, XK_EUNSUPPORTED,
                   "vgpu: %s at 0x%llx: SIMD size 3 is not modelled", name,
                   (unsigned long long)cmd->at_va);
}

#define PREDICATE_RESULT 0x418 /* from the engine's base */

bool xk_cmd_predicate_holds(const struct xk_command_stream *s,
                            const struct xk_command *cmd)
{
    return !(cmd->dw[0] >> 8 & 1) ||
           (xk_command_stream_register(s,
                                       s->config.mmio_base + PREDICATE_RESULT) &
            1);
}

bool xk_cmd_count_groups(struct xk_gpu_walker *w)
{
    for (unsigned d = 0; d < 3; d++) {
        if (w->groups[d] <= w->first_group[d])
            return false;
        w->groups[d] -= w->first_group[d];
    }
    return true;
}

static enum xk_status not_mapped(struct xk_command_stream *s,
                                 const struct xk_command *cmd, uint64_t va)
{
    if (xk_ctx_status(s->c) !=
        XK_OK) /* out of memory; the context has the error */
        return xk_ctx_status(s->c);
    return xk_fail(s->c, XK_EFAULT,
                   "vgpu: command 0x%08x at 0x%llx: address 0x%llx is not "
                   "mapped",
                   cmd->dw[0], (unsigned long long)cmd->at_va,
                   (unsigned long long)va);
}

enum xk_status xk_cmd_read(struct xk_command_stream *s,
                           const struct xk_command *cmd, uint64_t va, bool ggtt,
                           void *dst, uint64_t n_b)
{
    struct xk_gpu_phys at;
    uint64_t bad = va;
    if (ggtt ? xk_gpu_ggtt_translate(s->space.m, va, &at)
             : xk_gpu_read(&s->space, va, dst, n_b, &bad)) {
        if (ggtt)
            xk_gpu_phys_read(s->space.m, at, dst, n_b);
        return XK_OK;
    }
    return not_mapped(s, cmd, bad);
}

enum xk_status xk_cmd_write(struct xk_command_stream *s,
                            const struct xk_command *cmd, uint64_t va,
                            bool ggtt, const void *src, uint64_t n_b)
{
    struct xk_gpu_phys at;
    uint64_t bad = va;
    if (ggtt && xk_gpu_ggtt_translate(s->space.m, va, &at))
        return xk_gpu_phys_write(s->space.m, at, src, n_b);
    if (!ggtt && xk_gpu_write(&s->space, va, src, n_b, &bad))
        return XK_OK;
    return not_mapped(s, cmd, bad);
}
