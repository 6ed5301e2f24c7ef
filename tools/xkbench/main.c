/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "tools/xkbench/bench.h"

int main(int argc, char **argv)
{
    struct xk_bench b;
    struct xk_error err = {0};
    xk_bench_init(&b);
    setvbuf(stdout, NULL, _IOLBF, 0);
    const enum xk_status st =
        xk_bench_arguments(&b, argc - 1, (const char *const *)argv + 1, &err);
    int rc = 2;
    if (st < 0) {
        fprintf(stderr, "xkbench: %s\n", err.message);
    } else if (b.help) {
        xk_bench_help(stdout);
        rc = 0;
    } else if (!b.n_seen) {
        fputs("xkbench: no problem given\n", stderr);
        xk_bench_help(stderr);
    } else {
        xk_bench_close(&b);
        rc = xk_bench_exit_code(&b);
    }
    xk_bench_fini(&b);
    return rc;
}
