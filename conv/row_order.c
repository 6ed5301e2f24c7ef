/* SPDX-License-Identifier: Apache-2.0 */
/* The order of M's rows, and where their filter taps lie beside the tensor. */
#include "conv/tensors.h"

/* The outermost spatial dim that has more than one place. */
static void outermost(const struct xk_conv_desc *f, int64_t dim[6])
{
    const int64_t all[3][6] = {
        {f->od, f->kd, f->sd, f->dd + 1, f->pd, f->id},
        {f->oh, f->kh, f->sh, f->dh + 1, f->ph, f->ih},
        {f->ow, f->kw, f->sw, f->dw + 1, f->pw, f->iw}};
    unsigned at = 0;
    while (at < 2 && all[at][0] == 1)
        at++;
    for (unsigned i = 0; i < 6; i++)
        dim[i] = all[at][i];
}

static int64_t within(int64_t v, int64_t most)
{
    return v < 0 ? 0 : v < most ? v : most;
}

struct xk_conv_edge xk_conv_edge(const struct xk_conv_desc *f)
{
    int64_t dim[6];
    outermost(f, dim);
    const int64_t places = dim[0], taps = dim[1], step = dim[2];
    struct xk_conv_edge e = {places, taps, 0};
    for (int64_t k = 0; places > 1 && k < taps; k++) {
        const int64_t at = k * dim[3] - dim[4]; /* of the first place */
        const int64_t first = at < 0 ? (step - 1 - at) / step : 0;
        const int64_t end = at < dim[5] ? (dim[5] - 1 - at) / step + 1 : 0;
        const int64_t inside = within(end, places) - within(first, places);
        e.beside += places - within(inside, places);
    }
    return e;
}

bool xk_conv_images_inside(const struct xk_layout *act)
{
    return act->block[act->n_dims - 1].dim == 0;
}

bool xk_conv_rows_by_images(const struct xk_conv_desc *f,
                            const struct xk_layout *src)
{
    const bool dense =
        src->n_blocks == src->n_dims && src->block[src->n_dims - 1].dim == 1;
    return xk_conv_images_inside(src) ||
           (dense && f->mb % 8 == 0 && xk_dtype_b(src->dt) < 4 &&
            xk_conv_edge(f).beside);
}
