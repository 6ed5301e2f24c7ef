/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "tools/problem/output.h"
#include "tools/xkbench/bench.h"

int main(int argc, char **argv)
{
    struct xk_bench b;
    struct xk_error err = {0};
    xk_tool_standard_begin();
    xk_bench_init(&b);
    setvbuf(stdout, NULL, _IOLBF, 0);
    const char *const *const args = (const char *const *)argv + 1;
    enum xk_status st = xk_bench_check_order(argc - 1, args, &err);
    if (st >= 0)
        st = xk_bench_arguments(&b, argc - 1, args, &err);
    int rc = b.batch_failed ? 1 : 2;
    if (st < 0) {
        if (b.n_tests)
            xk_bench_close(&b);
        fprintf(stderr, "xkbench: %s\n", err.message);
    } else if (b.help) {
        xk_bench_help(stdout);
        rc = 0;
    } else if (!b.n_seen) {
        fprintf(stderr,
                "xkbench: %s%s\n" XK_BENCH_USAGE
                "xkbench --help lists the options.\n",
                b.unused,
                b.unused[0] ? ": no problem follows" : "no problem given");
    } else {
        xk_bench_close(&b);
        rc = xk_bench_exit_code(&b);
        if (!b.n_tests)
            fprintf(stderr, "xkbench: match: no problem's line matches\n");
        if (b.unused[0] && xk_bench_unused(b.unused, &err) < 0)
            fprintf(stderr, "xkbench: warning: %s\n", err.message);
    }
    xk_bench_fini(&b);
    return xk_tool_standard_end("xkbench", rc);
}
