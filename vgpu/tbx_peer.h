/* SPDX-License-Identifier: Apache-2.0 */
/* Who is at the other end of a loopback connection. */
#ifndef XK_VGPU_TBX_PEER_H
#define XK_VGPU_TBX_PEER_H

#include <stdbool.h>
#include <stdint.h>

struct xk_tbx_peer {
    int pid, fd; /* the process, and its descriptor; pid 0: not known */
};

/* Who holds the other end of the connected socket. */
struct xk_tbx_peer xk_tbx_peer_find(int fd);
/* Where the client, which has got the rest of an answer, stores its last n_b
 * bytes: the buffer that it waits for them with. False if that is not seen
 * within a tenth of a second. */
bool xk_tbx_peer_waits(const struct xk_tbx_peer *p, uint32_t n_b, uint64_t *va);

#endif
