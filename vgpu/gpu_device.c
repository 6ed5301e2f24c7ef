/* SPDX-License-Identifier: Apache-2.0 */
/* The device: its options, its clock, and its messages to the caller. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/watch.h"
#include "vgpu/client_process.h"

#define DEFAULT_MEMORY_B (UINT64_C(16) << 30)
#define DEFAULT_COMMANDS 10000000
#define TICK_NS 83 /* of the driver's timer (virtual-device.md 0) */
#define START_NS UINT64_C(1000000000)

/* The time of a launch without a model: LAUNCH_NS, plus the larger of two. All
 * instructions at one a nanosecond on each of CORES cores; one thread's
 * instructions at INST_NS each. */
#define LAUNCH_NS 2000
#define CORES 512
#define INST_NS 4

static uint64_t launch_ns(void *user, const struct xk_virtual_launch *l)
{
    const uint64_t n = l->stats.instructions;
    const uint64_t wide = n / CORES;
    const uint64_t deep = l->stats.threads ? n / l->stats.threads * INST_NS : 0;
    (void)user;
    return LAUNCH_NS + (wide > deep ? wide : deep);
}

static void set_defaults(struct xk_virtual_device_opts *o)
{
    if (!o->platform)
        o->platform = "xehpg";
    if (!o->max_memory_b)
        o->max_memory_b = DEFAULT_MEMORY_B;
    if (!o->max_commands)
        o->max_commands = DEFAULT_COMMANDS;
}

enum xk_status xk_gpu_device_init(struct xk_gpu_device *d,
                                  const struct xk_virtual_device_opts *opts,
                                  struct xk_error *err)
{
    memset(d, 0, sizeof *d);
    d->opts = *opts;
    set_defaults(&d->opts);
    d->platform = xk_platform_find(d->opts.platform);
    d->launch_ns = launch_ns;
    if (!d->platform) {
        err->status = XK_EINVAL;
        snprintf(err->message, sizeof err->message,
                 "platform: '%.40s' is unknown", d->opts.platform);
        return XK_EINVAL;
    }
    XK_TRY(xk_sim_watch_check_opts(d->opts.look, err));
    atomic_store(&d->clock_ns, START_NS);
    pthread_mutex_init(&d->calls, NULL);
    pthread_mutex_init(&d->launches, NULL);
    pthread_mutex_init(&d->lock, NULL);
    return XK_OK;
}

void xk_gpu_device_fini(struct xk_gpu_device *d)
{
    pthread_mutex_destroy(&d->calls);
    pthread_mutex_destroy(&d->launches);
    pthread_mutex_destroy(&d->lock);
}

void xk_gpu_device_say(struct xk_gpu_device *d, const char *fmt, ...)
{
    char text[700];
    va_list args;
    if (!d->opts.says)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    pthread_mutex_lock(&d->calls);
    d->opts.says(d->opts.user, text);
    pthread_mutex_unlock(&d->calls);
}

uint64_t xk_gpu_device_ticks(struct xk_gpu_device *d)
{
    return atomic_fetch_add(&d->clock_ns, TICK_NS) / TICK_NS;
}
