/* SPDX-License-Identifier: Apache-2.0 */
/* What the timing model does not know (sim/timing/timing_hypothesis.def). Each
 * hypothesis is a row of the machine's table, and its values are what the row
 * may have. A machine with one set of values gives one time. All values,
 * changed one at a time, give an interval. */
#ifndef XK_SIM_TIMING_HYPOTHESIS_H
#define XK_SIM_TIMING_HYPOTHESIS_H

#include "sim/timing/timing_table.h"

enum xk_tm_hypothesis {
#define XK_TM_HYPOTHESIS(id, name, field, question) XK_TM_ON_##id,
#define XK_TM_VALUE(...)
#include "sim/timing/timing_hypothesis.def"
#undef XK_TM_HYPOTHESIS
#undef XK_TM_VALUE
    XK_TM_HYPOTHESES
};

/* One value of one hypothesis, on a machine that has it. */
struct xk_tm_value {
    enum xk_tm_hypothesis of;
    const char *name, *word; /* "gather", "component" */
    const char *why;         /* what speaks for and against it */
    uint32_t value;          /* of the row */
    bool nominal;            /* the machine's row has it */
};
/* The k-th value that the machine may have, of all hypotheses; false behind the
 * last. */
bool xk_tm_value_at(const struct xk_timing_product *m, unsigned k,
                    struct xk_tm_value *out);
/* The machine with this value. */
struct xk_timing_product xk_tm_value_set(const struct xk_timing_product *m,
                                         const struct xk_tm_value *v);
/* Whether m has it. */
bool xk_tm_value_is(const struct xk_timing_product *m,
                    const struct xk_tm_value *v);

/* "gather"; and what it asks. */
const char *xk_tm_hypothesis_name(enum xk_tm_hypothesis h);
const char *xk_tm_hypothesis_question(enum xk_tm_hypothesis h);

/* What is wanted of the model. */
struct xk_timing_spec {
    struct xk_timing_product m; /* with the values that were named */
    bool all;                   /* and each other value, one at a time */
};
/* "MACHINE", "MACHINE:gather=component,port=64", "MACHINE:all"; without a
 * machine the platform's first. XK_EINVAL with the word that is not known, and
 * what there is. XK_PLATFORM_NONE: the machine's own platform. */
enum xk_status xk_timing_spec_parse(const char *text,
                                    enum xk_platform_id platform,
                                    struct xk_timing_spec *out,
                                    struct xk_error *err);

#endif
