/* SPDX-License-Identifier: Apache-2.0 */
/* Nests that somebody wrote by hand: a matmul whose B goes through SLM, one
 * with a bias and relu, and a sum of a matrix and a vector, on the simulator
 * with all checkers on. */
#include <stdio.h>
#include <string.h>

#include "base/half.h"
#include "launches_lab.h"
#include "tests/tap.h"
#include "xekern/ir.h"

static const char staged[] =
    "kernel staged simd 8 (src: ptr.global, src_at: surface, wei: ptr.global, "
    "wei_at: surface, dst: ptr.global, dst_at: surface, g: group_x < 4, t: "
    "thread < 4) {\n"
    "    index i 256, j 32, p 64\n"
    "    view A = src f16[256,64] ab [i, p]\n"
    "    view B = wei f16[64,32] ba [p, j]\n"
    "    view C = dst f32[256,32] ab [i, j]\n"
    "    walk m = i, n = j, k = p\n"
    "    tile a = f16 [m2 k8 m8 k2], b = f16 [n32 k16], q = f16 [n8 k16]\n"
    "    tile c = f32 [n4 m2 n8 m8]\n"
    "    let m0: s32 = g * 64 + t * 16\n"
    "    alloc s: slm[4096]\n"
    "    alloc acc: grf[2048] align 32\n"
    "    tile.zero.c(&acc[0])\n"
    "    alloc ra: grf[512] align 32\n"
    "    alloc rb: grf[1024] align 32\n"
    "    alloc rq: grf[256] align 32\n"
    "    for k0 in 0..64 step 16 {\n"
    "        let turn: s32 = k0 / 16 % 2 * 32\n"
    "        tile.load.A.a(&ra[0], m0, k0)\n"
    "        tile.load.B.q(&rq[0], t * 8, k0)\n"
    "        scope {\n"
    "            index r 64, c 16\n"
    "            view S = s f16[64,16] ab [r, c]\n"
    "            walk n = r, k = c\n"
    "            tile b = f16 [n32 k16], q = f16 [n8 k16]\n"
    "            tile.store.S.q(&rq[0], turn + t * 8, 0)\n"
    "            fence.slm()\n"
    "            barrier_signal()\n"
    "            barrier_wait()\n"
    "            tile.load.S.b(&rb[0], turn, 0)\n"
    "        }\n"
    "        tile.mul.dpas.c.a.b(&acc[0], &ra[0], &rb[0])\n"
    "    }\n"
    "    tile.store.C.c(&acc[0], m0, 0)\n"
    "}\n";

static const char pointwise[] =
    "kernel sum simd 16 (src: ptr.global, src_at: surface, wei: ptr.global, "
    "wei_at: surface, dst: ptr.global, dst_at: surface, g: group_x < 13) {\n"
    "    index i 5, j 37\n"
    "    view A = src f32[5,37] ab [i, j]\n"
    "    view B = wei f32[5] a [i]\n"
    "    view C = dst f32[37,5] ab [j, i]\n"
    "    walk m = i j\n"
    "    tile a = f32 [m16]\n"
    "    let m0: s32 = g * 16\n"
    "    alloc ra: grf[64] align 32\n"
    "    alloc rb: grf[64] align 32\n"
    "    tile.load.A.a(&ra[0], m0)\n"
    "    tile.load.B.a(&rb[0], m0)\n"
    "    load x: f32x16 = &ra[0]\n"
    "    load y: f32x16 = &rb[0]\n"
    "    store &ra[0] = x + y * bcast.16(2.0)\n"
    "    tile.store.C.a(&ra[0], m0)\n"
    "}\n";

/* A matmul with an epilogue: a bias of each column, relu, and a destination in
 * f16, whose rows end in a thread's tile. */
static const char finished[] =
    "kernel finished simd 16 (src: ptr.global, src_at: surface, wei: "
    "ptr.global, wei_at: surface, bia: ptr.global, bia_at: surface, dst: "
    "ptr.global, dst_at: surface, g: group_x < 16, t: thread < 2) {\n"
    "    index i 62, j 32, p 24\n"
    "    view A = src f32[62,24] ab [i, p]\n"
    "    view B = wei f32[24,32] ab [p, j]\n"
    "    view D = bia f32[32] a [j]\n"
    "    view C = dst f16[62,32] ab [i, j]\n"
    "    walk m = i, n = j, k = p\n"
    "    tile a = f32 [m4 k8], b = f32 [k8 n16], s = f32 [m4 n16]\n"
    "    tile d = f32 [n16], c = f16 [m4 n16]\n"
    "    let m0: s32 = g * 4\n"
    "    let n0: s32 = t * 16\n"
    "    alloc acc: grf[256] align 32\n"
    "    tile.zero.s(&acc[0])\n"
    "    alloc ra: grf[128] align 32\n"
    "    alloc rb: grf[512] align 32\n"
    "    for k0 in 0..24 step 8 {\n"
    "        tile.load.A.a(&ra[0], m0, k0)\n"
    "        tile.load.B.b(&rb[0], n0, k0)\n"
    "        tile.mul.mad.s.a.b(&acc[0], &ra[0], &rb[0])\n"
    "    }\n"
    "    alloc rd: grf[64] align 32\n"
    "    tile.load.D.d(&rd[0], n0)\n"
    "    load y: f32x16 = &rd[0]\n"
    "    load x0: f32x16 = &acc[0]\n"
    "    store &acc[0] = max(x0 + y, bcast.16(0.0))\n"
    "    load x1: f32x16 = &acc[64]\n"
    "    store &acc[64] = max(x1 + y, bcast.16(0.0))\n"
    "    load x2: f32x16 = &acc[128]\n"
    "    store &acc[128] = max(x2 + y, bcast.16(0.0))\n"
    "    load x3: f32x16 = &acc[192]\n"
    "    store &acc[192] = max(x3 + y, bcast.16(0.0))\n"
    "    alloc out: grf[128] align 32\n"
    "    tile.copy.c.s(&out[0], &acc[0])\n"
    "    tile.store.C.c(&out[0], m0, n0)\n"
    "}\n";

/* Registers hold 7 before the load, and lanes from 0, 3 or 8 on are off. */
static const char zeros[] =
    "kernel zeros simd 8 (src: ptr.global, src_at: surface, wei: ptr.global, "
    "wei_at: surface, dst: ptr.global, dst_at: surface, g: group_x < 3) {\n"
    "    alloc r: grf[64] align 32\n"
    "    let lane: s32x8 = ramp.8(0, 1)\n"
    "    store &r[0] = bcast.16(7.0)\n"
    "    send.load.global.surface0.d32x2.s8.z(&src[0], lane * bcast.8(8), "
    "&r[0], "
    "lane < bcast.8(g * g * 2 + g * (2 - g)))\n"
    "    send.store.global.surface2.d32x2.s8(&dst[0], lane * bcast.8(8) + "
    "bcast.8(g * 64), &r[0], true)\n"
    "}\n";

static void run_nest(const char *text, const char *passes,
                     const struct lab_arg *arg)
{
    const struct xk_ir_source s = {.size = sizeof(s),
                                   .platform = XK_PLATFORM_XEHPG,
                                   .text = text,
                                   .passes = passes,
                                   .grf_count = 256,
                                   .spare_grf = 16};
    struct xk_error err;
    xk_program *p = NULL;
    ck_assert_msg(xk_ir_create(&s, NULL, &p, &err) == XK_OK, "%s", err.message);
    lab_run(p, arg);
    xk_program_unref(p);
}

/* A matmul that says nothing of SLM; %d places of K. Two threads along n. */
static const char plain[] =
    "kernel plain simd 8 (src: ptr.global, src_at: surface, wei: ptr.global, "
    "wei_at: surface, dst: ptr.global, dst_at: surface, g: group_x < 4, t: "
    "thread < 8) {\n"
    "    index i 256, j 32, p %d\n"
    "    view A = src f16[256,%d] ab [i, p]\n"
    "    view B = wei f16[%d,32] ba [p, j]\n"
    "    view C = dst f32[256,32] ab [i, j]\n"
    "    walk m = i, n = j, k = p\n"
    "    tile a = f16 [m2 k8 m8 k2], b = f16 [n16 k16]\n"
    "    tile c = f32 [n2 m2 n8 m8]\n"
    "    let m0: s32 = g * 64 + t %% 4 * 16\n"
    "    let n0: s32 = t / 4 * 16\n"
    "    alloc acc: grf[1024] align 32\n"
    "    tile.zero.c(&acc[0])\n"
    "    alloc ra: grf[512] align 32\n"
    "    alloc rb: grf[512] align 32\n"
    "    for k0 in 0..%d step 16 {\n"
    "        tile.load.A.a(&ra[0], m0, k0)\n"
    "        tile.load.B.b(&rb[0], n0, k0)\n"
    "        tile.mul.dpas.c.a.b(&acc[0], &ra[0], &rb[0])\n"
    "    }\n"
    "    tile.store.C.c(&acc[0], m0, n0)\n"
    "}\n";

static const char *const staged_passes[] = {NULL, "split(m=8)",
                                            "split(m=8 n=8)", "split(k=16)"};

/* A product of 256 rows, 32 columns and so many places of K. */
static void check_product(const char *text, const char *passes, int places)
{
    enum { M = 256, N = 32, K = 128 };
    static uint16_t a[M * K], b[N * K];
    static float c[M][N];
    for (int k = 0; k < places; k++) {
        for (int m = 0; m < M; m++)
            a[m * places + k] =
                xk_half_from_float((float)((m * 7 + k * 3) % 9 - 4));
        for (int n = 0; n < N; n++)
            b[n * places + k] =
                xk_half_from_float((float)((n * 5 + k) % 9 - 4));
    }
    const size_t row_b = sizeof(*a) * (size_t)places;
    const struct lab_arg arg[] = {
        {a, M * row_b}, {b, N * row_b}, {c, sizeof(c)}};
    run_nest(text, passes, arg);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            float sum = 0;
            for (int k = 0; k < places; k++)
                sum += xk_half_to_float(a[m * places + k]) *
                       xk_half_to_float(b[n * places + k]);
            ck_assert_float_eq(c[m][n], sum);
        }
}

START_TEST(b_through_slm)
{
    check_product(staged, staged_passes[_i], 64);
}
END_TEST

/* One, two and three places in SLM, of one operand or of both, with every
 * remainder of steps, and with fewer steps than the pipe has stages. */
static const char *const stage_passes[] = {
    "stage(ra)",
    "stage(ra rb) split(m=8)",
    "stage(ra) pipe(ra_u ahead=1 slots=1; ra_s ahead=0 slots=1; rb ahead=1)",
    "stage(rb) pipe(rb_u ahead=1 slots=1; rb_s ahead=1 slots=2; ra ahead=1)",
    "stage(ra) split(m=8) pipe(ra_u ahead=2 slots=1; ra_s ahead=1 slots=3; rb "
    "ahead=1 slots=1)",
    "stage(ra rb) pipe(ra_u ahead=1 slots=1; rb_u ahead=2 slots=2; ra_s "
    "ahead=1 slots=2; rb_s ahead=1 slots=2)",
    "stage(ra rb) pipe(ra_u ahead=2 slots=1; rb_u ahead=1 slots=1; ra_s "
    "ahead=1 slots=3; rb_s ahead=1 slots=3; copies=4)"};

START_TEST(a_pass_goes_through_slm)
{
    char text[1400];
    for (int steps = 1; steps <= 8; steps++) {
        const int k = 16 * steps;
        snprintf(text, sizeof(text), plain, k, k, k, k);
        check_product(text, stage_passes[_i], k);
    }
}
END_TEST

/* Eight places of eight rows each, three of which each row sums up: the steps
 * of x read the same rows but 8, or others in between; %d: of p. */
static const char neighbours[] =
    "kernel rows simd 8 (src: ptr.global, src_at: surface, wei: ptr.global, "
    "wei_at: surface, dst: ptr.global, dst_at: surface, g: group_x < 4) {\n"
    "    index w 8, r 8, j 16, x 3, p %d\n"
    "    view A = src f16[8,8,%d] abc [w %s, r, p]\n"
    "    view B = wei f16[3,16,%d] abc [x, j, p]\n"
    "    view C = dst f32[8,8,16] abc [w, r, j]\n"
    "    walk m = w r, n = j, k = p/16 x p%%16\n"
    "    tile a = f16 [m2 k8 m8 k2], b = f16 [n16 k16]\n"
    "    tile c = f32 [n2 m2 n8 m8]\n"
    "    let m0: s32 = g * 16\n"
    "    alloc acc: grf[1024] align 32\n"
    "    tile.zero.c(&acc[0])\n"
    "    alloc ra: grf[512] align 32\n"
    "    alloc rb: grf[512] align 32\n"
    "    for k0 in 0..%d step 16 {\n"
    "        tile.load.A.a(&ra[0], m0, k0)\n"
    "        tile.load.B.b(&rb[0], 0, k0)\n"
    "        tile.mul.dpas.c.a.b(&acc[0], &ra[0], &rb[0])\n"
    "    }\n"
    "    tile.store.C.c(&acc[0], m0, 0)\n"
    "}\n";

static const struct {
    const char *coordinate;
    int step; /* places that one of x moves */
} moves[] = {
    {"+ x - 1", 1}, {"- x + 1", -1}, {"+ 2 * x - 2", 2}, {"- 2 * x + 2", -2}};

static const char *const hold_passes[] = {
    NULL, "hold(ra=3) pipe(ra ahead=0; rb ahead=0)",
    "hold(ra=3) split(m=8) pipe(ra ahead=0; rb ahead=1)",
    "hold(ra=3) split(m=8) pipe(ra ahead=1 slots=1; rb ahead=1 slots=1)",
    "hold(ra=3) pipe(ra ahead=1 slots=1; rb ahead=2 slots=3; copies=2)"};

/* Rows of place w + step * (x - 1), where there is one. */
static void check_neighbours(int step, int passes, const char *text, int places)
{
    enum { W = 8, R = 8, N = 16, X = 3, K = 64 };
    static uint16_t a[W * R * K], b[X * N * K];
    static float c[W * R][N];
    for (int i = 0; i < W * R * places; i++)
        a[i] = xk_half_from_float((float)(i * 7 % 9 - 4));
    for (int i = 0; i < X * N * places; i++)
        b[i] = xk_half_from_float((float)(i * 5 % 11 - 5));
    const size_t row_b = sizeof(*a) * (size_t)places;
    const struct lab_arg arg[] = {
        {a, W * R * row_b}, {b, X * N * row_b}, {c, sizeof(c)}};
    run_nest(text, hold_passes[passes], arg);
    for (int m = 0; m < W * R; m++)
        for (int n = 0; n < N; n++) {
            float sum = 0;
            for (int x = 0; x < X; x++) {
                const int w = m / R + step * (x - 1);
                for (int k = 0; w >= 0 && w < W && k < places; k++)
                    sum += xk_half_to_float(a[(w * R + m % R) * places + k]) *
                           xk_half_to_float(b[(x * N + n) * places + k]);
            }
            ck_assert_float_eq(c[m][n], sum);
        }
}

START_TEST(steps_share_rows)
{
    char text[1400];
    for (unsigned i = 0; i < XK_COUNTOF(moves); i++)
        for (int k = 16; k <= 64; k += 16) {
            snprintf(text, sizeof(text), neighbours, k, k, moves[i].coordinate,
                     k, 3 * k);
            check_neighbours(moves[i].step, _i, text, k);
        }
}
END_TEST

START_TEST(a_sum)
{
    static float a[5][37], b[5], c[37][5];
    for (int i = 0; i < 5; i++) {
        b[i] = (float)(i * i);
        for (int j = 0; j < 37; j++)
            a[i][j] = (float)(i - 3 * j);
    }
    const struct lab_arg arg[] = {
        {a, sizeof(a)}, {b, sizeof(b)}, {c, sizeof(c)}};
    run_nest(pointwise, NULL, arg);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 37; j++)
            ck_assert_float_eq(c[j][i], a[i][j] + 2 * b[i]);
}
END_TEST

static const char *const finished_passes[] = {
    NULL, "pipe(ra ahead=1; rb ahead=1)", "split(m=2)",
    "split(k=4) pipe(ra ahead=1; rb ahead=2; copies=3)"};

START_TEST(an_epilogue)
{
    enum { M = 62, N = 32, K = 24 };
    static float a[M][K], b[K][N], bias[N];
    static uint16_t c[M][N];
    for (int k = 0; k < K; k++) {
        for (int m = 0; m < M; m++)
            a[m][k] = (float)((m * 7 + k * 3) % 9 - 4);
        for (int n = 0; n < N; n++)
            b[k][n] = (float)((n * 5 + k) % 9 - 4);
    }
    for (int n = 0; n < N; n++)
        bias[n] = (float)(n - 20);
    const struct lab_arg arg[] = {
        {a, sizeof(a)}, {b, sizeof(b)}, {bias, sizeof(bias)}, {c, sizeof(c)}};
    run_nest(finished, finished_passes[_i], arg);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            float sum = bias[n];
            for (int k = 0; k < K; k++)
                sum += a[m][k] * b[k][n];
            ck_assert_float_eq(xk_half_to_float(c[m][n]), sum > 0 ? sum : 0);
        }
}
END_TEST

START_TEST(lanes_that_are_off_become_zero)
{
    static const int on[3] = {0, 3, 8};
    static float src[8][2], wei[1], dst[3][8][2];
    for (int lane = 0; lane < 8; lane++)
        for (int v = 0; v < 2; v++)
            src[lane][v] = (float)(100 + 2 * lane + v);
    const struct lab_arg arg[] = {
        {src, sizeof(src)}, {wei, sizeof(wei)}, {dst, sizeof(dst)}};
    run_nest(zeros, NULL, arg);
    for (int g = 0; g < 3; g++)
        for (int lane = 0; lane < 8; lane++)
            for (int v = 0; v < 2; v++)
                ck_assert_float_eq(dst[g][lane][v],
                                   lane < on[g] ? src[lane][v] : 0);
}
END_TEST

/* Options that the text contradicts, and a platform that there is not. */
START_TEST(what_is_refused)
{
    const struct xk_create_options o = {.size = sizeof(o),
                                        .flags = XK_CREATE_A64};
    struct xk_ir_source s = {
        .size = sizeof(s), .platform = XK_PLATFORM_XEHPG, .text = pointwise};
    struct xk_error err;
    xk_program *p = NULL;
    ck_assert_int_eq(xk_ir_create(&s, &o, &p, &err), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.message, "XK_CREATE_A64"));
    s.platform = 9;
    ck_assert_int_eq(xk_ir_create(&s, NULL, &p, &err), XK_EINVAL);
    ck_assert_ptr_null(p);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("own_nests");
    TCase *const t = tcase_create("own_nests");
    tcase_add_loop_test(t, b_through_slm, 0, XK_COUNTOF(staged_passes));
    tcase_add_loop_test(t, a_pass_goes_through_slm, 0,
                        XK_COUNTOF(stage_passes));
    tcase_add_loop_test(t, steps_share_rows, 0, XK_COUNTOF(hold_passes));
    tcase_add_test(t, a_sum);
    tcase_add_loop_test(t, an_epilogue, 0, XK_COUNTOF(finished_passes));
    tcase_add_test(t, lanes_that_are_off_become_zero);
    tcase_add_test(t, what_is_refused);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
