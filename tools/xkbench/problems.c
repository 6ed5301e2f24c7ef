/* SPDX-License-Identifier: Apache-2.0 */
/* Settings and a text become problems, one for each word of each list. */
#include <stdlib.h>
#include <string.h>

#include "tools/problem/words.h"
#include "tools/xkbench/bench.h"

const char *const xk_bench_defaults[XK_N_AXES] = {
    [XK_AXIS_PLATFORM] = "", [XK_AXIS_DIR] = "FWD_B", [XK_AXIS_DT] = "f32",
    [XK_AXIS_STAG] = "any",  [XK_AXIS_WTAG] = "any",  [XK_AXIS_DTAG] = "any",
    [XK_AXIS_OSCALE] = "",   [XK_AXIS_POST_OPS] = "", [XK_AXIS_SCHEDULE] = "",
    [XK_AXIS_MB] = "0",
};

/* Applies one word of a list to a problem's descriptor. */
enum xk_status xk_bench_apply_word(enum xk_bench_axis axis, const char *word,
                                   struct xk_conv_desc *d, int64_t *mb,
                                   struct xk_error *err)
{
    switch (axis) {
    case XK_AXIS_PLATFORM:
        return *word ? xk_word_platform("platform", word, &d->platform, err)
                     : XK_OK;
    case XK_AXIS_DIR:
        return xk_word_prop(word, &d->prop, err);
    case XK_AXIS_DT:
        return xk_word_types(word, d, err);
    case XK_AXIS_STAG:
        return xk_word_tag("stag", word, d->src_tag, err);
    case XK_AXIS_WTAG:
        return xk_word_tag("wtag", word, d->wei_tag, err);
    case XK_AXIS_DTAG:
        return xk_word_tag("dtag", word, d->dst_tag, err);
    case XK_AXIS_OSCALE:
        return xk_word_oscale(word, d, err);
    case XK_AXIS_POST_OPS:
        return xk_word_post_ops(word, d, err);
    case XK_AXIS_SCHEDULE:
        return XK_OK; /* the library judges it */
    case XK_AXIS_MB:
        return xk_word_int("mb", word, 0, INT64_MAX, mb, err);
    case XK_N_AXES:
        break;
    }
    return XK_EINTERNAL;
}

/* A schedule has commas of its own. */
static const char *separator(enum xk_bench_axis axis)
{
    return axis == XK_AXIS_SCHEDULE ? ";" : ",";
}

/* Item i of a list; false behind the last. */
bool xk_bench_list_item(enum xk_bench_axis axis, const char *list, size_t i,
                        char *out, size_t out_size)
{
    const char *const between = separator(axis);
    for (; i; i--) {
        list = strchr(list, *between);
        if (!list)
            return false;
        list++;
    }
    snprintf(out, out_size, "%.*s", (int)strcspn(list, between), list);
    return true;
}

/* The repro text: what differs from the defaults, then the problem. */
static void set_repro(struct xk_bench_problem *p,
                      const char (*words)[XK_BENCH_LIST_MAX])
{
    static const char *const option[XK_N_AXES] = {
        [XK_AXIS_PLATFORM] = "platform",
        [XK_AXIS_DIR] = "dir",
        [XK_AXIS_DT] = "dt",
        [XK_AXIS_STAG] = "stag",
        [XK_AXIS_WTAG] = "wtag",
        [XK_AXIS_DTAG] = "dtag",
        [XK_AXIS_OSCALE] = "attr-oscale",
        [XK_AXIS_POST_OPS] = "attr-post-ops",
        [XK_AXIS_SCHEDULE] = "schedule",
    };
    char *out = p->repro;
    char *const end = p->repro + sizeof p->repro;
    *out = 0;
    if (p->mode != 'C')
        out += snprintf(out, (size_t)(end - out), "--mode=%c ", p->mode);
    if (strcmp(p->engine, "sim"))
        out += snprintf(out, (size_t)(end - out), "--engine=%s ", p->engine);
    for (int i = 0; i < XK_N_AXES; i++)
        if (option[i] && strcmp(words[i], xk_bench_defaults[i]) &&
            end - out > XK_BENCH_LIST_MAX + 40)
            out += snprintf(out, (size_t)(end - out), "--%s=%s ", option[i],
                            words[i]);
    if (end - out > 1)
        snprintf(out, (size_t)(end - out), "%s", p->text);
}

/* The types and attributes as they were given, for the templates. */
static void set_texts(struct xk_bench_problem *p,
                      const char (*words)[XK_BENCH_LIST_MAX])
{
    const char *const scale = words[XK_AXIS_OSCALE];
    const char *const ops = words[XK_AXIS_POST_OPS];
    snprintf(p->dt, sizeof p->dt, "%.31s", words[XK_AXIS_DT]);
    snprintf(p->schedule, sizeof p->schedule, "%s", words[XK_AXIS_SCHEDULE]);
    for (char *c = p->schedule; *c; c++)
        *c = *c == '+' ? ' ' : *c;
    snprintf(p->attr, sizeof p->attr, "%s%.80s%s%s%.110s",
             *scale ? "--attr-oscale=" : "", scale, *scale && *ops ? " " : "",
             *ops ? "--attr-post-ops=" : "", ops);
}

/* Settings and text -> problem; failures stay in p->status. */
static void make_problem(const struct xk_bench *b, const char *text,
                         const char (*words)[XK_BENCH_LIST_MAX],
                         struct xk_bench_problem *p)
{
    *p = (struct xk_bench_problem){.desc = XK_CONV_DESC_INIT,
                                   .mode = b->mode,
                                   .hash = b->hash,
                                   .timing = b->timing,
                                   .time_only = b->time_only,
                                   .bound = b->bound,
                                   .waves = b->waves,
                                   .own_platform = !*words[XK_AXIS_PLATFORM]};
    strcpy(p->engine, b->engine);
    p->desc.mb = 2; /* benchdnn's default */
    int64_t mb = 0;
    for (int i = 0; i < XK_N_AXES && p->status == XK_OK; i++)
        p->status = xk_bench_apply_word(i, words[i], &p->desc, &mb, &p->err);
    snprintf(p->text, sizeof p->text, "%s", text);
    struct xk_error parse_err = {0};
    const enum xk_status st =
        xk_conv_desc_parse(text, &p->desc, p->name, sizeof p->name, &parse_err);
    if (st < 0) {
        p->status = st;
        p->err = parse_err;
    } else {
        if (mb)
            p->desc.mb = mb;
        const size_t n = xk_conv_desc_print(&p->desc, p->text, sizeof p->text);
        if (p->name[0] && n < sizeof p->text)
            snprintf(p->text + n, sizeof p->text - n, "_n\"%s\"", p->name);
    }
    set_texts(p, words);
    set_repro(p, words);
}

static void run_one(struct xk_bench *b, const char *text,
                    const char (*words)[XK_BENCH_LIST_MAX])
{
    struct xk_bench_problem p;
    struct xk_bench_result r;
    make_problem(b, text, words, &p);
    b->n_seen++;
    if (b->has_match && regexec(&b->match, p.repro, 0, NULL, 0))
        return;
    xk_bench_progress(b, &p);
    xk_bench_run(b, &p, &r);
    xk_bench_report(b, &p, &r);
}

/* Counts through the lists like an odometer, the last axis fastest. */
void xk_bench_run_product(struct xk_bench *b, const char *text)
{
    char words[XK_N_AXES][XK_BENCH_LIST_MAX];
    size_t at[XK_N_AXES] = {0};
    for (int i = 0; i < XK_N_AXES; i++)
        xk_bench_list_item(i, b->list[i], 0, words[i], sizeof words[i]);
    for (;;) {
        run_one(b, text, (const char(*)[XK_BENCH_LIST_MAX])words);
        int i = XK_N_AXES - 1;
        for (; i >= 0; i--) {
            if (xk_bench_list_item(i, b->list[i], ++at[i], words[i],
                                   sizeof words[i]))
                break;
            at[i] = 0;
            xk_bench_list_item(i, b->list[i], 0, words[i], sizeof words[i]);
        }
        if (i < 0)
            return;
    }
}
