/* SPDX-License-Identifier: Apache-2.0 */
/* A seat: what a unit of work has while it is on the machine, its threads'
 * registers and its local memory. A host thread has one, and as long as units
 * end by themselves it needs no other. A unit that waits for other units, or
 * lasts long, keeps its seat while others begin on more seats: so groups that
 * wait for one another all come to the machine, as far as it has room. */
#ifndef XK_SIM_SEAT_H
#define XK_SIM_SEAT_H

#include "sim/check/check_hook.h"
#include "sim/watch.h"

enum xk_sim_seat_state {
    XK_SEAT_FREE,
    XK_SEAT_BUSY,
    XK_SEAT_WAITS, /* all of the unit's threads wait for other units */
    XK_SEAT_GOOD,  /* the unit has come to its end */
    XK_SEAT_BAD    /* the same, with a finding in err */
};

struct xk_sim_seat {
    const struct xk_sim_run *run;
    struct xk_sim_seat *next; /* of the same host thread, in a ring */
    struct xk_sim_thread *thread;
    struct xk_sim_check_work *check;
    struct xk_sim_watcher *watchers; /* per thread; NULL: none */
    uint8_t *slm;
    struct xk_sim_group group;
    uint64_t unit, rounds, brisk; /* brisk turns behind its first change */
    uint64_t lap;   /* the last one in which it had a turn (dispatch.c) */
    uint32_t place; /* among all seats of the dispatch */
    uint32_t n;     /* threads of a unit */
    enum xk_sim_seat_state state;
    bool shares; /* the host thread: it has waited, or lasted long */
    bool fresh;  /* has neither shared nor changed what others may wait for */
    bool yields; /* has just changed that, which ended its turn */
    struct xk_error err;
};

/* check may be NULL. */
enum xk_status xk_sim_seat_create(const struct xk_sim_run *r,
                                  struct xk_sim_check_run *check,
                                  uint32_t place, struct xk_sim_seat **out,
                                  struct xk_error *err);
void xk_sim_seat_destroy(struct xk_sim_seat *s);

/* Puts the unit on a free seat. */
void xk_sim_seat_begin(struct xk_sim_seat *s, uint64_t unit);
/* How a unit is run while units wait for others. */
struct xk_sim_pace {
    bool in_vain; /* nobody works for whom it could wait */
    bool brisk;   /* turns are short */
};

/* Runs the unit until it ends, waits for other units, or has lasted long; one
 * that had stopped before for one of these reasons gets one turn, and so does
 * each while others wait. *was is room for a thread. */
void xk_sim_seat_run(struct xk_sim_seat *s, struct xk_sim_thread *was,
                     struct xk_sim_pace pace);

#endif
