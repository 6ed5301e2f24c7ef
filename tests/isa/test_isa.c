/* SPDX-License-Identifier: Apache-2.0 */
/* What can be tested of isa/ without another program. */
#include "tests/isa/tests.h"

int main(void)
{
    Suite *const s = suite_create("isa");

    suite_add_tcase(s, isa_codec_case());
    suite_add_tcase(s, isa_footprint_case());
    suite_add_tcase(s, isa_message_case());
    suite_add_tcase(s, isa_rules_case());
    suite_add_tcase(s, isa_workaround_case());
    return xk_tap_run(s);
}
