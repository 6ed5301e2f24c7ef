/* SPDX-License-Identifier: Apache-2.0 */
/* The device interface: what it refuses and how it says so. Kernels that
 * compute something are in test_opencl.c. */
#include <string.h>

#include "tests/container/make_zebin.h"
#include "tests/tap.h"
#include "xekern/device.h"

static xk_device *dev;
static xk_buffer *buf;
static xk_module *mod;
static struct xk_error err;

static void open_device(void)
{
    size_t n_b;
    memset(&err, 0, sizeof(err));
    uint8_t *zebin = make_zebin(&(struct zebin_parts){0}, &n_b);
    ck_assert_int_eq(xk_device_create("sim", "xehpg", 2, &dev, &err), XK_OK);
    ck_assert_int_eq(xk_buffer_create(dev, 1000, &buf, &err), XK_OK);
    ck_assert_msg(xk_module_create(dev, zebin, n_b, &mod, &err) == XK_OK, "%s",
                  err.message);
    free(zebin); /* the module has a copy */
}

/* The device goes first: the others hold it. */
static void close_device(void)
{
    xk_device_unref(dev);
    xk_buffer_unref(buf);
    xk_module_unref(mod);
}

#define SAYS(word)                                                             \
    ck_assert_msg(strstr(err.message, word) != NULL, "'%s' is not in '%s'",    \
                  word, err.message)

static const struct {
    const char *engine, *platform;
    enum xk_status status;
    const char *word;
} devices[] = {
    {"sim:1", "xehpg", XK_EABSENT, "no device 1, there is 1"},
    {"sim:", "xehpg", XK_EINVAL, "'sim:'"},
    {"sim:0x", "xehpg", XK_EINVAL, "'sim:0x'"},
    {"cuda", "xehpg", XK_EINVAL, "'cuda'"},
    {"sim", "voodoo", XK_EINVAL, "'voodoo'"},
    {NULL, "xehpg", XK_EINVAL, "engine is NULL"},
    {"sim", NULL, XK_EINVAL, "name one"},
};

START_TEST(devices_that_are_not_there)
{
    xk_device *d = dev;
    ck_assert_int_eq(
        xk_device_create(devices[_i].engine, devices[_i].platform, 1, &d, &err),
        devices[_i].status);
    ck_assert_int_eq(err.status, devices[_i].status);
    SAYS(devices[_i].word);
    ck_assert(d == NULL || devices[_i].engine == NULL ||
              devices[_i].platform == NULL);
    ck_assert_int_eq(
        xk_device_create(devices[_i].engine, devices[_i].platform, 1, &d, NULL),
        devices[_i].status);
}
END_TEST

START_TEST(buffers_keep_bytes_and_limits)
{
    uint8_t in[1000], back[1000];
    for (unsigned i = 0; i < sizeof(in); i++)
        in[i] = (uint8_t)(i * 7);
    ck_assert_int_eq(xk_buffer_write(buf, 0, in, 1000, &err), XK_OK);
    ck_assert_int_eq(xk_buffer_write(buf, 990, in, 10, &err), XK_OK);
    ck_assert_int_eq(xk_buffer_read(buf, 0, back, 1000, &err), XK_OK);
    ck_assert(memcmp(in, back, 990) == 0 && memcmp(in, back + 990, 10) == 0);
    ck_assert_int_eq(xk_buffer_write(buf, 991, in, 10, &err), XK_EINVAL);
    SAYS("[991, +10) is outside of 1000 bytes");
    ck_assert_int_eq(xk_buffer_read(buf, UINT64_MAX, back, 2, &err), XK_EINVAL);
    ck_assert_int_eq(xk_buffer_read(buf, 0, NULL, 2, &err), XK_EINVAL);
    ck_assert_int_eq(xk_buffer_write(NULL, 0, in, 2, &err), XK_EINVAL);
    xk_buffer *b;
    ck_assert_int_eq(xk_buffer_create(dev, 0, &b, &err), XK_EINVAL);
    SAYS("size is 0");
    ck_assert_int_eq(xk_buffer_create(dev, UINT64_C(7) << 30, &b, &err),
                     XK_EUNSUPPORTED);
    ck_assert_ptr_null(b);
}
END_TEST

/* More buffers over time than there are address slots. */
START_TEST(addresses_come_back)
{
    for (int i = 0; i < 10000; i++) {
        xk_buffer *b;
        ck_assert_int_eq(xk_buffer_create(dev, 64, &b, &err), XK_OK);
        xk_buffer_unref(b);
    }
}
END_TEST

START_TEST(modules_that_are_none)
{
    static const struct {
        struct zebin_parts parts;
        enum xk_status status;
        const char *word;
    } bad[] = {
        {{.family = 1271}, XK_EINVAL, "product family 1271"},
        {{.kernel = "other"}, XK_EPARSE, ".text.k"},
        {{.ze_info = "version: '1.0'\nkernels:\n  - name: k\n"
                     "    execution_env:\n      simd_size: 16\n"
                     "      grf_count: 96\n"},
         XK_EUNSUPPORTED,
         "(96)"},
        {{.ze_info = "version: '1.0'\nkernels:\n  - name: k\n"
                     "    execution_env:\n      simd_size: 7\n"
                     "      grf_count: 128\n"},
         XK_EINVAL,
         "(7)"},
        {{.ze_info = "version: '1.0'\nkernels:\n  - name: k\n"
                     "    execution_env:\n      simd_size: 8\n"
                     "      grf_count: 128\n      "
                     "offset_to_skip_per_thread_data_load: 24\n"},
         XK_EINVAL,
         "offset_to_skip"},
    };
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        size_t n_b;
        xk_module *none = mod;
        uint8_t *zebin = make_zebin(&bad[i].parts, &n_b);
        ck_assert_int_eq(xk_module_create(dev, zebin, n_b, &none, &err),
                         bad[i].status);
        SAYS(bad[i].word);
        ck_assert_ptr_null(none);
        free(zebin);
    }
    xk_module *m;
    ck_assert_int_eq(xk_module_create(dev, "x", 1, &m, &err), XK_EPARSE);
    ck_assert_int_eq(xk_module_create(dev, NULL, 1, &m, &err), XK_EINVAL);
}
END_TEST

/* The kernel's arguments: a pointer, four bytes, local memory. */
struct call {
    const char *name;
    uint32_t groups, local;
    unsigned n_args;
    struct xk_launch_arg arg[3];
};

static enum xk_status call(const struct call *k, struct xk_launch_stats *stats)
{
    const uint32_t groups[3] = {k->groups, 1, 1}, local[3] = {k->local, 1, 1};
    return xk_launch(mod,
                     &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                              k->name, groups, local, k->n_args,
                                              k->arg},
                     stats, &err);
}

static const uint32_t four = 4;
static const uint64_t eight = 8;

static struct call good(void)
{
    return (struct call){
        "k",
        3,
        40,
        3,
        {{.buffer = buf}, {.value = &four, .size_b = 4}, {.size_b = 100}}};
}

START_TEST(a_launch_counts_what_it_did)
{
    struct xk_launch_stats s;
    const struct call k = good();
    ck_assert_msg(call(&k, &s) == XK_OK, "%s", err.message);
    ck_assert_uint_eq(s.groups, 3);
    ck_assert_uint_eq(s.threads, 9); /* 40 items are 3 SIMD16 threads */
    ck_assert_uint_eq(s.instructions, 18);
    ck_assert_uint_eq(s.sends, 9);
    ck_assert_uint_eq(s.fma, 0);
    ck_assert_uint_eq(s.syncs, 0);
    ck_assert_int_eq(call(&k, NULL), XK_OK);
}
END_TEST

START_TEST(wrong_launches_are_explained)
{
    struct call k = good();
    k.name = "nobody";
    ck_assert_int_eq(call(&k, NULL), XK_EINVAL);
    SAYS("'nobody'");
    k = good();
    k.n_args = 2;
    ck_assert_int_eq(call(&k, NULL), XK_EINVAL);
    SAYS("wants 3 arguments, 2 were given");
    k = good();
    k.arg[0].buffer = NULL;
    ck_assert_int_eq(call(&k, NULL), XK_EINVAL);
    SAYS("argument 0 is a pointer, but has no buffer");
    k = good();
    k.arg[1] = (struct xk_launch_arg){.value = &eight, .size_b = 8};
    ck_assert_int_eq(call(&k, NULL), XK_EINVAL);
    SAYS("argument 1 is a value of 4 bytes, a value of 8 was given");
    k.arg[1] = (struct xk_launch_arg){.buffer = buf};
    ck_assert_int_eq(call(&k, NULL), XK_EINVAL);
    SAYS("argument 1");
    k = good();
    k.arg[2] = (struct xk_launch_arg){.buffer = buf};
    ck_assert_int_eq(call(&k, NULL), XK_EINVAL);
    SAYS("argument 2 is local memory");
    k = good();
    k.arg[2].size_b = 64 << 10; /* and 2 KiB of the kernel's own */
    ck_assert_int_eq(call(&k, NULL), XK_EINVAL);
    SAYS("shared local memory");
}
END_TEST

/* A kernel that says how many work items a group has is not run with others. */
START_TEST(a_required_group_size_is_kept)
{
    static const struct zebin_parts parts = {
        .ze_info = "version: '1.0'\nkernels:\n  - name: k\n    execution_env:\n"
                   "      grf_count: 128\n      simd_size: 16\n"
                   "      required_work_group_size: [16, 2, 1]\n...\n"};
    static const uint32_t one[3] = {1, 1, 1}, other[3] = {2, 16, 1},
                          right[3] = {16, 2, 1};
    size_t n_b;
    xk_module *m;
    uint8_t *zebin = make_zebin(&parts, &n_b);
    ck_assert_int_eq(xk_module_create(dev, zebin, n_b, &m, &err), XK_OK);
    ck_assert_int_eq(
        xk_launch(m,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc), "k",
                                           one, right, 0, NULL},
                  NULL, &err),
        XK_OK);
    ck_assert_int_eq(
        xk_launch(m,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc), "k",
                                           one, other, 0, NULL},
                  NULL, &err),
        XK_EINVAL);
    SAYS("local=2,16,1: required_work_group_size is 16,2,1");
    xk_module_unref(m);
    free(zebin);
}
END_TEST

START_TEST(wrong_shapes_are_explained)
{
    struct call k = good();
    k.groups = 0;
    ck_assert_int_eq(call(&k, NULL), XK_EINVAL);
    SAYS("group count is 0 in x");
    k = good();
    k.local = 0;
    ck_assert_int_eq(call(&k, NULL), XK_EINVAL);
    SAYS("local size is 0 in x");
    k = good();
    k.local = 1025;
    ck_assert_int_eq(call(&k, NULL), XK_EINVAL);
    SAYS("1025");
    const uint32_t one[3] = {1, 1, 1};
    ck_assert_int_eq(
        xk_launch(mod,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc), NULL,
                                           one, one, 0, NULL},
                  NULL, &err),
        XK_EINVAL);
    ck_assert_int_eq(
        xk_launch(mod,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc), "k",
                                           one, one, 1, NULL},
                  NULL, &err),
        XK_EINVAL);
    ck_assert_int_eq(xk_launch(mod, NULL, NULL, &err), XK_EINVAL);
    SAYS("descriptor is NULL");
    const struct xk_launch_desc old = {
        .name = "k", .groups = one, .local = one};
    ck_assert_int_eq(xk_launch(mod, &old, NULL, &err), XK_EINVAL);
    SAYS("size is 0, need ");
}
END_TEST

/* Started, given back what it uses, and waited for twice. */
START_TEST(a_pending_launch_holds_what_it_uses)
{
    static const uint32_t groups[3] = {3, 1, 1}, local[3] = {40, 1, 1};
    struct xk_launch_stats s = {0}, again = {0};
    struct call k = good();
    xk_pending *p, *none = NULL;
    xk_buffer *b;
    ck_assert_int_eq(xk_buffer_create(dev, 64, &b, &err), XK_OK);
    k.arg[0].buffer = b;
    ck_assert_int_eq(
        xk_launch_start(mod,
                        &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                                 "k", groups, local, 3, k.arg},
                        &p, &err),
        XK_OK);
    xk_buffer_unref(b);
    ck_assert_int_eq(xk_pending_wait(p, &s, &err), XK_OK);
    ck_assert_int_eq(xk_pending_wait(p, &again, &err), XK_OK);
    ck_assert(s.groups == 3 && !memcmp(&s, &again, sizeof s));
    xk_pending_unref(p);
    k = good();
    ck_assert_int_eq(xk_launch_start(mod,
                                     &(struct xk_launch_desc){
                                         sizeof(struct xk_launch_desc),
                                         "nobody", groups, local, 3, k.arg},
                                     &none, &err),
                     XK_EINVAL);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(xk_pending_wait(NULL, &s, &err), XK_EINVAL);
    ck_assert_int_eq(
        xk_launch_start(mod,
                        &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                                 "k", groups, local, 3, k.arg},
                        NULL, &err),
        XK_EINVAL);
}
END_TEST

START_TEST(a_device_tells_what_it_is)
{
    struct xk_device_info i = {.size = sizeof i};
    uint32_t n = 0;
    ck_assert_int_eq(xk_device_count("sim", &n, &err), XK_OK);
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(xk_device_query("sim", &i, &err), XK_OK);
    ck_assert_str_eq(i.platform, ""); /* it can be any */
    ck_assert_int_eq(xk_device_get_info(dev, &i, &err), XK_OK);
    ck_assert_str_eq(i.platform, "xehpg");
    i.size = UINT32_MAX;
    ck_assert_int_eq(xk_device_get_info(dev, &i, &err), XK_EINVAL);
    SAYS("size is 4294967295");
    i.size = 0;
    ck_assert_int_eq(xk_device_get_info(dev, &i, &err), XK_EINVAL);
    SAYS("size is 0");
    ck_assert_int_eq(xk_device_query("sim:2", &i, &err), XK_EABSENT);
    ck_assert_int_eq(xk_device_count(NULL, &n, &err), XK_EINVAL);
}
END_TEST

START_TEST(buffers_of_other_devices_are_refused)
{
    xk_device *d;
    xk_buffer *b;
    ck_assert_int_eq(xk_device_create("sim", "xehpg", 1, &d, &err), XK_OK);
    ck_assert_int_eq(xk_buffer_create(d, 64, &b, &err), XK_OK);
    struct call k = good();
    k.arg[0].buffer = b;
    ck_assert_int_eq(call(&k, NULL), XK_EINVAL);
    SAYS("another device");
    xk_buffer_unref(b);
    xk_device_unref(d);
}
END_TEST

START_TEST(unref_of_nothing_is_nothing)
{
    xk_buffer_unref(NULL);
    xk_module_unref(NULL);
    xk_device_unref(NULL);
    xk_pending_unref(NULL);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("runtime");
    TCase *t = tcase_create("device");
    tcase_add_checked_fixture(t, open_device, close_device);
    tcase_add_loop_test(t, devices_that_are_not_there, 0,
                        sizeof(devices) / sizeof(devices[0]));
    tcase_add_test(t, buffers_keep_bytes_and_limits);
    tcase_add_test(t, addresses_come_back);
    tcase_add_test(t, modules_that_are_none);
    tcase_add_test(t, a_launch_counts_what_it_did);
    tcase_add_test(t, a_pending_launch_holds_what_it_uses);
    tcase_add_test(t, a_device_tells_what_it_is);
    tcase_add_test(t, wrong_launches_are_explained);
    tcase_add_test(t, a_required_group_size_is_kept);
    tcase_add_test(t, wrong_shapes_are_explained);
    tcase_add_test(t, buffers_of_other_devices_are_refused);
    tcase_add_test(t, unref_of_nothing_is_nothing);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
