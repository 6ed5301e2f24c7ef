/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "tools/problem/output.h"
#include "tools/xk/verbs.h"
#include "xekern/xekern.h"

static const struct verb {
    const char *name, *help;
    int (*run)(int n, const char *const *args);
} verbs[] = {
    {"gen", "a convolution's kernel as zebin or as text", xk_verb_gen},
    {"opt", "a kernel's IR behind passes, as text", xk_verb_opt},
    {"asm", "instructions as text to machine code", xk_verb_asm},
    {"dis", "the instructions of a zebin or of raw code", xk_verb_dis},
    {"lint", "the hardware rules that a kernel breaks", xk_verb_lint},
    {"diff", "two kernels side by side", xk_verb_diff},
    {"run", "a kernel or a captured launch on the simulator", xk_verb_run},
    {"vgpu", "a program on a virtual GPU under Intel's driver", xk_verb_vgpu},
};

static void print_verbs(FILE *out)
{
    fputs("usage: xk VERB [OPTION]... (xk VERB --help says more)\n\n", out);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        fprintf(out, "  %-8s %s\n", verbs[i].name, verbs[i].help);
    fputs("\nexit: 0 fine, 1 failed, 2 usage\n", out);
}

bool xk_verb_misused(const char *name, const struct xk_error *why, int n)
{
    fprintf(stderr, "xk %s: %s\n", name, why->message);
    return !n;
}

static int run_verb(const char *name, int n, const char *const *args)
{
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (!strcmp(verbs[i].name, name))
            return verbs[i].run(n, args);
    if (*name)
        fprintf(stderr, "xk: %s: no such verb\n", name);
    print_verbs(stderr);
    return 2;
}

/* "xk --help VERB" is "xk VERB --help". */
static int dispatch(int n, const char *const *args)
{
    static const char *const ask[] = {"--help"};
    const char *const name = n ? args[0] : "";
    const bool asks = !strcmp(name, "--help") || !strcmp(name, "-h");
    const bool version = !strcmp(name, "--version");
    if (!asks && !version)
        return run_verb(name, n - 1, args + 1);
    if (n > 1 + asks) {
        fprintf(stderr, "xk: %s: unexpected behind %s\n", args[1 + asks], name);
        return 2;
    }
    if (n > 1)
        return run_verb(args[1], 1, ask);
    if (asks)
        print_verbs(stdout);
    else
        puts(xk_version());
    return 0;
}

int main(int argc, char **argv)
{
    xk_tool_standard_begin();
    const char *const *const args = (const char *const *)argv + 1;
    return xk_tool_standard_end("xk", dispatch(argc > 1 ? argc - 1 : 0, args));
}
