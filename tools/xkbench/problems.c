/* SPDX-License-Identifier: Apache-2.0 */
/* Settings and a text become problems, one for each word of each list. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "tools/xkbench/bench.h"

static const char *name_of_axis(int axis)
{
    return axis == XK_AXIS_SCHEDULE ? "schedule" : xk_conv_options[axis].name;
}

const char *xk_bench_default(int axis)
{
    return axis == XK_AXIS_SCHEDULE ? "" : xk_conv_options[axis].initial;
}

/* A schedule has commas of its own. */
static const char *separator(int axis)
{
    return axis == XK_AXIS_SCHEDULE ? ";" : ",";
}

char *xk_bench_list_item(int axis, const char *list, size_t i)
{
    const char *const between = separator(axis);
    for (; i; i--) {
        list = strchr(list, *between);
        if (!list)
            return NULL;
        list++;
    }
    return strndup(list, strcspn(list, between));
}

/* What differs from the defaults. */
static void print_own_options(char *const words[], FILE *f)
{
    for (int i = 0; i < XK_N_AXES; i++)
        if (i != XK_OPT_MB && strcmp(words[i], xk_bench_default(i)))
            fprintf(f, "--%s=%s ", name_of_axis(i), words[i]);
}

/* The repro text: what differs from the defaults, then the problem. */
static char *repro_of(const struct xk_bench_problem *p, bool deconv,
                      char *const words[])
{
    char *out = NULL;
    size_t n;
    FILE *const f = open_memstream(&out, &n);
    if (!f)
        return NULL;
    if (p->mode != 'C')
        fprintf(f, "--mode=%c ", p->mode);
    if (strcmp(p->engine, "sim"))
        fprintf(f, "--engine=%s ", p->engine);
    if (deconv)
        fprintf(f, "--deconv ");
    print_own_options(words, f);
    fprintf(f, "%s", p->text);
    fclose(f);
    return out;
}

/* The attributes as they were given, for the templates. */
static char *attr_of(char *const words[])
{
    char *out = NULL;
    size_t n;
    const char *between = "";
    FILE *const f = open_memstream(&out, &n);
    if (!f)
        return NULL;
    for (int i = 0; i < XK_N_CONV_OPTIONS; i++)
        if (!strncmp(name_of_axis(i), "attr-", 5) &&
            strcmp(words[i], xk_bench_default(i))) {
            fprintf(f, "%s--%s=%s", between, name_of_axis(i), words[i]);
            between = " ";
        }
    fclose(f);
    return out;
}

static char *canonical(const struct xk_bench_problem *p)
{
    const size_t n = xk_conv_desc_print(&p->desc, NULL, 0);
    const size_t room = n + strlen(p->name) + 6;
    char *const out = malloc(room);
    if (!out)
        return NULL;
    xk_conv_desc_print(&p->desc, out, n + 1);
    if (p->name[0])
        snprintf(out + n, room - n, "_n\"%s\"", p->name);
    return out;
}

static void free_problem(struct xk_bench_problem *p)
{
    free(p->name);
    free(p->dt);
    free(p->attr);
    free(p->schedule);
    free(p->text);
    free(p->repro);
}

/* benchdnn's short words of an algorithm are the driver's. */
static const char *algorithm(const struct xk_bench *b, const char *word)
{
    if (b->deconv && !strcasecmp(word, "direct"))
        return "deconvolution_direct";
    return b->deconv && !strcasecmp(word, "wino") ? "deconvolution_wino" : word;
}

/* A value that the host gives is passed as an f32 or s32, and is one of the
 * type that its word names. */
static void round_host_values(struct xk_bench_problem *p)
{
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        const struct xk_quant *const s = &p->desc.attr.scale[i];
        const struct xk_quant *const z = &p->desc.attr.zero_point[i];
        if (s->source == XK_QUANT_HOST && s->type)
            p->scale[i] = (float)xk_bench_round(s->type, (double)p->scale[i]);
        if (z->source == XK_QUANT_HOST && z->type)
            p->zero_point[i] =
                (int32_t)xk_bench_round(z->type, (double)p->zero_point[i]);
    }
}

static enum xk_status read_request(const struct xk_bench *b, const char *text,
                                   char *const words[],
                                   struct xk_bench_problem *p)
{
    const char *own[XK_N_CONV_OPTIONS];
    struct xk_conv_request r;
    for (int i = 0; i < XK_N_CONV_OPTIONS; i++)
        own[i] = words[i];
    own[XK_OPT_ALG] = algorithm(b, words[XK_OPT_ALG]);
    const enum xk_status st =
        xk_conv_request_read(text, own, &r, p->name, &p->err);
    if (st < 0 && !access(text, F_OK)) /* no problem is called as a file is */
        return xk_tool_fail(&p->err, XK_EINVAL,
                            "%.200s: is a file; --batch=%.200s reads the "
                            "problems of a file",
                            text, text);
    p->desc = r.desc;
    memcpy(p->scale, r.scale, sizeof p->scale);
    memcpy(p->zero_point, r.zero_point, sizeof p->zero_point);
    round_host_values(p);
    p->seed = r.seed;
    if (st >= 0 && xk_bench_is_deconv(&r.desc) != b->deconv)
        return xk_tool_fail(&p->err, XK_EINVAL,
                            "alg=%.40s: --%s does not have it",
                            words[XK_OPT_ALG], b->deconv ? "deconv" : "conv");
    return st;
}

/* Settings and text -> problem; failures stay in p->status. False: no
 * memory. */
static bool make_problem(const struct xk_bench *b, const char *text,
                         char *const words[], struct xk_bench_problem *p)
{
    *p = (struct xk_bench_problem){.mode = b->mode,
                                   .hash = b->hash,
                                   .timing = b->timing,
                                   .time_only = b->time_only,
                                   .bound = b->bound,
                                   .waves = b->waves,
                                   .fix_times = b->fix_times,
                                   .max_ns = b->max_ms * 1000000u,
                                   .own_platform = !*words[XK_OPT_PLATFORM]};
    strcpy(p->engine, b->engine);
    p->name = calloc(1, strlen(text) + 1);
    if (!p->name)
        return false;
    p->status = read_request(b, text, words, p);
    if (p->status >= 0)
        p->status = xk_bench_peer_refuses(b, &p->err);
    p->text = p->desc.ic ? canonical(p) : strdup(text);
    p->dt = strdup(words[XK_OPT_DT]);
    p->attr = attr_of(words);
    p->schedule = strdup(words[XK_AXIS_SCHEDULE]);
    for (char *c = p->schedule; c && *c; c++)
        *c = *c == '+' ? ' ' : *c;
    p->repro = p->text ? repro_of(p, b->deconv, words) : NULL;
    return p->dt && p->attr && p->schedule && p->repro;
}

static void run_repeatedly(struct xk_bench *b, struct xk_bench_problem *p)
{
    for (int64_t i = 0; i < b->repeats; i++) {
        struct xk_bench_result r;
        xk_bench_progress(b, p);
        if ((int64_t)b->n_tests < b->start)
            xk_bench_skip(&r, "before the --start index");
        else
            xk_bench_run(b, p, &r);
        r.number = b->n_tests;
        xk_bench_report(b, p, &r);
    }
}

/* The problem as benchdnn prints it, which its patterns are written for: no
 * underscores, squares and cubes by one number, and no mb of 2, strides of 1
 * and dilations of 0. */
static void print_as_peer(const struct xk_bench_problem *p, FILE *f)
{
    static const char kinds[] = "iokspd";
    const struct xk_conv_desc *const d = &p->desc;
    const int64_t of[3][6] = {{d->id, d->od, d->kd, d->sd, d->pd, d->dd},
                              {d->ih, d->oh, d->kh, d->sh, d->ph, d->dh},
                              {d->iw, d->ow, d->kw, d->sw, d->pw, d->dw}};
    const bool square = !memcmp(of[1], of[2], sizeof of[1]);
    const bool cube = square && !memcmp(of[0], of[1], sizeof of[0]);
    const bool volume = d->ndims == 5;
    const bool shown[3] = {volume, d->ndims == 4 || (volume && !cube),
                           d->ndims == 3 || (volume ? !cube : !square)};
    if (d->grouped)
        fprintf(f, "g%lld", (long long)d->g);
    if (d->mb != 2)
        fprintf(f, "mb%lld", (long long)d->mb);
    for (unsigned k = 0; k < XK_COUNTOF(of[0]); k++) {
        const int64_t idle = k == 3 ? 1 : k == 5 ? 0 : -1;
        if (of[0][k] == idle && of[1][k] == idle && of[2][k] == idle)
            continue;
        if (k < 2)
            fprintf(f, "%cc%lld", kinds[k], (long long)(k ? d->oc : d->ic));
        for (unsigned i = 0; i < 3; i++)
            if (shown[i])
                fprintf(f, "%c%c%lld", kinds[k], "dhw"[i], (long long)of[i][k]);
    }
    if (p->name[0])
        fprintf(f, "n\"%s\"", p->name);
}

/* By its line here or by benchdnn's. */
static bool is_wanted(const struct xk_bench *b,
                      const struct xk_bench_problem *p, char *const words[])
{
    char *line = NULL;
    size_t n;
    if (!b->has_match || !regexec(&b->match, p->repro, 0, NULL, 0))
        return true;
    FILE *const f = p->desc.ic ? open_memstream(&line, &n) : NULL;
    if (!f)
        return false;
    print_own_options(words, f);
    print_as_peer(p, f);
    fclose(f);
    const bool wanted = line && !regexec(&b->match, line, 0, NULL, 0);
    free(line);
    return wanted;
}

static bool run_one(struct xk_bench *b, const char *text, char *const words[])
{
    struct xk_bench_problem p;
    const bool made = make_problem(b, text, words, &p);
    b->n_seen++;
    if (made && is_wanted(b, &p, words))
        run_repeatedly(b, &p);
    free_problem(&p);
    return made;
}

static bool take_axis_word(const struct xk_bench *b, int axis, size_t at,
                           char *words[])
{
    char *const word = xk_bench_list_item(axis, b->list[axis], at);
    if (!word)
        return false;
    free(words[axis]);
    words[axis] = word;
    return true;
}

/* Counts through the lists like an odometer, the last axis fastest. */
bool xk_bench_run_product(struct xk_bench *b, const char *text)
{
    char *words[XK_N_AXES] = {NULL};
    size_t at[XK_N_AXES] = {0};
    bool fine = true;
    for (int i = 0; i < XK_N_AXES; i++)
        fine = take_axis_word(b, i, 0, words) && fine;
    for (int i = XK_N_AXES; fine && i >= 0;) {
        fine = run_one(b, text, words);
        for (i = XK_N_AXES - 1; i >= 0; i--) {
            if (take_axis_word(b, i, ++at[i], words))
                break;
            at[i] = 0;
            fine = take_axis_word(b, i, 0, words) && fine;
        }
    }
    for (int i = 0; i < XK_N_AXES; i++)
        free(words[i]);
    return fine;
}
