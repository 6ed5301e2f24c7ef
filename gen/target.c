/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/target.h"

#include <string.h>

#include "isa/product.h"
#include "xekern/xekern.h"

enum xk_status xk_target_of(xk_ctx *c, uint32_t platform, const char *word,
                            struct xk_wa_device *out)
{
    const char *const w = word ? word : "";
    if (platform < XK_PLATFORM_XELP || platform > XK_PLATFORM_XEHPC)
        return xk_fail(c, XK_EINVAL, "platform=%u is not a platform", platform);
    const struct xk_platform *const p =
        xk_platform_get((enum xk_platform_id)platform);
    if (!memchr(w, 0, XK_TAG_MAX))
        return xk_fail(c, XK_EINVAL, "device has no end within %d characters",
                       XK_TAG_MAX);
    return xk_product_named(c, p, w, out);
}

size_t xk_device_words(uint32_t platform, char *out, size_t out_size)
{
    return xk_product_words(xk_platform_get((enum xk_platform_id)platform), out,
                            out_size);
}
