/* SPDX-License-Identifier: Apache-2.0 */
/* Passes keep what a kernel does: random kernels are executed before and after
 * each pass and must leave the same memory. XK_SEED sets the first seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "passes/passes.h"
#include "tests/ir_interp.h"
#include "tests/passes/random_kernel.h"
#include "tests/passes/tcases.h"
#include "tests/tap.h"

enum { N_KERNELS = 150 };

struct memory {
    int32_t isrc[XK_RANDOM_BUFFER_B / 4];
    float fsrc[XK_RANDOM_BUFFER_B / 4];
    int32_t dst[XK_RANDOM_BUFFER_B / 4];
};

static uint64_t first_seed(void)
{
    const char *const s = getenv("XK_SEED");
    return s ? strtoull(s, NULL, 10) : 1;
}

static void fill_memory(struct memory *m, uint64_t seed)
{
    uint64_t rng = seed + 77;
    for (unsigned i = 0; i < XK_RANDOM_BUFFER_B / 4; i++) {
        m->isrc[i] = (int32_t)xk_random_next(&rng);
        m->fsrc[i] = (float)((int)(xk_random_next(&rng) % 9) - 4);
        m->dst[i] = (int32_t)xk_random_next(&rng);
    }
}

/* Fails the test if the kernel does something illegal. */
static void execute(xk_ctx *c, const struct xk_kernel *k, uint64_t seed,
                    bool zero_extend, struct memory *m)
{
    static struct xk_interp_args a;
    struct xk_interp_report r;
    fill_memory(m, seed);
    memset(&a, 0, sizeof(a));
    a.buffer[XK_RANDOM_ISRC].data = m->isrc;
    a.buffer[XK_RANDOM_FSRC].data = m->fsrc;
    a.buffer[XK_RANDOM_DST].data = m->dst;
    for (unsigned i = XK_RANDOM_ISRC; i <= XK_RANDOM_DST; i += 2)
        a.buffer[i].size_b = XK_RANDOM_BUFFER_B;
    a.value[XK_RANDOM_N] = (int64_t)(seed % 100);
    a.group[0] = (int32_t)(seed % 8);
    a.group[1] = (int32_t)(seed / 8 % 8);
    a.thread = (int32_t)(seed / 64 % 4);
    a.zero_extend = zero_extend;
    if (xk_interp_run(c, k, &a, &r) < 0)
        ck_abort_msg("seed %llu: %s", (unsigned long long)seed, r.message);
}

static void check_same(const struct memory *a, const struct memory *b,
                       uint64_t seed, const char *what)
{
    for (unsigned i = 0; i < XK_RANDOM_BUFFER_B / 4; i++) {
        if (a->dst[i] != b->dst[i])
            ck_abort_msg("seed %llu: after %s dst[%u] is %d instead of %d",
                         (unsigned long long)seed, what, i, b->dst[i],
                         a->dst[i]);
    }
}

static void check_pass(xk_ctx *c, struct xk_kernel k, const struct xk_pass *p,
                       const struct memory *expected, uint64_t seed)
{
    static struct memory m;
    const struct xk_pass_env env = {xk_platform_find("xehpg"),
                                    (unsigned)(seed % 40)};
    if (p->run(c, &k, &env) < 0 || xk_kernel_verify(c, &k, NULL, NULL) < 0)
        ck_abort_msg("seed %llu: %s: %s", (unsigned long long)seed, p->name,
                     c->error.message);
    for (unsigned z = 0; z < 2; z++) {
        execute(c, &k, seed, z, &m);
        check_same(expected, &m, seed, p->name);
    }
}

static void check_pipeline(xk_ctx *c, struct xk_kernel k,
                           const struct memory *expected, uint64_t seed)
{
    static struct memory m;
    const struct xk_pass_env env = {xk_platform_find("xehpg"),
                                    (unsigned)(seed % 40)};
    for (unsigned i = 0; i < xk_n_passes; i++) {
        if (xk_passes[i].run(c, &k, &env) < 0 ||
            xk_kernel_verify(c, &k, NULL, NULL) < 0)
            ck_abort_msg("seed %llu: %s: %s", (unsigned long long)seed,
                         xk_passes[i].name, c->error.message);
        execute(c, &k, seed, i & 1, &m);
        check_same(expected, &m, seed, xk_passes[i].name);
    }
}

START_TEST(random_kernels_leave_the_same_memory_after_each_pass)
{
    static struct memory before;
    const uint64_t first = first_seed();
    printf("# seeds %llu .. %llu\n", (unsigned long long)first,
           (unsigned long long)first + N_KERNELS - 1);
    for (uint64_t seed = first; seed < first + N_KERNELS; seed++) {
        struct xk_kernel k;
        xk_ctx *const c = xk_ctx_create(NULL);
        xk_random_kernel(c, seed, 10 + (unsigned)(seed % 30), &k);
        if (!k.body || xk_kernel_verify(c, &k, NULL, NULL) < 0)
            ck_abort_msg("seed %llu: generator: %s", (unsigned long long)seed,
                         c->error.message);
        execute(c, &k, seed, false, &before);
        for (unsigned i = 0; i < xk_n_passes; i++)
            check_pass(c, k, &xk_passes[i], &before, seed);
        check_pipeline(c, k, &before, seed);
        ck_assert_uint_eq(xk_ctx_destroy(c), 0);
    }
}
END_TEST

/* Failing allocations. */

struct failing {
    uint64_t left; /* allocations until the one that fails */
    int64_t live;
};

static void *failing_realloc(void *user, void *p, size_t n_b)
{
    struct failing *const f = user;
    if (n_b == 0) {
        f->live -= p != NULL;
        free(p);
        return NULL;
    }
    if (f->left-- == 0) {
        f->left = 0; /* and all that follow */
        return NULL;
    }
    f->live += p == NULL;
    return realloc(p, n_b);
}

START_TEST(an_allocation_that_fails_is_reported_and_leaks_nothing)
{
    const struct xk_pass_env env = {xk_platform_find("xehpg"), 32};
    bool done = false;
    for (uint64_t n = 0; !done; n++) {
        struct failing f = {.left = UINT64_MAX};
        const struct xk_alloc alloc = {failing_realloc, &f};
        struct xk_kernel k;
        xk_ctx *const c = xk_ctx_create(&alloc);
        xk_random_kernel(c, 5, 12, &k);
        f.left = n;
        const enum xk_status st = xk_passes_run(c, &k, &env, NULL, NULL);
        done = st == XK_OK;
        if (!done)
            ck_assert_int_eq(st, XK_ENOMEM);
        f.left = UINT64_MAX;
        ck_assert_uint_eq(xk_ctx_destroy(c), 0);
        ck_assert_int_eq(f.live, 0);
    }
}
END_TEST

START_TEST(a_pass_is_found_by_its_name_only)
{
    ck_assert_ptr_nonnull(xk_pass_find("hoist"));
    ck_assert_str_eq(xk_pass_find("cse")->name, "cse");
    ck_assert_ptr_null(xk_pass_find("hois"));
}
END_TEST

static void count_pass(void *user, const char *pass, const struct xk_kernel *k)
{
    unsigned *const n = user;
    ck_assert_ptr_nonnull(k->body);
    ck_assert_str_eq(pass, xk_passes[*n].name);
    ++*n;
}

START_TEST(the_trace_sees_every_pass_in_order)
{
    const struct xk_pass_env env = {xk_platform_find("xehpg"), 32};
    struct xk_kernel k;
    unsigned n = 0;
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_random_kernel(c, 3, 10, &k);
    ck_assert_int_eq(xk_passes_run(c, &k, &env, count_pass, &n), XK_OK);
    ck_assert_uint_eq(n, xk_n_passes);
    xk_ctx_destroy(c);
}
END_TEST

static const struct {
    const char *text, *left_out; /* or a word of the error */
    int status;
} switches[] = {
    {"", "", XK_OK},
    {"-cse", "cse", XK_OK},
    {"-order,-cse,-banks", "cse", XK_OK}, /* two steps of codegen's */
    {"-let", "let let", XK_OK},
    {" -cse,-hoist ,", "hoist cse", XK_OK},
    {"-peephole,-simplify", "simplify peephole", XK_OK},
    {"-barrier,-overflow,-strength", "strength overflow barrier", XK_OK},
    {"-dance", "'-dance'", XK_EPARSE},
    {"cse", "'cse'", XK_EPARSE},
    {"-cs", "'-cs'", XK_EPARSE},
    {"-", "'-'", XK_EPARSE},
    {"-cse,-header", "'-header': codegen", XK_EINVAL},
};

START_TEST(passes_are_left_out_by_name)
{
    uint32_t off = 0;
    char names[64] = "";
    xk_ctx *const c = xk_ctx_create(NULL);
    ck_assert_int_eq(xk_passes_parse(c, switches[_i].text, &off),
                     switches[_i].status);
    for (unsigned i = 0; i < xk_n_passes; i++)
        if (off & 1u << i) {
            strcat(names, *names ? " " : "");
            strcat(names, xk_passes[i].name);
        }
    if (switches[_i].status == XK_OK)
        ck_assert_str_eq(names, switches[_i].left_out);
    else
        ck_assert_msg(strstr(c->error.message, switches[_i].left_out), "%s",
                      c->error.message);
    xk_ctx_destroy(c);
}
END_TEST

static void note_pass(void *user, const char *pass, const struct xk_kernel *k)
{
    (void)k;
    strcat(strcat(user, " "), pass);
}

START_TEST(what_is_left_out_does_not_run)
{
    struct xk_pass_env env = {xk_platform_find("xehpg"), 32, 0};
    struct xk_kernel k;
    char ran[128] = "";
    xk_ctx *const c = xk_ctx_create(NULL);
    ck_assert_int_eq(xk_passes_parse(c, "-let,-cse", &env.off), XK_OK);
    xk_random_kernel(c, 3, 10, &k);
    ck_assert_int_eq(xk_passes_run(c, &k, &env, note_pass, ran), XK_OK);
    ck_assert_str_eq(ran, " expand simplify strength overflow header hoist "
                          "barrier peephole");
    xk_ctx_destroy(c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("passes");
    TCase *const t = tcase_create("passes");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, random_kernels_leave_the_same_memory_after_each_pass);
    tcase_add_test(t, an_allocation_that_fails_is_reported_and_leaks_nothing);
    tcase_add_test(t, a_pass_is_found_by_its_name_only);
    tcase_add_test(t, the_trace_sees_every_pass_in_order);
    tcase_add_loop_test(t, passes_are_left_out_by_name, 0,
                        XK_COUNTOF(switches));
    tcase_add_test(t, what_is_left_out_does_not_run);
    suite_add_tcase(s, t);
    suite_add_tcase(s, xk_test_interp());
    return xk_tap_run(s);
}
