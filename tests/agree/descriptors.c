/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/agree/descriptors.h"

#include <stdio.h>
#include <string.h>

#define COUNTOF(a) (sizeof(a) / sizeof((a)[0]))
#define LIMIT_B INT64_C(0x7fffffff) /* of a tensor */

struct rng {
    uint64_t state;
};

/* splitmix64 */
static uint64_t next(struct rng *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int64_t between(struct rng *r, int64_t least, int64_t most)
{
    return least + (int64_t)(next(r) % (uint64_t)(most - least + 1));
}

static bool chance(struct rng *r, unsigned percent)
{
    return next(r) % 100 < percent;
}

static const char *const type_words[] = {"",    "f32", "f16", "bf16",
                                         "s32", "s8",  "u8"};
static const uint32_t types[][3] = {
    {XK_F32, XK_F32, XK_F32}, {XK_F32, XK_F32, XK_F32},
    {XK_F16, XK_F16, XK_F16}, {XK_F16, XK_F16, XK_F32},
    {XK_U8, XK_S8, XK_U8},    {XK_U8, XK_S8, XK_S8},
    {XK_U8, XK_S8, XK_S32},   {XK_U8, XK_S8, XK_F32},
    {XK_S8, XK_S8, XK_S8},    {XK_U8, XK_U8, XK_U8},
    {XK_S8, XK_U8, XK_S32},   {XK_S8, XK_S8, XK_F32},
};

static void draw_types(struct rng *r, struct xk_conv_desc *d)
{
    const uint32_t *const t = types[next(r) % COUNTOF(types)];
    d->src_type = t[0];
    d->wei_type = t[1];
    d->dst_type = t[2];
    d->prop = chance(r, 50) ? XK_FWD_B : XK_FWD_D;
}

static void draw_epilogue(struct rng *r, struct xk_conv_desc *d)
{
    static const float factors[] = {0.5f, 0.125f, 2.5f, -1, 0.3f};
    bool sum = false;
    if (chance(r, 40))
        d->scale = factors[next(r) % COUNTOF(factors)];
    const unsigned n = chance(r, 50) ? (unsigned)between(r, 1, 3) : 0;
    for (unsigned i = 0; i < n; i++) {
        struct xk_post_op *const op = &d->post_ops[d->n_post_ops++];
        op->kind = !sum && chance(r, 50) ? XK_POST_SUM : XK_POST_RELU;
        if (op->kind == XK_POST_SUM)
            op->alpha = factors[next(r) % COUNTOF(factors)];
        sum = sum || op->kind == XK_POST_SUM;
    }
}

/* Layouts by the words of benchdnn, so that they suit any number of dims. */
static void draw_tags(struct rng *r, struct xk_conv_desc *d)
{
    static const char *const act[] = {"any",   "any",    "axb",    "axb",
                                      "abx",   "aBx4b",  "aBx16b", "aBx32b",
                                      "Bxa4b", "Bxa16b", "Bxa32b"};
    static const char *const wei[] = {"any",    "any",      "any",
                                      "abx",    "axb",      "xba",
                                      "Axb16a", "AxB8a16b", "ABx16a32b"};
    static const char *const groups[] = {"any",      "any",     "any",
                                         "abx",      "axb",     "xcba",
                                         "Abcde16a", "aBxc16b", "aBCx16b16c"};
    strcpy(d->src_tag, act[next(r) % COUNTOF(act)]);
    strcpy(d->dst_tag, act[next(r) % COUNTOF(act)]);
    const uint64_t i = next(r) % COUNTOF(wei);
    strcpy(d->wei_tag, d->g > 1 ? groups[i] : wei[i]);
}

/* A spatial dim: in, out, taps, stride, dilation, padding. */
struct axis {
    int64_t *i, *o, *k, *s, *d, *p;
};

static struct axis axis_of(struct xk_conv_desc *x, unsigned which)
{
    const struct axis all[3] = {
        {&x->id, &x->od, &x->kd, &x->sd, &x->dd, &x->pd},
        {&x->ih, &x->oh, &x->kh, &x->sh, &x->dh, &x->ph},
        {&x->iw, &x->ow, &x->kw, &x->sw, &x->dw, &x->pw}};
    return all[which];
}

/* The output that so much padding behind allows; at least one, with what
 * padding in front that needs. */
static void set_output(const struct axis *a, int64_t behind)
{
    const int64_t far = (*a->k - 1) * (*a->d + 1) + 1;
    int64_t room = *a->i + *a->p + behind - far;
    if (room < 0) {
        *a->p -= room;
        room = 0;
    }
    *a->o = room / *a->s + 1;
}

static void draw_axis(struct rng *r, const struct axis *a)
{
    static const uint8_t taps[] = {1, 1, 1, 2, 3, 3, 4, 5, 7, 11};
    *a->i = between(r, 1, chance(r, 30) ? 60 : 15);
    *a->k = taps[next(r) % COUNTOF(taps)];
    *a->s = chance(r, 60) ? 1 : between(r, 1, chance(r, 20) ? 16 : 4);
    *a->d = chance(r, 75) ? 0 : between(r, 1, 3);
    *a->p = chance(r, 30) ? 0 : between(r, 0, chance(r, 15) ? 12 : *a->k);
    set_output(a, chance(r, 60) ? *a->p : between(r, 0, *a->p + 3));
}

static int64_t draw_channels(struct rng *r)
{
    switch (next(r) % 6) {
    case 0:
        return between(r, 1, 4);
    case 1:
        return 8 * between(r, 1, 24);
    case 2:
        return 16 * between(r, 1, 20);
    case 3:
        return 64 * between(r, 1, 8);
    default:
        return between(r, 1, 160);
    }
}

/* Several of them with so many channels each, or with one on either side. */
static void draw_groups(struct rng *r, struct xk_conv_desc *d)
{
    if (!chance(r, 30))
        return;
    d->g = chance(r, 50) ? between(r, 2, 40) : 16 * between(r, 1, 20);
    d->ic = chance(r, 60) ? d->g : d->g * d->ic;
    d->oc = chance(r, 60) ? d->g : d->g * d->oc;
}

static void draw_ordinary(struct rng *r, struct xk_conv_desc *d)
{
    const unsigned first = chance(r, 15) ? 0 : chance(r, 85) ? 1 : 2;
    d->mb = chance(r, 50) ? 8 * between(r, 1, 4) : between(r, 0, 9);
    d->ic = draw_channels(r);
    d->oc = draw_channels(r);
    draw_groups(r, d);
    for (unsigned i = 0; i < 3; i++) {
        const struct axis a = axis_of(d, i);
        *a.i = *a.o = *a.k = *a.s = 1;
        if (i >= first)
            draw_axis(r, &a);
    }
}

/* How many units of so many bytes and as many of two sizes fit in the limit: a
 * size that an earlier limit drew may be as large as the limit itself, so the
 * three are not multiplied.
 */
static int64_t units(int64_t b, int64_t n0, int64_t n1)
{
    return LIMIT_B / b / n0 / n1;
}

/* A number near a power of two, or near most. */
static int64_t near_limit(struct rng *r, int64_t most)
{
    int64_t v = most - between(r, -1, 3);
    if (most < 1)
        return 1;
    if (chance(r, 30))
        v = most - between(r, 0, most < 4096 ? most - 1 : 4096);
    if (chance(r, 30))
        v = (INT64_C(1) << between(r, 8, 31)) + between(r, -2, 2);
    if (chance(r, 10))
        v = most / between(r, 1, 40);
    return v < 1 ? 1 : v > most + 1 ? most + 1 : v;
}

static int64_t bytes_of(uint32_t type)
{
    return type == XK_F16 ? 2 : type == XK_U8 || type == XK_S8 ? 1 : 4;
}

/* Which limit an extreme descriptor is near. */
enum limit {
    SRC_IMAGES,
    SRC_CHANNELS,
    SRC_LINE,
    DST_COLUMNS,
    DST_LINE,
    TAPS,
    TAPS_BESIDE,
    PADDING,
    DILATION,
    STRIDE,
    NUMBER,
    N_LIMITS
};

static int64_t src_rest_b(const struct xk_conv_desc *d)
{
    return bytes_of(d->src_type) * d->id * d->ih;
}

/* What is padded or missing so that input, filter and output belong together.
 */
static void set_line(struct xk_conv_desc *d, int64_t behind)
{
    const struct axis a = axis_of(d, 2);
    set_output(&a, behind);
}

static void draw_limit(struct rng *r, struct xk_conv_desc *d, enum limit l)
{
    const int64_t src_b = src_rest_b(d), dst_b = bytes_of(d->dst_type) * d->oh;
    const struct axis a = axis_of(d, 2);
    switch (l) {
    case SRC_IMAGES:
        d->mb = near_limit(r, units(src_b, d->ic, d->iw));
        break;
    case SRC_CHANNELS:
        d->ic = near_limit(r, units(src_b, d->mb, d->iw));
        break;
    case SRC_LINE:
        d->iw = near_limit(r, units(src_b, d->mb, d->ic));
        d->sw = chance(r, 50) ? 1 : near_limit(r, d->iw);
        break;
    case DST_COLUMNS:
        d->oc = near_limit(r, units(dst_b, d->mb, d->ow));
        break;
    case DST_LINE:
        d->ow = near_limit(r, units(dst_b, d->mb, d->oc));
        d->pw = (d->ow - 1) * d->sw + (d->kw - 1) * (d->dw + 1) + 1 - d->iw;
        d->pw = d->pw < 0 ? 0 : d->pw / between(r, 1, 2);
        return;
    case TAPS:
        d->kw = near_limit(r, units(bytes_of(d->wei_type), d->ic, d->oc));
        d->iw = d->kw + between(r, 0, 3);
        break;
    case TAPS_BESIDE:
        d->kw = near_limit(r, units(bytes_of(d->wei_type), d->ic, d->oc));
        d->pw = d->kw / 2;
        break;
    case PADDING:
        d->pw = near_limit(r, units(src_b, d->ic, 1));
        set_line(d, chance(r, 50) ? 0 : d->pw);
        return;
    case DILATION:
        d->dw = near_limit(r, units(src_b, d->ic, 1));
        d->kw = between(r, 2, 4);
        break;
    case STRIDE:
        d->sw = near_limit(r, LIMIT_B);
        break;
    default:
        *(&d->mb + next(r) % 3) = near_limit(r, LIMIT_B);
        if (chance(r, 50))
            *(chance(r, 50) ? a.k : a.i) = near_limit(r, LIMIT_B);
    }
    set_line(d, chance(r, 50) ? 0 : d->pw);
}

/* A few lines of few channels, then one size near a limit, or two. */
static void draw_extreme(struct rng *r, struct xk_conv_desc *d)
{
    static const uint8_t channels[] = {1, 1, 1, 3, 4, 8, 16, 17, 32, 64, 100};
    d->mb = chance(r, 70) ? 1 : chance(r, 50) ? 8 : between(r, 1, 20);
    d->ic = channels[next(r) % COUNTOF(channels)];
    d->oc = channels[next(r) % COUNTOF(channels)];
    d->id = d->od = d->kd = d->sd = d->sh = d->sw = 1;
    d->ih = d->oh = d->kh = 1;
    d->iw = between(r, 1, 40);
    d->kw = between(r, 1, 3);
    d->pw = between(r, 0, d->kw - 1);
    if (chance(r, 30)) {
        const struct axis h = axis_of(d, 1);
        draw_axis(r, &h);
    }
    set_line(d, d->pw);
    draw_limit(r, d, (enum limit)(next(r) % N_LIMITS));
    if (chance(r, 15))
        draw_limit(r, d, (enum limit)(next(r) % N_LIMITS));
}

static void exchange(int64_t *a, int64_t *b)
{
    const int64_t old = *a;
    *a = *b;
    *b = old;
}

/* The types of what is multiplied and of what is made, in another direction; no
 * attributes. */
static void become_gradient(struct xk_conv_desc *d, uint32_t prop)
{
    const uint32_t drawn[3] = {d->src_type, d->wei_type, d->dst_type};
    uint32_t *const field[XK_N_CONV_ARGS] = {
        [XK_ARG_SRC] = &d->src_type,
        [XK_ARG_WEI] = &d->wei_type,
        [XK_ARG_DST] = &d->dst_type,
    };
    d->prop = prop;
    d->n_post_ops = 0;
    d->scale = 0;
    const struct xk_conv_roles of = xk_conv_desc_roles(d);
    *field[of.a] = drawn[0];
    *field[of.b] = drawn[1];
    *field[of.c] = drawn[2];
}

/* A few are gradients, or deconvolutions in any direction. */
static void draw_direction(struct rng *r, struct xk_conv_desc *d)
{
    const uint32_t prop = XK_BWD_D + (uint32_t)(next(r) % 3);
    if (!chance(r, 25))
        return;
    const bool deconv = chance(r, 60);
    if (deconv)
        d->alg = XK_ALG_DECONV_DIRECT;
    for (unsigned i = 0; deconv && i < 3; i++) {
        const struct axis a = axis_of(d, i);
        exchange(a.i, a.o);
    }
    if (!deconv || chance(r, 60))
        become_gradient(d, prop);
}

struct xk_drawn xk_draw(uint64_t seed, uint64_t number, bool extreme)
{
    struct rng r = {seed * UINT64_C(1000003) + number};
    struct xk_drawn out = {XK_CONV_DESC_INIT, 0};
    draw_types(&r, &out.desc);
    draw_epilogue(&r, &out.desc);
    out.flags = chance(&r, 40) ? XK_CREATE_A64 : 0;
    if (extreme)
        draw_extreme(&r, &out.desc);
    else
        draw_ordinary(&r, &out.desc);
    draw_tags(&r, &out.desc);
    draw_direction(&r, &out.desc);
    return out;
}

/* " --attr-post-ops=sum:0.5+relu", or "". */
static void print_post_ops(const struct xk_conv_desc *d, char *out,
                           size_t out_b)
{
    size_t n = 0;
    *out = 0;
    for (uint32_t i = 0; i < d->n_post_ops && n < out_b; i++) {
        n += (size_t)snprintf(out + n, out_b - n, "%s",
                              i ? "+" : " --attr-post-ops=");
        if (n < out_b && d->post_ops[i].kind == XK_POST_SUM)
            n += (size_t)snprintf(out + n, out_b - n, "sum:%.9g",
                                  (double)d->post_ops[i].alpha);
        else if (n < out_b)
            n += (size_t)snprintf(out + n, out_b - n, "relu");
    }
}

bool xk_drawn_print(const struct xk_drawn *x, char *out, size_t out_b)
{
    static const char *const props[] = {"",      "FWD_D", "FWD_B", "FWD_I",
                                        "BWD_D", "BWD_W", "BWD_WB"};
    const struct xk_conv_desc *const d = &x->desc;
    char problem[512], post_ops[256], scale[64] = "";
    if (xk_conv_desc_print(d, problem, sizeof(problem)) >= sizeof(problem))
        return false;
    print_post_ops(d, post_ops, sizeof(post_ops));
    if (d->scale != 0)
        snprintf(scale, sizeof(scale), " --attr-oscale=common:%.9g",
                 (double)d->scale);
    const int n = snprintf(out, out_b,
                           "--reset --%s --dir=%s --dt=%s:%s:%s --stag=%s "
                           "--wtag=%s --dtag=%s%s%s %s%s",
                           d->alg == XK_ALG_DECONV_DIRECT ? "deconv" : "conv",
                           props[d->prop], type_words[d->src_type],
                           type_words[d->wei_type], type_words[d->dst_type],
                           d->src_tag, d->wei_tag, d->dst_tag, scale, post_ops,
                           problem, x->flags & XK_CREATE_A64 ? " # a64" : "");
    return n > 0 && (size_t)n < out_b;
}
