/* SPDX-License-Identifier: Apache-2.0 */
/* Raw instructions as a module, with the facts that a container would give. */
#ifndef XK_RUNTIME_RAW_CODE_H
#define XK_RUNTIME_RAW_CODE_H

#include "container/zebin_read.h"
#include "xekern/simulate.h"

/* One kernel "code" over the code_b bytes at code, which must outlive *out. */
enum xk_status xk_raw_code_read(xk_ctx *c, const void *code, size_t code_b,
                                const struct xk_simulate_code *facts,
                                struct xk_zebin *out);

#endif
