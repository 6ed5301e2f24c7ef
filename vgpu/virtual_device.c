/* SPDX-License-Identifier: Apache-2.0 */
/* xekern/virtual_device.h: the device, its server, and what the driver's
 * environment must say. */
#include "xekern/virtual_device.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "vgpu/tbx_server.h"

/* Products that the driver knows, with the driver's name of the platform and
 * the size that it is given: slices x subslices x cores (virtual-device.md 0).
 * The PCI device and the revision are those of a product that is sold: Iris Xe
 * B0, Arc A770 C0, Max 1550 XT-C0. Without a revision the driver assumes the
 * first stepping and applies its workarounds, such as at most 64 threads in a
 * group. */
static const struct product {
    const char *platform, *name, *shape, *id, *revision;
} products[] = {
    {"xelp", "tgllp", "default", "0x9a49", "1"},
    {"xehpg", "dg2", "8x4x16", "0x56a0", "8"},
    {"xehpc", "pvc", "8x8x8", "0x0bd5", "47"},
};

#define MAX_VARIABLES 16

struct xk_virtual_device {
    struct xk_gpu_device device;
    xk_tbx_server *server;
    char port[8];
    char preload[PATH_MAX];
    struct variable {
        const char *name, *value;
    } variable[MAX_VARIABLES];
    unsigned n_variables;
};

static void add_variable(xk_virtual_device *d, const char *name,
                         const char *value)
{
    d->variable[d->n_variables++] = (struct variable){name, value};
}

/* Puts the library of tbx_lock.c, which lies beside this one, in front of what
 * is preloaded already. False: there is no such file, or its path is too long.
 * Programs whose threads share the driver need the library. */
static bool find_lock(xk_virtual_device *d)
{
    static const char name[] = "libxekern_tbx_lock.so";
    const char *const other = getenv("LD_PRELOAD");
    Dl_info self;
    char path[PATH_MAX + sizeof name];
    if (!dladdr((const void *)products, &self) ||
        !realpath(self.dli_fname, path))
        return false;
    strcpy(strrchr(path, '/') + 1, name);
    if (access(path, R_OK) < 0)
        return false;
    const int n_b = snprintf(d->preload, sizeof d->preload, "%s%s%s", path,
                             other && *other ? ":" : "", other ? other : "");
    return n_b < (int)sizeof d->preload;
}

/* Reasons for the settings below.
 *
 * No local memory: a read does not say which memory it means
 * (virtual-device.md 3.6).
 *
 * Event times come from the device's clock alone: without a kernel driver the
 * driver cannot relate it to the host's clock.
 *
 * OpenCL's copies stay on the engine of its kernels. A second engine would read
 * back allocations that only the first has uploaded, from pages whose address
 * it never sends. If the client's memory may not be read, these pages are not
 * found and the program would get zeros.
 *
 * pvc has no pages of 64 KiB. The driver asks its page library for a
 * description of such pages, gets none for pvc, and clEnqueueMapBuffer reads
 * through the null pointer (22.43, mem_obj.cpp, isTiledAllocation). */
static void make_variables(xk_virtual_device *d, const struct product *p)
{
    snprintf(d->port, sizeof d->port, "%u", xk_tbx_server_port(d->server));
    add_variable(d, "NEOReadDebugKeys", "1");
    add_variable(d, "SetCommandStreamReceiver", "2");
    add_variable(d, "ProductFamilyOverride", p->name);
    add_variable(d, "HardwareInfoOverride", p->shape);
    add_variable(d, "ForceDeviceId", p->id);
    add_variable(d, "OverrideRevision", p->revision);
    add_variable(d, "EnableLocalMemory", "0");
    add_variable(d, "EnableDeviceBasedTimestamps", "1");
    add_variable(d, "EnableBlitterForEnqueueOperations", "0");
    if (strcmp(p->platform, "xehpc") == 0)
        add_variable(d, "Enable64kbpages", "0");
    add_variable(d, "TbxServer", "127.0.0.1");
    add_variable(d, "TbxPort", d->port);
    if (find_lock(d))
        add_variable(d, "LD_PRELOAD", d->preload);
}

static const struct product *find_product(const char *platform)
{
    for (size_t k = 0; k < XK_COUNTOF(products); k++)
        if (strcmp(products[k].platform, platform) == 0)
            return &products[k];
    return NULL;
}

static enum xk_status start_device(xk_virtual_device *d,
                                   const struct xk_virtual_device_opts *opts,
                                   struct xk_error *err)
{
    const char *const name = opts->platform ? opts->platform : "xehpg";
    const struct product *const p = find_product(name);
    if (!p) {
        char known[80] = "";
        for (size_t k = 0; k < XK_COUNTOF(products); k++)
            xk_text_add_word(known, sizeof known, products[k].platform);
        err->status = XK_EINVAL;
        snprintf(err->message, sizeof err->message,
                 "platform: '%.40s' is no virtual device (%s)", name, known);
        return XK_EINVAL;
    }
    XK_TRY(xk_gpu_device_init(&d->device, opts, err));
    const enum xk_status s = xk_tbx_server_start(&d->device, &d->server, err);
    if (s < 0)
        xk_gpu_device_fini(&d->device);
    else
        make_variables(d, p);
    return s;
}

enum xk_status
xk_virtual_device_start(const struct xk_virtual_device_opts *opts,
                        xk_virtual_device **out, struct xk_error *err)
{
    struct xk_error ignored;
    xk_virtual_device *const d = calloc(1, sizeof *d);
    enum xk_status s = XK_ENOMEM;
    *out = NULL;
    err = err ? err : &ignored;
    if (d)
        s = start_device(d, opts, err);
    else
        *err = (struct xk_error){XK_ENOMEM, "out of memory for a device"};
    if (s < 0)
        free(d);
    else
        *out = d;
    return s;
}

uint16_t xk_virtual_device_port(const xk_virtual_device *d)
{
    return xk_tbx_server_port(d->server);
}

bool xk_virtual_device_variable(const xk_virtual_device *d, unsigned k,
                                const char **name, const char **value)
{
    if (k >= d->n_variables)
        return false;
    *name = d->variable[k].name;
    *value = d->variable[k].value;
    return true;
}

void xk_virtual_device_stop(xk_virtual_device *d)
{
    if (!d)
        return;
    xk_tbx_server_stop(d->server);
    xk_gpu_device_fini(&d->device);
    free(d);
}
