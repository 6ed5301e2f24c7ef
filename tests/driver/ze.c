/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/driver/ze.h"

#include <dlfcn.h>
#include <stdlib.h>

#define N_ARGS_MAX 8

/* Every entry point that the tests call. */
/* clang-format off */
#define CALLS(X)                                                               \
    X(zeInit) X(zeDriverGet) X(zeDeviceGet) X(zeContextCreate)                 \
    X(zeContextDestroy) X(zeCommandQueueCreate) X(zeCommandQueueDestroy)       \
    X(zeCommandQueueExecuteCommandLists) X(zeCommandQueueSynchronize)          \
    X(zeCommandListCreate) X(zeCommandListDestroy) X(zeCommandListClose)       \
    X(zeCommandListAppendLaunchKernel) X(zeModuleCreate) X(zeModuleDestroy)    \
    X(zeKernelCreate) X(zeKernelDestroy) X(zeKernelGetProperties)              \
    X(zeKernelSetGroupSize) X(zeKernelSetArgumentValue) X(zeMemAllocDevice)    \
    X(zeMemFree)
/* clang-format on */

static struct {
#define X(name) __typeof__(&name) name;
    CALLS(X)
#undef X
} ze;

static void set_environment(void)
{
    static const char *const keys[][2] = {
        {"NEOReadDebugKeys", "1"},
        {"SetCommandStreamReceiver", "1"},
        {"ProductFamilyOverride", "dg2"},
        {"HardwareInfoOverride", "8x4x16"},
        {"AUBDumpCaptureFileName", "/dev/null"},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        setenv(keys[i][0], keys[i][1], 1);
}

static const char *load(struct ze_driver *z)
{
    z->library = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!z->library)
        return "libze_loader.so.1 is not installed";
#define X(name)                                                                \
    *(void **)&ze.name = dlsym(z->library, #name);                             \
    if (!ze.name)                                                              \
        return "the loader lacks " #name;
    CALLS(X)
#undef X
    return NULL;
}

const char *ze_open(struct ze_driver *z)
{
    *z = (struct ze_driver){0};
    set_environment();
    const char *const why = load(z);
    if (why)
        return why;
    uint32_t one = 1;
    if (ze.zeInit(0))
        return "zeInit: no Level Zero driver that runs in AUB mode";
    if (ze.zeDriverGet(&one, &z->driver) || !one)
        return "zeDriverGet: no driver";
    one = 1;
    if (ze.zeDeviceGet(z->driver, &one, &z->device) || !one)
        return "zeDeviceGet: no device";
    const ze_context_desc_t context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    if (ze.zeContextCreate(z->driver, &context, &z->context))
        return "zeContextCreate failed";
    const ze_command_queue_desc_t queue = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    if (ze.zeCommandQueueCreate(z->context, z->device, &queue, &z->queue))
        return "zeCommandQueueCreate failed";
    return NULL;
}

void ze_close(struct ze_driver *z)
{
    if (z->queue)
        ze.zeCommandQueueDestroy(z->queue);
    if (z->context)
        ze.zeContextDestroy(z->context);
    /* The driver's own threads may still run: the library stays loaded. */
    *z = (struct ze_driver){0};
}

/* What one launch holds, for one release at the end. */
struct held {
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    void *memory[N_ARGS_MAX];
};

/* Runs a call; names it if it fails. */
#define TRY(call)                                                              \
    do {                                                                       \
        if ((*result = ze.call) != ZE_RESULT_SUCCESS)                          \
            return #call;                                                      \
    } while (0)

static const char *make_kernel(struct ze_driver *z, const struct ze_job *job,
                               struct held *h, ze_result_t *result)
{
    const ze_module_desc_t module = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
        .format = ZE_MODULE_FORMAT_NATIVE,
        .inputSize = job->zebin_b,
        .pInputModule = job->zebin,
    };
    TRY(zeModuleCreate(z->context, z->device, &module, &h->module, NULL));
    const ze_kernel_desc_t kernel = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                     .pKernelName = job->kernel};
    TRY(zeKernelCreate(h->module, &kernel, &h->kernel));
    ze_kernel_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    TRY(zeKernelGetProperties(h->kernel, &properties));
    return properties.numKernelArgs == job->n_args ? NULL
                                                   : "number of arguments";
}

static const char *set_arguments(struct ze_driver *z, const struct ze_job *job,
                                 struct held *h, ze_result_t *result)
{
    const ze_device_mem_alloc_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    for (uint32_t i = 0; i < job->n_args && i < N_ARGS_MAX; i++) {
        TRY(zeMemAllocDevice(z->context, &desc, job->size_b[i], 64, z->device,
                             &h->memory[i]));
        TRY(zeKernelSetArgumentValue(h->kernel, i, sizeof h->memory[i],
                                     &h->memory[i]));
    }
    return NULL;
}

static const char *launch(struct ze_driver *z, const struct ze_job *job,
                          struct held *h, ze_result_t *result)
{
    const ze_command_list_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_group_count_t count = {job->groups[0], job->groups[1],
                                    job->groups[2]};
    TRY(zeKernelSetGroupSize(h->kernel, job->local[0], job->local[1],
                             job->local[2]));
    TRY(zeCommandListCreate(z->context, z->device, &desc, &h->list));
    TRY(zeCommandListAppendLaunchKernel(h->list, h->kernel, &count, NULL, 0,
                                        NULL));
    TRY(zeCommandListClose(h->list));
    TRY(zeCommandQueueExecuteCommandLists(z->queue, 1, &h->list, NULL));
    TRY(zeCommandQueueSynchronize(z->queue, UINT64_MAX));
    return NULL;
}

static void release(struct ze_driver *z, struct held *h)
{
    for (int i = 0; i < N_ARGS_MAX; i++)
        if (h->memory[i])
            ze.zeMemFree(z->context, h->memory[i]);
    if (h->list)
        ze.zeCommandListDestroy(h->list);
    if (h->kernel)
        ze.zeKernelDestroy(h->kernel);
    if (h->module)
        ze.zeModuleDestroy(h->module);
}

const char *ze_run(struct ze_driver *z, const struct ze_job *job,
                   ze_result_t *result)
{
    struct held h = {0};
    *result = ZE_RESULT_SUCCESS;
    const char *failed = make_kernel(z, job, &h, result);
    if (!failed)
        failed = set_arguments(z, job, &h, result);
    if (!failed)
        failed = launch(z, job, &h, result);
    release(z, &h);
    return failed;
}
