/* SPDX-License-Identifier: Apache-2.0 */
/* How deep query and create go. Threads of a pool have small stacks, so large
 * structs come from the context's allocator; a query has a bound that does not
 * depend on the problem. What create needs beyond that is recursion over the
 * kids of statements and expressions, as deep as a kernel is long. Both run on
 * a stack of our own, whose bytes tell afterwards how far it was used. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/tap.h"
#include "xekern/formulas.h"

enum {
    STACK_B = 4 << 20,
    QUERY_B = 32 << 10,
    CREATE_B = 256 << 10,
    MARK = 0xa5,
};

/* A problem with what it multiplies, or a formula. */
struct call {
    const char *text;
    uint32_t prop, type, alg;
    const char *post_ops; /* NULL: a formula */
};

#define FOUR(a, b) a "+" b "+" a "+" b
#define SIXTEEN(a, b) FOUR(a, b) "+" FOUR(a, b) "+" FOUR(a, b) "+" FOUR(a, b)
#define LONGEST(a, b) SIXTEEN(a, b) "+" SIXTEEN(a, b)

static const struct call calls[] = {
    {"mb2ic64ih14oc64kh3ph1", XK_FWD_D, XK_F16, 0, ""},
    {"mb2ic3ih30oc64kh7sh2ph3", XK_FWD_B, XK_F16, 0, "relu"},
    {"mb2ic64ih14oc64kh1", XK_FWD_D, XK_U8, 0, "sum:0.5+relu"},
    {"mb2ic20ih9oc40kh3ph1", XK_FWD_D, XK_F32, 0, LONGEST("gelu_erf", "exp")},
    {"mb2ic20ih9oc40kh3ph1", XK_FWD_D, XK_F16, 0,
     LONGEST("gelu_erf", "add:f32:per_tensor")},
    {"mb2ic20ih9oc40kh3ph1", XK_FWD_D, XK_F32, 0,
     LONGEST("tanh", "mul:f16:per_oc")},
    {"mb2ic64ih14oc64kh3ph1", XK_FWD_D, XK_U8, 0, LONGEST("swish", "sum:2")},
    {"g32mb2ic32ih14oc32kh3ph1", XK_FWD_D, XK_F32, 0, "relu"},
    {"g8mb2ic32ih14oc32kh3ph1", XK_FWD_D, XK_F16, 0, "relu"},
    {"mb2ic64ih14oc64oh7kh3sh2ph1", XK_BWD_D, XK_F16, 0, ""},
    {"mb1ic8ih30oc8kh9sh7ph4", XK_BWD_D, XK_F32, 0, ""},
    {"mb8ic64ih14oc64kh3ph1", XK_BWD_WB, XK_F16, 0, ""},
    {"g4mb2ic64ih14oc64kh3ph1", XK_BWD_W, XK_F32, 0, ""},
    {"mb2ic16ih7oc16oh14kh4sh2ph1", XK_FWD_D, XK_F16, XK_ALG_DECONV_DIRECT,
     "relu"},
    {"x=40; A: f16[40,32]; W: f16[3,32,16]; S: f16[38,16] fill 2; "
     "O[x,n] += A[x+k-1,c] * W[k,c,n] -> add S[x-1,n]",
     0, 0, 0, NULL},
    {"t={2,1}@0; u=8; A: f32[8,9]; W: f32[3,9,16]; O: f32[16,16]; "
     "O[2*u+{0,1}@0,n] += A[u+t-1,c] * W[2*t+{0,1}@0,c,n]",
     0, 0, 0, NULL},
};

/* What a thread does. What the caller's own structs take is the caller's. */
struct job {
    struct xk_conv_desc desc;
    struct xk_conv_info info;
    struct xk_formulas formulas;
    struct xk_formulas_info formulas_info;
    struct xk_error err;
    enum xk_status status;
};

static void *ask(void *user)
{
    struct job *const j = user;
    j->status = j->formulas.n ? xk_formulas_query(&j->formulas,
                                                  &j->formulas_info, &j->err)
                              : xk_conv_query(&j->desc, &j->info, &j->err);
    return NULL;
}

static void *make(void *user)
{
    struct job *const j = user;
    xk_program *p = NULL;
    j->status = j->formulas.n
                    ? xk_formulas_create(&j->formulas, NULL, &p, &j->err)
                    : xk_conv_create(&j->desc, NULL, &p, &j->err);
    xk_program_unref(p);
    return NULL;
}

static void describe(const struct call *a, struct job *j)
{
    static const struct xk_conv_desc initial = XK_CONV_DESC_INIT;
    memset(j, 0, sizeof *j);
    j->info.size = sizeof j->info;
    j->formulas_info.size = sizeof j->formulas_info;
    j->formulas = (struct xk_formulas){.size = sizeof j->formulas,
                                       .platform = XK_PLATFORM_XEHPG,
                                       .n = !a->post_ops,
                                       .text = &a->text};
    if (!a->post_ops)
        return;
    struct xk_conv_desc *const d = &j->desc;
    *d = initial;
    d->alg = a->alg;
    ck_assert_msg(xk_conv_desc_parse(a->text, d, NULL, 0, &j->err) == XK_OK,
                  "%s: %s", a->text, j->err.message);
    d->prop = a->prop;
    d->src_type = d->wei_type = d->dst_type = a->type;
    if (a->type == XK_U8)
        d->wei_type = XK_S8;
    ck_assert_msg(xk_post_ops_parse(a->post_ops, d->post_ops, &d->n_post_ops,
                                    &j->err) == XK_OK,
                  "%s: %s", a->post_ops, j->err.message);
}

/* The bytes that a thread used of its stack. */
static size_t used_b(void *(*what)(void *), struct job *j, unsigned char *stack)
{
    pthread_attr_t attr;
    pthread_t thread;
    size_t i = 0;
    memset(stack, MARK, STACK_B);
    ck_assert_int_eq(pthread_attr_init(&attr), 0);
    ck_assert_int_eq(pthread_attr_setstack(&attr, stack, STACK_B), 0);
    ck_assert_int_eq(pthread_create(&thread, &attr, what, j), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attr);
    ck_assert_msg(j->status == XK_OK, "%s", j->err.message);
    while (i < STACK_B && stack[i] == MARK)
        i++;
    return STACK_B - i;
}

START_TEST(stays_shallow)
{
    static struct job j;
    unsigned char *const stack = aligned_alloc(4096, STACK_B);
    ck_assert(stack);
    describe(&calls[_i], &j);
    const size_t query_b = used_b(ask, &j, stack);
    const size_t create_b = used_b(make, &j, stack);
    printf("# query %zu, create %zu bytes: %s %.20s\n", query_b, create_b,
           calls[_i].text, calls[_i].post_ops ? calls[_i].post_ops : "");
    ck_assert_uint_gt(query_b, 1000);
    ck_assert_msg(query_b <= QUERY_B, "query: %zu bytes of stack", query_b);
    ck_assert_msg(create_b <= CREATE_B, "create: %zu bytes of stack", create_b);
    free(stack);
}
END_TEST

/* XK_VERIFY judges each kernel, which goes deeper. */
int main(void)
{
    unsetenv("XK_VERIFY");
    Suite *const s = suite_create("stack");
    TCase *const t = tcase_create("stack");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, stays_shallow, 0, XK_COUNTOF(calls));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
