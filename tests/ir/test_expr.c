/* SPDX-License-Identifier: Apache-2.0 */
/* Builders, interning, rewriting, structural order. */
#include "ir/stmt.h"

#include <string.h>

#include "tests/base/fail_alloc.h"
#include "tests/ir/random_expr.h"
#include "tests/ir/suites.h"

static const struct xk_type s32 = {XK_DT_S32, XK_SPACE_NONE, 1};

START_TEST(equal_expressions_have_one_address)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_expr *const x = xk_var(c, s32, "x"), *const y =
                                                      xk_var(c, s32, "x");
    ck_assert_ptr_ne(x, y); /* variables are told apart by id */
    ck_assert_ptr_eq(xk_add(c, x, y), xk_add(c, x, y));
    ck_assert_ptr_ne(xk_add(c, x, y), xk_add(c, y, x));
    ck_assert_ptr_ne(xk_fimm(c, XK_DT_F32, 0.0), xk_fimm(c, XK_DT_F32, -0.0));
    ck_assert_ptr_eq(xk_fimm(c, XK_DT_F32, 0.1),
                     xk_fimm(c, XK_DT_F32, (double)0.1f));
    ck_assert_ptr_ne(xk_s32(c, 1), xk_imm(c, XK_DT_S64, 1));
    ck_assert_ptr_eq(xk_imm(c, XK_DT_U8, 257), xk_imm(c, XK_DT_U8, 1));
    ck_assert_int_eq(xk_ctx_status(c), XK_OK);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(equal_stores_are_two_stores)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_expr *const b = xk_var(c, xk_type_ptr(XK_SPACE_GRF), "b");
    const xk_expr *const p = xk_ptr(c, b, xk_s32(c, 0));
    ck_assert_ptr_ne(xk_store(c, p, xk_s32(c, 1)),
                     xk_store(c, p, xk_s32(c, 1)));
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(scalars_are_broadcast_to_the_other_operand)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_expr *const v = xk_var(c, xk_type_vec(XK_DT_S32, 16), "v");
    const xk_expr *const e = xk_lt(c, v, xk_s32(c, 4));
    ck_assert(xk_type_eq(xk_type_of(e), xk_type_vec(XK_DT_BOOL, 16)));
    ck_assert_int_eq(xk_op(xk_kid(e, 1)), XK_OP_BCAST);
    int64_t k;
    ck_assert(xk_is_const(xk_kid(e, 1), &k));
    ck_assert_int_eq(k, 4);
    const xk_expr *const m =
        xk_ternary(c, XK_OP_MAD, xk_s32(c, 1), v, xk_s32(c, 2));
    ck_assert_uint_eq(xk_type_of(m).lanes, 16);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(null_operands_give_null_and_no_error)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_expr *const x = xk_s32(c, 1);
    ck_assert_ptr_null(xk_add(c, NULL, x));
    ck_assert_ptr_null(xk_bin_imm(c, XK_OP_ADD, NULL, 1));
    ck_assert_ptr_null(xk_un(c, XK_OP_NEG, NULL));
    ck_assert_ptr_null(xk_select(c, NULL, x, x));
    ck_assert_ptr_null(xk_ternary(c, XK_OP_MAD, x, NULL, x));
    ck_assert_ptr_null(xk_cast(c, XK_DT_F32, NULL));
    ck_assert_ptr_null(xk_ramp(c, x, NULL, 4));
    ck_assert_ptr_null(xk_bcast(c, NULL, 4));
    ck_assert_ptr_null(xk_seq(c, (const xk_stmt *const[]){NULL}, 1));
    ck_assert_int_eq(xk_ctx_status(c), XK_OK);
    xk_ctx_destroy(c);
}
END_TEST

/* Each row makes one mistake; the message must name it. */
static const xk_expr *mistake(xk_ctx *c, int i)
{
    const xk_expr *const x = xk_var(c, s32, "x");
    const xk_expr *const v = xk_var(c, xk_type_vec(XK_DT_S32, 4), "v");
    const xk_expr *const f = xk_fimm(c, XK_DT_F32, 1);
    const xk_expr *const b = xk_var(c, xk_type_ptr(XK_SPACE_GRF), "b");
    const uint16_t index[] = {4};
    switch (i) {
    case 0:
        return xk_add(c, x, f);
    case 1:
        return xk_mod(c, f, f);
    case 2:
        return xk_add(c, b, b);
    case 3:
        return xk_select(c, x, x, x);
    case 4:
        return xk_bcast(c, v, 4);
    case 5:
        return xk_ramp(c, x, x, 1);
    case 6:
        return xk_shuffle(c, v, index, 1);
    case 7:
        return xk_ptr(c, x, x);
    case 8:
        return xk_ptr(c, b, v);
    case 9:
        return xk_store(c, x, x);
    case 10:
        return xk_let(c, x, f, xk_seq(c, NULL, 0));
    case 11:
        return xk_for(c, x, x, x, 0, xk_seq(c, NULL, 0));
    case 12:
        return xk_pipe(c, x, x, (struct xk_pipe_info){1, 1},
                       xk_seq(c, NULL, 0));
    case 13:
        return xk_if(c, x, xk_seq(c, NULL, 0), NULL);
    case 14:
        return xk_imm(c, XK_DT_UNDEF, 1);
    case 15:
        return xk_fimm(c, XK_DT_S32, 1);
    case 16:
        return xk_var(c, xk_type_vec(XK_DT_S32, 0), "z");
    case 17:
        return xk_alloc_stmt(c, b, (struct xk_alloc_info){64, 3, 0},
                             xk_seq(c, NULL, 0));
    default:
        return xk_call(c, &(struct xk_func){.kind = XK_FUNC_REORDER}, &x, 1);
    }
}

static const char *const mistakes[] = {
    "+: operand types differ (operands s32, f32)",
    "%: not for this type",
    "+: not for this type (operands ptr.grf",
    "select: condition must be bool",
    "bcast: needs a scalar value (operands s32x4)",
    "ramp: needs 2..65535 lanes",
    "shuffle: lane index too large",
    "ptr: needs a buffer variable",
    "ptr: offset must be an integer scalar",
    "store: needs the address of registers",
    "let x: value has another type",
    "for x: step 0",
    "pipe: needs an s32 variable, a constant trip",
    "if: condition must be bool",
    "imm: 0 is not an integer type",
    "fimm: s32 is not a float type",
    "var z: type 7.0.0 is not a type",
    "alloc b: size 64, align 3",
    "reorder: 1 arguments, needs 2",
};

START_TEST(ill_typed_nodes_are_refused_with_a_reason)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    ck_assert_ptr_null(mistake(c, _i));
    ck_assert_int_eq(xk_ctx_status(c), XK_EINVAL);
    ck_assert_msg(strstr(c->error.message, mistakes[_i]) != NULL,
                  "\"%s\" is not in \"%s\"", mistakes[_i], c->error.message);
    xk_ctx_destroy(c);
}
END_TEST

static const xk_expr *count_visits(xk_ctx *c, const xk_expr *e, void *user)
{
    (void)c;
    ++*(unsigned *)user;
    return e;
}

static bool count_one(const xk_expr *e, void *user)
{
    (void)e;
    ++*(unsigned *)user;
    return true;
}

/* Distinct nodes; 0 on out of memory. */
static unsigned count_nodes(xk_ctx *c, const xk_expr *root)
{
    unsigned n = 0;
    return xk_walk(c, root, count_one, &n) < 0 ? 0 : n;
}

START_TEST(rewriting_nothing_returns_the_same_node)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_expr *const x = xk_var(c, s32, "x");
    const xk_expr *const b = xk_var(c, xk_type_ptr(XK_SPACE_GRF), "b");
    const xk_stmt *const s = xk_store(c, xk_ptr(c, b, x), xk_add(c, x, x));
    unsigned n = 0;
    ck_assert_ptr_eq(xk_rewrite(c, s, count_visits, &n), s);
    ck_assert_uint_eq(n, 5);
    ck_assert_uint_eq(count_nodes(c, s), 5);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(a_shared_node_is_visited_once)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_expr *const x = xk_var(c, s32, "x"), *e = x;
    for (int i = 0; i < 100; i++)
        e = xk_add(c, e, e); /* 2^100 paths */
    unsigned n = 0;
    xk_rewrite(c, e, count_visits, &n);
    ck_assert_uint_eq(n, 101);
    ck_assert_uint_eq(count_nodes(c, e), 101);
    ck_assert(xk_depends_on(e, x));
    ck_assert(!xk_depends_on(e, xk_var(c, s32, "y")));
    ck_assert(!xk_depends_on(xk_s32(c, 1), x));
    ck_assert(xk_depends_on(x, x));
    ck_assert_int_eq(xk_expr_cmp(e, e), 0);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(substitution_replaces_uses_and_keeps_binders)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_expr *const x = xk_var(c, s32, "x"), *const y =
                                                      xk_var(c, s32, "y");
    const xk_expr *const b = xk_var(c, xk_type_ptr(XK_SPACE_GRF), "b");
    const xk_stmt *const s = xk_store(c, xk_ptr(c, b, x), xk_add(c, x, y));
    const xk_stmt *const l = xk_let(c, x, xk_s32(c, 1), s);
    const xk_expr *const five = xk_s32(c, 5);
    const xk_stmt *const r = xk_substitute(c, l, 1, &y, &five);
    ck_assert_ptr_eq(xk_kid(xk_kid(xk_kid(r, 2), 1), 1), five);
    const xk_stmt *const t = xk_substitute(c, l, 1, &x, &five);
    ck_assert_ptr_eq(xk_kid(t, 0), x);
    ck_assert_ptr_eq(xk_kid(xk_kid(xk_kid(t, 2), 1), 0), five);
    const xk_stmt *const renamed = xk_substitute(c, l, 1, &x, &y);
    ck_assert_ptr_eq(xk_kid(renamed, 0), y);
    ck_assert_ptr_eq(xk_substitute(c, l, 0, NULL, NULL), l);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(new_kids_of_other_types_change_the_type)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_expr *const x = xk_var(c, s32, "x");
    const xk_expr *const w = xk_var(c, xk_type_vec(XK_DT_S64, 1), "w");
    const xk_expr *const e = xk_lt(c, xk_add(c, x, x), x);
    const xk_expr *const r = xk_substitute(c, e, 1, &x, &w);
    ck_assert_uint_eq(xk_type_of(xk_kid(r, 0)).dt, XK_DT_S64);
    ck_assert_uint_eq(xk_type_of(r).dt, XK_DT_BOOL);
    const xk_expr *const mixed = xk_add(c, x, xk_s32(c, 1));
    ck_assert_ptr_null(xk_substitute(c, mixed, 1, &x, &w));
    ck_assert_int_eq(xk_ctx_status(c), XK_EINVAL);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(sequences_are_flat)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_expr *const b = xk_var(c, xk_type_ptr(XK_SPACE_GRF), "b");
    const xk_stmt *const s =
        xk_store(c, xk_ptr(c, b, xk_s32(c, 0)), xk_s32(c, 1));
    const xk_stmt *const empty = xk_seq(c, NULL, 0);
    const xk_stmt *const two = xk_seq(c, (const xk_stmt *const[]){s, s}, 2);
    const xk_stmt *const nested =
        xk_seq(c, (const xk_stmt *const[]){empty, two, s}, 3);
    ck_assert_uint_eq(xk_n_kids(nested), 3);
    ck_assert_ptr_eq(xk_seq(c, (const xk_stmt *const[]){s, empty}, 2), s);
    ck_assert_uint_eq(xk_n_kids(empty), 0);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(structural_order_is_total_and_puts_constants_last)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_expr *e[40];
    const xk_expr *const vars[] = {xk_var(c, s32, "a"), xk_var(c, s32, "b")};
    struct random_expr r = {c, 4711, vars, 2, false};
    for (unsigned i = 0; i < 40; i++)
        e[i] = random_expr(&r, s32, i % 5);
    for (unsigned i = 0; i < 40; i++) {
        for (unsigned j = 0; j < 40; j++) {
            const int ij = xk_expr_cmp(e[i], e[j]);
            const int ji = xk_expr_cmp(e[j], e[i]);
            ck_assert_int_eq((ij > 0) - (ij < 0), (ji < 0) - (ji > 0));
            ck_assert_int_eq(ij == 0, e[i] == e[j]);
            for (unsigned k = 0; k < 40; k++) {
                if (ij < 0 && xk_expr_cmp(e[j], e[k]) < 0)
                    ck_assert_int_lt(xk_expr_cmp(e[i], e[k]), 0);
            }
        }
        if (xk_op(e[i]) != XK_OP_IMM)
            ck_assert_int_lt(xk_expr_cmp(e[i], xk_s32(c, -5)), 0);
    }
    xk_ctx_destroy(c);
}
END_TEST

static void leave(const xk_expr *e, void *user)
{
    unsigned *const n = user;
    if (!xk_is_expr(e))
        ++*n;
}

static bool enter_stmts(const xk_expr *e, void *user)
{
    (void)user;
    return !xk_is_expr(e);
}

START_TEST(traits_are_those_of_the_whole_tree)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_expr *const b = xk_var(c, xk_type_ptr(XK_SPACE_GRF), "b");
    const xk_expr *const x = xk_var(c, s32, "x");
    const xk_expr *const f = xk_var(c, xk_type_vec(XK_DT_F32, 8), "f");
    const xk_expr *const sum = xk_add(c, x, xk_s32(c, 1));
    const xk_expr *const floats = xk_add(c, f, f);
    ck_assert(xk_has(sum, XK_HAS_SUM) && xk_has(sum, XK_HAS_COUNT));
    ck_assert(xk_has(floats, XK_HAS_MATH) && !xk_has(floats, XK_HAS_SUM));
    ck_assert(!xk_has(floats, XK_HAS_COUNT));
    const xk_expr *const at = xk_ptr(c, b, sum); /* says no more than this */
    ck_assert_uint_eq(at->traits, XK_HAS_INDEX);
    const xk_stmt *const plain = xk_store(c, xk_ptr(c, b, xk_s32(c, 0)), f);
    ck_assert_uint_eq(plain->traits, 0);
    const xk_stmt *const whole =
        xk_for(c, x, xk_s32(c, 0), xk_s32(c, 4), 1, xk_store(c, at, floats));
    ck_assert_uint_eq(whole->traits,
                      XK_HAS_LOOP | XK_HAS_COUNT | XK_HAS_INDEX | XK_HAS_MATH);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(visiting_enters_and_leaves_every_statement)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_expr *const b = xk_var(c, xk_type_ptr(XK_SPACE_GRF), "b");
    const xk_stmt *const s =
        xk_store(c, xk_ptr(c, b, xk_s32(c, 0)), xk_s32(c, 1));
    const xk_expr *const i = xk_var(c, s32, "i");
    const xk_stmt *const l =
        xk_for(c, i, xk_s32(c, 0), xk_s32(c, 4), 1,
               xk_seq(c, (const xk_stmt *const[]){s, s}, 2));
    unsigned n = 0;
    xk_visit(l, enter_stmts, leave, &n);
    ck_assert_uint_eq(n, 4); /* the shared store counts each time */
    xk_ctx_destroy(c);
}
END_TEST

static bool build_and_rewrite(xk_ctx *c)
{
    const xk_expr *const x = xk_var(c, s32, "x");
    struct random_expr r = {c, 99, &x, x ? 1 : 0, false};
    const xk_scope s = xk_scope_begin(c);
    const xk_expr *e = random_expr(&r, s32, 7);
    const xk_expr *const v = xk_s32(c, 77);
    e = v && x ? xk_substitute(c, e, 1, &x, &v) : NULL;
    const bool counted = e && count_nodes(c, e) > 0;
    xk_scope_end(c, s, NULL);
    return counted;
}

START_TEST(out_of_memory_in_builders_is_a_status)
{
    for (long n = 0;; n++) {
        struct fail_alloc f;
        const struct xk_alloc a = fail_alloc_make(&f, n);
        xk_ctx *const c = xk_ctx_create(&a);
        const bool ok = c && build_and_rewrite(c);
        if (c)
            ck_assert_int_eq(xk_ctx_status(c), ok ? XK_OK : XK_ENOMEM);
        xk_ctx_destroy(c);
        ck_assert_int_eq(f.live, 0);
        if (ok)
            return;
    }
}
END_TEST

TCase *ir_expr_cases(void)
{
    TCase *const t = tcase_create("expr");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, equal_expressions_have_one_address);
    tcase_add_test(t, equal_stores_are_two_stores);
    tcase_add_test(t, scalars_are_broadcast_to_the_other_operand);
    tcase_add_test(t, null_operands_give_null_and_no_error);
    tcase_add_loop_test(t, ill_typed_nodes_are_refused_with_a_reason, 0,
                        XK_COUNTOF(mistakes));
    tcase_add_test(t, rewriting_nothing_returns_the_same_node);
    tcase_add_test(t, a_shared_node_is_visited_once);
    tcase_add_test(t, substitution_replaces_uses_and_keeps_binders);
    tcase_add_test(t, new_kids_of_other_types_change_the_type);
    tcase_add_test(t, sequences_are_flat);
    tcase_add_test(t, structural_order_is_total_and_puts_constants_last);
    tcase_add_test(t, traits_are_those_of_the_whole_tree);
    tcase_add_test(t, visiting_enters_and_leaves_every_statement);
    tcase_add_test(t, out_of_memory_in_builders_is_a_status);
    return t;
}
