/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/problem/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/problem/words.h"

/* The files that a signal removes when it ends the tool. They are atomic, since
 * the handler may run in another thread than the one that opens or commits. */
enum { N_TEMPORARIES = 16 };
static _Atomic(char *) temporaries[N_TEMPORARIES];

static void remove_temporaries(int number)
{
    for (int k = 0; k < N_TEMPORARIES; k++) {
        const char *const name = atomic_load(&temporaries[k]);
        if (name)
            unlink(name);
    }
    /* SA_RESETHAND: this time it ends the process. */
    raise(number);
}

static const int ending[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                             SIGPIPE, SIGXCPU, SIGXFSZ};

/* A signal that is ignored (nohup) or waited for (xk vgpu) stays so. */
static void take_signals(void)
{
    for (size_t k = 0; k < sizeof ending / sizeof ending[0]; k++) {
        struct sigaction now;
        const struct sigaction ours = {.sa_handler = remove_temporaries,
                                       .sa_flags = SA_RESETHAND};
        if (sigaction(ending[k], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(ending[k], &ours, NULL);
    }
}

/* False: too many files are open at once. */
static bool note_temporary(char *name)
{
    for (int k = 0; k < N_TEMPORARIES; k++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&temporaries[k], &none, name))
            return true;
    }
    errno = EMFILE;
    return false;
}

static void forget_temporary(char *name)
{
    for (int k = 0; k < N_TEMPORARIES; k++) {
        char *mine = name;
        if (name && atomic_compare_exchange_strong(&temporaries[k], &mine,
                                                   (char *)NULL))
            return;
    }
}

/* The path without symbolic links; the file need not exist yet. NULL with errno
 * set: the folder does not exist, or no memory. */
static char *resolved_path(const char *path)
{
    char *const whole = realpath(path, NULL);
    const char *const slash = strrchr(path, '/');
    const char *const name = slash ? slash + 1 : path;
    if (whole || errno != ENOENT)
        return whole;
    if (!*name) {
        errno = EISDIR;
        return NULL;
    }
    char *const folder =
        strndup(slash ? path : ".", slash ? (size_t)(slash - path) + 1 : 1);
    char *const real = folder ? realpath(folder, NULL) : NULL;
    char *out = NULL;
    if (real &&
        asprintf(&out, "%s/%s", strcmp(real, "/") ? real : "", name) < 0)
        out = NULL;
    free(real);
    free(folder);
    return out;
}

static void close_all(struct xk_tool_output *o)
{
    if (o->f && o->f != stdout)
        fclose(o->f);
    forget_temporary(o->temporary);
    free(o->target);
    free(o->temporary);
    *o = (struct xk_tool_output){NULL};
}

void xk_tool_output_drop(struct xk_tool_output *o)
{
    if (o->temporary)
        unlink(o->temporary);
    close_all(o);
}

/* The message, with errno's reason; removes what was written. */
static enum xk_status failed(struct xk_tool_output *o, int why,
                             struct xk_error *err)
{
    const enum xk_status st =
        xk_tool_fail(err, XK_EIO, "%s=%.200s: cannot be written%s%s", o->field,
                     o->path, why ? ": " : "", why ? strerror(why) : "");
    if (o->f == stdout) { /* said here, not once more at the end */
        __fpurge(stdout);
        clearerr(stdout);
    }
    xk_tool_output_drop(o);
    return st;
}

/* Signals are blocked until the file's name is noted. */
static int create_noted(char *name, bool *noted)
{
    sigset_t held, old;
    sigemptyset(&held);
    for (size_t k = 0; k < sizeof ending / sizeof ending[0]; k++)
        sigaddset(&held, ending[k]);
    pthread_sigmask(SIG_BLOCK, &held, &old);
    const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    *noted = fd >= 0 && note_temporary(name);
    const int why = errno;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = why;
    return fd;
}

/* A name beside the target; an existing file keeps its permissions. */
static FILE *open_temporary(struct xk_tool_output *o, const struct stat *old)
{
    if (asprintf(&o->temporary, "%s.%ld.tmp", o->target, (long)getpid()) < 0) {
        o->temporary = NULL;
        errno = ENOMEM;
        return NULL;
    }
    take_signals();
    bool noted;
    const int fd = create_noted(o->temporary, &noted);
    if (fd < 0) {
        free(o->temporary); /* not ours to remove */
        o->temporary = NULL;
        return NULL;
    }
    if (!noted || (old && fchmod(fd, old->st_mode & 07777) < 0)) {
        close(fd);
        return NULL;
    }
    return fdopen(fd, "w");
}

enum xk_status xk_tool_output_open(struct xk_tool_output *o, const char *field,
                                   const char *path, struct xk_error *err)
{
    struct stat old;
    *o = (struct xk_tool_output){.field = field, .path = path};
    if (!strcmp(path, "-")) {
        o->f = stdout;
        return XK_OK;
    }
    const bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return failed(o, EISDIR, err);
    if (exists && access(path, W_OK) < 0)
        return failed(o, errno, err);
    o->target = resolved_path(path);
    if (!o->target)
        return failed(o, errno, err);
    /* /dev/stdout may be a regular file that others have open. */
    const bool direct = (exists && !S_ISREG(old.st_mode)) ||
                        !strncmp(path, "/dev/", 5) ||
                        !strncmp(path, "/proc/", 6);
    o->f = direct ? fopen(path, "w") : open_temporary(o, exists ? &old : NULL);
    return o->f ? XK_OK : failed(o, errno, err);
}

/* Why a stream cannot be written, errno's number; 0: it can. An error of an
 * earlier write has left no number, so one more byte asks for it again. */
static int write_error(FILE *f)
{
    errno = 0;
    if (!fflush(f) && !ferror(f))
        return 0;
    if (!errno) {
        clearerr(f);
        fputc('\n', f);
        fflush(f);
    }
    return errno ? errno : EIO;
}

enum xk_status xk_tool_output_commit(struct xk_tool_output *o,
                                     struct xk_error *err)
{
    if (!o->f)
        return XK_OK;
    const int why = write_error(o->f);
    if (why)
        return failed(o, why, err);
    if (o->temporary && fsync(fileno(o->f)) < 0)
        return failed(o, errno, err);
    FILE *const f = o->f;
    o->f = NULL;
    if (f != stdout && fclose(f))
        return failed(o, errno, err);
    if (o->temporary && rename(o->temporary, o->target) < 0)
        return failed(o, errno, err);
    close_all(o);
    return XK_OK;
}

enum xk_status xk_tool_output_write(const char *field, const char *path,
                                    const void *bytes, size_t n_b,
                                    struct xk_error *err)
{
    struct xk_tool_output o;
    if (xk_tool_output_open(&o, field, path, err) < 0)
        return err->status;
    fwrite(bytes, 1, n_b, o.f); /* commit sees that it failed */
    return xk_tool_output_commit(&o, err);
}

/* The path of a file that writing would destroy: one that is regular or does
 * not exist yet. "-" is read from the file behind standard input. */
static char *regular(const struct xk_tool_file_use *use)
{
    struct stat s;
    const bool standard = use->path && !strcmp(use->path, "-");
    const char *const path =
        standard && !use->written ? "/dev/stdin" : use->path;
    if (!path || (standard && use->written) ||
        (stat(path, &s) == 0 && !S_ISREG(s.st_mode)))
        return NULL;
    return resolved_path(path);
}

enum xk_status xk_tool_files_distinct(const struct xk_tool_file_use *use,
                                      size_t n, struct xk_error *err)
{
    enum xk_status st = XK_OK;
    for (size_t i = 0; i < n && st >= 0; i++) {
        char *const mine = use[i].written ? regular(&use[i]) : NULL;
        for (size_t k = 0; k < n && mine && st >= 0; k++) {
            char *const other = k != i ? regular(&use[k]) : NULL;
            if (other && !strcmp(mine, other))
                st = xk_tool_fail(err, XK_EINVAL,
                                  "%s=%.200s: is also %s; it would be "
                                  "overwritten",
                                  use[i].field, use[i].path, use[k].field);
            free(other);
        }
        free(mine);
    }
    return st;
}

bool xk_tool_is_below(const char *path, const char *folder)
{
    char *const file = realpath(strcmp(path, "-") ? path : "/dev/stdin", NULL);
    char *const around = realpath(folder, NULL);
    const size_t n = around ? strlen(around) : 0;
    const bool is_below = file && around && !strncmp(file, around, n) &&
                          (file[n] == '/' || around[n - 1] == '/');
    free(around);
    free(file);
    return is_below;
}

void xk_tool_standard_begin(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            /* It is open for reading only, so a write fails and is noticed. */
            (void)!open("/dev/null", O_RDONLY);
}

int xk_tool_standard_end(const char *tool, int code)
{
    const int why = write_error(stdout);
    if (!why)
        return code;
    fprintf(stderr, "%s: standard output: cannot be written: %s\n", tool,
            strerror(why));
    return code ? code : 1;
}
