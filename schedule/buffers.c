/* SPDX-License-Identifier: Apache-2.0 */
/* What a schedule's thread has in registers (buffer.def). */
#include "schedule/buffers.h"

#include "base/integer.h"

/* Registers that are no tiles and no addresses of a loop over all of K: r0,
 * arguments, other addresses, scalars, coordinates. The plan counts them
 * exactly; here they only prune. */
enum {
    OTHER_GRF = 20,
    OTHER_FLAT_GRF = 14, /* where the outer K indices are innermost */
    OTHER_LANES_GRF = 36 /* with a batch in the lanes */
};

static unsigned row_grf(const struct xk_platform *p,
                        const struct xk_buffer_row *r)
{
    return (r->place_b + p->grf_b - 1) / p->grf_b * r->places;
}

unsigned xk_buffer_grf(const struct xk_platform *p,
                       const struct xk_buffer_table *t, enum xk_buffer_id id)
{
    return row_grf(p, &t->row[id]);
}

unsigned xk_buffers_grf(const struct xk_platform *p,
                        const struct xk_buffer_table *t)
{
    unsigned n = 0;
    for (unsigned i = 0; i < XK_N_BUFFERS; i++)
        if (t->row[i].places)
            n += row_grf(p, &t->row[i]);
    return n;
}

void xk_buffer_set_grf(const struct xk_platform *p, struct xk_buffer_table *t,
                       enum xk_buffer_id id, unsigned grf)
{
    t->row[id] = (struct xk_buffer_row){p->grf_b, grf};
}

void xk_buffers_print(const struct xk_platform *p,
                      const struct xk_buffer_table *t, struct xk_str *out)
{
    static const char *const text[] = {
#define XK_BUFFER(id, text) text,
#include "schedule/buffer.def"
#undef XK_BUFFER
    };
    const char *between = "";
    for (unsigned i = 0; i < XK_N_BUFFERS; i++) {
        const unsigned n = row_grf(p, &t->row[i]);
        if (n)
            xk_str_printf(out, "%s%s %u", between, text[i], n);
        between = n ? ", " : between;
    }
}

/* Bytes of a row of A or B in one step. */
static unsigned step_b(const struct xk_platform *p, const struct xk_schedule *c)
{
    if (xk_fma_family_of(c->fma)->dpas)
        return p->dpas_depth_b;
    return c->fma == XK_FMA_DP4A ? c->k_step : c->k_step * 4u;
}

/* C, A and B, as they are multiplied. */
static void set_multiplied(const struct xk_platform *p,
                           const struct xk_schedule *c,
                           struct xk_buffer_table *out)
{
    const unsigned row_b = step_b(p, c);
    const unsigned rows_b = c->n_sub / (c->fma == XK_FMA_DPASW ? 2 : 1);
    out->row[XK_BUFFER_C] = (struct xk_buffer_row){4u * c->m_thr * c->n_thr, 1};
    out->row[XK_BUFFER_A] =
        (struct xk_buffer_row){c->m_thr * row_b, c->slots_a};
    out->row[XK_BUFFER_B] = (struct xk_buffer_row){rows_b * row_b, c->slots_b};
}

unsigned xk_schedule_buffer_grf(const struct xk_platform *p,
                                const struct xk_schedule *c)
{
    struct xk_buffer_table t = {0};
    set_multiplied(p, c, &t);
    return xk_buffers_grf(p, &t);
}

static bool may_turn(const struct xk_shape *s, const struct xk_schedule *c)
{
    return xk_fma_family_of(c->fma)->dpas && s->elem_b <= 2 && c->surfaces &&
           !c->slm && !xk_schedule_packs(c) && !xk_schedule_is_one_loop(c);
}

bool xk_schedule_turns_a(const struct xk_shape *s, const struct xk_schedule *c)
{
    return s->runs_a && s->runs_a % c->m_thr == 0 && may_turn(s, c);
}

bool xk_schedule_turns_b(const struct xk_shape *s, const struct xk_schedule *c)
{
    return s->runs_b && s->runs_b % c->n_thr == 0 && may_turn(s, c);
}

bool xk_schedule_swaps_parts(const struct xk_platform *p,
                             const struct xk_shape *s,
                             const struct xk_schedule *c)
{
    return xk_schedule_turns_b(s, c) && xk_schedule_slices(c) == 4 &&
           xk_fma_family_of(c->fma)->sharers_b == 2 &&
           c->n_thr / 4 % (2 * p->dpas_rows) != 0;
}

unsigned xk_schedule_places_together(const struct xk_platform *p,
                                     const struct xk_shape *s,
                                     const struct xk_schedule *c)
{
    enum { LANE_B = 8 };
    const unsigned all_b = p->message_lanes * LANE_B;
    const unsigned rows_b = c->m_thr * s->elem_b;
    const unsigned n = all_b % rows_b ? 1 : all_b / rows_b;
    return rows_b % LANE_B || s->even_a % n || c->k_step % n ? 1 : n;
}

/* Operands that come as memory has them have that many places; what is in order
 * has one. */
static void set_turned(const struct xk_platform *p, const struct xk_shape *s,
                       const struct xk_schedule *c, struct xk_buffer_table *out)
{
    struct xk_buffer_row *const row = out->row;
    if (xk_schedule_turns_a(s, c)) {
        row[XK_BUFFER_RAW_A] = row[XK_BUFFER_A];
        row[XK_BUFFER_A].place_b = xk_schedule_rows_in_order(c) * step_b(p, c);
        row[XK_BUFFER_A].places = 1;
    }
    if (xk_schedule_turns_b(s, c)) {
        row[XK_BUFFER_RAW_B] = row[XK_BUFFER_B];
        row[XK_BUFFER_B].places = 1;
    }
}

/* Registers of A's addresses where steps share its rows: a dword for each line
 * of steps and item, and how far those have moved that are loaded at the same
 * step; headers, and what lanes add. */
static unsigned served_grf(const struct xk_platform *p,
                           const struct xk_flat_addresses *a)
{
    const unsigned dwords = 4 * (a->places * a->items + a->served);
    return (dwords + p->grf_b - 1) / p->grf_b + a->served - 1 + 2 +
           xk_schedule_headers(a->items);
}

unsigned xk_flat_addresses_grf(const struct xk_platform *p,
                               const struct xk_flat_addresses *a)
{
    const unsigned each_b =
        a->eights ? xk_schedule_places_b(a->items) : a->headers_b;
    if (a->served > 1)
        return served_grf(p, a);
    const unsigned n = (a->places * each_b + p->grf_b - 1) / p->grf_b;
    /* With rows in the lanes, and how far along K. */
    return a->eights ? n + xk_schedule_headers(a->items) + 2 : n;
}

static unsigned address_grf(const struct xk_platform *p,
                            const struct xk_shape *s,
                            const struct xk_schedule *c)
{
    struct xk_flat_addresses a = {.places = (unsigned)s->k_outer,
                                  .items = c->m_thr / c->simd,
                                  .headers_b = 4u * c->m_thr,
                                  .served = 1};
    a.eights = s->eights && a.places != 1 && xk_fma_family_of(c->fma)->dpas;
    if (a.eights && c->holds > 1) {
        a.served = c->holds;
        a.places /= c->holds;
        a.items += xk_schedule_more_rows(s, c) / c->simd;
    }
    return xk_flat_addresses_grf(p, &a);
}

static unsigned sums_grf(const struct xk_schedule *c)
{
    enum { OTHER = 2 }; /* ones, and what multiplies them */
    return c->n_thr / xk_fma_family_of(c->fma)->sharers_b + OTHER;
}

/* And ones: of dpas a column a register, and a src1. */
static unsigned totals_grf(const struct xk_platform *p,
                           const struct xk_schedule *c)
{
    return xk_fma_family_of(c->fma)->dpas ? c->n_thr + p->dpas_depth_b / 4u
                                          : c->n_thr * 4u / p->grf_b + 1;
}

static struct xk_buffer_row vectors(const struct xk_schedule *c, int64_t n,
                                    unsigned places)
{
    const int64_t each_b = xk_smaller(n, INT16_MAX) * c->simd * 4;
    return (struct xk_buffer_row){(uint32_t)each_b, places};
}

/* Sums, vectors of B, two rows of a window or two blocks of them, all dwords.
 */
static void set_lanes(const struct xk_platform *p, const struct xk_shape *s,
                      const struct xk_schedule *c, struct xk_buffer_table *out)
{
    const struct xk_lanes_shape *const l = &s->lanes;
    struct xk_lanes_axis x = l->axis[1];
    if (xk_schedule_is_walk(c))
        x.k_places = l->k_columns;
    const int64_t row = xk_lanes_window(&x, l->tile_columns) * l->group_k;
    out->row[XK_BUFFER_C] = vectors(c, c->m_thr, 1);
    out->row[XK_BUFFER_A] = vectors(c, row, 2);
    out->row[XK_BUFFER_B] = vectors(c, xk_lanes_b_vectors(l, c), 1);
    xk_buffer_set_grf(p, out, XK_BUFFER_FIXED, OTHER_LANES_GRF);
}

void xk_schedule_buffers(const struct xk_platform *p,
                         const struct xk_shape *seen,
                         const struct xk_schedule *c,
                         struct xk_buffer_table *out)
{
    const bool flat = xk_schedule_is_flat(c);
    *out = (struct xk_buffer_table){0};
    if (c->fma == XK_FMA_LANES) {
        set_lanes(p, seen, c, out);
        return;
    }
    set_multiplied(p, c, out);
    set_turned(p, seen, c, out);
    out->row[XK_BUFFER_A].place_b +=
        xk_schedule_more_rows(seen, c) * step_b(p, c);
    if (seen->sums)
        xk_buffer_set_grf(p, out, XK_BUFFER_SUMS, sums_grf(c));
    if (seen->totals)
        xk_buffer_set_grf(p, out, XK_BUFFER_TOTALS, totals_grf(p, c));
    if (flat)
        xk_buffer_set_grf(p, out, XK_BUFFER_ADDRESSES, address_grf(p, seen, c));
    xk_buffer_set_grf(p, out, XK_BUFFER_FIXED,
                      flat ? OTHER_FLAT_GRF : OTHER_GRF);
}

bool xk_schedule_fits(const struct xk_platform *p, const struct xk_shape *s,
                      const struct xk_schedule *c)
{
    struct xk_buffer_table t;
    xk_schedule_buffers(p, s, c, &t);
    return xk_buffers_grf(p, &t) <= xk_platform_grf(p, c->grf_count);
}
