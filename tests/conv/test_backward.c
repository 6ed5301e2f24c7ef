/* SPDX-License-Identifier: Apache-2.0 */
/* The contractions of gradients, and of all directions of deconvolution, class
 * by class, against the textbook's loops: integers, so sums are exact. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "conv/conv.h"
#include "tests/conv/conv_nest.h"
#include "tests/arena_fixture.h"
#include "tests/tap.h"
#include "textbook.h"
#include "views/access.h"

enum { MOST = 4096 }; /* elements of a tensor */

static int64_t tensor[XK_N_CONV_ARGS][MOST], got[MOST], want[MOST];

static int64_t below(unsigned *seed, int64_t n)
{
    return rand_r(seed) % n;
}

static void exchange(int64_t *a, int64_t *b)
{
    const int64_t old = *a;
    *a = *b;
    *b = old;
}

/* One dim, or two; the sizes that forward would take, of a deconvolution
 * exchanged. */
static void any_problem(unsigned *seed, bool square, uint32_t alg,
                        struct xk_conv_desc *full, struct xk_conv_info *info)
{
    static const char *const any[3] = {"acdb", "abcd", "abcd"};
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    enum xk_status st;
    do {
        xk_ctx_clear(c);
        d.mb = 1 + below(seed, 2);
        d.ic = 1 + below(seed, 2);
        d.oc = 1 + below(seed, 3);
        d.ih = square ? 1 + below(seed, 5) : 1;
        d.kh = square ? 1 + below(seed, 3) : 1;
        d.sh = square ? 1 + below(seed, 3) : 1;
        d.dh = square ? below(seed, 3) : 0;
        d.ph = square ? below(seed, 3) : 0;
        d.oh = square ? 1 + below(seed, 5) : 1;
        d.iw = 1 + below(seed, square ? 6 : 24);
        d.kw = 1 + below(seed, square ? 3 : 7);
        d.sw = 1 + below(seed, 6);
        d.dw = below(seed, 6);
        d.pw = below(seed, 9);
        d.ow = 1 + below(seed, square ? 5 : 12);
        if (below(seed, 8) == 0) { /* each residue has as many taps */
            d.kw = d.sw * (1 + below(seed, 3));
            d.dw = 0;
        }
        d.alg = alg;
        if (alg == XK_ALG_DECONV_DIRECT) {
            exchange(&d.ih, &d.oh);
            exchange(&d.iw, &d.ow);
        }
        st = xk_conv_check(c, &d, full);
    } while (st != XK_OK);
    *info = (struct xk_conv_info){.size = sizeof(*info)};
    ck_assert_int_eq(test_conv_tensors(c, full, any, info), XK_OK);
}

/* What `arg` or its gradient is goes to want[]. */
static void textbook(const struct xk_conv_desc *f,
                     const struct xk_conv_info *info, unsigned arg)
{
    const int64_t *all[XK_N_CONV_ARGS];
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++)
        all[i] = tensor[i];
    memset(want, 0, sizeof(want));
    textbook_products(f, info, arg, all, want);
}

static bool next(const struct xk_contraction *p, int64_t *at)
{
    for (unsigned i = p->n_index; i-- > 0;) {
        if (++at[i] < p->index[i].extent)
            return true;
        at[i] = 0;
    }
    return false;
}

/* Runs one class; every element of C that it stores counts in written[]. */
static void run_class(const struct xk_contraction *all, const uint32_t *r,
                      uint8_t *written)
{
    struct xk_contraction p;
    int64_t at[XK_MAX_INDEX] = {0};
    const bool terms = xk_contraction_class(all, r, &p);
    do {
        int64_t a, b, to;
        bool first = true;
        for (unsigned i = 0; i < p.n_index; i++)
            first = first && (p.index[i].role != XK_ROLE_K || !at[i]);
        if (!xk_access_element(&p, &p.c, at, &to))
            continue;
        written[to] = (uint8_t)(written[to] + first);
        if (terms && xk_access_element(&p, &p.a, at, &a) &&
            xk_access_element(&p, &p.b, at, &b))
            got[to] += tensor[p.a.arg][a] * tensor[p.b.arg][b];
    } while (next(&p, at));
}

static void compare(const struct xk_contraction *p,
                    const struct xk_conv_info *info, const char *what, int seed,
                    unsigned n)
{
    static uint8_t written[MOST];
    const int64_t size = (int64_t)info->tensor[p->c.arg].size_b / 4;
    uint32_t classes = 1;
    ck_assert_msg(xk_contraction_check(c, p) == XK_OK, "%s", c->error.message);
    memset(got, 0, sizeof(got));
    memset(written, 0, sizeof(written));
    for (unsigned d = 0; d < p->n_class_dims; d++)
        classes *= p->class_dim[d].n;
    for (uint32_t k = 0; k < classes; k++) {
        uint32_t r[XK_MAX_CLASS_DIMS], left = k;
        for (unsigned d = 0; d < p->n_class_dims; d++) {
            r[d] = left % p->class_dim[d].n;
            left /= p->class_dim[d].n;
        }
        run_class(p, r, written);
    }
    for (int64_t i = 0; i < size; i++) {
        ck_assert_msg(got[i] == want[i],
                      "seed %d, problem %u, %s: element %lld is %lld, not %lld",
                      seed, n, what, (long long)i, (long long)got[i],
                      (long long)want[i]);
        ck_assert_msg(written[i] == 1,
                      "seed %d, problem %u, %s: element %lld written %u times",
                      seed, n, what, (long long)i, written[i]);
    }
}

static void fill(unsigned *seed)
{
    for (unsigned a = 0; a < XK_N_CONV_ARGS; a++)
        for (unsigned i = 0; i < MOST; i++)
            tensor[a][i] = below(seed, 19) - 9;
}

static unsigned even, uneven, last;

/* Some of the dims whose residues may be an index; counted. */
static unsigned any_tiled(unsigned *seed, const struct xk_conv_desc *f)
{
    const struct xk_conv_tiled may = xk_conv_may_tile(f);
    const unsigned any = below(seed, 3) ? may.all : may.last;
    const unsigned tiled = any & (unsigned)below(seed, 8);
    last += (tiled & ~may.all) != 0;
    even += (tiled & may.even) != 0;
    uneven += (tiled & ~may.even) != 0;
    return tiled;
}

static void check_weights(const struct xk_conv_desc *f,
                          const struct xk_conv_info *info, int seed, unsigned n)
{
    struct xk_contraction p;
    ck_assert_int_eq(xk_conv_backward_weights(c, f, info, &p), XK_OK);
    textbook(f, info, XK_ARG_WEI);
    compare(&p, info, "by weights", seed, n);
}

static void run_problems(int first_seed, unsigned n_problems, bool square)
{
    unsigned seed = (unsigned)first_seed, strided = 0;
    fill(&seed);
    for (unsigned n = 0; n < n_problems; n++) {
        struct xk_conv_desc f;
        struct xk_conv_info info;
        struct xk_contraction p;
        any_problem(&seed, square, XK_ALG_DIRECT, &f, &info);
        strided += f.sw > 1 && f.dw > 0;
        ck_assert_int_eq(xk_conv_backward_data(c, &arena, &f, &info,
                                               any_tiled(&seed, &f), &p),
                         XK_OK);
        textbook(&f, &info, XK_ARG_SRC);
        compare(&p, &info, "by data", first_seed, n);
        check_weights(&f, &info, first_seed, n);
    }
    ck_assert_uint_gt(strided, n_problems / 3);
}

/* Forward makes pixels, of dst, with a bias that is no part of the sum; and
 * backward by data places, of src. */
static void run_deconvolutions(int first_seed, unsigned n_problems, bool square)
{
    unsigned seed = (unsigned)first_seed, strided = 0;
    fill(&seed);
    for (unsigned n = 0; n < n_problems; n++) {
        struct xk_conv_desc f;
        struct xk_conv_info info;
        struct xk_contraction p;
        any_problem(&seed, square, XK_ALG_DECONV_DIRECT, &f, &info);
        strided += f.sw > 1 && f.dw > 0;
        f.prop = XK_FWD_D;
        ck_assert_int_eq(xk_conv_backward_data(c, &arena, &f, &info,
                                               any_tiled(&seed, &f), &p),
                         XK_OK);
        textbook(&f, &info, XK_ARG_DST);
        compare(&p, &info, "deconvolution", first_seed, n);
        f.prop = XK_BWD_D;
        ck_assert_int_eq(xk_conv_contraction(c, &f, &info, &p), XK_OK);
        textbook(&f, &info, XK_ARG_SRC);
        compare(&p, &info, "its gradient by data", first_seed, n);
        f.prop = XK_BWD_W;
        check_weights(&f, &info, first_seed, n);
    }
    ck_assert_uint_gt(strided, n_problems / 3);
}

START_TEST(one_dim)
{
    run_problems(7000 + _i, 2000, false);
}
END_TEST

START_TEST(two_dims)
{
    run_problems(8000 + _i, 200, true);
}
END_TEST

START_TEST(deconvolution_of_one_dim)
{
    run_deconvolutions(9000 + _i, 1000, false);
}
END_TEST

START_TEST(deconvolution_of_two_dims)
{
    run_deconvolutions(9100 + _i, 100, true);
}
END_TEST

/* What the problems above were meant to have. */
START_TEST(there_were_indices_of_residues)
{
    ck_assert_uint_gt(even, 1000);
    ck_assert_uint_gt(uneven, 1000);
    ck_assert_uint_gt(last, 1000);
}
END_TEST

/* More classes than there are tables for. */
START_TEST(too_many_classes)
{
    struct xk_conv_desc f = XK_CONV_DESC_INIT;
    struct xk_contraction p;
    f.ic = f.oc = 1;
    f.src_type = f.wei_type = f.dst_type = XK_F32;
    f.ih = f.kh = f.oh = f.kw = f.ow = 1;
    f.iw = f.sw = 70000;
    ck_assert_int_eq(xk_conv_backward_data(c, &arena, &f, NULL, 0, &p),
                     XK_EUNSUPPORTED);
    ck_assert_msg(strstr(c->error.message, "70000"), "%s", c->error.message);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("backward");
    TCase *const t = tcase_create("backward");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, one_dim, 0, 20);
    tcase_add_loop_test(t, two_dims, 0, 10);
    tcase_add_loop_test(t, deconvolution_of_one_dim, 0, 10);
    tcase_add_loop_test(t, deconvolution_of_two_dims, 0, 10);
    tcase_add_test(t, there_were_indices_of_residues);
    tcase_add_test(t, too_many_classes);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
