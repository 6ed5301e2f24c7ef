/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "tools/problem/output.h"
#include "tools/xk/verbs.h"
#include "xekern/xekern.h"

static const struct verb {
    const char *name, *help;
    int (*run)(int n, const char *const *args);
} verbs[] = {
    {"gen", "a convolution's kernel as zebin or as text", xk_verb_gen},
    {"asm", "instructions as text to machine code", xk_verb_asm},
    {"dis", "the instructions of a zebin or of raw code", xk_verb_dis},
    {"lint", "the hardware rules that a kernel breaks", xk_verb_lint},
    {"diff", "two kernels side by side", xk_verb_diff},
    {"run", "a kernel or a captured launch on the simulator", xk_verb_run},
    {"vgpu", "a program on a virtual GPU under Intel's driver", xk_verb_vgpu},
};

static void help(FILE *out)
{
    fputs("usage: xk VERB [OPTION]... (xk VERB --help says more)\n\n", out);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        fprintf(out, "  %-8s %s\n", verbs[i].name, verbs[i].help);
    fputs("\nexit: 0 fine, 1 failed, 2 usage\n", out);
}

static int dispatch(int argc, char **argv)
{
    const char *const name = argc > 1 ? argv[1] : "";
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (!strcmp(verbs[i].name, name))
            return verbs[i].run(argc - 2, (const char *const *)argv + 2);
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        help(stdout);
        return 0;
    }
    if (!strcmp(name, "--version")) {
        puts(xk_version());
        return 0;
    }
    if (*name)
        fprintf(stderr, "xk: %s: no such verb\n", name);
    help(stderr);
    return 2;
}

int main(int argc, char **argv)
{
    xk_tool_standard_begin();
    return xk_tool_standard_end("xk", dispatch(argc, argv));
}
