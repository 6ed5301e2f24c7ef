/* SPDX-License-Identifier: Apache-2.0 */
/* xk opt: a kernel's IR text -> the text behind the passes that are named. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/problem/option_table.h"
#include "tools/problem/words.h"
#include "tools/xk/ir_words.h"
#include "tools/xk/verbs.h"

struct opt {
    struct xk_ir_source source;
    const char *path;
    bool help;
};

static enum xk_status set_opt_help(void *user, const char *value,
                                   struct xk_error *err)
{
    (void)value;
    (void)err;
    ((struct opt *)user)->help = true;
    return XK_OK;
}

static enum xk_status set_opt_platform(void *user, const char *value,
                                       struct xk_error *err)
{
    return xk_word_platform("platform", value,
                            &((struct opt *)user)->source.platform, err);
}

static enum xk_status set_opt_passes(void *user, const char *value,
                                     struct xk_error *err)
{
    (void)err;
    ((struct opt *)user)->source.passes = value;
    return XK_OK;
}

static enum xk_status set_opt_spare(void *user, const char *value,
                                    struct xk_error *err)
{
    return xk_ir_word_registers("spare", value, 256,
                                &((struct opt *)user)->source.spare_grf, err);
}

static const struct xk_tool_option options[] = {
    {"platform", 'p', "PLATFORM", "{}; xehpg if it is not given",
     set_opt_platform, .words = xk_words_of_platforms},
    {"passes", 0, "LIST",
     "passes in their order, such as 'split(m=8) pipe(ra ahead=1) expand'; "
     "none: the text is read and printed",
     set_opt_passes},
    {"spare", 0, "N", "registers that passes may keep values in (32)",
     set_opt_spare},
    {"help", 'h', NULL, "this text", set_opt_help},
};

static void help(FILE *out)
{
    fputs("usage: xk opt [OPTION]... FILE.ir\n"
          "Runs passes over a kernel's IR and prints it (docs/passes.md, "
          "docs/ir.md);\nFILE - is standard input. For example\n"
          "  xk opt --passes='split(m=8) expand simplify' matmul.ir\n\n",
          out);
    xk_tool_option_help(options, sizeof options / sizeof options[0], out);
}

static enum xk_status set_path(void *user, const char *value,
                               struct xk_error *err)
{
    struct opt *const o = user;
    if (o->path)
        return xk_tool_fail(err, XK_EINVAL, "%.200s: second file", value);
    o->path = value;
    return XK_OK;
}

int xk_verb_opt(int n, const char *const *args)
{
    struct opt o = {.source = {.size = sizeof o.source,
                               .platform = XK_PLATFORM_XEHPG,
                               .spare_grf = 32}};
    struct xk_error err = {0};
    const struct xk_tool_syntax syntax = {
        options, sizeof options / sizeof options[0], set_path};
    enum xk_status st = xk_tool_arguments(&syntax, n, args, &o, &err);
    if (st >= 0 && !o.help && !o.path)
        st = xk_tool_fail(&err, XK_EINVAL, "no file given");
    if (st < 0) {
        if (xk_verb_misused("opt", &err, n))
            help(stderr);
        return 2;
    }
    if (o.help) {
        help(stdout);
        return 0;
    }
    char *const text = xk_ir_read_text(o.path, &err);
    o.source.text = text;
    st = text ? xk_ir_rewrite(&o.source, xk_tool_print, stdout, &err)
              : err.status;
    if (text)
        xk_ir_failed_in(o.path, st, &err);
    free(text);
    if (st < 0)
        fprintf(stderr, "xk opt: %s: %s\n", xk_status_str(st), err.message);
    return st < 0 ? 1 : 0;
}
