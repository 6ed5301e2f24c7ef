/* SPDX-License-Identifier: Apache-2.0 */
/* The library's descriptors of a line. */
#include <string.h>

#include "peer.h"

static dnnl_data_type_t type_on(const struct peer_case *c,
                                const struct peer_engine *e, dnnl_data_type_t t)
{
    if (!e->is_reference || t == dnnl_data_type_undef)
        return t;
    const bool sums = c->op == PEER_CONV || c->op == PEER_DECONV ||
                      c->op == PEER_MATMUL || c->op == PEER_IP;
    const bool is_integer = t == dnnl_s8 || t == dnnl_u8 || t == dnnl_s32;
    return sums && is_integer && !e->widened ? t : dnnl_f32;
}

/* Plain tensors by the order of their dimensions; some blocked ones by name. */
static dnnl_status_t of_letters(dnnl_memory_desc_t *md, int n,
                                const dnnl_dims_t d, dnnl_data_type_t t,
                                const char *tag)
{
    dnnl_dims_t stride;
    dnnl_dim_t step = 1;
    if ((int)strlen(tag) != n)
        return dnnl_invalid_arguments;
    for (int k = n - 1; k >= 0; k--) {
        const int dim = tag[k] - 'a';
        if (dim < 0 || dim >= n)
            return dnnl_invalid_arguments;
        stride[dim] = step;
        step *= d[dim];
    }
    return dnnl_memory_desc_init_by_strides(md, n, d, t, stride);
}

static dnnl_format_tag_t blocked(const char *tag, int n)
{
    static const struct {
        const char *name;
        int n;
        dnnl_format_tag_t tag;
    } row[] = {
        {"aBx16b", 3, dnnl_aBc16b},        {"aBx16b", 4, dnnl_aBcd16b},
        {"aBx16b", 5, dnnl_aBcde16b},      {"aBx32b", 4, dnnl_aBcd32b},
        {"ABx16a16b", 4, dnnl_ABcd16a16b}, {"ABx32a16b", 4, dnnl_ABcd32a16b},
        {"ABx16b16a", 4, dnnl_ABcd16b16a}, {"ABx32a32b", 4, dnnl_ABcd32a32b},
        {"aBx4b", 4, dnnl_aBcd4b},         {"aBx8b", 4, dnnl_aBcd8b},
    };
    for (unsigned k = 0; k < sizeof row / sizeof *row; k++)
        if (row[k].n == n && !strcmp(row[k].name, tag))
            return row[k].tag;
    return dnnl_format_tag_undef;
}

static dnnl_status_t describe_tensor(const struct peer_case *c,
                                     const struct peer_engine *e,
                                     const struct peer_shape *s,
                                     dnnl_data_type_t type, const char *tag,
                                     dnnl_memory_desc_t *md)
{
    const dnnl_data_type_t t = type_on(c, e, type);
    char letters[8] = "abcdefg";
    letters[s->n] = 0;
    if (e->is_reference || !strcmp(tag, "abx"))
        return of_letters(md, s->n, s->d, t, letters);
    if (!strcmp(tag, "any"))
        return dnnl_memory_desc_init_by_tag(md, s->n, s->d, t,
                                            dnnl_format_tag_any);
    if (!strcmp(tag, "axb")) {
        memmove(letters + 1, letters + 2, (size_t)s->n - 1);
        letters[s->n - 1] = 'b';
        return of_letters(md, s->n, s->d, t, letters);
    }
    const dnnl_format_tag_t b = blocked(tag, s->n);
    if (b != dnnl_format_tag_undef)
        return dnnl_memory_desc_init_by_tag(md, s->n, s->d, t, b);
    return of_letters(md, s->n, s->d, t, tag);
}

struct tensors {
    dnnl_memory_desc_t src, wei, bias, dst, in[PEER_MAX_SHAPES];
};

/* Not every primitive takes a tensor of any layout. */
static const char *tag_of(const struct peer_case *c, const char *tag)
{
    const bool may_be_any = c->op == PEER_CONV || c->op == PEER_DECONV ||
                            c->op == PEER_IP || c->op == PEER_MATMUL;
    return !may_be_any && !strcmp(tag, "any") ? "abx" : tag;
}

static dnnl_status_t make_tensors(const struct peer_case *c,
                                  const struct peer_engine *e,
                                  struct tensors *t)
{
    memset(t, 0, sizeof *t);
    dnnl_status_t s =
        describe_tensor(c, e, &c->src_s, c->src, tag_of(c, c->stag), &t->src);
    const char *const dtag = !strcmp(c->dtag, "any") && c->op != PEER_REORDER
                                 ? tag_of(c, c->stag)
                                 : tag_of(c, c->dtag);
    if (s == dnnl_success)
        s = describe_tensor(c, e, &c->dst_s, c->dst,
                            c->op == PEER_IP ? c->dtag : dtag, &t->dst);
    if (s == dnnl_success && c->wei_s.n)
        s = describe_tensor(c, e, &c->wei_s, c->wei, tag_of(c, c->wtag),
                            &t->wei);
    if (s == dnnl_success && c->has_bias && c->bias_s.n) {
        const bool is_integer = c->src == dnnl_u8 || c->src == dnnl_s8;
        const dnnl_data_type_t type = c->bias      ? c->bias
                                      : is_integer ? dnnl_f32
                                                   : c->wei;
        s = describe_tensor(c, e, &c->bias_s, type, "abx", &t->bias);
    }
    for (unsigned k = 0; k < c->n_in && s == dnnl_success; k++)
        s = describe_tensor(c, e, &c->in_s[k], c->src, tag_of(c, c->stag),
                            &t->in[k]);
    return s;
}

union any_desc {
    dnnl_convolution_desc_t conv;
    dnnl_inner_product_desc_t ip;
    dnnl_matmul_desc_t matmul;
    dnnl_pooling_v2_desc_t pool;
    dnnl_eltwise_desc_t eltwise;
    dnnl_softmax_v2_desc_t softmax;
    dnnl_batch_normalization_desc_t bnorm;
    dnnl_layer_normalization_desc_t lnorm;
    dnnl_lrn_desc_t lrn;
    dnnl_reduction_desc_t reduction;
    dnnl_binary_desc_t binary;
    dnnl_shuffle_desc_t shuffle;
    dnnl_prelu_desc_t prelu;
    dnnl_resampling_desc_t resampling;
};

static const dnnl_memory_desc_t *if_any(const dnnl_memory_desc_t *md)
{
    return md->ndims ? md : NULL;
}

static dnnl_prop_kind_t forward_kind(const struct peer_case *c)
{
    return c->dir == PEER_FWD_INFERENCE ? dnnl_forward_inference
                                        : dnnl_forward_training;
}

static dnnl_status_t conv(const struct peer_case *c, const struct tensors *t,
                          enum peer_dir dir, union any_desc *d)
{
    if (dir == PEER_BWD_D)
        return dnnl_dilated_convolution_backward_data_desc_init(
            &d->conv, c->alg, &t->src, &t->wei, &t->dst, c->stride, c->dilate,
            c->pad_l, c->pad_r);
    if (dir == PEER_BWD_W)
        return dnnl_dilated_convolution_backward_weights_desc_init(
            &d->conv, c->alg, &t->src, &t->wei, if_any(&t->bias), &t->dst,
            c->stride, c->dilate, c->pad_l, c->pad_r);
    return dnnl_dilated_convolution_forward_desc_init(
        &d->conv, forward_kind(c), c->alg, &t->src, &t->wei, if_any(&t->bias),
        &t->dst, c->stride, c->dilate, c->pad_l, c->pad_r);
}

static dnnl_status_t deconv(const struct peer_case *c, const struct tensors *t,
                            enum peer_dir dir, union any_desc *d)
{
    const dnnl_alg_kind_t alg = dnnl_deconvolution_direct;
    if (dir == PEER_BWD_D)
        return dnnl_dilated_deconvolution_backward_data_desc_init(
            &d->conv, alg, &t->src, &t->wei, &t->dst, c->stride, c->dilate,
            c->pad_l, c->pad_r);
    if (dir == PEER_BWD_W)
        return dnnl_dilated_deconvolution_backward_weights_desc_init(
            &d->conv, alg, &t->src, &t->wei, if_any(&t->bias), &t->dst,
            c->stride, c->dilate, c->pad_l, c->pad_r);
    return dnnl_dilated_deconvolution_forward_desc_init(
        &d->conv, forward_kind(c), alg, &t->src, &t->wei, if_any(&t->bias),
        &t->dst, c->stride, c->dilate, c->pad_l, c->pad_r);
}

static dnnl_status_t inner_product(const struct peer_case *c,
                                   const struct tensors *t, enum peer_dir dir,
                                   union any_desc *d)
{
    if (dir == PEER_BWD_D)
        return dnnl_inner_product_backward_data_desc_init(&d->ip, &t->src,
                                                          &t->wei, &t->dst);
    if (dir == PEER_BWD_W)
        return dnnl_inner_product_backward_weights_desc_init(
            &d->ip, &t->src, &t->wei, if_any(&t->bias), &t->dst);
    return dnnl_inner_product_forward_desc_init(
        &d->ip, forward_kind(c), &t->src, &t->wei, if_any(&t->bias), &t->dst);
}

static dnnl_status_t pool(const struct peer_case *c, const struct tensors *t,
                          enum peer_dir dir, union any_desc *d)
{
    if (dir == PEER_BWD_D)
        return dnnl_pooling_v2_backward_desc_init(
            &d->pool, c->alg, &t->src, &t->dst, c->stride, c->kernel, c->dilate,
            c->pad_l, c->pad_r);
    return dnnl_pooling_v2_forward_desc_init(
        &d->pool, forward_kind(c), c->alg, &t->src, &t->dst, c->stride,
        c->kernel, c->dilate, c->pad_l, c->pad_r);
}

static dnnl_status_t pointwise(const struct peer_case *c,
                               const struct tensors *t, enum peer_dir dir,
                               union any_desc *d)
{
    const bool back = dir == PEER_BWD_D || dir == PEER_BWD_W;
    switch (c->op) {
    case PEER_ELTWISE:
        return back
                   ? dnnl_eltwise_backward_desc_init(&d->eltwise, c->alg,
                                                     &t->src, &t->src, c->alpha,
                                                     c->beta)
                   : dnnl_eltwise_forward_desc_init(&d->eltwise,
                                                    forward_kind(c), c->alg,
                                                    &t->src, c->alpha, c->beta);
    case PEER_SOFTMAX:
        return back ? dnnl_softmax_v2_backward_desc_init(&d->softmax, c->alg,
                                                         &t->src, &t->dst,
                                                         &t->dst, c->axis)
                    : dnnl_softmax_v2_forward_desc_init(
                          &d->softmax, forward_kind(c), c->alg, &t->src,
                          &t->dst, c->axis);
    case PEER_SHUFFLE:
        return back ? dnnl_shuffle_backward_desc_init(&d->shuffle, &t->src,
                                                      c->axis, c->group)
                    : dnnl_shuffle_forward_desc_init(&d->shuffle,
                                                     forward_kind(c), &t->src,
                                                     c->axis, c->group);
    default:
        return back ? dnnl_prelu_backward_desc_init(&d->prelu, &t->src, &t->wei,
                                                    &t->src, &t->wei)
                    : dnnl_prelu_forward_desc_init(&d->prelu, forward_kind(c),
                                                   &t->src, &t->wei);
    }
}

/* 0: with variances that are powers of four nothing is rounded. */
static float norm_epsilon(const struct peer_case *c)
{
    return c->flags & dnnl_use_global_stats ? 0 : 0x1p-10f;
}

static dnnl_status_t normalise(const struct peer_case *c,
                               const struct tensors *t, enum peer_dir dir,
                               union any_desc *d)
{
    const bool back = dir == PEER_BWD_D || dir == PEER_BWD_W;
    const dnnl_prop_kind_t kind =
        dir == PEER_BWD_W ? dnnl_backward : dnnl_backward_data;
    dnnl_memory_desc_t stats;
    switch (c->op) {
    case PEER_BNORM:
        return back ? dnnl_batch_normalization_backward_desc_init(
                          &d->bnorm, kind, &t->src, &t->src, norm_epsilon(c),
                          c->flags)
                    : dnnl_batch_normalization_forward_desc_init(
                          &d->bnorm, forward_kind(c), &t->src, norm_epsilon(c),
                          c->flags);
    case PEER_LRN:
        return back ? dnnl_lrn_backward_desc_init(&d->lrn, c->alg, &t->src,
                                                  &t->src, 5, 1e-4f, 0.75f, 1)
                    : dnnl_lrn_forward_desc_init(&d->lrn, forward_kind(c),
                                                 c->alg, &t->src, 5, 1e-4f,
                                                 0.75f, 1);
    default:
        break;
    }
    static const char *const letters[] = {"", "a", "ab", "abc", "abcd"};
    const int n = c->src_s.n - 1;
    const dnnl_status_t status =
        n < 1 || n > 4
            ? dnnl_invalid_arguments
            : of_letters(&stats, n, c->src_s.d, dnnl_f32, letters[n]);
    if (status != dnnl_success)
        return status;
    return back ? dnnl_layer_normalization_backward_desc_init(
                      &d->lnorm, kind, &t->src, &t->src, &stats,
                      norm_epsilon(c), c->flags)
                : dnnl_layer_normalization_forward_desc_init(
                      &d->lnorm, forward_kind(c), &t->src, &stats,
                      norm_epsilon(c), c->flags);
}

static dnnl_status_t other(const struct peer_case *c, const struct tensors *t,
                           enum peer_dir dir, union any_desc *d)
{
    switch (c->op) {
    case PEER_MATMUL:
        return dnnl_matmul_desc_init(&d->matmul, &t->src, &t->wei,
                                     if_any(&t->bias), &t->dst);
    case PEER_REDUCTION:
        return dnnl_reduction_desc_init(&d->reduction, c->alg, &t->src, &t->dst,
                                        c->alpha, c->beta);
    case PEER_BINARY:
        return dnnl_binary_desc_init(&d->binary, c->alg, &t->src, &t->wei,
                                     &t->dst);
    default:
        return dir == PEER_BWD_D
                   ? dnnl_resampling_backward_desc_init(&d->resampling, c->alg,
                                                        NULL, &t->src, &t->dst)
                   : dnnl_resampling_forward_desc_init(&d->resampling,
                                                       forward_kind(c), c->alg,
                                                       NULL, &t->src, &t->dst);
    }
}

static dnnl_status_t describe(const struct peer_case *c,
                              const struct tensors *t, enum peer_dir dir,
                              union any_desc *d)
{
    switch (c->op) {
    case PEER_CONV:
        return conv(c, t, dir, d);
    case PEER_DECONV:
        return deconv(c, t, dir, d);
    case PEER_IP:
        return inner_product(c, t, dir, d);
    case PEER_POOL:
        return pool(c, t, dir, d);
    case PEER_ELTWISE:
    case PEER_SOFTMAX:
    case PEER_SHUFFLE:
    case PEER_PRELU:
        return pointwise(c, t, dir, d);
    case PEER_BNORM:
    case PEER_LNORM:
    case PEER_LRN:
        return normalise(c, t, dir, d);
    default:
        return other(c, t, dir, d);
    }
}

static dnnl_status_t append_binary(const struct peer_case *c,
                                   const struct peer_engine *e,
                                   const struct peer_post_op *p,
                                   dnnl_post_ops_t ops)
{
    struct peer_shape s = c->dst_s;
    dnnl_memory_desc_t md;
    for (int k = 0; k < s.n; k++)
        if (!(p->mask >> k & 1))
            s.d[k] = 1;
    const dnnl_status_t status = describe_tensor(c, e, &s, p->dt, "abx", &md);
    return status == dnnl_success
               ? dnnl_post_ops_append_binary(ops, p->alg, &md)
               : status;
}

static dnnl_status_t append(const struct peer_case *c,
                            const struct peer_engine *e,
                            const struct peer_post_op *p, dnnl_post_ops_t ops)
{
    switch (p->kind) {
    case PEER_SUM_OP:
        return dnnl_post_ops_append_sum(ops, p->alpha);
    case PEER_ELTWISE_OP:
        return dnnl_post_ops_append_eltwise(ops, 1.0f, p->alg, p->alpha,
                                            p->beta);
    case PEER_BINARY_OP:
        return append_binary(c, e, p, ops);
    default:
        return dnnl_post_ops_append_prelu(ops, p->mask);
    }
}

static dnnl_status_t set_scales(const struct peer_case *c,
                                dnnl_primitive_attr_t a)
{
    static float scale[1024];
    const dnnl_dim_t n = c->oscale_mask ? c->dst_s.d[1] : 1;
    if (n > 1024)
        return dnnl_invalid_arguments;
    for (dnnl_dim_t k = 0; k < n; k++)
        scale[k] = c->oscale * (float)(1 << k % 3);
    return dnnl_primitive_attr_set_output_scales(a, n, c->oscale_mask, scale);
}

static dnnl_status_t set_zero_point(const struct peer_case *c, int k,
                                    dnnl_primitive_attr_t a)
{
    static const int arg[2] = {DNNL_ARG_SRC, DNNL_ARG_DST};
    const int32_t v = c->zp_runtime ? DNNL_RUNTIME_S32_VAL : c->zp[k];
    return dnnl_primitive_attr_set_zero_points(a, arg[k], 1, c->zp_mask[k], &v);
}

static dnnl_status_t set_attr(const struct peer_case *c,
                              const struct peer_engine *e,
                              dnnl_primitive_attr_t a)
{
    dnnl_status_t s = c->oscale_mask >= 0 ? set_scales(c, a) : dnnl_success;
    for (int k = 0; k < 2 && s == dnnl_success; k++)
        if (c->has_zp[k])
            s = set_zero_point(c, k, a);
    if (s != dnnl_success || !c->n_post)
        return s;
    dnnl_post_ops_t ops;
    s = dnnl_post_ops_create(&ops);
    if (s != dnnl_success)
        return s;
    for (unsigned k = 0; k < c->n_post && s == dnnl_success; k++)
        s = append(c, e, &c->post[k], ops);
    if (s == dnnl_success)
        s = dnnl_primitive_attr_set_post_ops(a, ops);
    dnnl_post_ops_destroy(ops);
    return s;
}

static dnnl_status_t create(const struct peer_case *c,
                            const struct peer_engine *e, bool forward,
                            const_dnnl_primitive_desc_t hint,
                            const_dnnl_primitive_attr_t a,
                            dnnl_primitive_desc_t *out)
{
    static const float scales[PEER_MAX_SHAPES] = {1.0f, 0.5f, 2.0f, -1.0f};
    struct tensors t;
    union any_desc d;
    dnnl_status_t s = make_tensors(c, e, &t);
    if (s != dnnl_success)
        return s;
    switch (c->op) {
    case PEER_REORDER:
        return dnnl_reorder_primitive_desc_create(out, &t.src, e->engine,
                                                  &t.dst, e->engine, a);
    case PEER_CONCAT:
        return dnnl_concat_primitive_desc_create(out, &t.dst, (int)c->n_in,
                                                 c->axis, t.in, a, e->engine);
    case PEER_SUM:
        return dnnl_sum_primitive_desc_create(out, &t.dst, (int)c->n_in, scales,
                                              t.in, a, e->engine);
    default:
        break;
    }
    s = describe(c, &t, forward ? PEER_FWD : c->dir, &d);
    return s == dnnl_success
               ? dnnl_primitive_desc_create(out, &d, a, e->engine, hint)
               : s;
}

dnnl_status_t peer_describe(const struct peer_case *c,
                            const struct peer_engine *e, bool forward,
                            const_dnnl_primitive_desc_t hint,
                            dnnl_primitive_desc_t *out)
{
    dnnl_primitive_attr_t a;
    dnnl_status_t s = dnnl_primitive_attr_create(&a);
    if (s != dnnl_success)
        return s;
    s = set_attr(c, e, a);
    if (s == dnnl_success)
        s = create(c, e, forward, hint, a, out);
    dnnl_primitive_attr_destroy(a);
    return s;
}
