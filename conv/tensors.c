/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors of a convolution: which layouts there are kernels for, and the
 * public description of the ones chosen. Builds no IR: query ends here. */
#include "conv/quants.h"

#include <stddef.h>
#include <string.h>

#include "base/integer.h"

#define MAX_TENSOR_B INT32_MAX /* offsets are s32 */

/* Tags with kernels, in the spelling of xk_layout_tag: the plain ones, then
 * those that the generator chooses for "any". */
static const char *const tags_act[] = {"acdb",    "abcd",    "aBcd4b",
                                       "aBcd16b", "aBcd32b", "Bcda4b",
                                       "Bcda16b", "Bcda32b", NULL};
static const char *const tags_wei[] = {
    "acdb",        "abcd",          "cdba",          "Acdb16a",
    "Acdb32a",     "AcdB8a16b",     "AcdB8a32b",     "AcdB16a16b",
    "AcdB16a32b",  "AcdB32a16b",    "AcdB32a32b",    "ABcd8a16b",
    "ABcd8a32b",   "ABcd16a16b",    "ABcd16a32b",    "ABcd32a16b",
    "ABcd32a32b",  "ABcd64a16b",    "ABcd64a32b",    "AcdB8a4b",
    "AcdB16a4b",   "AcdB32a4b",     "AcDB16a4d4b",   "AcDB32a4d4b",
    "AcDB64a4d4b", "AcDB16a8d4b",   "AcDB32a8d4b",   "AcDB64a8d4b",
    "ABcd16b8a2b", "ABcd2a16b8a2b", "ABcd4a16b8a2b", "ABcd8a16b8a2b",
    "ABcd16b8a4b", "ABcd2a16b8a4b", "ABcd4a16b8a4b", "ABcd8a16b8a4b",
    NULL};
static const char *const tags_bia[] = {"a", NULL};
/* The same with depth. */
static const char *const tags_act_3d[] = {"acdeb",    "abcde",    "aBcde4b",
                                          "aBcde16b", "aBcde32b", "Bcdea4b",
                                          "Bcdea16b", "Bcdea32b", NULL};
static const char *const tags_wei_3d[] = {"acdeb",
                                          "abcde",
                                          "cdeba",
                                          "Acdeb16a",
                                          "Acdeb32a",
                                          "AcdeB8a16b",
                                          "AcdeB8a32b",
                                          "AcdeB16a16b",
                                          "AcdeB16a32b",
                                          "AcdeB32a16b",
                                          "AcdeB32a32b",
                                          "ABcde8a16b",
                                          "ABcde8a32b",
                                          "ABcde16a16b",
                                          "ABcde16a32b",
                                          "ABcde32a16b",
                                          "ABcde32a32b",
                                          "ABcde64a16b",
                                          "ABcde64a32b",
                                          "AcdeB8a4b",
                                          "AcdeB16a4b",
                                          "AcdeB32a4b",
                                          "AcdEB16a4e4b",
                                          "AcdEB32a4e4b",
                                          "AcdEB64a4e4b",
                                          "AcdEB16a8e4b",
                                          "AcdEB32a8e4b",
                                          "AcdEB64a8e4b",
                                          "ABcde16b8a2b",
                                          "ABcde2a16b8a2b",
                                          "ABcde4a16b8a2b",
                                          "ABcde8a16b8a2b",
                                          "ABcde16b8a4b",
                                          "ABcde2a16b8a4b",
                                          "ABcde4a16b8a4b",
                                          "ABcde8a16b8a4b",
                                          NULL};

static const char names_act[] =
    "nhwc, nchw, aBcd<4, 16, 32>b or Bcda<4, 16, 32>b";
static const char names_wei[] =
    "ohwi, oihw, hwio, Acdb<16, 32>a, AcdB<8, 16, 32>a<4, 16, 32>b, "
    "ABcd<8, 16, 32, 64>a<16, 32>b, ABcd<, 2a, 4a, 8a>16b8a<2, 4>b or "
    "AcDB<16, 32, 64>a<4, 8>d4b";
static const char names_act_3d[] =
    "ndhwc, ncdhw, aBcde<4, 16, 32>b or Bcdea<4, 16, 32>b";
static const char names_wei_3d[] =
    "odhwi, oidhw, dhwio, Acdeb<16, 32>a, AcdeB<8, 16, 32>a<4, 16, 32>b, "
    "ABcde<8, 16, 32, 64>a<16, 32>b, ABcde<, 2a, 4a, 8a>16b8a<2, 4>b or "
    "AcdEB<16, 32, 64>a<4, 8>e4b";

const char *const xk_conv_tap_names[3] = {"kd", "kh", "kw"};

const char *xk_conv_spatial_name(enum xk_conv_arg arg, unsigned i)
{
    static const char *const names[2][3] = {{"id", "ih", "iw"},
                                            {"od", "oh", "ow"}};
    return names[arg == XK_ARG_DST][i];
}

int64_t xk_conv_channels(const struct xk_conv_desc *full, enum xk_conv_arg arg)
{
    return (arg == XK_ARG_SRC ? full->ic : full->oc) / full->g;
}

const char *xk_conv_channel_name(enum xk_conv_arg arg)
{
    return arg == XK_ARG_SRC ? "ic" : "oc";
}

const char *xk_conv_arg_name(unsigned arg)
{
    static const char *const names[XK_N_CONV_ARGS] = {
#define XK_ARG_WORD(id, word) [XK_ARG_##id] = word,
#include "xekern/words.def"
    };
    return names[arg];
}

/* The tags of each tensor for 2D and 3D, and what a message calls them. */
static const struct {
    const char *field;
    const char *const *tags[2];
    const char *names[2];
} tensors[XK_N_CONV_ARGS] = {
    [XK_ARG_SRC] = {"src_tag",
                    {tags_act, tags_act_3d},
                    {names_act, names_act_3d}},
    [XK_ARG_WEI] = {"wei_tag",
                    {tags_wei, tags_wei_3d},
                    {names_wei, names_wei_3d}},
    [XK_ARG_BIA] = {"bia", {tags_bia, tags_bia}, {"a", "a"}},
    [XK_ARG_DST] = {"dst_tag",
                    {tags_act, tags_act_3d},
                    {names_act, names_act_3d}},
};

uint32_t xk_conv_type_of(const struct xk_conv_desc *full, enum xk_conv_arg arg)
{
    switch (arg) {
    case XK_ARG_SRC:
        return full->src_type;
    case XK_ARG_WEI:
        return full->wei_type;
    case XK_ARG_BIA:
        return full->bia_type;
    case XK_ARG_DST:
        return full->dst_type;
    default:
        return XK_TYPE_DEFAULT;
    }
}

bool xk_conv_has_bias(const struct xk_conv_desc *full)
{
    return full->bia_type != XK_TYPE_DEFAULT;
}

struct xk_conv_roles xk_conv_desc_roles(const struct xk_conv_desc *d)
{
    const bool known = d->size > offsetof(struct xk_conv_desc, alg);
    if (d->prop == XK_BWD_D)
        return (struct xk_conv_roles){XK_ARG_DST, XK_ARG_WEI, XK_ARG_SRC};
    if (d->prop <= XK_FWD_I)
        return (struct xk_conv_roles){XK_ARG_SRC, XK_ARG_WEI, XK_ARG_DST};
    if (known && xk_conv_is_deconv(d))
        return (struct xk_conv_roles){XK_ARG_DST, XK_ARG_SRC, XK_ARG_WEI};
    return (struct xk_conv_roles){XK_ARG_SRC, XK_ARG_DST, XK_ARG_WEI};
}

bool xk_conv_writes(const struct xk_conv_desc *full, enum xk_conv_arg arg)
{
    return arg == xk_conv_desc_roles(full).c ||
           (full->prop == XK_BWD_WB && arg == XK_ARG_BIA);
}

const char *xk_conv_tensor_field(enum xk_conv_arg arg)
{
    return tensors[arg].field;
}

unsigned xk_conv_dims(const struct xk_conv_desc *full, enum xk_conv_arg arg,
                      int64_t dims[XK_LAYOUT_MAX_DIMS])
{
    const struct xk_conv_desc *const f = full;
    const int64_t all[XK_N_CONV_ARGS][5] = {
        [XK_ARG_SRC] = {f->mb, f->ic, f->id, f->ih, f->iw},
        [XK_ARG_WEI] = {f->oc / f->g, f->ic / f->g, f->kd, f->kh, f->kw},
        [XK_ARG_BIA] = {f->oc},
        [XK_ARG_DST] = {f->mb, f->oc, f->od, f->oh, f->ow},
    };
    const bool with_d = xk_conv_is_3d(f);
    unsigned n = 0;
    if (xk_conv_has_group_dim(f, arg))
        dims[n++] = f->g;
    for (unsigned i = 0; i < (arg == XK_ARG_BIA ? 1 : 5); i++) {
        if (i != 2 || with_d)
            dims[n++] = all[arg][i];
    }
    return n;
}

struct xk_conv_axis xk_conv_axis(const struct xk_conv_desc *f, unsigned i)
{
    const struct xk_conv_axis all[3] = {
        {f->od, f->kd, f->sd, f->dd + 1, f->pd, f->id},
        {f->oh, f->kh, f->sh, f->dh + 1, f->ph, f->ih},
        {f->ow, f->kw, f->sw, f->dw + 1, f->pw, f->iw}};
    struct xk_conv_axis x = all[i];
    if (xk_conv_is_deconv(f)) {
        x.places = all[i].extent;
        x.extent = all[i].places;
    }
    return x;
}

bool xk_conv_tag_is_any(const char *tag)
{
    return tag[0] == 0 || strcmp(tag, "any") == 0;
}

bool xk_conv_has_group_dim(const struct xk_conv_desc *full,
                           enum xk_conv_arg arg)
{
    return arg == XK_ARG_WEI && full->g > 1;
}

const char *xk_conv_dense_tag(const struct xk_conv_desc *full,
                              enum xk_conv_arg arg)
{
    static const char *const tags[2][2] = {{"acdb", "acdeb"},
                                           {"abdec", "abdefc"}};
    return tags[xk_conv_has_group_dim(full, arg)][xk_conv_is_3d(full)];
}

static bool close(const struct xk_conv_desc *full, enum xk_conv_arg arg,
                  char tag[XK_TAG_MAX])
{
    if (!xk_conv_tag_is_any(tag))
        return false;
    strcpy(tag, xk_conv_dense_tag(full, arg));
    return true;
}

bool xk_conv_close_weights(struct xk_conv_desc *full)
{
    return close(full, XK_ARG_WEI, full->wei_tag);
}

void xk_conv_close_groups(struct xk_conv_desc *full)
{
    if (full->g == 1)
        return;
    close(full, XK_ARG_SRC, full->src_tag);
    close(full, XK_ARG_DST, full->dst_tag);
}

void xk_conv_close_tensors(struct xk_conv_desc *full)
{
    close(full, XK_ARG_SRC, full->src_tag);
    close(full, XK_ARG_WEI, full->wei_tag);
    close(full, XK_ARG_DST, full->dst_tag);
}

/* Weights with groups have their dims in any order without blocks, groups alone
 * in blocks, or groups in front of a tag of weights without them, of which the
 * letters are one further on. */
static bool grouped_tag_is_known(const struct xk_conv_desc *f, const char *tag)
{
    static const char *const lanes[2][2] = {{"Abcde16a", "Abcde32a"},
                                            {"Abcdef16a", "Abcdef32a"}};
    const bool depth = xk_conv_is_3d(f);
    char rest[XK_TAG_MAX];
    size_t n = strlen(tag);
    if (n == (depth ? 6 : 5) && strspn(tag, "abcdef") == n)
        return true;
    if (!strcmp(tag, lanes[depth][0]) || !strcmp(tag, lanes[depth][1]))
        return true;
    if (tag[0] != 'a' || n >= XK_TAG_MAX)
        return false;
    for (n = 1; tag[n]; n++)
        rest[n - 1] = (char)(tag[n] - (tag[n] > '9'));
    rest[n - 1] = 0;
    for (const char *const *t = tensors[XK_ARG_WEI].tags[depth]; *t; t++)
        if (strcmp(rest, *t) == 0)
            return true;
    return false;
}

bool xk_conv_tag_is_known(const struct xk_conv_desc *f, enum xk_conv_arg arg,
                          const char *tag)
{
    if (!xk_conv_is_one_kernel(f))
        return true;
    if (xk_conv_has_group_dim(f, arg))
        return grouped_tag_is_known(f, tag);
    for (const char *const *t = tensors[arg].tags[xk_conv_is_3d(f)]; *t; t++)
        if (strcmp(tag, *t) == 0)
            return true;
    return false;
}

enum xk_status xk_conv_fail_tag(xk_ctx *c, const struct xk_conv_desc *f,
                                enum xk_conv_arg arg, const char *tag)
{
    return xk_fail(c, XK_EUNSUPPORTED,
                   "%s=%s: no kernel takes it; use any, %s%s",
                   tensors[arg].field, tag,
                   xk_conv_has_group_dim(f, arg)
                       ? "any order of dims, groups in blocks of 16 or 32, or, "
                         "behind the groups, "
                       : "",
                   tensors[arg].names[xk_conv_is_3d(f)]);
}

/* A layout with kernels that is not too large; given: its tag as the user wrote
 * it, NULL: it is not the user's. */
static enum xk_status check_layout(xk_ctx *c, const struct xk_conv_desc *full,
                                   enum xk_conv_arg arg, const char *given,
                                   const struct xk_layout *l)
{
    char canonical[XK_TAG_MAX];
    xk_layout_tag(l, canonical, sizeof(canonical));
    const char *const tag = given ? given : canonical;
    if (!xk_conv_tag_is_known(full, arg, canonical))
        return xk_conv_fail_tag(c, full, arg, tag);
    const int64_t size_b = xk_layout_size_b(l);
    if (size_b > MAX_TENSOR_B)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "%.3s is %lld bytes (tag %s), tensors above 2^31-1 "
                       "bytes are not implemented",
                       tensors[arg].field, (long long)size_b, tag);
    return XK_OK;
}

enum xk_status xk_conv_layout(xk_ctx *c, const struct xk_conv_desc *full,
                              enum xk_conv_arg arg, const char *tag,
                              struct xk_layout *out)
{
    int64_t dims[XK_LAYOUT_MAX_DIMS];
    const unsigned n = xk_conv_dims(full, arg, dims);
    const enum xk_dtype dt = xk_conv_dtype(xk_conv_type_of(full, arg));
    XK_TRY(xk_layout_from_tag(c, tensors[arg].field,
                              (struct xk_tensor_dims){dt, n, dims}, tag, out));
    return check_layout(c, full, arg, tag, out);
}

void xk_conv_open_layout(const struct xk_conv_desc *full, enum xk_conv_arg arg,
                         struct xk_layout *out)
{
    memset(out, 0, sizeof(*out));
    out->dt = xk_conv_dtype(xk_conv_type_of(full, arg));
    out->n_dims = (uint8_t)xk_conv_dims(full, arg, out->dim);
    memcpy(out->padded, out->dim, sizeof(out->dim));
}

/* sum of e[i] * stride_b[i] + rest is at most 2^31-1. Nothing is negative. */
static bool ends_below_2gib(const int64_t e[3], const int64_t stride_b[3],
                            int64_t rest)
{
    int64_t sum = rest;
    for (unsigned i = 0; i < 3; i++) {
        int64_t part;
        if (__builtin_mul_overflow(e[i], stride_b[i], &part) ||
            __builtin_add_overflow(sum, part, &sum))
            return false;
    }
    return sum <= INT32_MAX;
}

/* Bytes between neighbours of a dim that no tag with kernels blocks. */
static int64_t stride_b(const struct xk_layout *l, unsigned dim)
{
    for (unsigned i = 0; i < l->n_blocks; i++) {
        if (l->block[i].dim == dim)
            return l->block[i].stride * xk_dtype_b(l->dt);
    }
    return 0;
}

enum xk_status xk_conv_check_reach(xk_ctx *c, const struct xk_conv_desc *f,
                                   const struct xk_layout *l)
{
    const unsigned h = xk_conv_is_3d(f) ? 3 : 2; /* the dim of rows */
    const int64_t step_b[3] = {h == 3 ? stride_b(l, 2) : 0, stride_b(l, h),
                               stride_b(l, h + 1)};
    int64_t pad[3], hi[3], others_b = xk_layout_size_b(l);
    for (unsigned i = 0; i < 3; i++) {
        const struct xk_conv_axis x = xk_conv_axis(f, i);
        const int64_t last = x.extent - 1;
        pad[i] = x.pad;
        hi[i] =
            xk_larger(last, (x.places - 1) * x.step + (x.taps - 1) * x.apart);
        others_b -= last * step_b[i];
    }
    if (!ends_below_2gib(hi, step_b, others_b) ||
        !ends_below_2gib(pad, step_b, 0))
        return xk_fail(c, XK_EUNSUPPORTED,
                       "%s with its padding (pd=%lld ph=%lld pw=%lld, "
                       "od=%lld oh=%lld ow=%lld) spans more than 2^31-1 "
                       "bytes, which is not implemented",
                       xk_conv_arg_name(xk_conv_pixels(f)), (long long)f->pd,
                       (long long)f->ph, (long long)f->pw, (long long)f->od,
                       (long long)f->oh, (long long)f->ow);
    return XK_OK;
}

void xk_conv_describe(const struct xk_layout *l, uint32_t type,
                      struct xk_tensor_info *out)
{
    int64_t div[XK_LAYOUT_MAX_DIMS] = {1, 1, 1, 1, 1, 1};
    memset(out, 0, sizeof(*out));
    out->type = type;
    out->ndims = l->n_dims;
    out->n_blocks = l->n_blocks;
    memcpy(out->dims, l->dim, sizeof(out->dims));
    memcpy(out->padded_dims, l->padded, sizeof(out->padded_dims));
    for (unsigned i = l->n_blocks; i-- > 0;) {
        const struct xk_block *const b = &l->block[i];
        out->blocks[i].dim = b->dim;
        out->blocks[i].size = b->size;
        out->blocks[i].stride = b->stride;
        out->blocks[i].div = div[b->dim];
        div[b->dim] *= b->size;
    }
    xk_layout_tag(l, out->tag, sizeof(out->tag));
    out->size_b = (uint64_t)xk_layout_size_b(l);
}

static enum xk_status describe_rhs(xk_ctx *c, const struct xk_conv_desc *full,
                                   struct xk_conv_info *info)
{
    memset(info->rhs, 0, full->n_post_ops * sizeof(info->rhs[0]));
    for (uint32_t i = 0; i < full->n_post_ops; i++) {
        const struct xk_post_op *const op = &full->post_ops[i];
        struct xk_layout l;
        if (!xk_post_op_reads_rhs(op->kind))
            continue;
        XK_TRY(
            xk_conv_rhs_layout(c, full, i, info->tensor[XK_ARG_DST].tag, &l));
        if (xk_layout_size_b(&l) > MAX_TENSOR_B)
            return xk_fail(c, XK_EUNSUPPORTED,
                           "post_ops[%u]: a right-hand side of %lld bytes, "
                           "above 2^31-1, is not implemented",
                           i, (long long)xk_layout_size_b(&l));
        xk_conv_describe(&l, op->type ? op->type : XK_F32, &info->rhs[i]);
    }
    return XK_OK;
}

static enum xk_status describe_quants(xk_ctx *c,
                                      const struct xk_conv_desc *full,
                                      struct xk_conv_info *info)
{
    memset(info->scale, 0, sizeof(info->scale));
    memset(info->zero_point, 0, sizeof(info->zero_point));
    for (unsigned q = 0; q < XK_N_CONV_QUANTS; q++) {
        struct xk_conv_quant_row row;
        struct xk_layout l;
        xk_conv_quant_row(full, (enum xk_conv_quant)q, &row);
        if (row.of->source != XK_QUANT_DEVICE)
            continue;
        XK_TRY(xk_conv_quant_layout(c, &row, &l));
        xk_conv_describe(&l, row.of->type,
                         row.is_zero_point ? &info->zero_point[row.arg]
                                           : &info->scale[row.arg]);
    }
    return XK_OK;
}

/* The layout of one tensor: its tag's, or where that is "any", *any. */
static enum xk_status layout_of(xk_ctx *c, const struct xk_conv_desc *full,
                                enum xk_conv_arg arg, const char *tag,
                                const struct xk_layout *any,
                                struct xk_layout *out)
{
    if (!xk_conv_tag_is_any(tag))
        return xk_conv_layout(c, full, arg, tag, out);
    if (!any)
        return xk_fail(c, XK_EINVAL, "%s=%s: no layout is chosen for it",
                       tensors[arg].field, tag);
    *out = *any;
    return check_layout(c, full, arg, NULL, out);
}

enum xk_status xk_conv_tensors(xk_ctx *c, const struct xk_conv_desc *full,
                               const struct xk_layout *const any[3],
                               struct xk_conv_info *info)
{
    const struct {
        enum xk_conv_arg arg;
        const char *tag;
        const struct xk_layout *any;
    } rows[] = {{XK_ARG_SRC, full->src_tag, any[0]},
                {XK_ARG_WEI, full->wei_tag, any[1]},
                {XK_ARG_DST, full->dst_tag, any[2]},
                {XK_ARG_BIA, "a", NULL}};
    if (info->size < sizeof(*info))
        return xk_fail(c, XK_EINVAL, "info.size=%u, need at least %zu",
                       info->size, sizeof(*info));
    memset(info->tensor, 0, sizeof(info->tensor));
    info->n_launches = 1;
    info->scratch_b = 0;
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        const enum xk_conv_arg arg = rows[i].arg;
        struct xk_layout l;
        if (arg == XK_ARG_BIA && !xk_conv_has_bias(full))
            continue;
        XK_TRY(layout_of(c, full, arg, rows[i].tag, rows[i].any, &l));
        if (arg == xk_conv_pixels(full))
            XK_TRY(xk_conv_check_reach(c, full, &l));
        xk_conv_describe(&l, xk_conv_type_of(full, arg), &info->tensor[arg]);
    }
    XK_TRY(describe_rhs(c, full, info));
    return describe_quants(c, full, info);
}
