/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the header pass share. Internal to passes/. */
#ifndef XK_PASSES_HEADER_H
#define XK_PASSES_HEADER_H

#include "isa/isa.h"
#include "passes/walk.h"

/* Addresses that a loop keeps: so many bases, so many headers of a kind, and so
 * many registers of headers of a kind. Further messages compute the address
 * anew, and reuse a header whose message has taken it. */
enum {
    XK_HD_MAX_TERMS = 24,
    XK_HD_MAX_BASES = 4,
    XK_HD_MAX_RING = 4,
    XK_HD_MAX_RING_GRF = 8
};
enum { XK_HD_MAX_RINGS = 4 };
/* Headers that are advanced: so many in a loop, in a buffer at most so many
 * that move together. */
enum { XK_HD_MAX_MOVING = 24, XK_HD_MAX_TOGETHER = 8, XK_HD_MAX_ROUND = 18 };
enum { XK_HD_MAX_PLACES = 8 }; /* that move together */

struct xk_hd_term {
    const xk_expr *e;
    int64_t coef;
    bool scalar; /* the same for all lanes */
    bool varies; /* with the innermost loop */
};

struct xk_hd_sum {
    unsigned n;
    struct xk_hd_term term[XK_HD_MAX_TERMS];
    int64_t constant; /* bytes; belongs to neither part */
    bool overflow;
};

/* A part of a sum: what differs by lane and what does not; NULL: nothing. */
struct xk_hd_part {
    const xk_expr *vec, *scalar;
};

/* What goes before a loop, in order: a let, an allocation or a store. */
struct xk_hd_item {
    struct xk_hd_item *next;
    enum xk_op op;
    const xk_expr *var, *value; /* STORE: the address is in var */
    unsigned size_b;            /* ALLOC */
};

/* A base that messages of a loop can share. */
struct xk_hd_base {
    struct xk_hd_base *next;
    const xk_expr *mem, *vec, *scalar, *mask; /* what it was made from */
    int64_t constant;
    const xk_expr *var; /* address type; scalar if vec is NULL */
};

/* Headers of one kind that the messages of a loop take in turn. */
struct xk_hd_ring {
    enum xk_dtype dt;
    unsigned lanes, n, next;
    const xk_expr *header[XK_HD_MAX_RING];
};

/* Headers that move by the same number of bytes, one behind the other in one
 * buffer, so that an instruction moves 16 lanes of them. A scalar address takes
 * 8 lanes, of which the message reads one. */
struct xk_hd_mover {
    struct xk_hd_mover *next;
    const xk_expr *buf; /* pointer variable */
    int64_t step_b;
    unsigned n, lanes; /* headers; lanes of all */
    /* Iterations after which all move by step_b: each of a round has headers of
     * its own, one round behind the other. 1: all share them. */
    unsigned round;
    const xk_expr *round_b; /* stands for the bytes from one to the next */
    struct {
        const xk_expr **start; /* of each iteration of a round, one step before
                                  its first */
        unsigned lane;         /* where it is in the buffer */
    } header[XK_HD_MAX_TOGETHER];
};

/* Places that a stage's messages have in each iteration of a round, a scalar
 * each, in one buffer behind how far all have moved. A header is a place, that,
 * and what differs from lane to lane. */
struct xk_hd_places {
    struct xk_hd_places *next;
    const xk_expr *buf; /* pointer variable */
    int64_t step_b;     /* after a round */
    unsigned stage, round, every, n;
    struct {
        const xk_expr **start;      /* of each iteration of the first round */
        const xk_expr *lanes, *vec; /* what the lanes add; its variable */
    } place[XK_HD_MAX_PLACES];
};

struct xk_hd_loop {
    struct xk_hd_loop *outer;
    const xk_expr *var;
    unsigned level;  /* 1: outermost */
    unsigned n_ifs;  /* around the place, inside the loop */
    int64_t first;   /* value of var in the first iteration */
    int64_t step;    /* of var */
    unsigned copies; /* of a pipe's body, which knows var modulo them; else 1 */
    unsigned every; /* the place is reached in each iteration that is a multiple
                       of that */
    bool first_known;
    struct xk_hd_item *items, **tail;
    struct xk_hd_base *bases;
    unsigned n_bases, n_rings, n_moving;
    unsigned moving_grf, inner_grf; /* of headers that move; of loops inside */
    struct xk_hd_ring ring[XK_HD_MAX_RINGS];
    struct xk_hd_mover *movers; /* of the stage, or of the loop's body */
    struct xk_hd_places *places;
    unsigned stage; /* of a pipe */
};

/* The message that is being rewritten. */
struct xk_hd_message {
    const struct xk_send *send;
    const xk_expr *mem, *off, *reg, *mask;
    enum xk_dtype dt; /* of an address */
    unsigned lanes;
};

struct xk_hd_pass {
    xk_ctx *c;
    const struct xk_kernel *k;
    const struct xk_pass_env *env;
    xk_facts *facts;
    struct xk_arena arena;
    struct xk_levels levels; /* by the place where a variable is bound */
    struct xk_memo lets;     /* variable: value of its LET */
    struct xk_memo slm;      /* buffer in SLM: where it begins, a constant */
    uint32_t slm_b;          /* of the buffers that are in force */
    struct xk_hd_loop *loop; /* innermost */
};

/* The value of the LET that binds var; NULL: none is known. */
const xk_expr *xk_hd_let_value(const struct xk_hd_pass *p, const xk_expr *var);

/* header_sum.c. s += coef * e; scalar: e is the same for all lanes. */
void xk_hd_split(struct xk_hd_pass *p, struct xk_hd_sum *s, const xk_expr *e,
                 int64_t coef, bool scalar);
/* The terms of s that vary with the innermost loop, or those that do not. */
struct xk_hd_part xk_hd_part_of(xk_ctx *c, const struct xk_hd_sum *s,
                                bool varies);
void xk_hd_add_constant(xk_ctx *c, struct xk_hd_part *part, int64_t v);

/* header_place.c. What offsets are added to: the pointer, or where it is in its
 * surface. */
const xk_expr *xk_hd_origin(struct xk_hd_pass *p,
                            const struct xk_hd_message *m);
/* start + cast(part), where start is a scalar or has the message's lanes. */
const xk_expr *xk_hd_advance(xk_ctx *c, enum xk_dtype dt, const xk_expr *start,
                             const struct xk_hd_part *part);
const xk_expr *xk_hd_to_lanes(xk_ctx *c, const xk_expr *e, unsigned lanes);
const xk_expr *xk_hd_whole_address(struct xk_hd_pass *p,
                                   const struct xk_hd_message *m);
/* Before the innermost loop, in the order of the calls. */
struct xk_hd_item *xk_hd_push_item(struct xk_hd_pass *p, enum xk_op op,
                                   const xk_expr *var, const xk_expr *value);
void xk_hd_push_alloc(struct xk_hd_pass *p, const xk_expr *var,
                      unsigned size_b);
const xk_stmt *xk_hd_place_items(struct xk_hd_pass *p,
                                 const struct xk_hd_item *it,
                                 const xk_stmt *loop);
/* Whole registers of n_b bytes; of a message's header. */
struct xk_alloc_info xk_hd_registers(const struct xk_hd_pass *p, unsigned n_b);
struct xk_alloc_info xk_hd_header_info(const struct xk_hd_pass *p,
                                       const struct xk_hd_message *m);
/* The header, a new one in front of the loop or one whose message has taken it,
 * for a message whose address changes in the loop. */
const xk_expr *xk_hd_take_header(struct xk_hd_pass *p,
                                 const struct xk_hd_message *m,
                                 const xk_expr *fresh);
/* The store of the header, then the message. */
const xk_stmt *xk_hd_fill_and_send(struct xk_hd_pass *p,
                                   const struct xk_hd_message *m,
                                   const xk_expr *header,
                                   const xk_expr *address);
/* The message with its header at a place; at the start of a buffer. */
const xk_stmt *xk_hd_send_at(struct xk_hd_pass *p,
                             const struct xk_hd_message *m,
                             const xk_expr *place);
const xk_expr *xk_hd_header_ptr(xk_ctx *c, const xk_expr *header);
const xk_stmt *xk_hd_send_with(struct xk_hd_pass *p,
                               const struct xk_hd_message *m,
                               const xk_expr *header);

/* Which of a round's iterations the loop is in, of those that reach the place.
 */
static inline const xk_expr *xk_hd_turn(const struct xk_hd_pass *p,
                                        unsigned round)
{
    const unsigned every = p->loop->every;
    const xk_expr *const i =
        xk_bin_imm(p->c, XK_OP_MOD, p->loop->var, round * every);
    return every > 1 ? xk_bin_imm(p->c, XK_OP_DIV, i, every) : i;
}

/* header_move.c. The message with a header that moves, or NULL without an
 * error: it cannot. */
const xk_stmt *xk_hd_move_send(struct xk_hd_pass *p,
                               const struct xk_hd_message *m,
                               const struct xk_hd_sum *s);
/* header_round.c. The same for an address that moves evenly from round to round
 * of the loop's copies alone: places of K that lie inside for some lanes. */
const xk_stmt *xk_hd_round_send(struct xk_hd_pass *p,
                                const struct xk_hd_message *m);
/* header_scalar.c. The same where lanes differ by the same in each iteration:
 * the places of the first lanes, NULL where there is none. */
const xk_stmt *xk_hd_place_send(struct xk_hd_pass *p,
                                const struct xk_hd_message *m,
                                const xk_expr **start, const xk_expr *lanes,
                                int64_t step_b, unsigned round);
/* Fills the places of a loop that ends, in front of it. */
void xk_hd_fill_places(struct xk_hd_pass *p);
/* Bytes per iteration of var if the sum grows by a constant. */
bool xk_hd_moves_evenly(const struct xk_hd_pass *p,
                        const struct xk_hd_message *m,
                        const struct xk_hd_sum *s, const xk_expr *var,
                        int64_t *step_b);
/* The buffer for one more header of this step; NULL on out of memory. */
struct xk_hd_mover *xk_hd_mover_for(struct xk_hd_pass *p, int64_t step_b,
                                    unsigned round);
/* The address one step before the first iteration. */
const xk_expr *xk_hd_address_before(struct xk_hd_pass *p,
                                    const struct xk_hd_message *m,
                                    const struct xk_hd_sum *s, int64_t step_b,
                                    unsigned lanes);
/* Takes so many registers for a message's headers that move; false: there are
 * none left. */
bool xk_hd_reserve(struct xk_hd_pass *p, unsigned grf);
/* Registers of so many dwords. */
unsigned xk_hd_grf_of(const struct xk_hd_pass *p, unsigned dwords);
/* Lanes of a message as a header that moves has them: one register or two. */
unsigned xk_hd_whole_lanes(const struct xk_hd_pass *p, unsigned lanes);
/* Where header `at` (a lane) of the mover is in this iteration. */
const xk_expr *xk_hd_mover_ptr(struct xk_hd_pass *p,
                               const struct xk_hd_mover *v, unsigned at);
/* The message with one more header in the mover, which begins at *start. */
const xk_stmt *xk_hd_send_moved(struct xk_hd_pass *p,
                                const struct xk_hd_message *m,
                                struct xk_hd_mover *v, const xk_expr **start,
                                unsigned lanes);
/* A stage's or a loop's body with the moves of its headers in front. */
const xk_stmt *xk_hd_place_movers(struct xk_hd_pass *p, const xk_stmt *body);

#endif
