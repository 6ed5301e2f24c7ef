/* SPDX-License-Identifier: Apache-2.0 */
/* What the static hazard checker has already seen. Where no address register
 * matters, what is in flight behind a piece of straight code follows from what
 * was in flight before it. So each state is kept once, with the way from one to
 * the next. A loop, or the next thread, only follows these ways. A memo belongs
 * to one host thread. */
#ifndef XK_SIM_HAZARD_MEMO_H
#define XK_SIM_HAZARD_MEMO_H

#include "sim/hazard/hazard_check.h"

struct xk_hz_memo;
struct xk_hz_node; /* a state between two instructions */

/* *t must live as long. NULL: out of memory. */
struct xk_hz_memo *xk_hz_memo_create(const struct xk_hz_table *t, bool strict);
void xk_hz_memo_destroy(struct xk_hz_memo *m); /* NULL is fine */

/* The state at the beginning of a thread at instruction `start`. These two
 * return NULL where there is no memory, or where too much is different each
 * time. */
struct xk_hz_node *xk_hz_memo_begin(struct xk_hz_memo *m, uint32_t start);
struct xk_hz_node *xk_hz_memo_find(struct xk_hz_memo *m,
                                   const struct xk_hz_thread *th);
/* Sets what is in flight; report, user and strict stay. */
void xk_hz_memo_restore(const struct xk_hz_node *n, struct xk_hz_thread *th);

/* The number of instructions from `at` on that are executed in a row, whatever
 * they find. The row ends at one that may jump, wait or end the thread. An
 * instruction that depends on a0 stands alone. */
uint32_t xk_hz_memo_row(const struct xk_hz_memo *m, uint32_t at);

/* Some instructions of a row. */
struct xk_hz_row {
    uint32_t at, n;
    uint32_t mask; /* as for xk_hz_step */
    const uint8_t *a0;
};

/* The state behind them. NULL: something is to be found in them, or memory is
 * out. *scratch is a thread's and is overwritten. */
struct xk_hz_node *xk_hz_memo_next(struct xk_hz_memo *m, struct xk_hz_node *n,
                                   const struct xk_hz_row *row,
                                   struct xk_hz_thread *scratch);

#endif
