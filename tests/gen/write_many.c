/* SPDX-License-Identifier: Apache-2.0 */
/* write_many surfaces|addresses: the program of many_program.h to standard
 * output, for tests of the tools. */
#include <stdio.h>
#include <string.h>

#include "many_program.h"

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    xk_program *const p = many_program(MANY_FEW, !strcmp(argv[1], "surfaces"));
    const struct xk_launch_info *const l = xk_program_launch(p, 0);
    const size_t n = fwrite(l->zebin, 1, l->zebin_b, stdout);
    const int bad = n != l->zebin_b || fflush(stdout);
    xk_program_unref(p);
    return bad;
}
