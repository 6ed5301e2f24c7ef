/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device_id.h"

#include "base/alloc.h"

static const struct {
    uint16_t id;
    const char *platform;
} ids[] = {
#define XK_DEVICE_ID(id, product, platform) {id, #platform},
#define XK_IP_VERSIONS(major, first, last, platform)
#include "runtime/device_id.def"
};

static const struct {
    uint16_t major, first, last;
    const char *platform;
} versions[] = {
#define XK_DEVICE_ID(id, product, platform)
#define XK_IP_VERSIONS(major, first, last, platform)                           \
    {major, first, last, #platform},
#include "runtime/device_id.def"
};

const char *xk_device_id_platform(uint32_t device_id, uint32_t ip_version)
{
    const uint32_t major = ip_version >> 22, minor = ip_version >> 14 & 0xff;
    for (size_t i = 0; i < XK_COUNTOF(ids); i++)
        if (ids[i].id == device_id)
            return ids[i].platform;
    for (size_t i = 0; i < XK_COUNTOF(versions); i++)
        if (versions[i].major == major && minor >= versions[i].first &&
            minor <= versions[i].last)
            return versions[i].platform;
    return "";
}
