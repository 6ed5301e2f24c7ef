/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of a contraction in which nothing is summed: their elements of C are
 * what the epilogue makes of zero. Neighbours among them are places of one
 * index, so that a few kernels write what belongs to many classes. */
#ifndef XK_GEN_EMPTY_CLASSES_H
#define XK_GEN_EMPTY_CLASSES_H

#include "views/contraction.h"

/* A range of each class dim: n classes from `first` on. */
struct xk_class_box {
    uint32_t first[XK_MAX_CLASS_DIMS], n[XK_MAX_CLASS_DIMS];
};

/* Boxes of classes without a term, at most `most`, no class in two of them. All
 * such classes that have elements of C are in one; returns how many boxes there
 * are, most + 1: there are more. */
unsigned xk_empty_classes_list(const struct xk_contraction *p,
                               struct xk_class_box *out, unsigned most);

/* A contraction of one class that has the elements of C of the box's, what the
 * epilogue reads of each, and operands that nobody reads. XK_EUNSUPPORTED: p
 * has no room for the indices, or the classes lie unevenly. p's layouts are
 * closed. */
enum xk_status xk_empty_classes_contraction(xk_ctx *c,
                                            const struct xk_contraction *p,
                                            const struct xk_class_box *box,
                                            struct xk_contraction *out);

/* All classes at once, as if nothing were summed in any: an outermost batch
 * index for each class dim, in their order, which C and what the epilogue reads
 * have alone. Operands are those of class 0, and a place of K each.
 * XK_EUNSUPPORTED: p has no room for the indices, or the classes lie unevenly.
 */
enum xk_status xk_empty_classes_batch(xk_ctx *c, const struct xk_contraction *p,
                                      struct xk_contraction *out);

/* The operands of a sum of nothing: A moves as C does along M, B is one
 * element. With N innermost in C they are f32, so that N is in the lanes. */
void xk_contraction_empty_operands(const struct xk_contraction *p,
                                   struct xk_contraction *out);

#endif
