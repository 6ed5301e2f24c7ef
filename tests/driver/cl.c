/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/driver/cl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PLATFORMS 8

/* Every entry point that is called. */
/* clang-format off */
#define CALLS(X)                                                               \
    X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs)                 \
    X(clGetExtensionFunctionAddressForPlatform) X(clCreateContext)             \
    X(clCreateCommandQueueWithProperties)                  \
    X(clCreateProgramWithBinary) X(clBuildProgram)    \
    X(clReleaseProgram) X(clCreateKernel) X(clReleaseKernel) X(clGetKernelInfo) \
    X(clSetKernelArg) X(clEnqueueNDRangeKernel) X(clFlush)
/* clang-format on */

static struct {
#define X(name) __typeof__(&name) name;
    CALLS(X)
#undef X
} cl;

static void set_environment(const struct ze_setup *s)
{
    const char *const keys[][2] = {
        {"NEOReadDebugKeys", "1"},
        {"SetCommandStreamReceiver", "1"},
        {"ProductFamilyOverride", s->product},
        {"HardwareInfoOverride", s->hardware},
        {"AUBDumpCaptureFileName", s->capture},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        setenv(keys[i][0], keys[i][1], 1);
    for (unsigned i = 0; i < s->n_keys; i++)
        setenv(s->keys[i][0], s->keys[i][1], 1);
}

static const char *load(struct cl_driver *d)
{
    d->library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!d->library)
        return "libOpenCL.so.1 is not installed";
#define X(name)                                                                \
    *(void **)&cl.name = dlsym(d->library, #name);                             \
    if (!cl.name)                                                              \
        return "libOpenCL lacks " #name;
    CALLS(X)
#undef X
    return NULL;
}

/* Intel's among others, such as PoCL. */
static cl_platform_id find_platform(void)
{
    cl_platform_id all[MOST_PLATFORMS];
    cl_uint n = 0;
    if (cl.clGetPlatformIDs(MOST_PLATFORMS, all, &n))
        return NULL;
    for (cl_uint i = 0; i < n && i < MOST_PLATFORMS; i++) {
        char name[128] = "";
        cl.clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, "Intel"))
            return all[i];
    }
    return NULL;
}

static bool find_extension(struct cl_driver *d, cl_platform_id p)
{
    const struct {
        const char *name;
        void **to;
    } f[] = {{"clSharedMemAllocINTEL", (void **)&d->alloc},
             {"clMemFreeINTEL", (void **)&d->free},
             {"clSetKernelArgMemPointerINTEL", (void **)&d->set_pointer}};
    for (size_t i = 0; i < sizeof f / sizeof f[0]; i++) {
        *f[i].to = cl.clGetExtensionFunctionAddressForPlatform(p, f[i].name);
        if (!*f[i].to)
            return false;
    }
    return true;
}

const char *cl_open_as(struct cl_driver *d, const struct ze_setup *s)
{
    cl_int st;
    *d = (struct cl_driver){0};
    set_environment(s);
    const char *const why = load(d);
    if (why)
        return why;
    const cl_platform_id p = find_platform();
    if (!p)
        return "no OpenCL driver of Intel that runs in AUB mode";
    if (cl.clGetDeviceIDs(p, CL_DEVICE_TYPE_GPU, 1, &d->device, NULL))
        return "clGetDeviceIDs: no GPU";
    if (!find_extension(d, p))
        return "the driver has no unified shared memory";
    d->context = cl.clCreateContext(NULL, 1, &d->device, NULL, NULL, &st);
    if (!d->context)
        return "clCreateContext failed";
    d->queue =
        cl.clCreateCommandQueueWithProperties(d->context, d->device, NULL, &st);
    return d->queue ? NULL : "clCreateCommandQueueWithProperties failed";
}

void cl_close(struct cl_driver *d)
{
    /* Releasing the queue would wait as clFinish does, and the driver's own
     * threads may still run: all stays as it is. */
    *d = (struct cl_driver){0};
}

/* What one launch holds, for one release at the end. */
struct held {
    cl_program program;
    cl_kernel kernel;
    void *memory[ZE_ARGS_MAX];
    cl_uint n_args; /* that the driver knows */
};

static const char *make_kernel(const struct cl_driver *d,
                               const struct ze_job *job, struct held *h,
                               cl_int *st)
{
    const unsigned char *bytes = job->zebin;
    cl_int loaded;
    h->program = cl.clCreateProgramWithBinary(
        d->context, 1, &d->device, &job->zebin_b, &bytes, &loaded, st);
    if (*st)
        return "clCreateProgramWithBinary";
    *st = cl.clBuildProgram(h->program, 1, &d->device, "", NULL, NULL);
    if (*st)
        return "clBuildProgram";
    h->kernel = cl.clCreateKernel(h->program, job->kernel, st);
    if (*st)
        return "clCreateKernel";
    *st = cl.clGetKernelInfo(h->kernel, CL_KERNEL_NUM_ARGS, sizeof h->n_args,
                             &h->n_args, NULL);
    return *st ? "clGetKernelInfo" : NULL;
}

static const char *set_arg(const struct cl_driver *d, const struct ze_job *job,
                           cl_uint i, struct held *h, cl_int *st)
{
    const size_t n_b = job->size_b[i];
    if (!job->data[i]) {
        *st = cl.clSetKernelArg(h->kernel, i, n_b, job->value[i]);
        return *st ? "clSetKernelArg" : NULL;
    }
    h->memory[i] = d->alloc(d->context, d->device, NULL, n_b, 64, st);
    if (!h->memory[i])
        return "clSharedMemAllocINTEL";
    memcpy(h->memory[i], job->data[i], n_b);
    *st = d->set_pointer(h->kernel, i, h->memory[i]);
    return *st ? "clSetKernelArgMemPointerINTEL" : NULL;
}

static const char *launch(const struct cl_driver *d, const struct ze_job *job,
                          struct held *h, cl_int *st)
{
    size_t global[3], local[3];
    cl_uint dims = 1;
    const char *failed = make_kernel(d, job, h, st);
    for (cl_uint i = 0; !failed && i < job->n_args && i < h->n_args; i++)
        failed = set_arg(d, job, i, h, st);
    if (failed)
        return failed;
    for (unsigned k = 0; k < 3; k++) {
        local[k] = job->local[k];
        global[k] = (size_t)job->groups[k] * job->local[k];
        dims = global[k] > 1 ? k + 1 : dims;
    }
    *st = cl.clEnqueueNDRangeKernel(d->queue, h->kernel, dims, NULL, global,
                                    local, 0, NULL, NULL);
    if (*st)
        return "clEnqueueNDRangeKernel";
    /* Not clFinish: as pvc the driver waits for an engine that the capture does
     * not feign. What it submits is written down at once. */
    *st = cl.clFlush(d->queue);
    if (*st)
        return "clFlush";
    if (job->launched)
        job->launched(job->user, h->memory);
    return NULL;
}

const char *cl_run(struct cl_driver *d, const struct ze_job *job,
                   cl_int *result)
{
    struct held h = {.program = NULL};
    *result = CL_SUCCESS;
    const char *const failed = launch(d, job, &h, result);
    for (unsigned i = 0; i < ZE_ARGS_MAX; i++)
        if (h.memory[i])
            d->free(d->context, h.memory[i]);
    if (h.kernel)
        cl.clReleaseKernel(h.kernel);
    if (h.program)
        cl.clReleaseProgram(h.program);
    return failed;
}
