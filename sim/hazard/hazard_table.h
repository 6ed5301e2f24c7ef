/* SPDX-License-Identifier: Apache-2.0 */
/* What the hazard checker knows of a kernel before it runs: per instruction
 * where it is executed, what it waits for, which places it reads and writes.
 * Made once, read only afterwards. Shares nothing with codegen but isa/.
 *
 * All register files lie in one space of units: bytes of r0..r255, then flag
 * bits, accumulator bytes, a0 bytes, and one place for the other state (cr0,
 * sr0 ...). A place is as many units as a register has bytes. */
#ifndef XK_SIM_HAZARD_TABLE_H
#define XK_SIM_HAZARD_TABLE_H

#include "base/alloc.h"
#include "isa/isa.h"
#include "sim/core/kernel.h"

#define XK_HZ_GRFS 256
#define XK_HZ_FLAG_UNITS 128
#define XK_HZ_PIPES 4
#define XK_HZ_MMES 8 /* behind the accumulators */
#define XK_HZ_PLACES (XK_HZ_GRFS + 4 + 16 + XK_HZ_MMES + 2)

enum xk_hz_file { XK_HZ_GRF, XK_HZ_FLAG, XK_HZ_ACC, XK_HZ_A0, XK_HZ_STATE };

enum xk_hz_unit {
    XK_HZ_NOWHERE, /* sync, nop */
    XK_HZ_IN_ORDER,
    XK_HZ_MATH, /* out of order */
    XK_HZ_SEND,
    XK_HZ_DPAS
};

/* The units [first, end) that an operand touches. Where they leave gaps, n
 * elements of `size` units lie in rows of `width`; n = 0: all of them. */
struct xk_hz_access {
    uint32_t first, end;
    uint16_t place, n_places;
    uint16_t row, step;
    uint8_t width, size, n;
    uint8_t file;   /* enum xk_hz_file */
    int8_t operand; /* -1 dst, 0..2 sources, 3: implied */
    bool dynamic;   /* a0 decides which: these are all that are possible */
};

struct xk_hz_inst {
    uint32_t access; /* index of the first: reads, then writes */
    uint8_t n_rd, n_wr;
    uint8_t unit, pipe; /* enum xk_hz_unit; in order: 0 .. XK_HZ_PIPES - 1 */
    uint8_t function;   /* out of order: who executes it, 0 .. 63 */
    uint8_t dist, dist_pipes;    /* distance, set of pipes it speaks of */
    uint32_t wait_dst, wait_src; /* SBIDs whose end, or reading, it awaits */
    int8_t set;                  /* SBID it sets, -1: none */
    int8_t token;  /* SBID that tells its end: set, or its Atomic chain's */
    bool in_chain; /* Atomic dpas, another one behind it */
    bool is_branch, is_sync, is_macro;
    bool touches_state; /* reads modes: all but branches and syncs */
    bool is_dynamic;    /* has accesses that a0 decides */
    bool writes_bytes;  /* merges bytes into words, where the platform does */
    bool byte_float;    /* of those, converts to an 8-bit float */
    bool slm_load, slm_store, slm_unused;
    bool half_known;   /* the vendor's compiler takes its answer for shorter */
    uint32_t jip, uip; /* indices, UINT32_MAX: none */
    const struct xk_inst *in;
};

struct xk_hz_table {
    struct xk_alloc alloc;
    const struct xk_platform *platform;
    uint32_t grf_b;
    uint32_t n;
    struct xk_hz_inst *inst;
    struct xk_hz_access *access;
    uint32_t n_access, room;
    struct xk_hz_access state; /* cr0, sr0 ...: what most instructions read */
    bool one_pipe;             /* flags, accumulators, a0 interlock */
    bool merges_bytes, slm_overtakes, flags_overtake; /* of hazard_pipe.def */
    /* A pipe holds at most this many instructions. */
    uint8_t window[XK_HZ_PIPES], strict_window;
};

/* One instruction of the code; *in must live as long as the table. */
struct xk_hz_line {
    const struct xk_inst *in; /* NULL: does not decode */
    uint32_t jip, uip;        /* indices; UINT32_MAX: none */
};

/* XK_ENOMEM, or XK_OK. */
enum xk_status xk_hz_table_init(struct xk_hz_table *t,
                                const struct xk_alloc *alloc,
                                const struct xk_platform *p,
                                const struct xk_hz_line *line, uint32_t n);
void xk_hz_table_fini(struct xk_hz_table *t);

/* A kernel's; NULL: it has none, no hazards are looked for. */
static inline struct xk_hz_table *xk_hz_table_of(const struct xk_sim_kernel *k)
{
    return k->noted;
}

/* First unit of a file; the end of STATE is the end of all. */
uint32_t xk_hz_file_at(const struct xk_platform *p, enum xk_hz_file f);

/* Whether both touch a unit. */
bool xk_hz_meet(const struct xk_hz_access *a, const struct xk_hz_access *b);

/* For hazard_table.c: the accesses of one instruction, at most
 * XK_HZ_MAX_ACCESSES each; return how many. */
#define XK_HZ_MAX_ACCESSES 16
unsigned xk_hz_reads(const struct xk_platform *p, const struct xk_inst *i,
                     struct xk_hz_access *out);
unsigned xk_hz_writes(const struct xk_platform *p, const struct xk_inst *i,
                      struct xk_hz_access *out);

#endif
