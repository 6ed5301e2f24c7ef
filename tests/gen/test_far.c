/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors that end just below 2^31 bytes, so that rows and columns of the last
 * tile which nobody stores lie beyond. Memory is sparse: only the first and the
 * last groups run, and their elements are compared with plain arithmetic. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/args.h"
#include "tests/tap.h"
#include "typed.h"
#include "xekern/formulas.h"

enum { OPERANDS = 3, ENDS = 8192, SOME = 2, FEW = 4, BIAS = 2 };

/* C's elements are m * c_m + n * c_n, A's m * a_m + k; B has k * n of them. */
static const struct far {
    const char *formula, *problem; /* one of them */
    uint8_t a, b, c;               /* enum xk_dtype */
    int64_t m, n, k, c_m, c_n, a_m;
} cases[] = {
    /* The problem's single tap is its pixel's first place. */
    {NULL, "mb16777213ic1iw31oc32ow1kw1sw32pw0dw5", XK_DT_F16, XK_DT_F16,
     XK_DT_F32, 16777213, 32, 1, 32, 1, 31},
    {"A: f32[16777213,1]; B: f32[1,32]; C[m,n] += A[m,k] * B[k,n]", NULL,
     XK_DT_F32, XK_DT_F32, XK_DT_F32, 16777213, 32, 1, 32, 1, 1},
    {"A: u8[33554429,4]; B: s8[4,16]; C: s32; C[m,n] += A[m,k] * B[k,n]", NULL,
     XK_DT_U8, XK_DT_S8, XK_DT_S32, 33554429, 16, 4, 16, 1, 4},
    {"A: f16[26843541,2]; B: f16[2,20]; C[m,n] += A[m,k] * B[k,n]", NULL,
     XK_DT_F16, XK_DT_F16, XK_DT_F32, 26843541, 20, 2, 20, 1, 2},
    /* Columns lie far apart. */
    {"A: f32[17318416,1]; B: f32[1,31]; C[n,m] += A[m,k] * B[k,n]", NULL,
     XK_DT_F32, XK_DT_F32, XK_DT_F32, 17318416, 31, 1, 1, 17318416, 1},
    {"A: f16[31580640,1]; B: f16[1,17]; C: f32; C[n,m] += A[m,k] * B[k,n]",
     NULL, XK_DT_F16, XK_DT_F16, XK_DT_F32, 31580640, 17, 1, 1, 31580640, 1},
    /* Few rows of many columns. */
    {"A: f32[5,1]; B: f32[1,107374181]; C[m,n] += A[m,k] * B[k,n]", NULL,
     XK_DT_F32, XK_DT_F32, XK_DT_F32, 5, 107374181, 1, 107374181, 1, 1},
};

static void *sparse(size_t size_b)
{
    void *const p = mmap(NULL, size_b, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(p, MAP_FAILED);
    return p;
}

static xk_program *create_formula(const char *text, uint32_t flags)
{
    const struct xk_formulas f = {sizeof f, XK_XEHPG, 1, &text};
    const struct xk_create_options o = {.size = sizeof o, .flags = flags};
    struct xk_error err;
    xk_program *p = NULL;
    ck_assert_msg(xk_formulas_create(&f, &o, &p, &err) == XK_OK, "%s",
                  err.message);
    return p;
}

static xk_program *create_problem(const char *text, uint32_t flags)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    const struct xk_create_options o = {.size = sizeof o, .flags = flags};
    struct xk_conv_info info = {.size = sizeof info};
    struct xk_error err;
    xk_program *p = NULL;
    ck_assert_int_eq(xk_conv_desc_parse(text, &d, NULL, 0, &err), XK_OK);
    d.src_type = d.wei_type = XK_F16;
    d.dst_type = XK_F32;
    d.prop = XK_FWD_D;
    strcpy(d.src_tag, "axb");
    strcpy(d.dst_tag, "axb");
    d.n_post_ops = 1;
    d.post_ops[0].kind = XK_POST_RELU;
    ck_assert_msg(xk_conv_query(&d, &info, &err) == XK_OK, "%s", err.message);
    ck_assert_msg(xk_conv_create(&d, &o, &p, &err) == XK_OK, "%s", err.message);
    return p;
}

/* A device buffer as the marshaller sees it. */
struct memory {
    xk_buffer base;
    uint64_t va;
    uint8_t *host;
};

static uint64_t va_of(const xk_buffer *b)
{
    return ((const struct memory *)b)->va;
}

static void make_memory(const struct far *x, struct memory *m)
{
    const int64_t n[OPERANDS] = {x->m * x->a_m, 0, x->m * x->n};
    const uint8_t dt[OPERANDS] = {x->a, x->b, x->c};
    for (unsigned i = 0; i < OPERANDS; i++) {
        const int64_t some = n[i] ? n[i] : x->problem ? 16384 : x->k * x->n;
        m[i].base.size_b = (uint64_t)some * xk_dtype_b(dt[i]);
        m[i].host = sparse(m[i].base.size_b);
        m[i].va = (uint64_t)(i + 1) << 34;
    }
}

/* All are positive, so that what is 0 in C is not written. */
static int value_a(const struct far *x, int64_t m, int64_t k)
{
    return (int)(1 + (m * 3 + k * 5) % (x->a == XK_DT_U8 ? 9 : 7));
}

/* Weights of the problem have a layout of the library: all are the same. */
static int value_b(const struct far *x, int64_t k, int64_t n)
{
    return x->problem ? BIAS : (int)(1 + (k + n * 2) % 5);
}

static bool is_at_an_end(int64_t i, int64_t extent)
{
    return i < ENDS || i >= extent - ENDS;
}

/* The next of those places that are compared. */
static int64_t next(int64_t i, int64_t extent)
{
    return is_at_an_end(i + 1, extent) ? i + 1 : extent - ENDS;
}

static void fill(const struct far *x, const struct memory *m)
{
    for (int64_t r = 0; r < x->m; r = next(r, x->m))
        for (int64_t k = 0; k < x->k; k++)
            typed_put(x->a, m[0].host, r * x->a_m + k, value_a(x, r, k));
    const int64_t all = (int64_t)m[1].base.size_b / xk_dtype_b(x->b);
    for (int64_t k = 0; x->problem && k < all; k++)
        typed_put(x->b, m[1].host, k, BIAS);
    for (int64_t k = 0; !x->problem && k < x->k; k++)
        for (int64_t n = 0; n < x->n; n = next(n, x->n))
            typed_put(x->b, m[1].host, k * x->n + n, value_b(x, k, n));
}

/* The groups first .. first + n - 1. */
static void launch(const struct xk_launch_info *l, struct memory *m,
                   const uint32_t first[3], const uint32_t n[3])
{
    static const struct xk_args_places places = {.va_of = va_of};
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_launch_arg arg[OPERANDS + 1] = {{0}};
    struct xk_sim_region region[OPERANDS];
    struct xk_sim_bound bound[8];
    struct xk_zebin z;
    struct xk_error err;
    uint8_t cross[512] = {0};
    xk_sim_kernel *k;
    unsigned n_args = 0;
    ck_assert_int_eq(xk_zebin_read(c, l->zebin, l->zebin_b, &z), XK_OK);
    for (; n_args < l->n_args; n_args++) {
        const uint32_t number = l->args[n_args].number;
        arg[n_args].buffer = &m[number > 2 ? 2 : number].base;
    }
    for (unsigned i = 0; i < OPERANDS; i++)
        region[i] = (struct xk_sim_region){m[i].va, m[i].base.size_b, m[i].host,
                                           XK_SIM_BUFFER};
    ck_assert_int_eq(xk_sim_kernel_create(NULL,
                                          xk_platform_get(XK_PLATFORM_XEHPG),
                                          z.kernels, &k, &err),
                     XK_OK);
    struct xk_sim_launch s = {.kernel = k,
                              .cross_thread = cross,
                              .cross_thread_b = z.kernels->cross_thread_b,
                              .regions = region,
                              .n_regions = OPERANDS,
                              .bound = bound,
                              .n_bound = xk_args_n_bound(z.kernels),
                              .walk_order = z.kernels->walk_order};
    const struct xk_launch_args a = {l->kernel, n, l->local, n_args, arg};
    memcpy(s.groups, n, sizeof s.groups);
    memcpy(s.first_group, first, sizeof s.first_group);
    memcpy(s.local, l->local, sizeof s.local);
    ck_assert_uint_le(s.n_bound, XK_COUNTOF(bound));
    ck_assert_uint_le(s.cross_thread_b, sizeof cross);
    ck_assert_int_eq(
        xk_args_marshal(z.kernels, &a, &places, cross, &s.slm_b, &err), XK_OK);
    xk_args_bind(z.kernels, &a, &places, bound);
    ck_assert_msg(xk_sim_launch(&s, NULL, &err) == XK_OK, "%s", err.message);
    xk_sim_kernel_destroy(k);
    xk_zebin_fini(c, &z);
    xk_ctx_destroy(c);
}

/* At each end of a long side of the grid SOME groups. */
static void run_ends(const xk_program *p, struct memory *m)
{
    const struct xk_launch_info *const l = xk_program_launch(p, 0);
    for (unsigned end = 0; end < 2; end++) {
        uint32_t first[3] = {0}, n[3];
        for (unsigned d = 0; d < 3; d++) {
            n[d] = l->groups[d] > FEW ? SOME : l->groups[d];
            first[d] = end ? l->groups[d] - n[d] : 0;
        }
        launch(l, m, first, n);
    }
}

static double want(const struct far *x, int64_t m, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < x->k; k++)
        sum += value_a(x, m, k) * value_b(x, k, n);
    return sum;
}

/* What is written is right, and both ends are. The number of elements. */
static int64_t check(const struct far *x, const struct memory *mem)
{
    int64_t written = 0;
    for (int64_t m = 0; m < x->m; m = next(m, x->m))
        for (int64_t n = 0; n < x->n; n = next(n, x->n)) {
            const double got =
                typed_get(x->c, mem[2].host, m * x->c_m + n * x->c_n);
            const bool corner =
                (m == 0 && n == 0) || (m == x->m - 1 && n == x->n - 1);
            written += got != 0;
            ck_assert_msg((got == 0 && !corner) || got == want(x, m, n),
                          "row %lld, column %lld: %g, not %g", (long long)m,
                          (long long)n, got, want(x, m, n));
        }
    return written;
}

START_TEST(ends)
{
    const struct far *const x = &cases[_i / 2];
    const uint32_t flags = _i % 2 ? XK_CREATE_A64 : 0;
    struct memory m[OPERANDS] = {{{0}, 0, NULL}};
    make_memory(x, m);
    fill(x, m);
    xk_program *const p = x->formula ? create_formula(x->formula, flags)
                                     : create_problem(x->problem, flags);
    run_ends(p, m);
    ck_assert_int_ge(check(x, m), 64);
    for (unsigned i = 0; i < OPERANDS; i++)
        munmap(m[i].host, m[i].base.size_b);
    xk_program_unref(p);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("far");
    TCase *const t = tcase_create("far");
    tcase_add_loop_test(t, ends, 0, 2 * XK_COUNTOF(cases));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
