/* SPDX-License-Identifier: Apache-2.0 */
/* Intel's Level Zero driver in AUB capture mode: it takes modules, kernels,
 * arguments and launches without a GPU and executes nothing. Loaded at run
 * time, through the real loader. Not under ASan: the driver opens libraries
 * with RTLD_DEEPBIND. */
#ifndef XK_TESTS_DRIVER_ZE_H
#define XK_TESTS_DRIVER_ZE_H

#include <stddef.h>
#include <stdint.h>

#include <level_zero/ze_api.h>

struct ze_driver {
    void *library;
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_queue_handle_t queue;
};

/* One kernel launch; buffers are made with size_b[i] bytes. */
struct ze_job {
    const void *zebin;
    size_t zebin_b;
    const char *kernel;
    uint32_t groups[3], local[3];
    uint32_t n_args;
    uint64_t size_b[8];
};

/* NULL or why there is no driver; sets the driver's environment first. */
const char *ze_open(struct ze_driver *z);
void ze_close(struct ze_driver *z);

/* The first call that fails, or NULL; *result is its code. */
const char *ze_run(struct ze_driver *z, const struct ze_job *job,
                   ze_result_t *result);

#endif
