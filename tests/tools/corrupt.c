/* SPDX-License-Identifier: Apache-2.0 */
/* A device that gives one byte back wrong: linked into xkbench with
 * --wrap=xk_buffer_read. XK_CORRUPT is the byte's number in the destination's
 * buffer; xkbench must say what is wrong there. */
#include <stdlib.h>

#include "xekern/device.h"

enum xk_status __real_xk_buffer_read(const xk_buffer *b, uint64_t offset_b,
                                     void *data, size_t n_b,
                                     struct xk_error *err);
enum xk_status __wrap_xk_buffer_read(const xk_buffer *b, uint64_t offset_b,
                                     void *data, size_t n_b,
                                     struct xk_error *err);

enum xk_status __wrap_xk_buffer_read(const xk_buffer *b, uint64_t offset_b,
                                     void *data, size_t n_b,
                                     struct xk_error *err)
{
    const char *const at = getenv("XK_CORRUPT");
    const size_t i = at ? strtoul(at, NULL, 10) : n_b;
    const enum xk_status st =
        __real_xk_buffer_read(b, offset_b, data, n_b, err);
    if (st >= 0 && i < n_b)
        ((unsigned char *)data)[i] ^= 0x10;
    return st;
}
