/* SPDX-License-Identifier: Apache-2.0 */
#include "vgpu/tbx_server.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vgpu/tbx_peer.h"

#define MAX_CONNECTIONS 1024
#define IN_B (256u << 10) /* grows for a longer message */
#define OUT_B (16u << 10) /* answers that wait to be sent together */
#define DIRECT_B 1024u

struct link {
    struct link *next;
    xk_tbx_server *server;
    pthread_t thread;
    int fd;
    atomic_bool over;
    xk_ctx *c;
    xk_tbx_client *client;
    uint8_t *in; /* [begin, end) is received and not executed yet */
    size_t begin, end, cap_b;
    uint8_t *out;
    size_t out_b;
    bool closed; /* by the client */
    struct xk_tbx_peer peer;
};

struct xk_tbx_server {
    struct xk_gpu_device *device;
    int fd;
    uint16_t port;
    pthread_t thread;
    atomic_bool stops;
    pthread_mutex_t lock; /* of the list */
    struct link *links;
    unsigned n_links;
};

static enum xk_status send_all(struct link *l, const void *bytes, size_t n_b)
{
    for (const uint8_t *p = bytes; n_b;) {
        const ssize_t n = send(l->fd, p, n_b, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return xk_fail(l->c, XK_EIO, "vgpu: the client takes no answer");
        p += n;
        n_b -= (size_t)n;
    }
    return XK_OK;
}

/* What is kept. */
static enum xk_status send_kept(struct link *l)
{
    XK_TRY(send_all(l, l->out, l->out_b));
    l->out_b = 0;
    return XK_OK;
}

/* Small answers are collected; a large one is sent directly from its memory. */
static enum xk_status reply(void *user, const void *bytes, size_t n_b)
{
    struct link *const l = user;
    if (n_b >= DIRECT_B || l->out_b + n_b > OUT_B) {
        XK_TRY(send_kept(l));
        return send_all(l, bytes, n_b);
    }
    memcpy(l->out + l->out_b, bytes, n_b);
    l->out_b += n_b;
    return XK_OK;
}

/* Makes room behind the received bytes; those that were executed are
 * dropped. */
static enum xk_status make_input_room(struct link *l, size_t need_b)
{
    if (l->begin) {
        memmove(l->in, l->in + l->begin, l->end - l->begin);
        l->end -= l->begin;
        l->begin = 0;
    }
    if (need_b <= l->cap_b)
        return XK_OK;
    uint8_t *const more = xk_realloc(l->c, l->in, need_b);
    if (!more)
        return XK_ENOMEM;
    l->in = more;
    l->cap_b = need_b;
    return XK_OK;
}

static enum xk_status receive(struct link *l)
{
    ssize_t n;
    do
        n = recv(l->fd, l->in + l->end, l->cap_b - l->end, 0);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        l->closed = true;
    else
        l->end += (size_t)n;
    return XK_OK;
}

/* Executes all messages that are complete. A message may receive further ones,
 * see pump. */
static enum xk_status take_messages(struct link *l)
{
    size_t need_b = 0;
    for (;;) {
        struct xk_tbx_message m;
        XK_TRY(xk_tbx_parse(l->c, l->in + l->begin, l->end - l->begin, &m,
                            &need_b));
        if (need_b > l->end - l->begin)
            break;
        l->begin += need_b;
        XK_TRY(xk_tbx_client_take(l->client, &m));
    }
    if (l->begin == l->end)
        l->begin = l->end = 0;
    if (l->end == l->cap_b || l->begin + need_b > l->cap_b)
        return make_input_room(l, need_b);
    return XK_OK;
}

/* Messages that were received together with the current one come first. */
static bool pump(void *user, unsigned ms)
{
    struct link *const l = user;
    struct pollfd p = {.fd = l->fd, .events = POLLIN};
    if (atomic_load(&l->server->stops) || take_messages(l) < 0 ||
        send_kept(l) < 0)
        return false;
    if (poll(&p, 1, (int)ms) <= 0)
        return true;
    return receive(l) == XK_OK && take_messages(l) == XK_OK &&
           send_kept(l) == XK_OK && !l->closed;
}

static int peer(void *user)
{
    struct link *const l = user;
    l->peer = xk_tbx_peer_find(l->fd);
    return l->peer.pid;
}

static bool target_page(void *user, uint32_t n_b, uint64_t *va)
{
    struct link *const l = user;
    return send_kept(l) == XK_OK && xk_tbx_peer_waits(&l->peer, n_b, va);
}

static enum xk_status open_link(struct link *l)
{
    const struct xk_tbx_client_ops ops = {peer, reply, pump, l, target_page};
    l->c = xk_ctx_create(NULL);
    if (!l->c)
        return XK_ENOMEM;
    l->out = xk_malloc(l->c, OUT_B);
    if (!l->out)
        return XK_ENOMEM;
    XK_TRY(make_input_room(l, IN_B));
    return xk_tbx_client_create(l->c, l->server->device, &ops, &l->client);
}

static enum xk_status serve(struct link *l)
{
    XK_TRY(open_link(l));
    while (!l->closed) {
        XK_TRY(send_kept(l));
        XK_TRY(receive(l));
        XK_TRY(take_messages(l));
    }
    if (l->begin != l->end)
        return xk_fail(l->c, XK_EPARSE,
                       "vgpu: the connection ends inside a message: %zu bytes "
                       "of it are there",
                       l->end - l->begin);
    return XK_OK;
}

static void *run_link(void *arg)
{
    struct link *const l = arg;
    struct xk_gpu_device *const d = l->server->device;
    if (serve(l) < 0 && !atomic_load(&l->server->stops))
        xk_gpu_device_say(d, "a client was dropped: %s",
                          l->c ? l->c->error.message : "out of memory");
    xk_tbx_client_destroy(l->client);
    if (l->c) {
        xk_free(l->c, l->in);
        xk_free(l->c, l->out);
        xk_ctx_destroy(l->c);
    }
    shutdown(l->fd, SHUT_RDWR);
    atomic_store(&l->over, true);
    return NULL;
}

/* Frees the connections that have ended, or all. */
static void reap(xk_tbx_server *s, bool all)
{
    struct link **at = &s->links;
    while (*at) {
        struct link *const l = *at;
        if (!all && !atomic_load(&l->over)) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        pthread_join(l->thread, NULL);
        close(l->fd);
        free(l);
        s->n_links--;
    }
}

static void welcome(xk_tbx_server *s, int fd)
{
    const int on = 1;
    struct link *const l = calloc(1, sizeof *l);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (l && s->n_links < MAX_CONNECTIONS) {
        l->server = s;
        l->fd = fd;
        if (pthread_create(&l->thread, NULL, run_link, l) == 0) {
            l->next = s->links;
            s->links = l;
            s->n_links++;
            return;
        }
    }
    xk_gpu_device_say(s->device, "a client was dropped: more than %u are here",
                      s->n_links);
    free(l);
    close(fd);
}

static void *listen_on(void *arg)
{
    xk_tbx_server *const s = arg;
    while (!atomic_load(&s->stops)) {
        struct pollfd p = {.fd = s->fd, .events = POLLIN};
        const bool news = poll(&p, 1, 200) > 0;
        pthread_mutex_lock(&s->lock);
        reap(s, false);
        const int fd = news && !atomic_load(&s->stops)
                           ? accept4(s->fd, NULL, NULL, SOCK_CLOEXEC)
                           : -1;
        if (fd >= 0)
            welcome(s, fd);
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

static enum xk_status fail_port(struct xk_error *err, enum xk_status status,
                                const char *what, unsigned port)
{
    err->status = status;
    snprintf(err->message, sizeof err->message, "port: 127.0.0.1:%u: %s: %s",
             port, what, strerror(errno));
    return status;
}

static enum xk_status open_listener(xk_tbx_server *s, struct xk_error *err)
{
    const unsigned port = s->device->opts.port;
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)port),
                            .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t a_b = sizeof a;
    const int on = 1;
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s->fd < 0)
        return fail_port(err, XK_EFAULT, "no socket", port);
    setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(s->fd, (const struct sockaddr *)&a, sizeof a) ||
        listen(s->fd, 128) || getsockname(s->fd, (struct sockaddr *)&a, &a_b))
        return fail_port(err, XK_EFAULT, "cannot listen", port);
    s->port = ntohs(a.sin_port);
    return XK_OK;
}

enum xk_status xk_tbx_server_start(struct xk_gpu_device *d, xk_tbx_server **out,
                                   struct xk_error *err)
{
    xk_tbx_server *const s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return fail_port(err, XK_ENOMEM, "out of memory", d->opts.port);
    s->device = d;
    pthread_mutex_init(&s->lock, NULL);
    enum xk_status st = open_listener(s, err);
    if (st == XK_OK && pthread_create(&s->thread, NULL, listen_on, s))
        st = fail_port(err, XK_ENOMEM, "no thread", s->port);
    if (st == XK_OK) {
        *out = s;
        return XK_OK;
    }
    if (s->fd >= 0)
        close(s->fd);
    pthread_mutex_destroy(&s->lock);
    free(s);
    return st;
}

uint16_t xk_tbx_server_port(const xk_tbx_server *s)
{
    return s->port;
}

void xk_tbx_server_stop(xk_tbx_server *s)
{
    if (!s)
        return;
    atomic_store(&s->stops, true);
    shutdown(s->fd, SHUT_RDWR); /* wakes its poll */
    pthread_join(s->thread, NULL);
    for (struct link *l = s->links; l; l = l->next)
        shutdown(l->fd, SHUT_RDWR);
    reap(s, true);
    close(s->fd);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
