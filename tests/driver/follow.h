/* SPDX-License-Identifier: Apache-2.0 */
/* A capture that is executed while the driver of the same process writes it:
 * the file lies in a directory of its own, is read as it grows, and is removed
 * with it. */
#ifndef XK_TESTS_DRIVER_FOLLOW_H
#define XK_TESTS_DRIVER_FOLLOW_H

#include <stdint.h>
#include <stdio.h>

#include "vgpu/replay.h"

struct follow {
    char folder[64], path[96];
    FILE *file;
    xk_ctx *c;
    xk_replay *replay;
    unsigned n_launches; /* executed so far */
    uint64_t n_read_b;
    struct xk_replay_launch last;
};

/* NULL, or what cannot be had. Before the driver is opened: path is where it
 * shall write. */
const char *follow_open(struct follow *f, const struct xk_simulate_opts *look);
/* Executes what was written since the last call; NULL or what is wrong. */
const char *follow_on(struct follow *f);
void follow_close(struct follow *f);

#endif
