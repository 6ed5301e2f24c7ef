/* SPDX-License-Identifier: Apache-2.0 */
/* How device.h runs a program of two launches: what it is given, scratch in one
 * block, launches one by one and in flight. */
#include <string.h>

#include "launches_lab.h"
#include "tests/tap.h"
#include "xekern/device.h"

/* The program: fills scratch with a number, adds it up into the caller's buffer
 * 5. Buffer 0 is not used by a kernel, but is the program's. */
struct two_launches {
    xk_program *p;
    xk_device *d;
    xk_module *m;
    xk_buffer *out; /* 64 bytes, buffers 0 and 5 */
    struct xk_launch_arg a[7];
    struct xk_run_opts o; /* with which it runs */
};

static xk_program *make_two(float value)
{
    static const struct xk_program_arg_info args[] = {
        {.name = "in", .number = 0, .size_b = 64},
        {.name = "out", .number = 5, .size_b = 64, .written = 1}};
    static const struct xk_bind fill[] = {{"dst", XK_BIND_SCRATCH, 0, 0}};
    static const struct xk_bind sum[] = {{"part", XK_BIND_SCRATCH, 0, 0},
                                         {"dst", XK_BIND_TENSOR, 5, 0}};
    static const int64_t scratch_b[] = {64};
    struct xk_launch l[] = {
        {XK_LAUNCH_FILL, "first", .u.fill = {0, 64, 0}, 1, fill},
        {XK_LAUNCH_REDUCE, "second", .u.reduce = {16, 16, 1, XK_DT_F32}, 2,
         sum}};
    const struct xk_launches all = {.n_args = 2,
                                    .n_scratch = 1,
                                    .n = 2,
                                    .args = args,
                                    .scratch_b = scratch_b,
                                    .at = l};
    memcpy(&l[0].u.fill.pattern, &value, 4);
    return lab_must_make(&all);
}

static void open_two(struct two_launches *t, float value)
{
    struct xk_error err;
    memset(t, 0, sizeof *t);
    t->p = make_two(value);
    const struct xk_launch_info *const l = xk_program_launch(t->p, 1);
    ck_assert_int_eq(xk_device_create("sim", "xehpg", 1, &t->d, &err), XK_OK);
    ck_assert_int_eq(xk_module_create(t->d, l->zebin, l->zebin_b, &t->m, &err),
                     XK_OK);
    ck_assert_uint_eq(xk_module_launches(t->m)->n_launches, 2);
    ck_assert_int_eq(xk_buffer_create(t->d, 64, &t->out, &err), XK_OK);
    t->a[0].buffer = t->a[5].buffer = t->out;
    t->o = (struct xk_run_opts){.size = sizeof t->o, .n_args = 7, .args = t->a};
}

static void close_two(struct two_launches *t)
{
    xk_buffer_unref(t->out);
    xk_module_unref(t->m);
    xk_device_unref(t->d);
    xk_program_unref(t->p);
}

static void must_have(const xk_buffer *out, float value)
{
    float got[16];
    ck_assert_int_eq(xk_buffer_read(out, 0, got, 64, NULL), XK_OK);
    for (int i = 0; i < 16; i++)
        ck_assert_float_eq(got[i], value);
}

static void must_refuse(struct two_launches *t, const char *says)
{
    struct xk_error err;
    xk_pending *p;
    ck_assert_int_eq(xk_module_run(t->m, &t->o, NULL, &err), XK_EINVAL);
    ck_assert_str_eq(err.message, says);
    ck_assert_int_eq(xk_module_start(t->m, &t->o, &p, &err), XK_EINVAL);
    ck_assert_str_eq(err.message, says);
    ck_assert_ptr_null(p);
}

START_TEST(what_a_run_lacks_is_said)
{
    struct two_launches t;
    struct xk_error err;
    xk_buffer *small;
    open_two(&t, 3);
    ck_assert_int_eq(xk_buffer_create(t.d, 60, &small, &err), XK_OK);
    t.o.n_args = 5;
    must_refuse(&t, "run: argument 5, 'out', is a buffer; nothing was "
                    "given");
    t.o.n_args = 7;
    t.a[6].buffer = t.out;
    must_refuse(&t, "run: argument 6 is given, but the program has none of "
                    "this number");
    t.a[6].buffer = NULL;
    t.a[5].buffer = small;
    must_refuse(&t, "run: argument 5, 'out', has 60 bytes, need at least "
                    "64");
    t.a[5].buffer = t.out;
    t.o.args = NULL;
    must_refuse(&t, "run: args is NULL");
    t.o.args = t.a;
    t.o.size--;
    ck_assert_int_eq(xk_module_run(t.m, &t.o, NULL, &err), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.message, "not that of struct"));
    t.o.size++;
    ck_assert_int_eq(xk_module_run(t.m, &t.o, NULL, &err), XK_OK);
    must_have(t.out, 3);
    xk_buffer_unref(small);
    close_two(&t);
}
END_TEST

START_TEST(scratch_is_one_block)
{
    struct two_launches t;
    struct xk_error err;
    xk_buffer *block, *other;
    xk_device *d;
    open_two(&t, 5);
    ck_assert_int_eq(xk_buffer_create(t.d, 256 + 63, &block, &err), XK_OK);
    ck_assert_int_eq(xk_device_create("sim", "xehpg", 1, &d, &err), XK_OK);
    ck_assert_int_eq(xk_buffer_create(d, 64, &other, &err), XK_OK);
    t.o.scratch_at_b = 128;
    must_refuse(&t, "run: scratch_at_b is 128, but there is no scratch "
                    "buffer");
    t.o.scratch = other;
    must_refuse(&t, "run: scratch is a buffer of another device");
    t.o.scratch = block;
    t.o.scratch_at_b = 64;
    must_refuse(&t, "run: scratch begins at byte 64, need a multiple of "
                    "128");
    t.o.scratch_at_b = 256;
    must_refuse(&t, "run: scratch has 63 bytes from byte 256 on, need 64");
    t.o.scratch_at_b = 512;
    must_refuse(&t, "run: scratch has 0 bytes from byte 512 on, need 64");
    t.o.scratch_at_b = 128;
    ck_assert_int_eq(xk_module_run(t.m, &t.o, NULL, &err), XK_OK);
    must_have(t.out, 5);
    float part[16];
    ck_assert_int_eq(xk_buffer_read(block, 128, part, 64, &err), XK_OK);
    ck_assert_float_eq(part[15], 5);
    xk_buffer_unref(other);
    xk_device_unref(d);
    xk_buffer_unref(block);
    close_two(&t);
}
END_TEST

static void note_launch(void *user, const struct xk_launch_step *step,
                        const struct xk_launch_stats *stats,
                        const struct xk_error *why)
{
    ck_assert_ptr_null(why);
    ck_assert_uint_gt(stats->instructions, 0);
    strcat(strcat(user, step->kernel), " ");
}

START_TEST(each_launch_is_told)
{
    char names[200] = "";
    struct two_launches t;
    struct xk_error err;
    xk_pending *p;
    open_two(&t, 7);
    t.o.launched = note_launch;
    t.o.user = names;
    ck_assert_int_eq(xk_module_start(t.m, &t.o, &p, &err), XK_EINVAL);
    ck_assert_str_eq(err.message, "run: launched is for xk_module_run alone");
    ck_assert_int_eq(xk_module_run(t.m, &t.o, NULL, &err), XK_OK);
    ck_assert_str_eq(names, "first second ");
    close_two(&t);
}
END_TEST

/* Two runs of one program, each with a part of one buffer; what they use is
 * given back before they are waited for. */
START_TEST(programs_in_flight)
{
    struct two_launches t;
    struct xk_error err;
    struct xk_launch_stats s[2];
    xk_buffer *block, *out[2];
    xk_pending *p[2];
    open_two(&t, 9);
    ck_assert_int_eq(xk_buffer_create(t.d, 192, &block, &err), XK_OK);
    t.o.scratch = block;
    for (unsigned k = 0; k < 2; k++) {
        ck_assert_int_eq(xk_buffer_create(t.d, 64, &out[k], &err), XK_OK);
        t.a[5].buffer = out[k];
        t.o.scratch_at_b = 128 * k;
        ck_assert_int_eq(xk_module_start(t.m, &t.o, &p[k], &err), XK_OK);
    }
    xk_buffer_unref(block);
    for (unsigned k = 2; k-- > 0;)
        ck_assert_int_eq(xk_pending_wait(p[k], &s[k], &err), XK_OK);
    ck_assert_uint_gt(s[0].instructions, 0);
    ck_assert_uint_eq(s[0].instructions, s[1].instructions);
    ck_assert_uint_eq(s[0].groups, 2); /* of both launches */
    for (unsigned k = 0; k < 2; k++) {
        xk_pending_unref(p[k]);
        must_have(out[k], 9);
        xk_buffer_unref(out[k]);
    }
    close_two(&t);
}
END_TEST

/* Parts of buffers. */
static const struct {
    uint64_t at_b, size_b;
    const char *says;
} bad_parts[] = {
    {64, 64, "offset 64 is no multiple of 128"},
    {128, 0, "[128, +0) is empty or outside of 1000 bytes"},
    {896, 105, "[896, +105) is empty or outside of 1000 bytes"},
    {1024, 1, "[1024, +1) is empty or outside of 1000 bytes"},
    {0, UINT64_MAX, "is empty or outside of 1000 bytes"},
};

START_TEST(a_part_is_bytes_of_its_whole)
{
    uint8_t in[1000], got[104];
    struct xk_error err;
    xk_device *d;
    xk_buffer *b, *half, *end, *none;
    for (unsigned i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i * 7);
    ck_assert_int_eq(xk_device_create("sim", "xehpg", 1, &d, &err), XK_OK);
    ck_assert_int_eq(xk_buffer_create(d, sizeof in, &b, &err), XK_OK);
    ck_assert_int_eq(xk_buffer_write(b, 0, in, sizeof in, &err), XK_OK);
    for (size_t i = 0; i < XK_COUNTOF(bad_parts); i++) {
        ck_assert_int_eq(xk_buffer_part(b, bad_parts[i].at_b,
                                        bad_parts[i].size_b, &none, &err),
                         XK_EINVAL);
        ck_assert_ptr_null(none);
        ck_assert_msg(strstr(err.message, bad_parts[i].says), "%s",
                      err.message);
    }
    ck_assert_int_eq(xk_buffer_part(b, 512, 488, &half, &err), XK_OK);
    xk_buffer_unref(b); /* held by its part */
    ck_assert_int_eq(xk_buffer_part(half, 384, 104, &end, &err), XK_OK);
    xk_buffer_unref(half);
    ck_assert_int_eq(xk_buffer_read(end, 0, got, 104, &err), XK_OK);
    ck_assert(!memcmp(got, in + 896, 104));
    ck_assert_int_eq(xk_buffer_read(end, 1, got, 104, &err), XK_EINVAL);
    xk_buffer_unref(end);
    xk_device_unref(d);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("program_run");
    TCase *const t = tcase_create("program_run");
    tcase_add_test(t, a_part_is_bytes_of_its_whole);
    tcase_add_test(t, what_a_run_lacks_is_said);
    tcase_add_test(t, scratch_is_one_block);
    tcase_add_test(t, each_launch_is_told);
    tcase_add_test(t, programs_in_flight);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
