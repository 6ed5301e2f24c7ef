/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier: each row breaks one rule and must fail with its message. */
#include "ir/stmt.h"

#include <stdio.h>
#include <string.h>

#include "tests/ir/suites.h"

#define HEAD "kernel k simd 16 (src: ptr.global, n: s32 < 8, t: thread < 4) {\n"

/* The ranges of a test: n in [0, 7], numbers, sums and products of them. */
static bool range_of(void *user, const xk_expr *e, int64_t *lo, int64_t *hi)
{
    int64_t l[2] = {0, 0}, h[2] = {0, 0};
    (void)user;
    switch (xk_op(e)) {
    case XK_OP_IMM:
        *lo = *hi = xk_imm_value(e);
        return true;
    case XK_OP_VAR:
        *lo = 0;
        *hi = 7;
        return !strcmp(xk_var_name(e), "n");
    case XK_OP_ADD:
    case XK_OP_MUL:
        for (unsigned i = 0; i < 2; i++) {
            if (!range_of(user, xk_kid(e, i), &l[i], &h[i]))
                return false;
        }
        *lo = xk_op(e) == XK_OP_ADD ? l[0] + l[1] : l[0] * l[1];
        *hi = xk_op(e) == XK_OP_ADD ? h[0] + h[1] : h[0] * h[1];
        return true;
    default:
        return false;
    }
}

static const struct {
    const char *body, *message; /* NULL: passes */
} rows[] = {
    {"alloc b: grf[64] store &b[n * 8] = 1", NULL},
    {"alloc b: grf[64] store &b[60] = 1", NULL},
    {"alloc b: grf[64] store &b[61] = 1", "access outside its buffer"},
    {"alloc b: grf[64] store &b[-8] = 1", "access outside its buffer"},
    {"alloc b: grf[64] load x: f32x16 = &b[4]", "access outside its buffer"},
    {"alloc b: grf[64] store &b[n * 536870912] = 1", "not proven to fit"},
    {"alloc b: grf[64] store &b[t] = 1", "not proven to fit"},
    {"alloc b: grf[64] "
     "send.load.global.a64.d32x1.s16(&src[0], n * 4, &b[0], true)",
     NULL},
    {"alloc b: grf[64] send.load.global.a64.d32x1.s16(&src[0], n * "
     "1073741824, &b[0], true)",
     "not proven to fit"},
    {"alloc b: grf[64] "
     "send.load.slm.a32.d32x1.s16(&src[0], n, &b[0], true)",
     "argument 0 must be an address in its space"},
    {"alloc b: grf[64] "
     "send.load.grf.a32.d32x1.s16(&src[0], n, &b[0], true)",
     "space must be global or slm"},
    {"alloc b: grf[64] "
     "send.load.global.a64.d32x1.s16(&src[0], 1.5, &b[0], true)",
     "argument 1 must be s32, s64 or u32"},
    {"alloc b: grf[64] "
     "send.load.global.a64.d32x1.s16(&src[0], bcast.8(n), &b[0], true)",
     "argument 1 must be s32, s64 or u32"},
    {"send.load.global.a64.d32x1.s16(&src[0], n, &src[0], true)",
     "argument 2 must be an address of registers"},
    {"alloc b: grf[64] "
     "send.load.global.a64.d32x1.s16(&src[0], n, &b[0], 1)",
     "argument 3 must be a bool mask"},
    {"alloc b: grf[64] "
     "send.load.global.a64.d24x1.s16(&src[0], n, &b[0], true)",
     "elements must be 1, 2, 4 or 8 bytes"},
    {"alloc b: grf[64] "
     "send.load.global.a64.d32x1.s7(&src[0], n, &b[0], true)",
     "lanes must be 8, 16, 32"},
    {"alloc b: grf[64] "
     "send.load.global.a64.d32x1.s16.z(&src[0], n, &b[0], true)",
     "z needs a scattered load through a surface"},
    {"alloc b: grf[64] "
     "send.load.global.surface0.d32x1.block.z(&src[0], n, &b[0], true)",
     "z needs a scattered load through a surface"},
    {"alloc b: grf[64] "
     "send.store.global.surface0.d32x1.s16.z(&src[0], n, &b[0], true)",
     "z needs a scattered load through a surface"},
    {"alloc b: grf[64] "
     "sendh.load.global.a64.d32x1.s16(&src[0], &b[0], true)",
     "arguments 0 and 1 must be addresses of registers"},
    {"alloc b: grf[64] mad.f32.s16.b113(&b[0], &b[0], &b[0], &b[0])",
     "strides must be 0 or 1, or 2 of src2"},
    {"alloc b: grf[64] mad.f32.s16.b121(&b[0], &b[0], &b[0], &b[0])",
     "strides must be 0 or 1, or 2 of src2"},
    {"alloc b: grf[64] mad.f32.s33.b110(&b[0], &b[0], &b[0], &b[0])",
     "lanes must be 1..32"},
    {"alloc b: grf[64] mad.bool.s16.b110(&b[0], &b[0], &b[0], &b[0])",
     "needs number types"},
    {"alloc b: grf[64] dp4a.s32_s32_s8_u8.s16.b110(&b[0], &b[0], &b[0], "
     "&b[0])",
     "types must be s32 or u32"},
    {"alloc b: grf[64] dp4a.s32.s0.b110(&b[0], &b[0], &b[0], &b[0])",
     "lanes must be 1..32"},
    {"alloc b: grf[64] dp4a.s32.s16.b120(&b[0], &b[0], &b[0], &b[0])",
     "strides must be 0 or 1"},
    {"alloc b: grf[64] mad.f32.s16.b110(&b[0], &b[0], &b[0], 1)",
     "must be addresses of registers"},
    {"alloc b: grf[64] dpas.f32.e4.d8.r8(&b[0], &b[0], &b[0], &b[0])",
     "exec size must be 8 or 16"},
    {"alloc b: grf[64] dpas.f32.e8.d8.r9(&b[0], &b[0], &b[0], &b[0])",
     "repeat count 1..8"},
    {"alloc b: grf[64] reorder.f32[0:1:1](&b[0], &b[0])",
     "a dimension is empty"},
    {"fence.grf()", "fence: space must be global or slm"},
    {"stage 0 { }", "stage outside a pipe"},
    {"pipe i in 0..4 slots 1 stages 2 { stage 1 { } stage 0 { } }", NULL},
    {"pipe i in 0..4 slots 1 stages 3 { stage 0 { } stage 1 { } }",
     "stages must be one more"},
};

START_TEST(the_verifier_reports_what_is_wrong)
{
    char text[1024];
    struct xk_kernel k;
    xk_ctx *const c = xk_ctx_create(NULL);
    snprintf(text, sizeof(text), "%s%s }", HEAD, rows[_i].body);
    ck_assert_msg(xk_kernel_parse(c, text, &k) == XK_OK, "%s",
                  c->error.message);
    const enum xk_status st = xk_kernel_verify(c, &k, range_of, NULL);
    const char *const want = rows[_i].message;
    ck_assert_msg(st == (want ? XK_EINVAL : XK_OK), "%s: %s", rows[_i].body,
                  c->error.message);
    ck_assert_msg(!want || strstr(c->error.message, want),
                  "\"%s\" is not in \"%s\"", want, c->error.message);
    xk_ctx_destroy(c);
}
END_TEST

/* Kernels that text cannot express. */
static const char *const broken[] = {
    "variable is not in scope: x",
    "variable is bound again in its own scope: x",
    "variable is not in scope: x",
    "simd 12",
    "parameter must be ptr.global",
    "id parameter must be s32",
    "kernel without a body",
    "parameter without a variable",
};

static void make_broken(xk_ctx *c, int i, struct xk_kernel *k)
{
    const xk_expr *const x = xk_var(c, xk_type_vec(XK_DT_S32, 1), "x");
    const xk_expr *const f = xk_var(c, xk_type_vec(XK_DT_F32, 1), "f");
    const xk_stmt *const none = xk_seq(c, NULL, 0);
    const xk_stmt *const use = xk_if(c, xk_lt(c, x, xk_s32(c, 1)), none, NULL);
    const xk_stmt *const bind = xk_let(c, x, xk_s32(c, 1), none);
    memset(k, 0, sizeof(*k));
    k->simd = 16;
    k->body = use;
    if (i == 1)
        k->body = xk_let(c, x, xk_s32(c, 1), bind);
    if (i == 2)
        k->body = xk_seq(c, (const xk_stmt *const[]){bind, use}, 2);
    if (i == 3)
        k->simd = 12;
    if (i == 4 || i == 5) {
        k->params[0].kind = i == 4 ? XK_PARAM_GLOBAL : XK_PARAM_THREAD;
        k->params[0].var = f;
        k->n_params = 1;
    }
    if (i == 6)
        k->body = NULL;
    if (i == 7)
        k->n_params = 1;
}

START_TEST(broken_kernels_are_refused)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_kernel k;
    make_broken(c, _i, &k);
    ck_assert_int_eq(xk_kernel_verify(c, &k, NULL, NULL), XK_EINVAL);
    ck_assert_msg(strstr(c->error.message, broken[_i]) != NULL,
                  "\"%s\" is not in \"%s\"", broken[_i], c->error.message);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(one_variable_may_be_bound_in_two_scopes)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_kernel k = {.simd = 16};
    const xk_expr *const x = xk_var(c, xk_type_vec(XK_DT_S32, 1), "x");
    const xk_stmt *const bind = xk_let(c, x, xk_s32(c, 1), xk_seq(c, NULL, 0));
    k.body = xk_seq(c, (const xk_stmt *const[]){bind, bind}, 2);
    ck_assert_int_eq(xk_kernel_verify(c, &k, NULL, NULL), XK_OK);
    xk_ctx_destroy(c);
}
END_TEST

TCase *ir_verify_cases(void)
{
    TCase *const t = tcase_create("verify");
    tcase_add_loop_test(t, the_verifier_reports_what_is_wrong, 0,
                        XK_COUNTOF(rows));
    tcase_add_loop_test(t, broken_kernels_are_refused, 0, XK_COUNTOF(broken));
    tcase_add_test(t, one_variable_may_be_bound_in_two_scopes);
    return t;
}
