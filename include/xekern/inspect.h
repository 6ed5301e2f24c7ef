/* SPDX-License-Identifier: Apache-2.0 */
/* For tools; may change until 1.0. */
#ifndef XK_XEKERN_INSPECT_H
#define XK_XEKERN_INSPECT_H

#include <stddef.h>

#include "xekern/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Disassembles n_b bytes of raw instructions, or the kernels of a zebin (by
 * recognition), one line an instruction, through write(). Raw code needs the
 * platform's name; a zebin names its own. */
typedef void (*xk_write_fn)(void *user, const char *text, size_t n);
XK_API enum xk_status xk_disassemble(const char *platform, const void *bytes,
                                     size_t n_b, xk_write_fn write, void *user,
                                     struct xk_error *err);

#ifdef __cplusplus
}
#endif
#endif
