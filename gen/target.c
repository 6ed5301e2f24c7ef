/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/target.h"

#include <stdio.h>
#include <string.h>

#include "isa/workaround.h"
#include "xekern/xekern.h"

/* Names all rows of the device that are not generated: the first alone would
 * say little of what is missing. */
static enum xk_status refuse_unreached(xk_ctx *c, const char *word,
                                       const struct xk_wa_device *d)
{
    char names[300] = "";
    size_t n_b = 0;

    for (unsigned id = 0; id < XK_N_WORKAROUNDS && n_b < sizeof names; id++)
        if (xk_wa_is_unreached((enum xk_wa)id, d))
            n_b += (size_t)snprintf(names + n_b, sizeof names - n_b, "%s%s",
                                    n_b ? ", " : "",
                                    xk_workaround_get((enum xk_wa)id)->name);
    return n_b ? xk_fail(c, XK_EUNSUPPORTED,
                         "device=%s needs workarounds that are not generated: "
                         "%s",
                         word, names)
               : XK_OK;
}

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
    return *w ? refuse_unreached(c, w, out) : XK_OK;
}

size_t xk_device_words(uint32_t platform, char *out, size_t out_size)
{
    return xk_product_words(xk_platform_get((enum xk_platform_id)platform), out,
                            out_size);
}
