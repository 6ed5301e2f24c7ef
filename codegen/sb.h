/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the scoreboard pass: what instructions touch, and what is known to
 * be under way at a point of the program. */
#ifndef XK_CODEGEN_SB_H
#define XK_CODEGEN_SB_H

#include "base/ctx.h"
#include "isa/isa.h"

/* Resources: GRFs, flag subregisters, accumulators (as one), a0, and all other
 * state registers (as one). */
enum {
    XK_SB_GRF = 0,
    XK_SB_FLAG = 256,
    XK_SB_ACC = XK_SB_FLAG + 8,
    XK_SB_A0,
    XK_SB_STATE,
    XK_SB_N_RES
};

/* In-order pipes; the rest (math, dpas, send) is tracked by tokens. */
enum { XK_SB_F, XK_SB_I, XK_SB_L, XK_SB_N_PIPES, XK_SB_OOO, XK_SB_NOWHERE };

struct xk_sb_span {
    uint16_t first, end; /* resources */
};

struct xk_sb_access {
    uint8_t pipe; /* XK_SB_F .. XK_SB_NOWHERE */
    uint8_t n_rd, n_wr;
    int8_t token; /* OOO: -1 until one is given */
    struct xk_sb_span rd[8], wr[4];
};

/* A stamp is the pipe's count when the instruction was issued. */
#define XK_SB_NEVER (-(1 << 28))
struct xk_sb_resource {
    int32_t wr[XK_SB_N_PIPES], rd[XK_SB_N_PIPES]; /* last stamps */
    uint32_t tok_wr; /* tokens that will still write it */
    uint32_t tok_rd; /* tokens that will still read it */
};

struct xk_sb_state {
    int32_t count[XK_SB_N_PIPES];
    int32_t done[XK_SB_N_PIPES]; /* stamps up to here are complete */
    struct xk_sb_resource res[XK_SB_N_RES];
    uint32_t busy; /* tokens not known to be complete */
};

/* What an instruction must wait for. */
struct xk_sb_need {
    int32_t dist[XK_SB_N_PIPES]; /* 0: nothing */
    uint32_t dst, src;           /* tokens */
};

void xk_sb_access_of(const struct xk_platform *p, const struct xk_inst *i,
                     struct xk_sb_access *a);

void xk_sb_state_clear(struct xk_sb_state *s);
void xk_sb_need_of(const struct xk_sb_state *s, const struct xk_sb_access *a,
                   struct xk_sb_need *n);
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

#endif
