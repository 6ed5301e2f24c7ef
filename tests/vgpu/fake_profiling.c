/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/vgpu/fake_profiling.h"

#include <string.h>

struct fake_profiling fake;

/* clGetEventProfilingInfo of a driver whose answers a test chooses. */
int32_t clGetEventProfilingInfo(void *event, uint32_t name, size_t size_b,
                                void *value, size_t *value_b);

int32_t clGetEventProfilingInfo(void *event, uint32_t name, size_t size_b,
                                void *value, size_t *value_b)
{
    const unsigned k = name - FAKE_QUEUED;
    (void)event;
    if (k >= FAKE_N)
        return -30;
    fake.n_asked[k]++;
    if (fake.status[k])
        return fake.status[k];
    if (value && size_b < sizeof fake.time[k])
        return -30;
    if (value)
        memcpy(value, &fake.time[k], sizeof fake.time[k]);
    if (value_b)
        *value_b = sizeof fake.time[k];
    fake.time[k] += fake.step;
    return 0;
}
