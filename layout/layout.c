/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts as values. Invariant of every layout made here: the blocks of one
 * dim multiply to its padded extent, the first of them is its outermost one,
 * and every stride is the product of the sizes of all blocks further in. */
#include "layout/layout.h"

#include <string.h>

const char *xk_layout_complete(struct xk_layout *l)
{
    int64_t inner[XK_LAYOUT_MAX_DIMS] = {1, 1, 1, 1, 1, 1};
    const int64_t limit_e = ((int64_t)1 << 62) / xk_dtype_b(l->dt);
    for (unsigned i = l->n_dims; i < l->n_blocks; i++) {
        int64_t *const n = &inner[l->block[i].dim];
        if (__builtin_mul_overflow(*n, l->block[i].size, n) || *n > limit_e)
            return "inner blocks overflow";
    }
    for (unsigned i = 0; i < l->n_dims; i++) {
        struct xk_block *const b = &l->block[i];
        b->size = (l->dim[b->dim] - 1) / inner[b->dim] + 1;
        if (__builtin_mul_overflow(b->size, inner[b->dim], &l->padded[b->dim]))
            return "size overflows";
    }
    int64_t stride = 1;
    for (unsigned i = l->n_blocks; i-- > 0;) {
        l->block[i].stride = stride;
        if (__builtin_mul_overflow(stride, l->block[i].size, &stride) ||
            stride > limit_e)
            return "the tensor's size overflows 2^62 bytes";
    }
    return NULL;
}

const char *xk_layout_make_dense(struct xk_layout *l)
{
    l->n_blocks = l->n_dims;
    for (unsigned d = 0; d < l->n_dims; d++)
        l->block[d].dim = (uint8_t)d;
    return xk_layout_complete(l);
}

int64_t xk_layout_size_b(const struct xk_layout *l)
{
    int64_t last_e = l->offset_e;
    for (unsigned i = 0; i < l->n_blocks; i++)
        last_e += (l->block[i].size - 1) * l->block[i].stride;
    return (last_e + 1) * xk_dtype_b(l->dt);
}

int64_t xk_layout_offset_e(const struct xk_layout *l, const int64_t *index)
{
    int64_t left[XK_LAYOUT_MAX_DIMS], off_e = l->offset_e;
    memcpy(left, index, l->n_dims * sizeof(left[0]));
    for (unsigned i = l->n_blocks; i-- > 0;) {
        const struct xk_block *const b = &l->block[i];
        off_e += left[b->dim] % b->size * b->stride;
        left[b->dim] /= b->size;
    }
    return off_e;
}

bool xk_layout_eq(const struct xk_layout *a, const struct xk_layout *b)
{
    if (a->dt != b->dt || a->n_dims != b->n_dims ||
        a->n_blocks != b->n_blocks || a->offset_e != b->offset_e)
        return false;
    for (unsigned i = 0; i < a->n_dims; i++) {
        if (a->dim[i] != b->dim[i] || a->padded[i] != b->padded[i])
            return false;
    }
    for (unsigned i = 0; i < a->n_blocks; i++) {
        if (a->block[i].dim != b->block[i].dim ||
            a->block[i].size != b->block[i].size ||
            a->block[i].stride != b->block[i].stride)
            return false;
    }
    return true;
}

void xk_layout_print(const struct xk_layout *l, struct xk_str *out)
{
    char tag[64];
    xk_str_printf(out, "%s[", xk_dtype_name(l->dt));
    for (unsigned i = 0; i < l->n_dims; i++) {
        xk_str_printf(out, "%s%lld", i ? ", " : "", (long long)l->dim[i]);
        if (l->padded[i] != l->dim[i])
            xk_str_printf(out, "(%lld)", (long long)l->padded[i]);
    }
    xk_layout_tag(l, tag, sizeof(tag));
    xk_str_printf(out, "] %s:", tag[0] ? tag : "strided");
    for (unsigned i = 0; i < l->n_blocks; i++)
        xk_str_printf(out, " %lld%c*%lld", (long long)l->block[i].size,
                      'a' + l->block[i].dim, (long long)l->block[i].stride);
    if (l->offset_e)
        xk_str_printf(out, " +%lld", (long long)l->offset_e);
    xk_str_printf(out, ", %lld B", (long long)xk_layout_size_b(l));
}

/* A block of dim d, in front of which `inside` places of the dim are: all of it
 * is in one of the two dims, or it becomes two blocks. */
static bool split_block(struct xk_layout *l, unsigned n, unsigned d,
                        int64_t size, int64_t *inside)
{
    struct xk_block *const b = &l->block[n];
    const int64_t part = size / *inside;
    if (*inside >= size)
        return true;
    if (part % b->size == 0) {
        b->dim = (uint8_t)(d + 1);
        *inside *= b->size;
        return true;
    }
    if (b->size % part || l->n_blocks == XK_LAYOUT_MAX_BLOCKS)
        return false;
    memmove(b + 1, b, (l->n_blocks - n) * sizeof(*b));
    l->n_blocks++;
    b[0].size /= part;
    b[0].stride *= part;
    b[1].size = part;
    b[1].dim = (uint8_t)(d + 1);
    *inside = size;
    return true;
}

bool xk_layout_split(const struct xk_layout *l, unsigned d, int64_t size,
                     struct xk_layout *out)
{
    int64_t inside = 1;
    *out = *l;
    if (l->n_dims == XK_LAYOUT_MAX_DIMS || l->dim[d] % size ||
        l->padded[d] % size)
        return false;
    const unsigned behind = l->n_dims - d - 1u;
    memmove(&out->dim[d + 2], &l->dim[d + 1], behind * sizeof(l->dim[0]));
    memmove(&out->padded[d + 2], &l->padded[d + 1],
            behind * sizeof(l->padded[0]));
    out->n_dims++;
    out->dim[d] = l->dim[d] / size;
    out->padded[d] = l->padded[d] / size;
    out->dim[d + 1] = out->padded[d + 1] = size;
    for (unsigned n = 0; n < l->n_blocks; n++)
        out->block[n].dim += l->block[n].dim > d;
    for (unsigned n = l->n_blocks; n-- > 0;)
        if (out->block[n].dim == d && out->block[n].size > 1 &&
            !split_block(out, n, d, size, &inside))
            return false;
    return inside == size;
}
