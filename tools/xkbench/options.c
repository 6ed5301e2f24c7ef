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

static enum xk_status set_engine(void *user, const char *value,
                                 struct xk_error *err)
{
    static const char *const known[] = {"sim", "ze", "ocl"};
    struct xk_bench *const b = user;
    const size_t n = strcspn(value, ":");
    for (size_t i = 0; i < XK_COUNTOF(known); i++)
        if (strlen(known[i]) == n && !strncmp(known[i], value, n) &&
            strlen(value) < sizeof b->engine) {
            strcpy(b->engine, value);
            return XK_OK;
        }
    return xk_tool_fail(err, XK_EINVAL,
                        "engine=%s: want sim, ze or ocl, and :N for a device",
                        value);
}

static enum xk_status set_mode(void *user, const char *value,
                               struct xk_error *err)
{
    struct xk_bench *const b = user;
    if (strlen(value) != 1 || !strchr("CRILP", value[0]))
        return xk_tool_fail(err, XK_EINVAL, "mode=%s: want C, R, I, L or P",
                            value);
    b->mode = value[0];
    return XK_OK;
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
    {"engine", 0, "sim|ze|ocl",
     "simulator, Level Zero or OpenCL; ze:1 is the second device", set_engine},
    {"platform", 0, "LIST",
     "xehpg, xelp, xehpc (default: the device's; sim: xehpg)", set_platform},
    {"mode", 0, "C|R|I|L|P", "check (default), run, init, list, performance",
     set_mode},
    {"dir", 0, "LIST", "FWD_B (default), FWD_D, FWD_I, BWD_D, BWD_W, BWD_WB",
     set_dir},
    {"dt", 0, "LIST", "one type (f32, default), src:wei:dst, u8s8, s8u8, ...",
     set_dt},
    {"stag", 0, "LIST", "layout of the source: any (default), axb, ...",
     set_stag},
    {"wtag", 0, "LIST", "layout of the weights", set_wtag},
    {"dtag", 0, "LIST", "layout of the destination", set_dtag},
    {"attr-oscale", 0, "LIST", "common:FACTOR of convolution and bias",
     set_oscale},
    {"attr-post-ops", 0, "LIST", "relu, sum[:FACTOR]; several joined with +",
     set_post_ops},
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
    fputs(
        "\nSymbols of --perf-template, with benchdnn's modifiers (- best,\n"
        "0 average, + worst, then K M G):\n"
        "  %prb% %desc% %name% %engine% %platform% %dir% %dt% %stag% %wtag%\n"
        "  %dtag% %attr% %impl% %ops% %flops% %bw% %ibytes% %obytes%\n"
        "  %iobytes% %time% %ctime% %qtime% (ms) %code% %peak% (bytes)\n"
        "  %instr% %fma% %sends% executed, %xipf% executed and %sipf% static\n"
        "  instructions per FMA instruction, %ipf% and %spf% instructions and\n"
        "  syncs for each FMA instruction of the innermost loop with 80 % of\n"
        "  them (of all the code if no loop has), %grf% registers used at "
        "most,\n"
        "  %sched% the schedule, %sinstr% instructions in the code,\n"
        "  %threads% per group, %groups%.\n"
        "%time% is between the driver's own timestamps; with --engine=sim it\n"
        "is the host's time for the simulation. With --engine=sim mode P also\n"
        "predicts %ptime% (ms), %cycles% and %eff%, the part of the\n"
        "machine's limit for the problem's operations or tensors, and\n"
        "%opeff%, of that for operations alone, and %shares%, where the\n"
        "cycles of the last launch went (docs/timing.md). Modes\n"
        "C and R print a --perf-template other than def too; %ipf% and %spf%\n"
        "are counted by the simulator and 0 with other engines.\n"
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
    if (b->time_only && b->mode != 'P')
        return xk_tool_fail(err, XK_EINVAL,
                            "%s: does nothing in mode=%c, only in mode P",
                            b->bound ? "time-bound" : "time-only", b->mode);
    if (b->hash && !strchr("CR", b->mode))
        return xk_tool_fail(err, XK_EINVAL,
                            "hash: does nothing in mode=%c, only in C and R",
                            b->mode);
    xk_bench_run_product(b, value);
    return XK_OK;
}

enum xk_status xk_bench_check_order(int n, const char *const *args,
                                    struct xk_error *err)
{
    static const char *const idle[] = {"--help", "-h", "--reset", "--conv"};
    int last = n;
    while (last && args[last - 1][0] == '-' &&
           strncmp(args[last - 1], "--batch=", 8) != 0)
        last--;
    for (int i = last; last && i < n; i++) {
        bool is_idle = false;
        for (size_t k = 0; k < XK_COUNTOF(idle); k++)
            is_idle = is_idle || !strcmp(args[i], idle[k]);
        if (!is_idle)
            return xk_tool_fail(err, XK_EINVAL,
                                "%.200s: stands behind the last problem; an "
                                "option holds for the problems after it",
                                args[i]);
    }
    return XK_OK;
}

enum xk_status xk_bench_arguments(struct xk_bench *b, int n,
                                  const char *const *args, struct xk_error *err)
{
    return xk_tool_arguments(options, XK_COUNTOF(options), n, args, set_problem,
                             b, err);
}
