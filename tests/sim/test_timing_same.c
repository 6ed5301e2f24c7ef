/* SPDX-License-Identifier: Apache-2.0 */
/* The model never changes results: convolutions with and without it leave the
 * same bytes, with one host thread and with several, and it predicts the same
 * time for any number of them. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xekern/simulate.h"
#include "xekern/xekern.h"

#define PROBLEM "mb2ic32ih9oc64oh9kh3ph1"
#define SMALL "mb1ic16ih5oc16oh5kh3ph1"

struct prediction {
    double time_us, cycles;
    uint64_t instructions;
    unsigned n;
};

static void take(void *user, const struct xk_timing *t)
{
    struct prediction *const p = user;
    ck_assert_msg(!t->error, "%s", t->error);
    ck_assert_ptr_nonnull(t->product);
    p->time_us += t->time_us;
    p->cycles += t->cycles;
    p->instructions += t->instructions;
    p->n++;
    double all = 0;
    for (uint32_t k = 0; k < t->n_shares; k++)
        all += t->share[k].share;
    ck_assert_msg(all > 0.999 && all < 1.001, "shares sum to %f", all);
}

static const struct {
    const char *platform, *product, *problem;
    uint32_t type, dst;
} cases[] = {
    {"xehpg", "a770", PROBLEM, XK_F32, XK_F32},
    {"xehpg", "", PROBLEM, XK_F16, XK_F16},
    {"xehpc", "max1550", PROBLEM, XK_F32, XK_F32},
    {"xehpc", "max1550", PROBLEM, XK_F16, XK_F16},
    {"xelp", "iris-xe", SMALL, XK_F32, XK_F32},
    {"xelp", "iris-xe", SMALL, XK_F16, XK_F16},
};

/* Numbers of either type that stay small. */
static void fill(uint8_t *p, uint64_t n_b, uint32_t type)
{
    static const float single[4] = {0, 1, -1, 0.5f};
    static const uint16_t half[4] = {0, 0x3c00, 0xbc00, 0x3800};
    uint32_t x = 1;
    for (uint64_t at = 0; at + 4 <= n_b; at += 4) {
        x = x * 1664525u + 1013904223u;
        if (type == XK_F32) {
            memcpy(p + at, &single[x >> 30], 4);
        } else {
            memcpy(p + at, &half[x >> 30], 2);
            memcpy(p + at + 2, &half[x >> 28 & 3], 2);
        }
    }
}

static void launch_all(xk_device *d, const xk_program *p, xk_buffer **buf)
{
    struct xk_error err = {.message = ""};
    for (uint32_t i = 0; i < xk_program_n_launches(p); i++) {
        const struct xk_launch_info *const l = xk_program_launch(p, i);
        struct xk_launch_arg args[XK_MAX_LAUNCH_ARGS] = {{0}};
        xk_module *m;
        for (unsigned k = 0; k < l->n_args; k++)
            args[k].buffer = buf[l->args[k].tensor];
        ck_assert_msg(xk_module_create(d, l->zebin, l->zebin_b, &m, &err) >= 0,
                      "%s", err.message);
        ck_assert_msg(xk_launch(m,
                                &(struct xk_launch_desc){
                                    sizeof(struct xk_launch_desc), l->kernel,
                                    l->groups, l->local, l->n_args, args},
                                NULL, &err) >= 0,
                      "%s", err.message);
        xk_module_unref(m);
    }
}

/* The destination's bytes, to be freed. */
static uint8_t *run(unsigned k, const xk_program *p, unsigned n_threads,
                    struct prediction *predicted)
{
    const struct xk_simulate_opts look = {
        .timing = cases[k].product, .timed = take, .user = predicted};
    xk_device *d;
    xk_buffer *buf[XK_N_CONV_ARGS] = {0};
    uint8_t *out = NULL;
    struct xk_error err = {.message = ""};
    ck_assert_msg(
        xk_device_create("sim", cases[k].platform, n_threads, &d, &err) >= 0,
        "%s", err.message);
    if (predicted)
        ck_assert(xk_simulate_configure(d, &look, &err) >= 0);
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        const struct xk_tensor_info *const t = &xk_program_info(p)->tensor[i];
        if (!t->ndims)
            continue;
        uint8_t *const bytes = calloc(1, t->size_b);
        fill(bytes, t->size_b, t->type);
        ck_assert(xk_buffer_create(d, t->size_b, &buf[i], &err) >= 0);
        ck_assert(xk_buffer_write(buf[i], 0, bytes, t->size_b, &err) >= 0);
        if (i == XK_ARG_DST)
            out = bytes;
        else
            free(bytes);
    }
    launch_all(d, p, buf);
    ck_assert(xk_buffer_read(buf[XK_ARG_DST], 0, out,
                             xk_program_info(p)->tensor[XK_ARG_DST].size_b,
                             &err) >= 0);
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++)
        xk_buffer_unref(buf[i]);
    xk_device_unref(d);
    return out;
}

static uint32_t platform_of(const char *name)
{
    return !strcmp(name, "xelp")    ? XK_PLATFORM_XELP
           : !strcmp(name, "xehpg") ? XK_PLATFORM_XEHPG
                                    : XK_PLATFORM_XEHPC;
}

START_TEST(the_model_never_changes_results)
{
    struct xk_conv_desc desc = XK_CONV_DESC_INIT;
    struct xk_error err = {.message = ""};
    struct prediction one = {0}, many = {0};
    xk_program *p = NULL;
    desc.platform = platform_of(cases[_i].platform);
    ck_assert(xk_conv_desc_parse(cases[_i].problem, &desc, NULL, 0, &err) >= 0);
    desc.src_type = desc.wei_type = cases[_i].type;
    desc.dst_type = cases[_i].dst;
    const enum xk_status s = xk_conv_create(&desc, NULL, &p, &err);
    if (s == XK_EUNSUPPORTED) {
        printf("# %s, %s: not generated: %s\n", cases[_i].platform,
               cases[_i].problem, err.message);
        return;
    }
    ck_assert_msg(s >= 0, "%s", err.message);
    const uint64_t n_b = xk_program_info(p)->tensor[XK_ARG_DST].size_b;
    uint8_t *const plain = run((unsigned)_i, p, 1, NULL);
    uint8_t *const a = run((unsigned)_i, p, 1, &one);
    uint8_t *const b = run((unsigned)_i, p, 3, &many);
    ck_assert_mem_eq(plain, a, n_b);
    ck_assert_mem_eq(plain, b, n_b);
    ck_assert_uint_eq(one.n, xk_program_n_launches(p));
    ck_assert(one.instructions > 0 && one.time_us > 0);
    ck_assert(one.cycles == many.cycles);
    ck_assert_uint_eq(one.instructions, many.instructions);
    free(plain);
    free(a);
    free(b);
    xk_program_unref(p);
}
END_TEST

START_TEST(machines_have_names)
{
    struct xk_timing_machine m;
    xk_device *d;
    struct xk_error err = {.message = ""};
    uint32_t k = 0;
    for (; xk_timing_machine_at(k, &m) >= 0; k++)
        ck_assert(*m.name && *m.text && *m.platform);
    ck_assert_uint_ge(k, 3);
    ck_assert(xk_device_create("sim", "xehpg", 1, &d, &err) >= 0);
    const struct xk_simulate_opts wrong = {.timing = "gtx"};
    ck_assert_int_eq(xk_simulate_configure(d, &wrong, &err), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.message, "gtx"));
    xk_device_unref(d);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("timing_same");
    TCase *const t = tcase_create("timing_same");
    SRunner *const r = srunner_create(s);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, the_model_never_changes_results, 0,
                        sizeof cases / sizeof cases[0]);
    tcase_add_test(t, machines_have_names);
    suite_add_tcase(s, t);
    srunner_set_tap(r, "-");
    srunner_run_all(r, CK_SILENT);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
