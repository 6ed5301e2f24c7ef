/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills of the copy engines, linear memory only. */
#include <string.h>

#include "vgpu/command_exec.h"

/* A rectangle of bytes. */
struct area {
    uint64_t va;
    uint32_t pitch_b;
};

/* Copies rows of n_b bytes from one rectangle to another. */
static enum xk_status copy_rows(struct xk_command_stream *s,
                                const struct xk_command *cmd, struct area dst,
                                struct area src, uint64_t n_b, uint32_t rows)
{
    uint8_t *const buf = xk_malloc(s->c, XK_GPU_PAGE_B);
    enum xk_status st = buf ? XK_OK : XK_ENOMEM;
    for (uint32_t y = 0; y < rows && st == XK_OK; y++) {
        st = xk_cmd_count(s);
        for (uint64_t x = 0; x < n_b && st == XK_OK; x += XK_GPU_PAGE_B) {
            const uint64_t part_b =
                n_b - x < XK_GPU_PAGE_B ? n_b - x : XK_GPU_PAGE_B;
            st = xk_cmd_read(s, cmd, src.va + (uint64_t)y * src.pitch_b + x,
                             false, buf, part_b);
            if (st == XK_OK)
                st =
                    xk_cmd_write(s, cmd, dst.va + (uint64_t)y * dst.pitch_b + x,
                                 false, buf, part_b);
        }
    }
    xk_free(s->c, buf);
    return st;
}

static enum xk_status fill_row(struct xk_command_stream *s,
                               const struct xk_command *cmd, uint64_t va,
                               const uint8_t *pattern, uint64_t n_b)
{
    for (uint64_t x = 0; x < n_b; x += XK_GPU_PAGE_B) {
        const uint64_t part_b =
            n_b - x < XK_GPU_PAGE_B ? n_b - x : XK_GPU_PAGE_B;
        XK_TRY(xk_cmd_write(s, cmd, va + x, false, pattern, part_b));
    }
    return XK_OK;
}

/* What a rectangle is filled with; n_b divides a page. */
struct pixel {
    const void *bytes;
    unsigned n_b;
};

static enum xk_status fill_rows(struct xk_command_stream *s,
                                const struct xk_command *cmd, struct area dst,
                                struct pixel pixel, uint32_t width,
                                uint32_t rows)
{
    uint8_t pattern[XK_GPU_PAGE_B];
    for (unsigned k = 0; k < sizeof pattern; k += pixel.n_b)
        memcpy(pattern + k, pixel.bytes, pixel.n_b);
    for (uint32_t y = 0; y < rows; y++) {
        XK_TRY(xk_cmd_count(s));
        XK_TRY(fill_row(s, cmd, dst.va + (uint64_t)y * dst.pitch_b, pattern,
                        (uint64_t)width * pixel.n_b));
    }
    return XK_OK;
}

/* dw0[21:19]: log2 of the bytes of a pixel, except 5, which is 12 bytes. */
static enum xk_status pixel_bytes(struct xk_command_stream *s,
                                  const struct xk_command *cmd, unsigned *out)
{
    static const uint8_t bytes[8] = {1, 2, 4, 8, 0, 16, 0, 0};
    *out = bytes[cmd->dw[0] >> 19 & 7];
    if (*out)
        return XK_OK;
    return xk_fail(s->c, XK_EUNSUPPORTED, "vgpu: blitter: color depth is %u",
                   cmd->dw[0] >> 19 & 7);
}

static uint32_t low(uint32_t dw)
{
    return dw & 0xffff;
}

static uint32_t high(uint32_t dw)
{
    return dw >> 16;
}

/* A rectangle's operands: its address begins at dword k; then come its corner
 * (y, x) and its pitch minus one. */
static struct area corner(const struct xk_command *cmd, unsigned k, uint32_t yx,
                          uint32_t pitch, unsigned pixel_b)
{
    const uint32_t pitch_b = (pitch & 0x3ffff) + 1;
    return (struct area){xk_cmd_address(cmd, k) + (uint64_t)high(yx) * pitch_b +
                             (uint64_t)low(yx) * pixel_b,
                         pitch_b};
}

/* Only linear, uncompressed surfaces are modelled. The modes stand beside the
 * pitch, offsets in a dword of their own. */
static enum xk_status check_plain(struct xk_command_stream *s,
                                  const struct xk_command *cmd,
                                  const char *name, unsigned pitch_at,
                                  unsigned offset_at)
{
    const uint32_t pitch = cmd->dw[pitch_at], offset = cmd->dw[offset_at];
    const struct {
        const char *what;
        uint32_t value;
    } fields[] = {{"auxiliary mode", pitch >> 18 & 7},
                  {"compression", pitch >> 29 & 1},
                  {"tile mode", pitch >> 30},
                  {"column offset", offset & 0x3fff},
                  {"row offset", offset >> 16 & 0x3fff}};
    for (unsigned k = 0; k < XK_COUNTOF(fields); k++)
        if (fields[k].value)
            return xk_fail(s->c, XK_EUNSUPPORTED,
                           "vgpu: %s at 0x%llx: a surface with %s %u", name,
                           (unsigned long long)cmd->at_va, fields[k].what,
                           fields[k].value);
    return XK_OK;
}

/* The parts of a surface: levels, slices and control data of images. Slices are
 * counted from 1, and 0 is what the driver sends for buffers. Commands of the
 * shorter form have none of it. */
static enum xk_status check_parts(struct xk_command_stream *s,
                                  const struct xk_command *cmd)
{
    static const struct xk_state_field fields[] = {
        {0, 9, 7, "XY_BLOCK_COPY_BLT: multisamples"},
        {1, 28, 1, "XY_BLOCK_COPY_BLT: control surface"},
        {8, 28, 1, "XY_BLOCK_COPY_BLT: control surface"},
        {12, 5, 1, "XY_BLOCK_COPY_BLT: clear value"},
        {14, 5, 1, "XY_BLOCK_COPY_BLT: clear value"},
        {17, 0, 0xf, "XY_BLOCK_COPY_BLT: mip level"},
        {18, 18, 1, "XY_BLOCK_COPY_BLT: depth or stencil"},
        {20, 0, 0xf, "XY_BLOCK_COPY_BLT: mip level"},
        {21, 18, 1, "XY_BLOCK_COPY_BLT: depth or stencil"},
    };
    static const uint8_t slices_at[] = {18, 21};
    size_t n = XK_COUNTOF(fields);
    while (n && fields[n - 1].dword >= cmd->n)
        n--;
    XK_TRY(xk_cmd_has_none(s, cmd, cmd->dw, fields, n));
    for (unsigned k = 0; k < XK_COUNTOF(slices_at) && slices_at[k] < cmd->n;
         k++)
        if (cmd->dw[slices_at[k]] >> 21 > 1)
            return xk_fail(s->c, XK_EUNSUPPORTED,
                           "vgpu: XY_BLOCK_COPY_BLT at 0x%llx: slice %u of a "
                           "surface is not modelled",
                           (unsigned long long)cmd->at_va,
                           cmd->dw[slices_at[k]] >> 21);
    return XK_OK;
}

enum xk_status xk_cmd_block_copy(struct xk_command_stream *s,
                                 const struct xk_command *cmd,
                                 struct xk_command_jump *jump)
{
    static const struct xk_state_field special = {
        0, 12, 3, "XY_BLOCK_COPY_BLT: special mode"};
    const uint32_t *const dw = cmd->dw;
    unsigned b;
    (void)jump;
    XK_TRY(pixel_bytes(s, cmd, &b));
    XK_TRY(xk_cmd_has_none(s, cmd, dw, &special, 1));
    XK_TRY(check_plain(s, cmd, "XY_BLOCK_COPY_BLT", 1, 6));
    XK_TRY(check_plain(s, cmd, "XY_BLOCK_COPY_BLT", 8, 11));
    XK_TRY(check_parts(s, cmd));
    if (low(dw[3]) < low(dw[2]) || high(dw[3]) < high(dw[2]))
        return xk_fail(s->c, XK_EFAULT,
                       "vgpu: XY_BLOCK_COPY_BLT: rectangle %08x..%08x", dw[2],
                       dw[3]);
    const struct area dst = corner(cmd, 4, dw[2], dw[1], b);
    const struct area src = corner(cmd, 9, dw[7], dw[8], b);
    return copy_rows(s, cmd, dst, src, (uint64_t)(low(dw[3]) - low(dw[2])) * b,
                     high(dw[3]) - high(dw[2]));
}

enum xk_status xk_cmd_color_fill(struct xk_command_stream *s,
                                 const struct xk_command *cmd,
                                 struct xk_command_jump *jump)
{
    static const struct xk_state_field special = {
        0, 12, 3, "XY_FAST_COLOR_BLT: special mode"};
    const uint32_t *const dw = cmd->dw;
    unsigned b;
    (void)jump;
    XK_TRY(pixel_bytes(s, cmd, &b));
    XK_TRY(xk_cmd_has_none(s, cmd, dw, &special, 1));
    XK_TRY(check_plain(s, cmd, "XY_FAST_COLOR_BLT", 1, 6));
    if (low(dw[3]) < low(dw[2]) || high(dw[3]) < high(dw[2]) ||
        cmd->n < 7 + (b + 3) / 4)
        return xk_fail(s->c, XK_EFAULT,
                       "vgpu: XY_FAST_COLOR_BLT: rectangle %08x..%08x, %u "
                       "dwords",
                       dw[2], dw[3], cmd->n);
    const struct area dst = corner(cmd, 4, dw[2], dw[1], b);
    return fill_rows(s, cmd, dst, (struct pixel){&dw[7], b},
                     low(dw[3]) - low(dw[2]), high(dw[3]) - high(dw[2]));
}

/* dw0[18:17]: 0 bytes, 1 rows of bytes. The number of rows. */
static enum xk_status row_count(struct xk_command_stream *s,
                                const struct xk_command *cmd, const char *name,
                                uint32_t *rows)
{
    static const struct xk_state_field compression = {
        0, 13, 0xd, "MEM_COPY or MEM_SET: compression"};
    const unsigned type = cmd->dw[0] >> 17 & 3;
    XK_TRY(xk_cmd_has_none(s, cmd, cmd->dw, &compression, 1));
    *rows = type ? (cmd->dw[2] & 0x3ffff) + 1 : 1;
    if (type < 2)
        return XK_OK;
    return xk_fail(s->c, XK_EUNSUPPORTED,
                   "vgpu: %s at 0x%llx: type %u is not modelled", name,
                   (unsigned long long)cmd->at_va, type);
}

enum xk_status xk_cmd_mem_copy(struct xk_command_stream *s,
                               const struct xk_command *cmd,
                               struct xk_command_jump *jump)
{
    const uint32_t *const dw = cmd->dw;
    const struct area src = {xk_cmd_address(cmd, 5), (dw[3] & 0x3ffff) + 1};
    const struct area dst = {xk_cmd_address(cmd, 7), (dw[4] & 0x3ffff) + 1};
    uint32_t rows;
    (void)jump;
    XK_TRY(row_count(s, cmd, "MEM_COPY", &rows));
    return copy_rows(s, cmd, dst, src, (uint64_t)(dw[1] & 0xffffff) + 1, rows);
}

enum xk_status xk_cmd_mem_set(struct xk_command_stream *s,
                              const struct xk_command *cmd,
                              struct xk_command_jump *jump)
{
    const uint32_t *const dw = cmd->dw;
    const uint8_t value = (uint8_t)(dw[6] >> 24);
    const struct area dst = {xk_cmd_address(cmd, 4), (dw[3] & 0x3ffff) + 1};
    uint32_t rows;
    (void)jump;
    XK_TRY(row_count(s, cmd, "MEM_SET", &rows));
    return fill_rows(s, cmd, dst, (struct pixel){&value, 1},
                     (dw[1] & 0xffffff) + 1, rows);
}
