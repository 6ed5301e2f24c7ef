/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container/zebin_read.h"
#include "tests/runtime/ocl.h"
#include "tests/sim/check_mutants.h"
#include "xekern/xekern.h"

static uint8_t *noise(uint32_t n_b)
{
    uint8_t *const p = malloc(n_b + 4u);
    uint32_t x = n_b;
    for (uint32_t i = 0; p && i < n_b; i++) {
        x = x * 1664525u + 1013904223u;
        p[i] = (uint8_t)(x >> 28);
    }
    return p;
}

/* Where the kernel is in its container. */
static bool find_code(struct subject *s)
{
    struct xk_zebin z;
    xk_ctx *const c = xk_ctx_create(&xk_alloc_default);
    bool good = c && xk_zebin_read(c, s->file, s->file_b, &z) == XK_OK;
    for (uint32_t i = 0; good && i < z.n_kernels; i++)
        if (!strcmp(z.kernels[i].name, s->kernel)) {
            s->code_at = (size_t)(z.kernels[i].code - s->file);
            s->code_b = z.kernels[i].code_b;
        }
    if (good)
        xk_zebin_fini(c, &z);
    xk_ctx_destroy(c);
    return good && s->code_b;
}

/* No padding: every byte is an element that is used. */
static bool is_dense(const struct xk_tensor_info *t, uint32_t e_b)
{
    uint64_t n = e_b;
    for (uint32_t i = 0; i < t->ndims; i++)
        n *= (uint64_t)t->dims[i];
    return n == t->size_b;
}

static uint32_t type_b(uint32_t type)
{
    return type == XK_F16 ? 2 : type == XK_F32 || type == XK_S32 ? 4 : 1;
}

/* schedule: of one launch; what is not in it is left to the library. */
static unsigned generated(const char *text, const char *schedule, uint32_t src,
                          uint32_t wei, uint32_t dst, use_fn *use)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_error err = {.message = ""};
    xk_program *p = NULL;
    struct subject s = {.platform = xk_platform_get(XK_PLATFORM_XEHPG)};
    setenv("XK_SCHEDULE", schedule, 1);
    d.prop = XK_FWD_D;
    d.src_type = src;
    d.wei_type = wei;
    d.dst_type = dst;
    if (xk_conv_desc_parse(text, &d, NULL, 0, &err) < 0 ||
        xk_conv_create(&d, NULL, &p, &err) < 0) {
        printf("# %s: %s\n", text, err.message);
        return 1;
    }
    const struct xk_launch_info *const l = xk_program_launch(p, 0);
    snprintf(s.name, sizeof s.name, "%s type %u %s", text, src, schedule);
    s.file = malloc(l->zebin_b);
    s.file_b = l->zebin_b;
    s.kernel = l->kernel;
    memcpy(s.groups, l->groups, sizeof s.groups);
    memcpy(s.local, l->local, sizeof s.local);
    memcpy(s.file, l->zebin, l->zebin_b);
    const bool good = find_code(&s);
    s.n_args = l->n_args;
    for (unsigned i = 0; i < l->n_args; i++) {
        const struct xk_tensor_info *const t =
            &xk_program_info(p)->tensor[l->args[i].tensor];
        const uint32_t e_b = type_b(t->type);
        s.arg[i] = (struct arg){.buffer_b = (uint32_t)t->size_b,
                                .element_b = e_b,
                                .full = is_dense(t, e_b),
                                .data = noise((uint32_t)t->size_b)};
    }
    if (good)
        use(&s);
    for (unsigned i = 0; i < s.n_args; i++)
        free((void *)(uintptr_t)s.arg[i].data);
    free(s.file);
    xk_program_unref(p);
    return !good;
}

/* Unit stride, so that every element of every tensor is used; with few taps
 * whole tiles of columns, since what nobody stores nobody misses. */
static const char *const problems[] = {
    "mb1ic16oc32ih8oh8kh1",         "mb1ic32oc32ih7oh7kh3ph1",
    "mb2ic64oc48ih5oh5kh3ph1",      "mb1ic17oc19ih6oh6kh3ph1",
    "mb1ic8oc24ih9iw5oh9ow5kh1kw1", "mb2ic3oc32ih12oh12kh5ph2",
    "mb1ic64oc32ih9oh9kh3ph1",
};

/* A through SLM, a barrier a step; several groups. */
static const struct row {
    const char *problem, *schedule;
} with_slm[] = {
    {"mb1ic32oc32ih7oh7kh3ph1",
     "fma=dpas m=32 n=16 nsub=16 tg=2x2 slots=1,1 slm=3 grf=256"},
    {"mb2ic64oc48ih5oh5kh3ph1",
     "fma=dpasw m=32 n=16 nsub=16 tg=2x2 slots=1,1 slm=3 grf=256"},
    {"mb1ic64oc32ih9oh9kh3ph1",
     "fma=dpas m=16 n=16 nsub=16 tg=4x2 slots=1,2 slm=3 grf=256"},
    {"mb1ic128oc64ih8oh8kh1",
     "fma=dpas m=32 n=16 nsub=16 tg=1x4 slots=1,1 slm=3 grf=256"},
    {"mb1ic128oc32ih9oh9kh1",
     "fma=dpasw m=16 n=16 nsub=16 tg=4x2 slots=1,2 slm=3 grf=256"},
    {"mb1ic128oc32ih7oh7kh1",
     "fma=dpasw m=16 n=16 nsub=16 tg=2x2 slots=1,2 slm=2 grf=256"},
};

/* A step is one dpas deep. */
static unsigned of_row(const struct row *r, const uint32_t *t, use_fn *use)
{
    char schedule[160];
    snprintf(schedule, sizeof schedule,
             "simd=8 slices=1 splits=1 walk=:po k=%u %s",
             t[0] == XK_F16 ? 16u : 32u, r->schedule);
    return generated(r->problem, schedule, t[0], t[1], t[2], use);
}

unsigned all_generated(use_fn *use)
{
    static const uint32_t types[][3] = {{XK_F32, XK_F32, XK_F32},
                                        {XK_F16, XK_F16, XK_F16},
                                        {XK_U8, XK_S8, XK_U8}};
    unsigned bad = 0;
    for (unsigned k = 0; k < sizeof types / sizeof types[0]; k++) {
        const uint32_t *const t = types[k];
        for (unsigned i = 0; i < sizeof problems / sizeof problems[0]; i++)
            bad += generated(problems[i], "splits=1", t[0], t[1], t[2], use);
        for (unsigned i = 0;
             t[0] != XK_F32 && i < sizeof with_slm / sizeof with_slm[0]; i++)
            bad += of_row(&with_slm[i], t, use);
    }
    unsetenv("XK_SCHEDULE");
    return bad;
}

struct compiled {
    const char *file, *kernel;
    uint32_t groups[3], local[3];
    unsigned n_args;
    struct arg arg[MAX_ARGS];
    bool guarded;
};

static const int32_t n_items = 200;
static const float factor = 2.0f;
static const int32_t n_long = 3001;

#define BUF(b, e, f)                                                           \
    {                                                                          \
        .buffer_b = (b), .element_b = (e), .full = (f)                         \
    }
#define VAL(v)                                                                 \
    {                                                                          \
        .data = (const uint8_t *)&(v), .size_b = sizeof(v)                     \
    }
#define LOCAL(n)                                                               \
    {                                                                          \
        .size_b = (n)                                                          \
    }

static const struct compiled kernels[] = {
    {"memory",
     "reduce",
     {4, 1, 1},
     {128, 1, 1},
     4,
     {BUF(16, 4, true), BUF(12004, 4, true), LOCAL(512), VAL(n_long)},
     false},
    {"memory",
     "transpose",
     {3, 2, 1},
     {16, 16, 1},
     2,
     {BUF(6144, 4, true), BUF(6144, 4, true)},
     false},
    {"memory",
     "local_atomics",
     {2, 1, 1},
     {100, 1, 1},
     2,
     {BUF(64, 4, true), BUF(800, 4, true)},
     false},
    {"memory",
     "bytes",
     {2, 1, 1},
     {100, 1, 1},
     3,
     {BUF(200, 1, true), BUF(400, 2, true), BUF(201, 1, true)},
     false},
    {"memory", "ids", {2, 2, 2}, {4, 4, 2}, 1, {BUF(1024, 4, true)}, false},
    {"arith",
     "saxpy",
     {2, 1, 1},
     {128, 1, 1},
     4,
     {BUF(800, 4, true), BUF(800, 4, true), VAL(factor), VAL(n_items)},
     true},
};

static unsigned compile(const struct compiled *k, const struct xk_platform *p,
                        const char *device, unsigned simd, use_fn *use)
{
    struct subject s = {.platform = p,
                        .kernel = k->kernel,
                        .n_args = k->n_args,
                        .guarded = k->guarded};
    char path[500];
    snprintf(path, sizeof path, "%s/%s.cl", XK_OPENCL_DIR, k->file);
    snprintf(s.name, sizeof s.name, "%s for %s simd %u", k->kernel, device,
             simd);
    memcpy(s.groups, k->groups, sizeof s.groups);
    memcpy(s.local, k->local, sizeof s.local);
    memcpy(s.arg, k->arg, sizeof s.arg);
    s.file = ocl_compile(path, device, simd, &s.file_b);
    const bool good = s.file && find_code(&s);
    if (!good)
        printf("# %s: not compiled\n", s.name);
    for (unsigned i = 0; good && i < s.n_args; i++)
        if (s.arg[i].buffer_b)
            s.arg[i].data = noise(s.arg[i].buffer_b);
    if (good)
        use(&s);
    for (unsigned i = 0; good && i < s.n_args; i++)
        if (s.arg[i].buffer_b)
            free((void *)(uintptr_t)s.arg[i].data);
    free(s.file);
    return !good;
}

static const struct {
    uint8_t platform;
    const char *device;
    unsigned simd; /* 0: the compiler's choice */
} devices[] = {
    {XK_PLATFORM_XEHPG, "acm-g10", 0}, {XK_PLATFORM_XEHPG, "dg2", 0},
    {XK_PLATFORM_XEHPG, "acm-g10", 8}, {XK_PLATFORM_XELP, "tgllp", 8},
    {XK_PLATFORM_XELP, "tgllp", 16},   {XK_PLATFORM_XEHPC, "pvc", 16},
    {XK_PLATFORM_XEHPC, "pvc", 32},
};

unsigned all_compiled(const struct xk_platform *p, use_fn *use)
{
    unsigned bad = 0;
    for (unsigned i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        for (unsigned k = 0; k < sizeof devices / sizeof devices[0]; k++)
            if (xk_platform_get((enum xk_platform_id)devices[k].platform) == p)
                bad += compile(&kernels[i], p, devices[k].device,
                               devices[k].simd, use);
    return bad;
}
