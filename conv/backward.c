/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients as contractions. A convolution's places are dst's and its
 * pixels src's. A deconvolution has them the other way round, so that its
 * forward direction makes pixels, too. What makes pixels has the classes of
 * residues.h. */
#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "conv/behind_sum.h"
#include "conv/class_sums.h"
#include "conv/residues.h"

/* A spatial dim by data, and the numbers of the indices u and t. */
struct class_axis {
    struct xk_conv_residues of;
    int u, t;
};

static int64_t greatest_of(const int64_t *v, int64_t n)
{
    int64_t most = 1;
    for (int64_t i = 0; i < n; i++)
        most = v[i] > most ? v[i] : most;
    return most;
}

/* The index of groups; -1: there is one group. */
static int add_groups(struct xk_contraction *p, const struct xk_conv_desc *f)
{
    return f->g > 1 ? (int)xk_contraction_add(p, "g", f->g, XK_ROLE_BATCH) : -1;
}

static int add_channel_index(struct xk_contraction *p,
                             const struct xk_conv_desc *f, enum xk_conv_arg arg,
                             enum xk_role role)
{
    return (int)xk_contraction_add(p, xk_conv_channel_name(arg),
                                   xk_conv_channels(f, arg), role);
}

/* Images and channels of src or dst, of which the index counts a group's. */
static void add_channels(const struct xk_conv_desc *f, int g, int mb,
                         int channels, struct xk_access *a)
{
    xk_conv_add_dims(a, 2, (const int[]){mb, channels});
    xk_conv_over_groups(f, g, 1, a);
}

/* Indices of a spatial dim by data, and its classes. */
static void add_axis(struct xk_contraction *p, const struct xk_conv_axis *x,
                     unsigned axis, struct class_axis *v)
{
    const int64_t most_places = (x->extent + x->step - 1) / x->step;
    v->u = (int)xk_contraction_add(p, xk_conv_class_pixel_names[axis],
                                   most_places, XK_ROLE_M);
    v->t = (int)xk_contraction_add(p, xk_conv_class_tap_names[axis],
                                   greatest_of(v->of.taps, x->step), XK_ROLE_K);
    p->class_dim[p->n_class_dims++] =
        (struct xk_class_dim){(uint32_t)x->step, (uint8_t)v->t, v->of.taps};
}

/* A coordinate with the bases of a class dim, in a dim of `extent`. */
static struct xk_coord *add_class_coord(struct xk_access *a, int64_t extent,
                                        unsigned dim, const int64_t *bases)
{
    struct xk_coord *const x = xk_access_add(a, -1, extent);
    x->class_base = bases;
    x->class_dim = (uint8_t)dim;
    return x;
}

/* The coordinates of a spatial dim in places, wei and pixels. */
static void add_coords(struct xk_contraction *p, const struct xk_conv_axis *x,
                       const struct class_axis *v)
{
    const unsigned dim = p->n_class_dims - 1u;
    struct xk_coord *const o = add_class_coord(&p->a, x->places, dim, v->of.o);
    o->coef[v->u] = 1;
    o->coef[v->t] = -v->of.place_step;
    struct xk_coord *const k = add_class_coord(&p->b, x->taps, dim, v->of.k);
    k->coef[v->t] = v->of.tap_step;
    struct xk_coord *const i = add_class_coord(&p->c, x->extent, dim, v->of.i);
    i->coef[v->u] = v->of.s;
}

/* Whether what follows the sum reads tensors that have pixels: such inputs may
 * not leave them. */
static bool reads_pixels(const struct xk_conv_desc *f)
{
    if (!xk_conv_is_deconv(f) || !xk_conv_is_forward(f))
        return false;
    for (uint32_t i = 0; i < f->n_post_ops; i++)
        if (xk_post_op_reads_rhs(f->post_ops[i].kind) &&
            f->post_ops[i].mask >= 4)
            return true;
    return xk_conv_has_sums(f);
}

/* The residues of a dim's stride as indices. With g = gcd(s, D), pixel
 * s * u + D * r + q - p, r below s / g and q below g, is met by tap
 * r + s / g * t of place u - D / g * t, if there is such a tap and q is 0. Each
 * pixel is one u, r and q. */
struct tile {
    int64_t q, r, t, u;           /* extents */
    int64_t tap_step, place_step; /* of tap and of -place by t */
    int64_t first;                /* u */
    bool leaves;                  /* some u are no pixel with some r */
};

static struct tile axis_tile(const struct xk_conv_axis *x)
{
    const int64_t s = x->step, g = xk_gcd(s, x->apart);
    const int64_t r = s / g, far = x->apart * (r - 1) + g - 1;
    const int64_t first = -xk_floor_div(far - x->pad, s);
    const int64_t last = xk_floor_div(x->extent - 1 + x->pad, s);
    return (struct tile){.q = g,
                         .r = r,
                         .t = (x->taps + r - 1) / r,
                         .u = last - first + 1,
                         .tap_step = r,
                         .place_step = x->apart / g,
                         .first = first,
                         .leaves = s * first < x->pad ||
                                   s * last + far - x->pad >= x->extent};
}

/* may_leave: what follows the sum may be met outside, too. rests: products for
 * pixels without a tap may be made in vain. */
static unsigned may_tile(const struct xk_conv_desc *f, bool may_leave,
                         bool rests)
{
    const unsigned first = xk_conv_is_3d(f) ? 0 : 1;
    unsigned dims = 0, n = 3u + (f->g > 1) + 2u * (3u - first);
    unsigned of_wei = 2u + (f->g > 1) + (3u - first); /* coordinates */
    for (unsigned i = first; i < 3; i++) {
        const struct xk_conv_axis x = xk_conv_axis(f, i);
        const struct tile t = axis_tile(&x);
        const unsigned more = (t.t > 1) + (t.q > 1 && t.r > 1);
        if (x.step == 1 || (t.leaves && !may_leave) || (t.q > 1 && !rests) ||
            n + more > XK_MAX_INDEX || of_wei + (t.q > 1) > XK_MAX_COORD)
            continue;
        n += more;
        of_wei += t.q > 1;
        dims |= 1u << i;
    }
    return dims;
}

struct xk_conv_tiled xk_conv_may_tile(const struct xk_conv_desc *f)
{
    struct xk_conv_tiled t = {.all = may_tile(f, !reads_pixels(f), false),
                              .last = may_tile(f, !xk_conv_has_sums(f), true)};
    for (unsigned i = 0; i < 3; i++) {
        const struct xk_conv_axis x = xk_conv_axis(f, i);
        if (x.apart == 1 && x.taps % x.step == 0)
            t.even |= t.all & 1u << i;
    }
    return t;
}

double xk_conv_tiled_products(const struct xk_conv_desc *f, unsigned tiled)
{
    double columns = (double)xk_conv_channels(f, xk_conv_pixels(f)), taps = 1;
    for (unsigned i = xk_conv_is_3d(f) ? 0 : 1; i < 3; i++) {
        const struct xk_conv_axis x = xk_conv_axis(f, i);
        const bool is_tiled = tiled >> i & 1;
        columns *= is_tiled ? (double)x.step : 1;
        taps *= (double)(is_tiled ? axis_tile(&x).t : x.taps);
    }
    return ceil(columns / 8) * 8 * taps;
}

double xk_conv_tiled_launches(const struct xk_conv_desc *f, unsigned tiled)
{
    double n = 1;
    for (unsigned i = xk_conv_is_3d(f) ? 0 : 1; i < 3; i++)
        n *= tiled >> i & 1 ? 1 : (double)xk_conv_axis(f, i).step;
    return n;
}

static const char *const rest_names[3] = {"qd", "qh", "qw"};

/* Pixels between those that have taps add nothing. */
static void add_rests(struct xk_contraction *p)
{
    for (unsigned i = 0; i < 3; i++) {
        const int q = xk_contraction_find(p, rest_names[i]);
        if (q >= 0)
            xk_access_add(&p->b, q, 1);
    }
}

static void add_tiled_axis(struct xk_contraction *p,
                           const struct xk_conv_axis *x, unsigned axis)
{
    const struct tile v = axis_tile(x);
    const int u = (int)xk_contraction_add(p, xk_conv_class_pixel_names[axis],
                                          v.u, XK_ROLE_M);
    struct xk_coord *const o = xk_access_add(&p->a, u, x->places);
    struct xk_coord *const k = xk_access_add(&p->b, -1, x->taps);
    struct xk_coord *const i = xk_access_add(&p->c, u, x->extent);
    o->base = v.first;
    i->base = x->step * v.first - x->pad;
    i->coef[u] = x->step;
    if (v.r > 1) {
        const unsigned r =
            xk_contraction_add(p, xk_conv_tap_names[axis], v.r, XK_ROLE_N);
        k->coef[r] = 1;
        i->coef[r] = x->apart;
    }
    if (v.q > 1)
        i->coef[xk_contraction_add(p, rest_names[axis], v.q, XK_ROLE_N)] = 1;
    if (v.t == 1)
        return;
    const unsigned t =
        xk_contraction_add(p, xk_conv_class_tap_names[axis], v.t, XK_ROLE_K);
    o->coef[t] = -v.place_step;
    k->coef[t] = v.tap_step;
}

/* The same taps from the last one on, so that the places that they meet ascend:
 * windows of groups in the lanes are so (views/group_lanes.h). */
static void turn_taps(struct xk_conv_residues *v)
{
    for (int64_t r = 0; r < v->s; r++) {
        const int64_t last = xk_larger(v->taps[r] - 1, 0);
        v->k[r] += v->tap_step * last;
        v->o[r] -= v->place_step * last;
    }
    v->tap_step = -v->tap_step;
    v->place_step = -v->place_step;
}

/* A spatial dim with a class for each residue of its stride. */
static enum xk_status add_residues(xk_ctx *c, struct xk_arena *arena,
                                   struct xk_contraction *p,
                                   const struct xk_conv_axis *x, unsigned axis,
                                   bool turn)
{
    struct class_axis v = {0};
    XK_TRY(xk_conv_residues_make(c, arena, x, &v.of));
    if (turn)
        turn_taps(&v.of);
    add_axis(p, x, axis, &v);
    add_coords(p, x, &v);
    return XK_OK;
}

enum xk_status xk_conv_backward_data(xk_ctx *c, struct xk_arena *arena,
                                     const struct xk_conv_desc *f,
                                     const struct xk_conv_info *info,
                                     unsigned tiled, struct xk_contraction *out)
{
    const enum xk_conv_arg pixels = xk_conv_pixels(f),
                           places = xk_conv_places(f);
    const struct xk_conv_roles of = {places, XK_ARG_WEI, pixels};
    XK_TRY(xk_conv_begin(c, f, info, of, out));
    const int g = add_groups(out, f);
    const int mb = (int)xk_contraction_add(out, "mb", f->mb, XK_ROLE_M);
    const int made = add_channel_index(out, f, pixels, XK_ROLE_N);
    const int summed = add_channel_index(out, f, places, XK_ROLE_K);
    add_channels(f, g, mb, summed, &out->a);
    xk_conv_add_wei_dims(f, g, made, summed, &out->b);
    add_channels(f, g, mb, made, &out->c);
    for (unsigned i = xk_conv_is_3d(f) ? 0 : 1; i < 3; i++) {
        const struct xk_conv_axis x = xk_conv_axis(f, i);
        if (tiled >> i & 1)
            add_tiled_axis(out, &x, i);
        else
            XK_TRY(add_residues(c, arena, out, &x, i, f->g > 1));
    }
    add_rests(out);
    if (xk_conv_is_deconv(f) && xk_conv_is_forward(f)) {
        XK_TRY(xk_conv_add_class_sums(c, f, out));
        XK_TRY(xk_conv_add_epilogue(c, f, info, out));
    }
    xk_contraction_move(out, (unsigned)summed, out->n_index - 1u);
    if (tiled) /* channels are the innermost of N, behind taps */
        xk_contraction_move(out, (unsigned)made, out->n_index - 1u);
    return XK_OK;
}

enum xk_status xk_conv_backward_weights(xk_ctx *c, const struct xk_conv_desc *f,
                                        const struct xk_conv_info *info,
                                        struct xk_contraction *out)
{
    const enum xk_conv_arg pixels = xk_conv_pixels(f),
                           places = xk_conv_places(f);
    const unsigned first = xk_conv_is_3d(f) ? 0 : 1;
    int o[3], k[3];
    XK_TRY(xk_conv_begin(
        c, f, info, (struct xk_conv_roles){pixels, places, XK_ARG_WEI}, out));
    const int g = add_groups(out, f);
    for (unsigned i = first; i < 3; i++)
        k[i] = (int)xk_contraction_add(out, xk_conv_tap_names[i],
                                       xk_conv_axis(f, i).taps, XK_ROLE_M);
    const int row = add_channel_index(out, f, pixels, XK_ROLE_M);
    const int column = add_channel_index(out, f, places, XK_ROLE_N);
    const int mb = (int)xk_contraction_add(out, "mb", f->mb, XK_ROLE_K);
    for (unsigned i = first; i < 3; i++)
        o[i] = (int)xk_contraction_add(out, xk_conv_spatial_name(places, i),
                                       xk_conv_axis(f, i).places, XK_ROLE_K);
    add_channels(f, g, mb, row, &out->a);
    for (unsigned i = first; i < 3; i++) {
        const struct xk_conv_axis x = xk_conv_axis(f, i);
        struct xk_coord *const at = xk_access_add(&out->a, -1, x.extent);
        at->coef[o[i]] = x.step;
        at->coef[k[i]] = x.apart;
        at->base = -x.pad;
    }
    add_channels(f, g, mb, column, &out->b);
    xk_conv_add_dims(&out->b, 3 - first, &o[first]);
    xk_conv_add_wei_dims(f, g, row, column, &out->c);
    xk_conv_add_dims(&out->c, 3 - first, &k[first]);
    /* No condition depends on images. */
    xk_contraction_move(out, (unsigned)mb, out->n_index - 1u);
    return XK_OK;
}

/* A is 1 everywhere: a condition that never holds makes each element the fill
 * of a tensor that is there anyway, so memory is not read for it. */
static void add_ones(struct xk_access *a)
{
    for (unsigned d = 0; d < a->layout.n_dims; d++)
        xk_access_add(a, -1, a->layout.dim[d]);
    xk_access_add(a, -1, 1)->base = 1;
    a->fill = 1;
}

enum xk_status xk_conv_backward_bias(xk_ctx *c, const struct xk_conv_desc *f,
                                     const struct xk_conv_info *info,
                                     struct xk_contraction *out)
{
    static const struct xk_conv_roles of = {XK_ARG_SRC, XK_ARG_DST, XK_ARG_BIA};
    const int64_t size[3] = {f->od, f->oh, f->ow};
    const unsigned first = xk_conv_is_3d(f) ? 0 : 1;
    int o[3];
    XK_TRY(xk_conv_begin(c, f, info, of, out));
    const int oc = (int)xk_contraction_add(out, "oc", f->oc, XK_ROLE_N);
    const int mb = (int)xk_contraction_add(out, "mb", f->mb, XK_ROLE_K);
    for (unsigned i = first; i < 3; i++)
        o[i] = (int)xk_contraction_add(out, xk_conv_spatial_name(XK_ARG_DST, i),
                                       size[i], XK_ROLE_K);
    add_ones(&out->a);
    xk_conv_add_dims(&out->b, 2, (const int[]){mb, oc});
    xk_conv_add_dims(&out->b, 3 - first, &o[first]);
    xk_conv_add_dims(&out->c, 1, &oc);
    return XK_OK;
}

void xk_conv_share_bias(const struct xk_contraction *bias,
                        struct xk_contraction *con)
{
    struct xk_access *const a = xk_contraction_add_input(con);
    *a = bias->c;
    a->at[0] = con->b.at[1]; /* channels, of all groups */
    con->totals = true;
}
