/* SPDX-License-Identifier: Apache-2.0 */
/* bench_link [PAGES [ROUNDS]]: pages up and down as the driver moves them, in
 * synchronous round trips of two sends each, against the virtual device and
 * against a bare server that receives the same messages and gives the same
 * answers, from one array that it has touched before. Both in this run, in
 * turns of PIECE pages; the median of the turns' ratios of processor time
 * counts, client and server together, since other programs share the wall
 * time. Rates are of wall time. Which core a thread is on changes them by two
 * and more, so threads are bound: client and servers on one core, then the
 * servers on another one. Exits 1 if the bare server takes less than 0.8 of
 * the device's processor time. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/vgpu/raw_client.h"
#include "xekern/virtual_device.h"

#define DEVICE_VA UINT64_C(0x800100000000) /* memory that no CPU sees */
#define PHYSICAL UINT64_C(0x100000)        /* of the first page */
#define HEAD_B 24u /* of a write or a read: header and body */
#define PIECE 16u  /* pages; short, so that few turns are interrupted */

/* The servers' process; 0: this one. */
static pid_t servers;

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void must(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "bench_link: %s\n", what);
    exit(1);
}

/* This thread, and those that it starts from now on. */
static void bind_to(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    must(!sched_setaffinity(0, sizeof set, &set), "cannot bind to a core");
}

struct times {
    double wall_s, cpu_s; /* cpu_s: of client and servers */
};

static struct times now(void)
{
    const double own_s = seconds(CLOCK_PROCESS_CPUTIME_ID);
    clockid_t others = CLOCK_PROCESS_CPUTIME_ID;
    must(!servers || !clock_getcpuclockid(servers, &others),
         "no clock of the servers");
    return (struct times){seconds(CLOCK_MONOTONIC),
                          own_s + (servers ? seconds(others) : 0)};
}

static unsigned pages = 2048, rounds = 5;

/* The client's pages and one more. */
static size_t buffer_b(void)
{
    return (pages + 1) * (size_t)RAW_PAGE_B;
}

static uint8_t *make_buffer(void)
{
    uint8_t *const p = mmap(NULL, buffer_b(), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(p != MAP_FAILED, "no memory");
    memset(p, 1, buffer_b());
    return p;
}

/* The bare server: one connection at a time, blocking, one receive for many
 * messages. It takes no notice of the page tables. */
struct bare {
    int fd;
    uint16_t port;
    pthread_t thread;
    uint8_t *memory;
};

static uint32_t get(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

/* The content of a page; NULL: of something else. */
static uint8_t *find_page(const struct bare *b, const uint8_t *message)
{
    const uint64_t at =
        (uint64_t)(get(message + 12) >> 24) << 32 | get(message + 16);
    return at - PHYSICAL < buffer_b() && get(message + 20) == RAW_PAGE_B
               ? b->memory + (at - PHYSICAL)
               : NULL;
}

static void answer_read(int fd, const uint8_t *message, const uint8_t *page)
{
    uint8_t out[HEAD_B + RAW_PAGE_B];
    memcpy(out, message, HEAD_B);
    out[0] = 6;
    memcpy(out + HEAD_B, page, RAW_PAGE_B);
    must(send(fd, out, sizeof out, 0) == sizeof out, "bare: send");
}

/* Does what the message at m says, if it is complete: its bytes, else 0. */
static size_t take(const struct bare *b, int fd, const uint8_t *m, size_t n_b)
{
    if (n_b < HEAD_B)
        return 0;
    uint8_t *const page = find_page(b, m);
    if (get(m) == 5 && page)
        answer_read(fd, m, page);
    if (get(m) == 5)
        return HEAD_B;
    if (n_b < HEAD_B + get(m + 20))
        return 0;
    if (page)
        memcpy(page, m + HEAD_B, RAW_PAGE_B);
    return HEAD_B + get(m + 20);
}

static void serve_one(const struct bare *b, int fd)
{
    static uint8_t in[256 << 10];
    const int one = 1;
    size_t end = 0;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    for (ssize_t n; (n = recv(fd, in + end, sizeof in - end, 0)) > 0;) {
        size_t at = 0, used;
        end += (size_t)n;
        while ((used = take(b, fd, in + at, end - at)))
            at += used;
        memmove(in, in + at, end - at);
        end -= at;
    }
    close(fd);
}

static void *serve_bare(void *arg)
{
    const struct bare *const b = arg;
    for (int fd; (fd = accept(b->fd, NULL, NULL)) >= 0;)
        serve_one(b, fd);
    return NULL;
}

static void start_bare(struct bare *b)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t a_b = sizeof a;
    b->memory = make_buffer();
    b->fd = socket(AF_INET, SOCK_STREAM, 0);
    must(!bind(b->fd, (const struct sockaddr *)&a, a_b) && !listen(b->fd, 1) &&
             !getsockname(b->fd, (struct sockaddr *)&a, &a_b),
         "no port for the bare server");
    b->port = ntohs(a.sin_port);
    must(!pthread_create(&b->thread, NULL, serve_bare, b), "no thread");
}

static void stop_bare(struct bare *b)
{
    shutdown(b->fd, SHUT_RDWR);
    pthread_join(b->thread, NULL);
    close(b->fd);
    munmap(b->memory, buffer_b());
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

/* The client's pages, and where the device shall believe them. */
struct buffer {
    const char *name;
    uint8_t *own;
    uint64_t va;
};

/* Four entries of tables, then the content (virtual-device.md 2.2). */
static void upload(struct raw_client *r, const struct buffer *b, uint64_t k)
{
    const uint64_t va = b->va + k * RAW_PAGE_B;
    const uint64_t at[4] = {
        0x20000000 + 8 * (va >> 39), 0x40000000 + 8 * (va >> 30),
        0x80000000 + 8 * (va >> 21), UINT64_C(0x100000000) + 8 * (va >> 12)};
    const uint64_t physical = PHYSICAL + k * RAW_PAGE_B;
    for (unsigned n = 0; n < 4; n++) {
        const uint64_t entry =
            n < 3 ? (at[n + 1] & ~UINT64_C(0xfff)) | 3 : physical | 3;
        put(r, at[n], &entry, 8);
    }
    put(r, physical, b->own + k * RAW_PAGE_B, RAW_PAGE_B);
}

static void download(struct raw_client *r, const struct buffer *b, uint64_t k)
{
    uint8_t got[HEAD_B];
    head(r, 5, PHYSICAL + k * RAW_PAGE_B, RAW_PAGE_B);
    must(recv(r->fd, got, sizeof got, MSG_WAITALL) == sizeof got &&
             recv(r->fd, b->own + k * RAW_PAGE_B, RAW_PAGE_B, MSG_WAITALL) ==
                 RAW_PAGE_B,
         "recv");
}

/* Pages that are new to the server, the same again, and back. */
enum { FIRST, AGAIN, DOWN, N_WAYS };
static const char *const ways[N_WAYS] = {"up, new pages", "up again", "down"};

/* What PIECE pages from page k on take. A read at the end comes when all
 * writes were taken. */
static struct times time_piece(struct raw_client *r, const struct buffer *b,
                               int way, unsigned k)
{
    const struct times begin = now();
    for (unsigned n = 0; n < PIECE; n++)
        way == DOWN ? download(r, b, k + n) : upload(r, b, k + n);
    if (way != DOWN)
        download(r, b, k + PIECE - 1);
    const struct times end = now();
    return (struct times){end.wall_s - begin.wall_s, end.cpu_s - begin.cpu_s};
}

struct turns {
    double *ratio, *device, *bare; /* bare / device of cpu_s; MiB/s */
    unsigned n;
};

static void take_turn(struct turns *t, struct raw_client *const r[2],
                      const struct buffer *b, int way, unsigned k)
{
    const double piece_mib = PIECE * (double)RAW_PAGE_B / (1 << 20);
    struct times s[2];
    const unsigned first = t->n % 2;
    s[first] = time_piece(r[first], b, way, k);
    s[!first] = time_piece(r[!first], b, way, k);
    t->ratio[t->n] = s[0].cpu_s / s[1].cpu_s;
    t->bare[t->n] = piece_mib / s[0].wall_s;
    t->device[t->n++] = piece_mib / s[1].wall_s;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double at_share(double *v, unsigned n, double share)
{
    qsort(v, n, sizeof *v, compare);
    return v[(unsigned)(share * (n - 1))];
}

static bool report(const char *memory, const char *way, struct turns *t)
{
    const double ratio = at_share(t->ratio, t->n, 0.5);
    printf("%-6s %-13s  device %4.0f MiB/s, bare %4.0f MiB/s; processor time, "
           "bare / device %.2f (quartiles %.2f, %.2f)\n",
           memory, way, at_share(t->device, t->n, 0.5),
           at_share(t->bare, t->n, 0.5), ratio, at_share(t->ratio, t->n, 0.25),
           at_share(t->ratio, t->n, 0.75));
    return ratio >= 0.8;
}

struct ports {
    uint16_t bare, device;
};

/* All ways with fresh connections: the device forgets a client that has gone.
 */
static void run_round(struct ports p, const struct buffer *b,
                      struct turns t[N_WAYS])
{
    struct raw_client to_bare, to_device, *const r[2] = {&to_bare, &to_device};
    for (size_t k = 0; k < buffer_b(); k++)
        b->own[k] = (uint8_t)(k >> 12 ^ k);
    must(raw_open(&to_bare, p.bare, RAW_RENDER) &&
             raw_open(&to_device, p.device, RAW_RENDER),
         "connect");
    upload(&to_device, b, pages); /* it finds out who the client is */
    download(&to_device, b, pages);
    for (int way = 0; way < N_WAYS; way++)
        for (unsigned k = 0; k + PIECE <= pages; k += PIECE)
            take_turn(&t[way], r, b, way, k);
    raw_close(&to_bare);
    raw_close(&to_device);
    for (size_t k = 0; k < buffer_b(); k++)
        must(b->own[k] == (uint8_t)(k >> 12 ^ k), "a page came back changed");
}

static bool measure(struct ports p, const struct buffer *b)
{
    struct turns t[N_WAYS] = {{NULL}};
    const size_t n = (size_t)rounds * (pages / PIECE);
    bool good = true;
    for (int way = 0; way < N_WAYS; way++) {
        double *const v = malloc(3 * n * sizeof *v);
        must(v, "no memory");
        t[way] = (struct turns){v, v + n, v + 2 * n, 0};
    }
    for (unsigned k = 0; k < rounds; k++)
        run_round(p, b, t);
    for (int way = 0; way < N_WAYS; way++) {
        good &= report(b->name, ways[way], &t[way]);
        free(t[way].ratio);
    }
    return good;
}

/* The device in memory that no CPU sees, then the client's own. */
static bool run_client(struct ports p)
{
    uint8_t *const own = make_buffer();
    const struct buffer device = {"device", own, DEVICE_VA};
    const struct buffer host = {"host", own, (uintptr_t)own};
    bool good = measure(p, &device);
    good &= measure(p, &host);
    munmap(own, buffer_b());
    return good;
}

/* A child of the servers' process, as under xk vgpu. It waits for the ports. */
static pid_t start_client(int core, int pipe_end)
{
    const pid_t pid = fork();
    must(pid >= 0, "fork");
    if (pid)
        return pid;
    struct ports p;
    servers = getppid();
    bind_to(core);
    must(read(pipe_end, &p, sizeof p) == sizeof p, "no ports");
    const bool good = run_client(p);
    fflush(stdout);
    _exit(good ? 0 : 1);
}

static bool end_client(pid_t pid, int pipe_end, struct ports p)
{
    int status = 1;
    must(write(pipe_end, &p, sizeof p) == sizeof p &&
             waitpid(pid, &status, 0) == pid,
         "the client is gone");
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct place {
    int server_core, client_core;
    bool one_process;
};

static bool measure_at(struct place at)
{
    const struct xk_virtual_device_opts o = {.platform = "xehpg"};
    struct xk_error err = {XK_OK, ""};
    struct bare bare;
    xk_virtual_device *d;
    int ends[2];
    must(!pipe(ends), "pipe");
    printf("servers on core %d, client on core %d, %s:\n", at.server_core,
           at.client_core, at.one_process ? "one process" : "two processes");
    fflush(stdout);
    const pid_t pid =
        at.one_process ? 0 : start_client(at.client_core, ends[0]);
    bind_to(at.server_core);
    start_bare(&bare);
    must(xk_virtual_device_start(&o, &d, &err) == XK_OK, err.message);
    bind_to(at.client_core);
    const struct ports p = {bare.port, xk_virtual_device_port(d)};
    const bool good =
        at.one_process ? run_client(p) : end_client(pid, ends[1], p);
    xk_virtual_device_stop(d);
    stop_bare(&bare);
    close(ends[0]);
    close(ends[1]);
    return good;
}

/* The first two that this process may use; the same twice if it is one. */
static void find_cores(int core[2])
{
    cpu_set_t allowed;
    int n = 0;
    must(!sched_getaffinity(0, sizeof allowed, &allowed), "no affinity");
    for (int k = 0; k < CPU_SETSIZE && n < 2; k++)
        if (CPU_ISSET(k, &allowed))
            core[n++] = k;
    core[1] = n == 2 ? core[1] : core[0];
}

int main(int argc, char **argv)
{
    int core[2];
    pages = argc > 1 ? (unsigned)atoi(argv[1]) : pages;
    rounds = argc > 2 ? (unsigned)atoi(argv[2]) : rounds;
    must(pages >= PIECE && rounds, "at least 16 pages and 1 round");
    find_cores(core);
    printf("%u pages, medians of %u turns of %u pages\n", pages,
           rounds * (pages / PIECE), PIECE);
    bool good = measure_at((struct place){core[0], core[0], false});
    good &= measure_at((struct place){core[0], core[0], true});
    if (core[1] != core[0])
        good &= measure_at((struct place){core[1], core[0], false});
    return good ? 0 : 1;
}
