/* SPDX-License-Identifier: Apache-2.0 */
/* The device itself, and a program that uses it through one or several engines:
 * what the program's connections share. Any thread may call. */
#ifndef XK_VGPU_CLIENT_PROCESS_H
#define XK_VGPU_CLIENT_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>

#include "vgpu/kernel_cache.h"
#include "vgpu/va_store.h"
#include "xekern/virtual_device.h"

struct xk_gpu_process;

/* Nanoseconds that a launch takes on the device. */
typedef uint64_t xk_gpu_launch_ns_fn(void *user,
                                     const struct xk_virtual_launch *l);

struct xk_gpu_device {
    const struct xk_platform *platform;
    struct xk_virtual_device_opts opts; /* with the defaults filled in */
    xk_gpu_launch_ns_fn *launch_ns;
    void *launch_ns_user;
    uint64_t max_threads; /* of a launch; 0: any number */
    atomic_ullong clock_ns;
    pthread_mutex_t calls;    /* one call of opts' functions at a time */
    pthread_mutex_t launches; /* one at a time if they are looked at */
    pthread_mutex_t lock;     /* of the list */
    struct xk_gpu_process *processes;
};

/* XK_EINVAL names the field of *opts, which is copied. */
enum xk_status xk_gpu_device_init(struct xk_gpu_device *d,
                                  const struct xk_virtual_device_opts *opts,
                                  struct xk_error *err);
void xk_gpu_device_fini(struct xk_gpu_device *d);
void xk_gpu_device_say(struct xk_gpu_device *d, const char *fmt, ...)
    XK_PRINTF(2, 3);
/* The clock, in ticks of the driver's timer; moves on with each look. */
uint64_t xk_gpu_device_ticks(struct xk_gpu_device *d);

#define XK_GPU_FLIGHTS 64

struct xk_gpu_process {
    struct xk_gpu_process *next;
    struct xk_gpu_device *device;
    int pid; /* 0: not known */
    unsigned refs;
    xk_va_store *store;
    xk_kernel_cache *kernels;
    atomic_bool refused; /* its memory may not be read; reported once */
    /* Pages sent to the client, which may not have stored them yet. */
    pthread_mutex_t flight_lock;
    struct xk_gpu_flight {
        const void *by;      /* NULL: free */
        atomic_ullong va;    /* 0: none */
        atomic_ullong at_ns; /* set before va */
    } flight[XK_GPU_FLIGHTS];
};

/* The process with that pid; pid 0: a new one. NULL: out of memory. */
struct xk_gpu_process *xk_gpu_process_get(struct xk_gpu_device *d, int pid);
void xk_gpu_process_put(struct xk_gpu_process *p);

/* Copies what the client's CPU has changed to the device: all pages before a
 * submission, one page when a semaphore tests it. by: the connection that
 * asks. */
void xk_gpu_process_refresh(struct xk_gpu_process *p, const void *by);
bool xk_gpu_process_peek(struct xk_gpu_process *p, uint64_t va, void *dst,
                         size_t n_b);
void xk_gpu_process_refresh_page(struct xk_gpu_process *p, const void *by,
                                 uint64_t va);
/* Fills page[] with the page of va (below 2^47) before the connection `by`
 * sends n_b bytes of it to the client. False: not mapped. */
bool xk_gpu_process_download(struct xk_gpu_process *p, const void *by,
                             uint64_t va, uint64_t n_b, uint8_t page[4096]);
/* The entry in which a connection notes the page that it sent last. NULL: all
 * entries are taken. The connection gives it back when it ends. */
struct xk_gpu_flight *xk_gpu_process_flight(struct xk_gpu_process *p,
                                            const void *by);
void xk_gpu_process_landed(struct xk_gpu_process *p, const void *by);
/* va: the page that the connection sends now. 0: the client has sent a message
 * since. */
void xk_gpu_process_fly(struct xk_gpu_flight *f, uint64_t va);

/* Runs a walker on the process's memory and reports the launch. A kernel that
 * fails is reported too and is no error: the batch goes on. */
enum xk_status xk_gpu_process_launch(struct xk_gpu_process *p, xk_ctx *c,
                                     const struct xk_gpu_walker *w);

#endif
