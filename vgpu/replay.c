/* SPDX-License-Identifier: Apache-2.0 */
#include "vgpu/replay.h"

#include <string.h>

#include "container/aub.h"
#include "vgpu/command_exec.h"
#include "vgpu/walker.h"

#define DEFAULT_MEMORY_B (UINT64_C(16) << 30)
#define MAX_COMMANDS 10000000

/* Registers of an engine, from its base (virtual-device.md 2.2). */
#define SUBMIT_PORT 0x230 /* up to gen12lp: four writes */
#define SUBMIT_LOW 0x510
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
    const struct xk_platform *platform;
    xk_gpu_memory *memory;
    struct engine engine[N_ENGINES];
    struct engine *last; /* that submitted */
    uint64_t clock;
    uint8_t *rest; /* the begin of a packet that is not complete yet */
    size_t rest_b, rest_cap_b;
    uint64_t at_b; /* where in the capture rest begins */
    bool opened;
};

/* Devices by the number in the version packet (observed, driver 22.43). */
static const struct {
    uint8_t device;
    const char *platform;
} devices[] = {
    {0x16, "xelp"},
    {0x24, "xehpg"},
    {0x27, "xehpc"},
};

static enum xk_status replay_walker(void *user, const struct xk_gpu_walker *w)
{
    struct engine *const e = user;
    struct xk_replay *const r = e->replay;
    const struct xk_walker_config config = {
        .platform = r->platform,
        .n_host_threads = r->config.n_host_threads,
        .max_threads = r->config.max_threads,
        .look = r->config.look};
    struct xk_replay_launch l = {
        .start_va = w->start_va, .n_threads = w->n_threads, .simd = w->simd};
    memcpy(l.groups, w->groups, sizeof l.groups);
    memcpy(l.local, w->local, sizeof l.local);
    if (r->config.begins)
        r->config.begins(r->config.user, &l);
    XK_TRY(xk_walker_run(r->c, &config, &e->stream->space, w, &l.stats));
    r->clock += l.stats.instructions;
    if (r->config.launched)
        r->config.launched(r->config.user, &l);
    return XK_OK;
}

static uint64_t replay_clock(void *user)
{
    return ++((struct engine *)user)->replay->clock;
}

static enum xk_status make_engines(struct xk_replay *r)
{
    for (unsigned k = 0; k < N_ENGINES; k++) {
        struct engine *const e = &r->engine[k];
        const struct xk_command_config config = {
            .mmio_base = engine_bases[k],
            .large_slm = r->platform->slm_max_b > 65536,
            .max_commands =
                r->config.max_commands ? r->config.max_commands : MAX_COMMANDS,
            .ops = {replay_walker, replay_clock, e}};
        e->replay = r;
        XK_TRY(xk_command_stream_create(r->c, &config, &e->stream));
        e->stream->tables_bank = XK_GPU_LOCAL;
    }
    return XK_OK;
}

static enum xk_status replay_register(struct xk_replay *r, uint32_t offset,
                                      uint32_t value)
{
    for (unsigned k = 0; k < N_ENGINES; k++) {
        struct engine *const e = &r->engine[k];
        if (offset < engine_bases[k] || offset - engine_bases[k] >= 0x1000)
            continue;
        switch (offset - engine_bases[k]) {
        case SUBMIT_PORT:
            return xk_fail(r->c, XK_EUNSUPPORTED,
                           "vgpu: a submission through register 0x%x, of "
                           "devices before xehpg",
                           offset);
        case SUBMIT_LOW:
            e->descriptor = value;
            return XK_OK;
        case SUBMIT_LOAD:
            r->last = e;
            return value & 1
                       ? xk_command_stream_submit(e->stream, r->memory,
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

static enum xk_status replay_memory(struct xk_replay *r,
                                    const struct xk_aub_packet *p)
{
    const struct xk_gpu_phys at = {p->address, p->space == XK_AUB_SPACE_SYSTEM
                                                   ? XK_GPU_SYSTEM
                                                   : XK_GPU_LOCAL};
    if (p->space == XK_AUB_SPACE_GGTT)
        return write_ggtt(r, p);
    return xk_gpu_phys_write(r->memory, at, p->data, p->data_b);
}

/* The first packet names the device of all later ones. */
static enum xk_status take_version(struct xk_replay *r,
                                   const struct xk_aub_packet *p)
{
    const struct xk_platform *told = NULL;
    if (r->opened)
        return xk_fail(r->c, XK_EPARSE,
                       "aub: packet at 0x%zx: a second version", p->at_b);
    for (size_t k = 0; k < XK_COUNTOF(devices); k++)
        if (devices[k].device == p->value)
            told = xk_platform_find(devices[k].platform);
    if (told && r->config.platform && told != r->config.platform)
        return xk_fail(r->c, XK_EINVAL,
                       "platform: the capture is of %s, not of %s", told->name,
                       r->config.platform->name);
    r->platform = told ? told : r->config.platform;
    if (!r->platform)
        return xk_fail(r->c, XK_EUNSUPPORTED,
                       "platform: the capture's device 0x%x is unknown; name "
                       "one",
                       p->value);
    r->opened = true;
    return make_engines(r);
}

static enum xk_status take_packet(struct xk_replay *r,
                                  const struct xk_aub_packet *p)
{
    switch ((enum xk_aub_kind)p->kind) {
    case XK_AUB_VERSION:
        return take_version(r, p);
    case XK_AUB_REGISTER:
        return replay_register(r, p->offset, p->value);
    case XK_AUB_MEMORY:
        return replay_memory(r, p);
    case XK_AUB_OTHER:
    case XK_AUB_POLL: /* always idle: a submission is executed at once */
    case XK_AUB_COMMENT:
    case XK_AUB_CONTEXT: /* the context image names the root too */
        return XK_OK;
    }
    return XK_OK;
}

/* Executes the complete packets at the start of bytes; *used_b is their
 * size. */
static enum xk_status take_packets(struct xk_replay *r, const uint8_t *bytes,
                                   size_t n_b, size_t *used_b)
{
    *used_b = 0;
    for (;;) {
        const size_t left_b = n_b - *used_b;
        const uint64_t packet_b = xk_aub_packet_b(bytes + *used_b, left_b);
        struct xk_aub a = {bytes + *used_b, (size_t)packet_b, 0};
        struct xk_aub_packet p;
        bool end;
        if (packet_b && !r->opened)
            XK_TRY(xk_aub_open(r->c, a.file, left_b, &a));
        if (!packet_b || packet_b > left_b)
            return XK_OK;
        a.n_b = (size_t)packet_b;
        XK_TRY(xk_aub_next(r->c, &a, &p, &end));
        p.at_b = (size_t)r->at_b;
        XK_TRY(take_packet(r, &p));
        *used_b += (size_t)packet_b;
        r->at_b += packet_b;
    }
}

static enum xk_status keep_rest(struct xk_replay *r, const uint8_t *bytes,
                                size_t n_b)
{
    if (r->rest_b + n_b > r->rest_cap_b) {
        const size_t cap_b = 2 * (r->rest_b + n_b);
        uint8_t *const more = xk_realloc(r->c, r->rest, cap_b);
        if (!more)
            return XK_ENOMEM;
        r->rest = more;
        r->rest_cap_b = cap_b;
    }
    if (n_b)
        memcpy(r->rest + r->rest_b, bytes, n_b);
    r->rest_b += n_b;
    return XK_OK;
}

enum xk_status xk_replay_feed(xk_replay *r, const void *bytes, size_t n_b)
{
    const uint8_t *const b = bytes;
    size_t used_b;
    XK_TRY(xk_ctx_status(r->c));
    if (!r->rest_b) {
        XK_TRY(take_packets(r, b, n_b, &used_b));
        return keep_rest(r, b + used_b, n_b - used_b);
    }
    XK_TRY(keep_rest(r, b, n_b));
    XK_TRY(take_packets(r, r->rest, r->rest_b, &used_b));
    memmove(r->rest, r->rest + used_b, r->rest_b - used_b);
    r->rest_b -= used_b;
    return XK_OK;
}

enum xk_status xk_replay_end(xk_replay *r)
{
    XK_TRY(xk_ctx_status(r->c));
    if (r->rest_b)
        return xk_fail(r->c, XK_EPARSE,
                       "aub: the capture ends inside the packet at 0x%llx: "
                       "%llu bytes, %zu are there",
                       (unsigned long long)r->at_b,
                       (unsigned long long)xk_aub_packet_b(r->rest, r->rest_b),
                       r->rest_b);
    if (!r->opened)
        return xk_fail(r->c, XK_EPARSE, "aub: the capture is empty");
    return XK_OK;
}

enum xk_status xk_replay_create(xk_ctx *c,
                                const struct xk_replay_config *config,
                                xk_replay **out)
{
    struct xk_replay *const r = xk_calloc(c, 1, sizeof *r);
    *out = NULL;
    if (!r)
        return XK_ENOMEM;
    r->c = c;
    r->config = *config;
    const enum xk_status s = xk_gpu_memory_create(
        c, config->max_memory_b ? config->max_memory_b : DEFAULT_MEMORY_B,
        &r->memory);
    if (s < 0)
        xk_replay_destroy(r);
    else
        *out = r;
    return s;
}

void xk_replay_destroy(xk_replay *r)
{
    if (!r)
        return;
    for (unsigned k = 0; k < N_ENGINES; k++)
        xk_command_stream_destroy(r->engine[k].stream);
    xk_gpu_memory_destroy(r->memory);
    xk_free(r->c, r->rest);
    xk_free(r->c, r);
}

const struct xk_platform *xk_replay_platform(const xk_replay *r)
{
    return r->platform;
}

enum xk_status xk_replay_read(const xk_replay *r, uint64_t va, void *dst,
                              uint64_t n_b)
{
    uint64_t bad = va;
    /* no address space: the doorbell failed */
    if (r->last && r->last->stream->space.m &&
        xk_gpu_read(&r->last->stream->space, va, dst, n_b, &bad))
        return XK_OK;
    return xk_fail(r->c, XK_EFAULT, "vgpu: 0x%llx is not mapped",
                   (unsigned long long)bad);
}
