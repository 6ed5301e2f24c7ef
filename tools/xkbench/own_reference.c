/* SPDX-License-Identifier: Apache-2.0 */
/* The expected result by the definition: a loop over every product, added up in
 * double. It stands in where oneDNN's CPU library is not there or refuses a
 * problem; tests/tools/test_reference.c compares the two. */
#include <stdlib.h>
#include <string.h>

#include "tools/problem/words.h"
#include "tools/xkbench/bench.h"

/* One spatial dim: place p and tap t meet pixel p * stride + t * step - pad. */
struct axis {
    int64_t pixels, places, taps, stride, step, pad;
};

/* What is added up: element at[c] of sum grows by a[at[of_a]] * b[at[of_b]],
 * where at[] is by argument. */
struct products {
    struct axis axis[3];
    int pixels, places; /* the arguments that have them */
    uint32_t c, of_a, of_b;
    const float *a, *b;
    double *sum;
};

static struct axis window_axis(const int64_t size[2], int64_t k, int64_t stride,
                               int64_t dilation, int64_t pad)
{
    return (struct axis){size[0], size[1], k, stride, dilation + 1, pad};
}

static struct products products_of(const struct xk_conv_desc *d,
                                   float *const tensor[XK_N_CONV_ARGS])
{
    const bool back = xk_bench_is_deconv(d);
    const struct xk_conv_roles of = xk_conv_desc_roles(d);
    const int64_t deep[2] = {back ? d->od : d->id, back ? d->id : d->od};
    const int64_t high[2] = {back ? d->oh : d->ih, back ? d->ih : d->oh};
    const int64_t wide[2] = {back ? d->ow : d->iw, back ? d->iw : d->ow};
    return (struct products){
        .axis = {window_axis(deep, d->kd, d->sd, d->dd, d->pd),
                 window_axis(high, d->kh, d->sh, d->dh, d->ph),
                 window_axis(wide, d->kw, d->sw, d->dw, d->pw)},
        .pixels = back ? XK_ARG_DST : XK_ARG_SRC,
        .places = back ? XK_ARG_SRC : XK_ARG_DST,
        .c = of.c,
        .of_a = of.a,
        .of_b = of.b,
        .a = tensor[of.a],
        .b = tensor[of.b]};
}

/* The pixel that place i of n in a row and tap t meet. False: there is none. */
static bool hits_pixel(const struct axis *a, int64_t place, int64_t tap,
                       int64_t *pixel)
{
    *pixel = place * a->stride + tap * a->step - a->pad;
    return *pixel >= 0 && *pixel < a->pixels;
}

/* One line of places with one line of taps; at: each argument's first
 * element. */
static void add_tap_line(struct products *s, const int64_t at[XK_N_CONV_ARGS])
{
    const struct axis *const x = &s->axis[2];
    int64_t pixel;
    for (int64_t place = 0; place < x->places; place++)
        for (int64_t tap = 0; tap < x->taps; tap++) {
            int64_t e[XK_N_CONV_ARGS] = {0};
            if (!hits_pixel(x, place, tap, &pixel))
                continue;
            e[s->pixels] = at[s->pixels] + pixel;
            e[s->places] = at[s->places] + place;
            e[XK_ARG_WEI] = at[XK_ARG_WEI] + tap;
            s->sum[e[s->c]] +=
                (double)s->a[e[s->of_a]] * (double)s->b[e[s->of_b]];
        }
}

/* Places and taps in each depth and height: p and t of each, by axis. */
static void add_line_pair(struct products *s, const int64_t at[XK_N_CONV_ARGS],
                          const int64_t p[2], const int64_t t[2])
{
    const struct axis *const a = s->axis;
    int64_t z, y, e[XK_N_CONV_ARGS] = {0};
    if (!hits_pixel(&a[0], p[0], t[0], &z) ||
        !hits_pixel(&a[1], p[1], t[1], &y))
        return;
    e[s->pixels] = at[s->pixels] + (z * a[1].pixels + y) * a[2].pixels;
    e[s->places] = at[s->places] + (p[0] * a[1].places + p[1]) * a[2].places;
    e[XK_ARG_WEI] = at[XK_ARG_WEI] + (t[0] * a[1].taps + t[1]) * a[2].taps;
    add_tap_line(s, e);
}

/* One channel of src, one of dst, one image. */
static void add_channel_pair(struct products *s,
                             const int64_t at[XK_N_CONV_ARGS])
{
    const struct axis *const a = s->axis;
    for (int64_t i = 0; i < a[0].places * a[1].places; i++)
        for (int64_t k = 0; k < a[0].taps * a[1].taps; k++) {
            const int64_t p[2] = {i / a[1].places, i % a[1].places};
            const int64_t t[2] = {k / a[1].taps, k % a[1].taps};
            add_line_pair(s, at, p, t);
        }
}

static void add_products(struct products *s, const struct xk_conv_desc *d)
{
    const int64_t g = d->g > 0 ? d->g : 1, ic = d->ic / g, oc = d->oc / g;
    const int64_t src = d->id * d->ih * d->iw, dst = d->od * d->oh * d->ow;
    const int64_t taps = d->kd * d->kh * d->kw;
    for (int64_t n = 0; n < d->mb; n++)
        for (int64_t o = 0; o < d->oc; o++)
            for (int64_t i = 0; i < ic; i++) {
                const int64_t at[XK_N_CONV_ARGS] = {
                    [XK_ARG_SRC] = (n * d->ic + o / oc * ic + i) * src,
                    [XK_ARG_WEI] = (o * ic + i) * taps,
                    [XK_ARG_DST] = (n * d->oc + o) * dst};
                add_channel_pair(s, at);
            }
}

/* Over all but channels. */
static void sum_of_channels(const struct xk_conv_desc *d, const float *dst,
                            float *bia)
{
    const int64_t image = d->od * d->oh * d->ow;
    for (int64_t c = 0; c < d->oc; c++) {
        double sum = 0;
        for (int64_t i = 0; i < d->mb * image; i++)
            sum += (double)dst[(i / image * d->oc + c) * image + i % image];
        bia[c] = (float)sum;
    }
}

static int64_t plain_elements(const struct xk_conv_desc *d, uint32_t arg)
{
    if (arg == XK_ARG_SRC)
        return d->mb * d->ic * d->id * d->ih * d->iw;
    if (arg == XK_ARG_DST)
        return d->mb * d->oc * d->od * d->oh * d->ow;
    return d->oc * (d->ic / (d->g > 0 ? d->g : 1)) * d->kd * d->kh * d->kw;
}

enum xk_status xk_bench_own_reference(const struct xk_conv_desc *d,
                                      float *const tensor[XK_N_CONV_ARGS],
                                      struct xk_error *err)
{
    struct products s = products_of(d, tensor);
    const int64_t n = plain_elements(d, s.c), image = d->od * d->oh * d->ow;
    const float *const bia = tensor[XK_ARG_BIA];
    s.sum = calloc((size_t)n + 1, sizeof *s.sum);
    if (!s.sum)
        return xk_tool_fail(err, XK_ENOMEM, "no host memory for the reference");
    if (d->prop == XK_BWD_WB)
        sum_of_channels(d, tensor[XK_ARG_DST], tensor[XK_ARG_BIA]);
    else if (bia && !xk_bench_is_gradient(d))
        for (int64_t i = 0; i < n; i++)
            s.sum[i] = (double)bia[i / image % d->oc];
    add_products(&s, d);
    for (int64_t i = 0; i < n; i++)
        tensor[s.c][i] = (float)s.sum[i];
    free(s.sum);
    return XK_OK;
}

enum xk_status xk_bench_reference(const struct xk_conv_desc *d,
                                  float *const tensor[XK_N_CONV_ARGS],
                                  const char **by, struct xk_error *err)
{
    const enum xk_status st = xk_bench_library_reference(d, tensor, err);
    if (by)
        *by = st == XK_EABSENT ? "own" : "library";
    if (st != XK_EABSENT)
        return st;
    *err = (struct xk_error){0};
    return xk_bench_own_reference(d, tensor, err);
}
