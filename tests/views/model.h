/* SPDX-License-Identifier: Apache-2.0 */
/* What a chain of coordinate transforms means, in plain integers: an index of
 * the view is walked back, transform by transform, to the tensor. Shares no
 * code with views/. */
#ifndef XK_TESTS_VIEWS_MODEL_H
#define XK_TESTS_VIEWS_MODEL_H

#include "views/view.h"

#define MODEL_MAX_STEPS 6

/* SHARE: a dim's index is a multiple of another's, and a start. */
enum model_kind {
    PAD,
    EMBED,
    MERGE,
    UNMERGE,
    SLICE,
    BROADCAST,
    SHARE,
    N_KINDS
};

struct model_step {
    enum model_kind kind;
    unsigned n_old; /* dims before the step */
    int64_t old_extent[XK_VIEW_MAX_DIMS];
    unsigned dim;                     /* the one that is replaced */
    unsigned n;                       /* EMBED, UNMERGE: parts; MERGE: dims */
    int64_t extent[XK_VIEW_MAX_DIMS]; /* of the new dims */
    int64_t coef[XK_VIEW_MAX_DIMS], start;
    unsigned from[XK_VIEW_MAX_DIMS]; /* MERGE: old dims, outermost first;
                                        SHARE: the other one */
};

struct model {
    struct xk_layout layout;
    unsigned n_steps, n_dims;
    int64_t extent[XK_VIEW_MAX_DIMS];
    struct model_step step[MODEL_MAX_STEPS];
};

/* A random tensor and chain; the same is built in *v. False if the box has
 * more than max_points points: try again. */
bool model_random(xk_ctx *c, unsigned *seed, struct model *m, struct xk_view *v,
                  int64_t max_points);
/* Whether the element exists, and its offset in elements if so. */
bool model_at(const struct model *m, const int64_t *index, int64_t *off_e);
/* Next index of the box in row-major order; false after the last. */
bool model_next(const struct model *m, int64_t *index);

#endif
