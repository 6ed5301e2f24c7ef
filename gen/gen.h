/* SPDX-License-Identifier: Apache-2.0 */
/* The driver behind the public API. */
#ifndef XK_GEN_GEN_H
#define XK_GEN_GEN_H

#include "base/arena.h"
#include "conv/parts.h"
#include "gen/contraction_launches.h"
#include "isa/product.h"
#include "schedule/schedule.h"
#include "xekern/xekern.h"

struct xk_split_sum;

/* What the search and the kernel are made of. */
struct xk_problem_form {
    struct xk_contraction con;
    /* A batch that may be in the lanes; con is prepared, and this is not. */
    bool has_lanes;
    struct xk_contraction whole;
    struct xk_group_lanes lanes;
    struct xk_tiling copy; /* of weights whose groups are packed, if info says
                              how they lie */
};

/* What is known of a problem before any code: the same for query and create,
 * so that both name the same layouts. */
struct xk_problem {
    struct xk_conv_desc desc; /* as kernels see it; every default explicit */
    const struct xk_platform *platform;
    struct xk_wa_device device;
    struct xk_conv_info info; /* as kernels see the tensors */
    struct xk_conv_ways ways; /* what is copied for them */
    struct xk_conv_info user; /* as the caller sees them */
    /* With several parts: by argument, 0 of what all parts share. */
    struct xk_conv_part_bytes part_b[XK_N_PROGRAM_ARGS];
    bool sums_inside; /* forward: the kernel makes the sums of weights */
    bool pads;        /* a launch behind the others clears padding of dst */
    /* Groups that are one for the kernel, if above 1: a launch in front of the
     * others copies the weights to scratch memory in this layout. */
    int64_t pack;
    struct xk_layout packed;
    /* Forward: of its launch that contracts. */
    unsigned n_candidates;
    struct xk_schedule candidate[XK_MAX_CANDIDATES];
    unsigned tiled; /* dims whose residues are an index (xk_conv_may_tile) */
    /* A gradient's launches and scratch buffers (gen/gradients.h), all of it
     * the arena's. */
    struct xk_arena arena;
    unsigned n_launches, n_scratch;
    const struct xk_split_sum
        *split; /* forward: what is in parts; NULL: none */
    struct xk_launch *launch;
    int64_t scratch_b[XK_MAX_SCRATCH];
    /* With several parts: launches at the end that follow those of all parts,
     * and bytes of a scratch buffer that are a part's alone, 0: all parts use
     * the same. */
    unsigned n_behind;
    int64_t scratch_part_b[XK_MAX_SCRATCH];
    struct xk_conv_launches *copies; /* NULL: there are none */
    /* Forward: over the layouts that were chosen. It is large, and not zero at
     * first. */
    struct xk_problem_form form;
};

/* Copies the context's error out and destroys it; NULL: out of memory. */
enum xk_status xk_gen_finish(xk_ctx *c, struct xk_error *err);

/* To be finished with xk_problem_fini, also after a failure, while the context
 * lives. */
enum xk_status xk_problem_make(xk_ctx *c, const struct xk_conv_desc *d,
                               struct xk_problem *out);
void xk_problem_fini(struct xk_problem *p);
/* Leaves the candidates that can do with 64-bit addresses, with them. The
 * layouts stay what xk_problem_make chose, so that query is right. XK_EINVAL if
 * none is left, which only XK_SCHEDULE can cause. */
enum xk_status xk_problem_use_addresses(xk_ctx *c, struct xk_problem *p);
/* The text of XK_SCHEDULE, by which schedules are what the caller asked for;
 * NULL: it says nothing. */
const char *xk_given_schedule(void);
/* Its fields, none if it says nothing. */
enum xk_status xk_given_schedule_parse(xk_ctx *c,
                                       struct xk_schedule_fixed *out);
/* Names the environment's variable in the context's error, in place of the word
 * in front of the colon. Returns the status. */
enum xk_status xk_given_failed(xk_ctx *c, const char *variable,
                               enum xk_status status);
/* The search's candidates for a shape, *n of them and one at least; all have
 * what XK_SCHEDULE fixes, if it is set. XK_EPARSE, XK_EINVAL: what is wrong
 * with it, or the rule that stands against it; XK_EUNSUPPORTED: without it no
 * schedule is valid. */
enum xk_status xk_candidates_of(xk_ctx *c, const struct xk_platform *platform,
                                const struct xk_shape *s,
                                struct xk_schedule *candidate, unsigned *n);
/* Leaves the candidates, *n of them, that obey the rules for a shape, none of
 * them with surfaces if those are not allowed. The last rule that was broken if
 * none is left, else NULL. */
const struct xk_schedule_rule *
xk_candidates_keep(const struct xk_platform *platform, const struct xk_shape *s,
                   bool surfaces, struct xk_schedule *candidate, unsigned *n);

#endif
