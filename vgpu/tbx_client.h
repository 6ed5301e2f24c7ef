/* SPDX-License-Identifier: Apache-2.0 */
/* One connection of a client: an engine with its own physical numbers, global
 * table and rings, on the memory of the client's process. No sockets here. */
#ifndef XK_VGPU_TBX_CLIENT_H
#define XK_VGPU_TBX_CLIENT_H

#include "vgpu/client_process.h"
#include "vgpu/tbx_protocol.h"

typedef struct xk_tbx_client xk_tbx_client;

struct xk_tbx_client_ops {
    /* The client's process; 0: not known. Called once. */
    int (*pid)(void *user);
    /* Sends bytes to the client, or keeps them to be sent soon. */
    enum xk_status (*reply)(void *user, const void *bytes, size_t n_b);
    /* Executes messages that arrive within ms, while a semaphore waits. False:
     * the client has gone. */
    bool (*pump)(void *user, unsigned ms);
    void *user;
    /* The address at which the client will store the n_b bytes of an answer
     * whose head it has been sent. False: it cannot be seen. May be NULL. */
    bool (*target)(void *user, uint32_t n_b, uint64_t *va);
};

XK_GIVE enum xk_status xk_tbx_client_create(xk_ctx *c, struct xk_gpu_device *d,
                                            const struct xk_tbx_client_ops *ops,
                                            xk_tbx_client **out);
void xk_tbx_client_destroy(xk_tbx_client *t);
/* Executes a message, and a submission to its end. m->data is not used after
 * the first call of reply or pump. */
enum xk_status xk_tbx_client_take(xk_tbx_client *t,
                                  const struct xk_tbx_message *m);

#endif
