/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel of a program: from its IR to its code. */
#ifndef XK_GEN_MAKE_KERNEL_H
#define XK_GEN_MAKE_KERNEL_H

#include "binary/abi.h"
#include "codegen/codegen.h"
#include "gen/trace.h"
#include "isa/product.h"

/* What all kernels of one create call share. */
struct xk_gen {
    xk_ctx *c;
    const struct xk_platform *platform;
    struct xk_wa_device device; /* of the platform (gen/target.h) */
    struct xk_trace trace;
    struct xk_str text; /* of a stage, until it is handed out */
    /* For the contraction's launch that is made next: */
    uint32_t work;      /* before its last resort (base/budget.h) */
    unsigned long_e;    /* elements of the smallest tile whose code was too long
                           in the program's launches before it; 0: none was */
    uint32_t long_work; /* that this one would have taken */
};

/* Hands g->text out as a stage. */
void xk_gen_put_text(struct xk_gen *g, enum xk_stage_id s);

/* A kernel's IR, and what its launch takes besides. */
struct xk_kernel_job {
    struct xk_kernel *ir;
    const char *written; /* the only pointer it writes to; NULL: to any */
    const char *beside;  /* but for this one; NULL: there is none */
    uint32_t threads;    /* of a group */
    uint32_t groups[3];
    uint32_t slm_b;
    uint16_t grf_count;
    bool has_dpas;
    bool surfaces; /* pointers are surfaces: each has a SURFACE parameter */
    bool tight;    /* of the passes (passes/passes.h) */
    unsigned spare_grf, header_grf; /* of the passes */
};

/* A finished kernel. */
struct xk_made_kernel {
    struct xk_abi abi;
    struct xk_str code;
    struct xk_code_stats stats;
    uint32_t groups[3], threads;
    struct xk_str schedule; /* the decisions, as text; "" if there were none */
};
void xk_made_kernel_init(struct xk_made_kernel *k, const struct xk_alloc *a);
void xk_made_kernel_fini(struct xk_made_kernel *k);

/* Passes alone, over job->ir. */
enum xk_status xk_kernel_run_passes(struct xk_gen *g,
                                    const struct xk_kernel_job *job);
/* ABI record and code of what passes left, into *out, whose code is empty.
 * Arguments lie one after the other in the order of the parameters, each at a
 * multiple of its size; what the payload's registers do not hold the kernel
 * loads. XK_ENOFIT: the registers do not suffice. */
enum xk_status xk_kernel_encode(struct xk_gen *g,
                                const struct xk_kernel_job *job,
                                struct xk_made_kernel *out);
/* Both. */
enum xk_status xk_kernel_make(struct xk_gen *g, const struct xk_kernel_job *job,
                              struct xk_made_kernel *out);

#endif
