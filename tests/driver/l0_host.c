/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/driver/l0_host.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The compiler's own library; its header is C++ only. */
typedef int ocloc_invoke(unsigned n_args, const char **args, uint32_t n_sources,
                         const uint8_t **sources, const uint64_t *source_b,
                         const char **source_names, uint32_t n_headers,
                         const uint8_t **headers, const uint64_t *header_b,
                         const char **header_names, uint32_t *n_out,
                         uint8_t ***out, uint64_t **out_b, char ***out_names);

const char l0_kernels[] =
    "kernel void add(global const int *a, global const int *b,\n"
    "                global int *c, int n) {\n"
    "  size_t i = get_global_id(0);\n"
    "  if (i < n) c[i] = a[i] + b[i];\n"
    "}\n"
    "kernel void step(global int *a, int factor, int more) {\n"
    "  size_t i = get_global_id(0);\n"
    "  a[i] = a[i] * factor + more;\n"
    "}\n"
    "kernel void mirror(global int *a, local int *t) {\n"
    "  uint i = get_local_id(0), n = get_local_size(0);\n"
    "  t[i] = a[get_global_id(0)];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  a[get_global_id(0)] = t[n - 1 - i];\n"
    "}\n"
    "kernel void stack(global int *a, int n) {\n"
    "  int t[256];\n"
    "  int i = get_global_id(0);\n"
    "  for (int k = 0; k < n; k++) t[(k * 7 + i) & 255] = k + i;\n"
    "  int s = 0;\n"
    "  for (int k = 0; k < n; k++) s += t[k] * (k ^ i);\n"
    "  a[i] = s;\n"
    "}\n"
    "kernel void where(global uint *a) {\n"
    "  uint at = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) *\n"
    "            get_num_groups(0) + get_group_id(0);\n"
    "  uint l = (get_local_id(2) * get_local_size(1) + get_local_id(1)) *\n"
    "           get_local_size(0) + get_local_id(0);\n"
    "  uint n = get_local_size(0) * get_local_size(1) * get_local_size(2);\n"
    "  a[at * n + l] = get_global_id(0) + 100 * get_global_id(1) +\n"
    "                  10000 * get_global_id(2);\n"
    "}\n"
    "kernel void pair(global uint *a, global const uint2 *b) {\n"
    "  vstore2(b[get_global_id(0)], 0, a + 1 + 3 * get_global_id(0));\n"
    "}\n"
    "kernel void tally(global int *n) { atomic_inc(n); }\n"
    "constant int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};\n"
    "kernel void lookup(global int *a) {\n"
    "  size_t i = get_global_id(0);\n"
    "  a[i] = primes[a[i] & 7];\n"
    "}\n"
    "kernel void touch(global uint *a, ulong step, uint more) {\n"
    "  size_t i = get_global_id(0);\n"
    "  a[i * step] = (uint)i * 2654435761u + more;\n"
    "}\n";

struct l0 l0_here;

void l0_failed(const char *format, ...)
{
    char text[500];
    va_list v;
    va_start(v, format);
    vsnprintf(text, sizeof text, format, v);
    va_end(v);
    if (l0_here.testing)
        ck_abort_msg("%s", text);
    printf("Bail out! %s\n", text);
    exit(1);
}

static void count_launch(void *user, const struct xk_virtual_launch *l)
{
    (void)l;
    ((struct l0 *)user)->n_launches++;
}

static void count_said(void *user, const char *sentence)
{
    ((struct l0 *)user)->n_said++;
    printf("# the device: %s\n", sentence);
}

/* Under "xk vgpu" the environment is there. */
static void start_device(struct l0 *z)
{
    const char *const mode = getenv("SetCommandStreamReceiver");
    const struct xk_virtual_device_opts opts = {.platform = z->platform,
                                                .launched = count_launch,
                                                .says = count_said,
                                                .user = z};
    struct xk_error err = {0};
    const char *name, *value;
    if (mode && *mode)
        return;
    const enum xk_status st =
        xk_virtual_device_start(&opts, &z->device_model, &err);
    if (st < 0)
        l0_failed("the device model does not start: %s", err.message);
    for (unsigned k = 0;
         xk_virtual_device_variable(z->device_model, k, &name, &value); k++)
        setenv(name, value, 1);
}

static void find_groups(struct l0 *z)
{
    ze_command_queue_group_properties_t group[16];
    uint32_t n = 16;
    for (uint32_t k = 0; k < n; k++)
        group[k] = (ze_command_queue_group_properties_t){
            .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES};
    L0(zeDeviceGetCommandQueueGroupProperties(z->device, &n, group));
    z->compute = UINT32_MAX;
    for (uint32_t k = 0; k < n; k++) {
        const ze_command_queue_group_property_flags_t flags = group[k].flags;
        const bool computes =
            flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
        if (computes && z->compute == UINT32_MAX)
            z->compute = k;
        if (!computes && (flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY) &&
            !z->has_copy) {
            z->copy = k;
            z->has_copy = true;
        }
    }
}

const char *l0_open(struct l0 *z, const char *platform)
{
    *z = (struct l0){.platform = platform};
    z->ocloc = dlopen("libocloc.so", RTLD_NOW | RTLD_LOCAL);
    if (!z->ocloc)
        return "libocloc.so is not installed (package intel-opencl-icd)";
    start_device(z);
    uint32_t one = 1;
    if (zeInit(0))
        return "zeInit: no Level Zero driver (package intel-opencl-icd)";
    L0(zeDriverGet(&one, &z->driver));
    one = 1;
    L0(zeDeviceGet(z->driver, &one, &z->device));
    const ze_context_desc_t context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    L0(zeContextCreate(z->driver, &context, &z->context));
    find_groups(z);
    z->module = l0_module(z, true, "");
    return NULL;
}

void l0_close(struct l0 *z)
{
    if (z->module)
        zeModuleDestroy(z->module);
    if (z->context)
        zeContextDestroy(z->context);
    xk_virtual_device_stop(z->device_model);
}

void *l0_compile(struct l0 *z, bool spirv, size_t *n_b)
{
    ocloc_invoke *invoke;
    const char *const device = !strcmp(z->platform, "xehpc")  ? "pvc"
                               : !strcmp(z->platform, "xelp") ? "tgllp"
                                                              : "acm-g10";
    const char *args[] = {
        "ocloc",   "compile", "-file", "k.cl",
        "-device", device,    "-q",    spirv ? "-spv_only" : "--format",
        "zebin"};
    const char *name = "k.cl";
    const uint8_t *source = (const uint8_t *)l0_kernels;
    const uint64_t source_b = strlen(l0_kernels) + 1;
    uint32_t n_out = 0;
    uint8_t **out = NULL;
    uint64_t *out_b = NULL;
    char **names = NULL;
    void *bytes = NULL;
    *(void **)&invoke = dlsym(z->ocloc, "oclocInvoke");
    const int code =
        !invoke ? -1
                : invoke(spirv ? 8 : 9, args, 1, &source, &source_b, &name, 0,
                         NULL, NULL, NULL, &n_out, &out, &out_b, &names);
    for (uint32_t k = 0; !code && k < n_out; k++) {
        const char *const end = strrchr(names[k], '.');
        if (!end || strcmp(end, spirv ? ".spv" : ".bin") != 0)
            continue;
        *n_b = out_b[k];
        bytes = malloc(*n_b);
        memcpy(bytes, out[k], *n_b);
    }
    if (!bytes)
        l0_failed("ocloc gives no %s: %d", spirv ? "SPIR-V" : "zebin", code);
    return bytes;
}

ze_module_handle_t l0_module(struct l0 *z, bool spirv, const char *options)
{
    size_t n_b = 0;
    void *const bytes = l0_compile(z, spirv, &n_b);
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = spirv ? ZE_MODULE_FORMAT_IL_SPIRV
                                                   : ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = n_b,
                                   .pInputModule = bytes,
                                   .pBuildFlags = options};
    ze_module_handle_t m = NULL;
    L0(zeModuleCreate(z->context, z->device, &desc, &m, NULL));
    free(bytes);
    return m;
}

void *l0_alloc(struct l0 *z, enum l0_memory kind, size_t n_b)
{
    const ze_device_mem_alloc_desc_t device = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {
        .stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *p = NULL;
    if (kind == L0_DEVICE)
        L0(zeMemAllocDevice(z->context, &device, n_b, 64, z->device, &p));
    else if (kind == L0_HOST)
        L0(zeMemAllocHost(z->context, &host, n_b, 64, &p));
    else
        L0(zeMemAllocShared(z->context, &device, &host, n_b, 64, z->device,
                            &p));
    return p;
}

void l0_free(struct l0 *z, void *p)
{
    L0(zeMemFree(z->context, p));
}

void l0_begin(struct l0_list *l, struct l0 *z, bool immediate, uint32_t group)
{
    const ze_command_queue_desc_t queue = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
        .ordinal = group,
        .mode = immediate ? ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS
                          : ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    const ze_command_list_desc_t list = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
        .commandQueueGroupOrdinal = group};
    *l = (struct l0_list){.z = z, .immediate = immediate};
    if (immediate) {
        L0(zeCommandListCreateImmediate(z->context, z->device, &queue,
                                        &l->list));
        return;
    }
    L0(zeCommandQueueCreate(z->context, z->device, &queue, &l->queue));
    L0(zeCommandListCreate(z->context, z->device, &list, &l->list));
}

void l0_submit(struct l0_list *l, ze_fence_handle_t fence)
{
    if (l->immediate)
        return;
    L0(zeCommandListClose(l->list));
    L0(zeCommandQueueExecuteCommandLists(l->queue, 1, &l->list, fence));
}

void l0_wait(struct l0_list *l)
{
    if (!l->immediate)
        L0(zeCommandQueueSynchronize(l->queue, UINT64_MAX));
}

void l0_reset(struct l0_list *l)
{
    if (!l->immediate)
        L0(zeCommandListReset(l->list));
}

void l0_finish(struct l0_list *l)
{
    l0_submit(l, NULL);
    l0_wait(l);
    l0_reset(l);
}

void l0_end(struct l0_list *l)
{
    L0(zeCommandListDestroy(l->list));
    if (l->queue)
        L0(zeCommandQueueDestroy(l->queue));
}

ze_kernel_handle_t l0_kernel(ze_module_handle_t m, const char *name,
                             uint32_t local, unsigned n_args,
                             const struct l0_arg *args)
{
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                   .pKernelName = name};
    ze_kernel_handle_t k = NULL;
    L0(zeKernelCreate(m, &desc, &k));
    if (local)
        L0(zeKernelSetGroupSize(k, local, 1, 1));
    for (unsigned i = 0; i < n_args; i++)
        L0(zeKernelSetArgumentValue(k, i, args[i].n_b, args[i].value));
    return k;
}

void l0_launch(struct l0_list *l, ze_kernel_handle_t k, uint32_t groups,
               ze_event_handle_t signal, unsigned n_waits,
               ze_event_handle_t *waits)
{
    const ze_group_count_t count = {groups, 1, 1};
    L0(zeCommandListAppendLaunchKernel(l->list, k, &count, signal, n_waits,
                                       waits));
}

void l0_events_make(struct l0_events *e, struct l0 *z, unsigned n,
                    bool timestamps)
{
    const ze_event_pool_desc_t pool = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
        .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE |
                 (timestamps ? ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP : 0u),
        .count = n};
    *e = (struct l0_events){.n = n};
    L0(zeEventPoolCreate(z->context, &pool, 1, &z->device, &e->pool));
    for (unsigned k = 0; k < n; k++) {
        const ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                       .index = k,
                                       .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                       .wait = ZE_EVENT_SCOPE_FLAG_HOST};
        L0(zeEventCreate(e->pool, &event, &e->event[k]));
    }
}

void l0_events_drop(struct l0_events *e)
{
    for (unsigned k = 0; k < e->n; k++)
        L0(zeEventDestroy(e->event[k]));
    L0(zeEventPoolDestroy(e->pool));
}
