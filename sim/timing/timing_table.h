/* SPDX-License-Identifier: Apache-2.0 */
/* Machines as the timing model knows them: one row of
 * sim/timing/timing_table.def each. A row is plain data: copy it, change a
 * field, and model that machine. Cycles are of the core's clock. */
#ifndef XK_SIM_TIMING_TABLE_H
#define XK_SIM_TIMING_TABLE_H

#include "isa/isa.h"

/* Who executes an instruction. FRONT: nobody, the front end itself. */
enum xk_tm_pipe {
    XK_TM_FLOAT,
    XK_TM_INT,
    XK_TM_LONG,
    XK_TM_MATH,
    XK_TM_XMX,
    XK_TM_SEND,
    XK_TM_FRONT,
    XK_TM_PIPES
};

/* Who issues, of the threads that can. AFTER_STALL: who issued last on the
 * port, until that one can not; then the next in turn. */
enum xk_tm_arbitration {
    XK_TM_IN_TURN,
    XK_TM_OLDEST,
    XK_TM_LONGEST_READY,
    XK_TM_AFTER_STALL
};

/* What a chain of instructions with {Atomic} keeps from the XVE's other threads
 * until its end (row chain_holds): nothing, its port, or any issue. */
enum xk_tm_holds { XK_TM_HOLDS_NOTHING, XK_TM_HOLDS_PORT, XK_TM_HOLDS_ISSUE };

/* How code comes (row fetch). */
enum xk_tm_fetch { XK_TM_FREE, XK_TM_LINE, XK_TM_AHEAD };

struct xk_timing_product {
    const char *name;  /* "a770" */
    const char *text;  /* what it is */
    uint32_t platform; /* enum xk_platform_id */
#define XK_TM_FIELD(name, a770, max1550, iris_xe, source) uint32_t name;
#include "sim/timing/timing_table.def"
#undef XK_TM_FIELD
};

/* NULL: there is none of this name, or none for the platform. The first product
 * of a platform is its default. */
const struct xk_timing_product *xk_timing_product_find(const char *name);
const struct xk_timing_product *
xk_timing_product_of(enum xk_platform_id platform);
/* The product of this name, "" for the platform's default; XK_EINVAL with what
 * there is where there is none, or one of another platform. */
enum xk_status xk_timing_product_pick(const char *name,
                                      enum xk_platform_id platform,
                                      const struct xk_timing_product **out,
                                      struct xk_error *err);
/* In the order of the table; NULL behind the last. */
const struct xk_timing_product *xk_timing_product_at(unsigned k);

/* One parameter, for tables in documents: false behind the last. */
struct xk_timing_parameter {
    const char *name, *source;
    uint32_t value;
};
bool xk_timing_parameter_at(const struct xk_timing_product *p, unsigned k,
                            struct xk_timing_parameter *out);

#endif
