/* SPDX-License-Identifier: Apache-2.0 */
#include "conv/class_sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conv/residues.h"

/* Along an axis, of one class. */
struct axis_class {
    struct xk_conv_axis x;
    const struct xk_conv_residues *v;
    uint32_t r;
    int u, t; /* numbers of the indices of pixels and of taps */
};

/* Dim d of a tensor of all pixels becomes the class's. */
static void keep_class(struct xk_layout *l, unsigned d,
                       const struct axis_class *a)
{
    struct xk_block *b = l->block;
    while (b->dim != d)
        b++;
    l->offset_e += a->v->i[a->r] * b->stride;
    b->stride *= a->v->s;
    b->size = l->dim[d] = l->padded[d] =
        xk_conv_residue_pixels(&a->x, a->v, a->r);
}

static int64_t pixels_along(const struct xk_conv_desc *f, unsigned i)
{
    return xk_conv_axis(f, i).extent;
}

/* C's spatial dims from `d` on, and its layout. */
static void add_class_dims(struct xk_contraction *p, unsigned d,
                           const struct axis_class a[3])
{
    for (unsigned i = 0; i < 3; i++) {
        keep_class(&p->c.layout, d + i, &a[i]);
        xk_access_add(&p->c, a[i].u, p->c.layout.dim[d + i]);
    }
}

/* The place that a tap of a pixel meets: inside, or nothing is added. */
static void meet_place(struct xk_access *to, const struct axis_class *a)
{
    struct xk_coord *const o = xk_access_add(to, a->u, a->x.places);
    o->coef[a->t] = -a->v->place_step;
    o->base = a->v->o[a->r];
}

static void add_class_indices(struct xk_contraction *p, struct axis_class a[3])
{
    for (unsigned i = 0; i < 3; i++)
        a[i].u = (int)xk_contraction_add(
            p, xk_conv_class_pixel_names[i],
            xk_conv_residue_pixels(&a[i].x, a[i].v, a[i].r), XK_ROLE_M);
    for (unsigned i = 0; i < 3; i++)
        a[i].t = (int)xk_contraction_add(p, xk_conv_class_tap_names[i],
                                         a[i].v->taps[a[i].r], XK_ROLE_K);
}

/* [od][oh][ow][oc]: what a pixel's taps have of [kd][kh][kw][chunk][g][oc]. */
static enum xk_status class_of_taps(xk_ctx *c, const struct xk_conv_desc *f,
                                    const struct xk_conv_sum *of,
                                    struct axis_class a[3],
                                    struct xk_contraction *p)
{
    const int64_t *const t = of->con.c.layout.dim;
    const int64_t from[5] = {t[0], t[1], t[2], t[3], f->oc};
    const int64_t dims[4] = {pixels_along(f, 0), pixels_along(f, 1),
                             pixels_along(f, 2), f->oc};
    add_class_indices(p, a);
    const int ch = (int)xk_contraction_add(p, "ch", from[3], XK_ROLE_K);
    const int oc = (int)xk_contraction_add(p, "oc", f->oc, XK_ROLE_M);
    XK_TRY(xk_conv_sum_tensor(c, "dst", 4, dims, &p->c));
    add_class_dims(p, 0, a);
    xk_access_add(&p->c, oc, f->oc);
    XK_TRY(xk_conv_sum_tensor(c, "taps", 5, from, &p->a));
    for (unsigned i = 0; i < 3; i++) {
        struct xk_coord *const k = xk_access_add(&p->a, -1, from[i]);
        k->coef[a[i].t] = a[i].v->tap_step;
        k->base = a[i].v->k[a[i].r];
    }
    xk_access_add(&p->a, ch, from[3]);
    xk_access_add(&p->a, oc, f->oc);
    for (unsigned i = 0; i < 3; i++)
        meet_place(&p->a, &a[i]);
    return XK_OK;
}

/* [mb][g][od][oh][ow]: what the places of a pixel's taps have of
 * [mb][g][id][ih][iw]. */
static enum xk_status class_of_places(xk_ctx *c, const struct xk_conv_desc *f,
                                      const struct xk_conv_sum *of,
                                      struct axis_class a[3],
                                      struct xk_contraction *p)
{
    const int64_t dims[5] = {f->mb, f->g, pixels_along(f, 0),
                             pixels_along(f, 1), pixels_along(f, 2)};
    const int mb = (int)xk_contraction_add(p, "mb", f->mb, XK_ROLE_M);
    const int g = (int)xk_contraction_add(p, "g", f->g, XK_ROLE_M);
    add_class_indices(p, a);
    XK_TRY(xk_conv_sum_tensor(c, "dst", 5, dims, &p->c));
    xk_access_add(&p->c, mb, f->mb);
    xk_access_add(&p->c, g, f->g);
    add_class_dims(p, 2, a);
    XK_TRY(xk_conv_sum_tensor(c, "pixels", 5, of->con.c.layout.dim, &p->a));
    xk_access_add(&p->a, mb, f->mb);
    xk_access_add(&p->a, g, f->g);
    for (unsigned i = 0; i < 3; i++)
        meet_place(&p->a, &a[i]);
    return XK_OK;
}

/* While they are made. */
struct maker {
    struct xk_arena *arena;
    const struct xk_conv_desc *f;
    const struct xk_conv_sum *of;
    bool of_src;
    struct xk_conv_residues v[3];
    struct axis_class a[3];
};

/* One class, if it has pixels and taps. */
static enum xk_status add_class(xk_ctx *c, struct maker *m,
                                struct xk_conv_class_sums *out)
{
    struct axis_class *const a = m->a;
    for (unsigned i = 0; i < 3; i++) {
        if (!xk_conv_residue_pixels(&a[i].x, a[i].v, a[i].r))
            return XK_OK;
        if (!a[i].v->taps[a[i].r]) {
            out->whole = false;
            return XK_OK;
        }
    }
    struct xk_conv_sum *const s = xk_arena_alloc(m->arena, sizeof(*s));
    if (!s)
        return xk_ctx_status(c);
    memset(s, 0, sizeof(*s));
    snprintf(s->name, sizeof(s->name), "xk_sum_%s_%u",
             m->of_src ? "windows" : "places", out->n);
    s->con.acc_dt = XK_DT_S32;
    out->at[out->n++] = s;
    return m->of_src ? class_of_places(c, m->f, m->of, a, &s->con)
                     : class_of_taps(c, m->f, m->of, a, &s->con);
}

enum xk_status xk_conv_class_sums_make(xk_ctx *c, struct xk_arena *arena,
                                       const struct xk_conv_desc *f,
                                       const struct xk_conv_sum *of,
                                       bool of_src,
                                       struct xk_conv_class_sums *out)
{
    struct maker m = {arena, f, of, of_src, {{0}}, {{{0}}}};
    int64_t n = f->sd * f->sh <= XK_MAX_LAUNCHES ? f->sd * f->sh * f->sw
                                                 : f->sd * f->sh;
    *out = (struct xk_conv_class_sums){.whole = true};
    if (n > XK_MAX_LAUNCHES)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "zero_point: sd=%" PRId64 " sh=%" PRId64 " sw=%" PRId64
                       ": more classes than the %d launches of a program",
                       f->sd, f->sh, f->sw, XK_MAX_LAUNCHES);
    out->at = xk_arena_alloc(arena, (size_t)n * sizeof(struct xk_conv_sum *));
    for (unsigned i = 0; i < 3; i++) {
        m.a[i] = (struct axis_class){.x = xk_conv_axis(f, i), .v = &m.v[i]};
        XK_TRY(xk_conv_residues_make(c, arena, &m.a[i].x, &m.v[i]));
    }
    XK_TRY(xk_ctx_status(c));
    for (int64_t k = 0; k < n; k++) {
        m.a[0].r = (uint32_t)(k / f->sw / f->sh);
        m.a[1].r = (uint32_t)(k / f->sw % f->sh);
        m.a[2].r = (uint32_t)(k % f->sw);
        XK_TRY(add_class(c, &m, out));
    }
    out->size_b = 4 * pixels_along(f, 0) * pixels_along(f, 1) *
                  pixels_along(f, 2) * (of_src ? f->mb * f->g : f->oc);
    return XK_OK;
}

/* An s32 that is subtracted; its coordinates are the caller's. */
static enum xk_status subtract_sum(xk_ctx *c, const char *name, unsigned n,
                                   const int64_t *dims,
                                   struct xk_contraction *p,
                                   struct xk_access **out)
{
    p->epi[p->n_epi++] = (struct xk_epi_op){
        .kind = XK_EPI_SUB, .in_acc = true, .input = p->n_inputs};
    *out = xk_contraction_add_input(p);
    return xk_conv_sum_tensor(c, name, n, dims, *out);
}

/* The pixels of C; a depth that there is not stands still. */
static void add_pixels_of(const struct xk_contraction *p,
                          const struct xk_conv_desc *f, struct xk_access *a)
{
    if (!xk_conv_is_3d(f))
        xk_access_add(a, -1, 1);
    for (unsigned d = 2; d < p->c.layout.n_dims; d++)
        *xk_access_add(a, -1, 1) = p->c.at[d];
}

enum xk_status xk_conv_add_class_sums(xk_ctx *c, const struct xk_conv_desc *f,
                                      struct xk_contraction *p)
{
    const int64_t wei[4] = {pixels_along(f, 0), pixels_along(f, 1),
                            pixels_along(f, 2), f->oc};
    const int64_t src[5] = {f->mb, f->g, wei[0], wei[1], wei[2]};
    struct xk_access *a;
    if (f->attr.zero_point[XK_ARG_SRC].source != XK_QUANT_NONE) {
        XK_TRY(subtract_sum(c, xk_conv_input_wei, 4, wei, p, &a));
        add_pixels_of(p, f, a);
        *xk_access_add(a, -1, 1) = p->c.at[1];
    }
    if (f->attr.zero_point[XK_ARG_WEI].source != XK_QUANT_NONE) {
        XK_TRY(subtract_sum(c, xk_conv_input_src, 5, src, p, &a));
        *xk_access_add(a, -1, 1) = p->c.at[0];
        xk_access_add(a, f->g > 1 ? xk_contraction_find(p, "g") : -1, f->g);
        add_pixels_of(p, f, a);
    }
    return XK_OK;
}
