/* SPDX-License-Identifier: Apache-2.0 */
/* Address space is reserved in chunks. The host's kernel allocates a chunk's
 * pages when they are touched. Chunks that are neighbours on the device are
 * neighbours in host memory too, if the host has room there. */
#include "vgpu/va_store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE_B 4096u
#define CACHE_LINE_B 64u
#define VA_BITS 48
#define VA_MASK ((UINT64_C(1) << VA_BITS) - 1)
#define CHUNK_BITS 34 /* 16 GiB */
#define CHUNK_B (UINT64_C(1) << CHUNK_BITS)
/* Larger than needed: kernel_name.c skips regions of this size, so nobody who
 * searches this process's memory takes it for data. */
#define PAGES_B (UINT64_C(2) << 30)
#define N_CHUNKS (1u << (VA_BITS - CHUNK_BITS))
#define MAX_CHUNKS 256u /* of a client */
#define MAX_RUNS 65536u /* pieces that do not touch each other */
#define BLOCK_PAGES 64u /* of the client, read at once */

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0
#endif

enum page_state { PAGE_UNKNOWN, PAGE_MAPPED, PAGE_WRITTEN };

/* [lo, hi): the part of the page that was ever exchanged with the client. */
struct page {
    uint16_t lo, hi;
    atomic_uchar state; /* enum page_state */
};

struct chunk {
    uint8_t *host;
    struct page *page;
    uint8_t *both; /* what both sides held when they last exchanged it */
};

/* Consecutive mapped pages. */
struct run {
    uint64_t first, n;
};

struct xk_va_store {
    pthread_mutex_t lock;
    _Atomic(struct chunk *) chunk[N_CHUNKS];
    struct run *run;
    uint32_t n_runs, cap_runs, n_chunks;
    uint64_t used_b, max_b;
    uint8_t block[BLOCK_PAGES * PAGE_B];
};

xk_va_store *xk_va_store_create(uint64_t max_b)
{
    xk_va_store *const s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    pthread_mutex_init(&s->lock, NULL);
    s->max_b = max_b;
    return s;
}

static void destroy_chunk(struct chunk *k)
{
    if (k->host)
        munmap(k->host, CHUNK_B);
    if (k->page)
        munmap(k->page, PAGES_B + CHUNK_B);
    free(k);
}

void xk_va_store_destroy(xk_va_store *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < N_CHUNKS; i++) {
        struct chunk *const k = atomic_load(&s->chunk[i]);
        if (k)
            destroy_chunk(k);
    }
    free(s->run);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static void *reserve_addresses(void *wish, uint64_t n_b)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *p = MAP_FAILED;
    if (wish && MAP_FIXED_NOREPLACE) {
        p = mmap(wish, n_b, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE,
                 -1, 0);
        if (p != MAP_FAILED && p != wish) { /* a kernel that does not know it */
            munmap(p, n_b);
            p = MAP_FAILED;
        }
    }
    if (p == MAP_FAILED)
        p = mmap(NULL, n_b, PROT_READ | PROT_WRITE, flags, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Host memory directly behind the previous chunk or directly before the next
 * one. */
static void *wish_for(const xk_va_store *s, uint32_t i)
{
    const struct chunk *const below = i ? atomic_load(&s->chunk[i - 1]) : NULL;
    const struct chunk *const above =
        i + 1 < N_CHUNKS ? atomic_load(&s->chunk[i + 1]) : NULL;
    if (below)
        return below->host + CHUNK_B;
    return above && (uintptr_t)above->host > CHUNK_B ? above->host - CHUNK_B
                                                     : NULL;
}

/* A page fault for each 4 KiB costs a third of what it takes to receive them. A
 * kernel that has no large pages takes no notice. */
static void ask_for_large_pages(uint8_t *chunk)
{
    madvise(chunk, CHUNK_B, MADV_HUGEPAGE);
}

static struct chunk *make_chunk(xk_va_store *s, uint32_t i)
{
    struct chunk *const k = calloc(1, sizeof *k);
    if (!k || s->n_chunks >= MAX_CHUNKS) {
        free(k);
        return NULL;
    }
    k->host = reserve_addresses(wish_for(s, i), CHUNK_B);
    k->page = reserve_addresses(NULL, PAGES_B + CHUNK_B);
    if (!k->host || !k->page) {
        destroy_chunk(k);
        return NULL;
    }
    k->both = (uint8_t *)k->page + PAGES_B;
    ask_for_large_pages(k->host);
    ask_for_large_pages(k->both);
    s->n_chunks++;
    atomic_store(&s->chunk[i], k);
    return k;
}

static struct page *page_of(const xk_va_store *s, uint64_t va)
{
    const struct chunk *const k = atomic_load_explicit(
        &s->chunk[(va & VA_MASK) >> CHUNK_BITS], memory_order_acquire);
    return k ? &k->page[(va & (CHUNK_B - 1)) / PAGE_B] : NULL;
}

static uint8_t *host_of(const xk_va_store *s, uint64_t va)
{
    return atomic_load_explicit(&s->chunk[(va & VA_MASK) >> CHUNK_BITS],
                                memory_order_acquire)
               ->host +
           (va & (CHUNK_B - 1));
}

static uint8_t *both_of(const xk_va_store *s, uint64_t va)
{
    return atomic_load_explicit(&s->chunk[(va & VA_MASK) >> CHUNK_BITS],
                                memory_order_acquire)
               ->both +
           (va & (CHUNK_B - 1));
}

/* How many runs begin at this page or before it. */
static uint32_t runs_to(const xk_va_store *s, uint64_t page)
{
    uint32_t lo = 0, hi = s->n_runs;
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (s->run[mid].first <= page)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool insert_run(xk_va_store *s, uint32_t at, uint64_t page)
{
    if (s->n_runs == s->cap_runs) {
        const uint32_t cap = s->cap_runs ? 2 * s->cap_runs : 64;
        struct run *const more =
            cap <= MAX_RUNS ? realloc(s->run, cap * sizeof *more) : NULL;
        if (!more)
            return false;
        s->run = more;
        s->cap_runs = cap;
    }
    memmove(s->run + at + 1, s->run + at, (s->n_runs - at) * sizeof *s->run);
    s->run[at] = (struct run){page, 1};
    s->n_runs++;
    return true;
}

/* Adds a page that is in no run; it joins the runs that it touches. */
static bool add_to_runs(xk_va_store *s, uint64_t page)
{
    const uint32_t at = runs_to(s, page);
    struct run *const below = at ? &s->run[at - 1] : NULL;
    struct run *const above = at < s->n_runs ? &s->run[at] : NULL;
    const bool joins_below = below && below->first + below->n == page;
    const bool joins_above = above && above->first == page + 1;
    if (joins_below && joins_above) {
        below->n += 1 + above->n;
        memmove(above, above + 1, (s->n_runs - at - 1) * sizeof *above);
        s->n_runs--;
    } else if (joins_below) {
        below->n++;
    } else if (joins_above) {
        above->first--;
        above->n++;
    } else {
        return insert_run(s, at, page);
    }
    return true;
}

static enum xk_status charge_store(xk_va_store *s, xk_ctx *c, uint64_t n_b)
{
    if (s->used_b > s->max_b || n_b > s->max_b - s->used_b)
        return xk_fail(c, XK_ENOMEM,
                       "vgpu: more than %llu bytes of device memory",
                       (unsigned long long)s->max_b);
    s->used_b += n_b;
    return XK_OK;
}

enum xk_status xk_va_store_charge(xk_va_store *s, xk_ctx *c, uint64_t n_b)
{
    pthread_mutex_lock(&s->lock);
    const enum xk_status st = charge_store(s, c, n_b);
    pthread_mutex_unlock(&s->lock);
    return st;
}

void xk_va_store_release(xk_va_store *s, uint64_t n_b)
{
    pthread_mutex_lock(&s->lock);
    s->used_b -= n_b;
    pthread_mutex_unlock(&s->lock);
}

static enum xk_status map_page(xk_va_store *s, xk_ctx *c, uint64_t va)
{
    if (!page_of(s, va) && !make_chunk(s, (uint32_t)(va >> CHUNK_BITS)))
        return xk_fail(c, XK_ENOMEM,
                       "vgpu: no address space for the pages around 0x%llx",
                       (unsigned long long)va);
    struct page *const p = page_of(s, va);
    if (atomic_load(&p->state)) /* another engine was first */
        return XK_OK;
    XK_TRY(charge_store(s, c, PAGE_B));
    if (!add_to_runs(s, va / PAGE_B))
        return xk_fail(c, XK_ENOMEM,
                       "vgpu: pages at more than %u places, the last at 0x%llx",
                       MAX_RUNS, (unsigned long long)va);
    atomic_store(&p->state, PAGE_MAPPED);
    return XK_OK;
}

enum xk_status xk_va_store_map(xk_va_store *s, xk_ctx *c, uint64_t va)
{
    va &= VA_MASK;
    const struct page *const p = page_of(s, va);
    if (p && atomic_load_explicit(&p->state, memory_order_relaxed))
        return XK_OK;
    pthread_mutex_lock(&s->lock);
    const enum xk_status st = map_page(s, c, va);
    pthread_mutex_unlock(&s->lock);
    return st;
}

uint8_t *xk_va_store_at(const xk_va_store *s, uint64_t va, uint64_t n_b,
                        uint64_t *part_b)
{
    va &= VA_MASK;
    const struct page *const p = page_of(s, va);
    const uint64_t left_b = PAGE_B - va % PAGE_B;
    if (!p || !atomic_load_explicit(&p->state, memory_order_acquire))
        return NULL;
    *part_b = n_b < left_b ? n_b : left_b;
    return host_of(s, va);
}

/* Called when the bytes are there. */
static void note_written(const xk_va_store *s, uint64_t va)
{
    atomic_store_explicit(&page_of(s, va)->state, PAGE_WRITTEN,
                          memory_order_release);
}

bool xk_va_store_write(xk_va_store *s, uint64_t va, const uint8_t *src,
                       uint64_t n_b, uint64_t *part_b)
{
    uint8_t *const host = xk_va_store_at(s, va, n_b, part_b);
    if (!host)
        return false;
    memcpy(host, src, *part_b);
    note_written(s, va & VA_MASK);
    return true;
}

bool xk_va_store_written(const xk_va_store *s, uint64_t va)
{
    const struct page *const p = page_of(s, va & VA_MASK);
    return p && atomic_load_explicit(&p->state, memory_order_acquire) ==
                    PAGE_WRITTEN;
}

/* True if the exchanged part of a page's copy equals what both sides held last.
 * `both` is that of the whole page. */
static bool same_exchanged(const struct page *p, const uint8_t *both,
                           const uint8_t *copy)
{
    return memcmp(both + p->lo, copy + p->lo, p->hi - p->lo) == 0;
}

/* Takes the client's changes of n_b bytes: those bytes of `mine` that differ
 * from `both`. Bytes that differ only on the device are the device's work and
 * stay. With `device_first`, a byte that both sides have written stays the
 * device's. */
static void merge_bytes(uint8_t *host, uint8_t *both, const uint8_t *mine,
                        uint64_t n_b, bool device_first)
{
    if (memcmp(both, mine, n_b) == 0)
        return;
    for (uint64_t k = 0; k < n_b; k++) {
        if (mine[k] == both[k])
            continue;
        if (!device_first || host[k] == both[k])
            host[k] = mine[k];
        both[k] = mine[k];
    }
}

/* Extends the exchanged part of a page to include [lo, hi). Bytes between the
 * old part and the new one are recorded as the device has them. */
static void widen_exchanged(struct page *p, uint8_t *both, const uint8_t *host,
                            uint16_t lo, uint16_t hi)
{
    if (p->hi == 0)
        p->lo = p->hi = lo;
    if (lo < p->lo) {
        memcpy(both + lo, host + lo, p->lo - lo);
        p->lo = lo;
    }
    if (hi > p->hi) {
        memcpy(both + p->hi, host + p->hi, hi - p->hi);
        p->hi = hi;
    }
}

/* Copies bytes [from, to) of a page, of which `src` has those from `in_page`
 * on; nothing if there are none. */
static void copy_bytes(uint8_t *host, const uint8_t *src, uint64_t in_page,
                       uint64_t from, uint64_t to)
{
    if (from < to)
        memcpy(host + from, src + (from - in_page), to - from);
}

/* An engine may upload bytes that another engine has changed since. The
 * client's bytes are newer only where they differ from what both sides held
 * last. */
static void upload(xk_va_store *s, struct page *p, uint64_t va,
                   const uint8_t *src, uint64_t n_b)
{
    const uint64_t in_page = va % PAGE_B, page = va - in_page;
    const uint64_t end = in_page + n_b;
    const uint64_t lo = p->lo > in_page ? p->lo : in_page;
    const uint64_t hi = p->hi < end ? p->hi : end;
    uint8_t *const host = host_of(s, page), *const both = both_of(s, page);
    if (lo < hi) {
        copy_bytes(host, src, in_page, in_page, lo);
        copy_bytes(host, src, in_page, hi, end);
    } else {
        memcpy(host + in_page, src, n_b);
    }
    widen_exchanged(p, both, host, (uint16_t)in_page, (uint16_t)end);
    if (lo < hi)
        merge_bytes(host + lo, both + lo, src + (lo - in_page), hi - lo, false);
}

bool xk_va_store_upload(xk_va_store *s, uint64_t va, const uint8_t *src,
                        uint64_t n_b, uint64_t *part_b)
{
    va &= VA_MASK;
    if (va >= XK_VA_CLIENT_END)
        return xk_va_store_write(s, va, src, n_b, part_b);
    if (!xk_va_store_at(s, va, n_b, part_b))
        return false;
    pthread_mutex_lock(&s->lock);
    upload(s, page_of(s, va), va, src, *part_b);
    note_written(s, va);
    pthread_mutex_unlock(&s->lock);
    return true;
}

/* mine[]: the client's page at va, just read. */
static bool changed(const xk_va_store *s, const struct page *p, uint64_t va,
                    const uint8_t *mine)
{
    return p->hi && !same_exchanged(p, both_of(s, va), mine);
}

static void take_client_bytes(xk_va_store *s, struct page *p, uint64_t va,
                              const uint8_t *mine)
{
    if (p->hi)
        merge_bytes(host_of(s, va) + p->lo, both_of(s, va) + p->lo,
                    mine + p->lo, p->hi - p->lo, false);
}

static void refresh_page(xk_va_store *s, const struct xk_va_client *client,
                         uint64_t va, uint8_t *mine)
{
    struct page *const p = page_of(s, va);
    if (!changed(s, p, va, mine))
        return;
    if (client->settle && client->settle(client->user, va) &&
        !client->read(client->user, va, mine, PAGE_B))
        return;
    take_client_bytes(s, p, va, mine);
}

/* Takes what the client's CPU has written into [lo, hi) of a page, before the
 * device's bytes are sent over it. A page that was never exchanged is taken
 * from the client as a whole if all of it is sent and the device has not
 * written it. */
static void take_own(xk_va_store *s, const struct xk_va_client *client,
                     uint64_t page, uint16_t lo, uint16_t hi)
{
    static const uint8_t zero[PAGE_B];
    struct page *const p = page_of(s, page);
    uint8_t *const host = host_of(s, page), *const both = both_of(s, page);
    const bool known = p->hi;
    if (!known && (hi - lo != PAGE_B || memcmp(host, zero, PAGE_B) != 0))
        return;
    if (!client->read(client->user, page, s->block, PAGE_B))
        return;
    if (!known) {
        memcpy(host, s->block, PAGE_B);
        return;
    }
    if (memcmp(both + lo, s->block + lo, hi - lo) == 0 ||
        (client->settle && client->settle(client->user, page) &&
         !client->read(client->user, page, s->block, PAGE_B)))
        return;
    merge_bytes(host + lo, both + lo, s->block + lo, hi - lo, true);
}

/* Prefetches the next page: drivers read pages in order, and the next one is in
 * no cache. */
static void expect(const uint8_t *page)
{
    for (unsigned k = 0; k < PAGE_B; k += CACHE_LINE_B)
        __builtin_prefetch(page + k);
}

/* An engine may write the page meanwhile, so the bytes that are sent are a
 * copy, which is also what is noted. Otherwise the client's copy would later
 * look like its CPU's work. */
static void download(xk_va_store *s, const struct xk_va_client *client,
                     uint64_t va, uint64_t n_b, uint8_t out[PAGE_B])
{
    struct page *const p = page_of(s, va);
    const uint64_t in_page = va % PAGE_B, page = va - in_page;
    uint64_t lo = in_page, hi = in_page + n_b;
    if (p->hi) {
        lo = lo < p->lo ? p->lo : lo;
        hi = hi > p->hi ? p->hi : hi;
    }
    if (client && lo < hi)
        take_own(s, client, page, (uint16_t)lo, (uint16_t)hi);
    memcpy(out, host_of(s, page), PAGE_B);
    if (p->hi && lo < hi && !same_exchanged(p, both_of(s, page), out))
        memcpy(both_of(s, page) + lo, out + lo, hi - lo);
}

bool xk_va_store_download(xk_va_store *s, const struct xk_va_client *client,
                          uint64_t va, uint64_t n_b, uint8_t page[PAGE_B])
{
    va &= VA_MASK;
    const struct page *const p = va < XK_VA_CLIENT_END ? page_of(s, va) : NULL;
    if (!p || !atomic_load(&p->state))
        return false;
    expect(host_of(s, va) - va % PAGE_B + PAGE_B);
    expect(both_of(s, va) - va % PAGE_B + PAGE_B);
    pthread_mutex_lock(&s->lock);
    download(s, client, va, n_b, page);
    pthread_mutex_unlock(&s->lock);
    return true;
}

/* Pages that the client has unmapped meanwhile are left as they are. */
static void refresh_block(xk_va_store *s, const struct xk_va_client *client,
                          uint64_t va, uint64_t n)
{
    const bool all = client->read(client->user, va, s->block, n * PAGE_B);
    const bool ask = !all && n > 1 && client->next;
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t at = va + k * PAGE_B;
        uint8_t *const mine = s->block + k * PAGE_B;
        if (ask && client->next(client->user, at) > at)
            continue;
        if (all || client->read(client->user, at, mine, PAGE_B))
            refresh_page(s, client, at, mine);
    }
}

/* How many of n pages are read at once: those in the first page's chunk. */
static uint64_t block_pages(uint64_t page, uint64_t n)
{
    const uint64_t left = BLOCK_PAGES - page % BLOCK_PAGES;
    return n < left ? n : left;
}

void xk_va_store_refresh(xk_va_store *s, const struct xk_va_client *client)
{
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; i < s->n_runs; i++) {
        const struct run *const run = &s->run[i];
        if (run->first * PAGE_B >= XK_VA_CLIENT_END)
            break;
        for (uint64_t k = 0, n; k < run->n; k += n) {
            n = block_pages(run->first + k, run->n - k);
            refresh_block(s, client, (run->first + k) * PAGE_B, n);
        }
    }
    pthread_mutex_unlock(&s->lock);
}

void xk_va_store_refresh_page(xk_va_store *s, const struct xk_va_client *client,
                              uint64_t va)
{
    va &= VA_MASK & ~(uint64_t)(PAGE_B - 1);
    const struct page *const p = va < XK_VA_CLIENT_END ? page_of(s, va) : NULL;
    if (!p || !atomic_load(&p->state))
        return;
    pthread_mutex_lock(&s->lock);
    if (client->read(client->user, va, s->block, PAGE_B))
        refresh_page(s, client, va, s->block);
    pthread_mutex_unlock(&s->lock);
}

/* A run is cut between two chunks that are not neighbours on the host. */
static unsigned cut_run(const xk_va_store *s, const struct run *run,
                        struct xk_sim_region *out)
{
    unsigned n = 0;
    uint64_t va = run->first * PAGE_B;
    const uint64_t end = va + run->n * PAGE_B;
    while (va < end) {
        const uint64_t next = (va | (CHUNK_B - 1)) + 1;
        const uint64_t part_b = (next < end ? next : end) - va;
        uint8_t *const host = host_of(s, va);
        if (n && out[n - 1].host + out[n - 1].size_b == host &&
            xk_gpu_canonical(va) == out[n - 1].va + out[n - 1].size_b)
            out[n - 1].size_b += part_b;
        else
            out[n++] = (struct xk_sim_region){
                .va = xk_gpu_canonical(va), .size_b = part_b, .host = host};
        va += part_b;
    }
    return n;
}

enum xk_status xk_va_store_regions(xk_va_store *s, xk_ctx *c,
                                   struct xk_sim_region **out, unsigned *n)
{
    pthread_mutex_lock(&s->lock);
    *n = 0;
    *out = xk_malloc(c, (s->n_runs + s->n_chunks + 1) * sizeof **out);
    for (uint32_t i = 0; *out && i < s->n_runs; i++)
        *n += cut_run(s, &s->run[i], *out + *n);
    pthread_mutex_unlock(&s->lock);
    return *out ? XK_OK : XK_ENOMEM;
}
