/* SPDX-License-Identifier: Apache-2.0 */
/* The versions of struct xk_conv_desc, told apart by the size in front. */
#ifndef XK_CONV_VERSION_H
#define XK_CONV_VERSION_H

#include "base/ctx.h"
#include "xekern/xekern.h"

/* *d, of whatever version, as this one; what an older one lacks is 0.
 * XK_EINVAL: no size that a descriptor has; XK_EUNSUPPORTED: something is set
 * behind the fields that this version knows. */
enum xk_status xk_conv_copy_desc(xk_ctx *c, const struct xk_conv_desc *d,
                                 struct xk_conv_desc *full);

#endif
