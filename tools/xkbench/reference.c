/* SPDX-License-Identifier: Apache-2.0 */
/* The expected result from oneDNN's CPU library, which shares nothing with
 * xekern. Formats are oneDNN's own choice; the plain arrays are reordered. It
 * runs in f32 for every type: f16 and 8-bit values are f32 values, sums below
 * 2^24 are exact, and oneDNN's u8s8 would saturate 16-bit pairs without VNNI.
 * What follows conv + bias is exact arithmetic in types.c. */
#include <string.h>

#include "tools/problem/words.h"
#include "tools/xkbench/bench.h"

#ifdef XK_HAVE_DNNL

#include <oneapi/dnnl/dnnl.h>

/* Everything the calls below make, for one release at the end. */
struct job {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t prim;
    dnnl_memory_t plain[4], best[4]; /* src wei bia dst */
    const char *failed;
    dnnl_status_t why;
};

/* Runs a call unless one failed before; remembers the first that fails. */
#define CALL(j, call)                                                          \
    do {                                                                       \
        if (!(j)->failed && ((j)->why = (call)) != dnnl_success)               \
            (j)->failed = #call;                                               \
    } while (0)

/* A window moves over pixels: src's, of a deconvolution dst's. */
static int window_pixels(const struct xk_conv_desc *d)
{
    return xk_bench_is_deconv(d) ? XK_ARG_DST : XK_ARG_SRC;
}

/* One dimension as oneDNN sees it. Pixels that no tap reaches are cut, so that
 * the padding behind is never negative. */
struct axis {
    int64_t pixels, seen, places, k, stride, dilation, pad_l, pad_r;
};

static struct axis make_axis(int64_t pixels, int64_t places, int64_t k,
                             int64_t s, int64_t d, int64_t pad)
{
    const int64_t reach = (places - 1) * s + (k - 1) * (d + 1) + 1 - pad;
    struct axis a = {pixels, pixels, places, k, s, d, pad, 0};
    if (reach >= pixels)
        a.pad_r = reach - pixels;
    else
        a.seen = reach;
    return a;
}

/* What no tap reaches, or there is no image: forward only bias is there, and a
 * gradient is 0. */
static void without_products(const struct xk_conv_desc *d,
                             float *const tensor[XK_N_CONV_ARGS])
{
    const int64_t image = d->od * d->oh * d->ow;
    const float *const bia = tensor[XK_ARG_BIA];
    const int64_t src_n = d->mb * d->ic * d->id * d->ih * d->iw;
    const int64_t wei_n = d->oc * d->ic / d->g * d->kd * d->kh * d->kw;
    if (d->prop == XK_BWD_D)
        memset(tensor[XK_ARG_SRC], 0, (size_t)src_n * sizeof(float));
    else if (xk_bench_is_gradient(d))
        memset(tensor[XK_ARG_WEI], 0, (size_t)wei_n * sizeof(float));
    else
        for (int64_t i = 0; i < d->mb * d->oc * image; i++)
            tensor[XK_ARG_DST][i] = bia ? bia[i / image % d->oc] : 0.0f;
}

/* The gradient of the bias is the sum of dst's over all but channels. */
static void sum_bias(const struct xk_conv_desc *d, const float *dst, float *bia)
{
    const int64_t image = d->od * d->oh * d->ow;
    for (int64_t c = 0; c < d->oc; c++) {
        double sum = 0;
        for (int64_t n = 0; n < d->mb; n++)
            for (int64_t i = 0; i < image; i++)
                sum += (double)dst[(n * d->oc + c) * image + i];
        bia[c] = (float)sum;
    }
}

/* The problem as oneDNN sees it: of each tensor its dims and the part that is
 * seen. Weights of several groups have them in front, and channels of one. */
struct shape {
    int ndims[XK_N_CONV_ARGS], n_axes;
    dnnl_dims_t dims[XK_N_CONV_ARGS], seen[XK_N_CONV_ARGS];
    dnnl_dims_t stride, dilation, pad_l, pad_r;
};

static void add_dim(struct shape *s, int arg, int64_t extent, int64_t seen)
{
    s->dims[arg][s->ndims[arg]] = extent;
    s->seen[arg][s->ndims[arg]++] = seen;
}

static void add_spatial_dims(struct shape *s, const struct xk_conv_desc *d,
                             const struct axis *a)
{
    const int pixels = window_pixels(d);
    add_dim(s, pixels, a->pixels, a->seen);
    add_dim(s, XK_ARG_SRC + XK_ARG_DST - pixels, a->places, a->places);
    add_dim(s, XK_ARG_WEI, a->k, a->k);
    s->stride[s->n_axes] = a->stride;
    s->dilation[s->n_axes] = a->dilation;
    s->pad_l[s->n_axes] = a->pad_l;
    s->pad_r[s->n_axes++] = a->pad_r;
}

/* Five dims where depth does anything. */
static struct shape make_shape(const struct xk_conv_desc *d)
{
    const int64_t size[2][3] = {{d->id, d->ih, d->iw}, {d->od, d->oh, d->ow}};
    const int64_t *const in = size[xk_bench_is_deconv(d)];
    const int64_t *const out = size[!xk_bench_is_deconv(d)];
    const struct axis axes[3] = {
        make_axis(in[0], out[0], d->kd, d->sd, d->dd, d->pd),
        make_axis(in[1], out[1], d->kh, d->sh, d->dh, d->ph),
        make_axis(in[2], out[2], d->kw, d->sw, d->dw, d->pw)};
    struct shape s = {.n_axes = 0};
    if (d->g > 1)
        add_dim(&s, XK_ARG_WEI, d->g, d->g);
    add_dim(&s, XK_ARG_WEI, d->oc / d->g, d->oc / d->g);
    add_dim(&s, XK_ARG_WEI, d->ic / d->g, d->ic / d->g);
    add_dim(&s, XK_ARG_BIA, d->oc, d->oc);
    add_dim(&s, XK_ARG_SRC, d->mb, d->mb);
    add_dim(&s, XK_ARG_SRC, d->ic, d->ic);
    add_dim(&s, XK_ARG_DST, d->mb, d->mb);
    add_dim(&s, XK_ARG_DST, d->oc, d->oc);
    if (d->id != 1 || d->od != 1 || d->kd != 1 || d->pd != 0)
        add_spatial_dims(&s, d, &axes[0]);
    add_spatial_dims(&s, d, &axes[1]);
    add_spatial_dims(&s, d, &axes[2]);
    return s;
}

static bool reads_nothing(const struct shape *s, int pixels)
{
    for (int i = 0; i < s->ndims[pixels]; i++)
        if (s->seen[pixels][i] < 1)
            return true;
    return false;
}

/* The direction's descriptor over the tensors. */
static void conv_desc(struct job *j, uint32_t prop, const struct shape *s,
                      const dnnl_memory_desc_t md[4], bool bias,
                      dnnl_convolution_desc_t *cd)
{
    const dnnl_alg_kind_t alg = dnnl_convolution_direct;
    if (prop == XK_BWD_D)
        CALL(j, dnnl_dilated_convolution_backward_data_desc_init(
                    cd, alg, &md[0], &md[1], &md[3], s->stride, s->dilation,
                    s->pad_l, s->pad_r));
    else if (prop > XK_FWD_I)
        CALL(j, dnnl_dilated_convolution_backward_weights_desc_init(
                    cd, alg, &md[0], &md[1], NULL, &md[3], s->stride,
                    s->dilation, s->pad_l, s->pad_r));
    else
        CALL(j, dnnl_dilated_convolution_forward_desc_init(
                    cd, dnnl_forward_training, alg, &md[0], &md[1],
                    bias ? &md[2] : NULL, &md[3], s->stride, s->dilation,
                    s->pad_l, s->pad_r));
}

static void deconv_desc(struct job *j, uint32_t prop, const struct shape *s,
                        const dnnl_memory_desc_t md[4], bool bias,
                        dnnl_deconvolution_desc_t *cd)
{
    const dnnl_alg_kind_t alg = dnnl_deconvolution_direct;
    if (prop == XK_BWD_D)
        CALL(j, dnnl_dilated_deconvolution_backward_data_desc_init(
                    cd, alg, &md[0], &md[1], &md[3], s->stride, s->dilation,
                    s->pad_l, s->pad_r));
    else if (prop > XK_FWD_I)
        CALL(j, dnnl_dilated_deconvolution_backward_weights_desc_init(
                    cd, alg, &md[0], &md[1], NULL, &md[3], s->stride,
                    s->dilation, s->pad_l, s->pad_r));
    else
        CALL(j, dnnl_dilated_deconvolution_forward_desc_init(
                    cd, dnnl_forward_training, alg, &md[0], &md[1],
                    bias ? &md[2] : NULL, &md[3], s->stride, s->dilation,
                    s->pad_l, s->pad_r));
}

/* The primitive of a direction; a gradient wants forward's as a hint. */
static dnnl_primitive_desc_t describe(struct job *j,
                                      const struct xk_conv_desc *d,
                                      const struct shape *s, bool bias,
                                      uint32_t prop, dnnl_primitive_desc_t hint)
{
    dnnl_primitive_desc_t out = NULL;
    const dnnl_format_tag_t any = dnnl_format_tag_any;
    dnnl_memory_desc_t md[XK_N_CONV_ARGS];
    union {
        dnnl_convolution_desc_t conv;
        dnnl_deconvolution_desc_t deconv;
    } of;
    for (int i = 0; i < XK_N_CONV_ARGS; i++)
        CALL(j, dnnl_memory_desc_init_by_tag(&md[i], s->ndims[i], s->seen[i],
                                             dnnl_f32,
                                             i == XK_ARG_BIA ? dnnl_a : any));
    if (xk_bench_is_deconv(d))
        deconv_desc(j, prop, s, md, bias, &of.deconv);
    else
        conv_desc(j, prop, s, md, bias, &of.conv);
    CALL(j, dnnl_primitive_desc_create(&out, &of, NULL, j->engine, hint));
    return out;
}

static void make_dnnl_primitive(struct job *j, const struct xk_conv_desc *d,
                                const struct shape *s, bool bias)
{
    dnnl_primitive_desc_t hint = NULL;
    if (xk_bench_is_gradient(d))
        hint = describe(j, d, s, false, XK_FWD_D, NULL);
    j->pd = describe(j, d, s, bias, d->prop, hint);
    CALL(j, dnnl_primitive_create(&j->prim, j->pd));
    dnnl_primitive_desc_destroy(hint);
}

static void reorder(struct job *j, dnnl_memory_t from, dnnl_memory_t to)
{
    const dnnl_memory_desc_t *a = NULL, *b = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t prim = NULL;
    CALL(j, dnnl_memory_get_memory_desc(from, &a));
    CALL(j, dnnl_memory_get_memory_desc(to, &b));
    CALL(j, dnnl_reorder_primitive_desc_create(&pd, a, j->engine, b, j->engine,
                                               NULL));
    CALL(j, dnnl_primitive_create(&prim, pd));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    CALL(j, dnnl_primitive_execute(prim, j->stream, 2, args));
    CALL(j, dnnl_stream_wait(j->stream));
    dnnl_primitive_destroy(prim);
    dnnl_primitive_desc_destroy(pd);
}

/* Describes a plain array with row-major dims, of which `cut` (<= dims) is
 * seen. */
static void plain_memory(struct job *j, int slot, int ndims,
                         const int64_t *dims, const int64_t *cut, void *data)
{
    dnnl_memory_desc_t md;
    dnnl_dims_t strides, seen;
    int64_t stride = 1;
    for (int i = ndims; i-- > 0;) {
        strides[i] = stride;
        stride *= dims[i];
        seen[i] = cut[i];
    }
    CALL(j,
         dnnl_memory_desc_init_by_strides(&md, ndims, seen, dnnl_f32, strides));
    CALL(j, dnnl_memory_create(&j->plain[slot], &md, j->engine, data));
}

static void best_memory(struct job *j, int slot, dnnl_query_t what)
{
    if (j->failed)
        return;
    const dnnl_memory_desc_t *const md =
        dnnl_primitive_desc_query_md(j->pd, what, 0);
    CALL(j, dnnl_memory_create(&j->best[slot], md, j->engine,
                               DNNL_MEMORY_ALLOCATE));
}

/* How oneDNN calls the three tensors of a direction; the last is the result. */
struct names {
    dnnl_query_t what;
    int arg, slot;
};
static const struct names forward[3] = {
    {dnnl_query_src_md, DNNL_ARG_SRC, 0},
    {dnnl_query_weights_md, DNNL_ARG_WEIGHTS, 1},
    {dnnl_query_dst_md, DNNL_ARG_DST, 3}};
static const struct names by_data[3] = {
    {dnnl_query_diff_dst_md, DNNL_ARG_DIFF_DST, 3},
    {dnnl_query_weights_md, DNNL_ARG_WEIGHTS, 1},
    {dnnl_query_diff_src_md, DNNL_ARG_DIFF_SRC, 0}};
static const struct names by_weights[3] = {
    {dnnl_query_src_md, DNNL_ARG_SRC, 0},
    {dnnl_query_diff_dst_md, DNNL_ARG_DIFF_DST, 3},
    {dnnl_query_diff_weights_md, DNNL_ARG_DIFF_WEIGHTS, 1}};

static void execute_reference(struct job *j, uint32_t prop, bool bias)
{
    const struct names *const of = prop == XK_BWD_D  ? by_data
                                   : prop > XK_FWD_I ? by_weights
                                                     : forward;
    dnnl_exec_arg_t args[4] = {{0}};
    for (int i = 0; i < 3; i++)
        best_memory(j, of[i].slot, of[i].what);
    for (int i = 0; i < 2; i++)
        reorder(j, j->plain[of[i].slot], j->best[of[i].slot]);
    for (int i = 0; i < 3; i++)
        args[i] = (dnnl_exec_arg_t){of[i].arg, j->best[of[i].slot]};
    args[3] = (dnnl_exec_arg_t){DNNL_ARG_BIAS, j->plain[2]};
    CALL(j, dnnl_primitive_execute(j->prim, j->stream, bias ? 4 : 3, args));
    CALL(j, dnnl_stream_wait(j->stream));
    reorder(j, j->best[of[2].slot], j->plain[of[2].slot]);
}

static void release_job(struct job *j)
{
    for (int i = 0; i < 4; i++) {
        dnnl_memory_destroy(j->plain[i]);
        dnnl_memory_destroy(j->best[i]);
    }
    dnnl_primitive_destroy(j->prim);
    dnnl_primitive_desc_destroy(j->pd);
    dnnl_stream_destroy(j->stream);
    dnnl_engine_destroy(j->engine);
}

enum xk_status xk_bench_library_reference(const struct xk_conv_desc *d,
                                          float *const tensor[XK_N_CONV_ARGS],
                                          struct xk_error *err)
{
    const bool bias = tensor[XK_ARG_BIA] && !xk_bench_is_gradient(d);
    const struct shape s = make_shape(d);
    const bool nothing = reads_nothing(&s, window_pixels(d));
    if (d->prop == XK_BWD_WB)
        sum_bias(d, tensor[XK_ARG_DST], tensor[XK_ARG_BIA]);
    /* What is cut is not written below. */
    if (nothing || (int)xk_conv_desc_roles(d).c == window_pixels(d))
        without_products(d, tensor);
    if (nothing)
        return XK_OK;
    struct job j = {0};
    CALL(&j, dnnl_engine_create(&j.engine, dnnl_cpu, 0));
    CALL(&j,
         dnnl_stream_create(&j.stream, j.engine, dnnl_stream_default_flags));
    make_dnnl_primitive(&j, d, &s, bias);
    for (int i = 0; i < XK_N_CONV_ARGS; i++)
        if (i != XK_ARG_BIA || bias)
            plain_memory(&j, i, s.ndims[i], s.dims[i], s.seen[i], tensor[i]);
    if (!j.failed)
        execute_reference(&j, d->prop, bias);
    release_job(&j);
    if (j.failed)
        return xk_tool_fail(err, XK_EABSENT, "no reference: oneDNN %d: %.80s",
                            (int)j.why, j.failed);
    return XK_OK;
}

#else

enum xk_status xk_bench_library_reference(const struct xk_conv_desc *d,
                                          float *const tensor[XK_N_CONV_ARGS],
                                          struct xk_error *err)
{
    (void)d, (void)tensor;
    return xk_tool_fail(err, XK_EABSENT, "no reference: built without libdnnl");
}

#endif
