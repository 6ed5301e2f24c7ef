/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of the state: virtual-device.md 6 and the published layout of
 * RENDER_SURFACE_STATE. */
#include "sim/message/image.h"

enum { TYPE_1D, TYPE_2D, TYPE_3D, TYPE_BUFFER = 4, TYPE_NULL = 7 };
#define STATE_B 64

bool xk_sim_image_is_plain(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                           const uint8_t *state)
{
    static const struct xk_state_field fields[] = {
        {0, 10, 3, "a surface with vertical line stride"},
        {1, 18, 1, "a surface with corner texels"},
        {1, 19, 0x1f, "a surface with base level"},
        {4, 18, 0x7ff, "a surface with first array element"},
        {4, 3, 7, "a surface with multisamples, log2"},
        {4, 29, 3, "a surface that is turned by quarters,"},
        {5, 0, 0xfee000ff, "a surface with levels or offsets, dword 5"},
        {5, 18, 3, "a surface with tiled resource mode"},
        {7, 0, 0xfff, "a surface with least level, of 256ths"},
    };
    return xk_sim_has_none(t, e, state, fields, XK_COUNTOF(fields));
}

static void take_selects(const uint8_t *s, struct xk_sim_image *g)
{
    const uint32_t dw = xk_sim_dw(s, 7) >> 16 & 0xfff;
    for (unsigned k = 0; k < 4; k++)
        g->select[k] = dw ? dw >> (9 - 3 * k) & 7 : XK_SELECT_RED + k;
}

static void take_extent(const uint8_t *s, unsigned type, struct xk_sim_image *g)
{
    const uint32_t w = (xk_sim_dw(s, 2) & 0x3fff) + 1,
                   h = (xk_sim_dw(s, 2) >> 16 & 0x3fff) + 1,
                   d = (xk_sim_dw(s, 3) >> 21) + 1;
    g->array = type < TYPE_3D && (xk_sim_dw(s, 0) >> 28 & 1);
    g->n_dims = type == TYPE_3D ? 3 : type == TYPE_2D ? 2 : 1;
    g->extent[0] = w;
    g->extent[1] = g->extent[2] = g->extent[3] = 1;
    g->pitch_b = (xk_sim_dw(s, 3) & 0x3ffff) + 1;
    g->slice_rows = (uint64_t)(xk_sim_dw(s, 1) & 0x7fff) * 4;
    if (type == TYPE_BUFFER)
        g->extent[0] =
            ((xk_sim_dw(s, 2) & 127) | (xk_sim_dw(s, 2) >> 16 & 0x3fff) << 7 |
             (uint64_t)(xk_sim_dw(s, 3) >> 21) << 21) +
            1;
    if (type == TYPE_2D || type == TYPE_3D)
        g->extent[1] = h;
    if (type == TYPE_3D || (type == TYPE_2D && g->array))
        g->extent[2] = d;
    if (type == TYPE_1D && g->array)
        g->extent[1] = d;
    if (type == TYPE_1D) /* rows are the elements; their distance in texels */
        g->pitch_b = g->slice_rows * g->texel_b;
}

static bool take_tiling(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        unsigned type, unsigned mode, struct xk_sim_image *g)
{
    if (mode && type != TYPE_2D && type != TYPE_3D)
        return xk_sim_lacks(t, e, "a surface of one dimension with tile mode",
                            mode);
    if (!xk_sim_tiling_find(t->kernel->platform, mode, type == TYPE_3D,
                            g->texel_b, &g->tiling))
        return xk_sim_lacks(t, e, "a surface with tile mode", mode);
    return true;
}

bool xk_sim_image_read(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       uint64_t state_va, struct xk_sim_image *g)
{
    const uint8_t *const s = xk_sim_state_at(t, e, state_va, STATE_B);
    if (!s)
        return false;
    const unsigned type = xk_sim_dw(s, 0) >> 29,
                   code = xk_sim_dw(s, 0) >> 18 & 0x1ff;
    *g = (struct xk_sim_image){.base = xk_sim_dw(s, 8) |
                                       (uint64_t)xk_sim_dw(s, 9) << 32};
    if (type == TYPE_NULL)
        return true;
    if (type > TYPE_3D && type != TYPE_BUFFER)
        return xk_sim_lacks(t, e, "a surface of type", type);
    g->format = xk_sim_texel_find(code);
    if (!g->format)
        return xk_sim_lacks(t, e, "a surface of format", code);
    g->texel_b = (uint32_t)g->format->n * g->format->size_b;
    take_extent(s, type, g);
    take_selects(s, g);
    return xk_sim_is_uncompressed(t, e, s) &&
           (type == TYPE_BUFFER ||
            (xk_sim_image_is_plain(t, e, s) &&
             take_tiling(t, e, type, xk_sim_dw(s, 0) >> 12 & 3, g)));
}

uint64_t xk_sim_image_at(const struct xk_sim_image *g, uint64_t x, uint64_t y,
                         uint64_t z)
{
    return g->base + xk_sim_tiled_offset(&g->tiling, g->pitch_b, g->slice_rows,
                                         x * g->texel_b, y, z);
}
