/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions on the simulator against references that know nothing of it:
 * the host's arithmetic, exact.h, MPFR, plain loops. The text is assembled by
 * isa/, whose bytes its own tests compare with Intel's assembler. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "tests/sim/exec_tests.h"
#include "tests/tap.h"

void exec_round(unsigned mode)
{
    static const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                                 FE_TOWARDZERO};
    fesetround(modes[mode & 3]);
}

static bool is_nan(const void *p, unsigned size_b)
{
    uint16_t h;
    float f;
    double d;
    switch (size_b) {
    case 2:
        memcpy(&h, p, 2);
        return (h & 0x7fff) > 0x7c00;
    case 4:
        memcpy(&f, p, 4);
        return isnan(f);
    default:
        memcpy(&d, p, 8);
        return isnan(d);
    }
}

bool exec_both_nan(const void *a, const void *b, unsigned size_b)
{
    return is_nan(a, size_b) && is_nan(b, size_b);
}

int main(void)
{
    Suite *s = suite_create("exec");
    exec_convert_tests(s);
    exec_dpas_tests(s);
    exec_macro_tests(s);
    exec_arith_tests(s);
    exec_float_tests(s);
    exec_flow_tests(s);
    return xk_tap_run(s);
}
