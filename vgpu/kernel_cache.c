/* SPDX-License-Identifier: Apache-2.0 */
#include "vgpu/kernel_cache.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define MAX_ENTRIES 1024u

/* What the decoded kernel depends on besides its code. */
struct key {
    uint64_t start_va;
    uint32_t simd, grf_count, slm_b, n_barriers;
};

struct entry {
    struct key key;
    xk_sim_kernel *kernel;
    uint8_t *code;
    size_t code_b;
    uint64_t code_hash;
    unsigned users;
    uint64_t used_at; /* the cache's turn */
    bool stale;       /* other code lies there now */
    char name[256];
};

struct xk_kernel_cache {
    pthread_mutex_t lock;
    const struct xk_platform *platform;
    struct entry *entry[MAX_ENTRIES];
    unsigned n;
    uint64_t turn;
};

xk_kernel_cache *xk_kernel_cache_create(const struct xk_platform *p)
{
    xk_kernel_cache *const k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    pthread_mutex_init(&k->lock, NULL);
    k->platform = p;
    return k;
}

static void free_entry(struct entry *e)
{
    xk_sim_kernel_destroy(e->kernel);
    free(e->code);
    free(e);
}

void xk_kernel_cache_destroy(xk_kernel_cache *k)
{
    if (!k)
        return;
    for (unsigned i = 0; i < k->n; i++)
        free_entry(k->entry[i]);
    pthread_mutex_destroy(&k->lock);
    free(k);
}

static struct key key_of(const struct xk_gpu_walker *w)
{
    return (struct key){w->start_va, w->simd, w->grf_count, w->slm_b,
                        w->n_barriers};
}

static bool same_key(const struct key *a, const struct key *b)
{
    return a->start_va == b->start_va && a->simd == b->simd &&
           a->grf_count == b->grf_count && a->slm_b == b->slm_b &&
           a->n_barriers == b->n_barriers;
}

static struct entry *find_entry(xk_kernel_cache *k, const struct key *key,
                                const uint8_t *code, size_t n_b)
{
    for (unsigned i = 0; i < k->n; i++) {
        struct entry *const e = k->entry[i];
        if (e->stale || !same_key(&e->key, key))
            continue;
        if (e->code_b <= n_b && memcmp(e->code, code, e->code_b) == 0)
            return e;
        e->stale = true;
    }
    return NULL;
}

/* The entry for one more kernel: a stale one, else the one unused for
 * longest. */
static struct entry **free_place(xk_kernel_cache *k)
{
    struct entry **best = NULL;
    if (k->n < MAX_ENTRIES)
        return &k->entry[k->n++];
    for (unsigned i = 0; i < k->n; i++) {
        struct entry **const e = &k->entry[i];
        if (!(*e)->users && (!best || (*e)->used_at < (*best)->used_at))
            best = e;
    }
    if (best)
        free_entry(*best);
    return best;
}

/* Code is whole words of 8 bytes. */
static uint64_t code_hash(const uint8_t *code, size_t n_b)
{
    uint64_t h = n_b, v;
    for (size_t at = 0; at + 8 <= n_b; at += 8) {
        memcpy(&v, code + at, 8);
        h = xk_hash_mix(h, v);
    }
    return h;
}

static enum xk_status make_entry(const xk_kernel_cache *k, xk_ctx *c,
                                 const struct xk_kernel_wanted *x,
                                 struct entry *e)
{
    e->key = key_of(x->w);
    e->code_b = xk_walker_code_bytes(k->platform, x->code, x->n_b) & ~(size_t)7;
    e->code = malloc(e->code_b ? e->code_b : 1);
    if (!e->code)
        return xk_fail(c, XK_ENOMEM, "vgpu: no memory for a kernel's code");
    memcpy(e->code, x->code, e->code_b);
    e->code_hash = code_hash(e->code, e->code_b);
    if (!x->name || !x->name(x->user, e->code, e->code_b, e->name))
        snprintf(e->name, sizeof e->name, "kernel at 0x%llx",
                 (unsigned long long)x->w->start_va);
    const struct xk_walker_code mine = {e->name, e->code, e->code_b};
    return xk_walker_kernel(c, k->platform, x->w, &mine, &e->kernel);
}

static enum xk_status add_entry(xk_kernel_cache *k, xk_ctx *c,
                                const struct xk_kernel_wanted *x,
                                struct entry **out)
{
    struct entry *const e = calloc(1, sizeof *e);
    if (!e)
        return xk_fail(c, XK_ENOMEM, "vgpu: no memory for a kernel");
    const enum xk_status s = make_entry(k, c, x, e);
    struct entry **const at = s < 0 ? NULL : free_place(k);
    if (!at) {
        free_entry(e);
        return s < 0 ? s : xk_fail(c, XK_ENOMEM, "vgpu: too many kernels run");
    }
    *at = *out = e;
    return XK_OK;
}

enum xk_status xk_kernel_cache_get(xk_kernel_cache *k, xk_ctx *c,
                                   const struct xk_kernel_wanted *x,
                                   struct xk_cached_kernel *out)
{
    const struct key key = key_of(x->w);
    enum xk_status s = XK_OK;
    pthread_mutex_lock(&k->lock);
    struct entry *e = find_entry(k, &key, x->code, x->n_b);
    if (!e)
        s = add_entry(k, c, x, &e);
    if (s == XK_OK) {
        e->users++;
        e->used_at = ++k->turn;
        *out = (struct xk_cached_kernel){e->kernel, e->name, e->code_hash};
    }
    pthread_mutex_unlock(&k->lock);
    return s;
}

void xk_kernel_cache_put(xk_kernel_cache *k, const struct xk_cached_kernel *x)
{
    pthread_mutex_lock(&k->lock);
    for (unsigned i = 0; i < k->n; i++)
        if (k->entry[i]->kernel == x->kernel)
            k->entry[i]->users--;
    pthread_mutex_unlock(&k->lock);
}
