/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/simplify/suites.h"
#include "tests/tap.h"

int main(void)
{
    Suite *const s = suite_create("simplify");
    /* First: it sees the rule table being compiled without memory. */
    suite_add_tcase(s, simplify_table_cases());
    suite_add_tcase(s, simplify_rule_cases());
    suite_add_tcase(s, simplify_fuzz_cases());
    return xk_tap_run(s);
}
