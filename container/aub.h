/* SPDX-License-Identifier: Apache-2.0 */
/* Reads AUB captures packet by packet. In such a file Intel's driver writes
 * what it would have sent to the hardware. Each packet's header has its opcode,
 * sub-opcode and length (virtual-device.md 9, observed on driver 22.43). */
#ifndef XK_CONTAINER_AUB_H
#define XK_CONTAINER_AUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ctx.h"

enum xk_aub_kind {
    XK_AUB_OTHER, /* known length, unknown meaning: skip it */
    XK_AUB_VERSION,
    XK_AUB_REGISTER, /* a register is written: offset, value */
    XK_AUB_POLL,     /* waits for what was submitted before */
    XK_AUB_MEMORY,   /* bytes are written at a physical address */
    XK_AUB_COMMENT,  /* text */
    XK_AUB_CONTEXT,  /* page table root of a context: address */
};

/* Where a memory packet's address points. */
enum xk_aub_space {
    XK_AUB_SPACE_LOCAL = 1,
    XK_AUB_SPACE_SYSTEM = 2,
    XK_AUB_SPACE_GGTT = 4, /* the data are entries of the global table */
    XK_AUB_SPACE_PT = 6,
    XK_AUB_SPACE_PDP = 8,
    XK_AUB_SPACE_PD = 9,
    XK_AUB_SPACE_PML4 = 10,
};

struct xk_aub_packet {
    uint8_t kind;        /* enum xk_aub_kind */
    uint8_t space;       /* MEMORY: enum xk_aub_space, or a number not named */
    uint8_t hint;        /* MEMORY: data type hint */
    uint32_t offset;     /* REGISTER, POLL: byte offset of the register */
    uint32_t value;      /* REGISTER; VERSION: number of the device */
    uint64_t address;    /* MEMORY, CONTEXT: physical */
    const uint8_t *data; /* MEMORY, COMMENT: inside the file */
    size_t data_b;
    size_t at_b; /* offset of the packet in the file */
};

struct xk_aub {
    const uint8_t *file; /* borrowed */
    size_t n_b, at_b;
};

/* The first packet of a capture is a version. */
bool xk_aub_recognise(const void *file, size_t n_b);
enum xk_status xk_aub_open(xk_ctx *c, const void *file, size_t n_b,
                           struct xk_aub *out);
/* The size of the packet at p, from its header; 0: fewer than 4 bytes are
 * there. It serves captures that arrive in pieces. */
uint64_t xk_aub_packet_b(const void *p, size_t n_b);
/* Reads the next packet. Behind the last one it sets *end and leaves *out
 * alone. A truncated or inconsistent file is XK_EPARSE with the packet's
 * offset. */
enum xk_status xk_aub_next(xk_ctx *c, struct xk_aub *a,
                           struct xk_aub_packet *out, bool *end);

#endif
