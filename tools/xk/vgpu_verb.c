/* SPDX-License-Identifier: Apache-2.0 */
/* xk vgpu: a program on a virtual Intel GPU, under Intel's own driver; or the
 * device alone. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/problem/output.h"
#include "tools/problem/words.h"
#include "tools/xk/verbs.h"
#include "tools/xk/vgpu_verb.h"

/* Where Debian's driver registers itself with OpenCL's loader. */
#define INTEL_ICD "/etc/OpenCL/vendors/intel.icd"

struct vgpu {
    struct xk_vgpu_request *r;
    struct xk_vgpu_log log;
    struct xk_vgpu_signals signals;
    struct xk_tool_output output, trace;
    xk_virtual_device *device;
    bool started; /* the program, or the service */
};

static enum xk_status open_vgpu_output(const char *field, const char *path,
                                       struct xk_tool_output *out,
                                       struct xk_error *err)
{
    return path ? xk_tool_output_open(out, field, path, err) : XK_OK;
}

static FILE *report_file(const struct vgpu *x)
{
    return x->output.f ? x->output.f : stderr;
}

static enum xk_status open_files(struct vgpu *x, struct xk_error *err)
{
    struct xk_vgpu_request *const r = x->r;
    if (open_vgpu_output("trace", r->trace, &x->trace, err) < 0 ||
        open_vgpu_output("output", r->output, &x->output, err) < 0)
        return err->status;
    r->look.trace = r->trace ? xk_tool_print : NULL;
    r->look.trace_user = x->trace.f;
    r->look.inst = r->stats ? xk_run_report_inst : NULL;
    r->look.found = xk_run_report_finding;
    r->look.timed = r->look.timing ? xk_run_report_timing : NULL;
    r->look.user = &x->log.report;
    return xk_vgpu_log_init(&x->log, r, report_file(x), err);
}

/* Both are kept when the program failed, since they say how far it came, but
 * not when it was not started. */
static void close_files(struct vgpu *x, struct xk_error *err)
{
    struct xk_error late = {0};
    if (!x->started) {
        xk_tool_output_drop(&x->output);
        xk_tool_output_drop(&x->trace);
        return;
    }
    if (xk_tool_output_commit(&x->output, &late) < 0 && err->status >= 0)
        *err = late;
    if (xk_tool_output_commit(&x->trace, &late) < 0 && err->status >= 0)
        *err = late;
}

static enum xk_status start_virtual_device(struct vgpu *x, struct xk_error *err)
{
    const struct xk_vgpu_request *const r = x->r;
    const struct xk_virtual_device_opts opts = {
        .platform = r->platform,
        .port = (uint16_t)r->port,
        .n_host_threads = (unsigned)r->host_threads,
        .max_memory_b = r->memory_mib << 20,
        .look = &r->look,
        .launched = xk_vgpu_log_launched,
        .says = xk_vgpu_log_says,
        .user = &x->log,
    };
    return xk_virtual_device_start(&opts, &x->device, err);
}

/* Another OpenCL driver on the machine would be the first platform, which many
 * programs take. A choice that the user has made is kept. */
static bool needs_icd(void)
{
    return !getenv("OCL_ICD_VENDORS") && access(INTEL_ICD, R_OK) == 0;
}

static void set_environment(const struct vgpu *x)
{
    const char *name, *value;
    for (unsigned k = 0;
         xk_virtual_device_variable(x->device, k, &name, &value); k++)
        setenv(name, value, 1);
    if (needs_icd())
        setenv("OCL_ICD_VENDORS", INTEL_ICD, 1);
}

static bool print_environment(const struct vgpu *x)
{
    const char *name, *value;
    for (unsigned k = 0;
         xk_virtual_device_variable(x->device, k, &name, &value); k++)
        printf("%s=%s\n", name, value);
    if (needs_icd())
        puts("OCL_ICD_VENDORS=" INTEL_ICD);
    return !fflush(stdout) && !ferror(stdout);
}

static enum xk_status report_json(const struct vgpu *x, struct xk_error *err)
{
    json_t *const root = xk_vgpu_log_json(&x->log);
    if (!root)
        return xk_tool_fail(err, XK_ENOMEM, "json: no memory");
    json_dumpf(root, report_file(x), JSON_INDENT(1));
    fputc('\n', report_file(x));
    json_decref(root);
    return XK_OK;
}

/* Whether the report reached its file is asked when that is closed; nobody
 * closes stderr. */
static enum xk_status report(const struct vgpu *x, struct xk_error *err)
{
    if (x->r->json && report_json(x, err) < 0)
        return err->status;
    if (!x->r->json && !x->r->quiet)
        xk_vgpu_log_print(&x->log, report_file(x));
    return !x->output.f && ferror(stderr)
               ? xk_tool_fail(err, XK_EIO,
                              "standard error: the report cannot be written")
               : XK_OK;
}

/* With --check, findings make the exit code bad: otherwise nobody would see
 * them. Without it only the program's exit status counts. */
static bool is_bad(const struct vgpu *x)
{
    return x->r->is_checked && (x->log.report.n_findings || x->log.n_said);
}

/* The exit code: the program's if it failed. */
static int run_client(struct vgpu *x, struct xk_error *err)
{
    int code = 0;
    if (open_files(x, err) < 0)
        return 1;
    xk_vgpu_signals_take(&x->signals);
    if (start_virtual_device(x, err) < 0)
        return 1;
    if (x->r->serve) {
        /* A device is useless if its address could not be printed. */
        x->started = print_environment(x);
        if (x->started)
            xk_vgpu_signals_await(&x->signals);
        else
            code = 1;
    } else {
        set_environment(x);
        code = xk_vgpu_program_run(&x->signals, x->r->program, err);
        x->started = err->status >= 0;
    }
    xk_virtual_device_stop(x->device);
    if (err->status >= 0 && report(x, err) < 0 && !code)
        code = 1;
    return code ? code : is_bad(x);
}

int xk_verb_vgpu(int n, const char *const *args)
{
    struct xk_vgpu_request r;
    struct xk_error err = {0};
    if (xk_vgpu_request_read(&r, n, args, &err) < 0) {
        if (xk_verb_misused("vgpu", &err, n))
            xk_vgpu_request_help(stderr);
        return 2;
    }
    if (r.help) {
        xk_vgpu_request_help(stdout);
        return 0;
    }
    struct vgpu x = {.r = &r};
    int code = run_client(&x, &err);
    close_files(&x, &err);
    if (err.status < 0 && !code)
        code = 1;
    if (err.status < 0)
        fprintf(stderr, "xk vgpu: %s: %s\n", xk_status_str(err.status),
                err.message);
    xk_vgpu_log_fini(&x.log);
    return code;
}
