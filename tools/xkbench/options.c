/* SPDX-License-Identifier: Apache-2.0 */
/* The option state machine: an option holds for the problems after it, lists
 * make a cross product (problems.c), --reset goes back to the defaults, --batch
 * reads more arguments from a file (batch.c). */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/problem/option_table.h"
#include "tools/problem/words.h"
#include "tools/xkbench/bench.h"
#include "xekern/timing.h"

/* False: no memory; the list stays. */
static bool store(struct xk_bench *b, int axis, const char *value)
{
    char *const copy = strdup(value);
    if (!copy)
        return false;
    free(b->list[axis]);
    b->list[axis] = copy;
    return true;
}

static void reset(struct xk_bench *b)
{
    for (int i = 0; i < XK_N_AXES; i++)
        store(b, i, xk_bench_default(i));
    if (b->has_match)
        regfree(&b->match);
    b->has_match = false;
    xk_bench_reset_peer_options(b);
}

void xk_bench_init(struct xk_bench *b)
{
    *b = (struct xk_bench){.mode = 'C', .repeats = 1};
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
    for (int i = 0; i < XK_N_AXES; i++)
        free(b->list[i]);
    for (size_t i = 0; i < b->n_folders; i++)
        free(b->folder[i]);
    xk_device_unref(b->device);
    b->device = NULL;
    free(b->env_schedule);
    b->env_schedule = NULL;
}

/* Checks every word now, so that a wrong one is a usage error. A word that is
 * known but not implemented becomes the problem's status later. An empty value
 * restores the default. */
static enum xk_status set_list(void *user, uint32_t axis, const char *value,
                               struct xk_error *err)
{
    char *word;
    enum xk_status st = XK_OK;
    if (!*value)
        value = xk_bench_default((int)axis);
    for (size_t i = 0;
         st != XK_EINVAL && (word = xk_bench_list_item((int)axis, value, i));
         i++) {
        st = axis < XK_N_CONV_OPTIONS ? xk_conv_word_check(axis, word, err)
                                      : XK_OK; /* the library judges it */
        free(word);
    }
    if (st < 0 && st != XK_EUNSUPPORTED)
        return st;
    return store(user, (int)axis, value)
               ? XK_OK
               : xk_tool_fail(err, XK_ENOMEM, "%.40s...: no memory", value);
}

/* Blanks become +, so that the text is one word in shells and batch files. */
static enum xk_status set_schedules(void *user, const char *value,
                                    struct xk_error *err)
{
    const enum xk_status st = set_list(user, XK_AXIS_SCHEDULE, value, err);
    char *const list = ((struct xk_bench *)user)->list[XK_AXIS_SCHEDULE];
    for (char *c = list; st == XK_OK && *c; c++)
        *c = strchr(" \t", *c) ? '+' : *c;
    return st;
}

static void engine_words(char *out, size_t out_b)
{
    xk_tool_join_words(xk_device_engine_at, out, out_b);
}

/* "", or :N. */
static bool is_device_number(const char *text)
{
    int64_t n;
    return !*text || (*text == ':' && xk_word_digits(text + 1, &n) && n >= 0);
}

static enum xk_status set_engine(void *user, const char *given,
                                 struct xk_error *err)
{
    struct xk_bench *const b = user;
    const char *const value = *given ? given : "sim";
    const size_t n = strcspn(value, ":");
    const char *known;
    char words[80];
    b->refusal[0] = 0;
    if (n == 3 && !strncmp(value, "cpu", 3) &&
        strlen(value) < sizeof b->engine) {
        strcpy(b->engine, value); /* the line says what was asked */
        snprintf(b->refusal, sizeof b->refusal,
                 "engine=%.20s: kernels are for GPUs", value);
        return XK_OK;
    }
    if (n == 3 && !strncmp(value, "gpu", 3) && is_device_number(value + n) &&
        strlen(value) < sizeof b->engine) { /* the one that is always there */
        snprintf(b->engine, sizeof b->engine, "sim%s",
                 strcmp(value + n, ":0") ? value + n : "");
        return XK_OK;
    }
    for (uint32_t k = 0; (known = xk_device_engine_at(k)); k++)
        if (strlen(known) == n && !strncmp(known, value, n) &&
            is_device_number(value + n) && strlen(value) < sizeof b->engine) {
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
    {'C', "check (default)"},
    {'R', "run"},
    {'I', "init"},
    {'L', "list"},
    {'P', "performance"},
    {'F', "P of 10 ms a problem"},
    {'B', "two runs, equal bytes"},
    {'S', "R once"},
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
    char letters[3 * XK_COUNTOF(modes) + 1] = "";
    const char letter = (char)toupper((unsigned char)(*value ? *value : 'C'));
    for (size_t k = 0; k < XK_COUNTOF(modes); k++)
        if (letter == modes[k].letter && (!*value || !value[1])) {
            b->mode = letter == 'F' ? 'P' : letter == 'S' ? 'R' : letter;
            b->max_ms = letter == 'F' ? 10 : b->max_ms;
            return XK_OK;
        }
    for (size_t k = 0; k < XK_COUNTOF(modes); k++)
        snprintf(letters + strlen(letters), sizeof letters - strlen(letters),
                 "%s%c", k ? ", " : "", modes[k].letter);
    return xk_tool_fail(err, XK_EINVAL, "mode=%.80s: is none of %s", value,
                        letters);
}

static enum xk_status set_template(void *user, const char *given,
                                   struct xk_error *err)
{
    struct xk_bench *const b = user;
    const char *const value = *given ? given : "def";
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
    const int rc = regcomp(&compiled, value, REG_NOSUB);
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
    (void)value;
    (void)err;
    ((struct xk_bench *)user)->deconv = false;
    return XK_OK;
}

static enum xk_status set_deconv(void *user, const char *value,
                                 struct xk_error *err)
{
    (void)value;
    (void)err;
    ((struct xk_bench *)user)->deconv = true;
    return XK_OK;
}

/* Whole numbers of benchdnn's options: the option, least, which is the default
 * and stands for what is below it, most, and where it goes. */
#define COUNT_SETTER(function, option, least, most, field)                     \
    static enum xk_status function(void *user, const char *value,              \
                                   struct xk_error *err)                       \
    {                                                                          \
        struct xk_bench *const b = user;                                       \
        int64_t n = least;                                                     \
        const enum xk_status st =                                              \
            *value ? xk_word_int(option, value, INT64_MIN, most, &n, err)      \
                   : XK_OK;                                                    \
        if (st >= 0)                                                           \
            b->field = n < least ? least : n;                                  \
        return st;                                                             \
    }
COUNT_SETTER(set_fix_times, "fix-times-per-prb", 0, INT32_MAX, fix_times)
COUNT_SETTER(set_repeats, "repeats-per-prb", 1, INT32_MAX, repeats)
COUNT_SETTER(set_start, "start", 0, INT64_MAX, start)

/* Milliseconds may be broken; benchdnn's limits stand for what is beyond. */
static enum xk_status set_max_ms(void *user, const char *value,
                                 struct xk_error *err)
{
    struct xk_bench *const b = user;
    char *end;
    const double ms = strtod(value, &end);
    if (*value && (end == value || *end || isnan(ms)))
        return xk_tool_fail(err, XK_EINVAL,
                            "max-ms-per-prb=%.80s: is no number", value);
    b->max_ms = *value ? (uint32_t)fmin(fmax(ms, 10), 60000) : 0;
    return XK_OK;
}

static enum xk_status set_modifier(void *user, const char *value,
                                   struct xk_error *err)
{
    if (value[strspn(value, "pPmM")])
        return xk_tool_fail(err, XK_EINVAL,
                            "mode-modifier=%.40s: letters are P and M", value);
    ((struct xk_bench *)user)->no_reference = strpbrk(value, "mM") != NULL;
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
    {"mode", 0, "LETTER", "{}", set_mode, .words = mode_words},
#define XK_CONV_OPTION(id, name, initial, fields, read, known, help)           \
    {name,                                                                     \
     0,                                                                        \
     "LIST",                                                                   \
     help,                                                                     \
     .words = known,                                                           \
     .set_row = set_list,                                                      \
     .row = XK_OPT_##id},
#include "tools/problem/conv_option.def"
#undef XK_CONV_OPTION
    {"schedule", 0, "LIST",
     "what is fixed of the schedule, fields joined by + or blanks as in "
     "XK_SCHEDULE: the search chooses the others; ';' between schedules",
     set_schedules},
    {"match", 0, "REGEX",
     "only problems whose line matches, a basic regular expression", set_match},
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
     "mode P, engine sim: only %ptime% and %cycles%, no results are "
     "computed; N waves of a core are modelled, 0: as many as without this",
     set_time_only},
    {"time-bound", 0, "N",
     "the same, but a lower bound: everything loaded is in L2; much faster",
     set_time_bound},
    {"batch", 0, "FILE", "more arguments, one or more a line, # comments",
     set_batch},
    {"reset", 0, NULL, "back to the default settings", set_reset},
    {"conv", 0, NULL, "problems behind it are convolutions (default)",
     set_conv},
    {"deconv", 0, NULL, "problems behind it are deconvolutions", set_deconv},
    {"fix-times-per-prb", 0, "N", "mode P, not sim: so many runs (0: by time)",
     set_fix_times},
    {"max-ms-per-prb", 0, "MS", "mode P, not sim: time for the runs",
     set_max_ms},
    {"repeats-per-prb", 0, "N", "each problem so many times", set_repeats},
    {"start", 0, "INDEX", "problems before it are SKIPPED", set_start},
    {"mode-modifier", 0, "LETTERS", "P and M; no effect, M not in mode C",
     set_modifier},
#define XK_PEER_OPTION(id, name, letter, kind, scope, words, keeps, modes,     \
                       help)                                                   \
    {name,                                                                     \
     letter,                                                                   \
     "VALUE",                                                                  \
     help,                                                                     \
     .set_row = xk_bench_set_peer_option,                                      \
     .row = XK_PEER_##id},
#include "tools/xkbench/peer_option.def"
#undef XK_PEER_OPTION
    {"help", 'h', NULL, "this text", set_help},
};

/* Two lines a field: what it takes with values worth a try, and what it means.
 */
static void schedule_help(FILE *out)
{
    struct xk_schedule_field_info f;
    fprintf(out, "\nfields of --schedule:\n");
    for (uint32_t i = 0; xk_schedule_field_at(i, &f); i++) {
        const char pair[] = {'N', f.between, 'N', 0};
        fprintf(out, "  %s=%s  %s\n      %s\n", f.name,
                f.words     ? "WORD"
                : f.between ? pair
                            : "N",
                f.values, f.meaning);
    }
}

void xk_bench_help(FILE *out)
{
    fputs(XK_BENCH_USAGE
          "An option holds for the problems after it; lists are separated by\n"
          "commas and multiply. A problem is benchdnn's, for example\n"
          "  mb2ic3ih32oc16oh16kh3sh2ph1n\"my\"\n\n",
          out);
    xk_tool_option_help(options, XK_COUNTOF(options), out);
    schedule_help(out);
    xk_bench_template_help(out);
    fputs(
        "\nMode P predicts times with --engine=sim (docs/timing.md). Modes C,\n"
        "R and I print a --perf-template other than def, too.\n"
        "\nXK_DUMP=schedule writes the candidates with their scores below\n"
        "XK_DUMP_DIR; --schedule=\"fma=dpasw slm=3 tg=4x2 slots=1,2\" fixes "
        "fields,\n"
        "and the search chooses the others (docs/kernels.md).\n"
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
    if (b->no_reference && b->mode == 'C')
        return xk_tool_fail(err, XK_EINVAL,
                            "mode-modifier=M: mode=C needs a reference");
    return xk_bench_run_product(b, value)
               ? XK_OK
               : xk_tool_fail(err, XK_ENOMEM, "%.100s: no memory", value);
}

/* Does the option do something only for problems behind it? */
bool xk_bench_waits(const char *word)
{
    static const char *const idle[] = {"--help", "-h", "--reset"};
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
    const struct xk_tool_syntax syntax = {options, XK_COUNTOF(options),
                                          set_problem, .in_turn = true};
    return xk_tool_arguments(&syntax, n, args, b, err);
}
