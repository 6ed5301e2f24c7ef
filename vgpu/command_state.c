/* SPDX-License-Identifier: Apache-2.0 */
/* State commands, pipe control and the compute walker (virtual-device.md 4 and
 * 5). */
#include <string.h>

#include "vgpu/command_exec.h"

enum post_sync {
    POST_NONE = 0,
    POST_IMMEDIATE = 1,
    POST_OTHER = 2, /* a count of pixels, or nothing that is known */
    POST_TIMESTAMP = 3
};

static enum xk_status unknown_post_sync(struct xk_command_stream *s,
                                        const struct xk_command *cmd,
                                        const char *name)
{
    return xk_fail(s->c, XK_EUNSUPPORTED,
                   "vgpu: %s at 0x%llx: post-sync operation 2 is not modelled",
                   name, (unsigned long long)cmd->at_va);
}

static uint64_t clock_of(const struct xk_command_stream *s)
{
    const struct xk_command_ops *const o = &s->config.ops;
    return o->timestamp ? o->timestamp(o->user) : 0;
}

enum xk_status xk_cmd_pipe_control(struct xk_command_stream *s,
                                   const struct xk_command *cmd,
                                   struct xk_command_jump *jump)
{
    static const struct xk_state_field others[] = {
        {0, 8, 1, "PIPE_CONTROL: predicate"},
        {0, 14, 1, "PIPE_CONTROL: offset by a partition"},
        {1, 21, 1, "PIPE_CONTROL: store by an index"},
        {1, 23, 1, "PIPE_CONTROL: write to a register"},
    };
    const unsigned op = cmd->dw[1] >> 14 & 3;
    uint64_t v = (uint64_t)cmd->dw[5] << 32 | cmd->dw[4];
    (void)jump;
    XK_TRY(xk_cmd_has_none(s, cmd, cmd->dw, others, XK_COUNTOF(others)));
    if (op == POST_NONE)
        return XK_OK;
    if (op == POST_OTHER)
        return unknown_post_sync(s, cmd, "PIPE_CONTROL");
    if (op == POST_TIMESTAMP)
        v = clock_of(s);
    return xk_cmd_write(s, cmd, xk_cmd_address(cmd, 2) & ~3ull,
                        cmd->dw[1] >> 24 & 1, &v, 8);
}

#define L3_POST_SYNC (1u << 14)
#define L3_GGTT (1u << 21)
/* Bits of dw0: length, caches to flush, post-sync and its memory, stall. */
#define L3_KNOWN_BITS 0xffb0e7ffu

/* Flushes ranges of addresses, then writes a qword. Up to xelp the ranges are
 * those of the caches, too. Nothing is cached here, so only the write is
 * left. */
enum xk_status xk_cmd_l3_control(struct xk_command_stream *s,
                                 const struct xk_command *cmd,
                                 struct xk_command_jump *jump)
{
    const uint32_t dw0 = cmd->dw[0];
    (void)jump;
    if (dw0 & ~L3_KNOWN_BITS)
        return xk_fail(s->c, XK_EUNSUPPORTED,
                       "vgpu: L3_CONTROL at 0x%llx: bits 0x%x are unknown",
                       (unsigned long long)cmd->at_va, dw0 & ~L3_KNOWN_BITS);
    if (!(dw0 & L3_POST_SYNC))
        return XK_OK;
    if (cmd->n < 5)
        return xk_fail(s->c, XK_EFAULT,
                       "vgpu: L3_CONTROL at 0x%llx has %u dwords, not 5",
                       (unsigned long long)cmd->at_va, cmd->n);
    return xk_cmd_write(s, cmd, xk_cmd_address(cmd, 1) & ~7ull, dw0 & L3_GGTT,
                        &cmd->dw[3], 8);
}

/* Bit 0 of an address's low dword says whether that base is set. */
static void set_base(const struct xk_command *cmd, unsigned k, uint64_t *base)
{
    if (cmd->dw[k] & 1)
        *base = xk_cmd_address(cmd, k) & ~0xfffull;
}

enum xk_status xk_cmd_bases(struct xk_command_stream *s,
                            const struct xk_command *cmd,
                            struct xk_command_jump *jump)
{
    (void)jump;
    set_base(cmd, 1, &s->base.general);
    set_base(cmd, 4, &s->base.surface);
    set_base(cmd, 6, &s->base.dynamic);
    set_base(cmd, 8, &s->base.indirect);
    set_base(cmd, 10, &s->base.instruction);
    set_base(cmd, 16, &s->base.bindless_surface);
    return XK_OK;
}

enum xk_status xk_cmd_compute_mode(struct xk_command_stream *s,
                                   const struct xk_command *cmd,
                                   struct xk_command_jump *jump)
{
    const uint32_t mask = cmd->dw[1] >> 16;
    (void)jump;
    s->compute_mode = (s->compute_mode & ~mask) | (cmd->dw[1] & mask);
    return XK_OK;
}

enum xk_status xk_cmd_binding_pool(struct xk_command_stream *s,
                                   const struct xk_command *cmd,
                                   struct xk_command_jump *jump)
{
    (void)jump;
    s->base.binding_pool = xk_cmd_address(cmd, 1) & ~0xfffull;
    return XK_OK;
}

enum xk_status xk_cmd_front_end(struct xk_command_stream *s,
                                const struct xk_command *cmd,
                                struct xk_command_jump *jump)
{
    (void)jump;
    s->scratch_field = cmd->dw[1] & ~0x3ffu;
    return XK_OK;
}

#define LARGE_GRF (1u << 15)
/* X, Y, Z, of an indirect walker, from the engine's base */
#define DISPATCH_DIMENSIONS 0x500

/* dw5[20:16] of the interface descriptor. */
static bool slm_bytes(const struct xk_command_stream *s, unsigned code,
                      uint32_t *out)
{
    static const uint32_t large[] = {24, 48, 96, 128};
    if (code <= 7)
        return *out = code ? 1024u << (code - 1) : 0, true;
    if (!s->config.large_slm || code - 8 >= XK_COUNTOF(large))
        return false;
    return *out = large[code - 8] * 1024, true;
}

static uint32_t barrier_count(unsigned code)
{
    static const uint8_t counts[8] = {0, 1, 2, 4, 8, 16, 24, 32};
    return counts[code & 7];
}

static void read_walker(const uint32_t *dw, struct xk_gpu_walker *w)
{
    w->indirect_n_b = dw[2] & 0x1ffff;
    w->indirect_b = dw[3] & ~0x3fu;
    w->walk_order = dw[4] >> 22 & 7;
    w->emit_inline = dw[4] >> 25 & 1;
    for (unsigned d = 0; d < 3; d++) {
        w->emit_ids[d] = dw[4] >> (26 + d) & 1;
        w->local[d] = (dw[6] >> (10 * d) & 0x3ff) + 1;
        w->groups[d] = dw[7 + d];
        w->first_group[d] = dw[10 + d];
    }
    w->generate_ids = dw[4] >> 29 & 1;
    w->simd = (uint8_t)(8u << (dw[4] >> 30));
    w->last_mask = dw[5];
    memcpy(w->inline_data, dw + 31, sizeof w->inline_data);
}

static enum xk_status read_interface(struct xk_command_stream *s,
                                     const uint32_t *id,
                                     struct xk_gpu_walker *w)
{
    /* 32 bits that wrap inside the 4 GiB of the heap */
    w->start_va = s->base.instruction + (id[0] & ~0x3fu);
    w->sampler_b = id[3] & ~0x1fu;
    w->n_samplers = id[3] >> 2 & 7;
    w->binding_table_b = id[4] & 0x1fffe0;
    w->n_threads = id[5] & 0x3ff;
    w->n_barriers = barrier_count(id[5] >> 28 & 7);
    if (slm_bytes(s, id[5] >> 16 & 0x1f, &w->slm_b))
        return XK_OK;
    return xk_fail(s->c, XK_EFAULT, "vgpu: COMPUTE_WALKER: SLM size code is %u",
                   id[5] >> 16 & 0x1f);
}

static void indirect_groups(const struct xk_command_stream *s,
                            struct xk_gpu_walker *w)
{
    for (unsigned d = 0; d < 3; d++)
        w->groups[d] = xk_command_stream_register(
            s, s->config.mmio_base + DISPATCH_DIMENSIONS + 4 * d);
}

/* A walker writes a value when it is done, or four clock readings. */
static enum xk_status post_sync(struct xk_command_stream *s,
                                const struct xk_command *cmd, uint64_t begin)
{
    const uint64_t va = xk_cmd_address(cmd, 27);
    const uint64_t end = clock_of(s);
    const uint32_t clocks[4] = {(uint32_t)begin, (uint32_t)begin, (uint32_t)end,
                                (uint32_t)end};
    switch (cmd->dw[26] & 3) {
    case POST_IMMEDIATE:
        return xk_cmd_write(s, cmd, va, false, &cmd->dw[29], 8);
    case POST_TIMESTAMP:
        return xk_cmd_write(s, cmd, va, false, clocks, sizeof clocks);
    case POST_OTHER:
        return unknown_post_sync(s, cmd, "COMPUTE_WALKER");
    default:
        return XK_OK;
    }
}

/* Those of the walker, and of the descriptor in it. Without effect here are the
 * hints (counts of samplers and bindings, L3, dispatch sizes, preferred local
 * memory), what says only when a thread may be interrupted, the SIMD of
 * messages, and the denormal mode, since cr0 begins with the bits that say
 * "flush" and every kernel sets its own. */
static enum xk_status has_no_other(struct xk_command_stream *s,
                                   const struct xk_command *cmd)
{
    static const struct xk_state_field fields[] = {
        {0, 9, 1, "COMPUTE_WALKER: partition of the work"},
        {2, 30, 3, "COMPUTE_WALKER: partition type"},
        {4, 19, 7, "COMPUTE_WALKER: layout of local ids"},
        {18 + 2, 7, 0x51, "COMPUTE_WALKER: exceptions, by bit"},
        {18 + 2, 16, 1, "COMPUTE_WALKER: alternate float mode"},
        {18 + 2, 18, 1, "COMPUTE_WALKER: single program flow"},
        {18 + 5, 22, 3, "COMPUTE_WALKER: rounding mode"},
        {18 + 5, 31, 1, "COMPUTE_WALKER: BTD mode"},
    };
    const unsigned order = cmd->dw[4] >> 22 & 7, emit = cmd->dw[4] >> 26 & 7;
    const bool generate = cmd->dw[4] >> 29 & 1;
    if (order > 5 || (emit && (emit != 7 || !generate)))
        return xk_fail(s->c, XK_EUNSUPPORTED,
                       "vgpu: COMPUTE_WALKER at 0x%llx: walk order %u with "
                       "%slocal ids of dimensions 0x%x is not modelled",
                       (unsigned long long)cmd->at_va, order,
                       generate ? "" : "no generated ", emit);
    XK_TRY(xk_cmd_has_simd(s, cmd, "COMPUTE_WALKER"));
    return xk_cmd_has_none(s, cmd, cmd->dw, fields, XK_COUNTOF(fields));
}

enum xk_status xk_cmd_walker(struct xk_command_stream *s,
                             const struct xk_command *cmd,
                             struct xk_command_jump *jump)
{
    const struct xk_command_ops *const o = &s->config.ops;
    struct xk_gpu_walker w = {.base = s->base,
                              .scratch_field = s->scratch_field};
    const uint64_t begin = clock_of(s);
    (void)jump;
    XK_TRY(has_no_other(s, cmd));
    if (!xk_cmd_predicate_holds(s, cmd))
        return XK_OK;
    w.grf_count = s->compute_mode & LARGE_GRF ? 256 : 128;
    read_walker(cmd->dw, &w);
    XK_TRY(read_interface(s, cmd->dw + 18, &w));
    if (cmd->dw[0] >> 10 & 1)
        indirect_groups(s, &w);
    if (xk_cmd_count_groups(&w)) {
        if (!o->walker)
            return xk_fail(s->c, XK_EUNSUPPORTED,
                           "vgpu: this engine has no walker");
        XK_TRY(o->walker(o->user, &w));
    }
    return post_sync(s, cmd, begin);
}
