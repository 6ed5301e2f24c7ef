/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/vgpu/machine.h"

#include <string.h>

#define ROOT 0x20000000u
#define PRESENT 3u
#define LEAF_LOCAL 0x800u
#define RING_GGTT 0x2000u

/* Physical places of the tables' entries: a function of the address. */
static const uint64_t tables[4] = {UINT64_C(0x100000000), 0x80000000,
                                   0x40000000, ROOT};
static const unsigned shifts[4] = {12, 21, 30, 39};

void machine_set_entry(struct machine *g, uint64_t va, int level,
                       uint64_t entry)
{
    const struct xk_gpu_phys at = {tables[level] + 8 * (va >> shifts[level]),
                                   XK_GPU_SYSTEM};
    xk_gpu_phys_write(g->m, at, &entry, 8);
}

void machine_map(struct machine *g, uint64_t va, enum xk_gpu_bank bank)
{
    for (int level = 3; level > 0; level--) {
        /* the page of the next table that holds this address's entry */
        const uint64_t next =
            (tables[level - 1] + 8 * (va >> shifts[level - 1])) &
            ~UINT64_C(0xfff);
        machine_set_entry(g, va, level, next | PRESENT);
    }
    machine_set_entry(g, va, 0,
                      g->next_page | PRESENT |
                          (bank == XK_GPU_LOCAL ? LEAF_LOCAL : 0));
    g->next_page += XK_GPU_PAGE_B;
}

static void write_phys32(struct machine *g, uint64_t address, uint32_t v)
{
    xk_gpu_phys_write(g->m, (struct xk_gpu_phys){address, XK_GPU_SYSTEM}, &v,
                      4);
}

static enum xk_status note_walker(void *user, const struct xk_gpu_walker *w)
{
    struct machine *const g = user;
    g->walker = *w;
    g->n_walkers++;
    return g->walker_status;
}

static uint64_t tick(void *user)
{
    return ++((struct machine *)user)->clock;
}

/* Global addresses are physical ones here. */
static void make_context(struct machine *g)
{
    for (uint64_t page = 1; page < 9; page++)
        xk_gpu_ggtt_set(g->m, page, page * XK_GPU_PAGE_B | 1);
    write_phys32(g, MACHINE_LRCA + 0x1024, RING_GGTT);
    write_phys32(g, MACHINE_LRCA + 0x102c, MACHINE_RING_B - 0x1000 + 1);
    write_phys32(g, MACHINE_LRCA + 0x10c4, 0);
    write_phys32(g, MACHINE_LRCA + 0x10cc, ROOT);
}

void machine_open(struct machine *g, uint64_t max_commands)
{
    memset(g, 0, sizeof *g);
    const struct xk_command_config config = {
        .mmio_base = MACHINE_BASE,
        .max_commands = max_commands ? max_commands : 100,
        .ops = {note_walker, tick, g}};
    g->c = xk_ctx_create(NULL);
    xk_gpu_memory_create(g->c, UINT64_C(64) << 20, &g->m);
    xk_command_stream_create(g->c, &config, &g->s);
    g->space = (struct xk_gpu_space){g->m, {ROOT, XK_GPU_SYSTEM}};
    g->next_page = 0x100000;
    make_context(g);
    for (uint64_t k = 0; k < MACHINE_BATCH_PAGES; k++)
        machine_map(g, MACHINE_BATCH + k * XK_GPU_PAGE_B, XK_GPU_SYSTEM);
    for (uint64_t k = 0; k < MACHINE_DATA_PAGES; k++)
        machine_map(g, MACHINE_DATA + k * XK_GPU_PAGE_B, XK_GPU_LOCAL);
}

void machine_close(struct machine *g)
{
    xk_command_stream_destroy(g->s);
    xk_gpu_memory_destroy(g->m);
    xk_ctx_destroy(g->c);
}

void machine_place(struct machine *g, uint64_t va, const uint32_t *dw,
                   unsigned n)
{
    xk_gpu_write(&g->space, va, dw, 4ull * n, NULL);
}

enum xk_status machine_submit(struct machine *g, uint64_t va)
{
    const uint32_t start[4] = {0x18800101, (uint32_t)va, (uint32_t)(va >> 32),
                               0};
    for (unsigned k = 0; k < 4; k++)
        write_phys32(g, RING_GGTT + g->tail + 4 * k, start[k]);
    g->tail = (g->tail + 16) % MACHINE_RING_B;
    write_phys32(g, MACHINE_LRCA + 0x101c, g->tail);
    return xk_command_stream_submit(g->s, g->m, MACHINE_LRCA);
}

enum xk_status machine_run(struct machine *g, const uint32_t *dw, unsigned n)
{
    const uint32_t end = 0x05000000;
    machine_place(g, MACHINE_BATCH, dw, n);
    machine_place(g, MACHINE_BATCH + 4ull * n, &end, 1);
    return machine_submit(g, MACHINE_BATCH);
}

uint32_t machine_read32(struct machine *g, uint64_t va)
{
    uint32_t v = 0xdeadbeef;
    xk_gpu_read(&g->space, va, &v, 4, NULL);
    return v;
}

uint64_t machine_read64(struct machine *g, uint64_t va)
{
    uint64_t v = 0xdeadbeef;
    xk_gpu_read(&g->space, va, &v, 8, NULL);
    return v;
}

void machine_write64(struct machine *g, uint64_t va, uint64_t v)
{
    xk_gpu_write(&g->space, va, &v, 8, NULL);
}
