/* SPDX-License-Identifier: Apache-2.0 */
/* benchdnn's criterion in version 2.6.3, in tests/benchdnn: utils/compare.cpp
 * for all, the thresholds in each primitive's own file. Convolutions and
 * products of whole numbers have none: they must be equal. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "peer.h"

static int digits(dnnl_data_type_t t)
{
    switch (t) {
    case dnnl_f16:
        return 11;
    case dnnl_bf16:
        return 8;
    case dnnl_s8:
        return 7;
    case dnnl_u8:
        return 8;
    case dnnl_s32:
        return 31;
    default:
        return 24;
    }
}

/* The distance of 1 from the next number; of whole numbers 0. */
static float epsilon(dnnl_data_type_t t)
{
    const bool is_float = t == dnnl_f32 || t == dnnl_f16 || t == dnnl_bf16;
    return is_float ? ldexpf(1.0f, 1 - digits(t)) : 1e-7f;
}

static float eltwise_threshold(const struct peer_case *c)
{
    if (c->src != dnnl_f32)
        return epsilon(c->src);
    switch (c->alg) {
    case dnnl_eltwise_gelu_tanh:
    case dnnl_eltwise_elu:
    case dnnl_eltwise_swish:
    case dnnl_eltwise_tanh:
    case dnnl_eltwise_soft_relu:
    case dnnl_eltwise_mish:
    case dnnl_eltwise_log:
        return 4e-5f;
    default:
        return 4e-6f;
    }
}

static float softmax_threshold(const struct peer_case *c)
{
    const bool back = c->dir == PEER_BWD_D;
    const dnnl_data_type_t t = back ? c->src : c->dst;
    const float f32 = t == dnnl_f32 ? 10 : 1;
    if (back)
        return 4 * f32 * epsilon(t);
    return (c->alg == dnnl_softmax_log ? 5 : 1) * f32 * epsilon(t);
}

static float norm_threshold(const struct peer_case *c, int arg)
{
    const float coefficient = ldexpf(1, 24 - digits(c->src));
    const bool is_data = arg == DNNL_ARG_DST || arg == DNNL_ARG_DIFF_SRC;
    if (c->op == PEER_LNORM && c->dir == PEER_BWD_W)
        return coefficient * 2e-7f;
    if (is_data)
        return coefficient * 5e-7f;
    return c->dir == PEER_BWD_W ? coefficient * 5e-6f : 0;
}

static float linear_threshold(const struct peer_case *c)
{
    const bool back = c->dir == PEER_BWD_D;
    const float from = epsilon(back ? c->dst : c->src),
                to = epsilon(back ? c->src : c->dst);
    return from > to ? from : 7 * to;
}

static float threshold(const struct peer_case *c, int arg)
{
    const dnnl_data_type_t t = c->dst;
    switch (c->op) {
    case PEER_ELTWISE:
        return eltwise_threshold(c);
    case PEER_SOFTMAX:
        return softmax_threshold(c);
    case PEER_BNORM:
    case PEER_LNORM:
        return norm_threshold(c, arg);
    case PEER_LRN:
        return 5 * 3 * epsilon(c->src);
    case PEER_REDUCTION:
        return 5 * epsilon(t);
    case PEER_BINARY:
        return epsilon(t);
    case PEER_SUM:
        return epsilon(t) * (float)c->n_in;
    case PEER_PRELU:
        return 2 * epsilon(c->src);
    case PEER_RESAMPLING:
        return c->alg == dnnl_resampling_nearest ? 0 : linear_threshold(c);
    case PEER_POOL:
        return c->alg == dnnl_pooling_max ? 0
               : t == dnnl_f32            ? 3e-7f
               : t == dnnl_f16            ? 4e-3f
               : t == dnnl_bf16           ? 5e-2f
                                          : 0;
    default:
        return 0;
    }
}

static bool has_eltwise(const struct peer_case *c)
{
    for (unsigned k = 0; k < c->n_post; k++)
        if (c->post[k].kind == PEER_ELTWISE_OP &&
            !peer_alg_is_exact(c->post[k].alg))
            return true;
    return false;
}

/* eltwise.cpp's check_abs_err: where a small difference of large numbers is
 * left, the absolute error counts; s is the source's element. */
static bool cancels_forward(const struct peer_case *c, float s, float error)
{
    const float v = tanhf(0.797884f * s * (1 + 0.044715f * s * s));
    switch (c->alg) {
    case dnnl_eltwise_elu:
        return s < 0 && fabsf(expf(s) - 1) <= error;
    case dnnl_eltwise_gelu_tanh:
        return fabsf(1 + v) <= error;
    case dnnl_eltwise_gelu_erf:
        return fabsf(1 + erff(s * 0.70710678f)) <= error;
    case dnnl_eltwise_soft_relu:
        return s < 0 && log1pf(expf(s)) <= 10 * error;
    case dnnl_eltwise_logsigmoid:
        return s >= 0 && log1pf(expf(-s)) <= 10 * error;
    case dnnl_eltwise_mish:
        return s < 0 && s * tanhf(log1pf(expf(s))) <= 10 * error;
    default:
        return false;
    }
}

static bool cancels_backward(const struct peer_case *c, float s, float error)
{
    const float v = tanhf(0.797884f * s * (1 + 0.044715f * s * s)),
                dg = 0.797884f * (1 + 3 * 0.044715f * s * s),
                w = s * 0.70710678f, as = c->alpha * s;
    switch (c->alg) {
    case dnnl_eltwise_gelu_tanh:
        return fabsf(1 + v) <= error ||
               (s < 0 && fabsf(1 + s * (1 - v) * dg) <= 4 * error);
    case dnnl_eltwise_gelu_erf:
        return fabsf(1 + erff(w) + w * 1.12837923f * expf(-w * w)) <= 2 * error;
    case dnnl_eltwise_tanh:
        return 1 - tanhf(fabsf(s)) <= error;
    case dnnl_eltwise_logistic:
        return s >= 0 && 1 / (1 + expf(s)) <= error;
    case dnnl_eltwise_swish:
        return as * (1 - 1 / (1 + expf(-as))) <= error;
    default:
        return false;
    }
}

/* Y = a X + b, where a X is close to -b: bnorm.cpp, lnorm.cpp. */
static bool cancels_norm(const struct peer_case *c, float eps, float shift,
                         float expected, float seen)
{
    if (c->op == PEER_LNORM)
        return fabsf(seen - shift) / (seen != 0 ? fabsf(seen) : 1) > 1 &&
               fabsf(expected - seen) <= eps;
    if (fabsf(expected - shift) / (expected != 0 ? fabsf(expected) : 1) <= 1)
        return false;
    return fabsf(expected - seen) <= eps * fabsf(expected - shift);
}

static float shift_of(const struct peer_case *c, const dnnl_dim_t *at)
{
    const int last = c->op == PEER_LNORM ? c->src_s.n - 1 : 1;
    const size_t k = (size_t)at[last];
    return c->flags & dnnl_use_shift
               ? peer_value(c, DNNL_ARG_SHIFT, dnnl_f32, k)
               : peer_value(c, DNNL_ARG_SCALE_SHIFT, dnnl_f32,
                            (size_t)c->src_s.d[last] + k);
}

struct element {
    size_t k; /* in row-major order */
    const dnnl_dim_t *at;
};

/* The primitive's own rule besides the threshold. */
static bool is_excused(const struct peer_case *c, float eps,
                       const struct element *e, float expected, float seen)
{
    const float diff = fabsf(expected - seen);
    const bool back = c->dir == PEER_BWD_D || c->dir == PEER_BWD_W;
    const unsigned affine =
        dnnl_use_scaleshift | dnnl_use_scale | dnnl_use_shift;
    switch (c->op) {
    case PEER_ELTWISE: {
        const float s = peer_value(c, DNNL_ARG_SRC, c->src, e->k),
                    error = 2 * FLT_EPSILON / eps;
        return diff <= eps && (back ? cancels_backward(c, s, error)
                                    : cancels_forward(c, s, error));
    }
    case PEER_SOFTMAX:
        return diff < epsilon(back ? c->src : c->dst);
    case PEER_BNORM:
    case PEER_LNORM:
        return !back && c->flags & affine &&
               cancels_norm(c, eps, shift_of(c, e->at), expected, seen);
    default:
        return false;
    }
}

struct value {
    dnnl_data_type_t type;
    float exact, seen;
};

static bool holds(const struct peer_case *c, float eps, const struct value *v)
{
    const dnnl_data_type_t t = v->type;
    const float exact = v->exact, seen = v->seen;
    const float expected = peer_round(t, exact), diff = fabsf(expected - seen),
                relative =
                    fabsf(expected) > FLT_MIN ? diff / fabsf(expected) : diff;
    if (seen == exact || seen == expected || (isnan(seen) && isnan(expected)))
        return true;
    if (isnan(exact) && (t == dnnl_s8 || t == dnnl_u8 || t == dnnl_s32))
        return true;
    if (fabsf(expected) <= 1e-5f && diff < FLT_EPSILON)
        return true;
    if ((fabsf(expected) > 1e-5f ? relative : diff) <= eps)
        return true;
    if (has_eltwise(c) &&
        (diff <= fmaxf(eps, 2e-5f) || relative <= fmaxf(eps, 8e-6f)))
        return true;
    const bool is_integer = t == dnnl_s8 || t == dnnl_u8 || t == dnnl_s32;
    const float half = fabsf(exact - floorf(exact) - 0.5f);
    return is_integer && diff == 1 && half < 9e-6f;
}

/* A backward normalisation is judged by the norm of its error. */
struct norm {
    double diff, expected;
};

static bool relies_on_norm(const struct peer_case *c)
{
    return (c->op == PEER_BNORM) && c->dir >= PEER_BWD_D;
}

static void say_where(const dnnl_memory_desc_t *md, const dnnl_dim_t *at,
                      char out[96])
{
    size_t n = 0;
    for (int k = 0; k < md->ndims && n < 80; k++)
        n += (size_t)snprintf(out + n, 96 - n, "%s%lld", k ? "," : "",
                              (long long)at[k]);
}

struct views {
    const struct peer_arg *seen, *expected;
    const void *seen_p, *expected_p;
};

static bool judge_padding(const struct views *v, char what[256])
{
    const dnnl_memory_desc_t *const md = &v->seen->md;
    dnnl_dims_t at = {0};
    char where[96];
    do {
        bool inside = true;
        for (int k = 0; k < md->ndims; k++)
            inside &= at[k] < md->dims[k];
        const size_t k = peer_md_offset(md, at);
        if (inside || peer_load(md->data_type, v->seen_p, k) == 0)
            continue;
        say_where(md, at, where);
        snprintf(what, 256, "argument %d: padding at %s is %g", v->seen->arg,
                 where, (double)peer_load(md->data_type, v->seen_p, k));
        return false;
    } while (peer_next(md, md->padded_dims, at));
    return true;
}

static bool judge_values(const struct peer_case *c, const struct views *v,
                         char what[256])
{
    const dnnl_memory_desc_t *const md = &v->seen->md, *const r =
                                                           &v->expected->md;
    const float eps = threshold(c, v->seen->arg);
    struct norm norm = {0, 0};
    dnnl_dims_t at = {0}, first = {0};
    size_t wrong = 0, n = 0;
    float exact = 0, seen = 0;
    do {
        const float x = peer_load(r->data_type, v->expected_p,
                                  peer_md_offset(r, at)),
                    s = peer_load(md->data_type, v->seen_p,
                                  peer_md_offset(md, at));
        const float y = peer_round(md->data_type, x);
        norm.diff += ((double)y - s) * ((double)y - s);
        norm.expected += (double)y * y;
        const struct value value = {md->data_type, x, s};
        const struct element e = {n, at};
        if (!holds(c, eps, &value) && !is_excused(c, eps, &e, y, s) &&
            !wrong++) {
            memcpy(first, at, sizeof first);
            exact = x;
            seen = s;
        }
        n++;
    } while (peer_next(md, md->dims, at));
    if (!wrong || (relies_on_norm(c) &&
                   sqrt(norm.diff) <= (double)eps * sqrt(norm.expected)))
        return judge_padding(v, what);
    char where[96];
    say_where(md, first, where);
    snprintf(what, 256,
             "argument %d: %zu of %zu wrong, first at %s: expected %.9g, seen "
             "%.9g",
             v->seen->arg, wrong, n, where, (double)exact, (double)seen);
    return false;
}

static bool judge_one(const struct peer_case *c, const struct peer_arg *seen,
                      const struct peer_arg *expected, char what[256])
{
    void *const p = peer_map(seen), *const q = peer_map(expected);
    snprintf(what, 256, "argument %d: its memory cannot be mapped", seen->arg);
    if (!p || !q)
        return false;
    const bool ok =
        judge_values(c, &(struct views){seen, expected, p, q}, what);
    peer_unmap(seen, p, false);
    peer_unmap(expected, q, false);
    return ok;
}

bool peer_judge(const struct peer_case *c, const struct peer_run *seen,
                const struct peer_run *expected, char what[256])
{
    unsigned n = 0;
    for (unsigned k = 0; k < seen->n; k++) {
        const struct peer_arg *const a = &seen->arg[k];
        if (!a->is_output || a->arg == DNNL_ARG_WORKSPACE)
            continue;
        const struct peer_arg *const b = peer_run_find(expected, a->arg);
        if (!b) {
            snprintf(what, 256, "argument %d: the CPU has none", a->arg);
            return false;
        }
        if (!judge_one(c, a, b, what))
            return false;
        n++;
    }
    if (!n)
        snprintf(what, 256, "nothing was compared");
    return n > 0;
}
