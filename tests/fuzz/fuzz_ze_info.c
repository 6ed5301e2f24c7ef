/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer: text as the .ze_info of an otherwise sound zebin. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "container/zebin_read.h"
#include "tests/container/make_zebin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b)
{
    char *const info = malloc(n_b + 1);
    memcpy(info, data, n_b);
    info[n_b] = 0;
    struct zebin_parts parts = {.ze_info = info};
    size_t file_b;
    uint8_t *const file = make_zebin(&parts, &file_b);
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_zebin z;
    if (xk_zebin_read(c, file, file_b, &z) == XK_OK)
        xk_zebin_fini(c, &z);
    else if (!c->error.message[0])
        abort();
    xk_ctx_destroy(c);
    free(file);
    free(info);
    return 0;
}
