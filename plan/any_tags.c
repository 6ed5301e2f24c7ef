/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts for "any": what a schedule reads and writes with the fewest and
 * largest messages. */
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"

/* Activations in blocks of channels. Inside a pixel its images, where eight rows
 * of M are then one run of memory: no gather has half lines, whatever the stride
 * is. A footprint counts the pixels of one image. */
static void blocks_of(const struct xk_schedule *s, const struct xk_shape *shape,
                      const char *inner, unsigned block, char *out, size_t size)
{
    const bool images = shape->images && !s->footprint;
    snprintf(out, size, images ? "B%sa%ub" : "aB%s%ub", inner, block);
}

/* Columns of a block of weights: the tile's, or of them the largest power of two that
 * divides them and for which there are tags (conv/tensors.c). */
static unsigned columns(const struct xk_schedule *s, unsigned most)
{
    const unsigned n = s->n_thr & -s->n_thr;
    return n < most ? n : most;
}

/* Filter taps inside a step of K, or around all of it; or some of a line with the
 * few channels of each. By lines dwords of two steps, of each eight rows side by side. */
static void systolic_weights(const struct xk_schedule *s, const char *inner,
                             char *out, size_t size)
{
    const size_t last = strlen(inner) - 1; /* the dim of a line's taps */
    const bool in_step = s->slm || s->taps_inner;
    const unsigned per_dw = s->k_step / 8u;
    const unsigned n = columns(s, in_step || s->pack ? 64 : 32);
    if (s->load_a == XK_LOAD_LINES && n > 8)
        snprintf(out, size, "AB%s%ua16b8a%ub", inner, n / 8, per_dw);
    else if (s->load_a == XK_LOAD_LINES)
        snprintf(out, size, "AB%s16b8a%ub", inner, per_dw);
    else if (s->pack)
        snprintf(out, size, "A%.*s%cB%ua%u%c%db", (int)last, inner,
                 inner[last] - 'a' + 'A', n, xk_schedule_gathers(s),
                 inner[last], XK_PACK_FEW);
    else
        snprintf(out, size, "A%s%s%s%ua%ub", in_step ? "B" : "", inner,
                 in_step ? "" : "B", n, s->k_step);
}

void xk_plan_any_tags(const struct xk_schedule *s, const struct xk_shape *shape,
                      unsigned n_spatial, struct xk_any_tags *out)
{
    /* The spatial dims' letters, after a (outer) and b (channels). */
    const char *const inner = n_spatial == 3 ? "cde" : "cd";
    snprintf(out->plain, sizeof(out->plain), "a%sb", inner);
    snprintf(out->src, sizeof(out->src), "%s", out->plain);
    snprintf(out->dst, sizeof(out->dst), "%s", out->plain);
    if (xk_fma_is_systolic(s->fma)) {
        /* Blocks of one dpas depth: no row of a step is ragged. Through SLM
         * only whole steps go, and channels innermost keep them close. Lines
         * have two. */
        if (!s->slm || s->footprint || shape->images) {
            if (s->load_a != XK_LOAD_LINES)
                blocks_of(s, shape, inner, s->k_step, out->src,
                          sizeof(out->src));
            blocks_of(s, shape, inner, s->k_step, out->dst, sizeof(out->dst));
        }
        /* Weights in the order of the loops. */
        systolic_weights(s, inner, out->wei, sizeof(out->wei));
    } else if (s->fma == XK_FMA_DP4A) {
        /* Dwords of four channels, a run of them along N. */
        snprintf(out->wei, sizeof(out->wei), "A%sB%ua4b", inner, columns(s, 32));
    } else {
        snprintf(out->wei, sizeof(out->wei), "A%sb%ua", inner, columns(s, 32));
    }
    /* So few channels are padded to no more: neighbouring pixels share cache
     * lines, and no group has padding alone to write. */
    if (s->fma == XK_FMA_MAD)
        return;
    if (shape->k_inner <= XK_PACK_FEW)
        blocks_of(s, shape, inner, XK_PACK_FEW, out->src, sizeof(out->src));
    if (shape->n <= XK_PACK_FEW)
        blocks_of(s, shape, inner, XK_PACK_FEW, out->dst, sizeof(out->dst));
}
