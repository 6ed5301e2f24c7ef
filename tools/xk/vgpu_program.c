/* SPDX-License-Identifier: Apache-2.0 */
/* The program that xk vgpu runs, and the signals that it gets. */
#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "tools/problem/words.h"
#include "tools/xk/vgpu_verb.h"

extern char **environ;

void xk_vgpu_signals_take(struct xk_vgpu_signals *s)
{
    static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD};
    sigemptyset(&s->taken);
    for (size_t k = 0; k < sizeof ending / sizeof ending[0]; k++)
        sigaddset(&s->taken, ending[k]);
    sigprocmask(SIG_BLOCK, &s->taken, &s->before);
}

void xk_vgpu_signals_await(const struct xk_vgpu_signals *s)
{
    int n;
    do
        n = sigwaitinfo(&s->taken, NULL);
    while (n == SIGCHLD || (n < 0 && errno == EINTR));
}

/* The program's own signals are as ours were at the start. */
static int spawn(const struct xk_vgpu_signals *s, const char *const *program,
                 pid_t *child)
{
    posix_spawnattr_t how;
    int code = posix_spawnattr_init(&how);
    if (code)
        return code;
    posix_spawnattr_setsigmask(&how, &s->before);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
    code =
        posix_spawnp(child, program[0], NULL, &how, (char **)program, environ);
    posix_spawnattr_destroy(&how);
    return code;
}

int xk_vgpu_program_run(const struct xk_vgpu_signals *s,
                        const char *const *program, struct xk_error *err)
{
    pid_t child;
    int status = 0;
    const int code = spawn(s, program, &child);
    if (code) {
        xk_tool_fail(err, code == ENOENT ? XK_EABSENT : XK_EIO,
                     "%.200s: cannot be started: %s", program[0],
                     strerror(code));
        return code == ENOENT ? 127 : 126;
    }
    while (waitpid(child, &status, WNOHANG) == 0) {
        siginfo_t why;
        const int n = sigwaitinfo(&s->taken, &why);
        /* What the terminal sends has reached the program already. */
        if (n > 0 && n != SIGCHLD && why.si_code != SI_KERNEL)
            kill(child, n);
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
