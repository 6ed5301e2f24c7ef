/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs that look into kernels (asm, dis, lint, diff) share: their
 * options, reading the files, and how they end. */
#ifndef XK_TOOLS_XK_REQUEST_H
#define XK_TOOLS_XK_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "tools/problem/option_table.h"
#include "xekern/inspect.h"

struct xk_request {
    const char *platform; /* NULL: the file says */
    const char *kernel;   /* NULL: all of the file's */
    const char *output;   /* NULL: stdout */
    const char *device;   /* NULL: the file says */
    const char *input[2];
    int n_inputs, max_inputs;
    bool json, messages, numeric, offsets, compact, help;
};

/* A verb: its options, and what its help says above them. */
struct xk_request_verb {
    const char *name, *usage;
    const struct xk_tool_option *options;
    size_t n_options;
    int n_inputs; /* files it wants */
    /* Exit code; on failure *err says why and the code is 1. */
    int (*run)(const struct xk_request *r, struct xk_error *err);
};

/* Reads the arguments, runs the verb, prints help and errors. */
int xk_request_main(const struct xk_request_verb *verb, int n,
                    const char *const *args);

/* Setters for option tables. */
enum xk_status xk_request_platform(void *user, const char *value,
                                   struct xk_error *err);
enum xk_status xk_request_kernel(void *user, const char *value,
                                 struct xk_error *err);
enum xk_status xk_request_output(void *user, const char *value,
                                 struct xk_error *err);
enum xk_status xk_request_json(void *user, const char *value,
                               struct xk_error *err);
enum xk_status xk_request_messages(void *user, const char *value,
                                   struct xk_error *err);
enum xk_status xk_request_numeric(void *user, const char *value,
                                  struct xk_error *err);
enum xk_status xk_request_offsets(void *user, const char *value,
                                  struct xk_error *err);
enum xk_status xk_request_compact(void *user, const char *value,
                                  struct xk_error *err);
enum xk_status xk_request_help(void *user, const char *value,
                               struct xk_error *err);

/* Input k, opened. The bytes must be freed after the file is closed. */
struct xk_request_file {
    xk_inspect *f;
    void *bytes;
};
enum xk_status xk_request_open(const struct xk_request *r, int k,
                               struct xk_request_file *out,
                               struct xk_error *err);
void xk_request_close(struct xk_request_file *f);

/* True if the request asks for kernel k. Fills facts. */
bool xk_request_wants(const struct xk_request *r, const xk_inspect *f,
                      uint32_t k, struct xk_kernel_facts *facts);
/* XK_EINVAL: the file has no kernel of this name; the message lists those that
 * it has. */
enum xk_status xk_request_no_kernel(const xk_inspect *f, const char *file,
                                    const char *name, struct xk_error *err);
/* An error if the request names a kernel that the file does not have. */
enum xk_status xk_request_check_kernel(const struct xk_request *r,
                                       const xk_inspect *f,
                                       struct xk_error *err);

/* Writes text to the request's output. The JSON variant takes the reference of
 * *root. */
enum xk_status xk_request_write(const struct xk_request *r, const char *text,
                                size_t n_b, struct xk_error *err);
enum xk_status xk_request_write_json(const struct xk_request *r, json_t *root,
                                     struct xk_error *err);

#endif
