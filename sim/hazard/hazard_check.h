/* SPDX-License-Identifier: Apache-2.0 */
/* The static worst case of one thread: what is in flight, and whether each
 * instruction that is executed waited for what it depends on. A result of an
 * in-order pipe is there for who waited by distance on that pipe, one of a
 * message, dpas or math for who waited for its SBID, however long ago it was.
 *
 * Two sets of rules. The vendor's (default): besides the architecture's, the
 * guarantees of the hardware that its compiler relies on, as listed and sourced
 * in tests/scoreboard/hazard_excuse.c. Strict: none of those but that a message
 * takes flags, address and modes along when it is issued. */
#ifndef XK_SIM_HAZARD_CHECK_H
#define XK_SIM_HAZARD_CHECK_H

#include "sim/hazard/hazard_table.h"

#define XK_HZ_RING 32 /* per pipe, more than any window */
#define XK_HZ_SLOTS                                                            \
    64 /* out of order: one per SBID, then chains and others                   \
        */
#define XK_HZ_MEMO 64

enum xk_hz_kind { XK_HZ_RAW, XK_HZ_WAW, XK_HZ_WAR, XK_HZ_SLM };

struct xk_hz_finding {
    enum xk_hz_kind kind;
    uint32_t first, second; /* instructions */
    uint32_t begin, end;    /* units that both touch, or a hull of them */
    unsigned distance;      /* in order: of the first one in its pipe by now */
};
typedef void xk_hz_report_fn(void *user, const struct xk_hz_finding *f);

typedef int32_t xk_hz_pipes __attribute__((vector_size(16)));

/* Numbers of the last instruction per pipe that writes or reads there, and the
 * slots that do; some of these may have been waited for. */
struct xk_hz_place {
    xk_hz_pipes w, r;
    uint64_t ow, or_;
};

/* An access that a0 decided. */
struct xk_hz_range {
    uint32_t first, end;
};

/* Something in flight; at only where something is dynamic. */
struct xk_hz_flight {
    uint32_t inst;
    struct xk_hz_range at[4]; /* dst, src0..2 where dynamic */
};

struct xk_hz_thread {
    struct xk_hz_place place[XK_HZ_PLACES];
    struct xk_hz_flight ring[XK_HZ_PIPES][XK_HZ_RING];
    struct xk_hz_flight slot[XK_HZ_SLOTS];
    xk_hz_pipes issued, done; /* numbers per pipe */
    uint64_t live_w, live_r;  /* slots whose results, sources are due */
    uint64_t of_token[32];    /* slots that a token's wait is for */
    uint64_t of_function[64];
    uint64_t slm_loads, chain;
    uint32_t next; /* instruction behind the last one */
    uint8_t next_extra;
    bool strict;
    bool wrote_state; /* cr0 or the like, ever */
    struct {
        uint32_t first, second;
        uint8_t known, reaches; /* 1 + reads */
    } memo[XK_HZ_MEMO];
    xk_hz_report_fn *report;
    void *user;
};

/* Begins a thread at instruction `start`, with nothing in flight. All of *th
 * except report and user must be zero, as before its first use. */
void xk_hz_thread_begin(struct xk_hz_thread *th, uint32_t start, bool strict);

/* Instruction `at` is about to be executed for the channels in mask. a0: 16
 * words of address registers. NULL: unknown; then the vendor's rules take an
 * indirect operand for harmless, and the strict rules take it for all
 * registers. */
void xk_hz_step(const struct xk_hz_table *t, struct xk_hz_thread *th,
                uint32_t at, uint32_t mask, const uint8_t *a0);

/* Where the units of a finding are: "r12.4", "f0.8", "acc1", "a0.2", "cr0". */
void xk_hz_name(const struct xk_platform *p, uint32_t unit, char *out,
                size_t out_b);

/* What is wrong and what is missing, as a sentence without full stop. */
void xk_hz_explain(const struct xk_hz_table *t, const struct xk_hz_finding *f,
                   char *out, size_t out_b);

/* Finds the units of a dynamic access from a0 and the channels that are
 * executed; false: none. */
bool xk_hz_range_now(const struct xk_hz_table *t, const struct xk_hz_inst *e,
                     const struct xk_hz_access *a, uint32_t mask,
                     const uint8_t *a0, struct xk_hz_range *out);

/* For hazard_check.c. Whether a channel can go from the first instruction to
 * the other without a wait for the first one's result (reads: for its read). It
 * searches all ways, so it is slow. It answers yes where memory is out. */
bool xk_hz_lane_reaches(const struct xk_hz_table *t, uint32_t from, uint32_t to,
                        bool reads);
/* Whether the waits of e are for the token. */
bool xk_hz_awaits(const struct xk_hz_inst *e, int token, bool only_read);

#endif
