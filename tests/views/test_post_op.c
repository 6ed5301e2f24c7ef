/* SPDX-License-Identifier: Apache-2.0 */
/* post_op.def: each text compiles, what is generated says what the meaning says
 * (read by xkbench's own interpreter of the meaning), names are found, and the
 * table of docs/post-ops.md is that of the rows. "--table" prints that. */
#include <check.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/views/epi_eval.h"
#include "tools/xkbench/bench.h"
#include "views/epi_op.h"

static xk_ctx *ctx;

static void setup(void)
{
    ctx = xk_ctx_create(NULL);
}

static void teardown(void)
{
    ck_assert_msg(xk_ctx_status(ctx) == XK_OK, "%s", ctx->error.message);
    ck_assert_uint_eq(xk_ctx_destroy(ctx), 0);
}

/* Small binary fractions and their neighbours, all of f32. */
static float draw(unsigned *seed)
{
    const float v = (float)(rand_r(seed) % 129 - 64) / 16;
    return rand_r(seed) % 4 ? v : v * 0.1f;
}

static struct xk_epi_op draw_op(unsigned kind, unsigned i, unsigned *seed)
{
    struct xk_epi_op op = {.kind = (uint8_t)kind};
    const struct xk_post_op_row *const r = xk_post_op_row(kind);
    if (r->n_numbers)
        op.alpha = i % 3 ? draw(seed) : (float)(i % 2);
    if (r->n_numbers > 1 && i % 5)
        op.beta = draw(seed);
    if (xk_epi_reads_old(&op) && i % 7 > 3)
        op.zero = 3;
    while (!r->is_within(op.alpha, op.beta)) {
        op.alpha = fabsf(draw(seed));
        op.beta = op.alpha + 1;
    }
    return op;
}

START_TEST(what_is_generated_is_the_meaning)
{
    const struct xk_post_op_row *const r = xk_post_op_row((unsigned)_i);
    struct xk_bench_code meaning;
    unsigned seed = 1 + (unsigned)_i;
    ck_assert_msg(xk_bench_code_read(r->meaning, &meaning), "%s", r->name);
    for (unsigned i = 0; i < 2000; i++) {
        const struct xk_epi_op op = draw_op((unsigned)_i, i, &seed);
        const xk_scope s = xk_scope_begin(ctx);
        struct xk_epi_code code;
        ck_assert_msg(xk_epi_compile(ctx, &op, &code) == XK_OK, "%s: %s",
                      r->name, ctx->error.message);
        const float x = draw(&seed), operand = i % 9 ? draw(&seed) : x;
        const struct xk_bench_values v = {
            .x = {.lo = (double)x, .hi = (double)x},
            .old = (double)operand,
            .rhs = (double)operand,
            .alpha = (double)op.alpha,
            .beta = (double)op.beta,
            .zero = (double)op.zero};
        const struct xk_bench_span want = xk_bench_code_run(&meaning, &v);
        const double got =
            (double)epi_eval(&code, &(struct epi_error){0}, x, operand);
        ck_assert_msg((got >= want.lo && got <= want.hi) ||
                          (isnan(got) && isnan(want.lo) && isnan(want.hi)),
                      "%s(x=%g rhs=%g alpha=%g beta=%g zero=%g): %.9g not in "
                      "%.9g..%.9g",
                      r->name, (double)x, (double)operand, (double)op.alpha,
                      (double)op.beta, (double)op.zero, got, want.lo, want.hi);
        xk_scope_end(ctx, s, NULL);
    }
}
END_TEST

/* The steps on vectors are those on scalars, and an operand is there exactly
 * where the syntax says so. */
START_TEST(steps_are_applied_to_vectors)
{
    const struct xk_epi_op op = {.kind = (uint8_t)_i, .alpha = 0.5f, .beta = 2};
    const struct xk_type f32x16 = xk_type_vec(XK_DT_F32, 16);
    struct xk_epi_code code;
    const xk_expr *const x = xk_var(ctx, f32x16, "x"), *const y = xk_var(
                                                           ctx, f32x16, "y");
    ck_assert_int_eq(xk_epi_compile(ctx, &op, &code), XK_OK);
    const xk_expr *const e = xk_epi_apply(ctx, &code, x, y);
    ck_assert_ptr_nonnull(e);
    ck_assert(xk_type_eq(xk_type_of(e), f32x16));
    ck_assert(xk_depends_on(e, x));
    ck_assert(xk_depends_on(e, y) ==
              (xk_epi_reads_old(&op) || xk_epi_reads_rhs(&op)));
}
END_TEST

START_TEST(kinds_are_found_by_all_of_their_names)
{
    const char *const name = xk_post_op_row((unsigned)_i)->name;
    const uint8_t syntax = xk_post_op_row((unsigned)_i)->syntax;
    char word[80];
    ck_assert_uint_eq(xk_post_op_named(name, strlen(name)), (unsigned)_i);
    snprintf(word, sizeof word, "%s%s",
             syntax == XK_SYNTAX_ELTWISE  ? "eltwise_"
             : syntax == XK_SYNTAX_BINARY ? "BINARY_"
                                          : "",
             name);
    ck_assert_uint_eq(xk_post_op_named(word, strlen(word)), (unsigned)_i);
    for (char *c = word; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    ck_assert_uint_eq(xk_post_op_named(word, strlen(word)), (unsigned)_i);
    strcat(word, "x");
    ck_assert_uint_eq(xk_post_op_named(word, strlen(word)), 0);
    ck_assert_uint_eq(xk_post_op_named(name, strlen(name) - 1), 0);
}
END_TEST

START_TEST(other_words_name_nothing)
{
    static const char *const words[] = {"",
                                        "sum_",
                                        "eltwise_",
                                        "eltwise_sum",
                                        "binary_relu",
                                        "eltwise_add",
                                        "relu ",
                                        "binary_prelu"};
    for (unsigned i = 0; i < XK_COUNTOF(words); i++)
        ck_assert_uint_eq(xk_post_op_named(words[i], strlen(words[i])), 0);
    ck_assert_ptr_null(xk_post_op_row(0));
    ck_assert_ptr_null(xk_post_op_row(XK_N_EPI_KINDS));
}
END_TEST

/* A row of the table in docs/post-ops.md. */
static void table_row(unsigned kind, char *out, size_t out_b)
{
    static const char *const syntax[][3] = {
        [XK_SYNTAX_ELTWISE] = {"", ":alpha", ":alpha:beta"},
        [XK_SYNTAX_SUM] = {NULL, "[:alpha[:zero[:type]]]"},
        [XK_SYNTAX_BINARY] = {":type[:mask[:tag]]"},
        [XK_SYNTAX_PRELU] = {"[:mask]"},
    };
    const struct xk_post_op_row *const r = xk_post_op_row(kind);
    snprintf(out, out_b, "| `%s%s` | `%s` | %s |\n", r->name,
             syntax[r->syntax][r->n_numbers], r->meaning, r->why);
}

static char *read_doc(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/docs/post-ops.md",
             getenv("XK_SOURCE_ROOT"));
    FILE *const f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    char *const text = calloc(1, 65536);
    ck_assert_uint_gt(fread(text, 1, 65535, f), 0);
    fclose(f);
    return text;
}

START_TEST(the_document_has_the_rows)
{
    char *const text = read_doc(), row[512];
    char *at = strstr(text, "\n|---|---|---|\n");
    ck_assert_ptr_nonnull(at);
    at = strchr(at + 1, '\n') + 1;
    for (unsigned i = 1; i < XK_N_EPI_KINDS; i++) {
        table_row(i, row, sizeof row);
        ck_assert_msg(!strncmp(at, row, strlen(row)), "wanted %s", row);
        at += strlen(row);
    }
    ck_assert_int_ne(*at, '|');
    free(text);
}
END_TEST

int main(int argc, char **argv)
{
    char row[512];
    if (argc > 1 && !strcmp(argv[1], "--table")) {
        for (unsigned i = 1; i < XK_N_EPI_KINDS; i++) {
            table_row(i, row, sizeof row);
            fputs(row, stdout);
        }
        return 0;
    }
    Suite *const s = suite_create("post_op");
    TCase *const t = tcase_create("rows");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, what_is_generated_is_the_meaning, 1, XK_N_EPI_KINDS);
    tcase_add_loop_test(t, steps_are_applied_to_vectors, 1, XK_N_EPI_KINDS);
    tcase_add_loop_test(t, kinds_are_found_by_all_of_their_names, 1,
                        XK_N_EPI_KINDS);
    tcase_add_test(t, other_words_name_nothing);
    tcase_add_test(t, the_document_has_the_rows);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
