/* SPDX-License-Identifier: Apache-2.0 */
/* conv_jobs FOLDER: writes convolutions of the generator into FOLDER and prints
 * a request of launch_job.h for each launch, for mutate_kernels. Their lanes
 * beside a tensor are masked in all the ways the generator has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container/zebin_read.h"
#include "xekern/xekern.h"

static bool write_file(const char *path, const void *p, size_t n_b)
{
    FILE *const f = fopen(path, "wb");
    const bool good = f && fwrite(p, 1, n_b, f) == n_b;
    return f ? fclose(f) == 0 && good : false;
}

static bool write_code(const char *path, const struct xk_launch_info *l)
{
    struct xk_zebin z;
    bool good = false;
    xk_ctx *const c = xk_ctx_create(&xk_alloc_default);
    if (c && xk_zebin_read(c, l->zebin, l->zebin_b, &z) == XK_OK) {
        for (uint32_t i = 0; i < z.n_kernels; i++)
            if (!strcmp(z.kernels[i].name, l->kernel))
                good = write_file(path, z.kernels[i].code, z.kernels[i].code_b);
        xk_zebin_fini(c, &z);
    }
    xk_ctx_destroy(c);
    return good;
}

static unsigned element_b(const struct xk_tensor_info *t)
{
    return t->type == XK_F32 || t->type == XK_S32 ? 4
           : t->type == XK_F16                    ? 2
                                                  : 1;
}

static void print_buffer(unsigned e_b, uint64_t size_b)
{
    uint32_t x = (uint32_t)size_b;
    printf("b %u ", e_b);
    for (uint64_t i = 0; i < size_b; i++) {
        x = x * 1664525u + 1013904223u;
        printf("%02x", x >> 28);
    }
    printf("\n");
}

/* Scratch memory has sums of four bytes. */
static void print_buffers(const xk_program *p, const struct xk_launch_info *l)
{
    const struct xk_scratch_info *const scratch =
        xk_program_launches(p)->scratch;
    for (unsigned i = 0; i < l->n_args; i++) {
        const struct xk_launch_arg_info *const a = &l->args[i];
        const struct xk_tensor_info *const t =
            xk_program_info(p)->tensor + (a->binding ? 0 : a->tensor);
        if (a->binding == XK_BIND_SCRATCH)
            print_buffer(4, scratch[a->number].size_b);
        else
            print_buffer(element_b(t), t->size_b);
    }
}

static bool job(const char *folder, unsigned n, const xk_program *p,
                uint32_t launch)
{
    const struct xk_launch_info *const l = xk_program_launch(p, launch);
    char file[300], code[300];
    snprintf(file, sizeof file, "%s/%u.%u.zebin", folder, n, launch);
    snprintf(code, sizeof code, "%s/%u.%u.code", folder, n, launch);
    const bool good =
        write_file(file, l->zebin, l->zebin_b) && write_code(code, l);
    printf("xehpg %s %s %s %u %u %u %u %u %u %u\n", file, code, l->kernel,
           l->groups[0], l->groups[1], l->groups[2], l->local[0], l->local[1],
           l->local[2], l->n_args);
    print_buffers(p, l);
    return good;
}

static bool jobs(const char *folder, unsigned n, const char *text,
                 const uint32_t type[3])
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_error err = {.message = ""};
    xk_program *p = NULL;
    bool good = true;
    d.prop = XK_FWD_D;
    d.src_type = type[0];
    d.wei_type = type[1];
    d.dst_type = type[2];
    if (xk_conv_desc_parse(text, &d, NULL, 0, &err) < 0 ||
        xk_conv_create(&d, NULL, &p, &err) < 0) {
        fprintf(stderr, "%s: %s\n", text, err.message);
        return false;
    }
    for (uint32_t i = 0; i < xk_program_n_launches(p); i++)
        good &= job(folder, n, p, i);
    xk_program_unref(p);
    return good;
}

int main(int argc, char **argv)
{
    static const char *const problems[] = {
        "mb1ic32oc32ih7oh7kh3ph1",
        "mb2ic64oc48ih5oh5kh3ph1",
        "mb1ic17oc19ih6oh6kh3ph1",
        "mb1ic8oc24ih9iw5oh9ow5kh1kw1",
        "mb2ic3oc16ih12oh12kh5ph2",
        "mb1ic16oc16ih9oh5kh3sh2ph1",
        "mb1ic33oc16ih5iw11oh5ow11kh3kw3ph1pw1",
        "mb3ic16oc40ih6oh6kh1",
    };
    static const uint32_t types[][3] = {{XK_F32, XK_F32, XK_F32},
                                        {XK_F16, XK_F16, XK_F16},
                                        {XK_U8, XK_S8, XK_U8}};
    unsigned n = 0;
    bool good = argc == 2;
    for (unsigned t = 0; good && t < sizeof types / sizeof types[0]; t++)
        for (unsigned k = 0; k < sizeof problems / sizeof problems[0]; k++)
            good &= jobs(argv[1], n++, problems[k], types[t]);
    return !good;
}
