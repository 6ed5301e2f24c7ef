/* SPDX-License-Identifier: Apache-2.0 */
/* xk dis: the instructions of a zebin, or of raw code with -p PLATFORM. */
#include <stdlib.h>

#include "tools/problem/option_table.h"
#include "tools/problem/words.h"
#include "tools/xk/verbs.h"
#include "xekern/inspect.h"

struct dis {
    const char *platform, *input, *output;
    bool help;
};

static enum xk_status set_platform(void *user, const char *value,
                                   struct xk_error *err)
{
    uint32_t known;
    const enum xk_status st = xk_word_platform(value, &known, err);
    if (st >= 0)
        ((struct dis *)user)->platform = xk_platform_word(known);
    return st;
}

static enum xk_status set_output(void *user, const char *value,
                                 struct xk_error *err)
{
    (void)err;
    ((struct dis *)user)->output = value;
    return XK_OK;
}

static enum xk_status set_help(void *user, const char *value,
                               struct xk_error *err)
{
    (void)value;
    (void)err;
    ((struct dis *)user)->help = true;
    return XK_OK;
}

static const struct xk_tool_option options[] = {
    {"platform", 'p', "PLATFORM", "raw code for this platform, not a zebin",
     set_platform},
    {"output", 'o', "FILE", "text goes there; - (default) is stdout",
     set_output},
    {"help", 'h', NULL, "this text", set_help},
};

static enum xk_status set_input(void *user, const char *value,
                                struct xk_error *err)
{
    struct dis *const d = user;
    if (d->input)
        return xk_tool_fail(err, XK_EINVAL, "%.200s: second file", value);
    d->input = value;
    return XK_OK;
}

static enum xk_status read_arguments(struct dis *d, int n,
                                     const char *const *args,
                                     struct xk_error *err)
{
    const enum xk_status st =
        xk_tool_arguments(options, sizeof options / sizeof options[0], n, args,
                          set_input, d, err);
    if (st >= 0 && !d->input && !d->help)
        return xk_tool_fail(err, XK_EINVAL, "no file given (- is stdin)");
    return st;
}

static enum xk_status disassemble(const struct dis *d, struct xk_error *err)
{
    size_t n_b;
    void *const bytes = xk_tool_read(d->input, &n_b, err);
    if (!bytes)
        return err->status;
    char *text = NULL;
    size_t text_b = 0;
    FILE *const memory = open_memstream(&text, &text_b);
    enum xk_status st =
        memory ? xk_disassemble(d->platform, bytes, n_b, xk_tool_print, memory,
                                err)
               : xk_tool_fail(err, XK_ENOMEM, "no memory for the text");
    if (memory)
        fclose(memory);
    if (st >= 0)
        st = xk_tool_write(d->output ? d->output : "-", text, text_b, err);
    free(text);
    free(bytes);
    return st;
}

int xk_verb_dis(int n, const char *const *args)
{
    struct dis d = {0};
    struct xk_error err = {0};
    if (read_arguments(&d, n, args, &err) < 0) {
        fprintf(stderr, "xk dis: %s\n", err.message);
        return 2;
    }
    if (d.help) {
        fputs("usage: xk dis [OPTION]... FILE\n"
              "Prints the instructions of a zebin, one a line.\n\n",
              stdout);
        xk_tool_option_help(options, sizeof options / sizeof options[0],
                            stdout);
        return 0;
    }
    const enum xk_status st = disassemble(&d, &err);
    if (st < 0)
        fprintf(stderr, "xk dis: %s: %s\n", xk_status_str(st), err.message);
    return st < 0 ? 1 : 0;
}
