/* SPDX-License-Identifier: Apache-2.0 */
/* Whole programs through Intel's Level Zero and OpenCL, on a virtual device
 * that a thread of this process serves: several launches with scratch between
 * them, up to 64 arguments, values of each type, programs in flight. Expected
 * values are computed here in plain loops. */
#include <string.h>

#include "tests/gen/many_program.h"
#include "tests/runtime/virtual.h"
#include "tests/tap.h"
#include "xekern/device.h"
#include "xekern/formulas.h"

static const char *const engines[] = {"ze", "ocl"};
enum { N_ENGINES = 2, N_FLYING = 4 };

#define GOOD(call)                                                             \
    do {                                                                       \
        struct xk_error e_;                                                    \
        struct xk_error *const err_ = &e_;                                     \
        ck_assert_msg((call) == XK_OK, "%s: %s", #call, e_.message);           \
    } while (0)

static xk_device *dev;
static xk_module *mod;

static void open_program(int engine, const xk_program *p)
{
    const struct xk_launch_info *const l = xk_program_launch(p, 0);
    GOOD(xk_device_create(engines[engine], "xehpg", 0, &dev, err_));
    GOOD(xk_module_create(dev, l->zebin, l->zebin_b, &mod, err_));
}

static void close_program(void)
{
    xk_module_unref(mod);
    xk_device_unref(dev);
}

/* Not of constants: the driver's socket copies back what it has copied. */
static xk_buffer *buffer_of(void *data, size_t size_b)
{
    xk_buffer *b;
    GOOD(xk_buffer_create(dev, size_b, &b, err_));
    GOOD(xk_buffer_write(b, 0, data, size_b, err_));
    return b;
}

/* T = A * B, C = T * D, and E = C * F with F turned; T and C are scratch. Sizes
 * that no block divides. */
enum { M = 21, K = 18, N = 37, L = 16, P = 24 };
static const char *const text[] = {
    "A: f32[21,18]; B: f32[18,37]; T[m,n] += A[m,k] * B[k,n]",
    "T: f32[21,37]; D: f32[37,16]; C[m,n] += T[m,k] * D[k,n]",
    "C: f32[21,16]; F: f32[24,16]; E[m,n] += C[m,k] * F[n,k]"};
enum { ARG_A, ARG_B, ARG_D, ARG_F, ARG_E, N_CHAIN_ARGS };

/* One run of the chain: its numbers depend on a seed. */
struct chain {
    float a[M * K], b[K * N], d[N * L], f[P * L], want[M * P];
    struct xk_launch_arg arg[N_CHAIN_ARGS];
};

static void numbers(float *v, int n, int seed)
{
    for (int i = 0; i < n; i++)
        v[i] = (float)((i * 7 + seed * 13) % 5 - 2);
}

/* c[rows][columns] = a * b; element (k, n) of b lies at k * row + n * column.
 */
struct right {
    const float *b;
    int row, column;
};
static void multiply(const float *a, struct right r, const int size[3],
                     float *c)
{
    for (int i = 0; i < size[0] * size[2]; i++) {
        const int m = i / size[2], n = i % size[2];
        c[i] = 0;
        for (int k = 0; k < size[1]; k++)
            c[i] += a[m * size[1] + k] * r.b[k * r.row + n * r.column];
    }
}

static void make_chain(struct chain *x, int seed)
{
    static float nothing[M * P];
    static float t[M * N], c[M * L];
    numbers(x->a, M * K, seed);
    numbers(x->b, K * N, seed + 1);
    numbers(x->d, N * L, seed + 2);
    numbers(x->f, P * L, seed + 3);
    multiply(x->a, (struct right){x->b, N, 1}, (int[]){M, K, N}, t);
    multiply(t, (struct right){x->d, L, 1}, (int[]){M, N, L}, c);
    multiply(c, (struct right){x->f, 1, L}, (int[]){M, L, P}, x->want);
    memset(x->arg, 0, sizeof x->arg);
    x->arg[ARG_A].buffer = buffer_of(x->a, sizeof x->a);
    x->arg[ARG_B].buffer = buffer_of(x->b, sizeof x->b);
    x->arg[ARG_D].buffer = buffer_of(x->d, sizeof x->d);
    x->arg[ARG_F].buffer = buffer_of(x->f, sizeof x->f);
    x->arg[ARG_E].buffer = buffer_of(nothing, sizeof nothing);
}

static void check_chain(const struct chain *x)
{
    static float got[M * P];
    GOOD(xk_buffer_read(x->arg[ARG_E].buffer, 0, got, sizeof got, err_));
    for (int i = 0; i < M * P; i++)
        ck_assert_msg(got[i] == x->want[i], "element %d is %g, not %g", i,
                      (double)got[i], (double)x->want[i]);
}

static void drop_chain(struct chain *x)
{
    for (int i = 0; i < N_CHAIN_ARGS; i++)
        xk_buffer_unref(x->arg[i].buffer);
}

static xk_program *make_program(uint32_t flags)
{
    const struct xk_formulas f = {
        .size = sizeof f, .platform = XK_PLATFORM_XEHPG, .n = 3, .text = text};
    const struct xk_create_options o = {.size = sizeof o, .flags = flags};
    xk_program *p;
    GOOD(xk_formulas_create(&f, &o, &p, err_));
    return p;
}

static struct xk_run_opts opts_of(const struct chain *x)
{
    return (struct xk_run_opts){.size = sizeof(struct xk_run_opts),
                                .n_args = N_CHAIN_ARGS,
                                .args = x->arg};
}

/* With surfaces and with addresses; scratch of its own, then of the caller, in
 * the middle of a buffer. */
START_TEST(several_launches_with_scratch)
{
    static struct chain x;
    xk_program *const p = make_program(_i % 2 ? XK_CREATE_A64 : 0);
    const uint64_t need_b = xk_program_launches(p)->scratch_b;
    struct xk_launch_stats s = {0};
    struct xk_error err;
    open_program(_i / 2, p);
    make_chain(&x, 1);
    struct xk_run_opts o = opts_of(&x);
    GOOD(xk_module_run(mod, &o, &s, err_));
    ck_assert(s.device_ns > 0 && s.groups > 0);
    check_chain(&x);
    drop_chain(&x);
    make_chain(&x, 2);
    o = opts_of(&x);
    GOOD(xk_buffer_create(dev, 384 + need_b, &o.scratch, err_));
    o.scratch_at_b = 512;
    ck_assert_int_eq(xk_module_run(mod, &o, NULL, &err), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.message, "bytes from byte 512 on, need"));
    o.scratch_at_b = 384;
    GOOD(xk_module_run(mod, &o, NULL, err_));
    check_chain(&x);
    xk_buffer_unref(o.scratch);
    drop_chain(&x);
    close_program();
    xk_program_unref(p);
}
END_TEST

/* Each with a part of one scratch buffer, which is given back while they run;
 * waited for from the last to the first, one by nobody. */
START_TEST(programs_in_flight)
{
    static struct chain x[N_FLYING];
    xk_pending *pending[N_FLYING];
    xk_program *const p = make_program(0);
    const struct xk_launch_list *const l = xk_program_launches(p);
    const uint64_t step_b = (l->scratch_b + l->scratch_align_b - 1) /
                            l->scratch_align_b * l->scratch_align_b;
    xk_buffer *scratch;
    open_program(_i, p);
    GOOD(xk_buffer_create(dev, N_FLYING * step_b, &scratch, err_));
    for (int k = 0; k < N_FLYING; k++)
        make_chain(&x[k], k);
    for (int k = 0; k < N_FLYING; k++) {
        struct xk_run_opts o = opts_of(&x[k]);
        o.scratch = scratch;
        o.scratch_at_b = (uint64_t)k * step_b;
        GOOD(xk_module_start(mod, &o, &pending[k], err_));
    }
    xk_buffer_unref(scratch);
    for (int k = N_FLYING - 1; k > 0; k--) {
        struct xk_launch_stats s = {0};
        GOOD(xk_pending_wait(pending[k], &s, err_));
        ck_assert_uint_gt(s.device_ns, 0);
    }
    for (int k = 0; k < N_FLYING; k++)
        xk_pending_unref(pending[k]);
    for (int k = 0; k < N_FLYING; k++) {
        check_chain(&x[k]);
        drop_chain(&x[k]);
    }
    close_program();
    xk_program_unref(p);
}
END_TEST

/* 18 arguments, and 64, most of them not in registers; values of each type. */
START_TEST(many_arguments_and_values)
{
    const int n = _i & 1 ? MANY_MOST : MANY_FEW;
    const struct many_values *const v = &many_values;
    struct xk_launch_arg arg[MANY_ARGS_MAX] = {{0}};
    int32_t data[MANY_E];
    float got[MANY_E];
    xk_program *const p = many_program(n, _i >> 1 & 1);
    open_program(_i >> 2, p);
    for (int b = 0; b <= n; b++) {
        for (int e = 0; e < MANY_E; e++)
            data[e] = many_element(b, e);
        arg[b].buffer = buffer_of(data, sizeof data);
    }
    arg[n + MANY_X] = (struct xk_launch_arg){.value = &v->x, .size_b = 4};
    arg[n + MANY_WIDE] = (struct xk_launch_arg){.value = &v->wide, .size_b = 8};
    arg[n + MANY_Y] = (struct xk_launch_arg){.value = &v->y, .size_b = 4};
    arg[n + MANY_Z] = (struct xk_launch_arg){.value = &v->z, .size_b = 4};
    const struct xk_run_opts o = {
        .size = sizeof o, .n_args = (uint32_t)n + MANY_OTHERS, .args = arg};
    GOOD(xk_module_run(mod, &o, NULL, err_));
    GOOD(xk_buffer_read(arg[n].buffer, 0, got, sizeof got, err_));
    for (int e = 0; e < MANY_E; e++)
        ck_assert_msg(got[e] == many_expected(n, e), "element %d is %g, not %g",
                      e, (double)got[e], (double)many_expected(n, e));
    for (int b = 0; b <= n; b++)
        xk_buffer_unref(arg[b].buffer);
    close_program();
    xk_program_unref(p);
}
END_TEST

static bool has(const char *engine)
{
    struct xk_error err;
    uint32_t n;
    const bool there = xk_device_count(engine, &n, &err) == XK_OK;
    if (!there)
        printf("1..0 # SKIP %s\n", err.message);
    return there;
}

int main(void)
{
    if (!virtual_open("xehpg") || !has("ze") || !has("ocl"))
        return 77;
    Suite *const s = suite_create("program_engines");
    TCase *const t = tcase_create("program_engines");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, several_launches_with_scratch, 0, 2 * N_ENGINES);
    tcase_add_loop_test(t, programs_in_flight, 0, N_ENGINES);
    tcase_add_loop_test(t, many_arguments_and_values, 0, 4 * N_ENGINES);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
