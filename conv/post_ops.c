/* SPDX-License-Identifier: Apache-2.0 */
/* Post-ops of a descriptor: their text, both ways, and what is wrong with them.
 * Which kinds there are, and their numbers, is post_op.def's to say. */
#include "conv/post_ops.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "conv/tensors.h"
#include "views/epi_kind.h"

enum { MOST_ZERO = 1 << 24 };

/* The public numbers are those of the rows. */
#define XK_POST_OP(id, ...)                                                    \
    _Static_assert((int)XK_EPI_##id == (int)XK_POST_##id, "post_op.def");
#define XK_POST_FORM(...)
#include "views/post_op.def"
#undef XK_POST_OP
#undef XK_POST_FORM

/* Words that benchdnn has and post_op.def does not. */
static const char *const others[] = {"dw", "select"};

/* A text of n characters without an end of its own. */
struct word {
    const char *s;
    size_t n;
};

static bool is(const struct word *w, const char *text)
{
    return w->n == strlen(text) && strncasecmp(w->s, text, w->n) == 0;
}

static enum xk_status fail(xk_ctx *c, enum xk_status status,
                           const struct word *op, const char *what,
                           const struct word *w)
{
    return xk_fail(c, status, "attr-post-ops=%.*s: %s%s%.*s",
                   (int)(op->n < 80 ? op->n : 80), op->s, what, w ? " " : "",
                   w ? (int)(w->n < 80 ? w->n : 80) : 0, w ? w->s : "");
}

/* The next of *rest's fields. */
static bool next_field(struct word *rest, struct word *field)
{
    if (!rest->n)
        return false;
    const char *const from = rest->s + 1; /* behind the colon */
    const char *const colon = memchr(from, ':', rest->n - 1);
    const size_t n = colon ? (size_t)(colon - from) : rest->n - 1;
    *field = (struct word){from, n};
    *rest = (struct word){from + n, rest->n - 1 - n};
    return true;
}

static bool read_number(const struct word *w, float *out)
{
    char copy[64], *end;
    if (!w->n || w->n >= sizeof(copy) || isspace((unsigned char)w->s[0]))
        return false;
    memcpy(copy, w->s, w->n);
    copy[w->n] = 0;
    *out = strtof(copy, &end);
    /* One so small that it would become 0 is refused, too. */
    return !*end && isfinite(*out) && (*out != 0 || strtod(copy, NULL) == 0);
}

static bool read_whole_number(const struct word *w, int64_t *out)
{
    char copy[24], *end;
    if (!w->n || w->n >= sizeof(copy) || isspace((unsigned char)w->s[0]))
        return false;
    memcpy(copy, w->s, w->n);
    copy[w->n] = 0;
    *out = strtoll(copy, &end, 10);
    return !*end;
}

/* alpha, beta, and a third number that benchdnn takes and ignores. Numbers that
 * a kind does not use are ignored, too. */
static enum xk_status read_numbers(xk_ctx *c, const struct word *op,
                                   struct word *rest, unsigned n_numbers,
                                   struct xk_post_op *out)
{
    float v[3] = {0};
    struct word field;
    for (unsigned i = 0; i < 3 && next_field(rest, &field); i++)
        if (!read_number(&field, &v[i]))
            return fail(c, XK_EINVAL, op, "not a number:", &field);
    out->alpha = n_numbers > 0 ? v[0] : 0;
    out->beta = n_numbers > 1 ? v[1] : 0;
    return XK_OK;
}

static enum xk_status read_type(xk_ctx *c, const struct word *op,
                                const struct word *field, uint32_t *out)
{
    *out = xk_conv_type_named(field->s, field->n);
    return *out ? XK_OK : fail(c, XK_EINVAL, op, "not a data type:", field);
}

/* A factor of 0 makes no post-op at all: in the descriptor 0 means 1, and what
 * C held need not be read to add nothing. */
static enum xk_status read_sum(xk_ctx *c, const struct word *op,
                               struct word *rest, struct xk_post_op *out)
{
    struct word field;
    int64_t zero = 0;
    out->alpha = 1;
    if (next_field(rest, &field) && !read_number(&field, &out->alpha))
        return fail(c, XK_EINVAL, op, "not a number:", &field);
    if (out->alpha == 0)
        out->kind = 0;
    if (next_field(rest, &field) && (!read_whole_number(&field, &zero) ||
                                     zero < INT32_MIN || zero > INT32_MAX))
        return fail(c, XK_EINVAL, op, "no zero point:", &field);
    out->zero_point = (int32_t)zero;
    return next_field(rest, &field) ? read_type(c, op, &field, &out->type)
                                    : XK_OK;
}

static const struct {
    const char *name;
    uint32_t mask;
} policies[] = {
#define XK_MASK_WORD(word, act, wei, grouped) {word, act},
#include "xekern/words.def"
};

static enum xk_status fail_mask(xk_ctx *c, const struct word *op,
                                const struct word *mask)
{
    char known[120] = "";
    for (unsigned i = 0; i < XK_COUNTOF(policies); i++)
        xk_text_add_word(known, sizeof known, policies[i].name);
    return xk_fail(
        c, XK_EINVAL,
        "attr-post-ops=%.*s: not a mask: %.*s; a number or one of %s",
        (int)(op->n < 80 ? op->n : 80), op->s,
        (int)(mask->n < 80 ? mask->n : 80), mask->s, known);
}

static bool read_mask(const struct word *w, uint32_t *out)
{
    int64_t v;
    for (unsigned i = 0; i < XK_COUNTOF(policies); i++)
        if (is(w, policies[i].name)) {
            *out = policies[i].mask;
            return true;
        }
    if (!read_whole_number(w, &v) || v < 0 || v > UINT32_MAX)
        return false;
    *out = (uint32_t)v;
    return true;
}

/* A mask, and of a binary kind a tag. */
static enum xk_status read_place(xk_ctx *c, const struct word *op,
                                 struct word *rest, bool with_tag,
                                 struct xk_post_op *out)
{
    struct word field;
    if (next_field(rest, &field) && !read_mask(&field, &out->mask))
        return fail_mask(c, op, &field);
    if (!with_tag || !next_field(rest, &field))
        return XK_OK;
    if (field.n >= sizeof(out->tag))
        return fail(c, XK_EINVAL, op, "too long a tag:", &field);
    if (!is(&field, "any"))
        memcpy(out->tag, field.s, field.n);
    return next_field(rest, &field)
               ? fail(c, XK_EUNSUPPORTED, op,
                      "strides of a right-hand side are not implemented:",
                      &field)
               : XK_OK;
}

static enum xk_status read_binary(xk_ctx *c, const struct word *op,
                                  struct word *rest, struct xk_post_op *out)
{
    struct word field;
    if (!next_field(rest, &field))
        return fail(c, XK_EINVAL, op, "no type of the right-hand side", NULL);
    XK_TRY(read_type(c, op, &field, &out->type));
    return read_place(c, op, rest, true, out);
}

/* Without a prefix that changes nothing. */
static struct word behind(const struct word *w, const char *prefix)
{
    const size_t n = strlen(prefix);
    const bool has = w->n > n && strncasecmp(w->s, prefix, n) == 0;
    return has ? (struct word){w->s + n, w->n - n} : *w;
}

static enum xk_status unknown(xk_ctx *c, const struct word *op,
                              const struct word *name)
{
    char known[400];
    size_t at = 0;
    const struct word eltwise = behind(name, "eltwise_");
    const struct word bare = behind(&eltwise, "binary_");
    for (unsigned i = 0; i < XK_COUNTOF(others); i++)
        if (is(&bare, others[i]))
            return fail(c, XK_EUNSUPPORTED, op, "is not implemented", NULL);
    for (unsigned i = 1; xk_post_op_row(i) && at < sizeof(known); i++)
        at += (size_t)snprintf(known + at, sizeof(known) - at, "%s%s",
                               i > 1 ? ", " : "", xk_post_op_row(i)->name);
    return xk_fail(c, XK_EINVAL, "attr-post-ops=%.*s: is none of %s",
                   (int)(op->n < 80 ? op->n : 80), op->s, known);
}

static enum xk_status read_op(xk_ctx *c, const struct word *op,
                              struct xk_post_op *out)
{
    const char *const colon = memchr(op->s, ':', op->n);
    const struct word name = {op->s, colon ? (size_t)(colon - op->s) : op->n};
    struct word rest = {op->s + name.n, op->n - name.n};
    memset(out, 0, sizeof(*out));
    out->kind = xk_post_op_named(name.s, name.n);
    const struct xk_post_op_row *const row = xk_post_op_row(out->kind);
    if (!row)
        return unknown(c, op, &name);
    if (row->syntax == XK_SYNTAX_SUM)
        XK_TRY(read_sum(c, op, &rest, out));
    else if (row->syntax == XK_SYNTAX_BINARY)
        XK_TRY(read_binary(c, op, &rest, out));
    else if (row->syntax == XK_SYNTAX_PRELU)
        XK_TRY(read_place(c, op, &rest, false, out));
    else
        XK_TRY(read_numbers(c, op, &rest, row->n_numbers, out));
    return rest.n ? fail(c, XK_EINVAL, op, "has too much behind it:", &rest)
                  : XK_OK;
}

/* Where the post-op at s ends: at a plus that is not an exponent's. */
static size_t op_length(const char *s)
{
    size_t n = 0;
    for (; s[n]; n++) {
        const bool exponent =
            n > 1 && (s[n - 1] == 'e' || s[n - 1] == 'E') &&
            (isdigit((unsigned char)s[n - 2]) || s[n - 2] == '.') &&
            isdigit((unsigned char)s[n + 1]);
        if (s[n] == '+' && !exponent)
            break;
    }
    return n;
}

enum xk_status xk_conv_parse_post_ops(xk_ctx *c, const char *text,
                                      struct xk_post_op *ops, uint32_t *n)
{
    *n = 0;
    if (!*text)
        return XK_OK;
    for (;;) {
        const struct word op = {text, op_length(text)};
        if (*n == XK_MAX_POST_OPS)
            return xk_fail(c, XK_EUNSUPPORTED,
                           "attr-post-ops: more than %d post-ops",
                           XK_MAX_POST_OPS);
        XK_TRY(read_op(c, &op, &ops[*n]));
        *n += ops[*n].kind != 0;
        if (!text[op.n])
            return XK_OK;
        text += op.n + 1;
    }
}

void xk_conv_print_number(float v, struct xk_str *out)
{
    char text[40];
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, (double)v);
        if (strtof(text, NULL) == v)
            break;
    }
    char *const plus = strchr(text, '+'); /* that would begin a post-op */
    if (plus)
        memmove(plus, plus + 1, strlen(plus));
    xk_str_printf(out, "%s", text);
}

static void print_numbers(const struct xk_post_op *op, unsigned n_numbers,
                          struct xk_str *out)
{
    const bool two = n_numbers > 1 && op->beta != 0;
    if (!two && (!n_numbers || op->alpha == 0))
        return;
    xk_str_printf(out, ":");
    xk_conv_print_number(op->alpha, out);
    if (!two)
        return;
    xk_str_printf(out, ":");
    xk_conv_print_number(op->beta, out);
}

static void print_sum(const struct xk_post_op *op, struct xk_str *out)
{
    const float factor = op->alpha != 0 ? op->alpha : 1;
    if (factor == 1 && !op->zero_point && !op->type)
        return;
    xk_str_printf(out, ":");
    xk_conv_print_number(factor, out);
    if (op->zero_point || op->type)
        xk_str_printf(out, ":%d", (int)op->zero_point);
    if (op->type)
        xk_str_printf(out, ":%s", xk_conv_type_name(op->type));
}

static void print_place(const struct xk_post_op *op, struct xk_str *out)
{
    if (!op->mask && !op->tag[0])
        return;
    if (op->mask == UINT32_MAX)
        xk_str_printf(out, ":per_tensor");
    else if (op->mask == 0)
        xk_str_printf(out, ":common");
    else if (op->mask == 2)
        xk_str_printf(out, ":per_oc");
    else
        xk_str_printf(out, ":%u", op->mask);
    if (op->tag[0])
        xk_str_printf(out, ":%.*s", XK_TAG_MAX, op->tag);
}

void xk_conv_print_post_ops(const struct xk_post_op *ops, uint32_t n,
                            struct xk_str *out)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct xk_post_op *const op = &ops[i];
        const struct xk_post_op_row *const row = xk_post_op_row(op->kind);
        xk_str_printf(out, "%s%s", i ? "+" : "", row ? row->name : "?");
        if (!row)
            continue;
        if (row->syntax == XK_SYNTAX_SUM)
            print_sum(op, out);
        else if (row->syntax == XK_SYNTAX_ELTWISE)
            print_numbers(op, row->n_numbers, out);
        if (row->syntax == XK_SYNTAX_BINARY)
            xk_str_printf(out, ":%s",
                          xk_conv_type_name(op->type ? op->type : XK_F32));
        if (row->syntax == XK_SYNTAX_BINARY || row->syntax == XK_SYNTAX_PRELU)
            print_place(op, out);
    }
}

static enum xk_status bad(xk_ctx *c, uint32_t i, const char *field, double v,
                          const char *why)
{
    return xk_fail(c, XK_EINVAL, "post_ops[%u].%s=%g%s%s", i, field, v,
                   *why == ' ' ? "" : ": ", why);
}

/* Fields that the kind has no use for. */
static enum xk_status check_unused(xk_ctx *c, uint32_t i,
                                   const struct xk_post_op *op,
                                   const struct xk_post_op_row *row)
{
    const bool sum = row->syntax == XK_SYNTAX_SUM;
    const bool rhs =
        row->syntax == XK_SYNTAX_BINARY || row->syntax == XK_SYNTAX_PRELU;
    char why[60];
    snprintf(why, sizeof(why), " means nothing for %s", row->name);
    if (row->n_numbers < 1 && op->alpha != 0)
        return bad(c, i, "alpha", (double)op->alpha, why);
    if (row->n_numbers < 2 && op->beta != 0)
        return bad(c, i, "beta", (double)op->beta, why);
    if (!sum && op->zero_point)
        return bad(c, i, "zero_point", op->zero_point, why);
    if (!sum && row->syntax != XK_SYNTAX_BINARY && op->type)
        return bad(c, i, "type", op->type, why);
    if (!rhs && op->mask)
        return bad(c, i, "mask", op->mask, why);
    if (row->syntax != XK_SYNTAX_BINARY && op->tag[0])
        return xk_fail(c, XK_EINVAL, "post_ops[%u].tag=%.*s%s", i,
                       XK_TAG_MAX - 1, op->tag, why);
    return XK_OK;
}

static enum xk_status check_numbers(xk_ctx *c, uint32_t i,
                                    const struct xk_post_op *op,
                                    const struct xk_post_op_row *row)
{
    if (!isfinite(op->alpha))
        return bad(c, i, "alpha", (double)op->alpha, " is not finite");
    if (!isfinite(op->beta))
        return bad(c, i, "beta", (double)op->beta, " is not finite");
    if (row->is_within(op->alpha, op->beta))
        return XK_OK;
    return xk_fail(c, XK_EINVAL, "post_ops[%u]: %s with alpha=%g beta=%g: %s",
                   i, row->name, (double)op->alpha, (double)op->beta, row->why);
}

enum xk_status xk_conv_check_post_ops(xk_ctx *c, struct xk_conv_desc *f)
{
    if (f->n_post_ops > XK_MAX_POST_OPS)
        return xk_fail(c, XK_EINVAL, "n_post_ops=%u, at most %d", f->n_post_ops,
                       XK_MAX_POST_OPS);
    for (uint32_t i = 0; i < f->n_post_ops; i++) {
        struct xk_post_op *const op = &f->post_ops[i];
        const struct xk_post_op_row *const row = xk_post_op_row(op->kind);
        if (!row)
            return xk_fail(c, XK_EINVAL,
                           "post_ops[%u].kind=%u is not a post-op", i,
                           op->kind);
        XK_TRY(check_numbers(c, i, op, row));
        XK_TRY(check_unused(c, i, op, row));
        if (row->syntax == XK_SYNTAX_SUM && op->alpha == 0)
            op->alpha = 1;
        if (row->syntax == XK_SYNTAX_BINARY && !op->type)
            op->type = XK_F32;
        if (op->type && !xk_conv_type_name(op->type))
            return bad(c, i, "type", op->type, " is not a data type");
    }
    return XK_OK;
}

enum xk_status xk_conv_check_rhs_type(xk_ctx *c, const char *field,
                                      uint32_t type)
{
    return type == XK_TYPE_DEFAULT
               ? XK_OK
               : xk_conv_check_type(
                     c, field, type,
                     (struct xk_conv_types){XK_CONV_STORED_TYPES,
                                            XK_CONV_COPIED_ADDENDS},
                     "");
}

/* A mask of all dims becomes the bits of all dims. */
enum xk_status xk_conv_check_rhs(xk_ctx *c, struct xk_conv_desc *f)
{
    const uint32_t all = (1u << xk_conv_user_ndims(f)) - 1;
    for (uint32_t i = 0; i < f->n_post_ops; i++) {
        struct xk_post_op *const op = &f->post_ops[i];
        struct xk_layout l;
        if (!xk_post_op_reads_rhs(op->kind))
            continue;
        if (op->mask == UINT32_MAX)
            op->mask = all;
        if (op->mask > all)
            return xk_fail(c, XK_EINVAL,
                           "post_ops[%u].mask=%u: dst has %u dims", i, op->mask,
                           xk_conv_user_ndims(f));
        if (strnlen(op->tag, XK_TAG_MAX) == XK_TAG_MAX)
            return xk_fail(c, XK_EINVAL,
                           "post_ops[%u].tag=%.*s... does not end", i,
                           XK_TAG_MAX, op->tag);
        XK_TRY(xk_conv_rhs_layout(c, f, i, NULL, &l));
    }
    return XK_OK;
}

static enum xk_status check_sum(xk_ctx *c, const struct xk_conv_desc *f,
                                uint32_t i)
{
    const struct xk_post_op *const op = &f->post_ops[i];
    const uint32_t type = op->type ? op->type : f->dst_type;
    const enum xk_dtype old = xk_conv_dtype(type),
                        dst = xk_conv_dtype(f->dst_type);
    if (!old || xk_dtype_b(old) != xk_dtype_b(dst))
        return xk_fail(c, XK_EUNSUPPORTED,
                       "post_ops[%u].type=%s is not implemented: a sum reads "
                       "dst, which is %s, as a type of the same size that "
                       "kernels load",
                       i, xk_conv_type_name(type),
                       xk_conv_type_name(f->dst_type));
    if (op->zero_point &&
        !(xk_conv_type_is_int(f->src_type) && xk_conv_type_is_int(type)))
        return xk_fail(c, XK_EUNSUPPORTED,
                       "post_ops[%u].zero_point=%d: only with integers in src "
                       "and in what the sum reads",
                       i, (int)op->zero_point);
    if (op->zero_point < -MOST_ZERO || op->zero_point > MOST_ZERO)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "post_ops[%u].zero_point=%d: f32 holds no integers "
                       "above 2^24",
                       i, (int)op->zero_point);
    return XK_OK;
}

enum xk_status xk_conv_post_ops_implemented(xk_ctx *c,
                                            const struct xk_conv_desc *f)
{
    for (uint32_t i = 0; i < f->n_post_ops; i++) {
        char field[32];
        snprintf(field, sizeof(field), "post_ops[%u].type", i);
        if (xk_post_op_reads_old(f->post_ops[i].kind))
            XK_TRY(check_sum(c, f, i));
        if (xk_post_op_reads_rhs(f->post_ops[i].kind))
            XK_TRY(xk_conv_check_rhs_type(c, field, f->post_ops[i].type));
    }
    return XK_OK;
}
