/* SPDX-License-Identifier: Apache-2.0 */
/* What typed messages share with the checkers: where the planes of a payload
 * lie, and texels. */
#ifndef XK_SIM_MESSAGE_TYPED_H
#define XK_SIM_MESSAGE_TYPED_H

#include "sim/message/sim_message.h"

/* A channel of a texel in memory, between it and 32 bits of a register. */
enum xk_sim_texel_kind {
    XK_TEXEL_UINT,
    XK_TEXEL_SINT,
    XK_TEXEL_UNORM,
    XK_TEXEL_SNORM,
    XK_TEXEL_FLOAT,
    XK_TEXEL_SRGB /* 8 bits, not linear; only read */
};
static inline bool xk_sim_texel_is_integer(enum xk_sim_texel_kind kind)
{
    return kind == XK_TEXEL_UINT || kind == XK_TEXEL_SINT;
}

/* Which channels are there, in which order. */
enum xk_sim_texel_order {
    XK_ORDER_RGBA, /* the first n of them */
    XK_ORDER_BGRA,
    XK_ORDER_ALPHA,
    XK_ORDER_LUMINANCE, /* for red, green and blue */
    XK_ORDER_INTENSITY  /* for all */
};

/* A surface format whose channels are alike. */
struct xk_sim_texel {
    uint16_t code;  /* in a surface state */
    uint8_t n;      /* channels: r, rg, rgba */
    uint8_t size_b; /* of a channel */
    uint8_t kind;   /* enum xk_sim_texel_kind */
    uint8_t order;  /* enum xk_sim_texel_order */
};

/* NULL: not simulated. */
const struct xk_sim_texel *xk_sim_texel_find(unsigned code);
/* Whether it has channel k (0 red ... 3 alpha), and what is read if not. */
bool xk_sim_texel_has(const struct xk_sim_texel *f, unsigned k);
uint32_t xk_sim_texel_absent(const struct xk_sim_texel *f, unsigned k);
/* Channel k (0 red ... 3 alpha) of a texel; what it has not is 0, alpha 1. */
uint32_t xk_sim_texel_get(const struct xk_sim_texel *f, const uint8_t *texel,
                          unsigned k);
/* Rounded to nearest even, limited to what the channel can hold; nothing for a
 * channel that it has not. */
void xk_sim_texel_set(const struct xk_sim_texel *f, uint8_t *texel, unsigned k,
                      uint32_t v);

/* Coordinates and data, with a plane for each: one payload, which the
 * instruction may split between src0 and src1 anywhere. (The load/store cache
 * splits it between coordinates and data.) */
struct xk_sim_planes {
    uint32_t plane_b; /* whole registers */
    unsigned n_coords;
    unsigned n_data; /* behind the coordinates */
    unsigned n_src0; /* planes that lie in src0 */
    unsigned n_back; /* in the destination */
};
void xk_sim_typed_planes(const struct xk_sim_kernel *k,
                         const struct xk_sim_inst *e, const struct xk_msg *m,
                         struct xk_sim_planes *out);
/* Offset of plane k of the payload in the register image. */
uint32_t xk_sim_typed_plane_at(const struct xk_sim_inst *e,
                               const struct xk_sim_planes *p, unsigned k);
/* Typed loads, stores and atomics; not blocks. */
bool xk_sim_is_typed(const struct xk_msg *m);
/* NULL: refused. */
xk_sim_fn *xk_sim_select_typed(const struct xk_sim_inst *e);

#endif
