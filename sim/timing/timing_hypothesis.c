/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/timing/timing_hypothesis.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ctx.h"
#include "base/text.h"

#define NONE UINT32_MAX

static const struct {
    const char *name, *question;
    size_t at; /* of the row */
} hypotheses[] = {
#define XK_TM_HYPOTHESIS(id, name, field, question)                            \
    {name, question, offsetof(struct xk_timing_product, field)},
#define XK_TM_VALUE(...)
#include "sim/timing/timing_hypothesis.def"
#undef XK_TM_HYPOTHESIS
#undef XK_TM_VALUE
};

static const struct {
    enum xk_tm_hypothesis of;
    const char *word, *why;
    uint32_t on[3]; /* in the order of xk_timing_product_at */
} values[] = {
#define XK_TM_HYPOTHESIS(...)
#define XK_TM_VALUE(id, word, a770, max1550, iris_xe, why)                     \
    {XK_TM_ON_##id, word, why, {a770, max1550, iris_xe}},
#include "sim/timing/timing_hypothesis.def"
#undef XK_TM_HYPOTHESIS
#undef XK_TM_VALUE
};

const char *xk_tm_hypothesis_name(enum xk_tm_hypothesis h)
{
    return h < XK_TM_HYPOTHESES ? hypotheses[h].name : "";
}

const char *xk_tm_hypothesis_question(enum xk_tm_hypothesis h)
{
    return h < XK_TM_HYPOTHESES ? hypotheses[h].question : "";
}

/* A changed copy is the machine of its name. */
static unsigned product_column(const struct xk_timing_product *m)
{
    unsigned k = 0;
    while (xk_timing_product_at(k) &&
           strcmp(xk_timing_product_at(k)->name, m->name))
        k++;
    return k;
}

static uint32_t hypothesis_row(const struct xk_timing_product *m,
                               enum xk_tm_hypothesis h)
{
    uint32_t value;
    memcpy(&value, (const char *)m + hypotheses[h].at, sizeof value);
    return value;
}

bool xk_tm_value_at(const struct xk_timing_product *m, unsigned k,
                    struct xk_tm_value *out)
{
    const unsigned column = product_column(m);
    for (unsigned i = 0; i < XK_COUNTOF(values); i++) {
        const uint32_t value = values[i].on[column];
        if (value == NONE || k--)
            continue;
        const enum xk_tm_hypothesis h = values[i].of;
        *out = (struct xk_tm_value){
            .of = h,
            .name = hypotheses[h].name,
            .word = values[i].word,
            .why = values[i].why,
            .value = value,
            .nominal =
                hypothesis_row(xk_timing_product_at(column), h) == value};
        return true;
    }
    return false;
}

struct xk_timing_product xk_tm_value_set(const struct xk_timing_product *m,
                                         const struct xk_tm_value *v)
{
    struct xk_timing_product out = *m;
    memcpy((char *)&out + hypotheses[v->of].at, &v->value, sizeof v->value);
    return out;
}

bool xk_tm_value_is(const struct xk_timing_product *m,
                    const struct xk_tm_value *v)
{
    return hypothesis_row(m, v->of) == v->value;
}

/* ---- the words of a spec ---- */

static enum xk_tm_hypothesis find_hypothesis(const char *text, size_t n)
{
    unsigned h = 0;
    while (h < XK_TM_HYPOTHESES && !xk_text_is(text, n, hypotheses[h].name))
        h++;
    return (enum xk_tm_hypothesis)h;
}

/* "a, b, c": the hypotheses, or the values of one on the machine. */
static void list_words(const struct xk_timing_product *m,
                       enum xk_tm_hypothesis of, char *out, size_t out_b)
{
    struct xk_tm_value v;
    size_t at = 0;
    *out = '\0';
    if (of == XK_TM_HYPOTHESES) {
        for (unsigned h = 0; h < XK_TM_HYPOTHESES && at < out_b; h++)
            at += (size_t)snprintf(out + at, out_b - at, "%s%s", h ? ", " : "",
                                   hypotheses[h].name);
        return;
    }
    for (unsigned k = 0; xk_tm_value_at(m, k, &v) && at < out_b; k++)
        if (v.of == of)
            at += (size_t)snprintf(out + at, out_b - at, "%s%s", at ? ", " : "",
                                   v.word);
}

static enum xk_status refuse_word(const struct xk_timing_product *m,
                                  enum xk_tm_hypothesis of, const char *word,
                                  size_t n, struct xk_error *err)
{
    char words[200];
    list_words(m, of, words, sizeof words);
    err->status = XK_EINVAL;
    if (of == XK_TM_HYPOTHESES)
        snprintf(err->message, sizeof err->message,
                 "timing: '%.*s' is no hypothesis; there are %s, and all",
                 (int)(n > 60 ? 60 : n), word, words);
    else
        snprintf(err->message, sizeof err->message,
                 "timing: %s=%.*s: %s has %s", hypotheses[of].name,
                 (int)(n > 60 ? 60 : n), word, m->name,
                 *words ? words : "none");
    return XK_EINVAL;
}

/* "gather=component" */
static enum xk_status set_hypothesis(struct xk_timing_product *m,
                                     const char *text, size_t n,
                                     struct xk_error *err)
{
    const char *const equals = memchr(text, '=', n);
    const size_t name_n = equals ? (size_t)(equals - text) : n;
    const enum xk_tm_hypothesis h = find_hypothesis(text, name_n);
    struct xk_tm_value v;
    if (h == XK_TM_HYPOTHESES)
        return refuse_word(m, h, text, n, err);
    const char *const word = equals ? equals + 1 : text + n;
    const size_t word_n = (size_t)(text + n - word);
    for (unsigned k = 0; xk_tm_value_at(m, k, &v); k++)
        if (v.of == h && xk_text_is(word, word_n, v.word)) {
            *m = xk_tm_value_set(m, &v);
            return XK_OK;
        }
    return refuse_word(m, h, word, word_n, err);
}

static enum xk_status pick_machine(const char *text, size_t n,
                                   enum xk_platform_id platform,
                                   struct xk_timing_spec *out,
                                   struct xk_error *err)
{
    char name[40];
    const struct xk_timing_product *m;
    snprintf(name, sizeof name, "%.*s", (int)(n < 39 ? n : 39), text);
    m = xk_timing_product_find(name);
    if (platform == XK_PLATFORM_NONE)
        platform = m ? (enum xk_platform_id)m->platform : XK_PLATFORM_XEHPG;
    XK_TRY(xk_timing_product_pick(name, platform, &m, err));
    *out = (struct xk_timing_spec){.m = *m};
    return XK_OK;
}

enum xk_status xk_timing_spec_parse(const char *text,
                                    enum xk_platform_id platform,
                                    struct xk_timing_spec *out,
                                    struct xk_error *err)
{
    const size_t machine_n = strcspn(text, ":");
    XK_TRY(pick_machine(text, machine_n, platform, out, err));
    const char *at = text + machine_n;
    while (*at) {
        const size_t n = strcspn(++at, ",");
        if (xk_text_is(at, n, "all"))
            out->all = true;
        else
            XK_TRY(set_hypothesis(&out->m, at, n, err));
        at += n;
    }
    return XK_OK;
}
