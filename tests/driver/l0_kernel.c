/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel may need: local memory and barriers, a stack, many registers,
 * ids in three dimensions, group counts from memory; and modules of all
 * formats, the library's own among them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/driver/l0_host.h"
#include "xekern/xekern.h"

/* From SPIR-V by the driver's compiler, from the compiler's zebin, and with
 * 256 registers. */
static ze_module_handle_t make_module(int which)
{
    return l0_module(&l0_here, which != 1,
                     which == 2 ? "-ze-opt-large-register-file" : "");
}
enum { N_MODULES = 3 };

static void run(ze_kernel_handle_t k, uint32_t groups)
{
    struct l0_list l;
    l0_begin(&l, &l0_here, false, l0_here.compute);
    l0_launch(&l, k, groups, NULL, 0, NULL);
    l0_finish(&l);
    l0_end(&l);
    L0(zeKernelDestroy(k));
}

START_TEST(groups_exchange_through_local_memory)
{
    static const uint32_t locals[] = {1, 2, 16, 30, 64, 100, 256, 512, 1024};
    enum { N = sizeof locals / sizeof locals[0], GROUPS = 3 };
    ze_module_handle_t m = make_module(_i / N);
    const uint32_t n = locals[_i % N];
    ze_device_compute_properties_t most = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    L0(zeDeviceGetComputeProperties(l0_here.device, &most));
    ck_assert_uint_ge(most.maxTotalGroupSize, 512);
    if (n > most.maxTotalGroupSize) {
        L0(zeModuleDestroy(m));
        return;
    }
    int *const a = l0_alloc(&l0_here, L0_SHARED, sizeof(int) * n * GROUPS);
    const struct l0_arg args[] = {L0_POINTER(a), {NULL, sizeof(int) * n}};
    for (uint32_t i = 0; i < n * GROUPS; i++)
        a[i] = (int)i;
    run(l0_kernel(m, "mirror", n, 2, args), GROUPS);
    for (uint32_t i = 0; i < n * GROUPS; i++)
        ck_assert_int_eq(a[i], (int)(i / n * n + n - 1 - i % n));
    l0_free(&l0_here, a);
    L0(zeModuleDestroy(m));
}
END_TEST

/* The kernel's own words, on the host. */
static int stack_of(int i, int n)
{
    int t[256], s = 0;
    for (int k = 0; k < n; k++)
        t[(k * 7 + i) & 255] = k + i;
    for (int k = 0; k < n; k++)
        s += t[k] * (k ^ i);
    return s;
}

START_TEST(private_arrays_lie_in_each_items_scratch)
{
    enum { N_E = 4096 };
    static const int n = 256; /* every element of the array is written */
    ze_module_handle_t m = make_module(_i);
    int *const a = l0_alloc(&l0_here, L0_SHARED, sizeof(int) * N_E);
    const struct l0_arg args[] = {L0_POINTER(a), L0_VALUE(n)};
    run(l0_kernel(m, "stack", 64, 2, args), N_E / 64);
    for (int i = 0; i < N_E; i++)
        ck_assert_int_eq(a[i], stack_of(i, n));
    l0_free(&l0_here, a);
    L0(zeModuleDestroy(m));
}
END_TEST

static const struct {
    uint32_t local[3], groups[3];
} shapes[] = {
    {{5, 3, 2}, {2, 3, 4}},  {{7, 1, 1}, {3, 1, 1}},   {{16, 4, 1}, {2, 2, 1}},
    {{1, 1, 1}, {3, 2, 2}},  {{8, 8, 8}, {1, 2, 1}},   {{1, 5, 33}, {2, 1, 2}},
    {{32, 1, 1}, {1, 1, 9}}, {{3, 100, 1}, {2, 2, 1}}, {{2, 16, 3}, {1, 1, 3}},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

static uint32_t volume(const uint32_t v[3])
{
    return v[0] * v[1] * v[2];
}

/* Item l of group g, as the kernel numbers both. */
static uint32_t where_of(int s, uint32_t g, uint32_t l)
{
    static const uint32_t weight[3] = {1, 100, 10000};
    uint32_t sum = 0;
    for (unsigned d = 0; d < 3; d++) {
        const uint32_t n = shapes[s].groups[d], m = shapes[s].local[d];
        sum += (g % n * m + l % m) * weight[d];
        g /= n;
        l /= m;
    }
    return sum;
}

static void check_where(const uint32_t *a, int s)
{
    const uint32_t n = volume(shapes[s].local);
    for (uint32_t i = 0; i < n * volume(shapes[s].groups); i++)
        ck_assert_msg(a[i] == where_of(s, i / n, i % n),
                      "group %u, item %u: %u", i / n, i % n, a[i]);
}

/* Group counts: in the command (0), from memory (1), from memory for all of
 * several kernels (2). */
static void append_where(struct l0_list *l, ze_kernel_handle_t k, int how,
                         ze_group_count_t *count, uint32_t *one)
{
    if (how == 0)
        L0(zeCommandListAppendLaunchKernel(l->list, k, count, NULL, 0, NULL));
    else if (how == 1)
        L0(zeCommandListAppendLaunchKernelIndirect(l->list, k, count, NULL, 0,
                                                   NULL));
    else
        L0(zeCommandListAppendLaunchMultipleKernelsIndirect(
            l->list, 1, &k, one, count, NULL, 0, NULL));
}

START_TEST(items_know_where_they_are)
{
    const int s = _i % N_SHAPES;
    const uint32_t *const n = shapes[s].local;
    const size_t n_e = volume(n) * volume(shapes[s].groups);
    uint32_t *const a = l0_alloc(&l0_here, L0_SHARED, 4 * n_e);
    ze_group_count_t *const count =
        l0_alloc(&l0_here, L0_SHARED, sizeof *count);
    uint32_t *const one = l0_alloc(&l0_here, L0_SHARED, sizeof *one);
    const struct l0_arg args[] = {L0_POINTER(a)};
    struct l0_list l;
    ze_kernel_handle_t k = l0_kernel(l0_here.module, "where", 1, 1, args);
    L0(zeKernelSetGroupSize(k, n[0], n[1], n[2]));
    memset(a, 0xff, 4 * n_e);
    memcpy(count, shapes[s].groups, sizeof *count);
    *one = 1;
    l0_begin(&l, &l0_here, false, l0_here.compute);
    append_where(&l, k, _i / N_SHAPES, count, one);
    l0_finish(&l);
    check_where(a, s);
    l0_end(&l);
    L0(zeKernelDestroy(k));
    l0_free(&l0_here, a);
    l0_free(&l0_here, count);
    l0_free(&l0_here, one);
}
END_TEST

/* As many of two kernels run as a number in memory says. */
START_TEST(kernels_behind_the_count_do_not_run)
{
    enum { S = 2 }; /* a shape */
    const uint32_t *const n = shapes[S].local;
    const size_t n_e = volume(n) * volume(shapes[S].groups);
    uint32_t *a[2], *const many = l0_alloc(&l0_here, L0_SHARED, sizeof *many);
    ze_group_count_t *const count =
        l0_alloc(&l0_here, L0_SHARED, 2 * sizeof *count);
    ze_kernel_handle_t k[2];
    struct l0_list l;
    for (unsigned i = 0; i < 2; i++) {
        a[i] = l0_alloc(&l0_here, L0_SHARED, 4 * n_e);
        const struct l0_arg args[] = {L0_POINTER(a[i])};
        k[i] = l0_kernel(l0_here.module, "where", 1, 1, args);
        L0(zeKernelSetGroupSize(k[i], n[0], n[1], n[2]));
        memset(a[i], 0xff, 4 * n_e);
        memcpy(&count[i], shapes[S].groups, sizeof *count);
    }
    *many = (uint32_t)_i;
    l0_begin(&l, &l0_here, false, l0_here.compute);
    L0(zeCommandListAppendLaunchMultipleKernelsIndirect(l.list, 2, k, many,
                                                        count, NULL, 0, NULL));
    l0_finish(&l);
    for (int i = 0; i < 2; i++) {
        if (i < _i)
            check_where(a[i], S);
        for (size_t e = 0; i >= _i && e < n_e; e++)
            ck_assert_uint_eq(a[i][e], UINT32_MAX);
    }
    l0_end(&l);
    for (unsigned i = 0; i < 2; i++) {
        L0(zeKernelDestroy(k[i]));
        l0_free(&l0_here, a[i]);
    }
    l0_free(&l0_here, count);
    l0_free(&l0_here, many);
}
END_TEST

/* Dwords at addresses that are multiples of 4 only. */
START_TEST(vectors_are_stored_at_any_element)
{
    uint32_t *const a = l0_alloc(&l0_here, L0_SHARED, 16 * 4);
    uint32_t *const b = l0_alloc(&l0_here, L0_SHARED, 8 * 4);
    const struct l0_arg args[] = {L0_POINTER(a), L0_POINTER(b)};
    memset(a, 0, 16 * 4);
    for (uint32_t i = 0; i < 8; i++)
        b[i] = 100 + i;
    run(l0_kernel(l0_here.module, "pair", 1, 2, args), 4);
    for (uint32_t i = 0; i < 13; i++)
        ck_assert_uint_eq(a[i], i % 3 ? 100 + i / 3 * 2 + i % 3 - 1 : 0);
    l0_free(&l0_here, a);
    l0_free(&l0_here, b);
}
END_TEST

START_TEST(atomics_count_every_item)
{
    int *const n = l0_alloc(&l0_here, L0_SHARED, sizeof *n);
    const struct l0_arg args[] = {L0_POINTER(n)};
    *n = 5;
    run(l0_kernel(l0_here.module, "tally", 100, 1, args), 77);
    ck_assert_int_eq(*n, 5 + 7700);
    l0_free(&l0_here, n);
}
END_TEST

START_TEST(constants_of_the_module_are_read)
{
    static const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
    ze_module_handle_t m = make_module(_i);
    int *const a = l0_alloc(&l0_here, L0_SHARED, sizeof(int) * 64);
    const struct l0_arg args[] = {L0_POINTER(a)};
    for (int i = 0; i < 64; i++)
        a[i] = i * 5;
    run(l0_kernel(m, "lookup", 32, 1, args), 2);
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(a[i], primes[i * 5 % 8]);
    l0_free(&l0_here, a);
    L0(zeModuleDestroy(m));
}
END_TEST

/* A whole convolution, 1 x 8 x 6 x 6 with 3 x 3 taps, written as sums. */
enum { IC = 8, OC = 16, SIDE = 6 };

static float input(int c, int y, int x)
{
    return y < 0 || x < 0 || y >= SIDE || x >= SIDE
               ? 0
               : (float)((c * 5 + y * 3 + x) % 7 - 3);
}

static float weight(int o, int c, int ky, int kx)
{
    return (float)((o * 3 + c * 5 + ky + 2 * kx) % 5 - 2);
}

static float convolved(int o, int y, int x)
{
    float s = 0;
    for (int c = 0; c < IC; c++)
        for (int ky = 0; ky < 3; ky++)
            for (int kx = 0; kx < 3; kx++)
                s += input(c, y + ky - 1, x + kx - 1) * weight(o, c, ky, kx);
    return s;
}

/* XK_OK or the reason why the library has no kernel for the platform. */
static enum xk_status make_program(xk_program **p, struct xk_error *err)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    d.platform = !strcmp(l0_here.platform, "xehpc")  ? XK_PLATFORM_XEHPC
                 : !strcmp(l0_here.platform, "xelp") ? XK_PLATFORM_XELP
                                                     : XK_PLATFORM_XEHPG;
    d.prop = XK_FWD_D;
    d.src_type = d.wei_type = d.dst_type = XK_F32;
    strcpy(d.src_tag, "abx");
    strcpy(d.wei_tag, "abx");
    strcpy(d.dst_tag, "abx");
    const enum xk_status st =
        xk_conv_desc_parse("mb1ic8ih6oc16oh6kh3ph1", &d, NULL, 0, err);
    return st < 0 ? st : xk_conv_create(&d, NULL, p, err);
}

/* One buffer for each argument, source and weights filled. */
static void *make_tensor(const xk_program *p, uint32_t t)
{
    const uint64_t n_b = xk_program_info(p)->tensor[t].size_b;
    float *const m = l0_alloc(&l0_here, L0_SHARED, n_b);
    memset(m, 0, n_b);
    for (int i = 0; t == XK_ARG_SRC && i < IC * SIDE * SIDE; i++)
        m[i] = input(i / (SIDE * SIDE), i / SIDE % SIDE, i % SIDE);
    for (int i = 0; t == XK_ARG_WEI && i < OC * IC * 9; i++)
        m[i] = weight(i / (IC * 9), i / 9 % IC, i / 3 % 3, i % 3);
    return m;
}

static ze_module_handle_t load(const struct xk_launch_info *l)
{
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = l->zebin_b,
                                   .pInputModule = l->zebin};
    ze_module_handle_t m = NULL;
    L0(zeModuleCreate(l0_here.context, l0_here.device, &desc, &m, NULL));
    return m;
}

START_TEST(the_librarys_own_zebin_computes)
{
    struct xk_error err = {0};
    xk_program *p = NULL;
    void *memory[XK_MAX_LAUNCH_ARGS] = {NULL};
    struct l0_arg args[XK_MAX_LAUNCH_ARGS];
    const float *dst = NULL;
    struct l0_list list;
    const enum xk_status st = make_program(&p, &err);
    if (st == XK_EUNSUPPORTED) {
        printf("# no kernel for %s: %s\n", l0_here.platform, err.message);
        return;
    }
    ck_assert_msg(st >= 0, "%s", err.message);
    const struct xk_launch_info *const l = xk_program_launch(p, 0);
    ze_module_handle_t m = load(l);
    for (uint32_t i = 0; i < l->n_args; i++) {
        memory[i] = make_tensor(p, l->args[i].tensor);
        args[i] = (struct l0_arg)L0_POINTER(memory[i]);
        if (l->args[i].tensor == XK_ARG_DST)
            dst = memory[i];
    }
    ze_kernel_handle_t k = l0_kernel(m, l->kernel, 0, l->n_args, args);
    const ze_group_count_t count = {l->groups[0], l->groups[1], l->groups[2]};
    L0(zeKernelSetGroupSize(k, l->local[0], l->local[1], l->local[2]));
    l0_begin(&list, &l0_here, false, l0_here.compute);
    L0(zeCommandListAppendLaunchKernel(list.list, k, &count, NULL, 0, NULL));
    l0_finish(&list);
    for (int i = 0; i < OC * SIDE * SIDE; i++)
        ck_assert_float_eq(
            dst[i], convolved(i / (SIDE * SIDE), i / SIDE % SIDE, i % SIDE));
    l0_end(&list);
    L0(zeKernelDestroy(k));
    L0(zeModuleDestroy(m));
    for (uint32_t i = 0; i < l->n_args; i++)
        l0_free(&l0_here, memory[i]);
    xk_program_unref(p);
}
END_TEST

/* Half a zebin; SPIR-V whose instructions are not. */
START_TEST(a_broken_module_is_refused)
{
    size_t n_b = 0;
    uint8_t *const bytes = l0_compile(&l0_here, _i, &n_b);
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = _i ? ZE_MODULE_FORMAT_IL_SPIRV
                                                : ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = _i ? n_b : n_b / 2,
                                   .pInputModule = bytes};
    ze_module_handle_t m = NULL;
    if (_i)
        memset(bytes + 20, 0xff, n_b - 20); /* behind the header */
    ck_assert_int_ne(
        zeModuleCreate(l0_here.context, l0_here.device, &desc, &m, NULL),
        ZE_RESULT_SUCCESS);
    free(bytes);
}
END_TEST

TCase *l0_kernel_tests(void)
{
    TCase *const t = tcase_create("kernel");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, groups_exchange_through_local_memory, 0,
                        N_MODULES * 9);
    tcase_add_loop_test(t, private_arrays_lie_in_each_items_scratch, 0,
                        N_MODULES);
    tcase_add_loop_test(t, items_know_where_they_are, 0, 3 * N_SHAPES);
    tcase_add_loop_test(t, kernels_behind_the_count_do_not_run, 0, 3);
    tcase_add_test(t, vectors_are_stored_at_any_element);
    tcase_add_test(t, atomics_count_every_item);
    tcase_add_loop_test(t, constants_of_the_module_are_read, 0, N_MODULES);
    tcase_add_test(t, the_librarys_own_zebin_computes);
    tcase_add_loop_test(t, a_broken_module_is_refused, 0, 2);
    return t;
}
