/* SPDX-License-Identifier: Apache-2.0 */
/* A contraction, all of it integers:
 *     C[...] = epilogue(sum over the K indices of A[...] * B[...]).
 * Index variables have an extent and a role. Every coordinate of a tensor is a
 * linear form of them. A convolution in any direction, a matmul and a formula
 * differ in nothing else, so nobody behind this type knows of convolution.
 * nest.h makes IR of it for create; query and the search ask access.h. */
#ifndef XK_VIEWS_CONTRACTION_H
#define XK_VIEWS_CONTRACTION_H

#include "layout/coord.h"
#include "views/epi_kind.h"

/* Two sums of zero points, bias, four scales and zero points, 32 post-ops. */
#define XK_MAX_INPUTS 39
#define XK_MAX_CLASS_DIMS 3

/* Contractions that differ in constants and in the extent of one K index alone:
 * n of them along each class dim, so that their number is the product. Where
 * the extent is 0 nothing is summed: C is the epilogue of zero. */
struct xk_class_dim {
    uint32_t n;
    uint8_t k;               /* the K index */
    const int64_t *k_extent; /* n of them; the context's or the caller's */
};

#define XK_MAX_EPI 40 /* those, and a scale that is known */

struct xk_contraction {
    uint8_t n_index, n_inputs, n_class_dims, n_epi;
    bool totals; /* the last input is no right-hand side: it becomes the sums of
                    B over K, in f32 */
    enum xk_dtype acc_dt;                /* f32, or s32 for integer A and B */
    struct xk_index index[XK_MAX_INDEX]; /* in the order of loops: of each role
                                            the outermost first */
    struct xk_access a, b, c;
    struct xk_class_dim class_dim[XK_MAX_CLASS_DIMS];
    struct xk_epi_op epi[XK_MAX_EPI];
    struct xk_access
        input[XK_MAX_INPUTS]; /* right-hand sides of the epilogue; those behind
                                 the last need not be set */
};

/* Without indices and inputs. Inputs are most of its bytes, and few are there.
 */
void xk_contraction_clear(struct xk_contraction *p);
void xk_contraction_copy(struct xk_contraction *out,
                         const struct xk_contraction *p);
/* One more input, all zero; NULL: there is no room. */
struct xk_access *xk_contraction_add_input(struct xk_contraction *p);

static inline bool xk_access_is_open(const struct xk_access *a)
{
    return a->layout.n_blocks == 0;
}

/* Appends an index; name: at most 7 characters. There is room. Its number. */
unsigned xk_contraction_add(struct xk_contraction *p, const char *name,
                            int64_t extent, enum xk_role role);
int xk_contraction_find(const struct xk_contraction *p, const char *name);
/* The last index of a role; -1: there is none. */
int xk_contraction_last(const struct xk_contraction *p, enum xk_role role);
/* The next one further out that has the same role; -1: there is none, or index
 * is -1. */
int xk_contraction_before(const struct xk_contraction *p, int index);
/* The product of a role's extents, at most INT64_MAX; 1 without an index. */
int64_t xk_contraction_extent(const struct xk_contraction *p,
                              enum xk_role role);

/* Whether something is added to or taken from s32 sums: that comes first. */
static inline bool xk_contraction_wants_s32(const struct xk_contraction *p)
{
    return p->n_epi && p->epi[0].in_acc;
}

/* Appends a coordinate 1 * index (-1: none) that lies in [0, extent). */
struct xk_coord *xk_access_add(struct xk_access *a, int index, int64_t extent);

/* Whether the parts fit together. XK_EINVAL: a name, an extent, an interval
 * outside its dim, a role that the accesses contradict. XK_EUNSUPPORTED: a
 * coordinate beyond 2^31-1, or a C whose indices may meet in one element. */
enum xk_status xk_contraction_check(xk_ctx *c, const struct xk_contraction *p);

/* The number of classes, at most UINT64_MAX; 1 without class dims. Class
 * `number`, below that, along each class dim; the last of them counts fastest.
 */
uint64_t xk_contraction_classes(const struct xk_contraction *p);
void xk_contraction_class_at(const struct xk_contraction *p, uint64_t number,
                             uint32_t *r);
/* Writes the contraction of one class: r[d] < class_dim[d].n. It has no class
 * dims. False: the class has no terms, and the extent of its K index, which is
 * 1 there, means nothing. */
bool xk_contraction_class(const struct xk_contraction *p, const uint32_t *r,
                          struct xk_contraction *out);

/* Class dims whose constants are linear in the class become indices, as long as
 * there are more than `most` classes. XK_EUNSUPPORTED: there still are, with
 * the reason; two classes meet in one element. */
enum xk_status xk_contraction_join_classes(xk_ctx *c, struct xk_contraction *p,
                                           uint64_t most);

/* Index i becomes two: outer * size + inner. size divides the extent. The inner
 * one stands behind it. There is room for one more. */
void xk_contraction_split(struct xk_contraction *p, unsigned i, int64_t size,
                          const char *outer, const char *inner);
/* Index `from` moves to the place `to` among the indices. */
void xk_contraction_move(struct xk_contraction *p, unsigned from, unsigned to);

#endif
