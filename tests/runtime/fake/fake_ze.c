/* SPDX-License-Identifier: Apache-2.0 */
/* A Level Zero loader with a driver that does nothing and fails on demand. */
#include <level_zero/ze_api.h>

#include "tests/runtime/fake/fake_answer.h"

char fake_thing;

/* clang-format off */
#define DOES_NOTHING(name, ...)                                                \
    ze_result_t name(__VA_ARGS__) { return (ze_result_t)fake_answer(#name); }
#define MAKES(name, type, ...)                                                 \
    ze_result_t name(__VA_ARGS__, type *out)                                   \
    {                                                                          \
        *out = FAKE_HANDLE;                                                    \
        return (ze_result_t)fake_answer(#name);                                \
    }
#define HAS_ONE(name, owner, type)                                             \
    ze_result_t name(owner of, uint32_t *n, type *out)                         \
    {                                                                          \
        (void)of;                                                              \
        *n = 1;                                                                \
        if (out)                                                               \
            *out = FAKE_HANDLE;                                                \
        return (ze_result_t)fake_answer(#name);                                \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"
DOES_NOTHING(zeInit, ze_init_flags_t f)
DOES_NOTHING(zeDriverGetProperties, ze_driver_handle_t d, ze_driver_properties_t *p)
HAS_ONE(zeDeviceGet, ze_driver_handle_t, ze_device_handle_t)
MAKES(zeContextCreate, ze_context_handle_t, ze_driver_handle_t d, const ze_context_desc_t *c)
DOES_NOTHING(zeContextDestroy, ze_context_handle_t c)
MAKES(zeCommandListCreateImmediate, ze_command_list_handle_t, ze_context_handle_t c, ze_device_handle_t d, const ze_command_queue_desc_t *q)
DOES_NOTHING(zeCommandListDestroy, ze_command_list_handle_t l)
DOES_NOTHING(zeCommandListAppendBarrier, ze_command_list_handle_t l, ze_event_handle_t e, uint32_t n, ze_event_handle_t *w)
DOES_NOTHING(zeCommandListAppendMemoryCopy, ze_command_list_handle_t l, void *to, const void *from, size_t n_b, ze_event_handle_t e, uint32_t n, ze_event_handle_t *w)
DOES_NOTHING(zeCommandListAppendLaunchKernel, ze_command_list_handle_t l, ze_kernel_handle_t k, const ze_group_count_t *g, ze_event_handle_t e, uint32_t n, ze_event_handle_t *w)
MAKES(zeEventPoolCreate, ze_event_pool_handle_t, ze_context_handle_t c, const ze_event_pool_desc_t *p, uint32_t n, ze_device_handle_t *d)
DOES_NOTHING(zeEventPoolDestroy, ze_event_pool_handle_t p)
MAKES(zeEventCreate, ze_event_handle_t, ze_event_pool_handle_t p, const ze_event_desc_t *d)
DOES_NOTHING(zeEventDestroy, ze_event_handle_t e)
DOES_NOTHING(zeEventHostReset, ze_event_handle_t e)
MAKES(zeMemAllocDevice, void *, ze_context_handle_t c, const ze_device_mem_alloc_desc_t *m, size_t n_b, size_t align, ze_device_handle_t d)
DOES_NOTHING(zeMemFree, ze_context_handle_t c, void *p)
DOES_NOTHING(zeModuleDestroy, ze_module_handle_t m)
DOES_NOTHING(zeModuleBuildLogDestroy, ze_module_build_log_handle_t l)
MAKES(zeKernelCreate, ze_kernel_handle_t, ze_module_handle_t m, const ze_kernel_desc_t *k)
DOES_NOTHING(zeKernelDestroy, ze_kernel_handle_t k)
DOES_NOTHING(zeKernelSetGroupSize, ze_kernel_handle_t k, uint32_t x, uint32_t y, uint32_t z)
DOES_NOTHING(zeKernelSetArgumentValue, ze_kernel_handle_t k, uint32_t i, size_t n_b, const void *v)
/* clang-format on */

ze_result_t zeDriverGet(uint32_t *n, ze_driver_handle_t *out)
{
    *n = 1;
    if (out)
        *out = FAKE_HANDLE;
    return (ze_result_t)fake_answer("zeDriverGet");
}

ze_result_t zeDeviceGetProperties(ze_device_handle_t d,
                                  ze_device_properties_t *p)
{
    p->type = ZE_DEVICE_TYPE_GPU;
    p->vendorId = 0x8086;
    p->deviceId = (uint32_t)fake_number("FAKE_ID", 0x56a0);
    p->timerResolution = fake_number("FAKE_CLOCK", 12500000);
    p->kernelTimestampValidBits = (uint32_t)fake_number("FAKE_BITS", 32);
    p->maxMemAllocSize = UINT64_C(4) << 30;
    strcpy(p->name, "fake");
    return (ze_result_t)fake_answer("zeDeviceGetProperties");
}

ze_result_t zeDeviceGetMemoryProperties(ze_device_handle_t d, uint32_t *n,
                                        ze_device_memory_properties_t *p)
{
    *n = 1;
    if (p)
        p->totalSize = UINT64_C(16) << 30;
    return ZE_RESULT_SUCCESS;
}

ze_result_t
zeDeviceGetCommandQueueGroupProperties(ze_device_handle_t d, uint32_t *n,
                                       ze_command_queue_group_properties_t *p)
{
    *n = 1;
    if (p)
        p->flags = (ze_command_queue_group_property_flags_t)fake_number(
            "FAKE_GROUP", ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE);
    return ZE_RESULT_SUCCESS;
}

/* Not the first time that it is asked. */
ze_result_t zeEventHostSynchronize(ze_event_handle_t e, uint64_t ns)
{
    static unsigned n;
    return ++n % 3 ? ZE_RESULT_NOT_READY
                   : (ze_result_t)fake_answer("zeEventHostSynchronize");
}

ze_result_t zeEventQueryKernelTimestamp(ze_event_handle_t e,
                                        ze_kernel_timestamp_result_t *t)
{
    t->global.kernelStart = fake_number("FAKE_START", 0);
    t->global.kernelEnd = fake_number("FAKE_END", 0);
    return (ze_result_t)fake_answer("zeEventQueryKernelTimestamp");
}

ze_result_t zeModuleCreate(ze_context_handle_t c, ze_device_handle_t d,
                           const ze_module_desc_t *m, ze_module_handle_t *out,
                           ze_module_build_log_handle_t *log)
{
    *out = FAKE_HANDLE;
    *log = FAKE_HANDLE;
    return (ze_result_t)fake_answer("zeModuleCreate");
}

ze_result_t zeModuleBuildLogGetString(ze_module_build_log_handle_t l,
                                      size_t *n_b, char *text)
{
    const char *const log = getenv("FAKE_LOG") ? getenv("FAKE_LOG") : "";
    if (text)
        memcpy(text, log, strlen(log) + 1);
    *n_b = strlen(log) + 1;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelGetProperties(ze_kernel_handle_t k,
                                  ze_kernel_properties_t *p)
{
    p->numKernelArgs = 1;
    return (ze_result_t)fake_answer("zeKernelGetProperties");
}

/* From later specifications. */
ze_result_t zeDriverGetLastErrorDescription(ze_driver_handle_t d,
                                            const char **text);
ze_result_t zeDriverGetLastErrorDescription(ze_driver_handle_t d,
                                            const char **text)
{
    *text = getenv("FAKE_WORDS");
    return ZE_RESULT_SUCCESS;
}
