/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL's library, its Intel GPUs, and the names of its errors. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "runtime/device_id.h"
#include "runtime/ocl.h"

#define LIBRARY "libOpenCL.so.1"
#define PLATFORMS_MAX 16
#define DEVICES_MAX 64

static const struct {
    cl_int code;
    enum xk_status status;
    const char *name;
} results[] = {
#define XK_CL_RESULT(name, code, status) {code, XK_##status, "CL_" #name},
#include "runtime/ocl_result.def"
};

enum xk_status xk_ocl_fail(const char *function, const char *what,
                           cl_int result, struct xk_error *err)
{
    const char *name = "an unknown code";
    enum xk_status status = XK_EDEVICE;
    for (size_t i = 0; i < XK_COUNTOF(results); i++)
        if (results[i].code == result) {
            name = results[i].name;
            status = results[i].status;
        }
    return xk_runtime_fail(err, status, "ocl: %s%s%.150s: %s (%d)", function,
                           what ? " " : "", what ? what : "", name, result);
}

static enum xk_status load_opencl(struct xk_ocl_calls *cl, struct xk_error *err)
{
    void *const library =
        dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return xk_runtime_fail(err, XK_EABSENT, "ocl: %.300s", dlerror());
    const char *missing = NULL;
#define X(name)                                                                \
    *(void **)&cl->name = dlsym(library, #name);                               \
    missing = cl->name ? missing : #name;
    XK_OCL_CALLS(X)
#undef X
    dlclose(library);
    return missing ? xk_runtime_fail(err, XK_EABSENT, "ocl: %s has no %s",
                                     LIBRARY, missing)
                   : XK_OK;
}

/* 0 if the device does not say. */
static uint64_t device_number(const struct xk_ocl_calls *cl, cl_device_id d,
                              cl_device_info what)
{
    uint64_t v = 0; /* little endian: it also receives 32-bit values */
    return cl->clGetDeviceInfo(d, what, sizeof v, &v, NULL) == CL_SUCCESS ? v
                                                                          : 0;
}

/* Counts the Intel GPUs of one platform; *out becomes the index-th of all. */
static void look_at_platform(struct xk_ocl_found *out, cl_platform_id p,
                             uint32_t index)
{
    cl_device_id device[DEVICES_MAX];
    cl_uint n = 0;
    char name[64] = "";
    const size_t at = strlen(out->platforms);
    out->cl.clGetPlatformInfo(p, CL_PLATFORM_NAME, sizeof name, name, NULL);
    snprintf(out->platforms + at, sizeof out->platforms - at, "%s%.63s",
             at ? ", " : "", name);
    if (out->cl.clGetDeviceIDs(p, CL_DEVICE_TYPE_GPU, DEVICES_MAX, device, &n))
        return;
    for (cl_uint i = 0; i < n && i < DEVICES_MAX; i++) {
        if (device_number(&out->cl, device[i], CL_DEVICE_VENDOR_ID) !=
            XK_VENDOR_INTEL)
            continue;
        if (out->n++ == index)
            out->device = device[i];
    }
}

enum xk_status xk_ocl_find(uint32_t index, struct xk_ocl_found *out,
                           struct xk_error *err)
{
    cl_platform_id platform[PLATFORMS_MAX];
    cl_uint n = 0;
    *out = (struct xk_ocl_found){.n = 0};
    XK_TRY(load_opencl(&out->cl, err));
    XK_OCL_TRY(out, err, clGetPlatformIDs, PLATFORMS_MAX, platform, &n);
    for (cl_uint i = 0; i < n && i < PLATFORMS_MAX; i++)
        look_at_platform(out, platform[i], index);
    return out->n ? XK_OK
                  : xk_runtime_fail(err, XK_EABSENT,
                                    "ocl: no Intel GPU among the platforms: %s",
                                    n ? out->platforms : "there are none");
}

enum xk_status xk_ocl_device_count(uint32_t *n, struct xk_error *err)
{
    struct xk_ocl_found found;
    XK_TRY(xk_ocl_find(0, &found, err));
    *n = found.n;
    return XK_OK;
}

enum xk_status xk_ocl_device_query(uint32_t index, struct xk_device_info *info,
                                   struct xk_error *err)
{
    struct xk_ocl_found f;
    char version[48] = "";
    XK_TRY(xk_ocl_find(index, &f, err));
    XK_OCL_TRY(&f, err, clGetDeviceInfo, f.device, CL_DEVICE_NAME,
               sizeof info->name, info->name, NULL);
    XK_OCL_TRY(&f, err, clGetDeviceInfo, f.device, CL_DRIVER_VERSION,
               sizeof version, version, NULL);
    snprintf(info->driver, sizeof info->driver, "OpenCL driver %s", version);
    info->device_id =
        (uint32_t)device_number(&f.cl, f.device, CL_DEVICE_ID_INTEL);
    strcpy(info->platform,
           xk_device_id_platform(
               info->device_id,
               (uint32_t)device_number(&f.cl, f.device,
                                       CL_DEVICE_IP_VERSION_INTEL)));
    info->n_units =
        (uint32_t)(device_number(&f.cl, f.device, CL_DEVICE_NUM_SLICES_INTEL) *
                   device_number(&f.cl, f.device,
                                 CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL) *
                   device_number(&f.cl, f.device,
                                 CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL));
    info->threads_per_unit = (uint32_t)device_number(
        &f.cl, f.device, CL_DEVICE_NUM_THREADS_PER_EU_INTEL);
    info->memory_b = device_number(&f.cl, f.device, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_buffer_b =
        device_number(&f.cl, f.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    return XK_OK;
}
