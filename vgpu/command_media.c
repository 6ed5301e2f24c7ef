/* SPDX-License-Identifier: Apache-2.0 */
/* How devices up to xelp dispatch. An interface descriptor lies in dynamic
 * state. The hardware loads a walker's indirect data into registers: first each
 * thread's own part (local ids), behind it the part that is the same for all
 * threads. In memory the common part comes first. */
#include <string.h>

#include "vgpu/command_exec.h"

#define DESCRIPTOR_B 32u
#define GRF_B 32u
#define SCRATCH_MAX 11u           /* 2 MiB */
#define INDIRECT_DIMENSIONS 0x500 /* X, Y, Z, from the engine's base */

/* dw1[31:10] is the address of the scratch space, and without it there is none.
 * dw1[3:0] is the size of a thread's part: 1 KiB times a power of two. */
enum xk_status xk_cmd_vfe(struct xk_command_stream *s,
                          const struct xk_command *cmd,
                          struct xk_command_jump *jump)
{
    static const struct xk_state_field high = {
        2, 0, 0xffff, "MEDIA_VFE_STATE: scratch above 4 GiB"};
    (void)jump;
    XK_TRY(xk_cmd_has_none(s, cmd, cmd->dw, &high, 1));
    if ((cmd->dw[1] & 0xf) > SCRATCH_MAX)
        return xk_fail(s->c, XK_EUNSUPPORTED,
                       "vgpu: MEDIA_VFE_STATE at 0x%llx: scratch size %u is "
                       "not modelled",
                       (unsigned long long)cmd->at_va, cmd->dw[1] & 0xf);
    s->scratch_field = cmd->dw[1] & ~0x3ffu;
    s->scratch_slot_b = s->scratch_field ? 1024u << (cmd->dw[1] & 0xf) : 0;
    return XK_OK;
}

enum xk_status xk_cmd_descriptor_load(struct xk_command_stream *s,
                                      const struct xk_command *cmd,
                                      struct xk_command_jump *jump)
{
    (void)jump;
    s->descriptors_b = cmd->dw[3];
    return XK_OK;
}

static enum xk_status read_descriptor(struct xk_command_stream *s,
                                      const struct xk_command *cmd,
                                      struct xk_gpu_walker *w)
{
    /* command_state.c says which are without effect */
    static const struct xk_state_field others[] = {
        {2, 7, 0x51, "interface descriptor: exceptions, by bit"},
        {2, 16, 1, "interface descriptor: alternate float mode"},
        {2, 18, 1, "interface descriptor: single program flow"},
        {5, 0, 0xffff, "interface descriptor: offset of constant data"},
        {6, 15, 1, "interface descriptor: global barrier"},
        {6, 22, 3, "interface descriptor: rounding mode"},
    };
    const uint64_t va =
        s->base.dynamic + s->descriptors_b + DESCRIPTOR_B * (cmd->dw[1] & 0x3f);
    uint32_t id[DESCRIPTOR_B / 4];
    XK_TRY(xk_cmd_read(s, cmd, va, false, id, sizeof id));
    XK_TRY(xk_cmd_has_none(s, cmd, id, others, XK_COUNTOF(others)));
    const unsigned slm_code = id[6] >> 16 & 0x1f;
    w->start_va = s->base.instruction +
                  ((uint64_t)(id[1] & 0xffff) << 32 | (id[0] & ~0x3fu));
    w->sampler_b = id[3] & ~0x1fu;
    w->n_samplers = id[3] >> 2 & 7;
    w->binding_table_b = id[4] & 0xffe0;
    w->thread_data_b = (id[5] >> 16) * GRF_B;
    w->n_threads = id[6] & 0x3ff;
    w->n_barriers = id[6] >> 21 & 1;
    w->cross_data_b = (id[7] & 0xff) * GRF_B;
    if (slm_code > 7)
        return xk_fail(s->c, XK_EFAULT, "vgpu: GPGPU_WALKER: SLM size code %u",
                       slm_code);
    w->slm_b = slm_code ? 1024u << (slm_code - 1) : 0;
    return XK_OK;
}

/* A group's threads are counted by width, height and depth. A height has a mask
 * of its own for its last row. */
static enum xk_status check_counters(struct xk_command_stream *s,
                                     const struct xk_command *cmd,
                                     uint32_t n_threads)
{
    const uint32_t dw = cmd->dw[4], w = (dw & 0x3f) + 1, h = dw >> 8 & 0x3f,
                   d = dw >> 16 & 0x3f;
    if (!h && !d && w == n_threads && cmd->dw[14] == UINT32_MAX)
        return XK_OK;
    return xk_fail(
        s->c, XK_EUNSUPPORTED,
        "vgpu: GPGPU_WALKER at 0x%llx: groups of %u threads, counted "
        "as %u x %u x %u with mask 0x%x for the bottom, are not "
        "modelled",
        (unsigned long long)cmd->at_va, n_threads, w, h + 1, d + 1,
        cmd->dw[14]);
}

enum xk_status xk_cmd_media_walker(struct xk_command_stream *s,
                                   const struct xk_command *cmd,
                                   struct xk_command_jump *jump)
{
    static const uint8_t groups_at[3] = {7, 10, 12}, first_at[3] = {5, 8, 11};
    const struct xk_command_ops *const o = &s->config.ops;
    const uint32_t *const dw = cmd->dw;
    struct xk_gpu_walker w = {.base = s->base,
                              .scratch_field = s->scratch_field,
                              .scratch_slot_b = s->scratch_slot_b,
                              .grf_count = 128,
                              .preloads = true,
                              .local = {1, 1, 1},
                              .indirect_n_b = dw[2] & 0x1ffff,
                              .indirect_b = dw[3] & ~0x3fu,
                              .simd = (uint8_t)(8u << (dw[4] >> 30)),
                              .last_mask = dw[13]};
    (void)jump;
    XK_TRY(xk_cmd_has_simd(s, cmd, "GPGPU_WALKER"));
    if (!xk_cmd_predicate_holds(s, cmd))
        return XK_OK;
    for (unsigned d = 0; d < 3; d++) {
        w.groups[d] =
            dw[0] >> 10 & 1
                ? xk_command_stream_register(s, s->config.mmio_base +
                                                    INDIRECT_DIMENSIONS + 4 * d)
                : dw[groups_at[d]];
        w.first_group[d] = dw[first_at[d]];
    }
    XK_TRY(read_descriptor(s, cmd, &w));
    XK_TRY(check_counters(s, cmd, w.n_threads));
    if (!xk_cmd_count_groups(&w))
        return XK_OK;
    if (!o->walker)
        return xk_fail(s->c, XK_EUNSUPPORTED,
                       "vgpu: this engine has no walker");
    return o->walker(o->user, &w);
}
