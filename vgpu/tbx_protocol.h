/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the driver's test-bench socket (virtual-device.md 1), as bytes:
 * no sockets here. */
#ifndef XK_VGPU_TBX_PROTOCOL_H
#define XK_VGPU_TBX_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ctx.h"

#define XK_TBX_HEADER_B 12u
#define XK_TBX_MAX_BODY_B 64u        /* of a kind that is not known */
#define XK_TBX_MAX_DATA_B (8u << 20) /* written or read by one message */
#define XK_TBX_READ_REPLY_B 24u      /* before the data */
#define XK_TBX_REGISTER_REPLY_B 16u

enum xk_tbx_kind {
    XK_TBX_REGISTER_WRITE,
    XK_TBX_REGISTER_READ,
    XK_TBX_GGTT_WRITE,
    XK_TBX_MEMORY_WRITE,
    XK_TBX_MEMORY_READ,
    XK_TBX_UNKNOWN, /* value: its type */
    XK_TBX_OTHER    /* nothing to do, no answer */
};

struct xk_tbx_message {
    uint8_t kind;     /* enum xk_tbx_kind */
    uint8_t bank;     /* of a memory write: 0 system, 1 local */
    uint32_t id;      /* an answer repeats it */
    uint64_t address; /* a register's offset, a table's index, a physical one */
    uint64_t value;   /* of a register or an entry */
    uint32_t n_b;     /* of data */
    const uint8_t *data; /* of a memory write: into the bytes */
};

/* Parses the message at the start of bytes. *need_b becomes its size, which may
 * grow from call to call until all of it is there; only then *m is set.
 * XK_EPARSE names the field that no driver would send. */
enum xk_status xk_tbx_parse(xk_ctx *c, const uint8_t *bytes, size_t n_b,
                            struct xk_tbx_message *m, size_t *need_b);

/* The header that is sent before the n_b bytes which a memory read asked
 * for. */
void xk_tbx_read_reply(const struct xk_tbx_message *m,
                       uint8_t out[XK_TBX_READ_REPLY_B]);
void xk_tbx_register_reply(const struct xk_tbx_message *m, uint32_t value,
                           uint8_t out[XK_TBX_REGISTER_REPLY_B]);

#endif
