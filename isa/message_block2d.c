/* SPDX-License-Identifier: Apache-2.0 */
/* The address register of a 2D block message, and the size of its data.
 * Layout and limits: reference/isa.md 6.4. */
#include "isa/format.h"
#include "isa/message.h"

#define MAX_SURFACE (1u << 24)
#define W_BITS 0x3fu
#define DW7_KNOWN 0x000f3f3fu

static enum xk_status check_surface(uint32_t v, const char *name,
                                    struct xk_error *err)
{
    if (v && v <= MAX_SURFACE)
        return XK_OK;
    return xk_isa_fail(err, XK_EINVAL, "2d block: %s %u, need 1 to %u", name, v,
                       MAX_SURFACE);
}

enum xk_status xk_block2d_pack(const struct xk_block2d *h, uint32_t dw[8],
                               struct xk_error *err)
{
    enum xk_status st = check_surface(h->width_b, "width_b", err);

    if (st == XK_OK)
        st = check_surface(h->height, "height", err);
    if (st == XK_OK)
        st = check_surface(h->pitch_b, "pitch_b", err);
    if (st < 0)
        return st;
    if (!h->block_w || h->block_w > 64 || !h->block_h || h->block_h > 64 ||
        !h->n_blocks || h->n_blocks > 16)
        return xk_isa_fail(err, XK_EINVAL,
                           "2d block: %u blocks of %ux%u elements", h->n_blocks,
                           h->block_w, h->block_h);
    dw[0] = (uint32_t)h->base;
    dw[1] = (uint32_t)(h->base >> 32);
    dw[2] = h->width_b - 1;
    dw[3] = h->height - 1;
    dw[4] = h->pitch_b - 1;
    dw[5] = (uint32_t)h->x;
    dw[6] = (uint32_t)h->y;
    dw[7] =
        (h->block_w - 1u) | (h->block_h - 1u) << 8 | (h->n_blocks - 1u) << 16;
    return XK_OK;
}

enum xk_status xk_block2d_unpack(const uint32_t dw[8], struct xk_block2d *h,
                                 struct xk_error *err)
{
    if (dw[7] & ~DW7_KNOWN)
        return xk_isa_fail(err, XK_EPARSE,
                           "2d block: reserved bits of dword 7, 0x%08x", dw[7]);
    for (unsigned k = 2; k < 5; k++) {
        if (dw[k] >= MAX_SURFACE)
            return xk_isa_fail(err, XK_EPARSE,
                               "2d block: dword %u is 0x%08x, below 0x%x", k,
                               dw[k], MAX_SURFACE);
    }
    *h = (struct xk_block2d){
        .base = dw[0] | (uint64_t)dw[1] << 32,
        .width_b = dw[2] + 1,
        .height = dw[3] + 1,
        .pitch_b = dw[4] + 1,
        .x = (int32_t)dw[5],
        .y = (int32_t)dw[6],
        .block_w = (uint8_t)((dw[7] & W_BITS) + 1),
        .block_h = (uint8_t)((dw[7] >> 8 & W_BITS) + 1),
        .n_blocks = (uint8_t)((dw[7] >> 16 & 15) + 1),
    };
    return XK_OK;
}

static unsigned round_up_pow2(unsigned v)
{
    unsigned n = 1;

    while (n < v)
        n *= 2;
    return n;
}

/* Loads: 64 bytes a row over all blocks, and 32 rows; 2 and 4 blocks only of
 * small elements. Stores: one block, 8 rows. */
static bool shape_allowed(const struct xk_msg *m, const struct xk_block2d *h)
{
    const bool store = m->op == XK_MOP_STORE_BLOCK2D;
    const unsigned most_blocks = store || m->transpose || m->data_b == 8 ? 1
                                 : m->data_b == 4                        ? 2
                                                                         : 4;

    if ((h->n_blocks != 1 && h->n_blocks != 2 && h->n_blocks != 4) ||
        (m->vnni && m->data_b > 2))
        return false;
    return h->block_w && h->block_h && h->n_blocks <= most_blocks &&
           h->block_w * h->n_blocks * m->data_b <= 64 &&
           h->block_w * m->data_b >= 4 && h->block_h <= (store ? 8 : 32);
}

unsigned xk_block2d_grfs(const struct xk_platform *p, const struct xk_msg *m,
                         const struct xk_block2d *h)
{
    unsigned w = round_up_pow2(h->block_w), rows = h->block_h, n_b;

    if (!m->data_b || !shape_allowed(m, h))
        return 0;
    if (m->transpose) { /* columns become rows of a power of two elements */
        w = round_up_pow2(h->block_h);
        rows = h->block_w;
    } else if (m->vnni) { /* whole dwords of rows */
        const unsigned per = 4u / m->data_b;

        rows = (rows + per - 1) / per * per;
    }
    n_b = w * rows * m->data_b;
    return (n_b + p->grf_b - 1) / p->grf_b * h->n_blocks;
}
