/* SPDX-License-Identifier: Apache-2.0 */
/* xk run: a file's program, a kernel of a file, or the launches of a capture,
 * on the simulator. */
#include "tools/xk/run_verb.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/problem/output.h"
#include "tools/problem/words.h"
#include "tools/xk/request.h"
#include "tools/xk/verbs.h"

/* A run: the report, the trace, and what a launch needs. */
struct run {
    struct xk_run_request *r;
    struct xk_run_report report;
    FILE *text;
    struct xk_tool_output trace;
    bool traced; /* something was written there */
    struct xk_run_arg arg[XK_RUN_ARGS_MAX];
    unsigned n_args;
    void *file;
    size_t file_b;
    xk_inspect *inspect;
    xk_device *device;
    xk_module *module;
    xk_buffer *buffer[XK_RUN_ARGS_MAX];
    xk_capture *capture;
    uint32_t local[3]; /* work items of a group */
    uint32_t simd;
};

/* The group's size: the user's, else the one that the kernel requires, else one
 * work item. */
static void choose_local(struct run *x, const struct xk_kernel_facts *facts)
{
    x->simd = facts->simd;
    for (unsigned i = 0; i < 3; i++)
        x->local[i] = x->r->local[0]       ? x->r->local[i]
                      : facts->required[0] ? facts->required[i]
                                           : 1;
}

static enum xk_status open_kernel_file(struct run *x, struct xk_error *err)
{
    struct xk_error why = {0};
    x->file = xk_tool_read(x->r->file, &x->file_b, err);
    if (!x->file)
        return err->status;
    if (xk_inspect_open(x->file, x->file_b, x->r->platform, &x->inspect, &why) <
        0)
        return xk_tool_fail(err, why.status, "%.150s: %.300s", x->r->file,
                            why.message);
    return XK_OK;
}

static enum xk_status find_kernel(struct run *x, struct xk_error *err)
{
    struct xk_kernel_facts facts;
    const char *const name = x->r->kernel;
    for (uint32_t k = 0; k < xk_inspect_n_kernels(x->inspect); k++)
        if (xk_inspect_kernel(x->inspect, k, &facts, NULL) >= 0 &&
            !strcmp(facts.name, name)) {
            choose_local(x, &facts);
            return XK_OK;
        }
    return xk_request_no_kernel(x->inspect, x->r->file, name, err);
}

static enum xk_status make_raw_module(struct run *x, struct xk_error *err)
{
    const uint64_t *const n = x->r->code_number;
    struct xk_simulate_code facts = x->r->code;
    uint32_t arg_b[XK_RUN_ARGS_MAX];
    bool pointers[XK_RUN_ARGS_MAX];
    for (unsigned i = 0; i < x->n_args; i++) {
        pointers[i] = x->arg[i].is_buffer;
        arg_b[i] = x->arg[i].is_local    ? 0
                   : x->arg[i].is_buffer ? 8
                                         : (uint32_t)x->arg[i].size_b;
    }
    facts.simd = (uint32_t)n[0];
    x->simd = facts.simd ? facts.simd : 16;
    facts.grf_count = (uint32_t)n[1];
    facts.barriers = (uint32_t)n[2];
    facts.scratch_b = (uint32_t)n[3];
    facts.inline_b = (uint32_t)n[4];
    facts.n_args = x->n_args;
    facts.arg_b = arg_b;
    facts.pointers = pointers;
    return xk_simulate_module(x->device, x->file, x->file_b, &facts, &x->module,
                              err);
}

static enum xk_status make_device(struct run *x, struct xk_error *err)
{
    const struct xk_run_request *const r = x->r;
    enum xk_status st =
        xk_device_create("sim", xk_inspect_platform(x->inspect),
                         (unsigned)r->host_threads, &x->device, err);
    if (st >= 0)
        st = xk_simulate_configure(x->device, &r->look, err);
    if (st < 0)
        return st;
    if (!strcmp(xk_inspect_container(x->inspect), "raw"))
        return make_raw_module(x, err);
    if (r->sets_code)
        return xk_tool_fail(err, XK_EINVAL,
                            "%s: holds for raw code; %.150s is a %s, which "
                            "says it itself",
                            r->sets_code, r->file,
                            xk_inspect_container(x->inspect));
    return xk_module_create(x->device, x->file, x->file_b, &x->module, err);
}

static enum xk_status make_args(struct run *x, struct xk_launch_arg *out,
                                struct xk_error *err)
{
    for (unsigned i = 0; i < x->n_args; i++) {
        const struct xk_run_arg *const a = &x->arg[i];
        out[i] = (struct xk_launch_arg){.buffer = NULL};
        if (!a->word)
            continue;
        if (!a->is_buffer) {
            out[i] =
                (struct xk_launch_arg){.value = a->is_local ? NULL : a->value,
                                       .size_b = (uint32_t)a->size_b};
            continue;
        }
        if (xk_buffer_create(x->device, a->size_b, &x->buffer[i], err) < 0 ||
            xk_buffer_write(x->buffer[i], 0, a->bytes, a->size_b, err) < 0)
            return err->status;
        out[i] = (struct xk_launch_arg){.buffer = x->buffer[i]};
    }
    return XK_OK;
}

static enum xk_status write_outs(struct run *x, struct xk_error *err)
{
    const struct xk_run_request *const r = x->r;
    enum xk_status st = XK_OK;
    for (unsigned k = 0; k < r->n_outs && st >= 0; k++) {
        const struct xk_run_out *const o = &r->out[k];
        struct xk_run_arg *const a = r->capture ? NULL : &x->arg[o->number];
        const uint64_t size_b = a ? a->size_b : o->size_b;
        uint8_t *const bytes = malloc(size_b ? size_b : 1);
        if (a && !a->is_buffer)
            st = xk_tool_fail(err, XK_EINVAL,
                              "out=%llu: argument '%.100s' is no buffer",
                              (unsigned long long)o->number, a->word);
        else if (!bytes)
            st = xk_tool_fail(err, XK_ENOMEM, "out: no memory");
        else if (a)
            st = xk_buffer_read(x->buffer[o->number], 0, bytes, size_b, err);
        else
            st = xk_capture_read(x->capture, o->number, bytes, size_b, err);
        if (st >= 0)
            st = xk_tool_output_write("out", o->path, bytes, size_b, err);
        free(bytes);
    }
    return st;
}

/* A finding is reported with its launch, and is no failure of the tool. */
static enum xk_status launch_request(struct run *x, struct xk_error *err)
{
    const struct xk_run_request *const r = x->r;
    struct xk_launch_arg args[XK_RUN_ARGS_MAX];
    struct xk_launch_stats stats = {0};
    struct xk_error why = {0};
    if (make_args(x, args, err) < 0)
        return err->status;
    const enum xk_status st = xk_launch(
        x->module,
        &(struct xk_launch_desc){sizeof(struct xk_launch_desc), r->kernel,
                                 r->groups, x->local, x->n_args, args},
        &stats, &why);
    if (st < 0 && st != XK_EFAULT) {
        *err = why;
        return st;
    }
    const struct xk_run_launch l = {.kernel = r->kernel,
                                    .platform = xk_inspect_platform(x->inspect),
                                    .groups = r->groups,
                                    .local = x->local,
                                    .simd = x->simd,
                                    .stats = &stats,
                                    .error = st < 0 ? why.message : NULL};
    xk_run_report_launch(&x->report, &l);
    if (st < 0)
        *err = why;
    return write_outs(x, err);
}

static enum xk_status run_kernel(struct run *x, struct xk_error *err)
{
    const struct xk_run_request *const r = x->r;
    if (find_kernel(x, err) < 0)
        return err->status;
    for (; x->n_args < r->n_words; x->n_args++)
        if (xk_run_arg_parse(r->word[x->n_args], x->n_args, 0,
                             &x->arg[x->n_args], err) < 0)
            return err->status;
    if (make_device(x, err) < 0)
        return err->status;
    return launch_request(x, err);
}

static uint32_t simd_of(const struct run *x, const char *kernel)
{
    struct xk_kernel_facts facts;
    for (uint32_t k = 0; k < xk_inspect_n_kernels(x->inspect); k++)
        if (xk_inspect_kernel(x->inspect, k, &facts, NULL) >= 0 &&
            !strcmp(facts.name, kernel))
            return facts.simd;
    return 0;
}

/* One launch of a program is over. */
static void launched(void *user, const struct xk_launch_step *s,
                     const struct xk_launch_stats *stats,
                     const struct xk_error *why)
{
    struct run *const x = user;
    const struct xk_run_launch l = {.kernel = s->kernel,
                                    .platform = xk_inspect_platform(x->inspect),
                                    .groups = s->groups,
                                    .local = s->local,
                                    .simd = simd_of(x, s->kernel),
                                    .stats = stats,
                                    .error = why ? why->message : NULL};
    if (!why || why->status == XK_EFAULT)
        xk_run_report_launch(&x->report, &l);
    if (x->trace.f)
        fprintf(x->trace.f, "end of %s\n", s->kernel);
}

/* The words mean arguments of the file's program. */
static enum xk_status read_program(struct run *x, struct xk_error *err)
{
    const struct xk_launch_list *const l = xk_module_launches(x->module);
    if (!l)
        return xk_tool_fail(err, XK_EINVAL,
                            "%.150s: no kernel given, and the file does not "
                            "say how its kernels are launched",
                            x->r->file);
    if (xk_run_program_outs(x->r, l, err) < 0)
        return err->status;
    x->n_args = XK_RUN_ARGS_MAX;
    return xk_run_program_args(x->r, l, x->arg, err);
}

static enum xk_status run_program(struct run *x, struct xk_error *err)
{
    struct xk_launch_arg args[XK_RUN_ARGS_MAX];
    const struct xk_run_opts o = {.size = sizeof o,
                                  .n_args = XK_RUN_ARGS_MAX,
                                  .args = args,
                                  .launched = launched,
                                  .user = x};
    if (!strcmp(xk_inspect_container(x->inspect), "raw"))
        return xk_tool_fail(err, XK_EINVAL,
                            "%.150s: no kernel given; that of raw code is "
                            "called code",
                            x->r->file);
    if (make_device(x, err) < 0)
        return err->status;
    if (read_program(x, err) < 0 || make_args(x, args, err) < 0)
        return err->status;
    const enum xk_status st = xk_module_run(x->module, &o, NULL, err);
    if (st < 0 && st != XK_EFAULT)
        return st;
    return write_outs(x, err);
}

static enum xk_status run_file(struct run *x, struct xk_error *err)
{
    if (open_kernel_file(x, err) < 0)
        return err->status;
    return x->r->kernel ? run_kernel(x, err) : run_program(x, err);
}

static void capture_ended(void *user, const struct xk_capture_launch *c)
{
    struct run *const x = user;
    char name[32];
    snprintf(name, sizeof name, "at_0x%llx", (unsigned long long)c->start_va);
    const struct xk_run_launch l = {.kernel = name,
                                    .platform = xk_capture_platform(x->capture),
                                    .groups = c->groups,
                                    .local = c->local,
                                    .simd = c->simd,
                                    .stats = &c->stats};
    xk_run_report_launch(&x->report, &l);
}

static enum xk_status feed_file(struct run *x, FILE *f, struct xk_error *err)
{
    const size_t piece_b = 1 << 20;
    enum xk_status st = XK_OK;
    char *const piece = malloc(piece_b);
    size_t n;
    if (!piece)
        return xk_tool_fail(err, XK_ENOMEM, "no memory for the capture");
    while (st >= 0 && (n = fread(piece, 1, piece_b, f)) > 0)
        st = xk_capture_feed(x->capture, piece, n, err);
    free(piece);
    if (st >= 0 && ferror(f))
        return xk_tool_fail(err, XK_EIO, "%.200s: cannot be read: %s",
                            x->r->capture, strerror(errno));
    return st < 0 ? st : xk_capture_end(x->capture, err);
}

static enum xk_status run_capture(struct run *x, struct xk_error *err)
{
    const struct xk_run_request *const r = x->r;
    const struct xk_capture_opts opts = {.platform = r->platform,
                                         .n_threads = (uint32_t)r->host_threads,
                                         .look = &r->look,
                                         .ended = capture_ended,
                                         .user = x};
    FILE *const f = strcmp(r->capture, "-") ? fopen(r->capture, "rb") : stdin;
    if (!f)
        return xk_tool_fail(err, XK_EIO, "%.200s: cannot be read: %s",
                            r->capture, strerror(errno));
    enum xk_status st = xk_capture_create(&opts, &x->capture, err);
    if (st >= 0)
        st = feed_file(x, f, err);
    if (f != stdin)
        fclose(f);
    return st < 0 ? st : write_outs(x, err);
}

static void release_run(struct run *x)
{
    for (unsigned i = 0; i < XK_RUN_ARGS_MAX; i++) {
        xk_run_arg_fini(&x->arg[i]);
        xk_buffer_unref(x->buffer[i]);
    }
    xk_module_unref(x->module);
    xk_device_unref(x->device);
    xk_inspect_close(x->inspect);
    xk_capture_destroy(x->capture);
    free(x->file);
}

/* What was found is shown also when the run ended badly. */
static enum xk_status write_report(struct run *x, const char *text,
                                   size_t text_b, struct xk_error *err)
{
    const char *const path = x->r->output ? x->r->output : "-";
    if (!x->r->json)
        return xk_tool_output_write("output", path, text, text_b, err);
    char *const json = json_dumps(x->report.root, JSON_INDENT(1));
    char *const line = json ? realloc(json, strlen(json) + 2) : NULL;
    if (!line) {
        free(json);
        return xk_tool_fail(err, XK_ENOMEM, "no memory for the JSON text");
    }
    strcat(line, "\n");
    const enum xk_status st =
        xk_tool_output_write("output", path, line, strlen(line), err);
    free(line);
    return st;
}

static void print_trace(void *user, const char *text, size_t n)
{
    struct run *const x = user;
    x->traced = true;
    fwrite(text, 1, n, x->trace.f);
}

static enum xk_status open_trace(struct run *x, struct xk_error *err)
{
    struct xk_run_request *const r = x->r;
    if (!r->trace)
        return XK_OK;
    r->look.trace = print_trace;
    r->look.trace_user = x;
    return xk_tool_output_open(&x->trace, "trace", r->trace, err);
}

/* The trace of a run that failed is kept, since it shows why. A run that failed
 * before its first instruction leaves no trace, and neither does a thread that
 * does not exist. */
static void close_trace(struct run *x, struct xk_error *err)
{
    const struct xk_simulate_opts *const look = &x->r->look;
    struct xk_error late = {0};
    if (x->trace.f && !x->traced && err->status < 0)
        xk_tool_output_drop(&x->trace);
    if (x->trace.f && look->trace_one && !x->traced) {
        xk_tool_output_drop(&x->trace);
        xk_tool_fail(err, XK_EINVAL,
                     "trace-thread=%u,%u,%u:%u: no launch had this thread; "
                     "groups and threads count from 0",
                     look->trace_group[0], look->trace_group[1],
                     look->trace_group[2], look->trace_thread);
    }
    if (xk_tool_output_commit(&x->trace, &late) < 0 && err->status >= 0)
        *err = late;
}

static int run_request(struct xk_run_request *r, struct xk_error *err)
{
    struct run x = {.r = r};
    struct xk_error late = {0};
    char *text = NULL;
    size_t text_b = 0;
    x.text = open_memstream(&text, &text_b);
    if (!x.text ||
        xk_run_report_init(&x.report, r->stats, r->json, x.text, err) < 0 ||
        open_trace(&x, err) < 0) {
        xk_run_report_fini(&x.report);
        if (x.text)
            fclose(x.text);
        free(text);
        return 1;
    }
    r->look.inst = r->stats ? xk_run_report_inst : NULL;
    r->look.found = xk_run_report_finding;
    r->look.timed = xk_run_report_timing;
    r->look.timing_waves = (uint32_t)r->timing_waves;
    r->look.user = &x.report;
    if (r->capture)
        run_capture(&x, err);
    else
        run_file(&x, err);
    fclose(x.text);
    const unsigned n_findings = x.report.n_findings;
    if (n_findings && err->status == XK_EFAULT)
        *err = (struct xk_error){XK_OK, ""}; /* said with the launch */
    if (write_report(&x, text, text_b, &late) < 0 && err->status >= 0)
        *err = late;
    close_trace(&x, err);
    free(text);
    release_run(&x);
    xk_run_report_fini(&x.report);
    return n_findings || err->status < 0 ? 1 : 0;
}

int xk_verb_run(int n, const char *const *args)
{
    struct xk_run_request r;
    struct xk_error err = {0};
    if (xk_run_request_read(&r, n, args, &err) < 0) {
        if (xk_verb_misused("run", &err, n))
            xk_run_request_help(stderr);
        return 2;
    }
    if (r.help) {
        xk_run_request_help(stdout);
        return 0;
    }
    const int code = run_request(&r, &err);
    if (err.status < 0)
        fprintf(stderr, "xk run: %s: %s\n", xk_status_str(err.status),
                err.message);
    return code;
}
