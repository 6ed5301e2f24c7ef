/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, filling, execution. */
#include <stdlib.h>
#include <string.h>

#include "peer.h"

static const int plain_args[] = {DNNL_ARG_SRC,
                                 DNNL_ARG_SRC_1,
                                 DNNL_ARG_WEIGHTS,
                                 DNNL_ARG_BIAS,
                                 DNNL_ARG_DST,
                                 DNNL_ARG_MEAN,
                                 DNNL_ARG_VARIANCE,
                                 DNNL_ARG_SCALE,
                                 DNNL_ARG_SHIFT,
                                 DNNL_ARG_WORKSPACE,
                                 DNNL_ARG_DIFF_SRC,
                                 DNNL_ARG_DIFF_DST,
                                 DNNL_ARG_DIFF_WEIGHTS,
                                 DNNL_ARG_DIFF_BIAS,
                                 DNNL_ARG_DIFF_SCALE,
                                 DNNL_ARG_DIFF_SHIFT,
                                 DNNL_ARG_MULTIPLE_SRC,
                                 DNNL_ARG_MULTIPLE_SRC + 1,
                                 DNNL_ARG_MULTIPLE_SRC + 2,
                                 DNNL_ARG_MULTIPLE_SRC + 3};

const struct peer_arg *peer_run_find(const struct peer_run *r, int arg)
{
    for (unsigned k = 0; r && k < r->n; k++)
        if (r->arg[k].arg == arg)
            return &r->arg[k];
    return NULL;
}

static bool is_output(const struct peer_case *c, bool forward, int arg)
{
    const bool back =
        !forward && (c->dir == PEER_BWD_D || c->dir == PEER_BWD_W);
    switch (arg) {
    case DNNL_ARG_DIFF_SRC:
    case DNNL_ARG_DIFF_WEIGHTS:
    case DNNL_ARG_DIFF_BIAS:
    case DNNL_ARG_DIFF_SCALE:
    case DNNL_ARG_DIFF_SHIFT:
        return true;
    case DNNL_ARG_DST:
    case DNNL_ARG_WORKSPACE:
        return !back;
    case DNNL_ARG_MEAN:
    case DNNL_ARG_VARIANCE:
        return !back && !(c->flags & dnnl_use_global_stats);
    default:
        return false;
    }
}

static bool adds_to_output(const struct peer_case *c)
{
    for (unsigned k = 0; k < c->n_post; k++)
        if (c->post[k].kind == PEER_SUM_OP)
            return true;
    return false;
}

static void fill(const struct peer_case *c, const struct peer_arg *a,
                 dnnl_data_type_t exact_in, void *p)
{
    const dnnl_memory_desc_t *const md = &a->md;
    memset(p, 0, dnnl_memory_desc_get_size(md));
    dnnl_dims_t at = {0};
    size_t k = 0;
    do
        peer_store(md->data_type, p, peer_md_offset(md, at),
                   peer_value(c, a->arg, exact_in, k++));
    while (peer_next(md, md->dims, at));
}

/* Both engines compute from values that the smaller type holds. */
static dnnl_data_type_t exact_type(const struct peer_case *c, int arg,
                                   dnnl_data_type_t t)
{
    switch (arg) {
    case DNNL_ARG_SRC:
        return c->src;
    case DNNL_ARG_SRC_1:
    case DNNL_ARG_WEIGHTS:
        return c->wei;
    case DNNL_ARG_DST:
    case DNNL_ARG_DIFF_DST:
        return c->op == PEER_ELTWISE ? c->src : c->dst;
    case DNNL_ARG_BIAS:
        return c->bias ? c->bias : c->wei;
    default:
        return arg >= DNNL_ARG_MULTIPLE_SRC && arg < DNNL_ARG_MULTIPLE_SRC + 64
                   ? c->src
                   : t;
    }
}

static dnnl_status_t fill_memory(const struct peer_case *c,
                                 const struct peer_arg *a,
                                 const struct peer_run *from)
{
    const size_t size_b = dnnl_memory_desc_get_size(&a->md);
    const struct peer_arg *const ready =
        a->arg == DNNL_ARG_WORKSPACE && !a->is_output
            ? peer_run_find(from, a->arg)
            : NULL;
    void *const p = peer_map(a), *const q = ready ? peer_map(ready) : NULL;
    if (!p || (ready && !q))
        return dnnl_runtime_error;
    if (ready) {
        memcpy(p, q, size_b);
        peer_unmap(ready, q, false);
    } else if (a->is_output && !(a->arg == DNNL_ARG_DST && adds_to_output(c))) {
        memset(p, 0xff, size_b);
    } else if (a->arg & DNNL_ARG_ATTR_ZERO_POINTS) {
        const int32_t v = c->zp[(a->arg & DNNL_ARG_DST) == DNNL_ARG_DST];
        for (size_t k = 0; k < size_b / 4; k++)
            ((int32_t *)p)[k] = v;
    } else {
        fill(c, a, exact_type(c, a->arg, a->md.data_type), p);
    }
    return peer_unmap(a, p, true) ? dnnl_success : dnnl_runtime_error;
}

static dnnl_status_t add(struct peer_run *r, const struct peer_case *c,
                         const struct peer_engine *e, bool forward, int arg,
                         const dnnl_memory_desc_t *md)
{
    if (!md || !md->ndims || peer_run_find(r, arg))
        return dnnl_success;
    if (r->n == PEER_MAX_ARGS)
        return dnnl_out_of_memory;
    struct peer_arg *const a = &r->arg[r->n];
    *a = (struct peer_arg){arg, is_output(c, forward, arg), *md, NULL, e};
    const dnnl_status_t s =
        dnnl_memory_create(&a->memory, md, e->engine, DNNL_MEMORY_ALLOCATE);
    if (s == dnnl_success)
        r->n++;
    return s;
}

static dnnl_status_t add_zero_points(struct peer_run *r,
                                     const struct peer_case *c,
                                     const struct peer_engine *e)
{
    static const int args[2] = {DNNL_ARG_SRC, DNNL_ARG_DST};
    dnnl_status_t s = dnnl_success;
    for (int k = 0; k < 2 && s == dnnl_success; k++) {
        if (!c->has_zp[k] || !c->zp_runtime)
            continue;
        const dnnl_dims_t d = {c->zp_mask[k] ? (k ? c->dst_s : c->src_s).d[1]
                                             : 1};
        dnnl_memory_desc_t md;
        s = dnnl_memory_desc_init_by_tag(&md, 1, d, dnnl_s32, dnnl_a);
        if (s == dnnl_success)
            s = add(r, c, e, true, DNNL_ARG_ATTR_ZERO_POINTS | args[k], &md);
    }
    return s;
}

/* What a post-op reads besides. */
static dnnl_status_t add_post_op(struct peer_run *r, const struct peer_case *c,
                                 const struct peer_engine *e, int k)
{
    const bool is_prelu = c->post[k].kind == PEER_PRELU_OP;
    const int arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(k) |
                    (is_prelu ? DNNL_ARG_WEIGHTS : DNNL_ARG_SRC_1);
    if (!is_prelu)
        return add(
            r, c, e, true, arg,
            dnnl_primitive_desc_query_md(r->pd, dnnl_query_exec_arg_md, arg));
    dnnl_dims_t d, stride;
    dnnl_dim_t step = 1;
    for (int i = c->dst_s.n - 1; i >= 0; i--) {
        d[i] = c->post[k].mask >> i & 1 ? c->dst_s.d[i] : 1;
        stride[i] = step;
        step *= d[i];
    }
    dnnl_memory_desc_t md;
    const dnnl_status_t s =
        dnnl_memory_desc_init_by_strides(&md, c->dst_s.n, d, dnnl_f32, stride);
    return s == dnnl_success ? add(r, c, e, true, arg, &md) : s;
}

static dnnl_status_t add_all(struct peer_run *r, const struct peer_case *c,
                             const struct peer_engine *e, bool forward)
{
    dnnl_status_t s = dnnl_success;
    for (unsigned k = 0;
         k < sizeof plain_args / sizeof *plain_args && s == dnnl_success; k++)
        s = add(r, c, e, forward, plain_args[k],
                dnnl_primitive_desc_query_md(r->pd, dnnl_query_exec_arg_md,
                                             plain_args[k]));
    for (unsigned k = 0; k < c->n_post && s == dnnl_success; k++)
        if (c->post[k].kind == PEER_BINARY_OP ||
            c->post[k].kind == PEER_PRELU_OP)
            s = add_post_op(r, c, e, (int)k);
    return s == dnnl_success ? add_zero_points(r, c, e) : s;
}

static dnnl_status_t execute(const struct peer_run *r,
                             const struct peer_engine *e)
{
    dnnl_exec_arg_t arg[PEER_MAX_ARGS];
    for (unsigned k = 0; k < r->n; k++)
        arg[k] = (dnnl_exec_arg_t){r->arg[k].arg, r->arg[k].memory};
    const dnnl_status_t s =
        dnnl_primitive_execute(r->primitive, e->stream, (int)r->n, arg);
    return s == dnnl_success ? dnnl_stream_wait(e->stream) : s;
}

dnnl_status_t peer_run_make(struct peer_run *r, const struct peer_case *c,
                            const struct peer_engine *e, bool forward,
                            const struct peer_run *from)
{
    memset(r, 0, sizeof *r);
    dnnl_status_t s =
        peer_describe(c, e, forward, from ? from->pd : NULL, &r->pd);
    if (s != dnnl_success)
        return s;
    s = dnnl_primitive_create(&r->primitive, r->pd);
    if (s == dnnl_success)
        s = add_all(r, c, e, forward);
    for (unsigned k = 0; k < r->n && s == dnnl_success; k++)
        s = fill_memory(c, &r->arg[k], from);
    return s == dnnl_success ? execute(r, e) : s;
}

void peer_run_free(struct peer_run *r)
{
    for (unsigned k = 0; k < r->n; k++)
        dnnl_memory_destroy(r->arg[k].memory);
    if (r->primitive)
        dnnl_primitive_destroy(r->primitive);
    if (r->pd)
        dnnl_primitive_desc_destroy(r->pd);
    memset(r, 0, sizeof *r);
}
