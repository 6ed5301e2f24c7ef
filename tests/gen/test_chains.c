/* SPDX-License-Identifier: Apache-2.0 */
/* Random chains of products through the public calls: two to four formulas, the
 * tensors between them in scratch memory of any layout, run on the simulator
 * with its checkers. Expected values are plain loops over whole numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launches_lab.h"
#include "tests/tap.h"
#include "typed.h"
#include "xekern/formulas.h"

enum { MOST_LINKS = 4, MOST_E = 24, N_CHAINS = 25, N_SEEDS = 8 };

/* Row r, column k of a matrix: which of its tensor's dims is the row. */
struct matrix {
    char name[4];
    int rows, columns;
    bool turned;     /* its first dim is the column */
    const char *tag; /* "": dense */
    int v[MOST_E][MOST_E];
};

/* X[i + 1] = X[i] * W[i]. */
struct chain {
    unsigned seed;
    int n;
    bool half; /* f16, else f32 */
    struct matrix x[MOST_LINKS + 1], w[MOST_LINKS];
    char text[MOST_LINKS][300];
    const char *texts[MOST_LINKS];
};

static int below(struct chain *c, int n)
{
    return rand_r(&c->seed) % n;
}

static void any_matrix(struct chain *c, struct matrix *m, char letter, int i,
                       int rows, int columns)
{
    snprintf(m->name, sizeof m->name, "%c%d", letter, i);
    m->rows = rows;
    m->columns = columns;
    m->turned = below(c, 2);
    m->tag = "";
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < columns; k++)
            m->v[r][k] = below(c, 3) - 1;
}

static void multiply(const struct matrix *a, const struct matrix *b,
                     struct matrix *to)
{
    for (int r = 0; r < to->rows; r++)
        for (int n = 0; n < to->columns; n++) {
            to->v[r][n] = 0;
            for (int k = 0; k < a->columns; k++)
                to->v[r][n] += a->v[r][k] * b->v[k][n];
        }
}

static size_t declare(const struct chain *c, const struct matrix *m, char *out,
                      size_t out_b)
{
    return (size_t)snprintf(out, out_b, "%s: %s[%d,%d] %s; ", m->name,
                            c->half ? "f16" : "f32",
                            m->turned ? m->columns : m->rows,
                            m->turned ? m->rows : m->columns, m->tag);
}

/* "X0[m,k]" */
static size_t access_of(const struct matrix *m, char row, char column,
                        char *out, size_t out_b)
{
    return (size_t)snprintf(out, out_b, "%s[%c,%c]", m->name,
                            m->turned ? column : row, m->turned ? row : column);
}

static void write_link(struct chain *c, int i)
{
    char *at = c->text[i], *const end = at + sizeof c->text[i];
    const struct matrix *const a = &c->x[i], *const to = &c->x[i + 1];
    at += declare(c, a, at, (size_t)(end - at));
    at += declare(c, &c->w[i], at, (size_t)(end - at));
    at += declare(c, to, at, (size_t)(end - at));
    at += access_of(to, 'm', 'n', at, (size_t)(end - at));
    at += (size_t)snprintf(at, (size_t)(end - at), " += ");
    at += access_of(a, 'm', 'k', at, (size_t)(end - at));
    at += (size_t)snprintf(at, (size_t)(end - at), " * ");
    access_of(&c->w[i], 'k', 'n', at, (size_t)(end - at));
    c->texts[i] = c->text[i];
}

/* Values are -1, 0 and 1, and sums have at most 12 terms, so that even a half
 * has each of them exactly: 12^3 < 2^11 where no link is longer, else f32. */
static void any_chain(struct chain *c)
{
    static const char *const tags[] = {"",      "ab",   "ba",   "aB16b",
                                       "bA16a", "aB8b", "Ab16a"};
    c->n = 2 + below(c, MOST_LINKS - 1);
    c->half = c->n < 4 && below(c, 2);
    const int most = c->half ? 12 : MOST_E;
    any_matrix(c, &c->x[0], 'X', 0, 1 + below(c, most), 1 + below(c, most));
    for (int i = 0; i < c->n; i++) {
        const struct matrix *const a = &c->x[i];
        any_matrix(c, &c->w[i], 'W', i, a->columns, 1 + below(c, most));
        any_matrix(c, &c->x[i + 1], 'X', i + 1, a->rows, c->w[i].columns);
        if (i + 1 < c->n)
            c->x[i + 1].tag = tags[below(c, (int)XK_COUNTOF(tags))];
        multiply(a, &c->w[i], &c->x[i + 1]);
        write_link(c, i);
    }
}

static enum xk_dtype type_of(const struct chain *c)
{
    return c->half ? XK_DT_F16 : XK_DT_F32;
}

/* The matrix as its tensor lies, dense. */
static struct lab_arg tensor_of(const struct chain *c, const struct matrix *m)
{
    const size_t n = (size_t)m->rows * (size_t)m->columns;
    void *const data = calloc(n, 4);
    for (int r = 0; r < m->rows; r++)
        for (int k = 0; k < m->columns; k++)
            typed_put(type_of(c), data,
                      m->turned ? k * m->rows + r : r * m->columns + k,
                      m->v[r][k]);
    return (struct lab_arg){data, n * xk_dtype_b(type_of(c))};
}

static void say(const struct chain *c, const char *why)
{
    char all[1400] = "";
    for (int i = 0; i < c->n; i++)
        strcat(strcat(all, c->text[i]), "\n");
    ck_abort_msg("%s\n%s", why, all);
}

/* X0, W0, then the other W, then the last X, whose result replaces it. */
static void run(const struct chain *c, const xk_program *p)
{
    struct lab_arg arg[MOST_LINKS + 2];
    const struct matrix *const last = &c->x[c->n];
    const struct lab_arg want = tensor_of(c, last);
    arg[0] = tensor_of(c, &c->x[0]);
    for (int i = 0; i < c->n; i++)
        arg[1 + i] = tensor_of(c, &c->w[i]);
    arg[1 + c->n] = (struct lab_arg){calloc(1, want.size_b), want.size_b};
    lab_run(p, arg);
    if (memcmp(arg[1 + c->n].data, want.data, want.size_b))
        say(c, "other values");
    for (int i = 0; i < c->n + 2; i++)
        free(arg[i].data);
    free(want.data);
}

START_TEST(chains_give_the_products)
{
    static struct chain c;
    c.seed = 900u + (unsigned)_i;
    for (int k = 0; k < N_CHAINS; k++) {
        struct xk_error err;
        xk_program *p;
        any_chain(&c);
        const struct xk_formulas f = {.size = sizeof f,
                                      .platform = XK_PLATFORM_XEHPG,
                                      .n = (uint32_t)c.n,
                                      .text = c.texts};
        const struct xk_create_options o = {.size = sizeof o,
                                            .flags = k % 4 ? 0 : XK_CREATE_A64};
        if (xk_formulas_create(&f, &o, &p, &err) < 0)
            say(&c, err.message);
        ck_assert_uint_eq(xk_program_launches(p)->n_scratch, (unsigned)c.n - 1);
        run(&c, p);
        xk_program_unref(p);
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("chains");
    TCase *const t = tcase_create("chains");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, chains_give_the_products, 0, N_SEEDS);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
