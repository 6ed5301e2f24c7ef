/* SPDX-License-Identifier: Apache-2.0 */
/* xk_lower PROBLEM [FIELD=VALUE]...: prints the IR of an f16 problem without
 * bias, channels innermost, weights in blocks of 32 rows and 16 channels, under
 * the schedule below with these fields set; before any pass. Exit 0, or 1 with
 * the error on stderr. */
#include <stdio.h>

#include "conv/conv.h"
#include "lower/lower.h"

static enum xk_status lower(xk_ctx *c, char **words, struct xk_kernel *k)
{
    static struct xk_plan plan;
    static struct xk_contraction con;
    const char *const any[3] = {"acdb", "ABcd32a16b", "acdb"};
    struct xk_conv_desc d = XK_CONV_DESC_INIT, full;
    struct xk_conv_info info = {.size = sizeof(info)};
    struct xk_schedule s = {0};
    d.prop = XK_FWD_D;
    d.src_type = d.wei_type = XK_F16;
    XK_TRY(xk_conv_parse(c, *words, &d, NULL, 0));
    XK_TRY(xk_conv_check(c, &d, &full));
    XK_TRY(xk_conv_tensors(c, &full, any, &info));
    XK_TRY(xk_conv_contraction(c, &full, &info, &con));
    XK_TRY(xk_schedule_parse(c, "fma=dpas simd=8 m=16 n=32 nsub=32 k=16 tg=2x2 "
                                "slots=1,1 slm=3 depth=1 addr=surface grf=256", &s));
    while (*++words)
        XK_TRY(xk_schedule_parse(c, *words, &s));
    XK_TRY(xk_plan_make(c, xk_platform_get(XK_PLATFORM_XEHPG), &con, &s,
                        &plan));
    XK_TRY(xk_lower(c, &plan, "k", k));
    return xk_kernel_verify(c, k, NULL, NULL);
}

int main(int argc, char **argv)
{
    struct xk_kernel k;
    struct xk_str out;
    xk_ctx *const c = xk_ctx_create(NULL);
    if (!c || argc < 2)
        return 1;
    const bool good = lower(c, argv + 1, &k) == XK_OK;
    xk_str_init(&out, NULL);
    if (good)
        xk_kernel_print(&k, &out);
    else
        fprintf(stderr, "%s\n", c->error.message);
    fputs(xk_str_get(&out), stdout);
    xk_str_fini(&out);
    xk_ctx_destroy(c);
    return good ? 0 : 1;
}
