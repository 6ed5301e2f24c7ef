/* SPDX-License-Identifier: Apache-2.0 */
#include "vgpu/gpu_memory.h"

#include <string.h>
#define uthash_fatal(text) (void)0
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define ENTRY_PRESENT 1u
#define GGTT_LOCAL 2u
#define PTE_LOCAL 0x800u
#define TABLE_ADDRESS 0x0000007ffffff000ull /* bits 38:12 */
#define GGTT_ADDRESS 0x00007ffffffff000ull  /* bits 46:12 */
#define LEVELS 4
#define TABLE_ENTRIES (XK_GPU_PAGE_B / 8)

struct page {
    uint64_t number;
    UT_hash_handle hh;
    uint8_t byte[XK_GPU_PAGE_B];
};

struct entry {
    uint64_t index, value;
    UT_hash_handle hh;
};

struct xk_gpu_memory {
    xk_ctx *c;
    struct page *bank[XK_N_GPU_BANKS];
    struct entry *ggtt;
    uint64_t used_b, max_b, n_pages;
};

enum xk_status xk_gpu_memory_create(xk_ctx *c, uint64_t max_b,
                                    xk_gpu_memory **out)
{
    *out = xk_calloc(c, 1, sizeof **out);
    if (!*out)
        return XK_ENOMEM;
    (*out)->c = c;
    (*out)->max_b = max_b;
    return XK_OK;
}

void xk_gpu_memory_destroy(xk_gpu_memory *m)
{
    if (!m)
        return;
    for (unsigned b = 0; b < XK_N_GPU_BANKS; b++) {
        struct page *p, *next;
        HASH_ITER(hh, m->bank[b], p, next)
        {
            HASH_DEL(m->bank[b], p);
            xk_free(m->c, p);
        }
    }
    struct entry *e, *after;
    HASH_ITER(hh, m->ggtt, e, after)
    {
        HASH_DEL(m->ggtt, e);
        xk_free(m->c, e);
    }
    xk_free(m->c, m);
}

static struct page *find_page(const xk_gpu_memory *m, unsigned bank,
                              uint64_t number)
{
    struct page *p;
    HASH_FIND(hh, m->bank[bank], &number, sizeof number, p);
    return p;
}

static struct page *make_page(xk_gpu_memory *m, unsigned bank, uint64_t number)
{
    struct page *p = find_page(m, bank, number);
    if (p)
        return p;
    if (m->used_b + XK_GPU_PAGE_B > m->max_b) {
        xk_fail(m->c, XK_ENOMEM, "vgpu: more than %llu bytes of device memory",
                (unsigned long long)m->max_b);
        return NULL;
    }
    p = xk_calloc(m->c, 1, sizeof *p);
    if (!p)
        return NULL;
    p->number = number;
    HASH_ADD(hh, m->bank[bank], number, sizeof p->number, p);
    m->used_b += XK_GPU_PAGE_B;
    m->n_pages++;
    return p;
}

bool xk_gpu_phys_exists(const xk_gpu_memory *m, struct xk_gpu_phys at)
{
    return find_page(m, at.bank, at.address / XK_GPU_PAGE_B);
}

/* How many of n_b bytes lie in the page of address. */
static uint64_t in_page(uint64_t address, uint64_t n_b)
{
    const uint64_t left_b = XK_GPU_PAGE_B - address % XK_GPU_PAGE_B;
    return n_b < left_b ? n_b : left_b;
}

enum xk_status xk_gpu_phys_write(xk_gpu_memory *m, struct xk_gpu_phys at,
                                 const void *src, uint64_t n_b)
{
    const uint8_t *from = src;
    while (n_b) {
        const uint64_t part_b = in_page(at.address, n_b);
        struct page *const p =
            make_page(m, at.bank, at.address / XK_GPU_PAGE_B);
        if (!p)
            return XK_ENOMEM;
        memcpy(p->byte + at.address % XK_GPU_PAGE_B, from, part_b);
        from += part_b;
        at.address += part_b;
        n_b -= part_b;
    }
    return XK_OK;
}

void xk_gpu_phys_read(const xk_gpu_memory *m, struct xk_gpu_phys at, void *dst,
                      uint64_t n_b)
{
    uint8_t *to = dst;
    while (n_b) {
        const uint64_t part_b = in_page(at.address, n_b);
        const struct page *const p =
            find_page(m, at.bank, at.address / XK_GPU_PAGE_B);
        if (p)
            memcpy(to, p->byte + at.address % XK_GPU_PAGE_B, part_b);
        else
            memset(to, 0, part_b);
        to += part_b;
        at.address += part_b;
        n_b -= part_b;
    }
}

enum xk_status xk_gpu_ggtt_set(xk_gpu_memory *m, uint64_t index, uint64_t value)
{
    struct entry *e;
    HASH_FIND(hh, m->ggtt, &index, sizeof index, e);
    if (!e) {
        if (m->used_b + sizeof *e > m->max_b)
            return xk_fail(m->c, XK_ENOMEM, "vgpu: the global table is full");
        e = xk_calloc(m->c, 1, sizeof *e);
        if (!e)
            return XK_ENOMEM;
        e->index = index;
        HASH_ADD(hh, m->ggtt, index, sizeof e->index, e);
        m->used_b += sizeof *e;
    }
    e->value = value;
    return XK_OK;
}

bool xk_gpu_ggtt_translate(const xk_gpu_memory *m, uint64_t address,
                           struct xk_gpu_phys *out)
{
    const uint64_t index = address / XK_GPU_PAGE_B;
    struct entry *e;
    HASH_FIND(hh, m->ggtt, &index, sizeof index, e);
    if (!e || !(e->value & ENTRY_PRESENT))
        return false;
    *out = (struct xk_gpu_phys){
        .address = (e->value & GGTT_ADDRESS) | address % XK_GPU_PAGE_B,
        .bank = e->value & GGTT_LOCAL ? XK_GPU_LOCAL : XK_GPU_SYSTEM};
    return true;
}

/* Tables lie in the same bank as their root; only a leaf entry names the bank
 * of its page. */
static bool read_entry(const struct xk_gpu_space *s, uint64_t table,
                       uint64_t index, uint64_t *value)
{
    xk_gpu_phys_read(
        s->m, (struct xk_gpu_phys){table + 8 * index, s->root.bank}, value, 8);
    return *value & ENTRY_PRESENT;
}

static struct xk_gpu_phys leaf(uint64_t pte, uint64_t va)
{
    return (struct xk_gpu_phys){
        .address = (pte & TABLE_ADDRESS) | va % XK_GPU_PAGE_B,
        .bank = pte & PTE_LOCAL ? XK_GPU_LOCAL : XK_GPU_SYSTEM};
}

bool xk_gpu_translate(const struct xk_gpu_space *s, uint64_t va,
                      struct xk_gpu_phys *out)
{
    uint64_t table = s->root.address, value = 0;
    for (int level = LEVELS - 1; level >= 0; level--) {
        if (!read_entry(s, table, va >> (12 + 9 * level) & 511, &value))
            return false;
        table = value & TABLE_ADDRESS;
    }
    *out = leaf(value, va);
    return true;
}

static bool transfer_stored(const struct xk_gpu_space *s, uint64_t va,
                            uint64_t n_b, void *to, const void *from,
                            uint64_t *bad)
{
    for (uint64_t done = 0, part_b; done < n_b; done += part_b) {
        const uint8_t *const at =
            xk_va_store_at(s->store, va + done, n_b - done, &part_b);
        if (at && to)
            memcpy((uint8_t *)to + done, at, part_b);
        else if (at)
            xk_va_store_write(s->store, va + done, (const uint8_t *)from + done,
                              n_b - done, &part_b);
        if (!at) {
            if (bad)
                *bad = va + done;
            return false;
        }
    }
    return true;
}

static bool transfer(const struct xk_gpu_space *s, uint64_t va, uint64_t n_b,
                     void *to, const void *from, uint64_t *bad)
{
    if (s->store)
        return transfer_stored(s, va, n_b, to, from, bad);
    for (uint64_t done = 0; done < n_b;) {
        const uint64_t part_b = in_page(va + done, n_b - done);
        struct xk_gpu_phys at;
        if (!xk_gpu_translate(s, va + done, &at) ||
            (from && xk_gpu_phys_write(s->m, at, (const uint8_t *)from + done,
                                       part_b) < 0)) {
            if (bad)
                *bad = va + done;
            return false;
        }
        if (to)
            xk_gpu_phys_read(s->m, at, (uint8_t *)to + done, part_b);
        done += part_b;
    }
    return true;
}

bool xk_gpu_read(const struct xk_gpu_space *s, uint64_t va, void *dst,
                 uint64_t n_b, uint64_t *bad)
{
    return transfer(s, va, n_b, dst, NULL, bad);
}

bool xk_gpu_write(const struct xk_gpu_space *s, uint64_t va, const void *src,
                  uint64_t n_b, uint64_t *bad)
{
    return transfer(s, va, n_b, NULL, src, bad);
}

struct walk {
    const struct xk_gpu_space *s;
    xk_gpu_page_fn fn;
    void *user;
    uint64_t tables_left;
    bool looped;
};

static bool walk_table(struct walk *w, uint64_t table, int level, uint64_t va)
{
    uint64_t entry[TABLE_ENTRIES];
    if (!w->tables_left--) {
        w->looped = true;
        return false;
    }
    xk_gpu_phys_read(w->s->m, (struct xk_gpu_phys){table, w->s->root.bank},
                     entry, sizeof entry);
    for (uint64_t k = 0; k < TABLE_ENTRIES; k++) {
        const uint64_t at = va | k << (12 + 9 * level);
        if (!(entry[k] & ENTRY_PRESENT))
            continue;
        if (!(level ? walk_table(w, entry[k] & TABLE_ADDRESS, level - 1, at)
                    : w->fn(w->user, at, leaf(entry[k], at))))
            return false;
    }
    return true;
}

/* The visit ends after as many tables as there are pages that were written: a
 * tree has no more. */
bool xk_gpu_each_page(const struct xk_gpu_space *s, xk_gpu_page_fn fn,
                      void *user)
{
    struct walk w = {s, fn, user, s->m->n_pages + 1, false};
    walk_table(&w, s->root.address & TABLE_ADDRESS, LEVELS - 1, 0);
    return !w.looped;
}
