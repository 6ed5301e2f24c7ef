/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer: bytes as a capture, fed in two pieces, executed to its end. What
 * is wrong with it is said; the limits on memory, commands and instructions end
 * whatever would not end. */
#include <stdint.h>
#include <stdlib.h>

#include "vgpu/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b);

static void demand(int yes)
{
    if (!yes)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b)
{
    static const struct xk_simulate_opts look = {.inst_limit = 1000};
    const struct xk_replay_config config = {.n_host_threads = 1,
                                            .max_memory_b = 32u << 20,
                                            .max_commands = 200,
                                            .max_threads = 1000,
                                            .look = &look};
    const size_t cut = n_b ? data[n_b / 2] * n_b / 256 : 0;
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_replay *r;
    uint8_t byte;
    demand(xk_replay_create(c, &config, &r) == XK_OK);
    xk_replay_feed(r, data, cut);
    xk_replay_feed(r, data + cut, n_b - cut);
    const enum xk_status st = xk_replay_end(r);
    demand(st == XK_OK || c->error.message[0]);
    xk_replay_read(r, 0x7f0000200000, &byte, 1);
    xk_replay_destroy(r);
    xk_ctx_destroy(c);
    return 0;
}
