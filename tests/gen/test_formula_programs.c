/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of formulas through the public calls: what query answers is what
 * create makes, results against plain loops, and what is refused. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "launches_lab.h"
#include "tests/base/fail_alloc.h"
#include "tests/tap.h"
#include "xekern/formulas.h"

static struct xk_formulas formulas(uint32_t n, const char *const *text)
{
    return (struct xk_formulas){.size = sizeof(struct xk_formulas),
                                .platform = XK_PLATFORM_XEHPG,
                                .n = n,
                                .text = text};
}

/* S = A * B, T = S * A', and R = S * D: S is read twice. */
static const char *const three[] = {
    "A: f32[6,9]; B: f32[9,7]; S[m,n] += A[m,k] * B[k,n]",
    "S: f32[6,7]; D: f32[7,16]; R: f32; R[m,n] += S[m,k] * D[k,n]",
    "S: f32[6,7]; R: f32[6,16]; T[k,n] += S[m,k] * R[m,n]"};
enum { M = 6, K = 9, N = 7, L = 16 };

static xk_program *must_create(const struct xk_formulas *f, uint32_t flags)
{
    const struct xk_create_options o = {.size = sizeof o, .flags = flags};
    struct xk_error err;
    xk_program *p;
    ck_assert_msg(xk_formulas_create(f, &o, &p, &err) == XK_OK, "%s",
                  err.message);
    return p;
}

START_TEST(query_answers_what_create_makes)
{
    for (uint32_t n = 1; n <= 3; n++) {
        const struct xk_formulas f = formulas(n, three);
        struct xk_formulas_info info = {.size = sizeof info};
        struct xk_error err;
        ck_assert_int_eq(xk_formulas_query(&f, &info, &err), XK_OK);
        xk_program *const p = must_create(&f, 0);
        const struct xk_launch_list *const l = xk_program_launches(p);
        const struct xk_conv_info *const i = xk_program_info(p);
        ck_assert_uint_eq(info.n_launches, n);
        ck_assert_uint_eq(l->n_launches, n);
        ck_assert_uint_eq(i->n_launches, n);
        /* S has 168 bytes, and R 384 where it is read. */
        ck_assert_uint_eq(info.scratch_b, n == 1   ? 0
                                          : n == 2 ? 168
                                                   : 256 + 384);
        ck_assert_uint_eq(info.scratch_align_b, n == 1 ? 0 : XK_PART_ALIGN_B);
        ck_assert_uint_eq(l->scratch_b, info.scratch_b);
        ck_assert_uint_eq(i->scratch_b, info.scratch_b);
        ck_assert_uint_eq(l->scratch_align_b, info.scratch_align_b);
        ck_assert_uint_eq(i->scratch_align_b, info.scratch_align_b);
        ck_assert_uint_eq(l->n_scratch, n - 1);
        ck_assert_uint_eq(info.n_args, n == 1 ? 3 : 4);
        ck_assert_uint_eq(l->n_args, info.n_args);
        ck_assert(!memcmp(l->args, info.args, l->n_args * sizeof *l->args));
        xk_program_unref(p);
    }
}
END_TEST

/* c[rows][columns] = a * b, small whole numbers. */
static void multiply(int rows, int inner, int columns, const float *a,
                     const float *b, float *c)
{
    for (int i = 0; i < rows * columns; i++) {
        c[i] = 0;
        for (int k = 0; k < inner; k++)
            c[i] += a[i / columns * inner + k] * b[k * columns + i % columns];
    }
}

static void fill(float *v, int n, int seed)
{
    for (int i = 0; i < n; i++)
        v[i] = (float)((i * 5 + seed) % 7 - 3);
}

START_TEST(what_one_makes_the_next_ones_take)
{
    static float a[M * K], b[K * N], d[N * L], t[N * L];
    static float s[M * N], turned[N * M], r[M * L], want[N * L];
    const struct xk_formulas f = formulas(3, three);
    /* A and B, then D, then T: S and R are scratch. */
    const struct lab_arg arg[] = {
        {a, sizeof a}, {b, sizeof b}, {d, sizeof d}, {t, sizeof t}};
    xk_program *const p = must_create(&f, _i ? XK_CREATE_A64 : 0);
    fill(a, M * K, 1);
    fill(b, K * N, 2);
    fill(d, N * L, 3);
    multiply(M, K, N, a, b, s);
    multiply(M, N, L, s, d, r);
    for (int i = 0; i < N * M; i++)
        turned[i] = s[i % M * N + i / M];
    multiply(N, M, L, turned, r, want);
    lab_run(p, arg);
    for (int i = 0; i < N * L; i++)
        ck_assert_float_eq(t[i], want[i]);
    xk_program_unref(p);
}
END_TEST

/* Scratch in blocks, whose last ones are not full: 20 of 32 columns, 5 of 16
 * rows. */
START_TEST(blocks_of_scratch_are_padded)
{
    static const char *const text[] = {
        "A: f32[5,9]; B: f32[9,20]; S: f32[5,20] aB16b; "
        "S[m,n] += A[m,k] * B[k,n]",
        "S: f32[5,20] aB16b; D: f32[20,16]; T[m,n] += S[m,k] * D[k,n]"};
    static float a[45], b[180], d[320], t[80], s[100], want[80];
    const struct xk_formulas f = formulas(2, text);
    const struct lab_arg arg[] = {
        {a, sizeof a}, {b, sizeof b}, {d, sizeof d}, {t, sizeof t}};
    xk_program *const p = must_create(&f, 0);
    fill(a, 45, 1);
    fill(b, 180, 2);
    fill(d, 320, 3);
    multiply(5, 9, 20, a, b, s);
    multiply(5, 20, 16, s, d, want);
    lab_run(p, arg);
    for (int i = 0; i < 80; i++)
        ck_assert_float_eq(t[i], want[i]);
    xk_program_unref(p);
}
END_TEST

/* S has rows in blocks of 16, of which 5 are there, and K of the second formula
 * steps over them; or it has a row and a column more than the first one makes.
 */
static const char *const partly[][2] = {
    {"A: f16[5,9]; B: f16[9,20]; S: f16[5,20] Ab16a; "
     "S[m,n] += A[m,k] * B[k,n]",
     "S: f16[5,20] Ab16a; D: f16[5,16]; T: f32; T[n,x] += S[m,n] * D[m,x]"},
    {"m = 5; n = 20; A: f16[5,9]; B: f16[9,20]; S: f16[6,21]; "
     "S[m+1,n] += A[m,k] * B[k,n]",
     "m = 5; n = 20; S: f16[6,21]; D: f16[5,16]; T: f32; "
     "T[n,x] += S[m+1,n] * D[m,x]"},
    {"m = 5; n = 20; A: f16[5,9]; B: f16[9,20]; S: f16[6,20]; "
     "S[m,n] += A[m,k] * B[k,n]",
     "S: f16[6,20]; D: f16[6,16]; T: f32; T[n,x] += S[m,n] * D[m,x]"},
};

START_TEST(what_is_not_written_of_scratch_is_zero)
{
    static uint16_t a[5 * 9], b[9 * 20], d[6 * 16];
    static float t[20 * 16];
    const struct xk_formulas f = formulas(2, partly[_i]);
    const struct lab_arg arg[] = {
        {a, sizeof a}, {b, sizeof b}, {d, sizeof d}, {t, sizeof t}};
    const uint16_t one = xk_half_from_float(1);
    for (unsigned i = 0; i < XK_COUNTOF(d); i++)
        d[i] = one;
    for (unsigned i = 0; i < XK_COUNTOF(b); i++)
        b[i] = one;
    for (unsigned i = 0; i < XK_COUNTOF(a); i++)
        a[i] = one;
    xk_program *const p = must_create(&f, 0);
    ck_assert_uint_eq(xk_program_launches(p)->n_launches, 3);
    ck_assert_str_eq(xk_program_launches(p)->launches[0].kernel, "xk_S_clear");
    lab_run(p, arg);
    for (int i = 0; i < 20 * 16; i++) /* 5 rows of sums of 9 */
        ck_assert_float_eq(t[i], 45);
    xk_program_unref(p);
}
END_TEST

#define MATMUL "A: f32[6,9]; B: f32[9,7]; S[m,n] += A[m,k] * B[k,n]"

static const struct {
    const char *text[2]; /* one formula, or two */
    uint32_t platform;
    enum xk_status status;
    const char *says;
} refused[] = {
    {{"S[m,n]"}, 0, XK_EPARSE, "formula, position 7: expected +="},
    {{"A: f32[4,8]; B: f32[8,7]; C[m+n,m+n] += A[m,k] * B[k,n]"},
     0,
     XK_EUNSUPPORTED,
     "C: two places of its indices may be one element"},
    {{MATMUL, "S[m,n]"}, 0, XK_EPARSE, "formula 2: formula, position 7: expec"},
    {{MATMUL, "S: f32[6]; D: f32[6]; T[m] += S[m] * D[k]"},
     0,
     XK_EINVAL,
     "formula 2: tensor S: its type, dims or layout are not those of formula "
     "1"},
    {{MATMUL, "S: f16[6,7]; D: f16[7]; T[m] += S[m,k] * D[k]"},
     0,
     XK_EINVAL,
     "formula 2: tensor S: its type"},
    {{MATMUL, "S: f32[6,7] ba; D: f32[7]; T[m] += S[m,k] * D[k]"},
     0,
     XK_EINVAL,
     "formula 2: tensor S: its type"},
    {{MATMUL, MATMUL},
     0,
     XK_EINVAL,
     "formula 2: tensor S: formula 1 makes it, too"},
    {{MATMUL, "D: f32[6,4]; E: f32[4,9]; A[m,k] += D[m,n] * E[n,k]"},
     0,
     XK_EINVAL,
     "formula 2: tensor A: formula 1 reads it before it is made"},
    {{MATMUL " -> sum", "S: f32[6,7]; D: f32[7]; T[m] += S[m,k] * D[k]"},
     0,
     XK_EINVAL,
     "tensor S: a sum reads what nobody has written"},
    {{"A: f64[8]; W: f64[4]; O[x] += A[x] * W[k]"}, 0, XK_EUNSUPPORTED, "f64"},
    {{MATMUL},
     XK_PLATFORM_XELP,
     XK_EUNSUPPORTED,
     "platform=xelp is not implemented"},
    {{MATMUL}, 9, XK_EINVAL, "platform=9 is not a platform"},
};

START_TEST(is_refused_by_both)
{
    const uint32_t n = refused[_i].text[1] ? 2 : 1;
    struct xk_formulas f = formulas(n, refused[_i].text);
    struct xk_formulas_info info = {.size = sizeof info};
    struct xk_error err, again;
    xk_program *p = (xk_program *)&f;
    if (refused[_i].platform)
        f.platform = refused[_i].platform;
    ck_assert_int_eq(xk_formulas_query(&f, &info, &err), refused[_i].status);
    ck_assert_msg(strstr(err.message, refused[_i].says), "'%s' is not in '%s'",
                  refused[_i].says, err.message);
    ck_assert_int_eq(xk_formulas_create(&f, NULL, &p, &again), err.status);
    ck_assert_str_eq(again.message, err.message);
    ck_assert_ptr_null(p);
}
END_TEST

START_TEST(calls_that_are_wrong)
{
    static const char *const none[] = {NULL};
    struct xk_formulas f = formulas(1, three);
    struct xk_formulas_info info = {.size = sizeof info - 1};
    const struct xk_create_options o = {.size = sizeof o, .flags = 2};
    struct xk_error err;
    xk_program *p;
    size_t n;
    ck_assert_int_eq(xk_formulas_query(&f, &info, &err), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.message, "info: NULL, or size"));
    ck_assert_int_eq(xk_formulas_create(&f, NULL, NULL, &err), XK_EINVAL);
    ck_assert_int_eq(xk_formulas_create(&f, &o, &p, &err), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.message, "flags=0x2"));
    ck_assert_int_eq(xk_formulas_create(NULL, NULL, &p, &err), XK_EINVAL);
    f.size++;
    ck_assert_int_eq(xk_formulas_create(&f, NULL, &p, &err), XK_EINVAL);
    f = formulas(XK_MAX_LAUNCHES + 1, three);
    ck_assert_int_eq(xk_formulas_create(&f, NULL, &p, &err), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.message, "65 of them, need 1 to 64"));
    f = formulas(0, three);
    ck_assert_int_eq(xk_formulas_create(&f, NULL, &p, &err), XK_EINVAL);
    f = formulas(1, NULL);
    ck_assert_int_eq(xk_formulas_create(&f, NULL, &p, &err), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.message, "formulas: text is NULL"));
    f = formulas(1, none);
    ck_assert_int_eq(xk_formulas_create(&f, NULL, &p, &err), XK_EINVAL);
    ck_assert_int_eq(xk_formula_complete(NULL, NULL, 0, &n, &err), XK_EINVAL);
    ck_assert_int_eq(xk_formula_complete(MATMUL, NULL, 9, &n, &err), XK_EINVAL);
    ck_assert_int_eq(xk_formula_complete(MATMUL, NULL, 0, NULL, NULL),
                     XK_EINVAL);
}
END_TEST

/* XK_SCHEDULE is obeyed, or refused by query and create. */
START_TEST(the_schedule_that_is_set)
{
    static const struct {
        const char *text;
        enum xk_status status;
    } rows[] = {{"grf=256", XK_OK}, {"q=8", XK_EPARSE}, {"grf=7", XK_EINVAL}};
    const struct xk_formulas f = formulas(1, three);
    struct xk_formulas_info info = {.size = sizeof info};
    struct xk_error err;
    xk_program *p = NULL;
    setenv("XK_SCHEDULE", rows[_i].text, 1);
    ck_assert_int_eq(xk_formulas_query(&f, &info, &err), rows[_i].status);
    ck_assert_int_eq(xk_formulas_create(&f, NULL, &p, &err), rows[_i].status);
    unsetenv("XK_SCHEDULE");
    if (p)
        ck_assert_ptr_nonnull(
            strstr(xk_program_launch(p, 0)->schedule, "grf=256"));
    xk_program_unref(p);
}
END_TEST

START_TEST(a_formula_is_completed)
{
    static const char want[] =
        "A: f32[6,9] ab; B: f32[9,7] ab; S: f32[6,7] ab; m = 6; n = 7; k = 9; "
        "S[m,n] += A[m,k] * B[k,n]";
    char out[sizeof want];
    size_t n;
    ck_assert_int_eq(xk_formula_complete(MATMUL, out, sizeof out, &n, NULL),
                     XK_OK);
    ck_assert_str_eq(out, want);
    ck_assert_uint_eq(n, sizeof want - 1);
    ck_assert_int_eq(xk_formula_complete(MATMUL, out, 5, &n, NULL), XK_OK);
    ck_assert_str_eq(out, "A: f");
    ck_assert_uint_eq(n, sizeof want - 1);
}
END_TEST

/* Its struct ends in front of the device. */
START_TEST(a_caller_of_an_older_version)
{
    const size_t older_b = offsetof(struct xk_formulas, device);
    struct xk_formulas f = formulas(1, three);
    struct xk_formulas_info info = {.size = sizeof info};
    struct xk_error err;
    f.size = (uint32_t)older_b;
    f.device = "what lies behind it";
    ck_assert_int_eq(xk_formulas_query(&f, &info, &err), XK_OK);
    xk_program_unref(must_create(&f, 0));
    f.size = (uint32_t)sizeof f;
    ck_assert_int_eq(xk_formulas_query(&f, &info, &err), XK_EINVAL);
    ck_assert_str_eq(strtok(err.message, ":"),
                     "device=what lies behind it is none of xehpg's");
    f.device = "dg2-g10-a0"; /* kernels of its own, as for a convolution */
    ck_assert_int_eq(xk_formulas_query(&f, &info, &err), XK_OK);
    xk_program_unref(must_create(&f, 0));
}
END_TEST

START_TEST(memory_that_runs_out_is_said)
{
    const struct xk_formulas f = formulas(2, three);
    enum xk_status s = XK_ENOMEM;
    for (long k = 0; s == XK_ENOMEM; k += 1 + k / 8) {
        struct fail_alloc count;
        const struct xk_alloc a = fail_alloc_make(&count, k);
        const struct xk_heap heap = {a.realloc, a.user};
        const struct xk_create_options o = {.size = sizeof o, .heap = &heap};
        struct xk_error err;
        xk_program *p;
        s = xk_formulas_create(&f, &o, &p, &err);
        ck_assert_int_eq(p == NULL, s < 0);
        ck_assert_msg(s == XK_ENOMEM || s == XK_OK, "%ld: %s", k, err.message);
        xk_program_unref(p);
        ck_assert_int_eq(count.live, 0);
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("formula_programs");
    TCase *const t = tcase_create("formula_programs");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, query_answers_what_create_makes);
    tcase_add_loop_test(t, what_one_makes_the_next_ones_take, 0, 2);
    tcase_add_test(t, blocks_of_scratch_are_padded);
    tcase_add_loop_test(t, what_is_not_written_of_scratch_is_zero, 0,
                        XK_COUNTOF(partly));
    tcase_add_loop_test(t, is_refused_by_both, 0, XK_COUNTOF(refused));
    tcase_add_test(t, calls_that_are_wrong);
    tcase_add_loop_test(t, the_schedule_that_is_set, 0, 3);
    tcase_add_test(t, a_formula_is_completed);
    tcase_add_test(t, a_caller_of_an_older_version);
    tcase_add_test(t, memory_that_runs_out_is_said);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
