/* SPDX-License-Identifier: Apache-2.0 */
/* A client of the virtual device that is no driver: messages made by hand from
 * virtual-device.md 1 and 2, with one engine, one context, and page tables as
 * the driver lays them out. */
#ifndef XK_TESTS_VGPU_RAW_CLIENT_H
#define XK_TESTS_VGPU_RAW_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAW_LRCA 0x6000u
#define RAW_RENDER 0x2000u
#define RAW_COPY 0x22000u
#define RAW_PAGE_B 4096u

struct raw_client {
    int fd;
    uint32_t base; /* of the engine */
    uint32_t id, tail;
    uint64_t next_page; /* physical, not yet given away */
    uint8_t *out;       /* collected until raw_flush */
    size_t out_b, cap_b;
};

/* False if nobody listens there. */
bool raw_open(struct raw_client *r, uint16_t port, uint32_t base);
void raw_close(struct raw_client *r);
bool raw_flush(struct raw_client *r);

/* A message: header, body of n dwords, data. */
void raw_message(struct raw_client *r, uint32_t type, const uint32_t *body,
                 unsigned n, const void *data, size_t n_b);
/* Any bytes. */
void raw_bytes(struct raw_client *r, const void *bytes, size_t n_b);
void raw_register(struct raw_client *r, uint32_t offset, uint32_t value);
void raw_write(struct raw_client *r, uint64_t physical, const void *data,
               uint32_t n_b);
/* False if the server has closed, or answers something else. */
bool raw_read(struct raw_client *r, uint64_t physical, void *data,
              uint32_t n_b);

/* What a driver sends first: status page, ring, context image. */
void raw_begin(struct raw_client *r);
/* Maps the page of va to the next physical one, or to `physical`. */
uint64_t raw_map(struct raw_client *r, uint64_t va);
void raw_map_to(struct raw_client *r, uint64_t va, uint64_t physical);
/* Submits the batch at va. */
void raw_submit(struct raw_client *r, uint64_t va);

#endif
