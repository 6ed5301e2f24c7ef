/* SPDX-License-Identifier: Apache-2.0 */
/* What the interpreter's files share. */
#ifndef XK_TESTS_IR_INTERP_STATE_H
#define XK_TESTS_IR_INTERP_STATE_H

#include "ir/tiles.h"
#include "tests/ir_interp.h"

union lane {
    int64_t i;
    double f;
};

struct value {
    struct xk_type type;
    union lane l[XK_INTERP_MAX_LANES];
};

/* Bytes something points to: an argument's buffer, SLM or registers. */
struct region {
    const char *name;
    uint8_t *data;
    uint8_t *written; /* one byte a byte; NULL: all is initialised */
    int64_t size_b;
    uint64_t address; /* of a global buffer */
};

struct slot {
    struct value *value; /* NULL: not bound, or a region */
    struct region *region;
};

struct interp {
    const struct xk_interp_args *args;
    struct xk_interp_report *report;
    struct slot *slots; /* by variable id */
    uint32_t n_slots;
    struct region global[XK_KERNEL_MAX_PARAMS];
    unsigned n_params;
    unsigned grf_b;
    const struct xk_tiling *tiling; /* the innermost one, and its statement */
    const xk_stmt *tiling_stmt;
    bool fault;
};

struct place {
    struct region *region;
    int64_t off_b;
};

/* Stops the kernel; the first reason stays. */
__attribute__((format(printf, 2, 3))) void
xk_interp_fault(struct interp *s, const char *fmt, ...);
void xk_interp_eval(struct interp *s, const xk_expr *e, struct value *out);
void xk_interp_run_stmt(struct interp *s, const xk_stmt *st);
struct slot *xk_interp_slot_of(struct interp *s, const xk_expr *var);
struct place xk_interp_place_of(struct interp *s, const xk_expr *ptr);
/* Element `index` of the type at a place; what: the act, for a fault. */
union lane xk_interp_read_lane(struct interp *s, struct place p, int64_t index,
                               enum xk_dtype dt, const char *what);
void xk_interp_write_lane(struct interp *s, struct place p, int64_t index,
                          enum xk_dtype dt, union lane v, const char *what);
union lane xk_interp_convert(const struct interp *s, enum xk_dtype to,
                             enum xk_dtype from, union lane v);
/* Rounds to what the type holds. */
union lane xk_interp_fit(enum xk_dtype dt, union lane v);

/* ir_interp_tiles.c */
void xk_interp_tile(struct interp *s, const xk_stmt *st);
void xk_interp_tiling(struct interp *s, const xk_stmt *st);

#endif
