/* SPDX-License-Identifier: Apache-2.0 */
/* xk_lower PROBLEM [u8s8] [zero] [gradients] [src=TAG] [wei=TAG] [sum]
 * [registers=N] [expand] [FIELD=VALUE]...: prints the IR of an f16 problem, or
 * one of u8 and s8, without bias, channels innermost but for the source with
 * another TAG, weights in blocks of 32 rows and 16 (32) channels or as TAG
 * says, added to what the destination holds (sum), with a zero point of the
 * source (zero), or the gradients of weights and bias in f32, out of one loop
 * (gradients), on a platform whose threads have N registers, under the schedule
 * below with these fields set; before any pass, or behind pass expand (expand).
 * Exit 0, or 1 with the error on stderr. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conv/conv.h"
#include "lower/lower.h"
#include "passes/passes.h"
#include "tests/conv/conv_nest.h"
#include "tests/set_schedule.h"

static bool expands; /* the word "expand" was there */

/* The optional words that are no fields of a schedule. */
static void take_words(char ***words, struct xk_conv_desc *d,
                       struct xk_platform *p)
{
    static const char registers[] = "registers=", src[] = "src=",
                      wei[] = "wei=";
    if ((*words)[1] && !strcmp((*words)[1], "u8s8")) {
        d->src_type = d->dst_type = XK_U8;
        d->wei_type = XK_S8;
        ++*words;
    }
    if ((*words)[1] && !strcmp((*words)[1], "zero")) {
        d->attr.zero_point[XK_ARG_SRC] =
            (struct xk_quant){.source = XK_QUANT_DEVICE, .type = XK_S32};
        ++*words;
    }
    if ((*words)[1] && !strcmp((*words)[1], "gradients")) {
        d->prop = XK_BWD_WB;
        d->src_type = d->wei_type = d->dst_type = d->bia_type = XK_F32;
        ++*words;
    }
    if ((*words)[1] && !strncmp((*words)[1], src, strlen(src)))
        snprintf(d->src_tag, sizeof(d->src_tag), "%s", *++*words + strlen(src));
    if ((*words)[1] && !strncmp((*words)[1], wei, strlen(wei)))
        snprintf(d->wei_tag, sizeof(d->wei_tag), "%s", *++*words + strlen(wei));
    if ((*words)[1] && !strcmp((*words)[1], "sum")) {
        d->post_ops[d->n_post_ops++] =
            (struct xk_post_op){.kind = XK_POST_SUM, .alpha = 1};
        ++*words;
    }
    if ((*words)[1] && !strncmp((*words)[1], registers, strlen(registers))) {
        p->kernel_grf = (uint16_t)atoi((*words)[1] + strlen(registers));
        ++*words;
    }
    if ((*words)[1] && !strcmp((*words)[1], "expand")) {
        expands = true;
        ++*words;
    }
}

static struct xk_plan plan;

static enum xk_status gradients_nest(xk_ctx *c, const struct xk_conv_desc *full,
                                     const struct xk_conv_info *info,
                                     struct xk_nest *out)
{
    static struct xk_contraction con, bias;
    XK_TRY(xk_conv_backward_weights(c, full, info, &con));
    XK_TRY(xk_conv_backward_bias(c, full, info, &bias));
    xk_conv_share_bias(&bias, &con);
    XK_TRY(xk_contraction_check(c, &con));
    return xk_nest_make(c, &con, out);
}

static enum xk_status lower(xk_ctx *c, char **words, struct xk_kernel *k)
{
    static struct xk_nest con;
    const char *any[3] = {"acdb", "ABcd32a16b", "acdb"};
    struct xk_conv_desc d = XK_CONV_DESC_INIT, full;
    struct xk_conv_info info = {.size = sizeof(info)};
    struct xk_schedule s = {0};
    struct xk_platform platform = *xk_platform_get(XK_PLATFORM_XEHPG);
    d.prop = XK_FWD_D;
    d.src_type = d.wei_type = XK_F16;
    XK_TRY(xk_conv_parse(c, *words, &d, NULL, 0));
    take_words(&words, &d, &platform);
    if (d.src_type == XK_U8)
        any[1] = "ABcd32a32b";
    XK_TRY(xk_conv_check(c, &d, &full));
    XK_TRY(test_conv_tensors(c, &full, any, &info));
    XK_TRY(d.prop == XK_BWD_WB ? gradients_nest(c, &full, &info, &con)
                               : test_conv_nest(c, &full, &info, &con));
    XK_TRY(test_set_schedule(
        c,
        "fma=dpas simd=8 m=16 n=32 nsub=32 k=16 tg=2x2 "
        "walk=:po slices=1 slots=1,1 slm=3 addr=surface grf=256",
        &s));
    while (*++words)
        XK_TRY(test_set_schedule(c, *words, &s));
    if (xk_schedule_packs(&s))
        XK_TRY(xk_nest_pack(c, &con, s.k_step));
    XK_TRY(xk_plan_make(c, &platform, &con, &s, &plan));
    XK_TRY(xk_lower(c, &plan, "k", k));
    const struct xk_pass_env env = {.platform = &platform};
    if (expands)
        XK_TRY(xk_passes_call(c, k, &env, "expand", NULL, NULL));
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
    if (good && plan.n_buffers) {
        xk_str_puts(&out, "; passes: ");
        xk_plan_print_calls(&plan, &out);
        xk_str_putc(&out, '\n');
    }
    if (good)
        xk_kernel_print(&k, &out);
    else
        fprintf(stderr, "%s\n", c->error.message);
    fputs(xk_str_get(&out), stdout);
    xk_str_fini(&out);
    xk_ctx_destroy(c);
    return good ? 0 : 1;
}
