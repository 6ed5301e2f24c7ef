/* SPDX-License-Identifier: Apache-2.0 */
/* TCP does not say which process is at the other end. The kernel lists the
 * sockets of this machine with their inodes, and the open files of each process
 * name the inodes of its sockets. */
#include "vgpu/tbx_peer.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The inode of the socket with the local end `near` and the remote end
 * `far`. */
static unsigned long find_inode(const struct sockaddr_in *near,
                                const struct sockaddr_in *far)
{
    FILE *const f = fopen("/proc/net/tcp", "re");
    char line[512];
    unsigned long found = 0;
    while (f && !found && fgets(line, sizeof line, f)) {
        unsigned near_ip, near_port, far_ip, far_port;
        unsigned long inode;
        if (sscanf(line,
                   " %*d: %x:%x %x:%x %*x %*x:%*x %*x:%*x %*x %*d %*d %lu",
                   &near_ip, &near_port, &far_ip, &far_port, &inode) == 5 &&
            near_ip == near->sin_addr.s_addr &&
            near_port == ntohs(near->sin_port) &&
            far_ip == far->sin_addr.s_addr && far_port == ntohs(far->sin_port))
            found = inode;
    }
    if (f)
        fclose(f);
    return found;
}

/* The process's descriptor of the socket; -1: it has none. */
static int descriptor(int pid, const char *link)
{
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%d/fd", pid);
    DIR *const d = opendir(folder);
    int found = -1;
    for (const struct dirent *e; d && found < 0 && (e = readdir(d));) {
        char target[64];
        const ssize_t n =
            readlinkat(dirfd(d), e->d_name, target, sizeof target - 1);
        if (n < 0)
            continue;
        target[n] = 0;
        if (strcmp(target, link) == 0)
            found = atoi(e->d_name);
    }
    if (d)
        closedir(d);
    return found;
}

/* This process is tried first: it is the most frequent one. A child may have
 * inherited the socket, so the lowest pid with it is taken. */
static struct xk_tbx_peer find_holder(const char *link)
{
    struct xk_tbx_peer best = {getpid(), descriptor(getpid(), link)};
    if (best.fd >= 0)
        return best;
    DIR *const d = opendir("/proc");
    best.pid = 0;
    for (const struct dirent *e; d && (e = readdir(d));) {
        const int pid =
            isdigit((unsigned char)e->d_name[0]) ? atoi(e->d_name) : 0;
        const int fd =
            pid && (!best.pid || pid < best.pid) ? descriptor(pid, link) : -1;
        if (fd >= 0)
            best = (struct xk_tbx_peer){pid, fd};
    }
    if (d)
        closedir(d);
    return best;
}

struct xk_tbx_peer xk_tbx_peer_find(int fd)
{
    struct sockaddr_in own, other;
    socklen_t own_b = sizeof own, other_b = sizeof other;
    char link[64];
    if (getsockname(fd, (struct sockaddr *)&own, &own_b) ||
        getpeername(fd, (struct sockaddr *)&other, &other_b))
        return (struct xk_tbx_peer){0, -1};
    const unsigned long inode = find_inode(&other, &own);
    snprintf(link, sizeof link, "socket:[%lu]", inode);
    return inode ? find_holder(link) : (struct xk_tbx_peer){0, -1};
}

/* The system call in which a thread is blocked, as the kernel shows it: number
 * and arguments. */
static bool thread_waits(const struct xk_tbx_peer *p, const char *thread,
                         uint32_t n_b, uint64_t *va)
{
    char path[300], text[256];
    long number;
    unsigned long fd, buffer, length;
    snprintf(path, sizeof path, "/proc/%d/task/%s/syscall", p->pid, thread);
    FILE *const f = fopen(path, "re");
    const bool told = f && fgets(text, sizeof text, f);
    if (f)
        fclose(f);
    if (!told ||
        sscanf(text, "%ld %lx %lx %lx", &number, &fd, &buffer, &length) != 4 ||
        (number != SYS_recvfrom && number != SYS_read) ||
        fd != (unsigned long)p->fd || length != n_b)
        return false;
    *va = buffer;
    return true;
}

static bool process_waits(const struct xk_tbx_peer *p, uint32_t n_b,
                          uint64_t *va)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", p->pid);
    DIR *const d = opendir(path);
    bool found = false;
    for (const struct dirent *e; d && !found && (e = readdir(d));)
        found = isdigit((unsigned char)e->d_name[0]) &&
                thread_waits(p, e->d_name, n_b, va);
    if (d)
        closedir(d);
    return found;
}

bool xk_tbx_peer_waits(const struct xk_tbx_peer *p, uint32_t n_b, uint64_t *va)
{
    const struct timespec pause = {0, 50000};
    if (!p->pid || p->fd < 0)
        return false;
    for (int k = 0; k < 1000; k++) {
        if (process_waits(p, n_b, va))
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}
