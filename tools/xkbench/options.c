/* SPDX-License-Identifier: Apache-2.0 */
/* The option state machine: an option holds for the problems after it, lists
 * make a cross product (problems.c), --reset goes back to the defaults, --batch
 * reads more arguments from a file (batch.c). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/problem/option_table.h"
#include "tools/problem/words.h"
#include "tools/xkbench/bench.h"
#include "xekern/timing.h"

static void reset(struct xk_bench *b)
{
    for (int i = 0; i < XK_N_AXES; i++)
        strcpy(b->list[i], xk_bench_defaults[i]);
    if (b->has_match)
        regfree(&b->match);
    b->has_match = false;
}

void xk_bench_init(struct xk_bench *b)
{
    *b = (struct xk_bench){.mode = 'C'};
    strcpy(b->engine, "sim");
    strcpy(b->perf_template, "def");
    const char *const schedule = getenv("XK_SCHEDULE");
    b->env_schedule = schedule ? strdup(schedule) : NULL;
    b->progress = isatty(STDERR_FILENO);
    reset(b);
}

void xk_bench_fini(struct xk_bench *b)
{
    reset(b);
    xk_device_unref(b->device);
    b->device = NULL;
    free(b->env_schedule);
    b->env_schedule = NULL;
}

/* Checks every word now, so that a wrong one is a usage error; a word that is
 * known but not implemented becomes the problem's status later. */
static enum xk_status set_list(struct xk_bench *b, enum xk_bench_axis axis,
                               const char *value, struct xk_error *err)
{
    char word[XK_BENCH_LIST_MAX];
    if (strlen(value) >= sizeof word)
        return xk_tool_fail(err, XK_EINVAL, "%.40s...: list longer than %d",
                            value, XK_BENCH_LIST_MAX - 1);
    for (size_t i = 0; xk_bench_list_item(axis, value, i, word, sizeof word);
         i++) {
        struct xk_conv_desc scratch = XK_CONV_DESC_INIT;
        int64_t mb;
        const enum xk_status st =
            xk_bench_apply_word(axis, word, &scratch, &mb, err);
        if (st < 0 && st != XK_EUNSUPPORTED)
            return st;
    }
    strcpy(b->list[axis], value);
    return XK_OK;
}

#define LIST_SETTER(function, axis)                                            \
    static enum xk_status function(void *user, const char *value,              \
                                   struct xk_error *err)                       \
    {                                                                          \
        return set_list(user, axis, value, err);                               \
    }
LIST_SETTER(set_platform, XK_AXIS_PLATFORM)
LIST_SETTER(set_dir, XK_AXIS_DIR)
LIST_SETTER(set_dt, XK_AXIS_DT)
LIST_SETTER(set_stag, XK_AXIS_STAG)
LIST_SETTER(set_wtag, XK_AXIS_WTAG)
LIST_SETTER(set_dtag, XK_AXIS_DTAG)
LIST_SETTER(set_oscale, XK_AXIS_OSCALE)
LIST_SETTER(set_post_ops, XK_AXIS_POST_OPS)
LIST_SETTER(set_schedule, XK_AXIS_SCHEDULE)
LIST_SETTER(set_mb, XK_AXIS_MB)

/* Blanks become +, so that the text is one word in shells and batch files. */
static enum xk_status set_schedules(void *user, const char *value,
                                    struct xk_error *err)
{
    char *const list = ((struct xk_bench *)user)->list[XK_AXIS_SCHEDULE];
    const enum xk_status st = set_schedule(user, value, err);
    for (char *c = list; st == XK_OK && *c; c++)
        *c = strchr(" \t", *c) ? '+' : *c;
    return st;
}

static void engine_words(char *out, size_t out_b)
{
    xk_tool_join_words(xk_device_engine_at, out, out_b);
}

static enum xk_status set_engine(void *user, const char *value,
                                 struct xk_error *err)
{
    struct xk_bench *const b = user;
    const size_t n = strcspn(value, ":");
    const char *known;
    char words[80];
    for (uint32_t k = 0; (known = xk_device_engine_at(k)); k++)
        if (strlen(known) == n && !strncmp(known, value, n) &&
            strlen(value) < sizeof b->engine) {
            strcpy(b->engine, value);
            return XK_OK;
        }
    engine_words(words, sizeof words);
    return xk_tool_fail(err, XK_EINVAL,
                        "engine=%.80s: is none of %s, with :N for a device",
                        value, words);
}

static const struct {
    char letter;
    const char *text;
} modes[] = {
    {'C', "check (default)"}, {'R', "run"}, {'I', "init"}, {'L', "list"},
    {'P', "performance"},
};

static void mode_words(char *out, size_t out_b)
{
    size_t n = 0;
    for (size_t k = 0; k < XK_COUNTOF(modes) && n < out_b; k++)
        n += (size_t)snprintf(out + n, out_b - n, "%s%c %s", k ? ", " : "",
                              modes[k].letter, modes[k].text);
}

static enum xk_status set_mode(void *user, const char *value,
                               struct xk_error *err)
{
    struct xk_bench *const b = user;
    char words[120];
    for (size_t k = 0; k < XK_COUNTOF(modes); k++)
        if (value[0] == modes[k].letter && !value[1]) {
            b->mode = value[0];
            return XK_OK;
        }
    mode_words(words, sizeof words);
    return xk_tool_fail(err, XK_EINVAL, "mode=%.80s: is none of %s", value,
                        words);
}

static enum xk_status set_template(void *user, const char *value,
                                   struct xk_error *err)
{
    struct xk_bench *const b = user;
    if (strlen(value) >= sizeof b->perf_template)
        return xk_tool_fail(err, XK_EINVAL, "perf-template: longer than %zu",
                            sizeof b->perf_template - 1);
    const enum xk_status st = xk_bench_template_check(value, err);
    if (st < 0)
        return st;
    strcpy(b->perf_template, value);
    b->template_shown = false;
    return XK_OK;
}

static enum xk_status set_match(void *user, const char *value,
                                struct xk_error *err)
{
    struct xk_bench *const b = user;
    regex_t compiled;
    const int rc = regcomp(&compiled, value, REG_EXTENDED | REG_NOSUB);
    if (rc) {
        char why[128];
        regerror(rc, &compiled, why, sizeof why);
        return xk_tool_fail(err, XK_EINVAL, "match=%.80s: %s", value, why);
    }
    if (b->has_match)
        regfree(&b->match);
    b->match = compiled;
    b->has_match = true;
    return XK_OK;
}

static enum xk_status set_reset(void *user, const char *value,
                                struct xk_error *err)
{
    (void)value;
    (void)err;
    reset(user);
    return XK_OK;
}

static enum xk_status set_conv(void *user, const char *value,
                               struct xk_error *err)
{
    (void)user;
    (void)value;
    (void)err;
    return XK_OK;
}

static enum xk_status set_help(void *user, const char *value,
                               struct xk_error *err)
{
    (void)value;
    (void)err;
    ((struct xk_bench *)user)->help = true;
    return XK_OK;
}

static enum xk_status set_hash(void *user, const char *value,
                               struct xk_error *err)
{
    (void)value;
    (void)err;
    ((struct xk_bench *)user)->hash = true;
    return XK_OK;
}

static enum xk_status set_time(struct xk_bench *b, const char *option,
                               const char *value, struct xk_error *err)
{
    int64_t waves = 0;
    const enum xk_status st =
        xk_word_int(option, value, 0, UINT32_MAX, &waves, err);
    b->waves = (uint32_t)waves;
    b->time_only = st == XK_OK;
    b->bound = false;
    return st;
}

static enum xk_status set_timing(void *user, const char *value,
                                 struct xk_error *err)
{
    struct xk_bench *const b = user;
    if (strlen(value) >= sizeof b->timing)
        return xk_tool_fail(err, XK_EINVAL, "timing=%.40s...: longer than %zu",
                            value, sizeof b->timing - 1);
    strcpy(b->timing, value);
    return xk_timing_check(value, NULL, err);
}

static enum xk_status set_time_only(void *user, const char *value,
                                    struct xk_error *err)
{
    return set_time(user, "time-only", value, err);
}

static enum xk_status set_time_bound(void *user, const char *value,
                                     struct xk_error *err)
{
    const enum xk_status st = set_time(user, "time-bound", value, err);
    ((struct xk_bench *)user)->bound = st == XK_OK;
    return st;
}

static enum xk_status set_batch(void *user, const char *value,
                                struct xk_error *err)
{
    return xk_bench_batch(user, value, err);
}

static const struct xk_tool_option options[] = {
    {"engine", 0, "ENGINE",
     "{} (default: sim); the simulator, Level Zero, OpenCL; ze:1 is the second "
     "device",
     set_engine, .words = engine_words},
    {"platform", 0, "LIST", "{} (default: the device's; sim: xehpg)",
     set_platform, .words = xk_words_of_platforms},
    {"mode", 0, "LETTER", "{}", set_mode, .words = mode_words},
    {"dir", 0, "LIST", "{} (default: FWD_B)", set_dir,
     .words = xk_words_of_props},
    {"dt", 0, "LIST", "{}, or src:wei:dst (default: f32)", set_dt,
     .words = xk_words_of_types},
    {"stag", 0, "LIST", "layout of the source: any (default), axb, ...",
     set_stag},
    {"wtag", 0, "LIST", "layout of the weights", set_wtag},
    {"dtag", 0, "LIST", "layout of the destination", set_dtag},
    {"attr-oscale", 0, "LIST", "common:FACTOR of convolution and bias",
     set_oscale},
    {"attr-post-ops", 0, "LIST", "{}; several joined with +; sum:FACTOR",
     set_post_ops, .words = xk_words_of_post_ops},
    {"schedule", 0, "LIST",
     "fields of the schedule joined by + or blanks, as XK_SCHEDULE; ';' "
     "between schedules",
     set_schedules},
    {"mb", 0, "LIST", "minibatch instead of the problem's (0: keep)", set_mb},
    {"match", 0, "REGEX", "only problems whose line matches", set_match},
    {"perf-template", 0, "TEXT", "def, csv, or text with %symbols%",
     set_template},
    {"hash", 0, NULL, "modes C and R: a hash of the destination's bytes",
     set_hash},
    {"timing", 0, "MACHINE",
     "mode P, engine sim: the machine of the predicted time; "
     "a770:gather=component sets a hypothesis, :all times each "
     "(docs/timing.md)",
     set_timing},
    {"time-only", 0, "N",
     "mode P, engine sim: %ptime% and %cycles% alone, nothing is computed; "
     "of a core N waves are modelled, 0: as many as without this",
     set_time_only},
    {"time-bound", 0, "N",
     "the same, a lower bound: all that is loaded is in L2; much faster",
     set_time_bound},
    {"batch", 0, "FILE", "more arguments, one or more a line, # comments",
     set_batch},
    {"reset", 0, NULL, "back to the default settings", set_reset},
    {"conv", 0, NULL, "accepted, so that benchdnn's lines can be pasted",
     set_conv},
    {"help", 'h', NULL, "this text", set_help},
};

void xk_bench_help(FILE *out)
{
    fputs("usage: xkbench [OPTION | PROBLEM]...\n"
          "An option holds for the problems after it; lists are separated by\n"
          "commas and multiply. A problem is benchdnn's, for example\n"
          "  mb2ic3ih32oc16oh16kh3sh2ph1n\"my\"\n\n",
          out);
    xk_tool_option_help(options, XK_COUNTOF(options), out);
    xk_bench_template_help(out);
    fputs(
        "\nMode P predicts times with --engine=sim (docs/timing.md). Modes C,\n"
        "R and I print a --perf-template other than def, too.\n"
        "\nXK_DUMP=schedule writes the candidates with their scores below\n"
        "XK_DUMP_DIR; --schedule=\"fma=dpasw slm=3 tg=4x2 slots=1,2\" sets "
        "fields\n"
        "of the first one (docs/kernels.md).\n"
        "\nexit: 0 fine, 1 a problem FAILED, is UNIMPLEMENTED or has\n"
        "INVALID_ARGUMENTS, 2 usage, 77 everything SKIPPED\n",
        out);
}

static enum xk_status set_problem(void *user, const char *value,
                                  struct xk_error *err)
{
    struct xk_bench *const b = user;
    if (b->help)
        return XK_OK;
    b->unused[0] = 0;
    if (strcmp(b->perf_template, "def") != 0 && b->mode == 'L')
        return xk_tool_fail(err, XK_EINVAL,
                            "perf-template: does nothing in mode=L");
    if (b->time_only && b->mode != 'P')
        return xk_tool_fail(err, XK_EINVAL,
                            "%s: does nothing in mode=%c, only in mode P",
                            b->bound ? "time-bound" : "time-only", b->mode);
    if (b->time_only && strncmp(b->engine, "sim", 3) != 0)
        return xk_tool_fail(err, XK_EINVAL,
                            "%s: does nothing with engine=%s, only with sim",
                            b->bound ? "time-bound" : "time-only", b->engine);
    if (*b->timing && (b->mode != 'P' || strncmp(b->engine, "sim", 3) != 0))
        return xk_tool_fail(
            err, XK_EINVAL,
            "timing=%s: does nothing in mode=%c with engine=%s, "
            "only in mode P with sim",
            b->timing, b->mode, b->engine);
    if (b->hash && !strchr("CR", b->mode))
        return xk_tool_fail(err, XK_EINVAL,
                            "hash: does nothing in mode=%c, only in C and R",
                            b->mode);
    xk_bench_run_product(b, value);
    return XK_OK;
}

/* Does the option do something only for problems behind it? */
bool xk_bench_waits(const char *word)
{
    static const char *const idle[] = {"--help", "-h", "--reset", "--conv"};
    if (word[0] != '-' || !strncmp(word, "--batch=", 8))
        return false;
    for (size_t k = 0; k < XK_COUNTOF(idle); k++)
        if (!strcmp(word, idle[k]))
            return false;
    return true;
}

enum xk_status xk_bench_unused(const char *option, struct xk_error *err)
{
    return xk_tool_fail(err, XK_EINVAL,
                        "%.400s: stands behind the last problem; an option "
                        "holds for the problems after it",
                        option);
}

enum xk_status xk_bench_check_order(int n, const char *const *args,
                                    struct xk_error *err)
{
    int last = n;
    while (last && args[last - 1][0] == '-' &&
           strncmp(args[last - 1], "--batch=", 8) != 0)
        last--;
    for (int i = last; last && i < n; i++)
        if (xk_bench_waits(args[i]))
            return xk_bench_unused(args[i], err);
    return XK_OK;
}

enum xk_status xk_bench_arguments(struct xk_bench *b, int n,
                                  const char *const *args, struct xk_error *err)
{
    return xk_tool_arguments(options, XK_COUNTOF(options), n, args, set_problem,
                             b, err);
}
