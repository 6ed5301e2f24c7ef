/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN 2.6, as Debian has it, on the virtual GPU: its GPU engine's primitives
 * against its CPU engine's. */
#ifndef XK_TESTS_PEER_H
#define XK_TESTS_PEER_H

#include <dnnl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PEER_MAX_SHAPES 4
#define PEER_MAX_POST_OPS 4

enum peer_op {
    PEER_CONV,
    PEER_DECONV,
    PEER_IP,
    PEER_MATMUL,
    PEER_POOL,
    PEER_ELTWISE,
    PEER_SOFTMAX,
    PEER_BNORM,
    PEER_LNORM,
    PEER_LRN,
    PEER_REDUCTION,
    PEER_BINARY,
    PEER_CONCAT,
    PEER_SUM,
    PEER_SHUFFLE,
    PEER_PRELU,
    PEER_RESAMPLING,
    PEER_REORDER,
    PEER_N_OPS
};

enum peer_dir { PEER_FWD, PEER_FWD_INFERENCE, PEER_BWD_D, PEER_BWD_W };

enum peer_post_kind {
    PEER_SUM_OP,
    PEER_ELTWISE_OP,
    PEER_BINARY_OP,
    PEER_PRELU_OP
};

struct peer_post_op {
    enum peer_post_kind kind;
    dnnl_alg_kind_t alg;
    float alpha, beta; /* sum: alpha is the scale */
    dnnl_data_type_t dt;
    int mask; /* of the dimensions that the second source has */
};

struct peer_shape {
    int n;
    dnnl_dims_t d;
};

/* One line of the table. */
struct peer_case {
    const char *line;
    enum peer_op op;
    enum peer_dir dir;
    bool has_bias, has_groups;
    dnnl_data_type_t src, wei, dst, bias;
    char stag[16], wtag[16], dtag[16];
    dnnl_alg_kind_t alg;
    float alpha, beta;
    int axis;
    long group;
    unsigned flags;
    int oscale_mask; /* -1: none */
    float oscale;
    bool has_zp[2], zp_runtime; /* of the source, the destination */
    int zp_mask[2];
    int32_t zp[2];
    unsigned n_post;
    struct peer_post_op post[PEER_MAX_POST_OPS];
    /* What the descriptor says, as the library's tensors. */
    unsigned n_in; /* concat, sum */
    struct peer_shape src_s, wei_s, dst_s, bias_s, in_s[PEER_MAX_SHAPES];
    dnnl_dims_t stride, dilate, kernel, pad_l, pad_r;
};

/* NULL, or what is wrong with the line, which must live as long as c. */
const char *peer_case_read(struct peer_case *c, const char *line);
bool peer_alg_is_exact(dnnl_alg_kind_t alg);

/* The descriptor of a primitive for the engine; as reference: on plain tensors
 * of types that the CPU computes with, widened: of f32 in any case. */
struct peer_engine {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    bool is_reference, widened;
};

/* forward: the forward primitive that a backward one needs. *hint is kept by
 * the caller. */
dnnl_status_t peer_describe(const struct peer_case *c,
                            const struct peer_engine *e, bool forward,
                            const_dnnl_primitive_desc_t hint,
                            dnnl_primitive_desc_t *out);

/* Tensors in the library's layouts. */
size_t peer_md_offset(const dnnl_memory_desc_t *md, const dnnl_dim_t *at);
float peer_load(dnnl_data_type_t t, const void *base, size_t k);
void peer_store(dnnl_data_type_t t, void *base, size_t k, float v);
/* The nearest value of the type, saturated if it is an integer. */
float peer_round(dnnl_data_type_t t, float v);
const char *peer_type_name(dnnl_data_type_t t);
/* The next index in row-major order; false behind the last one. */
bool peer_next(const dnnl_memory_desc_t *md, const dnnl_dim_t *limit,
               dnnl_dim_t *at);
/* The value of the k-th element of an argument, exact in type t. */
float peer_value(const struct peer_case *c, int arg, dnnl_data_type_t t,
                 size_t k);

/* An argument of a primitive with its memory. */
struct peer_arg {
    int arg;
    bool is_output;
    dnnl_memory_desc_t md;
    dnnl_memory_t memory;
    const struct peer_engine *on;
};
/* Its bytes, to be unmapped; NULL: they cannot be read. */
void *peer_map(const struct peer_arg *a);
bool peer_unmap(const struct peer_arg *a, void *p, bool changed);
#define PEER_MAX_ARGS 24
struct peer_run {
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    unsigned n;
    struct peer_arg arg[PEER_MAX_ARGS];
};
/* Creates, fills and executes; arguments that forward has and this needs, its
 * workspace, are taken from there. */
dnnl_status_t peer_run_make(struct peer_run *r, const struct peer_case *c,
                            const struct peer_engine *e, bool forward,
                            const struct peer_run *from);
void peer_run_free(struct peer_run *r);
const struct peer_arg *peer_run_find(const struct peer_run *r, int arg);

/* Compares all outputs; false: what has the first wrong element. */
bool peer_judge(const struct peer_case *c, const struct peer_run *seen,
                const struct peer_run *expected, char what[256]);

#endif
