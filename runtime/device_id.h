/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a device's platform from what its driver reports. */
#ifndef XK_RUNTIME_DEVICE_ID_H
#define XK_RUNTIME_DEVICE_ID_H

#include <stdint.h>

#define XK_VENDOR_INTEL 0x8086u

/* device_id: PCI. ip_version: major << 22 | minor << 14 | revision, as OpenCL
 * gives it; 0: not known. Returns a name such as "xehpg", or "" for a device
 * that the library does not know. */
const char *xk_device_id_platform(uint32_t device_id, uint32_t ip_version);

#endif
