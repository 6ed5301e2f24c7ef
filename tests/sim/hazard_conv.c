/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/hazard_conv.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "container/zebin_read.h"

/* Small numbers of the type, so that sums neither overflow nor vanish. */
static void fill(uint8_t *p, const struct xk_tensor_info *t)
{
    static const uint16_t half[4] = {0x3c00, 0xbc00, 0x4000, 0x3800};
    static const float single[4] = {1, -1, 2, 0.5f};
    const unsigned e_b = t->type == XK_F16                        ? 2
                         : t->type == XK_F32 || t->type == XK_S32 ? 4
                                                                  : 1;
    uint32_t x = 12345;
    for (uint64_t at = 0; at + e_b <= t->size_b; at += e_b) {
        x = x * 1664525u + 1013904223u;
        const uint32_t k = x >> 28 & 3;
        if (t->type == XK_F32)
            memcpy(p + at, &single[k], 4);
        else if (t->type == XK_F16)
            memcpy(p + at, &half[k], 2);
        else
            p[at] = (uint8_t)k;
    }
}

static void bind(struct conv_lab *x)
{
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        const struct xk_tensor_info *const t =
            &xk_program_info(x->program)->tensor[i];
        if (!t->ndims)
            continue;
        x->mem[i] = calloc(1, t->size_b);
        ck_assert_ptr_nonnull(x->mem[i]);
        fill(x->mem[i], t);
        ck_assert_int_eq(
            xk_buffer_create(x->device, t->size_b, &x->buf[i], &x->err), XK_OK);
    }
    x->dst_b = xk_program_info(x->program)->tensor[XK_ARG_DST].size_b;
}

static void copy_code(struct conv_lab *x)
{
    const struct xk_launch_info *const l = xk_program_launch(x->program, 0);
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_zebin z;
    x->zebin = malloc(l->zebin_b);
    ck_assert_ptr_nonnull(x->zebin);
    memcpy(x->zebin, l->zebin, l->zebin_b);
    ck_assert_int_eq(xk_zebin_read(c, x->zebin, l->zebin_b, &z), XK_OK);
    for (uint32_t k = 0; k < z.n_kernels; k++) {
        if (strcmp(z.kernels[k].name, l->kernel))
            continue;
        x->code = x->zebin + (z.kernels[k].code - x->zebin);
        x->code_b = z.kernels[k].code_b;
    }
    xk_zebin_fini(c, &z);
    xk_ctx_destroy(c);
    ck_assert_ptr_nonnull(x->code);
}

void conv_open(struct conv_lab *x, const struct conv *c)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    *x = (struct conv_lab){0};
    d.prop = XK_FWD_B;
    d.src_type = c->src;
    d.wei_type = c->wei;
    d.dst_type = c->dst;
    ck_assert_msg(xk_conv_desc_parse(c->text, &d, NULL, 0, &x->err) == XK_OK,
                  "%s", x->err.message);
    ck_assert_msg(xk_conv_create(&d, NULL, &x->program, &x->err) == XK_OK, "%s",
                  x->err.message);
    ck_assert_int_eq(xk_device_create("sim", "xehpg", 1, &x->device, &x->err),
                     XK_OK);
    bind(x);
    copy_code(x);
}

void conv_close(struct conv_lab *x)
{
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        xk_buffer_unref(x->buf[i]);
        free(x->mem[i]);
    }
    xk_device_unref(x->device);
    xk_program_unref(x->program);
    free(x->zebin);
}

static uint32_t sum_of(const uint8_t *p, uint64_t n_b)
{
    uint32_t h = 2166136261u;
    for (uint64_t i = 0; i < n_b; i++)
        h = (h ^ p[i]) * 16777619u;
    return h;
}

static enum xk_status fill_buffers(struct conv_lab *x)
{
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        if (!x->buf[i])
            continue;
        XK_TRY(xk_buffer_write(x->buf[i], 0, x->mem[i],
                               xk_program_info(x->program)->tensor[i].size_b,
                               &x->err));
    }
    return XK_OK;
}

enum xk_status conv_run(struct conv_lab *x, const struct xk_simulate_opts *o,
                        uint32_t *sum)
{
    const struct xk_launch_info *const l = xk_program_launch(x->program, 0);
    struct xk_launch_arg args[XK_MAX_LAUNCH_ARGS] = {{0}};
    xk_module *m = NULL;
    uint8_t *const out = malloc(x->dst_b);
    ck_assert_ptr_nonnull(out);
    for (unsigned i = 0; i < l->n_args; i++)
        args[i].buffer = x->buf[l->args[i].tensor];
    enum xk_status s = xk_simulate_configure(x->device, o, &x->err);
    if (s == XK_OK)
        s = fill_buffers(x);
    if (s == XK_OK)
        s = xk_module_create(x->device, x->zebin, l->zebin_b, &m, &x->err);
    if (s == XK_OK)
        s = xk_launch(m,
                      &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                               l->kernel, l->groups, l->local,
                                               l->n_args, args},
                      NULL, &x->err);
    if (m &&
        xk_buffer_read(x->buf[XK_ARG_DST], 0, out, x->dst_b, NULL) == XK_OK &&
        sum)
        *sum = sum_of(out, x->dst_b);
    xk_module_unref(m);
    free(out);
    return s;
}
