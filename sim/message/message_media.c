/* SPDX-License-Identifier: Apache-2.0 */
/* Media blocks: a rectangle of bytes of a linear 2D surface. The header has the
 * position in bytes and rows and the size; rows lie in the registers a power of
 * two apart, at least 4 bytes, and fill at most 256 bytes (vISA's MEDIA_LD). It
 * is so in the registers of 64 bytes of xehpc, too: what ocloc makes for pvc
 * takes rows of 16 and 32 bytes from two or four places of a register.
 * Rectangles that leave the surface are refused: which border a read sees is
 * not established. */
#include "sim/message/image.h"

enum { TYPE_2D = 1 };
#define STATE_B 64
#define BLOCK_MAX_B 256u

struct block {
    uint32_t x_b, y, width_b, height, row_b;
    uint64_t base;
    uint32_t pitch_b;
};

static bool read_media_header(struct xk_sim_thread *t,
                              const struct xk_sim_inst *e, struct block *b)
{
    const uint32_t at = e->src[0].off_b, size = xk_rf_u32(t, at + 8);
    b->x_b = xk_rf_u32(t, at);
    b->y = xk_rf_u32(t, at + 4);
    b->width_b = (size & 0x3f) + 1;
    b->height = (size >> 16 & 0x3f) + 1;
    b->row_b = 4;
    while (b->row_b < b->width_b)
        b->row_b *= 2;
    return !(size & ~0x3f003fu) ||
           xk_sim_lacks(t, e,
                        "a media block whose header has in dword 2 the bits",
                        size & ~0x3f003fu);
}

/* As many registers as the block has, and the header. */
static bool lengths_fit(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        const struct block *b, bool store)
{
    const struct xk_msg *const m = &e->msg;
    const uint32_t grf_b = t->kernel->grf_b,
                   grfs = (b->row_b * b->height + grf_b - 1) / grf_b;
    const struct xk_sim_opnd *const data = store ? &e->src[1] : &e->dst;
    if (b->row_b * b->height > BLOCK_MAX_B) {
        xk_sim_fault(t, e,
                     "media block: %u rows of %u bytes are %u apart in the "
                     "registers, together more than %u",
                     b->height, b->width_b, b->row_b, BLOCK_MAX_B);
        return false;
    }
    if (m->src0_grf == 1 && m->src1_grf == (store ? grfs : 0) &&
        m->dst_grf == (store ? 0 : grfs))
        return xk_sim_payload(t, e, data, b->row_b * b->height, grfs,
                              store ? "the data payload" : "the destination");
    xk_sim_fault(t, e,
                 "not modelled: media block: %u + %u registers sent and %u "
                 "back, not a header and %u registers of data",
                 m->src0_grf, m->src1_grf, m->dst_grf, grfs);
    return false;
}

/* Bytes of a row of the surface; 0 after a finding. Borders would be right only
 * for formats whose channels have their code's size. So the row is limited by
 * its pitch, and the width is taken in bytes of the 8-bit format. */
static bool read_surface(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         struct block *b)
{
    enum { R8_UNORM = 0x140, R8_UINT = 0x143 };
    static const struct xk_state_field lines = {
        0, 6, 3, "a media block of a surface with boundary mode"};
    uint64_t va;
    if (!xk_sim_surface_va(t, e, &va))
        return false;
    const uint8_t *const s = xk_sim_state_at(t, e, va, STATE_B);
    if (!s || !xk_sim_has_none(t, e, s, &lines, 1) ||
        !xk_sim_is_uncompressed(t, e, s) || !xk_sim_image_is_plain(t, e, s))
        return false;
    const unsigned type = xk_sim_dw(s, 0) >> 29,
                   format = xk_sim_dw(s, 0) >> 18 & 0x1ff;
    const uint64_t width_b = (xk_sim_dw(s, 2) & 0x3fff) + 1,
                   height = (xk_sim_dw(s, 2) >> 16 & 0x3fff) + 1;
    b->base = xk_sim_dw(s, 8) | (uint64_t)xk_sim_dw(s, 9) << 32;
    b->pitch_b = (xk_sim_dw(s, 3) & 0x3ffff) + 1;
    if (type != TYPE_2D || (format != R8_UNORM && format != R8_UINT) ||
        (xk_sim_dw(s, 0) >> 12 & 3))
        xk_sim_fault(t, e,
                     "media block: surface of type %u, format 0x%x, tile mode "
                     "%u: only linear 2D surfaces of bytes are simulated",
                     type, format, xk_sim_dw(s, 0) >> 12 & 3);
    else if ((uint64_t)b->x_b + b->width_b > width_b ||
             (uint64_t)b->y + b->height > height)
        xk_sim_fault(t, e,
                     "media block: %u x %u bytes at (%u, %u) leave the surface "
                     "of %u x %u",
                     b->width_b, b->height, b->x_b, b->y, (unsigned)width_b,
                     (unsigned)height);
    return t->state != XK_SIM_FAULT;
}

void xk_sim_exec_media(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct block b;
    const struct xk_msg *const m = &e->msg;
    const bool store = m->op == XK_MOP_STORE;
    const struct xk_sim_opnd *const data = store ? &e->src[1] : &e->dst;
    if (!(xk_sim_mask(t, e) & 1) || (!store && e->dst.kind == XK_SO_NONE))
        return;
    if (m->sub)
        xk_sim_fault(t, e, "not modelled: media block: line stride bits %u",
                     m->sub);
    if (m->sub ||
        !xk_sim_payload(t, e, &e->src[0], 32, m->src0_grf, "the header"))
        return;
    if (!read_media_header(t, e, &b) || !lengths_fit(t, e, &b, store) ||
        !read_surface(t, e, &b))
        return;
    for (uint32_t r = 0; r < b.height; r++) {
        uint8_t *const mem =
            xk_sim_reach(t, e, &xk_sim_flat,
                         (struct xk_sim_bytes){
                             b.base + (uint64_t)(b.y + r) * b.pitch_b + b.x_b,
                             b.width_b, 1, 0});
        uint8_t *const reg = t->rf + data->off_b + r * b.row_b;
        if (!mem)
            return;
        memcpy(store ? mem : reg, store ? reg : mem, b.width_b);
    }
}
