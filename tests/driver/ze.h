/* SPDX-License-Identifier: Apache-2.0 */
/* Intel's Level Zero driver in AUB capture mode: it takes modules, kernels,
 * arguments and launches without a GPU and executes nothing. Loaded at run
 * time, through the real loader. Not under ASan: the driver opens libraries
 * with RTLD_DEEPBIND. */
#ifndef XK_TESTS_DRIVER_ZE_H
#define XK_TESTS_DRIVER_ZE_H

#include <stdbool.h>
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

#define ZE_ARGS_MAX 24

/* One kernel launch. Argument i is a buffer of size_b[i] bytes: of the device,
 * or, if data[i] says what it holds at first, shared with the host. Or it is
 * the value value[i] of size_b[i] bytes, or so much local memory. */
struct ze_job {
    const void *zebin;
    size_t zebin_b;
    const char *kernel;
    uint32_t groups[3], local[3];
    uint32_t n_args;
    uint64_t size_b[ZE_ARGS_MAX];
    const void *data[ZE_ARGS_MAX], *value[ZE_ARGS_MAX];
    bool is_local[ZE_ARGS_MAX];
    bool any_n_args; /* the driver may know of fewer: unused ones are dropped */
    bool indirect;   /* the group count is read from memory by the device */
    uint32_t times;  /* launches in the list; 0 is 1 */
    /* After the launch, while the buffers live; may be NULL. memory[i]: the
     * device's address of buffer i. */
    void (*launched)(void *user, void *const *memory);
    void *user;
};

/* The device that the driver pretends to have, once a process: its product and
 * configuration as the driver spells them, and where the capture goes. */
struct ze_setup {
    const char *product, *hardware, *capture;
    const char *const (*keys)[2]; /* more of the driver's keys; NULL: none */
    unsigned n_keys;
};

/* NULL or why there is no driver; sets the driver's environment first. A dg2
 * whose captures go nowhere. */
const char *ze_open(struct ze_driver *z);
const char *ze_open_as(struct ze_driver *z, const struct ze_setup *s);
void ze_close(struct ze_driver *z);

/* The first call that fails, or NULL; *result is its code. */
const char *ze_run(struct ze_driver *z, const struct ze_job *job,
                   ze_result_t *result);

#endif
