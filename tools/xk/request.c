/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/xk/request.h"

#include <stdlib.h>
#include <string.h>

#include "tools/problem/output.h"
#include "tools/problem/words.h"
#include "tools/xk/verbs.h"

enum xk_status xk_request_platform(void *user, const char *value,
                                   struct xk_error *err)
{
    return xk_platform_option(value, &((struct xk_request *)user)->platform,
                              err);
}

enum xk_status xk_request_kernel(void *user, const char *value,
                                 struct xk_error *err)
{
    (void)err;
    ((struct xk_request *)user)->kernel = value;
    return XK_OK;
}

enum xk_status xk_request_output(void *user, const char *value,
                                 struct xk_error *err)
{
    (void)err;
    ((struct xk_request *)user)->output = value;
    return XK_OK;
}

#define FLAG(name)                                                             \
    enum xk_status xk_request_##name(void *user, const char *value,            \
                                     struct xk_error *err)                     \
    {                                                                          \
        (void)value;                                                           \
        (void)err;                                                             \
        ((struct xk_request *)user)->name = true;                              \
        return XK_OK;                                                          \
    }
FLAG(json)
FLAG(messages)
FLAG(numeric)
FLAG(offsets)
FLAG(compact)
FLAG(help)

static enum xk_status set_input(void *user, const char *value,
                                struct xk_error *err)
{
    struct xk_request *const r = user;
    if (r->n_inputs == r->max_inputs)
        return xk_tool_fail(err, XK_EINVAL, "%.200s: one file too many", value);
    r->input[r->n_inputs++] = value;
    return XK_OK;
}

static enum xk_status read_arguments(const struct xk_request_verb *v,
                                     struct xk_request *r, int n,
                                     const char *const *args,
                                     struct xk_error *err)
{
    const struct xk_tool_syntax syntax = {v->options, v->n_options, set_input};
    const enum xk_status st = xk_tool_arguments(&syntax, n, args, r, err);
    if (st < 0 || r->help)
        return st;
    if (r->n_inputs < v->n_inputs)
        return xk_tool_fail(err, XK_EINVAL, "no %sfile given (- is stdin)",
                            r->n_inputs ? "second " : "");
    const struct xk_tool_file_use use[] = {{"output", r->output, true},
                                           {"an input", r->input[0], false},
                                           {"an input", r->input[1], false}};
    return xk_tool_files_distinct(use, sizeof use / sizeof use[0], err);
}

static void print_request_help(const struct xk_request_verb *verb, FILE *out)
{
    fputs(verb->usage, out);
    xk_tool_option_help(verb->options, verb->n_options, out);
}

int xk_request_main(const struct xk_request_verb *verb, int n,
                    const char *const *args)
{
    struct xk_request r = {.max_inputs = verb->n_inputs};
    struct xk_error err = {0};
    if (read_arguments(verb, &r, n, args, &err) < 0) {
        if (xk_verb_misused(verb->name, &err, n))
            print_request_help(verb, stderr);
        return 2;
    }
    if (r.help) {
        print_request_help(verb, stdout);
        return 0;
    }
    const int code = verb->run(&r, &err);
    if (err.status < 0)
        fprintf(stderr, "xk %s: %s: %s\n", verb->name,
                xk_status_str(err.status), err.message);
    return err.status < 0 && !code ? 1 : code;
}

enum xk_status xk_request_open(const struct xk_request *r, int k,
                               struct xk_request_file *out,
                               struct xk_error *err)
{
    struct xk_error why = {0};
    size_t n_b;
    *out = (struct xk_request_file){NULL, NULL};
    out->bytes = xk_tool_read(r->input[k], &n_b, err);
    if (!out->bytes)
        return err->status;
    if (xk_inspect_open(out->bytes, n_b, r->platform, &out->f, &why) >= 0)
        return XK_OK;
    free(out->bytes);
    out->bytes = NULL;
    return xk_tool_fail(err, why.status, "%.150s: %.300s", r->input[k],
                        why.message);
}

void xk_request_close(struct xk_request_file *f)
{
    xk_inspect_close(f->f);
    free(f->bytes);
    *f = (struct xk_request_file){NULL, NULL};
}

bool xk_request_wants(const struct xk_request *r, const xk_inspect *f,
                      uint32_t k, struct xk_kernel_facts *facts)
{
    return xk_inspect_kernel(f, k, facts, NULL) >= 0 &&
           (!r->kernel || !strcmp(r->kernel, facts->name));
}

enum xk_status xk_request_no_kernel(const xk_inspect *f, const char *file,
                                    const char *name, struct xk_error *err)
{
    struct xk_kernel_facts facts;
    char known[300] = "";
    size_t n = 0;
    uint32_t k = 0;
    for (; k < xk_inspect_n_kernels(f) && n < sizeof known - 100; k++)
        if (xk_inspect_kernel(f, k, &facts, NULL) >= 0)
            n += (size_t)snprintf(known + n, sizeof known - n, "%s%.90s",
                                  n ? ", " : "", facts.name);
    return xk_tool_fail(
        err, XK_EINVAL,
        "%.100s: kernel '%.80s' is not in the file, which has %s%s", file, name,
        *known ? known : "none",
        k < xk_inspect_n_kernels(f) ? ", and others" : "");
}

enum xk_status xk_request_check_kernel(const struct xk_request *r,
                                       const xk_inspect *f,
                                       struct xk_error *err)
{
    struct xk_kernel_facts facts;
    for (uint32_t k = 0; k < xk_inspect_n_kernels(f); k++)
        if (xk_request_wants(r, f, k, &facts))
            return XK_OK;
    return xk_request_no_kernel(f, r->input[0], r->kernel ? r->kernel : "",
                                err);
}

enum xk_status xk_request_write(const struct xk_request *r, const char *text,
                                size_t n_b, struct xk_error *err)
{
    return xk_tool_output_write("output", r->output ? r->output : "-", text,
                                n_b, err);
}

enum xk_status xk_request_write_json(const struct xk_request *r, json_t *root,
                                     struct xk_error *err)
{
    char *const text = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
    enum xk_status st = XK_ENOMEM;
    json_decref(root);
    if (!text)
        return xk_tool_fail(err, XK_ENOMEM, "no memory for the JSON text");
    const size_t n_b = strlen(text);
    char *const line = realloc(text, n_b + 2);
    if (line) {
        memcpy(line + n_b, "\n", 2);
        st = xk_request_write(r, line, n_b + 1, err);
    }
    free(line ? line : text);
    return st;
}
