/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of xk run. */
#include <stdio.h>
#include <string.h>

#include "tools/problem/option_table.h"
#include "tools/problem/output.h"
#include "tools/problem/words.h"
#include "tools/xk/look_words.h"
#include "tools/xk/run_verb.h"

/* "X", "X,Y" or "X,Y,Z"; what is missing is `rest`. */
static bool read_triple(const char *text, uint32_t least, uint32_t rest,
                        uint32_t out[3])
{
    for (unsigned d = 0; d < 3; d++)
        out[d] = rest;
    for (unsigned d = 0; d < 3; d++) {
        char part[16] = "";
        uint64_t v;
        const size_t n = strcspn(text, ",");
        if (n < sizeof part)
            memcpy(part, text, n);
        if (!xk_run_number(part, UINT32_MAX, &v) || v < least)
            return false;
        out[d] = (uint32_t)v;
        if (!text[n])
            return true;
        text += n + 1;
    }
    return false;
}

static enum xk_status set_triple(const char *name, const char *value,
                                 uint32_t out[3], struct xk_error *err)
{
    if (read_triple(value, 1, 1, out))
        return XK_OK;
    return xk_tool_fail(err, XK_EINVAL,
                        "%s=%.100s: not X, X,Y or X,Y,Z, each of 1..%u", name,
                        value, UINT32_MAX);
}

enum xk_status xk_run_number_set(const char *name, const char *value,
                                 uint64_t max, uint64_t *out,
                                 struct xk_error *err)
{
    if (xk_run_number(value, max, out))
        return XK_OK;
    return xk_tool_fail(err, XK_EINVAL, "%s=%.100s: not a number of 0..%llu",
                        name, value, (unsigned long long)max);
}

static struct xk_run_request *run_request_of(void *user)
{
    return user;
}

#define REQUEST_OF run_request_of
#include "tools/xk/option_setters.h"

WORD(set_capture, capture)
WORD(set_trace, trace)
WORD(set_output, output)
FLAG(set_stats, stats)
FLAG(set_json, json)
FLAG(set_help, help)
NUMBER(set_threads, "threads", host_threads, 1024)
POSITIVE(set_limit, "limit", look.inst_limit)
GIVEN_NUMBER(set_waves, "timing-waves", timing_waves, UINT32_MAX, sets_waves)
GIVEN_NUMBER(set_seed, "seed", look.hazard_seed, UINT64_MAX, sets_seed)
NUMBER(set_group_seed, "group-seed", look.group_seed, UINT64_MAX)

/* A fact of raw code; a zebin says it itself. */
#define CODE_NUMBER(name, word, k, max)                                        \
    SETTER(name)                                                               \
    {                                                                          \
        run_request_of(user)->sets_code = word;                                \
        run_request_of(user)->sets_number[k] = true;                           \
        return xk_run_number_set(word, value, max,                             \
                                 &run_request_of(user)->code_number[k], err);  \
    }
CODE_NUMBER(set_simd, "simd", 0, 32)
CODE_NUMBER(set_grf, "grf", 1, 256)
CODE_NUMBER(set_barriers, "barriers", 2, 32)
CODE_NUMBER(set_scratch, "scratch", 3, 1 << 20)
CODE_NUMBER(set_inline, "inline", 4, 64)

SETTER(set_ids)
{
    (void)value;
    (void)err;
    run_request_of(user)->sets_code = "ids";
    run_request_of(user)->code.local_ids = true;
    return XK_OK;
}

SETTER(set_check)
{
    run_request_of(user)->look.checks = value;
    return xk_look_checks_known(value, err);
}

SETTER(set_timing)
{
    run_request_of(user)->look.timing = value;
    return xk_look_machine_known(value, err);
}

SETTER(set_groups)
{
    run_request_of(user)->sets_groups = true;
    return set_triple("groups", value, run_request_of(user)->groups, err);
}

SETTER(set_local)
{
    return set_triple("local", value, run_request_of(user)->local, err);
}

SETTER(set_platform)
{
    return xk_platform_option(value, &run_request_of(user)->platform, err);
}

/* "N:FILE", of a program also "NAME:FILE", of a capture "ADDRESS:BYTES:FILE".
 */
SETTER(set_out)
{
    struct xk_run_request *const r = user;
    char part[2][32] = {"", ""};
    const char *const colon = strchr(value, ':');
    const char *const second = colon ? strchr(colon + 1, ':') : NULL;
    if (r->n_outs == XK_RUN_OUTS_MAX)
        return xk_tool_fail(err, XK_EINVAL, "out=%.100s: one too many", value);
    struct xk_run_out *const o = &r->out[r->n_outs++];
    if (!colon || colon - value >= 32)
        return xk_tool_fail(err, XK_EINVAL, "out=%.100s: not N:FILE", value);
    memcpy(part[0], value, (size_t)(colon - value));
    o->path = colon + 1;
    if (second && second - colon < 32)
        memcpy(part[1], colon + 1, (size_t)(second - colon - 1));
    if (r->capture && xk_run_number(part[1], UINT64_C(1) << 32, &o->size_b))
        o->path = second + 1;
    else if (r->capture)
        return xk_tool_fail(err, XK_EINVAL,
                            "out=%.100s: of a capture not ADDRESS:BYTES:FILE",
                            value);
    if (xk_run_number(part[0], UINT64_MAX, &o->number) && *o->path)
        return XK_OK;
    if (!r->capture && *part[0] && *o->path) {
        strcpy(o->name, part[0]);
        return XK_OK;
    }
    return xk_tool_fail(err, XK_EINVAL, "out=%.100s: not %s:FILE", value,
                        r->capture ? "ADDRESS:BYTES" : "N");
}

/* "X,Y,Z:T" or "X:T" */
SETTER(set_trace_thread)
{
    struct xk_run_request *const r = user;
    char group[64] = "";
    const size_t n = strcspn(value, ":");
    uint64_t thread = 0;
    if (n < sizeof group)
        memcpy(group, value, n);
    r->look.trace_one = true;
    if (!value[n] || !read_triple(group, 0, 0, r->look.trace_group) ||
        !xk_run_number(value + n + 1, 1023, &thread))
        return xk_tool_fail(err, XK_EINVAL,
                            "trace-thread=%.100s: not GROUP:THREAD, such as "
                            "0,1,0:3",
                            value);
    r->look.trace_thread = (uint32_t)thread;
    return XK_OK;
}

static const struct xk_tool_option options[] = {
    {"groups", 'g', "X,Y,Z", "thread groups (1,1,1)", set_groups, true},
    {"local", 'l', "X,Y,Z",
     "work items of a group (what the kernel requires, else 1,1,1)", set_local,
     true},
    {"out", 0, "N:FILE",
     "writes argument N, counted from 0, after the run; of a program also "
     "NAME:FILE",
     set_out, true, .many = true},
    {"check", 0, "LIST", "some of {}", set_check, true,
     .words = xk_look_check_words},
    {"seed", 0, "N",
     "for hazard: random latencies from this seed; 0: the worst case", set_seed,
     true},
    {"group-seed", 0, "N",
     "groups start in an order drawn from this; 0: in that of their numbers",
     set_group_seed, true},
    {"trace", 0, "FILE",
     "writes each instruction executed and the registers that it changed",
     set_trace, true},
    {"trace-thread", 0, "GROUP:THREAD",
     "traces only this thread, such as 0,1,0:3", set_trace_thread, true},
    {"stats", 0, NULL, "counts opcodes, messages and each instruction",
     set_stats},
    {"timing", 0, "MACHINE",
     "predicts the time on {} (else on the platform's first)", set_timing,
     .maybe = true, .words = xk_look_machine_words},
    {"timing-waves", 0, "N",
     "models N waves of a core's groups in detail; 0 (default): some",
     set_waves, true},
    {"json", 0, NULL, "prints the report as a JSON list of launches", set_json},
    {"output", 'o', "FILE", "writes the report; - (default) is stdout",
     set_output, true},
    {"threads", 't', "N", "host threads; 0 (default): all cores", set_threads,
     true},
    {"limit", 0, "N", "instructions that a thread may execute (2^28)",
     set_limit, true},
    {"aub", 0, "FILE",
     "the launches of a capture; then --out ADDRESS:BYTES:FILE", set_capture,
     true},
    {"platform", 'p', "PLATFORM", "raw code is for this one: {}", set_platform,
     true, .words = xk_words_of_platforms},
    {"simd", 0, "N", "lanes of raw code (16)", set_simd, true},
    {"grf", 0, "N", "registers of raw code (128)", set_grf, true},
    {"barriers", 0, "N", "barriers of raw code (0)", set_barriers, true},
    {"scratch", 0, "BYTES", "scratch of a thread of raw code (0)", set_scratch,
     true},
    {"inline", 0, "BYTES", "arguments that raw code gets in registers (0)",
     set_inline, true},
    {"ids", 0, NULL, "raw code gets local ids", set_ids},
    {"help", 'h', NULL, "this text", set_help},
};
#define N_OPTIONS (sizeof options / sizeof options[0])

static enum xk_status set_plain_word(void *user, const char *value,
                                     struct xk_error *err)
{
    struct xk_run_request *const r = user;
    if (!r->capture && !r->file) {
        r->file = value;
    } else if (!r->capture && !r->kernel && !r->n_words &&
               !strpbrk(value, ":=")) {
        r->kernel = value;
    } else if (r->capture) {
        return xk_tool_fail(err, XK_EINVAL,
                            "%.200s: a capture has its own arguments", value);
    } else {
        if (r->n_words == XK_RUN_ARGS_MAX)
            return xk_tool_fail(err, XK_EINVAL,
                                "%.200s: more than %u arguments", value,
                                XK_RUN_ARGS_MAX);
        r->word[r->n_words++] = value;
    }
    return XK_OK;
}

/* The file of "buf:FILE" or "NAME=buf:FILE"; NULL: it is another word. */
static const char *file_of(const char *word)
{
    const size_t n = strcspn(word, "=:");
    const char *const arg = word[n] == '=' ? word + n + 1 : word;
    return strncmp(arg, "buf:", 4) ? NULL : arg + 4;
}

/* Refuses an output (report, trace, argument) that is also another output or an
 * input. */
static enum xk_status check_files(const struct xk_run_request *r,
                                  struct xk_error *err)
{
    struct xk_tool_file_use use[4 + XK_RUN_OUTS_MAX + XK_RUN_ARGS_MAX] = {
        {"output", r->output, true},
        {"trace", r->trace, true},
        {"the kernel's file", r->file, false},
        {"the capture", r->capture, false}};
    size_t n = 4;
    for (unsigned k = 0; k < r->n_outs; k++)
        use[n++] = (struct xk_tool_file_use){"out", r->out[k].path, true};
    for (unsigned k = 0; k < r->n_words; k++)
        if (file_of(r->word[k]))
            use[n++] = (struct xk_tool_file_use){"an argument's file",
                                                 file_of(r->word[k]), false};
    return xk_tool_files_distinct(use, n, err);
}

/* Refuses options that would do nothing together with the others. */
static enum xk_status check_run_effects(const struct xk_run_request *r,
                                        struct xk_error *err)
{
    if (r->look.trace_one && !r->trace)
        return xk_tool_fail(err, XK_EINVAL,
                            "trace-thread: does nothing without --trace=FILE");
    if (r->sets_waves && !r->look.timing)
        return xk_tool_fail(err, XK_EINVAL,
                            "timing-waves=%llu: does nothing without --timing",
                            (unsigned long long)r->timing_waves);
    if (r->sets_seed && !xk_look_checks_has(r->look.checks, "hazard"))
        return xk_tool_fail(err, XK_EINVAL,
                            "seed=%llu: does nothing without --check=hazard",
                            (unsigned long long)r->look.hazard_seed);
    if (r->capture && (r->local[0] || r->sets_groups || r->sets_code))
        return xk_tool_fail(err, XK_EINVAL,
                            "%s: does nothing with --aub; the capture says it",
                            r->local[0]      ? "local"
                            : r->sets_groups ? "groups"
                                             : r->sets_code);
    return XK_OK;
}

/* A program's file says how it is launched. */
static enum xk_status check_program(const struct xk_run_request *r,
                                    struct xk_error *err)
{
    const char *const idle = r->local[0]      ? "local"
                             : r->sets_groups ? "groups"
                                              : r->sets_code;
    return idle ? xk_tool_fail(err, XK_EINVAL,
                               "%s: does nothing without a kernel's name "
                               "behind the file (raw code: 'code'); a "
                               "program's file says it",
                               idle)
                : XK_OK;
}

static enum xk_status check_outs(const struct xk_run_request *r,
                                 struct xk_error *err)
{
    for (unsigned k = 0; k < r->n_outs; k++) {
        const struct xk_run_out *const o = &r->out[k];
        if (*o->name)
            return xk_tool_fail(err, XK_EINVAL,
                                "out=%s:%.100s: not N:FILE; names are a "
                                "program's",
                                o->name, o->path);
        if (o->number >= r->n_words)
            return xk_tool_fail(err, XK_EINVAL,
                                "out=%llu: there are %u arguments",
                                (unsigned long long)o->number, r->n_words);
    }
    return XK_OK;
}

static enum xk_status check_request(const struct xk_run_request *r,
                                    struct xk_error *err)
{
    const uint64_t simd = r->code_number[0], grf = r->code_number[1];
    if (check_run_effects(r, err) < 0 || check_files(r, err) < 0)
        return err->status;
    if (r->capture && r->file)
        return xk_tool_fail(err, XK_EINVAL,
                            "%.200s: a capture has its own arguments", r->file);
    if (r->capture)
        return XK_OK;
    if (!r->file)
        return xk_tool_fail(err, XK_EINVAL, "no file given");
    if (!r->kernel)
        return check_program(r, err);
    if (r->sets_number[0] && simd != 1 && simd != 8 && simd != 16 && simd != 32)
        return xk_tool_fail(err, XK_EINVAL, "simd=%llu: not 1, 8, 16 or 32",
                            (unsigned long long)simd);
    if (r->sets_number[1] && grf != 128 && grf != 256)
        return xk_tool_fail(err, XK_EINVAL, "grf=%llu: not 128 or 256",
                            (unsigned long long)grf);
    return check_outs(r, err);
}

enum xk_status xk_run_request_read(struct xk_run_request *r, int n,
                                   const char *const *args,
                                   struct xk_error *err)
{
    *r = (struct xk_run_request){.groups = {1, 1, 1}};
    const struct xk_tool_syntax syntax = {options, N_OPTIONS, set_plain_word};
    const enum xk_status st = xk_tool_arguments(&syntax, n, args, r, err);
    return st < 0 || r->help ? st : check_request(r, err);
}

void xk_run_request_help(FILE *out)
{
    char types[120];
    xk_run_type_words(types, sizeof types);
    fputs("usage: xk run [OPTION]... FILE [[NAME=]ARG]...\n"
          "       xk run [OPTION]... FILE KERNEL [ARG]...\n"
          "       xk run [OPTION]... --aub FILE\n"
          "Executes the program of a file that xk gen wrote, a kernel of a "
          "zebin, of a\ncompiler's older container or of raw code, or the "
          "launches that Intel's driver\nwrote down. ARG is one of\n"
          "  buf:FILE, buf:zero:BYTES, buf:rand:TYPE:COUNT[:SEED], "
          "slm:BYTES,\n"
          "  TYPE:VALUE, with a TYPE of ",
          out);
    fprintf(out,
            "%s\nBYTES and COUNT may be left out where a program says "
            "them.\nExit 1: a finding or a failure.\n\n",
            types);
    xk_tool_option_help(options, N_OPTIONS, out);
}
