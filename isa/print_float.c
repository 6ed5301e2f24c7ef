/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point immediates: six digits, seven digits or the bits, the first
 * that reads back as the same number. */
#include "isa/inst_print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"

/* value as %g or %.6e, if that reads back as the same number. Read as double
 * and then narrowed, as iga64 does. */
static bool try_format(char *text, size_t cap, bool long_form, double value,
                       bool single)
{
    double back;
    char *comma;

    snprintf(text, cap, long_form ? "%.6e" : "%g", value);
    back = strtod(text, NULL);
    if (single)
        back = (double)(float)back;
    comma = strchr(text, ','); /* some locales */
    if (comma)
        *comma = '.';
    return memcmp(&back, &value, sizeof(back)) == 0;
}

/* single: the number is a float or narrower. */
static void print_decimal(struct xk_line *l, double value, bool single,
                          uint64_t bits)
{
    char text[40];

    if (try_format(text, sizeof(text), false, value, single)) {
        xk_put_s(l, text);
        if (!strpbrk(text, ".e"))
            xk_put_s(l, ".0");
    } else if (try_format(text, sizeof(text), true, value, single)) {
        xk_put_s(l, text);
    } else {
        xk_put_x(l, bits, 1);
    }
}

/* n_bits wide, of which frac_bits fraction. */
static void print_bits(struct xk_line *l, uint64_t bits, unsigned n_bits,
                       unsigned frac_bits, double value)
{
    const uint64_t frac = bits & ((UINT64_C(1) << frac_bits) - 1);
    const uint64_t quiet = UINT64_C(1) << (frac_bits - 1);

    if (!isinf(value) && !isnan(value)) {
        print_decimal(l, value, n_bits != 64, bits);
        return;
    }
    if (bits >> (n_bits - 1) & 1)
        xk_put_c(l, '-');
    if (isinf(value)) {
        xk_put_s(l, "inf");
        return;
    }
    xk_put_s(l, frac & quiet ? "qnan(" : "snan(");
    xk_put_x(l, frac & ~quiet, 1);
    xk_put_c(l, ')');
}

void xk_print_float(struct xk_line *l, const struct xk_operand *o)
{
    const uint32_t bits = (uint32_t)o->imm;
    double wide;
    float f;

    if (o->type == XK_RT_HF) {
        print_bits(l, bits & 0xffff, 16, 10,
                   (double)xk_half_to_float((uint16_t)bits));
    } else if (o->type == XK_RT_DF) {
        memcpy(&wide, &o->imm, sizeof(wide));
        print_bits(l, o->imm, 64, 52, wide);
    } else {
        memcpy(&f, &bits, sizeof(f));
        print_bits(l, bits, 32, 23, (double)f);
    }
}
