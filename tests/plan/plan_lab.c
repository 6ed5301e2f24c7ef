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

void plan_lab_case(xk_ctx *c, const struct plan_lab_case *of,
                   struct xk_plan *p)
{
    static struct xk_contraction con;
    static struct xk_platform platform;
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_schedule s = {0};
    d.src_type = of->src;
    d.wei_type = of->wei;
    d.dst_type = of->dst;
    if (of->sum)
        d.post_ops[d.n_post_ops++] = (struct xk_post_op){XK_POST_SUM, 1};
    plan_lab_contraction(c, of->problem, &d, "acdb", of->tag, &con);
    platform = *plan_lab_xehpg();
    platform.kernel_grf = of->registers;
    ck_assert_msg(xk_schedule_parse(c, of->schedule, &s) == XK_OK &&
                      xk_plan_make(c, &platform, &con, &s, p) == XK_OK,
                  "%s: %s", of->problem, c->error.message);
}
