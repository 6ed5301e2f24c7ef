/* SPDX-License-Identifier: Apache-2.0 */
#include "vgpu/replay.h"

#include <string.h>

#include "container/aub.h"
#include "vgpu/command_exec.h"
#include "vgpu/walker.h"

#define DEFAULT_MEMORY_B (UINT64_C(16) << 30)
#define MAX_COMMANDS 10000000

/* Registers of an engine, from its base (virtual-device.md 2.2). */
#define SUBMIT_LOW 0x510
#define SUBMIT_HIGH 0x514
#define SUBMIT_LOAD 0x550
#define LRCA_BITS 0xfffff000u

static const uint32_t engine_bases[] = {0x2000,  0x1a000, 0x1c000,
                                        0x1e000, 0x26000, 0x22000};
#define N_ENGINES XK_COUNTOF(engine_bases)

struct engine {
    struct xk_replay *replay;
    xk_command_stream *stream;
    uint32_t descriptor; /* low half */
};

struct xk_replay {
    xk_ctx *c;
    struct xk_replay_config config;
    xk_gpu_memory *memory;
    struct engine engine[N_ENGINES];
    struct engine *last; /* that submitted */
    uint64_t clock;
};

static enum xk_status run_walker(void *user, const struct xk_gpu_walker *w)
{
    struct engine *const e = user;
    struct xk_replay *const r = e->replay;
    const struct xk_walker_config config = {
        .platform = r->config.platform,
        .n_host_threads = r->config.n_host_threads,
        .inst_limit = r->config.inst_limit};
    struct xk_replay_launch l = {.start_va = w->start_va,
                                 .n_threads = w->n_threads,
                                 .simd = w->simd};
    memcpy(l.groups, w->groups, sizeof l.groups);
    XK_TRY(xk_walker_run(r->c, &config, &e->stream->space, w, &l.stats));
    r->clock += l.stats.instructions;
    if (r->config.launched)
        r->config.launched(r->config.user, &l);
    return XK_OK;
}

static uint64_t timestamp(void *user)
{
    return ++((struct engine *)user)->replay->clock;
}

static enum xk_status make_engines(struct xk_replay *r)
{
    for (unsigned k = 0; k < N_ENGINES; k++) {
        struct engine *const e = &r->engine[k];
        const struct xk_command_config config = {
            .mmio_base = engine_bases[k],
            .large_slm = r->config.platform->slm_max_b > 65536,
            .max_commands = MAX_COMMANDS,
            .ops = {run_walker, timestamp, e}};
        e->replay = r;
        XK_TRY(xk_command_stream_create(r->c, &config, &e->stream));
        e->stream->tables_bank = XK_GPU_LOCAL;
    }
    return XK_OK;
}

static enum xk_status write_register(struct xk_replay *r, uint32_t offset,
                                     uint32_t value)
{
    for (unsigned k = 0; k < N_ENGINES; k++) {
        struct engine *const e = &r->engine[k];
        if (offset < engine_bases[k] || offset - engine_bases[k] >= 0x1000)
            continue;
        switch (offset - engine_bases[k]) {
        case SUBMIT_LOW:
            e->descriptor = value;
            return XK_OK;
        case SUBMIT_LOAD:
            r->last = e;
            return value & 1 ? xk_command_stream_submit(
                                   e->stream, r->memory,
                                   e->descriptor & LRCA_BITS)
                             : XK_OK;
        default:
            return xk_command_stream_set_register(e->stream, offset, value);
        }
    }
    return XK_OK;
}

static enum xk_status write_ggtt(struct xk_replay *r,
                                 const struct xk_aub_packet *p)
{
    for (size_t k = 0; k + 8 <= p->data_b; k += 8) {
        uint64_t entry;
        memcpy(&entry, p->data + k, 8);
        XK_TRY(xk_gpu_ggtt_set(r->memory, (p->address + k) / 8, entry));
    }
    return XK_OK;
}

static enum xk_status write_memory(struct xk_replay *r,
                                   const struct xk_aub_packet *p)
{
    const struct xk_gpu_phys at = {p->address,
                                   p->space == XK_AUB_SPACE_SYSTEM
                                       ? XK_GPU_SYSTEM
                                       : XK_GPU_LOCAL};
    if (p->space == XK_AUB_SPACE_GGTT)
        return write_ggtt(r, p);
    return xk_gpu_phys_write(r->memory, at, p->data, p->data_b);
}

static enum xk_status take_packet(struct xk_replay *r,
                                  const struct xk_aub_packet *p)
{
    switch ((enum xk_aub_kind)p->kind) {
    case XK_AUB_REGISTER:
        return write_register(r, p->offset, p->value);
    case XK_AUB_MEMORY:
        return write_memory(r, p);
    case XK_AUB_OTHER:
    case XK_AUB_VERSION:
    case XK_AUB_POLL: /* everything is executed when it is submitted */
    case XK_AUB_COMMENT:
    case XK_AUB_CONTEXT: /* the context image names the root too */
        return XK_OK;
    }
    return XK_OK;
}

static enum xk_status run_all(struct xk_replay *r, const void *file, size_t n_b)
{
    struct xk_aub a;
    struct xk_aub_packet p;
    bool end = false;
    XK_TRY(xk_gpu_memory_create(r->c,
                                r->config.max_memory_b ? r->config.max_memory_b
                                                       : DEFAULT_MEMORY_B,
                                &r->memory));
    XK_TRY(make_engines(r));
    XK_TRY(xk_aub_open(r->c, file, n_b, &a));
    for (;;) {
        XK_TRY(xk_aub_next(r->c, &a, &p, &end));
        if (end)
            return XK_OK;
        XK_TRY(take_packet(r, &p));
    }
}

enum xk_status xk_replay_run(xk_ctx *c, const struct xk_replay_config *config,
                             const void *file, size_t n_b, xk_replay **out)
{
    *out = xk_calloc(c, 1, sizeof **out);
    if (!*out)
        return XK_ENOMEM;
    (*out)->c = c;
    (*out)->config = *config;
    return run_all(*out, file, n_b);
}

void xk_replay_destroy(xk_replay *r)
{
    if (!r)
        return;
    for (unsigned k = 0; k < N_ENGINES; k++)
        xk_command_stream_destroy(r->engine[k].stream);
    xk_gpu_memory_destroy(r->memory);
    xk_free(r->c, r);
}

enum xk_status xk_replay_read(const xk_replay *r, uint64_t va, void *dst,
                              uint64_t n_b)
{
    uint64_t bad = va;
    if (r->last &&
        xk_gpu_read(&r->last->stream->space, va, dst, n_b, &bad))
        return XK_OK;
    return xk_fail(r->c, XK_EFAULT, "vgpu: 0x%llx is not mapped",
                   (unsigned long long)bad);
}
