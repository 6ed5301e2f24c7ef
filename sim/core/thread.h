/* SPDX-License-Identifier: Apache-2.0 */
/* One hardware thread: registers, masks, flow state. All register files lie in
 * one byte image, so an operand is an offset and a region, whatever file it
 * names. The host's byte order is little endian, like the device's. */
#ifndef XK_SIM_THREAD_H
#define XK_SIM_THREAD_H

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "sim/core/memory.h"

#define XK_SIM_LANES 32
#define XK_SIM_GRF_MAX_B 64 /* bytes in a register, from xehpc on */
#define XK_SIM_GRFS 256
/* The widest region: 32 lanes of 8 bytes with stride 4. */
#define XK_SIM_SPAN_B 1024

/* Offsets in the register image. */
enum xk_sim_rf {
    XK_RF_GRF = 0,
    XK_RF_ACC = XK_SIM_GRFS * XK_SIM_GRF_MAX_B,
    XK_RF_ZERO = XK_RF_ACC + XK_SIM_SPAN_B, /* null as a source */
    XK_RF_FLAG = XK_RF_ZERO + XK_SIM_SPAN_B,
    XK_RF_A0 = XK_RF_FLAG + 64,
    XK_RF_CE = XK_RF_A0 + 64,
    XK_RF_SR = XK_RF_CE + 64,
    XK_RF_CR = XK_RF_SR + 64,
    XK_RF_IP = XK_RF_CR + 64,
    XK_RF_TM = XK_RF_IP + 64,
    XK_RF_MISC = XK_RF_TM + 64,               /* sp, tdr, dbg: plain storage */
    XK_RF_STAGE = XK_RF_MISC + XK_SIM_SPAN_B, /* src2 of a pair's dpasw */
    XK_RF_END_B = XK_RF_STAGE + 256 + 64
};

enum xk_sim_state {
    XK_SIM_RUN,
    XK_SIM_BARRIER, /* waits in sync.bar */
    XK_SIM_PAIR,    /* waits in dpasw for the other thread of its pair */
    XK_SIM_YIELD,   /* has changed what others may wait for: its turn is over */
    XK_SIM_DONE,
    XK_SIM_FAULT
};

/* What the statistics distinguish. */
enum xk_sim_stat {
    XK_STAT_OTHER,
    XK_STAT_FMA,
    XK_STAT_SEND,
    XK_STAT_SYNC,
    XK_N_STATS
};

struct xk_sim_group;
struct xk_sim_kernel;
struct xk_sim_inst;
struct xk_sim_observer;
struct xk_sim_thread;

struct xk_sim_access;
typedef void xk_sim_access_fn(struct xk_sim_thread *t,
                              const struct xk_sim_inst *e,
                              const struct xk_sim_access *a);
typedef void xk_sim_event_fn(struct xk_sim_thread *t,
                             const struct xk_sim_inst *e, unsigned event,
                             uint64_t at, uint32_t n_b);

/* Places of a thread's observers. In front of an instruction the outer one is
 * called first, behind it last. */
enum { XK_SIM_OUTER, XK_SIM_INNER, XK_SIM_OBSERVERS };

/* What is told to the observers of a thread now (core/observer.h). */
struct xk_sim_hearing {
    bool any;                 /* there is one */
    xk_sim_access_fn *access; /* of the one that hears of them; NULL: nobody */
    xk_sim_event_fn *event;
};

#define XK_SIM_BARRIERS 32
struct xk_sim_barrier {
    uint32_t phase;                /* how often it was complete */
    uint16_t produced, consumed;   /* signals in this phase */
    uint16_t producers, consumers; /* that complete it */
};

#define XK_SIM_SURFACES 16
struct xk_sim_surface {
    uint64_t key; /* what names it, 0: none */
    uint64_t base, size_b;
};

struct xk_sim_thread {
    uint8_t rf[XK_RF_END_B];
    int32_t acc_hi[XK_SIM_SPAN_B / 2]; /* integer acc: bits above the register's
                                          own, by offset in words */
    struct xk_sim_mme {
        int16_t exp;        /* beyond the type's */
        uint8_t low;        /* bits below the register's last one */
    } mme[8][XK_SIM_LANES]; /* macros */
    const struct xk_sim_kernel *kernel;
    struct xk_sim_group *group;
    const struct xk_sim_region *last; /* region hit last */
    uint32_t ip;                      /* index of the next instruction */
    uint32_t active;                  /* channels that execute */
    uint32_t waiting;                 /* channels asleep until pcip[] */
    uint32_t left;                    /* of those: out of their loop */
    uint32_t pcip[XK_SIM_LANES];
    uint32_t dispatch;
    uint32_t index;      /* in the group */
    uint32_t slot;       /* of the thread on the machine: scratch, FFTID */
    uint64_t scratch_va; /* its own part of scratch memory, once it was used */
    uint64_t scratch_b;
    /* Barriers signalled and not yet waited for; their phases then. */
    uint32_t barrier_open, barrier_phase[XK_SIM_BARRIERS];
    struct xk_sim_surface surface[XK_SIM_SURFACES]; /* found before */
    uint8_t state;                                  /* enum xk_sim_state */
    uint8_t round;                  /* cr0[5:4]: 0 RNE 1 up 2 down 3 RTZ */
    uint8_t barrier_awaited;        /* in state XK_SIM_BARRIER */
    bool ran_on;                    /* at the end of its last turn */
    bool ftz, ftz_half, ftz_double; /* flush denormals */
    bool round_int; /* cr0[12]: floats become integers in mode `round` */
    uint64_t count[XK_N_STATS];
    uint64_t budget;      /* instructions left */
    struct xk_error *err; /* where a finding goes */
    struct xk_sim_observer *observer[XK_SIM_OBSERVERS]; /* NULL: none */
    struct xk_sim_hearing hears;
};

struct xk_sim_run {
    const struct xk_sim_dispatch *d;
    const struct xk_sim_kernel *kernel;
    struct xk_sim_space space;
    uint32_t start; /* index of the first instruction */
    uint64_t n_groups;
    bool apart;        /* threads of a group run independently */
    bool pairs;        /* fused pairs run in step (sim/check/pair.h) */
    uint64_t n_units;  /* groups; threads if they run apart */
    uint64_t n_places; /* groups that have slots of their own; 0: host threads
                          have them */
    const atomic_bool *in_step; /* units wait for others (dispatch.c) */
};

struct xk_sim_group {
    const struct xk_sim_run *run;
    uint64_t index; /* in the dispatch, x fastest */
    uint32_t id[3];
    uint8_t *slm;
    uint32_t slm_b;
    uint32_t slot_base; /* slot of the group's first thread */
    struct xk_sim_barrier barrier[XK_SIM_BARRIERS];
    struct xk_sim_thread *thread;
    uint32_t n_threads;
};

static inline bool xk_sim_barrier_done(const struct xk_sim_thread *t)
{
    const unsigned id = t->barrier_awaited;
    return t->group->barrier[id].phase != t->barrier_phase[id];
}

static inline uint32_t xk_rf_u32(const struct xk_sim_thread *t, uint32_t off)
{
    uint32_t v;
    memcpy(&v, t->rf + off, 4);
    return v;
}

static inline uint64_t xk_rf_u64(const struct xk_sim_thread *t, uint32_t off)
{
    uint64_t v;
    memcpy(&v, t->rf + off, 8);
    return v;
}

static inline void xk_rf_set_u32(struct xk_sim_thread *t, uint32_t off,
                                 uint32_t v)
{
    memcpy(t->rf + off, &v, 4);
}

/* Stops the thread with a finding about the instruction *e. */
void xk_sim_fault(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  const char *fmt, ...) XK_PRINTF(3, 4);
/* The same: "a surface of type", value, "is not simulated". Returns false. */
bool xk_sim_lacks(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  const char *what, uint64_t value);

/* sync.bar: false while the barrier is not complete. True when it is, or after
 * a finding. */
bool xk_sim_barrier_wait(struct xk_sim_thread *t, const struct xk_sim_inst *e);
/* Which barrier a sync.bar is about. */
unsigned xk_sim_barrier_awaited(const struct xk_sim_thread *t,
                                const struct xk_sim_inst *e);

/* Takes over the rounding mode and the denormal handling after a write to
 * cr0. */
void xk_sim_thread_cr_written(struct xk_sim_thread *t);

/* Bytes of one dimension's ids of one thread: whole registers. */
uint32_t xk_sim_id_channel_b(uint32_t grf_b, uint32_t simd);
/* The ids of one thread's lanes, as in the payload: x, y, z, each that long.
 * Lanes beyond the group's items repeat the pattern. */
void xk_sim_write_thread_ids(const struct xk_sim_dispatch *d, uint32_t thread,
                             uint8_t *out);
/* Prepares thread `index` of the group: payload, masks, registers. */
void xk_sim_thread_start(struct xk_sim_thread *t, struct xk_sim_group *g,
                         uint32_t index);
/* Executes until the thread blocks, ends, faults, or has done n. */
void xk_sim_thread_step(struct xk_sim_thread *t, uint64_t n);

#endif
