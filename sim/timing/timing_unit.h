/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the core's model share: timing_core.c (units, groups, the
 * loop), timing_wait.c (what a thread does next, and when), timing_send.c
 * (messages, barriers). Cycles count from the launch. */
#ifndef XK_SIM_TIMING_UNIT_H
#define XK_SIM_TIMING_UNIT_H

#include "sim/timing/timing_code.h"
#include "sim/timing/timing_core.h"

#define XK_TM_NEVER UINT64_MAX
#define XK_TM_UNIT_THREADS 16 /* slots of a unit at most */
#define XK_TM_MAX_UNITS 64
#define XK_TM_RING 8

struct xk_tm_group {
    uint64_t launched;
    uint32_t live; /* threads that have not ended */
    struct xk_tm_barrier {
        uint32_t phase, produced, consumed;
        uint64_t last, done; /* latest signal; of the phase before */
    } barrier[XK_SIM_BARRIERS];
};

struct xk_tm_token {
    uint64_t read, done; /* payload; answer */
    uint8_t cause;
};

/* A hardware thread, or the two of a fused pair. */
struct xk_tm_thread {
    const uint32_t *at[2], *end[2]; /* in the traces of both */
    const uint32_t *extra;          /* of the next instruction, first half */
    uint32_t next;                  /* its index */
    uint8_t halves;                 /* who executes it */
    uint32_t code_line;             /* that it has, and 1; 0: none */
    uint8_t cause;                  /* what `ready` waits for */
    bool blocked;                   /* in sync.bar, nobody knows how long */
    bool used;
    uint64_t ready, free; /* dependencies met; after the last instruction */
    uint64_t done[XK_TM_ORDERS][XK_TM_RING];
    uint32_t n_done[XK_TM_ORDERS];
    struct xk_tm_token token[32];
    uint64_t stored_slm, stored; /* when its writes are done */
    uint64_t answered;           /* when its last answer is there */
    uint8_t answer_cause;        /* what that was */
    uint32_t phase[XK_SIM_BARRIERS];
    uint32_t group;
    uint32_t unit;
    uint64_t age; /* order of dispatch: the least is the oldest */
};

struct xk_tm_unit {
    uint64_t next; /* when it can issue */
    uint64_t free[XK_TM_PORTS];
    uint64_t accounted; /* every cycle before has its cause */
    uint64_t cycle;     /* of the last issue */
    uint32_t in_cycle, turn;
    uint32_t last[XK_TM_PORTS];        /* slot that issued there */
    uint32_t n_free;                   /* thread slots */
    const struct xk_tm_thread *holder; /* of an Atomic chain; NULL: none */
    uint64_t in_array; /* src1 that the systolic array has: thread, register */
    struct xk_tm_thread *slot[XK_TM_UNIT_THREADS];
    uint64_t when[XK_TM_UNIT_THREADS]; /* each can issue; xk_tm_schedule */
};

struct xk_tm_core {
    const struct xk_timing_record *r;
    const struct xk_timing_product *m;
    const struct xk_tm_inst *inst;
    struct xk_tm_result *out;
    struct xk_tm_memory memory;
    struct xk_tm_code code;
    struct xk_tm_unit unit[XK_TM_MAX_UNITS];
    uint32_t n_units, n_slots;
    struct xk_tm_thread *thread; /* n_units * n_slots */
    struct xk_tm_group *group;   /* n_traced */
    uint32_t n_launched, n_ended, live_groups;
    uint64_t now, launcher; /* the latter: when it can start a thread */
    uint64_t age;
};

static inline uint64_t xk_tm_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* t->ready is at least `when`, for this reason. */
static inline void xk_tm_wait_for(struct xk_tm_thread *t, uint64_t when,
                                  enum xk_tm_cause c)
{
    if (when <= t->ready)
        return;
    t->ready = when;
    t->cause = (uint8_t)c;
}

/* Finds t's next instruction, if there is one. Sets when it may be issued and
 * what it waits for until then, or that it is blocked. */
void xk_tm_prepare(struct xk_tm_core *c, struct xk_tm_thread *t);
/* Handles the message that t issues now: its token, and the barrier that it
 * signals. */
void xk_tm_send(struct xk_tm_core *c, struct xk_tm_thread *t,
                const struct xk_tm_inst *i, uint64_t now);
/* Sets when the unit and each of its threads can issue next. */
void xk_tm_schedule(const struct xk_tm_core *c, struct xk_tm_unit *u);

#endif
