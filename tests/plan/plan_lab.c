/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_lab.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/conv/conv_nest.h"
#include "tests/set_schedule.h"

void plan_lab_contraction(xk_ctx *c, const char *text, struct xk_conv_desc *d,
                          const char *src_tag, const char *wei_tag,
                          struct xk_nest *con)
{
    struct xk_conv_desc full;
    struct xk_conv_info info = {.size = sizeof(info)};
    const char *const any[3] = {src_tag, wei_tag, "acdb"};
    d->prop = XK_FWD_D;
    ck_assert_int_eq(xk_conv_parse(c, text, d, NULL, 0), XK_OK);
    ck_assert_msg(xk_conv_check(c, d, &full) == XK_OK, "%s", c->error.message);
    ck_assert_int_eq(test_conv_tensors(c, &full, any, &info), XK_OK);
    ck_assert_msg(test_conv_nest(c, &full, &info, con) == XK_OK, "%s",
                  c->error.message);
}

const struct xk_platform *plan_lab_xehpg(void)
{
    return xk_platform_get(XK_PLATFORM_XEHPG);
}

/* Weights that suit the schedule. */
static const char *weights_of(const char *text)
{
    const bool wide = strstr(text, " n=64") != NULL;
    return wide ? "ABcd64a16b" : "ABcd32a16b";
}

enum xk_status plan_lab_flat(xk_ctx *c, const char *problem,
                             const char *src_tag, const char *text,
                             struct xk_nest *con, struct xk_plan *p)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_schedule s = {0};
    d.src_type = d.wei_type = d.dst_type = XK_F16;
    snprintf(d.src_tag, sizeof(d.src_tag), "%s", src_tag);
    snprintf(d.dst_tag, sizeof(d.dst_tag), "axb");
    plan_lab_contraction(c, problem, &d, src_tag, weights_of(text), con);
    ck_assert_int_eq(
        test_set_schedule(c,
                          "simd=8 k=16 grf=256 addr=surface walk=:po slm=0 "
                          "slices=1 tg=2x1 slots=1,2",
                          &s),
        XK_OK);
    ck_assert_int_eq(test_set_schedule(c, text, &s), XK_OK);
    return xk_plan_make(c, plan_lab_xehpg(), con, &s, p);
}

void plan_lab_case(xk_ctx *c, const struct plan_lab_case *of, struct xk_plan *p)
{
    static struct xk_nest con;
    static struct xk_platform platform;
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_schedule s = {0};
    d.src_type = of->src;
    d.wei_type = of->wei;
    d.dst_type = of->dst;
    if (of->sum)
        d.post_ops[d.n_post_ops++] =
            (struct xk_post_op){.kind = XK_POST_SUM, .alpha = 1};
    plan_lab_contraction(c, of->problem, &d, "acdb", of->tag, &con);
    platform = *(of->on ? xk_platform_find(of->on) : plan_lab_xehpg());
    platform.kernel_grf = of->registers;
    ck_assert_msg(test_set_schedule(c, of->schedule, &s) == XK_OK &&
                      xk_plan_make(c, &platform, &con, &s, p) == XK_OK,
                  "%s: %s", of->problem, c->error.message);
}
