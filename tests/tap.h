/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one Check suite with TAP on stdout; the program's exit status. */
#ifndef XK_TESTS_TAP_H
#define XK_TESTS_TAP_H

#include <check.h>
#include <stdlib.h>

/* Check writes each assertion that holds to a file; tests that compare byte by
 * byte spend nine tenths of their time on it. One that fails says its place. */
#undef ck_assert_msg
#define ck_assert_msg(expr, ...)                                               \
    ((expr) ? (void)0                                                          \
            : _ck_assert_failed(__FILE__, __LINE__,                            \
                                "Assertion '" #expr "' failed", __VA_ARGS__))

static inline int xk_tap_run(Suite *s)
{
    SRunner *const r = srunner_create(s);
    srunner_set_tap(r, "-");
    srunner_run_all(r, CK_SILENT);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
