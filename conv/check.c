/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of a descriptor: first what is wrong in itself (XK_EINVAL), then
 * what is not implemented (XK_EUNSUPPORTED). Every sentence names the field and
 * its value. All arithmetic stays below 2^63: sizes are checked against 2^31-1
 * before they are multiplied. */
#include "conv/parts.h"
#include "conv/post_ops.h"
#include "conv/tensors.h"
#include "conv/version.h"
#include "conv/ways.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_EXTENT INT32_MAX

static enum xk_status check_type(xk_ctx *c, const char *field, uint32_t *type,
                                 uint32_t default_type)
{
    if (*type == XK_TYPE_DEFAULT)
        *type = default_type;
    if (!xk_conv_type_name(*type))
        return xk_fail(c, XK_EINVAL, "%s=%u is not a data type", field, *type);
    return XK_OK;
}

static uint32_t bias_default(const struct xk_conv_desc *f)
{
    return f->wei_type == XK_F64 ? XK_F64 : XK_F32;
}

/* Unknown numbers; defaults become explicit. */
static enum xk_status check_enums(xk_ctx *c, struct xk_conv_desc *f)
{
    if (f->platform < XK_PLATFORM_XELP || f->platform > XK_PLATFORM_XEHPC)
        return xk_fail(c, XK_EINVAL, "platform=%u is not a platform",
                       f->platform);
    if (f->prop == XK_PROP_DEFAULT)
        f->prop = XK_FWD_B;
    if (f->prop > XK_BWD_WB)
        return xk_fail(c, XK_EINVAL, "prop=%u is not a propagation kind",
                       f->prop);
    XK_TRY(check_type(c, "src_type", &f->src_type, XK_F32));
    XK_TRY(check_type(c, "wei_type", &f->wei_type, XK_F32));
    XK_TRY(check_type(c, "dst_type", &f->dst_type, f->src_type));
    if (f->prop == XK_BWD_W && f->bia_type != XK_TYPE_DEFAULT)
        f->prop = XK_BWD_WB;
    if (f->prop == XK_FWD_B || f->prop == XK_BWD_WB ||
        f->bia_type != XK_TYPE_DEFAULT)
        XK_TRY(check_type(c, "bia_type", &f->bia_type, bias_default(f)));
    if (f->prop == XK_BWD_D && f->bia_type != XK_TYPE_DEFAULT)
        return xk_fail(c, XK_EINVAL,
                       "bia_type=%s: the gradient of src (BWD_D) has no bias",
                       xk_conv_type_name(f->bia_type));
    if (f->alg > XK_ALG_DECONV_WINO)
        return xk_fail(c, XK_EINVAL, "alg=%u is not an algorithm", f->alg);
    if (f->grouped > 1)
        return xk_fail(c, XK_EINVAL, "grouped=%u must be 0 or 1", f->grouped);
    if (!isfinite(f->scale))
        return xk_fail(c, XK_EINVAL, "scale=%g is not finite",
                       (double)f->scale);
    return xk_conv_check_post_ops(c, f);
}

static enum xk_status check_extents(xk_ctx *c, const struct xk_conv_desc *f)
{
    const struct {
        const char *field;
        int64_t value, min;
    } rows[] = {
#define XK_CONV_FIELD(id, name, initial, unit, least) {#name, f->name, least},
#include "conv/fields.def"
    };
    for (size_t i = 0; i < XK_COUNTOF(rows); i++) {
        if (rows[i].value < rows[i].min)
            return xk_fail(c, XK_EINVAL, "%s=%lld must %s", rows[i].field,
                           (long long)rows[i].value,
                           rows[i].min ? "be positive" : "not be negative");
        if (rows[i].value > MAX_EXTENT)
            return xk_fail(c, XK_EINVAL, "%s=%lld is above 2147483647",
                           rows[i].field, (long long)rows[i].value);
    }
    return XK_OK;
}

/* One spatial dimension, elements: pixels i, places o. A deconvolution gives
 * its places, and pixels are deduced. */
struct window {
    char dim;       /* 'd', 'h', 'w' */
    char in, out;   /* letters of the sizes of pixels and of places */
    int64_t *i, *o; /* the one of dst: deduced if 0 */
    int64_t k, s, d, p;
};

/* dst's size that symmetric padding gives; 0: there is none. */
static int64_t symmetric_size(const struct window *w, int64_t ek)
{
    const int64_t room = *w->i + 2 * w->p - ek;
    const int64_t spread = (*w->o - 1) * w->s + ek - 2 * w->p;
    if (w->in == 'o')
        return spread > 0 ? spread : 0;
    return room < 0 ? 0 : room / w->s + 1;
}

static enum xk_status deduce(xk_ctx *c, const struct window *w, int64_t ek)
{
    int64_t *const of_dst = w->in == 'o' ? w->i : w->o;
    if (*of_dst == 0)
        *of_dst = symmetric_size(w, ek);
    if (*of_dst > 0)
        return XK_OK;
    return xk_fail(
        c, XK_EINVAL,
        "k%c=%lld: the kernel's extent %lld does not fit %s i%c=%lld "
        "with p%c=%lld",
        w->dim, (long long)w->k, (long long)ek,
        w->in == 'o' ? "around" : "into", w->dim,
        (long long)(w->in == 'o' ? *w->o : *w->i), w->dim, (long long)w->p);
}

/* Padding behind follows from the sizes. It may be anything from -s + 1 (pixels
 * that no window reaches) upwards; below that there is room for another place,
 * so the sizes contradict each other. */
static enum xk_status check_window(xk_ctx *c, const struct window *w)
{
    if (w->p < 0) /* a problem string deduces it from the output */
        return xk_fail(c, XK_EINVAL, "p%c=%lld must not be negative (o%c=%lld)",
                       w->dim, (long long)w->p, w->dim,
                       (long long)(w->in == 'o' ? *w->i : *w->o));
    const int64_t ek = (w->k - 1) * (w->d + 1) + 1;
    XK_TRY(deduce(c, w, ek));
    const int64_t behind = (*w->o - 1) * w->s + ek - *w->i - w->p;
    if (behind <= -w->s)
        return xk_fail(c, XK_EINVAL,
                       "%c%c=%lld does not fit %c%c=%lld k%c=%lld s%c=%lld "
                       "d%c=%lld p%c=%lld: without padding behind there are "
                       "already %lld elements of %s",
                       w->out, w->dim, (long long)*w->o, w->in, w->dim,
                       (long long)*w->i, w->dim, (long long)w->k, w->dim,
                       (long long)w->s, w->dim, (long long)w->d, w->dim,
                       (long long)w->p,
                       (long long)((*w->i + w->p - ek) / w->s + 1),
                       w->out == 'o' ? "dst" : "src");
    if (behind > MAX_EXTENT || *w->o > MAX_EXTENT || *w->i > MAX_EXTENT)
        return xk_fail(
            c, XK_EINVAL,
            "%c%c=%lld with %c%c=%lld needs %lld elements of padding "
            "behind; all must be at most 2147483647",
            w->out, w->dim, (long long)*w->o, w->in, w->dim, (long long)*w->i,
            (long long)behind);
    return XK_OK;
}

static enum xk_status check_geometry(xk_ctx *c, struct xk_conv_desc *f)
{
    const bool back = xk_conv_is_deconv(f);
    struct window windows[] = {
        {'d', 'i', 'o', &f->id, &f->od, f->kd, f->sd, f->dd, f->pd},
        {'h', 'i', 'o', &f->ih, &f->oh, f->kh, f->sh, f->dh, f->ph},
        {'w', 'i', 'o', &f->iw, &f->ow, f->kw, f->sw, f->dw, f->pw},
    };
    for (size_t i = 0; i < XK_COUNTOF(windows); i++) {
        struct window *const w = &windows[i];
        int64_t *const src = w->i, *const dst = w->o;
        if (back) {
            w->in = 'o', w->out = 'i';
            w->i = dst, w->o = src;
        }
        XK_TRY(check_window(c, w));
    }
    if (f->ic % f->g)
        return xk_fail(c, XK_EINVAL, "ic=%lld is not a multiple of g=%lld",
                       (long long)f->ic, (long long)f->g);
    if (f->oc % f->g)
        return xk_fail(c, XK_EINVAL, "oc=%lld is not a multiple of g=%lld",
                       (long long)f->oc, (long long)f->g);
    return XK_OK;
}

/* 1D has no heights, and 1D and 2D no depths, that do anything. */
static enum xk_status check_ndims(xk_ctx *c, const struct xk_conv_desc *f)
{
    const bool no_h = f->ih == 1 && f->oh == 1 && f->kh == 1 && f->sh == 1 &&
                      f->dh == 0 && f->ph == 0;
    if (f->ndims && (f->ndims < 3 || f->ndims > 5))
        return xk_fail(c, XK_EINVAL, "ndims=%u must be 3, 4, 5 or 0", f->ndims);
    if (f->ndims == 3 && !no_h)
        return xk_fail(c, XK_EINVAL,
                       "ndims=3: ih=%lld oh=%lld kh=%lld sh=%lld dh=%lld "
                       "ph=%lld are not those of 1D",
                       (long long)f->ih, (long long)f->oh, (long long)f->kh,
                       (long long)f->sh, (long long)f->dh, (long long)f->ph);
    if (f->ndims && f->ndims < 5 && xk_conv_is_3d(f))
        return xk_fail(c, XK_EINVAL,
                       "ndims=%u: id=%lld od=%lld kd=%lld sd=%lld dd=%lld "
                       "pd=%lld are those of 3D",
                       f->ndims, (long long)f->id, (long long)f->od,
                       (long long)f->kd, (long long)f->sd, (long long)f->dd,
                       (long long)f->pd);
    return XK_OK;
}

/* Which types go together: a row for each type of A, forward src. */
#define BYTES (XK_TYPE_BIT(XK_S8) | XK_TYPE_BIT(XK_U8))
static const struct {
    uint32_t src, wei; /* enum xk_data_type, a set of them */
} type_rows[] = {
    {XK_F32, XK_TYPE_BIT(XK_F32)},
    {XK_F16, XK_TYPE_BIT(XK_F16)},
    {XK_BF16, XK_TYPE_BIT(XK_BF16)},
    {XK_U8, BYTES},
    {XK_S8, BYTES},
};

static enum xk_status check_no_f64(xk_ctx *c, const struct xk_conv_desc *f)
{
    static const enum xk_conv_arg args[] = {XK_ARG_SRC, XK_ARG_WEI, XK_ARG_DST};
    for (size_t i = 0; i < XK_COUNTOF(args); i++)
        if (xk_conv_type_of(f, args[i]) == XK_F64)
            return xk_fail(c, XK_EUNSUPPORTED,
                           "%s_type=f64: xehpg has no arithmetic of 64-bit "
                           "floats",
                           xk_conv_arg_name(args[i]));
    return XK_OK;
}

/* One that is multiplied: the other one is judged beside it only if copies can
 * make both something that is. */
static enum xk_status check_factors(xk_ctx *c, const struct xk_conv_desc *f)
{
    const struct xk_conv_roles r = xk_conv_desc_roles(f);
    const uint32_t args[2] = {r.a, r.b};
    const uint32_t a = xk_conv_type_of(f, r.a), b = xk_conv_type_of(f, r.b);
    struct xk_conv_types of_a = {0, XK_CONV_COPIED_FACTORS}, of_b = {0, 0};
    char field[16], beside[40];
    for (size_t i = 0; i < XK_COUNTOF(type_rows); i++) {
        of_a.plain |= XK_TYPE_BIT(type_rows[i].src);
        if (type_rows[i].src == a)
            of_b.plain = type_rows[i].wei;
    }
    const struct xk_conv_types either = {of_a.plain | of_a.copied, 0};
    for (size_t i = 0; i < XK_COUNTOF(args); i++) {
        snprintf(field, sizeof(field), "%s_type", xk_conv_arg_name(args[i]));
        XK_TRY(xk_conv_check_type(c, field, i ? b : a, either, ""));
    }
    snprintf(field, sizeof(field), "%s_type", xk_conv_arg_name(r.a));
    XK_TRY(xk_conv_check_type(c, field, a, of_a, ""));
    snprintf(beside, sizeof(beside), " with %s=%s", field,
             xk_conv_type_name(a));
    snprintf(field, sizeof(field), "%s_type", xk_conv_arg_name(r.b));
    return xk_conv_check_type(c, field, b, of_b, beside);
}

static enum xk_status check_types_implemented(xk_ctx *c,
                                              const struct xk_conv_desc *f)
{
    static const struct xk_conv_types stored = {XK_CONV_STORED_TYPES,
                                                XK_CONV_SMALL_FLOATS};
    const uint32_t made = xk_conv_desc_roles(f).c;
    char field[16];
    XK_TRY(check_no_f64(c, f));
    XK_TRY(check_factors(c, f));
    snprintf(field, sizeof(field), "%s_type", xk_conv_arg_name(made));
    XK_TRY(xk_conv_check_type(c, field, xk_conv_type_of(f, made), stored, ""));
    const struct xk_conv_types of_bias = {
        XK_CONV_STORED_TYPES,
        xk_conv_is_forward(f) ? XK_CONV_COPIED_ADDENDS : 0};
    return xk_conv_has_bias(f)
               ? xk_conv_check_type(c, "bia_type", f->bia_type, of_bias, "")
               : XK_OK;
}

/* The gradient is the sum and nothing else. */
static enum xk_status check_gradient(xk_ctx *c, const struct xk_conv_desc *f)
{
    if (f->n_post_ops)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "n_post_ops=%u: with prop=%s they are not implemented",
                       f->n_post_ops, xk_conv_prop_name(f->prop));
    if (f->scale != 0)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "scale=%g: with prop=%s it is not implemented",
                       (double)f->scale, xk_conv_prop_name(f->prop));
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++)
        if (f->attr.scale[i].source || f->attr.zero_point[i].source)
            return xk_fail(c, XK_EUNSUPPORTED,
                           "%s[%s]: with prop=%s it is not implemented",
                           f->attr.scale[i].source ? "scale" : "zero_point",
                           xk_conv_arg_name(i), xk_conv_prop_name(f->prop));
    return XK_OK;
}

const char *xk_conv_prop_name(uint32_t prop)
{
    static const char *const names[] = {
        [XK_PROP_DEFAULT] = "?",
#define XK_PROP_WORD(id) [XK_##id] = #id,
#include "xekern/words.def"
    };
    return names[prop < XK_COUNTOF(names) ? prop : 0];
}

/* What no tensor changes: asked before tags are. */
static enum xk_status check_algorithm(xk_ctx *c, const struct xk_conv_desc *f)
{
    static const char *const platforms[] = {
#define XK_PLATFORM_WORD(id, word) [XK_PLATFORM_##id] = word,
#include "xekern/words.def"
    };
    if (f->platform != XK_PLATFORM_XEHPG)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "platform=%s is not implemented, only xehpg is",
                       platforms[f->platform]);
    if (f->alg == XK_ALG_WINO)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "alg=wino is not implemented (computed directly with "
                       "--alg=auto)");
    if (f->alg == XK_ALG_DECONV_WINO)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "alg=deconvolution_wino is not implemented, only "
                       "deconvolution_direct");
    return XK_OK;
}

/* ways may be NULL. */
static enum xk_status check_implemented(xk_ctx *c, const struct xk_conv_desc *f,
                                        const struct xk_conv_ways *ways)
{
    XK_TRY(check_algorithm(c, f));
    XK_TRY(check_types_implemented(c, f));
    if (!xk_conv_is_forward(f))
        XK_TRY(check_gradient(c, f));
    XK_TRY(xk_conv_check_attr_implemented(c, f, ways));
    return xk_conv_post_ops_implemented(c, f);
}

static enum xk_status check_tags_end(xk_ctx *c, const struct xk_conv_desc *f)
{
    const char *const tags[XK_N_CONV_ARGS] = {f->src_tag, f->wei_tag, "",
                                              f->dst_tag};
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++)
        if (strnlen(tags[i], XK_TAG_MAX) == XK_TAG_MAX)
            return xk_fail(c, XK_EINVAL, "%s=%.*s... does not end",
                           xk_conv_tensor_field((enum xk_conv_arg)i),
                           XK_TAG_MAX, tags[i]);
    return XK_OK;
}

/* Unknown tags, tags without kernels, and tensors that are too large. The tags
 * of *f become those over our dims. For "any" it is the dense layout that must
 * fit, the smallest there is: what the chosen one needs is xk_conv_tensors' to
 * judge. */
static enum xk_status check_tensors(xk_ctx *c, struct xk_conv_desc *f,
                                    bool taken)
{
    const struct {
        enum xk_conv_arg arg;
        char *tag;
    } rows[] = {
        {XK_ARG_SRC, f->src_tag},
        {XK_ARG_WEI, f->wei_tag},
        {XK_ARG_DST, f->dst_tag},
    };
    struct xk_layout l[XK_COUNTOF(rows)];
    for (size_t i = 0; i < XK_COUNTOF(rows); i++) {
        if (!taken)
            XK_TRY(xk_conv_take_layout(c, f, rows[i].arg, rows[i].tag));
        const bool any = xk_conv_tag_is_any(rows[i].tag);
        XK_TRY(xk_conv_layout(
            c, f, rows[i].arg,
            any ? xk_conv_dense_tag(f, rows[i].arg) : rows[i].tag, &l[i]));
    }
    const unsigned pixels = xk_conv_is_deconv(f) ? 2 : 0;
    return xk_conv_tag_is_any(rows[pixels].tag)
               ? XK_OK
               : xk_conv_check_reach(c, f, &l[pixels]);
}

/* No images are checked as one is. */
static enum xk_status check_descriptor(xk_ctx *c, const struct xk_conv_desc *d,
                                       struct xk_conv_desc *full, bool *empty)
{
    XK_TRY(xk_conv_copy_desc(c, d, full));
    XK_TRY(check_enums(c, full));
    XK_TRY(check_extents(c, full));
    *empty = full->mb == 0;
    full->mb += *empty;
    XK_TRY(check_geometry(c, full));
    XK_TRY(check_ndims(c, full));
    XK_TRY(check_tags_end(c, full));
    XK_TRY(xk_conv_check_idle_strides(c, full));
    XK_TRY(xk_conv_check_attr(c, full));
    return xk_conv_check_rhs(c, full);
}

enum xk_status xk_conv_read(xk_ctx *c, const struct xk_conv_desc *d,
                            struct xk_conv_desc *full)
{
    bool empty;
    XK_TRY(check_descriptor(c, d, full, &empty));
    full->mb -= empty;
    return XK_OK;
}

enum xk_status xk_conv_check(xk_ctx *c, const struct xk_conv_desc *d,
                             struct xk_conv_desc *full)
{
    bool empty;
    XK_TRY(check_descriptor(c, d, full, &empty));
    XK_TRY(check_implemented(c, full, NULL));
    if (empty)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "mb=0: no kernel takes empty tensors");
    return check_tensors(c, full, false);
}

enum xk_status xk_conv_admit(xk_ctx *c, const struct xk_conv_desc *d,
                             struct xk_conv_desc *full,
                             struct xk_conv_ways *ways)
{
    ways->n = 0;
    ways->stochastic = false;
    XK_TRY(check_descriptor(c, d, full, &ways->empty));
    XK_TRY(check_algorithm(c, full));
    ways->parts = xk_conv_take_part(c, full);
    XK_TRY(xk_conv_take_ways(c, full, ways));
    XK_TRY(check_implemented(c, full, ways));
    XK_TRY(check_tensors(c, full, true));
    if (ways->parts.n > 1)
        xk_conv_close_parts(full);
    return XK_OK;
}
