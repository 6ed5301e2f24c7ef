/* SPDX-License-Identifier: Apache-2.0 */
/* IR to IR optimisations: one pass a file, one table says the order. */
#ifndef XK_PASSES_PASSES_H
#define XK_PASSES_PASSES_H

#include "simplify/simplify.h"

struct xk_platform;

struct xk_pass_env {
    const struct xk_platform *platform;
    unsigned spare_grf; /* registers CSE and hoisting may use */
    /* Registers that are counted for headers. Those that move in a loop, one a
     * message, may take them and the spare ones; what they take of the latter
     * the others have not. 0: not counted, they take what they want. */
    unsigned header_grf;
    unsigned *moving_grf; /* xk_passes_run's: what the most of a loop take */
    uint32_t off;         /* bit i: row i of xk_passes is left out */
    const char *args;     /* of a pass that was called with some; NULL: none */
    bool tight; /* registers are short: no header of its own for each message */
};

struct xk_pass {
    const char *name; /* "hoist" */
    enum xk_status (*run)(xk_ctx *c, struct xk_kernel *k,
                          const struct xk_pass_env *env);
    const char *needed; /* why it cannot be left out; NULL: it can */
};

/* Bits of env.off above all rows: what codegen/ does after the passes and can
 * leave out, too. */
#define XK_PASSES_ORDER (1u << 30) /* "order" */
#define XK_PASSES_BANKS (1u << 31) /* "banks" */

/* Passes over nests, which run where a nest's list of calls names them, before
 * the pipeline: "split(m=8) pipeline(ra ahead=1)". */
extern const struct xk_pass xk_nest_passes[];
extern const unsigned xk_n_nest_passes;

/* The pipeline in order. */
extern const struct xk_pass xk_passes[];
extern const unsigned xk_n_passes;

/* Called after each pass with its name. */
typedef void (*xk_pass_trace)(void *user, const char *pass,
                              const struct xk_kernel *k);
/* Runs all; the verifier follows each pass in debug builds. */
enum xk_status xk_passes_run(xk_ctx *c, struct xk_kernel *k,
                             const struct xk_pass_env *env, xk_pass_trace trace,
                             void *user);
/* "-cse,-hoist": the passes that are to be left out, as bits for env.off.
 * XK_EPARSE names a word that is no pass, XK_EINVAL says why one is needed. */
enum xk_status xk_passes_parse(xk_ctx *c, const char *text, uint32_t *off);
/* Runs the passes of such a list, of either table. XK_EPARSE names what is no
 * pass; what a pass says of its arguments. */
enum xk_status xk_passes_call(xk_ctx *c, struct xk_kernel *k,
                              const struct xk_pass_env *env, const char *calls,
                              xk_pass_trace trace, void *user);
/* Where a buffer in SLM begins, if those in force around it end at outer_b. */
uint32_t xk_slm_place(uint32_t outer_b, struct xk_alloc_info info);
/* Bytes of SLM that a kernel's buffers take. */
uint32_t xk_slm_size(const struct xk_kernel *k);
/* A row of either table; NULL: there is none. */
const struct xk_pass *xk_pass_find(const char *name);
/* The names of all passes, with commas between them. */
void xk_pass_words(char *out, size_t out_b);

#endif
