/* SPDX-License-Identifier: Apache-2.0 */
/* Programs made of lists of launches, run launch by launch on the simulator
 * with its checkers on. */
#ifndef XK_TESTS_GEN_LAUNCHES_LAB_H
#define XK_TESTS_GEN_LAUNCHES_LAB_H

#include "gen/make_launches.h"
#include "xekern/simulate.h"

/* The program for xehpg; NULL: *err says why. */
xk_program *lab_make(const struct xk_launches *l, struct xk_error *err);
/* The same in the context of IR that is in the list, which has the error; and
 * it must be made. */
xk_program *lab_must_make(const struct xk_launches *l);
xk_program *lab_make_in(xk_ctx *c, const struct xk_launches *l);
xk_program *lab_must_make_in(xk_ctx *c, const struct xk_launches *l);

/* Memory of an argument of the program, or its value. */
struct lab_arg {
    void *data;
    size_t size_b;
};
/* Runs all launches; buffers come back changed. arg[] by number. Scratch memory
 * holds NaNs at first. */
void lab_run(const xk_program *p, const struct lab_arg *arg);
/* The same, looked at otherwise than with all checks. */
void lab_run_seen(const xk_program *p, const struct lab_arg *arg,
                  const struct xk_simulate_opts *look);

#endif
