/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_lab.h"

#include <check.h>

void plan_lab_contraction(xk_ctx *c, const char *text, struct xk_conv_desc *d,
                          const char *src_tag, const char *wei_tag,
                          struct xk_contraction *con)
{
    struct xk_conv_desc full;
    struct xk_conv_info info = {.size = sizeof(info)};
    const char *const any[3] = {src_tag, wei_tag, "acdb"};
    d->prop = XK_FWD_D;
    ck_assert_int_eq(xk_conv_parse(c, text, d, NULL, 0), XK_OK);
    ck_assert_msg(xk_conv_check(c, d, &full) == XK_OK, "%s", c->error.message);
    ck_assert_int_eq(xk_conv_tensors(c, &full, any, &info), XK_OK);
    ck_assert_msg(xk_conv_contraction(c, &full, &info, con) == XK_OK, "%s",
                  c->error.message);
}

const struct xk_platform *plan_lab_xehpg(void)
{
    return xk_platform_get(XK_PLATFORM_XEHPG);
}
