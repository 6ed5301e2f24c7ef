/* SPDX-License-Identifier: Apache-2.0 */
/* Two marks of each byte of memory, beside who touched it: whether it is
 * defined, and whether a fence has made a store to SLM visible. */
#include "sim/check/check_lines.h"

/* The part of some bytes that lies in one line; l is NULL where memory is
 * out. */
struct part {
    struct xk_check_line *l;
    uint32_t off_b, n_b;
    uint64_t ones; /* n_b of them */
};

/* The first part of [at, at + n_b). A scratch line that another thread used
 * belongs to nobody. */
static struct part part_at(struct xk_sim_check_thread *c, uint8_t space,
                           uint64_t at, uint32_t n_b)
{
    struct part p = {.l = xk_check_line_at(c->work, space, at),
                     .off_b = at % XK_CHECK_LINE_B};
    const uint32_t room_b = XK_CHECK_LINE_B - p.off_b;
    p.n_b = n_b < room_b ? n_b : room_b;
    p.ones = xk_check_low_bits(p.n_b);
    if (p.l && space == XK_CS_SCRATCH && p.l->owner != c->thread->index + 1) {
        p.l->owner = c->thread->index + 1;
        p.l->def = 0;
    }
    return p;
}

uint64_t xk_check_get_def(struct xk_sim_check_thread *c, uint8_t space,
                          uint64_t addr, uint32_t n_b)
{
    uint64_t bits = 0;
    for (uint32_t got = 0; got < n_b;) {
        const struct part p = part_at(c, space, addr + got, n_b - got);
        if (!p.l)
            return UINT64_MAX;
        bits |= (p.l->def >> p.off_b & p.ones) << got;
        got += p.n_b;
    }
    return bits;
}

void xk_check_set_def(struct xk_sim_check_thread *c, uint8_t space,
                      uint64_t addr, uint32_t n_b, uint64_t def)
{
    for (uint32_t got = 0; got < n_b;) {
        const struct part p = part_at(c, space, addr + got, n_b - got);
        if (!p.l)
            return;
        p.l->def &= ~(p.ones << p.off_b);
        p.l->def |= (def >> got & p.ones) << p.off_b;
        got += p.n_b;
    }
}

static void mark_dirty(const struct xk_sim_check_thread *c, xk_check_key *k,
                       bool dirty)
{
    if (*k && xk_key_thread(*k) == c->thread->index)
        *k = (*k & ~XK_KEY_DIRTY) | (dirty ? XK_KEY_DIRTY : 0);
}

/* Bytes [from_b, end_b) of the line. */
static void mark_line(struct xk_sim_check_thread *c, struct xk_check_line *l,
                      uint32_t from_b, uint32_t end_b, bool dirty)
{
    const uint64_t bits = xk_check_low_bits(end_b - from_b) << from_b;
    if (!l->cells && !(l->w & bits))
        return;
    if (!l->cells && !(l->w & ~bits)) {
        mark_dirty(c, &l->w_all, dirty);
        return;
    }
    if (!l->cells && !xk_check_line_spread(c->work, l))
        return;
    for (uint32_t b = from_b; b < end_b; b++) {
        const unsigned p = l->bytes ? b : b / 4;
        const unsigned part = p / XK_CHECK_PIECES, i = p % XK_CHECK_PIECES;
        mark_dirty(c, &l->cells[part].w[i], dirty);
        if (l->atoms)
            mark_dirty(c, &l->atoms[part].a1[i], dirty);
    }
}

void xk_check_set_dirty(struct xk_sim_check_thread *c,
                        const struct xk_check_store *s, bool dirty)
{
    const uint32_t end_b = s->at_b + s->n_b;
    for (uint32_t b = s->at_b, m_b; b < end_b; b += m_b) {
        struct xk_check_line *const l = xk_check_line_at(c->work, XK_CS_SLM, b);
        const uint32_t off_b = b % XK_CHECK_LINE_B;
        m_b = end_b - b < XK_CHECK_LINE_B - off_b ? end_b - b
                                                  : XK_CHECK_LINE_B - off_b;
        if (!l)
            return;
        mark_line(c, l, off_b, off_b + m_b, dirty);
    }
}
