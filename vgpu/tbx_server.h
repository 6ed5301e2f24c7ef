/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets and threads of the virtual device: a listener on loopback, a thread a
 * connection. */
#ifndef XK_VGPU_TBX_SERVER_H
#define XK_VGPU_TBX_SERVER_H

#include "vgpu/tbx_client.h"

typedef struct xk_tbx_server xk_tbx_server;

/* Listens on d->opts.port. XK_EFAULT: the port is taken. */
XK_GIVE enum xk_status xk_tbx_server_start(struct xk_gpu_device *d,
                                           xk_tbx_server **out,
                                           struct xk_error *err);
uint16_t xk_tbx_server_port(const xk_tbx_server *s);
/* Drops the clients that are left and waits for their threads. */
void xk_tbx_server_stop(xk_tbx_server *s);

#endif
