/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas: printing and parsing again, what follows from what, and what is
 * refused with which words. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "any_contraction.h"
#include "tests/arena_fixture.h"
#include "tests/tap.h"
#include "views/formula.h"

static bool coord_eq(const struct xk_contraction *p, const struct xk_coord *x,
                     const struct xk_coord *y)
{
    if (x->base != y->base || x->lo != y->lo || x->hi != y->hi ||
        !x->class_base != !y->class_base)
        return false;
    if (memcmp(x->coef, y->coef, sizeof(x->coef)) != 0)
        return false;
    if (!x->class_base)
        return true;
    return x->class_dim == y->class_dim &&
           memcmp(x->class_base, y->class_base,
                  p->class_dim[x->class_dim].n * sizeof(int64_t)) == 0;
}

static bool access_eq(const struct xk_contraction *p, const struct xk_access *a,
                      const struct xk_access *b)
{
    if (strcmp(a->name, b->name) != 0 || a->n_coord != b->n_coord ||
        a->fill != b->fill || !xk_layout_eq(&a->layout, &b->layout))
        return false;
    for (unsigned i = 0; i < a->n_coord; i++)
        if (!coord_eq(p, &a->at[i], &b->at[i]))
            return false;
    return true;
}

static bool indices_eq(const struct xk_contraction *p,
                       const struct xk_contraction *q)
{
    for (unsigned i = 0; i < p->n_index; i++)
        if (strcmp(p->index[i].name, q->index[i].name) != 0 ||
            p->index[i].extent != q->index[i].extent ||
            p->index[i].role != q->index[i].role)
            return false;
    for (unsigned d = 0; d < p->n_class_dims; d++) {
        const struct xk_class_dim *const x = &p->class_dim[d];
        const struct xk_class_dim *const y = &q->class_dim[d];
        if (x->n != y->n || x->k != y->k ||
            memcmp(x->k_extent, y->k_extent, x->n * sizeof(int64_t)) != 0)
            return false;
    }
    return true;
}

static bool epilogue_eq(const struct xk_contraction *p,
                        const struct xk_contraction *q)
{
    if (p->n_epi != q->n_epi)
        return false;
    for (unsigned i = 0; i < p->n_epi; i++) {
        const struct xk_epi_op *const x = &p->epi[i], *const y = &q->epi[i];
        if (x->kind != y->kind || x->input != y->input ||
            x->alpha != y->alpha || x->beta != y->beta || x->zero != y->zero ||
            x->old_dt != y->old_dt || x->in_acc != y->in_acc ||
            x->times_b != y->times_b)
            return false;
    }
    return true;
}

static bool contractions_eq(const struct xk_contraction *p,
                            const struct xk_contraction *q)
{
    if (p->n_index != q->n_index || p->n_inputs != q->n_inputs ||
        p->totals != q->totals || p->n_class_dims != q->n_class_dims ||
        p->acc_dt != q->acc_dt || !indices_eq(p, q) || !epilogue_eq(p, q))
        return false;
    for (unsigned i = 0; i < p->n_inputs; i++)
        if (!access_eq(p, &p->input[i], &q->input[i]))
            return false;
    return access_eq(p, &p->a, &q->a) && access_eq(p, &p->b, &q->b) &&
           access_eq(p, &p->c, &q->c);
}

START_TEST(round_trip)
{
    unsigned seed = 40u + (unsigned)_i;
    for (unsigned n = 0; n < 100; n++) {
        struct xk_contraction p, q;
        struct xk_str s;
        any_contraction(c, &seed, n % 3 == 0, &p);
        xk_str_init(&s, NULL);
        xk_formula_print(&p, &s);
        ck_assert_msg(xk_formula_parse(c, &arena, xk_str_get(&s), &q) == XK_OK,
                      "seed %d, %u: %s: %s", 40 + _i, n, c->error.message,
                      xk_str_get(&s));
        ck_assert_msg(contractions_eq(&p, &q), "seed %d, %u: %s", 40 + _i, n,
                      xk_str_get(&s));
        xk_str_fini(&s);
    }
}
END_TEST

/* Texts, and the same with all that follows. */
static const struct {
    const char *text, *want;
} good[] = {
    {"A: f16[8,16]; B: f16[16,32]; C[m,n] += A[m,k] * B[k,n]",
     "A: f16[8,16] ab; B: f16[16,32] ab; C: f32[8,32] ab; m = 8; n = 32; "
     "k = 16; C[m,n] += A[m,k] * B[k,n]"},
    /* A convolution: h and w follow from what stays inside. */
    {"I: f16[2,3,9,9] acdb\nW: f16[4,3,3,3]\nO: f16\n"
     "O[n,o,h,w] += I[n,c,2*h+r,w+s] * W[o,c,r,s]\n",
     "I: f16[2,3,9,9] acdb; W: f16[4,3,3,3] abcd; O: f16[2,4,4,7] abcd; "
     "n = 2; o = 4; h = 4; w = 7; c = 3; r = 3; s = 3; "
     "O[n,o,h,w] += I[n,c,2*h+r,w+s] * W[o,c,r,s]"},
    /* Padding in front and behind: declared. */
    {"h=5; I: s8[5] fill -3; W: s8[3]; O: s32; O[h] += I[h + r - 1] * W[r]",
     "I: s8[5] a fill -3; W: s8[3] a; O: s32[5] a; h = 5; r = 3; "
     "O[h] += I[h+r-1] * W[r]"},
    /* Going down; a dim as large as it is reached. */
    {"k=4; x=3; O[x] += I[x-k+3] * W[k]",
     "I: f32[6] a; W: f32[4] a; O: f32[3] a; k = 4; x = 3; "
     "O[x] += I[-k+x+3] * W[k]"},
    /* A condition, a broadcast operand, an interval, an open layout. */
    {"p=2; q=2; n=3; A: f32[2] any; O[q,n] += A[p] * B[p, q | p - q in 0..1]",
     "A: f32[2] any; B: f32[2,2] ab; O: f32[2,3] ab; p = 2; q = 2; n = 3; "
     "O[q,n] += A[p] * B[p,q | p-q in 0..1]"},
    {"m=4; A: f32[9]; O[m] += A[2*m+1 in 2..8] * B[0]",
     "A: f32[9] a; B: f32[1] a; O: f32[4] a; m = 4; "
     "O[m] += A[2*m+1 in 2..8] * B[0]"},
    /* Operations on C, with what they read. */
    {"A: f16[8,16]; B: f16[16,32]; S: s8; T: f16[32,8] ba; C: u8; "
     "C[m,n] += A[m,k] * B[k,n] -> add S[n] ->LINEAR:0.5 -> sum:2:3:s8 -> "
     "eltwise_relu -> binary_mul T[n,m] -> sum -> abs",
     "A: f16[8,16] ab; B: f16[16,32] ab; C: u8[8,32] ab; S: s8[32] a; "
     "T: f16[32,8] ba; m = 8; n = 32; k = 16; "
     "C[m,n] += A[m,k] * B[k,n] -> add S[n] -> linear:0.5:0 -> sum:2:3:s8 -> "
     "relu:0 -> mul T[n,m] -> sum:1 -> abs"},
    /* Classes. */
    {"t={2,1}@0; u=3; D: f32[3]; W: f32[3]; "
     "S[2*u+{0,1}@0] += D[u-t+{0,1}@0] * W[2*t+{0,1}@0]",
     "D: f32[3] a; W: f32[3] a; S: f32[6] a; t = {2,1}@0; u = 3; "
     "S[2*u+{0,1}@0] += D[-t+u+{0,1}@0] * W[2*t+{0,1}@0]"},
};

START_TEST(follows)
{
    struct xk_contraction p, q;
    struct xk_str s;
    xk_str_init(&s, NULL);
    ck_assert_msg(xk_formula_parse(c, &arena, good[_i].text, &p) == XK_OK,
                  "%s: %s", good[_i].text, c->error.message);
    xk_formula_print(&p, &s);
    ck_assert_str_eq(xk_str_get(&s), good[_i].want);
    ck_assert_int_eq(xk_formula_parse(c, &arena, good[_i].want, &q), XK_OK);
    ck_assert(contractions_eq(&p, &q));
    xk_str_fini(&s);
}
END_TEST

static const struct {
    const char *text;
    enum xk_status status;
    const char *message; /* a part of it */
} bad[] = {
    {"", XK_EPARSE, "position 1: expected a name"},
    {"C[m] += A[m]", XK_EPARSE, "expected *"},
    {"C[m] + A[m] * B[m]", XK_EPARSE, "expected +="},
    {"C[m] += A[m * B[m]", XK_EPARSE, "expected a number"},
    {"C[m) += A[m] * B[m]", XK_EPARSE, "expected ]"},
    {"A: q7; C[m] += A[m] * B[m]", XK_EPARSE, "no such type"},
    {"A: f32[0]; C[m] += A[m] * B[m]", XK_EPARSE, "at least 1"},
    {"A: f32[2] zz; C[m] += A[m] * B[m]", XK_EINVAL, "zz"},
    {"A: f32; A: f32; C[m] += A[m] * B[m]", XK_EPARSE, "declared twice"},
    {"m = 3; m = 4; C[m] += A[m] * B[m]", XK_EPARSE, "declared twice"},
    {"m = 3000000000; C[m] += A[m] * B[m]", XK_EPARSE, "above 2147483647"},
    {"m = 3; C[m] += A[m] * A[m]", XK_EPARSE, "stands twice"},
    {"X: f32; m = 3; C[m] += A[m] * B[m]", XK_EINVAL, "tensor X"},
    {"C[m] += A[m] * B[m]", XK_EINVAL, "extent of index m does not follow"},
    {"A: f32[3]; B: f32[4]; C[m] += A[m] * B[m]", XK_EINVAL, "index m is 3"},
    {"A: f32[3]; k=5; C[m] += A[m+k] * B[k]", XK_EINVAL, "no place"},
    {"A: f32[3,3]; C[m] += A[m] * B[m]", XK_EPARSE, "than dims"},
    {"A: f16[3]; B: s8[3]; C[m] += A[m] * B[m]", XK_EUNSUPPORTED, "integers"},
    {"m=3; n=2; C[m+n] += A[m] * B[n]", XK_EUNSUPPORTED, "one element"},
    {"m=3; n=2; C[m | n in 0..2] += A[m] * B[n]", XK_EUNSUPPORTED,
     "one element"},
    {"i = 2147483647; A: f32[8]; B: f32; "
     "C[j] += A[2147483647*i + 2147483647*i + 2147483647*i + j] * B[i]",
     XK_EINVAL, "leaves no place for index j"},
    {"i = 2147483647; k = 2147483647; A: f32[8]; B: f32; C[j] += "
     "A[j - 2147483647*i - 2147483647*i - 2147483647*k - 2147483647*k] * B[i]",
     XK_EINVAL, "leaves no place for index j"},
    {"a=2; b=2; c=2; d=2; e=2; f=2; g=2; h=2; i=2; j=2; k=2; l=2; o=2; C[m] += "
     "A[m] * B[m]",
     XK_EPARSE, "there are more than 12 indices"},
    {"z = 4; A: f32[3]; B: f32[3]; C[m] += A[m] * B[m]", XK_EINVAL,
     "index z moves no coordinate"},
    {"A: f32[3]; B: f32[3]; C[m] += A[m + 0*z] * B[m]", XK_EINVAL,
     "index z moves no coordinate"},
    {"A: f32[3]; B: f32[3]; C: f32[3] fill 2; C[m] += A[m] * B[m]", XK_EINVAL,
     "C has a fill, but is not loaded"},
    {"A: u8[3] fill -1; B: u8[3]; C[m] += A[m] * B[m]", XK_EINVAL, "fill -1"},
    {"A: f16[3] fill 2049; B: f16[3]; C[m] += A[m] * B[m]", XK_EINVAL,
     "fill 2049, want -2048 to 2048 of f16"},
    {"m=3; C[m] += A[m in 2..2] * B[m]", XK_EPARSE, "interval is empty"},
    {"m=3; C[m] += A[m | m] * B[m]", XK_EPARSE, "a condition has an interval"},
    {"m=3; A: f32[3]; C[m] += A[m in 1..5] * B[m]", XK_EINVAL, "interval"},
    {"t={1,2}@3; C[m] += A[t] * B[m]", XK_EPARSE, "class dims 0, 1 and 2"},
    {"m=3; C[m] += A[m] * B[m] x", XK_EPARSE, "expected the end"},
    {"m=3; C[m] += A[m] * B[m] -> warm", XK_EPARSE, "no such operation"},
    {"m=3; C[m] += A[m] * B[m] -> relu:x", XK_EPARSE, "expected a number"},
    {"m=3; C[m] += A[m] * B[m] -> relu:1:2", XK_EPARSE, "expected the end"},
    {"m=3; C[m] += A[m] * B[m] -> add", XK_EPARSE, "expected a name"},
    {"m=3; C[m] += A[m] * B[m] -> add A[m]", XK_EPARSE, "stands twice"},
    {"m=3; k=2; C[m] += A[m] * B[k] -> add S[k]", XK_EINVAL, "summed over"},
    {"m=3; C[m] += A[m] * B[m] -> clip:2:1", XK_EINVAL, "beta is at least"},
    {"m=3; C[m] += A[m] * B[m] -> sum:1:0:s8", XK_EINVAL, "not as large"},
    {"m=3; C[m] += A[m] * B[m] -> sum:1:0:q8", XK_EPARSE, "no such type"},
    {"indexname=3; C[m] += A[m] * B[m]", XK_EPARSE, "7 characters"},
    {"m=2147483647; C[m] += A[3*m] * B[m]", XK_EUNSUPPORTED, "2^31-1"},
};

START_TEST(refused)
{
    struct xk_contraction p;
    const enum xk_status got = xk_formula_parse(c, &arena, bad[_i].text, &p);
    ck_assert_msg(got == bad[_i].status &&
                      strstr(c->error.message, bad[_i].message),
                  "%s: %d: %s", bad[_i].text, got, c->error.message);
}
END_TEST

/* The sentence of a limit says what fits: so many do, and one more does not. */
static void fits_so_many(const char *step, const char *what)
{
    char text[4000] = "m=3; C[m] += A[m] * B[m]", sentence[80];
    struct xk_contraction p;
    int n = 0;
    for (enum xk_status st = XK_OK; st == XK_OK; n++) {
        ck_assert_int_lt(n, 100);
        sprintf(strchr(text, 0), step, n);
        st = xk_formula_parse(c, &arena, text, &p);
    }
    sprintf(sentence, "there are more than %d %s", n - 1, what);
    ck_assert_msg(strstr(c->error.message, sentence), "%s: %s", sentence,
                  c->error.message);
}

START_TEST(says_its_limits)
{
    fits_so_many(" -> add S%d[m]", "right-hand sides");
    xk_ctx_clear(c);
    fits_so_many(" -> linear:%d:1", "operations");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("formula");
    TCase *const t = tcase_create("formula");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, round_trip, 0, 20);
    tcase_add_loop_test(t, follows, 0, XK_COUNTOF(good));
    tcase_add_loop_test(t, refused, 0, XK_COUNTOF(bad));
    tcase_add_test(t, says_its_limits);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
