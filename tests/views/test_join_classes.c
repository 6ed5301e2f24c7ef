/* SPDX-License-Identifier: Apache-2.0 */
/* Classes as places of an index, against a walk through all classes; which
 * coordinates tell apart all places of their indices. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/arena_fixture.h"
#include "tests/tap.h"
#include "views/access.h"
#include "views/formula.h"

enum { MOST = 400, MOST_CLASSES = 5 };

static int below(unsigned *seed, int n)
{
    return rand_r(seed) / 7 % n;
}

/* first, first + step ..., or some other numbers. */
static void put_table(char *out, int n, int first, int step, bool bent)
{
    strcat(out, "{");
    for (int r = 0; r < n; r++)
        sprintf(strchr(out, 0), "%s%d", r ? "," : "",
                first + r * step + (bent && r == 2));
    strcat(out, "}");
}

static void any_formula(unsigned *seed, char *out)
{
    const int n = 2 + below(seed, MOST_CLASSES - 1), t0 = below(seed, 4),
              t1 = below(seed, 3) - (t0 >= n), u = 1 + below(seed, 4);
    const bool bent = below(seed, 8) == 0;
    *out = 0;
    sprintf(out, "u=%d; v=3; t=", u);
    put_table(out, n, t0 > -t1 * (n - 1) ? t0 : -t1 * (n - 1), t1, false);
    sprintf(strchr(out, 0), "@0; A: f32[9,3] fill %d; B: f32[8,3] fill %d; ",
            below(seed, 3), below(seed, 2));
    sprintf(strchr(out, 0), "C: f32[24,3]; C[%d*u+", 1 + below(seed, 5));
    put_table(out, n, below(seed, 4) - 1, 1 + below(seed, 3), bent);
    strcat(out, "@0,v] += A[u-t+");
    put_table(out, n, below(seed, 4), below(seed, 3) - 1, false);
    sprintf(strchr(out, 0), "@0,v] * B[%d*t+", 1 + below(seed, 2));
    put_table(out, n, below(seed, 4) - 1, below(seed, 3), false);
    strcat(out, "@0,v]");
}

/* What a load gives. */
static int64_t load(const struct xk_contraction *p, const struct xk_access *a,
                    const int64_t *at)
{
    int64_t e;
    return xk_access_element(p, a, at, &e) ? e * e % 23 - 11 : a->fill;
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

/* Sums of all classes; 1000 more for each time that an element is written. */
static void walk(const struct xk_contraction *all, int64_t *sum)
{
    memset(sum, 0, MOST * sizeof(*sum));
    for (uint64_t k = 0; k < xk_contraction_classes(all); k++) {
        static struct xk_contraction p;
        uint32_t r[XK_MAX_CLASS_DIMS];
        int64_t at[XK_MAX_INDEX] = {0}, to;
        xk_contraction_class_at(all, k, r);
        const bool terms = xk_contraction_class(all, r, &p);
        do {
            bool first = true;
            for (unsigned i = 0; i < p.n_index; i++)
                first = first && (p.index[i].role != XK_ROLE_K || !at[i]);
            if (!xk_access_element(&p, &p.c, at, &to))
                continue;
            ck_assert_int_lt(to, MOST);
            sum[to] += 1000 * first;
            sum[to] += terms ? load(&p, &p.a, at) * load(&p, &p.b, at) : 0;
        } while (next(&p, at));
    }
}

static unsigned joined;

START_TEST(same_elements)
{
    for (unsigned n = 0; n < 200; n++) {
        static int64_t want[MOST], got[MOST];
        static struct xk_contraction p;
        const unsigned first = 2000u + (unsigned)_i * 200 + n;
        unsigned seed = first;
        char text[500];
        xk_ctx_clear(c);
        any_formula(&seed, text);
        if (xk_formula_parse(c, &arena, text, &p) != XK_OK)
            continue;
        walk(&p, want);
        if (xk_contraction_join_classes(c, &p, 1) != XK_OK)
            continue;
        ck_assert_uint_eq(p.n_class_dims, 0);
        joined++;
        walk(&p, got);
        ck_assert_msg(memcmp(got, want, sizeof(want)) == 0, "seed %u: %s",
                      first, text);
    }
}
END_TEST

START_TEST(many_were_joined)
{
    ck_assert_msg(joined > 400, "%u", joined);
}
END_TEST

static const struct {
    const char *text, *message;
} bad[] = {
    {"t={1,1,1}@0; u=4; C: f32[12]; C[3*u+{0,2,1}@0] += A[u] * B[t]",
     "C: the bases are not linear in the class"},
    {"t={1,1,1}@0; u=4; C: f32[12]; C[3*u+{0,1,2}@0] += A[u] * "
     "B[t+{0,1,3}@0]",
     "B: the bases are not linear in the class"},
    {"t={1,2,1}@0; u=4; C: f32[12]; C[3*u+{0,1,2}@0] += A[u] * B[t]",
     "t: the extents are not linear in the class"},
    {"t={1,2,3}@0; u=4; C: f32[4]; C[u] += A[u] * B[t]",
     "C: classes write the same elements"},
    {"t={1,2,3}@0; u=4; B: f32[3] fill 1; C: f32[12]; C[3*u+{0,1,2}@0] += "
     "A[u] * B[t]",
     "B: it has a fill that is not 0"},
    {"t={1,1,1}@0; u=4; C: f32[12]; C[2*u+{0,1,2}@0] += A[u] * B[t]",
     "one element"},
};

START_TEST(refused)
{
    static struct xk_contraction p;
    ck_assert_msg(xk_formula_parse(c, &arena, bad[_i].text, &p) == XK_OK,
                  "%s: %s", bad[_i].text, c->error.message);
    ck_assert_int_eq(xk_contraction_join_classes(c, &p, 2), XK_EUNSUPPORTED);
    ck_assert_msg(strstr(c->error.message, bad[_i].message), "%s: %s",
                  bad[_i].text, c->error.message);
    xk_ctx_clear(c);
    if (strcmp(bad[_i].message, "one element") != 0) /* few enough */
        ck_assert_int_eq(xk_contraction_join_classes(c, &p, 3), XK_OK);
}
END_TEST

/* Whether two places have the same value, of coefficients and extents. */
static bool meet(const int *coef, const int *extent, int n)
{
    bool seen[2 * MOST + 1] = {false};
    int at[3] = {0};
    for (;;) {
        int v = MOST, i = 0;
        for (int k = 0; k < n; k++)
            v += coef[k] * at[k];
        if (seen[v])
            return true;
        seen[v] = true;
        while (i < n && ++at[i] == extent[i])
            at[i++] = 0;
        if (i == n)
            return false;
    }
}

/* Two indices are always judged right; three may be refused in vain. */
START_TEST(apart)
{
    unsigned seed = 70u + (unsigned)_i, vain = 0, fine = 0;
    for (int k = 0; k < 1000; k++) {
        static struct xk_contraction p;
        int coef[3], extent[3];
        char text[300] = "A: f32[1]; B: f32[1]; ";
        const int n = 2 + below(&seed, 2);
        for (int i = 0; i < n; i++) {
            coef[i] = (1 + below(&seed, 12)) * (below(&seed, 4) ? 1 : -1);
            extent[i] = 2 + below(&seed, 9);
            sprintf(strchr(text, 0), "%c=%d; ", 'p' + i, extent[i]);
        }
        strcat(text, "C[500");
        for (int i = 0; i < n; i++)
            sprintf(strchr(text, 0), "%+d*%c", coef[i], 'p' + i);
        strcat(text, "] += A[0] * B[0*p+0*q");
        strcat(text, n > 2 ? "+0*r]" : "]");
        const bool is = meet(coef, extent, n);
        const bool ok = xk_formula_parse(c, &arena, text, &p) == XK_OK;
        ck_assert_msg(ok ? !is : n > 2 || is, "%s: %s", text, c->error.message);
        fine += ok;
        vain += !ok && !is;
        xk_ctx_clear(c);
    }
    ck_assert_uint_gt(fine, 200);
    ck_assert_uint_lt(vain, 100);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("join_classes");
    TCase *const t = tcase_create("join_classes");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, same_elements, 0, 20);
    tcase_add_test(t, many_were_joined);
    tcase_add_loop_test(t, refused, 0, (int)(sizeof(bad) / sizeof(*bad)));
    tcase_add_loop_test(t, apart, 0, 4);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
