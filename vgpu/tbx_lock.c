/* SPDX-License-Identifier: Apache-2.0 */
/* A lock that Intel's driver lacks. The driver's threads share an engine's
 * socket and send a message by two calls (22.43, tbx_sockets_imp.cpp,
 * writeMemory), so messages and answers of two threads mix. xk vgpu loads this
 * library before the C library into the programs that it starts (LD_PRELOAD).
 * It acts on sockets that are connected to the device's port. The thread that
 * sends a message's first byte keeps the socket until the last byte is sent and
 * the answer, if there is one, has come. All other sockets are left alone.
 *
 * The driver also fetches back the host's side of a copy to the device. If that
 * memory is constant, the answer is dropped: the bytes cannot have changed. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vgpu/tbx_protocol.h"

#define EXPORT __attribute__((visibility("default")))
#define MOST_SOCKETS 64 /* engines of a program; those beyond have no lock */
#define HEAD_B (XK_TBX_HEADER_B + XK_TBX_MAX_BODY_B)

struct line {
    atomic_int fd; /* -1: free */
    pthread_mutex_t lock;
    /* of the thread that has the lock */
    uint8_t head[HEAD_B]; /* the first bytes of the current message */
    size_t have_b, need_b, reply_b;
    atomic_bool lost; /* the end of a message is not known: no lock any more */
};

static struct line lines[MOST_SOCKETS];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local struct line *mine;
static int (*next_connect)(int, const struct sockaddr *, socklen_t);
static int (*next_close)(int);
static ssize_t (*next_send)(int, const void *, size_t, int);
static ssize_t (*next_recv)(int, void *, size_t, int);

static void find_function(const char *name, void *function)
{
    void *const f = dlsym(RTLD_NEXT, name);
    memcpy(function, &f, sizeof f);
}

static void find_functions(void)
{
    find_function("connect", &next_connect);
    find_function("close", &next_close);
    find_function("send", &next_send);
    find_function("recv", &next_recv);
    for (size_t k = 0; k < MOST_SOCKETS; k++) {
        pthread_mutex_init(&lines[k].lock, NULL);
        atomic_store(&lines[k].fd, -1);
    }
}

static struct line *line_of_socket(int fd)
{
    pthread_once(&once, find_functions);
    for (size_t k = 0; fd >= 0 && k < MOST_SOCKETS; k++)
        if (atomic_load_explicit(&lines[k].fd, memory_order_acquire) == fd)
            return &lines[k];
    return NULL;
}

static bool is_device(const struct sockaddr *to, socklen_t n_b)
{
    const char *const port = getenv("TbxPort");
    struct sockaddr_in in;
    if (!port || !to || to->sa_family != AF_INET || n_b < sizeof in)
        return false;
    memcpy(&in, to, sizeof in);
    return ntohs(in.sin_port) == atoi(port) &&
           ntohl(in.sin_addr.s_addr) == INADDR_LOOPBACK;
}

static void track(int fd)
{
    for (size_t k = 0; k < MOST_SOCKETS; k++) {
        int was = -1;
        struct line *const l = &lines[k];
        if (!atomic_compare_exchange_strong(&l->fd, &was, fd))
            continue;
        l->have_b = l->need_b = l->reply_b = 0;
        l->lost = false;
        return;
    }
}

static void unlock_line(struct line *l)
{
    l->have_b = l->need_b = l->reply_b = 0;
    mine = NULL;
    pthread_mutex_unlock(&l->lock);
}

static void lock_line(struct line *l)
{
    if (mine == l)
        return;
    pthread_mutex_lock(&l->lock);
    mine = l;
}

/* Called when the bytes that were known to be needed are there. True: the
 * message is complete. */
static bool settle_line(struct line *l)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_tbx_message m = {.kind = XK_TBX_OTHER};
    size_t need_b = 0;
    l->lost = !c || xk_tbx_parse(c, l->head, l->have_b, &m, &need_b) < 0;
    xk_ctx_destroy(c);
    l->need_b = need_b;
    if (l->lost || need_b > l->have_b)
        return l->lost;
    l->reply_b = m.kind == XK_TBX_MEMORY_READ     ? XK_TBX_READ_REPLY_B + m.n_b
                 : m.kind == XK_TBX_REGISTER_READ ? XK_TBX_REGISTER_REPLY_B
                                                  : 0;
    l->have_b = l->need_b = 0;
    return true;
}

/* Notes that n_b bytes have been sent. True: they end the message. */
static bool has_gone(struct line *l, const uint8_t *bytes, size_t n_b)
{
    bool complete = false;
    while (n_b && !l->lost) {
        if (!l->need_b)
            l->need_b = XK_TBX_HEADER_B;
        const size_t left_b = l->need_b - l->have_b;
        const size_t k = n_b < left_b ? n_b : left_b;
        if (l->have_b < HEAD_B)
            memcpy(l->head + l->have_b, bytes,
                   k < HEAD_B - l->have_b ? k : HEAD_B - l->have_b);
        l->have_b += k;
        bytes += k;
        n_b -= k;
        complete = l->have_b == l->need_b && settle_line(l);
    }
    return complete || l->lost;
}

/* The C library's own type: a union of all addresses, transparent. */
EXPORT int connect(int fd, __CONST_SOCKADDR_ARG to, socklen_t n_b)
{
    pthread_once(&once, find_functions);
    const int s = next_connect(fd, to.__sockaddr__, n_b);
    if (!s && is_device(to.__sockaddr__, n_b))
        track(fd);
    return s;
}

EXPORT int close(int fd)
{
    struct line *const l = line_of_socket(fd);
    if (l)
        atomic_store(&l->fd, -1);
    return next_close(fd);
}

EXPORT ssize_t send(int fd, const void *bytes, size_t n_b, int flags)
{
    struct line *const l = line_of_socket(fd);
    if (!l || l->lost)
        return next_send(fd, bytes, n_b, flags);
    lock_line(l);
    const ssize_t n = next_send(fd, bytes, n_b, flags);
    if (n <= 0 || (has_gone(l, bytes, (size_t)n) && !l->reply_b))
        unlock_line(l);
    return n;
}

/* Reads and drops some of the bytes. */
static ssize_t recv_nowhere(int fd, size_t n_b, int flags)
{
    uint8_t away[4096];
    return next_recv(fd, away, n_b < sizeof away ? n_b : sizeof away, flags);
}

EXPORT ssize_t recv(int fd, void *bytes, size_t n_b, int flags)
{
    struct line *const l = line_of_socket(fd);
    ssize_t n = next_recv(fd, bytes, n_b, flags);
    if (!l || mine != l)
        return n;
    if (n < 0 && errno == EFAULT)
        n = recv_nowhere(fd, n_b, flags);
    if (n > 0 && (size_t)n < l->reply_b)
        l->reply_b -= (size_t)n;
    else
        unlock_line(l);
    return n;
}
