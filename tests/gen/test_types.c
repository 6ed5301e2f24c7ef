/* SPDX-License-Identifier: Apache-2.0 */
/* Types and layouts end to end on the simulator, against a convolution written
 * as seven loops. Data are small integers, so every sum is exact; f16 results
 * are compared after rounding the exact value. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/half.h"
#include "tests/tap.h"
#include "xekern/device.h"
#include "xekern/xekern.h"

#define GUARD_B 256

struct tensor {
    struct xk_tensor_info info;
    unsigned char *data; /* size_b, then GUARD_B */
};

static struct tensor t[XK_N_CONV_ARGS];
static struct xk_conv_desc desc;

static unsigned type_b(uint32_t type)
{
    if (type == XK_F32 || type == XK_S32)
        return 4;
    return type == XK_F16 ? 2 : 1;
}

static double get(const struct tensor *x, size_t i)
{
    const unsigned char *const p = x->data + i * type_b(x->info.type);
    float f;
    int32_t s;
    uint16_t h;
    switch (x->info.type) {
    case XK_F32:
        memcpy(&f, p, 4);
        return (double)f;
    case XK_S32:
        memcpy(&s, p, 4);
        return s;
    case XK_F16:
        memcpy(&h, p, 2);
        return (double)xk_half_to_float(h);
    case XK_S8:
        return (signed char)*p;
    default:
        return *p;
    }
}

static void put(struct tensor *x, size_t i, int v)
{
    unsigned char *const p = x->data + i * type_b(x->info.type);
    const float f = (float)v;
    const uint16_t h = xk_half_from_float(f);
    if (x->info.type == XK_F32)
        memcpy(p, &f, 4);
    else if (x->info.type == XK_S32)
        memcpy(p, &v, 4);
    else if (x->info.type == XK_F16)
        memcpy(p, &h, 2);
    else
        *p = (unsigned char)v;
}

/* The public block description, dims a b h w. */
static size_t at(const struct tensor *x, int64_t a, int64_t b, int64_t h,
                 int64_t w)
{
    const int64_t index[4] = {a, b, h, w};
    int64_t off = 0;
    for (unsigned i = 0; i < x->info.n_blocks; i++) {
        const struct xk_layout_block *const k = &x->info.blocks[i];
        off += index[k->dim] / k->div % k->size * k->stride;
    }
    return (size_t)off;
}

static uint32_t seed;
static int small(int lo, int hi)
{
    seed = seed * 1664525u + 1013904223u;
    return lo + (int)((seed >> 8) % (uint32_t)(hi - lo + 1));
}

static void fill(struct tensor *x, int lo, int hi)
{
    const int64_t *const d = x->info.dims;
    const bool one = x->info.ndims == 1;
    x->data = calloc(1, x->info.size_b + GUARD_B);
    ck_assert_ptr_nonnull(x->data);
    for (int64_t a = 0; a < d[0]; a++)
        for (int64_t b = 0; b < (one ? 1 : d[1]); b++)
            for (int64_t h = 0; h < (one ? 1 : d[2]); h++)
                for (int64_t w = 0; w < (one ? 1 : d[3]); w++)
                    put(x, at(x, a, b, h, w), small(lo, hi));
}

/* Rounded and saturated to the destination's type. */
static double to_dst(double v)
{
    switch (desc.dst_type) {
    case XK_F16:
        return (double)xk_half_to_float(xk_half_from_float((float)v));
    case XK_U8:
        return fmin(fmax(nearbyint(v), 0), 255);
    case XK_S8:
        return fmin(fmax(nearbyint(v), -128), 127);
    case XK_S32:
        return nearbyint(v);
    default:
        return v;
    }
}

static double want(const struct tensor *old, int64_t n, int64_t oc, int64_t oh,
                   int64_t ow)
{
    const struct xk_conv_desc *const d = &desc;
    double v = t[XK_ARG_BIA].data ? get(&t[XK_ARG_BIA], (size_t)oc) : 0;
    for (int64_t kh = 0; kh < d->kh; kh++)
        for (int64_t kw = 0; kw < d->kw; kw++) {
            const int64_t ih = oh * d->sh + kh * (d->dh + 1) - d->ph;
            const int64_t iw = ow * d->sw + kw * (d->dw + 1) - d->pw;
            if (ih < 0 || ih >= d->ih || iw < 0 || iw >= d->iw)
                continue;
            for (int64_t ic = 0; ic < d->ic; ic++)
                v += get(&t[0], at(&t[0], n, ic, ih, iw)) *
                     get(&t[1], at(&t[1], oc, ic, kh, kw));
        }
    if (d->scale != 0)
        v *= (double)d->scale;
    for (uint32_t i = 0; i < d->n_post_ops; i++) {
        if (d->post_ops[i].kind == XK_POST_RELU)
            v = fmax(v, 0);
        else
            v += (double)(d->post_ops[i].alpha ? d->post_ops[i].alpha : 1) *
                 get(old, at(old, n, oc, oh, ow));
    }
    return to_dst(v);
}

static void run(const xk_program *p)
{
    const struct xk_launch_info *const l = xk_program_launch(p, 0);
    struct xk_launch_arg args[XK_MAX_LAUNCH_ARGS] = {{0}};
    xk_buffer *buf[XK_MAX_LAUNCH_ARGS] = {0};
    struct xk_error err;
    xk_device *d = NULL;
    xk_module *m = NULL;
    ck_assert_int_eq(xk_device_create("sim", "xehpg", 1, &d, &err), XK_OK);
    ck_assert_int_eq(xk_module_create(d, l->zebin, l->zebin_b, &m, &err),
                     XK_OK);
    for (unsigned i = 0; i < l->n_args; i++) {
        const struct tensor *const x = &t[l->args[i].tensor];
        ck_assert_int_eq(xk_buffer_create(d, x->info.size_b, &buf[i], &err),
                         XK_OK);
        xk_buffer_write(buf[i], 0, x->data, x->info.size_b, &err);
        args[i].buffer = buf[i];
    }
    ck_assert_msg(xk_launch(m, l->kernel, l->groups, l->local, l->n_args,
                            args, NULL, &err) == XK_OK,
                  "%s", err.message);
    for (unsigned i = 0; i < l->n_args; i++) {
        const struct tensor *const x = &t[l->args[i].tensor];
        if (l->args[i].tensor == XK_ARG_DST)
            xk_buffer_read(buf[i], 0, x->data, x->info.size_b, &err);
        xk_buffer_unref(buf[i]);
    }
    xk_module_unref(m);
    xk_device_unref(d);
}

/* Padding of a blocked destination holds zeros afterwards. */
static void check_padding(const struct tensor *x)
{
    const int64_t *const d = x->info.dims, *const p = x->info.padded_dims;
    for (int64_t a = 0; a < d[0]; a++)
        for (int64_t b = d[1]; b < p[1]; b++)
            for (int64_t h = 0; h < d[2]; h++)
                for (int64_t w = 0; w < d[3]; w++)
                    ck_assert_double_eq(get(x, at(x, a, b, h, w)), 0);
}

static void check(const struct tensor *old)
{
    const struct tensor *const x = &t[XK_ARG_DST];
    const struct xk_conv_desc *const d = &desc;
    for (int64_t n = 0; n < d->mb; n++)
        for (int64_t oc = 0; oc < d->oc; oc++)
            for (int64_t oh = 0; oh < d->oh; oh++)
                for (int64_t ow = 0; ow < d->ow; ow++) {
                    const double v = get(x, at(x, n, oc, oh, ow));
                    const double w = want(old, n, oc, oh, ow);
                    ck_assert_msg(v == w, "(%lld,%lld,%lld,%lld): %g, want %g",
                                  (long long)n, (long long)oc, (long long)oh,
                                  (long long)ow, v, w);
                }
    check_padding(x);
}

static const struct {
    uint32_t src, wei, dst;
} types[] = {
    {XK_F32, XK_F32, XK_F32}, {XK_F16, XK_F16, XK_F16},
    {XK_F16, XK_F16, XK_F32}, {XK_U8, XK_S8, XK_U8},
    {XK_U8, XK_S8, XK_S8},    {XK_U8, XK_S8, XK_S32},
    {XK_U8, XK_S8, XK_F32},
};
static const char *const tags[][3] = {
    {"any", "any", "any"},    {"nhwc", "any", "nhwc"},
    {"nchw", "any", "nchw"},  {"nhwc", "ohwi", "nhwc"},
    {"nchw", "oihw", "nhwc"}, {"nhwc", "hwio", "any"},
};
static const char *const problems[] = {
    "mb1ic32ih6oc32oh6kh3ph1",
    "mb2ic3ih9oc16oh5kh3sh2ph1",
    "mb1ic17ih5iw4oc21oh5ow4kh2kw3ph1pw1",
    "mb1ic40ih4oc8oh4kh1",
    "mb1ic6ih7iw5oc9oh6ow7kh2kw1ph0pw1",
    "mb2ic70ih3oc40oh3kh3ph1dh0",
};
enum { N_RUNS = XK_COUNTOF(types) * XK_COUNTOF(tags) * XK_COUNTOF(problems) };

static void describe(int i)
{
    struct xk_error err;
    const unsigned a = (unsigned)i % XK_COUNTOF(problems);
    const unsigned b = (unsigned)i / XK_COUNTOF(problems) % XK_COUNTOF(tags);
    const unsigned c =
        (unsigned)i / (XK_COUNTOF(problems) * XK_COUNTOF(tags));
    desc = (struct xk_conv_desc)XK_CONV_DESC_INIT;
    desc.src_type = types[c].src;
    desc.wei_type = types[c].wei;
    desc.dst_type = types[c].dst;
    desc.prop = i % 3 ? XK_FWD_B : XK_FWD_D;
    strcpy(desc.src_tag, tags[b][0]);
    strcpy(desc.wei_tag, tags[b][1]);
    strcpy(desc.dst_tag, tags[b][2]);
    if (i % 4 == 1) {
        desc.n_post_ops = 2;
        desc.post_ops[0].kind = XK_POST_SUM;
        desc.post_ops[0].alpha = 2;
        desc.post_ops[1].kind = XK_POST_RELU;
    } else if (i % 4 == 2) {
        desc.scale = 0.5f;
    }
    ck_assert_msg(xk_conv_desc_parse(problems[a], &desc, NULL, 0, &err) ==
                      XK_OK,
                  "%s", err.message);
}

START_TEST(types_and_layouts_convolve)
{
    struct xk_error err;
    xk_program *p = NULL;
    struct tensor old;
    seed = (uint32_t)_i + 1;
    describe(_i);
    ck_assert_msg(xk_conv_create(&desc, NULL, &p, &err) == XK_OK, "%s",
                  err.message);
    memset(t, 0, sizeof(t));
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        t[i].info = xk_program_info(p)->tensor[i];
        if (t[i].info.ndims)
            fill(&t[i], i == XK_ARG_SRC && desc.src_type == XK_U8 ? 0 : -2,
                 2 + (i == XK_ARG_DST) * 3);
    }
    desc.oh = t[XK_ARG_DST].info.dims[2];
    desc.ow = t[XK_ARG_DST].info.dims[3];
    old = t[XK_ARG_DST];
    old.data = malloc(old.info.size_b);
    ck_assert_ptr_nonnull(old.data);
    memcpy(old.data, t[XK_ARG_DST].data, old.info.size_b);
    run(p);
    check(&old);
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++)
        free(t[i].data);
    free(old.data);
    xk_program_unref(p);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("types");
    TCase *const c = tcase_create("types");
    tcase_set_timeout(c, 600);
    tcase_add_loop_test(c, types_and_layouts_convolve, 0, N_RUNS);
    suite_add_tcase(s, c);
    return xk_tap_run(s);
}
