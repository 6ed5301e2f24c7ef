/* SPDX-License-Identifier: Apache-2.0 */
/* bench_link [PAGES [ROUNDS]]: pages up and down as the driver moves them, in
 * synchronous round trips of two sends each, against the virtual device and
 * against a bare server that answers the same messages and stores nothing. Both
 * in this run, in turns; the best round of each counts. Exits 1 if the device
 * reaches less than 0.8 of the bare server's rate. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/vgpu/raw_client.h"
#include "xekern/virtual_device.h"

#define DATA UINT64_C(0x800100000000)
#define HEAD_B 24u /* of a write or a read: header and body */

static uint8_t page[RAW_PAGE_B];

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void must(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "bench_link: %s\n", what);
    exit(1);
}

/* The bare server: one connection, blocking, one receive for many messages. */
struct bare {
    int fd;
    uint16_t port;
    pthread_t thread;
};

static uint32_t get(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

/* Answers the message at p, if it is complete: its bytes, else 0. */
static size_t answer(int fd, const uint8_t *p, size_t n_b)
{
    static uint8_t out[HEAD_B + RAW_PAGE_B];
    if (n_b < 12 || n_b < 12 + get(p + 8))
        return 0;
    const size_t own_b = 12 + get(p + 8);
    if (get(p) == 4)
        return n_b < own_b + get(p + 20) ? 0 : own_b + get(p + 20);
    if (get(p) == 5) {
        memcpy(out, p, HEAD_B);
        out[0] = 6;
        must(send(fd, out, HEAD_B + get(p + 20), 0) > 0, "bare: send");
    }
    return own_b;
}

static void *serve_bare(void *arg)
{
    const struct bare *const b = arg;
    static uint8_t in[256 << 10];
    const int one = 1, fd = accept(b->fd, NULL, NULL);
    size_t end = 0;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    for (ssize_t n; (n = recv(fd, in + end, sizeof in - end, 0)) > 0;) {
        size_t at = 0, used;
        end += (size_t)n;
        while ((used = answer(fd, in + at, end - at)))
            at += used;
        memmove(in, in + at, end - at);
        end -= at;
    }
    close(fd);
    return NULL;
}

static void start_bare(struct bare *b)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t a_b = sizeof a;
    b->fd = socket(AF_INET, SOCK_STREAM, 0);
    must(!bind(b->fd, (const struct sockaddr *)&a, a_b) && !listen(b->fd, 1) &&
             !getsockname(b->fd, (struct sockaddr *)&a, &a_b),
         "no port for the bare server");
    b->port = ntohs(a.sin_port);
    must(!pthread_create(&b->thread, NULL, serve_bare, b), "no thread");
}

static void send_all(struct raw_client *r, const void *p, size_t n_b)
{
    must(send(r->fd, p, n_b, 0) == (ssize_t)n_b, "send");
}

static void head(struct raw_client *r, uint32_t type, uint64_t physical,
                 uint32_t n_b)
{
    const uint32_t dw[6] = {
        type, r->id++, 12, (uint32_t)(physical >> 32) << 24, (uint32_t)physical,
        n_b};
    send_all(r, dw, sizeof dw);
}

static void put(struct raw_client *r, uint64_t physical, const void *data,
                uint32_t n_b)
{
    head(r, 4, physical, n_b);
    send_all(r, data, n_b);
}

/* Four entries of tables, then the content (virtual-device.md 2.2). */
static void upload(struct raw_client *r, uint64_t k)
{
    const uint64_t va = DATA + k * RAW_PAGE_B;
    const uint64_t at[4] = {
        0x20000000 + 8 * (va >> 39), 0x40000000 + 8 * (va >> 30),
        0x80000000 + 8 * (va >> 21), UINT64_C(0x100000000) + 8 * (va >> 12)};
    const uint64_t physical = 0x100000 + k * RAW_PAGE_B;
    for (unsigned n = 0; n < 4; n++) {
        const uint64_t entry =
            n < 3 ? (at[n + 1] & ~UINT64_C(0xfff)) | 3 : physical | 3;
        put(r, at[n], &entry, 8);
    }
    put(r, physical, page, RAW_PAGE_B);
}

static void download(struct raw_client *r, uint64_t k)
{
    uint8_t got[HEAD_B];
    head(r, 5, 0x100000 + k * RAW_PAGE_B, RAW_PAGE_B);
    must(recv(r->fd, got, sizeof got, MSG_WAITALL) == sizeof got &&
             recv(r->fd, page, RAW_PAGE_B, MSG_WAITALL) == RAW_PAGE_B,
         "recv");
}

/* MiB/s: pages that are new to the server, the same again, and back. */
enum { FIRST, AGAIN, DOWN, N_WAYS };
static const char *const ways[N_WAYS] = {"up, new pages", "up again", "down"};
struct rates {
    double way[N_WAYS];
};

/* The read at the end comes when all writes were taken. */
static double time_way(struct raw_client *r, int way, unsigned pages)
{
    const double begin = now_s();
    for (unsigned k = 0; k < pages; k++)
        way == DOWN ? download(r, k) : upload(r, k);
    if (way != DOWN)
        download(r, pages - 1);
    return pages * (double)RAW_PAGE_B / (1 << 20) / (now_s() - begin);
}

static void measure(uint16_t port, unsigned pages, struct rates *best)
{
    struct raw_client r;
    must(raw_open(&r, port, RAW_RENDER), "connect");
    for (int way = 0; way < N_WAYS; way++) {
        const double rate = time_way(&r, way, pages);
        best->way[way] = rate > best->way[way] ? rate : best->way[way];
    }
    raw_close(&r);
}

/* New pages also cost the host's kernel, which the bare server has not. */
static bool report(const struct rates *device, const struct rates *bare)
{
    bool good = true;
    for (int w = 0; w < N_WAYS; w++) {
        const double ratio = device->way[w] / bare->way[w];
        printf("%-14s device %5.0f MiB/s, bare %5.0f MiB/s, ratio %.2f\n",
               ways[w], device->way[w], bare->way[w], ratio);
        good &= w == FIRST || ratio >= 0.8;
    }
    return good;
}

int main(int argc, char **argv)
{
    const unsigned pages = argc > 1 ? (unsigned)atoi(argv[1]) : 8192;
    const unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 5;
    const struct xk_virtual_device_opts o = {.platform = "xehpg"};
    struct xk_error err = {XK_OK, ""};
    struct rates device = {{0}}, bare = {{0}};
    xk_virtual_device *d;
    must(xk_virtual_device_start(&o, &d, &err) == XK_OK, err.message);
    for (unsigned k = 0; k < rounds; k++) {
        struct bare b;
        start_bare(&b);
        measure(b.port, pages, &bare);
        pthread_join(b.thread, NULL);
        close(b.fd);
        measure(xk_virtual_device_port(d), pages, &device);
    }
    xk_virtual_device_stop(d);
    printf("%u pages, best of %u\n", pages, rounds);
    return report(&device, &bare) ? 0 : 1;
}
