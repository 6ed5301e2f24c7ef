/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/conv/suites.h"

xk_ctx *test_ctx;

void test_setup(void)
{
    test_ctx = xk_ctx_create(NULL);
}

void test_teardown(void)
{
    ck_assert_uint_eq(xk_ctx_destroy(test_ctx), 0);
}

struct xk_conv_desc test_parse(const char *text)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    const enum xk_status st = xk_conv_parse(test_ctx, text, &d, NULL, 0);
    ck_assert_msg(st == XK_OK, "%s: %s", text, test_ctx->error.message);
    return d;
}

int main(void)
{
    SRunner *const r = srunner_create(suite_problem());
    srunner_add_suite(r, suite_check());
    srunner_add_suite(r, suite_attr());
    srunner_add_suite(r, suite_tensors());
    srunner_add_suite(r, suite_forward());
    srunner_add_suite(r, suite_post_ops());
    srunner_add_suite(r, suite_sums_inside());
#ifdef XK_HAVE_DNNL
    srunner_add_suite(r, suite_dnnl());
#endif
    srunner_set_tap(r, "-");
    srunner_run_all(r, CK_SILENT);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
