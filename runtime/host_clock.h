/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XK_RUNTIME_HOST_CLOCK_H
#define XK_RUNTIME_HOST_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Never goes back. */
static inline uint64_t xk_host_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
