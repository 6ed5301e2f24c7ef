/* SPDX-License-Identifier: Apache-2.0 */
/* Surface formats: codes and channels as Mesa's isl lists them; conversion as
 * OpenCL demands of images (a compiler adds none of its own). */
#include <math.h>

#include "sim/message/message_typed.h"
#include "base/half.h"

static const struct xk_sim_texel texels[] = {
    {0x000, 4, 4, XK_TEXEL_FLOAT, XK_ORDER_RGBA},
    {0x001, 4, 4, XK_TEXEL_SINT, XK_ORDER_RGBA},
    {0x002, 4, 4, XK_TEXEL_UINT, XK_ORDER_RGBA},
    {0x080, 4, 2, XK_TEXEL_UNORM, XK_ORDER_RGBA},
    {0x081, 4, 2, XK_TEXEL_SNORM, XK_ORDER_RGBA},
    {0x082, 4, 2, XK_TEXEL_SINT, XK_ORDER_RGBA},
    {0x083, 4, 2, XK_TEXEL_UINT, XK_ORDER_RGBA},
    {0x084, 4, 2, XK_TEXEL_FLOAT, XK_ORDER_RGBA},
    {0x085, 2, 4, XK_TEXEL_FLOAT, XK_ORDER_RGBA},
    {0x086, 2, 4, XK_TEXEL_SINT, XK_ORDER_RGBA},
    {0x087, 2, 4, XK_TEXEL_UINT, XK_ORDER_RGBA},
    {0x0c0, 4, 1, XK_TEXEL_UNORM, XK_ORDER_BGRA},
    {0x0c1, 4, 1, XK_TEXEL_SRGB, XK_ORDER_BGRA},
    {0x0c7, 4, 1, XK_TEXEL_UNORM, XK_ORDER_RGBA},
    {0x0c8, 4, 1, XK_TEXEL_SRGB, XK_ORDER_RGBA},
    {0x0c9, 4, 1, XK_TEXEL_SNORM, XK_ORDER_RGBA},
    {0x0ca, 4, 1, XK_TEXEL_SINT, XK_ORDER_RGBA},
    {0x0cb, 4, 1, XK_TEXEL_UINT, XK_ORDER_RGBA},
    {0x0cc, 2, 2, XK_TEXEL_UNORM, XK_ORDER_RGBA},
    {0x0cd, 2, 2, XK_TEXEL_SNORM, XK_ORDER_RGBA},
    {0x0ce, 2, 2, XK_TEXEL_SINT, XK_ORDER_RGBA},
    {0x0cf, 2, 2, XK_TEXEL_UINT, XK_ORDER_RGBA},
    {0x0d0, 2, 2, XK_TEXEL_FLOAT, XK_ORDER_RGBA},
    {0x0d6, 1, 4, XK_TEXEL_SINT, XK_ORDER_RGBA},
    {0x0d7, 1, 4, XK_TEXEL_UINT, XK_ORDER_RGBA},
    {0x0d8, 1, 4, XK_TEXEL_FLOAT, XK_ORDER_RGBA},
    {0x0e3, 1, 4, XK_TEXEL_FLOAT, XK_ORDER_INTENSITY},
    {0x0e4, 1, 4, XK_TEXEL_FLOAT, XK_ORDER_LUMINANCE},
    {0x0e5, 1, 4, XK_TEXEL_FLOAT, XK_ORDER_ALPHA},
    {0x106, 2, 1, XK_TEXEL_UNORM, XK_ORDER_RGBA},
    {0x107, 2, 1, XK_TEXEL_SNORM, XK_ORDER_RGBA},
    {0x108, 2, 1, XK_TEXEL_SINT, XK_ORDER_RGBA},
    {0x109, 2, 1, XK_TEXEL_UINT, XK_ORDER_RGBA},
    {0x10a, 1, 2, XK_TEXEL_UNORM, XK_ORDER_RGBA},
    {0x10b, 1, 2, XK_TEXEL_SNORM, XK_ORDER_RGBA},
    {0x10c, 1, 2, XK_TEXEL_SINT, XK_ORDER_RGBA},
    {0x10d, 1, 2, XK_TEXEL_UINT, XK_ORDER_RGBA},
    {0x10e, 1, 2, XK_TEXEL_FLOAT, XK_ORDER_RGBA},
    {0x111, 1, 2, XK_TEXEL_UNORM, XK_ORDER_INTENSITY},
    {0x112, 1, 2, XK_TEXEL_UNORM, XK_ORDER_LUMINANCE},
    {0x113, 1, 2, XK_TEXEL_UNORM, XK_ORDER_ALPHA},
    {0x115, 1, 2, XK_TEXEL_FLOAT, XK_ORDER_INTENSITY},
    {0x116, 1, 2, XK_TEXEL_FLOAT, XK_ORDER_LUMINANCE},
    {0x117, 1, 2, XK_TEXEL_FLOAT, XK_ORDER_ALPHA},
    {0x140, 1, 1, XK_TEXEL_UNORM, XK_ORDER_RGBA},
    {0x141, 1, 1, XK_TEXEL_SNORM, XK_ORDER_RGBA},
    {0x142, 1, 1, XK_TEXEL_SINT, XK_ORDER_RGBA},
    {0x143, 1, 1, XK_TEXEL_UINT, XK_ORDER_RGBA},
    {0x144, 1, 1, XK_TEXEL_UNORM, XK_ORDER_ALPHA},
    {0x145, 1, 1, XK_TEXEL_UNORM, XK_ORDER_INTENSITY},
    {0x146, 1, 1, XK_TEXEL_UNORM, XK_ORDER_LUMINANCE},
};

const struct xk_sim_texel *xk_sim_texel_find(unsigned code)
{
    for (size_t i = 0; i < XK_COUNTOF(texels); i++)
        if (texels[i].code == code)
            return &texels[i];
    return NULL;
}

/* The place of channel k in a texel; 4: it has none. */
static unsigned channel_place(const struct xk_sim_texel *f, unsigned k)
{
    switch ((enum xk_sim_texel_order)f->order) {
    case XK_ORDER_BGRA:
        return k < 3 ? 2 - k : k;
    case XK_ORDER_ALPHA:
        return k == 3 ? 0 : 4;
    case XK_ORDER_LUMINANCE:
        return k < 3 ? 0 : 4;
    case XK_ORDER_INTENSITY:
        return 0;
    case XK_ORDER_RGBA:
        break;
    }
    return k < f->n ? k : 4;
}

bool xk_sim_texel_has(const struct xk_sim_texel *f, unsigned k)
{
    return channel_place(f, k) < 4;
}

uint32_t xk_sim_texel_absent(const struct xk_sim_texel *f, unsigned k)
{
    return k < 3                              ? 0
           : xk_sim_texel_is_integer(f->kind) ? 1
                                              : xk_float_bits(1.0f);
}

/* IEC 61966-2-1; alpha is linear. */
static float from_srgb(uint32_t v, unsigned k)
{
    const float c = (float)v / 255.0f;
    if (k == 3)
        return c;
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

static uint32_t signed_max(const struct xk_sim_texel *f)
{
    return UINT32_MAX >> (33 - 8 * f->size_b);
}

uint32_t xk_sim_texel_get(const struct xk_sim_texel *f, const uint8_t *texel,
                          unsigned k)
{
    const unsigned up = 32 - 8 * f->size_b;
    uint32_t v = 0;
    if (!xk_sim_texel_has(f, k))
        return xk_sim_texel_absent(f, k);
    memcpy(&v, texel + channel_place(f, k) * f->size_b, f->size_b);
    const int32_t s = (int32_t)(v << up) >> up;
    switch ((enum xk_sim_texel_kind)f->kind) {
    case XK_TEXEL_SINT:
        return (uint32_t)s;
    case XK_TEXEL_UNORM:
        return xk_float_bits((float)v / (float)(UINT32_MAX >> up));
    case XK_TEXEL_SNORM:
        return xk_float_bits(fmaxf(-1.0f, (float)s / (float)signed_max(f)));
    case XK_TEXEL_FLOAT:
        return f->size_b == 4
                   ? v
                   : xk_float_bits(xk_sim_half_to_float((uint16_t)v));
    case XK_TEXEL_SRGB:
        return xk_float_bits(from_srgb(v, k));
    case XK_TEXEL_UINT:
        break;
    }
    return v;
}

static uint32_t limit_signed(const struct xk_sim_texel *f, uint32_t v)
{
    const int32_t s = (int32_t)v, most = (int32_t)signed_max(f);
    return (uint32_t)(s > most ? most : s < -most - 1 ? -most - 1 : s);
}

/* v from -1 or 0 to 1, times most. */
static uint32_t normalized(uint32_t v, float least, float most)
{
    const float x = xk_bits_float(v);
    if (!(x == x))
        return 0;
    const float y = x < least ? least : x > 1.0f ? 1.0f : x;
    /* exact in double, so that it is rounded once */
    const double wide = (double)y * (double)most;
    const double down = floor(wide), part = wide - down;
    const bool odd = fmod(down, 2.0) != 0.0;
    const double whole = part > 0.5 || (part == 0.5 && odd) ? down + 1 : down;
    return (uint32_t)(int32_t)whole;
}

void xk_sim_texel_set(const struct xk_sim_texel *f, uint8_t *texel, unsigned k,
                      uint32_t v)
{
    const uint32_t most = UINT32_MAX >> (32 - 8 * f->size_b);
    if (!xk_sim_texel_has(f, k))
        return;
    switch ((enum xk_sim_texel_kind)f->kind) {
    case XK_TEXEL_UINT:
        v = v > most ? most : v;
        break;
    case XK_TEXEL_SINT:
        v = limit_signed(f, v);
        break;
    case XK_TEXEL_UNORM:
        v = normalized(v, 0.0f, (float)most);
        break;
    case XK_TEXEL_SNORM:
        v = normalized(v, -1.0f, (float)signed_max(f));
        break;
    case XK_TEXEL_SRGB: /* nothing writes them */
        return;
    case XK_TEXEL_FLOAT:
        if (f->size_b == 2)
            v = xk_sim_half_from_float(xk_bits_float(v), 0);
        break;
    }
    memcpy(texel + channel_place(f, k) * f->size_b, &v, f->size_b);
}
