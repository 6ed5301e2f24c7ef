/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a thread's buffers in the loops over K, or in its epilogue, and
 * how many registers they take. The schedule says how large the loops' tiles
 * are, and about how many registers addresses and all the rest take; the plan
 * knows the latter, and the epilogue. */
#ifndef XK_SCHEDULE_BUFFERS_H
#define XK_SCHEDULE_BUFFERS_H

#include "base/str.h"
#include "schedule/schedule.h"

enum xk_buffer_id {
#define XK_BUFFER(id, text) XK_BUFFER_##id,
#include "schedule/buffer.def"
#undef XK_BUFFER
    XK_N_BUFFERS
};

/* So many places of so many bytes each. */
struct xk_buffer_row {
    uint32_t place_b, places;
};
struct xk_buffer_table {
    struct xk_buffer_row row[XK_N_BUFFERS];
};

/* Registers of all rows, and of one. */
unsigned xk_buffers_grf(const struct xk_platform *p,
                        const struct xk_buffer_table *t);
unsigned xk_buffer_grf(const struct xk_platform *p,
                       const struct xk_buffer_table *t, enum xk_buffer_id id);
/* Gives a row so many whole registers. */
void xk_buffer_set_grf(const struct xk_platform *p, struct xk_buffer_table *t,
                       enum xk_buffer_id id, unsigned grf);
/* "C 64, A 16, B 16, fixed 20": rows that have registers. */
void xk_buffers_print(const struct xk_platform *p,
                      const struct xk_buffer_table *t, struct xk_str *out);

/* The table of a schedule that obeys the rules in front of `registers`: tiles
 * are exact, the other rows are estimates. seen: xk_schedule_shape's. */
void xk_schedule_buffers(const struct xk_platform *p,
                         const struct xk_shape *seen,
                         const struct xk_schedule *c,
                         struct xk_buffer_table *out);
/* Registers of C, A and B alone. */
unsigned xk_schedule_buffer_grf(const struct xk_platform *p,
                                const struct xk_schedule *c);

/* A's addresses in a loop over all of K: for each outer place so many bytes of
 * headers; or where eight rows share a position, a place for each of so many
 * items, and headers in turn; or, where steps share rows, a place for each line
 * of steps. */
struct xk_flat_addresses {
    unsigned places, items; /* of places; with served, lines */
    unsigned headers_b;     /* of a place */
    unsigned served;        /* steps that share rows; else 1 */
    bool eights;
};
unsigned xk_flat_addresses_grf(const struct xk_platform *p,
                               const struct xk_flat_addresses *a);

#endif
