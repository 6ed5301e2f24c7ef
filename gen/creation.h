/* SPDX-License-Identifier: Apache-2.0 */
/* What every create call does around its own work: options, a counted heap, a
 * context, the program's cost, the error. */
#ifndef XK_GEN_CREATION_H
#define XK_GEN_CREATION_H

#include "gen/make_kernel.h"
#include "xekern/xekern.h"

struct xk_creation {
    struct xk_gen gen;
    const struct xk_create_options *options; /* may be NULL */
    const struct xk_alloc *heap;             /* the caller's: of the program */
};

struct xk_creation_kind {
    size_t state_b; /* of a struct that begins with struct xk_creation */
    size_t zero_b;  /* its first bytes that are zero at first; 0: all */
    enum xk_status (*generate)(struct xk_creation *c, const void *what,
                               xk_program **out);
    /* XK_VERBOSE's line. */
    void (*tell)(struct xk_creation *c, const xk_program *p, uint64_t ns);
    /* Frees what the state holds outside of the context; NULL: nothing. */
    void (*fini)(struct xk_creation *c);
};

static inline bool xk_creation_has(const struct xk_creation *c,
                                   enum xk_create_flag flag)
{
    return c->options && c->options->flags & flag;
}

/* Names the creation for its dumps, before anything is dumped. */
void xk_creation_name(struct xk_creation *c, const char *name);

/* Creates *out from what(): its kind's business. err may be NULL. */
enum xk_status xk_creation_run(const struct xk_creation_kind *kind,
                               const void *what,
                               const struct xk_create_options *o,
                               xk_program **out, struct xk_error *err);

#endif
