/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of the attributes. Which types and masks a scale or a zero point
 * may have is oneDNN's rule, so that a descriptor that
 * oneDNN refuses is refused here. */
#include <stdio.h>
#include <string.h>

#include "conv/quants.h"
#include "conv/ways.h"

static const char *const sources[] = {"none", "device", "host", "mx",
                                      "dynamic"};
static const char *const math_modes[] = {
#define XK_MATH_WORD(id, word) [XK_MATH_##id] = word,
#include "xekern/words.def"
};
static const char *const acc_modes[] = {
#define XK_ACC_WORD(id, word) [XK_ACC_##id] = word,
#include "xekern/words.def"
};

/* Scales or zero points: the field, and which types it takes. A type that needs
 * a mask is none for a single value. */
struct kind {
    const char *field;
    uint32_t default_type;
    uint32_t types, need_mask; /* bit of each enum xk_data_type */
};
#define BIT(type) (1u << (type))
static const struct kind kinds[2] = {
    {"scale", XK_F32,
     BIT(XK_F32) | BIT(XK_BF16) | BIT(XK_F16) | BIT(XK_E8M0) | BIT(XK_F8_E4M3),
     BIT(XK_E8M0) | BIT(XK_F8_E4M3)},
    {"zero_point", XK_S32,
     BIT(XK_S32) | BIT(XK_S8) | BIT(XK_U8) | BIT(XK_S4) | BIT(XK_U4),
     BIT(XK_S4) | BIT(XK_U4)},
};

/* Dims of the tensor as masks count them. */
static unsigned mask_dims(const struct xk_conv_desc *f, unsigned arg)
{
    const unsigned n = f->ndims ? f->ndims : xk_conv_is_3d(f) ? 5 : 4;
    return n + (arg == XK_ARG_WEI && (f->grouped || f->g > 1));
}

static enum xk_status check_source(xk_ctx *c, const struct kind *k,
                                   unsigned arg, const struct xk_quant *q)
{
    const bool written =
        q->source == XK_QUANT_MX || q->source == XK_QUANT_DYNAMIC;
    if (q->source >= XK_COUNTOF(sources))
        return xk_fail(c, XK_EINVAL, "%s[%s].source=%u is no source of values",
                       k->field, xk_conv_arg_name(arg), q->source);
    if (q->source != XK_QUANT_NONE && arg == XK_ARG_BIA)
        return xk_fail(c, XK_EINVAL, "%s[bia].source=%s: a bias has none",
                       k->field, sources[q->source]);
    if (written && (arg != XK_ARG_DST || k != &kinds[0]))
        return xk_fail(c, XK_EINVAL,
                       "%s[%s].source=%s: only scales of dst are written",
                       k->field, xk_conv_arg_name(arg), sources[q->source]);
    return XK_OK;
}

/* Without a source or a number of groups, what belongs to it says that somebody
 * forgot one. */
static enum xk_status check_idle(xk_ctx *c, const struct kind *k, unsigned arg,
                                 const struct xk_quant *q)
{
    const bool none = q->source == XK_QUANT_NONE;
    const struct {
        const char *field;
        long long value;
        bool idle;
    } rows[] = {
        {"mask", q->mask, none},
        {"type", q->type, none},
        {"n_groups", q->n_groups, none},
        {"group[0]", q->group[0], none || !q->n_groups},
        {"group[1]", q->group[1], none || !q->n_groups},
    };
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++)
        if (rows[i].idle && rows[i].value)
            return xk_fail(c, XK_EINVAL, "%s[%s].%s=%lld means nothing with %s",
                           k->field, xk_conv_arg_name(arg), rows[i].field,
                           rows[i].value, none ? "source=0" : "n_groups=0");
    return XK_OK;
}

static enum xk_status check_dropout(xk_ctx *c, const struct xk_dropout *d)
{
    if (strnlen(d->mask_tag, XK_TAG_MAX) == XK_TAG_MAX)
        return xk_fail(c, XK_EINVAL, "dropout.mask_tag=%.*s... does not end",
                       XK_TAG_MAX, d->mask_tag);
    if (d->source == XK_QUANT_NONE && d->has_offset)
        return xk_fail(c, XK_EINVAL,
                       "dropout.has_offset=1 means nothing with source=0");
    if (d->source == XK_QUANT_NONE && d->mask_tag[0])
        return xk_fail(c, XK_EINVAL,
                       "dropout.mask_tag=%s means nothing with source=0",
                       d->mask_tag);
    return XK_OK;
}

static enum xk_status check_values(xk_ctx *c, const struct kind *k,
                                   const struct xk_conv_desc *f, unsigned arg,
                                   struct xk_quant *q)
{
    const char *const name = xk_conv_arg_name(arg);
    if (q->type == XK_TYPE_DEFAULT)
        q->type = k->default_type;
    if (!xk_conv_type_name(q->type))
        return xk_fail(c, XK_EINVAL, "%s[%s].type=%u is not a data type",
                       k->field, name, q->type);
    if (!(k->types & BIT(q->type)))
        return xk_fail(c, XK_EINVAL, "%s[%s].type=%s is not one of a %s",
                       k->field, name, xk_conv_type_name(q->type), k->field);
    if (q->mask >= BIT(mask_dims(f, arg)))
        return xk_fail(c, XK_EINVAL, "%s[%s].mask=%u: %s has %u dims", k->field,
                       name, q->mask, name, mask_dims(f, arg));
    if (!q->mask && k->need_mask & BIT(q->type))
        return xk_fail(c, XK_EINVAL,
                       "%s[%s].mask=0: a single value has no type %s", k->field,
                       name, xk_conv_type_name(q->type));
    if (q->mask && q->source == XK_QUANT_HOST)
        return xk_fail(c, XK_EINVAL,
                       "%s[%s].mask=%u: the host gives one value, mask 0",
                       k->field, name, q->mask);
    if (q->n_groups != 0 && q->n_groups != 2)
        return xk_fail(c, XK_EINVAL, "%s[%s].n_groups=%u must be 0 or 2",
                       k->field, name, q->n_groups);
    for (unsigned i = 0; i < q->n_groups; i++)
        if (q->group[i] < 1)
            return xk_fail(c, XK_EINVAL,
                           "%s[%s].group[%u]=%lld must be positive", k->field,
                           name, i, (long long)q->group[i]);
    return XK_OK;
}

static enum xk_status check_modes(xk_ctx *c, const struct xk_attr *a)
{
    const struct {
        const char *field;
        uint32_t value, n;
    } rows[] = {
        {"math_mode", a->math_mode, XK_COUNTOF(math_modes)},
        {"math_integers", a->math_integers, 2},
        {"acc_mode", a->acc_mode, XK_COUNTOF(acc_modes)},
        {"deterministic", a->deterministic, 2},
        {"dropout.source", a->dropout.source, XK_QUANT_HOST + 1},
        {"dropout.has_offset", a->dropout.has_offset, 2},
    };
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++)
        if (rows[i].value >= rows[i].n)
            return xk_fail(c, XK_EINVAL, "%s=%u must be below %u",
                           rows[i].field, rows[i].value, rows[i].n);
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        if (a->rounding[i] > XK_ROUND_STOCHASTIC)
            return xk_fail(c, XK_EINVAL, "rounding[%s]=%u must be below 2",
                           xk_conv_arg_name(i), a->rounding[i]);
        if (a->rounding[i] && i != XK_ARG_DST)
            return xk_fail(c, XK_EINVAL,
                           "rounding[%s]=stochastic: only dst is rounded",
                           xk_conv_arg_name(i));
    }
    return XK_OK;
}

enum xk_status xk_conv_check_attr(xk_ctx *c, struct xk_conv_desc *f)
{
    XK_TRY(check_modes(c, &f->attr));
    XK_TRY(check_dropout(c, &f->attr.dropout));
    if (f->attr.rounding[XK_ARG_DST] && !xk_conv_writes(f, XK_ARG_DST))
        return xk_fail(c, XK_EINVAL,
                       "rounding[dst]=stochastic: prop=%s does not write dst",
                       xk_conv_prop_name(f->prop));
    for (unsigned i = 0; i < 2 * XK_N_CONV_ARGS; i++) {
        const unsigned arg = i % XK_N_CONV_ARGS;
        const struct kind *const k = &kinds[i / XK_N_CONV_ARGS];
        struct xk_quant *const q =
            k == &kinds[0] ? &f->attr.scale[arg] : &f->attr.zero_point[arg];
        XK_TRY(check_source(c, k, arg, q));
        XK_TRY(check_idle(c, k, arg, q));
        if (q->source != XK_QUANT_NONE)
            XK_TRY(check_values(c, k, f, arg, q));
    }
    return XK_OK;
}

/* The name of the type that the caller gave a tensor. ways may be NULL. */
static const char *given_type(const struct xk_conv_desc *f,
                              const struct xk_conv_ways *ways,
                              enum xk_conv_arg arg)
{
    return xk_conv_type_name(ways && ways->at[arg].copied
                                 ? ways->at[arg].type
                                 : xk_conv_type_of(f, arg));
}

/* Integers that meet a float are multiplied as floats. */
static enum xk_status check_integers(xk_ctx *c, const struct xk_conv_desc *f,
                                     const struct xk_conv_ways *ways)
{
    const struct xk_quant *const q = f->attr.zero_point;
    for (unsigned i = 0; i < XK_ARG_BIA; i++)
        if (q[i].source != XK_QUANT_NONE && !xk_conv_type_is_int(f->src_type))
            return xk_fail(c, XK_EUNSUPPORTED,
                           "zero_point[%s].source=%s is not implemented with "
                           "src_type=%s and wei_type=%s, only with integers in "
                           "both",
                           xk_conv_arg_name(i), sources[q[i].source],
                           given_type(f, ways, XK_ARG_SRC),
                           given_type(f, ways, XK_ARG_WEI));
    return XK_OK;
}

static enum xk_status check_quant_implemented(xk_ctx *c, const struct kind *k,
                                              const struct xk_conv_desc *f)
{
    const bool zero = k != &kinds[0];
    const struct xk_quant *const q = zero ? f->attr.zero_point : f->attr.scale;
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        char groups[60] = "";
        if (q[i].source == XK_QUANT_NONE ||
            xk_conv_quant_is_read(f, (enum xk_conv_arg)i, zero))
            continue;
        if (q[i].n_groups)
            snprintf(groups, sizeof(groups), ", groups of %lldx%lld",
                     (long long)q[i].group[0], (long long)q[i].group[1]);
        return xk_fail(c, XK_EUNSUPPORTED,
                       "%s[%s].source=%s (mask %u, type %s%s) is not "
                       "implemented",
                       k->field, xk_conv_arg_name(i), sources[q[i].source],
                       q[i].mask, xk_conv_type_name(q[i].type), groups);
    }
    return XK_OK;
}

/* Kernels accumulate in s32 if A has an integer type, else in f32. Modes that
 * permit less are fulfilled by that. */
static enum xk_status check_acc_implemented(xk_ctx *c,
                                            const struct xk_conv_desc *f,
                                            const struct xk_conv_ways *ways)
{
    const enum xk_conv_arg a = (enum xk_conv_arg)xk_conv_desc_roles(f).a;
    const uint32_t type = xk_conv_type_of(f, a);
    const bool ints = xk_conv_type_is_int(type);
    const uint32_t mode = f->attr.acc_mode;
    if (mode <= XK_ACC_ANY || mode == (ints ? XK_ACC_S32 : XK_ACC_F32))
        return XK_OK;
    return xk_fail(c, XK_EUNSUPPORTED,
                   "acc_mode=%s is not implemented with %s_type=%s, only %s",
                   acc_modes[mode], xk_conv_arg_name(a), given_type(f, ways, a),
                   ints ? "s32" : "f32");
}

enum xk_status xk_conv_check_attr_implemented(xk_ctx *c,
                                              const struct xk_conv_desc *f,
                                              const struct xk_conv_ways *ways)
{
    XK_TRY(check_integers(c, f, ways));
    XK_TRY(check_quant_implemented(c, &kinds[0], f));
    XK_TRY(check_quant_implemented(c, &kinds[1], f));
    XK_TRY(check_acc_implemented(c, f, ways));
    if (f->attr.rounding[XK_ARG_DST] != XK_ROUND_ENVIRONMENT &&
        f->dst_type != XK_F32)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "rounding[dst]=stochastic is not implemented with "
                       "dst_type=%s",
                       xk_conv_type_name(f->dst_type));
    if (f->attr.dropout.source != XK_QUANT_NONE)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "dropout.source=%s: dropout is not implemented",
                       sources[f->attr.dropout.source]);
    return XK_OK;
}
