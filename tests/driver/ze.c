/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/driver/ze.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

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
    X(zeCommandListAppendLaunchKernelIndirect) X(zeMemAllocShared) X(zeMemFree)
/* clang-format on */

static struct {
#define X(name) __typeof__(&name) name;
    CALLS(X)
#undef X
} ze;

static void set_environment(const struct ze_setup *setup)
{
    const char *const keys[][2] = {
        {"NEOReadDebugKeys", "1"},
        {"SetCommandStreamReceiver", "1"},
        {"ProductFamilyOverride", setup->product},
        {"HardwareInfoOverride", setup->hardware},
        {"AUBDumpCaptureFileName", setup->capture},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        setenv(keys[i][0], keys[i][1], 1);
    for (unsigned i = 0; i < setup->n_keys; i++)
        setenv(setup->keys[i][0], setup->keys[i][1], 1);
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
    const struct ze_setup dg2 = {
        .product = "dg2", .hardware = "8x4x16", .capture = "/dev/null"};
    return ze_open_as(z, &dg2);
}

const char *ze_open_as(struct ze_driver *z, const struct ze_setup *setup)
{
    *z = (struct ze_driver){0};
    set_environment(setup);
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
    void *memory[ZE_ARGS_MAX], *counts;
    uint32_t n_args; /* that the driver knows */
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
    h->n_args = properties.numKernelArgs;
    return h->n_args == job->n_args ||
                   (job->any_n_args && h->n_args < job->n_args)
               ? NULL
               : "number of arguments";
}

static const char *make_buffer(struct ze_driver *z, const struct ze_job *job,
                               uint32_t i, struct held *h, ze_result_t *result)
{
    const ze_device_mem_alloc_desc_t device = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {
        .stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    if (!job->data[i]) {
        TRY(zeMemAllocDevice(z->context, &device, job->size_b[i], 64, z->device,
                             &h->memory[i]));
        return NULL;
    }
    TRY(zeMemAllocShared(z->context, &device, &host, job->size_b[i], 64,
                         z->device, &h->memory[i]));
    memcpy(h->memory[i], job->data[i], job->size_b[i]);
    return NULL;
}

static const char *set_arguments(struct ze_driver *z, const struct ze_job *job,
                                 struct held *h, ze_result_t *result)
{
    for (uint32_t i = 0; i < h->n_args && i < ZE_ARGS_MAX; i++) {
        if (job->is_local[i] || job->value[i]) {
            TRY(zeKernelSetArgumentValue(h->kernel, i, job->size_b[i],
                                         job->value[i]));
            continue;
        }
        const char *const failed = make_buffer(z, job, i, h, result);
        if (failed)
            return failed;
        TRY(zeKernelSetArgumentValue(h->kernel, i, sizeof h->memory[i],
                                     &h->memory[i]));
    }
    return NULL;
}

static const char *append(struct ze_driver *z, const struct ze_job *job,
                          struct held *h, ze_result_t *result)
{
    const ze_device_mem_alloc_desc_t device = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {
        .stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    const ze_group_count_t count = {job->groups[0], job->groups[1],
                                    job->groups[2]};
    if (!job->indirect) {
        TRY(zeCommandListAppendLaunchKernel(h->list, h->kernel, &count, NULL, 0,
                                            NULL));
        return NULL;
    }
    if (!h->counts)
        TRY(zeMemAllocShared(z->context, &device, &host, sizeof count, 64,
                             z->device, &h->counts));
    memcpy(h->counts, &count, sizeof count);
    TRY(zeCommandListAppendLaunchKernelIndirect(h->list, h->kernel, h->counts,
                                                NULL, 0, NULL));
    return NULL;
}

static const char *launch(struct ze_driver *z, const struct ze_job *job,
                          struct held *h, ze_result_t *result)
{
    const ze_command_list_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    TRY(zeKernelSetGroupSize(h->kernel, job->local[0], job->local[1],
                             job->local[2]));
    TRY(zeCommandListCreate(z->context, z->device, &desc, &h->list));
    for (uint32_t k = 0; k < (job->times ? job->times : 1); k++) {
        const char *const failed = append(z, job, h, result);
        if (failed)
            return failed;
    }
    TRY(zeCommandListClose(h->list));
    TRY(zeCommandQueueExecuteCommandLists(z->queue, 1, &h->list, NULL));
    TRY(zeCommandQueueSynchronize(z->queue, UINT64_MAX));
    if (job->launched)
        job->launched(job->user, h->memory);
    return NULL;
}

static void release(struct ze_driver *z, struct held *h)
{
    for (int i = 0; i < ZE_ARGS_MAX; i++)
        if (h->memory[i])
            ze.zeMemFree(z->context, h->memory[i]);
    if (h->counts)
        ze.zeMemFree(z->context, h->counts);
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
