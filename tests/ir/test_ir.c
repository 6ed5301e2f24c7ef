/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/ir/suites.h"
#include "tests/tap.h"

int main(void)
{
    Suite *const s = suite_create("ir");
    suite_add_tcase(s, ir_expr_cases());
    suite_add_tcase(s, ir_text_cases());
    suite_add_tcase(s, ir_tiling_cases());
    suite_add_tcase(s, ir_verify_cases());
    return xk_tap_run(s);
}
