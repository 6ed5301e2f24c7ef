/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors that end just below 2^31 bytes, so that rows and columns of the last
 * tile which nobody stores lie beyond, and tensors above 2 and 4 GiB, whose
 * parts are launches. Memory is sparse: only groups at the ends of each launch
 * run, and those around 2 and 4 GiB, and their elements are compared with plain
 * arithmetic. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/args.h"
#include "tests/tap.h"
#include "typed.h"
#include "xekern/device.h"
#include "xekern/formulas.h"

/* OPERANDS: a formula's; MEMORY: a convolution's by argument, and scratch. */
enum {
    OPERANDS = 3,
    MEMORY = 6,
    ENDS = 8192,
    SOME = 2,
    FEW = 4,
    BIAS = 2,
    EDGES = 80
};

/* C's elements are m * c_m + n * c_n, A's m * a_m + k, B's k * n + n, or where
 * b_n is not 0 k * b_k + n * b_n. */
static const struct far {
    const char *formula, *problem;        /* one of them */
    uint8_t a, b, c;                      /* enum xk_dtype */
    int64_t m, n, k, c_m, c_n, a_m, ends; /* ends: rows compared; 0: ENDS */
    int64_t side; /* of dst's square image, half of src's; 0: rows are alike */
    int64_t b_k, b_n;
    bool by_data; /* A is the gradient of dst, C that of src */
} cases[] = {
    /* Above 2 GiB, as the peer's suite has them: 3.06 GiB of src and of dst in
     * parts of an equal minibatch, 4.67 GiB of dst in parts that overlap. */
    {NULL, "mb1024ic256ih56oc256kh1", XK_DT_F32, XK_DT_F32, XK_DT_F32, 3211264,
     256, 256, 256, 1, 256, 256},
    {NULL, "mb1024ic256ih56oc512oh28kh1sh2", XK_DT_F32, XK_DT_F32, XK_DT_F32,
     802816, 512, 256, 512, 1, 256, 256, 28},
    /* One image of 2.13 GiB of dst: pixels are the minibatch. */
    {NULL, "mb2ic51iw376oc1520023ow376kw1", XK_DT_U8, XK_DT_S8, XK_DT_S32, 752,
     1520023, 51, 1520023, 1, 51, 16},
    {NULL, "mb948ic5iw124oc10672ow124kw1", XK_DT_U8, XK_DT_S8, XK_DT_S32,
     117552, 10672, 5, 10672, 1, 5, 96},
    /* By data, 3.06 GiB of each, and 6.13 GiB of src. */
    {NULL, "mb1024ic256ih56oc256kh1", XK_DT_F32, XK_DT_F32, XK_DT_F32, 3211264,
     256, 256, 256, 1, 256, 256, .by_data = true},
    {NULL, "mb1023ic512ih56oc64kh1", XK_DT_F16, XK_DT_F16, XK_DT_F32, 3208128,
     512, 64, 512, 1, 64, 256, .by_data = true},
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
    /* Columns of B that nobody stores lie beyond 2^32 bytes. */
    {"A: f16[96,4]; B: f16[16,64000001]; C: f32; "
     "C[m,n] += A[m,k] * B[n,21333333*k]",
     NULL, XK_DT_F16, XK_DT_F16, XK_DT_F32, 96, 16, 4, 16, 1, 4,
     .b_k = 21333333, .b_n = 64000001},
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
    const struct xk_formulas f = {sizeof f, XK_PLATFORM_XEHPG, 1, &text};
    const struct xk_create_options o = {.size = sizeof o, .flags = flags};
    struct xk_error err;
    xk_program *p = NULL;
    ck_assert_msg(xk_formulas_create(&f, &o, &p, &err) == XK_OK, "%s",
                  err.message);
    return p;
}

static uint32_t data_type(uint8_t dt)
{
    return dt == XK_DT_F32   ? XK_F32
           : dt == XK_DT_F16 ? XK_F16
           : dt == XK_DT_S32 ? XK_S32
           : dt == XK_DT_U8  ? XK_U8
                             : XK_S8;
}

static xk_program *create_problem(const struct far *x, uint32_t flags)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    const struct xk_create_options o = {.size = sizeof o, .flags = flags};
    struct xk_conv_info info = {.size = sizeof info};
    struct xk_error err;
    xk_program *p = NULL;
    ck_assert_int_eq(xk_conv_desc_parse(x->problem, &d, NULL, 0, &err), XK_OK);
    d.src_type = data_type(x->by_data ? x->c : x->a);
    d.wei_type = data_type(x->b);
    d.dst_type = data_type(x->by_data ? x->a : x->c);
    d.prop = x->by_data ? XK_BWD_D : XK_FWD_D;
    strcpy(d.src_tag, "axb");
    strcpy(d.dst_tag, "axb");
    d.n_post_ops = x->by_data ? 0 : x->side ? 2 : 1;
    d.post_ops[x->side != 0].kind = XK_POST_RELU;
    if (x->side) /* of zeros; no part may overlap another */
        d.post_ops[0].kind = XK_POST_SUM;
    ck_assert_msg(xk_conv_query(&d, &info, &err) == XK_OK, "%s", err.message);
    ck_assert_msg(xk_conv_create(&d, &o, &p, &err) == XK_OK, "%s", err.message);
    return p;
}

/* A device buffer as the marshaller sees it. */
struct memory {
    xk_buffer base;
    uint64_t va;
    uint8_t *host;
    uint32_t number; /* of the program's argument; of a scratch buffer, and
                        XK_MAX_LAUNCH_ARGS */
};

static uint64_t va_of(const xk_buffer *b)
{
    return ((const struct memory *)b)->va;
}

/* The program's number of A, B or C. */
static uint32_t number_of(const struct far *x, unsigned operand)
{
    static const uint32_t numbers[3][OPERANDS] = {
        {0, 1, 2},
        {XK_ARG_SRC, XK_ARG_WEI, XK_ARG_DST},
        {XK_ARG_DST, XK_ARG_WEI, XK_ARG_SRC}};
    return numbers[x->formula ? 0 : x->by_data ? 2 : 1][operand];
}

static void make_memory(const struct far *x, struct memory *m)
{
    const int64_t n[OPERANDS] = {x->m * x->a_m * (x->side ? 4 : 1), 0,
                                 x->m * x->n};
    const uint8_t dt[OPERANDS] = {x->a, x->b, x->c};
    for (unsigned i = 0; i < OPERANDS; i++) {
        const int64_t some = n[i]     ? n[i]
                             : x->b_n ? x->b_n * x->n
                                      : (x->k + 16) * x->n + 400000;
        m[i].base.size_b = (uint64_t)some * xk_dtype_b(dt[i]);
        m[i].host = sparse(m[i].base.size_b);
        m[i].va = (uint64_t)(i + 1) << 34;
        m[i].number = number_of(x, i);
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

/* The row of src that row r of dst reads. */
static int64_t src_row(const struct far *x, int64_t r)
{
    const int64_t s = x->side;
    return s ? (r / s / s * 4 * s + r / s % s * 4) * s + r % s * 2 : r;
}

/* Rows at which a part begins or ends, or byte 2^31 or 2^32 of C lies. */
struct edges {
    unsigned n;
    int64_t row[EDGES], ends;
};

static void add_edge(struct edges *e, int64_t row)
{
    unsigned i = e->n++;
    ck_assert_uint_lt(i, EDGES);
    for (; i && e->row[i - 1] > row; i--)
        e->row[i] = e->row[i - 1];
    e->row[i] = row;
}

/* The next of those places that are compared. */
static int64_t next_row(const struct edges *e, int64_t i)
{
    for (unsigned k = 0; k < e->n; k++)
        if (i + 1 < e->row[k] + e->ends)
            return i + 1 > e->row[k] - e->ends ? i + 1 : e->row[k] - e->ends;
    return i + 1;
}

static int64_t next(int64_t i, int64_t extent)
{
    return i + 1 < ENDS || i + 1 >= extent - ENDS ? i + 1 : extent - ENDS;
}

static void fill(const struct far *x, const struct edges *e,
                 const struct memory *m)
{
    for (int64_t r = 0; r < x->m; r = next_row(e, r))
        for (int64_t k = 0; k < x->k; k++)
            typed_put(x->a, m[0].host, src_row(x, r) * x->a_m + k,
                      value_a(x, r, k));
    const int64_t all = (int64_t)m[1].base.size_b / xk_dtype_b(x->b);
    for (int64_t k = 0; x->problem && k < all; k++)
        typed_put(x->b, m[1].host, k, BIAS);
    for (int64_t k = 0; !x->problem && k < x->k; k++)
        for (int64_t n = 0; n < x->n; n = next(n, x->n))
            typed_put(x->b, m[1].host,
                      x->b_n ? k * x->b_k + n * x->b_n : k * x->n + n,
                      value_b(x, k, n));
}

/* What an argument takes. */
static unsigned memory_of(const struct memory *m,
                          const struct xk_launch_arg_info *a)
{
    const uint32_t number =
        a->number + (a->binding == XK_BIND_SCRATCH ? XK_MAX_LAUNCH_ARGS : 0);
    unsigned i = 0;
    while (i < MEMORY && (!m[i].host || m[i].number != number))
        i++;
    ck_assert_uint_lt(i, MEMORY);
    return i;
}

static unsigned regions_of(const struct memory *m, struct xk_sim_region *out)
{
    unsigned n = 0;
    for (unsigned i = 0; i < MEMORY; i++)
        if (m[i].host)
            out[n++] = (struct xk_sim_region){m[i].va, m[i].base.size_b,
                                              m[i].host, XK_SIM_BUFFER};
    return n;
}

static const struct xk_zkernel *kernel_of(const struct xk_zebin *z,
                                          const char *name)
{
    uint32_t i = 0;
    while (i < z->n_kernels && strcmp(z->kernels[i].name, name) != 0)
        i++;
    ck_assert_uint_lt(i, z->n_kernels);
    return &z->kernels[i];
}

/* The groups first .. first + n - 1. */
static void launch(const struct xk_launch_info *l, const struct memory *m,
                   const uint32_t first[3], const uint32_t n[3])
{
    static const struct xk_args_places places = {.va_of = va_of};
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_launch_arg arg[MEMORY] = {{0}};
    struct xk_sim_region region[MEMORY];
    struct xk_sim_bound bound[8];
    struct xk_zebin z;
    struct xk_error err;
    uint8_t cross[512] = {0};
    xk_sim_kernel *k;
    struct memory part[MEMORY];
    unsigned n_args = 0;
    ck_assert_int_eq(xk_zebin_read(c, l->zebin, l->zebin_b, &z), XK_OK);
    const struct xk_zkernel *const kernel = kernel_of(&z, l->kernel);
    for (; n_args < l->n_args; n_args++) {
        const unsigned i = memory_of(m, &l->args[n_args]);
        part[i] = m[i];
        part[i].va += l->args[n_args].bits;
        part[i].base.size_b -= l->args[n_args].bits;
        arg[n_args].buffer = &part[i].base;
    }
    ck_assert_int_eq(xk_sim_kernel_create(NULL,
                                          xk_platform_get(XK_PLATFORM_XEHPG),
                                          kernel, &k, &err),
                     XK_OK);
    struct xk_sim_launch s = {.kernel = k,
                              .cross_thread = cross,
                              .cross_thread_b = kernel->cross_thread_b,
                              .regions = region,
                              .n_regions = regions_of(m, region),
                              .bound = bound,
                              .n_bound = xk_args_n_bound(kernel),
                              .walk_order = kernel->walk_order};
    const struct xk_launch_desc a = {sizeof a, l->kernel, n,
                                     l->local, n_args,    arg};
    memcpy(s.groups, n, sizeof s.groups);
    memcpy(s.first_group, first, sizeof s.first_group);
    memcpy(s.local, l->local, sizeof s.local);
    ck_assert_uint_le(s.n_bound, XK_COUNTOF(bound));
    ck_assert_uint_le(s.cross_thread_b, sizeof cross);
    ck_assert_int_eq(
        xk_args_marshal(kernel, &a, &places, cross, &s.slm_b, &err), XK_OK);
    xk_args_bind(kernel, &a, &places, bound);
    ck_assert_msg(xk_sim_launch(&s, NULL, &err) == XK_OK, "%s", err.message);
    xk_sim_kernel_destroy(k);
    xk_zebin_fini(c, &z);
    xk_ctx_destroy(c);
}

/* Byte at which C of a launch begins. */
static uint64_t begin_b(const struct far *x, const struct xk_launch_info *l)
{
    for (uint32_t i = 0; i < l->n_args; i++)
        if (l->args[i].number == number_of(x, 2))
            return l->args[i].bits;
    return 0;
}

/* The first row of a launch, and the one behind its last. */
static void rows_of(const struct far *x, const xk_program *p, unsigned i,
                    int64_t at[2])
{
    const int64_t row_b = x->c_m * xk_dtype_b(x->c);
    const unsigned last = xk_program_n_launches(p) - 1;
    at[0] = (int64_t)begin_b(x, xk_program_launch(p, i)) / row_b;
    at[1] =
        at[0] + x->m - (int64_t)begin_b(x, xk_program_launch(p, last)) / row_b;
}

static void find_edges(const struct far *x, const xk_program *p,
                       struct edges *e)
{
    *e = (struct edges){.ends = x->ends ? x->ends : ENDS};
    for (unsigned i = 0; i < xk_program_n_launches(p); i++) {
        int64_t at[2];
        rows_of(x, p, i, at);
        add_edge(e, at[0]);
        add_edge(e, at[1]);
    }
    const int64_t row_b = x->c_m * xk_dtype_b(x->c);
    for (int64_t far_b = INT64_C(1) << 31; far_b < x->m * row_b; far_b *= 2)
        if (x->ends)
            add_edge(e, far_b / row_b);
}

/* At each end of a long side of the grid SOME groups. */
static void run_ends(const struct xk_launch_info *l, const struct memory *m)
{
    for (unsigned end = 0; end < 2; end++) {
        uint32_t first[3] = {0}, n[3];
        for (unsigned d = 0; d < 3; d++) {
            n[d] = l->groups[d] > FEW ? SOME : l->groups[d];
            first[d] = end ? l->groups[d] - n[d] : 0;
        }
        launch(l, m, first, n);
    }
}

/* The groups around a part of a side; rows may lie along either one. */
static void run_around(const struct xk_launch_info *l, const struct memory *m,
                       double part)
{
    for (unsigned d = 0; d < 2; d++) {
        uint32_t first[3] = {0}, n[3] = {1, 1, 1};
        const int64_t at = (int64_t)(part * l->groups[d]) - SOME / 2;
        n[d] = l->groups[d] > FEW ? 2 * SOME : l->groups[d];
        first[d] = at < 0                     ? 0
                   : at + n[d] > l->groups[d] ? l->groups[d] - n[d]
                                              : (uint32_t)at;
        launch(l, m, first, n);
    }
}

static void run_all(const struct far *x, const xk_program *p,
                    const struct edges *e, const struct memory *m)
{
    for (unsigned i = 0; i < xk_program_n_launches(p); i++) {
        const struct xk_launch_info *const l = xk_program_launch(p, i);
        int64_t at[2];
        rows_of(x, p, i, at);
        run_ends(l, m);
        for (unsigned k = 0; x->ends && k < e->n; k++)
            if (e->row[k] > at[0] && e->row[k] < at[1])
                run_around(l, m,
                           (double)(e->row[k] - at[0]) /
                               (double)(at[1] - at[0]));
    }
}

static double want(const struct far *x, int64_t m, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < x->k; k++)
        sum += value_a(x, m, k) * value_b(x, k, n);
    return sum;
}

/* Whether a group that ran has the element: the first of a launch, or its
 * last. */
static bool must_be_written(const struct far *x, const xk_program *p, int64_t m,
                            int64_t n)
{
    for (unsigned i = 0; i < xk_program_n_launches(p); i++) {
        int64_t at[2];
        rows_of(x, p, i, at);
        if ((m == at[0] && n == 0) || (m == at[1] - 1 && n == x->n - 1))
            return true;
    }
    return false;
}

/* What is written is right, and both ends are. The number of elements. */
static int64_t check(const struct far *x, const xk_program *p,
                     const struct edges *e, const struct memory *mem)
{
    int64_t written = 0;
    for (int64_t m = 0; m < x->m; m = next_row(e, m))
        for (int64_t n = 0; n < x->n; n = next(n, x->n)) {
            const double got =
                typed_get(x->c, mem[2].host, m * x->c_m + n * x->c_n);
            written += got != 0;
            const bool corner = n == 0 || n == x->n - 1;
            if (got != 0 || (corner && must_be_written(x, p, m, n)))
                ck_assert_msg(got == want(x, m, n),
                              "row %lld, column %lld: %g, not %g", (long long)m,
                              (long long)n, got, want(x, m, n));
        }
    return written;
}

/* Groups ran on both sides of each edge inside C. */
static void check_edges(const struct far *x, const struct edges *e,
                        const struct memory *mem)
{
    for (unsigned k = 0; x->ends && k < e->n; k++)
        for (int64_t m = e->row[k] - 1; m <= e->row[k]; m++) {
            int64_t written = 0;
            for (int64_t n = 0; m >= 0 && m < x->m && n < x->n; n++)
                written += typed_get(x->c, mem[2].host, m * x->c_m + n) != 0;
            ck_assert_msg(written || m < 0 || m >= x->m,
                          "row %lld: no group that ran has it", (long long)m);
        }
}

START_TEST(ends)
{
    const struct far *const x = &cases[_i / 2];
    const uint32_t flags = _i % 2 ? XK_CREATE_A64 : 0;
    struct memory m[MEMORY] = {{{0}, 0, NULL, 0}};
    struct edges e;
    xk_program *const p = x->formula ? create_formula(x->formula, flags)
                                     : create_problem(x, flags);
    find_edges(x, p, &e);
    make_memory(x, m);
    fill(x, &e, m);
    run_all(x, p, &e, m);
    ck_assert_int_ge(check(x, p, &e, m), 64);
    check_edges(x, &e, m);
    for (unsigned i = 0; i < OPERANDS; i++)
        munmap(m[i].host, m[i].base.size_b);
    xk_program_unref(p);
}
END_TEST

/* All of a program: 66 pixels 32 MiB apart, each for 32 columns. */
enum { IMAGES = 66, APART = 1 << 25, COLUMNS = 32 };

static xk_buffer *device_buffer(xk_device *d, uint64_t size_b)
{
    struct xk_error err;
    xk_buffer *b = NULL;
    ck_assert_msg(xk_buffer_create(d, size_b, &b, &err) == XK_OK, "%s",
                  err.message);
    return b;
}

static void run_whole(xk_device *device, const xk_program *p,
                      const struct xk_launch_arg *args)
{
    const struct xk_launch_info *const l = xk_program_launch(p, 0);
    const struct xk_run_opts o = {
        .size = sizeof o, .n_args = XK_N_CONV_ARGS, .args = args};
    struct xk_error err;
    xk_module *m = NULL;
    ck_assert_msg(xk_module_create(device, l->zebin, l->zebin_b, &m, &err) ==
                      XK_OK,
                  "%s", err.message);
    ck_assert_msg(xk_module_run(m, &o, NULL, &err) == XK_OK, "%s", err.message);
    xk_module_unref(m);
}

START_TEST(a_program_runs_part_by_part)
{
    static const struct far x = {
        NULL,      "mb66ic1iw33554432oc32ow1kw1sw33554432pw0",
        XK_DT_U8,  XK_DT_S8,
        XK_DT_S32, IMAGES,
        COLUMNS,   1,
        COLUMNS,   1,
        APART,     0};
    int32_t dst[IMAGES][COLUMNS];
    struct xk_launch_arg args[XK_N_CONV_ARGS] = {{0}};
    xk_device *device = NULL;
    struct xk_error err;
    xk_program *const p = create_problem(&x, 0);
    const struct xk_tensor_info *const t = xk_program_info(p)->tensor;
    ck_assert_uint_ge(xk_program_n_launches(p), 3);
    ck_assert_uint_eq(t[XK_ARG_SRC].size_b, (uint64_t)IMAGES * APART);
    ck_assert_int_eq(t[XK_ARG_SRC].dims[0], IMAGES);
    ck_assert_uint_eq(t[XK_ARG_DST].size_b, sizeof dst);
    ck_assert_int_eq(xk_device_create("sim", "xehpg", 0, &device, &err), XK_OK);
    for (int i = 0; i < XK_N_CONV_ARGS; i++)
        if (t[i].ndims)
            args[i].buffer = device_buffer(device, t[i].size_b);
    for (int i = 0; i < IMAGES; i++) {
        const uint8_t v = (uint8_t)(i + 1);
        ck_assert_int_eq(xk_buffer_write(args[XK_ARG_SRC].buffer,
                                         (uint64_t)i * APART, &v, 1, &err),
                         XK_OK);
    }
    for (uint64_t i = 0; i < t[XK_ARG_WEI].size_b; i++)
        xk_buffer_write(args[XK_ARG_WEI].buffer, i, "\2", 1, &err);
    run_whole(device, p, args);
    ck_assert_int_eq(
        xk_buffer_read(args[XK_ARG_DST].buffer, 0, dst, sizeof dst, &err),
        XK_OK);
    for (int i = 0; i < IMAGES; i++)
        for (int k = 0; k < COLUMNS; k++)
            ck_assert_int_eq(dst[i][k], 2 * (i + 1));
    for (int i = 0; i < XK_N_CONV_ARGS; i++)
        xk_buffer_unref(args[i].buffer);
    xk_device_unref(device);
    xk_program_unref(p);
}
END_TEST

/* Gradients of weights and, but for the deconvolution, of the bias, all
 * launches: places 32 pixels apart, of 1x1 filters, so that memory above 4 GiB
 * is sparse. Three places of images at
 * the ends of each part, and around 2 and 4 GiB, are not zero. */
enum { CHANNELS = 16, SIDE = 16, SPOTS = 3 };

static const struct by_weights {
    const char *problem;
    bool deconv; /* the large tensor is that of dst */
    uint8_t dt;
    int64_t images, pixels, lines; /* of the large tensor: an image's side */
} by_weights[] = {
    {"mb264ic16ih512oc16oh16kh1sh32ph0", false, XK_DT_F32, 264, 512, 32},
    {"mb600ic16ih16oc16oh481kh1sh32ph0", true, XK_DT_F16, 600, 481, 32},
};

static const int spot[SPOTS][2] = {{0, 0}, {7, 9}, {15, 15}};

static xk_program *create_by_weights(const struct by_weights *x)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_conv_info info = {.size = sizeof info};
    struct xk_error err;
    xk_program *p = NULL;
    d.alg = x->deconv ? XK_ALG_DECONV_DIRECT : XK_ALG_DIRECT;
    ck_assert_msg(xk_conv_desc_parse(x->problem, &d, NULL, 0, &err) == XK_OK,
                  "%s", err.message);
    d.src_type = d.wei_type = d.dst_type = data_type(x->dt);
    d.prop = x->deconv ? XK_BWD_W : XK_BWD_WB;
    strcpy(d.src_tag, "axb");
    strcpy(d.wei_tag, "abx");
    strcpy(d.dst_tag, "axb");
    ck_assert_msg(xk_conv_query(&d, &info, &err) == XK_OK, "%s", err.message);
    ck_assert_msg(xk_conv_create(&d, NULL, &p, &err) == XK_OK, "%s",
                  err.message);
    ck_assert_uint_eq(info.n_launches, xk_program_n_launches(p));
    return p;
}

/* Images at whose beginnings a part begins, or byte 2^31 or 2^32 lies. */
static void find_images(const struct by_weights *x, const xk_program *p,
                        struct edges *e)
{
    const uint32_t large = x->deconv ? XK_ARG_DST : XK_ARG_SRC;
    const int64_t image_b =
        x->pixels * x->pixels * CHANNELS * xk_dtype_b(x->dt);
    *e = (struct edges){.ends = 1};
    add_edge(e, x->images);
    for (int64_t far_b = INT64_C(1) << 31; far_b < x->images * image_b;
         far_b *= 2)
        add_edge(e, far_b / image_b);
    for (uint32_t i = 0; i < xk_program_n_launches(p); i++) {
        const struct xk_launch_info *const l = xk_program_launch(p, i);
        for (uint32_t k = 0; k < l->n_args; k++)
            if (l->args[k].tensor == large)
                add_edge(e, (int64_t)l->args[k].bits / image_b);
    }
}

/* From 1 to 3. */
static int value_at(bool large, int64_t image, int at, int channel)
{
    return (int)(1 + (image * 2 + at + channel * (large ? 1 : 2)) % 3);
}

/* All channels of a place; large: the tensor with pixels between them. */
static void write_spot(const struct by_weights *x, const struct memory *m,
                       bool large, int64_t image, int at)
{
    const int64_t side = large ? x->pixels : SIDE;
    const int64_t apart = large ? x->lines : 1;
    const int64_t pixel =
        (image * side + spot[at][0] * apart) * side + spot[at][1] * apart;
    for (int k = 0; k < CHANNELS; k++)
        typed_put(x->dt, m->host, pixel * CHANNELS + k,
                  value_at(large, image, at, k));
}

/* Sums over all places that are not zero: of weights [oc][ic], and of dst. */
struct sums_of_weights {
    double wei[CHANNELS][CHANNELS], bia[CHANNELS];
};

static void write_and_sum(const struct by_weights *x, const struct edges *e,
                          const struct memory *m, struct sums_of_weights *s)
{
    for (int64_t i = 0; i < x->images; i = next_row(e, i))
        for (int at = 0; at < SPOTS; at++) {
            write_spot(x, &m[XK_ARG_SRC], !x->deconv, i, at);
            write_spot(x, &m[XK_ARG_DST], x->deconv, i, at);
            for (int oc = 0; oc < CHANNELS; oc++) {
                const int d = value_at(x->deconv, i, at, oc);
                s->bia[oc] += d;
                for (int ic = 0; ic < CHANNELS; ic++)
                    s->wei[oc][ic] += d * value_at(!x->deconv, i, at, ic);
            }
        }
}

static void check_sums(const struct by_weights *x, const struct memory *m,
                       const struct sums_of_weights *s)
{
    for (int oc = 0; oc < CHANNELS; oc++) {
        const double b = x->deconv
                             ? s->bia[oc]
                             : typed_get(XK_DT_F32, m[XK_ARG_BIA].host, oc);
        ck_assert_msg(b == s->bia[oc], "bia %d: %g, not %g", oc, b, s->bia[oc]);
        for (int ic = 0; ic < CHANNELS; ic++) {
            const double w =
                typed_get(x->dt, m[XK_ARG_WEI].host, oc * CHANNELS + ic);
            ck_assert_msg(w == s->wei[oc][ic], "wei %d %d: %g, not %g", oc, ic,
                          w, s->wei[oc][ic]);
        }
    }
}

static void make_all_memory(const xk_program *p, struct memory *m)
{
    const struct xk_launch_list *const l = xk_program_launches(p);
    ck_assert_uint_le(l->n_scratch, MEMORY - XK_N_CONV_ARGS);
    for (uint32_t i = 0; i < l->n_args; i++)
        m[l->args[i].number].base.size_b = l->args[i].size_b;
    for (uint32_t i = 0; i < l->n_scratch; i++)
        m[XK_N_CONV_ARGS + i].base.size_b = l->scratch[i].size_b;
    for (unsigned i = 0; i < MEMORY; i++)
        if (m[i].base.size_b) {
            m[i].host = sparse(m[i].base.size_b);
            m[i].va = (uint64_t)(i + 1) << 34;
            m[i].number = i < XK_N_CONV_ARGS
                              ? i
                              : i - XK_N_CONV_ARGS + XK_MAX_LAUNCH_ARGS;
        }
}

START_TEST(gradients_by_weights_add_their_parts_up)
{
    static const uint32_t first[3];
    const struct by_weights *const x = &by_weights[_i];
    struct memory m[MEMORY] = {{{0}, 0, NULL, 0}};
    struct sums_of_weights s = {0};
    struct edges e;
    xk_program *const p = create_by_weights(x);
    ck_assert_uint_gt(
        xk_program_info(p)->tensor[x->deconv ? XK_ARG_DST : XK_ARG_SRC].size_b,
        UINT64_C(1) << 32);
    find_images(x, p, &e);
    ck_assert_uint_ge(e.n, 7);
    make_all_memory(p, m);
    write_and_sum(x, &e, m, &s);
    for (uint32_t i = 0; i < xk_program_n_launches(p); i++)
        launch(xk_program_launch(p, i), m, first,
               xk_program_launch(p, i)->groups);
    check_sums(x, m, &s);
    for (unsigned i = 0; i < MEMORY; i++)
        if (m[i].host)
            munmap(m[i].host, m[i].base.size_b);
    xk_program_unref(p);
}
END_TEST

/* What has no parts is refused with a sentence. */
static const struct {
    const char *problem;
    uint32_t prop;
} whole[] = {
    /* One of the minibatch is too large, and its lines meet padding. */
    {"mb1ic64ih8192oc1kh3ph1", XK_FWD_D},
    {"mb1ic64ih8192oc1kh3ph1", XK_BWD_W},
    /* No part would be aligned. */
    {"mb65ic1iw33554431oc31ow1kw1sw33554431pw0", XK_FWD_D},
    /* A prime number of images has no equal parts but images. */
    {"mb67ic64ih1024oc16kh3ph1", XK_BWD_W},
};

START_TEST(what_has_no_parts_is_refused)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_conv_info info = {.size = sizeof info};
    struct xk_error err;
    ck_assert_int_eq(xk_conv_desc_parse(whole[_i].problem, &d, NULL, 0, &err),
                     XK_OK);
    d.prop = whole[_i].prop;
    ck_assert_int_eq(xk_conv_query(&d, &info, &err), XK_EUNSUPPORTED);
    ck_assert_msg(strstr(err.message, "above 2^31-1 bytes") != NULL, "%s",
                  err.message);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("far");
    TCase *const t = tcase_create("far");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, ends, 0, 2 * XK_COUNTOF(cases));
    tcase_add_test(t, a_program_runs_part_by_part);
    tcase_add_loop_test(t, gradients_by_weights_add_their_parts_up, 0,
                        XK_COUNTOF(by_weights));
    tcase_add_loop_test(t, what_has_no_parts_is_refused, 0, XK_COUNTOF(whole));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
