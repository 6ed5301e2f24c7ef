/* SPDX-License-Identifier: Apache-2.0 */
/* xk vgpu: what its parts share. */
#ifndef XK_TOOLS_XK_VGPU_VERB_H
#define XK_TOOLS_XK_VGPU_VERB_H

#include <signal.h>

#include "tools/xk/run_verb.h"
#include "xekern/virtual_device.h"

/* The command line. */
struct xk_vgpu_request {
    const char *platform, *trace, *output;
    uint64_t port, host_threads, memory_mib;
    struct xk_simulate_opts look;
    bool serve, stats, json, quiet, help, sets_seed;
    bool is_checked;            /* --check, other than none */
    const char *const *program; /* its name and arguments, then NULL */
};

/* Reads the arguments behind the verb, of which args[n] is NULL; what is wrong
 * is XK_EINVAL. */
enum xk_status xk_vgpu_request_read(struct xk_vgpu_request *r, int n,
                                    const char *const *args,
                                    struct xk_error *err);
void xk_vgpu_request_help(FILE *out);

/* What is reported about launches, from the device's callbacks: sums for each
 * kernel, each launch with --stats, and each launch with findings. */
struct xk_vgpu_log {
    struct xk_run_report report;
    const char *platform;
    FILE *text; /* NULL: JSON is asked for */
    struct xk_vgpu_sum *sum;
    size_t n_sums, n_sums_max;
    uint64_t n_said; /* clients dropped, launches refused */
    json_t *said;
};

enum xk_status xk_vgpu_log_init(struct xk_vgpu_log *l,
                                const struct xk_vgpu_request *r, FILE *text,
                                struct xk_error *err);
void xk_vgpu_log_fini(struct xk_vgpu_log *l);
/* Callbacks of struct xk_virtual_device_opts; user is the log. */
void xk_vgpu_log_launched(void *user, const struct xk_virtual_launch *launch);
void xk_vgpu_log_says(void *user, const char *sentence);
/* Everything as one object, to be unreferenced. */
json_t *xk_vgpu_log_json(const struct xk_vgpu_log *l);
void xk_vgpu_log_print(const struct xk_vgpu_log *l, FILE *out);

/* Signals during a whole run. */
struct xk_vgpu_signals {
    sigset_t taken, before;
};
/* Blocks the signals that end a program, in this thread and in those that start
 * later. The functions below wait for them. */
void xk_vgpu_signals_take(struct xk_vgpu_signals *s);
/* Runs the program and hands such signals on to it; its exit status, 128 + n
 * if signal n ended it, 126 or 127 with a reason if it cannot be started. */
int xk_vgpu_program_run(const struct xk_vgpu_signals *s,
                        const char *const *program, struct xk_error *err);
void xk_vgpu_signals_await(const struct xk_vgpu_signals *s);

#endif
