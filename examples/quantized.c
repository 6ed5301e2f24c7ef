/* SPDX-License-Identifier: Apache-2.0 */
/* The int8 convolution of a quantized network: src is u8 with a zero point, the
 * weights are s8 with a scale for each output channel, and the residual, which
 * lies where the result will be, is added in the same kernel. A loop over the
 * definition (xekern/attr.h) says what each byte must be. C11, and C++11:
 *
 *     cc quantized.c $(pkg-config --cflags --libs xekern) -lm -o quantized
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <xekern/device.h>
#include <xekern/xekern.h>

/* 3x3 with a border of one; sizes that fill no tile. */
enum { IC = 20, OC = 24, SIZE = 9, TAPS = 3 };

#define SRC_ZERO 7    /* the byte that stands for 0 */
#define RESIDUAL 0.5f /* what the old bytes of dst are multiplied by */
#define DST_ZERO 3    /* given by the host when the kernel runs */
#define N_SRC (IC * SIZE * SIZE)
#define N_WEI (OC * IC * TAPS * TAPS)
#define N_DST (OC * SIZE * SIZE)

static unsigned char src[N_SRC], dst[N_DST]; /* [channel][row][column] */
static signed char wei[N_WEI];               /* [oc][ic][row][column] */
static float scale[OC], bias[OC];

/* Prints what failed and ends: fine for an example, not for a library. */
static void demand_ok(enum xk_status status, const struct xk_error *err)
{
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", xk_status_str(status), err->message);
        exit(1);
    }
}

static void make_data(void)
{
    int i;
    srand(1);
    for (i = 0; i < N_SRC; i++)
        src[i] = (unsigned char)(rand() / 16 % 16);
    for (i = 0; i < N_WEI; i++)
        wei[i] = (signed char)(rand() / 16 % 15 - 7);
    for (i = 0; i < N_DST; i++)
        dst[i] = (unsigned char)(rand() / 16 % 256);
    for (i = 0; i < OC; i++) {
        scale[i] = i % 2 ? 0.5f : 0.25f;
        bias[i] = (float)(i - 4);
    }
}

/* The tensors are the caller's, so are their layouts: channels innermost. Those
 * of the weights are left to the library. */
static void describe_problem(struct xk_conv_desc *d)
{
    struct xk_error err;
    struct xk_quant *const of_wei = &d->attr.scale[XK_ARG_WEI];
    struct xk_quant *const zero_src = &d->attr.zero_point[XK_ARG_SRC];
    struct xk_quant *const zero_dst = &d->attr.zero_point[XK_ARG_DST];
    demand_ok(xk_conv_desc_parse("mb1ic20ih9oc24oh9kh3ph1", d, NULL, 0, &err),
              &err);
    d->prop = XK_FWD_B;
    d->src_type = d->dst_type = XK_U8;
    d->wei_type = XK_S8;
    snprintf(d->src_tag, sizeof d->src_tag, "nhwc");
    snprintf(d->dst_tag, sizeof d->dst_tag, "nhwc");
    of_wei->source = XK_QUANT_DEVICE;
    of_wei->mask = 1; /* a value for each output channel, f32 */
    zero_src->source = XK_QUANT_DEVICE; /* one s32 */
    zero_dst->source = XK_QUANT_HOST;
    d->n_post_ops = 2;
    d->post_ops[0].kind = XK_POST_SUM;
    d->post_ops[0].alpha = RESIDUAL;
    d->post_ops[1].kind = XK_POST_RELU;
}

/* Where an element lies, by its index along each dim. */
static long long byte_place(const struct xk_tensor_info *t, const int *at)
{
    long long sum = 0;
    uint32_t i;
    for (i = 0; i < t->n_blocks; i++) {
        const struct xk_layout_block *const b = &t->blocks[i];
        sum += at[b->dim] / b->div % b->size * b->stride;
    }
    return sum;
}

/* Between a plain array, the last dim innermost, and the tensor's layout. */
static void rearrange(const struct xk_tensor_info *t, void *plain, void *image,
                      int back)
{
    unsigned char *const p = (unsigned char *)plain;
    unsigned char *const m = (unsigned char *)image;
    long long i, rest, n = 1;
    uint32_t d;
    int at[XK_MAX_NDIMS];
    for (d = 0; d < t->ndims; d++)
        n *= t->dims[d];
    for (i = 0; i < n; i++) {
        for (rest = i, d = t->ndims; d-- > 0; rest /= t->dims[d])
            at[d] = (int)(rest % t->dims[d]);
        if (back)
            p[i] = m[byte_place(t, at)];
        else
            m[byte_place(t, at)] = p[i];
    }
}

/* A tensor of bytes on the device; padding of its layout is zero. */
static xk_buffer *upload_bytes(xk_device *device,
                               const struct xk_tensor_info *t, void *plain)
{
    struct xk_error err;
    xk_buffer *buffer;
    void *const image = calloc(1, t->size_b);
    if (!image)
        exit(1);
    rearrange(t, plain, image, 0);
    demand_ok(xk_buffer_create(device, t->size_b, &buffer, &err), &err);
    demand_ok(xk_buffer_write(buffer, 0, image, t->size_b, &err), &err);
    free(image);
    return buffer;
}

/* Values as they are: bias, scales, a zero point. */
static xk_buffer *upload_plain(xk_device *device, const void *data, size_t n_b)
{
    struct xk_error err;
    xk_buffer *buffer;
    demand_ok(xk_buffer_create(device, n_b, &buffer, &err), &err);
    demand_ok(xk_buffer_write(buffer, 0, data, n_b, &err), &err);
    return buffer;
}

static void launch(xk_device *device, const xk_program *program,
                   const struct xk_launch_arg *args, unsigned n)
{
    const struct xk_launch_info *const l = xk_program_launch(program, 0);
    struct xk_run_opts opts;
    struct xk_error err;
    xk_module *module;
    unsigned char *const zero = (unsigned char *)&opts;
    size_t i;
    for (i = 0; i < sizeof opts; i++)
        zero[i] = 0;
    opts.size = (uint32_t)sizeof opts;
    opts.n_args = n;
    opts.args = args;
    demand_ok(xk_module_create(device, l->zebin, l->zebin_b, &module, &err),
              &err);
    demand_ok(xk_module_run(module, &opts, NULL, &err), &err);
    xk_module_unref(module);
}

/* The definition for one element; the taps outside src count as 0. */
static int expected(int oc, int row, int column, unsigned char old)
{
    int sum = 0, ic, i, j;
    for (ic = 0; ic < IC; ic++)
        for (i = 0; i < TAPS; i++)
            for (j = 0; j < TAPS; j++) {
                const int y = row + i - 1, x = column + j - 1;
                if (y >= 0 && y < SIZE && x >= 0 && x < SIZE)
                    sum += (src[(ic * SIZE + y) * SIZE + x] - SRC_ZERO) *
                           wei[((oc * IC + ic) * TAPS + i) * TAPS + j];
            }
    {
        float v = (float)sum * scale[oc] + bias[oc] + RESIDUAL * (float)old;
        v = v > 0 ? v : 0;
        v = nearbyintf(v + DST_ZERO); /* ties to even, as kernels round */
        return v > 255 ? 255 : (int)v;
    }
}

static int count_wrong(const unsigned char *old)
{
    int i, wrong = 0, saturated = 0;
    for (i = 0; i < N_DST; i++) {
        const int want =
            expected(i / SIZE / SIZE, i / SIZE % SIZE, i % SIZE, old[i]);
        wrong += dst[i] != want;
        saturated += want == 255;
    }
    printf("%d of %d bytes differ; %d are 255\n", wrong, N_DST, saturated);
    return wrong != 0;
}

int main(void)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    static struct xk_launch_arg args[XK_N_PROGRAM_ARGS];
    static unsigned char old[N_DST];
    static struct xk_conv_info info;
    const int32_t src_zero = SRC_ZERO, dst_zero = DST_ZERO;
    struct xk_error err;
    xk_program *program;
    xk_device *device;
    void *image;
    int i;

    make_data();
    describe_problem(&d);
    info.size = (uint32_t)sizeof info;
    demand_ok(xk_conv_query(&d, &info, &err), &err);
    demand_ok(xk_conv_create(&d, NULL, &program, &err), &err);
    demand_ok(xk_device_create("sim", "xehpg", 0, &device, &err), &err);
    printf("wei %s, %u launch(es)\n", info.tensor[XK_ARG_WEI].tag,
           (unsigned)xk_program_n_launches(program));

    args[XK_ARG_SRC].buffer =
        upload_bytes(device, &info.tensor[XK_ARG_SRC], src);
    args[XK_ARG_WEI].buffer =
        upload_bytes(device, &info.tensor[XK_ARG_WEI], wei);
    args[XK_ARG_DST].buffer =
        upload_bytes(device, &info.tensor[XK_ARG_DST], dst);
    args[XK_ARG_BIA].buffer = upload_plain(device, bias, sizeof bias);
    args[XK_ARG_SCALE + XK_ARG_WEI].buffer =
        upload_plain(device, scale, sizeof scale);
    args[XK_ARG_ZERO_POINT + XK_ARG_SRC].buffer =
        upload_plain(device, &src_zero, sizeof src_zero);
    args[XK_ARG_ZERO_POINT + XK_ARG_DST].value = &dst_zero;
    args[XK_ARG_ZERO_POINT + XK_ARG_DST].size_b = (uint32_t)sizeof dst_zero;
    launch(device, program, args, XK_N_PROGRAM_ARGS);

    image = malloc(info.tensor[XK_ARG_DST].size_b);
    if (!image)
        return 1;
    demand_ok(xk_buffer_read(args[XK_ARG_DST].buffer, 0, image,
                             info.tensor[XK_ARG_DST].size_b, &err),
              &err);
    for (i = 0; i < N_DST; i++)
        old[i] = dst[i];
    rearrange(&info.tensor[XK_ARG_DST], dst, image, 1);
    free(image);

    for (i = 0; i < XK_N_PROGRAM_ARGS; i++)
        xk_buffer_unref(args[i].buffer);
    xk_device_unref(device);
    xk_program_unref(program);
    return count_wrong(old);
}
