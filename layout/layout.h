/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts: how the elements of a tensor lie in memory, in SLM or in registers.
 * A plain value: dims, and blocks that say which part of which dim has which
 * stride. No expressions. */
#ifndef XK_LAYOUT_LAYOUT_H
#define XK_LAYOUT_LAYOUT_H

#include "base/ctx.h"
#include "base/str.h"
#include "layout/dtype.h"

#define XK_LAYOUT_MAX_DIMS 6
#define XK_LAYOUT_MAX_BLOCKS 16

struct xk_block {
    uint8_t dim;
    int64_t size;   /* elements of the dim in this block */
    int64_t stride; /* elements of memory between neighbours */
};

/* Element (i0, i1, ...) is at offset_e + sum over blocks; of one dim's blocks
 * the last in the array is the innermost. */
struct xk_layout {
    enum xk_dtype dt;
    uint8_t n_dims, n_blocks;
    int64_t dim[XK_LAYOUT_MAX_DIMS];    /* logical extents, elements */
    int64_t padded[XK_LAYOUT_MAX_DIMS]; /* product of the dim's blocks */
    int64_t offset_e;
    struct xk_block block[XK_LAYOUT_MAX_BLOCKS]; /* outermost first */
};

/* A tensor without a layout yet. */
struct xk_tensor_dims {
    enum xk_dtype dt;
    unsigned n;
    const int64_t *extent; /* [n], elements */
};

#define XK_LAYOUT_TAG_MAX 64

/* A tag in the letters of dims alone: "nChw16c" is "aBcd16b", and "axb" "acdb"
 * for four dims. Other text stays as it is. False: too long. */
bool xk_layout_tag_letters(const char *tag, unsigned n_dims,
                           char out[XK_LAYOUT_TAG_MAX]);
/* Every tag of benchdnn: "abcd", "acdb", "aBcd16b", "axb", "nhwc",
 * "OIhw16i16o". "any" is refused. XK_EINVAL names `what` (the tensor or field)
 * and the tag; sizes that overflow 2^62 bytes too. */
enum xk_status xk_layout_from_tag(xk_ctx *c, const char *what,
                                  struct xk_tensor_dims dims, const char *tag,
                                  struct xk_layout *out);
/* Sets the sizes of outer blocks, the padding and the strides. *l has its type,
 * its dims and its blocks in order: first one of each dim, then inner ones with
 * their sizes. NULL, or why a number overflows. */
const char *xk_layout_complete(struct xk_layout *l);
/* Blocks of the dims in their order, the last one innermost. */
const char *xk_layout_make_dense(struct xk_layout *l);
/* Canonical tag ("acdb", "Acdb32a"); "" if strides are not dense. */
void xk_layout_tag(const struct xk_layout *l, char *out, size_t out_size);
/* Bytes from the start to the end of the last (padded) element. */
int64_t xk_layout_size_b(const struct xk_layout *l);
int64_t xk_layout_offset_e(const struct xk_layout *l, const int64_t *index);
bool xk_layout_eq(const struct xk_layout *a, const struct xk_layout *b);
/* Dim d becomes two: d counts groups of so many places, d + 1 the places of a
 * group; the others behind it move on. False: a group is no whole blocks of
 * memory, the dim or its padding no whole groups, or there is no room. */
bool xk_layout_split(const struct xk_layout *l, unsigned d, int64_t size,
                     struct xk_layout *out);
void xk_layout_print(const struct xk_layout *l, struct xk_str *out);

#endif
