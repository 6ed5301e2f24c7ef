/* SPDX-License-Identifier: Apache-2.0 */
/* A nest: the indices of a contraction in the order of loops, and its operands
 * as views, which are IR. Plan and lower work on it. The contraction itself is
 * integers (contraction.h). */
#ifndef XK_VIEWS_NEST_H
#define XK_VIEWS_NEST_H

#include "views/view.h"

enum xk_role { XK_ROLE_M, XK_ROLE_N, XK_ROLE_K, XK_ROLE_BATCH };

struct xk_index {
    char name[8]; /* the view dims of A, B, C are found by this name */
    int64_t extent;
    uint8_t role; /* enum xk_role */
};

enum xk_epi_kind {
    XK_EPI_ADD, /* + input[i] */
    XK_EPI_RELU,
    XK_EPI_SCALE, /* * alpha */
    XK_EPI_SUM,   /* + alpha * what C held before */
};
/* One epilogue step on C in f32, in order. */
struct xk_epi_op {
    uint8_t kind;  /* enum xk_epi_kind */
    uint8_t input; /* ADD: index into inputs[] */
    float alpha;   /* RELU: negative slope; SCALE, SUM: the factor */
};
#define XK_MAX_INPUTS 4
#define XK_MAX_EPI 10

/* A tensor argument of the kernel. */
struct xk_operand_view {
    char name[16]; /* argument name, "src" */
    uint8_t arg;   /* the caller's argument number */
    struct xk_view view;
};

struct xk_nest {
    uint8_t n_index, n_inputs, n_epi;
    struct xk_index index[XK_VIEW_MAX_DIMS]; /* loop order, outermost first */
    struct xk_operand_view a, b, c;
    enum xk_dtype acc_dt; /* F32, or S32 for integer A and B */
    uint8_t tap_e; /* elements of the innermost K that belong to one filter tap,
                      where it has several (xk_nest_pack); 0: taps are
                      indices of their own */
    uint8_t used_e; /* of those, that A has in memory; the others are masked */
    struct xk_operand_view input[XK_MAX_INPUTS]; /* right-hand sides */
    struct xk_epi_op epi[XK_MAX_EPI];
};

/* Appends an index; name: at most 7 characters. There is room. */
void xk_nest_add_index(struct xk_nest *p, const char *name, int64_t extent,
                       enum xk_role role);
/* The index that a term of one of A's coordinates stands for; -1: it is no
 * plain index. */
int xk_nest_index_of(const struct xk_nest *p, const xk_expr *term);
/* The innermost K index; NULL: there is none. */
const struct xk_index *xk_nest_k_inner(const struct xk_nest *p);
/* Channels that packing pads to, a tap. */
#define XK_PACK_FEW 4
/* The channels of neighbouring filter taps as one index: the innermost K index,
 * of at most XK_PACK_FEW elements, padded to that, becomes [tap][channel] of
 * k_inner elements, and the K index in front of it counts groups of such taps.
 * In A taps behind the last one are masked, and what its pixels are not padded
 * to; in B both must be zero. XK_ENOFIT: B is not padded, A to something else,
 * or there are no such indices. */
enum xk_status xk_nest_pack(xk_ctx *c, struct xk_nest *p, int64_t k_inner);
/* The place of a filter tap along each K index, into at[]; 0 for the innermost
 * K. Taps count the outer K indices, the last one fastest. */
void xk_nest_tap(const struct xk_nest *p, int64_t tap, int64_t *at);

void xk_nest_print(const struct xk_nest *p, struct xk_str *out);

#endif
