/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/vgpu/raw_client.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PML4 UINT64_C(0x20000000)
#define PDP UINT64_C(0x40000000)
#define PD UINT64_C(0x80000000)
#define PT UINT64_C(0x100000000)
#define RING 0x2000u
#define RING_B 0x4000u

bool raw_open(struct raw_client *r, uint16_t port, uint32_t base)
{
    const struct sockaddr_in a = {.sin_family = AF_INET,
                                  .sin_port = htons(port),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const struct timeval limit = {20, 0};
    const int on = 1;
    *r = (struct raw_client){.base = base, .next_page = 0x100000};
    r->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(r->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(r->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return connect(r->fd, (const struct sockaddr *)&a, sizeof a) == 0;
}

void raw_close(struct raw_client *r)
{
    close(r->fd);
    free(r->out);
    r->out = NULL;
}

bool raw_flush(struct raw_client *r)
{
    size_t done = 0;
    while (done < r->out_b) {
        const ssize_t n =
            send(r->fd, r->out + done, r->out_b - done, MSG_NOSIGNAL);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    const bool all = done == r->out_b;
    r->out_b = 0;
    return all;
}

void raw_bytes(struct raw_client *r, const void *bytes, size_t n_b)
{
    if (r->out_b + n_b > r->cap_b) {
        r->cap_b = 2 * (r->out_b + n_b);
        r->out = realloc(r->out, r->cap_b);
        if (!r->out)
            abort();
    }
    if (n_b)
        memcpy(r->out + r->out_b, bytes, n_b);
    r->out_b += n_b;
}

void raw_message(struct raw_client *r, uint32_t type, const uint32_t *body,
                 unsigned n, const void *data, size_t n_b)
{
    const uint32_t head[3] = {type, r->id++, 4 * n};
    raw_bytes(r, head, sizeof head);
    raw_bytes(r, body, 4 * n);
    raw_bytes(r, data, n_b);
}

void raw_register(struct raw_client *r, uint32_t offset, uint32_t value)
{
    raw_message(r, 0, (const uint32_t[]){0x9, offset, value}, 3, NULL, 0);
}

void raw_write(struct raw_client *r, uint64_t physical, const void *data,
               uint32_t n_b)
{
    const uint32_t body[3] = {(uint32_t)(physical >> 32) << 24,
                              (uint32_t)physical, n_b};
    raw_message(r, 4, body, 3, data, n_b);
}

static bool receive(struct raw_client *r, void *data, size_t n_b)
{
    uint8_t *const to = data;
    for (size_t done = 0; done < n_b;) {
        const ssize_t n = recv(r->fd, to + done, n_b - done, 0);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

bool raw_read(struct raw_client *r, uint64_t physical, void *data, uint32_t n_b)
{
    const uint32_t body[3] = {(uint32_t)(physical >> 32) << 24,
                              (uint32_t)physical, n_b};
    const uint32_t id = r->id;
    uint32_t head[6];
    raw_message(r, 5, body, 3, NULL, 0);
    return raw_flush(r) && receive(r, head, sizeof head) && head[0] == 6 &&
           head[1] == id && head[2] == 12 && head[4] == body[1] &&
           head[5] == n_b && receive(r, data, n_b);
}

static void write32(struct raw_client *r, uint64_t physical, uint32_t v)
{
    raw_write(r, physical, &v, 4);
}

void raw_begin(struct raw_client *r)
{
    static const uint8_t image[0x2000];
    for (uint32_t page = 1; page < 9; page++)
        raw_message(r, 2, (const uint32_t[]){1, page, page << 12 | 1, 0}, 4,
                    NULL, 0);
    raw_register(r, r->base + 0x80, 0x1000);
    raw_write(r, RAW_LRCA, image, sizeof image);
    write32(r, RAW_LRCA + 0x1024, RING);
    write32(r, RAW_LRCA + 0x102c, (RING_B - 0x1000) | 1);
    write32(r, RAW_LRCA + 0x10cc, (uint32_t)PML4);
}

void raw_map_to(struct raw_client *r, uint64_t va, uint64_t physical)
{
    const uint64_t page = ~UINT64_C(0xfff);
    const uint64_t at[4] = {PML4 + 8 * (va >> 39), PDP + 8 * (va >> 30),
                            PD + 8 * (va >> 21), PT + 8 * (va >> 12)};
    const uint64_t entry[4] = {(at[1] & page) | 3, (at[2] & page) | 3,
                               (at[3] & page) | 3, physical | 3};
    for (unsigned k = 0; k < 4; k++)
        raw_write(r, at[k], &entry[k], 8);
}

uint64_t raw_map(struct raw_client *r, uint64_t va)
{
    const uint64_t physical = r->next_page;
    raw_map_to(r, va, physical);
    r->next_page += RAW_PAGE_B;
    return physical;
}

void raw_submit(struct raw_client *r, uint64_t va)
{
    const uint32_t start[4] = {0x18800101, (uint32_t)va, (uint32_t)(va >> 32),
                               0};
    raw_write(r, RING + r->tail, start, sizeof start);
    r->tail = (r->tail + 16) % RING_B;
    write32(r, RAW_LRCA + 0x101c, r->tail);
    raw_register(r, r->base + 0x510, RAW_LRCA | 0x119);
    raw_register(r, r->base + 0x514, 0);
    raw_register(r, r->base + 0x550, 1);
}
