/* SPDX-License-Identifier: Apache-2.0 */
/* The devices that kernels are for. */
#ifndef XK_GEN_TARGET_H
#define XK_GEN_TARGET_H

#include "base/ctx.h"
#include "isa/product.h"

/* The device of a descriptor's platform and word ("" or NULL: every stepping of
 * the platform). XK_EINVAL if there is none, XK_EUNSUPPORTED if it needs a
 * workaround that is not generated; the sentence names the row. */
enum xk_status xk_target_of(xk_ctx *c, uint32_t platform, const char *word,
                            struct xk_wa_device *out);

#endif
