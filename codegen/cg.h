/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of codegen/: the state of one translation.
 *
 * Errors stick in the ctx (base/ctx.h). Emitting functions return nothing and
 * go on harmlessly after a failure; statement visitors return the status. */
#ifndef XK_CODEGEN_CG_H
#define XK_CODEGEN_CG_H

#include "binary/abi.h"
#include "codegen/map.h"
#include "ir/stmt.h"
#include "isa/isa.h"

#define XK_CG_MAX_LANES 64
#define XK_CG_N_FLAGS 4 /* f0.0 f0.1 f1.0 f1.1 */
#define XK_CG_NO_LOOP 0u

/* A register tile: n contiguous GRFs, or a slot smaller than one GRF. */
struct xk_cg_tile {
    uint32_t size_b;
    uint16_t align_b;
    bool pinned;    /* an IR buffer: long-lived, placed from the top */
    bool eot;       /* must lie in the last 16 registers of the mode */
    bool sunk;      /* a buffer whose fills went behind what came after them */
    bool dummy;     /* nobody's, as long as there are dpas (dpas_guard.c) */
    uint32_t loop;  /* innermost loop around its creation */
    uint32_t first; /* first instruction that touches it */
    uint32_t last;  /* last one, loops respected; first > last: unused */
    int32_t at_b;   /* byte address in the register file, -1: none yet */
};

/* Loop 0 is the whole kernel. */
struct xk_cg_loop {
    uint32_t parent, first, last; /* instructions, inclusive */
};

enum xk_cg_kind { XK_CG_NONE, XK_CG_IMM, XK_CG_REG, XK_CG_FLAG };

/* Where a value is. A scalar in a register serves every lane (region <0;1,0>).
 */
struct xk_cg_val {
    uint8_t kind;   /* enum xk_cg_kind */
    uint8_t dt;     /* enum xk_dtype */
    uint8_t stride; /* REG: elements between lanes; 0: scalar */
    bool zext;      /* U64 with upper half 0: the registers hold u32 */
    bool inv;       /* FLAG: true lanes are the clear bits */
    bool temp;      /* FLAG: belongs to this value alone */
    uint8_t flag;   /* FLAG: 0..3 */
    uint32_t tile, sub_b;
    int64_t imm; /* IMM: value, or a float's bits. REG: constant that is
                    still to be added (scalar u32/s32 only) */
};

struct xk_cg_range {
    int64_t lo, hi;
};

enum xk_cg_bind {
    XK_CG_UNBOUND,
    XK_CG_VALUE,
    XK_CG_BUFFER,
    XK_CG_BOOL_WORD,
};

/* What a variable stands for. */
struct xk_cg_var {
    uint8_t bind;         /* enum xk_cg_bind */
    struct xk_cg_val val; /* BUFFER: tile; BOOL_WORD: the u16 that keeps it */
    struct xk_cg_range range;
    int64_t mod, res; /* value % mod == res, where mod > 1 */
    uint32_t size_b;  /* BUFFER */
};

/* A variable in scope: what ends with it. */
struct xk_cg_scope {
    const xk_expr *value; /* in let_at; NULL: none */
    int32_t flag;         /* -1: none */
};

struct xk_cg {
    xk_ctx *c;
    const struct xk_platform *p;
    struct xk_wa_device device; /* whose workarounds count */
    bool old_ports;             /* it forbids LSC's messages (old_port.c) */
    const struct xk_kernel *k;
    const struct xk_abi *abi;
    struct xk_inst *inst;
    uint32_t n_inst, cap_inst;
    struct xk_inst spare; /* written to after a failed allocation */
    struct xk_cg_tile *tile;
    uint32_t n_tiles, cap_tiles;
    struct xk_cg_loop *loop;
    uint32_t n_loops, cap_loops, cur_loop;
    uint32_t *label; /* label id -> instruction index */
    uint32_t n_labels, cap_labels;
    struct xk_cg_map var_at; /* variable id -> index in var */
    struct xk_cg_var *var;
    uint32_t n_vars, cap_vars;
    struct xk_cg_map memo_at; /* serial -> index in memo, one statement */
    struct xk_cg_val *memo;
    uint32_t n_memo, cap_memo;
    struct xk_cg_map let_at;   /* serial of a value -> index in var, plus 1: the
                                  variable in scope that has this value */
    struct xk_cg_scope *scope; /* of variables, the innermost last */
    uint32_t n_scopes, cap_scopes;
    struct xk_cg_map last_use;    /* variable id + 1 -> statement number + 1 */
    struct xk_cg_map first_write; /* LOAD's serial -> statement number + 1 of
                                     the next write to its buffer */
    struct xk_cg_map range_at;    /* serial -> index in range */
    struct xk_cg_range *range;
    uint32_t n_ranges, cap_ranges;
    bool flag_used[XK_CG_N_FLAGS];
    uint8_t flag_next; /* where to look for a free one */
    uint32_t r0, r1;   /* tiles of the payload registers */
    uint32_t barrier;  /* tile of the barrier message, where signals are */
    bool has_ramp, has_barrier;
    uint32_t fold_work;  /* nodes visited by the current xk_cg_const */
    uint32_t lane_tile;  /* u16 0..15; made if the kernel has ramps */
    uint32_t lane_bytes; /* u32 0, 4 .. 60; made if there are old_ports */
    uint32_t n_fma, n_sends;
    uint16_t peak_grf;
    uint32_t plan_steps; /* buffers, and registers of them, that allocation
                            looked at to plan their places */
};

/* emit.c: instructions, operands, tiles, labels */
bool xk_cg_ok(const struct xk_cg *g);
uint32_t xk_cg_tile_new(struct xk_cg *g, uint32_t size_b, uint32_t align_b);
uint32_t xk_cg_label_new(struct xk_cg *g);
void xk_cg_label_here(struct xk_cg *g, uint32_t label);
void xk_cg_loop_begin(struct xk_cg *g);
void xk_cg_loop_end(struct xk_cg *g);
/* The appended instruction, valid until the next one is appended. */
struct xk_inst *xk_cg_emit(struct xk_cg *g, enum xk_opcode op, unsigned exec);
void xk_cg_jump(struct xk_cg *g, uint32_t label, const struct xk_cg_val *cond,
                bool if_true);
enum xk_reg_type xk_cg_rt(enum xk_dtype dt);
struct xk_cg_val xk_cg_imm(enum xk_dtype dt, int64_t v);
struct xk_cg_val xk_cg_reg(enum xk_dtype dt, uint32_t tile, uint32_t sub_b,
                           unsigned stride);
/* A new place for `lanes` packed lanes. */
struct xk_cg_val xk_cg_temp(struct xk_cg *g, enum xk_dtype dt, unsigned lanes);
/* Operands for lanes [first, first + n). */
struct xk_operand xk_cg_dst(const struct xk_cg_val *v, unsigned first);
struct xk_operand xk_cg_src(const struct xk_cg_val *v, unsigned first,
                            unsigned n);
struct xk_operand xk_cg_src3(const struct xk_cg_val *v, unsigned first,
                             unsigned n, unsigned slot);
struct xk_operand xk_cg_null(enum xk_reg_type t);
struct xk_operand xk_cg_flag_opnd(unsigned flag, bool src);
/* Most lanes from `first` on that one instruction may handle. */
unsigned xk_cg_piece(const struct xk_cg *g, const struct xk_cg_val *const *v,
                     unsigned n, unsigned first, unsigned left);
/* Whether writing dst piece by piece would destroy lanes of src that are still
 * to be read. */
bool xk_cg_clash(const struct xk_cg_val *dst, const struct xk_cg_val *src,
                 unsigned lanes);
void xk_cg_op1(struct xk_cg *g, enum xk_opcode op, const struct xk_cg_val *d,
               const struct xk_cg_val *a, unsigned lanes);
void xk_cg_op2(struct xk_cg *g, enum xk_opcode op, const struct xk_cg_val *d,
               const struct xk_cg_val *a, const struct xk_cg_val *b,
               unsigned lanes);
void xk_cg_op3(struct xk_cg *g, enum xk_opcode op, const struct xk_cg_val *d,
               const struct xk_cg_val *const s[3], unsigned lanes);
/* d = a with conversion between what mov can convert. */
void xk_cg_mov(struct xk_cg *g, const struct xk_cg_val *d,
               const struct xk_cg_val *a, unsigned lanes);

/* uses.c: where variables are used last and buffers are overwritten next */
enum xk_status xk_cg_find_uses(struct xk_cg *g);
/* Whether the variable of a LOAD may simply name the registers it loads. */
bool xk_cg_may_alias(const struct xk_cg *g, const xk_stmt *load);

/* cg_fold.c: what is known about values */
struct xk_cg_var *xk_cg_lookup(struct xk_cg *g, const xk_expr *var);
struct xk_cg_var *xk_cg_bind(struct xk_cg *g, const xk_expr *var);
bool xk_cg_const(struct xk_cg *g, const xk_expr *e, int64_t *v);
struct xk_cg_range xk_cg_range_of(struct xk_cg *g, const xk_expr *e);

/* cg_expr.c */
struct xk_cg_val xk_cg_eval(struct xk_cg *g, const xk_expr *e,
                            const struct xk_cg_val *want);
/* Value in registers or a constant, nothing left to be added. */
struct xk_cg_val xk_cg_eval_settled(struct xk_cg *g, const xk_expr *e,
                                    const struct xk_cg_val *want);
void xk_cg_eval_into(struct xk_cg *g, const xk_expr *e,
                     const struct xk_cg_val *dst);
struct xk_cg_val xk_cg_settle(struct xk_cg *g, struct xk_cg_val v,
                              const struct xk_cg_val *want);
/* A register whose lanes are adjacent (or a scalar), for three-source use. */
struct xk_cg_val xk_cg_packed(struct xk_cg *g, struct xk_cg_val v,
                              unsigned lanes);
/* Constants become registers. */
struct xk_cg_val xk_cg_in_reg(struct xk_cg *g, struct xk_cg_val v);
void xk_cg_memo_clear(struct xk_cg *g);
/* Float instructions demand each lane of a source at the same place within a
 * GRF as its destination. Copies v to such a place if it is not there. */
struct xk_cg_val xk_cg_align(struct xk_cg *g, struct xk_cg_val v,
                             const struct xk_cg_val *d, unsigned lanes);
/* The place for a result: *want, or new if that would clash with operands. */
struct xk_cg_val xk_cg_place(struct xk_cg *g, struct xk_type t,
                             const struct xk_cg_val *want,
                             const struct xk_cg_val *const *ops, unsigned n);

/* muldiv.c: s32 and u32 */
struct xk_cg_val xk_cg_eval_mul(struct xk_cg *g, const xk_expr *e,
                                const struct xk_cg_val *want);
struct xk_cg_val xk_cg_eval_div(struct xk_cg *g, const xk_expr *e,
                                const struct xk_cg_val *want);
/* d = a * b modulo 2^32, of registers of 32 bits; d is neither. */
void xk_cg_mul_low(struct xk_cg *g, const struct xk_cg_val *d,
                   const struct xk_cg_val *a, const struct xk_cg_val *b,
                   unsigned lanes);
/* The word'th 16 bits of each lane. */
struct xk_cg_val xk_cg_word_of(struct xk_cg_val v, unsigned word);
/* divide.c: DIV or MOD of s32 or u32 by a divisor known at run time. */
struct xk_cg_val xk_cg_divide(struct xk_cg *g, const xk_expr *e);
/* Smallest s, then M < 2^m_bits, with floor(x * M / 2^s) == floor(x / d) for
 * all 0 <= x <= hi; false if there is none. */
struct xk_cg_magic {
    uint64_t m;
    unsigned s;
};
bool xk_cg_magic_find(uint64_t d, uint64_t hi, unsigned m_bits, unsigned s_min,
                      struct xk_cg_magic *out);

/* wide.c: u64 and s64; all such values have the type u64 */
struct xk_cg_val xk_cg_eval_u64(struct xk_cg *g, const xk_expr *e,
                                const struct xk_cg_val *want);
/* One half as u32. The high half of a zero-extended value is constant 0. */
struct xk_cg_val xk_cg_half(const struct xk_cg_val *v, unsigned half);
/* a + b, in *want if it may be there. */
struct xk_cg_val xk_cg_add_u64(struct xk_cg *g, unsigned lanes,
                               struct xk_cg_val a, struct xk_cg_val b,
                               const struct xk_cg_val *want);
/* -1 where a < b, else 0; u32. */
struct xk_cg_val xk_cg_less(struct xk_cg *g, const struct xk_cg_val *a,
                            const struct xk_cg_val *b, unsigned lanes);
/* wide_arith.c */
struct xk_cg_val xk_cg_wide_arith(struct xk_cg *g, const xk_expr *e);
struct xk_cg_val xk_cg_sign_extend(struct xk_cg *g, struct xk_cg_val v,
                                   unsigned lanes);
void xk_cg_mov_u64(struct xk_cg *g, const struct xk_cg_val *d,
                   const struct xk_cg_val *a, unsigned lanes);

/* flag.c: bool */
struct xk_cg_val xk_cg_eval_bool(struct xk_cg *g, const xk_expr *e);
void xk_cg_flag_free(struct xk_cg *g, const struct xk_cg_val *v);
int xk_cg_flag_alloc(struct xk_cg *g);
void xk_cg_predicate(struct xk_inst *i, const struct xk_cg_val *flag);
void xk_cg_bind_bool(struct xk_cg *g, const xk_expr *var, const xk_expr *value);

/* cg_stmt.c, loop.c, call.c */
enum xk_status xk_cg_stmt(struct xk_cg *g, const xk_stmt *s);
enum xk_status xk_cg_for(struct xk_cg *g, const xk_stmt *s);
enum xk_status xk_cg_pipe(struct xk_cg *g, const xk_stmt *s);
enum xk_status xk_cg_call(struct xk_cg *g, const xk_stmt *s);
enum xk_status xk_cg_reorder(struct xk_cg *g, const struct xk_reorder *r,
                             const struct xk_cg_val *dst,
                             const struct xk_cg_val *src);
/* The place a PTR names: buffer tile and constant offset; kind NONE and an
 * error if it is none. */
struct xk_cg_val xk_cg_place_of(struct xk_cg *g, const xk_expr *ptr,
                                enum xk_dtype dt, unsigned lanes);

/* call.c: what every barrier signal sends, once, before the body. */
void xk_cg_barrier_message(struct xk_cg *g);

/* old_port.c: a message whose registers are known. A flag of kind NONE: all
 * lanes. */
struct xk_cg_old_send {
    const struct xk_send *s; /* no prefetch */
    struct xk_cg_val head, data, flag;
};
enum xk_status xk_cg_old_message(struct xk_cg *g,
                                 const struct xk_cg_old_send *o);
/* Where a UGM fence goes: LSC has to be named there. */
uint8_t xk_cg_fence_route(const struct xk_cg *g);
void xk_cg_old_lanes(struct xk_cg *g); /* makes lane_bytes */
/* Writes the numbers 0..7 into eight u16. */
void xk_cg_eight_lanes(struct xk_cg *g, const struct xk_cg_val *to);
/* Loads arguments, n_grf registers from the 32-bit address `base` on. */
void xk_cg_old_arguments(struct xk_cg *g, const struct xk_cg_val *base,
                         uint32_t tile, uint32_t n_grf);

/* prologue.c */
enum xk_status xk_cg_prologue(struct xk_cg *g);
/* thread_end.c */
void xk_cg_epilogue(struct xk_cg *g);
/* A send whose message is *m; operands are filled by the caller. */
struct xk_msg;
struct xk_inst *xk_cg_send(struct xk_cg *g, struct xk_msg *m, unsigned exec);

/* sink.c: fills of buffers go behind the straight code at the begin */
enum xk_status xk_cg_sink(struct xk_cg *g);

/* regalloc.c: tile operands become registers */
enum xk_status xk_cg_allocate(struct xk_cg *g);

/* dpas_guard.c: room for what xk_cg_guard_dpas() may need, before the
 * allocation */
enum xk_status xk_cg_guard_room(struct xk_cg *g);
struct xk_cg_tile *
xk_cg_guard_tile(const struct xk_cg *g); /* that; NULL: none */
struct xk_sb_access;
/* Puts what must be in front of some dpas into the final order, which has
 * resolved registers, and branch targets as indices. *access: what the
 * instructions access (codegen/sb.h); it becomes a list that has what was put
 * in, too. */
enum xk_status xk_cg_guard_dpas(struct xk_cg *g, struct xk_sb_access **access);

#endif
