/* SPDX-License-Identifier: Apache-2.0 */
#include "vgpu/tbx_client.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "vgpu/command_exec.h"

/* Page tables are linear (virtual-device.md 2.4): an entry's position gives the
 * address that it maps. An entry above the last level must hold the position of
 * the next table; other data never has that value by chance. */
#define N_LEVELS 4
static const struct {
    uint64_t at;
    unsigned shift;
} levels[N_LEVELS] = {{UINT64_C(0x20000000), 39},
                      {UINT64_C(0x40000000), 30},
                      {UINT64_C(0x80000000), 21},
                      {UINT64_C(0x100000000), 12}};
#define VA_BITS 48
#define ENTRY_PRESENT 1u
#define ENTRY_ADDRESS UINT64_C(0x7ffffff000)

/* Registers of an engine, from its base (virtual-device.md 2.2). */
#define SUBMIT_LOW 0x510
#define SUBMIT_LOAD 0x550
#define ENGINE_END 0x1000
#define STATUS_IDLE 0x100
#define STATUS_REGISTER 0x234 /* the only one that the driver reads */
#define LRCA_BITS 0xfffff000u
/* The driver knows no base of xehpc's further copy engines and takes -1. */
static const uint32_t engine_bases[] = {0x2000,  0x1a000, 0x1c000,   0x1e000,
                                        0x26000, 0x22000, UINT32_MAX};
#define N_ENGINES XK_COUNTOF(engine_bases)

/* The virtual address of each physical page; physical addresses have 40
 * bits. */
#define LEAF_BITS 9
#define MID_BITS 9
#define N_MIDS (1u << (40 - 12 - MID_BITS - LEAF_BITS))
#define CLIENTS_OWN UINT64_MAX
struct leaf {
    uint64_t va[1u << LEAF_BITS]; /* of the page, + 1; 0: not mapped; or
                                     CLIENTS_OWN: nor ever sent */
};
struct mid {
    struct leaf *leaf[1u << MID_BITS];
};

struct engine {
    xk_tbx_client *client;
    xk_command_stream *stream;
    uint32_t descriptor;
    bool busy, again;          /* executing; its doorbell rang meanwhile */
    uint64_t wait_va, wait_ms; /* a semaphore waits: where, since when */
};

struct xk_tbx_client {
    xk_ctx *c;
    struct xk_gpu_device *device;
    struct xk_gpu_process *process;
    struct xk_tbx_client_ops ops;
    xk_gpu_memory *memory; /* pages that only the global table maps */
    struct mid *mid[N_MIDS];
    uint64_t charged_b;
    struct engine engine[N_ENGINES];
    uint64_t table_va; /* the address that the next leaf entry may map */
    bool table_open;
    struct xk_gpu_flight *flight;
    bool flies;
    unsigned n_found; /* commands that are not modelled */
};

enum xk_status xk_tbx_client_create(xk_ctx *c, struct xk_gpu_device *d,
                                    const struct xk_tbx_client_ops *ops,
                                    xk_tbx_client **out)
{
    xk_tbx_client *const t = xk_calloc(c, 1, sizeof *t);
    *out = t;
    if (!t)
        return XK_ENOMEM;
    t->c = c;
    t->device = d;
    t->ops = *ops;
    return XK_OK;
}

static void free_leaves(xk_tbx_client *t)
{
    for (unsigned i = 0; i < N_MIDS; i++) {
        for (unsigned k = 0; t->mid[i] && k < 1u << MID_BITS; k++)
            xk_free(t->c, t->mid[i]->leaf[k]);
        xk_free(t->c, t->mid[i]);
    }
}

void xk_tbx_client_destroy(xk_tbx_client *t)
{
    if (!t)
        return;
    for (unsigned k = 0; k < N_ENGINES; k++)
        xk_command_stream_destroy(t->engine[k].stream);
    xk_gpu_memory_destroy(t->memory);
    if (t->process) {
        free_leaves(t);
        xk_gpu_process_landed(t->process, t);
        xk_va_store_release(t->process->store, t->charged_b);
        xk_gpu_process_put(t->process);
    }
    xk_free(t->c, t);
}

/* Memory is allocated at a connection's first use, since most connections are
 * never used. */
static enum xk_status begin_client(xk_tbx_client *t)
{
    if (t->process)
        return XK_OK;
    XK_TRY(
        xk_gpu_memory_create(t->c, t->device->opts.max_memory_b, &t->memory));
    t->process = xk_gpu_process_get(t->device, t->ops.pid(t->ops.user));
    if (!t->process)
        return xk_fail(t->c, XK_ENOMEM, "vgpu: no memory for a client");
    t->flight = xk_gpu_process_flight(t->process, t);
    return XK_OK;
}

static enum xk_status charge(xk_tbx_client *t, uint64_t n_b)
{
    XK_TRY(xk_va_store_charge(t->process->store, t->c, n_b));
    t->charged_b += n_b;
    return XK_OK;
}

/* Allocates and charges a part of the table when it is first needed. NULL:
 * refused. */
static void *make_table_piece(xk_tbx_client *t, void *now, size_t n_b)
{
    if (now || charge(t, n_b) < 0)
        return now;
    return xk_calloc(t->c, 1, n_b);
}

static unsigned leaf_index(uint64_t number)
{
    return number >> LEAF_BITS & ((1u << MID_BITS) - 1);
}

static unsigned page_index(uint64_t number)
{
    return number & ((1u << LEAF_BITS) - 1);
}

static enum xk_status set_page(xk_tbx_client *t, uint64_t address, uint64_t va)
{
    const uint64_t number = address / XK_GPU_PAGE_B;
    struct mid **const m = &t->mid[number >> (LEAF_BITS + MID_BITS)];
    *m = make_table_piece(t, *m, sizeof **m);
    if (!*m)
        return xk_ctx_status(t->c);
    struct leaf **const l = &(*m)->leaf[leaf_index(number)];
    *l = make_table_piece(t, *l, sizeof **l);
    if (!*l)
        return xk_ctx_status(t->c);
    (*l)->va[page_index(number)] = va + 1;
    return XK_OK;
}

/* The virtual address of a physical one. */
static bool find_va(const xk_tbx_client *t, uint64_t address, uint64_t *va)
{
    const uint64_t number = address / XK_GPU_PAGE_B;
    const uint64_t top = number >> (LEAF_BITS + MID_BITS);
    const struct mid *const m = top < N_MIDS ? t->mid[top] : NULL;
    const struct leaf *const l = m ? m->leaf[leaf_index(number)] : NULL;
    const uint64_t page = l ? l->va[page_index(number)] : 0;
    *va = page - 1 + address % XK_GPU_PAGE_B;
    return page && page != CLIENTS_OWN;
}

/* True if only the client knows the page; the device then has a copy of it. */
static bool is_clients_own(const xk_tbx_client *t, uint64_t address)
{
    uint64_t va;
    return !find_va(t, address, &va) &&
           va - address % XK_GPU_PAGE_B + 1 == CLIENTS_OWN;
}

/* The level of a page table whose entry may lie at this address, and in *va the
 * address that the entry maps. */
static int level_of(uint64_t address, uint64_t *va)
{
    for (int k = N_LEVELS; k-- > 0;) {
        const unsigned bits = VA_BITS - levels[k].shift;
        const uint64_t index = (address - levels[k].at) / 8;
        *va = index << levels[k].shift;
        if (address >= levels[k].at && address % 8 == 0 && index >> bits == 0)
            return k;
    }
    return -1;
}

static uint64_t next_table(int level, uint64_t va)
{
    return (levels[level + 1].at + 8 * (va >> levels[level + 1].shift)) &
           ~UINT64_C(0xfff);
}

/* A leaf entry is valid only directly behind an entry of the level above, or
 * behind that of the page before. Elsewhere data may lie at the same
 * address. */
static enum xk_status take_leaf(xk_tbx_client *t, uint64_t va, uint64_t entry)
{
    t->table_va = va + XK_GPU_PAGE_B;
    if (!(entry & ENTRY_PRESENT))
        return XK_OK;
    XK_TRY(xk_va_store_map(t->process->store, t->c, va));
    return set_page(t, entry & ENTRY_ADDRESS, va);
}

/* True if the message writes a page table entry. */
static bool take_entry(xk_tbx_client *t, const struct xk_tbx_message *m,
                       enum xk_status *s)
{
    uint64_t va, entry;
    *s = XK_OK;
    const int level = m->n_b == 8 ? level_of(m->address, &va) : -1;
    if (level < 0)
        return false;
    memcpy(&entry, m->data, 8);
    if (level < N_LEVELS - 1) {
        if ((entry & ENTRY_ADDRESS) != next_table(level, va) ||
            !(entry & ENTRY_PRESENT))
            return false;
        t->table_open = level == N_LEVELS - 2;
        t->table_va = va;
        return true;
    }
    if (!t->table_open || va < t->table_va ||
        va - t->table_va >= UINT64_C(1) << levels[N_LEVELS - 2].shift)
        return false;
    *s = take_leaf(t, va, entry);
    return true;
}

static enum xk_status write_guest_memory(xk_tbx_client *t,
                                         const struct xk_tbx_message *m)
{
    enum xk_status s;
    if (take_entry(t, m, &s))
        return s;
    t->table_open = false;
    for (uint64_t done = 0, part_b = 0; done < m->n_b; done += part_b) {
        const uint64_t at = m->address + done;
        uint64_t va;
        part_b = XK_GPU_PAGE_B - at % XK_GPU_PAGE_B;
        if (part_b > m->n_b - done)
            part_b = m->n_b - done;
        if (!find_va(t, at, &va)) {
            if (is_clients_own(t, at))
                XK_TRY(set_page(t, at, UINT64_MAX));
            XK_TRY(xk_gpu_phys_write(t->memory,
                                     (struct xk_gpu_phys){at, XK_GPU_SYSTEM},
                                     m->data + done, part_b));
            continue;
        }
        xk_va_store_upload(t->process->store, va, m->data + done, part_b,
                           &part_b);
    }
    return XK_OK;
}

/* The n_b bytes at va, within one page, as they are sent to the client. page:
 * room for a copy. Until the client sends its next message, it may not have
 * stored them. */
static const uint8_t *outgoing(xk_tbx_client *t, uint64_t va, uint64_t n_b,
                               uint8_t page[XK_GPU_PAGE_B])
{
    if (!xk_gpu_process_download(t->process, t, va, n_b, page))
        return xk_va_store_at(t->process->store, va, n_b, &n_b);
    if (t->flight)
        xk_gpu_process_fly(t->flight, va);
    t->flies = t->flight;
    return page + va % XK_GPU_PAGE_B;
}

static bool in_one_page(const struct xk_tbx_message *m)
{
    return m->n_b && m->n_b <= XK_GPU_PAGE_B - m->address % XK_GPU_PAGE_B;
}

/* The driver uploads most memory through one engine only, but reads it back
 * through each engine that has used it. Those reads name physical pages whose
 * virtual address it has sent to nobody. The driver stores the answer at that
 * virtual address, so its waiting buffer shows the address (ops.target). If the
 * device has no page there, the answer is the client's own bytes, read anew
 * each time: Level Zero asks for events that only the CPU has written. */
static void learn_page(xk_tbx_client *t, const struct xk_tbx_message *m)
{
    uint8_t own[XK_GPU_PAGE_B];
    uint64_t va, part_b;
    const struct xk_gpu_phys at = {m->address, XK_GPU_SYSTEM};
    if (find_va(t, m->address, &va) || !t->ops.target ||
        (xk_gpu_phys_exists(t->memory, at) && !is_clients_own(t, m->address)) ||
        !t->ops.target(t->ops.user, m->n_b, &va))
        return;
    if (va % XK_GPU_PAGE_B == m->address % XK_GPU_PAGE_B &&
        xk_va_store_at(t->process->store, va, m->n_b, &part_b))
        set_page(t, m->address, va - va % XK_GPU_PAGE_B);
    else if (xk_gpu_process_peek(t->process, va, own, m->n_b) &&
             set_page(t, m->address, CLIENTS_OWN - 1) == XK_OK)
        xk_gpu_phys_write(t->memory, at, own, m->n_b);
}

/* Nearly all reads are of a whole page. One piece is sent faster than two. */
static enum xk_status read_page(xk_tbx_client *t,
                                const struct xk_tbx_message *m, uint64_t va)
{
    uint8_t out[XK_TBX_READ_REPLY_B + XK_GPU_PAGE_B];
    uint8_t *const page = out + XK_TBX_READ_REPLY_B;
    xk_tbx_read_reply(m, out);
    const uint8_t *const from = outgoing(t, va, XK_GPU_PAGE_B, page);
    if (from != page)
        memcpy(page, from, XK_GPU_PAGE_B);
    return t->ops.reply(t->ops.user, out, sizeof out);
}

static enum xk_status read_guest_memory(xk_tbx_client *t,
                                        const struct xk_tbx_message *m)
{
    uint8_t head[XK_TBX_READ_REPLY_B], page[XK_GPU_PAGE_B];
    const struct xk_tbx_message in = *m;
    uint64_t whole;
    if (in.n_b == XK_GPU_PAGE_B && in_one_page(&in) &&
        find_va(t, in.address, &whole))
        return read_page(t, &in, whole);
    xk_tbx_read_reply(&in, head);
    XK_TRY(t->ops.reply(t->ops.user, head, sizeof head));
    if (in_one_page(&in))
        learn_page(t, &in);
    for (uint64_t done = 0, part_b = 0; done < in.n_b; done += part_b) {
        const uint64_t at = in.address + done;
        const uint8_t *from = page;
        uint64_t va;
        part_b = XK_GPU_PAGE_B - at % XK_GPU_PAGE_B;
        if (part_b > in.n_b - done)
            part_b = in.n_b - done;
        if (find_va(t, at, &va)) {
            from = outgoing(t, va, part_b, page);
        } else {
            xk_gpu_phys_read(t->memory, (struct xk_gpu_phys){at, XK_GPU_SYSTEM},
                             page, part_b);
        }
        XK_TRY(t->ops.reply(t->ops.user, from, part_b));
    }
    return XK_OK;
}

static enum xk_status client_walker(void *user, const struct xk_gpu_walker *w)
{
    const struct engine *const e = user;
    return xk_gpu_process_launch(e->client->process, e->client->c, w);
}

static uint64_t device_clock(void *user)
{
    return xk_gpu_device_ticks(((struct engine *)user)->client->device);
}

#define MAX_FOUND 100 /* of a connection */
#define SEMAPHORE_MS 30000

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void take_page(void *user, uint64_t va)
{
    const struct engine *const e = user;
    xk_gpu_process_refresh_page(e->client->process, e->client, va);
}

/* Another engine's thread may write the page, or the client's CPU. This
 * connection's own messages are executed meanwhile. */
static bool wait_for_page(void *user, uint64_t va)
{
    struct engine *const e = user;
    xk_tbx_client *const t = e->client;
    const uint64_t now = now_ms();
    if (e->wait_va != va || !e->wait_ms)
        e->wait_ms = now;
    e->wait_va = va;
    return now - e->wait_ms <= SEMAPHORE_MS && t->ops.pump(t->ops.user, 1);
}

/* Reports a command or a message that the device does not model; the client
 * continues without it. */
static void say_gap(xk_tbx_client *t, const char *sentence)
{
    if (++t->n_found > MAX_FOUND)
        return;
    xk_gpu_device_say(t->device, "process %d: skipped: %s%s", t->process->pid,
                      sentence,
                      t->n_found < MAX_FOUND ? "" : "; more is not said");
}

static void report_gap(void *user, const char *sentence)
{
    say_gap(((const struct engine *)user)->client, sentence);
}

static enum xk_status make_stream(xk_tbx_client *t, struct engine *e,
                                  uint32_t base)
{
    const struct xk_command_config config = {
        .mmio_base = base,
        .large_slm = t->device->platform->slm_max_b > 65536,
        .max_commands = t->device->opts.max_commands,
        .ops = {.walker = client_walker,
                .timestamp = device_clock,
                .user = e,
                .look = take_page,
                .wait = wait_for_page,
                .finds = report_gap},
        .store = t->process->store};
    e->client = t;
    return xk_command_stream_create(t->c, &config, &e->stream);
}

/* A doorbell may ring while a semaphore of an earlier doorbell waits. It is
 * executed after that one has ended, since a ring is in order. */
static enum xk_status submit(xk_tbx_client *t, struct engine *e)
{
    if (e->busy) {
        e->again = true;
        return XK_OK;
    }
    enum xk_status s = XK_OK;
    e->busy = true;
    do {
        e->again = false;
        e->wait_ms = 0;
        xk_gpu_process_refresh(t->process, t);
        s = xk_command_stream_submit(e->stream, t->memory,
                                     e->descriptor & LRCA_BITS);
    } while (s == XK_OK && e->again);
    e->busy = false;
    return s;
}

static enum xk_status write_device_register(xk_tbx_client *t,
                                            const struct xk_tbx_message *m)
{
    for (unsigned k = 0; k < N_ENGINES; k++) {
        struct engine *const e = &t->engine[k];
        const uint32_t at = (uint32_t)m->address - engine_bases[k];
        if (at >= ENGINE_END)
            continue;
        switch (at) {
        case SUBMIT_LOW:
            e->descriptor = (uint32_t)m->value;
            return XK_OK;
        case SUBMIT_LOAD:
            if (!(m->value & 1))
                return XK_OK;
            if (!e->stream)
                XK_TRY(make_stream(t, e, engine_bases[k]));
            return submit(t, e);
        default:
            return XK_OK;
        }
    }
    return XK_OK;
}

static bool is_status(uint64_t offset)
{
    for (unsigned k = 0; k < XK_COUNTOF(engine_bases); k++)
        if ((uint32_t)offset == engine_bases[k] + STATUS_REGISTER)
            return true;
    return false;
}

/* Every submission is done when it is asked for, so an engine is idle. */
static enum xk_status reply_register(xk_tbx_client *t,
                                     const struct xk_tbx_message *m)
{
    uint8_t out[XK_TBX_REGISTER_REPLY_B];
    char gap[80];
    if (!is_status(m->address)) {
        snprintf(gap, sizeof gap, "vgpu: register 0x%llx is not modelled: read",
                 (unsigned long long)m->address);
        say_gap(t, gap);
    }
    xk_tbx_register_reply(m, STATUS_IDLE, out);
    return t->ops.reply(t->ops.user, out, sizeof out);
}

static enum xk_status skip_message(xk_tbx_client *t,
                                   const struct xk_tbx_message *m)
{
    char gap[80];
    snprintf(gap, sizeof gap, "vgpu: a message of type %u is not modelled",
             (unsigned)m->value);
    say_gap(t, gap);
    return XK_OK;
}

enum xk_status xk_tbx_client_take(xk_tbx_client *t,
                                  const struct xk_tbx_message *m)
{
    if (m->kind == XK_TBX_OTHER)
        return XK_OK;
    XK_TRY(begin_client(t));
    if (t->flies)
        xk_gpu_process_fly(t->flight, 0);
    t->flies = false;
    switch ((enum xk_tbx_kind)m->kind) {
    case XK_TBX_REGISTER_WRITE:
        return write_device_register(t, m);
    case XK_TBX_REGISTER_READ:
        return reply_register(t, m);
    case XK_TBX_GGTT_WRITE:
        return xk_gpu_ggtt_set(t->memory, m->address, m->value);
    case XK_TBX_MEMORY_WRITE:
        return write_guest_memory(t, m);
    case XK_TBX_MEMORY_READ:
        return read_guest_memory(t, m);
    case XK_TBX_UNKNOWN:
        return skip_message(t, m);
    case XK_TBX_OTHER:
        break;
    }
    return XK_OK;
}
