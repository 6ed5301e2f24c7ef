/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer: bytes as a batch for the command streamer of a small device. The
 * first byte says where it begins; what fails says why, and memory outside the
 * mapped pages stays empty. */
#include <stdlib.h>
#include <string.h>

#include "tests/vgpu/machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b);

static void demand(int yes)
{
    if (!yes)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b)
{
    static uint32_t dw[MACHINE_BATCH_DWORDS];
    struct machine g;
    const unsigned skip = n_b ? data[0] : 0;
    const size_t most_b = sizeof dw - 8;
    size_t batch_b = n_b ? n_b - 1 : 0;
    if (batch_b > most_b)
        batch_b = most_b;
    memset(dw, 0, sizeof dw);
    if (batch_b)
        memcpy(dw, data + 1, batch_b);
    machine_open(&g, 2000);
    machine_place(&g, MACHINE_BATCH, dw, (unsigned)(batch_b / 4));
    const enum xk_status st = machine_submit(&g, MACHINE_BATCH + 4u * skip);
    demand(st == XK_OK || g.c->error.message[0]);
    demand(g.n_walkers <= 2000);
    machine_close(&g);
    return 0;
}
