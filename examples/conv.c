/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution from descriptor to result: describe, query, create, run on the
 * embedded device, print. Build it against an installed xekern:
 *
 *     cc conv.c $(pkg-config --cflags --libs xekern) -o conv
 */
#include <stdio.h>
#include <stdlib.h>

#include <xekern/device.h>
#include <xekern/xekern.h>

/* 3x3 over an 8x8 image, 16 channels in and 32 out: no layout pads those. */
#define TEXT "mb1ic16ih8oc32oh8kh3ph1"

static xk_buffer *buffers[XK_N_CONV_ARGS];

/* Prints what failed and ends: fine for an example, not for a library. */
static void check(enum xk_status status, const struct xk_error *err)
{
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", xk_status_str(status), err->message);
        exit(1);
    }
}

/* Device memory for one tensor, every element with the same value. With all
 * elements equal the layout does not matter. */
static void fill(xk_device *device, const struct xk_tensor_info *t, float value,
                 xk_buffer **out)
{
    struct xk_error err;
    float *const data = malloc(t->size_b);
    if (!data)
        exit(1);
    for (uint64_t i = 0; i < t->size_b / sizeof *data; i++)
        data[i] = value;
    check(xk_buffer_create(device, t->size_b, out, &err), &err);
    check(xk_buffer_write(*out, 0, data, t->size_b, &err), &err);
    free(data);
}

/* All launches of the program, in their order. */
static void run(xk_device *device, const xk_program *program)
{
    const struct xk_launch_info *const l = xk_program_launch(program, 0);
    struct xk_error err;
    struct xk_launch_stats stats;
    struct xk_launch_arg args[XK_N_CONV_ARGS] = {0};
    const struct xk_run_opts opts = {
        .size = sizeof opts, .n_args = XK_N_CONV_ARGS, .args = args};
    xk_module *module;
    for (int i = 0; i < XK_N_CONV_ARGS; i++)
        args[i].buffer = buffers[i];
    check(xk_module_create(device, l->zebin, l->zebin_b, &module, &err), &err);
    check(xk_module_run(module, &opts, &stats, &err), &err);
    printf("ran %llu instructions, %llu of them multiply-adds\n",
           (unsigned long long)stats.instructions,
           (unsigned long long)stats.fma);
    xk_module_unref(module);
}

/* The middle of the image has all 3 * 3 * 16 terms of 2 * 3, the corner has
 * 2 * 2 * 16 of them; the bias adds 1. */
static int print_result(const struct xk_tensor_info *t)
{
    struct xk_error err;
    float dst[8][8][32]; /* nhwc: [oh][ow][oc], mb is 1 */
    if (t->size_b != sizeof dst)
        return 1;
    check(xk_buffer_read(buffers[XK_ARG_DST], 0, dst, sizeof dst, &err), &err);
    printf("corner %g (expected 385), middle %g (expected 865)\n",
           (double)dst[0][0][0], (double)dst[4][4][31]);
    return dst[0][0][0] == 385.0f && dst[4][4][31] == 865.0f ? 0 : 1;
}

int main(void)
{
    static const float values[XK_N_CONV_ARGS] = {2, 3, 1, 0};
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_conv_info info = {.size = sizeof info};
    struct xk_error err;
    xk_program *program;
    xk_device *device;

    d.prop = XK_FWD_B;
    check(xk_conv_desc_parse(TEXT, &d, NULL, 0, &err), &err);
    check(xk_conv_query(&d, &info, &err), &err);
    printf("src %s, wei %s, dst %s, %u launch(es)\n", info.tensor[0].tag,
           info.tensor[1].tag, info.tensor[3].tag, (unsigned)info.n_launches);

    check(xk_conv_create(&d, NULL, &program, &err), &err);
    check(xk_device_create("sim", "xehpg", 0, &device, &err), &err);
    for (int i = 0; i < XK_N_CONV_ARGS; i++)
        if (info.tensor[i].ndims)
            fill(device, &info.tensor[i], values[i], &buffers[i]);
    run(device, program);
    const int rc = print_result(&info.tensor[XK_ARG_DST]);

    for (int i = 0; i < XK_N_CONV_ARGS; i++)
        xk_buffer_unref(buffers[i]);
    xk_device_unref(device);
    xk_program_unref(program);
    return rc;
}
