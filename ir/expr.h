/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: immutable, interned (equal means same address within a ctx),
 * ref-counted with deferred release (base/pool.h, docs/design.md).
 * Builders borrow their operands, return NULL on error and on NULL operands,
 * with the reason in the ctx. They fold nothing: simplify/ does. */
#ifndef XK_IR_EXPR_H
#define XK_IR_EXPR_H

#include "base/ctx.h"
#include "base/pool.h"
#include "base/str.h"
#include "ir/type.h"

typedef struct xk_node xk_expr; /* base/pool.h: one uniform node */
typedef struct xk_node xk_stmt;

enum xk_op {
#define XK_EXPR(id, ...) XK_OP_##id,
#include "ir/expr.def"
#undef XK_EXPR
#define XK_STMT(id, ...) XK_OP_##id,
#include "ir/stmt.def"
#undef XK_STMT
    XK_N_OPS
};

/* What occurs in a tree, itself included; a pass goes past what has nothing for
 * it. An address of registers tells only that its offset varies. */
enum xk_trait {
    XK_HAS_MATH = 1,    /* an operator other than a broadcast */
    XK_HAS_SUM = 2,     /* + or - of integers */
    XK_HAS_PRODUCT = 4, /* * */
    XK_HAS_COUNT = 8,   /* a variable of integers or bools */
    XK_HAS_FLAG = 16,   /* a variable of bools */
    XK_HAS_INDEX = 32,  /* an address of registers that is not constant */
    XK_HAS_LET = 64,
    XK_HAS_LOOP = 128, /* FOR or PIPE */
    XK_HAS_IF = 256,
    XK_HAS_SEND = 512,    /* a message that has no header yet */
    XK_HAS_ACCESS = 1024, /* any message */
    XK_HAS_SYNC = 2048,   /* a barrier or a fence */
    XK_HAS_TILES = 4096,  /* a tiling, or what works on tiles */
};

#define XK_EF_C 1u
#define XK_EF_P 2u
#define XK_EF_T 4u

/* Generic access. */
static inline enum xk_op xk_op(const xk_expr *e)
{
    return (enum xk_op)e->op;
}
static inline unsigned xk_n_kids(const xk_expr *e)
{
    return e->n_kids;
}
static inline const xk_expr *xk_kid(const xk_expr *e, unsigned i)
{
    return e->kid[i];
}
static inline struct xk_type xk_type_of(const xk_expr *e)
{
    const struct xk_type t = {(uint8_t)e->type, (uint8_t)(e->type >> 8),
                              (uint16_t)(e->type >> 16)};
    return t;
}
/* Key for side tables; a kid's serial is below its parent's. */
static inline uint32_t xk_serial(const xk_expr *e)
{
    return e->serial;
}
static inline bool xk_is_expr(const xk_expr *e)
{
    return e->op < XK_OP_SEQ;
}
/* Whether any of these traits (xk_trait, or'ed) is in the tree. */
static inline bool xk_has(const xk_expr *e, unsigned traits)
{
    return e->traits & traits;
}
/* A constant place in a buffer, as each multiply has three: nothing is simpler.
 */
static inline bool xk_is_place(const xk_expr *e)
{
    return xk_op(e) == XK_OP_PTR && xk_op(xk_kid(e, 1)) == XK_OP_IMM;
}
/* An expression's own traits, those of its kids apart; not for PTR. */
unsigned xk_own_traits(enum xk_op op, struct xk_type t);
const char *xk_op_text(enum xk_op op);
unsigned xk_op_flags(enum xk_op op);
/* By the order of ir/expr.def. */
static inline bool xk_op_is_compare(enum xk_op op)
{
    return op >= XK_OP_EQ && op <= XK_OP_GE;
}
/* Kids that every node of this op has; -1: any number. */
int xk_op_n_kids(enum xk_op op);

/* Leaves. A variable is identified by its id: every call makes a new one. */
const xk_expr *xk_var(xk_ctx *c, struct xk_type type, const char *name);
const xk_expr *xk_imm(xk_ctx *c, enum xk_dtype dt, int64_t value);
const xk_expr *xk_fimm(xk_ctx *c, enum xk_dtype dt, double value);
static inline const xk_expr *xk_s32(xk_ctx *c, int64_t v)
{
    return xk_imm(c, XK_DT_S32, v);
}
const char *xk_var_name(const xk_expr *e);
double xk_fimm_value(const xk_expr *e);
static inline uint32_t xk_var_id(const xk_expr *e)
{
    XK_ASSERT(xk_op(e) == XK_OP_VAR);
    return *(const uint32_t *)xk_pool_payload(e); /* its first member */
}
static inline int64_t xk_imm_value(const xk_expr *e)
{
    XK_ASSERT(xk_op(e) == XK_OP_IMM);
    return *(const int64_t *)xk_pool_payload(e);
}
/* True and *v for an IMM, also below a BCAST. e may be NULL. */
static inline bool xk_is_const(const xk_expr *e, int64_t *v)
{
    if (e && xk_op(e) == XK_OP_BCAST)
        e = xk_kid(e, 0);
    if (!e || xk_op(e) != XK_OP_IMM)
        return false;
    if (v)
        *v = xk_imm_value(e);
    return true;
}

/* Operands of a binary or ternary op have one type, except that a scalar is
 * broadcast to the lanes of the other (an explicit BCAST node is made).
 * Compares yield bool with the same lanes; SELECT takes a bool condition. */
const xk_expr *xk_bin(xk_ctx *c, enum xk_op op, const xk_expr *a,
                      const xk_expr *b);
#define XK_BIN_(name, id)                                                      \
    static inline const xk_expr *xk_##name(xk_ctx *c, const xk_expr *a,        \
                                           const xk_expr *b)                   \
    {                                                                          \
        return xk_bin(c, XK_OP_##id, a, b);                                    \
    }
/* clang-format off */
XK_BIN_(add, ADD) XK_BIN_(sub, SUB) XK_BIN_(mul, MUL) XK_BIN_(div, DIV)
XK_BIN_(mod, MOD) XK_BIN_(shl, SHL) XK_BIN_(shr, SHR) XK_BIN_(and, AND)
XK_BIN_(or, OR) XK_BIN_(xor, XOR) XK_BIN_(eq, EQ) XK_BIN_(ne, NE)
XK_BIN_(lt, LT) XK_BIN_(le, LE) XK_BIN_(gt, GT) XK_BIN_(ge, GE)
XK_BIN_(min, MIN) XK_BIN_(max, MAX)
/* clang-format on */
#undef XK_BIN_
    /* The same with a constant of a's element type on the right. */
    const xk_expr *xk_bin_imm(xk_ctx *c, enum xk_op op, const xk_expr *a,
                              int64_t b);
const xk_expr *xk_un(xk_ctx *c, enum xk_op op, const xk_expr *a);
const xk_expr *xk_ternary(xk_ctx *c, enum xk_op op, const xk_expr *a,
                          const xk_expr *b, const xk_expr *d);
const xk_expr *xk_select(xk_ctx *c, const xk_expr *cond, const xk_expr *t,
                         const xk_expr *f);
/* A global or SLM buffer variable as u64 or u32: the address of its start. */
/* The same bits as another type of the same size; of a itself if it has that
 * type. */
const xk_expr *xk_bits(xk_ctx *c, enum xk_dtype dt, const xk_expr *a);
const xk_expr *xk_cast(xk_ctx *c, enum xk_dtype dt, const xk_expr *a);
const xk_expr *xk_ramp(xk_ctx *c, const xk_expr *base, const xk_expr *stride,
                       unsigned lanes);
const xk_expr *xk_bcast(xk_ctx *c, const xk_expr *a, unsigned lanes);
/* Lane i of the result is lane index[i] of a; n lanes. */
const xk_expr *xk_shuffle(xk_ctx *c, const xk_expr *a, const uint16_t *index,
                          unsigned n);
/* Address of byte `off` (s32) of a buffer variable; has the buffer's type. */
const xk_expr *xk_ptr(xk_ctx *c, const xk_expr *buf, const xk_expr *off);
unsigned xk_shuffle_index(const xk_expr *e, unsigned lane);

/* Lifetime (xk_scope: base/pool.h; docs/design.md): results live until the
 * enclosing scope ends unless something references them. xk_scope_end keeps
 * `keep` (may be NULL) alive into the outer scope and returns it. */
static inline xk_scope xk_scope_begin(xk_ctx *c)
{
    return xk_pool_begin(c);
}
static inline const xk_expr *xk_scope_end(xk_ctx *c, xk_scope s,
                                          const xk_expr *keep)
{
    return xk_pool_end(c, s, keep);
}
static inline const xk_expr *xk_expr_ref(xk_ctx *c, const xk_expr *e)
{
    return xk_pool_ref(c, e);
}
static inline void xk_expr_unref(xk_ctx *c, const xk_expr *e)
{
    xk_pool_unref(c, e);
}

/* Structural order for canonical operand order: never by address or serial. */
int xk_expr_cmp(const xk_expr *a, const xk_expr *b);

/* Value of v as the integer type dt (BOOL: 0 or 1) holds it. */
int64_t xk_imm_wrap(enum xk_dtype dt, int64_t v);
/* Nearest value of the float type dt. */
double xk_fimm_round(enum xk_dtype dt, double v);

/* Mutation: rebuilds e from mapped kids; e itself if no kid changed. Works on
 * statements too (payload is kept). */
const xk_expr *xk_with_kids(xk_ctx *c, const xk_expr *e,
                            const xk_expr *const *kids, unsigned n);
/* Bottom-up rewriting with memo by serial: visit gets the node whose kids were
 * already rewritten. Statements are visited as well. */
typedef const xk_expr *(*xk_rewrite_fn)(xk_ctx *c, const xk_expr *e,
                                        void *user);
const xk_expr *xk_rewrite(xk_ctx *c, const xk_expr *root, xk_rewrite_fn visit,
                          void *user);
/* Pre-order walk over the tree, each shared node once; return false to not
 * enter the kids. */
typedef bool (*xk_walk_fn)(const xk_expr *e, void *user);
enum xk_status xk_walk(xk_ctx *c, const xk_expr *root, xk_walk_fn visit,
                       void *user);
/* Replaces variables vars[i] by values[i]. */
const xk_expr *xk_substitute(xk_ctx *c, const xk_expr *root, unsigned n,
                             const xk_expr *const *vars,
                             const xk_expr *const *values);
/* Whether var occurs in e (expression or statement). */
bool xk_depends_on(const xk_expr *e, const xk_expr *var);
/* Depth-first traversal of the tree as written: a shared node is entered each
 * time it occurs, so keep it to statements (enter returns false at
 * expressions) or to small expressions. Either callback may be NULL. */
typedef void (*xk_leave_fn)(const xk_expr *e, void *user);
void xk_visit(const xk_expr *root, xk_walk_fn enter, xk_leave_fn leave,
              void *user);

/* Text (grammar: docs/ir.md). Variables print as name, or name.id where two
 * variables of one name are in scope; the parser reads both. */
void xk_print(const xk_expr *e, struct xk_str *out); /* expr or stmt */

#endif
