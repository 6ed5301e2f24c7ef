/* SPDX-License-Identifier: Apache-2.0 */
/* XK_VERBOSE and XK_DUMP: what one create tells its user, and XK_VERIFY: it
 * judges its code also in release builds. The environment is read once a
 * process, by secure_getenv. */
#ifndef XK_GEN_TRACE_H
#define XK_GEN_TRACE_H

#include <limits.h>

#include "base/ctx.h"
#include "base/str.h"
#include "xekern/xekern.h"

enum xk_stage_id {
    XK_STAGE_VIEWS,
    XK_STAGE_SCHEDULE,
    XK_STAGE_PLAN,
    XK_STAGE_NEST,
    XK_STAGE_IR,
    XK_STAGE_PASSES,
    XK_STAGE_ASM,
    XK_STAGE_ZEBIN,
    XK_STAGE_ORDER,
    XK_N_STAGES
};

struct xk_trace {
    unsigned wanted; /* bit per stage */
    bool verbose, verify;
    struct xk_error error; /* the first thing that XK_DUMP could not do */
    xk_dump_fn dump;       /* NULL: files under dir */
    void *dump_user;
    /* This problem's folder, with room for a file's name behind it; "" until
     * the first file. */
    char dir[PATH_MAX - 32];
    char name[160];
    unsigned launch; /* whose kernel is made */
};

/* name: the problem, for the folder. */
void xk_trace_init(struct xk_trace *t, const struct xk_create_options *o,
                   const char *name);
/* What follows is about the kernel of a launch, from 0. The files of the first
 * launch have no number. */
void xk_trace_set_launch(struct xk_trace *t, unsigned launch);
bool xk_trace_wants(const struct xk_trace *t, enum xk_stage_id s);
/* Hands out one stage. What cannot be written is kept in error, so that the
 * create goes on to the end and fails then: the stages that can be written are
 * still there. */
void xk_trace_put(struct xk_trace *t, enum xk_stage_id s, const void *data,
                  size_t n_b);
/* One line to stderr if XK_VERBOSE asks for it. */
void xk_trace_line(const struct xk_trace *t, const char *fmt, ...)
    XK_PRINTF(2, 3);

#endif
