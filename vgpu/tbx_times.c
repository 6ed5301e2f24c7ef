/* SPDX-License-Identifier: Apache-2.0 */
/* An OpenCL event's times in order. Intel's driver takes the time when a
 * command is queued from the kernel driver's clocks, and does not look whether
 * it got one (22.43, device_time_drm.cpp, getCpuGpuTime;
 * command_queue_hw_base.inl, setupEvent). Without a kernel driver that time,
 * and the one of submission, is what was on its stack. Start and end are the
 * device's, but a whole period of its clock later if the start lies before that
 * number (event.cpp, calculateProfilingDataInternal). On the virtual device no
 * time passes but while something runs: a command is queued, submitted and
 * started at the same instant. This file is a part of the library that xk vgpu
 * loads before the C library into the programs that it starts. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
/* CL/cl.h has these. */
#define PROFILING_COMMAND_QUEUED 0x1280u
#define PROFILING_COMMAND_START 0x1282u
#define PROFILING_COMMAND_COMPLETE 0x1284u
#define INVALID_OPERATION (-59)
#define NS_A_TICK 83.333 /* as the driver computes: 12 MHz */

typedef int32_t profiling_fn(void *event, uint32_t name, size_t size_b,
                             void *value, size_t *value_b);

/* OpenCL's own prototype, without its headers. */
EXPORT profiling_fn clGetEventProfilingInfo;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static profiling_fn *next_profiling;

/* A library that a plugin brought is not behind this one in the order of
 * RTLD_NEXT, but somebody has loaded it, since there is an event. */
static void find_profiling(void)
{
    void *f = dlsym(RTLD_NEXT, "clGetEventProfilingInfo");
    void *const loaded =
        f ? NULL : dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (loaded)
        f = dlsym(loaded, "clGetEventProfilingInfo");
    memcpy(&next_profiling, &f, sizeof f);
}

/* The bits of the clock are the driver's getGlobalTimeStampBits(). */
static uint64_t period_ns(void)
{
    const char *const product = getenv("ProductFamilyOverride");
    const bool older = product && strcmp(product, "tgllp") == 0;
    return (uint64_t)((double)(UINT64_C(1) << (older ? 36 : 32)) * NS_A_TICK);
}

int32_t clGetEventProfilingInfo(void *event, uint32_t name, size_t size_b,
                                void *value, size_t *value_b)
{
    uint64_t start, time;
    pthread_once(&once, find_profiling);
    if (!next_profiling)
        return INVALID_OPERATION;
    if (name < PROFILING_COMMAND_QUEUED || name > PROFILING_COMMAND_COMPLETE)
        return next_profiling(event, name, size_b, value, value_b);
    if (name < PROFILING_COMMAND_START)
        name = PROFILING_COMMAND_START;
    int32_t s = next_profiling(event, name, size_b, value, value_b);
    if (s || !value)
        return s;
    memcpy(&time, value, sizeof time);
    start = time;
    if (name != PROFILING_COMMAND_START)
        s = next_profiling(event, PROFILING_COMMAND_START, sizeof start, &start,
                           NULL);
    if (s)
        return s;
    time -= start - start % period_ns();
    memcpy(value, &time, sizeof time);
    return s;
}
