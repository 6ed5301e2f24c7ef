/* SPDX-License-Identifier: Apache-2.0 */
/* The public API: the same bytes every time, query and create agree and take no
 * longer for large problems, bad descriptors are sentences, and no allocation
 * failure leaks or crashes. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "tests/tap.h"
#include "xekern/xekern.h"

static struct xk_conv_desc parse(const char *text)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_error err;
    ck_assert_msg(xk_conv_desc_parse(text, &d, NULL, 0, &err) == XK_OK, "%s",
                  err.message);
    return d;
}

static xk_program *create(const struct xk_conv_desc *d)
{
    xk_program *p = NULL;
    struct xk_error err;
    ck_assert_msg(xk_conv_create(d, NULL, &p, &err) == XK_OK, "%s",
                  err.message);
    return p;
}

static const char *const problems[] = {
    "mb1ic64ih56oc64oh56kh3ph1",
    "mb1ic3ih224oc64oh112kh7sh2ph3",
    "mb2ic17ih9iw7oc20kh3kw2sh2sw1ph1pw0dh1",
    "mb1ic32id6ih9iw8oc48kd3kh2kw3sd2sh1sw1pd1ph1pw1",
};

START_TEST(same_descriptor_same_bytes)
{
    const struct xk_conv_desc d = parse(problems[_i]);
    xk_program *const a = create(&d), *const b = create(&d);
    const struct xk_launch_info *const x = xk_program_launch(a, 0);
    const struct xk_launch_info *const y = xk_program_launch(b, 0);
    ck_assert_uint_eq(x->zebin_b, y->zebin_b);
    ck_assert_int_eq(memcmp(x->zebin, y->zebin, x->zebin_b), 0);
    ck_assert_uint_gt(x->code_b, 16);
    xk_program_unref(a);
    xk_program_unref(b);
}
END_TEST

static void *create_thread(void *arg)
{
    xk_program *p = NULL;
    xk_conv_create(arg, NULL, &p, NULL);
    return p;
}

START_TEST(threads_make_the_same_bytes)
{
    struct xk_conv_desc d = parse(problems[0]);
    xk_program *const want = create(&d);
    const struct xk_launch_info *const x = xk_program_launch(want, 0);
    pthread_t t[4];
    for (unsigned i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&t[i], NULL, create_thread, &d), 0);
    for (unsigned i = 0; i < 4; i++) {
        void *p = NULL;
        pthread_join(t[i], &p);
        ck_assert_ptr_nonnull(p);
        const struct xk_launch_info *const y = xk_program_launch(p, 0);
        ck_assert_uint_eq(x->zebin_b, y->zebin_b);
        ck_assert_int_eq(memcmp(x->zebin, y->zebin, x->zebin_b), 0);
        xk_program_unref(p);
    }
    xk_program_unref(want);
}
END_TEST

/* Contractions are some 60 KB: at most one lies on the stack, so that threads
 * with small stacks can create. Sanitizers want more, clang's UBSan too. */
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
#define HAS_LARGE_FRAMES
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(HAS_LARGE_FRAMES)
enum { STACK_B = 2 << 20 };
#else
enum { STACK_B = 128 << 10 }; /* what some C libraries give */
#endif

START_TEST(a_small_stack_is_enough)
{
    struct xk_conv_desc d = parse(problems[_i]);
    pthread_attr_t attr;
    pthread_t t;
    void *p = NULL;
    pthread_attr_init(&attr);
    ck_assert_int_eq(pthread_attr_setstacksize(&attr, STACK_B), 0);
    ck_assert_int_eq(pthread_create(&t, &attr, create_thread, &d), 0);
    pthread_join(t, &p);
    pthread_attr_destroy(&attr);
    ck_assert_ptr_nonnull(p);
    xk_program_unref(p);
}
END_TEST

START_TEST(query_and_create_agree)
{
    const struct xk_conv_desc d = parse(problems[_i]);
    struct xk_conv_info info = {.size = sizeof(info)};
    struct xk_error err;
    ck_assert_msg(xk_conv_query(&d, &info, &err) == XK_OK, "%s", err.message);
    xk_program *const p = create(&d);
    ck_assert_int_eq(memcmp(&info, xk_program_info(p), sizeof(info)), 0);
    ck_assert_uint_lt(xk_program_peak_b(p), 16u << 20);
    xk_program_unref(p);
}
END_TEST

/* Each was accepted by query and then refused by create, or refused because of
 * layouts that the library had chosen. */
static const struct {
    uint32_t src, wei, dst, flags;
    const char *stag, *dtag, *text;
    const char *wtag; /* NULL: any */
} narrow[] = {
    {XK_U8, XK_S8, XK_S32, XK_CREATE_A64, "any", "any",
     "mb2ic45ih1iw1oc1kh2kw2ph1pw1"},
    {XK_F16, XK_F16, XK_F32, 0, "axb", "axb",
     "mb16777213ic1iw31oc32ow1kw1sw32pw0dw5"},
    {XK_F32, XK_F32, XK_F32, 0, "any", "any", "mb1ic33554432iw1oc1kw1"},
    /* Rows beyond M of a few large ones; columns beyond N, far apart. */
    {XK_S8, XK_S8, XK_S8, 0, "abx", "axb", "mb8ic1iw22oc12782638kw2"},
    {XK_U8, XK_S8, XK_S32, XK_CREATE_A64, "aBx32b", "abx",
     "mb1ic17iw33oc8ow67105803kw3pw33552886"},
    /* Code of more than 64 KB for a tile that is smaller than the last one. */
    {XK_U8, XK_S8, XK_F32, XK_CREATE_A64, "aBx4b", "axb",
     "mb1ic100ih13iw23oc64oh4ow2097150kh11kw3sh3ph5pw1048564", "abx"},
};

START_TEST(what_query_accepts_create_makes)
{
    struct xk_conv_desc d = parse(narrow[_i].text);
    const struct xk_create_options o = {.size = sizeof(o),
                                        .flags = narrow[_i].flags};
    struct xk_conv_info info = {.size = sizeof(info)};
    struct xk_error err = {0};
    xk_program *p = NULL;
    d.src_type = narrow[_i].src;
    d.wei_type = narrow[_i].wei;
    d.dst_type = narrow[_i].dst;
    strcpy(d.src_tag, narrow[_i].stag);
    strcpy(d.dst_tag, narrow[_i].dtag);
    if (narrow[_i].wtag)
        strcpy(d.wei_tag, narrow[_i].wtag);
    const enum xk_status query = xk_conv_query(&d, &info, &err);
    ck_assert_msg(xk_conv_create(&d, &o, &p, &err) == query, "query %d: %s",
                  query, err.message);
    ck_assert_msg(query == XK_OK, "%s", err.message);
    ck_assert_ptr_nonnull(p);
    ck_assert_int_eq(memcmp(&info, xk_program_info(p), sizeof(info)), 0);
    xk_program_unref(p);
}
END_TEST

/* A gradient of 2147483632 bytes whose padding is zeroed first, in a surface of
 * at most 2147418112: create alone refused it. */
START_TEST(what_cannot_be_zeroed_is_refused_by_both)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_conv_info info = {.size = sizeof(info)};
    struct xk_error query, create;
    xk_program *p;
    d.alg = XK_ALG_DECONV_DIRECT;
    ck_assert_int_eq(
        xk_conv_desc_parse("mb1ic1ih1iw268435454oc4oh1ow18kh1kw1pw134217718",
                           &d, NULL, 0, &query),
        XK_OK);
    d.prop = XK_BWD_D;
    d.src_type = d.wei_type = d.dst_type = XK_F16;
    ck_assert_int_eq(xk_conv_query(&d, &info, &query), XK_EUNSUPPORTED);
    ck_assert_int_eq(xk_conv_create(&d, NULL, &p, &create), XK_EUNSUPPORTED);
    ck_assert_str_eq(query.message, create.message);
    ck_assert_msg(strstr(query.message, "zeroed first"), "%s", query.message);
}
END_TEST

/* Fails the n-th allocation; counts live blocks. */
struct failing {
    long left;
    long live;
};

static void *failing_realloc(void *user, void *p, size_t n_b)
{
    struct failing *const f = user;
    if (n_b && f->left-- <= 0)
        return NULL;
    void *const q = xk_alloc_default.realloc(NULL, p, n_b);
    f->live += (n_b && !p) - (!n_b && p);
    return q;
}

/* Sizes near every limit: what counts pixels, taps or groups one by one takes
 * seconds. The third was 458 ms of a query. */
static const struct {
    const char *problem;
    uint32_t type;
} large[] = {
    {"mb1ic16iw8388608oc16ow8388608kw3pw1", XK_F16},
    {"mb1ic64iw1048576oc64ow1048577kw4pw2", XK_F16},
    {"mb1ic1iw67108863oc1ow1kw67108863", XK_F32},
    {"mb1ic3iw8388607oc1ow8388607kw8388607pw4194303", XK_F16},
    {"mb1ic1id1ih1iw1oc1kd500kh500kw500od1oh1ow1pd250ph250pw250", XK_F16},
    {"mb16777213ic1iw31oc32ow1kw1sw32pw0dw5", XK_F16},
    {"mb1ic33554432iw1oc1ow1kw1", XK_F16},
    {"mb8ic16ih1iw4000000oc16oh3ow2kh1kw2ph1pw1sw3999999", XK_U8},
    {"mb64ic16ih700iw700oc32oh700ow700kh3kw3ph1pw1", XK_U8},
};

static struct xk_conv_desc large_problem(unsigned i)
{
    struct xk_conv_desc d = parse(large[i].problem);
    d.src_type = large[i].type;
    d.wei_type = large[i].type == XK_U8 ? XK_S8 : large[i].type;
    return d;
}

/* Milliseconds of CPU since the clock's start. */
static double ms_since(clock_t start)
{
    return 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* A query takes a tenth of a millisecond, a creation one or two: a tenth of the
 * limit even where sanitizers slow them. */
START_TEST(large_problems_take_no_longer)
{
    const struct xk_conv_desc d = large_problem((unsigned)_i);
    double query_ms = 1e9, create_ms = 1e9;
    for (unsigned i = 0; i < 3; i++) {
        struct xk_conv_info info = {.size = sizeof(info)};
        struct xk_error err;
        clock_t start = clock();
        ck_assert_msg(xk_conv_query(&d, &info, &err) == XK_OK, "%s",
                      err.message);
        const double query = ms_since(start);
        start = clock();
        xk_program_unref(create(&d));
        const double all = ms_since(start);
        query_ms = query < query_ms ? query : query_ms;
        create_ms = all < create_ms ? all : create_ms;
    }
    ck_assert_double_lt(query_ms, 20);
    ck_assert_double_lt(create_ms, 400);
}
END_TEST

/* A convolution; launches of a deconvolution with sums of zero points and
 * copies; a gradient whose sum is split. */
static struct xk_conv_desc of_allocations(int row)
{
    struct xk_conv_desc d = parse("mb1ic5ih4oc9kh3ph1");
    if (row == 1) {
        d.alg = XK_ALG_DECONV_DIRECT;
        d.sw = 2;
        d.ow = 0;
        d.src_type = XK_U8;
        d.wei_type = XK_S4;
        d.dst_type = XK_F8_E4M3;
        d.attr.zero_point[XK_ARG_SRC].source = XK_QUANT_DEVICE;
        d.attr.zero_point[XK_ARG_WEI].source = XK_QUANT_HOST;
    } else if (row == 2) {
        d = parse("mb2ic8ih40oc8oh40kh3ph1");
        d.prop = XK_BWD_WB;
    }
    return d;
}

/* The first allocations one by one; a creation of several kernels has too many.
 */
START_TEST(every_failed_allocation_is_a_status)
{
    const struct xk_conv_desc d = of_allocations(_i);
    enum xk_status status = XK_ENOMEM;
    long n = 0;
    for (; status == XK_ENOMEM && n < 100000; n += n < 400 || !_i ? 1 : 61) {
        struct failing f = {n, 0};
        const struct xk_heap heap = {failing_realloc, &f};
        const struct xk_create_options o = {.size = sizeof(o), .heap = &heap};
        struct xk_error err;
        xk_program *p = NULL;
        status = xk_conv_create(&d, &o, &p, &err);
        ck_assert_msg(status == XK_OK || status == XK_ENOMEM,
                      "allocation %ld: %s: %s", n, xk_status_str(status),
                      err.message);
        ck_assert((status == XK_OK) == (p != NULL));
        xk_program_unref(p);
        ck_assert_msg(f.live == 0, "allocation %ld leaks %ld", n, f.live);
    }
    ck_assert_int_eq(status, XK_OK);
    ck_assert_int_gt(n, 10);
}
END_TEST

static void count_stage(void *user, const char *stage, const void *data,
                        size_t n_b)
{
    ck_assert_ptr_nonnull(data);
    ck_assert_uint_gt(n_b, 0);
    strcat(user, stage);
    strcat(user, " ");
}

START_TEST(dumps_come_stage_by_stage)
{
    const struct xk_conv_desc d = parse("mb1ic64ih8oc64kh1");
    char seen[256] = "";
    const struct xk_create_options o = {
        .size = sizeof(o), .dump = count_stage, .dump_user = seen};
    xk_program *p = NULL;
    ck_assert_int_eq(xk_conv_create(&d, &o, &p, NULL), XK_OK);
    ck_assert_str_eq(seen,
                     "views schedule plan nest ir passes asm order zebin ");
    xk_program_unref(p);
}
END_TEST

START_TEST(unknown_options_are_refused)
{
    static const uint32_t flags[] = {2, 0x80000000u, 3, UINT32_MAX};
    const struct xk_conv_desc d = parse("mb1ic64ih8oc64kh1");
    for (unsigned i = 0; i < XK_COUNTOF(flags); i++) {
        const struct xk_create_options o = {.size = sizeof(o),
                                            .flags = flags[i]};
        char value[32];
        struct xk_error err;
        xk_program *p = NULL;
        snprintf(value, sizeof(value), "flags=0x%x ", flags[i]);
        ck_assert_int_eq(xk_conv_create(&d, &o, &p, &err), XK_EINVAL);
        ck_assert_ptr_null(p);
        ck_assert_msg(strstr(err.message, value), "%s", err.message);
    }
}
END_TEST

/* As query says, whatever the best schedule would be without the flag. */
START_TEST(addresses_of_64_bits_keep_the_layouts)
{
    static const char *const text[] = {"mb16ic64ih56oc256kh1",
                                       "mb1ic64ih8oc64kh1", "mb1ic3ih9oc16kh3",
                                       "mb8ic3ih9oc16kh3"};
    static const uint32_t types[][2] = {
        {XK_F32, XK_F32}, {XK_F16, XK_F16}, {XK_U8, XK_S8}};
    const struct xk_create_options o = {.size = sizeof(o),
                                        .flags = XK_CREATE_A64};
    bool other = false;
    for (unsigned i = 0; i < XK_COUNTOF(text) * XK_COUNTOF(types); i++) {
        struct xk_conv_desc d = parse(text[i / XK_COUNTOF(types)]);
        struct xk_conv_info info = {.size = sizeof(info)};
        struct xk_error err;
        xk_program *p = NULL, *q = NULL;
        d.src_type = types[i % XK_COUNTOF(types)][0];
        d.wei_type = types[i % XK_COUNTOF(types)][1];
        d.dst_type = XK_F32;
        ck_assert_int_eq(xk_conv_query(&d, &info, &err), XK_OK);
        ck_assert_msg(xk_conv_create(&d, &o, &p, &err) == XK_OK, "%s",
                      err.message);
        ck_assert_int_eq(xk_conv_create(&d, NULL, &q, &err), XK_OK);
        for (unsigned k = 0; k < XK_N_CONV_ARGS; k++)
            ck_assert_mem_eq(&xk_program_info(p)->tensor[k], &info.tensor[k],
                             sizeof(info.tensor[k]));
        const char *const with = xk_program_launch(p, 0)->schedule;
        const char *const without = xk_program_launch(q, 0)->schedule;
        ck_assert_msg(strstr(with, " slm=0 ") && strstr(with, " addr=a64 "),
                      "%s", with);
        ck_assert_msg(strstr(without, "addr=surface"), "%s", without);
        other = other || strstr(without, "walk=:po");
        xk_program_unref(p);
        xk_program_unref(q);
    }
    ck_assert(other); /* some have a loop that needs surfaces */
}
END_TEST

START_TEST(null_arguments_are_refused)
{
    struct xk_error err;
    xk_program *p = NULL;
    struct xk_conv_info info = {.size = sizeof(info)};
    ck_assert_int_eq(xk_conv_create(NULL, NULL, &p, &err), XK_EINVAL);
    ck_assert_uint_gt(strlen(err.message), 0);
    ck_assert_int_eq(xk_conv_query(NULL, &info, &err), XK_EINVAL);
    const struct xk_conv_desc d = parse("mb1ic64ih8oc64kh1");
    ck_assert_int_eq(xk_conv_query(&d, NULL, &err), XK_EINVAL);
    info.size = UINT32_MAX; /* nobody set it */
    ck_assert_int_eq(xk_conv_query(&d, &info, &err), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.message, "info.size=4294967295"));
    ck_assert_int_eq(xk_conv_create(&d, NULL, NULL, &err), XK_EINVAL);
    char text[8] = "before";
    ck_assert_uint_eq(xk_conv_desc_print(NULL, text, sizeof(text)), 0);
    ck_assert_str_eq(text, "");
    xk_program_unref(NULL);
    ck_assert_ptr_null(xk_program_launch(NULL, 0));
}
END_TEST

/* Memory behind an older caller's descriptor belongs to somebody else. */
START_TEST(an_older_descriptor_is_printed_as_far_as_it_goes)
{
    static const char problem[] = "mb1_ic64ih8iw8_oc64oh8ow8_kh1kw1_sh1sw1_"
                                  "ph0pw0_dh0dw0";
    struct xk_conv_desc d = parse("mb1ic64ih8oc64kh1");
    char text[128];
    d.size = offsetof(struct xk_conv_desc, post_ops);
    memset((char *)&d + d.size, 0x5a, sizeof(d) - d.size);
    ck_assert_uint_eq(xk_conv_desc_print(&d, text, sizeof(text)),
                      strlen(problem));
    ck_assert_str_eq(text, problem);
}
END_TEST

/* What is left of a problem of no images. */
static const struct {
    uint32_t prop, n_launches, n_args;
} empty[] = {
    {XK_FWD_B, 0, 2}, {XK_BWD_D, 0, 1}, {XK_BWD_W, 1, 1}, {XK_BWD_WB, 2, 2}};

START_TEST(no_images_are_nothing_to_do)
{
    struct xk_conv_desc d = parse("mb0ic16ih8oc32kh3ph1");
    struct xk_create_options o = {.size = sizeof o, .flags = XK_CREATE_A64};
    struct xk_conv_info info = {.size = sizeof info};
    struct xk_error err;
    xk_program *wide = NULL;
    d.prop = empty[_i].prop;
    ck_assert_msg(xk_conv_query(&d, &info, &err) == XK_OK, "%s", err.message);
    ck_assert_msg(xk_conv_create(&d, &o, &wide, &err) == XK_OK, "%s",
                  err.message);
    xk_program *const p = create(&d);
    const struct xk_launch_list *const l = xk_program_launches(p);
    ck_assert_uint_eq(info.n_launches, empty[_i].n_launches);
    ck_assert_uint_eq(l->n_launches, empty[_i].n_launches);
    ck_assert_uint_eq(xk_program_n_launches(wide), empty[_i].n_launches);
    ck_assert_uint_eq(l->n_args, empty[_i].n_args);
    ck_assert_uint_eq(info.tensor[XK_ARG_SRC].size_b, 0);
    ck_assert_int_eq(info.tensor[XK_ARG_DST].dims[0], 0);
    ck_assert_uint_eq(info.tensor[XK_ARG_WEI].size_b, 16 * 32 * 9 * 4);
    ck_assert(!xk_program_launch(p, 0) == !empty[_i].n_launches);
    xk_program_unref(p);
    xk_program_unref(wide);
}
END_TEST

START_TEST(groups_have_four_threads)
{
    const struct xk_conv_desc d = parse(problems[0]);
    xk_program *const p = create(&d);
    const struct xk_launch_info *const l = xk_program_launch(p, 0);
    ck_assert_uint_ge(l->threads_per_group, 4);
    ck_assert_uint_eq(l->local[0], l->threads_per_group * l->simd);
    ck_assert_ptr_null(xk_program_launch(p, 1));
    xk_program_unref(p);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("gen");
    TCase *const t = tcase_create("gen");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, same_descriptor_same_bytes, 0, XK_COUNTOF(problems));
    tcase_add_test(t, threads_make_the_same_bytes);
    tcase_add_loop_test(t, a_small_stack_is_enough, 0, XK_COUNTOF(problems));
    tcase_add_loop_test(t, query_and_create_agree, 0, XK_COUNTOF(problems));
    tcase_add_loop_test(t, what_query_accepts_create_makes, 0,
                        (int)XK_COUNTOF(narrow));
    tcase_add_test(t, what_cannot_be_zeroed_is_refused_by_both);
    tcase_add_loop_test(t, large_problems_take_no_longer, 0,
                        sizeof(large) / sizeof(large[0]));
    tcase_add_loop_test(t, every_failed_allocation_is_a_status, 0, 3);
    tcase_add_test(t, dumps_come_stage_by_stage);
    tcase_add_test(t, null_arguments_are_refused);
    tcase_add_test(t, an_older_descriptor_is_printed_as_far_as_it_goes);
    tcase_add_test(t, unknown_options_are_refused);
    tcase_add_test(t, addresses_of_64_bits_keep_the_layouts);
    tcase_add_loop_test(t, no_images_are_nothing_to_do, 0, XK_COUNTOF(empty));
    tcase_add_test(t, groups_have_four_threads);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
