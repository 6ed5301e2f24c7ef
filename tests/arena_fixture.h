/* SPDX-License-Identifier: Apache-2.0 */
/* A context and an arena in it for each test of a case, as
 * tcase_add_checked_fixture takes them. All that was allocated is freed. */
#ifndef XK_TESTS_ARENA_FIXTURE_H
#define XK_TESTS_ARENA_FIXTURE_H

#include "base/arena.h"
#include "base/ctx.h"
#include "tests/tap.h"

static xk_ctx *c;
static struct xk_arena arena;

static void setup(void)
{
    c = xk_ctx_create(NULL);
    xk_arena_init(&arena, c);
}

static void teardown(void)
{
    xk_arena_fini(&arena);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

#endif
