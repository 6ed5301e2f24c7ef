/* SPDX-License-Identifier: Apache-2.0 */
/* Statements and kernels. Same node, same lifetime as expressions, but never
 * interned: two equal stores are two stores. */
#ifndef XK_IR_STMT_H
#define XK_IR_STMT_H

#include "ir/expr.h"
#include "ir/func.h"

/* Flattens nested SEQs and drops NULL-free empties; n may be 0. */
const xk_stmt *xk_seq(xk_ctx *c, const xk_stmt *const *s, unsigned n);
const xk_stmt *xk_let(xk_ctx *c, const xk_expr *var, const xk_expr *value,
                      const xk_stmt *body);
/* var takes its type's lanes from the registers at ptr. */
const xk_stmt *xk_load(xk_ctx *c, const xk_expr *var, const xk_expr *ptr,
                       const xk_stmt *body);
const xk_stmt *xk_store(xk_ctx *c, const xk_expr *ptr, const xk_expr *value);

struct xk_alloc_info {
    uint32_t size_b;
    uint16_t align_b;
    uint8_t bank; /* GRF bank wish: 0 none, 1, 2 */
};
const xk_stmt *xk_alloc_stmt(xk_ctx *c, const xk_expr *buf,
                             struct xk_alloc_info info, const xk_stmt *body);
/* for (var = lo; var < hi; var += step); s32. */
const xk_stmt *xk_for(xk_ctx *c, const xk_expr *var, const xk_expr *lo,
                      const xk_expr *hi, int32_t step, const xk_stmt *body);
/* Software-pipelined loop: iteration i in [0, trip). The body is a SEQ of
 * STAGEs. At time step t the stages run in body order, a stage with number s
 * for iteration i = t - s if that exists. Buffers that live across stages are
 * indexed with (var % slots). trip is a constant. */
struct xk_pipe_info {
    uint8_t slots;  /* copies of the steady body that are emitted */
    uint8_t stages; /* 1 + largest stage number */
};
const xk_stmt *xk_pipe(xk_ctx *c, const xk_expr *var, const xk_expr *trip,
                       struct xk_pipe_info info, const xk_stmt *body);
const xk_stmt *xk_stage(xk_ctx *c, unsigned stage, const xk_stmt *body);
const xk_stmt *xk_if(xk_ctx *c, const xk_expr *cond, const xk_stmt *then_s,
                     const xk_stmt *else_s);
const xk_stmt *xk_call(xk_ctx *c, const struct xk_func *f,
                       const xk_expr *const *args, unsigned n);

struct xk_alloc_info xk_alloc_info_of(const xk_stmt *s);
int32_t xk_for_step(const xk_stmt *s);
struct xk_pipe_info xk_pipe_info_of(const xk_stmt *s);
unsigned xk_stage_of(const xk_stmt *s);
const struct xk_func *xk_func_of(const xk_stmt *s);

/* Where a kernel's free variables come from. */
enum xk_param_kind {
    XK_PARAM_GLOBAL, /* pointer argument */
    XK_PARAM_VALUE,  /* scalar argument */
    XK_PARAM_GROUP_X,
    XK_PARAM_GROUP_Y,
    XK_PARAM_GROUP_Z, /* s32 group ids */
    XK_PARAM_THREAD,  /* s32 index of the thread in its group */
    XK_PARAM_SURFACE, /* u32, right after a pointer: its first byte, counted
                         from the base of its surface */
};
struct xk_param {
    uint8_t kind; /* enum xk_param_kind */
    const xk_expr *var;
};
#define XK_KERNEL_MAX_PARAMS 132 /* 64 pointers, their surfaces, four ids */

/* A kernel: the body's free variables are its params. Known ranges of params
 * (group ids, thread index) are [0, extent). */
struct xk_kernel {
    char name[64];
    unsigned simd; /* lanes of a hardware thread */
    unsigned n_params;
    struct xk_param params[XK_KERNEL_MAX_PARAMS];
    int64_t extent[XK_KERNEL_MAX_PARAMS]; /* 0: unknown */
    const xk_stmt *body;
};

/* Appends a param and returns its variable. */
const xk_expr *xk_kernel_add_param(struct xk_kernel *k, const xk_expr *var,
                                   enum xk_param_kind kind, int64_t extent);
/* Number of a pointer among the kernel's, which its surface has, too. */
uint8_t xk_kernel_pointer(const struct xk_kernel *k, const xk_expr *var);
void xk_kernel_print(const struct xk_kernel *k, struct xk_str *out);
/* Reads what xk_kernel_print wrote. Errors name line and column. */
enum xk_status xk_kernel_parse(xk_ctx *c, const char *text,
                               struct xk_kernel *k);
/* One expression; free names are looked up in (names, vars). */
const xk_expr *xk_parse_expr(xk_ctx *c, const char *text, unsigned n,
                             const char *const *names,
                             const xk_expr *const *vars);

/* Checks types, scoping, stages, function arguments, and that every s32 index
 * is proven (simplify's ranges are given as a callback to keep the layering;
 * NULL skips that part). */
typedef bool (*xk_range_fn)(void *user, const xk_expr *e, int64_t *lo,
                            int64_t *hi);
enum xk_status xk_kernel_verify(xk_ctx *c, const struct xk_kernel *k,
                                xk_range_fn range, void *user);

#endif
