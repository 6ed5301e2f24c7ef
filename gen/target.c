/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/target.h"

#include <string.h>

#include "isa/workaround.h"
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
    XK_TRY(xk_product_named(c, p, w, out));
    const struct xk_workaround *const row = *w ? xk_wa_unreached(out) : NULL;
    return row ? xk_fail(c, XK_EUNSUPPORTED,
                         "device=%s needs the workaround %s, which is not "
                         "generated (%s: %s)",
                         w, row->name, row->text.why, row->action)
               : XK_OK;
}

size_t xk_device_words(uint32_t platform, char *out, size_t out_size)
{
    return xk_product_words(xk_platform_get((enum xk_platform_id)platform), out,
                            out_size);
}
