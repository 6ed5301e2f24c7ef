/* SPDX-License-Identifier: Apache-2.0 */
/* The order of M's rows, and where their filter taps lie beside the tensor. */
#include "conv/tensors.h"

static int64_t within(int64_t v, int64_t most)
{
    return v < 0 ? 0 : v < most ? v : most;
}

struct xk_conv_edge xk_conv_edge(const struct xk_conv_desc *f)
{
    unsigned i = 0;
    while (i < 2 && xk_conv_axis(f, i).places == 1)
        i++;
    const struct xk_conv_axis x = xk_conv_axis(f, i);
    struct xk_conv_edge e = {x.places, x.taps, 0};
    for (int64_t k = 0; x.places > 1 && k < x.taps; k++) {
        const int64_t at = k * x.apart - x.pad; /* of the first place */
        const int64_t first = at < 0 ? (x.step - 1 - at) / x.step : 0;
        const int64_t end =
            at < x.extent ? (x.extent - 1 - at) / x.step + 1 : 0;
        const int64_t inside = within(end, x.places) - within(first, x.places);
        e.beside += x.places - within(inside, x.places);
    }
    return e;
}

bool xk_conv_taps_slide(const struct xk_conv_desc *f)
{
    const struct xk_conv_axis x = xk_conv_axis(f, 2);
    return x.places > 1 && x.taps > 1 && x.step == x.apart;
}

int64_t xk_conv_image_block(const struct xk_conv_desc *f)
{
    if (!xk_conv_taps_slide(f) || f->mb % 8)
        return f->mb;
    return f->mb % 16 ? 8 : 16;
}

bool xk_conv_images_inside(const struct xk_layout *act)
{
    return act->block[act->n_dims - 1].dim == 0;
}

bool xk_conv_taps_inside(const struct xk_layout *wei, int64_t taps)
{
    const struct xk_block *const b = &wei->block[wei->n_blocks - 2];
    return wei->n_blocks > wei->n_dims + 2 && b->dim == wei->n_dims - 1 &&
           b->size == taps && wei->padded[1] == XK_PACK_FEW;
}

/* Bytes of K in a dpas depth: what a row of M brings. */
#define STEP_B 32

bool xk_conv_rows_by_images(const struct xk_conv_desc *f,
                            const struct xk_layout *src)
{
    const bool dense =
        src->n_blocks == src->n_dims && src->block[src->n_dims - 1].dim == 1;
    const bool whole =
        xk_dtype_b(src->dt) < 4 && f->ic * xk_dtype_b(src->dt) % STEP_B == 0;
    return xk_conv_images_inside(src) ||
           (dense && f->mb % 8 == 0 && whole && xk_conv_edge(f).beside);
}
