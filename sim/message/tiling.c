/* SPDX-License-Identifier: Apache-2.0 */
/* Tile layouts as Intel's gmmlib publishes them: the bits of an offset in a
 * tile, highest first, and which coordinate each comes from. */
#include "sim/message/tiling.h"

#include <string.h>

enum {
    LP = 1 << XK_PLATFORM_XELP,
    HPG = 1 << XK_PLATFORM_XEHPG,
    HPC = 1 << XK_PLATFORM_XEHPC,
    HP = HPG | HPC
};
enum { MODE_64 = 1, MODE_X = 2, MODE_Y_OR_4 = 3 };
enum { FLAT = 1, VOLUME = 2, ANY = FLAT | VOLUME };

/* texel_b 0: texels of all sizes. */
static const struct {
    uint8_t platforms, mode, kinds, texel_b;
    const char *bits;
} rows[] = {
    {LP | HP, MODE_X, ANY, 0, "YYYXXXXXXXXX"},
    {LP, MODE_Y_OR_4, ANY, 0, "XXXYYYYYXXXX"},
    {HP, MODE_Y_OR_4, ANY, 0, "YYXYXXYYXXXX"},
    {HP, MODE_64, FLAT, 16, "YXXXYYXYXXYYXXXX"},
    {HP, MODE_64, FLAT, 8, "YXXXYYXYXXYYXXXX"},
    {HP, MODE_64, FLAT, 4, "YYXXYYXYXXYYXXXX"},
    {HP, MODE_64, FLAT, 2, "YYXXYYXYXXYYXXXX"},
    {HP, MODE_64, FLAT, 1, "YYYXYYXYXXYYXXXX"},
    {HP, MODE_64, VOLUME, 16, "ZZYXXXZYZXYYXXXX"},
    {HP, MODE_64, VOLUME, 8, "ZZYXXXZYZXYYXXXX"},
    {HP, MODE_64, VOLUME, 4, "ZZYXYXZYZXYYXXXX"},
    {HP, MODE_64, VOLUME, 2, "ZZZYYXZYZXYYXXXX"},
    {HP, MODE_64, VOLUME, 1, "ZZZXYYZYZXYYXXXX"},
};

static void take_bits(const char *bits, struct xk_sim_tiling *out)
{
    out->tile_log_b = (uint8_t)strlen(bits);
    for (unsigned k = 0; k < out->tile_log_b; k++) {
        const unsigned from = (unsigned)(bits[k] - 'X');
        out->mask[from] |= (uint16_t)(1u << (out->tile_log_b - 1u - k));
        out->log_b[from]++;
    }
}

bool xk_sim_tiling_find(const struct xk_platform *p, unsigned mode, bool volume,
                        unsigned texel_b, struct xk_sim_tiling *out)
{
    *out = (struct xk_sim_tiling){.tile_log_b = 0};
    if (!mode)
        return true;
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (!(rows[k].platforms >> p->id & 1) || rows[k].mode != mode ||
            !(rows[k].kinds & (volume ? VOLUME : FLAT)) ||
            (rows[k].texel_b && rows[k].texel_b != texel_b))
            continue;
        take_bits(rows[k].bits, out);
        return true;
    }
    return false;
}

/* The low bits of v, put where mask has ones. */
static uint32_t deposit_bits(uint64_t v, uint32_t mask)
{
    uint32_t out = 0;
    for (; mask; mask &= mask - 1, v >>= 1)
        if (v & 1)
            out |= mask & -mask;
    return out;
}

uint64_t xk_sim_tiled_offset(const struct xk_sim_tiling *t, uint64_t pitch_b,
                             uint64_t slice_rows, uint64_t x_b, uint64_t y,
                             uint64_t z)
{
    if (!t->tile_log_b)
        return (z * slice_rows + y) * pitch_b + x_b;
    const uint64_t rows_down = (z >> t->log_b[2]) * slice_rows + y;
    const uint64_t tile =
        (rows_down >> t->log_b[1]) * (pitch_b >> t->log_b[0]) +
        (x_b >> t->log_b[0]);
    return (tile << t->tile_log_b) | deposit_bits(x_b, t->mask[0]) |
           deposit_bits(rows_down, t->mask[1]) | deposit_bits(z, t->mask[2]);
}
