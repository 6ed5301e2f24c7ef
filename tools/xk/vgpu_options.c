/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of xk vgpu. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/problem/option_table.h"
#include "tools/problem/output.h"
#include "tools/problem/words.h"
#include "tools/xk/look_words.h"
#include "tools/xk/vgpu_verb.h"

static struct xk_vgpu_request *vgpu_request_of(void *user)
{
    return user;
}

#define REQUEST_OF vgpu_request_of
#include "tools/xk/option_setters.h"

WORD(set_trace, trace)
WORD(set_output, output)
FLAG(set_serve, serve)
FLAG(set_stats, stats)
FLAG(set_json, json)
FLAG(set_quiet, quiet)
FLAG(set_help, help)
NUMBER(set_port, "port", port, 65535)
NUMBER(set_threads, "threads", host_threads, 1024)
NUMBER(set_memory, "memory", memory_mib, 1 << 24)
POSITIVE(set_limit, "limit", look.inst_limit)
GIVEN_NUMBER(set_seed, "seed", look.hazard_seed, UINT64_MAX, sets_seed)

SETTER(set_check)
{
    vgpu_request_of(user)->look.checks = value;
    vgpu_request_of(user)->is_checked = strcmp(value, "none") != 0;
    return xk_look_checks_known(value, err);
}

SETTER(set_timing)
{
    vgpu_request_of(user)->look.timing = value;
    return xk_look_machine_known(value, err);
}

SETTER(set_platform)
{
    return xk_platform_option(value, &vgpu_request_of(user)->platform, err);
}

static const struct xk_tool_option options[] = {
    {"platform", 'p', "PLATFORM", "{} (default: xehpg)", set_platform, true,
     .words = xk_words_of_platforms},
    {"port", 0, "N", "port of 127.0.0.1; 0 (default): any free one", set_port,
     true},
    {"serve", 0, NULL,
     "runs no program: prints the environment of clients and serves until a "
     "signal",
     set_serve},
    {"check", 0, "LIST", "some of {}", set_check, true,
     .words = xk_look_check_words},
    {"seed", 0, "N",
     "for hazard: random latencies from this seed; 0: the worst case", set_seed,
     true},
    {"timing", 0, "MACHINE",
     "predicts each launch on {} (else on the platform's first): the device's "
     "time, and a report as of xk run --timing; without it a rough time",
     set_timing, .maybe = true, .words = xk_look_machine_words},
    {"stats", 0, NULL,
     "counts opcodes, messages and each instruction of every launch",
     set_stats},
    {"trace", 0, "FILE",
     "writes each instruction executed and the registers that it changed",
     set_trace, true},
    {"json", 0, NULL, "prints the report as one JSON object", set_json},
    {"output", 'o', "FILE", "writes the report; default is stderr", set_output,
     true},
    {"quiet", 'q', NULL, "prints no summary", set_quiet},
    {"threads", 't', "N", "host threads; 0 (default): all cores", set_threads,
     true},
    {"memory", 0, "MIB", "memory of each process; 0 (default): 16384",
     set_memory, true},
    {"limit", 0, "N", "instructions that a thread may execute (2^28)",
     set_limit, true},
    {"help", 'h', NULL, "this text", set_help},
};
#define N_OPTIONS (sizeof options / sizeof options[0])

SETTER(set_other)
{
    (void)user;
    return xk_tool_fail(err, XK_EINVAL,
                        "%.200s: no option; the program stands behind --",
                        value);
}

/* Refuses options that would do nothing together with the others. */
static enum xk_status check_vgpu_effects(const struct xk_vgpu_request *r,
                                         struct xk_error *err)
{
    if (r->serve && r->program)
        return xk_tool_fail(err, XK_EINVAL,
                            "serve: no program is run then, but '%.100s' is "
                            "given",
                            r->program[0]);
    if (!r->serve && !r->program)
        return xk_tool_fail(err, XK_EINVAL, "no program given behind --");
    if (r->json && r->quiet)
        return xk_tool_fail(err, XK_EINVAL,
                            "quiet: does nothing with --json, which prints no "
                            "summary");
    if (r->sets_seed && !xk_look_checks_has(r->look.checks, "hazard"))
        return xk_tool_fail(err, XK_EINVAL,
                            "seed=%llu: does nothing without --check=hazard",
                            (unsigned long long)r->look.hazard_seed);
    return xk_look_machine_fits(r->look.timing, r->platform, err);
}

/* The file that is started for a name: PATH says where a name without '/' is.
 * NULL: there is none, or no memory. */
static char *program_file(const char *name)
{
    const char *folder = getenv("PATH");
    if (strchr(name, '/'))
        return strdup(name);
    while (folder) {
        const size_t n = strcspn(folder, ":");
        char *file;
        if (asprintf(&file, "%.*s%s%s", (int)n, folder, n ? "/" : "", name) < 0)
            return NULL;
        if (access(file, X_OK) == 0)
            return file;
        free(file);
        folder = folder[n] ? folder + n + 1 : NULL;
    }
    return NULL;
}

/* Refuses an output that is also another output, the program, what it reads as
 * standard input, or a file that its arguments name. */
static enum xk_status check_vgpu_files(const struct xk_vgpu_request *r,
                                       struct xk_error *err)
{
    size_t n_args = 0;
    while (r->program && r->program[n_args])
        n_args++;
    struct xk_tool_file_use *const use = calloc(n_args + 4, sizeof *use);
    char *const file = n_args ? program_file(r->program[0]) : NULL;
    if (!use) {
        free(file);
        return xk_tool_fail(err, XK_ENOMEM, "no memory for %zu arguments",
                            n_args);
    }
    size_t n = 0;
    use[n++] = (struct xk_tool_file_use){"output", r->output, true};
    use[n++] = (struct xk_tool_file_use){"trace", r->trace, true};
    use[n++] = (struct xk_tool_file_use){"the program", file, false};
    use[n++] = (struct xk_tool_file_use){"the program's standard input",
                                         n_args ? "-" : NULL, false};
    for (size_t k = 1; k < n_args; k++)
        use[n++] = (struct xk_tool_file_use){"an argument of the program",
                                             r->program[k], false};
    const enum xk_status st = xk_tool_files_distinct(use, n, err);
    free(use);
    free(file);
    return st;
}

enum xk_status xk_vgpu_request_read(struct xk_vgpu_request *r, int n,
                                    const char *const *args,
                                    struct xk_error *err)
{
    int n_own = 0;
    *r = (struct xk_vgpu_request){.platform = "xehpg"};
    while (n_own < n && strcmp(args[n_own], "--") != 0)
        n_own++;
    const struct xk_tool_syntax syntax = {options, N_OPTIONS, set_other};
    const enum xk_status st = xk_tool_arguments(&syntax, n_own, args, r, err);
    if (st >= 0 && r->help && n_own < n)
        return xk_tool_fail(err, XK_EINVAL, "--: unexpected behind --help");
    if (st < 0 || r->help)
        return st;
    if (n_own + 1 < n)
        r->program = args + n_own + 1;
    if (check_vgpu_effects(r, err) < 0)
        return err->status;
    return check_vgpu_files(r, err);
}

void xk_vgpu_request_help(FILE *out)
{
    fputs("usage: xk vgpu [OPTION]... -- PROGRAM [ARG]...\n"
          "       xk vgpu [OPTION]... --serve\n"
          "Runs an unmodified Level Zero or OpenCL program on a simulated "
          "Intel GPU, with\nIntel's own driver in between. Exit: the "
          "program's, 128 + n if signal n ended\nit, 126 or 127 if it cannot "
          "be started; with --check, 1 if it ended\nwith 0 and there were "
          "findings or refused launches.\n\n",
          out);
    xk_tool_option_help(options, N_OPTIONS, out);
}
