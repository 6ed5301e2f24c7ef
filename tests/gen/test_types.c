/* SPDX-License-Identifier: Apache-2.0 */
/* Types and layouts end to end on the simulator, against a convolution written
 * as nine loops. Data are small integers, so every sum is exact; f16 results
 * are compared after rounding the exact value. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/half.h"
#include "tests/tap.h"
#include "xekern/device.h"
#include "xekern/simulate.h"
#include "xekern/xekern.h"

#define GUARD_B 256

struct tensor {
    struct xk_tensor_info info;
    unsigned char *data; /* size_b, then GUARD_B */
};

static struct tensor t[XK_N_CONV_ARGS];
static struct xk_conv_desc desc;
static uint32_t flags; /* of the create call */

static unsigned type_b(uint32_t type)
{
    if (type == XK_F32 || type == XK_S32)
        return 4;
    return type == XK_F16 || type == XK_BF16 ? 2 : 1;
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
    case XK_BF16:
        memcpy(&h, p, 2);
        return (double)xk_bf16_to_float(h);
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
    const uint16_t h =
        x->info.type == XK_F16 ? xk_half_from_float(f) : xk_bf16_from_float(f);
    if (x->info.type == XK_F32)
        memcpy(p, &f, 4);
    else if (x->info.type == XK_S32)
        memcpy(p, &v, 4);
    else if (type_b(x->info.type) == 2)
        memcpy(p, &h, 2);
    else
        *p = (unsigned char)v;
}

/* Dims a b d h w of a tensor or an index into it; d is 0 or 1 in 2D. */
struct dims {
    int64_t a, b, d, h, w;
};

static struct dims dims_of(const int64_t *v, unsigned ndims)
{
    if (ndims == 1)
        return (struct dims){v[0], 1, 1, 1, 1};
    if (ndims == 4)
        return (struct dims){v[0], v[1], 1, v[2], v[3]};
    return (struct dims){v[0], v[1], v[2], v[3], v[4]};
}

/* The next index in row-major order; false behind the last. */
static bool next(struct dims *i, const struct dims *n)
{
    if (++i->w < n->w)
        return true;
    i->w = 0;
    if (++i->h < n->h)
        return true;
    i->h = 0;
    if (++i->d < n->d)
        return true;
    i->d = 0;
    if (++i->b < n->b)
        return true;
    i->b = 0;
    return ++i->a < n->a;
}

/* The public block description. */
static size_t at(const struct tensor *x, struct dims i)
{
    const bool with_d = x->info.ndims == 5;
    const int64_t index[5] = {i.a, i.b, with_d ? i.d : i.h, with_d ? i.h : i.w,
                              i.w};
    int64_t off = 0;
    for (unsigned n = 0; n < x->info.n_blocks; n++) {
        const struct xk_layout_block *const k = &x->info.blocks[n];
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
    const struct dims n = dims_of(x->info.dims, x->info.ndims);
    struct dims i = {0};
    x->data = calloc(1, x->info.size_b + GUARD_B);
    ck_assert_ptr_nonnull(x->data);
    do {
        put(x, at(x, i), small(lo, hi));
    } while (next(&i, &n));
}

/* Rounded and saturated to the destination's type. */
static double to_dst(double v)
{
    switch (desc.dst_type) {
    case XK_F16:
        return (double)xk_half_to_float(xk_half_from_float((float)v));
    case XK_BF16:
        return (double)xk_bf16_to_float(xk_bf16_from_float((float)v));
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

/* Source and weights as numbers, channels innermost: addresses cost more than
 * sums. */
static double *plain[2];

static double *plain_of(const struct tensor *x)
{
    const struct dims n = dims_of(x->info.dims, x->info.ndims);
    struct dims i = {0};
    double *const out =
        calloc((size_t)(n.a * n.b * n.d * n.h * n.w), sizeof(*out));
    ck_assert_ptr_nonnull(out);
    do {
        const int64_t pixel = ((i.a * n.d + i.d) * n.h + i.h) * n.w + i.w;
        out[pixel * n.b + i.b] = get(x, at(x, i));
    } while (next(&i, &n));
    return out;
}

/* The taps of one output element; o: n oc od oh ow. */
static double sum_at(struct dims o)
{
    const struct xk_conv_desc *const d = &desc;
    double v = 0;
    for (int64_t kd = 0; kd < d->kd; kd++)
        for (int64_t kh = 0; kh < d->kh; kh++)
            for (int64_t kw = 0; kw < d->kw; kw++) {
                const int64_t id = o.d * d->sd + kd * (d->dd + 1) - d->pd;
                const int64_t ih = o.h * d->sh + kh * (d->dh + 1) - d->ph;
                const int64_t iw = o.w * d->sw + kw * (d->dw + 1) - d->pw;
                if (id < 0 || id >= d->id || ih < 0 || ih >= d->ih || iw < 0 ||
                    iw >= d->iw)
                    continue;
                const double *const src =
                    plain[0] +
                    (((o.a * d->id + id) * d->ih + ih) * d->iw + iw) * d->ic;
                const double *const wei =
                    plain[1] +
                    (((o.b * d->kd + kd) * d->kh + kh) * d->kw + kw) * d->ic;
                for (int64_t ic = 0; ic < d->ic; ic++)
                    v += src[ic] * wei[ic];
            }
    return v;
}

static double want(const struct tensor *old, struct dims o)
{
    const struct xk_conv_desc *const d = &desc;
    double v = sum_at(o);
    if (t[XK_ARG_BIA].data)
        v += get(&t[XK_ARG_BIA], (size_t)o.b);
    if (d->scale != 0)
        v *= (double)d->scale;
    for (uint32_t i = 0; i < d->n_post_ops; i++) {
        if (d->post_ops[i].kind == XK_POST_RELU)
            v = fmax(v, 0);
        else
            v += (double)(d->post_ops[i].alpha ? d->post_ops[i].alpha : 1) *
                 get(old, at(old, o));
    }
    return to_dst(v);
}

static void run(const xk_program *p)
{
    const struct xk_launch_info *const first = xk_program_launch(p, 0);
    const struct xk_launch_list *const l = xk_program_launches(p);
    struct xk_launch_arg args[XK_N_CONV_ARGS] = {{0}};
    struct xk_error err;
    xk_device *d = NULL;
    xk_module *m = NULL;
    const struct xk_simulate_opts look = {.checks = "mem,race,init,sync"};
    ck_assert_int_eq(xk_device_create("sim", "xehpg", 1, &d, &err), XK_OK);
    ck_assert_int_eq(xk_simulate_configure(d, &look, &err), XK_OK);
    ck_assert_int_eq(
        xk_module_create(d, first->zebin, first->zebin_b, &m, &err), XK_OK);
    for (uint32_t i = 0; i < l->n_args; i++) {
        const uint32_t k = l->args[i].number;
        ck_assert_int_eq(
            xk_buffer_create(d, t[k].info.size_b, &args[k].buffer, &err),
            XK_OK);
        xk_buffer_write(args[k].buffer, 0, t[k].data, t[k].info.size_b, &err);
    }
    const struct xk_run_opts o = {
        .size = sizeof o, .n_args = XK_N_CONV_ARGS, .args = args};
    ck_assert_msg(xk_module_run(m, &o, NULL, &err) == XK_OK, "%s", err.message);
    const struct tensor *const x = &t[XK_ARG_DST];
    xk_buffer_read(args[XK_ARG_DST].buffer, 0, x->data, x->info.size_b, &err);
    for (unsigned k = 0; k < XK_N_CONV_ARGS; k++)
        xk_buffer_unref(args[k].buffer);
    xk_module_unref(m);
    xk_device_unref(d);
}

/* Padding of a blocked destination holds zeros afterwards. */
static void check_padding(const struct tensor *x)
{
    const struct dims p = dims_of(x->info.padded_dims, x->info.ndims);
    struct dims i = {0};
    do {
        if (i.b >= desc.oc)
            ck_assert_double_eq(get(x, at(x, i)), 0);
    } while (next(&i, &p));
}

static void check(const struct tensor *old)
{
    const struct tensor *const x = &t[XK_ARG_DST];
    const struct dims n = dims_of(x->info.dims, x->info.ndims);
    struct dims i = {0};
    plain[0] = plain_of(&t[XK_ARG_SRC]);
    plain[1] = plain_of(&t[XK_ARG_WEI]);
    do {
        const double v = get(x, at(x, i)), w = want(old, i);
        ck_assert_msg(v == w, "(%lld,%lld,%lld,%lld,%lld): %g, want %g",
                      (long long)i.a, (long long)i.b, (long long)i.d,
                      (long long)i.h, (long long)i.w, v, w);
    } while (next(&i, &n));
    free(plain[0]);
    free(plain[1]);
    check_padding(x);
}

static const struct {
    uint32_t src, wei, dst;
} types[] = {
    {XK_F32, XK_F32, XK_F32},    {XK_F16, XK_F16, XK_F16},
    {XK_F16, XK_F16, XK_F32},    {XK_U8, XK_S8, XK_U8},
    {XK_U8, XK_S8, XK_S8},       {XK_U8, XK_S8, XK_S32},
    {XK_U8, XK_S8, XK_F32},      {XK_S8, XK_S8, XK_S8},
    {XK_S8, XK_U8, XK_S32},      {XK_U8, XK_U8, XK_U8},
    {XK_BF16, XK_BF16, XK_BF16}, {XK_BF16, XK_BF16, XK_S8},
    {XK_U8, XK_S8, XK_BF16},     {XK_F32, XK_F32, XK_F16},
    {XK_F16, XK_F16, XK_S32},
};
static const char *const tags[][3] = {
    {"any", "any", "any"},
    {"nhwc", "any", "nhwc"},
    {"nchw", "any", "nchw"},
    {"nhwc", "ohwi", "nhwc"},
    {"nchw", "oihw", "nhwc"},
    {"nhwc", "hwio", "any"},
    {"nhwc", "AcdB32a4b", "nhwc"},
    {"aBcd32b", "AcdB16a16b", "nhwc"},
    {"Bcda4b", "AcDB16a4d4b", "any"},
    {"any", "AcDB32a8d4b", "nhwc"},
};
static const char *const problems[] = {
    "mb1ic32ih6oc32oh6kh3ph1",
    "mb2ic3ih9oc16oh5kh3sh2ph1",
    "mb1ic17ih5iw4oc21oh5ow4kh2kw3ph1pw1",
    "mb1ic40ih4oc8oh4kh1",
    "mb1ic6ih7iw5oc9oh6ow7kh2kw1ph0pw1",
    "mb2ic70ih3oc40oh3kh3ph1dh0",
    "mb1ic18ih1oc1oh1kh1", /* rows that end in the middle of a dword */
    "mb8ic3ih7iw8oc20oh4ow4kh3kw6sh2sw2ph1pw2", /* few channels, taps packed */
};
static const char *const tags_3d[][3] = {
    {"any", "any", "any"},       {"ndhwc", "any", "ndhwc"},
    {"ncdhw", "any", "ncdhw"},   {"ndhwc", "odhwi", "ndhwc"},
    {"ncdhw", "oidhw", "ndhwc"}, {"axb", "dhwio", "any"},
    {"any", "Acdeb16a", "abx"},  {"ndhwc", "AcdeB8a32b", "aBcde16b"},
};
static const char *const problems_3d[] = {
    "mb1ic32id4oc32od4kd3pd1",
    "mb2ic3id5ih4iw6oc16od3oh4ow3kd3kh1kw2sd2sh1sw2pd1ph0pw0",
    "mb1ic17id3ih5iw4oc21od4oh5ow3kd2kh3kw2pd1ph1pw0",
    "mb1ic5id7ih3iw3oc9od3oh3ow2kd2kh3kw1sd2dd1ph1pw0dh0sw2",
    "mb2ic40id2ih3iw1oc8od2oh3ow1kd1kh1kw1",
    "mb1ic6id1ih4iw4oc34od3oh4ow4kd3kh3kw3pd2ph1pw1", /* depth of padding */
};
enum {
    N_PROBLEMS = XK_COUNTOF(problems),
    N_PROBLEMS_3D = XK_COUNTOF(problems_3d),
    N_RUNS = XK_COUNTOF(types) * XK_COUNTOF(tags) * N_PROBLEMS,
    N_RUNS_3D = XK_COUNTOF(types) * XK_COUNTOF(tags_3d) * N_PROBLEMS_3D
};

static void describe(int i, const char *problem, const char *const tag[3],
                     unsigned c)
{
    struct xk_error err;
    desc = (struct xk_conv_desc)XK_CONV_DESC_INIT;
    desc.src_type = types[c].src;
    desc.wei_type = types[c].wei;
    desc.dst_type = types[c].dst;
    desc.prop = i % 3 ? XK_FWD_B : XK_FWD_D;
    strcpy(desc.src_tag, tag[0]);
    strcpy(desc.wei_tag, tag[1]);
    strcpy(desc.dst_tag, tag[2]);
    if (i % 4 == 1) {
        desc.n_post_ops = 2;
        desc.post_ops[0].kind = XK_POST_SUM;
        desc.post_ops[0].alpha = 2;
        desc.post_ops[1].kind = XK_POST_RELU;
    } else if (i % 4 == 2) {
        desc.scale = 0.5f;
    }
    ck_assert_msg(xk_conv_desc_parse(problem, &desc, NULL, 0, &err) == XK_OK,
                  "%s", err.message);
}

/* Generates, runs and checks what describe() left in desc. */
static void convolve(uint32_t first_seed)
{
    struct xk_error err;
    xk_program *p = NULL;
    struct tensor old;
    seed = first_seed;
    const struct xk_create_options options = {.size = sizeof(options),
                                              .flags = flags};
    ck_assert_msg(xk_conv_create(&desc, &options, &p, &err) == XK_OK, "%s",
                  err.message);
    memset(t, 0, sizeof(t));
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        t[i].info = xk_program_info(p)->tensor[i];
        if (t[i].info.ndims)
            fill(&t[i], i <= XK_ARG_WEI && t[i].info.type == XK_U8 ? 0 : -2,
                 2 + (i == XK_ARG_DST) * 3);
    }
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

START_TEST(types_and_layouts_convolve)
{
    const unsigned i = (unsigned)_i, row = i / N_PROBLEMS;
    describe(_i, problems[i % N_PROBLEMS], tags[row % XK_COUNTOF(tags)],
             row / XK_COUNTOF(tags));
    convolve(i + 1);
    ck_assert_uint_eq(t[XK_ARG_DST].info.ndims, 4);
}
END_TEST

START_TEST(addresses_of_64_bits_convolve)
{
    const unsigned i = (unsigned)_i;
    describe(_i, problems[i % N_PROBLEMS], tags[(i + i / N_PROBLEMS) % 2],
             i / N_PROBLEMS);
    flags = XK_CREATE_A64;
    convolve(i + 1);
    flags = 0;
}
END_TEST

START_TEST(depth_convolves)
{
    const unsigned i = (unsigned)_i, row = i / N_PROBLEMS_3D;
    describe(_i, problems_3d[i % N_PROBLEMS_3D],
             tags_3d[row % XK_COUNTOF(tags_3d)], row / XK_COUNTOF(tags_3d));
    convolve(i + 1);
    ck_assert_uint_eq(t[XK_ARG_SRC].info.ndims, 5);
    ck_assert_uint_eq(t[XK_ARG_WEI].info.ndims, 5);
    ck_assert_uint_eq(t[XK_ARG_DST].info.ndims, 5);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("types");
    TCase *const c = tcase_create("types");
    tcase_set_timeout(c, 600);
    tcase_add_loop_test(c, types_and_layouts_convolve, 0, N_RUNS);
    tcase_add_loop_test(c, addresses_of_64_bits_convolve, 0,
                        XK_COUNTOF(types) * N_PROBLEMS);
    tcase_add_loop_test(c, depth_convolves, 0, N_RUNS_3D);
    suite_add_tcase(s, c);
    return xk_tap_run(s);
}
