/* SPDX-License-Identifier: Apache-2.0 */
/* What the static hazard checker has already seen. Where no address register
 * has a say, what is in flight behind a piece of straight code follows from
 * what was in flight before it. So states are kept, each once, with the way
 * from one to the next; a loop, or the next thread, only follows them. A memo
 * belongs to one host thread. */
#ifndef XK_SIM_HAZARD_MEMO_H
#define XK_SIM_HAZARD_MEMO_H

#include "sim/hazard/hazard_check.h"

struct xk_hz_memo;
struct xk_hz_node; /* a state between two instructions */

/* *t must live as long. NULL: out of memory. */
struct xk_hz_memo *xk_hz_memo_create(const struct xk_hz_table *t, bool strict);
void xk_hz_memo_destroy(struct xk_hz_memo *m); /* NULL is fine */

/* As at the beginning of a thread at instruction `start`. These two return NULL
 * where there is no memory, or too much is different each time. */
struct xk_hz_node *xk_hz_memo_begin(struct xk_hz_memo *m, uint32_t start);
struct xk_hz_node *xk_hz_memo_find(struct xk_hz_memo *m,
                                   const struct xk_hz_thread *th);
/* Sets what is in flight; report, user and strict stay. */
void xk_hz_memo_restore(const struct xk_hz_node *n, struct xk_hz_thread *th);

/* Instructions from `at` on that are executed in a row, whatever they find: up
 * to one that may jump, wait or end the thread, or one that a0 has a say in,
 * which stands alone. */
uint32_t xk_hz_memo_row(const struct xk_hz_memo *m, uint32_t at);

/* Some instructions of a row. */
struct xk_hz_row {
    uint32_t at, n;
    uint32_t mask; /* as for xk_hz_step */
    const uint8_t *a0;
};

/* The state behind them. NULL: there is something to be found in them, or no
 * memory. Uses *scratch, a thread's. */
struct xk_hz_node *xk_hz_memo_next(struct xk_hz_memo *m, struct xk_hz_node *n,
                                   const struct xk_hz_row *row,
                                   struct xk_hz_thread *scratch);

#endif
