/* SPDX-License-Identifier: Apache-2.0 */
#include "conv/zero_sums.h"

#include <stdio.h>
#include <string.h>

#include "conv/quants.h"
#include "views/access.h"

const char xk_conv_input_wei[] = "sum_wei", xk_conv_input_src[] = "sum_src";

static bool has_zero(const struct xk_conv_desc *f, enum xk_conv_arg arg)
{
    return f->attr.zero_point[arg].source != XK_QUANT_NONE;
}

bool xk_conv_has_sums(const struct xk_conv_desc *f)
{
    return has_zero(f, XK_ARG_SRC) || has_zero(f, XK_ARG_WEI);
}

/* Spatial dims that there are: all but a depth that does nothing. */
static unsigned first_axis(const struct xk_conv_desc *f)
{
    return xk_conv_is_3d(f) ? 0 : 1;
}

/* Whether some tap of some place is beside src. */
static bool meets_padding(const struct xk_conv_axis *x)
{
    return x->pad > 0 ||
           (x->places - 1) * x->step + (x->taps - 1) * x->apart - x->pad >=
               x->extent;
}

/* Places along an axis that differ in their taps: all of them, or one. */
static int64_t distinct_places(const struct xk_conv_desc *f, unsigned i)
{
    const struct xk_conv_axis x = xk_conv_axis(f, i);
    return meets_padding(&x) ? x.places : 1;
}

enum xk_status xk_conv_sum_tensor(xk_ctx *c, const char *name, unsigned n,
                                  const int64_t *dims, struct xk_access *a)
{
    const char *why;
    memset(a, 0, sizeof(*a));
    snprintf(a->name, sizeof(a->name), "%s", name);
    a->layout.dt = XK_DT_S32;
    a->layout.n_dims = (uint8_t)n;
    memcpy(a->layout.dim, dims, n * sizeof(*dims));
    why = xk_layout_make_dense(&a->layout);
    if (why || xk_layout_size_b(&a->layout) > INT32_MAX)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "zero_point: the tensor of sums %s is above 2^31-1 "
                       "bytes, which is not implemented",
                       name);
    return XK_OK;
}

/* dst of one launch, as A of the next: [i] is the index of dim i, -1: none. */
static void pass_dims(struct xk_access *a, const int *index)
{
    for (unsigned d = 0; d < a->layout.n_dims; d++)
        xk_access_add(a, index[d], a->layout.dim[d]);
}

static struct xk_conv_sum *add_sum_launch(struct xk_conv_sums *s,
                                          const char *name)
{
    struct xk_conv_sum *const x = &s->at[s->n++];
    memset(&x->less, 0, sizeof(x->less));
    snprintf(x->name, sizeof(x->name), "%s", name);
    xk_contraction_clear(&x->con);
    x->con.acc_dt = XK_DT_S32;
    x->along_k = false;
    x->a_from = -1;
    x->size_b = 0;
    return x;
}

static enum xk_status zero_access(xk_ctx *c, const struct xk_conv_desc *f,
                                  enum xk_conv_quant q, struct xk_access *a)
{
    struct xk_conv_quant_row row;
    xk_conv_quant_row(f, q, &row);
    memset(a, 0, sizeof(*a));
    snprintf(a->name, sizeof(a->name), "%s", row.name);
    a->arg = row.number;
    a->by_value = row.of->source == XK_QUANT_HOST;
    return xk_conv_quant_layout(c, &row, &a->layout);
}

/* Channels that a lane adds up: more lanes where there are many. */
static int64_t channels_of_lane(int64_t channels)
{
    for (int64_t e = 64; e >= 16; e /= 2)
        if (channels % e == 0)
            return e;
    return channels;
}

/* Whether lanes go along the channels of weights, of which four are a dword:
 * then a sum of all of them takes few steps. */
static bool has_lanes(const struct xk_conv_desc *f, const struct xk_layout *l)
{
    enum { LANES_K = 64 };
    const struct xk_block *b = &l->block[l->n_blocks - 1];
    const bool zero_differs = f->attr.zero_point[XK_ARG_SRC].mask != 0;
    const int dim = xk_conv_has_group_dim(f, XK_ARG_WEI) ? 2 : 1;
    while (b > l->block && b->size == 1)
        b--;
    return !zero_differs && b->dim == dim && b->stride == 1 &&
           b->size % 4 == 0 && f->ic / f->g % LANES_K == 0;
}

/* [kd][kh][kw][chunk][g][oc]: sums over the channels of a chunk, of (wei - zw)
 * * zs. */
static enum xk_status sum_taps(xk_ctx *c, const struct xk_conv_desc *f,
                               const struct xk_conv_info *info,
                               struct xk_conv_sum *x)
{
    enum { CHUNK = 3, G, OC };
    struct xk_contraction *const p = &x->con;
    XK_TRY(xk_conv_access(c, f, info, XK_ARG_WEI, &p->a));
    x->along_k = has_lanes(f, &p->a.layout);
    const int64_t ic = f->ic / f->g,
                  chunk = x->along_k ? ic : channels_of_lane(ic);
    const int64_t dims[6] = {f->kd,      f->kh, f->kw,
                             ic / chunk, f->g,  f->oc / f->g};
    static const char *const rest[] = {"ch", "g", "oc"};
    int i[6];
    for (unsigned d = 0; d < 6; d++)
        i[d] = (int)xk_contraction_add(
            p, d < CHUNK ? xk_conv_tap_names[d] : rest[d - CHUNK], dims[d],
            XK_ROLE_N);
    const int in = (int)xk_contraction_add(p, "ic", chunk, XK_ROLE_K);
    XK_TRY(xk_conv_sum_tensor(c, "dst", 6, dims, &p->c));
    pass_dims(&p->c, i);
    if (xk_conv_has_group_dim(f, XK_ARG_WEI))
        xk_access_add(&p->a, i[G], f->g);
    xk_access_add(&p->a, i[OC], f->oc / f->g);
    xk_access_add(&p->a, in, ic)->coef[i[CHUNK]] = chunk;
    for (unsigned d = first_axis(f); d < 3; d++)
        xk_access_add(&p->a, i[d], dims[d]);
    XK_TRY(zero_access(c, f, XK_ZERO_POINT_OF_SRC, &p->b));
    const bool many = p->b.layout.dim[0] > 1;
    struct xk_coord *const z =
        xk_access_add(&p->b, many ? in : -1, p->b.layout.dim[0]);
    z->coef[i[CHUNK]] = many ? chunk : 0;
    z->coef[i[G]] = many ? ic : 0;
    if (has_zero(f, XK_ARG_WEI)) {
        XK_TRY(zero_access(c, f, XK_ZERO_POINT_OF_WEI, &x->less));
        xk_access_add(&x->less, -1, 1);
    }
    x->size_b = xk_layout_size_b(&p->c.layout);
    return XK_OK;
}

/* The coordinate of src that a place and a tap have, or the condition on it. */
static void add_place_axis(struct xk_access *a, const struct xk_conv_axis *x,
                           int place, int tap)
{
    struct xk_coord *const at = xk_access_add(a, -1, x->extent);
    if (place >= 0)
        at->coef[place] = x->step;
    at->coef[tap] = x->apart;
    at->base = -x->pad;
}

/* Axes whose taps a launch adds up, of d, h and w. */
enum { ALONG_D = 1, ALONG_H = 2, ALONG_W = 4, ALONG_ALL = 7 };

/* dims: those of its result, [d][h][w][oc]; from: those of what it reads,
 * [d][h][w][ch][oc]. */
static void place_dims(const struct xk_conv_desc *f,
                       const struct xk_conv_sum *before, unsigned along,
                       int64_t dims[4], int64_t from[5])
{
    const struct xk_layout *const l = &before->con.c.layout;
    for (unsigned d = 0; d < 3; d++) {
        from[d] = l->dim[d];
        dims[d] = along >> d & 1 ? distinct_places(f, d) : from[d];
    }
    from[3] = l->n_dims > 4 ? l->dim[3] : 1;
    from[4] = dims[3] = f->oc;
}

/* The channels of all groups: sums over the taps along some axes, of those that
 * are inside src at a place. An axis that is not among them keeps its dim. */
static enum xk_status sum_places(xk_ctx *c, const struct xk_conv_desc *f,
                                 const struct xk_conv_sum *before,
                                 unsigned along, struct xk_conv_sum *x)
{
    struct xk_contraction *const p = &x->con;
    int64_t dims[4], from[5];
    int o[4], k[5];
    place_dims(f, before, along, dims, from);
    for (unsigned d = 0; d < 4; d++)
        o[d] = (int)xk_contraction_add(
            p, d < 3 ? xk_conv_spatial_name(XK_ARG_DST, d) : "oc", dims[d],
            XK_ROLE_M);
    for (unsigned d = 0; d < 4; d++)
        k[d] = d < 3 && !(along >> d & 1)
                   ? o[d]
                   : (int)xk_contraction_add(
                         p, d < 3 ? xk_conv_tap_names[d] : "ch", from[d],
                         XK_ROLE_K);
    k[4] = o[3];
    XK_TRY(xk_conv_sum_tensor(c, "dst", 4, dims, &p->c));
    pass_dims(&p->c, o);
    XK_TRY(xk_conv_sum_tensor(c, "taps", 5, from, &p->a));
    pass_dims(&p->a, k);
    for (unsigned d = first_axis(f); d < 3; d++) {
        const struct xk_conv_axis axis = xk_conv_axis(f, d);
        if (along >> d & 1 && meets_padding(&axis))
            add_place_axis(&p->a, &axis, dims[d] > 1 ? o[d] : -1, k[d]);
    }
    x->size_b = xk_layout_size_b(&p->c.layout);
    return XK_OK;
}

/* [mb][g][id][ih][iw]: sums over a group's channels of a pixel, times zw. */
static enum xk_status sum_pixels(xk_ctx *c, const struct xk_conv_desc *f,
                                 const struct xk_conv_info *info,
                                 struct xk_conv_sum *x)
{
    enum { G = 1, SPATIAL };
    struct xk_contraction *const p = &x->con;
    const int64_t ic = f->ic / f->g;
    const int64_t dims[5] = {f->mb, f->g, f->id, f->ih, f->iw};
    static const char *const outer[SPATIAL] = {"mb", "g"};
    int i[5];
    for (unsigned d = 0; d < 5; d++)
        i[d] = (int)xk_contraction_add(
            p,
            d < SPATIAL ? outer[d]
                        : xk_conv_spatial_name(XK_ARG_SRC, d - SPATIAL),
            dims[d], XK_ROLE_M);
    const int in = (int)xk_contraction_add(p, "ic", ic, XK_ROLE_K);
    XK_TRY(xk_conv_sum_tensor(c, "dst", 5, dims, &p->c));
    pass_dims(&p->c, i);
    XK_TRY(xk_conv_access(c, f, info, XK_ARG_SRC, &p->a));
    xk_access_add(&p->a, i[0], f->mb);
    xk_access_add(&p->a, in, f->ic)->coef[i[G]] = ic;
    for (unsigned d = first_axis(f); d < 3; d++)
        xk_access_add(&p->a, i[SPATIAL + d], dims[SPATIAL + d]);
    XK_TRY(zero_access(c, f, XK_ZERO_POINT_OF_WEI, &p->b));
    xk_access_add(&p->b, -1, 1);
    x->size_b = xk_layout_size_b(&p->c.layout);
    return XK_OK;
}

/* [mb][g][od][oh][ow]: the sums over the pixels of a place's taps. */
static enum xk_status sum_windows(xk_ctx *c, const struct xk_conv_desc *f,
                                  const struct xk_conv_sum *pixels,
                                  struct xk_conv_sum *x)
{
    static const char *const outer[] = {"mb", "g"};
    struct xk_contraction *const p = &x->con;
    const int64_t dims[5] = {f->mb, f->g, f->od, f->oh, f->ow};
    int o[5], k[3];
    for (unsigned d = 0; d < 5; d++)
        o[d] = (int)xk_contraction_add(
            p, d < 2 ? outer[d] : xk_conv_spatial_name(XK_ARG_DST, d - 2),
            dims[d], XK_ROLE_M);
    for (unsigned d = 0; d < 3; d++)
        k[d] = (int)xk_contraction_add(p, xk_conv_tap_names[d],
                                       xk_conv_axis(f, d).taps, XK_ROLE_K);
    XK_TRY(xk_conv_sum_tensor(c, "dst", 5, dims, &p->c));
    pass_dims(&p->c, o);
    XK_TRY(xk_conv_sum_tensor(c, "pixels", 5, pixels->con.c.layout.dim, &p->a));
    xk_access_add(&p->a, o[0], f->mb);
    xk_access_add(&p->a, o[1], f->g);
    for (unsigned d = 0; d < 3; d++) {
        const struct xk_conv_axis axis = xk_conv_axis(f, d);
        add_place_axis(&p->a, &axis, o[d + 2], k[d]);
    }
    x->size_b = xk_layout_size_b(&p->c.layout);
    return XK_OK;
}

/* Whether the sums of taps are those of places. */
static bool is_complete(const struct xk_conv_desc *f,
                        const struct xk_conv_sum *taps)
{
    const int64_t *const n = taps->con.c.layout.dim;
    bool padding = false;
    for (unsigned d = first_axis(f); d < 3; d++) {
        const struct xk_conv_axis axis = xk_conv_axis(f, d);
        padding |= meets_padding(&axis);
    }
    return !padding && n[0] * n[1] * n[2] * n[3] == 1;
}

/* Whether a line's sums come first, one of each tap along it: where places
 * differ along it, and several sums are above each of its taps, which one
 * launch would add up again at each place. Another launch takes less but for
 * the smallest of problems (docs/measurements.md, "Attributes"). */
static bool has_lines(const struct xk_conv_desc *f,
                      const struct xk_conv_sum *taps)
{
    const int64_t *const n = taps->con.c.layout.dim;
    return n[0] * n[1] * n[3] > 1 && distinct_places(f, 2) > 1;
}

static enum xk_status next_places(xk_ctx *c, const struct xk_conv_desc *f,
                                  unsigned along, const char *name,
                                  struct xk_conv_sums *s)
{
    struct xk_conv_sum *const x = add_sum_launch(s, name);
    x->a_from = (int)s->n - 2;
    return sum_places(c, f, &s->at[s->n - 2], along, x);
}

static enum xk_status sums_of_wei(xk_ctx *c, const struct xk_conv_desc *f,
                                  const struct xk_conv_info *info,
                                  struct xk_conv_sums *s)
{
    struct xk_conv_sum *const taps = add_sum_launch(s, "xk_sum_taps");
    XK_TRY(sum_taps(c, f, info, taps));
    if (has_lines(f, taps))
        XK_TRY(next_places(c, f, ALONG_D | ALONG_H, "xk_sum_lines", s));
    if (!is_complete(f, taps))
        XK_TRY(next_places(c, f, s->n > 1 ? ALONG_W : ALONG_ALL,
                           "xk_sum_places", s));
    s->of_wei = (int)s->n - 1;
    return XK_OK;
}

static enum xk_status sums_of_src(xk_ctx *c, const struct xk_conv_desc *f,
                                  const struct xk_conv_info *info,
                                  struct xk_conv_sums *s)
{
    struct xk_conv_sum *const pixels = add_sum_launch(s, "xk_sum_pixels");
    XK_TRY(sum_pixels(c, f, info, pixels));
    struct xk_conv_sum *const windows = add_sum_launch(s, "xk_sum_windows");
    windows->a_from = (int)s->n - 2;
    XK_TRY(sum_windows(c, f, pixels, windows));
    s->of_src = (int)s->n - 1;
    return XK_OK;
}

enum xk_status xk_conv_sums_begin(xk_ctx *c, const struct xk_conv_desc *f,
                                  const struct xk_conv_info *info,
                                  struct xk_conv_sums *out)
{
    out->n = 0;
    out->of_wei = out->of_src = -1;
    if (has_zero(f, XK_ARG_SRC)) {
        out->of_wei = (int)out->n;
        XK_TRY(sum_taps(c, f, info, add_sum_launch(out, "xk_sum_taps")));
    }
    if (has_zero(f, XK_ARG_WEI)) {
        out->of_src = (int)out->n;
        XK_TRY(sum_pixels(c, f, info, add_sum_launch(out, "xk_sum_pixels")));
    }
    return XK_OK;
}

enum xk_status xk_conv_sums_make(xk_ctx *c, const struct xk_conv_desc *f,
                                 const struct xk_conv_info *info,
                                 struct xk_conv_sums *out)
{
    out->n = 0;
    out->of_wei = out->of_src = -1;
    if (has_zero(f, XK_ARG_SRC))
        XK_TRY(sums_of_wei(c, f, info, out));
    if (has_zero(f, XK_ARG_WEI))
        XK_TRY(sums_of_src(c, f, info, out));
    return XK_OK;
}

int xk_conv_sums_find(const struct xk_conv_sums *s, const char *input)
{
    return strcmp(input, xk_conv_input_wei) == 0   ? s->of_wei
           : strcmp(input, xk_conv_input_src) == 0 ? s->of_src
                                                   : -1;
}

static enum xk_status add_input(xk_ctx *c, const char *name, unsigned n,
                                const int64_t *dims, const int *index,
                                struct xk_contraction *p)
{
    p->epi[p->n_epi++] = (struct xk_epi_op){
        .kind = XK_EPI_SUB, .in_acc = true, .input = p->n_inputs};
    struct xk_access *const a = xk_contraction_add_input(p);
    XK_TRY(xk_conv_sum_tensor(c, name, n, dims, a));
    for (unsigned d = 0; d < n; d++)
        xk_access_add(a, dims[d] > 1 ? index[d] : -1, dims[d]);
    return XK_OK;
}

enum xk_status xk_conv_add_sums(xk_ctx *c, const struct xk_conv_desc *f,
                                const struct xk_conv_places *o,
                                struct xk_contraction *p)
{
    const int64_t wei[5] = {distinct_places(f, 0), distinct_places(f, 1),
                            distinct_places(f, 2), f->g, f->oc / f->g};
    const int64_t src[5] = {f->mb, f->g, f->od, f->oh, f->ow};
    if (has_zero(f, XK_ARG_SRC))
        XK_TRY(add_input(c, xk_conv_input_wei, 5, wei,
                         (const int[]){o->o[0], o->o[1], o->o[2], o->g, o->oc},
                         p));
    if (has_zero(f, XK_ARG_WEI))
        XK_TRY(add_input(c, xk_conv_input_src, 5, src,
                         (const int[]){o->mb, o->g, o->o[0], o->o[1], o->o[2]},
                         p));
    return XK_OK;
}

bool xk_conv_may_sum_inside(const struct xk_conv_desc *f)
{
    struct xk_conv_quant_row row;
    xk_conv_quant_row(f, XK_ZERO_POINT_OF_SRC, &row);
    for (unsigned i = first_axis(f); i < 3; i++) {
        const struct xk_conv_axis x = xk_conv_axis(f, i);
        if (meets_padding(&x))
            return false;
    }
    return has_zero(f, XK_ARG_SRC) && !has_zero(f, XK_ARG_WEI) &&
           row.extent == 1 &&
           (row.of->source == XK_QUANT_HOST || row.of->type == XK_S32);
}

enum xk_status xk_conv_sum_inside(xk_ctx *c, const struct xk_conv_desc *f,
                                  struct xk_contraction *p)
{
    struct xk_access *const a = &p->input[p->epi[0].input];
    p->epi[0].times_b = true;
    XK_TRY(zero_access(c, f, XK_ZERO_POINT_OF_SRC, a));
    xk_access_add(a, -1, 1);
    return XK_OK;
}
