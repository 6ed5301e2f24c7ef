/* SPDX-License-Identifier: Apache-2.0 */
/* A virtual Intel GPU under Intel's own, unmodified Level Zero and OpenCL
 * driver. The device model listens on a loopback socket and executes the
 * driver's submissions on the simulator. The header may change until 1.0. */
#ifndef XK_XEKERN_VIRTUAL_DEVICE_H
#define XK_XEKERN_VIRTUAL_DEVICE_H

#include "xekern/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct xk_virtual_device xk_virtual_device;

/* A kernel launch that was executed. Strings live during the call. */
struct xk_virtual_launch {
    int pid;            /* of the client; 0: unknown */
    const char *kernel; /* the program's name for it; else "kernel at 0x..." */
    uint64_t start_va;  /* of its first instruction */
    uint64_t code_hash; /* equal for equal bytes of code */
    uint32_t groups[3], n_threads, simd; /* threads: per group */
    struct xk_launch_stats stats;        /* device_ns: simulated time */
    enum xk_status status;               /* how it ended; XK_OK before */
};

struct xk_virtual_device_opts {
    const char *platform;    /* "xelp", "xehpg", "xehpc"; NULL: "xehpg" */
    uint16_t port;           /* of 127.0.0.1; 0: any free one */
    unsigned n_host_threads; /* of a launch; 0: all cores */
    uint64_t max_memory_b;   /* of each client process; 0: 16 GiB */
    uint64_t max_commands;   /* of a submission; 0: 10 million */
    const struct xk_simulate_opts *look; /* at each launch; NULL: not at all */
    /* Calls come from the server's threads, one at a time. Any may be NULL. */
    void (*begins)(void *user, const struct xk_virtual_launch *l);
    void (*launched)(void *user, const struct xk_virtual_launch *l);
    /* One sentence about a client that was dropped and why, or a launch that
     * failed. */
    void (*says)(void *user, const char *sentence);
    void *user;
};

/* Listens on 127.0.0.1 and serves from its own threads until it is stopped.
 * opts is copied; what it points to must live as long as the device. XK_EINVAL
 * names the field; XK_EFAULT says that the port is taken. The memory of a
 * client in the calling process is read by plain copies, that of other clients
 * through the kernel. */
XK_API enum xk_status
xk_virtual_device_start(const struct xk_virtual_device_opts *opts,
                        xk_virtual_device **out, struct xk_error *err);
XK_API uint16_t xk_virtual_device_port(const xk_virtual_device *d);
/* The k-th environment variable that a client needs for its driver to use this
 * device, as "NAME" and "VALUE"; false beyond the last one. Strings live as
 * long as the device. */
XK_API bool xk_virtual_device_variable(const xk_virtual_device *d, unsigned k,
                                       const char **name, const char **value);
/* Drops the clients that are left. NULL is allowed. */
XK_API void xk_virtual_device_stop(xk_virtual_device *d);

#ifdef __cplusplus
}
#endif
#endif
