/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to the checkers: what they remember of instructions, threads, host
 * threads and the dispatch. */
#ifndef XK_SIM_CHECK_STATE_H
#define XK_SIM_CHECK_STATE_H

#include <pthread.h>

#include "sim/check/check_hook.h"

/* How the registers of an instruction are looked at. */
enum xk_check_kind {
    XK_CK_NONE,   /* none */
    XK_CK_RANGES, /* direct operands: byte ranges first, lanes if need be */
    XK_CK_LANES,  /* flags or indirect operands: always lane by lane */
    XK_CK_DPAS,
    XK_CK_BRANCH, /* a predicate only */
    XK_CK_SEND,
};

struct xk_check_range {
    uint32_t at_b, n_b; /* in the register image; n_b 0: none */
};

#define XK_CHECK_ALONE UINT32_MAX

/* What is known of an instruction before it runs. */
struct xk_check_inst {
    uint8_t kind;     /* enum xk_check_kind */
    uint32_t stretch; /* the stretch that it lies in; XK_CHECK_ALONE: none */
    struct xk_check_range src[3], dst;
    struct xk_check_range acc_in, acc_out; /* implicit */
    uint8_t acc_lane_b, acc_step_b;        /* of these */
    uint64_t dst_bits; /* bytes of dst from its first, where n_b <= 64 */
};

/* Bits of a thread's def[] that must be set. */
struct xk_check_need {
    uint32_t word;
    uint64_t bits;
};

/* Instructions in a row that touch registers only, by direct operands. They are
 * entered at the first one, or from the one before. Their needs are what they
 * read and write: if all of it is defined, nothing becomes undefined. */
struct xk_check_stretch {
    uint32_t begin, end;
    uint32_t need, n_needs;
    uint32_t waits; /* SBIDs whose messages one of them waits for */
};

/* What an access was to. */
enum xk_check_space {
    XK_CS_GLOBAL,
    XK_CS_SLM,
    XK_CS_SCRATCH,
    XK_CS_STATE /* the driver's: not looked at */
};

#define XK_CHECK_OLD_B 16

struct xk_check_note {
    uint64_t addr;
    uint32_t n_b;
    uint8_t space, lane;
    const uint8_t *host;
    uint8_t old[XK_CHECK_OLD_B]; /* what was there, where n_b is not more */
};

/* Neighbouring notes of one space whose bytes follow each other, or are the
 * same: lanes often take a row, or all the same. */
struct xk_check_span {
    uint64_t addr;
    uint32_t n_b;
    uint8_t space;
    bool odd;         /* some are not whole dwords */
    uint16_t n_notes; /* the first one stands behind the last span's */
};

#define XK_CHECK_NOTES 1088 /* one instruction: 32 lanes of 32, or 2D rows */
#define XK_CHECK_IMAGE_W (XK_RF_END_B / 64 + 3)
#define XK_CHECK_SBIDS 32
#define XK_CHECK_PENDING 256

/* SLM that this thread wrote and that no completed fence covers. */
struct xk_check_store {
    uint32_t at_b, n_b;
    bool signalled; /* a barrier was signalled since: others may look at it */
    uint32_t fenced_at; /* signals of the thread when a fence was complete */
};

#define XK_CHECK_SLM 16        /* messages of a thread that are remembered */
#define XK_CHECK_SLM_PIECES 32 /* of one that are told apart */

/* What one message touched in shared local memory. */
struct xk_check_slm {
    uint32_t inst;
    bool known, lost; /* lost: more pieces than there is room for */
    uint8_t n;
    struct xk_check_range piece[XK_CHECK_SLM_PIECES];
};

struct xk_sim_check_thread {
    struct xk_sim_observer observer; /* the first member */
    struct xk_sim_check_work *work;
    struct xk_sim_thread *thread;
    void *extra; /* of the checker that lives elsewhere */
    /* Instructions to come that the checker that lives elsewhere has nothing to
     * say of. */
    uint64_t quiet;
    bool is_quiet;       /* the one in hand is one of quiet */
    bool is_unready;     /* it is of a stretch: only what is undefined counts */
    uint32_t mask, open; /* of the one in hand: lanes; barriers signalled */
    /* A bit per byte of the image, then a bit per flag bit: defined. */
    uint64_t def[XK_CHECK_IMAGE_W + 2];
    /* Grows when something becomes undefined. good_age has, for each stretch,
     * the age at which all of its needs were defined. */
    uint64_t age;
    uint64_t *good_age;
    uint32_t signals; /* of barriers, by this thread */
    uint32_t
        *known; /* per thread of the group: how many of its signals this thread
                   has waited for; what that thread did before them is over */
    uint32_t loading; /* SBIDs of loads not waited for */
    uint32_t load_inst[XK_CHECK_SBIDS];
    uint32_t fencing;                      /* SBIDs of fences not waited for */
    uint32_t fence_covers[XK_CHECK_SBIDS]; /* stores, of pending[] */
    uint32_t n_pending;
    bool pending_lost; /* too many: nothing is said about fences */
    struct xk_check_store pending[XK_CHECK_PENDING];
    uint32_t n_fenced; /* signalled, and fenced since: visible to threads that
                          wait for a later signal */
    struct xk_check_store fenced[XK_CHECK_PENDING];
    uint32_t next_slm;
    struct xk_check_slm slm[XK_CHECK_SLM];
};

/* What the checkers keep of a thread. */
static inline struct xk_sim_check_thread *
xk_check_of(const struct xk_sim_thread *t)
{
    return (struct xk_sim_check_thread *)t->observer[XK_SIM_INNER];
}

/* Who touched memory. 0: nobody. Else bit 63 is 1, bit 62: written without a
 * fence before the barrier, [61:37] barriers signalled before, [36:26] thread,
 * [25:0] instruction. */
typedef uint64_t xk_check_key;
#define XK_KEY_DIRTY (UINT64_C(1) << 62)

static inline uint32_t xk_key_inst(xk_check_key k)
{
    return (uint32_t)k & 0x3ffffff;
}

static inline uint32_t xk_key_thread(xk_check_key k)
{
    return (uint32_t)(k >> 26) & 0x7ff;
}

static inline uint32_t xk_key_signals(xk_check_key k)
{
    return (uint32_t)(k >> 37) & 0x1ffffff;
}

/* Who touched each piece: the last writer, and two readers (or users of
 * atomics) of different threads: those that signalled the most barriers
 * before. */
#define XK_CHECK_PIECES 16
struct xk_check_cells {
    xk_check_key w[XK_CHECK_PIECES];
    xk_check_key r1[XK_CHECK_PIECES], r2[XK_CHECK_PIECES];
};
struct xk_check_atoms {
    xk_check_key a1[XK_CHECK_PIECES], a2[XK_CHECK_PIECES];
};

/* 64 bytes of memory that a unit touched. Mostly one instruction is the only
 * reader, or the only writer: then it is kept once, with a bit per byte.
 * Otherwise there is a cell for each piece. A piece is a dword, or a byte from
 * the first access to less than a dword on, 16 to a record of cells. */
struct xk_check_line {
    uint64_t key;   /* address / 64, SLM: with the top bit; + 1 */
    uint64_t def;   /* SLM, scratch: bytes that hold something defined */
    uint32_t owner; /* scratch: thread + 1 */
    bool bytes, written;
    bool odd;                  /* an access was not to whole dwords */
    uint64_t r, w;             /* bytes read, and written; not so with atoms */
    xk_check_key r_all, w_all; /* without cells: by whom */
    struct xk_check_cells *cells; /* NULL, 1, or 4 where bytes */
    struct xk_check_atoms *atoms; /* NULL or as many */
};

struct xk_check_chunk {
    struct xk_check_chunk *next;
    size_t used_b, size_b;
    uint64_t data[];
};

/* Memory for a unit, given back at once. */
struct xk_check_arena {
    struct xk_check_chunk *first, *now;
};

struct xk_check_slot {
    uint64_t key, generation;
    struct xk_check_line *line;
};

struct xk_check_lines {
    struct xk_check_slot *slot; /* open addressing, size a power of two */
    size_t n_slots, n;
    uint64_t generation; /* other slots are free */
    struct xk_check_line *last;
    struct xk_check_line **all; /* n of them, in the order of first touches */
    size_t n_all;
    struct xk_check_arena arena;
};

struct xk_check_seen {
    uint32_t check, inst[2]; /* compared with later findings */
};

/* A plain load beside atomics. It is a race unless its thread changes the same
 * memory atomically later, and so notices that the value was old. */
struct xk_check_beside {
    uint64_t addr;
    uint32_t n_b;
    uint8_t space;
    xk_check_key reader, changer;
};

#define XK_CHECK_UNIT_MOST 64

struct xk_check_record {
    uint64_t unit;
    uint32_t order; /* in the unit */
    struct xk_check_seen seen;
    struct xk_sim_finding finding;
};

/* A lock that a thread of the unit took (check_locks.c); key 0: none. */
struct xk_check_lock {
    uint64_t key;
    uint32_t thread, signals; /* and how many it had sent then */
};

/* What one host thread works with. */
struct xk_sim_check_work {
    struct xk_sim_check_run *run;
    struct xk_sim_thread *threads;
    struct xk_sim_check_thread *thread;
    uint32_t n_threads;
    uint64_t unit;
    bool no_memory;
    /* Per barrier and thread of the group: the signals that the current phase
     * stands for, and those of the last phase that was completed. */
    uint32_t *joining, *joined;
    uint32_t phase[XK_SIM_BARRIERS]; /* of the group's barriers, as last seen */
    uint32_t n_group;                /* threads of a group */
    struct xk_pairs *pairs;          /* NULL: they do not run in step */
    void *extra;                     /* of the checker that lives elsewhere */
    uint32_t n_seen;
    struct xk_check_seen seen[XK_CHECK_UNIT_MOST];
    /* The instruction in hand. */
    unsigned n_notes, n_spans;
    bool notes_lost, storing;
    uint8_t spaces;    /* of the notes: bits of enum xk_check_space */
    struct xk_msg msg; /* its message, where dynamic decoded now */
    uint32_t beyond_b; /* of a widened load: bytes behind its buffer */
    struct xk_check_note note[XK_CHECK_NOTES];
    struct xk_check_span span[XK_CHECK_NOTES];
    struct xk_check_lines lines;
    unsigned n_beside;
    struct xk_check_beside beside[XK_CHECK_UNIT_MOST];
    struct xk_check_lock lock;
    uint64_t *held; /* of the kernel's instructions; NULL: it takes no lock */
};

/* Memory across units: who was the first to read and to write a piece. */
struct xk_check_origin {
    uint32_t unit_1; /* unit + 1, 0: nobody */
    uint32_t who;    /* thread << 21 | instruction */
};
struct xk_check_firsts {
    struct xk_check_origin w[XK_CHECK_PIECES], r[XK_CHECK_PIECES],
        a[XK_CHECK_PIECES];
};
struct xk_check_gline {
    uint64_t r, w, a; /* bytes that somebody read, wrote, changed atomically */
    struct xk_check_origin r_all, w_all; /* without firsts: who */
    bool bytes;
    struct xk_check_firsts *firsts; /* NULL, 1, or 4 where bytes */
};
struct xk_check_gslot {
    uint64_t key;
    struct xk_check_gline *line;
};

struct xk_sim_check_run {
    const struct xk_sim_run *run;
    struct xk_alloc alloc;
    uint32_t on;
    struct xk_check_inst *inst; /* of the kernel */
    struct xk_check_stretch *stretch;
    uint32_t n_stretches;
    struct xk_check_need *need; /* of all stretches */
    const struct xk_sim_checker *extra;
    size_t extra_b;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t turned;
    uint64_t turn, bad; /* next unit to merge; first that faulted */
    bool no_memory;
    struct xk_check_record *record;
    size_t n_records, room;
    struct xk_check_gslot *gslot;
    size_t n_gslots, n_g;
    struct xk_check_arena arena;
    uint64_t *held; /* as of a unit, of all that were merged */
};

static inline bool xk_check_on(const struct xk_sim_check_thread *c,
                               uint32_t check)
{
    return c->work->run->on & check;
}

/* check_report.c. Parties in the order of struct xk_sim_finding; a->inst may be
 * UINT32_MAX. b and place may be NULL. */
void xk_check_record(struct xk_sim_check_work *w, uint32_t check,
                     const struct xk_sim_who *a, const struct xk_sim_who *b,
                     const struct xk_sim_place *place, const char *why);

/* Where the search for a line begins: neighbours lie side by side. */
static inline size_t xk_check_line_hash(uint64_t key)
{
    return (size_t)((key >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 20 << 3 |
                    (key & 7));
}

/* check_lines.c */
void *xk_check_arena_get(const struct xk_alloc *a, struct xk_check_arena *m,
                         size_t n_b); /* zeroed; NULL: out of memory */
void xk_check_arena_reset(struct xk_check_arena *m);
void xk_check_arena_fini(const struct xk_alloc *a, struct xk_check_arena *m);
void xk_check_lines_reset(struct xk_check_lines *m);
void xk_check_lines_fini(const struct xk_alloc *a, struct xk_check_lines *m);
/* Gives a line cells; false: out of memory. */
bool xk_check_line_spread(struct xk_sim_check_work *w, struct xk_check_line *l);

/* check_memory.c. Judges the notes of e, which was executed: races, and SLM
 * that nobody fenced. */
void xk_check_accesses(struct xk_sim_check_thread *c,
                       const struct xk_sim_inst *e);
/* The unit is over: reports the loads beside atomics that nothing excused. */
void xk_check_accesses_end(struct xk_sim_check_work *w);

/* check_marks.c. Defined bytes of SLM or scratch, 64 bytes at most; bit 0 is
 * addr. */
uint64_t xk_check_get_def(struct xk_sim_check_thread *c, uint8_t space,
                          uint64_t addr, uint32_t n_b);
void xk_check_set_def(struct xk_sim_check_thread *c, uint8_t space,
                      uint64_t addr, uint32_t n_b, uint64_t def);
/* Marks or unmarks what *c's thread wrote of SLM as not covered by a fence. */
void xk_check_set_dirty(struct xk_sim_check_thread *c,
                        const struct xk_check_store *s, bool dirty);

/* check_locks.c. For a run, and for a host thread; false: out of memory. */
bool xk_check_locks_create(struct xk_sim_check_run *r);
bool xk_check_locks_of_unit(struct xk_sim_check_work *w);
void xk_check_locks_begin(struct xk_sim_check_work *w);
/* Before the accesses of e, which was executed, are judged. */
void xk_check_locks(struct xk_sim_check_thread *c, const struct xk_sim_inst *e);
/* Before the unit's accesses are judged against others. */
void xk_check_locks_merge(struct xk_sim_check_work *w);
/* Whether both instructions stood under one lock: of two threads of the unit,
 * of two units. */
bool xk_check_locked_in_unit(const struct xk_sim_check_work *w, uint32_t a,
                             uint32_t b);
bool xk_check_locked_units(const struct xk_sim_check_run *r, uint32_t a,
                           uint32_t b);

/* check_units.c: judges what the unit touched against all units before it. */
void xk_check_merge(struct xk_sim_check_work *w);

/* n ones from bit 0 on, n <= 64 */
static inline uint64_t xk_check_low_bits(uint32_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static inline bool xk_check_is_flag(uint32_t at_b)
{
    return at_b >= XK_RF_FLAG && at_b < XK_RF_A0;
}

/* Whether e writes the flags of its lanes: sel and csel only compare. */
static inline bool xk_check_sets_flags(const struct xk_sim_inst *e)
{
    return e->in.cond && e->in.op != XK_OPC_SEL && e->in.op != XK_OPC_CSEL;
}

/* check_plan.c */
void xk_check_plan(const struct xk_sim_kernel *k, const struct xk_sim_inst *e,
                   struct xk_check_inst *out);

/* check_dpas.c; the thread of a pair that comes second stands for both */
void xk_check_dpas(struct xk_sim_check_thread *c, const struct xk_sim_inst *e,
                   const struct xk_check_inst *p, uint32_t mask);

/* check_init.c */
void xk_check_init_start(struct xk_sim_check_thread *c);
void xk_check_init_before(struct xk_sim_check_thread *c,
                          const struct xk_sim_inst *e, uint32_t mask);
/* What xk_check_defined asks where the bytes are not in one word of bits. */
bool xk_check_row_defined(const struct xk_sim_check_thread *c, uint32_t at_b,
                          uint32_t n_b);
static inline bool xk_check_defined(const struct xk_sim_check_thread *c,
                                    uint32_t at_b, uint32_t n_b)
{
    const uint32_t bit = at_b % 64;
    if (bit + n_b > 64)
        return xk_check_row_defined(c, at_b, n_b);
    const uint64_t want = xk_check_low_bits(n_b) << bit;
    return (c->def[at_b / 64] & want) == want;
}
/* Reports the first of the bytes that is not; role and lane are the report's.
 */
void xk_check_need_defined(struct xk_sim_check_thread *c,
                           const struct xk_sim_inst *e, uint32_t at_b,
                           uint32_t n_b, const char *role, unsigned lane);
/* n_b <= 64 */
uint64_t xk_check_get_bits(const struct xk_sim_check_thread *c, uint32_t at_b,
                           uint32_t n_b);
void xk_check_put_bits(struct xk_sim_check_thread *c, uint32_t at_b,
                       uint32_t n_b, uint64_t bits);
void xk_check_put(struct xk_sim_check_thread *c, uint32_t at_b, uint32_t n_b,
                  bool defined);
/* The lanes of `lanes` whose predicate has flag bits that somebody wrote. */
uint32_t xk_check_pred_ok(const struct xk_sim_check_thread *c,
                          const struct xk_sim_inst *e, uint32_t lanes);
/* Reports the register bytes. */
void xk_check_undefined(struct xk_sim_check_thread *c,
                        const struct xk_sim_inst *e, uint32_t at_b,
                        const char *role, unsigned lane);

/* check_stretch.c; false: out of memory. Needs c->inst. */
bool xk_check_stretches(struct xk_sim_check_run *c);
/* Notes what the next n instructions, of *s, wait for. True: they have nothing
 * else to tell; false: something that they read or write may be undefined. */
bool xk_check_is_quiet(struct xk_sim_check_thread *c,
                       const struct xk_check_stretch *s, uint32_t n);

/* check_send.c */
void xk_check_send_before(struct xk_sim_check_thread *c,
                          const struct xk_sim_inst *e, uint32_t mask);
void xk_check_send_after(struct xk_sim_check_thread *c,
                         const struct xk_sim_inst *e, uint32_t mask);

/* check_typed.c: false where the message is none of its kind */
bool xk_check_typed_before(struct xk_sim_check_thread *c,
                           const struct xk_sim_inst *e, const struct xk_msg *m,
                           uint32_t lanes);
bool xk_check_typed_after(struct xk_sim_check_thread *c,
                          const struct xk_sim_inst *e, const struct xk_msg *m,
                          uint32_t lanes);

void xk_check_sample_before(struct xk_sim_check_thread *c,
                            const struct xk_sim_inst *e, uint32_t lanes);
bool xk_check_sample_after(struct xk_sim_check_thread *c,
                           const struct xk_sim_inst *e, uint32_t lanes);

/* check_sync.c */
/* Whether *c's thread waited for a barrier that thread `writer` signalled after
 * a fence covered what it wrote at the address in SLM. */
bool xk_check_is_fenced(const struct xk_sim_check_thread *c, uint32_t writer,
                        uint32_t at_b);
void xk_check_sync_before(struct xk_sim_check_thread *c,
                          const struct xk_sim_inst *e, uint32_t mask);
/* open: barriers that the thread had signalled before it. */
void xk_check_sync_after(struct xk_sim_check_thread *c,
                         const struct xk_sim_inst *e, uint32_t open,
                         uint32_t mask);

static inline const struct xk_msg *
xk_check_msg(const struct xk_sim_check_thread *c, const struct xk_sim_inst *e)
{
    return e->in.send.desc_reg || e->msg.unknown_src1 ? &c->work->msg : &e->msg;
}

/* -- check_slm.c -- */

/* e, a message to shared local memory, was executed: notes its bytes. */
void xk_check_slm_note(struct xk_sim_check_thread *c,
                       const struct xk_sim_inst *e);
/* Whether the last executions of two instructions touched a byte that is the
 * same; true where that is not known. */
bool xk_check_slm_meet(const struct xk_sim_check_thread *c, uint32_t first,
                       uint32_t second);

#endif
