/* SPDX-License-Identifier: Apache-2.0 */
/* Level Zero's library, its Intel GPUs, and the texts of its errors. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "runtime/device_id.h"
#include "runtime/ze_engine.h"

#define LIBRARY "libze_loader.so.1"
#define DRIVERS_MAX 16
#define DEVICES_MAX 64
#define MEMORIES_MAX 16

static const struct {
    uint32_t code;
    enum xk_status status;
    const char *name, *words;
} results[] = {
#define XK_ZE_RESULT(name, code, status, words)                                \
    {code, XK_##status, "ZE_RESULT_" #name, words},
#include "runtime/ze_result.def"
};

/* The driver's own text about its last error, if it has one. */
static const char *last_words(const struct xk_ze_calls *ze,
                              ze_driver_handle_t driver)
{
    const char *text = NULL;
    if (!driver || !ze->zeDriverGetLastErrorDescription ||
        ze->zeDriverGetLastErrorDescription(driver, &text))
        return "";
    return text ? text : "";
}

enum xk_status xk_ze_fail(const struct xk_ze_calls *ze,
                          ze_driver_handle_t driver, const char *function,
                          const char *what, ze_result_t result,
                          struct xk_error *err)
{
    const char *name = "an unknown code", *words = "nothing is known of it";
    enum xk_status status = XK_EDEVICE;
    for (size_t i = 0; i < XK_COUNTOF(results); i++)
        if (results[i].code == (uint32_t)result) {
            name = results[i].name;
            words = results[i].words;
            status = results[i].status;
        }
    const char *const last = last_words(ze, driver);
    return xk_runtime_fail(err, status,
                           "ze: %s%s%.150s: %s (0x%08x), %s%s%.150s", function,
                           what ? " " : "", what ? what : "", name,
                           (unsigned)result, words, *last ? ": " : "", last);
}

static enum xk_status load_level_zero(struct xk_ze_calls *ze,
                                      struct xk_error *err)
{
    void *const library =
        dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return xk_runtime_fail(err, XK_EABSENT, "ze: %.300s", dlerror());
    const char *missing = NULL;
#define X(name)                                                                \
    *(void **)&ze->name = dlsym(library, #name);                               \
    missing = ze->name ? missing : #name;
    XK_ZE_CALLS(X)
#undef X
    *(void **)&ze->zeDriverGetLastErrorDescription =
        dlsym(library, "zeDriverGetLastErrorDescription");
    dlclose(library);
    return missing ? xk_runtime_fail(err, XK_EABSENT, "ze: %s has no %s",
                                     LIBRARY, missing)
                   : XK_OK;
}

static bool is_intel_gpu(const struct xk_ze_calls *ze, ze_device_handle_t d)
{
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    return ze->zeDeviceGetProperties(d, &p) == ZE_RESULT_SUCCESS &&
           p.type == ZE_DEVICE_TYPE_GPU && p.vendorId == XK_VENDOR_INTEL;
}

/* Counts the Intel GPUs of one driver; *out becomes the index-th of all. */
static void look_at_driver(struct xk_ze_found *out, ze_driver_handle_t driver,
                           uint32_t index)
{
    ze_device_handle_t device[DEVICES_MAX];
    uint32_t n = 0;
    /* The first call asks for the number of devices, since drivers take a
     * number that they are given for their own. */
    out->ze.zeDeviceGet(driver, &n, NULL);
    n = n < DEVICES_MAX ? n : DEVICES_MAX;
    if (out->ze.zeDeviceGet(driver, &n, device) != ZE_RESULT_SUCCESS)
        return;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_intel_gpu(&out->ze, device[i]))
            continue;
        if (out->n++ == index) {
            out->driver = driver;
            out->device = device[i];
        }
    }
}

enum xk_status xk_ze_find(uint32_t index, struct xk_ze_found *out,
                          struct xk_error *err)
{
    ze_driver_handle_t driver[DRIVERS_MAX];
    uint32_t n = 0;
    *out = (struct xk_ze_found){.n = 0};
    XK_TRY(load_level_zero(&out->ze, err));
    XK_ZE_TRY(out, err, zeInit, 0);
    XK_ZE_TRY(out, err, zeDriverGet, &n, NULL);
    n = n < DRIVERS_MAX ? n : DRIVERS_MAX;
    XK_ZE_TRY(out, err, zeDriverGet, &n, driver);
    for (uint32_t i = 0; i < n; i++)
        look_at_driver(out, driver[i], index);
    return out->n ? XK_OK
                  : xk_runtime_fail(err, XK_EABSENT,
                                    "ze: no Intel GPU under %u driver(s)", n);
}

enum xk_status xk_ze_device_count(uint32_t *n, struct xk_error *err)
{
    struct xk_ze_found found;
    XK_TRY(xk_ze_find(0, &found, err));
    *n = found.n;
    return XK_OK;
}

static uint64_t memory_b(const struct xk_ze_found *f)
{
    ze_device_memory_properties_t p[MEMORIES_MAX];
    uint32_t n = 0;
    uint64_t sum_b = 0;
    memset(p, 0, sizeof p);
    for (unsigned i = 0; i < MEMORIES_MAX; i++)
        p[i].stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES;
    f->ze.zeDeviceGetMemoryProperties(f->device, &n, NULL);
    n = n < MEMORIES_MAX ? n : MEMORIES_MAX;
    if (f->ze.zeDeviceGetMemoryProperties(f->device, &n, p))
        return 0;
    for (uint32_t i = 0; i < n; i++)
        sum_b += p[i].totalSize;
    return sum_b;
}

enum xk_status xk_ze_device_query(uint32_t index, struct xk_device_info *info,
                                  struct xk_error *err)
{
    struct xk_ze_found f;
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_driver_properties_t driver = {.stype =
                                         ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    XK_TRY(xk_ze_find(index, &f, err));
    XK_ZE_TRY(&f, err, zeDeviceGetProperties, f.device, &p);
    XK_ZE_TRY(&f, err, zeDriverGetProperties, f.driver, &driver);
    snprintf(info->name, sizeof info->name, "%.127s", p.name);
    snprintf(info->driver, sizeof info->driver, "Level Zero driver 0x%08x",
             driver.driverVersion);
    strcpy(info->platform, xk_device_id_platform(p.deviceId, 0));
    info->device_id = p.deviceId;
    info->n_units = p.numSlices * p.numSubslicesPerSlice * p.numEUsPerSubslice;
    info->threads_per_unit = p.numThreadsPerEU;
    info->memory_b = memory_b(&f);
    info->max_buffer_b = p.maxMemAllocSize;
    return XK_OK;
}
