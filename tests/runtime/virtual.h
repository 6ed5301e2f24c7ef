/* SPDX-License-Identifier: Apache-2.0 */
/* Intel's driver in this process, on a virtual device that a thread of it
 * serves. Not under ASan, which the driver does not run with. */
#ifndef XK_TESTS_RUNTIME_VIRTUAL_H
#define XK_TESTS_RUNTIME_VIRTUAL_H

#include <stdio.h>
#include <stdlib.h>

#include "xekern/virtual_device.h"

static inline void virtual_says(void *user, const char *sentence)
{
    (void)user;
    printf("# virtual device: %s\n", sentence);
}

/* Serves until the process ends: the driver keeps its sockets as long. False:
 * said why. */
static inline bool virtual_open(const char *platform)
{
    const struct xk_virtual_device_opts o = {.platform = platform,
                                             .says = virtual_says};
    static xk_virtual_device *d;
    const char *name, *value;
    struct xk_error err;
    if (xk_virtual_device_start(&o, &d, &err) < 0) {
        printf("1..0 # SKIP no virtual device: %s\n", err.message);
        return false;
    }
    for (unsigned k = 0; xk_virtual_device_variable(d, k, &name, &value); k++)
        setenv(name, value, 1);
    return true;
}

#endif
