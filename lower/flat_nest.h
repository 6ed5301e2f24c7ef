/* SPDX-License-Identifier: Apache-2.0 */
/* Nests over one flat index without a plan: every thread takes some vectors of
 * SIMD16 that lie side by side; lanes behind the end are masked. */
#ifndef XK_LOWER_FLAT_NEST_H
#define XK_LOWER_FLAT_NEST_H

#include "simplify/writer.h"

enum {
    XK_FLAT_SIMD = 16,
    XK_FLAT_THREADS = 8, /* of a group */
    XK_FLAT_VECTOR_B = 4 * XK_FLAT_SIMD
};

/* What comes out: the kernel and its launch. */
struct xk_flat_nest {
    struct xk_kernel kernel;
    uint32_t groups[3], threads;
};

/* No buffer of a flat nest has more bytes: offsets have 32 bits with sign, and
 * masked lanes of the last group count a little further. */
#define XK_FLAT_MAX_B INT64_C(0x7fff0000)

/* A nest while it is written. */
struct xk_flat {
    xk_ctx *c;
    xk_facts *facts;
    struct xk_block_writer w;
    struct xk_flat_nest *out;
    bool surfaces;
    int64_t n;             /* elements */
    unsigned vectors;      /* of a thread */
    bool masked;           /* some threads have less */
    const xk_expr *thread; /* s32: among all */
    const xk_expr *first;  /* s32: the thread's first element */
};

/* A kernel over n elements, `vectors` vectors a thread, that has pointers of
 * these names; their variables go to mem. */
enum xk_status xk_flat_begin(struct xk_flat *f, const char *name,
                             unsigned n_mem, const char *const *mem_name,
                             const xk_expr **mem);
/* An argument that is a value, behind the pointers. */
const xk_expr *xk_flat_value(struct xk_flat *f, enum xk_dtype dt,
                             const char *name);
/* s32 x 16: the elements of a thread's vector v. */
const xk_expr *xk_flat_elements(struct xk_flat *f, unsigned v);
/* bool x 16: those that there are. */
const xk_expr *xk_flat_mask(struct xk_flat *f, unsigned v);
/* A message of 16 elements of data_b bytes between mem and registers, a dword a
 * lane. */
struct xk_flat_message {
    enum xk_send_op op;
    uint8_t data_b;
    const xk_expr *mem, *off, *reg, *mask;
};
void xk_flat_send(struct xk_flat *f, struct xk_block_writer *w,
                  const struct xk_flat_message *m);
/* The body is complete. */
enum xk_status xk_flat_end(struct xk_flat *f);

#endif
