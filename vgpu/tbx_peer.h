/* SPDX-License-Identifier: Apache-2.0 */
/* Who is at the other end of a loopback connection. */
#ifndef XK_VGPU_TBX_PEER_H
#define XK_VGPU_TBX_PEER_H

#include <stdbool.h>
#include <stdint.h>

struct xk_tbx_peer {
    int pid, fd; /* the process, and its descriptor; pid 0: not known */
};

/* The process at the other end of the connected socket. */
struct xk_tbx_peer xk_tbx_peer_find(int fd);
/* The client has received the first part of an answer and waits for its last
 * n_b bytes. *va becomes the address of the buffer in which it will store them.
 * False if the client is not seen waiting within a tenth of a second. */
bool xk_tbx_peer_waits(const struct xk_tbx_peer *p, uint32_t n_b, uint64_t *va);

#endif
