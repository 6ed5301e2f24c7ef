/* SPDX-License-Identifier: Apache-2.0 */
#include "conv/ways.h"

#include <string.h>

#include "conv/post_ops.h"
#include "conv/quants.h"

/* A float of so many bits holds every number of the formats below it. */
static const struct type_row {
    uint32_t type, copy; /* copy: what kernels take instead; 0: itself */
    enum xk_format format;
    bool is_int;
} rows[] = {
    {XK_F32, 0, XK_FORMAT_F32, false},
    {XK_F16, 0, XK_FORMAT_F16, false},
    {XK_BF16, 0, XK_FORMAT_BF16, false},
    {XK_S32, 0, XK_FORMAT_S32, true},
    {XK_S8, 0, XK_FORMAT_S8, true},
    {XK_U8, 0, XK_FORMAT_U8, true},
    {XK_F8_E5M2, XK_F16, XK_FORMAT_F8_E5M2, false},
    {XK_F8_E4M3, XK_F16, XK_FORMAT_F8_E4M3, false},
    {XK_F4_E2M1, XK_F16, XK_FORMAT_F4_E2M1, false},
    {XK_S4, XK_S8, XK_FORMAT_S4, true},
    {XK_U4, XK_U8, XK_FORMAT_U4, true},
    {XK_E8M0, XK_F32, XK_FORMAT_E8M0, false},
};

static const struct type_row *row_of(uint32_t type)
{
    for (size_t i = 0; i < XK_COUNTOF(rows); i++)
        if (rows[i].type == type)
            return &rows[i];
    return NULL;
}

enum xk_format xk_conv_format(uint32_t data_type)
{
    const struct type_row *const r = row_of(data_type);
    return r ? r->format : XK_N_FORMATS;
}

/* Integers stay among themselves, but for those of four bits. A float that
 * holds both: f16 and bf16 hold bytes and all floats of 8 bits, but not each
 * other. */
void xk_conv_common_types(uint32_t *src, uint32_t *wei)
{
    const struct type_row *const s = row_of(*src), *const w = row_of(*wei);
    uint32_t both;
    if (!s || !w || *src == XK_S32 || *wei == XK_S32 || *src == XK_E8M0 ||
        *wei == XK_E8M0)
        return;
    if (s->is_int && w->is_int) {
        *src = s->copy ? s->copy : *src;
        *wei = w->copy ? w->copy : *wei;
        return;
    }
    if (*src == XK_F32 || *wei == XK_F32)
        both = XK_F32;
    else if (*src != XK_BF16 && *wei != XK_BF16)
        both = XK_F16;
    else
        both = *src == XK_F16 || *wei == XK_F16 ? XK_F32 : XK_BF16;
    *src = *wei = both;
}

static uint32_t *type_field(struct xk_conv_desc *f, enum xk_conv_arg arg)
{
    uint32_t *const fields[XK_N_CONV_ARGS] = {&f->src_type, &f->wei_type,
                                              &f->bia_type, &f->dst_type};
    return fields[arg];
}

static char *tag_field(struct xk_conv_desc *f, enum xk_conv_arg arg)
{
    return arg == XK_ARG_SRC   ? f->src_tag
           : arg == XK_ARG_WEI ? f->wei_tag
                               : f->dst_tag;
}

static struct xk_strides *strides_field(struct xk_conv_desc *f,
                                        enum xk_conv_arg arg)
{
    return arg == XK_ARG_SRC   ? &f->src_strides
           : arg == XK_ARG_WEI ? &f->wei_strides
                               : &f->dst_strides;
}

static struct xk_conv_way *add_way(struct xk_conv_ways *w, unsigned number,
                                   uint32_t type)
{
    struct xk_conv_way *const x = &w->at[number];
    x->copied = true;
    x->type = type;
    w->n++;
    return x;
}

/* The caller's layout where that is left to the library, though it is copied.
 */
static enum xk_status own_layout(xk_ctx *c, const struct xk_conv_desc *f,
                                 enum xk_conv_arg arg, struct xk_layout *out)
{
    int64_t dims[XK_LAYOUT_MAX_DIMS];
    const unsigned n = xk_conv_dims(f, arg, dims);
    return xk_layout_from_tag(
        c, xk_conv_tensor_field(arg),
        (struct xk_tensor_dims){XK_DT_U8, n, dims},
        arg == XK_ARG_BIA ? "a" : xk_conv_dense_tag(f, arg), out);
}

/* src, wei or dst, whose kernels take `type`. */
static enum xk_status take_tensor(xk_ctx *c, struct xk_conv_desc *f,
                                  enum xk_conv_arg arg, uint32_t type,
                                  struct xk_conv_ways *w)
{
    static const struct xk_strides none;
    char *const tag = tag_field(f, arg);
    const bool open = xk_conv_tag_is_any(tag) && !strides_field(f, arg)->n_dims;
    const uint32_t own = *type_field(f, arg);
    bool known = true;
    struct xk_layout l;
    if (!open)
        XK_TRY(xk_conv_user_layout(c, f, arg, tag, &l, &known));
    if (known && type == own && !(arg == XK_ARG_DST && w->stochastic)) {
        *strides_field(f, arg) = none; /* the tag says the same */
        return XK_OK;
    }
    if (open)
        XK_TRY(own_layout(c, f, arg, &l));
    add_way(w, arg, own)->layout = l;
    *type_field(f, arg) = type;
    memset(tag, 0, XK_TAG_MAX);
    *strides_field(f, arg) = none;
    return XK_OK;
}

/* What dst held is read as one type; where it is not copied, as each sum says.
 */
static enum xk_status take_sums(xk_ctx *c, struct xk_conv_desc *f, uint32_t own,
                                struct xk_conv_ways *w)
{
    struct xk_conv_way *const dst = &w->at[XK_ARG_DST];
    for (uint32_t i = 0; i < f->n_post_ops; i++) {
        struct xk_post_op *const op = &f->post_ops[i];
        const uint32_t type = op->type ? op->type : own;
        if (!xk_post_op_reads_old(op->kind))
            continue;
        if (dst->read_as && dst->read_as != type && own != f->dst_type)
            return xk_fail(c, XK_EUNSUPPORTED,
                           "post_ops[%u].type=%s: another sum reads dst as %s, "
                           "which is not implemented with dst_type=%s",
                           i, xk_conv_type_name(type),
                           xk_conv_type_name(dst->read_as),
                           xk_conv_type_name(own));
        if (xk_format_bits(xk_conv_format(type)) !=
            xk_format_bits(xk_conv_format(own)))
            return xk_fail(c, XK_EUNSUPPORTED,
                           "post_ops[%u].type=%s is not implemented: a sum "
                           "reads dst, which is %s, as a type of the same size",
                           i, xk_conv_type_name(type), xk_conv_type_name(own));
        if (!dst->read_as)
            dst->read_as = own != f->dst_type ? type : own;
        if (own != f->dst_type)
            op->type = 0;
    }
    return XK_OK;
}

static enum xk_status take_bias(xk_ctx *c, struct xk_conv_desc *f,
                                struct xk_conv_ways *w)
{
    const struct type_row *const r = row_of(f->bia_type);
    if (!xk_conv_has_bias(f) || !r || !r->copy)
        return XK_OK;
    XK_TRY(own_layout(c, f, XK_ARG_BIA,
                      &add_way(w, XK_ARG_BIA, f->bia_type)->layout));
    f->bia_type = XK_F32;
    return XK_OK;
}

/* Right-hand sides of types that only memory has. */
static enum xk_status take_right_sides(xk_ctx *c, struct xk_conv_desc *f,
                                       struct xk_conv_ways *w)
{
    for (uint32_t i = 0; i < f->n_post_ops; i++) {
        struct xk_post_op *const op = &f->post_ops[i];
        const struct type_row *const r = row_of(op->type);
        if (!xk_post_op_reads_rhs(op->kind) || !r || !r->copy)
            continue;
        XK_TRY(xk_conv_rhs_layout(
            c, f, i, NULL, &add_way(w, XK_ARG_RHS + i, op->type)->layout));
        op->type = XK_F32;
        memset(op->tag, 0, sizeof(op->tag));
    }
    return XK_OK;
}

static enum xk_status take_quants(xk_ctx *c, struct xk_conv_desc *f,
                                  struct xk_conv_ways *w)
{
    for (unsigned q = 0; q < XK_N_CONV_QUANTS; q++) {
        struct xk_conv_quant_row row;
        xk_conv_quant_row(f, (enum xk_conv_quant)q, &row);
        struct xk_quant *const of = row.is_zero_point
                                        ? &f->attr.zero_point[row.arg]
                                        : &f->attr.scale[row.arg];
        const struct type_row *const r = row_of(of->type);
        if (of->source != XK_QUANT_DEVICE || !r || !r->copy)
            continue;
        struct xk_layout *const l = &add_way(w, row.number, of->type)->layout;
        XK_TRY(xk_layout_from_tag(
            c, row.name, (struct xk_tensor_dims){XK_DT_U8, 1, &row.extent}, "a",
            l));
        of->type = row.is_zero_point ? r->copy : XK_F32;
    }
    return XK_OK;
}

static bool is_rounded_at_random(uint32_t type)
{
    return type == XK_F16 || type == XK_BF16 || type == XK_F8_E5M2 ||
           type == XK_F8_E4M3;
}

/* What is stored instead of a type that only memory has. */
static uint32_t stored_type(uint32_t type, bool stochastic)
{
    const struct type_row *const r = row_of(type);
    const bool narrow = r && r->copy && !r->is_int && type != XK_E8M0;
    return narrow || stochastic ? XK_F32 : type;
}

static enum xk_status take_stochastic(xk_ctx *c, const struct xk_conv_desc *f,
                                      struct xk_conv_ways *out)
{
    out->stochastic = f->attr.rounding[XK_ARG_DST] == XK_ROUND_STOCHASTIC &&
                      f->dst_type != XK_F32 && xk_conv_is_forward(f);
    if (out->stochastic && !is_rounded_at_random(f->dst_type))
        return xk_fail(c, XK_EUNSUPPORTED,
                       "rounding[dst]=stochastic is not implemented with "
                       "dst_type=%s, only with the floats below f32",
                       xk_conv_type_name(f->dst_type));
    return XK_OK;
}

enum xk_status xk_conv_take_ways(xk_ctx *c, struct xk_conv_desc *full,
                                 struct xk_conv_ways *out)
{
    const struct xk_conv_roles of = xk_conv_desc_roles(full);
    const enum xk_conv_arg args[] = {
        (enum xk_conv_arg)of.a, (enum xk_conv_arg)of.b, (enum xk_conv_arg)of.c};
    uint32_t type[] = {xk_conv_type_of(full, args[0]),
                       xk_conv_type_of(full, args[1]),
                       xk_conv_type_of(full, args[2])};
    const uint32_t own_dst = full->dst_type;
    out->n = 0;
    for (unsigned i = 0; i < XK_N_PROGRAM_ARGS; i++) {
        out->at[i].copied = false;
        out->at[i].read_as = 0;
    }
    XK_TRY(take_stochastic(c, full, out));
    xk_conv_common_types(&type[0], &type[1]);
    type[2] = stored_type(type[2], out->stochastic);
    for (unsigned i = 0; i < 3; i++)
        XK_TRY(take_tensor(c, full, args[i], type[i], out));
    if (!xk_conv_is_forward(full))
        return XK_OK; /* no attributes */
    XK_TRY(take_sums(c, full, own_dst, out));
    XK_TRY(take_bias(c, full, out));
    XK_TRY(take_right_sides(c, full, out));
    return take_quants(c, full, out);
}

static struct xk_tensor_info *tensor_of(struct xk_conv_info *info, unsigned i)
{
    return i < XK_ARG_RHS          ? &info->tensor[i]
           : i < XK_ARG_SCALE      ? &info->rhs[i - XK_ARG_RHS]
           : i < XK_ARG_ZERO_POINT ? &info->scale[i - XK_ARG_SCALE]
                                   : &info->zero_point[i - XK_ARG_ZERO_POINT];
}

enum xk_status xk_conv_describe_ways(xk_ctx *c, const struct xk_conv_ways *w,
                                     struct xk_conv_info *user)
{
    for (unsigned i = 0; w->n && i < XK_N_PROGRAM_ARGS; i++) {
        const struct xk_conv_way *const x = &w->at[i];
        if (!x->copied)
            continue;
        struct xk_layout l = x->layout;
        struct xk_tensor_info *const t = tensor_of(user, i);
        l.dt = XK_DT_U8;
        xk_conv_describe(&l, x->type, t);
        t->size_b =
            (t->size_b * xk_format_bits(xk_conv_format(x->type)) + 7) / 8;
        if (t->size_b > INT32_MAX)
            return xk_fail(c, XK_EUNSUPPORTED,
                           "argument %u: %llu bytes in its own layout; "
                           "tensors above 2^31-1 bytes are not implemented",
                           i, (unsigned long long)t->size_b);
    }
    return XK_OK;
}

enum xk_status xk_conv_seen_layout(xk_ctx *c, const struct xk_tensor_info *t,
                                   struct xk_layout *out)
{
    return xk_layout_from_tag(
        c, "copy", (struct xk_tensor_dims){XK_DT_U8, t->ndims, t->dims}, t->tag,
        out);
}
