/* SPDX-License-Identifier: Apache-2.0 */
/* The node pool: interning, lifetime by scopes and references, and what is
 * left after any allocation fails. */
#include "base/pool.h"

#include <string.h>

#include "base/ctx.h"
#include "tests/base/fail_alloc.h"
#include "tests/tap.h"

static const struct xk_node *leaf(xk_ctx *c, uint64_t payload)
{
    const struct xk_node_desc d = {.op = 1,
                                   .intern = true,
                                   .payload = &payload,
                                   .payload_b = sizeof(payload)};
    return xk_pool_make(c, &d);
}

static const struct xk_node *pair(xk_ctx *c, const struct xk_node *a,
                                  const struct xk_node *b, bool intern)
{
    const struct xk_node *const kids[] = {a, b};
    const struct xk_node_desc d = {
        .op = 2, .intern = intern, .n_kids = 2, .kids = kids};
    return xk_pool_make(c, &d);
}

static uint64_t leaf_value(const struct xk_node *n)
{
    uint64_t v;
    memcpy(&v, xk_pool_payload(n), sizeof(v));
    return v;
}

START_TEST(equal_interned_nodes_are_one)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const struct xk_node *const a = leaf(c, 1), *const b = leaf(c, 2);
    ck_assert_ptr_eq(leaf(c, 1), a);
    ck_assert_ptr_ne(a, b);
    ck_assert_ptr_eq(pair(c, a, b, true), pair(c, a, b, true));
    ck_assert_ptr_ne(pair(c, a, b, true), pair(c, b, a, true));
    ck_assert_uint_eq(xk_pool_live(c), 4);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}
END_TEST

START_TEST(payload_op_and_type_tell_nodes_apart)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const struct xk_node *seen[4];
    struct xk_node_desc d = {.op = 3, .intern = true, .type = 5};
    seen[0] = xk_pool_make(c, &d);
    d.type = 6;
    seen[1] = xk_pool_make(c, &d);
    d.op = 4;
    seen[2] = xk_pool_make(c, &d);
    d.payload = "a";
    d.payload_b = 1;
    seen[3] = xk_pool_make(c, &d);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++)
            ck_assert_ptr_ne(seen[i], seen[j]);
    }
    ck_assert_int_eq(*(const char *)xk_pool_payload(seen[3]), 'a');
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(nodes_that_are_not_interned_stay_apart)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const struct xk_node *const a = leaf(c, 1);
    ck_assert_ptr_ne(pair(c, a, a, false), pair(c, a, a, false));
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(ending_a_scope_frees_what_nothing_references)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_scope s = xk_pool_begin(c);
    for (uint64_t i = 0; i < 1000; i++)
        pair(c, leaf(c, i), leaf(c, i + 1), true);
    ck_assert_uint_eq(xk_pool_live(c), 2001);
    xk_pool_end(c, s, NULL);
    ck_assert_uint_eq(xk_pool_live(c), 0);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(the_kept_node_and_its_kids_survive_the_scope)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_scope outer = xk_pool_begin(c), inner = xk_pool_begin(c);
    const struct xk_node *const keep = pair(c, leaf(c, 7), leaf(c, 8), true);
    leaf(c, 9);
    ck_assert_ptr_eq(xk_pool_end(c, inner, keep), keep);
    ck_assert_uint_eq(xk_pool_live(c), 3);
    ck_assert_uint_eq(leaf_value(keep->kid[1]), 8);
    xk_pool_end(c, outer, NULL);
    ck_assert_uint_eq(xk_pool_live(c), 0);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(a_kept_node_from_an_outer_scope_is_not_freed)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const struct xk_node *const old = leaf(c, 7);
    const xk_scope s = xk_pool_begin(c);
    pair(c, old, old, true);
    xk_pool_end(c, s, old);
    ck_assert_uint_eq(xk_pool_live(c), 1);
    ck_assert_uint_eq(leaf_value(old), 7);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(a_reference_outlives_scopes_and_is_reported)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_scope s = xk_pool_begin(c);
    const struct xk_node *const n = pair(c, leaf(c, 1), leaf(c, 2), true);
    ck_assert_ptr_eq(xk_pool_ref(c, n), n);
    xk_pool_ref(c, n);
    xk_pool_end(c, s, NULL);
    ck_assert_uint_eq(xk_pool_live(c), 3);
    xk_pool_unref(c, n);
    ck_assert_uint_eq(xk_ctx_destroy(c), 1);
}
END_TEST

START_TEST(the_last_unref_frees_at_the_end_of_the_scope)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_scope a = xk_pool_begin(c);
    const struct xk_node *const n = xk_pool_ref(c, leaf(c, 1));
    xk_pool_end(c, a, NULL);
    const xk_scope b = xk_pool_begin(c);
    xk_pool_unref(c, n);
    ck_assert_uint_eq(leaf_value(n), 1);
    ck_assert_uint_eq(xk_pool_live(c), 1);
    xk_pool_end(c, b, NULL);
    ck_assert_uint_eq(xk_pool_live(c), 0);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}
END_TEST

START_TEST(a_borrowed_node_survives_the_release_of_its_owner)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_scope first = xk_pool_begin(c);
    const struct xk_node *const owner =
        xk_pool_ref(c, pair(c, leaf(c, 1), leaf(c, 2), true));
    xk_pool_end(c, first, NULL);
    const xk_scope outer = xk_pool_begin(c);
    const struct xk_node *const borrowed = leaf(c, 1); /* owner's kid */
    const xk_scope inner = xk_pool_begin(c);
    xk_pool_unref(c, owner);
    xk_pool_end(c, inner, NULL);
    ck_assert_uint_eq(xk_pool_live(c), 1);
    ck_assert_uint_eq(leaf_value(borrowed), 1);
    xk_pool_end(c, outer, NULL);
    ck_assert_uint_eq(xk_pool_live(c), 0);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(a_forgotten_scope_ends_with_the_outer_one)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_scope outer = xk_pool_begin(c);
    xk_pool_begin(c);
    leaf(c, 1);
    xk_pool_begin(c);
    leaf(c, 2);
    xk_pool_end(c, outer, NULL);
    ck_assert_uint_eq(xk_pool_live(c), 0);
    const xk_scope next = xk_pool_begin(c);
    ck_assert_uint_eq(next.depth, outer.depth);
    xk_pool_end(c, next, NULL);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(a_null_kid_gives_null_and_no_error)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    ck_assert_ptr_null(pair(c, leaf(c, 1), NULL, true));
    ck_assert_int_eq(xk_ctx_status(c), XK_OK);
    xk_pool_unref(c, NULL);
    ck_assert_ptr_null(xk_pool_ref(c, NULL));
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(a_long_chain_is_freed_without_recursion)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_scope s = xk_pool_begin(c);
    const struct xk_node *n = leaf(c, 0);
    for (int i = 0; i < 300000; i++)
        n = pair(c, n, n, false);
    xk_pool_ref(c, n);
    xk_pool_end(c, s, NULL);
    const xk_scope t = xk_pool_begin(c);
    xk_pool_unref(c, n);
    xk_pool_end(c, t, NULL);
    ck_assert_uint_eq(xk_pool_live(c), 0);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(nodes_above_the_size_classes_work_too)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const struct xk_node *kids[1000];
    struct xk_node_desc d = {.op = 9, .n_kids = 1000, .kids = kids};
    for (uint64_t i = 0; i < 1000; i++)
        kids[i] = leaf(c, i);
    const xk_scope s = xk_pool_begin(c);
    const struct xk_node *const a = xk_pool_make(c, &d);
    const struct xk_node *const b = xk_pool_make(c, &d);
    const struct xk_node *const e = xk_pool_make(c, &d);
    ck_assert_ptr_eq(a->kid[999], b->kid[999]);
    xk_pool_ref(c, e);
    xk_pool_end(c, s, b);
    ck_assert_uint_eq(leaf_value(b->kid[500]), 500);
    xk_pool_unref(c, e);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}
END_TEST

START_TEST(serials_grow_and_are_not_used_again)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    const xk_scope s = xk_pool_begin(c);
    const uint32_t first = leaf(c, 1)->serial;
    xk_pool_end(c, s, NULL);
    ck_assert_uint_gt(leaf(c, 1)->serial, first);
    xk_ctx_destroy(c);
}
END_TEST

/* Enough nodes for every table and chunk to grow; a scope in between. False
 * once an allocation failed. */
static bool workload(xk_ctx *c)
{
    const struct xk_node *kids[200];
    const struct xk_node_desc big = {.op = 9, .n_kids = 200, .kids = kids};
    const struct xk_node *sum = xk_pool_ref(c, leaf(c, 0));
    bool ok = sum != NULL;
    const xk_scope s = xk_pool_begin(c);
    for (uint64_t i = 0; ok && i < 3000; i++) {
        const struct xk_node *const l = leaf(c, i);
        kids[i % 200] = l;
        const struct xk_node *const p = pair(c, l, sum, i % 2);
        ok = p != NULL;
        if (ok && i >= 200 && i % 500 == 0)
            ok = xk_pool_make(c, &big) != NULL;
    }
    xk_pool_end(c, s, NULL);
    xk_pool_unref(c, sum);
    return ok;
}

START_TEST(every_failing_allocation_is_an_error_and_leaks_nothing)
{
    for (long n = 0;; n++) {
        struct fail_alloc f;
        const struct xk_alloc a = fail_alloc_make(&f, n);
        xk_ctx *const c = xk_ctx_create(&a);
        const bool ok = c && workload(c);
        if (c && !ok)
            ck_assert_int_eq(xk_ctx_status(c), XK_ENOMEM);
        if (c && ok)
            ck_assert_int_eq(xk_ctx_status(c), XK_OK);
        ck_assert_uint_eq(xk_ctx_destroy(c), 0);
        ck_assert_int_eq(f.live, 0);
        if (ok) {
            ck_assert_int_gt(n, 10);
            return;
        }
    }
}
END_TEST

/* Random makes, references and scopes; every node held must stay what it was,
 * and nothing may remain at the end. */
START_TEST(random_histories_keep_what_is_held)
{
    enum { N_HELD = 64 };
    xk_ctx *const c = xk_ctx_create(NULL);
    const struct xk_node *held[N_HELD] = {NULL};
    uint64_t value[N_HELD] = {0};
    uint64_t rng = 88172645463325252u;
    const xk_scope all = xk_pool_begin(c);
    xk_scope scope[8];
    unsigned depth = 0;
    for (unsigned i = 0; i < 200000; i++) {
        rng ^= rng << 13;
        rng ^= rng >> 7;
        rng ^= rng << 17;
        const unsigned k = rng >> 8 & (N_HELD - 1), act = rng & 15;
        if (act == 0 && depth < 8)
            scope[depth++] = xk_pool_begin(c);
        else if (act == 1 && depth)
            xk_pool_end(c, scope[--depth], held[k]);
        if (act < 2)
            continue;
        if (held[k]) {
            ck_assert_uint_eq(leaf_value(held[k]->kid[0]), value[k]);
            xk_pool_unref(c, held[k]);
        }
        value[k] = rng >> 32 & 255;
        const struct xk_node *const l = leaf(c, value[k]);
        held[k] = xk_pool_ref(c, pair(c, l, leaf(c, rng >> 40 & 15), act & 1));
    }
    for (unsigned k = 0; k < N_HELD; k++)
        xk_pool_unref(c, held[k]);
    xk_pool_end(c, all, NULL);
    ck_assert_uint_eq(xk_pool_live(c), 0);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("base");
    TCase *const t = tcase_create("pool");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, equal_interned_nodes_are_one);
    tcase_add_test(t, payload_op_and_type_tell_nodes_apart);
    tcase_add_test(t, nodes_that_are_not_interned_stay_apart);
    tcase_add_test(t, ending_a_scope_frees_what_nothing_references);
    tcase_add_test(t, the_kept_node_and_its_kids_survive_the_scope);
    tcase_add_test(t, a_kept_node_from_an_outer_scope_is_not_freed);
    tcase_add_test(t, a_reference_outlives_scopes_and_is_reported);
    tcase_add_test(t, the_last_unref_frees_at_the_end_of_the_scope);
    tcase_add_test(t, a_borrowed_node_survives_the_release_of_its_owner);
    tcase_add_test(t, a_forgotten_scope_ends_with_the_outer_one);
    tcase_add_test(t, a_null_kid_gives_null_and_no_error);
    tcase_add_test(t, a_long_chain_is_freed_without_recursion);
    tcase_add_test(t, nodes_above_the_size_classes_work_too);
    tcase_add_test(t, serials_grow_and_are_not_used_again);
    tcase_add_test(t, every_failing_allocation_is_an_error_and_leaks_nothing);
    tcase_add_test(t, random_histories_keep_what_is_held);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
