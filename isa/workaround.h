/* SPDX-License-Identifier: Apache-2.0 */
/* Hardware workarounds as rows (isa/workaround.def): which of them apply to a
 * device, and which of them a program needs and lacks. A program that names no
 * device is judged for every stepping of every product of its platform. */
#ifndef XK_ISA_WORKAROUND_H
#define XK_ISA_WORKAROUND_H

#include "isa/isa.h"
#include "isa/product.h"

/* Who sees to it. */
enum xk_wa_handling {
    XK_WA_APPLIED,  /* the generator; `by` is the function */
    XK_WA_NEVER,    /* the trigger is never emitted; `by` is the lint rule */
    XK_WA_DISPATCH, /* who starts the kernel; `by` is the function */
    XK_WA_NOT_OURS, /* `by` is the reason */
    /* Only products of platforms that are not generated have it; `by` says
     * which. A lint rule finds what would need it. */
    XK_WA_UNREACHED,
};

enum xk_wa {
#define XK_WORKAROUND(name, ...) XK_WA_##name,
#include "isa/workaround.def"
#undef XK_WORKAROUND
    XK_N_WORKAROUNDS
};

struct xk_wa_program {
    struct xk_wa_device device;
    const struct xk_platform *p;
    const struct xk_inst *inst;
    unsigned n;
    unsigned grf_count; /* 128 or 256; 0: not known */
    uint64_t tail_b;    /* bytes in memory behind the last instruction */
    /* xk_wa_validate sets these: what branches go to; src1 of which dpas is not
     * all loaded (isa/loaded.h). */
    const bool *target, *mixed;
    bool may_suppress; /* xk_wa_may_suppress; xk_wa_validate sets it too */
};

struct xk_workaround {
    const char *name; /* "eot_ugm_fence" */
    const char *id;   /* "W03 22013689345": the document's row, the bug */
    const char *by;
    const char *action;
    struct xk_isa_violation text; /* why: the trigger */
    uint8_t steps[XK_N_PRODUCTS]; /* bit k: enum xk_stepping k */
    uint8_t handling;             /* enum xk_wa_handling */
    /* Whether instruction `at` triggers it and lacks the action; NULL: there is
     * no rule. */
    bool (*lacks)(const struct xk_wa_program *g, unsigned at);
};

const struct xk_workaround *xk_workaround_get(enum xk_wa id);
bool xk_wa_applies(enum xk_wa id, const struct xk_wa_device *d);
/* Whether all that the device may be has the row. */
bool xk_wa_always_applies(enum xk_wa id, const struct xk_wa_device *d);
/* What stands for a product, or for any, if no stepping is given: XK_STEP_SOLD,
 * or XK_STEP_ANY if no card has any of it. */
enum xk_stepping xk_wa_open_stepping(enum xk_product product);
bool xk_wa_was_sold(enum xk_product product, enum xk_stepping stepping);

/* What the program lacks; returns how many. report may be NULL. */
unsigned xk_wa_validate(const struct xk_wa_program *g, xk_violation_fn *report,
                        void *user);

/* Whether a dpas may read what a buffer of sources has kept: the program has a
 * predicated load, or a branch at which lanes part. It looks at the whole
 * program. */
bool xk_wa_may_suppress(const struct xk_wa_program *g);
/* Marks what branches go to: target[0..n), cleared by the caller. */
void xk_wa_find_targets(const struct xk_wa_program *g, bool *target);

/* A store or atomic that may be under way when the thread has ended
 * (22013689345): to global memory, not kept in L1. */
bool xk_wa_is_late_store(const struct xk_platform *p, const struct xk_inst *i);

/* A csel that writes back what it reads: so the vendor's compiler clears
 * buffers of sources (14016880151), right where it stands. */
bool xk_wa_clears_sources(const struct xk_inst *i);

#endif
