/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a driver's answers: loaders that belong to these tests fail
 * where they are told to. Each call's failure becomes a status and a sentence
 * with function, code, and the driver's words; the clock's ticks become
 * nanoseconds; ids become platforms. Codes and names are the
 * specifications'. */
#include <stdio.h>
#include <string.h>

#include "tests/container/make_zebin.h"
#include "tests/tap.h"
#include "xekern/device.h"

static struct xk_error err;
static uint64_t device_ns;

/* All there is to do with a device, up to the first failure. */
static enum xk_status launch_one(xk_device *d, xk_buffer *b, xk_module *m)
{
    static const uint32_t one[3] = {1, 1, 1};
    const struct xk_launch_arg arg = {.buffer = b};
    struct xk_launch_stats s = {0};
    (void)d;
    const enum xk_status st =
        xk_launch(m,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc), "k",
                                           one, one, 1, &arg},
                  &s, &err);
    device_ns = s.device_ns;
    return st;
}

static enum xk_status do_all(const char *engine, const char *platform)
{
    xk_device *d;
    xk_buffer *b = NULL;
    xk_module *m = NULL;
    enum xk_status s = xk_device_create(engine, platform, 0, &d, &err);
    if (s >= 0)
        s = xk_buffer_create(d, 64, &b, &err);
    if (s >= 0)
        s = xk_buffer_write(b, 0, "abc", 4, &err);
    if (s >= 0)
        s = xk_module_create(d, "zebin", 5, &m, &err);
    if (s >= 0)
        s = launch_one(d, b, m);
    if (s >= 0)
        s = xk_buffer_read(b, 0, (char[4]){0}, 4, &err);
    xk_module_unref(m);
    xk_buffer_unref(b);
    xk_device_unref(d);
    return s;
}

static void forget(void)
{
    static const char *const names[] = {
        "FAKE_FAILS", "FAKE_ID",  "FAKE_IP",  "FAKE_CLOCK", "FAKE_BITS",
        "FAKE_START", "FAKE_END", "FAKE_LOG", "FAKE_WORDS", "FAKE_GROUP"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unsetenv(names[i]);
    memset(&err, 0, sizeof err);
}

static const struct {
    const char *engine, *fails;
    enum xk_status status;
    const char *says;
} failures[] = {
    {"ze", "zeInit=0x78000001", XK_EABSENT,
     "ze: zeInit: ZE_RESULT_ERROR_UNINITIALIZED (0x78000001), there is no"},
    {"ze", "zeInit=0x70010000", XK_EABSENT,
     "ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS (0x70010000)"},
    {"ze", "zeContextCreate=0x70000002", XK_ENOMEM,
     "ze: zeContextCreate: ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY (0x70000002)"},
    {"ze", "zeCommandListCreateImmediate=0x70000001", XK_EDEVICE,
     "zeCommandListCreateImmediate: ZE_RESULT_ERROR_DEVICE_LOST"},
    {"ze", "zeMemAllocDevice=0x70000003", XK_ENOMEM,
     "zeMemAllocDevice: ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY (0x70000003), not "
     "enough memory on the device: the words; a buffer of 64 bytes"},
    {"ze", "zeMemAllocDevice=0x78000009", XK_EUNSUPPORTED,
     "ZE_RESULT_ERROR_UNSUPPORTED_SIZE"},
    {"ze", "zeEventPoolCreate=0x70000003", XK_ENOMEM, "zeEventPoolCreate: "},
    {"ze", "zeCommandListAppendMemoryCopy=0x7800001a", XK_EINVAL,
     "ZE_RESULT_ERROR_OVERLAPPING_REGIONS"},
    {"ze", "zeModuleCreate=0x70000004", XK_EDEVICE,
     "zeModuleCreate: ZE_RESULT_ERROR_MODULE_BUILD_FAILURE (0x70000004), the "
     "module could not be built: the words; the build log: line 1 is wrong"},
    {"ze", "zeModuleCreate=0x7800000f", XK_EDEVICE,
     "ZE_RESULT_ERROR_INVALID_NATIVE_BINARY"},
    {"ze", "zeKernelCreate=0x78000011", XK_EINVAL,
     "zeKernelCreate k: ZE_RESULT_ERROR_INVALID_KERNEL_NAME"},
    {"ze", "zeKernelSetGroupSize=0x78000013", XK_EINVAL,
     "ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION"},
    {"ze", "zeKernelSetArgumentValue=0x78000016", XK_EINVAL,
     "k argument 0: ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE"},
    {"ze", "zeCommandListAppendLaunchKernel=0x70000001", XK_EDEVICE,
     "zeCommandListAppendLaunchKernel k: ZE_RESULT_ERROR_DEVICE_LOST"},
    {"ze", "zeEventHostSynchronize=0x70000001", XK_EDEVICE,
     "zeEventHostSynchronize: ZE_RESULT_ERROR_DEVICE_LOST (0x70000001), the "
     "device hung, was reset or was removed, or its driver was replaced: the "
     "words"},
    {"ze", "zeEventQueryKernelTimestamp=0x7ffffffe", XK_EDEVICE,
     "ZE_RESULT_ERROR_UNKNOWN"},
    {"ze", "zeEventHostReset=0x12345", XK_EDEVICE,
     "zeEventHostReset: an unknown code (0x00012345)"},
    {"ocl", "clGetPlatformIDs=-1001", XK_EABSENT,
     "ocl: clGetPlatformIDs: CL_PLATFORM_NOT_FOUND_KHR (-1001)"},
    {"ocl", "clGetDeviceIDs=-1", XK_EABSENT, "no Intel GPU among"},
    {"ocl", "clCreateContext=-6", XK_ENOMEM, "CL_OUT_OF_HOST_MEMORY (-6)"},
    {"ocl", "clCreateCommandQueue=-2", XK_EABSENT,
     "clCreateCommandQueue: CL_DEVICE_NOT_AVAILABLE (-2)"},
    {"ocl", "clCreateBuffer=-4", XK_ENOMEM,
     "clCreateBuffer of 64 bytes: CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)"},
    {"ocl", "clCreateBuffer=-61", XK_EUNSUPPORTED, "CL_INVALID_BUFFER_SIZE"},
    {"ocl", "clEnqueueWriteBuffer=-5", XK_EDEVICE, "CL_OUT_OF_RESOURCES (-5)"},
    {"ocl", "clCreateProgramWithBinary=-42", XK_EDEVICE,
     "clCreateProgramWithBinary: CL_INVALID_BINARY (-42)"},
    {"ocl", "clBuildProgram=-11", XK_EDEVICE,
     "clBuildProgram: CL_BUILD_PROGRAM_FAILURE (-11); the build log: line 1 is "
     "wrong"},
    {"ocl", "clCreateKernel=-46", XK_EINVAL,
     "clCreateKernel k: CL_INVALID_KERNEL_NAME (-46)"},
    {"ocl", "clSetKernelArg=-51", XK_EINVAL,
     "k argument 0: CL_INVALID_ARG_SIZE"},
    {"ocl", "clEnqueueNDRangeKernel=-54", XK_EINVAL,
     "clEnqueueNDRangeKernel k: CL_INVALID_WORK_GROUP_SIZE (-54)"},
    {"ocl", "clWaitForEvents=-14", XK_EDEVICE,
     "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST (-14)"},
    {"ocl", "clGetEventProfilingInfo=-7", XK_EDEVICE,
     "CL_PROFILING_INFO_NOT_AVAILABLE (-7)"},
    {"ocl", "clEnqueueReadBuffer=-9999", XK_EDEVICE, "an unknown code (-9999)"},
};

START_TEST(a_failure_becomes_status_and_sentence)
{
    forget();
    setenv("FAKE_FAILS", failures[_i].fails, 1);
    setenv("FAKE_LOG", "line 1 is wrong", 1);
    setenv("FAKE_WORDS", "the words", 1);
    ck_assert_int_eq(do_all(failures[_i].engine, NULL), failures[_i].status);
    ck_assert_int_eq(err.status, failures[_i].status);
    ck_assert_msg(strstr(err.message, failures[_i].says), "'%s' is not in '%s'",
                  failures[_i].says, err.message);
}
END_TEST

/* A build log that is longer than a message is cut. */
START_TEST(a_long_build_log_is_cut)
{
    static char log[3000];
    memset(log, 'x', sizeof log - 1);
    forget();
    setenv("FAKE_FAILS", "zeModuleCreate=0x70000004", 1);
    setenv("FAKE_LOG", log, 1);
    ck_assert_int_eq(do_all("ze", NULL), XK_EDEVICE);
    ck_assert_uint_eq(strlen(err.message), sizeof err.message - 1);
}
END_TEST

/* 12.5 MHz; nanoseconds a tick; a counter of 32 bits that wrapped; one of 64.
 */
static const struct {
    const char *engine, *clock, *bits, *start, *end;
    uint64_t ns;
} times[] = {
    {"ze", "12500000", "32", "100", "132", 32 * 80},
    {"ze", "12500000", "32", "0xfffffff0", "0x10", 32 * 80},
    {"ze", "83", "32", "0xfffffff0", "0x10", 32 * 83},
    {"ze", "19200000", "36", "0xfffffff00", "0x300", 53333},
    {"ze", "1000000000", "64", "0xfffffffffffffff0", "5", 21},
    {"ocl", "0", "0", "1000", "4500000000", UINT64_C(4499999000)},
};

START_TEST(ticks_become_nanoseconds)
{
    forget();
    setenv("FAKE_CLOCK", times[_i].clock, 1);
    setenv("FAKE_BITS", times[_i].bits, 1);
    setenv("FAKE_START", times[_i].start, 1);
    setenv("FAKE_END", times[_i].end, 1);
    ck_assert_msg(do_all(times[_i].engine, NULL) == XK_OK, "%s", err.message);
    ck_assert_uint_eq(device_ns, times[_i].ns);
}
END_TEST

/* An Arc A770, a Max 1100, a Tiger Lake; a newer id with a known core, one
 * without; and what the caller claims of it. */
static const struct {
    const char *engine, *id, *ip, *asked, *platform; /* NULL: refused */
} ids[] = {
    {"ze", "0x56a0", "0", NULL, "xehpg"},
    {"ze", "0x0bda", "0", NULL, "xehpc"},
    {"ze", "0x9a49", "0", NULL, "xelp"},
    {"ze", "0x56a0", "0", "xehpg", "xehpg"},
    {"ze", "0x56a0", "0", "xehpc", NULL},
    {"ze", "0x1234", "0", NULL, NULL},
    {"ze", "0x1234", "0", "xehpc", "xehpc"},
    {"ze", "0x1234", "0", "voodoo", NULL},
    {"ocl", "0x56a0", "0", NULL, "xehpg"},
    {"ocl", "0x1234", "0x030e0005", NULL, "xehpg"}, /* 12.56.5 */
    {"ocl", "0x1234", "0x030f0007", NULL, "xehpc"}, /* 12.60.7 */
    {"ocl", "0x1234", "0x05004000", NULL, NULL},    /* 20.1.0, Xe2 */
    {"ocl", "0x7d55", "0", NULL, NULL},             /* Meteor Lake */
};

START_TEST(ids_become_platforms)
{
    struct xk_device_info info = {.size = sizeof info};
    xk_device *d;
    forget();
    setenv("FAKE_ID", ids[_i].id, 1);
    setenv("FAKE_IP", ids[_i].ip, 1);
    const enum xk_status s =
        xk_device_create(ids[_i].engine, ids[_i].asked, 0, &d, &err);
    ck_assert_int_eq(s, ids[_i].platform ? XK_OK : XK_EINVAL);
    if (ids[_i].platform) {
        ck_assert_int_eq(xk_device_get_info(d, &info, &err), XK_OK);
        ck_assert_str_eq(info.platform, ids[_i].platform);
        xk_device_unref(d);
    }
}
END_TEST

/* A buffer may be larger than a surface can be, but then it is none. */
START_TEST(a_surface_has_a_limit)
{
    static const char info[] = "version: '1.0'\nkernels:\n  - name: k\n"
                               "    execution_env:\n      simd_size: 16\n"
                               "      grf_count: 128\n"
                               "    payload_arguments:\n"
                               "      - arg_type: arg_bypointer\n"
                               "        offset: 0\n        size: 0\n"
                               "        arg_index: 0\n"
                               "        addrmode: stateful\n"
                               "        addrspace: global\n"
                               "        access_type: readwrite\n"
                               "    binding_table_indices:\n"
                               "      - bti_value: 0\n"
                               "        arg_index: 0\n";
    static const uint32_t one[3] = {1, 1, 1};
    struct xk_launch_arg a = {.value = NULL};
    xk_device *d;
    xk_module *m;
    size_t n_b;
    forget();
    uint8_t *const zebin =
        make_zebin(&(struct zebin_parts){.ze_info = info}, &n_b);
    ck_assert_int_eq(xk_device_create("ze", NULL, 0, &d, &err), XK_OK);
    ck_assert_msg(xk_module_create(d, zebin, n_b, &m, &err) == XK_OK, "%s",
                  err.message);
    free(zebin);
    ck_assert_int_eq(xk_buffer_create(d, 0xf0000001u, &a.buffer, &err), XK_OK);
    ck_assert_int_eq(
        xk_launch(m,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc), "k",
                                           one, one, 1, &a},
                  NULL, &err),
        XK_EUNSUPPORTED);
    ck_assert_msg(strstr(err.message, "argument 0 is a surface") &&
                      strstr(err.message, "4026531841"),
                  "%s", err.message);
    xk_buffer_unref(a.buffer);
    ck_assert_int_eq(xk_buffer_create(d, 0xf0000000u, &a.buffer, &err), XK_OK);
    ck_assert_msg(
        xk_launch(m,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc), "k",
                                           one, one, 1, &a},
                  NULL, &err) == XK_OK,
        "%s", err.message);
    xk_buffer_unref(a.buffer);
    xk_module_unref(m);
    xk_device_unref(d);
}
END_TEST

/* What a platform's dispatch cannot have does not reach a driver, which has no
 * word for half of it (FAKE_ID 0x56a0 is DG2, 0x0bd5 PVC, 0x9a49 TGL). */
static const struct {
    const char *id, *env;
    uint32_t local[3], slm_b; /* of argument 0 */
    const char *says;         /* NULL: runs */
} dispatches[] = {
    {"0x56a0", "simd_size: 16\n      grf_count: 128", {1024, 1, 1}, 64, NULL},
    {"0x56a0", "simd_size: 8\n      grf_count: 128", {8, 128, 1}, 64, NULL},
    {"0x56a0",
     "simd_size: 16\n      grf_count: 128",
     {2048, 1, 1},
     64,
     "work items of a group=2048, but DG2-G10 takes at most 1024"},
    {"0x56a0",
     "simd_size: 16\n      grf_count: 256",
     {16, 33, 1},
     64,
     "work items of a group=528, but DG2-G10 takes at most 512"},
    {"0x56a0",
     "simd_size: 16\n      grf_count: 128",
     {16, 129, 1},
     64,
     "threads of 128 registers in a group=129, but DG2-G10 takes at most 128"},
    {"0x56a0",
     "simd_size: 16\n      grf_count: 128",
     {17, 65, 1},
     64,
     "group=130,"},
    {"0x56a0",
     "simd_size: 16\n      grf_count: 256",
     {16, 65, 1},
     64,
     "threads of 256 registers in a group=65,"},
    {"0x56a0",
     "simd_size: 16\n      grf_count: 128",
     {16, 1, 1},
     65537,
     "bytes of shared local memory=65537"},
    {"0x56a0",
     "simd_size: 16\n      grf_count: 128\n      slm_size: 65472",
     {16, 1, 1},
     65,
     "bytes of shared local memory=65537"},
    {"0x56a0",
     "simd_size: 16\n      grf_count: 128\n      barrier_count: 2",
     {16, 1, 1},
     64,
     "barriers=2, but DG2-G10 takes at most 1"},
    {"0x0bd5",
     "simd_size: 16\n      grf_count: 128\n      barrier_count: 32",
     {16, 1, 1},
     64,
     NULL},
    {"0x0bd5",
     "simd_size: 16\n      grf_count: 128",
     {16, 65, 1},
     64,
     "group=65, but PVC-XL takes at most 64"},
    {"0x9a49",
     "simd_size: 16\n      grf_count: 256",
     {16, 1, 1},
     64,
     "grf_count=256, but TGL takes at most 128"},
};

START_TEST(a_dispatch_has_limits)
{
    char info[900];
    static const uint32_t one[3] = {1, 1, 1};
    const struct xk_launch_arg a = {.size_b = dispatches[_i].slm_b};
    xk_device *d;
    xk_module *m;
    size_t n_b;
    forget();
    setenv("FAKE_ID", dispatches[_i].id, 1);
    snprintf(info, sizeof info,
             "version: '1.0'\nkernels:\n  - name: k\n"
             "    execution_env:\n      %s\n"
             "    payload_arguments:\n"
             "      - arg_type: arg_bypointer\n        offset: 0\n"
             "        size: 8\n        arg_index: 0\n"
             "        addrmode: slm\n        addrspace: local\n"
             "        access_type: readwrite\n",
             dispatches[_i].env);
    uint8_t *const zebin =
        make_zebin(&(struct zebin_parts){.ze_info = info}, &n_b);
    ck_assert_int_eq(xk_device_create("ze", NULL, 0, &d, &err), XK_OK);
    ck_assert_msg(xk_module_create(d, zebin, n_b, &m, &err) == XK_OK, "%s",
                  err.message);
    free(zebin);
    const enum xk_status s =
        xk_launch(m,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc), "k",
                                           one, dispatches[_i].local, 1, &a},
                  NULL, &err);
    ck_assert_msg(s == (dispatches[_i].says ? XK_EINVAL : XK_OK), "%d %s",
                  (int)s, err.message);
    if (dispatches[_i].says)
        ck_assert_msg(strstr(err.message, dispatches[_i].says), "%s",
                      err.message);
    xk_module_unref(m);
    xk_device_unref(d);
}
END_TEST

START_TEST(a_device_without_compute_queues_is_none)
{
    forget();
    setenv("FAKE_GROUP", "2", 1); /* only copies */
    ck_assert_int_eq(do_all("ze", NULL), XK_EABSENT);
    ck_assert_msg(strstr(err.message, "runs kernels"), "%s", err.message);
}
END_TEST

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

int main(void)
{
    Suite *const s = suite_create("driver_words");
    TCase *const t = tcase_create("driver_words");
    tcase_add_loop_test(t, a_failure_becomes_status_and_sentence, 0,
                        N(failures));
    tcase_add_test(t, a_long_build_log_is_cut);
    tcase_add_loop_test(t, ticks_become_nanoseconds, 0, N(times));
    tcase_add_loop_test(t, ids_become_platforms, 0, N(ids));
    tcase_add_test(t, a_surface_has_a_limit);
    tcase_add_loop_test(t, a_dispatch_has_limits, 0, N(dispatches));
    tcase_add_test(t, a_device_without_compute_queues_is_none);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
