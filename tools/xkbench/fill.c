/* SPDX-License-Identifier: Apache-2.0 */
/* Random integers, and the way between plain row-major arrays and the layouts
 * that xk_tensor_info describes. A layout's offset is a sum of one function of
 * each index, so a table per dimension is enough for any blocking. */
#include <stdlib.h>
#include <string.h>

#include "tools/xkbench/bench.h"

static int64_t dim_offset(const struct xk_tensor_info *t, uint32_t dim,
                          int64_t i)
{
    int64_t sum = 0;
    for (uint32_t b = 0; b < t->n_blocks; b++) {
        const struct xk_layout_block *const k = &t->blocks[b];
        if (k->dim == dim && k->div > 0 && k->size > 0)
            sum += i / k->div % k->size * k->stride;
    }
    return sum;
}

bool xk_bench_map_init(struct xk_bench_map *m, const struct xk_tensor_info *t)
{
    *m = (struct xk_bench_map){
        .ndims = t->ndims, .n = 1, .elem_bits = xk_bench_type_bits(t->type)};
    int64_t last = 0;
    if (!m->elem_bits || !t->ndims || t->ndims > XK_MAX_NDIMS ||
        t->n_blocks > XK_MAX_BLOCKS)
        return false;
    for (uint32_t d = 0; d < t->ndims; d++) {
        m->dims[d] = t->dims[d];
        m->n *= (uint64_t)t->dims[d];
        m->offset[d] = malloc((size_t)(t->dims[d] + 1) * sizeof *m->offset[d]);
        if (!m->offset[d])
            return false;
        int64_t most = 0;
        for (int64_t i = 0; i < t->dims[d]; i++) {
            const int64_t o = dim_offset(t, d, i);
            m->offset[d][i] = o;
            most = o > most ? o : most;
        }
        last += most;
    }
    return !m->n || (uint64_t)last < t->size_b * 8 / m->elem_bits;
}

void xk_bench_map_fini(struct xk_bench_map *m)
{
    for (uint32_t d = 0; d < XK_MAX_NDIMS; d++)
        free(m->offset[d]);
    *m = (struct xk_bench_map){0};
}

/* The next index in row-major order and the offset that belongs to it. */
static int64_t step(const struct xk_bench_map *m, int64_t at[XK_MAX_NDIMS])
{
    for (uint32_t d = m->ndims; d-- > 0;) {
        if (++at[d] < m->dims[d])
            break;
        at[d] = 0;
    }
    int64_t sum = 0;
    for (uint32_t d = 0; d < m->ndims; d++)
        sum += m->offset[d][at[d]];
    return sum;
}

static int64_t first(const struct xk_bench_map *m)
{
    int64_t sum = 0;
    for (uint32_t d = 0; d < m->ndims; d++)
        sum += m->offset[d][0];
    return sum;
}

/* Elements are little endian, as is the host. */
static void put_bits(const struct xk_bench_map *m, unsigned char *bytes,
                     int64_t o, uint32_t bits)
{
    const int shift = (int)(o & 1) * 4;
    unsigned char *const at = bytes + o * (int64_t)m->elem_bits / 8;
    if (m->elem_bits == 4)
        *at = (unsigned char)((*at & 0xf0 >> shift) | (bits & 15) << shift);
    else
        memcpy(at, &bits, m->elem_bits / 8);
}

static uint32_t get_bits(const struct xk_bench_map *m,
                         const unsigned char *bytes, int64_t o)
{
    const unsigned char *const at = bytes + o * (int64_t)m->elem_bits / 8;
    uint32_t bits = 0;
    if (m->elem_bits == 4)
        return (uint32_t)*at >> (o & 1) * 4 & 15;
    memcpy(&bits, at, m->elem_bits / 8);
    return bits;
}

void xk_bench_scatter(const struct xk_bench_map *m, const uint32_t *plain,
                      void *image)
{
    int64_t at[XK_MAX_NDIMS] = {0}, o = first(m);
    for (uint64_t i = 0; i < m->n; i++, o = step(m, at))
        put_bits(m, image, o, plain[i]);
}

void xk_bench_gather(const struct xk_bench_map *m, const void *image,
                     uint32_t *plain)
{
    int64_t at[XK_MAX_NDIMS] = {0}, o = first(m);
    for (uint64_t i = 0; i < m->n; i++, o = step(m, at))
        plain[i] = get_bits(m, image, o);
}

void xk_bench_mark(const struct xk_bench_map *m, bool *used)
{
    int64_t at[XK_MAX_NDIMS] = {0}, o = first(m);
    for (uint64_t i = 0; i < m->n; i++, o = step(m, at))
        used[o] = true;
}

/* splitmix64: every index gets its own well mixed bits. */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void xk_bench_fill(float *plain, uint64_t n, int32_t range, int64_t k_n,
                   int64_t every, uint64_t seed)
{
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t bits = mix(seed * 0x100000001b3u + i);
        const int32_t size = 1 + (int32_t)((bits >> 8) % (uint32_t)range);
        const bool present = (int64_t)(i % (uint64_t)k_n) % every == 0;
        plain[i] = !present ? 0.0f : (float)(bits & 1 ? -size : size);
    }
}
