/* SPDX-License-Identifier: Apache-2.0 */
/* For tests/isa/test_print.py:
 *   print_tool PLATFORM default|ldst|numeric FILE...
 * our text of raw code, one file after the other; a line "=== milliseconds"
 * ends each. Exit 1: something in it does not decode.
 *   print_tool PLATFORM random SEED COUNT FILE
 * writes the code of so many random instructions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "isa/disasm.h"
#include "tests/isa/iga.h"
#include "tests/isa/random_inst.h"

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Code, and how it is to be printed. */
struct code {
    const uint8_t *bytes;
    size_t n_b;
    const struct xk_disasm_opts *opts;
};

/* The fastest of some runs: the first one pays for fresh memory. */
static double disassemble(xk_ctx *c, const struct xk_platform *p,
                          const struct code *in, struct xk_str *out,
                          unsigned *n_bad)
{
    double best_ms = -1;

    for (unsigned k = 0; k < 5; k++) {
        const double start = now_ms();
        double ms;

        xk_str_clear(out);
        *n_bad = xk_disassemble_code(c, p, in->bytes, in->n_b, in->opts, out);
        ms = now_ms() - start;
        if (xk_ctx_status(c) != XK_OK)
            return -1;
        if (best_ms < 0 || ms < best_ms)
            best_ms = ms;
    }
    return best_ms;
}

static unsigned print_file(xk_ctx *c, const struct xk_platform *p,
                           const char *mode, const char *path)
{
    const struct xk_disasm_opts o = {.ldst = !strcmp(mode, "ldst"),
                                     .numeric = !strcmp(mode, "numeric"),
                                     .bfn_numbers = !strcmp(mode, "numeric")};
    unsigned n_bad = 1;
    struct xk_str out;
    size_t n_b;
    char *const code = iga_read_file(path, &n_b);
    double ms = -1;

    xk_str_init(&out, NULL);
    if (code)
        ms = disassemble(c, p, &(struct code){(uint8_t *)code, n_b, &o}, &out,
                         &n_bad);
    if (ms >= 0)
        printf("%s=== %.3f\n", xk_str_get(&out), ms);
    else
        fprintf(stderr, "%s: %s\n", path, c->error.message);
    xk_str_fini(&out);
    free(code);
    return n_bad;
}

static int write_random(const struct xk_platform *p, char **arg)
{
    struct rng r = {strtoull(arg[0], NULL, 0)};
    const unsigned n = (unsigned)strtoul(arg[1], NULL, 0);
    FILE *const f = fopen(arg[2], "wb");
    bool ok = f != NULL;

    for (unsigned k = 0; ok && k < n; k++) {
        struct xk_error err = {XK_OK, ""};
        uint8_t bytes[XK_INST_B];
        struct xk_inst i;

        random_inst(p, &r, random_opcode(p, &r), &i);
        random_targets(&r, &i, k, n);
        ok = xk_inst_encode(p, &i, bytes, &err) == XK_OK &&
             fwrite(bytes, sizeof(bytes), 1, f) == 1;
        if (!ok)
            fprintf(stderr, "%s: %s\n", xk_opcode_name(i.op), err.message);
    }
    return f && fclose(f) == 0 && ok ? 0 : 1;
}

static int print_files(const struct xk_platform *p, const char *mode,
                       char **path, int n)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    unsigned n_bad = !c;

    for (int k = 0; c && k < n; k++)
        n_bad += print_file(c, p, mode, path[k]);
    xk_ctx_destroy(c);
    return n_bad != 0;
}

int main(int argc, char **argv)
{
    const struct xk_platform *const p =
        argc > 3 ? xk_platform_find(argv[1]) : NULL;

    if (p && argc == 6 && !strcmp(argv[2], "random"))
        return write_random(p, argv + 3);
    if (p)
        return print_files(p, argv[2], argv + 3, argc - 3);
    fprintf(stderr, "print_tool PLATFORM default|ldst|numeric FILE...\n"
                    "print_tool PLATFORM random SEED COUNT FILE\n");
    return 2;
}
