/* SPDX-License-Identifier: Apache-2.0 */
/* A nest: the indices of a contraction in the order of loops, and its operands
 * as views, which are IR. Plan and lower work on it. The contraction itself is
 * integers (contraction.h). */
#ifndef XK_VIEWS_NEST_H
#define XK_VIEWS_NEST_H

#include "views/contraction.h"
#include "views/epi_op.h"
#include "views/view.h"

/* A tensor argument of the kernel. */
struct xk_operand_view {
    char name[16]; /* argument name, "src" */
    uint8_t arg;   /* the caller's argument number */
    bool by_value; /* the argument is the value, there is no memory */
    bool inverse;  /* of an input: one over it is used */
    bool leaves;   /* a coordinate may leave its interval */
    int32_t fill;  /* what a load gives there */
    struct xk_view view;
};

struct xk_lanes_nest;

struct xk_nest {
    uint8_t n_index, n_inputs, n_epi;
    struct xk_index index[XK_VIEW_MAX_DIMS]; /* loop order, outermost first */
    struct xk_operand_view a, b, c;
    bool totals;          /* as the contraction's */
    enum xk_dtype acc_dt; /* F32, or S32 for integer A and B */
    bool empty; /* nothing is summed: C is the epilogue of zero. xk_nest_make
                   leaves that to its caller */
    bool adds;  /* what is summed is added to the f32 that C holds, one by one:
                   so is empty's rule */
    uint8_t place_e; /* elements of the innermost K that belong to one place
                        of the K index outside of it, where it has those of
                        several (xk_nest_pack); 0: it has its own alone */
    uint8_t used_e;  /* of those, that A has in memory; the others are masked */
    struct xk_epi_op epi[XK_MAX_EPI];  /* in this order */
    const struct xk_lanes_nest *lanes; /* A and B are multiplied as that says
                                          (group_lanes.h), or NULL */
    struct xk_contraction of;          /* what it was made of */
    struct xk_contraction walked; /* the same with its indices in the order of
                                     loops: rows as xk_row_order_of says */
    struct xk_operand_view
        input[XK_MAX_INPUTS]; /* right-hand sides; those
                                 behind the last are not set */
};

/* Whether a nest has room for the contraction's indices and for `more` of M,
 * with those that merging and roles without an index leave and add. */
bool xk_nest_has_room(const struct xk_contraction *p, unsigned more);

/* The contraction's indices in the order of loops and its accesses as views.
 * Several N indices become one, merged; a role that has none gets one of a
 * single place. XK_EUNSUPPORTED: a layout is open, there are classes, or what
 * views cannot have. The contraction has been checked; it may be out->of. */
enum xk_status xk_nest_make(xk_ctx *c, const struct xk_contraction *of,
                            struct xk_nest *out);
/* Whether an input is the operand of a step on the accumulators. */
bool xk_nest_in_acc(const struct xk_nest *p, unsigned input);
/* The innermost K index; NULL: there is none. */
const struct xk_index *xk_nest_k_inner(const struct xk_nest *p);
/* Elements of K that packing pads to, a place. */
#define XK_PACK_FEW 4
/* The elements of K at neighbouring places of an outer K index as one index:
 * the innermost K index, of at most XK_PACK_FEW elements, padded to that,
 * becomes [place][element] of k_inner elements, and the K index in front of it
 * counts groups of such places. In A places behind the last one are masked, and
 * what its K is not padded to; in B both must be zero. XK_ENOFIT: B is not
 * padded, A to something else, or there are no such indices. */
enum xk_status xk_nest_pack(xk_ctx *c, struct xk_nest *p, int64_t k_inner);
void xk_nest_print(const struct xk_nest *p, struct xk_str *out);

#endif
