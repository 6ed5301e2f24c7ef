/* SPDX-License-Identifier: Apache-2.0 */
/* Runs kernels compiled by Intel's compiler on the simulator and compares with
 * the same computation in C. Every kernel is compiled for two devices: acm-g10
 * gives LSC messages, dg2 the older data port's; and once more in SIMD8. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/args.h"
#include "sim/sim.h"
#include "tests/runtime/ocl.h"
#include "tests/sim/halves.h"
#include "tests/tap.h"
#include "xekern/simulate.h"

#define N 200 /* work items of most tests */
#ifndef DAMAGES
#define DAMAGES 100 /* damaged variants of each kernel */
#endif

static const struct {
    const char *name;
    unsigned simd; /* 0: the compiler's choice */
} devices[] = {{"acm-g10", 0}, {"dg2", 0}, {"acm-g10", 8}};
enum { N_DEVICES = 3, N_UNFORCED = 2 };
static const char *const files[] = {"arith", "memory", "flow", "floats"};
enum { ARITH, MEMORY, FLOW, FLOATS, N_FILES };

static xk_device *dev;
static xk_module *module[N_DEVICES][N_FILES];
static uint8_t *memory_zebin[N_DEVICES]; /* memory.cl as compiled */
static size_t memory_b[N_DEVICES];

static uint32_t seed = 12345;
static uint32_t rnd(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 16 | seed << 16;
}

/* Numbers of all magnitudes and the corners. */
static int32_t any_int(unsigned i)
{
    static const int32_t corner[] = {
        0,          1,  -1, 2, -2, 7, INT32_MAX, INT32_MIN, INT32_MIN + 1,
        0x55555555, 641};
    if (i % 3 == 0)
        return corner[rnd() % (sizeof(corner) / sizeof(corner[0]))];
    return (int32_t)rnd() >> (rnd() & 31);
}

static float any_float(unsigned i)
{
    static const float corner[] = {0.0f, -0.0f,  1.0f,     -1.5f,     0.5f,
                                   2.5f, 1e-40f, INFINITY, -INFINITY, NAN,
                                   3e9f, -3e9f,  65504.0f, 65520.0f,  1e-7f};
    if (i % 3 == 0)
        return corner[rnd() % (sizeof(corner) / sizeof(corner[0]))];
    return (float)((int32_t)rnd() >> (rnd() & 31)) / 128.0f;
}

static xk_buffer *buffer(const void *data, size_t n_b)
{
    xk_buffer *b;
    struct xk_error err;
    ck_assert_msg(xk_buffer_create(dev, n_b, &b, &err) == XK_OK, "%s",
                  err.message);
    if (data)
        ck_assert_int_eq(xk_buffer_write(b, 0, data, n_b, &err), XK_OK);
    return b;
}

static void fetch(xk_buffer *b, void *out, size_t n_b)
{
    struct xk_error err;
    ck_assert_int_eq(xk_buffer_read(b, 0, out, n_b, &err), XK_OK);
}

/* Arguments: buffers until NULL, then the rest as they are. */
static void launch(xk_module *m, const char *name, uint32_t items,
                   uint32_t local, unsigned n, const struct xk_launch_arg *args)
{
    const uint32_t groups[3] = {items / local, 1, 1}, l[3] = {local, 1, 1};
    struct xk_error err = {.message = ""};
    ck_assert_uint_eq(items % local, 0);
    ck_assert_msg(xk_launch(m, name, groups, l, n, args, NULL, &err) == XK_OK,
                  "%s: %s", name, err.message);
}

#define BUF(b)                                                                 \
    {                                                                          \
        .buffer = (b)                                                          \
    }
#define VAL(v)                                                                 \
    {                                                                          \
        .value = &(v), .size_b = sizeof(v)                                     \
    }
#define LOCAL(n_b)                                                             \
    {                                                                          \
        .size_b = (n_b)                                                        \
    }
#define LAUNCH(file, name, items, local, ...)                                  \
    do {                                                                       \
        const struct xk_launch_arg a_[] = {__VA_ARGS__};                       \
        launch(module[_i][file], name, items, local,                           \
               sizeof(a_) / sizeof(a_[0]), a_);                                \
    } while (0)

#define SAME(name, got, want)                                                  \
    ck_assert_msg(same(got, want, sizeof(want), sizeof((want)[0])),            \
                  "%s: element %zu is 0x%llx, not 0x%llx", name, diff_at,      \
                  diff_got, diff_want)

static size_t diff_at;
static unsigned long long diff_got, diff_want;
static int same(const void *got, const void *want, size_t n_b, size_t each_b)
{
    const uint8_t *g = got, *w = want;
    for (diff_at = 0; diff_at < n_b / each_b; diff_at++) {
        diff_got = diff_want = 0;
        memcpy(&diff_got, g + diff_at * each_b, each_b);
        memcpy(&diff_want, w + diff_at * each_b, each_b);
        if (diff_got != diff_want)
            return 0;
    }
    return 1;
}

/* As same(), but all NaNs are alike, and zero may have either sign. */
static int same_float(const float *g, const float *w, size_t n)
{
    for (diff_at = 0; diff_at < n; diff_at++) {
        if (g[diff_at] == w[diff_at] ||
            (isnan(g[diff_at]) && isnan(w[diff_at])))
            continue;
        diff_got = diff_want = 0;
        memcpy(&diff_got, &g[diff_at], 4);
        memcpy(&diff_want, &w[diff_at], 4);
        return 0;
    }
    return 1;
}

#define SAME_FLOAT(name, got, want)                                            \
    ck_assert_msg(same_float(got, want, sizeof(want) / 4),                     \
                  "%s: element %zu is 0x%llx, not 0x%llx", name, diff_at,      \
                  diff_got, diff_want)

START_TEST(saxpy_leaves_the_tail_alone)
{
    float x[N], y[N], want[N], got[N];
    const float a = 1.25f;
    const int n = N - 13;
    for (int i = 0; i < N; i++) {
        x[i] = (float)(int)(rnd() % 2001) - 1000.0f;
        y[i] = want[i] = (float)(rnd() % 77) / 3.0f;
        if (i < n)
            want[i] = fmaf(a, x[i], y[i]);
    }
    xk_buffer *bx = buffer(x, sizeof(x)), *by = buffer(y, sizeof(y));
    LAUNCH(ARITH, "saxpy", N, 50, BUF(by), BUF(bx), VAL(a), VAL(n));
    fetch(by, got, sizeof(got));
    SAME("saxpy", got, want);
    xk_buffer_unref(bx);
    xk_buffer_unref(by);
}
END_TEST

static void two_inputs(int32_t *a, int32_t *b, bool no_zero)
{
    for (unsigned i = 0; i < N; i++) {
        a[i] = any_int(i);
        b[i] = any_int(i + 1);
        if (no_zero && b[i] == 0)
            b[i] = 3;
        if (no_zero && a[i] == INT32_MIN && b[i] == -1)
            a[i] = 12;
    }
}

START_TEST(division_by_variables)
{
    int32_t a[N], b[N], want[4][N], got[N];
    two_inputs(a, b, true);
    for (int i = 0; i < N; i++) {
        want[0][i] = a[i] / b[i];
        want[1][i] = a[i] % b[i];
        want[2][i] = (int32_t)((uint32_t)a[i] / (uint32_t)b[i]);
        want[3][i] = (int32_t)((uint32_t)a[i] % (uint32_t)b[i]);
    }
    xk_buffer *o[6] = {buffer(NULL, sizeof(a)), buffer(NULL, sizeof(a)),
                       buffer(NULL, sizeof(a)), buffer(NULL, sizeof(a)),
                       buffer(a, sizeof(a)),    buffer(b, sizeof(b))};
    LAUNCH(ARITH, "divmod", N, 100, BUF(o[0]), BUF(o[1]), BUF(o[2]), BUF(o[3]),
           BUF(o[4]), BUF(o[5]));
    for (int k = 0; k < 4; k++) {
        fetch(o[k], got, sizeof(got));
        SAME("divmod", got, want[k]);
    }
    for (int k = 0; k < 6; k++)
        xk_buffer_unref(o[k]);
}
END_TEST

typedef void int_reference(int32_t *out, int32_t a, int32_t b);

static void ref_divconst(int32_t *o, int32_t a, int32_t b)
{
    (void)b;
    o[0] = a / 7;
    o[1] = a % 10;
    o[2] = (int32_t)((uint32_t)a / 641u);
    o[3] = a / -3;
    o[4] = a / 16;
    o[5] = (int32_t)((uint32_t)a % 1000003u);
}

static void ref_products(int32_t *o, int32_t a, int32_t b)
{
    o[0] = (int32_t)((uint32_t)a * (uint32_t)b);
    o[1] = (int32_t)(((int64_t)a * b) >> 32);
    o[2] = (int32_t)(((uint64_t)(uint32_t)a * (uint32_t)b) >> 32);
    o[3] = (int32_t)((uint32_t)((a >> 9) * (int64_t)(b >> 9)) + (uint32_t)a);
    o[4] = (int16_t)a * (int16_t)b;
    o[5] = (int32_t)((uint32_t)a * 1000003u + (uint32_t)b);
}

static void ref_shifts(int32_t *o, int32_t a, int32_t b)
{
    const unsigned k = (unsigned)b & 31;
    o[0] = (int32_t)((uint32_t)a << k);
    o[1] = a >> k;
    o[2] = (int32_t)((uint32_t)a >> k);
    o[3] = k ? (int32_t)((uint32_t)a << k | (uint32_t)a >> (32 - k)) : a;
    o[4] = (a & b) ^ (~a | 0x0f0f);
    o[5] = (int16_t)((uint32_t)a << 3) >> 5;
}

static void ref_bits(int32_t *o, int32_t s, int32_t b)
{
    const uint32_t a = (uint32_t)s;
    const int64_t sum = (int64_t)s + 0x40000000;
    (void)b;
    o[0] = __builtin_popcount(a);
    o[1] = a ? __builtin_clz(a) : 32;
    o[2] = a ? __builtin_ctz(a) : 32;
    o[3] = (int32_t)((a >> 5) & 0x7ff);
    o[4] = s < 0 ? (int32_t)(0 - a) : s;
    o[5] = sum > INT32_MAX ? INT32_MAX : (int32_t)sum;
}

static void int_test(int dev_i, const char *name, int_reference *ref, bool two)
{
    const int _i = dev_i;
    int32_t a[N], b[N], want[6 * N], got[6 * N];
    two_inputs(a, b, false);
    for (int i = 0; i < N; i++)
        ref(&want[6 * i], a[i], b[i]);
    xk_buffer *o = buffer(NULL, sizeof(got)), *x = buffer(a, sizeof(a));
    xk_buffer *y = buffer(b, sizeof(b));
    if (two)
        LAUNCH(ARITH, name, N, 40, BUF(o), BUF(x), BUF(y));
    else
        LAUNCH(ARITH, name, N, 40, BUF(o), BUF(x));
    fetch(o, got, sizeof(got));
    SAME(name, got, want);
    xk_buffer_unref(o);
    xk_buffer_unref(x);
    xk_buffer_unref(y);
}

START_TEST(division_by_constants)
{
    int_test(_i, "divconst", ref_divconst, false);
}
END_TEST

START_TEST(products_low_and_high)
{
    int_test(_i, "products", ref_products, true);
}
END_TEST

START_TEST(shifts_and_logic)
{
    int_test(_i, "shifts", ref_shifts, true);
}
END_TEST

START_TEST(bit_counting)
{
    int_test(_i, "bits", ref_bits, false);
}
END_TEST

START_TEST(sixty_four_bit_arithmetic_on_32_bit_units)
{
    uint64_t a[N], b[N], want[8 * N], got[8 * N];
    for (unsigned i = 0; i < N; i++) {
        a[i] = ((uint64_t)rnd() << 32 | rnd()) >> (rnd() & 63);
        b[i] = i % 4 ? (uint64_t)rnd() << 32 | rnd() : (uint64_t)(int64_t)-1;
        uint64_t *w = &want[8 * i];
        const unsigned k = b[i] & 63;
        w[0] = a[i] + b[i];
        w[1] = a[i] - b[i];
        w[2] = a[i] * b[i];
        w[3] = a[i] << k;
        w[4] = a[i] >> k;
        w[5] = (uint64_t)((int64_t)a[i] >> k);
        w[6] = a[i] < b[i] ? a[i] : b[i];
        w[7] = (int64_t)a[i] > (int64_t)b[i];
    }
    xk_buffer *o = buffer(NULL, sizeof(got)), *x = buffer(a, sizeof(a));
    xk_buffer *y = buffer(b, sizeof(b));
    LAUNCH(ARITH, "wide", N, 8, BUF(o), BUF(x), BUF(y));
    fetch(o, got, sizeof(got));
    SAME("wide", got, want);
    xk_buffer_unref(o);
    xk_buffer_unref(x);
    xk_buffer_unref(y);
}
END_TEST

START_TEST(reduction_through_local_memory_and_barriers)
{
    enum { ITEMS = 512, LOCAL_N = 128, LEN = 3001 };
    int32_t in[LEN], want[ITEMS / LOCAL_N] = {0}, got[ITEMS / LOCAL_N];
    const int32_t n = LEN;
    for (int i = 0; i < LEN; i++) {
        in[i] = (int32_t)rnd() >> 8;
        want[i % ITEMS / LOCAL_N] += in[i];
    }
    xk_buffer *o = buffer(NULL, sizeof(got)), *x = buffer(in, sizeof(in));
    LAUNCH(MEMORY, "reduce", ITEMS, LOCAL_N, BUF(o), BUF(x), LOCAL(LOCAL_N * 4),
           VAL(n));
    fetch(o, got, sizeof(got));
    SAME("reduce", got, want);
    xk_buffer_unref(o);
    xk_buffer_unref(x);
}
END_TEST

START_TEST(transposition_of_tiles)
{
    enum { W = 48, H = 32 };
    int32_t in[W * H], want[W * H], got[W * H];
    for (int i = 0; i < W * H; i++) {
        in[i] = (int32_t)rnd();
        want[i % W * H + i / W] = in[i];
    }
    xk_buffer *o = buffer(NULL, sizeof(got)), *x = buffer(in, sizeof(in));
    const struct xk_launch_arg args[] = {BUF(o), BUF(x)};
    const uint32_t groups[3] = {W / 16, H / 16, 1}, local[3] = {16, 16, 1};
    struct xk_error err;
    ck_assert_msg(xk_launch(module[_i][MEMORY], "transpose", groups, local, 2,
                            args, NULL, &err) == XK_OK,
                  "%s", err.message);
    fetch(o, got, sizeof(got));
    SAME("transpose", got, want);
    xk_buffer_unref(o);
    xk_buffer_unref(x);
}
END_TEST

START_TEST(bytes_and_words)
{
    int8_t c[N + 1];
    uint8_t wb[N], gb[N];
    int16_t ww[N], gw[N];
    for (int i = 0; i <= N; i++)
        c[i] = (int8_t)rnd();
    for (int i = 0; i < N; i++) {
        const int v = c[i] * 3 - c[i + 1];
        wb[i] = (uint8_t)v;
        ww[i] = (int16_t)(v * 100 + wb[i]);
    }
    xk_buffer *b = buffer(NULL, N), *w = buffer(NULL, 2 * N);
    xk_buffer *x = buffer(c, sizeof(c));
    LAUNCH(MEMORY, "bytes", N, 25, BUF(b), BUF(w), BUF(x));
    fetch(b, gb, sizeof(gb));
    fetch(w, gw, sizeof(gw));
    SAME("bytes", gb, wb);
    SAME("words", gw, ww);
    xk_buffer_unref(b);
    xk_buffer_unref(w);
    xk_buffer_unref(x);
}
END_TEST

START_TEST(vectors_at_64_bit_offsets)
{
    float in[4 * N], want[4 * N], got[4 * N];
    uint64_t at[N];
    for (int i = 0; i < 4 * N; i++)
        in[i] = (float)(rnd() % 1000);
    for (int i = 0; i < N; i++) {
        at[i] = rnd() % N;
        for (int k = 0; k < 4; k++)
            want[4 * i + k] = in[4 * at[i] + 3 - k] * 2.0f + in[4 * at[i] + k];
    }
    xk_buffer *o = buffer(NULL, sizeof(got)), *x = buffer(in, sizeof(in));
    xk_buffer *y = buffer(at, sizeof(at));
    LAUNCH(MEMORY, "vectors", N, 10, BUF(o), BUF(x), BUF(y));
    fetch(o, got, sizeof(got));
    SAME("vectors", got, want);
    xk_buffer_unref(o);
    xk_buffer_unref(x);
    xk_buffer_unref(y);
}
END_TEST

START_TEST(atomics_in_global_memory)
{
    int32_t v[N], zero = 0, stat[6] = {INT32_MIN, INT32_MAX, 0, 0, 0, 0};
    int32_t want[6], got[6], slot[N], sum;
    uint8_t seen[N] = {0};
    memcpy(want, stat, sizeof(want));
    for (int i = 0; i < N; i++) {
        v[i] = (int32_t)rnd() >> 8;
        want[0] = v[i] > want[0] ? v[i] : want[0];
        want[1] = v[i] < want[1] ? v[i] : want[1];
        want[2] |= (int32_t)(1u << (v[i] & 31));
        want[3] ^= v[i];
        want[4] -= v[i];
        want[5] += v[i];
    }
    xk_buffer *s = buffer(&zero, 4), *o = buffer(NULL, sizeof(slot));
    xk_buffer *t = buffer(stat, sizeof(stat)), *x = buffer(v, sizeof(v));
    LAUNCH(MEMORY, "atomics", N, 50, BUF(s), BUF(o), BUF(t), BUF(x));
    fetch(s, &sum, sizeof(sum));
    fetch(o, slot, sizeof(slot));
    fetch(t, got, sizeof(got));
    ck_assert_int_eq(sum, N);
    for (int i = 0; i < N; i++) {
        ck_assert(slot[i] >= 0 && slot[i] < N);
        ck_assert_int_eq(seen[slot[i]]++, 0);
    }
    SAME("atomics", got, want);
    xk_buffer_unref(s);
    xk_buffer_unref(o);
    xk_buffer_unref(t);
    xk_buffer_unref(x);
}
END_TEST

START_TEST(atomics_in_local_memory)
{
    int32_t v[N], want[16] = {0}, got[16];
    for (int i = 0; i < N; i++) {
        v[i] = (int32_t)rnd();
        want[i / 100 * 8 + (v[i] & 7)]++;
    }
    xk_buffer *o = buffer(NULL, sizeof(got)), *x = buffer(v, sizeof(v));
    LAUNCH(MEMORY, "local_atomics", N, 100, BUF(o), BUF(x));
    fetch(o, got, sizeof(got));
    SAME("local_atomics", got, want);
    xk_buffer_unref(o);
    xk_buffer_unref(x);
}
END_TEST

START_TEST(sub_group_block_reads_and_writes)
{
    enum { ITEMS = 128, LEN = ITEMS * 4 };
    uint32_t in[LEN], want[LEN], got[LEN];
    for (uint32_t i = 0; i < LEN; i++) {
        in[i] = rnd();
        want[i] = in[i] * 3 + i % 16;
    }
    xk_buffer *o = buffer(NULL, sizeof(got)), *x = buffer(in, sizeof(in));
    LAUNCH(MEMORY, "blocks", ITEMS, 32, BUF(o), BUF(x));
    fetch(o, got, sizeof(got));
    SAME("blocks", got, want);
    xk_buffer_unref(o);
    xk_buffer_unref(x);
}
END_TEST

START_TEST(ids_in_three_dimensions)
{
    const uint32_t groups[3] = {2, 3, 2}, local[3] = {5, 3, 4};
    enum { W = 10, H = 9, D = 8 };
    int32_t want[W * H * D], got[W * H * D];
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                want[(z * H + y) * W + x] =
                    x % 5 + 100 * (y % 3) + 10000 * (z % 4) +
                    1000000 * (x / 5 + 4 * (y / 3) + 16 * (z / 4)) + 3;
    xk_buffer *o = buffer(NULL, sizeof(got));
    const struct xk_launch_arg args[] = {BUF(o)};
    struct xk_error err;
    ck_assert_msg(xk_launch(module[_i][MEMORY], "ids", groups, local, 1, args,
                            NULL, &err) == XK_OK,
                  "%s", err.message);
    fetch(o, got, sizeof(got));
    SAME("ids", got, want);
    xk_buffer_unref(o);
}
END_TEST

static uint64_t fixed_va(const xk_buffer *b)
{
    (void)b;
    return UINT64_C(0x4fffffff00);
}

/* As above, but the ids come from memory by the kernel's prologue, which a
 * driver chooses when the hardware cannot make them. */
START_TEST(ids_loaded_by_the_prologue)
{
    const uint32_t groups[3] = {2, 1, 1}, local[3] = {7, 3, 2};
    int32_t got[84], want[84];
    uint8_t cross[1024];
    struct xk_error err = {.message = ""};
    struct xk_zebin z;
    uint32_t slm_b;
    xk_sim_kernel *k;
    for (int i = 0; i < 84; i++)
        want[i] = i % 14 % 7 + 100 * (i / 14 % 3) + 10000 * (i / 42) +
                  1000000 * (i % 14 / 7) + 1;
    xk_ctx *c = xk_ctx_create(NULL);
    ck_assert_int_eq(xk_zebin_read(c, memory_zebin[_i], memory_b[_i], &z),
                     XK_OK);
    const struct xk_zkernel *zk = z.kernels;
    while (strcmp(zk->name, "ids") != 0)
        zk++;
    xk_buffer *b = buffer(NULL, 4);
    const struct xk_launch_arg arg = BUF(b);
    ck_assert_int_eq(
        xk_args_marshal(zk,
                        &(struct xk_launch_args){"ids", groups, local, 1, &arg},
                        &(struct xk_args_places){.va_of = fixed_va}, cross,
                        &slm_b, &err),
        XK_OK);
    ck_assert_int_eq(
        xk_sim_kernel_create(NULL, xk_platform_find("xehpg"), zk, &k, &err),
        XK_OK);
    struct xk_sim_region r = {fixed_va(b), sizeof(got), (uint8_t *)got};
    const struct xk_sim_launch l = {.kernel = k,
                                    .groups = {2, 1, 1},
                                    .local = {7, 3, 2},
                                    .cross_thread = cross,
                                    .cross_thread_b = zk->cross_thread_b,
                                    .regions = &r,
                                    .n_regions = 1,
                                    .memory_local_ids = true};
    ck_assert_msg(xk_sim_launch(&l, NULL, &err) == XK_OK, "%s", err.message);
    SAME("ids", got, want);
    xk_sim_kernel_destroy(k);
    xk_buffer_unref(b);
    xk_zebin_fini(c, &z);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(truncated_compiler_output_is_refused)
{
    xk_ctx *c = xk_ctx_create(NULL);
    for (size_t n = 0; n < memory_b[_i]; n++) {
        struct xk_zebin z;
        uint8_t *copy = malloc(n ? n : 1); /* ends where ASan looks */
        memcpy(copy, memory_zebin[_i], n);
        xk_ctx_clear(c);
        ck_assert_int_eq(xk_zebin_read(c, copy, n, &z), XK_EPARSE);
        free(copy);
    }
    xk_ctx_destroy(c);
}
END_TEST

/* Runs a kernel whose code was damaged; anything but a status is a failure. */
static void run_damaged(const struct xk_zkernel *zk)
{
    static uint8_t mem[4096];
    uint8_t cross[1024];
    struct xk_error err = {.message = ""};
    xk_sim_kernel *k;
    for (unsigned i = 0; i < sizeof(cross); i += 8) {
        const uint64_t va = UINT64_C(0x4fffffff00);
        memcpy(cross + i, &va, 8);
    }
    if (xk_sim_kernel_create(NULL, xk_platform_find("xehpg"), zk, &k, &err) !=
        XK_OK)
        return;
    struct xk_sim_region r = {UINT64_C(0x4fffffff00), sizeof(mem), mem};
    const struct xk_sim_launch l = {.kernel = k,
                                    .groups = {2, 1, 1},
                                    .local = {21, 1, 1},
                                    .cross_thread = cross,
                                    .cross_thread_b = sizeof(cross),
                                    .regions = &r,
                                    .n_regions = 1,
                                    .slm_b = 1024,
                                    .n_threads = 1,
                                    .inst_limit = 3000};
    const enum xk_status s = xk_sim_launch(&l, NULL, &err);
    ck_assert(s == XK_OK || s == XK_EUNSUPPORTED ||
              (s == XK_EFAULT && err.message[0]));
    xk_sim_kernel_destroy(k);
}

static void damage_kernel(const struct xk_zkernel *zk)
{
    uint8_t *code = malloc(zk->code_b);
    struct xk_zkernel hurt = *zk;
    hurt.code = code;
    for (unsigned n = 0; n < DAMAGES; n++) {
        memcpy(code, zk->code, zk->code_b);
        for (unsigned k = 0; k < 1 + n % 4; k++)
            code[rnd() % zk->code_b] ^= (uint8_t)(1u << rnd() % 8);
        run_damaged(&hurt);
    }
    free(code);
}

START_TEST(damaged_code_gives_a_status)
{
    xk_ctx *c = xk_ctx_create(NULL);
    struct xk_zebin z;
    ck_assert_int_eq(xk_zebin_read(c, memory_zebin[_i], memory_b[_i], &z),
                     XK_OK);
    for (unsigned k = 0; k < z.n_kernels; k++)
        damage_kernel(&z.kernels[k]);
    xk_zebin_fini(c, &z);
    xk_ctx_destroy(c);
}
END_TEST

static int ref_collatz(uint32_t v)
{
    int n = 0;
    while (v != 1 && n < 500) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        n++;
    }
    return n;
}

static int ref_choose(int v)
{
    int r = 0;
    switch (v & 7) {
    case 0:
        return v + 1;
    case 1:
        return v * 3;
    case 2:
        r = -v; /* fall through */
    case 3:
        return r + 17;
    case 5:
        return v / 5;
    case 6:
        return v * 4;
    default:
        return 99;
    }
}

static int ref_nested(int v)
{
    int sum = 0;
    for (int k = 0; k < v; k++) {
        if (k == 3)
            continue;
        for (int j = k; j < 12; j++) {
            if ((j * k + v) % 11 == 5)
                break;
            sum += j ^ k;
            if (sum > 900)
                return sum;
        }
    }
    return sum;
}

START_TEST(loops_with_their_own_count_per_channel)
{
    int32_t in[N], want[N], got[N];
    for (int i = 0; i < N; i++) {
        in[i] = 1 + (int32_t)(rnd() % 3000);
        want[i] = ref_collatz((uint32_t)in[i]);
    }
    xk_buffer *o = buffer(NULL, sizeof(got)), *x = buffer(in, sizeof(in));
    LAUNCH(FLOW, "collatz", N, 40, BUF(o), BUF(x));
    fetch(o, got, sizeof(got));
    SAME("collatz", got, want);
    xk_buffer_unref(o);
    xk_buffer_unref(x);
}
END_TEST

START_TEST(switches)
{
    int32_t in[N], want[N], got[N];
    for (int i = 0; i < N; i++) {
        in[i] = (int32_t)(rnd() % 100000) - 50000;
        want[i] = ref_choose(in[i]);
    }
    xk_buffer *o = buffer(NULL, sizeof(got)), *x = buffer(in, sizeof(in));
    LAUNCH(FLOW, "choose", N, 100, BUF(o), BUF(x));
    fetch(o, got, sizeof(got));
    SAME("choose", got, want);
    xk_buffer_unref(o);
    xk_buffer_unref(x);
}
END_TEST

START_TEST(break_continue_return_and_goto)
{
    int32_t in[N], want[N], got[N];
    const int n = N - 30;
    for (int i = 0; i < N; i++) {
        in[i] = (int32_t)(rnd() % 60);
        want[i] = i < n ? ref_nested(in[i]) : -77;
        got[i] = -77;
    }
    xk_buffer *o = buffer(got, sizeof(got)), *x = buffer(in, sizeof(in));
    LAUNCH(FLOW, "nested", N, 50, BUF(o), BUF(x), VAL(n));
    fetch(o, got, sizeof(got));
    SAME("nested", got, want);
    xk_buffer_unref(o);
    xk_buffer_unref(x);
}
END_TEST

static int32_t twice_plus(int32_t x, int32_t y)
{
    return x > y ? 2 * x + y : x - 2 * y;
}

START_TEST(functions)
{
    int32_t a[N], b[N], want[N], got[N];
    for (int i = 0; i < N; i++) {
        a[i] = (int32_t)(rnd() % 1000);
        b[i] = (int32_t)(rnd() % 1000);
        want[i] = twice_plus(a[i], b[i]);
        if (want[i] & 1)
            want[i] = twice_plus(want[i], a[i]);
    }
    xk_buffer *o = buffer(NULL, sizeof(got)), *x = buffer(a, sizeof(a));
    xk_buffer *y = buffer(b, sizeof(b));
    LAUNCH(FLOW, "calls", N, 20, BUF(o), BUF(x), BUF(y));
    fetch(o, got, sizeof(got));
    SAME("calls", got, want);
    xk_buffer_unref(o);
    xk_buffer_unref(x);
    xk_buffer_unref(y);
}
END_TEST

START_TEST(shuffles_through_address_registers)
{
    enum { ITEMS = 192 };
    int32_t in[ITEMS], k[ITEMS], want[2 * ITEMS], got[2 * ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        in[i] = (int32_t)rnd() >> 4;
        k[i] = (int32_t)rnd();
    }
    for (int i = 0; i < ITEMS; i++) {
        const int first = i / 16 * 16;
        want[2 * i] = in[first + (k[i] & 15)];
        want[2 * i + 1] = 0;
        for (int l = 0; l < 16; l++)
            want[2 * i + 1] += in[first + l];
    }
    xk_buffer *o = buffer(NULL, sizeof(got)), *x = buffer(in, sizeof(in));
    xk_buffer *y = buffer(k, sizeof(k));
    LAUNCH(FLOW, "shuffle", ITEMS, 64, BUF(o), BUF(x), BUF(y));
    fetch(o, got, sizeof(got));
    SAME("shuffle", got, want);
    xk_buffer_unref(o);
    xk_buffer_unref(x);
    xk_buffer_unref(y);
}
END_TEST

static void two_floats(float *a, float *b)
{
    for (unsigned i = 0; i < N; i++) {
        a[i] = any_float(i);
        b[i] = any_float(i + 1 + i % 2);
    }
}

START_TEST(float_arithmetic)
{
    float a[N], b[N], want[10 * N], got[10 * N];
    two_floats(a, b);
    for (int i = 0; i < N; i++) {
        float *w = &want[10 * i];
        w[0] = a[i] + b[i];
        w[1] = a[i] * b[i];
        w[2] = fmaf(a[i], b[i], -a[i]);
        w[3] = fminf(a[i], b[i]);
        w[4] = fmaxf(a[i], b[i]);
        w[5] = floorf(a[i]);
        w[6] = ceilf(a[i]);
        w[7] = rintf(a[i]);
        w[8] = truncf(a[i]);
        w[9] = fabsf(a[i]) - b[i];
    }
    xk_buffer *o = buffer(NULL, sizeof(got)), *x = buffer(a, sizeof(a));
    xk_buffer *y = buffer(b, sizeof(b));
    LAUNCH(FLOATS, "basics", N, 20, BUF(o), BUF(x), BUF(y));
    fetch(o, got, sizeof(got));
    SAME_FLOAT("basics", got, want);
    xk_buffer_unref(o);
    xk_buffer_unref(x);
    xk_buffer_unref(y);
}
END_TEST

START_TEST(float_comparisons)
{
    float a[N], b[N];
    int32_t want[N], got[N];
    two_floats(a, b);
    for (int i = 0; i < N; i++) {
        if (i % 5 == 0)
            b[i] = a[i];
        want[i] = (a[i] < b[i]) | (a[i] <= b[i]) << 1 | (a[i] > b[i]) << 2 |
                  (a[i] >= b[i]) << 3 | (a[i] == b[i]) << 4 |
                  (a[i] != b[i]) << 5 | (isnan(a[i]) != 0) << 6 |
                  (isinf(a[i]) != 0) << 7 | isunordered(a[i], b[i]) << 8;
    }
    xk_buffer *o = buffer(NULL, sizeof(got)), *x = buffer(a, sizeof(a));
    xk_buffer *y = buffer(b, sizeof(b));
    LAUNCH(FLOATS, "compares", N, 100, BUF(o), BUF(x), BUF(y));
    fetch(o, got, sizeof(got));
    SAME("compares", got, want);
    xk_buffer_unref(o);
    xk_buffer_unref(x);
    xk_buffer_unref(y);
}
END_TEST

static double clamp(double v, double lo, double hi)
{
    return isnan(v) ? 0 : v < lo ? lo : v > hi ? hi : v;
}

static void ref_converts(int32_t *o, float *f, float a, int32_t b)
{
    o[0] = (int32_t)clamp(trunc((double)a), INT32_MIN, INT32_MAX);
    o[1] = (int32_t)(uint32_t)clamp(trunc((double)a), 0, UINT32_MAX);
    o[2] = (int32_t)clamp(trunc((double)a), -128, 127);
    o[3] = (int32_t)clamp(b, 0, 65535);
    o[4] = (int32_t)rint(clamp((double)a, -1e6, 1e6));
    o[5] = (int32_t)clamp(b, 0, 255);
    f[0] = (float)b;
    f[1] = (float)(uint32_t)b;
    f[2] = (float)(int8_t)b;
    f[3] = (float)b;
    if (fabs((double)f[3]) > fabs((double)b))
        f[3] = nextafterf(f[3], 0.0f);
}

START_TEST(conversions)
{
    float a[N], fwant[4 * N], fgot[4 * N];
    int32_t b[N], want[6 * N], got[6 * N];
    for (unsigned i = 0; i < N; i++) {
        a[i] = any_float(i);
        if (isnan(a[i]))
            a[i] = 2.5f; /* NaN is not defined for all of these */
        b[i] = any_int(i);
        ref_converts(&want[6 * i], &fwant[4 * i], a[i], b[i]);
    }
    xk_buffer *o = buffer(NULL, sizeof(got)), *f = buffer(NULL, sizeof(fgot));
    xk_buffer *x = buffer(a, sizeof(a)), *y = buffer(b, sizeof(b));
    LAUNCH(FLOATS, "converts", N, 25, BUF(o), BUF(f), BUF(x), BUF(y));
    fetch(o, got, sizeof(got));
    fetch(f, fgot, sizeof(fgot));
    SAME("converts", got, want);
    SAME_FLOAT("converts", fgot, fwant);
    xk_buffer_unref(o);
    xk_buffer_unref(f);
    xk_buffer_unref(x);
    xk_buffer_unref(y);
}
END_TEST

/* Rounded once from double, where sums and products of halves are exact and the
 * multiply-add of these sizes too. */
static void ref_halves(uint16_t *o, float a, uint16_t hb, uint16_t gb)
{
    const double h = half_value(hb), g = half_value(gb);
    o[0] = half_bits((double)a);
    o[1] = half_bits(h + g);
    o[2] = half_bits(h * g);
    o[3] = half_bits(h * g + h);
    o[4] = h > g ? hb : gb;
}

START_TEST(half_arithmetic)
{
    float a[N], fwant[N], fgot[N];
    uint16_t h[N], g[N], want[5 * N], got[5 * N];
    for (unsigned i = 0; i < N; i++) {
        a[i] = any_float(i);
        if (isnan(a[i]))
            a[i] = 1e5f;
        h[i] = half_bits(((int)(rnd() % 4001) - 2000) / 64.0);
        g[i] =
            half_bits(((int)(rnd() % 4001) - 2000) / (i % 2 ? 4096.0 : 16.0));
        ref_halves(&want[5 * i], a[i], h[i], g[i]);
        fwant[i] = (float)half_value(h[i]) * 3.0f;
    }
    xk_buffer *o = buffer(NULL, sizeof(got)), *f = buffer(NULL, sizeof(fgot));
    xk_buffer *x = buffer(a, sizeof(a)), *y = buffer(h, sizeof(h));
    xk_buffer *z = buffer(g, sizeof(g));
    LAUNCH(FLOATS, "halves", N, 20, BUF(o), BUF(f), BUF(x), BUF(y), BUF(z));
    fetch(o, got, sizeof(got));
    fetch(f, fgot, sizeof(fgot));
    SAME("halves", got, want);
    SAME("halves", fgot, fwant);
    xk_buffer_unref(o);
    xk_buffer_unref(f);
    xk_buffer_unref(x);
    xk_buffer_unref(y);
    xk_buffer_unref(z);
}
END_TEST

static bool close_to(float got, double want, double rel)
{
    return fabs((double)got - want) <= rel * fabs(want);
}

START_TEST(extended_math)
{
    float a[N], b[N], got[4 * N];
    for (unsigned i = 0; i < N; i++) {
        a[i] = (float)((int)(rnd() % 20001) - 10000) / 16.0f;
        b[i] = (float)(1 + rnd() % 1000) / 8.0f * (i % 2 ? 1.0f : -1.0f);
    }
    xk_buffer *o = buffer(NULL, sizeof(got)), *x = buffer(a, sizeof(a));
    xk_buffer *y = buffer(b, sizeof(b));
    LAUNCH(FLOATS, "roots", N, 20, BUF(o), BUF(x), BUF(y));
    fetch(o, got, sizeof(got));
    for (int i = 0; i < N; i++) {
        const float *g = &got[4 * i];
        ck_assert(close_to(g[0], sqrt(fabs((double)a[i])), 1e-6));
        ck_assert(close_to(g[1], 1.0 / (double)b[i], 1e-6));
        ck_assert(close_to(g[2], exp2((double)(a[i] * 0.001f)), 1e-6));
        ck_assert(close_to(g[3], (double)a[i] / (double)b[i], 3e-7));
    }
    xk_buffer_unref(o);
    xk_buffer_unref(x);
    xk_buffer_unref(y);
}
END_TEST

static bool load_modules(void)
{
    struct xk_error err = {.message = ""};
    const struct xk_simulate_opts look = {.checks = "mem,race,init,sync"};
    if (xk_device_create("sim", "xehpg", 2, &dev, &err) != XK_OK ||
        xk_simulate_configure(dev, &look, &err) != XK_OK) {
        printf("# %s\n", err.message);
        return false;
    }
    for (unsigned d = 0; d < N_DEVICES; d++)
        for (unsigned f = 0; f < N_FILES; f++) {
            char path[500];
            size_t n_b;
            snprintf(path, sizeof(path), "%s/%s.cl", XK_OPENCL_DIR, files[f]);
            uint8_t *zebin =
                ocl_compile(path, devices[d].name, devices[d].simd, &n_b);
            const bool ok =
                zebin &&
                xk_module_create(dev, zebin, n_b, &module[d][f], &err) == XK_OK;
            if (f == MEMORY) {
                memory_zebin[d] = zebin;
                memory_b[d] = n_b;
            } else {
                free(zebin);
            }
            if (!ok) {
                printf("# %s for %s: %s\n", path, devices[d].name, err.message);
                return false;
            }
        }
    return true;
}

static void unload(void)
{
    for (unsigned d = 0; d < N_DEVICES; d++) {
        free(memory_zebin[d]);
        for (unsigned f = 0; f < N_FILES; f++)
            xk_module_unref(module[d][f]);
    }
    xk_device_unref(dev);
}

#define ALL(test) tcase_add_loop_test(t, test, 0, N_DEVICES)
#define UNFORCED(test) tcase_add_loop_test(t, test, 0, N_UNFORCED)

static Suite *suite(void)
{
    Suite *s = suite_create("opencl");
    TCase *t = tcase_create("compiled kernels");
    tcase_set_timeout(t, 120);
    ALL(saxpy_leaves_the_tail_alone);
    ALL(division_by_variables);
    ALL(division_by_constants);
    ALL(products_low_and_high);
    ALL(shifts_and_logic);
    ALL(bit_counting);
    ALL(sixty_four_bit_arithmetic_on_32_bit_units);
    ALL(reduction_through_local_memory_and_barriers);
    ALL(transposition_of_tiles);
    ALL(bytes_and_words);
    ALL(vectors_at_64_bit_offsets);
    ALL(atomics_in_global_memory);
    ALL(atomics_in_local_memory);
    UNFORCED(sub_group_block_reads_and_writes);
    ALL(ids_in_three_dimensions);
    ALL(ids_loaded_by_the_prologue);
    ALL(truncated_compiler_output_is_refused);
    ALL(damaged_code_gives_a_status);
    ALL(loops_with_their_own_count_per_channel);
    ALL(switches);
    ALL(break_continue_return_and_goto);
    ALL(functions);
    UNFORCED(shuffles_through_address_registers);
    ALL(float_arithmetic);
    ALL(float_comparisons);
    ALL(conversions);
    ALL(half_arithmetic);
    ALL(extended_math);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    if (!ocl_available()) {
        /* Not exit 77: meson takes that for a crash when the protocol is TAP.
         */
        printf("1..0 # SKIP ocloc or iga64 is not installed\n");
        return 0;
    }
    if (!load_modules()) {
        printf("1..1\nnot ok 1 - kernels compile and load\n");
        return 1;
    }
    const int r = xk_tap_run(suite());
    unload();
    return r;
}
