/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer: bytes as a file with kernels, of whatever container. What opens
 * lies inside the file; what does not says why. */
#include <stdint.h>
#include <stdlib.h>

#include "container/kernel_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b);

static void demand(int yes)
{
    if (!yes)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_kernel_file f;
    if (xk_kernel_file_open(c, data, n_b, NULL, &f) == XK_OK) {
        demand(f.platform != NULL);
        for (uint32_t k = 0; k < f.z.n_kernels; k++) {
            const struct xk_zkernel *const z = &f.z.kernels[k];
            demand(z->code >= data && z->code + z->code_b <= data + n_b);
        }
        xk_kernel_file_fini(c, &f);
    } else {
        demand(c->error.message[0] != 0);
    }
    xk_ctx_destroy(c);
    return 0;
}
