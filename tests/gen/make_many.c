/* SPDX-License-Identifier: Apache-2.0 */
/* make_many N: makes programs that are no convolutions, and runs none.
 * XK_DUMP=zebin keeps them: N random formulas, two in a row, fills, sums of
 * parts, a program with many arguments, N/4 random nests; each with surfaces
 * and with addresses. */
#include <stdio.h>
#include <stdlib.h>

#include "any_formula.h"
#include "launches_lab.h"
#include "many_program.h"
#include "tests/passes/random_nest.h"
#include "xekern/formulas.h"
#include "xekern/ir.h"

static unsigned made, refused;

static void count(const char *what, enum xk_status st, xk_program *p,
                  const struct xk_error *err)
{
    if (st == XK_OK)
        made++;
    else
        refused++;
    if (st != XK_OK && st != XK_ENOFIT && st != XK_EUNSUPPORTED)
        fprintf(stderr, "%s: %s\n", what, err->message);
    xk_program_unref(p);
}

static void make_formulas(const char *const *text, unsigned n, bool addresses)
{
    const struct xk_formulas f = {
        .size = sizeof f, .platform = XK_PLATFORM_XEHPG, .n = n, .text = text};
    const struct xk_create_options o = {.size = sizeof o,
                                        .flags = addresses ? XK_CREATE_A64 : 0};
    struct xk_error err;
    xk_program *p = NULL;
    const enum xk_status st = xk_formulas_create(&f, &o, &p, &err);
    count(text[0], st, p, &err);
}

static void make_random_formulas(unsigned n)
{
    for (unsigned seed = 1; seed <= n; seed++) {
        char text[ANY_FORMULA_SIZE];
        const char *const list = text;
        any_formula(seed, text);
        make_formulas(&list, 1, seed % 5 == 4);
    }
}

static void make_nests(unsigned n)
{
    static struct xk_random_nest g;
    for (unsigned seed = 1; seed <= n; seed++) {
        const struct xk_ir_source s = {.size = sizeof s,
                                       .platform = XK_PLATFORM_XEHPG,
                                       .text = g.text,
                                       .passes = g.passes,
                                       .grf_count = seed % 3 ? 128 : 256,
                                       .spare_grf = 16};
        struct xk_error err;
        xk_program *p = NULL;
        xk_random_nest(seed, &g);
        count(g.text, xk_ir_create(&s, NULL, &p, &err), p, &err);
    }
}

static void make_launch(const struct xk_launch *l, bool addresses)
{
    const struct xk_program_arg_info a[] = {
        {.name = "part", .number = 0, .size_b = 1 << 20},
        {.name = "dst", .number = 1, .size_b = 1 << 20, .written = 1}};
    const struct xk_launches all = {
        .n_args = 2, .args = a, .n = 1, .at = l, .addresses = addresses};
    struct xk_error err;
    xk_program *const p = lab_make(&all, &err);
    count(l->name, err.status, p, &err);
}

static void make_flat(bool addresses)
{
    static const struct xk_fill fills[] = {
        {0, 4096, 1}, {4, 4099, 0}, {8, 7, 9}};
    static const int64_t sizes[] = {1, 16, 513, 4099};
    static const enum xk_dtype types[] = {XK_DT_F32, XK_DT_F16, XK_DT_BF16,
                                          XK_DT_U8, XK_DT_S8};
    const struct xk_bind bind[] = {{"part", XK_BIND_TENSOR, 0, 0},
                                   {"dst", XK_BIND_TENSOR, 1, 0}};
    for (unsigned i = 0; i < 3; i++) {
        const struct xk_launch l = {XK_LAUNCH_FILL, "fill", .u.fill = fills[i],
                                    1, bind + 1};
        make_launch(&l, addresses);
    }
    for (unsigned i = 0; i < 20; i++) {
        const int64_t n = sizes[i / 5];
        const struct xk_launch l = {XK_LAUNCH_REDUCE, "sum",
                                    .u.reduce = {n, n, i + 1, types[i % 5]}, 2,
                                    bind};
        make_launch(&l, addresses);
    }
    xk_program_unref(many_program(MANY_FEW, !addresses));
    made++;
}

int main(int argc, char **argv)
{
    static const char *const two[] = {
        "A: f16[37,48]; B: f16[48,40]; T: f16[37,40]; T[m,n] += A[m,k] * "
        "B[k,n] "
        "-> relu",
        "T: f16[37,40]; D: f16[40,24]; C[m,n] += T[m,k] * D[k,n]"};
    const unsigned n = argc == 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    if (!n)
        return 2;
    make_random_formulas(n);
    make_nests(n / 4);
    for (int addresses = 0; addresses < 2; addresses++) {
        make_formulas(two, 2, addresses);
        make_flat(addresses);
    }
    printf("%u programs, %u refused\n", made, refused);
    return made < n;
}
