/* SPDX-License-Identifier: Apache-2.0 */
/* A program of several launches through Level Zero's own calls: one module, all
 * scratch in one allocation, barriers between the launches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "l0_host.h"

struct memory {
    void *arg[CHAIN_ARGS];
    uint8_t *scratch;
};

static ze_module_handle_t load(const xk_program *p)
{
    const struct xk_launch_info *const l = xk_program_launch(p, 0);
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = l->zebin_b,
                                   .pInputModule = l->zebin};
    ze_module_handle_t m = NULL;
    L0(zeModuleCreate(l0_here.context, l0_here.device, &desc, &m, NULL));
    return m;
}

static void fill(const xk_program *p, struct memory *m)
{
    const struct xk_launch_list *const l = xk_program_launches(p);
    const ze_device_mem_alloc_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *scratch = NULL;
    for (uint32_t i = 0; i < CHAIN_ARGS; i++) {
        float *const data = chain_data(p, i);
        m->arg[i] = l0_alloc(&l0_here, L0_SHARED, l->args[i].size_b);
        memcpy(m->arg[i], data, l->args[i].size_b);
        free(data);
    }
    L0(zeMemAllocDevice(l0_here.context, &desc, l->scratch_b,
                        l->scratch_align_b, l0_here.device, &scratch));
    m->scratch = scratch;
}

/* A kernel with its arguments, as the program says. */
static ze_kernel_handle_t prepare(ze_module_handle_t module,
                                  const struct xk_launch_list *l,
                                  const struct xk_launch_step *s,
                                  const struct memory *m)
{
    struct l0_arg args[XK_MAX_LAUNCH_ARGS];
    void *at[XK_MAX_LAUNCH_ARGS];
    for (uint32_t i = 0; i < s->n_args; i++) {
        const struct xk_launch_arg_info *const a = &s->args[i];
        ck_assert_uint_le(a->binding, XK_BIND_SCRATCH);
        at[i] = a->binding == XK_BIND_TENSOR
                    ? m->arg[a->number]
                    : m->scratch + l->scratch[a->number].offset_b;
        args[i] = (struct l0_arg)L0_POINTER(at[i]);
    }
    ze_kernel_handle_t k = l0_kernel(module, s->kernel, 0, s->n_args, args);
    L0(zeKernelSetGroupSize(k, s->local[0], s->local[1], s->local[2]));
    return k;
}

static void launch_all(const struct xk_launch_list *l,
                       ze_module_handle_t module, const struct memory *m,
                       bool immediate)
{
    ze_kernel_handle_t kernel[XK_MAX_LAUNCHES];
    struct l0_list list;
    l0_begin(&list, &l0_here, immediate, l0_here.compute);
    for (uint32_t i = 0; i < l->n_launches; i++) {
        const struct xk_launch_step *const s = &l->launches[i];
        const ze_group_count_t count = {s->groups[0], s->groups[1],
                                        s->groups[2]};
        kernel[i] = prepare(module, l, s, m);
        L0(zeCommandListAppendLaunchKernel(list.list, kernel[i], &count, NULL,
                                           0, NULL));
        L0(zeCommandListAppendBarrier(list.list, NULL, 0, NULL));
    }
    l0_finish(&list);
    l0_end(&list);
    for (uint32_t i = 0; i < l->n_launches; i++)
        L0(zeKernelDestroy(kernel[i]));
}

START_TEST(a_program_of_several_launches_computes)
{
    struct xk_error err = {0};
    struct memory m;
    xk_program *p = NULL;
    const enum xk_status st = chain_make(l0_here.platform, &p, &err);
    if (st == XK_EUNSUPPORTED) {
        printf("# no kernels for %s: %s\n", l0_here.platform, err.message);
        return;
    }
    ck_assert_msg(st >= 0, "%s", err.message);
    const struct xk_launch_list *const l = xk_program_launches(p);
    ck_assert_uint_eq(l->n_launches, 3);
    ck_assert_uint_eq(l->n_scratch, 2);
    ze_module_handle_t module = load(p);
    fill(p, &m);
    launch_all(l, module, &m, _i);
    ck_assert_int_eq(chain_wrong(m.arg[CHAIN_R]), 0);
    L0(zeModuleDestroy(module));
    for (uint32_t i = 0; i < CHAIN_ARGS; i++)
        l0_free(&l0_here, m.arg[i]);
    l0_free(&l0_here, m.scratch);
    xk_program_unref(p);
}
END_TEST

TCase *l0_program_tests(void)
{
    TCase *const t = tcase_create("program");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, a_program_of_several_launches_computes, 0, 2);
    return t;
}
