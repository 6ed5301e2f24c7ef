/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the scoreboard pass: what instructions touch, and what is known to
 * be under way at a point of the program. */
#ifndef XK_CODEGEN_SB_H
#define XK_CODEGEN_SB_H

#include "base/ctx.h"
#include "isa/product.h"

/* Resources: GRFs, flag halves, accumulators, a0, and all other state
 * registers (as one). */
enum {
    XK_SB_GRF = 0,
    XK_SB_FLAG = 256,
    XK_SB_ACC = XK_SB_FLAG + 8,
    XK_SB_A0 = XK_SB_ACC + 16,
    XK_SB_STATE,
    XK_SB_N_RES
};

/* In-order pipes (one-pipe platforms use the first); the rest (messages, dpas,
 * math where it is no pipe) is tracked by tokens. */
enum {
    XK_SB_F,
    XK_SB_I,
    XK_SB_L,
    XK_SB_M,
    XK_SB_N_PIPES,
    XK_SB_OOO,
    XK_SB_NOWHERE
};

/* What annotations of a platform can say, and what its hardware needs beyond
 * the common rules. */
struct xk_sb_caps {
    uint8_t n_pipes;
    uint8_t name[XK_SB_N_PIPES]; /* enum xk_pipe of a distance */
    uint8_t all;                 /* the name for all of them */
    uint8_t send_pipes;   /* bit k: name k may stand beside a message's token */
    bool src_joins;       /* own-pipe distance with a wait for sources */
    bool all_joins_dst;   /* all-pipe distance with a wait for a destination */
    bool arf_interlocked; /* flags, acc, a0 need no distance in order */
    bool bytes_merge;     /* a byte write reads the word around it */
    bool a0_drains;       /* a write of a0 waits for all pipes */
    bool slm_read_drains; /* SLM stores and fences wait for SLM loads */
    bool payload_by_dst;  /* a message's payload is free when it is complete */
};
/* NULL: no such platform. */
const struct xk_sb_caps *xk_sb_caps_get(const struct xk_platform *p);

struct xk_sb_span {
    uint16_t first, end; /* resources */
    uint16_t dwords;     /* of a part of one GRF: a bit each; 0: all of it */
};

enum xk_sb_kind { XK_SB_ALU, XK_SB_BRANCH, XK_SB_MATH, XK_SB_DPAS, XK_SB_SEND };

struct xk_sb_access {
    uint8_t pipe;             /* XK_SB_F .. XK_SB_NOWHERE */
    uint8_t kind;             /* enum xk_sb_kind */
    bool slm_load, slm_order; /* SLM load; SLM store or fence */
    bool follows;             /* shares the token of the one before it */
    uint8_t n_rd, n_wr;
    int8_t token; /* OOO: -1 until one is given */
    struct xk_sb_span rd[12], wr[8];
};

/* A stamp is the pipe's count when the instruction was issued. Small, since the
 * whole state is copied and joined block by block; counts are rebased in time.
 */
#define XK_SB_NEVER (-30000)
#define XK_SB_MAX_COUNT 30000
struct xk_sb_state {
    const struct xk_sb_caps *caps;
    int32_t count[XK_SB_N_PIPES];
    int32_t done[XK_SB_N_PIPES]; /* stamps up to here are complete */
    uint32_t busy;               /* tokens not known to be complete */
    uint32_t send;               /* of these, those of messages */
    uint32_t slm;                /* and those of SLM loads */
    /* Per resource: last stamps, and tokens that will still write or read. */
    int16_t wr[XK_SB_N_PIPES][XK_SB_N_RES], rd[XK_SB_N_PIPES][XK_SB_N_RES];
    uint32_t tok_wr[XK_SB_N_RES], tok_rd[XK_SB_N_RES];
    uint8_t seen[XK_SB_N_RES]; /* bit p: pipe p may have a stamp here */
};

/* What an instruction must wait for. */
struct xk_sb_need {
    uint32_t dst, src; /* tokens */
    uint32_t pipes;    /* bit p: dist[p] is set */
    int32_t dist[XK_SB_N_PIPES];
};

/* Synchronisation that only the pass writes. */
static inline bool xk_sb_is_ours(const struct xk_inst *i)
{
    return i->op == XK_OPC_SYNC &&
           (i->sync_fn == XK_SYNC_NOP || i->sync_fn == XK_SYNC_ALLRD ||
            i->sync_fn == XK_SYNC_ALLWR);
}

void xk_sb_access_of(const struct xk_platform *p, const struct xk_inst *i,
                     struct xk_sb_access *a);

/* Those of a list; the caller's to xk_free, NULL on failure. */
struct xk_sb_access *xk_sb_accesses(xk_ctx *c, const struct xk_platform *p,
                                    const struct xk_inst *in, unsigned n);

/* Instructions, and what each of them accesses. */
struct xk_sb_list {
    const struct xk_inst *inst;
    struct xk_sb_access *access;
    unsigned n;
};

/* xk_scoreboard for a device on a list whose accesses are known, of a platform
 * with caps. It gives them their tokens. */
enum xk_status xk_sb_annotate(xk_ctx *c, const struct xk_wa_device *d,
                              const struct xk_sb_list *in, struct xk_inst **out,
                              unsigned *n_out);

/* The pipe that a distance without a pipe's name means: that of the sources'
 * types. XK_SB_NOWHERE if they do not agree. */
unsigned xk_sb_pipe_of_sources(const struct xk_platform *p,
                               const struct xk_inst *i);

void xk_sb_state_clear(struct xk_sb_state *s, const struct xk_sb_caps *caps);
void xk_sb_need_of(const struct xk_sb_state *s, const struct xk_sb_access *a,
                   struct xk_sb_need *n);
/* All that is under way. */
void xk_sb_need_all(const struct xk_sb_state *s, struct xk_sb_need *n);
/* Waits that a loop's instructions should not have to do in each round. */
void xk_sb_need_of_loop(const struct xk_sb_state *s, struct xk_sb_need *n);
/* Tokens whose messages may still read, or write, registers. */
uint32_t xk_sb_state_reading(const struct xk_sb_state *s);
uint32_t xk_sb_state_writing(const struct xk_sb_state *s);
/* The instruction waited as `n` says (dist is what it really waited for). */
void xk_sb_state_wait(struct xk_sb_state *s, const struct xk_sb_need *n);
void xk_sb_state_issue(struct xk_sb_state *s, const struct xk_sb_access *a);
/* Makes stamps relative to the end: comparable between blocks. */
void xk_sb_state_rebase(struct xk_sb_state *s);
/* True if *into changed. Both rebased. */
bool xk_sb_state_join(struct xk_sb_state *into, const struct xk_sb_state *s);

/* Basic blocks. */
struct xk_sb_block {
    unsigned first, end; /* instructions */
    unsigned succ[3], n_succ;
    bool reached, dirty;
    bool root;            /* entered from where nothing is under way */
    bool outside, enters; /* lies in no loop; and goes on in one */
};

bool xk_sb_has_jip(const struct xk_inst *i); /* an immediate target */
bool xk_sb_has_uip(const struct xk_inst *i);
bool xk_sb_ends_thread(const struct xk_inst *i);
/* Whether it leaves for, or comes from, code that this list may not show:
 * everything is complete before it, and the list goes on behind it with nothing
 * under way. */
bool xk_sb_is_call(const struct xk_inst *i);
/* block_at[n] (zeroed) gets each instruction's block; the array is the
 * caller's to xk_free. Targets are indices, checked here. */
enum xk_status xk_sb_find_blocks(xk_ctx *c, const struct xk_inst *in,
                                 unsigned n, unsigned *block_at,
                                 struct xk_sb_block **out, unsigned *n_out);

#endif
