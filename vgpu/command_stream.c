/* SPDX-License-Identifier: Apache-2.0 */
/* The command streamer: rings, batches, and the table of commands. The commands
 * themselves are in command_mi.c, command_state.c and command_blit.c. */
#include "vgpu/command_stream.h"

#include <string.h>

#include "vgpu/command_exec.h"

/* Offsets in the context image, from the LRCA (virtual-device.md 2.3). */
#define IMAGE_TAIL_B 0x101c
#define IMAGE_START_B 0x1024
#define IMAGE_CONTROL_B 0x102c
#define IMAGE_PDP_UPPER_B 0x10c4
#define IMAGE_PDP_LOWER_B 0x10cc
#define MAX_DEPTH 2 /* batches called from a batch */

enum xk_status xk_command_stream_create(xk_ctx *c,
                                        const struct xk_command_config *config,
                                        xk_command_stream **out)
{
    *out = xk_calloc(c, 1, sizeof **out);
    if (!*out)
        return XK_ENOMEM;
    (*out)->c = c;
    (*out)->config = *config;
    return XK_OK;
}

void xk_command_stream_destroy(xk_command_stream *s)
{
    if (!s)
        return;
    struct xk_gpu_register *r, *next;
    HASH_ITER(hh, s->reg, r, next)
    {
        HASH_DEL(s->reg, r);
        xk_free(s->c, r);
    }
    xk_free(s->c, s);
}

enum xk_status xk_command_stream_set_register(xk_command_stream *s,
                                              uint32_t offset, uint32_t value)
{
    struct xk_gpu_register *r;
    HASH_FIND(hh, s->reg, &offset, sizeof offset, r);
    if (!r) {
        r = xk_calloc(s->c, 1, sizeof *r);
        if (!r)
            return XK_ENOMEM;
        r->offset = offset;
        HASH_ADD(hh, s->reg, offset, sizeof r->offset, r);
    }
    r->value = value;
    return XK_OK;
}

uint32_t xk_command_stream_register(const xk_command_stream *s, uint32_t offset)
{
    struct xk_gpu_register *r;
    HASH_FIND(hh, s->reg, &offset, sizeof offset, r);
    return r ? r->value : 0;
}

/* How a command's length is coded (virtual-device.md 4): type 0 is MI, 2 the
 * blitter, 3 the rest. */
static unsigned length_of(uint32_t dw)
{
    const unsigned type = dw >> 29, mi = dw >> 23 & 0x3f;
    if (type == 0)
        return mi < 0x10 ? 1 : mi == 0x20 ? (dw & 0x3ff) + 2 : (dw & 0xff) + 2;
    if (type == 3 && (dw >> 24 & 0x1f) == 0x09) /* PIPELINE_SELECT */
        return 1;
    return (dw & 0xff) + 2;
}

/* Where commands are read from: the ring (global table) or a batch. */
struct fetch {
    bool ring;
    uint64_t at; /* next dword */
    uint64_t ring_va, ring_b;
};

static bool read_ring(const struct xk_command_stream *s, struct fetch *f,
                      uint32_t *dw)
{
    struct xk_gpu_phys at;
    if (!xk_gpu_ggtt_translate(s->space.m, f->ring_va + f->at, &at))
        return false;
    xk_gpu_phys_read(s->space.m, at, dw, 4);
    f->at = (f->at + 4) % f->ring_b;
    return true;
}

static enum xk_status fetch_dwords(struct xk_command_stream *s, struct fetch *f,
                                   uint32_t *dw, unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        const uint64_t at = f->ring ? f->ring_va + f->at : f->at;
        if (f->ring ? read_ring(s, f, &dw[k])
                    : xk_gpu_read(&s->space, f->at, &dw[k], 4, NULL)) {
            f->at += f->ring ? 0 : 4;
            continue;
        }
        return xk_fail(s->c, XK_EFAULT,
                       "vgpu: command at 0x%llx: the page is not mapped",
                       (unsigned long long)at);
    }
    return XK_OK;
}

static enum xk_status read_command(struct xk_command_stream *s, struct fetch *f,
                                   struct xk_command *out)
{
    out->at_va = f->ring ? f->ring_va + f->at : f->at;
    XK_TRY(fetch_dwords(s, f, out->dw, 1));
    out->n = length_of(out->dw[0]);
    if (out->n > XK_MAX_COMMAND_DWORDS)
        return xk_fail(s->c, XK_EFAULT,
                       "vgpu: command 0x%08x at 0x%llx has %u dwords",
                       out->dw[0], (unsigned long long)out->at_va, out->n);
    return fetch_dwords(s, f, out->dw + 1, out->n - 1);
}

enum xk_status xk_cmd_count(struct xk_command_stream *s)
{
    if (s->config.max_commands && ++s->n_commands > s->config.max_commands)
        return xk_fail(s->c, XK_EFAULT,
                       "vgpu: more than %llu commands in one submission: an "
                       "endless batch?",
                       (unsigned long long)s->config.max_commands);
    return XK_OK;
}

/* Runs a batch to its end. A chained batch continues at another address, a
 * called one returns. */
static enum xk_status run_batch(struct xk_command_stream *s, uint64_t va,
                                unsigned depth)
{
    struct fetch f = {.at = va};
    struct xk_command cmd;
    for (;;) {
        struct xk_command_jump jump = {XK_JUMP_NONE, 0};
        XK_TRY(xk_cmd_count(s));
        XK_TRY(read_command(s, &f, &cmd));
        XK_TRY(xk_command_exec(s, &cmd, &jump));
        if (jump.kind == XK_JUMP_END)
            return XK_OK;
        if (jump.kind == XK_JUMP_CHAIN)
            f.at = jump.va;
        if (jump.kind != XK_JUMP_CALL)
            continue;
        if (depth + 1 > MAX_DEPTH)
            return xk_fail(s->c, XK_EFAULT,
                           "vgpu: batch at 0x%llx is called %u deep",
                           (unsigned long long)jump.va, depth + 1);
        XK_TRY(run_batch(s, jump.va, depth + 1));
    }
}

/* A batch that the ring starts always returns to the ring. */
static enum xk_status run_ring(struct xk_command_stream *s, struct fetch *f,
                               uint64_t tail)
{
    struct xk_command cmd;
    while (f->at != tail) {
        struct xk_command_jump jump = {XK_JUMP_NONE, 0};
        XK_TRY(xk_cmd_count(s));
        XK_TRY(read_command(s, f, &cmd));
        XK_TRY(xk_command_exec(s, &cmd, &jump));
        if (jump.kind == XK_JUMP_CHAIN || jump.kind == XK_JUMP_CALL)
            XK_TRY(run_batch(s, jump.va, 1));
    }
    return XK_OK;
}

/* A dword of the context image. */
static enum xk_status image_dword(struct xk_command_stream *s,
                                  const xk_gpu_memory *m, uint32_t lrca,
                                  uint32_t offset_b, uint32_t *out)
{
    struct xk_gpu_phys at;
    if (!xk_gpu_ggtt_translate(m, (uint64_t)lrca + offset_b, &at))
        return xk_fail(s->c, XK_EFAULT,
                       "vgpu: context image 0x%x is not mapped at +0x%x", lrca,
                       offset_b);
    xk_gpu_phys_read(m, at, out, 4);
    return XK_OK;
}

/* The engine keeps its own head for each context, since the driver never
 * updates the head in the image. */
static struct xk_gpu_ring *context_ring(struct xk_command_stream *s,
                                        uint32_t lrca)
{
    for (unsigned k = 0; k < s->n_rings; k++)
        if (s->ring[k].lrca == lrca)
            return &s->ring[k];
    if (s->n_rings == XK_MAX_RINGS) {
        xk_fail(s->c, XK_EFAULT, "vgpu: more than %u contexts", XK_MAX_RINGS);
        return NULL;
    }
    s->ring[s->n_rings] = (struct xk_gpu_ring){.lrca = lrca};
    return &s->ring[s->n_rings++];
}

enum xk_status xk_command_stream_submit(xk_command_stream *s, xk_gpu_memory *m,
                                        uint32_t lrca)
{
    uint32_t tail, start, control, upper, lower;
    XK_TRY(image_dword(s, m, lrca, IMAGE_TAIL_B, &tail));
    XK_TRY(image_dword(s, m, lrca, IMAGE_START_B, &start));
    XK_TRY(image_dword(s, m, lrca, IMAGE_CONTROL_B, &control));
    XK_TRY(image_dword(s, m, lrca, IMAGE_PDP_UPPER_B, &upper));
    XK_TRY(image_dword(s, m, lrca, IMAGE_PDP_LOWER_B, &lower));
    struct xk_gpu_ring *const r = context_ring(s, lrca);
    if (!r)
        return XK_EFAULT;
    struct fetch f = {.ring = true,
                      .at = r->head,
                      .ring_va = start,
                      .ring_b = (control & 0x1ff000u) + 0x1000};
    if (tail % 4 || tail >= f.ring_b || f.at >= f.ring_b)
        return xk_fail(s->c, XK_EFAULT,
                       "vgpu: ring tail 0x%x in a ring of 0x%llx bytes", tail,
                       (unsigned long long)f.ring_b);
    s->space = (struct xk_gpu_space){
        m, {(uint64_t)upper << 32 | lower, s->tables_bank}, s->config.store};
    s->n_commands = 0;
    XK_TRY(run_ring(s, &f, tail));
    r->head = tail;
    return XK_OK;
}
