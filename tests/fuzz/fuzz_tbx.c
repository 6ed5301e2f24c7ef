/* SPDX-License-Identifier: Apache-2.0 */
/* The virtual device's protocol: a connection that receives any bytes. It may
 * refuse them, never crash, and never hold more than its limit. */
#include <stdlib.h>
#include <string.h>

#include "vgpu/tbx_client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b);

#define LIMIT_B (8u << 20)

static int pid(void *user)
{
    (void)user;
    return 0;
}

static enum xk_status reply(void *user, const void *bytes, size_t n_b)
{
    uint64_t *const sum = user;
    for (size_t k = 0; k < n_b; k++) /* reads all of it */
        *sum += ((const uint8_t *)bytes)[k];
    return XK_OK;
}

static bool pump(void *user, unsigned ms)
{
    (void)user;
    (void)ms;
    return false;
}

static void feed(xk_ctx *c, xk_tbx_client *t, const uint8_t *data, size_t n_b)
{
    size_t need_b = 0;
    for (size_t at = 0; at < n_b; at += need_b) {
        struct xk_tbx_message m;
        if (xk_tbx_parse(c, data + at, n_b - at, &m, &need_b) < 0 ||
            need_b > n_b - at || xk_tbx_client_take(t, &m) < 0)
            return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b)
{
    const struct xk_virtual_device_opts o = {
        .platform = "xehpg",
        .n_host_threads = 1,
        .max_memory_b = LIMIT_B,
        .max_commands = 200,
        .look = &(const struct xk_simulate_opts){.inst_limit = 1000}};
    struct xk_gpu_device d;
    struct xk_error err;
    uint64_t sum = 0;
    const struct xk_tbx_client_ops ops = {pid, reply, pump, &sum};
    if (xk_gpu_device_init(&d, &o, &err) < 0)
        abort();
    d.max_threads = 64;
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_tbx_client *t;
    if (c && xk_tbx_client_create(c, &d, &ops, &t) == XK_OK) {
        feed(c, t, data, n_b);
        xk_tbx_client_destroy(t);
    }
    xk_ctx_destroy(c);
    xk_gpu_device_fini(&d);
    return 0;
}
