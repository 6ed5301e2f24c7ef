/* SPDX-License-Identifier: Apache-2.0 */
/* A library that stands where OpenCL's would, behind vgpu/tbx_times.c. */
#ifndef XK_TESTS_VGPU_FAKE_PROFILING_H
#define XK_TESTS_VGPU_FAKE_PROFILING_H

#include <stddef.h>
#include <stdint.h>

/* CL_PROFILING_COMMAND_QUEUED, and SUBMIT, START, END, COMPLETE behind it. */
#define FAKE_QUEUED 0x1280u
enum { FAKE_N = 5 };

extern struct fake_profiling {
    int32_t status[FAKE_N];
    uint64_t time[FAKE_N], step; /* step is added with each answer */
    unsigned n_asked[FAKE_N];
} fake;

#endif
