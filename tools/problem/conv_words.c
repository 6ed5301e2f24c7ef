/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a convolution except the attributes. A problem and a word for
 * each option become a descriptor. */
#include "tools/problem/conv_words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/problem/word_table.h"

static const struct xk_word algs[] = {
    {"direct", XK_ALG_DIRECT},
    {"wino", XK_ALG_WINO},
    {"auto", XK_ALG_AUTO},
    {"convolution_direct", XK_ALG_DIRECT},
    {"convolution_wino", XK_ALG_WINO},
    {"convolution_auto", XK_ALG_AUTO},
    {"deconvolution_direct", XK_ALG_DECONV_DIRECT},
    {"deconvolution_wino", XK_ALG_DECONV_WINO},
};
XK_WORDS_OF(algs, algs)

static XK_CONV_READ(read_platform)
{
    return *word ? xk_word_platform(o->name, word, &r->desc.platform, err)
                 : XK_OK;
}

static XK_CONV_READ(read_device)
{
    return xk_word_device(o->name, word, r->desc.attr.device, err);
}

static XK_CONV_READ(read_dir)
{
    (void)o;
    return xk_word_prop(word, &r->desc.prop, err);
}

static XK_CONV_READ(read_dt)
{
    (void)o;
    return xk_word_types(word, &r->desc, err);
}

/* The directions with a B have a bias of f32 (f64), whatever this says, as in
 * benchdnn. */
static XK_CONV_READ(read_bia_dt)
{
    uint32_t type = XK_TYPE_DEFAULT;
    const enum xk_status st =
        strcmp(word, "undef") ? xk_word_type(o->name, word, &type, err) : XK_OK;
    if (r->desc.prop != XK_FWD_B && r->desc.prop != XK_BWD_WB)
        r->desc.bia_type = type;
    return st;
}

static XK_CONV_READ(read_stag)
{
    return xk_word_tag(o->name, word, r->desc.src_tag, err);
}

static XK_CONV_READ(read_wtag)
{
    return xk_word_tag(o->name, word, r->desc.wei_tag, err);
}

static XK_CONV_READ(read_dtag)
{
    return xk_word_tag(o->name, word, r->desc.dst_tag, err);
}

/* "802816x1x28672x512" */
static bool read_tensor_strides(char *text, struct xk_strides *s)
{
    for (char *rest = text; *text && rest; s->n_dims++)
        if (s->n_dims == XK_MAX_NDIMS ||
            !xk_word_digits(strsep(&rest, "x"), &s->stride[s->n_dims]))
            return false;
    return true;
}

static XK_CONV_READ(read_strides)
{
    struct xk_strides *const s[3] = {&r->desc.src_strides, &r->desc.wei_strides,
                                     &r->desc.dst_strides};
    char copy[512], *rest = copy;
    unsigned n = 0;
    if (strlen(word) >= sizeof copy)
        return xk_tool_fail(err, XK_EINVAL, "%s=%.60s...: too long", o->name,
                            word);
    strcpy(copy, word);
    for (char *part; *word && (part = strsep(&rest, ":")); n++)
        if (n == 3 || !read_tensor_strides(part, s[n]))
            return xk_tool_fail(err, XK_EINVAL,
                                "%s=%.200s: want three lists AxBxC.. with two "
                                "colons, for src, wei and dst",
                                o->name, word);
    if (*word && n != 3)
        return xk_tool_fail(err, XK_EINVAL, "%s=%.200s: want two colons",
                            o->name, word);
    return XK_OK;
}

static XK_CONV_READ(read_alg)
{
    return xk_word_find(XK_WORD_LIST(algs, true), o->name, word, &r->desc.alg,
                        err);
}

static XK_CONV_READ(read_oscale)
{
    (void)o;
    return xk_word_oscale(word, &r->desc, err);
}

static XK_CONV_READ(read_post_ops)
{
    (void)o;
    return xk_word_post_ops(word, &r->desc, err);
}

/* N[:CORE[:THREADS]] or auto, of a CPU. */
static XK_CONV_READ(read_context)
{
    char copy[80], *rest = copy;
    int64_t n;
    (void)r;
    snprintf(copy, sizeof copy, "%s", word);
    for (unsigned i = 0; rest && strcmp(word, "auto") != 0; i++)
        if (i == 3 || !xk_word_digits(strsep(&rest, ":"), &n))
            return xk_tool_fail(err, XK_EINVAL,
                                "%s=%.60s: want auto or N[:CORE[:THREADS]]",
                                o->name, word);
    return XK_OK;
}

static XK_CONV_READ(read_mb)
{
    int64_t mb = 0;
    const enum xk_status st =
        xk_word_int(o->name, word, 0, INT64_MAX, &mb, err);
    if (st >= 0 && mb)
        r->desc.mb = mb;
    return st;
}

#define read_scales xk_read_scales
#define read_zero_points xk_read_zero_points
#define read_precomputed xk_read_precomputed
#define read_scratchpad xk_read_scratchpad
#define read_fpmath xk_read_fpmath
#define read_acc_mode xk_read_acc_mode
#define read_deterministic xk_read_deterministic
#define read_dropout xk_read_dropout
#define read_rounding xk_read_rounding

const struct xk_conv_option xk_conv_options[XK_N_CONV_OPTIONS] = {
#define XK_CONV_OPTION(id, name, initial, fields, read, words, help)           \
    [XK_OPT_##id] = {name, initial, fields, help, words, read_##read},
#include "tools/problem/conv_option.def"
#undef XK_CONV_OPTION
};

/* Whether the message names the field: as a word in front of its value. A field
 * whose last character is no letter is taken as it stands. */
static bool names_field(const char *message, const char *field, size_t n)
{
    for (const char *at = message; *at; at++) {
        const bool begins =
            at == message || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
        if (begins && !strncmp(at, field, n) &&
            (!isalpha((unsigned char)field[n - 1]) ||
             (at[n] && strchr("=:[", at[n]))))
            return true;
    }
    return false;
}

/* The first field of the row that the message names, and its length; 0: none.
 */
static size_t named_field(const char *message, const char *fields,
                          const char **field)
{
    for (size_t n; *fields; fields += n + (fields[n] == ' ')) {
        n = strcspn(fields, " ");
        *field = fields;
        if (names_field(message, fields, n))
            return n;
    }
    return 0;
}

void xk_conv_name_options(struct xk_error *err)
{
    struct xk_error told = *err;
    size_t at = strlen(told.message), more = 0;
    for (int i = 0; i < XK_N_CONV_OPTIONS; i++) {
        const struct xk_conv_option *const o = &xk_conv_options[i];
        const char *field;
        size_t n = named_field(err->message, o->fields, &field);
        if (!n || at >= sizeof told.message)
            continue;
        n -= !isalpha((unsigned char)field[n - 1]);
        at += (size_t)snprintf(told.message + at, sizeof told.message - at,
                               "%s%.*s is --%s", more++ ? ", " : "; ", (int)n,
                               field, o->name);
    }
    *err = told;
}

static void begin_request(struct xk_conv_request *r)
{
    const struct xk_conv_desc initial = XK_CONV_DESC_INIT;
    *r = (struct xk_conv_request){.desc = initial};
    for (int i = 0; i < XK_N_CONV_ARGS; i++)
        r->scale[i] = 1;
}

enum xk_status xk_conv_request_read(const char *problem,
                                    const char *const word[XK_N_CONV_OPTIONS],
                                    struct xk_conv_request *r, char *name,
                                    struct xk_error *err)
{
    begin_request(r);
    /* Which sizes are missing depends on the algorithm. */
    enum xk_status st = xk_conv_options[XK_OPT_ALG].read(
        &xk_conv_options[XK_OPT_ALG], word[XK_OPT_ALG], r, err);
    if (st >= 0)
        st = xk_conv_desc_parse(problem, &r->desc, name, strlen(problem) + 1,
                                err);
    for (int i = 0; i < XK_N_CONV_OPTIONS && st >= 0; i++)
        st = xk_conv_options[i].read(&xk_conv_options[i], word[i], r, err);
    return st;
}

enum xk_status xk_conv_word_check(enum xk_conv_option_id id, const char *word,
                                  struct xk_error *err)
{
    struct xk_conv_request scratch;
    begin_request(&scratch);
    return xk_conv_options[id].read(&xk_conv_options[id], word, &scratch, err);
}
