/* SPDX-License-Identifier: Apache-2.0 */
/* xk_opt [OPTION | PASS]... < kernel.ir: runs the named passes in this order
 * ("all": the pipeline; none: parses and prints), verifies and prints the
 * kernel. Options, for the passes after them: --platform=NAME (xehpg),
 * --spare=N (registers for hoisting and CSE, 32). Exit 0, or 1 with the error
 * on stderr. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "passes/passes.h"

static char *read_all(FILE *f)
{
    size_t n = 0, cap = 1 << 16, got;
    char *s = malloc(cap);
    while (s && (got = fread(s + n, 1, cap - n - 1, f)) > 0) {
        n += got;
        if (cap - n - 1 == 0)
            s = realloc(s, cap *= 2);
    }
    if (s)
        s[n] = 0;
    return s;
}

static enum xk_status run_pass(xk_ctx *c, struct xk_kernel *k,
                               const struct xk_pass_env *env, const char *name)
{
    if (!strcmp(name, "all"))
        return xk_passes_run(c, k, env, NULL, NULL);
    return xk_passes_call(c, k, env, name, NULL, NULL);
}

static enum xk_status optimise(xk_ctx *c, struct xk_kernel *k, char **words)
{
    unsigned moving_grf = 0;
    struct xk_pass_env env = {.platform = xk_platform_find("xehpg"),
                              .spare_grf = 32,
                              .moving_grf = &moving_grf};
    for (; *words; words++) {
        if (!strncmp(*words, "--platform=", 11))
            env.platform = xk_platform_find(*words + 11);
        else if (!strncmp(*words, "--spare=", 8))
            env.spare_grf = (unsigned)strtoul(*words + 8, NULL, 10);
        else if (!strncmp(*words, "--headers=", 10))
            env.header_grf = (unsigned)strtoul(*words + 10, NULL, 10);
        else
            XK_TRY(run_pass(c, k, &env, *words));
        if (!env.platform)
            return xk_fail(c, XK_EINVAL, "%s: no such platform", *words);
    }
    return xk_kernel_verify(c, k, NULL, NULL);
}

int main(int argc, char **argv)
{
    struct xk_kernel k;
    struct xk_str out;
    char *const text = read_all(stdin);
    xk_ctx *const c = xk_ctx_create(NULL);
    (void)argc;
    if (!text || !c)
        return 1;
    xk_str_init(&out, NULL);
    enum xk_status st = xk_kernel_parse(c, text, &k);
    if (st == XK_OK)
        st = optimise(c, &k, argv + 1);
    if (st == XK_OK) {
        xk_kernel_print(&k, &out);
        fputs(xk_str_get(&out), stdout);
    } else {
        fprintf(stderr, "xk_opt: %s\n", c->error.message);
    }
    xk_str_fini(&out);
    xk_ctx_destroy(c);
    free(text);
    return st == XK_OK ? 0 : 1;
}
