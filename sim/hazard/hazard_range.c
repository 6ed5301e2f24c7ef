/* SPDX-License-Identifier: Apache-2.0 */
/* Operands that address registers decide: indirect regions, and payloads whose
 * length stands in a descriptor. */
#include <string.h>

#include "sim/hazard/hazard_check.h"

static uint16_t a0_word(const uint8_t *a0, unsigned n)
{
    uint16_t w = 0;
    if (n < 16)
        memcpy(&w, a0 + 2 * n, sizeof w);
    return w;
}

static uint32_t a0_dword(const uint8_t *a0, unsigned n)
{
    return a0_word(a0, 2 * n) | (uint32_t)a0_word(a0, 2 * n + 1) << 16;
}

/* Lengths in whole registers: response, header and payload from a0.0, the
 * second payload from the extended descriptor. */
static struct xk_hz_range payload_range(const struct xk_hz_table *t,
                                        const struct xk_hz_inst *e,
                                        const struct xk_hz_access *a,
                                        const uint8_t *a0)
{
    uint32_t n_grf;
    if (a->operand == 1)
        n_grf = a0_dword(a0, e->in->send.exdesc_sub) >> 6 & 31;
    else if (a->operand < 0)
        n_grf = a0_dword(a0, 0) >> 20 & 31;
    else
        n_grf = a0_dword(a0, 0) >> 25 & 15;
    const uint32_t end = a->first + n_grf * t->grf_b;
    return (struct xk_hz_range){a->first, end < a->end ? end : a->end};
}

/* Hull of the channels that are executed. */
static struct xk_hz_range region(const struct xk_hz_inst *e,
                                 const struct xk_hz_access *a, uint32_t mask,
                                 const uint8_t *a0)
{
    const struct xk_inst *const i = e->in;
    const bool is_dst = a->operand < 0;
    const struct xk_operand *const o = is_dst ? &i->dst : &i->src[a->operand];
    const bool by_row = !is_dst && o->rgn.vs == XK_VS_VXH;
    const uint32_t size = xk_reg_type_b((enum xk_reg_type)o->type);
    const unsigned w = is_dst ? i->exec : o->rgn.width ? o->rgn.width : 1;
    struct xk_hz_range r = {UINT32_MAX, 0};
    for (unsigned c = 0; c < i->exec; c++) {
        const unsigned row = c / w;
        const unsigned from = a0_word(a0, o->a0_sub + (by_row ? row : 0));
        const unsigned step =
            (by_row ? 0 : row * o->rgn.vs) + c % w * o->rgn.hs;
        const uint32_t at = (uint32_t)((int)from + o->a0_off_b) + step * size;
        if (!(mask >> c & 1) || at >= a->end || a->end - at < size)
            continue;
        r.first = at < r.first ? at : r.first;
        r.end = at + size > r.end ? at + size : r.end;
    }
    return r.first < r.end ? r : (struct xk_hz_range){0, 0};
}

bool xk_hz_range_now(const struct xk_hz_table *t, const struct xk_hz_inst *e,
                     const struct xk_hz_access *a, uint32_t mask,
                     const uint8_t *a0, struct xk_hz_range *out)
{
    *out = e->unit == XK_HZ_SEND ? payload_range(t, e, a, a0)
                                 : region(e, a, mask, a0);
    return out->first < out->end;
}
